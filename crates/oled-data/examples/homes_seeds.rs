//! Learning in simulated homes, tested on days that were not seen, beside the rules that made them.
//!
//! `cargo run --release -p oled-data --example homes_seeds -- replay SEEDS [NAME=VALUE …]`: seeds as `5`, which is 1 to 5, or
//! `7-9`. `days=20`, `homes=1` and `noise=1` (a multiple of the usual noise) say what is learned from, `show=1` prints the
//! theories, and other names are settings of replay. Where the F1 in training is much better than on unseen days, rules fit
//! accidents.

#![allow(clippy::print_stdout)] // an example prints

use std::error::Error;
use std::path::Path;

use oled::{Confusion, Evaluation, Learner, Recogniser, Replay, Source, Symbol, Task, Theory, parse_theory};
use oled_data::homes::{Homes, HomesOptions};
use oled_data::task_folder::TaskFolder;

/// Unseen days are those of the seed that is so much larger.
const UNSEEN: u64 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some((learner, [seeds, overrides @ ..])) = args.split_first().map(|(l, rest)| (l.as_str(), rest)) else {
        return Err("arguments: replay SEEDS [NAME=VALUE …]".into());
    };
    if learner != "replay" {
        return Err(format!("no learner `{learner}`: the thresholds of homes are open, which `replay` takes").into());
    }
    let (mut options, mut show, mut settings) = (HomesOptions::default(), false, Vec::new());
    for (name, value) in overrides.iter().filter_map(|o| o.split_once('=')) {
        match name {
            "days" => options.days = value.parse()?,
            "homes" => options.homes = value.parse()?,
            "noise" => options = options.with_noise(value.parse()?),
            "show" => show = value != "0",
            _ => settings.push((name.to_string(), value.to_string())),
        }
    }
    let (first, last) = seeds.split_once('-').unwrap_or(("1", seeds));
    let folder = TaskFolder::homes();
    let truth = folder.theory(Path::new("true"))?;
    let truth = parse_theory(&truth.name, &truth.text)?;
    let judge = without_heads(&folder);
    let mut targets: Vec<&str> =
        folder.task.labels().iter().filter_map(|l| l.inner_name()).map(Symbol::as_str).collect();
    targets.push("all");
    let mut differences = vec![Vec::new(); targets.len()];
    for seed in first.parse::<u64>()?..=last.parse()? {
        let homes = |seed| Homes::new(HomesOptions { seed, ..options });
        let mut learner = Replay::new(&folder.task, folder.replay_settings(&settings)?)?.with_threads(2);
        homes(seed).for_each(|frame| learner.observe(&frame, &mut ()));
        let theory = learner.learned(&mut ()).theory();
        if show {
            println!("{theory}");
        }
        let seen = test(&folder.task, &theory, homes(seed))?;
        let unseen = test(&folder.task, &theory, homes(seed + UNSEEN))?;
        let known = test(&judge, &truth, homes(seed + UNSEEN))?;
        println!("seed {seed}: {} rules, {} literals", theory.clauses.len(), theory.literals());
        println!("{:<12} {:>8} {:>8} {:>8}", "F1", "training", "unseen", "true");
        for (i, target) in targets.iter().enumerate() {
            println!("{target:<12} {:>8.3} {:>8.3} {:>8.3}", seen[i], unseen[i], known[i]);
            differences[i].push(unseen[i] - known[i]);
        }
    }
    println!("learned minus true, on unseen days:");
    for (target, of) in targets.iter().zip(&differences) {
        let worst = of.iter().copied().fold(f64::INFINITY, f64::min);
        println!("{target:<12} mean {:>+7.3}, worst {worst:>+7.3}", of.iter().sum::<f64>() / of.len().max(1) as f64);
    }
    Ok(())
}

/// The task without heads of rules, so that the true rules may say at once what holds.
fn without_heads(folder: &TaskFolder) -> Task {
    let [modes, background] = folder.texts() else { return folder.task.clone() };
    let lines: Vec<&str> = modes.text.lines().filter(|line| !line.starts_with("modeh")).collect();
    Task::read(&Source::new("modes.lp", lines.join("\n")), background).0
}

/// The F1 of each fluent, in the order of the declarations, and of all together.
fn test(task: &Task, theory: &Theory, homes: Homes) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut recogniser = Recogniser::new(task, theory)?;
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in homes {
        recogniser.observe(&frame, &mut Vec::new());
        evaluation.count(&recogniser, &frame);
    }
    Ok(evaluation.by_fluent().values().chain([&evaluation.total()]).map(Confusion::f1).collect())
}
