//! Facts: text as logic programs have it, one or more atoms a line, each with a full stop.
//!
//! ```prolog
//! segment(walk1).                          % starts a segment
//! happensAt(walking(id1),680).             % consecutive atoms of the same time are a frame
//! example(holdsAt(meeting(id1,id2),680)).  % annotation
//! time(720).                               % a frame, even if nothing is known about it
//! ```

use std::fmt::Write;
use std::sync::Arc;

use oled::{FactReader, Facts, Frame, Kinds, Signature, StateError, Symbol};

use crate::atom::{self, Template, Templates, Wrapper, find_unquoted};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::frame_assembler::FrameAssembler;
use crate::lines::Line;
use crate::reader::LineFormat;
use crate::sink::Sink;

pub(crate) struct FactsReader {
    reader: FactReader,
    assembler: FrameAssembler,
}

/// The names with a meaning of their own, which atoms may have in quotes only.
const RESERVED: [&str; 4] = ["segment", "time", "example", "negExample"];

impl FactsReader {
    pub(crate) fn new(labels: &[Signature], kinds: Arc<Kinds>) -> FactsReader {
        FactsReader { reader: FactReader::new(kinds), assembler: FrameAssembler::new(labels) }
    }
}

impl LineFormat for FactsReader {
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let bytes = line.text.as_bytes();
        let mut at = 0;
        loop {
            at = skip_blanks(bytes, at);
            if matches!(bytes.get(at), None | Some(b'%')) {
                return Ok(());
            }
            at = match self.statement(line.text, at, sink) {
                Ok(end) => end,
                Err(problem) if problem.kind == ProblemKind::Syntax && problem.at == bytes.len() && !line.ended => {
                    return Err(Problem::truncated(bytes.len()));
                }
                Err(problem) => {
                    self.assembler.skip_or_fail(problem, sink)?;
                    next_statement(bytes, at)
                }
            };
        }
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), Problem> {
        self.assembler.flush(sink);
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        self.assembler.save()
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        self.assembler.restore(bytes)
    }
}

impl FactsReader {
    /// Reads a statement; returns where it ends.
    fn statement(&mut self, text: &str, at: usize, sink: &mut Sink) -> Result<usize, Problem> {
        let rest = &text[at..];
        if rest.starts_with("segment(") {
            return self.segment(text, at + "segment(".len(), sink);
        }
        if rest.starts_with("time(") {
            let (time, end) = self.read(text, at, &mut Facts::default())?;
            let end = full_stop(text, end)?;
            self.assembler.open(time, at, sink)?;
            return Ok(end);
        }
        let (wrapper, length) = atom::wrapper(rest);
        let inner = at + length;
        match wrapper {
            Wrapper::NegExample => {
                let (_, end) = self.read(text, inner, &mut Facts::default())?;
                full_stop(text, bracket(text, end)?)
            }
            Wrapper::Example => self.atom(text, inner, ANNOTATION, sink),
            Wrapper::None => self.atom(text, inner, NARRATIVE, sink),
        }
    }

    fn segment(&mut self, text: &str, start: usize, sink: &mut Sink) -> Result<usize, Problem> {
        let end = find_unquoted(text.as_bytes(), start, b')').unwrap_or(text.len());
        let segment = atom::read_segment(&text[start..end]).map_err(|e| Problem::atom(&e, start))?;
        let end = full_stop(text, bracket(text, end)?)?;
        self.assembler.segment(segment, sink);
        Ok(end)
    }

    fn atom(&mut self, text: &str, start: usize, part: usize, sink: &mut Sink) -> Result<usize, Problem> {
        let (time, end) =
            self.reader.read_prefix(text, start, self.assembler.facts(part)).map_err(|e| Problem::atom(&e, 0))?;
        let end = if part == ANNOTATION { bracket(text, end) } else { Ok(end) };
        match end.and_then(|end| full_stop(text, end)) {
            Ok(end) => {
                self.assembler.settle(part, time, start, sink)?;
                Ok(end)
            }
            Err(problem) => {
                self.assembler.retract(part);
                Err(problem)
            }
        }
    }

    fn read(&mut self, text: &str, at: usize, facts: &mut Facts) -> Result<(i64, usize), Problem> {
        self.reader.read_prefix(text, at, facts).map_err(|e| Problem::atom(&e, 0))
    }
}

/// The segment that a line goes to in the end, if it names one; and whether that comes before everything else in it.
pub(crate) fn segment_of_line(text: &str) -> Option<(Symbol, bool)> {
    const NAMES: &str = "segment(";
    memchr::memmem::find(text.as_bytes(), NAMES.as_bytes())?;
    let bytes = text.as_bytes();
    let (mut at, mut found) = (skip_blanks(bytes, 0), None);
    while !matches!(bytes.get(at), None | Some(b'%')) {
        if let Some(name) = text[at..].strip_prefix(NAMES) {
            let end = find_unquoted(name.as_bytes(), 0, b')').unwrap_or(name.len());
            let first = bytes[..at].iter().all(u8::is_ascii_whitespace);
            found = Some((atom::read_segment(&name[..end]).ok()?, first));
        }
        at = skip_blanks(bytes, next_statement(bytes, at));
    }
    found
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

fn full_stop(text: &str, at: usize) -> Result<usize, Problem> {
    expect(text, at, b'.', "expected a full stop after the fact", "facts look like `happensAt(walking(id1),680).`")
}

fn bracket(text: &str, at: usize) -> Result<usize, Problem> {
    expect(text, at, b')', "expected `)`", "close the bracket, as in `example(holdsAt(meeting(id1,id2),680)).`")
}

fn expect(text: &str, at: usize, wanted: u8, message: &str, hint: &'static str) -> Result<usize, Problem> {
    let at = skip_blanks(text.as_bytes(), at);
    if text.as_bytes().get(at) == Some(&wanted) {
        return Ok(at + 1);
    }
    Err(Problem::new(ProblemKind::Syntax, at, message).hint(hint))
}

/// Behind the next full stop, where the next statement may start.
fn next_statement(bytes: &[u8], mut at: usize) -> usize {
    while let Some(stop) = find_unquoted(bytes, at, b'.') {
        at = stop + 1;
        if !bytes.get(at).is_some_and(u8::is_ascii_digit) {
            return at;
        }
    }
    bytes.len()
}

/// Writes one fact a line.
pub(crate) struct FactsWriter {
    templates: Templates,
    segment: Option<Symbol>,
}

impl FactsWriter {
    pub(crate) fn new() -> FactsWriter {
        let templates = Templates::new(|signature| Template::atom(signature, &RESERVED));
        FactsWriter { templates, segment: None }
    }

    /// Appends the lines of a frame.
    pub(crate) fn write(&mut self, frame: &Frame, out: &mut String) {
        // Writing to a string cannot fail.
        if self.segment.replace(frame.segment) != Some(frame.segment) {
            let _ = writeln!(out, "segment({}).", frame.segment);
        }
        if frame.narrative.is_empty() && frame.annotation.is_empty() {
            let _ = writeln!(out, "time({}).", frame.time);
        }
        for (signature, values) in frame.narrative.iter() {
            self.templates.of(signature).write(values, frame.time, out);
            out.push_str(".\n");
        }
        for (signature, values) in frame.annotation.iter() {
            out.push_str("example(");
            self.templates.of(signature).write(values, frame.time, out);
            out.push_str(").\n");
        }
    }
}
