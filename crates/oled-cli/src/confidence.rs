//! `oled recognise --confidence`: intervals with how sure they are, by the weights of a theory.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;
use indexmap::IndexMap;
use oled::lang::Durations;
use oled::logic::Stop;
use oled::weights::{Confidence, Decision, Firing, FluentChains, Layered, Live, Relating, Weights, untold};
use oled::{Diagnostic, Frame, Interval, Signature, Symbol, Theory};
use oled_data::task_folder::TaskFolder;
use rustc_hash::FxBuildHasher;

use crate::Outcome;
use crate::input::{load_task, load_theory, too_much, warn};
use crate::output::Output as File;
use crate::progress::{Labels, Progress, say, say_skipped};
use crate::recognise::{INTERVAL_COLUMNS, Output, RecogniseArgs, interval_line};
use crate::source::Source;

/// Which rules of a theory fire, layer by layer, where it has rules that can be weighed.
pub(crate) fn layers(folder: &TaskFolder, theory: &Theory) -> anyhow::Result<Vec<Firing>> {
    let layers = Firing::layers(&folder.task, theory)?;
    if layers.iter().all(|layer| layer.fluents().is_empty()) {
        bail!(
            "the theory has no rules for what the task `{}` labels\nhint: weights are for fluents with `example(…)` in the modes",
            folder.name
        );
    }
    Ok(layers)
}

/// The weights of a theory that must have some.
pub(crate) fn read_weights(theory: &Theory, layers: &[Firing], path: &Path) -> anyhow::Result<Weights> {
    let fluents: Vec<FluentChains> = layers.iter().flat_map(Firing::fluents).cloned().collect();
    Weights::read(theory, &fluents)?.ok_or_else(|| {
        let path = path.display();
        anyhow::anyhow!("the rules of `{path}` have no weights\nhint: `oled weigh` learns them from a labelled stream")
    })
}

/// A delay that no segment is as long as.
const NEVER: usize = usize::MAX / 4;

/// What recognises with weights: in one layer with a delay, or layer by layer when a segment ends.
enum Recogniser {
    Live(Box<Live>),
    Layered(Box<Layered>),
}

impl Recogniser {
    fn observe(&mut self, frame: &Frame, closed: &mut Vec<(Interval, Confidence)>) {
        match self {
            Recogniser::Live(live) => live.observe(frame, closed),
            Recogniser::Layered(layered) => layered.observe(frame, closed),
        }
    }

    fn stop(&self) -> Option<&Stop> {
        match self {
            Recogniser::Live(live) => live.stop(),
            Recogniser::Layered(layered) => layered.stop(),
        }
    }

    fn finish(&mut self, closed: &mut Vec<(Interval, Confidence)>) {
        match self {
            Recogniser::Live(live) => live.finish(closed),
            Recogniser::Layered(layered) => layered.finish(closed),
        }
    }
}

pub(crate) fn run(args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Outcome> {
    if args.wants_alarms() {
        bail!(
            "how sure something is is known when it is over, so it cannot be said when it begins\nhint: leave `--confidence` out for events as they happen, or `--events`, `--events-to`, `--on-begin` and `--on-end` for intervals with it"
        );
    }
    let folder = load_task(&args.task)?;
    let theory = load_theory(&folder, &args.theory)?;
    warn(&folder, &theory, quiet);
    let limited = |layer: Firing| layer.with_limits(args.max_instances, args.steps.max_steps);
    let mut layers: Vec<Firing> = layers(&folder, &theory)?.into_iter().map(limited).collect();
    let weights = read_weights(&theory, &layers, &args.theory)?;
    let fluents: Vec<Signature> = layers.iter().flat_map(Firing::fluents).map(|fluent| fluent.label).collect();
    for rule in untold(&folder.task.related(&theory), &fluents).iter().filter(|_| !quiet) {
        let message = "with `--confidence` nothing is told of these intervals: not all that they need have weights";
        say(&Diagnostic::new(&rule.clause.span, message).hint("leave `--confidence` out").as_warning().to_string());
    }
    if layers.len() > 1 && args.sure.lag.is_some() {
        bail!(
            "rules ask for fluents whose rules have weights too, which are known when a segment ends\nhint: leave `--lag` out"
        );
    }
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    let output = File::create(path)?;
    let durations = folder.task.bias.durations();
    let mut printer = Printer { out: output.writer()?, format: args.format(), durations, printed: 0 };
    let failed = |error| output.failed(error);
    printer.header().map_err(failed)?;
    let decision = args.sure.threshold.map_or(Decision::Best, Decision::AtLeast);
    let mut recogniser = match layers.len() {
        1 => {
            let live = Live::new(layers.swap_remove(0), weights, decision, args.sure.lag.unwrap_or(NEVER));
            Recogniser::Live(Box::new(live))
        }
        _ => Recogniser::Layered(Box::new(Layered::new(&folder.task, layers, weights, decision))),
    };
    let mut frames = Source::stream(&folder, &args.input, false)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut closed = Vec::new();
    let mut relating = Relating::new(&folder.task, &theory);
    // What is over is known so many time points later, and then it may be related.
    let lag = args.sure.lag.unwrap_or(NEVER).saturating_add(2);
    let mut times: IndexMap<Symbol, VecDeque<i64>, FxBuildHasher> = IndexMap::default();
    while let Some(frame) = frames.next() {
        let frame = frame?;
        recogniser.observe(&frame, &mut closed);
        if let Some(stop) = recogniser.stop() {
            return Err(too_much(stop, &frame));
        }
        relating.follow(&mut closed, 0);
        if !folder.task.options.interleaved {
            relating.keep_only(Some(frame.segment));
            times.retain(|segment, _| *segment == frame.segment);
        }
        if args.sure.lag.is_some() {
            let times = times.entry(frame.segment).or_default();
            times.push_back(frame.time);
            if times.len() > lag
                && let Some(time) = times.pop_front()
            {
                relating.forget(frame.segment, time);
            }
        }
        printer.print(&mut closed).map_err(failed)?;
        progress.frame_at(|| frames.bytes_read());
    }
    recogniser.finish(&mut closed);
    relating.follow(&mut closed, 0);
    printer.print(&mut closed).map_err(failed)?;
    progress.finish();
    say_skipped(&frames.finish(), Labels::Unused, quiet);
    let printed = printer.printed;
    drop(printer);
    output.keep()?;
    Ok(if printed == 0 { Outcome::Nothing } else { Outcome::Done })
}

struct Printer {
    out: Box<dyn Write>,
    format: Output,
    durations: Durations,
    printed: u64,
}

impl Printer {
    fn header(&mut self) -> io::Result<()> {
        match self.format {
            Output::Csv => writeln!(self.out, "{INTERVAL_COLUMNS},confidence,weakest"),
            Output::Jsonl => Ok(()),
        }
    }

    /// Prints intervals that have become known, in the order of their ends.
    fn print(&mut self, intervals: &mut Vec<(Interval, Confidence)>) -> io::Result<()> {
        intervals.retain(|(interval, _)| !interval.is_short(&self.durations));
        if intervals.is_empty() {
            return Ok(());
        }
        intervals.sort_by_key(|(interval, _)| (interval.last, interval.first));
        for (interval, confidence) in intervals.drain(..) {
            self.printed += 1;
            writeln!(self.out, "{}", interval_line(&interval, Some(confidence), self.format))?;
        }
        self.out.flush()
    }
}
