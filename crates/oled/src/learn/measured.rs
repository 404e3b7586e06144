//! What is measured of head instances, where thresholds are open: of several values the one that meets most thresholds.

use super::instances::Group;
use crate::induce::{Column, LiteralTable, Numbers};
use crate::lang::{Comparison, Looser, Value};
use crate::logic::{Measure, Model, Pred, Program, Relation};

/// A literal with an open threshold, ready to be measured.
#[derive(Clone, Debug)]
pub(crate) struct Gauge {
    /// The relation with what is measured, and the column of it.
    pred: Pred,
    column: usize,
    /// Columns with the variables of the head that stand there, and with constants.
    variables: Vec<(usize, usize)>,
    constants: Vec<(usize, Value)>,
    /// The variables that stand nowhere.
    free: Vec<usize>,
    pub(crate) comparison: Comparison,
    pub(crate) looser: Looser,
    pub(crate) numbers: Numbers,
    pub(crate) negated: bool,
    /// The first gauge of the table that measures the same of the same variables.
    pub(crate) attribute: usize,
}

impl Gauge {
    /// The gauges of a table's open literals. `numbers` says of each measure what its thresholds are.
    pub(super) fn of(table: &LiteralTable, measures: &[Measure], numbers: &[Numbers], program: &Program) -> Vec<Gauge> {
        let mut gauges: Vec<Gauge> = Vec::new();
        for (number, literal) in table.open_literals().iter().enumerate() {
            let measure = &measures[literal.measure];
            // What is measured alike is derived once.
            let source = &measures[measure.same_as];
            let pred = program.pred(source.measured).expect("what is measured is wanted");
            let (mut variables, mut constants) = (Vec::new(), Vec::new());
            for (column, filled) in literal.columns.iter().enumerate() {
                match *filled {
                    Some(Column::Variable(v)) => variables.push((column, v)),
                    Some(Column::Constant(value)) => constants.push((column, value)),
                    None => {}
                }
            }
            let mut gauge = Gauge {
                pred,
                column: measure.column,
                free: (0..table.types.len()).filter(|v| !variables.iter().any(|(_, w)| v == w)).collect(),
                variables,
                constants,
                comparison: measure.comparison,
                looser: measure.looser,
                numbers: numbers[literal.measure],
                negated: literal.negated,
                attribute: number,
            };
            let same = |g: &Gauge| (g.pred, &g.variables, &g.constants) == (pred, &gauge.variables, &gauge.constants);
            gauge.attribute = gauges.iter().position(same).unwrap_or(number);
            gauges.push(gauge);
        }
        gauges
    }
}

impl Group {
    /// What each gauge shows of each combination of the variables' values, in the order of their numbers: those of all
    /// gauges of a combination are together. `nan` stands where nothing is measured.
    pub(super) fn measure(&self, model: &Model) -> Vec<f64> {
        let domains: Vec<&Relation> = self.domains.iter().map(|&d| model.rows(d)).collect();
        let strides = strides(&domains);
        let total: usize = domains.iter().map(|d| d.len()).product();
        let count = self.gauges.len();
        let mut shown = vec![f64::NAN; total * count];
        for (first, gauge) in self.gauges.iter().enumerate().filter(|(g, gauge)| gauge.attribute == *g) {
            // Rows that follow each other often speak of the same entity.
            let mut last: Option<(Value, usize)> = None;
            'rows: for row in model.rows(gauge.pred).rows() {
                if gauge.constants.iter().any(|(column, value)| row[*column] != *value) {
                    continue;
                }
                let mut base = 0;
                for (i, &(column, v)) in gauge.variables.iter().enumerate() {
                    let value = row[column];
                    let known = last.filter(|(same, _)| i == 0 && *same == value).map(|(_, digit)| digit);
                    match known.or_else(|| domains[v].position(&[value])) {
                        Some(digit) => {
                            base += digit * strides[v];
                            if i == 0 {
                                last = Some((value, digit));
                            }
                        }
                        None => continue 'rows,
                    }
                }
                // What gauges show that compare the same number with thresholds.
                for (g, gauge) in self.gauges.iter().enumerate().skip(first).filter(|(_, g)| g.attribute == first) {
                    // Adding zero turns -0.0 into 0.0: equal numbers have equal bits.
                    let Some(value) = row[gauge.column].as_f64().map(|value| value + 0.0) else { continue };
                    for_each_free(base, &gauge.free, &domains, &strides, |i| {
                        // Of several values the one that meets most counts.
                        let kept = &mut shown[i * count + g];
                        *kept = if gauge.looser == Looser::Larger { kept.min(value) } else { kept.max(value) };
                    });
                }
            }
        }
        shown
    }
}

/// Instances are numbered like digits: variable v changes every `strides[v]`.
pub(super) fn strides(domains: &[&Relation]) -> Vec<usize> {
    let mut strides = vec![1; domains.len()];
    for v in (0..domains.len().saturating_sub(1)).rev() {
        strides[v] = strides[v + 1] * domains[v + 1].len();
    }
    strides
}

/// The numbers of all instances that differ from `base` in free variables only.
#[inline]
pub(super) fn for_each_free(
    base: usize,
    free: &[usize],
    domains: &[&Relation],
    strides: &[usize],
    mut each: impl FnMut(usize),
) {
    match free {
        [] => each(base),
        [v] => (0..domains[*v].len()).for_each(|d| each(base + d * strides[*v])),
        free => {
            let count: usize = free.iter().map(|&v| domains[v].len()).product();
            for mut n in 0..count {
                let mut at = base;
                for &v in free {
                    at += n % domains[v].len() * strides[v];
                    n /= domains[v].len();
                }
                each(at);
            }
        }
    }
}
