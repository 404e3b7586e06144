//! The record: learning in small worlds scores as `record/scores.toml` says, and costs more with more data as
//! `record/ratios.toml` says, within tolerances.
//!
//! `OLED_UPDATE_RECORD=2026-11-16 cargo test -p oled-data --test record` writes what was scored into the file, with this date
//! for what has changed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use oled::{
    Confusion, Evaluation, FactReader, Frame, Learner, Recogniser, Replay, ReplaySettings, Source, Symbol, Task,
};
use oled_data::homes::{Homes, HomesOptions};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use serde::Deserialize;

/// What is recorded, and is to be scored again.
#[derive(Debug, Deserialize)]
struct Record {
    score: Vec<Score>,
}

#[derive(Clone, Debug, Deserialize)]
struct Score {
    name: String,
    command: String,
    value: f64,
    tolerance: f64,
    date: String,
}

/// A file of the record: its name, what stands above it, and what its values are.
struct File {
    name: &'static str,
    header: &'static str,
    value: &'static str,
}

const SCORES: File = File {
    name: "scores.toml",
    header: "# What learning scores on unseen data; record/README.md says what this is.\n",
    value: "F1",
};

const RATIOS: File = File {
    name: "ratios.toml",
    header: "# How much more there is to look at with four times the data; record/README.md says what this is.\n",
    value: "ratio",
};

impl File {
    fn path(&self) -> PathBuf {
        Path::new("../../record").join(self.name)
    }
}

/// Two scores are different if they are further apart, where nothing else is recorded: what a change of a threshold brings.
const TOLERANCE: f64 = 0.03;

const COMMAND: &str = "cargo test -p oled-data --test record";

/// What a learner makes of a stream, tested on another: the name and the F1 of each fluent.
fn learned(world: &str, task: &Task, seen: &[Frame], unseen: &[Frame]) -> Vec<(String, f64)> {
    let mut learner = Replay::new(task, ReplaySettings::default()).unwrap();
    seen.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let mut recogniser = Recogniser::new(task, &learner.learned(&mut ()).theory()).unwrap();
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in unseen {
        recogniser.observe(frame, &mut Vec::new());
        evaluation.count(&recogniser, frame);
    }
    let named = |(fluent, counts): (_, &Confusion)| (format!("{world}: {fluent}"), counts.f1());
    let counts = evaluation.by_fluent();
    counts.iter().map(named).collect()
}

/// A task that is only about some fluents: the others are neither labelled nor learned.
fn about(folder: &TaskFolder, fluents: &[&str]) -> Task {
    let [modes, background] = folder.texts() else { panic!("a task has two texts") };
    let named = |line: &str| fluents.iter().any(|fluent| line.contains(&format!("({fluent}(")));
    let kept = |line: &&str| !(line.starts_with("modeh(") || line.starts_with("example(")) || named(line);
    let lines: Vec<&str> = modes.text.lines().filter(kept).collect();
    let (task, problems) = Task::read(&Source::new("modes.lp", lines.join("\n")), background);
    assert!(problems.is_empty(), "{problems:?}");
    task
}

/// Everything that is scored, in seconds.
fn scored() -> Vec<(String, f64)> {
    let lobby = |seed| {
        let options = WorldOptions { seed, people: 5, frames: 250, segments: 5, ..WorldOptions::default() };
        World::new(options).collect::<Vec<_>>()
    };
    let homes = |seed| Homes::new(HomesOptions { seed, days: 4, ..HomesOptions::default() }).collect::<Vec<_>>();
    let mut all =
        learned("lobby", &about(&TaskFolder::lobby_listed(), &["meeting", "moving"]), &lobby(1), &lobby(1001));
    let task = about(&TaskFolder::homes(), &["cooking", "snack", "toileting"]);
    all.extend(learned("homes", &task, &homes(1), &homes(1001)));
    all
}

/// Pairs of people of which each is near one other for a while, in a few segments.
fn pairs(people: usize, segments: usize) -> Vec<Frame> {
    let mut frames = Vec::new();
    for segment in 0..segments {
        for time in 0..12 {
            let mut frame = Frame::new(Symbol::new(&format!("s{segment}")), time);
            for person in 0..people {
                FactReader::default().read(&format!("seen(p{person}, {time})"), &mut frame.narrative).unwrap();
            }
            for person in (0..people).step_by(2) {
                let (a, b) = (format!("p{person}"), format!("p{}", person + 1));
                // Not all at the same times, so that there is something to be found out.
                let near = |time: i64| (person as i64 % 3 + 2..9).contains(&time);
                if near(time) {
                    FactReader::default().read(&format!("near({a}, {b}, {time})"), &mut frame.narrative).unwrap();
                }
                if near(time - 1) {
                    let label = format!("holdsAt(meet({a}, {b}), {time})");
                    FactReader::default().read(&label, &mut frame.annotation).unwrap();
                }
            }
            frames.push(frame);
        }
    }
    frames
}

