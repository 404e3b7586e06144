//! `oled recognise`: a theory on a stream, intervals out as they close.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use oled::logic::Stop;
use oled::weights::Confidence;
use oled::{End, Frame, Interval, Recogniser, Signature, Term, Value, calculus};
use oled_data::task_folder::TaskFolder;
use oled_data::{Digest, Pause, csv_field, digest, printable_json};
use serde_json::json;

use crate::Outcome;
use crate::args::{Output, RecogniseArgs};
use crate::checkpoint::{Keeper, MadeOf, open_frames, say_resumed};
use crate::growing::Growing;
use crate::input::{load_theory, recogniser, too_much};
use crate::progress::{Labels, Progress, say_skipped};

/// What a checkpoint has: the position in the stream, what the recogniser knows, what of the output was written and how much
/// was printed.
type State = (Vec<u8>, Vec<u8>, Option<Digest>, u64);

pub(crate) fn run(args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let limited = recogniser(&folder, &args.theory, quiet)?.with_limit(args.max_instances);
    let mut recogniser = limited.with_max_steps(args.steps.max_steps);
    let wanted = wanted(&folder, &recogniser, args.all);
    let mut keeper = Keeper::new(&args.checkpoint, made_of(&folder, args)?, quiet)?;
    let resumed: Option<State> = keeper.as_mut().map_or(Ok(None), Keeper::resume)?;
    let (mut position, mut written, mut before) = (None, None, None);
    if let (Some((at, state, output, printed)), Some(keeper)) = (resumed, &keeper) {
        recogniser.restore(&state).with_context(|| keeper.of_no_use())?;
        (position, written, before) = (Some(at), output, Some(printed));
    }
    // Where nothing can be written nothing is read.
    let output = Out::open(args, written)?;
    let interrupted = interruption()?;
    recogniser = recogniser.with_interrupt(interrupted.clone().into());
    let mut frames =
        open_frames(&folder, &args.input, &args.live, &args.checkpoint, &interrupted, position.as_deref(), quiet)?;
    if position.is_some() {
        say_resumed(frames.place(), quiet);
    }
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut printer = Printer::new(args, wanted, output, before)?;
    let mut closed = Vec::new();
    let stopped = loop {
        let is_due = match frames.next() {
            Some(frame) => {
                let frame = frame?;
                recogniser.observe(&frame, &mut closed);
                match recogniser.stop() {
                    // It is seen again when the run goes on; what was over before it is told.
                    Some(Stop::Interrupted) => {
                        printer.intervals(&mut closed)?;
                        frames.put_back(frame);
                        false
                    }
                    Some(stop) => {
                        printer.flush()?;
                        return Err(too_much(stop, &frame));
                    }
                    None => {
                        printer.print(&frame, &recogniser, &mut closed)?;
                        progress.frame(&frames);
                        keeper.as_mut().is_some_and(Keeper::is_due)
                    }
                }
            }
            None if frames.pause().is_none() => break interrupted.load(Ordering::Relaxed),
            None => {
                // Nothing comes, so there is time to tell what is known.
                printer.flush()?;
                frames.pause() == Some(Pause::End) || keeper.as_ref().is_some_and(Keeper::is_due_at_rest)
            }
        };
        let stopped = interrupted.load(Ordering::Relaxed);
        // After its end the stream has no position any more: the last checkpoint is the one written there.
        if let (true, Some(keeper), Some(pause)) = (is_due || stopped, &mut keeper, frames.pause()) {
            let written = printer.sync()?;
            let is_last = stopped || pause == Pause::End;
            keeper.save(is_last, || Ok((frames.save(), recogniser.save(), written, printer.printed)))?;
            if pause == Pause::End {
                frames.end();
            }
        }
        if stopped {
            break true;
        }
    };
    if stopped {
        // Whoever interrupts wants to see what holds now.
        closed.extend(recogniser.open());
    } else {
        recogniser.finish(&mut closed);
    }
    printer.intervals(&mut closed)?;
    printer.sync()?;
    progress.finish();
    say_skipped(frames.skipped(), Labels::Unused, quiet);
    keeper.map_or(Ok(()), Keeper::finish)?;
    Ok(match printer.printed {
        _ if stopped => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

/// Everything that the state and the output depend on beside the stream.
fn made_of(folder: &TaskFolder, args: &RecogniseArgs) -> anyhow::Result<MadeOf> {
    let mut made_of = MadeOf::new(folder, &args.input, &args.live);
    let theory = load_theory(folder, &args.theory)?.to_string();
    made_of.add("the command", "recognise");
    made_of.add("the theory", format!("{} ({:016x})", args.theory.display(), digest(theory.as_bytes())));
    let yes = |flag: bool| if flag { "yes" } else { "" };
    made_of.add("`--format`", if args.format == Output::Csv { "csv" } else { "jsonl" });
    made_of.add("`--frames`", yes(args.frames));
    made_of.add("`--all`", yes(args.all));
    made_of.add_file("`--output`", args.output.as_deref(), &args.checkpoint);
    Ok(made_of)
}

/// The fluents to print: those that the task asks for, or all where it asks for none of them.
fn wanted(folder: &TaskFolder, recogniser: &Recogniser, all: bool) -> Vec<Signature> {
    let targets = folder.task.labels();
    let defined: Vec<Signature> = recogniser.fluents().collect();
    let asked: Vec<Signature> = defined.iter().copied().filter(|s| targets.contains(s)).collect();
    if all || asked.is_empty() { defined } else { asked }
}

/// A flag that Ctrl-C sets.
pub(crate) fn interruption() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    let set = flag.clone();
    ctrlc::set_handler(move || {
        // The second time, whatever holds us up is not worth waiting for.
        if set.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("cannot listen for Ctrl-C")?;
    Ok(flag)
}

struct Printer {
    format: Output,
    frames: bool,
    wanted: Vec<Signature>,
    output: Out,
    printed: u64,
}

/// Where lines go.
enum Out {
    Standard(BufWriter<std::io::StdoutLock<'static>>),
    File(Growing),
}

impl Out {
    /// Standard output, or a file, which has this in it where the run goes on from a checkpoint.
    fn open(args: &RecogniseArgs, written: Option<Digest>) -> anyhow::Result<Out> {
        Ok(match &args.output {
            Some(path) => Out::File(Growing::open(path, written)?),
            None => Out::Standard(BufWriter::new(io::stdout().lock())),
        })
    }

    /// What went wrong while it was written to.
    fn failed(&self, error: io::Error) -> anyhow::Error {
        match self {
            Out::Standard(_) => error.into(),
            Out::File(output) => output.failed(error),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Standard(output) => output.write(bytes),
            Out::File(output) => output.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Standard(output) => output.flush(),
            Out::File(output) => output.flush(),
        }
    }
}

impl Printer {
    /// `before`: how many lines there were when the checkpoint was written that the run goes on from.
    fn new(args: &RecogniseArgs, wanted: Vec<Signature>, output: Out, before: Option<u64>) -> anyhow::Result<Printer> {
        let (format, frames) = (args.format, args.frames);
        let mut printer = Printer { format, frames, wanted, output, printed: before.unwrap_or(0) };
        if before.is_none() {
            printer.header().map_err(|error| printer.output.failed(error))?;
            printer.flush()?;
        }
        Ok(printer)
    }

    fn header(&mut self) -> io::Result<()> {
        match (self.format, self.frames) {
            (Output::Csv, false) => writeln!(self.output, "{INTERVAL_COLUMNS}"),
            (Output::Csv, true) => writeln!(self.output, "segment,time,fluent"),
            (Output::Jsonl, _) => Ok(()),
        }
    }

    /// Hands on what was printed.
    fn flush(&mut self) -> anyhow::Result<()> {
        self.output.flush().map_err(|error| self.output.failed(error))
    }

    /// Hands all on; returns what a file has then.
    fn sync(&mut self) -> anyhow::Result<Option<Digest>> {
        self.flush()?;
        match &mut self.output {
            Out::Standard(_) => Ok(None),
            Out::File(output) => output.sync().map(Some),
        }
    }

    fn print(&mut self, frame: &Frame, recogniser: &Recogniser, closed: &mut Vec<Interval>) -> anyhow::Result<()> {
        if self.frames {
            self.frame(frame, recogniser).map_err(|error| self.output.failed(error))?;
        } else if !closed.is_empty() {
            self.intervals(closed)?;
            // An interval that is over is news.
            self.flush()?;
        }
        closed.clear();
        Ok(())
    }

    fn intervals(&mut self, intervals: &mut Vec<Interval>) -> anyhow::Result<()> {
        self.write_intervals(intervals).map_err(|error| self.output.failed(error))
    }

    fn frame(&mut self, frame: &Frame, recogniser: &Recogniser) -> io::Result<()> {
        let mut holding: Vec<String> = recogniser
            .holding()
            .filter(|(signature, _)| self.wanted.contains(signature))
            .map(|(signature, values)| compact(&calculus::fluent(signature, values)))
            .collect();
        holding.sort();
        self.printed += holding.len() as u64;
        match self.format {
            Output::Csv => {
                for fluent in holding {
                    writeln!(
                        self.output,
                        "{},{},{}",
                        csv_field(frame.segment.as_str()),
                        frame.time,
                        csv_field(&fluent)
                    )?;
                }
            }
            Output::Jsonl => {
                let line = json!({"segment": frame.segment.as_str(), "time": frame.time, "holds": holding});
                writeln!(self.output, "{}", printable_json(&line.to_string()))?;
            }
        }
        Ok(())
    }

    fn write_intervals(&mut self, intervals: &mut Vec<Interval>) -> io::Result<()> {
        for interval in intervals.drain(..).filter(|i| self.wanted.contains(&i.signature) && !self.frames) {
            self.printed += u64::from(interval.end != End::Open);
            writeln!(self.output, "{}", interval_line(&interval, None, self.format))?;
        }
        Ok(())
    }
}

/// The columns of intervals, without how sure they are.
pub(crate) const INTERVAL_COLUMNS: &str = "segment,fluent,first,last,end";

/// An interval as it is printed, with how sure it is where that is known.
pub(crate) fn interval_line(interval: &Interval, confidence: Option<Confidence>, format: Output) -> String {
    let fluent = compact(&interval.fluent());
    let Interval { segment, signature, values, first, last, end } = interval;
    match format {
        Output::Csv => {
            let (segment, fluent) = (csv_field(segment.as_str()), csv_field(&fluent));
            let sure = confidence.map_or(String::new(), |c| format!(",{:.3},{:.3}", c.mean, c.weakest));
            format!("{segment},{fluent},{first},{last},{end}{sure}")
        }
        Output::Jsonl => {
            let name = calculus::fluent_name(*signature, values);
            let values: Vec<serde_json::Value> = values.iter().map(|v| value(*v)).collect();
            let mut line = json!({
                "segment": segment.as_str(), "fluent": fluent, "name": name.as_str(), "values": values,
                "first": first, "last": last, "end": end.to_string(),
            });
            if let Some(Confidence { mean, weakest }) = confidence {
                line["confidence"] = mean.into();
                line["weakest"] = weakest.into();
            }
            printable_json(&line.to_string())
        }
    }
}

fn value(value: Value) -> serde_json::Value {
    match value {
        Value::Sym(s) => json!(s.as_str()),
        Value::Int(i) => json!(i),
        Value::Real(r) => json!(r),
    }
}

/// A term as streams have it: without blanks after commas.
pub(crate) fn compact(term: &Term) -> String {
    match term {
        Term::App(name, args) if name.as_str() == "=" => args.iter().map(compact).collect::<Vec<_>>().join("="),
        Term::App(name, args) => format!("{name}({})", args.iter().map(compact).collect::<Vec<_>>().join(",")),
        term => term.to_string(),
    }
}
