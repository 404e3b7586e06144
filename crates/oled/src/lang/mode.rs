//! Modes: atoms with place markers, which say what comes with a stream and what rules may be made of.

use std::fmt;

use super::ec::{HOLDS, INITIATED, TERMINATED};
use super::{Atom, Diagnostic, Signature, Span, Symbol, Term, Value, for_each_hole};

/// An atom with place markers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mode {
    /// Whether the literal is negated.
    pub negated: bool,
    /// The atom, with a place marker or a constant in each argument.
    pub atom: Atom,
    /// The heads that a condition is meant for; all if there are none.
    pub heads: Vec<MeantFor>,
}

impl Mode {
    /// The relation.
    pub fn signature(&self) -> Signature {
        Signature::of(&self.atom)
    }

    /// The markers and constants, from left to right.
    pub fn holes(&self) -> Vec<&Term> {
        let mut holes = Vec::new();
        for_each_hole(&self.atom.args, &mut |t| holes.push(t));
        holes
    }

    /// The type of each hole; `None` where a constant stands.
    pub fn types(&self) -> Vec<Option<Symbol>> {
        self.holes().into_iter().map(|t| if let Term::Mark(_, kind) = t { Some(*kind) } else { None }).collect()
    }

    /// Whether the last argument is a time.
    pub fn is_timed(&self) -> bool {
        matches!(self.atom.args.last(), Some(Term::Mark(_, kind)) if kind.as_str() == TIME)
    }
}

/// As it stands in a declaration: `not happensAt(active(+person), +time), for(meeting)`.
impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.negated { "not " } else { "" }, self.atom)?;
        if self.heads.is_empty() {
            return Ok(());
        }
        let heads: Vec<String> = self.heads.iter().map(MeantFor::to_string).collect();
        write!(f, ", for({})", heads.join(", "))
    }
}

/// The type of time points.
pub const TIME: &str = "time";

/// The heads of a fluent or predicate, or one of them, that a condition is meant for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeantFor {
    /// `initiatedAt`, `terminatedAt` or `holdsAt`; all heads of the fluent if `None`.
    pub act: Option<Symbol>,
    /// The name of the fluent, or of the predicate.
    pub name: Symbol,
}

impl MeantFor {
    /// Whether a head is among those meant.
    pub fn has(&self, head: &Atom) -> bool {
        self.act.is_none_or(|act| act == head.name) && target_of(head) == self.name
    }

    /// The head as a term of `for`: `meeting`, or `initiatedAt(meeting)`.
    pub(super) fn of(term: &Term) -> Option<MeantFor> {
        let is_act = |name: &Symbol| ACTS.contains(&name.as_str());
        match term {
            Term::Value(Value::Sym(name)) => Some(MeantFor { act: None, name: *name }),
            Term::App(act, args) if is_act(act) => match args.as_slice() {
                [Term::App(name, none)] if none.is_empty() => Some(MeantFor { act: Some(*act), name: *name }),
                _ => None,
            },
            _ => None,
        }
    }
}

impl fmt::Display for MeantFor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.act {
            Some(act) => write!(f, "{act}({})", self.name),
            None => write!(f, "{}", self.name),
        }
    }
}

/// What heads of fluents may do.
pub(super) const ACTS: [&str; 3] = [INITIATED, TERMINATED, HOLDS];

/// What people call the target of a head: the name of its fluent, or of its predicate.
pub(super) fn target_of(head: &Atom) -> Symbol {
    Signature::of(head).inner_name().unwrap_or(head.name)
}

/// The mode that a term of a declaration is.
pub(super) fn mode(term: &Term, span: &Span) -> Result<Mode, Diagnostic> {
    let (negated, term) = match term {
        Term::App(name, args) if name.as_str() == "not" => (true, &args[0]),
        term => (false, term),
    };
    let Term::App(name, args) = term else {
        return Err(Diagnostic::new(
            span,
            "expected an atom with place markers, such as `happensAt(walking(+person), +time)`",
        ));
    };
    // The span of the atom is the part of the declaration behind its keyword.
    let atom = Atom { name: *name, args: args.clone(), span: span.clone() };
    let mut wrong = None;
    for_each_hole(&atom.args, &mut |t| {
        if matches!(t, Term::Var(_) | Term::App(..)) && wrong.is_none() {
            wrong = Some(t.clone());
        }
    });
    match wrong {
        Some(term) => {
            let problem = Diagnostic::new(&span.find_word(&term.to_string()), format!("`{term}` is no place marker"));
            Err(match &term {
                // `-Machine` reads like a number with its sign turned.
                Term::App(minus, args) if minus.as_str() == "-" && matches!(args.as_slice(), [Term::Var(_)]) => {
                    problem.hint(format!("types start with a lower-case letter: `{}`", term.to_string().to_lowercase()))
                }
                _ => problem.hint("write `+type` for a known variable, `-type` for a new one, `#type` for a constant"),
            })
        }
        None => Ok(Mode { negated, atom, heads: Vec::new() }),
    }
}

/// Refuses a mode that is negated.
pub(super) fn positive(mode: Mode) -> Result<Mode, Diagnostic> {
    if mode.negated {
        return Err(
            Diagnostic::new(&mode.atom.span, "only body declarations may be negated").hint("use `modeb(not …)`")
        );
    }
    Ok(mode)
}

/// Refuses a mode whose last argument is no time.
pub(super) fn timed(mode: Mode) -> Result<Mode, Diagnostic> {
    if !mode.is_timed() {
        return Err(Diagnostic::new(&mode.atom.span, format!("the last argument of `{}` is not a time", mode.atom))
            .hint("what comes with the stream ends in `+time`; what never changes is a fact in background.lp"));
    }
    Ok(mode)
}
