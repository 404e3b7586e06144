//! Moments, which whoever asks for reasons keeps, and what rules had to say there.

use crate::lang::{Literal, Signature, Symbol, Value};
use crate::stream::Facts;

use super::measured::Measured;

/// What was known at a time point: observed, and recognised before its rules are asked.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The segment.
    pub segment: Symbol,
    /// The time point.
    pub time: i64,
    /// Its number, from one.
    pub(super) number: u64,
    pub(super) narrative: Facts,
    pub(super) holding: Facts,
    /// What conditions that look back saw, and the time points they looked at.
    pub(super) past: Facts,
    pub(super) looked_at: Vec<(Signature, i64)>,
    /// The rules of the theory that fired, in order, each with what it derived.
    pub(super) fired: Vec<(usize, Box<[Value]>)>,
}

impl Moment {
    /// The rules of the theory that fired, by their numbers, each with the values of what it derived, the time left out: of a
    /// symmetric fluent in both orders. Rules that end something fire on what holds only, unless an end wins over a start.
    pub fn fired(&self) -> impl Iterator<Item = (usize, &[Value])> {
        self.fired.iter().map(|(rule, row)| (*rule, &**row))
    }

    pub(super) fn has_fired(&self, rule: usize, values: &[Value]) -> bool {
        self.fired.binary_search_by(|(r, row)| (*r, &**row).cmp(&(rule, values))).is_ok()
    }

    /// What a rule derived.
    pub(super) fn rows_of(&self, rule: usize) -> impl Iterator<Item = &[Value]> {
        let first = self.fired.partition_point(|(r, _)| *r < rule);
        self.fired[first..].iter().take_while(move |(r, _)| *r == rule).map(|(_, row)| &**row)
    }
}

/// What a rule had to say about a fluent at a time point.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's number in the theory, from zero.
    pub rule: usize,
    /// The time point.
    pub time: i64,
    /// Whether it fired.
    pub fired: bool,
    /// Its conditions, in order.
    pub conditions: Vec<Condition>,
}

/// What a condition of a rule had to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Where it stands in the rule's body; `None` for what the rule does not say: that a variable of its head ranges over
    /// what is observed, that what it is about is a candidate, that its arguments are different ones, and that what ends
    /// holds.
    pub place: Option<usize>,
    /// With the values that are known. Where a rule did not fire, these make as many conditions true as they can, taken in
    /// order.
    pub literal: Literal,
    /// Whether it is true; `None` where a condition that failed leaves it without values.
    pub truth: Option<bool>,
    /// The earlier time point that it looks back at, if there is one.
    pub looked_at: Option<i64>,
    /// What was measured for it, and compared with which thresholds.
    pub measured: Vec<Measured>,
}
