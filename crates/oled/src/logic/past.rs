//! Past: conditions that look back at earlier time points of the segment, turned into predicates of their own.
//!
//! | condition | true if |
//! |---|---|
//! | `ago(coords(X, A, B, T), 25)` | it was true 25 time units ago: at the last time point at or before `T - 25` |
//! | `frames_ago(coords(X, A, B, T), 3)` | it was true three time points ago |
//! | `lasting(close(X, Y, T), D)` | it is true now, and has been at every time point since `D` time units ago |
//! | `since(happensAt(abrupt(X), T), D)` | it was last true `D` time units ago; `0` is now |
//! | `last(coords(X, A, B, T), D)`, or without `D` | it is the last that is known of `X`, from `D` time units ago |
//! | `within(happensAt(abrupt(X), T), 5, 25)` | it was true at some time point between 5 and 25 time units ago |
//!
//! Nothing older than the horizon is looked at. Each condition becomes an atom of a predicate that no text names, with
//! the columns of what it looks back at, and `D` before the time. So everything that works for predicates, from types to
//! plans, works for it; its rows come from the history of the segment. Where a condition is written without `D`, it is `_`.

use std::borrow::Cow;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::aggregate::{self, Aggregate};
use crate::lang::{
    Atom, Clause, Comparison, Diagnostic, Formula, Literal, Signature, Symbol, Term, Value, for_each_hole, is_operation,
};

/// The names of conditions that look back.
pub(crate) const LOOKS: [&str; 6] = ["ago", "frames_ago", "lasting", "since", "last", "within"];

/// At most this many time points are looked back at.
pub(crate) const MOST_FRAMES: i64 = 10_000;

/// How a condition looks back, and at what.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Past {
    /// How it looks back.
    pub look: Look,
    /// What it looks back at.
    pub base: Signature,
}

/// The ways of looking back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Look {
    /// `ago`: so many time units.
    Ago(i64),
    /// `frames_ago`: so many time points.
    FramesAgo(i64),
    /// `lasting`: since when without a break.
    Lasting,
    /// `since`: when it was last true.
    Since,
    /// `last`: what was true last, of the same arguments.
    Last,
    /// `within`: at some time between so many time units ago, the smaller number first.
    Within(i64, i64),
    /// `count` and its like: how many are and were.
    Aggregate(Aggregate),
}

impl Look {
    fn name(self) -> &'static str {
        LOOKS[match self {
            Look::Aggregate(aggregate) => return aggregate.word(),
            Look::Ago(_) => 0,
            Look::FramesAgo(_) => 1,
            Look::Lasting => 2,
            Look::Since => 3,
            Look::Last => 4,
            Look::Within(..) => 5,
        }]
    }

    /// Whether its rows have a column of their own, the time units `D`.
    pub(crate) fn measures(self) -> bool {
        !matches!(self, Look::Ago(_) | Look::FramesAgo(_) | Look::Aggregate(_))
    }
}

/// The predicates that stand for conditions, in the order of their first use.
pub(crate) type Pasts = IndexMap<Signature, Past, FxBuildHasher>;

/// Whether an atom has the form of a condition that looks back.
pub(crate) fn looks_back(atom: &Atom) -> bool {
    let compound = |term: &Term| matches!(term, Term::App(name, args) if !is_operation(name.as_str(), args.len()));
    let form = match atom.name.as_str() {
        "last" => 1..=2,
        "within" => 3..=3,
        _ => 2..=2,
    };
    let looks = LOOKS.contains(&atom.name.as_str()) && form.contains(&atom.args.len()) && compound(&atom.args[0]);
    looks || aggregate::gathers(atom)
}

