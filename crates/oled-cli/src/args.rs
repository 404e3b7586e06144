//! The command line, described once: parser, help and completions come from here.

use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use oled::logic::MAX_STEPS;
use oled::weights::Costs;
use oled_data::task_folder::TaskFolder;
use oled_data::{Format, Protocol, ReadOptions};

use crate::examples;

/// Learns and recognises complex events in streams of simple ones, by rules that begin and end them.
///
/// Results go to standard output, progress and messages to standard error. Exit codes: 0 success, 1 nothing was learned or
/// recognised, 2 an error, 130 interrupted.
#[derive(Debug, Parser)]
#[command(name = "oled", version, max_term_width = 100, propagate_version = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// No progress bar and no remarks on standard error; errors are still reported.
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,

    /// In the end, report on standard error how much memory was used at most, and how many names there are.
    #[arg(long, global = true)]
    pub(crate) stats: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Learn what complex events in a simulated lobby are, recognise them in another, and compare with what is true.
    #[command(after_help = examples::DEMO)]
    Demo(DemoArgs),
    /// Write a task for one's own tables and their labels: types, conditions, segments.
    #[command(after_help = examples::INIT)]
    Init(crate::init::InitArgs),
    /// Learn rules from a labelled stream, in one pass, and print them with their evidence.
    #[command(after_help = examples::LEARN)]
    Learn(Box<crate::learn::LearnArgs>),
    /// Learn from a labelled stream how much each rule of a theory counts, and print the theory with weights.
    #[command(after_help = examples::WEIGH)]
    Weigh(crate::weigh::WeighArgs),
    /// Run a theory on a stream and print the intervals of complex events.
    #[command(visible_alias = "recognize", after_help = examples::RECOGNISE)]
    Recognise(Box<crate::recognise::RecogniseArgs>),
    /// Compare what a theory recognises with the labels of a stream.
    #[command(after_help = examples::EVALUATE)]
    Evaluate(EvaluateArgs),
    /// Learn from most of a stream and test on the rest, fold by fold, in several orders.
    #[command(after_help = examples::CROSSVAL)]
    Crossval(Box<crate::experiment::CrossvalArgs>),
    /// One of several processes, on one machine or on many, that recognise, learn or test together; all are started with the
    /// same options but `--process`.
    // Help is the same with the feature and without: the page on clusters tells of it.
    #[cfg(feature = "cluster")]
    #[command(subcommand, hide = true, after_help = examples::CLUSTER)]
    Cluster(Box<crate::cluster::ClusterCommand>),
    /// Compare learners, presets and options over tasks, as a file says.
    #[command(after_help = examples::COMPARE)]
    Compare(crate::experiment::CompareArgs),
    /// Run a whole evaluation, and write a report that can be shown to anyone.
    #[command(subcommand, after_help = examples::EXPERIMENT)]
    Experiment(crate::experiment::ExperimentCommand),
    /// Explain why rules were learned, and why intervals were recognised, missed or false alarms.
    #[command(after_help = examples::EXPLAIN)]
    Explain(Box<crate::explain::ExplainArgs>),
    /// Load a task and its theories, report everything that is wrong, and print what was understood.
    #[command(after_help = examples::CHECK)]
    Check(CheckArgs),
    /// Turn a stream from any format into any other.
    #[command(after_help = examples::CONVERT)]
    Convert(ConvertArgs),
    /// Print a stream of a simulated world.
    #[command(after_help = examples::SIMULATE)]
    Simulate(SimulateArgs),
    /// Measure what recognition and learning cost, beside parsing the same bytes.
    #[command(after_help = examples::BENCH)]
    Bench(crate::bench::BenchArgs),
    /// Print a completion script for a shell.
    #[command(after_help = examples::COMPLETIONS)]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Where a stream comes from and how it is read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Stream")]
pub(crate) struct InputArgs {
    /// The stream: a file, several that are merged by time, a directory of CAVIAR, or `-` for standard input; by default the
    /// one that the task names.
    #[arg(long, short, value_name = "FILE", num_args = 1..)]
    pub(crate) input: Vec<PathBuf>,

    /// A table of labels apart from the stream, with the columns fluent, its arguments, start and end.
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,

    /// The format of the stream, where the file name does not say.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub(crate) from: Option<Format>,

