//! The axioms of the Event Calculus, time point by time point, from the perfect model of each.

use std::collections::BTreeSet;

use super::aggregate::with_placeholders;
use super::satisfy::{Now, satisfy, substitute};
use super::{Atoms, Past, key, perfect_model, perfect_model_after};
use crate::calculus::Precedence;
use crate::lang::ec::{CANDIDATES, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Clause, Comparison, Formula, Literal, Symbol, Symmetric, Term, Theory, Value, parse_theory};
use crate::stream::Frame;
use crate::task::Task;

/// What is so at a frame, by the axioms.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// The fluents that hold, as text.
    pub holding: Atoms,
    /// The rules of the theory whose bodies are true, by their numbers, with the fluents that they are about, as text: of
    /// symmetric ones in one order. Rules for `terminatedAt` are about what holds.
    pub fired: BTreeSet<(usize, String)>,
}

/// What holds at each frame, by the axioms: fluents as text, frame by frame.
pub fn axioms(task: &Task, theory: &Theory, frames: &[Frame]) -> Option<Vec<Atoms>> {
    Some(points(task, theory, frames)?.into_iter().map(|point| point.holding).collect())
}

/// What holds at each frame, by the axioms, and which rules fire.
pub fn points(task: &Task, theory: &Theory, frames: &[Frame]) -> Option<Vec<Point>> {
    let given: Vec<_> = task.rules(theory).into_iter().map(|rule| task.bias.clock.explicit(rule)).collect();
    let given: Vec<&Clause> = given.iter().map(AsRef::as_ref).collect();
    let distinct = given.iter().map(|rule| distinct(task, rule)).map(|rule| guarded(&given, &rule));
    let rules: Vec<Clause> = distinct.chain(mirrors(task)).chain(keeping(&given)).collect();
    let rules: Vec<&Clause> = rules.iter().collect();
    let answers: Vec<String> = theory.clauses.iter().map(|c| key(&c.head)).filter(|k| k.starts_with(HOLDS)).collect();
    // What holds next and what was before, for each segment that has not ended.
    let mut segments: Vec<(Symbol, Vec<Term>, Past)> = Vec::new();
    let mut history = Vec::new();
    for frame in frames {
        let mut facts: Vec<Atom> = frame.narrative.atoms(frame.time).collect();
        facts.extend(types(task, frame));
        if !task.options.interleaved {
            segments.retain(|(segment, ..)| *segment == frame.segment);
        }
        let mut point = Point::default();
        if !segments.iter().any(|(segment, ..)| *segment == frame.segment) {
            let model = perfect_model(&rules, &facts, frame.time)?;
            point.fired = fired(task, &rules, &Past::default(), &model, frame.time, |head| head == INITIALLY);
            let initially = model.iter().filter(|a| a.name.as_str() == INITIALLY).map(|a| a.args[0].clone());
            let mut state = initially.filter(|fluent| is_instance(task, fluent)).collect();
            canonical(task, &mut state);
            segments.push((frame.segment, state, Past::new(task)));
        }
        let place = segments.iter().position(|(segment, ..)| *segment == frame.segment)?;
        let (_, state, past) = &mut segments[place];
        // A fluent about somebody who is not observed does not hold.
        state.retain(|fluent| arguments(fluent).iter().all(|v| is_observed(task, *v, &facts)));
        let at = |name: &str, f: &Term| Atom::new(name, vec![f.clone(), Term::Value(Value::Int(frame.time))]);
        let kept = |f: &Term| if has_candidates(&given, f) { KEPT } else { HOLDS };
        facts.extend(state.iter().map(|f| at(kept(f), f)));
        let model = perfect_model_after(past, &rules, &facts, frame.time)?;
        // What holds while conditions are met holds now; what is no candidate does not.
        let mut derived = model.iter().filter(|a| answers.contains(&key(a))).map(|a| a.args[0].clone()).collect();
        canonical(task, &mut derived);
        state.retain(|fluent| model.contains(&at(HOLDS, fluent)));
        // What connects others, as an equivalence does, goes on by itself.
        let equivalences = task.bias.symmetric.iter().filter(|declared| declared.transitive);
        let persists = |declared: &&Symmetric| given.iter().all(|rule| key(&rule.head) != key_of(declared));
        for declared in equivalences.filter(persists) {
            let connected = model.iter().filter(|a| key(a) == key_of(declared)).map(|a| a.args[0].clone());
            state.extend(connected.collect::<Vec<_>>());
            canonical(task, state);
        }
        point.holding = state.iter().chain(&derived).map(|f| format!("{f}")).collect();
        let mut now = fired(task, &rules, past, &model, frame.time, |head| head != INITIALLY);
        let own = given.len() - theory.clauses.len();
        now.retain(|(rule, fluent)| rules[*rule].head.name.as_str() != TERMINATED || point.holding.contains(fluent));
        point.fired.append(&mut now);
        point.fired = point.fired.iter().filter_map(|(rule, f)| Some((rule.checked_sub(own)?, f.clone()))).collect();
        point.fired.retain(|(rule, _)| *rule < theory.clauses.len());
        history.push(point);
        let fluents = |name: &str| -> Vec<Term> {
            model.iter().filter(|a| a.name.as_str() == name).map(|a| a.args[0].clone()).collect()
        };
        let (mut initiated, terminated) = (fluents(INITIATED), fluents(TERMINATED));
        initiated.retain(|fluent| is_instance(task, fluent));
        canonical(task, &mut initiated);
        let ends =
            |fluent: &Term| terminated.contains(fluent) || initiated.iter().any(|i| same_fluent_other_value(i, fluent));
        let mut next = initiated.clone();
        if task.options.both == Precedence::End {
            next.retain(|fluent| !ends(fluent));
        }
        for fluent in &*state {
            if !ends(fluent) && !next.contains(fluent) {
                next.push(fluent.clone());
            }
        }
        *state = next;
        past.points.push((frame.time, model));
    }
    Some(history)
}

