//! Rules: what is wrong with one of them on its own.

use std::borrow::Cow;

use super::back::{form_of, instead_of};
use super::skeleton::{Skeleton, first_hole, is_bare};
use super::{Check, Forms, Role, atoms, time_argument};
use crate::lang::ec::{HAPPENS, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Clause, Diagnostic, Formula, Literal, Signature, Span, Term, did_you_mean, nearest_path};
use crate::logic::past::read;

impl Check<'_> {
    /// Whether rules are of a form that can be looked into, and declarations too. Of `replaced`, the same rules with
    /// their own predicates for what looks back, those that are of use are returned.
    pub(super) fn forms<'r>(&mut self, rules: &[&Clause], replaced: &'r [Cow<'_, Clause>]) -> Forms<'r> {
        let bias = self.bias;
        for mode in bias.modes() {
            self.number_of_arguments(&mode.atom);
            self.is_word(&mode.atom, "look back in a rule of background.lp, and declare what it defines");
        }
        let mut forms = Forms { heads: Vec::new(), whole: Vec::new() };
        for (&rule, replaced) in rules.iter().zip(replaced) {
            let before = self.problems.len();
            self.event_calculus_form(&rule.head);
            self.is_word(&rule.head, "give the head another name");
            self.candidates_form(&rule.head);
            if self.problems.len() == before {
                forms.heads.push(replaced);
            }
            for atom in atoms(rule) {
                match read(atom) {
                    Ok(None) => self.event_calculus_form(atom),
                    Ok(Some((_, inner))) => self.event_calculus_form(&inner),
                    Err(problem) => self.report(problem),
                }
            }
            atoms(rule).chain([&rule.head]).for_each(|atom| self.no_markers(atom, &atom.args));
            if self.problems.len() == before {
                forms.whole.push(replaced);
            }
        }
        forms
    }

    pub(super) fn rule(&mut self, rule: &Clause) {
        for atom in atoms(rule) {
            match self.past(atom) {
                Some(past) => self.looked_back_at(atom, past),
                None => self.known(atom),
            }
        }
        for literal in &rule.body {
            if let Formula::Compare(_, left, right) = &literal.formula {
                self.arithmetic(literal, left);
                self.arithmetic(literal, right);
            }
        }
        self.one_time(rule);
    }

    /// `holdsAt(F, T)` with a variable fluent names no relation.
    fn event_calculus_form(&mut self, atom: &Atom) {
        let before = self.problems.len();
        self.number_of_arguments(atom);
        if let (true, Some(Term::Var(variable))) = (is_bare(Signature::of(atom)), first_hole(atom))
            && self.problems.len() == before
        {
            let name = atom.name;
            self.report(
                Diagnostic::new(
                    &atom.span.find_word(variable.as_str()),
                    format!("the first argument of `{name}` is a variable"),
                )
                .hint("name the event or fluent: variables stand for its arguments only"),
            );
        }
    }

    fn number_of_arguments(&mut self, atom: &Atom) {
        let name = atom.name.as_str();
        let (expected, form) = match name {
            HAPPENS => (2, "(event, T)"),
            HOLDS | INITIATED | TERMINATED => (2, "(fluent, T)"),
            INITIALLY => (1, "(fluent)"),
            _ => return,
        };
        if atom.args.len() != expected {
            self.report(
                Diagnostic::new(&atom.span, format!("`{name}` takes {expected} argument(s), here {}", atom.args.len()))
                    .hint(format!("its form is `{name}{form}`")),
            );
        }
    }

    fn no_markers(&mut self, atom: &Atom, terms: &[Term]) {
        for term in terms {
            match term {
                Term::Mark(..) => self.report(marker(&atom.span.find_word(&term.to_string()), term)),
                Term::App(_, args) => self.no_markers(atom, args),
                Term::Var(_) | Term::Value(_) => {}
            }
        }
    }

    pub(super) fn known(&mut self, atom: &Atom) {
        let skeleton = Skeleton::of(atom);
        let any_name = Skeleton { name: None, ..skeleton };
        if self.named.contains_key(&skeleton) || self.named.contains_key(&any_name) {
            return;
        }
        let holds = skeleton.signature.renamed(HOLDS);
        if matches!(atom.name.as_str(), INITIATED | TERMINATED)
            && self.vocabulary.predicates.get(&holds).is_some_and(|p| p.role == Role::Derived)
            && self.named.contains_key(&Skeleton { signature: holds, ..skeleton })
        {
            let (fluent, act) = (&atom.args[0], if atom.name.as_str() == INITIATED { "starts" } else { "ends" });
            let message = format!("no rule {act} `{fluent}`, which holds while conditions are met");
            let hint = "ask for `holdsAt`, or define the fluent with initiatedAt and terminatedAt";
            return self.report(Diagnostic::new(&atom.span, message).hint(hint));
        }
        let path = skeleton.path();
        if let Some((other, place)) = self.named.iter().find(|(s, _)| s.path() == path) {
            let problem =
                Diagnostic::new(&atom.span, format!("`{skeleton}` has another number of arguments than `{other}`"))
                    .hint(match &place.source {
                        Some(_) => format!("the other is at {}", place.place()),
                        None => "it is the predicate of a type".into(),
                    });
            return self.report(problem);
        }
        let paths: Vec<String> = self.named.keys().map(|s| s.path()).collect();
        let near = nearest_path(&path, paths.iter().map(String::as_str))
            .and_then(|near| self.named.keys().find(|s| s.path() == near))
            .map(|s| format!("did you mean `{s}`?"));
        let hint = form_of(atom).or(near).unwrap_or_else(|| {
            format!(
                "declare it in modes.lp with `input({})` if it comes with the stream, or define it with a rule",
                skeleton.marked()
            )
        });
        self.report(Diagnostic::new(&atom.span, format!("unknown predicate `{skeleton}`")).hint(hint));
    }

    /// Comparisons are between values, so compound terms have no place there.
    fn arithmetic(&mut self, literal: &Literal, term: &Term) {
        match term {
            Term::App(name, args) if crate::lang::is_operation(name.as_str(), args.len()) => {
                args.iter().for_each(|a| self.arithmetic(literal, a));
            }
            Term::App(name, args) => {
                let known = ["abs", "sqrt", "min", "max", "mod", "time_of_day", "weekday"];
                let problem =
                    Diagnostic::new(&literal.span, format!("`{name}` with {} argument(s) is no operation", args.len()));
                self.report(match did_you_mean(name.as_str(), known) {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => problem.hint("operations are + - * / // mod ^ abs sqrt min max time_of_day weekday"),
                });
            }
            Term::Mark(..) => self.report(marker(&literal.span.find_word(&term.to_string()), term)),
            Term::Var(_) | Term::Value(_) => {}
        }
    }

    /// All timed atoms of a rule share one time variable, and the head ends in it.
    fn one_time(&mut self, rule: &Clause) {
        let mut time: Option<&Term> = None;
        let head_timed = self.is_timed(&rule.head);
        let timed: Vec<&Atom> =
            head_timed.then_some(&rule.head).into_iter().chain(atoms(rule).filter(|a| self.is_timed(a))).collect();
        for atom in timed {
            let Some(argument) = time_argument(atom) else { continue };
            let wrong = match argument {
                Term::Var(name) if name.as_str() != "_" => time.is_some_and(|t| t != argument),
                _ => true,
            };
            if wrong {
                let wanted = time.map_or_else(|| "a variable such as `T`".to_string(), |t| format!("`{t}`"));
                let (span, atom) = (atom.span.find_word(&argument.to_string()), self.written(atom));
                let hint = instead_of(&atom).unwrap_or_else(|| {
                    "all conditions of a rule speak of one time point; what it starts or ends changes at the next"
                        .into()
                });
                let message = format!("the time of `{atom}` must be {wanted}, not `{argument}`");
                self.report(Diagnostic::new(&span, message).hint(hint));
            } else {
                time = Some(argument);
            }
        }
        if let (Some(time), false) = (time, head_timed || rule.head.name.as_str() == INITIALLY) {
            self.report(
                Diagnostic::new(
                    &rule.head.span,
                    format!("`{}` does not end in the time `{time}` of its body", rule.head),
                )
                .hint("what depends on a time point is true at that time point only: make the time the last argument"),
            );
        }
    }
}

fn marker(place: &Span, term: &Term) -> Diagnostic {
    Diagnostic::new(place, format!("`{term}` is a place marker, which only declarations have"))
        .hint("variables start with an upper-case letter")
}
