//! `oled bench`: what recognition costs, as ratios to parsing the same bytes in the same run.

use std::hint::black_box;
use std::io::{Cursor, Write};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use oled::learn::Interpretation;
use oled::{
    Frame, Learner, Oled, Problems, Recogniser, Replay, ReplaySettings, Settings, Symbol, Theory, parse_theory,
};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_data::{DataError, Format, FrameWriter, Frames, ReadAhead, ReadOptions, open};
use serde_json::json;

use crate::Outcome;
use crate::args::BenchArgs;
use crate::progress::say;

pub(crate) fn run(args: &BenchArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let Case { name, task, listed, theory, frames } = match &args.data {
        Some(directory) => caviar(directory)?,
        None => simulated()?,
    };
    let (open, task) = (task.task, listed.task);
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
    let new = || Oled::new(&task, |_| Settings::default());
    let mut best = Times::default();
    // All measurements alternate, so that a noisy moment hits all of them.
    for _ in 0..args.runs.max(1) {
        best.parse.time(|| {
            let mut seen = 0;
            for frame in read(&bytes)? {
                seen += frame?.narrative.len();
            }
            assert!(seen <= facts, "the same bytes give the same facts");
            Ok(())
        })?;
        let mut intervals = Vec::new();
        best.recognise.time(|| {
            let mut recogniser = Recogniser::new(&task, &theory)?;
            for frame in read(&bytes)? {
                recogniser.observe(&frame?, &mut intervals);
            }
            recogniser.finish(&mut intervals);
            Ok(())
        })?;
        best.intervals = intervals.len();
        best.learn.time(|| learn(new()?, read(&bytes)?))?;
        best.threaded.time(|| learn(new()?.with_threads(2), ReadAhead::new(read(&bytes)?)))?;
    }
    let counting = counting(&new, &bytes, args.runs)?;
    let replay = replay(&|| Replay::new(&open, ReplaySettings::default()), &bytes, args.runs)?;
    let (parse, recognise, learn, threaded) = (best.parse.0, best.recognise.0, best.learn.0, best.threaded.0);
    let report = json!({
        "data": name,
        "frames": count,
        "facts": facts,
        "bytes": bytes.len(),
        "intervals": best.intervals,
        "parse_seconds": parse,
        "parse_mb_per_second": bytes.len() as f64 / 1e6 / parse,
        "recognise_seconds": recognise,
        "recognise_frames_per_second": count as f64 / recognise,
        "recognise_to_parse": recognise / parse,
        "interpretations": counting.interpretations,
        "learn_seconds": learn,
        "learn_interpretations_per_second": counting.interpretations as f64 / learn,
        "learn_to_parse": learn / parse,
        "learn_with_threads_to_parse": threaded / parse,
        "model_seconds": counting.model,
        "ledger_seconds": counting.ledger,
        "masks_seconds": counting.masks,
        "masks_to_ledger": counting.masks / counting.ledger,
        "naive_seconds": counting.naive,
        "naive_to_ledger": counting.naive / counting.ledger,
        "replay_pass_seconds": replay.pass,
        "replay_pass_to_parse": replay.pass / parse,
        "replay_search_seconds": replay.search,
        "replay_again_seconds": replay.again,
        "replay_again_to_search": replay.again / replay.search,
        "replay_runs": replay.runs,
        "replay_bytes": replay.bytes,
    });
    let mut out = std::io::stdout().lock();
    if args.json {
        writeln!(out, "{report}")?;
    } else {
        writeln!(out, "parsing               {:>9.1} ms  {:>7.0} MB/s", parse * 1e3, bytes.len() as f64 / 1e6 / parse)?;
        writeln!(out, "parsing, recognising  {:>9.1} ms  {:>7.0} frames/s", recognise * 1e3, count as f64 / recognise)?;
        writeln!(out, "  to parsing          {:>9.2}", recognise / parse)?;
        let per_second = counting.interpretations as f64 / learn;
        writeln!(out, "parsing, learning     {:>9.1} ms  {per_second:>7.0} interpretations/s", learn * 1e3)?;
        writeln!(out, "  to parsing          {:>9.2}", learn / parse)?;
        writeln!(out, "  with two threads    {:>9.2}", threaded / parse)?;
        // What is true is found in the same way for all three.
        writeln!(out, "counting by ledgers   {:>9.1} ms, with making masks and all decisions", counting.ledger * 1e3)?;
        for (name, seconds) in [("masks, one by one", counting.masks), ("literals looked up", counting.naive)] {
            writeln!(out, "  {name:<19} {:>9.1} ms, {:.0} times as much", seconds * 1e3, seconds / counting.ledger)?;
        }
        let size = format!("{} runs in {:.0} kB", replay.runs, replay.bytes as f64 / 1e3);
        writeln!(out, "parsing, replay's pass{:>9.1} ms, {size}", replay.pass * 1e3)?;
        writeln!(out, "  to parsing          {:>9.2}", replay.pass / parse)?;
        writeln!(out, "  search, one thread  {:>9.1} ms", replay.search * 1e3)?;
        let share = 100.0 * replay.again / replay.search;
        writeln!(out, "  again, a tenth more {:>9.1} ms, {share:.0}% of that", replay.again * 1e3)?;
    }
    Ok(Outcome::Done)
}

