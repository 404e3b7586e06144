//! Cells: the rows of a relation by where they are in a plane, for scans that look for rows nearby.
//!
//! Numbers are sorted into cells that are at least as wide as what is looked for, so that it is in the cell of the centre
//! or in one next to it. A row too many costs time only, since the tests of the rule are made in any case; a row too few
//! must not be, so widths are rounded up by more than all arithmetic in a test and here may be wrong.

use super::near::{Axis, MAX_AXES, Near};
use super::program::Pred;
use super::relation::Relation;
use crate::lang::Value;

/// Fewer rows are looked at one by one. With so many, where few are near, a join takes half the time; with fewer, what nine
/// cells cost is as much as what they save.
const FEW: usize = 16;

/// So often all rows of a time point are looked at before they are sorted into cells, which costs as much as that.
const PATIENCE: u32 = 4;

/// A width is larger than the distance by this factor. Arithmetic is wrong by less than a part in 2^50 of what it computes
/// with, and cells have numbers up to 2^30.
const MARGIN: f64 = 1.0 + 1.0 / 65536.0;

/// A width is at least this part of the largest number, so that cells have numbers of 30 bits, of which no digit is lost.
const FINEST: f64 = 1.0 / (1u64 << 30) as f64;

/// A width is at least this: the squares of smaller distances are nothing, to a computer.
const SMALLEST: f64 = 1e-150;

/// All cells of a time point. Memory is kept from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    grids: Vec<Grid>,
}

/// The rows of a relation, sorted into cells of one width.
#[derive(Clone, Debug, Default)]
struct Grid {
    pred: Option<Pred>,
    fixed: bool,
    columns: Vec<usize>,
    radii: Vec<f64>,
    /// How often it was asked since rows have changed.
    asked: u32,
    /// The number of rows that are sorted in; they are never taken away.
    len: usize,
    widths: [f64; MAX_AXES],
    /// Where the rows of each bucket of cells begin, and where the last one ends.
    starts: Vec<u32>,
    /// Rows with their cells, bucket by bucket, in order.
    rows: Vec<(Cell, u32)>,
    cells: Vec<Option<Cell>>,
}

type Cell = [i32; MAX_AXES];

/// What is known of the rows nearby.
pub(super) enum Nearby {
    /// It may be any of them.
    All,
    /// It is those that were added, at this cost in steps.
    Added(u64),
}

impl Cells {
    /// Goes to another time point.
    pub(super) fn begin(&mut self) {
        self.grids.iter_mut().filter(|grid| !grid.fixed).for_each(|grid| (grid.asked, grid.len) = (0, 0));
    }

    /// Adds the rows that may be near, in order.
    pub(super) fn find(
        &mut self,
        pred: Pred,
        near: &Near,
        relation: &Relation,
        slots: &[Value],
        found: &mut Vec<u32>,
    ) -> Nearby {
        if relation.len() < FEW {
            return Nearby::All;
        }
        let (mut centre, mut radii) = ([0.0; MAX_AXES], [0.0; MAX_AXES]);
        for (i, axis) in near.axes.iter().enumerate() {
            // Without a number there is no difference, and the test is false.
            let Some(value) = axis.centre.eval(slots).and_then(Value::as_f64) else { return Nearby::Added(0) };
            let Some(bound) = axis.bound.eval(slots) else { return Nearby::Added(0) };
            // All numbers are before a name.
            let Some(bound) = bound.as_f64() else { return Nearby::All };
            (centre[i], radii[i]) = (value, radius(axis, bound));
        }
        let radii = &radii[..near.axes.len()];
        let grid = self.grid(pred, near, radii);
        let mut steps = 0;
        if grid.len != relation.len() {
            grid.asked += 1;
            if grid.asked <= PATIENCE {
                return Nearby::All;
            }
            grid.sort(relation);
            steps += relation.len() as u64;
        }
        match grid.around(centre, found) {
            Some(more) => Nearby::Added(steps + more),
            None => Nearby::All,
        }
    }

