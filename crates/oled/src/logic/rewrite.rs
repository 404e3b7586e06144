//! Rewriting: rules made explicit, and made cheaper, before they are planned. What they mean stays.

use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Bias, Clause, Comparison, Formula, Literal, Signature, Symbol, Term, for_each_hole};

use super::check::{Role, Vocabulary};
use super::open::expand;
use super::past::plain;

/// Rewrites all rules of a program.
pub(crate) fn rewrite(bias: &Bias, vocabulary: &Vocabulary, rules: &[&Clause]) -> Vec<Clause> {
    let typed: Vec<Clause> = rules.iter().map(|rule| distinct(bias, with_types(bias, vocabulary, rule))).collect();
    let mut fresh = 0;
    let closed = expand(bias, mirror(bias, typed), &mut fresh);
    inline_views(vocabulary, closed, fresh)
}

/// Variables of a fluent or label in a head that nothing in the body binds range over their types:
/// `initiatedAt(moving(X, Y), T) :- happensAt(walking(X), T)` is about every person `Y` observed at `T`.
fn with_types(bias: &Bias, vocabulary: &Vocabulary, rule: &Clause) -> Clause {
    let mut rule = rule.clone();
    let label = || bias.examples.iter().any(|m| m.signature() == Signature::of(&rule.head));
    if !matches!(rule.head.name.as_str(), INITIATED | TERMINATED | INITIALLY) && !label() {
        return rule;
    }
    let Some(predicate) = vocabulary.predicates.get(&Signature::of(&rule.head)) else { return rule };
    let mut bound: Vec<Symbol> = Vec::new();
    for literal in rule.body.iter().filter(|l| !l.negated) {
        match &literal.formula {
            Formula::Atom(atom) => for_each_hole(&atom.args, &mut |t| bound.extend(variable(t))),
            Formula::Compare(Comparison::Equal, left, right) => {
                bound.extend([left, right].into_iter().filter_map(variable));
            }
            Formula::Compare(..) => {}
        }
    }
    let time = rule.head.args.last().filter(|_| predicate.timed).cloned().unwrap_or_else(|| Term::var("T"));
    let mut types = Vec::new();
    let mut column = 0;
    for_each_hole(&rule.head.args, &mut |term| {
        if let (Some(name), Some(kind)) = (variable(term), predicate.types[column])
            && !bound.contains(&name)
        {
            let timed = Atom { name: kind, args: vec![term.clone(), time.clone()], span: rule.head.span.clone() };
            let listed = Atom { args: vec![term.clone()], ..timed.clone() };
            let role = |atom: &Atom| vocabulary.predicates.get(&Signature::of(atom)).map(|p| p.role);
            // A type that the stream has no values of may have facts.
            let atom = match (role(&timed), role(&listed)) {
                (Some(Role::Type(_)), _) => Some(timed),
                (_, Some(Role::Static)) if vocabulary.enumerations.contains_key(&kind) => Some(listed),
                _ => None,
            };
            if let Some(atom) = atom {
                bound.push(name);
                types.push(Literal::positive(atom));
            }
        }
        column += 1;
    });
    rule.body.extend(types);
    rule
}

/// What is declared with several arguments of one type is about different ones: nobody meets themselves. What ends needs
/// no such condition, since it holds.
fn distinct(bias: &Bias, mut rule: Clause) -> Clause {
    if rule.head.name.as_str() == TERMINATED {
        return rule;
    }
    let holds = |atom: &Atom| {
        if !matches!(atom.name.as_str(), INITIATED | TERMINATED | INITIALLY | HOLDS) {
            return Signature::of(atom);
        }
        let mut timed = atom.clone();
        timed.args.truncate(1);
        timed.args.push(Term::var("T"));
        Signature::of(&timed).renamed(HOLDS)
    };
    let fluent = holds(&rule.head);
    let declared =
        bias.examples.iter().chain(&bias.heads).find(|m| !m.atom.args.is_empty() && holds(&m.atom) == fluent);
    let Some(mode) = declared else { return rule };
    let types = mode.types();
    let mut terms: Vec<Term> = Vec::new();
    let timed = rule.head.name.as_str() != INITIALLY;
    for_each_hole(&rule.head.args[..rule.head.args.len() - usize::from(timed)], &mut |t| terms.push(t.clone()));
    for (a, left) in terms.iter().enumerate() {
        for (b, right) in terms.iter().enumerate().skip(a + 1) {
            let same = types[a].is_some()
                && types[a] == types[b]
                && !bias.kind_of(types[a].unwrap_or(fluent.name())).is_number();
            if same && matches!((left, right), (Term::Var(_), Term::Var(_))) {
                let formula = Formula::Compare(Comparison::NotEqual, left.clone(), right.clone());
                rule.body.push(Literal { negated: false, formula, span: rule.head.span.clone() });
            }
        }
    }
    rule
}

