//! Disks that are full, at every block of every output: an error, and nothing that is half written under its name.
//!
//! `cargo test -p oled-cli --test faults -- --nocapture` prints how many faults were tried.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)] // the counts

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::{oled, stderr};

/// Runs a command in a folder, where files may have so many blocks of 512 or 1024 bytes.
fn limited(blocks: usize, command: &str, folder: &Path) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$OLED\" {command}");
    let mut sh = Command::new("sh");
    sh.arg("-c").arg(script).env("OLED", env!("CARGO_BIN_EXE_oled")).env("NO_COLOR", "1");
    sh.current_dir(folder).output().unwrap()
}

fn simulated(folder: &Path) {
    let output = oled(&["simulate", "--segments", "4", "--length", "150", "--people", "3"]);
    fs::write(folder.join("s.jsonl"), output.stdout).unwrap();
}

/// The names of all files of a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_whole_or_as_it_was_before() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    let mut tried = 0;
    for (command, file) in [
        ("convert s.jsonl out.jsonl", "out.jsonl"),
        ("convert s.jsonl out.lp", "out.lp"),
        ("convert s.jsonl out.csv", "out.csv"),
        ("convert s.jsonl out.json.gz", "out.json.gz"),
        ("learn lobby-listed -i s.jsonl --no-refits --quiet --output out.lp", "out.lp"),
        ("learn lobby-listed -i s.jsonl --no-refits --quiet --json --output out.json", "out.json"),
        ("learn lobby-listed -i s.jsonl --learner oled --quiet --report out.html", "out.html"),
    ] {
        let path = folder.path().join(file);
        let _ = fs::remove_file(&path);
        let clean = limited(1 << 20, command, folder.path());
        assert!(matches!(clean.status.code(), Some(0 | 1)), "{command}: {}", stderr(&clean));
        let whole = fs::read(&path).unwrap();
        // Every block of the first ones, and some of the others.
        let blocks = whole.len() / 512 + 2;
        let step = (blocks / 8).max(1);
        fs::write(&path, "before").unwrap();
        let before = names(folder.path());
        for blocks in (0..4.min(blocks)).chain((4..blocks).step_by(step)) {
            tried += 1;
            let output = limited(blocks, command, folder.path());
            let now = fs::read(&path).unwrap();
            if now == whole {
                assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {}", stderr(&output));
                fs::write(&path, "before").unwrap();
            } else {
                assert_eq!(now, b"before", "{command}, {blocks} blocks");
                assert_eq!(output.status.code(), Some(2), "{command}, {blocks} blocks: {}", stderr(&output));
                let message = format!("error: cannot write `{file}`: File too large (os error 27)\n");
                let message = message + "hint: make room there, and run it again\n";
                // A theory is not lost: it takes another way.
                let is_theory = command.starts_with("learn") && command.contains("--output");
                let other_way = format!("warning: `{file}` cannot be written: the theory goes to standard output\n");
                assert_eq!(stderr(&output), if is_theory { other_way + &message } else { message });
                assert!(!is_theory || output.stdout == whole, "{command}, {blocks} blocks: the theory is lost");
            }
            assert_eq!(names(folder.path()), before, "nothing is left behind");
        }
        fs::remove_file(&path).unwrap();
    }
    println!("files: {tried} faults");
}

#[test]
fn a_run_whose_disk_was_full_goes_on_from_its_last_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    let (mut tried, mut stopped) = (0, 0);
    for (command, file) in [
        ("recognise lobby -t true -i s.jsonl --frames --format jsonl --output out", "out"),
        ("learn lobby-listed -i s.jsonl --learner oled --quiet --output out", "out"),
    ] {
        let path = folder.path().join(file);
        let clean = limited(1 << 20, command, folder.path());
        assert!(matches!(clean.status.code(), Some(0 | 1)), "{command}: {}", stderr(&clean));
        let whole = fs::read(&path).unwrap();
        let kept = format!("{command} --checkpoint kept --every 60 --resume");
        let limits = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384];
        for blocks in limits {
            for name in names(folder.path()).into_iter().filter(|name| name != "s.jsonl") {
                fs::remove_file(folder.path().join(name)).unwrap();
            }
            tried += 1;
            let output = limited(blocks, &kept, folder.path());
            if output.status.code() == Some(2) {
                stopped += 1;
                assert!(stderr(&output).contains("error: "), "{command}, {blocks} blocks: {}", stderr(&output));
            }
            // With room again it goes on, from a checkpoint that is whole, or from the beginning.
            let output = limited(1 << 20, &kept, folder.path());
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command}, {blocks} blocks: {}", stderr(&output));
            assert!(fs::read(&path).unwrap() == whole, "{command}, {blocks} blocks: other bytes");
        }
    }
    assert!(stopped > 10 && stopped < tried, "{stopped} of {tried}");
    println!("checkpoints: {tried} faults, of which {stopped} stopped a run");
}

