//! Rows: a table line by line; the rows of one time are one frame.

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use oled::{Facts, Frame, Kinds, StateError, Symbol, state};
use rustc_hash::FxBuildHasher;

use super::cells::keys;
use super::numbers::same;
use super::{Cells, Columns, Row, Tables, delimiter};
use crate::error::{Problem, ProblemKind};
use crate::frame::default_segment;
use crate::lines::Line;
use crate::reader::LineFormat;
use crate::sink::Sink;

/// Reads a table of delimited text, or of flat objects.
pub(crate) struct TableReader {
    tables: Arc<Tables>,
    kinds: Arc<Kinds>,
    /// The name of the file, without its ending.
    stem: String,
    /// Whether rows are objects.
    objects: bool,
    /// The first line, once it was read.
    header: String,
    columns: Option<Columns>,
    cells: Cells,
    /// A row whose quotes were not closed in its line.
    pending: String,
    open: Open,
    /// The segment of rows that name none.
    usual: Symbol,
}

/// The frames of the time that rows have now, one for each segment.
#[derive(Default)]
pub(super) struct Open {
    time: Option<i64>,
    /// The text of that time: it is the same in many rows.
    text: String,
    frames: IndexMap<Symbol, Opened, FxBuildHasher>,
    /// The segment of the last row, and which of the frames is its.
    last: Option<(Symbol, usize)>,
    /// How many facts and values the last frame had, for its two parts: the next is likely to have as many.
    room: [(usize, usize); 2],
    /// The last time that was taken to be complete because no row came for a while.
    settled: Option<i64>,
}

/// What to do about a row that comes when its time is over.
pub(crate) const SETTLED: &str = "no row had come for a while, so that time was over: wait longer with the option `settle`, or skip such rows with the option `lenient`";

/// The name of a file, without its ending.
pub(super) fn stem_of(name: &str) -> String {
    let file = Path::new(name).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    file.split('.').next().unwrap_or_default().into()
}

/// Whether the first line is one: tables of other systems have other ends of lines, and letters of two bytes.
fn is_line_of_text(line: &str) -> Result<(), Problem> {
    let is_wrong =
        |at: usize, message: &str, hint: &'static str| Err(Problem::new(ProblemKind::Syntax, at, message).hint(hint));
    match line.find(['\r', '\0']) {
        None => Ok(()),
        Some(at) if line[at..].starts_with('\r') => is_wrong(
            at,
            "the lines of the table end in a carriage return alone",
            "end them in a line feed, as `tr '\\r' '\\n' < OLD > NEW` does",
        ),
        Some(at) => is_wrong(
            at,
            "the header has bytes that are zero, as UTF-16 has",
            "convert the table to UTF-8, as `iconv -f UTF-16 -t UTF-8 OLD > NEW` does",
        ),
    }
}

/// A frame whose rows are being read; `None` where it came at the wrong time and is left out.
type Opened = Option<[Facts; 2]>;

impl TableReader {
    pub(crate) fn new(name: &str, objects: bool, tables: Arc<Tables>, kinds: Arc<Kinds>) -> TableReader {
        TableReader {
            tables,
            kinds,
            stem: stem_of(name),
            objects,
            header: String::new(),
            columns: None,
            cells: Cells::new(b','),
            pending: String::new(),
            open: Open::default(),
            usual: default_segment(),
        }
    }

    /// Takes note of the columns.
    fn read_header(&mut self, line: &str) -> Result<(), Problem> {
        is_line_of_text(line)?;
        let names = if self.objects {
            // A key may be missing in the first object: what the tables ask for is looked for in each.
            let mut names = keys(line)?;
            for asked in self.tables.declared.iter().flat_map(super::Table::columns) {
                if !names.iter().any(|name| name == asked) && self.tables.declared.len() == 1 {
                    names.push(asked.into());
                }
            }
            names
        } else {
            self.cells = Cells::new(delimiter(line));
            let row = self.cells.split(line)?;
            let row = row.ok_or_else(|| {
                Problem::new(ProblemKind::Syntax, 0, "a quote in the header is not closed")
                    .hint("close it with a double quote; a quote within a name is written twice")
            })?;
            (0..row.cells.len()).map(|column| row.cell(column).to_string()).collect()
        };
        self.columns = Some(Columns::new(&names, &self.stem, &self.tables, &self.kinds)?);
        self.header = line.into();
        Ok(())
    }

    /// Takes a row, which begins in a line; returns whether it ends there.
    fn row(&mut self, line: &str, sink: &mut Sink) -> Result<bool, Problem> {
        let Some(columns) = &mut self.columns else { return Ok(true) };
        let row = if self.objects {
            self.cells.object(line, columns.names())?
        } else {
            let Some(row) = self.cells.split(line)? else { return Ok(false) };
            let (have, want) = (row.cells.len(), columns.names().len());
            if have != want {
                let message =
                    format!("the row has {have} {}, the header {want}", if have == 1 { "cell" } else { "cells" });
                let at = if have > want { row.at(want) } else { line.len() };
                return Err(Problem::new(ProblemKind::Syntax, at, message)
                    .hint("write a cell for each column, in double quotes where it has a delimiter in it"));
            }
            row
        };
        self.open.add(row, columns, &self.tables, self.usual, sink).map(|()| true)
    }
}

