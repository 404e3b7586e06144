//! Marginals: how probable it is at each time point of a chain that the fluent holds.
//!
//! A sequence of states is the more probable the higher its score, `p ~ exp(score / temperature)`. Sums over all sequences up
//! to a time point, and from there on, are made step by step, and exact up to rounding.

use super::chain::{Scores, Stretch};

/// The probability that it holds at each time point that the steps of a chain lead to.
pub fn marginals(stretches: &[Stretch], temperature: f64) -> Vec<f64> {
    marginals_from(f64::NEG_INFINITY, stretches, temperature)
}

/// The logarithm of how much more probable holding is than not holding after a step.
fn step(odds: f64, s: &Scores) -> f64 {
    sum(s[0][1], odds + s[1][1]) - sum(s[0][0], odds + s[1][0])
}

/// The scores of a step as logarithms of how probable it is, up to a constant.
fn cooled(scores: &Scores, temperature: f64) -> Scores {
    scores.map(|row| row.map(|score| score / temperature))
}

/// Those odds after some stretches, by what was up to there.
pub(super) fn odds(mut odds: f64, stretches: &[Stretch], temperature: f64) -> f64 {
    for Stretch { scores, length } in stretches {
        let s = cooled(scores, temperature);
        (0..*length).for_each(|_| odds = step(odds, &s));
    }
    odds
}

/// The same where odds are known of the state before.
pub(super) fn marginals_from(mut odds: f64, stretches: &[Stretch], temperature: f64) -> Vec<f64> {
    let length: usize = stretches.iter().map(|stretch| stretch.length as usize).sum();
    let mut forward: Vec<f64> = Vec::with_capacity(length);
    for Stretch { scores, length } in stretches {
        let s = cooled(scores, temperature);
        for _ in 0..*length {
            odds = step(odds, &s);
            forward.push(odds);
        }
    }
    let mut marginals = vec![0.0; length];
    let (mut at, mut later) = (length, 0.0);
    for Stretch { scores, length } in stretches.iter().rev() {
        let s = cooled(scores, temperature);
        for _ in 0..*length {
            at -= 1;
            marginals[at] = 1.0 / (1.0 + (-(forward[at] + later)).exp());
            later = sum(s[1][0], later + s[1][1]) - sum(s[0][0], later + s[0][1]);
        }
    }
    marginals
}

/// The logarithm of the sum of two numbers that are given by their logarithms.
fn sum(a: f64, b: f64) -> f64 {
    let (large, small) = if a > b { (a, b) } else { (b, a) };
    if small == f64::NEG_INFINITY { large } else { large + (small - large).exp().ln_1p() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_all_sequences() {
        let quiet: Scores = [[1.0, 0.0], [0.0, 0.5]];
        let starts: Scores = [[0.0, 2.5], [0.0, 3.0]];
        let ends: Scores = [[2.0, 0.0], [1.0, 0.0]];
        for kinds in
            [vec![(quiet, 3)], vec![(starts, 1), (quiet, 4), (ends, 2)], vec![(quiet, 2), (starts, 3), (quiet, 3)]]
        {
            let stretches: Vec<Stretch> = kinds.iter().map(|&(scores, length)| Stretch { scores, length }).collect();
            let steps: Vec<Scores> =
                kinds.iter().flat_map(|&(scores, length)| std::iter::repeat_n(scores, length as usize)).collect();
            for temperature in [0.3, 1.0, 4.0] {
                let (mut all, mut holding) = (0.0, vec![0.0; steps.len()]);
                for states in 0..1_usize << steps.len() {
                    let at = |t: usize| states >> t & 1;
                    let score: f64 =
                        (0..steps.len()).map(|t| steps[t][if t == 0 { 0 } else { at(t - 1) }][at(t)]).sum();
                    let weight = (score / temperature).exp();
                    all += weight;
                    (0..steps.len()).filter(|t| at(*t) == 1).for_each(|t| holding[t] += weight);
                }
                for (found, expected) in marginals(&stretches, temperature).iter().zip(holding) {
                    assert!((found - expected / all).abs() < 1e-12, "{found} {}", expected / all);
                }
            }
        }
    }
}
