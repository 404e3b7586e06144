//! Sight: one time point as what replay needs of it: each instance with what is true, measured and annotated of it.

use super::instances::TooMany;
use super::interpretation::Cover;
use crate::induce::{Bin, Mask};
use crate::lang::{Symbol, Value};
use crate::stream::Frame;

/// A time point.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    pub(crate) segment: Symbol,
    pub(crate) time: i64,
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

    fn push(&mut self, values: &[Value], truths: impl IntoIterator<Item = Mask>, measured: &[Bin]) {
        self.values.extend_from_slice(values);
        for truth in truths {
            self.keys.extend(truth.words());
            let word = |bins: &[Bin]| bins.iter().rev().fold(0, |word, bin| word << 16 | u64::from(*bin as u16));
            self.keys.extend(measured.chunks(4).map(word));
        }
        self.ends.push(self.keys.len() as u32);
    }
}

impl Cover {
    /// Takes a frame as it is.
    pub(crate) fn sight(&mut self, frame: &Frame) -> Sight {
        let point = self.look(frame);
        let mut groups = Vec::new();
        for (group, (values, truths)) in self.groups.iter().zip(point.values.iter().zip(&point.truths)) {
            let width = group.domains.len();
            let mut seen = Seen { width, labels: vec![0; truths.len()], ..Seen::default() };
            let gauges = group.gauges.len();
            let (bins, numbers) = if gauges == 0 {
                (Vec::new(), Vec::new())
            } else {
                (group.measure(&self.model), group.numbers(&self.model))
            };
            for (k, instance) in truths.iter().enumerate() {
                let truths = std::iter::once(instance.truth).chain(instance.others.iter().copied());
                let measured = numbers.get(k).map_or(&[][..], |n| &bins[n * gauges..(n + 1) * gauges]);
                seen.push(&values[k * width..(k + 1) * width], truths, measured);
            }
            groups.push(seen);
        }
        let mut missed = vec![0; self.targets.len()];
        let mut place = vec![0; self.groups.len()];
        let mut row = Vec::new();
        for ((target, labels), missed) in self.targets.iter().zip(&point.labels).zip(&mut missed) {
            let bit = 2 * place[target.group];
            place[target.group] += 1;
            if labels.holds.is_empty() && labels.unknown.is_empty() {
                continue;
            }
            let seen = &mut groups[target.group];
            let mut found = 0;
            for k in 0..seen.len() {
                target.row(seen.values(k), &mut row);
                let (holds, unknown) = (labels.holds.contains(&row), labels.unknown.contains(&row));
                found += u32::from(holds);
                seen.labels[k] |= (u64::from(holds) | u64::from(unknown) << 1) << bit;
            }
            *missed = labels.holds.len() as u32 - found;
        }
        Sight { segment: frame.segment, time: frame.time, groups, missed, too_many: point.too_many }
    }
}
