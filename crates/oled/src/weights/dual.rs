//! Dual: the weights that given conditions ask for, as small as possible.
//!
//! `minimise 1/2 |w|^2 + C xi` such that each condition, `w counts >= cost - xi`, is met, for a handful of conditions.

use super::chains::FluentChains;
use super::margin::Trade;
use super::weight::{FluentWeights, Inertia};

/// A condition may be broken by so much of what missing everything costs: as in the literature.
pub(super) const TOLERANCE: f64 = 0.001;

/// A condition: how much more each weight counts for what is annotated than for other states, and what those cost.
pub(super) struct Cut {
    pub(super) counts: Vec<f64>,
    pub(super) cost: f64,
}

/// The dual problem: a multiplier for each condition, `sum <= C`, with which weights are the positive part of the sum of the
/// conditions' counts. Solved by moving weight from one condition to another, or to and from none, as long as it gains.
pub(super) struct Dual {
    /// What each condition costs, and the counts of each weight, condition by condition: all conditions are gone through at
    /// once, and most of the time it is that.
    costs: Vec<f64>,
    counts: Vec<Vec<f64>>,
    multipliers: Vec<f64>,
    /// What the multipliers leave of their sum.
    rest: f64,
    /// The sum of counts, and its positive part; the first ones may be negative.
    sum: Vec<f64>,
    weight: Vec<f64>,
    signed: usize,
    inertia: Inertia,
}

/// Moves of multipliers for a condition more, at most. Some hundreds are enough.
const MOST_MOVES: usize = 20_000;

impl Dual {
    pub(super) fn new(rules: usize, kind: Trade) -> Dual {
        let zero = vec![0.0; rules + 2];
        let signed = if kind.signed { rules } else { 0 };
        let (rest, inertia) = (kind.trade, kind.inertia);
        let counts = vec![Vec::new(); rules + 2];
        Dual {
            costs: Vec::new(),
            counts,
            multipliers: Vec::new(),
            rest,
            sum: zero.clone(),
            weight: zero,
            signed,
            inertia,
        }
    }

    pub(super) fn weights(&self, fluent: &FluentChains) -> FluentWeights {
        let (rules, inertia) = self.weight.split_at(self.weight.len() - 2);
        let [holding, more] = [inertia[0], inertia[1]];
        let (absent, inertia) = (holding + more, self.inertia);
        FluentWeights { holding, absent, inertia, ..FluentWeights::new(fluent.name(), rules.into()) }
    }

    /// The number of conditions.
    pub(super) fn len(&self) -> usize {
        self.costs.len()
    }

    /// By how much a condition is broken, before slack.
    pub(super) fn broken_by(&self, cut: &Cut) -> f64 {
        cut.cost - self.weight.iter().zip(&cut.counts).map(|(weight, count)| weight * count).sum::<f64>()
    }

    /// By how much each condition is broken, before slack.
    fn violations(&self, found: &mut Vec<f64>) {
        found.clear();
        found.resize(self.len(), 0.0);
        for (weight, counts) in self.weight.iter().zip(&self.counts) {
            found.iter_mut().zip(counts).for_each(|(sum, count)| *sum += weight * count);
        }
        found.iter_mut().zip(&self.costs).for_each(|(sum, cost)| *sum = cost - *sum);
    }

    /// The slack that the conditions need.
    pub(super) fn slack(&self) -> f64 {
        let mut violations = Vec::new();
        self.violations(&mut violations);
        violations.into_iter().fold(0.0, f64::max)
    }

    /// Adds a condition, and finds the multipliers anew.
    pub(super) fn add(&mut self, cut: Cut) {
        self.costs.push(cut.cost);
        self.counts.iter_mut().zip(cut.counts).for_each(|(counts, count)| counts.push(count));
        self.multipliers.push(0.0);
        let mut violations = Vec::new();
        for _ in 0..MOST_MOVES {
            // No condition is one that is never broken.
            let (mut most, mut least) = ((None, 0.0), (None, f64::INFINITY));
            if self.rest > 0.0 {
                least = (None, 0.0);
            }
            self.violations(&mut violations);
            for (cut, &violation) in violations.iter().enumerate() {
                if violation > most.1 {
                    most = (Some(cut), violation);
                }
                if self.multipliers[cut] > 0.0 && violation < least.1 {
                    least = (Some(cut), violation);
                }
            }
            // A tenth of the tolerance for conditions.
            if most.1 - least.1 <= TOLERANCE / 10.0 {
                break;
            }
            self.shift(least.0, most.0);
        }
    }

    /// Moves as much from one condition, or from none, to another as gains most.
    fn shift(&mut self, from: Option<usize>, to: Option<usize>) {
        let of = |cut: Option<usize>, all: &[f64]| cut.map_or(0.0, |cut| all[cut]);
        let cost = of(to, &self.costs) - of(from, &self.costs);
        let along: Vec<f64> = self.counts.iter().map(|counts| of(to, counts) - of(from, counts)).collect();
        let room = from.map_or(self.rest, |cut| self.multipliers[cut]);
        let length = self.best_length(&along, cost, room);
        match from {
            Some(cut) => self.multipliers[cut] = if length < room { self.multipliers[cut] - length } else { 0.0 },
            None => self.rest = if length < room { self.rest - length } else { 0.0 },
        }
        match to {
            Some(cut) => self.multipliers[cut] += length,
            None => self.rest += length,
        }
        for (i, (sum, along)) in self.sum.iter_mut().zip(&along).enumerate() {
            *sum += length * along;
            self.weight[i] = if i < self.signed { *sum } else { sum.max(0.0) };
        }
    }

    /// How far to move: what a little more gains falls with the length, in parts that are straight lines.
    fn best_length(&self, along: &[f64], cost: f64, room: f64) -> f64 {
        let mut length = 0.0;
        let end = |sum: f64, along: f64| -sum / along;
        // Each part ends where another weight becomes zero, or is not any more.
        for _ in 0..=2 * along.len() {
            let (mut slope, mut bend) = (cost, 0.0);
            for (i, (&sum, &along)) in self.sum.iter().zip(along).enumerate().filter(|(_, (_, along))| **along != 0.0) {
                let is_positive = if along > 0.0 { length >= end(sum, along) } else { length < end(sum, along) };
                if i < self.signed || is_positive {
                    slope -= (sum + length * along) * along;
                    bend += along * along;
                }
            }
            if slope <= 0.0 || bend == 0.0 {
                return if slope > 0.0 { room } else { length };
            }
            let line = length + slope / bend;
            let ends = self.sum.iter().zip(along).skip(self.signed).map(|(sum, along)| end(*sum, *along));
            let next = ends.filter(|end| *end > length).fold(line, f64::min);
            if next >= room {
                return room;
            }
            if next == line {
                return line;
            }
            length = next;
        }
        length
    }
}
