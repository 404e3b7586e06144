//! Groups: several recognisers, each with the facts of some entities of a segment, tell together what one tells; on random rules, of
//! which some join entities and some do not.

use std::cell::Cell;

use oled::evaluate::IntervalCounts;
use oled::partition::Groups;
use oled::testing::deterministic;
use oled::{Confusion, Evaluation, Frame, Interval, Precedence, Recogniser, Signature, Source, Symbol, Task, Theory};
use oled::{Tracks, parse_theory};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

const MODES: &str = "input(happensAt(a(+machine), +time)). input(happensAt(b(+machine), +time)).
    input(load(+machine, +kw, +time)). type(kw, real). type(mode, symbol).
    input(happensAt(alarm(+hall), +time)). input(happensAt(siren, +time)).
    exclusive(happensAt(a(+machine), +time), happensAt(b(+machine), +time)).
    horizon(6). min_duration(w/1, 2).
    example(holdsAt(f(+machine), +time)). example(holdsAt(w(+machine), +time)). example(holdsAt(h(+machine)=+mode, +time)).
    example(busy(+machine, +time)).";

const BACKGROUND: &str = "mode(on). mode(off).";

/// What every theory starts with, so that each predicate exists; none of it joins machines.
const FIXED: &str = "limit(m1, 3). limit(m2, 5). limit(m3, 2).
    d0(X, T) :- happensAt(b(X), T), load(X, N, T), N > 3.
    d1(Z, T) :- happensAt(alarm(Z), T).
    initiatedAt(night, T) :- happensAt(siren, T).
    terminatedAt(night, T) :- happensAt(alarm(Z), T).
    initiatedAt(f(X), T) :- happensAt(a(X), T).
    initiatedAt(h(X)=on, T) :- happensAt(a(X), T), load(X, N, T).
    initiatedAt(h(X)=off, T) :- happensAt(b(X), T).
    holdsAt(w(X), T) :- load(X, N, T), N > 2.
    busy(X, T) :- load(X, N, T), limit(X, M), N > M.
";

fn machine() -> impl Strategy<Value = &'static str> {
    prop_oneof![40 => Just("X"), 2 => Just("Y"), 1 => Just("_"), 1 => Just("m1")]
}

/// A condition that is about one machine, or about none.
fn atom() -> BoxedStrategy<String> {
    let of_one = [
        "happensAt(a(X), T)",
        "happensAt(b(X), T)",
        "load(X, N, T)",
        "d0(X, T)",
        "holdsAt(f(X), T)",
        "holdsAt(h(X)=on, T)",
        "holdsAt(w(X), T)",
        "machine(X, T)",
    ];
    let of_none = ["happensAt(alarm(Z), T)", "happensAt(siren, T)", "d1(Z, T)", "holdsAt(night, T)"];
    prop_oneof![
        4 => (prop::sample::select(of_one.to_vec()), machine()).prop_map(|(atom, x)| atom.replace('X', x)),
        1 => prop::sample::select(of_none.to_vec()).prop_map(String::from),
    ]
    .boxed()
}

fn literal() -> BoxedStrategy<String> {
    let back = [
        "ago(ATOM, 2)",
        "frames_ago(ATOM, 1)",
        "lasting(ATOM, D), D > 1",
        "since(ATOM, D), D < 4",
        "last(ATOM, D)",
        "within(ATOM, 1, 4)",
    ];
    let gathered = [
        "count(happensAt(a(X), T), 4, M), M > 1",
        "count(X, happensAt(a(X), T), 4, M), M > 1",
        "how_many(happensAt(a(X), T), 4, M), M < 2",
        "count(load(X, _, T), 3, M), M > 1",
        "sum(V, load(X, V, T), 5, M), M > 7",
        "mean(V, load(X, V, T), 5, M), M > 2",
        "max(V, load(X, V, T), 3, M), M > 3",
        "never_below(V, load(X, V, T), 2, M), M > 1",
        "limit(X, M), M > 2",
    ];
    let last = ["last(load(X, N, T), D), N > 2", "last(happensAt(a(X), T))", "last(happensAt(b(X), T), D)"];
    prop_oneof![
        5 => atom(),
        2 => atom().prop_map(|atom| format!("not {atom}")),
        2 => (prop::sample::select(back.to_vec()), atom()).prop_map(|(back, atom)| back.replace("ATOM", &atom)),
        1 => (atom(), 1..4).prop_map(|(atom, units)| format!("not ago({atom}, {units})")),
        2 => (prop::sample::select(gathered.to_vec()), machine()).prop_map(|(atom, x)| atom.replace('X', x)),
        1 => (prop::sample::select(last.to_vec()), machine()).prop_map(|(atom, x)| atom.replace('X', x)),
        1 => Just("N > 2".to_string()),
        1 => Just("X != Y".to_string()),
        1 => Just("time_of_day(T * 3600) > 7200".to_string()),
    ]
    .boxed()
}

