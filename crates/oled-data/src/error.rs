//! What can be wrong with data: what, where, and what to do about it.

use std::borrow::Cow;
use std::fmt;
use std::io;

use oled::lang::{printable, write_excerpt};
use oled::{FactError, FactProblem, Symbol};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::live::Cut;
use crate::unknown::Unknown;

/// Something wrong with data, with its place. Small where all is well: the rest is behind a pointer.
///
/// ```text
/// error: the atom is about time 720, its frame about time 680
///  --> stream.jsonl:1:27
///   |
/// 1 | {"time":680,"narrative":["happensAt(walking(id1),720)"]}
///   |                           ^
/// hint: documents of OLED that span several time points are read with `--from mongo`
/// ```
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DataError(Box<Details>);

#[derive(Debug)]
struct Details {
    problem: Problem,
    /// The path as the user wrote it, or `<stdin>`.
    source: String,
    /// Where in it, unless it is the source as a whole.
    place: Option<Place>,
}

#[derive(Debug)]
struct Place {
    line: usize,
    column: usize,
    /// The line, or the neighbourhood of the column where the line is long.
    text: String,
    /// Where the column is in `text`.
    column_in_text: usize,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ProblemKind {
    /// The text does not follow its format.
    Syntax,
    /// A frame is earlier than the one before it in its segment.
    OutOfOrder,
    /// A segment has the same time point twice.
    DuplicateFrame,
    /// An atom's time is not the time of its frame.
    WrongTime,
    /// An atom has a variable.
    NotGround,
    /// A number that cannot be represented, or that is none.
    BadNumber,
    /// The input ends in the middle of something.
    Truncated,
    /// A field that must be there is not.
    Missing,
    /// A segment comes back after another one began.
    SegmentReturns,
    /// The format is unknown, or cannot do what is asked.
    Format,
    /// The background does not say what follows from a frame.
    Reasoner,
    /// The system could not open, read or write.
    Io,
    /// There is more of something than is allowed.
    Limit,
    /// A value is not of the declared type.
    WrongType,
    /// The program itself failed while it read.
    Fault,
}

impl ProblemKind {
    /// All kinds, in the order in which they are counted.
    pub const ALL: [ProblemKind; 15] = [
        ProblemKind::Syntax,
        ProblemKind::OutOfOrder,
        ProblemKind::DuplicateFrame,
        ProblemKind::WrongTime,
        ProblemKind::NotGround,
        ProblemKind::BadNumber,
        ProblemKind::Truncated,
        ProblemKind::Missing,
        ProblemKind::SegmentReturns,
        ProblemKind::Format,
        ProblemKind::Reasoner,
        ProblemKind::Io,
        ProblemKind::Limit,
        ProblemKind::WrongType,
        ProblemKind::Fault,
    ];

    /// What is skipped because of it, for one and for many.
    fn nouns(self) -> (&'static str, &'static str) {
        match self {
            ProblemKind::Syntax => ("syntax error", "syntax errors"),
            ProblemKind::OutOfOrder => ("frame out of order", "frames out of order"),
            ProblemKind::DuplicateFrame => ("duplicate frame", "duplicate frames"),
            ProblemKind::WrongTime => ("atom of another time", "atoms of another time"),
            ProblemKind::NotGround => ("atom with a variable", "atoms with variables"),
            ProblemKind::BadNumber => ("bad number", "bad numbers"),
            ProblemKind::Truncated => ("truncated line", "truncated lines"),
            ProblemKind::Missing => ("missing field", "missing fields"),
            ProblemKind::SegmentReturns => ("frame of a segment that returned", "frames of segments that returned"),
            ProblemKind::Format => ("unknown format", "unknown formats"),
            ProblemKind::Reasoner => ("frame without one model", "frames without one model"),
            ProblemKind::Io => ("input error", "input errors"),
            ProblemKind::Limit => ("limit", "limits"),
            ProblemKind::WrongType => ("value of another type", "values of other types"),
            ProblemKind::Fault => ("fault of the program", "faults of the program"),
        }
    }
}

/// How much was left out in lenient mode, by kind, and what of the stream the task does not know.
///
/// ```
/// assert_eq!(oled_data::Skipped::default().to_string(), "skipped nothing");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skipped {
    counts: [u64; ProblemKind::ALL.len()],
    /// Late frames that were put in order, and left out of nothing.
    pub(crate) reordered: u64,
    /// Labels that came when their frames did not wait for them any more.
    pub(crate) late_labels: u64,
    pub(crate) unknown: Unknown,
}

