//! Stratum: the rules of predicates that are evaluated together, as plans that share their common beginnings.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::{Builder, Head, Node, Pred, Row, Stratum, body_atoms};
use crate::lang::{Clause, Diagnostic, Formula, Signature, Term, for_each_hole};
use crate::logic::check::Role;
use crate::logic::plan::{Catalogue, Pattern, Plan, Step, plan};

/// Plans while they are put together: what follows each step. Rules may be many, so steps are looked up, not compared.
#[derive(Default)]
struct Trie {
    then: IndexMap<Option<Step>, Trie, FxBuildHasher>,
    heads: Vec<Head>,
}

impl Trie {
    fn add(&mut self, plan: Plan, rule: usize) {
        let mut at = self;
        // Who has no condition is derived at once.
        let none = plan.steps.is_empty().then_some(None);
        for step in plan.steps.into_iter().map(Some).chain(none) {
            at = at.then.entry(step).or_default();
        }
        at.heads.push(Head { pred: plan.head, rule: rule as u32, row: Row::of(&plan.row) });
    }

    fn into_nodes(self) -> Vec<Node> {
        let node = |(step, trie): (Option<Step>, Trie)| {
            let Trie { then, heads } = trie;
            let (pattern, step) = (Pattern::of(step.as_ref()), step.map(Step::fused));
            Node { step, pattern, then: Trie { then, heads: Vec::new() }.into_nodes(), heads }.with_test()
        };
        self.then.into_iter().map(node).collect()
    }
}

impl Builder<'_> {
    pub(super) fn stratum_of_each(&mut self, order: &[Vec<Pred>]) -> Result<Vec<Stratum>, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut strata = Vec::new();
        for heads in order {
            match self.stratum(heads) {
                Ok(stratum) => strata.push(stratum),
                Err(more) => problems.extend(more),
            }
        }
        if problems.is_empty() { Ok(strata) } else { Err(problems) }
    }

    /// The rule without conditions that are true whatever the stream brings: `distance(25)`.
    fn without_known(&self, head: Pred, rule: &Clause) -> Clause {
        let mut rule = rule.clone();
        if self.roles[head.index()] != Role::Static {
            rule.body.retain(|literal| match &literal.formula {
                Formula::Atom(atom) if !literal.negated => {
                    let known = self.resolve(atom).filter(|(p, _)| self.roles[p.index()] == Role::Static);
                    let values = Signature::split(atom).map(|(_, values)| values);
                    !known.zip(values).is_some_and(|((p, _), values)| self.relations[p.index()].contains(&values))
                }
                _ => true,
            });
        }
        rule
    }

    fn stratum(&mut self, heads: &[Pred]) -> Result<Stratum, Vec<Diagnostic>> {
        let mut places: Vec<usize> = heads.iter().flat_map(|h| &self.rules_of[h.index()]).copied().collect();
        places.sort_unstable();
        let without_known = |i: usize| (i, self.without_known(self.rules[i].0, self.rules[i].1));
        let rules: Vec<(usize, Clause)> = places.into_iter().map(without_known).collect();
        let here: IndexSet<Pred, FxBuildHasher> = heads.iter().copied().collect();
        let (mut first, mut again) = (Trie::default(), Trie::default());
        let mut indexed = IndexSet::<Pred, FxBuildHasher>::default();
        let mut problems = Vec::new();
        for (number, rule) in &rules {
            match plan(rule, None, self) {
                Ok(plan) => self.add_plan(plan, *number, &mut first, &mut indexed),
                Err(more) => {
                    problems.extend(more);
                    continue;
                }
            }
            let recursive: Vec<usize> = body_atoms(rule)
                .filter(|(_, a, negated)| !negated && self.resolve(a).is_some_and(|(p, _)| here.contains(&p)))
                .map(|(i, ..)| i)
                .collect();
            if let (false, Some(problem)) = (recursive.is_empty(), computed_head(rule)) {
                problems.push(problem);
                continue;
            }
            for literal in recursive {
                match plan(rule, Some(literal), self) {
                    Ok(plan) => self.add_plan(plan, *number, &mut again, &mut indexed),
                    Err(more) => problems.extend(more),
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let (first, again) = (first.into_nodes(), again.into_nodes());
        Ok(Stratum { heads: heads.to_vec(), indexed: indexed.into_iter().collect(), first, again })
    }

    fn add_plan(&mut self, plan: Plan, rule: usize, trie: &mut Trie, indexed: &mut IndexSet<Pred, FxBuildHasher>) {
        self.slots = self.slots.max(plan.slots);
        for step in &plan.steps {
            if let Step::Scan { pred, key, .. } | Step::NoRow { pred, key, .. } = step
                && !key.is_empty()
            {
                indexed.insert(*pred);
            }
        }
        trie.add(plan, rule);
    }
}

/// A recursive rule must not compute values for its head, or it might derive new ones for ever.
fn computed_head(rule: &Clause) -> Option<Diagnostic> {
    let mut found = Vec::new();
    for (_, atom, negated) in body_atoms(rule) {
        if !negated {
            for_each_hole(&atom.args, &mut |t| found.extend(if let Term::Var(name) = t { Some(*name) } else { None }));
        }
    }
    let mut computed = None;
    for_each_hole(&rule.head.args, &mut |term| {
        let bound = match term {
            Term::Var(name) => found.contains(name),
            Term::App(..) => false,
            _ => true,
        };
        if !bound && computed.is_none() {
            computed = Some(term.to_string());
        }
    });
    computed.map(|term| {
        Diagnostic::new(&rule.head.span, format!("a recursive rule computes `{term}`, which might never end")).hint(
            "take the values of a recursive head from literals of the body; compute with them in a rule of its own",
        )
    })
}
