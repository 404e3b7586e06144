//! Weights: what fires is what recognition is made of, weights do not depend on the order of segments, and are read as printed.

mod live;
mod values;

use std::collections::BTreeSet;

use oled::testing::{deterministic, tasks};
use oled::weights::{
    Chains, Costs, Decision, Firing, FluentChains, FluentWeights, Inertia, Method, ScoredRun, Weighed, Weighing,
    Weights, marginals,
};
use oled::{
    Evaluation, FactReader, Frame, Interval, Learner, Recogniser, Replay, ReplaySettings, Source, Symbol, Task, Theory,
    parse_theory,
};
use proptest::prelude::*;

use live::{late, sorted};

/// What fires on the frames of a stream.
fn fired(task: &Task, theory: &Theory, frames: &[Frame]) -> Result<Chains, oled::Problems> {
    let mut firing = Firing::new(task, theory)?;
    frames.iter().for_each(|frame| firing.observe(frame));
    Ok(firing.finish())
}

/// Weights by a margin, of a theory in any number of layers.
fn weighed(task: &Task, theory: &Theory, frames: &[Frame]) -> Weighed {
    Weighing::default().learn(task, theory, || frames.iter()).unwrap()
}

/// Weights that say how sure rules are, and decide nothing.
fn confidence(fluent: &FluentChains) -> FluentWeights {
    let (rules, holding, absent) = (vec![1.0; fluent.rules.len()], 1.0, 1.0);
    FluentWeights {
        fluent: fluent.name(),
        rules,
        holding,
        absent,
        inertia: Inertia::Unopposed,
        temperature: 1.0,
        decide: false,
    }
}

fn shown(intervals: impl Iterator<Item = Interval>) -> BTreeSet<String> {
    let text = |i: Interval| format!("{} {} {} {}", i.segment, i.fluent(), i.first, i.last);
    intervals.map(text).collect()
}

proptest! {
    #![proptest_config(deterministic(200))]

    #[test]
    fn rules_that_fire_are_what_recognition_is_made_of(case in tasks::cases()) {
        let task = case.task();
        let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
        case.frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
        let theory = learner.learned(&mut ()).theory();
        // What is refused has values, or asks for what is weighed, or has rules in the background.
        if let Ok(chains) = fired(&task, &theory, &case.frames) {
            let weights = Weights { fluents: chains.fluents.iter().map(confidence).collect() };
            let found = chains.intervals(&weights, Decision::Best).into_iter().map(|(interval, _)| interval);
            let mut recogniser = Recogniser::new(&task, &theory).unwrap();
            let mut expected = Vec::new();
            case.frames.iter().for_each(|frame| recogniser.observe(frame, &mut expected));
            recogniser.finish(&mut expected);
            let weighed: Vec<_> = chains.fluents.iter().map(|fluent| fluent.label).collect();
            let expected = expected.into_iter().filter(|i| weighed.contains(&i.signature));
            prop_assert_eq!(shown(found), shown(expected), "{}\n{:?}", theory, case);
        }
    }
}

const MODES: &str =
    "input(happensAt(on(+lamp), +time)). input(happensAt(off(+lamp), +time)). input(happensAt(bump(+lamp), +time)).
    input(seen(+lamp, +time)). example(holdsAt(lit(+lamp), +time)).";

const RULES: &str = "initiatedAt(lit(X), T) :- happensAt(on(X), T).
    initiatedAt(lit(X), T) :- happensAt(bump(X), T).
    terminatedAt(lit(X), T) :- happensAt(off(X), T).";

fn lamps() -> (Task, Theory) {
    let task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap();
    (task, parse_theory("rules.lp", RULES).unwrap())
}

