//! The dataflow: parcels go to the workers of their shards, answers go to the head, and the head acts when an epoch is over.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

use oled::partition::{Sequencer, Told, Worker};
use timely::dataflow::channels::pact::Exchange;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::dataflow::{InputHandleVec, ProbeHandle};

use crate::fault::{Fault, Moment};
use crate::head::{Head, Kept, Next};
use crate::parcel::{Answer, Deed, Parcel};
use crate::shards::{Shards, shard};
use crate::{Error, Hosts};

/// Epochs that may be open: the reader waits then. Where segments come one after the other, those that are at hand together are
/// worked on side by side, so that there should be room for some of the usual length.
pub(crate) const OPEN: u64 = 64;

/// Makes the worker of a shard.
pub type Make = Arc<dyn Fn() -> Box<dyn Worker> + Send + Sync>;

/// How it ended, in the first process.
pub struct Finished {
    /// The head, as it was given.
    pub head: Box<dyn Head>,
    /// What each shard knew in the end.
    pub states: Vec<(u64, Vec<u8>)>,
    /// Whether somebody asked to stop.
    pub stopped: bool,
    /// How many segments there were, where workers could not be told: each process has read its pieces.
    pub segments: Option<u64>,
}

/// What a worker has of the dataflow.
pub(crate) struct Flow {
    /// Where parcels go in.
    pub(crate) input: InputHandleVec<u64, Parcel>,
    /// Which epochs are over.
    pub(crate) probe: ProbeHandle<u64>,
    /// What was answered, by epoch, in the first worker of all.
    pub(crate) answers: Rc<RefCell<BTreeMap<u64, Vec<Answer>>>>,
}

impl Flow {
    pub(crate) fn new(worker: &mut timely::worker::Worker, make: Make, process: usize, fault: Option<Fault>) -> Flow {
        let answers: Rc<RefCell<BTreeMap<u64, Vec<Answer>>>> = Rc::default();
        let mut input = InputHandleVec::new();
        let probe = ProbeHandle::new();
        let (mut shards, collected) = (Shards::new(make), answers.clone());
        worker.dataflow::<u64, _, _>(|scope| {
            let mut waiting: BTreeMap<u64, Vec<Parcel>> = BTreeMap::new();
            scope
                .input_from(&mut input)
                .unary_notify(
                    Exchange::new(|parcel: &Parcel| parcel.shard),
                    "work",
                    None,
                    move |input, output, notificator| {
                        input.for_each_time(|time, data| {
                            let parcels = waiting.entry(*time.time()).or_default();
                            data.for_each(|parcel| parcels.append(parcel));
                            notificator.notify_at(time.retain(output.output_index()));
                        });
                        notificator.for_each(|time, _, _| {
                            let Some(parcels) = waiting.remove(time.time()) else { return };
                            Fault::strike(fault, process, *time.time(), Moment::Work);
                            let mut session = output.session(&time);
                            shards.work(parcels, |answer| session.give(answer));
                        });
                    },
                )
                .container::<Vec<Answer>>()
                .unary(Exchange::new(|_: &Answer| 0), "collect", move |_, _| {
                    move |input, output| {
                        input.for_each_time(|time, data| {
                            let mut collected = collected.borrow_mut();
                            let own = collected.entry(*time.time()).or_default();
                            data.for_each(|answer| own.append(answer));
                            // Nothing goes on from here, but the type of it is asked for.
                            output.session(&time).give_iterator(std::iter::empty::<()>());
                        });
                    }
                })
                .container::<Vec<()>>()
                .probe_with(&probe);
        });
        Flow { input, probe, answers }
    }

    /// Takes what was answered in an epoch that is over.
    pub(crate) fn answered(&self, epoch: u64) -> Vec<Answer> {
        self.answers.borrow_mut().remove(&epoch).unwrap_or_default()
    }
}

/// Runs this process. The first one has a head, and what it goes on from, if anything; it is told how it ended.
pub fn run(hosts: &Hosts, make: Make, head: Option<(Box<dyn Head>, Option<Kept>)>) -> Result<Option<Finished>, Error> {
    let head = Mutex::new(head);
    let (process, fault) = (hosts.process, Fault::asked_for());
    let (channels, others) = hosts.channels()?;
    let guards = timely::execute::execute_from(channels, others, timely::WorkerConfig::default(), move |worker| {
        let mut flow = Flow::new(worker, make.clone(), process, fault);
        let head = if worker.index() == 0 { head.lock().unwrap_or_else(PoisonError::into_inner).take() } else { None };
        let (head, kept) = head?;
        let mut feeder = Feeder::new(head, kept, fault);
        let mut next = 0;
        // The next epoch is fed while few are open; those that are over are taken in their order.
        while !(feeder.over && feeder.written == next) {
            if !feeder.over && next - feeder.written < OPEN {
                feeder.feed(next).into_iter().for_each(|parcel| flow.input.send(parcel));
                next += 1;
                flow.input.advance_to(next);
                worker.step();
            } else {
                worker.step_or_park(None);
            }
            while feeder.written < next && !flow.probe.less_equal(&feeder.written) {
                feeder.take(flow.answered(feeder.written));
            }
        }
        Some(feeder.finish())
    })
    .map_err(Error::Network)?;
    joined(guards)
}

