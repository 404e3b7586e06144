//! What the program says of streams and rules that are not what they were meant to be, and what reaches a terminal.

mod common;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use common::{stderr, stdout};

const MODES: &str = "type(celsius, real).
input(temp(+machine, +celsius, +time)).
input(happensAt(error(+machine, +code), +time)).
modeh(initiatedAt(overheating(+machine), +time)).
modeh(terminatedAt(overheating(+machine), +time)).
modeb(hot(+machine, #celsius, +time)).
modeb(happensAt(error(+machine, #code), +time)).
comparison(hot(+machine, #celsius, +time), 2, smaller).
example(holdsAt(overheating(+machine), +time)).
";
const BACKGROUND: &str = "hot(M, L, T) :- temp(M, V, T), V > L.\ncode('E17').\n";
const RULES: &str =
    "initiatedAt(overheating(M), T) :- hot(M, 80, T).\nterminatedAt(overheating(M), T) :- not hot(M, 60, T).\n";

/// A folder with a task, some rules and a stream of these lines.
fn folder(stream: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir(path.join("it")).unwrap();
    for (name, text) in [
        ("it/task.toml", ""),
        ("it/modes.lp", MODES),
        ("it/background.lp", BACKGROUND),
        ("rules.lp", RULES),
        ("s.jsonl", stream),
    ] {
        fs::write(path.join(name), text).unwrap();
    }
    folder
}

fn run(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
    command.args(args.split(' ')).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null()).output().unwrap()
}

/// Every command that reads the stream of a task.
const COMMANDS: [&str; 5] = [
    "recognise it --theory rules.lp --input s.jsonl",
    "evaluate it --theory rules.lp --input s.jsonl",
    "explain it --theory rules.lp --input s.jsonl",
    "learn it --input s.jsonl",
    "crossval it --theory rules.lp --folds 2 --input s.jsonl",
];

fn frame(segment: &str, time: i64, fact: &str) -> String {
    format!("{{\"segment\":\"{segment}\",\"time\":{time},\"narrative\":[\"{fact}\"]}}\n")
}

#[test]
fn a_temperature_that_is_no_number_raises_no_alarm_but_an_error_in_every_command() {
    let stream: String =
        ["a", "b"].iter().map(|s| frame(s, 1, "temp(a,90,1)") + &frame(s, 2, "temp(a,nan,2)")).collect();
    let folder = folder(&stream);
    for command in COMMANDS {
        let output = run(folder.path(), command);
        assert_eq!(output.status.code(), Some(2), "{command}");
        let said = stderr(&output);
        let message = "error: `nan` in `temp(a, nan, 2)` is not a number, as every `celsius` is, at time 2 of segment `a`\n --> s.jsonl:2:46\n";
        assert!(said.starts_with(message), "{command}: {said}");
        let lenient = stderr(&run(folder.path(), &format!("{command} --lenient")));
        assert!(lenient.contains("warning: skipped 2: 2 values of other types\n"), "{command}: {lenient}");
    }
}

#[test]
fn facts_and_labels_that_nothing_declares_are_told_by_learn_too() {
    let stream = frame("a", 1, "temq(a,90,1)").replace('}', ",\"annotation\":[\"holdsAt(overheatin(a),1)\"]}")
        + &frame("b", 1, "temp(a,90,1)");
    let folder = folder(&stream);
    for command in COMMANDS {
        let said = stderr(&run(folder.path(), command));
        let facts = "warning: 1 fact of a predicate that the task does not declare was passed over: `temq(_, _, _)` (1); 1 frame has no others\nhint: did you mean `temp(_, _, _)`?\n";
        assert_eq!(said.matches(facts).count(), 1, "{command}: {said}");
        let labels = "warning: 1 label of a predicate that the task does not declare was passed over: `holdsAt(overheatin(_), _)` (1)\nhint: did you mean `holdsAt(overheating(_), _)`?\n";
        assert_eq!(said.matches(labels).count(), usize::from(!command.starts_with("recognise")), "{command}: {said}");
        let quiet = stderr(&run(folder.path(), &format!("{command} --quiet")));
        assert!(!quiet.contains("warning"), "{command}: {quiet}");
    }
}

#[test]
fn frames_that_are_flat_json_do_not_pass_in_silence() {
    let folder = folder("{\"time\":1,\"machine\":\"web-01\",\"temp\":91}\n");
    for command in &COMMANDS[..4] {
        let said = stderr(&run(folder.path(), command));
        assert!(
            said.contains("warning: frames have keys that mean nothing there: `machine` (1), `temp` (1)\nhint: "),
            "{command}: {said}"
        );
    }
}

#[test]
fn a_constant_without_quotes_is_warned_of() {
    let folder = folder(&frame("a", 1, "temp(a,90,1)"));
    let path = folder.path();
    let rule = "terminatedAt(overheating(M), T) :- happensAt(error(M, E17), T).\n";
    fs::write(path.join("rules.lp"), format!("{RULES}{rule}")).unwrap();
    let warning = "warning: the variable `E17` stands once in this rule, so it may be anything\n --> rules.lp:3:55\n";
    for command in COMMANDS
        .iter()
        .map(|c| c.replace("learn it", "learn it --theory rules.lp"))
        .chain(["check it --theory rules.lp".into()])
    {
        let said = stderr(&run(path, &command));
        assert_eq!(said.matches(warning).count(), 1, "{command}: {said}");
        assert!(!stderr(&run(path, &format!("{command} --quiet"))).contains("warning"), "{command}");
    }
    let background = format!("{BACKGROUND}odd(M, T) :- happensAt(error(M, E18), T).\n");
    fs::write(path.join("it/background.lp"), background).unwrap();
    for command in ["check it --theory rules.lp", "learn it --input s.jsonl"] {
        let said = stderr(&run(path, command));
        assert_eq!(said.matches("the variable `E18` stands once").count(), 1, "{command}: {said}");
    }
}

#[test]
fn the_tasks_that_are_built_in_have_no_such_variables() {
    for task in ["lobby", "lobby-listed", "caviar", "caviar-listed"] {
        let output = run(Path::new("."), &format!("check {task}"));
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()), "{task}");
    }
}

#[test]
fn what_learn_refuses_check_refuses_too_with_the_caret_on_the_right_line() {
    let folder = folder("");
    fs::write(folder.path().join("it/background.lp"), "hot(M, L, T) :- temp(M, V, T), V > L.\n").unwrap();
    let expected = "\
error: the type `code` of a constant in `modeb(happensAt(error(+machine, #code), +time))` has no facts
 --> it/modes.lp:7:34
  |
7 | modeb(happensAt(error(+machine, #code), +time)).
  |                                  ^^^^
hint: list its values in background.lp, each as a fact: `code(value).`; `oled learn` takes them from its stream, where that is kept in files and inputs have values of this type
";
    // Standard input cannot be read twice.
    for command in ["check it", "learn it --input -", "learn it --input s.jsonl --lateness 3"] {
        let output = run(folder.path(), command);
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(2), expected), "{command}");
    }
}

#[test]
fn constants_that_nobody_lists_are_taken_from_the_stream() {
    let stream = |codes: usize| -> String {
        let frame = |i: usize| {
            format!(
                "{{\"segment\":\"a\",\"time\":{i},\"narrative\":[\"happensAt(error(m1, 'E {}'), {i})\"],\"annotation\":[]}}\n",
                i % codes
            )
        };
        (0..200).map(frame).collect()
    };
    let folder = folder(&stream(3));
    let background = "hot(M, L, T) :- temp(M, V, T), V > L.\n";
    fs::write(folder.path().join("it/background.lp"), background).unwrap();
    let taken = run(folder.path(), "learn it --input s.jsonl --checkpoint c");
    let said = stderr(&taken);
    assert!(said.contains("remark: 3 values of `code` taken from the stream: background.lp lists none\n"), "{said}");
    // As if they were listed.
    let listed = "code('E 0'). code('E 1'). code('E 2').\n";
    fs::write(folder.path().join("it/background.lp"), format!("{background}{listed}")).unwrap();
    let given = run(folder.path(), "learn it --input s.jsonl");
    assert_eq!((taken.status.code(), &taken.stdout), (given.status.code(), &given.stdout));
    fs::write(folder.path().join("it/background.lp"), background).unwrap();
    // They are part of what a checkpoint was made of.
    fs::write(folder.path().join("s.jsonl"), stream(4)).unwrap();
    let other = stderr(&run(folder.path(), "learn it --input s.jsonl --checkpoint c --resume"));
    assert!(other.contains("the task"), "{other}");
    fs::write(folder.path().join("s.jsonl"), stream(200)).unwrap();
    let output = run(folder.path(), "learn it --input s.jsonl");
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("error: the stream has more than 128 values of the type `code`"), "{said}");
    assert!(said.contains("hint: list those that matter in background.lp"), "{said}");
}

#[test]
fn a_stream_that_is_a_plain_argument_is_told_the_option() {
    let folder = folder("");
    for command in
        ["learn it s.jsonl", "recognise it s.jsonl --theory rules.lp", "evaluate it --theory rules.lp s.jsonl"]
    {
        let said = stderr(&run(folder.path(), command));
        assert!(said.contains("tip: a stream is named with '--input s.jsonl'"), "{command}: {said}");
    }
    assert!(!stderr(&run(folder.path(), "learn it --inputt s.jsonl")).contains("a stream is named"));
    assert!(!stderr(&run(folder.path(), "convert a b c")).contains("a stream is named"));
}

#[test]
fn a_frame_that_comes_too_early_is_told_of_lateness() {
    let folder = folder(&(frame("a", 2, "temp(a,90,2)") + &frame("a", 1, "temp(a,90,1)")));
    let said = stderr(&run(folder.path(), COMMANDS[0]));
    assert!(said.contains("`--lateness N`"), "{said}");
}

#[test]
fn no_name_of_a_stream_reaches_the_terminal_raw() {
    let name = "\\u001b]0;pwn\\u0007\\u009b2J";
    let fact = format!("temp('{name}',90,5)").replace('\\', "\\\\").replace("\\\\u", "\\u");
    let stream = frame(name, 5, &fact) + &frame(name, 6, &fact.replace(",5)", ",6)")) + &frame(name, 4, "temq(a,1,4)");
    let folder = folder(&stream);
    for command in COMMANDS.iter().flat_map(|c| [(*c).to_string(), format!("{c} --lenient")]) {
        let formats: &[&str] =
            if command.starts_with("recognise") { &["", " --format jsonl", " --frames"] } else { &[""] };
        for format in formats {
            let output = run(folder.path(), &format!("{command}{format}"));
            let text = stdout(&output) + &stderr(&output);
            let raw: Vec<char> = text.chars().filter(|c| c.is_control() && *c != '\n').collect();
            assert!(raw.is_empty(), "{command}{format}: {raw:?} in {text:?}");
        }
    }
    let lenient = run(folder.path(), &format!("{} --lenient", COMMANDS[0]));
    let written = r#""'\u{1b}]0;pwn\u{7}\u{9b}2J'","overheating('\u{1b}]0;pwn\u{7}\u{9b}2J')",6,6,segment"#;
    assert!(stdout(&lenient).contains(written), "{}", stdout(&lenient));
}

#[test]
fn no_field_of_a_table_is_a_formula() {
    let stream = frame("=HYPERLINK(1)", 1, "temp('@x',90,1)") + &frame("=HYPERLINK(1)", 2, "temp('@x',90,2)");
    let folder = folder(&stream);
    let output = run(folder.path(), COMMANDS[0]);
    assert_eq!(stdout(&output).lines().nth(1), Some("'=HYPERLINK(1)',overheating('@x'),2,2,segment"));
}

#[test]
fn an_empty_standard_input_is_told_what_to_do() {
    let folder = folder("");
    let output = run(folder.path(), "recognise it --theory rules.lp --input -");
    assert_eq!(
        stderr(&output),
        "error: standard input is empty, so its format cannot be told\n\
         hint: did the command before it fail? a stream without frames is read with `--from jsonl`\n"
    );
    assert_eq!(run(folder.path(), "recognise it --theory rules.lp --input - --from jsonl").status.code(), Some(1));
}

#[test]
#[cfg(target_os = "linux")]
fn a_text_of_a_task_that_never_ends_is_an_error() {
    let folder = folder("");
    fs::write(folder.path().join("it/task.toml"), "modes = \"/dev/zero\"\n").unwrap();
    let said = stderr(&run(folder.path(), "check it"));
    assert!(said.contains("it is longer than 64 MiB, which no text of a task is\nhint: "), "{said}");
}

#[test]
fn simulated_frames_are_never_later_than_the_delay() {
    let output = run(Path::new("."), "simulate --segments 2 --length 200 --people 2 --late 0.3 --delay 10 --seed 4");
    let said = stderr(&output);
    assert!(said.starts_with("spoilt: ") && !said.contains("by 11"), "{said}");
    let mut child = Command::new(env!("CARGO_BIN_EXE_oled"))
        .args(["recognise", "lobby", "--theory", "true", "--input", "-", "--lateness", "10"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&output.stdout).unwrap();
    let read = child.wait_with_output().unwrap();
    assert!(matches!(read.status.code(), Some(0 | 1)), "{}", stderr(&read));
}
