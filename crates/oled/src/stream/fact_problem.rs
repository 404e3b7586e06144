//! What can be wrong with a ground atom, and what to do about it.

use std::fmt;

use super::scan::MAX_DEPTH;
use crate::lang::{Atom, Kind, Symbol, Value, printable};

/// Why a text is not a ground atom with a time, and at which byte of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactError {
    /// The byte.
    pub at: usize,
    /// What is wrong.
    pub problem: FactProblem,
}

/// What can be wrong with a ground atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactProblem {
    /// It ends too early.
    Truncated,
    /// Something else was expected here.
    Expected(&'static str),
    /// A variable stands where a value must.
    Variable(String),
    /// A number that cannot be represented, or that is none.
    Number(String),
    /// The last argument is no integer.
    NoTime,
    /// Nested too deep.
    TooDeep,
    /// A value is not of the kind that is declared for its place.
    Kind(Box<WrongKind>),
}

/// A value that is not of the kind that is declared for its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongKind {
    /// The value.
    pub value: Value,
    /// The fact.
    pub atom: Atom,
    /// The type of the place.
    pub type_name: Symbol,
    /// What values of that type are.
    pub kind: Kind,
    /// The time of the fact.
    pub time: i64,
}

impl fmt::Display for FactProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactProblem::Truncated => write!(f, "the atom ends too early"),
            FactProblem::Expected(what) => write!(f, "expected {what}"),
            FactProblem::Variable(name) => write!(f, "`{name}` is a variable, and facts have none"),
            FactProblem::Number(text) => write!(f, "`{text}` is not a number that can be represented"),
            FactProblem::NoTime => write!(f, "the last argument is not a time (an integer)"),
            FactProblem::TooDeep => write!(f, "terms may be nested at most {MAX_DEPTH} deep"),
            FactProblem::Kind(wrong) => {
                let WrongKind { value, atom, type_name, kind, .. } = &**wrong;
                write!(
                    f,
                    "`{value}` in `{atom}` is not {}, as every `{}` is",
                    kind.noun(),
                    printable(type_name.as_str())
                )
            }
        }
    }
}

impl FactProblem {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            FactProblem::Truncated => "close all brackets and quotes",
            FactProblem::Expected(_) => "facts look like `happensAt(walking(id1), 680)`",
            FactProblem::Variable(_) => "constants start with a lower-case letter, or stand in quotes: 'Id1'",
            FactProblem::Number(_) => {
                "integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter"
            }
            FactProblem::NoTime => "each atom of a stream ends in the time point it belongs to",
            FactProblem::TooDeep => "flatten the term",
            FactProblem::Kind(_) => {
                "leave the fact out where nothing was measured, or declare another type in modes.lp; the option `lenient` leaves such facts out"
            }
        }
    }
}
