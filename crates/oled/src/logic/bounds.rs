//! Bounds: up to which number the values of a column are asked for.
//!
//! ```text
//! apart(X, Y, R, T) :- coords(X, A, B, T), coords(Y, C, D, T), R = sqrt((A - C)^2 + (B - D)^2).
//! initiatedAt(meeting(X, Y), T) :- apart(X, Y, R, T), R <= 25, happensAt(inactive(X), T).
//! ```
//!
//! Where no rule asks for more than 25, `apart` need not be known of those who are further apart.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::program::Pred;
use crate::lang::{Atom, Clause, Comparison, Formula, Literal, Symbol, Term, Value, for_each_hole};

/// What is asked of a column so far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Asked {
    /// Nothing.
    Nothing,
    /// Numbers up to this one.
    UpTo(Value),
    /// Anything.
    Anything,
}

impl Asked {
    fn add(&mut self, bound: Option<Value>) {
        *self = match (*self, bound) {
            (Asked::Anything, _) | (_, None) => Asked::Anything,
            (Asked::Nothing, Some(bound)) => Asked::UpTo(bound),
            (Asked::UpTo(other), Some(bound)) => Asked::UpTo(other.max(bound)),
        };
    }

    /// The largest number that is asked for, if there is one.
    pub(super) fn at_most(self) -> Option<Value> {
        if let Asked::UpTo(bound) = self { Some(bound) } else { None }
    }
}

/// Adds what a rule asks of the columns of predicates. `largest` knows the largest number in a column of a predicate that
/// never changes.
pub(super) fn ask(
    rule: &Clause,
    resolve: impl Fn(&Atom) -> Option<Pred>,
    largest: impl Fn(Pred, usize) -> Option<Value>,
    asked: &mut [Vec<Asked>],
) {
    // The largest value of what gives a threshold its values: `distance(D)`.
    let mut listed: IndexMap<Symbol, Value, FxBuildHasher> = IndexMap::default();
    for (atom, pred) in rule.body.iter().filter(|l| !l.negated).filter_map(|l| resolved(l, &resolve)) {
        let mut column = 0;
        for_each_hole(&atom.args, &mut |term| {
            if let (Term::Var(name), Some(value)) = (term, largest(pred, column)) {
                listed.entry(*name).or_insert(value);
            }
            column += 1;
        });
    }
    let mut bounds: IndexMap<Symbol, Value, FxBuildHasher> = IndexMap::default();
    for (name, bound) in rule.body.iter().filter_map(upper) {
        let value = match bound {
            Term::Value(value) => Some(*value).filter(|v| v.as_f64().is_some()),
            Term::Var(name) => listed.get(name).copied(),
            _ => None,
        };
        if let Some(value) = value {
            let known = bounds.entry(name).or_insert(value);
            *known = value.min(*known);
        }
    }
    for (atom, pred) in rule.body.iter().filter_map(|l| resolved(l, &resolve)) {
        let mut columns = asked[pred.index()].iter_mut();
        for_each_hole(&atom.args, &mut |term| {
            let bound = match term {
                Term::Value(value) => Some(*value).filter(|v| v.as_f64().is_some()),
                Term::Var(name) => bounds.get(name).copied(),
                _ => None,
            };
            // The time is no column.
            columns.next().into_iter().for_each(|column| column.add(bound));
        });
    }
}

fn resolved<'l>(literal: &'l Literal, resolve: &impl Fn(&Atom) -> Option<Pred>) -> Option<(&'l Atom, Pred)> {
    match &literal.formula {
        Formula::Atom(atom) => resolve(atom).map(|pred| (atom, pred)),
        Formula::Compare(..) => None,
    }
}

/// A variable, and what it is not larger than where a literal is true.
fn upper(literal: &Literal) -> Option<(Symbol, &Term)> {
    let Formula::Compare(op, left, right) = &literal.formula else { return None };
    let op = if literal.negated { op.negated() } else { *op };
    let (small, large) = match op {
        Comparison::Less | Comparison::LessOrEqual => (left, right),
        Comparison::Greater | Comparison::GreaterOrEqual => (right, left),
        Comparison::Equal | Comparison::NotEqual => return None,
    };
    if let Term::Var(name) = small { Some((*name, large)) } else { None }
}
