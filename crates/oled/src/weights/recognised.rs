//! What is recognised with weights: intervals, each with how sure they are.

use std::borrow::Cow;

use super::chain::{Scores, Standing, States, certain, decode_from, standing};
use super::chains::{Chain, Chains, FluentChains, Run};
use super::marginal::{Odds, marginals_from, odds};
use super::vote;
use super::weight::{FluentWeights, Inertia, Weights};
use crate::calculus::{End, Interval};
use crate::evaluate::Timetable;

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

/// Steps to time points at which a fluent holds, or has a value, without a break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Held {
    /// The state, which is not the first.
    pub(super) state: usize,
    /// The first of them, and the first that is none any more.
    pub(super) first: usize,
    pub(super) end: usize,
}

/// What is known of a chain before its steps.
#[derive(Clone, Debug)]
pub(super) struct Before {
    standing: Standing,
    odds: Odds,
    vote: vote::Persistence,
    /// Which states hold by rules alone: a fluent may have two values where rules start both at once.
    crisp: Vec<bool>,
    /// Which states a rule has spoken for: values that no rule gave an instance it does not have.
    spoken: Vec<bool>,
}

impl Before {
    /// Nothing holds.
    pub(super) fn nothing(states: usize) -> Before {
        Before {
            standing: certain(0, states),
            odds: certain(0, states),
            vote: None,
            crisp: vec![false; states],
            spoken: vec![false; states],
        }
    }

    /// The same with states that nobody knew of.
    pub(super) fn extended(mut self, states: usize) -> Before {
        self.standing.resize(states, f64::NEG_INFINITY);
        self.odds.resize(states, f64::NEG_INFINITY);
        self.crisp.resize(states, false);
        self.spoken.resize(states, false);
        self
    }
}

impl Chains {
    /// The intervals that are recognised, with how sure they are: fluent by fluent, in the order in which their chains began.
    pub fn intervals(&self, weights: &Weights, decision: Decision) -> Vec<(Interval, Confidence)> {
        let mut found = Vec::new();
        for (fluent, weights) in self.fluents.iter().zip(&weights.fluents) {
            let (scores, before) = (fluent.scores(weights), Before::nothing(fluent.states()));
            for chain in &fluent.chains {
                let (probable, held) = fluent.recognise(weights, &scores, &chain.runs, decision, &before);
                found.extend(held.iter().map(|held| self.interval(fluent, chain, held, &probable)));
            }
        }
        found
    }

    fn interval(&self, fluent: &FluentChains, chain: &Chain, held: &Held, probable: &[f64]) -> (Interval, Confidence) {
        let times = &self.times[&chain.segment];
        let (first, last) = (chain.first + held.first, chain.first + held.end - 1);
        let end = match () {
            () if held.end < chain.steps() => End::Terminated,
            () if last + 1 < times.len() => End::Lost,
            () => End::Segment,
        };
        let sure = (held.first..held.end).map(|step| fluent.probability(probable, step, held.state));
        let confidence = Confidence {
            mean: sure.clone().sum::<f64>() / (held.end - held.first) as f64,
            weakest: sure.fold(1.0, f64::min),
        };
        let (segment, values) = (chain.segment, fluent.joined(&chain.values, held.state));
        let interval =
            Interval { segment, signature: fluent.label, values, first: times[first], last: times[last], end };
        (interval, confidence)
    }
}

impl FluentChains {
    /// How probable a state is after a step.
    pub(super) fn probability(&self, probable: &[f64], step: usize, state: usize) -> f64 {
        probable[step * (self.states() - 1) + state - 1]
    }

    /// How probable each state but the first is after each step.
    pub(super) fn probable(
        &self,
        weights: &FluentWeights,
        scores: &[Scores],
        runs: &[Run],
        before: &Before,
    ) -> Vec<f64> {
        match weights.inertia {
            Inertia::Vote => {
                let (sure, _) = vote::votes(self, weights, runs, &mut before.vote.clone());
                sure.into_iter().map(|sure| vote::cooled(sure, weights.temperature)).collect()
            }
            _ => {
                let scores = self.possible(scores, runs, &mut before.spoken.clone());
                marginals_from(&before.odds, &Chain::scored_runs(runs, &scores), weights.temperature)
            }
        }
    }

