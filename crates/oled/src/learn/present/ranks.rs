//! Ranks: the order of values by their names.

use crate::lang::Value;
use crate::logic::Relation;

/// The order of values by their names, kept as long as the same ones are observed: names are slow to compare.
#[derive(Clone, Debug, Default)]
pub(super) struct Ranks {
    of: Vec<Value>,
    pub(super) ranks: Vec<u32>,
}

impl Ranks {
    pub(super) fn update(&mut self, domain: &Relation) {
        if self.of.len() == domain.len() && self.of.iter().zip(domain.rows()).all(|(value, row)| *value == row[0]) {
            return;
        }
        self.of.clear();
        self.of.extend(domain.rows().map(|row| row[0]));
        let mut order: Vec<u32> = (0..self.of.len() as u32).collect();
        order.sort_by_key(|place| self.of[*place as usize]);
        self.ranks.resize(self.of.len(), 0);
        order.iter().zip(0..).for_each(|(place, rank)| self.ranks[*place as usize] = rank);
    }
}
