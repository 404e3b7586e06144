//! `oled bench`: what recognition and learning cost, as ratios to parsing the same bytes in the same run.

mod case;
mod counting;
mod paired;
mod passes;
#[cfg(feature = "cluster")]
mod processes;
mod scaling;
mod searches;
mod spread;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::memory::peak;
use crate::progress::say;
use case::Case;
use counting::Counting;
use paired::Pairs;
#[cfg(feature = "cluster")]
use paired::Quartiles;
use passes::Passes;
use scaling::Sized;
use searches::Searches;
use spread::{Gain, Spread};

#[derive(Debug, Args)]
pub(crate) struct BenchArgs {
    /// The CAVIAR data folder; without it the simulated world is measured.
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,

    /// How often each pair of measurements is repeated.
    #[arg(long, default_value_t = 7)]
    pub(crate) runs: usize,

    /// How often searches are repeated, which take longest: 0 leaves them out.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) searches: usize,

    /// Measure only what several workers bring, on the simulated lobby: two threads beside one, from frames and from bytes; one
    /// process of a cluster beside the plain program, two beside one, and the bytes that they exchange.
    #[arg(long, conflicts_with = "data")]
    pub(crate) workers: bool,

    /// Leave out the streams that are made in several sizes, to see how cost grows; with `--data` they are left out anyway.
    #[arg(long)]
    pub(crate) no_scaling: bool,

    /// How many entities, each near one other, there are in such a stream.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [200, 800])]
    pub(crate) entities: Vec<usize>,

    /// How many segments, of three time points, there are in such a stream.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [20_000, 80_000])]
    pub(crate) segments: Vec<usize>,

    /// How many entities there are in one frame of such a stream, no denser than in a small one.
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [1_000, 3_000, 10_000])]
    pub(crate) crowd: Vec<usize>,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: &BenchArgs, quiet: bool) -> anyhow::Result<Outcome> {
    if args.workers {
        return run_workers(args, quiet);
    }
    let case = Case::new(args.data.as_deref())?;
    if !quiet {
        let (stream, megabytes) = (&case.stream, case.stream.megabytes());
        say(&format!(
            "{}: {} frames, {} facts, {megabytes:.1} MB of JSON Lines",
            case.name, stream.frames, stream.facts
        ));
        say("ratios are medians of pairs that were measured in turn, with their quartiles");
    }
    let mut report = Report { json: args.json, fields: Map::new() };
    report.of_stream(&case);
    report.of_passes(&case, &Passes::measure(&case, args.runs)?)?;
    report.of_counting(&Counting::measure(&case, args.runs)?)?;
    if args.searches > 0 {
        report.of_searches(&Searches::measure(&case, args.searches)?)?;
    }
    if args.data.is_none() && !args.no_scaling {
        drop(case);
        let mut told = Ok(());
        let mut previous: Option<(&str, usize, [f64; 2])> = None;
        let all = scaling::measure(args, |sized| {
            let costs = [&sized.recognise, &sized.learn].map(|pairs| pairs.other().median);
            let before = previous.filter(|(kind, ..)| *kind == sized.kind);
            if told.is_ok() {
                told = report.of_size(sized, before.map(|(_, facts, seconds)| (facts, seconds)));
            }
            previous = Some((sized.kind, sized.facts, costs));
        })?;
        told?;
        report.fields.insert("scaling".into(), all.iter().map(as_json).collect());
    }
    report.finish()
}

/// What several workers and processes bring beside one, all measured in one run.
fn run_workers(args: &BenchArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let (frames, stream) = Spread::stream()?;
    if !quiet {
        say(&format!("simulated lobby: {} frames, {:.1} MB of JSON Lines", stream.frames, stream.megabytes()));
        say("ratios are medians of pairs that were measured in turn, with their quartiles");
    }
    let mut report = Report { json: args.json, fields: Map::new() };
    report.set("frames", stream.frames);
    report.set("bytes", stream.bytes.len());
    let spread = Spread::measure(&frames, &stream, args.runs)?;
    report.of_workers("frames", &spread.of_frames())?;
    report.of_workers("bytes", &spread.of_bytes())?;
    report.set("dealing_microseconds", spread.dealing());
    report.line(&format!("{:<36} {} us a frame", "dealing out to two workers", spread.dealing()))?;
    #[cfg(feature = "cluster")]
    report.of_processes(&processes::Processes::measure(&stream.bytes, stream.frames, args.runs)?)?;
    #[cfg(not(feature = "cluster"))]
    if !quiet {
        say("processes are left out: this program was built without the feature `cluster`");
    }
    report.finish()
}

