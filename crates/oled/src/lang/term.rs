//! Terms, atoms and literals, and how they are printed.

use std::fmt;

use super::{Span, Symbol, Value};

/// What stands in an argument.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    /// A variable such as `X`; the name `_` is anonymous: each occurrence is a variable of its own.
    Var(Symbol),
    /// A constant.
    Value(Value),
    /// A compound term such as `walking(X)`, or an operation such as `X + 1` (name `+`).
    App(Symbol, Vec<Term>),
    /// A place marker of a mode declaration such as `+person`.
    Mark(Mark, Symbol),
}

/// The three kinds of place markers in mode declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// `+type`: a variable that is known already.
    Input,
    /// `-type`: a variable that the literal introduces.
    Output,
    /// `#type`: a constant.
    Constant,
}

impl Term {
    /// A variable.
    pub fn var(name: &str) -> Term {
        Term::Var(Symbol::new(name))
    }

    /// Calls `f` with each variable, anonymous ones included, from left to right.
    pub fn for_each_var(&self, f: &mut impl FnMut(Symbol)) {
        match self {
            Term::Var(name) => f(*name),
            Term::App(_, args) => args.iter().for_each(|a| a.for_each_var(f)),
            Term::Value(_) | Term::Mark(..) => {}
        }
    }

    /// Whether this is the anonymous variable `_`.
    pub fn is_anonymous(&self) -> bool {
        matches!(self, Term::Var(name) if name.as_str() == "_")
    }
}

/// A predicate applied to terms, such as `happensAt(walking(X), T)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Atom {
    /// The predicate's name.
    pub name: Symbol,
    /// The arguments.
    pub args: Vec<Term>,
    /// Where it was read.
    pub span: Span,
}

impl Atom {
    /// An atom that no text was read for.
    pub fn new(name: &str, args: Vec<Term>) -> Atom {
        Atom { name: Symbol::new(name), args: super::ec::with_fluent(name, args), span: Span::default() }
    }

    /// Calls `f` with each variable from left to right.
    pub fn for_each_var(&self, f: &mut impl FnMut(Symbol)) {
        self.args.iter().for_each(|a| a.for_each_var(f));
    }
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `=`: also gives a value to a variable that has none.
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that is true where this one is false.
    #[must_use]
    pub fn negated(self) -> Comparison {
        match self {
            Comparison::Equal => Comparison::NotEqual,
            Comparison::NotEqual => Comparison::Equal,
            Comparison::Less => Comparison::GreaterOrEqual,
            Comparison::LessOrEqual => Comparison::Greater,
            Comparison::Greater => Comparison::LessOrEqual,
            Comparison::GreaterOrEqual => Comparison::Less,
        }
    }

    /// The comparison with its sides exchanged.
    #[must_use]
    pub fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            same => same,
        }
    }

    /// As it is written.
    pub fn as_str(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

/// What a literal says, before negation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// An atom is true.
    Atom(Atom),
    /// Two values compare.
    Compare(Comparison, Term, Term),
}

/// One condition of a body.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// Whether `not` stands before it.
    pub negated: bool,
    /// The condition.
    pub formula: Formula,
    /// Where it was read.
    pub span: Span,
}

impl Literal {
    /// A positive literal that no text was read for.
    pub fn positive(atom: Atom) -> Literal {
        Literal { negated: false, span: atom.span.clone(), formula: Formula::Atom(atom) }
    }

