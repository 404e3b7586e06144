//! Documents of `MongoDB`, as OLED keeps its data and `mongoexport` writes it: one a line, each spanning some time points.
//!
//! Atoms are dealt to frames by their own time. Consecutive documents may share a time point, whose frame is the union
//! of both, so the last frame of a document is held back until the next one.

use std::sync::Arc;

use oled::{Facts, Frame, Kinds, StateError, Symbol, state};
use serde::{Deserialize, Serialize};

use crate::document::{Dialect, Document, DocumentReader};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::lines::Line;
use crate::reader::LineFormat;
use crate::sink::Sink;

pub(crate) struct MongoReader {
    documents: DocumentReader,
    list: List,
    /// The last frame of the last document.
    held: Option<Frame>,
    /// The frames of the current document, by time.
    placed: Vec<PlacedFrame>,
}

/// Where a reader is in a list of documents, as `--jsonArray` writes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum List {
    /// In none: documents follow each other.
    Outside,
    /// Behind the bracket that opens it.
    Opened,
    /// Behind a document.
    Document,
    /// Behind a comma.
    Comma,
    /// Behind something that was left out, so that anything may follow.
    Lost,
}

/// A frame of a document, and where its first atom is.
struct PlacedFrame {
    at: usize,
    frame: Frame,
}

/// The names of wrappers, which atoms may have in quotes only.
pub(crate) const RESERVED: [&str; 2] = ["example", "negExample"];

impl MongoReader {
    pub(crate) fn new(kinds: Arc<Kinds>) -> MongoReader {
        let documents = DocumentReader::new(Dialect::Mongo, kinds);
        MongoReader { documents, list: List::Outside, held: None, placed: Vec::new() }
    }
}

impl List {
    /// Takes the next letter that is not blank, if it may stand here; returns where the reader is then.
    fn take(self, letter: u8) -> Result<List, &'static str> {
        use List::{Comma, Document, Lost, Opened, Outside};
        match (letter, self) {
            (b'[', Outside | Lost) => Ok(Opened),
            (b'[', _) => Err("a list within a list"),
            (b',', Document | Lost) => Ok(Comma),
            (b',', _) => Err("a comma that does not follow a document of a list"),
            (b']', Opened | Document | Lost) => Ok(Outside),
            (b']', Comma) => Err("a comma without a document behind it"),
            (b']', Outside) => Err("the end of a list that has not begun"),
            (_, Document) => Err("no comma between two documents of a list"),
            (_, Opened | Comma) => Ok(Document),
            (_, Outside | Lost) => Ok(self),
        }
    }
}

impl LineFormat for MongoReader {
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let result = self.documents(line, sink);
        if result.is_err() {
            self.list = List::Lost;
        }
        result
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), Problem> {
        if let Some(frame) = self.held.take() {
            sink.push(frame);
        }
        if matches!(self.list, List::Outside | List::Lost) {
            return Ok(());
        }
        Err(Problem::new(ProblemKind::Truncated, 0, "the input ends within a list of documents: `]` is missing")
            .hint("it was probably cut off while it was written: export it again"))
    }

    fn save(&self) -> Vec<u8> {
        state::encode(&(&self.held, self.list))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        (self.held, self.list) = state::decode(bytes)?;
        Ok(())
    }
}

impl MongoReader {
    /// Reads the documents of a line.
    fn documents(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let bytes = line.text.as_bytes();
        let mut at = 0;
        loop {
            while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
                at += 1;
            }
            let Some(letter) = bytes.get(at) else { return Ok(()) };
            self.list = self.list.take(*letter).map_err(|what| {
                Problem::new(ProblemKind::Syntax, at, format!("broken JSON: {what}"))
                    .hint("write one document a line, or a list of them: `[{…},{…}]`")
            })?;
            if matches!(letter, b'[' | b',' | b']') {
                at += 1;
                continue;
            }
            let document = self.documents.read(line, at, sink)?;
            let end = document.end;
            if let Err(problem) = self.deal(&document, at) {
                sink.skip_or_fail(problem)?;
            }
            self.hand_over(sink)?;
            at = end;
        }
    }

    /// Deals the atoms of a document to frames. The document's own time counts only where there are no atoms: in some
    /// data bases it is the number of a batch.
    fn deal(&mut self, document: &Document, at: usize) -> Result<(), Problem> {
        self.placed.clear();
        for part in [NARRATIVE, ANNOTATION] {
            for ((signature, values), mark) in document.facts[part].iter().zip(&self.documents.marks[part]) {
                let frame = frame_at(&mut self.placed, document.segment, mark.time, mark.at);
                let facts = if part == NARRATIVE { &mut frame.narrative } else { &mut frame.annotation };
                facts.push(signature, values);
            }
        }
        for mark in &self.documents.left_out {
            frame_at(&mut self.placed, document.segment, mark.time, mark.at);
        }
        match document.time {
            Some(time) if self.placed.is_empty() => {
                frame_at(&mut self.placed, document.segment, time, document.time_at);
                Ok(())
            }
            None if self.placed.is_empty() => {
                Err(Problem::new(ProblemKind::Missing, at, "the document has neither a time nor atoms")
                    .hint(r#"each document needs its time point, as in {"time":680,...}"#))
            }
            _ => Ok(()),
        }
    }

    /// Pushes all frames but the last, which is held back.
    fn hand_over(&mut self, sink: &mut Sink) -> Result<(), Problem> {
        for PlacedFrame { at, frame } in self.placed.drain(..) {
            match &mut self.held {
                Some(held) if held.time == frame.time && held.segment == frame.segment => {
                    union(&mut held.narrative, &frame.narrative);
                    union(&mut held.annotation, &frame.annotation);
                }
                held => match sink.admit(frame.segment, frame.time) {
                    Ok(()) => {
                        if let Some(complete) = held.replace(frame) {
                            sink.push(complete);
                        }
                    }
                    Err(problem) => sink.skip_or_fail(problem.at(at))?,
                },
            }
        }
        Ok(())
    }
}

/// The frame at a time, made where there is none; `placed` stays sorted by time.
fn frame_at(placed: &mut Vec<PlacedFrame>, segment: Symbol, time: i64, at: usize) -> &mut Frame {
    // Atoms mostly come in the order of time, so the last frame is the likeliest.
    let index = match placed.last() {
        Some(last) if last.frame.time == time => placed.len() - 1,
        _ => match placed.binary_search_by_key(&time, |d| d.frame.time) {
            Ok(index) => index,
            Err(index) => {
                placed.insert(index, PlacedFrame { at, frame: Frame::new(segment, time) });
                index
            }
        },
    };
    &mut placed[index].frame
}

/// Adds the facts that are not there yet.
fn union(facts: &mut Facts, others: &Facts) {
    for (signature, values) in others.iter() {
        if !facts.contains(signature, values) {
            facts.push(signature, values);
        }
    }
}