/// What was found, as lines for people or as one object.
struct Report {
    json: bool,
    fields: Map<String, Value>,
}

impl Report {
    fn line(&self, text: &str) -> anyhow::Result<()> {
        if !self.json {
            writeln!(std::io::stdout().lock(), "{text}")?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.into(), value.into());
    }

    /// A ratio, with what it is about.
    fn ratio(&mut self, name: &str, text: &str, pairs: &Pairs) -> anyhow::Result<()> {
        self.set(name, pairs.ratio());
        self.line(&format!("{text:<36} {}", pairs.ratio()))
    }

    fn of_stream(&mut self, case: &Case) {
        self.set("data", case.name);
        self.set("frames", case.stream.frames);
        self.set("facts", case.stream.facts);
        self.set("bytes", case.stream.bytes.len());
    }

    fn of_passes(&mut self, case: &Case, passes: &Passes) -> anyhow::Result<()> {
        let (parse, recognise) = (passes.recognise.base().median, passes.recognise.other().median);
        let per_second = case.stream.megabytes() / parse;
        self.set("parse_seconds", parse);
        self.set("parse_mb_per_second", per_second);
        self.set("recognise_seconds", recognise);
        self.set("recognise_frames_per_second", case.stream.frames as f64 / recognise);
        self.set("intervals", passes.intervals);
        self.set("learn_seconds", passes.learn.other().median);
        self.set("replay_pass_seconds", passes.replay.other().median);
        self.line(&format!("{:<36} {:.1} ms, {per_second:.0} MB/s", "parsing", parse * 1e3))?;
        self.ratio("recognise_to_parse", "recognition to parsing", &passes.recognise)?;
        if let Some(weighing) = passes.weighing {
            self.set("weighing_seconds", weighing);
            self.ratio("confidence_to_recognise", "  with confidence to that", &passes.confident)?;
            self.line(&format!("{:<36} {:.1} ms", "weighing the rules, one thread", weighing * 1e3))?;
        }
        self.ratio("learn_to_parse", "Algorithm 1 to parsing", &passes.learn)?;
        self.ratio("learn_with_threads_to_parse", "  with two threads, on the wall", &passes.threaded)?;
        self.ratio("replay_pass_to_parse", "replay's pass to parsing", &passes.replay)
    }

    fn of_counting(&mut self, counting: &Counting) -> anyhow::Result<()> {
        let Counting { interpretations, model, ledger, masks, naive } = *counting;
        self.set("interpretations", interpretations);
        for (name, seconds) in [("model", model), ("ledger", ledger), ("masks", masks), ("naive", naive)] {
            self.set(&format!("{name}_seconds"), seconds);
        }
        self.set("masks_to_ledger", masks / ledger);
        self.set("naive_to_ledger", naive / ledger);
        // What is true is found in the same way for all three.
        self.line(&format!("{:<36} {:.1} ms, with all decisions", "counting by ledgers", ledger * 1e3))?;
        self.line(&format!("{:<36} {:.1}", "  by masks, one by one, to that", masks / ledger))?;
        self.line(&format!("{:<36} {:.1}", "  by literals looked up, to that", naive / ledger))
    }

    /// Two workers beside one, from frames in memory or from bytes.
    fn of_workers(&mut self, from: &str, gain: &Gain) -> anyhow::Result<()> {
        let Gain { wall, processor, alone } = gain;
        self.set(
            &format!("two_workers_from_{from}"),
            json!({ "speed_by_wall": Value::from(*wall), "processor": Value::from(*processor), "speed_on_two_cores": Value::from(*alone) }),
        );
        self.line(&format!("{:<36} {wall} as fast by the wall", format!("two workers to one, from {from}")))?;
        self.line(&format!("{:<36} {processor}", "  processor time of all threads"))?;
        self.line(&format!("{:<36} {alone} as fast", "  on two cores that nobody else uses"))
    }

