//! The time of day and the day of the week: with the clock of a task, everywhere the same, and thresholds on it are learned.

use oled::lang::{Clock, Zone, read_offset};
use oled::testing::naive;
use oled::{
    FactReader, Formula, Frame, Learner, Recogniser, Replay, ReplaySettings, Source, Symbol, Task, Term, parse_theory,
};

const MODES: &str = "input(seen(+lamp, +time)).
    type(second, int).
    example(holdsAt(lit(+lamp), +time)).
    modeh(initiatedAt(lit(+lamp), +time)). modeh(terminatedAt(lit(+lamp), +time)). modeh(holdsAt(lit(+lamp), +time)).
    modeb(from(+lamp, #second, +time)). modeb(until(+lamp, #second, +time)). modeb(weekend(+lamp, +time)).
    comparison(from(+lamp, #second, +time), 2, smaller). comparison(until(+lamp, #second, +time), 2, larger).";
const BACKGROUND: &str = "from(L, S, T) :- seen(L, T), time_of_day(T) >= S.
    until(L, S, T) :- seen(L, T), time_of_day(T) < S.
    weekend(L, T) :- seen(L, T), weekday(T) >= 6.";

/// Times are milliseconds, and the clock is an hour and a half behind UTC.
fn task() -> Task {
    let mut task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", BACKGROUND)).unwrap();
    task.bias.clock = Clock::new("ms".parse().unwrap(), read_offset("-01:30").unwrap());
    task
}

/// Some weeks from a Monday of 2024 on, with a time point every seven minutes, and whether a lamp is lit there.
fn stream(is_lit: impl Fn(i64, i64) -> bool, days: i64) -> Vec<Frame> {
    // Midnight of the first of January, where the clock is behind.
    let begin = 1_704_067_200 + 5400;
    let frame = |number: i64| {
        let seconds = number * 420;
        let time = (begin + seconds) * 1000 + 7;
        let mut frame = Frame::new(Symbol::new(&format!("week{}", seconds / (7 * 86_400))), time);
        FactReader::default().read(&format!("seen(l1, {time})"), &mut frame.narrative).unwrap();
        if is_lit(seconds / 86_400 % 7 + 1, seconds % 86_400) {
            FactReader::default().read(&format!("holdsAt(lit(l1), {time})"), &mut frame.annotation).unwrap();
        }
        frame
    };
    (0..days * 86_400 / 420).map(frame).collect()
}

#[test]
fn between_six_and_eight_in_the_evening_is_learned() {
    let task = task();
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    let evenings = stream(|_, second| (18 * 3600..20 * 3600).contains(&second), 28);
    evenings.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ()).theory();
    let [rule] = &learned.clauses[..] else { panic!("one rule says it: {learned}") };
    let threshold = |name: &str| {
        let atoms =
            rule.body.iter().filter_map(|l| if let Formula::Atom(atom) = &l.formula { Some(atom) } else { None });
        let atom = atoms.into_iter().find(|atom| atom.name.as_str() == name);
        match atom.map(|atom| &atom.args[1]) {
            Some(Term::Value(value)) => value.as_f64().unwrap(),
            _ => panic!("no `{name}` in {learned}"),
        }
    };
    let is_near = |found: f64, truth: f64| (found - truth).abs() <= 0.05 * truth;
    assert!(is_near(threshold("from"), 64_800.0) && is_near(threshold("until"), 72_000.0), "{learned}");
}

#[test]
fn a_task_has_one_clock_in_recognition_and_in_the_plain_evaluator() {
    let text = "holdsAt(lit(L), T) :- weekend(L, T), time_of_day(T) >= 82800.
        initiatedAt(late(L, weekday(T)), T) :- seen(L, T), time_of_day(T) < 900.
        terminatedAt(late(L, D), T) :- holdsAt(late(L, D), T), weekday(T) != D.";
    let (task, theory) = (task(), parse_theory("t.lp", text).unwrap());
    let frames = stream(|day, second| day >= 6 && second >= 82_800, 14);
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let expected = naive::axioms(&task, &theory, &frames).unwrap();
    let mut lit = 0;
    for (frame, expected) in frames.iter().zip(expected) {
        recogniser.observe(frame, &mut Vec::new());
        let holds = recogniser.holds(task.labels()[0], &["l1".into()]);
        assert_eq!(holds, frame.annotation.iter().count() > 0, "at {}", frame.time);
        let found: Vec<String> = recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect();
        let mut expected: Vec<String> = expected.into_iter().collect();
        let mut found = found;
        expected.sort();
        found.sort();
        assert_eq!(found, expected, "at {}", frame.time);
        lit += usize::from(holds);
    }
    assert!(lit > 20);
}

/// Clocks of a place that are put forward by an hour in the second week, and back in the third.
fn changing() -> Task {
    let begin = 1_704_067_200 + 5400;
    let week = 7 * 86_400;
    let zone = Zone::new("Somewhere", -5400, &[(begin + week + 7200, -1800), (begin + 2 * week + 7200, -5400)]);
    let mut task = task();
    task.bias.clock = Clock::in_zone("ms".parse().unwrap(), zone);
    task
}

#[test]
fn clocks_that_change_are_followed_in_recognition_learning_and_the_plain_evaluator() {
    let text = "holdsAt(lit(L), T) :- seen(L, T), time_of_day(T) >= 64800, time_of_day(T) < 72000.
        initiatedAt(late(L, weekday(T)), T) :- seen(L, T), time_of_day(T) < 900.
        terminatedAt(late(L, D), T) :- holdsAt(late(L, D), T), weekday(T) != D.";
    let (task, theory) = (changing(), parse_theory("t.lp", text).unwrap());
    // In the second week, summer, all is an hour earlier in UTC.
    let frames = stream(|_, _| false, 21);
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let expected = naive::axioms(&task, &theory, &frames).unwrap();
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    let (mut lit, mut hours) = (0, std::collections::BTreeSet::new());
    for (frame, expected) in frames.into_iter().zip(expected) {
        let mut frame = frame;
        recogniser.observe(&frame, &mut Vec::new());
        let mut found: Vec<String> =
            recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect();
        found.sort();
        assert_eq!(found, expected.into_iter().collect::<Vec<_>>(), "at {}", frame.time);
        if recogniser.holds(task.labels()[0], &["l1".into()]) {
            lit += 1;
            hours.insert((frame.time / 1000).rem_euclid(86_400) / 3600);
            let label = format!("holdsAt(lit(l1), {})", frame.time);
            FactReader::default().read(&label, &mut frame.annotation).unwrap();
        }
        learner.observe(&frame, &mut ());
    }
    assert!(lit > 300, "{lit}");
    // From 19:30 to 21:30 in UTC in winter, and an hour earlier in summer.
    assert_eq!(hours.into_iter().collect::<Vec<_>>(), [18, 19, 20, 21]);
    let learned = learner.learned(&mut ());
    assert!(learned.fits[0].counts.f1() > 0.99, "{}", learned.theory());
    assert!(learned.theory().to_string().contains("from(X0, 64"), "{}", learned.theory());
}
