//! The folder of a task: `task.toml`, the declarations, the background, theories and maybe data.

mod embedded;
mod manifest;
mod settings;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use oled::calculus::unknown;
use oled::induce::preset_name;
use oled::lang::did_you_mean;
use oled::logic::Quiet;
use oled::{
    Bias, Diagnostic, Every, LearnerSpec, Problems, ReplaySettings, Settings, Source, Symbol, Task, Theory, Ticks,
    parse_source,
};
use toml::Spanned;

use self::embedded::{CAVIAR, CAVIAR_LISTED, EMBEDDED, Embedded, HOMES, LOBBY, LOBBY_LISTED, built_in};
use self::manifest::{
    Manifest, manifest_problem, read_clock, read_kinds, read_tables, read_ticks, span, tracked_problem,
};
pub use self::settings::as_text;
use self::settings::{learning_problems, replay_problems, texts};
use crate::reasoner::{self, Reasoner};
use crate::table::Tables;
use crate::times::Times;
use crate::{Declarations, Format, ReadOptions, Sorting};

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
    /// The task that is built in, if it is one.
    embedded: Option<&'static Embedded>,
    /// What `task.toml` sets about learning, in general and for presets.
    learning: (toml::Table, toml::Table),
    /// What it sets about learning by replay.
    replay: toml::Table,
    /// What the columns of tables are, and how times are written.
    pub tables: Arc<Tables>,
    /// Whether its streams come in order.
    sorted: bool,
    /// Time units a second, if the task knows.
    pub rate: Option<f64>,
    /// When there are time points although nothing arrives.
    every: Option<Every>,
    /// When ticks may be left out.
    quiet: Option<Quiet>,
    /// `task.toml`.
    manifest: Arc<Source>,
    /// Its declarations and its background.
    texts: [Arc<Source>; 2],
    /// What is wrong with the task's texts.
    problems: Vec<Diagnostic>,
    /// Who evaluates the background, where the library does not.
    reasoner: Option<Arc<dyn Reasoner>>,
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

impl TaskFolder {
    /// Loads a task that has no problems. `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in, for where no
    /// folder has that name.
    pub fn load(path: &Path) -> Result<TaskFolder, TaskError> {
        let folder = TaskFolder::read(path)?;
        Problems::check(folder.problems.clone())?;
        Ok(folder)
    }

    /// Loads what can be loaded of a task; [`TaskFolder::problems`] tells the rest.
    pub fn read(path: &Path) -> Result<TaskFolder, TaskError> {
        if !path.exists()
            && let Some(task) = EMBEDDED.iter().find(|task| path == Path::new(task.name))
        {
            return Ok(TaskFolder::built_in(task));
        }
        let file = path.join("task.toml");
        let manifest =
            source(&file, || format!("a task is a folder with a `task.toml`; the tasks {} are built in", built_in()))?;
        let (settings, problems) = match toml::from_str::<Manifest>(&manifest.text) {
            Ok(settings) => (settings, Vec::new()),
            Err(error) => (Manifest::default(), vec![manifest_problem(&manifest, &error)]),
        };
        let part = |named: &Option<PathBuf>, usual: &str| -> Result<Arc<Source>, TaskError> {
            let file = path.join(named.as_deref().unwrap_or(Path::new(usual)));
            // A task without declarations or background is fine unless it names a file.
            if named.is_none() && !file.exists() {
                return Ok(Source::new(file.display().to_string(), ""));
            }
            source(&file, || format!("`{}` names it", manifest.name))
        };
        let texts = [part(&settings.modes, "modes.lp")?, part(&settings.background, "background.lp")?];
        Ok(TaskFolder::put_together(path, &manifest, settings, texts, problems))
    }

    /// A task from texts that are in no folder.
    pub fn from_texts(name: &str, manifest: &str, modes: &str, background: &str) -> Result<TaskFolder, TaskError> {
        let named = |file: &str, text: &str| Source::new(format!("{name}/{file}"), text);
        let manifest = named("task.toml", manifest);
        let settings =
            toml::from_str(&manifest.text).map_err(|error| Problems::from(manifest_problem(&manifest, &error)))?;
        let texts = [named("modes.lp", modes), named("background.lp", background)];
        let folder = TaskFolder::put_together(Path::new(name), &manifest, settings, texts, Vec::new());
        Problems::check(folder.problems.clone())?;
        Ok(folder)
    }

