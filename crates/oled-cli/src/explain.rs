//! `oled explain`: why a rule was learned, and why an interval was recognised, missed or a false alarm.

mod history;
mod trust;

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::bail;
use clap::Args;
use oled::Theory;
use oled::explain::Explainer;
use oled::lang::printable;
use oled::logic::Stop;
use oled_data::printable_json;
use oled_data::task_folder::TaskFolder;
use oled_experiment::explain::{Fluents, KINDS, Kind, Report, Runs};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::{InputArgs, StepsArgs};
use crate::input::{load_task, load_theory, open_stream, too_much, warn};
use crate::progress::{Labels, Progress, say, say_skipped};
use crate::recognise::interruption;
use crate::times::{printed_time, read_time, times};
use trust::Trial;

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    /// The rules: a file, or the name of a theory that comes with the task.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: PathBuf,

    /// Report why each rule was learned, from the log that `oled learn --log` wrote.
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,

    /// With a log: report it of this rule only, counted from one.
    #[arg(long, value_name = "N", requires = "log")]
    pub(crate) rule: Option<usize>,

    /// Report how far each rule can be trusted: what F1 would be lost without it on the stream, and in how many segments it
    /// helps and harms.
    #[arg(long, conflicts_with_all = ["fluent", "segment", "at", "limit", "rule"])]
    pub(crate) trust: bool,

    /// The stream is run unless there is only a log to look at.
    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Explain this fluent: `meeting(p1,p2)`, `meeting(p1,_)`, or `meeting` for all of that name.
    #[arg(long, value_name = "FLUENT")]
    pub(crate) fluent: Option<String>,

    /// Explain what is in this segment.
    #[arg(long, value_name = "NAME")]
    pub(crate) segment: Option<String>,

    /// Explain what this time point is part of; with one instance, `--fluent 'meeting(p1,p2)'`, also why it does not hold there:
    /// for each rule what was in the way, with what was measured.
    #[arg(long, value_name = "TIME", allow_negative_numbers = true)]
    pub(crate) at: Option<String>,

    /// How many to explain of each kind: recognised, missed, false alarms. By default 5, or all of one fluent.
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,

    #[command(flatten)]
    pub(crate) steps: StepsArgs,

    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// How many of each kind are explained where nobody says.
const LIMIT: usize = 5;

