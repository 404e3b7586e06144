//! Weights of fluents with values, and of fluents that ask for others.

use oled::weights::{Decision, Method, Weighing, Weights, recognise};
use oled::{CalculusOptions, Evaluation, FactReader, Frame, Recogniser, Source, Symbol, Task, Theory, parse_theory};

use super::live::{late, sorted};
use super::{MODES, RULES, confidence, evaluate, evenings, shown, weighed};

/// Lamps that are dimmed: they are off, low or high, and a bump means nothing.
const DIMMED: &str = "input(happensAt(turn(+lamp, +level), +time)). input(happensAt(off(+lamp), +time)).
    input(happensAt(bump(+lamp, +level), +time)). input(seen(+lamp, +time)). type(level, symbol).
    example(holdsAt(light(+lamp)=+level, +time)).";

const DIMMERS: &str = "initiatedAt(light(X)=V, T) :- happensAt(turn(X, V), T).
    initiatedAt(light(X)=V, T) :- happensAt(bump(X, V), T).
    terminatedAt(light(X)=V, T) :- happensAt(off(X), T), level(V).";

fn dimmers() -> (Task, Theory) {
    let background = Source::new("background.lp", "level(low). level(high).");
    let task = Task::parse(&Source::new("modes.lp", DIMMED), &background).unwrap();
    let options = CalculusOptions { tracked: Some(vec![Symbol::new("lamp")]), ..CalculusOptions::default() };
    let task = Task { options, ..task };
    (task, parse_theory("rules.lp", DIMMERS).unwrap())
}

fn dimmed(count: u64) -> Vec<Frame> {
    let mut reader = FactReader::default();
    let mut frames = Vec::new();
    for number in 0..count {
        let mut level = None;
        for time in 0..60_i64 {
            let mut frame = Frame::new(Symbol::new(&format!("evening{number}")), time);
            let mut say = |fact: String| _ = reader.read(&fact, &mut frame.narrative).unwrap();
            say(format!("seen(l, {time})"));
            let before = level;
            match (time + 7 * number as i64) % 29 {
                3 => level = Some("low"),
                9 => level = Some("high"),
                12 => say(format!("happensAt(bump(l, low), {time})")),
                20 => level = None,
                _ => {}
            }
            if level != before {
                say(level.map_or(format!("happensAt(off(l), {time})"), |v| format!("happensAt(turn(l, {v}), {time})")));
            }
            if let Some(level) = before {
                reader.read(&format!("holdsAt(light(l)={level}, {time})"), &mut frame.annotation).unwrap();
            }
            frames.push(frame);
        }
    }
    frames
}

#[test]
fn a_fluent_with_values_has_a_state_for_each() {
    let (task, theory) = dimmers();
    let frames = dimmed(8);
    let weighed = weighed(&task, &theory, &frames);
    assert_eq!(weighed.chains.fluents[0].states(), 3);
    let weights = &weighed.weights.fluents[0];
    assert!(weights.rules[0] > weights.rules[1], "{weights:?}");
    let (with, without) = (weighed.chains.fluents[0].evaluate(weights), evaluate(&task, &theory, &frames));
    assert!(
        with.f1() > without.f1() && with.f1() > 0.95,
        "{with:?} {without:?} {weights:?} {:?}",
        weighed.chosen[0].tried
    );
    // The counts are those of whoever compares what is recognised with labels.
    let found = recognise(&task, &theory, &weighed.weights, Decision::Best, || frames.iter()).unwrap();
    let mut evaluation = Evaluation::new(&task.labels());
    frames.iter().for_each(|frame| evaluation.count(&found.timetable.at(frame.segment, frame.time), frame));
    assert_eq!(evaluation.total(), with);
    // Values are told with their intervals, and rules alone say what the recogniser does.
    assert!(found.intervals.iter().any(|(i, _)| i.fluent().to_string() == "light(l)=low"), "{:?}", found.intervals);
    let alone = Weights { fluents: vec![confidence(&weighed.chains.fluents[0])] };
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let mut expected = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut expected));
    recogniser.finish(&mut expected);
    let crisp = weighed.chains.intervals(&alone, Decision::Best).into_iter().map(|(i, _)| i);
    assert_eq!(shown(crisp), shown(expected.into_iter()));
    // With a delay that is long enough it is the same, however weights were learned.
    for method in [Method::Margin, Method::AdaGrad, Method::Experts] {
        let weighed = Weighing { method, ..Weighing::default() }.weigh(weighed.chains.clone());
        let whole = sorted(weighed.chains.intervals(&weighed.weights, Decision::Best));
        let late = sorted(late(&task, &theory, &weighed.weights, 40, &frames));
        assert_eq!(whole.iter().map(|w| &w.0).collect::<Vec<_>>(), late.iter().map(|l| &l.0).collect::<Vec<_>>());
        assert!(whole.iter().any(|(text, _)| text.contains("light(l)=high")), "{method:?} {whole:?}");
    }
}

/// A room is bright while a lamp is lit that does not flicker; lamps are bumped without being lit.
const BRIGHT: &str = "initiatedAt(bright(X), T) :- holdsAt(lit(X), T).
    terminatedAt(bright(X), T) :- seen(X, T), not holdsAt(lit(X), T).";

#[test]
fn layers_are_decoded_in_the_order_in_which_they_ask() {
    let modes = format!("{MODES} example(holdsAt(bright(+lamp), +time)).");
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let theory = parse_theory("rules.lp", &format!("{BRIGHT}\n{RULES}")).unwrap();
    let mut frames = evenings(8).concat();
    let mut reader = FactReader::default();
    let lit: Vec<bool> = frames.iter().map(|frame| frame.annotation.iter().next().is_some()).collect();
    for i in 1..frames.len() {
        if frames[i].time > 0 && lit[i - 1] {
            let time = frames[i].time;
            reader.read(&format!("holdsAt(bright(l), {time})"), &mut frames[i].annotation).unwrap();
        }
    }
    let weighed = weighed(&task, &theory, &frames);
    let names: Vec<_> = weighed.chains.fluents.iter().map(|fluent| fluent.name().as_str()).collect();
    assert_eq!(names, ["lit", "bright"]);
    let found = recognise(&task, &theory, &weighed.weights, Decision::Best, || frames.iter()).unwrap();
    let mut evaluation = Evaluation::new(&task.labels());
    frames.iter().for_each(|frame| evaluation.count(&found.timetable.at(frame.segment, frame.time), frame));
    let (with, without) = (evaluation.total(), evaluate(&task, &theory, &frames));
    assert!(with.f1() > without.f1(), "{with:?} {without:?}");
    // What asks for a fluent sees it as it was decoded: bright is what lit is, one time point later.
    let of = |name: &str| -> Vec<(i64, i64)> {
        let own = found.intervals.iter().filter(|(i, _)| i.fluent().to_string() == format!("{name}(l)"));
        own.map(|(i, _)| (i.first, i.last)).collect()
    };
    // What begins with the last time point of an evening is never bright.
    let later = of("lit").into_iter().filter(|(first, _)| *first < 59);
    assert_eq!(of("bright"), later.map(|(first, last)| (first + 1, (last + 1).min(59))).collect::<Vec<_>>());
}
