//! Any number of workers prints the same bytes as one: recognition, evaluation, learning with both learners, and folds.

mod common;

use common::streams::{mixed_task, streams};
use common::{listed, oled, plant, stderr, stdout};

/// How many random streams are tried; `OLED_WORKERS_SEEDS` asks for another number.
fn seeds() -> u64 {
    std::env::var("OLED_WORKERS_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(2)
}

/// All that a command prints, with so many workers.
fn printed(args: &[&str], workers: usize) -> (String, String, Option<i32>) {
    let workers = workers.to_string();
    let output = oled(&[args, &["--workers", &workers]].concat());
    // Whether a search tells how far it is depends on the clock.
    let told = stderr(&output).lines().filter(|line| !line.starts_with("progress: ")).collect::<Vec<_>>().join("\n");
    (stdout(&output), told, output.status.code())
}

fn assert_same(args: &[&str]) {
    assert_same_of(args, &[2, 3]);
}

/// The same for these numbers of workers.
fn assert_same_of(args: &[&str], workers: &[usize]) {
    let one = printed(args, 1);
    for workers in workers {
        let many = printed(args, *workers);
        assert!(one == many, "{args:?} with {workers} workers\n{}\n{}\n---\n{}\n{}", one.0, one.1, many.0, many.1);
    }
}

#[test]
fn workers_print_what_one_prints() {
    let folder = tempfile::tempdir().unwrap();
    let mixed_lobby = mixed_task(folder.path(), "lobby");
    for seed in 0..seeds() {
        let paths = streams(folder.path(), seed, &[]);
        for (path, task) in paths.iter().zip(["lobby", mixed_lobby.to_str().unwrap()]) {
            let input = path.to_str().unwrap();
            let one = printed(&["recognise", task, "--theory", "true", "--input", input], 1);
            assert!(one.0.lines().count() > 10, "there is something to compare: {}{}", one.0, one.1);
            assert_same(&["recognise", task, "--theory", "true", "--input", input]);
            assert_same(&["recognise", task, "--theory", "true", "--input", input, "--format", "jsonl", "--all"]);
            assert_same(&["recognise", task, "--theory", "true", "--input", input, "--frames"]);
            let evaluate =
                ["evaluate", task, "--theory", "changed", "--input", input, "--by", "segment", "--intervals"];
            assert_same(&evaluate);
            assert_same(&[&evaluate[..], &["--json"]].concat());
            assert_same(&["learn", task, "--input", input]);
        }
        let input = paths[0].to_str().unwrap();
        assert_same(&["learn", "lobby", "--input", input, "--window", "3", "--no-refits"]);
        assert_same(&["learn", listed(), "--input", input, "--learner", "oled"]);
        assert_same(&["weigh", listed(), "--theory", "hand", "--input", input]);
        assert_same(&[
            "crossval",
            listed(),
            "--input",
            input,
            "--learner",
            "oled",
            "--folds",
            "2",
            "--orders",
            "1",
            "--no-times",
        ]);
    }
}

#[test]
fn all_decisions_of_the_papers_learner_are_those_of_one_worker() {
    let folder = tempfile::tempdir().unwrap();
    let paths = streams(folder.path(), 7, &[]);
    let mixed = mixed_task(folder.path(), listed());
    for (task, path) in [(listed(), &paths[0]), (mixed.to_str().unwrap(), &paths[1])] {
        let logs = ["1", "2", "3"].map(|workers| {
            let log = folder.path().join(format!("log {workers}"));
            let args =
                ["learn", task, "--learner", "oled", "--max-instances", "200", "--input", path.to_str().unwrap()];
            let output = oled(&[&args[..], &["--workers", workers, "--log", log.to_str().unwrap()]].concat());
            (std::fs::read_to_string(&log).unwrap(), stdout(&output), stderr(&output))
        });
        assert!(logs[0].0.contains("\"expanded\""), "there is something to compare: {}", logs[0].2);
        assert!(logs[0].2.contains("left out"), "time points with more than that are left out: {}", logs[0].2);
        assert!(logs[1..].iter().all(|log| *log == logs[0]), "{logs:?}");
    }
}

#[test]
fn workers_tell_the_same_of_streams_that_are_spoilt_and_of_frames_that_are_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let spoilt = streams(folder.path(), 90, &["--late", "0.02", "--duplicate", "0.02", "--malformed", "0.01"]);
    let input = spoilt[0].to_str().unwrap();
    assert_same(&["recognise", "lobby", "--theory", "true", "--input", input, "--lenient"]);
    assert_same(&["recognise", "lobby", "--theory", "true", "--input", input, "--lenient", "--lateness", "5"]);
    // The first error ends it, after what came before it.
    let fails = ["recognise", "lobby", "--theory", "true", "--input", input];
    assert_eq!(printed(&fails, 2).2, Some(2));
    assert_same(&fails);
    let whole = streams(folder.path(), 91, &[]);
    let few =
        ["recognise", "lobby", "--theory", "true", "--input", whole[0].to_str().unwrap(), "--max-instances", "15"];
    assert!(printed(&few, 2).1.contains("--max-instances"), "{:?}", printed(&few, 2));
    assert_same(&few);
    assert_same(&["recognise", "lobby", "--theory", "true", "--input", "no such file"]);
}

