//! The rules and the axioms evaluated by brute force: no plans, no indexes, no strata of components, no flat facts.

mod aggregate;
mod past;

use std::collections::BTreeSet;

use crate::calculus::Precedence;
use crate::lang::ec::{CANDIDATES, HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{
    Atom, Clause, Comparison, Formula, Literal, Symbol, Symmetric, Term, Theory, Value, for_each_hole, parse_theory,
};
use crate::stream::Frame;
use crate::task::Task;
use aggregate::{gathered, with_placeholders};

/// Ground atoms as text, which is as far from the engine's representation as can be.
pub type Atoms = BTreeSet<String>;

/// The earlier time points of a segment, oldest first, each with everything that was true; and how far rules look back.
/// Without a horizon there is no past, and nothing is true that looks back.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// In time units.
    pub horizon: Option<i64>,
    /// Times and models.
    pub points: Vec<(i64, Vec<Atom>)>,
    /// The sets of which one is true at a time, as they are declared.
    pub exclusive: Vec<Vec<Atom>>,
    /// The types of what the stream has, each of which is a predicate.
    pub types: Vec<Symbol>,
    /// Whether time has begun: where `initially` is evaluated there is not even a now that could be counted.
    pub has_begun: bool,
}

/// The perfect model of rules and facts at a time, which the variable `T` stands for, or `None` if negation runs in a
/// circle; without a past.
pub fn perfect_model(rules: &[&Clause], facts: &[Atom], time: i64) -> Option<Vec<Atom>> {
    perfect_model_after(&Past::default(), rules, facts, time)
}

/// The same after a past, or `None` too if a predicate looks back at itself.
pub fn perfect_model_after(past: &Past, rules: &[&Clause], facts: &[Atom], time: i64) -> Option<Vec<Atom>> {
    let start: Bindings = vec![(Symbol::new("T"), Value::Int(time))];
    let rules: Vec<Clause> = rules.iter().map(|rule| with_placeholders(rule)).collect();
    let rules: &[&Clause] = &rules.iter().collect::<Vec<_>>();
    let levels = levels(rules, past)?;
    let mut model: Vec<Atom> = Vec::new();
    let mut known = Atoms::new();
    for fact in facts {
        // Facts that are equal are there as often as the stream has them, for what is counted; who is observed is there once.
        if known.insert(fact.to_string()) || !past.types.contains(&fact.name) {
            model.push(fact.clone());
        }
    }
    let top = levels.iter().map(|(_, level)| *level).max().unwrap_or(0);
    for level in 0..=top {
        loop {
            let mut new = Vec::new();
            for rule in rules {
                if level_of(&levels, &key(&rule.head)) == level {
                    let body: Vec<&Literal> = rule.body.iter().collect();
                    let now = Now { model: &model, known: &known, past, time };
                    satisfy(&body, &now, &start, &mut |bindings| {
                        if let Some(head) = substitute(&rule.head, bindings) {
                            new.push(head);
                        }
                    });
                }
            }
            let before = known.len();
            for atom in new {
                if known.insert(atom.to_string()) {
                    model.push(atom);
                }
            }
            if known.len() == before {
                break;
            }
        }
    }
    Some(model)
}

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
fn types(task: &Task, frame: &Frame) -> Vec<Atom> {
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

type Bindings = Vec<(Symbol, Value)>;

/// What is true at a time point, as far as it is known, and before it.
struct Now<'a> {
    model: &'a [Atom],
    known: &'a Atoms,
    past: &'a Past,
    time: i64,
}

