//! `oled bench`: what recognition costs, as ratios to parsing the same bytes in the same run.

use std::hint::black_box;
use std::io::{Cursor, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use oled::{Frame, Learner, Recogniser, Settings, Source, Task, Theory, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{self, World, WorldOptions};
use oled_data::{Format, FrameWriter, Frames, ReadAhead, ReadOptions, open};
use serde_json::json;

use crate::Outcome;
use crate::args::BenchArgs;
use crate::progress::say;

/// The rules of CAVIAR, so that the program needs no files but the data.
const CAVIAR: [&str; 3] = [
    include_str!("../../../tasks/caviar/modes.lp"),
    include_str!("../../../tasks/caviar/background.lp"),
    include_str!("../../../tasks/caviar/theories/hand.lp"),
];

pub(crate) fn run(args: &BenchArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let (name, task, theory, frames) = match &args.data {
        Some(directory) => caviar(directory)?,
        None => simulated()?,
    };
    let facts: usize = frames.iter().map(|f| f.narrative.len() + f.annotation.len()).sum();
    let count = frames.len();
    let bytes = to_jsonl(&frames)?;
    drop(frames);
    if !quiet {
        say(&format!(
            "{name}: {count} frames, {facts} facts, {:.1} MB of JSON Lines; fastest of {} runs",
            bytes.len() as f64 / 1e6,
            args.runs
        ));
    }
    let mut best = Times { parse: f64::MAX, recognise: f64::MAX, intervals: 0 };
    // Both measurements alternate, so that a noisy moment hits both.
    for _ in 0..args.runs.max(1) {
        let start = Instant::now();
        let mut seen = 0;
        for frame in read(&bytes)? {
            seen += frame?.narrative.len();
        }
        best.parse = best.parse.min(start.elapsed().as_secs_f64());
        assert!(seen <= facts, "the same bytes give the same facts");

        let start = Instant::now();
        let mut recogniser = Recogniser::new(&task, &theory)?;
        let mut intervals = Vec::new();
        for frame in read(&bytes)? {
            recogniser.observe(&frame?, &mut intervals);
        }
        recogniser.finish(&mut intervals);
        best.recognise = best.recognise.min(start.elapsed().as_secs_f64());
        best.intervals = intervals.len();
    }
    let learning = learning(&task, &bytes, args.runs)?;
    let report = json!({
        "data": name,
        "frames": count,
        "facts": facts,
        "bytes": bytes.len(),
        "intervals": best.intervals,
        "parse_seconds": best.parse,
        "parse_mb_per_second": bytes.len() as f64 / 1e6 / best.parse,
        "recognise_seconds": best.recognise,
        "recognise_frames_per_second": count as f64 / best.recognise,
        "recognise_to_parse": best.recognise / best.parse,
        "interpretations": learning.interpretations,
        "learn_seconds": learning.whole,
        "learn_interpretations_per_second": learning.interpretations as f64 / learning.whole,
        "learn_to_parse": learning.whole / best.parse,
        "learn_with_threads_to_parse": learning.threaded / best.parse,
        "decide_seconds": learning.ledger,
        "naive_seconds": learning.naive,
        "naive_to_ledger": learning.naive / learning.ledger,
    });
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{report}")?;
    } else {
        writeln!(
            out,
            "parsing               {:>9.1} ms  {:>7.0} MB/s",
            best.parse * 1e3,
            bytes.len() as f64 / 1e6 / best.parse
        )?;
        writeln!(
            out,
            "parsing, recognising  {:>9.1} ms  {:>7.0} frames/s",
            best.recognise * 1e3,
            count as f64 / best.recognise
        )?;
        writeln!(out, "  to parsing          {:>9.2}", best.recognise / best.parse)?;
        let per_second = learning.interpretations as f64 / learning.whole;
        writeln!(out, "parsing, learning     {:>9.1} ms  {per_second:>7.0} interpretations/s", learning.whole * 1e3)?;
        writeln!(out, "  to parsing          {:>9.2}", learning.whole / best.parse)?;
        writeln!(out, "  with two threads    {:>9.2}", learning.threaded / best.parse)?;
        writeln!(out, "deciding, by ledgers  {:>9.1} ms", learning.ledger * 1e3)?;
        writeln!(
            out,
            "  one by one          {:>9.1} ms, {:.0} times as much",
            learning.naive * 1e3,
            learning.naive / learning.ledger
        )?;
    }
    Ok(Outcome::Done)
}

struct Times {
    parse: f64,
    recognise: f64,
    intervals: usize,
}

/// What learning takes.
struct Learning {
    interpretations: usize,
    /// From bytes to rules, on one thread and on two.
    whole: f64,
    threaded: f64,
    /// The processes alone: with ledgers, and testing every candidate on every instance.
    ledger: f64,
    naive: f64,
}

fn learning(task: &Task, bytes: &std::sync::Arc<[u8]>, runs: usize) -> anyhow::Result<Learning> {
    let new = || Learner::new(task, |_| Settings::default());
    let whole = |threads: usize| -> anyhow::Result<f64> {
        let mut best = f64::MAX;
        for _ in 0..runs.max(1) {
            let start = Instant::now();
            let mut learner = new()?.with_threads(threads);
            if threads == 1 {
                for frame in read(bytes)? {
                    learner.observe(&frame?, &mut ());
                }
            } else {
                for frame in ReadAhead::new(read(bytes)?) {
                    learner.observe(&frame?, &mut ());
                }
            }
            learner.flush(&mut ());
            black_box(learner.learned());
            best = best.min(start.elapsed().as_secs_f64());
        }
        Ok(best)
    };
    let (one, two) = (whole(1)?, whole(2)?);
    let mut learner = new()?;
    let mut interpretations = Vec::new();
    for frame in read(bytes)? {
        interpretations.extend(learner.cover().observe(&frame?));
    }
    let run = |naive: bool| {
        let start = Instant::now();
        for process in learner.processes() {
            let mut process = process.clone();
            for interpretation in &interpretations {
                if naive {
                    black_box(process.count_one_by_one(interpretation));
                }
                process.learn(interpretation);
            }
        }
        start.elapsed().as_secs_f64()
    };
    let ledger = (0..runs.max(1)).map(|_| run(false)).fold(f64::MAX, f64::min);
    // Once is enough for what takes so long; the decisions, which both need, are not part of it.
    let naive = run(true) - ledger;
    Ok(Learning { interpretations: interpretations.len(), whole: one, threaded: two, ledger, naive })
}

type Case = (&'static str, Task, Theory, Vec<Frame>);

fn caviar(directory: &Path) -> anyhow::Result<Case> {
    let [modes, background, theory] = CAVIAR;
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background))?;
    let options = ReadOptions { format: Some(Format::Caviar), ..ReadOptions::default() };
    let frames = open(directory, &options)?.collect::<Result<_, _>>().context("cannot read the CAVIAR data")?;
    Ok(("CAVIAR", task, parse_theory("hand.lp", theory)?, frames))
}

fn simulated() -> anyhow::Result<Case> {
    let frames = World::new(WorldOptions::default()).collect();
    Ok(("simulated lobby", TaskFolder::embedded().task, parse_theory("hand.lp", world::HAND_RULES)?, frames))
}

fn read(bytes: &std::sync::Arc<[u8]>) -> anyhow::Result<Frames> {
    let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
    Ok(Frames::from_reader("memory.jsonl", Cursor::new(bytes.clone()), &options)?)
}

fn to_jsonl(frames: &[Frame]) -> anyhow::Result<std::sync::Arc<[u8]>> {
    let mut bytes = Vec::new();
    let mut writer = FrameWriter::new(Format::Jsonl, &mut bytes)?;
    for frame in frames {
        writer.write(frame)?;
    }
    writer.finish()?;
    Ok(bytes.into())
}
