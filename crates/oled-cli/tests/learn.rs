//! `oled learn` from the outside: the theory at any time, the log, and the same bytes for any number of threads.

mod common;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use common::{oled, stderr, stdout};

/// A simulated stream in a folder that goes away.
fn stream() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, oled(&["simulate", "--segments", "4"]).stdout).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

#[test]
fn the_same_bytes_come_out_for_any_number_of_threads_and_on_every_run() {
    let (folder, path) = stream();
    let run = |threads: &str| {
        let log = folder.path().join("log.jsonl");
        let output =
            oled(&["learn", "lobby", "--input", &path, "--threads", threads, "--log", log.to_str().unwrap(), "--json"]);
        assert!(output.status.success(), "{}", stderr(&output));
        (output.stdout, std::fs::read(log).unwrap())
    };
    let one = run("1");
    assert_eq!(one, run("1"));
    assert_eq!(one, run("2"));
    assert_eq!(one, run("5"));
}

#[test]
fn the_log_tells_the_whole_history_of_each_rule() {
    let (folder, path) = stream();
    let log = folder.path().join("log.jsonl");
    let output = oled(&["learn", "lobby", "--input", &path, "--log", log.to_str().unwrap(), "--json"]);
    let learned: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let events: Vec<serde_json::Value> =
        std::fs::read_to_string(log).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let rules = learned["rules"].as_array().unwrap();
    assert!(rules.len() > 5);
    for rule in rules {
        let of_rule: Vec<_> =
            events.iter().filter(|e| e["process"] == rule["process"] && e["rule"] == rule["id"]).collect();
        assert_eq!(of_rule[0]["event"], "started", "{rule}");
        let mut body = serde_json::json!([]);
        for event in &of_rule[1..] {
            assert_eq!(event["event"], "expanded", "a rule that is printed was not pruned");
            assert_eq!(event["from"], body, "each decision starts where the last one ended");
            body = event["to"].clone();
        }
        assert_eq!(rule["body"], body);
    }
}

#[test]
fn learning_goes_on_from_rules_that_are_given() {
    let (folder, path) = stream();
    let start = folder.path().join("start.lp");
    std::fs::write(&start, "initiatedAt(meeting(A, B), T) :- happensAt(active(A), T), happensAt(active(B), T).\n")
        .unwrap();
    let output = oled(&["learn", "lobby", "--input", &path, "--theory", start.to_str().unwrap()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let first = stdout(&output).split("\n\n").nth(1).unwrap_or_default().to_string();
    assert!(first.contains("happensAt(active(X0), T),\n    happensAt(active(X1), T),\n    "), "specialised:\n{first}");

    std::fs::write(&start, "initiatedAt(meeting(A, B), T) :- happensAt(dancing(A), T).\n").unwrap();
    let output = oled(&["learn", "lobby", "--input", &path, "--theory", start.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("the modes do not allow the condition"), "{}", stderr(&output));
}

#[test]
fn wrong_settings_are_told_before_anything_is_read() {
    for (args, message) in [
        (&["--set", "prun=1"][..], "did you mean `prune`?"),
        (&["--set", "tie"][..], "is not of the form NAME=VALUE"),
        (&["--depth", "9"][..], "`9` is no value of `depth`: 1 to 5"),
        (&["--preset", "best"][..], "invalid value 'best'"),
    ] {
        let output = oled(&[&["learn", "lobby", "--input", "nowhere.jsonl"][..], args].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn snapshots_go_into_the_output_file_as_learning_proceeds() {
    let (folder, path) = stream();
    let theory = folder.path().join("t.lp");
    let output = oled(&["learn", "lobby", "--input", &path, "--every", "1500", "--output", theory.to_str().unwrap()]);
    assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
    let text = std::fs::read_to_string(&theory).unwrap();
    assert!(text.starts_with("% ") && text.contains("from 3996 interpretations"), "{text}");
    assert!(oled::parse_theory("t.lp", &text).unwrap().clauses.len() > 5);
}

/// Starts to learn from a pipe that stays open, and waits until the log file says that all of the input was used.
#[cfg(unix)]
fn learning_from_a_pipe(folder: &Path, path: &str) -> (std::process::Child, std::process::ChildStdin, PathBuf) {
    let theory = folder.join("t.lp");
    let mut child = Command::new(env!("CARGO_BIN_EXE_oled"))
        .args(["learn", "lobby", "--input", "-", "--from", "jsonl", "--output", theory.to_str().unwrap()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::io::Write::write_all(&mut stdin, &std::fs::read(path).unwrap()).unwrap();
    (child, stdin, theory)
}

#[cfg(unix)]
fn send(child: &std::process::Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[cfg(unix)]
#[test]
fn a_signal_asks_for_the_theory_and_an_interrupt_ends_with_it() {
    let (folder, path) = stream();
    let (child, mut stdin, theory) = learning_from_a_pipe(folder.path(), &path);
    // A signal is looked at with the next frame; frames are sent until the file is there.
    send(&child, "-USR1");
    let mut time = 0;
    while !theory.exists() {
        time += 1;
        std::io::Write::write_all(&mut stdin, format!("{{\"segment\":\"later\",\"time\":{time}}}\n").as_bytes())
            .unwrap();
        assert!(time < 1_000_000, "the theory was asked for and never came");
    }
    std::fs::remove_file(&theory).unwrap();
    send(&child, "-INT");
    // The pipe breaks when the program ends.
    while std::io::Write::write_all(&mut stdin, format!("{{\"segment\":\"last\",\"time\":{time}}}\n").as_bytes())
        .is_ok()
    {
        time += 1;
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    assert!(std::fs::read_to_string(&theory).unwrap().contains("initiatedAt(meeting(X0, X1), T)"));
}

#[test]
fn too_many_assignments_are_warned_of_and_logged_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let modes = "
        input(happensAt(calls(+person, +person), +time)).
        example(holdsAt(talking(+person, +person), +time)).
        modeh(initiatedAt(talking(+person, +person), +time)).
        modeb(happensAt(calls(+person, -person), +time)).
        modeb(happensAt(calls(+person, +person), +time)).";
    std::fs::write(path("task.toml"), "").unwrap();
    std::fs::write(path("modes.lp"), modes).unwrap();
    std::fs::write(path("background.lp"), "").unwrap();
    let frame = |time: usize| {
        let calls = (0..70).map(|i| format!("happensAt(calls(p{i}, p{}), {time})", (i + 1) % 70));
        serde_json::json!({"segment": "fair", "time": time, "narrative": calls.collect::<Vec<_>>()}).to_string()
    };
    std::fs::write(path("s.jsonl"), (1..4).map(frame).collect::<Vec<_>>().join("\n")).unwrap();
    let (task, log) = (folder.path().to_str().unwrap(), path("log.jsonl"));
    let output = oled(&["learn", task, "--input", &path("s.jsonl"), "--log", &log]);
    let text = stderr(&output);
    assert_eq!(
        text.matches("warning: initiatedAt(talking(X0, X1), T): at time 1 of segment `fair`").count(),
        1,
        "{text}"
    );
    assert!(text.contains("`Y0`") && text.contains("5041") && text.contains("hint: "), "{text}");
    let log = std::fs::read_to_string(log).unwrap();
    let event: serde_json::Value = serde_json::from_str(log.trim()).unwrap();
    assert_eq!((&event["event"], &event["variable"]), (&"too_many".into(), &"Y0".into()));
    assert_eq!(stderr(&oled(&["learn", task, "--input", &path("s.jsonl"), "--quiet"])), "");
}
