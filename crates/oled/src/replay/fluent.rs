//! Fluent: the whole search for the rules of one fluent: how it is defined, by which rules, and how far they can be trusted.
//!
//! Whether a fluent persists between what starts and what ends it, or holds while something is true, is not told by how well
//! rules fit what they were made from: ends that happen to fit run away on other days. So segments are dealt into three
//! folds, rules of both kinds are found without each of them and judged on it. The same folds tell how well the rules do on
//! segments that they were not made from, and which rules are found again. And they tell whether thresholds of many digits
//! are worth having: where events are few or labels are noisy, the last digits fit the noise; and whether rules are that mend
//! what could be chance.

mod deal;
mod folds;

use serde::{Deserialize, Serialize};

use deal::Deal;
use folds::{Form, is_clearly_less};

use super::classes::{Classes, Condition, Scope, Vocabulary};
use super::climb::{Climb, Effort, Slope, Theory};
use super::literal::{Lit, Rule};
use super::objective::{Balance, Fit, Price};
use super::question::Refused;
use super::record::{Record, Segment};
use super::runs::{Definition, Runs};
use super::scale::Fineness;
use super::simulate::{Actions, fit_by_segment};
use super::threads::Threads;
use super::watch::Watch;
use crate::induce::RuleKind;
use crate::learn::Ablation;

/// What a search came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Outcome {
    pub(crate) rules: Vec<Rule>,
    pub(crate) fit: Fit,
    /// F1, or F where errors cost differently, less the price of the rules.
    pub(crate) value: f64,
    /// What a literal costs.
    pub(crate) penalty: f64,
    /// How much more another rule might bring at most that was not looked at.
    pub(crate) gap: f64,
    pub(crate) seen: Seen,
    /// How far rules were looked for, and how fine the thresholds are.
    pub(crate) effort: Effort,
    pub(crate) fineness: Fineness,
    /// Whether rules were left out that mend what could be chance.
    pub(crate) earned: bool,
    /// How the rules that are found without a fold do on it, all folds together, for each way to define the fluent that was
    /// tried.
    pub(crate) held_out: [Option<Fit>; 2],
    /// For each rule how often it is found without a fold, and how often that was tried.
    pub(crate) refits: Option<Vec<(usize, usize)>>,
    /// Whether the search was ended early.
    pub(crate) cut_short: bool,
    /// How many runs were looked at, each as often as it was: for the rules, and for those without a fold.
    #[serde(skip)]
    pub(crate) looked_at: u64,
    #[serde(skip)]
    pub(crate) looked_at_by_folds: u64,
}

/// What there was to learn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    pub(crate) segments: usize,
    /// Segments in which the fluent is annotated, and annotated intervals.
    pub(crate) with_event: usize,
    pub(crate) intervals: u32,
    /// Time points at which it is annotated of what cannot hold.
    pub(crate) unobserved: u64,
    /// Literals that tell anything apart, thresholds of a measure as one.
    pub(crate) literals: usize,
    /// The conditions that there are to choose from at first, each threshold for itself.
    pub(crate) choices: usize,
    pub(crate) refused: Refused,
}

/// What limits a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The price of a literal, where it is given.
    pub(crate) penalty: Option<f64>,
    /// What errors count for.
    pub(crate) balance: Balance,
    /// No body has more literals, no theory more rules.
    pub(crate) max_literals: usize,
    pub(crate) max_rules: usize,
}

/// How a fluent may be defined.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Choice<'a> {
    /// The rules that make it persist, if it may.
    pub(crate) persists: &'a [RuleKind],
    /// Whether it may hold while something is true.
    pub(crate) holds_while: bool,
    /// What was declared: it yields only to what is clearly better.
    pub(crate) declared: Option<Definition>,
}

