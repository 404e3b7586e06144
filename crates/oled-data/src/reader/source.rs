//! A source: what a format is for a reader, as a whole or line by line.

use std::ops::Range;

use oled::{StateError, state};

use crate::error::{DataError, Problem};
use crate::lines::{Line, Place};
use crate::sink::Sink;

/// What a format is for a reader: takes the next piece of its input and pushes the frames in it.
pub(crate) trait Source: Send {
    /// Whether there may be more.
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError>;

    /// Takes what is left at the end of the input, and pushes what was held back.
    fn end(&mut self, _: &mut Sink) -> Result<(), DataError> {
        Ok(())
    }

    /// Where it is, and what it holds back; `None` for a source that has to be read from its beginning.
    fn save(&self) -> Option<(Place, Vec<u8>)> {
        None
    }
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// A piece was taken.
    More,
    /// There is nothing to be taken now.
    Idle,
    /// The input has ended, but for what [`Source::end`] takes.
    End,
}

/// Why there is no frame now, where there may be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Nothing was written for a moment, or reading was stopped.
    Idle,
    /// The input is at its end: [`Frames::end`](super::Frames::end) gives what was held back, as the last frame of some formats is.
    End,
}

/// What was taken of many lines.
#[derive(Default)]
pub(crate) struct Many {
    pub(crate) lines: usize,
    pub(crate) bytes: usize,
    /// What is wrong with the last of them, and where it stands.
    pub(crate) problem: Option<(Problem, Range<usize>)>,
}

impl Many {
    /// Counts a line of a text that was taken; returns whether the next may be.
    #[inline]
    pub(crate) fn take(&mut self, taken: Result<(), Problem>, text: &str, line: Range<usize>, sink: &mut Sink) -> bool {
        self.lines += 1;
        self.bytes = line.end;
        match taken {
            Ok(()) => true,
            Err(problem) => self.skip_or_fail(problem, text, line, sink),
        }
    }

    #[cold]
    fn skip_or_fail(&mut self, problem: Problem, text: &str, line: Range<usize>, sink: &mut Sink) -> bool {
        let Err(problem) = sink.skip_or_fail(problem) else { return true };
        let shown = text[line.clone()].trim_end_matches('\n');
        let shown = shown.strip_suffix('\r').unwrap_or(shown);
        self.problem = Some((problem, line.start..line.start + shown.len()));
        false
    }
}

/// Takes whole lines one by one.
pub(crate) fn each_line(format: &mut impl LineFormat, text: &str, sink: &mut Sink) -> Many {
    let mut many = Many::default();
    for end in memchr::memchr_iter(b'\n', text.as_bytes()) {
        let taken = format.line(Line::ended(&text[many.bytes..end]), sink);
        if !many.take(taken, text, many.bytes..end + 1, sink) {
            break;
        }
    }
    many
}

/// A format that is read line by line.
pub(crate) trait LineFormat: Send {
    /// Takes a line. A problem means that the rest of the line is of no use.
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem>;

    /// Pushes what was held back; a problem if the input may not end here.
    fn end(&mut self, _: &mut Sink) -> Result<(), Problem> {
        Ok(())
    }

    /// Whether lines may be read many at a time, and more than one frame be ready then.
    fn takes_many(&self) -> bool {
        false
    }

    /// Takes whole lines, ends included, up to the first that is wrong.
    fn lines(&mut self, text: &str, sink: &mut Sink) -> Many
    where
        Self: Sized,
    {
        each_line(self, text, sink)
    }

    /// Pushes what was held back only because more of it could come: nothing has, for a while.
    fn settle(&mut self, _: &mut Sink) {}

    /// What is held back, to be written.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Goes on with what was written.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        state::ensure(bytes.is_empty(), "the frames that were held back")
    }
}
