//! Replaced: which names of an event are states that replace each other, such as `on` and `off` of a switch, and which two of them
//! take turns among others, such as `login` and `logout`.

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
                alternation.see(row.joined(others.copied()), row.cell(*column));
            }
            Ok(())
        })?;
    }
    let share = |alternation: &Alternation| alternation.changed as f64 / alternation.rows.max(1) as f64;
    let replaced = columns.iter().zip(&found).filter(|(_, alternation)| alternation.replaces());
    Ok(replaced.max_by(|a, b| share(a.1).total_cmp(&share(b.1)).then(b.0.cmp(a.0))).map(|(column, _)| *column))
}

/// How often two names take turns, for each two of a column.
struct Turns {
    names: usize,
    /// For each whom rows are about, the number of the last row of each name; none yet is zero.
    last: IndexMap<String, Vec<u64>, FxBuildHasher>,
    seen: u64,
    /// For each two, a name and a later one, the rows of either behind the first one, and those of them behind the other name.
    pairs: Vec<(u64, u64)>,
}

impl Turns {
    fn new(names: usize) -> Turns {
        Turns { names, last: IndexMap::default(), seen: 0, pairs: vec![(0, 0); names * names] }
    }

    fn see(&mut self, about: String, name: usize) {
        self.seen += 1;
        let last = self.last.entry(about).or_insert_with(|| vec![0; self.names]);
        let own = last[name];
        for (other, before) in last.iter().enumerate().filter(|(other, before)| *other != name && own.max(**before) > 0)
        {
            let (rows, changed) = &mut self.pairs[name.min(other) * self.names + name.max(other)];
            (*rows, *changed) = (*rows + 1, *changed + u64::from(*before > own));
        }
        last[name] = self.seen;
    }

    /// Whether two of the names take turns. Reports may be lost, as many as chance takes of a number; and there are more turns than it
    /// takes to choose two of the names, so that hardly any two seem to by chance.
    fn are_taken(&self, (rows, changed): (u64, u64)) -> bool {
        let lost = rows - changed;
        let choices = (self.names * self.names) as u64;
        lost * lost <= rows && u64::from(choices.ilog2()) < rows
    }
}

/// Pairs of the names in a column that take turns, whoever it is about; each name is in one pair at most, those first that come most
/// often. Rules may say that it is between two such rows.
pub(super) fn turns(profile: &Profile, keys: &[usize], column: usize) -> Result<Vec<[String; 2]>, DataError> {
    let mut names: Vec<&String> = profile.columns[column].values.keys().collect();
    names.sort();
    let mut turns = Turns::new(names.len());
    for path in profile.paths() {
        scan(path, |_, row| {
            if let Ok(name) = names.binary_search_by(|name| name.as_str().cmp(row.cell(column))) {
                turns.see(row.joined(keys.iter().copied()), name);
            }
            Ok(())
        })?;
    }
    let taken = turns.pairs.iter().enumerate().filter(|(_, pair)| turns.are_taken(**pair));
    let mut taken: Vec<(u64, usize)> = taken.map(|(number, (_, changed))| (*changed, number)).collect();
    taken.sort_by_key(|(changed, number)| (u64::MAX - changed, *number));
    let mut pairs: Vec<[usize; 2]> = Vec::new();
    for pair in taken.into_iter().map(|(_, number)| [number / names.len(), number % names.len()]) {
        if pairs.iter().flatten().all(|name| !pair.contains(name)) {
            pairs.push(pair);
        }
    }
    Ok(pairs.into_iter().map(|pair| pair.map(|name| names[name].clone())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take_turns(rows: impl Iterator<Item = usize>) -> bool {
        let mut turns = Turns::new(5);
        rows.for_each(|name| turns.see("a".into(), name));
        turns.are_taken(turns.pairs[1])
    }

    #[test]
    fn names_that_take_turns_are_told_from_those_that_come_in_any_order() {
        assert!(take_turns((0..40).map(|row| row % 2)));
        assert!(take_turns((0..40).flat_map(|row| [row % 2, 2, 3])), "whatever else comes");
        assert!(!take_turns((0..4).map(|row| row % 2)), "so few turns may be chance");
        assert!(take_turns((0..40).filter(|row| row % 20 != 7).map(|row| row % 2)), "reports may be lost");
        assert!(!take_turns((0..40).map(|row| usize::from(row % 3 == 0))));
    }

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
