//! Skeletons: what an atom speaks of, with the name of an event or fluent that has no arguments.

use std::fmt;

use crate::lang::ec::{HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Signature, Symbol, Term, Value, for_each_hole};

/// A signature, and where that is shared by all events without arguments, or fluents with nothing but a value, the name of the one that is meant:
/// `happensAt(alarm, T)` is of the signature `happensAt(_, _)` and of the skeleton `happensAt(alarm, _)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Skeleton {
    pub(super) signature: Signature,
    pub(super) name: Option<Value>,
}

impl Skeleton {
    pub(super) fn of(atom: &Atom) -> Skeleton {
        let signature = Signature::of(atom);
        let name = match first_hole(atom) {
            Some(Term::Value(name)) if is_bare(signature) => Some(*name),
            _ => None,
        };
        Skeleton { signature, name }
    }

    /// All names in it: what has the same path differs in the number of arguments only.
    pub(super) fn path(self) -> String {
        let path = self.signature.path();
        match self.name {
            Some(name) => format!("{path}.{name}"),
            None => path,
        }
    }

    /// With place markers, as a suggestion for a declaration.
    pub(super) fn marked(self) -> String {
        self.fill(self.signature.markers()).to_string()
    }

    fn fill(self, terms: impl Iterator<Item = Term>) -> Atom {
        self.signature.fill(self.name.map(Term::Value).into_iter().chain(terms.skip(usize::from(self.name.is_some()))))
    }
}

impl fmt::Display for Skeleton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fill(std::iter::repeat(Term::var("_"))))
    }
}

/// Whether a signature is that of all events without arguments, or of all fluents with nothing but a value.
pub(in crate::logic) fn is_bare(signature: Signature) -> bool {
    is_calculus(signature.name()) && signature.inner_name().is_none()
}

fn is_calculus(name: Symbol) -> bool {
    matches!(name.as_str(), HAPPENS | HOLDS | INITIATED | TERMINATED | INITIALLY)
}

/// What fills the first hole.
pub(super) fn first_hole(atom: &Atom) -> Option<&Term> {
    let mut first = None;
    for_each_hole(&atom.args, &mut |term| first = first.or(Some(term)));
    first
}

/// The four predicates of a fluent, which speak of the same arguments; any other predicate on its own.
pub(super) fn family(signature: Signature) -> Vec<Signature> {
    let holds = match signature.name().as_str() {
        HOLDS | INITIATED | TERMINATED => signature,
        INITIALLY => signature.with_time(),
        _ => return vec![signature],
    };
    let initially = holds.without_time().map(|s| s.renamed(INITIALLY));
    [HOLDS, INITIATED, TERMINATED].map(|name| holds.renamed(name)).into_iter().chain(initially).collect()
}
