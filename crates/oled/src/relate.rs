//! Relations of intervals: what follows from two intervals that lie to each other in a certain way, told as soon as both are
//! over.
//!
//! A pair is found when the later one of the two is known. Only what ended within the horizon is remembered: two intervals are
//! related if their ends are not further apart, and a part of them is told if it ended not longer than the horizon before the
//! later one. What is told may be related again; it comes late by at most a horizon for each relation that it went through, and
//! what it may meet is remembered as much longer. Each pair is judged by itself, and equal intervals of a fluent are told once.

mod kept;
mod rule;

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::calculus::{End, Interval};
use crate::lang::{
    Atom, Bounds, Durations, Intervals, Related, Signature, Symbol, Symmetries, Value, exchanged, same_fluent,
};
use crate::state::{StateError, ensure};
use kept::{Item, Kept};
use rule::{Rule, Side};

/// Rules about intervals at work.
#[derive(Clone, Debug)]
pub(crate) struct Relations {
    rules: Vec<Rule>,
    /// The fluents that they define, with how much later than it is over an interval may become known.
    heads: Vec<(Signature, i64)>,
    horizon: i64,
    symmetries: Symmetries,
    durations: Durations,
    segments: Segments,
    /// What was told since the last frame, where somebody asks why.
    followed: Option<Vec<Followed>>,
}

/// An interval that follows from others.
#[derive(Clone, Debug, PartialEq)]
pub struct Followed {
    /// What is told.
    pub interval: Interval,
    /// The rule, by its number among those about intervals: of the background first, then of the theory.
    pub rule: usize,
    /// The source, and the target where there are two.
    pub of: Vec<Interval>,
    /// How sure it is, over all of its time points and at the least probable one: as the less sure one of the two.
    pub sure: Sure,
}

/// How sure an interval is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sure {
    /// Over all of its time points.
    pub mean: f64,
    /// At the least probable one.
    pub weakest: f64,
}

impl Default for Sure {
    fn default() -> Sure {
        Sure { mean: 1.0, weakest: 1.0 }
    }
}

impl Sure {
    /// As sure as the less sure one.
    fn and(self, other: Sure) -> Sure {
        Sure { mean: self.mean.min(other.mean), weakest: self.weakest.min(other.weakest) }
    }
}

/// What is remembered of each segment.
pub(crate) type Segments = IndexMap<Symbol, Segment, FxBuildHasher>;

type Values = Box<[Value]>;

/// When instances began that were over together.
type FirstOf = IndexSet<(i64, Values), FxBuildHasher>;

/// What is remembered of a segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Segment {
    /// For each rule the sources and the targets that may still be related.
    kept: Vec<[Kept; 2]>,
    /// For each fluent what was told, by when it was over.
    told: Vec<BTreeMap<i64, FirstOf>>,
}

impl Relations {
    /// Nothing is known yet.
    pub(crate) fn new(related: &[&Related], horizon: i64, symmetries: Symmetries, durations: Durations) -> Relations {
        let mut heads: Vec<&Atom> = Vec::new();
        for rule in related {
            if !heads.iter().any(|head| same_fluent(head, &rule.head)) {
                heads.push(&rule.head);
            }
        }
        // What is told of what is told comes later; rules do not depend on themselves, so this comes to an end.
        let mut late = vec![0_i64; heads.len()];
        let place = |atom: &Atom| heads.iter().position(|head| same_fluent(head, atom));
        for _ in related {
            for rule in related {
                let more = if matches!(rule.of, Intervals::Pair { .. }) { horizon } else { 0 };
                let most = rule.of.fluents().filter_map(place).map(|of| late[of]).max().unwrap_or(0);
                let head = place(&rule.head).expect("all heads are listed");
                late[head] = late[head].max(most.saturating_add(more));
            }
        }
        let late_of = |atom: &Atom| place(atom).map_or(0, |head| late[head]);
        let rules = related.iter().map(|rule| Rule::new(rule, place(&rule.head).expect("all are listed"), late_of));
        Relations {
            rules: rules.collect(),
            heads: heads.iter().map(|head| Signature::of(head)).zip(late.iter().copied()).collect(),
            horizon,
            symmetries,
            durations,
            segments: Segments::default(),
            followed: None,
        }
    }

    /// From now on takes note of what follows from what.
    pub(crate) fn trace(&mut self) {
        self.followed = Some(Vec::new());
    }

