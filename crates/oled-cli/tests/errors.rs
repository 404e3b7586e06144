//! The catalogue of errors: each bad input through the program, its message and its exit code; and a page of the book made
//! of it. `OLED_UPDATE_DOCS=1` writes the page, otherwise it is compared.

#![cfg(target_os = "linux")]

#[path = "../../oled-data/tests/catalogue/mod.rs"]
mod catalogue;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use catalogue::{catalogue, long_line};

/// A stream with something wrong, the message, and what lenient mode says.
struct Case {
    name: &'static str,
    file: &'static str,
    interleaved: bool,
    input: Vec<u8>,
    message: &'static str,
    skipped: &'static str,
}

macro_rules! list {
    ($format:ident $($name:ident: $file:literal $($interleaved:ident)?, $input:expr => $message:literal, $skipped:literal, $left:literal;)*) => {
        fn $format() -> Vec<Case> {
            vec![$(Case {
                name: stringify!($name),
                file: $file,
                interleaved: !stringify!($($interleaved)?).is_empty(),
                input: AsRef::<[u8]>::as_ref(&$input).to_vec(),
                message: $message,
                skipped: $skipped,
            }),*]
        }
    };
}

catalogue!(list);

fn cases() -> Vec<Case> {
    [jsonl(), mongo(), facts(), rtec(), caviar()].into_iter().flatten().collect()
}

/// Files that a command needs, the command, and its exit code.
type Run = (&'static [(&'static str, &'static str)], &'static str, i32);

const STREAM: &str = "{\"time\":1,\"narrative\":[\"happensAt(walking(p1),1)\",\"coords(p1,1,2,1)\",\"happensAt(walking(p2),1)\",\"coords(p2,2,2,1)\"]}\n";

/// What else can go wrong: with tasks, rules, settings and limits.
const RUNS: [Run; 27] = [
    (&[], "recognise nowhere --theory hand --input s.jsonl", 2),
    (&[("t/task.toml", "nam = \"t\"\n")], "check t", 2),
    (&[("t/task.toml", "[learn]\ndelta = 2\n")], "check t", 2),
    (&[("t/task.toml", "[stream]\nepoch = \"h\"\n")], "check t", 2),
    (&[("t/task.toml", "[stream]\nzone = \"Europe/Athen\"\n")], "check t", 2),
    (
        &[
            ("t/task.toml", ""),
            (
                "t/modes.lp",
                "input(happensAt(on(+lamp), +time)).\nexample(holdsAt(lit(+lamp), +time)).\nmin_duration(let/1, 5).\n",
            ),
            ("t/theories/hand.lp", "initiatedAt(lit(L), T) :- happensAt(on(L), T).\n"),
        ],
        "check t",
        2,
    ),
    (
        &[("t/task.toml", "[calculus]\ntracked = [\"persn\"]\n"), ("t/modes.lp", "input(seen(+person, +time)).\n")],
        "check t",
        2,
    ),
    (
        &[
            ("t/task.toml", "[fluents]\nlitt = \"while\"\nlit = \"allways\"\n"),
            ("t/modes.lp", "input(happensAt(on(+lamp), +time)).\nexample(holdsAt(lit(+lamp), +time)).\n"),
        ],
        "check t",
        2,
    ),
    (
        &[
            ("t/task.toml", "[fluents]\nlit = \"persists\"\n"),
            ("t/modes.lp", "input(happensAt(on(+lamp), +time)).\nexample(holdsAt(lit(+lamp), +time)).\n"),
            ("t/background.lp", "holdsAt(lit(L), T) :- happensAt(on(L), T).\n"),
        ],
        "check t",
        2,
    ),
    (&[("t/task.toml", ""), ("t/modes.lp", "input(happensAt(on(+lamp), +time).\n")], "check t", 2),
    (&[], "recognise lobby --theory hnad --input s.jsonl", 2),
    (
        &[("r.lp", "initiatedAt(meeting(X, Y), T) :- happensAt(walkin(X), T).\n")],
        "recognise lobby --theory r.lp --input s.jsonl",
        2,
    ),
    (&[("r.lp", "near(X, Y, T) :- happensAt(walking(X), T).\n")], "recognise lobby --theory r.lp --input s.jsonl", 2),
    (&[], "recognise lobby --theory hand", 2),
    (&[], "recognise lobby --theory hand --input missing.jsonl", 2),
    (&[("s.dat", "x")], "recognise lobby --theory hand --input s.dat", 2),
    (&[], "learn lobby --input s.jsonl --set penalti=1", 2),
    (&[], "learn lobby --input s.jsonl --set penalty=7", 2),
    (&[], "learn lobby --input s.jsonl --learner oled", 2),
    (&[("s.jsonl", STREAM)], "learn lobby --input s.jsonl --max-literals 0", 2),
    (&[("s.jsonl", STREAM)], "recognise lobby --theory hand --input s.jsonl --max-instances 1", 2),
    (
        &[
            ("s.jsonl", STREAM),
            ("r.lp", "holdsAt(far(X), T) :- coords(X, A, B, T), coords(_, C, D, T), A + B > 10 * (C + D).\n"),
        ],
        "recognise lobby --theory r.lp --input s.jsonl --max-steps 3",
        2,
    ),
    (&[("s.jsonl", STREAM)], "recognise lobby --theory hand --input s.jsonl --max-line 20", 2),
    (&[("s.jsonl", STREAM)], "convert s.jsonl --to facts --max-names 1", 2),
    (&[("s.jsonl", STREAM)], "convert s.jsonl no/such/folder/s.lp", 2),
    (
        &[("s.jsonl", STREAM), ("folds.csv", "segment,fold\nmain\n")],
        "crossval lobby --input s.jsonl --folds folds.csv",
        2,
    ),
    (&[("c.toml", "[[data]]\ntask = \"nowhere\"\n[[row]]\ntheory = \"hand\"\n")], "compare c.toml", 2),
];

