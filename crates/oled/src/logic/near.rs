//! Nearness: tests that bound how far a row of a scan can be from what is known before it, so that only rows nearby are
//! looked at.
//!
//! ```text
//! near(V, W, T) :- position(V, A, B, T), position(W, C, D, T), sqrt((A - C)^2 + (B - D)^2) <= 2000.
//! ```
//!
//! When the second scan begins, `A` and `B` are known, and no row can lead to the head whose `C` is further from `A`, or
//! whose `D` is further from `B`, than 2000. The tests stay as they are: what is found here only says which rows they are
//! in vain for.

use std::cell::Cell;

use super::builtin::{Binary, Expr, Unary};
use super::plan::{Column, Step};
use super::program::Pred;
use crate::lang::{Comparison, Value};

/// The columns of a scan whose values are near to something known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Near {
    /// One or two of them.
    pub(crate) axes: Box<[Axis]>,
    /// Whether the rows are the same at all times.
    pub(crate) fixed: bool,
}

/// A column whose values are within a distance of a known value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Axis {
    pub(crate) column: usize,
    pub(crate) centre: Expr,
    /// What bounds the distance, or its square.
    pub(crate) bound: Expr,
    pub(crate) squared: bool,
}

/// More columns are not told apart by cells: distances are those of a plane, and a third column would only leave out rows
/// that are above or below.
pub(crate) const MAX_AXES: usize = 2;

/// Parts of a test that are looked at, at most. A distance has about ten; what is named by equations and used twice, again
/// and again, would have no end.
const MAX_PARTS: usize = 100;

/// Tells scans which rows later tests are in vain for. `largest` knows the largest value in a column of a relation that
/// never changes, if it is one of numbers; of others it knows nothing.
pub(super) fn narrow(steps: &mut [Step], largest: impl Fn(Pred, usize) -> Option<Value>) {
    for i in 0..steps.len() {
        let (scan, later) = steps[i..].split_first_mut().expect("there is a step");
        let Step::Scan { pred, columns, key, delta: false, near, .. } = scan else { continue };
        // A column that an earlier row decides leaves few rows; one with a constant may leave most.
        let is_constant = |&c: &usize| matches!(columns[c], Column::Is(Expr::Const(_)));
        if !key.iter().all(is_constant) {
            continue;
        }
        let axes = Search { columns, later, largest: &largest, parts: Cell::new(0) }.axes();
        if !axes.is_empty() {
            let fixed = axes.iter().all(|axis| largest(*pred, axis.column).is_some());
            *near = Some(Box::new(Near { axes: axes.into(), fixed }));
        }
    }
}

/// The search for the axes of one scan.
struct Search<'a, L> {
    columns: &'a [Column],
    later: &'a [Step],
    largest: &'a L,
    /// Parts of the test that were looked at.
    parts: Cell<usize>,
}

