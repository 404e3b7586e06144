//! Candidates: which instances of a fluent are looked at, in recognition and for who asks about it.

use std::collections::BTreeSet;

use oled::calculus::{End, fluent};
use oled::event::Event;
use oled::explain::Explainer;
use oled::{
    Evaluation, FactReader, Frame, Interval, Learner, Recogniser, Replay, ReplaySettings, Signature, Source, Symbol,
    Task, Theory, Value, parse_theory,
};

const MODES: &str = "input(position(+ship, +km, +km, +time)). input(happensAt(stops(+ship), +time)).
    input(happensAt(sails(+ship), +time)). type(km, real). example(holdsAt(meet(+ship, +ship), +time)).
    example(lonely(+ship, +time)). modeh(initiatedAt(meet(+ship, +ship), +time)).
    modeh(terminatedAt(meet(+ship, +ship), +time)). modeb(happensAt(stops(+ship), +time)).";

const NEAR: &str = "near(V, W, T) :- position(V, A, B, T), position(W, C, D, T), V != W, sqrt((A-C)^2 + (B-D)^2) <= 2.
    candidates(meet(V, W), T) :- near(V, W, T).\n";

const THEORY: &str = "initiatedAt(meet(V, W), T) :- happensAt(stops(V), T).
    terminatedAt(meet(V, W), T) :- happensAt(sails(W), T).
    lonely(V, T) :- not happensAt(stops(V), T).
    holdsAt(together(V, W), T) :- holdsAt(meet(V, W), T).";

fn task(modes: &str, background: &str) -> Task {
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background));
    task.unwrap_or_else(|problems| panic!("{problems}"))
}

fn theory(text: &str) -> Theory {
    parse_theory("theory.lp", text).unwrap()
}

/// A frame of ships on a line, and what they do.
fn frame(time: i64, ships: &[(&str, i64)], events: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new("sea"), time);
    let facts = ships.iter().map(|(ship, at)| format!("position({ship}, {at}, 0, {time})"));
    for fact in facts.chain(events.iter().map(|event| format!("happensAt({event}, {time})"))) {
        FactReader::default().read(&fact, &mut frame.narrative).unwrap();
    }
    frame
}

/// What holds at each frame, and all intervals.
fn recognise(task: &Task, frames: &[Frame]) -> (Vec<BTreeSet<String>>, Vec<Interval>) {
    let mut recogniser = Recogniser::new(task, &theory(THEORY)).unwrap_or_else(|problems| panic!("{problems}"));
    let mut closed = Vec::new();
    let holding = frames.iter().map(|frame| {
        recogniser.observe(frame, &mut closed);
        recogniser.holding().map(|(signature, values)| fluent(signature, values).to_string()).collect()
    });
    let holding = holding.collect();
    recogniser.finish(&mut closed);
    (holding, closed)
}

fn voyage() -> Vec<Frame> {
    vec![
        frame(1, &[("a", 0), ("b", 1), ("c", 9)], &["stops(a)", "stops(c)"]),
        frame(2, &[("a", 0), ("b", 1), ("c", 2)], &["stops(c)"]),
        frame(3, &[("a", 0), ("b", 2), ("c", 3)], &[]),
        frame(4, &[("a", 0), ("b", 5), ("c", 6)], &["stops(a)"]),
        frame(6, &[("a", 4), ("b", 5), ("c", 6)], &["sails(b)"]),
        frame(7, &[("a", 4), ("b", 5), ("c", 6)], &[]),
    ]
}

#[test]
fn where_all_are_candidates_nothing_changes() {
    let all = "candidates(meet(V, W), T) :- ship(V, T), ship(W, T). candidates(lonely(V), T) :- ship(V, T).";
    assert_eq!(recognise(&task(MODES, all), &voyage()), recognise(&task(MODES, ""), &voyage()));
}

