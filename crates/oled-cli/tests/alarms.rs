//! Alarms: events as they happen, programs that are run for them, and theories that change on the way.

mod common;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use common::{oled, start, stderr, stdout, until};
use serde_json::Value;

/// Lamps that are on or off; how long one is on, or hot, before anybody hears of it depends on the fluent.
struct Lamps {
    folder: tempfile::TempDir,
}

const RULES: &str = "initiatedAt(lit(X), T) :- happensAt(on(X), T).
terminatedAt(lit(X), T) :- happensAt(off(X), T).
initiatedAt(long(X), T) :- happensAt(on(X), T).
terminatedAt(long(X), T) :- happensAt(off(X), T).
holdsAt(busy, T) :- happensAt(on(X), T), seen(X, T).
";

impl Lamps {
    fn new() -> Lamps {
        let folder = tempfile::tempdir().unwrap();
        let modes =
            "input(happensAt(on(+lamp), +time)). input(happensAt(off(+lamp), +time)). input(seen(+lamp, +time)).
            example(holdsAt(lit(+lamp), +time)). example(holdsAt(long(+lamp), +time)). example(holdsAt(busy, +time)).
            min_duration(long/1, 3).";
        fs::write(folder.path().join("task.toml"), "[stream]\ninterleaved = true\n").unwrap();
        fs::write(folder.path().join("modes.lp"), modes).unwrap();
        let lamps = Lamps { folder };
        lamps.write("rules.lp", RULES);
        lamps
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_string()
    }

