//! `oled learn` from the outside: the theory at any time, the log, and the same bytes for any number of threads.

#[path = "../common/mod.rs"]
mod common;
mod protocol;
mod replay;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::{listed, oled, start, stderr, stdout};

/// A simulated stream in a folder that goes away.
fn stream() -> (tempfile::TempDir, String) {
    segments("1000")
}

/// A stream that is long enough for replay.
fn short() -> (tempfile::TempDir, String) {
    segments("200")
}

/// Four segments of so many time points.
fn segments(length: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, oled(&["simulate", "--segments", "4", "--length", length]).stdout).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

#[test]
fn the_same_bytes_come_out_for_any_number_of_threads_and_on_every_run() {
    for (learner, (folder, path)) in [("oled", stream()), ("replay", short())] {
        let run = |threads: &str| {
            let log = folder.path().join("log.jsonl");
            let mut args = vec!["learn", listed(), "--learner", learner, "--input", &path, "--threads", threads];
            args.extend(["--json", "--log", log.to_str().unwrap()]);
            let output = oled(&args);
            assert!(output.status.success(), "{}", stderr(&output));
            (output.stdout, std::fs::read(log).unwrap())
        };
        let one = run("1");
        assert!(!one.1.is_empty());
        assert_eq!(one, run("2"), "{learner}");
        assert_eq!(one, run("5"), "{learner}");
    }
}

#[test]
fn the_log_tells_the_whole_history_of_each_rule() {
    let (folder, path) = stream();
    let log = folder.path().join("log.jsonl");
    let output =
        oled(&["learn", listed(), "--learner", "oled", "--input", &path, "--log", log.to_str().unwrap(), "--json"]);
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
fn the_log_tells_what_became_of_each_rule_that_was_given() {
    let (folder, path) = stream();
    let (start, log) = (folder.path().join("start.lp"), folder.path().join("log.jsonl"));
    // Good, a special case of the good one, hopeless whatever is added, and too general.
    let rules = "
        terminatedAt(meeting(A, B), T) :- happensAt(disappear(A), T).
        terminatedAt(meeting(A, B), T) :- happensAt(disappear(A), T), happensAt(walking(A), T).
        initiatedAt(fighting(A, B), T) :- far(A, B, 96, T).
        initiatedAt(leaving_object(A, B), T) :- happensAt(appear(B), T), close(A, B, 96, T).";
    std::fs::write(&start, rules).unwrap();
    let (start, log) = (start.to_str().unwrap(), log.to_str().unwrap());
    let learn = ["learn", listed(), "--learner", "oled", "--input", &path, "--theory", start];
    let output = oled(&[&learn[..], &["--log", log, "--json"]].concat());
    let learned: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let events: Vec<serde_json::Value> =
        std::fs::read_to_string(log).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let given: Vec<&serde_json::Value> = events.iter().filter(|e| e["event"] == "given").collect();
    let texts: Vec<String> = given.iter().map(|e| format!("{} {}", e["head"], e["body"])).collect();
    assert_eq!(
        texts,
        [
            r#""terminatedAt(meeting(X0, X1), T)" ["happensAt(disappear(X0), T)"]"#,
            r#""terminatedAt(meeting(X0, X1), T)" ["happensAt(walking(X0), T)","happensAt(disappear(X0), T)"]"#,
            r#""initiatedAt(fighting(X0, X1), T)" ["far(X0, X1, 96, T)"]"#,
            r#""initiatedAt(leaving_object(X0, X1), T)" ["happensAt(appear(X1), T)","close(X0, X1, 96, T)"]"#,
        ]
    );
    assert!(given.iter().all(|e| e["interpretation"] == 0));
    // Each is printed, left out for a reason, or was given up.
    let of = |list: &str, e: &serde_json::Value| {
        let mut rules = learned[list].as_array().unwrap().iter();
        rules.find(|r| r["process"] == e["process"] && r["id"] == e["rule"]).cloned()
    };
    let fates: Vec<String> = given
        .iter()
        .map(|e| {
            let pruned =
                events.iter().any(|p| p["event"] == "pruned" && p["process"] == e["process"] && p["rule"] == e["rule"]);
            match (of("rules", e), of("left_out", e), pruned) {
                (Some(_), None, false) => "printed".to_string(),
                (None, Some(rule), false) => rule["why"].as_str().unwrap().to_string(),
                (None, None, true) => "given up".to_string(),
                fate => panic!("{e}: {fate:?}"),
            }
        })
        .collect();
    assert_eq!(fates, ["printed", "covered by a more general rule", "given up", "printed"]);
    let remark = stderr(&output);
    let count = learned["left_out"].as_array().unwrap().len();
    assert!(remark.starts_with(&format!("remark: {count} rules are not printed: ")), "{remark}");
    assert!(remark.contains("covered by a more general rule"), "{remark}");
    let quiet = oled(&[&learn[..], &["--quiet"]].concat());
    assert_eq!(stderr(&quiet), "");

    // The story of a rule that was given is found by what was given, whatever became of it and of its variables.
    let text = stdout(&oled(&["explain", listed(), "--theory", start, "--log", log]));
    let stories: Vec<&str> = text.split("rule ").skip(1).collect();
    assert!(stories[0].ends_with("  given to start from\n\n"), "{text}");
    assert!(stories[2].contains("  given to start from\n  given up at interpretation "), "{text}");
    assert!(stories[3].contains("  given to start from\n  expanded at interpretation "), "{text}");
}

#[test]
fn learning_goes_on_from_rules_that_are_given() {
    let (folder, path) = stream();
    let start = folder.path().join("start.lp");
    std::fs::write(&start, "initiatedAt(meeting(A, B), T) :- happensAt(active(A), T), close(A, B, 34, T).\n").unwrap();
    let learn = ["learn", listed(), "--learner", "oled", "--input", &path, "--theory", start.to_str().unwrap()];
    let output = oled(&learn);
    assert!(output.status.success(), "{}", stderr(&output));
    let learned = stdout(&output);
    let of_head = |rule: &&str| rule.contains("\ninitiatedAt(leaving_object(X0, X1), T) :-\n");
    let rule = learned.split("\n\n").find(of_head).unwrap_or_default();
    let conditions = ["happensAt(active(X0), T)", "happensAt(appear(X1), T)", "close(X0, X1, 17, T)"];
    assert!(conditions.iter().all(|c| rule.contains(c)), "specialised:\n{rule}");

    std::fs::write(&start, "initiatedAt(meeting(A, B), T) :- happensAt(dancing(A), T).\n").unwrap();
    for learn in [&learn, &["learn", "lobby", "--learner", "replay", "--input", &path, "--theory", learn[7]]] {
        let output = oled(learn);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains("the modes do not allow the condition"), "{}", stderr(&output));
    }
}

