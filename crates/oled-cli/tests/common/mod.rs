//! What the tests of the program share: running it at the root of the project, and reading what it printed.

#![allow(dead_code)] // each test uses some of it

pub(crate) mod machines;
pub(crate) mod plant;
pub(crate) mod streams;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The root of the project. Tests run in the folder of their crate; a path from when they were built may be that of
/// another checkout that shares the build cache.
pub(crate) fn root() -> PathBuf {
    Path::new("../..").canonicalize().expect("the repository is there")
}

/// Runs the program.
pub(crate) fn oled(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_oled")).args(args).current_dir(root()).env("NO_COLOR", "1").output().unwrap()
}

/// Starts the program, with pipes to talk to it.
pub(crate) fn start(args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_oled"))
        .args(args)
        .current_dir(root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What it printed on standard output.
pub(crate) fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it printed on standard error.
pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The task of the simulated world with listed thresholds, which the learner of the paper needs.
pub(crate) fn listed() -> &'static str {
    "lobby-listed"
}

/// Waits until something is so.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) {
    for _ in 0..1200 {
        if so() {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    panic!("{what} did not happen in a minute");
}