/// What a part of a test is not larger than: what bounds the test, or the square of that.
#[derive(Clone, Copy)]
enum Limit<'b> {
    Bound(&'b Expr),
    Square(&'b Expr),
}

impl<'a, L: Fn(Pred, usize) -> Option<Value>> Search<'a, L> {
    fn axes(&self) -> Vec<Axis> {
        let mut axes = Vec::new();
        for step in self.later {
            let Step::Test(op, left, right) = step else { continue };
            let (small, large) = match op {
                Comparison::Greater | Comparison::GreaterOrEqual => (right, left),
                Comparison::Equal if self.is_known(left) => (right, left),
                Comparison::Less | Comparison::LessOrEqual | Comparison::Equal => (left, right),
                Comparison::NotEqual => continue,
            };
            self.parts.set(0);
            if let Some(bound) = self.bound(large) {
                self.within(small, Limit::Bound(&bound), &mut axes);
            }
        }
        axes
    }

    /// What is known, before the scan, to be as large as a value or larger.
    fn bound(&self, expr: &Expr) -> Option<Expr> {
        if self.is_known(expr) {
            return Some(expr.clone());
        }
        let Expr::Slot(slot) = expr else { return None };
        let largest = self.later.iter().find_map(|step| match step {
            Step::OneOf(of, values) if of == slot && values.iter().all(|v| v.as_f64().is_some()) => {
                values.iter().max().copied()
            }
            Step::Scan { pred, columns, .. } => {
                let column = columns.iter().position(|c| *c == Column::Bind(*slot))?;
                (self.largest)(*pred, column)
            }
            _ => None,
        });
        largest.map(Expr::Const)
    }

    /// Whether a value is known before the scan: registers have numbers in the order in which they get their values.
    fn is_known(&self, expr: &Expr) -> bool {
        let of_row = self.columns.iter().filter_map(|c| if let Column::Bind(slot) = c { Some(*slot) } else { None });
        match (expr, of_row.min()) {
            (Expr::Const(_), _) => true,
            (Expr::Slot(slot), Some(first)) => *slot < first,
            // A scan that gives no register a value has no axes either.
            (Expr::Slot(_), None) => false,
            (Expr::Unary(_, a), _) => self.is_known(a),
            (Expr::Binary(_, ab) | Expr::Distance(ab), _) => self.is_known(&ab.0) && self.is_known(&ab.1),
        }
    }

    /// An expression, or what the equation says that gives a register its value; `None` where enough was looked at.
    fn meant(&self, expr: &'a Expr) -> Option<&'a Expr> {
        let mut expr = expr;
        loop {
            self.parts.set(self.parts.get() + 1);
            if self.parts.get() > MAX_PARTS {
                return None;
            }
            let Expr::Slot(slot) = expr else { return Some(expr) };
            let equation = self.later.iter().find_map(|step| match step {
                Step::Let(of, value) if of == slot => Some(value),
                _ => None,
            });
            match equation {
                Some(value) => expr = value,
                None => return Some(expr),
            }
        }
    }

    /// Adds the axes that follow from a part of a test being within a limit.
    fn within(&self, expr: &'a Expr, limit: Limit<'_>, axes: &mut Vec<Axis>) {
        match (self.meant(expr), limit) {
            (Some(Expr::Unary(Unary::Sqrt, a)), Limit::Bound(bound)) => self.within(a, Limit::Square(bound), axes),
            (Some(Expr::Unary(Unary::Abs, a)), Limit::Bound(bound)) => self.axis(a, bound, false, axes),
            (Some(Expr::Binary(Binary::Max, ab)), _) => {
                self.within(&ab.0, limit, axes);
                self.within(&ab.1, limit, axes);
            }
            // Where no part of a sum is negative, none is larger than the sum.
            (Some(Expr::Binary(Binary::Add, ab)), _) if self.is_positive(&ab.0) && self.is_positive(&ab.1) => {
                self.within(&ab.0, limit, axes);
                self.within(&ab.1, limit, axes);
            }
            (Some(other), Limit::Bound(bound)) => {
                square(other).into_iter().for_each(|a| self.axis(a, bound, true, axes));
            }
            (Some(other), Limit::Square(bound)) => {
                square(other).into_iter().for_each(|a| self.axis(a, bound, false, axes));
            }
            (None, _) => {}
        }
    }

    /// Whether a value is never negative, where there is one.
    fn is_positive(&self, expr: &'a Expr) -> bool {
        match self.meant(expr) {
            Some(Expr::Unary(Unary::Sqrt | Unary::Abs, _)) => true,
            Some(Expr::Binary(Binary::Add, ab)) => self.is_positive(&ab.0) && self.is_positive(&ab.1),
            Some(Expr::Binary(Binary::Max, ab)) => self.is_positive(&ab.0) || self.is_positive(&ab.1),
            Some(other) => square(other).is_some(),
            None => false,
        }
    }

    /// Adds the axis of a difference between a column and what is known.
    fn axis(&self, expr: &'a Expr, bound: &Expr, squared: bool, axes: &mut Vec<Axis>) {
        let Some(Expr::Binary(Binary::Sub, ab)) = self.meant(expr) else { return };
        let (slot, centre) = match &**ab {
            (Expr::Slot(slot), known) if self.is_known(known) => (slot, known),
            (known, Expr::Slot(slot)) if self.is_known(known) => (slot, known),
            _ => return,
        };
        let column = self.columns.iter().position(|c| *c == Column::Bind(*slot));
        if let Some(column) = column.filter(|c| axes.len() < MAX_AXES && axes.iter().all(|a| a.column != *c)) {
            axes.push(Axis { column, centre: centre.clone(), bound: bound.clone(), squared });
        }
    }
}

/// What an expression is the square of.
fn square(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Binary(Binary::Pow, ab) if ab.1 == Expr::Const(Value::Int(2)) => Some(&ab.0),
        Expr::Binary(Binary::Mul, ab) if ab.0 == ab.1 => Some(&ab.0),
        _ => None,
    }
}
