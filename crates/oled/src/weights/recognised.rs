//! What is recognised with weights: intervals, each with how sure they are.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::chain::{BEGINNING, Standing, States, Stretch, decode_from};
use super::firing::{Chain, Chains, FluentChains};
use super::margin::stretches;
use super::marginal::marginals;
use super::weight::{FluentWeights, Weights};
use crate::calculus::{End, Interval};
use crate::evaluate::Recognised;
use crate::lang::{Signature, Symbol, Symmetries, Value};

/// How sure an interval is: how probable it is that the fluent holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence {
    /// Over all of its time points.
    pub mean: f64,
    /// At the least probable of them.
    pub weakest: f64,
}

/// What makes a time point one at which a fluent holds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Decision {
    /// It is part of the best sequence of states; where weights do not decide, rules say so.
    #[default]
    Best,
    /// It is at least so probable.
    AtLeast(f64),
}

impl Chains {
    /// The intervals that are recognised, with how sure they are: fluent by fluent, in the order in which their chains began.
    pub fn intervals(&self, weights: &Weights, decision: Decision) -> Vec<(Interval, Confidence)> {
        let mut found = Vec::new();
        for (fluent, weights) in self.fluents.iter().zip(&weights.fluents) {
            let scores = fluent.scores(weights);
            for chain in &fluent.chains {
                let stretches: Vec<Stretch> = stretches(chain, &scores).collect();
                self.add_intervals(fluent, weights, (chain, &stretches), decision, &mut found);
            }
        }
        found
    }

    fn add_intervals(
        &self,
        fluent: &FluentChains,
        weights: &FluentWeights,
        (chain, stretches): (&Chain, &[Stretch]),
        decision: Decision,
        found: &mut Vec<(Interval, Confidence)>,
    ) {
        let probable = marginals(stretches, weights.temperature);
        let states = fluent.states(weights, (chain, stretches), (decision, &probable), (BEGINNING, false));
        let times = &self.times[&chain.segment];
        let mut at = 0;
        while at < states.len() {
            let length = states[at..].iter().take_while(|state| **state == states[at]).count();
            if states[at] {
                let (first, last) = (chain.first + at, chain.first + at + length - 1);
                let end = match () {
                    () if at + length < states.len() => End::Terminated,
                    () if last + 1 < times.len() => End::Lost,
                    () => End::Segment,
                };
                let sure = &probable[at..at + length];
                let confidence = Confidence {
                    mean: sure.iter().sum::<f64>() / length as f64,
                    weakest: sure.iter().copied().fold(1.0, f64::min),
                };
                let (segment, values) = (chain.segment, chain.values.clone());
                let interval =
                    Interval { segment, signature: fluent.label, values, first: times[first], last: times[last], end };
                found.push((interval, confidence));
            }
            at += length;
        }
    }
}

impl FluentChains {
    /// Whether the fluent holds after each step of a chain, by weights, by its rules or by how probable it is. Of the time before
    /// it is known how good each state was, and whether it held by rules alone.
    pub(super) fn states(
        &self,
        weights: &FluentWeights,
        (chain, stretches): (&Chain, &[Stretch]),
        (decision, probable): (Decision, &[f64]),
        (standing, held): (Standing, bool),
    ) -> Vec<bool> {
        match decision {
            Decision::AtLeast(threshold) => probable.iter().map(|p| *p >= threshold).collect(),
            Decision::Best if !weights.decide => self.crisp(chain, held),
            Decision::Best => {
                let (_, states) = decode_from(standing, stretches);
                let parts = states.into_iter().flat_map(States::parts);
                parts.flat_map(|(state, length)| std::iter::repeat_n(state == 1, length as usize)).collect()
            }
        }
    }

    /// The states of a chain by its rules alone: what starts it wins.
    fn crisp(&self, chain: &Chain, mut holds: bool) -> Vec<bool> {
        let mut states = Vec::new();
        for run in &chain.runs {
            let (starts, ends) = self.sides(run.fired as usize);
            holds = starts || holds && !ends && !self.direct;
            states.extend(std::iter::repeat_n(holds, run.length as usize));
        }
        states
    }
}

/// What holds at each time point, for whoever compares it with labels.
#[derive(Clone, Debug)]
pub struct Timetable {
    symmetries: Symmetries,
    holding: IndexMap<(Symbol, i64), Vec<Instance>, FxBuildHasher>,
}

/// A fluent with its arguments.
type Instance = (Signature, Box<[Value]>);

impl Timetable {
    /// The time points of intervals.
    pub fn new<'i>(
        chains: &Chains,
        symmetries: Symmetries,
        intervals: impl Iterator<Item = &'i Interval>,
    ) -> Timetable {
        let mut holding: IndexMap<(Symbol, i64), Vec<Instance>, FxBuildHasher> = IndexMap::default();
        for interval in intervals {
            let times = &chains.times[&interval.segment];
            let within = times.iter().filter(|time| (interval.first..=interval.last).contains(*time));
            for time in within {
                let here = holding.entry((interval.segment, *time)).or_default();
                here.push((interval.signature, interval.values.clone()));
            }
        }
        Timetable { symmetries, holding }
    }

    /// What holds at a time point of a segment.
    pub fn at(&self, segment: Symbol, time: i64) -> At<'_> {
        let holding = self.holding.get(&(segment, time)).map_or(&[][..], Vec::as_slice);
        At { symmetries: &self.symmetries, holding }
    }
}

/// What holds at a time point.
#[derive(Clone, Copy, Debug)]
pub struct At<'t> {
    symmetries: &'t Symmetries,
    holding: &'t [Instance],
}

impl Recognised for At<'_> {
    fn symmetries(&self) -> &Symmetries {
        self.symmetries
    }

    fn holds(&self, signature: Signature, values: &[Value]) -> bool {
        let values = self.symmetries.in_order(signature, values);
        self.holding.iter().any(|(s, v)| *s == signature && **v == *values)
    }

    fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.holding.iter().map(|(signature, values)| (*signature, &**values))
    }
}
