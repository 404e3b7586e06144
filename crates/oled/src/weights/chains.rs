//! Chains: which rules speak for and against each instance of a fluent, as runs of time points at which the same ones do.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::chain::{ScoredRun, Scores};
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
    pub(super) fn scored_runs<'s>(runs: &[Run], scores: &'s [Scores]) -> Vec<ScoredRun<'s>> {
        runs.iter().map(|run| ScoredRun { scores: &scores[run.fired as usize], length: run.length }).collect()
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
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chains {
    /// In the order of their rules.
    pub fluents: Vec<FluentChains>,
    /// The time points of each segment.
    pub times: IndexMap<Symbol, Vec<i64>, FxBuildHasher>,
}

impl FluentChains {
    /// The same fluent with nothing seen.
    fn fresh(&self) -> FluentChains {
        FluentChains { rules: self.rules.clone(), ..FluentChains::new(self.label, self.direct, self.both) }
    }

    /// See [`Chains::append`].
    fn append(&mut self, later: FluentChains) {
        let values: Vec<usize> = later.values.iter().map(|value| self.values.insert_full(*value).0).collect();
        let state = |state: usize| match state.checked_sub(1).and_then(|value| values.get(value)) {
            Some(value) => 1 + value,
            None => state,
        };
        let votes: Vec<usize> =
            later.votes.iter().map(|(rule, of)| self.votes.insert_full((*rule, state(*of))).0).collect();
        let mut firing = |bits: &[u64]| {
            let mut own = Vec::new();
            for vote in (0..64 * bits.len()).filter(|vote| bits[vote / 64] >> (vote % 64) & 1 == 1) {
                let number = votes[vote];
                own.resize(own.len().max(number / 64 + 1), 0_u64);
                own[number / 64] |= 1 << (number % 64);
            }
            self.firings.insert_full(own.into_boxed_slice()).0 as u32
        };
        let firings: Vec<u32> = later.firings.iter().map(|bits| firing(bits)).collect();
        self.chains.extend(later.chains.into_iter().map(|mut chain| {
            for run in &mut chain.runs {
                run.fired = firings[run.fired as usize];
                run.label = run.label.map(|label| state(label as usize) as u32);
            }
            chain
        }));
        for (segment, missed) in later.missed {
            *self.missed.entry(segment).or_default() += missed;
        }
    }
}

impl Chains {
    /// The chains of the same rules with nothing seen.
    pub(super) fn fresh(&self) -> Chains {
        Chains { fluents: self.fluents.iter().map(FluentChains::fresh).collect(), times: IndexMap::default() }
    }

    /// Adds the chains of later segments of the same stream, made by the same rules.
    ///
    /// The law: chains of parts of a stream, each of whole segments, make a monoid: it is associative, and chains of no segment add
    /// nothing. Put together in the order of the stream they are those of one that saw all of it. In another order the numbers of
    /// votes, of their sets and of values are others, which say nothing, so that every count stays what it is.
    pub fn append(&mut self, later: Chains) {
        for (own, later) in self.fluents.iter_mut().zip(later.fluents) {
            own.append(later);
        }
        self.times.extend(later.times);
    }

    /// Adds the chains of other fluents on the same stream.
    pub(super) fn extend(&mut self, more: Chains) {
        self.times = more.times;
        self.fluents.extend(more.fluents);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The chains of a segment in which values, votes and sets of them come in an order by the seed.
    fn chains(seed: u32) -> Chains {
        let label = Signature::of(&crate::lang::parse_atom("holdsAt(level(a) = 1, 1)").unwrap());
        let mut fluent = FluentChains::new(label, false, Precedence::default());
        fluent.rules = [0, 1].map(|number| RuleOf { number, ends: number == 1 }).into();
        let segment = Symbol::new(&format!("s{seed}"));
        let mut chain = Chain { segment, values: [Value::Int(1)].into(), first: 1, runs: Vec::new() };
        for i in 0..6 {
            let value = Value::Int(i64::from((seed * 5 + i) % 4));
            let (_, state) = fluent.split(&[Value::Int(1), value]);
            let vote = fluent.votes.insert_full((i as usize % 2, state)).0;
            let fired = fluent.firings.insert_full([1_u64 << vote].into()).0;
            chain.push(fired as u32, Some(state as u32));
        }
        fluent.chains.push(chain);
        fluent.missed.insert(segment, u64::from(seed));
        Chains { fluents: vec![fluent], times: [(segment, vec![1, 2])].into_iter().collect() }
    }

    /// What each step of each chain says, whatever the numbers are.
    fn said(chains: &Chains) -> Vec<String> {
        let fluent = &chains.fluents[0];
        let value = |state: usize| format!("{:?}", fluent.values[state - 1]);
        let votes = |fired: u32| -> Vec<String> {
            fluent.votes(fired as usize).map(|(rule, (_, state))| format!("{rule:?} {}", value(state))).collect()
        };
        let runs = fluent.chains.iter().flat_map(|chain| chain.runs.iter().map(move |run| (chain.segment, run)));
        runs.map(|(segment, run)| {
            format!("{segment} {:?} {:?}", votes(run.fired), run.label.map(|l| value(l as usize)))
        })
        .collect()
    }

    #[test]
    fn chains_are_put_together_as_a_monoid_and_say_the_same() {
        let appended = |a: &Chains, b: &Chains| {
            let mut both = a.clone();
            both.append(b.clone());
            both
        };
        let [a, b, c] = [0, 1, 2].map(chains);
        let (left, right) = (appended(&appended(&a, &b), &c), appended(&a, &appended(&b, &c)));
        assert_eq!(left, right, "it is associative");
        assert_eq!(said(&left), said(&right));
        assert_eq!(said(&left), [said(&a), said(&b), said(&c)].concat(), "nothing that is said changes");
        assert_eq!((appended(&a.fresh(), &a), appended(&a, &a.fresh())), (a.clone(), a), "nothing seen adds nothing");
    }
}
