//! What `learn` and `recognise` share to run for weeks: checkpoints, and streams that are being written.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use oled::state;
use oled_data::task_folder::TaskFolder;
use oled_data::{Checkpoint, Frames, Live, digest, open, open_at};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::args::InputArgs;
use crate::input::stream_path;
use crate::progress::say;

/// Checkpoints.
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    /// Write what is known into this file again and again, so that nothing is lost when the program is stopped; the one
    /// before is kept as `FILE.previous`.
    #[arg(long, value_name = "FILE")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// How often a checkpoint is written: after so many frames, or seconds as in `30s`.
    #[arg(long, value_name = "N|SECONDS", value_parser = parse_every, default_value = "60s", requires = "checkpoint")]
    pub(crate) every: Every,

    /// Go on from the checkpoint, if there is one; the result is that of a run that was never stopped.
    #[arg(long, requires = "checkpoint")]
    pub(crate) resume: bool,

    /// With `--resume` from standard input: it goes on where the checkpoint was written, rather than from its beginning.
    #[arg(long, requires = "resume")]
    pub(crate) continues: bool,
}

/// Streams that are being written.
#[derive(Debug, Args)]
pub(crate) struct LiveArgs {
    /// Wait for more at the end of the file, until the program is stopped.
    #[arg(long)]
    pub(crate) follow: bool,

    /// Put frames in order that are late by at most so many time units; what is later, or comes twice, is a fault of the
    /// stream.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) lateness: Option<i64>,
}

/// How often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Every {
    Frames(u64),
    Time(Duration),
}

fn parse_every(text: &str) -> Result<Every, String> {
    let wrong = || "it is a number of frames such as 10000, or of seconds such as 30s, above zero".to_string();
    match text.strip_suffix('s') {
        Some(seconds) => {
            let time = seconds.parse().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
            time.filter(|t| !t.is_zero()).map(Every::Time).ok_or_else(wrong)
        }
        None => text.parse().ok().filter(|n| *n > 0).map(Every::Frames).ok_or_else(wrong),
    }
}

/// Everything that a state depends on beside the stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct MadeOf(Vec<(String, String)>);

impl MadeOf {
    /// What every command's state depends on.
    pub(crate) fn new(folder: &TaskFolder, input: &InputArgs, live: &LiveArgs) -> MadeOf {
        let texts: String = folder.texts().iter().flat_map(|source| [&source.text, "\0"]).collect();
        let options = format!("{texts}{:?}", folder.task.options);
        let mut made_of = MadeOf::default();
        made_of.add("the task", format!("{} ({:016x})", folder.name, digest(options.as_bytes())));
        made_of.add("`--from`", input.from.map(|format| format.to_string()).unwrap_or_default());
        made_of.add("`--lenient`", if input.lenient { "yes" } else { "" });
        made_of.add("`--lateness`", live.lateness.map(|n| n.to_string()).unwrap_or_default());
        made_of
    }

    pub(crate) fn add(&mut self, name: &str, text: impl Into<String>) {
        self.0.push((name.into(), text.into()));
    }
}

/// Sees to the checkpoints of a run.
pub(crate) struct Keeper<'a> {
    args: &'a CheckpointArgs,
    path: &'a Path,
    made_of: MadeOf,
    quiet: bool,
    frames: u64,
    last: Instant,
}

