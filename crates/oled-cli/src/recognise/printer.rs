//! Where intervals, events and what holds are printed.

use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use indexmap::IndexMap;
use oled::{End, Frame, Interval, Recogniser, Signature, calculus};
use oled_data::{Digest, csv_field, printable_json};
use rustc_hash::FxBuildHasher;
use serde_json::json;

use super::lines::{Change, EVENT_COLUMNS, Event, INTERVAL_COLUMNS, compact, interval_line};
use super::options::{Output, RecogniseArgs};
use super::programs::Programs;
use crate::resumable_file::ResumableFile;
use crate::times::{json_time, printed_time};

/// What was written of each file when a checkpoint was made: of the output, and of the files for each fluent by their names.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Written {
    output: Option<Digest>,
    files: Vec<(String, Digest)>,
}

pub(super) struct Printer {
    format: Output,
    what: What,
    pub(super) wanted: Vec<Signature>,
    output: Out,
    programs: Option<Programs>,
    pub(super) printed: u64,
    /// Whether nothing was printed before: the run does not go on from a checkpoint.
    is_new: bool,
}

/// What is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Intervals,
    Events,
    Frames,
}

/// Where lines go.
enum Out {
    Standard(BufWriter<std::io::StdoutLock<'static>>),
    File(ResumableFile),
    Files(Files),
}

/// A file for each fluent.
struct Files {
    folder: PathBuf,
    /// By their names. Fluents of one name share a file.
    open: IndexMap<String, ResumableFile, FxBuildHasher>,
    /// The one that was written to last.
    last: usize,
}

impl Files {
    /// Makes the folder, and opens the files that a checkpoint goes on with.
    fn new(folder: &Path, written: Vec<(String, Digest)>) -> anyhow::Result<Files> {
        fs::create_dir_all(folder).with_context(|| format!("cannot write to the folder `{}`", folder.display()))?;
        let mut open = IndexMap::default();
        for (name, written) in written {
            let file = ResumableFile::open(&folder.join(&name), Some(written))?;
            open.insert(name, file);
        }
        Ok(Files { folder: folder.into(), open, last: 0 })
    }

    /// Turns to the file of a fluent, which may be new.
    fn turn_to(&mut self, fluent: &str, format: Output) -> anyhow::Result<()> {
        let name = format!("{}.{}", file_name(fluent), format.name());
        if let Some(at) = self.open.get_index_of(&name) {
            self.last = at;
            return Ok(());
        }
        let mut file = ResumableFile::open(&self.folder.join(&name), None)?;
        if format == Output::Csv {
            writeln!(file, "{EVENT_COLUMNS}").map_err(|error| file.failed(error))?;
        }
        self.last = self.open.insert_full(name, file).0;
        Ok(())
    }
}

/// The name of a fluent as that of a file, anywhere: whatever is no letter, digit or `_` is written as a number.
fn file_name(fluent: &str) -> String {
    let letter = |c: char| if c.is_alphanumeric() || c == '_' { c.to_string() } else { format!("%{:02x}", c as u32) };
    fluent.chars().map(letter).collect()
}

impl Out {
    /// Standard output, or files, which have this in them where the run goes on from a checkpoint.
    fn open(args: &RecogniseArgs, written: Written) -> anyhow::Result<Out> {
        Ok(match (&args.output, &args.alarms.events_to) {
            (Some(path), _) => Out::File(ResumableFile::open(path, written.output)?),
            (None, Some(folder)) => Out::Files(Files::new(folder, written.files)?),
            (None, None) => Out::Standard(BufWriter::new(io::stdout().lock())),
        })
    }

    /// What went wrong while it was written to.
    fn failed(&self, error: io::Error) -> anyhow::Error {
        match self {
            Out::Standard(_) => error.into(),
            Out::File(output) => output.failed(error),
            Out::Files(files) => files.open[files.last].failed(error),
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Out::Standard(output) => output.write(bytes),
            Out::File(output) => output.write(bytes),
            Out::Files(files) => files.open[files.last].write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Out::Standard(output) => output.flush(),
            Out::File(output) => output.flush(),
            Out::Files(files) => {
                for (at, file) in files.open.values_mut().enumerate() {
                    files.last = at;
                    file.flush()?;
                }
                Ok(())
            }
        }
    }
}

impl Printer {
    /// `before`: what was written, and how many lines there were, when the checkpoint was made that the run goes on from.
    /// Where nothing can be written there is an error.
    pub(super) fn new(
        args: &RecogniseArgs,
        wanted: Vec<Signature>,
        before: Option<(Written, u64)>,
    ) -> anyhow::Result<Printer> {
        let what = match () {
            () if args.frames => What::Frames,
            () if args.prints_events() => What::Events,
            () => What::Intervals,
        };
        let is_new = before.is_none();
        let (written, printed) = before.unwrap_or_default();
        let (output, programs) = (Out::open(args, written)?, Programs::new(&args.alarms));
        Ok(Printer { format: args.format(), what, wanted, output, programs, printed, is_new })
    }

