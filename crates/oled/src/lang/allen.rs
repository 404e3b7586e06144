//! Allen's relations: how two intervals lie to each other, and what is told of two that lie so.
//!
//! Intervals are told by their first and their last time point, and both belong to them. Of two intervals exactly one of the
//! relations is true, or the other way round.
//!
//! | relation | of a source `S` and a target `T` |
//! |---|---|
//! | `before` | `S` is over when `T` begins |
//! | `meets` | the last time point of `S` is the first one of `T`, and neither is a single one |
//! | `overlaps` | `S` begins before `T`, and ends within it |
//! | `starts` | both begin together, and `S` ends first |
//! | `during` | `S` begins after `T`, and ends before it |
//! | `finishes` | `S` begins after `T`, and both end together |
//! | `equal` | both begin and end together |

use std::ops::RangeInclusive;

/// A first and a last time point.
pub type Bounds = (i64, i64);

/// How a source lies to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Allen {
    /// The source is over when the target begins.
    Before,
    /// The last time point of the source is the first one of the target.
    Meets,
    /// The source begins before the target, and ends within it.
    Overlaps,
    /// Both begin together, and the source ends first.
    Starts,
    /// The source begins after the target, and ends before it.
    During,
    /// The source begins after the target, and both end together.
    Finishes,
    /// Both begin and end together.
    Equal,
}

impl Allen {
    /// All of them.
    pub const ALL: [Allen; 7] =
        [Allen::Before, Allen::Meets, Allen::Overlaps, Allen::Starts, Allen::During, Allen::Finishes, Allen::Equal];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Allen::Before => "before",
            Allen::Meets => "meets",
            Allen::Overlaps => "overlaps",
            Allen::Starts => "starts",
            Allen::During => "during",
            Allen::Finishes => "finishes",
            Allen::Equal => "equal",
        }
    }

    /// Whether a source lies so to a target.
    ///
    /// ```
    /// use oled::lang::Allen;
    /// assert!(Allen::Meets.holds((2, 5), (5, 9)));
    /// assert!(Allen::Before.holds((2, 4), (5, 9)));
    /// assert!(!Allen::Overlaps.holds((2, 5), (5, 9)));
    /// ```
    pub fn holds(self, source: Bounds, target: Bounds) -> bool {
        let ((first, last), (begin, end)) = (source, target);
        match self {
            Allen::Before => last < begin,
            Allen::Meets => last == begin && first < last && begin < end,
            Allen::Overlaps => first < begin && begin < last && last < end,
            Allen::Starts => first == begin && last < end,
            Allen::During => begin < first && last < end,
            Allen::Finishes => begin < first && last == end,
            Allen::Equal => first == begin && last == end,
        }
    }

    /// When sources end that may lie so to a target.
    pub(crate) fn sources_end(self, (begin, end): Bounds) -> RangeInclusive<i64> {
        match self {
            Allen::Before => i64::MIN..=begin.saturating_sub(1),
            Allen::Meets => begin..=begin,
            Allen::Overlaps | Allen::Starts | Allen::During => begin..=end.saturating_sub(1),
            Allen::Finishes | Allen::Equal => end..=end,
        }
    }

    /// When targets end to which a source may lie so.
    pub(crate) fn targets_end(self, (_, last): Bounds) -> RangeInclusive<i64> {
        match self {
            Allen::Finishes | Allen::Equal => last..=last,
            _ => last.saturating_add(1)..=i64::MAX,
        }
    }
}

/// What is told of two intervals that lie to each other as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Told {
    /// The source.
    Source,
    /// The target.
    Target,
    /// What is in one of them.
    Union,
    /// What is in both.
    Intersection,
    /// What is in the source only.
    Complement,
    /// What is in the target only.
    Inverse,
}

impl Told {
    /// All of them.
    pub const ALL: [Told; 6] =
        [Told::Source, Told::Target, Told::Union, Told::Intersection, Told::Complement, Told::Inverse];

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Told::Source => "source",
            Told::Target => "target",
            Told::Union => "union",
            Told::Intersection => "intersection",
            Told::Complement => "relative_complement",
            Told::Inverse => "relative_complement_inverse",
        }
    }

    /// The intervals that are told, at most two.
    ///
    /// ```
    /// use oled::lang::Told;
    /// assert_eq!(Told::Union.of((1, 4), (3, 9)), [Some((1, 9)), None]);
    /// assert_eq!(Told::Inverse.of((4, 5), (1, 9)), [Some((1, 3)), Some((6, 9))]);
    /// ```
    pub fn of(self, source: Bounds, target: Bounds) -> [Option<Bounds>; 2] {
        let ((first, last), (begin, end)) = (source, target);
        match self {
            Told::Source => [Some(source), None],
            Told::Target => [Some(target), None],
            // Two intervals with a gap between them stay two; neighbours become one.
            Told::Union if last.saturating_add(1) < begin => [Some(source), Some(target)],
            Told::Union if end.saturating_add(1) < first => [Some(target), Some(source)],
            Told::Union => [Some((first.min(begin), last.max(end))), None],
            Told::Intersection => [bounds(first.max(begin), last.min(end)), None],
            Told::Complement => without(source, target),
            Told::Inverse => without(target, source),
        }
    }
}

/// What of one interval is not in another.
fn without((first, last): Bounds, (begin, end): Bounds) -> [Option<Bounds>; 2] {
    if last < begin || end < first {
        return [Some((first, last)), None];
    }
    [bounds(first, begin.saturating_sub(1)), bounds(end.saturating_add(1), last)]
}

fn bounds(first: i64, last: i64) -> Option<Bounds> {
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn intervals() -> impl Iterator<Item = Bounds> {
        (0..7).flat_map(|first| (first..7).map(move |last| (first, last)))
    }

    #[test]
    fn of_two_intervals_exactly_one_relation_is_true_this_way_or_the_other() {
        for source in intervals() {
            for target in intervals() {
                let this = Allen::ALL.iter().filter(|relation| relation.holds(source, target)).count();
                let other = Allen::ALL.iter().filter(|relation| relation.holds(target, source)).count();
                assert_eq!(this + other, if source == target { 2 } else { 1 }, "{source:?} {target:?}");
            }
        }
    }

    #[test]
    fn ends_that_are_looked_at_leave_nothing_out() {
        for source in intervals() {
            for target in intervals() {
                for relation in Allen::ALL.into_iter().filter(|relation| relation.holds(source, target)) {
                    assert!(relation.sources_end(target).contains(&source.1), "{relation:?} {source:?} {target:?}");
                    assert!(relation.targets_end(source).contains(&target.1), "{relation:?} {source:?} {target:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_told_has_the_time_points_that_it_says() {
        let within = |(first, last): Bounds, time: i64| first <= time && time <= last;
        for source in intervals() {
            for target in intervals() {
                for told in Told::ALL {
                    let found = told.of(source, target);
                    for time in -1..9 {
                        let (s, t) = (within(source, time), within(target, time));
                        let expected = match told {
                            Told::Source => s,
                            Told::Target => t,
                            Told::Union => s || t,
                            Told::Intersection => s && t,
                            Told::Complement => s && !t,
                            Told::Inverse => t && !s,
                        };
                        let is_told = found.iter().flatten().any(|bounds| within(*bounds, time));
                        assert_eq!(is_told, expected, "{told:?} {source:?} {target:?} at {time}");
                    }
                }
            }
        }
    }
}
