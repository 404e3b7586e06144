//! `oled recognise --confidence`: intervals with how sure they are, by the weights of a theory.

use std::io::{self, Write};
use std::path::Path;

use anyhow::bail;
use oled::weights::{Confidence, Decision, Firing, Live, Weights};
use oled::{Interval, Theory};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::args::{Output, RecogniseArgs};
use crate::input::{load_theory, too_much, warn};
use crate::output::Output as File;
use crate::progress::{Labels, Progress, say_skipped};
use crate::recognise::{INTERVAL_COLUMNS, interval_line};
use crate::source::Source;

/// Which rules of a theory fire, where it has rules that can be weighed.
pub(crate) fn firing(folder: &TaskFolder, theory: &Theory) -> anyhow::Result<Firing> {
    let firing = Firing::new(&folder.task, theory)?;
    if firing.fluents().is_empty() {
        bail!(
            "the theory has no rules for what the task `{}` labels\nhint: weights are for fluents with `example(…)` in the modes",
            folder.name
        );
    }
    Ok(firing)
}

/// The weights of a theory that must have some.
pub(crate) fn read_weights(theory: &Theory, firing: &Firing, path: &Path) -> anyhow::Result<Weights> {
    Weights::read(theory, firing.fluents())?.ok_or_else(|| {
        let path = path.display();
        anyhow::anyhow!("the rules of `{path}` have no weights\nhint: `oled weigh` learns them from a labelled stream")
    })
}

/// A delay that no segment is as long as.
const NEVER: usize = usize::MAX / 4;

pub(crate) fn run(args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let theory = load_theory(&folder, &args.theory)?;
    warn(&folder, &theory, quiet);
    let firing = firing(&folder, &theory)?.with_limits(args.max_instances, args.steps.max_steps);
    let weights = read_weights(&theory, &firing, &args.theory)?;
    let path = args.output.as_deref().unwrap_or(Path::new("-"));
    let output = File::create(path)?;
    let mut printer = Printer { out: output.writer()?, format: args.format, printed: 0 };
    let failed = |error| output.failed(error);
    printer.header().map_err(failed)?;
    let decision = args.threshold.map_or(Decision::Best, Decision::AtLeast);
    let mut live = Live::new(firing, weights, decision, args.lag.unwrap_or(NEVER));
    let mut frames = Source::stream(&folder, &args.input, false)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut closed = Vec::new();
    while let Some(frame) = frames.next() {
        let frame = frame?;
        live.observe(&frame, &mut closed);
        if let Some(stop) = live.stop() {
            return Err(too_much(stop, &frame));
        }
        printer.print(&mut closed).map_err(failed)?;
        progress.frame_at(|| frames.bytes_read());
    }
    live.finish(&mut closed);
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
