//! The head of a cluster: the stream of a command, the file that lines go to, and the checkpoint.

use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oled::partition::Told;
use oled::state;
use oled_cluster::{Head, Kept, Next};
use oled_data::task_folder::TaskFolder;
use oled_data::{Digest, Frames, Pause, ReadOptions, Skipped};

use super::deciding::Decides;
use crate::args::InputArgs;
use crate::broker::{self, InLog};
use crate::checkpoint::{CheckpointArgs, Checkpointer, LiveArgs, open_frames, say_resumed};
use crate::input::stream_path;
use crate::resumable_file::ResumableFile;
use crate::source::Source;

/// What was written, and how many lines that told something.
pub(super) type Written = (Option<Digest>, u64);

/// What is left when all was read: the lines that told something, and the stream.
pub(super) type Read = Arc<Mutex<Option<(u64, Source)>>>;

/// Where what is told goes.
pub(super) enum To {
    /// Lines to standard output; how many told something.
    Standard(BufWriter<Stdout>, u64),
    /// Lines to a file.
    File(ResumableFile, u64),
    /// What was made of frames, to who decides on it.
    Decides(Decides),
}

impl To {
    /// Lines to a file, or to standard output; where it goes on, with what was written before.
    pub(super) fn lines(path: Option<&Path>, header: &str, before: Option<Written>) -> anyhow::Result<To> {
        let is_new = before.is_none();
        let (digest, printed) = before.unwrap_or_default();
        let mut to = match path {
            Some(path) => To::File(ResumableFile::open(path, digest)?, printed),
            None => To::Standard(BufWriter::new(io::stdout()), printed),
        };
        if is_new && !header.is_empty() {
            let header = Told { frame: 0, rank: 0, text: format!("{header}\n"), made: Vec::new(), tag: 0 };
            to.write(&[header])?;
        }
        Ok(to)
    }

    fn write(&mut self, told: &[Told]) -> anyhow::Result<()> {
        let text = || told.iter().map(|told| &*told.text).collect::<String>();
        let new = told.iter().map(|told| told.tag).sum::<u64>();
        match self {
            To::Standard(output, printed) => {
                *printed += new;
                Ok(output.write_all(text().as_bytes()).and_then(|()| output.flush())?)
            }
            To::File(file, printed) => {
                *printed += new;
                let written = file.write_all(text().as_bytes()).and_then(|()| file.flush());
                written.map_err(|error| file.failed(error))
            }
            To::Decides(decides) => {
                let mut decides = decides.lock().unwrap_or_else(PoisonError::into_inner);
                told.iter().try_for_each(|told| decides.take(&told.made))
            }
        }
    }

    /// How many lines told something.
    fn printed(&self) -> u64 {
        match self {
            To::Standard(_, printed) | To::File(_, printed) => *printed,
            To::Decides(_) => 0,
        }
    }
}

/// The head.
pub(super) struct Reader {
    frames: Option<Frames>,
    /// What knows the position, where the stream is a log.
    log: Option<InLog>,
    interleaved: bool,
    to: To,
    checkpointer: Option<Checkpointer<'static>>,
    /// Whether a checkpoint is under way: there is one at a time.
    is_kept: bool,
    stop: Arc<AtomicBool>,
    /// Where the stream goes when it was read.
    read: Read,
    /// What was left out by all who read, where each reads its pieces.
    shared: Option<Skipped>,
}