/// A task with a table, and the table.
const TABLE: &str = "[[table]]\ntime = \"time\"\nfacts = [\"temp(room, temp)\"]\n";
const MODES: &str =
    "input(temp(+room, +celsius, +time)).\ntype(celsius, real).\nexample(holdsAt(hot(+room), +time)).\n";
const HOT: &str = "holdsAt(hot(R), T) :- temp(R, V, T), V > 30.\n";
const ROWS: &str = "time,room,temp\n1,hall,21.5\n2,hall,31\n";

/// A table whose rows are intervals.
const INTERVALS: &str =
    "[[table]]\ntime = \"from\"\nfacts = [\"temp(room, temp)\"]\nend = \"until\"\nend_facts = [\"temp(room, temp)\"]\n";

/// Files of a case about tables: the task, the rules, a table and labels.
macro_rules! tables {
    ($rows:expr, $labels:literal) => {
        &[("t/task.toml", TABLE), ("t/modes.lp", MODES), ("hot.lp", HOT), ("m.csv", $rows), ("l.csv", $labels)]
    };
}

/// What can be wrong with tables and their labels.
const TABLES: [Run; 33] = [
    (tables!("time,room,temp\n1,hall,warm\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n1,hall,inf\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n1,hall\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\nnoon,hall,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n2026-03-01,hall,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n1,\"hall,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n2,hall,20\n1,hall,21\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,tmp\n1,hall,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp,temp\n1,hall,20,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,\"room,temp\n1,hall,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n,hall,20\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("time,room,temp\n1,hall,20,5\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (tables!("{\"time\":1,\"room\":[\"hall\"],\"temp\":20}\n", ""), "recognise t --theory hot.lp --input m.csv", 2),
    (
        &[
            ("t/task.toml", INTERVALS),
            ("t/modes.lp", MODES),
            ("hot.lp", HOT),
            ("m.csv", "from,until,room,temp\n5,3,hall,20\n"),
        ],
        "recognise t --theory hot.lp --input m.csv",
        2,
    ),
    (tables!(ROWS, ""), "recognise t --theory hot.lp --input - -", 2),
    (tables!(ROWS, ""), "evaluate t --theory hot.lp --input m.csv --labels l.csv", 2),
    (tables!(ROWS, "fluent,room,start,end\n,hall,2,2\n"), "evaluate t --theory hot.lp --input m.csv --labels l.csv", 2),
    (tables!(ROWS, "fluent,start,end\nhot(hall,2,2\n"), "evaluate t --theory hot.lp --input m.csv --labels l.csv", 2),
    (
        tables!(ROWS, "fluent,room,start,end,label\nhot,hall,2,2,maybe\n"),
        "evaluate t --theory hot.lp --input m.csv --labels l.csv",
        2,
    ),
    (tables!(ROWS, "fluent,room,start\nhot,hall,2\n"), "evaluate t --theory hot.lp --input m.csv --labels l.csv", 2),
    (
        tables!(ROWS, "fluent,room,start,end\nhot,hall,2,1\n"),
        "evaluate t --theory hot.lp --input m.csv --labels l.csv",
        2,
    ),
    (
        tables!(ROWS, "fluent,room,start,end\nhot,hall,two,\n"),
        "evaluate t --theory hot.lp --input m.csv --labels l.csv",
        2,
    ),
    (tables!(ROWS, "fluent,room,start,end\nhot,hall,2,2\n"), "recognise lobby --theory hand --input m.csv", 2),
    (tables!(ROWS, "fluent,room,start,end\nhot,cellar,2,2\n"), "init --input m.csv --labels l.csv --out new", 2),
    (tables!("a,b\nx,y\n", "fluent,room,start,end\nhot,hall,2,2\n"), "init --input m.csv --labels l.csv --out new", 2),
    (tables!(ROWS, "fluent,room,start,end\n"), "init --input m.csv --labels l.csv --out new", 2),
    (tables!(ROWS, "fluent,room,start,end\nhot,hall,2,2\n"), "init --input m.csv --labels l.csv --out t", 2),
    (
        tables!("time,room,temp\n", "fluent,room,start,end\nhot,hall,2,2\n"),
        "init --input m.csv --labels l.csv --out new",
        2,
    ),
    (
        tables!("time,room,temp\n01.03.2026,hall,20\n", "fluent,room,start,end\nhot,hall,2026-03-01,\n"),
        "init --input m.csv --labels l.csv --out new",
        2,
    ),
    (tables!(ROWS, "fluent,room,start,end\nhot,hall,2026-03-01,\n"), "init --input m.csv --labels l.csv --out new", 2),
    (
        tables!(ROWS, "fluent,room,other,start,end\nhot,hall,,1,1\nhot,hall,hall,2,2\n"),
        "init --input m.csv --labels l.csv --out new",
        2,
    ),
    (
        tables!("time,room\n1,hall\n2,hall\n", "fluent,room,start,end\nhot,hall,2,2\n"),
        "init --input m.csv --labels l.csv --out new",
        2,
    ),
];

/// Files of a case about how a table is written.
macro_rules! written {
    ($name:expr, $rows:literal) => {
        &[("t/task.toml", TABLE), ("t/modes.lp", MODES), ("hot.lp", HOT), ($name, $rows)]
    };
}

/// What can be wrong with how a table is written.
const WRITTEN: [Run; 3] = [
    (written!(LATIN, "time,room,temp\n1,k\u{fc}che,20\n"), "recognise t --theory hot.lp --input latin.csv", 2),
    (written!("mac.csv", "time,room,temp\r1,hall,20\r"), "recognise t --theory hot.lp --input mac.csv", 2),
    (written!("wide.csv", "t\0i\0m\0e\0\n\0"), "recognise t --theory hot.lp --input wide.csv", 2),
];

/// A file whose letters are written in one byte each.
const LATIN: &str = "latin.csv";

/// The same of Parquet.
const PARQUET: [Run; 2] = [
    (written!("cut.parquet", "PAR1"), "recognise t --theory hot.lp --input cut.parquet", 2),
    (written!("text.parquet", "time,room,temp\n1,hall,20\n"), "recognise t --theory hot.lp --input text.parquet", 2),
];

/// What can be wrong with what a task says of tables.
const TABLE_TASKS: [Run; 6] = [
    (&[("t/task.toml", "[[table]]\ntime = \"time\"\nfacts = [\"temp(room\"]\n"), ("t/modes.lp", MODES)], "check t", 2),
    (
        &[("t/task.toml", "[[table]]\ntime = \"time\"\nfacts = [\"tmp(room, temp)\"]\n"), ("t/modes.lp", MODES)],
        "check t",
        2,
    ),
    (&[("t/task.toml", "[[table]]\ntime = \"time\"\n"), ("t/modes.lp", MODES)], "check t", 2),
    (
        &[
            ("t/task.toml", "[[table]]\ntime = \"time\"\ndecimal = \"'\"\nfacts = [\"temp(room, temp)\"]\n"),
            ("t/modes.lp", MODES),
        ],
        "check t",
        2,
    ),
    (
        &[
            ("t/task.toml", "[[table]]\ntime = \"time\"\nsegment = \"site\"\nfacts = [\"temp(room, temp)\"]\n"),
            ("t/modes.lp", MODES),
            ("hot.lp", HOT),
            ("m.csv", "time,site,room,temp\n1,,hall,20\n"),
        ],
        "recognise t --theory hot.lp --input m.csv",
        2,
    ),
    (
        &[
            (
                "t/task.toml",
                "[[table]]\ntime = \"time\"\nfacts = [\"temp(room, temp)\"]\n\n[[table]]\ntime = \"time\"\nfacts = [\"temp(room, max)\"]\n",
            ),
            ("t/modes.lp", MODES),
            ("hot.lp", HOT),
            ("m.csv", "time,room,temp,max\n1,hall,20,25\n"),
        ],
        "recognise t --theory hot.lp --input m.csv",
        2,
    ),
];

fn oled(folder: &Path, args: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
    command.args(args.split(' ')).current_dir(folder).env("NO_COLOR", "1").output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Text as a page shows it: what cannot be seen is written as an escape, and long lines are cut.
fn shown(bytes: &[u8]) -> String {
    let mut text = String::new();
    for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
        let line = line.trim_end_matches('\n');
        let escape =
            |c: char| if c.is_control() || c == '\u{feff}' { c.escape_default().to_string() } else { c.to_string() };
        let seen: String = line.chars().take(160).map(escape).collect();
        let _ = writeln!(text, "{seen}{}", if line.chars().count() > 160 { "…" } else { "" });
    }
    text
}

const INTRODUCTION: &str = "\
# Catalogue of errors

Every kind of bad input, what the program says, and how it exits. This page is made by a test, \
`crates/oled-cli/tests/errors.rs`:\neach input below was given to the program, and each message is what it printed. What \
can be wrong with rules is shown in\n[the language](language.md#errors); what streams look like, in [Streams](streams.md).

The exit code is 2 wherever there is an error, and 0 or 1 with `--lenient`, which leaves out what is wrong.
";

/// What the library calls an option, and what the program does, of those that messages about streams speak of.
const OPTIONS: [(&str, &str); 3] = [
    ("the option `lenient`", "`--lenient`"),
    ("the option `lateness=N`", "`--lateness N`"),
    ("the option `from=mongo`", "`--from mongo`"),
];

/// A message of the library as the program prints it.
fn in_flags(message: &str) -> String {
    OPTIONS.iter().fold(message.to_string(), |message, (option, flag)| message.replace(option, flag))
}

#[test]
fn each_bad_input_gets_its_message_and_its_exit_code() {
    let mut page = INTRODUCTION.to_string();
    page.push_str("\n## Streams\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    for mixed in [false, true] {
        fs::create_dir(path.join(format!("task-{mixed}"))).unwrap();
        fs::write(path.join(format!("task-{mixed}/task.toml")), format!("[stream]\ninterleaved = {mixed}\n")).unwrap();
    }
    for Case { name, file, interleaved, input, message, skipped } in cases() {
        fs::write(path.join(file), &input).unwrap();
        let message = format!("error: {}", in_flags(message.trim()));
        let convert = format!("convert {file} --to facts --task task-{interleaved}");
        let strict = oled(path, &convert);
        assert_eq!(strict.status.code(), Some(2), "{name}");
        assert_eq!(stderr(&strict).trim_end(), message, "{name}");
        let lenient = oled(path, &format!("{convert} --lenient"));
        assert!(matches!(lenient.status.code(), Some(0 | 1)), "{name}");
        assert_eq!(stderr(&lenient), format!("warning: {skipped}\n"), "{name}");
        let code = lenient.status.code().unwrap();
        let title = name.replace('_', " ");
        let mixed = if interleaved { ", of a task with interleaved segments" } else { "" };
        let _ = write!(page, "\n### {title}\n\n`{file}`{mixed}:\n\n```text\n{}```\n\n", shown(&input));
        let _ =
            write!(page, "```text\n{message}\n```\n\nExit code 2. With `--lenient`: {skipped}; exit code {code}.\n");
    }
    page.push_str("\n## Tables and labels\n\nWhere the task is `t`, it has this table:\n\n");
    let _ = write!(page, "`t/task.toml`:\n\n```text\n{TABLE}```\n\n`t/modes.lp`:\n\n```text\n{MODES}```\n");
    for run in &TABLES {
        // Of a table nothing is shown that no command reads.
        let read = |name: &&str| run.1.contains(name);
        let message = add(run, &["m.csv", "l.csv"].into_iter().filter(read).collect::<Vec<_>>(), &mut page);
        assert!(message.contains("\nhint: "), "oled {}: {message}", run.1);
    }
    let of_parquet = if cfg!(feature = "parquet") { &PARQUET[..] } else { &[] };
    for run in WRITTEN.iter().chain(of_parquet) {
        let message = add(run, &[run.0[3].0], &mut page);
        assert!(message.contains("\nhint: "), "oled {}: {message}", run.1);
    }
    for run in &TABLE_TASKS {
        let message = add(run, &["t/task.toml"], &mut page);
        assert!(message.contains("\nhint: "), "oled {}: {message}", run.1);
    }
    page.push_str("\n## Tasks, rules, settings and limits\n");
    for run in &RUNS {
        let names: Vec<&str> = run.0.iter().map(|(name, _)| *name).collect();
        add(run, &names, &mut page);
    }
    if cfg!(not(feature = "parquet")) {
        let _ = writeln!(std::io::stderr(), "SKIPPED: the page has messages of the feature `parquet`, which is off");
        return;
    }
    let place = Path::new("../../book/src/errors.md");
    if std::env::var_os("OLED_UPDATE_DOCS").is_some() {
        fs::write(place, &page).unwrap();
    }
    let written = fs::read_to_string(place).unwrap_or_default();
    assert!(
        written == page,
        "the catalogue has changed: run this test with OLED_UPDATE_DOCS=1, and read the difference"
    );
}

/// Runs a command, and adds what it says to the page, with the files that are named; returns what it says.
fn add((files, command, code): &Run, named: &[&str], page: &mut String) -> String {
    let folder = tempfile::tempdir().unwrap();
    let _ = write!(page, "\n### `oled {command}`\n\n");
    for (name, text) in *files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        let bytes = if *name == LATIN { text.chars().map(|c| c as u8).collect() } else { text.as_bytes().to_vec() };
        fs::write(file, &bytes).unwrap();
        if named.contains(name) {
            let _ = write!(page, "`{name}`:\n\n```text\n{}```\n\n", shown(&bytes));
        }
    }
    let output = oled(folder.path(), command);
    assert_eq!(output.status.code(), Some(*code), "oled {command}: {}", stderr(&output));
    let message = stderr(&output).trim_end().to_string();
    assert!(message.starts_with("error: "), "oled {command}: {message}");
    let _ = write!(page, "```text\n{message}\n```\n\nExit code {code}.\n");
    message
}
