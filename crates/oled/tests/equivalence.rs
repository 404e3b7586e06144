//! Fluents that are equivalences: groups are closed at each time point, and an interval goes on as long as somebody connects.

use oled::{
    Evaluation, FactReader, Frame, Interval, Learner, Recogniser, Replay, ReplaySettings, Source, Symbol, Task,
    parse_theory,
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

const LEARNED: &str = "modeb(happensAt(joins(+who, +who), +time)). modeb(happensAt(leaves(+who), +time)).
    modeb(happensAt(parts(+who, +who), +time)). modeb(near(+who, +who, +time)).";

/// Days of six people who join, leave and part, now and then unseen, labelled by rules; a share of the labels is wrong.
fn days(task: &Task, rules: &str, wrong: u64) -> Vec<Frame> {
    let mut number: u64 = 7;
    let mut random = move |of: u64| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) % of
    };
    let mut truth = Recogniser::new(task, &parse_theory("rules.lp", rules).unwrap()).unwrap();
    let mut frames = Vec::new();
    for day in 0..9 {
        for time in 0..60 {
            let mut frame = Frame::new(Symbol::new(&format!("day{day}")), time);
            let mut read = |fact: String| _ = FactReader::default().read(&fact, &mut frame.narrative).unwrap();
            for who in ["a", "b", "c", "d", "e", "f"] {
                if random(20) > 0 {
                    read(format!("holdsAt(seen({who}), {time})"));
                }
            }
            let mut who = || ["a", "b", "c", "d", "e", "f"][random(6) as usize];
            let (one, other, third) = (who(), who(), who());
            match random(6) {
                0 => read(format!("happensAt(joins({one},{other}), {time})")),
                1 if random(2) == 0 => read(format!("happensAt(leaves({one}), {time})")),
                2 => read(format!("happensAt(parts({one},{other}), {time})")),
                3 => {
                    read(format!("near({one},{other},{time})"));
                    read(format!("near({other},{third},{time})"));
                }
                _ => {}
            }
            truth.observe(&frame, &mut Vec::new());
            for (_, pair) in truth.holding() {
                if wrong == 0 || random(wrong) > 0 {
                    let label = format!("holdsAt(with({}, {}), {time})", pair[0], pair[1]);
                    FactReader::default().read(&label, &mut frame.annotation).unwrap();
                }
            }
            frames.push(frame);
        }
    }
    frames
}

/// What learning counts is what is recognised, with all that connects.
#[test]
fn what_is_learned_of_groups_is_what_is_recognised() {
    let persists = "modeh(initiatedAt(with(+who, +who), +time)). modeh(terminatedAt(with(+who, +who), +time)).";
    let holds = "modeh(holdsAt(with(+who, +who), +time)).";
    let near = "holdsAt(with(X, Y), T) :- near(X, Y, T).";
    let without_parting = STARTED.lines().take(2).collect::<Vec<_>>().join("\n");
    for (modes, rules, wrong, while_) in [
        (persists.to_string(), &*without_parting, 0, false),
        (persists.to_string(), STARTED, 9, false),
        (holds.to_string(), near, 0, true),
        (format!("{persists} {holds}"), near, 12, true),
        (format!("{persists} {holds}"), &*without_parting, 0, false),
    ] {
        let task = task(&format!("{LEARNED} {modes}"));
        let frames = days(&task, rules, wrong);
        let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
        frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
        let learned = learner.learned(&mut ());
        let theory = learned.theory();
        assert_eq!(learned.estimated, [""; 0]);
        let counted = |theory: &oled::Theory| {
            let mut recogniser = Recogniser::new(&task, theory).unwrap();
            let mut evaluation = Evaluation::new(&task.labels());
            for frame in &frames {
                recogniser.observe(frame, &mut Vec::new());
                evaluation.count(&recogniser, frame);
            }
            evaluation.by_fluent()[0]
        };
        let counts = counted(&theory);
        assert!(counts.tp > 100, "{theory}");
        assert_eq!(learned.fits[0].counts, counts, "{theory}");
        assert_eq!(theory.to_string().contains("holdsAt(with(X0, X1), T) :-"), while_, "{theory}");
        // The rules that made the labels are judged in the same way.
        let planted = parse_theory("rules.lp", &rules.replace("X,", "X0,").replace("(X)", "(X0)").replace("Y)", "X1)"));
        let planted = planted.unwrap();
        if let Ok(replayed) = learner.replay(&planted) {
            assert_eq!(replayed[0].1, counted(&planted), "{planted}");
        }
    }
}

#[test]
fn learning_says_what_is_not_judged_of_groups_that_go_on_unseen() {
    let mut task = task("modeh(initiatedAt(with(+who, +who), +time)). modeb(happensAt(joins(+who, +who), +time)).");
    task.options.tracked = Some(Vec::new());
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    let mut frames = frames(&[&["joins(a,b)"], &[], &["joins(c,d)"], &[]]);
    for frame in &mut frames[1..] {
        FactReader::default().read(&format!("holdsAt(with(a,b), {})", frame.time), &mut frame.annotation).unwrap();
    }
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ());
    assert!(learned.estimated.iter().any(|remark| remark.contains("is an equivalence")), "{:?}", learned.estimated);
}
