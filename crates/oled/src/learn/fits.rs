//! How well rules fit, for learners that do not know it themselves: by what recognition with them was counted.

use super::learned::FluentFit;
use crate::calculus::label_name;
use crate::evaluate::Evaluation;
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED};
use crate::lang::{Signature, Symbol, Theory};
use crate::task::Task;

/// How well the rules of each fluent fit, by an evaluation of recognition with them.
pub fn fits(task: &Task, theory: &Theory, evaluation: &Evaluation) -> Vec<FluentFit> {
    let labels = task.labels();
    let started = |name: Symbol| {
        task.rules(theory).iter().any(|rule| {
            let head = Signature::of(&rule.head);
            let fluent = matches!(rule.head.name.as_str(), INITIATED | INITIALLY | HOLDS);
            fluent && label_name(head) == Some(name) || labels.contains(&head) && head.name() == name
        })
    };
    let fit = |(fluent, counts)| FluentFit {
        fluent,
        counts,
        starts: started(fluent),
        penalty: None,
        held_out: None,
        gap: None,
        looked_at: None,
    };
    evaluation.by_fluent().into_iter().map(fit).collect()
}
