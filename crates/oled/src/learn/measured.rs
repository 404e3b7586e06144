//! What is measured of head instances, where thresholds are open: of several values the one that meets most thresholds.

use super::candidates::Asked;
use super::instances::Reach;
use crate::induce::{Column, LiteralTable, Numbers};
use crate::lang::{Comparison, Monotone, Value};
use crate::logic::{Measure, Pred, Program};

/// A literal with an open threshold, ready to be measured.
#[derive(Clone, Debug)]
pub(crate) struct NumericFeature {
    /// The relation with what is measured, and the column of it.
    pub(super) pred: Pred,
    column: usize,
    /// Columns with the variables of the head that stand there, and with constants.
    pub(super) variables: Vec<(usize, usize)>,
    pub(super) constants: Vec<(usize, Value)>,
    /// Whom a row speaks of, and whether those are related by it: its group says so.
    pub(super) reach: Reach,
    pub(super) relates: bool,
    pub(crate) comparison: Comparison,
    pub(crate) monotone: Monotone,
    pub(crate) numbers: Numbers,
    pub(crate) negated: bool,
    /// The first feature of the table that measures the same of the same variables.
    pub(crate) attribute: usize,
}

impl NumericFeature {
    /// The features of a table's open literals. `numbers` says of each measure what its thresholds are.
    pub(super) fn of(
        table: &LiteralTable,
        asked: &Asked,
        measures: &[Measure],
        numbers: &[Numbers],
        program: &Program,
    ) -> Vec<NumericFeature> {
        let mut features: Vec<NumericFeature> = Vec::new();
        for (number, literal) in table.open_literals().iter().enumerate() {
            let measure = &measures[literal.measure];
            let pred = program.pred(asked.open[number]).expect("what is measured is wanted");
            let (mut variables, mut constants) = (Vec::new(), Vec::new());
            for (column, filled) in literal.columns.iter().enumerate() {
                match *filled {
                    Some(Column::Variable(v)) => variables.push((column, v)),
                    Some(Column::Constant(value)) => constants.push((column, value)),
                    None => {}
                }
            }
            let mut feature = NumericFeature {
                pred,
                column: measure.column,
                variables,
                constants,
                reach: Reach::All,
                relates: false,
                comparison: measure.comparison,
                monotone: measure.monotone,
                numbers: numbers[literal.measure],
                negated: literal.negated,
                attribute: number,
            };
            let same = |g: &NumericFeature| {
                (g.pred, &g.variables, &g.constants) == (pred, &feature.variables, &feature.constants)
            };
            feature.attribute = features.iter().position(same).unwrap_or(number);
            features.push(feature);
        }
        features
    }

    /// Whether it is the first feature that measures what it does, by its number.
    pub(super) fn is_first(&self, number: usize) -> bool {
        self.attribute == number
    }

    /// Keeps what counts of the value in a row: of several the one that meets most. `nan` stands for none.
    #[inline]
    pub(super) fn keep(&self, row: &[Value], kept: &mut f64) {
        // Adding zero turns -0.0 into 0.0: equal numbers have equal bits.
        let Some(value) = row[self.column].as_f64().map(|value| value + 0.0) else { return };
        *kept = if self.monotone == Monotone::Up { kept.min(value) } else { kept.max(value) };
    }
}
