//! What is given of fluents that are learned: what the background does to them, and what it makes of them.

use super::target::TargetSpec;
use crate::induce::{LiteralTable, Mask};
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Clause, Signature, Term, Value, for_each_hole};
use crate::logic::Dependence;

/// What is given of the instances of a target, as bits of their truths: what the background starts and ends, and, of a
/// fluent with values, that another value begins, which a learner has to find out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) starts: Option<usize>,
    pub(crate) ends: Option<usize>,
    pub(crate) other_value: Option<usize>,
}

/// Whether a rule has such a head.
pub(super) fn is_defined(rules: &[&Clause], signature: Signature) -> bool {
    rules.iter().any(|rule| Signature::of(&rule.head) == signature)
}

/// Whether a rule of the background may start an instance of a fluent that is about none of the targets.
pub(super) fn starts_uncovered(rule: &Clause, label: Signature, targets: &[TargetSpec]) -> bool {
    let head = Signature::of(&rule.head);
    let initially = label.without_time().map(|s| s.renamed(INITIALLY));
    if head != label.renamed(INITIATED) && Some(head) != initially {
        return false;
    }
    let mut holes = Vec::new();
    for_each_hole(&rule.head.args, &mut |term| holes.push(term));
    let covers = |t: &&TargetSpec| {
        let fits = |(column, hole): (&Result<usize, Value>, &&Term)| match column {
            Ok(_) => true,
            Err(value) => **hole == Term::Value(*value),
        };
        t.columns.iter().zip(&holes).all(fits)
    };
    !targets.iter().filter(|t| t.label == label).any(|t| covers(&t))
}

/// Whether a predicate follows from what is learned, and is not that itself.
pub(super) fn wraps(signature: Signature, dependence: &Dependence<'_>, targets: &[TargetSpec]) -> bool {
    !targets.iter().any(|t| t.label == signature) && is_learned(dependence.of([signature]), targets)
}

/// Whether the bodies of rules follow from what is learned.
pub(super) fn follows<'r>(
    dependence: &Dependence<'_>,
    rules: impl Iterator<Item = &'r Clause>,
    targets: &[TargetSpec],
) -> bool {
    is_learned(dependence.of(rules.flat_map(Dependence::asked_for)), targets)
}

/// Whether something that is learned is among these.
fn is_learned(mut signatures: impl Iterator<Item = Signature>, targets: &[TargetSpec]) -> bool {
    let is_label = |s: Signature| targets.iter().any(|t| t.label == s);
    let acts = |s: Signature| matches!(s.name().as_str(), INITIATED | TERMINATED) && is_label(s.renamed(HOLDS));
    signatures.any(|s| is_label(s) || acts(s))
}

/// The literals of a table of which that is so.
pub(super) fn wrapping(table: &LiteralTable, dependence: &Dependence<'_>, targets: &[TargetSpec]) -> Mask {
    let patterns = table.patterns().iter().enumerate();
    patterns.filter(|(_, p)| wraps(p.signature, dependence, targets)).map(|(i, _)| i).collect()
}
