//! Frames: what is known about one time point of one segment, in flat form.

mod kinds;

use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::lang::{Atom, Kind, Shape, Signature, Symbol, Term, Value, printable, unescape};
pub use kinds::Kinds;
use kinds::Place;

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

/// Why a text is not a ground atom with a time, and at which byte of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactError {
    /// The byte.
    pub at: usize,
    /// What is wrong.
    pub problem: FactProblem,
}

/// What can be wrong with a ground atom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FactProblem {
    /// It ends too early.
    Truncated,
    /// Something else was expected here.
    Expected(&'static str),
    /// A variable stands where a value must.
    Variable(String),
    /// A number that cannot be represented, or that is none.
    Number(String),
    /// The last argument is no integer.
    NoTime,
    /// Nested too deep.
    TooDeep,
    /// A value is not of the kind that is declared for its place.
    Kind(Box<WrongKind>),
}

/// A value that is not of the kind that is declared for its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongKind {
    /// The value.
    pub value: Value,
    /// The fact.
    pub atom: Atom,
    /// The type of the place.
    pub type_name: Symbol,
    /// What values of that type are.
    pub kind: Kind,
    /// The time of the fact.
    pub time: i64,
}

impl fmt::Display for FactProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FactProblem::Truncated => write!(f, "the atom ends too early"),
            FactProblem::Expected(what) => write!(f, "expected {what}"),
            FactProblem::Variable(name) => write!(f, "`{name}` is a variable, and facts have none"),
            FactProblem::Number(text) => write!(f, "`{text}` is not a number that can be represented"),
            FactProblem::NoTime => write!(f, "the last argument is not a time (an integer)"),
            FactProblem::TooDeep => write!(f, "terms may be nested at most {MAX_DEPTH} deep"),
            FactProblem::Kind(wrong) => {
                let WrongKind { value, atom, type_name, kind, .. } = &**wrong;
                write!(
                    f,
                    "`{value}` in `{atom}` is not {}, as every `{}` is",
                    kind.noun(),
                    printable(type_name.as_str())
                )
            }
        }
    }
}

impl FactProblem {
    /// What to do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            FactProblem::Truncated => "close all brackets and quotes",
            FactProblem::Expected(_) => "facts look like `happensAt(walking(id1), 680)`",
            FactProblem::Variable(_) => "constants start with a lower-case letter, or stand in quotes: 'Id1'",
            FactProblem::Number(_) => {
                "integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter"
            }
            FactProblem::NoTime => "each atom of a stream ends in the time point it belongs to",
            FactProblem::TooDeep => "flatten the term",
            FactProblem::Kind(_) => {
                "leave the fact out where nothing was measured, or declare another type in modes.lp; `--lenient` leaves such facts out"
            }
        }
    }
}

const MAX_DEPTH: usize = 64;

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

fn wrong_kind(signature: Signature, values: &[Value], column: usize, place: Place, time: i64) -> FactProblem {
    let (value, atom) = (values[column], atom(signature, values, time));
    FactProblem::Kind(Box::new(WrongKind { value, atom, type_name: place.type_name, kind: place.kind, time }))
}

/// Where a value is written of an atom that can be read from `at` on.
fn place_of_value(text: &str, at: usize, column: usize) -> usize {
    let (mut shape, mut values) = (Shape::default(), Vec::new());
    let mut scan = Scan { wanted: column, ..Scan::new(text, at, &mut shape, &mut values) };
    // It was read before.
    let _ = scan.atom();
    scan.found
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    shape: &'a mut Shape,
    values: &'a mut Vec<Value>,
    /// The number of the value whose place is looked for, and that place.
    wanted: usize,
    found: usize,
}

