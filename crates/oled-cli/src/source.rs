//! Source: where frames come from: a stream, read as it comes or ahead of its use, or the parts of a protocol of CAVIAR.

use std::path::Path;
use std::vec::IntoIter;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, bail};
use oled::{Frame, state};
use oled_data::caviar::{Videos, load_protocol, load_videos, shuffle};
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, Digest, Frames, Pause, Protocol, ReadAhead, Skipped, Unit};

use crate::args::InputArgs;
use crate::checkpoint::{CheckpointArgs, LiveArgs, open_frames};
use crate::input::{open_stream, stream_path};

/// Where frames come from.
pub(crate) enum Source {
    /// A stream.
    Stream(Box<Frames>),
    /// A stream, read on another thread.
    Ahead { frames: Box<ReadAhead>, total: Option<u64> },
    /// A stream that several processes have read, with what they left out.
    #[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "there are no other processes"))]
    Shared(Box<Skipped>),
    /// Frames in memory, to measure what is done with them.
    Memory(IntoIter<Frame>),
    /// The parts of a protocol, one after the other.
    Parts { units: IntoIter<Unit>, videos: Videos, frames: IntoIter<Frame>, taken: Taken },
}

/// How many frames were taken of the parts of a protocol, and what they were.
type Taken = (u64, Digest);

/// Which parts of a protocol are taken.
#[derive(Clone, Copy)]
pub(crate) enum Folds {
    All,
    Only(usize),
    Without(usize),
}

impl Source {
    /// The stream of a command; `ahead` if another thread may read it.
    pub(crate) fn stream(folder: &TaskFolder, args: &InputArgs, ahead: bool) -> anyhow::Result<Source> {
        let frames = open_stream(folder, args)?;
        // Who sends frames one by one wants each to be used at once.
        let live = stream_path(folder, args)? == Path::new("-");
        let total = frames.total_bytes();
        Ok(if ahead && !live {
            Source::Ahead { frames: Box::new(ReadAhead::new(frames)), total }
        } else {
            Source::Stream(Box::new(frames))
        })
    }

    /// The same, where it may be followed, or go on from a checkpoint.
    pub(crate) fn live(
        folder: &TaskFolder,
        args: &InputArgs,
        live: &LiveArgs,
        checkpoint: &CheckpointArgs,
        stop: &Arc<AtomicBool>,
        position: Option<&[u8]>,
        quiet: bool,
    ) -> anyhow::Result<Source> {
        Ok(Source::Stream(Box::new(open_frames(folder, args, live, checkpoint, stop, position, quiet)?)))
    }

    /// Goes on from a position in the parts of a protocol.
    pub(crate) fn skip_to(&mut self, position: &[u8]) -> anyhow::Result<()> {
        let (count, seen): Taken = state::decode(position)?;
        for _ in 0..count {
            self.next().context("the protocol has fewer time points than when the checkpoint was written")??;
        }
        match self {
            Source::Parts { taken, .. } if taken.1 != seen => bail!(
                "the videos are not those that were read before\nhint: bring them back, or start anew with another checkpoint"
            ),
            _ => Ok(()),
        }
    }

    /// The position behind the last frame that was taken.
    pub(crate) fn save(&self) -> Vec<u8> {
        match self {
            Source::Stream(frames) => frames.save(),
            Source::Parts { taken, .. } => state::encode(taken),
            Source::Ahead { .. } | Source::Memory(_) | Source::Shared(_) => {
                unreachable!("where there are checkpoints nothing is read ahead")
            }
        }
    }

    /// How many frames were taken, and at which byte the next piece of the input begins, where that is known.
    pub(crate) fn place(&self) -> (u64, Option<u64>) {
        match self {
            Source::Stream(frames) => frames.place(),
            Source::Parts { taken, .. } => (taken.0, None),
            Source::Ahead { .. } | Source::Memory(_) | Source::Shared(_) => (0, None),
        }
    }

    /// Why there was no frame: `None` if there will be none.
    pub(crate) fn pause(&self) -> Option<Pause> {
        match self {
            Source::Stream(frames) => frames.pause(),
            Source::Ahead { .. } | Source::Memory(_) | Source::Shared(_) | Source::Parts { .. } => None,
        }
    }

    /// Whether there is a position to be saved.
    pub(crate) fn has_position(&self) -> bool {
        matches!(self, Source::Parts { .. }) || self.pause().is_some()
    }

    /// Puts back the frame that was taken last, which was not used, where the run goes on from a position.
    pub(crate) fn put_back(&mut self, frame: Frame) {
        if let Source::Stream(frames) = self {
            frames.put_back(frame);
        }
    }

    /// Ends the input: what was held back comes now.
    pub(crate) fn end(&mut self) {
        if let Source::Stream(frames) = self {
            frames.end();
        }
    }

    /// Parts of a protocol, in the order of its file, or with a seed in a random one.
    pub(crate) fn parts(
        folder: &TaskFolder,
        args: &InputArgs,
        protocol: Protocol,
        folds: Folds,
        seed: Option<u64>,
    ) -> anyhow::Result<Source> {
        let directory = stream_path(folder, args)?;
        let videos = load_videos(&directory)?;
        let mut units = load_protocol(&directory, protocol)?;
        if let Folds::Only(fold) | Folds::Without(fold) = folds
            && !units.iter().any(|u| u.fold == fold)
        {
            let mut known: Vec<usize> = units.iter().map(|u| u.fold).collect();
            known.sort_unstable();
            known.dedup();
            let known: Vec<String> = known.iter().map(ToString::to_string).collect();
            bail!("`{protocol}` has no fold {fold}\nhint: its folds are {}", known.join(", "));
        }
        units.retain(|u| match folds {
            Folds::All => true,
            Folds::Only(fold) => u.fold == fold,
            Folds::Without(fold) => u.fold != fold,
        });
        if let Some(seed) = seed {
            shuffle(&mut units, seed);
        }
        Ok(Source::Parts { units: units.into_iter(), videos, frames: Vec::new().into_iter(), taken: Taken::default() })
    }

    /// The size of the input, where it is known.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        match self {
            Source::Stream(frames) => frames.total_bytes(),
            Source::Ahead { total, .. } => *total,
            Source::Memory(_) | Source::Shared(_) | Source::Parts { .. } => None,
        }
    }

    /// How much of it was read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        match self {
            Source::Stream(frames) => frames.bytes_read(),
            Source::Ahead { frames, .. } => frames.bytes_read(),
            Source::Memory(_) | Source::Shared(_) | Source::Parts { .. } => 0,
        }
    }

    /// What was left out, when all frames were taken.
    pub(crate) fn finish(self) -> Skipped {
        match self {
            Source::Stream(frames) => frames.skipped().clone(),
            Source::Ahead { frames, .. } => frames.finish(),
            Source::Shared(skipped) => *skipped,
            Source::Memory(_) | Source::Parts { .. } => Skipped::default(),
        }
    }
}

impl Iterator for Source {
    type Item = Result<Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Source::Stream(frames) => frames.next(),
            Source::Ahead { frames, .. } => frames.next(),
            Source::Memory(frames) => frames.next().map(Ok),
            Source::Shared(_) => None,
            Source::Parts { units, videos, frames, taken } => loop {
                if let Some(frame) = frames.next() {
                    taken.0 += 1;
                    taken.1.update(&state::encode(&frame));
                    return Some(Ok(frame));
                }
                let unit = units.next()?;
                match unit.frames(videos) {
                    Ok(of_unit) => *frames = of_unit.collect::<Vec<_>>().into_iter(),
                    Err(error) => return Some(Err(error)),
                }
            },
        }
    }
}