#[test]
fn what_is_no_candidate_neither_begins_nor_goes_on() {
    let (holding, intervals) = recognise(&task(MODES, NEAR), &voyage());
    let meeting =
        |at: usize| -> Vec<&str> { holding[at].iter().map(String::as_str).filter(|f| f.starts_with("meet")).collect() };
    assert_eq!(meeting(1), ["meet(a, b)"], "c is not near to anybody at 1");
    assert_eq!(meeting(2), ["meet(a, b)", "meet(c, b)"], "a and c are near at 2 and no longer at 3");
    assert_eq!(meeting(3), ["meet(c, b)"], "a is lost");
    assert_eq!(meeting(4), ["meet(c, b)"], "a is not near at 4, when it stops");
    assert_eq!(meeting(5), [""; 0]);
    let ends: Vec<(String, i64, i64, End)> = intervals
        .iter()
        .filter(|i| i.fluent().to_string().starts_with("meet"))
        .map(|i| (i.fluent().to_string(), i.first, i.last, i.end))
        .collect();
    assert_eq!(ends, [("meet(a, b)".into(), 2, 3, End::Lost), ("meet(c, b)".into(), 3, 6, End::Terminated)]);
    assert!(holding[2].contains("together(c, b)") && !holding[3].contains("together(a, b)"), "rules see the same");
}

#[test]
fn a_candidate_in_either_order_counts_for_a_symmetric_fluent() {
    let symmetric = format!("{MODES} symmetric(meet/2).");
    let ordered = "near(V, W, T) :- position(V, A, _, T), position(W, B, _, T), V != W, abs(A - B) <= 2.
        candidates(meet(V, W), T) :- near(V, W, T), V > W.";
    let both = ordered.replace(", V > W", "");
    let recognised = recognise(&task(&symmetric, ordered), &voyage());
    assert_eq!(recognised, recognise(&task(&symmetric, &both), &voyage()));
    assert!(recognised.0[2].contains("meet(b, c)"), "{recognised:?}");
}

#[test]
fn an_ordinary_predicate_has_candidates_too() {
    let only = task(MODES, "candidates(lonely(V), T) :- position(V, A, _, T), A > 4.");
    let (holding, _) = recognise(&only, &voyage());
    assert_eq!(holding[4].iter().filter(|f| f.starts_with("lonely")).count(), 2, "{:?}", holding[4]);
    assert_eq!(only.candidates(only.labels()[1]).unwrap().to_string(), "candidates(lonely(_), _)");
    assert_eq!(only.candidates(only.labels()[0]), None);
    let (heads, _) = oled::learn::Head::of_task(&task(MODES, NEAR)).unwrap();
    assert_eq!(heads.len(), 2);
}

#[test]
fn an_explanation_says_who_is_no_candidate() {
    let task = task(MODES, NEAR);
    let mut explainer = Explainer::new(&task, &theory(THEORY)).unwrap();
    let moments: Vec<_> = voyage().iter().take(3).map(|frame| explainer.observe(frame)).collect();
    let (meet, pair): (Signature, [Value; 2]) = (task.labels()[0], ["c".into(), "a".into()]);
    assert!(!explainer.is_candidate(&moments[0], meet, &pair) && explainer.is_candidate(&moments[1], meet, &pair));
    let begun = explainer.beginnings(Some(&moments[0]), &moments[1], meet, &pair);
    let told: Vec<String> = begun[0].conditions.iter().map(|c| format!("{} {:?}", c.literal, c.truth)).collect();
    assert_eq!(told, ["happensAt(stops(c), 1) Some(true)", "candidates(meet(c, a), 1) Some(false)"]);
    assert!(!begun[0].fired && explainer.beginnings(Some(&moments[1]), &moments[2], meet, &pair)[0].fired);
}

