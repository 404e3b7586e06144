//! The program `oled`.

mod args;
mod bench;
mod broker;
mod check;
mod checkpoint;
#[cfg(feature = "cluster")]
mod cluster;
mod confidence;
mod convert;
mod demo;
mod driver;
mod errors;
mod evaluate;
mod examples;
mod experiment;
mod explain;
mod init;
mod input;
mod learn;
mod lock;
mod memory;
mod output;
mod progress;
mod recognise;
mod resumable_file;
mod simulate;
mod source;
mod timeline;
mod times;
mod weigh;
mod workers;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Cli, Command};

/// How a command ended, when it did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// There is a result.
    Done,
    /// It ran, and nothing was recognised.
    Nothing,
    /// It was interrupted, and printed what it had.
    Interrupted,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Done => 0,
            Outcome::Nothing => 1,
            Outcome::Interrupted => 130,
        })
    }
}

fn main() -> ExitCode {
    #[cfg(feature = "clingo")]
    oled_data::provide(oled_asp::reasoner::make);
    let cli = Cli::try_parse().unwrap_or_else(|error| args::explained(error).exit());
    let (quiet, stats) = (cli.quiet, cli.stats);
    let result = match cli.command {
        Command::Demo(args) => demo::run(&args, quiet),
        Command::Init(args) => init::run(&args, quiet),
        Command::Weigh(args) => weigh::run(&args, quiet),
        Command::Recognise(args) if args.sure.confidence => confidence::run(&args, quiet),
        Command::Recognise(args) if workers::can_recognise(&args) => workers::recognise(&args, quiet),
        Command::Recognise(args) => recognise::run(&args, quiet),
        Command::Learn(args) => learn::run(&args, quiet),
        Command::Evaluate(args) => evaluate::run(&args, quiet),
        Command::Crossval(args) => experiment::crossval(&args, quiet),
        #[cfg(feature = "cluster")]
        Command::Cluster(command) => cluster::run(*command, quiet),
        Command::Compare(args) => experiment::compare(&args, quiet),
        Command::Experiment(command) => experiment::experiment(&command, quiet),
        Command::Explain(args) => explain::run(&args, quiet),
        Command::Check(args) => check::run(&args, quiet),
        Command::Convert(args) => convert::run(&args, quiet),
        Command::Simulate(args) => simulate::run(&args),
        Command::Bench(args) => bench::run(&args, quiet),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "oled", &mut std::io::stdout());
            Ok(Outcome::Done)
        }
    };
    if stats {
        progress::say(&memory::stats());
    }
    let code = match result {
        Ok(outcome) => outcome.into(),
        Err(error) if errors::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let text = match (error.chain().count(), error.downcast_ref::<std::io::Error>()) {
                // Whatever else is read or written is named.
                (1, Some(error)) => format!("error: cannot write to standard output: {error}"),
                _ => errors::in_words(&error),
            };
            let hint = if errors::is_full(&error) { "\nhint: make room there, and run it again" } else { "" };
            progress::say(&format!("{text}{hint}"));
            ExitCode::from(2)
        }
    };
    #[cfg(feature = "clingo")]
    oled_asp::solver::settle();
    code
}
