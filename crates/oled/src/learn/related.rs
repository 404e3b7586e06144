//! Related instances that no row has all arguments of: those whose arguments several conditions connect, one after the other.
//!
//! A row that has all arguments of an instance says by itself that they are related. With three variables and more, rows
//! have some of them, and are joined: from each row to those that share an argument with it, until all are found.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::instances::{Group, Reach};
use super::present::NOBODY;
use crate::lang::Value;
use crate::logic::Model;

/// The rows of a condition that relates some of a head's variables, as places of those.
struct Source {
    variables: Vec<usize>,
    rows: Vec<Vec<u32>>,
    /// The rows by the place of each variable.
    by_place: FxHashMap<(usize, u32), Vec<usize>>,
}

impl Source {
    fn new<'a>(
        group: &Group,
        model: &Model,
        variables: &[(usize, usize)],
        constants: &[(usize, Value)],
        rows: impl Iterator<Item = &'a [Value]>,
    ) -> Source {
        let fits = |row: &&[Value]| constants.iter().all(|(column, value)| row[*column] == *value);
        let places = |row: &[Value]| variables.iter().map(|&(c, v)| group.place(v, row[c], model)).collect();
        let rows: IndexSet<Vec<u32>, FxBuildHasher> = rows.filter(fits).map(places).collect();
        let rows: Vec<Vec<u32>> = rows.into_iter().filter(|row| !row.contains(&NOBODY)).collect();
        let variables: Vec<usize> = variables.iter().map(|(_, v)| *v).collect();
        let mut by_place: FxHashMap<(usize, u32), Vec<usize>> = FxHashMap::default();
        for (r, row) in rows.iter().enumerate() {
            variables.iter().zip(row).for_each(|(v, place)| by_place.entry((*v, *place)).or_default().push(r));
        }
        Source { variables, rows, by_place }
    }

    /// The places of some variables together with those of a row, if they agree.
    fn joined(&self, group: &Group, partial: &[u32], row: usize) -> Option<Box<[u32]>> {
        let mut joined: Box<[u32]> = partial.into();
        for (&v, &place) in self.variables.iter().zip(&self.rows[row]) {
            let taken = |(w, other): (usize, &u32)| w != v && group.domains[w] == group.domains[v] && *other == place;
            if joined[v] != place && (joined[v] != NOBODY || joined.iter().enumerate().any(taken)) {
                return None;
            }
            joined[v] = place;
        }
        Some(joined)
    }
}

impl Group {
    /// Calls a function with the places of instances whose variables are connected by several conditions that are true of
    /// them. Variables that nothing connects have all values of their domains. Ends early where the function says so, or
    /// where more than so many are on the way; tells whether it did not.
    pub(super) fn related(&self, model: &Model, limit: usize, mut each: impl FnMut(&[u32]) -> bool) -> bool {
        let sources = self.sources(model);
        let mut blocks: Vec<IndexSet<Box<[u32]>, FxBuildHasher>> = Vec::new();
        for block in self.blocks.iter().flatten() {
            let Some(found) = self.connected(model, block, &sources, limit) else { return false };
            blocks.push(found);
        }
        let mut tuple = vec![NOBODY; self.width()];
        combine(&blocks, &mut tuple, &mut each)
    }

    fn sources(&self, model: &Model) -> Vec<Source> {
        let mut sources = Vec::new();
        for relation in &self.relations {
            let literals = relation.literals.iter();
            let all = literals.flat_map(|l| l.setters.iter().map(|(values, setters)| (&l.columns, values, setters)));
            for (columns, values, setters) in all {
                let constants: Vec<(usize, Value)> = columns.iter().copied().zip(values.iter().copied()).collect();
                for setter in setters.iter().filter(|d| d.relates && d.reach != Reach::Every) {
                    let rows = model.rows(relation.pred).rows();
                    sources.push(Source::new(self, model, &setter.variables, &constants, rows));
                }
            }
        }
        for feature in self.features.iter().filter(|g| g.relates && g.reach != Reach::Every) {
            let rows = model.rows(feature.pred).rows();
            sources.push(Source::new(self, model, &feature.variables, &feature.constants, rows));
        }
        sources
    }

    /// All ways to fill a block of variables such that conditions connect them.
    fn connected(
        &self,
        model: &Model,
        block: &[usize],
        sources: &[Source],
        limit: usize,
    ) -> Option<IndexSet<Box<[u32]>, FxBuildHasher>> {
        let nobody = vec![NOBODY; self.width()];
        let mut found: IndexSet<Box<[u32]>, FxBuildHasher> = IndexSet::default();
        if let [v] = *block {
            for place in 0..model.rows(self.domains[v]).len() as u32 {
                let mut alone = nobody.clone();
                alone[v] = place;
                found.insert(alone.into());
            }
            return Some(found);
        }
        let own: Vec<&Source> = sources.iter().filter(|s| block.contains(&s.variables[0])).collect();
        for source in &own {
            found.extend((0..source.rows.len()).filter_map(|row| source.joined(self, &nobody, row)));
        }
        let mut next = 0;
        while next < found.len() {
            if found.len() > limit {
                return None;
            }
            let partial = found[next].clone();
            for source in &own {
                let known = source.variables.iter().find(|v| partial[**v] != NOBODY);
                let Some(v) = known.filter(|_| source.variables.iter().any(|v| partial[*v] == NOBODY)) else {
                    continue;
                };
                let rows = source.by_place.get(&(*v, partial[*v])).into_iter().flatten();
                found.extend(rows.filter_map(|row| source.joined(self, &partial, *row)));
            }
            next += 1;
        }
        found.retain(|tuple| block.iter().all(|v| tuple[*v] != NOBODY));
        Some(found)
    }
}

/// All combinations of what blocks are filled with.
fn combine(
    blocks: &[IndexSet<Box<[u32]>, FxBuildHasher>],
    tuple: &mut [u32],
    each: &mut impl FnMut(&[u32]) -> bool,
) -> bool {
    let Some((first, rest)) = blocks.split_first() else { return each(tuple) };
    for filled in first {
        let own = || filled.iter().enumerate().filter(|(_, place)| **place != NOBODY);
        own().for_each(|(v, place)| tuple[v] = *place);
        let go_on = combine(rest, tuple, each);
        own().for_each(|(v, _)| tuple[v] = NOBODY);
        if !go_on {
            return false;
        }
    }
    true
}
