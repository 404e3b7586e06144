//! Several processes print the same bytes as the plain program, also where they are killed and started again.
#![cfg(feature = "cluster")]

mod common;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use common::streams::{lot, mixed_task, streams};
use common::{listed, machines, oled, root, stderr, stdout};

/// A number from the environment, to try more.
fn many(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A file of hosts with free ports.
fn hosts(folder: &Path, count: usize) -> PathBuf {
    let path = folder.join(format!("hosts-{count}"));
    std::fs::write(&path, oled_cluster::hosts::local(count).unwrap().join("\n") + "\n").unwrap();
    path
}

/// Starts all processes of a cluster.
fn start(args: &[&str], folder: &Path, count: usize) -> Vec<Child> {
    start_with(args, folder, count, None)
}

/// The same where one of them may be lost.
fn start_with(args: &[&str], folder: &Path, count: usize, fault: Option<&str>) -> Vec<Child> {
    let hosts = hosts(folder, count);
    let process = |i: usize| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
        command.envs(fault.map(|fault| ("OLED_CLUSTER_FAULT", fault)));
        command.arg("cluster").args(args).arg("--hosts").arg(&hosts).arg("--process").arg(i.to_string());
        command.current_dir(root()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    // Who finds nobody waits for a second before it tries again.
    let paused = |i| {
        let child = process(i);
        std::thread::sleep(Duration::from_millis(40));
        child
    };
    (0..count).map(paused).collect()
}

/// What the first process printed; the others have ended well too.
fn ended(children: Vec<Child>) -> Output {
    let mut outputs = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let first = outputs.next().unwrap();
    for other in outputs {
        assert_eq!(other.status.code(), Some(0), "{}", stderr(&other));
    }
    first
}

fn assert_same(args: &[&str], folder: &Path) {
    let plain = oled(args);
    for count in [1, 2, 3] {
        let output = ended(start(args, folder, count));
        let same = (stdout(&plain), stderr(&plain), plain.status.code())
            == (stdout(&output), stderr(&output), output.status.code());
        assert!(
            same,
            "{args:?}, {count} processes\n{}{}\n---\n{}{}",
            stdout(&plain),
            stderr(&plain),
            stdout(&output),
            stderr(&output)
        );
    }
}

#[test]
fn processes_print_what_the_plain_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let mixed_lobby = mixed_task(folder.path(), "lobby");
    for seed in 0..many("OLED_CLUSTER_SEEDS", 1) {
        let paths = streams(folder.path(), seed, &[]);
        for (path, task) in paths.iter().zip(["lobby", mixed_lobby.to_str().unwrap()]) {
            let input = path.to_str().unwrap();
            assert_same(&["recognise", task, "--theory", "true", "--input", input], folder.path());
            assert_same(
                &["recognise", task, "--theory", "true", "--input", input, "--frames", "--format", "jsonl"],
                folder.path(),
            );
            assert_same(&["recognise", task, "--theory", "true", "--input", input, "--workers", "2"], folder.path());
            assert_same(&["learn", task, "--input", input, "--no-refits"], folder.path());
        }
        let input = paths[0].to_str().unwrap();
        assert_same(&["learn", listed(), "--input", input, "--learner", "oled", "--quiet"], folder.path());
        let folds = [
            "crossval",
            listed(),
            "--input",
            input,
            "--learner",
            "oled",
            "--folds",
            "2",
            "--orders",
            "2",
            "--no-times",
        ];
        assert_same(&folds, folder.path());
        // What is wrong with a stream, or too much, is told after what came before.
        assert_same(
            &["recognise", "lobby", "--theory", "true", "--input", input, "--max-instances", "15"],
            folder.path(),
        );
        assert_same(&["recognise", "lobby", "--theory", "true", "--input", paths[1].to_str().unwrap()], folder.path());
    }
}

/// The same where each process reads its pieces of the stream.
fn assert_same_shared(args: &[&str], folder: &Path) {
    let plain = oled(args);
    for count in [1, 2, 3] {
        let output = ended(start(&[args, &["--shared-input"]].concat(), folder, count));
        let all = |output: &Output| (stdout(output), stderr(output), output.status.code());
        assert_eq!(all(&output), all(&plain), "{args:?}, {count} processes");
    }
}

#[test]
fn processes_that_read_their_pieces_print_what_the_plain_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    for seed in 20..20 + many("OLED_CLUSTER_SEEDS", 1) {
        let paths = streams(folder.path(), seed, &["--segments", "14"]);
        let input = paths[0].to_str().unwrap();
        assert!(std::fs::metadata(input).unwrap().len() > 3 << 17, "there are some pieces");
        let facts = folder.path().join("stream.lp");
        let converted = oled(&["convert", input, "--to", "facts", facts.to_str().unwrap()]);
        assert!(converted.status.success(), "{}", stderr(&converted));
        let recognise = ["recognise", "lobby", "--theory", "true"];
        for input in [input, facts.to_str().unwrap()] {
            assert_same_shared(&[&recognise[..], &["--input", input]].concat(), folder.path());
        }
        assert_same_shared(
            &[&recognise[..], &["--input", input, "--frames", "--format", "jsonl", "--workers", "2"]].concat(),
            folder.path(),
        );
        assert_same_shared(&["learn", "lobby", "--input", input, "--no-refits"], folder.path());
        assert_same_shared(&["learn", listed(), "--input", input, "--learner", "oled", "--quiet"], folder.path());
        // What is wrong is told with its place, after what came before it; so is what the task does not know.
        assert_same_shared(&[&recognise[..], &["--input", input, "--max-instances", "15"]].concat(), folder.path());
        let text = std::fs::read_to_string(input).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let wrong = folder.path().join("wrong.jsonl");
        let with = ["--input", wrong.to_str().unwrap()];
        for at in [lines.len() / 3, lines.len() - 2] {
            let mut changed = lines.clone();
            changed[at] = "{\"time\":";
            std::fs::write(&wrong, changed.join("\n")).unwrap();
            assert_same_shared(&[&recognise[..], &with].concat(), folder.path());
            changed[at] = lines[0];
            std::fs::write(&wrong, changed.join("\n")).unwrap();
            assert_same_shared(&[&recognise[..], &with].concat(), folder.path());
            changed[at] = "{\"segment\":\"other\",\"time\":1,\"color\":1,\"narrative\":[\"happensAt(waking(id1),1)\"]}";
            changed.truncate(at + 1);
            std::fs::write(&wrong, changed.join("\n")).unwrap();
            assert_same_shared(&[&recognise[..], &with].concat(), folder.path());
        }
    }
    // What is not read in pieces is fed by the first process, which says so.
    let mixed = mixed_task(folder.path(), "lobby");
    let path = streams(folder.path(), 20, &[]);
    let args = ["recognise", mixed.to_str().unwrap(), "--theory", "true", "--input", path[1].to_str().unwrap()];
    let args = [&args[..], &["--lateness", "3"]].concat();
    let output = ended(start(&[&args[..], &["--shared-input"]].concat(), folder.path(), 2));
    assert_eq!(stdout(&output), stdout(&oled(&args)));
    assert!(stderr(&output).contains("not read in pieces, since its segments are mixed"), "{}", stderr(&output));
}

