//! Lateness: frames that come late, but not too late, are put in order; what comes twice is told from what comes late.
//!
//! A frame waits until one of its segment has come that is N time units later. So whatever is at most N late finds its
//! place, a time that comes a second time within N is known to be a duplicate, and whatever is later is too late, whether it
//! came before or not. What is kept is what the last N time units of each segment have.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;
use oled::{Frame, Symbol};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

/// What to do with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// It is the latest of its segment.
    InOrder,
    /// It is late, and finds its place.
    Late,
    /// One of this time came before.
    Duplicate,
    /// It is too late; the latest of its segment has this time.
    TooLate(i64),
}

/// The frames that wait.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Lateness {
    bound: i64,
    segments: IndexMap<Symbol, Waiting, FxBuildHasher>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Waiting {
    newest: i64,
    /// The times within the bound that have come.
    seen: BTreeSet<i64>,
    frames: BTreeMap<i64, Frame>,
}

impl Lateness {
    /// Nothing waits yet; frames may be so many time units late.
    pub(crate) fn new(bound: i64) -> Lateness {
        Lateness { bound, segments: IndexMap::default() }
    }

    /// How late frames may be.
    pub(crate) fn bound(&self) -> i64 {
        self.bound
    }

    /// The latest time of a segment that has come.
    pub(crate) fn newest(&self, segment: Symbol) -> Option<i64> {
        self.segments.get(&segment).map(|waiting| waiting.newest)
    }

    /// Takes note of a frame that comes now.
    pub(crate) fn arrive(&mut self, segment: Symbol, time: i64) -> Arrival {
        let new = || Waiting { newest: time, ..Waiting::default() };
        let waiting = self.segments.entry(segment).or_insert_with(new);
        let newest = waiting.newest.max(time);
        let oldest = newest.saturating_sub(self.bound);
        if time < oldest {
            return Arrival::TooLate(newest);
        }
        if !waiting.seen.insert(time) {
            return Arrival::Duplicate;
        }
        let late = time < waiting.newest;
        if newest > waiting.newest {
            waiting.newest = newest;
            waiting.seen = waiting.seen.split_off(&oldest);
        }
        if late { Arrival::Late } else { Arrival::InOrder }
    }

    /// Lets a frame wait; hands on those of its segment that nothing can come before any more.
    pub(crate) fn push(&mut self, frame: Frame, mut ready: impl FnMut(Frame)) {
        let Some(waiting) = self.segments.get_mut(&frame.segment) else { return ready(frame) };
        waiting.frames.insert(frame.time, frame);
        let oldest = waiting.newest.saturating_sub(self.bound);
        while let Some(first) = waiting.frames.first_entry().filter(|first| *first.key() <= oldest) {
            ready(first.remove());
        }
    }

    /// Hands on all frames of a segment, which is over.
    pub(crate) fn end(&mut self, segment: Symbol, ready: impl FnMut(Frame)) {
        if let Some(waiting) = self.segments.shift_remove(&segment) {
            waiting.frames.into_values().for_each(ready);
        }
    }

    /// Hands on all frames, segment by segment.
    pub(crate) fn end_all(&mut self, mut ready: impl FnMut(Frame)) {
        std::mem::take(&mut self.segments).into_values().flat_map(|w| w.frames.into_values()).for_each(&mut ready);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Arrival::{Duplicate, InOrder, Late, TooLate};

    #[test]
    fn late_frames_find_their_place_and_the_others_are_told_apart() {
        let mut lateness = Lateness::new(3);
        let mut ready = Vec::new();
        let segment = Symbol::new("s");
        let expected = [
            (1, InOrder),
            (4, InOrder),
            (2, Late),
            (2, Duplicate),
            (1, Duplicate),
            (5, InOrder),
            (1, TooLate(5)),
            (2, Duplicate),
            (9, InOrder),
            (5, TooLate(9)),
            (6, Late),
        ];
        for (time, arrival) in expected {
            assert_eq!(lateness.arrive(segment, time), arrival, "time {time}");
            if matches!(arrival, InOrder | Late) {
                lateness.push(Frame::new(segment, time), |frame| ready.push(frame.time));
            }
        }
        assert_eq!(ready, [1, 2, 4, 5, 6]);
        lateness.end_all(|frame| ready.push(frame.time));
        assert_eq!(ready, [1, 2, 4, 5, 6, 9]);
    }

    #[test]
    fn segments_wait_for_themselves_only() {
        let mut lateness = Lateness::new(2);
        let mut ready = Vec::new();
        for (segment, time) in [("a", 1), ("b", 100), ("a", 3), ("b", 99)] {
            lateness.arrive(Symbol::new(segment), time);
            lateness.push(Frame::new(Symbol::new(segment), time), |frame| ready.push(frame.time));
        }
        assert_eq!(ready, [1]);
        lateness.end(Symbol::new("b"), |frame| ready.push(frame.time));
        assert_eq!(ready, [1, 99, 100]);
    }
}
