//! Marginals: how probable each state of a chain is at each time point.
//!
//! A sequence of states is the more probable the higher its score, `p ~ exp(score / temperature)`. Sums over all sequences up
//! to a time point, and from there on, are made step by step, and exact up to rounding.

use super::chain::{ScoredRun, Scores, certain};

/// The logarithm of how much more probable each state is than the first one, which has 0.
pub(super) type Odds = Vec<f64>;

/// The probability that it holds at each time point that the steps of a chain lead to; of a fluent with values, that it has
/// each of them.
pub fn marginals(scored: &[ScoredRun<'_>], temperature: f64) -> Vec<f64> {
    marginals_from(&certain(0, scored.first().map_or(1, |s| s.scores.states())), scored, temperature)
}

/// Odds after a step.
fn forward(odds: &[f64], scores: &Scores, next: &mut Odds) {
    next.clear();
    for (to, [enter, remain]) in scores.cells().iter().enumerate() {
        next.push(sum(enter + others(odds, to), remain + odds[to]));
    }
    relative(next);
}

/// What the steps from each state on come to, from what they come to after one step.
fn backward(later: &[f64], scores: &Scores, next: &mut Odds) {
    next.clear();
    let cells = scores.cells();
    for (from, [_, remain]) in cells.iter().enumerate() {
        let others = (0..cells.len()).filter(|to| *to != from).map(|to| cells[to][0] + later[to]);
        next.push(sum(others.reduce(sum).unwrap_or(f64::NEG_INFINITY), remain + later[from]));
    }
    relative(next);
}

/// The sum over all states but one.
fn others(odds: &[f64], but: usize) -> f64 {
    let others = odds.iter().enumerate().filter(|(state, _)| *state != but).map(|(_, odds)| *odds);
    others.reduce(sum).unwrap_or(f64::NEG_INFINITY)
}

/// Makes numbers relative to the first.
fn relative(odds: &mut Odds) {
    let first = odds[0];
    odds.iter_mut().for_each(|odds| *odds -= first);
}

/// Calls a function with the odds after each step of a run, and returns the last ones. While nothing changes any more,
/// nothing is computed.
fn each_step(
    odds: &mut Odds,
    (scores, length): (&Scores, u32),
    step: impl Fn(&[f64], &Scores, &mut Odds),
    mut each: impl FnMut(&[f64]),
) {
    let mut next = Odds::with_capacity(odds.len());
    let mut moves = true;
    for _ in 0..length {
        if moves {
            step(odds, scores, &mut next);
            moves = next != *odds;
            std::mem::swap(odds, &mut next);
        }
        each(odds);
    }
}

/// Odds after some runs, by what was up to there.
pub(super) fn odds(before: &[f64], scored: &[ScoredRun<'_>], temperature: f64) -> Odds {
    let mut odds = before.to_vec();
    for ScoredRun { scores, length } in scored {
        each_step(&mut odds, (&scores.cooled(temperature), *length), forward, |_| {});
    }
    odds
}

/// The same where odds are known of the state before.
pub(super) fn marginals_from(before: &[f64], scored: &[ScoredRun<'_>], temperature: f64) -> Vec<f64> {
    let (states, mut odds) = (before.len(), before.to_vec());
    let steps: usize = scored.iter().map(|run| run.length as usize).sum();
    let mut until: Vec<f64> = Vec::with_capacity(steps * states);
    for ScoredRun { scores, length } in scored {
        each_step(&mut odds, (&scores.cooled(temperature), *length), forward, |odds| until.extend(odds));
    }
    let mut marginals = vec![0.0; steps * (states - 1)];
    let mut later = vec![0.0; states];
    let mut at = steps;
    let mut note = |later: &[f64]| {
        at -= 1;
        let all = until[at * states..][..states].iter().zip(later).map(|(until, later)| until + later);
        let sum = all.clone().reduce(sum).unwrap_or_default();
        let places = &mut marginals[at * (states - 1)..][..states - 1];
        places.iter_mut().zip(all.skip(1)).for_each(|(place, odds)| *place = (odds - sum).exp());
    };
    for ScoredRun { scores, length } in scored.iter().rev() {
        // What comes after the last step of a run is known before that step is taken back.
        note(&later);
        let cooled = scores.cooled(temperature);
        let mut left = *length;
        each_step(&mut later, (&cooled, *length), backward, |later| {
            left -= 1;
            if left > 0 {
                note(later);
            }
        });
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
        let quiet = Scores::of_two([[1.0, 0.0], [0.0, 0.5]]);
        let starts = Scores::of_two([[0.0, 2.5], [0.0, 3.0]]);
        let ends = Scores::of_two([[2.0, 0.0], [1.0, 0.0]]);
        let high = Scores::new([[0.0, 0.0], [2.0, 2.5], [0.0, 0.0]]);
        let low = Scores::new([[0.5, 0.5], [0.0, 0.0], [1.5, 2.0]]);
        let none = Scores::new([[0.0, 1.0], [0.0, 0.5], [0.0, 0.5]]);
        for kinds in [
            vec![(&quiet, 3)],
            vec![(&starts, 1), (&quiet, 4), (&ends, 2)],
            vec![(&quiet, 2), (&starts, 3), (&quiet, 3)],
            vec![(&high, 1), (&none, 3), (&low, 2), (&none, 1)],
            vec![(&none, 2), (&low, 1), (&high, 2), (&none, 2)],
        ] {
            let scored: Vec<ScoredRun> = kinds.iter().map(|&(scores, length)| ScoredRun { scores, length }).collect();
            let steps: Vec<&Scores> =
                kinds.iter().flat_map(|&(scores, length)| std::iter::repeat_n(scores, length as usize)).collect();
            let states = steps[0].states();
            for temperature in [0.3, 1.0, 4.0] {
                let (mut all, mut holding) = (0.0, vec![0.0; steps.len() * (states - 1)]);
                for sequence in 0..states.pow(steps.len() as u32) {
                    let at = |t: usize| sequence / states.pow(t as u32) % states;
                    let score: f64 =
                        (0..steps.len()).map(|t| steps[t].step(if t == 0 { 0 } else { at(t - 1) }, at(t))).sum();
                    let weight = (score / temperature).exp();
                    all += weight;
                    let held = (0..steps.len()).filter(|t| at(*t) > 0);
                    held.for_each(|t| holding[t * (states - 1) + at(t) - 1] += weight);
                }
                for (found, expected) in marginals(&scored, temperature).iter().zip(holding) {
                    assert!((found - expected / all).abs() < 1e-12, "{found} {}", expected / all);
                }
            }
        }
    }
}
