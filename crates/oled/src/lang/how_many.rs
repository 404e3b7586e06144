//! How many: a count that may be zero, `how_many(happensAt(starts(P), T), 60, N)`, turned into the rules that it means.
//!
//! Where there is nothing to count, `count` has no number, since nobody says whom it would be of. Here another condition of the rule
//! says it:
//!
//! ```text
//! rested(P, T) :- pump(P, T), how_many(happensAt(starts(P), T), 60, N), N < 2.
//!
//! rested(P, T) :- pump(P, T), 'how_many …'(P, N, T), N < 2.
//! 'how_many …'(P, N, T) :- count(happensAt(starts(P), T), 60, N).
//! 'how_many …'(P, 0, T) :- pump(P, T), not count(happensAt(starts(P), T), 60, _).
//! ```
//!
//! The rules come behind all others of their text, so that those keep their numbers. What is counted is below what counts it, as for
//! `count`, so that nothing else is asked of strata.

use super::expires::{fresh_variable, move_to};
use super::{Atom, Clause, Diagnostic, Formula, Literal, Symbol, Term, Theory, Value, for_each_hole, is_operation};

const HOW_MANY: &str = "how_many";
const COUNT: &str = "count";

const FORM: &str = "write `how_many(happensAt(starts(P), T), 60, N)`, or without a number of time units for now";

/// Puts rules in the place of such conditions, and says what is wrong with them.
pub(super) fn expand(theory: &mut Theory) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    for number in 0..theory.clauses.len() {
        for at in 0..theory.clauses[number].body.len() {
            let clause = &theory.clauses[number];
            let Formula::Atom(atom) = &clause.body[at].formula else { continue };
            if !is_how_many(atom) {
                continue;
            }
            match condition(clause, at, atom) {
                Ok((condition, rules)) => {
                    theory.clauses[number].body[at].formula = Formula::Atom(condition);
                    for rule in rules {
                        if !theory.clauses.iter().any(|known| known.head == rule.head && known.body == rule.body) {
                            theory.push(rule, None);
                        }
                    }
                }
                Err(problem) => problems.push(problem),
            }
        }
    }
    problems
}

fn is_atom(term: &Term) -> bool {
    matches!(term, Term::App(name, args) if !is_operation(name.as_str(), args.len()))
}

fn is_how_many(atom: &Atom) -> bool {
    atom.name.as_str() == HOW_MANY && atom.args.iter().take(2).any(is_atom)
}

