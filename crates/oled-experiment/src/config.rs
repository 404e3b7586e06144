//! Config: an experiment as a file: any set of learners, presets and options, over any tasks.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use oled::{Diagnostic, Problems, Source, Span, Symbol};
use oled_data::caviar::load_videos;
use oled_data::task_folder::{TaskError, TaskFolder, as_text};
use oled_data::{Protocol, ReadOptions, open};
use rustc_hash::FxBuildHasher;
use serde::Deserialize;
use toml::Spanned;

use crate::learners::{check_setting, find, title};
use crate::row::name;
use crate::{Choice, Data, Error, Experiment, Folds, Groups, LEARNERS, OTHER_TASKS, Part, Row};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    name: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default = "ten")]
    orders: u64,
    share: Option<Spanned<f64>>,
    #[serde(default)]
    stories: bool,
    data: Vec<DataConfig>,
    row: Vec<RowConfig>,
}

fn ten() -> u64 {
    10
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DataConfig {
    name: Option<String>,
    task: Spanned<PathBuf>,
    input: Option<Spanned<PathBuf>>,
    protocol: Option<Spanned<String>>,
    folds: Option<Spanned<FoldsConfig>>,
    hold_out: Option<Spanned<f64>>,
    #[serde(default)]
    seed: u64,
    groups: Option<Spanned<PathBuf>>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum FoldsConfig {
    Number(usize),
    File(PathBuf),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RowConfig {
    name: Option<String>,
    task: Option<Spanned<PathBuf>>,
    learner: Option<Spanned<String>>,
    preset: Option<Spanned<String>>,
    theory: Option<Spanned<PathBuf>>,
    set: Option<Spanned<toml::Table>>,
    #[serde(default)]
    only: Vec<OnlyConfig>,
}

/// Settings for one data set, or one fluent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnlyConfig {
    data: Option<Spanned<String>>,
    fluent: Option<Spanned<String>>,
    set: Spanned<toml::Table>,
}

/// The file, and its folder: places in it, and paths beside it.
struct Place<'a> {
    source: &'a Arc<Source>,
    folder: &'a Path,
}

impl Place<'_> {
    fn span(&self, range: Range<usize>) -> Span {
        Span { source: Some(self.source.clone()), start: range.start as u32, end: range.end as u32 }
    }

    /// What is wrong there; a hint may follow after a line break.
    fn problem(&self, range: Range<usize>, what: &str) -> Error {
        Error::Rules(Problems::from(problem(&self.span(range), what)))
    }

    /// The same of something that a task says; what is wrong with its texts has its place there.
    fn of_task(&self, range: Range<usize>, error: TaskError) -> Error {
        match error {
            TaskError::Io { .. } => self.problem(range, &error.to_string()),
            TaskError::Problems(problems) => Error::Rules(problems),
        }
    }

    /// A file that must be there.
    fn file(&self, path: &Spanned<PathBuf>) -> Result<PathBuf, Error> {
        self.existing(path.span(), path.get_ref())
    }

    fn existing(&self, range: Range<usize>, path: &Path) -> Result<PathBuf, Error> {
        let there = self.folder.join(path);
        if there.exists() {
            return Ok(there);
        }
        let hint = "hint: paths are relative to the file in which they are written";
        Err(self.problem(range, &format!("there is no `{}`\n{hint}", there.display())))
    }

    /// A file, or the name of something that is built in.
    fn beside(&self, path: &Path) -> PathBuf {
        let there = self.folder.join(path);
        if there.exists() || path.components().count() > 1 { there } else { path.to_path_buf() }
    }
}

fn problem(span: &Span, text: &str) -> Diagnostic {
    match text.split_once("\nhint: ") {
        Some((what, hint)) => Diagnostic::new(span, what).hint(hint),
        // `unknown preset x: presets are …`
        None => match text.split_once(": ") {
            Some((what, hint)) => Diagnostic::new(span, what).hint(hint),
            None => Diagnostic::new(span, text),
        },
    }
}