#[derive(Default)]
struct Times {
    parse: Fastest,
    recognise: Fastest,
    intervals: usize,
    /// From bytes to rules, on one thread and on two.
    learn: Fastest,
    threaded: Fastest,
}

/// The seconds that the fastest run took.
struct Fastest(f64);

impl Default for Fastest {
    fn default() -> Fastest {
        Fastest(f64::MAX)
    }
}

impl Fastest {
    fn time(&mut self, run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<()> {
        let start = Instant::now();
        run()?;
        self.0 = self.0.min(start.elapsed().as_secs_f64());
        Ok(())
    }
}

fn learn(mut learner: Oled, frames: impl Iterator<Item = Result<Frame, DataError>>) -> anyhow::Result<()> {
    for frame in frames {
        learner.observe(&frame?, &mut ());
    }
    learner.flush(&mut ());
    black_box(learner.learned());
    Ok(())
}

/// What it takes to count how often every candidate was right.
struct Counting {
    interpretations: usize,
    /// Finding out what is true at each time point, which all ways of counting need.
    model: f64,
    /// From there: making masks, counting by ledgers, and all decisions;
    ledger: f64,
    /// making masks, and testing every candidate on every instance by them;
    masks: f64,
    /// testing every candidate on every instance by looking its literals up, one after the other.
    naive: f64,
}

fn counting(
    new: &impl Fn() -> Result<Oled, Problems>,
    bytes: &std::sync::Arc<[u8]>,
    runs: usize,
) -> anyhow::Result<Counting> {
    let frames: Vec<Frame> = read(bytes)?.collect::<Result<_, _>>()?;
    let [mut model, mut covered, mut counted] = [(); 3].map(|()| Fastest::default());
    let mut interpretations = Vec::new();
    for _ in 0..runs.max(1) {
        let mut learner = new()?;
        model.time(|| {
            frames.iter().for_each(|f| learner.cover().derive(f));
            Ok(())
        })?;
        covered.time(|| {
            interpretations = frames.iter().filter_map(|f| learner.cover().observe(f)).collect();
            Ok(())
        })?;
        let mut processes = learner.processes().to_vec();
        counted.time(|| {
            interpretations.iter().for_each(|i| processes.iter_mut().for_each(|p| p.learn(i)));
            Ok(())
        })?;
    }
    let making = covered.0 - model.0;
    let (masks, naive) = one_by_one(new()?, &frames, &interpretations);
    Ok(Counting {
        interpretations: interpretations.len(),
        model: model.0,
        ledger: making + counted.0,
        masks: making + masks,
        naive,
    })
}

/// What takes long is measured on one of so many interpretations, and multiplied.
const SAMPLE: usize = 20;

/// The same candidates on the same interpretations without ledgers: by masks, and by looking literals up.
fn one_by_one(mut learner: Oled, frames: &[Frame], interpretations: &[Interpretation]) -> (f64, f64) {
    let mut processes = learner.processes().to_vec();
    let mut lookup = learner.cover().lookup();
    let (mut masks, mut naive) = (0.0, 0.0);
    let mut frames = frames.iter();
    for (number, interpretation) in interpretations.iter().enumerate() {
        // All frames are observed, since conditions may look back at any of them.
        let mut observed = frames.by_ref().inspect(|f| lookup.observe(f));
        let found = observed.any(|f| (f.segment, f.time) == (interpretation.segment, interpretation.time));
        if found && number % SAMPLE == 0 {
            let start = Instant::now();
            let by_masks: u64 = processes.iter().map(|p| p.count_one_by_one(interpretation)).sum();
            masks += start.elapsed().as_secs_f64();
            let start = Instant::now();
            let mut by_lookup = 0u64;
            for process in &processes {
                let group = process.group();
                process.for_each_candidate(|body| {
                    for instance in 0..lookup.instances(group) {
                        by_lookup += u64::from(lookup.fires(group, instance, body));
                    }
                });
            }
            naive += start.elapsed().as_secs_f64();
            assert_eq!(by_masks, by_lookup, "both count the same");
        }
        processes.iter_mut().for_each(|p| p.learn(interpretation));
    }
    (masks * SAMPLE as f64, naive * SAMPLE as f64)
}

/// What learning by replay takes.
struct Replayed {
    /// From bytes to the record.
    pass: f64,
    /// The search from nothing, on one thread.
    search: f64,
    /// The search after a tenth of the segments more.
    again: f64,
    runs: usize,
    bytes: usize,
}

fn replay(
    new: &impl Fn() -> Result<Replay, Problems>,
    bytes: &std::sync::Arc<[u8]>,
    runs: usize,
) -> anyhow::Result<Replayed> {
    let [mut pass, mut search, mut again] = [(); 3].map(|()| Fastest::default());
    let frames: Vec<Frame> = read(bytes)?.collect::<Result<_, _>>()?;
    let mut segments: Vec<Symbol> = frames.iter().map(|f| f.segment).collect();
    segments.dedup();
    let later = &segments[segments.len() - segments.len().div_ceil(10)..];
    let (mut size, mut memory) = (0, 0);
    for _ in 0..runs.max(1) {
        let mut learner = new()?;
        pass.time(|| {
            for frame in read(bytes)? {
                learner.observe(&frame?, &mut ());
            }
            Ok(())
        })?;
        (size, memory) = (learner.record().runs(), learner.record().bytes());
        search.time(|| {
            learner.search_again();
            Ok(())
        })?;
        let mut learner = new()?;
        let (most, rest): (Vec<&Frame>, Vec<&Frame>) = frames.iter().partition(|f| !later.contains(&f.segment));
        most.iter().for_each(|f| learner.observe(f, &mut ()));
        learner.search_again();
        rest.iter().for_each(|f| learner.observe(f, &mut ()));
        again.time(|| {
            learner.search_again();
            Ok(())
        })?;
    }
    Ok(Replayed { pass: pass.0, search: search.0, again: again.0, runs: size, bytes: memory })
}

/// What is measured on.
struct Case {
    name: &'static str,
    task: TaskFolder,
    /// The same with listed thresholds, for the learner that needs them, and for rules by hand.
    listed: TaskFolder,
    theory: Theory,
    frames: Vec<Frame>,
}

impl Case {
    fn new(name: &'static str, task: TaskFolder, frames: Vec<Frame>) -> anyhow::Result<Case> {
        let listed = TaskFolder::named(&format!("{}-listed", task.name)).unwrap_or_else(|| task.clone());
        let hand = listed.theory(Path::new("hand"))?;
        Ok(Case { name, task, theory: parse_theory(&hand.name, &hand.text)?, listed, frames })
    }
}

fn caviar(directory: &Path) -> anyhow::Result<Case> {
    let options = ReadOptions { format: Some(Format::Caviar), ..ReadOptions::default() };
    let frames = open(directory, &options)?.collect::<Result<_, _>>().context("cannot read the CAVIAR data")?;
    Case::new("CAVIAR", TaskFolder::caviar(), frames)
}

fn simulated() -> anyhow::Result<Case> {
    let frames = World::new(WorldOptions::default()).collect();
    Case::new("simulated lobby", TaskFolder::embedded(), frames)
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
