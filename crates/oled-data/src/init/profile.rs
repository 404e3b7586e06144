//! Profile: what the cells of a table are, column by column, found in one pass.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use indexmap::{IndexMap, IndexSet};
use oled::Value;
use rustc_hash::FxBuildHasher;

use crate::error::DataError;
use crate::table::{MISSING, Row, is_code, number, scan, truth};
use crate::times::Times;

/// Values of a column that are kept to be compared and listed; of a column with more nothing is listed, and whether it names
/// the same as another is told by as many.
pub(super) const KEPT: usize = 4096;

/// A table, as its cells show it.
#[derive(Clone)]
pub(super) struct Profile {
    pub(super) path: PathBuf,
    /// Other files that are parts of the same table.
    pub(super) others: Vec<PathBuf>,
    pub(super) columns: Vec<Column>,
    /// The columns of the day and of the time of day, where the time is in two. The last column has both then, and none in the file.
    pub(super) two: Option<[usize; 2]>,
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
    /// Numbers with a decimal comma, as 20,5.
    pub(super) commas: u64,
    pub(super) truths: u64,
    pub(super) dates: Dates,
    /// How often each value comes, of the first ones.
    pub(super) values: IndexMap<String, u64, FxBuildHasher>,
    /// Whether there are more.
    pub(super) more: bool,
    /// Whether no number, or no date, is before the last one.
    pub(super) rises: bool,
    last: Option<f64>,
    /// The least and the largest number; of dates, in seconds since 1970.
    pub(super) range: Option<(f64, f64)>,
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

/// Nanoseconds of a second.
const NANOSECONDS: f64 = 1e9;

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
                self.follow(value.as_f64().unwrap_or_default());
            }
            // A column of dates has nothing else; so those that begin otherwise are not looked at for long.
            None if self.dates.count + 1 == self.filled => {
                if let Some(date) = self.dates.see(cell) {
                    self.follow(date);
                } else {
                    self.see_comma(cell);
                }
            }
            None => self.see_comma(cell),
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

    fn see_comma(&mut self, cell: &str) {
        if let Some(number) = comma_number(cell) {
            self.commas += 1;
            self.follow(number);
        }
    }

    fn follow(&mut self, number: f64) {
        self.rises &= self.last.is_none_or(|last| last <= number);
        self.last = Some(number);
        let (least, largest) = self.range.unwrap_or((number, number));
        self.range = Some((least.min(number), largest.max(number)));
    }

    /// Adds the cells of the same column in another file.
    fn merge(&mut self, other: Column) {
        self.filled += other.filled;
        self.numbers += other.numbers;
        self.whole += other.whole;
        self.codes += other.codes;
        self.commas += other.commas;
        self.truths += other.truths;
        self.dates.count += other.dates.count;
        self.dates.fraction = self.dates.fraction.max(other.dates.fraction);
        self.dates.zoned |= other.dates.zoned;
        self.dates.ahead = self.dates.ahead.or(other.dates.ahead);
        self.rises &= other.rises;
        let ranges = [self.range, other.range].into_iter().flatten();
        self.range = ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
        self.more |= other.more;
        for (value, count) in other.values {
            if self.values.len() < KEPT || self.values.contains_key(&value) {
                *self.values.entry(value).or_insert(0) += count;
            } else {
                self.more = true;
            }
        }
    }

    /// Whether all cells are numbers.
    pub(super) fn is_number(&self) -> bool {
        self.filled > 0 && self.numbers + self.commas == self.filled
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
    /// Takes note of a cell; returns its seconds since 1970, if it is a date.
    fn see(&mut self, cell: &str) -> Option<f64> {
        let clock = oled::lang::Clock::new("ns".parse().expect("it is a unit"), 0);
        let looks = cell.len() >= 8 && cell.as_bytes()[..4].iter().all(u8::is_ascii_digit);
        let time = Times::iso(clock, true).read(cell).ok().filter(|_| looks)?;
        self.count += 1;
        let seconds = cell.rsplit_once('.').map_or("", |(_, part)| part);
        self.fraction = self.fraction.max(seconds.bytes().take_while(u8::is_ascii_digit).count());
        let of_day = cell.get(10..).unwrap_or_default();
        let zone = of_day.find(['Z', '+', '-']).map(|at| &of_day[at..]);
        if let Some(zone) = zone {
            self.zoned = true;
            self.ahead = self.ahead.or_else(|| oled::lang::read_offset(zone));
        }
        Some(time as f64 / NANOSECONDS)
    }
}

