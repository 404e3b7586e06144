//! Relations of intervals: told as intervals end, the same as from all pairs of a whole stream; memory is bounded; what is wrong.

use std::collections::BTreeSet;

use oled::lang::{Allen, Told};
use oled::testing::deterministic;
use oled::{FactReader, Frame, Interval, Recogniser, Source, Symbol, Task, Theory, parse_theory};
use proptest::prelude::*;

const MODES: &str = "input(happensAt(starts(+what, +who), +time)). input(happensAt(stops(+what, +who), +time)).
    input(holdsAt(seen(+who), +time)). symmetric(pair/2). example(holdsAt(pair(+who, +who), +time)).";
const RULES: &str = "initiatedAt(a(X), T) :- happensAt(starts(a, X), T).
    terminatedAt(a(X), T) :- happensAt(stops(a, X), T).
    initiatedAt(b(X), T) :- happensAt(starts(b, X), T).
    terminatedAt(b(X), T) :- happensAt(stops(b, X), T).
    initiatedAt(pair(X, Y), T) :- happensAt(starts(a, X), T), holdsAt(b(Y), T), X != Y.
    terminatedAt(pair(X, Y), T) :- happensAt(stops(a, X), T), who(Y, T).";

fn task(horizon: i64) -> Task {
    let modes = Source::new("modes.lp", format!("{MODES} horizon({horizon})."));
    let mut task =
        Task::parse(&modes, &Source::new("background.lp", "")).unwrap_or_else(|problems| panic!("{problems}"));
    task.options.tracked = Some(Vec::new());
    task
}

fn theory(more: &str) -> Theory {
    parse_theory("rules.lp", &format!("{RULES} {more}")).unwrap_or_else(|problems| panic!("{problems}"))
}

/// An interval without its segment and without why it ends: fluent, first, last.
type Plain = (String, i64, i64);

fn plain(intervals: &[Interval]) -> Vec<Plain> {
    intervals.iter().map(|i| (i.fluent().to_string().replace(' ', ""), i.first, i.last)).collect()
}

/// At each time point who starts and stops what, and who is seen.
type Story = Vec<Vec<(u8, u8)>>;

fn story() -> impl Strategy<Value = Story> {
    prop::collection::vec(prop::collection::vec((0..5_u8, 0..3_u8), 0..4), 1..40)
}

fn frames(story: &Story, step: i64) -> Vec<Frame> {
    let frame = |(at, events): (usize, &Vec<(u8, u8)>)| {
        let time = i64::try_from(at).unwrap() * step;
        let mut frame = Frame::new(Symbol::new("main"), time);
        for (event, who) in events {
            let what = ["starts(a,", "stops(a,", "starts(b,", "stops(b,"];
            let fact = match what.get(usize::from(*event)) {
                Some(what) => format!("happensAt({what} w{who}), {time})"),
                None => format!("holdsAt(seen(w{who}), {time})"),
            };
            FactReader::default().read(&fact, &mut frame.narrative).unwrap();
        }
        frame
    };
    story.iter().enumerate().map(frame).collect()
}

fn recognised(task: &Task, theory: &Theory, frames: &[Frame]) -> Vec<Interval> {
    let mut recogniser = Recogniser::new(task, theory).unwrap_or_else(|problems| panic!("{problems}"));
    let mut closed = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut closed));
    recogniser.finish(&mut closed);
    closed
}

/// The intervals of a fluent with a name, each with its arguments.
fn of(intervals: &BTreeSet<Plain>, name: &str) -> Vec<(Vec<String>, (i64, i64))> {
    let args = |fluent: &str| {
        let (own, rest) = fluent.split_once('(')?;
        let args = rest.trim_end_matches(')').split(',').map(str::to_string).collect();
        (own == name).then_some(args)
    };
    intervals.iter().filter_map(|(fluent, first, last)| Some((args(fluent)?, (*first, *last)))).collect()
}

