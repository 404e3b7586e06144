//! The same bytes: what the program prints with one thread, with several, and as several processes.

use std::path::Path;
use std::process::Output;

use crate::processes::{Program, words};

/// A command, and how it is spread.
struct Job {
    args: Vec<String>,
    threads: bool,
    processes: bool,
    /// Whether processes read their pieces of it, too.
    shared: bool,
}

/// What is compared and differs.
#[derive(Default)]
struct Found {
    comparisons: u64,
    differences: Vec<String>,
}

/// Compares; tells how it goes, and in the end what was found. Returns whether all was the same.
pub(crate) fn run(program: &Program, streams: u64, data: Option<&Path>, mut tell: impl FnMut(String)) -> bool {
    let mut found = Found::default();
    let mixed = program.mixed_task("lobby").display().to_string();
    for seed in 0..streams {
        let before = found.comparisons;
        let [apart, together] = program.streams(seed, 6, 90).map(|path| path.display().to_string());
        for (task, input) in [("lobby", &apart), (mixed.as_str(), &together)] {
            for job in jobs(task, input) {
                found.compare(program, &job);
            }
        }
        for is_mixed in [false, true] {
            let (task, input) = program.machines(seed, [6, 120, 12], is_mixed);
            for text in
                ["recognise TASK --theory TASK/rules.lp --input STREAM", "learn TASK --no-refits --input STREAM"]
            {
                found.compare(program, &job(&text.replace("TASK", &task), &input, true, true));
            }
        }
        let listed = "learn lobby-listed --learner oled --input STREAM";
        found.compare(program, &job(listed, &apart, true, true));
        found.compare(program, &job("weigh lobby-listed --theory hand --input STREAM", &apart, true, false));
        let folds = "crossval lobby-listed --learner oled --folds 2 --orders 1 --no-times --input STREAM";
        found.compare(program, &job(folds, &apart, true, true));
        let (new, differ) = (found.comparisons - before, found.differences.len());
        tell(format!("stream {seed}: {new} comparisons; {differ} differences so far"));
    }
    if let Some(data) = data {
        let input = data.display().to_string();
        let before = found.comparisons;
        for text in [
            "recognise caviar-listed --theory hand --input STREAM",
            "recognise caviar-listed --theory hand --frames --format jsonl --input STREAM",
            "learn caviar --no-refits --input STREAM",
            "learn caviar-listed --learner oled --input STREAM",
            "crossval caviar-listed --learner oled --folds 2 --orders 1 --no-times --input STREAM",
        ] {
            found.compare(program, &job(text, &input, true, true));
        }
        found.compare(
            program,
            &job("evaluate caviar-listed --theory hand --by segment --input STREAM", &input, true, false),
        );
        found.compare(program, &job("weigh caviar-listed --theory hand --input STREAM", &input, true, false));
        tell(format!("CAVIAR: {} comparisons", found.comparisons - before));
    }
    found.differences.iter().for_each(|line| tell(line.clone()));
    tell(format!("{} comparisons, {} differences", found.comparisons, found.differences.len()));
    found.differences.is_empty() && found.comparisons > 0
}

fn job(text: &str, input: &str, threads: bool, processes: bool) -> Job {
    let args = words(text).into_iter().map(|word| if word == "STREAM" { input.into() } else { word });
    let args: Vec<String> = args.collect();
    // Folds are read as a whole, and a directory is no file.
    let shared = processes && Path::new(input).extension().is_some() && args[0] != "crossval";
    Job { args, threads, processes, shared }
}

fn jobs(task: &str, input: &str) -> Vec<Job> {
    [
        ("recognise TASK --theory true --input STREAM", true),
        ("recognise TASK --theory true --frames --format jsonl --input STREAM", true),
        ("learn TASK --no-refits --input STREAM", true),
        ("evaluate TASK --theory changed --by segment --intervals --input STREAM", false),
    ]
    .into_iter()
    .map(|(text, processes)| job(&text.replace("TASK", task), input, true, processes))
    .collect()
}

impl Found {
    fn compare(&mut self, program: &Program, job: &Job) {
        let with = |workers: usize| [&job.args[..], &words(&format!("--workers {workers}"))].concat();
        let plain = program.run(&with(1));
        assert!(matches!(plain.status.code(), Some(0 | 1)), "{:?}: {}", job.args, text(&plain));
        let threads = (2..=3).filter(|_| job.threads).map(|n| (format!("{n} threads"), program.run(&with(n))));
        let processes =
            (2..=3).filter(|_| job.processes).map(|n| (format!("{n} processes"), program.together(&job.args, n)));
        let shared = [&job.args[..], &words("--shared-input")].concat();
        let shared = (2..=3)
            .filter(|_| job.shared)
            .map(|n| (format!("{n} processes with pieces"), program.together(&shared, n)));
        for (how, output) in threads.chain(processes).chain(shared) {
            self.comparisons += 1;
            if text(&output) != text(&plain) {
                self.differences.push(format!("{}, {how}: {}", job.args.join(" "), first_difference(&plain, &output)));
            }
        }
    }
}

/// All that it printed, and how it ended.
fn text(output: &Output) -> String {
    let [printed, told] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{printed}\n---\n{told}\n---\n{:?}", output.status.code())
}

fn first_difference(a: &Output, b: &Output) -> String {
    let (a, b) = (text(a), text(b));
    let differ = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    differ.map_or_else(|| "one is longer".into(), |(a, b)| format!("`{a}` and `{b}`"))
}