impl Profile {
    /// Reads a table.
    pub(super) fn read(path: &Path) -> Result<Profile, DataError> {
        let mut columns: Vec<Column> = Vec::new();
        let (mut rows, mut two) = (0, None);
        let names = scan(path, |names, row| {
            if columns.is_empty() {
                columns = names.iter().map(|name| Column::new(name)).collect();
                two = day_and_time(&(0..names.len()).map(|i| row.cell(i)).collect::<Vec<_>>());
                columns
                    .extend(two.map(|[day, time]: [usize; 2]| Column::new(&format!("{} {}", names[day], names[time]))));
            }
            rows += 1;
            columns.iter_mut().take(names.len()).enumerate().for_each(|(i, column)| column.see(row.cell(i)));
            if let (Some(two), Some(both)) = (two, columns.get_mut(names.len())) {
                both.see(&joined(&row, two));
            }
            Ok(())
        })?;
        if columns.is_empty() {
            columns = names.iter().map(|name| Column::new(name)).collect();
        }
        two = two.filter(|_| columns.last().is_some_and(Column::is_date));
        if two.is_none() {
            columns.truncate(names.len());
        }
        Ok(Profile { path: path.to_path_buf(), others: Vec::new(), columns, two, rows })
    }

    /// The columns of the file.
    pub(super) fn header(&self) -> &[Column] {
        &self.columns[..self.columns.len() - usize::from(self.two.is_some())]
    }

    /// The cell of a column, which may have the day and the time of day of two.
    pub(super) fn cell<'r>(&self, row: &Row<'r>, column: usize) -> Cow<'r, str> {
        self.parts_of(column).map_or_else(|| row.cell(column).into(), |two| joined(row, two).into())
    }

    /// The columns of the day and of the time of day, of the column that has both.
    pub(super) fn parts_of(&self, column: usize) -> Option<[usize; 2]> {
        self.two.filter(|_| column + 1 == self.columns.len())
    }

    /// Whether a column is a part of the time, or both of its parts, where it is in two.
    pub(super) fn is_of_two(&self, column: usize) -> bool {
        self.two.is_some_and(|two| two.contains(&column)) || self.parts_of(column).is_some()
    }

    /// All files of the table.
    pub(super) fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.path].into_iter().chain(&self.others)
    }

    /// Whether another file, with columns of the same names, goes on with this table: it is about others, or about other times.
    /// Files that are about the same at the same times say different things of them.
    pub(super) fn goes_on_in(&self, other: &Profile, time: usize, keys: &[usize]) -> bool {
        let names = |profile: &Profile| profile.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        let apart = |column: usize| {
            let (own, its) = (&self.columns[column], &other.columns[column]);
            !own.more && !its.more && !its.values.keys().any(|value| own.values.contains_key(value))
        };
        let later = |column: usize| {
            let ranges = self.columns[column].range.zip(other.columns[column].range);
            ranges.is_some_and(|(own, its)| own.1 < its.0 || its.1 < own.0)
        };
        names(self) == names(other) && (later(time) || keys.iter().any(|key| apart(*key)))
    }

    /// Adds the rows of another file of the same table.
    pub(super) fn merge(&mut self, other: Profile) {
        self.others.push(other.path);
        self.rows += other.rows;
        for (own, its) in self.columns.iter_mut().zip(other.columns) {
            own.merge(its);
        }
    }

    /// Whether numbers have decimal commas.
    pub(super) fn has_commas(&self) -> bool {
        self.columns.iter().any(|column| column.is_number() && column.commas > 0)
    }

    /// The column of this name; where there is none, one that differs in capital letters only.
    pub(super) fn position(&self, name: &str) -> Option<usize> {
        let exact = self.columns.iter().position(|column| column.name == name);
        exact.or_else(|| self.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name)))
    }

    /// The name of the file without its endings.
    pub(super) fn stem(&self) -> String {
        let name = self.path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        name.split('.').next().unwrap_or_default().to_string()
    }
}

/// The cells of a row that are a day, and a time of day: both are one time.
fn day_and_time(cells: &[&str]) -> Option<[usize; 2]> {
    let dates = Times::iso(oled::lang::Clock::default(), true);
    let is_day = |cell: &&str| !cell.contains(':') && cell.len() >= 8 && Dates::default().see(cell).is_some();
    let is_of_day = |cell: &&str| cell.contains(':') && dates.read(&format!("2000-01-01 {cell}")).is_ok();
    Some([cells.iter().position(is_day)?, cells.iter().position(is_of_day)?])
}

/// A day and a time of day as one.
fn joined(row: &Row<'_>, [day, of_day]: [usize; 2]) -> String {
    match (row.cell(day), row.cell(of_day)) {
        ("", "") => String::new(),
        (day, of_day) => format!("{day} {of_day}"),
    }
}

/// The number that a cell with a decimal comma is.
pub(super) fn comma_number(cell: &str) -> Option<f64> {
    let (whole, part) = cell.split_once(',')?;
    number(&format!("{whole}.{part}"))?.as_f64()
}

/// What share of some values a column has.
pub(super) fn overlap(values: &IndexSet<String, FxBuildHasher>, column: &Column) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let common = values.iter().filter(|value| column.values.contains_key(value.as_str())).count();
    common as f64 / values.len() as f64
}