/// What is searched.
#[derive(Clone, Copy)]
pub(crate) struct FluentSearch<'a> {
    pub(crate) record: &'a Record,
    pub(crate) segments: &'a [&'a Segment<'a>],
    pub(crate) scope: Scope<'a>,
    pub(crate) choice: Choice<'a>,
    pub(crate) limits: Limits,
    pub(crate) watch: Watch<'a>,
    /// Who helps with the folds.
    pub(crate) threads: &'a Threads,
}

/// The definition of rules.
pub(crate) fn definition_of(rules: &[Rule]) -> Definition {
    if rules.iter().any(|rule| rule.kind == RuleKind::Observed) { Definition::While } else { Definition::Persists }
}

impl FluentSearch<'_> {
    /// The whole search, from nothing and from rules that are given; with folds, where the kind of definition is open or
    /// somebody wants to know how well the rules do.
    pub(crate) fn full(&self, start: &[Rule], folds: bool) -> Outcome {
        let classes = Classes::new(self.record, self.segments, self.scope, Vocabulary::All(start));
        let definitions = self.definitions();
        let mut held_out = [None; 2];
        let (mut refits, mut looked_at_by_folds, mut of_folds) = (None, 0, Vec::new());
        let definition = self.choice.declared.filter(|d| definitions.contains(d)).unwrap_or(definitions[0]);
        let mut form = Form { definition, effort: Effort::Thorough, fineness: Fineness::Fine, earned: false };
        let deal = (folds || definitions.len() > 1).then(|| Deal::new(self.segments, self.scope));
        if let Some(deal) = deal.filter(|deal| !deal.folds().is_empty()) {
            let tried = self.threads.side_by_side(definitions.len(), |i| self.fold(&classes, &deal, definitions[i]));
            for folds in &tried {
                held_out[folds.form.definition as usize] = Some(folds.fit);
                looked_at_by_folds += folds.looked_at;
                of_folds.extend(folds.rules.iter().cloned());
            }
            let mut chosen = self.choose(definition, tried);
            if !chosen.cut_short {
                looked_at_by_folds -= chosen.looked_at;
                chosen = self.look_further(&classes, &deal, chosen);
                looked_at_by_folds += chosen.looked_at;
            }
            form = chosen.form;
            held_out[form.definition as usize] = Some(chosen.fit);
            of_folds.extend(chosen.rules.iter().cloned());
            refits = (!chosen.cut_short).then_some(chosen.rules);
        }
        let mut outcome = self.climb(&classes, self.segments, form, None);
        for start in self.clearly_better(refits.as_deref(), &outcome.rules, form.definition).into_iter().chain([start])
        {
            if !start.is_empty() {
                let form = Form { definition: definition_of(start), ..form };
                let other = self.climb(&classes, self.segments, form, Some(start));
                let looked_at = outcome.looked_at + other.looked_at;
                if other.value > outcome.value {
                    outcome = other;
                }
                outcome.looked_at = looked_at;
            }
        }
        if outcome.cut_short {
            outcome = self.best_of(outcome, of_folds);
        }
        let again = |folds: Vec<Vec<Rule>>| {
            let found = |rule: &Rule| folds.iter().filter(|fold| fold.iter().any(|r| self.alike(rule, r))).count();
            outcome.rules.iter().map(|rule| (found(rule), folds.len())).collect()
        };
        Outcome { held_out, refits: refits.map(again), looked_at_by_folds, ..outcome }
    }

    /// What was found, or what is worth more of other rules: those that were found without a fold, where there was no time for more.
    fn best_of(&self, found: Outcome, others: Vec<Vec<Rule>>) -> Outcome {
        others.into_iter().fold(found, |best, rules| {
            let (classes, runs) = self.classes_of(&rules, self.segments);
            let price = self.price(&runs, best.seen.choices);
            let (value, fit, _) = worth_of(&rules, definition_of(&rules), (&classes, &runs), &price);
            if value > best.value { Outcome { rules, fit, value, ..best } } else { best }
        })
    }

    /// The search that starts from the rules of the last one.
    pub(crate) fn again(&self, last: &Outcome) -> Outcome {
        let classes = Classes::new(self.record, self.segments, self.scope, Vocabulary::All(&last.rules));
        let definition = if last.rules.is_empty() { self.definitions()[0] } else { definition_of(&last.rules) };
        let start = (!last.rules.is_empty()).then_some(last.rules.as_slice());
        let form = Form { definition, effort: last.effort, fineness: last.fineness, earned: last.earned };
        Outcome { held_out: last.held_out, ..self.climb(&classes, self.segments, form, start) }
    }

    /// The rules of folds that make clearly fewer errors than those that were found from all segments: there the search was
    /// caught.
    fn clearly_better<'r>(
        &self,
        of_folds: Option<&'r [Vec<Rule>]>,
        found: &[Rule],
        definition: Definition,
    ) -> Vec<&'r [Rule]> {
        let of_folds = of_folds.unwrap_or_default();
        let all: Vec<Rule> = of_folds.iter().flatten().chain(found).cloned().collect();
        let (classes, runs) = self.classes_of(&all, self.segments);
        let balance = self.limits.balance;
        let errors = |rules: &[Rule]| fit_by_segment(&runs, &actions(&classes, &runs, rules), definition, balance).1;
        let own = errors(found);
        of_folds.iter().map(Vec::as_slice).filter(|rules| is_clearly_less(&errors(rules), &own)).collect()
    }

    /// The ways in which the fluent may be defined.
    fn definitions(&self) -> Vec<Definition> {
        let Choice { persists, holds_while, .. } = self.choice;
        let persists = (!persists.is_empty()).then_some(Definition::Persists);
        let all: Vec<Definition> = persists.into_iter().chain(holds_while.then_some(Definition::While)).collect();
        // Values of a fluent that the modes declare in different ways: this one has no rules.
        if all.is_empty() { vec![Definition::Persists] } else { all }
    }

    fn slope<'a>(
        &'a self,
        parts: (&'a Classes, &'a Runs, Definition),
        is_linked: &'a dyn Fn(&[Condition]) -> bool,
        is_allowed: &'a dyn Fn(RuleKind, Condition) -> bool,
    ) -> Slope<'a> {
        let (classes, runs, definition) = parts;
        let Limits { max_literals, max_rules, .. } = self.limits;
        Slope {
            classes,
            runs,
            definition,
            kinds: if definition == Definition::While { &[RuleKind::Observed] } else { self.choice.persists },
            price: self.price(runs, classes.choices()),
            effort: Effort::Plain,
            max_literals,
            max_rules,
            is_linked,
            is_allowed,
            watch: self.watch,
        }
    }

    /// The best rules for some segments, from nothing or from rules that are given: first with thresholds of few digits,
    /// then with better ones for the rules that were found. A second search with those, for as long as it led to other
    /// rules, took a third longer in the lobby, and on CAVIAR scored no better.
    fn climb(&self, classes: &Classes, segments: &[&Segment<'_>], form: Form, start: Option<&[Rule]>) -> Outcome {
        let runs = Runs::new(segments, self.scope, classes);
        let parts = (classes, &runs, form.definition);
        let mut coarse = self.climb_coarse(parts, start);
        if form.effort == Effort::Thorough && !self.watch.ends() {
            coarse = self.climb_further(parts, &coarse);
        }
        if self.watch.ends() { coarse } else { self.earned(segments, form, self.polish(segments, form, coarse)) }
    }

    fn climb_coarse(&self, parts: (&Classes, &Runs, Definition), start: Option<&[Rule]>) -> Outcome {
        self.climb_with(Effort::Plain, parts, start)
    }

    /// The best rules that are found from others by looking further.
    fn climb_further(&self, parts: (&Classes, &Runs, Definition), found: &Outcome) -> Outcome {
        let mut further = self.climb_with(Effort::Thorough, parts, Some(&found.rules));
        further.seen.refused.add(&found.seen.refused);
        further.looked_at += found.looked_at;
        further
    }

    fn climb_with(&self, effort: Effort, parts: (&Classes, &Runs, Definition), start: Option<&[Rule]>) -> Outcome {
        let (classes, runs, _) = parts;
        let is_linked = |body: &[Condition]| self.scope.is_linked(body.iter().map(|c| classes.literal(*c)));
        let is_allowed = |kind, condition| classes.allows(self.scope, kind, condition);
        let slope = Slope { effort, ..self.slope(parts, &is_linked, &is_allowed) };
        let penalty = slope.price.of_literal();
        let mut climb = Climb::new(slope);
        let theory = match start {
            None => climb.best(),
            Some(rules) => climb.from(bodies(classes, rules)),
        };
        Outcome {
            rules: rules_of(classes, &theory),
            fit: theory.fit,
            value: theory.value,
            penalty,
            gap: climb.gap,
            seen: Seen {
                segments: runs.segments,
                with_event: runs.with_event,
                intervals: runs.intervals,
                unobserved: runs.missed,
                literals: classes.literals() + classes.slots(),
                choices: classes.choices(),
                refused: climb.refused,
            },
            effort,
            cut_short: self.watch.ends(),
            looked_at: climb.looked_at,
            ..Outcome::default()
        }
    }

    /// The same rules with the best thresholds of all that are so fine.
    fn polish(&self, segments: &[&Segment<'_>], form: Form, found: Outcome) -> Outcome {
        let found = Outcome { fineness: form.fineness, ..found };
        if !has_thresholds(&found.rules) {
            return found;
        }
        let classes = Classes::new(self.record, segments, self.scope, Vocabulary::Of(&found.rules, form.fineness));
        let runs = Runs::new(segments, self.scope, &classes);
        let mut climb = Climb::new(self.slope_of_found((&classes, &runs, form.definition), &found));
        let theory = climb.polish(bodies(&classes, &found.rules));
        let rules = climb.settle(&theory);
        let mut outcome = Outcome { rules, fit: theory.fit, value: theory.value, ..found };
        outcome.seen.refused.add(&climb.refused);
        outcome.looked_at += climb.looked_at;
        outcome
    }

    /// The same without the rules that mend what could be chance, if that is the form.
    fn earned(&self, segments: &[&Segment<'_>], form: Form, found: Outcome) -> Outcome {
        let found = Outcome { earned: form.earned, ..found };
        if !form.earned {
            return found;
        }
        let (classes, runs) = self.classes_of(&found.rules, segments);
        self.earned_on((&classes, &runs, form.definition), found)
    }

    /// The same on runs of classes that have the literals of the rules.
    fn earned_on(&self, parts: (&Classes, &Runs, Definition), found: Outcome) -> Outcome {
        let found = Outcome { earned: true, ..found };
        let mut climb = Climb::new(self.slope_of_found(parts, &found));
        let (earned, theory) = climb.earned(bodies(parts.0, &found.rules));
        if earned.len() == found.rules.len() {
            return found;
        }
        let rules = earned.iter().map(|i| found.rules[*i].clone()).collect();
        Outcome { rules, fit: theory.fit, value: theory.value, ..found }
    }

    /// What is climbed where nothing is looked for but better thresholds and fewer rules, at the price of all conditions that
    /// there were to choose from.
    fn slope_of_found<'a>(&'a self, parts: (&'a Classes, &'a Runs, Definition), found: &Outcome) -> Slope<'a> {
        Slope { price: self.price(parts.1, found.seen.choices), ..self.slope(parts, &|_| true, &|_, _| true) }
    }

    fn price(&self, runs: &Runs, choices: usize) -> Price {
        let Limits { penalty, balance, .. } = self.limits;
        penalty.map_or_else(|| Price::new(runs, choices, balance), |penalty| Price::fixed(penalty, balance))
    }

    /// Whether two rules are the same but for their thresholds.
    fn alike(&self, a: &Rule, b: &Rule) -> bool {
        let closed = self.scope.table.attributes();
        let about = |literal: &Lit| match *literal {
            Lit::Plain(bit) => (closed[bit as usize], self.scope.table.patterns()[bit as usize].negated),
            Lit::Threshold { slot, .. } => (self.scope.table.len() as u32 + u32::from(slot), false),
        };
        let kinds = |rule: &Rule| {
            let mut kinds: Vec<_> = rule.body.iter().map(about).collect();
            kinds.sort_unstable();
            kinds
        };
        a.kind == b.kind && kinds(a) == kinds(b)
    }

    /// The classes and runs of some rules in some segments, and no other literals.
    fn classes_of(&self, rules: &[Rule], segments: &[&Segment<'_>]) -> (Classes, Runs) {
        let classes = Classes::new(self.record, segments, self.scope, Vocabulary::Of(rules, Fineness::Coarse));
        let runs = Runs::new(segments, self.scope, &classes);
        (classes, runs)
    }

    /// How well rules fit.
    pub(crate) fn fit(&self, rules: &[Rule], definition: Definition) -> Fit {
        let (classes, runs) = self.classes_of(rules, self.segments);
        fit_by_segment(&runs, &actions(&classes, &runs, rules), definition, Balance::default()).0
    }

    /// What the theory would be without each of its rules, each at its price.
    pub(crate) fn trust(&self, outcome: &Outcome, definition: Definition) -> Vec<Ablation> {
        let rules = &outcome.rules;
        let (classes, runs) = self.classes_of(rules, self.segments);
        let price = self.price(&runs, outcome.seen.choices);
        let worth = |rules: &[Rule]| worth_of(rules, definition, (&classes, &runs), &price);
        let (value, _, errors) = worth(rules);
        let without = |i: usize| {
            let rest: Vec<Rule> = rules.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| r.clone()).collect();
            let (less, _, others) = worth(&rest);
            let count = |f: fn(&f64, &f64) -> bool| others.iter().zip(&errors).filter(|(o, e)| f(o, e)).count();
            let refits = outcome.refits.as_ref().and_then(|refits| refits.get(i).copied());
            Ablation { gain: value - less, helps: count(|o, e| o > e), harms: count(|o, e| o < e), refits }
        };
        (0..rules.len()).map(without).collect()
    }
}

