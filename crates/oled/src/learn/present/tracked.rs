//! Tracked: the instances that are looked at further on, since conditions have related them once.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::{Deserialize, Serialize};

use crate::lang::{Value, is_canonical};
use crate::learn::instances::Group;

/// The instances of a group that were related once in a segment, and are not lost.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::learn) struct Tracked {
    /// The arguments of those that were observed last, one instance after the other; of a symmetric fluent in the order that
    /// stands for both.
    pub(super) here: Vec<Value>,
    /// Those that were not.
    pub(super) away: IndexSet<Box<[Value]>, FxBuildHasher>,
}

impl Tracked {
    /// Takes note of an instance that is not observed.
    pub(in crate::learn) fn add_away(&mut self, group: &Group, values: &[Value]) {
        if group.is_distinct(values) && !self.away.contains(values) {
            self.away.insert(values.into());
        }
    }

    /// Whether these can be instances of a group, each once.
    pub(in crate::learn) fn fits(&self, group: &Group) -> bool {
        let mut all = self.here.chunks(group.width().max(1)).chain(self.away.iter().map(|values| &**values));
        let fits = |values: &[Value]| {
            let ordered = !group.symmetric || is_canonical(values);
            group.links.is_relational() && values.len() == group.width() && group.is_distinct(values) && ordered
        };
        let mut known: FxHashSet<&[Value]> = FxHashSet::default();
        all.all(|values| fits(values) && known.insert(values))
    }
}
