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
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::reader::open;

    /// What frames say, as text, up to the first fault.
    fn told(frames: impl Iterator<Item = Result<oled::Frame, DataError>>) -> Vec<String> {
        frames.map(|frame| frame.map_or_else(|error| format!("error: {error}"), |frame| format!("{frame:?}"))).collect()
    }

    fn pieces(path: &Path, options: &ReadOptions, piece: u64) -> (Vec<String>, usize) {
        let mut shares = Shares::open(path, options).unwrap().unwrap();
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
        // Whoever reads all of them finds the same.
        let own = (0..shares.pieces()).flat_map(|piece| shares.read(piece, &[]).unwrap().map(told).unwrap_or_default());
        assert_eq!(own.collect::<Vec<_>>(), all, "{} in pieces of {piece} bytes", path.display());
        (all, count)
    }

    fn compare(name: &str, text: &str) -> usize {
        compare_with(name, text, &ReadOptions::default())
    }

    fn compare_with(name: &str, text: &str, options: &ReadOptions) -> usize {
        let path = std::env::temp_dir().join(format!("oled-share-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        let whole = told(open(&path, options).unwrap());
        let mut most = 0;
        for piece in [60, 100, 333, 1000, 1 << 16] {
            let (parts, count) = pieces(&path, options, piece);
            most = most.max(count);
            // After the first fault pieces go on, and nobody asks them.
            assert_eq!(parts[..whole.len()], whole, "{name} in pieces of {piece} bytes");
            let failed = whole.last().is_some_and(|last| last.starts_with("error"));
            assert!(failed || parts.len() == whole.len(), "{name} in pieces of {piece} bytes");
        }
        std::fs::remove_file(&path).unwrap();
        most
    }

    /// A table of three columns, and a fourth with notes.
    fn table(interleaved: bool) -> ReadOptions {
        let manifest = format!(
            "[stream]\ninterleaved = {interleaved}\n[[table]]\ntime = \"time\"\nsegment = \"plant\"\nfacts = [\"temp(machine, note)\"]\n"
        );
        let modes = "input(temp(+machine, +note, +time)).\nexample(holdsAt(hot(+machine), +time)).\n";
        crate::task_folder::TaskFolder::from_texts("machines", &manifest, modes, "").unwrap().read_options(None, false)
    }

    /// Rows of some segments, some times with several rows, and notes by a seed.
    fn rows(note: impl Fn(usize) -> &'static str) -> Vec<String> {
        let segments = (0..9).flat_map(|segment| (0..=(segment * segment % 11)).map(move |time| (segment, time)));
        let rows = segments.flat_map(|(segment, time)| (0..=(time % 3)).map(move |machine| (segment, time, machine)));
        let row = |(i, (segment, time, machine))| format!("{time},plant {segment},m{machine},{}", note(i));
        rows.enumerate().map(row).collect()
    }

    #[test]
    fn tables_are_cut_where_a_time_begins_with_another_segment() {
        let with = |rows: &[String]| format!("time,plant,machine,note\n{}\n", rows.join("\n"));
        let apart = table(false);
        let plain = with(&rows(|_| "x"));
        assert!(compare_with("plain.csv", &plain, &apart) >= 8);
        compare_with("tabs.tsv", &plain.replace(',', "\t"), &apart);
        compare_with("ends.csv", &plain.replace('\n', "\r\n"), &apart);
        compare_with("blank.csv", &format!("\u{feff}\n\n{}", plain.replace("m1,x\n", "m1,x\n\n")), &apart);
        // Ends of lines within quotes, some with what looks like rows.
        let notes =
            ["x", "\"two\nlines\"", "\"0,plant 1,m1,x\n3,plant 4,m1,y\n\"", "\"a \"\"word\"\" more\"", "\"\n\n\n\""];
        let quoted = with(&rows(|i| notes[i * 7 % 5]));
        assert!(compare_with("quoted.csv", &quoted, &apart) >= 5);
        compare_with("open.csv", &quoted.replace("7,plant 5,m1,", "7,plant 5,m1,\""), &apart);
        // Rows of one time are one frame, also where segments meet in it; then a segment goes on that has begun there.
        let mut met = rows(|_| "x");
        let at = met.iter().position(|row| row.contains("plant 5")).unwrap();
        let same: String = met[at - 1].split(',').next().unwrap().into();
        met.splice(at..at, [format!("{same},plant 5,m7,x"), format!("{same},plant 4,m8,x")]);
        met[at + 2] = format!("{},plant 5,m0,x", same.parse::<i64>().unwrap() + 1);
        met.truncate(at + 3);
        met.extend((0..40).map(|i| format!("{i},plant 7,m0,x")));
        compare_with("met.csv", &with(&met), &apart);
        compare_with("cells.csv", &plain.replace("4,plant 6,m1,x", "4,plant 6,m1"), &apart);
        compare_with("time.csv", &plain.replace("4,plant 6,m1,x", "?,plant 6,m1,x"), &apart);
        compare_with("late.csv", &plain.replace("4,plant 6,m0,x", "2,plant 6,m0,x"), &apart);
        let long: Vec<String> = (0..400).map(|i| format!("{},plant {},m{i},x", i / 2, i / 390)).collect();
        assert_eq!(compare_with("long.csv", &with(&long), &apart), 2);
        let objects: Vec<String> = (0..90)
            .map(|i| format!("{{\"time\":{i},\"plant\":\"p{}\",\"machine\":\"m{i}\",\"note\":\"a \\\"b\"}}", i / 8))
            .collect();
        assert!(compare_with("objects.csv", &(objects.join("\n") + "\n"), &apart) >= 8);
    }

    #[test]
    fn mixed_segments_are_cut_between_frames() {
        let mixed = ReadOptions { interleaved: true, ..ReadOptions::default() };
        let line =
            |i: usize| format!("{{\"segment\":\"s{}\",\"time\":{i},\"narrative\":[\"p(a, {i})\"]}}\n", i * 7 % 5);
        let lines: String = (0..60).map(line).collect();
        assert!(compare_with("mixed.jsonl", &lines, &mixed) >= 50);
        let note = |i: usize| if i.is_multiple_of(3) { "\"a\nb\"" } else { "x" };
        let row = |i: usize| format!("{},plant {},m{i},{}\n", i / 5, i * 7 % 3, note(i));
        let rows: String = (0..200).map(row).collect();
        assert!(compare_with("mixed.csv", &format!("time,plant,machine,note\n{rows}"), &table(true)) >= 35);
        // What holds from one time to another may be about frames of another piece.
        let path = std::env::temp_dir().join(format!("oled-share-{}-spans.jsonl", std::process::id()));
        let span = "{\"segment\":\"s1\",\"from\":3,\"to\":9,\"narrative\":[\"r(a, 3)\"]}\n";
        std::fs::write(&path, format!("{}{span}{}", line(1), line(5))).unwrap();
        let all: Vec<String> = pieces(&path, &mixed, 1 << 16).0;
        assert!(all.last().unwrap().contains("what holds from one time to another"), "{all:?}");
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn a_mixed_segment_that_does_not_go_on_is_a_fault_for_who_is_told_of_it() {
        let path = std::env::temp_dir().join(format!("oled-share-{}-back.jsonl", std::process::id()));
        let line = |segment: &str, time: u32| format!("{{\"segment\":\"{segment}\",\"time\":{time}}}\n");
        let text: String = [("a", 1), ("b", 1), ("a", 3), ("b", 2), ("a", 2)].map(|(s, t)| line(s, t)).concat();
        std::fs::write(&path, text).unwrap();
        let options = ReadOptions { interleaved: true, ..ReadOptions::default() };
        let plain = open(&path, &options).unwrap().find_map(Result::err).unwrap().to_string();
        let mut shares = Shares::open(&path, &options).unwrap().unwrap();
        shares.piece = 26;
        let before = [("a", 3), ("b", 2)].map(|(segment, time)| (Symbol::new(segment), time));
        let last = (0..shares.pieces()).rev().find_map(|piece| shares.read(piece, &before).unwrap());
        assert_eq!(last.unwrap().find_map(Result::err).unwrap().to_string(), plain);
        std::fs::remove_file(&path).unwrap();
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
        let last = (0..shares.pieces()).rev().find_map(|piece| shares.read(piece, &[(Symbol::new("a"), 2)]).unwrap());
        assert_eq!(last.unwrap().find_map(Result::err).unwrap().to_string(), plain);
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn what_is_not_read_in_pieces_is_told() {
        let folder = std::env::temp_dir().join(format!("oled-share-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let usual = ReadOptions::default;
        for (name, text, options) in [
            ("a.csv", "time,x\n1,2\n", usual()),
            ("a.csv", "time,machine,note\n1,m,2\n", table(false)),
            ("a.csv", "", table(false)),
            ("a.psv", "a|b|c\n", usual()),
            ("a.jsonl.gz", "", usual()),
            ("-", "", usual()),
            ("a.jsonl", "", ReadOptions { lenient: true, ..usual() }),
            ("a.lp", "", ReadOptions { interleaved: true, ..usual() }),
            ("a.jsonl", "", ReadOptions { interleaved: true, lateness: Some(3), ..usual() }),
        ] {
            std::fs::write(folder.join(name), text).unwrap();
            let path = if name == "-" { PathBuf::from(name) } else { folder.join(name) };
            assert!(Shares::open(&path, &options).unwrap().is_err(), "{name}");
        }
        assert!(Shares::open(&folder.join("no such file.jsonl"), &usual()).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
