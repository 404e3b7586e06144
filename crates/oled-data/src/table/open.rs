//! Open frames: those of the time that rows have now, one for each segment.

use indexmap::IndexMap;
use oled::{Facts, Frame, Symbol};
use rustc_hash::FxBuildHasher;

use super::numbers::same;
use super::slots::AnyRow;
use super::{Columns, Tables};
use crate::error::{Problem, ProblemKind};
use crate::sink::Sink;

/// The frames of the time that rows have now, one for each segment.
#[derive(Default)]
pub(super) struct Open {
    time: Option<i64>,
    read: ReadTime,
    frames: Vec<(Symbol, Opened)>,
    /// Which of the frames is of which segment, where there are more than [`FEW`].
    places: IndexMap<Symbol, usize, FxBuildHasher>,
    /// The segment of the last row, and which of the frames is its.
    last: Option<(Symbol, usize)>,
    /// How many facts and values the last frame had, for its two parts: the next is likely to have as many.
    room: [(usize, usize); 2],
    /// The last time that was taken to be complete because no row came for a while.
    settled: Option<i64>,
}

/// So many segments are looked through one by one, which takes less time than to hash one and to forget it again.
const FEW: usize = 8;

/// What to do about a row that comes when its time is over.
pub(crate) const SETTLED: &str = "no row had come for a while, so that time was over: wait longer with the option `settle`, or skip such rows with the option `lenient`";

/// A frame whose rows are being read; `None` where it came at the wrong time and is left out.
pub(super) type Opened = Option<[Facts; 2]>;

impl Open {
    /// What is saved of it: the time, and the frames of it so far.
    pub(super) fn state(&self) -> (&Option<i64>, &Vec<(Symbol, Opened)>) {
        (&self.time, &self.frames)
    }

    /// Goes on where another was saved.
    pub(super) fn restored(time: Option<i64>, frames: Vec<(Symbol, Opened)>) -> Open {
        Open { time, frames, ..Open::default() }
    }

    /// Adds what a row says to the frame of its time and its segment.
    pub(super) fn add(
        &mut self,
        row: &impl AnyRow,
        columns: &mut Columns,
        tables: &Tables,
        usual: Symbol,
        sink: &mut Sink,
    ) -> Result<(), Problem> {
        let place = self.read.place_of(row, columns, tables, usual)?;
        let Some(facts) = self.facts_of(place, row.at(columns.time), sink)? else { return Ok(()) };
        columns.add(row, facts, |problem| sink.skip_or_fail(problem))?;
        match &mut columns.ends {
            None => Ok(()),
            Some(ends) => end(row, ends, place, tables, sink),
        }
    }

    /// The facts so far of the frame of a segment and a time, which may begin here, unless it came at the wrong time and is left out.
    pub(super) fn facts_of(
        &mut self,
        (segment, time): (Symbol, i64),
        at: usize,
        sink: &mut Sink,
    ) -> Result<Option<&mut [Facts; 2]>, Problem> {
        if self.time != Some(time) {
            self.flush(sink);
            self.time = Some(time);
        }
        let frame = match self.last.filter(|(last, _)| *last == segment) {
            Some((_, frame)) => frame,
            None => self.enter(segment, time, at, sink)?,
        };
        Ok(self.frames.get_mut(frame).and_then(|(_, facts)| facts.as_mut()))
    }

    /// Goes to the frame of a segment, which may begin here.
    fn enter(&mut self, segment: Symbol, time: i64, at: usize, sink: &mut Sink) -> Result<usize, Problem> {
        let frame = match self.frame_of(segment) {
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
                self.frames.push((segment, opened));
                self.frames.len() - 1
            }
        };
        self.last = Some((segment, frame));
        Ok(frame)
    }

    /// Which of the frames is that of a segment.
    fn frame_of(&mut self, segment: Symbol) -> Option<usize> {
        if self.frames.len() <= FEW {
            return self.frames.iter().position(|(own, _)| *own == segment);
        }
        let known = self.places.len();
        self.places.extend(self.frames.iter().enumerate().skip(known).map(|(frame, (own, _))| (*own, frame)));
        self.places.get(&segment).copied()
    }

    /// Hands on the frames of a time of which no more rows come.
    pub(super) fn settle(&mut self, sink: &mut Sink) {
        self.settled = self.time.or(self.settled);
        self.flush(sink);
    }

    /// Hands on the frames of the time that is over.
    pub(super) fn flush(&mut self, sink: &mut Sink) {
        let Some(time) = self.time.take() else { return };
        self.last = None;
        self.places.clear();
        for (segment, opened) in self.frames.drain(..) {
            if let Some([narrative, annotation]) = opened {
                let size = |facts: &Facts| (facts.len(), facts.value_count());
                self.room = [size(&narrative), size(&annotation)];
                sink.push(Frame { segment, time, narrative, annotation });
            }
        }
    }
}

