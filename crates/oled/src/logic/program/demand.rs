//! Demand: which values of a predicate anybody asks for, so that no others are derived.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::{Builder, body_atoms};
use crate::lang::{Atom, Signature, Term, Value, for_each_hole};
use crate::logic::bounds::{self, Asked};
use crate::logic::check::Role;
use crate::logic::plan::Catalogue;
use crate::logic::relation::Relation;

impl Builder<'_> {
    /// Which constants are asked for, where only constants are: `close(X, Y, 25, T)` needs no other threshold.
    pub(super) fn find_demand(&mut self, wanted: &[Signature]) {
        type Asked = Option<IndexSet<Value, FxBuildHasher>>;
        let mut asked: Vec<Vec<Asked>> =
            self.demand.iter().map(|columns| vec![Some(IndexSet::default()); columns.len()]).collect();
        let all = |columns: &mut Vec<Asked>| columns.iter_mut().for_each(|c| *c = None);
        for signature in wanted {
            if let Some(i) = self.preds.get_index_of(signature) {
                all(&mut asked[i]);
            }
        }
        for (head, rule) in &self.rules {
            for (_, atom, _) in body_atoms(rule) {
                let Some((pred, _)) = self.resolve(atom) else { continue };
                // A recursive use asks for what its own derivation needs.
                if pred == *head {
                    all(&mut asked[pred.index()]);
                }
                let columns = &mut asked[pred.index()];
                let mut i = 0;
                for_each_hole(&atom.args, &mut |term| {
                    if let Some(column) = columns.get_mut(i) {
                        match (term, column.as_mut()) {
                            (Term::Value(v), Some(values)) => {
                                values.insert(*v);
                            }
                            (Term::Value(_), None) => {}
                            _ => *column = None,
                        }
                    }
                    i += 1;
                });
            }
        }
        // What is looked back at is kept whole.
        for base in self.bases() {
            if let Some(i) = self.preds.get_index_of(&base) {
                all(&mut asked[i]);
            }
        }
        for (i, columns) in asked.into_iter().enumerate() {
            // Static rows are computed once, and all of them may be shown.
            if self.roles[i] == Role::Derived {
                self.demand[i] = columns.into_iter().map(|c| Some(c?.into_iter().collect())).collect();
            }
        }
    }

    /// The largest numbers among the rows that never change.
    pub(super) fn find_largest(&mut self) {
        let of_column = |relation: &Relation, column: usize| {
            let mut values = relation.rows().map(|row| row[column]);
            values.try_fold(None, |largest, v| v.as_f64().map(|_| largest.max(Some(v))))?
        };
        let of_relation = |(role, relation): (&Role, &Relation)| match role {
            Role::Static => (0..relation.width()).map(|column| of_column(relation, column)).collect(),
            _ => Vec::new(),
        };
        self.largest = self.roles.iter().zip(&self.relations).map(of_relation).collect();
    }

    /// Up to which number columns are asked for, where all that anybody asks for are numbers up to one. To be found when
    /// the rows are known that never change.
    pub(super) fn find_bounds(&mut self, wanted: &[Signature]) {
        let free = |columns: &mut Vec<Asked>| columns.fill(Asked::Anything);
        let mut asked: Vec<Vec<Asked>> =
            self.bounds.iter().map(|columns| vec![Asked::Nothing; columns.len()]).collect();
        for (head, rule) in &self.rules {
            let pred = |atom: &Atom| self.resolve(atom).map(|(pred, _)| pred);
            if body_atoms(rule).any(|(_, atom, _)| pred(atom) == Some(*head)) {
                // A recursive rule asks for what its own derivation needs.
                free(&mut asked[head.index()]);
            }
            bounds::ask(rule, pred, |pred, column| self.largest(pred, column), &mut asked);
        }
        for signature in wanted.iter().copied().chain(self.bases()) {
            // What is looked back at is kept whole.
            self.preds.get_index_of(&signature).into_iter().for_each(|i| free(&mut asked[i]));
        }
        for (role, columns) in self.roles.iter().zip(&mut asked) {
            if *role != Role::Derived {
                free(columns);
            }
        }
        self.bounds = asked;
    }
}
