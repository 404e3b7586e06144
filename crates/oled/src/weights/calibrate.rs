//! Calibration: probabilities that mean what they say.
//!
//! Weights that separate are sure of too much or too little: one temperature for each fluent divides their scores, such that
//! the labels of segments that the weights were not learned from are as probable as they can be.

use std::borrow::Cow;
use std::sync::Arc;

use super::chain::Scores;
use super::chains::{Chain, FluentChains, Run};
use super::marginal::marginals;
use super::vote;
use super::weight::{FluentWeights, Inertia};

/// A table of how often what was said to be so probable was so.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reliability {
    /// For each tenth of probability: time points, the sum of their probabilities, and at how many of them it is annotated.
    pub bins: [(u64, f64, u64); 10],
}

impl Reliability {
    /// Adds a time point.
    pub fn add(&mut self, probability: f64, holds: bool) {
        let bin = ((probability * 10.0) as usize).min(9);
        let (count, sum, held) = &mut self.bins[bin];
        *count += 1;
        *sum += probability;
        *held += u64::from(holds);
    }

    /// For each tenth of probability: time points, the mean of what was said of them, and the share at which it was so.
    pub fn rows(&self) -> impl Iterator<Item = (u64, f64, f64)> {
        let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        self.bins.iter().map(move |&(count, sum, held)| (count, mean(sum, count), mean(held as f64, count)))
    }

    /// The mean difference of what was said and what was so, over all time points.
    pub fn error(&self) -> f64 {
        let all: u64 = self.bins.iter().map(|(count, ..)| count).sum();
        let apart: f64 = self.bins.iter().map(|(_, sum, held)| (sum - *held as f64).abs()).sum();
        if all == 0 { 0.0 } else { apart / all as f64 }
    }
}

/// What is known of a chain that weights were not learned from.
#[derive(Clone, Debug, PartialEq)]
struct HeldOut {
    runs: Vec<Run>,
    sure: Sure,
}

/// How sure weights are of the states of a chain, before calibration.
#[derive(Clone, Debug, PartialEq)]
enum Sure {
    /// By the scores of sets of votes.
    Scores(Arc<[Scores]>),
    /// By a vote at each time point.
    Votes(Vec<f64>),
}

impl HeldOut {
    /// How probable each state but the first is after each step.
    fn probable(&self, temperature: f64) -> Vec<f64> {
        match &self.sure {
            Sure::Scores(scores) => marginals(&Chain::scored_runs(&self.runs, scores), temperature),
            Sure::Votes(votes) => votes.iter().map(|sure| vote::cooled(*sure, temperature)).collect(),
        }
    }
}

/// Chains with weights that were not learned from them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calibration {
    chains: Vec<HeldOut>,
}

/// With fewer annotated intervals than this, how reliable probabilities are cannot be told: weights stay as warm as they are.
/// With half as many one interval more or less decides; with twice as many most fluents of small streams have none.
pub const FEW_INTERVALS: usize = 10;

/// Temperatures that are tried first, a factor of two apart; between the best and its neighbours a finer one is found.
const TEMPERATURES: std::ops::RangeInclusive<i32> = -6..=10;

/// The finer temperature is found by so many steps of a golden section: three digits.
const SECTIONS: usize = 20;

/// Probabilities are no surer than this in the likelihood, so that one label that is wrong does not decide.
const SUREST: f64 = 1e-6;

impl Calibration {
    /// All chains of a fluent, with weights that were learned elsewhere.
    pub fn of(fluent: &FluentChains, weights: &FluentWeights) -> Calibration {
        let mut calibration = Calibration::default();
        calibration.add(fluent, &fluent.chains.iter().collect::<Vec<_>>(), weights);
        calibration
    }

    /// Adds chains with weights that were not learned from them.
    pub(super) fn add(&mut self, fluent: &FluentChains, chains: &[&Chain], weights: &FluentWeights) {
        let scores: Arc<[Scores]> = fluent.scores(weights).into();
        self.chains.extend(chains.iter().map(|chain| {
            let sure = match weights.inertia {
                Inertia::Vote => Sure::Votes(vote::votes(fluent, weights, &chain.runs, &mut None).0),
                _ => match fluent.possible(&scores, &chain.runs, &mut vec![false; fluent.states()]) {
                    Cow::Borrowed(_) => Sure::Scores(scores.clone()),
                    Cow::Owned(own) => Sure::Scores(own.into()),
                },
            };
            HeldOut { runs: chain.runs.clone(), sure }
        }));
    }

    /// Calls a function with the probability of each time point whose label is known, and whether that is so; of a fluent with
    /// values, for each of them.
    pub(super) fn for_each(&self, temperature: f64, mut each: impl FnMut(f64, bool)) {
        for held_out in &self.chains {
            let probable = held_out.probable(temperature);
            let steps: usize = held_out.runs.iter().map(|run| run.length as usize).sum();
            let labels = held_out.runs.iter().flat_map(|run| std::iter::repeat_n(run.label, run.length as usize));
            for (probable, label) in probable.chunks((probable.len() / steps.max(1)).max(1)).zip(labels) {
                let Some(label) = label else { continue };
                probable.iter().enumerate().for_each(|(i, p)| each(*p, i + 1 == label as usize));
            }
        }
    }

    /// How improbable the labels are: the mean of logarithms, less is better.
    fn surprise(&self, temperature: f64) -> f64 {
        let (mut sum, mut count) = (0.0, 0_u64);
        self.for_each(temperature, |probability, holds| {
            let right = if holds { probability } else { 1.0 - probability };
            sum -= right.max(SUREST).ln();
            count += 1;
        });
        if count == 0 { 0.0 } else { sum / count as f64 }
    }

    /// The power of two that is nearest to the best temperature, by its exponent, and how improbable labels are with it.
    pub(super) fn coarse(&self) -> (f64, f64) {
        let tried = TEMPERATURES.map(|exponent| (f64::from(exponent), self.surprise(f64::from(exponent).exp2())));
        tried.reduce(|best, next| if next.1 < best.1 { next } else { best }).unwrap_or((0.0, f64::INFINITY))
    }

    /// The temperature at which the labels are most probable, by the exponent of the nearest power of two; 1 where there are too
    /// few intervals to tell.
    pub(super) fn temperature(&self, coarse: f64) -> f64 {
        if self.intervals() < FEW_INTERVALS {
            return 1.0;
        }
        let at = |exponent: f64| (exponent, self.surprise(exponent.exp2()));
        let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
        let (mut low, mut high) = (coarse - 1.0, coarse + 1.0);
        let (mut a, mut b) = (at(high - golden * (high - low)), at(low + golden * (high - low)));
        for _ in 0..SECTIONS {
            // One of the two is where the next one would be.
            if a.1 <= b.1 {
                (high, b) = (b.0, a);
                a = at(high - golden * (high - low));
            } else {
                (low, a) = (a.0, b);
                b = at(low + golden * (high - low));
            }
        }
        f64::midpoint(low, high).exp2()
    }

    /// The table of reliability at a temperature.
    pub fn reliability(&self, temperature: f64) -> Reliability {
        let mut table = Reliability::default();
        self.for_each(temperature, |probability, holds| table.add(probability, holds));
        table
    }

    /// How many intervals are annotated in the chains: with few, nobody can tell.
    pub fn intervals(&self) -> usize {
        let begins = |held_out: &HeldOut| {
            let held = held_out.runs.iter().map(|run| run.label.unwrap_or(0));
            held.clone().zip(std::iter::once(0).chain(held)).filter(|(now, before)| *now > 0 && now != before).count()
        };
        self.chains.iter().map(begins).sum()
    }
}
