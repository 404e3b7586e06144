//! The folder of a task: `task.toml`, the declarations, the background, theories and maybe data.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use oled::calculus::unknown;
use oled::induce::PRESETS;
use oled::lang::{did_you_mean, ec};
use oled::{
    Bias, DefinitionKind, Diagnostic, LearnerSpec, Problems, ReplaySettings, Settings, Signature, Source, Span, Symbol,
    Task, Term, Theory, Value, parse_source,
};
use serde::Deserialize;
use toml::Spanned;

use crate::reasoner::{self, Reasoner};
use crate::{Declarations, Format, ReadOptions};

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
    /// Time units a second, if the task knows.
    pub rate: Option<f64>,
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

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    name: Option<String>,
    #[serde(default)]
    description: String,
    modes: Option<PathBuf>,
    background: Option<PathBuf>,
    reasoner: Option<Spanned<String>>,
    #[serde(default)]
    calculus: Calculus,
    #[serde(default)]
    stream: Stream,
    /// How rules define fluents, by their names: `persists` or `while`.
    #[serde(default)]
    fluents: BTreeMap<String, Spanned<toml::Value>>,
    /// Settings of learning, for all presets; tables in it are for a target.
    #[serde(default)]
    learn: toml::Table,
    /// Settings of learning for one preset, by its name; tables in them are for a target.
    #[serde(default)]
    preset: toml::Table,
    /// Settings of learning by replay.
    #[serde(default)]
    replay: toml::Table,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Calculus {
    tracked: Option<Vec<Spanned<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stream {
    path: Option<PathBuf>,
    #[serde(default)]
    interleaved: bool,
    rate: Option<f64>,
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
        let (settings, mut problems) = match toml::from_str::<Manifest>(&manifest.text) {
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
        let modes = part(&settings.modes, "modes.lp")?;
        let background = part(&settings.background, "background.lp")?;
        let (mut task, more, reasoner) = read_task(&manifest, settings.reasoner.as_ref(), &modes, &background);
        problems.extend(more);
        if let Some(names) = settings.calculus.tracked {
            problems.extend(names.iter().filter_map(|name| tracked_problem(&task, &manifest, name)));
            task.options.tracked = Some(names.iter().map(|n| Symbol::new(n.get_ref())).collect());
        }
        task.options.interleaved = settings.stream.interleaved;
        problems.extend(read_kinds(&mut task, &manifest, &settings.fluents));
        let learning = (settings.learn, settings.preset);
        problems.extend(learning_problems(&manifest, &learning));
        problems.extend(replay_problems(&manifest, &settings.replay));
        // The folder `.` has a name too.
        let usual_name = || {
            let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
            path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
        };
        Ok(TaskFolder {
            name: settings.name.unwrap_or_else(usual_name),
            description: settings.description,
            stream: settings.stream.path.map(|p| path.join(p)),
            path: path.to_path_buf(),
            task,
            embedded: None,
            rate: settings.stream.rate,
            texts: [modes, background],
            learning,
            replay: settings.replay,
            problems,
            reasoner,
        })
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
        let named = |file: &str, text: &str| Source::new(format!("{}/{file}", embedded.name), text);
        let texts = [named("modes.lp", embedded.modes), named("background.lp", embedded.background)];
        let (mut task, mut problems) = Task::read(&texts[0], &texts[1]);
        let manifest: Manifest = toml::from_str(embedded.manifest).expect("the embedded tasks are tested");
        task.options.tracked =
            manifest.calculus.tracked.map(|names| names.iter().map(|n| Symbol::new(n.get_ref())).collect());
        task.options.interleaved = manifest.stream.interleaved;
        let text = Source::new(format!("{}/task.toml", embedded.name), embedded.manifest);
        problems.extend(read_kinds(&mut task, &text, &manifest.fluents));
        TaskFolder {
            path: PathBuf::from(embedded.name),
            name: embedded.name.into(),
            description: manifest.description,
            task,
            stream: None,
            embedded: Some(embedded),
            rate: manifest.stream.rate,
            texts,
            learning: (manifest.learn, manifest.preset),
            replay: manifest.replay,
            problems,
            reasoner: None,
        }
    }

    /// The texts of the declarations and of the background.
    pub fn texts(&self) -> &[Arc<Source>] {
        &self.texts
    }

    /// The settings of learning for a target: those of a preset, then what `task.toml` says in `[learn]`, in
    /// `[learn.TARGET]`, in `[preset.NAME]` and in `[preset.NAME.TARGET]`, then the ones given here; the last word counts.
    pub fn settings(&self, preset: &str, target: &str, more: &[(String, String)]) -> Result<Settings, String> {
        let mut settings = Settings::preset(preset)?;
        let of_preset = self.learning.1.get(preset).and_then(toml::Value::as_table);
        let own = texts([Some(&self.learning.0), of_preset].into_iter().flatten(), Some(target));
        own.iter().chain(more).try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }

    /// What `task.toml` sets about a learner, by name, for a target or for all; the last word counts.
    pub fn settings_of(&self, spec: &LearnerSpec, preset: Option<&str>, target: Option<&str>) -> Vec<(String, String)> {
        let section = match spec.section {
            Some("learn") => Some(&self.learning.0),
            Some("replay") => Some(&self.replay),
            _ => None,
        };
        let of_preset = spec.preset(preset).and_then(|preset| self.learning.1.get(preset)?.as_table());
        texts([section, of_preset].into_iter().flatten(), target)
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
            ..ReadOptions::default()
        }
    }

    /// What is wrong with the texts of the task.
    pub fn problems(&self) -> &[Diagnostic] {
        &self.problems
    }
}

