//! `oled convert`: a stream from any format to any other, or with its task into a program for clingo.

use anyhow::{Context, bail};
use oled::{Frame, Theory};
use oled_asp::print::Printer;
use oled_data::task_folder::TaskFolder;
use oled_data::{Format, FrameWriter, ReadOptions, TableWriter, open};

use crate::Outcome;
use crate::args::{ConvertArgs, Target};
use crate::input::load_theory;
use crate::output::{Output, write_file};
use crate::progress::{Labels, Progress, say_skipped};

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let options = match &args.task {
        Some(task) => TaskFolder::load(task)?.read_options(args.from, args.lenient),
        None => ReadOptions { format: args.from, lenient: args.lenient, ..ReadOptions::default() },
    };
    let options = ReadOptions { max_names: Some(args.max_names), max_line: args.max_line, ticks: None, ..options };
    let format = match args.to {
        Some(Target::Asp) => return print_program(args, quiet),
        Some(Target::Stream(format)) => Some(format),
        // A file of that name is RTEC's: tables are several files.
        None => Format::guess(&args.output).map(|format| if format == Format::Csv { Format::Rtec } else { format }),
    };
    let Some(format) = format else {
        bail!(
            "the name `{}` tells no format\nhint: say which with `--to jsonl|mongo|facts|rtec|csv|asp`",
            args.output.display()
        );
    };
    if format == Format::Csv {
        return write_tables(args, &options, quiet);
    }
    let output = Output::create(&args.output)?;
    let mut frames = open(&args.input, &options)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let is_compressed = args.output.extension().is_some_and(|e| e == "gz");
    let new = if is_compressed { FrameWriter::compressed } else { FrameWriter::new };
    let mut writer = new(format, output.writer()?)?;
    let mut written = 0;
    let mut copy = || -> anyhow::Result<()> {
        while let Some(frame) = frames.next() {
            writer.write(&frame?).map_err(|error| output.failed(error))?;
            written += 1;
            progress.frame(&frames);
        }
        Ok(())
    };
    let copied = copy();
    // Standard output gets what was good before a fault; of two faults the first is told.
    let finished = writer.finish().map_err(|error| output.failed(error));
    copied.and(finished)?;
    output.keep()?;
    progress.finish();
    say_skipped(frames.skipped(), Labels::Used, quiet);
    Ok(if written == 0 { Outcome::Nothing } else { Outcome::Done })
}

/// Tables in a folder, with what a task says of their columns.
fn write_tables(args: &ConvertArgs, options: &ReadOptions, quiet: bool) -> anyhow::Result<Outcome> {
    let task = args.task.as_ref().context(
        "tables have the facts that a task declares\nhint: say which with `--task TASK`; `--output` names a folder for them",
    )?;
    let folder = TaskFolder::load(task)?;
    let mut frames = open(&args.input, options)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut writer = TableWriter::new(&args.output, &folder.task, folder.times())?;
    let mut written = 0;
    while let Some(frame) = frames.next() {
        writer.write(&frame?)?;
        written += 1;
        progress.frame(&frames);
    }
    let text = format!("# What the columns of these tables are: a part of a task.toml.\n\n{}", writer.finish()?);
    write_file(&args.output.join("tables.toml"), &text)?;
    progress.finish();
    say_skipped(frames.skipped(), Labels::Used, quiet);
    Ok(if written == 0 { Outcome::Nothing } else { Outcome::Done })
}

/// One program of the task, its rules and the stream, which is held in memory for it.
fn print_program(args: &ConvertArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let task = args.task.as_ref().context(
        "a program for clingo has the rules of a task\nhint: say which with `--task TASK`, and add `--theory FILE`",
    )?;
    let folder = TaskFolder::load(task)?;
    let theory = args.theory.as_ref().map(|path| load_theory(&folder, path)).transpose()?.unwrap_or(Theory::default());
    Output::check(&args.output)?;
    let mut stream = open(&args.input, &folder.read_options(args.from, args.lenient))?;
    let frames: Vec<Frame> = stream.by_ref().collect::<Result<_, _>>()?;
    say_skipped(stream.skipped(), Labels::Used, quiet);
    write_file(&args.output, &Printer::new(&folder.task, &theory)?.program(&frames))?;
    Ok(if frames.is_empty() { Outcome::Nothing } else { Outcome::Done })
}
