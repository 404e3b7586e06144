//! `oled crossval`, `oled compare` and `oled experiment`: learners judged by folds and orders, and a report of it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use oled::lang::printable;
use oled_data::world::WorldOptions;
use oled_data::{Protocol, printable_json};
use oled_experiment::{
    Choice, DataOptions, Error, Experiment, LEARNERS, Part, Results, Row, RowWeights, Score, Store, check_setting,
    costs, demo, find, load_data, noise, paper, read_config, title,
};
use serde_json::json;

use crate::Outcome;
use crate::args::{InputArgs, WeightsArgs, parse_share};
use crate::input::{load_task, load_theory, warn};
use crate::learn::{for_another, learner_names, preset_names};
use crate::output::write_file;
use crate::progress::{Labels, bar, say, say_skipped};
use crate::recognise::interruption;

/// What all experiments have in common.
#[derive(Debug, Args)]
#[command(next_help_heading = "How it is run")]
pub(crate) struct RunArgs {
    /// Where reports go: `report.html`, `report.md`, `results.json`, `results.csv`; and `folds.jsonl`, which keeps what is
    /// finished, so that a run that was stopped goes on with what is missing.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Only these data sets, by their names; several with several `--only-data`. Scaling is left out then.
    #[arg(long, value_name = "NAME")]
    pub(crate) only_data: Vec<String>,

    /// Only these rows, by their names; several with several `--only-row`.
    #[arg(long, value_name = "NAME")]
    pub(crate) only_row: Vec<String>,

    /// Orders of the segments: the one in which they come, and random ones.
    #[arg(long, value_name = "N")]
    pub(crate) orders: Option<u64>,

    /// The share of an interval that must be recognised for it to count as found.
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub(crate) share: Option<f64>,

