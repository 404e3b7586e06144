//! Scan: the text of a ground atom, read byte by byte into its shape and its values.

use super::fact_problem::FactProblem;
use crate::lang::ec::is_about_fluent;
use crate::lang::{Shape, Symbol, Value, unescape};

/// Deeper nesting is refused, as by the parser, so that no input can exhaust the stack.
pub(super) const MAX_DEPTH: usize = 64;

/// The text of an atom, read from left to right into a shape and values.
pub(super) struct Scan<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pub(super) at: usize,
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
    pub(super) fn new(text: &'a str, at: usize, shape: &'a mut Shape, values: &'a mut Vec<Value>) -> Scan<'a> {
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

    pub(super) fn atom(&mut self) -> Result<(), FactProblem> {
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
        let predicate = start..self.at;
        let mut count = 0;
        loop {
            self.at += 1;
            self.skip();
            let (shape, values) = (self.shape.len(), self.values.len());
            self.argument(depth + 1)?;
            if count == 0
                && self.shape.len() == shape + 1
                && let Some(Value::Sym(fluent)) = self.values.get(values)
                && is_about_fluent(self.text[predicate.clone()].trim_matches(['\'', '"']))
            {
                // One without arguments is a relation of its own.
                self.shape.fluent(*fluent);
                self.values.truncate(values);
            }
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

/// Where a value is written of an atom that can be read from `at` on.
pub(super) fn place_of_value(text: &str, at: usize, column: usize) -> usize {
    let (mut shape, mut values) = (Shape::default(), Vec::new());
    let mut scan = Scan { wanted: column, ..Scan::new(text, at, &mut shape, &mut values) };
    // It was read before.
    let _ = scan.atom();
    scan.found
}

pub(super) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}
