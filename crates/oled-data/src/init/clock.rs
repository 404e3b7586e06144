//! Clock: which column of a table has the times, and how they are written.

use oled::lang::Clock;

use super::profile::{Column, Profile};
use super::spans::is_called_end;
use super::survey::InitOptions;
use crate::error::{DataError, Problem, ProblemKind};
use crate::table::number;
use crate::times::Times;

/// Words that names of columns with times usually have; those that come first are preferred.
const TIMES: [&str; 16] = [
    "timestamp",
    "time",
    "datetime",
    "date",
    "ts",
    "t",
    "epoch",
    "when",
    "at",
    "stamp",
    "frame",
    "step",
    "tick",
    "start",
    "begin",
    "from",
];

/// Seconds of a day: zones differ by less than two of them, and by one at most from that of the table.
const DAY: f64 = 86_400.0;

/// The column of times: the one that is named; else one that has times at which something is labelled, and is called so, or has
/// dates, or numbers that rise.
pub(super) fn time_column(profile: &Profile, labels: &Profile, options: &InitOptions) -> Result<usize, DataError> {
    let name = profile.path.display().to_string();
    let names: Vec<&str> = profile.columns.iter().map(|column| column.name.as_str()).collect();
    if profile.rows == 0 {
        return Err(Problem::new(ProblemKind::Missing, 0, format!("`{name}` has no rows"))
            .hint("a table has a line with the names of its columns, then rows")
            .of(name));
    }
    if let Some(wanted) = &options.time {
        let whole = |at: usize| if profile.is_of_two(at) { names.len() - 1 } else { at };
        return profile.position(wanted).map(whole).ok_or_else(|| {
            Problem::new(ProblemKind::Missing, 0, format!("`{name}` has no column `{wanted}`"))
                .hint(format!("its columns are {}", names.join(", ")))
                .of(name)
        });
    }
    let labelled = labelled_range(labels);
    let fits = |column: &Column| {
        let written = column.is_date() || column.is_number() && !column.is_truth();
        written
            && labelled.is_none_or(|(dates, range)| {
                // Dates may be of other zones where only some say theirs.
                column.is_date() == dates && overlaps(column.range, range, if dates { DAY } else { 0.0 })
            })
    };
    // Of a time in two columns the day alone is none.
    let is_day = |at: usize| profile.two.is_some_and(|[day, _]| day == at);
    let fitting: Vec<usize> = (0..names.len()).filter(|at| !is_day(*at) && fits(&profile.columns[*at])).collect();
    let rank = |at: usize| {
        let column = &profile.columns[at];
        let words = words(&column.name);
        let called = TIMES.iter().position(|usual| words.iter().any(|word| word == usual));
        // A table may have other dates, and numbers that rise by chance, but each row has its time.
        let is_end = is_called_end(&column.name);
        (column.filled < profile.rows, is_end, called.unwrap_or(TIMES.len()), words.len(), !column.rises, at)
    };
    let best = fitting.iter().copied().min_by_key(|at| rank(*at));
    // One that is called so and cannot be read is not passed over for one that is not.
    let unread = |at: &usize| !profile.columns[*at].is_date() && !profile.columns[*at].is_number();
    let called = |at: &usize| rank(*at).2 < TIMES.len() && profile.columns[*at].filled > 0;
    if let Some(at) = (0..names.len()).filter(called).find(unread).filter(|_| !best.as_ref().is_some_and(called)) {
        check_times(&[(profile, at)])?;
    }
    let found = best.filter(|at| {
        let column = &profile.columns[*at];
        let (_, _, called, ..) = rank(*at);
        called < TIMES.len() || column.is_date() || column.rises && column.values.len() > 1 || fitting.len() == 1
    });
    found.ok_or_else(|| {
        let (message, why) = match labelled {
            Some((dates, _)) if fitting.is_empty() => (
                format!("no column of `{name}` has the times of the labels"),
                format!("labels have {}: write both in the same way; or ", if dates { "dates" } else { "numbers" }),
            ),
            _ => (format!("no column of `{name}` is a time by its name or its cells"), String::new()),
        };
        Problem::new(ProblemKind::Missing, 0, message)
            .hint(format!(
                "{why}name the column of times with the option `time_column=COLUMN`; its columns are {}",
                names.join(", ")
            ))
            .of(name)
    })
}

