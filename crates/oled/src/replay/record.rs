//! Record: the stream as runs. For each fluent instance, how long the same was true of it and the same was annotated.
//!
//! One pass, constant work per instance and time point. How runs are written is a matter of `track`, which parts of segments
//! are kept of `retention`, and how exactly values are kept of `bins`. While all runs fit into the budget, everything is
//! kept. Beyond it, measured values get fewer and wider bins, which takes fewer runs; if that is not enough, parts of segments
//! are forgotten, those with the largest ranks first. A long segment is kept in parts, so that some of it can be forgotten;
//! whoever reads the record sees whole segments.

mod saved;
mod segments;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::bins::{BinId, Bins, LEAST, MOST};
use super::layout::Layout;
use super::literal::Slot;
use super::retention::{Memory, Retention};
use super::track::{Index, Open, Part, Run, States, Track, Writer, intern, new_states, with_bins};
use crate::lang::Symbol;
use crate::learn::{GroupSnapshot, Loss, Snapshot};
pub(crate) use saved::RecordState;
use segments::is_same_segment;
pub(crate) use segments::{InstanceRuns, Segment};

/// A segment is cut where its changes have used up such a share of the budget: with half as many parts, half of the budget
/// can be lost to a part that does not fit; with twice as many, each would repeat who is there twice as often.
const PARTS: usize = 4;

/// The time points of a part are numbered by 32 bits: it ends long before they are used up.
const MOST_FRAMES: u32 = u32::MAX / 4;

/// States that no run has are forgotten when there are twice as many as were left the last time, and twice this number at
/// least: with half of it small records are gone through more often, with twice of it they take a few kilobytes more.
const MANY_STATES: usize = 256;

/// The parts that are being written, by their segments.
type Opened = IndexMap<Symbol, Open, FxBuildHasher>;

/// When the segments of another record count as begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Births {
    /// After those of this one.
    After,
    /// Where they stand in the stream: both records have [numbered](Record::number_segments) theirs.
    Numbered,
}

/// The stream so far.
#[derive(Clone, Debug)]
pub struct Record {
    /// For each group the distinct things that were true, as words, what is measured there, how that stands in words, and
    /// the values that were measured.
    pub(crate) states: Vec<States>,
    pub(crate) slots: Vec<Vec<Slot>>,
    pub(crate) layouts: Vec<Layout>,
    pub(crate) bins: Vec<Vec<Bins>>,
    /// So many bins a feature may have.
    most: usize,
    retention: Retention,
    open: Opened,
    interleaved: bool,
    /// For each group when its instances are lost.
    losses: Vec<Loss>,
    targets: usize,
    /// How many states were left when those that nothing speaks of were forgotten.
    spoken_of: usize,
    /// The runs that there would be if nothing were rounded, and time points; those that were forgotten included.
    added: u64,
    frames: u64,
    /// Room for the words of a state.
    key: Vec<u64>,
    /// How often bins were put together: for tests of how work grows.
    #[cfg(test)]
    settled: u64,
}

impl Record {
    /// An empty one. For each group there is what is measured, how truths stand in words, and when its instances are lost.
    pub(crate) fn new(
        memory: Memory,
        (slots, layouts): (Vec<Vec<Slot>>, Vec<Layout>),
        losses: Vec<Loss>,
        targets: usize,
        interleaved: bool,
    ) -> Record {
        Record {
            states: vec![new_states(); losses.len()],
            bins: slots.iter().map(|slots| vec![Bins::default(); slots.len()]).collect(),
            slots,
            layouts,
            most: MOST,
            retention: Retention::new(memory),
            open: IndexMap::default(),
            interleaved,
            losses,
            targets,
            spoken_of: 0,
            added: 0,
            frames: 0,
            key: Vec::new(),
            #[cfg(test)]
            settled: 0,
        }
    }

    /// Adds so many time points, one after the other, at which the same is seen.
    pub(crate) fn observe(&mut self, segment: Symbol, snapshot: &Snapshot, points: u64) {
        // What is said of somebody who is not observed may begin anew at each.
        let goes_on = snapshot.groups.iter().all(|seen| seen.absent.is_empty() && seen.initial.is_empty());
        let mut left = points;
        while left > 0 {
            self.observe_one(segment, snapshot);
            left -= 1;
            if left > 0 && goes_on {
                left -= self.go_on(segment, snapshot, left);
            }
        }
    }

