//! Sink: where frames go once read, which sees to their order and counts what is left out.

use std::collections::VecDeque;

use indexmap::IndexMap;
use oled::{Frame, StateError, Symbol, state};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::delay::Delay;
use crate::error::{DataError, Problem, ProblemKind, Skipped};
use crate::lateness::{Arrival, Lateness};
use crate::reader::{ReadOptions, Sorting};
use crate::spans::{Span, Spans};
use crate::unknown::Unknown;

/// What all formats share: frames that are ready, the order they came in, and what to do about problems.
pub(crate) struct Sink {
    pub(crate) ready: VecDeque<Frame>,
    pub(crate) skipped: Skipped,
    lenient: bool,
    /// Whether frames may come in any order: they are sorted later.
    unsorted: bool,
    order: Order,
    /// Where frames wait for others that are late, if they may be.
    lateness: Option<Lateness>,
    /// The segment of the last frame that was pushed.
    pushed: Option<Symbol>,
    /// What holds from one time to another.
    pub(crate) spans: Spans,
    /// Where frames wait for their labels, if these come later.
    delay: Option<Delay>,
}

impl Sink {
    pub(crate) fn new(options: &ReadOptions) -> Sink {
        let ReadOptions { lenient, interleaved, lateness, ref declarations, .. } = *options;
        let order = Order { interleaved, last: IndexMap::default(), current: 0 };
        let mut skipped = Skipped::default();
        skipped.unknown = Unknown::new(declarations.clone());
        let (ready, lateness) = (VecDeque::new(), lateness.map(Lateness::new));
        let unsorted = options.sorting == Sorting::Whole && options.alone;
        let (spans, delay) = (Spans::default(), Delay::new(options));
        Sink { ready, skipped, lenient, unsorted, order, lateness, pushed: None, spans, delay }
    }

    /// What came so far and is not used yet, to be written.
    pub(crate) fn save(&self) -> Vec<u8> {
        let own = state::encode(&(&self.ready, &self.skipped, &self.order, &self.lateness, self.pushed, &self.spans));
        self.delay.as_ref().map_or(own.clone(), |delay| state::encode(&(&own, &delay.waiting)))
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        type State = (VecDeque<Frame>, Skipped, Order, Option<Lateness>, Option<Symbol>, Spans);
        let mut own = bytes.to_vec();
        if let Some(delay) = &mut self.delay {
            (own, delay.waiting) = state::decode(bytes)?;
        }
        let (ready, mut skipped, order, lateness, pushed, spans): State = state::decode(&own)?;
        skipped.unknown = skipped.unknown.with_declarations_of(&self.skipped.unknown);
        let bound = |lateness: &Option<Lateness>| lateness.as_ref().map(Lateness::bound);
        state::ensure(order.interleaved == self.order.interleaved, "the segments")?;
        state::ensure(bound(&lateness) == bound(&self.lateness), "the late frames")?;
        (self.ready, self.skipped, self.order, self.lateness, self.pushed) = (ready, skipped, order, lateness, pushed);
        // Labels that stand apart are not part of what was read.
        let labels = self.spans.labels.take();
        self.spans = spans;
        self.spans.labels = labels;
        Ok(())
    }

    /// Takes note of segments that were there before, and of their last times: it is a fault if one of them returns, or where segments
    /// are mixed if it does not go on.
    pub(crate) fn passed(&mut self, segments: &[(Symbol, i64)]) {
        self.order.last.extend(segments.iter().copied());
        // None of them is the one that frames are of.
        self.order.current = usize::MAX;
    }

    /// In lenient mode counts a problem whose cause the caller leaves out; else gives it back.
    pub(crate) fn skip_or_fail(&mut self, problem: Problem) -> Result<(), Problem> {
        if !self.lenient {
            return Err(problem);
        }
        self.skipped.add(problem.kind);
        Ok(())
    }

    pub(crate) fn set_lenient(&mut self, lenient: bool) {
        self.lenient = lenient;
    }

    /// What was left out since this was asked last.
    pub(crate) fn take_skipped(&mut self) -> Skipped {
        let mut fresh = Skipped::default();
        fresh.unknown = Unknown::default().with_declarations_of(&self.skipped.unknown);
        std::mem::replace(&mut self.skipped, fresh)
    }

