//! Shares: a file of lines in pieces that several processes read side by side, each piece with whole segments.
//!
//! A file is cut every so many bytes. A segment belongs to the piece in which it begins: the cut moves on to the first line of another
//! segment. Where that is follows from the file alone, so that whoever reads the piece before and whoever reads the one after agree
//! without asking each other, and together the pieces are the stream: every line is in one of them, in its order.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use oled::Symbol;

use crate::digest::digest;
use crate::error::{DataError, Skipped};
use crate::facts::segment_of_line;
use crate::format::{Format, compression_of};
use crate::jsonl::JsonlReader;
use crate::lines::{Line, bare};
use crate::reader::{Frames, ReadOptions};
use crate::sink::Sink;

/// The bytes of a piece: a hundred frames or some hundreds. With fewer the search for cuts costs more than it spreads, with more what is told
/// waits longer, and more of it is in memory.
const PIECE: u64 = 1 << 17;

/// So many bytes are read at once to find a line.
const BLOCK: u64 = 1 << 14;

/// So many bytes at the beginning of a file, and before a place in it, tell it from others.
const COMPARED: u64 = 1 << 12;

/// A file in pieces.
pub struct Shares {
    path: PathBuf,
    name: String,
    file: File,
    size: u64,
    piece: u64,
    options: ReadOptions,
    format: Format,
    json: JsonlReader,
    sink: Sink,
    /// From where to where the cut was moved last: whatever lies between moves to the same place.
    moved: Option<(u64, u64)>,
}

/// What a line says about segments.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    Nothing,
    /// The line is of this segment; whether a piece may begin with it.
    Of(Symbol, bool),
}

