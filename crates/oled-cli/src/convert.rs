//! `oled convert`: a stream from any format to any other.

use anyhow::bail;
use oled_data::task_folder::TaskFolder;
use oled_data::{Format, FrameWriter, ReadOptions, open};

use crate::Outcome;
use crate::args::ConvertArgs;
use crate::output::Output;
use crate::progress::{Progress, say_skipped};

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let options = match &args.task {
        Some(task) => TaskFolder::load(task)?.read_options(args.from, args.lenient),
        None => ReadOptions { format: args.from, lenient: args.lenient, ..ReadOptions::default() },
    };
    let options = ReadOptions { max_names: Some(args.max_names), max_line: args.max_line, ..options };
    let Some(format) = args.to.or_else(|| Format::guess(&args.output)) else {
        bail!(
            "the name `{}` tells no format\nhint: say which with `--to jsonl|mongo|facts|rtec`",
            args.output.display()
        );
    };
    let mut frames = open(&args.input, &options)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let output = Output::create(&args.output)?;
    let mut writer = match &output {
        Output::File(file) if file.path.extension().is_some_and(|e| e == "gz") => {
            FrameWriter::compressed(format, output.open()?)?
        }
        _ => FrameWriter::new(format, output.open()?)?,
    };
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
    say_skipped(frames.skipped());
    Ok(if written == 0 { Outcome::Nothing } else { Outcome::Done })
}
