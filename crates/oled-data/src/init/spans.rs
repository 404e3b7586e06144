//! Spans: tables whose rows are intervals, from one time to another, such as those of sensors that were on.

use super::clock::words;
use super::profile::{Column, Profile};
use crate::error::DataError;
use crate::table::{MISSING, scan};
use crate::times::Times;

/// Words that names of columns with the ends of intervals usually have.
const ENDS: [&str; 8] = ["end", "ends", "ended", "stop", "until", "finish", "to", "off"];

/// Whether a column is called as those of ends are.
pub(super) fn is_called_end(name: &str) -> bool {
    words(name).iter().any(|word| ENDS.contains(&word.as_str()))
}

/// The column of the time at which a row ends: it is written as the time of the row is, called so, and no row has it before its time.
pub(super) fn end_column(profile: &Profile, time: usize, times: Times) -> Result<Option<usize>, DataError> {
    let same_kind = |column: &Column| {
        let start = &profile.columns[time];
        column.is_date() && start.is_date() || column.is_number() && start.is_number()
    };
    let called = |column: &Column| is_called_end(&column.name);
    let mut candidates: Vec<usize> = (0..profile.columns.len())
        .filter(|at| *at != time && same_kind(&profile.columns[*at]) && called(&profile.columns[*at]))
        .collect();
    if candidates.is_empty() {
        return Ok(None);
    }
    for path in profile.paths() {
        scan(path, |_, row| {
            let start = times.read(&profile.cell(&row, time)).ok();
            let is_after = |at: &usize| {
                let cell = row.cell(*at);
                MISSING.contains(&cell) || times.read(cell).ok().zip(start).is_some_and(|(end, start)| start <= end)
            };
            candidates.retain(is_after);
            Ok(())
        })?;
    }
    Ok(candidates.first().copied())
}
