//! `oled crossval` and `oled compare` from the outside: what they print, what they say to a bad file, and that killing them
//! loses nothing.

mod common;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use common::{listed, oled, root, stderr, stdout};
use serde_json::Value;

/// A simulated stream of short segments.
fn simulate(folder: &Path, segments: &str, length: &str) -> String {
    let path = folder.join("s.jsonl");
    let output = oled(&["simulate", "--segments", segments, "--length", length]);
    assert!(output.status.success(), "{}", stderr(&output));
    std::fs::write(&path, output.stdout).unwrap();
    path.to_str().unwrap().to_string()
}

fn results(args: &[&str]) -> Vec<Value> {
    let output = oled(args);
    assert!(output.status.success(), "{}", stderr(&output));
    let mut printed: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(keys(&printed), ["results"]);
    serde_json::from_value(printed["results"].take()).unwrap()
}

fn keys(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn crossval_prints_the_documented_keys() {
    let folder = tempfile::tempdir().unwrap();
    let input = simulate(folder.path(), "4", "150");
    let command = ["crossval", listed(), "--learner", "oled", "--input", &input];
    let command = [&command[..], &["--folds", "3", "--orders", "2", "--json"]].concat();
    let scores = results(&command);
    let fluents: Vec<&str> = scores.iter().map(|s| s["fluent"].as_str().unwrap()).collect();
    assert_eq!(fluents, ["meeting", "moving", "fighting", "leaving_object", "loitering"]);
    for score in &scores {
        assert_eq!(
            keys(score),
            [
                "learner",
                "preset",
                "row",
                "protocol",
                "fluent",
                "symmetric",
                "precision",
                "recall",
                "f1",
                "f1_spread",
                "spread_over",
                "literals",
                "rules",
                "seconds",
                "intervals",
                "orders",
                "folds"
            ]
        );
        assert_eq!((&score["learner"], &score["preset"]), (&"oled".into(), &"default".into()));
        assert_eq!(score["protocol"], listed());
        assert!(score["seconds"].as_f64().unwrap() > 0.0);
        let folds: Vec<(u64, u64)> = score["folds"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fold| {
                assert_eq!(keys(fold), ["fold", "order", "tp", "fp", "fn", "literals", "rules", "seconds"]);
                (fold["order"].as_u64().unwrap(), fold["fold"].as_u64().unwrap())
            })
            .collect();
        assert_eq!(folds, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
        for order in score["orders"].as_array().unwrap() {
            assert_eq!(keys(order), ["order", "precision", "recall", "f1"]);
        }
        assert_eq!(
            keys(&score["intervals"]),
            [
                "share",
                "annotated",
                "recognised",
                "found",
                "precision",
                "recall",
                "f1",
                "delay",
                "covered",
                "false_alarms",
                "hours",
                "false_alarms_per_hour"
            ]
        );
    }
    // Without times, the same bytes on any number of threads.
    let run = |threads: &str| oled(&[&command[..], &["--no-times", "--threads", threads]].concat()).stdout;
    assert_eq!(run("1"), run("3"));
}

/// A copy of the task of the simulated world with a stream, a fold file and an experiment beside it.
fn task_folder(folder: &Path, config: &str) -> String {
    let task = folder.join("lobby");
    std::fs::create_dir_all(task.join("theories")).unwrap();
    for file in ["task.toml", "modes.lp", "background.lp", "theories/hand.lp", "theories/true.lp"] {
        std::fs::copy(root().join("tasks").join(listed()).join(file), task.join(file)).unwrap();
    }
    simulate(folder, "5", "200");
    let folds = "segment,fold\nlobby1,0\nlobby2,1\nlobby3,2\nlobby4,0\nlobby5,2\n";
    std::fs::write(folder.join("folds.csv"), folds).unwrap();
    let path = folder.join("experiment.toml");
    std::fs::write(&path, config).unwrap();
    path.to_str().unwrap().to_string()
}

const CONFIG: &str = r#"
name = "two rows"
orders = 2
stories = true

[[data]]
task = "lobby"
input = "s.jsonl"
folds = "folds.csv"

[[row]]
name = "learned"
preset = "paper"
learner = "oled"
set = { depth = 2 }
[[row.only]]
fluent = "meeting"
set = { depth = 1 }

[[row]]
theory = "hand"
"#;

#[test]
fn compare_runs_what_a_file_describes() {
    let folder = tempfile::tempdir().unwrap();
    let config = task_folder(folder.path(), CONFIG);
    let scores = results(&["compare", &config, "--json", "--no-times"]);
    let rows: Vec<[&str; 4]> =
        scores.iter().map(|s| ["row", "learner", "preset", "fluent"].map(|key| s[key].as_str().unwrap())).collect();
    let expected = |row, learner, preset| {
        let fluents = ["meeting", "moving", "fighting", "leaving_object", "loitering"];
        fluents.map(move |fluent| [row, learner, preset, fluent])
    };
    assert_eq!(rows, [expected("learned", "oled", "paper"), expected("hand", "theory", "hand")].concat());
    for score in &scores {
        let orders = if score["learner"] == "oled" { 2 } else { 1 };
        assert_eq!(score["orders"].as_array().unwrap().len(), orders);
        let folds: Vec<u64> = score["folds"].as_array().unwrap().iter().map(|f| f["fold"].as_u64().unwrap()).collect();
        assert_eq!(folds, [0, 1, 2].repeat(orders), "the folds of the file");
    }
    // An option for one fluent changes that fluent, and what it is set to matters.
    let deeper = task_folder(folder.path(), &CONFIG.replace("set = { depth = 1 }", "set = { prune = 0.99 }"));
    let others = results(&["compare", &deeper, "--json", "--no-times"]);
    let same: Vec<bool> = scores.iter().zip(&others).map(|(a, b)| a == b).collect();
    assert!(!same[0], "meeting has another setting");
    assert!(same[1..].iter().all(|same| *same), "the others have not: {same:?}");
    // From another folder the same: paths are relative to the file.
    let elsewhere = Command::new(env!("CARGO_BIN_EXE_oled"))
        .args(["compare", &deeper, "--json", "--no-times"])
        .current_dir(std::env::temp_dir())
        .output()
        .unwrap();
    assert_eq!(serde_json::from_slice::<Value>(&elsewhere.stdout).unwrap()["results"], Value::from(others));
}

#[test]
fn a_bad_file_is_told_with_place_and_hint() {
    let folder = tempfile::tempdir().unwrap();
    // What is wrong, where, what is said, and the hint.
    for (right, wrong, place, said, hint) in [
        ("orders = 2", "ordres = 2", "3:1", "unknown field `ordres`", "keys are name, description"),
        ("input = ", "inputs = ", "8:1", "unknown field `inputs`", "keys are name, description"),
        ("\"oled\"", "\"olde\"", "14:11", "unknown learner `olde`", "learners are replay, oled"),
        ("\"paper\"", "\"papre\"", "13:10", "unknown preset `papre`", "presets are as-printed, paper, default"),
        ("depth = 2", "dept = 2", "15:9", "unknown setting `dept`", "did you mean `depth`?"),
        ("\"s.jsonl\"", "\"t.jsonl\"", "8:9", "there is no `", "paths are relative to the file"),
        ("\"folds.csv\"", "\"fold.csv\"", "9:9", "there is no `", "paths are relative to the file"),
        ("folds = ", "hold_out = 0.3\nfolds = ", "9:12", "a share is held out instead of folds", "name one of"),
        ("orders = 2", "share = 1.5", "3:9", "this is no share", "a number above 0, at most 1"),
        ("\"lobby\"", "\"loby\"", "7:8", "cannot read `loby/task.toml`", "a task is a folder"),
        ("\"oled\"", "\"replay\"", "13:10", "the learner `replay` has no presets", "presets of the learner `oled`"),
        ("preset = \"paper\"\nlearner = \"oled\"", "", "14:9", "has no setting `depth`", "settings are penalty, miss"),
        (
            "preset = \"paper\"\nlearner = \"oled\"\nset = { depth = 2 }\n[[row.only]]\nfluent = \"meeting\"\nset = { depth = 1 }",
            "[[row.only]]\nfluent = \"meeting\"\nset = { penalty = 0.01 }",
            "14:10",
            "settings of the learner `replay` are for all fluents",
            "set `penalty` without naming one",
        ),
        ("theory = \"hand\"", "task = \"nowhere\"", "21:8", "cannot read `nowhere/task.toml`", "a task is a folder"),
        ("\"hand\"", "\"hond\"", "21:10", "cannot read `hond`", "did you mean `hand`?"),
        (
            "fluent = \"meeting\"",
            "fluent = \"meting\"",
            "17:10",
            "there is no fluent `meting`",
            "there is meeting, moving",
        ),
        (
            "theory = \"hand\"",
            "theory = \"hand\"\npreset = \"default\"",
            "21:10",
            "nothing is learned",
            "a row has a theory",
        ),
    ] {
        assert!(CONFIG.contains(right));
        let config = task_folder(folder.path(), &CONFIG.replacen(right, wrong, 1));
        let output = oled(&["compare", &config]);
        let told = stderr(&output);
        assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(2), ""), "{wrong}: {told}");
        assert!(told.starts_with("error: ") && told.contains(said), "{wrong}: {told}");
        assert!(told.contains(&format!("experiment.toml:{place}\n")), "{wrong}: {told}");
        assert!(told.lines().any(|line| line.starts_with("hint: ") && line.contains(hint)), "{wrong}: {told}");
    }
    let twice = task_folder(folder.path(), &format!("{CONFIG}\n[[row]]\ntheory = \"hand\"\n"));
    let told = oled(&["compare", &twice]);
    assert_eq!(told.status.code(), Some(2));
    let text = "experiment.toml: two rows are called `hand`\nhint: give one of them another `name`\n";
    assert!(stderr(&told).ends_with(text), "{}", stderr(&told));
    let missing = oled(&["compare", "nowhere.toml"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(stderr(&missing).contains("cannot read `nowhere.toml`") && stderr(&missing).contains("\nhint: "));
}

#[test]
fn replay_is_judged_in_one_order_unless_it_forgets() {
    let folder = tempfile::tempdir().unwrap();
    let input = simulate(folder.path(), "6", "120");
    let command = ["crossval", listed(), "--input", &input, "--folds", "3", "--orders", "2", "--json", "--no-times"];
    let orders = |more: &[&str]| {
        let scores = results(&[&command[..], more].concat());
        for score in &scores {
            assert_eq!(
                (&score["learner"], &score["preset"], &score["row"]),
                (&"replay".into(), &"".into(), &"replay".into())
            );
        }
        assert!(scores.iter().any(|score| score["f1"].as_f64().unwrap() > 0.5));
        let over = scores[0]["spread_over"].as_str().unwrap().to_string();
        let spread = scores[0]["f1_spread"].as_f64().unwrap();
        assert!(over == "orders" || spread > 0.0, "folds differ where there are no orders");
        (scores[0]["orders"].as_array().unwrap().len(), over)
    };
    assert_eq!(orders(&[]), (1, "folds".into()));
    assert_eq!(orders(&["--set", "window=4"]), (2, "orders".into()));
    let table = stdout(&oled(&["crossval", listed(), "--input", &input, "--folds", "3", "--no-times"]));
    let meeting = table.lines().nth(1).unwrap();
    assert!(meeting.contains(" folds ") && !meeting.contains("± 0.000"), "{table}");
    for (more, message) in [
        (&["--preset", "default"][..], "the learner `replay` has no presets\nhint: leave the preset out"),
        (&["--set", "depth=2"][..], "the learner `replay` has no setting `depth`"),
        (&["--set", "window=0"][..], "`0` is no value of `window`: 1 or more, or none"),
    ] {
        let output = oled(&[&command[..], more].concat());
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(message), "{}", stderr(&output));
    }
}

#[test]
fn a_row_may_have_another_task_over_the_same_stream() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "[[row]]\nlearner = \"replay\"\n\n[[row]]\nname = \"pairs once\"\nlearner = \"replay\"\ntask = \"once\"\n\n\
                [[row]]\nname = \"dear\"\nset = { penalty = 0.01 }\n";
    let config = CONFIG.split("[[row]]").next().unwrap().replace("orders = 2", "orders = 3") + rows;
    let path = task_folder(folder.path(), &config);
    simulate(folder.path(), "5", "100");
    // The same task, in which a pair that meets is one pair.
    let (from, to) = (folder.path().join("lobby"), folder.path().join("once"));
    std::fs::create_dir_all(&to).unwrap();
    for file in ["task.toml", "background.lp"] {
        std::fs::copy(from.join(file), to.join(file)).unwrap();
    }
    let modes = std::fs::read_to_string(from.join("modes.lp")).unwrap();
    let symmetric = if modes.contains("symmetric(meeting/2)") { "" } else { "symmetric(meeting/2).\n" };
    std::fs::write(to.join("modes.lp"), format!("{modes}\n{symmetric}")).unwrap();
    let out = folder.path().join("out");
    let scores = results(&["compare", &path, "--json", "--no-times", "--out", out.to_str().unwrap()]);
    let positives = |row: &str| {
        let score = scores.iter().find(|s| s["row"] == row && s["fluent"] == "meeting").unwrap();
        assert_eq!(score["orders"].as_array().unwrap().len(), 1);
        let count = |fold: &Value| fold["tp"].as_u64().unwrap() + fold["fn"].as_u64().unwrap();
        score["folds"].as_array().unwrap().iter().map(count).sum::<u64>()
    };
    if !symmetric.is_empty() {
        assert_eq!(positives("replay"), 2 * positives("pairs once"));
    }
    assert_eq!(positives("replay"), positives("dear"));
    let all: Value = serde_json::from_slice(&std::fs::read(out.join("results.json")).unwrap()).unwrap();
    assert!(all["notes"][0].as_str().unwrap().ends_with("Scores can be compared, counts cannot."), "{}", all["notes"]);
    // Rules of replay have stories that tell how far they can be trusted.
    let kept: Vec<&Value> = all["rules"].as_array().unwrap().iter().filter(|rule| rule["kept"] == true).collect();
    assert!(!kept.is_empty());
    for rule in kept {
        assert_eq!(keys(&rule["trust"]), ["gain", "helps", "harms", "refits"], "{rule}");
        assert_eq!(rule["history"].as_array().unwrap().last().unwrap()["what"], "chosen", "{rule}");
    }
    let text = std::fs::read_to_string(out.join("report.md")).unwrap();
    assert!(text.contains("| Data set | System | Rule | Gain | Helps | Harms | Refits |"), "{text}");

    std::fs::write(
        to.join("modes.lp"),
        "input(happensAt(walking(+person), +time)). example(holdsAt(dancing(+person), +time)).",
    )
    .unwrap();
    std::fs::write(to.join("background.lp"), "").unwrap();
    let output = oled(&["compare", &path]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("which is about dancing; the data is about fighting"), "{}", stderr(&output));
}