    /// Lets all that was seen at the last time point of a segment go on for so many more, or as many as its part has room for.
    fn go_on(&mut self, segment: Symbol, snapshot: &Snapshot, points: u64) -> u64 {
        let open = self.open.get_mut(&segment).expect("it was opened");
        let room = MOST_FRAMES.saturating_sub(open.part.frames);
        let points = u32::try_from(points).unwrap_or(u32::MAX).min(room);
        let Open { part, groups, .. } = open;
        part.frames += points;
        self.frames += u64::from(points);
        let missed = snapshot.missed.iter().zip(&mut part.missed);
        missed.for_each(|(n, sum)| *sum += u64::from(*n) * u64::from(points));
        for (index, tracks) in groups.iter().zip(&mut part.groups) {
            index.last.iter().for_each(|track| tracks[*track as usize].go_on(points));
        }
        u64::from(points)
    }

    /// Whether frames of several segments may come mixed.
    pub(crate) fn is_interleaved(&self) -> bool {
        self.interleaved
    }

    fn observe_one(&mut self, segment: Symbol, snapshot: &Snapshot) {
        self.frames += 1;
        self.turn_to(segment);
        let part = &mut self.open.get_mut(&segment).expect("it was opened").part;
        part.frames += 1;
        snapshot.missed.iter().zip(&mut part.missed).for_each(|(n, sum)| *sum += u64::from(*n));
        for (g, seen) in snapshot.groups.iter().enumerate() {
            self.write(segment, g, seen);
        }
        self.fit();
    }

    /// Opens the part of a segment that comes next, and ends those that it comes after.
    fn turn_to(&mut self, segment: Symbol) {
        if !self.interleaved && self.open.last().is_some_and(|(open, _)| *open != segment) {
            let (_, done) = self.open.pop().expect("there is a last one");
            self.finish(done);
        }
        match self.open.get(&segment) {
            None => {
                let (born, too_old) = self.retention.begin_segment();
                self.stop_keeping(too_old);
                let new = self.begin(segment, (0, 0), born);
                self.open.insert(segment, new);
            }
            Some(open) if self.is_full(open) => {
                let Part { number, offset, frames, born, .. } = open.part;
                let next = self.begin(segment, (number + 1, offset + u64::from(frames)), born);
                let done = self.open.insert(segment, next).expect("it was open");
                self.carry(segment, &done);
                self.finish(done);
            }
            Some(_) => {}
        }
    }

    /// Writes what is seen of a group.
    fn write(&mut self, segment: Symbol, g: usize, seen: &GroupSnapshot) {
        let mut next = 0;
        loop {
            let Open { part, groups, kept } = self.open.get_mut(&segment).expect("it was opened");
            let index = &mut groups[g];
            let mut writer = Writer {
                tracks: &mut part.groups[g],
                index,
                states: &mut self.states[g],
                layout: self.layouts[g],
                bins: &mut self.bins[g],
                loss: &self.losses[g],
                time: part.frames - 1,
                kept: *kept,
                key: &mut self.key,
                begun: 0,
                dropped: 0,
                changes: 0,
            };
            while next < seen.len() && writer.write(next, seen.values(next), seen.key(next), seen.labels[next]) {
                next += 1;
            }
            let done = next == seen.len();
            if done {
                writer.lose(&seen.needed);
                for (values, absent) in &seen.absent {
                    writer.write_absent(values, &self.layouts[g].unobserved(&absent.deeds), absent.labels);
                }
                for (values, holds) in &seen.initial {
                    writer.hold(values, *holds);
                }
            }
            let Writer { begun, dropped, changes, .. } = writer;
            part.runs = part.runs + begun - dropped;
            part.changes += changes;
            self.added += changes as u64;
            if *kept {
                self.retention.add_runs(begun);
            }
            if done {
                let Index { last, now, .. } = index;
                std::mem::swap(last, now);
                now.clear();
                return;
            }
            self.settle();
        }
    }

    /// Whether a part has grown so much that the next one should begin: changes have piled up that are worth a part, and are
    /// not few beside those of the instances that the next part would have anew.
    fn is_full(&self, Open { part, groups, .. }: &Open) -> bool {
        let live: usize = groups.iter().zip(&self.losses).map(|(index, loss)| index.live(loss).len()).sum();
        let most = (self.retention.memory().runs / PARTS).max(live);
        part.frames >= MOST_FRAMES || part.changes.saturating_sub(live) > most
    }

    fn begin(&mut self, segment: Symbol, (number, offset): (u32, u64), born: u64) -> Open {
        let part = Part {
            segment,
            number,
            offset,
            born,
            frames: 0,
            groups: vec![Vec::new(); self.losses.len()],
            missed: vec![0; self.targets],
            runs: 0,
            changes: 0,
        };
        let kept = self.retention.begin_part(&part);
        Open { part, groups: vec![Index::default(); self.losses.len()], kept }
    }

