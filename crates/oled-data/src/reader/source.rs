//! A source: what a format is for a reader, as a whole or line by line.

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
