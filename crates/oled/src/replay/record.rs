//! Record: the stream as runs. For each fluent instance, how long the same was true of it and the same was annotated.
//!
//! One pass, constant work per instance and time point. How runs are written is a matter of `track`, which parts of segments
//! are kept of `retention`, and how exactly values are kept of `bins`. While all runs fit into the budget, everything is
//! kept. Beyond it, measured values get fewer and wider bins, which takes fewer runs; if that is not enough, parts of segments
//! are forgotten, those with the largest ranks first. A long segment is kept in parts, so that some of it can be forgotten;
//! whoever reads the record sees whole segments.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::bins::{BinId, Bins, BinsState, LEAST, MOST, NOTHING};
use super::layout::Layout;
use super::literal::Slot;
use super::retention::{Memory, Retention, rank};
use super::track::{AWAY, Index, Open, Part, Run, States, Track, Writer, intern, new_states, with_bins};
use crate::lang::{Symbol, Value};
use crate::learn::{Loss, Seen, Sight};
use crate::state::{StateError, ensure, ensure_counts};

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

/// What a record knows of the stream so far: states, values, parts, those that are open, how many bins a gauge may have, and
/// its counters.
#[derive(Deserialize)]
pub(crate) struct RecordState(Vec<States>, Vec<Vec<BinsState>>, Vec<Part>, Opened, usize, [u64; 5]);

