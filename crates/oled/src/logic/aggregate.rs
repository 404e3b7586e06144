//! Aggregate: how many, and sums, least, largest and mean values, of what is true now or was within a window.
//!
//! | condition | `N` is |
//! |---|---|
//! | `count(happensAt(failed(U, _), T), 60, N)` | how many failures of `U` there were, up to 60 time units ago |
//! | `count(C, happensAt(failed(U, C), T), 60, N)` | of how many different `C` |
//! | `sum(V, load(M, V, T), 60, N)`, and so `min`, `max` and `mean` | what the loads of `M` add up to |
//! | `never_below(V, load(M, V, T), 60, N)`, and so `never_above` | what the load of `M` was at least, at every time point |
//!
//! Without a number of time units it is about now. What has a name is what is counted *for*; `_`, and the value that is
//! gathered, are what is counted. Where nothing is there to count, there is no `N`. Each such condition is a predicate of its
//! own, as others that look back are, with a column for each argument that has a name.
//!
//! The last two go back to the last time point that is at least so many time units ago, and know nothing where one in between
//! has no row: `never_below(V, load(M, V, T), 60, N), N >= 0.8` says the same as `lasting`, for sixty time units, of a load of
//! at least 0.8. Their number of time units is a column too, so that it can be an open one.

use super::past::Past;
use crate::lang::{Atom, Diagnostic, Signature, Symbol, Term, Value, for_each_hole, is_operation};

/// What is made of the rows of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `count`: how many rows, or different values.
    Count,
    /// `sum`
    Sum,
    /// `min`
    Min,
    /// `max`
    Max,
    /// `mean`
    Mean,
    /// `never_below`: the least over time of what is largest at each time point.
    NeverBelow,
    /// `never_above`: the largest over time of what is least at each time point.
    NeverAbove,
}

const WORDS: [(&str, Operation); 7] = [
    ("count", Operation::Count),
    ("sum", Operation::Sum),
    ("min", Operation::Min),
    ("max", Operation::Max),
    ("mean", Operation::Mean),
    ("never_below", Operation::NeverBelow),
    ("never_above", Operation::NeverAbove),
];

/// How rows are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Aggregate {
    /// What is made of them.
    pub operation: Operation,
    /// The column of the values, if there is one.
    pub value: Option<usize>,
    /// The columns that do not tell groups apart, one bit each.
    pub local: u64,
    /// How many time units back, from now on; `None` for now only, and where they are a column.
    pub window: Option<i64>,
}

/// As many columns have a bit.
const MOST_COLUMNS: usize = 64;

impl Aggregate {
    pub(super) fn word(self) -> &'static str {
        WORDS.iter().find(|(_, operation)| *operation == self.operation).map_or("count", |(word, _)| word)
    }

    /// Whether it matters how often a row is there, and not only that it is.
    pub fn is_by_number(self) -> bool {
        match self.operation {
            Operation::Count => self.value.is_none(),
            Operation::Sum | Operation::Mean => true,
            Operation::Min | Operation::Max | Operation::NeverBelow | Operation::NeverAbove => false,
        }
    }

    /// Whether it is about all time points for so long, and has a column that says how long.
    pub fn is_throughout(self) -> bool {
        matches!(self.operation, Operation::NeverBelow | Operation::NeverAbove)
    }

    /// Whether a column tells groups apart.
    pub fn groups(self, column: usize) -> bool {
        self.local >> column & 1 == 0
    }
}

/// A condition that gathers, taken apart.
struct Form<'a> {
    value: Option<&'a Term>,
    inner: (Symbol, &'a [Term]),
    window: Option<&'a Term>,
    result: &'a Term,
}

fn form(atom: &Atom) -> Option<Form<'_>> {
    let word = atom.name.as_str();
    if !WORDS.iter().any(|(w, _)| *w == word) {
        return None;
    }
    let (value, rest) = match atom.args.as_slice() {
        [value @ Term::Var(_), rest @ ..] => (Some(value), rest),
        rest => (None, rest),
    };
    let (first, rest) = rest.split_first()?;
    let Term::App(name, args) = first else { return None };
    if is_operation(name.as_str(), args.len()) {
        return None;
    }
    let inner = (*name, args.as_slice());
    match rest {
        [result] => Some(Form { value, inner, window: None, result }),
        [window, result] => Some(Form { value, inner, window: Some(window), result }),
        _ => None,
    }
}

/// Whether an atom has the form of a condition that gathers.
pub(super) fn gathers(atom: &Atom) -> bool {
    form(atom).is_some()
}

/// Whether a word begins such a condition.
pub(super) fn is_word(word: &str) -> bool {
    WORDS.iter().any(|(w, _)| *w == word)
}

