//! Index: instances found by the places of their arguments, by number where combinations are few, else by hash.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use super::NOBODY;

/// Up to so many combinations instances are found by their number among them, in a table of 256 kB that stays in the cache of
/// a core. Twice as much would fall out of some, half as much would hash the pairs of 200 people.
const FEW: usize = 1 << 16;

/// Finds instances by their places.
#[derive(Clone, Debug, Default)]
pub(super) struct Index {
    /// For each variable how far two places next to each other are apart among all combinations, where these are numbered.
    strides: Option<Vec<usize>>,
    numbered: Vec<u32>,
    hashed: HashTable<u32>,
}

impl Index {
    /// Forgets all instances, which have these places.
    pub(super) fn clear(&mut self, places: &[u32], width: usize) {
        self.hashed.clear();
        if let Some(strides) = self.strides.take() {
            places.chunks(width.max(1)).for_each(|tuple| self.numbered[number(tuple, &strides)] = NOBODY);
        }
        if width == 0 {
            self.numbered.clear();
        }
    }

    /// Prepares for domains of these sizes. Where all combinations are instances they are numbered, however many there are.
    pub(super) fn prepare(&mut self, sizes: impl Iterator<Item = usize> + Clone, all: bool) {
        let total = sizes.clone().fold(1, usize::saturating_mul);
        self.strides = (all || total <= FEW).then(|| {
            self.numbered.resize(self.numbered.len().max(total), NOBODY);
            let mut rest = total;
            sizes.map(|size| (rest /= size.max(1), rest).1).collect()
        });
    }

    #[inline]
    pub(super) fn find(&self, tuple: &[u32], places: &[u32]) -> Option<usize> {
        let found = match &self.strides {
            Some(strides) => Some(self.numbered[number(tuple, strides)]).filter(|k| *k != NOBODY),
            None => self.hashed.find(hash(tuple), |&k| at(places, k as usize, tuple.len()) == tuple).copied(),
        };
        found.map(|k| k as usize)
    }

    pub(super) fn insert(&mut self, k: usize, places: &[u32], width: usize) {
        let tuple = at(places, k, width);
        match &self.strides {
            Some(strides) => self.numbered[number(tuple, strides)] = k as u32,
            None => {
                self.hashed.insert_unique(hash(tuple), k as u32, |&k| hash(at(places, k as usize, width)));
            }
        }
    }
}

#[inline]
fn number(tuple: &[u32], strides: &[usize]) -> usize {
    match (tuple, strides) {
        // Most instances are pairs, and each is looked for many times.
        (&[a, b], &[stride, _]) => a as usize * stride + b as usize,
        _ => tuple.iter().zip(strides).map(|(place, stride)| *place as usize * stride).sum(),
    }
}

fn hash(tuple: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    tuple.iter().for_each(|place| hasher.write_u32(*place));
    hasher.finish()
}

pub(super) fn at(places: &[u32], k: usize, width: usize) -> &[u32] {
    &places[k * width..(k + 1) * width]
}