    fn write(&self, name: &str, text: &str) -> String {
        fs::write(self.folder.path().join(name), text).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// The arguments of a run on a stream.
    fn args<'a>(&self, input: &'a str, more: &[&'a str]) -> Vec<String> {
        let mut args = vec!["recognise".to_string(), self.path(""), "--theory".into(), self.path("rules.lp")];
        args.extend(["--input", input].iter().chain(more).map(ToString::to_string));
        args
    }

    fn run(&self, input: &str, more: &[&str]) -> std::process::Output {
        let args = self.args(input, more);
        oled(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }

    fn start(&self, input: &str, more: &[&str]) -> std::process::Child {
        let args = self.args(input, more);
        start(&args.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

fn frame(segment: &str, time: i64, facts: &[&str]) -> String {
    let facts: Vec<String> = facts.iter().map(|fact| format!("\"{}\"", fact.replace('T', &time.to_string()))).collect();
    format!("{{\"segment\":\"{segment}\",\"time\":{time},\"narrative\":[{}]}}\n", facts.join(","))
}

/// Two segments, mixed, in which lamps go on and off at different times.
fn stream() -> String {
    let mut text = String::new();
    for time in 0..60 {
        for (segment, period) in [("hall", 7), ("yard", 11)] {
            let mut facts = vec!["seen(a,T)"];
            if time % 13 != 5 {
                facts.push("seen(b,T)");
                facts.extend((time % 5 == 1).then_some("happensAt(on(b),T)"));
                facts.extend((time % period == 4).then_some("happensAt(off(b),T)"));
            }
            facts.extend((time % period == 2).then_some("happensAt(on(a),T)"));
            facts.extend((time % 10 == 9).then_some("happensAt(off(a),T)"));
            text += &frame(segment, time, &facts);
        }
    }
    text
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// The intervals that events are about: each began before it ended, and once.
fn intervals_of(events: &[Value]) -> Vec<String> {
    let mut open: Vec<(String, Value)> = Vec::new();
    let mut intervals = Vec::new();
    for event in events {
        let of = format!("{} {}", event["segment"], event["fluent"]);
        if event["event"] == "began" {
            assert!(!open.iter().any(|(other, _)| *other == of), "{event} began twice");
            open.push((of, event["time"].clone()));
        } else {
            let at = open.iter().position(|(other, _)| *other == of).unwrap_or_else(|| panic!("{event} never began"));
            let (_, began) = open.swap_remove(at);
            assert_eq!(began, event["start"], "{event}");
            intervals.push(format!("{of} {} {} {}", event["start"], event["time"], event["closed"]));
        }
    }
    assert!(open.is_empty(), "{open:?}");
    intervals.sort();
    intervals
}

#[test]
fn events_are_the_beginnings_and_ends_of_the_intervals() {
    let lamps = Lamps::new();
    let input = lamps.write("s.jsonl", &stream());
    let intervals = stdout(&lamps.run(&input, &["--format", "jsonl"]));
    let mut expected: Vec<String> = lines(&intervals)
        .iter()
        .map(|i| format!("{} {} {} {} {}", i["segment"], i["fluent"], i["start"], i["end"], i["closed"]))
        .collect();
    expected.sort();
    let events = stdout(&lamps.run(&input, &["--events"]));
    assert_eq!(intervals_of(&lines(&events)), expected);
    assert!(expected.iter().any(|i| i.contains("long(b)")) && expected.iter().any(|i| i.contains("lost")));
    let long = lines(&events).into_iter().find(|e| e["name"] == "long").unwrap();
    assert_eq!((&long["event"], &long["arguments"]), (&"began".into(), &serde_json::json!(["a"])), "{long}");
    let busy = lines(&events).into_iter().find(|e| e["fluent"] == "busy").unwrap();
    assert_eq!((&busy["name"], &busy["arguments"]), (&"busy".into(), &serde_json::json!([])), "{busy}");
    // The same as CSV, and in files.
    let csv = stdout(&lamps.run(&input, &["--events", "--format", "csv"]));
    assert_eq!(csv.lines().next().unwrap(), "event,segment,fluent,name,arguments,time,start,closed");
    assert_eq!(csv.lines().count(), 1 + events.lines().count());
    let folder = lamps.path("events");
    assert!(lamps.run(&input, &["--events-to", &folder]).status.success());
    for name in ["lit", "long", "busy"] {
        let own: Vec<&str> = events.lines().filter(|line| line.contains(&format!("\"name\":\"{name}\""))).collect();
        assert_eq!(lamps.read(&format!("events/{name}.jsonl")).lines().collect::<Vec<_>>(), own, "{name}");
    }
    let late = stdout(&lamps.run(&input, &["--events", "--lateness", "2"]));
    assert_eq!(intervals_of(&lines(&late)), expected);
}

#[test]
fn an_event_comes_while_the_stream_goes_on() {
    let lamps = Lamps::new();
    let mut child = lamps.start("-", &["--events", "--follow"]);
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for time in 0..4 {
        stdin.write_all(frame("hall", time, &["seen(a,T)", "happensAt(on(a),T)"]).as_bytes()).unwrap();
        // Nothing else is sent before it is there: this would wait for ever otherwise.
        match time {
            0 => {
                assert!(lines.next().unwrap().unwrap().contains(r#""event":"began","segment":"hall","fluent":"busy""#));
            }
            1 => assert!(
                lines
                    .next()
                    .unwrap()
                    .unwrap()
                    .contains(r#""fluent":"lit(a)","name":"lit","arguments":["a"],"time":1}"#)
            ),
            _ => {}
        }
    }
    stdin.write_all(frame("hall", 4, &["seen(a,T)", "happensAt(on(a),T)"]).as_bytes()).unwrap();
    let long = lines.next().unwrap().unwrap();
    assert!(
        long.contains(r#""event":"began","segment":"hall","fluent":"long(a)""#) && long.contains("\"time\":1}"),
        "{long}"
    );
    stdin.write_all(frame("hall", 5, &["seen(a,T)", "happensAt(off(a),T)"]).as_bytes()).unwrap();
    let ended: Vec<String> = lines.by_ref().take(3).map(Result::unwrap).collect();
    assert!(ended.iter().all(|line| line.contains("\"ended\"")), "{ended:?}");
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
#[cfg(unix)]
fn a_program_is_run_for_each_event_and_its_failure_is_reported() {
    let lamps = Lamps::new();
    let on = frame("hall", 1, &["seen(a,T)", "happensAt(on(a),T)"]);
    let off = frame("hall", 2, &["seen(a,T)", "happensAt(off(a),T)"]);
    let input = lamps.write("s.jsonl", &(on + &off + &frame("hall", 3, &["seen(a,T)"])));
    let told = lamps.path("told");
    let begin = format!("sh -c 'echo $OLED_EVENT $OLED_FLUENT $OLED_ARGUMENT_1 $OLED_TIME >> {told}; echo noise'");
    let end = format!("sh -c 'echo $OLED_EVENT $OLED_NAME $OLED_START $OLED_TIME $OLED_CLOSED >> {told}; exit 3'");
    let output = lamps.run(&input, &["--on-begin", &begin, "--on-end", &end]);
    assert_eq!(
        lamps.read("told"),
        "began busy 1\nended busy 1 1 terminated\nbegan lit(a) a 2\nended lit 2 2 terminated\n"
    );
    // Intervals are printed as they are without, and nothing that a program prints is among them.
    assert_eq!(
        stdout(&output),
        "segment,fluent,start,end,closed\nhall,lit(a),2,2,terminated\nhall,busy,1,1,terminated\n"
    );
    assert!(output.status.success());
    let warning = "was run for `lit(a) ended 2`: it failed with exit status: 3";
    assert!(stderr(&output).contains(warning), "{}", stderr(&output));
    let none = lamps.run(&input, &["--on-begin", "no-such-program --here"]);
    assert!(
        none.status.success() && stderr(&none).contains("there is no program `no-such-program`"),
        "{}",
        stderr(&none)
    );
    let quote = lamps.run(&input, &["--on-begin", "say 'it"]);
    assert_eq!(quote.status.code(), Some(2));
}

#[test]
fn events_go_on_byte_for_byte_from_a_checkpoint() {
    let lamps = Lamps::new();
    let text = stream();
    let whole = lamps.write("whole.jsonl", &text);
    let (folder, output, checkpoint) = (lamps.path("events"), lamps.path("out.jsonl"), lamps.path("run.ckpt"));
    let expected = stdout(&lamps.run(&whole, &["--events"]));
    assert!(lamps.run(&whole, &["--events-to", &lamps.path("expected")]).status.success());
    for part in [0, text.len() / 5, text.len() / 2 + 9, text.len()] {
        for more in [&["--events", "--output", &output][..], &["--events-to", &folder]] {
            let growing = lamps.write("growing.jsonl", &text[..part]);
            let saved = [more, &["--checkpoint", &checkpoint, "--every", "7", "--lenient"]].concat();
            assert!(matches!(lamps.run(&growing, &saved).status.code(), Some(0 | 1)));
            fs::copy(&whole, &growing).unwrap();
            let resumed = lamps.run(&growing, &[&saved[..], &["--resume"]].concat());
            assert!(resumed.status.success(), "{}", stderr(&resumed));
            fs::remove_file(&checkpoint).unwrap();
        }
        assert_eq!(lamps.read("out.jsonl"), expected, "cut at {part}");
        for name in ["lit", "long", "busy"] {
            let (one, other) = (format!("events/{name}.jsonl"), format!("expected/{name}.jsonl"));
            assert_eq!(lamps.read(&one), lamps.read(&other), "{name} cut at {part}");
        }
    }
}

#[test]
fn how_sure_something_is_cannot_be_told_when_it_begins() {
    let lamps = Lamps::new();
    let input = lamps.write("s.jsonl", &stream());
    for more in [&["--events"][..], &["--events-to", "x"], &["--on-end", "true"]] {
        let output = lamps.run(&input, &[more, &["--confidence"]].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(
            stderr(&output).contains("cannot be said when it begins\nhint: leave `--confidence` out"),
            "{}",
            stderr(&output)
        );
    }
}

/// Follows a file whose theory changes.
#[test]
#[cfg(unix)]
fn a_changed_theory_is_taken_and_a_wrong_one_refused() {
    let lamps = Lamps::new();
    let input = lamps.write("live.jsonl", "");
    let append = |text: &str| {
        fs::OpenOptions::new().append(true).open(&input).unwrap().write_all(text.as_bytes()).unwrap();
    };
    let (out, log, checkpoint) = (lamps.path("out.jsonl"), lamps.path("log"), lamps.path("run.ckpt"));
    let more = ["--events", "--output", &out, "--reload", "--checkpoint", &checkpoint, "--every", "0.05s"];
    let mut child = Command::new(env!("CARGO_BIN_EXE_oled"))
        .args(lamps.args(&input, &[&more[..], &["--follow"]].concat()))
        .stderr(fs::File::create(&log).unwrap())
        .spawn()
        .unwrap();
    append(&frame("hall", 1, &["seen(a,T)", "happensAt(on(a),T)"]));
    append(&frame("hall", 2, &["seen(a,T)"]));
    until("a beginning", || lamps.read("out.jsonl").contains("\"lit(a)\""));
    // An error is told although nothing comes, and the old rules go on.
    lamps.write("rules.lp", "initiatedAt(lit(X), T) :- happensAt(onn(X), T).");
    until("a refusal", || lamps.read("log").contains("is not used") && lamps.read("log").contains("did you mean"));
    lamps.write("rules.lp", "");
    until("another", || lamps.read("log").contains("it has no rules"));
    append(&frame("hall", 3, &["seen(a,T)"]));
    // `lit` is defined as before; `long` is not, and `busy` is gone.
    let changed: Vec<&str> = RULES.lines().take(3).collect();
    lamps.write("rules.lp", &(changed.join("\n") + "terminatedAt(long(X), T) :- happensAt(on(X), T).\n"));
    until("a reload", || lamps.read("log").contains("has changed, and is used from the time point after"));
    assert!(
        lamps.read("log").contains("`long`, `busy` starts anew, `lit` is defined as before"),
        "{}",
        lamps.read("log")
    );
    for time in 4..9 {
        append(&frame("hall", time, &["seen(a,T)"]));
    }
    append(&frame("hall", 9, &["seen(a,T)", "happensAt(off(a),T)"]));
    until("an end", || lamps.read("out.jsonl").contains(r#""time":9,"start":2,"closed":"terminated""#));
    // The signal asks at once; here for the first rules.
    lamps.write("rules.lp", RULES);
    let before = Instant::now();
    assert!(Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap().success());
    until("another reload", || lamps.read("log").matches("is used from").count() == 2);
    assert!(before.elapsed() < Duration::from_secs(20));
    // Rotation: the file gets another name, and a new one has its own.
    fs::rename(&input, lamps.path("live.jsonl.1")).unwrap();
    fs::write(&input, frame("hall", 10, &["seen(a,T)", "happensAt(on(a),T)"]) + &frame("hall", 11, &["seen(a,T)"]))
        .unwrap();
    until("what the new file says", || lamps.read("out.jsonl").matches("\"began\"").count() == 4);
    until("a checkpoint", || Path::new(&checkpoint).exists());
    std::thread::sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // The theory changes while nobody looks: the run goes on with the old one, and takes the new one when it sees it.
    lamps.write("rules.lp", &RULES.replace("happensAt(on(X), T), seen", "happensAt(off(X), T), seen"));
    let mut rest = String::new();
    (12..15).for_each(|time| rest += &frame("hall", time, &["seen(a,T)", "happensAt(off(a),T)"]));
    append(&rest);
    let resumed = lamps.run(&input, &[&more[..], &["--resume"]].concat());
    assert!(resumed.status.success(), "{}", stderr(&resumed));
    let events = lines(&lamps.read("out.jsonl"));
    let intervals = intervals_of(&events);
    let lit: Vec<&String> = intervals.iter().filter(|i| i.contains("lit(a)")).collect();
    assert_eq!(lit, [r#""hall" "lit(a)" 11 12 "terminated""#, r#""hall" "lit(a)" 2 9 "terminated""#]);
}
