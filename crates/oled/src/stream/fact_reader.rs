//! Ground atoms of a stream, read straight into facts.

use std::sync::Arc;

use super::fact_problem::{FactError, FactProblem, WrongKind};
use super::kinds::{Kinds, Place};
use super::scan::{Scan, place_of_value, skip_blanks};
use super::{Facts, atom};
use crate::lang::{Shape, Signature, Value};

/// Reads ground atoms straight into [`Facts`], several times faster than parsing them into terms first.
/// A test compares it with the parser of the language.
///
/// ```
/// use oled::{Bias, FactReader, Facts, Kinds, parse_theory};
/// let modes = parse_theory("modes.lp", "type(celsius, real). input(temp(+room, +celsius, +time)).").unwrap();
/// let (bias, _) = Bias::read(&modes);
/// let mut reader = FactReader::new(Kinds::new(&bias).into());
/// let mut facts = Facts::default();
/// assert_eq!(reader.read("temp(hall, 21.5, 7)", &mut facts), Ok(7));
/// let error = reader.read("temp(hall, nan, 8)", &mut facts).unwrap_err();
/// assert_eq!(error.at, 11);
/// assert_eq!(error.problem.to_string(), "`nan` in `temp(hall, nan, 8)` is not a number, as every `celsius` is");
/// ```
#[derive(Default)]
pub struct FactReader {
    shape: Shape,
    kinds: Arc<Kinds>,
}

impl FactReader {
    /// A reader that refuses values of other kinds than these.
    pub fn new(kinds: Arc<Kinds>) -> FactReader {
        FactReader { shape: Shape::default(), kinds }
    }

    /// Adds a ground atom to `facts` and returns its time, the last argument. Nothing is added where there is an error.
    pub fn read(&mut self, text: &str, facts: &mut Facts) -> Result<i64, FactError> {
        let (time, end) = self.read_prefix(text, 0, facts)?;
        let rest = skip_blanks(text.as_bytes(), end);
        // A full stop is allowed, as the exports of other systems have it.
        let rest = if text.as_bytes().get(rest) == Some(&b'.') { skip_blanks(text.as_bytes(), rest + 1) } else { rest };
        if rest == text.len() {
            return Ok(time);
        }
        facts.pop();
        Err(FactError { at: rest, problem: FactProblem::Expected("the end of the atom") })
    }

    /// Reads one atom from `at` on; returns its time and where it ends.
    pub fn read_prefix(&mut self, text: &str, at: usize, facts: &mut Facts) -> Result<(i64, usize), FactError> {
        self.shape.clear();
        let values = facts.values.len();
        let mut scan = Scan::new(text, at, &mut self.shape, &mut facts.values);
        let result = scan.atom();
        let end = scan.at;
        let time = match (result, facts.values.last()) {
            (Ok(()), Some(&Value::Int(time))) if facts.values.len() > values => Ok(time),
            (Ok(()), _) => Err(FactError { at, problem: FactProblem::NoTime }),
            (Err(problem), _) => Err(FactError { at: end.min(text.len()), problem }),
        };
        match time {
            Ok(time) => {
                facts.values.pop();
                let signature = self.shape.signature();
                if let Some((column, place)) = self.kinds.wrong(signature, &facts.values[values..]) {
                    let wrong = wrong_kind(signature, &facts.values[values..], column, place, time);
                    facts.values.truncate(values);
                    return Err(FactError { at: place_of_value(text, at, column), problem: wrong });
                }
                facts.heads.push((signature, facts.values.len() as u32));
                Ok((time, end))
            }
            Err(error) => {
                facts.values.truncate(values);
                Err(error)
            }
        }
    }
}

/// What to say of a value that is of another kind than its place.
pub(super) fn wrong_kind(
    signature: Signature,
    values: &[Value],
    column: usize,
    place: Place,
    time: i64,
) -> FactProblem {
    let (value, atom) = (values[column], atom(signature, values, time));
    FactProblem::Kind(Box::new(WrongKind { value, atom, type_name: place.type_name, kind: place.kind, time }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<String, FactError> {
        let mut facts = Facts::default();
        let time = FactReader::default().read(text, &mut facts)?;
        let atoms: Vec<String> = facts.atoms(time).map(|a| a.to_string()).collect();
        Ok(atoms.join("; "))
    }

    #[test]
    fn atoms_are_read_as_they_are_written() {
        for text in [
            "happensAt(walking(id1), 680)",
            "holdsAt(speed(v1)=low, 3)",
            "coords(id0, -12, 2.5, 7)",
            "p(1e-7, 0)",
            "p('Strange name', f(g(a), 2), 0)",
            "p(-3)",
        ] {
            assert_eq!(read(text).as_deref(), Ok(text));
        }
        assert_eq!(read(" p( a ,1 ) . ").as_deref(), Ok("p(a, 1)"));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let problem = |text: &str| read(text).map_err(|e| (e.at, e.problem));
        assert_eq!(problem("p(a"), Err((3, FactProblem::Truncated)));
        assert_eq!(problem("p(X, 1)"), Err((2, FactProblem::Variable("X".into()))));
        assert!(matches!(problem("+x"), Err((0, FactProblem::Number(_)))));
        assert_eq!(problem("p(1x, 1)"), Err((2, FactProblem::Number("1x".into()))));
        assert_eq!(problem("p(99999999999999999999, 1)"), Err((2, FactProblem::Number("99999999999999999999".into()))));
        assert_eq!(problem("p(1e999, 1)"), Err((2, FactProblem::Number("1e999".into()))));
        assert_eq!(problem("p(a)"), Err((0, FactProblem::NoTime)));
        assert_eq!(problem("p(1, f(1))"), Err((10, FactProblem::NoTime)));
        assert_eq!(problem("p"), Err((1, FactProblem::Expected("an atom such as `happensAt(walking(id1), 680)`"))));
        assert_eq!(problem("p(1) q"), Err((5, FactProblem::Expected("the end of the atom"))));
        assert!(matches!(problem(&"p(".repeat(200)), Err((_, FactProblem::TooDeep))));
    }
}
