//! What `learn` and `recognise` share to run for weeks: checkpoints, and streams that are being written.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use clap::Args;
use oled::state;
use oled_data::task_folder::TaskFolder;
use oled_data::{Checkpoint, Frames, Live, Replacement, digest, open, open_at};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::args::InputArgs;
use crate::broker;
use crate::input::stream_path;
use crate::lock::Lock;
use crate::progress::say;

/// Checkpoints.
#[derive(Debug, Args)]
#[command(next_help_heading = "Checkpoints")]
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
#[command(next_help_heading = "Live streams")]
pub(crate) struct LiveArgs {
    /// Wait for more at the end of the file, until the program is stopped.
    #[arg(long)]
    pub(crate) follow: bool,

    /// Put frames in order that are late by at most so many time units; what is later, or comes twice, is a fault of the
    /// stream.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i64).range(0..))]
    pub(crate) lateness: Option<i64>,

    /// With `--follow`, after so many seconds without a row, those of the last time are all, and a table without news is not
    /// waited for. Rows of that time that come later are a fault of the stream.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = parse_settle)]
    pub(crate) settle: Duration,
}

fn parse_settle(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "it is a number of seconds, such as 0.5".to_string())
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
pub(crate) struct Fingerprint(Vec<(String, String)>);

impl Fingerprint {
    /// What every command's state depends on.
    pub(crate) fn new(folder: &TaskFolder, input: &InputArgs, live: &LiveArgs) -> Fingerprint {
        let texts: String = folder.texts().iter().flat_map(|source| [&source.text, "\0"]).collect();
        let reasoner = folder.read_options(None, false).reasoner.is_some();
        let (task, every) = (&folder.task, folder.every());
        let options = format!("{texts}{:?}{reasoner}{every:?}{:?}", task.options, task.bias.clock);
        // Labels that come later are others when a run goes on.
        let growing = live.follow && folder.tables.delay.is_some();
        let of_labels = |path: &Path| if growing { path.display().to_string() } else { of_file(path) };
        let mut made_of = Fingerprint::default();
        made_of.add("the task", format!("{} ({:016x})", folder.name, digest(options.as_bytes())));
        made_of.add(
            "other inputs",
            input.input.iter().skip(1).map(|path| path.display().to_string()).collect::<Vec<_>>().join(", "),
        );
        made_of.add("`--labels`", input.labels.as_deref().map(of_labels).unwrap_or_default());
        made_of.add("`--from`", input.from.map(|format| format.to_string()).unwrap_or_default());
        made_of.add("`--lenient`", if input.lenient { "yes" } else { "" });
        made_of.add("`--lateness`", live.lateness.map(|n| n.to_string()).unwrap_or_default());
        made_of
    }

    pub(crate) fn add(&mut self, name: &str, text: impl Into<String>) {
        self.0.push((name.into(), text.into()));
    }

    /// All of it, but for what has one of these names.
    #[cfg(feature = "cluster")]
    pub(crate) fn without(self, names: &[&str]) -> Vec<(String, String)> {
        self.0.into_iter().filter(|(name, _)| !names.contains(&name.as_str())).collect()
    }

    /// A file that goes on where the checkpoint left it. What is in the folder of the checkpoint is named as it is seen from
    /// there, so that both can be moved together.
    pub(crate) fn add_file(&mut self, name: &str, path: Option<&Path>, args: &CheckpointArgs) {
        let Some(checkpoint) = &args.checkpoint else { return };
        let checkpoint = whole(checkpoint);
        let folder = checkpoint.parent().unwrap_or(&checkpoint);
        let seen = path.map(whole).map(|path| path.strip_prefix(folder).unwrap_or(&path).display().to_string());
        self.add(name, seen.unwrap_or_default());
    }
}

/// The name of a file, and what tells it from others.
fn of_file(path: &Path) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    format!("{} ({:016x})", path.display(), digest(&bytes))
}

/// The whole path of a file, also of one that is not there yet.
fn whole(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    folder.join(path.file_name().unwrap_or_default())
}