    /// The task that its texts make, with everything that is wrong with them.
    fn put_together(
        path: &Path,
        manifest: &Arc<Source>,
        settings: Manifest,
        [modes, background]: [Arc<Source>; 2],
        mut problems: Vec<Diagnostic>,
    ) -> TaskFolder {
        let (mut task, more, reasoner) = read_task(manifest, settings.reasoner.as_ref(), &modes, &background);
        problems.extend(more);
        if let Some(names) = &settings.calculus.tracked {
            problems.extend(names.iter().filter_map(|name| tracked_problem(&task, manifest, name)));
            task.options.tracked = Some(names.iter().map(|n| Symbol::new(n.get_ref())).collect());
        }
        if let Some(both) = &settings.calculus.both {
            match both.get_ref().parse() {
                Ok(both) => task.options.both = both,
                Err(problem) => {
                    let hint = "write `both = \"end\"` if what ends a fluent wins; by default what starts it does";
                    problems.push(Diagnostic::new(&span(manifest, both.span()), problem).hint(hint));
                }
            }
        }
        task.options.interleaved = settings.stream.interleaved;
        let every = read_ticks(manifest, &settings.stream).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        match read_clock(manifest, &settings.stream) {
            Ok(clock) => task.bias.clock = clock,
            Err(problem) => problems.push(problem),
        }
        problems.extend(read_kinds(&mut task, manifest, &settings.fluents));
        let (tables, more) = read_tables(manifest, &settings, &task);
        problems.extend(more);
        let learning = (settings.learn, settings.preset);
        problems.extend(learning_problems(manifest, &learning));
        problems.extend(replay_problems(manifest, &settings.replay));
        // The folder `.` has a name too.
        let usual_name = || {
            let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
        };
        TaskFolder {
            name: settings.name.unwrap_or_else(usual_name),
            description: settings.description,
            stream: settings.stream.path.map(|p| path.join(p)),
            path: path.to_path_buf(),
            task,
            embedded: None,
            tables: Arc::new(tables),
            sorted: settings.stream.sorted.unwrap_or(true),
            rate: settings.stream.rate,
            every,
            quiet: None,
            manifest: manifest.clone(),
            texts: [modes, background],
            learning,
            replay: settings.replay,
            problems,
            reasoner,
        }
    }

    /// The task of the simulated world, which every build carries.
    pub fn embedded() -> TaskFolder {
        TaskFolder::built_in(&LOBBY)
    }

    /// The same with listed thresholds, for learners that need them.
    pub fn lobby_listed() -> TaskFolder {
        TaskFolder::built_in(&LOBBY_LISTED)
    }

    /// The task of the simulated homes, which every build carries.
    pub fn homes() -> TaskFolder {
        TaskFolder::built_in(&HOMES)
    }

    /// The task of CAVIAR, which every build carries; its data has to be fetched.
    pub fn caviar() -> TaskFolder {
        TaskFolder::built_in(&CAVIAR)
    }

    /// The same in the vocabulary of the paper: listed distances, and each pair in both orders.
    pub fn caviar_listed() -> TaskFolder {
        TaskFolder::built_in(&CAVIAR_LISTED)
    }

    /// The task of this name that every build carries, if there is one.
    pub fn named(name: &str) -> Option<TaskFolder> {
        EMBEDDED.iter().find(|task| task.name == name).map(|task| TaskFolder::built_in(task))
    }

    fn built_in(embedded: &'static Embedded) -> TaskFolder {
        let Embedded { name, manifest, modes, background, .. } = embedded;
        let folder = TaskFolder::from_texts(name, manifest, modes, background);
        TaskFolder { embedded: Some(embedded), ..folder.expect("the embedded tasks are tested") }
    }

    /// The text of `task.toml`.
    pub fn manifest(&self) -> &Source {
        &self.manifest
    }

    /// Whether every build carries the task.
    pub fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// The texts of the declarations and of the background.
    pub fn texts(&self) -> &[Arc<Source>] {
        &self.texts
    }

    /// The same task with more facts in its background.
    pub fn with_facts(&self, facts: &str) -> Result<TaskFolder, TaskError> {
        let settings = toml::from_str(&self.manifest.text)
            .map_err(|error| Problems::from(manifest_problem(&self.manifest, &error)))?;
        let [modes, background] = self.texts.clone();
        let more = Source::new(background.name.clone(), format!("{}\n{facts}", background.text));
        let folder = TaskFolder::put_together(&self.path, &self.manifest, settings, [modes, more], Vec::new());
        Problems::check(folder.problems.clone())?;
        Ok(TaskFolder { embedded: self.embedded, quiet: self.quiet, ..folder })
    }

