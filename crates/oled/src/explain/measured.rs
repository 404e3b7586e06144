//! Measured values: what a condition compares with which threshold, there or in what it is defined by.

use std::fmt;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::lang::ec::{HAPPENS, HOLDS};
use crate::lang::{Atom, Clause, Comparison, Formula, Literal, Signature, Term, Value, for_each_hole};
use crate::logic::{compare_values, plain};

use super::lookup::{Bindings, Lookup, bind, fill, is_ready, value};

/// A value that is compared with a threshold: `apart 31.4, at most 25`.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What was measured: the predicate that has the value, or how it is computed.
    pub what: String,
    /// The value.
    pub value: Value,
    /// How it must compare with the threshold.
    pub comparison: Comparison,
    /// The threshold.
    pub threshold: Value,
}

impl Measured {
    /// Whether the comparison is true.
    pub fn is_met(&self) -> bool {
        compare_values(self.comparison, self.value, self.threshold)
    }

    /// The value with few digits, as many as it takes to see how it compares.
    fn rounded(&self) -> String {
        let Value::Real(number) = self.value else { return self.value.to_string() };
        for digits in 1..16 {
            let text = format!("{number:.digits$}");
            let rounded = text.parse::<f64>().ok().and_then(Value::real);
            let is_near = |rounded: f64| (rounded - number).abs() <= number.abs() / 200.0;
            // Neither on the other side of the threshold nor on it, unless the value is.
            let sides = |value: Value| {
                [self.comparison, Comparison::Equal].map(|comparison| compare_values(comparison, value, self.threshold))
            };
            let is_like =
                |rounded: &Value| sides(*rounded) == sides(self.value) && rounded.as_f64().is_some_and(is_near);
            if rounded.as_ref().is_some_and(is_like) {
                return text;
            }
        }
        number.to_string()
    }

    /// How far the value is from the threshold.
    fn distance(&self) -> f64 {
        self.value.as_f64().zip(self.threshold.as_f64()).map_or(f64::INFINITY, |(a, b)| (a - b).abs())
    }
}

impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self.comparison {
            Comparison::Equal => "exactly",
            Comparison::NotEqual => "other than",
            Comparison::Less => "less than",
            Comparison::LessOrEqual => "at most",
            Comparison::Greater => "more than",
            Comparison::GreaterOrEqual => "at least",
        };
        write!(f, "{} {}, {words} {}", self.what, self.rounded(), self.threshold)
    }
}

/// The rules that define predicates at a time point.
pub(super) type Definitions = IndexMap<Signature, Vec<Clause>, FxBuildHasher>;

/// Looks for what was measured at a moment.
pub(super) struct Measuring<'a> {
    pub(super) lookup: Lookup<'a>,
    pub(super) rules: &'a Definitions,
}

/// How many definitions deep values are looked for: those by hand are seldom three deep, and recursive ones have no end.
const DEPTH: usize = 5;

/// How many ways to make a body true are compared: whoever asks about one instance has as many others near it at most.
const WAYS: usize = 1000;

