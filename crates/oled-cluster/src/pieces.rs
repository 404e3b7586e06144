//! Pieces: a stream that every process sees. Each reads some of its pieces and deals their frames out itself; the head puts what is told
//! of all pieces in their order, and sees to it that nothing is wrong across them.
//!
//! A piece is an epoch. It has whole segments, which come one after the other; where they are mixed, some frames of several, of which
//! each goes on where pieces before have left it. The first epoch of a run is for what it goes on from, the one after the last piece for
//! the end of the stream.

use std::cell::RefCell;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use oled::partition::{Place, Sequencer, Told};
use oled::{Frame, Symbol, state};
use serde::{Deserialize, Serialize};
use timely::dataflow::InputHandleVec;
use timely::dataflow::operators::Input;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::vec::Broadcast;

use crate::fault::{Fault, Moment};
use crate::flow::{Finished, Flow, Make, OPEN, joined};
use crate::head::{Head, Kept};
use crate::parcel::{Answer, Deed, Parcel, Piece, Seen};
use crate::shards::shard;
use crate::{Error, Hosts, SHARDS};

/// How long who has nothing to do waits until it asks whether it should stop.
const REST: Duration = Duration::from_millis(100);

/// Frames of a piece are numbered from here on, times the number of the piece: no piece has as many.
const NUMBERS: u64 = 1 << 32;

/// What was read of a piece beside its frames.
#[derive(Debug, Default)]
pub struct Reads {
    /// Whether another segment follows its last one.
    pub closed: bool,
    /// What the head wants to know of it.
    pub told: Vec<u8>,
}

/// A stream in pieces.
pub trait Pieces: Send {
    /// Whether segments are mixed, so that one may be in several pieces.
    fn is_interleaved(&self) -> bool;

    /// How many there are, the same in all processes.
    fn count(&self) -> u64;

    /// Reads a piece, and hands its frames on. An error comes after what was before it.
    fn read(&mut self, piece: u64, give: &mut dyn FnMut(Frame)) -> Result<Reads, String>;

    /// What is to be told of a piece in which segments are wrong that were there before, and came to these times: one that returns, or
    /// where they are mixed one that does not go on.
    fn returned(&mut self, piece: u64, before: &[(Symbol, i64)]) -> String;

    /// The position before a piece, for [`Pieces::go_on`].
    fn position(&mut self, piece: u64) -> Result<Vec<u8>, String>;

    /// Goes on from a position, or begins where there is none; tells which piece is the first. Asked in the first process only.
    fn go_on(&mut self, position: Option<&[u8]>) -> Result<u64, String>;

