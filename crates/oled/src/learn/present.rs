//! Present: the instances of a group of heads at a time point, with what is true, measured and annotated of each.
//!
//! Rows of relations are scattered to whom they speak of: what is said of one argument is noted once for all instances that
//! have it. Where conditions relate arguments, the rows of those also say which instances there are, so that the cost is
//! that of the rows and of the instances, never of all combinations. All room is used again at the next time point.

mod index;
mod ranks;
mod scatter;
mod tracked;

use std::borrow::Cow;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::existential::{Assignments, add_truth};
use super::instances::{Group, Instance};
use crate::induce::Mask;
use crate::lang::{Symbol, Value, exchanged, is_canonical};
use crate::logic::Model;
use index::{Index, at};
use ranks::Ranks;
use scatter::{Scattered, Shared};
pub(super) use tracked::Tracked;

/// The place of who is not observed.
pub(super) const NOBODY: u32 = u32::MAX;

/// An instance that is not observed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Absent {
    /// Two bits for each target of the group: it holds, it is unknown.
    pub(crate) labels: u64,
    /// What the background does to it.
    pub(crate) deeds: Mask,
}

/// The instances of a group at a time point.
#[derive(Clone, Debug, Default)]
pub(super) struct Present {
    count: usize,
    /// In how many orders the arguments of an instance are looked at.
    orders: usize,
    /// The arguments of each instance, one after the other; of a symmetric fluent in the order that stands for both.
    values: Vec<Value>,
    /// Their places in their domains; of a symmetric fluent the smaller one first, and whether that is the other order.
    places: Vec<u32>,
    other_order: Vec<bool>,
    index: Index,
    /// The instances in the order of their places.
    order: Vec<u32>,
    /// Two bits for each target of the group: it holds, it is unknown.
    labels: Vec<u64>,
    /// What is said of all instances, of those with one argument, with several, and of one instance, in each of its orders.
    all: Scattered,
    one: Vec<Scattered>,
    some: Vec<Shared>,
    every: Scattered,
    /// The segment, and the values of each domain: where they are the same as at the time point before, so are the instances
    /// that were found then.
    segment: Option<Symbol>,
    observed: Vec<Vec<Value>>,
    pub(super) is_same: bool,
    /// How many instances there were before rows, labels and the like have added some.
    found: usize,
    /// More instances than this are too many; whether there are, and whether none are wanted.
    limit: usize,
    pub(super) is_full: bool,
    is_shut: bool,
    /// What is annotated of, or done by the background to, what is not observed.
    pub(super) absent: IndexMap<Box<[Value]>, Absent, FxBuildHasher>,
    /// At the start of a segment, what the background says holds there: instances, and a bit for each target of the group.
    pub(super) initial: Vec<(Box<[Value]>, u64)>,
    ranks: Ranks,
    /// Room for the places of an instance, and of the columns of a row with the values that they are of.
    tuple: Vec<u32>,
    columns: Vec<(Option<Value>, u32)>,
    arguments: Vec<Value>,
}

impl Present {
    /// Forgets all instances, and takes no others up to the next time point.
    pub(super) fn clear(&mut self, group: &Group) {
        self.index.clear(&self.places, group.width());
        self.count = 0;
        self.values.clear();
        self.places.clear();
        self.other_order.clear();
        self.order.clear();
        self.labels.clear();
        self.absent.clear();
        self.initial.clear();
        (self.is_full, self.is_shut, self.is_same, self.found) = (false, true, false, usize::MAX);
        self.segment = None;
    }

    /// Whether instances are those of the time point before: in the same segment the same entities are observed.
    fn is_as_before(&mut self, group: &Group, model: &Model, segment: Symbol) -> bool {
        let mut same = self.segment == Some(segment);
        self.observed.resize_with(group.width(), Vec::new);
        for (known, domain) in self.observed.iter_mut().zip(&group.domains) {
            let rows = model.rows(*domain);
            if known.len() != rows.len() || !rows.rows().zip(&*known).all(|(row, value)| row[0] == *value) {
                known.clear();
                known.extend(rows.rows().map(|row| row[0]));
                same = false;
            }
        }
        same
    }

