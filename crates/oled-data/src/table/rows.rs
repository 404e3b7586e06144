//! Rows: a table line by line; the rows of one time are one frame.

use std::path::Path;
use std::sync::Arc;

use oled::{Kinds, StateError, Symbol, state};

use super::cells::keys;
use super::marks::Marks;
use super::open::{Open, ReadTime};
use super::plain::PlainRows;
use super::runs::{RunWriter, Runs};
use super::{Cells, Columns, Tables, delimiter};
use crate::error::{Problem, ProblemKind};
use crate::frame::default_segment;
use crate::lines::Line;
use crate::reader::{LineFormat, Many, each_line};
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
    /// Where the cells of many lines end.
    marks: Marks,
    /// A row whose quotes were not closed in its line.
    pending: String,
    open: Open,
    /// The time of the row before, where rows are read ahead of their frames.
    read: ReadTime,
    /// The segment of rows that name none.
    usual: Symbol,
}

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
            marks: Marks::default(),
            pending: String::new(),
            open: Open::default(),
            read: ReadTime::default(),
            usual: default_segment(),
        }
    }

    /// Whether rows are objects.
    pub(crate) fn is_of_objects(&self) -> bool {
        self.objects
    }

    /// Whether rows say of which segment they are.
    pub(crate) fn has_segments(&self) -> bool {
        self.columns.as_ref().is_some_and(|columns| columns.segment.is_some())
    }

    /// Whether the names of columns were read.
    pub(crate) fn has_header(&self) -> bool {
        self.columns.is_some()
    }

    /// Whether no row has begun in the line before that is not over.
    pub(crate) fn is_between_rows(&self) -> bool {
        self.pending.is_empty()
    }

    /// What a reader of the same table has to know that begins behind its header.
    pub(crate) fn behind_header(&self) -> Vec<u8> {
        self.state("", &Open::default())
    }

    /// What is saved where a row has begun like this, and these frames are open.
    fn state(&self, pending: &str, open: &Open) -> Vec<u8> {
        let (time, frames) = open.state();
        state::encode(&(&self.header, pending, time, frames))
    }

    /// Time and segment of a row by itself, if they can be read.
    pub(crate) fn place_of(&mut self, row: &str) -> Option<(i64, Symbol)> {
        if row == self.header && !self.objects {
            return None;
        }
        let columns = self.columns.as_ref()?;
        let row = if self.objects {
            self.cells.object(row, columns.names()).ok()?
        } else {
            let row = self.cells.split(row).ok()??;
            (row.len() == columns.names().len()).then_some(row)?
        };
        let time = self.tables.times.read(&columns.time_text(&row)).ok()?;
        let segment = match columns.segment {
            None => self.usual,
            Some(column) if columns.is_missing(row.cell(column)) => return None,
            Some(column) => Symbol::new(row.cell(column)),
        };
        Some((time, segment))
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
            row.texts()
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
            if row.len() != columns.names().len() {
                return Err(row.other_width(columns.names().len(), line));
            }
            row
        };
        self.open.add(&row, columns, &self.tables, self.usual, sink).map(|()| true)
    }
}

impl TableReader {
    /// Takes whole lines without quotes, whose marks are known.
    fn plain_lines(&mut self, text: &str, behind: &mut [usize], sink: &mut Sink) -> Many {
        let (mut many, header) = (Many::default(), self.header.clone());
        let mut rows = PlainRows::new(text, behind, self.names().len(), &header);
        while let Some((line, row)) = rows.next() {
            let taken = match (row, &mut self.columns) {
                (Some(row), Some(columns)) => self.open.add(&row, columns, &self.tables, self.usual, sink),
                _ => self.line(Line::ended(&text[line.start..line.end - 1]), sink),
            };
            if !many.take(taken, text, line, sink) {
                break;
            }
        }
        many
    }

    /// The names of the columns, once they were read.
    fn names(&self) -> &[String] {
        self.columns.as_ref().map_or(&[], Columns::names)
    }

    /// What the rows of whole lines say, run by run. `None` if something in them has to be looked at more closely, or is wrong, or if what
    /// a row says is no part of one frame.
    pub(crate) fn runs(&mut self, text: &str) -> Option<Runs> {
        let columns = self.columns.as_mut().filter(|columns| columns.ends.is_none())?;
        let mut runs = Runs::default();
        let TableReader { tables, usual, read, .. } = self;
        let mut add = RunWriter { runs: &mut runs, read, tables, usual: *usual };
        let mut number = 0;
        if self.objects {
            let mut from = 0;
            for to in memchr::memchr_iter(b'\n', text.as_bytes()) {
                number += 1;
                let line = &text[from..to];
                from = to + 1;
                if !line.trim_ascii().is_empty() {
                    add.row(&self.cells.object(line, columns.names()).ok()?, columns, (number, from))?;
                }
            }
            return Some(runs);
        }
        if memchr::memchr(b'"', text.as_bytes()).is_some() {
            return None;
        }
        self.marks.find(text.as_bytes(), self.cells.delimiter);
        let mut rows = PlainRows::new(text, self.marks.behind(), columns.names().len(), &self.header);
        while let Some((line, row)) = rows.next() {
            number += 1;
            match row {
                Some(row) => add.row(&row, columns, (number, line.end))?,
                None => {
                    let line = text[line].trim_end_matches('\n');
                    let line = line.strip_suffix('\r').unwrap_or(line);
                    (line.trim_ascii().is_empty() || line == self.header).then_some(())?;
                }
            }
        }
        Some(runs)
    }