    /// What others have to know of the pieces to read the same ones; for [`Pieces::follow`].
    fn plan(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Takes over what the first process knows of the pieces.
    fn follow(&mut self, _plan: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// Whether a later run goes on behind the last piece: the end is none of the stream then.
    fn goes_on(&self) -> bool {
        false
    }
}

/// What the head says to all readers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Order {
    /// Read from this piece on, of those that are described.
    From(u64, Vec<u8>),
    /// Read no more.
    Stop,
}

/// A position in the pieces, the segments in those before it with their last times, what was told with the frame after them, and what
/// the head knows of them.
type Position = (Vec<u8>, BTreeMap<Symbol, i64>, Vec<Told>, Vec<u8>);

/// Runs this process, which reads its share of the pieces. The first one has a head, and what it goes on from, if anything; it is told
/// how it ended.
pub fn run_pieces(
    hosts: &Hosts,
    make: Make,
    mut pieces: Box<dyn Pieces>,
    head: Option<(Box<dyn Head>, Option<Kept>)>,
) -> Result<Option<Finished>, Error> {
    let collects = head.map(|(head, kept)| Collects::new(head, kept, &mut *pieces)).transpose().map_err(Error::Work)?;
    let own = Mutex::new(Some((pieces, collects)));
    let (process, processes, workers) = (hosts.process, hosts.addresses.len() as u64, hosts.workers);
    let fault = Fault::asked_for();
    let (channels, others) = hosts.channels()?;
    let guards = timely::execute::execute_from(channels, others, timely::WorkerConfig::default(), move |worker| {
        let mut flow = Flow::new(worker, make.clone(), process, fault);
        let (mut say, heard) = (InputHandleVec::new(), Rc::new(RefCell::new(Vec::<Order>::new())));
        let hears = heard.clone();
        worker.dataflow::<u64, _, _>(|scope| {
            let orders = scope.input_from(&mut say).container::<Vec<Order>>().broadcast();
            orders.sink(timely::dataflow::channels::pact::Pipeline, "orders", move |(input, _)| {
                input.for_each(|_, orders| hears.borrow_mut().append(orders));
            });
        });
        // One worker of each process reads.
        let own = (worker.index() % workers == 0).then(|| own.lock().unwrap_or_else(PoisonError::into_inner).take());
        let (mut pieces, mut collects) = own.flatten()?;
        let mut count = pieces.count();
        let mut first = None;
        if let Some(collects) = &mut collects {
            say.send(Order::From(collects.from, pieces.plan()));
            say.flush();
            collects.restore.drain(..).for_each(|(shard, state)| {
                flow.input.send(Parcel { shard, deeds: vec![Deed::Restore(state)] });
            });
        } else {
            drop(say);
            say = InputHandleVec::new();
        }
        // The next piece to be read here, and the first epoch that is not over.
        let (mut next, mut open) = (process as u64, 0);
        loop {
            for order in heard.borrow_mut().drain(..) {
                match order {
                    Order::From(from, plan) => {
                        if collects.is_none() {
                            // Who does not understand the first process is of another make: they have compared that.
                            pieces.follow(&plan).expect("it is the plan of the same program");
                            count = pieces.count();
                        }
                        first = Some(from);
                        // Whose turn it is depends on the piece alone.
                        next =
                            (from..from + processes).find(|piece| piece % processes == process as u64).unwrap_or(from);
                        flow.input.advance_to((next.min(count.max(from)) - from) + 1);
                    }
                    Order::Stop => return None,
                }
            }
            let Some(from) = first else {
                worker.step_or_park(Some(REST));
                continue;
            };
            let last = count.max(from) - from + 1;
            if next < count && next - from + 1 - open < OPEN {
                let (mut parcels, mut piece) = read(&mut *pieces, next);
                let save = collects.as_mut().is_some_and(|collects| collects.marks(next, &piece, processes));
                if save {
                    (0..SHARDS as u64).for_each(|shard| parcels.entry(shard).or_default().push(Deed::Save));
                }
                piece.told.shrink_to_fit();
                parcels.entry(shard_of(next)).or_default().push(Deed::Pass(piece));
                parcels.into_iter().for_each(|(shard, deeds)| flow.input.send(Parcel { shard, deeds }));
                next += processes;
                flow.input.advance_to((next.min(count) - from) + 1);
                worker.step();
            } else if next >= count && collects.is_none() {
                // Those who have read all of theirs work on what others read.
                return None;
            } else if let (true, Some(collects)) = (next >= count, &mut collects) {
                if !collects.ended {
                    collects.ended = true;
                    let before = pieces.goes_on().then_some(Deed::Save);
                    let deeds = || before.iter().cloned().chain([Deed::End, Deed::Save]).collect();
                    (0..SHARDS as u64).for_each(|shard| flow.input.send(Parcel { shard, deeds: deeds() }));
                    flow.input.advance_to(last + 1);
                }
                worker.step_or_park(Some(REST));
            } else {
                worker.step_or_park(Some(REST));
            }
            while open <= last && !flow.probe.less_equal(&open) {
                if let Some(collects) = &mut collects {
                    collects.take(open, flow.answered(open), &mut *pieces);
                }
                open += 1;
            }
            if let Some(over) = collects.take_if(|collects| collects.is_over() || open > last) {
                say.send(Order::Stop);
                return Some(over.finish());
            }
        }
    })
    .map_err(Error::Network)?;
    joined(guards)
}

/// Any shard will do for what is only passed on.
fn shard_of(piece: u64) -> u64 {
    piece % SHARDS as u64
}

/// Reads a piece: what there is to do with its frames, and what is known of it.
fn read(pieces: &mut dyn Pieces, number: u64) -> (BTreeMap<u64, Vec<Deed>>, Piece) {
    let base = number * NUMBERS;
    let mut parcels: BTreeMap<u64, Vec<Deed>> = BTreeMap::new();
    let interleaved = pieces.is_interleaved();
    let mut sequencer = Sequencer::new(interleaved);
    let (mut segments, mut last): (Vec<Seen>, Option<Place>) = (Vec::new(), None);
    let reads = pieces.read(number, &mut |frame| {
        let place = sequencer.place(&frame);
        let own = usize::try_from(place.segment).unwrap_or(usize::MAX);
        let place = Place { frame: base + place.frame, segment: base + place.segment, ..place };
        if let Some(over) = place.over {
            parcels.entry(shard(over)).or_default().push(Deed::Over(over, place));
        }
        match segments.get_mut(own) {
            Some(seen) => seen.times[1] = frame.time,
            None => segments.push(Seen { segment: frame.segment, frame: place.frame, times: [frame.time; 2] }),
        }
        last = Some(place);
        parcels.entry(shard(frame.segment)).or_default().push(Deed::Frame(frame, place));
    });
    let (reads, failed) = match reads {
        Ok(reads) => (reads, None),
        Err(error) => (Reads::default(), Some((base + sequencer.frames() + 1, error))),
    };
    // The last segment is over with the first frame of the next, wherever that is read.
    if let (true, Some(last), Some(Seen { segment, .. })) = (reads.closed && !interleaved, last, segments.last()) {
        let place =
            Place { frame: last.frame + 1, segment: last.segment, begins: false, over: Some(*segment), part: None };
        parcels.entry(shard(*segment)).or_default().push(Deed::Over(*segment, place));
    }
    let piece = Piece { frames: sequencer.frames(), segments, closed: reads.closed, failed, told: reads.told };
    (parcels, piece)
}

/// What the head knows of the pieces.
struct Collects {
    head: Box<dyn Head>,
    /// The first piece of this run.
    from: u64,
    restore: Vec<(u64, Vec<u8>)>,
    /// The segments that have begun, with their last times.
    seen: BTreeMap<Symbol, i64>,
    /// What was told of the end of the last segment: it is over with the first frame of the next piece, if that is a frame.
    held: Vec<Told>,
    /// The pieces behind which what is known is to be kept.
    marks: BTreeSet<u64>,
    /// Whether a segment was read that may go on: nothing is kept after it.
    unclosed: bool,
    /// Whether the end was told to all shards.
    ended: bool,
    stopped: bool,
    failed: Option<String>,
    states: Vec<(u64, Vec<u8>)>,
    fault: Option<Fault>,
}

impl Collects {
    fn new(mut head: Box<dyn Head>, kept: Option<Kept>, pieces: &mut dyn Pieces) -> Result<Collects, String> {
        let (mut position, mut seen, mut held, mut restore) = (None, BTreeMap::new(), Vec::new(), Vec::new());
        if let Some(kept) = kept {
            let (at, told): (Vec<u8>, Vec<u8>);
            let damaged = |error| format!("what is known of the position in the stream is damaged: {error}");
            (at, seen, held, told) = state::decode::<Position>(&kept.position).map_err(damaged)?;
            position = Some(at);
            head.was_read(&told);
            restore = kept.shards;
        }
        let from = pieces.go_on(position.as_deref())?;
        Ok(Collects {
            head,
            from,
            restore,
            seen,
            held,
            marks: BTreeSet::new(),
            unclosed: false,
            ended: false,
            stopped: false,
            failed: None,
            states: Vec::new(),
            fault: Fault::asked_for(),
        })
    }

