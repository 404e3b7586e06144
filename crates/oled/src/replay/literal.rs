//! Literals of rules: those of the table, and thresholds for what is measured.

use serde::{Deserialize, Serialize};

use crate::induce::{Numbers, RuleKind, Threshold};
use crate::lang::{Comparison, Monotone};
use crate::learn::NumericFeature;

/// A literal: one of the table, or a threshold for something measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Lit {
    Plain(u16),
    Threshold { slot: u16, threshold: Threshold },
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
    pub(crate) monotone: Monotone,
    pub(crate) negated: bool,
}

impl From<&NumericFeature> for Slot {
    fn from(feature: &NumericFeature) -> Slot {
        let NumericFeature { numbers, comparison, monotone, negated, .. } = *feature;
        Slot { numbers, comparison, monotone, negated }
    }
}
