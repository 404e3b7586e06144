//! The Event Calculus: inertia, and the intervals it makes.
//!
//! ```text
//! holdsAt(F, T+1) :- initiatedAt(F, T).
//! holdsAt(F, T+1) :- holdsAt(F, T), not terminatedAt(F, T).
//! ```
//!
//! T+1 is the next observed time point of the segment. Initiation wins where both apply. A fluent with values
//! (`speed(V)=low`) is also terminated by the initiation of another value. Beyond the axioms, a fluent ends when one of
//! the entities it speaks of is no longer observed, or it is no candidate, and with its segment.

use std::fmt;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::lang::ec::{HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED, UNKNOWN};
use crate::lang::{Atom, Signature, Symbol, Term, Value, is_canonical};
use crate::logic::Relation;

/// A maximal run of time points at which a fluent holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// The segment.
    pub segment: Symbol,
    /// `holdsAt(meeting(_, _), _)`.
    pub signature: Signature,
    /// The fluent's values, `id1` and `id2` of `meeting(id1, id2)`.
    pub values: Box<[Value]>,
    /// The first time point at which it holds.
    pub first: i64,
    /// The last time point at which it holds.
    pub last: i64,
    /// Why it ends there.
    pub end: End,
}

/// Why an interval ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// A rule terminated it.
    Terminated,
    /// One of its entities was no longer observed, or it was no candidate.
    Lost,
    /// The segment ended.
    Segment,
    /// It has not ended: it held at the last time point seen.
    Open,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Terminated => "terminated",
            End::Lost => "lost",
            End::Segment => "segment",
            End::Open => "open",
        })
    }
}

impl Interval {
    /// The fluent as a term: `meeting(id1, id2)`.
    pub fn fluent(&self) -> Term {
        fluent(self.signature, &self.values)
    }
}

/// What the annotation says of a fluent between one time point and the next: the only thing that learning knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It holds at neither.
    Absent,
    /// It holds at the next only.
    Begins,
    /// It holds at the first only.
    Ends,
    /// It holds at both.
    Persists,
}

impl Outcome {
    /// All outcomes, in the order of their counters.
    pub const ALL: [Outcome; 4] = [Outcome::Absent, Outcome::Begins, Outcome::Ends, Outcome::Persists];

    /// The outcome of holding now and holding next.
    pub fn new(now: bool, next: bool) -> Outcome {
        Outcome::ALL[2 * usize::from(now) + usize::from(next)]
    }

    /// Whether the fluent holds at the next time point.
    pub fn holds_next(self) -> bool {
        matches!(self, Outcome::Begins | Outcome::Persists)
    }
}

/// Whether a predicate is none of the Event Calculus: `in_danger(_, _)`, which rules define at each time point.
pub fn is_ordinary(signature: Signature) -> bool {
    !matches!(signature.name().as_str(), HOLDS | HAPPENS | INITIATED | TERMINATED | INITIALLY | UNKNOWN)
}

/// What a label is about, as a term: the fluent of a `holdsAt`, and `in_danger(p1)` of `in_danger(p1, T)`.
pub fn fluent(signature: Signature, values: &[Value]) -> Term {
    let terms = values.iter().copied().chain([Value::Int(0)]).map(Term::Value);
    let mut atom = signature.fill(terms);
    if !is_ordinary(signature) {
        return atom.args.swap_remove(0);
    }
    atom.args.pop();
    if atom.args.is_empty() { Term::Value(Value::Sym(atom.name)) } else { Term::App(atom.name, atom.args) }
}

/// The name of what a label is about: `meeting` of `holdsAt(meeting(_, _), _)`, `in_danger` of `in_danger(_, _)`; none for
/// `holdsAt(_, _)`, which all fluents without arguments share.
pub fn label_name(signature: Signature) -> Option<Symbol> {
    if is_ordinary(signature) { Some(signature.name()) } else { signature.inner_name() }
}

/// The same, of an instance.
pub fn fluent_name(signature: Signature, values: &[Value]) -> Symbol {
    match (label_name(signature), values.first()) {
        (Some(name), _) => name,
        // A fluent without arguments is its own name.
        (None, Some(Value::Sym(name))) => *name,
        (None, value) => Symbol::new(&value.map(ToString::to_string).unwrap_or_default()),
    }
}

/// The annotation that says that nothing is known: `unknown(meeting(_, _), _)` of a fluent, `unknown(fraud(_), _)` of an
/// ordinary predicate.
pub fn unknown(label: Signature) -> Signature {
    if !is_ordinary(label) {
        return label.renamed(UNKNOWN);
    }
    let arguments = vec![Term::var("X"); label.arity() - 1];
    let inner = Term::App(label.name(), arguments);
    Signature::of(&Atom::new(UNKNOWN, vec![inner, Term::var("T")]))
}

/// What the arguments of a fluent mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// What they say.
    Plain,
    /// The last one is the fluent's value, of which there is one at a time.
    Valued,
    /// There are two, and their order does not matter.
    Symmetric,
}

