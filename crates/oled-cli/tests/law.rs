//! One meaning: what `oled learn` prints of a theory is what `oled evaluate` counts with it on the same stream.

mod common;

use std::fmt::Write;
use std::path::Path;

use common::{listed, oled, stderr, stdout};
use serde_json::{Value, json};

/// A task as a folder, and a stream beside it.
struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new(modes: &str, background: &str, toml: &str, frames: &[Value]) -> Case {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        write("modes.lp", modes);
        write("background.lp", background);
        write("task.toml", &format!("name = \"case\"\n{toml}"));
        let mut lines = String::new();
        frames.iter().for_each(|frame| writeln!(lines, "{frame}").unwrap());
        write("s.jsonl", &lines);
        Case { folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_string()
    }

    /// What `learn` says, as JSON, and what it tells people.
    fn learn(&self, more: &[&str]) -> (Value, String) {
        let (task, stream) = (self.path(""), self.path("s.jsonl"));
        let output = oled(&[&["learn", &task, "--input", &stream, "--json"], more].concat());
        let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        (json, stderr(&output))
    }
}

/// The counts of `learn` for each fluent beside those of `evaluate` with the rules that it printed.
fn assert_law(task: &str, stream: &str, learned: &Value) {
    let folder = tempfile::tempdir().unwrap();
    let theory = folder.path().join("learned.lp");
    let rules: Vec<&str> = learned["rules"].as_array().unwrap().iter().map(|r| r["rule"].as_str().unwrap()).collect();
    std::fs::write(&theory, rules.join("\n")).unwrap();
    let output = oled(&["evaluate", task, "--theory", theory.to_str().unwrap(), "--input", stream, "--json"]);
    let evaluated: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
    let fits = learned["fits"].as_array().unwrap();
    assert!(!fits.is_empty(), "{learned}");
    for fit in fits {
        let own = &evaluated["fluents"][fit["fluent"].as_str().unwrap()];
        for count in ["tp", "fp", "fn"] {
            assert_eq!(fit[count], own[count], "{count} of {}: {learned}\n{evaluated}", fit["fluent"]);
        }
    }
}

/// A frame with facts and labels that have their time put in.
fn frame(segment: &str, time: i64, narrative: &[String], annotation: &[String]) -> Value {
    let timed = |atoms: &[String]| atoms.iter().map(|a| a.replace('@', &time.to_string())).collect::<Vec<_>>();
    json!({"segment": segment, "time": time, "narrative": timed(narrative), "annotation": timed(annotation)})
}

/// A log of lamps that are switched on and off, one event a frame; nobody else is mentioned there.
fn lamps(toml: &str, apart: i64) -> Case {
    let modes = "input(happensAt(on(+lamp), +time)). input(happensAt(off(+lamp), +time)).
        example(holdsAt(lit(+lamp), +time)).
        modeh(initiatedAt(lit(+lamp), +time)). modeh(terminatedAt(lit(+lamp), +time)).
        modeb(happensAt(on(+lamp), +time)). modeb(happensAt(off(+lamp), +time)).";
    let mut frames = Vec::new();
    for s in 0..5 {
        let mut lit: Vec<u64> = Vec::new();
        for t in 0..40_u64 {
            let lamp = (t + s) % 4;
            let labels: Vec<String> = lit.iter().map(|l| format!("holdsAt(lit(l{l}), @)")).collect();
            let event = if lit.contains(&lamp) { "off" } else { "on" };
            frames.push(frame(
                &format!("s{s}"),
                t as i64 * apart,
                &[format!("happensAt({event}(l{lamp}), @)")],
                &labels,
            ));
            match lit.iter().position(|l| *l == lamp) {
                Some(at) => _ = lit.remove(at),
                None => lit.push(lamp),
            }
        }
    }
    Case::new(modes, "", toml, &frames)
}

#[test]
fn entities_that_are_not_in_every_frame_go_on_where_recognition_lets_them() {
    let case = lamps("[calculus]\ntracked = []\n", 1);
    let (learned, _) = case.learn(&[]);
    assert_eq!(learned["fits"][0]["f1"], 1.0, "{learned}");
    assert_eq!(learned["rules"].as_array().unwrap().len(), 2);
    for learner in ["replay", "oled"] {
        assert_law(&case.path(""), &case.path("s.jsonl"), &case.learn(&["--learner", learner]).0);
    }
    // Where they are tracked, most labels are of what no frame mentions.
    let case = lamps("", 1);
    let (learned, told) = case.learn(&[]);
    assert_law(&case.path(""), &case.path("s.jsonl"), &learned);
    assert!(told.contains("are about entities that no fact of their frame mentions, or about"), "{told}");
    assert!(told.contains("`tracked = []`"), "{told}");
}

