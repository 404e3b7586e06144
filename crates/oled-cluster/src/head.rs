//! The head: what the first process does beside its share of the work.

use oled::Frame;
use oled::partition::{Sequencer, Told};
use serde::{Deserialize, Serialize};

use crate::shards::shard;

/// What comes next in a stream.
#[derive(Debug)]
pub enum Next {
    /// A frame.
    Frame(Frame),
    /// The input is at its end, and can be saved here: it is ended by [`Head::end`].
    AtEnd,
    /// There is no more.
    Over,
    /// Somebody has asked to stop.
    Stopped,
    /// Something is wrong, which is told when all before it was.
    Failed(String),
}

/// Everything that is known behind an epoch, and nothing after it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Kept {
    /// The position in the stream.
    pub position: Vec<u8>,
    /// How many frames and segments there were.
    pub sequencer: Sequencer,
    /// What each shard knows that has seen a frame.
    pub shards: Vec<(u64, Vec<u8>)>,
}

/// Where frames come from, where lines go, and what is kept. There is one, in the first process.
pub trait Head: Send {
    /// How many frames make an epoch: with fewer the news of epochs cost more than the frames, with more what is told waits
    /// longer.
    fn epoch(&self) -> u64 {
        256
    }

    /// The shard that a frame belongs to.
    fn shard(&self, frame: &Frame) -> u64 {
        shard(frame.segment)
    }

    /// Whether the segments of the stream are mixed.
    fn is_interleaved(&self) -> bool;

    /// What comes next.
    fn next(&mut self) -> Next;

    /// Ends the input: what was held back comes now.
    fn end(&mut self);

    /// Whether it is time to keep what is known, behind an epoch of so many frames.
    fn is_due(&mut self, frames: u64) -> bool;

    /// The position behind the frame that was taken last.
    fn position(&mut self) -> Vec<u8>;

    /// Takes note of what another process tells of a piece that it has read.
    fn was_read(&mut self, _told: &[u8]) {}

    /// Whether somebody has asked to stop.
    fn is_stopped(&self) -> bool {
        false
    }

    /// Writes what was told of an epoch, in its order.
    fn write(&mut self, told: Vec<Told>) -> Result<(), String>;

    /// Keeps what is known, and what was written so far, so that a later run goes on from here.
    fn keep(&mut self, kept: &Kept) -> Result<(), String>;
}
