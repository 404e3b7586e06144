//! Ordinary predicates that are labelled: what a recogniser says of them, against rules evaluated by brute force.

use std::cell::Cell;
use std::collections::BTreeSet;

use oled::calculus::fluent;
use oled::testing::{deterministic, generate, naive};
use oled::{
    Atom, Clause, Comparison, Formula, Frame, Interval, Literal, Recogniser, Source, Symbol, Task, Term, Theory, Value,
};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// The generated tasks, in which two of the predicates that their rules define are labels.
fn task() -> Task {
    let modes =
        format!("{} example(d0(+entity, +time)). example(d1(+entity, +entity, +time)).", generate::modes().text);
    Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap()
}

/// A rule for a label with all that goes without saying: an argument that nothing binds is observed, and two arguments
/// are different ones.
fn spelled_out(clause: &Clause) -> Clause {
    let mut clause = clause.clone();
    if !["d0", "d1"].contains(&clause.head.name.as_str()) {
        return clause;
    }
    let arguments = clause.head.args[..clause.head.args.len() - 1].to_vec();
    for argument in &arguments {
        let Term::Var(name) = argument else { continue };
        let binds = |l: &Literal| {
            let mut found = false;
            match &l.formula {
                Formula::Atom(atom) => found = atom.args.iter().any(|t| holes(t).contains(&argument)),
                Formula::Compare(Comparison::Equal, a, b) => found = a == argument || b == argument,
                Formula::Compare(..) => {}
            }
            found && !l.negated
        };
        if !clause.body.iter().any(binds) {
            let atom = Atom::new("entity", vec![Term::Var(*name), Term::var("T")]);
            clause.body.push(Literal::positive(atom));
        }
    }
    if let [left, right] = arguments.as_slice() {
        let formula = Formula::Compare(Comparison::NotEqual, left.clone(), right.clone());
        clause.body.push(Literal { negated: false, formula, span: clause.span.clone() });
    }
    clause
}

/// A term, and those in it where it is an event or what a condition looks back at.
fn holes(term: &Term) -> Vec<&Term> {
    let operations = ["+", "-", "*", "/", "//", "mod", "^", "abs", "sqrt", "min", "max", "time_of_day", "weekday"];
    match term {
        Term::App(name, args) if !operations.contains(&name.as_str()) => args.iter().flat_map(holes).collect(),
        term => vec![term],
    }
}

/// The atoms `entity(e1, T)` of a frame.
fn entities(frame: &Frame) -> impl Iterator<Item = Atom> {
    frame
        .narrative
        .iter()
        .flat_map(|(_, values)| values)
        .filter(|v| matches!(v, Value::Sym(_)))
        .map(|v| Atom::new("entity", vec![Term::Value(*v), Term::Value(Value::Int(frame.time))]))
}

/// What is true of the labels at each time point.
fn truth(theory: &Theory, frames: &[Frame]) -> Option<Vec<BTreeSet<String>>> {
    let rules: Vec<Clause> = theory.clauses.iter().map(spelled_out).collect();
    let rules: Vec<&Clause> = rules.iter().collect();
    let labelled = |a: &Atom| ["d0", "d1"].contains(&a.name.as_str());
    let without_time = |a: &Atom| Term::App(a.name, a.args[..a.args.len() - 1].to_vec()).to_string();
    let (mut segment, mut past) = (None, naive::Past::default());
    frames
        .iter()
        .map(|frame| {
            if segment.replace(frame.segment) != Some(frame.segment) {
                past = naive::Past::new(&task());
            }
            let facts: Vec<Atom> = frame.narrative.atoms(frame.time).chain(entities(frame)).collect();
            let model = naive::perfect_model_after(&past, &rules, &facts, frame.time)?;
            let labels = model.iter().filter(|a| labelled(a)).map(without_time).collect();
            past.points.push((frame.time, model));
            Some(labels)
        })
        .collect()
}