pub(crate) fn run(args: &ExplainArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = load_task(&args.task)?;
    let theory = load_theory(&folder, &args.theory)?;
    folder.task.check(&theory)?;
    warn(&folder, &theory, quiet);
    let mut printer = Printer { json: args.json.then(|| json!({})), ..Printer::default() };
    if let Some(log) = &args.log {
        let numbers = numbers(&theory, args.rule)?;
        let histories = history::read(log, &theory, &numbers)?;
        for (number, history) in numbers.into_iter().zip(histories) {
            printer.explained += u64::from(history.is_some());
            printer.rule(number, &theory.clauses[number], history.as_ref())?;
        }
    }
    let asks_stream = args.fluent.is_some() || args.segment.is_some() || args.at.is_some();
    let mut stopped = false;
    if args.trust {
        stopped = trust(args, &folder, &theory, &mut printer, quiet)?;
    } else if args.log.is_none() || !args.input.input.is_empty() || asks_stream {
        stopped = stream(args, &folder, &theory, &mut printer, quiet)?;
    }
    printer.finish()?;
    if printer.explained == 0 && !stopped && !quiet {
        say("remark: there is nothing to explain: nothing that was asked for is in the log, recognised or labelled");
    }
    Ok(match printer.explained {
        _ if stopped => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

/// The rules to tell of, counted from zero.
fn numbers(theory: &Theory, asked: Option<usize>) -> anyhow::Result<Vec<usize>> {
    let count = theory.clauses.len();
    match asked {
        None => Ok((0..count).collect()),
        Some(n) if (1..=count).contains(&n) => Ok(vec![n - 1]),
        Some(n) => bail!("there is no rule {n}\nhint: the theory has {count}, counted from 1"),
    }
}

/// Runs the theory on the stream with and without each of its rules; returns whether it was interrupted.
fn trust(
    args: &ExplainArgs,
    folder: &TaskFolder,
    theory: &Theory,
    printer: &mut Printer,
    quiet: bool,
) -> anyhow::Result<bool> {
    let interrupted = interruption()?;
    let mut trial = Trial::new(&folder.task, theory, args.steps.max_steps, &interrupted.clone().into())?;
    let mut frames = open_stream(folder, &args.input)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    while let Some(frame) = frames.next() {
        let frame = frame?;
        match trial.observe(&frame) {
            None => {}
            Some(Stop::Interrupted) => break,
            Some(stop) => return Err(too_much(&stop, &frame)),
        }
        progress.frame(&frames);
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    progress.finish();
    if trial.is_labelled() {
        for (number, clause) in theory.clauses.iter().enumerate() {
            printer.explained += 1;
            match &mut printer.json {
                Some(object) => push(object, "trust", trial.to_json(number, clause)),
                None => printer.text(&trial.to_text(number, clause))?,
            }
        }
    } else if !quiet {
        say(
            "remark: the stream has no labels of what the rules are about, so nothing is said of how far they can be trusted",
        );
    }
    say_skipped(frames.skipped(), Labels::Used, quiet);
    Ok(interrupted.load(Ordering::Relaxed))
}

/// Runs the theory on the stream; returns whether it was interrupted.
fn stream(
    args: &ExplainArgs,
    folder: &TaskFolder,
    theory: &Theory,
    printer: &mut Printer,
    quiet: bool,
) -> anyhow::Result<bool> {
    let interrupted = interruption()?;
    let explainer =
        Explainer::new(&folder.task, theory)?.with_limits(args.steps.max_steps, &interrupted.clone().into());
    let fluents = Fluents::new(folder, &explainer, args.fluent.as_deref())?;
    // Whoever names one fluent wants to see all of it.
    let limit = args.limit.or((!fluents.is_one()).then_some(LIMIT)).unwrap_or(usize::MAX);
    let options = &folder.task.options;
    let at = args.at.as_deref().map(read_time).transpose()?;
    let related = folder.task.related(theory);
    let mut runs = Runs::new(explainer, (fluents, &related), (options.interleaved, options.both), at, limit);
    let mut frames = open_stream(folder, &args.input)?;
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    let mut ready: Vec<Report> = Vec::new();
    while let Some(frame) = frames.next() {
        let frame = frame?;
        runs.see_labels(&frame);
        if args.segment.as_deref().is_none_or(|name| name == frame.segment.as_str()) {
            match runs.observe(&frame, &mut ready) {
                None => {}
                // What was found out of this frame may be wrong.
                Some(Stop::Interrupted) => {
                    ready.clear();
                    break;
                }
                Some(stop) => return Err(too_much(&stop, &frame)),
            }
        }
        printer.reports(&mut ready, runs.is_labelled())?;
        progress.frame(&frames);
        if interrupted.load(Ordering::Relaxed) {
            break;
        }
    }
    let stopped = interrupted.load(Ordering::Relaxed);
    runs.finish(stopped, &mut ready);
    printer.reports(&mut ready, runs.is_labelled())?;
    progress.finish();
    let mut more = runs.more();
    if !runs.is_labelled() {
        more[Kind::FalseAlarm as usize] = 0;
        if !quiet {
            say("remark: the stream has no labels of these fluents, so nothing is said of what is missed or wrong");
        }
    }
    printer.more(more)?;
    if let (Some((before, after)), Some(at), false) = (runs.beside(), at, quiet) {
        let beside: Vec<String> = before.into_iter().chain(after).map(printed_time).collect();
        let where_else = match &beside[..] {
            [] => String::new(),
            [one] => format!(": the nearest is {one}"),
            _ => format!(": the nearest are {}", beside.join(" and ")),
        };
        say(&format!("remark: there is no time point {}{where_else}", printed_time(at)));
    }
    say_skipped(frames.skipped(), Labels::Used, quiet);
    Ok(stopped)
}

/// Prints explanations as they come, or collects them as data.
#[derive(Default)]
struct Printer {
    json: Option<Value>,
    /// False alarms, until there is a label: a stream without labels has none.
    held: Vec<Report>,
    explained: u64,
    /// Whether something was printed, so that a blank line comes next.
    begun: bool,
}

impl Printer {
    fn rule(&mut self, number: usize, clause: &oled::Clause, history: Option<&history::History>) -> anyhow::Result<()> {
        match &mut self.json {
            Some(object) => push(object, "rules", history::to_json(number, clause, history)),
            None => self.text(&history::to_text(number, clause, history))?,
        }
        Ok(())
    }

    fn reports(&mut self, ready: &mut Vec<Report>, labelled: bool) -> anyhow::Result<()> {
        if labelled {
            ready.splice(0..0, self.held.drain(..));
        }
        for report in ready.drain(..) {
            if !labelled && report.kind == Kind::FalseAlarm {
                self.held.push(report);
                continue;
            }
            self.explained += 1;
            match &mut self.json {
                Some(object) => push(object, report.kind.key(), report.to_json(times())),
                None => self.text(&report.to_text(times()))?,
            }
        }
        Ok(())
    }

    /// Says how many were not explained.
    fn more(&mut self, more: [u64; 3]) -> anyhow::Result<()> {
        if let Some(object) = &mut self.json {
            for kind in KINDS {
                // Also where there are none: whoever reads it need not ask.
                if object.get(kind.key()).is_none() {
                    object[kind.key()] = json!([]);
                }
                object["more"][kind.key()] = json!(more[kind as usize]);
            }
            return Ok(());
        }
        let counts: Vec<String> = KINDS.iter().zip(more).filter(|(_, n)| *n > 0).map(|(k, n)| k.count(n)).collect();
        if counts.is_empty() {
            return Ok(());
        }
        self.text(&format!("not shown: {}; `--limit`, `--fluent`, `--segment` and `--at` choose\n", counts.join(", ")))
    }

    fn text(&mut self, text: &str) -> anyhow::Result<()> {
        let mut whole = String::new();
        write!(whole, "{}{text}", if self.begun { "\n" } else { "" })?;
        self.begun = true;
        std::io::stdout().write_all(printable(&whole).as_bytes())?;
        Ok(())
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        if let Some(object) = &self.json {
            writeln!(std::io::stdout(), "{}", printable_json(&object.to_string()))?;
        }
        Ok(())
    }
}

/// Adds to a list of an object.
fn push(object: &mut Value, key: &str, item: Value) {
    match object.get_mut(key).and_then(Value::as_array_mut) {
        Some(list) => list.push(item),
        None => object[key] = json!([item]),
    }
}
