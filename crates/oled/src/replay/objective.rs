//! Objective: what a theory is worth: how much of the annotation it explains, less what it takes to write it down.
//!
//! A theory is judged by F1 of its own recognition. To write it down takes bits: which condition, of all that there are to
//! choose from, and a bit for each binary digit by which a threshold is finer than those. To write the annotation down without a theory takes bits too: A bits,
//! the entropy of the labels, where the time points of an interval, which say much the same, count as the root of their
//! number. With a theory what is left to write down is where it is wrong. Of P time points with the fluent, of N in all, F1
//! leaves about 2 x P errors, missed ones and false ones, with x = 1 - F1. To say which of the N they are takes log2(e N / E)
//! bits for each of E errors: the fewer there are, the more each of them takes. A theory is worth
//!
//! > g(F1) - bits of the theory / 2 A, with g = 1 - x log2(c / (x + d)) / log2(c / (1 + d)), c = e N / 2 P,
//!
//! where d stands for one error more, so that a number of errors below one says nothing. g is 0 and 1 where F1 is. At F1
//! .8 it is about as steep as F1, at .99 twice: where hardly anything is wrong, an error is worth a literal. (F1 itself in
//! its place left thresholds of rules without noise where eleven time points of five hundred were wrong.)
//!
//! With ten events a literal must bring much, with ten thousand little; nothing is to be set.
//!
//! Where somebody says what errors cost, a for a false alarm and m for a miss, F stands in the place of F1:
//!
//! > F = 2 TP / (2 TP + (2 a FP + 2 m FN) / (a + m)) = 2 TP / (A (TP + FP) + M P), with A = 2 a / (a + m), M = 2 m / (a + m),
//!
//! Tversky's index, which is F-beta with beta^2 = m / a. Only the ratio of costs matters; where both are the same, it is F1.

use serde::{Deserialize, Serialize};

use super::classes::{Classes, Condition};
use super::runs::Runs;
use crate::evaluate::Confusion;

/// How often recognition is right and wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fit {
    pub(crate) tp: i64,
    pub(crate) fp: i64,
    pub(crate) positives: i64,
}

impl Fit {
    pub(crate) fn f1(&self) -> f64 {
        Balance::default().f(self)
    }

    /// The same as a confusion.
    pub(crate) fn counts(&self) -> Confusion {
        let Fit { tp, fp, positives } = *self;
        Confusion { tp: tp as u64, fp: fp as u64, fn_: (positives - tp) as u64 }
    }

    /// Both together.
    pub(crate) fn add(&mut self, other: &Fit) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.positives += other.positives;
    }
}

/// What errors count for, A and M above: together two.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Balance {
    pub(crate) false_alarm: f64,
    pub(crate) miss: f64,
}

impl Default for Balance {
    fn default() -> Balance {
        Balance { false_alarm: 1.0, miss: 1.0 }
    }
}

impl Balance {
    /// As errors cost.
    pub(crate) fn new(false_alarm: f64, miss: f64) -> Balance {
        // Half and half, so that the sum of large numbers is one. Costs that are the same count for exactly one.
        let mean = false_alarm / 2.0 + miss / 2.0;
        Balance { false_alarm: false_alarm / mean, miss: miss / mean }
    }

    /// What F divides by.
    pub(crate) fn all(&self, fit: &Fit) -> f64 {
        self.false_alarm * (fit.tp + fit.fp) as f64 + self.miss * fit.positives as f64
    }

    /// How well it fits: F1 where errors cost the same.
    pub(crate) fn f(&self, fit: &Fit) -> f64 {
        let all = self.all(fit);
        if all == 0.0 { 0.0 } else { 2.0 * fit.tp as f64 / all }
    }
}

/// What the parts of a theory cost, in F1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Price {
    /// Of a rule without conditions, of a condition, and of each binary digit that a threshold has more than those that there
    /// are to choose from.
    rule: f64,
    condition: f64,
    digit: f64,
    /// How much the bits of the errors that are left tell of F1; none where F1 is all that counts.
    errors: Option<Errors>,
    /// What errors count for.
    pub(crate) balance: Balance,
}

/// c and d above, and the bits of each error where all is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Errors {
    c: f64,
    d: f64,
    all: f64,
}

impl Price {
    /// The price where the annotation of some runs is to be explained with so many conditions to choose from.
    pub(crate) fn new(runs: &Runs, choices: usize, balance: Balance) -> Price {
        let bit = 1.0 / (2.0 * annotation_bits(runs)).max(1.0);
        let choices = choices.max(2) as f64;
        // Which head, and that there is another rule.
        Price { rule: 2.0 * bit, condition: libm::log2(choices) * bit, digit: bit, errors: errors(runs), balance }
    }

