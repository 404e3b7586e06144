//! Labelled: which fluents a table of labels has, of whom, when and for how long.

use std::path::Path;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::profile::Profile;
use crate::error::{DataError, Problem, ProblemKind};
use crate::table::scan;
use crate::times::Times;

/// A table of labels.
pub(super) struct Labelled {
    pub(super) profile: Profile,
    /// The columns of arguments.
    pub(super) args: Vec<String>,
    /// By name, in the order in which they come.
    pub(super) fluents: IndexMap<String, Fluent, FxBuildHasher>,
    /// The column of segments.
    pub(super) segment: Option<String>,
}

/// A fluent that is labelled.
#[derive(Default)]
pub(super) struct Fluent {
    pub(super) arity: usize,
    pub(super) intervals: Vec<Interval>,
}

/// Why the order of a pair is taken to mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Symmetry {
    /// Each label is there in both orders.
    Written,
    /// Nobody writes a pair in both orders at once, and the same ones come first and second. It may be that the first does
    /// something to the second; but where the order is by chance, no rule can tell it, and half of what is recognised is wrong.
    Assumed,
}

impl Fluent {
    /// Whether the order of a pair means nothing.
    pub(super) fn symmetry(&self) -> Option<Symmetry> {
        if self.arity != 2 {
            return None;
        }
        let mut of_pair: IndexMap<(&str, &str, &str), Vec<Span>, FxBuildHasher> = IndexMap::default();
        for Interval { args, segment, start, end } in &self.intervals {
            let time = (start.unwrap_or(i64::MIN), end.unwrap_or(i64::MAX));
            of_pair.entry((segment, &args[0], &args[1])).or_default().push(time);
        }
        of_pair.values_mut().for_each(|times| times.sort_unstable());
        let others = |&(segment, a, b): &(_, _, _)| of_pair.get(&(segment, b, a)).map_or(&[][..], Vec::as_slice);
        if of_pair.iter().all(|(pair, times)| others(pair) == times.as_slice()) {
            return Some(Symmetry::Written);
        }
        if of_pair.iter().any(|(pair, times)| overlap(times, others(pair))) {
            return None;
        }
        let place = |at: usize| -> IndexSet<&str, FxBuildHasher> {
            self.intervals.iter().map(|interval| interval.args[at].as_str()).collect()
        };
        let (first, second) = (place(0), place(1));
        let ordered = self.intervals.iter().all(|interval| interval.args[0] <= interval.args[1]);
        // Those who are only ever first, and those who are only ever second, are not of one kind.
        (ordered || !first.is_disjoint(&second)).then_some(Symmetry::Assumed)
    }
}

/// From when to when.
type Span = (i64, i64);

/// Whether some interval of one list has a time point in common with one of the other, each in the order of time.
fn overlap(a: &[Span], b: &[Span]) -> bool {
    let (mut i, mut j) = (0, 0);
    while i < a.len() && j < b.len() {
        if a[i].0 <= b[j].1 && b[j].0 <= a[i].1 {
            return true;
        }
        if a[i].1 < b[j].1 { i += 1 } else { j += 1 }
    }
    false
}

/// A label: of whom, in which segment, from when to when.
pub(super) struct Interval {
    pub(super) args: Vec<String>,
    pub(super) segment: String,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
}

/// Columns that are no arguments.
const OWN: [&str; 10] =
    ["fluent", "start", "end", "segment", "label", "closed", "confidence", "weakest", "name", "values"];

impl Labelled {
    /// Its columns; intervals are read when it is known how times are written. The column of segments is called so, or as that of
    /// the tables is.
    pub(super) fn new(path: &Path, segment: Option<&str>) -> Result<Labelled, DataError> {
        let profile = Profile::read(path)?;
        let name = path.display().to_string();
        for column in ["fluent", "start", "end"] {
            if profile.position(column).is_none() {
                let names: Vec<&str> = profile.header().iter().map(|column| column.name.as_str()).collect();
                return Err(Problem::new(ProblemKind::Missing, 0, format!("the labels have no column `{column}`"))
                    .hint(format!(
                        "they have the columns fluent, one for each argument, start and end; these have {}",
                        names.join(", ")
                    ))
                    .of(name));
            }
        }
        if profile.rows == 0 {
            return Err(Problem::new(ProblemKind::Missing, 0, "there are no labels, so there is nothing to learn")
                .hint("write a row for each time that something held: its name, of whom, from when to when")
                .of(name));
        }
        let segment = segment.and_then(|name| profile.position(name)).or_else(|| profile.position("segment"));
        let segment = segment.map(|column| profile.columns[column].name.clone());
        let args = profile.header().iter().map(|column| column.name.clone());
        let is_own =
            |name: &String| OWN.iter().any(|own| name.eq_ignore_ascii_case(own)) || Some(name) == segment.as_ref();
        let args = args.filter(|name| !is_own(name)).collect();
        Ok(Labelled { profile, args, fluents: IndexMap::default(), segment })
    }

    /// Takes an argument for the column of segments.
    pub(super) fn take_for_segments(&mut self, argument: String) {
        self.args.retain(|arg| *arg != argument);
        self.segment = Some(argument);
    }