/// Sees to the checkpoints of a run.
pub(crate) struct Checkpointer<'a> {
    args: &'a CheckpointArgs,
    path: &'a Path,
    made_of: Fingerprint,
    quiet: bool,
    frames: u64,
    last: Instant,
    /// Whether there is a checkpoint to go on from: the one that this run went on from, or one that it wrote.
    is_good: bool,
    /// Whether the last one could not be written.
    is_failing: bool,
    /// Why there is none in the end.
    failure: Option<anyhow::Error>,
    /// As long as it is held, nobody else works on the checkpoint.
    _lock: Lock,
}

impl<'a> Checkpointer<'a> {
    /// What sees to them, if they are wanted.
    pub(crate) fn new(
        args: &'a CheckpointArgs,
        made_of: Fingerprint,
        quiet: bool,
    ) -> anyhow::Result<Option<Checkpointer<'a>>> {
        let Some(path) = &args.checkpoint else { return Ok(None) };
        let lock = Lock::take(path)?;
        if !args.resume && path.exists() {
            let path = path.display();
            bail!(
                "there is a checkpoint `{path}` already\nhint: go on from it with `--resume`, or remove it to start anew"
            );
        }
        // A place that cannot be written to is told before anything is read.
        Replacement::create(path).with_context(|| format!("cannot write the checkpoint `{}`", path.display()))?;
        Ok(Some(Checkpointer {
            args,
            path,
            made_of,
            quiet,
            frames: 0,
            last: Instant::now(),
            is_good: false,
            is_failing: false,
            failure: None,
            _lock: lock,
        }))
    }

    /// The state to go on from, if there is one.
    pub(crate) fn resume<T: DeserializeOwned>(&mut self) -> anyhow::Result<Option<T>> {
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
        self.is_good = true;
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

    /// Writes a checkpoint of a state. One that cannot be written is told, and tried again when the next is due, as long as
    /// there is a good one to go on from. The last one does not stand in the way of the result: [`Checkpointer::finish`] tells.
    pub(crate) fn save<T: Serialize>(
        &mut self,
        is_last: bool,
        state: impl FnOnce() -> anyhow::Result<T>,
    ) -> anyhow::Result<()> {
        let write = |state: T| {
            let checkpoint = Checkpoint { made_of: self.made_of.0.clone(), state: state::encode(&state) };
            Ok(checkpoint.write(self.path)?)
        };
        let written = state().and_then(write);
        (self.frames, self.last) = (0, Instant::now());
        match written {
            Ok(()) => {
                if self.is_failing && !self.quiet {
                    say(&format!("remark: the checkpoint `{}` is written again", self.path.display()));
                }
                (self.is_good, self.is_failing) = (true, false);
            }
            Err(error) if self.is_good => {
                if !self.is_failing || is_last {
                    let again = if is_last { "" } else { "it is tried again when the next is due; until then " };
                    say(&format!("warning: {error:#}\n  hint: {again}`--resume` goes on from the last good one"));
                }
                self.is_failing = true;
            }
            Err(error) if is_last => self.failure = Some(error),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Tells whether there is a checkpoint in the end.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        self.failure.map_or(Ok(()), Err)
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
    quiet: bool,
) -> anyhow::Result<Frames> {
    let path = stream_path(folder, input)?;
    let mut options = input.read_options(folder);
    options.lateness = live.lateness;
    let wanted = checkpoint.checkpoint.is_some();
    if broker::is_log(&path) {
        if live.follow || wanted {
            bail!(
                "`{}` is a log: it is read to its present end, and the positions in it are kept by `oled cluster`\nhint: use \
                 `oled cluster … --hosts FILE --process 0 --checkpoint FILE --resume`, with a file of one host for one process",
                path.display()
            );
        }
        return broker::open(&path, &options);
    }
    // Whoever waits for a pipe can be stopped only if another thread reads it.
    if live.follow || wanted && path == Path::new("-") {
        let tell: fn(&str) = |line| say(&format!("remark: {line}"));
        let (tell, settle) = ((!quiet).then_some(tell), Some(live.settle));
        options.live = Some(Live { follow: live.follow, stop: stop.clone(), tell, settle, ..Live::default() });
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
