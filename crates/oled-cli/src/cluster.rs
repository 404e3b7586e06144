//! `oled cluster`: one of several processes that recognise, learn or test together.

mod agreed;
mod deciding;
mod folds;
mod partitions;
mod reader;
mod sharing;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use oled::Learner;
use oled_cluster::{Finished, Hosts, Kept, Make};
use oled_data::task_folder::TaskFolder;

use crate::Outcome;
use crate::checkpoint::{Checkpointer, Fingerprint};
use crate::experiment::CrossvalArgs;
use crate::init::task_or_tables;
use crate::input::load_task;
use crate::learn::{LearnArgs, learner_of, run_together, taken};
use crate::progress::{Labels, say, say_skipped};
use crate::recognise::{RecogniseArgs, interruption, made_of};
use crate::workers::{Learning, Propositionalising, Recognising};
use deciding::Deciding;
use reader::{Reader, To};

/// Which process this is.
#[derive(Debug, Args)]
pub(crate) struct HostsArgs {
    /// The processes: a file with a line `host:port` for each.
    #[arg(long, value_name = "FILE")]
    hosts: PathBuf,

    /// The number of this process: that of its line, counted from 0. The first one reads the stream, and writes.
    #[arg(long, value_name = "I")]
    process: usize,

    /// All processes see the input: each reads its pieces of it, and no one feeds the others. For JSON Lines, tables of text, facts whose
    /// segments come one after the other, and logs of brokers.
    #[arg(long)]
    shared_input: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ClusterCommand {
    /// Run a theory on a stream and print the intervals of complex events.
    Recognise {
        #[command(flatten)]
        args: Box<RecogniseArgs>,
        #[command(flatten)]
        hosts: HostsArgs,
    },
    /// Learn rules from a labelled stream, in one pass, and print them with their evidence.
    Learn {
        #[command(flatten)]
        args: Box<LearnArgs>,
        #[command(flatten)]
        hosts: HostsArgs,
    },
    /// Learn from most of a stream and test on the rest, fold by fold, in several orders.
    Crossval {
        #[command(flatten)]
        args: Box<CrossvalArgs>,
        #[command(flatten)]
        hosts: HostsArgs,
    },
}

pub(crate) fn run(command: ClusterCommand, quiet: bool) -> anyhow::Result<Outcome> {
    tell_of_lost_processes();
    match command {
        ClusterCommand::Recognise { args, hosts } => {
            let shared = hosts.shared_input;
            let hosts = Hosts::read(&hosts.hosts, hosts.process, args.input.workers)?;
            recognise(&hosts, Box::leak(args), shared, quiet)
        }
        ClusterCommand::Learn { args, hosts } => {
            let shared = hosts.shared_input;
            let hosts = Hosts::read(&hosts.hosts, hosts.process, args.input.workers)?;
            learn(&hosts, Box::leak(args), shared, quiet)
        }
        ClusterCommand::Crossval { args, hosts } => {
            let hosts = Hosts::read(&hosts.hosts, hosts.process, args.input.workers)?;
            folds::crossval(&hosts, &args, quiet)
        }
    }
}

/// A thread that fails takes the process with it: a process that is alone cannot go on, and the others notice that it is gone.
fn tell_of_lost_processes() {
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let thread = std::thread::current();
        // The threads that talk to other processes fail where these are gone.
        let talks =
            thread.name().is_some_and(|name| name.contains("send") || name.contains("recv") || name.contains("timely"));
        if !talks {
            usual(panic);
        }
        say(&format!(
            "error: another process of the cluster is gone, or this one has failed: {panic}\n  hint: start all processes again; with \
             `--checkpoint FILE --resume` they go on from the last checkpoint"
        ));
        std::process::exit(2);
    }));
}

/// What a checkpoint has: what is known, and what the head wrote.
type State<T> = (Kept, T);

/// Where the first process goes on, if it keeps checkpoints and has one.
fn resumed<T: serde::de::DeserializeOwned>(
    checkpointer: Option<&mut Checkpointer<'_>>,
) -> anyhow::Result<(Option<Kept>, Option<T>)> {
    let state: Option<State<T>> = checkpointer.map_or(Ok(None), Checkpointer::resume)?;
    Ok(state.map_or((None, None), |(kept, written)| (Some(kept), Some(written))))
}

fn recognise(hosts: &Hosts, args: &'static RecogniseArgs, shared: bool, quiet: bool) -> anyhow::Result<Outcome> {
    if args.sure.confidence || args.live.follow || args.reload || args.wants_alarms() {
        bail!(
            "a cluster reads streams to their ends, and prints intervals or what holds\nhint: leave `--confidence`, `--follow`, `--reload` and what is done about events out, or use `oled recognise`"
        );
    }
    let is_head = hosts.process == 0;
    let mut folder = load_task(&args.task)?;
    let worker = Recognising::new(&mut folder, args, quiet || !is_head)?;
    let pieces =
        shared.then(|| sharing::open(&folder, &args.input, &args.live, is_head && !quiet)).transpose()?.flatten();
    let hosts = &hosts.clone().agreeing(sharing::agreed(agreed::recognise(&folder, args)?, pieces.as_ref()));
    let (header, fresh) = (worker.header(), Mutex::new(worker));
    let make: Make = Arc::new(move || Box::new(fresh.lock().unwrap_or_else(PoisonError::into_inner).clone()));
    let interrupted = interruption()?;
    if !is_head {
        sharing::run(hosts, make, pieces, None)?;
        return Ok(Outcome::Done);
    }
    let mut made_of = made_of(&folder, args)?;
    made_of.add("the cluster", sharing::kind(pieces.as_ref()));
    let mut checkpointer = Checkpointer::new(&args.checkpoint, made_of, quiet)?;
    let (kept, written) = resumed(checkpointer.as_mut())?;
    let lines = To::lines(args.output.as_deref(), header, written)?;
    let position = kept.as_ref().map(|kept| &kept.position[..]);
    let reader = match &pieces {
        Some(pieces) => Reader::shared(pieces.skipped(), checkpointer, lines, &interrupted),
        None => Reader::open(
            (&folder, &args.input, &args.live),
            (checkpointer, &args.checkpoint),
            lines,
            &interrupted,
            position,
            quiet,
        )?,
    };
    let finished = sharing::run(hosts, make, pieces, Some((Box::new(reader.0), kept)))?;
    let Finished { mut head, stopped, .. } = finished.context("the first process has a head")?;
    head.end();
    let read = reader.1.lock().unwrap_or_else(PoisonError::into_inner).take();
    let (printed, stream) = read.context("the stream was read")?;
    say_skipped(&stream.finish(), Labels::Unused, quiet);
    Ok(match printed {
        _ if stopped => Outcome::Interrupted,
        0 => Outcome::Nothing,
        _ => Outcome::Done,
    })
}