    fn grid(&mut self, pred: Pred, near: &Near, radii: &[f64]) -> &mut Grid {
        let columns = || near.axes.iter().map(|axis| axis.column);
        let same = |g: &Grid| g.pred == Some(pred) && g.radii == radii && g.columns.iter().copied().eq(columns());
        let at = self.grids.iter().position(same).unwrap_or_else(|| {
            let (columns, radii) = (columns().collect(), radii.to_vec());
            self.grids.push(Grid { pred: Some(pred), fixed: near.fixed, columns, radii, ..Grid::default() });
            self.grids.len() - 1
        });
        &mut self.grids[at]
    }
}

/// What the difference of an axis is surely below.
fn radius(axis: &Axis, bound: f64) -> f64 {
    let bound = bound.max(0.0);
    let radius = if axis.squared { bound.sqrt() } else { bound };
    let radius = radius.max(SMALLEST) * MARGIN;
    if let super::builtin::Expr::Const(_) = axis.bound {
        return radius;
    }
    // A bound that differs from row to row is rounded up to a power of two, so that there are few grids.
    let fraction = (1u64 << 52) - 1;
    f64::from_bits((radius.to_bits() + fraction) & !fraction)
}

impl Grid {
    /// Sorts all rows of a relation into cells.
    fn sort(&mut self, relation: &Relation) {
        self.len = relation.len();
        for (i, (&column, &radius)) in self.columns.iter().zip(&self.radii).enumerate() {
            let numbers = relation.rows().filter_map(|row| row[column].as_f64());
            let largest = numbers.fold(0.0, |largest: f64, number| largest.max(number.abs()));
            self.widths[i] = radius.max(largest * FINEST);
        }
        self.cells.clear();
        for row in relation.rows() {
            let mut cell = [0; MAX_AXES];
            // A name is near to nothing: there is no difference.
            let is_number = self
                .columns
                .iter()
                .enumerate()
                .all(|(i, &column)| row[column].as_f64().map(|number| cell[i] = self.place(i, number)).is_some());
            self.cells.push(is_number.then_some(cell));
        }
        let buckets = self.len.next_power_of_two();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for cell in self.cells.iter().flatten() {
            self.starts[bucket(*cell, buckets)] += 1;
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.rows.clear();
        self.rows.resize(end as usize, Default::default());
        // From the last row to the first, so that those of a bucket are in order.
        for (i, cell) in self.cells.iter().enumerate().rev() {
            if let Some(cell) = cell {
                let start = &mut self.starts[bucket(*cell, buckets)];
                *start -= 1;
                self.rows[*start as usize] = (*cell, i as u32);
            }
        }
    }

    /// The number of a cell along an axis. What is too large for one is in the last cell.
    fn place(&self, axis: usize, number: f64) -> i32 {
        (number / self.widths[axis]).floor() as i32
    }

    /// Adds the rows of the cells around a point, in order, and says how many were looked at; `None` if they are most rows,
    /// so that it is better to look at all.
    fn around(&self, centre: [f64; MAX_AXES], found: &mut Vec<u32>) -> Option<u64> {
        let before = found.len();
        let middle: Cell = std::array::from_fn(|i| if i < self.columns.len() { self.place(i, centre[i]) } else { 0 });
        let beside = if self.columns.len() > 1 { -1..=1 } else { 0..=0 };
        let mut looked_at = 0;
        for x in -1..=1 {
            for y in beside.clone() {
                // Beyond the last cell there is none.
                let (Some(x), Some(y)) = (middle[0].checked_add(x), middle[1].checked_add(y)) else { continue };
                let at = bucket([x, y], self.starts.len() - 1);
                let rows = &self.rows[self.starts[at] as usize..self.starts[at + 1] as usize];
                looked_at += 1 + rows.len();
                if 2 * looked_at > self.len + FEW {
                    found.truncate(before);
                    return None;
                }
                found.extend(rows.iter().filter(|(cell, _)| *cell == [x, y]).map(|(_, row)| *row));
            }
        }
        found[before..].sort_unstable();
        Some(looked_at as u64)
    }
}

/// The bucket of a cell, of a number of them that is a power of two.
fn bucket(cell: Cell, buckets: usize) -> usize {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let [x, y] = cell.map(|place| u64::from(place.cast_unsigned()));
    // Mixed twice: neighbours differ in their last bits only, and must not meet in one bucket.
    let mixed = (x << 32 | y).wrapping_mul(FACTOR);
    ((mixed ^ mixed >> 32).wrapping_mul(FACTOR) >> 32) as usize & (buckets - 1)
}