#[test]
fn ticks_and_which_wins_are_the_same_for_all_commands() {
    for both in ["start", "end"] {
        let case = lamps(&format!("[calculus]\ntracked = []\nboth = \"{both}\"\n[stream]\ntick = 1\n"), 4);
        for learner in ["replay", "oled"] {
            let (learned, _) = case.learn(&["--learner", learner]);
            assert_law(&case.path(""), &case.path("s.jsonl"), &learned);
            assert_eq!(learned["fits"][0]["f1"], 1.0, "{learner}: {learned}");
        }
    }
}

#[test]
fn fluents_of_the_background_are_true_while_learning_as_they_are_while_recognising() {
    let modes = "input(happensAt(on(+d), +time)). input(happensAt(off(+d), +time)). input(d(+d, +time)).
        input(happensAt(tick(+d), +time)).
        example(holdsAt(alert(+d), +time)).
        modeh(initiatedAt(alert(+d), +time)). modeh(terminatedAt(alert(+d), +time)).
        modeb(happensAt(tick(+d), +time)). modeb(happensAt(off(+d), +time)). modeb(shining(+d, +time)).";
    // By a predicate that wraps it, with values, and said to hold at the start.
    let background = "initiatedAt(light(L)=on, T) :- happensAt(on(L), T).
        initiatedAt(light(L)=off, T) :- happensAt(off(L), T).
        initially(light(L)=on) :- d(L, T).
        shining(L, T) :- holdsAt(light(L)=on, T).";
    let mut frames = Vec::new();
    for s in 0..5_u64 {
        let (mut on, mut alert) = (true, false);
        for t in 0..60_u64 {
            let mut facts = vec!["d(x, @)".to_string()];
            let labels: &[String] = if alert { &["holdsAt(alert(x), @)".to_string()] } else { &[] };
            let event = ["on", "tick", "off", "tick", "rest"][((t * 3 + 2 * s) % 5) as usize];
            if event != "rest" {
                facts.push(format!("happensAt({event}(x), @)"));
            }
            frames.push(frame(&format!("s{s}"), t as i64, &facts, labels));
            alert = if event == "tick" && on { true } else { alert && event != "off" };
            on = match event {
                "on" => true,
                "off" => false,
                _ => on,
            };
        }
    }
    let case = Case::new(modes, background, "", &frames);
    let (learned, _) = case.learn(&[]);
    assert_eq!(learned["fits"][0]["f1"], 1.0, "{learned}");
    assert_law(&case.path(""), &case.path("s.jsonl"), &learned);
}

/// People in pairs, each near one other for a while.
fn pairs(people: usize, segments: usize, frames: i64) -> Case {
    let modes = "input(seen(+p, +time)). input(near(+p, +p, +time)).
        example(holdsAt(meet(+p, +p), +time)).
        modeh(initiatedAt(meet(+p, +p), +time)). modeh(terminatedAt(meet(+p, +p), +time)).
        modeb(near(+p, +p, +time)). modeb(not near(+p, +p, +time)).";
    let mut stream = Vec::new();
    for s in 0..segments {
        for t in 0..frames {
            let mut facts: Vec<String> = (0..people).map(|i| format!("seen(p{i}, @)")).collect();
            let couples = || (0..people).step_by(2).map(|i| format!("p{i}, p{}", i + 1));
            facts.extend(couples().filter(|_| (2..5).contains(&t)).map(|c| format!("near({c}, @)")));
            let labels: Vec<String> =
                couples().filter(|_| (3..6).contains(&t)).map(|c| format!("holdsAt(meet({c}), @)")).collect();
            stream.push(frame(&format!("s{s}"), t, &facts, &labels));
        }
    }
    Case::new(modes, "", "", &stream)
}

#[test]
fn more_instances_than_a_part_has_room_for_do_not_change_what_is_learned() {
    // A part would have room for a quarter of the runs: there are as many pairs in each frame.
    let case = pairs(12, 3, 8);
    for runs in ["500", "1000000"] {
        let (learned, told) = case.learn(&["--runs", runs]);
        assert_eq!(learned["rules"].as_array().unwrap().len(), 2, "{told}");
        assert_eq!(learned["fits"][0]["f1"], 1.0);
        assert!(!told.contains("segments"), "{told}");
    }
}

#[test]
fn a_part_of_a_segment_is_no_segment() {
    // Three segments, each remembered in several parts.
    let case = pairs(4, 3, 400);
    let (learned, told) = case.learn(&["--runs", "64"]);
    assert!(!told.contains(" of 4 segments") && !told.contains(" of 12 segments"), "{told}");
    assert_law(&case.path(""), &case.path("s.jsonl"), &learned);
    // In a long one each couple meets once, and rules need three intervals.
    let case = pairs(4, 1, 30_000);
    let (learned, told) = case.learn(&["--no-refits"]);
    assert_eq!(learned["rules"], json!([]));
    let cause = "it has 2 annotated intervals, and a rule must be right about 3. Learn from more of the stream";
    assert!(told.contains(cause), "{told}");
}

