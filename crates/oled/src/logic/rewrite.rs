//! Rewriting: rules made explicit, and made cheaper, before they are planned. What they mean stays.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use crate::lang::ec::{CANDIDATES, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{
    Atom, Bias, Clause, Comparison, Formula, Literal, Signature, Symbol, Symmetric, Term, for_each_hole,
};

use super::candidates::{guarded, keeping};
use super::check::{Role, Vocabulary};
use super::open::expand;
use super::past::asked_for;
use super::program::components;

/// A rule of a program, and the number of the one that it comes from, if it does from one.
pub(super) type Numbered = (Clause, Option<u32>);

/// A rule with what it does not say, at the end of its body.
fn explicit(bias: &Bias, vocabulary: &Vocabulary, rule: &Clause) -> Clause {
    distinct(bias, guarded(vocabulary, with_types(bias, vocabulary, rule.clone())))
}

/// The conditions that a rule has without saying so: that what nothing in its body gives a value to is observed, that what it
/// is about is a candidate, and that its arguments are different ones.
pub(crate) fn implied_conditions(bias: &Bias, vocabulary: &Vocabulary, rule: &Clause) -> Vec<Literal> {
    explicit(bias, vocabulary, rule).body.split_off(rule.body.len())
}

/// Rewrites all rules of a program.
pub(super) fn rewrite(bias: &Bias, vocabulary: &Vocabulary, rules: &[&Clause]) -> Vec<Numbered> {
    // Who is observed is said first: candidates are among those, whatever gives them their values.
    let typed: Vec<Numbered> =
        rules.iter().zip(0..).map(|(rule, number)| (explicit(bias, vocabulary, rule), Some(number))).collect();
    let mut fresh = 0;
    let mut both = mirror(bias, typed);
    // What rules start and end is closed by inertia.
    let derived = |symmetric: &&Symmetric| rules.iter().any(|rule| Signature::of(&rule.head) == symmetric.holds);
    let equivalences = bias.symmetric.iter().filter(|symmetric| symmetric.transitive).filter(derived);
    both.extend(equivalences.map(|symmetric| (symmetric.closure(), None)));
    let mut closed = expand(bias, both, &mut fresh);
    closed.extend(keeping(vocabulary).map(|rule| (rule, None)));
    let (closed, numbers): (Vec<Clause>, Vec<Option<u32>>) = closed.into_iter().unzip();
    inline_views(vocabulary, closed, fresh).into_iter().zip(numbers).collect()
}