    /// The scores of sets of votes with the states that rules of these runs, or rules before them, have spoken for.
    pub(super) fn possible<'s>(&self, scores: &'s [Scores], runs: &[Run], spoken: &mut [bool]) -> Cow<'s, [Scores]> {
        if !self.label.has_value() {
            return Cow::Borrowed(scores);
        }
        for run in runs {
            let starts = self.votes(run.fired as usize).filter(|(rule, _)| !rule.ends);
            starts.for_each(|(_, (_, state))| spoken[state] = true);
        }
        if spoken[1..].iter().all(|spoken| *spoken) {
            return Cow::Borrowed(scores);
        }
        scores.iter().map(|scores| scores.without(|state| state > 0 && !spoken[state])).collect()
    }

    /// How probable each state but the first is after each step, and when the fluent holds.
    pub(super) fn recognise(
        &self,
        weights: &FluentWeights,
        scores: &[Scores],
        runs: &[Run],
        decision: Decision,
        before: &Before,
    ) -> (Vec<f64>, Vec<Held>) {
        let probable = self.probable(weights, scores, runs, before);
        let held = match decision {
            Decision::AtLeast(threshold) => {
                let steps = probable.len() / (self.states() - 1);
                self.held(steps, |step, state| self.probability(&probable, step, state) >= threshold)
            }
            Decision::Best => self.best(weights, scores, runs, before),
        };
        (probable, held)
    }

    /// When the fluent holds by weights or, where they do not decide, by its rules.
    pub(super) fn best(&self, weights: &FluentWeights, scores: &[Scores], runs: &[Run], before: &Before) -> Vec<Held> {
        let steps: usize = runs.iter().map(|run| run.length as usize).sum();
        match weights.inertia {
            _ if !weights.decide => {
                let (mut holds, mut all) = (before.crisp.clone(), Vec::with_capacity(steps * self.states()));
                self.crisp(runs, &mut holds, |holds| all.extend_from_slice(holds));
                self.held(steps, |step, state| all[step * self.states() + state])
            }
            Inertia::Vote => {
                let (_, states) = vote::votes(self, weights, runs, &mut before.vote.clone());
                self.held(steps, |step, state| states[step] == state)
            }
            _ => {
                let scores = self.possible(scores, runs, &mut before.spoken.clone());
                held_of(decode_from(&before.standing, &Chain::scored_runs(runs, &scores)).1)
            }
        }
    }

    /// When a fluent holds of which it is known for each step: in the order of time.
    fn held(&self, steps: usize, holds: impl Fn(usize, usize) -> bool) -> Vec<Held> {
        let mut found = Vec::new();
        for state in 1..self.states() {
            let mut first = 0;
            while first < steps {
                let end = (first..steps).find(|step| !holds(*step, state)).unwrap_or(steps);
                if end > first {
                    found.push(Held { state, first, end });
                }
                first = end + 1;
            }
        }
        found.sort_by_key(|held| (held.first, held.state));
        found
    }

    /// What rules alone make hold after each step: starts of other values end it.
    fn crisp(&self, runs: &[Run], holds: &mut [bool], mut each: impl FnMut(&[bool])) {
        for run in runs {
            let sides = self.sides(run.fired as usize);
            let started = sides.starts.iter().filter(|starts| **starts).count();
            for _ in 0..run.length {
                for (state, holds) in holds.iter_mut().enumerate() {
                    let starts = sides.starts[state];
                    let other = started > usize::from(starts) && self.label.has_value();
                    let ends = sides.ends[state] || other;
                    *holds = if self.direct { starts } else { self.both.next(*holds, starts, ends) };
                }
                each(holds);
            }
        }
    }

    /// What is known after some steps.
    pub(super) fn after(&self, weights: &FluentWeights, scores: &[Scores], runs: &[Run], mut before: Before) -> Before {
        let scores = self.possible(scores, runs, &mut before.spoken);
        let scored = Chain::scored_runs(runs, &scores);
        let after = standing(&before.standing, &scored);
        // Only differences matter, and large numbers lose digits.
        let best = after.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        before.standing = after.into_iter().map(|standing| standing - best).collect();
        before.odds = odds(&before.odds, &scored, weights.temperature);
        vote::votes(self, weights, runs, &mut before.vote);
        self.crisp(runs, &mut before.crisp, |_| {});
        before
    }
}

/// When a fluent holds, by its states.
fn held_of(states: Vec<States>) -> Vec<Held> {
    let mut found: Vec<Held> = Vec::new();
    let mut at = 0;
    for (state, length) in states.into_iter().flat_map(States::parts) {
        let (first, end) = (at, at + length as usize);
        match found.last_mut() {
            Some(last) if last.state == state && last.end == first => last.end = end,
            _ if state > 0 => found.push(Held { state, first, end }),
            _ => {}
        }
        at = end;
    }
    found
}

/// The states of so many steps, by when a fluent holds: each with a number of steps. Where two values hold it is the first.
pub(super) fn parts(steps: usize, held: &[Held]) -> Vec<(usize, u32)> {
    let (mut parts, mut at) = (Vec::new(), 0);
    for held in held {
        let first = held.first.max(at);
        parts.push((0, (first - at) as u32));
        parts.push((held.state, held.end.saturating_sub(first) as u32));
        at = held.end.max(at);
    }
    parts.push((0, (steps - at) as u32));
    parts
}

impl Timetable {
    /// Adds the time points of intervals of chains.
    pub(super) fn add_of<'i>(&mut self, chains: &Chains, intervals: impl Iterator<Item = &'i Interval>) {
        intervals.for_each(|interval| self.add(&chains.times[&interval.segment], interval));
    }
}
