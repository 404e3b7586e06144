//! `oled learn`: rules from a stream, in one pass.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, bail};
use clap::Args;
use oled::event::{Event, Observer, What};
use oled::induce::{Counts, Decision, LiteralTable, Mask, PRESETS};
use oled::learn::LeftOut;
use oled::{Frame, Learned, LearnedRule, Learner, Symbol};
use oled_data::Protocol;
use oled_data::task_folder::TaskFolder;
use oled_experiment::{Prequential, Results};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::InputArgs;
use crate::evaluate::{fluents_json, to_table};
use crate::input::load_theory;
use crate::output::write_file;
use crate::progress::{Progress, say, say_skipped};
use crate::recognise::interruption;
use crate::source::{Folds, Source};

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// The folder of the task; `lobby`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
    pub(crate) task: PathBuf,

    #[command(flatten)]
    pub(crate) input: InputArgs,

    /// Which parts of CAVIAR are learned from: a fold file of the directory.
    #[arg(long, value_name = "NAME")]
    pub(crate) protocol: Option<Protocol>,

    /// With a protocol: leave this fold out, to test on it.
    #[arg(long, value_name = "K", requires = "protocol")]
    pub(crate) train_fold: Option<usize>,

    /// With a protocol: take its parts in a random order, which depends on the seed only.
    #[arg(long, requires = "protocol")]
    pub(crate) shuffle: bool,

    /// The seed of `--shuffle`. Learning itself makes no random choice: the same stream gives the same rules.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) seed: u64,

    /// The learner.
    #[arg(long, default_value = "oled", value_parser = ["oled"])]
    pub(crate) learner: String,

    /// Settings to start from.
    #[arg(long, value_name = "NAME", default_value = "sane", value_parser = PRESETS)]
    pub(crate) preset: String,

    /// Where the theory goes, instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Print the theory with its evidence as one JSON object.
    #[arg(long)]
    pub(crate) json: bool,

    /// Write a line of JSON for each decision.
    #[arg(long, value_name = "FILE")]
    pub(crate) log: Option<PathBuf>,

    /// Print the theory so far after every so many interpretations, to standard error or into the output file; the
    /// signal USR1 asks for the same at any time.
    #[arg(long, value_name = "N")]
    pub(crate) every: Option<u64>,

    /// Rules to start from: scored, specialised and given up like learned ones.
    #[arg(long, short, value_name = "FILE")]
    pub(crate) theory: Option<PathBuf>,

    /// Threads to learn with; the result is the same for any number.
    #[arg(long, default_value_t = 2)]
    pub(crate) threads: usize,

    /// The probability with which a decision may be wrong.
    #[arg(long)]
    pub(crate) delta: Option<String>,

    /// How many literals a specialisation may add at once.
    #[arg(long)]
    pub(crate) depth: Option<String>,

    /// The quality threshold of rules.
    #[arg(long)]
    pub(crate) prune: Option<String>,

    /// How many instances a rule must have seen before it is printed.
    #[arg(long)]
    pub(crate) warmup: Option<String>,

    /// Recognise each time point with the rules so far before learning from it, and tell how well that went.
    #[arg(long)]
    pub(crate) prequential: bool,

    /// Write a report that can be shown to anyone: curves, timelines, and how each rule came about.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Any other setting, as `name=value`; the chapter on settings lists them.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