/// What a term turned out to be.
enum Scanned {
    /// A value, pushed; its hole too.
    Value,
    /// A compound term.
    App,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, at: usize, shape: &'a mut Shape, values: &'a mut Vec<Value>) -> Scan<'a> {
        Scan { text, bytes: text.as_bytes(), at, shape, values, wanted: usize::MAX, found: at }
    }

    /// Takes a value that begins at a byte.
    fn value(&mut self, value: Value, start: usize) -> Scanned {
        if self.values.len() == self.wanted {
            self.found = start;
        }
        self.values.push(value);
        self.shape.hole();
        Scanned::Value
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self) {
        self.at = skip_blanks(self.bytes, self.at);
    }

    fn atom(&mut self) -> Result<(), FactProblem> {
        self.skip();
        match self.term(0)? {
            // The time is the last argument of the atom itself, never of a term inside it.
            Scanned::App if self.shape.last_is_hole() => Ok(()),
            Scanned::App => Err(FactProblem::NoTime),
            Scanned::Value => Err(FactProblem::Expected("an atom such as `happensAt(walking(id1), 680)`")),
        }
    }

    fn argument(&mut self, depth: usize) -> Result<(), FactProblem> {
        let start = self.shape.len();
        self.term(depth)?;
        self.skip();
        if self.peek() == Some(b'=') {
            self.at += 1;
            self.skip();
            self.shape.wrap_equal(start);
            self.term(depth)?;
            self.skip();
        }
        Ok(())
    }

    fn term(&mut self, depth: usize) -> Result<Scanned, FactProblem> {
        if depth > MAX_DEPTH {
            return Err(FactProblem::TooDeep);
        }
        let Some(first) = self.peek() else { return Err(FactProblem::Truncated) };
        let start = self.at;
        let name = match first {
            b'a'..=b'z' => {
                while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    self.at += 1;
                }
                if self.peek().is_some_and(|b| b >= 0x80) {
                    self.word_end(start);
                }
                Symbol::new(&self.text[start..self.at])
            }
            b'0'..=b'9' | b'-' | b'+' => return self.number(),
            b'\'' | b'"' => self.quoted(first)?,
            b'A'..=b'Z' | b'_' => {
                self.word_end(start);
                return Err(FactProblem::Variable(
                    self.text[start..std::mem::replace(&mut self.at, start)].to_string(),
                ));
            }
            0x80.. => {
                let c = self.text[start..].chars().next().unwrap_or('_');
                if !c.is_alphabetic() {
                    return Err(FactProblem::Expected("a name or a number"));
                }
                self.word_end(start);
                if c.is_uppercase() {
                    return Err(FactProblem::Variable(
                        self.text[start..std::mem::replace(&mut self.at, start)].to_string(),
                    ));
                }
                Symbol::new(&self.text[start..self.at])
            }
            _ => return Err(FactProblem::Expected("a name or a number")),
        };
        if self.peek() != Some(b'(') {
            return Ok(self.value(Value::Sym(name), start));
        }
        let opened = self.shape.open(name);
        let mut count = 0;
        loop {
            self.at += 1;
            self.skip();
            self.argument(depth + 1)?;
            count += 1;
            match self.peek() {
                Some(b',') => {}
                Some(b')') => {
                    self.at += 1;
                    self.shape.close(opened, count);
                    return Ok(Scanned::App);
                }
                Some(_) => return Err(FactProblem::Expected("`,` or `)`")),
                None => return Err(FactProblem::Truncated),
            }
        }
    }

    fn word_end(&mut self, start: usize) {
        let rest = &self.text[start..];
        self.at = start + rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    }

    fn number(&mut self) -> Result<Scanned, FactProblem> {
        let start = self.at;
        if self.bytes[start] == b'-' {
            self.at += 1;
        }
        let mut int: i64 = 0;
        let digits = self.at;
        let mut small = true;
        while let Some(b @ b'0'..=b'9') = self.peek() {
            match int.checked_mul(10).and_then(|i| i.checked_add(i64::from(b - b'0'))) {
                Some(i) => int = i,
                None => small = false,
            }
            self.at += 1;
        }
        let plain = self.at > digits
            && !matches!(self.peek(), Some(b'.' | b'e' | b'E' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..));
        if plain && small {
            return Ok(self.value(Value::Int(if self.bytes[start] == b'-' { -int } else { int }), start));
        }
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | 0x80..))
            || matches!(self.peek(), Some(b'+' | b'-'))
                && self.at > start
                && matches!(self.bytes[self.at - 1], b'e' | b'E')
        {
            // `680.` at the end of a fact is a number and a full stop.
            if self.peek() == Some(b'.') && !self.bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) {
                break;
            }
            self.at += 1;
        }
        let text = &self.text[start..self.at];
        let digits_only = text.strip_prefix('-').unwrap_or(text).bytes().all(|b| b.is_ascii_digit());
        // The standard parser also takes words such as `inf`, which are no numbers here.
        let numeric = text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'));
        let value = if digits_only {
            text.parse().ok().map(Value::Int)
        } else if numeric && !text.starts_with('+') {
            text.parse().ok().and_then(Value::real)
        } else {
            None
        };
        match value {
            Some(value) => Ok(self.value(value, start)),
            None => Err(FactProblem::Number(self.text[start..std::mem::replace(&mut self.at, start)].to_string())),
        }
    }

    fn quoted(&mut self, quote: u8) -> Result<Symbol, FactProblem> {
        let mut name = String::new();
        let mut at = self.at + 1;
        while let Some(c) = self.text[at..].chars().next() {
            at += c.len_utf8();
            match c {
                '\\' => {
                    let Some((c, length)) = unescape(&self.text[at..]) else { break };
                    name.push(c);
                    at += length;
                }
                c if c == char::from(quote) => {
                    self.at = at;
                    return Ok(Symbol::new(&name));
                }
                c => name.push(c),
            }
        }
        self.at = self.text.len();
        Err(FactProblem::Truncated)
    }
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
