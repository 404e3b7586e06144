//! `oled bench`: what recognition costs, as ratios to parsing the same bytes in the same run.

use std::io::{Cursor, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use oled::{Frame, Recogniser, Source, Task, Theory, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{self, World, WorldOptions};
use oled_data::{Format, FrameWriter, Frames, ReadOptions, open};
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
        writeln!(out, "ratio                 {:>9.2}", best.recognise / best.parse)?;
    }
    Ok(Outcome::Done)
}

struct Times {
    parse: f64,
    recognise: f64,
    intervals: usize,
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