    /// Folds that run at the same time; results do not depend on it.
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) threads: usize,

    /// Leave out how long things took: two runs then give the same bytes.
    #[arg(long)]
    pub(crate) no_times: bool,

    /// Print all results as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CrossvalArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// The folds of CAVIAR: a fold file of the directory.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["folds", "hold_out", "groups"], help_heading = "CAVIAR")]
    pub(crate) protocol: Option<Protocol>,

    /// The number of folds to make of the segments, or a file with a line `segment,fold` each.
    #[arg(long, value_name = "N|FILE", default_value = "10")]
    pub(crate) folds: String,

    /// Instead of folds: test on about this share of the stream, and learn from the rest.
    #[arg(long, value_name = "SHARE", value_parser = parse_share, conflicts_with = "folds")]
    pub(crate) hold_out: Option<f64>,

    /// Segments that must stay in one fold: a file with a line `segment,group` each.
    #[arg(long, value_name = "FILE")]
    pub(crate) groups: Option<PathBuf>,

    /// For folds that are made: another seed, other folds.
    #[arg(long, default_value_t = 0)]
    pub(crate) seed: u64,

    /// The learner.
    #[arg(long, value_name = "NAME", default_value = LEARNERS[0].name, value_parser = learner_names())]
    pub(crate) learner: String,

    /// With `oled`: settings to start from; without it those of `default`.
    #[arg(long, value_name = "NAME", value_parser = preset_names())]
    pub(crate) preset: Option<String>,

    /// Test these rules instead of learning any: a file, or the name of a theory that comes with the task.
    #[arg(long, short, value_name = "FILE", conflicts_with_all = ["learner", "preset", "set"])]
    pub(crate) theory: Option<PathBuf>,

    /// Any setting, as `name=value`; the chapter on settings lists them.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub(crate) set: Vec<(String, String)>,

    #[command(flatten)]
    pub(crate) weights: WeightsArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct CompareArgs {
    /// The experiment: data sets and rows, as the chapter on evaluation describes.
    pub(crate) config: PathBuf,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExperimentCommand {
    /// The evaluation of the paper, on CAVIAR, beside the published figures.
    Paper {
        /// The CAVIAR data folder.
        #[arg(long, value_name = "DIR")]
        data: PathBuf,

        #[command(flatten)]
        run: RunArgs,
    },
    /// The same kind of evaluation on the simulated world, where the true rules are known: within a minute.
    Demo {
        #[command(flatten)]
        run: RunArgs,
    },
    /// Rules by hand and learned ones, on clean and on noisy data.
    Noise {
        /// The CAVIAR data folder; without it only the simulated world is taken.
        #[arg(long, value_name = "DIR")]
        data: Option<PathBuf>,

        #[command(flatten)]
        run: RunArgs,
    },
}

pub(crate) fn crossval(args: &CrossvalArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let threads = if args.input.workers > 1 { args.input.workers } else { args.run.threads };
    let experiment = crossval_of(args, quiet)?;
    finish(&experiment, &open_store(&args.run)?, threads, &args.run, quiet)
}

/// The experiment that a command is about.
pub(crate) fn crossval_of(args: &CrossvalArgs, quiet: bool) -> anyhow::Result<Experiment> {
    let folder = load_task(&args.task)?;
    let given = args.theory.as_ref().map(|path| load_theory(&folder, path)).transpose()?;
    warn(&folder, &given.unwrap_or_default(), quiet);
    let mut of_errors = args.weights.costs.costs();
    if let (Some(_), None, Some((name, _))) = (&args.theory, args.weights.weights, args.weights.costs.named().next()) {
        let option = name.replace('_', "-");
        bail!("`--{option}` changes nothing about rules that are given\nhint: leave it out, or add `--weights`");
    }
    let row = match &args.theory {
        Some(theory) => Row::given(&theory.display().to_string(), folder.theory(theory)?),
        None => {
            let choice = |(name, value): &(String, String)| Choice {
                data: None,
                fluent: None,
                name: name.clone(),
                value: value.clone(),
            };
            let set = settings(args)?;
            let options = set.iter().map(choice).collect();
            let preset = args.preset.as_deref();
            if let Some(of_learner) = costs(&folder, &args.learner, preset, &|_| set.clone())? {
                of_errors = of_learner;
            }
            Row::learned(&title(&args.learner, preset), &args.learner, preset, options)?
        }
    };
    let row = match args.weights.weights {
        Some(method) => row.with_weights(RowWeights { costs: of_errors, method: method.into(), or_rules: true }),
        None => row,
    };
    let count = args.folds.parse::<usize>().ok();
    let options = DataOptions {
        name: None,
        input: args.input.input.first().cloned(),
        protocol: args.protocol,
        fold_file: count.is_none().then(|| PathBuf::from(&args.folds)),
        folds: count,
        hold_out: args.hold_out,
        seed: args.seed,
        groups: args.groups.clone(),
        read: args.input.read_options(&folder),
    };
    let data = Arc::new(load_data(&folder, options)?);
    let name = format!("crossval {}", folder.name);
    let experiment = Experiment {
        description: format!("{}: {}", data.name, data.description),
        name,
        parts: vec![Part { task: Arc::new(folder), data, rows: vec![row] }],
        orders: 10,
        share: 0.5,
        stories: args.run.out.is_some(),
        times: true,
        scaling: None,
        published: Vec::new(),
        notes: Vec::new(),
    };
    prepared(experiment, &args.run, quiet)
}

/// What the command line sets about the learner, by name: what errors cost first, where it can be set.
fn settings(args: &CrossvalArgs) -> anyhow::Result<Vec<(String, String)>> {
    let spec = find(&args.learner)?;
    let mut all = Vec::new();
    for (name, value) in args.weights.costs.named() {
        if spec.has_setting(name) {
            all.push((name.to_string(), value));
        } else if args.weights.weights.is_none() {
            bail!(for_another(&name.replace('_', "-"), spec, |other| other.has_setting(name)));
        }
    }
    for (name, value) in &args.set {
        check_setting(&args.learner, name, value).map_err(anyhow::Error::msg)?;
        all.push((name.clone(), value.clone()));
    }
    Ok(all)
}

pub(crate) fn compare(args: &CompareArgs, quiet: bool) -> anyhow::Result<Outcome> {
    carry_out(read_config(&args.config)?, &args.run, quiet)
}

pub(crate) fn experiment(command: &ExperimentCommand, quiet: bool) -> anyhow::Result<Outcome> {
    match command {
        ExperimentCommand::Paper { data, run } => {
            carry_out(paper(data, 10).with_context(|| "the paper's experiments need CAVIAR")?, run, quiet)
        }
        ExperimentCommand::Demo { run } => {
            // Enough to see how learners compare, and within a minute of one processor.
            let world = WorldOptions { frames: 300, ..WorldOptions::default() };
            carry_out(demo(world, 2)?, run, quiet)
        }
        ExperimentCommand::Noise { data, run } => {
            let world = WorldOptions { frames: 300, ..WorldOptions::default() };
            carry_out(noise(data.as_deref(), world, 1)?, run, quiet)
        }
    }
}

/// Runs an experiment, prints its table, and writes its reports.
fn carry_out(experiment: Experiment, args: &RunArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let experiment = prepared(experiment, args, quiet)?;
    finish(&experiment, &open_store(args)?, args.threads, args, quiet)
}

/// An experiment as a command asks for it.
fn prepared(mut experiment: Experiment, args: &RunArgs, quiet: bool) -> anyhow::Result<Experiment> {
    experiment.orders = args.orders.unwrap_or(experiment.orders).max(1);
    experiment.share = args.share.unwrap_or(experiment.share);
    experiment.times = !args.no_times;
    choose(&mut experiment, args)?;
    experiment.parts.iter().for_each(|part| say_skipped(&part.data.skipped, Labels::Used, quiet));
    Ok(experiment)
}

/// Where what is finished is kept.
pub(crate) fn open_store(args: &RunArgs) -> anyhow::Result<Store> {
    let Some(folder) = &args.out else { return Ok(Store::in_memory()) };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make `{}`", folder.display()))?;
    Ok(Store::open(&folder.join("folds.jsonl"))?)
}

/// Runs what is missing of an experiment, prints its table, and writes its reports.
pub(crate) fn finish(
    experiment: &Experiment,
    store: &Store,
    threads: usize,
    args: &RunArgs,
    quiet: bool,
) -> anyhow::Result<Outcome> {
    let stop = interruption()?;
    let bar = bar("parts", Some(0), "{bar:30} {pos}/{len}  {eta} left  {msg}", quiet);
    let results = experiment.run(store, threads, &stop, &|progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
        bar.set_message(progress.last.clone());
    });
    bar.finish_and_clear();
    let results = match results {
        Err(Error::Stopped) => {
            let kept = if args.out.is_some() { "; the same command goes on with what is missing" } else { "" };
            say(&format!("stopped{kept}"));
            return Ok(Outcome::Interrupted);
        }
        other => other?,
    };
    if let Some(folder) = &args.out {
        write_reports(&results, folder)?;
    }
    let mut out = std::io::stdout().lock();
    if args.json {
        let object = serde_json::to_string(&json!({"results": results.results}))?;
        writeln!(out, "{}", printable_json(&object))?;
    } else {
        out.write_all(printable(&table(&results.results)).as_bytes())?;
    }
    out.flush()?;
    if let (Some(folder), false) = (&args.out, quiet) {
        say(&format!("the report is in {}", folder.join("report.html").display()));
    }
    let nothing = results.results.iter().all(|score| score.f1 == 0.0);
    Ok(if nothing { Outcome::Nothing } else { Outcome::Done })
}

