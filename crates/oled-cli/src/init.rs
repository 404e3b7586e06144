//! `oled init`: a task from tables and labels, checked before it is written.

use std::fs;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use oled_data::DataError;
use oled_data::init::{Draft, InitOptions, draft};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::args::InputArgs;
use crate::input::load_task;
use crate::progress::say;
use crate::times;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// The tables of the stream: CSV, TSV or JSON Lines of flat objects, each with a column of times.
    #[arg(long, short, value_name = "FILE", num_args = 1.., required = true)]
    input: Vec<PathBuf>,

    /// The labels: a table with the columns fluent, its arguments (or entity), start and end.
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,

    /// The folder to be written.
    #[arg(long, short, value_name = "DIR")]
    out: PathBuf,

    #[command(flatten)]
    columns: ColumnArgs,

    /// Write into a folder that is there, over the files of the task.
    #[arg(long)]
    force: bool,
}

/// What cannot be told by the cells of tables.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Columns of tables")]
pub(crate) struct ColumnArgs {
    /// The column of times, where neither its name nor its cells tell.
    #[arg(long = "time-column", value_name = "COLUMN", alias = "time")]
    time_column: Option<String>,

    /// The column of segments, if there is one that is not called so.
    #[arg(long = "segment-column", value_name = "COLUMN", alias = "segment")]
    segment_column: Option<String>,
}

impl ColumnArgs {
    fn options(&self) -> InitOptions {
        InitOptions { time: self.time_column.clone(), segment: self.segment_column.clone() }
    }
}

/// The files of a task.
const FILES: [&str; 3] = ["task.toml", "modes.lp", "background.lp"];

pub(crate) fn run(args: &InitArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let InitArgs { input, labels, out, .. } = args;
    if let Some(there) = FILES.iter().find(|file| out.join(file).exists())
        && !args.force
    {
        bail!(
            "`{}` has a `{there}` already\nhint: name another folder with `--out`, or write over it with `--force`",
            out.display()
        );
    }
    let mut options = args.columns.options();
    let written = match checked(input, labels, &options, quiet) {
        Err(error) if options.time.is_none() && is_about_times(&error) && is_answered() => {
            say(&format!("{error:#}"));
            options.time = Some(ask("Which column has the times?")?);
            checked(input, labels, &options, quiet)?.0
        }
        other => other?.0,
    };
    fs::create_dir_all(out).with_context(|| format!("cannot make the folder `{}`", out.display()))?;
    for (file, text) in FILES.iter().zip([&written.manifest, &written.modes, &written.background]) {
        let path = out.join(file);
        fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))?;
    }
    let task = TaskFolder::load(out)?;
    let (bias, name) = (&task.task.bias, out.display());
    let inputs = input.iter().fold(String::new(), |text, path| text + " " + &path.display().to_string());
    print_lines(&[
        format!(
            "{name}: {} facts, {} labelled, {} conditions",
            bias.inputs.len(),
            bias.examples.len(),
            bias.bodies.len()
        ),
        String::new(),
        "next:".into(),
        format!("  oled learn {name} --input{inputs} --labels {} --output rules.lp", labels.display()),
        format!("  oled evaluate {name} --theory rules.lp --input{inputs} --labels {}", labels.display()),
        format!("  oled recognise {name} --theory rules.lp --input{inputs}"),
    ])
}

/// Whether no column of times was found.
fn is_about_times(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<DataError>()
        .is_some_and(|error| error.hint().is_some_and(|hint| hint.contains("--time-column")))
}

/// Whether somebody is there to answer.
fn is_answered() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

fn ask(question: &str) -> anyhow::Result<String> {
    say(question);
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).context("cannot read the answer")?;
    Ok(answer.trim().to_string())
}

fn print_lines(lines: &[String]) -> anyhow::Result<Outcome> {
    use std::io::Write;
    let mut out = std::io::stdout().lock();
    lines.iter().try_for_each(|line| writeln!(out, "{line}"))?;
    Ok(Outcome::Done)
}

/// The texts of a task, and the task.
fn checked(
    input: &[PathBuf],
    labels: &Path,
    options: &InitOptions,
    quiet: bool,
) -> anyhow::Result<(Draft, TaskFolder)> {
    if input.iter().any(|path| path == Path::new("-")) {
        bail!("tables are read twice to write a task, and standard input only once\nhint: keep them in files");
    }
    let written = draft(input, labels, options)?;
    if !quiet {
        written.remarks.iter().for_each(|remark| say(&format!("remark: {remark}")));
    }
    let task = TaskFolder::from_texts("tables", &written.manifest, &written.modes, &written.background)
        .context("the task that was written for these tables has faults, which is a fault of the program")?;
    Ok((written, task))
}

/// The task of a command: the one that is named, or one for its tables and labels.
pub(crate) fn task_or_tables(task: Option<&Path>, input: &InputArgs, quiet: bool) -> anyhow::Result<TaskFolder> {
    match (task, &input.labels) {
        (Some(task), _) => load_task(task),
        (None, Some(labels)) if !input.input.is_empty() => {
            let (_, task) = checked(&input.input, labels, &InitOptions::default(), quiet)?;
            times::adopt(&task);
            Ok(task)
        }
        (None, _) => bail!(
            "no task is named\nhint: name one, as in `oled learn lobby --input FILE`; or learn from tables and labels alone, \
             as in `oled learn --input metrics.csv --labels incidents.csv`"
        ),
    }
}