/// A task that every build carries.
#[derive(Debug)]
struct Embedded {
    name: &'static str,
    manifest: &'static str,
    modes: &'static str,
    background: &'static str,
    /// By name.
    theories: &'static [(&'static str, &'static str)],
}

/// The text of a file in `tasks/`.
macro_rules! text {
    ($($part:expr),+) => {
        include_str!(concat!("../../../tasks/", $($part),+))
    };
}

/// A folder of `tasks/` with the named theories.
macro_rules! embedded {
    ($name:literal, $($theory:literal),+) => {
        Embedded {
            name: $name,
            manifest: text!($name, "/task.toml"),
            modes: text!($name, "/modes.lp"),
            background: text!($name, "/background.lp"),
            theories: &[$(($theory, text!($name, "/theories/", $theory, ".lp"))),+],
        }
    };
}

static LOBBY: Embedded = embedded!("lobby", "changed", "hand", "true");
static HOMES: Embedded = embedded!("homes", "true");
static CAVIAR: Embedded = embedded!("caviar", "duals", "hand", "hand-while");
static LOBBY_LISTED: Embedded = embedded!("lobby-listed", "changed", "hand", "true");
static CAVIAR_LISTED: Embedded = embedded!("caviar-listed", "duals", "hand", "hand-while");

/// The tasks that are built in.
static EMBEDDED: [&Embedded; 5] = [&LOBBY, &HOMES, &CAVIAR, &LOBBY_LISTED, &CAVIAR_LISTED];

/// Their names, as a sentence has them.
fn built_in() -> String {
    let names = EMBEDDED.map(|task| format!("`{}`", task.name));
    let (last, others) = names.split_last().expect("some tasks are built in");
    format!("{} and {last}", others.join(", "))
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

/// Only types of the stream can be tracked.
fn tracked_problem(task: &Task, manifest: &Arc<Source>, name: &Spanned<String>) -> Option<Diagnostic> {
    let known = task.bias.observed_types();
    let known: Vec<&str> = known.iter().map(|s| s.as_str()).collect();
    if known.contains(&name.get_ref().as_str()) {
        return None;
    }
    let problem = Diagnostic::new(
        &span(manifest, name.span()),
        format!("`{}` is no type of the stream that can be tracked", name.get_ref()),
    );
    Some(match did_you_mean(name.get_ref(), known.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None if known.is_empty() => {
            problem.hint("types are named in the input declarations of the task; numbers are never tracked")
        }
        None => problem.hint(format!("those are {}; numbers are never tracked", known.join(", "))),
    })
}

/// Takes note of how fluents are to be defined, and says what is wrong with it.
fn read_kinds(
    task: &mut Task,
    manifest: &Arc<Source>,
    table: &BTreeMap<String, Spanned<toml::Value>>,
) -> Vec<Diagnostic> {
    let fluents = declared_fluents(&task.bias);
    let mut problems = Vec::new();
    // In the order in which they are written.
    let mut written: Vec<(&String, &Spanned<toml::Value>)> = table.iter().collect();
    written.sort_by_key(|(_, value)| value.span().start);
    for (name, value) in written {
        let at = span(manifest, value.span());
        let Some((symbol, signature)) = fluents.iter().find(|(fluent, _)| fluent.as_str() == name) else {
            // The name stands before its value.
            let start = manifest.text[..value.span().start].rfind(name.as_str()).unwrap_or(value.span().start);
            let place = span(manifest, start..start + name.len());
            let problem = Diagnostic::new(&place, format!("no fluent `{name}` is labelled or to be learned"));
            let near = did_you_mean(name, fluents.iter().map(|(fluent, _)| fluent.as_str()));
            problems.push(problem.hint(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("declare it with `example(holdsAt({name}(+type), +time)).`"),
            }));
            continue;
        };
        let kind = match as_text(value.get_ref()).parse::<DefinitionKind>() {
            Ok(kind) if value.get_ref().is_str() => kind,
            _ => {
                let message = format!("`{name}` is of no kind `{}`", manifest.text[value.span()].trim_matches('"'));
                problems.push(Diagnostic::new(&at, message).hint(
                    "it is \"persists\", for rules that start and end it, or \"while\", for rules that say when it holds",
                ));
                continue;
            }
        };
        match task.kind_of(&Theory::default(), *signature) {
            Some(given) if given != kind => {
                let message = match given {
                    DefinitionKind::Persists => format!("the background starts or ends `{name}`, so it persists"),
                    DefinitionKind::While => format!("the background says when `{name}` holds, so it does not persist"),
                };
                problems.push(Diagnostic::new(&at, message).hint("a fluent is of one kind: change one of the two"));
            }
            _ => _ = task.options.kinds.insert(*symbol, kind),
        }
    }
    problems
}