/// How a stream becomes a data set with folds.
#[derive(Clone, Debug, Default)]
pub struct DataOptions {
    /// The name; by default the protocol's, or the task's.
    pub name: Option<String>,
    /// The stream; by default the one that the task names.
    pub input: Option<PathBuf>,
    /// The protocol of CAVIAR.
    pub protocol: Option<Protocol>,
    /// A fold file.
    pub fold_file: Option<PathBuf>,
    /// The number of folds to make.
    pub folds: Option<usize>,
    /// The share to hold out, instead of folds.
    pub hold_out: Option<f64>,
    /// For folds that are made.
    pub seed: u64,
    /// A file that says which segments stay together.
    pub groups: Option<PathBuf>,
    /// How the stream is read.
    pub read: ReadOptions,
}

/// Reads a data set.
pub fn load_data(folder: &TaskFolder, options: DataOptions) -> Result<Data, Error> {
    let Some(input) = options.input.or_else(|| folder.stream.clone()) else {
        return Err(Error::Plan(format!(
            "the task `{}` names no stream\nhint: name one with the option `input`",
            folder.name
        )));
    };
    if let Some(protocol) = options.protocol {
        let data = Data::caviar(&input, &load_videos(&input)?, protocol)?;
        return Ok(match options.name {
            Some(name) => Data { name, ..data },
            None => data,
        });
    }
    let groups = match &options.groups {
        Some(path) => pairs(path, "segment,group")?.into_iter().map(|(_, s, g)| (s, Symbol::new(&g))).collect(),
        None => Groups::default(),
    };
    let folds = match (&options.fold_file, options.hold_out) {
        (Some(path), _) => {
            let mut table: IndexMap<Symbol, usize, FxBuildHasher> = IndexMap::default();
            for (line, segment, fold) in pairs(path, "segment,fold")? {
                let problem = |what: String| Error::Folds(format!("{}:{line}: {what}", path.display()));
                let Ok(fold) = fold.parse() else {
                    return Err(problem(format!("`{fold}` is no fold\nhint: folds are numbers from 0 on")));
                };
                if table.insert(segment, fold).is_some_and(|before| before != fold) {
                    let name = segment.as_str();
                    return Err(problem(format!("`{name}` is in two folds\nhint: a segment is tested in one fold")));
                }
            }
            Folds::Table(table)
        }
        (None, Some(share)) => Folds::HoldOut { share, seed: options.seed, groups },
        (None, None) => Folds::Made { folds: options.folds.unwrap_or(10), seed: options.seed, groups },
    };
    let mut frames = open(&input, &options.read)?;
    let name = options.name.unwrap_or_else(|| folder.name.clone());
    let mut data = Data::of_stream(&name, &folder.description, folder.rate, frames.by_ref(), &folds)?;
    data.skipped = frames.skipped().clone();
    Ok(data)
}

/// The lines of a table with two columns, without its header, each with its number.
fn pairs(path: &Path, header: &str) -> Result<Vec<(usize, Symbol, String)>, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let hint = format!("a table with the header `{header}`");
        TaskError::Io { path: path.to_path_buf(), error, hint }
    })?;
    let problem = |line: usize, what: &str| {
        Error::Folds(format!(
            "{}:{line}: {what}\nhint: the first line is `{header}`, each other line a segment",
            path.display()
        ))
    };
    let mut lines = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim())).filter(|(_, l)| !l.is_empty());
    if lines.next().is_none_or(|(_, line)| line != header) {
        return Err(problem(1, "the header is missing"));
    }
    lines
        .map(|(number, line)| match line.rsplit_once(',') {
            Some((segment, value)) => Ok((number, Symbol::new(segment.trim()), value.trim().to_string())),
            None => Err(problem(number, "there is no comma")),
        })
        .collect()
}

