//! Lone variables: one that stands once in the body of a rule is mostly a constant without its quotes.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::ec::INITIALLY;
use super::{Clause, Diagnostic, Formula, Symbol, Term};

/// A warning for each variable that stands once in the body of a rule and nowhere else, unless it starts with `_`: it is
/// true of anything, so that `error(M, E17)` is about every error.
///
/// A variable that stands in the head only ranges over its type, the time of an `initially` rule is the first one, and
/// learners call somebody for whom a rule is true `Y0`, `Y1` and so on: of these nothing is said.
pub(crate) fn lone_variables(clause: &Clause) -> Vec<Diagnostic> {
    let mut counts: IndexMap<Symbol, usize, FxBuildHasher> = IndexMap::default();
    clause.head.for_each_var(&mut |name| *counts.entry(name).or_default() += 2);
    clause.body.iter().for_each(|l| l.for_each_var(&mut |name| *counts.entry(name).or_default() += 1));
    let mut warnings = Vec::new();
    for literal in &clause.body {
        if let (INITIALLY, Formula::Atom(atom)) = (clause.head.name.as_str(), &literal.formula)
            && let Some(Term::Var(time)) = atom.args.last()
        {
            *counts.entry(*time).or_default() += 1;
        }
        literal.for_each_var(&mut |variable| {
            let name = variable.as_str();
            if counts[&variable] == 1 && !name.starts_with('_') && !is_introduced(name) {
                let message = format!("the variable `{name}` stands once in this rule, so it may be anything");
                warnings.push(Diagnostic::new(&literal.span.find_word(name), message).hint(format!(
                    "if it is a name, put it in quotes: '{name}'; if it may be anything, write `_` or `_{name}`"
                )));
            }
        });
    }
    warnings
}

/// Whether a learner names variables so.
fn is_introduced(name: &str) -> bool {
    name.strip_prefix('Y').is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::parse_theory;

    fn warned(rule: &str) -> Vec<String> {
        let theory = parse_theory("rules.lp", rule).unwrap();
        theory.clauses.iter().flat_map(lone_variables).map(|w| w.span.text().to_string()).collect()
    }

    #[test]
    fn an_upper_case_constant_is_warned_of() {
        assert_eq!(warned("initiatedAt(down(M), T) :- happensAt(error(M, E17), T)."), ["E17"]);
        assert_eq!(warned("p(X, T) :- q(X, Other, T), not r(X, 'E17', T)."), ["Other"]);
    }

    #[test]
    fn what_is_meant_to_be_anything_is_not_warned_of() {
        for rule in [
            "p(X, T) :- q(X, _, T), r(X, _Anything, T).",
            "initiatedAt(moving(X, Y), T) :- happensAt(walking(X), T).",
            "initiatedAt(safe(X0), T) :- near(X0, Y0, T).",
            "p(X, T) :- q(X, A, A, T).",
            "hot(M, L, T) :- temp(M, V, T), V > L.",
            "p(a).",
            "initially(closed(K)) :- holdsAt(valve(K)=shut, T).",
        ] {
            assert_eq!(warned(rule), [""; 0], "{rule}");
        }
    }
}
