//! Scores: how good a rule is, from its counts.

use serde::{Deserialize, Serialize};

use super::Tally;
use crate::calculus::Outcome::{Absent, Begins, Ends, Persists};

/// What a rule does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RuleKind {
    /// `initiatedAt`.
    Initiation,
    /// `terminatedAt`.
    Termination,
    /// An ordinary predicate, annotated directly: the observational case.
    Observed,
}

/// The clause evaluation function G, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Score {
    /// Definition 2 of the paper: precision for initiation, recall for termination.
    Paper,
    /// As in the paper, but a termination rule is also credited with what it ends rightly.
    Terminations,
    /// As in the paper, but a termination rule is scored by the share of what holds and it ends that ends.
    Holding,
    /// The harmonic mean of precision and recall.
    FScore,
    /// FOIL's gain over the clause that is specialised, as a share of the largest possible.
    Foil,
}

/// True positives, false positives and false negatives (Definition 1 of the paper).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Right.
    pub tp: i64,
    /// Derived, but not annotated.
    pub fp: i64,
    /// Annotated, but not derived.
    pub fn_: i64,
}

impl Counts {
    /// The counts of a rule that covers `c` of all instances `s`.
    ///
    /// A termination rule is right where it lets a fluent persist, and wrong where it ends one that goes on. What else
    /// counts depends on the score: `Terminations` and `FScore` also credit right endings and charge missed ones.
    pub fn new(kind: RuleKind, score: Score, c: Tally, s: Tally) -> Counts {
        let rest = s - c;
        match (kind, score) {
            (RuleKind::Initiation | RuleKind::Observed, _) => {
                Counts { tp: c[Begins] + c[Persists], fp: c[Absent] + c[Ends], fn_: rest[Begins] + rest[Persists] }
            }
            (RuleKind::Termination, Score::Paper | Score::Foil) => {
                Counts { tp: rest[Begins] + rest[Persists], fp: 0, fn_: c[Begins] + c[Persists] }
            }
            (RuleKind::Termination, Score::Terminations | Score::FScore) => {
                Counts { tp: rest[Begins] + rest[Persists] + c[Ends], fp: rest[Ends], fn_: c[Begins] + c[Persists] }
            }
            (RuleKind::Termination, Score::Holding) => Counts { tp: c[Ends], fp: c[Persists], fn_: rest[Ends] },
        }
    }

    fn precision(self) -> f64 {
        share(self.tp, self.tp + self.fp)
    }

    fn recall(self) -> f64 {
        share(self.tp, self.tp + self.fn_)
    }

    /// The score, and the number of observations behind it. `parent` is the clause being specialised.
    pub fn score(self, kind: RuleKind, score: Score, parent: Counts) -> f64 {
        let by_precision =
            !matches!((kind, score), (RuleKind::Termination, Score::Paper | Score::Terminations | Score::Foil));
        match score {
            Score::FScore => {
                let (p, r) = (self.precision(), self.recall());
                if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
            }
            Score::Foil => {
                let coverage = |c: Counts| if by_precision { c.precision() } else { c.recall() };
                let (child, parent_coverage) = (coverage(self), coverage(parent));
                if child == 0.0 || parent_coverage == 0.0 || parent_coverage == 1.0 {
                    return 0.0;
                }
                let gain = self.tp as f64 * (libm::log(child) - libm::log(parent_coverage));
                (gain / (parent.tp as f64 * -libm::log(parent_coverage))).clamp(0.0, 1.0)
            }
            _ if by_precision => self.precision(),
            _ => self.recall(),
        }
    }

    /// The denominator of the score: how many observations it is a mean of.
    pub fn denominator(self, kind: RuleKind, score: Score) -> i64 {
        match (kind, score) {
            (_, Score::FScore) => self.tp + self.fp + self.fn_,
            (RuleKind::Termination, Score::Paper | Score::Terminations | Score::Foil) => self.tp + self.fn_,
            _ => self.tp + self.fp,
        }
    }
}

/// What has nothing to be a share of counts as nothing.
fn share(part: i64, whole: i64) -> f64 {
    if whole <= 0 { 0.0 } else { part as f64 / whole as f64 }
}
