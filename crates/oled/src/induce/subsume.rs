//! θ-subsumption: whether one clause is a more general form of another.

use crate::lang::{Atom, Clause, Formula, Literal, Symbol, Term};

/// Whether a substitution makes `general` a part of `special`: the same head, and each literal found in the other body.
/// Bodies are sets; the search tries every way to map the variables.
///
/// ```
/// use oled::induce::subsumes;
/// let rule = |text: &str| oled::parse_theory("r", text).unwrap().clauses.remove(0);
/// let general = rule("p(X) :- q(X, Y).");
/// let special = rule("p(A) :- q(A, B), q(B, A), r(A).");
/// assert!(subsumes(&general, &special) && !subsumes(&special, &general));
/// assert!(subsumes(&rule("p(X) :- q(X, Y), q(X, Z)."), &general), "two variables may become one");
/// ```
pub fn subsumes(general: &Clause, special: &Clause) -> bool {
    let mut bindings = Vec::new();
    matches_atom(&general.head, &special.head, &mut bindings) && map(&general.body, &special.body, &bindings)
}

/// Whether two clauses say the same up to the names of their variables.
pub fn equivalent(a: &Clause, b: &Clause) -> bool {
    subsumes(a, b) && subsumes(b, a)
}

type Bindings = Vec<(Symbol, Term)>;

fn map(general: &[Literal], special: &[Literal], bindings: &Bindings) -> bool {
    let Some((first, rest)) = general.split_first() else { return true };
    special.iter().any(|literal| {
        let mut longer = bindings.clone();
        matches(first, literal, &mut longer) && map(rest, special, &longer)
    })
}

fn matches(general: &Literal, special: &Literal, bindings: &mut Bindings) -> bool {
    general.negated == special.negated
        && match (&general.formula, &special.formula) {
            (Formula::Atom(a), Formula::Atom(b)) => matches_atom(a, b, bindings),
            (Formula::Compare(f, a, b), Formula::Compare(g, c, d)) => {
                f == g && matches_term(a, c, bindings) && matches_term(b, d, bindings)
            }
            _ => false,
        }
}

fn matches_atom(general: &Atom, special: &Atom, bindings: &mut Bindings) -> bool {
    general.name == special.name
        && general.args.len() == special.args.len()
        && general.args.iter().zip(&special.args).all(|(a, b)| matches_term(a, b, bindings))
}

fn matches_term(general: &Term, special: &Term, bindings: &mut Bindings) -> bool {
    match (general, special) {
        (Term::Var(name), term) => match bindings.iter().find(|(n, _)| n == name) {
            Some((_, bound)) => bound == term,
            None => {
                bindings.push((*name, term.clone()));
                true
            }
        },
        (Term::App(f, xs), Term::App(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| matches_term(x, y, bindings))
        }
        (a, b) => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> Clause {
        crate::lang::parse_theory("r", text).unwrap().clauses.remove(0)
    }

    #[test]
    fn the_order_of_literals_and_the_names_of_variables_do_not_matter() {
        let a = rule("p(X) :- q(X, Y), not r(Y), s(Y, 3).");
        let b = rule("p(U) :- s(V, 3), q(U, V), not r(V).");
        assert!(equivalent(&a, &b));
        assert!(!subsumes(&rule("p(X) :- q(X, Y), not r(Y), s(Y, 4)."), &b));
        assert!(!subsumes(&rule("p(X) :- r(X)."), &rule("p(X) :- not r(X).")));
    }

    #[test]
    fn the_search_goes_back_where_a_first_choice_fails() {
        let chain = rule("p(X) :- e(X, Y), e(Y, Z), last(Z).");
        let graph = rule("p(A) :- e(A, B), e(A, C), e(B, B), e(C, D), last(D).");
        assert!(subsumes(&chain, &graph));
        assert!(!subsumes(&chain, &rule("p(A) :- e(A, B), e(A, C), e(C, C), last(B).")));
    }
}
