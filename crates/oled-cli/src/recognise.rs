//! `oled recognise`: a theory on a stream, intervals out as they close.

use std::io::{BufWriter, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use oled::{End, Frame, Interval, Recogniser, Signature, Term, Value, calculus};
use oled_data::task_folder::TaskFolder;
use serde_json::json;

use crate::Outcome;
use crate::args::{Output, RecogniseArgs};
use crate::input::{open_stream, recogniser};
use crate::progress::{Progress, say_skipped, say_undeclared};
use crate::undeclared::Undeclared;

pub(crate) fn run(args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let mut recogniser = recogniser(&folder, &args.theory)?.with_limit(args.max_instances);
    let mut frames = open_stream(&folder, &args.input)?;
    let wanted = wanted(&folder, &recogniser, args.all);
    let interrupted = interruption()?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut printer = Printer::new(args.format, args.frames, wanted)?;
    let mut closed = Vec::new();
    let mut undeclared = Undeclared::new(&folder.task);
    while let Some(frame) = frames.next() {
        let frame = frame?;
        undeclared.count(&frame.narrative);
        recogniser.observe(&frame, &mut closed);
        if recogniser.is_full() {
            printer.output.flush()?;
            bail!(
                "more than {} atoms follow at once at time {} of segment `{}`\nhint: `--max-instances` allows more; or narrow the rules, so that they speak of fewer combinations",
                args.max_instances,
                frame.time,
                frame.segment
            );
        }
        printer.print(&frame, &recogniser, &mut closed)?;
        progress.frame(&frames);
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    let stopped = interrupted.load(Ordering::Relaxed);
    if stopped {
        // Whoever interrupts wants to see what holds now.
        closed.extend(recogniser.open());
    } else {
        recogniser.finish(&mut closed);
    }
    printer.intervals(&mut closed)?;
    printer.output.flush()?;
    progress.finish();
    say_skipped(frames.skipped());
    say_undeclared(&undeclared, quiet);
    Ok(match printer.printed {
        _ if stopped => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
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
    output: BufWriter<std::io::StdoutLock<'static>>,
    printed: u64,
}

impl Printer {
    fn new(format: Output, frames: bool, wanted: Vec<Signature>) -> anyhow::Result<Printer> {
        let mut output = BufWriter::new(std::io::stdout().lock());
        match (format, frames) {
            (Output::Csv, false) => writeln!(output, "segment,fluent,first,last,end")?,
            (Output::Csv, true) => writeln!(output, "segment,time,fluent")?,
            (Output::Jsonl, _) => {}
        }
        output.flush()?;
        Ok(Printer { format, frames, wanted, output, printed: 0 })
    }

    fn print(&mut self, frame: &Frame, recogniser: &Recogniser, closed: &mut Vec<Interval>) -> anyhow::Result<()> {
        if self.frames {
            self.frame(frame, recogniser)?;
        } else if !closed.is_empty() {
            self.intervals(closed)?;
            // An interval that is over is news.
            self.output.flush()?;
        }
        closed.clear();
        Ok(())
    }

    fn frame(&mut self, frame: &Frame, recogniser: &Recogniser) -> anyhow::Result<()> {
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
                    writeln!(self.output, "{},{},{}", field(frame.segment.as_str()), frame.time, field(&fluent))?;
                }
            }
            Output::Jsonl => {
                let line = json!({"segment": frame.segment.as_str(), "time": frame.time, "holds": holding});
                writeln!(self.output, "{line}")?;
            }
        }
        Ok(())
    }

    fn intervals(&mut self, intervals: &mut Vec<Interval>) -> anyhow::Result<()> {
        for interval in intervals.drain(..).filter(|i| self.wanted.contains(&i.signature) && !self.frames) {
            self.printed += u64::from(interval.end != End::Open);
            let fluent = compact(&interval.fluent());
            let Interval { segment, signature, values, first, last, end } = &interval;
            match self.format {
                Output::Csv => {
                    writeln!(self.output, "{},{},{first},{last},{end}", field(segment.as_str()), field(&fluent))?;
                }
                Output::Jsonl => {
                    let name = calculus::fluent_name(*signature, values);
                    let values: Vec<serde_json::Value> = values.iter().map(|v| value(*v)).collect();
                    let line = json!({
                        "segment": segment.as_str(), "fluent": fluent, "name": name.as_str(), "values": values,
                        "first": first, "last": last, "end": end.to_string(),
                    });
                    writeln!(self.output, "{line}")?;
                }
            }
        }
        Ok(())
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

/// A field of delimited text, in quotes where it must be.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}
