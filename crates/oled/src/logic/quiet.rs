//! Quiet: after how long without a frame nothing changes any more, as far as rules can tell without being run.
//!
//! At a tick nothing happens. Once what happened before is older than the horizon, a rule fires only if all of its conditions
//! may be true of what holds, of who was observed and of what never changes. Fluents that such rules start and end settle one
//! after the other, each at most a horizon and a tick after those that it depends on. Where they depend on each other in a
//! circle, or on the time as a number, they may change for ever.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::check::{Role, Vocabulary};
use super::past::{Look, plain, read};
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Clause, Formula, Signature, Symbol, Term};

/// How long it takes until nothing changes any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// How many fluents settle one after the other.
    pub levels: i64,
    /// How far rules look back.
    pub horizon: i64,
}

type Signatures = IndexSet<Signature, FxBuildHasher>;

/// How long it takes with some rules; `None` where that is not known, or it never comes to rest.
pub(crate) fn quiet(vocabulary: &Vocabulary, rules: &[&Clause], horizon: Option<i64>) -> Option<Quiet> {
    let looks = vocabulary.predicates.values().any(|p| matches!(p.role, Role::Past(_)));
    let (quiet, possible) = quiet_rules(vocabulary, rules);
    // Who looks back at some time points, or counts them, misses those that are left out.
    let misses = |rule: &&Clause| rule.atoms().any(|(_, atom)| counts_points(atom) && possible.contains(&base(atom)));
    if quiet.iter().any(|rule| uses_time(vocabulary, rule) || misses(rule)) {
        return None;
    }
    let circle = Circle { vocabulary, rules: quiet, levels: IndexMap::default() };
    Some(Quiet { levels: circle.levels()?, horizon: if looks { horizon.unwrap_or(0) } else { 0 } })
}

/// Whether a condition depends on which time points there were, and not only on since when something is so.
fn counts_points(atom: &Atom) -> bool {
    match read(atom) {
        Ok(Some((Look::Ago(_) | Look::FramesAgo(_) | Look::Within(..), _))) => true,
        Ok(Some((Look::Aggregate(aggregate), _))) => aggregate.window.is_some(),
        _ => false,
    }
}

/// The rules that may fire at a tick, and the predicates that may be true there.
fn quiet_rules<'r>(vocabulary: &Vocabulary, rules: &[&'r Clause]) -> (Vec<&'r Clause>, Signatures) {
    let always = |role: Role| matches!(role, Role::Static | Role::Type(_) | Role::Fluent);
    let mut possible: Signatures =
        vocabulary.predicates.iter().filter(|(_, p)| always(p.role)).map(|(signature, _)| *signature).collect();
    loop {
        let fires = |rule: &&&Clause| {
            rule.head.name.as_str() != INITIALLY
                && rule.atoms().all(|(negated, atom)| negated || possible.contains(&base(atom)))
        };
        let quiet: Vec<&Clause> = rules.iter().filter(fires).copied().collect();
        let before = possible.len();
        possible.extend(quiet.iter().map(|rule| Signature::of(&rule.head)));
        if possible.len() == before {
            return (quiet, possible);
        }
    }
}

/// Whether a rule uses the time as a number.
fn uses_time(vocabulary: &Vocabulary, rule: &Clause) -> bool {
    let Some(time) = time_of(vocabulary, rule) else { return false };
    let mut in_head = 0;
    rule.head.for_each_var(&mut |name| in_head += usize::from(name == time));
    in_head > 1
        || rule.body.iter().any(|literal| {
            let (mut count, most) = (0, usize::from(matches!(literal.formula, Formula::Atom(_))));
            literal.for_each_var(&mut |name| count += usize::from(name == time));
            count > most
        })
}

