//! Deadlines: what was started so long ago ends, whatever happens.

use oled::testing::deterministic;
use oled::{FactReader, Frame, Precedence, Recogniser, Source, Symbol, Task, parse_theory};
use proptest::prelude::*;

const MODES: &str = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)).
    input(happensAt(hums(+pump), +time)). horizon(6).";
const RULES: &str = "initiatedAt(on(P), T) :- happensAt(starts(P), T).
    terminatedAt(on(P), T) :- happensAt(stops(P), T).";

fn task() -> Task {
    Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap()
}

/// Where a fluent holds, by what is started and stopped at each time point, said in other words than rules.
fn truth(points: &[(i64, bool, bool)], units: i64, extendable: bool, initially: bool, both: Precedence) -> Vec<bool> {
    let (mut holds, mut begun) = (initially, points[0].0);
    let mut found = Vec::new();
    for (time, starts, stops) in points {
        found.push(holds);
        if *starts && (extendable || !holds) {
            begun = *time;
        }
        let ends = *stops || holds && time - begun >= units;
        holds = both.next(holds, *starts, ends);
    }
    found
}

proptest! {
    #![proptest_config(deterministic(500))]

    #[test]
    fn what_was_started_so_long_ago_ends(
        points in prop::collection::vec((1..9_i64, any::<[bool; 3]>()), 1..30),
        units in 1..7_i64,
        (extendable, initially) in any::<(bool, bool)>(),
        both in prop::sample::select(&Precedence::ALL[..]),
    ) {
        let mut time = 0;
        // A stop is rarer than a start.
        let points: Vec<(i64, bool, bool)> = points
            .iter()
            .map(|(step, [starts, stops, rarely])| {
                // Whether something holds since the beginning is seen as far as the horizon only.
                time += if initially { *step.min(&6) } else { *step };
                (time, *starts, *stops && *rarely)
            })
            .collect();
        let third = if extendable { ", extendable" } else { "" };
        let first = if initially { "initially(on(P)) :- pump(P, T)." } else { "" };
        let text = format!("expires(on(_), {units}{third}). {RULES} {first}");
        let theory = parse_theory("t.lp", &text).unwrap();
        let mut task = task();
        task.options.both = both;
        let mut recogniser = Recogniser::new(&task, &theory).unwrap_or_else(|problems| panic!("{problems}"));
        let expected = truth(&points, units, extendable, initially, both);
        for ((time, starts, stops), expected) in points.iter().zip(expected) {
            let mut frame = Frame::new(Symbol::new("s"), *time);
            for (event, _) in [("hums", true), ("starts", *starts), ("stops", *stops)].iter().filter(|(_, is)| *is) {
                FactReader::default().read(&format!("happensAt({event}(p1), {time})"), &mut frame.narrative).unwrap();
            }
            recogniser.observe(&frame, &mut Vec::new());
            prop_assert_eq!(recogniser.holding().count() == 1, expected, "at {}: {} {:?}", time, text, points);
        }
    }
}

#[test]
fn another_value_follows() {
    let modes = "input(happensAt(proposes(+motion), +time)). input(happensAt(clock, +time)). horizon(6).";
    let mut task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    task.options.tracked = Some(Vec::new());
    let text = "initiatedAt(status(M)=open, T) :- happensAt(proposes(M), T).
        expires(status(M)=open, 3, status(M)=closed).
        expires(status(M)=closed, 2).";
    let mut recogniser = Recogniser::new(&task, &parse_theory("t.lp", text).unwrap()).unwrap();
    let mut found = Vec::new();
    for time in 1..12 {
        let mut frame = Frame::new(Symbol::new("s"), time);
        let event = if time == 2 { "proposes(m1)" } else { "clock" };
        FactReader::default().read(&format!("happensAt({event}, {time})"), &mut frame.narrative).unwrap();
        recogniser.observe(&frame, &mut found);
    }
    let written: Vec<String> = found.iter().map(|i| format!("{} {}..{}", i.fluent(), i.first, i.last)).collect();
    assert_eq!(written, ["status(m1)=open 3..5", "status(m1)=closed 6..7"]);
}

#[test]
fn written_rules_keep_their_numbers_and_wrong_deadlines_are_told() {
    let theory = parse_theory("t.lp", &format!("expires(on(P), 5). {RULES}")).unwrap();
    assert_eq!(theory.clauses[0].head.to_string(), "initiatedAt(on(P), T)");
    assert_eq!(parse_theory("again.lp", &theory.to_string()).unwrap(), theory, "it is printed as the rules it means");
    for (text, expected) in [
        ("expires(on(P), 0).", "a deadline is a whole number of time units, at least 1, not `0`"),
        ("expires(on(P), soon).", "at least 1, not `soon`"),
        ("expires(5, 5).", "`expires` is about a fluent, not about `5`"),
        ("expires(on(P)).", "`expires` has 2 or 3 parts, here 1"),
        ("expires(on(P), 5, off(P)).", "`off(P)` is neither `extendable` nor another value of `on`"),
        ("expires(on(P), 5) :- pump(P).", "`expires` is a fact, without conditions"),
    ] {
        let told = parse_theory("t.lp", text).unwrap_err().to_string();
        assert!(told.contains(expected) && told.contains("hint:"), "{told}");
    }
    let theory = parse_theory("t.lp", &format!("{RULES} expires(on(P), 60).")).unwrap();
    let told = task().check(&theory).unwrap_err().to_string();
    assert!(
        told.contains("looks back 60 time units, further than the horizon of 6") && told.contains("t.lp:2"),
        "{told}"
    );
}