fn check_share(share: &Spanned<f64>, place: &Place) -> Result<(), Error> {
    let good = *share.get_ref() > 0.0 && *share.get_ref() <= 1.0;
    if good {
        Ok(())
    } else {
        Err(place.problem(share.span(), "this is no share\nhint: a share is a number above 0, at most 1"))
    }
}

/// The experiment that a file describes. Paths in it are relative to it.
pub fn read_config(path: &Path) -> Result<Experiment, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        let hint = "it describes an experiment; the chapter on evaluation shows one".into();
        TaskError::Io { path: path.to_path_buf(), error, hint }
    })?;
    let source = Source::new(path.display().to_string(), text);
    let config: Config = toml::from_str(&source.text).map_err(|error| {
        let range = error.span().unwrap_or(0..0);
        let span = Span { source: Some(source.clone()), start: range.start as u32, end: range.end as u32 };
        let problem = Diagnostic::new(&span, error.message().trim().to_string());
        Problems::from(problem.hint("keys are name, description, orders, share, stories, [[data]] and [[row]]"))
    })?;
    let place = Place { source: &source, folder: path.parent().unwrap_or(Path::new("")) };
    if let Some(share) = &config.share {
        check_share(share, &place)?;
    }
    let mut parts = Vec::new();
    for data in config.data {
        let task = &data.task;
        let folder = TaskFolder::load(&place.beside(task.get_ref())).map_err(|e| place.of_task(task.span(), e))?;
        let (fold_file, folds) = match data.folds.as_ref().map(|folds| (folds.span(), folds.get_ref())) {
            Some((range, FoldsConfig::File(path))) => (Some(place.existing(range, path)?), None),
            Some((_, FoldsConfig::Number(number))) => (None, Some(*number)),
            None => (None, None),
        };
        if let Some(share) = &data.hold_out {
            if data.folds.is_some() || data.protocol.is_some() {
                let what = "a share is held out instead of folds\nhint: name one of `hold_out`, `folds` and `protocol`";
                return Err(place.problem(share.span(), what));
            }
            check_share(share, &place)?;
        }
        let protocol = |p: &Spanned<String>| p.get_ref().parse().map_err(|e: String| place.problem(p.span(), &e));
        let options = DataOptions {
            name: data.name,
            input: data.input.as_ref().map(|path| place.file(path)).transpose()?,
            protocol: data.protocol.as_ref().map(protocol).transpose()?,
            fold_file,
            folds,
            hold_out: data.hold_out.map(Spanned::into_inner),
            seed: data.seed,
            groups: data.groups.as_ref().map(|path| place.file(path)).transpose()?,
            read: folder.read_options(None, false),
        };
        let rows: Result<Vec<Row>, Error> = config.row.iter().map(|row| make_row(row, &folder, &place)).collect();
        parts.push(Part { rows: rows?, data: Arc::new(load_data(&folder, options)?), task: Arc::new(folder) });
    }
    check_names(&config.row, &parts, &place)?;
    let usual = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Experiment {
        name: config.name.unwrap_or(usual),
        description: config.description,
        parts,
        orders: config.orders,
        share: config.share.map_or(0.5, Spanned::into_inner),
        stories: config.stories,
        times: true,
        scaling: None,
        published: Vec::new(),
        notes: config.row.iter().find(|row| row.task.is_some()).map(|_| OTHER_TASKS.into()).into_iter().collect(),
    })
}