impl Open {
    /// Adds what a row says to the frame of its time and its segment.
    pub(super) fn add(
        &mut self,
        row: Row<'_>,
        columns: &mut Columns,
        tables: &Tables,
        usual: Symbol,
        sink: &mut Sink,
    ) -> Result<(), Problem> {
        let time = self.read_time(row, columns, tables)?;
        let segment = match columns.segment {
            None => usual,
            Some(column) if columns.is_missing(row.cell(column)) => {
                let message = format!("the row has no `{}`, which is its segment", columns.names()[column]);
                return Err(Problem::new(ProblemKind::Missing, row.at(column), message).hint(
                    "each row belongs to a segment: fill the cell, or leave the row out with the option `lenient`",
                ));
            }
            Some(column) => Symbol::new(row.cell(column)),
        };
        if self.time != Some(time) {
            self.flush(sink);
            self.time = Some(time);
        }
        let frame = match self.last.filter(|(last, _)| *last == segment) {
            Some((_, frame)) => frame,
            None => self.enter(segment, time, row.at(columns.time), sink)?,
        };
        let Some((_, Some(facts))) = self.frames.get_index_mut(frame) else { return Ok(()) };
        columns.add(row, facts, |problem| sink.skip_or_fail(problem))
    }

    /// Goes to the frame of a segment, which may begin here.
    fn enter(&mut self, segment: Symbol, time: i64, at: usize, sink: &mut Sink) -> Result<usize, Problem> {
        let frame = match self.frames.get_index_of(&segment) {
            Some(frame) => frame,
            None => {
                let admitted = sink.admit(segment, time).map_err(|problem| problem.at(at));
                let admitted = admitted.map_err(|problem| match self.settled {
                    Some(settled) if time <= settled => problem.hint(SETTLED),
                    _ => problem,
                });
                let opened = match admitted {
                    Ok(()) => {
                        let [(facts, values), (labels, of_labels)] = self.room;
                        Some([Facts::with_capacity(facts, values), Facts::with_capacity(labels, of_labels)])
                    }
                    Err(problem) => sink.skip_or_fail(problem).map(|()| None)?,
                };
                self.frames.insert_full(segment, opened).0
            }
        };
        self.last = Some((segment, frame));
        Ok(frame)
    }

    /// The time of a row.
    fn read_time(&mut self, row: Row<'_>, columns: &Columns, tables: &Tables) -> Result<i64, Problem> {
        let cell = row.cell(columns.time);
        if let (Some(time), true) = (self.time, same(self.text.as_bytes(), cell.as_bytes())) {
            return Ok(time);
        }
        let time = tables.times.read(cell).map_err(|error| {
            let kind = if columns.is_missing(cell) { ProblemKind::Missing } else { ProblemKind::BadNumber };
            Problem::new(
                kind,
                row.at(columns.time),
                format!("{}, in column `{}`", error.message, columns.names()[columns.time]),
            )
            .hint(error.hint)
        })?;
        self.text.clear();
        self.text.push_str(cell);
        Ok(time)
    }

    /// Hands on the frames of a time of which no more rows come.
    fn settle(&mut self, sink: &mut Sink) {
        self.settled = self.time.or(self.settled);
        self.flush(sink);
    }

    /// Hands on the frames of the time that is over.
    pub(super) fn flush(&mut self, sink: &mut Sink) {
        let Some(time) = self.time.take() else { return };
        self.last = None;
        for (segment, opened) in self.frames.drain(..) {
            if let Some([narrative, annotation]) = opened {
                let size = |facts: &Facts| (facts.len(), facts.value_count());
                self.room = [size(&narrative), size(&annotation)];
                sink.push(Frame { segment, time, narrative, annotation });
            }
        }
    }
}

impl LineFormat for TableReader {
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem> {
        let text = line.text.strip_suffix('\r').unwrap_or(line.text);
        if self.pending.is_empty() && text.trim_ascii().is_empty() {
            return Ok(());
        }
        if self.columns.is_none() {
            self.read_header(text)?;
            if !self.objects {
                return Ok(());
            }
        }
        if self.objects {
            return self.row(text, sink).map(|_| ());
        }
        // A log that is followed begins anew with its header.
        if text == self.header && self.pending.is_empty() {
            return Ok(());
        }
        if self.pending.is_empty() {
            if !self.row(text, sink)? {
                self.pending.push_str(text);
            }
            return Ok(());
        }
        // A quoted cell goes on in the next line, until a line has an odd number of quotes again.
        self.pending.push('\n');
        self.pending.push_str(text);
        if memchr::memchr_iter(b'"', text.as_bytes()).count().is_multiple_of(2) {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        self.row(&pending, sink).map(|_| ()).map_err(|problem| problem.at(0))
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), Problem> {
        self.open.flush(sink);
        if self.columns.is_none() && !self.objects {
            return Err(Problem::new(ProblemKind::Missing, 0, "the table is empty")
                .hint("a table has a line with the names of its columns, then rows"));
        }
        if self.pending.is_empty() {
            return Ok(());
        }
        Err(Problem::new(ProblemKind::Truncated, 0, "a quoted cell is not closed where the table ends")
            .hint("close it with a double quote; a quote within a cell is written twice"))
    }

    fn takes_many(&self) -> bool {
        true
    }

    fn settle(&mut self, sink: &mut Sink) {
        self.open.settle(sink);
    }

    fn save(&self) -> Vec<u8> {
        let Open { time, frames, .. } = &self.open;
        state::encode(&(&self.header, &self.pending, time, frames))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (header, pending, time, frames): (String, String, _, _) = state::decode(bytes)?;
        if !header.is_empty() {
            self.read_header(&header).map_err(|_| StateError::new("the table has other columns".to_string()))?;
        }
        self.pending = pending;
        self.open = Open { time, frames, ..Open::default() };
        Ok(())
    }
}
