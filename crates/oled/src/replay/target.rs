//! Target: a fluent, or a predicate, whose rules are learned, and how it may be defined.

use super::classes::Allowed;
use super::literal::Rule;
use super::recognised::About;
use super::runs::Definition;
use crate::induce::{Column, Mask, RuleKind};
use crate::lang::{Symbol, Value};
use crate::learn::{Given, Head, Propositionaliser};
use crate::task::Task;

/// A fluent, or a predicate, whose rules are learned.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) name: Symbol,
    pub(super) group: usize,
    pub(super) place: usize,
    /// Its literals that are about targets before it, and those that may not be used.
    pub(super) about: Vec<About>,
    pub(super) left_out: Mask,
    /// The literals that are meant for the rules of each kind.
    pub(super) allowed: Vec<Allowed>,
    /// What rules make it persist, and whether it may hold while something is true.
    pub(super) persists: Vec<RuleKind>,
    pub(super) holds_while: bool,
    /// What the modes declare, if it is one of the two.
    pub(super) declared: Option<Definition>,
    /// Rules to start from.
    pub(super) start: Vec<Rule>,
}

/// What is to be learned by the heads of a task. Where a fluent may hold while something is true and no mode declares that, a
/// head is added that says so.
pub(super) fn targets(task: &Task, propositionaliser: &Propositionaliser, heads: &mut Vec<Head>) -> Vec<Target> {
    let mut targets: Vec<Target> = Vec::new();
    for number in 0..propositionaliser.target_count() {
        let group = propositionaliser.group(number);
        let head = heads.iter().find(|h| h.target == number).expect("a target has a head");
        let place = targets.iter().filter(|t| t.group == group).count();
        let (about, left_out) = about_targets(propositionaliser, number);
        let kinds: Vec<RuleKind> = heads.iter().filter(|h| h.target == number).map(|h| h.kind).collect();
        let (holds, mut persists): (Vec<RuleKind>, Vec<RuleKind>) =
            kinds.into_iter().partition(|kind| *kind == RuleKind::Observed);
        let mut holds_while = !holds.is_empty() || may_hold_while(propositionaliser, number);
        // Values of a fluent are all defined in one way: where some may persist, all do.
        let label = propositionaliser.label(number);
        let of_label = |h: &&Head| propositionaliser.label(h.target) == label && h.target != number;
        if heads.iter().filter(of_label).any(|h| h.kind != RuleKind::Observed) {
            holds_while &= task.options.kinds.get(&head.name) == Some(&Definition::While);
        }
        match task.options.kinds.get(&head.name) {
            Some(Definition::Persists) if !persists.is_empty() => holds_while = false,
            Some(Definition::While) if holds_while => persists.clear(),
            _ => {}
        }
        let declared = match (holds.is_empty(), persists.is_empty()) {
            (true, false) => (!task.bias.heads_derived).then_some(Definition::Persists),
            (_, true) => Some(Definition::While),
            (false, false) => None,
        };
        targets.push(Target {
            name: head.name,
            group,
            place,
            about,
            left_out,
            allowed: Vec::new(),
            persists,
            holds_while,
            declared,
            start: Vec::new(),
        });
    }
    let declared = |t: &usize| heads.iter().any(|h| h.target == *t && h.kind == RuleKind::Observed);
    let whiles: Vec<Head> = (0..targets.len())
        .filter(|t| targets[*t].holds_while && !declared(t))
        .filter_map(|t| heads.iter().find(|h| h.target == t).map(Head::while_head))
        .collect();
    heads.extend(whiles);
    for head in heads.iter() {
        let table = propositionaliser.table(head.target);
        let (closed, open) = (table.allowed(&head.atom), table.open_allowed(&head.atom));
        targets[head.target].allowed.push(Allowed { kind: head.kind, closed, open });
    }
    targets
}

/// Whether rules may say while what a fluent holds: nothing else may define it, and it has no other values.
fn may_hold_while(propositionaliser: &Propositionaliser, target: usize) -> bool {
    let (label, _) = propositionaliser.label(target);
    let alone = (0..propositionaliser.target_count()).filter(|t| propositionaliser.label(*t).0 == label).count() == 1;
    alone
        && !label.has_value()
        && propositionaliser.given(target) == Given::default()
        && !propositionaliser.holds_initially(target)
        && !propositionaliser.is_partial(target)
}

/// The literals of a target that are about targets before it, and those that may not be used: about itself, about targets
/// after it, about others' existential variables, and what follows from targets by rules of the background.
fn about_targets(propositionaliser: &Propositionaliser, target: usize) -> (Vec<About>, Mask) {
    let table = propositionaliser.table(target);
    let (mut about, mut left_out) = (Vec::new(), propositionaliser.wrapping(target).0.clone());
    // Values of a fluent end each other, so all of them are found out at once.
    let same = |other: &usize| {
        propositionaliser.label(*other) == propositionaliser.label(target)
            && propositionaliser.given(*other).other_value.is_some()
    };
    let first = (0..target).find(same).unwrap_or(target);
    for (literal, pattern) in table.patterns().iter().enumerate() {
        let apart = |(own, column): (&Result<usize, Value>, &Column)| match (own, column) {
            (Err(own), Column::Constant(value)) => own != value,
            _ => false,
        };
        let is_about = |other: &usize| {
            propositionaliser.label(*other).0 == pattern.signature
                && !propositionaliser.columns(*other).iter().zip(&pattern.columns).any(apart)
        };
        let targets: Vec<usize> = (0..propositionaliser.target_count()).filter(is_about).collect();
        let Some(last) = targets.last() else { continue };
        // The truths of the two orders of a pair can be told apart where no variable has several assignments.
        let told_apart = !propositionaliser.label(target).1 || table.introduced().is_empty();
        if *last < first && !table.is_existential(literal) && told_apart {
            let (columns, negated, symmetric) =
                (pattern.columns.clone(), pattern.negated, propositionaliser.label(*last).1);
            about.push(About { literal, targets, columns, negated, symmetric });
        } else {
            left_out.insert(literal);
        }
    }
    (about, left_out)
}
