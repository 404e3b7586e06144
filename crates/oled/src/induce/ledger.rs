//! Ledger: from how often each set of literals was true, with which outcome, the counts of every body.
//!
//! A body fires on an instance if and only if it is a subset of what is true there, so for every body B
//!
//! ```text
//! covered(B) = Σ { rows[m] : B ⊆ m }
//! ```
//!
//! and no instance needs to be kept. Where a rule has existential variables an instance has several truths, one for each
//! assignment of them, and B fires if it is a subset of one of them; by inclusion and exclusion that too is a sum over
//! rows, some of them negative.

use std::ops::{AddAssign, Index, Sub};

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::Mask;
use crate::calculus::Outcome;
use crate::state::{StateError, ensure, ensure_counts};

/// How many instances there were of each outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally([i64; 4]);

impl Tally {
    /// One instance, or minus one.
    pub fn of(outcome: Outcome, sign: i64) -> Tally {
        let mut tally = Tally::default();
        tally.0[outcome as usize] = sign;
        tally
    }

    /// Adds one instance.
    #[inline]
    pub fn add(&mut self, outcome: Outcome) {
        self.0[outcome as usize] += 1;
    }

    /// All instances.
    pub fn total(&self) -> i64 {
        self.0.iter().sum()
    }

    /// The sizes of the counts, whatever their signs.
    pub(crate) fn sizes(self) -> impl Iterator<Item = u64> {
        self.0.into_iter().map(i64::unsigned_abs)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.0 == [0; 4]
    }
}

impl Index<Outcome> for Tally {
    type Output = i64;

    fn index(&self, outcome: Outcome) -> &i64 {
        &self.0[outcome as usize]
    }
}

impl AddAssign for Tally {
    #[inline]
    fn add_assign(&mut self, other: Tally) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a += b;
        }
    }
}

impl Sub for Tally {
    type Output = Tally;

    fn sub(mut self, other: Tally) -> Tally {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a -= b;
        }
        self
    }
}

/// Counts of all bodies, as signed counts of truths.
///
/// The law: ledgers make a commutative group under [`Ledger::merge`], up to the order of rows, which says nothing. An empty one is
/// neutral, rows with opposite tallies cancel out, and counts are whole numbers, so that sums are the same in any order.
///
/// ```
/// use oled::calculus::Outcome::{Absent, Begins};
/// use oled::induce::{Ledger, Mask};
/// let mut ledger = Ledger::default();
/// ledger.record(&[[0, 1].into_iter().collect()], Begins);
/// // Two assignments of an existential variable: literal 1 is true with one, literal 2 with the other.
/// ledger.record(&[[0, 1].into_iter().collect(), [0, 2].into_iter().collect()], Absent);
/// assert_eq!(ledger.covered(&Mask::of(0)).total(), 2);
/// assert_eq!(ledger.covered(&Mask::of(2))[Absent], 1);
/// assert_eq!(ledger.covered(&[1, 2].into_iter().collect()).total(), 0);
/// ```
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    rows: IndexMap<Mask, Tally, FxBuildHasher>,
}

impl Ledger {
    /// Adds an instance with its truths: one, unless there are existential variables.
    pub fn record(&mut self, truths: &[Mask], outcome: Outcome) {
        if let [truth] = truths {
            return self.add_to(truth, Tally::of(outcome, 1));
        }
        for (mask, sign) in union_of_down_sets(truths) {
            self.add(mask, Tally::of(outcome, sign));
        }
    }

    /// Adds to a row.
    #[inline]
    pub fn add(&mut self, mask: Mask, tally: Tally) {
        match self.rows.get_mut(&mask) {
            Some(row) => *row += tally,
            None => _ = self.rows.insert(mask, tally),
        }
    }

    /// Adds an instance with one truth. `place` is that of the row which was added to before for it, or any: what is true of an
    /// instance mostly stays so, and its row need not be looked up, which took a fiftieth of Algorithm 1.
    #[inline]
    pub(crate) fn record_at(&mut self, truth: &Mask, outcome: Outcome, place: &mut usize) {
        if let Some((_, row)) = self.rows.get_index_mut(*place).filter(|(mask, _)| *mask == truth) {
            return row.add(outcome);
        }
        let known = self.rows.get_index_of(truth);
        *place = known.unwrap_or_else(|| self.rows.insert_full(truth.clone(), Tally::default()).0);
        self.rows[*place].add(outcome);
    }

    /// The same without taking the mask: it is copied where there is no row for it yet.
    #[inline]
    fn add_to(&mut self, mask: &Mask, tally: Tally) {
        match self.rows.get_mut(mask) {
            Some(row) => *row += tally,
            None => _ = self.rows.insert(mask.clone(), tally),
        }
    }

    /// The instances that a body fires on.
    pub fn covered(&self, body: &Mask) -> Tally {
        covered(self.rows(), body)
    }

    /// Adds another ledger.
    pub fn merge(&mut self, other: &Ledger) {
        for (mask, &tally) in &other.rows {
            self.add_to(mask, tally);
        }
        self.rows.retain(|_, tally| !tally.is_zero());
    }

    /// The rows.
    pub fn rows(&self) -> impl Iterator<Item = (&Mask, Tally)> {
        self.rows.iter().map(|(mask, &tally)| (mask, tally))
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether this can be about these literals.
    pub(crate) fn check(&self, literals: &Mask) -> Result<(), StateError> {
        ensure(self.rows.keys().all(|mask| mask.fires_on(literals)), "the literals of a ledger")?;
        ensure_counts(self.rows.values().flat_map(|tally| tally.sizes()))
    }

    /// A smaller ledger that says the same of all bodies within these literals.
    #[must_use]
    pub fn within(&self, literals: &Mask) -> Ledger {
        let mut ledger = Ledger::default();
        self.rows().for_each(|(mask, tally)| ledger.add(mask.and(literals), tally));
        ledger
    }

    /// The rows of what was recorded since the ledger was as in `before`; for bodies within some literals, if that is
    /// what `before` is about.
    pub fn since<'a>(&'a self, before: &'a Ledger) -> impl Iterator<Item = (&'a Mask, Tally)> {
        self.rows().chain(before.rows().map(|(mask, tally)| (mask, Tally::default() - tally)))
    }
}

/// The instances that a body fires on, from the rows of a ledger.
pub(crate) fn covered<'a>(rows: impl Iterator<Item = (&'a Mask, Tally)>, body: &Mask) -> Tally {
    let mut sum = Tally::default();
    rows.filter(|(mask, _)| body.fires_on(mask)).for_each(|(_, tally)| sum += tally);
    sum
}

/// The truths of an instance as signed masks: `[B ⊆ a or B ⊆ b] = [B ⊆ a] + [B ⊆ b] − [B ⊆ a ∩ b]`, one truth after the
/// other. Truths that are part of others cancel out by themselves.
pub(crate) fn union_of_down_sets(truths: &[Mask]) -> Vec<(Mask, i64)> {
    let mut terms: IndexMap<Mask, i64, FxBuildHasher> = IndexMap::default();
    for truth in truths {
        let meets: Vec<(Mask, i64)> = terms.iter().map(|(mask, &sign)| (mask.and(truth), -sign)).collect();
        for (mask, sign) in meets.into_iter().chain([(truth.clone(), 1)]) {
            *terms.entry(mask).or_default() += sign;
        }
        terms.retain(|_, sign| *sign != 0);
    }
    terms.into_iter().collect()
}