#[test]
fn ten_thousand_ships_take_as_many_steps_as_they_have_neighbours() {
    let task = task(MODES, NEAR);
    let [few, many] = [2_500, 10_000].map(|count| {
        let mut recogniser = Recogniser::new(&task, &theory(THEORY)).unwrap();
        let mut steps = 0;
        for time in 1..3 {
            let mut frame = Frame::new(Symbol::new("sea"), time);
            let side = (count as f64).sqrt() as i64;
            let position = Signature::of(&oled::parse_atom("position(x, 0, 0, 0)").unwrap());
            let stops = Signature::of(&oled::parse_atom("happensAt(stops(x), 0)").unwrap());
            for i in 0..count {
                let ship = Value::Sym(Symbol::new(&format!("s{i}")));
                let place = |n: i64| Value::Real(n as f64 * 1.9 + 0.01 * ((i * 7 + n) % 10) as f64);
                frame.narrative.push(position, &[ship, place(i % side), place(i / side)]);
                if i % 3 == 0 {
                    frame.narrative.push(stops, &[ship]);
                }
            }
            recogniser.observe(&frame, &mut Vec::new());
            steps += recogniser.steps();
        }
        let met = recogniser.holding().filter(|(s, _)| *s == task.labels()[0]).count();
        assert!(met as i64 > count / 2, "{met} of {count} meet");
        steps
    });
    assert!(many < 10_000 * 200, "{many} steps");
    assert!(many < 5 * few, "{few} steps for a quarter of the ships, {many} for all");
}

