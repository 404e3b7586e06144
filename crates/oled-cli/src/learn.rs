//! `oled learn`: rules from a stream, in one pass.

mod constants;
mod fits;
mod learning;
mod log;
mod options;
mod overrides;
pub(crate) mod printed;
mod report;
mod result;
mod supervise;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context, bail};
use oled::learn::ProgressListener;
use oled::weights::Weighing;
use oled::{Every, Frame, Learned, Learner, Theory};
use oled_data::task_folder::TaskFolder;
use oled_data::{Digest, digest};
use oled_experiment::{Prequential, costs, effective_settings, named};

use crate::Outcome;
use crate::checkpoint::{Checkpointer, Fingerprint, say_resumed};
use crate::driver::{Command, Used, drive};
use crate::evaluate::prequential_table;
use crate::init::task_or_tables;
use crate::input::{load_theory, warn, warn_of_durations};
use crate::output::{Output, write_file};
use crate::progress::{Labels, Progress, bar, say, say_skipped};
use crate::recognise::interruption;
use crate::source::{Folds, Source};
use crate::weigh::{Rules, weighed};
use crate::workers;
#[cfg(feature = "cluster")]
pub(crate) use constants::taken;
use fits::fits;
use learning::Learning;
pub(crate) use log::Log;
pub(crate) use options::{LearnArgs, learner_names, preset_names};
pub(crate) use overrides::{for_another, overrides};
use report::SecondLook;
use result::{snapshot, write_result};
use supervise::Supervisor;

/// What a checkpoint has: the position in the stream, what the learner knows, and what the log had.
type State = (Vec<u8>, Vec<u8>, Option<Digest>);

/// Lets a learner, which has seen nothing yet, learn from the stream of a command together with other processes; gives back the
/// stream, which has ended.
pub(crate) type Together<'a> =
    &'a dyn Fn(&mut dyn Learner, &TaskFolder, Fingerprint, &Arc<AtomicBool>) -> anyhow::Result<Source>;

pub(crate) fn run(args: &LearnArgs, quiet: bool) -> anyhow::Result<Outcome> {
    run_together(args, None, quiet)
}