#[test]
fn processes_read_their_pieces_of_mixed_segments_and_of_tables() {
    let folder = tempfile::tempdir().unwrap();
    let lobby = mixed_task(folder.path(), "lobby");
    let path = &streams(folder.path(), 21, &["--segments", "14"])[1];
    let mut cases = vec![("true".to_string(), lobby, path.clone())];
    for mixed in [false, true] {
        let [task, rules] = machines::task(folder.path(), mixed);
        let table = machines::table(folder.path(), 3, [9, 150, 12], mixed);
        assert!(std::fs::metadata(&table).unwrap().len() > 3 << 17, "there are some pieces");
        cases.push((rules.to_str().unwrap().into(), task, table));
    }
    for (rules, task, input) in &cases {
        let (task, path) = (task.to_str().unwrap(), input.to_str().unwrap());
        let recognise = ["recognise", task, "--theory", rules];
        let plain = oled(&[&recognise[..], &["--input", path]].concat());
        assert!(stdout(&plain).lines().count() > 10, "there is something to compare: {}", stderr(&plain));
        assert_same_shared(&[&recognise[..], &["--input", path]].concat(), folder.path());
        assert_same_shared(
            &[&recognise[..], &["--input", path, "--frames", "--format", "jsonl", "--workers", "2"]].concat(),
            folder.path(),
        );
        assert_same_shared(&["learn", task, "--input", path, "--no-refits"], folder.path());
        // A line that is wrong, and one that is there again: what was before, and the fault.
        let text = std::fs::read_to_string(input).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let name = if path.ends_with("csv") { "wrong.csv" } else { "wrong.jsonl" };
        let wrong = folder.path().join(name);
        let with = [&recognise[..], &["--input", wrong.to_str().unwrap()]].concat();
        // A line without quotes is a row of its own.
        let at = (2 * lines.len() / 3..lines.len())
            .find(|at| !name.ends_with("csv") || !lines[at - 1..=*at].concat().contains('"'));
        let at = at.unwrap();
        for line in [lines[at].split_at(5).0, lines[1]] {
            let mut changed = lines.clone();
            changed[at] = line;
            std::fs::write(&wrong, changed.join("\n") + "\n").unwrap();
            assert_eq!(oled(&with).status.code(), Some(2), "{line}");
            assert_same_shared(&with, folder.path());
        }
    }
}