/// The maximal runs of time points, one by one.
fn runs(frames: &[Frame], truth: &[BTreeSet<String>]) -> BTreeSet<(Symbol, String, i64, i64)> {
    let mut runs = BTreeSet::new();
    for (i, frame) in frames.iter().enumerate() {
        let holds = |j: usize, what: &String| frames[j].segment == frame.segment && truth[j].contains(what);
        for what in &truth[i] {
            if i > 0 && holds(i - 1, what) {
                continue;
            }
            let last = (i..frames.len()).take_while(|&j| holds(j, what)).last().unwrap();
            runs.insert((frame.segment, what.clone(), frame.time, frames[last].time));
        }
    }
    runs
}

#[test]
fn an_ordinary_predicate_holds_where_a_body_is_true_and_nowhere_else() {
    let task = task();
    let (compared, held) = (Cell::new(0), Cell::new(0));
    let strategy = (generate::background(), generate::frames());
    let result = TestRunner::new(deterministic(1500)).run(&strategy, |(rules, frames)| {
        let theory = oled::parse_theory("theory.lp", &rules).unwrap();
        // What is wrong with random rules is tested elsewhere.
        let Ok(mut recogniser) = Recogniser::new(&task, &theory) else { return Ok(()) };
        let truth = truth(&theory, &frames).expect("the engine accepted it");
        let mut intervals: Vec<Interval> = Vec::new();
        for (frame, truth) in frames.iter().zip(&truth) {
            recogniser.observe(frame, &mut intervals);
            let holding: BTreeSet<String> = recogniser.holding().map(|(s, v)| fluent(s, v).to_string()).collect();
            prop_assert_eq!(&holding, truth, "at {} of {}: {}", frame.time, frame.segment, theory);
            held.set(held.get() + holding.len());
        }
        recogniser.finish(&mut intervals);
        let found: BTreeSet<_> =
            intervals.iter().map(|i| (i.segment, i.fluent().to_string(), i.first, i.last)).collect();
        prop_assert_eq!(found.len(), intervals.len());
        prop_assert_eq!(found, runs(&frames, &truth), "{}", theory);
        compared.set(compared.get() + 1);
        Ok(())
    });
    result.unwrap();
    assert!(compared.get() > 1000 && held.get() > 5000, "{} theories, {} facts", compared.get(), held.get());
}

#[test]
fn an_argument_that_nothing_binds_ranges_over_what_is_observed() {
    let task = task();
    let theory = oled::parse_theory("t.lp", "d1(X, Y, T) :- happensAt(a(X), T).").unwrap();
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let mut frame = Frame::new(Symbol::new("s"), 1);
    for fact in ["happensAt(a(e1), 1)", "size(e2, 3, 1)"] {
        oled::FactReader::default().read(fact, &mut frame.narrative).unwrap();
    }
    recogniser.observe(&frame, &mut Vec::new());
    let holding: Vec<String> = recogniser.holding().map(|(s, v)| fluent(s, v).to_string()).collect();
    assert_eq!(holding, ["d1(e1, e2)"], "and is not the same as the other");
}

#[test]
fn events_can_be_labels_too() {
    let modes = "input(happensAt(rings(+bell), +time)). example(happensAt(alarm(+bell), +time)).";
    let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
    let theory = oled::parse_theory("t.lp", "happensAt(alarm(B), T) :- happensAt(rings(B), T).").unwrap();
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let mut intervals = Vec::new();
    for (time, fact) in [(1, Some("rings")), (2, Some("rings")), (3, None)] {
        let mut frame = Frame::new(Symbol::new("s"), time);
        if let Some(event) = fact {
            let fact = format!("happensAt({event}(b1), {time})");
            oled::FactReader::default().read(&fact, &mut frame.narrative).unwrap();
        }
        recogniser.observe(&frame, &mut intervals);
    }
    let found: Vec<_> = intervals.iter().map(|i| (i.fluent().to_string(), i.first, i.last)).collect();
    assert_eq!(found, [("alarm(b1)".to_string(), 1, 2)]);
}
