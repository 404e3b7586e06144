//! Tries what the book says of several workers and processes, on this machine:
//! `cargo build --release -p oled-cli --features cluster && cargo run --release -p oled-cli --example cluster -- same --streams 50`,
//! and `… -- kill --kills 100` in the same way.

mod kill;
#[path = "../../tests/common/machines.rs"]
mod machines;
mod processes;
mod same;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use processes::Program;

#[derive(Parser)]
struct Args {
    /// The program, built with the feature `cluster`; by default the one that was built beside this.
    #[arg(long, global = true)]
    program: Option<PathBuf>,

    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Compare what 1, 2 and 3 threads and 2 and 3 processes print, byte for byte.
    Same {
        /// How many simulated streams, each with its segments in a random order, and one time mixed.
        #[arg(long, default_value_t = 50)]
        streams: u64,

        /// Also with the CAVIAR data in this folder.
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Kill one of the processes again and again, at random moments, start all again, and compare what they have written.
    Kill {
        #[arg(long, default_value_t = 100)]
        kills: u64,

        /// Another seed, other moments.
        #[arg(long, default_value_t = 1)]
        seed: u64,
    },
}

#[expect(clippy::print_stdout, reason = "this is a program of its own, which prints")]
fn main() -> ExitCode {
    let args = Args::parse();
    let beside = || {
        let own = std::env::current_exe().expect("a program knows where it is");
        own.parent().and_then(Path::parent).map(|folder| folder.join("oled")).unwrap_or_default()
    };
    let program = Program::new(args.program.unwrap_or_else(beside));
    let good = match args.what {
        What::Same { streams, data } => same::run(&program, streams, data.as_deref(), |line| println!("{line}")),
        What::Kill { kills, seed } => kill::run(&program, kills, seed, |line| println!("{line}")),
    };
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
