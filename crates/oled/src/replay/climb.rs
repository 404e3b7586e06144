//! Climb: the theory of a fluent, one rule more, one less or another one at a time, until nothing is better.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::classes::{Classes, Condition};
use super::delta::Delta;
use super::evidence::Evidence;
use super::extension::Extensions;
use super::literal::{self, Lit};
use super::objective::{Fit, Price};
use super::question::{Question, Refused, with, without};
use super::refine::{Answer, PASSES, Search};
use super::runs::{Definition, Label, Runs};
use super::simulate::{Actions, fit};
use super::watch::Watch;
use crate::calculus::Precedence;
use crate::induce::RuleKind;

/// A rule, with its conditions in order.
pub(crate) type Rule = (RuleKind, Vec<Condition>);

/// A theory of one fluent.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Theory {
    pub(crate) rules: Vec<Rule>,
    /// How it fits.
    pub(crate) fit: Fit,
    /// What it is worth.
    pub(crate) value: f64,
}

/// How far rules are looked for. Looking further finds theories that fit better; where what they were made from is little or
/// noisy, they are not better (oversearching: Quinlan, Cameron-Jones, IJCAI 1995). So what is held out decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Effort {
    /// On the way to a rule bodies are grown that are worth most as they are, and rules are exchanged one for one.
    #[default]
    Plain,
    /// And those that promise most, and one rule is exchanged for two.
    Thorough,
}

/// What is climbed.
pub(crate) struct Slope<'a> {
    pub(crate) classes: &'a Classes,
    pub(crate) runs: &'a Runs,
    pub(crate) definition: Definition,
    /// What rules there may be.
    pub(crate) kinds: &'a [RuleKind],
    pub(crate) price: Price,
    pub(crate) effort: Effort,
    pub(crate) max_literals: usize,
    pub(crate) max_rules: usize,
    pub(crate) is_linked: &'a dyn Fn(&[Condition]) -> bool,
    /// Whether rules of a kind may have a condition.
    pub(crate) is_allowed: &'a dyn Fn(RuleKind, Condition) -> bool,
    pub(crate) watch: Watch<'a>,
}

/// A climb, with what is counted on the way.
pub(crate) struct Climb<'a> {
    slope: Slope<'a>,
    /// What speaks for rules that start the fluent, and for rules that end it.
    evidence: [Evidence; 2],
    extensions: Extensions<'a>,
    /// How much more a rule might bring that was not looked at, as of the last time that none was found.
    pub(crate) gap: f64,
    pub(crate) refused: Refused,
    /// How many runs were looked at, each as often as it was.
    pub(crate) looked_at: u64,
    /// In which classes the bodies of rules are true: each is part of many theories.
    covers: IndexMap<Vec<Condition>, Vec<bool>, FxBuildHasher>,
}

