//! Parsed lines: JSON Lines, each of which says what it says by itself.

use super::Blocks;
use crate::error::{DataError, Problem, Skipped};
use crate::jsonl::{JsonlReader, Parsed};
use crate::lines::{Block, Line, LineReader, Place, bare};
use crate::reader::{Advance, ReadOptions, Source};
use crate::sink::Sink;

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

/// The source of frames.
pub(crate) struct ParsedLines {
    name: String,
    blocks: Blocks<Lines>,
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
        let parser = |_| {
            let (mut reader, mut sink) = (JsonlReader::new(options.kinds()), Sink::new(options));
            move |block| parse_lines(block, &mut reader, &mut sink)
        };
        let blocks = Blocks::new(input, (0..options.parsers).map(parser));
        ParsedLines { name: name.into(), blocks, lines: None, rest: None, start }
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
            let lines = self.blocks.next(&self.name)?;
            if lines.block.is_last {
                self.rest = Some(lines);
            } else {
                self.lines = Some(lines);
            }
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
    use crate::parsed::tests::read;
    use crate::reader::ReadOptions;

    fn options(parsers: usize, lenient: bool) -> ReadOptions {
        ReadOptions { lenient, parsers, ..ReadOptions::default() }
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
            let one = read("stream.jsonl", &whole, &options(1, true));
            assert!(one.0.len() > 20_000 && one.1.contains("atoms with variables"), "{}", one.1);
            for parsers in [2, 3] {
                let many = read("stream.jsonl", &whole, &options(parsers, true));
                assert_eq!((&one.0, &one.1), (&many.0, &many.1));
                assert_eq!(one.2, many.2, "checkpoints are the same");
            }
            // Where nothing is forgiven the first error ends it, and is told with its place.
            let one = read("stream.jsonl", &whole, &options(1, false));
            assert_eq!((&one.0, &one.1), (&read("stream.jsonl", &whole, &options(2, false)).0, &one.1));
        }
    }
}
