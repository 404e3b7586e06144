//! The program from the outside: results, exit codes, and the counts of CAVIAR's hand-written rules.

mod common;

use std::io::Write as _;
use std::process::Command;

use common::{oled, root, stderr, stdout};

/// The CAVIAR data beside the project; where it is absent, the test says so and passes.
fn caviar() -> Option<String> {
    let path = root().join("../shared/data/caviar");
    if !path.is_dir() {
        // Past the test harness, which shows what tests print only where they fail.
        let _ = writeln!(std::io::stderr(), "SKIPPED: ../shared/data/caviar not found");
        return None;
    }
    Some(path.to_str().unwrap().to_string())
}

fn counts(protocol: &str, data: &str) -> serde_json::Value {
    let output = oled(&[
        "evaluate",
        "tasks/caviar-listed",
        "--theory",
        "tasks/caviar-listed/theories/hand.lp",
        "--input",
        data,
        "--protocol",
        protocol,
        "--json",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).unwrap()
}

#[test]
fn the_rules_by_hand_give_the_reference_counts_on_caviar() {
    let Some(data) = caviar() else { return };
    for (protocol, fluent, tp, fp, fn_) in [
        ("fragment", "moving", 4008, 380, 2264),
        ("fragment", "meeting", 3099, 1395, 523),
        ("whole", "moving", 4008, 1554, 2264),
        ("whole", "meeting", 3099, 1736, 525),
        // Whole videos: rules about two people do not care who else is there.
        ("video10", "moving", 4008, 1554, 2264),
        ("clip", "meeting", 3099, 1736, 525),
        ("clean", "meeting", 3099, 1736, 525),
    ] {
        let found = &counts(protocol, &data)["fluents"][fluent];
        assert_eq!(
            (&found["tp"], &found["fp"], &found["fn"]),
            (&tp.into(), &fp.into(), &fn_.into()),
            "{protocol} {fluent}"
        );
    }
}

#[test]
fn a_converted_stream_gives_the_same_counts_as_the_xml() {
    let Some(data) = caviar() else { return };
    let folder = tempfile::tempdir().unwrap();
    let mut path = data.clone();
    for name in ["caviar.jsonl.gz", "caviar.lp", "caviar.psv", "caviar.json"] {
        let next = folder.path().join(name).to_str().unwrap().to_string();
        let to = ["jsonl", "facts", "rtec", "mongo"]
            [["gz", "lp", "psv", "json"].iter().position(|e| name.ends_with(e)).unwrap()];
        let output = oled(&["convert", &path, &next, "--to", to]);
        assert!(output.status.success(), "{}", stderr(&output));
        path = next;
    }
    let output = oled(&[
        "evaluate",
        "tasks/caviar-listed",
        "-t",
        "tasks/caviar-listed/theories/hand.lp",
        "--input",
        &path,
        "--from",
        "mongo",
        "--json",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    let found: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(found["fluents"], counts("video10", &data)["fluents"]);
}

#[test]
fn the_exit_code_tells_what_happened() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    let stream = stream.to_str().unwrap();
    let recognise = |text: &str| {
        std::fs::write(stream, text).unwrap();
        oled(&["recognise", "lobby", "--theory", "tasks/lobby/theories/true.lp", "--input", stream])
    };
    let nothing = recognise(r#"{"time":1,"narrative":["happensAt(walking(p1),1)"]}"#);
    assert_eq!(nothing.status.code(), Some(1), "nothing recognised");
    let wrong = recognise(r#"{"time":1,"narrative":["happensAt(walking(P1),1)"]}"#);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(stderr(&wrong).contains("s.jsonl:1:43"), "{}", stderr(&wrong));
    let unknown = oled(&["recognise", "nowhere", "--theory", "x.lp"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("a task is a folder"), "{}", stderr(&unknown));
}

#[test]
fn intervals_and_frames_say_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    let simulated = oled(&["simulate", "--length", "300", "--segments", "2"]);
    std::fs::write(&stream, &simulated.stdout).unwrap();
    let common =
        ["recognise", "lobby", "--theory", "tasks/lobby/theories/true.lp", "--input", stream.to_str().unwrap()];
    let run = |more: &[&str]| {
        let output = oled(&[&common[..], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let mut expanded: Vec<String> = Vec::new();
    for line in run(&["--format", "jsonl"]).lines() {
        let interval: serde_json::Value = serde_json::from_str(line).unwrap();
        for time in interval["start"].as_i64().unwrap()..=interval["end"].as_i64().unwrap() {
            expanded.push(format!(
                "{} {time} {}",
                interval["segment"].as_str().unwrap(),
                interval["fluent"].as_str().unwrap()
            ));
        }
    }
    let mut frames: Vec<String> = Vec::new();
    for line in run(&["--format", "jsonl", "--frames"]).lines() {
        let frame: serde_json::Value = serde_json::from_str(line).unwrap();
        for fluent in frame["holds"].as_array().unwrap() {
            frames.push(format!(
                "{} {} {}",
                frame["segment"].as_str().unwrap(),
                frame["time"],
                fluent.as_str().unwrap()
            ));
        }
    }
    expanded.sort();
    frames.sort();
    assert!(frames.len() > 100);
    assert_eq!(expanded, frames);
    assert_eq!(run(&["--frames"]).lines().count(), frames.len() + 1, "a header and a line per fluent and time point");
}

#[test]
fn lenient_reading_skips_and_counts() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    std::fs::write(
        &stream,
        r#"{"time":1,"narrative":["happensAt(active(p1),1)","happensAt(active(p2),1)","coords(p1,5,5,1)","coords(p2,6,6,1)"]}
{"time":1,"narrative":[]}
{"time":2,"narrative":["happensAt(active(p1),2)","happensAt(active(p2),2)","nonsense("]}
"#,
    )
    .unwrap();
    let args = ["recognise", "lobby", "--theory", "tasks/lobby/theories/true.lp", "--input", stream.to_str().unwrap()];
    assert_eq!(oled(&args).status.code(), Some(2));
    let output = oled(&[&args[..], &["--lenient"]].concat());
    assert_eq!(stdout(&output), "segment,fluent,start,end,closed\nmain,\"meeting(p1,p2)\",2,2,segment\n");
    assert!(stderr(&output).contains("skipped 2"), "{}", stderr(&output));
}

#[test]
fn check_reports_the_problems_of_all_files_at_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("theories")).unwrap();
    for (name, text) in [
        ("task.toml", "nam = \"x\"\n"),
        ("modes.lp", "inputt(p(+a, +time)).\ninput(q(+a, +time)).\n"),
        ("background.lp", "r(X, T) :- p(X, T).\n"),
        ("theories/a.lp", "initiatedAt(f(X), T) :- qq(X, T).\n"),
        ("theories/b.lp", "initiatedAt(f(X), T) :- q(X, T)\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let output = oled(&["check", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    for part in
        ["task.toml:1:1", "modes.lp:1:1", "did you mean `input`?", "background.lp:1:12", "a.lp:1:25", "b.lp:1:32"]
    {
        assert!(text.contains(part), "{part} in\n{text}");
    }
}

#[test]
fn an_unknown_tracked_type_is_a_problem_of_task_toml() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("task.toml"), "[calculus]\ntracked = [\"lamp\", \"lampp\"]\n").unwrap();
    std::fs::write(folder.path().join("modes.lp"), "input(happensAt(on(+lamp), +time)).\n").unwrap();
    let output = oled(&["check", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    let text = stderr(&output);
    assert!(text.contains("task.toml:2:20") && text.contains("did you mean `lamp`?"), "{text}");
}

#[test]
fn the_folder_that_one_is_in_has_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let task = folder.path().join("lamps");
    std::fs::create_dir(&task).unwrap();
    std::fs::write(task.join("task.toml"), "").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_oled")).args(["check", "."]).current_dir(&task).output().unwrap();
    assert!(stdout(&output).starts_with("task lamps:"), "{}", stdout(&output));
}

#[test]
fn theories_are_found_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str]| {
        // Elsewhere, so that `lobby` is the task that is built in.
        Command::new(env!("CARGO_BIN_EXE_oled")).args(args).current_dir(folder.path()).output().unwrap()
    };
    let check = stdout(&run(&["check", "lobby"]));
    assert!(
        check.contains("theory lobby/theories/hand.lp: ") && check.contains("theory lobby/theories/true.lp: "),
        "{check}"
    );
    std::fs::write(folder.path().join("s.jsonl"), run(&["simulate", "--length", "200", "--segments", "1"]).stdout)
        .unwrap();
    let tasks = root().join("tasks/lobby");
    let tasks = tasks.to_str().unwrap();
    let file = root().join("tasks/lobby/theories/true.lp");
    let by_file = run(&["recognise", tasks, "--theory", file.to_str().unwrap(), "--input", "s.jsonl"]);
    assert!(by_file.status.success(), "{}", stderr(&by_file));
    for (task, theory) in [("lobby", "true"), (tasks, "true"), (tasks, "true.lp")] {
        let by_name = run(&["recognise", task, "--theory", theory, "--input", "s.jsonl"]);
        assert_eq!(stdout(&by_name), stdout(&by_file), "{task} {theory}: {}", stderr(&by_name));
    }
    let unknown = run(&["recognise", "lobby", "--theory", "hnd", "--input", "s.jsonl"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(stderr(&unknown).contains("did you mean `hand`?"), "{}", stderr(&unknown));
}

#[test]
fn a_conversion_that_fails_keeps_what_was_good_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    std::fs::write(
        &stream,
        "{\"time\":1,\"narrative\":[\"p(a,1)\"]}\n{\"time\":2,\"narrative\":[\"p(b,2)\"]}\n{\"time\":3,\n",
    )
    .unwrap();
    let (input, target) = (stream.to_str().unwrap(), folder.path().join("s.lp"));
    let to_file = oled(&["convert", input, target.to_str().unwrap()]);
    assert_eq!(to_file.status.code(), Some(2));
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["s.jsonl"]);
    let to_stdout = oled(&["convert", input, "--to", "facts"]);
    assert_eq!(to_stdout.status.code(), Some(2));
    assert_eq!(stdout(&to_stdout), "segment(main).\np(a,1).\np(b,2).\n");
}

#[test]
fn facts_that_the_task_does_not_declare_are_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    std::fs::write(
        &stream,
        r#"{"time":1,"narrative":["happensAt(wlking(p1),1)","coords(p1,5,5,1)"],"annotation":["holdsAt(sleeping(p1),1)"]}
{"time":2,"narrative":["happensAt(wlking(p1),2)","coords(p1,5,5,2)"]}
"#,
    )
    .unwrap();
    let remark = "remark: 1 label of a predicate that the task does not declare was passed over: `holdsAt(sleeping(_), _)` (1)\n\
                  hint: if it is to be learned or compared with, declare it: `example(holdsAt(sleeping(+type), +time)).`\n";
    for (command, remark) in [("recognise", ""), ("evaluate", remark)] {
        let args = [command, "tasks/lobby", "--theory", "true", "--input", stream.to_str().unwrap()];
        assert_eq!(
            stderr(&oled(&args)),
            format!(
                "warning: 2 facts of a predicate that the task does not declare were passed over: `happensAt(wlking(_), _)` (2)\n\
                 hint: did you mean `happensAt(walking(_), _)`?\n{remark}"
            )
        );
        assert_eq!(stderr(&oled(&[&args[..], &["--quiet"]].concat())), "");
    }
}

#[test]
fn completions_are_printed_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(stdout(&oled(&["completions", shell])).contains("recognise"), "{shell}");
    }
}

#[test]
fn the_same_command_prints_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("demo.svg");
    let run = || {
        let output = oled(&["demo", "--segments", "4", "--svg", svg.to_str().unwrap()]);
        assert!(output.status.success(), "{}", stderr(&output));
        (output.stdout, std::fs::read(&svg).unwrap())
    };
    assert_eq!(run(), run());
}

#[test]
fn the_rules_of_the_world_change_after_as_many_segments_as_asked_for() {
    let simulate = |more: &[&str]| {
        let output = oled(&[&["simulate", "--length", "400", "--segments", "3", "--noise", "0"], more].concat());
        stdout(&output).lines().map(str::to_string).collect::<Vec<_>>()
    };
    let (usual, changed) = (simulate(&[]), simulate(&["--change", "1"]));
    assert_eq!((usual.len(), changed.len()), (1_200, 1_200));
    assert!(usual[..400] == changed[..400] && usual[400..] != changed[400..]);
    let help = stdout(&oled(&["simulate", "--help"]));
    assert!(help.contains("--change <N>"), "{help}");
}
