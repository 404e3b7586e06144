//! Symmetric fluents: two people meet, whichever of them is named first.

use std::borrow::Cow;

use super::ec::{CANDIDATES, HOLDS, INITIALLY, INITIATED, TERMINATED, UNKNOWN};
use super::{Atom, Clause, Comparison, Formula, Literal, Signature, Span, Symbol, Term, Value};

/// A declaration that the order of a fluent's two arguments does not matter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetric {
    /// The fluent's name.
    pub name: Symbol,
    /// `holdsAt(meeting(_, _), _)`.
    pub holds: Signature,
    /// Whether it is an equivalence: who is with somebody is with all that this one is with.
    pub transitive: bool,
    /// Where it was declared.
    pub span: Span,
}

impl Symmetric {
    /// The declaration for a fluent of this name.
    pub fn new(name: Symbol, span: &Span) -> Symmetric {
        let fluent = Term::App(name, vec![Term::var("X"), Term::var("Y")]);
        let holds = Signature::of(&Atom::new(HOLDS, vec![fluent, Term::var("T")]));
        Symmetric { name, holds, transitive: false, span: span.clone() }
    }

    /// The declaration that a fluent of this name is an equivalence.
    pub fn equivalence(name: Symbol, span: &Span) -> Symmetric {
        Symmetric { transitive: true, ..Symmetric::new(name, span) }
    }

    /// What makes an equivalence of a symmetric fluent: the rule that closes it at a time point. Nobody is with themselves.
    pub fn closure(&self) -> Clause {
        let [x, y, z, time] = ["X", "Y", "Z", "T"].map(Term::var);
        let holds = |one: &Term, other: &Term| {
            let fluent = Term::App(self.name, vec![one.clone(), other.clone()]);
            Atom { name: Symbol::new(HOLDS), args: vec![fluent, time.clone()], span: self.span.clone() }
        };
        let formula = Formula::Compare(Comparison::NotEqual, x.clone(), z.clone());
        let others = Literal { negated: false, formula, span: self.span.clone() };
        let body = vec![Literal::positive(holds(&x, &y)), Literal::positive(holds(&y, &z)), others];
        Clause { head: holds(&x, &z), body, span: self.span.clone() }
    }
}

/// The fluents whose two arguments may be exchanged. Of the two orders, the *canonical* one stands for both: the first
/// argument is not larger than the second, as values are ordered.
///
/// ```
/// use oled::{Bias, Signature, parse_atom, parse_theory};
/// let (bias, _) = Bias::read(&parse_theory("modes.lp", "symmetric(meeting/2).").unwrap());
/// let (meeting, mut values) = Signature::split(&parse_atom("holdsAt(meeting(id2, id1), 10)").unwrap()).unwrap();
/// bias.symmetries().canonical(meeting, &mut values[..2]);
/// assert_eq!(values, ["id1".into(), "id2".into(), 10.into()]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetries {
    /// All predicates of the fluents.
    predicates: Vec<Signature>,
    /// Those that are equivalences: `holdsAt(with(_, _), _)`.
    equivalences: Vec<Signature>,
}

impl Symmetries {
    pub(super) fn new(declared: &[Symmetric]) -> Symmetries {
        let predicates = declared.iter().flat_map(|s| {
            let initially = s.holds.renamed(INITIALLY).without_time();
            [HOLDS, INITIATED, TERMINATED, UNKNOWN, CANDIDATES]
                .map(|name| s.holds.renamed(name))
                .into_iter()
                .chain(initially)
        });
        let equivalences = declared.iter().filter(|s| s.transitive).map(|s| s.holds);
        Symmetries { predicates: predicates.collect(), equivalences: equivalences.collect() }
    }

    /// Whether a fluent, `holdsAt(with(_, _), _)`, is an equivalence.
    #[inline]
    pub fn is_equivalence(&self, signature: Signature) -> bool {
        self.equivalences.contains(&signature)
    }

    /// Whether a predicate, `holdsAt(meeting(_, _), _)` or another of the Event Calculus, is about a symmetric fluent.
    #[inline]
    pub fn has(&self, signature: Signature) -> bool {
        self.predicates.contains(&signature)
    }

    /// Puts the values of a fluent, the time left out, into the order that stands for both.
    pub fn canonical(&self, signature: Signature, values: &mut [Value]) {
        // Names are slow to compare.
        if self.has(signature) && !is_canonical(values) {
            values.swap(0, 1);
        }
    }

    /// The same without changing the values.
    pub fn in_order<'v>(&self, signature: Signature, values: &'v [Value]) -> Cow<'v, [Value]> {
        if !self.has(signature) || is_canonical(values) {
            return Cow::Borrowed(values);
        }
        Cow::Owned(exchanged(values).to_vec())
    }
}

/// Whether two values are in the order that stands for both.
pub(crate) fn is_canonical(values: &[Value]) -> bool {
    !matches!(values, [first, second] if first > second)
}

/// Two values in the other order.
pub(crate) fn exchanged(values: &[Value]) -> [Value; 2] {
    debug_assert_eq!(values.len(), 2, "symmetric fluents have two arguments");
    [values[1], values[0]]
}
