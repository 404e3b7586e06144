//! What several commands do at first: load a task, a theory and a stream.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{anyhow, bail};
use oled::logic::{NARROW, Stop};
use oled::{Diagnostic, Frame, Recogniser, Source, Theory, parse_source};
use oled_data::task_folder::TaskFolder;
use oled_data::{Frames, open};
use oled_experiment::defines_nothing;

use crate::args::InputArgs;
use crate::broker;
use crate::progress::say;
use crate::times;

/// Loads the task of a command, whose times are printed as its streams have them.
pub(crate) fn load_task(path: &Path) -> anyhow::Result<TaskFolder> {
    let folder = TaskFolder::load(path)?;
    times::adopt(&folder);
    Ok(folder)
}

/// Reads a theory: a file, or the name of one that comes with the task.
pub(crate) fn load_theory(folder: &TaskFolder, path: &Path) -> anyhow::Result<Theory> {
    let (theory, problems) = parse_source(&folder.theory(path)?);
    oled::Problems::check(problems)?;
    Ok(theory)
}

/// Says what the rules of a task and a theory probably do not mean.
pub(crate) fn warn(folder: &TaskFolder, theory: &Theory, quiet: bool) {
    if !quiet {
        folder.task.warnings(theory).iter().for_each(|warning| say(&warning.as_warning().to_string()));
    }
}

/// Warns that something does not know of the shortest intervals that are reported.
pub(crate) fn warn_of_durations(folder: &TaskFolder, message: &str, hint: &str, quiet: bool) {
    if let (Some(duration), false) = (folder.task.bias.min_durations.first(), quiet) {
        say(&Diagnostic::new(&duration.span, message).hint(hint).as_warning().to_string());
    }
}

/// A recogniser for a theory, compiled for a task.
pub(crate) fn recogniser(folder: &TaskFolder, theory: &Path, quiet: bool) -> anyhow::Result<Recogniser> {
    let theory = load_theory(folder, theory)?;
    warn(folder, &theory, quiet);
    let recogniser = Recogniser::new(&folder.task, &theory)?;
    match recogniser.fluents().next() {
        // What `learn` writes where it has found nothing.
        None if theory.clauses.is_empty() && !quiet => {
            say("warning: the theory has no rules, so nothing is recognised");
        }
        None if !theory.clauses.is_empty() => return Err(defines_nothing(&folder.task).into()),
        _ => {}
    }
    Ok(recogniser)
}

/// The same for a text that was used before.
pub(crate) fn recogniser_of(folder: &TaskFolder, source: &Arc<Source>) -> anyhow::Result<Recogniser> {
    let (theory, problems) = parse_source(source);
    oled::Problems::check(problems)?;
    Ok(Recogniser::new(&folder.task, &theory)?)
}

/// What to tell of a frame from which too much follows.
pub(crate) fn too_much(stop: &Stop, frame: &Frame) -> anyhow::Error {
    let (time, segment) = (frame.time, frame.segment);
    let hint = match stop {
        Stop::Full { .. } => {
            "`--max-instances` allows more; or narrow the rules, so that they speak of fewer combinations".to_string()
        }
        _ => format!("{NARROW}; or allow more with `--max-steps`"),
    };
    anyhow!("{stop} at time {} of segment `{segment}`\nhint: {hint}", times::printed_time(time))
}

/// The path of the stream: the one that was named, or the task's own.
pub(crate) fn stream_path(folder: &TaskFolder, args: &InputArgs) -> anyhow::Result<PathBuf> {
    match (args.input.first(), folder.stream.as_ref()) {
        (Some(path), _) | (None, Some(path)) => Ok(path.clone()),
        (None, None) => bail!(
            "the task `{}` has no stream of its own\nhint: name one with `--input FILE`, or `--input -` for standard input",
            folder.name
        ),
    }
}

/// Opens the stream of a command.
pub(crate) fn open_stream(folder: &TaskFolder, args: &InputArgs) -> anyhow::Result<Frames> {
    let (path, options) = (stream_path(folder, args)?, args.read_options(folder));
    if broker::is_log(&path) {
        return broker::open(&path, &options);
    }
    Ok(open(&path, &options)?)
}
