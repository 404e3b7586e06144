//! JSON Lines: one frame a line.
//!
//! ```json
//! {"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":["holdsAt(meeting(id1,id2),680)"]}
//! ```
//!
//! What holds from one time to another has these in place of its time, and its atoms end in the first:
//!
//! ```json
//! {"segment":"walk1","from":680,"to":740,"narrative":["holdsAt(near(id1,id2),680)"]}
//! ```
//!
//! Segment, narrative and annotation may be left out; other keys are passed over, and counted.

use std::fmt::Write;
use std::sync::Arc;

use oled::lang::is_unprintable;
use oled::{Facts, Frame, Kinds, Symbol};

use crate::atom::Templates;
use crate::document::{Dialect, Document, DocumentReader};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::lines::Line;
use crate::reader::LineFormat;
use crate::sink::Sink;
use crate::spans::Span;

pub(crate) struct JsonlReader {
    documents: DocumentReader,
}

impl JsonlReader {
    pub(crate) fn new(kinds: Arc<Kinds>) -> JsonlReader {
        JsonlReader { documents: DocumentReader::new(Dialect::Jsonl, kinds) }
    }
}

impl LineFormat for JsonlReader {
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let Some(parsed) = self.parse(line, sink)? else { return Ok(()) };
        parsed.place(sink)
    }
}

/// A line that was read, and has not been given its place in the stream.
pub(crate) struct Parsed {
    document: Document,
    time: i64,
    /// The last time point, where it is about several.
    last: Option<i64>,
}

impl Parsed {
    /// Hands it on, if it may come now.
    pub(crate) fn place(self, sink: &mut Sink) -> Result<(), Problem> {
        let Parsed { document: Document { segment, time_at, facts, .. }, time, last } = self;
        if let Some(last) = last {
            let span = Span { first: time, last, facts };
            return sink.hold(segment, span, None).map_err(|problem| problem.at(time_at));
        }
        sink.admit(segment, time).map_err(|problem| problem.at(time_at))?;
        let [narrative, annotation] = facts;
        sink.push(Frame { segment, time, narrative, annotation });
        Ok(())
    }
}

impl JsonlReader {
    /// The segment of a line, if it can be read.
    pub(crate) fn segment(&mut self, line: Line<'_>, sink: &mut Sink) -> Option<Symbol> {
        self.parse(line, sink).ok()?.map(|parsed| parsed.document.segment)
    }

    /// Reads a line by itself, whatever came before; nothing if it is blank. The sink counts what is left out.
    pub(crate) fn parse(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<Option<Parsed>, Problem> {
        if line.text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let mut document = self.documents.read(line, 0, sink)?;
        let rest = line.text[document.end..].trim_ascii_start();
        if !rest.is_empty() {
            let at = line.text.len() - rest.len();
            return Err(Problem::new(ProblemKind::Syntax, at, "broken JSON: something follows the object")
                .hint("write one object a line"));
        }
        let Some(time) = document.time else {
            return Err(Problem::new(ProblemKind::Missing, 0, "the frame has no time")
                .hint(r#"each line needs its time point, as in {"time":680,...}"#));
        };
        self.drop_other_times(&mut document, time, sink)?;
        let last = match (document.from, document.to) {
            (true, Some(last)) => Some(last),
            (false, None) => None,
            _ => {
                let message = "`from` and `to` stand together: the first time point and the last";
                return Err(Problem::new(ProblemKind::Missing, document.time_at, message)
                    .hint("write `time` for what is known of one time point"));
            }
        };
        Ok(Some(Parsed { document, time, last }))
    }

    /// Atoms of another time than the frame's are a problem; where that is forgiven they are left out.
    fn drop_other_times(&self, document: &mut Document, time: i64, sink: &mut Sink) -> Result<(), Problem> {
        for part in [NARRATIVE, ANNOTATION] {
            let marks = &self.documents.marks[part];
            if marks.iter().all(|m| m.time == time) {
                continue;
            }
            for mark in marks.iter().filter(|m| m.time != time) {
                let message = format!("the atom is about time {}, its frame about time {time}", mark.time);
                sink.skip_or_fail(
                    Problem::new(ProblemKind::WrongTime, mark.at, message)
                        .hint("documents of OLED that span several time points are read with the option `from=mongo`"),
                )?;
            }
            let mut marks = marks.iter();
            document.facts[part] = document.facts[part].filter(|_, _| marks.next().is_some_and(|m| m.time == time));
        }
        Ok(())
    }
}

/// A JSON text in letters that can be printed: serde leaves some control characters in strings as they are.
///
/// ```
/// assert_eq!(oled_data::printable_json("[\"\u{9b}\"]"), r#"["\u009b"]"#);
/// ```
pub fn printable_json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        // Between strings there are line ends at most.
        if is_unprintable(c) && c != '\n' {
            // All of them are below 2^16; writing to a string cannot fail.
            let _ = write!(shown, "\\u{:04x}", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Writes objects with these keys first.
pub(crate) struct JsonWriter {
    templates: Templates,
    /// An atom before it is quoted.
    atom: String,
}

impl JsonWriter {
    pub(crate) fn new(templates: Templates) -> JsonWriter {
        JsonWriter { templates, atom: String::new() }
    }

    /// Appends a line.
    pub(crate) fn write(&mut self, frame: &Frame, out: &mut String) {
        out.push_str("{\"segment\":");
        push_string(frame.segment.as_str(), out);
        // Writing to a string cannot fail.
        let _ = write!(out, ",\"time\":{},\"narrative\":[", frame.time);
        self.push_atoms(&frame.narrative, frame.time, out);
        out.push_str("],\"annotation\":[");
        self.push_atoms(&frame.annotation, frame.time, out);
        out.push_str("]}\n");
    }

    fn push_atoms(&mut self, facts: &Facts, time: i64, out: &mut String) {
        for (i, (signature, values)) in facts.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            self.atom.clear();
            self.templates.of(signature).write(values, time, &mut self.atom);
            push_string(&self.atom, out);
        }
    }
}

/// Appends a string in quotes, of letters that can be printed.
fn push_string(text: &str, out: &mut String) {
    if text.contains(is_unprintable) || text.contains(['"', '\\']) {
        out.push_str(&printable_json(&serde_json::Value::from(text).to_string()));
    } else {
        out.push('"');
        out.push_str(text);
        out.push('"');
    }
}