impl Skipped {
    pub(crate) fn add(&mut self, kind: ProblemKind) {
        self.counts[kind as usize] += 1;
    }

    /// Adds what was left out of a part of the stream.
    pub(crate) fn add_all(&mut self, other: &Skipped) {
        self.counts.iter_mut().zip(other.counts).for_each(|(own, more)| *own += more);
        self.reordered += other.reordered;
    }

    /// Adds what was left out of another part of a stream. Counts are sums, so that parts may be added in any order.
    pub fn merge(&mut self, other: &Skipped) {
        self.counts.iter_mut().zip(other.counts).for_each(|(own, count)| *own += count);
        self.reordered += other.reordered;
        self.unknown.merge(&other.unknown);
    }

    /// Whether there is nothing to be told of it.
    pub(crate) fn is_nothing(&self) -> bool {
        self.total() == 0 && self.reordered == 0 && self.unknown.is_nothing()
    }

    /// How often something was left out for this reason.
    pub fn count(&self, kind: ProblemKind) -> u64 {
        self.counts[kind as usize]
    }

    /// How many frames came late, but not too late, and were put in order.
    pub fn reordered(&self) -> u64 {
        self.reordered
    }

    /// How many labels came when their frames did not wait for them any more.
    pub fn late_labels(&self) -> u64 {
        self.late_labels
    }

    /// What of the stream the task does not know.
    pub fn unknown(&self) -> &Unknown {
        &self.unknown
    }

    /// How often anything was left out.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

/// The counts are written as one list, which a later version may have more of.
impl Serialize for Skipped {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.reordered, &self.counts[..], &self.unknown).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Skipped {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Skipped, D::Error> {
        let (reordered, list, unknown) = <(u64, Vec<u64>, Unknown)>::deserialize(deserializer)?;
        let mut counts = [0; ProblemKind::ALL.len()];
        let known = counts.get_mut(..list.len()).filter(|_| list.iter().all(|count| *count < 1 << 56));
        known.ok_or_else(|| D::Error::custom("other things were skipped than can be"))?.copy_from_slice(&list);
        Ok(Skipped { counts, reordered: reordered.min(1 << 56), late_labels: 0, unknown })
    }
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total();
        if total == 0 {
            return f.write_str("skipped nothing");
        }
        let mut separator = ':';
        write!(f, "skipped {total}")?;
        for kind in ProblemKind::ALL {
            let count = self.count(kind);
            if count > 0 {
                let (one, many) = kind.nouns();
                write!(f, "{separator} {count} {}", if count == 1 { one } else { many })?;
                separator = ',';
            }
        }
        Ok(())
    }
}

/// Something wrong with a text, whose place is known only as a byte of it.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    /// The byte of the line, or of the whole text.
    pub(crate) at: usize,
    message: String,
    hint: Option<Cow<'static, str>>,
    /// The time of an atom whose only fault is a value: it is left out, and the time point is there all the same.
    pub(crate) time: Option<i64>,
}

impl Problem {
    pub(crate) fn new(kind: ProblemKind, at: usize, message: impl Into<String>) -> Problem {
        Problem { kind, at, message: message.into(), hint: None, time: None }
    }

    /// The same problem, told with the row of a table that has no lines.
    #[cfg(feature = "arrow")]
    pub(crate) fn in_row(mut self, row: u64) -> Problem {
        self.message = format!("row {row}: {}", self.message);
        self
    }

    /// The same problem, told with the segment if it is about a value.
    pub(crate) fn within(mut self, segment: Symbol) -> Problem {
        if let Some(time) = self.time {
            self.message = format!("{}, at time {time} of segment `{segment}`", self.message);
        }
        self
    }

