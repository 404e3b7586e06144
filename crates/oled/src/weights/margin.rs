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

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::calibrate::Calibration;
use super::chain::{Scores, States, Stretch, decode};
use super::counts::{Counts, Tally, annotated};
use super::dual::{Cut, Dual, TOLERANCE};
use super::firing::{Chain, FluentChains, Label};
use super::weight::FluentWeights;
use crate::evaluate::Confusion;
use crate::lang::Symbol;

/// What errors cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// A time point at which it is recognised and not annotated.
    pub false_alarm: f64,
    /// A time point at which it is annotated and not recognised.
    pub miss: f64,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs { false_alarm: 1.0, miss: 1.0 }
    }
}

impl Costs {
    /// The same with the larger one 1: what matters is their ratio.
    fn normalised(&self) -> Costs {
        let largest = self.false_alarm.max(self.miss);
        Costs { false_alarm: self.false_alarm / largest, miss: self.miss / largest }
    }

    fn of(&self, counts: &Confusion) -> f64 {
        self.false_alarm * counts.fp as f64 + self.miss * counts.fn_ as f64
    }

    /// How good counts are: F1, and where errors do not cost the same, how little they cost.
    fn value(&self, counts: &Confusion) -> f64 {
        if self.false_alarm == self.miss { counts.f1() } else { -self.of(counts) }
    }
}

/// How many trades between errors and the size of weights are tried. Which one is best is found out on segments that weights
/// were not learned from; half as many leave out what is best for rules that fire all the time, or for rules that fire once.
const TRADES: u32 = 4;

/// The trades: how much errors count beside the size of weights, as a multiple of what missing everything would cost. What
/// fires once must outweigh inertia for as long as labels stay the same, and squares of weights are counted: so the most that
/// errors count is the square of ten times that length, since some labels stay the same for much longer than the mean, and
/// the least is 1, with which weights are next to nothing.
fn trades(fluent: &FluentChains) -> impl Iterator<Item = f64> {
    let (mut steps, mut changes) = (0_u64, 0_u64);
    for chain in &fluent.chains {
        steps += chain.runs.iter().map(|run| u64::from(run.length)).sum::<u64>();
        changes += 1 + chain.runs.windows(2).filter(|pair| pair[0].label != pair[1].label).count() as u64;
    }
    let length = 10.0 * (steps as f64 / changes.max(1) as f64).max(1.0);
    (0..TRADES).map(move |i| length.powf(2.0 * f64::from(i) / f64::from(TRADES - 1)))
}

/// So many groups of segments are left out, one after the other, to choose the trade. More cost as many searches more.
const GROUPS: usize = 5;

/// So many more segments must be better than worse where weights are to decide: two might be chance.
const MORE_SEGMENTS: usize = 3;

/// Conditions that are added at most. Some tens are enough.
const MOST_CUTS: usize = 1000;

/// How weights are learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// How much errors count beside the size of weights.
    pub trade: f64,
    /// Whether rules may speak against their heads: the weights of such rules are negative.
    pub signed: bool,
    /// Whether inertia speaks only where no rule fires: see [`FluentWeights::quiet`].
    pub quiet: bool,
}

/// Weights that were learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Margin {
    /// In units of inertia: those with which most is recognised rightly, elsewhere.
    pub weights: FluentWeights,
    /// Those with which labels are most probable, elsewhere: for who lets rules decide, and asks how sure they are.
    pub confidence: FluentWeights,
    /// How the former were learned.
    pub kind: Kind,
    /// What came of each kind on segments that weights were not learned from; nothing where there is one segment only.
    pub tried: Vec<(Kind, Confusion)>,
    /// How many conditions were added.
    pub cuts: usize,
    /// Chains with the weights that were learned from other segments, for probabilities: of both.
    pub held_out: Calibration,
    /// See `held_out`.
    pub sure: Calibration,
    /// The counts of each segment with the weights that were learned from others; nothing where there is one only.
    pub by_segment: BySegment,
}

/// Counts by segment.
pub type BySegment = IndexMap<Symbol, Confusion, FxBuildHasher>;

/// The counts of all segments together.
pub fn total(by_segment: &BySegment) -> Confusion {
    let mut total = Confusion::default();
    by_segment.values().for_each(|counts| total += *counts);
    total
}

