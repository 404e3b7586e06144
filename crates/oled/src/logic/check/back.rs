//! Looking back: whether conditions that look back in time are well-formed, and within the horizon.

use std::borrow::Cow;

use super::{Check, Role, atoms};
use crate::lang::{Atom, Clause, Diagnostic, Signature, Span, Term};
use crate::logic::aggregate::is_word;
use crate::logic::past::{LOOKS, Look, MOST_FRAMES, Past, Pasts, looks_back, reach, read};

impl Check<'_> {
    /// How far rules may look back must be declared, and they must not look further.
    pub(super) fn horizon(&mut self, rules: &[&Clause]) {
        for rule in rules {
            for atom in atoms(rule) {
                let Ok(Some((look, _))) = read(atom) else { continue };
                let needed = reach(rule, atom, look);
                if needed == 0 && matches!(look, Look::Aggregate(_)) {
                    // It is about now.
                    continue;
                }
                let message = match (self.bias.horizon, look) {
                    (_, Look::FramesAgo(count)) if count > MOST_FRAMES => {
                        format!("`{atom}` looks back more than {MOST_FRAMES} time points")
                    }
                    (None, _) => {
                        let enough = if needed > 1 { needed } else { 50 };
                        let problem = Diagnostic::new(&atom.span, "nothing says how far rules may look back in time");
                        self.report(problem.hint(format!("declare `horizon({enough}).` in modes.lp")));
                        // Once is enough.
                        return;
                    }
                    (Some(horizon), _) if needed > horizon => {
                        format!("`{atom}` looks back {needed} time units, further than the horizon of {horizon}")
                    }
                    _ => continue,
                };
                let hint = match look {
                    Look::FramesAgo(count) if count > MOST_FRAMES => "look back time units with `ago`".to_string(),
                    _ => format!("declare `horizon({needed}).` in modes.lp: memory grows with it"),
                };
                self.report(Diagnostic::new(&atom.span, message).hint(hint));
            }
        }
    }

    /// Each condition that looks back is a predicate of its own.
    pub(super) fn pasts(&mut self, pasts: &Pasts) {
        for (&signature, &past) in pasts {
            self.declare(signature, Role::Past(past), true, &Span::default());
        }
    }

    /// What an atom looks back at, if it does.
    pub(super) fn past(&self, atom: &Atom) -> Option<Past> {
        match self.vocabulary.predicates.get(&Signature::of(atom))?.role {
            Role::Past(past) => Some(past),
            _ => None,
        }
    }

    /// An atom as it is written.
    pub(super) fn written<'a>(&self, atom: &'a Atom) -> Cow<'a, Atom> {
        self.past(atom).map_or(Cow::Borrowed(atom), |past| Cow::Owned(past.written(atom)))
    }

    /// The words that look back are no predicates, so nothing can define or declare them.
    pub(super) fn is_word(&mut self, atom: &Atom, hint: &str) {
        if looks_back(atom) {
            let message = format!("`{}` looks back in time: it is a condition of rules, and no predicate", atom.name);
            self.report(Diagnostic::new(&atom.span, message).hint(hint));
        }
    }

    /// What is looked back at exists and changes.
    pub(super) fn looked_back_at(&mut self, atom: &Atom, past: Past) {
        let inner = past.inner(atom);
        self.known(&inner);
        if self.vocabulary.predicates.get(&past.base).is_some_and(|p| !p.timed) {
            self.report(
                Diagnostic::new(&atom.span, format!("`{}` is the same at all times", past.base))
                    .hint("look back at what depends on a time point: its last argument is the time"),
            );
        }
    }
}

/// A hint for an atom of a time that is not the rule's: an earlier one, `T - 25`, is what `ago` is for.
pub(super) fn instead_of(atom: &Atom) -> Option<String> {
    let Some(Term::App(minus, operands)) = atom.args.last() else { return None };
    let ([time @ Term::Var(_), units @ Term::Value(_)], "-") = (operands.as_slice(), minus.as_str()) else {
        return None;
    };
    let mut now = atom.clone();
    now.args.pop();
    now.args.push(time.clone());
    Some(format!("to look at an earlier time point, write `ago({now}, {units})`"))
}

/// A hint for an unknown predicate that has the name of a condition that looks back.
pub(super) fn form_of(atom: &Atom) -> Option<String> {
    let name = atom.name.as_str();
    let form = match name {
        "ago" | "frames_ago" => format!("`{name}(coords(X, A, B, T), 25)`"),
        _ if is_word(name) => format!("`{name}(V, coords(X, V, _, T), 25, N)`"),
        "last" => "`last(coords(X, A, B, T))`, or `last(coords(X, A, B, T), D)` with its age `D`".to_string(),
        "within" => "`within(happensAt(walking(X), T), 5, 25)`".to_string(),
        _ if LOOKS.contains(&name) => format!("`{name}(happensAt(walking(X), T), D)`"),
        _ => return None,
    };
    Some(format!("a condition that looks back has the form {form}"))
}
