//! `oled explain` from the outside: hand-made streams of two people who meet, and a rule that was learned.

#[path = "../common/mod.rs"]
mod common;
mod rules;

use std::process::Output;

use serde_json::Value;

use common::{oled, stderr, stdout};

const MODES: &str = "
input(happensAt(active(+person), +time)).
input(happensAt(walking(+person), +time)).
input(place(+person, +metre, +time)).
type(metre, int).
example(holdsAt(meeting(+person, +person), +time)).
";

const BACKGROUND: &str = "
close(X, Y, T) :- place(X, A, T), place(Y, B, T), X != Y, abs(A - B) < 5.
far(X, Y, T) :- place(X, A, T), place(Y, B, T), X != Y, abs(A - B) >= 5.
";

const RULES: &str = "
initiatedAt(meeting(X, Y), T) :- happensAt(active(X), T), happensAt(active(Y), T), close(X, Y, T).
terminatedAt(meeting(X, Y), T) :- far(X, Y, T).
terminatedAt(meeting(X, Y), T) :- happensAt(walking(X), T), happensAt(walking(Y), T).
";

/// A task, its rules and a stream. Each time point: what p1 and p2 do and where they are, and whether `meeting(p1,p2)` is
/// labelled.
struct World {
    folder: tempfile::TempDir,
}

type Point<'a> = (&'a str, &'a str, bool);

