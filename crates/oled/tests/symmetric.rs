//! Symmetric fluents: both orders of two arguments are one instance, wherever it is recognised, labelled, counted,
//! learned about and explained.

use oled::calculus::Outcome;
use oled::explain::Explainer;
use oled::induce::Mask;
use oled::{
    Confusion, Evaluation, FactReader, Frame, Learner, Oled, Recogniser, Settings, Signature, Source, Symbol, Task,
    Tracks, Value, parse_theory,
};

const MODES: &str = "
input(happensAt(greets(+person, +person), +time)).
input(happensAt(leaves(+person), +time)).
input(holdsAt(seen(+person), +time)).
example(holdsAt(meeting(+person, +person), +time)).
example(holdsAt(follows(+person, +person), +time)).
example(holdsAt(touching(+person, +person), +time)).
symmetric(meeting/2).
symmetric(touching/2).
modeh(initiatedAt(meeting(+person, +person), +time)).
modeh(initiatedAt(follows(+person, +person), +time)).
modeh(terminatedAt(meeting(+person, +person), +time)).
modeb(happensAt(greets(+person, +person), +time)).
modeb(happensAt(leaves(+person), +time)).
";

const THEORY: &str = "
initiatedAt(meeting(X, Y), T) :- happensAt(greets(X, Y), T).
terminatedAt(meeting(X, Y), T) :- happensAt(leaves(Y), T).
initiatedAt(follows(X, Y), T) :- holdsAt(meeting(X, Y), T), happensAt(leaves(X), T).
holdsAt(touching(X, Y), T) :- happensAt(greets(X, Y), T).
";

fn task() -> Task {
    Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap()
}

fn frame(time: i64, events: &[&str], labels: &[&str]) -> Frame {
    let mut reader = FactReader::default();
    let mut frame = Frame::new(Symbol::new("s"), time);
    for person in ["p1", "p2", "p3"] {
        reader.read(&format!("holdsAt(seen({person}), {time})"), &mut frame.narrative).unwrap();
    }
    for event in events {
        reader.read(&format!("happensAt({event}, {time})"), &mut frame.narrative).unwrap();
    }
    for label in labels {
        let text = match label.strip_prefix('?') {
            Some(label) => format!("unknown({label}, {time})"),
            None => format!("holdsAt({label}, {time})"),
        };
        reader.read(&text, &mut frame.annotation).unwrap();
    }
    frame
}

/// p2 greets p1, who greets back later; then p1 leaves. Labels come in any order.
fn frames() -> Vec<Frame> {
    vec![
        frame(1, &["greets(p2, p1)"], &[]),
        frame(2, &["greets(p1, p2)"], &["meeting(p2, p1)"]),
        frame(3, &["greets(p3, p2)"], &["meeting(p1, p2)", "meeting(p2, p1)"]),
        frame(4, &["leaves(p1)"], &["meeting(p2, p1)", "?meeting(p3, p2)"]),
        frame(5, &[], &["follows(p1, p2)", "meeting(p3, p2)", "meeting(p3, p1)"]),
    ]
}

#[test]
fn a_pair_is_recognised_once_whatever_its_order() {
    let mut recogniser = Recogniser::new(&task(), &parse_theory("t.lp", THEORY).unwrap()).unwrap();
    let mut intervals = Vec::new();
    frames().iter().for_each(|frame| recogniser.observe(frame, &mut intervals));
    let meeting = task().labels()[0];
    assert!(recogniser.holds(meeting, &["p3".into(), "p2".into()]));
    assert!(recogniser.holds(meeting, &["p2".into(), "p3".into()]));
    recogniser.finish(&mut intervals);
    let mut shown: Vec<String> =
        intervals.iter().map(|i| format!("{} {}-{} {}", i.fluent(), i.first, i.last, i.end)).collect();
    shown.sort();
    assert_eq!(
        shown,
        [
            // p1 met p2, in the order that the rule did not start it in.
            "follows(p1, p2) 5-5 segment",
            "meeting(p1, p2) 2-4 terminated",
            "meeting(p2, p3) 4-5 segment",
            "touching(p1, p2) 1-2 terminated",
            "touching(p2, p3) 3-3 terminated",
        ]
    );
}