impl Measuring<'_> {
    /// What was measured for a condition of a body, by its place, with these values.
    pub(super) fn of(&self, body: &[&Literal], at: usize, bindings: &Bindings) -> Vec<Measured> {
        let mut found = Vec::new();
        match &fill(body[at], bindings).formula {
            Formula::Compare(..) => found.extend(self.compared(body, body[at], &Vec::new(), bindings)),
            Formula::Atom(atom) => self.of_atom(atom, DEPTH, &mut found),
        }
        // What must not be is a comparison of its own, if it is one.
        if let ([one], true, Formula::Atom(_)) = (&mut found[..], body[at].negated, &body[at].formula) {
            one.comparison = one.comparison.negated();
        }
        found
    }

    /// What was measured for an atom, by the rules that define it.
    fn of_atom(&self, atom: &Atom, depth: usize, found: &mut Vec<Measured>) {
        for rule in self.definition(atom).filter(|_| depth > 0) {
            let Some(known) = bind_known(rule, atom, &Vec::new()) else { continue };
            let is_test = |l: &&Literal| matches!(l.formula, Formula::Compare(op, ..) if op != Comparison::Equal);
            let body: Vec<&Literal> = rule.body.iter().collect();
            let (tests, rest): (Vec<&Literal>, Vec<&Literal>) = body.iter().copied().partition(is_test);
            let mut ways = Vec::new();
            self.solve(&rest, &known, depth - 1, &mut ways);
            let measured = |way: &Bindings| -> Vec<Measured> {
                tests.iter().filter_map(|test| self.compared(&body, test, &known, way)).collect()
            };
            // The way that is true, or else nearest to it.
            let far = |measured: &[Measured]| {
                let missed = measured.iter().filter(|m| !m.is_met());
                missed.map(|m| (1, m.distance())).fold((0, 0.0), |(n, sum), (one, by)| (n + one, sum + by))
            };
            let mut best: Option<(&Bindings, Vec<Measured>, (i32, f64))> = None;
            for way in &ways {
                let here = measured(way);
                let by = far(&here);
                if best.as_ref().is_none_or(|(.., least)| by < *least) {
                    best = Some((way, here, by));
                }
            }
            let bindings = best.as_ref().map_or(&known, |(way, ..)| way);
            for literal in &rest {
                if let Formula::Atom(inner) = fill(literal, bindings).formula {
                    self.of_atom(&inner, depth - 1, found);
                }
            }
            let here = best.map(|(_, measured, _)| measured).unwrap_or_default();
            let new: Vec<Measured> = here.into_iter().filter(|m| !found.contains(m)).collect();
            found.extend(new);
        }
    }

    /// The rules that an atom follows from at its time point.
    fn definition(&self, atom: &Atom) -> impl Iterator<Item = &Clause> {
        let rules = if plain(atom).is_some() { None } else { self.rules.get(&Signature::of(atom)) };
        rules.into_iter().flatten()
    }

    /// Ways to make literals true.
    fn solve(&self, literals: &[&Literal], bindings: &Bindings, depth: usize, ways: &mut Vec<Bindings>) {
        if literals.is_empty() {
            ways.push(bindings.clone());
        }
        if literals.is_empty() || ways.len() >= WAYS {
            return;
        }
        let gives = |l: &&Literal| !l.negated && matches!(l.formula, Formula::Atom(_));
        let next = literals.iter().position(|l| is_ready(l, bindings) || is_assignment(l, bindings));
        let next = next.or_else(|| literals.iter().position(gives)).unwrap_or(0);
        let mut rest = literals.to_vec();
        let literal = rest.remove(next);
        match &literal.formula {
            Formula::Compare(op, left, right) => match (value(left, bindings), value(right, bindings), left, right) {
                (Some(a), Some(b), ..) if compare_values(*op, a, b) != literal.negated => {
                    self.solve(&rest, bindings, depth, ways);
                }
                (None, Some(known), Term::Var(name), _) | (Some(known), None, _, Term::Var(name))
                    if *op == Comparison::Equal && !literal.negated =>
                {
                    let mut longer = bindings.clone();
                    longer.push((*name, known));
                    self.solve(&rest, &longer, depth, ways);
                }
                _ => {}
            },
            Formula::Atom(atom) => {
                let matching = self.matching(atom, bindings, depth);
                if literal.negated {
                    if matching.is_empty() {
                        self.solve(&rest, bindings, depth, ways);
                    }
                    return;
                }
                matching.iter().for_each(|longer| self.solve(&rest, longer, depth, ways));
            }
        }
    }

    /// Ways to make an atom true. What rules define is derived here: a program derives no more of it than it needs.
    fn matching(&self, atom: &Atom, bindings: &Bindings, depth: usize) -> Vec<Bindings> {
        let mut found = Vec::new();
        if depth == 0 || self.definition(atom).next().is_none() {
            self.lookup.matching(atom, bindings, &mut found);
            return found;
        }
        for rule in self.definition(atom) {
            let Some(known) = bind_known(rule, atom, bindings) else { continue };
            let mut ways = Vec::new();
            self.solve(&rule.body.iter().collect::<Vec<_>>(), &known, depth - 1, &mut ways);
            for way in ways {
                let mut longer = bindings.clone();
                if holes(&rule.head)
                    .into_iter()
                    .zip(holes(atom))
                    .all(|(head, term)| value(head, &way).is_some_and(|value| bind(term, value, &mut longer)))
                {
                    found.push(longer);
                }
            }
        }
        found
    }

    /// A comparison of numbers, the threshold on the right: what is written, or what was `given` to the rule.
    fn compared(&self, body: &[&Literal], test: &Literal, given: &Bindings, bindings: &Bindings) -> Option<Measured> {
        let Formula::Compare(comparison, left, right) = &test.formula else { return None };
        let comparison = if test.negated { comparison.negated() } else { *comparison };
        if comparison == Comparison::Equal {
            return None;
        }
        let is_threshold = |term: &Term| value(term, given).is_some();
        let (value_of, threshold, comparison) = if is_threshold(left) && !is_threshold(right) {
            (right, left, comparison.turned())
        } else {
            (left, right, comparison)
        };
        let (value, threshold) = (value(value_of, bindings)?, value(threshold, bindings)?);
        value.as_f64().zip(threshold.as_f64())?;
        Some(Measured { what: self.what(body, value_of), value, comparison, threshold })
    }

    /// What a term measures: the condition that gives it its value, or the term itself.
    fn what(&self, body: &[&Literal], term: &Term) -> String {
        let atoms = body.iter().filter(|literal| !literal.negated).filter_map(|literal| match &literal.formula {
            Formula::Atom(atom) => Some(atom),
            Formula::Compare(..) => None,
        });
        for atom in atoms.filter(|_| matches!(term, Term::Var(_))) {
            let past = plain(atom);
            let own = past.as_ref().map_or(atom, |(_, plain)| plain);
            let place = holes(own).iter().position(|hole| *hole == term);
            let is_timed = self.lookup.vocabulary.predicates.get(&Signature::of(own)).is_some_and(|p| p.timed);
            match (place, &past) {
                (None, _) => {}
                (Some(place), _) if is_timed && place + 1 == holes(own).len() => return "time".into(),
                (Some(_), Some((past, _))) => return format!("{} {}", atom.name, name(past.base)),
                (Some(_), None) => return name(Signature::of(atom)),
            }
        }
        term.to_string()
    }
}

