//! Propositionalising by segment: what is made of frames before anything is decided, so that others can make it, segment by segment.

use serde::{Deserialize, Serialize};

use super::interpretation::Interpretation;
use super::propositionaliser::{Propositionaliser, PropositionaliserState};
use crate::event::EventKind;
use crate::lang::Symbol;
use crate::state::{StateError, decode, encode};
use crate::stream::Frame;

/// What was made of a frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Propositionalised {
    pub(super) interpretation: Option<Interpretation>,
    /// That a time point was left out, the first time: the limit, what it is set to, and what was too much.
    pub(super) left_out: Option<(Symbol, usize, String)>,
}

/// What makes interpretations of the frames of some segments, for a learner that decides on them.
///
/// The law: an interpretation depends on the frames of its segment alone. So whoever makes those of whole segments, and hands them
/// on in the order of the stream, makes what the learner would have made itself; all decisions are then taken in that order by one,
/// and are the same for any number of them. What they counted is added up, in any order; one that has seen nothing adds
/// nothing.
#[derive(Clone, Debug)]
pub struct SegmentPropositionaliser(Propositionaliser);

impl SegmentPropositionaliser {
    pub(super) fn new(propositionaliser: Propositionaliser) -> SegmentPropositionaliser {
        SegmentPropositionaliser(propositionaliser)
    }

    /// Takes a frame.
    pub fn observe(&mut self, frame: &Frame) -> Propositionalised {
        propositionalise(&mut self.0, frame)
    }

    /// What it knows of the stream so far.
    pub fn save(&self) -> Vec<u8> {
        encode(&self.0.state())
    }

    /// Goes on where another one of the same task and settings was saved.
    pub fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        let state: PropositionaliserState = decode(state)?;
        self.0.restore(state)
    }

    pub(super) fn propositionaliser(&self) -> &Propositionaliser {
        &self.0
    }
}

/// What a propositionaliser makes of a frame.
pub(super) fn propositionalise(propositionaliser: &mut Propositionaliser, frame: &Frame) -> Propositionalised {
    let interpretation = propositionaliser.observe(frame);
    let left_out = match propositionaliser.report_oversized() {
        Some(EventKind::Limited { limit, most, what }) => Some((limit, most, what)),
        _ => None,
    };
    Propositionalised { interpretation, left_out }
}