    /// Leave out what is wrong with the stream and count it, instead of stopping.
    #[arg(long)]
    pub(crate) lenient: bool,

    /// Threads that work side by side: they parse the stream, and recognise, count and learn by segment; of a long one they recognise
    /// and count by entities that no rule joins. What comes out is the same for any number.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) workers: usize,

    /// Stop with an error when there are more distinct names than this: they are never forgotten.
    #[arg(long, value_name = "N", default_value_t = MAX_NAMES)]
    pub(crate) max_names: usize,

    /// Stop with an error at a line of more bytes than this, or a larger file of XML; a gibibyte by default.
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_line: Option<usize>,
}

/// How long a time point may take.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub(crate) struct StepsArgs {
    /// Stop with an error where rules take more steps than this at one time point: rows that joins look at, and conditions
    /// that are tested with them.
    #[arg(long, value_name = "N", default_value_t = MAX_STEPS)]
    pub(crate) max_steps: u64,
}

/// Distinct names of a stream, by default: not quite a gigabyte of them.
pub(crate) const MAX_NAMES: usize = 10_000_000;

/// An error of the command line; where a stream was named without its option, with a tip that says so.
pub(crate) fn explained(mut error: clap::Error) -> clap::Error {
    let unexpected = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) if error.kind() == ErrorKind::UnknownArgument => text.clone(),
        _ => return error,
    };
    let cli = Cli::command();
    let command = std::env::args().skip(1).find_map(|name| cli.find_subcommand(name));
    let takes_input = |command: &clap::Command| command.get_arguments().any(|arg| arg.get_long() == Some("input"));
    if command.is_some_and(takes_input) && !unexpected.starts_with('-') {
        let tip = format!("a stream is named with '--input {unexpected}'");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

impl InputArgs {
    /// How the stream of a task is read.
    pub(crate) fn read_options(&self, folder: &TaskFolder) -> ReadOptions {
        let options = folder.read_options(self.from, self.lenient);
        let with = self.input.iter().skip(1).cloned().collect();
        let labels_from = self.labels.clone();
        let (max_names, max_line, parsers) = (Some(self.max_names), self.max_line, self.workers);
        ReadOptions { max_names, max_line, with, labels_from, parsers, ..options }
    }
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    /// The rules: a file, or the name of a theory that comes with the task.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: PathBuf,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Which parts of CAVIAR are run, each from an empty state: a fold file of the directory.
    #[arg(long, value_name = "NAME", value_parser = parse_protocol, help_heading = "CAVIAR")]
    pub(crate) protocol: Option<Protocol>,

    /// With a protocol: run this fold only.
    #[arg(long, value_name = "K", requires = "protocol", help_heading = "CAVIAR")]
    pub(crate) test_fold: Option<usize>,

    /// Also judge whole intervals: one is found if at least this share of it is recognised, one half by default.
    #[arg(long, value_name = "SHARE", num_args = 0..=1, default_missing_value = "0.5", value_parser = parse_share)]
    pub(crate) intervals: Option<f64>,

    /// Also print the counts of each segment.
    #[arg(long, value_enum)]
    pub(crate) by: Option<By>,

    /// With a theory that has weights: recognise with them, and also print precision and recall at several thresholds of
    /// probability, the area under that curve, and how often what was said to be so probable was so.
    #[arg(long)]
    pub(crate) confidence: bool,

    #[command(flatten)]
    pub(crate) steps: StepsArgs,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum By {
    /// A row per fluent and segment.
    Segment,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    /// Theories to check too, as files or by name; by default all that come with the task.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: Vec<PathBuf>,

    /// Compare what is derived from a stream with what another solver says, time point by time point.
    #[arg(long, value_name = "SOLVER")]
    pub(crate) with: Option<Solver>,

    /// The longest time that the other solver may take for a segment.
    #[arg(long, value_name = "SECONDS", requires = "with")]
    pub(crate) seconds: Option<u64>,

    #[command(flatten)]
    pub(crate) input: InputArgs,
}

/// Who is asked beside the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Solver {
    /// clingo, where the program was built with it.
    Clingo,
}

/// What a stream is turned into.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    /// A stream in another format.
    Stream(Format),
    /// A program for clingo, with the task and a theory.
    Asp,
}