/// How many runs a search looks at, and how many those without a part of the segments do.
fn looked_at(task: &Task, frames: &[Frame]) -> (f64, f64) {
    let mut learner = Replay::new(task, ReplaySettings::default()).unwrap();
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ());
    let counts = learned.fits.iter().filter_map(|fit| fit.looked_at);
    counts.fold((0.0, 0.0), |all, (search, folds)| (all.0 + search as f64, all.1 + folds as f64))
}

/// What four times the data costs, and folds.
fn ratios() -> Vec<(String, f64)> {
    let modes = "input(seen(+p, +time)). input(near(+p, +p, +time)). example(holdsAt(meet(+p, +p), +time)).
        modeh(initiatedAt(meet(+p, +p), +time)). modeh(terminatedAt(meet(+p, +p), +time)).
        modeb(near(+p, +p, +time)). modeb(not near(+p, +p, +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let ratio = |few: Vec<Frame>, many: Vec<Frame>| looked_at(&task, &many).0 / looked_at(&task, &few).0;
    let lobby = |segments| {
        let options = WorldOptions { people: 5, frames: 150, segments, ..WorldOptions::default() };
        World::new(options).collect::<Vec<_>>()
    };
    let meeting = about(&TaskFolder::lobby_listed(), &["meeting"]);
    let [few, many] = [3, 12].map(|segments| looked_at(&meeting, &lobby(segments)));
    vec![
        ("pairs: four times the people".to_string(), ratio(pairs(20, 6), pairs(80, 6))),
        ("pairs: four times the segments".to_string(), ratio(pairs(6, 20), pairs(6, 80))),
        ("lobby: four times the segments".to_string(), many.0 / few.0),
        ("lobby: folds to search".to_string(), many.1 / many.0),
    ]
}

#[test]
fn learning_scores_as_it_is_recorded() {
    is_as_recorded(&SCORES, &scored());
}

#[test]
fn learning_costs_what_is_recorded() {
    is_as_recorded(&RATIOS, &ratios());
}

fn is_as_recorded(file: &File, scored: &[(String, f64)]) {
    let text = std::fs::read_to_string(file.path()).unwrap_or_default();
    let recorded: Vec<Score> = toml::from_str::<Record>(&text).map_or_else(|_| Vec::new(), |record| record.score);
    if let Ok(date) = std::env::var("OLED_UPDATE_RECORD") {
        std::fs::write(file.path(), rewritten(file, scored, &recorded, &date)).unwrap();
        return;
    }
    let names: Vec<&String> = scored.iter().map(|(name, _)| name).collect();
    assert_eq!(names, recorded.iter().map(|r| &r.name).collect::<Vec<_>>(), "another score is recorded");
    let wrong: Vec<String> = scored
        .iter()
        .zip(&recorded)
        .filter(|((_, value), recorded)| (value - recorded.value).abs() > recorded.tolerance)
        .map(|((name, value), Score { value: was, tolerance, date, .. })| {
            format!("{name}: {} {value:.3}, but {was:.3} ± {tolerance} on {date}", file.value)
        })
        .collect();
    assert!(wrong.is_empty(), "{}\nif it is better, or meant, record it as record/README.md says", wrong.join("\n"));
}

/// The file with these scores. What is as it was keeps its date.
fn rewritten(file: &File, scored: &[(String, f64)], recorded: &[Score], date: &str) -> String {
    let mut text = String::from(file.header);
    for (name, value) in scored {
        let value = (value * 1000.0).round() / 1000.0;
        let before = recorded.iter().find(|r| r.name == *name);
        let tolerance = before.map_or(TOLERANCE, |r| r.tolerance);
        let date = before.filter(|r| r.value == value).map_or(date, |r| &r.date);
        let command = before.map_or(COMMAND, |r| &r.command);
        let _ = write!(
            text,
            "\n[[score]]\nname = \"{name}\"\ncommand = \"{command}\"\nvalue = {value:?}\ntolerance = {tolerance:?}\n\
             date = \"{date}\"\n"
        );
    }
    text
}
