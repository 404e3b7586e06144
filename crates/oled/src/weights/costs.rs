//! Costs: what errors cost, and what is right and wrong of states.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::chains::{Chain, Run};
use crate::evaluate::Confusion;
use crate::lang::Symbol;

/// What errors cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A time point at which it is recognised and not annotated.
    pub false_alarm: f64,
    /// A time point at which it is annotated and not recognised.
    pub miss: f64,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs { false_alarm: 1.0, miss: 1.0 }
    }
}

impl Costs {
    /// How probable something must be for it to be cheaper to say that it holds: where it holds with this probability, what is
    /// to be expected of a false alarm and of a miss costs the same.
    pub fn threshold(&self) -> f64 {
        let Costs { false_alarm, miss } = self.normalised();
        false_alarm / (false_alarm + miss)
    }

    /// The same with the larger one 1: what matters is their ratio.
    pub(super) fn normalised(&self) -> Costs {
        let largest = self.false_alarm.max(self.miss);
        Costs { false_alarm: self.false_alarm / largest, miss: self.miss / largest }
    }

    pub(super) fn of(&self, counts: &Confusion) -> f64 {
        self.false_alarm * counts.fp as f64 + self.miss * counts.fn_ as f64
    }

    /// What a state costs at a time point with this label.
    pub(super) fn of_state(&self, state: usize, label: Option<u32>) -> f64 {
        let errors = errors(state, label);
        f64::from(u8::from(errors.false_alarm)) * self.false_alarm + f64::from(u8::from(errors.miss)) * self.miss
    }

    /// How good counts are: F1, and where errors do not cost the same, how little they cost.
    pub(super) fn value(&self, counts: &Confusion) -> f64 {
        if self.false_alarm == self.miss { counts.f1() } else { -self.of(counts) }
    }
}

/// What is wrong with a state.
struct Errors {
    false_alarm: bool,
    miss: bool,
}

/// A wrong value is both: it is recognised and not annotated, and the annotated one is missed.
fn errors(state: usize, label: Option<u32>) -> Errors {
    let wrong = label.is_some_and(|label| label as usize != state);
    Errors { false_alarm: wrong && state > 0, miss: wrong && label > Some(0) }
}

/// What is right and wrong of the states of runs, each with a number of steps.
pub(super) fn compare(runs: &[Run], states: impl IntoIterator<Item = (usize, u32)>) -> Confusion {
    let mut counts = Confusion::default();
    let (mut runs, mut left) = (runs.iter(), 0);
    let mut label = None;
    for (state, mut length) in states {
        while length > 0 {
            if left == 0 {
                let Some(run) = runs.next() else { return counts };
                (label, left) = (run.label, run.length);
            }
            let both = length.min(left);
            let (steps, errors) = (u64::from(both), errors(state, label));
            counts.tp += if state > 0 && label == Some(state as u32) { steps } else { 0 };
            counts.fp += if errors.false_alarm { steps } else { 0 };
            counts.fn_ += if errors.miss { steps } else { 0 };
            (length, left) = (length - both, left - both);
        }
    }
    counts
}

/// How many time points of chains are annotated as ones at which the fluent holds.
pub(super) fn annotated_points<'c>(chains: impl IntoIterator<Item = &'c Chain>) -> u64 {
    let runs = chains.into_iter().flat_map(|chain| &chain.runs);
    runs.filter(|run| run.label > Some(0)).map(|run| u64::from(run.length)).sum()
}

/// Counts by segment.
pub type BySegment = IndexMap<Symbol, Confusion, FxBuildHasher>;

/// The counts of all segments together.
pub fn total(by_segment: &BySegment) -> Confusion {
    let mut total = Confusion::default();
    by_segment.values().for_each(|counts| total += *counts);
    total
}