fn parse_target(name: &str) -> Result<Target, String> {
    if name == "asp" { Ok(Target::Asp) } else { parse_format(name).map(Target::Stream) }
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// The stream: a file, a directory of CAVIAR, or `-` for standard input.
    pub(crate) input: PathBuf,

    /// Where it goes: a file, or `-` for standard output. A name in `.gz` is compressed.
    #[arg(default_value = "-")]
    pub(crate) output: PathBuf,

    /// The format of the input, where the file name does not say.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format)]
    pub(crate) from: Option<Format>,

    /// The format of the output, where the file name does not say; `asp` is a program for clingo.
    #[arg(long, value_name = "FORMAT", value_parser = parse_target)]
    pub(crate) to: Option<Target>,

    /// A task whose declarations say what is an event, a fluent or a label, where the format does not.
    #[arg(long, value_name = "TASK")]
    pub(crate) task: Option<PathBuf>,

    /// Rules that go into a program for clingo: a file, or the name of a theory that comes with the task.
    #[arg(long, short, value_name = "FILE", requires = "task")]
    pub(crate) theory: Option<PathBuf>,

    /// Leave out what is wrong with the stream and count it, instead of stopping.
    #[arg(long)]
    pub(crate) lenient: bool,

    /// Stop with an error when there are more distinct names than this: they are never forgotten.
    #[arg(long, value_name = "N", default_value_t = MAX_NAMES)]
    pub(crate) max_names: usize,

    /// Stop with an error at a line of more bytes than this, or a larger file of XML; a gibibyte by default.
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_line: Option<usize>,
}

/// The simulated world.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "World")]
pub(crate) struct WorldArgs {
    /// Another seed gives another world.
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,

    /// People present, on average.
    #[arg(long, default_value_t = 6)]
    pub(crate) people: usize,

    /// Time points in each segment.
    #[arg(long = "length", value_name = "FRAMES", default_value_t = 1000)]
    pub(crate) frames: u64,

    /// Segments.
    #[arg(long, default_value_t = 10)]
    pub(crate) segments: usize,

    /// Noise in events, positions and labels, as a multiple of the world's usual noise: 0 for none.
    #[arg(long, default_value_t = 1.0, value_parser = parse_noise)]
    pub(crate) noise: f64,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// Print the rules of all complex events, not only of the one that was learned best.
    #[arg(long)]
    pub(crate) all: bool,

    /// Where the timeline is drawn.
    #[arg(long, value_name = "FILE", default_value = "demo.svg")]
    pub(crate) svg: PathBuf,
}

/// Which world is simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Which {
    /// People in a lobby who meet, move together, fight, loiter and leave objects.
    Lobby,
    /// People alone at home, with many sensors, whose activities are mostly short and rare.
    Homes,
}

/// What only a lobby has: to ask for it beside days at home is a mistake.
const LOBBY_ONLY: [&str; 6] = ["people", "frames", "segments", "change", "scale", "shift"];

/// How far coordinates may be scaled and moved: the squares of distances within a hall are then still exact as reals.
const MAX_VIEW: i64 = 100_000;

#[derive(Debug, Args)]
pub(crate) struct SimulateArgs {
    /// Which world: `--people`, `--length`, `--segments` and `--change` are about the lobby, `--homes` and `--days` about homes.
    #[arg(long = "world", value_name = "WORLD", value_enum, default_value_t = Which::Lobby)]
    pub(crate) which: Which,

    #[command(flatten)]
    pub(crate) world: WorldArgs,

    /// Homes, with one resident each.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "which", conflicts_with_all = LOBBY_ONLY)]
    pub(crate) homes: usize,

    /// Days at home: a segment each, of 1440 minutes.
    #[arg(long, value_name = "N", default_value_t = 20, requires = "which", conflicts_with_all = LOBBY_ONLY)]
    pub(crate) days: usize,

    /// After so many segments, label by other rules: those of the theory `changed`, no longer those of `true`.
    #[arg(long, value_name = "N")]
    pub(crate) change: Option<usize>,

    /// Multiply every coordinate of the lobby, as a camera with another resolution would.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(i64).range(1..=MAX_VIEW))]
    pub(crate) scale: i64,

