//! Runs: what consecutive rows of one time and one segment say together, in flat memory, as they go from one thread to another.

use oled::{Facts, Symbol};

use super::open::ReadTime;
use super::slots::AnyRow;
use super::{Columns, Tables};

/// The rows of a text, run by run.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    runs: Vec<Run>,
    facts: [Facts; 2],
}

#[derive(Clone, Copy, Debug)]
struct Run {
    segment: Symbol,
    time: i64,
    /// How many lines and bytes of the text end with it.
    to: (usize, usize),
    /// Where its facts and its labels end.
    ends: [usize; 2],
}

impl Runs {
    /// How many runs there are.
    pub(crate) fn len(&self) -> usize {
        self.runs.len()
    }

    /// The segment and the time of a run.
    pub(super) fn place(&self, run: usize) -> (Symbol, i64) {
        (self.runs[run].segment, self.runs[run].time)
    }

    /// How many lines and bytes of the text end with so many runs.
    pub(crate) fn taken(&self, runs: usize) -> (usize, usize) {
        runs.checked_sub(1).map_or((0, 0), |last| self.runs[last].to)
    }

    /// Adds what a run says to the parts of a frame.
    pub(super) fn copy(&self, run: usize, to: &mut [Facts; 2]) {
        let before = run.checked_sub(1).map_or([0, 0], |before| self.runs[before].ends);
        for (part, to) in to.iter_mut().enumerate() {
            to.append_some(&self.facts[part], before[part]..self.runs[run].ends[part]);
        }
    }
}

/// Adds rows to runs.
pub(super) struct RunWriter<'a> {
    pub(super) runs: &'a mut Runs,
    pub(super) read: &'a mut ReadTime,
    pub(super) tables: &'a Tables,
    /// The segment of rows that name none.
    pub(super) usual: Symbol,
}

impl RunWriter<'_> {
    /// Adds a row, with which so many lines and bytes end. `None` if it is wrong.
    #[inline]
    pub(super) fn row(&mut self, row: &impl AnyRow, columns: &mut Columns, to: (usize, usize)) -> Option<()> {
        let (segment, time) = self.read.place_of(row, columns, self.tables, self.usual).ok()?;
        let Runs { runs, facts } = &mut *self.runs;
        columns.add(row, facts, Err).ok()?;
        let ends = [facts[0].len(), facts[1].len()];
        match runs.last_mut() {
            Some(last) if (last.segment, last.time) == (segment, time) => (last.to, last.ends) = (to, ends),
            _ => runs.push(Run { segment, time, to, ends }),
        }
        Some(())
    }
}
