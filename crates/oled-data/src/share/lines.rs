//! Cuts between lines that say of which segment they are: JSON Lines and facts.

use std::io;

use oled::Symbol;

use super::whole::{BLOCK, Whole, line_ends};
use crate::facts::segment_of_line;
use crate::format::Format;
use crate::jsonl::JsonlReader;
use crate::lines::{Line, bare};
use crate::reader::ReadOptions;
use crate::sink::Sink;

/// Finds cuts between lines.
pub(super) struct LineCuts {
    format: Format,
    json: JsonlReader,
    sink: Sink,
}

/// What a line says about segments.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    Nothing,
    /// The line is of this segment; whether a piece may begin with it.
    Of(Symbol, bool),
}

impl LineCuts {
    pub(super) fn new(format: Format, options: &ReadOptions) -> LineCuts {
        LineCuts { format, json: JsonlReader::new(options.kinds()), sink: Sink::new(options) }
    }

    /// The first line from a cut on that begins another segment than the one before it; the end if there is none. `floor`: a place
    /// at which a segment begins. `piece`: how far cuts are from each other.
    pub(super) fn boundary(&mut self, file: &mut Whole, cut: u64, floor: u64, piece: u64) -> io::Result<u64> {
        let mut current = self.segment_before(file, cut, floor)?;
        let mut from = cut;
        // Cuts in one segment are passed over.
        while from + piece < file.size {
            match self.segment_before(file, from + piece, from)? {
                None => {}
                found if found == current => {}
                _ => break,
            }
            from += piece;
        }
        let (mut at, mut bytes) = (file.line_from(from)?, Vec::new());
        loop {
            bytes.clear();
            file.lines(at, &mut bytes)?;
            if bytes.is_empty() {
                return Ok(file.size);
            }
            let mut start = 0;
            for end in line_ends(&bytes) {
                if let Says::Of(segment, begins) = self.says(&bytes[start..end])
                    && Some(segment) != current
                {
                    if begins {
                        return Ok(at + start as u64);
                    }
                    current = Some(segment);
                }
                start = end + 1;
            }
            at += bytes.len() as u64;
        }
    }

    /// The segment of the last line that begins before a place, and not before another; `None` if no line there says any.
    fn segment_before(&mut self, file: &mut Whole, place: u64, floor: u64) -> io::Result<Option<Symbol>> {
        // Whole lines are looked at, from the last one on; the first of a block may be half a line, and is looked at with the next.
        let mut end = file.line_from(place)?;
        let mut length = BLOCK;
        while end > floor {
            let start = end.saturating_sub(length).max(floor);
            let bytes = file.bytes(start, end)?;
            let whole = if start == floor { 0 } else { memchr::memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1) };
            if whole >= bytes.len() {
                length *= 2;
                continue;
            }
            let mut to = bytes.len();
            while to > whole {
                let text = bytes[..to].strip_suffix(b"\n").unwrap_or(&bytes[..to]);
                let from = memchr::memrchr(b'\n', &text[whole..]).map_or(whole, |at| whole + at + 1);
                if let Says::Of(segment, _) = self.says(&text[from..]) {
                    return Ok(Some(segment));
                }
                to = from;
            }
            (end, length) = (start + whole as u64, BLOCK);
        }
        Ok(None)
    }

    /// What a line says of segments. One that cannot be read says nothing: its fault is told by whoever reads the piece.
    fn says(&mut self, line: &[u8]) -> Says {
        let Ok(text) = std::str::from_utf8(bare(line, 0)) else { return Says::Nothing };
        match self.format {
            Format::Facts => segment_of_line(text).map_or(Says::Nothing, |(segment, begins)| Says::Of(segment, begins)),
            _ => match self.json.segment(Line { text, ended: true }, &mut self.sink) {
                Some(segment) => Says::Of(segment, true),
                None => Says::Nothing,
            },
        }
    }
}
