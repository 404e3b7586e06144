//! Open thresholds: what is recognised with them is what listed ones recognise, and what is measured can be asked for.

use std::collections::BTreeSet;

use oled::explain::Explainer;
use oled::induce::{Column, LiteralTable, Settings};
use oled::lang::Monotone;
use oled::logic::{Measure, Model};
use oled::{Comparison, FactReader, Frame, Oled, Recogniser, Signature, Source, Symbol, Task, Theory, Value};

const MODES: &str = "
input(at(+person, +pixel, +time)).
type(pixel, int).
example(holdsAt(meeting(+person, +person), +time)).
modeh(initiatedAt(meeting(+person, +person), +time)).
modeb(close(+person, +person, #KIND, +time)).
modeb(not close(+person, +person, #KIND, +time)).
modeb(far(+person, +person, #KIND, +time)).
modeb(right_of(+person, #KIND, +time)).
comparison(close(+person, +person, #KIND, +time), 3, larger).
comparison(far(+person, +person, #KIND, +time), 3, smaller).
comparison(right_of(+person, #KIND, +time), 2, smaller).
";

const BACKGROUND: &str = "
limit(5). limit(20).
apart(X, Y, R, T) :- at(X, A, T), at(Y, B, T), X != Y, R = abs(A - B).
close(X, Y, D, T) :- apart(X, Y, R, T),LISTED R <= D.
far(A, B, D, Time) :- apart(A, B, Far, Time),LISTED D < Far.
right_of(X, D, T) :- at(X, A, T),LISTED A * 2 >= D.
near(X, Y, T) :- close(X, Y, 10, T), not close(X, Y, 5, T).
";

fn task(kind: &str, listed: &str, facts: &str) -> Task {
    let modes = Source::new("modes.lp", MODES.replace("KIND", kind));
    let background = Source::new("background.lp", BACKGROUND.replace("LISTED", listed) + facts);
    Task::parse(&modes, &background).unwrap_or_else(|problems| panic!("{problems}"))
}

fn open() -> Task {
    task("real", "", "")
}

fn listed() -> Task {
    let facts: Vec<String> = (0..=60).map(|d| format!("distance({d}).")).collect();
    task("distance", " distance(D),", &facts.join(" "))
}

/// Three people on a line: p1 stands, p2 comes and p3 leaves.
fn frames() -> Vec<Frame> {
    let mut reader = FactReader::default();
    let frame = |time: i64| {
        let mut frame = Frame::new(Symbol::new("s"), time);
        for (name, place) in [("p1", 0), ("p2", 40 - 3 * time), ("p3", 2 * time + 4)] {
            reader.read(&format!("at({name}, {place}, {time})"), &mut frame.narrative).unwrap();
        }
        frame
    };
    (1..=12).map(frame).collect()
}

fn recognise(task: &Task, theory: &str) -> Vec<BTreeSet<String>> {
    let theory = oled::parse_theory("t.lp", theory).unwrap();
    let mut recogniser = Recogniser::new(task, &theory).unwrap_or_else(|problems| panic!("{problems}"));
    let observe = |frame: &Frame| {
        recogniser.observe(frame, &mut Vec::new());
        recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect()
    };
    frames().iter().map(observe).collect()
}

#[test]
fn open_thresholds_recognise_what_listed_ones_do() {
    for theory in [
        "holdsAt(m(X, Y), T) :- close(X, Y, 25, T).",
        "holdsAt(m(X, Y), T) :- at(X, _, T), at(Y, _, T), X != Y, not close(X, Y, 25, T).",
        "holdsAt(m(X, Y), T) :- far(X, Y, 20, T), not far(X, Y, 30, T).",
        "holdsAt(m(X, Y), T) :- close(X, Y, 25, T), right_of(X, 30, T), not right_of(Y, 30, T).",
        "holdsAt(m(X, X), T) :- at(X, _, T), not close(X, _, 12, T).",
        "holdsAt(m(X, D), T) :- limit(D), close(X, p3, D, T).",
        "holdsAt(m(X, D), T) :- at(X, _, T), limit(D), not close(X, _, D, T).",
        "holdsAt(m(X, Y), T) :- limit(L), D = L + 5, apart(X, Y, _, T), not close(X, Y, D, T).",
        "holdsAt(m(X, Y), T) :- limit(L), apart(X, Y, _, T), not close(X, Y, L + T, T), far(X, Y, L, T).",
        "holdsAt(m(X, Y), T) :- limit(L), D = L + 5, far(X, Z, 5, T), Z != Y, close(X, Y, D, T).",
        "holdsAt(m(X, Y), T) :- limit(L), far(X, Z, 5, T), D = E + 2, E = L * 2, close(Z, Y, 30, T), not far(X, Y, D, T).",
        "holdsAt(m(X, Y), T) :- near(X, Y, T).",
        "initiatedAt(m(X, Y), T) :- close(X, Y, 10, T).
         terminatedAt(m(X, Y), T) :- not close(X, Y, 20, T).",
    ] {
        let expected = recognise(&listed(), theory);
        assert!(expected.iter().any(|holding| !holding.is_empty()), "nothing to compare: {theory}");
        assert_eq!(recognise(&open(), theory), expected, "{theory}");
    }
}

#[test]
fn definitions_may_use_each_other() {
    let modes = "input(at(+person, +pixel, +time)). type(pixel, int).
        comparison(right(+person, #int, +time), 2, smaller). comparison(left(+person, #int, +time), 2, larger).";
    let background = "right(X, D, T) :- at(X, A, T), A > D.
        left(X, D, T) :- at(X, A, T), not right(X, 100, T), A < D.";
    let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", background)).unwrap();
    let holding = recognise(&task, "holdsAt(m(X), T) :- left(X, 39, T), right(X, 1, T).");
    assert_eq!(holding[0].iter().collect::<Vec<_>>(), ["m(p2)", "m(p3)"]);
}

#[test]
fn what_is_measured_is_a_predicate_of_its_own() {
    let task = open();
    let measures = task.measures();
    let names: Vec<String> = measures.iter().map(|m| m.predicate.to_string()).collect();
    assert_eq!(names, ["close(_, _, _, _)", "far(_, _, _, _)", "right_of(_, _, _)"]);
    let of = |m: &Measure| (m.column, m.comparison, m.monotone, m.same_as);
    assert_eq!(of(&measures[0]), (2, Comparison::LessOrEqual, Monotone::Up, 0));
    assert_eq!(of(&measures[1]), (2, Comparison::Greater, Monotone::Down, 0), "`far` measures what `close` does");
    assert_eq!(of(&measures[2]), (1, Comparison::GreaterOrEqual, Monotone::Down, 2));
    let empty = Theory::default();
    let wanted: Vec<Signature> = measures.iter().map(|m| m.measured).collect();
    let (_, program) = task.compile(&task.rules(&empty), |_| wanted.clone()).unwrap();
    let mut model = Model::new(&program);
    model.observe(&program, &frames()[0].narrative);
    model.derive(&program, 1);
    let rows = |measure: usize| -> BTreeSet<Vec<Value>> {
        model.rows(program.pred(wanted[measure]).unwrap()).rows().map(<[Value]>::to_vec).collect()
    };
    let apart = [("p1", "p2", 37), ("p1", "p3", 6), ("p2", "p3", 31)];
    let both = apart.iter().flat_map(|&(x, y, r)| [[x.into(), y.into(), r.into()], [y.into(), x.into(), r.into()]]);
    assert_eq!(rows(0), both.map(|row: [Value; 3]| row.to_vec()).collect());
    assert_eq!(rows(1), rows(0));
    let twice = [("p1", 0), ("p2", 74), ("p3", 12)];
    assert_eq!(rows(2), twice.iter().map(|&(x, v)| vec![x.into(), v.into()]).collect());
}

#[test]
fn literals_with_open_thresholds_are_apart() {
    let task = open();
    let empty = Theory::default();
    let (vocabulary, _) = task.compile(&task.rules(&empty), |_| Vec::new()).unwrap();
    let person = Symbol::new("person");
    let table = LiteralTable::closed(&task.bias, &vocabulary, &[person, person], 1).unwrap();
    assert_eq!(table.len(), 0);
    let (x, y) = (Some(Column::Variable(0)), Some(Column::Variable(1)));
    let literals: Vec<_> = table.open_literals().iter().map(|l| (l.measure, l.columns.clone(), l.negated)).collect();
    assert_eq!(
        literals,
        [
            (0, vec![x, y, None], false),
            (0, vec![y, x, None], false),
            (0, vec![x, y, None], true),
            (0, vec![y, x, None], true),
            (1, vec![x, y, None], false),
            (1, vec![y, x, None], false),
            (2, vec![x, None], false),
            (2, vec![y, None], false),
        ]
    );
}

#[test]
fn the_learner_oled_asks_for_a_list() {
    let problems = Oled::new(&open(), |_| Settings::default()).unwrap_err().to_string();
    assert!(problems.contains("the thresholds of `close` are open: this learner needs them listed"), "{problems}");
    assert!(problems.contains("modes.lp:6:1"), "{problems}");
    // A mode may have a number.
    let modes = MODES.replace("modeb(not close", "%").replace("modeb(far", "%").replace("modeb(right", "%");
    let modes = modes.replacen("#KIND", "31", 1).replace("KIND", "real");
    let task =
        Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", BACKGROUND.replace("LISTED", ""))).unwrap();
    let mut learner = Oled::new(&task, |_| Settings::default()).unwrap();
    assert_eq!(learner.table(0).literals()[0].to_string(), "close(X0, X1, 31, T)");
    let (propositionaliser, frames) = (learner.propositionaliser(), frames());
    propositionaliser.observe(&frames[0]);
    let interpretation = propositionaliser.observe(&frames[1]).unwrap();
    // p2 is 37 from p1 and 31 from p3, who is 6 from p1: nothing is true of p1 and p2 together, so they are not looked at.
    let mut truths: Vec<usize> = interpretation.groups[0].iter().map(|i| i.truth.len()).collect();
    truths.sort_unstable();
    assert_eq!(truths, [2, 2, 2, 2]);
}

#[test]
fn conditions_with_open_thresholds_are_explained() {
    let theory =
        "initiatedAt(meeting(X, Y), T) :- close(X, Y, 30, T), not close(X, Y, 5, T), limit(D), far(X, Y, D, T).";
    let mut explainer = Explainer::new(&open(), &oled::parse_theory("t.lp", theory).unwrap()).unwrap();
    let moment = explainer.observe(&frames()[0]);
    let holds = open().labels()[0];
    let found = explainer.beginnings(Some(&moment), &moment, holds, &["p1".into(), "p3".into()]);
    let conditions: Vec<String> =
        found[0].conditions.iter().map(|c| format!("{} {:?}", c.literal, c.truth.unwrap())).collect();
    assert!(found[0].fired);
    assert_eq!(
        conditions,
        ["close(p1, p3, 30, 1) true", "not close(p1, p3, 5, 1) true", "limit(5) true", "far(p1, p3, 5, 1) true"]
    );
    let found = explainer.beginnings(Some(&moment), &moment, holds, &["p1".into(), "p2".into()]);
    assert_eq!(found[0].conditions[0].truth, Some(false));
}

const LONG: &str = "
input(heat(+machine, +degree, +time)). type(degree, real). horizon(20).
example(holdsAt(hot(+machine), +time)).
modeb(long(+machine, #degree, #int, +time)). modeb(long(+machine, #degree, 7, +time)). modeb(cold(+machine, 30, 4, +time)).
comparison(long(+machine, #degree, #int, +time), 2, smaller). comparison(long(+machine, #degree, #int, +time), 3, smaller).
comparison(cold(+machine, #degree, #int, +time), 3, smaller). comparison(cold(+machine, #degree, #int, +time), 2, larger).
";

const LONG_RULES: &str = "
long(X, L, D, T) :- never_below(V, heat(X, V, T), D, N), N >= L.
cold(X, L, D, T) :- never_above(V, heat(X, V, T), D, N), N < L.
";

fn long_task() -> Task {
    Task::parse(&Source::new("modes.lp", LONG), &Source::new("background.lp", LONG_RULES))
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// Two machines at times that are not the same distance apart, one of them with two gauges, each silent now and then.
fn heats() -> Vec<Frame> {
    let mut reader = FactReader::default();
    let mut time = 0;
    let mut frame = |i: i64| {
        time += 1 + (i * 5) % 4 + if i % 23 == 0 { 25 } else { 0 };
        let mut frame = Frame::new(Symbol::new("s"), time);
        for (machine, heat) in [("m1", (i * 7) % 31), ("m1", (i * 3) % 19), ("m2", 30 + (i * i) % 17)] {
            if (i + heat) % 13 != 0 {
                reader.read(&format!("heat({machine}, {heat}, {time})"), &mut frame.narrative).unwrap();
            }
        }
        frame
    };
    (1..=120).map(&mut frame).collect()
}

fn hot(theory: &str) -> Vec<(i64, String)> {
    let theory = oled::parse_theory("t.lp", theory).unwrap();
    let mut recogniser = Recogniser::new(&long_task(), &theory).unwrap_or_else(|problems| panic!("{problems}"));
    let mut found = Vec::new();
    for frame in heats() {
        recogniser.observe(&frame, &mut Vec::new());
        found.extend(recogniser.holding().map(|(_, values)| (frame.time, values[0].to_string())));
    }
    found.sort();
    found
}

#[test]
fn a_level_that_was_never_left_is_one_that_lasts() {
    let heat = "heat(X, _, T)";
    for (level, units) in [(5, 1), (5, 6), (8, 3), (12, 4), (31, 9), (33, 2), (31, 20)] {
        let lasting = hot(&format!(
            "holdsAt(hot(X), T) :- lasting(over(X, T), S), S >= {units}. over(X, T) :- heat(X, V, T), V >= {level}."
        ));
        assert!(!lasting.is_empty(), "nothing to compare: {level} for {units}");
        assert_eq!(
            hot(&format!("holdsAt(hot(X), T) :- long(X, {level}, {units}, T).")),
            lasting,
            "{level} for {units}"
        );
        let written = format!("holdsAt(hot(X), T) :- never_below(V, heat(X, V, T), {units}, N), N >= {level}.");
        assert_eq!(hot(&written), lasting, "{level} for {units}");
        let not = hot(&format!("holdsAt(hot(X), T) :- {heat}, not long(X, {level}, {units}, T)."));
        let all = hot(&format!("holdsAt(hot(X), T) :- {heat}."));
        assert_eq!(not.len() + lasting.len(), all.len(), "{level} for {units}");
        assert!(not.iter().all(|one| !lasting.contains(one)), "{level} for {units}");
    }
    for (level, units) in [(25, 3), (20, 2), (46, 12), (40, 1)] {
        let lasting = hot(&format!(
            "holdsAt(hot(X), T) :- lasting(under(X, T), S), S >= {units}. under(X, T) :- heat(X, V, T), V < {level}."
        ));
        assert!(!lasting.is_empty(), "nothing to compare: {level} for {units}");
        assert_eq!(
            hot(&format!("holdsAt(hot(X), T) :- cold(X, {level}, {units}, T).")),
            lasting,
            "{level} for {units}"
        );
    }
}

#[test]
fn durations_to_try_are_a_part_of_the_horizon_and_what_modes_name() {
    let task = long_task();
    let measures = task.measures();
    assert_eq!(measures.iter().map(|m| (m.column, m.duration)).collect::<Vec<_>>(), [(1, Some(2)), (1, Some(2))]);
    let (vocabulary, _) = oled::logic::Vocabulary::new(&task.bias, &task.rules(&Theory::default()));
    let tried = &vocabulary.durations;
    assert_eq!(tried[..4], [1, 2, 3, 4]);
    assert!(tried.contains(&7) && tried.last() == Some(&20), "{tried:?}");
    for horizon in [1, 7, 60, 100, 3600, 86_400] {
        let modes = Source::new(
            "modes.lp",
            LONG.replace("horizon(20)", &format!("horizon({horizon})"))
                .replace(", 7, +time", ", 1, +time")
                .replace(", 30, 4, +time", ", 30, 1, +time"),
        );
        let task = Task::parse(&modes, &Source::new("background.lp", LONG_RULES)).unwrap();
        let (vocabulary, _) = oled::logic::Vocabulary::new(&task.bias, &task.rules(&Theory::default()));
        let tried = vocabulary.durations;
        assert!(tried.len() < 55, "{horizon}: {}", tried.len());
        for units in (horizon / 100).max(1)..=horizon {
            let near = |tried: &i64| (tried - units).abs() as f64 <= 0.05 * units as f64;
            assert!(tried.iter().any(near), "{units} of {horizon}");
        }
    }
    let table = LiteralTable::closed(&task.bias, &vocabulary, &[Symbol::new("machine")], 0).unwrap();
    assert_eq!(table.open_literals().len(), tried.len());
    // One with two numbers has none that is open.
    assert_eq!(table.literals()[0].to_string(), "cold(X0, 30, 4, T)");
}

#[test]
fn a_recogniser_with_levels_goes_on_where_it_stopped() {
    let task = long_task();
    let rules = "holdsAt(hot(X), T) :- long(X, 5, 6, T), not long(X, 12, 9, T).";
    let theory = oled::parse_theory("t.lp", rules).unwrap();
    let whole = hot(rules);
    for cut in 1..heats().len() {
        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let mut found = Vec::new();
        for (i, frame) in heats().iter().enumerate() {
            if i == cut {
                let saved = recogniser.save();
                recogniser = Recogniser::new(&task, &theory).unwrap();
                recogniser.restore(&saved).unwrap();
            }
            recogniser.observe(frame, &mut Vec::new());
            found.extend(recogniser.holding().map(|(_, values)| (frame.time, values[0].to_string())));
        }
        found.sort();
        assert_eq!(found, whole, "cut at {cut}");
    }
}
