//! Reading delimited text: each line is spelled as an atom, and read as one.

use std::ops::Range;
use std::sync::Arc;

use indexmap::IndexMap;
use oled::{FactError, FactReader, Facts, Kinds, Signature, StateError, state};
use rustc_hash::FxBuildHasher;

use super::{Kind, Row, Shape};
use crate::atom::{self, find_unquoted};
use crate::error::{Problem, ProblemKind};
use crate::frame::{ANNOTATION, NARRATIVE};
use crate::frame_assembler::FrameAssembler;
use crate::lines::Line;
use crate::reader::LineFormat;
use crate::sink::Sink;
use crate::spans::Span;

pub(crate) struct RtecReader {
    reader: FactReader,
    assembler: FrameAssembler,
    /// What a printed name with a number of fields behind the times is.
    kinds: IndexMap<String, Vec<(usize, Kind)>, FxBuildHasher>,
    fields: Vec<Range<usize>>,
    spelling: Spelling,
}

/// An atom spelled from the fields of a line.
#[derive(Default)]
struct Spelling {
    atom: String,
    /// Which byte of the atom comes from which byte of the line, for each field.
    origins: Vec<(usize, usize)>,
}

impl RtecReader {
    pub(crate) fn new(labels: &[Signature], declared: &[Signature], kinds: Arc<Kinds>) -> RtecReader {
        let mut reader = RtecReader {
            reader: FactReader::new(kinds),
            assembler: FrameAssembler::new(&[]),
            kinds: IndexMap::default(),
            fields: Vec::new(),
            spelling: Spelling::default(),
        };
        let signatures = declared.iter().map(|s| (s, false)).chain(labels.iter().map(|s| (s, true)));
        for (signature, label) in signatures {
            let atom = atom::numbered(*signature);
            let Row { shape, name, args, .. } = Row::of(&atom);
            reader.declare(&name.to_string(), args.len(), Kind { shape, label, span: false });
        }
        reader
    }

    fn declare(&mut self, name: &str, args: usize, kind: Kind) {
        let fields = kind.shape.fields(args) + usize::from(kind.span);
        let kinds = self.kinds.entry(name.into()).or_default();
        kinds.retain(|(f, _)| *f != fields);
        kinds.push((fields, kind));
    }

    fn kind(&self, name: &str, fields: usize) -> Kind {
        let known = self.kinds.get(name).and_then(|kinds| kinds.iter().find(|(f, _)| *f == fields));
        known.map_or(Kind { shape: Shape::Fluent, label: false, span: false }, |(_, kind)| *kind)
    }
}

impl LineFormat for RtecReader {
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let text = line.text;
        if let Some(rest) = text.trim_ascii_start().strip_prefix('#') {
            return self.directive(rest.trim(), text.len() - rest.len(), sink);
        }
        if text.trim_ascii().is_empty() {
            return Ok(());
        }
        split(text, &mut self.fields);
        match self.atom(text, sink) {
            Err(p)
                if !line.ended
                    && (p.kind == ProblemKind::Missing || p.kind == ProblemKind::Syntax && p.at == text.len()) =>
            {
                Err(Problem::truncated(text.len()))
            }
            result => result.or_else(|problem| self.assembler.skip_or_fail(problem, sink)),
        }
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), Problem> {
        self.assembler.flush(sink);
        Ok(())
    }

    fn save(&self) -> Vec<u8> {
        // The stream may have declared more than the task did.
        state::encode(&(self.assembler.save(), &self.kinds))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (gather, kinds): (Vec<u8>, _) = state::decode(bytes)?;
        self.kinds = kinds;
        self.assembler.restore(&gather)
    }
}

impl RtecReader {
    fn atom(&mut self, text: &str, sink: &mut Sink) -> Result<(), Problem> {
        let [name, time, arrival, rest @ ..] = self.fields.as_slice() else {
            return Err(missing(text, "expected a name and two times, with bars between them"));
        };
        for field in [time, arrival] {
            integer(text, field)?;
        }
        for field in rest {
            one_term(text, field)?;
        }
        let Kind { shape, label, span } = self.kind(&text[name.clone()], rest.len());
        // Of an interval the first time is that of its arrival, then come its start and its end.
        let (time, end, rest) = match (span, rest) {
            (true, [end, rest @ ..]) => (arrival, Some(end), rest),
            _ => (time, None, rest),
        };
        end.map_or(Ok(()), |end| integer(text, end))?;
        let (value, args) = match (shape, rest) {
            (Shape::Fluent, [value, args @ ..]) => (Some(value).filter(|v| &text[(*v).clone()] != "true"), args),
            (Shape::Fluent, []) => return Err(missing(text, "the fluent has no value")),
            (_, args) => (None, args),
        };
        let spelling = &mut self.spelling;
        spelling.clear();
        spelling.syntax(match shape {
            Shape::Event => "happensAt(",
            Shape::Fluent => "holdsAt(",
            Shape::Predicate => "",
        });
        spelling.field(text, name);
        for (i, arg) in args.iter().enumerate() {
            spelling.syntax(if i == 0 { "(" } else { "," });
            spelling.field(text, arg);
        }
        if shape == Shape::Predicate {
            spelling.syntax(if args.is_empty() { "(" } else { "," });
        } else {
            spelling.syntax(if args.is_empty() { "" } else { ")" });
            if let Some(value) = value {
                spelling.syntax("=");
                spelling.field(text, value);
            }
            spelling.syntax(",");
        }
        spelling.field(text, time);
        spelling.syntax(")");

        let part = if label { ANNOTATION } else { NARRATIVE };
        let wrong = |error: &FactError| Problem::atom(error, 0).at(spelling.origin(error.at));
        if let Some(end) = end {
            let mut facts: [Facts; 2] = Default::default();
            let first = self.reader.read(&spelling.atom, &mut facts[part]).map_err(|error| wrong(&error))?;
            // The end is no longer part of it.
            let last = text[end.clone()].parse::<i64>().map_or(first, |end| end.saturating_sub(1));
            let (segment, open) = self.assembler.place();
            return sink.hold(segment, Span { first, last, facts }, open).map_err(|problem| problem.at(time.start));
        }
        let time = self.reader.read(&spelling.atom, self.assembler.facts(part)).map_err(|error| wrong(&error))?;
        self.assembler.settle(part, time, self.fields[1].start, sink)
    }

