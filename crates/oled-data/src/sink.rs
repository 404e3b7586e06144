//! Sink: where frames go once read, which sees to their order and counts what is left out.

use std::collections::VecDeque;

use indexmap::IndexMap;
use oled::{Frame, StateError, Symbol, state};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::error::{Problem, ProblemKind, Skipped};
use crate::lateness::{Arrival, Lateness};
use crate::reader::ReadOptions;
use crate::unknown::Unknown;

/// What all formats share: frames that are ready, the order they came in, and what to do about problems.
pub(crate) struct Sink {
    pub(crate) ready: VecDeque<Frame>,
    pub(crate) skipped: Skipped,
    lenient: bool,
    order: Order,
    /// Where frames wait for others that are late, if they may be.
    lateness: Option<Lateness>,
    /// The segment of the last frame that was pushed.
    pushed: Option<Symbol>,
}

impl Sink {
    pub(crate) fn new(options: &ReadOptions) -> Sink {
        let ReadOptions { lenient, interleaved, lateness, ref declarations, .. } = *options;
        let order = Order { interleaved, last: IndexMap::default(), current: 0 };
        let mut skipped = Skipped::default();
        skipped.unknown = Unknown::new(declarations.clone());
        let (ready, lateness) = (VecDeque::new(), lateness.map(Lateness::new));
        Sink { ready, skipped, lenient, order, lateness, pushed: None }
    }

    /// What came so far and is not used yet, to be written.
    pub(crate) fn save(&self) -> Vec<u8> {
        state::encode(&(&self.ready, &self.skipped, &self.order, &self.lateness, self.pushed))
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        type State = (VecDeque<Frame>, Skipped, Order, Option<Lateness>, Option<Symbol>);
        let (ready, mut skipped, order, lateness, pushed): State = state::decode(bytes)?;
        skipped.unknown = skipped.unknown.with_declarations_of(&self.skipped.unknown);
        let bound = |lateness: &Option<Lateness>| lateness.as_ref().map(Lateness::bound);
        state::ensure(order.interleaved == self.order.interleaved, "the segments")?;
        state::ensure(bound(&lateness) == bound(&self.lateness), "the late frames")?;
        (self.ready, self.skipped, self.order, self.lateness, self.pushed) = (ready, skipped, order, lateness, pushed);
        Ok(())
    }

    /// In lenient mode counts a problem whose cause the caller leaves out; else gives it back.
    pub(crate) fn forgive(&mut self, problem: Problem) -> Result<(), Problem> {
        if !self.lenient {
            return Err(problem);
        }
        self.skipped.add(problem.kind);
        Ok(())
    }

    /// Whether a frame may come now. To be asked once for each frame, before it is pushed.
    pub(crate) fn admit(&mut self, segment: Symbol, time: i64) -> Result<(), Problem> {
        let Some(lateness) = &mut self.lateness else { return self.order.admit(segment, time) };
        self.order.enter(segment, time)?;
        match lateness.arrive(segment, time) {
            Arrival::InOrder => Ok(()),
            Arrival::Late => {
                self.skipped.reordered += 1;
                Ok(())
            }
            Arrival::Duplicate => Err(duplicate(segment, time)),
            Arrival::TooLate(newest) => {
                let bound = lateness.bound();
                let message = format!(
                    "time {time} comes after time {newest} in segment `{segment}`, too late by more than {bound}"
                );
                Err(Problem::new(ProblemKind::OutOfOrder, 0, message)
                    .hint("allow more with `--lateness`, or skip what is too late with `--lenient`"))
            }
        }
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        let Some(lateness) = &mut self.lateness else { return self.ready.push_back(frame) };
        let ready = &mut self.ready;
        let before = self.pushed.replace(frame.segment).filter(|before| *before != frame.segment);
        if let (Some(before), false) = (before, self.order.interleaved) {
            lateness.end(before, |frame| ready.push_back(frame));
        }
        lateness.push(frame, |frame| ready.push_back(frame));
    }

    /// Ends the stream: nothing waits any more.
    pub(crate) fn end(&mut self) {
        if let Some(lateness) = &mut self.lateness {
            lateness.end_all(|frame| self.ready.push_back(frame));
        }
    }
}

fn duplicate(segment: Symbol, time: i64) -> Problem {
    Problem::new(ProblemKind::DuplicateFrame, 0, format!("time {time} comes twice in segment `{segment}`"))
        .hint("merge the two frames, or skip the second with `--lenient`")
}

/// The time points of a segment increase, and unless segments are interleaved each comes in one piece.
#[derive(Serialize, Deserialize)]
struct Order {
    interleaved: bool,
    /// The last time of each segment so far.
    last: IndexMap<Symbol, i64, FxBuildHasher>,
    /// The segment of the last frame, as a position in `last`.
    current: usize,
}

impl Order {
    /// Goes to a segment; returns whether it is new, and its position.
    fn enter(&mut self, segment: Symbol, time: i64) -> Result<(bool, usize), Problem> {
        let current = match self.last.get_index(self.current) {
            Some((s, _)) if *s == segment => self.current,
            _ => match self.last.get_index_of(&segment) {
                None => {
                    self.current = self.last.insert_full(segment, time).0;
                    return Ok((true, self.current));
                }
                Some(_) if !self.interleaved => {
                    let message = format!("segment `{segment}` returns after another one began");
                    return Err(Problem::new(ProblemKind::SegmentReturns, 0, message)
                        .hint("set `interleaved = true` in task.toml if segments are mixed on purpose"));
                }
                Some(index) => index,
            },
        };
        Ok((false, current))
    }

    fn admit(&mut self, segment: Symbol, time: i64) -> Result<(), Problem> {
        let (new, current) = self.enter(segment, time)?;
        if new {
            return Ok(());
        }
        let last = self.last[current];
        if time == last {
            return Err(duplicate(segment, time));
        }
        if time < last {
            let message = format!("time {time} comes after time {last} in segment `{segment}`");
            return Err(Problem::new(ProblemKind::OutOfOrder, 0, message)
                .hint("the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with `--lateness N`, or skip them with `--lenient`"));
        }
        self.last[current] = time;
        self.current = current;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(interleaved: bool, frames: &[(&str, i64)]) -> Vec<Option<ProblemKind>> {
        let mut sink = Sink::new(&ReadOptions { interleaved, ..ReadOptions::default() });
        frames.iter().map(|&(s, t)| sink.admit(s.into(), t).err().map(|p| p.kind)).collect()
    }

    #[test]
    fn a_segment_comes_in_one_piece_and_in_order() {
        use ProblemKind::{DuplicateFrame, OutOfOrder, SegmentReturns};
        let frames = [("a", 1), ("a", 1), ("a", 3), ("a", 2), ("b", 1), ("a", 4), ("b", 2)];
        let expected = [None, Some(DuplicateFrame), None, Some(OutOfOrder), None, Some(SegmentReturns), None];
        assert_eq!(admitted(false, &frames), expected);
    }

    #[test]
    fn interleaved_segments_each_keep_their_own_order() {
        use ProblemKind::{DuplicateFrame, OutOfOrder};
        let frames = [("a", 1), ("b", 5), ("a", 2), ("b", 5), ("b", 4), ("a", 3)];
        assert_eq!(admitted(true, &frames), [None, None, None, Some(DuplicateFrame), Some(OutOfOrder), None]);
    }
}
