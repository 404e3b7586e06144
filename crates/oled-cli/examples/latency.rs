//! How long it takes from a line that is written to the line that says what began: by a pipe, and by a file that grows.
//!
//! `cargo build --release && cargo run --release -p oled-cli --example latency`

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// How many beginnings are measured.
const BEGINNINGS: usize = 1000;

/// How long after one line the next is written: no multiple of the time after which a file is looked at again.
const PAUSE: Duration = Duration::from_micros(7300);

const MODES: &str = "input(happensAt(press(+button), +time)). input(seen(+button, +time)).
example(holdsAt(pressed(+button), +time)).";

/// What is pressed at a time point is so at the next one.
const RULES: &str = "initiatedAt(pressed(X), T) :- happensAt(press(X), T).
terminatedAt(pressed(X), T) :- seen(X, T), not happensAt(press(X), T).";

#[expect(clippy::print_stdout, reason = "this is a program of its own, which prints")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let program = std::env::current_exe()?;
    let program =
        program.parent().and_then(Path::parent).ok_or("an example is in a folder of the program")?.join("oled");
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    fs::write(path("task.toml"), "")?;
    fs::write(path("modes.lp"), MODES)?;
    fs::write(path("rules.lp"), RULES)?;
    let live = path("live.jsonl");
    for way in ["pipe", "file"] {
        fs::write(&live, "")?;
        let input = if way == "pipe" { Path::new("-") } else { &live };
        let mut child = start(&program, folder.path(), input)?;
        let mut output = BufReader::new(child.stdout.take().ok_or("there is no output")?).lines();
        let mut pipe = child.stdin.take().ok_or("there is no input")?;
        let mut file = fs::OpenOptions::new().append(true).open(&live)?;
        let mut taken = Vec::new();
        for i in 0..BEGINNINGS + 20 {
            let (press, next) = (2 * i, 2 * i + 1);
            let press =
                format!("{{\"time\":{press},\"narrative\":[\"seen(b,{press})\",\"happensAt(press(b),{press})\"]}}\n");
            let next = format!("{{\"time\":{next},\"narrative\":[\"seen(b,{next})\"]}}\n");
            let to: &mut dyn Write = if way == "pipe" { &mut pipe } else { &mut file };
            to.write_all(press.as_bytes())?;
            std::thread::sleep(PAUSE);
            // It holds from this line on.
            let written = Instant::now();
            to.write_all(next.as_bytes())?;
            wait_for("\"began\"", &mut output)?;
            taken.push(written.elapsed());
            wait_for("\"ended\"", &mut output)?;
        }
        child.kill()?;
        child.wait()?;
        // The first ones are those of a program that is being loaded.
        taken.drain(..20);
        taken.sort();
        let at = |share: f64| taken[((taken.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
        println!("{way}: p50 {:.2} ms, p99 {:.2} ms, longest {:.2} ms", at(0.5), at(0.99), at(1.0));
    }
    Ok(())
}

fn start(program: &Path, task: &Path, input: &Path) -> std::io::Result<Child> {
    Command::new(program)
        .arg("recognise")
        .arg(task)
        .arg("--theory")
        .arg(task.join("rules.lp"))
        .arg("--input")
        .arg(input)
        .args(["--events", "--follow", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
}

type Lines = std::io::Lines<BufReader<ChildStdout>>;

fn wait_for(what: &str, output: &mut Lines) -> Result<(), Box<dyn std::error::Error>> {
    let line = output.next().ok_or("the program ended")??;
    if line.contains(what) { Ok(()) } else { Err(format!("instead of {what}: {line}").into()) }
}