pub(crate) fn run(args: &LearnArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let overrides = overrides(args)?;
    // Wrong settings are told before anything is read; those of the task were checked when it was loaded.
    folder.settings(&args.preset, "", &overrides).map_err(anyhow::Error::msg)?;
    let settings = |target: Symbol| folder.settings(&args.preset, target.as_str(), &overrides).unwrap_or_default();
    let mut learner = Oled::new(&folder.task, settings)?.with_threads(args.threads);
    if let Some(path) = &args.theory {
        learner.start_from(&load_theory(&folder, path)?)?;
    }
    let tables: Vec<LiteralTable> = (0..learner.processes().len()).map(|i| learner.table(i).clone()).collect();
    let heads: Vec<String> = learner.processes().iter().map(|p| p.head.to_string()).collect();
    let mut log = match &args.log {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("cannot write `{}`", path.display()))?;
            Log { output: Some(BufWriter::new(file)), tables, heads, quiet, error: None }
        }
        None => Log { output: None, tables, heads, quiet, error: None },
    };
    let interrupted = interruption()?;
    let requested = request()?;
    let mut next = args.every.unwrap_or(u64::MAX);
    let mut learning = if args.prequential || args.report.is_some() {
        Learning::Tested(Box::new(Prequential::new(&folder.task, learner, args.report.is_some())?))
    } else {
        Learning::Plain(Box::new(learner))
    };
    let mut step = |learning: &mut Learning, frame: &Frame, log: &mut Log| -> anyhow::Result<bool> {
        learning.observe(frame, log)?;
        let due = learning.learner().observed() >= next;
        if due || requested.swap(false, Ordering::Relaxed) {
            next = if due { next + args.every.unwrap_or(0) } else { next };
            learning.flush(log);
            log.flush()?;
            snapshot(&learning.learner().learned(), args)?;
        }
        Ok(interrupted.load(Ordering::Relaxed))
    };
    let mut frames = match args.protocol {
        Some(protocol) => {
            let folds = args.train_fold.map_or(Folds::All, Folds::Without);
            Source::parts(&folder, &args.input, protocol, folds, args.shuffle.then_some(args.seed))?
        }
        None => Source::stream(&folder, &args.input, args.threads > 1)?,
    };
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    while let Some(frame) = frames.next() {
        if step(&mut learning, &frame?, &mut log)? {
            break;
        }
        progress.frame_at(|| frames.bytes_read());
    }
    progress.finish();
    say_skipped(&frames.finish());
    learning.flush(&mut log);
    log.finish()?;
    let learned = learning.learner().learned();
    let tested = learning.tested();
    write_result(&learned, tested, args, args.output.as_deref().unwrap_or(Path::new("-")))?;
    if let (Some(tested), true, false) = (tested, args.prequential && !args.json, quiet) {
        say(&format!(
            "recognised with the rules so far, before learning from it:\n{}",
            to_table(tested.evaluation(), false)
        ));
    }
    if let (Learning::Tested(tested), Some(path)) = (learning, &args.report) {
        write_report(*tested, &folder, args, path)?;
    }
    if let (Some(remark), false) = (left_out(&learned), quiet) {
        say(&remark);
    }
    Ok(match learned.rules.len() {
        _ if interrupted.load(Ordering::Relaxed) => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

/// A learner by itself, or one whose rules are tested on the way.
enum Learning {
    Plain(Box<Learner>),
    Tested(Box<Prequential>),
}

impl Learning {
    fn observe(&mut self, frame: &Frame, log: &mut Log) -> anyhow::Result<()> {
        match self {
            Learning::Plain(learner) => learner.observe(frame, log),
            Learning::Tested(tested) => tested.observe(frame, log)?,
        }
        Ok(())
    }

    /// Brings the learner up to the last frame; one that is tested is there already.
    fn flush(&mut self, log: &mut Log) {
        if let Learning::Plain(learner) = self {
            learner.flush(log);
        }
    }

    fn learner(&self) -> &Learner {
        match self {
            Learning::Plain(learner) => learner,
            Learning::Tested(tested) => tested.learner(),
        }
    }

    fn tested(&self) -> Option<&Prequential> {
        match self {
            Learning::Plain(_) => None,
            Learning::Tested(tested) => Some(tested),
        }
    }
}

/// A report of this one run.
fn write_report(tested: Prequential, folder: &TaskFolder, args: &LearnArgs, path: &Path) -> anyhow::Result<()> {
    let row = format!("{}, preset {}", args.learner, args.preset);
    let data = args.protocol.map_or_else(|| folder.name.clone(), |protocol| protocol.to_string());
    let story = tested.finish(&data, &row);
    let results = Results {
        experiment: format!("learn {}", folder.name),
        description: folder.description.clone(),
        version: env!("CARGO_PKG_VERSION").into(),
        curves: story.curves,
        rules: story.rules,
        timelines: story.timelines,
        notes: vec![
            "One pass over the stream, in the order in which it came. What the curves and timelines show was recognised \
             with the rules of that moment, before they learned from it."
                .into(),
        ],
        ..Results::default()
    };
    write_file(path, &oled_experiment::html(&results))
}

/// The theory so far: into the output file, which is replaced, or to the person who asks.
fn snapshot(learned: &Learned, args: &LearnArgs) -> anyhow::Result<()> {
    match &args.output {
        Some(path) => write_result(learned, None, args, path),
        None => {
            say(&print_theory(learned));
            Ok(())
        }
    }
}

fn write_result(learned: &Learned, tested: Option<&Prequential>, args: &LearnArgs, path: &Path) -> anyhow::Result<()> {
    if !args.json {
        return write_file(path, &print_theory(learned));
    }
    let mut json = to_json(learned, args);
    if let Some(tested) = tested {
        json["prequential"] = fluents_json(tested.evaluation());
    }
    write_file(path, &format!("{json}\n"))
}

/// A flag that the signal USR1 sets, where there are signals: somebody wants to see the theory so far.
fn request() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, flag.clone())
        .context("cannot listen for the signal USR1")?;
    Ok(flag)
}

fn overrides(args: &LearnArgs) -> anyhow::Result<Vec<(String, String)>> {
    let flags = [("delta", &args.delta), ("depth", &args.depth), ("prune", &args.prune), ("warmup", &args.warmup)];
    let mut all: Vec<(String, String)> =
        flags.into_iter().filter_map(|(name, value)| Some((name.to_string(), value.clone()?))).collect();
    for text in &args.set {
        let Some((name, value)) = text.split_once('=') else { bail!("`{text}` is not of the form NAME=VALUE") };
        all.push((name.trim().to_string(), value.trim().to_string()));
    }
    Ok(all)
}

