//! Deal: what is held out in each fold: whole segments, or, where too few of them have the event, stretches of their time.
//!
//! Segments with events are dealt out evenly, and so are the others. Where fewer segments have events than there are folds, as
//! in a stream that is one single segment, each of them is cut into as many stretches, with as many annotated intervals in each.
//! A stretch is held out by calling what is annotated in it unknown: what rules do before it still counts for what holds in it,
//! as it will when they recognise. A fold without which too few intervals are left for any rule says nothing of rules: it is not judged.

use std::borrow::Cow;
use std::ops::Range;

use super::{Scope, Segment};
use crate::replay::evidence::SUPPORT;

/// There are so many folds: with two, rules are made from too little; every fold more costs a search.
pub(super) const FOLDS: usize = 3;

/// Which time points of each segment are held out in which fold.
pub(super) struct Deal<'a> {
    segments: &'a [&'a Segment<'a>],
    group: usize,
    spans: Vec<[Range<u64>; FOLDS]>,
    /// The folds without which rules can be right about enough intervals.
    folds: Vec<usize>,
}

/// All time points of a segment, and none.
const ALL: Range<u64> = 0..u64::MAX;
const NONE: Range<u64> = 0..0;

impl<'a> Deal<'a> {
    /// Deals out segments for a fluent.
    pub(super) fn new(segments: &'a [&'a Segment<'a>], scope: Scope<'_>) -> Deal<'a> {
        let annotated: Vec<Vec<Range<u64>>> = segments.iter().map(|segment| intervals(segment, scope)).collect();
        let cut = annotated.iter().filter(|intervals| !intervals.is_empty()).count() < FOLDS;
        // How many segments were dealt out: without events, and with them.
        let mut dealt = [0; 2];
        let spans = annotated.iter().map(|intervals| {
            let dealt = &mut dealt[usize::from(!intervals.is_empty())];
            let mut spans = if cut && !intervals.is_empty() {
                stretches(intervals)
            } else {
                std::array::from_fn(|fold| if fold == 0 { ALL } else { NONE })
            };
            spans.rotate_right(*dealt % FOLDS);
            *dealt += 1;
            spans
        });
        let spans: Vec<[Range<u64>; FOLDS]> = spans.collect();
        let left = |fold: usize| -> usize {
            let begin = annotated.iter().zip(&spans).map(|(intervals, spans)| (intervals, &spans[fold]));
            begin.map(|(all, span)| all.iter().filter(|interval| !span.contains(&interval.start)).count()).sum()
        };
        let folds = (0..FOLDS).filter(|fold| left(*fold) >= SUPPORT).collect();
        Deal { segments, group: scope.group, spans, folds }
    }

    /// The folds that are judged.
    pub(super) fn folds(&self) -> &[usize] {
        &self.folds
    }

    /// What is left without a fold.
    pub(super) fn rest(&self, fold: usize) -> Vec<Cow<'a, Segment<'a>>> {
        self.parts(fold, &ALL, |segment, span| segment.without(self.group, span))
    }

    /// What is held out in a fold.
    pub(super) fn held_out(&self, fold: usize) -> Vec<Cow<'a, Segment<'a>>> {
        self.parts(fold, &NONE, |segment, span| segment.within(self.group, span))
    }

    /// Each segment, or what is left of it in a fold. Those of which nothing is left are not among them.
    fn parts(
        &self,
        fold: usize,
        nothing: &Range<u64>,
        part: impl Fn(&'a Segment<'a>, &Range<u64>) -> Segment<'a>,
    ) -> Vec<Cow<'a, Segment<'a>>> {
        let of = |(segment, spans): (&&'a Segment<'a>, &[Range<u64>; FOLDS])| match &spans[fold] {
            span if span == nothing => None,
            span if *span == ALL || *span == NONE => Some(Cow::Borrowed(*segment)),
            span => Some(Cow::Owned(part(segment, span))),
        };
        self.segments.iter().zip(&self.spans).filter_map(of).collect()
    }
}

/// When a fluent is annotated in a segment, of any instance, in the order of beginnings.
fn intervals(segment: &Segment<'_>, scope: Scope<'_>) -> Vec<Range<u64>> {
    let mut all: Vec<Range<u64>> = Vec::new();
    for instance in &segment.groups[scope.group] {
        let first = all.len();
        let mut time = instance.start;
        for run in instance.runs() {
            let end = time + u64::from(run.length);
            if run.labels >> (2 * scope.place) & 3 == 1 {
                match all[first..].last_mut() {
                    Some(last) if last.end == time => last.end = end,
                    _ => all.push(time..end),
                }
            }
            time = end;
        }
    }
    all.sort_unstable_by_key(|interval| (interval.start, interval.end));
    all
}

/// The time of a segment, cut so that as many intervals begin in each stretch. A cut is in the middle between two intervals, or
/// where the later one begins, if they overlap.
fn stretches(intervals: &[Range<u64>]) -> [Range<u64>; FOLDS] {
    let cut = |number: usize| {
        let first = (number * intervals.len()).div_ceil(FOLDS);
        let Some(next) = intervals.get(first).filter(|_| number > 0) else {
            return if number == 0 { 0 } else { u64::MAX };
        };
        let before = intervals[..first].iter().map(|interval| interval.end).max().unwrap_or(0);
        if before < next.start { before.midpoint(next.start) } else { next.start }
    };
    std::array::from_fn(|fold| cut(fold)..cut(fold + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stretches_have_as_many_intervals_and_leave_none_of_the_time_out() {
        let of = |starts: &[u64]| stretches(&starts.iter().map(|start| *start..start + 4).collect::<Vec<_>>());
        assert_eq!(of(&[10, 20, 30, 40, 50, 60]), [0..27, 27..47, 47..u64::MAX]);
        // Of those that overlap the later one begins a stretch.
        assert_eq!(of(&[10, 11, 12]), [0..11, 11..12, 12..u64::MAX]);
        // Where there are too few, a stretch is empty.
        assert_eq!(of(&[10]), [0..u64::MAX, u64::MAX..u64::MAX, u64::MAX..u64::MAX]);
    }
}
