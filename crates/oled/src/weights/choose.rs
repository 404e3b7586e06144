//! Choose: weights of the kind with which most is recognised rightly on segments that they were not learned from.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::adagrad::AdaGrad;
use super::calibrate::Calibration;
use super::chains::{Chain, FluentChains};
use super::costs::{BySegment, Costs, annotated_points, compare, total};
use super::experts::Experts;
use super::margin::{Trade, cutting_plane};
use super::online::{Online, learn};
use super::recognised::{Before, parts};
use super::weight::FluentWeights;
use crate::evaluate::Confusion;
use crate::lang::Symbol;

/// How weights are learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// By a margin, from all segments together.
    #[default]
    Margin,
    /// In one pass, by steps along the gradient that become smaller.
    AdaGrad,
    /// In one pass, by multiplying the weights of rules that were wrong.
    Experts,
}

/// How weights are learned, in detail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// By a margin.
    Margin(Trade),
    /// By [`Method::AdaGrad`].
    AdaGrad,
    /// By [`Method::Experts`].
    Experts,
}

impl Kind {
    /// All kinds of a method that are tried, and the one for who cannot try.
    fn all(method: Method, fluent: &FluentChains) -> (Vec<Kind>, Kind) {
        match method {
            Method::Margin => {
                let all = Trade::all(fluent).into_iter().map(Kind::Margin).collect();
                (all, Kind::Margin(Trade::middle(fluent)))
            }
            Method::AdaGrad => (vec![Kind::AdaGrad], Kind::AdaGrad),
            Method::Experts => (vec![Kind::Experts], Kind::Experts),
        }
    }

    /// Weights that are learned from some chains.
    fn learn(self, fluent: &FluentChains, chains: &[&Chain], costs: &Costs, threads: usize) -> Learned {
        match self {
            Kind::Margin(trade) => {
                let (weights, cuts) = cutting_plane(fluent, chains, costs, trade, threads);
                Learned { weights: weights.scaled(), cuts, prequential: None }
            }
            Kind::AdaGrad => online(AdaGrad::new(fluent), fluent, chains),
            Kind::Experts => online(Experts::new(fluent), fluent, chains),
        }
    }
}

/// Weights that were learned from some chains.
struct Learned {
    weights: FluentWeights,
    cuts: usize,
    /// What was recognised on the way, each time point before its label was learned from.
    prequential: Option<BySegment>,
}

fn online(mut learner: impl Online, fluent: &FluentChains, chains: &[&Chain]) -> Learned {
    let prequential = Some(learn(&mut learner, fluent, chains));
    Learned { weights: learner.weights(fluent), cuts: 0, prequential }
}

/// So many groups of segments are left out, one after the other, to choose the kind. More cost as many searches more.
const GROUPS: usize = 5;

/// So many more segments must be better than worse where weights are to decide: two might be chance.
const MORE_SEGMENTS: usize = 3;

/// Weights that were learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Chosen {
    /// In units of inertia: those with which most is recognised rightly, elsewhere.
    pub weights: FluentWeights,
    /// Those with which labels are most probable, elsewhere: for who lets rules decide, and asks how sure they are.
    pub confidence: FluentWeights,
    /// How the former were learned.
    pub kind: Kind,
    /// What came of each kind on segments that weights were not learned from; nothing where there is one segment only.
    pub tried: Vec<(Kind, Confusion)>,
    /// How many conditions of a margin were added.
    pub cuts: usize,
    /// What was recognised while weights were learned in one pass, each time point before its label was learned from.
    pub prequential: Option<BySegment>,
    /// Chains with the weights that were learned from other segments, for probabilities: of both.
    pub held_out: Calibration,
    /// See `held_out`.
    pub sure: Calibration,
    /// The counts of each segment with the weights that were learned from others; nothing where there is one only.
    pub by_segment: BySegment,
}