    /// Forgets what was told before.
    pub(crate) fn begin(&mut self) {
        self.followed.iter_mut().for_each(Vec::clear);
    }

    /// What was told since, where somebody asks why.
    pub(crate) fn followed(&self) -> &[Followed] {
        self.followed.as_deref().unwrap_or_default()
    }

    /// Whether there are no rules.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The fluents that are told of.
    pub(crate) fn fluents(&self) -> impl Iterator<Item = Signature> {
        let heads: IndexSet<Signature, FxBuildHasher> = self.heads.iter().map(|(head, _)| *head).collect();
        heads.into_iter()
    }

    /// Adds to intervals what follows from those after the first ones.
    pub(crate) fn follow(&mut self, closed: &mut Vec<Interval>, first: usize) {
        let mut at = first;
        while at < closed.len() {
            if self.asks_for(closed[at].signature) {
                let interval = closed[at].clone();
                let mut told = Vec::new();
                self.take(&interval, Sure::default(), &mut told);
                closed.extend(told.iter().map(|followed| followed.interval.clone()));
                self.followed.iter_mut().for_each(|all| all.extend(told.iter().cloned()));
            }
            at += 1;
        }
    }

    /// Adds to intervals what follows from one of them, which is so sure, and from that in turn.
    pub(crate) fn follow_sure(&mut self, interval: &Interval, sure: Sure) -> Vec<Followed> {
        let mut told = Vec::new();
        if self.asks_for(interval.signature) {
            self.take(interval, sure, &mut told);
        }
        let mut at = 0;
        while at < told.len() {
            let Followed { interval, sure, .. } = told[at].clone();
            if self.asks_for(interval.signature) {
                self.take(&interval, sure, &mut told);
            }
            at += 1;
        }
        told
    }

    /// Whether a rule asks for the intervals of a fluent.
    fn asks_for(&self, fluent: Signature) -> bool {
        let uses = |side: &Side| side.signature == fluent;
        self.rules.iter().any(|rule| uses(&rule.source) || rule.pair.as_ref().is_some_and(|(t, ..)| uses(t)))
    }

    /// Forgets what nothing can be related to any more, after a time point.
    pub(crate) fn forget(&mut self, segment: Symbol, time: i64) {
        let Some(state) = self.segments.get_mut(&segment) else { return };
        for (rule, [sources, targets]) in self.rules.iter().zip(&mut state.kept) {
            if let Some((target, ..)) = &rule.pair {
                sources.forget(time.saturating_sub(self.horizon.saturating_add(target.late)));
                targets.forget(time.saturating_sub(self.horizon.saturating_add(rule.source.late)));
            }
        }
        for ((_, late), told) in self.heads.iter().zip(&mut state.told) {
            let before = time.saturating_sub(*late);
            while told.first_key_value().is_some_and(|(last, _)| *last < before) {
                told.pop_first();
            }
        }
    }

    /// Forgets segments that have ended: all but one.
    pub(crate) fn keep_only(&mut self, segment: Option<Symbol>) {
        self.segments.retain(|name, _| Some(*name) == segment);
    }

    /// Takes over what is remembered by the same rules.
    pub(crate) fn adopt(&mut self, old: Relations) {
        if self.rules == old.rules && self.horizon == old.horizon {
            self.segments = old.segments;
        }
    }

    /// What is remembered: for [`Relations::restore`].
    pub(crate) fn state(&self) -> &Segments {
        &self.segments
    }

    /// Whether this can be what these rules remember.
    pub(crate) fn check(&self, segments: &Segments) -> Result<(), StateError> {
        let widths = |side: &Side| side.args.len();
        let fits = |segment: &Segment| {
            let kept = |(rule, sides): (&Rule, &[Kept; 2])| {
                let target = rule.pair.as_ref().map_or(0, |(target, ..)| widths(target));
                sides[0].is_of_width(widths(&rule.source)) && sides[1].is_of_width(target)
            };
            segment.kept.len() == self.rules.len()
                && segment.told.len() == self.heads.len()
                && self.rules.iter().zip(&segment.kept).all(kept)
        };
        ensure(segments.values().all(fits), "the intervals that are related")
    }

    /// Goes on with what was saved, and checked.
    pub(crate) fn restore(&mut self, segments: Segments) {
        self.segments = segments;
    }

