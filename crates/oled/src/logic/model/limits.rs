//! Limits: how much may be derived at a time point, and why it was not all.

use std::fmt;

use crate::interrupt::Interrupt;
use crate::lang::{Signature, Span};
use crate::logic::program::Pred;

/// How much is derived at a time point.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    /// More rows than this are not derived at once.
    pub(crate) rows: usize,
    /// More steps than this are not taken.
    pub(crate) steps: u64,
    /// Who asks that it ends.
    pub(crate) interrupt: Interrupt,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { rows: usize::MAX, steps: u64::MAX, interrupt: Interrupt::never() }
    }
}

/// Why not all was derived.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stopped {
    Full,
    /// A rule for this head, with this number among the program's rules, was being evaluated.
    TooLong(Pred, u32),
    Interrupted,
}

/// Why not everything was derived that follows at a time point: what was is of no use.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// More atoms follow at once than the limit.
    Full {
        /// The limit.
        limit: usize,
    },
    /// More steps would have to be taken than the limit: rows of a join to look at, and conditions to test with one.
    TooLong {
        /// The limit.
        limit: u64,
        /// What the rule would derive that was being evaluated.
        head: Signature,
        /// Where that rule stands.
        rule: Span,
    },
    /// Somebody asked that it ends.
    Interrupted,
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Full { limit } => write!(f, "more than {limit} atoms follow at once"),
            Stop::TooLong { limit, head, rule } => {
                write!(f, "the rule for `{head}` at {} takes more than {limit} steps", rule.place())
            }
            Stop::Interrupted => f.write_str("it was interrupted"),
        }
    }
}

/// An interrupt is looked for every so many steps: some thousandths of a second.
pub(super) const POLL: u64 = 1 << 16;