/// What an atom gathers, and how; `None` if it does not.
pub(super) fn read(atom: &Atom) -> Result<Option<(Aggregate, Atom)>, Diagnostic> {
    let Some(form) = form(atom) else { return Ok(None) };
    let word = atom.name.as_str();
    let wrong = |message: String, hint: &str| Err(Diagnostic::new(&atom.span, message).hint(hint));
    let operation = WORDS.iter().find(|(w, _)| *w == word).map_or(Operation::Count, |(_, operation)| *operation);
    let inner = Atom { name: form.inner.0, args: form.inner.1.to_vec(), span: atom.span.clone() };
    let throughout = matches!(operation, Operation::NeverBelow | Operation::NeverAbove);
    let window = match form.window {
        Some(Term::Value(Value::Int(1..)) | Term::Var(_)) if throughout => None,
        None if throughout => {
            return wrong(
                format!("`{word}` does not say for how long"),
                "write a number of time units before the result: `never_below(V, load(M, V, T), 60, N)`",
            );
        }
        None => None,
        Some(Term::Value(Value::Int(units @ 1..))) => Some(*units),
        Some(other) => {
            return wrong(
                format!("`{word}` looks back a whole number of time units, at least 1, not `{other}`"),
                "how far a rule looks back is the same for all its instances: `count(happensAt(failed(U, _), T), 60, N)`",
            );
        }
    };
    let mut holes = Vec::new();
    for_each_hole(&inner.args, &mut |term| holes.push(term));
    holes.pop();
    if holes.len() > MOST_COLUMNS {
        return wrong(
            format!("`{word}` is about more than {MOST_COLUMNS} arguments"),
            "give a part of them a name by a rule",
        );
    }
    let places: Vec<usize> = (0..holes.len()).filter(|i| form.value == Some(holes[*i])).collect();
    let value = match (form.value, places.as_slice()) {
        (None, _) if operation == Operation::Count => None,
        (None, _) => {
            return wrong(
                format!("`{word}` does not say of which values"),
                "name the value first: `sum(V, load(M, V, T), 60, N)`",
            );
        }
        (Some(_), [place]) => Some(*place),
        (Some(value), _) => {
            return wrong(
                format!("the value `{value}` of `{word}` must stand once in `{inner}`"),
                "name one of its arguments: `sum(V, load(M, V, T), 60, N)`",
            );
        }
    };
    let is_local = |i: &usize| holes[*i].is_anonymous() || value == Some(*i);
    let local = (0..holes.len()).filter(is_local).fold(0, |bits, i| bits | 1 << i);
    Ok(Some((Aggregate { operation, value, local, window }, inner)))
}

/// The atom of its own predicate: what it is counted for, how many, and the time.
pub(super) fn plain(atom: &Atom, aggregate: Aggregate, inner: &Atom) -> Option<Atom> {
    let base = Signature::of(inner);
    let Aggregate { value, local, window, .. } = aggregate;
    // No text has such a name.
    let name = Symbol::new(&format!("{}\0{value:?} {local} {window:?}\0{base}", aggregate.word()));
    let mut holes = Vec::new();
    for_each_hole(&inner.args, &mut |term| holes.push(term.clone()));
    let time = holes.pop()?;
    let groups = holes.into_iter().enumerate().filter(|(i, _)| aggregate.groups(*i)).map(|(_, term)| term);
    let form = form(atom)?;
    let span = form.window.filter(|_| aggregate.is_throughout()).cloned();
    let args = groups.chain(span).chain([form.result.clone(), time]).collect();
    Some(Atom { name, args, span: atom.span.clone() })
}

/// For how long something must have been so throughout, as it is written.
pub(super) fn span(atom: &Atom) -> Option<&Term> {
    let throughout = matches!(atom.name.as_str(), "never_below" | "never_above");
    form(atom).and_then(|form| form.window).filter(|_| throughout)
}

impl Past {
    /// What an atom of such a predicate gathers, as it is written.
    pub(super) fn gathered(self, aggregate: Aggregate, plain: &Atom) -> Atom {
        let columns = self.base.arity() - 1;
        let mut groups = plain.args.iter();
        let terms: Vec<Term> = (0..columns)
            .map(|column| match groups.clone().next() {
                _ if aggregate.value == Some(column) => Term::var("V"),
                Some(group) if aggregate.groups(column) => {
                    groups.next();
                    group.clone()
                }
                _ => Term::var("_"),
            })
            .collect();
        let time = plain.args.last().cloned();
        Atom { span: plain.span.clone(), ..self.base.fill(terms.into_iter().chain(time)) }
    }

    /// The whole condition.
    pub(super) fn gathering(self, aggregate: Aggregate, plain: &Atom) -> Atom {
        let inner = self.gathered(aggregate, plain);
        let value = aggregate.value.map(|_| Term::var("V"));
        let span = || plain.args[plain.args.len() - 3].clone();
        let window = aggregate.window.map(|units| Term::Value(Value::Int(units)));
        let window = window.or_else(|| aggregate.is_throughout().then(span));
        let result = plain.args[plain.args.len() - 2].clone();
        let args = value.into_iter().chain([Term::App(inner.name, inner.args)]).chain(window).chain([result]);
        Atom { name: Symbol::new(aggregate.word()), args: args.collect(), span: plain.span.clone() }
    }

    /// The types of its columns, from those of what it looks back at.
    pub(super) fn types(self, base: &[Option<Symbol>]) -> Vec<Option<Symbol>> {
        let (mut types, time) = (base.to_vec(), base.last().copied().flatten());
        match self.look {
            super::past::Look::Aggregate(aggregate) => {
                types.pop();
                let of_value = aggregate.value.and_then(|column| types.get(column).copied().flatten());
                let result = match aggregate.operation {
                    Operation::Count => Some(Symbol::new("int")),
                    Operation::Sum | Operation::Mean => Some(Symbol::new("real")),
                    Operation::Min | Operation::Max | Operation::NeverBelow | Operation::NeverAbove => of_value,
                };
                let span = aggregate.is_throughout().then(|| Some(Symbol::new("int")));
                let groups = types.into_iter().enumerate().filter(|(i, _)| aggregate.groups(*i)).map(|(_, kind)| kind);
                groups.chain(span).chain([result, time]).collect()
            }
            look => {
                if look.measures() {
                    types.insert(types.len().saturating_sub(1), Some(Symbol::new("int")));
                }
                types
            }
        }
    }
}
