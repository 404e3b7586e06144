//! The folder of a task: `task.toml`, the declarations, the background, theories and maybe data.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use oled::{Diagnostic, Problems, Source, Symbol, Task};
use serde::Deserialize;

use crate::world;

/// A task and where it came from.
#[derive(Clone, Debug)]
pub struct TaskFolder {
    /// The folder, as the user wrote it; of the embedded task, its name.
    pub path: PathBuf,
    /// The task's name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// The task itself.
    pub task: Task,
    /// A stream that comes with the task, read where no input is named.
    pub stream: Option<PathBuf>,
    /// What is wrong with the task's texts.
    problems: Vec<Diagnostic>,
}

/// Why a task could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// A file could not be read.
    #[error("cannot read `{}`: {error}\nhint: {hint}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
        /// What to do about it.
        hint: String,
    },
    /// The texts of the task have problems.
    #[error(transparent)]
    Problems(#[from] Problems),
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: Option<String>,
    #[serde(default)]
    description: String,
    modes: Option<PathBuf>,
    background: Option<PathBuf>,
    #[serde(default)]
    calculus: Calculus,
    #[serde(default)]
    stream: Stream,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calculus {
    tracked: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stream {
    path: Option<PathBuf>,
    #[serde(default)]
    interleaved: bool,
}

impl TaskFolder {
    /// Loads a task that has no problems. `lobby` is the embedded task where no folder has that name.
    pub fn load(path: &Path) -> Result<TaskFolder, TaskError> {
        let folder = TaskFolder::read(path)?;
        Problems::check(folder.problems.clone())?;
        Ok(folder)
    }

    /// Loads what can be loaded of a task; [`TaskFolder::problems`] tells the rest.
    pub fn read(path: &Path) -> Result<TaskFolder, TaskError> {
        if !path.exists() && path == Path::new(EMBEDDED) {
            return Ok(TaskFolder::embedded());
        }
        let file = path.join("task.toml");
        let text = read(&file, || {
            format!("a task is a folder with a `task.toml`; the task `{EMBEDDED}` is built in")
        })?;
        let manifest = Source::new(file.display().to_string(), text);
        let (settings, mut problems) = match toml::from_str::<Manifest>(&manifest.text) {
            Ok(settings) => (settings, Vec::new()),
            Err(error) => (Manifest::default(), vec![manifest_problem(&manifest, &error)]),
        };
        let source = |named: &Option<PathBuf>, usual: &str| -> Result<Arc<Source>, TaskError> {
            let file = path.join(named.as_deref().unwrap_or(Path::new(usual)));
            // A task without declarations or background is fine unless it names a file.
            if named.is_none() && !file.exists() {
                return Ok(Source::new(file.display().to_string(), ""));
            }
            let text = read(&file, || format!("`{}` names it", manifest.name))?;
            Ok(Source::new(file.display().to_string(), text))
        };
        let modes = source(&settings.modes, "modes.lp")?;
        let background = source(&settings.background, "background.lp")?;
        let (mut task, more) = Task::read(&modes, &background);
        problems.extend(more);
        task.options.tracked = settings.calculus.tracked.map(|names| names.iter().map(|n| Symbol::new(n)).collect());
        task.options.interleaved = settings.stream.interleaved;
        let usual_name = || path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
        Ok(TaskFolder {
            name: settings.name.unwrap_or_else(usual_name),
            description: settings.description,
            stream: settings.stream.path.map(|p| path.join(p)),
            path: path.to_path_buf(),
            task,
            problems,
        })
    }

    /// The task of the simulated world, which every build carries.
    pub fn embedded() -> TaskFolder {
        let (task, problems) =
            Task::read(&Source::new("lobby/modes.lp", world::MODES), &Source::new("lobby/background.lp", world::BACKGROUND));
        TaskFolder {
            path: PathBuf::from(EMBEDDED),
            name: EMBEDDED.into(),
            description: "People in a simulated lobby".into(),
            task,
            stream: None,
            problems,
        }
    }

    /// What is wrong with the texts of the task.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }
}

/// The name of the task that is built in.
const EMBEDDED: &str = "lobby";

fn read(path: &Path, hint: impl FnOnce() -> String) -> Result<String, TaskError> {
    std::fs::read_to_string(path).map_err(|error| TaskError::Io { path: path.to_path_buf(), error, hint: hint() })
}

fn manifest_problem(manifest: &Arc<Source>, error: &toml::de::Error) -> Diagnostic {
    let span = error.span().unwrap_or(0..0);
    let span = oled::Span { source: Some(manifest.clone()), start: span.start as u32, end: span.end as u32 };
    Diagnostic::new(&span, error.message().trim().to_string())
        .hint("keys are name, description, modes, background, [calculus] tracked, [stream] path and interleaved")
}
