//! Vote: rules as experts of whom those that fire have a say, beside inertia, time point by time point.
//!
//! With `S` the weights of the rules that fire and start a fluent, `E` of those that end it, and `I` of inertia, which is as
//! sure as the fluent was when it began to hold, and nothing where it does not hold,
//!
//! ```text
//! p = (I + S) / (I + S + E)
//! ```
//!
//! is how sure it is that the fluent holds, and it does where that is more than one half: as in OLED-EXP. Of a fluent with values
//! what speaks for others speaks against each, so that one at most is surer than that. Nothing that comes later changes it.

use super::chains::{FluentChains, Run};
use super::weight::FluentWeights;

/// The state that holds, with how much inertia speaks for it.
pub(super) type Persistence = Option<(usize, f64)>;

/// How sure rules that fire and inertia are of each state but the first, at the next time point.
pub(super) fn sure(fluent: &FluentChains, rules: &[f64], fired: usize, inertia: Persistence) -> Vec<f64> {
    let (mut speaks, mut ends) = (vec![0.0; fluent.states()], vec![0.0; fluent.states()]);
    for (rule, (at, state)) in fluent.votes(fired) {
        let side = if rule.ends { &mut ends } else { &mut speaks };
        side[state] += rules[at];
    }
    if let Some((state, weight)) = inertia.filter(|_| !fluent.direct) {
        speaks[state] += weight;
    }
    let all: f64 = speaks.iter().sum();
    let share = |state: usize| if speaks[state] == 0.0 { 0.0 } else { speaks[state] / (all + ends[state]) };
    (1..fluent.states()).map(share).collect()
}

/// The state that is surer than not, with how sure it is.
pub(super) fn winner(sure: &[f64]) -> Persistence {
    sure.iter().position(|sure| *sure > 0.5).map(|at| (at + 1, sure[at]))
}

/// Inertia after a time point at which a state holds: as sure as that was when it began.
pub(super) fn kept(before: Persistence, holds: Persistence) -> Persistence {
    let (state, sure) = holds?;
    Some(before.filter(|(same, _)| *same == state).unwrap_or((state, sure)))
}

/// How sure it is of each state but the first at each time point that steps lead to, and which state holds there. Inertia goes
/// on from step to step.
pub(super) fn votes(
    fluent: &FluentChains,
    weights: &FluentWeights,
    runs: &[Run],
    inertia: &mut Persistence,
) -> (Vec<f64>, Vec<usize>) {
    let (mut all, mut states) = (Vec::new(), Vec::new());
    for run in runs {
        let mut left = run.length as usize;
        while left > 0 {
            let sure = sure(fluent, &weights.rules, run.fired as usize, *inertia);
            let next = kept(*inertia, winner(&sure));
            // Where inertia stays as it is, so does everything for the rest of the run.
            let steps = if next == *inertia { left } else { 1 };
            *inertia = next;
            states.extend(std::iter::repeat_n(next.map_or(0, |(state, _)| state), steps));
            (0..steps).for_each(|_| all.extend_from_slice(&sure));
            left -= steps;
        }
    }
    (all, states)
}

/// How probable that is at a temperature.
pub(super) fn cooled(sure: f64, temperature: f64) -> f64 {
    1.0 / (1.0 + (((1.0 - sure) / sure).ln() / temperature).exp())
}
