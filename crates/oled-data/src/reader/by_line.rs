//! Lines: a format that is read line by line, on its input.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use oled::StateError;

use super::{Advance, LineFormat, Many, Source};
use crate::error::{DataError, Problem};
use crate::lines::{Line, LineReader, Place, RawLine};
use crate::live::Live;
use crate::sink::Sink;

/// So many lines are read at once, at most, until a frame is ready: few enough that whoever waits can stop soon.
const LINES: usize = 64;

/// A format that is read line by line, on its input.
pub(crate) struct Lines<F> {
    name: String,
    input: LineReader,
    format: F,
    /// How long to wait for more of what is held back, and when the last line came.
    settle: Option<Duration>,
    last: Instant,
    stop: Arc<AtomicBool>,
}

impl<F: LineFormat + 'static> Lines<F> {
    /// The source; `held` is what the format held back where it goes on.
    pub(crate) fn new(
        name: &str,
        input: LineReader,
        mut format: F,
        held: Option<&[u8]>,
        live: Option<&Live>,
    ) -> Result<Lines<F>, StateError> {
        held.map_or(Ok(()), |held| format.restore(held))?;
        let settle = live.filter(|live| live.follow).and_then(|live| live.settle);
        let stop = live.map(|live| live.stop.clone()).unwrap_or_default();
        Ok(Lines { name: name.into(), input, format, settle, last: Instant::now(), stop })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn input(&self) -> &LineReader {
        &self.input
    }

    pub(crate) fn format(&mut self) -> &mut F {
        &mut self.format
    }

    /// Goes on with other lines; returns where those before were read from.
    pub(crate) fn go_on(&mut self, input: LineReader) -> LineReader {
        std::mem::replace(&mut self.input, input)
    }

    /// Reads the lines that are at hand, if there are any: together they are looked at once only for what is no text.
    fn read_at_hand(&mut self, sink: &mut Sink) -> Result<bool, DataError> {
        let Some((bytes, first)) = self.input.at_hand().filter(|_| self.format.takes_many()) else { return Ok(false) };
        // Of a line that is no text the place is told by whoever reads it alone.
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
        let Many { lines, bytes: taken, problem } = self.format.lines(text, sink);
        let error = problem.map(|(problem, line)| problem.locate(&self.name, first + lines - 1, &bytes[line]));
        self.input.taken(lines, taken);
        error.map_or(Ok(()), Err)?;
        if self.settle.is_some() {
            self.last = Instant::now();
        }
        Ok(true)
    }

    /// Whether nothing has come for so long that what is held back is all there is.
    fn is_settled(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.settle.is_some_and(|settle| self.last.elapsed() >= settle)
    }
}

impl<F: LineFormat + 'static> Source for Lines<F> {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        if self.read_at_hand(sink)? {
            return Ok(Advance::More);
        }
        // A frame may be made of many lines: who asks for it wants none of them by itself.
        for _ in 0..LINES {
            match self.input.next_line() {
                Ok(Some(line)) => {
                    if self.settle.is_some() {
                        self.last = Instant::now();
                    }
                    read_line(&self.name, &line, &mut self.format, sink)?;
                }
                Ok(None) => return Ok(Advance::End),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.is_settled() {
                        self.format.settle(sink);
                    }
                    return Ok(if sink.ready.is_empty() { Advance::Idle } else { Advance::More });
                }
                Err(error) => return Err(DataError::io("read", &self.name, &error)),
            }
            if !sink.ready.is_empty() {
                break;
            }
        }
        Ok(Advance::More)
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        if let Some(line) = self.input.last_line() {
            read_line(&self.name, &line, &mut self.format, sink)?;
        }
        let (name, number) = (&self.name, self.input.number());
        let ended = self.format.end(sink).or_else(|problem| sink.skip_or_fail(problem));
        ended.map_err(|problem| problem.locate(name, number, b""))
    }

    fn save(&self) -> Option<(Place, Vec<u8>)> {
        Some((self.input.place(), self.format.save()))
    }
}

/// Reads a line.
fn read_line(name: &str, line: &RawLine<'_>, format: &mut impl LineFormat, sink: &mut Sink) -> Result<(), DataError> {
    let result = match std::str::from_utf8(line.bytes) {
        Ok(text) => format.line(Line { text, ended: line.ended }, sink),
        Err(error) => Err(Problem::not_utf8(error.valid_up_to())),
    };
    result
        .or_else(|problem| sink.skip_or_fail(problem))
        .map_err(|problem| problem.locate(name, line.number, line.bytes))
}