    /// The number of intervals that are remembered: for tests.
    pub(crate) fn remembered(&self) -> usize {
        let kept = |segment: &Segment| {
            let sides = segment.kept.iter().flatten().flat_map(|kept| kept.by_key.values().flat_map(BTreeMap::values));
            sides.map(Vec::len).sum::<usize>()
                + segment.told.iter().flat_map(BTreeMap::values).map(IndexSet::len).sum::<usize>()
        };
        self.segments.values().map(kept).sum()
    }

    fn take(&mut self, interval: &Interval, sure: Sure, closed: &mut Vec<Followed>) {
        let Relations { rules, heads, horizon, symmetries, durations, segments, .. } = self;
        let state = segments.entry(interval.segment).or_insert_with(|| Segment {
            kept: vec![<[Kept; 2]>::default(); rules.len()],
            told: vec![BTreeMap::default(); heads.len()],
        });
        let Segment { kept, told } = state;
        let is_symmetric = symmetries.has(interval.signature);
        // Of a symmetric fluent one order stands for both.
        let other = is_symmetric.then(|| Box::from(exchanged(&interval.values))).filter(|v| *v != interval.values);
        let orders: Vec<Values> = [interval.values.clone()].into_iter().chain(other).collect();
        for (number, (rule, [sources, targets])) in rules.iter().zip(kept).enumerate() {
            let mut tell = |bound: &[Option<Value>], bounds: Bounds, end: End, of: &[(&Side, &Item, i64)]| {
                let mut values: Values = rule.head_args.iter().map(|arg| arg.value(bound)).collect();
                let (first, last) = bounds;
                let signature = heads[rule.head].0;
                symmetries.canonical(signature, &mut values);
                if durations.is_short(signature, &values, bounds) {
                    return;
                }
                if told[rule.head].entry(last).or_default().insert((first, values.clone())) {
                    let segment = interval.segment;
                    let ground = |(side, item, last): &(&Side, &Item, i64)| {
                        let values = symmetries.in_order(side.signature, &item.values).into();
                        let (signature, first, end) = (side.signature, item.first, item.end);
                        Interval { segment, signature, values, first, last: *last, end }
                    };
                    closed.push(Followed {
                        interval: Interval { segment, signature, values, first, last, end },
                        rule: number,
                        of: of.iter().map(ground).collect(),
                        sure: of.iter().map(|(_, item, _)| item.sure).fold(Sure::default(), Sure::and),
                    });
                }
            };
            for values in &orders {
                let item = Item { values: values.clone(), first: interval.first, end: interval.end, sure };
                let Some((target, relation, part)) = &rule.pair else {
                    if rule.source.signature == interval.signature
                        && let Some(bound) = rule.bind([(&rule.source, values)])
                    {
                        let bounds = (interval.first, interval.last);
                        tell(&bound, bounds, interval.end, &[(&rule.source, &item, interval.last)]);
                    }
                    continue;
                };
                let mut relate = |source: (&Item, i64), target_item: (&Item, i64)| {
                    let bounds = |(item, last): (&Item, i64)| (item.first, last);
                    let (s, t) = (bounds(source), bounds(target_item));
                    if s.1.abs_diff(t.1) > horizon.unsigned_abs() || !relation.holds(s, t) {
                        return;
                    }
                    let sides = [(&rule.source, &source.0.values), (target, &target_item.0.values)];
                    let Some(bound) = rule.bind(sides) else { return };
                    for (first, last) in part.of(s, t).into_iter().flatten() {
                        if s.1.max(t.1).saturating_sub(last) <= *horizon {
                            let ends = [(s.1, source.0.end), (t.1, target_item.0.end)];
                            let end =
                                ends.iter().find(|(end, _)| *end == last).map_or(End::Terminated, |(_, end)| *end);
                            let of = [(&rule.source, source.0, s.1), (target, target_item.0, t.1)];
                            tell(&bound, (first, last), end, &of);
                        }
                    }
                };
                if rule.source.signature == interval.signature
                    && let Some(key) = rule.source.key(values)
                {
                    for (last, found) in targets.ending(&key, relation.targets_end((interval.first, interval.last))) {
                        relate((&item, interval.last), (found, last));
                    }
                    sources.keep(key, interval.last, item.clone());
                }
                if target.signature == interval.signature
                    && let Some(key) = target.key(values)
                {
                    for (last, found) in sources.ending(&key, relation.sources_end((interval.first, interval.last))) {
                        relate((found, last), (&item, interval.last));
                    }
                    targets.keep(key, interval.last, item);
                }
            }
        }
    }
}
