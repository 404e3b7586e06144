//! Snapshot: one time point as what replay needs of it: each instance with what is true, measured and annotated of it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::existential::{AssignmentOverflow, Assignments};
use super::instances::{Group, Loss, filled};
use super::present::{Absent, Present};
use super::propositionaliser::Propositionaliser;
use crate::induce::Mask;
use crate::lang::Value;
use crate::logic::{Model, Relation};
use crate::stream::Frame;

/// A time point. Its room is used again for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    /// The instances of each group.
    pub(crate) groups: Vec<GroupSnapshot>,
    /// For each target, how often it was annotated of what cannot hold: one of its arguments is lost, or no head speaks of
    /// it.
    pub(crate) missed: Vec<u32>,
    pub(crate) assignment_overflow: Vec<AssignmentOverflow>,
}

/// The instances of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupSnapshot {
    width: usize,
    values: Vec<Value>,
    /// What is true of each instance, one after the other, as words.
    keys: Vec<u64>,
    ends: Vec<u32>,
    /// Two bits for each target of the group: it holds, it is unknown.
    pub(crate) labels: Vec<u64>,
    /// What is annotated of, or done by the background to, what is not observed.
    pub(crate) absent: IndexMap<Box<[Value]>, Absent, FxBuildHasher>,
    /// At the start of a segment, what the background says holds there: instances, and a bit for each target of the group.
    pub(crate) initial: Vec<(Box<[Value]>, u64)>,
    /// Of groups whose instances are not lost with any of their arguments: what they are lost without.
    pub(crate) needed: Vec<Needed>,
    /// Room for what is measured of an instance.
    measured: Vec<f64>,
}

/// What an instance needs to go on: a row of a relation at each time point.
#[derive(Clone, Debug)]
pub(crate) struct Needed {
    /// Its columns: arguments of the instance, and constants.
    columns: Vec<Result<usize, Value>>,
    relation: Relation,
}

impl Needed {
    /// Whether there is a row of an instance.
    pub(crate) fn has(&self, values: &[Value]) -> bool {
        self.relation.contains(&filled(&self.columns, values).collect::<Vec<_>>())
    }
}

/// More targets than this in one group have no room in the labels of a run.
pub(crate) const MAX_TARGETS: usize = 32;

impl GroupSnapshot {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn values(&self, k: usize) -> &[Value] {
        &self.values[k * self.width..(k + 1) * self.width]
    }

    /// What is true of an instance: for each assignment of existential variables, and each order of the arguments of a
    /// symmetric fluent, the words of a mask and the bits of what each feature shows, those of `nan` where it shows nothing.
    pub(crate) fn key(&self, k: usize) -> &[u64] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] as usize };
        &self.keys[start..self.ends[k] as usize]
    }

    fn clear(&mut self, width: usize) {
        self.width = width;
        self.values.clear();
        self.keys.clear();
        self.ends.clear();
        self.labels.clear();
        self.absent.clear();
        self.initial.clear();
        self.needed.clear();
    }

    /// Adds an instance with what is true of it, in each order of its arguments, and with each assignment of existential
    /// variables.
    fn push(&mut self, group: &Group, present: &Present, k: usize, (model, assignments): (&Model, &[Assignments])) {
        self.values.extend_from_slice(present.values(group, k));
        let words = group.words();
        for order in 0..present.orders() {
            let truth = present.truth(group, k, order);
            present.measured(group, k, order, &mut self.measured);
            let mut push = |truth: Mask| {
                truth.push_words(words, &mut self.keys);
                self.keys.extend(self.measured.iter().map(|value| value.to_bits()));
            };
            if group.components.is_empty() {
                push(truth);
            } else {
                let head = present.head(group, k, order);
                group.with_existentials(truth, &head, model, assignments).into_iter().for_each(push);
            }
        }
        self.ends.push(self.keys.len() as u32);
        self.labels.push(present.labels(k));
    }
}

impl Propositionaliser {
    /// Takes a frame as it is. Returns whether it was left out, since there is too much of it.
    pub(crate) fn observe_into(&mut self, frame: &Frame, snapshot: &mut Snapshot) -> bool {
        self.derive(frame);
        let left_out = self.notice(frame, |_, _, _| {});
        let Snapshot { groups, missed, assignment_overflow } = snapshot;
        groups.resize_with(self.groups.len(), GroupSnapshot::default);
        assignment_overflow.clear();
        let mut found = Vec::new();
        for (number, ((group, present), seen)) in self.groups.iter().zip(&mut self.present).zip(groups).enumerate() {
            seen.clear(group.width());
            std::mem::swap(&mut seen.absent, &mut present.absent);
            std::mem::swap(&mut seen.initial, &mut present.initial);
            if left_out {
                continue;
            }
            if present.len() > 0 {
                let assignments = group.assignments(&self.model, &mut found);
                let told = |(variable, assignments)| AssignmentOverflow { group: number, variable, assignments };
                assignment_overflow.extend(found.drain(..).map(told));
                present.numbers().for_each(|k| seen.push(group, present, k, (&self.model, &assignments)));
            }
            if let Loss::Some(columns) = &group.loss {
                let needed = |columns, pred| Needed { columns, relation: self.model.rows(pred).clone() };
                seen.needed.extend(columns.iter().map(|&c| needed(vec![Ok(c)], group.domains[c])));
                seen.needed.extend(group.candidates.iter().map(|c| needed(c.columns.clone(), c.pred)));
            }
        }
        missed.clear();
        missed.extend((0..self.targets.len()).map(|target| self.missed(target)));
        left_out
    }
}