    /// Finds the instances at the model's time point: those that are tracked and observed, and those that rows relate; where
    /// nothing relates arguments, all combinations. At most so many.
    pub(super) fn find(
        &mut self,
        group: &Group,
        model: &Model,
        tracked: &mut Tracked,
        (segment, begins, limit): (Symbol, bool, usize),
    ) {
        let relational = group.links.is_relational();
        let same = self.is_as_before(group, model, segment)
            && !begins
            && tracked.away.is_empty()
            && group.candidates.is_none();
        if same {
            self.labels.fill(0);
            self.absent.clear();
            self.initial.clear();
            self.is_full = false;
        } else {
            self.clear(group);
            self.tuple.resize(group.width(), 0);
            let all = !relational && group.candidates.is_none();
            self.index.prepare(group.domains.iter().map(|d| model.rows(*d).len()), all);
        }
        (self.limit, self.is_shut, self.is_same, self.segment) = (limit, false, same, Some(segment));
        self.orders = if group.symmetric { 2 } else { 1 };
        self.prepare(group, model);
        if same {
            self.found = self.count;
        } else if let Some(candidates) = &group.candidates {
            candidates.for_each(model, group.width(), |values| {
                let mut places = std::mem::take(&mut self.tuple);
                let here = group.locate_observed(values, model, &mut places);
                self.tuple = places;
                if here {
                    self.number_at(group, model);
                }
            });
        } else if relational {
            self.take(group, model, tracked);
        } else {
            self.add_all(group, model);
        }
        if relational && group.blocks.is_some() {
            self.is_full = !group.related(model, limit, |tuple| {
                self.tuple.copy_from_slice(tuple);
                self.row_of(group, model, true);
                !self.is_full
            });
        }
        self.scatter(group, model);
        self.measure(group, model);
    }

    /// Takes over who is tracked and observed; forgets who is lost.
    fn take(&mut self, group: &Group, model: &Model, tracked: &mut Tracked) {
        let width = group.width();
        let mut places = std::mem::take(&mut self.tuple);
        let away = std::mem::take(&mut tracked.away);
        for values in tracked.here.chunks(width).chain(away.iter().map(|values| &**values)) {
            if group.locate(values, model, &mut places) {
                let other = group.symmetric && places[0] > places[1];
                if other {
                    places.swap(0, 1);
                }
                self.push(values, &places, other);
                self.index.insert(self.count - 1, &self.places, width);
            } else if group.goes_on_unobserved(values, model) {
                tracked.away.insert(values.into());
            }
        }
        places.resize(width, 0);
        self.tuple = places;
    }

    /// Lets all combinations be instances.
    fn add_all(&mut self, group: &Group, model: &Model) {
        let width = group.width();
        let sizes: Vec<u32> = group.domains.iter().map(|d| model.rows(*d).len() as u32).collect();
        if sizes.contains(&0) {
            return;
        }
        if group.symmetric {
            self.ranks.update(model.rows(group.domains[0]));
        }
        let mut places = std::mem::take(&mut self.tuple);
        places.fill(0);
        let mut values: Vec<Value> = Vec::with_capacity(width);
        loop {
            if group.is_observed(&places) && !(group.symmetric && places[0] > places[1]) {
                let rank = |i: usize| self.ranks.ranks[places[i] as usize];
                let other = group.symmetric && rank(0) > rank(1);
                values.clear();
                values.extend(places.iter().zip(&group.domains).map(|(p, d)| model.rows(*d).row(*p as usize)[0]));
                if other {
                    values.swap(0, 1);
                }
                self.push(&values, &places, other);
                self.index.insert(self.count - 1, &self.places, width);
            }
            // The next combination: the last place first.
            let Some(v) = (0..width).rev().find(|&v| places[v] + 1 < sizes[v]) else { break };
            places[v] += 1;
            places[v + 1..].fill(0);
        }
        self.tuple = places;
    }

    /// Adds the instance with the places in `tuple`, if it is one.
    fn add(&mut self, group: &Group, model: &Model) -> Option<usize> {
        let can_be_added = group.links.is_relational() || group.candidates.is_some();
        if !can_be_added || !group.is_observed(&self.tuple) {
            return None;
        }
        let mut values = std::mem::take(&mut self.arguments);
        values.clear();
        values.extend(self.tuple.iter().zip(&group.domains).map(|(p, d)| model.rows(*d).row(*p as usize)[0]));
        let other = group.symmetric && !is_canonical(&values);
        if other {
            values.swap(0, 1);
        }
        let places = std::mem::take(&mut self.tuple);
        self.push(&values, &places, other);
        self.index.insert(self.count - 1, &self.places, places.len());
        (self.tuple, self.arguments) = (places, values);
        Some(self.count - 1)
    }

    fn push(&mut self, values: &[Value], places: &[u32], other_order: bool) {
        self.values.extend_from_slice(values);
        self.places.extend_from_slice(places);
        self.other_order.push(other_order);
        self.labels.push(0);
        self.order.push(self.count as u32);
        self.every.grow(self.orders);
        self.count += 1;
    }