    /// The settings of learning for a target: those of a preset, then what `task.toml` says in `[learn]`, in
    /// `[learn.TARGET]`, in `[preset.NAME]` and in `[preset.NAME.TARGET]`, then the ones given here; the last word counts.
    pub fn settings(&self, preset: &str, target: &str, more: &[(String, String)]) -> Result<Settings, String> {
        let mut settings = Settings::preset(preset)?;
        let own = texts([&self.learning.0].into_iter().chain(self.of_preset(preset)), Some(target));
        own.iter().chain(more).try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }

    /// What `task.toml` sets for a preset, by whichever name it has there.
    fn of_preset(&self, preset: &str) -> impl Iterator<Item = &toml::Table> {
        let named = self.learning.1.iter().filter(move |(name, _)| preset_name(name) == preset_name(preset));
        named.filter_map(|(_, table)| table.as_table())
    }

    /// What `task.toml` sets about a learner, by name, for a target or for all; the last word counts.
    pub fn settings_of(&self, spec: &LearnerSpec, preset: Option<&str>, target: Option<&str>) -> Vec<(String, String)> {
        let section = match spec.section {
            Some("learn") => Some(&self.learning.0),
            Some("replay") => Some(&self.replay),
            _ => None,
        };
        let of_preset = spec.preset(preset).into_iter().flat_map(|preset| self.of_preset(preset));
        texts(section.into_iter().chain(of_preset), target)
    }

    /// The settings of learning by replay: what `task.toml` says in `[replay]`, then the ones given here; the last word
    /// counts.
    pub fn replay_settings(&self, more: &[(String, String)]) -> Result<ReplaySettings, String> {
        let mut settings = ReplaySettings::default();
        let own = texts([&self.replay], None);
        own.iter().chain(more).try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }

    /// The texts of the theories that come with the task, by name.
    pub fn theories(&self) -> Result<Vec<Arc<Source>>, TaskError> {
        if let Some(task) = self.embedded {
            let named = |(name, text): &(&str, &str)| Source::new(format!("{}/theories/{name}.lp", task.name), *text);
            return Ok(task.theories.iter().map(named).collect());
        }
        let folder = self.path.join("theories");
        if !folder.is_dir() {
            return Ok(Vec::new());
        }
        let unreadable =
            |error| TaskError::Io { path: folder.clone(), error, hint: "it has the theories of the task".into() };
        let entries = std::fs::read_dir(&folder).map_err(unreadable)?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "lp"));
        paths.sort();
        paths.iter().map(|path| source(path, || "it is one of the theories of the task".into())).collect()
    }

    /// The text of a theory: a file, or where there is none, the theory of this name that comes with the task: `hand`
    /// for `theories/hand.lp`.
    pub fn theory(&self, path: &Path) -> Result<Arc<Source>, TaskError> {
        let bare = path.components().count() == 1;
        let theories = if bare && !path.is_file() { self.theories()? } else { Vec::new() };
        let name = |theory: &Source| Path::new(&theory.name).file_stem().map(|n| n.to_string_lossy().into_owned());
        let wanted = Some(path.to_string_lossy().trim_end_matches(".lp").to_string());
        if let Some(theory) = theories.iter().find(|t| name(t) == wanted) {
            return Ok(theory.clone());
        }
        source(path, || {
            let names: Vec<String> = theories.iter().filter_map(|t| name(t)).collect();
            match did_you_mean(&path.to_string_lossy(), names.iter().map(String::as_str)) {
                Some(near) => format!("did you mean `{near}`?"),
                None if names.is_empty() => {
                    "a theory is a file with rules, or the name of one in the task's folder `theories`".into()
                }
                None => format!("a theory is a file with rules, or one that comes with the task: {}", names.join(", ")),
            }
        })
    }

    /// How a stream is read for the task.
    pub fn read_options(&self, format: Option<Format>, lenient: bool) -> ReadOptions {
        ReadOptions {
            format,
            lenient,
            interleaved: self.task.options.interleaved,
            labels: self.task.labels().into_iter().flat_map(|label| [label, unknown(label)]).collect(),
            declared: self.task.bias.inputs.iter().map(oled::Mode::signature).collect(),
            declarations: Some(Declarations::new(&self.task).into()),
            reasoner: self.reasoner.clone(),
            tables: Some(self.tables.clone()),
            sorting: if self.sorted && !self.tables.has_ends() { Sorting::InOrder } else { Sorting::Whole },
            ticks: self.every.map(|every| Ticks::new(&self.task, every).skipping(self.quiet)),
            ..ReadOptions::default()
        }
    }

    /// From now on leaves out ticks at which nothing can change by the rules of a theory: for whoever wants to know when what
    /// holds, and counts no time points.
    pub fn skip_quiet(&mut self, theory: &Theory) {
        self.quiet = self.task.settles(theory);
    }

    /// How times are written.
    pub fn times(&self) -> Times {
        self.tables.times
    }

    /// When there are time points although nothing arrives.
    pub fn every(&self) -> Option<Every> {
        self.every
    }

    /// What is wrong with the texts of the task.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }
}