impl Margin {
    /// Whether weights that were learned from other segments are better than other counts: over all, and in some more segments
    /// than they are worse, as it is asked of rules.
    pub fn is_better(&self, others: &BySegment, costs: &Costs) -> bool {
        let (wins, losses) = self.against(others, costs);
        let value = |by_segment: &BySegment| costs.value(&total(by_segment));
        wins >= losses + MORE_SEGMENTS && value(&self.by_segment) > value(others)
    }

    /// In how many segments weights that were learned from others cost less than other counts, and in how many more.
    pub fn against(&self, others: &BySegment, costs: &Costs) -> (usize, usize) {
        let segments = self
            .by_segment
            .iter()
            .map(|(segment, counts)| (costs.of(counts), costs.of(&others.get(segment).copied().unwrap_or_default())));
        segments.fold((0, 0), |(wins, losses), (own, other)| {
            (wins + usize::from(own < other), losses + usize::from(own > other))
        })
    }
}

/// Learns the weights of a fluent.
pub fn weigh(fluent: &FluentChains, costs: &Costs) -> Margin {
    let costs = &costs.normalised();
    let all: Vec<&Chain> = fluent.chains.iter().collect();
    let groups = groups(fluent);
    let mut tried: Vec<Tried> = Vec::new();
    if groups.len() > 1 {
        for (signed, quiet) in [(false, false), (false, true), (true, false), (true, true)] {
            let kinds = trades(fluent).map(|trade| Kind { trade, signed, quiet });
            tried.extend(kinds.map(|kind| left_out(fluent, &groups, costs, kind)));
        }
    }
    // Of kinds that are as good it is the one without negative weights, and with smaller ones.
    let first_best = |better: &dyn Fn(&Tried, &Tried) -> bool| {
        tried.iter().reduce(|best, next| if better(next, best) { next } else { best })
    };
    let right = first_best(&|a, b| costs.value(&total(&a.by_segment)) > costs.value(&total(&b.by_segment)));
    let sure = first_best(&|a, b| a.surprise < b.surprise);
    let middle = Kind { trade: trades(fluent).nth(TRADES as usize / 2).unwrap_or(1.0), signed: false, quiet: false };
    let learned = |of: Option<&Tried>, decide: bool| {
        let (weights, cuts) = cutting_plane(fluent, &all, costs, of.map_or(middle, |of| of.kind));
        let temperature = of.map_or(1.0, |of| of.chains.temperature());
        (FluentWeights { temperature, decide, ..weights.scaled() }.rounded(), cuts)
    };
    let (weights, cuts) = learned(right, true);
    let (confidence, _) = learned(sure, false);
    let kind = right.map_or(middle, |right| right.kind);
    let (held_out, by_segment) =
        right.map(|right| (right.chains.clone(), right.by_segment.clone())).unwrap_or_default();
    let sure = sure.map(|sure| sure.chains.clone()).unwrap_or_default();
    let tried = tried.iter().map(|tried| (tried.kind, total(&tried.by_segment))).collect();
    Margin { weights, confidence, kind, tried, cuts, held_out, sure, by_segment }
}

/// What came of a kind of weights on segments that they were not learned from.
struct Tried {
    kind: Kind,
    by_segment: BySegment,
    /// The chains of those segments, with the scores that they had.
    chains: Calibration,
    /// How improbable labels are at the best temperature.
    surprise: f64,
}

/// What comes of a kind of weights on groups of segments that they were not learned from.
fn left_out(fluent: &FluentChains, groups: &[Vec<&Chain>], costs: &Costs, kind: Kind) -> Tried {
    let (mut counts, mut chains) = (BySegment::default(), Calibration::default());
    for (segment, missed) in &fluent.missed {
        counts.entry(*segment).or_default().fn_ += missed;
    }
    for (out, group) in groups.iter().enumerate() {
        let others = groups.iter().enumerate().filter(|(g, _)| *g != out);
        let kept: Vec<&Chain> = others.flat_map(|(_, chains)| chains).copied().collect();
        let (weights, _) = cutting_plane(fluent, &kept, costs, kind);
        let scores = fluent.scores(&weights.scaled());
        for chain in group {
            *counts.entry(chain.segment).or_default() += count(chain, &scores);
            chains.add(chain, &scores);
        }
    }
    let (_, surprise) = chains.coarse();
    Tried { kind, by_segment: counts, chains, surprise }
}

