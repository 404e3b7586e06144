//! `oled recognise`: a theory on a stream, intervals out as they close, or events as they happen.

mod lines;
mod options;
mod printer;
mod programs;
mod reload;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context;
use oled::logic::Stop;
use oled::{Frame, Interval, Recogniser, Signature, Symbol};
use oled_data::digest;
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::checkpoint::{Checkpointer, Fingerprint, say_resumed};
use crate::driver::{Command, Used, drive};
use crate::input::{load_task, load_theory, recogniser, recogniser_of, too_much, warn_of_durations};
use crate::progress::{Labels, Progress, say_skipped};
use crate::source::Source;
pub(crate) use lines::{INTERVAL_COLUMNS, compact, interval_line};
pub(crate) use options::{Output, RecogniseArgs};
use printer::{Printer, Written};
#[cfg(test)]
pub(crate) use programs::CommandLine;
use reload::Reloader;

/// What a checkpoint has: the position in the stream, what the recogniser knows, what was written and how much was printed,
/// and the text of the theory where that may change.
type State = (Vec<u8>, Vec<u8>, Written, u64, Option<String>);

pub(crate) fn run(args: &RecogniseArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let mut folder = load_task(&args.task)?;
    if args.frames {
        warn_of_durations(
            &folder,
            "`--frames` prints at once what holds, also in intervals that become too short to be reported",
            "leave `--frames` out for intervals",
            quiet,
        );
    } else if !args.reload {
        // Which time points may be left out depends on the rules.
        folder.skip_quiet(&load_theory(&folder, &args.theory)?);
    }
    let mut recogniser = recogniser(&folder, &args.theory, quiet)?;
    let mut checkpointer = Checkpointer::new(&args.checkpoint, made_of(&folder, args)?, quiet)?;
    let resumed: Option<State> = checkpointer.as_mut().map_or(Ok(None), Checkpointer::resume)?;
    let mut text = folder.theory(&args.theory)?.text.clone();
    let (mut position, mut before) = (None, None);
    if let (Some((at, state, written, printed, at_work)), Some(checkpointer)) = (resumed, &checkpointer) {
        if let Some(at_work) = at_work {
            // The file may have changed since.
            let source = oled::Source::new(args.theory.display().to_string(), at_work);
            recogniser = recogniser_of(&folder, &source)?;
            text.clone_from(&source.text);
        }
        recogniser.restore(&state).with_context(|| checkpointer.of_no_use())?;
        (position, before) = (Some(at), Some((written, printed)));
    }
    recogniser = recogniser.with_limit(args.max_instances).with_max_steps(args.steps.max_steps);
    let (interrupted, asked) = signals(args.reload)?;
    let reloader = args.reload.then(|| Reloader::new(&folder, &args.theory, &text, asked));
    let reloader = reloader.transpose()?;
    // Where nothing can be written nothing is read.
    let mut printer = Printer::new(args, wanted(&folder, &recogniser, args.all), before)?;
    recogniser = recogniser.with_interrupt(interrupted.clone().into());
    let mut frames =
        Source::live(&folder, &args.input, &args.live, &args.checkpoint, &interrupted, position.as_deref(), quiet)?;
    if position.is_some() {
        say_resumed(frames.place(), quiet);
    }
    let mut progress = Progress::new(frames.total_bytes(), quiet || args.live.follow);
    printer.begin()?;
    let closed = Vec::new();
    let mut recognising =
        Recognising { folder: &folder, recogniser, printer, reloader, closed, last: None, args, quiet };
    let stopped = drive(&mut recognising, &mut frames, &mut checkpointer, &mut progress, &interrupted)?;
    let Recognising { mut recogniser, mut printer, mut closed, .. } = recognising;
    if stopped {
        // Whoever interrupts wants to see what holds now.
        closed.extend(recogniser.open());
    } else {
        recogniser.finish(&mut closed);
    }
    printer.close(&mut closed)?;
    printer.sync()?;
    progress.finish();
    say_skipped(&frames.finish(), Labels::Unused, quiet);
    checkpointer.map_or(Ok(()), Checkpointer::finish)?;
    Ok(match printer.printed {
        _ if stopped => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

/// A recogniser at work, with what its intervals are printed by.
struct Recognising<'a> {
    folder: &'a TaskFolder,
    recogniser: Recogniser,
    printer: Printer,
    reloader: Option<Reloader>,
    closed: Vec<Interval>,
    /// The segment and the time of the last frame.
    last: Option<(Symbol, i64)>,
    args: &'a RecogniseArgs,
    quiet: bool,
}

impl Command for Recognising<'_> {
    type Prepared = Written;
    type State = State;

    fn wake(&mut self) -> anyhow::Result<()> {
        let Some(reloader) = &mut self.reloader else { return Ok(()) };
        let after = self.last.map(|(segment, time)| (segment.as_str(), time));
        if reloader.look(self.folder, &mut self.recogniser, &mut self.closed, after, self.quiet) {
            // What ends with its rules is printed if it was.
            self.printer.close(&mut self.closed)?;
            self.printer.flush()?;
            self.printer.wanted = wanted(self.folder, &self.recogniser, self.args.all);
        }
        Ok(())
    }

    fn frame(&mut self, frame: Frame) -> anyhow::Result<Used> {
        self.recogniser.observe(&frame, &mut self.closed);
        self.last = Some((frame.segment, frame.time));
        match self.recogniser.stop() {
            // What was over before it is told.
            Some(Stop::Interrupted) => {
                self.printer.close(&mut self.closed)?;
                Ok(Used::No(frame))
            }
            Some(stop) => {
                self.printer.flush()?;
                Err(too_much(stop, &frame))
            }
            None => {
                self.printer.print(&frame, &self.recogniser, &mut self.closed)?;
                Ok(Used::Yes)
            }
        }
    }

    /// There is time to tell what is known.
    fn rest(&mut self) -> anyhow::Result<()> {
        self.printer.flush()
    }

    fn prepare(&mut self) -> anyhow::Result<Written> {
        self.printer.sync()
    }

    fn state(&mut self, written: Written, position: Vec<u8>) -> anyhow::Result<State> {
        let text = self.reloader.as_ref().map(|reloader| reloader.text().to_string());
        Ok((position, self.recogniser.save(), written, self.printer.printed, text))
    }
}

/// Everything that the state and the output depend on beside the stream.
pub(crate) fn made_of(folder: &TaskFolder, args: &RecogniseArgs) -> anyhow::Result<Fingerprint> {
    let mut made_of = Fingerprint::new(folder, &args.input, &args.live);
    let theory = load_theory(folder, &args.theory)?.to_string();
    made_of.add("the command", "recognise");
    let yes = |flag: bool| if flag { "yes" } else { "" };
    made_of.add("`--reload`", yes(args.reload));
    // One that may change is in the checkpoint itself.
    let version = if args.reload { String::new() } else { format!(" ({:016x})", digest(theory.as_bytes())) };
    made_of.add("the theory", format!("{}{version}", args.theory.display()));
    made_of.add("`--format`", args.format().name());
    made_of.add("`--frames`", yes(args.frames));
    made_of.add("`--all`", yes(args.all));
    made_of.add("`--events`", yes(args.alarms.events));
    made_of.add_file("`--events-to`", args.alarms.events_to.as_deref(), &args.checkpoint);
    made_of.add_file("`--output`", args.output.as_deref(), &args.checkpoint);
    Ok(made_of)
}

/// The fluents to print.
pub(crate) fn wanted(folder: &TaskFolder, recogniser: &Recogniser, all: bool) -> Vec<Signature> {
    oled_data::wanted(&folder.task, recogniser, all)
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

/// The same, and one that the signal HUP sets, where that asks for a theory to be read again and not for an end.
fn signals(reload: bool) -> anyhow::Result<(Arc<AtomicBool>, Arc<AtomicBool>)> {
    let asked = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    if reload {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        use signal_hook::flag::{register, register_conditional_shutdown};

        let interrupted = Arc::new(AtomicBool::new(false));
        let failed = "cannot listen for signals";
        for signal in [SIGINT, SIGTERM] {
            // The second time, whatever holds us up is not worth waiting for.
            register_conditional_shutdown(signal, 130, interrupted.clone()).context(failed)?;
            register(signal, interrupted.clone()).context(failed)?;
        }
        register(SIGHUP, asked.clone()).context(failed)?;
        return Ok((interrupted, asked));
    }
    let _ = reload;
    Ok((interruption()?, asked))
}
