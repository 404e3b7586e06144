//! Kills the program again and again, at random points, lets it go on, and compares every byte with a run that was left
//! alone: `cargo build --release && cargo run --release -p oled-cli --example kill -- --kills 300 --seed 1`.

mod harness;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
struct Args {
    /// How often the program is killed.
    #[arg(long, default_value_t = 300)]
    kills: u64,

    /// Another seed, other points.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// The program; by default the one that was built beside this.
    #[arg(long)]
    program: Option<PathBuf>,
}

#[expect(clippy::print_stdout, reason = "this is a program of its own, which prints")]
fn main() -> ExitCode {
    let args = Args::parse();
    let beside = || {
        let own = std::env::current_exe().expect("a program knows where it is");
        own.parent().and_then(|examples| examples.parent()).map(|folder| folder.join("oled")).unwrap_or_default()
    };
    let program = args.program.unwrap_or_else(beside);
    let found = harness::run(&program, args.kills, args.seed, harness::Size::Large, |line| println!("{line}"));
    println!("{found}");
    if found.is_good() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
