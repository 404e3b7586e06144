//! The method `AdaGrad`: weights that go against their errors, by steps that become smaller for those that have changed much: as
//! OSL-alpha and WOLED do.
//!
//! With `g` how much more often a weight counts for the recognised states of a window than for the annotated ones,
//!
//! ```text
//! G := G + g^2    c = 1 / (1 + sqrt(G))    v = w - c g    w := sign(v) max(0, |v| - .01 c)
//! ```
//!
//! for the weights of rules. Inertia is the unit that they are measured in, and stays as it is, like the axioms of others that
//! cannot be broken; it speaks where no rule does, since otherwise it is as good to leave early as to stay until a rule ends what
//! holds. Weights of inertia that are learned too count so much more often than rules that a few errors turn all
//! around.

use super::chain::{States, certain, decode_from};
use super::chains::{Chain, FluentChains};
use super::counts::{Tally, annotated_from};
use super::online::{Online, WindowPart};
use super::weight::FluentWeights;

/// What is taken from the size of a weight at each step, as in the literature: a rule that never fires fades.
const FADING: f64 = 0.01;

/// The weights of rules, each with the sum of the squares of its errors.
#[derive(Clone, Debug)]
pub(super) struct AdaGrad {
    rules: Vec<(f64, f64)>,
    /// The sum of all weights that there were, and how many times.
    sums: Vec<f64>,
    windows: f64,
}

impl AdaGrad {
    /// Every rule counts as much as inertia, before anything is learned.
    pub(super) fn new(fluent: &FluentChains) -> AdaGrad {
        let count = fluent.rules.len();
        AdaGrad { rules: vec![(1.0, 0.0); count], sums: vec![0.0; count], windows: 0.0 }
    }

    /// Goes against errors.
    fn step(&mut self, errors: impl Iterator<Item = i64>) {
        for ((weight, squares), error) in self.rules.iter_mut().zip(errors) {
            let error = error as f64;
            *squares += error * error;
            let pace = 1.0 / (1.0 + squares.sqrt());
            let moved = *weight - pace * error;
            *weight = moved.signum() * (moved.abs() - FADING * pace).max(0.0);
        }
    }
}

/// The states that an instance is in before a window: the recognised one, and the annotated one.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Before {
    found: usize,
    right: usize,
}

impl Online for AdaGrad {
    /// With half as many, states at the ends of windows, which know nothing of what comes later, are more of all; with twice
    /// as many there are half as many steps.
    const WINDOW: usize = 100;

    type Carried = Before;

    fn window(&mut self, fluent: &FluentChains, parts: &mut [WindowPart<Before>]) {
        let rules = self.rules.iter().map(|(weight, _)| *weight).collect();
        let weights = FluentWeights::new(fluent.name(), rules);
        let scores = fluent.scores(&weights);
        let (mut found, mut right) = (Tally::new(fluent), Tally::new(fluent));
        for part in parts {
            let Before { found: before, right: label } = part.carried;
            let standing = certain(before, fluent.states());
            part.states = decode_from(&standing, &Chain::scored_runs(&part.runs, &scores)).1;
            found.add_from(before, &part.runs, part.states.iter().copied());
            let states = || annotated_from(label, &part.runs);
            right.add_from(label, &part.runs, states());
            let last = |states: Option<States>| states.and_then(|s| s.parts().last()).map(|(state, _)| state);
            part.carried = Before {
                found: last(part.states.last().copied()).unwrap_or(before),
                right: last(states().last()).unwrap_or(label),
            };
        }
        let (found, right) = (found.counts(fluent, weights.inertia), right.counts(fluent, weights.inertia));
        self.step(found.iter().zip(right).map(|(found, right)| found - right));
        self.sums.iter_mut().zip(&self.rules).for_each(|(sum, (weight, _))| *sum += weight);
        self.windows += 1.0;
    }

    /// The mean of all weights on the way: the last ones are as good as the last labels let them be.
    fn weights(&self, fluent: &FluentChains) -> FluentWeights {
        let mean = |sum: &f64| if self.windows == 0.0 { 1.0 } else { sum / self.windows };
        FluentWeights::new(fluent.name(), self.sums.iter().map(mean).collect())
    }
}
