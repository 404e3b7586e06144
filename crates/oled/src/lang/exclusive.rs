//! Exclusive sets: conditions of which one is true at a time, such as the movements of a person.

use super::ec::{CANDIDATES, INITIALLY, INITIATED, TERMINATED};
use super::{Diagnostic, Mark, Mode, Span, Symbol, TIME, Term, Value};

/// A declaration that one of some conditions is true at a time, of the same arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exclusive {
    /// The conditions, in the order of the declaration.
    pub members: Vec<Mode>,
    /// Where it was declared.
    pub span: Span,
}

impl Exclusive {
    /// The declaration of these conditions, or what is wrong with it. `others` are the sets that are declared before.
    pub(super) fn new(members: Vec<Mode>, span: &Span, others: &[Exclusive]) -> Result<Exclusive, Diagnostic> {
        let fail = |message: String, hint: &str| Err(Diagnostic::new(span, message).hint(hint));
        for (i, mode) in members.iter().enumerate() {
            let name = mode.atom.name.as_str();
            if matches!(name, INITIATED | TERMINATED | INITIALLY | CANDIDATES) {
                return fail(
                    format!("`{name}` cannot be one of an exclusive set"),
                    "its members are events, fluents and ordinary predicates",
                );
            }
            if members[..i].iter().any(|other| overlap(other, mode)) {
                return fail(
                    format!("`{}` stands twice in one exclusive set", mode.atom),
                    "each is named once, with `-type` for the values that exclude each other",
                );
            }
            if about(&members[0]) != about(mode) {
                return fail(
                    format!("`{}` and `{}` are not about the same", members[0].atom, mode.atom),
                    "all have the same `+` arguments, in the same order; `-type` stands for what excludes each other",
                );
            }
            if let Some(set) = others.iter().find(|set| set.members.iter().any(|other| overlap(other, mode))) {
                let hint = format!("the other is declared at {}", set.span.place());
                return fail(format!("`{}` is in two exclusive sets", mode.atom), &hint);
            }
        }
        Ok(Exclusive { members, span: span.clone() })
    }
}

/// Whether something can be both.
fn overlap(a: &Mode, b: &Mode) -> bool {
    let (one, other) = (constants(a), constants(b));
    let differ = |(column, value): &(usize, Value)| other.iter().any(|(c, v)| c == column && v != value);
    a.signature() == b.signature() && !one.iter().any(differ)
}

/// The columns of a member that say whom it is about: those that are marked `+`.
pub(crate) fn about_columns(mode: &Mode) -> Vec<usize> {
    let is_about = |(i, hole): (usize, &Term)| match hole {
        Term::Mark(Mark::Input, kind) if kind.as_str() != TIME => Some(i),
        _ => None,
    };
    mode.holes().into_iter().enumerate().filter_map(is_about).collect()
}

/// The types of these columns.
fn about(mode: &Mode) -> Vec<Option<Symbol>> {
    let types = mode.types();
    about_columns(mode).into_iter().map(|column| types[column]).collect()
}

/// The columns of a member that have one value: `on` of `happensAt(on, +time)`.
pub(crate) fn constants(mode: &Mode) -> Vec<(usize, Value)> {
    let holes = mode.holes().into_iter().enumerate();
    holes.filter_map(|(i, hole)| if let Term::Value(value) = hole { Some((i, *value)) } else { None }).collect()
}