/// Segments in which a lamp is switched on and off, and bumped without being lit; the label says so.
fn evenings(count: u64) -> Vec<Vec<Frame>> {
    let mut reader = FactReader::default();
    let evening = |number: u64| {
        let (mut held, mut frames) = (false, Vec::new());
        for time in 0..60 {
            let mut frame = Frame::new(Symbol::new(&format!("evening{number}")), time);
            let mut say = |fact: String| _ = reader.read(&fact, &mut frame.narrative).unwrap();
            say(format!("seen(l, {time})"));
            let is_held = held;
            let event = match (time + 7 * number as i64) % 23 {
                3 => Some(("on", true)),
                9 => Some(("off", false)),
                15 => Some(("bump", held)),
                _ => None,
            };
            if let Some((event, after)) = event {
                say(format!("happensAt({event}(l), {time})"));
                held = after;
            }
            if is_held {
                reader.read(&format!("holdsAt(lit(l), {time})"), &mut frame.annotation).unwrap();
            }
            frames.push(frame);
        }
        frames
    };
    (0..count).map(evening).collect()
}

#[test]
fn a_rule_that_is_wrong_counts_less_than_one_that_is_right() {
    let (task, theory) = lamps();
    let frames = evenings(8).concat();
    let weighed = weighed(&task, &theory, &frames);
    let weights = &weighed.weights.fluents[0];
    assert!(weights.rules[0] > weights.rules[1], "{weights:?}");
    assert!(weights.holding <= weights.absent, "what nothing has started is not better off by holding");
    let chains = fired(&task, &theory, &frames).unwrap();
    let (with, without) = (chains.fluents[0].evaluate(weights), evaluate(&task, &theory, &frames));
    assert!(with.f1() > without.f1(), "{with:?} {without:?}");
}

fn evaluate(task: &Task, theory: &Theory, frames: &[Frame]) -> oled::Confusion {
    let mut recogniser = Recogniser::new(task, theory).unwrap();
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in frames {
        recogniser.observe(frame, &mut Vec::new());
        evaluation.count(&recogniser, frame);
    }
    evaluation.total()
}

#[test]
fn weights_do_not_depend_on_the_order_of_segments() {
    let (task, theory) = lamps();
    let mut evenings = evenings(9);
    let first = weighed(&task, &theory, &evenings.concat());
    for order in 0..20 {
        // Another order each time.
        let place = order % evenings.len();
        evenings.rotate_left(1 + order / 9);
        evenings.swap(place, 8 - place);
        let again = weighed(&task, &theory, &evenings.concat());
        assert_eq!(again.weights, first.weights, "order {order}");
        assert_eq!(again.chosen[0].tried, first.chosen[0].tried);
    }
}

#[test]
fn a_theory_with_weights_is_read_as_it_is_printed() {
    let (task, theory) = lamps();
    let frames = evenings(6).concat();
    let chains = fired(&task, &theory, &frames).unwrap();
    let mut weighed = Weighing::default().weigh(chains.clone());
    for decide in [true, false] {
        weighed.weights.fluents[0].decide = decide;
        let text = weighed.weights.write(&theory, &chains.fluents).to_string();
        let read = parse_theory("weighed.lp", &text).unwrap();
        assert_eq!(read.to_string(), text);
        let again = fired(&task, &read, &frames).unwrap();
        let weights = Weights::read(&read, &again.fluents).unwrap().unwrap();
        assert_eq!(weights, weighed.weights, "{text}");
        assert_eq!(again.intervals(&weights, Decision::Best), chains.intervals(&weights, Decision::Best));
        // Who knows nothing of weights recognises with the rules alone.
        assert_eq!(evaluate(&task, &read, &frames), evaluate(&task, &theory, &frames));
    }
    assert_eq!(Weights::read(&theory, &chains.fluents).unwrap(), None);
}

/// Evenings of which some have no labels: whether a switch means anything is doubtful.
fn doubtful() -> Vec<Frame> {
    let mut frames = evenings(8).concat();
    let is_dark = |f: &&mut Frame| ["evening0", "evening4"].contains(&f.segment.as_str());
    frames.iter_mut().filter(is_dark).for_each(|f| f.annotation = oled::Facts::default());
    frames
}