    /// Begins to print, when there is something to be read: what a file had before is gone from now on.
    pub(super) fn begin(&mut self) -> anyhow::Result<()> {
        if self.is_new {
            self.header().map_err(|error| self.output.failed(error))?;
            self.flush()?;
        }
        Ok(())
    }

    fn header(&mut self) -> io::Result<()> {
        let columns = match (self.format, self.what, &self.output) {
            // Each file gets its own.
            (Output::Jsonl, ..) | (.., Out::Files(_)) => return Ok(()),
            (Output::Csv, What::Intervals, _) => INTERVAL_COLUMNS,
            (Output::Csv, What::Events, _) => EVENT_COLUMNS,
            (Output::Csv, What::Frames, _) => "segment,time,fluent",
        };
        writeln!(self.output, "{columns}")
    }

    /// Hands on what was printed.
    pub(super) fn flush(&mut self) -> anyhow::Result<()> {
        self.output.flush().map_err(|error| self.output.failed(error))
    }

    /// Hands all on, to programs too; returns what files have then.
    pub(super) fn sync(&mut self) -> anyhow::Result<Written> {
        self.flush()?;
        self.programs.iter().for_each(Programs::settle);
        let mut written = Written::default();
        match &mut self.output {
            Out::Standard(_) => {}
            Out::File(output) => written.output = Some(output.sync()?),
            Out::Files(files) => {
                for (name, file) in &mut files.open {
                    written.files.push((name.clone(), file.sync()?));
                }
            }
        }
        Ok(written)
    }

    /// Prints what is new since a frame: what is `closed`, and what begins.
    pub(super) fn print(
        &mut self,
        frame: &Frame,
        recogniser: &Recogniser,
        closed: &mut Vec<Interval>,
    ) -> anyhow::Result<()> {
        if self.what == What::Frames {
            self.frame(frame, recogniser).map_err(|error| self.output.failed(error))?;
        }
        let mut is_news = !closed.is_empty();
        if self.what == What::Events || self.programs.is_some() {
            // What ends at this time point may have begun there too.
            let is_here = |interval: &Interval| (interval.segment, interval.last) == (frame.segment, frame.time);
            let (here, before): (Vec<Interval>, Vec<Interval>) = closed.iter().cloned().partition(is_here);
            self.events(Change::Ended, before)?;
            let begun: Vec<Interval> = recogniser.begun().collect();
            is_news |= !begun.is_empty();
            self.events(Change::Began, begun)?;
            self.events(Change::Ended, here)?;
        }
        self.intervals(closed)?;
        if is_news && self.what != What::Frames {
            self.flush()?;
        }
        Ok(())
    }

    /// Prints what is over, where nothing begins.
    pub(super) fn close(&mut self, closed: &mut Vec<Interval>) -> anyhow::Result<()> {
        // What was interrupted has not ended.
        let over = closed.iter().filter(|interval| interval.end != End::Open).cloned().collect();
        self.events(Change::Ended, over)?;
        self.intervals(closed)
    }

    fn intervals(&mut self, closed: &mut Vec<Interval>) -> anyhow::Result<()> {
        for interval in closed.drain(..).filter(|i| self.what == What::Intervals && self.wanted.contains(&i.signature))
        {
            self.printed += u64::from(interval.end != End::Open);
            let line = interval_line(&interval, None, self.format);
            writeln!(self.output, "{line}").map_err(|error| self.output.failed(error))?;
        }
        Ok(())
    }

    fn events(&mut self, change: Change, mut intervals: Vec<Interval>) -> anyhow::Result<()> {
        intervals.retain(|interval| self.wanted.contains(&interval.signature));
        for interval in &intervals {
            let event = Event { change, interval };
            if self.what == What::Events {
                if let Out::Files(files) = &mut self.output {
                    files.turn_to(event.name(), self.format)?;
                }
                self.printed += 1;
                let line = event.line(self.format);
                writeln!(self.output, "{line}").map_err(|error| self.output.failed(error))?;
            }
            if let Some(programs) = &self.programs {
                programs.run(&event);
            }
        }
        Ok(())
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
                let (segment, time) = (csv_field(frame.segment.as_str()), printed_time(frame.time));
                for fluent in holding {
                    writeln!(self.output, "{segment},{time},{}", csv_field(&fluent))?;
                }
            }
            Output::Jsonl => {
                let line = json!({"segment": frame.segment.as_str(), "time": json_time(frame.time), "holds": holding});
                writeln!(self.output, "{}", printable_json(&line.to_string()))?;
            }
        }
        Ok(())
    }
}
