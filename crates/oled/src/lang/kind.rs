//! Kinds: what values types have.

use super::{Span, Symbol, Value};

/// What kind of values a type has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDeclaration {
    /// The type.
    pub name: Symbol,
    /// Its values.
    pub kind: Kind,
    /// Where it was declared.
    pub span: Span,
}

/// Kinds of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Names.
    Symbol,
    /// Integers.
    Int,
    /// Numbers.
    Real,
    /// Whatever the stream has.
    Any,
}

impl Kind {
    /// Whether a constant is of this kind.
    pub fn has(self, value: Value) -> bool {
        match self {
            Kind::Symbol => matches!(value, Value::Sym(_)),
            // A real number that is whole is the integer of that value: `2.0` is `2`.
            Kind::Int => value.as_f64().is_some_and(|number| value == Value::Int(number as i64)),
            Kind::Real => value.as_f64().is_some(),
            Kind::Any => true,
        }
    }

    /// What its values are, for messages.
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Symbol => "a name",
            Kind::Int => "a whole number",
            Kind::Real => "a number",
            Kind::Any => "a value",
        }
    }

    /// Whether the kind is one of numbers, over which nobody ranges.
    pub fn is_number(self) -> bool {
        matches!(self, Kind::Int | Kind::Real)
    }
}