impl World {
    fn new(rules: &str, segments: &[(&str, &[Point])]) -> World {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("task.toml", "name = \"pairs\"\n");
        write("modes.lp", MODES);
        write("background.lp", BACKGROUND);
        write("rules.lp", rules);
        let mut stream = String::new();
        for (segment, points) in segments {
            for (time, (p1, p2, labelled)) in points.iter().enumerate() {
                let mut facts = Vec::new();
                for (person, state) in [("p1", p1), ("p2", p2)] {
                    // `active 3`; nothing for somebody who is not there.
                    if let Some((event, place)) = state.split_once(' ') {
                        facts.push(format!("\"happensAt({event}({person}),{time})\""));
                        facts.push(format!("\"place({person},{place},{time})\""));
                    }
                }
                let label = if *labelled { format!("\"holdsAt(meeting(p1,p2),{time})\"") } else { String::new() };
                stream += &["{\"segment\":\"", segment, "\",\"time\":"].concat();
                stream += &[&time.to_string(), ",\"narrative\":[", &facts.join(","), "],\"annotation\":["].concat();
                stream += &[&label, "]}\n"].concat();
            }
        }
        write("s.jsonl", &stream);
        World { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_string()
    }

    fn explain(&self, more: &[&str]) -> Output {
        let (task, theory, stream) = (self.path(""), self.path("rules.lp"), self.path("s.jsonl"));
        oled(&[&["explain", &task, "--theory", &theory, "--input", &stream], more].concat())
    }

    /// What is said of `meeting(p1,p2)`, without what was measured, which has tests of its own.
    fn meeting(&self) -> String {
        let output = self.explain(&["--fluent", "meeting(p1,p2)"]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        without_measures(&stdout(&output))
    }
}

fn without_measures(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("  % abs").next().unwrap_or_default());
    lines.flat_map(|line| [line, "\n"]).collect()
}

#[test]
fn an_interval_is_explained_by_the_rules_that_began_and_ended_it() {
    let points = [
        ("walking 0", "active 3", false),
        ("active 1", "active 3", false),
        ("active 1", "active 3", true),
        ("active 1", "walking 9", true),
        ("active 1", "walking 12", false),
    ];
    let world = World::new(RULES, &[("hall", &points)]);
    assert_eq!(
        stdout(&world.explain(&["--fluent", "meeting(p1,p2)"])),
        "meeting(p1,p2) in hall, 2 to 3
  began by rule 1 at 1
    happensAt(active(p1), 1)
    happensAt(active(p2), 1)
    close(p1, p2, 1)  % abs(A - B) 2, less than 5
  ended by rule 2 at 3
    far(p1, p2, 3)  % abs(A - B) 8, at least 5
"
    );
}

#[test]
fn a_symmetric_fluent_is_explained_in_either_order() {
    // Rules and labels speak of one order each: p2 begins, p1 ends, and p1 comes first in the labels.
    let rules = "initiatedAt(meeting(X, Y), T) :- happensAt(active(X), T), happensAt(walking(Y), T).
        terminatedAt(meeting(X, Y), T) :- happensAt(abrupt(X), T), not happensAt(abrupt(Y), T).";
    let points = [
        ("walking 0", "active 3", false),
        ("standing 0", "standing 3", true),
        ("abrupt 1", "standing 3", true),
        ("standing 1", "standing 3", true),
    ];
    let world = World::new(rules, &[("hall", &points)]);
    let modes = format!("{MODES}input(happensAt(abrupt(+person), +time)). symmetric(meeting/2).");
    std::fs::write(world.path("modes.lp"), modes).unwrap();
    let asked = |fluent: &str| stdout(&world.explain(&["--fluent", fluent, "-q"]));
    let expected = "meeting(p1,p2) in hall, 1 to 2
  began by rule 1 at 0
    happensAt(active(p2), 0)
    happensAt(walking(p1), 0)
  ended by rule 2 at 2
    happensAt(abrupt(p1), 2)
    not happensAt(abrupt(p2), 2)
";
    for fluent in ["meeting(p1,p2)", "meeting(p2,p1)", "meeting(_,p1)", "meeting"] {
        let text = asked(fluent);
        assert!(text.starts_with(expected), "{fluent}:\n{text}");
        assert!(text.contains("meeting(p1,p2) in hall, 3: missed"), "what is missed is told too:\n{text}");
        assert!(!text.contains("meeting(p2,p1)"), "{text}");
    }
    let check = stdout(&oled(&["check", &world.path("")]));
    assert!(check.contains("holdsAt(meeting(person, person), time)  in either order"), "{check}");
}

#[test]
fn who_is_no_longer_observed_and_the_end_of_a_segment_end_intervals() {
    let points = [("active 1", "active 3", false), ("active 1", "active 3", true), ("active 1", "", false)];
    let other = [("active 1", "active 3", false), ("active 1", "active 3", true)];
    let began = |segment: &str, last: &str| {
        format!(
            "meeting(p1,p2) in {segment}, 1
  began by rule 1 at 0
    happensAt(active(p1), 0)
    happensAt(active(p2), 0)
    close(p1, p2, 0)
  {last}
"
        )
    };
    let world = World::new(RULES, &[("hall", &points), ("yard", &other)]);
    let (hall, yard) = (began("hall", "p2 was not observed at 2"), began("yard", "the segment ended at 1"));
    assert_eq!(world.meeting(), format!("{hall}\n{yard}"));
    let output = world.explain(&["--fluent", "meeting(p1,_)", "--segment", "yard"]);
    assert_eq!(without_measures(&stdout(&output)), yard);
}

#[test]
fn a_missed_interval_is_explained_by_what_was_in_the_way() {
    let points = [
        ("active 1", "walking 3", false),
        ("active 1", "walking 3", true),
        ("active 1", "walking 7", true),
        ("active 1", "walking 7", true),
        ("active 1", "walking 7", false),
    ];
    let world = World::new(RULES, &[("hall", &points)]);
    assert_eq!(
        world.meeting(),
        "meeting(p1,p2) in hall, 1 to 3: missed
  not begun by rule 1 at 0
    in the way: happensAt(active(p2), 0)
    in the way at 3 of 3: happensAt(active(p2), T)
    in the way at 1 of 3: close(p1, p2, T)
"
    );
}

#[test]
fn an_interval_that_ended_too_early_is_explained_by_the_rule_that_ended_it() {
    let points = [
        ("active 1", "active 3", false),
        ("walking 1", "walking 3", true),
        ("active 1", "walking 3", true),
        ("active 1", "walking 3", false),
    ];
    let world = World::new(RULES, &[("hall", &points)]);
    let text = world.meeting();
    let missed = text.split("\n\n").find(|part| part.contains("missed")).unwrap();
    assert_eq!(
        missed.trim_end(),
        "meeting(p1,p2) in hall, 2: missed
  ended by rule 3 at 1
    happensAt(walking(p1), 1)
    happensAt(walking(p2), 1)
  not begun by rule 1 at 1
    in the way: happensAt(active(p1), 1)
    in the way: happensAt(active(p2), 1)"
    );
}

#[test]
fn a_label_about_somebody_who_is_not_there_is_missed_whatever_the_rules_say() {
    let points = [("active 1", "active 3", false), ("active 1", "", true), ("active 1", "", true)];
    let world = World::new(RULES, &[("hall", &points)]);
    assert_eq!(
        world.meeting(),
        "meeting(p1,p2) in hall, 1 to 2: missed
  p2 was not observed at 1
    not observed at 2 of 2: p2
  tried in vain by rule 1 at 0
    happensAt(active(p1), 0)
    happensAt(active(p2), 0)
    close(p1, p2, 0)
  not begun by rule 1
    in the way at 1 of 2: happensAt(active(p2), T)
    in the way at 1 of 2: close(p1, p2, T)
"
    );
}

#[test]
fn a_false_alarm_is_explained_by_the_rule_that_began_it_or_by_what_kept_it_from_ending() {
    let points = [
        ("active 1", "active 3", false),
        ("active 1", "walking 3", false),
        ("active 1", "walking 3", true),
        ("active 1", "walking 3", false),
        ("active 1", "walking 9", false),
        ("active 1", "walking 9", false),
    ];
    let world = World::new(RULES, &[("hall", &points)]);
    let text = world.meeting();
    let mut alarms = text.split("\n\n").filter(|part| part.contains("false alarm"));
    assert_eq!(
        alarms.next().unwrap(),
        "meeting(p1,p2) in hall, 1: false alarm
  began by rule 1 at 0
    happensAt(active(p1), 0)
    happensAt(active(p2), 0)
    close(p1, p2, 0)"
    );
    assert_eq!(
        alarms.next().unwrap().trim_end(),
        "meeting(p1,p2) in hall, 3 to 4: false alarm
  the label ended at 2
  not ended by rule 2 at 2
    in the way: far(p1, p2, 2)
    in the way at 2 of 2: far(p1, p2, T)
  not ended by rule 3 at 2
    in the way: happensAt(walking(p1), 2)
    in the way at 2 of 2: happensAt(walking(p1), T)"
    );
}

#[test]
fn a_stream_without_labels_has_no_false_alarms() {
    let points = [("active 1", "active 3", false), ("active 1", "active 3", false), ("active 1", "", false)];
    let world = World::new(RULES, &[("hall", &points)]);
    assert!(!world.meeting().contains("false alarm"));
    let output = world.explain(&["--fluent", "meeting(p1,p2)"]);
    assert!(stderr(&output).contains("the stream has no labels"), "{}", stderr(&output));
}

#[test]
fn the_data_says_what_the_text_says_and_what_is_left_out_is_counted() {
    let pair = [("active 1", "active 3", false), ("active 1", "active 3", true), ("active 1", "", false)];
    let world = World::new(RULES, &[("a", &pair), ("b", &pair), ("c", &pair)]);
    let output = world.explain(&["--limit", "2", "--json"]);
    let data: Value = serde_json::from_str(&stdout(&output)).unwrap();
    // `meeting(p2,p1)` is recognised as well, and not labelled.
    let recognised = data["recognised"].as_array().unwrap();
    assert_eq!(recognised.len(), 2);
    assert_eq!(data["more"], serde_json::json!({"recognised": 4, "missed": 0, "false_alarms": 1}));
    assert_eq!(recognised[0]["fluent"], "meeting(p1,p2)");
    let began = &recognised[0]["reasons"][0];
    assert_eq!((&began["what"], &began["rule"], &began["time"]), (&"began".into(), &1.into(), &0.into()));
    let measured = serde_json::json!([{"what": "abs(A - B)", "value": 2, "comparison": "<", "threshold": 5}]);
    let close = serde_json::json!({"condition": "close(p1, p2, 0)", "true": true, "measured": measured});
    assert_eq!(began["conditions"][2], close);
    assert_eq!(recognised[0]["reasons"][1]["entities"], serde_json::json!(["p2"]));
    let text = stdout(&world.explain(&["--limit", "2"]));
    assert!(text.contains("not shown: 4 recognised, 1 false alarm;"), "{text}");
}

#[test]
fn a_time_point_chooses_and_the_exit_code_tells_whether_there_is_something_to_explain() {
    let points = [("active 1", "active 3", false), ("active 1", "active 3", true), ("active 1", "", false)];
    let world = World::new(RULES, &[("hall", &points)]);
    assert_eq!(world.explain(&["--fluent", "meeting(p1,p2)", "--at", "1"]).status.code(), Some(0));
    // One instance is explained at any time point; of many, those that hold there or should.
    let absent = stdout(&world.explain(&["--fluent", "meeting(p1,p2)", "--at", "2"]));
    assert!(absent.starts_with("meeting(p1,p2) in hall, 2: not recognised\n  p2 was not observed at 2\n"), "{absent}");
    let nothing = world.explain(&["--fluent", "meeting", "--at", "2"]);
    assert_eq!((nothing.status.code(), stdout(&nothing)), (Some(1), String::new()));
    let unknown = world.explain(&["--fluent", "meating(p1,p2)"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("did you mean `meeting`?"), "{}", stderr(&unknown));
}

#[test]
fn a_fluent_that_rules_derive_at_each_time_point_is_explained_at_that_point() {
    let points = [("active 1", "active 9", true), ("active 1", "active 3", true), ("active 1", "active 9", false)];
    let world = World::new("holdsAt(meeting(X, Y), T) :- close(X, Y, T).", &[("hall", &points)]);
    assert_eq!(
        world.meeting(),
        "meeting(p1,p2) in hall, 0: missed
  labelled from the first time point of its segment on
  not begun by rule 1 at 0
    in the way: close(p1, p2, 0)

meeting(p1,p2) in hall, 1
  began by rule 1 at 1
    close(p1, p2, 1)
  not begun by rule 1 at 2
    in the way: close(p1, p2, 2)
"
    );
}

#[test]
fn a_time_point_in_the_middle_is_explained_by_the_rule_that_is_true_there() {
    let points = [("active 1", "active 3", true), ("walking 1", "active 9", true), ("active 1", "active 9", false)];
    let rules = "holdsAt(meeting(X, Y), T) :- close(X, Y, T). holdsAt(meeting(X, Y), T) :- happensAt(walking(X), T).";
    let world = World::new(rules, &[("hall", &points)]);
    assert_eq!(
        without_measures(&stdout(&world.explain(&["--fluent", "meeting(p1,p2)", "--at", "1"]))),
        "meeting(p1,p2) in hall, 0 to 1
  began by rule 1 at 0
    close(p1, p2, 0)
  held by rule 2 at 1
    happensAt(walking(p1), 1)
  not begun by rule 1 at 2
    in the way: close(p1, p2, 2)
  not begun by rule 2 at 2
    in the way: happensAt(walking(p1), 2)
"
    );
}
