//! Parsed lines: JSON Lines that several threads parse ahead of use, handed on in their order.
//!
//! One thread cuts the input into blocks of whole lines, and deals them out in turn; whoever takes frames collects the blocks in the
//! same turn. What a line says depends on no other line, and whether it may come is asked when it is handed on, so that frames,
//! errors and positions are those of one reader.

use std::io;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use crate::error::{DataError, Problem, Skipped};
use crate::jsonl::{JsonlReader, Parsed};
use crate::lines::{Block, Line, LineReader, Place, bare};
use crate::reader::{Advance, ReadOptions, Source};
use crate::sink::Sink;

/// Blocks that may wait on either side of a parser, so that it has work while others are slow: with one it sometimes has none, with
/// more there is more memory and no more speed.
const WAITING: usize = 2;

/// What a parser makes of a block of lines.
type Done = io::Result<Lines>;

/// Lines that were parsed.
struct Lines {
    block: Block,
    /// Where each one that is not blank ends, its number in the block from one on, and what it says.
    parsed: std::vec::IntoIter<OneLine>,
    /// How many lines and bytes were handed on.
    taken: (usize, usize),
}

struct OneLine {
    number: usize,
    from: usize,
    to: usize,
    result: Result<Option<Parsed>, Problem>,
    /// What of it was left out, if anything.
    skipped: Option<Box<Skipped>>,
}

/// Whether lines are parsed by other threads. Who waits for an input wants each line at once, and a limit of the length of lines is
/// the affair of who reads them one by one.
pub(crate) fn is_spread(options: &ReadOptions) -> bool {
    options.parsers > 1 && options.live.is_none() && options.max_line.is_none()
}

/// The source of frames.
pub(crate) struct ParsedLines {
    name: String,
    done: Vec<Receiver<Done>>,
    /// Whose turn it is.
    turn: usize,
    lines: Option<Lines>,
    /// What follows the last line end, once it is reached.
    rest: Option<Lines>,
    /// Where the input was when nothing was taken.
    start: Place,
}

impl ParsedLines {
    /// Starts to read and to parse.
    pub(crate) fn new(name: &str, input: LineReader, options: &ReadOptions) -> ParsedLines {
        let start = input.place();
        let (mut blocks, mut done) = (Vec::new(), Vec::new());
        for _ in 0..options.parsers {
            let (give, given) = sync_channel(WAITING);
            let (tell, told) = sync_channel(WAITING);
            let (reader, sink) = (JsonlReader::new(options.kinds()), Sink::new(options));
            thread::spawn(move || parse(&given, &tell, reader, sink));
            blocks.push(give);
            done.push(told);
        }
        thread::spawn(move || deal(input, &blocks));
        ParsedLines { name: name.into(), done, turn: 0, lines: None, rest: None, start }
    }

    /// Hands a line on.
    fn place(name: &str, lines: &Lines, line: OneLine, sink: &mut Sink) -> Result<(), DataError> {
        line.skipped.iter().for_each(|skipped| sink.skipped.merge(skipped));
        let placed = line.result.and_then(|parsed| parsed.map_or(Ok(()), |parsed| parsed.place(sink)));
        let number = lines.block.place.number() + line.number;
        let bytes = || bare(&lines.block.bytes[line.from..line.to], number);
        placed.or_else(|problem| sink.skip_or_fail(problem)).map_err(|problem| problem.locate(name, number, bytes()))
    }
}

impl Source for ParsedLines {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        loop {
            if self.rest.is_some() {
                return Ok(Advance::End);
            }
            if let Some(lines) = &mut self.lines
                && let Some(line) = lines.parsed.next()
            {
                lines.taken = (line.number, (line.to + 1).min(lines.block.bytes.len()));
                return ParsedLines::place(&self.name, lines, line, sink).map(|()| Advance::More);
            }
            match self.done[self.turn].recv() {
                Ok(Ok(rest)) if rest.block.is_last => self.rest = Some(rest),
                Ok(Ok(lines)) => self.lines = Some(lines),
                Ok(Err(error)) => return Err(DataError::io("read", &self.name, &error)),
                // The end is told: whoever says nothing has failed.
                Err(_) => return Err(Problem::panicked("a thread that parses has ended").of("the stream")),
            }
            self.turn = (self.turn + 1) % self.done.len();
        }
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        let Some(mut rest) = self.rest.take() else { return Ok(()) };
        match rest.parsed.next() {
            Some(line) => ParsedLines::place(&self.name, &rest, line, sink),
            None => Ok(()),
        }
    }

    fn save(&self) -> Option<(Place, Vec<u8>)> {
        let place = match (&self.lines, &self.rest) {
            (_, Some(rest)) => rest.block.place.clone(),
            (Some(lines), None) => lines.block.place.after(lines.taken.0, &lines.block.bytes[..lines.taken.1]),
            (None, None) => self.start.clone(),
        };
        Some((place, Vec::new()))
    }
}