fn learn(hosts: &Hosts, args: &'static LearnArgs, shared: bool, quiet: bool) -> anyhow::Result<Outcome> {
    let frame_by_frame = [
        ("--log", args.log.is_some()),
        ("--prequential", args.prequential),
        ("--report", args.report.is_some()),
        ("--print-every", args.print_every.is_some()),
        ("--follow", args.live.follow),
        ("--protocol", args.protocol.is_some()),
    ];
    if let Some((option, _)) = frame_by_frame.iter().find(|(_, asked)| *asked) {
        bail!(
            "a cluster learns from a stream as a whole, and knows no `{option}`\nhint: leave it out, or use `oled learn --workers N`"
        );
    }
    let is_head = hosts.process == 0;
    let folder = taken(task_or_tables(args.task.as_deref(), &args.input, true)?, args, true)?;
    let mut fresh = learner_of(&folder, args)?;
    let pieces = if shared { sharing::open_to_learn(&folder, args, is_head && !quiet)? } else { None };
    let hosts = &hosts.clone().agreeing(sharing::agreed(agreed::learn(&folder, args)?, pieces.as_ref()));
    // Who decides on its way through the stream decides in the first process, on what all of them have made of frames.
    let propositionaliser = fresh.segment_propositionaliser();
    if propositionaliser.is_none() && !fresh.capabilities().mergeable {
        if !is_head {
            return Ok(Outcome::Done);
        }
        if !quiet {
            say(&format!(
                "remark: the learner `{}` looks at all of the stream at once: one process learns, the others are not needed",
                args.learner
            ));
        }
        return crate::learn::run(args, quiet);
    }
    let decides = propositionaliser.is_some();
    let fresh = Mutex::new((fresh, propositionaliser));
    let make: Make = Arc::new(move || {
        let (learner, propositionaliser) = &mut *fresh.lock().unwrap_or_else(PoisonError::into_inner);
        match propositionaliser {
            Some(propositionaliser) => Box::new(Propositionalising::new(propositionaliser.clone())),
            None => Box::new(Learning::telling(learner.copy())),
        }
    });
    if !is_head {
        // Whoever interrupts all of them is heard by the first.
        let _ignored = interruption()?;
        sharing::run(hosts, make, pieces, None)?;
        return Ok(Outcome::Done);
    }
    let pieces = Mutex::new(pieces);
    let together = |learner: &mut dyn Learner, folder: &TaskFolder, made_of: Fingerprint, stop: &Arc<AtomicBool>| {
        let mut made_of = made_of;
        let pieces = pieces.lock().unwrap_or_else(PoisonError::into_inner).take();
        made_of.add("the cluster", sharing::kind(pieces.as_ref()));
        let mut checkpointer = Checkpointer::new(&args.checkpoint, made_of, quiet)?;
        let (kept, saved) = resumed::<Option<Vec<u8>>>(checkpointer.as_mut())?;
        let position = kept.as_ref().map(|kept| &kept.position[..]);
        let copy = decides.then(|| learner.copy());
        let deciding = Deciding::new(copy, saved.flatten().as_deref(), quiet)?;
        let to = To::Decides(deciding.clone());
        let reader = match &pieces {
            Some(pieces) => Reader::shared(pieces.skipped(), checkpointer, to, stop),
            None => Reader::open(
                (folder, &args.input, &args.live),
                (checkpointer, &args.checkpoint),
                to,
                stop,
                position,
                quiet,
            )?,
        };
        let finished = sharing::run(hosts, make.clone(), pieces, Some((Box::new(reader.0), kept)))?;
        let Finished { states, mut head, segments, .. } = finished.context("the first process has a head")?;
        head.end();
        let failed = "what processes have seen cannot be put together: please report it";
        if let Some(state) = deciding.lock().unwrap_or_else(PoisonError::into_inner).save() {
            learner.restore(&state).context(failed)?;
        }
        for (_, state) in states {
            if decides { learner.add_propositionaliser(&state) } else { learner.merge(&state) }.context(failed)?;
        }
        if let (Some(segments), false) = (segments, decides) {
            learner.number_segments(segments);
        }
        let read = reader.1.lock().unwrap_or_else(PoisonError::into_inner).take();
        Ok(read.context("the stream was read")?.1)
    };
    run_together(args, Some(&together), quiet)
}
