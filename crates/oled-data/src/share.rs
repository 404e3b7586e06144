//! Shares: a file of lines in pieces that several processes read side by side, each piece with whole segments.
//!
//! A file is cut every so many bytes, a table of Parquet between its row groups. A segment belongs to the piece in which it begins: the cut moves on to the first line of another
//! segment, or where segments are mixed to the next frame. Where that is follows from the file alone, so that whoever reads the piece
//! before and whoever reads the one after agree without asking each other, and together the pieces are the stream: every line is in one
//! of them, in its order.

mod cut;
mod groups;
mod lines;
mod rows;
mod whole;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use oled::Symbol;

use self::groups::GroupCuts;
use self::lines::LineCuts;
use self::rows::RowCuts;
use self::whole::Whole;
use crate::digest::digest;
use crate::error::{DataError, Problem, ProblemKind, Skipped};
use crate::format::{Format, compression_of};
use crate::lines::{Line, LineReader};
use crate::reader::{Frames, LineFormat, ReadOptions, format_of};
use crate::sink::Sink;
use crate::table::{RowGroups, TableReader};

/// The bytes of a piece: a hundred frames or some hundreds. With fewer the search for cuts costs more than it spreads, with more what is told
/// waits longer, and more of it is in memory.
const PIECE: u64 = 1 << 17;

/// So many bytes at the beginning of a file, and before a place in it, tell it from others.
const COMPARED: u64 = 1 << 12;

/// A file in pieces.
pub struct Shares {
    path: PathBuf,
    name: String,
    file: Whole,
    piece: u64,
    options: ReadOptions,
    cuts: Cuts,
    /// From where to where the cut was moved last: whatever lies between moves to the same place.
    moved: Option<(u64, u64)>,
}

/// Where pieces begin.
enum Cuts {
    /// With a line that begins a segment.
    Segments(Box<LineCuts>),
    /// With any line: each is a frame of its own.
    Lines,
    /// With a row of a table.
    Rows(Box<RowCuts>),
    /// With a row of a table of Parquet, of which a row group is a piece.
    Groups(Box<GroupCuts>),
}

impl Shares {
    /// Opens a file that is read in pieces; where it cannot be, the second error says why.
    pub fn open(path: &Path, options: &ReadOptions) -> Result<Result<Shares, String>, DataError> {
        let name = path.display().to_string();
        let why_not = match () {
            () if options.lenient => {
                "the option `lenient` goes on after faults, which may be about what came long before"
            }
            () if options.is_joined() || options.labels_from.is_some() => {
                "it is put together from several inputs, or cut into segments by time"
            }
            () if options.live.is_some() || name == "-" || path.is_dir() => {
                "it is not one file that is there as a whole"
            }
            () if compression_of(&name).is_some() => "it is compressed",
            () if options.interleaved && options.lateness.is_some() => {
                "its segments are mixed, and frames may be late by more than a piece"
            }
            () if options.interleaved && options.ticks.is_some() => {
                "its segments are mixed, and ticks follow on frames of other pieces"
            }
            () => "",
        };
        if !why_not.is_empty() {
            return Ok(Err(why_not.into()));
        }
        let failed = |error: &io::Error| DataError::io("open", &name, error);
        let file = File::open(path).map_err(|error| failed(&error))?;
        let size = file.metadata().map_err(|error| failed(&error))?.len();
        let own = file.try_clone().map_err(|error| failed(&error))?;
        let mut input = LineReader::new(Box::new(own));
        let binary = Format::guess(path).filter(|format| matches!(format, Format::Parquet | Format::Caviar));
        let format = binary.map_or_else(|| format_of(&name, &mut input, options), Ok)?;
        let cuts = match format {
            Format::Jsonl if options.interleaved => Ok(Cuts::Lines),
            Format::Facts if options.interleaved => Err("its segments are mixed, and lines do not name them"),
            Format::Jsonl | Format::Facts => Ok(Cuts::Segments(Box::new(LineCuts::new(format, options)))),
            Format::Csv | Format::Records => row_cuts(&name, format == Format::Records, &mut input, options),
            Format::Parquet => group_cuts(path, options)?,
            _ => Err("only JSON Lines, facts and tables are"),
        };
        let cuts = match cuts {
            Ok(cuts) => cuts,
            Err(why_not) => return Ok(Err(why_not.into())),
        };
        let options = ReadOptions { format: Some(format), ..options.clone() };
        let (path, file) = (path.to_path_buf(), Whole { file, size });
        Ok(Ok(Shares { path, name, file, piece: PIECE, options, cuts, moved: None }))
    }