impl Shares {
    /// Opens a file that is read in pieces; where it cannot be, the second error says why.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Result<Shares, String>, DataError> {
        let name = path.display().to_string();
        let format = options.format.or_else(|| if path.is_dir() { None } else { Format::guess(path) });
        let tables = options.tables.as_ref().is_some_and(|tables| tables.has_columns());
        let why_not = match format {
            _ if options.interleaved => "its segments are mixed",
            _ if options.lenient => {
                "the option `lenient` goes on after faults, which may be about what came long before"
            }
            _ if options.is_joined() || options.labels_from.is_some() => "it is put together from several inputs",
            _ if options.live.is_some() || name == "-" || path.is_dir() => {
                "it is not one file that is there as a whole"
            }
            _ if compression_of(&name).is_some() => "it is compressed",
            Some(Format::Jsonl) if options.format.is_none() && tables => "it is a table",
            Some(Format::Jsonl | Format::Facts) => "",
            _ => "its lines do not say of which segment they are: only JSON Lines and facts do",
        };
        let (Some(format), true) = (format, why_not.is_empty()) else { return Ok(Err(why_not.into())) };
        let file = File::open(path).map_err(|error| DataError::io("open", &name, &error))?;
        let size = file.metadata().map_err(|error| DataError::io("open", &name, &error))?.len();
        let (json, sink) = (JsonlReader::new(options.kinds()), Sink::new(options));
        let options = ReadOptions { format: Some(format), ..options.clone() };
        let path = path.to_path_buf();
        Ok(Ok(Shares { path, name, file, size, piece: PIECE, options, format, json, sink, moved: None }))
    }

    /// The bytes of the file.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// How many pieces there are; some may be without a segment of their own.
    pub fn pieces(&self) -> u64 {
        self.size.div_ceil(self.piece)
    }

    /// Nothing that was left out yet, of a stream with these declarations.
    pub fn skipped(&self) -> Skipped {
        Sink::new(&self.options).skipped
    }

    /// What tells the file from others, up to the beginning of a piece.
    pub fn evidence(&mut self, piece: u64) -> Result<u64, DataError> {
        let end = (piece * self.piece).min(self.size);
        let start = self.bytes(0, COMPARED.min(end));
        let both = start.and_then(|start| Ok([start, self.bytes(end.saturating_sub(COMPARED), end)?].concat()));
        both.map(|bytes| digest(&bytes)).map_err(|error| self.failed(&error))
    }

    /// The frames of a piece; `None` if no segment begins in it. `before`: segments that were there before, so that it is a fault
    /// if they are here.
    pub fn read(&mut self, piece: u64, before: &[Symbol]) -> Result<Option<Share>, DataError> {
        let [start, end] = [piece, piece + 1].map(|piece| (piece * self.piece).min(self.size));
        let start = self.boundary(start).map_err(|error| self.failed(&error))?;
        let end = self.boundary(end).map_err(|error| self.failed(&error))?;
        if start >= end {
            return Ok(None);
        }
        let opened = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            Ok(file.take(end - start))
        });
        let mut frames = Frames::from_reader(&self.name, opened.map_err(|error| self.failed(&error))?, &self.options)?;
        frames.sink.passed(before);
        Ok(Some(Share { frames, path: self.path.clone(), start, is_last: end == self.size }))
    }

    fn failed(&self, error: &io::Error) -> DataError {
        DataError::io("read", &self.name, error)
    }

    /// The first line from a cut on that begins another segment than the one before it; the end if there is none.
    fn boundary(&mut self, cut: u64) -> io::Result<u64> {
        if cut == 0 || cut >= self.size {
            return Ok(cut);
        }
        let known = self.moved.filter(|(from, _)| *from <= cut);
        if let Some((_, to)) = known.filter(|(_, to)| cut < *to) {
            return Ok(to);
        }
        let mut current = self.segment_before(cut, known.map_or(0, |(_, to)| to))?;
        let mut from = cut;
        // Cuts in one segment are passed over.
        while from + self.piece < self.size {
            match self.segment_before(from + self.piece, from)? {
                None => {}
                found if found == current => {}
                _ => break,
            }
            from += self.piece;
        }
        let (mut at, mut bytes) = (self.line_from(from)?, Vec::new());
        let to = loop {
            bytes.clear();
            self.lines(at, &mut bytes)?;
            if bytes.is_empty() {
                break self.size;
            }
            let mut start = 0;
            let mut found = None;
            for end in memchr::memchr_iter(b'\n', &bytes).chain((bytes.last() != Some(&b'\n')).then_some(bytes.len())) {
                if let Says::Of(segment, begins) = self.says(&bytes[start..end])
                    && Some(segment) != current
                {
                    if begins {
                        found = Some(at + start as u64);
                        break;
                    }
                    current = Some(segment);
                }
                start = end + 1;
            }
            match found {
                Some(found) => break found,
                None => at += bytes.len() as u64,
            }
        };
        self.moved = Some((cut, to));
        Ok(to)
    }

    /// The segment of the last line that begins before a place, and not before another; `None` if no line there says any.
    fn segment_before(&mut self, place: u64, floor: u64) -> io::Result<Option<Symbol>> {
        // Whole lines are looked at, from the last one on; the first of a block may be half a line, and is looked at with the next.
        let mut end = self.line_from(place)?;
        let mut length = BLOCK;
        while end > floor {
            let start = end.saturating_sub(length).max(floor);
            let bytes = self.bytes(start, end)?;
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

    /// Where the first line begins at or after a place.
    fn line_from(&mut self, place: u64) -> io::Result<u64> {
        if place == 0 {
            return Ok(0);
        }
        // The end of the line before may stand right before the place.
        let mut at = place - 1;
        while at < self.size {
            let bytes = self.bytes(at, (at + BLOCK).min(self.size))?;
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                return Ok(at + end as u64 + 1);
            }
            at += bytes.len() as u64;
        }
        Ok(self.size)
    }

    /// Some whole lines from where one begins; none at the end.
    fn lines(&mut self, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut to = at;
        while to < self.size {
            let more = self.bytes(to, (to + BLOCK).min(self.size))?;
            to += more.len() as u64;
            bytes.extend_from_slice(&more);
            if let Some(last) = memchr::memrchr(b'\n', bytes) {
                bytes.truncate(last + 1);
                return Ok(());
            }
        }
        Ok(())
    }

    fn bytes(&mut self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(from))?;
        self.file.by_ref().take(to - from).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != to - from {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter while it is read"));
        }
        Ok(bytes)
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

/// The frames of a piece.
pub struct Share {
    frames: Frames,
    path: PathBuf,
    start: u64,
    is_last: bool,
}

impl Share {
    /// Whether there is another segment after its last one: a file that is being written may go on with the last of all.
    pub fn is_closed(&self) -> bool {
        !self.is_last
    }

    /// What was left out so far.
    pub fn skipped(&self) -> &Skipped {
        self.frames.skipped()
    }
}

impl Iterator for Share {
    type Item = Result<oled::Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.frames.next()?;
        // The lines before are counted only for whoever has to be told a place.
        Some(next.map_err(|error| match lines_before(&self.path, self.start) {
            Ok(lines) => error.further(lines),
            Err(_) => error,
        }))
    }
}