#[test]
fn what_holds_initially_and_what_bodies_ask_is_symmetric_too() {
    let theory = "initially(meeting(X, Y)) :- happensAt(greets(X, Y), T).
        terminatedAt(meeting(X, Y), T) :- initiatedAt(follows(Y, X), T).
        initiatedAt(follows(X, Y), T) :- initiatedAt(meeting(X, Y), T), not holdsAt(touching(Y, X), T).
        initiatedAt(meeting(X, Y), T) :- happensAt(greets(Y, X), T), happensAt(leaves(X), T).
        holdsAt(touching(X, Y), T) :- happensAt(greets(X, Y), T), not happensAt(leaves(X), T).";
    let mut recogniser = Recogniser::new(&task(), &parse_theory("t.lp", theory).unwrap()).unwrap();
    let mut holding = Vec::new();
    for frame in [
        frame(1, &["greets(p3, p1)"], &[]),
        frame(2, &["greets(p2, p1)", "leaves(p1)", "leaves(p2)"], &[]),
        frame(3, &[], &[]),
    ] {
        recogniser.observe(&frame, &mut Vec::new());
        let mut now: Vec<String> =
            recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect();
        now.sort();
        holding.push(now.join(" "));
    }
    assert_eq!(
        holding,
        [
            "meeting(p1, p3) touching(p1, p3)",
            "meeting(p1, p3)",
            // Both orders of what was initiated led to one of their own; what was initiated wins over its end.
            "follows(p1, p2) follows(p2, p1) meeting(p1, p2) meeting(p1, p3)",
        ]
    );
}

#[test]
fn labels_count_once_in_any_order() {
    let task = task();
    let mut recogniser = Recogniser::new(&task, &parse_theory("t.lp", THEORY).unwrap()).unwrap();
    let (mut evaluation, mut tracks) = (Evaluation::new(&task.labels()), Tracks::new(&task.labels()));
    for frame in frames() {
        recogniser.observe(&frame, &mut Vec::new());
        evaluation.count(&recogniser, &frame);
        tracks.add(&recogniser, &frame);
    }
    // p1 and p2 at 2, 3 and 4; p2 and p3 at 5, and at 4 nothing is known; p1 and p3 never met.
    assert_eq!(evaluation.by_fluent()[&Symbol::new("meeting")], Confusion { tp: 4, fp: 0, fn_: 1 });
    assert_eq!(evaluation.by_fluent()[&Symbol::new("follows")], Confusion { tp: 1, fp: 0, fn_: 0 });
    let counts = tracks.counts(1.0)[&Symbol::new("meeting")];
    assert_eq!((counts.annotated, counts.recognised, counts.found, counts.right), (3, 2, 2, 2));
    let meetings: Vec<Vec<Value>> =
        tracks.iter().filter(|(_, s, ..)| *s == task.labels()[0]).map(|(_, _, values, _)| values.to_vec()).collect();
    assert_eq!(meetings, [["p1".into(), "p2".into()], ["p1".into(), "p3".into()], ["p2".into(), "p3".into()]]);
}