    /// The bytes of the file.
    pub fn size(&self) -> u64 {
        self.file.size
    }

    /// Whether frames of a segment may be in several pieces.
    pub fn is_interleaved(&self) -> bool {
        self.options.interleaved
    }

    /// How many pieces there are; some may be without a segment of their own.
    pub fn pieces(&self) -> u64 {
        match &self.cuts {
            Cuts::Groups(groups) => groups.pieces(),
            _ => self.file.size.div_ceil(self.piece),
        }
    }

    /// Where the file is cut for a piece; for the one behind the last, its end.
    fn cut(&self, piece: u64) -> u64 {
        match &self.cuts {
            Cuts::Groups(groups) => groups.start(piece),
            _ => (piece * self.piece).min(self.file.size),
        }
    }

    /// The place behind the last one.
    fn end(&self) -> u64 {
        match &self.cuts {
            Cuts::Groups(groups) => groups.rows(),
            _ => self.file.size,
        }
    }

    /// What tells the file from others, up to the beginning of a piece.
    pub fn evidence(&mut self, piece: u64) -> Result<u64, DataError> {
        // What is in a file of Parquet is written at its end.
        let end = if let Cuts::Groups(_) = self.cuts { self.file.size } else { self.cut(piece) };
        let start = self.file.bytes(0, COMPARED.min(end));
        let both = start.and_then(|start| Ok([start, self.file.bytes(end.saturating_sub(COMPARED), end)?].concat()));
        both.map(|bytes| digest(&bytes)).map_err(|error| self.failed(&error))
    }

    /// The frames of a piece; `None` if none begins in it. `before`: segments that were there before, with their last times, so that it
    /// is a fault if they are here, or not later.
    pub fn read(&mut self, piece: u64, before: &[(Symbol, i64)]) -> Result<Option<Share>, DataError> {
        let [start, end] = [piece, piece + 1].map(|piece| self.cut(piece));
        let (start, end) = (self.boundary(start)?, self.boundary(end)?);
        if start >= end {
            return Ok(None);
        }
        let is_last = end == self.end();
        if let Cuts::Groups(_) = self.cuts {
            let mut frames = Frames::of_parquet(&self.path, &self.options, start..end)?;
            frames.sink.passed(before);
            // Rows have their numbers in the file.
            return Ok(Some(Share { frames, name: self.name.clone(), before: Before::Lines(0), is_last }));
        }
        let opened = File::open(&self.path).and_then(|mut file| {
            file.seek(SeekFrom::Start(start))?;
            Ok(file.take(end - start))
        });
        let opened = opened.map_err(|error| self.failed(&error))?;
        let mut frames = match &self.cuts {
            Cuts::Rows(rows) if start > 0 => Frames::of_rows(&self.name, opened, &self.options, rows.header())?,
            _ => Frames::from_reader(&self.name, opened, &self.options)?,
        };
        frames.sink.passed(before);
        let before = Before::Bytes(self.path.clone(), start);
        Ok(Some(Share { frames, name: self.name.clone(), before, is_last }))
    }

    fn failed(&self, error: &io::Error) -> DataError {
        DataError::io("read", &self.name, error)
    }