/// The rules about fluents whose bodies are true in a model, by their numbers, with those fluents.
fn fired(
    task: &Task,
    rules: &[&Clause],
    past: &Past,
    model: &[Atom],
    time: i64,
    of: impl Fn(&str) -> bool,
) -> BTreeSet<(usize, String)> {
    let known: Atoms = model.iter().map(ToString::to_string).collect();
    let (now, start) = (Now { model, known: &known, past, time }, vec![(Symbol::new("T"), Value::Int(time))]);
    let mut fired = BTreeSet::new();
    for (number, rule) in rules.iter().enumerate().filter(|(_, rule)| of(rule.head.name.as_str())) {
        let rule = with_placeholders(rule);
        let body: Vec<&Literal> = rule.body.iter().collect();
        satisfy(&body, &now, &start, &mut |bindings| {
            let mut fluent: Vec<Term> =
                substitute(&rule.head, bindings).into_iter().map(|head| head.args[0].clone()).collect();
            fluent.retain(|fluent| is_instance(task, fluent));
            canonical(task, &mut fluent);
            fired.extend(fluent.iter().map(|fluent| (number, fluent.to_string())));
        });
    }
    fired
}

/// What was started and not ended, candidate or not.
const KEPT: &str = "kept";

/// Whether a rule says which instances of a fluent are looked at.
fn has_candidates(rules: &[&Clause], fluent: &Term) -> bool {
    let form = |term: &Term| key(&Atom::new(HOLDS, vec![term.clone(), Term::var("T")]));
    rules.iter().any(|rule| rule.head.name.as_str() == CANDIDATES && form(&rule.head.args[0]) == form(fluent))
}

/// A rule about a fluent with candidates is about those.
fn guarded(rules: &[&Clause], rule: &Clause) -> Clause {
    let mut rule = rule.clone();
    if matches!(rule.head.name.as_str(), INITIATED | TERMINATED | HOLDS) && has_candidates(rules, &rule.head.args[0]) {
        rule.body.push(Literal::positive(Atom { name: Symbol::new(CANDIDATES), ..rule.head.clone() }));
    }
    rule
}

/// For each fluent with candidates: `holdsAt(f(X), T) :- kept(f(X), T), candidates(f(X), T)`, with the head of its rule.
fn keeping(rules: &[&Clause]) -> Vec<Clause> {
    let candidates = rules.iter().filter(|rule| rule.head.name.as_str() == CANDIDATES);
    let holds = candidates.map(|rule| {
        let named = |name: &str| Atom { name: Symbol::new(name), ..rule.head.clone() };
        let body = [KEPT, CANDIDATES].map(|name| Literal::positive(named(name)));
        Clause { head: named(HOLDS), body: body.into(), span: rule.span.clone() }
    });
    holds.collect()
}