impl Now<'_> {
    /// The true atoms that a condition may be about. What looks back is computed from all earlier models.
    fn candidates(&self, pattern: &Atom) -> Vec<Atom> {
        let of = |a: &&Atom| a.name == pattern.name && a.args.len() == pattern.args.len();
        if let Some(gathered) = gathered(pattern) {
            return self.gather(pattern, &gathered);
        }
        let Some((inner, numbers)) = looked_back_at(pattern) else {
            return self.model.iter().filter(of).cloned().collect();
        };
        let (Some(horizon), points) = (self.past.horizon, &self.past.points) else { return Vec::new() };
        let recent = |time: i64| self.time - time <= horizon;
        let same = |model: &[Atom]| -> Vec<Atom> {
            let atoms = model.iter().filter(|a| key(a) == key(&inner));
            atoms.map(|a| dated(a, self.time)).collect()
        };
        let with = |atom: Atom, numbers: &[i64]| {
            let numbers = numbers.iter().map(|n| Term::Value(Value::Int(*n)));
            let args = std::iter::once(Term::App(atom.name, atom.args)).chain(numbers).collect();
            Atom { name: pattern.name, args, span: pattern.span.clone() }
        };
        let condition = |atom: Atom, number: i64| with(atom, &[number]);
        let at = |point: Option<&(i64, Vec<Atom>)>, number: i64| -> Vec<Atom> {
            let atoms = point.filter(|(time, _)| recent(*time)).map(|(_, model)| same(model)).unwrap_or_default();
            atoms.into_iter().map(|a| condition(a, number)).collect()
        };
        let before =
            points.iter().rev().filter(|(time, _)| recent(*time)).map(|(time, model)| (*time, model.as_slice()));
        let all: Vec<(i64, &[Atom])> = std::iter::once((self.time, self.model)).chain(before).collect();
        match (pattern.name.as_str(), numbers.first().copied().flatten()) {
            ("within", Some(near)) => {
                let far = numbers[1].expect("within has two numbers");
                let asked = all.iter().filter(|(time, _)| (near..=far).contains(&(self.time - time)));
                let mut found: Vec<Atom> = Vec::new();
                for atom in asked.flat_map(|(_, model)| same(model)) {
                    if !found.contains(&atom) {
                        found.push(atom);
                    }
                }
                found.into_iter().map(|atom| with(atom, &[near, far])).collect()
            }
            ("last", _) => {
                let about = |a: &Atom| self.past.about(a);
                let mut found = Vec::new();
                for (i, (time, model)) in all.iter().enumerate() {
                    // Nothing that is later is about the same.
                    let later = |a: &Atom| {
                        all[..i].iter().any(|(_, model)| model.iter().any(|b| is_timed(b) && about(a) == about(b)))
                    };
                    for atom in same(model).into_iter().filter(|a| !later(a)) {
                        let units: &[i64] = if pattern.args.len() == 1 { &[] } else { &[self.time - time] };
                        found.push(with(atom, units));
                    }
                }
                found
            }
            ("ago", Some(n)) => at(points.iter().rfind(|(time, _)| *time <= self.time - n), n),
            ("frames_ago", Some(n)) => at(points.iter().rev().nth(n as usize - 1), n),
            ("lasting", _) => {
                let now = same(self.model);
                let lasting = now.into_iter().map(|atom| {
                    let run = points.iter().rev().take_while(|(_, model)| same(model).contains(&atom));
                    let first = run.last().map_or(self.time, |(time, _)| *time);
                    condition(atom, (self.time - first).min(horizon))
                });
                lasting.collect()
            }
            _ => {
                let mut found: Vec<(Atom, i64)> = same(self.model).into_iter().map(|a| (a, 0)).collect();
                for (time, model) in &all[1..] {
                    for atom in same(model) {
                        if !found.iter().any(|(a, _)| *a == atom) {
                            found.push((atom, self.time - time));
                        }
                    }
                }
                found.into_iter().map(|(atom, units)| condition(atom, units)).collect()
            }
        }
    }
}

/// The atom that a condition looks back at, and its numbers as far as they are constants.
fn looked_back_at(atom: &Atom) -> Option<(Atom, Vec<Option<i64>>)> {
    let [Term::App(name, args), numbers @ ..] = atom.args.as_slice() else { return None };
    let looks = matches!(
        (atom.name.as_str(), numbers.len()),
        ("ago" | "frames_ago" | "lasting" | "since", 1) | ("last", 0 | 1) | ("within", 2)
    );
    let number = |term: &Term| if let Term::Value(Value::Int(n)) = term { Some(*n) } else { None };
    let inner = || Atom { name: *name, args: args.clone(), span: atom.span.clone() };
    (looks && !is_operation(&atom.args[0])).then(|| (inner(), numbers.iter().map(number).collect()))
}

/// Whether the last argument of an atom can be a time.
fn is_timed(atom: &Atom) -> bool {
    matches!(atom.args.last(), Some(Term::Value(Value::Int(_))))
}

/// The atom at another time.
fn dated(atom: &Atom, time: i64) -> Atom {
    let mut atom = atom.clone();
    atom.args.pop();
    atom.args.push(Term::Value(Value::Int(time)));
    atom
}