    /// Whether a frame may come now. To be asked once for each frame, before it is pushed.
    pub(crate) fn admit(&mut self, segment: Symbol, time: i64) -> Result<(), Problem> {
        if self.unsorted {
            return Ok(());
        }
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
                    .hint("allow more with the option `lateness`, or skip what is too late with the option `lenient`"))
            }
        }
    }

    /// Whether frames of several segments may be mixed.
    pub(crate) fn is_interleaved(&self) -> bool {
        self.order.interleaved
    }

    /// Adds what holds from one time to another, if no frame at or after its beginning has been used. `open`: the time of a
    /// frame that is still being read.
    pub(crate) fn hold(&mut self, segment: Symbol, span: Span, open: Option<i64>) -> Result<(), Problem> {
        let Span { first, last, .. } = span;
        if last < first {
            let message = format!("what holds from {first} on cannot end before, at {last}");
            return Err(Problem::new(ProblemKind::WrongTime, 0, message)
                .hint("the first time point comes first; both are among those at which it holds"));
        }
        let newest = self.order.last_of(segment)?;
        let used = match &self.lateness {
            Some(lateness) => lateness.newest(segment).map(|newest| newest.saturating_sub(lateness.bound())),
            // A frame that is being read is not used yet.
            None => newest.filter(|last| open != Some(*last) || *last > first),
        };
        if let Some(used) = used.filter(|used| *used >= first) {
            let message = format!("what holds from {first} on comes after time {used} in segment `{segment}`");
            return Err(Problem::new(ProblemKind::OutOfOrder, 0, message)
                .hint("what holds from one time to another comes before the frames between them"));
        }
        self.spans.push(segment, span);
        Ok(())
    }

    pub(crate) fn push(&mut self, frame: Frame) {
        let Some(lateness) = &mut self.lateness else { return self.hand_on(frame) };
        if self.delay.is_some() {
            return self.push_both(frame);
        }
        let ready = &mut self.ready;
        let before = self.pushed.replace(frame.segment).filter(|before| *before != frame.segment);
        if let (Some(before), false) = (before, self.order.interleaved) {
            lateness.end(before, |frame| ready.push_back(frame));
        }
        lateness.push(frame, |frame| ready.push_back(frame));
    }

    /// The same where frames wait for late ones, and then for their labels.
    fn push_both(&mut self, frame: Frame) {
        let mut ready = Vec::new();
        let before = self.pushed.replace(frame.segment).filter(|before| *before != frame.segment);
        if let Some(lateness) = &mut self.lateness {
            if let (Some(before), false) = (before, self.order.interleaved) {
                lateness.end(before, |frame| ready.push(frame));
            }
            lateness.push(frame, |frame| ready.push(frame));
        }
        ready.into_iter().for_each(|frame| self.hand_on(frame));
    }

    /// Hands a frame on, which may have to wait for its labels.
    fn hand_on(&mut self, frame: Frame) {
        let Some(delay) = &mut self.delay else { return self.ready.push_back(frame) };
        delay.push(frame);
        if delay.is_due() {
            delay.refresh(&mut self.spans.labels);
        }
        while let Some(frame) = if delay.is_due() { delay.release() } else { None } {
            self.ready.push_back(frame);
        }
    }

    /// What is wrong with labels that came later.
    pub(crate) fn check(&mut self) -> Result<(), DataError> {
        self.skipped.late_labels = self.delay.as_ref().map_or(0, Delay::late);
        self.delay.as_mut().and_then(|delay| delay.failure.take()).map_or(Ok(()), Err)
    }

    /// Ends the stream: nothing waits any more.
    pub(crate) fn end(&mut self) {
        let mut left = Vec::new();
        if let Some(lateness) = &mut self.lateness {
            lateness.end_all(|frame| left.push(frame));
        }
        left.into_iter().for_each(|frame| self.hand_on(frame));
        if let Some(delay) = &mut self.delay {
            delay.refresh(&mut self.spans.labels);
            while let Some(frame) = delay.release() {
                self.ready.push_back(frame);
            }
        }
    }
}

fn duplicate(segment: Symbol, time: i64) -> Problem {
    Problem::new(ProblemKind::DuplicateFrame, 0, format!("time {time} comes twice in segment `{segment}`"))
        .hint("merge the two frames, or skip the second with the option `lenient`")
}

fn returns(segment: Symbol) -> Problem {
    let message = format!("segment `{segment}` returns after another one began");
    Problem::new(ProblemKind::SegmentReturns, 0, message)
        .hint("set `interleaved = true` in task.toml if segments are mixed on purpose")
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
                Some(_) if !self.interleaved => return Err(returns(segment)),
                Some(index) => index,
            },
        };
        Ok((false, current))
    }

    /// The last time of a segment, if it has begun; a problem if it is over.
    fn last_of(&self, segment: Symbol) -> Result<Option<i64>, Problem> {
        match self.last.get_full(&segment) {
            Some((index, ..)) if index != self.current && !self.interleaved => Err(returns(segment)),
            found => Ok(found.map(|(.., last)| *last)),
        }
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
                .hint("the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with the option `lateness=N`, or skip them with the option `lenient`"));
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