#[test]
fn who_fears_misses_recognises_more() {
    let (task, theory) = lamps();
    let frames = doubtful();
    let chains = fired(&task, &theory, &frames).unwrap();
    let held = |miss: f64| {
        let weighing = Weighing { costs: Costs { false_alarm: 1.0, miss }, ..Weighing::default() };
        let weighed = weighing.weigh(chains.clone());
        chains.fluents[0].evaluate(&weighed.weights.fluents[0])
    };
    let (little, much) = (held(0.1), held(10.0));
    assert!(little.fp <= much.fp && little.fn_ >= much.fn_ && little != much, "{little:?} {much:?}");
}

#[test]
fn thresholds_leave_out_what_is_less_probable() {
    let (task, theory) = lamps();
    let frames = doubtful();
    let chains = fired(&task, &theory, &frames).unwrap();
    let weights = Weighing::default().weigh(chains.clone()).weights;
    let points = |threshold: f64| {
        let intervals = chains.intervals(&weights, Decision::AtLeast(threshold));
        assert!(intervals.iter().all(|(_, sure)| sure.weakest >= threshold && sure.mean >= sure.weakest));
        intervals.iter().map(|(i, _)| i.last - i.first + 1).sum::<i64>()
    };
    assert!(
        points(0.05) > points(0.5) && points(0.5) > points(0.999),
        "{} {} {}",
        points(0.05),
        points(0.5),
        points(0.999)
    );
}

#[test]
fn what_cannot_be_weighed_is_said() {
    let told = |modes: &str, background: &str, rules: &str| {
        let (modes, background) = (format!("{MODES} {modes}"), Source::new("background.lp", background));
        let task = Task::parse(&Source::new("modes.lp", modes), &background).unwrap();
        Firing::new(&task, &parse_theory("rules.lp", rules).unwrap()).err().map(|p| p.to_string()).unwrap_or_default()
    };
    let initially = told("", "", "initially(lit(X)) :- seen(X, T). terminatedAt(lit(X), T) :- happensAt(off(X), T).");
    assert!(
        initially.contains("what holds initially has no weight") && initially.contains("rules.lp:1:"),
        "{initially}"
    );
    let given =
        told("", "initiatedAt(lit(X), T) :- happensAt(on(X), T).", "terminatedAt(lit(X), T) :- happensAt(off(X), T).");
    assert!(given.contains("the background has rules for `holdsAt(lit(_), _)`"), "{given}");
    let coupled = told(
        "example(holdsAt(warm(+lamp), +time)).",
        "",
        "initiatedAt(lit(X), T) :- happensAt(on(X), T), not holdsAt(warm(X), T). initiatedAt(warm(X), T) :- holdsAt(lit(X), T).",
    );
    assert!(coupled.contains("those for that one ask back: both are weighed"), "{coupled}");
    let itself = told("", "", "initiatedAt(lit(X), T) :- happensAt(on(X), T), seen(Y, T), not holdsAt(lit(Y), T).");
    assert!(itself.contains("asks whether it holds, of this instance or of others"), "{itself}");
    let starts = told(
        "example(holdsAt(warm(+lamp), +time)).",
        "",
        "initiatedAt(lit(X), T) :- happensAt(on(X), T). initiatedAt(warm(X), T) :- initiatedAt(lit(X), T).",
    );
    assert!(starts.contains("a condition asks for `initiatedAt(lit(_), _)`"), "{starts}");
    let (task, _) = lamps();
    let some = parse_theory(
        "rules.lp",
        "2 initiatedAt(lit(X), T) :- happensAt(on(X), T).\nterminatedAt(lit(X), T) :- happensAt(off(X), T).",
    );
    let some = some.unwrap();
    let firing = Firing::new(&task, &some).unwrap();
    let missing = Weights::read(&some, firing.fluents()).unwrap_err().to_string();
    assert!(missing.contains("this one for `lit` has none") && missing.contains("rules.lp:2:"), "{missing}");
    for fact in
        ["weights_of(lit).", "weights_of(lit, decide, loud, 1, 1, 1).", "weights_of(lit, decide, quiet, 1, 1, 0)."]
    {
        let text = format!("{fact}\n2 initiatedAt(lit(X), T) :- happensAt(on(X), T).");
        let theory = parse_theory("rules.lp", &text).unwrap();
        let told = Weights::read(&theory, Firing::new(&task, &theory).unwrap().fluents()).unwrap_err().to_string();
        assert!(told.contains("does not say what weights are for") && told.contains("rules.lp:1:1"), "{told}");
    }
}

