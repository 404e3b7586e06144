//! Any number of workers prints the same bytes as one: recognition, evaluation, learning with both learners, and folds.

mod common;

use common::streams::{mixed_task, streams};
use common::{listed, oled, stderr, stdout};

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
    let one = printed(args, 1);
    for workers in [2, 3] {
        let many = printed(args, workers);
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
