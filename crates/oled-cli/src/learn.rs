//! `oled learn`: rules from a stream, in one pass.

mod log;
pub(crate) mod printed;
mod report;
mod supervise;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use oled::calculus::label_name;
use oled::induce::PRESETS;
use oled::lang::ec::{HOLDS, INITIALLY, INITIATED};
use oled::learn::{FluentFit, Watcher};
use oled::logic::MAX_STEPS;
use oled::{Evaluation, Frame, Learned, Learner, LearnerSpec, Recogniser, Signature, StateError, Symbol, Term};
use oled_data::task_folder::TaskFolder;
use oled_data::{Digest, Pause, Protocol, digest, printable_json};
use oled_experiment::{LEARNERS, Prequential, effective_settings, find, named};
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::{InputArgs, WeightsArgs};
use crate::checkpoint::{CheckpointArgs, Keeper, LiveArgs, MadeOf, say_resumed};
use crate::evaluate::{fluents_json, prequential_table};
use crate::input::{load_theory, too_much, warn};
use crate::output::{Output, write_file};
use crate::progress::{Labels, Progress, bar, say, say_skipped};
use crate::recognise::interruption;
use crate::source::{Folds, Source};
use crate::weigh::{Rules, weighed};
use log::Log;
use report::SecondLook;
use supervise::Supervisor;

#[derive(Debug, Args)]
pub(crate) struct LearnArgs {
    /// The folder of the task; `lobby`, `homes`, `caviar`, `lobby-listed` and `caviar-listed` are built in.
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
    #[arg(long, value_name = "NAME", default_value = LEARNERS[0].name, value_parser = learner_names())]
    pub(crate) learner: String,

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
    #[arg(long, value_name = "N")]
    pub(crate) max_literals: Option<String>,

    /// How many rules a fluent, or with `oled` a head, may have at most.
    #[arg(long, value_name = "N")]
    pub(crate) max_rules: Option<String>,

    /// Leave out time points with more instances to learn from than this, or at which more follows from the background.
    #[arg(long, value_name = "N")]
    pub(crate) max_instances: Option<String>,

    /// Leave out time points at which the background takes more steps than this: rows that joins look at, and conditions
    /// that are tested with them.
    #[arg(long, value_name = "N")]
    pub(crate) max_steps: Option<String>,

    #[command(flatten)]
    pub(crate) replay: ReplayArgs,

    #[command(flatten)]
    pub(crate) oled: OledArgs,

    #[command(flatten)]
    pub(crate) weights: WeightsArgs,

    /// Recognise each time point with the rules so far before learning from it, and tell how well that went.
    #[arg(long)]
    pub(crate) prequential: bool,

    /// Write a report that can be shown to anyone: the rules, their scores, what they recognise, and how they came about.
    /// The stream is read a second time with the final rules; where it cannot be, as standard input, it is kept in memory.
    #[arg(long, value_name = "FILE", conflicts_with = "checkpoint")]
    pub(crate) report: Option<PathBuf>,

    /// Any other setting, as `name=value`; the chapter on settings lists them.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub(crate) set: Vec<String>,
}

/// What can be set about the learner `replay`, for short.
#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// With `replay`: how much F1 a literal must bring, instead of what follows from the stream.
    #[arg(long, value_name = "NUMBER|none")]
    pub(crate) penalty: Option<String>,

    /// With `replay`: how many runs are remembered; beyond that the stream is remembered less exactly.
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<String>,

    /// With `replay`: remember the last so many segments only.
    #[arg(long, value_name = "N")]
    pub(crate) window: Option<String>,

    /// With `replay`: forget half of the older segments after every so many.
    #[arg(long, value_name = "N")]
    pub(crate) forget: Option<String>,

    /// With `replay`: do not learn again from parts of the stream in the end, to see which rules are found again.
    #[arg(long)]
    pub(crate) no_refits: bool,
}

/// What can be set about the learner `oled`, for short.
#[derive(Debug, Args)]
pub(crate) struct OledArgs {
    /// With `oled`: settings to start from, `sane` by default.
    #[arg(long, value_name = "NAME", value_parser = PRESETS)]
    pub(crate) preset: Option<String>,

    /// With `oled`: the probability with which a decision may be wrong.
    #[arg(long)]
    pub(crate) delta: Option<String>,