#[test]
fn what_is_learned_of_a_type_that_only_labels_have_loads() {
    let modes = "input(happensAt(on(+sensor), +time)). input(happensAt(off(+sensor), +time)).
        example(holdsAt(busy(+resident), +time)).
        modeh(initiatedAt(busy(+resident), +time)). modeh(terminatedAt(busy(+resident), +time)).
        modeb(happensAt(on(#sensor), +time)). modeb(happensAt(off(#sensor), +time)).";
    let mut frames = Vec::new();
    for s in 0..5 {
        for t in 0..20 {
            let event = match t % 10 {
                2 => vec!["happensAt(on(s1), @)".to_string()],
                7 => vec!["happensAt(off(s1), @)".to_string()],
                _ => vec![],
            };
            let busy = (3..=7).contains(&(t % 10));
            frames.push(frame(&format!("s{s}"), t, &event, &vec!["holdsAt(busy(r1), @)".to_string(); busy.into()]));
        }
    }
    let case = Case::new(modes, "sensor(s1). sensor(s2). resident(r1).", "", &frames);
    for learner in ["replay", "oled"] {
        let (learned, _) = case.learn(&["--learner", learner]);
        assert_eq!(learned["fits"][0]["f1"], 1.0, "{learned}");
        assert_law(&case.path(""), &case.path("s.jsonl"), &learned);
    }
    // Where the type has no values at all, `check` says what `learn` says.
    let case = Case::new(modes, "sensor(s1). sensor(s2).", "", &frames);
    let output = oled(&["check", &case.path("")]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("the type `resident` has no values"), "{}", stderr(&output));
}

#[test]
fn a_fluent_without_rules_has_no_f1() {
    let case = pairs(2, 2, 20);
    let (learned, _) = case.learn(&[]);
    assert_eq!(learned["fits"][0]["f1"], Value::Null);
    assert!(learned["fits"][0]["fn"].as_u64().unwrap() > 0);
    let output = oled(&["learn", &case.path(""), "--input", &case.path("s.jsonl")]);
    assert!(stdout(&output).contains("% meet: F1 – (TP 0, FP 0, FN "), "{}", stdout(&output));
}

#[test]
fn every_learner_prints_the_counts_of_evaluate() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    std::fs::write(&stream, oled(&["simulate", "--segments", "4", "--length", "150"]).stdout).unwrap();
    let stream = stream.to_str().unwrap();
    let learners: &[&[&str]] = if cfg!(feature = "clingo") {
        &[&["replay"], &["oled"], &["iled"], &["xhail", "--time", "2"]]
    } else {
        &[&["replay"], &["oled"]]
    };
    for learner in learners {
        let args = [&["learn", listed(), "--input", stream, "--json", "--learner"], *learner].concat();
        let output = oled(&args);
        let learned: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", stderr(&output)));
        assert_law(listed(), stream, &learned);
    }
}

#[test]
fn a_search_that_is_cut_short_prints_what_it_has_found_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (stream, theory) = (folder.path().join("s.jsonl"), folder.path().join("learned.lp"));
    std::fs::write(&stream, oled(&["simulate", "--segments", "3", "--length", "300"]).stdout).unwrap();
    let (stream, theory) = (stream.to_str().unwrap(), theory.to_str().unwrap());
    let output = oled(&["learn", "lobby", "--input", stream, "--time", "0.001", "--output", theory]);
    let told = stderr(&output);
    let cut = told.contains("was cut short") || told.contains("the search was ended before it found one");
    assert!(cut, "{told}");
    assert!(Path::new(theory).is_file(), "what was found is written");
    let evaluated = oled(&["evaluate", "lobby", "--theory", theory, "--input", stream]);
    assert!(matches!(evaluated.status.code(), Some(0 | 1)), "and it loads: {}", stderr(&evaluated));
    for wrong in ["0", "soon", "inf"] {
        let output = oled(&["learn", "lobby", "--input", stream, "--time", wrong]);
        assert!(stderr(&output).contains("a number of seconds above 0"), "{}", stderr(&output));
    }
}

#[test]
fn a_line_says_what_was_learned_and_where_it_is() {
    let (case, folder) = (lamps("[calculus]\ntracked = []\n", 1), tempfile::tempdir().unwrap());
    let theory = folder.path().join("learned.lp");
    let theory = theory.to_str().unwrap();
    let output = oled(&["learn", &case.path(""), "--input", &case.path("s.jsonl"), "--output", theory]);
    assert_eq!(stderr(&output), format!("2 rules, F1 lit 1.000 → {theory}\n"));
}