/// What a rule tells, from all pairs.
fn all_pairs(
    intervals: &BTreeSet<Plain>,
    (source, target): (&str, &str),
    (relation, told, horizon): (Allen, Told, i64),
    head: impl Fn(&[String], &[String]) -> Option<String>,
) -> Vec<Plain> {
    let mut found = Vec::new();
    for (one, s) in of(intervals, source) {
        for (other, t) in of(intervals, target) {
            let Some(fluent) = head(&one, &other) else { continue };
            if relation.holds(s, t) && (s.1 - t.1).abs() <= horizon {
                let parts = told.of(s, t).into_iter().flatten().filter(|part| s.1.max(t.1) - part.1 <= horizon);
                found.extend(parts.map(|(first, last)| (fluent.clone(), first, last)));
            }
        }
    }
    found
}

proptest! {
    #![proptest_config(deterministic(120))]

    #[test]
    fn what_is_told_as_intervals_end_follows_from_all_pairs(
        story in story(), step in 1..3_i64, horizon in 1..15_i64,
        relations in prop::collection::vec((0..7_usize, 0..6_usize), 4),
    ) {
        let rule = |i: usize| (Allen::ALL[relations[i].0], Told::ALL[relations[i].1], horizon);
        let word = |i: usize| format!("allen({}, I1, I2, {}, I)", rule(i).0.as_str(), rule(i).1.as_str());
        let short = format!("{}(I1, I2, {}, I)", rule(2).0.as_str(), rule(2).1.as_str());
        let text = format!(
            "holdsFor(one(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), {}.
             holdsFor(two(X, Y), I) :- holdsFor(seen(X), I1), holdsFor(a(Y)=true, I2), X != Y, {}.
             holdsFor(three(X), I) :- holdsFor(one(X), I1), holdsFor(two(X, _), I2), {short}.
             holdsFor(four(Y), I) :- holdsFor(pair(w1, Y), I1), holdsFor(pair(Y, _), I2), {}.
             holdsFor(all(X), I) :- holdsFor(one(X), I1), holdsFor(three(X), I2), holdsFor(b(X), I3),
                union_all([I1, I2, I3], I).", word(0), word(1), word(3));
        let (task, theory, frames) = (task(horizon), theory(&text), frames(&story, step));
        let found = recognised(&task, &theory, &frames);

        // The same from what rules about time points tell, those of the stream among it.
        let given = format!("{RULES} holdsAt(own_seen(X), T) :- holdsAt(seen(X), T).");
        let given = plain(&recognised(&task, &parse_theory("given.lp", &given).unwrap(), &frames));
        let mut known: BTreeSet<Plain> =
            given.iter().map(|(name, first, last)| (name.replace("own_", ""), *first, *last)).collect();
        let both: Vec<Plain> = of(&known, "pair").into_iter()
            .map(|(args, (first, last))| (format!("both({},{})", args[1], args[0]), first, last)).collect();
        let same: Vec<Plain> = of(&known, "pair").into_iter()
            .map(|(args, (first, last))| (format!("both({},{})", args[0], args[1]), first, last)).collect();
        known.extend(both.into_iter().chain(same));
        let one = all_pairs(&known, ("a", "b"), rule(0), |a, b| (a == b).then(|| format!("one({})", a[0])));
        known.extend(one);
        let two = all_pairs(&known, ("seen", "a"), rule(1), |s, a| (s != a).then(|| format!("two({},{})", s[0], a[0])));
        known.extend(two);
        let three = all_pairs(&known, ("one", "two"), rule(2), |a, b| (a[0] == b[0]).then(|| format!("three({})", a[0])));
        known.extend(three);
        let four = all_pairs(&known, ("both", "both"), rule(3), |a, b| {
            (a[0] == "w1" && a[1] == b[0]).then(|| format!("four({})", a[1]))
        });
        known.extend(four);
        for part in ["one", "three", "b"] {
            let handed_on = of(&known, part).into_iter().map(|(args, (f, l))| (format!("all({})", args[0]), f, l));
            known.extend(handed_on.collect::<Vec<_>>());
        }
        known.retain(|(fluent, ..)| !fluent.starts_with("seen") && !fluent.starts_with("both"));
        let found_once: BTreeSet<Plain> = plain(&found).into_iter().collect();
        prop_assert_eq!(found_once.len(), found.len(), "an interval was told twice");
        prop_assert_eq!(found_once, known);

        // To go on from what was saved changes nothing.
        for cut in 0..frames.len() {
            let mut first = Recogniser::new(&task, &theory).unwrap();
            let mut closed = Vec::new();
            frames[..cut].iter().for_each(|frame| first.observe(frame, &mut closed));
            let mut second = Recogniser::new(&task, &theory).unwrap();
            second.restore(&first.save()).unwrap();
            frames[cut..].iter().for_each(|frame| second.observe(frame, &mut closed));
            second.finish(&mut closed);
            prop_assert_eq!(&closed, &found, "cut at {}", cut);
        }
    }
}

#[test]
fn memory_is_that_of_the_horizon() {
    let text = "holdsFor(one(X, Y), I) :- holdsFor(a(X), I1), holdsFor(a(Y), I2), allen(before, I1, I2, union, I).
                holdsFor(two(X), I) :- holdsFor(one(X, _), I1), holdsFor(b(_), I2), allen(during, I1, I2, target, I).";
    let (task, theory) = (task(20), theory(text));
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let (mut most, mut closed, mut told) = ([0, 0], Vec::new(), 0);
    for time in 0..4000_i64 {
        let mut frame = Frame::new(Symbol::new("main"), time);
        let who = time / 4 % 5;
        let deed = |late: bool| if late { "stops" } else { "starts" };
        let facts = [("a", deed(time % 4 > 1), who), ("b", deed(time % 8 > 6), time / 8 % 5)];
        for (what, deed, who) in facts {
            let fact = format!("happensAt({deed}({what}, w{who}), {time})");
            FactReader::default().read(&fact, &mut frame.narrative).unwrap();
        }
        recogniser.observe(&frame, &mut closed);
        told += closed.drain(..).filter(|interval| interval.fluent().to_string().starts_with("two")).count();
        let half = usize::from(time >= 2000);
        most[half] = most[half].max(recogniser.related_later());
    }
    assert!(told > 100 && most[0] > 0 && most[0] == most[1], "{told} {most:?}");
}

fn problems(text: &str) -> String {
    let modes = Source::new("modes.lp", MODES);
    let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
    match parse_theory("rules.lp", &format!("{RULES}\n{text}")) {
        Err(problems) => problems.to_string(),
        Ok(theory) => task.check(&theory).unwrap_err().to_string(),
    }
}

#[test]
fn what_is_wrong_is_said() {
    let pair = "holdsFor(a(X), I1), holdsFor(b(X), I2)";
    for (rule, message) in [
        (format!("holdsFor(f(X), I) :- {pair}, allen(meets, I1, I2, union, I)."), "there is no horizon"),
        (
            format!("holdsFor(f(X), I) :- {pair}, allen(beside, I1, I2, union, I)."),
            "`beside` is no relation of intervals",
        ),
        (format!("holdsFor(f(X), I) :- {pair}, allen(meets, I1, I2, all, I)."), "`all` is no part of two intervals"),
        (format!("holdsFor(f(X), I) :- {pair}, allen(meets, I1, I2, I)."), "`allen` has 5 arguments, here 4"),
        (format!("holdsFor(f(X), I) :- {pair}, allen(meets, I1, I3, union, I)."), "which intervals `I3` has"),
        (format!("holdsFor(f(X), J) :- {pair}, allen(meets, I1, I2, union, I)."), "which intervals `J` has"),
        (format!("holdsFor(f(Y), I) :- {pair}, allen(meets, I1, I2, union, I)."), "nothing gives `Y` a value"),
        (format!("holdsFor(f(X+1), I) :- {pair}, allen(meets, I1, I2, union, I)."), "nothing is computed"),
        (
            format!("holdsFor(f(X), I) :- {pair}, who(X, T), allen(meets, I1, I2, union, I)."),
            "cannot be asked of whole",
        ),
        (
            format!("holdsFor(pair(X, X), I) :- {pair}, allen(meets, I1, I2, union, I)."),
            "is defined at time points elsewhere",
        ),
        (format!("holdsFor(b(X), I) :- {pair}, allen(meets, I1, I2, union, I)."), "`b(X)` is defined at time points"),
        (
            "holdsFor(f(X), I) :- holdsFor(a(X), I1), holdsFor(sean(X), I2), allen(meets, I1, I2, union, I).".into(),
            "did you mean `seen`?",
        ),
        (
            "holdsFor(f(X), I) :- holdsFor(a(X), I1), holdsFor(f(X), I2), allen(meets, I1, I2, union, I).".into(),
            "depend on themselves",
        ),
        (
            format!(
                "holdsFor(f(X), I) :- {pair}, allen(meets, I1, I2, union, I).
                 initiatedAt(g(X), T) :- holdsAt(f(X), T)."
            ),
            "`f(X)` is known only when it is over",
        ),
        (
            format!(
                "holdsFor(f(X), I) :- {pair}, allen(meets, I1, I2, union, I).
                 holdsAt(g(X), T) :- holdsAt(f(X), T), not holdsAt(b(X), T)."
            ),
            "can only be handed on",
        ),
        (format!("2.5 holdsFor(f(X), I) :- {pair}, allen(meets, I1, I2, union, I)."), "has no weight"),
        (format!("p(X) :- {pair}, allen(meets, I1, I2, union, I)."), "intervals stand in rules for `holdsFor` only"),
        (format!("holdsFor(f(X), I) :- {pair}, meets(I1, I2, I)."), "write `allen(meets, I1, I2, union, I)`"),
    ] {
        let said = problems(&rule);
        assert!(said.contains(message), "{rule}\n{said}");
    }
}

#[test]
fn a_theory_is_printed_as_it_is_read() {
    let text = "holdsFor(f(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(meets, I1, I2, union, I).
                holdsFor(g(X), I) :- holdsFor(f(X), I1), holdsFor(b(X), I2), union_all([I1, I2], I).";
    let theory = theory(text);
    assert_eq!(theory.related.len(), 3);
    let again = parse_theory("rules.lp", &theory.to_string()).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(again.to_string(), theory.to_string());
    assert_eq!(again.related.len(), 3);
}

/// What is told is counted as other fluents are: each time point once, whether it is labelled or not.
#[test]
fn what_is_told_is_compared_with_labels() {
    let modes = Source::new("modes.lp", format!("{MODES} horizon(9). example(holdsAt(met(+who), +time))."));
    let mut task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
    task.options.tracked = Some(Vec::new());
    let told = "holdsFor(met(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(overlaps, I1, I2, union, I).";
    let theory = theory(told);
    task.check(&theory).unwrap();
    // `a` is from 2 to 5, and `b` from 4 to 8, and again from 12 to 13 alone.
    let events = [(1, "starts(a"), (3, "starts(b"), (5, "stops(a"), (8, "stops(b"), (11, "starts(b"), (13, "stops(b")];
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    let mut late = oled::Late::default();
    for time in 0..16 {
        let mut frame = Frame::new(Symbol::new("s"), time);
        let mut read = |fact: String| _ = FactReader::default().read(&fact, &mut frame.narrative).unwrap();
        read(format!("holdsAt(seen(ann), {time})"));
        events.iter().filter(|(at, _)| *at == time).for_each(|(_, e)| read(format!("happensAt({e}, ann), {time})")));
        // Labelled from 3 to 9, but nobody knows of 6; and at 14.
        if (3..=9).contains(&time) || time == 14 {
            FactReader::default().read(&format!("holdsAt(met(ann), {time})"), &mut frame.annotation).unwrap();
        }
        if time == 6 {
            FactReader::default().read("unknown(met(ann), 6)", &mut frame.annotation).unwrap();
        }
        late.observe(&mut recogniser, &frame);
    }
    let (frames, timetable) = late.finish(&task, &mut recogniser);
    let met = oled::Signature::of(&oled::parse_atom("holdsAt(met(X), T)").unwrap());
    let mut evaluation = oled::Evaluation::new(&[met]);
    let mut tracks = oled::Tracks::new(&[met]);
    for frame in &frames {
        evaluation.count(&timetable.at(frame.segment, frame.time), frame);
        tracks.add(&timetable.at(frame.segment, frame.time), frame);
    }
    // Told from 2 to 8.
    assert_eq!(evaluation.total(), oled::Confusion { tp: 5, fp: 1, fn_: 2 });
    // Of three labelled intervals, since nobody knows of 6, two are found.
    assert_eq!(tracks.counts(0.5)[0].found, 2);
}

#[test]
fn who_asks_why_is_told_of_which_intervals() {
    let task = task(30);
    let rules = "holdsFor(met(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(overlaps, I1, I2, union, I).
        holdsFor(last(X), I) :- holdsFor(met(X), I1), holdsFor(b(X), I2), allen(before, I1, I2, target, I).";
    let theory = theory(rules);
    let mut explainer = oled::explain::Explainer::new(&task, &theory).unwrap();
    let events = [(1, "starts(a"), (3, "starts(b"), (5, "stops(a"), (8, "stops(b"), (11, "starts(b"), (13, "stops(b")];
    let mut told = Vec::new();
    let note = |explainer: &oled::explain::Explainer, told: &mut Vec<String>| {
        for followed in explainer.recogniser().followed() {
            let shown = |i: &Interval| format!("{} {}-{}", i.fluent(), i.first, i.last);
            let of: Vec<String> = followed.of.iter().map(shown).collect();
            told.push(format!("{} by rule {} of {}", shown(&followed.interval), followed.rule, of.join(", ")));
        }
    };
    for time in 0..16 {
        let mut frame = Frame::new(Symbol::new("s"), time);
        for (_, event) in events.iter().filter(|(at, _)| *at == time) {
            FactReader::default().read(&format!("happensAt({event}, ann), {time})"), &mut frame.narrative).unwrap();
        }
        explainer.observe(&frame);
        note(&explainer, &mut told);
    }
    explainer.finish();
    note(&explainer, &mut told);
    assert_eq!(
        told,
        ["met(ann) 2-8 by rule 0 of a(ann) 2-5, b(ann) 4-8", "last(ann) 12-13 by rule 1 of met(ann) 2-8, b(ann) 12-13",]
    );
}

#[test]
fn what_is_labelled_is_not_told_by_the_background() {
    let modes = Source::new("modes.lp", format!("{MODES} horizon(9). example(holdsAt(met(+who), +time))."));
    let rules = "holdsFor(met(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(overlaps, I1, I2, union, I).";
    let problems = Task::parse(&modes, &Source::new("background.lp", format!("{RULES} {rules}"))).unwrap_err();
    assert!(problems.to_string().contains("is labelled, and the background tells of it already"), "{problems}");
}

/// Where weights say how sure intervals are, what is told of two is as sure as the less sure one.
#[test]
fn what_is_told_is_as_sure_as_the_less_sure_one() {
    use oled::weights::{Confidence, Relating, untold};
    let task = task(30);
    let theory = theory(
        "holdsFor(met(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), allen(overlaps, I1, I2, union, I).
         holdsFor(again(X), I) :- holdsFor(met(X), I1), holdsFor(b(X), I2), allen(before, I1, I2, target, I).",
    );
    let signature = |name: &str| oled::Signature::of(&oled::parse_atom(&format!("holdsAt({name}(X), T)")).unwrap());
    let interval = |name: &str, first: i64, last: i64| Interval {
        segment: Symbol::new("s"),
        signature: signature(name),
        values: ["ann".into()].into(),
        first,
        last,
        end: oled::End::Terminated,
    };
    let sure = |mean: f64, weakest: f64| Confidence { mean, weakest };
    let mut relating = Relating::new(&task, &theory);
    let mut intervals = vec![
        (interval("a", 2, 5), sure(0.9, 0.4)),
        (interval("b", 4, 8), sure(0.8, 0.7)),
        (interval("b", 12, 13), sure(0.6, 0.6)),
    ];
    relating.follow(&mut intervals, 0);
    let told: Vec<(Plain, f64, f64)> = intervals[3..]
        .iter()
        .map(|(interval, sure)| (plain(std::slice::from_ref(interval)).remove(0), sure.mean, sure.weakest))
        .collect();
    assert_eq!(told, [(("met(ann)".into(), 2, 8), 0.8, 0.4), (("again(ann)".into(), 12, 13), 0.6, 0.4)]);
    // Without weights for `b` nothing is told.
    let related = task.related(&theory);
    let (with, without) = (untold(&related, &[signature("a"), signature("b")]), untold(&related, &[signature("a")]));
    assert_eq!((with.len(), without.len()), (0, 2));
}
