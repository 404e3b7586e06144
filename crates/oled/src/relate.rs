//! Relations of intervals: what follows from two intervals that lie to each other in a certain way, told as soon as both are
//! over.
//!
//! A pair is found when the later one of the two is known. Only what ended within the horizon is remembered: two intervals are
//! related if their ends are not further apart, and a part of them is told if it ended not longer than the horizon before the
//! later one. What is told may be related again; it comes late by at most a horizon for each relation that it went through, and
//! what it may meet is remembered as much longer. Each pair is judged by itself, and equal intervals of a fluent are told once.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::calculus::{End, Interval};
use crate::lang::{
    Allen, Atom, Bounds, Comparison, Durations, Formula, Intervals, Related, Signature, Symbol, Symmetries, Term, Told,
    Value, exchanged, for_each_hole, same_fluent,
};
use crate::logic::{apply, compare_values};
use crate::state::{StateError, ensure};

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

/// A rule, its variables numbered.
#[derive(Clone, Debug, PartialEq)]
struct Rule {
    /// By its number.
    head: usize,
    head_args: Vec<Arg>,
    source: Side,
    pair: Option<(Side, Allen, Told)>,
    conditions: Vec<(Comparison, Term, Term)>,
    names: Vec<Symbol>,
}

/// A fluent whose intervals a rule asks for.
#[derive(Clone, Debug, PartialEq)]
struct Side {
    signature: Signature,
    args: Vec<Arg>,
    /// The variables that the other side has too.
    shared: Vec<usize>,
    /// How much later than it is over an interval may become known.
    late: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Arg {
    Constant(Value),
    Variable(usize),
}

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

/// Intervals by the values of shared variables and by when they were over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Kept {
    by_key: IndexMap<Values, BTreeMap<i64, Vec<Item>>, FxBuildHasher>,
    by_end: BTreeMap<i64, IndexSet<Values, FxBuildHasher>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Item {
    values: Values,
    first: i64,
    end: End,
    #[serde(skip)]
    sure: Sure,
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

impl Rule {
    fn new(rule: &Related, head: usize, late: impl Fn(&Atom) -> i64) -> Rule {
        let mut names = Vec::new();
        let mut args = |atom: &Atom| {
            let mut args = Vec::new();
            for_each_hole(&atom.args[..1], &mut |term| {
                args.push(match term {
                    Term::Value(value) => Arg::Constant(*value),
                    // Nothing is asked of an anonymous variable: each is another one.
                    Term::Var(name) if !term.is_anonymous() => {
                        Arg::Variable(names.iter().position(|known| known == name).unwrap_or_else(|| {
                            names.push(*name);
                            names.len() - 1
                        }))
                    }
                    _ => {
                        names.push(Symbol::new("_"));
                        Arg::Variable(names.len() - 1)
                    }
                });
            });
            args
        };
        let mut side = |atom: &Atom| Side {
            signature: Signature::of(atom),
            args: args(atom),
            shared: Vec::new(),
            late: late(atom),
        };
        let (mut source, mut pair) = match &rule.of {
            Intervals::Same(atom) => (side(atom), None),
            Intervals::Pair { relation, told, source, target } => {
                (side(source), Some((side(target), *relation, *told)))
            }
        };
        if let Some((target, ..)) = &mut pair {
            let has = |args: &[Arg], variable: usize| args.contains(&Arg::Variable(variable));
            let shared: Vec<usize> =
                (0..names.len()).filter(|v| has(&source.args, *v) && has(&target.args, *v)).collect();
            (source.shared, target.shared) = (shared.clone(), shared);
        }
        let head_args = {
            let mut args = Vec::new();
            for_each_hole(&rule.head.args[..1], &mut |term| {
                args.push(match term {
                    Term::Var(name) => {
                        Arg::Variable(names.iter().position(|known| known == name).expect("heads are checked"))
                    }
                    Term::Value(value) => Arg::Constant(*value),
                    _ => unreachable!("rules that compute are refused"),
                });
            });
            args
        };
        let conditions = rule.conditions.iter().filter_map(|literal| match &literal.formula {
            Formula::Compare(op, left, right) => {
                Some((if literal.negated { op.negated() } else { *op }, left.clone(), right.clone()))
            }
            Formula::Atom(_) => None,
        });
        let conditions = conditions.collect();
        Rule { head, head_args, source, pair, conditions, names }
    }

    /// The values of the variables, if the sides agree and the conditions are met.
    fn bind<const N: usize>(&self, sides: [(&Side, &Values); N]) -> Option<Vec<Option<Value>>> {
        let mut bound = vec![None; self.names.len()];
        if !sides.iter().all(|(side, values)| side.bind(values, &mut bound)) {
            return None;
        }
        let lookup = |name: Symbol| self.names.iter().position(|known| *known == name).and_then(|i| bound[i]);
        let met = |(op, left, right): &(Comparison, Term, Term)| {
            apply(left, &lookup).zip(apply(right, &lookup)).is_some_and(|(a, b)| compare_values(*op, a, b))
        };
        self.conditions.iter().all(met).then_some(bound)
    }
}

impl Side {
    /// Gives variables their values; `false` if an instance is not meant.
    fn bind(&self, values: &[Value], bound: &mut [Option<Value>]) -> bool {
        self.args.iter().zip(values).all(|(arg, value)| match *arg {
            Arg::Constant(constant) => constant == *value,
            Arg::Variable(variable) => *bound[variable].get_or_insert(*value) == *value,
        })
    }

    /// The values of the shared variables, if an instance is meant.
    fn key(&self, values: &[Value]) -> Option<Values> {
        let most = self.args.iter().filter_map(|arg| if let Arg::Variable(v) = arg { Some(v + 1) } else { None }).max();
        let mut bound = vec![None; most.unwrap_or(0)];
        self.bind(values, &mut bound).then(|| self.shared.iter().filter_map(|v| bound[*v]).collect())
    }
}

impl Arg {
    fn value(self, bound: &[Option<Value>]) -> Value {
        match self {
            Arg::Constant(value) => value,
            Arg::Variable(variable) => bound[variable].expect("variables of heads have values"),
        }
    }
}

impl Kept {
    fn keep(&mut self, key: Values, last: i64, item: Item) {
        self.by_end.entry(last).or_default().insert(key.clone());
        self.by_key.entry(key).or_default().entry(last).or_default().push(item);
    }

    /// The intervals with these values that end in a range.
    fn ending(&self, key: &Values, range: std::ops::RangeInclusive<i64>) -> impl Iterator<Item = (i64, &Item)> {
        let found = self.by_key.get(key).filter(|_| !range.is_empty());
        found.into_iter().flat_map(move |ends| {
            ends.range(range.clone()).flat_map(|(last, items)| items.iter().map(|item| (*last, item)))
        })
    }

    /// Forgets what was over before a time.
    fn forget(&mut self, before: i64) {
        while self.by_end.first_key_value().is_some_and(|(last, _)| *last < before) {
            let (last, keys) = self.by_end.pop_first().expect("there is a first one");
            for key in keys {
                if let Some(ends) = self.by_key.get_mut(&key) {
                    ends.remove(&last);
                    if ends.is_empty() {
                        self.by_key.swap_remove(&key);
                    }
                }
            }
        }
    }

    fn is_of_width(&self, width: usize) -> bool {
        self.by_key.values().flat_map(BTreeMap::values).flatten().all(|item| item.values.len() == width)
    }
}
