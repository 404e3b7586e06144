//! Chains: which rules speak for and against each instance of a fluent, as runs of time points at which the same ones do.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::chain::{Scores, Stretch};
use super::weight::{FluentWeights, Inertia};
use crate::calculus::{Precedence, label_name};
use crate::lang::{Signature, Symbol, Value};

/// Steps, from one time point to the next, at which the same rules fire, to time points with the same label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the set of votes, among [`FluentChains::firings`].
    pub fired: u32,
    /// The state that is annotated at the time points that the steps lead to; none where nobody knows. The state 0 is that it
    /// does not hold.
    pub label: Option<u32>,
    /// The number of steps.
    pub length: u32,
}

/// What fires on an instance while it is observed without a break.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The segment.
    pub segment: Symbol,
    /// The arguments of the fluent, without its value; of a symmetric one in the order that stands for both.
    pub values: Box<[Value]>,
    /// The time point, by its number in the segment, that the first step leads to.
    pub first: usize,
    /// In the order of time.
    pub runs: Vec<Run>,
}

impl Chain {
    pub(super) fn push(&mut self, fired: u32, label: Option<u32>) {
        match self.runs.last_mut() {
            Some(run) if run.fired == fired && run.label == label => run.length += 1,
            _ => self.runs.push(Run { fired, label, length: 1 }),
        }
    }

    /// How many steps it has.
    pub fn steps(&self) -> usize {
        self.runs.iter().map(|run| run.length as usize).sum()
    }

    /// Steps, by the scores of the sets of votes.
    pub(super) fn stretches<'s>(runs: &[Run], scores: &'s [Scores]) -> Vec<Stretch<'s>> {
        runs.iter().map(|run| Stretch { scores: &scores[run.fired as usize], length: run.length }).collect()
    }
}

/// A rule of a fluent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleOf {
    /// Its number in the theory.
    pub number: usize,
    /// Whether it ends the fluent.
    pub ends: bool,
}

/// A rule that speaks for a state, or against one: by its place among the rules of a fluent.
pub type Vote = (usize, usize);

/// The chains of a fluent.
#[derive(Clone, Debug)]
pub struct FluentChains {
    /// `holdsAt(meeting(_, _), _)`, or `in_danger(_, _)` of an ordinary predicate.
    pub label: Signature,
    /// Whether rules say when it holds, instead of what starts and ends it.
    pub direct: bool,
    /// Which wins, by rules alone, where it is started and ended at the same time point.
    pub both: Precedence,
    /// Its rules, in the order of the theory.
    pub rules: Vec<RuleOf>,
    /// The values that it was given by a rule or a label, where it has any: the states after the first.
    pub values: IndexSet<Value, FxBuildHasher>,
    /// All votes that were ever given.
    pub votes: IndexSet<Vote, FxBuildHasher>,
    /// The sets of votes that were ever given together, one bit each, without zeros at the end.
    pub firings: IndexSet<Box<[u64]>, FxBuildHasher>,
    /// In the order in which they began.
    pub chains: Vec<Chain>,
    /// By segment, how often it was annotated where no rule can make it hold.
    pub missed: IndexMap<Symbol, u64, FxBuildHasher>,
}

impl FluentChains {
    pub(super) fn new(label: Signature, direct: bool, both: Precedence) -> FluentChains {
        FluentChains {
            label,
            direct,
            both,
            rules: Vec::new(),
            values: IndexSet::default(),
            votes: IndexSet::default(),
            firings: IndexSet::default(),
            chains: Vec::new(),
            missed: IndexMap::default(),
        }
    }

    /// The same fluent with the same numbers of votes, without its chains.
    pub(super) fn without_chains(&self) -> FluentChains {
        FluentChains {
            rules: self.rules.clone(),
            values: self.values.clone(),
            votes: self.votes.clone(),
            firings: self.firings.clone(),
            ..FluentChains::new(self.label, self.direct, self.both)
        }
    }

    /// The name of the fluent.
    pub fn name(&self) -> Symbol {
        label_name(self.label).unwrap_or_else(|| self.label.name())
    }

    /// How many states there are: it does not hold, it holds; or it has one of its values.
    pub fn states(&self) -> usize {
        if self.label.has_value() { 1 + self.values.len() } else { 2 }
    }

