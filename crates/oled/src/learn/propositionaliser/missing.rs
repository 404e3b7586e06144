//! Missing: what was expected of the stream and did not come, and what came instead.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::Propositionaliser;
use crate::calculus::fluent_name;
use crate::lang::{Signature, Symbol};
use crate::stream::Frame;

/// What was expected of the stream and did not come, and what came instead.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Missing {
    /// Facts that conditions ask for and that were never seen.
    pub(crate) facts: Vec<Signature>,
    /// What is annotated and not declared, with how often: the first few of them.
    pub(crate) labels: IndexMap<Symbol, u64, FxBuildHasher>,
}

/// More names of labels that nothing declares are not told anyway.
const MOST_LABELS: usize = 8;

impl Missing {
    /// Adds what another propositionaliser of the same task has missed.
    pub(super) fn join(&mut self, other: &Missing) {
        self.facts.retain(|fact| other.facts.contains(fact));
        for (label, count) in &other.labels {
            if self.labels.len() < MOST_LABELS || self.labels.contains_key(label) {
                *self.labels.entry(*label).or_default() += count;
            }
        }
    }
}

impl Propositionaliser {
    /// Notes which facts are still missing, and which labels nothing declares.
    pub(super) fn note_missing(&mut self, frame: &Frame) {
        let (program, model) = (&self.program, &self.model);
        let seen = |s: &Signature| program.pred(*s).is_some_and(|pred| !model.rows(pred).is_empty());
        self.missing.facts.retain(|fact| !seen(fact));
        for (signature, values) in frame.annotation.iter().filter(|(s, _)| !self.labels.contains(s)) {
            let name = fluent_name(signature, values);
            if self.missing.labels.len() < MOST_LABELS || self.missing.labels.contains_key(&name) {
                *self.missing.labels.entry(name).or_default() += 1;
            }
        }
    }

    /// What was expected of the stream and did not come.
    pub(crate) fn missing(&self) -> &Missing {
        &self.missing
    }
}
