//! Levels: what a value was at least, or at most, at every time point for so long, for `never_below` and `never_above`.

use std::collections::VecDeque;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::lang::{Signature, Value};
use crate::logic::aggregate::{Aggregate, Operation};
use crate::logic::program::{Pred, Program};
use crate::logic::relation::Relation;

/// A predicate whose values are looked at throughout, and the predicate that asks for it, with all the times for which it does.
#[derive(Clone, Debug)]
pub(crate) struct Levelling {
    pub(crate) base: Pred,
    pub(crate) aggregate: Aggregate,
    pub(crate) asked: Pred,
    /// Time units, each once.
    pub(crate) spans: Vec<i64>,
}

impl Levelling {
    fn longest(&self) -> i64 {
        self.spans.iter().copied().max().unwrap_or(0)
    }

    /// Whether a value is beyond another: one that was there at one time point makes the other one not the level.
    fn is_stricter(&self, value: Value, other: Value) -> bool {
        if self.aggregate.operation == Operation::NeverBelow { value <= other } else { value >= other }
    }

    /// Whether another program asks for the same values, and for none from longer ago than is remembered.
    pub(super) fn same(&self, own: &Program, new: &Levelling, other: &Program, is_same: bool) -> bool {
        let signature = |program: &Program, pred: Pred| -> Signature { program.signature(pred) };
        is_same && signature(own, self.asked) == signature(other, new.asked) && new.longest() <= self.longest()
    }
}

/// The levels of each group that has had a value at every time point up to now.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Levels {
    groups: IndexMap<Box<[Value]>, Group, FxBuildHasher>,
}

/// The steps of the level, oldest first: from the time of one until now, the value was never below its level; from the time of
/// the next one on, not below that one's, which is larger. (And so the other way round.) The first step is the only one that
/// may be older than the longest time that is asked for.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Group {
    last: i64,
    steps: VecDeque<(i64, Value)>,
}

impl Levels {
    /// Adds the values of now, and forgets groups that have none. A time point that was interrupted begins again.
    pub(super) fn add(&mut self, levelling: &Levelling, time: i64, before: Option<i64>, relations: &[Relation]) {
        let aggregate = levelling.aggregate;
        let Some(column) = aggregate.value else { return };
        self.groups.retain(|_, group| group.last == time || Some(group.last) == before);
        let mut now: IndexMap<Box<[Value]>, Value, FxBuildHasher> = IndexMap::default();
        for row in relations[levelling.base.index()].rows() {
            let key = row.iter().enumerate().filter(|(i, _)| aggregate.groups(*i)).map(|(_, value)| *value).collect();
            let best = now.entry(key).or_insert(row[column]);
            if levelling.is_stricter(*best, row[column]) {
                *best = row[column];
            }
        }
        let enough = time.saturating_sub(levelling.longest());
        for (key, value) in now {
            let group = self.groups.entry(key).or_default();
            if group.last == time && !group.steps.is_empty() {
                continue;
            }
            group.last = time;
            let mut from = time;
            while let Some((first, level)) = group.steps.back()
                && levelling.is_stricter(value, *level)
            {
                from = *first;
                group.steps.pop_back();
            }
            group.steps.push_back((from, value));
            while group.steps.get(1).is_some_and(|(second, _)| *second <= enough) {
                group.steps.pop_front();
            }
        }
        self.groups.retain(|_, group| group.last == time);
    }

    /// Gives the predicate that asks a row for each group and each time that is long enough ago.
    pub(super) fn fill(&self, levelling: &Levelling, time: i64, row: &mut Vec<Value>, relations: &mut [Relation]) {
        for (key, group) in &self.groups {
            for span in &levelling.spans {
                let then = time.saturating_sub(*span);
                let Some(at) = group.steps.partition_point(|(from, _)| *from <= then).checked_sub(1) else { continue };
                row.clear();
                row.extend_from_slice(key);
                row.extend([Value::Int(*span), group.steps[at].1]);
                relations[levelling.asked.index()].insert(row);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.values().map(|group| group.steps.len()).sum()
    }

    /// Whether what was read can be of these groups: as many values, and steps that go one way.
    pub(super) fn fits(&self, levelling: &Levelling, width: usize) -> bool {
        self.groups.iter().all(|(key, group)| {
            let steps = group.steps.iter().zip(group.steps.iter().skip(1));
            let mut ordered = steps.map(|(one, next)| one.0 < next.0 && !levelling.is_stricter(next.1, one.1));
            key.len() == width
                && ordered.all(|ordered| ordered)
                && group.steps.back().is_some_and(|(from, _)| *from <= group.last)
        })
    }
}
