//! Sight: one time point as what replay needs of it: each instance with what is true, measured and annotated of it.

use super::instances::{Instance, Ordered, TooMany, pairs};
use super::interpretation::Cover;
use crate::induce::Bin;
use crate::lang::Value;
use crate::stream::Frame;

/// A time point. Its room is used again for the next one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sight {
    /// The instances of each group.
    pub(crate) groups: Vec<Seen>,
    /// For each target, how often it was annotated of what is not observed.
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
    /// symmetric fluent, two words of mask and what was measured.
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
    }

    /// Adds an instance with what is true of it, in each order of its arguments.
    fn push(&mut self, values: &[Value], orders: &[(&Instance, &[Bin])]) {
        self.values.extend_from_slice(values);
        for (instance, measured) in orders {
            for truth in std::iter::once(&instance.truth).chain(&instance.others) {
                self.keys.extend(truth.words());
                let word = |bins: &[Bin]| bins.iter().rev().fold(0, |word, bin| word << 16 | u64::from(*bin as u16));
                self.keys.extend(measured.chunks(4).map(word));
            }
        }
        self.ends.push(self.keys.len() as u32);
    }
}

impl Cover {
    /// Takes a frame as it is.
    pub(crate) fn see(&mut self, frame: &Frame, sight: &mut Sight) {
        self.derive(frame);
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
            let bins = if gauges == 0 { Vec::new() } else { group.measure(&self.model) };
            let order = |k: usize| {
                let measured = numbers.get(k).map_or(&[][..], |n| &bins[n * gauges..(n + 1) * gauges]);
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
        let mut place = vec![0; self.groups.len()];
        let mut row = Vec::new();
        for target in &self.targets {
            let labels = target.labels(frame, &self.symmetries);
            let bit = 2 * place[target.group];
            place[target.group] += 1;
            let mut found = 0;
            if !labels.holds.is_empty() || !labels.unknown.is_empty() {
                let seen = &mut groups[target.group];
                for k in 0..seen.len() {
                    target.row(seen.values(k), &self.symmetries, &mut row);
                    let (holds, unknown) = (labels.holds.contains(&row), labels.unknown.contains(&row));
                    found += u32::from(holds);
                    seen.labels[k] |= (u64::from(holds) | u64::from(unknown) << 1) << bit;
                }
            }
            missed.push(labels.holds.len() as u32 - found);
        }
    }
}