/// The theory with the evidence for each rule as comments.
pub(crate) fn print_theory(learned: &Learned) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let literals = learned.theory().literals();
    writeln!(
        text,
        "% {} rules, {literals} literals, from {} interpretations",
        learned.rules.len(),
        learned.interpretations
    )
    .expect("strings can be written to");
    for rule in &learned.rules {
        let counts = |c: &Counts| format!("TP {} FP {} FN {}", c.tp, c.fp, c.fn_);
        writeln!(
            text,
            "\n% score {:.3} ({}), N {}, bound {:.4}; over the whole stream {}\n{}",
            rule.score,
            counts(&rule.counts),
            rule.n,
            rule.epsilon,
            counts(&rule.stream),
            rule.clause
        )
        .expect("strings can be written to");
    }
    text
}

fn to_json(learned: &Learned, args: &LearnArgs) -> Value {
    let left_out = learned.left_out.iter().map(|(rule, why)| {
        let mut entry = rule_json(rule);
        entry["why"] = json!(why.to_string());
        entry
    });
    json!({
        "learner": args.learner,
        "preset": args.preset,
        "seed": args.shuffle.then_some(args.seed),
        "interpretations": learned.interpretations,
        "literals": learned.theory().literals(),
        "rules": learned.rules.iter().map(rule_json).collect::<Vec<_>>(),
        "left_out": left_out.collect::<Vec<_>>(),
    })
}

fn rule_json(rule: &LearnedRule) -> Value {
    let counts = |c: &Counts| json!({"tp": c.tp, "fp": c.fp, "fn": c.fn_});
    json!({
        "rule": rule.clause.to_string(),
        "head": rule.clause.head.to_string(),
        "body": rule.clause.body.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "process": rule.id.0,
        "id": rule.id.1,
        "score": rule.score,
        "counts": counts(&rule.counts),
        "stream": counts(&rule.stream),
        "instances": rule.instances,
        "n": rule.n,
        "epsilon": rule.epsilon,
    })
}

/// How many rules are alive and not printed, and why, if any.
fn left_out(learned: &Learned) -> Option<String> {
    let count = |why: &LeftOut| learned.left_out.iter().filter(|(_, w)| w == why).count();
    let reasons: Vec<String> =
        LeftOut::ALL.iter().filter(|why| count(why) > 0).map(|why| format!("{} {why}", count(why))).collect();
    match learned.left_out.as_slice() {
        [] => None,
        [(_, why)] => Some(format!("remark: 1 rule is not printed: {why}")),
        all => Some(format!("remark: {} rules are not printed: {}", all.len(), reasons.join(", "))),
    }
}

/// A line of JSON for each decision.
struct Log {
    output: Option<BufWriter<File>>,
    tables: Vec<LiteralTable>,
    heads: Vec<String>,
    quiet: bool,
    error: Option<std::io::Error>,
}

impl Observer for Log {
    fn on(&mut self, event: &Event) {
        if let (What::TooMany { variable, assignments, segment, time }, false) = (&event.what, self.quiet) {
            let (head, variable, segment) = (&self.heads[event.process], variable.as_str(), segment.as_str());
            say(&format!(
                "warning: {head}: at time {time} of segment `{segment}` the variable `{variable}` and those that occur with \
                 it can be assigned in {assignments} ways, too many to be tried: conditions on them count as false \
                 there\n  hint: narrow the modes that introduce `{variable}`, or set `variables` lower"
            ));
        }
        let Some(output) = &mut self.output else { return };
        let table = &self.tables[event.process];
        let body = |mask: Mask| table.body(mask).iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut line = json!({
            "interpretation": event.interpretation,
            "head": self.heads[event.process],
            "process": event.process,
            "rule": event.rule,
        });
        let more = match &event.what {
            What::Given { body: at } => json!({"event": "given", "body": body(*at)}),
            What::Started { bottom } => json!({"event": "started", "bottom": body(*bottom)}),
            What::Expanded { from, decision } => {
                let mut more = figures("expanded", decision);
                more["from"] = json!(body(*from));
                more["to"] = json!(body(decision.body));
                more
            }
            What::Pruned { body: at, decision } => {
                let mut more = figures("pruned", decision);
                more["body"] = json!(body(*at));
                more
            }
            What::TooMany { variable, assignments, segment, time } => json!({
                "event": "too_many", "variable": variable.as_str(), "assignments": assignments,
                "segment": segment.as_str(), "time": time,
            }),
        };
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        if let Err(error) = writeln!(output, "{line}") {
            self.error.get_or_insert(error);
        }
    }
}

fn figures(name: &str, d: &Decision) -> Value {
    json!({
        "event": name, "score": d.own, "best": d.best, "gap": d.gap, "epsilon": d.epsilon, "tau": d.tau, "seen": d.n, "tie": d.tie,
    })
}

impl Log {
    fn flush(&mut self) -> anyhow::Result<()> {
        match &mut self.output {
            Some(output) => output.flush().context("cannot write the log"),
            None => Ok(()),
        }
    }

    fn finish(mut self) -> anyhow::Result<()> {
        if let Some(error) = self.error.take() {
            return Err(error).context("cannot write the log");
        }
        if let Some(mut output) = self.output.take() {
            output.flush().context("cannot write the log")?;
        }
        Ok(())
    }
}
