//! Margin: weights with which the annotated states are better than all others, by more the more wrong the others are.
//!
//! With `n(y)` how often each weight counts for states `y`, `y*` what is annotated, and `cost(y)` what the errors of `y` cost,
//!
//! ```text
//! minimise  1/2 |w|^2 + C xi    such that    w (n(y*) - n(y)) >= cost(y) - xi    for all y
//! ```
//!
//! over all chains together (one slack variable; Joachims, Finley and Yu, 2009). Of all states `y`, those that break their
//! condition most are found by the same search as the best ones, with the cost of an error added to the wrong state; their
//! condition is added, weights are found anew, and so on until none is broken. Counts and errors are whole numbers, summed
//! over chains: the order of segments, and how many threads there are, make no difference. Weights of inertia are never
//! negative, and those of rules only where that is better on segments that they were not learned from: a rule hardly ever
//! speaks against its head.

use super::chain::{ScoredRun, Scores, decode};
use super::chains::{Chain, FluentChains};
use super::costs::{Costs, annotated_points, compare};
use super::counts::{Counts, Tally, annotated};
use super::dual::{Cut, Dual, TOLERANCE};
use super::weight::{FluentWeights, Inertia};
use crate::evaluate::Confusion;

/// How many trades between errors and the size of weights are tried. Which one is best is found out on segments that weights
/// were not learned from; half as many leave out what is best for rules that fire all the time, or for rules that fire once.
const TRADES: u32 = 4;

/// Conditions that are added at most. Some tens are enough.
const MOST_CUTS: usize = 1000;

/// What may be chosen of a margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trade {
    /// How much errors count beside the size of weights.
    pub trade: f64,
    /// Whether rules may speak against their heads: the weights of such rules are negative.
    pub signed: bool,
    /// Where inertia speaks.
    pub inertia: Inertia,
}

impl Trade {
    /// All that are tried. How much errors count is a multiple of what missing everything would cost. What fires once must
    /// outweigh inertia for as long as labels stay the same, and squares of weights are counted: so the most that errors
    /// count is the square of ten times that length, since some labels stay the same for much longer than the mean, and the
    /// least is 1, with which weights are next to nothing.
    pub(super) fn all(fluent: &FluentChains) -> Vec<Trade> {
        let (mut steps, mut changes) = (0, 0);
        for chain in &fluent.chains {
            steps += chain.steps();
            changes += 1 + chain.runs.windows(2).filter(|pair| pair[0].label != pair[1].label).count();
        }
        let length = 10.0 * (steps as f64 / changes.max(1) as f64).max(1.0);
        let trades = (0..TRADES).map(|i| length.powf(2.0 * f64::from(i) / f64::from(TRADES - 1)));
        let kinds = [false, true].into_iter().flat_map(|s| [(s, Inertia::Unopposed), (s, Inertia::Quiet)]);
        kinds.flat_map(|(signed, inertia)| trades.clone().map(move |trade| Trade { trade, signed, inertia })).collect()
    }

    /// The one in the middle, for who cannot try.
    pub(super) fn middle(fluent: &FluentChains) -> Trade {
        Trade::all(fluent)[TRADES as usize / 2]
    }
}

/// Runs that are worth threads of their own: these take about a millisecond, and starting threads a tenth of that. With half of them
/// threads bring little, with twice as many a core rests longer.
const LEAST_RUNS: usize = 8192;

/// Weights by a cutting plane, and how many conditions they took.
pub(super) fn cutting_plane(
    fluent: &FluentChains,
    chains: &[&Chain],
    costs: &Costs,
    kind: Trade,
    threads: usize,
) -> (FluentWeights, usize) {
    let held = annotated_points(chains.iter().copied());
    // What missing everything costs: scores and costs are in this unit.
    let unit = (held as f64 * costs.miss).max(1.0);
    let mut right = Tally::new(fluent);
    chains.iter().for_each(|chain| right.add(&chain.runs, annotated(&chain.runs)));
    let right = right.counts(fluent, kind.inertia);
    let mut dual = Dual::new(fluent.rules.len(), kind);
    while dual.len() < MOST_CUTS {
        let (wrong, errors) = most_wrong(fluent, chains, costs, &dual.weights(fluent), threads);
        let counts = right.iter().zip(wrong).map(|(right, wrong)| (right - wrong) as f64 / unit).collect();
        let cut = Cut { counts, cost: costs.of(&errors) / unit };
        if dual.broken_by(&cut) <= dual.slack() + TOLERANCE {
            break;
        }
        dual.add(cut);
    }
    (dual.weights(fluent), dual.len())
}

/// How often each weight counts for the states that break their condition most, and what is wrong with those.
fn most_wrong(
    fluent: &FluentChains,
    chains: &[&Chain],
    costs: &Costs,
    weights: &FluentWeights,
    threads: usize,
) -> (Counts, Confusion) {
    let scores = fluent.scores(weights);
    // For each set of votes and each label, that of nobody first: made where a run has them.
    let labels = fluent.states() + 1;
    let place = |fired: u32, label: Option<u32>| fired as usize * labels + label.map_or(0, |state| 1 + state as usize);
    let mut wrong: Vec<Option<Scores>> = vec![None; scores.len() * labels];
    for run in chains.iter().flat_map(|chain| &chain.runs) {
        wrong[place(run.fired, run.label)]
            .get_or_insert_with(|| scores[run.fired as usize].with(|state| costs.of_state(state, run.label)));
    }
    let of = |chains: &[&Chain]| {
        let mut tally = Tally::new(fluent);
        let mut errors = Confusion::default();
        let mut scored: Vec<ScoredRun<'_>> = Vec::new();
        for chain in chains {
            let steps = chain.runs.iter().filter_map(|run| {
                Some(ScoredRun { scores: wrong[place(run.fired, run.label)].as_ref()?, length: run.length })
            });
            scored.clear();
            scored.extend(steps);
            let (_, states) = decode(&scored);
            errors += compare(&chain.runs, states.iter().flat_map(|states| states.parts()));
            tally.add(&chain.runs, states.into_iter());
        }
        (tally, errors)
    };
    let share = chains.len().div_ceil(threads.max(1)).max(1);
    let runs: usize = chains.iter().map(|chain| chain.runs.len()).sum();
    if threads < 2 || runs < LEAST_RUNS {
        let (tally, errors) = of(chains);
        return (tally.counts(fluent, weights.inertia), errors);
    }
    let (mut tally, mut errors) = (Tally::new(fluent), Confusion::default());
    std::thread::scope(|scope| {
        let shares: Vec<_> = chains.chunks(share).map(|share| scope.spawn(|| of(share))).collect();
        for share in shares {
            let (own, wrong) = share.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            tally.merge(&own);
            errors += wrong;
        }
    });
    (tally.counts(fluent, weights.inertia), errors)
}
