//! Batches: frames side by side in flat memory, as they go from one thread to another.

use crate::lang::Symbol;
use crate::stream::{Facts, Frame};

/// Frames in their order. They are copied into it and out of it: memory that one thread takes for each frame and another gives back
/// costs both of them more than that.
///
/// ```
/// use oled::{Batch, Frame};
/// let mut frames = [1, 2].map(|time| Frame::new("lobby".into(), time));
/// frames[1].happens("walking", ["id1"]);
/// let mut batch = Batch::default();
/// frames.iter().for_each(|frame| batch.push(frame));
/// let mut frame = batch.get(1);
/// assert_eq!(frame, frames[1]);
/// batch.read(0, &mut frame);
/// assert_eq!(frame, frames[0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Batch {
    frames: Vec<Head>,
    narrative: Facts,
    annotation: Facts,
}

/// A frame without its facts.
#[derive(Clone, Copy, Debug)]
struct Head {
    segment: Symbol,
    time: i64,
    /// Where its narrative and its annotation end.
    ends: [usize; 2],
}

impl Batch {
    /// Adds a frame.
    pub fn push(&mut self, frame: &Frame) {
        self.narrative.append(&frame.narrative);
        self.annotation.append(&frame.annotation);
        let ends = [self.narrative.len(), self.annotation.len()];
        self.frames.push(Head { segment: frame.segment, time: frame.time, ends });
    }

    /// Copies the frame at a place into another, whose room is used again.
    pub fn read(&self, at: usize, frame: &mut Frame) {
        let Head { segment, time, ends: [narrative, annotation] } = self.frames[at];
        let before = at.checked_sub(1).map_or([0, 0], |before| self.frames[before].ends);
        (frame.segment, frame.time) = (segment, time);
        frame.narrative.copy(&self.narrative, before[0]..narrative);
        frame.annotation.copy(&self.annotation, before[1]..annotation);
    }

    /// A copy of the frame at a place.
    pub fn get(&self, at: usize) -> Frame {
        let mut frame = Frame::new(self.frames[at].segment, 0);
        self.read(at, &mut frame);
        frame
    }

    /// How many frames there are.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}
