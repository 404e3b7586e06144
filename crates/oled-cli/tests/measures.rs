//! Measures and reports of single commands, on streams unlike CAVIAR: a frame a minute, dates, one segment with one rule.

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use common::{oled, root, start, stderr, stdout};
use serde_json::Value;

/// The first time point: 2026-03-01 06:00 UTC.
const START: i64 = 1_772_344_800;

/// A task about lamps; a time unit is a second.
fn task(folder: &Path) -> String {
    let files = [
        ("task.toml", "name = \"lamps\"\nmodes = \"modes.lp\"\nbackground = \"background.lp\"\n[stream]\nrate = 1.0\n"),
        (
            "modes.lp",
            "input(happensAt(on(+lamp), +time)).\ninput(happensAt(off(+lamp), +time)).\ninput(holdsAt(seen(+lamp), +time)).\n\
             example(holdsAt(lit(+lamp), +time)).\nmodeh(initiatedAt(lit(+lamp), +time)).\nmodeh(terminatedAt(lit(+lamp), +time)).\n\
             modeb(happensAt(on(+lamp), +time)).\nmodeb(happensAt(off(+lamp), +time)).\n",
        ),
        ("background.lp", ""),
        (
            "true.lp",
            "initiatedAt(lit(X), T) :- happensAt(on(X), T).\nterminatedAt(lit(X), T) :- happensAt(off(X), T).\n",
        ),
    ];
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
    folder.to_str().unwrap().to_string()
}

/// Segments of a frame a minute: the lamp goes on at every twentieth and off ten later. The label of the segments named is
/// missing.
fn stream(folder: &Path, segments: usize, frames: i64, unlabelled: &[usize]) -> String {
    let mut text = String::new();
    for segment in 0..segments {
        for i in 0..frames {
            let time = START + 60 * i;
            let event = match i % 20 {
                5 => format!(", \"happensAt(on(a), {time})\""),
                15 => format!(", \"happensAt(off(a), {time})\""),
                _ => String::new(),
            };
            let lit = (6..=15).contains(&(i % 20)) && !unlabelled.contains(&segment);
            let label = if lit { format!("\"holdsAt(lit(a), {time})\"") } else { String::new() };
            writeln!(
                text,
                "{{\"segment\": \"day{segment}\", \"time\": {time}, \"narrative\": [\"holdsAt(seen(a), {time})\"{event}], \"annotation\": [{label}]}}"
            )
            .unwrap();
        }
    }
    let path = folder.join("s.jsonl");
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn false_alarms_per_hour_are_by_time_and_not_by_frames() {
    let folder = tempfile::tempdir().unwrap();
    let (task, theory) = (task(folder.path()), folder.path().join("true.lp"));
    // Ten hours, one false alarm in an hour: the first of ten segments has no labels, and the lamp is lit in it once.
    let input = stream(folder.path(), 30, 20, &[0]);
    let command = ["evaluate", &task, "--theory", theory.to_str().unwrap(), "--input", &input, "--intervals"];
    let table = stdout(&oled(&command));
    assert!(
        table.lines().last().unwrap().ends_with(" 1       0.1"),
        "600 frames, a minute apart, are ten hours:\n{table}"
    );
    let json: Value = serde_json::from_str(&stdout(&oled(&[&command[..], &["--json"]].concat()))).unwrap();
    assert_eq!(json["intervals"]["lit"]["false_alarms_per_hour"], 0.1);
}

/// Learns with a report, from a file or from standard input; the page and what was said.
fn report(folder: &Path, task: &str, input: &str, piped: bool) -> (String, String) {
    let page = folder.join("report.html");
    let from = if piped { "-" } else { input };
    let mut child = start(&["learn", task, "--input", from, "--from", "jsonl", "--report", page.to_str().unwrap()]);
    let mut stdin = child.stdin.take().unwrap();
    if piped {
        stdin.write_all(&std::fs::read(input).unwrap()).unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    (std::fs::read_to_string(&page).unwrap(), stderr(&output))
}

#[test]
fn the_report_of_learn_shows_what_the_final_rules_recognise_whether_the_stream_is_a_file_or_piped() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path());
    let input = stream(folder.path(), 4, 60, &[]);
    let (of_file, said) = report(folder.path(), &task, &input, false);
    assert!(!said.contains("memory"), "a file is read again: {said}");
    // The rules that the stream was made with fit everywhere, also in the first segments, when there were none yet.
    assert!(of_file.contains("2 rules · F1 1.000 on what they were learned from · 4 segments · 240 time points"));
    assert!(of_file.contains("\"c\":[30,0,0]") && !of_file.contains("\"c\":[0,0,30]"), "no segment is missed");
    assert!(of_file.contains(">2026-03-01</text>"), "times are dates");
    assert!(!of_file.contains("results.json"), "it is not written");
    let (of_pipe, said) = report(folder.path(), &task, &input, true);
    assert!(said.contains("for the report 240 time points were kept in memory"), "{said}");
    assert_eq!(of_pipe.replace("standard input", ""), of_file.replace(&input, ""));
}

#[test]
fn repeating_the_last_label_stands_beside_prequential_scores() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path());
    let input = stream(folder.path(), 4, 60, &[]);
    let command = ["learn", &task, "--input", &input, "--prequential"];
    let said = stderr(&oled(&command));
    // 12 intervals of ten time points: the first of each is missed, and after each there is a false one.
    assert!(
        said.contains("repeat the last label\nlit          108        12        12     0.900     0.900     0.900\n"),
        "{said}"
    );
    let json: Value = serde_json::from_str(&stdout(&oled(&[&command[..], &["--json"]].concat()))).unwrap();
    assert_eq!(json["repeat_the_last_label"]["lit"]["tp"], 108);
}

#[test]
fn one_rule_is_no_rules() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path());
    let one = folder.path().join("one.lp");
    std::fs::write(&one, "initiatedAt(lit(X), T) :- happensAt(on(X), T).").unwrap();
    let checked = stdout(&oled(&["check", &task, "--theory", one.to_str().unwrap()]));
    assert!(checked.contains(": 1 rule, 2 literals"), "{checked}");
    let input = stream(folder.path(), 1, 1, &[]);
    let learned = stdout(&oled(&["learn", &task, "--input", &input]));
    assert!(learned.starts_with("% 0 rules, 0 literals, from 1 time point\n"), "{learned}");
}

#[test]
fn the_language_chapter_lists_every_key_of_task_toml() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path());
    let text = std::fs::read_to_string(root().join("book/src/language.md")).unwrap();
    let listed = text.split("file=plant/task.toml").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    // The program says what it knows when it meets what it does not.
    for (manifest, tables) in
        [("nonsense = 1", true), ("[calculus]\nnonsense = 1", false), ("[stream]\nnonsense = 1", false)]
    {
        std::fs::write(folder.path().join("task.toml"), manifest).unwrap();
        let said = stderr(&oled(&["check", &task]));
        let known = said.split("expected").nth(1).unwrap_or_else(|| panic!("{said}")).lines().next().unwrap();
        let keys: Vec<&str> = known.split('`').skip(1).step_by(2).collect();
        assert!(!keys.is_empty(), "{said}");
        for key in keys {
            let is_there = |line: &str| {
                // A key that stands for another one is told beside it.
                line.starts_with(&format!("{key} = "))
                    || line.contains(&format!("; {key} = "))
                    || (tables && (line.starts_with(&format!("[{key}]")) || line.starts_with(&format!("[{key}."))))
            };
            assert!(listed.lines().any(is_there), "`{key}` is not in the list");
        }
    }
}