#[test]
fn workers_that_have_a_part_of_the_machines_each_print_what_one_prints() {
    let folder = tempfile::tempdir().unwrap();
    let usual = "[stream]\nrate = 1.0\n";
    let manifests = [
        usual,
        "[stream]\ntick = 1\nrate = 1.0\n",
        "[calculus]\ntracked = []\n",
        "[stream]\ninterleaved = true\nrate = 1.0\n",
    ];
    for (seed, manifest) in (0..).zip(manifests) {
        let folder = folder.path().join(format!("{seed}"));
        let [task, apart, joined, of_none] = plant::task(&folder, manifest).map(|path| path.display().to_string());
        // Facts for five workers; for none of them; a segment that is all there is for a while; some that are at hand together.
        for shape in [[1, 120, 40], [1, 90, 4], [3, 90, 40], [4, 12, 40]] {
            let input = plant::stream(&folder, seed, shape).display().to_string();
            let recognise = ["recognise", &task, "--theory", &apart, "--input", &input];
            let one = printed(&recognise, 1);
            assert!(one.0.lines().count() > 10, "there is something to compare: {}{}", one.0, one.1);
            assert_same_of(&recognise, &[2, 3, 5]);
            assert_same_of(&[&recognise[..], &["--format", "jsonl", "--all"]].concat(), &[3]);
            assert_same_of(&[&recognise[..], &["--frames"]].concat(), &[2]);
            assert_same_of(&[&recognise[..], &["--frames", "--format", "jsonl"]].concat(), &[3]);
            for theory in [&apart, &joined, &of_none] {
                assert_same_of(&["recognise", &task, "--theory", theory, "--input", &input], &[2]);
                let evaluate = ["evaluate", &task, "--theory", theory, "--input", &input, "--intervals", "--json"];
                assert_same_of(&[&evaluate[..], &["--by", "segment"]].concat(), &[2, 5]);
            }
        }
    }
}

#[test]
fn limits_that_are_set_are_those_of_all_machines_together() {
    let folder = tempfile::tempdir().unwrap();
    let [task, apart, ..] = plant::task(folder.path(), "").map(|path| path.display().to_string());
    let input = plant::stream(folder.path(), 9, [1, 60, 40]).display().to_string();
    for limit in ["--max-instances=20", "--max-steps=200"] {
        let recognise = ["recognise", &task, "--theory", &apart, "--input", &input, limit];
        assert_eq!(printed(&recognise, 2).2, Some(2), "{:?}", printed(&recognise, 2));
        assert_same(&recognise);
    }
    let evaluate = ["evaluate", &task, "--theory", &apart, "--input", &input, "--max-steps=200"];
    assert_eq!(printed(&evaluate, 2).2, Some(2), "{:?}", printed(&evaluate, 2));
    assert_same(&evaluate);
}