/// Calls `found` for every way to make a body true: takes any literal that can be decided now, tries everything that makes
/// it true, and goes on with the rest.
fn satisfy(body: &[&Literal], now: &Now<'_>, bindings: &Bindings, found: &mut impl FnMut(&Bindings)) {
    if body.is_empty() {
        return found(bindings);
    }
    let Some(ready) = body.iter().position(|l| is_ready(l, bindings)) else { return };
    let mut rest = body.to_vec();
    let literal = rest.remove(ready);
    match &literal.formula {
        Formula::Atom(pattern) if !literal.negated => {
            for atom in now.candidates(pattern) {
                // An operation may be of what the same atom gives a value: it is looked at again when all have theirs.
                let mut longer = bindings.clone();
                let args = || pattern.args.iter().zip(&atom.args);
                if args().all(|(p, a)| unify_names(p, a, &mut longer)) && args().all(|(p, a)| unify(p, a, &mut longer))
                {
                    satisfy(&rest, now, &longer, found);
                }
            }
        }
        Formula::Compare(Comparison::Equal, left, right) if !literal.negated => {
            let mut longer = bindings.clone();
            match (evaluate(left, bindings), evaluate(right, bindings), left, right) {
                (Some(a), Some(b), ..) if a == b => {}
                (None, Some(value), Term::Var(name), _) | (Some(value), None, _, Term::Var(name)) => {
                    longer.push((*name, value));
                }
                _ => return,
            }
            satisfy(&rest, now, &longer, found);
        }
        _ if is_true(literal, now, bindings) => satisfy(&rest, now, bindings, found),
        _ => {}
    }
}

/// Whether a literal can be decided with what is bound, or binds what is missing itself.
fn is_ready(literal: &Literal, bindings: &Bindings) -> bool {
    let bound = |term: &Term| {
        let mut all = true;
        term.for_each_var(&mut |name| all &= bindings.iter().any(|(n, _)| *n == name));
        all
    };
    match &literal.formula {
        Formula::Atom(atom) if literal.negated => atom.args.iter().all(|a| negated_ready(a, &bound)),
        Formula::Atom(atom) => {
            let mut own = Vec::new();
            for_each_hole(&atom.args, &mut |term| {
                own.extend(if let Term::Var(name) = term { Some(*name) } else { None });
            });
            let bound = |term: &Term| {
                let mut all = true;
                term.for_each_var(&mut |name| {
                    all &= own.contains(&name) && name.as_str() != "_" || bindings.iter().any(|(n, _)| *n == name);
                });
                all
            };
            atom.args.iter().all(|a| operations_bound(a, &bound))
        }
        Formula::Compare(Comparison::Equal, left, right) if !literal.negated => {
            let variable = |t: &Term| matches!(t, Term::Var(_)) && !t.is_anonymous();
            (bound(left) && (bound(right) || variable(right))) || (bound(right) && variable(left))
        }
        Formula::Compare(_, left, right) => bound(left) && bound(right),
    }
}

fn negated_ready(term: &Term, bound: &impl Fn(&Term) -> bool) -> bool {
    match term {
        Term::App(_, args) if !is_operation(term) => args.iter().all(|a| negated_ready(a, bound)),
        t => t.is_anonymous() || bound(t),
    }
}

fn operations_bound(term: &Term, bound: &impl Fn(&Term) -> bool) -> bool {
    match term {
        Term::App(..) if is_operation(term) => bound(term),
        Term::App(_, args) => args.iter().all(|a| operations_bound(a, bound)),
        _ => true,
    }
}

fn is_operation(term: &Term) -> bool {
    matches!(term, Term::App(name, args) if crate::lang::is_operation(name.as_str(), args.len()))
}

/// The same as far as no operation stands there.
fn unify_names(pattern: &Term, ground: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, ground) {
        _ if is_operation(pattern) => true,
        (Term::App(f, xs), Term::App(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| unify_names(x, y, bindings))
        }
        _ => unify(pattern, ground, bindings),
    }
}

fn unify(pattern: &Term, ground: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, ground) {
        (_, Term::Value(v)) if is_operation(pattern) => evaluate(pattern, bindings) == Some(*v),
        (Term::Var(name), Term::Value(_)) if name.as_str() == "_" => true,
        (Term::Var(name), Term::Value(v)) => match bindings.iter().find(|(n, _)| n == name) {
            Some((_, bound)) => bound == v,
            None => {
                bindings.push((*name, *v));
                true
            }
        },
        (Term::Value(a), Term::Value(b)) => a == b,
        (Term::App(f, xs), Term::App(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| unify(x, y, bindings))
        }
        _ => false,
    }
}

