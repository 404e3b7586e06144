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
    pub(super) has_segments: bool,
}

/// A fluent that is labelled.
#[derive(Default)]
pub(super) struct Fluent {
    pub(super) arity: usize,
    pub(super) intervals: Vec<Interval>,
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
    /// Its columns; intervals are read when it is known how times are written.
    pub(super) fn new(path: &Path) -> Result<Labelled, DataError> {
        let profile = Profile::read(path)?;
        let name = path.display().to_string();
        for column in ["fluent", "start", "end"] {
            if profile.position(column).is_none() {
                let names: Vec<&str> = profile.columns.iter().map(|column| column.name.as_str()).collect();
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
        let args = profile.columns.iter().map(|column| column.name.clone());
        let args = args.filter(|name| !OWN.iter().any(|own| name.eq_ignore_ascii_case(own))).collect();
        let has_segments = profile.position("segment").is_some();
        Ok(Labelled { profile, args, fluents: IndexMap::default(), has_segments })
    }

    /// Reads all intervals.
    pub(super) fn read(&mut self, times: Times) -> Result<(), DataError> {
        let column = |name: &str| self.profile.position(name);
        let (fluent, start, end) = (column("fluent"), column("start"), column("end"));
        let (segment, label) = (column("segment"), column("label"));
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
