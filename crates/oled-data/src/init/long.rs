//! Long tables: a row has the name of something that is measured, and its value: `time, machine, metric, value`.

use indexmap::IndexMap;
use oled::Value;
use rustc_hash::FxBuildHasher;

use super::profile::{Profile, comma_number};
use crate::error::DataError;
use crate::table::{number, scan};

/// What the rows of a table say of a column of names beside one of numbers.
#[derive(Default)]
struct Beside {
    rows: u64,
    /// Rows that have the time of the row before about the same, and another name; or the same name.
    other: u64,
    same: u64,
    /// Rows with another name than the one before about the same, at whatever time.
    changed: u64,
    /// For each name the number of its values, their sum and the sum of their squares.
    moments: IndexMap<String, [f64; 3], FxBuildHasher>,
    /// The last row about each: its time and its name.
    last: IndexMap<String, (String, String), FxBuildHasher>,
}

impl Beside {
    fn see(&mut self, who: String, time: &str, name: &str, value: f64) {
        self.rows += 1;
        let [count, sum, squares] = self.moments.entry(name.into()).or_default();
        (*count, *sum, *squares) = (*count + 1.0, *sum + value, *squares + value * value);
        let last = self.last.entry(who).or_default();
        if last.0 == time {
            *(if last.1 == name { &mut self.same } else { &mut self.other }) += 1;
        }
        self.changed += u64::from(last.1 != name);
        *last = (time.into(), name.into());
    }

    /// Which share of how much values differ is told by their names.
    fn explained(&self) -> f64 {
        let sums = |moments: &[[f64; 3]]| {
            let [count, sum, squares] =
                moments.iter().fold([0.0; 3], |all, own| [all[0] + own[0], all[1] + own[1], all[2] + own[2]]);
            squares - sum * sum / f64::max(count, 1.0)
        };
        let all: Vec<[f64; 3]> = self.moments.values().copied().collect();
        let (total, within) = (sums(&all), all.iter().map(|own| sums(&[*own])).sum::<f64>());
        if total > 0.0 { 1.0 - within / total } else { 0.0 }
    }

    /// Whether names say what is measured, and not in which state something is while it is measured. At one time something has
    /// one state, and values of several kinds. Where kinds come one by one, most rows have another than the one before, and
    /// their values are of different sizes.
    fn is_kind(&self) -> bool {
        let once = self.same * 20 <= self.rows;
        once && (self.other * 3 >= self.rows || self.changed * 2 > self.rows && self.explained() > 0.5)
    }
}

/// The column with the names of what is measured, of those that could be it, where a column has the values.
pub(super) fn kinds_column(
    profile: &Profile,
    time: usize,
    keys: &[usize],
    value: usize,
    names: &[usize],
) -> Result<Option<usize>, DataError> {
    let mut beside: Vec<Beside> = names.iter().map(|_| Beside::default()).collect();
    for path in profile.paths() {
        scan(path, |_, row| {
            let cell = row.cell(value);
            let Some(value) = number(cell).and_then(Value::as_f64).or_else(|| comma_number(cell)) else {
                return Ok(());
            };
            for (beside, name) in beside.iter_mut().zip(names) {
                let who = row.joined(keys.iter().copied());
                beside.see(who, &profile.cell(&row, time), row.cell(*name), value);
            }
            Ok(())
        })?;
    }
    // Units are told by what is measured, and are fewer.
    let kinds = names.iter().zip(&beside).filter(|(_, beside)| beside.is_kind());
    Ok(kinds
        .max_by_key(|(column, beside)| (beside.moments.len(), std::cmp::Reverse(**column)))
        .map(|(column, _)| *column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_kind(rows: &[(i64, &str, f64)]) -> bool {
        let mut beside = Beside::default();
        rows.iter().for_each(|(time, name, value)| beside.see("a".into(), &time.to_string(), name, *value));
        beside.is_kind()
    }

    #[test]
    fn kinds_of_values_are_told_from_states() {
        assert!(is_kind(&[(1, "temp", 20.0), (1, "load", 0.5), (2, "temp", 21.0), (2, "load", 0.4)]));
        assert!(is_kind(&[(1, "temp", 20.0), (2, "load", 0.5), (3, "temp", 21.0), (4, "load", 0.4)]));
        assert!(!is_kind(&[(1, "on", 20.0), (2, "on", 21.0), (3, "off", 20.0), (4, "off", 21.0)]));
        assert!(!is_kind(&[(1, "on", 20.0), (2, "off", 21.0), (3, "on", 21.0), (4, "off", 20.0)]));
        assert!(!is_kind(&[(1, "on", 20.0), (1, "on", 0.5), (1, "off", 3.0), (2, "off", 3.0)]), "states of several");
    }
}