/// What is said of a symmetric fluent is said of both orders of its arguments. The bodies are the same, so that plans share
/// all steps.
fn mirror(bias: &Bias, rules: Vec<Clause>) -> Vec<Clause> {
    let symmetries = bias.symmetries();
    let mut mirrored = Vec::new();
    for rule in rules {
        let mut other = None;
        if symmetries.has(Signature::of(&rule.head)) {
            let mut copy = rule.clone();
            if let Some(Term::App(_, args)) = copy.head.args.first_mut() {
                args.swap(0, 1);
            }
            other = Some(copy).filter(|copy| copy.head != rule.head);
        }
        mirrored.push(rule);
        mirrored.extend(other);
    }
    mirrored
}

fn variable(term: &Term) -> Option<Symbol> {
    match term {
        Term::Var(name) if name.as_str() != "_" => Some(*name),
        _ => None,
    }
}

/// Only what holds can end, so what is terminated is only asked for what holds: the rule looks at those instances first.
/// Not where another rule asks what is terminated, and not for what does not depend on the calculus.
pub(crate) fn guard_terminations(rules: &[&Clause]) -> Vec<Clause> {
    let asked_for = |atom: &Atom| plain(atom).map_or_else(|| Signature::of(atom), |(past, _)| past.base);
    let asked: Vec<Signature> = rules.iter().flat_map(|r| body_atoms(r).map(asked_for)).collect();
    rules
        .iter()
        .map(|rule| {
            let mut rule = (*rule).clone();
            if rule.head.name.as_str() == TERMINATED && !asked.contains(&Signature::of(&rule.head)) {
                let mut guard = rule.head.clone();
                guard.name = Symbol::new(HOLDS);
                let guard = Literal::positive(guard);
                if !rule.body.contains(&guard) {
                    rule.body.insert(0, guard);
                }
            }
            rule
        })
        .collect()
}

fn body_atoms(rule: &Clause) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|l| match &l.formula {
        Formula::Atom(atom) => Some(atom),
        Formula::Compare(..) => None,
    })
}

/// A predicate with one rule that only selects from another predicate, such as `close(X, Y, D, T) :- apart(X, Y, R, T),
/// distance(D), R <= D`, is replaced by its definition where it is used: no work is repeated, since there is no join in
/// it, and nothing is derived that nobody asks for. The same goes for a predicate that is used in one place only.
fn inline_views(vocabulary: &Vocabulary, rules: Vec<Clause>, mut fresh: usize) -> Vec<Clause> {
    let views: Vec<Clause> = rules.iter().filter(|rule| is_view(vocabulary, &rules, rule)).cloned().collect();
    rules
        .into_iter()
        .map(|mut rule| {
            // Views may use views; none is recursive, so this ends.
            while let Some((at, view)) = rule.body.iter().enumerate().find_map(|(i, l)| Some((i, view_of(&views, l)?)))
            {
                let used = rule.body.remove(at);
                fresh += 1;
                rule.body.splice(at..at, unfold(view, &used, fresh));
            }
            rule
        })
        .collect()
}

fn view_of<'v>(views: &'v [Clause], literal: &Literal) -> Option<&'v Clause> {
    match &literal.formula {
        Formula::Atom(atom) if !literal.negated => views.iter().find(|v| Signature::of(&v.head) == Signature::of(atom)),
        _ => None,
    }
}