#[test]
fn a_reader_of_pieces_that_is_lost_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let paths = streams(folder.path(), 8, &["--segments", "30"]);
    let input = paths[0].to_str().unwrap();
    let recognise = ["recognise", "lobby", "--theory", "true", "--input", input];
    let decides = ["learn", listed(), "--learner", "oled", "--input", input];
    let [task, rules] = machines::task(folder.path(), true);
    let table = machines::table(folder.path(), 3, [9, 250, 12], true);
    let [task, rules, table] = [&task, &rules, &table].map(|path| path.to_str().unwrap());
    let mixed = ["recognise", task, "--theory", rules, "--input", table];
    let faults =
        ["0:2:work", "1:3:work", "0:3:written", "0:1:kept", "0:1:kept", "0:1:kept", "1:5:work", "1:7:work", "1:4:work"];
    for (i, fault) in faults.into_iter().enumerate() {
        let args = [&recognise[..], &decides[..], &mixed[..]][i % 3];
        let [output, checkpoint] = ["out", "kept"].map(|name| folder.path().join(format!("{name} {i}")));
        let keep = ["--output", output.to_str().unwrap(), "--checkpoint", checkpoint.to_str().unwrap()];
        let kept = [args, &keep, &["--resume", "--every", "100", "--quiet", "--shared-input"]].concat();
        let lost = start_with(&kept, folder.path(), 2, Some(fault));
        let lost: Vec<Output> = lost.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        assert!(lost.iter().any(|output| output.status.code().is_none()), "{fault}: somebody is lost");
        ended(start(&kept, folder.path(), 2 + i % 2));
        let written = std::fs::read_to_string(&output).unwrap();
        assert_eq!(written, stdout(&oled(args)), "nothing is lost, and nothing comes twice: {args:?}, {fault}");
    }
}

/// Runs a cluster to its end, killing one of its processes again and again at random moments; tells how often.
fn killed(args: &[&str], folder: &Path, count: usize, seed: u64, kills: u64) -> u64 {
    let mut killed = 0;
    for attempt in 0.. {
        let mut children = start(args, folder, count);
        let began = Instant::now();
        if killed < kills {
            // From the very beginning, before they are connected, to after the end.
            std::thread::sleep(Duration::from_millis(lot(seed, attempt) % 1200));
            let victim = lot(seed, attempt + 1) as usize % count;
            killed += u64::from(children[victim].try_wait().unwrap().is_none());
            let _ = children[victim].kill();
            // Who is not connected yet waits for whoever is started again; here all of them are.
            for child in &mut children {
                while child.try_wait().unwrap().is_none() {
                    std::thread::sleep(Duration::from_millis(10));
                    if began.elapsed() > Duration::from_secs(3) {
                        let _ = child.kill();
                    }
                }
            }
        }
        let outputs: Vec<Output> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        if outputs.iter().all(|output| matches!(output.status.code(), Some(0 | 1))) {
            return killed;
        }
        assert!(attempt < 60, "it does not come to an end: {}", stderr(&outputs[0]));
        let told: Vec<String> = outputs.iter().filter(|o| o.status.code() == Some(2)).map(stderr).collect();
        // One that was killed while they were connected does not answer.
        let is_clear =
            |text: &String| text.contains("start all processes again") || text.contains("cannot be connected");
        assert!(told.iter().all(is_clear), "{told:?}");
    }
    unreachable!("it ends when all is done")
}

#[test]
#[ignore = "it kills at moments of the clock, as often as OLED_CLUSTER_KILLS says: run it with `--ignored`"]
fn a_cluster_whose_processes_are_killed_comes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let (path, kills) = (streams(folder.path(), 5, &["--length", "700"]), many("OLED_CLUSTER_KILLS", 4));
    let mixed = mixed_task(folder.path(), "lobby");
    let (task, input) = (mixed.to_str().unwrap(), path[1].to_str().unwrap());
    let recognise = ["recognise", task, "--theory", "true", "--input", input];
    let learn = ["learn", task, "--input", input, "--no-refits"];
    let expected = [recognise.as_slice(), &learn].map(|args| stdout(&oled(args)));
    let mut done = 0;
    for seed in 0.. {
        for (args, expected) in [recognise.as_slice(), &learn].into_iter().zip(&expected) {
            if done >= kills {
                return;
            }
            let [output, checkpoint] =
                ["out", "checkpoint"].map(|name| folder.path().join(format!("{name} of {} {seed}", args[0])));
            let (output, checkpoint) = (output.to_str().unwrap(), checkpoint.to_str().unwrap());
            let keep = ["--output", output, "--checkpoint", checkpoint, "--resume", "--every", "300"];
            done += killed(&[args, &keep].concat(), folder.path(), 2 + seed as usize % 2, seed + done, 2);
            let written = std::fs::read_to_string(output).unwrap();
            assert_eq!(&written, expected, "nothing is lost, and nothing comes twice: {args:?}, seed {seed}");
        }
    }
}

