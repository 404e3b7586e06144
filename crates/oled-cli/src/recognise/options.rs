//! The options of `oled recognise`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use oled::induce::MAX_INSTANCES;
use oled_data::IntervalFormat;

use super::programs::CommandLine;
use crate::args::{InputArgs, StepsArgs, parse_share};
use crate::checkpoint::{CheckpointArgs, LiveArgs};

#[derive(Debug, Args)]
pub(crate) struct RecogniseArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    /// The rules: a file, or the name of a theory that comes with the task.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: PathBuf,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// How intervals and events are printed: intervals as `csv` where nothing is said, events as `jsonl`.
    #[arg(long, value_enum, help_heading = "Output")]
    pub(crate) format: Option<Output>,

    /// Print what holds at each time point instead of intervals.
    #[arg(long, help_heading = "Output")]
    pub(crate) frames: bool,

    /// Print all fluents that the rules define, not only those that the task asks for.
    #[arg(long, help_heading = "Output")]
    pub(crate) all: bool,

    /// Where the intervals go, instead of standard output, as they end. With `--resume` what was written since the
    /// checkpoint is cut off, and written again.
    #[arg(long, short, alias = "out", value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) alarms: AlarmArgs,

    #[command(flatten)]
    pub(crate) sure: ConfidenceArgs,

    #[command(flatten)]
    pub(crate) live: LiveArgs,

    /// Look at the file of the theory again and again, and take a changed one at the next time point, as the signal HUP asks
    /// for at once. What holds goes on where its rules, and all that they depend on, are the same. A theory with errors is
    /// reported, and the old one goes on.
    #[arg(long, conflicts_with = "confidence", help_heading = "Live streams")]
    pub(crate) reload: bool,

    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArgs,

    /// Stop with an error where more atoms than this follow at once from the rules, at one time point.
    #[arg(long, value_name = "N", default_value_t = MAX_INSTANCES, help_heading = "Limits")]
    pub(crate) max_instances: usize,

    #[command(flatten)]
    pub(crate) steps: StepsArgs,
}

/// How sure something is.
#[derive(Debug, Args)]
#[command(next_help_heading = "Confidence")]
pub(crate) struct ConfidenceArgs {
    /// With a theory that has weights: also print how sure each interval is, over all of its time points and at the weakest
    /// of them. Intervals come when their segment ends, or with `--lag`.
    #[arg(long, conflicts_with_all = ["frames", "all", "follow", "lateness", "checkpoint"])]
    pub(crate) confidence: bool,

    /// With `--confidence`: something holds where it is at least so probable, instead of where the best sequence says so.
    #[arg(long, value_name = "P", requires = "confidence", value_parser = parse_share)]
    pub(crate) threshold: Option<f64>,

    /// With `--confidence`: decide each time point when so many others have come after it, and forget it. With quiet gaps that
    /// are longer the result is the same as at the end of the segment.
    #[arg(long, value_name = "N", requires = "confidence")]
    pub(crate) lag: Option<usize>,
}

/// What is done when something begins and when it ends.
#[derive(Debug, Args)]
#[command(next_help_heading = "Alarms")]
pub(crate) struct AlarmArgs {
    /// Print a line when something begins and one when it ends, instead of one for each interval: at once, also with
    /// `--follow`. What has a `min_duration` begins when it has lasted so long.
    #[arg(long, conflicts_with = "frames")]
    pub(crate) events: bool,

    /// Write these lines into a file for each fluent, `DIR/meeting.jsonl`, instead of standard output.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["frames", "output"])]
    pub(crate) events_to: Option<PathBuf>,

    /// Run a program when something begins, with `OLED_FLUENT`, `OLED_TIME` and others in its environment. It is run without a
    /// shell: blanks separate words, and quotes keep them together. One that fails is reported, and the stream goes on.
    #[arg(long, value_name = "CMD")]
    pub(crate) on_begin: Option<CommandLine>,

    /// Run a program when something ends, in the same way.
    #[arg(long, value_name = "CMD")]
    pub(crate) on_end: Option<CommandLine>,
}

impl RecogniseArgs {
    /// Whether events are printed, in place of intervals.
    pub(super) fn prints_events(&self) -> bool {
        self.alarms.events || self.alarms.events_to.is_some()
    }

    /// Whether something is done when something begins or ends.
    pub(crate) fn wants_alarms(&self) -> bool {
        self.prints_events() || self.alarms.on_begin.is_some() || self.alarms.on_end.is_some()
    }

    /// How lines are printed.
    pub(crate) fn format(&self) -> Output {
        let default = if self.prints_events() { Output::Jsonl } else { Output::Csv };
        self.format.unwrap_or(default)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Output {
    /// A header and a line per interval or event.
    Csv,
    /// A JSON object per line.
    Jsonl,
}

impl Output {
    /// As intervals are written so.
    pub(super) fn of_intervals(self) -> IntervalFormat {
        match self {
            Output::Csv => IntervalFormat::Csv,
            Output::Jsonl => IntervalFormat::Jsonl,
        }
    }

    /// Its name, which ends the names of files too.
    pub(super) fn name(self) -> &'static str {
        match self {
            Output::Csv => "csv",
            Output::Jsonl => "jsonl",
        }
    }
}