    /// Whether what is known behind a piece is to be kept. The others read about as much as this process meanwhile.
    fn marks(&mut self, number: u64, piece: &Piece, processes: u64) -> bool {
        let is_due = self.head.is_due(piece.frames * processes);
        let marks = is_due && piece.failed.is_none() && !self.unclosed;
        if marks {
            self.marks.insert(number);
        }
        marks
    }

    fn is_over(&mut self) -> bool {
        self.stopped |= self.head.is_stopped();
        self.stopped || self.failed.is_some()
    }

    /// Takes the answers of the next epoch, which is over.
    fn take(&mut self, epoch: u64, answers: Vec<Answer>, pieces: &mut dyn Pieces) {
        if self.failed.is_some() {
            return;
        }
        let (mut told, mut states, mut failed): (Vec<Told>, _, Option<(u64, String)>) = (Vec::new(), Vec::new(), None);
        let mut read = None;
        for answer in answers {
            match answer {
                Answer::Told(line) => told.push(line),
                Answer::State(shard, state) => states.push((shard, state)),
                Answer::Failed(frame, error) => failed = failed.into_iter().chain([(frame, error)]).min(),
                Answer::Piece(piece) => read = Some(piece),
            }
        }
        let number = (self.from + epoch).checked_sub(1);
        if let (Some(number), Some(piece)) = (number, &read) {
            self.unclosed |= !piece.closed && piece.frames > 0;
            let returns = self.returns(number, piece, pieces);
            failed = failed.into_iter().chain(returns).chain(piece.failed.clone()).min_by_key(|(frame, _)| *frame);
            self.seen.extend(piece.segments.iter().map(|seen| (seen.segment, seen.times[1])));
            if failed.is_none() {
                self.head.was_read(&piece.told);
            }
        }
        told.sort_by_key(|told| (told.frame, told.rank));
        if let Some((frame, _)) = &failed {
            told.retain(|told| told.frame < *frame);
        }
        let told = match number {
            Some(number) if number < pieces.count() => {
                self.due(number, read.as_ref(), failed.as_ref().map(|(frame, _)| *frame), told)
            }
            // With the end the last segment is over, whatever was told of it.
            Some(_) => [std::mem::take(&mut self.held), told].concat(),
            None => told,
        };
        let is_end = number.is_some_and(|number| number >= pieces.count());
        let mut done = Ok(());
        if is_end && pieces.goes_on() && failed.is_none() {
            // Each shard has said twice what it knows: before the end, and behind it.
            let mut before = BTreeMap::new();
            states.retain(|(shard, state)| match before.entry(*shard) {
                Entry::Vacant(entry) => {
                    entry.insert(state.clone());
                    false
                }
                Entry::Occupied(_) => true,
            });
            done = self.keep(pieces.count(), before.into_iter().collect(), pieces);
        }
        states.sort_unstable();
        if let (Ok(()), false) = (&done, told.is_empty()) {
            done = self.head.write(told);
        }
        Fault::strike(self.fault, 0, epoch, Moment::Written);
        if let (Some(number), Ok(()), None) = (number.filter(|number| self.marks.remove(number)), &done, &failed)
            && !self.unclosed
        {
            done = self.keep(number + 1, std::mem::take(&mut states), pieces);
            Fault::strike(self.fault, 0, epoch, Moment::Kept);
        }
        self.states = states;
        self.failed = failed.map(|(_, error)| error).or(done.err());
    }