#[test]
fn what_does_not_fit_on_standard_output_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    let mut tried = 0;
    for command in [
        "convert s.jsonl --to facts",
        "simulate --segments 1 --length 60",
        "recognise lobby -t true -i s.jsonl",
        "recognise lobby -t true -i s.jsonl --format jsonl",
        "recognise lobby -t true -i s.jsonl --frames",
        "evaluate lobby -t true -i s.jsonl",
        "evaluate lobby -t true -i s.jsonl --json",
        "learn lobby-listed -i s.jsonl --no-refits --quiet",
        "learn lobby-listed -i s.jsonl --no-refits --quiet --json",
        "explain lobby -t true -i s.jsonl",
        "check lobby",
    ] {
        tried += 1;
        let output = limited(1 << 20, &format!("{command} > /dev/full"), folder.path());
        assert_eq!(output.status.code(), Some(2), "{command}: {}", stderr(&output));
        let message = "error: cannot write to standard output: No space left on device (os error 28)\n\
                       hint: make room there, and run it again\n";
        assert!(stderr(&output).ends_with(message), "{command}: {}", stderr(&output));
    }
    println!("standard output: {tried} faults");
}

#[test]
fn a_full_disk_names_the_file_it_filled_also_where_intervals_go_as_they_end() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    for more in ["", " --frames", " --format jsonl", " --checkpoint run.ckpt --every 20"] {
        let command = format!("recognise lobby -t true -i s.jsonl --output out{more}");
        let output = limited(0, &command, folder.path());
        assert_eq!(output.status.code(), Some(2), "{command}");
        let message =
            "error: cannot write `out`: File too large (os error 27)\nhint: make room there, and run it again\n";
        assert!(stderr(&output).ends_with(message), "{command}: {}", stderr(&output));
    }
}

#[test]
fn a_checkpoint_that_cannot_be_written_has_its_reason_once() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    let output = limited(0, "recognise lobby -t true -i s.jsonl --checkpoint run.ckpt --every 20", folder.path());
    assert_eq!(output.status.code(), Some(2));
    let message = "error: cannot write the checkpoint `run.ckpt`: File too large (os error 27)\n\
                   hint: make room there, and run it again\n";
    assert!(stderr(&output).ends_with(message), "{}", stderr(&output));
    assert_eq!(names(folder.path()), ["s.jsonl"], "nothing is left behind");
}

#[test]
fn a_last_checkpoint_that_cannot_be_written_does_not_cost_the_theory() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    let learn = "learn lobby-listed -i s.jsonl --learner oled --quiet";
    let clean = limited(1 << 20, learn, folder.path());
    let output = limited(0, &format!("{learn} --checkpoint run.ckpt --every 3600s"), folder.path());
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).starts_with("error: cannot write the checkpoint `run.ckpt`"), "{}", stderr(&output));
    assert_eq!(output.stdout, clean.stdout);
}

#[test]
fn a_log_that_cannot_be_written_does_not_cost_the_theory() {
    let folder = tempfile::tempdir().unwrap();
    simulated(folder.path());
    let learn = "learn lobby-listed -i s.jsonl --learner oled --quiet";
    let clean = limited(1 << 20, learn, folder.path());
    let output = limited(1 << 20, &format!("{learn} --log /dev/full"), folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).starts_with("error: cannot write `/dev/full`: No space left"), "{}", stderr(&output));
    assert_eq!(output.stdout, clean.stdout);
}

#[test]
fn memory_and_names_are_told_to_those_who_ask() {
    let output = oled(&["evaluate", "lobby", "--theory", "true", "--input", "no-such-file.jsonl", "--stats"]);
    let text = stderr(&output);
    assert!(text.contains("peak memory: ") && text.contains(" MB; names: "), "{text}");
}
