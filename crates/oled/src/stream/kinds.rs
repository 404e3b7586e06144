//! Kinds: what values the declared places of a stream may have, looked up by signature.

use super::fact_problem::FactProblem;
use super::fact_reader::wrong_kind;
use crate::lang::{Bias, Kind, Mode, Signature, Symbol, Value};

/// The kinds of values at the places of what a stream consists of, as far as declarations say them: names, integers or
/// numbers. Everything else may be anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kinds {
    /// By the number of a signature; empty where all values are allowed.
    by_signature: Vec<Vec<Place>>,
}

/// A place of an atom: its type, and what that has as values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) type_name: Symbol,
    pub(super) kind: Kind,
}

impl Kinds {
    /// The kinds that declarations give to observations and labels.
    pub fn new(bias: &Bias) -> Kinds {
        let mut kinds = Kinds::default();
        for mode in bias.inputs.iter().chain(&bias.examples) {
            kinds.declare(mode.signature(), bias, mode);
        }
        kinds
    }

    /// Gives the places of a signature the kinds that a mode with as many places has. Where two modes differ, a place may
    /// have any value.
    pub fn declare(&mut self, signature: Signature, bias: &Bias, mode: &Mode) {
        let any = Symbol::new("any");
        let places = mode.types().into_iter().map(|name| {
            name.map_or(Place { type_name: any, kind: Kind::Any }, |n| Place { type_name: n, kind: bias.kind_of(n) })
        });
        let mut places: Vec<Place> = places.collect();
        // The time is none of the values.
        places.pop();
        if self.by_signature.len() <= signature.index() {
            self.by_signature.resize(signature.index() + 1, Vec::new());
        }
        let known = &mut self.by_signature[signature.index()];
        if known.is_empty() {
            *known = places;
        } else {
            for (known, place) in known.iter_mut().zip(places).filter(|(known, place)| known.kind != place.kind) {
                *known = Place { kind: Kind::Any, ..place };
            }
        }
    }

    /// The kind of values at a place of a fact, and the type that says so.
    pub fn at(&self, signature: Signature, column: usize) -> (Kind, Symbol) {
        let place = self.by_signature.get(signature.index()).and_then(|places| places.get(column));
        place.map_or_else(|| (Kind::Any, Symbol::new("any")), |place| (place.kind, place.type_name))
    }

    /// Whether the values of a fact are of the kinds of their places; what is wrong with the first that is not.
    pub fn check(&self, signature: Signature, values: &[Value], time: i64) -> Result<(), FactProblem> {
        let wrong = self.wrong(signature, values);
        wrong.map_or(Ok(()), |(column, place)| Err(wrong_kind(signature, values, column, place, time)))
    }

    /// The first value that is of another kind than its place: its number, and the place.
    #[inline]
    pub(super) fn wrong(&self, signature: Signature, values: &[Value]) -> Option<(usize, Place)> {
        let places = self.by_signature.get(signature.index())?;
        let column = places.iter().zip(values).position(|(place, value)| !place.kind.has(*value))?;
        Some((column, places[column]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::parse_theory;
    use crate::stream::{FactReader, Facts};

    fn problems(modes: &str, facts: &[&str]) -> Vec<Option<(usize, String)>> {
        let (bias, problems) = Bias::read(&parse_theory("modes.lp", modes).unwrap());
        assert!(problems.is_empty(), "{problems:?}");
        let mut reader = FactReader::new(Kinds::new(&bias).into());
        let mut read = |fact: &&str| {
            let mut facts = Facts::default();
            let error = reader.read(fact, &mut facts).err();
            assert_eq!(facts.is_empty(), error.is_some(), "{fact}");
            error.map(|e| (e.at, e.problem.to_string()))
        };
        facts.iter().map(&mut read).collect()
    }

    #[test]
    fn a_name_where_a_number_is_declared_is_a_fault_at_its_place() {
        let modes = "type(celsius, real). input(temp(+room, +celsius, +time)). \
                     type(count, int). example(holdsAt(crowd(+room)=count, +time)). input(people(+room, +count, +time)).";
        for name in ["nan", "null", "none", "inf", "''", "'-'", "\"\""] {
            let fact = format!("temp(a, {name}, 2)");
            let found = problems(modes, &[&fact]).remove(0).unwrap();
            assert_eq!(found.0, 8, "{fact}");
            assert!(found.1.ends_with("is not a number, as every `celsius` is"), "{}", found.1);
        }
        let facts = ["people(a, 2, 1)", "people(a, 2.0, 1)", "people(a, 2.5, 1)", "people(nan, many, 1)"];
        let found = problems(modes, &facts);
        assert_eq!(found[..2], [None, None]);
        assert_eq!(
            found[2].as_ref().unwrap().1,
            "`2.5` in `people(a, 2.5, 1)` is not a whole number, as every `count` is"
        );
        assert_eq!(found[3].as_ref().unwrap().0, 12);
    }

    #[test]
    fn a_number_where_a_name_is_declared_is_a_fault_and_elsewhere_it_is_none() {
        let modes = "type(room, symbol). input(seen(+person, +room, +time)).";
        let found = problems(modes, &["seen(12, hall, 1)", "seen(ann, 12, 1)", "seen(ann, 1)"]);
        assert_eq!(found[0], None);
        assert_eq!(found[1], Some((10, "`12` in `seen(ann, 12, 1)` is not a name, as every `room` is".into())));
        assert_eq!(found[2], None);
    }

    #[test]
    fn two_declarations_that_differ_allow_anything() {
        let modes = "input(level(+tank, +real, +time)). input(level(+tank, +state, +time)).";
        assert_eq!(problems(modes, &["level(a, low, 1)", "level(a, 2, 1)"]), [None, None]);
    }
}