/// Deals the blocks of the input out, until nobody wants them any more.
fn deal(mut input: LineReader, parsers: &[SyncSender<io::Result<Block>>]) {
    for parser in parsers.iter().cycle() {
        let block = input.next_block();
        let is_last = block.as_ref().map_or(true, |block| block.is_last);
        if parser.send(block).is_err() || is_last {
            return;
        }
    }
}

/// Parses blocks, until there are no more, or nobody wants them.
fn parse(blocks: &Receiver<io::Result<Block>>, done: &SyncSender<Done>, mut reader: JsonlReader, mut sink: Sink) {
    for block in blocks {
        if done.send(block.map(|block| parse_lines(block, &mut reader, &mut sink))).is_err() {
            return;
        }
    }
}

fn parse_lines(block: Block, reader: &mut JsonlReader, sink: &mut Sink) -> Lines {
    let Block { place, bytes, is_last } = &block;
    let mut parsed = Vec::new();
    let (mut from, mut number) = (0, 0);
    while from < bytes.len() {
        let to = memchr::memchr(b'\n', &bytes[from..]).map_or(bytes.len(), |end| from + end);
        number += 1;
        let line = bare(&bytes[from..to], place.number() + number);
        let result = match std::str::from_utf8(line) {
            Ok(text) => reader.parse(Line { text, ended: !is_last }, sink),
            Err(error) => Err(Problem::not_utf8(error.valid_up_to())),
        };
        if !matches!(result, Ok(None)) {
            let skipped = (!sink.skipped.is_nothing()).then(|| Box::new(sink.take_skipped()));
            // After a problem nothing more is asked for, unless it is forgiven.
            parsed.push(OneLine { number, from, to, result, skipped });
        }
        from = to + 1;
    }
    Lines { block, parsed: parsed.into_iter(), taken: (0, 0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::Frames;

    fn options(parsers: usize, lenient: bool) -> ReadOptions {
        ReadOptions { lenient, parsers, ..ReadOptions::default() }
    }

    /// Frames as they are written, or the error; what was skipped; and the position after each frame.
    fn read(text: &str, options: &ReadOptions) -> (Vec<String>, String, Vec<Vec<u8>>) {
        let input = io::Cursor::new(text.as_bytes().to_vec());
        let mut frames = Frames::from_reader("stream.jsonl", input, options).unwrap().pausing();
        let (mut told, mut places) = (Vec::new(), Vec::new());
        loop {
            match frames.next() {
                Some(Ok(frame)) => {
                    told.push(format!("{frame:?}"));
                    places.push(frames.save());
                }
                Some(Err(error)) => told.push(error.to_string()),
                None if frames.pause().is_some() => {
                    places.push(frames.save());
                    frames.end();
                }
                None => return (told, frames.skipped().to_string(), places),
            }
        }
    }

    #[test]
    fn many_parsers_read_what_one_reads() {
        let line = |i: usize| match i % 1000 {
            7 => "\n".to_string(),
            8 => format!("{{\"time\":{i},\"narrative\":[\"p(X, {i})\"]}}\r\n"),
            9 => format!("{{\"time\":{i},\"color\":1,\"narrative\":[\"p(a, 3)\",\"q(b, {i})\"]}}\n"),
            10 => format!("{{\"time\":{}}}\n", i - 5),
            11 => "{\"time\":\n".to_string(),
            12 => format!("{{\"from\":{i},\"to\":{},\"narrative\":[\"r(a, {i})\"]}}\n", i + 3),
            _ => format!("{{\"segment\":\"s{}\",\"time\":{i},\"narrative\":[\"q(n{i}, {i})\"]}}\n", i / 5000),
        };
        let text = format!("\u{feff}{}", (0..30_000).map(line).collect::<Vec<_>>().concat());
        for rest in ["", "{\"segment\":\"s9\",\"time\":99999}", "{\"segment\":\"s9\",\"ti"] {
            let whole = format!("{text}{rest}");
            let one = read(&whole, &options(1, true));
            assert!(one.0.len() > 20_000 && one.1.contains("atoms with variables"), "{}", one.1);
            for parsers in [2, 3] {
                let many = read(&whole, &options(parsers, true));
                assert_eq!((&one.0, &one.1), (&many.0, &many.1));
                assert_eq!(one.2, many.2, "checkpoints are the same");
            }
            // Where nothing is forgiven the first error ends it, and is told with its place.
            let one = read(&whole, &options(1, false));
            assert_eq!((&one.0, &one.1), (&read(&whole, &options(2, false)).0, &one.1));
        }
    }
}
