//! Counts: how often each weight counts for a sequence of states. They are whole numbers, so that their sums are the same in
//! any order.

use super::chain::States;
use super::firing::{Chain, FluentChains, Label};

/// How often each weight of a fluent counts: those of its rules, what speaks for staying as it is, and what else speaks for
/// not holding. The weight of holding is the first of the last two, and that of not holding is both together.
pub(super) type Counts = Vec<i64>;

/// Steps with one set of rules: into each state, and of these those from the same state.
#[derive(Clone, Copy, Debug, Default)]
struct Steps {
    into: [i64; 2],
    within: [i64; 2],
}

/// The steps of sequences of states, by the set of rules that fire.
#[derive(Clone, Debug)]
pub(super) struct Tally {
    steps: Vec<Steps>,
}

impl Tally {
    pub(super) fn new(fluent: &FluentChains) -> Tally {
        Tally { steps: vec![Steps::default(); fluent.firings.len()] }
    }

    /// Adds the steps of a chain with these states.
    pub(super) fn add(&mut self, chain: &Chain, states: impl Iterator<Item = States>) {
        let mut before = 0;
        for (run, states) in chain.runs.iter().zip(states) {
            let steps = &mut self.steps[run.fired as usize];
            for (state, length) in states.parts() {
                let length = i64::from(length);
                steps.into[state] += length;
                steps.within[state] += length - i64::from(before != state);
                before = state;
            }
        }
    }

    /// How often each weight counts; those of inertia where no rule fires, or where none speaks against them.
    pub(super) fn counts(&self, fluent: &FluentChains, quiet: bool) -> Counts {
        let mut counts = vec![0; fluent.rules.len() + 2];
        let inertia = fluent.rules.len();
        for (fired, steps) in self.steps.iter().enumerate() {
            for (rule, of) in fluent.rules.iter().enumerate().filter(|(rule, _)| fluent.fires(fired, *rule)) {
                counts[rule] += steps.into[usize::from(!of.ends)];
            }
            let (against_absent, against_holding) = fluent.speaks(fired, quiet);
            let own = if fluent.direct { steps.into[0] } else { steps.within[0] };
            let absent = if against_absent { 0 } else { own };
            let holding = if against_holding { 0 } else { steps.within[1] };
            counts[inertia] += holding + absent;
            counts[inertia + 1] += absent;
        }
        counts
    }
}

/// The states that are annotated. Where nobody knows, it goes on as before.
pub(super) fn annotated(chain: &Chain) -> impl Iterator<Item = States> {
    chain.runs.iter().scan(0, |before, run| {
        *before = match run.label {
            Label::Absent => 0,
            Label::Holds => 1,
            Label::Unknown => *before,
        };
        Some(States { first: (*before, run.length), then: (*before, 0) })
    })
}