/// The time that was read last, with its cell if it is a text: it is the same in many rows.
#[derive(Default)]
pub(super) struct ReadTime {
    time: Option<i64>,
    text: Vec<u8>,
}

impl ReadTime {
    /// The segment and the time of a row.
    #[inline]
    pub(super) fn place_of(
        &mut self,
        row: &impl AnyRow,
        columns: &Columns,
        tables: &Tables,
        usual: Symbol,
    ) -> Result<(Symbol, i64), Problem> {
        let time = self.read(row, columns, tables)?;
        let segment = match columns.segment {
            None => usual,
            Some(column) if columns.is_missing(&row.text(column)) => {
                let message = format!("the row has no `{}`, which is its segment", columns.names()[column]);
                return Err(Problem::new(ProblemKind::Missing, row.at(column), message).hint(
                    "each row belongs to a segment: fill the cell, or leave the row out with the option `lenient`",
                ));
            }
            Some(column) => Symbol::new(&row.text(column)),
        };
        Ok((segment, time))
    }

    /// The time of a row.
    #[inline]
    fn read(&mut self, row: &impl AnyRow, columns: &Columns, tables: &Tables) -> Result<i64, Problem> {
        if columns.time_of_day.is_some() {
            return self.read_two(row, columns, tables);
        }
        if let Some(time) = row.time(columns.time) {
            return Ok(time);
        }
        match (self.time, row.bytes(columns.time)) {
            (Some(time), Some(bytes)) if same(&self.text, bytes) => Ok(time),
            (_, bytes) => self.read_other(row, bytes.unwrap_or_default(), columns, tables),
        }
    }

    /// The time of a row that has it in two columns.
    #[inline(never)]
    fn read_two(&mut self, row: &impl AnyRow, columns: &Columns, tables: &Tables) -> Result<i64, Problem> {
        let text = columns.time_text(row);
        match self.time.filter(|_| same(&self.text, text.as_bytes())) {
            Some(time) => Ok(time),
            None => self.read_other(row, text.as_bytes(), columns, tables),
        }
    }

    /// The time of a row, of this text, that is not known to be that of the row before.
    #[inline(never)]
    fn read_other(
        &mut self,
        row: &impl AnyRow,
        text: &[u8],
        columns: &Columns,
        tables: &Tables,
    ) -> Result<i64, Problem> {
        let time = cell_time(row, columns, tables)?;
        self.time = Some(time);
        self.text.clear();
        self.text.extend_from_slice(text);
        Ok(time)
    }
}

/// The time in the column of times, as it is written.
fn cell_time(row: &impl AnyRow, columns: &Columns, tables: &Tables) -> Result<i64, Problem> {
    let text = columns.time_text(row);
    let cell = text.trim_ascii();
    tables.times.read(cell).map_err(|error| {
        let kind = if columns.is_missing(cell) { ProblemKind::Missing } else { ProblemKind::BadNumber };
        let message = format!("{}, in column `{}`", error.message, columns.names()[columns.time]);
        Problem::new(kind, row.at(columns.time), message).hint(error.hint)
    })
}

/// Hands on what a row says of its end, as a frame of its own: they come in any order, and are sorted as a whole. A row whose end
/// is not known has not ended.
fn end(
    row: &impl AnyRow,
    ends: &mut Columns,
    (segment, start): (Symbol, i64),
    tables: &Tables,
    sink: &mut Sink,
) -> Result<(), Problem> {
    let time = match row.time(ends.time) {
        Some(time) => time,
        None if ends.is_missing(&row.text(ends.time)) => return Ok(()),
        None => cell_time(row, ends, tables)?,
    };
    if time < start {
        let message = format!("the row ends at {} and starts after it", row.text(ends.time));
        return Err(Problem::new(ProblemKind::WrongTime, row.at(ends.time), message)
            .hint("the end of a row is not before its time: mend it, or leave the row out with the option `lenient`"));
    }
    let mut facts = [Facts::default(), Facts::default()];
    ends.add(row, &mut facts, |problem| sink.skip_or_fail(problem))?;
    sink.admit(segment, time)?;
    let [narrative, annotation] = facts;
    sink.push(Frame { segment, time, narrative, annotation });
    Ok(())
}