/// The chains in groups of whole segments, such that labels are spread: whatever the order of the segments.
fn groups(fluent: &FluentChains) -> Vec<Vec<&Chain>> {
    let mut segments: IndexMap<Symbol, (u64, Vec<&Chain>), FxBuildHasher> = IndexMap::default();
    for chain in &fluent.chains {
        let (labels, chains) = segments.entry(chain.segment).or_default();
        *labels += chain.runs.iter().filter(|r| r.label == Label::Holds).map(|r| u64::from(r.length)).sum::<u64>();
        chains.push(chain);
    }
    segments.sort_by(|a, (m, _), b, (n, _)| n.cmp(m).then_with(|| a.as_str().cmp(b.as_str())));
    let mut groups: Vec<Vec<&Chain>> = vec![Vec::new(); GROUPS.min(segments.len())];
    let count = groups.len().max(1);
    for (i, (_, (_, chains))) in segments.into_iter().enumerate() {
        groups[i % count].extend(chains);
    }
    groups
}

/// The counts of the best states of a chain.
pub(super) fn count(chain: &Chain, scores: &[Scores]) -> Confusion {
    let stretches: Vec<Stretch> = stretches(chain, scores).collect();
    compare(chain, &decode(&stretches).1)
}

/// What is right and wrong of states of a chain.
fn compare(chain: &Chain, states: &[States]) -> Confusion {
    let mut counts = Confusion::default();
    for (run, states) in chain.runs.iter().zip(states) {
        for (state, length) in states.parts() {
            let length = u64::from(length);
            match (state, run.label) {
                (1, Label::Holds) => counts.tp += length,
                (1, Label::Absent) => counts.fp += length,
                (0, Label::Holds) => counts.fn_ += length,
                _ => {}
            }
        }
    }
    counts
}

/// The steps of a chain, by the scores of the sets of rules.
pub(super) fn stretches<'c>(chain: &'c Chain, scores: &'c [Scores]) -> impl Iterator<Item = Stretch> {
    chain.runs.iter().map(|run| Stretch { scores: scores[run.fired as usize], length: run.length })
}

/// Weights by a cutting plane, and how many conditions they took.
fn cutting_plane(fluent: &FluentChains, chains: &[&Chain], costs: &Costs, kind: Kind) -> (FluentWeights, usize) {
    let labels = chains.iter().flat_map(|c| &c.runs).filter(|r| r.label == Label::Holds);
    let held: u64 = labels.map(|r| u64::from(r.length)).sum();
    // What missing everything costs: scores and costs are in this unit.
    let unit = (held as f64 * costs.miss).max(1.0);
    let mut right = Tally::new(fluent);
    chains.iter().for_each(|chain| right.add(chain, annotated(chain)));
    let right = right.counts(fluent, kind.quiet);
    let mut dual = Dual::new(fluent.rules.len(), kind);
    while dual.len() < MOST_CUTS {
        let (wrong, errors) = most_wrong(fluent, chains, costs, &dual.weights(fluent));
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
fn most_wrong(fluent: &FluentChains, chains: &[&Chain], costs: &Costs, weights: &FluentWeights) -> (Counts, Confusion) {
    let scores = fluent.scores(weights);
    let mut tally = Tally::new(fluent);
    let mut errors = Confusion::default();
    let mut stretches = Vec::new();
    for chain in chains {
        stretches.clear();
        stretches.extend(chain.runs.iter().map(|run| {
            let mut scores = scores[run.fired as usize];
            for row in &mut scores {
                match run.label {
                    Label::Absent => row[1] += costs.false_alarm,
                    Label::Holds => row[0] += costs.miss,
                    Label::Unknown => {}
                }
            }
            Stretch { scores, length: run.length }
        }));
        let (_, states) = decode(&stretches);
        errors += compare(chain, &states);
        tally.add(chain, states.into_iter());
    }
    (tally.counts(fluent, weights.quiet), errors)
}