    /// The instance with the places in `tuple`, in the order that they have there: its row in `every`. If it is not known,
    /// and what is said of it relates its arguments, it is added.
    #[inline]
    fn row_of(&mut self, group: &Group, model: &Model, relates: bool) -> Option<usize> {
        let turned = group.symmetric && self.tuple[0] > self.tuple[1];
        if turned {
            self.tuple.swap(0, 1);
        }
        let k = match self.index.find(&self.tuple, &self.places) {
            Some(k) => k,
            None if !relates || group.candidates.is_some() => return None,
            None if self.count >= self.limit => {
                self.is_full |= group.is_observed(&self.tuple);
                return None;
            }
            None => self.add(group, model)?,
        };
        Some(k * self.orders + usize::from(group.symmetric && turned != self.other_order[k]))
    }

    /// The number of an instance by its arguments, if they are observed. If it is not known, it is added: who asks has
    /// something to say of it.
    pub(super) fn number_of(&mut self, group: &Group, model: &Model, values: &[Value]) -> Option<usize> {
        let mut places = std::mem::take(&mut self.tuple);
        let here = group.locate(values, model, &mut places);
        self.tuple = places;
        if !here || self.is_shut {
            return None;
        }
        self.number_at(group, model)
    }

    /// The same by the places in `tuple`, in either order.
    fn number_at(&mut self, group: &Group, model: &Model) -> Option<usize> {
        if group.symmetric && self.tuple[0] > self.tuple[1] {
            self.tuple.swap(0, 1);
        }
        self.index.find(&self.tuple, &self.places).or_else(|| self.add(group, model))
    }

    /// Puts the instances into the order of their places, in which all combinations would come.
    pub(super) fn sort(&mut self, group: &Group) {
        if !self.has_changed() {
            return;
        }
        let width = group.width();
        let key = |k: &u32| at(&self.places, *k as usize, width);
        if !self.order.is_sorted_by_key(key) {
            let mut order = std::mem::take(&mut self.order);
            // They mostly come in the order of the time point before.
            order.sort_by(|a, b| key(a).cmp(key(b)));
            self.order = order;
        }
    }

    /// Whether there are other instances than at the time point before.
    fn has_changed(&self) -> bool {
        !self.is_same || self.count > self.found
    }

    /// Lets those who are here be tracked.
    pub(super) fn track(&self, group: &Group, tracked: &mut Tracked) {
        if !self.has_changed() {
            return;
        }
        tracked.here.clear();
        self.numbers().for_each(|k| tracked.here.extend_from_slice(self.values(group, k)));
    }

    /// How many instances there are.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Their numbers, in their order.
    pub(super) fn numbers(&self) -> impl Iterator<Item = usize> {
        self.order.iter().map(|k| *k as usize)
    }

    /// The arguments of an instance.
    pub(super) fn values(&self, group: &Group, k: usize) -> &[Value] {
        &self.values[k * group.width()..(k + 1) * group.width()]
    }

    /// What is annotated of an instance.
    pub(super) fn labels(&self, k: usize) -> u64 {
        self.labels[k]
    }

    /// Adds to what is annotated of an instance.
    pub(super) fn label(&mut self, k: usize, labels: u64) {
        self.labels[k] |= labels;
    }

    /// In how many orders instances are looked at.
    pub(super) fn orders(&self) -> usize {
        self.orders
    }

    /// The arguments of an instance in one of its orders.
    pub(super) fn head(&self, group: &Group, k: usize, order: usize) -> Cow<'_, [Value]> {
        let values = self.values(group, k);
        if order == 0 { Cow::Borrowed(values) } else { Cow::Owned(exchanged(values).to_vec()) }
    }

    /// The truths of an instance as Algorithm 1 needs them: what the background does is for those who simulate what holds,
    /// and the two orders of a pair are one.
    pub(super) fn instance(&self, group: &Group, model: &Model, assignments: &[Assignments], k: usize) -> Instance {
        let of_table = |mut truth: Mask| {
            truth.truncate(group.table.len());
            truth
        };
        if group.components.is_empty() {
            let truth = of_table(self.truth(group, k, 0));
            if !group.symmetric {
                return Instance { truth, others: Box::default() };
            }
            let other = of_table(self.truth(group, k, 1));
            return match () {
                () if other.fires_on(&truth) => Instance { truth, others: Box::default() },
                () if truth.fires_on(&other) => Instance { truth: other, others: Box::default() },
                () => Instance { truth, others: Box::new([other]) },
            };
        }
        let mut truths: Vec<Mask> = Vec::new();
        for order in 0..self.orders {
            let head = self.head(group, k, order);
            let own = group.with_existentials(self.truth(group, k, order), &head, model, assignments);
            if group.symmetric {
                own.into_iter().for_each(|truth| add_truth(&mut truths, of_table(truth)));
            } else {
                truths.extend(own.into_iter().map(of_table));
            }
        }
        let others = truths.split_off(1).into();
        Instance { truth: truths.swap_remove(0), others }
    }
}
