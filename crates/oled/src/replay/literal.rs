//! Literals of rules: those of the table, and thresholds for what is measured.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::induce::{Grid, RuleKind};
use crate::lang::Looser;
use crate::learn::Gauge;

/// A literal: one of the table, or a threshold for something measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Lit {
    Closed(u16),
    Open { slot: u16, threshold: Number },
}

/// A rule as what it does and the literals of its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    pub(crate) body: Vec<Lit>,
}

/// A finite number, which can be compared and hashed.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Number(pub(crate) f64);

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        // Zero has one sign.
        (self.0 + 0.0).total_cmp(&(other.0 + 0.0))
    }
}

impl Hash for Number {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 + 0.0).to_bits().hash(state);
    }
}

/// Something that is measured of an instance and compared with thresholds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) grid: Grid,
    pub(crate) looser: Looser,
    pub(crate) negated: bool,
}

impl Slot {
    /// The words of a truth with what is measured: two of a mask, and one for four measures.
    pub(crate) fn stride(slots: &[Slot]) -> usize {
        2 + slots.len().div_ceil(4)
    }
}

impl From<&Gauge> for Slot {
    fn from(gauge: &Gauge) -> Slot {
        let Gauge { grid, looser, negated, .. } = *gauge;
        Slot { grid, looser, negated }
    }
}
