//! Rounds: rules that are looked at again and again, until nothing changes, each only where something changed for it.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Check, atoms};
use crate::lang::{Clause, Signature};

/// The rules that are to be looked at, in the order of rounds over all of them: what is left out has not changed since it was
/// looked at last. So the result is that of plain rounds, and a chain of rules takes no longer for its order.
pub(super) struct Rounds {
    /// The rules that mention each predicate, in their heads or in their bodies.
    mentions: IndexMap<Signature, Vec<usize>, FxBuildHasher>,
    now: BTreeSet<usize>,
    next: BTreeSet<usize>,
}

impl Rounds {
    /// All rules are to be looked at once.
    pub(super) fn new(check: &Check<'_>, rules: &[&Clause]) -> Rounds {
        let mut mentions: IndexMap<Signature, Vec<usize>, FxBuildHasher> = IndexMap::default();
        for (i, rule) in rules.iter().enumerate() {
            for atom in atoms(rule).chain([&rule.head]) {
                mentions.entry(Signature::of(atom)).or_default().push(i);
                if let Some(past) = check.past(atom) {
                    mentions.entry(past.base).or_default().push(i);
                }
            }
        }
        Rounds { mentions, now: (0..rules.len()).collect(), next: BTreeSet::new() }
    }

    /// The next rule of this round; `None` at its end.
    pub(super) fn next(&mut self) -> Option<usize> {
        self.now.pop_first()
    }

    /// What is known of a predicate has changed while a rule was looked at: those after it see that in this round, the
    /// others in the next. Before a round, all see it in that.
    pub(super) fn changed(&mut self, signature: Signature, by: Option<usize>) {
        for &i in self.mentions.get(&signature).into_iter().flatten() {
            if by.is_none_or(|by| i > by) {
                self.now.insert(i);
            } else {
                self.next.insert(i);
            }
        }
    }

    /// Begins the next round; whether there is anything to look at.
    pub(super) fn again(&mut self) -> bool {
        self.now.append(&mut self.next);
        !self.now.is_empty()
    }
}
