//! Candidates: whether rules say of a fluent which instances are looked at, and whether that is known before it is learned.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::{Check, Predicate, Role};
use crate::lang::ec::{CANDIDATES, HOLDS, INITIATED, TERMINATED};
use crate::lang::{Atom, Clause, Diagnostic, Formula, Mode, Signature, Symbol, Term, did_you_mean};
use crate::logic::candidates::{kept, ordinary};
use crate::logic::depends::Dependence;
use crate::logic::past::asked_for;

impl Check<'_> {
    /// Candidates are said of a fluent by its name, at a time.
    pub(super) fn candidates_form(&mut self, head: &Atom) {
        if head.name.as_str() != CANDIDATES {
            return;
        }
        let form = "its form is `candidates(fluent, T)`: `candidates(meeting(X, Y), T) :- close(X, Y, T).`";
        let problem = match head.args.as_slice() {
            [Term::App(_, args), _] if !args.is_empty() => return,
            [Term::Var(name), _] => {
                let place = head.span.find_word(name.as_str());
                Diagnostic::new(&place, "the first argument of `candidates` is a variable").hint(form)
            }
            [constant, _] => {
                let message = format!("`{constant}` has no arguments, so it has no candidates");
                Diagnostic::new(&head.span.find_word(&constant.to_string()), message)
                    .hint("put the condition into the rules for it")
            }
            args => {
                let message = format!("`candidates` takes 2 argument(s), here {}", args.len());
                Diagnostic::new(&head.span, message).hint(form)
            }
        };
        self.report(problem);
    }

    /// Finds the fluents, and ordinary predicates that are labelled, that have candidates.
    pub(super) fn candidates(&mut self, rules: &[&Clause]) {
        let bias = self.bias;
        let declared: Vec<Signature> = bias.examples.iter().chain(&bias.heads).map(Mode::signature).collect();
        for rule in rules.iter().filter(|rule| rule.head.name.as_str() == CANDIDATES) {
            let signature = Signature::of(&rule.head);
            let holds = signature.renamed(HOLDS);
            let label = match self.vocabulary.predicates.get(&holds) {
                Some(Predicate { role: Role::Input, place, .. }) => {
                    let hint = format!("it is declared as input at {}: everything of it is there", place.place());
                    let message = format!("`{holds}` comes with the stream, so it has no candidates");
                    self.report(Diagnostic::new(&rule.head.span, message).hint(hint));
                    continue;
                }
                Some(_) => Some(holds),
                None => ordinary(signature).filter(|label| declared.contains(label)),
            };
            match label {
                Some(label) => _ = self.vocabulary.candidates.insert(label, signature),
                None => self.unknown_fluent(&rule.head, &declared),
            }
        }
    }

    fn unknown_fluent(&mut self, head: &Atom, declared: &[Signature]) {
        let fluents = self.vocabulary.predicates.iter();
        let fluents = fluents.filter(|(s, p)| s.name().as_str() == HOLDS && p.role != Role::Input).map(|(s, _)| *s);
        let known: Vec<Signature> = fluents.chain(declared.iter().copied().filter(|s| !is_calculus(*s))).collect();
        let name = |s: &Signature| if is_calculus(*s) { s.inner_name() } else { Some(s.name()) };
        let own = name(&Signature::of(head).renamed(HOLDS)).unwrap_or(head.name);
        let fluent = &head.args[0];
        let place = head.span.find_word(own.as_str());
        let problem = if let Some(other) = known.iter().find(|s| name(s) == Some(own)) {
            let message = format!("`{fluent}` has another number of arguments than `{other}`");
            let place = self.vocabulary.predicates.get(other).map(|p| p.place.place()).unwrap_or_default();
            Diagnostic::new(&head.span, message).hint(format!("the other is at {place}"))
        } else {
            let names: Vec<Symbol> = known.iter().filter_map(name).collect();
            let near = did_you_mean(own.as_str(), names.iter().map(|s| s.as_str()));
            Diagnostic::new(&place, format!("no fluent `{own}` is labelled or defined")).hint(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("declare it in modes.lp with `example(holdsAt({own}(+type), +time)).`"),
            })
        };
        self.report(problem);
    }

    /// Candidates have the types of what they are candidates for.
    pub(super) fn type_candidates(&mut self) {
        for (label, candidates) in &self.vocabulary.candidates {
            let Some(types) = self.vocabulary.predicates.get(label).map(|p| p.types.clone()) else { continue };
            if let Some(predicate) = self.vocabulary.predicates.get_mut(candidates) {
                predicate.types = types;
            }
        }
    }

    /// Who is looked at is known before anything is learned or recognised: it does not depend on it.
    pub(super) fn known_before(&mut self, rules: &[&Clause]) {
        if self.vocabulary.candidates.is_empty() {
            return;
        }
        let bias = self.bias;
        let holds = |s: Signature| if is_calculus(s) { s.renamed(HOLDS) } else { s };
        let declared = bias.examples.iter().chain(&bias.heads).map(|mode| holds(mode.signature()));
        let learned: IndexSet<Signature, FxBuildHasher> = declared.collect();
        let dependence = Dependence::new(&self.vocabulary, rules);
        let mut problems = Vec::new();
        for (label, candidates) in &self.vocabulary.candidates {
            for rule in rules.iter().filter(|rule| Signature::of(&rule.head) == *candidates) {
                for literal in &rule.body {
                    let Formula::Atom(atom) = &literal.formula else { continue };
                    let mut all = dependence.of(asked_for(atom)).map(holds);
                    if let Some(found) = all.find(|s| s == label || learned.contains(s)) {
                        let message =
                            format!("`{candidates}` depends on `{found}`, which is to be learned or recognised");
                        problems.push(Diagnostic::new(&literal.span, message).hint(
                            "who is looked at must be known before: use conditions on what the stream has, and on what \
                             follows from it",
                        ));
                    }
                }
            }
        }
        problems.into_iter().for_each(|problem| self.report(problem));
    }

    /// What inertia keeps of a fluent with candidates is a predicate like what holds.
    pub(super) fn kept(&mut self) {
        let labels: Vec<Signature> = self.vocabulary.candidates.keys().copied().collect();
        for label in labels {
            let fluent = self.vocabulary.predicates.get(&label).filter(|p| p.role == Role::Fluent).cloned();
            if let Some(predicate) = fluent {
                self.vocabulary.predicates.insert(kept(label), predicate);
            }
        }
    }
}

fn is_calculus(signature: Signature) -> bool {
    matches!(signature.name().as_str(), HOLDS | INITIATED | TERMINATED)
}