    /// Keeps what is known before a piece.
    fn keep(&mut self, piece: u64, shards: Vec<(u64, Vec<u8>)>, pieces: &mut dyn Pieces) -> Result<(), String> {
        let (seen, held) = (self.seen.clone(), self.held.clone());
        let position: Position = (pieces.position(piece)?, seen, held, self.head.position());
        self.head.keep(&Kept { position: state::encode(&position), sequencer: Sequencer::new(false), shards })
    }

    /// What is to be written of a piece, in its order: with its first frame what was told of the last segment before.
    fn due(&mut self, number: u64, read: Option<&Piece>, failed: Option<u64>, mut told: Vec<Told>) -> Vec<Told> {
        let (first, frames) = (number * NUMBERS + 1, read.map_or(0, |piece| piece.frames));
        if failed.is_some_and(|frame| frame <= first) {
            self.held.clear();
        } else if frames == 0 {
            return told;
        }
        let own = told.partition_point(|told| told.frame < first + frames);
        let held = std::mem::replace(&mut self.held, told.split_off(own));
        [held, told].concat()
    }

    /// What is wrong with the segments of a piece that were there before, and with which frame.
    fn returns(&self, number: u64, piece: &Piece, pieces: &mut dyn Pieces) -> Option<(u64, String)> {
        let interleaved = pieces.is_interleaved();
        let is_wrong =
            |seen: &&Seen| self.seen.get(&seen.segment).is_some_and(|before| !interleaved || seen.times[0] <= *before);
        let frame = piece.segments.iter().find(is_wrong)?.frame;
        let before = piece.segments.iter().filter_map(|seen| Some((seen.segment, *self.seen.get(&seen.segment)?)));
        let before: Vec<(Symbol, i64)> = before.collect();
        Some((frame, pieces.returned(number, &before)))
    }

    fn finish(self) -> Result<Finished, String> {
        match self.failed {
            Some(error) => Err(error),
            None => {
                let segments = Some(self.seen.len() as u64);
                Ok(Finished { head: self.head, states: self.states, stopped: self.stopped, segments })
            }
        }
    }
}