#[test]
fn a_pair_is_one_instance_with_the_truths_of_both_orders() {
    let task = task();
    let mut learner = Oled::new(&task, |_| Settings::default()).unwrap();
    let literals: Vec<String> = learner.table(0).literals().iter().map(ToString::to_string).collect();
    assert_eq!(
        literals,
        [
            "happensAt(greets(X0, X1), T)",
            "happensAt(greets(X1, X0), T)",
            "happensAt(leaves(X0), T)",
            "happensAt(leaves(X1), T)"
        ]
    );
    let groups: Vec<usize> = (0..3).map(|i| learner.processes()[i].group()).collect();
    assert_eq!(groups, [0, 1, 0], "what is symmetric is apart from what is not");
    let (propositionaliser, frames) = (learner.propositionaliser(), frames());
    propositionaliser.observe(&frames[0]);
    let first = propositionaliser.observe(&frames[1]).unwrap();
    let truths =
        |i: &oled::learn::Instance| -> Vec<Mask> { std::iter::once(&i.truth).chain(&i.others).cloned().collect() };
    // p1 and p2, whom a greeting relates: in one order, and in both where they are told apart.
    assert_eq!((first.groups[0].len(), first.groups[1].len()), (1, 2));
    assert_eq!(truths(&first.groups[0][0]), [Mask::of(1), Mask::of(0)]);
    let outcomes: Vec<_> = first.outcomes[0].iter().map(|o| o.unwrap()).collect();
    assert_eq!(outcomes, [Outcome::Begins]);
    propositionaliser.observe(&frames[2]).unwrap();
    let third = propositionaliser.observe(&frames[3]).unwrap();
    assert_eq!(third.outcomes[0], [Some(Outcome::Persists), None], "one is unknown at 4");
    let fourth = propositionaliser.observe(&frames[4]).unwrap();
    // Nothing relates p1 and p3 when they begin to meet, so that no rule could have started it.
    assert_eq!(fourth.outcomes[0], [Some(Outcome::Ends), None]);
    assert_eq!(fourth.outcomes[1].iter().filter(|o| **o == Some(Outcome::Begins)).count(), 1);
    let ends = Mask::of(3);
    let firing: Vec<bool> = fourth.groups[0].iter().map(|i| i.fires(&ends)).collect();
    assert_eq!(firing, [true, false], "p1 leaves, who is one of the first pair");
}

#[test]
fn rules_are_learned_from_pairs() {
    let task = task();
    let settings = Settings { warmup: 0, ..Settings::default() };
    let mut learner = Oled::new(&task, |_| settings.clone()).unwrap();
    let mut time = 0;
    let mut events = Vec::new();
    for round in 0..400 {
        let (a, b) = if round % 2 == 0 { ("p1", "p3") } else { ("p3", "p1") };
        let label = ["meeting(p3, p1)", "meeting(p1, p3)"][round % 2];
        let (greets, leaves) = (format!("greets({a}, {b})"), format!("leaves({b})"));
        for (event, label) in
            [(&*greets, None), ("leaves(p2)", Some(label)), (&*leaves, Some(label)), ("leaves(p2)", None)]
        {
            time += 1;
            learner.observe(&frame(time, &[event], label.as_slice()), &mut events);
        }
    }
    let theory = learner.learned(&mut events).theory();
    let text = theory.to_string();
    assert!(text.contains("initiatedAt(meeting(X0, X1), T) :-\n    happensAt(greets("), "{text}");
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    recogniser.observe(&frame(1, &["greets(p3, p1)"], &[]), &mut Vec::new());
    recogniser.observe(&frame(2, &["greets(p1, p2)"], &[]), &mut Vec::new());
    recogniser.observe(&frame(3, &[], &[]), &mut Vec::new());
    let meeting: Signature = task.labels()[0];
    for pair in [["p1", "p3"], ["p1", "p2"]] {
        assert!(recogniser.holds(meeting, &pair.map(Value::from)), "{pair:?} by\n{text}");
    }
}

#[test]
fn either_order_of_a_pair_is_explained() {
    let mut explainer = Explainer::new(&task(), &parse_theory("t.lp", THEORY).unwrap()).unwrap();
    let moments: Vec<_> = frames().iter().map(|frame| explainer.observe(frame)).collect();
    let meeting = task().labels()[0];
    let mut told = Vec::new();
    for values in [["p1", "p2"], ["p2", "p1"]] {
        let values = values.map(Value::from);
        for found in [
            explainer.beginnings(Some(&moments[0]), &moments[1], meeting, &values),
            explainer.endings(&moments[3], meeting, &values),
            explainer.beginnings(Some(&moments[3]), &moments[4], task().labels()[1], &["p1".into(), "p2".into()]),
        ] {
            let [finding] = &found[..] else { panic!("{found:?}") };
            let conditions: Vec<String> = finding.conditions.iter().map(|c| c.literal.to_string()).collect();
            told.push(format!("{} {}", finding.fired, conditions.join(", ")));
        }
    }
    let expected = [
        "true happensAt(greets(p2, p1), 1)",
        "true happensAt(leaves(p1), 4)",
        "true holdsAt(meeting(p1, p2), 4), happensAt(leaves(p1), 4)",
    ];
    assert_eq!(told, [expected, expected].concat());
}
