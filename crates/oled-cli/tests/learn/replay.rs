//! The default learner: what it says of its rules, of what it forgot, and of what it started from.

use super::short;
use crate::common::{listed, oled, stderr, stdout};

#[test]
fn what_replay_learns_comes_with_how_far_it_can_be_trusted() {
    let (_folder, path) = short();
    let learn = ["learn", listed(), "--input", &path];
    let output = oled(&learn);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let head = text.split("\n\n").next().unwrap();
    assert!(head.contains("% meeting: F1 0.") && head.contains(" on what was held out, where it "), "{head}");
    assert!(head.lines().last().unwrap().contains("; a literal costs 0.0"), "{head}");

    let data: serde_json::Value = serde_json::from_slice(&oled(&[&learn[..], &["--json"]].concat()).stdout).unwrap();
    assert_eq!(data["learner"], "replay");
    assert!(data.get("preset").is_none() && data.get("left_out").is_none());
    let fluents: Vec<&str> =
        data["fits"].as_array().unwrap().iter().map(|fit| fit["fluent"].as_str().unwrap()).collect();
    assert!(fluents.contains(&"meeting") && fluents.contains(&"moving"), "{fluents:?}");
    for rule in data["rules"].as_array().unwrap() {
        let (helps, harms) = (rule["helps"].as_u64().unwrap(), rule["harms"].as_u64().unwrap());
        assert!(rule["gain"].as_f64().unwrap() > 0.0 && helps > 0 && helps + harms <= 4, "{rule}");
        let [found, of] = ["found", "of"].map(|key| rule["refits"][key].as_u64().unwrap());
        assert!(found <= of && of > 0, "{rule}");
        let comment = format!(
            "% gain {:.3}; helps in {helps} segment{}, harms in {harms}; refits {found} of {of}\n{}",
            rule["gain"].as_f64().unwrap(),
            if helps == 1 { "" } else { "s" },
            rule["rule"].as_str().unwrap()
        );
        assert!(text.contains(&comment), "{comment} is not in\n{text}");
    }
    let quick = oled(&[&learn[..], &["--no-refits", "--json"]].concat());
    let quick: serde_json::Value = serde_json::from_slice(&quick.stdout).unwrap();
    let rules = |data: &serde_json::Value| {
        data["rules"].as_array().unwrap().iter().map(|r| r["rule"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(rules(&quick), rules(&data), "refits change nothing");
    assert!(quick["rules"].as_array().unwrap().iter().all(|rule| rule["refits"].is_null()));
}

#[test]
fn replay_says_why_it_learned_nothing_and_what_it_forgot() {
    let (folder, path) = short();
    let frames: String = std::fs::read_to_string(&path).unwrap().split_inclusive('\n').take(150).collect();
    let short = folder.path().join("short.jsonl");
    std::fs::write(&short, frames).unwrap();
    let learn = ["learn", "lobby", "--input", short.to_str().unwrap()];
    let output = oled(&learn);
    assert_eq!(output.status.code(), Some(1), "nothing was learned");
    assert!(stderr(&output).contains("remark: no rule starts `meeting`: "), "{}", stderr(&output));
    assert_eq!(stderr(&oled(&[&learn[..], &["--quiet"]].concat())), "");
    let data: serde_json::Value = serde_json::from_slice(&oled(&[&learn[..], &["--json"]].concat()).stdout).unwrap();
    assert!(data["remarks"][0].as_str().unwrap().starts_with("no rule starts `meeting`: "), "{data}");

    let output = oled(&["learn", listed(), "--input", &path, "--window", "1", "--no-refits"]);
    assert!(output.status.code() != Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains(" of 4 segments: more are not remembered"), "{}", stderr(&output));
}

#[test]
fn replay_goes_on_from_rules_that_are_given() {
    let (folder, path) = short();
    let start = folder.path().join("start.lp");
    let rule = "initiatedAt(meeting(A, B), T) :- happensAt(active(A), T), close(A, B, 34, T).\n";
    std::fs::write(&start, rule).unwrap();
    let value = |more: &[&str]| {
        let output = oled(&[&["learn", listed(), "--input", &path, "--no-refits", "--json"], more].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let data: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = |rule: &&serde_json::Value| rule["head"].as_str().unwrap().contains("meeting(");
        let rules = data["rules"].as_array().unwrap().iter().filter(of);
        let literals: usize = rules.map(|rule| 1 + rule["body"].as_array().unwrap().len()).sum();
        data["fits"][0]["f1"].as_f64().unwrap() - 0.002 * literals as f64
    };
    let alone = value(&[]);
    assert!(value(&["--theory", start.to_str().unwrap()]) >= alone - 1e-9, "a start is never in the way");
}

#[test]
fn replay_is_tested_on_the_way_and_tells_when_rules_came_and_went() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let world = ["simulate", "--segments", "8", "--length", "300", "--change", "5"];
    std::fs::write(path("s.jsonl"), oled(&world).stdout).unwrap();
    let mut args = vec!["learn", listed(), "--prequential", "--json"];
    let (input, log, report) = (path("s.jsonl"), path("log.jsonl"), path("report.html"));
    args.extend(["--input", &input, "--log", &log, "--report", &report]);
    let output = oled(&args);
    assert!(output.status.success(), "{}", stderr(&output));
    let data: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(data["prequential"]["meeting"]["tp"].as_u64().unwrap() > 0, "{data}");
    let events: Vec<serde_json::Value> =
        std::fs::read_to_string(&log).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    // A rule is in the theory or not, by turns; those of the end are the ones that are printed.
    let mut at_work: Vec<(u64, u64)> = Vec::new();
    for event in &events {
        let id = (event["process"].as_u64().unwrap(), event["rule"].as_u64().unwrap());
        assert!(!event["body"].as_array().unwrap().is_empty());
        match event["event"].as_str().unwrap() {
            "chosen" if !at_work.contains(&id) => at_work.push(id),
            "dropped" if at_work.contains(&id) => at_work.retain(|other| *other != id),
            _ => panic!("{event}"),
        }
    }
    assert!(events.iter().any(|event| event["event"] == "dropped"), "the world changed");
    let rules = data["rules"].as_array().unwrap();
    let mut printed: Vec<(u64, u64)> =
        rules.iter().map(|rule| (rule["process"].as_u64().unwrap(), rule["id"].as_u64().unwrap())).collect();
    printed.sort_unstable();
    at_work.sort_unstable();
    assert_eq!(at_work, printed);

    let theory = path("t.lp");
    let text: Vec<&str> = rules.iter().map(|rule| rule["rule"].as_str().unwrap()).collect();
    std::fs::write(&theory, text.join("\n")).unwrap();
    let told = stdout(&oled(&["explain", listed(), "--theory", &theory, "--log", &log]));
    assert!(told.matches("  chosen at time point ").count() >= rules.len(), "{told}");
    assert!(!told.contains("not in the log"), "{told}");
    let page = std::fs::read_to_string(&report).unwrap();
    for part in ["class=\"mark chosen\"", "class=\"mark dropped\"", "gain <b>", "helps in <b>", "refits <b>"] {
        assert!(page.contains(part), "{part}");
    }
}
