//! Sight: one time point as what replay needs of it: each instance with what is true, measured and annotated of it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::instances::{Deed, Group, Instance, Loss, Ordered, TooMany, pairs};
use super::interpretation::{Cover, Labels, Target};
use crate::calculus::label_name;
use crate::induce::Mask;
use crate::lang::{Value, is_canonical};
use crate::logic::Relation;
use crate::stream::Frame;

/// A time point. Its room is used again for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// The instances of each group.
    pub(crate) groups: Vec<Seen>,
    /// For each target, how often it was annotated of what cannot hold: one of its arguments is lost, or no head speaks of
    /// it.
    pub(crate) missed: Vec<u32>,
    pub(crate) too_many: Vec<TooMany>,
}

/// The instances of a group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
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
    /// Of groups whose instances are lost with some of their arguments only: those arguments, with what is observed.
    pub(crate) observed: Vec<(usize, Relation)>,
}

/// An instance that is not observed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Absent {
    /// Two bits for each target of the group, as above.
    pub(crate) labels: u64,
    /// What the background does to it.
    pub(crate) deeds: Mask,
}

/// More targets than this in one group have no room in the labels of a run.
pub(crate) const MAX_TARGETS: usize = 32;

impl Seen {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn values(&self, k: usize) -> &[Value] {
        &self.values[k * self.width..(k + 1) * self.width]
    }

    /// What is true of an instance: for each assignment of existential variables, and each order of the arguments of a
    /// symmetric fluent, two words of mask and the bits of what each gauge shows, those of `nan` where it shows nothing.
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
        self.observed.clear();
    }

    /// Adds an instance with what is true of it, in each order of its arguments.
    fn push(&mut self, values: &[Value], orders: &[(&Instance, &[f64])]) {
        self.values.extend_from_slice(values);
        for (instance, measured) in orders {
            for truth in std::iter::once(&instance.truth).chain(&instance.others) {
                self.keys.extend(truth.words());
                self.keys.extend(measured.iter().map(|value| value.to_bits()));
            }
        }
        self.ends.push(self.keys.len() as u32);
    }
}

impl Cover {
    /// Takes a frame as it is.
    pub(crate) fn see(&mut self, frame: &Frame, sight: &mut Sight) {
        self.derive(frame);
        let begins = self.begins();
        let crowded = self.is_crowded(frame);
        let Sight { groups, missed, too_many } = sight;
        groups.resize_with(self.groups.len(), Seen::default);
        too_many.clear();
        let mut found = Vec::new();
        for (number, (group, seen)) in self.groups.iter().zip(&mut *groups).enumerate() {
            let (width, gauges) = (group.domains.len(), group.gauges.len());
            seen.clear(width);
            if crowded {
                continue;
            }
            let Ordered { values, instances, numbers } = group.ordered(&self.model, &mut found);
            too_many.extend(found.drain(..).map(|(variable, assignments)| TooMany {
                group: number,
                variable,
                assignments,
            }));
            if instances.is_empty() {
                continue;
            }
            let shown = if gauges == 0 { Vec::new() } else { group.measure(&self.model) };
            let order = |k: usize| {
                let measured = numbers.get(k).map_or(&[][..], |n| &shown[n * gauges..(n + 1) * gauges]);
                (&instances[k], measured)
            };
            if group.symmetric {
                for (one, other) in pairs(self.model.rows(group.domains[0]).len(), &values) {
                    seen.push(&values[2 * one..2 * one + 2], &[order(one), order(other)]);
                }
            } else {
                (0..instances.len()).for_each(|k| seen.push(&values[k * width..(k + 1) * width], &[order(k)]));
            }
            seen.labels.resize(seen.len(), 0);
        }
        missed.clear();
        let mut places = vec![0; self.groups.len()];
        for (number, target) in self.targets.iter().enumerate() {
            let place = places[target.group];
            places[target.group] += 1;
            let seen = &mut groups[target.group];
            missed.push(self.annotate(target, frame, place, seen) + self.uncovered(number, frame));
            if let Some(initially) = self.initially.as_ref().filter(|_| begins) {
                let group = &self.groups[target.group];
                let rows = initially.rows(number).filter(|row| !group.symmetric || is_canonical(row));
                let about = rows.filter(|row| target.is_about(row)).map(|row| target.instance(row));
                seen.initial.extend(about.filter(|v| group.goes_on(v, &self.model)).map(|v| (v, 1 << place)));
            }
        }
        for (group, seen) in self.groups.iter().zip(groups).filter(|_| !crowded) {
            self.act(group, seen);
            if let Loss::Some(columns) = &group.loss {
                seen.observed.extend(columns.iter().map(|&c| (c, self.model.rows(group.domains[c]).clone())));
            }
        }
    }