impl<'a> Climb<'a> {
    pub(crate) fn new(slope: Slope<'a>) -> Climb<'a> {
        let extensions = Extensions::new(slope.classes);
        let evidence = [false, true].map(|ends| Evidence::new(slope.runs, &extensions, slope.definition, ends));
        Climb {
            slope,
            evidence,
            extensions,
            gap: 0.0,
            refused: Refused::default(),
            looked_at: 0,
            covers: IndexMap::default(),
        }
    }

    /// The best theory that is found from nothing.
    pub(crate) fn best(&mut self) -> Theory {
        let local = self.local();
        self.from(local)
    }

    /// The best theory that is found from these rules.
    pub(crate) fn from(&mut self, rules: Vec<Rule>) -> Theory {
        let mut theory = self.theory(rules);
        self.add(&mut theory);
        while self.improve(&mut theory, Climb::exchanged) {
            let before = theory.rules.len();
            self.add(&mut theory);
            if theory.rules.len() == before {
                break;
            }
        }
        theory.rules.sort_by(|a, b| (a.0 == RuleKind::Termination, &a.1).cmp(&(b.0 == RuleKind::Termination, &b.1)));
        theory
    }

    /// Improves a theory at one rule after the other, around and around, until none of them can be improved with the others as
    /// they are; says whether anything changed.
    fn improve(
        &mut self,
        theory: &mut Theory,
        improved: impl Fn(&mut Climb<'a>, &Theory, usize) -> Option<Theory>,
    ) -> bool {
        // How many rules in a row stayed as they are.
        let (mut at, mut same, mut any) = (0, 0, false);
        while same < theory.rules.len() && !self.slope.watch.ends() {
            at %= theory.rules.len();
            if let Some(better) = improved(self, theory, at) {
                debug_assert!(better.value >= theory.value, "{} is less than {}", better.value, theory.value);
                // Where a rule is gone the next one has its number.
                at += usize::from(better.rules.len() >= theory.rules.len());
                (*theory, same, any) = (better, 0, true);
            } else {
                (at, same) = (at + 1, same + 1);
            }
        }
        any
    }

    /// Rules with what they are worth.
    pub(crate) fn theory(&mut self, rules: Vec<Rule>) -> Theory {
        let actions = self.actions(&rules);
        self.judged(rules, &actions)
    }

    /// Rules with what they are worth by what they do.
    fn judged(&self, rules: Vec<Rule>, actions: &Actions) -> Theory {
        let fit = fit(self.slope.runs, actions, self.slope.definition);
        Theory { value: self.slope.price.worth_of(&fit) - self.cost(&rules), fit, rules }
    }

    fn cost(&self, rules: &[Rule]) -> f64 {
        rules.iter().map(|(_, body)| self.slope.price.of_rule(self.slope.classes, body)).sum()
    }

    fn actions(&mut self, rules: &[Rule]) -> Actions {
        let (mut starts, mut ends) = (self.slope.classes.starts.clone(), self.slope.classes.ends.clone());
        for (kind, body) in rules {
            if !self.covers.contains_key(body) {
                self.covers.insert(body.clone(), self.extensions.cover(body));
            }
            let set = if *kind == RuleKind::Termination { &mut ends } else { &mut starts };
            set.iter_mut().zip(&self.covers[body]).for_each(|(does, covers)| *does |= covers);
        }
        Actions::by_class(self.slope.runs, &starts, &ends)
    }

    /// The best rule of a kind to be added to what is done already.
    fn ask(&mut self, kind: RuleKind, actions: &Actions, cost: f64, incumbent: f64) -> Answer {
        self.search(kind, actions, cost, |search| search.answer(incumbent))
    }

    /// What a search for a rule of a kind, to be added to what is done already, comes to.
    fn search<T>(
        &mut self,
        kind: RuleKind,
        actions: &Actions,
        cost: f64,
        find: impl FnOnce(&mut Search<'_>) -> T,
    ) -> T {
        let ends = kind == RuleKind::Termination;
        let delta = Delta::new(self.slope.runs, actions, self.slope.definition, ends);
        let is_allowed = self.slope.is_allowed;
        let question = Question {
            classes: self.slope.classes,
            runs: self.slope.runs,
            definition: self.slope.definition,
            ends,
            flips: &delta.flips,
            extensions: &self.extensions,
            evidence: &self.evidence[usize::from(ends)],
            fit: delta.fit,
            cost,
            price: self.slope.price,
            effort: self.slope.effort,
            max_literals: self.slope.max_literals,
            // What holds already is some instance that rules have looked at.
            is_linked: if ends { &|_| true } else { self.slope.is_linked },
            is_allowed: &|condition| is_allowed(kind, condition),
            watch: self.slope.watch,
        };
        let mut search = Search::new(&question);
        let found = find(&mut search);
        self.refused.add(&search.refused);
        self.looked_at += search.looked_at as u64;
        found
    }

    /// Rules that start the fluent where something ends it when it should, and rules that end it where something starts it
    /// when it should. Taken one by one, rules that only work together look worse than none: a start without an end is
    /// wrong most of the time where events are short.
    fn local(&mut self) -> Vec<Rule> {
        let mut rules = Vec::new();
        if self.slope.definition == Definition::While {
            return rules;
        }
        for &kind in self.slope.kinds {
            let mut actions = self.actions(&[]);
            for track in &self.slope.runs.tracks {
                let runs = self.slope.runs;
                for i in (track.first..track.end).filter(|i| runs.all[*i as usize].label == Label::No) {
                    let begins = runs.next_label(i as usize, track) == Some(Label::Yes);
                    if kind == RuleKind::Termination {
                        actions.starts[i as usize] |= begins;
                    } else {
                        // Where the end wins no rule could start it.
                        actions.ends[i as usize] |= !begins || runs.both == Precedence::Start;
                    }
                }
            }
            let alone = fit(self.slope.runs, &actions, self.slope.definition);
            let (mut value, mut cost) = (self.slope.price.worth_of(&alone), 0.0);
            while !self.slope.watch.ends() && rules.len() < self.slope.max_rules {
                let Some((body, better)) = self.ask(kind, &actions, cost, value).best else { break };
                actions.add(self.slope.classes, self.slope.runs, kind, &body);
                cost += self.slope.price.of_rule(self.slope.classes, &body);
                value = better;
                rules.push((kind, body));
            }
        }
        rules
    }

    /// Adds rules as long as that pays.
    fn add(&mut self, theory: &mut Theory) {
        while !self.slope.watch.ends() && theory.rules.len() < self.slope.max_rules {
            let (count, f1) = (theory.rules.len(), theory.fit.f1());
            self.slope.watch.tell(|| format!("looking for another rule: {count} so far, F1 {f1:.3}"));
            let (actions, cost) = (self.actions(&theory.rules), self.cost(&theory.rules));
            let mut best: Option<(Rule, f64)> = None;
            self.gap = 0.0;
            for &kind in self.slope.kinds {
                let incumbent = best.as_ref().map_or(theory.value, |(_, value)| *value);
                let Answer { best: found, gap, .. } = self.ask(kind, &actions, cost, incumbent);
                self.gap = self.gap.max(gap);
                best = found.map(|(body, value)| ((kind, body), value)).or(best);
            }
            let Some(((kind, body), value)) = best else { break };
            *theory = self.with(theory.rules.clone(), count, kind, (body, value));
        }
    }

    /// Finds better thresholds for rules, each in turn with all else as it is, as long as that pays; and leaves out conditions
    /// that stood in for a threshold between those that there were, and rules that others do the work of by now.
    pub(crate) fn polish(&mut self, rules: Vec<Rule>) -> Theory {
        let mut theory = self.theory(rules);
        self.improve(&mut theory, Climb::polished);
        theory
    }

    /// The theory without the rules that do not earn their place beside the others, with the numbers of those that are left.
    /// Of several the one goes first without which the theory is worth most.
    pub(crate) fn earned(&mut self, rules: Vec<Rule>) -> (Vec<usize>, Theory) {
        let mut numbers: Vec<usize> = (0..rules.len()).collect();
        let mut theory = self.theory(rules);
        loop {
            let mut best: Option<(usize, Theory)> = None;
            for i in 0..theory.rules.len() {
                let (rest, actions, cost) = self.without(&theory, i);
                let (kind, body) = &theory.rules[i];
                if best.as_ref().is_none_or(|(_, best)| rest.value > best.value)
                    && !self.search(*kind, &actions, cost, |search| search.is_earned(body))
                {
                    best = Some((i, rest));
                }
            }
            let Some((i, rest)) = best else { return (numbers, theory) };
            numbers.remove(i);
            theory = rest;
        }
    }

    /// A theory without a rule, if that is worth as much, or with better thresholds for it, or a condition less.
    fn polished(&mut self, theory: &Theory, i: usize) -> Option<Theory> {
        let (rest, actions, cost) = self.without(theory, i);
        if rest.value >= theory.value {
            return Some(rest);
        }
        let (kind, body) = &theory.rules[i];
        let shorter = (0..body.len()).filter(|_| body.len() > 1).map(|at| without(body, at));
        let mut bodies = std::iter::once(body.clone()).chain(shorter);
        let better = self
            .search(*kind, &actions, cost, |search| bodies.find_map(|body| search.polished(&body, theory.value).best));
        Some(self.with(rest.rules, i, *kind, better?))
    }

    /// A theory without a rule, with what its other rules do and cost.
    fn without(&mut self, theory: &Theory, i: usize) -> (Theory, Actions, f64) {
        let mut rest = theory.rules.clone();
        rest.remove(i);
        let (actions, cost) = (self.actions(&rest), self.cost(&rest));
        (self.judged(rest, &actions), actions, cost)
    }

    /// Rules with one more, whose body was found with what they are worth together.
    fn with(&mut self, mut rules: Vec<Rule>, i: usize, kind: RuleKind, (body, value): (Vec<Condition>, f64)) -> Theory {
        rules.insert(i, (kind, body));
        let theory = self.theory(rules);
        debug_assert!((theory.value - value).abs() < 1e-6, "delta is simulation: {} {value}", theory.value);
        theory
    }

    /// The rules of a theory, each threshold where its rule tells values apart: in the middle between the last value that the rule
    /// must meet and the first that it must not. Values in between may be those of other instances; where few events are all
    /// there is, they would put the threshold anywhere.
    pub(crate) fn settle(&mut self, theory: &Theory) -> Vec<literal::Rule> {
        let classes = self.slope.classes;
        let mut rules = theory.rules.clone();
        let mut settled = Vec::new();
        for i in 0..rules.len() {
            let mut rest = rules.clone();
            let (kind, mut body) = rest.remove(i);
            let mut literals: Vec<Lit> = body.iter().map(|c| classes.literal(*c)).collect();
            let (actions, cost) = (self.actions(&rest), self.cost(&rest));
            self.search(kind, &actions, cost, |search| {
                for at in 0..body.len() {
                    let (Condition::Threshold(slot, cut), Lit::Threshold { slot: number, .. }) =
                        (body[at], literals[at])
                    else {
                        continue;
                    };
                    let (scale, others) = (&classes.scales[slot as usize], without(&body, at));
                    let Some(threshold) = scale.settled(search.room(&others, (slot, cut))) else { continue };
                    let moved = Condition::Threshold(slot, scale.cut(threshold));
                    // Whether conditions speak for the rule may depend on where it is.
                    if search.is_relevant(&with(&others, moved)) {
                        literals[at] = Lit::Threshold { slot: number, threshold };
                        body[at] = moved;
                    }
                }
            });
            rules[i].1 = body;
            settled.push(literal::Rule { kind, body: literals });
        }
        settled
    }

    /// A theory without a rule, if that is worth as much, or with a better one in its place, or with two.
    fn exchanged(&mut self, theory: &Theory, i: usize) -> Option<Theory> {
        let (rest, actions, cost) = self.without(theory, i);
        if rest.value >= theory.value {
            return Some(rest);
        }
        let (kind, body) = &theory.rules[i];
        let may_split = self.slope.effort == Effort::Thorough && theory.rules.len() < self.slope.max_rules;
        let (other, alternatives) = self.search(*kind, &actions, cost, |search| {
            let other = search.answer(theory.value).best;
            let alternatives = if other.is_none() && may_split { search.alternatives(body) } else { Vec::new() };
            (other, alternatives)
        });
        if let Some(other) = other {
            return Some(self.with(rest.rules, i, *kind, other));
        }
        // Two rules in the place of one that does the work of both and is wrong at times: another one, which alone would be
        // worse, and the best one to go with it. One rule at a time leads there only by luck: as long as the first one does
        // all, nothing is left for the second. All of this may cost as much as a search for a rule; without a limit it took
        // a fifth longer in the lobby, for rules that were as good.
        let effort = self.looked_at + (PASSES * self.slope.runs.all.len()) as u64;
        for one in alternatives {
            if self.looked_at > effort || self.slope.watch.ends() {
                break;
            }
            let mut actions = actions.clone();
            actions.add(self.slope.classes, self.slope.runs, *kind, &one);
            let cost = cost + self.slope.price.of_rule(self.slope.classes, &one);
            let Some(other) = self.ask(*kind, &actions, cost, theory.value).best else { continue };
            let mut rules = theory.rules.clone();
            rules[i].1.clone_from(&one);
            let both = self.with(rules, theory.rules.len(), *kind, other);
            // Beside the other one only can it be said what its conditions bring.
            let (_, actions, cost) = self.without(&both, i);
            if self.search(*kind, &actions, cost, |search| search.has_earned_conditions(&one)) {
                return Some(both);
            }
        }
        None
    }
}
