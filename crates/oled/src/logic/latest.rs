//! Latest: which rows `last` takes for news of the same thing, so that the last of them is what is known.
//!
//! A row replaces the earlier ones of its predicate that are about the same: the same arguments of types that are not numbers,
//! the value of a fluent apart. So of `load(m1, 0.7)` and `load(m1, 0.9)` the later one is known of `m1`. A declaration
//! `exclusive(…)` says it otherwise: rows of all its members replace each other, and they are about their `+` arguments.

use super::check::{Vocabulary, is_bare};
use crate::lang::{Bias, Mode, Signature, Value, about_columns, constants};

/// A predicate whose rows replace those of others, or of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The predicate.
    pub signature: Signature,
    /// What its rows are about: as the first class says that has them. The last one has all.
    pub classes: Vec<Class>,
}

/// Rows of a predicate that are about the same things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The columns of these rows that have one value.
    pub constants: Vec<(usize, Value)>,
    /// The set whose rows replace each other.
    pub set: i64,
    /// The columns that say whom a row is about.
    pub about: Vec<usize>,
}

impl Class {
    /// Whether a row is one of these.
    pub(crate) fn has(&self, row: &[Value]) -> bool {
        self.constants.iter().all(|(column, value)| row.get(*column) == Some(value))
    }
}

impl Vocabulary {
    /// The predicates whose rows may replace one of this predicate, itself first.
    pub(crate) fn replacing(&self, signature: Signature) -> Vec<Signature> {
        let mut found = vec![signature];
        let mut at = 0;
        while let Some(&next) = found.get(at) {
            for set in self.exclusive.iter().filter(|set| set.members.iter().any(|m| m.signature() == next)) {
                for other in set.members.iter().map(Mode::signature) {
                    if !found.contains(&other) {
                        found.push(other);
                    }
                }
            }
            at += 1;
        }
        found
    }

    /// The same predicates, with what their rows are about. They come in the same order for all of them.
    pub fn latest(&self, bias: &Bias, signature: Signature) -> Vec<Member> {
        let mut signatures = self.replacing(signature);
        signatures.sort_by_key(|s| self.predicates.get_index_of(s));
        let member =
            |(i, signature): (usize, Signature)| Member { signature, classes: self.classes(bias, signature, i) };
        signatures.into_iter().enumerate().map(member).collect()
    }

    fn classes(&self, bias: &Bias, signature: Signature, number: usize) -> Vec<Class> {
        let mut classes = Vec::new();
        for (set, exclusive) in (0..).zip(&self.exclusive) {
            for mode in exclusive.members.iter().filter(|m| m.signature() == signature) {
                classes.push(Class { constants: constants(mode), set, about: about_columns(mode) });
            }
        }
        if classes.last().is_none_or(|class| !class.constants.is_empty()) {
            let set = -1 - i64::try_from(number).unwrap_or(i64::MAX - 1);
            classes.push(Class { constants: Vec::new(), set, about: self.about(bias, signature) });
        }
        classes
    }

    /// What a row is about, where nothing declares it.
    fn about(&self, bias: &Bias, signature: Signature) -> Vec<usize> {
        let Some(predicate) = self.predicates.get(&signature) else { return Vec::new() };
        let count = predicate.types.len().saturating_sub(1);
        let value = (signature.has_value() && count > 0).then(|| count - 1);
        let is_about = |column: &usize| {
            let named = predicate.types[*column].is_some_and(|kind| !bias.kind_of(kind).is_number());
            // An event without arguments is its own name.
            Some(*column) != value && (named || *column == 0 && is_bare(signature))
        };
        (0..count).filter(is_about).collect()
    }
}
