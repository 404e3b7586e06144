//! Covering: what is made of frames before anything is decided, so that others can make it, segment by segment.

use serde::{Deserialize, Serialize};

use super::cover::{Cover, CoverState};
use super::interpretation::Interpretation;
use crate::event::What;
use crate::lang::Symbol;
use crate::state::{StateError, decode, encode};
use crate::stream::Frame;

/// What was made of a frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Covered {
    pub(super) interpretation: Option<Interpretation>,
    /// That a time point was left out, the first time: the limit, what it is set to, and what was too much.
    pub(super) left_out: Option<(Symbol, usize, String)>,
}

/// What makes interpretations of the frames of some segments, for a learner that decides on them.
///
/// The law: an interpretation depends on the frames of its segment alone. So whoever makes those of whole segments, and hands them
/// on in the order of the stream, makes what the learner would have made itself; all decisions are then taken in that order by one,
/// and are the same for any number of coverings. What coverings counted is added up, in any order; one that has seen nothing adds
/// nothing.
#[derive(Clone, Debug)]
pub struct Covering(Cover);

impl Covering {
    pub(super) fn new(cover: Cover) -> Covering {
        Covering(cover)
    }

    /// Takes a frame.
    pub fn observe(&mut self, frame: &Frame) -> Covered {
        cover(&mut self.0, frame)
    }

    /// What it knows of the stream so far.
    pub fn save(&self) -> Vec<u8> {
        encode(&self.0.state())
    }

    /// Goes on where another one of the same task and settings was saved.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let state: CoverState = decode(state)?;
        self.0.restore(state)
    }

    pub(super) fn cover(&self) -> &Cover {
        &self.0
    }
}

/// What a cover makes of a frame.
pub(super) fn cover(cover: &mut Cover, frame: &Frame) -> Covered {
    let interpretation = cover.observe(frame);
    let left_out = match cover.tell_crowded() {
        Some(What::Limited { limit, most, what }) => Some((limit, most, what)),
        _ => None,
    };
    Covered { interpretation, left_out }
}
