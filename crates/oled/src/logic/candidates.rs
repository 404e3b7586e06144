//! Candidates: which instances of a fluent are looked at at all.
//!
//! ```text
//! candidates(rendezvous(V, W), T) :- near(V, W, T).
//! ```
//!
//! An instance that is no candidate at a time point is as one whose arguments are not observed then: no rule starts it, and
//! it does not hold. So rules for the fluent have the condition that the instance is a candidate, and what inertia keeps
//! holds if it is one:
//!
//! ```text
//! initiatedAt(rendezvous(V, W), T) :- stopped(V, T), stopped(W, T), candidates(rendezvous(V, W), T).
//! holdsAt(rendezvous(V, W), T) :- kept(rendezvous(V, W), T), candidates(rendezvous(V, W), T).
//! ```

use super::check::{Role, Vocabulary};
use crate::lang::ec::{CANDIDATES, HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Clause, Literal, Signature, Term, for_each_hole};

/// The predicate that says what the candidates of a fluent, `holdsAt(meeting(_, _), _)`, or of an ordinary predicate,
/// `fraud(_, _)`, are: `candidates(meeting(_, _), _)`, `candidates(fraud(_), _)`.
pub(crate) fn candidates(label: Signature) -> Signature {
    if matches!(label.name().as_str(), HOLDS | HAPPENS | INITIATED | TERMINATED) {
        return label.renamed(CANDIDATES);
    }
    let arguments = vec![Term::var("X"); label.arity().saturating_sub(1)];
    Signature::of(&Atom::new(CANDIDATES, vec![Term::App(label.name(), arguments), Term::var("T")]))
}

/// The ordinary predicate whose candidates a predicate says: `fraud(_, _)` of `candidates(fraud(_), _)`.
pub(super) fn ordinary(candidates: Signature) -> Option<Signature> {
    let mut atom = candidates.fill(vec![Term::var("X"); candidates.arity()]);
    let time = atom.args.pop()?;
    match atom.args.pop()? {
        Term::App(name, mut args) => {
            args.push(time);
            Some(Signature::of(&Atom { name, args, span: atom.span }))
        }
        _ => None,
    }
}

/// The predicate of what inertia keeps of a fluent, candidates or not. No rule of a text can name it.
pub(crate) fn kept(holds: Signature) -> Signature {
    // With a space in it, as no plain name has.
    holds.renamed("holdsAt kept")
}

impl Vocabulary {
    /// The predicate that says what the candidates of a fluent, `holdsAt(meeting(_, _), _)`, or of an ordinary predicate that
    /// is labelled are; none where all instances are.
    pub fn candidates_of(&self, label: Signature) -> Option<Signature> {
        self.candidates.get(&label).copied()
    }

    /// The condition that a rule has without saying so: that what it is about is a candidate.
    pub fn guard(&self, rule: &Clause) -> Option<Literal> {
        let head = Signature::of(&rule.head);
        let label = match rule.head.name.as_str() {
            INITIATED | TERMINATED => head.renamed(HOLDS),
            // What holds initially is asked as it is with all that holds.
            INITIALLY => return None,
            _ => head,
        };
        let mut terms = Vec::new();
        for_each_hole(&rule.head.args, &mut |term| terms.push(term.clone()));
        let atom = self.candidates_of(label)?.fill(terms);
        Some(Literal::positive(Atom { span: rule.head.span.clone(), ..atom }))
    }
}

/// A rule with that condition. It comes last, since then a plan begins with what the rule says, and goes on with candidates
/// as soon as one of their arguments is known: there is no pair in it that is none.
pub(super) fn guarded(vocabulary: &Vocabulary, mut rule: Clause) -> Clause {
    let guard = vocabulary.guard(&rule).filter(|guard| !rule.body.contains(guard));
    rule.body.extend(guard);
    rule
}

/// The rules that say what holds of what inertia keeps.
pub(super) fn keeping(vocabulary: &Vocabulary) -> impl Iterator<Item = Clause> {
    let inertial = |holds: &Signature| vocabulary.predicates.get(holds).is_some_and(|p| p.role == Role::Fluent);
    vocabulary.candidates.iter().filter(move |(holds, _)| inertial(holds)).map(|(holds, candidates)| {
        let fill = |signature: Signature| signature.fill((1..=signature.arity()).map(|i| Term::var(&format!("X{i}"))));
        let body = [kept(*holds), *candidates].map(|s| Literal::positive(fill(s)));
        let place = vocabulary.predicates[candidates].place.clone();
        Clause { head: fill(*holds), body: body.into(), span: place }
    })
}