    /// A line that starts with `#`: tells something, or is a comment.
    fn directive(&mut self, text: &str, at: usize, sink: &mut Sink) -> Result<(), Problem> {
        let Some((word, rest)) = text.split_once(' ') else { return Ok(()) };
        let rest = rest.trim();
        match word {
            "segment" => {
                if let Ok(segment) = atom::read_segment(rest) {
                    self.assembler.segment(segment, sink);
                }
            }
            "time" => {
                if let Ok(time) = rest.parse() {
                    self.assembler.open(time, at, sink)?;
                }
            }
            "label" => match rest.split_once(' ').and_then(|(word, name)| Some((word, shape_of(word)?, name))) {
                Some((word, shape, name)) => {
                    self.read_declaration(name, Kind { shape, label: true, span: word == INTERVAL });
                }
                None => self.read_declaration(rest, Kind { shape: Shape::Fluent, label: true, span: false }),
            },
            word => {
                if let Some(shape) = shape_of(word) {
                    self.read_declaration(rest, Kind { shape, label: false, span: word == INTERVAL });
                }
            }
        }
        Ok(())
    }

    /// Reads `name/arguments`; anything else is a comment.
    fn read_declaration(&mut self, text: &str, kind: Kind) {
        let Some((name, args)) = text.rsplit_once('/') else { return };
        if let (Ok(Some(oled::Value::Sym(_))), Ok(args)) = (atom::read_term(name), args.parse()) {
            self.declare(name, args, kind);
        }
    }
}

/// What a fluent is called that comes with a start and an end.
const INTERVAL: &str = "interval";

fn shape_of(word: &str) -> Option<Shape> {
    match word {
        "event" => Some(Shape::Event),
        "fluent" | INTERVAL => Some(Shape::Fluent),
        "predicate" => Some(Shape::Predicate),
        _ => None,
    }
}

/// The fields of a line, without the blanks around them. Bars in quotes are part of a name.
fn split(text: &str, fields: &mut Vec<Range<usize>>) {
    fields.clear();
    let bytes = text.as_bytes();
    let quoted = memchr::memchr2(b'\'', b'"', bytes).is_some();
    let mut start = 0;
    loop {
        let bar = if quoted {
            find_unquoted(bytes, start, b'|')
        } else {
            memchr::memchr(b'|', &bytes[start..]).map(|i| start + i)
        };
        let field = &text[start..bar.unwrap_or(text.len())];
        let left = start + field.len() - field.trim_ascii_start().len();
        fields.push(left..left + field.trim_ascii().len());
        match bar {
            Some(bar) => start = bar + 1,
            None => return,
        }
    }
}

fn missing(text: &str, message: &str) -> Problem {
    Problem::new(ProblemKind::Missing, text.len(), message).hint(
        "lines look like `appear|680|680|id0` after a line `# event appear/1`, or like `walking|680|680|true|id0`",
    )
}

fn integer(text: &str, field: &Range<usize>) -> Result<(), Problem> {
    let digits = &text[field.clone()];
    if digits.parse::<i64>().is_ok() && !digits.starts_with('+') {
        return Ok(());
    }
    Err(Problem::new(ProblemKind::BadNumber, field.start, format!("the time `{digits}` is not an integer"))
        .hint("the second and the third field are times"))
}

fn one_term(text: &str, field: &Range<usize>) -> Result<(), Problem> {
    let term = &text[field.clone()];
    if term.is_empty() {
        return Err(
            Problem::new(ProblemKind::Missing, field.start, "a field is empty").hint("write a term between the bars")
        );
    }
    // Nothing in a plain word or number could be taken for the syntax around it.
    if term.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.')) {
        return Ok(());
    }
    atom::read_term(term).map(drop).map_err(|error| {
        let problem = Problem::atom(&error, field.start);
        if problem.kind == ProblemKind::Syntax {
            problem.hint("between two bars stands one term, such as `id0` or `'Id 0'`")
        } else {
            problem
        }
    })
}

impl Spelling {
    fn clear(&mut self) {
        self.atom.clear();
        self.origins.clear();
    }

    fn syntax(&mut self, text: &str) {
        self.atom.push_str(text);
    }

    fn field(&mut self, line: &str, field: &Range<usize>) {
        self.origins.push((self.atom.len(), field.start));
        self.atom.push_str(&line[field.clone()]);
    }

    /// The byte of the line that a byte of the atom comes from.
    fn origin(&self, at: usize) -> usize {
        let field = self.origins.iter().rev().find(|(start, _)| *start <= at);
        field.map_or(0, |(start, origin)| origin + at - start)
    }
}
