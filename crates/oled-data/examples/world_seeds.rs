//! Learning on simulated worlds, tested on other ones, beside the rules that made them.
//!
//! `cargo run --release -p oled-data --example world_seeds -- replay|PRESET SEEDS NOISE [NAME=VALUE …]`: by replay, or by the
//! paper's learner with a preset; seeds as `20` or `7-9`. `show=1` prints the theories, `segments=30` makes longer streams to
//! learn from. `scale=7 shift=1000` learns once more from the same worlds as another camera sees them, and compares: rules
//! should be the same up to their numbers, and as good.

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
    // `20` is 1 to 20, `7-9` is 7 to 9.
    let (first, last) = seeds.split_once('-').unwrap_or(("1", seeds));
    // Noise is the share of wrong movements and of wrong labels.
    let usual = WorldOptions::default();
    let noisy = WorldOptions { event_noise: noise, label_noise: noise, ..usual };
    let mut options = if noise == 0.0 { usual.without_noise() } else { noisy };
    let (mut scale, mut shift, mut show, mut settings) = (1, 0, false, Vec::new());
    for (name, value) in overrides.iter().filter_map(|o| o.split_once('=')) {
        match name {
            "segments" => options.segments = value.parse()?,
            "scale" => scale = value.parse()?,
            "shift" => shift = value.parse()?,
            "show" => show = true,
            _ => settings.push((name.to_string(), value.to_string())),
        }
    }
    let folder = if preset == "replay" { TaskFolder::embedded() } else { TaskFolder::lobby_listed() };
    let truth = folder.theory(Path::new("true"))?;
    let truth = parse_theory(&truth.name, &truth.text)?;
    let student = Student { folder: &folder, preset, settings, truth: show.then_some(&truth) };
    let mut targets: Vec<&str> =
        folder.task.labels().iter().filter_map(|l| l.inner_name()).map(Symbol::as_str).collect();
    targets.push("all");
    let (mut learned, mut known, mut views) = (Vec::new(), Vec::new(), Vec::new());
    for seed in first.parse::<u64>()?..=last.parse()? {
        let (seen, unseen) = (WorldOptions { seed, ..options }, WorldOptions { seed: seed + 1000, ..options });
        let theory = student.learn(seen)?;
        let own = test(&folder.task, &theory, unseen)?;
        let best = test(&folder.task, &truth, unseen)?;
        let (rules, literals) = (theory.clauses.len(), theory.literals());
        println!("seed {seed}: {rules} rules, {literals} literals, F1 {own:.3?}, of the true rules {best:.3?}");
        if (scale, shift) != (1, 0) {
            let other = student.learn(WorldOptions { scale, shift, ..seen })?;
            let scores = test(&folder.task, &other, WorldOptions { scale, shift, ..unseen })?;
            let difference = own.iter().zip(&scores).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let same = without_numbers(&theory) == without_numbers(&other);
            let rules = if same { "the same rules up to numbers" } else { "other rules" };
            println!(
                "  scaled by {scale}, shifted by {shift}: {rules}, F1 {scores:.3?}, {difference:.4} apart at most"
            );
            views.push((difference, same));
        }
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
    if !views.is_empty() {
        let largest = views.iter().map(|v| v.0).fold(0.0, f64::max);
        let same = views.iter().filter(|v| v.1).count();
        println!(
            "scaled by {scale}, shifted by {shift}: F1 {largest:.4} apart at most, the same rules for {same} of {} seeds",
            views.len()
        );
    }
    Ok(())
}

/// Who learns, and from what.
struct Student<'a> {
    folder: &'a TaskFolder,
    preset: &'a str,
    settings: Vec<(String, String)>,
    /// If theories are shown: the rules that they are shown beside.
    truth: Option<&'a Theory>,
}

impl Student<'_> {
    fn learn(&self, options: WorldOptions) -> Result<Theory, Box<dyn Error>> {
        let theory = if self.preset == "replay" { self.replay(options)? } else { self.algorithm_1(options)? };
        if self.truth.is_some() {
            println!("{theory}");
        }
        Ok(theory)
    }

    fn replay(&self, options: WorldOptions) -> Result<Theory, Box<dyn Error>> {
        let mut settings = ReplaySettings::default();
        self.settings.iter().try_for_each(|(name, value)| settings.set(name, value))?;
        let mut learner = Replay::new(&self.folder.task, settings)?.with_threads(2);
        World::new(options).for_each(|frame| learner.observe(&frame, &mut ()));
        let theory = learner.learned(&mut ()).theory();
        if let Some(truth) = self.truth {
            // Where the true rules fit better what was learned from, the search is at fault, else what it is after.
            for (own, other) in learner.replay(&theory)?.iter().zip(learner.replay(truth)?) {
                let (f1, best) = (own.1.f1(), other.1.f1());
                println!("{}: F1 {f1:.4} on what was learned from, true rules {best:.4}", own.0);
            }
        }
        Ok(theory)
    }

    fn algorithm_1(&self, options: WorldOptions) -> Result<Theory, Box<dyn Error>> {
        let of = |target: Symbol| self.folder.settings(self.preset, target.as_str(), &self.settings);
        let mut learner = Oled::new(&self.folder.task, |target| of(target).unwrap_or_default())?;
        World::new(options).for_each(|frame| learner.observe(&frame, &mut ()));
        Ok(learner.learned(&mut ()).theory())
    }
}

/// Rules as text, each number written as `#`: a number is a word of its own, behind a space.
fn without_numbers(theory: &Theory) -> Vec<String> {
    let plain = |text: String| {
        let mut words: Vec<String> = text.split(' ').map(String::from).collect();
        for word in &mut words {
            let number = word.trim_end_matches([',', ')', '.']);
            if number.parse::<f64>().is_ok() {
                *word = format!("#{}", &word[number.len()..]);
            }
        }
        words.join(" ")
    };
    let mut rules: Vec<String> = theory.clauses.iter().map(|clause| plain(clause.to_string())).collect();
    rules.sort();
    rules
}

/// The F1 of each fluent, in the order of the declarations, and of all together.
fn test(task: &Task, theory: &Theory, options: WorldOptions) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut recogniser = Recogniser::new(task, theory)?;
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in World::new(options) {
        recogniser.observe(&frame, &mut Vec::new());
        evaluation.count(&recogniser, &frame);
    }
    Ok(evaluation.by_fluent().values().chain([&evaluation.total()]).map(Confusion::f1).collect())
}