    /// Lets the tracks of a part go on in the next part.
    fn carry(&mut self, segment: Symbol, done: &Open) {
        let open = self.open.get_mut(&segment).expect("the next part was opened");
        for (g, index) in done.groups.iter().enumerate() {
            let own = &mut open.groups[g];
            for t in index.live(&self.losses[g]) {
                let values = &done.part.groups[g][t as usize].values;
                let track = open.part.groups[g].len() as u32;
                open.part.groups[g].push(Track { before: Some(t), ..Track::new(values, 0) });
                own.by_values.insert(values.clone(), track);
                own.last.push(track);
            }
            if !self.bins[g].is_empty() {
                own.seen.resize(own.last.len(), Box::default());
            }
        }
    }

    /// Keeps a part that has ended, and forgets what has to be forgotten.
    fn finish(&mut self, mut done: Open) {
        if done.kept {
            self.retention.end_part(&done.part);
            done.pad(&self.losses);
            self.retention.keep(done.part);
        }
        self.fit();
        let states: usize = self.states.iter().map(IndexSet::len).sum();
        if states > 2 * self.spoken_of.max(MANY_STATES) {
            (0..self.states.len()).for_each(|g| self.renumber(g, |state| state.into()));
            self.spoken_of = self.states.iter().map(IndexSet::len).sum();
        }
    }

    /// Widens bins and forgets parts until what is left fits.
    fn fit(&mut self) {
        if self.retention.is_over() {
            self.settle();
        }
        while self.retention.is_over() && self.round() {}
        while self.retention.is_over() {
            let Some(open) = self.retention.forget_last() else { break };
            self.stop_keeping(open);
        }
    }

    /// Keeps the runs of parts no longer that are being written.
    fn stop_keeping(&mut self, segments: Vec<Symbol>) {
        for segment in segments {
            if let Some(open) = self.open.get_mut(&segment) {
                self.retention.remove_runs(open.part.runs);
                open.drop_runs();
            }
        }
    }

    /// Lets features have half as many bins, or fewer, if that makes a difference to any.
    fn round(&mut self) -> bool {
        while self.most > LEAST {
            self.most /= 2;
            let most = self.most;
            self.bins.iter_mut().flatten().for_each(|bins| bins.allow(most));
            if self.bins.iter().flatten().any(Bins::is_over) {
                self.settle();
                return true;
            }
        }
        false
    }

    /// Puts bins together where there are too many: before the record is read or what it takes is counted, and where there is no
    /// number for another bin. Doing so at once, each time that a feature had a bin too many, made a pass over five noisy gauges take
    /// ten times as long behind the first 32 768 values.
    pub(crate) fn settle(&mut self) {
        for g in 0..self.bins.len() {
            if self.bins[g].iter().any(Bins::is_over) {
                #[cfg(test)]
                {
                    self.settled += 1;
                }
                let over = self.bins[g].iter_mut().enumerate().filter(|(_, bins)| bins.is_over());
                let numbers: Vec<(usize, Vec<BinId>)> = over.map(|(slot, bins)| (slot, bins.settle())).collect();
                let layout = self.layouts[g];
                self.renumber(g, |state| with_bins(layout, state, &numbers));
            }
        }
    }

    /// Gives other words to the states of a group, and numbers those anew that are still spoken of.
    fn renumber(&mut self, g: usize, words: impl Fn(&[u64]) -> Box<[u64]>) {
        let old = std::mem::replace(&mut self.states[g], new_states());
        let states = &mut self.states[g];
        let mut numbers = vec![u32::MAX; old.len()];
        let mut number = |state: u32| {
            let number = &mut numbers[state as usize];
            if *number == u32::MAX {
                *number = intern(states, &words(&old[state as usize]));
            }
            *number
        };
        self.retention.renumber(|part| part.renumber(g, &mut number));
        for open in self.open.values_mut() {
            let before = open.part.runs;
            open.part.renumber(g, &mut number);
            if open.kept {
                self.retention.remove_runs(before - open.part.runs);
            }
        }
    }

    /// Tells how many segments of the stream began before the one that comes next, wherever they are recorded.
    pub(crate) fn number_segments(&mut self, before: u64) {
        self.retention.number_segments(before);
    }

