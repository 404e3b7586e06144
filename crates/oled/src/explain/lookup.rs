//! Lookup: the values with which conditions are true, among what is true at a moment.

use crate::lang::{Atom, Clause, Comparison, Formula, Literal, Signature, Symbol, Term, Value, for_each_hole};
use crate::logic::{Model, Pred, Program, Vocabulary, apply, compare_values, plain, substitute_literal};

/// Variables with their values.
pub(super) type Bindings = Vec<(Symbol, Value)>;

/// What is true at a time.
pub(super) struct Lookup<'a> {
    pub(super) program: &'a Program,
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) model: &'a Model,
    pub(super) time: i64,
}

impl Lookup<'_> {
    /// Values for the open variables that make all literals true; those are tried in an order in which they can be.
    pub(super) fn solve(&self, literals: &[&Literal], bindings: &Bindings) -> Option<Bindings> {
        if literals.is_empty() {
            return Some(bindings.clone());
        }
        // Whatever can be decided now, else a positive literal; at last a negated one with open variables, which is then
        // about no value at all.
        let decidable = literals.iter().position(|l| is_ready(l, bindings));
        let next = decidable.or_else(|| literals.iter().position(|l| !l.negated)).unwrap_or(0);
        let mut rest = literals.to_vec();
        let literal = rest.remove(next);
        match &literal.formula {
            Formula::Compare(op, left, right) => {
                let (a, b) = (value(left, bindings), value(right, bindings));
                match (a, b, left, right) {
                    (Some(a), Some(b), ..) => {
                        (compare_values(*op, a, b) != literal.negated).then(|| self.solve(&rest, bindings))?
                    }
                    (None, Some(known), Term::Var(name), _) | (Some(known), None, _, Term::Var(name))
                        if *op == Comparison::Equal && !literal.negated =>
                    {
                        let mut longer = bindings.clone();
                        longer.push((*name, known));
                        self.solve(&rest, &longer)
                    }
                    _ => None,
                }
            }
            Formula::Atom(written) => {
                let mut matching = Vec::new();
                self.matching(written, bindings, &mut matching)?;
                if literal.negated {
                    return if matching.is_empty() { self.solve(&rest, bindings) } else { None };
                }
                matching.iter().find_map(|longer| self.solve(&rest, longer))
            }
        }
    }

    /// Adds the ways to make an atom true by the rows that there are; `None` where nothing is known of its predicate.
    pub(super) fn matching(&self, written: &Atom, bindings: &Bindings, found: &mut Vec<Bindings>) -> Option<()> {
        let plain = plain(written).map(|(_, plain)| plain);
        let atom = plain.as_ref().unwrap_or(written);
        let (pred, timed) = self.relation(atom)?;
        let mut pattern = Vec::new();
        for_each_hole(&atom.args, &mut |t| pattern.push(t));
        let mut dated = bindings.clone();
        // All is about one time point.
        if timed && !pattern.pop().is_none_or(|term| bind(term, Value::Int(self.time), &mut dated)) {
            return None;
        }
        found.extend(self.model.rows(pred).rows().filter_map(|row| {
            let mut longer = dated.clone();
            let fits = pattern.iter().zip(row).all(|(term, value)| bind(term, *value, &mut longer));
            fits.then_some(longer)
        }));
        Some(())
    }

    fn relation(&self, atom: &Atom) -> Option<(Pred, bool)> {
        let signature = Signature::of(atom);
        Some((self.program.pred(signature)?, self.vocabulary.predicates.get(&signature)?.timed))
    }
}

/// The variables of a head with as many values as there are, in order; `None` if the head is about others.
pub(super) fn bind_head(clause: &Clause, values: impl IntoIterator<Item = Value>) -> Option<Bindings> {
    let mut known = Bindings::new();
    let (mut values, mut fits) = (values.into_iter(), true);
    for_each_hole(&clause.head.args, &mut |term| {
        fits &= values.next().is_none_or(|value| bind(term, value, &mut known));
    });
    fits.then_some(known)
}

/// Whether all variables of a literal have values.
pub(super) fn is_ready(literal: &Literal, bindings: &Bindings) -> bool {
    let mut open = 0;
    literal.for_each_var(&mut |name| open += usize::from(!bindings.iter().any(|(n, _)| *n == name)));
    open == 0
}

pub(super) fn bind(term: &Term, value: Value, bindings: &mut Bindings) -> bool {
    match term {
        Term::Var(name) if name.as_str() == "_" => true,
        Term::Var(name) => match bindings.iter().find(|(n, _)| n == name) {
            Some((_, bound)) => *bound == value,
            None => {
                bindings.push((*name, value));
                true
            }
        },
        term => self::value(term, bindings) == Some(value),
    }
}

pub(super) fn value(term: &Term, bindings: &Bindings) -> Option<Value> {
    apply(term, &|name| bindings.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
}

/// A literal with the values of its variables, as far as they are known.
pub(super) fn fill(literal: &Literal, bindings: &Bindings) -> Literal {
    substitute_literal(literal, &mut |name| {
        bindings.iter().find(|(n, _)| *n == name).map_or(Term::Var(name), |(_, value)| Term::Value(*value))
    })
}