    /// Processes beside the plain program, and beside one of them.
    #[cfg(feature = "cluster")]
    fn of_processes(&mut self, found: &processes::Processes) -> anyhow::Result<()> {
        for (name, text, both) in [
            ("one_process_to_plain", "one process of a cluster to none", &found.one_to_plain),
            ("two_processes_to_one", "two processes to one", &found.two_to_one),
            ("two_processes_to_one_in_pieces", "  where each reads its pieces", &found.two_to_one_shared),
        ] {
            let (wall, processor) = (both.wall.ratio(), both.processor.ratio());
            self.set(name, json!({ "wall": Value::from(wall), "processor": Value::from(processor) }));
            self.line(&format!("{text:<36} {wall} times as long by the wall"))?;
            self.line(&format!("{:<36} {processor}", "  processor time of all processes"))?;
        }
        for (name, text, bytes) in [
            ("bytes_a_frame", "bytes exchanged a frame", found.bytes()[0]),
            ("bytes_a_frame_in_pieces", "  where each reads its pieces", found.bytes()[1]),
        ] {
            self.set(name, bytes);
            let Quartiles { low, median, high } = bytes;
            self.line(&format!("{text:<36} {median:.0} ({low:.0} to {high:.0})"))?;
        }
        Ok(())
    }

    fn of_searches(&mut self, searches: &Searches) -> anyhow::Result<()> {
        let search = searches.again.base();
        self.set("replay_runs", searches.runs);
        self.set("replay_bytes", searches.bytes);
        self.set("replay_search_seconds", search.median);
        self.set("replay_again_seconds", searches.again.other().median);
        let (runs, kilobytes) = (searches.runs, searches.bytes as f64 / 1e3);
        self.line(&format!("{:<36} {runs} runs in {kilobytes:.0} kB", "replay's record"))?;
        self.line(&format!("{:<36} {:.1} ms", "search on all data, one thread", search.median * 1e3))?;
        let again = searches.again.other().median * 1e3;
        self.line(&format!("{:<36} {again:.1} ms", "search after a tenth more"))?;
        self.ratio("replay_again_to_search", "  to the search on all", &searches.again)
    }

    /// A size beside the one before it: its facts, and the seconds of recognition and of learning.
    fn of_size(&self, sized: &Sized, before: Option<(usize, [f64; 2])>) -> anyhow::Result<()> {
        let Sized { kind, size, facts, recognise, learn, left_out, peak } = sized;
        let told = memory(*peak).map_or(String::new(), |peak| format!(", peak so far {peak}"));
        self.line(&format!("{size} {kind}: {facts} facts{told}"))?;
        let note = if *left_out { ", with time points left out as too large" } else { "" };
        let rows = [("recognition", recognise, ""), ("learning", learn, note)];
        for (i, (name, pairs, note)) in rows.into_iter().enumerate() {
            let growth = before.map_or(String::new(), |(fewer, seconds)| {
                let more = *facts as f64 / fewer as f64;
                format!(", {:.1} times the seconds for {more:.1} times the facts", pairs.other().median / seconds[i])
            });
            let text = format!("  {name} to parsing");
            self.line(&format!("{text:<36} {}{growth}{note}", pairs.ratio()))?;
        }
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Outcome> {
        if let Some(peak) = peak() {
            self.set("peak_kilobytes", peak);
        }
        if let Some(peak) = memory(peak()) {
            self.line(&format!("{:<36} {peak}", "peak memory"))?;
        }
        if self.json {
            writeln!(std::io::stdout().lock(), "{}", Value::Object(self.fields))?;
        }
        Ok(Outcome::Done)
    }
}

fn memory(kilobytes: Option<u64>) -> Option<String> {
    kilobytes.map(|k| format!("{:.1} MB", k as f64 / 1e3))
}

fn as_json(sized: &Sized) -> Value {
    json!({
        "kind": sized.kind,
        "size": sized.size,
        "facts": sized.facts,
        "recognise_seconds": sized.recognise.other().median,
        "recognise_to_parse": Value::from(sized.recognise.ratio()),
        "learn_seconds": sized.learn.other().median,
        "learn_to_parse": Value::from(sized.learn.ratio()),
        "left_out": sized.left_out,
        "peak_kilobytes": sized.peak,
    })
}