/// What an atom looks back at, as it is written there, and how; `None` if it does not look back.
pub(crate) fn read(atom: &Atom) -> Result<Option<(Look, Atom)>, Diagnostic> {
    if let Some((aggregate, inner)) = aggregate::read(atom)? {
        return well_formed(atom, inner).map(|inner| Some((Look::Aggregate(aggregate), inner)));
    }
    let [Term::App(name, args), numbers @ ..] = atom.args.as_slice() else { return Ok(None) };
    if !looks_back(atom) {
        return Ok(None);
    }
    let word = atom.name.as_str();
    let wrong = |message: String, hint: &str| Err(Diagnostic::new(&atom.span, message).hint(hint));
    let inner = well_formed(atom, Atom { name: *name, args: args.clone(), span: atom.span.clone() })?;
    let look = match (word, numbers) {
        ("last", []) => Look::Last,
        ("within", [from, to]) => {
            let (&Term::Value(Value::Int(near @ 0..)), &Term::Value(Value::Int(far @ 0..))) = (from, to) else {
                return wrong(
                    format!("`within` takes two whole numbers of time units, not `{from}` and `{to}`"),
                    "how far a rule looks back is the same for all its instances; `since` gives a number that varies",
                );
            };
            if near > far {
                return wrong(
                    format!("`within` takes the smaller number first, and {near} is larger than {far}"),
                    "`within(atom, 5, 25)`: at least 5 time units ago, and at most 25",
                );
            }
            Look::Within(near, far)
        }
        ("ago" | "frames_ago", [measure, ..]) => {
            let Term::Value(Value::Int(count @ 1..)) = *measure else {
                let unit = if word == "ago" { "time units" } else { "time points" };
                return wrong(
                    format!("`{word}` looks back a whole number of {unit}, at least 1, not `{measure}`"),
                    "how far a rule looks back is the same for all its instances; `since` gives a number that varies",
                );
            };
            if word == "ago" { Look::Ago(count) } else { Look::FramesAgo(count) }
        }
        (_, [measure, ..]) => {
            let is_name = matches!(measure, Term::Value(Value::Sym(_)));
            let compound = matches!(measure, Term::App(name, args) if !is_operation(name.as_str(), args.len()));
            if is_name || compound {
                return wrong(
                    format!("the second argument of `{word}` is a number of time units, not `{measure}`"),
                    "give it a variable, and compare that: `D >= 50`",
                );
            }
            match word {
                "lasting" => Look::Lasting,
                "last" => Look::Last,
                _ => Look::Since,
            }
        }
        _ => return Ok(None),
    };
    Ok(Some((look, inner)))
}

/// The atom that another one looks back at, if it is one that can be.
fn well_formed(atom: &Atom, inner: Atom) -> Result<Atom, Diagnostic> {
    let (word, name) = (atom.name.as_str(), inner.name);
    let wrong = |message: String, hint: &str| Err(Diagnostic::new(&atom.span, message).hint(hint));
    if name.as_str() == "not" {
        return wrong(
            format!("`{word}` looks back at an atom, not at a negated one"),
            "put `not` before the whole condition, or give what is not true a name by a rule",
        );
    }
    if looks_back(&inner) {
        return wrong(
            format!("`{word}` looks back at `{name}`, which looks back itself"),
            "give the inner condition a name by a rule, and look back at that",
        );
    }
    if !matches!(inner.args.last(), Some(Term::Var(_))) {
        return wrong(
            format!("`{inner}` does not end in the time of the rule"),
            "look back at an atom as it is written for now: `ago(coords(X, A, B, T), 25)`",
        );
    }
    Ok(inner)
}

/// The rule with an atom of its own predicate for each condition that looks back. Those of a wrong form stay.
pub(crate) fn replace<'r>(rule: &'r Clause, pasts: &mut Pasts) -> Cow<'r, Clause> {
    let looks = |literal: &Literal| matches!(&literal.formula, Formula::Atom(atom) if looks_back(atom));
    if !rule.body.iter().any(looks) {
        return Cow::Borrowed(rule);
    }
    let mut rule = rule.clone();
    for literal in &mut rule.body {
        if let Formula::Atom(atom) = &mut literal.formula
            && let Some((past, plain)) = plain(atom)
        {
            pasts.insert(Signature::of(&plain), past);
            *atom = plain;
        }
    }
    Cow::Owned(rule)
}

