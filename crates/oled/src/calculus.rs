//! The Event Calculus: inertia, and the intervals it makes.
//!
//! ```text
//! holdsAt(F, T+1) :- initiatedAt(F, T).
//! holdsAt(F, T+1) :- holdsAt(F, T), not terminatedAt(F, T).
//! ```
//!
//! T+1 is the next observed time point of the segment. Initiation wins where both apply, unless a task says that
//! termination does ([`Precedence`]); then the first axiom has `not terminatedAt(F, T)` too. A fluent with values
//! (`speed(V)=low`) is also terminated by the initiation of another value. Beyond the axioms, a fluent ends when one of
//! the entities it speaks of is no longer observed, or it is no candidate, and with its segment.

use std::fmt;
use std::str::FromStr;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::lang::ec::{HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED, UNKNOWN};
use crate::lang::{Atom, Durations, Signature, Symbol, Term, Value, is_canonical};
use crate::logic::Relation;

/// Which wins where a fluent is started and ended at the same time point.
///
/// ```
/// use oled::Precedence;
/// assert_eq!("end".parse(), Ok(Precedence::End));
/// assert!(Precedence::Start.next(false, true, true));
/// assert!(!Precedence::End.next(true, true, true));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precedence {
    /// What starts it: it holds at the next time point.
    #[default]
    Start,
    /// What ends it: it does not.
    End,
}

impl Precedence {
    /// Both.
    pub const ALL: [Precedence; 2] = [Precedence::Start, Precedence::End];

    /// Whether a fluent holds at the next time point: by whether it holds, is started and is ended at this one.
    pub fn next(self, holds: bool, starts: bool, ends: bool) -> bool {
        match self {
            Precedence::Start => starts || holds && !ends,
            Precedence::End => (starts || holds) && !ends,
        }
    }
}

impl fmt::Display for Precedence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Precedence::Start => "start",
            Precedence::End => "end",
        })
    }
}

impl FromStr for Precedence {
    type Err = String;

    fn from_str(text: &str) -> Result<Precedence, String> {
        let known = Precedence::ALL.into_iter().find(|both| both.to_string() == text);
        known.ok_or_else(|| format!("where both apply the `start` wins or the `end`, not `{text}`"))
    }
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum End {
    /// A rule terminated it.
    Terminated,
    /// One of its entities was no longer observed, or it was no candidate.
    Lost,
    /// The segment ended.
    Segment,
    /// It has not ended: it held at the last time point seen.
    Open,
    /// Its rules were replaced by others.
    Reloaded,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            End::Terminated => "terminated",
            End::Lost => "lost",
            End::Segment => "segment",
            End::Open => "open",
            End::Reloaded => "reloaded",
        })
    }
}

impl Interval {
    /// The fluent as a term: `meeting(id1, id2)`.
    pub fn fluent(&self) -> Term {
        fluent(self.signature, &self.values)
    }

    /// Whether it is too short to be reported.
    pub fn is_short(&self, durations: &Durations) -> bool {
        durations.is_short(self.signature, &self.values, (self.first, self.last))
    }
}

/// What the annotation says of a fluent between one time point and the next: the only thing that learning knows of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
/// `holdsAt(_=_, _)`, which all fluents with a value and no arguments share.
pub fn label_name(signature: Signature) -> Option<Symbol> {
    if is_ordinary(signature) { Some(signature.name()) } else { signature.inner_name() }
}

