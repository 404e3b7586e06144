//! Frames: what is known about one time point of one segment, in flat form.

mod batch;
mod build;
mod fact_problem;
mod fact_reader;
mod kinds;
mod scan;

use std::ops::Range;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::lang::{Atom, Signature, Symbol, Term, Value};
pub use batch::Batch;
pub use fact_problem::{FactError, FactProblem, WrongKind};
pub use fact_reader::FactReader;
pub use kinds::Kinds;

/// A time point of a segment: the narrative (simple events and context) and the annotation (labels).
///
/// A segment is a video, a vessel, a machine: fluents never persist from one segment to another. The time points of a
/// segment come in increasing order, with gaps where nothing was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The segment.
    pub segment: Symbol,
    /// The time point.
    pub time: i64,
    /// What was observed.
    pub narrative: Facts,
    /// What is labelled as true.
    pub annotation: Facts,
}

impl Frame {
    /// A frame without facts.
    pub fn new(segment: Symbol, time: i64) -> Frame {
        Frame { segment, time, narrative: Facts::default(), annotation: Facts::default() }
    }
}

/// Ground atoms of one time point: signatures with their values, the time itself left out.
///
/// ```
/// use oled::{FactReader, Facts};
/// let mut facts = Facts::default();
/// let time = FactReader::default().read("happensAt(walking(id1), 680)", &mut facts).unwrap();
/// assert_eq!(time, 680);
/// let atoms: Vec<String> = facts.atoms(680).map(|a| a.to_string()).collect();
/// assert_eq!(atoms, ["happensAt(walking(id1), 680)"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// Each fact's signature, and where its values end.
    heads: Vec<(Signature, u32)>,
    values: Vec<Value>,
}

impl Facts {
    /// No facts, with room for some.
    pub fn with_capacity(facts: usize, values: usize) -> Facts {
        Facts { heads: Vec::with_capacity(facts), values: Vec::with_capacity(values) }
    }

    /// Adds a fact; `values` without the time.
    pub fn push(&mut self, signature: Signature, values: &[Value]) {
        debug_assert_eq!(signature.arity(), values.len() + 1, "one value for each hole but the time");
        self.values.extend_from_slice(values);
        self.heads.push((signature, self.values.len() as u32));
    }

    /// The same with values that come one by one: few values are copied faster than a copy of many is begun.
    #[inline]
    pub fn push_each(&mut self, signature: Signature, values: impl Iterator<Item = Value>) {
        values.for_each(|value| self.values.push(value));
        self.heads.push((signature, self.values.len() as u32));
    }

    /// Adds facts that come together again and again: each with where its values end among all of these.
    #[inline]
    pub fn push_many(&mut self, heads: &[(Signature, u32)], values: impl Iterator<Item = Value>) {
        let before = self.values.len() as u32;
        self.values.extend(values);
        self.heads.extend(heads.iter().map(|&(signature, end)| (signature, before + end)));
        debug_assert_eq!(self.heads.last().map_or(0, |&(_, end)| end as usize), self.values.len(), "no value is left");
    }

    /// Adds all facts of another.
    pub fn append(&mut self, other: &Facts) {
        self.append_some(other, 0..other.len());
    }

    /// Adds the facts at these places of another.
    pub fn append_some(&mut self, other: &Facts, places: Range<usize>) {
        let end = |places: usize| places.checked_sub(1).map_or(0, |last| other.heads[last].1);
        let (own, from, to) = (self.values.len() as u32, end(places.start), end(places.end));
        self.values.extend_from_slice(&other.values[from as usize..to as usize]);
        self.heads.extend(other.heads[places].iter().map(|&(signature, end)| (signature, own + end - from)));
    }

    /// Takes all facts away.
    pub fn clear(&mut self) {
        self.heads.clear();
        self.values.clear();
    }

    /// Becomes the facts at these places of another.
    pub fn copy(&mut self, other: &Facts, places: Range<usize>) {
        self.clear();
        self.append_some(other, places);
    }

    /// Takes the fact that was added last away.
    pub fn pop(&mut self) {
        self.heads.pop();
        self.values.truncate(self.heads.last().map_or(0, |&(_, end)| end as usize));
    }