/// Variables of a fluent or label in a head that nothing in the body binds range over their types:
/// `initiatedAt(moving(X, Y), T) :- happensAt(walking(X), T)` is about every person `Y` observed at `T`.
fn with_types(bias: &Bias, vocabulary: &Vocabulary, mut rule: Clause) -> Clause {
    let label = || bias.examples.iter().any(|m| m.signature() == Signature::of(&rule.head));
    if !matches!(rule.head.name.as_str(), INITIATED | TERMINATED | INITIALLY | HOLDS) && !label() {
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
        if !matches!(atom.name.as_str(), INITIATED | TERMINATED | INITIALLY | HOLDS | CANDIDATES) {
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
fn mirror(bias: &Bias, rules: Vec<Numbered>) -> Vec<Numbered> {
    let symmetries = bias.symmetries();
    let mut mirrored = Vec::new();
    for (rule, number) in rules {
        let mut other = None;
        if symmetries.has(Signature::of(&rule.head)) {
            let mut copy = rule.clone();
            if let Some(Term::App(_, args)) = copy.head.args.first_mut() {
                args.swap(0, 1);
            }
            other = Some(copy).filter(|copy| copy.head != rule.head);
        }
        mirrored.push((rule, number));
        mirrored.extend(other.map(|other| (other, number)));
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
    let asked: IndexSet<Signature, FxBuildHasher> =
        rules.iter().flat_map(|r| body_atoms(r).flat_map(asked_for)).collect();
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
    rule.atoms().map(|(_, atom)| atom)
}

/// A view with a longer body is derived, and not written out where it is used: a chain of views, each of which adds a
/// condition, would make rules of any length, and as many as there are views. What saves work is short.
const LONGEST_VIEW: usize = 24;

/// Rules are not made longer than this. Each condition is a step within the one before, so that their number is bounded.
const LONGEST_BODY: usize = 1000;

/// A predicate with one rule that only selects from another predicate, such as `close(X, Y, D, T) :- apart(X, Y, R, T),
/// distance(D), R <= D`, is replaced by its definition where it is used: no work is repeated, since there is no join in
/// it, and nothing is derived that nobody asks for. The same goes for a predicate that is used in one place only, and for
/// one that is asked of known arguments: see [`Views::of`].
fn inline_views(vocabulary: &Vocabulary, mut rules: Vec<Clause>, mut fresh: usize) -> Vec<Clause> {
    let mut views = Views { vocabulary, everywhere: IndexMap::default(), joins: IndexMap::default() };
    let mut is_done = vec![false; rules.len()];
    // Views may use views, so each comes after those it uses.
    for (place, everywhere) in find_views(vocabulary, &rules) {
        views.inline(&mut rules[place], &mut fresh);
        is_done[place] = true;
        if rules[place].body.len() <= LONGEST_VIEW {
            let kind = if everywhere { &mut views.everywhere } else { &mut views.joins };
            kind.insert(Signature::of(&rules[place].head), rules[place].clone());
        }
    }
    for (rule, _) in rules.iter_mut().zip(is_done).filter(|(_, is_done)| !is_done) {
        views.inline(rule, &mut fresh);
    }
    rules
}

/// The rules of predicates that have one rule.
struct Views<'v> {
    vocabulary: &'v Vocabulary,
    /// Those that are replaced in all places.
    everywhere: IndexMap<Signature, Clause, FxBuildHasher>,
    /// Those that join others, and are replaced where their arguments are known.
    joins: IndexMap<Signature, Clause, FxBuildHasher>,
}

impl Views<'_> {
    /// Replaces the views that a rule uses, and those that come with them.
    fn inline(&self, rule: &mut Clause, fresh: &mut usize) {
        let mut at = 0;
        while at < rule.body.len() {
            let unfolded = self.of(rule, at).map(|view| unfold(view, &rule.body[at], fresh));
            match unfolded {
                Some(unfolded) if rule.body.len() - 1 + unfolded.len() <= LONGEST_BODY => {
                    rule.body.splice(at..=at, unfolded);
                }
                _ => at += 1,
            }
        }
    }

    /// The view that a literal of a rule is to be replaced by.
    ///
    /// One that joins others is, where another condition of the rule, of the stream or of what inertia keeps or of
    /// candidates, has arguments of it that all parts of the join can be looked up by:
    ///
    /// ```text
    /// apart(X, Y, R, T) :- coords(X, A, B, T), coords(Y, C, D, T), R = sqrt((A - C)^2 + (B - D)^2).
    /// terminatedAt(meet(X, Y), T) :- holdsAt(meet(X, Y), T), apart(X, Y, R, T), R > 25.
    /// ```
    ///
    /// Who meets is known then, and the distances of all others need not be.
    fn of(&self, rule: &Clause, at: usize) -> Option<&Clause> {
        let literal = &rule.body[at];
        let Formula::Atom(atom) = &literal.formula else { return None };
        let signature = Signature::of(atom);
        if literal.negated {
            return None;
        }
        if let Some(view) = self.everywhere.get(&signature) {
            return Some(view);
        }
        let view = self.joins.get(&signature)?;
        let (mut parameters, mut arguments): (Vec<Option<Symbol>>, Vec<Option<Symbol>>) = Default::default();
        for_each_hole(&view.head.args, &mut |t| parameters.push(variable(t)));
        for_each_hole(&atom.args, &mut |t| arguments.push(variable(t)));
        // The time is known to all.
        if self.vocabulary.predicates.get(&signature).is_some_and(|p| p.timed) {
            parameters.pop();
            arguments.pop();
        }
        let looks_up = |giver: &Atom| {
            let given: Vec<Symbol> = variables(giver);
            let pairs = parameters.iter().zip(&arguments);
            let known: Vec<Symbol> =
                pairs.filter(|(_, a)| a.is_some_and(|a| given.contains(&a))).filter_map(|(p, _)| *p).collect();
            let mut joined = body_atoms(view).filter(|a| self.role(a) != Some(Role::Static));
            joined.all(|a| variables(a).iter().any(|v| known.contains(v)))
        };
        let mut others = rule.body.iter().enumerate().filter(|(i, l)| *i != at && !l.negated);
        let known = others.any(|(_, l)| match &l.formula {
            Formula::Atom(giver) => self.is_given(giver) && looks_up(giver),
            Formula::Compare(..) => false,
        });
        known.then_some(view)
    }

    fn role(&self, atom: &Atom) -> Option<Role> {
        self.vocabulary.predicates.get(&Signature::of(atom)).map(|p| p.role)
    }

    /// Whether the rows of a condition are there in any case.
    fn is_given(&self, atom: &Atom) -> bool {
        atom.name.as_str() == CANDIDATES || matches!(self.role(atom), Some(Role::Input | Role::Fluent))
    }
}

/// The variables in the holes of an atom.
fn variables(atom: &Atom) -> Vec<Symbol> {
    let mut found = Vec::new();
    for_each_hole(&atom.args, &mut |term| found.extend(variable(term)));
    found
}

/// The places of the rules that are views, each after those that it uses, and whether it is one wherever it is used.
fn find_views(vocabulary: &Vocabulary, rules: &[Clause]) -> Vec<(usize, bool)> {
    // Predicates by number, with the rules that define each, and what each depends on, now or in the past.
    let mut preds: IndexMap<Signature, Vec<usize>, FxBuildHasher> = IndexMap::default();
    for (place, rule) in rules.iter().enumerate() {
        preds.entry(Signature::of(&rule.head)).or_default().push(place);
    }
    let mut uses: IndexMap<Signature, usize, FxBuildHasher> = IndexMap::default();
    for atom in rules.iter().flat_map(body_atoms) {
        *uses.entry(Signature::of(atom)).or_default() += 1;
    }
    for signature in uses.keys() {
        preds.entry(*signature).or_default();
        if let Some(Role::Past(past)) = vocabulary.predicates.get(signature).map(|p| p.role) {
            vocabulary.bases(past).into_iter().for_each(|base| _ = preds.entry(base).or_default());
        }
    }
    let edges: Vec<Vec<usize>> = preds
        .iter()
        .map(|(signature, places)| {
            let used = places.iter().flat_map(|&place| body_atoms(&rules[place])).map(Signature::of);
            let past = match vocabulary.predicates.get(signature).map(|p| p.role) {
                Some(Role::Past(past)) => vocabulary.bases(past),
                _ => Vec::new(),
            };
            used.chain(past).filter_map(|s| preds.get_index_of(&s)).collect()
        })
        .collect();
    let role = |atom: &Atom| vocabulary.predicates.get(&Signature::of(atom)).map(|p| p.role);
    let mut views = Vec::new();
    for component in components(&edges) {
        // What depends on itself is no view, and neither is what has several rules.
        let &[pred] = component.as_slice() else { continue };
        let &[place] = preds[pred].as_slice() else { continue };
        let rule = &rules[place];
        let calculus = matches!(rule.head.name.as_str(), HOLDS | INITIATED | TERMINATED | INITIALLY | CANDIDATES);
        let selects = rule.body.iter().all(|l| !l.negated)
            && body_atoms(rule).filter(|a| role(a) != Some(Role::Static)).count() == 1;
        let used_once = uses.get(&Signature::of(&rule.head)) == Some(&1);
        if !calculus
            && role(&rule.head) == Some(Role::Derived)
            && !edges[pred].contains(&pred)
            && body_atoms(rule).all(|a| role(a).is_some())
        {
            views.push((place, selects || used_once));
        }
    }
    views
}

/// The body of a view for one use of it. `fresh` numbers the variables that are the view's own.
pub(super) fn unfold(view: &Clause, used: &Literal, fresh: &mut usize) -> Vec<Literal> {
    let Formula::Atom(atom) = &used.formula else { unreachable!("views are used as atoms") };
    let mut arguments: Vec<&Term> = Vec::new();
    for_each_hole(&atom.args, &mut |t| arguments.push(t));
    let mut parameters: Vec<&Term> = Vec::new();
    for_each_hole(&view.head.args, &mut |t| parameters.push(t));
    // Variables of the view are replaced by what the use has, others get names that no text has.
    let mut replaced: IndexMap<Symbol, Term, FxBuildHasher> = IndexMap::default();
    let mut equations: Vec<(Term, Term)> = Vec::new();
    for (parameter, argument) in parameters.into_iter().zip(arguments) {
        match variable(parameter) {
            _ if argument.is_anonymous() => {}
            Some(name) if !replaced.contains_key(&name) && !matches!(argument, Term::App(..)) => {
                replaced.insert(name, argument.clone());
            }
            _ => equations.push((argument.clone(), parameter.clone())),
        }
    }
    let mut replace = |name: Symbol| {
        if name.as_str() == "_" {
            return Term::Var(name);
        }
        let own = || {
            *fresh += 1;
            // The name that it has in the text, so that names do not grow where views use views.
            let written = name.as_str().trim_start_matches('?').trim_start_matches(|c: char| c.is_ascii_digit());
            Term::var(&format!("?{fresh}{written}"))
        };
        replaced.entry(name).or_insert_with(own).clone()
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