    /// Reads all intervals.
    pub(super) fn read(&mut self, times: Times) -> Result<(), DataError> {
        let column = |name: &str| self.profile.position(name);
        let (fluent, start, end) = (column("fluent"), column("start"), column("end"));
        let (segment, label) = (self.segment.as_deref().and_then(column), column("label"));
        let args: Vec<usize> = self.args.iter().filter_map(|name| column(name)).collect();
        let fluents = &mut self.fluents;
        scan(&self.profile.path, |_, row| {
            let cell = |column: Option<usize>| column.map_or("", |column| row.cell(column));
            let time = |column: Option<usize>| match cell(column) {
                "" => Ok(None),
                text => times.read(text).map(Some).map_err(|error| {
                    let at = column.map_or(0, |column| row.at(column));
                    Problem::new(ProblemKind::BadNumber, at, error.message).hint(error.hint)
                }),
            };
            let text = cell(fluent);
            let (name, own) = split_fluent(text);
            let of_columns =
                args.iter().map(|column| row.cell(*column).to_string()).take_while(|cell| !cell.is_empty());
            let values: Vec<String> = own.into_iter().chain(of_columns).collect();
            // What is not known says nothing of what there is to learn.
            if cell(label) == "unknown" {
                return time(start).and(time(end)).map(drop);
            }
            if name.is_empty() {
                return Err(Problem::new(ProblemKind::Missing, 0, "the label names no fluent")
                    .hint("write its name into the column `fluent`"));
            }
            let known = fluents.entry(name).or_insert_with(|| Fluent { arity: values.len(), ..Fluent::default() });
            if known.arity != values.len() {
                let message = format!("`{text}` has {} arguments here and {} before", values.len(), known.arity);
                return Err(Problem::new(ProblemKind::Syntax, row.at(fluent.unwrap_or(0)), message)
                    .hint("a fluent has as many arguments in every row"));
            }
            let (start, end) = (time(start)?, time(end)?);
            known.intervals.push(Interval { args: values, segment: cell(segment).to_string(), start, end });
            Ok(())
        })?;
        Ok(())
    }

    /// The names of segments.
    pub(super) fn segments(&self) -> IndexSet<String, FxBuildHasher> {
        let intervals = self.fluents.values().flat_map(|fluent| &fluent.intervals);
        intervals.map(|interval| interval.segment.clone()).filter(|name| !name.is_empty()).collect()
    }

    /// The values of each argument, of all fluents.
    pub(super) fn values(&self) -> Vec<IndexSet<String, FxBuildHasher>> {
        let arity = self.fluents.values().map(|fluent| fluent.arity).max().unwrap_or(0);
        let mut values = vec![IndexSet::default(); arity];
        for interval in self.fluents.values().flat_map(|fluent| &fluent.intervals) {
            for (place, value) in interval.args.iter().enumerate() {
                values[place].insert(value.clone());
            }
        }
        values
    }

    /// How long labels last, the shortest first.
    pub(super) fn lengths(&self) -> Vec<i64> {
        let intervals = self.fluents.values().flat_map(|fluent| &fluent.intervals);
        let mut lengths: Vec<i64> =
            intervals.filter_map(|interval| Some(interval.end?.saturating_sub(interval.start?))).collect();
        lengths.sort_unstable();
        lengths
    }
}

/// The name of a fluent, and its arguments where it is written as a whole: `meeting(id1,id2)`.
fn split_fluent(text: &str) -> (String, Vec<String>) {
    let plain = |text: &str| text.trim().trim_matches('\'').to_string();
    match text.split_once('(') {
        Some((name, rest)) => (plain(name), rest.trim_end_matches(')').split(',').map(plain).collect()),
        None => (plain(text), Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symmetry(labels: &[(&str, &str, i64, i64)]) -> Option<Symmetry> {
        let interval = |(a, b, start, end): &(&str, &str, i64, i64)| Interval {
            args: vec![a.to_string(), b.to_string()],
            segment: String::new(),
            start: Some(*start),
            end: Some(*end),
        };
        Fluent { arity: 2, intervals: labels.iter().map(interval).collect() }.symmetry()
    }

    #[test]
    fn the_order_of_a_pair_means_something_where_labels_say_so() {
        let written = [("v1", "v2", 0, 9), ("v2", "v1", 0, 9)];
        assert_eq!(symmetry(&written), Some(Symmetry::Written));
        // In any order, but never in both at once.
        let any = [("v1", "v2", 0, 9), ("v10", "v2", 3, 9), ("v2", "v1", 20, 29)];
        assert_eq!(symmetry(&any), Some(Symmetry::Assumed));
        assert_eq!(
            symmetry(&[("v1", "v2", 0, 9), ("v1", "v3", 0, 9)]),
            Some(Symmetry::Assumed),
            "in the order of names"
        );
        // One follows the other, and for a while the other one too.
        assert_eq!(symmetry(&[("v1", "v2", 0, 9), ("v2", "v3", 0, 9), ("v2", "v1", 9, 29)]), None);
        // People leave objects.
        assert_eq!(symmetry(&[("p1", "bag", 0, 9), ("p2", "bag", 0, 9), ("p1", "box", 20, 29)]), None);
    }
}