/// Whether a literal whose variables are bound, anonymous ones apart, is true.
fn is_true(literal: &Literal, now: &Now<'_>, bindings: &Bindings) -> bool {
    match &literal.formula {
        Formula::Compare(op, left, right) => {
            let (Some(a), Some(b)) = (evaluate(left, bindings), evaluate(right, bindings)) else { return false };
            let truth = match op {
                Comparison::Equal => a == b,
                Comparison::NotEqual => a != b,
                Comparison::Less => a < b,
                Comparison::LessOrEqual => a <= b,
                Comparison::Greater => a > b,
                Comparison::GreaterOrEqual => a >= b,
            };
            truth != literal.negated
        }
        Formula::Atom(atom) => {
            let mut anonymous = false;
            atom.for_each_var(&mut |name| anonymous |= name.as_str() == "_");
            if !anonymous {
                // An operation without a value makes a literal false, negated or not.
                let Some(ground) = substitute(atom, bindings) else { return false };
                let truth = match looked_back_at(atom).map(|_| ()).or(gathered(atom).map(|_| ())) {
                    Some(()) => now.candidates(&ground).contains(&ground),
                    None => now.known.contains(&ground.to_string()),
                };
                return truth != literal.negated;
            }
            !now.candidates(atom).iter().any(|a| {
                let mut scratch = bindings.clone();
                atom.args.iter().zip(&a.args).all(|(p, g)| unify(p, g, &mut scratch))
            })
        }
    }
}

fn evaluate(term: &Term, bindings: &Bindings) -> Option<Value> {
    // Rules of a task were made explicit with its clock.
    let term = &crate::lang::Clock::default().explicit_term(term);
    crate::logic::apply(term, &|name| bindings.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
}

fn substitute(atom: &Atom, bindings: &Bindings) -> Option<Atom> {
    fn term(t: &Term, bindings: &Bindings) -> Option<Term> {
        match t {
            Term::App(name, args) if !crate::lang::is_operation(name.as_str(), args.len()) => {
                Some(Term::App(*name, args.iter().map(|a| term(a, bindings)).collect::<Option<_>>()?))
            }
            t => evaluate(t, bindings).map(Term::Value),
        }
    }
    let args = atom.args.iter().map(|a| term(a, bindings)).collect::<Option<_>>()?;
    Some(Atom { name: atom.name, args, span: atom.span.clone() })
}

/// The predicate of an atom, with the event or fluent in it.
fn key(atom: &Atom) -> String {
    match atom.args.first() {
        Some(Term::App(name, args)) => format!("{}/{}({name}/{})", atom.name, atom.args.len(), args.len()),
        _ => format!("{}/{}", atom.name, atom.args.len()),
    }
}

/// Levels such that rules use lower ones negated, look back at lower ones, and use lower or equal ones positively
/// (Ullman's algorithm).
fn levels(rules: &[&Clause], past: &Past) -> Option<Vec<(String, usize)>> {
    let mut levels: Vec<(String, usize)> = Vec::new();
    for rule in rules {
        let head = key(&rule.head);
        if !levels.iter().any(|(k, _)| *k == head) {
            levels.push((head, 0));
        }
    }
    loop {
        let mut changed = false;
        for rule in rules {
            let head = key(&rule.head);
            for literal in &rule.body {
                let Formula::Atom(atom) = &literal.formula else { continue };
                let (below, complete) = match looked_back_at(atom) {
                    Some((inner, _)) if atom.name.as_str() == "last" => (past.with_others(&key(&inner)), true),
                    Some((inner, _)) => (vec![key(&inner)], true),
                    None if gathered(atom).is_some() => {
                        (gathered(atom).map(|g| key(&g.inner)).into_iter().collect(), true)
                    }
                    None => (vec![key(atom)], literal.negated),
                };
                for below in below {
                    if !levels.iter().any(|(k, _)| *k == below) {
                        continue;
                    }
                    let needed = level_of(&levels, &below) + usize::from(complete);
                    let at = levels.iter().position(|(k, _)| *k == head).expect("heads have levels");
                    if levels[at].1 < needed {
                        levels[at].1 = needed;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return Some(levels);
        }
        if levels.iter().any(|(_, level)| *level > levels.len()) {
            return None;
        }
    }
}

fn level_of(levels: &[(String, usize)], key: &str) -> usize {
    levels.iter().find(|(k, _)| k == key).map_or(0, |(_, level)| *level)
}