/// The keys of the lines that are complete.
fn finished(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let key = |line: &str| serde_json::from_str::<Value>(line).unwrap()["key"].as_str().unwrap().to_string();
    text.split_inclusive('\n').filter(|line| line.ends_with('\n')).map(key).collect()
}

#[test]
fn an_experiment_that_is_killed_again_and_again_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let config = task_folder(folder.path(), &CONFIG.replace("orders = 2", "orders = 6"));
    let start = |out: &Path| {
        Command::new(env!("CARGO_BIN_EXE_oled"))
            .args(["compare", &config, "--no-times", "--quiet", "--out", out.to_str().unwrap()])
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let whole = folder.path().join("whole");
    assert!(start(&whole).wait().unwrap().success());
    let jobs = 6 * 3 + 1 + 3; // six orders of three folds, a story, and three folds of the rules that are given
    assert_eq!(finished(&whole.join("folds.jsonl")).len(), jobs);

    let cut = folder.path().join("cut");
    let lines = cut.join("folds.jsonl");
    let mut before: Vec<String> = Vec::new();
    for kill_at in [0, 1, 3, 6, 10, 13, 16] {
        let mut child = start(&cut);
        while finished(&lines).len() < kill_at && child.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None, "it was killed on the way, at {kill_at}");
        let now = finished(&lines);
        assert!(now.len() >= kill_at && now.len() < jobs);
        assert_eq!(now[..before.len()], before, "what is finished is kept");
        assert!(!cut.join("report.html").exists());
        before = now;
    }
    assert!(start(&cut).wait().unwrap().success());
    for file in ["results.json", "results.csv", "report.md", "report.html"] {
        let read = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert!(!read(&whole).is_empty());
        assert!(read(&whole) == read(&cut), "{file} is another one");
    }
    let mut all = finished(&lines);
    assert_eq!(all[..before.len()], before);
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), jobs, "everything was finished");
    assert_eq!(finished(&lines).len(), jobs, "and nothing twice");
}