/// Whether labels have dates, and the first and the last of their times; `None` where they have none, or both.
fn labelled_range(labels: &Profile) -> Option<(bool, Option<(f64, f64)>)> {
    let columns = ["start", "end"].into_iter().filter_map(|name| labels.position(name));
    let columns: Vec<&Column> = columns.map(|at| &labels.columns[at]).filter(|column| column.filled > 0).collect();
    let dates = columns.iter().all(|column| column.is_date());
    if columns.is_empty() || !dates && !columns.iter().all(|column| column.is_number()) {
        return None;
    }
    let range = columns.iter().filter_map(|column| column.range).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)));
    Some((dates, range))
}

/// Whether two ranges have something in common, but for so much.
fn overlaps(column: Option<(f64, f64)>, labels: Option<(f64, f64)>, slack: f64) -> bool {
    column.zip(labels).is_none_or(|(a, b)| a.0 <= b.1 + slack && b.0 <= a.1 + slack)
}

/// The words of a name: `eventTime` and `event_time` have two.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = ' ';
    for c in name.chars() {
        if c.is_alphanumeric() {
            let begins = !before.is_alphanumeric() || c.is_uppercase() && before.is_lowercase();
            if begins {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.extend(c.to_lowercase());
            }
        }
        before = c;
    }
    words
}

/// A time that is neither a number nor a date, told with its column.
pub(super) fn check_times(columns: &[(&Profile, usize)]) -> Result<(), DataError> {
    let reads = |column: &Column| column.filled == 0 || column.is_date() || column.is_number();
    let Some((profile, at)) = columns.iter().find(|(profile, at)| !reads(&profile.columns[*at])) else { return Ok(()) };
    let column = &profile.columns[*at];
    let dates = Times::iso(Clock::new("ns".parse().expect("it is a unit"), 0), true);
    let wrong = |cell: &&String| number(cell).is_none() && dates.read(cell).is_err();
    // Numbers among dates are of no clock at all.
    let cell = column.values.keys().find(wrong).or(column.values.keys().next()).map_or("", String::as_str);
    let hint = match dates.read(cell) {
        Err(error) => error.hint,
        Ok(_) => "write all times of a table in the same way: as numbers, or as dates",
    };
    let message = format!("`{cell}` in column `{}` is no time: neither a number nor a date of ISO 8601", column.name);
    Err(Problem::new(ProblemKind::BadNumber, 0, message).hint(hint).of(profile.path.display().to_string()))
}

/// How the times of all tables are written.
pub(super) fn times_of(stamps: &[&Column], labels: &Profile) -> (Times, Option<&'static str>, Option<String>) {
    let of_labels = ["start", "end"].into_iter().filter_map(|name| labels.position(name)).map(|at| &labels.columns[at]);
    let columns: Vec<&Column> = stamps.iter().copied().chain(of_labels).collect();
    let unit = |digits: usize| match digits {
        0 => "s",
        1..=3 => "ms",
        4..=6 => "us",
        _ => "ns",
    };
    let clock = |unit: &str, ahead: i64| Clock::new(unit.parse().expect("it is a unit"), ahead);
    if stamps.iter().all(|column| column.is_date()) {
        let unit = unit(columns.iter().map(|column| column.dates.fraction).max().unwrap_or(0));
        let zoned = stamps.iter().any(|column| column.dates.zoned);
        let ahead = stamps.iter().find_map(|column| column.dates.ahead).unwrap_or(0);
        let zone = zoned.then(|| match ahead {
            0 => "UTC".to_string(),
            _ => {
                let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.abs() / 60);
                format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
            }
        });
        return (Times::iso(clock(unit, ahead), zoned), Some(unit), zone);
    }
    if columns.iter().all(|column| column.is_whole() || column.filled == 0) {
        return (Times::default(), None, None);
    }
    let digits = |column: &&Column| {
        let parts = column
            .values
            .keys()
            .filter_map(|cell| cell.split_once('.').map(|(_, part)| part.trim_end_matches('0').len()));
        parts.max().unwrap_or(0)
    };
    // Values beyond those that were kept may have more digits.
    let unit = unit(columns.iter().map(digits).max().unwrap_or(0).max(1));
    (Times::seconds(clock(unit, 0)), Some(unit), None)
}
