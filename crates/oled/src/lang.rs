//! The language: names, values, terms, clauses, declarations, and one parser for all of them.

mod allen;
mod bias;
mod clause;
mod clock;
mod duration;
pub mod ec;
mod escape;
mod exclusive;
mod expires;
mod holds_for;
mod how_many;
mod kind;
mod lone;
mod mode;
mod parse;
mod related;
mod signature;
mod source;
mod symbol;
mod symmetry;
mod term;
mod value;
mod zone;

pub use allen::{Allen, Bounds, Told};
pub use bias::{Bias, Monotone, Threshold};
pub use clause::{Clause, Theory};
pub use clock::{Clock, Unit, read_offset};
pub use duration::{Duration, Durations};
pub(crate) use escape::unescape;
pub use escape::{is_unprintable, printable, quoted};
pub use exclusive::Exclusive;
pub(crate) use exclusive::{about_columns, constants};
pub use kind::{Kind, TypeDeclaration};
pub(crate) use lone::lone_variables;
pub use mode::{MeantFor, Mode, TIME};
pub use parse::{parse_source, parse_theory};
pub use related::{Intervals, Related};
pub(crate) use related::{problems as related_problems, same_fluent};
pub(crate) use signature::Shape;
pub use signature::{Signature, for_each_hole, nearest_path};
pub use source::{Diagnostic, Problems, Source, Span, did_you_mean, write_excerpt};
pub use symbol::Symbol;
pub use symmetry::{Symmetric, Symmetries};
pub(crate) use symmetry::{exchanged, is_canonical};
pub use term::{Atom, Comparison, Formula, Literal, Mark, Term};
pub use value::Value;
pub(crate) use zone::LOCAL_TIME;
pub use zone::Zone;

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
    matches!(
        (name, arity),
        ("+" | "*" | "/" | "//" | "mod" | "^" | "min" | "max" | zone::LOCAL_TIME, 2)
            | ("-", 1 | 2)
            | ("abs" | "sqrt" | clock::TIME_OF_DAY | clock::WEEKDAY, 1)
    )
}
