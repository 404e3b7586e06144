//! Everybody: who was observed in each segment so far, by type, so that what is said of all of them is said of each.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use oled::{Facts, Frame, Kinds, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

/// Who was observed in the segments that are not over.
#[derive(Clone, Debug, Default)]
pub(crate) struct Everybody {
    kinds: Arc<Kinds>,
    /// The types whose values are kept: those of the arguments of labels.
    types: Vec<Symbol>,
    /// By segment, in the order of the types.
    segments: IndexMap<Symbol, Vec<IndexSet<Value, FxBuildHasher>>, FxBuildHasher>,
}

impl Everybody {
    /// Nobody yet, of those that labels are about.
    pub(crate) fn new(labels: &[Signature], kinds: Arc<Kinds>) -> Everybody {
        let mut types: Vec<Symbol> = Vec::new();
        for own in labels.iter().flat_map(|label| types_of(*label, &kinds)) {
            if !types.contains(&own) {
                types.push(own);
            }
        }
        Everybody { kinds, types, segments: IndexMap::default() }
    }

    /// Takes note of whom a frame is about.
    pub(crate) fn see(&mut self, frame: &Frame) {
        let Everybody { kinds, types, segments } = self;
        let seen = segments.entry(frame.segment).or_insert_with(|| vec![IndexSet::default(); types.len()]);
        for (signature, values) in frame.narrative.iter() {
            for (place, value) in values.iter().enumerate() {
                let own = kinds.at(signature, place).1;
                if let Some(at) = types.iter().position(|known| *known == own) {
                    seen[at].insert(*value);
                }
            }
        }
    }

    /// Forgets a segment that is over.
    pub(crate) fn forget(&mut self, segment: Symbol) {
        self.segments.swap_remove(&segment);
    }

    /// Adds what is said of a label, with this signature, for everybody whom it could be about.
    pub(crate) fn add(&self, label: Signature, said: Signature, segment: Symbol, to: &mut Facts) {
        let Some(seen) = self.segments.get(&segment) else { return };
        let of = |own: Symbol| self.types.iter().position(|known| *known == own).map(|at| &seen[at]);
        let places: Option<Vec<_>> = types_of(label, &self.kinds).into_iter().map(of).collect();
        let Some(places) = places else { return };
        let mut row: Vec<Value> = Vec::with_capacity(places.len());
        add_each(&places, &mut row, &mut |row| to.push(said, row));
    }
}

/// The types of the arguments of a label.
fn types_of(label: Signature, kinds: &Kinds) -> Vec<Symbol> {
    (0..label.arity().saturating_sub(1)).map(|place| kinds.at(label, place).1).collect()
}

/// Calls a function with each combination of values; nobody is beside himself.
fn add_each(places: &[&IndexSet<Value, FxBuildHasher>], row: &mut Vec<Value>, each: &mut impl FnMut(&[Value])) {
    let Some((first, rest)) = places.split_first() else { return each(row) };
    for value in *first {
        if !row.contains(value) {
            row.push(*value);
            add_each(rest, row, each);
            row.pop();
        }
    }
}
