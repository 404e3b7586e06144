//! Counts: equal events of a time point count as the stream has them, and groups that somebody else names may have none.

use oled::{FactReader, Frame, Learner, Recogniser, Replay, ReplaySettings, Source, Symbol, Task, parse_theory};

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

#[test]
fn how_many_is_zero_where_there_is_nothing_to_count() {
    let (ann, bob, fails) = ("holdsAt(here(ann), T)", "holdsAt(here(bob), T)", "happensAt(fails(ann), T)");
    let frames: [&[&str]; 4] = [&[ann, bob], &[ann, bob, fails, fails], &[ann], &[ann]];
    let two = "failures(U, N, T) :- count(happensAt(fails(U), T), 1, N).
               failures(U, 0, T) :- holdsAt(here(U), T), not count(happensAt(fails(U), T), 1, _).";
    for (one, other) in [
        (
            "holdsAt(calm(U), T) :- holdsAt(here(U), T), how_many(happensAt(fails(U), T), 1, N), N < 2.",
            "holdsAt(calm(U), T) :- holdsAt(here(U), T), failures(U, N, T), N < 2.",
        ),
        (
            "holdsAt(calm(U), T) :- how_many(happensAt(fails(U), T), 1, 0), holdsAt(here(U), T).",
            "holdsAt(calm(U), T) :- holdsAt(here(U), T), failures(U, 0, T).",
        ),
        (
            "holdsAt(calm(U), T) :- holdsAt(here(U), T), how_many(happensAt(fails(U), T), 1, N), M = N + 1,
                 how_many(W, happensAt(fails(W), T), M).",
            "holdsAt(calm(U), T) :- holdsAt(here(U), T), failures(U, N, T), M = N + 1, all(M, T).
             all(M, T) :- count(W, happensAt(fails(W), T), M). all(0, T) :- not count(W, happensAt(fails(W), T), _).",
        ),
    ] {
        assert_eq!(holding(one, &frames), holding(&format!("{two} {other}"), &frames), "{one}");
    }
    let found = holding("holdsAt(calm(U), T) :- holdsAt(here(U), T), how_many(happensAt(fails(U), T), 1, 0).", &frames);
    assert_eq!(found, [vec!["calm(ann)", "calm(bob)"], vec!["calm(bob)"], vec![], vec!["calm(ann)"]]);
}

#[test]
fn how_many_needs_to_know_of_whom_and_is_never_negated() {
    let shown = |rules: &str| parse_theory("rules.lp", rules).unwrap_err().to_string();
    let unknown = shown("holdsAt(calm(U), T) :- how_many(happensAt(fails(U), T), 1, N), N < 2.");
    assert!(unknown.contains("no other condition says who `U` may be"), "{unknown}");
    let negated = shown("holdsAt(calm(U), T) :- holdsAt(here(U), T), not how_many(happensAt(fails(U), T), 1, 0).");
    assert!(negated.contains("it is never false"), "{negated}");
    let time = shown("holdsAt(calm(U), T) :- holdsAt(here(U), T), how_many(happensAt(fails(U), 5), 1, N).");
    assert!(time.contains("does not end in the time of the rule"), "{time}");
}

/// "At most so many, none included" is one rule, whose number is learned.
#[test]
fn at_most_how_many_is_learned() {
    let modes = format!(
        "{MODES} example(holdsAt(calm(+user), +time)). modeh(holdsAt(calm(+user), +time)).
         modeb(few(+user, #int, +time)). comparison(few(+user, #int, +time), 2, larger)."
    );
    let rule = "few(U, K, T) :- holdsAt(here(U), T), how_many(happensAt(fails(U), T), 5, N), N <= K.";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", rule)).unwrap();
    let planted = parse_theory("t.lp", "holdsAt(calm(U), T) :- few(U, 1, T).").unwrap();
    let mut truth = Recogniser::new(&task, &planted).unwrap();
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    for day in 0..6 {
        for time in 0..80_i64 {
            let mut frame = Frame::new(Symbol::new(&format!("day{day}")), time);
            let mut read = |fact: String| _ = FactReader::default().read(&fact, &mut frame.narrative).unwrap();
            for (user, every) in [("ann", 3 + day), ("bob", 11), ("cid", 7 - day)] {
                read(format!("holdsAt(here({user}), {time})"));
                if time % every == 0 && time % 5 != day {
                    read(format!("happensAt(fails({user}), {time})"));
                }
            }
            truth.observe(&frame, &mut Vec::new());
            for (_, values) in truth.holding() {
                let label = format!("holdsAt(calm({}), {time})", values[0]);
                FactReader::default().read(&label, &mut frame.annotation).unwrap();
            }
            learner.observe(&frame, &mut ());
        }
    }
    let learned = learner.learned(&mut ());
    let theory = learned.theory().to_string();
    assert_eq!(learned.fits[0].counts.f1(), 1.0, "{theory}");
    assert!(theory.contains("few(X0, 1, T)"), "{theory}");
}
