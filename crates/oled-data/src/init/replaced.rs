//! Replaced: which names of an event are states that replace each other, such as `on` and `off` of a switch.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::profile::Profile;
use crate::error::DataError;
use crate::table::scan;

/// What the rows of a table say of a column of names, whoever and whatever the other names are about.
#[derive(Default)]
struct Alternation {
    /// The last name for each of these.
    last: IndexMap<String, String, FxBuildHasher>,
    /// Rows that are not the first for theirs, and those of them with another name than the one before.
    rows: u64,
    changed: u64,
}

impl Alternation {
    fn see(&mut self, about: String, name: &str) {
        match self.last.get_mut(&about) {
            Some(last) => {
                self.rows += 1;
                if last != name {
                    self.changed += 1;
                    name.clone_into(last);
                }
            }
            None => _ = self.last.insert(about, name.into()),
        }
    }

    /// Whether names replace each other: mostly another one comes next. What only happens may come again and again.
    fn replaces(&self) -> bool {
        self.changed * 2 > self.rows
    }
}

/// The column of an event whose names replace each other, for the same values of its other columns: that in which they do most.
pub(super) fn replaced_column(
    profile: &Profile,
    keys: &[usize],
    columns: &[usize],
) -> Result<Option<usize>, DataError> {
    let mut found: Vec<Alternation> = columns.iter().map(|_| Alternation::default()).collect();
    for path in profile.paths() {
        scan(path, |_, row| {
            for (alternation, column) in found.iter_mut().zip(columns) {
                let others = keys.iter().chain(columns).filter(|other| *other != column);
                let about = others.fold(String::new(), |about, other| about + row.cell(*other) + "\n");
                alternation.see(about, row.cell(*column));
            }
            Ok(())
        })?;
    }
    let share = |alternation: &Alternation| alternation.changed as f64 / alternation.rows.max(1) as f64;
    let replaced = columns.iter().zip(&found).filter(|(_, alternation)| alternation.replaces());
    Ok(replaced.max_by(|a, b| share(a.1).total_cmp(&share(b.1)).then(b.0.cmp(a.0))).map(|(column, _)| *column))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replaces(names: &[&str]) -> bool {
        let mut alternation = Alternation::default();
        names.iter().for_each(|name| alternation.see("a".into(), name));
        alternation.replaces()
    }

    #[test]
    fn states_are_told_from_what_happens_again_and_again() {
        assert!(replaces(&["on", "off", "on", "off"]));
        assert!(replaces(&["on", "off", "off", "on", "off"]), "a report may be lost");
        assert!(!replaces(&["failed", "failed", "failed", "login", "failed"]));
        assert!(!replaces(&["on"]), "nobody has seen it replaced");
    }
}