/// Whether a literal gives a value to a variable.
fn is_assignment(literal: &Literal, bindings: &Bindings) -> bool {
    match &literal.formula {
        Formula::Compare(Comparison::Equal, left, right) if !literal.negated => {
            let known = |term: &Term| value(term, bindings).is_some();
            matches!(left, Term::Var(_)) && known(right) || matches!(right, Term::Var(_)) && known(left)
        }
        _ => false,
    }
}

/// The variables of a rule's head with the values that an atom has at their places, as far as they are known; `None` if the
/// rule is about others.
fn bind_known(rule: &Clause, atom: &Atom, bindings: &Bindings) -> Option<Bindings> {
    let mut known = Bindings::new();
    let fits = holes(&rule.head).into_iter().zip(holes(atom)).all(|(head, term)| match value(term, bindings) {
        Some(value) => bind(head, value, &mut known),
        None => true,
    });
    fits.then_some(known)
}

fn holes(atom: &Atom) -> Vec<&Term> {
    let mut holes = Vec::new();
    for_each_hole(&atom.args, &mut |term| holes.push(term));
    holes
}

/// The name of a predicate, that of the fluent or event where it is about one.
fn name(signature: Signature) -> String {
    let inner = signature.inner_name().filter(|_| matches!(signature.name().as_str(), HOLDS | HAPPENS));
    inner.unwrap_or(signature.name()).as_str().to_string()
}
