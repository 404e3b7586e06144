//! Documents: JSON objects with a time, a narrative and an annotation, whose atoms go straight into facts.
//!
//! JSON Lines and the exports of `MongoDB` share this reader. `serde_json` lends each string from the line, and the
//! string is scanned into facts on the spot: there is no tree of values and no copy of an atom.

mod scan;

use std::sync::Arc;

use oled::{FactReader, Facts, Kinds, Symbol};
use serde::de::{DeserializeSeed, IgnoredAny};

use crate::error::{Problem, ProblemKind};
use crate::frame::default_segment;
use crate::lines::Line;
use crate::sink::Sink;
use scan::Scan;

/// What the atoms and the time of a document may look like.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Dialect {
    /// The time is an integer, and atoms are just atoms.
    Jsonl,
    /// The time may be a string or an object such as `{"$numberInt":"680"}`; `example(A)` is A, `negExample(A)` nothing.
    Mongo,
}

/// One JSON object. The time of each fact stands in the marks of the reader.
pub(crate) struct Document {
    pub(crate) segment: Symbol,
    pub(crate) time: Option<i64>,
    /// Where the time is written.
    pub(crate) time_at: usize,
    /// Whether the time is the first of several, and the last of them.
    pub(crate) from: bool,
    pub(crate) to: Option<i64>,
    pub(crate) facts: [Facts; 2],
    /// Where the document ends.
    pub(crate) end: usize,
}

/// Of a fact: its time and where it was read.
pub(crate) struct Mark {
    pub(crate) time: i64,
    pub(crate) at: usize,
}

/// Reads documents; keeps what can be used again for the next.
pub(crate) struct DocumentReader {
    dialect: Dialect,
    facts: FactReader,
    /// One mark for each fact of the last document.
    pub(crate) marks: [Vec<Mark>; 2],
    /// The times of atoms of it that were left out for a value.
    pub(crate) left_out: Vec<Mark>,
    /// Numbers of facts and values of the last document: the next one will be of about the same size.
    room: [(usize, usize); 2],
}

impl DocumentReader {
    pub(crate) fn new(dialect: Dialect, kinds: Arc<Kinds>) -> DocumentReader {
        let (facts, marks) = (FactReader::new(kinds), Default::default());
        DocumentReader { dialect, facts, marks, left_out: Vec::new(), room: [(0, 0); 2] }
    }

    /// Reads the document that starts at this byte of a line.
    pub(crate) fn read(&mut self, line: Line<'_>, start: usize, sink: &mut Sink) -> Result<Document, Problem> {
        self.marks.iter_mut().for_each(Vec::clear);
        self.left_out.clear();
        let mut json = serde_json::Deserializer::from_str(&line.text[start..]);
        let facts = self.room.map(|(facts, values)| Facts::with_capacity(facts, values));
        let document =
            Document { segment: default_segment(), time: None, time_at: start, from: false, to: None, facts, end: 0 };
        let mut scan = Scan::new(self, line.text, start, document, sink);
        let result = (&mut scan).deserialize(&mut json);
        let (mut document, problem) = scan.finish();
        if let Err(error) = result {
            let problem = problem.unwrap_or_else(|| json_problem(&error, line, start));
            return Err(if problem.time.is_some() { problem.within(segment_of(&line.text[start..])) } else { problem });
        }
        document.end = start + json.into_iter::<IgnoredAny>().byte_offset();
        self.room = [0, 1].map(|part| (document.facts[part].len(), document.facts[part].value_count()));
        Ok(document)
    }
}

/// The segment of a document in which reading has stopped, wherever it names it.
fn segment_of(text: &str) -> Symbol {
    let document = serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>().next();
    match document.and_then(Result::ok).and_then(|document| document.get("segment").cloned()) {
        Some(serde_json::Value::String(name)) => Symbol::new(&name),
        Some(serde_json::Value::Number(number)) => Symbol::new(&number.to_string()),
        _ => default_segment(),
    }
}

/// What `serde_json` found wrong with a document.
fn json_problem(error: &serde_json::Error, line: Line<'_>, start: usize) -> Problem {
    if error.is_eof() && !line.ended {
        return Problem::truncated(line.text.len());
    }
    let message = error.to_string();
    let message = message.rfind(" at line ").map_or(message.as_str(), |end| &message[..end]);
    let message = if error.is_data() { message.to_string() } else { format!("broken JSON: {message}") };
    let mut at = (start + error.column().saturating_sub(1)).min(line.text.len());
    while !line.text.is_char_boundary(at) {
        at -= 1;
    }
    Problem::new(ProblemKind::Syntax, at, message).hint(
        r#"each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}"#,
    )
}
