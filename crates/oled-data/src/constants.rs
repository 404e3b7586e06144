//! Constants: the values of types that nobody lists, taken from a stream that can be read twice.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use oled::lang::{Mark, Mode};
use oled::{Atom, Frame, Signature, Symbol, Task, Term, Value};
use rustc_hash::FxBuildHasher;

/// So many values of a type are taken, at most: each is a condition that every rule may have, so that more of them are a
/// mistake (a number that is no code, an identifier) or a search that takes long.
pub const MOST_CONSTANTS: usize = 128;

/// Values of types whose constants rules may have, as a stream has them.
#[derive(Clone, Debug)]
pub struct Constants {
    values: IndexMap<Symbol, BTreeSet<Value>, FxBuildHasher>,
    /// Where facts of the stream have values of these types.
    places: IndexMap<Signature, Vec<(usize, Symbol)>, FxBuildHasher>,
}

impl Constants {
    /// None yet, of all types that a task does not list; `None` if it lists all that it needs.
    pub fn wanted(task: &Task) -> Option<Constants> {
        let mut values: IndexMap<Symbol, BTreeSet<Value>, FxBuildHasher> = IndexMap::default();
        let listed = |kind: Symbol| task.background.clauses.iter().any(|clause| clause.head.name == kind);
        for kind in task.bias.bodies.iter().flat_map(Mode::holes).filter_map(constant) {
            if !task.bias.kind_of(kind).is_number() && !listed(kind) {
                values.entry(kind).or_default();
            }
        }
        let mut places: IndexMap<Signature, Vec<(usize, Symbol)>, FxBuildHasher> = IndexMap::default();
        for mode in &task.bias.inputs {
            let of_mode = mode.types().into_iter().enumerate().filter_map(|(place, kind)| Some((place, kind?)));
            let own: Vec<_> = of_mode.filter(|(_, kind)| values.contains_key(kind)).collect();
            if !own.is_empty() {
                places.entry(mode.signature()).or_default().extend(own);
            }
        }
        // What no fact of the stream has cannot be taken from there.
        values.retain(|kind, _| places.values().flatten().any(|(_, of)| of == kind));
        (!values.is_empty()).then_some(Constants { values, places })
    }

    /// The types.
    pub fn types(&self) -> impl Iterator<Item = Symbol> {
        self.values.keys().copied()
    }

    /// Takes the values of a frame; fails with the type that has too many.
    pub fn see(&mut self, frame: &Frame) -> Result<(), Symbol> {
        for (signature, row) in frame.narrative.iter() {
            let Some(places) = self.places.get(&signature) else { continue };
            for (place, kind) in places {
                let (Some(value), Some(values)) = (row.get(*place), self.values.get_mut(kind)) else { continue };
                if values.insert(*value) && values.len() > MOST_CONSTANTS {
                    return Err(*kind);
                }
            }
        }
        Ok(())
    }

    /// How many values each type has.
    pub fn counts(&self) -> impl Iterator<Item = (Symbol, usize)> {
        self.values.iter().map(|(kind, values)| (*kind, values.len()))
    }

    /// The values as facts of a background, in the order of their names.
    pub fn facts(&self) -> String {
        let fact = |kind: Symbol, value: Value| format!("{}.\n", Atom::new(kind.as_str(), vec![Term::Value(value)]));
        self.values.iter().flat_map(|(kind, values)| values.iter().map(|value| fact(*kind, *value))).collect()
    }
}

fn constant(hole: &Term) -> Option<Symbol> {
    match hole {
        Term::Mark(Mark::Constant, kind) => Some(*kind),
        _ => None,
    }
}