/// The longest text of a task, 64 MiB: rules and facts are written by people or programs that learn, and a device never ends.
const MAX_TEXT: u64 = 1 << 26;

fn source(path: &Path, hint: impl FnOnce() -> String) -> Result<Arc<Source>, TaskError> {
    match read_text(path) {
        Ok(text) => Ok(Source::new(path.display().to_string(), text)),
        Err(error) => Err(TaskError::Io { path: path.to_path_buf(), error, hint: hint() }),
    }
}

/// The whole text of a file, unless it is too long.
fn read_text(path: &Path) -> std::io::Result<String> {
    let mut text = String::new();
    let read = File::open(path)?.take(MAX_TEXT + 1).read_to_string(&mut text);
    if text.len() as u64 > MAX_TEXT {
        let message = format!("it is longer than {} MiB, which no text of a task is", MAX_TEXT >> 20);
        return Err(std::io::Error::new(std::io::ErrorKind::FileTooLarge, message));
    }
    read.map(|_| text)
}

/// A task, what is wrong with it, and who evaluates its background.
type ReadTask = (Task, Vec<Diagnostic>, Option<Arc<dyn Reasoner>>);

/// Reads a task whose background is in the language, or in that of a reasoner. What a reasoner derives, as far as it is
/// declared, comes to the rules as what is observed does.
fn read_task(
    manifest: &Arc<Source>,
    named: Option<&Spanned<String>>,
    modes: &Arc<Source>,
    background: &Arc<Source>,
) -> ReadTask {
    let at = |name: &Spanned<String>| span(manifest, name.span());
    let failed = |problem: Diagnostic| {
        let (task, mut problems) = Task::read(&Source::new(modes.name.clone(), ""), &Source::new("", ""));
        problems.push(problem);
        (task, problems, None)
    };
    let make = match named {
        None => return own(modes, background),
        Some(name) if name.get_ref() == "native" => return own(modes, background),
        Some(name) if name.get_ref() == "clingo" => match reasoner::clingo() {
            Some(make) => make,
            None => {
                let problem = Diagnostic::new(&at(name), "this program was built without clingo, which the task needs");
                return failed(problem.hint(
                    "run it with `cargo run --release --features clingo -- …`, which builds clingo; \
                     that needs a C++ compiler and cmake (`apt-get install -y cmake`)",
                ));
            }
        },
        Some(name) => {
            let problem = Diagnostic::new(&at(name), format!("there is no reasoner `{}`", name.get_ref()));
            return failed(problem.hint("it is `native`, which is the default, or `clingo`"));
        }
    };
    let (declarations, _) = parse_source(modes);
    let (mut bias, _) = Bias::read(&declarations);
    let known = |bias: &Bias, s| bias.inputs.iter().chain(&bias.examples).any(|m| m.signature() == s);
    let mut text = modes.text.clone();
    for mode in bias.bodies.clone() {
        if mode.is_timed() && !known(&bias, mode.signature()) {
            text = format!("{text}\ninput({}).", mode.atom);
            bias.inputs.push(mode);
        }
    }
    match make(&bias, background) {
        Ok(reasoner) => {
            let always = Source::new(background.name.clone(), reasoner.always());
            let (task, problems) = Task::read(&Source::new(modes.name.clone(), text), &always);
            (task, problems, Some(reasoner))
        }
        Err(more) => {
            let (task, mut problems, _) = own(&Source::new(modes.name.clone(), text), &Source::new("", ""));
            problems.extend(more);
            (task, problems, None)
        }
    }
}

fn own(modes: &Arc<Source>, background: &Arc<Source>) -> ReadTask {
    let (task, problems) = Task::read(modes, background);
    (task, problems, None)
}