fn rule() -> impl Strategy<Value = String> {
    let heads = [
        "initiatedAt(f(X), T)",
        "terminatedAt(f(X), T)",
        "initiatedAt(h(X)=off, T)",
        "terminatedAt(h(X)=on, T)",
        "holdsAt(w(X), T)",
        "busy(X, T)",
        "d0(X, T)",
        "initially(f(X))",
        "initiatedAt(night, T)",
    ];
    (prop::sample::select(heads.to_vec()), vec(literal(), 0..4)).prop_map(|(head, body)| match body.join(", ") {
        body if body.is_empty() => format!("{head}.\n"),
        body => format!("{head} :- {body}.\n"),
    })
}

/// The facts and labels of a time point: bits say which.
type Point = (i64, Vec<(u8, u8)>);

fn points() -> impl Strategy<Value = Vec<Point>> {
    vec((1..3i64, vec((0..12u8, 0..7u8), 0..9)), 4..24)
}

fn frames(points: &[Point]) -> Vec<Frame> {
    let mut time = 0;
    let frame = |(step, facts): &Point| {
        time += step;
        let mut frame = Frame::new("hall".into(), time);
        for (what, whose) in facts {
            // Numbers may be machines too.
            let machine: oled::Value = if *whose == 6 { 6.into() } else { format!("m{}", whose % 6).as_str().into() };
            match what {
                0 => frame.happens("a", [machine]),
                1 => frame.happens("b", [machine]),
                2..=4 => frame.fact("load", [machine, i64::from(what * whose % 6).into()]),
                5 => frame.happens("alarm", [format!("h{}", whose % 2).as_str()]),
                6 => frame.happens("siren", [0; 0]),
                // A tick says who is there.
                7 => frame.fact("machine", [machine]),
                8 | 9 => frame.label("f", [machine]),
                10 => annotate(&mut frame, "busy(X, T)", machine),
                _ => annotate(&mut frame, "unknown(f(X), T)", machine),
            };
        }
        frame
    };
    points.iter().map(frame).collect()
}

/// The predicate of a fluent.
fn fluent(text: &str) -> Signature {
    Signature::of(&oled::parse_atom(&format!("holdsAt({text}, T)")).unwrap())
}

fn annotate<'f>(frame: &'f mut Frame, what: &str, machine: oled::Value) -> &'f mut Frame {
    frame.annotation.push(Signature::of(&oled::parse_atom(what).unwrap()), &[machine]);
    frame
}

/// Rules one by one, without those that make the theory wrong.
fn theory(task: &Task, rules: Vec<String>) -> Theory {
    let mut text = FIXED.to_string();
    let parse = |text: &str| parse_theory("t.lp", text).ok().filter(|theory| task.check(theory).is_ok());
    for rule in rules {
        let longer = format!("{text}{rule}");
        if parse(&longer).is_some() {
            text = longer;
        }
    }
    let theory = parse_theory("t.lp", &text).unwrap();
    task.check(&theory).unwrap_or_else(|problems| panic!("{problems}"));
    theory
}

/// What is told at one time point, by those who see a part each.
fn together(parts: Vec<(&Recogniser, Vec<Interval>)>) -> Vec<Interval> {
    let one = parts[0].0;
    let mut all: Vec<Interval> = parts.into_iter().flat_map(|(_, told)| told).collect();
    all.sort_by(|a, b| one.rank(a).cmp(&one.rank(b)));
    all
}