impl Reader {
    /// Opens a stream, from where a checkpoint left it if there is one. The second is where it is found in the end.
    pub(super) fn open(
        (folder, input, live): (&TaskFolder, &InputArgs, &LiveArgs),
        (checkpointer, checkpoint): (Option<Checkpointer<'static>>, &CheckpointArgs),
        to: To,
        stop: &Arc<AtomicBool>,
        position: Option<&[u8]>,
        quiet: bool,
    ) -> anyhow::Result<(Reader, Read)> {
        let path = stream_path(folder, input)?;
        let (frames, log) = if broker::is_log(&path) {
            let options = ReadOptions { lateness: live.lateness, ..input.read_options(folder) };
            let (frames, log) = broker::open_at(&path, &options, position)?;
            (if checkpoint.checkpoint.is_some() { frames.pausing() } else { frames }, Some(log))
        } else {
            (open_frames(folder, input, live, checkpoint, stop, position, quiet)?, None)
        };
        if position.is_some() {
            say_resumed(frames.place(), quiet);
        }
        let (interleaved, read) = (folder.task.options.interleaved, Read::default());
        let reader = Reader {
            frames: Some(frames),
            log,
            interleaved,
            to,
            checkpointer,
            is_kept: false,
            stop: stop.clone(),
            read: read.clone(),
            shared: None,
        };
        Ok((reader, read))
    }

    /// Where each process reads its pieces, and tells what was left out of them; nothing was so far.
    pub(super) fn shared(
        skipped: Skipped,
        checkpointer: Option<Checkpointer<'static>>,
        to: To,
        stop: &Arc<AtomicBool>,
    ) -> (Reader, Read) {
        let read = Read::default();
        let (stop, shared) = (stop.clone(), Some(skipped));
        let (frames, log, interleaved, is_kept) = (None, None, false, false);
        (Reader { frames, log, interleaved, to, checkpointer, is_kept, stop, read: read.clone(), shared }, read)
    }

    fn save(&mut self, kept: &Kept) -> anyhow::Result<()> {
        let Some(checkpointer) = &mut self.checkpointer else { return Ok(()) };
        match &mut self.to {
            To::Standard(_, printed) => checkpointer.save(false, || Ok((kept, (None::<Digest>, *printed)))),
            // What was written is on disk before it is said to be.
            To::File(file, printed) => {
                let written: Written = (Some(file.sync()?), *printed);
                checkpointer.save(false, || Ok((kept, written)))
            }
            To::Decides(decides) => {
                let state = decides.lock().unwrap_or_else(PoisonError::into_inner).save();
                checkpointer.save(false, || Ok((kept, state)))
            }
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

    fn was_read(&mut self, told: &[u8]) {
        if let (Some(shared), Ok(skipped)) = (&mut self.shared, state::decode(told)) {
            shared.merge(&skipped);
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn end(&mut self) {
        if let Some(skipped) = self.shared.take() {
            let read = (self.to.printed(), Source::Shared(Box::new(skipped)));
            *self.read.lock().unwrap_or_else(PoisonError::into_inner) = Some(read);
        }
        let Some(frames) = &mut self.frames else { return };
        if frames.pause() == Some(Pause::End) {
            frames.end();
        } else if let Some(frames) = self.frames.take() {
            *self.read.lock().unwrap_or_else(PoisonError::into_inner) =
                Some((self.to.printed(), Source::Stream(Box::new(frames))));
        }
    }

    fn is_due(&mut self, frames: u64) -> bool {
        let Some(checkpointer) = &mut self.checkpointer else { return false };
        let is_due = (0..frames).fold(false, |due, _| checkpointer.is_due() || due) && !self.is_kept;
        self.is_kept |= is_due;
        is_due
    }

    fn position(&mut self) -> Vec<u8> {
        if let Some(skipped) = &self.shared {
            return state::encode(skipped);
        }
        let save = |frames: &Frames| self.log.as_ref().map_or_else(|| frames.save(), |log| log.save(frames));
        self.frames.as_ref().map(save).unwrap_or_default()
    }

    fn write(&mut self, told: Vec<Told>) -> Result<(), String> {
        self.to.write(&told).map_err(|error| format!("{error:#}"))
    }

    fn keep(&mut self, kept: &Kept) -> Result<(), String> {
        self.is_kept = false;
        self.save(kept).map_err(|error| format!("{error:#}"))
    }
}