/// The same, maybe together with other processes.
pub(crate) fn run_together(args: &LearnArgs, together: Option<Together<'_>>, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = task_or_tables(args.task.as_deref(), &args.input, quiet)?;
    let folder = constants::taken(folder, args, quiet)?;
    let overrides = overrides(args)?;
    // Wrong settings are told before anything is read.
    let mut learner = learner_of(&folder, args)?;
    let given = args.theory.as_ref().map(|path| load_theory(&folder, path)).transpose()?.unwrap_or_default();
    warn(&folder, &given, quiet);
    warn_of_durations(
        &folder,
        "while rules are learned, short intervals count like others",
        "only what is recognised with them, and compared with labels then, leaves these out",
        quiet,
    );
    if args.theory.is_some() {
        learner.start_from(&given)?;
    }
    if args.weights.weights.is_some() && !report::can_be_read_again(&folder, args)? {
        bail!(
            "weights are learned when the rules are known, and this stream cannot be read again\nhint: keep it in a file"
        );
    }
    if args.weights.weights.is_some() && args.json {
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
    let made_of = made_of(&folder, args, &overrides)?;
    // Those who learn together see to their checkpoints themselves.
    let (mut checkpointer, made_of) = match together {
        None => (Checkpointer::new(&args.checkpoint, made_of, quiet)?, None),
        Some(_) => (None, Some(made_of)),
    };
    let resumed: Option<State> = checkpointer.as_mut().map_or(Ok(None), Checkpointer::resume)?;
    let mut log = Log::new(args.log.as_deref(), quiet, resumed.as_ref().and_then(|r| r.2.clone()))?;
    let mut learning = if args.prequential || args.report.is_some() {
        Learning::Tested(Box::new(Prequential::new(&folder.task, learner, args.report.is_some())?))
    } else {
        Learning::Plain(learner)
    };
    let mut next = args.print_every.unwrap_or(u64::MAX);
    let mut position = None;
    if let (Some((at, state, _)), Some(checkpointer)) = (resumed, &checkpointer) {
        learning.restore(&state).with_context(|| checkpointer.of_no_use())?;
        // What was printed before the checkpoint is not printed again.
        while learning.learner().progress().interpretations >= next {
            next += args.print_every.unwrap_or(u64::MAX);
        }
        position = Some(at);
    }
    let interrupted = interruption()?;
    let requested = request()?;
    let supervisor = Supervisor::new(interrupted.clone(), args.time.map(Duration::from_secs_f64));
    supervisor.take_charge(learning.learner());
    // Ticks at which nothing can change are learned from without being looked at. Who reads the stream again sees all of them.
    let mut reading = folder.clone();
    if let (Some(Every::Tick(step) | Every::Idle(step)), Learning::Plain(learner)) = (folder.every(), &mut learning)
        && args.weights.weights.is_none()
        && together.is_none()
        && folder.task.settles(&Theory::default()).is_some()
        && learner.skip_ticks(step)
    {
        reading.skip_quiet(&Theory::default());
    }
    // From the beginning.
    let open = |folder: &TaskFolder| match args.protocol {
        Some(protocol) => {
            let folds = args.train_fold.map_or(Folds::All, Folds::Without);
            Source::parts(folder, &args.input, protocol, folds, args.shuffle.then_some(args.seed))
        }
        // Where several threads parse they are ahead already.
        None => Source::stream(folder, &args.input, args.threads > 1 && args.input.workers < 2),
    };
    let live = checkpointer.is_some() || args.live.follow || args.live.lateness.is_some();
    let mut frames = match args.protocol {
        _ if together.is_some() => {
            let (together, made_of) = together.zip(made_of).expect("who learns together is told of what");
            together(learning.learner(), &folder, made_of, &interrupted)?
        }
        None if live => {
            Source::live(&reading, &args.input, &args.live, &args.checkpoint, &interrupted, position.as_deref(), quiet)?
        }
        Some(_) => {
            let mut parts = open(&reading)?;
            position.as_deref().map_or(Ok(()), |position| parts.skip_to(position))?;
            parts
        }
        None => open(&reading)?,
    };
    let look = SecondLook::new(&folder, args)?;
    if position.is_some() {
        say_resumed(frames.place(), quiet);
    }
    let mut progress = Progress::new(frames.total_bytes(), quiet || args.live.follow);
    if let (true, Learning::Plain(learner)) = (can_be_spread(args), &mut learning) {
        let stream = (frames, folder.task.options.interleaved);
        let workers = args.input.workers;
        frames = match learner.segment_propositionaliser() {
            Some(propositionaliser) => {
                let learner: &mut dyn Learner = &mut **learner;
                workers::learn_propositionalised(
                    (learner, &propositionaliser),
                    &mut log,
                    stream,
                    workers,
                    &interrupted,
                    &mut progress,
                )?
            }
            None if learner.capabilities().mergeable && args.log.is_none() => {
                workers::learn(&mut **learner, &mut log, stream, workers, &interrupted, &mut progress)?
            }
            None => stream.0,
        };
    }
    let mut run = Run { args, learning, log, look, supervisor, requested, next };
    // Nothing is left where workers have taken all.
    drive(&mut run, &mut frames, &mut checkpointer, &mut progress, &interrupted)?;
    let Run { mut learning, mut log, look, mut supervisor, .. } = run;
    progress.finish();
    say_skipped(&frames.finish(), Labels::Used, quiet);
    // A search that takes long tells how far it is.
    let search = bar("", None, "{spinner} {msg}  {elapsed}", quiet);
    let told = search.clone();
    supervisor.watch(ProgressListener::new(move |line| told.set_message(line.to_string())));
    let mut learned = supervisor.search(&mut learning, |learning| learning.learned(&mut log));
    log.last(&learned);
    // A log that cannot be written is no reason to lose what was learned.
    let logged = log.finish();
    search.finish_and_clear();
    if learned.fits.is_empty() && !interrupted.load(Ordering::Relaxed) && report::can_be_read_again(&folder, args)? {
        // A stream that has gone is no reason to lose what was learned from it.
        match open(&folder).and_then(|frames| fits(&folder, frames, &learned, &interrupted)) {
            Ok(fits) => learned.fits = fits,
            Err(error) => say(&format!("warning: how well the rules fit is not known: {error:#}")),
        }
    }
    let method = args.weights.weights.filter(|_| !learned.rules.is_empty() && !interrupted.load(Ordering::Relaxed));
    let weighed = if let Some(method) = method {
        let frames = open(&folder)?;
        // As errors cost the learner, whoever says so.
        let of_learner = costs(&folder, &args.learner, args.oled.preset.as_deref(), &|_| overrides.clone())?;
        let costs = of_learner.unwrap_or(args.weights.costs.costs());
        let threads = args.input.workers;
        let weighing = Weighing { costs, method: method.into(), rules: None, threads };
        Some(weighed(&folder, &learned.theory(), frames, &weighing, Rules::Learned, quiet)?)
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
    checkpointer.map_or(Ok(()), Checkpointer::finish)?;
    if let (Some(tested), true, false) = (tested, args.prequential && !args.json, quiet) {
        say(&format!(
            "recognised with the rules so far, before learning from it:\n{}",
            prequential_table(tested.evaluation(), tested.repeated())
        ));
    }
    if let Learning::Tested(tested) = learning {
        report::write(*tested, &learned, (&folder, args), look, || open(&folder), quiet)?;
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

/// A learner at work, with what is told on the way.
struct Run<'a> {
    args: &'a LearnArgs,
    learning: Learning,
    log: Log,
    look: SecondLook,
    supervisor: Supervisor,
    /// Whether somebody wants to see the rules so far.
    requested: Arc<AtomicBool>,
    /// After so many interpretations the rules are shown next.
    next: u64,
}

impl Command for Run<'_> {
    type Prepared = Vec<u8>;
    type State = State;

    fn frame(&mut self, frame: Frame) -> anyhow::Result<Used> {
        self.learning.observe(&frame, &mut self.log)?;
        if !self.is_cut() {
            self.look.note(frame);
        }
        Ok(Used::Yes)
    }

    /// Shows the rules so far, where it is time to.
    fn after(&mut self) {
        let due = self.learning.learner().progress().interpretations >= self.next;
        if due || self.requested.swap(false, Ordering::Relaxed) {
            self.next = if due { self.next + self.args.print_every.unwrap_or(0) } else { self.next };
            let log = &mut self.log;
            let learned = self.supervisor.search(&mut self.learning, |learning| learning.learned(log));
            // What cannot be shown now is no reason to end: it is told in the end as well.
            if let Err(error) = log.flush().and_then(|()| snapshot(&learned, self.args)) {
                say(&format!("warning: {error:#}"));
            }
        }
    }

    /// A frame that was ended early is not learned from.
    fn is_cut(&mut self) -> bool {
        self.learning.learner().progress().is_cut
    }

    fn prepare(&mut self) -> anyhow::Result<Vec<u8>> {
        let Some(state) = self.learning.save(&mut self.log) else {
            bail!("the learner `{}` cannot be saved", self.args.learner)
        };
        Ok(state)
    }

    fn state(&mut self, state: Vec<u8>, position: Vec<u8>) -> anyhow::Result<State> {
        Ok((position, state, self.log.sync()?))
    }
}

/// The learner of a command, which has seen nothing yet.
pub(crate) fn learner_of(folder: &TaskFolder, args: &LearnArgs) -> anyhow::Result<Box<dyn Learner>> {
    let overrides = overrides(args)?;
    let (more, threads) = (|_: Option<&str>| overrides.clone(), args.threads.max(args.input.workers));
    Ok(oled_experiment::learner(folder, &args.learner, args.oled.preset.as_deref(), &more, threads)?)
}

/// Whether several workers may learn: not where rules are asked for, or decisions are told, before the stream ends.
fn can_be_spread(args: &LearnArgs) -> bool {
    let at_once = args.print_every.is_some() || args.live.follow;
    args.input.workers > 1 && !at_once && args.checkpoint.checkpoint.is_none()
}

/// Everything that the state depends on beside the stream.
pub(crate) fn made_of(
    folder: &TaskFolder,
    args: &LearnArgs,
    overrides: &[(String, String)],
) -> anyhow::Result<Fingerprint> {
    let mut made_of = Fingerprint::new(folder, &args.input, &args.live);
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

/// A flag that the signal USR1 sets, where there are signals: somebody wants to see the theory so far.
fn request() -> anyhow::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    signal_hook::flag::register(signal_hook::consts::SIGUSR1, flag.clone())
        .context("cannot listen for the signal USR1")?;
    Ok(flag)
}
