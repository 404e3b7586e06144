//! The predicates of the Event Calculus, as they are written.

use super::{Atom, Signature, Term, Value};

/// An event occurs.
pub const HAPPENS: &str = "happensAt";
/// A fluent holds.
pub const HOLDS: &str = "holdsAt";
/// A fluent is started.
pub const INITIATED: &str = "initiatedAt";
/// A fluent is ended.
pub const TERMINATED: &str = "terminatedAt";
/// The annotation does not know whether a fluent holds: it counts for nothing.
pub const UNKNOWN: &str = "unknown";
/// An instance of a fluent is looked at: others are as if their arguments were not observed.
pub const CANDIDATES: &str = "candidates";
/// A fluent holds at the start of each segment.
pub const INITIALLY: &str = "initially";

/// Whether a predicate speaks of a fluent in its first argument.
pub fn is_about_fluent(predicate: &str) -> bool {
    matches!(predicate, HOLDS | INITIATED | TERMINATED | INITIALLY | UNKNOWN | CANDIDATES)
}

/// Makes the first argument of such a predicate a [`fluent`].
pub fn with_fluent(predicate: &str, mut args: Vec<Term>) -> Vec<Term> {
    if is_about_fluent(predicate)
        && let Some(first) = args.first_mut()
    {
        *first = fluent(first.clone());
    }
    args
}

/// A fluent in the first argument of such a predicate. One without arguments is a compound term too, `f` as `f()`, so that each
/// is a relation of its own, as others are.
pub fn fluent(term: Term) -> Term {
    match term {
        Term::Value(Value::Sym(name)) => Term::App(name, Vec::new()),
        term => term,
    }
}

/// The fluent that a head starts, ends or declares `initially`, `holdsAt(lit(_), _)`: it persists from one time point to the
/// next. Other fluents hold while the bodies of rules for `holdsAt` are true.
pub fn persisting(head: &Atom) -> Option<Signature> {
    match head.name.as_str() {
        INITIATED | TERMINATED => Some(Signature::of(head).renamed(HOLDS)),
        // There is no time in `initially(lit(L))`.
        INITIALLY => Some(Signature::of(head).with_time().renamed(HOLDS)),
        _ => None,
    }
}