#[test]
fn wrong_settings_are_told_before_anything_is_read() {
    let told = |args: &[&str], message: &str| {
        let output = oled(&[&["learn", listed(), "--input", "nowhere.jsonl"][..], args].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{args:?}: {}", stderr(&output));
    };
    for (args, message) in [
        (&["--set", "prun=1"][..], "did you mean `prune`?"),
        (&["--set", "tie"][..], "is not of the form NAME=VALUE"),
        (&["--depth", "9"][..], "`9` is no value of `depth`: 1 to 5"),
        (&["--preset", "best"][..], "invalid value 'best'"),
        (
            &["--window", "3"][..],
            "`--window` is for the learner `replay`, and this is `oled`\nhint: leave it out, or add",
        ),
        (&["--penalty", "0.01"][..], "`--penalty` is for the learner `replay`"),
        (&["--miss", "5"][..], "`--miss` is for the learner `replay`"),
        (&["--false-alarm", "5"][..], "`--false-alarm` is for the learner `replay`"),
        (&["--runs", "100"][..], "`--runs` is for the learner `replay`"),
        (&["--forget", "2"][..], "`--forget` is for the learner `replay`"),
        (&["--no-refits"][..], "`--no-refits` is for the learner `replay`"),
    ] {
        told(&[&["--learner", "oled"][..], args].concat(), message);
    }
    for (args, message) in [
        (&["--set", "windov=1"][..], "did you mean `window`?"),
        (&["--penalty", "2"][..], "`2` is no value of `penalty`: 0 to 1, or none"),
        (&["--miss", "0"][..], "a cost is a number above 0"),
        (&["--set", "miss=-1"][..], "`-1` is no value of `miss`: above 0"),
        (&["--runs", "3"][..], "`3` is no value of `runs`: 64 or more"),
        (&["--preset", "default"][..], "`--preset` is for the learner `oled`, and this is `replay`"),
        (&["--depth", "2"][..], "`--depth` is for the learner `oled`"),
        (&["--delta", "0.1"][..], "`--delta` is for the learner `oled`"),
        (&["--prune", "0.5"][..], "`--prune` is for the learner `oled`"),
        (&["--warmup", "5"][..], "`--warmup` is for the learner `oled`"),
    ] {
        told(args, message);
    }
}

#[test]
fn costs_of_errors_count_for_rules_for_weights_and_for_the_threshold() {
    let (folder, path) = short();
    let learn = |args: &[&str]| {
        let output = oled(&[&["learn", listed(), "--input", &path, "--no-refits"][..], args].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        output
    };
    let eager = stdout(&learn(&["--miss", "5"]));
    assert_ne!(eager, stdout(&learn(&[])), "other costs, other rules");
    assert_eq!(eager, stdout(&learn(&["--set", "miss=5"])));
    assert_eq!(eager, stdout(&learn(&["--miss", "2.5", "--false-alarm", "0.5"])), "only the ratio matters");
    // With weights the command tells the threshold, and without costs that differ there is nothing to tell.
    let threshold = |args: &[&str]| {
        let told = stderr(&learn(&[&["--weights"], args].concat()));
        told.lines().find(|line| line.contains("threshold")).map(str::to_string)
    };
    let line = "with these costs it pays to say that something holds where that is at least 0.167 probable: \
        `--confidence --threshold 0.167`";
    assert_eq!(threshold(&["--miss", "5"]).as_deref(), Some(line));
    assert_eq!(threshold(&["--set", "miss=5"]).as_deref(), Some(line));
    assert_eq!(threshold(&[]), None);
    let rules = folder.path().join("rules.lp");
    std::fs::write(&rules, &eager).unwrap();
    let args = ["weigh", listed(), "--theory", rules.to_str().unwrap(), "--input", &path, "--false-alarm", "3"];
    let told = stderr(&oled(&args));
    assert!(told.contains("`--confidence --threshold 0.750`"), "{told}");
    // Rules that are given are what they are.
    let args = ["crossval", listed(), "--theory", rules.to_str().unwrap(), "--input", &path, "--miss", "5"];
    let told = stderr(&oled(&args));
    assert!(told.contains("`--miss` changes nothing about rules that are given\nhint:"), "{told}");
}

#[test]
fn snapshots_go_into_the_output_file_as_learning_proceeds() {
    let folder = tempfile::tempdir().unwrap();
    let theory = folder.path().join("t.lp");
    for (learner, task, (_folder, path), more, seen) in [
        ("oled", listed(), stream(), &["--print-every", "1500"][..], "from 3996 interpretations"),
        ("replay", "lobby", segments("150"), &["--print-every", "400", "--no-refits"][..], "from 600 time points"),
    ] {
        let mut args = vec!["learn", task, "--learner", learner, "--input", &path];
        args.extend(["--output", theory.to_str().unwrap()]);
        args.extend(more);
        let output = oled(&args);
        assert!(output.status.success() && output.stdout.is_empty(), "{}", stderr(&output));
        let text = std::fs::read_to_string(&theory).unwrap();
        assert!(text.starts_with("% ") && text.contains(seen), "{text}");
        assert!(oled::parse_theory("t.lp", &text).unwrap().clauses.len() > 5);
    }
}

/// Starts to learn from a pipe that stays open, and waits until the log file says that all of the input was used.
#[cfg(unix)]
fn learning_from_a_pipe(
    folder: &Path,
    path: &str,
    learner: &str,
) -> (std::process::Child, std::process::ChildStdin, PathBuf) {
    let theory = folder.join(format!("{learner}.lp"));
    let task = ["learn", listed(), "--learner", learner, "--input", "-", "--from", "jsonl"];
    let mut child = start(&[&task[..], &["--output", theory.to_str().unwrap()]].concat());
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
    for (learner, (folder, path)) in [("oled", stream()), ("replay", short())] {
        let (child, mut stdin, theory) = learning_from_a_pipe(folder.path(), &path, learner);
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
        let text = std::fs::read_to_string(&theory).unwrap();
        // A search that begins after the signal ends soon, with what it has found by then.
        let found = learner == "replay" || text.contains("initiatedAt(meeting(X0, X1), T)");
        assert!(found && text.starts_with("% "), "{text}");
    }
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
    let output = oled(&["learn", task, "--learner", "oled", "--input", &path("s.jsonl"), "--log", &log]);
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
    assert_eq!(stderr(&oled(&["learn", task, "--learner", "oled", "--input", &path("s.jsonl"), "--quiet"])), "");
    let replay = stderr(&oled(&["learn", task, "--input", &path("s.jsonl")]));
    assert_eq!(replay.matches("warning: ").count(), 1, "{replay}");
}