/// The condition that stands in a rule instead, and the rules that it needs.
fn condition(clause: &Clause, at: usize, atom: &Atom) -> Result<(Atom, Vec<Clause>), Diagnostic> {
    let wrong = |message: String, hint: String| Err(Diagnostic::new(&clause.body[at].span, message).hint(hint));
    if clause.body[at].negated {
        return wrong(
            format!("`{HOW_MANY}` has a number in any case, so that it is never false"),
            "compare the number".into(),
        );
    }
    let (value, rest) = match &atom.args[..] {
        [value @ Term::Var(_), rest @ ..] => (Some(value), rest),
        rest => (None, rest),
    };
    let (inner, window, result) = match rest {
        [inner, result] => (inner, None, result),
        [inner, window, result] => (inner, Some(window), result),
        _ => return wrong(format!("`{HOW_MANY}` has 2 to 4 parts, here {}", atom.args.len()), FORM.into()),
    };
    let Term::App(_, args) = inner else { return wrong(format!("`{HOW_MANY}` counts an atom"), FORM.into()) };
    let Some(time @ Term::Var(_)) = args.last().filter(|_| is_atom(inner)) else {
        return wrong(format!("`{inner}` does not end in the time of the rule"), FORM.into());
    };
    let mut groups: Vec<Term> = Vec::new();
    for_each_hole(&args[..args.len() - 1], &mut |term| {
        let is_named = matches!(term, Term::Var(_)) && !term.is_anonymous();
        if is_named && Some(term) != value && !groups.contains(term) {
            groups.push(term.clone());
        }
    });
    let givers = givers(clause, &groups, time).map_err(|missing| {
        Diagnostic::new(&clause.body[at].span, format!("no other condition says who `{missing}` may be"))
            .hint(format!("who has none is known from elsewhere: add a condition that gives `{missing}` its values"))
    })?;
    let count = |number: Term| {
        let args = value.into_iter().chain([inner]).chain(window).cloned().chain([number]).collect();
        Atom { name: Symbol::new(COUNT), args, span: atom.span.clone() }
    };
    // The same condition has one name, whatever its variables are called.
    let mut form = inner.clone();
    rename(&mut form, &mut |term| match groups.iter().position(|group| group == term) {
        Some(place) => Some(Term::var(&format!("X{place}"))),
        None if term == time => Some(Term::var("T")),
        None if Some(term) == value => Some(Term::var("V")),
        None => None,
    });
    let window = window.map_or_else(String::new, |units| format!(", {units}"));
    let form = format!("{}{form}{window}", if value.is_some() { "V, " } else { "" });
    let name = Symbol::new(&format!("{HOW_MANY} {form}"));
    let own = |number: Term| {
        let args = groups.iter().cloned().chain([number, time.clone()]).collect();
        Atom { name, args, span: atom.span.clone() }
    };
    let all: Vec<Term> = atom.args.iter().cloned().chain(groups.iter().cloned()).collect();
    let number = Term::var(&fresh_variable("N", &all));
    let literal =
        |negated: bool, atom: Atom| Literal { negated, span: clause.span.clone(), formula: Formula::Atom(atom) };
    let some =
        Clause { head: own(number.clone()), body: vec![literal(false, count(number))], span: clause.span.clone() };
    let none = givers.into_iter().chain([literal(true, count(Term::var("_")))]).collect();
    let none = Clause { head: own(Term::Value(Value::Int(0))), body: none, span: clause.span.clone() };
    let mut rules = vec![some, none];
    rules.iter_mut().for_each(|rule| move_to(rule, &clause.body[at].span));
    Ok((own(result.clone()), rules))
}

/// The conditions of a rule that say who may have none; or a variable that none of them speaks of.
fn givers(clause: &Clause, groups: &[Term], time: &Term) -> Result<Vec<Literal>, Term> {
    let mut found: Vec<Literal> = Vec::new();
    let mut missing: Vec<&Term> = groups.iter().collect();
    for literal in clause.body.iter().filter(|literal| !literal.negated) {
        let Formula::Atom(atom) = &literal.formula else { continue };
        let mut holes = Vec::new();
        for_each_hole(&atom.args, &mut |term| holes.push(term.clone()));
        let gives = missing.iter().any(|group| holes.contains(group));
        if gives && !is_how_many(atom) && !atom.name.as_str().starts_with(&format!("{HOW_MANY} ")) {
            missing.retain(|group| !holes.contains(group));
            found.push(literal.clone());
        }
    }
    if let Some(missing) = missing.first() {
        return Err((*missing).clone());
    }
    // What stands once says nothing more.
    let mut names: Vec<Symbol> = Vec::new();
    found.iter().for_each(|literal| literal.for_each_var(&mut |name| names.push(name)));
    let once = |term: &Term| match term {
        Term::Var(name) => {
            names.iter().filter(|known| *known == name).count() == 1 && !groups.contains(term) && term != time
        }
        _ => false,
    };
    for literal in &mut found {
        if let Formula::Atom(atom) = &mut literal.formula {
            for term in &mut atom.args {
                rename(term, &mut |term| once(term).then(|| Term::var("_")));
            }
        }
    }
    Ok(found)
}

/// Puts other terms in the place of some, operations apart.
fn rename(term: &mut Term, other: &mut impl FnMut(&Term) -> Option<Term>) {
    if let Some(new) = other(term) {
        *term = new;
        return;
    }
    if let Term::App(name, args) = term
        && !is_operation(name.as_str(), args.len())
    {
        args.iter_mut().for_each(|term| rename(term, other));
    }
}