    /// A price that is given: so much for every literal, heads included.
    pub(crate) fn fixed(penalty: f64, balance: Balance) -> Price {
        Price { rule: penalty, condition: penalty, digit: 0.0, errors: None, balance }
    }

    /// What is worth so much: F of what fits so well.
    pub(crate) fn worth_of(&self, fit: &Fit) -> f64 {
        self.worth(self.balance.f(fit))
    }

    /// What an F1 is worth.
    pub(crate) fn worth(&self, f1: f64) -> f64 {
        let Some(Errors { c, d, all }) = self.errors else { return f1 };
        let left = 1.0 - f1;
        1.0 - left * libm::log2(c / (left + d)) / all
    }

    /// The F1 that is worth so much: a little below it at most.
    pub(crate) fn f1_worth(&self, worth: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        if self.errors.is_none() || worth <= 0.0 || worth >= 1.0 {
            return worth.clamp(0.0, 1.0);
        }
        for _ in 0..f64::MANTISSA_DIGITS {
            let middle = f64::midpoint(low, high);
            *if self.worth(middle) <= worth { &mut low } else { &mut high } = middle;
        }
        low
    }

    /// What a condition costs.
    pub(crate) fn of_condition(&self, classes: &Classes, condition: Condition) -> f64 {
        self.condition + self.digit * f64::from(classes.finer_digits(condition))
    }

    /// What a rule costs.
    pub(crate) fn of_rule(&self, classes: &Classes, body: &[Condition]) -> f64 {
        self.rule + body.iter().map(|c| self.of_condition(classes, *c)).sum::<f64>()
    }

    /// What one more condition costs at least.
    pub(crate) fn least(&self) -> f64 {
        self.condition
    }

    /// What a literal costs, heads included, where thresholds are left aside.
    pub(crate) fn of_literal(&self) -> f64 {
        self.condition
    }
}

/// What it takes to write errors down.
fn errors(runs: &Runs) -> Option<Errors> {
    let (known, positives) = (runs.known as f64, (runs.positives - runs.missed) as f64);
    if positives < 1.0 {
        return None;
    }
    // Where the fluent mostly holds, what is left to be said grows with errors up to half of all time points only.
    let c = std::f64::consts::E * (known / positives).max(2.0) / 2.0;
    let length = positives / f64::from(runs.intervals.max(1));
    // An error more is so much of F1.
    let d = length.sqrt() / (2.0 * positives);
    // With d as large as c, there is nothing to tell errors apart by.
    (c > 1.0 + 2.0 * d).then(|| Errors { c, d, all: libm::log2(c / (1.0 + d)) })
}

/// The bits that it takes to write the annotation down.
fn annotation_bits(runs: &Runs) -> f64 {
    let (known, positives) = (runs.known as f64, (runs.positives - runs.missed) as f64);
    if positives < 1.0 || known <= positives {
        return 0.0;
    }
    let share = positives / known;
    let entropy = -share * libm::log2(share) - (1.0 - share) * libm::log2(1.0 - share);
    let length = positives / f64::from(runs.intervals.max(1));
    known * entropy / length.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_cost_the_same_give_f1_to_the_bit_and_others_f_beta() {
        for number in 0..2000_i64 {
            let (tp, fp, missed) = (number % 37, number * 7 % 101, number * 13 % 53);
            let fit = Fit { tp, fp, positives: tp + missed };
            let all = tp + fp + fit.positives;
            let f1 = if all == 0 { 0.0 } else { 2.0 * tp as f64 / all as f64 };
            for cost in [1.0, 5.0, 0.3, 1e300] {
                assert_eq!(Balance::new(cost, cost).f(&fit).to_bits(), f1.to_bits());
            }
            let f = Balance::new(2.0, 10.0).f(&fit);
            assert_eq!(f.to_bits(), Balance::new(1.0, 5.0).f(&fit).to_bits(), "only the ratio matters");
            // F-beta, with the square of beta what a miss costs against a false alarm.
            let square = 5.0;
            let all = (1.0 + square) * tp as f64 + square * missed as f64 + fp as f64;
            let f_beta = if all == 0.0 { 0.0 } else { (1.0 + square) * tp as f64 / all };
            assert!((f - f_beta).abs() < 1e-12, "{fit:?}: {f} {f_beta}");
        }
    }
}