/// All that is said of an evaluation.
type Counted = (Vec<(Symbol, Confusion)>, Vec<(Symbol, Symbol, Confusion)>, u64, Vec<(Symbol, IntervalCounts)>, f64);

fn counted(evaluation: &Evaluation, tracks: &Tracks) -> Counted {
    let by_fluent = evaluation.by_fluent().into_iter().collect();
    let intervals = tracks.counts(0.5).into_iter().collect();
    (by_fluent, evaluation.by_segment(), evaluation.frames(), intervals, tracks.observed())
}

/// Whether rules leave machines apart; if so, compares so many recognisers with one.
fn compare(task: &Task, theory: &Theory, frames: &[Frame], parts: usize) -> bool {
    let Some(groups) = Groups::new(task, theory, &[fluent("f(X)")]) else { return false };
    let mut one = Recogniser::new(task, theory).unwrap();
    let mut some = vec![one.clone(); parts];
    let mut dealt = vec![frames[0].clone(); parts];
    let targets: Vec<Signature> = task.labels().into_iter().filter(|target| groups.has(*target)).collect();
    let mut all = (Evaluation::new(&targets), Tracks::new(&targets));
    let mut own = vec![all.clone(); parts];
    // What belongs to no machine is told by each.
    let split = |told: Vec<Interval>| told.into_iter().partition(|i| groups.has(i.signature));
    let same = |at: &str, one: Vec<Interval>, some: Vec<(&Recogniser, Vec<Interval>)>| {
        let (expected, shared): (Vec<Interval>, Vec<Interval>) = split(one);
        let (mut keyed, mut others) = (Vec::new(), Vec::new());
        for (recogniser, told) in some {
            let (own, of_none): (Vec<Interval>, Vec<Interval>) = split(told);
            keyed.push((recogniser, own));
            others.push(of_none);
        }
        assert_eq!(expected, together(keyed), "{at} of {parts} parts\n{theory}\n{frames:?}");
        others.iter().for_each(|told| assert_eq!(&shared, told, "{at} of {parts} parts\n{theory}\n{frames:?}"));
    };
    for (place, frame) in (1..).zip(frames) {
        let at = format!("at {}", frame.time);
        let mut told = Vec::new();
        one.observe(frame, &mut told);
        all.0.count(&one, frame);
        all.1.add(&one, frame);
        groups.deal(frame, &mut dealt);
        let mut of_parts = Vec::new();
        for (number, (recogniser, part)) in some.iter_mut().zip(&dealt).enumerate() {
            let mut told = Vec::new();
            recogniser.observe(part, &mut told);
            of_parts.push(told);
            let (evaluation, tracks) = &mut own[number];
            evaluation.at(place);
            tracks.at(place);
            if number == 0 {
                evaluation.count(recogniser, part);
            } else {
                evaluation.count_part(recogniser, part);
            }
            tracks.add(recogniser, part);
        }
        same(&at, told, some.iter().zip(of_parts).collect());
        let holding = |recogniser: &Recogniser| {
            let keyed = recogniser.holding().filter(|(signature, _)| groups.has(*signature));
            keyed.map(|(signature, values)| format!("{signature} {values:?}")).collect::<Vec<_>>()
        };
        let (mut expected, mut found) = (holding(&one), some.iter().flat_map(holding).collect::<Vec<_>>());
        expected.sort();
        found.sort();
        assert_eq!(expected, found, "{at} of {parts} parts\n{theory}");
        if place == 1 + frames.len() as u64 / 2 {
            same("open", one.open(), some.iter().map(|recogniser| (recogniser, recogniser.open())).collect());
        }
    }
    let mut last = Vec::new();
    one.finish(&mut last);
    let finish = |recogniser: &mut Recogniser| {
        let mut told = Vec::new();
        recogniser.finish(&mut told);
        told
    };
    let of_parts: Vec<Vec<Interval>> = some.iter_mut().map(finish).collect();
    same("at the end", last, some.iter().zip(of_parts).collect());
    // Merged in any order.
    let (mut evaluation, mut tracks) = own.pop().unwrap();
    for (other, others) in own {
        evaluation.merge(other);
        tracks.merge(others);
    }
    assert_eq!(counted(&all.0, &all.1), counted(&evaluation, &tracks), "{parts} parts\n{theory}\n{frames:?}");
    true
}