/// The atom of its own predicate for a condition that looks back.
pub fn plain(atom: &Atom) -> Option<(Past, Atom)> {
    let (look, inner) = read(atom).ok().flatten()?;
    let base = Signature::of(&inner);
    if let Look::Aggregate(aggregate) = look {
        return Some((Past { look, base }, aggregate::plain(atom, aggregate, &inner)?));
    }
    // No text has such a name. The numbers are part of it, since others give another predicate.
    let numbers = match look {
        Look::Ago(n) | Look::FramesAgo(n) => format!("{n}"),
        Look::Within(near, far) => format!("{near}-{far}"),
        Look::Lasting | Look::Since | Look::Last | Look::Aggregate(_) => String::new(),
    };
    let name = Symbol::new(&format!("{}\0{numbers}\0{}", look.name(), inner.name.as_str()));
    let mut args = inner.args;
    if look.measures() {
        args.insert(args.len() - 1, units(atom, look).cloned().unwrap_or_else(|| Term::var("_")));
    }
    Some((Past { look, base }, Atom { name, args, span: atom.span.clone() }))
}

/// The number of time units `D` of a condition, where it is written.
fn units(atom: &Atom, look: Look) -> Option<&Term> {
    atom.args.get(1).filter(|_| matches!(look, Look::Lasting | Look::Since | Look::Last))
}

/// The predicates that a condition asks for: its own, and what it looks back at.
pub(crate) fn asked_for(atom: &Atom) -> impl Iterator<Item = Signature> + use<> {
    let (own, base) = match plain(atom) {
        Some((past, plain)) => (Signature::of(&plain), Some(past.base)),
        None => (Signature::of(atom), None),
    };
    std::iter::once(own).chain(base)
}

impl Past {
    /// What an atom of such a predicate looks back at, as it is written in the condition.
    pub(crate) fn inner(self, plain: &Atom) -> Atom {
        if let Look::Aggregate(aggregate) = self.look {
            return self.gathered(aggregate, plain);
        }
        let mut terms = Vec::new();
        for_each_hole(&plain.args, &mut |term| terms.push(term.clone()));
        if self.look.measures() {
            terms.remove(terms.len() - 2);
        }
        Atom { span: plain.span.clone(), ..self.base.fill(terms) }
    }

    /// The condition as it is written.
    pub(crate) fn written(self, plain: &Atom) -> Atom {
        if let Look::Aggregate(aggregate) = self.look {
            return self.gathering(aggregate, plain);
        }
        let inner = self.inner(plain);
        let units = || plain.args[plain.args.len() - 2].clone();
        let numbers = match self.look {
            Look::Ago(n) | Look::FramesAgo(n) => vec![Term::Value(Value::Int(n))],
            Look::Within(near, far) => vec![Term::Value(Value::Int(near)), Term::Value(Value::Int(far))],
            Look::Last if units().is_anonymous() => Vec::new(),
            Look::Lasting | Look::Since | Look::Last | Look::Aggregate(_) => vec![units()],
        };
        let args = std::iter::once(Term::App(inner.name, inner.args)).chain(numbers).collect();
        Atom { name: Symbol::new(self.look.name()), args, span: plain.span.clone() }
    }
}

/// How many time units a condition of a rule needs to see, as far as the rule says so: `D >= 50` needs fifty.
pub(crate) fn reach(rule: &Clause, atom: &Atom, look: Look) -> i64 {
    match (look, units(atom, look)) {
        (Look::Ago(n) | Look::Within(_, n), _) => n,
        (Look::FramesAgo(_), _) => 1,
        (Look::Aggregate(aggregate), _) if aggregate.is_throughout() => match aggregate::span(atom) {
            Some(Term::Value(value)) => whole(*value),
            _ => 1,
        },
        (Look::Aggregate(aggregate), _) => aggregate.window.unwrap_or(0),
        (_, Some(Term::Value(value))) => whole(*value),
        (_, Some(measure @ Term::Var(_))) if !measure.is_anonymous() => {
            let needed = rule.body.iter().filter_map(|literal| {
                let Formula::Compare(op, left, right) = &literal.formula else { return None };
                let (limit, more) = match (left, right) {
                    (left, Term::Value(limit)) if left == measure => (*limit, *op == Comparison::Greater),
                    (Term::Value(limit), right) if right == measure => (*limit, *op == Comparison::Less),
                    _ => return None,
                };
                Some(whole(limit).saturating_add(i64::from(more && !literal.negated)))
            });
            needed.max().unwrap_or(1)
        }
        _ => 1,
    }
}

/// The least whole number that is not smaller; none of a name.
fn whole(value: Value) -> i64 {
    value.as_f64().map_or(1, |x| x.ceil() as i64)
}
