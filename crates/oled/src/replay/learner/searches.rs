//! The searches of a learner, one for each fluent: side by side, or in turn where rules see what other rules recognise.

use super::Replay;
use crate::learn::Supervision;
use crate::replay::fluent::{Choice, FluentSearch, Limits, Outcome};
use crate::replay::literal::Rule;
use crate::replay::objective::Balance;
use crate::replay::recognised::{Recognised, Replaced, What as Seen, recognise};
use crate::replay::record::{Record, Segment};
use crate::replay::settings::ReplaySettings;
use crate::replay::target::Target;
use crate::replay::threads::Threads;
use crate::replay::watch::Watch;

impl Replay {
    /// How a target may be defined.
    fn choice(&self, number: usize) -> Choice<'_> {
        let Target { persists, holds_while, declared, .. } = &self.targets[number];
        Choice { persists, holds_while: *holds_while, declared: *declared }
    }

    fn limits(&self) -> Limits {
        let ReplaySettings { penalty, max_literals, max_rules, miss, false_alarm, .. } = self.settings;
        Limits { penalty, balance: Balance::new(false_alarm, miss), max_literals, max_rules }
    }

    /// Lets a search be made for each target: side by side, or, where rules are about other targets, in turn, since they
    /// see what the rules of those recognise. Where values of a fluent end each other, a value sees the others begin as
    /// `rules` say, if there are any. Gives what the searches gave, in the order of the targets.
    pub(super) fn for_each_search<T: Send>(
        &self,
        rules: Option<&[Vec<Rule>]>,
        search: impl Fn(usize, FluentSearch<'_>) -> (Outcome, T) + Sync,
    ) -> Vec<(Outcome, T)> {
        let mut side_by_side = Vec::new();
        let all = self.record.segments(&mut side_by_side);
        let segments: Vec<&Segment<'_>> = all.iter().collect();
        let (count, threads) = (self.targets.len(), Threads::new(self.threads));
        if self.targets.iter().all(|t| t.about.is_empty()) && !(0..count).any(|t| self.is_coupled(t)) {
            return threads.side_by_side(count, |number| {
                search(number, self.search_for(number, &self.record, &segments, &threads))
            });
        }
        let mut recognised: Vec<Recognised> = Vec::new();
        let mut outcomes = Vec::new();
        for number in 0..count {
            let scope = self.scope(number);
            let started = self.started(number, &segments, &recognised, rules);
            let replaced = Replaced {
                about: &self.targets[number].about,
                recognised: &recognised,
                other_value: scope.given.other_value.map(|bit| (bit, started.as_slice())),
            };
            let (record, copies);
            let (record, segments) = if replaced.is_nothing() {
                (&self.record, segments.clone())
            } else {
                (record, copies) = replaced.of(&self.record, &segments, scope);
                (&record, copies.iter().collect())
            };
            let found = search(number, self.search_for(number, record, &segments, &threads));
            let used = self.targets[number + 1..].iter().any(|t| t.about.iter().any(|a| a.targets.contains(&number)));
            let seen = if used {
                let definition = self.definition(number, &found.0.rules);
                recognise(record, &segments, scope, &found.0.rules, definition, Seen::Holds)
            } else {
                Recognised::new()
            };
            recognised.push(seen);
            outcomes.push(found);
        }
        outcomes
    }

    /// The same, where nothing but an outcome is wanted.
    pub(super) fn outcomes(
        &self,
        rules: Option<&[Vec<Rule>]>,
        search: impl Fn(usize, FluentSearch<'_>) -> Outcome + Sync,
    ) -> Vec<Outcome> {
        let outcomes = self.for_each_search(rules, |target, found| (search(target, found), ()));
        outcomes.into_iter().map(|(outcome, ())| outcome).collect()
    }

    /// A search for the rules of a target, in segments of a record.
    fn search_for<'a>(
        &'a self,
        number: usize,
        record: &'a Record,
        segments: &'a [&'a Segment<'a>],
        threads: &'a Threads,
    ) -> FluentSearch<'a> {
        FluentSearch {
            record,
            segments,
            scope: self.scope(number),
            choice: self.choice(number),
            limits: self.limits(),
            watch: self.watch_over(number),
            threads,
        }
    }

    fn watch_over(&self, number: usize) -> Watch<'_> {
        let Supervision { searches: interrupt, listener, .. } = &self.supervision;
        let count = self.targets.len();
        Watch { interrupt, listener, fluent: self.targets[number].name, number, count }
    }

    /// Whether values of a target's fluent end each other.
    fn is_coupled(&self, target: usize) -> bool {
        self.propositionaliser.given(target).other_value.is_some()
    }

    /// When the values of a target's fluent begin by some rules, and by those of the background.
    fn started(
        &self,
        number: usize,
        segments: &[&Segment<'_>],
        recognised: &[Recognised],
        rules: Option<&[Vec<Rule>]>,
    ) -> Vec<Recognised> {
        if !self.is_coupled(number) {
            return Vec::new();
        }
        let label = self.propositionaliser.label(number);
        let same = (0..self.targets.len()).filter(|t| self.propositionaliser.label(*t) == label);
        same.map(|t| {
            // What rules begin it does not depend on its other values.
            let replaced = Replaced { about: &self.targets[t].about, recognised, other_value: None };
            let (scope, rules) = (self.scope(t), rules.map_or(&[][..], |rules| &rules[t]));
            let definition = self.definition(t, rules);
            if replaced.is_nothing() {
                return recognise(&self.record, segments, scope, rules, definition, Seen::Starts);
            }
            let (record, copies) = replaced.of(&self.record, segments, scope);
            recognise(&record, &copies.iter().collect::<Vec<_>>(), scope, rules, definition, Seen::Starts)
        })
        .collect()
    }

    /// The whole search, from nothing and from the rules that were given: the same for every order of the segments. `folds`:
    /// whether it is to be told how the rules do on segments that they were not made from.
    pub(super) fn search_all(&self, folds: bool) -> Vec<Outcome> {
        let search = |rules: Option<&[Vec<Rule>]>| {
            self.outcomes(rules, |target, search| {
                let outcome = search.full(&self.targets[target].start, folds);
                // The search looks at pairs one by one; what its rules come to is what they recognise.
                if !self.propositionaliser.is_equivalence(target) {
                    return outcome;
                }
                Outcome { fit: search.fit(&outcome.rules, self.definition(target, &outcome.rules)), ..outcome }
            })
        };
        let first = search(None);
        if !(0..self.targets.len()).any(|t| self.is_coupled(t)) {
            return first;
        }
        // Values of a fluent were searched for as if the others never began. Once more with those that were found; what is
        // better together is taken.
        let first = self.together(&first);
        let second = self.together(&search(Some(&rules_of(&first))));
        let value = |outcomes: &[Outcome]| outcomes.iter().map(|o| o.value).sum::<f64>();
        let cut_short = second.iter().any(|outcome| outcome.cut_short);
        let mut best = if value(&second) > value(&first) { second } else { first };
        best.iter_mut().for_each(|outcome| outcome.cut_short |= cut_short);
        best
    }

    /// Outcomes with what they come to where all of their rules are at work.
    fn together(&self, outcomes: &[Outcome]) -> Vec<Outcome> {
        let rules = rules_of(outcomes);
        self.outcomes(Some(&rules), |target, search| {
            let outcome = outcomes[target].clone();
            let fit = search.fit(&outcome.rules, self.definition(target, &outcome.rules));
            let Limits { balance, .. } = search.limits;
            Outcome { fit, value: outcome.value + balance.f(&fit) - balance.f(&outcome.fit), ..outcome }
        })
    }
}

/// The rules of outcomes.
pub(super) fn rules_of(outcomes: &[Outcome]) -> Vec<Vec<Rule>> {
    outcomes.iter().map(|outcome| outcome.rules.clone()).collect()
}
