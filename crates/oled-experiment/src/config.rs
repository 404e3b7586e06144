//! Config: an experiment as a file: any set of learners, presets and options, over any tasks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use oled::{Diagnostic, Problems, Source, Span, Symbol};
use oled_data::caviar::load_videos;
use oled_data::task_folder::{TaskError, TaskFolder, as_text};
use oled_data::{Protocol, ReadOptions, open};
use rustc_hash::FxBuildHasher;
use serde::Deserialize;

use crate::{Choice, Data, Error, Experiment, Folds, Groups, Part, Row};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    name: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default = "ten")]
    orders: u64,
    #[serde(default = "half")]
    share: f64,
    #[serde(default)]
    stories: bool,
    data: Vec<DataConfig>,
    row: Vec<RowConfig>,
}

fn ten() -> u64 {
    10
}

fn half() -> f64 {
    0.5
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct DataConfig {
    name: Option<String>,
    task: PathBuf,
    input: Option<PathBuf>,
    protocol: Option<String>,
    folds: Option<FoldsConfig>,
    hold_out: Option<f64>,
    #[serde(default)]
    seed: u64,
    groups: Option<PathBuf>,
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
    learner: Option<String>,
    preset: Option<String>,
    theory: Option<PathBuf>,
    #[serde(default)]
    set: toml::Table,
    #[serde(default)]
    only: Vec<OnlyConfig>,
}

/// Settings for one data set, or one fluent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OnlyConfig {
    data: Option<String>,
    fluent: Option<String>,
    set: toml::Table,
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
        return Err(Error::Plan(format!("the task `{}` names no stream\nhint: name one with `--input`", folder.name)));
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
    let frames = open(&input, &options.read)?;
    let name = options.name.unwrap_or_else(|| folder.name.clone());
    Data::of_stream(&name, &folder.description, folder.rate, frames, &folds)
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
    let here = path.parent().unwrap_or(Path::new(""));
    let beside = |path: &Path| {
        let there = here.join(path);
        // A name that is no file may be that of something built in.
        if there.exists() { there } else { path.to_path_buf() }
    };
    let mut parts = Vec::new();
    for data in config.data {
        let folder = Arc::new(TaskFolder::load(&beside(&data.task))?);
        let (fold_file, folds) = match data.folds {
            Some(FoldsConfig::File(path)) => (Some(beside(&path)), None),
            Some(FoldsConfig::Number(number)) => (None, Some(number)),
            None => (None, None),
        };
        let options = DataOptions {
            name: data.name,
            input: data.input.map(|path| beside(&path)),
            protocol: data.protocol.map(|p| p.parse()).transpose().map_err(Error::Plan)?,
            fold_file,
            folds,
            hold_out: data.hold_out,
            seed: data.seed,
            groups: data.groups.map(|path| beside(&path)),
            read: folder.read_options(None, false),
        };
        let rows: Result<Vec<Row>, Error> = config.row.iter().map(|row| make_row(row, &folder, &beside)).collect();
        parts.push(Part { data: Arc::new(load_data(&folder, options)?), rows: rows?, task: folder });
    }
    let usual = path.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    Ok(Experiment {
        name: config.name.unwrap_or(usual),
        description: config.description,
        parts,
        orders: config.orders,
        share: config.share,
        stories: config.stories,
        times: true,
        scaling: None,
        published: Vec::new(),
        notes: Vec::new(),
    })
}

fn make_row(row: &RowConfig, folder: &TaskFolder, beside: &impl Fn(&Path) -> PathBuf) -> Result<Row, Error> {
    if let Some(theory) = &row.theory {
        let source = folder.theory(&beside(theory))?;
        let name = row.name.clone().unwrap_or_else(|| theory.display().to_string());
        return Ok(Row::given(&name, source));
    }
    let learner = row.learner.as_deref().unwrap_or("oled");
    let preset = row.preset.as_deref().unwrap_or("sane");
    let mut options = choices(&row.set, None, None);
    for only in &row.only {
        options.extend(choices(&only.set, only.data.as_deref(), only.fluent.as_deref()));
    }
    let usual = || format!("{learner}, preset {preset}");
    Row::learned(&row.name.clone().unwrap_or_else(usual), learner, preset, options)
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