fn lines_before(path: &Path, place: u64) -> io::Result<usize> {
    let mut input = File::open(path)?.take(place);
    let (mut buffer, mut lines) = (vec![0; 1 << 16], 0);
    loop {
        match input.read(&mut buffer)? {
            0 => return Ok(lines),
            count => lines += memchr::memchr_iter(b'\n', &buffer[..count]).count(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::reader::open;

    /// What frames say, as text, up to the first fault.
    fn told(frames: impl Iterator<Item = Result<oled::Frame, DataError>>) -> Vec<String> {
        frames.map(|frame| frame.map_or_else(|error| error.to_string(), |frame| format!("{frame:?}"))).collect()
    }

    fn pieces(path: &Path, piece: u64) -> (Vec<String>, usize) {
        let mut shares = Shares::open(path, &ReadOptions::default()).unwrap().unwrap();
        shares.piece = piece;
        let (mut all, mut count) = (Vec::new(), 0);
        // Each piece by somebody who knows nothing of those before.
        for piece in 0..shares.pieces() {
            shares.moved = None;
            if let Some(share) = shares.read(piece, &[]).unwrap() {
                count += 1;
                all.extend(told(share));
            }
        }
        (all, count)
    }

    fn compare(name: &str, text: &str) -> usize {
        let path = std::env::temp_dir().join(format!("oled-share-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let whole = told(open(&path, &ReadOptions::default()).unwrap());
        let mut most = 0;
        for piece in [60, 100, 333, 1000, 1 << 16] {
            let (parts, count) = pieces(&path, piece);
            most = most.max(count);
            // After the first fault pieces go on, and nobody asks them.
            assert_eq!(parts[..whole.len()], whole, "{name} in pieces of {piece} bytes");
            let failed = whole.last().is_some_and(|last| last.starts_with("error"));
            assert!(failed || parts.len() == whole.len(), "{name} in pieces of {piece} bytes");
        }
        std::fs::remove_file(&path).unwrap();
        most
    }

    #[test]
    fn pieces_of_any_size_are_the_stream() {
        let line = |segment: usize, time: usize| {
            let (a, b) = (segment * 7 % 5, "x".repeat(time * 13 % 40));
            format!("{{\"segment\":\"s{segment}\",\"time\":{time},\"narrative\":[\"p(a{a}{b}, {time})\"]}}\n")
        };
        let segments = (0..9).flat_map(|segment| (0..=(segment * segment % 11)).map(move |time| (segment, time)));
        let lines: String = segments.map(|(segment, time)| line(segment, time)).collect();
        assert!(compare("whole.jsonl", &lines) >= 8);
        compare("no-end.jsonl", lines.trim_end());
        compare("blank.jsonl", &lines.replace("}\n{", "}\n\n\n{"));
        compare("bad.jsonl", &lines.replace("\"s6\",\"time\":3", "\"s6\",\"time\":"));
        compare("late.jsonl", &lines.replace("\"s6\",\"time\":2", "\"s6\",\"time\":1"));
        compare("returns.jsonl", &lines.replace("\"s6\",\"time\":2", "\"s3\",\"time\":1"));
        let one: String = (0..40).map(|time| line(0, time)).collect();
        assert_eq!(compare("one.jsonl", &one), 1);
        assert_eq!(compare("unnamed.jsonl", &one.replace("\"segment\"", "\"part\"")), 1);
        compare("empty.jsonl", "");
        compare("blanks.jsonl", "\n\n\n");
    }

    #[test]
    fn facts_are_cut_where_a_line_names_another_segment() {
        let mut text = String::from("% a comment\n");
        for segment in 0..9 {
            let _ = writeln!(text, "segment(s{segment}).");
            for time in 0..segment % 4 {
                let _ = writeln!(
                    text,
                    "happensAt(walking(id{time}),{time}). happensAt(walking(id9),{time}).\nexample(q({time}))."
                );
            }
        }
        assert!(compare("whole.lp", &text) >= 6);
        compare("again.lp", &text.replace("segment(s5).\n", "segment(s5).\nsegment(s5).\n"));
        compare(
            "within.lp",
            &text.replace("segment(s5).\n", "p(a,7). segment(s5).\np(b,0). segment(s5).\n segment(s5).\n"),
        );
        compare("quoted.lp", &text.replace("id9", "'segment(a)'"));
    }

    #[test]
    fn a_segment_that_returns_is_a_fault_for_who_is_told_of_it() {
        let path = std::env::temp_dir().join(format!("oled-share-{}-told.jsonl", std::process::id()));
        let line = |segment: &str, time: u32| format!("{{\"segment\":\"{segment}\",\"time\":{time}}}\n");
        let text: String = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("a", 3)].map(|(s, t)| line(s, t)).concat();
        std::fs::write(&path, text).unwrap();
        let plain = open(&path, &ReadOptions::default()).unwrap().find_map(Result::err).unwrap().to_string();
        let mut shares = Shares::open(&path, &ReadOptions::default()).unwrap().unwrap();
        shares.piece = 30;
        let last = (0..shares.pieces()).rev().find_map(|piece| shares.read(piece, &[Symbol::new("a")]).unwrap());
        assert_eq!(last.unwrap().find_map(Result::err).unwrap().to_string(), plain);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_not_read_in_pieces_is_told() {
        for (name, options) in [
            ("a.csv", ReadOptions::default()),
            ("a.jsonl.gz", ReadOptions::default()),
            ("-", ReadOptions::default()),
            ("a.jsonl", ReadOptions { lenient: true, ..ReadOptions::default() }),
            ("a.jsonl", ReadOptions { interleaved: true, ..ReadOptions::default() }),
        ] {
            assert!(Shares::open(Path::new(name), &options).unwrap().is_err(), "{name}");
        }
        assert!(Shares::open(Path::new("no such file.jsonl"), &ReadOptions::default()).is_err());
    }
}