    /// The arguments of an instance without its value, and the state of that.
    pub(super) fn split<'v>(&mut self, values: &'v [Value]) -> (&'v [Value], usize) {
        match values.split_last().filter(|_| self.label.has_value()) {
            Some((value, key)) => (key, 1 + self.values.insert_full(*value).0),
            None => (values, 1),
        }
    }

    /// The arguments of an instance in a state.
    pub(super) fn joined(&self, key: &[Value], state: usize) -> Box<[Value]> {
        let value = self.values.get_index(state - 1).filter(|_| self.label.has_value());
        key.iter().chain(value).copied().collect()
    }

    /// The votes of a set: rules, each with the state that it speaks for or, if it ends something, against.
    pub fn votes(&self, fired: usize) -> impl Iterator<Item = (&RuleOf, Vote)> {
        self.firings[fired].iter().enumerate().flat_map(move |(word, bits)| {
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| {
                let vote = self.votes[64 * word + bit];
                (&self.rules[vote.0], vote)
            })
        })
    }

    /// Which states rules of a set start, and which they end.
    pub(super) fn sides(&self, fired: usize) -> Sides {
        let mut sides = Sides { starts: vec![false; self.states()], ends: vec![false; self.states()] };
        for (rule, (_, state)) in self.votes(fired) {
            let side = if rule.ends { &mut sides.ends } else { &mut sides.starts };
            side[state] = true;
        }
        sides
    }

    /// The states for which inertia speaks where a set of rules fires: not for what a rule ends, and not for none where a rule
    /// starts any. Where only quiet counts, not for what a rule speaks of, and for none where no rule fires. A rule that gives
    /// another value speaks for that, and leaves inertia its say: otherwise a wrong one could not be outweighed.
    pub(super) fn stays(&self, fired: usize, inertia: Inertia) -> Vec<bool> {
        let sides = self.sides(fired);
        let count = |side: &[bool]| side.iter().filter(|set| **set).count();
        let (starts, ends) = (count(&sides.starts), count(&sides.ends));
        let stays = |state: usize| match inertia {
            Inertia::Quiet if state == 0 => starts + ends == 0,
            Inertia::Quiet => !sides.starts[state] && !sides.ends[state],
            _ if state == 0 => starts == 0,
            _ => !sides.ends[state],
        };
        (0..self.states()).map(stays).collect()
    }

    /// The scores of a step at which each set of rules fires.
    pub fn scores(&self, weights: &FluentWeights) -> Vec<Scores> {
        (0..self.firings.len()).map(|fired| self.score(fired, weights)).collect()
    }

    fn score(&self, fired: usize, weights: &FluentWeights) -> Scores {
        let mut enter = vec![0.0; self.states()];
        for (rule, (at, state)) in self.votes(fired) {
            let weight = weights.rules[at];
            if rule.ends {
                enter.iter_mut().enumerate().filter(|(other, _)| *other != state).for_each(|(_, e)| *e += weight);
            } else {
                enter[state] += weight;
            }
        }
        let stays = self.stays(fired, weights.inertia);
        let cell = |(state, enter): (usize, f64)| {
            let own = if state == 0 { weights.absent } else { weights.holding };
            let own = if stays[state] { own } else { 0.0 };
            // What holds while conditions are met is not kept from ending.
            let always = if self.direct && state == 0 { own } else { 0.0 };
            [enter + always, enter + own]
        };
        Scores::new(enter.into_iter().enumerate().map(cell))
    }
}

/// What rules that fire start and end, by state.
pub(super) struct Sides {
    pub(super) starts: Vec<bool>,
    pub(super) ends: Vec<bool>,
}

/// The chains of all fluents of a theory.
#[derive(Clone, Debug, Default)]
pub struct Chains {
    /// In the order of their rules.
    pub fluents: Vec<FluentChains>,
    /// The time points of each segment.
    pub times: IndexMap<Symbol, Vec<i64>, FxBuildHasher>,
}

impl Chains {
    /// Adds the chains of other fluents on the same stream.
    pub(super) fn extend(&mut self, more: Chains) {
        self.times = more.times;
        self.fluents.extend(more.fluents);
    }
}