#[test]
fn a_process_that_is_lost_anywhere_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let paths = streams(folder.path(), 8, &[]);
    let input = paths[0].to_str().unwrap();
    let recognise = ["recognise", "lobby", "--theory", "true", "--input", input];
    let decides = ["learn", listed(), "--learner", "oled", "--input", input];
    let faults = ["0:1:work", "1:2:work", "0:2:written", "0:0:kept", "0:3:kept", "1:4:work"];
    for (i, fault) in faults.into_iter().enumerate() {
        let args = [&recognise[..], &decides[..]][i % 2];
        let [output, checkpoint] = ["out", "kept"].map(|name| folder.path().join(format!("{name} {i}")));
        let keep = ["--output", output.to_str().unwrap(), "--checkpoint", checkpoint.to_str().unwrap()];
        let args_kept = [args, &keep, &["--resume", "--every", "300", "--quiet"]].concat();
        let lost = start_with(&args_kept, folder.path(), 2, Some(fault));
        let lost: Vec<Output> = lost.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
        assert!(lost.iter().any(|output| output.status.code().is_none()), "{fault}: somebody is lost");
        ended(start(&args_kept, folder.path(), 2 + i % 2));
        let written = std::fs::read_to_string(&output).unwrap();
        assert_eq!(written, stdout(&oled(args)), "nothing is lost, and nothing comes twice: {args:?}, {fault}");
    }
}

#[test]
fn a_checkpoint_is_gone_on_from_by_another_number_of_processes() {
    for more in [&[][..], &["--shared-input", "--every", "100"]] {
        gone_on_from(more);
    }
}

fn gone_on_from(more: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let path = streams(folder.path(), 6, &["--segments", "14"]);
    let text = std::fs::read_to_string(&path[0]).unwrap();
    let resumable_file = folder.path().join("resumable_file.jsonl");
    let [output, checkpoint] = ["out.csv", "checkpoint"].map(|name| folder.path().join(name));
    let args = [
        "recognise",
        "lobby",
        "--theory",
        "true",
        "--input",
        resumable_file.to_str().unwrap(),
        "--output",
        output.to_str().unwrap(),
        "--checkpoint",
        checkpoint.to_str().unwrap(),
        "--resume",
    ];
    let args = [&args[..], more].concat();
    let lines: Vec<&str> = text.lines().collect();
    for (part, count) in [(0.3, 2), (0.6, 3), (1.0, 1)] {
        let end = (part * lines.len() as f64) as usize;
        std::fs::write(&resumable_file, lines[..end].join("\n") + "\n").unwrap();
        ended(start(&args, folder.path(), count));
        let plain = oled(&["recognise", "lobby", "--theory", "true", "--input", resumable_file.to_str().unwrap()]);
        assert_eq!(std::fs::read_to_string(&output).unwrap(), stdout(&plain), "{count} processes, up to line {end}");
    }
}

#[test]
fn hosts_that_are_wrong_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hosts");
    std::fs::write(&path, "localhost\n").unwrap();
    let hosts = path.to_str().unwrap();
    for (process, expected) in [("0", "has no port"), ("3", "names 1 hosts")] {
        let output =
            oled(&["cluster", "recognise", "lobby", "--theory", "true", "--hosts", hosts, "--process", process]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(expected) && stderr(&output).contains("hint:"), "{}", stderr(&output));
    }
}

#[test]
fn processes_that_work_on_something_else_are_told_and_nobody_waits() {
    let folder = tempfile::tempdir().unwrap();
    let paths = streams(folder.path(), 9, &[]);
    let hosts = hosts(folder.path(), 3);
    let one = |process: &str, theory: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
        command.args(["cluster", "recognise", "lobby", "--theory", theory, "--input"]).arg(&paths[0]).args(more);
        command.arg("--hosts").arg(&hosts).args(["--process", process]).current_dir(root());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children = [one("0", "true", &[]), one("1", "changed", &[]), one("2", "true", &["--frames"])];
    for output in children.map(|child| child.wait_with_output().unwrap()) {
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("do not work on the same: process 1 at"), "{told}");
        assert!(
            told.contains("has the rules: ") && told.contains("has `--frames`: `yes`, and in process 0 nothing"),
            "{told}"
        );
    }
}
