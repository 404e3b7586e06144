//! Programs for clingo and clingo as the judge, from the outside; and what is said where the program has no clingo.

mod common;

use std::fs;

use common::{oled, stderr, stdout};

/// A stream of the simulated world, in a folder of its own.
fn stream(frames: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lobby.jsonl");
    let output = oled(&["simulate", "--segments", "1", "--length", frames]);
    fs::write(&path, stdout(&output)).unwrap();
    let path = path.to_str().unwrap().to_string();
    (folder, path)
}

#[test]
fn a_task_a_theory_and_a_stream_become_one_program() {
    let (_folder, path) = stream("3");
    let output = oled(&["convert", &path, "--to", "asp", "--task", "lobby", "--theory", "hand"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let program = stdout(&output);
    for line in [
        "#show holdsAt/2.",
        "_measured(close(X,Y,_any),V',T) :- apart(X,Y,R,T), V' = R.",
        "initiatedAt(meeting(X2,X1),T) :- initiatedAt(meeting(X1,X2),T).",
        "_at(2). _time(2). _next(1,2).",
    ] {
        assert!(program.lines().any(|l| l == line), "{line}\n{program}");
    }
    let output = oled(&["convert", &path, "--to", "asp"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("hint: say which with `--task TASK`, and add `--theory FILE`"),
        "{}",
        stderr(&output)
    );
}

#[cfg(feature = "clingo")]
#[test]
fn clingo_says_the_same() {
    let (_folder, path) = stream("20");
    let output = oled(&["check", "lobby", "--theory", "hand", "--with", "clingo", "--input", &path]);
    let printed = stdout(&output);
    assert!(output.status.success(), "{printed}{}", stderr(&output));
    assert!(printed.contains("compared with clingo: 20 interpretations, 12 rules"), "{printed}");
    assert!(printed.ends_with("differences: 0\n"), "{printed}");
}

#[cfg(not(feature = "clingo"))]
#[test]
fn without_clingo_it_is_said_how_to_get_it() {
    let (folder, path) = stream("2");
    let how = "`cargo run --release --features clingo -- …`";
    let output = oled(&["check", "lobby", "--with", "clingo", "--input", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("built without clingo") && stderr(&output).contains(how), "{}", stderr(&output));
    fs::write(folder.path().join("task.toml"), "reasoner = \"clingo\"\n").unwrap();
    let output = oled(&["check", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("task.toml:1:12") && stderr(&output).contains(how), "{}", stderr(&output));
}