/// What rules are worth on runs of classes that have their literals, how they fit, and what their errors in each segment count for.
fn worth_of(
    rules: &[Rule],
    definition: Definition,
    (classes, runs): (&Classes, &Runs),
    price: &Price,
) -> (f64, Fit, Vec<f64>) {
    let (fit, errors) = fit_by_segment(runs, &actions(classes, runs, rules), definition, price.balance);
    let cost: f64 = bodies(classes, rules).iter().map(|(_, body)| price.of_rule(classes, body)).sum();
    (price.worth_of(&fit) - cost, fit, errors)
}

/// Whether rules have thresholds that were learned.
fn has_thresholds(rules: &[Rule]) -> bool {
    rules.iter().flat_map(|rule| &rule.body).any(|literal| matches!(literal, Lit::Threshold { .. }))
}

/// What rules do on runs of classes that have their literals.
pub(crate) fn actions(classes: &Classes, runs: &Runs, rules: &[Rule]) -> Actions {
    let mut actions = Actions::given(classes, runs);
    for rule in rules {
        let body = classes.body(rule).expect("the classes have the literals of the rules");
        actions.add(classes, runs, rule.kind, &body);
    }
    actions
}

/// The bodies of rules on classes; rules with literals that the classes have not are left out.
fn bodies(classes: &Classes, rules: &[Rule]) -> Vec<(RuleKind, Vec<Condition>)> {
    rules.iter().filter_map(|rule| Some((rule.kind, classes.body(rule)?))).collect()
}

/// The rules of a theory on classes.
fn rules_of(classes: &Classes, theory: &Theory) -> Vec<Rule> {
    let rule = |(kind, body): &(RuleKind, Vec<Condition>)| Rule {
        kind: *kind,
        body: body.iter().map(|c| classes.literal(*c)).collect(),
    };
    theory.rules.iter().map(rule).collect()
}
