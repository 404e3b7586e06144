//! Workers: threads that work side by side on the segments of a stream, and tell the same as one.
//!
//! One thread takes frames in their order and deals them out by segment, or in parts by groups of entities, epoch by epoch. Each worker
//! tells what it has of an epoch; when all have told theirs, it is put in order and handed on. So many epochs may be open and no more,
//! so that memory is bounded.

mod dealer;
mod evaluating;
mod learning;
mod propositionalising;
mod recognising;
mod weighing;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use anyhow::anyhow;
use oled::partition::{Groups, Told, Worker};
use oled::{Frame, Signature};
use oled_data::DataError;
use oled_data::task_folder::TaskFolder;

use crate::input::load_theory;
use crate::progress::Progress;
use crate::source::Source;
use dealer::{Dealer, Deed, Deeds, OPEN};
pub(crate) use evaluating::evaluate;
pub(crate) use learning::learn;
pub(crate) use propositionalising::learn_propositionalised;
pub(crate) use recognising::{can_recognise, recognise};
pub(crate) use weighing::{Counted, count};
#[cfg(feature = "cluster")]
pub(crate) use {
    learning::Learning, learning::Warning, learning::Warnings, propositionalising::Propositionalising,
    recognising::Recognising,
};

/// What a worker has of an epoch; an error comes after what was told before, at its frame.
type OfEpoch = (Vec<Told>, Option<(u64, String)>);

/// Why there are no more frames.
type Ended = Result<(), DataError>;

/// The groups of entities that a theory leaves apart, of which something is told. There are none where limits were set: a limit is one
/// of a time point, of which nobody sees all then, and those that are there without being asked for are for rules that would not end.
pub(crate) fn groups(
    folder: &TaskFolder,
    theory: &Path,
    told: &[Signature],
    usual_limits: bool,
) -> anyhow::Result<Option<Groups>> {
    Ok(if usual_limits { Groups::new(&folder.task, &load_theory(folder, theory)?, told) } else { None })
}

/// Deals a stream out to workers until it ends, or somebody asks to stop: by segment, and where there are `groups` in parts too. What
/// they tell is handed on in the order of the stream. Gives back the stream and the workers.
pub(crate) fn run<W: Worker>(
    mut frames: Source,
    (interleaved, groups): (bool, Option<Groups>),
    mut workers: Vec<W>,
    stop: &AtomicBool,
    progress: &mut Progress,
    mut hand_on: impl FnMut(Vec<Told>) -> anyhow::Result<()>,
) -> anyhow::Result<(Source, Vec<W>)> {
    let done: anyhow::Result<Ended> = thread::scope(|scope| {
        let (mut give, mut take) = (Vec::new(), Vec::new());
        for worker in &mut workers {
            let (deeds, given) = sync_channel::<Deeds>(OPEN);
            let (tell, told) = sync_channel::<OfEpoch>(OPEN);
            scope.spawn(move || work(worker, &given, &tell));
            give.push(deeds);
            take.push(told);
        }
        let (frames, progress) = (&mut frames, progress);
        let dealer = Dealer::new(interleaved, groups, give.len());
        let dealing = scope.spawn(move || deal(frames, dealer, &give, stop, progress));
        in_order(&take, &mut hand_on)?;
        dealing.join().map_err(|_| anyhow!("the thread that deals out frames has failed: please report it"))
    });
    done??;
    Ok((frames, workers))
}

/// Deals frames out, as long as workers take them.
fn deal(
    frames: &mut Source,
    mut dealer: Dealer,
    workers: &[SyncSender<Deeds>],
    stop: &AtomicBool,
    progress: &mut Progress,
) -> Ended {
    let mut ended = None;
    while ended.is_none() {
        while ended.is_none() && !dealer.is_full() {
            match frames.next() {
                _ if stop.load(Ordering::Relaxed) => ended = Some(Ok(())),
                None => ended = Some(Ok(())),
                Some(Err(error)) => ended = Some(Err(error)),
                Some(Ok(frame)) => {
                    progress.frame_at(|| frames.bytes_read());
                    dealer.take(&frame);
                }
            }
        }
        // Whoever does not listen any more has told why.
        if workers.iter().zip(dealer.epoch()).any(|(worker, deeds)| worker.send(deeds).is_err()) {
            break;
        }
    }
    ended.unwrap_or(Ok(()))
}

/// Does what there is to do, epoch by epoch.
fn work(worker: &mut impl Worker, epochs: &Receiver<Deeds>, tell: &SyncSender<OfEpoch>) {
    let mut room: Option<Frame> = None;
    for Deeds { deeds, frames } in epochs {
        let (mut told, mut failed) = (Vec::new(), None);
        let mut next = 0..frames.len();
        for deed in deeds {
            match deed {
                Deed::Over(segment, place) => worker.over(segment, &place, &mut told),
                Deed::Frame(place) => {
                    let at = next.next().expect("there is a frame for each deed");
                    let frame = match &mut room {
                        None => room.insert(frames.get(at)),
                        Some(frame) => {
                            frames.read(at, frame);
                            frame
                        }
                    };
                    if let Err(error) = worker.frame(frame, &place, &mut told) {
                        failed = Some((place.frame, error));
                        break;
                    }
                }
            }
        }
        let is_last = failed.is_some();
        if tell.send((told, failed)).is_err() || is_last {
            return;
        }
    }
}

/// Puts what workers tell in order, epoch by epoch, up to the end or the first error.
fn in_order(
    workers: &[Receiver<OfEpoch>],
    hand_on: &mut impl FnMut(Vec<Told>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    loop {
        let (mut all, mut failed): (Vec<Told>, Option<(u64, String)>) = (Vec::new(), None);
        for worker in workers {
            // All of them are told of each epoch, so that they end together.
            let Ok((told, error)) = worker.recv() else { return Ok(()) };
            all.extend(told);
            failed = failed.into_iter().chain(error).min();
        }
        sort(&mut all);
        if let Some((frame, error)) = failed {
            all.retain(|told| told.frame < frame);
            hand_on(all)?;
            return Err(anyhow!(error));
        }
        if !all.is_empty() {
            hand_on(all)?;
        }
    }
}

/// Puts what was told in order; what belongs to one place was told by one worker, in its order, or by several in parts.
pub(crate) fn sort(told: &mut [Told]) {
    told.sort_by_key(|told| (told.frame, told.rank));
}