/// The protocols with the counts of meeting and moving.
type Known = [(&'static str, [u64; 3], [u64; 3]); 2];

#[test]
fn hand_written_rules_have_the_known_counts_on_caviar() {
    let caviar = root().join("../shared/data/caviar");
    if !caviar.is_dir() {
        // Past the test harness, so that a test that was skipped does not look like one that passed.
        let _ = writeln!(std::io::stderr(), "SKIPPED: ../shared/data/caviar not found");
        return;
    }
    let task = "caviar-listed";
    let persisting: Known =
        [("fragment", [3099, 1395, 523], [4008, 380, 2264]), ("whole", [3099, 1736, 525], [4008, 1554, 2264])];
    // Without inertia: F1 of .862 and .724 on the fragment. Acting a frame later they had .863 and .724, which is also what an
    // independent count has.
    let while_they_hold: Known =
        [("fragment", [2904, 211, 718], [3714, 268, 2558]), ("whole", [2904, 438, 720], [3714, 1436, 2558])];
    let of = |theory, known: Known| known.map(|known| (theory, known));
    for (theory, (protocol, meeting, moving)) in
        of("hand", persisting).into_iter().chain(of("hand-while", while_they_hold))
    {
        let input = caviar.to_str().unwrap();
        let scores =
            results(&["crossval", task, "--input", input, "--protocol", protocol, "--theory", theory, "--json"]);
        let sums = |fluent: &str| {
            let score = scores.iter().find(|s| s["fluent"] == fluent).unwrap();
            let folds = score["folds"].as_array().unwrap();
            assert_eq!(folds.len(), 10);
            ["tp", "fp", "fn"].map(|key| folds.iter().map(|f| f[key].as_u64().unwrap()).sum::<u64>())
        };
        assert_eq!((sums("meeting"), sums("moving")), (meeting, moving), "{theory} on {protocol}");
    }
}