/// For each symmetric fluent the rules that say so: `initiatedAt(g(X, Y), T) :- initiatedAt(g(Y, X), T)` and the like.
fn mirrors(task: &Task) -> Vec<Clause> {
    let of_fluent = |f: Symbol| {
        let timed =
            [INITIATED, TERMINATED, HOLDS, CANDIDATES].map(|p| format!("{p}({f}(X, Y), T) :- {p}({f}(Y, X), T).\n"));
        [timed.concat(), format!("{INITIALLY}({f}(X, Y)) :- {INITIALLY}({f}(Y, X)).\n")].concat()
    };
    let text: String = task.bias.symmetric.iter().map(|declared| of_fluent(declared.name)).collect();
    let mut rules = parse_theory("symmetric.lp", &text).expect("written just now").clauses;
    rules.extend(task.bias.symmetric.iter().filter(|declared| declared.transitive).map(Symmetric::closure));
    rules
}

/// The form of a fluent that is declared symmetric.
fn key_of(declared: &Symmetric) -> String {
    key(&declared.closure().head)
}

/// Of symmetric fluents, one order of the arguments: the one that is printed first.
fn canonical(task: &Task, fluents: &mut Vec<Term>) {
    let mut kept: Vec<Term> = Vec::new();
    for mut fluent in fluents.drain(..) {
        if let Term::App(name, args) = &mut fluent
            && args.len() == 2
            && task.bias.symmetric.iter().any(|s| s.name == *name)
        {
            args.sort_by_key(ToString::to_string);
        }
        if !kept.contains(&fluent) {
            kept.push(fluent);
        }
    }
    *fluents = kept;
}

/// A rule that says when a fluent holds, with the condition that arguments of one type are different ones: other rules of
/// the same time point ask for it.
fn distinct(task: &Task, rule: &Clause) -> Clause {
    let mut rule = rule.clone();
    let declared =
        task.bias.examples.iter().find(|m| rule.head.name.as_str() == HOLDS && key(&m.atom) == key(&rule.head));
    if let (Some(mode), Term::App(_, args)) = (declared, &rule.head.args[0]) {
        let types = mode.types();
        for (a, left) in args.iter().enumerate() {
            for (b, right) in args.iter().enumerate().take(a) {
                if types[a] == types[b] && matches!((left, right), (Term::Var(_), Term::Var(_))) {
                    let formula = Formula::Compare(Comparison::NotEqual, left.clone(), right.clone());
                    rule.body.push(Literal { negated: false, formula, span: rule.span.clone() });
                }
            }
        }
    }
    rule
}

/// Whether the arguments of one type are different ones, as far as the fluent is declared.
fn is_instance(task: &Task, fluent: &Term) -> bool {
    let values = arguments(fluent);
    task.bias
        .examples
        .iter()
        .filter(|m| matches!((&m.atom.args[0], fluent), (Term::App(f, _), Term::App(g, _)) if f == g))
        .all(|mode| {
            let types = mode.types();
            (0..values.len()).all(|a| (0..a).all(|b| types[a] != types[b] || values[a] != values[b]))
        })
}

fn same_fluent_other_value(a: &Term, b: &Term) -> bool {
    match (a, b) {
        (Term::App(e, x), Term::App(f, y)) if e.as_str() == "=" && f.as_str() == "=" => x[0] == y[0] && x[1] != y[1],
        _ => false,
    }
}

/// The values of a fluent's arguments.
fn arguments(fluent: &Term) -> Vec<Value> {
    match fluent {
        Term::Value(v) => vec![*v],
        Term::App(_, args) => args.iter().flat_map(arguments).collect(),
        _ => Vec::new(),
    }
}

/// In the generated tasks, names that start with `e` are entities and nothing else is.
fn is_observed(task: &Task, value: Value, facts: &[Atom]) -> bool {
    let entity = matches!(value, Value::Sym(s) if s.as_str().starts_with('e'));
    let kind = Symbol::new("entity");
    if !entity || task.options.tracked.as_ref().is_some_and(|t| !t.contains(&kind)) {
        return true;
    }
    facts.iter().any(|a| a.name == kind && a.args[0] == Term::Value(value))
}

/// The atoms `entity(e1, T)` of a frame.
pub(super) fn types(task: &Task, frame: &Frame) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for (signature, values) in frame.narrative.iter() {
        for mode in task.bias.inputs.iter().filter(|m| m.signature() == signature) {
            for (kind, value) in mode.types().into_iter().zip(values) {
                if let Some(kind) = kind {
                    atoms
                        .push(Atom::new(kind.as_str(), vec![Term::Value(*value), Term::Value(Value::Int(frame.time))]));
                }
            }
        }
    }
    atoms
}
