//! Margin: weights with which the annotated states are better than all others, by more the more wrong the others are.
//!
//! With `n(y)` how often each weight counts for states `y`, `y*` what is annotated, and `cost(y)` what the errors of `y` cost,
//!
//! ```text
//! minimise  1/2 |w|^2 + C xi    such that    w (n(y*) - n(y)) >= cost(y) - xi    for all y,    w >= 0
//! ```
//!
//! over all chains together (one slack variable; Joachims, Finley and Yu, 2009). Of all states `y`, those that break their
//! condition most are found by the same search as the best ones, with the cost of an error added to the wrong state; their
//! condition is added, weights are found anew, and so on until none is broken. Counts and errors are whole numbers, summed
//! over chains: the order of segments, and how many threads there are, make no difference. No weight is negative, since a rule
//! does not speak against its head.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::calibrate::Calibration;
use super::chain::{Scores, Stretch, decode};
use super::counts::{Tally, annotated};
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

impl Costs {
    /// The same with the larger one 1: what matters is their ratio.
    fn normalised(&self) -> Costs {
        let largest = self.false_alarm.max(self.miss);
        Costs { false_alarm: self.false_alarm / largest, miss: self.miss / largest }
    }
}

impl Default for Costs {
    fn default() -> Costs {
        Costs { false_alarm: 1.0, miss: 1.0 }
    }
}

impl Costs {
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

/// A condition may be broken by so much of what missing everything costs: as in the literature.
const TOLERANCE: f64 = 0.001;

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

impl Margin {
    /// Whether weights that were learned from other segments are better than other counts: over all, and in some more segments
    /// than they are worse, as it is asked of rules.
    pub fn is_better(&self, others: &BySegment, costs: &Costs) -> bool {
        let (wins, losses) = self.against(others, costs);
        let sum = |counts: &BySegment| {
            let mut sum = Confusion::default();
            counts.values().for_each(|of| sum += *of);
            costs.value(&sum)
        };
        wins >= losses + MORE_SEGMENTS && sum(&self.by_segment) > sum(others)
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
    let right = first_best(&|a, b| costs.value(&a.counts()) > costs.value(&b.counts()));
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
    let tried = tried.iter().map(|tried| (tried.kind, tried.counts())).collect();
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

impl Tried {
    fn counts(&self) -> Confusion {
        let mut counts = Confusion::default();
        self.by_segment.values().for_each(|of| counts += *of);
        counts
    }
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
    let (_, states) = decode(&stretches);
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

/// A condition: how much more each weight counts for what is annotated than for other states, and what those cost.
struct Cut {
    counts: Vec<f64>,
    cost: f64,
}

/// Weights by a cutting plane, and how many conditions they took.
fn cutting_plane(fluent: &FluentChains, chains: &[&Chain], costs: &Costs, kind: Kind) -> (FluentWeights, usize) {
    let labels = chains.iter().flat_map(|c| &c.runs).filter(|r| r.label == Label::Holds);
    let held: u64 = labels.map(|r| u64::from(r.length)).sum();
    // What missing everything costs: scores and costs are in this unit.
    let unit = (held as f64 * costs.miss).max(1.0);
    let mut dual = Dual::new(fluent.rules.len(), kind);
    while dual.cuts.len() < MOST_CUTS {
        let cut = most_violated(fluent, chains, costs, &dual.weights(fluent), unit);
        let slack = dual.slack();
        if cut.cost - dot(&dual.weight, &cut.counts) <= slack + TOLERANCE {
            break;
        }
        dual.add(cut);
    }
    (dual.weights(fluent), dual.cuts.len())
}

/// The states that break their condition most.
fn most_violated(fluent: &FluentChains, chains: &[&Chain], costs: &Costs, weights: &FluentWeights, unit: f64) -> Cut {
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
        for (run, states) in chain.runs.iter().zip(&states) {
            for (state, length) in states.parts() {
                match (state, run.label) {
                    (1, Label::Absent) => errors.fp += u64::from(length),
                    (0, Label::Holds) => errors.fn_ += u64::from(length),
                    _ => {}
                }
            }
        }
        tally.add(chain, annotated(chain), 1);
        tally.add(chain, states.into_iter(), -1);
    }
    let counts = tally.counts(fluent, weights.quiet).into_iter().map(|count| count as f64 / unit).collect();
    Cut { counts, cost: costs.of(&errors) / unit }
}

/// The dual problem: a multiplier for each condition, `sum <= C`, with which weights are the positive part of the sum of the
/// conditions' counts. Solved by moving weight from one condition to another, or to and from none, as long as it gains.
struct Dual {
    cuts: Vec<Cut>,
    multipliers: Vec<f64>,
    /// What the multipliers leave of their sum.
    rest: f64,
    /// The sum of counts, and its positive part; the first ones may be negative.
    sum: Vec<f64>,
    weight: Vec<f64>,
    signed: usize,
    quiet: bool,
}

/// Moves of multipliers for a condition more, at most. Some hundreds are enough.
const MOST_MOVES: usize = 20_000;

impl Dual {
    fn new(rules: usize, kind: Kind) -> Dual {
        let zero = vec![0.0; rules + 2];
        let signed = if kind.signed { rules } else { 0 };
        let (rest, quiet) = (kind.trade, kind.quiet);
        Dual { cuts: Vec::new(), multipliers: Vec::new(), rest, sum: zero.clone(), weight: zero, signed, quiet }
    }

    fn weights(&self, fluent: &FluentChains) -> FluentWeights {
        let (rules, inertia) = self.weight.split_at(self.weight.len() - 2);
        let [holding, more] = [inertia[0], inertia[1]];
        let (rules, absent, quiet) = (rules.into(), holding + more, self.quiet);
        FluentWeights { fluent: fluent.name(), rules, holding, absent, quiet, temperature: 1.0, decide: true }
    }

    /// By how much a condition is broken, before slack.
    fn violation(&self, cut: usize) -> f64 {
        self.cuts[cut].cost - dot(&self.weight, &self.cuts[cut].counts)
    }

    /// The slack that the conditions need.
    fn slack(&self) -> f64 {
        (0..self.cuts.len()).map(|cut| self.violation(cut)).fold(0.0, f64::max)
    }

    /// Adds a condition, and finds the multipliers anew.
    fn add(&mut self, cut: Cut) {
        self.cuts.push(cut);
        self.multipliers.push(0.0);
        for _ in 0..MOST_MOVES {
            // No condition is one that is never broken.
            let (mut most, mut least) = ((None, 0.0), (None, f64::INFINITY));
            if self.rest > 0.0 {
                least = (None, 0.0);
            }
            for cut in 0..self.cuts.len() {
                let violation = self.violation(cut);
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
        let of = |cut: Option<usize>| cut.map(|cut| (self.cuts[cut].cost, self.cuts[cut].counts.as_slice()));
        let (gain, lose) = (of(to), of(from));
        let cost = gain.map_or(0.0, |(cost, _)| cost) - lose.map_or(0.0, |(cost, _)| cost);
        let along: Vec<f64> = (0..self.sum.len())
            .map(|i| gain.map_or(0.0, |(_, counts)| counts[i]) - lose.map_or(0.0, |(_, counts)| counts[i]))
            .collect();
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

    /// How far to move: what a little more gains falls with the length, in pieces that are straight lines.
    fn best_length(&self, along: &[f64], cost: f64, room: f64) -> f64 {
        let mut length = 0.0;
        let end = |sum: f64, along: f64| -sum / along;
        // Each piece ends where another weight becomes zero, or is not any more.
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

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
