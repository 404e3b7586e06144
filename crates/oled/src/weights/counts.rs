//! Counts: how often each weight counts for a sequence of states. They are whole numbers, so that their sums are the same in
//! any order.

use super::chain::States;
use super::chains::{FluentChains, Run};
use super::weight::Inertia;

/// How often each weight of a fluent counts: those of its rules, what speaks for staying as it is, and what else speaks for
/// not holding. The weight of holding is the first of the last two, and that of not holding is both together.
pub(super) type Counts = Vec<i64>;

/// Steps with one set of rules into a state, and of these those from the same state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Steps {
    into: i64,
    within: i64,
}

/// The steps of sequences of states, by the set of rules that fire.
///
/// The law: tallies of one fluent make a commutative monoid under [`Tally::merge`]: it is associative and commutative, and a new one
/// adds nothing. So a tally of chains does not depend on how they were dealt out, and weights that are learned from it are the same,
/// bit for bit.
#[derive(Clone, Debug, PartialEq)]
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

    /// Adds the steps of other sequences of the same fluent.
    pub(super) fn merge(&mut self, other: &Tally) {
        for (own, other) in self.steps.iter_mut().zip(&other.steps) {
            own.into += other.into;
            own.within += other.within;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calculus::Precedence;
    use crate::lang::Signature;

    /// A fluent with three sets of rules, and runs by a seed.
    fn fluent() -> FluentChains {
        let label = Signature::of(&crate::lang::parse_atom("holdsAt(f(a), 1)").unwrap());
        let mut fluent = FluentChains::new(label, false, Precedence::default());
        fluent.firings.extend([0, 1, 2].map(|bits: u64| vec![bits].into_boxed_slice()));
        fluent
    }

    fn tally(fluent: &FluentChains, seed: u32) -> Tally {
        let mut tally = Tally::new(fluent);
        let run = |i: u32| Run { fired: (seed * 7 + i * 5) % 3, label: Some((seed + i) % 5 / 3), length: 1 + i % 4 };
        for chain in 0..=seed {
            let runs: Vec<Run> = (0..9).map(|i| run(i + chain)).collect();
            tally.add(&runs, annotated(&runs));
        }
        tally
    }

    #[test]
    fn tallies_are_merged_in_any_order_and_a_new_one_adds_nothing() {
        let fluent = fluent();
        let merged = |a: &Tally, b: &Tally| {
            let mut sum = a.clone();
            sum.merge(b);
            sum
        };
        let [a, b, c] = [1, 2, 5].map(|seed| tally(&fluent, seed));
        assert!(a != b && b != c, "there is something to tell apart");
        assert_eq!(merged(&merged(&a, &b), &c), merged(&a, &merged(&b, &c)), "it is associative");
        assert_eq!(merged(&a, &b), merged(&b, &a), "it is commutative");
        assert_eq!(merged(&Tally::new(&fluent), &a), a, "a new one is neutral");
    }
}
