//! Ten folds of CAVIAR, learned and tested, in the order of the protocol's file and in several random orders of the segments.
//!
//! `cargo run --release -p oled-data --example caviar_folds -- DIR PRESET ORDERS [NAME=VALUE …]`

#![allow(clippy::print_stdout)] // an example prints

use std::error::Error;
use std::path::{Path, PathBuf};

use oled::{Confusion, Evaluation, Learner, Recogniser, Settings, Symbol};
use oled_data::Protocol;
use oled_data::caviar::{Unit, Videos, load_protocol, load_videos, shuffle};
use oled_data::task_folder::TaskFolder;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [directory, preset, orders, overrides @ ..] = args.as_slice() else {
        return Err("arguments: DIR PRESET ORDERS [NAME=VALUE …]".into());
    };
    let directory = PathBuf::from(directory);
    let folder = TaskFolder::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks/caviar"))?;
    let overrides: Vec<(String, String)> =
        overrides.iter().filter_map(|o| o.split_once('=')).map(|(n, v)| (n.into(), v.into())).collect();
    let videos = load_videos(&directory)?;
    for protocol in [Protocol::Fragment, Protocol::Whole] {
        let units = load_protocol(&directory, protocol)?;
        let settings = |target: Symbol| {
            let mut settings = folder.settings(preset, target.as_str(), &overrides).unwrap_or_default();
            // The paper's one exception: d = 2 for meeting on the fragment.
            if preset != "sane" && protocol == Protocol::Fragment && target.as_str() == "meeting" {
                settings.depth = 2;
            }
            settings
        };
        let mut runs = Vec::new();
        for order in 0..=orders.parse::<u64>()? {
            runs.push(run(&folder, &units, &videos, order, &settings)?);
        }
        for (i, fluent) in ["moving", "meeting"].iter().enumerate() {
            let first = runs[0].0[i];
            let scores: Vec<f64> = runs[1..].iter().map(|r| r.0[i].f1()).collect();
            let mean = scores.iter().fold(0.0, |a, b| a + b) / scores.len().max(1) as f64;
            let spread = (scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / scores.len().max(1) as f64).sqrt();
            println!(
                "{preset} {protocol} {fluent}: file order {:.3}/{:.3}/{:.3}; {} orders F1 {mean:.3} ± {spread:.3}",
                first.precision(),
                first.recall(),
                first.f1(),
                scores.len()
            );
        }
        println!("{preset} {protocol}: {:.1} rules, {:.1} literals a fold", runs[0].1, runs[0].2);
    }
    Ok(())
}

/// Counts of moving and meeting over ten folds, and the mean numbers of rules and literals.
fn run(
    folder: &TaskFolder,
    units: &[Unit],
    videos: &Videos,
    order: u64,
    settings: &impl Fn(Symbol) -> Settings,
) -> Result<([Confusion; 2], f64, f64), Box<dyn Error>> {
    let mut evaluation = Evaluation::new(&folder.task.labels());
    let (mut rules, mut literals) = (0, 0);
    for fold in 0..10 {
        let mut train: Vec<&Unit> = units.iter().filter(|u| u.fold != fold).collect();
        // Number 0 is the order of the file.
        if order > 0 {
            shuffle(&mut train, order);
        }
        let mut learner = Learner::new(&folder.task, settings)?;
        for unit in train {
            unit.frames(videos)?.for_each(|frame| learner.observe(&frame, &mut ()));
        }
        learner.flush(&mut ());
        let theory = learner.learned().theory();
        rules += theory.clauses.len();
        literals += theory.literals();
        let mut recogniser = Recogniser::new(&folder.task, &theory)?;
        for unit in units.iter().filter(|u| u.fold == fold) {
            for frame in unit.frames(videos)? {
                recogniser.observe(&frame, &mut Vec::new());
                evaluation.count(&recogniser, &frame);
            }
        }
    }
    let counts = evaluation.by_fluent();
    let of = |name: &str| counts[&Symbol::new(name)];
    Ok(([of("moving"), of("meeting")], f64::from(rules as u32) / 10.0, f64::from(literals as u32) / 10.0))
}