impl<'a> Keeper<'a> {
    /// What sees to them, if they are wanted.
    pub(crate) fn new(args: &'a CheckpointArgs, made_of: MadeOf, quiet: bool) -> anyhow::Result<Option<Keeper<'a>>> {
        let Some(path) = &args.checkpoint else { return Ok(None) };
        if !args.resume && path.exists() {
            let path = path.display();
            bail!(
                "there is a checkpoint `{path}` already\nhint: go on from it with `--resume`, or remove it to start anew"
            );
        }
        Ok(Some(Keeper { args, path, made_of, quiet, frames: 0, last: Instant::now() }))
    }

    /// The state to go on from, if there is one.
    pub(crate) fn resume<T: DeserializeOwned>(&self) -> anyhow::Result<Option<T>> {
        if !self.args.resume {
            return Ok(None);
        }
        // A run that was stopped before its first checkpoint begins again.
        if !self.path.exists() && !oled_data::previous(self.path).exists() {
            if !self.quiet {
                let path = self.path.display();
                say(&format!("remark: there is no checkpoint `{path}` yet: starting from the beginning"));
            }
            return Ok(None);
        }
        let checkpoint = Checkpoint::read(self.path)?;
        checkpoint.check(self.path, &self.made_of.0)?;
        state::decode(&checkpoint.state).map(Some).with_context(|| self.of_no_use())
    }

    /// What to say of a checkpoint whose state is of no use.
    pub(crate) fn of_no_use(&self) -> String {
        format!("the checkpoint `{}` cannot be used", self.path.display())
    }

    /// Another frame was processed: whether it is time to save.
    pub(crate) fn is_due(&mut self) -> bool {
        self.frames += 1;
        match self.args.every {
            Every::Frames(frames) => self.frames >= frames,
            Every::Time(time) => self.last.elapsed() >= time,
        }
    }

    /// Whether it is time to save although nothing comes.
    pub(crate) fn is_due_at_rest(&self) -> bool {
        let late = matches!(self.args.every, Every::Time(time) if self.last.elapsed() >= time);
        self.frames > 0 && late
    }

    /// Writes a checkpoint.
    pub(crate) fn save(&mut self, state: &impl Serialize) -> anyhow::Result<()> {
        Checkpoint { made_of: self.made_of.0.clone(), state: state::encode(state) }.write(self.path)?;
        (self.frames, self.last) = (0, Instant::now());
        Ok(())
    }
}

/// Opens the stream of a command, from where a checkpoint left it if there is one; it pauses at its end where there are
/// checkpoints, so that one can be written there.
pub(crate) fn open_frames(
    folder: &TaskFolder,
    input: &InputArgs,
    live: &LiveArgs,
    checkpoint: &CheckpointArgs,
    stop: &Arc<AtomicBool>,
    position: Option<&[u8]>,
) -> anyhow::Result<Frames> {
    let path = stream_path(folder, input)?;
    let mut options = input.read_options(folder);
    options.lateness = live.lateness;
    let wanted = checkpoint.checkpoint.is_some();
    // Whoever waits for a pipe can be stopped only if another thread reads it.
    if live.follow || wanted && path == Path::new("-") {
        options.live = Some(Live { follow: live.follow, stop: stop.clone() });
    }
    let frames = match position {
        Some(position) => open_at(&path, &options, position, !checkpoint.continues)?,
        None => open(&path, &options)?,
    };
    Ok(if wanted { frames.pausing() } else { frames })
}

/// Says from where a run goes on.
pub(crate) fn say_resumed((taken, byte): (u64, Option<u64>), quiet: bool) {
    if !quiet {
        let byte = byte.map(|byte| format!(", at byte {byte} of the stream")).unwrap_or_default();
        say(&format!("remark: going on after {taken} frames{byte}"));
    }
}

/// A file that is written to as a run goes on, and cut where a checkpoint left it when the run is resumed.
pub(crate) struct Growing {
    path: PathBuf,
    output: BufWriter<File>,
    written: u64,
    /// A device or a pipe is written to, and can neither be cut nor be brought to disk.
    is_file: bool,
}

impl Growing {
    /// A new file, or one that had so many bytes when the checkpoint was written.
    pub(crate) fn open(path: &Path, written: Option<u64>) -> anyhow::Result<Growing> {
        let failed = || format!("cannot write `{}`", path.display());
        let mut file = match written {
            None => File::create(path).with_context(failed)?,
            Some(_) => OpenOptions::new().write(true).open(path).with_context(failed)?,
        };
        let written = written.unwrap_or(0);
        let metadata = file.metadata().with_context(failed)?;
        let is_file = metadata.is_file();
        if is_file {
            if metadata.len() < written {
                bail!(
                    "`{}` has fewer bytes than when the checkpoint was written\nhint: bring it back, or start anew",
                    path.display()
                );
            }
            file.set_len(written).with_context(failed)?;
            file.seek(SeekFrom::End(0)).with_context(failed)?;
        }
        Ok(Growing { path: path.into(), output: BufWriter::new(file), written, is_file })
    }

    /// Brings all to disk; returns how much there is.
    pub(crate) fn sync(&mut self) -> anyhow::Result<u64> {
        let to_disk = |file: &File| if self.is_file { file.sync_data() } else { Ok(()) };
        let synced = self.output.flush().and_then(|()| to_disk(self.output.get_ref()));
        synced.with_context(|| format!("cannot write `{}`", self.path.display()))?;
        Ok(self.written)
    }
}

impl Write for Growing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.output.flush()
    }
}