    /// Adds what a run of rows says, if its frame may come now.
    pub(crate) fn add_run(&mut self, runs: &Runs, run: usize, sink: &mut Sink) -> Result<(), Problem> {
        let facts = self.open.facts_of(runs.place(run), 0, sink)?;
        facts.into_iter().for_each(|facts| runs.copy(run, facts));
        Ok(())
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

    /// Lines without quotes are taken apart together: most tables have no others.
    fn lines(&mut self, text: &str, sink: &mut Sink) -> Many {
        let plain = self.columns.is_some() && !self.objects && self.pending.is_empty();
        if !plain || memchr::memchr(b'"', text.as_bytes()).is_some() {
            return each_line(self, text, sink);
        }
        let mut marks = std::mem::take(&mut self.marks);
        marks.find(text.as_bytes(), self.cells.delimiter);
        let many = self.plain_lines(text, marks.behind(), sink);
        self.marks = marks;
        many
    }

    fn settle(&mut self, sink: &mut Sink) {
        self.open.settle(sink);
    }

    fn save(&self) -> Vec<u8> {
        self.state(&self.pending, &self.open)
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let (header, pending, time, frames): (String, String, _, _) = state::decode(bytes)?;
        if !header.is_empty() {
            self.read_header(&header).map_err(|_| StateError::new("the table has other columns".to_string()))?;
        }
        self.pending = pending;
        self.open = Open::restored(time, frames);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use crate::lines::Slow;
    use crate::reader::Frames;
    use crate::task_folder::TaskFolder;

    /// What a table gives, taken by lines, where they come slowly, or many lines at a time: frames, what was left out, and the error.
    fn outcome(text: &str, lenient: bool, slow: bool) -> String {
        let modes = "input(temp(+room, +celsius, +time)). input(happensAt(alarm(+room, +code), +time)).
            type(room, symbol). type(celsius, real). type(code, symbol). example(holdsAt(hot(+room), +time)).";
        let table =
            "[[table]]\ntime = \"time\"\nfacts = [\"temp(room, temp)\", \"happensAt(alarm(room, code)) if code\"]";
        let task = TaskFolder::from_texts("rooms", table, modes, "").unwrap();
        let (cursor, options) = (io::Cursor::new(text.as_bytes().to_vec()), task.read_options(None, lenient));
        let mut frames = if slow {
            Frames::from_reader("rooms.csv", Slow(cursor), &options)
        } else {
            Frames::from_reader("rooms.csv", cursor, &options)
        }
        .unwrap();
        let all: Vec<_> = frames.by_ref().map(|frame| frame.map_err(|error| error.to_string())).collect();
        format!("{all:?} {:?}", frames.skipped())
    }

    #[test]
    fn lines_taken_together_are_those_taken_one_by_one() {
        let row = |i: usize| format!("{},r{},{}.{},\n", i / 3, i % 3, i % 40, i % 7);
        let rows = |range: std::ops::Range<usize>| range.map(row).collect::<String>();
        let header = "time,room,temp,code\n";
        for odd in [
            "",
            "\n",
            "   \n",
            "time,room,temp,code\n",
            "100,\"a, b\",1,x\n",
            "100,a,1\n101,b\n",
            "100,a,1,x,y\n",
            "100,a,hot,x\n",
            "100, a , 12 ,NA\n",
            "100,a,-0.0,E1\n101,a,-7.5,E2\n102,a,-12345678.5,E3\n103,a,1e3,E4\n104,a,.5,E5\n",
            "later,a,1,\n",
            "1,a,1,\n",
            "100,\u{e9}t\u{e9},1,\n",
        ] {
            let text = format!("{header}{}{odd}{}", rows(0..300), rows(400..420));
            for text in [text.clone(), text.replace('\n', "\r\n"), text.replace(',', "\t"), text.trim_end().into()] {
                for lenient in [false, true] {
                    assert_eq!(outcome(&text, lenient, false), outcome(&text, lenient, true), "{odd:?}");
                }
            }
        }
    }

    #[test]
    fn days_and_times_of_day_may_stand_in_two_columns() {
        let modes = "input(temp(+room, +celsius, +time)). type(room, symbol). type(celsius, real).
            example(holdsAt(hot(+room), +time)).";
        let manifest = "[stream]\ntime = \"iso\"\nepoch = \"ms\"
            [[table]]\ntime = \"day\"\ntime_of_day = \"clock\"\nfacts = [\"temp(room, temp)\"]";
        let task = TaskFolder::from_texts("rooms", manifest, modes, "").unwrap();
        let text =
            "day,room,clock,temp\n2026-03-01,a,23:59:58.5,1\n2026-03-01,b,23:59:58.5,2\n2026-03-02,a,00:00:01,3\n";
        for parsers in [1, 3] {
            let read = |text: &str| {
                let options = crate::ReadOptions { parsers, ..task.read_options(None, false) };
                let cursor = io::Cursor::new(text.as_bytes().to_vec());
                let frames = Frames::from_reader("rooms.csv", cursor, &options).unwrap();
                frames
                    .map(|frame| frame.map(|frame| (frame.time, frame.narrative.len())))
                    .collect::<Result<Vec<_>, _>>()
            };
            let midnight = 1_772_409_600_000;
            assert_eq!(read(text).unwrap(), [(midnight - 1_500, 2), (midnight + 1_000, 1)]);
            let error = read(&text.replace("00:00:01", "soon")).unwrap_err().to_string();
            assert!(error.contains("rooms.csv:4:1") && error.contains("`2026-03-02 soon`"), "{error}");
        }
    }
}