/// The same, of an instance.
pub fn fluent_name(signature: Signature, values: &[Value]) -> Symbol {
    match (label_name(signature), values.first()) {
        (Some(name), _) => name,
        // One with a value and no arguments has its name first.
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

    /// The same for an equivalence, which is closed there: what was terminated goes on where others still connect it, and ends
    /// otherwise.
    pub(crate) fn advance_closed(
        &mut self,
        time: i64,
        observed: impl Fn(&[Value]) -> bool,
        mut ended: impl FnMut(&[Value], i64, End),
    ) {
        let over: Vec<(Box<[Value]>, i64)> = self
            .held
            .iter()
            .filter(|(values, held)| held.ends && observed(values))
            .filter_map(|(values, held)| Some((values.clone(), held.since?)))
            .collect();
        for (values, held) in self.held.iter().filter(|(values, held)| held.ends && !observed(values)) {
            if let Some(since) = held.since {
                ended(values, since, End::Terminated);
            }
        }
        self.advance(time, observed, |values, since| ended(values, since, End::Lost));
        self.close(time);
        for (values, since) in over {
            match self.held.get_mut(&values) {
                Some(held) => held.since = Some(since),
                None => ended(&values, since, End::Terminated),
            }
        }
    }

    /// Makes all pairs hold that are connected by pairs that do.
    fn close(&mut self, time: i64) {
        let mut groups: IndexMap<Value, usize, FxBuildHasher> = IndexMap::default();
        let mut parents: Vec<usize> = Vec::new();
        for pair in self.held.keys() {
            let [one, other] = [pair[0], pair[1]].map(|value| {
                let number = *groups.entry(value).or_insert_with(|| {
                    parents.push(parents.len());
                    parents.len() - 1
                });
                root(&mut parents, number)
            });
            parents[other] = one;
        }
        let mut members: IndexMap<usize, Vec<Value>, FxBuildHasher> = IndexMap::default();
        for (value, number) in groups {
            members.entry(root(&mut parents, number)).or_default().push(value);
        }
        for group in members.values().filter(|group| group.len() > 2) {
            for (i, one) in group.iter().enumerate() {
                for other in &group[i + 1..] {
                    let pair = if is_canonical(&[*one, *other]) { [*one, *other] } else { [*other, *one] };
                    self.start(&pair, time);
                }
            }
        }
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
        (initiated, terminated): (&Relation, &Relation),
        form: Form,
        both: Precedence,
        mut ended: impl FnMut(&[Value], i64),
    ) {
        let begun = if form == Form::Valued { values_begun(initiated) } else { Begun::default() };
        let ends = |values: &[Value]| terminated.contains(values) || other_value(&begun, values);
        if !terminated.is_empty() || !begun.is_empty() {
            for (values, held) in &mut self.held {
                if ends(values) && !both.next(true, initiated.contains(values), true) {
                    held.ends = true;
                    ended(values, held.since.expect("what was advanced to this time point holds"));
                }
            }
        }
        let starts = initiated.rows().filter(|v| form.keeps(v) && (both == Precedence::Start || !ends(v)));
        starts.for_each(|values| self.initiate(values));
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

    /// What was terminated at the last time point.
    pub(crate) fn over(&self) -> impl Iterator<Item = (&[Value], i64)> {
        self.held.iter().filter(|(_, h)| h.ends).filter_map(|(values, h)| h.since.map(|since| (&**values, since)))
    }

    /// Since when an instance has held that holds at the time point advanced to.
    pub(crate) fn since(&self, values: &[Value]) -> Option<i64> {
        self.held.get(values).and_then(|h| h.since)
    }
}

/// The number that stands for all that are connected with one, found faster the next time.
fn root(parents: &mut [usize], mut number: usize) -> usize {
    while parents[number] != number {
        parents[number] = parents[parents[number]];
        number = parents[number];
    }
    number
}

/// For what a fluent with values is about, the value that is initiated; none where several are.
type Begun<'a> = IndexMap<&'a [Value], Option<Value>, FxBuildHasher>;

fn values_begun(initiated: &Relation) -> Begun<'_> {
    let mut begun = Begun::default();
    for (value, key) in initiated.rows().filter_map(<[Value]>::split_last) {
        begun.entry(key).and_modify(|one| *one = None).or_insert(Some(*value));
    }
    begun
}

/// Whether another value of the same fluent is initiated.
fn other_value(begun: &Begun<'_>, values: &[Value]) -> bool {
    values.split_last().is_some_and(|(value, key)| begun.get(key).is_some_and(|one| *one != Some(*value)))
}
