//! Learning on simulated worlds, tested on other ones, beside the rules that made them.
//!
//! `cargo run --release -p oled-data --example world_seeds -- replay|PRESET SEEDS NOISE [NAME=VALUE …]`: by replay, or by the
//! paper's learner with a preset; seeds as `20` or `7-9`. `show=1` prints the theories, `segments=30` makes longer streams to
//! learn from.

#![allow(clippy::print_stdout)] // an example prints

use std::error::Error;
use std::path::Path;

use oled::{
    Confusion, Evaluation, Learner, Oled, Recogniser, Replay, ReplaySettings, Symbol, Task, Theory, parse_theory,
};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [preset, seeds, noise, overrides @ ..] = args.as_slice() else {
        return Err("arguments: replay|PRESET SEEDS NOISE [NAME=VALUE …]".into());
    };
    let noise: f64 = noise.parse()?;
    let overrides: Vec<(String, String)> =
        overrides.iter().filter_map(|o| o.split_once('=')).map(|(n, v)| (n.into(), v.into())).collect();
    // `20` is 1 to 20, `7-9` is 7 to 9.
    let (first, last) = seeds.split_once('-').unwrap_or(("1", seeds));
    let seeds = first.parse::<u64>()?..=last.parse()?;
    let (show, overrides): (Vec<_>, Vec<_>) = overrides.into_iter().partition(|(name, _)| name == "show");
    let (length, overrides): (Vec<_>, Vec<_>) = overrides.into_iter().partition(|(name, _)| name == "segments");
    let segments = length.first().map_or(Ok(WorldOptions::default().segments), |(_, value)| value.parse())?;
    let folder = if preset == "replay" { TaskFolder::embedded() } else { TaskFolder::lobby_listed() };
    let truth = folder.theory(Path::new("true"))?;
    let truth = parse_theory(&truth.name, &truth.text)?;
    let mut targets: Vec<&str> =
        folder.task.labels().iter().filter_map(|l| l.inner_name()).map(Symbol::as_str).collect();
    targets.push("all");
    // Noise is the share of wrong movements and of wrong labels.
    let world = |seed: u64| {
        let usual = WorldOptions { seed, segments, ..WorldOptions::default() };
        let noisy = WorldOptions { event_noise: noise, label_noise: noise, ..usual };
        World::new(if noise == 0.0 { usual.without_noise() } else { noisy })
    };
    let (mut learned, mut known) = (Vec::new(), Vec::new());
    for seed in seeds {
        let theory = if preset == "replay" {
            let mut settings = ReplaySettings::default();
            overrides.iter().try_for_each(|(name, value)| settings.set(name, value))?;
            let mut learner = Replay::new(&folder.task, settings)?.with_threads(2);
            world(seed).for_each(|frame| learner.observe(&frame, &mut ()));
            let theory = learner.learned().theory();
            if !show.is_empty() {
                // Where the true rules fit better what was learned from, the search is at fault, else what it is after.
                for (own, other) in learner.replay(&theory)?.iter().zip(learner.replay(&truth)?) {
                    println!(
                        "{}: F1 {:.4} on what was learned from, true rules {:.4}",
                        own.0,
                        own.1.f1(),
                        other.1.f1()
                    );
                }
            }
            theory
        } else {
            let settings = |target: Symbol| folder.settings(preset, target.as_str(), &overrides).unwrap_or_default();
            let mut learner = Oled::new(&folder.task, settings)?;
            world(seed).for_each(|frame| learner.observe(&frame, &mut ()));
            learner.flush(&mut ());
            learner.learned().theory()
        };
        if !show.is_empty() {
            println!("{theory}");
        }
        let own = test(&folder.task, &theory, world(seed + 1000))?;
        let best = test(&folder.task, &truth, world(seed + 1000))?;
        let (rules, literals) = (theory.clauses.len(), theory.literals());
        println!("seed {seed}: {rules} rules, {literals} literals, F1 {own:.3?}, of the true rules {best:.3?}");
        learned.push(own);
        known.push(best);
    }
    for (name, scores) in [("learned", &learned), ("true", &known)] {
        for (i, target) in targets.iter().enumerate() {
            let of: Vec<f64> = scores.iter().map(|s| s[i]).collect();
            let mean = of.iter().sum::<f64>() / of.len().max(1) as f64;
            let spread = (of.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / of.len().max(1) as f64).sqrt();
            println!("{name} {target}: F1 {mean:.3} ± {spread:.3}");
        }
    }
    Ok(())
}

/// The F1 of each fluent, in the order of the declarations, and of all together.
fn test(task: &Task, theory: &Theory, world: World) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut recogniser = Recogniser::new(task, theory)?;
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in world {
        recogniser.observe(&frame, &mut Vec::new());
        evaluation.count(&recogniser, &frame);
    }
    Ok(evaluation.by_fluent().values().chain([&evaluation.total()]).map(Confusion::f1).collect())
}