    /// Notes what is annotated of a target; returns how often it is of what is lost.
    fn annotate(&self, target: &Target, frame: &Frame, place: usize, seen: &mut Seen) -> u32 {
        let Labels { holds, unknown } = target.labels(frame, &self.symmetries);
        if holds.is_empty() && unknown.is_empty() {
            return 0;
        }
        let mut found = [vec![false; holds.len()], vec![false; unknown.len()]];
        let mut row = Vec::new();
        for k in 0..seen.len() {
            target.row(seen.values(k), &self.symmetries, &mut row);
            for (bit, (labels, found)) in [&holds, &unknown].into_iter().zip(&mut found).enumerate() {
                if let Some(at) = labels.position(&row) {
                    found[at] = true;
                    seen.labels[k] |= 1 << (2 * place + bit);
                }
            }
        }
        // Of what is not observed, and goes on all the same, something is annotated too.
        let (group, mut missed) = (&self.groups[target.group], 0);
        for (bit, (labels, found)) in [&holds, &unknown].into_iter().zip(&found).enumerate() {
            for (row, _) in labels.rows().zip(found).filter(|(_, found)| !**found) {
                let values = target.instance(row);
                if group.loss != Loss::Any && group.goes_on(&values, &self.model) {
                    seen.absent.entry(values).or_default().labels |= 1 << (2 * place + bit);
                } else {
                    missed += u32::from(bit == 0 && !unknown.contains(row));
                }
            }
        }
        missed
    }

    /// How often something is annotated that no head speaks of, counted for the first target with that annotation.
    fn uncovered(&self, number: usize, frame: &Frame) -> u32 {
        let target = &self.targets[number];
        // Fluents without arguments share their annotation: what is not about one of them is about others.
        if target.first != number || target.is_general() || label_name(target.label).is_none() {
            return 0;
        }
        let same = || self.targets.iter().filter(|t| t.label == target.label);
        let width = target.label.arity() - 1;
        let mut rows = [Relation::new(width), Relation::new(width)];
        for (signature, values) in frame.annotation.iter() {
            let unknown = signature == target.unknown;
            let row = self.symmetries.in_order(target.label, values);
            if (unknown || signature == target.label) && !same().any(|t| t.is_about(&row)) {
                rows[usize::from(unknown)].insert(&row);
            }
        }
        rows[0].rows().filter(|row| !rows[1].contains(row)).count() as u32
    }

    /// Notes what the background does to what is not observed. Only what holds ends, and what is lost does not.
    fn act(&self, group: &Group, seen: &mut Seen) {
        for Deed { bit, target, pred, ends, .. } in group.deeds.iter().filter(|d| !d.ends || group.loss != Loss::Any) {
            let target = &self.targets[*target];
            for row in self.model.rows(*pred).rows() {
                if !target.is_about(row) || group.symmetric && !is_canonical(row) {
                    continue;
                }
                let values = target.instance(row);
                if !group.is_instance(&values, &self.model) && (!ends || group.goes_on(&values, &self.model)) {
                    let absent = seen.absent.entry(values).or_default();
                    let mark = group.absent.map_or(Mask::EMPTY, Mask::of);
                    absent.deeds = absent.deeds.with(Mask::of(*bit)).with(mark);
                }
            }
        }
    }
}
