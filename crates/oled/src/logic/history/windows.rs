//! Windows: the rows of the last time units by group, for `count` and its like.

use std::collections::{BTreeMap, VecDeque};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::lang::Value;
use crate::logic::aggregate::{Aggregate, Operation};
use crate::logic::builtin::{Binary, apply_binary};
use crate::logic::program::Pred;
use crate::logic::relation::Relation;

/// A predicate whose rows are gathered, and the predicate that asks for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aggregation {
    pub(crate) base: Pred,
    pub(crate) aggregate: Aggregate,
    pub(crate) asked: Pred,
}

/// Rows that were observed once more at a time point, as often as they were.
pub(crate) type Repeats = Vec<(Pred, Box<[Value]>)>;

/// What is within the window of each group.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Windows {
    groups: IndexMap<Box<[Value]>, Group, FxBuildHasher>,
}

/// The changes at each time point, oldest first, and what they come to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Group {
    points: VecDeque<(i64, Vec<(Value, u64)>)>,
    /// How often each value is within the window. Where there are no values, all are the same.
    values: BTreeMap<Value, u64>,
    count: u64,
}

impl Group {
    fn add(&mut self, time: i64, value: Value) {
        if self.points.back().is_none_or(|(last, _)| *last != time) {
            self.points.push_back((time, Vec::new()));
        }
        if let Some((_, changes)) = self.points.back_mut() {
            match changes.last_mut() {
                Some((last, count)) if *last == value => *count += 1,
                _ => changes.push((value, 1)),
            }
        }
        *self.values.entry(value).or_default() += 1;
        self.count += 1;
    }

    fn take_back(&mut self, point: Option<(i64, Vec<(Value, u64)>)>) {
        for (value, count) in point.into_iter().flat_map(|(_, changes)| changes) {
            self.count = self.count.saturating_sub(count);
            if let Some(left) = self.values.get_mut(&value) {
                *left = left.saturating_sub(count);
                if *left == 0 {
                    self.values.remove(&value);
                }
            }
        }
    }

    /// What the operation makes of it. It does not depend on the order in which values came.
    fn result(&self, aggregate: Aggregate) -> Option<Value> {
        let number = |n: u64| Value::Int(i64::try_from(n).unwrap_or(i64::MAX));
        let sum = || {
            self.values.iter().try_fold(Value::Int(0), |sum, (value, count)| {
                apply_binary(Binary::Add, sum, apply_binary(Binary::Mul, *value, number(*count))?)
            })
        };
        match (aggregate.operation, aggregate.value) {
            (Operation::Count, None) => Some(number(self.count)),
            (Operation::Count, Some(_)) => Some(number(self.values.len() as u64)),
            (Operation::Sum, _) => sum(),
            (Operation::Min, _) => self.values.keys().next().copied(),
            (Operation::Max, _) => self.values.keys().next_back().copied(),
            (Operation::Mean, _) => apply_binary(Binary::Div, sum()?, number(self.count)),
            (Operation::NeverBelow | Operation::NeverAbove, _) => unreachable!("levels are not kept as windows"),
        }
    }
}

impl Windows {
    /// Adds the rows that are true now, and takes back what has left the window. A time point that was interrupted begins
    /// again.
    pub(super) fn add(&mut self, gathering: &Aggregation, time: i64, relations: &[Relation], repeats: &Repeats) {
        let Aggregation { base, aggregate, .. } = gathering;
        let oldest = time.saturating_sub(aggregate.window.unwrap_or(0));
        self.groups.retain(|_, group| {
            while group.points.front().is_some_and(|(then, _)| *then < oldest) {
                let point = group.points.pop_front();
                group.take_back(point);
            }
            while group.points.back().is_some_and(|(then, _)| *then >= time) {
                let point = group.points.pop_back();
                group.take_back(point);
            }
            !group.points.is_empty()
        });
        let mut key = Vec::new();
        let again = repeats.iter().filter(|(pred, _)| pred == base).map(|(_, row)| &**row);
        for row in relations[base.index()].rows().chain(again) {
            key.clear();
            key.extend(row.iter().enumerate().filter(|(i, _)| aggregate.groups(*i)).map(|(_, value)| *value));
            let group = match self.groups.get_mut(key.as_slice()) {
                Some(group) => group,
                None => self.groups.entry(key.as_slice().into()).or_default(),
            };
            group.add(time, aggregate.value.map_or(Value::Int(0), |column| row[column]));
        }
    }

    /// Gives the predicate that asks a row for each group.
    pub(super) fn fill(&self, gathering: &Aggregation, row: &mut Vec<Value>, relations: &mut [Relation]) {
        for (key, group) in &self.groups {
            if let Some(result) = group.result(gathering.aggregate) {
                row.clear();
                row.extend_from_slice(key);
                row.push(result);
                relations[gathering.asked.index()].insert(row);
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.groups.values().flat_map(|group| &group.points).map(|(_, changes)| changes.len()).sum()
    }

    /// Whether what was read can be of these groups: as many values, and sums that are those of the changes.
    pub(super) fn fits(&self, width: usize) -> bool {
        self.groups.iter().all(|(key, group)| {
            let mut again = Group::default();
            for (time, changes) in &group.points {
                again.points.push_back((*time, changes.clone()));
                for (value, count) in changes {
                    let known = again.values.entry(*value).or_default();
                    *known = known.saturating_add(*count);
                    again.count = again.count.saturating_add(*count);
                }
            }
            let times = group.points.iter().map(|(time, _)| *time);
            key.len() == width
                && again.values == group.values
                && again.count == group.count
                && times.is_sorted_by(|a, b| a < b)
        })
    }
}
