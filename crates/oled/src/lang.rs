//! The language: names, values, terms, clauses, declarations, and one parser for all of them.

mod clause;
pub mod ec;
mod escape;
mod lone;
mod mode;
mod parse;
mod signature;
mod source;
mod symbol;
mod symmetry;
mod term;
mod value;

pub use clause::{Clause, Theory};
pub(crate) use escape::unescape;
pub use escape::{is_unprintable, printable, quoted};
pub(crate) use lone::lone_variables;
pub use mode::{Bias, Kind, Looser, MeantFor, Mode, TIME, Threshold, TypeDeclaration};
pub use parse::{parse_source, parse_theory};
pub(crate) use signature::Shape;
pub use signature::{Signature, for_each_hole, nearest_path};
pub use source::{Diagnostic, Problems, Source, Span, did_you_mean, write_excerpt};
pub use symbol::Symbol;
pub use symmetry::{Symmetric, Symmetries};
pub(crate) use symmetry::{exchanged, is_canonical};
pub use term::{Atom, Comparison, Formula, Literal, Mark, Term};
pub use value::Value;

/// Reads one atom.
pub fn parse_atom(text: &str) -> Result<Atom, Problems> {
    let theory = parse_theory("(atom)", &format!("{text}."))?;
    match theory.clauses.as_slice() {
        [clause] if clause.body.is_empty() => Ok(clause.head.clone()),
        _ => Err(Diagnostic::new(&Span::default(), "expected one atom").into()),
    }
}

/// Whether a compound term is an operation, which stands for its value, and not a term of its own.
pub(crate) fn is_operation(name: &str, arity: usize) -> bool {
    matches!((name, arity), ("+" | "*" | "/" | "^" | "min" | "max", 2) | ("-", 1 | 2) | ("abs" | "sqrt", 1))
}
