//! Sink: where frames go once read, which sees to their order and counts what is left out.

use std::collections::VecDeque;

use indexmap::IndexMap;
use oled::{Frame, Symbol};
use rustc_hash::FxBuildHasher;

use crate::error::{Problem, ProblemKind, Skipped};

/// What all formats share: frames that are ready, the order they came in, and what to do about problems.
pub(crate) struct Sink {
    pub(crate) ready: VecDeque<Frame>,
    pub(crate) skipped: Skipped,
    lenient: bool,
    order: Order,
}

impl Sink {
    pub(crate) fn new(lenient: bool, interleaved: bool) -> Sink {
        let order = Order { interleaved, last: IndexMap::default(), current: 0 };
        Sink { ready: VecDeque::new(), skipped: Skipped::default(), lenient, order }
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
        self.order.admit(segment, time)
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        self.ready.push_back(frame);
    }
}

/// The time points of a segment increase, and unless segments are interleaved each comes in one piece.
struct Order {
    interleaved: bool,
    /// The last time of each segment so far.
    last: IndexMap<Symbol, i64, FxBuildHasher>,
    /// The segment of the last frame, as a position in `last`.
    current: usize,
}

impl Order {
    fn admit(&mut self, segment: Symbol, time: i64) -> Result<(), Problem> {
        let current = match self.last.get_index(self.current) {
            Some((s, _)) if *s == segment => self.current,
            _ => match self.last.get_index_of(&segment) {
                None => {
                    self.current = self.last.insert_full(segment, time).0;
                    return Ok(());
                }
                Some(_) if !self.interleaved => {
                    let message = format!("segment `{segment}` returns after another one began");
                    return Err(Problem::new(ProblemKind::SegmentReturns, 0, message)
                        .hint("set `interleaved = true` in task.toml if segments are mixed on purpose"));
                }
                Some(index) => index,
            },
        };
        let last = self.last[current];
        if time == last {
            let message = format!("time {time} comes twice in segment `{segment}`");
            return Err(Problem::new(ProblemKind::DuplicateFrame, 0, message)
                .hint("merge the two frames, or skip the second with `--lenient`"));
        }
        if time < last {
            let message = format!("time {time} comes after time {last} in segment `{segment}`");
            return Err(Problem::new(ProblemKind::OutOfOrder, 0, message)
                .hint("the time points of a segment must increase: sort them, or skip late frames with `--lenient`"));
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
        let mut sink = Sink::new(false, interleaved);
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