/// The stream so far.
#[derive(Clone, Debug)]
pub struct Record {
    /// For each group the distinct things that were true, as words, what is measured there, how that stands in words, and
    /// the values that were measured.
    pub(crate) states: Vec<States>,
    pub(crate) slots: Vec<Vec<Slot>>,
    pub(crate) layouts: Vec<Layout>,
    pub(crate) bins: Vec<Vec<Bins>>,
    /// So many bins a gauge may have.
    most: usize,
    retention: Retention,
    open: Opened,
    interleaved: bool,
    /// For each group when its instances are lost.
    losses: Vec<Loss>,
    targets: usize,
    /// How many states were left when those that nothing speaks of were forgotten.
    spoken_of: usize,
    /// Runs and time points, those that were forgotten included.
    added: u64,
    frames: u64,
    /// Room for the words of a state.
    key: Vec<u64>,
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
        }
    }

    /// Adds a time point.
    pub(crate) fn observe(&mut self, segment: Symbol, sight: &Sight) {
        self.frames += 1;
        self.turn_to(segment);
        let part = &mut self.open.get_mut(&segment).expect("it was opened").part;
        part.frames += 1;
        sight.missed.iter().zip(&mut part.missed).for_each(|(n, sum)| *sum += u64::from(*n));
        for (g, seen) in sight.groups.iter().enumerate() {
            self.write(segment, g, seen);
        }
        self.settle();
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
    fn write(&mut self, segment: Symbol, g: usize, seen: &Seen) {
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
            self.added += begun as u64;
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

    /// Lets gauges have half as many bins, or fewer, if that makes a difference to any.
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

    /// Puts bins together where there are too many.
    fn settle(&mut self) {
        for g in 0..self.bins.len() {
            if self.bins[g].iter().any(Bins::is_over) {
                let numbers: Vec<Vec<BinId>> = self.bins[g].iter_mut().map(Bins::settle).collect();
                let layout = self.layouts[g];
                self.renumber(g, |state| with_bins(layout, state, |slot, bin| numbers[slot][bin as usize]));
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

    /// Adds what another record has seen of the same task, with the same memory.
    ///
    /// The law: records of distinct segments, each seen as a whole, make a commutative monoid up to the numbers of states and
    /// bins. An empty record is neutral, and the segments that are read are the same for every way to deal them out to
    /// records, and for every order in which these see them and are put together. It holds since everything that decides what
    /// is kept is a union, a sum, or a least: bins follow from the set of values ([`Bins`]), and the parts that are kept are
    /// the first in the order of their ranks that fit.
    ///
    /// Two things are outside of it. With a window, or where old segments are forgotten, those of `other` count as the later
    /// ones. And where there are so many runs that values are rounded, which is done only as far as needed at the time, a
    /// record may be rounded once more, or forget a part more, than one that saw a wider value first.
    ///
    /// A part that `other` was writing ends here; one that this record is writing goes on. Segments of the same name are
    /// different segments, those of this record first.
    pub(crate) fn merge(&mut self, other: Record) {
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
            if !own.iter().all(is_same) {
                self.renumber(g, |state| with_bins(layout, state, |slot, bin| own[slot][bin as usize]));
            }
            let words = |state: &[u64]| with_bins(layout, state, |slot, bin| others[slot][bin as usize]);
            numbers.push(states.iter().map(|state| intern(&mut self.states[g], &words(state))).collect());
        }
        let before = self.retention.begun();
        let gone = self.retention.join(retention.counters());
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

    /// What it knows of the stream so far, as [`RecordState`].
    pub(crate) fn state(&self) -> impl Serialize {
        let [limit, begun, cut] = self.retention.counters();
        let parts: Vec<&Part> = self.retention.finished().collect();
        let bins: Vec<Vec<BinsState>> = self.bins.iter().map(|bins| bins.iter().map(Bins::state).collect()).collect();
        (&self.states, bins, parts, &self.open, self.most, [limit, begun, cut, self.added, self.frames])
    }

    /// Goes on with what was written; `shapes` has the width of each group, and tells whether a key can be one of its.
    pub(crate) fn restore(
        &mut self,
        state: RecordState,
        shapes: &[(usize, impl Fn(&[u64]) -> bool)],
    ) -> Result<(), StateError> {
        let RecordState(states, bins, parts, open, most, [limit, begun, cut, added, frames]) = state;
        ensure(states.len() == shapes.len() && bins.len() == shapes.len(), "the groups of heads")?;
        ensure((LEAST..=MOST).contains(&most) && most.is_power_of_two(), "the numbers of bins")?;
        let mut known: Vec<Vec<Bins>> = Vec::new();
        for (bins, slots) in bins.into_iter().zip(&self.slots) {
            ensure(bins.len() == slots.len(), "the gauges")?;
            known.push(bins.into_iter().map(|bins| Bins::restore(bins, most)).collect::<Result<_, _>>()?);
        }
        for ((states, (_, fits)), (layout, bins)) in states.iter().zip(shapes).zip(self.layouts.iter().zip(&known)) {
            let away = states.first().is_some_and(|key| key.is_empty());
            ensure(away && states.iter().all(|key| fits(key)), "the truths of instances")?;
            let truths = states.iter().flat_map(|key| key.chunks(layout.stride()));
            let in_bins = |truth: &[u64]| {
                let mut numbers = bins.iter().enumerate().map(|(slot, bins)| (layout.measured(truth, slot), bins));
                numbers.all(|(bin, bins)| bin == NOTHING || (bin as usize) < bins.len())
            };
            ensure(truths.into_iter().all(in_bins), "the values that were measured")?;
        }
        ensure_counts([begun, cut, added, frames])?;
        for part in parts.iter().chain(open.values().map(|o| &o.part)) {
            ensure(part.groups.len() == shapes.len() && part.missed.len() == self.targets, "the groups of heads")?;
            ensure(part.born <= begun && part.number < u32::MAX / 2, "the numbers of segments")?;
            let sums = [part.runs as u64, part.changes as u64, part.offset];
            ensure_counts(part.missed.iter().copied().chain(sums))?;
            for ((tracks, (width, _)), states) in part.groups.iter().zip(shapes).zip(&states) {
                ensure(tracks.iter().all(|t| t.fits(*width, states.len(), part.frames)), "the tracks of instances")?;
            }
            let runs: usize = part.groups.iter().flatten().map(|track| track.runs.len()).sum();
            ensure(runs == part.runs, "the numbers of runs")?;
        }
        for (segment, Open { part, groups, .. }) in &open {
            ensure(groups.len() == shapes.len() && part.segment == *segment, "the groups of heads")?;
            ensure((1..u32::MAX / 2).contains(&part.frames), "the time points of a segment")?;
            for (((index, tracks), layout), states) in groups.iter().zip(&part.groups).zip(&self.layouts).zip(&states) {
                let known = |t: &u32| (*t as usize) < tracks.len();
                let own = |values: &[Value], t: u32| known(&t) && *tracks[t as usize].values == *values;
                let owned = index.by_values.iter().all(|(values, t)| own(values, *t));
                let seen = index.seen.len() == if layout.slots() == 0 { 0 } else { tracks.len() };
                // What was seen is compared with what will be seen: its state has the same shape.
                let shaped = index.seen.iter().zip(tracks).all(|(seen, track)| {
                    let length = seen.len() / layout.seen() * layout.stride();
                    let same = |run: &Run| states[run.state as usize].len() == length;
                    seen.is_empty() || track.runs.last().is_none_or(|run| run.state == AWAY || same(run))
                });
                ensure(index.last.iter().all(known) && owned && seen && shaped, "the tracks of instances")?;
            }
        }
        let mut retention = Retention::resumed(self.retention.memory().clone(), [limit, begun, cut]);
        let count = parts.len();
        parts.into_iter().for_each(|part| retention.keep(part));
        ensure(retention.finished().count() == count, "the ranks of segments")?;
        for open in open.values().filter(|open| open.kept) {
            ensure(retention.resume_part(&open.part), "the ranks of segments")?;
        }
        (self.states, self.bins, self.open, self.most) = (states, known, open, most);
        (self.retention, self.added, self.frames, self.spoken_of) = (retention, added, frames, 0);
        Ok(())
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

    /// All segments that are kept, those being written too, in the order of their ranks: the same for every order in which
    /// they came. What is kept of a segment in several parts is put together.
    pub(crate) fn segments(&self) -> Vec<Segment<'_>> {
        self.kept().chunk_by(is_same_segment).map(|parts| self.segment(parts)).collect()
    }

    /// The parts that are kept, those of a segment together and in their order; with what is being written.
    fn kept(&self) -> Vec<Kept<'_>> {
        let open = self.open.values().filter(|o| o.kept).map(|o| (&o.part, Some(o)));
        let mut parts: Vec<Kept<'_>> = self.retention.finished().map(|p| (p, None)).chain(open).collect();
        let order = |p: &Part| (rank(p.segment, 0), p.segment.as_str(), p.born, p.number);
        parts.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
        parts
    }

    /// The parts of a segment as one.
    fn segment<'a>(&'a self, parts: &[Kept<'a>]) -> Segment<'a> {
        let Part { segment, .. } = *parts[0].0;
        let mut missed = vec![0; self.targets];
        for (part, _) in parts {
            part.missed.iter().zip(&mut missed).for_each(|(n, sum)| *sum += n);
        }
        let groups = (0..self.losses.len()).map(|g| self.courses(parts, g)).collect();
        Segment { name: segment, rank: rank(segment, 0), missed, groups }
    }

    /// The tracks of a group, each put together from its parts.
    fn courses<'a>(&self, parts: &[Kept<'a>], g: usize) -> Vec<Course<'a>> {
        let mut courses: Vec<Course<'_>> = Vec::new();
        // For the part before, its number, and the course of each of its tracks.
        let mut before: (u32, Vec<usize>) = (0, Vec::new());
        for (part, open) in parts {
            let mut own = Vec::with_capacity(part.groups[g].len());
            for (t, track) in part.groups[g].iter().enumerate() {
                let follows = before.0 + 1 == part.number && !before.1.is_empty();
                let known = track.before.filter(|_| follows).and_then(|b| before.1.get(b as usize).copied());
                let at = known.unwrap_or_else(|| {
                    courses.push(Course {
                        values: &track.values,
                        start: part.offset + u64::from(track.start),
                        initial: track.initial,
                        censored: track.before.is_some(),
                        runs: Cow::Borrowed(&[]),
                        away: 0,
                    });
                    courses.len() - 1
                });
                let course = &mut courses[at];
                if course.runs.is_empty() {
                    course.runs = Cow::Borrowed(&track.runs);
                } else if !track.runs.is_empty() {
                    course.runs.to_mut().extend_from_slice(&track.runs);
                }
                // What goes on while it is not observed has not been told yet of the time since it was.
                let live = |o: &&Open| o.groups[g].by_values.get(&track.values) == Some(&(t as u32));
                if self.losses[g] != Loss::Any && open.as_ref().is_some_and(live) {
                    course.away = part.frames - track.end;
                }
                own.push(at);
            }
            before = (part.number, own);
        }
        courses
    }

    /// The number of runs, of those being written too.
    pub fn runs(&self) -> usize {
        self.retention.runs()
    }

    /// The number of runs that there ever were.
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

/// A part that is kept, and what is known of it while it is being written.
type Kept<'a> = (&'a Part, Option<&'a Open>);

fn is_same_segment(a: &Kept<'_>, b: &Kept<'_>) -> bool {
    (a.0.segment, a.0.born) == (b.0.segment, b.0.born)
}

/// A segment as it is remembered.
#[derive(Clone, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) name: Symbol,
    /// A number that looks random and depends on its name only.
    pub(crate) rank: u64,
    /// For each target the time points annotated of what cannot hold.
    pub(crate) missed: Vec<u64>,
    /// For each group its instances.
    pub(crate) groups: Vec<Vec<Course<'a>>>,
}

/// A fluent instance from where it is first observed to where it is lost, or its segment ends.
#[derive(Clone, Debug)]
pub(crate) struct Course<'a> {
    pub(crate) values: &'a [Value],
    /// The time points of the segment before it.
    pub(crate) start: u64,
    /// A bit for each target of the group: the background says that it holds at its first time point.
    pub(crate) initial: u64,
    /// Whether it goes back to a part that is forgotten. What is annotated at its first time points began there, and rules
    /// cannot be judged by it.
    pub(crate) censored: bool,
    runs: Cow<'a, [Run]>,
    /// Time points at the end at which it was not observed.
    away: u32,
}

impl<'a> Course<'a> {
    /// The course with other runs.
    pub(crate) fn with(&self, runs: Vec<Run>) -> Course<'a> {
        Course { runs: Cow::Owned(runs), away: 0, ..*self }
    }

    /// One after the other.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let away = (self.away > 0).then_some(Run { state: AWAY, length: self.away, labels: 0 });
        self.runs.iter().copied().chain(away)
    }

    /// Whether it has no time points.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.away == 0
    }
}

#[cfg(test)]
mod tests;
