//! Dependence: what the rows of a predicate follow from, through rules, inertia and the past; and what they say about who
//! is observed.

use std::collections::BTreeSet;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::check::{Role, Vocabulary};
use super::past::{Look, Past, asked_for, plain};
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Clause, Signature, Symbol, Term, for_each_hole};

/// Rules by what they define.
pub(crate) struct Dependence<'r> {
    vocabulary: &'r Vocabulary,
    rules: IndexMap<Signature, Vec<&'r Clause>, FxBuildHasher>,
    /// Whether rows of a predicate say of the values in a column that they are observed.
    observing: IndexMap<(Signature, usize), bool, FxBuildHasher>,
}

impl<'r> Dependence<'r> {
    /// That of these rules.
    pub(crate) fn new(vocabulary: &'r Vocabulary, rules: &[&'r Clause]) -> Dependence<'r> {
        let mut by_head: IndexMap<Signature, Vec<&Clause>, FxBuildHasher> = IndexMap::default();
        for rule in rules {
            by_head.entry(Signature::of(&rule.head)).or_default().push(rule);
        }
        Dependence { vocabulary, rules: by_head, observing: IndexMap::default() }
    }

    /// The predicates that the body of a rule asks for, now or in the past.
    pub(crate) fn asked_for(rule: &Clause) -> impl Iterator<Item = Signature> {
        rule.atoms().flat_map(|(_, atom)| asked_for(atom))
    }

    /// Every predicate that some depend on, themselves included.
    pub(crate) fn of(&self, from: impl IntoIterator<Item = Signature>) -> indexmap::set::IntoIter<Signature> {
        let mut found: IndexSet<Signature, FxBuildHasher> = from.into_iter().collect();
        let mut at = 0;
        while let Some(&signature) = found.get_index(at) {
            at += 1;
            if let Some(Role::Past(past)) = self.vocabulary.predicates.get(&signature).map(|p| p.role) {
                found.extend(self.vocabulary.bases(past));
            }
            if signature.name().as_str() == HOLDS {
                found.extend([signature.renamed(INITIATED), signature.renamed(TERMINATED)]);
                found.extend(signature.without_time().map(|s| s.renamed(INITIALLY)));
            }
            // What a rule is about is a candidate, where there are some.
            let label = match signature.name().as_str() {
                INITIATED | TERMINATED => signature.renamed(HOLDS),
                _ => signature,
            };
            found.extend(self.vocabulary.candidates_of(label));
            found.extend(self.rules.get(&signature).into_iter().flatten().flat_map(|rule| Dependence::asked_for(rule)));
        }
        found.into_iter()
    }

    /// The rules that a predicate follows from, as texts in order: two sets of rules that agree in them define it alike.
    pub(crate) fn definition(&self, of: Signature) -> BTreeSet<String> {
        self.of([of]).filter_map(|s| self.rules.get(&s)).flatten().map(ToString::to_string).collect()
    }

    /// Whether a row of a predicate says of the value in a column that it is observed at its time point: as its type's.
    /// `tracked` says of which types fluents end when their values are not observed.
    pub(crate) fn observes(&mut self, signature: Signature, column: usize, tracked: &impl Fn(Symbol) -> bool) -> bool {
        if let Some(known) = self.observing.get(&(signature, column)) {
            return *known;
        }
        // What follows from itself alone says nothing.
        self.observing.insert((signature, column), false);
        let Some(predicate) = self.vocabulary.predicates.get(&signature) else { return false };
        let Some(kind) = predicate.types.get(column).copied().flatten() else { return false };
        let observes = match predicate.role {
            Role::Input => true,
            Role::Type(_) => column == 0,
            Role::Fluent => tracked(kind),
            Role::Static | Role::Past(_) => false,
            Role::Derived => {
                let rules = self.rules.get(&signature).cloned().unwrap_or_default();
                !rules.is_empty() && rules.iter().all(|rule| self.rule_observes(rule, column, kind, tracked))
            }
        };
        self.observing.insert((signature, column), observes);
        observes
    }

    fn rule_observes(&mut self, rule: &Clause, column: usize, kind: Symbol, tracked: &impl Fn(Symbol) -> bool) -> bool {
        let mut head = Vec::new();
        for_each_hole(&rule.head.args, &mut |term| head.push(term));
        let Some(Term::Var(name)) = head.get(column) else { return false };
        let mut places = Vec::new();
        for (negated, atom) in rule.atoms() {
            // What lasts is true now; other conditions about the past say nothing of who is here.
            let atom = match plain(atom) {
                Some((past @ Past { look: Look::Lasting, .. }, plain)) => past.inner(&plain),
                Some(_) => continue,
                None => atom.clone(),
            };
            if negated {
                continue;
            }
            let mut at = 0;
            for_each_hole(&atom.args, &mut |term| {
                if matches!(term, Term::Var(other) if other == name) {
                    places.push((Signature::of(&atom), at));
                }
                at += 1;
            });
        }
        places.into_iter().any(|(signature, at)| {
            let types = self.vocabulary.predicates.get(&signature).map(|p| p.types.as_slice());
            let same = types.is_some_and(|types| types.get(at) == Some(&Some(kind)));
            same && self.observes(signature, at, tracked)
        })
    }
}
