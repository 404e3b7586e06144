//! `holdsFor`: operations on intervals mean the same as rules about time points.

use oled::testing::deterministic;
use oled::{FactReader, Frame, Interval, Recogniser, Source, Symbol, Task, parse_theory};
use proptest::prelude::*;

const MODES: &str = "input(happensAt(starts(+what, +who), +time)). input(happensAt(stops(+what, +who), +time)).";
const RULES: &str = "initiatedAt(a(X), T) :- happensAt(starts(a, X), T).
    terminatedAt(a(X), T) :- happensAt(stops(a, X), T).
    initiatedAt(b(X), T) :- happensAt(starts(b, X), T).
    terminatedAt(b(X), T) :- happensAt(stops(b, X), T).
    initiatedAt(c(X)=high, T) :- happensAt(starts(c, X), T).
    initiatedAt(c(X)=low, T) :- happensAt(stops(c, X), T).
    friend(ann, bob). friend(bob, ann).";

/// What is written with intervals, and with time points.
const PAIRS: [(&str, &str); 6] = [
    (
        "holdsFor(f(X)=true, I) :- holdsFor(a(X)=true, I1), holdsFor(b(X)=true, I2), union_all([I1,I2], I).",
        "holdsAt(f(X), T) :- holdsAt(a(X), T). holdsAt(f(X), T) :- holdsAt(b(X), T).",
    ),
    (
        "holdsFor(f(X, Y), I) :- holdsFor(a(X), I1), holdsFor(c(Y)=high, I2), friend(X, Y), intersect_all([I1, I2], I).",
        "holdsAt(f(X, Y), T) :- holdsAt(a(X), T), holdsAt(c(Y)=high, T), friend(X, Y).",
    ),
    (
        "holdsFor(f(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), holdsFor(c(X)=low, I3),
            relative_complement_all(I1, [I2, I3], I).",
        "holdsAt(f(X), T) :- holdsAt(a(X), T), not holdsAt(b(X), T), not holdsAt(c(X)=low, T).",
    ),
    (
        // Lists may be used before they are named, and more than once.
        "holdsFor(f(X), I) :- relative_complement_all(I4, [I5], I), union_all([I1, I3], I4), intersect_all([I1, I2], I5),
            holdsFor(a(X), I1), holdsFor(b(X), I2), holdsFor(c(X)=high, I3).",
        "holdsAt(f(X), T) :- one(X, T), not both(X, T).
         one(X, T) :- holdsAt(a(X), T). one(X, T) :- holdsAt(c(X)=high, T).
         both(X, T) :- holdsAt(a(X), T), holdsAt(b(X), T).",
    ),
    (
        "holdsFor(f(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), holdsFor(c(X)=low, I3),
            relative_complement_all(I2, [I3], I4), relative_complement_all(I1, [I4], I).",
        "holdsAt(f(X), T) :- holdsAt(a(X), T), not other(X, T).
         other(X, T) :- holdsAt(b(X), T), not holdsAt(c(X)=low, T).",
    ),
    ("holdsFor(f(X)=some, I) :- holdsFor(a(X), I).", "holdsAt(f(X)=some, T) :- holdsAt(a(X), T)."),
];

fn intervals(rules: &str, frames: &[Frame]) -> Vec<Interval> {
    let mut task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap();
    task.options.tracked = Some(Vec::new());
    let theory = parse_theory("t.lp", &format!("{RULES}\n{rules}")).unwrap_or_else(|problems| panic!("{problems}"));
    let mut recogniser = Recogniser::new(&task, &theory).unwrap_or_else(|problems| panic!("{problems}"));
    let mut found = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut found));
    recogniser.finish(&mut found);
    found.sort_by_key(|i| (i.first, i.last, i.fluent().to_string()));
    found
}

proptest! {
    #![proptest_config(deterministic(60))]

    #[test]
    fn intervals_are_those_of_rules_about_time_points(
        points in prop::collection::vec(prop::collection::vec((0..3_usize, any::<[bool; 2]>()), 0..4), 1..25),
    ) {
        let frames: Vec<Frame> = points.iter().zip(1..).map(|(events, time)| {
            let mut frame = Frame::new(Symbol::new("s"), time);
            for (what, [starts, first]) in events {
                let (act, who) = (if *starts { "starts" } else { "stops" }, if *first { "ann" } else { "bob" });
                let event = format!("happensAt({act}({}, {who}), {time})", ["a", "b", "c"][*what]);
                FactReader::default().read(&event, &mut frame.narrative).unwrap();
            }
            frame
        }).collect();
        for (with_intervals, with_points) in PAIRS {
            prop_assert_eq!(intervals(with_intervals, &frames), intervals(with_points, &frames), "{}", with_intervals);
        }
    }
}

#[test]
fn what_cannot_be_said_is_told() {
    for (text, expected, hint) in [
        (
            "holdsFor(f(X), I) :- holdsFor(a(X), I1), intDurGreater(I1, 5, I).",
            "`intDurGreater(I1, 5, I)` cannot",
            "min_duration",
        ),
        (
            "holdsFor(f(X), I) :- holdsFor(a(X), I1), holdsFor(b(X), I2), before(I1, I2, I).",
            "cannot be said",
            "allen(before, I1, I2, union, I)",
        ),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I1), complement_all([I1], I).", "expected a term", "union_all"),
        (
            "holdsFor(f(X), I) :- holdsFor(a(X), I1), union_all([I1, I2], I).",
            "which intervals `I2` has",
            "holdsFor(fluent, I2)",
        ),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I1).", "which intervals `I` has", "union_all"),
        ("holdsFor(f(X), I) :- not holdsFor(a(X), I).", "cannot be negated", "relative_complement_all"),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I1), union_all(I1, I).", "`I1` is no list of intervals", "[I1, I2]"),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I1), union_all([], I).", "a list without intervals", "[I1, I2]"),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I1), union_all([I1], I2, I).", "does not have 3 arguments", "union_all("),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I), holdsFor(b(X), I).", "two conditions say", "a name of its own"),
        ("holdsFor(f(X), 5) :- holdsFor(a(X), 5).", "`5` is no name for intervals", "such as `I`"),
        ("holdsFor(f(X)).", "`holdsFor` has 2 arguments, here 1", "holdsFor(moving"),
        ("initiatedAt(f(X), T) :- happensAt(e, T), holdsFor(a(X), I).", "in rules for `holdsFor` only", "holdsAt("),
        ("p(X, T) :- q([X, Y], T).", "expected a term, found `[`", "union_all"),
        ("holdsFor(f(X), I) :- holdsFor(a(X), I1), union_all([I1 I], I).", "expected `,` or `]`", ""),
    ] {
        let told = parse_theory("t.lp", text).unwrap_err().to_string();
        assert!(told.contains(expected) && told.contains(hint) && told.contains("t.lp:1:"), "{text}\n{told}");
    }
    // It is printed as the rules it means, which are read back.
    let theory = parse_theory("t.lp", PAIRS[3].0).unwrap();
    assert_eq!(parse_theory("again.lp", &theory.to_string()).unwrap(), theory);
}
