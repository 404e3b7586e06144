//! Counts: equal events of a time point count as the stream has them, and groups that somebody else names may have none.

use oled::{FactReader, Frame, Recogniser, Source, Symbol, Task, parse_theory};

const MODES: &str =
    "input(happensAt(fails(+user), +time)). input(pays(+user, +amount, +time)). input(holdsAt(here(+user), +time)).
    type(amount, int). horizon(10).";

/// What holds at each frame.
fn holding(rules: &str, frames: &[&[&str]]) -> Vec<Vec<String>> {
    let task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap();
    let theory = parse_theory("rules.lp", rules).unwrap();
    let mut recogniser = Recogniser::new(&task, &theory).unwrap_or_else(|problems| panic!("{problems}"));
    let at = |(time, facts): (usize, &&[&str])| {
        let mut frame = Frame::new(Symbol::new("main"), i64::try_from(time).unwrap());
        for fact in *facts {
            FactReader::default().read(&fact.replace('T', &time.to_string()), &mut frame.narrative).unwrap();
        }
        recogniser.observe(&frame, &mut Vec::new());
        let mut holding: Vec<String> =
            recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect();
        holding.sort();
        holding
    };
    frames.iter().enumerate().map(at).collect()
}

#[test]
fn equal_events_of_a_time_point_count_as_often_as_they_come() {
    let (fails, pays) = ("happensAt(fails(ann), T)", "pays(ann, 5, T)");
    let rules = "holdsAt(failed(U)=N, T) :- count(happensAt(fails(U), T), 1, N).
                 holdsAt(paid(U)=N, T) :- sum(A, pays(U, A, T), N).
                 holdsAt(amounts(U)=N, T) :- count(A, pays(U, A, T), N).
                 holdsAt(twice(U)=N, T) :- count(again(U, T), N). again(U, T) :- happensAt(fails(U), T).";
    let found = holding(rules, &[&[fails, fails, fails, pays, pays], &[fails], &[], &[]]);
    // What rules derive is there once, and values that are equal are one.
    let first = ["amounts(ann)=1", "failed(ann)=3", "paid(ann)=10", "twice(ann)=1"];
    assert_eq!(found[0], first);
    assert_eq!(found[1], ["failed(ann)=4", "twice(ann)=1"]);
    assert_eq!(found[2], ["failed(ann)=1"]);
    assert_eq!(found[3], [""; 0]);
}

#[test]
fn who_is_named_elsewhere_may_have_none() {
    let rules = "failures(U, N, T) :- count(happensAt(fails(U), T), 1, N).
                 failures(U, 0, T) :- holdsAt(here(U), T), not count(happensAt(fails(U), T), 1, _).
                 holdsAt(calm(U), T) :- failures(U, N, T), N < 2.";
    let (ann, bob, fails) = ("holdsAt(here(ann), T)", "holdsAt(here(bob), T)", "happensAt(fails(ann), T)");
    let found = holding(rules, &[&[ann, bob], &[ann, bob, fails, fails], &[ann], &[ann]]);
    assert_eq!(found, [vec!["calm(ann)", "calm(bob)"], vec!["calm(bob)"], vec![], vec!["calm(ann)"]]);
}