    /// Adds what another record has seen of the same task, with the same memory.
    ///
    /// The law: records of distinct segments, each seen as a whole, make a commutative monoid up to the numbers of states and
    /// bins. An empty record is neutral, and the segments that are read are the same for every way to deal them out to
    /// records, and for every order in which these see them and are put together. It holds since everything that decides what
    /// is kept is a union, a sum, or a least: bins follow from the set of values ([`Bins`]), and the parts that are kept are
    /// the first in the order of their ranks that fit.
    ///
    /// Two things are outside of it. With a window, or where old segments are forgotten, those of `other` count as the later
    /// ones, unless they are numbered. And where there are so many runs that values are rounded, which is done only as far as needed at the time, a
    /// record may be rounded once more, or forget a part more, than one that saw a wider value first.
    ///
    /// A part that `other` was writing ends here; one that this record is writing goes on. Segments of the same name are
    /// different segments, those of this record first.
    pub(crate) fn merge(&mut self, other: Record, births: Births) {
        let Record { states, bins, retention, open, most, losses, added, frames, .. } = other;
        self.most = self.most.min(most);
        let mut numbers: Vec<Vec<u32>> = Vec::new();
        for (g, (states, bins)) in states.iter().zip(&bins).enumerate() {
            let (mut own, mut others) = (Vec::new(), Vec::new());
            for (mine, bins) in self.bins[g].iter_mut().zip(bins) {
                mine.allow(self.most);
                let [a, b] = mine.merge(bins);
                own.push(a);
                others.push(b);
            }
            let layout = self.layouts[g];
            let is_same = |ids: &Vec<BinId>| ids.iter().enumerate().all(|(old, new)| old == *new as usize);
            let [own, others] = [own, others].map(|numbers: Vec<Vec<BinId>>| {
                numbers.into_iter().enumerate().filter(|(_, ids)| !is_same(ids)).collect::<Vec<_>>()
            });
            if !own.is_empty() {
                self.renumber(g, |state| with_bins(layout, state, &own));
            }
            let words = |state: &[u64]| with_bins(layout, state, &others);
            numbers.push(states.iter().map(|state| intern(&mut self.states[g], &words(state))).collect());
        }
        let before = if births == Births::After { self.retention.begun() } else { 0 };
        let gone = self.retention.join(retention.counters(), births);
        self.stop_keeping(gone);
        let open = open.into_values().filter(|open| open.kept).map(|mut open| {
            open.pad(&losses);
            open.part
        });
        for mut part in retention.into_finished().chain(open) {
            part.born += before;
            numbers.iter().enumerate().for_each(|(g, numbers)| part.renumber(g, |state| numbers[state as usize]));
            self.retention.keep(part);
        }
        self.added += added;
        self.frames += frames;
        self.fit();
    }

    /// Whether another record can be of the same task.
    pub(crate) fn is_like(&self, other: &Record) -> bool {
        (&self.slots, &self.layouts, &self.losses, self.targets)
            == (&other.slots, &other.layouts, &other.losses, other.targets)
            && self.retention.memory() == other.retention.memory()
    }

    /// The same without what was seen, for other states of the same values.
    pub(crate) fn emptied(&self) -> Record {
        let (shapes, losses) = ((self.slots.clone(), self.layouts.clone()), self.losses.clone());
        let memory = self.retention.memory().clone();
        let new = Record::new(memory, shapes, losses, self.targets, self.interleaved);
        Record { bins: self.bins.clone(), most: self.most, ..new }
    }

    /// The number of a state.
    pub(crate) fn intern(&mut self, group: usize, key: &[u64]) -> u32 {
        intern(&mut self.states[group], key)
    }

    /// The number of runs, of those being written too.
    pub fn runs(&self) -> usize {
        self.retention.runs()
    }

    /// The number of runs that there ever would have been if nothing were rounded.
    pub(crate) fn added(&self) -> u64 {
        self.added
    }

    /// The number of segments that are kept, and of those that there were.
    pub fn segment_counts(&self) -> (usize, u64) {
        (self.kept().chunk_by(is_same_segment).count(), self.retention.begun())
    }

    /// Whether everything is kept: no part of any segment was forgotten.
    pub fn is_whole(&self) -> bool {
        self.retention.is_whole()
    }

    /// Whether measured values are kept less exactly than they would be with a larger budget.
    pub fn is_rounded(&self) -> bool {
        self.most < MOST && self.bins.iter().flatten().any(|bins| !bins.is_exact())
    }

    /// Whether no feature has more bins than it may have.
    pub(crate) fn is_settled(&self) -> bool {
        !self.bins.iter().flatten().any(Bins::is_over)
    }

    /// Time points seen.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The memory that runs and states take, in bytes, as good as it can be told.
    pub fn bytes(&self) -> usize {
        let states = self.states.iter().flat_map(|s| s.iter()).map(|s| s.len() * 8 + 48).sum::<usize>();
        let parts = self.retention.finished().chain(self.open.values().map(|o| &o.part));
        let tracks = parts.flat_map(|p| p.groups.iter().flatten());
        let runs = tracks.map(|t| t.runs.capacity() * size_of::<Run>() + size_of::<Track>() + t.values.len() * 16);
        let bins = self.bins.iter().flatten().map(|bins| bins.len() * 40).sum::<usize>();
        states + runs.sum::<usize>() + bins
    }
}

#[cfg(test)]
mod tests;
