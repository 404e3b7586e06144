//! The Python package: built as a wheel, installed in a clean environment and compared with this program; see `.ci/python`.

#![cfg(unix)]

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

#[test]
fn the_python_package_agrees_with_the_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // The target directory of these tests is locked by nobody while they run, but the package has one of its own.
    let done = Command::new(root.join(".ci/python"))
        .env("OLED_PROGRAM", env!("CARGO_BIN_EXE_oled"))
        .env_remove("CARGO_TARGET_DIR")
        .output()
        .unwrap();
    let out = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    // What was skipped is said aloud, also where all is well.
    for line in out[0].lines().filter(|line| line.contains("SKIPPED")) {
        let _ = writeln!(std::io::stderr(), "{line}");
    }
    assert!(done.status.success(), "{}\n{}", out[0], out[1]);
}