/// What came of all workers of this process.
pub(crate) fn joined(
    guards: timely::communication::WorkerGuards<Option<Result<Finished, String>>>,
) -> Result<Option<Finished>, Error> {
    let mut finished = None;
    for result in guards.join() {
        match result {
            Ok(Some(of_head)) => finished = Some(of_head),
            Ok(None) => {}
            Err(error) => return Err(Error::Work(format!("a worker has failed: {error}"))),
        }
    }
    finished.transpose().map_err(Error::Work)
}

/// What the head knows of the epochs.
struct Feeder {
    head: Box<dyn Head>,
    sequencer: Sequencer,
    /// Shards that have seen a frame.
    used: BTreeSet<u64>,
    /// What shards go on from, until they are told.
    restore: Vec<(u64, Vec<u8>)>,
    /// Whether there will be no more epochs.
    over: bool,
    /// The epochs that were taken.
    written: u64,
    /// The epochs that are to be kept, with what is known at their ends.
    marks: BTreeMap<u64, (Vec<u8>, Sequencer)>,
    states: Vec<(u64, Vec<u8>)>,
    stopped: bool,
    /// What went wrong, and whether that was in the work: nothing is written after it then.
    failed: Option<String>,
    broken: bool,
    fault: Option<Fault>,
}

impl Feeder {
    fn new(head: Box<dyn Head>, kept: Option<Kept>, fault: Option<Fault>) -> Feeder {
        let (sequencer, restore) = match kept {
            Some(kept) => (kept.sequencer, kept.shards),
            None => (Sequencer::new(head.is_interleaved()), Vec::new()),
        };
        Feeder {
            head,
            sequencer,
            used: restore.iter().map(|(shard, _)| *shard).collect(),
            restore,
            over: false,
            written: 0,
            marks: BTreeMap::new(),
            states: Vec::new(),
            stopped: false,
            failed: None,
            broken: false,
            fault,
        }
    }

    /// What there is to do in the next epoch.
    fn feed(&mut self, epoch: u64) -> Vec<Parcel> {
        let mut parcels: BTreeMap<u64, Vec<Deed>> = BTreeMap::new();
        for (shard, state) in self.restore.drain(..) {
            parcels.entry(shard).or_default().push(Deed::Restore(state));
        }
        let (mut frames, mut keep, mut at_end) = (0, false, false);
        while frames < self.head.epoch() && self.failed.is_none() && !self.over {
            match self.head.next() {
                Next::Frame(frame) => {
                    frames += 1;
                    let place = self.sequencer.place(&frame);
                    if let Some(over) = place.over {
                        parcels.entry(shard(over)).or_default().push(Deed::Over(over, place));
                    }
                    let own = self.head.shard(&frame);
                    self.used.insert(own);
                    parcels.entry(own).or_default().push(Deed::Frame(frame, place));
                }
                Next::AtEnd => {
                    (keep, at_end) = (true, true);
                    break;
                }
                Next::Stopped => (self.over, self.stopped, keep) = (true, true, true),
                Next::Over => {
                    self.over = true;
                    for shard in &self.used {
                        parcels.entry(*shard).or_default().extend([Deed::End, Deed::Save]);
                    }
                }
                Next::Failed(error) => self.failed = Some(error),
            }
        }
        self.over |= self.failed.is_some();
        let is_due = self.head.is_due(frames);
        if keep || is_due && !self.over {
            self.marks.insert(epoch, (self.head.position(), self.sequencer.clone()));
            self.used.iter().for_each(|shard| parcels.entry(*shard).or_default().push(Deed::Save));
        }
        if at_end {
            self.head.end();
        }
        parcels.into_iter().map(|(shard, deeds)| Parcel { shard, deeds }).collect()
    }

    /// Takes the answers of the next epoch, which is over.
    fn take(&mut self, answers: Vec<Answer>) {
        let (mut told, mut states, mut failed): (Vec<Told>, _, Option<(u64, String)>) = (Vec::new(), Vec::new(), None);
        for answer in answers {
            match answer {
                Answer::Told(line) => told.push(line),
                Answer::State(shard, state) => states.push((shard, state)),
                // Here the head reads all of it.
                Answer::Piece(_) => {}
                Answer::Failed(frame, error) => failed = failed.into_iter().chain([(frame, error)]).min(),
            }
        }
        let mark = self.marks.remove(&self.written);
        self.written += 1;
        // After the first thing that went wrong nothing is written any more; what was wrong with the stream came later.
        if self.broken {
            return;
        }
        // What belongs to one place was told by one worker, in its order.
        told.sort_by_key(|told| (told.frame, told.rank));
        if let Some((frame, _)) = &failed {
            told.retain(|told| told.frame < *frame);
        }
        states.sort_unstable();
        let epoch = self.written - 1;
        let mut done = if told.is_empty() { Ok(()) } else { self.head.write(told) };
        Fault::strike(self.fault, 0, epoch, Moment::Written);
        if let (Some((position, sequencer)), Ok(()), None) = (mark, &done, &failed) {
            let kept = Kept { position, sequencer, shards: states };
            done = self.head.keep(&kept);
            Fault::strike(self.fault, 0, epoch, Moment::Kept);
            states = kept.shards;
        }
        self.states = states;
        if let Some(error) = failed.map(|(_, error)| error).or(done.err()) {
            (self.failed, self.over, self.broken) = (Some(error), true, true);
        }
    }

    fn finish(self) -> Result<Finished, String> {
        match self.failed {
            Some(error) => Err(error),
            None => Ok(Finished { head: self.head, states: self.states, stopped: self.stopped, segments: None }),
        }
    }
}
