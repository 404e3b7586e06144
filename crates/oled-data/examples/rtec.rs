//! Runs RTEC's unit tests, where they are, and says how many give the same intervals: `cargo run -p oled-data --example rtec`.

#[path = "../tests/rtec/mod.rs"]
mod rtec;

use std::io::{self, Write};
use std::process::ExitCode;

use rtec::Verdict;

fn main() -> io::Result<ExitCode> {
    let mut out = io::stdout().lock();
    let folder = rtec::folder();
    if !folder.is_dir() {
        writeln!(out, "RTEC's tests are not at {}", folder.display())?;
        writeln!(out, "hint: name the folder that has `unit-tests` with OLED_RTEC")?;
        return Ok(ExitCode::from(2));
    }
    let outcomes = rtec::run(&folder);
    let (mut all, mut identical) = (0, 0);
    for of_file in outcomes.chunk_by(|a, b| a.file == b.file) {
        let same = of_file.iter().filter(|outcome| outcome.verdict == Verdict::Identical).count();
        writeln!(out, "{}: {same} of {}", of_file[0].file, of_file.len())?;
        (all, identical) = (all + of_file.len(), identical + same);
    }
    for outcome in outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Identical) {
        writeln!(out, "  {outcome}")?;
    }
    writeln!(out, "{identical} of {all} identical")?;
    Ok(ExitCode::SUCCESS)
}
