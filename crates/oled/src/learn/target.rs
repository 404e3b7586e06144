//! Target: what is to be learned about, and which of its labels an instance has.

use super::candidates::Family;
use super::given::Given;
use super::instances::filled;
use super::interpretation::Labels;
use crate::calculus::Outcome;
use crate::induce::{Column, Pattern};
use crate::lang::{Signature, Symmetries, Value};

/// A target as the learner describes it.
pub(super) struct TargetSpec {
    pub(super) family: Family,
    pub(super) label: Signature,
    pub(super) columns: Vec<Result<usize, Value>>,
    pub(super) direct: bool,
}

/// What is to be learned about.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) group: usize,
    /// The annotation.
    pub(super) label: Signature,
    /// Constants and variables of the label's columns.
    pub(super) columns: Vec<Result<usize, Value>>,
    /// Whether the label is of the same time point as the head: the observational case, and fluents that hold while
    /// conditions are met.
    pub(super) direct: bool,
    /// What is given of its instances.
    pub(super) given: Given,
    /// Whether what the background does to them follows from what is learned.
    pub(super) depends: bool,
    /// Whether the background starts instances of the same fluent that no head speaks of.
    pub(super) partial: bool,
    /// The first target with the same annotation.
    pub(super) first: usize,
    /// Its place among the targets of its group.
    pub(super) place: usize,
}

impl Target {
    /// The outcome of an instance; `None` where the annotation says that it does not know. `row` is room for its label.
    pub(super) fn outcome(
        &self,
        values: &[Value],
        now: &Labels,
        then: &Labels,
        symmetries: &Symmetries,
        row: &mut Vec<Value>,
    ) -> Option<Outcome> {
        self.row(values, symmetries, row);
        if self.direct {
            return (!now.unknown.contains(row)).then(|| Outcome::new(false, now.holds.contains(row)));
        }
        let (holds, next) = (now.holds.contains(row), then.holds.contains(row));
        let unknown = then.unknown.contains(row);
        // What changes in a gap, nobody knows when, is taken to change at its beginning: what happens there has an effect next.
        let turns = next && unknown;
        let known = !now.unknown.contains(row) && (turns || !unknown);
        known.then(|| Outcome::new(holds, if turns { !holds } else { next }))
    }

    /// The label of an instance; a symmetric one in the order that stands for both.
    pub(super) fn row(&self, values: &[Value], symmetries: &Symmetries, row: &mut Vec<Value>) {
        row.clear();
        row.extend(filled(&self.columns, values));
        symmetries.canonical(self.label, row);
    }

    /// Whether a label is about an instance of this target, by its constants.
    pub(super) fn is_about(&self, row: &[Value]) -> bool {
        self.columns.iter().zip(row).all(|(column, value)| column.as_ref().err().is_none_or(|c| c == value))
    }

    /// Whether its heads have no constants: whatever is annotated is about an instance.
    pub(super) fn is_general(&self) -> bool {
        self.columns.iter().all(Result::is_ok)
    }

    /// The instance that a label is about.
    pub(super) fn instance(&self, row: &[Value]) -> Box<[Value]> {
        let mut values = Vec::with_capacity(row.len());
        self.arguments(row, &mut values);
        values.into()
    }

    /// The same in room that is used again.
    pub(super) fn arguments(&self, row: &[Value], values: &mut Vec<Value>) {
        values.clear();
        values.extend(self.columns.iter().zip(row).filter(|(column, _)| column.is_ok()).map(|(_, value)| *value));
    }

    /// Whether what a literal is true of is known of a group of heads, as far as it is about this target: what is learned may
    /// be recognised where it is not annotated, but of instances only, and those of one group are the same.
    pub(super) fn is_known_by(&self, pattern: &Pattern, group: usize, symmetric: bool) -> bool {
        let apart = |(own, column): (&Result<usize, Value>, &Column)| match (own, column) {
            (Err(own), Column::Constant(value)) => own != value,
            _ => false,
        };
        let same = |(own, column): (&Result<usize, Value>, &Column)| match (own, column) {
            (Ok(own), Column::Variable(v)) => own == v || symmetric,
            _ => true,
        };
        let columns = || self.columns.iter().zip(&pattern.columns);
        self.label != pattern.signature || columns().any(apart) || self.group == group && columns().all(same)
    }
}