#[test]
fn what_is_wrong_with_candidates_is_said() {
    let told = |background: &str| {
        let (_, problems) = Task::read(&Source::new("modes.lp", MODES), &Source::new("background.lp", background));
        problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    for (background, parts) in [
        (
            "candidates(meat(V, W), T) :- ship(V, T), ship(W, T).",
            ["no fluent `meat` is labelled", "did you mean `meet`?"],
        ),
        ("candidates(dance(V), T) :- ship(V, T).", ["no fluent `dance` is labelled", "example(holdsAt(dance("]),
        ("candidates(meet(V), T) :- ship(V, T).", ["another number of arguments", "modes.lp:"]),
        ("candidates(F, T) :- ship(F, T).", ["is a variable", "candidates(fluent, T)"]),
        ("candidates(alarm, T) :- ship(_, T).", ["`alarm` has no arguments", "into the rules"]),
        (
            "candidates(meet(V, W), 3, T) :- ship(V, T), ship(W, T).",
            ["takes 2 argument(s), here 3", "candidates(fluent, T)"],
        ),
        (
            "candidates(meet(V, W), T) :- ship(V, T), ship(W, U).",
            ["the time of `ship(W, U)` must be `T`", "one time point"],
        ),
        ("candidates(meet(V, W), T) :- ship(V, T).", ["the variable `W` is unsafe", "background.lp:1:"]),
        ("candidates(meet(V, W), T) :- position(V, _, W, T).", ["`W` is a ", "background.lp:1:"]),
        (
            "candidates(meet(V, W), T) :- ship(V, T), ship(W, T), not holdsAt(meet(W, V), T).",
            ["depends on `holdsAt(meet(_, _), _)`, which is to be learned", "background.lp:1:54"],
        ),
        (
            "busy(V, T) :- holdsAt(meet(V, _), T). candidates(lonely(V), T) :- busy(V, T).",
            ["`candidates(lonely(_), _)` depends on `holdsAt(meet(_, _), _)`", "must be known before"],
        ),
        ("candidates(lonely(V), T) :- lonely(V, T).", ["depends on `lonely(_, _)`", "must be known before"]),
    ] {
        let all = told(background);
        assert!(parts.iter().all(|part| all.contains(part)), "{parts:?} of {background}:\n{all}");
    }
    let stream = "input(holdsAt(stopped(+ship), +time)).";
    let (_, problems) = Task::read(
        &Source::new("modes.lp", stream),
        &Source::new("background.lp", "candidates(stopped(V), T) :- ship(V, T)."),
    );
    assert!(problems[0].to_string().contains("comes with the stream"), "{}", problems[0]);
}

/// Pairs on a square grid of a hundred pixels: near each other at even time points, apart at odd ones.
fn square(entities: usize, time: i64) -> Frame {
    let (pairs, mut reader) = (entities / 2, FactReader::default());
    let side = pairs.isqrt();
    let mut frame = Frame::new(Symbol::new("square"), time);
    for pair in 0..pairs {
        let (x, y, distance) = (pair % side * 100, pair / side * 100, if time % 2 == 0 { 10 } else { 40 });
        for (name, x) in [("a", x), ("b", x + distance)] {
            reader.read(&format!("coords({name}{pair}, {x}, {y}, {time})"), &mut frame.narrative).unwrap();
        }
        if time % 2 == 1 {
            for (p, q) in [("a", "b"), ("b", "a")] {
                let label = format!("holdsAt(meet({p}{pair}, {q}{pair}), {time})");
                reader.read(&label, &mut frame.annotation).unwrap();
            }
        }
    }
    frame
}

const SQUARE: &str =
    "input(coords(+p, +pixel, +pixel, +time)). type(pixel, int). example(holdsAt(meet(+p, +p), +time)).
    modeh(initiatedAt(meet(+p, +p), +time)). modeh(terminatedAt(meet(+p, +p), +time)).
    modeb(close(+p, +p, #real, +time)). modeb(far(+p, +p, #real, +time)).
    comparison(close(+p, +p, #real, +time), 3, larger). comparison(far(+p, +p, #real, +time), 3, smaller).";

const APART: &str = "apart(X, Y, R, T) :-
        coords(X, X1, Y1, T), coords(Y, X2, Y2, T), X != Y, R = sqrt((X1 - X2)^2 + (Y1 - Y2)^2).
    close(X, Y, D, T) :- apart(X, Y, R, T), R <= D.
    far(X, Y, D, T) :- apart(X, Y, R, T), R > D.\n";

const MEET: &str = "initiatedAt(meet(X0, X1), T) :-
    close(X0, X1, 20, T).

terminatedAt(meet(X0, X1), T) :-
    far(X0, X1, 20, T).";

#[test]
fn distances_are_asked_of_those_who_meet_and_not_of_all_pairs() {
    // Everybody is far from nearly everybody, but only those who meet can end to.
    let task = task(SQUARE, APART);
    let entities = 10_000;
    let mut recogniser = Recogniser::new(&task, &theory(MEET)).unwrap().with_max_steps(60 * entities as u64);
    for time in 0..4 {
        recogniser.observe(&square(entities, time), &mut Vec::new());
        assert_eq!(recogniser.stop(), None, "time {time}");
        assert_eq!(recogniser.holding().count(), if time % 2 == 0 { 0 } else { entities });
    }
}

#[test]
fn a_crowd_is_learned_from_by_its_candidates() {
    let task = task(SQUARE, &format!("{APART} candidates(meet(X, Y), T) :- close(X, Y, 50, T)."));
    let entities = 10_000;
    let mut settings = ReplaySettings::default();
    settings.set("max_steps", &(100 * entities).to_string()).unwrap();
    let mut learner = Replay::new(&task, settings).unwrap();
    let mut told: Vec<Event> = Vec::new();
    (0..4).for_each(|time| learner.observe(&square(entities, time), &mut told));
    assert!(told.is_empty(), "no time point is too large");
    assert_eq!(learner.learned(&mut ()).theory().to_string().trim(), MEET);
}

#[test]
fn learning_is_about_candidates_as_recognition_is() {
    // Nothing that the modes have tells pairs apart: who is near does.
    let modes = format!("{MODES} modeb(not happensAt(stops(+ship), +time)).");
    let task = task(&modes, NEAR);
    let mut frames = voyage();
    let label = |frame: &mut Frame, fact: &str| {
        FactReader::default().read(&format!("holdsAt({fact}, {})", frame.time), &mut frame.annotation).unwrap();
    };
    // `a` stops at 1: it meets `b`, which is near, and not `c`, which is far.
    label(&mut frames[1], "meet(a, b)");
    let theory = theory("initiatedAt(meet(X0, X1), T) :- happensAt(stops(X0), T).");
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in &frames {
        recogniser.observe(frame, &mut Vec::new());
        evaluation.count(&recogniser, frame);
    }
    let counts = learner.replay(&theory).unwrap();
    assert_eq!(counts[0].1, evaluation.by_fluent()[&Symbol::new("meet")]);
}