    /// Calls `f` with each variable from left to right.
    pub fn for_each_var(&self, f: &mut impl FnMut(Symbol)) {
        match &self.formula {
            Formula::Atom(atom) => atom.for_each_var(f),
            Formula::Compare(_, left, right) => {
                left.for_each_var(f);
                right.for_each_var(f);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Printing. A printed term is read back as the same term: brackets stand where, and only where, they are needed.

/// How tightly an operator binds; larger is tighter. `None` for names that are written as functions.
pub(crate) fn precedence(name: &str, arity: usize) -> Option<u8> {
    match (name, arity) {
        ("=", 2) => Some(1),
        ("+" | "-", 2) => Some(2),
        ("*" | "/" | "//", 2) => Some(3),
        ("-", 1) => Some(4),
        ("^", 2) => Some(5),
        _ => None,
    }
}

impl Term {
    /// Whether this begins with a name or with a number that has no sign of its own.
    fn starts_with_constant(&self) -> bool {
        match self {
            Term::Value(v) => v.as_f64().is_none_or(|x| x >= 0.0),
            Term::App(name, args) if args.len() == 2 && precedence(name.as_str(), 2).is_some() => {
                args[0].starts_with_constant()
            }
            _ => false,
        }
    }

    /// Whether `-` before this is read as it is meant: `-2^X` is `-(2^X)`.
    fn is_power_of_number(&self) -> bool {
        let positive = |base: &Term| matches!(base, Term::Value(v) if v.as_f64().is_some_and(|x| x > 0.0));
        matches!(self, Term::App(name, args) if name.as_str() == "^" && args.len() == 2 && positive(&args[0]))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>, at_least: u8) -> fmt::Result {
        let Term::App(name, args) = self else {
            return match self {
                Term::Var(name) => f.write_str(name.as_str()),
                // A negative number binds like a negation: (-2)^2, not -2^2.
                Term::Value(v) if at_least > 4 && v.as_f64().is_some_and(|x| x < 0.0) => write!(f, "({v})"),
                Term::Value(v) => write!(f, "{v}"),
                Term::Mark(mark, kind) => write!(f, "{}{kind}", mark.as_char()),
                Term::App(..) => unreachable!("handled above"),
            };
        };
        let Some(level) = precedence(name.as_str(), args.len()) else {
            if name.as_str() == "not" {
                f.write_str("not ")?;
                return args[0].write(f, 0);
            }
            write!(f, "{name}")?;
            return write_args(f, args);
        };
        if level < at_least {
            f.write_str("(")?;
        }
        match args.as_slice() {
            [only] => {
                f.write_str("-")?;
                // -2 would be read as a number, and -a as a place marker.
                if only.starts_with_constant() && !only.is_power_of_number() {
                    write!(f, "({only})")?;
                } else {
                    // No bracket that the text had not: what was read is not too deep when it is printed.
                    only.write(f, level)?;
                }
            }
            [left, right] => {
                // All operators group to the left but `^`, which groups to the right, and `=`, which does not group.
                let (l, r) = if name.as_str() == "^" { (level + 1, 4) } else { (level, level + 1) };
                left.write(f, if level == 1 { 2 } else { l })?;
                if level == 1 || level == 5 {
                    f.write_str(name.as_str())?;
                } else {
                    write!(f, " {} ", name.as_str())?;
                }
                right.write(f, r)?;
            }
            _ => unreachable!("operators have one or two arguments"),
        }
        if level < at_least {
            f.write_str(")")?;
        }
        Ok(())
    }
}

impl Mark {
    fn as_char(self) -> char {
        match self {
            Mark::Input => '+',
            Mark::Output => '-',
            Mark::Constant => '#',
        }
    }
}

fn write_args(f: &mut fmt::Formatter<'_>, args: &[Term]) -> fmt::Result {
    if args.is_empty() {
        return Ok(());
    }
    for (i, arg) in args.iter().enumerate() {
        f.write_str(if i == 0 { "(" } else { ", " })?;
        arg.write(f, 0)?;
    }
    f.write_str(")")
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl fmt::Display for Atom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        write_args(f, &self.args)
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("not ")?;
        }
        match &self.formula {
            Formula::Atom(atom) => write!(f, "{atom}"),
            Formula::Compare(op, left, right) => {
                left.write(f, 2)?;
                write!(f, " {} ", op.as_str())?;
                right.write(f, 2)
            }
        }
    }
}