    /// Then add this to every coordinate, as a camera with another origin would.
    #[arg(
        long,
        value_name = "N",
        default_value_t = 0,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i64).range(-MAX_VIEW..=MAX_VIEW)
    )]
    pub(crate) shift: i64,

    /// The format of the stream; `csv` for tables, which go into the folder `--out`.
    #[arg(long, value_name = "FORMAT", value_parser = parse_format, default_value = "jsonl")]
    pub(crate) to: Format,

    /// The folder for tables: `events.csv`, `gauges.csv` and others, `labels.csv`, and `tables.toml`, which says what their
    /// columns are.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Stop after this many facts.
    #[arg(long, value_name = "N")]
    pub(crate) facts: Option<u64>,

    /// Spoil the stream: let this share of its lines come late; how many have which fault is reported in the end.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_fault, help_heading = "Faults")]
    pub(crate) late: f64,

    /// How many time units late lines are late at most.
    #[arg(long, value_name = "N", default_value_t = 10, help_heading = "Faults")]
    pub(crate) delay: u64,

    /// Spoil the stream: let this share of its lines come twice.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_fault, help_heading = "Faults")]
    pub(crate) duplicate: f64,

    /// Spoil the stream: let this share of its lines come a second time, cut off in the middle.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_fault, help_heading = "Faults")]
    pub(crate) malformed: f64,
}

/// Whether rules are given weights.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Weights and costs")]
pub(crate) struct WeightsArgs {
    /// Also learn a weight for each rule. Those of given rules decide what is recognised; those of learned rules do where that is
    /// better on segments that they were not learned from, and elsewhere they say how sure the rules are.
    #[arg(long, value_name = "METHOD", value_enum, num_args = 0..=1, require_equals = true, default_missing_value = "margin")]
    pub(crate) weights: Option<MethodArg>,

    #[command(flatten)]
    pub(crate) costs: CostArgs,
}

/// How weights are learned.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(crate) enum MethodArg {
    /// By a margin, from all segments together.
    #[default]
    Margin,
    /// In one pass, by steps along the gradient that become smaller, as OSL-alpha and WOLED do.
    Adagrad,
    /// In one pass, by multiplying the weights of rules that were wrong, as OLED-EXP does.
    Experts,
}

impl From<MethodArg> for oled::weights::Method {
    fn from(method: MethodArg) -> oled::weights::Method {
        use oled::weights::Method;
        match method {
            MethodArg::Margin => Method::Margin,
            MethodArg::Adagrad => Method::AdaGrad,
            MethodArg::Experts => Method::Experts,
        }
    }
}

/// What errors cost.
#[derive(Clone, Copy, Debug, Args)]
#[command(next_help_heading = "Weights and costs")]
pub(crate) struct CostArgs {
    /// What a time point costs at which something is annotated and not recognised, against a false alarm: 1 if it is not given.
    #[arg(long, value_name = "COST", value_parser = parse_cost)]
    pub(crate) miss: Option<f64>,

    /// What a time point costs at which something is recognised and not annotated, against a miss: 1 if it is not given.
    #[arg(long, value_name = "COST", value_parser = parse_cost)]
    pub(crate) false_alarm: Option<f64>,
}

impl CostArgs {
    pub(crate) fn costs(self) -> Costs {
        Costs { false_alarm: self.false_alarm.unwrap_or(1.0), miss: self.miss.unwrap_or(1.0) }
    }

    /// Those that are given, by the names that they have as settings of a learner.
    pub(crate) fn named(self) -> impl Iterator<Item = (&'static str, String)> {
        let all = [("miss", self.miss), ("false_alarm", self.false_alarm)];
        all.into_iter().filter_map(|(name, cost)| Some((name, cost?.to_string())))
    }
}

fn parse_cost(text: &str) -> Result<f64, String> {
    let cost = text.parse::<f64>().ok().filter(|cost| *cost > 0.0 && cost.is_finite());
    cost.ok_or_else(|| "a cost is a number above 0".into())
}

fn parse_format(name: &str) -> Result<Format, String> {
    name.parse()
}

fn parse_protocol(name: &str) -> Result<Protocol, String> {
    name.parse()
}

pub(crate) fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "a share is a number above 0, at most 1".into())
}

fn parse_fault(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| (0.0..=0.3).contains(share));
    share.ok_or_else(|| "a share of faults is a number from 0 to 0.3".into())
}

fn parse_noise(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(noise) if noise.is_finite() && noise >= 0.0 => Ok(noise),
        _ => Err("noise is a number from 0 on".into()),
    }
}
