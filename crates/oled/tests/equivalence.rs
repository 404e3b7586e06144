//! Fluents that are equivalences: groups are closed at each time point, and an interval goes on as long as somebody connects.

use oled::{
    FactReader, Frame, Interval, Learner, Recogniser, Replay, ReplaySettings, Source, Symbol, Task, parse_theory,
};

const MODES: &str = "input(happensAt(joins(+who, +who), +time)). input(happensAt(leaves(+who), +time)).
    input(happensAt(parts(+who, +who), +time)). input(holdsAt(seen(+who), +time)). input(near(+who, +who, +time)).
    example(holdsAt(with(+who, +who), +time)). equivalence(with/2).";

fn task(more: &str) -> Task {
    let modes = Source::new("modes.lp", format!("{MODES} {more}"));
    Task::parse(&modes, &Source::new("background.lp", "")).unwrap_or_else(|problems| panic!("{problems}"))
}

/// Frames at which `a`, `b`, `c` and `d` are seen, and other facts are true; `-c` stands for nobody by that name.
fn frames(facts: &[&[&str]]) -> Vec<Frame> {
    let frame = |(at, facts): (usize, &&[&str])| {
        let mut frame = Frame::new(Symbol::new("main"), i64::try_from(at).unwrap());
        let mut read = |fact: String| FactReader::default().read(&fact, &mut frame.narrative).unwrap();
        for who in ["a", "b", "c", "d"].iter().filter(|who| !facts.contains(&&*format!("-{who}"))) {
            read(format!("holdsAt(seen({who}), {at})"));
        }
        for fact in facts.iter().filter(|fact| !fact.starts_with('-')) {
            let near = fact.starts_with("near");
            read(if near { fact.replace(')', &format!(",{at})")) } else { format!("happensAt({fact}, {at})") });
        }
        frame
    };
    facts.iter().enumerate().map(frame).collect()
}

fn recognised(task: &Task, rules: &str, frames: &[Frame]) -> Vec<String> {
    let theory = parse_theory("rules.lp", rules).unwrap();
    let mut recogniser = Recogniser::new(task, &theory).unwrap_or_else(|problems| panic!("{problems}"));
    let mut closed: Vec<Interval> = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut closed));
    recogniser.finish(&mut closed);
    let mut lines: Vec<String> =
        closed.iter().map(|i| format!("{} {}-{} {}", i.fluent(), i.first, i.last, i.end)).collect();
    lines.sort();
    lines
}

const STARTED: &str = "initiatedAt(with(X, Y), T) :- happensAt(joins(X, Y), T).
    terminatedAt(with(X, Y), T) :- happensAt(leaves(X), T).
    terminatedAt(with(X, Y), T) :- happensAt(parts(X, Y), T).";

#[test]
fn who_joins_one_of_a_group_is_with_all_of_it() {
    let frames = frames(&[&["joins(a,b)"], &["joins(c,b)"], &[], &["leaves(c)"], &[], &["joins(d,a)"], &["-d"], &[]]);
    let found = recognised(&task(""), STARTED, &frames);
    assert_eq!(
        found,
        [
            "with(a, b) 1-7 segment",
            "with(a, c) 2-3 terminated",
            // It would have begun at 6, where nobody sees d.
            "with(b, c) 2-3 terminated",
        ]
    );
}

#[test]
fn two_who_part_stay_together_while_somebody_connects_them() {
    let frames =
        frames(&[&["joins(a,b)"], &["joins(c,b)"], &["parts(a,c)"], &[], &["leaves(b)"], &[], &["parts(a,c)"]]);
    let found = recognised(&task(""), STARTED, &frames);
    // The interval of a and c is one, although a rule ended it in between; at the end of the segment it is ended by a rule.
    assert_eq!(found, ["with(a, b) 1-4 terminated", "with(a, c) 2-6 terminated", "with(b, c) 2-4 terminated"]);
}

#[test]
fn what_holds_while_conditions_are_met_is_closed_too() {
    let frames = frames(&[&["near(a,b)", "near(c,b)"], &["near(a,b)", "near(c,d)"], &["near(c,d)", "near(d,b)"]]);
    let found = recognised(&task(""), "holdsAt(with(X, Y), T) :- near(X, Y, T).", &frames);
    assert_eq!(
        found,
        [
            "with(a, b) 0-1 terminated",
            "with(a, c) 0-0 terminated",
            "with(b, c) 0-0 terminated",
            "with(b, c) 2-2 segment",
            "with(b, d) 2-2 segment",
            "with(c, d) 1-2 segment",
        ]
    );
}

#[test]
fn what_is_wrong_is_said() {
    let read = |modes: &str, background: &str| {
        Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap_err().to_string()
    };
    assert!(read("equivalence(with).", "").contains("an equivalence has a name and two arguments"));
    let candidates = read(MODES, "candidates(with(X, Y), T) :- near(X, Y, T).");
    assert!(candidates.contains("`with/2` is an equivalence, which has no candidates"), "{candidates}");
}

#[test]
fn learning_says_that_pairs_are_judged_one_by_one() {
    let task = task("modeh(initiatedAt(with(+who, +who), +time)). modeb(happensAt(joins(+who, +who), +time)).");
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    let mut frames = frames(&[&["joins(a,b)"], &[], &["joins(c,d)"], &[]]);
    for frame in &mut frames[1..] {
        FactReader::default().read(&format!("holdsAt(with(a,b), {})", frame.time), &mut frame.annotation).unwrap();
    }
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ());
    assert!(learned.estimated.iter().any(|remark| remark.contains("is an equivalence")), "{:?}", learned.estimated);
}