#[test]
fn labels_count_where_a_rule_can_make_them_true() {
    let (task, theory) = lamps();
    let mut frames = evenings(1).concat();
    // A label before anything was switched on.
    FactReader::default().read("holdsAt(lit(l), 0)", &mut frames[0].annotation).unwrap();
    let chains = fired(&task, &theory, &frames).unwrap();
    let fluent = &chains.fluents[0];
    assert_eq!(fluent.missed.values().sum::<u64>(), 1);
    let runs = fluent.chains.iter().flat_map(|c| &c.runs).filter(|r| r.label == Some(1));
    let labelled: u64 = runs.map(|r| u64::from(r.length)).sum();
    let all: usize = frames.iter().map(|f| f.annotation.iter().count()).sum();
    assert_eq!(labelled + 1, all as u64);
    let weights = confidence(fluent);
    let scores = fluent.scores(&weights);
    let first = &fluent.chains[0];
    let scored: Vec<_> =
        first.runs.iter().map(|run| ScoredRun { scores: &scores[run.fired as usize], length: run.length }).collect();
    assert_eq!(marginals(&scored, 1.0).len(), first.runs.iter().map(|r| r.length as usize).sum::<usize>());
}

#[test]
fn weights_are_learned_in_one_pass_too() {
    let (task, alone) = lamps();
    // Experts are weighed against each other: one that fires alone has its way.
    let opposed = format!("{RULES}\nterminatedAt(lit(X), T) :- happensAt(bump(X), T).");
    let opposed = parse_theory("rules.lp", &opposed).unwrap();
    let frames = evenings(30).concat();
    for (method, theory) in [(Method::AdaGrad, alone), (Method::Experts, opposed)] {
        let chains = fired(&task, &theory, &frames).unwrap();
        let without = evaluate(&task, &theory, &frames);
        let weighed = Weighing { method, ..Weighing::default() }.weigh(chains.clone());
        let weights = &weighed.weights.fluents[0];
        assert!(weights.rules[0] > weights.rules[1], "{method:?} {weights:?}");
        let with = chains.fluents[0].evaluate(weights);
        assert!(with.f1() > without.f1(), "{method:?} {with:?} {without:?} {weights:?}");
        let prequential = weighed.chosen[0].prequential.as_ref().unwrap();
        let found = oled::weights::total(prequential);
        assert!(found.f1() > without.f1() && found.f1() <= 1.0, "{method:?} {found:?}");
        // They are read as they are printed, and recognise the same.
        let text = weighed.weights.write(&theory, &chains.fluents).to_string();
        let read = parse_theory("weighed.lp", &text).unwrap();
        let again = Weights::read(&read, &fired(&task, &read, &frames).unwrap().fluents).unwrap().unwrap();
        assert_eq!(again, weighed.weights, "{text}");
        let whole = sorted(chains.intervals(&weighed.weights, Decision::Best));
        let late = sorted(late(&task, &theory, &weighed.weights, 30, &frames));
        assert_eq!(whole.iter().map(|w| &w.0).collect::<Vec<_>>(), late.iter().map(|l| &l.0).collect::<Vec<_>>());
    }
}
