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

/// What came, oldest first, and what it comes to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Group {
    /// When which value came, and how often. With room of its own for each time point the cache held a third of it.
    changes: VecDeque<(i64, Value, u64)>,
    /// How often each value is within the window. Where there are no values, all are the same.
    values: Values,
    count: u64,
}

/// Values in ascending order, each with how often it is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Values {
    /// To be looked at one by one, or at their ends.
    Tree(BTreeMap<Value, u64>),
    /// To be added up at each time point: in a tree that took five times as long, which was a fifth of learning from noisy gauges.
    List(Vec<(Value, u64)>),
}

impl Default for Values {
    fn default() -> Values {
        Values::Tree(BTreeMap::new())
    }
}

impl Values {
    fn of(operation: Operation) -> Values {
        match operation {
            Operation::Sum | Operation::Mean => Values::List(Vec::new()),
            _ => Values::default(),
        }
    }

    fn add(&mut self, value: Value, count: u64) {
        match self {
            Values::Tree(tree) => {
                let known = tree.entry(value).or_default();
                *known = known.saturating_add(count);
            }
            Values::List(list) => match list.binary_search_by(|(known, _)| known.cmp(&value)) {
                Ok(at) => list[at].1 = list[at].1.saturating_add(count),
                Err(at) => list.insert(at, (value, count)),
            },
        }
    }

    fn take(&mut self, value: Value, count: u64) {
        match self {
            Values::Tree(tree) => {
                if let Some(left) = tree.get_mut(&value) {
                    *left = left.saturating_sub(count);
                    if *left == 0 {
                        tree.remove(&value);
                    }
                }
            }
            Values::List(list) => {
                if let Ok(at) = list.binary_search_by(|(known, _)| known.cmp(&value)) {
                    list[at].1 = list[at].1.saturating_sub(count);
                    if list[at].1 == 0 {
                        list.remove(at);
                    }
                }
            }
        }
    }
}

/// Values with how often each is there, added up, the least first, so that the order in which they came makes no difference.
fn sum(list: &[(Value, u64)]) -> Option<Value> {
    real_sum(list).map_or_else(
        || {
            list.iter().try_fold(Value::Int(0), |sum, (value, count)| {
                apply_binary(Binary::Add, sum, apply_binary(Binary::Mul, *value, number(*count))?)
            })
        },
        Value::real,
    )
}

/// The same where all are real numbers, step by step as above; nothing where there are others.
fn real_sum(list: &[(Value, u64)]) -> Option<f64> {
    let mut sum = 0.0;
    for (value, count) in list {
        let Value::Real(value) = value else { return None };
        // What is there once is most of it.
        sum += if *count == 1 { *value } else { value * *count as f64 };
    }
    (!list.is_empty()).then_some(sum)
}

fn number(count: u64) -> Value {
    Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
}

impl Group {
    fn new(operation: Operation) -> Group {
        Group { values: Values::of(operation), ..Group::default() }
    }

    fn add(&mut self, time: i64, value: Value) {
        match self.changes.back_mut() {
            Some((then, last, count)) if *then == time && *last == value => *count += 1,
            _ => self.changes.push_back((time, value, 1)),
        }
        self.values.add(value, 1);
        self.count += 1;
    }

    fn take_back(&mut self, change: Option<(i64, Value, u64)>) {
        if let Some((_, value, count)) = change {
            self.count = self.count.saturating_sub(count);
            self.values.take(value, count);
        }
    }

    /// What the operation makes of it. It does not depend on the order in which values came.
    fn result(&self, aggregate: Aggregate) -> Option<Value> {
        match (aggregate.operation, &self.values) {
            (Operation::Count, Values::Tree(values)) => {
                Some(number(if aggregate.value.is_some() { values.len() as u64 } else { self.count }))
            }
            (Operation::Min, Values::Tree(values)) => values.keys().next().copied(),
            (Operation::Max, Values::Tree(values)) => values.keys().next_back().copied(),
            (Operation::Sum, Values::List(values)) => sum(values),
            (Operation::Mean, Values::List(values)) => apply_binary(Binary::Div, sum(values)?, number(self.count)),
            _ => unreachable!("each operation has values of its own kind, and levels are not kept as windows"),
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
            while group.changes.front().is_some_and(|(then, ..)| *then < oldest) {
                let change = group.changes.pop_front();
                group.take_back(change);
            }
            while group.changes.back().is_some_and(|(then, ..)| *then >= time) {
                let change = group.changes.pop_back();
                group.take_back(change);
            }
            !group.changes.is_empty()
        });
        let mut key = Vec::new();
        let again = repeats.iter().filter(|(pred, _)| pred == base).map(|(_, row)| &**row);
        for row in relations[base.index()].rows().chain(again) {
            key.clear();
            key.extend(row.iter().enumerate().filter(|(i, _)| aggregate.groups(*i)).map(|(_, value)| *value));
            let group = match self.groups.get_mut(key.as_slice()) {
                Some(group) => group,
                None => self.groups.entry(key.as_slice().into()).or_insert_with(|| Group::new(aggregate.operation)),
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
        self.groups.values().map(|group| group.changes.len()).sum()
    }

    /// Whether what was read can be of these groups: as many values, and sums that are those of the changes.
    pub(super) fn fits(&self, width: usize, operation: Operation) -> bool {
        self.groups.iter().all(|(key, group)| {
            let mut again = Group::new(operation);
            for (_, value, count) in &group.changes {
                again.values.add(*value, *count);
                again.count = again.count.saturating_add(*count);
            }
            let times = group.changes.iter().map(|(time, ..)| *time);
            key.len() == width && again.values == group.values && again.count == group.count && times.is_sorted()
        })
    }
}
