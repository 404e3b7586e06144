//! Delay: frames wait for labels that come later; the table of labels is read again as it grows.
//!
//! A frame waits until one has come that is so many time units later, in whatever segment. Frames keep their order, so that
//! what is learned from them is what labels that were there from the beginning would teach.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::SystemTime;

use oled::Frame;
use serde::{Deserialize, Serialize};

use crate::error::DataError;
use crate::labels::Labels;
use crate::reader::ReadOptions;

/// Frames that wait, and the labels that they wait for.
pub(crate) struct Delay {
    units: i64,
    path: PathBuf,
    options: ReadOptions,
    /// How long the table was when it was read, and when it was written.
    stamp: Option<(u64, SystemTime)>,
    pub(crate) waiting: Waiting,
    /// What was wrong with the table when it was read again.
    pub(crate) failure: Option<DataError>,
}

/// What has to be known to go on.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Waiting {
    frames: VecDeque<Frame>,
    newest: Option<i64>,
    /// The latest time of a frame that waits no more.
    released: Option<i64>,
    /// Labels about frames that did not wait any more.
    late: u64,
}

impl Delay {
    /// For a stream that is followed while labels come later: the one that the options say, if it is one.
    pub(crate) fn new(options: &ReadOptions) -> Option<Delay> {
        let follows = options.live.as_ref().is_some_and(|live| live.follow);
        let units = options.tables.as_ref().and_then(|tables| tables.delay).filter(|_| follows)?;
        let path = options.labels_from.clone()?;
        let mut delay =
            Delay { units, path, options: options.clone(), stamp: None, waiting: Waiting::default(), failure: None };
        delay.stamp = delay.stamped();
        Some(delay)
    }

    fn stamped(&self) -> Option<(u64, SystemTime)> {
        let metadata = std::fs::metadata(&self.path).ok()?;
        Some((metadata.len(), metadata.modified().ok()?))
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        let waiting = &mut self.waiting;
        waiting.newest = waiting.newest.max(Some(frame.time));
        waiting.frames.push_back(frame);
    }

    /// Whether the first frame has waited long enough.
    pub(crate) fn is_due(&self) -> bool {
        let Waiting { frames, newest, .. } = &self.waiting;
        let first = frames.front().zip(*newest);
        first.is_some_and(|(first, newest)| newest.saturating_sub(first.time) >= self.units)
    }

    /// Reads the labels again, if there are others by now. Counts those that come too late.
    pub(crate) fn refresh(&mut self, labels: &mut Option<Labels>) {
        let stamp = self.stamped();
        if stamp == self.stamp || self.failure.is_some() {
            return;
        }
        match Labels::read_growing(&self.path, &self.options) {
            Ok(mut read) => {
                let known = labels.as_ref().map_or(0, Labels::rows);
                self.waiting.late += self.waiting.released.map_or(0, |released| read.begun(known, released));
                if let Some(labels) = labels.as_mut() {
                    read.go_on_from(labels);
                }
                *labels = Some(read);
                self.stamp = stamp;
            }
            Err(error) => self.failure = Some(error),
        }
    }

    /// The first frame, which waits no more.
    pub(crate) fn release(&mut self) -> Option<Frame> {
        let frame = self.waiting.frames.pop_front()?;
        self.waiting.released = self.waiting.released.max(Some(frame.time));
        Some(frame)
    }

    /// Labels that came too late.
    pub(crate) fn late(&self) -> u64 {
        self.waiting.late
    }
}