#[test]
fn recognisers_of_groups_tell_together_what_one_tells() {
    let (apart, joined) = (Cell::new(0), Cell::new(0));
    let options = (any::<bool>(), any::<bool>(), any::<bool>());
    let cases = (vec(rule(), 0..7), points(), options);
    let mut runner = TestRunner::new(deterministic(600));
    let checked = runner.run(&cases, |(rules, points, (tracked, end, interleaved))| {
        let mut task = Task::parse(&Source::new("m.lp", MODES), &Source::new("b.lp", BACKGROUND)).unwrap();
        task.options.tracked = (!tracked).then(Vec::new);
        task.options.both = if end { Precedence::End } else { Precedence::Start };
        task.options.interleaved = interleaved;
        let (theory, frames) = (theory(&task, rules), frames(&points));
        let is_apart = [1, 2, 3, 5].into_iter().all(|parts| compare(&task, &theory, &frames, parts));
        let counter = if is_apart { &apart } else { &joined };
        counter.set(counter.get() + 1);
        Ok(())
    });
    checked.unwrap_or_else(|error| panic!("{error}"));
    assert!(apart.get() > 150 && joined.get() > 50, "{} apart, {} joined", apart.get(), joined.get());
}

/// Whether rules leave the machines of a task apart.
fn is_apart(more: &str, theory: &str) -> bool {
    let task = Task::parse(&Source::new("m.lp", format!("{MODES}\n{more}")), &Source::new("b.lp", BACKGROUND)).unwrap();
    let theory = parse_theory("t.lp", theory).unwrap();
    task.check(&theory).unwrap_or_else(|problems| panic!("{problems}"));
    Groups::new(&task, &theory, &[fluent("f(X)")]).is_some()
}

#[test]
fn what_joins_machines_is_seen() {
    let own = "initiatedAt(f(X), T) :- happensAt(a(X), T)";
    assert!(is_apart("", &format!("{own}.")));
    assert!(is_apart("", &format!("{own}, not load(X, _, T), happensAt(siren, T).")));
    for joined in [
        ", happensAt(b(Y), T).",
        ", not load(_, 3, T).",
        ", happensAt(a(m1), T).",
        ", count(Y, happensAt(b(Y), T), 4, N), N > 2.",
        ". initiatedAt(night, T) :- happensAt(b(Y), T).",
        ". initiatedAt(f(X), T) :- happensAt(siren, T), limit(X). limit(m1).",
        ". initiatedAt(f(m1), T) :- happensAt(a(m1), T).",
    ] {
        assert!(!is_apart("", &format!("{own}{joined}")), "{joined}");
    }
    // Whether somebody is there is known from who is spoken of second, too.
    assert!(!is_apart("input(moves(+machine, +machine, +time)).", &format!("{own}.")));
    // A hall is there as long as one machine says so.
    let halls = "input(happensAt(in(+machine, +hall), +time)). example(holdsAt(at(+machine, +hall), +time)).";
    assert!(!is_apart(halls, "initiatedAt(at(X, Z), T) :- happensAt(in(X, Z), T)."));
    assert!(is_apart(halls, "initiatedAt(f(X), T) :- happensAt(in(X, Z), T)."));
    assert!(!is_apart("example(holdsAt(p(+machine, +machine), +time)). symmetric(p/2).", &format!("{own}.")));
}

#[test]
fn values_of_fluents_are_no_keys() {
    let modes = "input(happensAt(sets(+switch, +level), +time)). input(happensAt(clears(+level), +time)).
        example(holdsAt(at(+switch)=+level, +time)).";
    let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
    let theory = parse_theory("t.lp", "initiatedAt(at(S)=L, T) :- happensAt(clears(L), T), switch(S, T).").unwrap();
    assert!(task.check(&theory).is_ok() && Groups::new(&task, &theory, &task.labels()).is_none());
}
