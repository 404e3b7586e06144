//! Cuts between rows of tables: where a time begins whose first row is of a segment that the rows of the time before are not of.
//!
//! A quoted cell may have ends of lines in it, so that the middle of a table does not tell where a row begins. What tells it is whether
//! the number of quotes before is even; so they are counted, in all of the file up to the cut, without taking the rows apart.

use std::io;
use std::ops::Range;

use oled::Symbol;

use super::cut::{Cut, Found};
use super::whole::{BLOCK, Whole, line_ends};
use crate::lines::bare;
use crate::table::TableReader;

/// Finds cuts between rows.
pub(super) struct RowCuts {
    table: TableReader,
    /// Where the first row begins, behind the header.
    first: u64,
    /// Whether the segments of the table are mixed: then any time may begin a piece.
    interleaved: bool,
    /// Whether cells may be quoted: those of objects do not go on in another line.
    quoted: bool,
    /// A place, and whether the number of quotes before it is odd.
    quotes: (u64, bool),
}

impl RowCuts {
    /// For a table whose header was read, and whose rows begin at a place.
    pub(super) fn new(table: TableReader, first: u64, interleaved: bool) -> RowCuts {
        let quoted = !table.is_of_objects();
        RowCuts { table, first, interleaved, quoted, quotes: (first, false) }
    }

    /// What a reader of rows has to know that begins behind the header.
    pub(super) fn header(&self) -> Vec<u8> {
        self.table.behind_header()
    }

    /// The first row from a cut on that may begin a piece; the end if there is none. `piece`: how far cuts are from each other.
    pub(super) fn boundary(&mut self, file: &mut Whole, cut: u64, piece: u64) -> io::Result<u64> {
        let mut from = cut.max(self.first);
        if let Some(found) = self.search(file, from, Some(from + BLOCK))? {
            return Ok(found);
        }
        // Cuts in one segment are passed over; then its end is closed in on, by halves, so that few of its rows are looked at.
        let current = self.segment_from(file, from)?;
        let mut step = if self.interleaved { 0 } else { piece };
        while step > BLOCK.min(piece / 2) {
            if from + step < file.size && self.segment_from(file, from + step)? == current {
                from += step;
            } else {
                step /= 2;
            }
        }
        Ok(self.search(file, from, None)?.unwrap_or(file.size))
    }

    /// The first row from a place on that may begin a piece; `until`: give up about there.
    fn search(&mut self, file: &mut Whole, from: u64, until: Option<u64>) -> io::Result<Option<u64>> {
        // The rows of the time before are looked at too.
        let mut back = BLOCK;
        loop {
            let start = from.saturating_sub(back).max(self.first);
            match self.scan(file, start, from, until)? {
                Found::At(found) => return Ok(Some(found)),
                Found::Nothing => return Ok(None),
                Found::FurtherBack => back *= 4,
            }
        }
    }

    /// The same, where rows are looked at from a start before it on.
    fn scan(&mut self, file: &mut Whole, start: u64, from: u64, until: Option<u64>) -> io::Result<Found> {
        let mut at = self.row_from(file, start)?;
        let mut seen = Cut::new(from, self.interleaved, start == self.first);
        while until.is_none_or(|until| at < until) {
            let bytes = self.rows(file, at)?;
            if bytes.is_empty() {
                return Ok(Found::Nothing);
            }
            for row in self.split(&bytes) {
                let here = at + row.start as u64;
                let place = self.says(&bytes[row]);
                if let Some(found) = place.and_then(|place| seen.row(here, place)) {
                    return Ok(found);
                }
            }
            at += bytes.len() as u64;
        }
        Ok(Found::Nothing)
    }

    /// The segment of the first row from a place on that says any.
    fn segment_from(&mut self, file: &mut Whole, place: u64) -> io::Result<Option<Symbol>> {
        let mut at = self.row_from(file, place)?;
        loop {
            let bytes = self.rows(file, at)?;
            if bytes.is_empty() {
                return Ok(None);
            }
            let found = self.split(&bytes).into_iter().find_map(|row| self.says(&bytes[row]));
            if let Some((_, segment)) = found {
                return Ok(Some(segment));
            }
            at += bytes.len() as u64;
        }
    }

    /// Time and segment of a row. One that cannot be read says nothing: its fault is told by whoever reads the piece.
    fn says(&mut self, row: &[u8]) -> Option<(i64, Symbol)> {
        self.table.place_of(std::str::from_utf8(bare(row, 0)).ok()?)
    }

    /// Some whole rows from where one begins; none at the end.
    fn rows(&self, file: &mut Whole, at: u64) -> io::Result<Vec<u8>> {
        let (mut bytes, mut open) = (Vec::new(), false);
        loop {
            let mut more = Vec::new();
            file.lines(at + bytes.len() as u64, &mut more)?;
            open ^= self.is_odd(&more);
            // Quotes that are never closed go on to the end.
            let is_last = more.is_empty() || !open;
            bytes.append(&mut more);
            if is_last {
                return Ok(bytes);
            }
        }
    }

    /// Where the rows are in some whole ones.
    fn split(&self, bytes: &[u8]) -> Vec<Range<usize>> {
        let (mut row, mut line, mut open, mut rows) = (0, 0, false, Vec::new());
        for end in line_ends(bytes) {
            open ^= self.is_odd(&bytes[line..end]);
            line = end + 1;
            if !open {
                rows.push(row..end);
                row = line;
            }
        }
        rows
    }

    /// Where the first row begins at or after a place.
    fn row_from(&mut self, file: &mut Whole, place: u64) -> io::Result<u64> {
        if place <= self.first {
            return Ok(self.first);
        }
        // The end of the row before may stand right before the place.
        let mut at = place - 1;
        let mut open = self.is_open(file, at)?;
        while at < file.size {
            let bytes = file.block(at)?;
            let mut line = 0;
            for end in memchr::memchr_iter(b'\n', &bytes) {
                open ^= self.is_odd(&bytes[line..end]);
                line = end + 1;
                if !open {
                    return Ok(at + line as u64);
                }
            }
            open ^= self.is_odd(&bytes[line..]);
            at += bytes.len() as u64;
        }
        Ok(file.size)
    }

    /// Whether a place is within quotes: it is counted from the last place that was asked for.
    fn is_open(&mut self, file: &mut Whole, place: u64) -> io::Result<bool> {
        /// Enough that it does not matter how often a file is asked.
        const MANY: u64 = 1 << 18;
        let (known, mut odd) = self.quotes;
        let (mut from, to) = (known.min(place), known.max(place));
        while self.quoted && from < to {
            let bytes = file.bytes(from, (from + MANY).min(to))?;
            odd ^= self.is_odd(&bytes);
            from += bytes.len() as u64;
        }
        self.quotes = (place, odd);
        Ok(odd)
    }

    fn is_odd(&self, bytes: &[u8]) -> bool {
        self.quoted && memchr::memchr_iter(b'"', bytes).count() % 2 == 1
    }
}