/// The fluents that are labelled or to be learned, by their names.
fn declared_fluents(bias: &Bias) -> Vec<(Symbol, Signature)> {
    let mut fluents: Vec<(Symbol, Signature)> = Vec::new();
    for mode in bias.examples.iter().chain(&bias.heads) {
        let acts = matches!(mode.atom.name.as_str(), ec::HOLDS | ec::INITIATED | ec::TERMINATED);
        let name = match mode.atom.args.first() {
            // A fluent without arguments is its own name.
            Some(Term::Value(Value::Sym(name))) => Some(*name),
            _ => mode.signature().inner_name(),
        };
        if let Some(name) = name.filter(|name| acts && !fluents.iter().any(|(known, _)| known == name)) {
            fluents.push((name, mode.signature().renamed(ec::HOLDS)));
        }
    }
    fluents
}

fn span(manifest: &Arc<Source>, range: std::ops::Range<usize>) -> Span {
    Span { source: Some(manifest.clone()), start: range.start as u32, end: range.end as u32 }
}

fn manifest_problem(manifest: &Arc<Source>, error: &toml::de::Error) -> Diagnostic {
    Diagnostic::new(&span(manifest, error.span().unwrap_or(0..0)), error.message().trim().to_string())
        .hint("keys are name, description, modes, background, [calculus] tracked, [stream] path, interleaved and rate, [fluents], [learn], [preset] and [replay]")
}

/// The settings of tables, each followed by what it has for a target.
fn texts<'a>(tables: impl IntoIterator<Item = &'a toml::Table>, target: Option<&str>) -> Vec<(String, String)> {
    let of_target = |table: &'a toml::Table| target.and_then(|target| table.get(target)?.as_table());
    let tables = tables.into_iter().flat_map(|table| [Some(table), of_target(table)]).flatten();
    let settings = tables.flat_map(|table| table.iter().filter(|(_, value)| !value.is_table()));
    settings.map(|(name, value)| (name.clone(), as_text(value))).collect()
}

/// A value as settings are written.
pub fn as_text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(truth) => truth.to_string(),
        _ => String::new(),
    }
}

/// What is wrong with the settings of learning.
fn learning_problems(manifest: &Arc<Source>, (general, presets): &(toml::Table, toml::Table)) -> Vec<Diagnostic> {
    let whole = span(manifest, 0..manifest.text.len());
    let mut problems = Vec::new();
    for name in presets.keys().filter(|name| !PRESETS.contains(&name.as_str())) {
        let problem = Diagnostic::new(&whole.find_word(name), format!("there is no preset `{name}`"));
        problems.push(problem.hint(format!("presets are {}", PRESETS.join(", "))));
    }
    let mut tables: Vec<&toml::Table> = vec![general];
    tables.extend(presets.values().filter_map(toml::Value::as_table));
    while let Some(table) = tables.pop() {
        for (name, value) in table {
            match value.as_table() {
                Some(inner) => tables.push(inner),
                None => {
                    if let Err(problem) = Settings::default().set(name, &as_text(value)) {
                        problems.push(Diagnostic::new(&whole.find_word(name), problem));
                    }
                }
            }
        }
    }
    problems
}

/// What is wrong with the settings of learning by replay.
fn replay_problems(manifest: &Arc<Source>, table: &toml::Table) -> Vec<Diagnostic> {
    let whole = span(manifest, 0..manifest.text.len());
    let problem = |(name, value): (&String, &toml::Value)| {
        let place = whole.find_word(name);
        if value.is_table() {
            let text = format!("settings of the learner `replay` are for all targets, not for `{name}` alone");
            return Some(Diagnostic::new(&place, text).hint("write them into `[replay]` itself"));
        }
        let problem = ReplaySettings::default().set(name, &as_text(value)).err()?;
        Some(Diagnostic::new(&place, problem))
    };
    table.iter().filter_map(problem).collect()
}