/// Leaves out the data sets and rows that are not wanted.
fn choose(experiment: &mut Experiment, args: &RunArgs) -> anyhow::Result<()> {
    let names: Vec<&str> = experiment.parts.iter().map(|part| part.data.name.as_str()).collect();
    if let Some(unknown) = args.only_data.iter().find(|name| !names.contains(&name.as_str())) {
        bail!("there is no data set `{unknown}`\nhint: data sets are {}", names.join(", "));
    }
    let mut rows: Vec<&str> = experiment.parts.iter().flat_map(|p| &p.rows).map(|row| row.name.as_str()).collect();
    rows.sort_unstable();
    rows.dedup();
    if let Some(unknown) = args.only_row.iter().find(|name| !rows.contains(&name.as_str())) {
        bail!("there is no row `{unknown}`\nhint: rows are {}", rows.join("; "));
    }
    let wanted = |names: &[String], name: &str| names.is_empty() || names.iter().any(|n| n == name);
    experiment.parts.retain(|part| wanted(&args.only_data, &part.data.name));
    for part in &mut experiment.parts {
        part.rows.retain(|row| wanted(&args.only_row, &row.name));
    }
    experiment.parts.retain(|part| !part.rows.is_empty());
    if !args.only_data.is_empty() || !args.only_row.is_empty() {
        experiment.scaling = None;
    }
    Ok(())
}

/// All forms of the report; each file is replaced as a whole.
pub(crate) fn write_reports(results: &Results, folder: &Path) -> anyhow::Result<()> {
    let files = [
        ("results.json", serde_json::to_string_pretty(results)? + "\n"),
        ("results.csv", oled_experiment::csv(results)),
        ("report.md", oled_experiment::markdown(results)),
        ("report.html", oled_experiment::html(results)),
    ];
    files.iter().try_for_each(|(name, text)| write_file(&folder.join(name), text))
}

/// The table that people read.
fn table(scores: &[Score]) -> String {
    let width = |f: &dyn Fn(&Score) -> usize, least: usize| scores.iter().map(f).max().unwrap_or(0).max(least);
    let data = width(&|s| s.protocol.chars().count(), 4);
    let row = width(&|s| s.row.chars().count(), 3);
    let fluent = width(&|s| s.fluent.chars().count(), 6);
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{:data$}  {:row$}  {:fluent$}  precision  recall     F1  ± over          rules  literals  seconds",
        "data", "row", "fluent"
    );
    for s in scores {
        let seconds = s.seconds.map_or_else(|| "-".to_string(), |seconds| format!("{seconds:.3}"));
        let spread = match (s.f1_spread, s.spread_over) {
            (Some(spread), Some(over)) => format!("± {spread:.3} {}", over.name()),
            _ => String::new(),
        };
        let _ = writeln!(
            text,
            "{:data$}  {:row$}  {:fluent$}      {:.3}   {:.3}  {:.3}  {spread:14}  {:>5}  {:>8}  {seconds:>7}",
            s.protocol,
            s.row,
            s.fluent,
            s.precision,
            s.recall,
            s.f1,
            whole(s.rules),
            whole(s.literals)
        );
    }
    text
}

/// A mean of counts: without decimals where it is whole.
fn whole(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("a setting is written `name=value`")?;
    Ok((name.trim().into(), value.trim().into()))
}