impl Form {
    /// Whether an instance is the one that stands for all that mean the same.
    pub(crate) fn keeps(self, values: &[Value]) -> bool {
        self != Form::Symmetric || is_canonical(values)
    }
}

/// The instances of one fluent that hold, in one segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Instances {
    held: IndexMap<Box<[Value]>, Held, FxBuildHasher>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Held {
    /// Since when; `None` for what was initiated at the last time point and holds from the next.
    since: Option<i64>,
    /// Whether it was terminated at the last time point.
    ends: bool,
}

impl Instances {
    /// Goes to the time point after the one whose effects were applied: what was initiated starts to hold, what was
    /// terminated is forgotten, and what is no longer observed ends (at `last`, the time point before).
    pub(crate) fn advance(
        &mut self,
        time: i64,
        observed: impl Fn(&[Value]) -> bool,
        mut lost: impl FnMut(&[Value], i64),
    ) {
        self.held.retain(|values, held| {
            if held.ends {
                return false;
            }
            if !observed(values) {
                if let Some(since) = held.since {
                    lost(values, since);
                }
                return false;
            }
            held.since.get_or_insert(time);
            true
        });
    }

    /// Ends what was advanced to a time point and is not to hold there.
    pub(crate) fn keep(&mut self, time: i64, is_kept: impl Fn(&[Value]) -> bool, mut lost: impl FnMut(&[Value], i64)) {
        self.held.retain(|values, held| {
            if is_kept(values) {
                return true;
            }
            // What begins here has never held.
            if let Some(since) = held.since.filter(|since| *since < time) {
                lost(values, since);
            }
            false
        });
    }

    /// Makes an instance hold from the time point that is advanced to next.
    pub(crate) fn initiate(&mut self, values: &[Value]) {
        if !self.held.contains_key(values) {
            self.held.insert(values.into(), Held { since: None, ends: false });
        }
    }

    /// Makes an instance hold at a time, unless it does already.
    fn start(&mut self, values: &[Value], time: i64) {
        if let Some(held) = self.held.get_mut(values) {
            held.since.get_or_insert(time);
        } else {
            self.held.insert(values.into(), Held { since: Some(time), ends: false });
        }
    }

    /// Applies the axioms: decides what holds at the next time point. `ended` is told of what ends at this one.
    /// Of a symmetric fluent both have both orders of each row.
    pub(crate) fn apply(
        &mut self,
        initiated: &Relation,
        terminated: &Relation,
        form: Form,
        mut ended: impl FnMut(&[Value], i64),
    ) {
        let valued = form == Form::Valued;
        if !terminated.is_empty() || valued && !initiated.is_empty() {
            for (values, held) in &mut self.held {
                let ends = || terminated.contains(values) || valued && other_value(initiated, values);
                if ends() && !initiated.contains(values) {
                    held.ends = true;
                    ended(values, held.since.expect("what was advanced to this time point holds"));
                }
            }
        }
        initiated.rows().filter(|values| form.keeps(values)).for_each(|values| self.initiate(values));
    }

    /// For fluents that rules derive at each time point: what holds is what was derived.
    pub(crate) fn replace(&mut self, derived: &Relation, form: Form, time: i64, mut ended: impl FnMut(&[Value], i64)) {
        self.held.retain(|values, held| {
            // What other rules ended, before those that derive it took over, has been told.
            if held.ends {
                return false;
            }
            let holds = derived.contains(values);
            if let (false, Some(since)) = (holds, held.since) {
                ended(values, since);
            }
            holds
        });
        derived.rows().filter(|values| form.keeps(values)).for_each(|values| self.start(values, time));
    }

    /// What holds at the time point advanced to, with the time since when; what ends there included.
    pub(crate) fn holding(&self) -> impl Iterator<Item = (&[Value], i64)> {
        self.held.iter().filter_map(|(values, held)| held.since.map(|since| (&**values, since)))
    }

    /// Whether all instances have so many values.
    pub(crate) fn is_of_width(&self, width: usize) -> bool {
        self.held.keys().all(|values| values.len() == width)
    }

    /// What holds, without what was terminated at the last time point.
    pub(crate) fn open(&self) -> impl Iterator<Item = (&[Value], i64)> {
        self.held.iter().filter(|(_, h)| !h.ends).filter_map(|(values, h)| h.since.map(|since| (&**values, since)))
    }

    /// Whether an instance holds at the time point advanced to.
    pub(crate) fn holds(&self, values: &[Value]) -> bool {
        self.held.get(values).is_some_and(|h| h.since.is_some())
    }
}

/// Whether another value of the same fluent is initiated.
fn other_value(initiated: &Relation, values: &[Value]) -> bool {
    let Some((value, key)) = values.split_last() else { return false };
    initiated.rows().any(|row| row.split_last().is_some_and(|(v, k)| k == key && v != value))
}
