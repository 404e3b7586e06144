//! Durations: for how long a value was beyond an open threshold, where that is to be learned too.
//!
//! ```text
//! comparison(long(+machine, #real, #int, +time), 2, smaller).        above how much
//! comparison(long(+machine, #real, #int, +time), 3, smaller).        for how long
//! long(X, L, D, T) :- never_below(V, heat(X, V, T), D, N), N >= L.
//! ```
//!
//! Each time that is tried is measured by itself, as a feature, so that the other number is found as closely as any threshold.
//! The times to try need no data: they are a part of the horizon.

use super::super::aggregate;
use super::{Open, holes, used};
use crate::lang::{Atom, Bias, Clause, Diagnostic, Formula, Literal, Monotone, Signature, Symbol, Term, Value};

/// How much longer a time is than the next shorter one, at most: any time is within 5 % of one of these. With 1.05 there are twice
/// as many features to measure and to search, with 1.2 a learned time is up to a tenth off.
const RATIO: f64 = 1.1;

/// Up to here all whole numbers are tried: between two of them that have one between them, it would be more than 5 % off. Half as
/// many would leave gaps of a tenth, twice as many would add nothing to what RATIO promises.
const ALL: i64 = 21;

/// The shortest time is this part of the horizon: about fifty times lie between them. Half as much would add seven, of which few
/// streams have time points that close; twice as much would lose those that are short beside a long horizon.
const SHORTEST: f64 = 0.01;

