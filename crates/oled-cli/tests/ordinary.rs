//! Ordinary predicates that are labelled, from the outside: every command takes them as it takes fluents.

mod common;

use std::path::Path;

use common::{oled, stderr, stdout};

/// A task in which somebody is in danger when somebody armed is near, a theory, and a stream of two people.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("task.toml", "name = \"guards\"\n");
    write(
        "modes.lp",
        "input(seen(+person, +time)). input(armed(+person, +time)). input(near(+person, +person, +time)).
         example(in_danger(+person, +time)). modeh(in_danger(+person, +time)).
         modeb(armed(+person, +time)). modeb(near(+person, -person, +time)).",
    );
    write("rules.lp", "in_danger(X, T) :- near(X, Y, T), armed(Y, T).\n");
    let points = [
        (1, "", "in_danger(p1,1)"),
        (2, "near(p1,p2,2)", "in_danger(p1,2)"),
        (3, "near(p1,p2,3)", ""),
        (4, "near(p2,p1,4)", ""),
        (5, "near(p1,p2,5)", "unknown(in_danger(p1),5)"),
    ];
    let quoted =
        |atoms: &[String]| atoms.iter().filter(|a| !a.is_empty()).map(|a| format!("{a:?}")).collect::<Vec<_>>();
    let lines = points.map(|(time, fact, label)| {
        let facts = [format!("seen(p1,{time})"), format!("armed(p2,{time})"), fact.to_string()];
        let (facts, labels) = (quoted(&facts).join(","), quoted(&[label.to_string()]).join(","));
        format!("{{\"time\":{time},\"narrative\":[{facts}],\"annotation\":[{labels}]}}\n")
    });
    write("stream.jsonl", &lines.concat());
    folder
}

fn run(folder: &Path, command: &str, more: &[&str]) -> String {
    let (theory, input) = (folder.join("rules.lp"), folder.join("stream.jsonl"));
    let mut args = vec![command, folder.to_str().unwrap()];
    args.extend(["--theory", theory.to_str().unwrap(), "--input", input.to_str().unwrap()]);
    args.extend(more);
    let output = oled(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(stderr(&output), "");
    stdout(&output)
}

#[test]
fn intervals_are_the_runs_of_time_points_at_which_a_rule_is_true() {
    let folder = folder();
    assert_eq!(
        run(folder.path(), "recognise", &[]),
        "segment,fluent,start,end,closed\nmain,in_danger(p1),2,3,terminated\nmain,in_danger(p1),5,5,segment\n"
    );
    assert_eq!(
        run(folder.path(), "recognise", &["--format", "jsonl"]).lines().next().unwrap(),
        r#"{"segment":"main","fluent":"in_danger(p1)","name":"in_danger","values":["p1"],"start":2,"end":3,"closed":"terminated"}"#
    );
}

#[test]
fn they_are_compared_with_labels_and_what_is_unknown_counts_for_nothing() {
    let folder = folder();
    let json: serde_json::Value = serde_json::from_str(&run(folder.path(), "evaluate", &["--json"])).unwrap();
    let counts = &json["fluents"]["in_danger"];
    assert_eq!((&counts["tp"], &counts["fp"], &counts["fn"]), (&1.into(), &1.into(), &1.into()), "{json}");
}

#[test]
fn they_are_explained_by_the_rules_of_their_own_time_point() {
    let folder = folder();
    assert_eq!(
        run(folder.path(), "explain", &["--fluent", "in_danger(p1)"]),
        "in_danger(p1) in main, 1: missed
  labelled from the first time point of its segment on
  not begun by rule 1 at 1
    in the way: near(p1, p2, 1)

in_danger(p1) in main, 2 to 3
  began by rule 1 at 2
    near(p1, p2, 2)
    armed(p2, 2)
  not begun by rule 1 at 4
    in the way: near(p1, p2, 4)

in_danger(p1) in main, 3: false alarm
  began by rule 1 at 3
    near(p1, p2, 3)
    armed(p2, 3)

in_danger(p1) in main, 5
  began by rule 1 at 5
    near(p1, p2, 5)
    armed(p2, 5)
  the segment ended at 5
"
    );
    assert_eq!(run(folder.path(), "explain", &[]), run(folder.path(), "explain", &["--fluent", "in_danger"]));
}

#[test]
fn a_check_tells_that_they_are_to_be_recognised() {
    let folder = folder();
    let output = oled(&["check", folder.path().to_str().unwrap()]);
    let text = stdout(&output);
    assert!(
        text.contains("\nto be recognised\n  in_danger(person, time)  at each time point, without inertia\n"),
        "{text}"
    );
    assert!(!text.contains("predicates static"), "{text}");
}

#[test]
fn a_theory_about_nothing_that_is_labelled_is_told() {
    let folder = folder();
    std::fs::write(folder.path().join("rules.lp"), "other(X, T) :- armed(X, T).\n").unwrap();
    let theory = folder.path().join("rules.lp");
    let input = folder.path().join("stream.jsonl");
    for command in ["recognise", "evaluate", "explain"] {
        let output = oled(&[
            command,
            folder.path().to_str().unwrap(),
            "--theory",
            theory.to_str().unwrap(),
            "--input",
            input.to_str().unwrap(),
        ]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("hint: rules for `in_danger(_, _)` do"), "{}", stderr(&output));
    }
}
