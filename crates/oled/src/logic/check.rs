//! Vocabulary: every predicate that declarations and rules speak of, and everything that is wrong with how they do.

mod back;
mod candidates;
mod predicates;
mod rounds;
mod rules;
mod skeleton;
mod types;

use std::borrow::Cow;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::open::{self, Measure};
use super::past::{self, Look, Past, Pasts};
use crate::lang::{
    Atom, Bias, Clause, Diagnostic, Exclusive, Formula, Literal, Signature, Span, Symbol, Term, Value, for_each_hole,
};
use skeleton::Skeleton;
pub(super) use skeleton::is_bare;

/// Where the rows of a predicate come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// From the stream.
    Input,
    /// From facts and rules that do not mention time: computed once.
    Static,
    /// From rules, at each time point.
    Derived,
    /// From inertia: `holdsAt` of a fluent that rules start and end.
    Fluent,
    /// From the stream: all values at the places of this type.
    Type(Symbol),
    /// From earlier time points: a condition of a rule that looks back.
    Past(Past),
}

/// What is known of a predicate.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// Where its rows come from.
    pub role: Role,
    /// Whether its last argument is the time.
    pub timed: bool,
    /// The type of each hole, the time's included.
    pub types: Vec<Option<Symbol>>,
    /// Where it was first declared or defined.
    pub place: Span,
}

/// Every predicate of a task and what it consists of.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    /// In order of declaration.
    pub predicates: IndexMap<Signature, Predicate, FxBuildHasher>,
    /// The values of types that facts list: `distance(24).`
    pub enumerations: IndexMap<Symbol, Vec<Value>, FxBuildHasher>,
    /// The predicates whose thresholds are open.
    pub measures: Vec<Measure>,
    /// The times that are tried where it is open for how long a value was beyond a threshold.
    pub durations: Vec<i64>,
    /// Predicates of which one is true at a time.
    pub exclusive: Vec<Exclusive>,
    /// Fluents and ordinary predicates, with the predicate that says which of their instances are looked at.
    pub candidates: IndexMap<Signature, Signature, FxBuildHasher>,
}

impl Vocabulary {
    /// The predicates whose rows a condition that looks back depends on.
    pub(crate) fn bases(&self, past: Past) -> Vec<Signature> {
        if past.look == Look::Last { self.replacing(past.base) } else { vec![past.base] }
    }

    /// Collects the vocabulary of declarations and rules, and says everything that is wrong with it.
    pub fn new(bias: &Bias, rules: &[&Clause]) -> (Vocabulary, Vec<Diagnostic>) {
        let mut check = Check {
            bias,
            vocabulary: Vocabulary { exclusive: bias.exclusive.clone(), ..Vocabulary::default() },
            named: IndexMap::default(),
            problems: Vec::new(),
        };
        let all = rules;
        let mut pasts = Pasts::default();
        let replaced: Vec<Cow<'_, Clause>> = rules.iter().map(|rule| past::replace(rule, &mut pasts)).collect();
        check.horizon(rules);
        let rules = check.forms(rules, &replaced);
        check.inputs();
        check.pasts(&pasts);
        check.heads(&rules.heads);
        check.type_predicates();
        check.candidates(&rules.heads);
        check.timed(&rules.heads);
        check.names(&rules.heads);
        for rule in &rules.whole {
            check.rule(rule);
        }
        check.types(&rules.whole);
        check.declarations();
        check.symmetries();
        check.open(all);
        check.known_before(all);
        check.kept();
        (check.vocabulary, check.problems)
    }
}

/// The checks at work. Those of a file are together: `rules` looks at one rule at a time, `predicates` at what defines
/// and declares, `types` at what variables range over, `back` at conditions that look back in time, `candidates` at who is
/// looked at.
struct Check<'a> {
    bias: &'a Bias,
    vocabulary: Vocabulary,
    /// What may be asked for in bodies, and where it comes from.
    named: IndexMap<Skeleton, Span, FxBuildHasher>,
    problems: Vec<Diagnostic>,
}

/// Rules as far as they are of use: one that is of the wrong form gets no further complaints. Conditions that look back
/// are atoms of their own predicates.
struct Forms<'r> {
    /// Those whose heads name a predicate.
    heads: Vec<&'r Clause>,
    /// Those with nothing wrong in their form.
    whole: Vec<&'r Clause>,
}

impl Check<'_> {
    /// What is measured where thresholds are open is a predicate like the one with the threshold.
    fn open(&mut self, rules: &[&Clause]) {
        let (open, problems) = open::find(self.bias, rules);
        problems.into_iter().for_each(|p| self.report(p));
        self.vocabulary.durations = open::durations(self.bias, &open);
        for measure in open::measures(&open) {
            if let Some(predicate) = self.vocabulary.predicates.get(&measure.predicate).cloned() {
                self.vocabulary.predicates.insert(measure.measured, predicate);
                self.vocabulary.measures.push(measure);
            }
        }
        for atom in rules.iter().flat_map(|rule| atoms(rule)) {
            self.no_open_past(atom);
        }
        for rule in rules {
            if self.is_timed(&rule.head) {
                rule.body.iter().filter(|l| l.negated).for_each(|literal| self.fixed_threshold(literal));
            }
        }
    }

    /// An open predicate has rows only for the thresholds that are asked for now, and none that could be remembered.
    fn no_open_past(&mut self, atom: &Atom) {
        let Ok(Some((_, inner))) = past::read(atom) else { return };
        let signature = Signature::of(&inner);
        if self.vocabulary.measures.iter().any(|m| m.predicate == signature) {
            let message = format!("`{}` looks back at `{}`, whose threshold is open", atom.name, inner.name);
            let hint = format!(
                "give the condition a name by a rule, `met(…) :- {inner}.`, and look back at that; for how long a value was \
                 beyond an open threshold, see `never_below`"
            );
            self.report(Diagnostic::new(&atom.span, message).hint(hint));
        }
    }

    /// A negated use has a rule for its thresholds, and what does not depend on time cannot wait for them.
    fn fixed_threshold(&mut self, literal: &Literal) {
        let Formula::Atom(atom) = &literal.formula else { return };
        let signature = Signature::of(atom);
        let Some(measure) = self.vocabulary.measures.iter().find(|m| m.predicate == signature) else { return };
        let mut threshold = None;
        let mut column = 0;
        for_each_hole(&atom.args, &mut |term| {
            threshold = threshold.or((column == measure.column).then_some(term));
            column += 1;
        });
        if !self.is_timed(atom) && !matches!(threshold, Some(Term::Value(_))) {
            let problem = Diagnostic::new(
                &atom.span,
                format!("`{}` does not depend on time, so the threshold of `not {atom}` must be a number", atom.name),
            );
            self.report(problem.hint("write the number, or compare in this rule what the predicate compares"));
        }
    }

    fn report(&mut self, problem: Diagnostic) {
        if problem.span.source.is_some() || !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }
}

/// The time argument of an atom of the Event Calculus or of any timed predicate.
fn time_argument(atom: &Atom) -> Option<&Term> {
    atom.args.last()
}

fn atoms(rule: &Clause) -> impl Iterator<Item = &Atom> {
    rule.atoms().map(|(_, atom)| atom)
}
