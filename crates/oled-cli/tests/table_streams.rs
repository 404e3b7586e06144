//! Tables that are followed: labels that come later, and alarms that do not wait for the next row.

mod common;

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write as _};

use common::{oled, start, stderr, stdout};

/// A folder with a table of six machines, its labels and a drafted task.
struct Case {
    folder: tempfile::TempDir,
    rows: String,
    labels: String,
}

/// The heat of a machine: it stays for seven time points.
fn heat(machine: i64, time: i64) -> i64 {
    (machine * 7919 + time / 7 * 104_729) % 97
}

impl Case {
    fn new() -> Case {
        let mut rows = String::from("time,machine,heat\n");
        let mut labels = String::from("fluent,machine,start,end\n");
        for time in 0..140 {
            (0..6).for_each(|m| writeln!(rows, "{time},m{m},{}.5", heat(m, time)).unwrap());
        }
        for m in 0..6 {
            for time in (0..140).step_by(7).filter(|time| heat(m, *time) >= 60) {
                writeln!(labels, "hot,m{m},{time},{}", time + 6).unwrap();
            }
        }
        let case = Case { folder: tempfile::tempdir().unwrap(), rows, labels };
        fs::write(case.path("heat.csv"), &case.rows).unwrap();
        fs::write(case.path("labels.csv"), &case.labels).unwrap();
        let made = oled(&[
            "init",
            "--input",
            &case.path("heat.csv"),
            "--labels",
            &case.path("labels.csv"),
            "--out",
            &case.path("task"),
        ]);
        assert!(made.status.success(), "{}", stderr(&made));
        case
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().into()
    }
}

/// The rules of a theory, without what is said of them.
fn rules(theory: &str) -> String {
    theory.lines().filter(|line| !line.starts_with('%') && !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn labels_that_come_days_later_teach_what_they_would_have_taught_at_once() {
    let case = Case::new();
    let (task, labels) = (case.path("task"), case.path("labels.csv"));
    let at_once = oled(&["learn", &task, "--input", &case.path("heat.csv"), "--labels", &labels, "--no-refits"]);
    assert!(at_once.status.success(), "{}", stderr(&at_once));
    let expected = rules(&stdout(&at_once));
    assert!(expected.contains("heat_above(X0, "), "{expected}");
    // Frames wait for a hundred time units; when the labels come, the stream is half as far.
    let manifest = fs::read_to_string(case.path("task/task.toml")).unwrap();
    fs::write(case.path("task/task.toml"), manifest.replace("[labels]\n", "[labels]\ndelay = 100\n")).unwrap();
    let (header, rest) = case.labels.split_at(case.labels.find('\n').unwrap() + 1);
    fs::write(&labels, header).unwrap();
    let mut child = start(&["learn", &task, "--input", "-", "--follow", "--labels", &labels, "--no-refits"]);
    let mut stdin = child.stdin.take().unwrap();
    let half = case.rows.lines().take(50 * 6).map(str::len).sum::<usize>() + 50 * 6;
    stdin.write_all(&case.rows.as_bytes()[..half]).unwrap();
    // A file that is followed grows; one that is written anew is cut for a moment, which is an error.
    fs::OpenOptions::new().append(true).open(&labels).unwrap().write_all(rest.as_bytes()).unwrap();
    stdin.write_all(&case.rows.as_bytes()[half..]).unwrap();
    drop(stdin);
    let ended = child.wait_with_output().unwrap();
    assert!(ended.status.success(), "{}", stderr(&ended));
    assert_eq!(rules(&stdout(&ended)), expected);
}

#[test]
#[cfg(unix)]
fn an_alarm_does_not_wait_for_the_next_row() {
    let case = Case::new();
    let (task, theory, live) = (case.path("task"), case.path("rules.lp"), case.path("live.csv"));
    fs::write(&theory, "holdsAt(hot(X), T) :- heat_above(X, 60, T).\n").unwrap();
    fs::write(&live, "time,machine,heat\n1,m0,20.5\n2,m0,80.5\n").unwrap();
    let options = ["--input", &live, "--follow", "--events", "--settle", "0.05"];
    let mut child = start(&[&["recognise", &task, "--theory", &theory][..], &options].concat());
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(line.contains("\"began\"") && line.contains("\"time\":2"), "{line}");
}
