//! Source: where frames come from: a stream, read as it comes or ahead of its use, or the parts of a protocol of CAVIAR.

use std::path::Path;
use std::vec::IntoIter;

use anyhow::bail;
use oled::Frame;
use oled_data::caviar::{Videos, load_protocol, load_videos, shuffle};
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, Frames, Protocol, ReadAhead, Skipped, Unit};

use crate::args::InputArgs;
use crate::input::{open_stream, stream_path};

/// Where frames come from.
pub(crate) enum Source {
    /// A stream.
    Stream(Frames),
    /// A stream, read on another thread.
    Ahead { frames: ReadAhead, total: Option<u64> },
    /// The parts of a protocol, one after the other.
    Parts { units: IntoIter<Unit>, videos: Videos, frames: IntoIter<Frame> },
}

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
            Source::Ahead { frames: ReadAhead::new(frames), total }
        } else {
            Source::Stream(frames)
        })
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
        Ok(Source::Parts { units: units.into_iter(), videos, frames: Vec::new().into_iter() })
    }

    /// The size of the input, where it is known.
    pub(crate) fn total_bytes(&self) -> Option<u64> {
        match self {
            Source::Stream(frames) => frames.total_bytes(),
            Source::Ahead { total, .. } => *total,
            Source::Parts { .. } => None,
        }
    }

    /// How much of it was read so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        match self {
            Source::Stream(frames) => frames.bytes_read(),
            Source::Ahead { frames, .. } => frames.bytes_read(),
            Source::Parts { .. } => 0,
        }
    }

    /// What was left out, when all frames were taken.
    pub(crate) fn finish(self) -> Skipped {
        match self {
            Source::Stream(frames) => frames.skipped().clone(),
            Source::Ahead { frames, .. } => frames.finish(),
            Source::Parts { .. } => Skipped::default(),
        }
    }
}

impl Iterator for Source {
    type Item = Result<Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Source::Stream(frames) => frames.next(),
            Source::Ahead { frames, .. } => frames.next(),
            Source::Parts { units, videos, frames } => loop {
                if let Some(frame) = frames.next() {
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