/// The variable that stands for the time in a rule.
fn time_of(vocabulary: &Vocabulary, rule: &Clause) -> Option<Symbol> {
    let last = |atom: &Atom| match atom.args.last() {
        Some(Term::Var(name)) => Some(*name),
        _ => None,
    };
    let timed = |atom: &Atom| vocabulary.predicates.get(&Signature::of(atom)).is_some_and(|p| p.timed);
    let of_body = || {
        rule.atoms().find_map(|(_, atom)| match inner(atom) {
            Some(inner) => last(&inner),
            None => last(atom).filter(|_| timed(atom)),
        })
    };
    last(&rule.head).filter(|_| timed(&rule.head)).or_else(of_body)
}

/// The atom that a condition looks back at.
fn inner(atom: &Atom) -> Option<Atom> {
    read(atom).ok().flatten().map(|(_, inner)| inner)
}

/// The predicate that a condition is about, now or in the past.
fn base(atom: &Atom) -> Signature {
    inner(atom).map_or_else(|| Signature::of(atom), |inner| Signature::of(&inner))
}

/// Which fluents wait for which.
struct Circle<'r> {
    vocabulary: &'r Vocabulary,
    rules: Vec<&'r Clause>,
    /// How many fluents settle up to one, itself included; `None` while that is being found out.
    levels: IndexMap<Signature, Option<i64>, FxBuildHasher>,
}

impl Circle<'_> {
    /// How many fluents settle one after the other.
    fn levels(mut self) -> Option<i64> {
        let fluents: Signatures =
            self.rules.iter().filter_map(|rule| changes(rule)).chain(self.with_candidates()).collect();
        let mut most = 0;
        for fluent in &fluents {
            most = most.max(self.level(*fluent, &fluents)?);
        }
        Some(most)
    }

    fn with_candidates(&self) -> impl Iterator<Item = Signature> {
        self.vocabulary.candidates.keys().copied().filter(|label| label.name().as_str() == HOLDS)
    }

    fn level(&mut self, fluent: Signature, fluents: &Signatures) -> Option<i64> {
        if let Some(known) = self.levels.get(&fluent) {
            return *known;
        }
        self.levels.insert(fluent, None);
        let mut most = 0;
        for other in self.waits_for(fluent).into_iter().filter(|other| fluents.contains(other)) {
            most = most.max(self.level(other, fluents)?);
        }
        self.levels.insert(fluent, Some(most + 1));
        Some(most + 1)
    }

    /// The predicates that a condition depends on.
    fn bases(&self, atom: &Atom) -> Vec<Signature> {
        plain(atom).map_or_else(|| vec![Signature::of(atom)], |(past, _)| self.vocabulary.bases(past))
    }

    /// The fluents that a fluent waits for: itself only where it might go on and off for ever.
    fn waits_for(&self, fluent: Signature) -> Signatures {
        let starts = self.rules.iter().any(|rule| Signature::of(&rule.head) == fluent.renamed(INITIATED));
        let mut asked = Signatures::default();
        for rule in self.rules.iter().filter(|rule| changes(rule) == Some(fluent)) {
            for (negated, atom) in rule.atoms() {
                // What nothing starts again ends for good, each instance by itself.
                let of = inner(atom);
                let own = of.as_ref().unwrap_or(atom).args.first() == rule.head.args.first();
                let ends = rule.head.name.as_str() == TERMINATED && !starts && !negated && own;
                if !(ends && base(atom) == fluent) {
                    asked.extend(self.bases(atom));
                }
            }
        }
        asked.extend(self.vocabulary.candidates_of(fluent));
        let mut at = 0;
        while let Some(&signature) = asked.get_index(at) {
            at += 1;
            let rules = self.rules.iter().filter(|rule| Signature::of(&rule.head) == signature);
            asked
                .extend(rules.flat_map(|rule| rule.atoms().flat_map(|(_, atom)| self.bases(atom))).collect::<Vec<_>>());
        }
        asked
    }
}

/// The fluent that a rule starts or ends.
fn changes(rule: &Clause) -> Option<Signature> {
    matches!(rule.head.name.as_str(), INITIATED | TERMINATED).then(|| Signature::of(&rule.head).renamed(HOLDS))
}
