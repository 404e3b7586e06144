//! The head of a cluster: the stream of a command, the file that lines go to, and the checkpoint.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oled::deal::Told;
use oled_cluster::{Head, Kept, Next};
use oled_data::task_folder::TaskFolder;
use oled_data::{Digest, Frames, Pause};
use serde::Serialize;

use crate::args::InputArgs;
use crate::checkpoint::{CheckpointArgs, Keeper, LiveArgs, open_frames, say_resumed};
use crate::growing::Growing;

/// What was written, and how many lines that told something.
pub(super) type Written = (Option<Digest>, u64);

/// What is left when all was read: the lines that told something, and the stream.
pub(super) type Read = Arc<Mutex<Option<(u64, Frames)>>>;

/// Where lines go.
pub(super) struct Lines {
    to: To,
    printed: u64,
}

enum To {
    Nobody,
    Standard(BufWriter<Stdout>),
    File(Growing),
}

impl Lines {
    /// For who writes no lines.
    pub(super) fn none() -> Lines {
        Lines { to: To::Nobody, printed: 0 }
    }

    /// A file, or standard output; where it goes on, with what was written before.
    pub(super) fn open(path: Option<&Path>, header: &str, before: Option<Written>) -> anyhow::Result<Lines> {
        let is_new = before.is_none();
        let (digest, printed) = before.unwrap_or_default();
        let to = match path {
            Some(path) => To::File(Growing::open(path, digest)?),
            None => To::Standard(BufWriter::new(io::stdout())),
        };
        let mut lines = Lines { to, printed };
        if is_new && !header.is_empty() {
            lines.write(&format!("{header}\n"))?;
        }
        Ok(lines)
    }

    fn write(&mut self, text: &str) -> anyhow::Result<()> {
        match &mut self.to {
            To::Nobody => Ok(()),
            To::Standard(output) => Ok(output.write_all(text.as_bytes()).and_then(|()| output.flush())?),
            To::File(file) => {
                let written = file.write_all(text.as_bytes()).and_then(|()| file.flush());
                written.map_err(|error| file.failed(error))
            }
        }
    }

    /// Brings all to disk, and tells what there is.
    fn sync(&mut self) -> anyhow::Result<Written> {
        let digest = match &mut self.to {
            To::File(file) => Some(file.sync()?),
            To::Nobody | To::Standard(_) => None,
        };
        Ok((digest, self.printed))
    }
}

/// The head.
pub(super) struct Reader {
    frames: Option<Frames>,
    interleaved: bool,
    lines: Lines,
    keeper: Option<Keeper<'static>>,
    /// Whether a checkpoint is under way: there is one at a time.
    is_kept: bool,
    stop: Arc<AtomicBool>,
    /// Where the stream goes when it was read.
    read: Read,
}

impl Reader {
    /// Opens a stream, from where a checkpoint left it if there is one. The second is where it is found in the end.
    pub(super) fn open(
        (folder, input, live): (&TaskFolder, &InputArgs, &LiveArgs),
        (keeper, checkpoint): (Option<Keeper<'static>>, &CheckpointArgs),
        lines: Lines,
        stop: &Arc<AtomicBool>,
        position: Option<&[u8]>,
        quiet: bool,
    ) -> anyhow::Result<(Reader, Read)> {
        let frames = open_frames(folder, input, live, checkpoint, stop, position, quiet)?;
        if position.is_some() {
            say_resumed(frames.place(), quiet);
        }
        let (interleaved, read) = (folder.task.options.interleaved, Read::default());
        let reader = Reader {
            frames: Some(frames),
            interleaved,
            lines,
            keeper,
            is_kept: false,
            stop: stop.clone(),
            read: read.clone(),
        };
        Ok((reader, read))
    }

    fn save(&mut self, kept: &Kept) -> anyhow::Result<()> {
        // Without lines there is nothing that was written.
        let written = self.lines.sync()?;
        let Some(keeper) = &mut self.keeper else { return Ok(()) };
        match self.lines.to {
            To::Nobody => keeper.save(false, || Ok(State(kept, None))),
            _ => keeper.save(false, || Ok(State(kept, Some(written)))),
        }
    }
}

/// What a checkpoint has.
struct State<'a>(&'a Kept, Option<Written>);

impl Serialize for State<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.1 {
            Some(written) => (self.0, written).serialize(serializer),
            None => (self.0, ()).serialize(serializer),
        }
    }
}

impl Head for Reader {
    fn is_interleaved(&self) -> bool {
        self.interleaved
    }

    fn next(&mut self) -> Next {
        let Some(frames) = &mut self.frames else { return Next::Over };
        if self.stop.load(Ordering::Relaxed) {
            return Next::Stopped;
        }
        match frames.next() {
            Some(Ok(frame)) => Next::Frame(frame),
            Some(Err(error)) => Next::Failed(error.to_string()),
            None if frames.pause() == Some(Pause::End) => Next::AtEnd,
            None => Next::Over,
        }
    }

    fn end(&mut self) {
        let Some(frames) = &mut self.frames else { return };
        if frames.pause() == Some(Pause::End) {
            frames.end();
        } else if let Some(frames) = self.frames.take() {
            *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some((self.lines.printed, frames));
        }
    }

    fn is_due(&mut self, frames: u64) -> bool {
        let Some(keeper) = &mut self.keeper else { return false };
        let is_due = (0..frames).fold(false, |due, _| keeper.is_due() || due) && !self.is_kept;
        self.is_kept |= is_due;
        is_due
    }

    fn position(&mut self) -> Vec<u8> {
        self.frames.as_ref().map(Frames::save).unwrap_or_default()
    }

    fn write(&mut self, told: Vec<Told>) -> Result<(), String> {
        let text: String = told.iter().map(|told| &*told.text).collect();
        self.lines.printed += told.iter().map(|told| told.tag).sum::<u64>();
        self.lines.write(&text).map_err(|error| format!("{error:#}"))
    }

    fn keep(&mut self, kept: &Kept) -> Result<(), String> {
        self.is_kept = false;
        self.save(kept).map_err(|error| format!("{error:#}"))
    }
}
