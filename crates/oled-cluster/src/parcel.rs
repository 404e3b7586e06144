//! Parcels: what goes from process to process.

use oled::partition::{Place, Told};
use oled::{Frame, Symbol};
use serde::{Deserialize, Serialize};

/// What a shard has to do in an epoch.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Parcel {
    /// The shard.
    pub shard: u64,
    /// What it has to do, in this order.
    pub deeds: Vec<Deed>,
}

/// One thing to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Deed {
    /// Go on from what was saved.
    Restore(Vec<u8>),
    /// A segment is over with the frame at this place.
    Over(Symbol, Place),
    /// The next frame.
    Frame(Frame, Place),
    /// The stream is over.
    End,
    /// Say what is known.
    Save,
    /// Hand this on to the head: what is known of a piece of the stream that another process has read.
    Pass(Piece),
}

/// What is known of a piece of a stream when it was read.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Piece {
    /// The frames in it.
    pub frames: u64,
    /// The segments that have frames in it, in the order of their first ones.
    pub segments: Vec<Seen>,
    /// Whether another segment follows its last one.
    pub closed: bool,
    /// What was wrong with it, and with which frame it ended.
    pub failed: Option<(u64, String)>,
    /// What else the head wants to know of it.
    pub told: Vec<u8>,
}

/// A segment in a piece.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Seen {
    /// Its name.
    pub segment: Symbol,
    /// The number of its first frame there.
    pub frame: u64,
    /// The times of its first and of its last frame there.
    pub times: [i64; 2],
}

/// What a shard says.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// What it tells.
    Told(Told),
    /// What it knows.
    State(u64, Vec<u8>),
    /// What is known of a piece of the stream.
    Piece(Piece),
    /// What went wrong, with the number of the frame.
    Failed(u64, String),
}
