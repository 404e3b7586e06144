//! `oled convert`: a stream from any format to any other.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use oled_data::task_folder::TaskFolder;
use oled_data::{Format, FrameWriter, ReadOptions, open};

use crate::Outcome;
use crate::args::ConvertArgs;
use crate::input::read_options;
use crate::progress::{Progress, say_skipped};

pub(crate) fn run(args: &ConvertArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let options = match &args.task {
        Some(task) => read_options(&TaskFolder::load(task)?.task, args.from, args.lenient),
        None => ReadOptions { format: args.from, lenient: args.lenient, ..ReadOptions::default() },
    };
    let Some(format) = args.to.or_else(|| Format::guess(&args.output)) else {
        bail!("the name `{}` tells no format\nhint: say which with `--to jsonl|mongo|facts|rtec`", args.output.display());
    };
    let mut frames = open(&args.input, &options)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let output = Output::create(&args.output)?;
    let mut writer = match &output {
        Output::File { path, .. } if path.extension().is_some_and(|e| e == "gz") => FrameWriter::compressed(format, output.open()?)?,
        _ => FrameWriter::new(format, output.open()?)?,
    };
    let mut written = 0;
    while let Some(frame) = frames.next() {
        writer.write(&frame?)?;
        written += 1;
        progress.frame(&frames);
    }
    writer.finish()?;
    output.keep()?;
    progress.finish();
    say_skipped(frames.skipped());
    Ok(if written == 0 { Outcome::Nothing } else { Outcome::Done })
}

/// Standard output, or a file that appears under its name only when it is complete.
enum Output<'a> {
    Standard,
    File { path: &'a Path, partial: std::path::PathBuf },
}

impl<'a> Output<'a> {
    fn create(path: &'a Path) -> anyhow::Result<Output<'a>> {
        if path == Path::new("-") {
            return Ok(Output::Standard);
        }
        let Some(name) = path.file_name() else { bail!("`{}` is not the name of a file", path.display()) };
        let partial = path.with_file_name(format!(".{}.partial", name.to_string_lossy()));
        Ok(Output::File { path, partial })
    }

    fn open(&self) -> anyhow::Result<Box<dyn Write>> {
        let Output::File { path, partial } = self else { return Ok(Box::new(std::io::stdout().lock())) };
        let file = File::create(partial).with_context(|| format!("cannot write `{}`", path.display()))?;
        Ok(Box::new(file))
    }

    fn keep(&self) -> anyhow::Result<()> {
        if let Output::File { path, partial } = self {
            std::fs::rename(partial, path).with_context(|| format!("cannot write `{}`", path.display()))?;
        }
        Ok(())
    }
}
