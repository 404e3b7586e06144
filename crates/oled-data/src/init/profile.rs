//! Profile: what the cells of a table are, column by column, found in one pass.

use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use oled::Value;
use rustc_hash::FxBuildHasher;

use crate::error::DataError;
use crate::table::{MISSING, is_code, number, scan, truth};
use crate::times::Times;

/// Values of a column that are kept to be compared and listed; of a column with more nothing is listed, and whether it names
/// the same as another is told by as many.
pub(super) const KEPT: usize = 4096;

/// A table, as its cells show it.
pub(super) struct Profile {
    pub(super) path: PathBuf,
    pub(super) columns: Vec<Column>,
    pub(super) rows: u64,
}

/// A column.
#[derive(Clone, Default)]
pub(super) struct Column {
    pub(super) name: String,
    pub(super) filled: u64,
    pub(super) numbers: u64,
    pub(super) whole: u64,
    /// Cells in digits that are no numbers, as 007.
    pub(super) codes: u64,
    pub(super) truths: u64,
    pub(super) dates: Dates,
    /// How often each value comes, of the first ones.
    pub(super) values: IndexMap<String, u64, FxBuildHasher>,
    /// Whether there are more.
    pub(super) more: bool,
    /// Whether no number is smaller than the one before.
    pub(super) rises: bool,
    last: Option<f64>,
}

/// What the dates of a column look like.
#[derive(Clone, Copy, Default)]
pub(super) struct Dates {
    pub(super) count: u64,
    /// Digits behind the seconds, at most.
    pub(super) fraction: usize,
    /// Whether they say how far their clock is ahead of UTC.
    pub(super) zoned: bool,
    /// By how many seconds the first one is.
    pub(super) ahead: Option<i64>,
}

impl Column {
    fn new(name: &str) -> Column {
        Column { name: name.into(), rises: true, ..Column::default() }
    }

    fn see(&mut self, cell: &str) {
        if MISSING.contains(&cell) {
            return;
        }
        self.filled += 1;
        match number(cell) {
            _ if is_code(cell) => self.codes += 1,
            Some(value) => {
                self.numbers += 1;
                self.whole += u64::from(matches!(value, Value::Int(_)));
                let number = value.as_f64().unwrap_or_default();
                self.rises &= self.last.is_none_or(|last| last <= number);
                self.last = Some(number);
            }
            // A column of dates has nothing else; so those that begin otherwise are not looked at for long.
            None if self.dates.count + 1 == self.filled => self.dates.see(cell),
            None => {}
        }
        self.truths += u64::from(truth(cell).is_some());
        if let Some(count) = self.values.get_mut(cell) {
            *count += 1;
        } else if self.values.len() < KEPT {
            self.values.insert(cell.into(), 1);
        } else {
            self.more = true;
        }
    }

    /// Whether all cells are numbers.
    pub(super) fn is_number(&self) -> bool {
        self.filled > 0 && self.numbers == self.filled
    }

    pub(super) fn is_whole(&self) -> bool {
        self.filled > 0 && self.whole == self.filled
    }

    pub(super) fn is_date(&self) -> bool {
        self.filled > 0 && self.dates.count == self.filled
    }

    /// Whether cells say yes or no, and both.
    pub(super) fn is_truth(&self) -> bool {
        self.filled > 0 && self.truths == self.filled && self.values.len() == 2
    }
}

impl Dates {
    fn see(&mut self, cell: &str) {
        let clock = oled::lang::Clock::new("ns".parse().expect("it is a unit"), 0);
        let looks = cell.len() >= 8 && cell.as_bytes()[..4].iter().all(u8::is_ascii_digit);
        if !looks || Times::iso(clock, true).read(cell).is_err() {
            return;
        }
        self.count += 1;
        let seconds = cell.rsplit_once('.').map_or("", |(_, part)| part);
        self.fraction = self.fraction.max(seconds.bytes().take_while(u8::is_ascii_digit).count());
        let time = cell.get(10..).unwrap_or_default();
        let zone = time.find(['Z', '+', '-']).map(|at| &time[at..]);
        if let Some(zone) = zone {
            self.zoned = true;
            self.ahead = self.ahead.or_else(|| oled::lang::read_offset(zone));
        }
    }
}

impl Profile {
    /// Reads a table.
    pub(super) fn read(path: &Path) -> Result<Profile, DataError> {
        let mut columns: Vec<Column> = Vec::new();
        let mut rows = 0;
        let names = scan(path, |names, row| {
            if columns.is_empty() {
                columns = names.iter().map(|name| Column::new(name)).collect();
            }
            rows += 1;
            columns.iter_mut().enumerate().for_each(|(i, column)| column.see(row.cell(i)));
            Ok(())
        })?;
        if columns.is_empty() {
            columns = names.iter().map(|name| Column::new(name)).collect();
        }
        Ok(Profile { path: path.to_path_buf(), columns, rows })
    }

    pub(super) fn position(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The name of the file without its endings.
    pub(super) fn stem(&self) -> String {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        name.split('.').next().unwrap_or_default().to_string()
    }
}

/// What share of some values a column has.
pub(super) fn overlap(values: &IndexSet<String, FxBuildHasher>, column: &Column) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let common = values.iter().filter(|value| column.values.contains_key(value.as_str())).count();
    common as f64 / values.len() as f64
}
