//! What can be said to `oled learn`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use oled::induce::{PRESET_ALIASES, PRESETS, preset_name};
use oled_data::Protocol;
use oled_experiment::LEARNERS;

use crate::args::{InputArgs, WeightsArgs};
use crate::checkpoint::{CheckpointArgs, LiveArgs};

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in. Without one, tables and
    /// labels make it, as `oled init` does.
    pub(crate) task: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Which parts of CAVIAR are learned from: a fold file of the directory.
    #[arg(long, value_name = "NAME", help_heading = "CAVIAR")]
    pub(crate) protocol: Option<Protocol>,

    /// With a protocol: leave this fold out, to test on it.
    #[arg(long, value_name = "K", requires = "protocol", help_heading = "CAVIAR")]
    pub(crate) train_fold: Option<usize>,

    /// With a protocol: take its parts in a random order, which depends on the seed only.
    #[arg(long, requires = "protocol", help_heading = "CAVIAR")]
    pub(crate) shuffle: bool,

    /// The seed of `--shuffle`. Learning itself makes no random choice: the same stream gives the same rules.
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "CAVIAR")]
    pub(crate) seed: u64,

    /// The learner.
    #[arg(long, value_name = "NAME", default_value = LEARNERS[0].name, value_parser = learner_names())]
    pub(crate) learner: String,

    /// Where the theory goes, instead of standard output.
    #[arg(long, short, alias = "out", value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Print the theory with its evidence as one JSON object.
    #[arg(long, help_heading = "Output")]
    pub(crate) json: bool,

    /// Write a line of JSON for each decision.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) log: Option<PathBuf>,

    /// Print the theory so far after every so many interpretations, to standard error or into the output file; the
    /// signal USR1 asks for the same at any time.
    #[arg(long, value_name = "N", help_heading = "Output")]
    pub(crate) print_every: Option<u64>,

    #[command(flatten)]
    pub(crate) live: LiveArgs,

    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArgs,

    /// Rules to start from. `replay` keeps them if they do better than what it finds by itself; `oled` specialises them
    /// and gives them up like learned ones.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: Option<PathBuf>,

    /// End a search for rules after so many seconds, with the best found so far. What is learned then depends on the machine.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(crate) time: Option<f64>,

    /// Threads to learn with; the result is the same for any number.
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,

    /// How many literals a rule may have at most.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_literals: Option<String>,

    /// How many rules a fluent, or with `oled` a head, may have at most.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_rules: Option<String>,

    /// Leave out time points with more instances to learn from than this, or at which more follows from the background.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_instances: Option<String>,

    /// Leave out time points at which the background takes more steps than this: rows that joins look at, and conditions
    /// that are tested with them.
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub(crate) max_steps: Option<String>,

    #[command(flatten)]
    pub(crate) replay: ReplayArgs,

    #[command(flatten)]
    pub(crate) oled: OledArgs,

    #[command(flatten)]
    pub(crate) weights: WeightsArgs,

    /// Recognise each time point with the rules so far before learning from it, and report how well that went.
    #[arg(long, help_heading = "Output")]
    pub(crate) prequential: bool,

    /// Write a report that can be shown to anyone: the rules, their scores, what they recognise, and how they came about.
    /// The stream is read a second time with the final rules; where it cannot be, as standard input, it is kept in memory.
    #[arg(long, value_name = "FILE", conflicts_with = "checkpoint", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,

    /// Any other setting, as `name=value`; the chapter on settings lists them.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// What can be set about the learner `replay`, for short.
#[derive(Debug, Args)]
#[command(next_help_heading = "The learner `replay`")]
pub(crate) struct ReplayArgs {
    #[arg(long, value_name = "NUMBER|none", help = meaning("replay", "penalty"))]
    pub(crate) penalty: Option<String>,

    #[arg(long, value_name = "N", help = meaning("replay", "runs"))]
    pub(crate) runs: Option<String>,

    #[arg(long, value_name = "N", help = meaning("replay", "window"))]
    pub(crate) window: Option<String>,

    #[arg(long, value_name = "N", help = meaning("replay", "forget"))]
    pub(crate) forget: Option<String>,

    /// With `replay`: do not learn again from parts of the stream in the end, to see which rules are found again.
    #[arg(long)]
    pub(crate) no_refits: bool,
}

/// What can be set about the learner `oled`, for short.
#[derive(Debug, Args)]
#[command(next_help_heading = "The learner `oled`")]
pub(crate) struct OledArgs {
    /// With `oled`: settings to start from; without it those of `default`.
    #[arg(long, value_name = "NAME", value_parser = preset_names())]
    pub(crate) preset: Option<String>,

    #[arg(long, help = meaning("oled", "delta"))]
    pub(crate) delta: Option<String>,

    #[arg(long, help = meaning("oled", "depth"))]
    pub(crate) depth: Option<String>,

    #[arg(long, help = meaning("oled", "prune"))]
    pub(crate) prune: Option<String>,

    #[arg(long, help = meaning("oled", "warmup"))]
    pub(crate) warmup: Option<String>,
}

/// A number of seconds, as an option.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|s: &f64| *s > 0.0 && s.is_finite() && *s < 1e9);
    seconds.ok_or_else(|| "a number of seconds above 0, such as 30 or 0.5".into())
}

/// What a setting of a learner is for, as its table has it.
fn meaning(learner: &str, setting: &str) -> String {
    let spec = LEARNERS.iter().find(|spec| spec.name == learner).expect("options are for learners that there are");
    let row =
        spec.settings.iter().find(|(name, ..)| *name == setting).expect("options are for settings that there are");
    format!("With `{learner}`: {}", row.1)
}

/// The learners there are, for the parser and for help.
pub(crate) fn learner_names() -> PossibleValuesParser {
    PossibleValuesParser::new(LEARNERS.map(|spec| PossibleValue::new(spec.name).help(spec.about)))
}

/// The presets there are; what they were called before is taken too, and not shown.
pub(crate) fn preset_names() -> impl TypedValueParser<Value = String> {
    let before =
        |now: &'static str| PRESET_ALIASES.iter().filter(move |(_, name)| *name == now).map(|(before, _)| *before);
    PossibleValuesParser::new(PRESETS.map(|name| PossibleValue::new(name).aliases(before(name))))
        .map(|name| preset_name(&name).to_string())
}