/// Whether each data set and row is told from the others, and what is said of one is said of one that exists.
fn check_names(rows: &[RowConfig], parts: &[Part], place: &Place) -> Result<(), Error> {
    let data: Vec<&str> = parts.iter().map(|part| part.data.name.as_str()).collect();
    let fluents: Vec<String> =
        parts.iter().flat_map(|p| p.task.task.labels()).map(|label| name(label).as_str().to_string()).collect();
    let fluents: Vec<&str> = fluents.iter().map(String::as_str).collect();
    for only in rows.iter().flat_map(|row| &row.only) {
        for (said, known, what) in [(&only.data, &data, "data set"), (&only.fluent, &fluents, "fluent")] {
            if let Some(said) = said.as_ref().filter(|said| !known.contains(&said.get_ref().as_str())) {
                let mut known = known.clone();
                known.dedup();
                let text = format!("there is no {what} `{}`\nhint: there is {}", said.get_ref(), known.join(", "));
                return Err(place.problem(said.span(), &text));
            }
        }
    }
    let rows: Vec<&str> = parts.iter().take(1).flat_map(|part| &part.rows).map(|row| row.name.as_str()).collect();
    for (names, what) in [(&data, "data sets"), (&rows, "rows")] {
        if let Some(twice) = (1..names.len()).find(|&i| names[..i].contains(&names[i])) {
            return Err(Error::Plan(format!(
                "{}: two {what} are called `{}`\nhint: give one of them another `name`",
                place.source.name, names[twice]
            )));
        }
    }
    Ok(())
}

fn make_row(row: &RowConfig, folder: &TaskFolder, place: &Place) -> Result<Row, Error> {
    let Some(task) = &row.task else { return row_of_task(row, folder, place) };
    let own = TaskFolder::load(&place.beside(task.get_ref())).map_err(|e| place.of_task(task.span(), e))?;
    Ok(row_of_task(row, &own, place)?.with_task(Arc::new(own)))
}

fn row_of_task(row: &RowConfig, folder: &TaskFolder, place: &Place) -> Result<Row, Error> {
    if let Some(theory) = &row.theory {
        if row.learner.is_some() || row.preset.is_some() || row.set.is_some() || !row.only.is_empty() {
            let text =
                "a theory is given, so nothing is learned\nhint: a row has a theory, or learner, preset and settings";
            return Err(place.problem(theory.span(), text));
        }
        let path = theory.get_ref();
        let source = folder.theory(&place.beside(path)).map_err(|e| place.of_task(theory.span(), e))?;
        let name = row.name.clone().unwrap_or_else(|| path.display().to_string());
        return Ok(Row::given(&name, source));
    }
    let learner = row.learner.as_ref().map_or(LEARNERS[0].name, |l| l.get_ref());
    let preset = row.preset.as_ref().map(|p| p.get_ref().as_str());
    let wrong = if find(learner).is_ok() { &row.preset } else { &row.learner };
    let wrong = wrong.as_ref().map_or(0..0, Spanned::span);
    crate::learners::check(learner, preset).map_err(|error| place.problem(wrong, &error.to_string()))?;
    let mut options = Vec::new();
    let mut add = |table: &Spanned<toml::Table>, data: Option<&str>, fluent: Option<&str>| {
        for choice in choices(table.get_ref(), data, fluent) {
            let tried = check_setting(learner, &choice.name, &choice.value);
            let span = place.span(table.span()).find_word(&choice.name);
            tried.map_err(|text| Error::Rules(Problems::from(problem(&span, &text))))?;
            options.push(choice);
        }
        Ok::<(), Error>(())
    };
    row.set.iter().try_for_each(|set| add(set, None, None))?;
    row.only.iter().try_for_each(|only| {
        let text = |name: &'_ Option<Spanned<String>>| name.as_ref().map(|n| n.get_ref().clone());
        add(&only.set, text(&only.data).as_deref(), text(&only.fluent).as_deref())
    })?;
    let named = row.name.clone().unwrap_or_else(|| title(learner, preset));
    Row::learned(&named, learner, preset, options).map_err(|error| {
        // All that is left to be wrong is a setting for one fluent.
        let range = row.only.iter().find_map(|only| Some(only.fluent.as_ref()?.span()));
        place.problem(range.unwrap_or(0..0), &error.to_string())
    })
}

fn choices(table: &toml::Table, data: Option<&str>, fluent: Option<&str>) -> Vec<Choice> {
    let choice = |(name, value): (&String, &toml::Value)| Choice {
        data: data.map(String::from),
        fluent: fluent.map(String::from),
        name: name.clone(),
        value: as_text(value),
    };
    table.iter().map(choice).collect()
}
