//! Documents of `MongoDB`, as OLED keeps its data and `mongoexport` writes it: one a line, each spanning some time points.
//!
//! Atoms are dealt to frames by their own time. Consecutive documents may share a time point, whose frame is the union
//! of both, so the last frame of a document is held back until the next one.

use oled::{Facts, Frame, StateError, Symbol, state};

use crate::document::{Dialect, Document, DocumentReader};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::lines::Line;
use crate::reader::LineFormat;
use crate::sink::Sink;

pub(crate) struct MongoReader {
    documents: DocumentReader,
    /// The last frame of the last document.
    held: Option<Frame>,
    /// The frames of the current document, by time.
    dealt: Vec<Dealt>,
}

/// A frame of a document, and where its first atom is.
struct Dealt {
    at: usize,
    frame: Frame,
}

/// The names of wrappers, which atoms may have in quotes only.
pub(crate) const RESERVED: [&str; 2] = ["example", "negExample"];

impl Default for MongoReader {
    fn default() -> MongoReader {
        MongoReader { documents: DocumentReader::new(Dialect::Mongo), held: None, dealt: Vec::new() }
    }
}

impl LineFormat for MongoReader {
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let bytes = line.text.as_bytes();
        let mut at = 0;
        loop {
            // What `--jsonArray` puts between documents.
            while bytes.get(at).is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b'[' | b',' | b']')) {
                at += 1;
            }
            if at == bytes.len() {
                return Ok(());
            }
            let document = self.documents.read(line, at, sink)?;
            let end = document.end;
            if let Err(problem) = self.deal(&document, at) {
                sink.forgive(problem)?;
            }
            self.hand_over(sink)?;
            at = end;
        }
    }

    fn end(&mut self, sink: &mut Sink) {
        if let Some(frame) = self.held.take() {
            sink.push(frame);
        }
    }

    fn save(&self) -> Vec<u8> {
        state::encode(&self.held)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        self.held = state::decode(bytes)?;
        Ok(())
    }
}

impl MongoReader {
    /// Deals the atoms of a document to frames. The document's own time counts only where there are no atoms: in some
    /// data bases it is the number of a batch.
    fn deal(&mut self, document: &Document, at: usize) -> Result<(), Problem> {
        self.dealt.clear();
        for part in [NARRATIVE, ANNOTATION] {
            for ((signature, values), mark) in document.facts[part].iter().zip(&self.documents.marks[part]) {
                let frame = frame_at(&mut self.dealt, document.segment, mark.time, mark.at);
                let facts = if part == NARRATIVE { &mut frame.narrative } else { &mut frame.annotation };
                facts.push(signature, values);
            }
        }
        match document.time {
            Some(time) if self.dealt.is_empty() => {
                frame_at(&mut self.dealt, document.segment, time, document.time_at);
                Ok(())
            }
            None if self.dealt.is_empty() => {
                Err(Problem::new(ProblemKind::Missing, at, "the document has neither a time nor atoms")
                    .hint(r#"each document needs its time point, as in {"time":680,...}"#))
            }
            _ => Ok(()),
        }
    }

    /// Pushes all frames but the last, which is held back.
    fn hand_over(&mut self, sink: &mut Sink) -> Result<(), Problem> {
        for Dealt { at, frame } in self.dealt.drain(..) {
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
                    Err(problem) => sink.forgive(problem.at(at))?,
                },
            }
        }
        Ok(())
    }
}

/// The frame at a time, made where there is none; `dealt` stays sorted by time.
fn frame_at(dealt: &mut Vec<Dealt>, segment: Symbol, time: i64, at: usize) -> &mut Frame {
    // Atoms mostly come in the order of time, so the last frame is the likeliest.
    let index = match dealt.last() {
        Some(last) if last.frame.time == time => dealt.len() - 1,
        _ => match dealt.binary_search_by_key(&time, |d| d.frame.time) {
            Ok(index) => index,
            Err(index) => {
                dealt.insert(index, Dealt { at, frame: Frame::new(segment, time) });
                index
            }
        },
    };
    &mut dealt[index].frame
}

/// Adds the facts that are not there yet.
fn union(facts: &mut Facts, others: &Facts) {
    for (signature, values) in others.iter() {
        if !facts.contains(signature, values) {
            facts.push(signature, values);
        }
    }
}
