//! Counts: how often each weight counts for a sequence of states. They are whole numbers, so that their sums are the same in
//! any order.

use super::chain::States;
use super::chains::{FluentChains, Run};
use super::weight::Inertia;

/// How often each weight of a fluent counts: those of its rules, what speaks for staying as it is, and what else speaks for
/// not holding. The weight of holding is the first of the last two, and that of not holding is both together.
pub(super) type Counts = Vec<i64>;

/// Steps with one set of rules into a state, and of these those from the same state.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    into: i64,
    within: i64,
}

/// The steps of sequences of states, by the set of rules that fire.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    states: usize,
    /// State by state, for each set of rules.
    steps: Vec<Steps>,
}

impl Tally {
    pub(super) fn new(fluent: &FluentChains) -> Tally {
        let states = fluent.states();
        Tally { states, steps: vec![Steps::default(); fluent.firings.len() * states] }
    }

    /// Adds the steps of runs with these states.
    pub(super) fn add(&mut self, runs: &[Run], states: impl Iterator<Item = States>) {
        self.add_from(0, runs, states);
    }

    /// The same where the state before is known.
    pub(super) fn add_from(&mut self, mut before: usize, runs: &[Run], states: impl Iterator<Item = States>) {
        for (run, states) in runs.iter().zip(states) {
            let steps = &mut self.steps[run.fired as usize * self.states..][..self.states];
            for (state, length) in states.parts() {
                let length = i64::from(length);
                steps[state].into += length;
                steps[state].within += length - i64::from(before != state);
                before = state;
            }
        }
    }

    /// How often each weight counts; those of inertia where it speaks.
    pub(super) fn counts(&self, fluent: &FluentChains, inertia: Inertia) -> Counts {
        let mut counts = vec![0; fluent.rules.len() + 2];
        let last = fluent.rules.len();
        for (fired, steps) in self.steps.chunks(self.states).enumerate() {
            let all: i64 = steps.iter().map(|steps| steps.into).sum();
            for (rule, (at, state)) in fluent.votes(fired) {
                counts[at] += if rule.ends { all - steps[state].into } else { steps[state].into };
            }
            for (state, (steps, _)) in
                steps.iter().zip(fluent.stays(fired, inertia)).enumerate().filter(|(_, (_, stays))| *stays)
            {
                let absent = state == 0;
                let own = if absent && fluent.direct { steps.into } else { steps.within };
                counts[last] += own;
                counts[last + 1] += if absent { own } else { 0 };
            }
        }
        counts
    }
}

/// The states that are annotated. Where nobody knows, it goes on as before.
pub(super) fn annotated(runs: &[Run]) -> impl Iterator<Item = States> {
    annotated_from(0, runs)
}

/// The same where the state before is known.
pub(super) fn annotated_from(before: usize, runs: &[Run]) -> impl Iterator<Item = States> {
    runs.iter().scan(before, |before, run| {
        *before = run.label.map_or(*before, |state| state as usize);
        Some(States::all(*before, run.length))
    })
}