    pub(crate) fn hint(mut self, hint: impl Into<Cow<'static, str>>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// The same problem elsewhere.
    pub(crate) fn at(mut self, at: usize) -> Problem {
        self.at = at;
        self
    }

    /// What is wrong with an atom that starts at this byte.
    pub(crate) fn atom(error: &FactError, start: usize) -> Problem {
        let kind = match error.problem {
            FactProblem::Truncated | FactProblem::Expected(_) | FactProblem::TooDeep => ProblemKind::Syntax,
            FactProblem::Variable(_) => ProblemKind::NotGround,
            FactProblem::Number(_) => ProblemKind::BadNumber,
            FactProblem::NoTime => ProblemKind::Missing,
            FactProblem::Kind(_) => ProblemKind::WrongType,
        };
        let time = if let FactProblem::Kind(wrong) = &error.problem { Some(wrong.time) } else { None };
        Problem { time, ..Problem::new(kind, start + error.at, error.problem.to_string()).hint(error.problem.hint()) }
    }

    /// What a thread that reads said when it panicked.
    pub(crate) fn panicked(why: &str) -> Problem {
        Problem::new(ProblemKind::Fault, 0, format!("the program failed while it read the stream: {why}"))
            .hint("this is a fault of the program, not of the stream: please report it")
    }

    /// A line that is no text.
    pub(crate) fn not_utf8(at: usize) -> Problem {
        Problem::new(ProblemKind::Syntax, at, "the line is not UTF-8 text")
            .hint("convert the input to UTF-8, or decompress it")
    }

    /// The end of an input that was cut off.
    pub(crate) fn truncated(at: usize) -> Problem {
        Problem::new(ProblemKind::Truncated, at, "the input ends in the middle of a line")
            .hint("it was probably cut off while it was written: write it again, or skip what is left of the line with the option `lenient`")
    }

    /// The problem with its place, given the text that `at` counts in and the number of its first line.
    pub(crate) fn locate(self, source: &str, first_line: usize, text: &[u8]) -> DataError {
        /// More than an excerpt shows on either side.
        const KEPT: usize = 200;
        let at = self.at.min(text.len());
        let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |i| i + 1);
        let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |i| at + i);
        let before = String::from_utf8_lossy(&text[start..at]);
        let after = String::from_utf8_lossy(&text[at..end]);
        let column = before.chars().count() + 1;
        let cut = (column - 1).saturating_sub(KEPT);
        let text_shown = before.chars().skip(cut).chain(after.trim_end_matches('\r').chars().take(KEPT)).collect();
        let place = Place {
            line: first_line + memchr::memchr_iter(b'\n', &text[..start]).count(),
            column,
            text: text_shown,
            column_in_text: column - cut,
        };
        DataError(Box::new(Details { problem: self, source: source.into(), place: Some(place) }))
    }

    /// The problem of a source as a whole.
    pub(crate) fn of(self, source: impl Into<String>) -> DataError {
        DataError(Box::new(Details { problem: self, source: source.into(), place: None }))
    }
}

impl DataError {
    /// The same so many lines further on.
    pub(crate) fn further(mut self, lines: usize) -> DataError {
        self.0.place.iter_mut().for_each(|place| place.line += lines);
        self
    }

    /// What the system said when something was to be done with a file.
    pub(crate) fn io(doing: &str, source: &str, error: &io::Error) -> DataError {
        let (kind, hint) = match error.kind() {
            // As our own reader of lines says it.
            io::ErrorKind::FileTooLarge if doing == "read" => {
                (ProblemKind::Limit, Some("is a line end missing? the option `max_line` allows longer ones"))
            }
            _ if error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<Cut>) => {
                (ProblemKind::Io, Some("what was not read yet is lost: rotate it by renaming it, not by cutting it"))
            }
            _ => (ProblemKind::Io, None),
        };
        let problem = Problem::new(kind, 0, format!("cannot {doing} `{source}`: {error}"));
        hint.into_iter().fold(problem, Problem::hint).of(source)
    }

    /// What kind of thing is wrong.
    pub fn kind(&self) -> ProblemKind {
        self.0.problem.kind
    }

    /// What is wrong: a lower-case sentence without a full stop.
    pub fn message(&self) -> &str {
        &self.0.problem.message
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&str> {
        self.0.problem.hint.as_deref()
    }

    /// The path as the user wrote it, or `<stdin>`.
    pub fn source_name(&self) -> &str {
        &self.0.source
    }

    /// Line and column, counted from one, columns in characters.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        self.0.place.as_ref().map(|p| (p.line, p.column))
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", printable(&self.problem.message))?;
        if let Some(Place { line, column, text, column_in_text }) = &self.place {
            let place = format!("{}:{line}:{column}", printable(&self.source));
            write_excerpt(f, &place, &line.to_string(), text, *column_in_text, 1)?;
        }
        match &self.problem.hint {
            Some(hint) => write!(f, "\nhint: {}", printable(hint)),
            None => Ok(()),
        }
    }
}
