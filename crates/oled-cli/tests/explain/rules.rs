//! Rules that are explained: those that were learned, how far they can be trusted, and what they measured.

use serde_json::Value;

use super::{Point, RULES, World};
use crate::common::{listed, oled, stderr, stdout};

#[test]
fn explanations_agree_with_recognition_and_evaluation() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl").to_str().unwrap().to_string();
    std::fs::write(&stream, oled(&["simulate", "--length", "500", "--segments", "2"]).stdout).unwrap();
    let run = |command: &str, more: &[&str]| {
        let output = oled(&[&[command, "lobby-listed", "--theory", "hand", "--input", &stream], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        stdout(&output)
    };
    let data: Value = serde_json::from_str(&run("explain", &["--limit", "100000", "--json"])).unwrap();
    let mut explained = Vec::new();
    for interval in data["recognised"].as_array().unwrap() {
        let reasons = interval["reasons"].as_array().unwrap();
        assert_eq!(reasons[0]["what"], "began", "{interval}");
        let end = match reasons.last().unwrap()["what"].as_str().unwrap() {
            "ended" => "terminated",
            "not observed" => "lost",
            "segment ended" => "segment",
            other => panic!("{other}: {interval}"),
        };
        let [segment, fluent, first, last] = ["segment", "fluent", "first", "last"].map(|key| interval[key].clone());
        explained.push(serde_json::json!([segment, fluent, first, last, end]).to_string());
    }
    let mut recognised: Vec<String> = Vec::new();
    for line in run("recognise", &["--format", "jsonl"]).lines() {
        let interval: Value = serde_json::from_str(line).unwrap();
        let fields = ["segment", "fluent", "start", "end", "closed"].map(|key| interval[key].clone());
        recognised.push(serde_json::json!(fields).to_string());
    }
    explained.sort();
    recognised.sort();
    assert_eq!(explained, recognised);
    let counts: Value = serde_json::from_str(&run("evaluate", &["--json"])).unwrap();
    for (kind, count) in [("missed", "fn"), ("false_alarms", "fp")] {
        let runs = data[kind].as_array().unwrap();
        let points = |run: &Value| run["last"].as_i64().unwrap() - run["first"].as_i64().unwrap() + 1;
        assert_eq!(Value::from(runs.iter().map(points).sum::<i64>()), counts["micro"][count], "{kind}");
    }
}

#[test]
fn the_log_tells_the_history_of_a_learned_rule() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (stream, log, theory) = (path("s.jsonl"), path("log.jsonl"), path("learned.lp"));
    std::fs::write(&stream, oled(&["simulate", "--length", "400", "--segments", "2"]).stdout).unwrap();
    let learned =
        oled(&["learn", listed(), "--learner", "oled", "--input", &stream, "--log", &log, "--output", &theory]);
    assert!(learned.status.success(), "{}", stderr(&learned));
    let explained = oled(&["explain", listed(), "--theory", &theory, "--log", &log, "--json"]);
    assert!(explained.status.success(), "{}", stderr(&explained));
    let data: Value = serde_json::from_str(&stdout(&explained)).unwrap();
    let rules = data["rules"].as_array().unwrap();
    assert!(!rules.is_empty());
    for rule in rules {
        assert_eq!(rule["found"], true, "{rule}");
        // What the steps added and took away is the body.
        let mut body: Vec<&str> = Vec::new();
        for step in rule["expanded"].as_array().unwrap() {
            body.retain(|l| !step["dropped"].as_array().unwrap().iter().any(|d| d == l));
            body.extend(step["added"].as_array().unwrap().iter().map(|l| l.as_str().unwrap()));
        }
        let clause = rule["clause"].as_str().unwrap();
        assert!(body.iter().all(|literal| clause.contains(literal)), "{rule}");
        assert_eq!(clause.lines().count(), 1 + body.len(), "{rule}");
    }
    let first = stdout(&oled(&["explain", listed(), "--theory", &theory, "--log", &log, "--rule", "1"]));
    let (started, step) = (&rules[0]["started"], &rules[0]["expanded"][0]);
    assert!(first.contains(&format!(
        "  started at interpretation {} from a bottom clause of {} literals\n  expanded at interpretation {}\n    + {}\n",
        started["interpretation"],
        started["bottom"],
        step["interpretation"],
        step["added"][0].as_str().unwrap()
    )));
    assert!(first.contains(&format!(
        "    score {:.3} to {:.3}, gap ",
        step["score"].as_f64().unwrap(),
        step["best"].as_f64().unwrap()
    )));
    assert!(!first.contains("\nrule 2\n"), "only what was asked for");
    let other = oled(&["explain", listed(), "--theory", "hand", "--log", &log, "--rule", "1"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(stdout(&other).ends_with("  not in the log: no rule began or ended with this head and body\n"));
}

#[test]
fn rules_are_trusted_as_far_as_they_help() {
    // The third rule ends what the label does not end, in the second segment; and nothing needs it in the first.
    let meets: &[Point] = &[
        ("active 1", "active 2", false),
        ("active 1", "active 2", true),
        ("active 1", "active 9", true),
        ("active 1", "active 9", false),
    ];
    let walks: &[Point] = &[
        ("active 1", "active 2", false),
        ("walking 1", "walking 2", true),
        ("walking 1", "walking 2", true),
        ("active 1", "active 9", true),
    ];
    // Only p1 is at 1, so that a pair is recognised in the order in which it is labelled.
    let rules = RULES.replacen("happensAt(active(X), T)", "place(X, 1, T), happensAt(active(X), T)", 1);
    let world = World::new(&rules, &[("one", meets), ("two", walks)]);
    let output = world.explain(&["--trust", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let data: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let trust = data["trust"].as_array().unwrap();
    let segments = |key: &str| trust.iter().map(|rule| rule[key].as_u64().unwrap()).collect::<Vec<_>>();
    assert!(trust.iter().all(|rule| rule["fluent"] == "meeting"));
    assert_eq!((segments("helps"), segments("harms")), (vec![2, 1, 0], vec![0, 0, 1]), "{data}");
    let gains: Vec<f64> = trust.iter().map(|rule| rule["gain"].as_f64().unwrap()).collect();
    assert!(gains[0] > gains[1] && gains[1] > 0.0 && gains[2] < 0.0, "{gains:?}");
    let text = stdout(&world.explain(&["--trust"]));
    assert!(text.starts_with("rule 1\n  initiatedAt(meeting(X, Y), T) :-\n"), "{text}");
    assert!(text.contains(&format!("\n  gain {:.3}; helps in 1 segment, harms in 0\n\nrule 3\n", gains[1])), "{text}");

    // A rule that another one speaks of cannot be left out.
    let named = "near(X, Y, T) :- close(X, Y, T), place(X, 1, T).
        initiatedAt(meeting(X, Y), T) :- near(X, Y, T). terminatedAt(meeting(X, Y), T) :- far(X, Y, T).";
    let text = stdout(&World::new(named, &[("one", meets)]).explain(&["--trust"]));
    assert!(text.contains("  other rules cannot do without it\n\nrule 2\n"), "{text}");

    let unlabelled: &[Point] = &[("active 1", "active 2", false)];
    let output = World::new(RULES, &[("one", unlabelled)]).explain(&["--trust"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("the stream has no labels"), "{}", stderr(&output));
}

/// A pump with gauges: why there is no alarm is a matter of numbers.
#[test]
fn what_was_measured_stands_beside_its_threshold_for_any_instance_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).unwrap();
        folder.path().join(name).to_str().unwrap().to_string()
    };
    write("task.toml", "");
    write(
        "modes.lp",
        "input(temp(+pump, +real, +time)). input(load(+pump, +real, +time)). input(place(+pump, +real, +time)).
         example(holdsAt(alarm(+pump), +time)). horizon(10).
         comparison(hot(+pump, #real, +time), 2, smaller). comparison(near(+pump, +pump, #real, +time), 3, larger).",
    );
    write(
        "background.lp",
        "hot(X, D, T) :- temp(X, V, T), V > D.
         gap(X, Y, R, T) :- place(X, A, T), place(Y, B, T), X != Y, R = abs(A - B).
         near(X, Y, D, T) :- gap(X, Y, R, T), R <= D.
         warm(X, T) :- temp(X, V, T), V >= 50.
         tired(X, T) :- lasting(warm(X, T), D), D >= 2.
         crowded(X, T) :- near(X, _, 2, T).",
    );
    let theory = write(
        "rules.lp",
        "initiatedAt(alarm(X), T) :- hot(X, 80, T), load(X, L, T), 0.5 <= L, not crowded(X, T).
         initiatedAt(alarm(X), T) :- tired(X, T), near(X, Y, 1.5, T).
         terminatedAt(alarm(X), T) :- not hot(X, 60, T), temp(X, _, T).",
    );
    let gauges = [(81.0, 0.4), (79.96, 0.7), (55.0, 0.9), (95.25, 0.5), (60.0, 0.9), (59.0, 0.9)];
    let mut stream = String::new();
    for (time, (temp, load)) in gauges.iter().enumerate() {
        let facts = [
            format!("temp(a,{temp:?},{time})"),
            format!("load(a,{load:?},{time})"),
            format!("place(a,0.0,{time})"),
            format!("place(b,7.5,{time})"),
            format!("place(c,3.25,{time})"),
        ];
        let facts: Vec<String> = facts.iter().map(|fact| format!("\"{fact}\"")).collect();
        stream += &["{\"time\":", &time.to_string(), ",\"narrative\":[", &facts.join(","), "]}\n"].concat();
    }
    let input = write("s.jsonl", &stream);
    let task = folder.path().to_str().unwrap();
    let explain = |more: &[&str]| {
        let output = oled(&[&["explain", task, "--theory", &theory, "--input", &input], more].concat());
        (stdout(&output), stderr(&output))
    };
    let at = |time: &str| explain(&["--fluent", "alarm(a)", "--at", time]).0;
    // What begins holds from the next time point on, so that it is the one before that decides.
    let expected = "alarm(a) in main, 1: not recognised
  not begun by rule 1 at 0
    in the way: 0.5 <= 0.4  % load 0.4, at least 0.5
  not begun by rule 2 at 0
    in the way: tired(a, 0)  % lasting warm 0, at least 2
    in the way: near(a, Y, 1.5, 0)  % gap 3.25, at most 1.5
";
    assert_eq!(at("1"), expected);
    assert!(at("2").contains("in the way: hot(a, 80, 1)  % temp 79.96, more than 80\n"), "{}", at("2"));
    let recognised = at("4");
    assert!(recognised.contains("    hot(a, 80, 3)  % temp 95.2, more than 80\n"), "{recognised}");
    assert!(recognised.contains("    not crowded(a, 3)  % gap 3.25, more than 2\n"), "{recognised}");
    assert!(recognised.contains("    not hot(a, 60, 4)  % temp 60.0, at most 60\n"), "{recognised}");
    // As data, exactly.
    let json: Value = serde_json::from_str(&explain(&["--fluent", "alarm(a)", "--at", "2", "--json"]).0).unwrap();
    let measured = &json["not_recognised"][0]["reasons"][0]["conditions"][0]["measured"][0];
    let expected = serde_json::json!({"what": "temp", "value": 79.96, "comparison": ">", "threshold": 80});
    assert_eq!(measured, &expected, "{json}");
    // Who was never seen, and a time that is none.
    assert!(explain(&["--fluent", "alarm(z)", "--at", "2"]).0.contains("z was not observed at 2"));
    let (_, told) = explain(&["--fluent", "alarm(a)", "--at", "17"]);
    assert!(told.contains("there is no time point 17: the nearest is 5"), "{told}");
}