/// The times that are tried, where any is open: a part of the horizon each, from a hundredth on, and those that modes name.
pub(crate) fn durations(bias: &Bias, open: &[Open<'_>]) -> Vec<i64> {
    let mut found = Vec::new();
    let is_open = open.iter().any(|open| open.duration.is_some());
    if let Some(horizon) = bias.horizon.filter(|_| is_open) {
        let (mut span, shortest) = (horizon, (horizon as f64 * SHORTEST).max(1.0));
        while span as f64 >= shortest {
            found.push(span);
            span = if span <= ALL { span - 1 } else { (span as f64 / RATIO).ceil() as i64 };
        }
    }
    for mode in &bias.bodies {
        let signature = mode.signature();
        let column = open.iter().find(|o| o.predicate == signature).and_then(|o| o.duration);
        if let Some(Term::Value(Value::Int(span @ 1..))) = column.map(|column| mode.holes()[column]) {
            found.push(*span);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// For how long a condition of a rule asks, whether it is written as a text has it or as a predicate of its own.
pub(in crate::logic) fn span_of(atom: &Atom) -> Option<&Term> {
    let of_plain = || {
        let throughout = ["never_below\0", "never_above\0"].iter().any(|word| atom.name.as_str().starts_with(word));
        atom.args.len().checked_sub(3).filter(|_| throughout).map(|at| &atom.args[at])
    };
    aggregate::span(atom).or_else(of_plain)
}

/// The variable of a rule that says for how long, if there is one.
fn span_variable(rule: &Clause) -> Option<Symbol> {
    rule.atoms().find_map(|(_, atom)| match span_of(atom) {
        Some(Term::Var(name)) => Some(*name),
        _ => None,
    })
}

/// Which of two open thresholds is a duration, by the rule: the places of the other one and of this one.
pub(super) fn split(declared: &[(usize, Monotone)], rule: &Clause) -> Option<((usize, Monotone), (usize, Monotone))> {
    let variable = span_variable(rule)?;
    let holes = holes(&rule.head);
    let is_duration = |(column, _): &(usize, Monotone)| *holes[*column] == Term::Var(variable);
    let [one, other] = declared else { return None };
    match (is_duration(one), is_duration(other)) {
        (false, true) => Some((*one, *other)),
        (true, false) => Some((*other, *one)),
        _ => None,
    }
}

/// What is wrong with the times that the conditions of a rule name.
pub(super) fn problems(bias: &Bias, open: &[Open<'_>], rule: &Clause) -> Vec<Diagnostic> {
    let head = Signature::of(&rule.head);
    let own = open.iter().find(|o| o.predicate == head).and_then(|o| o.duration);
    let own = own.map(|column| holes(&rule.head)[column].clone());
    let mut problems = Vec::new();
    for (_, atom) in rule.atoms() {
        if let Some(span @ Term::Var(_)) = span_of(atom)
            && own.as_ref() != Some(span)
        {
            let message = format!("for how long is a number of time units here, not `{span}`");
            problems.push(Diagnostic::new(&atom.span, message).hint(
                "where it is to be learned, the rule defines a predicate with two open thresholds, and `comparison` \
                 declares both of them",
            ));
        }
    }
    problems.extend(rule.body.iter().filter_map(|literal| too_long(bias, open, literal)));
    problems
}

/// A use of a predicate with a duration that is longer than the horizon.
fn too_long(bias: &Bias, open: &[Open<'_>], literal: &Literal) -> Option<Diagnostic> {
    let (found, atom, _) = used(open, literal)?;
    let horizon = bias.horizon?;
    match holes(atom)[found.duration?] {
        Term::Value(Value::Int(span)) if *span > horizon => {
            let message = format!("`{atom}` looks back {span} time units, further than the horizon of {horizon}");
            let hint = format!("declare `horizon({span}).` in modes.lp: memory grows with it");
            Some(Diagnostic::new(&atom.span, message).hint(hint))
        }
        _ => None,
    }
}

/// What to say where a rule uses a predicate with a duration without saying which one it means.
pub(super) fn unknown(found: &Open<'_>, atom: &Atom) -> Option<Diagnostic> {
    let span = holes(atom)[found.duration?];
    if matches!(span, Term::Value(Value::Int(1..))) {
        return None;
    }
    let message = format!("`{}` takes a whole number of time units, at least 1, not `{span}`", found.predicate.name());
    let hint = "for how long is the same for all instances of a rule: write a number";
    Some(Diagnostic::new(&atom.span.find_word(&span.to_string()), message).hint(hint))
}

/// The rule of a predicate for one duration.
pub(super) fn fixed(rule: &Clause, column: usize, duration: &Term) -> Clause {
    let Term::Var(variable) = *holes(&rule.head)[column] else { return rule.clone() };
    let mut put = |name: Symbol| if name == variable { duration.clone() } else { Term::Var(name) };
    let mut fixed = rule.clone();
    fixed.body = fixed.body.iter().map(|l| super::substitute_literal(l, &mut put)).collect();
    fixed.head.args = fixed.head.args.iter().map(|t| super::substitute(t, &mut put)).collect();
    fixed
}

/// The durations that rules name, of one condition: those that it has itself, and those of the predicate whose rule has it.
pub fn spans_of(bias: &Bias, rules: &[&Clause], condition: Signature) -> Vec<i64> {
    let (open, _) = super::find(bias, rules);
    let mut spans = Vec::new();
    let mut add = |term: &Term| match term {
        Term::Value(Value::Int(span)) if !spans.contains(span) => spans.push(*span),
        _ => {}
    };
    let is_it =
        |atom: &Atom| super::super::past::plain(atom).is_some_and(|(_, plain)| Signature::of(&plain) == condition);
    for rule in rules {
        for (_, atom) in rule.atoms().filter(|(_, atom)| is_it(atom)) {
            span_of(atom).into_iter().for_each(&mut add);
            let head = Signature::of(&rule.head);
            let Some(own) = open.iter().find(|o| o.predicate == head) else { continue };
            let uses = rules.iter().flat_map(|rule| &rule.body).filter_map(|literal| match &literal.formula {
                Formula::Atom(atom) if Signature::of(atom) == head => Some(atom),
                _ => None,
            });
            for used in uses {
                own.duration.map(|column| holes(used)[column]).into_iter().for_each(&mut add);
            }
        }
    }
    spans
}
