//! Intervals that are remembered, by when they ended.

use std::collections::BTreeMap;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::{Sure, Values};
use crate::calculus::End;

/// Intervals by the values of shared variables and by when they were over.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Kept {
    pub(super) by_key: IndexMap<Values, BTreeMap<i64, Vec<Item>>, FxBuildHasher>,
    pub(super) by_end: BTreeMap<i64, IndexSet<Values, FxBuildHasher>>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Item {
    pub(super) values: Values,
    pub(super) first: i64,
    pub(super) end: End,
    #[serde(skip)]
    pub(super) sure: Sure,
}

impl Kept {
    pub(super) fn keep(&mut self, key: Values, last: i64, item: Item) {
        self.by_end.entry(last).or_default().insert(key.clone());
        self.by_key.entry(key).or_default().entry(last).or_default().push(item);
    }

    /// The intervals with these values that end in a range.
    pub(super) fn ending(
        &self,
        key: &Values,
        range: std::ops::RangeInclusive<i64>,
    ) -> impl Iterator<Item = (i64, &Item)> {
        let found = self.by_key.get(key).filter(|_| !range.is_empty());
        found.into_iter().flat_map(move |ends| {
            ends.range(range.clone()).flat_map(|(last, items)| items.iter().map(|item| (*last, item)))
        })
    }

    /// Forgets what was over before a time.
    pub(super) fn forget(&mut self, before: i64) {
        while self.by_end.first_key_value().is_some_and(|(last, _)| *last < before) {
            let (last, keys) = self.by_end.pop_first().expect("there is a first one");
            for key in keys {
                if let Some(ends) = self.by_key.get_mut(&key) {
                    ends.remove(&last);
                    if ends.is_empty() {
                        self.by_key.swap_remove(&key);
                    }
                }
            }
        }
    }

    pub(super) fn is_of_width(&self, width: usize) -> bool {
        self.by_key.values().flat_map(BTreeMap::values).flatten().all(|item| item.values.len() == width)
    }
}
