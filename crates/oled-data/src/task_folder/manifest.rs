//! `task.toml`: what it may say, and what is wrong with what it says.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use oled::lang::{Clock, Unit, did_you_mean, ec, read_offset};
use oled::{Bias, DefinitionKind, Diagnostic, Every, Signature, Source, Span, Symbol, Task, Term, Theory, Value};
use serde::Deserialize;
use toml::Spanned;

use super::settings::as_text;
use crate::grid::Grid;
use crate::table::{Cut, LabelsText, TableText, Tables};
use crate::times::Times;
use crate::zones;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) description: String,
    pub(super) modes: Option<PathBuf>,
    pub(super) background: Option<PathBuf>,
    pub(super) reasoner: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) calculus: Calculus,
    #[serde(default)]
    pub(super) stream: Stream,
    /// How rules define fluents, by their names: `persists` or `while`.
    #[serde(default)]
    pub(super) fluents: BTreeMap<String, Spanned<toml::Value>>,
    /// Settings of learning, for all presets; tables in it are for a target.
    #[serde(default)]
    pub(super) learn: toml::Table,
    /// Settings of learning for one preset, by its name; tables in them are for a target.
    #[serde(default)]
    pub(super) preset: toml::Table,
    /// Settings of learning by replay.
    #[serde(default)]
    pub(super) replay: toml::Table,
    /// What the columns of tables are.
    #[serde(default)]
    pub(super) table: Vec<TableText>,
    /// What those of a table of labels are.
    #[serde(default)]
    pub(super) labels: LabelsText,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Calculus {
    pub(super) tracked: Option<Vec<Spanned<String>>>,
    pub(super) both: Option<Spanned<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stream {
    pub(super) path: Option<PathBuf>,
    #[serde(default)]
    pub(super) interleaved: bool,
    pub(super) tick: Option<Spanned<i64>>,
    pub(super) idle: Option<Spanned<i64>>,
    pub(super) epoch: Option<Spanned<String>>,
    pub(super) zone: Option<Spanned<String>>,
    pub(super) rate: Option<f64>,
    /// How times are written: `integer`, `seconds` or `iso`.
    pub(super) time: Option<Spanned<String>>,
    /// A longer time without a row begins another segment: `1h`.
    pub(super) gap: Option<Spanned<toml::Value>>,
    /// How long segments are: `day`, `1h`.
    pub(super) cut: Option<Spanned<toml::Value>>,
    /// The grid that times are put on: `1m`.
    pub(super) grid: Option<Spanned<toml::Value>>,
    /// How long numbers are repeated that are not reported: `10m`, or true.
    pub(super) fill: Option<Spanned<toml::Value>>,
    /// Whether inputs are in the order of time, or of their segments.
    pub(super) sorted: Option<bool>,
}

/// When there are time points although nothing arrives.
pub(super) fn read_ticks(manifest: &Arc<Source>, stream: &Stream) -> Result<Option<Every>, Diagnostic> {
    let positive = |name: &str, every: &Option<Spanned<i64>>| match every {
        Some(units) if *units.get_ref() < 1 => {
            let message = format!("`{name}` is a number of time units, at least 1, not {}", units.get_ref());
            let hint = "leave it out if there are no time points but those of the stream";
            Err(Diagnostic::new(&span(manifest, units.span()), message).hint(hint))
        }
        units => Ok(units.as_ref().map(|units| *units.get_ref())),
    };
    match (positive("tick", &stream.tick)?, positive("idle", &stream.idle)?) {
        (Some(_), Some(_)) => {
            let place = stream.idle.as_ref().map_or(0..0, Spanned::span);
            let message = "`tick` and `idle` both say when there is a time point although nothing arrives";
            let hint = "keep `tick` for time points that are evenly spaced, `idle` for those so long after a frame";
            Err(Diagnostic::new(&span(manifest, place), message).hint(hint))
        }
        (Some(tick), None) => Ok(Some(Every::Tick(tick))),
        (None, idle) => Ok(idle.map(Every::Idle)),
    }
}

/// What times mean.
pub(super) fn read_clock(manifest: &Arc<Source>, stream: &Stream) -> Result<Clock, Diagnostic> {
    let unit: Unit = match &stream.epoch {
        Some(unit) => unit.get_ref().parse().map_err(|problem: String| {
            Diagnostic::new(&span(manifest, unit.span()), problem).hint("they are counted since 1970 began, in UTC")
        })?,
        None => Unit::default(),
    };
    let Some(zone) = &stream.zone else { return Ok(Clock::new(unit, 0)) };
    if let Some(ahead) = read_offset(zone.get_ref()) {
        return Ok(Clock::new(unit, ahead));
    }
    let found = zones::find(zone.get_ref()).map_err(|hint| {
        let message = format!("no time zone is called `{}`", zone.get_ref());
        Diagnostic::new(&span(manifest, zone.span()), message).hint(hint)
    })?;
    Ok(Clock::in_zone(unit, found))
}

/// Only types of the stream can be tracked.
pub(super) fn tracked_problem(task: &Task, manifest: &Arc<Source>, name: &Spanned<String>) -> Option<Diagnostic> {
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
pub(super) fn read_kinds(
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

/// What the task says of tables, and everything that is wrong with it.
pub(super) fn read_tables(source: &Arc<Source>, manifest: &Manifest, task: &Task) -> (Tables, Vec<Diagnostic>) {
    let stream = &manifest.stream;
    let clock = task.bias.clock;
    let mut problems = Vec::new();
    let times = match stream.time.as_ref().map(|form| (form.get_ref().as_str(), form)) {
        None | Some(("integer", _)) => Times::integer(clock),
        Some(("seconds", _)) => Times::seconds(clock),
        Some(("iso", _)) => Times::iso(clock, stream.zone.is_some()),
        Some((other, form)) => {
            let message = format!("times are not written as `{other}`");
            let hint = "they are \"integer\", whole numbers, which is the default, \"seconds\", with a decimal point, or \"iso\", dates of ISO 8601";
            problems.push(Diagnostic::new(&span(source, form.span()), message).hint(hint));
            Times::integer(clock)
        }
    };
    let cut = match (&stream.gap, &stream.cut) {
        (Some(gap), None) => match times.duration(&as_text(gap.get_ref())).filter(|units| *units > 0) {
            Some(units) => Some(Cut::Gap(units)),
            None => {
                let message = format!("`{}` is no time that may pass within a segment", as_text(gap.get_ref()));
                let hint = "write `gap = \"1h\"`, with s, m, h or d, or a number of time units";
                problems.push(Diagnostic::new(&span(source, gap.span()), message).hint(hint));
                None
            }
        },
        (None, Some(cut)) => {
            let text = as_text(cut.get_ref());
            let text = if text == "day" { "1d" } else { &text };
            match times.duration(text).filter(|units| *units > 0) {
                Some(units) => Some(Cut::Every(units)),
                None => {
                    let message = format!("segments are not cut by `{text}`");
                    let hint = "write `cut = \"day\"` or `cut = \"1h\"`; where rows are missing, `gap = \"1h\"` cuts";
                    problems.push(Diagnostic::new(&span(source, cut.span()), message).hint(hint));
                    None
                }
            }
        }
        (Some(gap), Some(_)) => {
            let message = "`gap` and `cut` both say where segments end";
            problems.push(Diagnostic::new(&span(source, gap.span()), message).hint("keep one of them"));
            None
        }
        (None, None) => None,
    };
    let mut units_of = |name: &str, text: &Option<Spanned<toml::Value>>, hint: &str| {
        let text = text.as_ref()?;
        let units = match text.get_ref() {
            toml::Value::Boolean(whether) if name == "fill" => return whether.then_some(i64::MAX),
            value => times.duration(&as_text(value)).filter(|units| *units > 0),
        };
        if units.is_none() {
            let message = format!("`{name}` is not `{}`", as_text(text.get_ref()));
            problems.push(Diagnostic::new(&span(source, text.span()), message).hint(hint));
        }
        units
    };
    let grid = Grid {
        cell: units_of(
            "grid",
            &stream.grid,
            "it is how far times are apart: `grid = \"1m\"`, with s, m, h or d, or a number of time units",
        ),
        fill: units_of(
            "fill",
            &stream.fill,
            "it is how old a number or a state may be that is repeated: `fill = \"10m\"`, or `fill = true` without limit",
        ),
    };
    let delay = units_of(
        "delay",
        &manifest.labels.delay,
        "it is how long frames wait for their labels: `delay = \"2d\"`, with s, m, h or d, or a number of time units",
    );
    let inputs: Vec<Signature> = task.bias.inputs.iter().map(oled::Mode::signature).collect();
    let labels = task.labels();
    let mut tables = Vec::new();
    for text in &manifest.table {
        let (table, more) = text.read(source, [&inputs, &labels]);
        tables.push(table);
        problems.extend(more);
    }
    let LabelsText { segment: labels_segment, arguments: labels_arguments, .. } = manifest.labels.clone();
    let states = task.bias.states();
    (Tables { declared: tables, times, cut, grid, states, delay, labels_segment, labels_arguments }, problems)
}

pub(super) fn span(manifest: &Arc<Source>, range: std::ops::Range<usize>) -> Span {
    Span { source: Some(manifest.clone()), start: range.start as u32, end: range.end as u32 }
}

pub(super) fn manifest_problem(manifest: &Arc<Source>, error: &toml::de::Error) -> Diagnostic {
    Diagnostic::new(&span(manifest, error.span().unwrap_or(0..0)), error.message().trim().to_string())
        .hint("keys are name, description, modes, background, [calculus] tracked and both, [stream] path, interleaved, tick, idle, time, epoch, zone, gap, cut, grid, fill, sorted and rate, [[table]], [labels], [fluents], [learn], [preset] and [replay]")
}