    /// With `oled`: how many literals a specialisation may add at once.
    #[arg(long)]
    pub(crate) depth: Option<String>,

    /// With `oled`: the quality threshold of rules.
    #[arg(long)]
    pub(crate) prune: Option<String>,

    /// With `oled`: how many instances a rule must have seen before it is printed.
    #[arg(long)]
    pub(crate) warmup: Option<String>,
}

/// What a checkpoint has: the position in the stream, what the learner knows, and what the log had.
type State = (Vec<u8>, Vec<u8>, Option<Digest>);

pub(crate) fn run(args: &LearnArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = TaskFolder::load(&args.task)?;
    let overrides = overrides(args)?;
    let more = |_: Option<&str>| overrides.clone();
    // Wrong settings are told before anything is read.
    let mut learner =
        oled_experiment::learner(&folder, &args.learner, args.oled.preset.as_deref(), &more, args.threads)?;
    let given = args.theory.as_ref().map(|path| load_theory(&folder, path)).transpose()?.unwrap_or_default();
    warn(&folder, &given, quiet);
    if args.theory.is_some() {
        learner.start_from(&given)?;
    }
    if args.weights.weights && !report::can_be_read_again(&folder, args)? {
        bail!(
            "weights are learned when the rules are known, and this stream cannot be read again\nhint: keep it in a file"
        );
    }
    if args.weights.weights && args.json {
        bail!("rules with weights are printed as rules\nhint: leave `--json` out, or `--weights`");
    }
    // So are places at which nothing can be written.
    args.output.iter().chain(&args.report).try_for_each(|path| Output::check(path))?;
    if args.checkpoint.checkpoint.is_some() && !learner.capabilities().savable {
        let savable = named(|spec| spec.capabilities().savable);
        bail!(
            "the learner `{}` cannot be saved\nhint: leave `--checkpoint` out, or learn with {savable}",
            args.learner
        );
    }
    let mut keeper = Keeper::new(&args.checkpoint, made_of(&folder, args, &overrides)?, quiet)?;
    let resumed: Option<State> = keeper.as_mut().map_or(Ok(None), Keeper::resume)?;
    let mut log = Log::new(args.log.as_deref(), quiet, resumed.as_ref().and_then(|r| r.2.clone()))?;
    let mut learning = if args.prequential || args.report.is_some() {
        Learning::Tested(Box::new(Prequential::new(&folder.task, learner, args.report.is_some())?))
    } else {
        Learning::Plain(learner)
    };
    let mut next = args.print_every.unwrap_or(u64::MAX);
    let mut position = None;
    if let (Some((at, state, _)), Some(keeper)) = (resumed, &keeper) {
        learning.restore(&state).with_context(|| keeper.of_no_use())?;
        // What was printed before the checkpoint is not printed again.
        while learning.learner().progress().interpretations >= next {
            next += args.print_every.unwrap_or(u64::MAX);
        }
        position = Some(at);
    }
    let interrupted = interruption()?;
    let requested = request()?;
    let mut supervisor = Supervisor::new(interrupted.clone(), args.time.map(Duration::from_secs_f64));
    supervisor.take_charge(learning.learner());
    let mut show = |learning: &mut Learning, log: &mut Log| {
        let due = learning.learner().progress().interpretations >= next;
        if due || requested.swap(false, Ordering::Relaxed) {
            next = if due { next + args.print_every.unwrap_or(0) } else { next };
            let learned = supervisor.search(learning, |learning| learning.learned(log));
            // What cannot be shown now is no reason to end: it is told in the end as well.
            if let Err(error) = log.flush().and_then(|()| snapshot(&learned, args)) {
                say(&format!("warning: {error:#}"));
            }
        }
    };
    // From the beginning.
    let open = || match args.protocol {
        Some(protocol) => {
            let folds = args.train_fold.map_or(Folds::All, Folds::Without);
            Source::parts(&folder, &args.input, protocol, folds, args.shuffle.then_some(args.seed))
        }
        None => Source::stream(&folder, &args.input, args.threads > 1),
    };
    let live = keeper.is_some() || args.live.follow || args.live.lateness.is_some();
    let mut frames = match args.protocol {
        None if live => {
            Source::live(&folder, &args.input, &args.live, &args.checkpoint, &interrupted, position.as_deref(), quiet)?
        }
        Some(_) => {
            let mut parts = open()?;
            position.as_deref().map_or(Ok(()), |position| parts.skip_to(position))?;
            parts
        }
        None => open()?,
    };
    let mut look = SecondLook::new(&folder, args)?;
    if position.is_some() {
        say_resumed(frames.place(), quiet);
    }
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    loop {
        let is_due = match frames.next() {
            Some(frame) => {
                let frame = frame?;
                learning.observe(&frame, &mut log)?;
                if !learning.learner().progress().is_cut {
                    look.note(frame);
                }
                progress.frame_at(|| frames.bytes_read());
                keeper.as_mut().is_some_and(Keeper::is_due)
            }
            None if frames.pause().is_none() => break,
            None => frames.pause() == Some(Pause::End) || keeper.as_ref().is_some_and(Keeper::is_due_at_rest),
        };
        show(&mut learning, &mut log);
        let stopped = interrupted.load(Ordering::Relaxed);
        // A frame that was ended early is not learned from: the checkpoint before it is the last one.
        if stopped && learning.learner().progress().is_cut {
            break;
        }
        // After its end the stream has no position any more: the last checkpoint is the one written there.
        if let (true, Some(keeper), true) = (is_due || stopped, &mut keeper, frames.has_position()) {
            let Some(state) = learning.save(&mut log) else { bail!("the learner `{}` cannot be saved", args.learner) };
            let is_last = stopped || frames.pause() == Some(Pause::End);
            keeper.save(is_last, || Ok((frames.save(), state, log.sync()?)))?;
            if frames.pause() == Some(Pause::End) {
                frames.end();
            }
        }
        if stopped {
            break;
        }
    }
    progress.finish();
    say_skipped(&frames.finish(), Labels::Used, quiet);
    // A search that takes long tells how far it is.
    let search = bar(None, "{spinner} {msg}  {elapsed}", quiet);
    let told = search.clone();
    supervisor.watch(Watcher::new(move |line| told.set_message(line.to_string())));
    let mut learned = supervisor.search(&mut learning, |learning| learning.learned(&mut log));
    log.last(&learned);
    // A log that cannot be written is no reason to lose what was learned.
    let logged = log.finish();
    search.finish_and_clear();
    if learned.fits.is_empty() && !interrupted.load(Ordering::Relaxed) && report::can_be_read_again(&folder, args)? {
        // A stream that has gone is no reason to lose what was learned from it.
        match open().and_then(|frames| fits(&folder, frames, &learned, &interrupted)) {
            Ok(fits) => learned.fits = fits,
            Err(error) => say(&format!("warning: how well the rules fit is not known: {error:#}")),
        }
    }
    let weighed = if args.weights.weights && !learned.rules.is_empty() && !interrupted.load(Ordering::Relaxed) {
        let frames = open()?;
        Some(weighed(&folder, &learned.theory(), frames, &args.weights.costs.costs(), Rules::Learned, quiet)?)
    } else {
        None
    };
    let tested = learning.tested();
    let standard = Path::new("-");
    let write_result = |learned: &Learned, tested, args: &LearnArgs, path: &Path| match &weighed {
        Some((theory, _)) => write_file(path, &theory.to_string()),
        None => write_result(learned, tested, args, path),
    };
    let written = write_result(&learned, tested, args, args.output.as_deref().unwrap_or(standard));
    if let (Err(_), Some(path)) = (&written, &args.output) {
        say(&format!("warning: `{}` cannot be written: the theory goes to standard output", path.display()));
        write_result(&learned, tested, args, standard)?;
    }
    written?;
    logged?;
    keeper.map_or(Ok(()), Keeper::finish)?;
    if let (Some(tested), true, false) = (tested, args.prequential && !args.json, quiet) {
        say(&format!(
            "recognised with the rules so far, before learning from it:\n{}",
            prequential_table(tested.evaluation(), tested.repeated())
        ));
    }
    if let Learning::Tested(tested) = learning {
        report::write(*tested, &learned, (&folder, args), look, open, quiet)?;
    }
    if let (Some(path), false) = (&args.output, quiet) {
        say(&format!("{} → {}", printed::summary(&learned), path.display()));
    }
    if let (Some((_, told)), false) = (&weighed, quiet) {
        told.iter().for_each(|line| say(line));
    }
    if !quiet {
        printed::remarks(&learned).iter().for_each(|remark| say(&format!("remark: {remark}")));
    }
    Ok(match learned.rules.len() {
        _ if interrupted.load(Ordering::Relaxed) => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

/// How well rules fit, for a learner that does not know it itself: by recognition with them, in a second look at the stream.
fn fits(
    folder: &TaskFolder,
    frames: Source,
    learned: &Learned,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Vec<FluentFit>> {
    let theory = learned.theory();
    let mut recogniser =
        Recogniser::new(&folder.task, &theory)?.with_max_steps(MAX_STEPS).with_interrupt(interrupted.clone().into());
    let mut evaluation = Evaluation::new(&folder.task.labels());
    let mut closed = Vec::new();
    for frame in frames {
        let frame = frame?;
        recogniser.observe(&frame, &mut closed);
        if interrupted.load(Ordering::Relaxed) {
            bail!("the program was asked to end");
        }
        if let Some(stop) = recogniser.stop() {
            return Err(too_much(stop, &frame));
        }
        evaluation.count(&recogniser, &frame);
        closed.clear();
    }
    let labels = folder.task.labels();
    let started = |name: Symbol| {
        folder.task.rules(&theory).iter().any(|rule| {
            let head = Signature::of(&rule.head);
            // A fluent without arguments is its own name.
            let bare = rule.head.args.first() == Some(&Term::Value(oled::Value::Sym(name)));
            let fluent = matches!(rule.head.name.as_str(), INITIATED | INITIALLY | HOLDS);
            fluent && (bare || label_name(head) == Some(name)) || labels.contains(&head) && head.name() == name
        })
    };
    let fit = |(fluent, counts)| FluentFit {
        fluent,
        counts,
        starts: started(fluent),
        penalty: None,
        held_out: None,
        gap: None,
        looked_at: None,
    };
    Ok(evaluation.by_fluent().into_iter().map(fit).collect())
}

/// Everything that the state depends on beside the stream.
fn made_of(folder: &TaskFolder, args: &LearnArgs, overrides: &[(String, String)]) -> anyhow::Result<MadeOf> {
    let mut made_of = MadeOf::new(folder, &args.input, &args.live);
    made_of.add("the command", "learn");
    made_of.add("`--learner`", &args.learner);
    for (name, value) in
        effective_settings(folder, &args.learner, args.oled.preset.as_deref(), &|_| overrides.to_vec())?
    {
        made_of.add(&format!("the setting {name}"), value);
    }
    let theory = args.theory.as_ref().map(|path| load_theory(folder, path)).transpose()?;
    let digested = theory.map(|theory| format!("{:016x}", digest(theory.to_string().as_bytes())));
    made_of.add("the theory to start from", digested.unwrap_or_default());
    let parts = args.protocol.map(|protocol| {
        let fold = args.train_fold.map(|fold| format!(" without fold {fold}")).unwrap_or_default();
        let seed = if args.shuffle { format!(" by seed {}", args.seed) } else { String::new() };
        format!("{protocol}{fold}{seed}")
    });
    made_of.add("`--protocol`", parts.unwrap_or_default());
    made_of.add("`--prequential`", if args.prequential { "yes" } else { "" });
    made_of.add_file("`--log`", args.log.as_deref(), &args.checkpoint);
    Ok(made_of)
}

/// A learner by itself, or one whose rules are tested on the way.
enum Learning {
    Plain(Box<dyn Learner>),
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

    /// What is known so far; `None` where that cannot be told.
    fn save(&mut self, log: &mut Log) -> Option<Vec<u8>> {
        match self {
            Learning::Plain(learner) => learner.save(log),
            Learning::Tested(tested) => tested.save(log),
        }
    }

    /// Goes on with what was known.
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        match self {
            Learning::Plain(learner) => learner.restore(state),
            Learning::Tested(tested) => tested.restore(state),
        }
    }

    /// What was learned so far. A log has the rules at work as well, which are found when somebody asks for them; where they
    /// are tested that was done already.
    fn learned(&mut self, log: &mut Log) -> Learned {
        if let (Learning::Plain(learner), true) = (&mut *self, log.is_kept()) {
            learner.theory(log);
        }
        self.learner().learned(log)
    }

    fn learner(&mut self) -> &mut dyn Learner {
        match self {
            Learning::Plain(learner) => &mut **learner,
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

/// The theory so far: into the output file, which is replaced, or to the person who asks.
fn snapshot(learned: &Learned, args: &LearnArgs) -> anyhow::Result<()> {
    match &args.output {
        Some(path) => write_result(learned, None, args, path),
        None => {
            say(&printed::theory(learned));
            Ok(())
        }
    }
}

fn write_result(learned: &Learned, tested: Option<&Prequential>, args: &LearnArgs, path: &Path) -> anyhow::Result<()> {
    if !args.json {
        return write_file(path, &printed::theory(learned));
    }
    let mut json = to_json(learned, args);
    if let Some(tested) = tested {
        json["prequential"] = fluents_json(tested.evaluation());
        json["repeat_the_last_label"] = fluents_json(tested.repeated());
    }
    write_file(path, &format!("{}\n", printable_json(&json.to_string())))
}

/// A number of seconds, as an option.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|s: &f64| *s > 0.0 && s.is_finite() && *s < 1e9);
    seconds.ok_or_else(|| "a number of seconds above 0, such as 30 or 0.5".into())
}

/// A flag that the signal USR1 sets, where there are signals: somebody wants to see the theory so far.
fn request() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, flag.clone())
        .context("cannot listen for the signal USR1")?;
    Ok(flag)
}

/// What the command line sets, by name.
fn overrides(args: &LearnArgs) -> anyhow::Result<Vec<(String, String)>> {
    let OledArgs { preset, delta, depth, prune, warmup } = &args.oled;
    let ReplayArgs { penalty, runs, window, forget, no_refits } = &args.replay;
    let spec = find(&args.learner)?;
    let refits = no_refits.then(|| "false".to_string());
    // The name of the option, where it is another than that of the setting.
    let flags = [
        ("delta", None, delta),
        ("depth", None, depth),
        ("prune", None, prune),
        ("warmup", None, warmup),
        ("penalty", None, penalty),
        ("runs", None, runs),
        ("window", None, window),
        ("forget", None, forget),
        ("refits", Some("no-refits"), &refits),
    ];
    if preset.is_some() && spec.presets.is_empty() {
        bail!(for_another("preset", spec, |other| !other.presets.is_empty()));
    }
    let mut all = Vec::new();
    for (name, option, value) in flags {
        let Some(value) = value else { continue };
        if !spec.has_setting(name) {
            bail!(for_another(option.unwrap_or(name), spec, |other| other.has_setting(name)));
        }
        all.push((name.to_string(), value.clone()));
    }
    // Beside the limit of a search, which is for all learners, some have one of their own.
    if let Some(time) = args.time.filter(|_| spec.has_setting("time")) {
        all.push(("time".into(), time.to_string()));
    }
    let limits = [
        ("max_literals", &args.max_literals),
        ("max_rules", &args.max_rules),
        ("max_instances", &args.max_instances),
        ("max_steps", &args.max_steps),
    ];
    all.extend(limits.into_iter().filter_map(|(name, value)| Some((name.to_string(), value.clone()?))));
    for text in &args.set {
        let Some((name, value)) = text.split_once('=') else { bail!("`{text}` is not of the form NAME=VALUE") };
        all.push((name.trim().to_string(), value.trim().to_string()));
    }
    Ok(all)
}

/// What to say of an option that another learner has.
fn for_another(option: &str, spec: &LearnerSpec, has: impl Fn(&LearnerSpec) -> bool) -> String {
    let other = LEARNERS.iter().find(|other| has(other)).map_or("another", |other| other.name);
    format!(
        "`--{option}` is for the learner `{other}`, and this is `{}`\nhint: leave it out, or add `--learner {other}`",
        spec.name
    )
}

/// The learners there are, for the parser and for help.
pub(crate) fn learner_names() -> PossibleValuesParser {
    PossibleValuesParser::new(LEARNERS.map(|spec| PossibleValue::new(spec.name).help(spec.about)))
}

fn to_json(learned: &Learned, args: &LearnArgs) -> Value {
    let mut object = json!({"learner": args.learner});
    if let Some(preset) = find(&args.learner).ok().and_then(|spec| spec.preset(args.oled.preset.as_deref())) {
        object["preset"] = json!(preset);
    }
    object["seed"] = json!(args.shuffle.then_some(args.seed));
    if let (Value::Object(object), Value::Object(more)) = (&mut object, printed::to_json(learned)) {
        object.extend(more);
    }
    object
}