    /// The first place from a cut on at which a piece may begin; the end if there is none.
    fn boundary(&mut self, cut: u64) -> Result<u64, DataError> {
        if cut == 0 || cut >= self.end() {
            return Ok(cut);
        }
        let known = self.moved.filter(|(from, _)| *from <= cut);
        if let Some((_, to)) = known.filter(|(_, to)| cut < *to) {
            return Ok(to);
        }
        let (file, piece) = (&mut self.file, self.piece);
        let to = match &mut self.cuts {
            Cuts::Segments(cuts) => cuts.boundary(file, cut, known.map_or(0, |(_, to)| to), piece),
            Cuts::Lines => file.line_from(cut),
            Cuts::Rows(cuts) => cuts.boundary(file, cut, piece),
            Cuts::Groups(cuts) => Ok(cuts.boundary(cut)?),
        };
        let to = to.map_err(|error| self.failed(&error))?;
        self.moved = Some((cut, to));
        Ok(to)
    }
}

/// The cuts of a table of Parquet.
fn group_cuts(path: &Path, options: &ReadOptions) -> Result<Result<Cuts, &'static str>, DataError> {
    let groups = RowGroups::open(path, options)?;
    if !groups.has_segments() && !options.interleaved {
        return Ok(Err(ONE_SEGMENT));
    }
    Ok(Ok(Cuts::Groups(Box::new(GroupCuts::new(groups, options.interleaved)))))
}

/// Why a table is not read in pieces.
const ONE_SEGMENT: &str = "its rows do not say of which segment they are: it is one";

/// The cuts of a table, of which the header is read here.
fn row_cuts(name: &str, objects: bool, input: &mut LineReader, options: &ReadOptions) -> Result<Cuts, &'static str> {
    let why_not = "its header cannot be read";
    let mut table = TableReader::new(name, objects, options.tables.clone().unwrap_or_default(), options.kinds());
    let start = input.place().offset();
    let Ok(Some(line)) = input.next_line() else { return Err("it has no rows") };
    let text = std::str::from_utf8(line.bytes).map_err(|_| why_not)?;
    // Of objects the first one is a row, too, of which nobody wants the frame here.
    table.line(Line { text, ended: true }, &mut Sink::new(options)).map_err(|_| why_not)?;
    let first = if objects { start } else { input.place().offset() };
    if !table.has_segments() && !options.interleaved {
        return Err(ONE_SEGMENT);
    }
    Ok(Cuts::Rows(Box::new(RowCuts::new(table, first, options.interleaved))))
}

/// The frames of a piece.
pub struct Share {
    frames: Frames,
    name: String,
    before: Before,
    is_last: bool,
}

/// What comes before a piece.
enum Before {
    /// So many bytes of a file.
    Bytes(PathBuf, u64),
    /// So many lines.
    Lines(usize),
}

impl Share {
    /// The frames of lines of a stream that is shown under a name, behind so many other lines. `before`: segments that were there before,
    /// with their last times.
    pub fn of_lines(
        name: &str,
        lines: Vec<u8>,
        options: &ReadOptions,
        before: &[(Symbol, i64)],
        count: usize,
    ) -> Result<Share, DataError> {
        let mut frames = Frames::from_reader(name, io::Cursor::new(lines), options)?;
        frames.sink.passed(before);
        Ok(Share { frames, name: name.into(), before: Before::Lines(count), is_last: false })
    }

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
        if self.frames.sink.is_interleaved() && self.frames.sink.spans.came {
            let message = "what holds from one time to another may go on in pieces that another process reads";
            let problem = Problem::new(ProblemKind::OutOfOrder, 0, message);
            return Some(Err(problem
                .hint("leave the option `shared_input` out, or write the segments one after the other")
                .of(&self.name)));
        }
        // The lines before are counted only for whoever has to be told a place.
        Some(next.map_err(|error| match &self.before {
            Before::Bytes(path, start) => error.further(lines_before(path, *start).unwrap_or(0)),
            Before::Lines(lines) => error.further(*lines),
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
mod tests;
