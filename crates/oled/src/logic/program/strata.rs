//! Strata: which predicates are known before which, so that what a rule negates, counts or looks back at is known when it is asked.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::{Builder, Pred, body_atoms, pasts};
use crate::lang::Diagnostic;
use crate::logic::check::Role;
use crate::logic::past::{Look, Past};
use crate::logic::plan::Catalogue;

impl Builder<'_> {
    /// Heads grouped into strata, from the bottom up (Tarjan's strongly connected components).
    pub(super) fn strata(&self) -> Result<Vec<Vec<Pred>>, Vec<Diagnostic>> {
        let count = self.preds.len();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (head, rule) in &self.rules {
            edges[head.index()]
                .extend(body_atoms(rule).filter_map(|(_, a, _)| self.resolve(a)).map(|(p, _)| p.index()));
        }
        for (pred, past) in pasts(&self.roles) {
            let bases = self.vocabulary.bases(past).into_iter();
            edges[pred.index()].extend(bases.filter_map(|base| self.preds.get_index_of(&base)));
        }
        let components = components(&edges);
        let mut component_of = vec![0; count];
        for (c, members) in components.iter().enumerate() {
            members.iter().for_each(|&m| component_of[m] = c);
        }
        let mut problems = Vec::new();
        for (head, rule) in &self.rules {
            for (i, atom, negated) in body_atoms(rule) {
                let Some((pred, _)) = self.resolve(atom) else { continue };
                if component_of[pred.index()] != component_of[head.index()] {
                    continue;
                }
                let signature = self.preds[head.index()];
                if let Role::Past(Past { look: Look::Aggregate(_), .. }) = self.roles[pred.index()] {
                    problems.push(
                        Diagnostic::new(&rule.body[i].span, format!("`{signature}` counts itself, which is not possible"))
                            .hint("what is counted must be known before: split the predicate in two, one defined before the other"),
                    );
                } else if let Role::Past(_) = self.roles[pred.index()] {
                    problems.push(
                        Diagnostic::new(&rule.body[i].span, format!("`{signature}` looks back at itself, which is not possible"))
                            .hint("rules look back at what is known without them; for what goes on from one time point to the next, use a fluent with initiatedAt and terminatedAt"),
                    );
                } else if negated {
                    problems.push(
                        Diagnostic::new(&rule.body[i].span, format!("`{signature}` depends on its own negation"))
                            .hint("negation must not run in a circle: split the predicate in two, one defined before the other"),
                    );
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let has_rules = |i: &usize| !self.rules_of[*i].is_empty();
        let recursive = |c: &[usize]| c.len() > 1 || edges[c[0]].contains(&c[0]);
        // Components come after those they depend on. What is equally high, and not recursive, is one stratum: its rules
        // can share the beginnings of their plans. What never changes stays apart from what does.
        let mut height = vec![0; components.len()];
        let mut strata: Vec<(usize, Vec<Pred>)> = Vec::new();
        let mut shared: IndexMap<(usize, bool), usize, FxBuildHasher> = IndexMap::default();
        for (c, members) in components.iter().enumerate() {
            let below = members.iter().flat_map(|&m| &edges[m]).map(|&d| component_of[d]).filter(|&d| d != c);
            height[c] = below.map(|d| height[d] + 1).max().unwrap_or(0);
            if !members.iter().any(has_rules) {
                continue;
            }
            let preds = members.iter().map(|&i| Pred(i as u32));
            if recursive(members) {
                strata.push((height[c], preds.collect()));
                continue;
            }
            let fixed = self.roles[members[0]] == Role::Static;
            let at = *shared.entry((height[c], fixed)).or_insert_with(|| {
                strata.push((height[c], Vec::new()));
                strata.len() - 1
            });
            strata[at].1.extend(preds);
        }
        strata.sort_by_key(|s| s.0);
        Ok(strata.into_iter().map(|s| s.1).collect())
    }
}

/// Strongly connected components, each after those it depends on; without recursion, so that no program is too deep.
pub(in crate::logic) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let count = edges.len();
    let (mut number, mut low, mut on_stack) = (vec![NEW; count], vec![0; count], vec![false; count]);
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for start in 0..count {
        if number[start] != NEW {
            continue;
        }
        let mut calls = vec![(start, 0)];
        while let Some((v, edge)) = calls.last_mut() {
            let v = *v;
            if *edge == 0 {
                (number[v], low[v]) = (next, next);
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = edges[v].get(*edge) {
                *edge += 1;
                if number[w] == NEW {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == number[v] {
                let at = stack.iter().rposition(|&w| w == v).expect("a root is on the stack");
                let mut members = stack.split_off(at);
                members.iter().for_each(|&w| on_stack[w] = false);
                members.sort_unstable();
                found.push(members);
            }
        }
    }
    found
}
