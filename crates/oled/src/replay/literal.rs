//! Literals of rules: those of the table, and thresholds for what is measured.

use serde::{Deserialize, Serialize};

use crate::induce::{Numbers, RuleKind, Threshold};
use crate::lang::{Comparison, Looser};
use crate::learn::Gauge;

/// A literal: one of the table, or a threshold for something measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Lit {
    Closed(u16),
    Open { slot: u16, threshold: Threshold },
}

/// A rule as what it does and the literals of its body.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) kind: RuleKind,
    pub(crate) body: Vec<Lit>,
}

/// Something that is measured of an instance and compared with thresholds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) numbers: Numbers,
    pub(crate) comparison: Comparison,
    pub(crate) looser: Looser,
    pub(crate) negated: bool,
}

impl From<&Gauge> for Slot {
    fn from(gauge: &Gauge) -> Slot {
        let Gauge { numbers, comparison, looser, negated, .. } = *gauge;
        Slot { numbers, comparison, looser, negated }
    }
}