    /// Signatures and values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (Signature, &[Value])> + Clone {
        let mut start = 0;
        self.heads.iter().map(move |&(signature, end)| {
            let values = &self.values[start as usize..end as usize];
            start = end;
            (signature, values)
        })
    }

    /// The signatures of the facts, in order.
    pub fn signatures(&self) -> impl Iterator<Item = Signature> + '_ {
        self.heads.iter().map(|(signature, _)| *signature)
    }

    /// The facts as atoms at a time.
    pub fn atoms(&self, time: i64) -> impl Iterator<Item = Atom> {
        self.iter().map(move |(signature, values)| atom(signature, values, time))
    }

    /// The number of facts.
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// The number of values of all facts.
    pub fn value_count(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Whether a fact is among them.
    pub fn contains(&self, signature: Signature, values: &[Value]) -> bool {
        self.iter().any(|fact| fact == (signature, values))
    }

    /// Keeps the facts that a test accepts.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(Signature, &[Value]) -> bool) -> Facts {
        let mut kept = Facts::default();
        for (signature, values) in self.iter() {
            if keep(signature, values) {
                kept.push(signature, values);
            }
        }
        kept
    }
}

/// Written as the signatures there are, the numbers of those that the facts have, and all values.
impl Serialize for Facts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut signatures: IndexSet<Signature, FxBuildHasher> = IndexSet::default();
        let heads: Vec<usize> = self.heads.iter().map(|(signature, _)| signatures.insert_full(*signature).0).collect();
        (signatures, heads, &self.values).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Facts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Facts, D::Error> {
        let (signatures, heads, values) = <(Vec<Signature>, Vec<usize>, Vec<Value>)>::deserialize(deserializer)?;
        let wrong = || D::Error::custom("facts have other values than their predicates");
        let arities: Vec<usize> = signatures.iter().map(|s| s.arity()).collect();
        let mut facts = Facts::with_capacity(heads.len(), values.len());
        let mut rest = &values[..];
        for head in heads {
            let width = arities.get(head).and_then(|arity| arity.checked_sub(1)).ok_or_else(wrong)?;
            let (own, others) = rest.split_at_checked(width).ok_or_else(wrong)?;
            facts.push(signatures[head], own);
            rest = others;
        }
        if rest.is_empty() { Ok(facts) } else { Err(wrong()) }
    }
}

/// The atom of a fact at a time.
pub fn atom(signature: Signature, values: &[Value], time: i64) -> Atom {
    signature.fill(values.iter().copied().chain([Value::Int(time)]).map(Term::Value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_fact_is_taken_away() {
        let mut facts = Facts::default();
        for text in ["p(a, b, 1)", "q(c, 1)"] {
            FactReader::default().read(text, &mut facts).unwrap();
        }
        facts.pop();
        assert_eq!(facts.atoms(1).map(|a| a.to_string()).collect::<Vec<_>>(), ["p(a, b, 1)"]);
        facts.pop();
        facts.pop();
        assert_eq!(facts, Facts::default());
    }

    #[test]
    fn facts_that_come_together_are_those_that_come_one_by_one() {
        let (mut one_by_one, mut together) = (Facts::default(), Facts::default());
        for text in ["p(a, b, 1)", "q(c, 1)"] {
            FactReader::default().read(text, &mut one_by_one).unwrap();
        }
        let mut end = 0;
        let heads: Vec<(Signature, u32)> = one_by_one
            .iter()
            .map(|(signature, values)| {
                end += values.len() as u32;
                (signature, end)
            })
            .collect();
        together.push_many(&heads, one_by_one.values.iter().copied());
        assert_eq!(together, one_by_one);
        together.push_many(&heads, one_by_one.values.iter().copied());
        assert_eq!(together.iter().skip(2).collect::<Vec<_>>(), one_by_one.iter().collect::<Vec<_>>());
    }

    #[test]
    fn facts_are_restored_as_they_were() {
        let mut facts = Facts::default();
        for text in ["p(a, b, 1)", "q(1)", "p(-2, 2.5, 1)", "holdsAt(speed(v1)=low, 1)"] {
            FactReader::default().read(text, &mut facts).unwrap();
        }
        let bytes = crate::state::encode(&facts);
        assert_eq!(crate::state::decode(&bytes), Ok(facts));
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            if let Ok(facts) = crate::state::decode::<Facts>(&damaged) {
                facts.iter().for_each(|(signature, values)| assert_eq!(signature.arity(), values.len() + 1));
            }
        }
    }
}