fn is_view(vocabulary: &Vocabulary, rules: &[Clause], rule: &Clause) -> bool {
    let signature = Signature::of(&rule.head);
    let role = |atom: &Atom| vocabulary.predicates.get(&Signature::of(atom)).map(|p| p.role);
    let calculus = matches!(rule.head.name.as_str(), HOLDS | INITIATED | TERMINATED | INITIALLY);
    let single = rules.iter().filter(|r| Signature::of(&r.head) == signature).count() == 1;
    let selects =
        rule.body.iter().all(|l| !l.negated) && body_atoms(rule).filter(|a| role(a) != Some(Role::Static)).count() == 1;
    let uses = rules.iter().flat_map(body_atoms).filter(|a| Signature::of(a) == signature).count();
    !calculus
        && single
        && (selects || uses == 1)
        && role(&rule.head) == Some(Role::Derived)
        && body_atoms(rule).all(|a| role(a).is_some() && !reaches(vocabulary, rules, Signature::of(a), signature))
}

/// Whether a predicate depends on another, now or in the past.
fn reaches(vocabulary: &Vocabulary, rules: &[Clause], from: Signature, to: Signature) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(&next) = seen.get(at) {
        if next == to {
            return true;
        }
        if let Some(Role::Past(past)) = vocabulary.predicates.get(&next).map(|p| p.role)
            && !seen.contains(&past.base)
        {
            seen.push(past.base);
        }
        for rule in rules.iter().filter(|r| Signature::of(&r.head) == next) {
            for atom in body_atoms(rule) {
                let signature = Signature::of(atom);
                if !seen.contains(&signature) {
                    seen.push(signature);
                }
            }
        }
        at += 1;
    }
    false
}

/// The body of a view for one use of it.
pub(super) fn unfold(view: &Clause, used: &Literal, number: usize) -> Vec<Literal> {
    let Formula::Atom(atom) = &used.formula else { unreachable!("views are used as atoms") };
    let mut arguments: Vec<&Term> = Vec::new();
    for_each_hole(&atom.args, &mut |t| arguments.push(t));
    let mut parameters: Vec<&Term> = Vec::new();
    for_each_hole(&view.head.args, &mut |t| parameters.push(t));
    // Variables of the view are replaced by what the use has, others get names that no text has.
    let mut replaced: Vec<(Symbol, Term)> = Vec::new();
    let mut equations: Vec<(Term, Term)> = Vec::new();
    for (parameter, argument) in parameters.into_iter().zip(arguments) {
        match variable(parameter) {
            _ if argument.is_anonymous() => {}
            Some(name) if !replaced.iter().any(|(n, _)| *n == name) && !matches!(argument, Term::App(..)) => {
                replaced.push((name, argument.clone()));
            }
            _ => equations.push((argument.clone(), parameter.clone())),
        }
    }
    let mut replace = |name: Symbol| match replaced.iter().find(|(n, _)| *n == name) {
        Some((_, term)) => term.clone(),
        None if name.as_str() == "_" => Term::Var(name),
        None => Term::var(&format!("?{number}{}", name.as_str())),
    };
    let mut body: Vec<Literal> = view.body.iter().map(|l| substitute_literal(l, &mut replace)).collect();
    body.extend(equations.iter().map(|(argument, parameter)| {
        let formula = Formula::Compare(Comparison::Equal, argument.clone(), substitute(parameter, &mut replace));
        Literal { negated: false, formula, span: used.span.clone() }
    }));
    // What is wrong with a use is shown where it stands.
    for literal in &mut body {
        literal.span = used.span.clone();
        if let Formula::Atom(atom) = &mut literal.formula {
            atom.span = used.span.clone();
        }
    }
    body
}

/// A literal with terms for its variables.
pub(crate) fn substitute_literal(literal: &Literal, f: &mut impl FnMut(Symbol) -> Term) -> Literal {
    let formula = match &literal.formula {
        Formula::Atom(atom) => Formula::Atom(Atom {
            name: atom.name,
            args: atom.args.iter().map(|t| substitute(t, f)).collect(),
            span: atom.span.clone(),
        }),
        Formula::Compare(op, left, right) => Formula::Compare(*op, substitute(left, f), substitute(right, f)),
    };
    Literal { negated: literal.negated, formula, span: literal.span.clone() }
}

/// A term with terms for its variables.
pub(crate) fn substitute(term: &Term, f: &mut impl FnMut(Symbol) -> Term) -> Term {
    match term {
        Term::Var(name) => f(*name),
        Term::App(name, args) => Term::App(*name, args.iter().map(|a| substitute(a, f)).collect()),
        term => term.clone(),
    }
}