impl Chosen {
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

/// Learns the weights of a fluent, on so many threads: their number makes no difference.
pub fn weigh(fluent: &FluentChains, costs: &Costs, method: Method, threads: usize) -> Chosen {
    let costs = &costs.normalised();
    let all: Vec<&Chain> = fluent.chains.iter().collect();
    let groups = groups(fluent);
    let (kinds, middle) = Kind::all(method, fluent);
    let tried: Vec<Tried> = match groups.len() {
        0 | 1 => Vec::new(),
        _ => kinds.iter().map(|kind| left_out(fluent, &groups, costs, *kind, threads)).collect(),
    };
    // Of kinds that are as good it is the one without negative weights, and with smaller ones.
    let first_best = |better: &dyn Fn(&Tried, &Tried) -> bool| {
        tried.iter().reduce(|best, next| if better(next, best) { next } else { best })
    };
    let right = first_best(&|a, b| costs.value(&total(&a.by_segment)) > costs.value(&total(&b.by_segment)));
    let sure = first_best(&|a, b| a.surprise < b.surprise);
    let learned = |of: Option<&Tried>, decide: bool| {
        let learned = of.map_or(middle, |of| of.kind).learn(fluent, &all, costs, threads);
        let temperature = of.map_or(1.0, |of| of.chains.temperature(of.coarse));
        Learned { weights: FluentWeights { temperature, decide, ..learned.weights }.rounded(), ..learned }
    };
    let (decides, confidence) = (learned(right, true), learned(sure, false));
    let (held_out, by_segment) =
        right.map(|right| (right.chains.clone(), right.by_segment.clone())).unwrap_or_default();
    Chosen {
        weights: decides.weights,
        confidence: confidence.weights,
        kind: right.map_or(middle, |right| right.kind),
        tried: tried.iter().map(|tried| (tried.kind, total(&tried.by_segment))).collect(),
        cuts: decides.cuts,
        prequential: decides.prequential,
        held_out,
        sure: sure.map(|sure| sure.chains.clone()).unwrap_or_default(),
        by_segment,
    }
}

/// What came of a kind of weights on segments that they were not learned from.
struct Tried {
    kind: Kind,
    by_segment: BySegment,
    /// The chains of those segments, with the scores that they had.
    chains: Calibration,
    /// The exponent of the power of two that is nearest to the best temperature, and how improbable labels are there.
    coarse: f64,
    surprise: f64,
}

/// What comes of a kind of weights on groups of segments that they were not learned from.
fn left_out(fluent: &FluentChains, groups: &[Vec<Symbol>], costs: &Costs, kind: Kind, threads: usize) -> Tried {
    let (mut counts, mut chains) = (BySegment::default(), Calibration::default());
    for (segment, missed) in &fluent.missed {
        counts.entry(*segment).or_default().fn_ += missed;
    }
    for group in groups {
        let (out, kept): (Vec<&Chain>, Vec<&Chain>) =
            fluent.chains.iter().partition(|chain| group.contains(&chain.segment));
        let weights = kind.learn(fluent, &kept, costs, threads).weights;
        fluent.count(&out, &weights, |segment, of| *counts.entry(segment).or_default() += of);
        chains.add(fluent, &out, &weights);
    }
    let (coarse, surprise) = chains.coarse();
    Tried { kind, by_segment: counts, chains, coarse, surprise }
}

/// Segments in groups such that labels are spread: whatever the order of the segments.
fn groups(fluent: &FluentChains) -> Vec<Vec<Symbol>> {
    let mut segments: IndexMap<Symbol, u64, FxBuildHasher> = IndexMap::default();
    for chain in &fluent.chains {
        *segments.entry(chain.segment).or_default() += annotated_points([chain]);
    }
    segments.sort_by(|a, m, b, n| n.cmp(m).then_with(|| a.as_str().cmp(b.as_str())));
    let count = GROUPS.min(segments.len());
    let mut groups: Vec<Vec<Symbol>> = vec![Vec::new(); count];
    for (i, segment) in segments.into_keys().enumerate() {
        groups[i % count].push(segment);
    }
    groups
}

impl FluentChains {
    /// What weights that decide recognise of chains, against the annotation.
    fn count(&self, chains: &[&Chain], weights: &FluentWeights, mut each: impl FnMut(Symbol, Confusion)) {
        let (scores, before) = (self.scores(weights), Before::nothing(self.states()));
        for chain in chains {
            let held = self.best(weights, &scores, &chain.runs, &before);
            each(chain.segment, compare(&chain.runs, parts(chain.steps(), &held)));
        }
    }

    /// What the best states come to, against the annotation.
    pub fn evaluate(&self, weights: &FluentWeights) -> Confusion {
        let mut counts = Confusion { fn_: self.missed.values().sum(), ..Confusion::default() };
        self.count(&self.chains.iter().collect::<Vec<_>>(), weights, |_, of| counts += of);
        counts
    }
}
