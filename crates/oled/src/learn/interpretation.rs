//! Interpretations: two consecutive time points, as what learning needs of them: for each head instance, which literals
//! are true of it and what becomes of it.

use serde::{Deserialize, Serialize};

use super::existential::AssignmentOverflow;
use super::instances::Instance;
use super::propositionaliser::Propositionaliser;
use super::target::Target;
use crate::calculus::Outcome;
use crate::lang::{Symbol, Value};
use crate::logic::Relation;
use crate::stream::Frame;

/// Two consecutive time points of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Interpretation {
    /// Its number, counted from one.
    pub index: u64,
    /// The segment.
    pub segment: Symbol,
    /// The first of the two time points.
    pub time: i64,
    /// For each group of heads with the same types, all symmetric or none, its instances.
    pub groups: Vec<Vec<Instance>>,
    /// For each target, the outcome of each instance of its group; `None` where the annotation does not know.
    pub outcomes: Vec<Vec<Option<Outcome>>>,
    /// Existential variables that had too many assignments: literals with them count as false.
    pub assignment_overflow: Vec<AssignmentOverflow>,
}

/// A time point that waits for the next one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Point {
    time: i64,
    /// For each group, the values of all instances one after the other, and their truths.
    pub(super) values: Vec<Vec<Value>>,
    pub(super) truths: Vec<Vec<Instance>>,
    pub(super) labels: Vec<Labels>,
    pub(super) assignment_overflow: Vec<AssignmentOverflow>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Labels {
    pub(super) holds: Relation,
    pub(super) unknown: Relation,
}

impl Labels {
    fn clear(&mut self) {
        self.holds.clear();
        self.unknown.clear();
    }
}

impl From<[Relation; 2]> for Labels {
    fn from([holds, unknown]: [Relation; 2]) -> Labels {
        Labels { holds, unknown }
    }
}

impl Propositionaliser {
    /// A time point with its instances and labels.
    pub(super) fn look(&mut self, frame: &Frame) -> Point {
        self.derive(frame);
        let mut point = std::mem::take(&mut self.spare);
        point.time = frame.time;
        let new = |t: &Target| [(); 2].map(|()| Relation::new(t.label.arity() - 1));
        let labels = |t: &Target| new(t).into();
        point.labels.extend(self.targets[point.labels.len()..].iter().map(labels));
        let mut labels = std::mem::take(&mut point.labels);
        let left_out = self.notice(frame, |target, unknown, row| {
            let Labels { holds, unknown: not_known } = &mut labels[target];
            _ = if unknown { not_known } else { holds }.insert(row);
        });
        point.labels = labels;
        point.values.resize_with(self.groups.len(), Vec::new);
        let mut found = Vec::new();
        for (number, (group, present)) in self.groups.iter().zip(&self.present).enumerate() {
            let mut truths = Vec::with_capacity(present.len());
            if !left_out && present.len() > 0 {
                let assignments = group.assignments(&self.model, &mut found);
                let told = |(variable, assignments)| AssignmentOverflow { group: number, variable, assignments };
                point.assignment_overflow.extend(found.drain(..).map(told));
                for k in present.numbers() {
                    point.values[number].extend_from_slice(present.values(group, k));
                    truths.push(present.instance(group, &self.model, &assignments, k));
                }
            }
            point.truths.push(truths);
        }
        point
    }

    /// Takes a frame; returns the interpretation of it and the one before, if there is one in its segment.
    pub fn observe(&mut self, frame: &Frame) -> Option<Interpretation> {
        let point = self.look(frame);
        if self.is_cut() {
            return None;
        }
        let previous = self.segments.insert(frame.segment, point)?;
        let next = &self.segments[&frame.segment];
        self.count += 1;
        // Whether an instance goes on at the next time point, found once for all targets; nothing where all do.
        let followed: Vec<Option<Vec<bool>>> = (self.groups.iter().zip(&self.present))
            .zip(previous.values.iter().zip(&previous.truths))
            .map(|((group, present), (values, instances))| {
                let width = group.domains.len();
                // Where the same entities are observed nobody needs to be looked up.
                if !self.observed_next || present.is_same {
                    return None;
                }
                let goes_on = |k: usize| group.goes_on(&values[k * width..(k + 1) * width], &self.model);
                Some((0..instances.len()).map(goes_on).collect())
            })
            .collect();
        let outcomes =
            self.targets.iter().zip(previous.labels.iter().zip(&next.labels)).map(|(target, (now, then))| {
                let width = self.groups[target.group].domains.len();
                let values = |k: usize| &previous.values[target.group][k * width..(k + 1) * width];
                let mut row = Vec::new();
                let mut outcome = |k: usize| target.outcome(values(k), now, then, &self.symmetries, &mut row);
                // Where nothing is labelled, which is most of the time, nothing needs to be looked up.
                let quiet = [now, then].iter().all(|labels| labels.holds.is_empty() && labels.unknown.is_empty());
                let count = previous.truths[target.group].len();
                match followed[target.group].as_ref().filter(|_| !target.direct) {
                    None if quiet => vec![Some(Outcome::Absent); count],
                    None => (0..count).map(outcome).collect(),
                    Some(followed) => {
                        let mut known = |k: usize| if quiet { Some(Outcome::Absent) } else { outcome(k) };
                        followed.iter().enumerate().map(|(k, followed)| followed.then(|| known(k)).flatten()).collect()
                    }
                }
            });
        let outcomes = outcomes.collect();
        let Point { time, mut values, truths, mut labels, assignment_overflow } = previous;
        values.iter_mut().for_each(Vec::clear);
        labels.iter_mut().for_each(Labels::clear);
        self.spare = Point { values, labels, ..Point::default() };
        Some(Interpretation {
            index: self.count,
            segment: frame.segment,
            time,
            groups: truths,
            outcomes,
            assignment_overflow,
        })
    }
}
