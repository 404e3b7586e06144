//! Record: the stream as runs. For each fluent instance, how long the same was true of it and the same was annotated.
//!
//! One pass, constant work per instance and time point. While all runs fit into the budget, everything is kept as it was.
//! Beyond it, measured values are kept on a coarse grid, which takes fewer runs; if that is not enough, whole segments are
//! forgotten: a sample is kept, chosen by a hash of their names. What is kept does not depend on the order of the segments,
//! and old and new ones are kept alike. A long segment is kept in parts, so that some of it can be forgotten; whoever reads
//! the record sees whole segments.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::summary::coarser;
use super::classes::nothing_measured;
use super::literal::Slot;
use crate::induce::Mask;
use crate::lang::{Symbol, Value};
use crate::learn::{Loss, Sight};
use crate::logic::Relation;
use crate::state::{StateError, ensure, ensure_counts};

/// How much of the stream is remembered.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// At most so many runs.
    pub runs: usize,
    /// At most so many segments, the last ones; all if `None`.
    pub window: Option<usize>,
    /// The number of segments after which half of them are forgotten; none are if `None`.
    pub forget: Option<f64>,
}

impl Default for Memory {
    fn default() -> Memory {
        Memory { runs: 1 << 20, window: None, forget: None }
    }
}

/// A segment is cut where its changes have used up such a share of the budget: fewer parts could not be forgotten one by one
/// in a stream of one long segment, more would each repeat who is there.
const PARTS: usize = 4;

/// The time points of a part are numbered by 32 bits: it ends long before they are used up.
const MOST_FRAMES: u32 = u32::MAX / 4;

/// So many states may be kept that nothing speaks of any more.
const MANY_STATES: usize = 256;

/// The number of the state in which nothing is true of an instance: it is not observed.
pub(crate) const AWAY: u32 = 0;

/// What is true and annotated of an instance for a number of time points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Run {
    /// The number of what is true.
    pub(crate) state: u32,
    /// Time points.
    pub(crate) length: u32,
    /// Two bits for each target of the group: it holds, it is unknown.
    pub(crate) labels: u64,
}

/// A fluent instance for as long as it is not lost, within a part of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Track {
    pub(crate) values: Box<[Value]>,
    /// The time points of the part before it, and those up to its end.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Its number in the part that went before, where it goes on from there.
    before: Option<u32>,
    /// A bit for each target of the group: the background says that it holds at the start of the segment.
    initial: u64,
    pub(crate) runs: Vec<Run>,
}

/// A part of a segment, mostly the whole of it. Where it is cut is a matter of memory only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Part {
    segment: Symbol,
    /// Its number in the segment, and the time points of the segment before it.
    number: u32,
    offset: u64,
    /// Its rank among all parts: those with the smallest ranks are kept.
    rank: u64,
    /// When its segment began: its number among all segments.
    born: u64,
    frames: u32,
    /// For each group its tracks, and for each target the time points annotated of what cannot hold.
    pub(crate) groups: Vec<Vec<Track>>,
    missed: Vec<u64>,
    pub(super) runs: usize,
}

/// A part that is being written.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    part: Part,
    groups: Vec<Index>,
}

/// Where the tracks of a group are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Index {
    /// Those that are not lost; where any argument that is not observed is a loss, the last one of each instance.
    by_values: IndexMap<Box<[Value]>, u32, FxBuildHasher>,
    /// The tracks of the instances at the last time point, in their order, and of this one so far.
    last: Vec<u32>,
    #[serde(skip)]
    now: Vec<u32>,
}

impl Index {
    /// The tracks that go on after the last time point.
    fn live(&self, loss: &Loss) -> impl ExactSizeIterator<Item = u32> {
        let (last, kept) = match loss {
            Loss::Any => (self.last.as_slice(), 0),
            Loss::Some(_) | Loss::Never => (&[][..], self.by_values.len()),
        };
        let all = last.len() + kept;
        (0..all).map(move |i| last.get(i).copied().unwrap_or_else(|| self.by_values[i]))
    }
}

/// The distinct things that were true, as words.
type States = IndexSet<Box<[u64]>, FxBuildHasher>;

/// The parts that are being written, by their segments.
type Opened = IndexMap<Symbol, Open, FxBuildHasher>;

/// What a record knows of the stream so far: states, parts, those that are open, and its counters.
#[derive(Deserialize)]
pub(crate) struct RecordState(Vec<States>, Vec<Part>, Opened, usize, bool, [u64; 5]);

/// The stream so far.
#[derive(Clone, Debug)]
pub struct Record {
    memory: Memory,
    /// For each group the distinct things that were true, as words, and what is measured there.
    pub(crate) states: Vec<States>,
    pub(crate) slots: Vec<Vec<Slot>>,
    parts: Vec<Part>,
    open: Opened,
    interleaved: bool,
    /// For each group when its instances are lost.
    losses: Vec<Loss>,
    targets: usize,
    /// Runs in finished parts.
    runs: usize,
    /// Whether finished parts have measured values on the coarse grid only.
    pub(crate) coarse: bool,
    /// How many states were left when those that nothing speaks of were forgotten.
    spoken_of: usize,
    /// Parts with a rank up to this one are kept.
    limit: u64,
    /// Segments begun, parts and runs, those that were forgotten included.
    begun: u64,
    cut: u64,
    added: u64,
    frames: u64,
}

impl Record {
    /// An empty one. For each group there is what is measured, and when its instances are lost.
    pub(crate) fn new(
        memory: Memory,
        slots: Vec<Vec<Slot>>,
        losses: Vec<Loss>,
        targets: usize,
        interleaved: bool,
    ) -> Record {
        Record {
            memory,
            states: vec![new_states(); losses.len()],
            slots,
            parts: Vec::new(),
            open: IndexMap::default(),
            interleaved,
            losses,
            targets,
            runs: 0,
            coarse: false,
            spoken_of: 0,
            limit: u64::MAX,
            begun: 0,
            cut: 0,
            added: 0,
            frames: 0,
        }
    }

    /// Adds a time point.
    pub(crate) fn observe(&mut self, segment: Symbol, sight: &Sight) {
        self.frames += 1;
        if !self.interleaved && self.open.last().is_some_and(|(open, _)| *open != segment) {
            let (_, done) = self.open.pop().expect("there is a last one");
            self.finish(done);
        }
        match self.open.get(&segment) {
            None => {
                self.begun += 1;
                let new = self.begin(segment, (0, 0), self.begun);
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
        let Open { part, groups } = self.open.get_mut(&segment).expect("it was opened");
        let time = part.frames;
        part.frames += 1;
        sight.missed.iter().zip(&mut part.missed).for_each(|(n, sum)| *sum += u64::from(*n));
        // What will not be kept is only counted, since the number of its runs says where its next part begins.
        let kept = part.rank <= self.limit;
        for (g, seen) in sight.groups.iter().enumerate() {
            let index = &mut groups[g];
            index.now.clear();
            let mut writer = Writer {
                tracks: &mut part.groups[g],
                index,
                states: &mut self.states[g],
                runs: &mut part.runs,
                loss: &self.losses[g],
                time,
                kept,
            };
            let before = *writer.runs;
            for k in 0..seen.len() {
                writer.write(k, seen.values(k), seen.key(k), seen.labels[k]);
            }
            writer.lose(&seen.observed);
            let room = Slot::stride(&self.slots[g]);
            for (values, absent) in &seen.absent {
                writer.write_absent(values, &unobserved(absent.deeds, room), absent.labels);
            }
            for (values, holds) in &seen.initial {
                writer.hold(values, *holds);
            }
            self.added += (*writer.runs - before) as u64;
            let Index { last, now, .. } = index;
            std::mem::swap(last, now);
        }
    }

    /// Whether a part has grown so much that the next one should begin: runs have piled up that are worth a part, and are
    /// not few beside those of the instances that the next part would have anew.
    fn is_full(&self, Open { part, groups }: &Open) -> bool {
        let live: usize = groups.iter().zip(&self.losses).map(|(index, loss)| index.live(loss).len()).sum();
        part.frames >= MOST_FRAMES || part.runs.saturating_sub(live) > (self.memory.runs / PARTS).max(live)
    }

    fn begin(&mut self, segment: Symbol, (number, offset): (u32, u64), born: u64) -> Open {
        self.cut += 1;
        let part = Part {
            segment,
            number,
            offset,
            rank: rank(segment, number),
            born,
            frames: 0,
            groups: vec![Vec::new(); self.losses.len()],
            missed: vec![0; self.targets],
            runs: 0,
        };
        Open { part, groups: vec![Index::default(); self.losses.len()] }
    }

    /// Lets what goes on while it is not observed go on up to the end of a part.
    fn pad(&self, open: &mut Open) {
        let Open { part, groups } = open;
        for (g, _) in self.losses.iter().enumerate().filter(|(_, loss)| **loss != Loss::Any) {
            for &t in groups[g].by_values.values() {
                part.runs += usize::from(part.groups[g][t as usize].pass(part.frames));
            }
        }
    }

    /// Lets the tracks of a part go on in the next part.
    fn carry(&mut self, segment: Symbol, done: &Open) {
        let open = self.open.get_mut(&segment).expect("the next part was opened");
        for (g, index) in done.groups.iter().enumerate() {
            for t in index.live(&self.losses[g]) {
                let values = &done.part.groups[g][t as usize].values;
                let track = open.part.groups[g].len() as u32;
                open.part.groups[g].push(Track { before: Some(t), ..Track::new(values, 0) });
                open.groups[g].by_values.insert(values.clone(), track);
                open.groups[g].last.push(track);
            }
        }
    }

    /// Keeps a part that has ended, and forgets what has to be forgotten.
    fn finish(&mut self, mut done: Open) {
        self.pad(&mut done);
        let mut part = done.part;
        if self.coarse {
            self.summarise(std::slice::from_mut(&mut part));
        }
        if part.rank <= self.limit {
            self.runs += part.runs;
            self.parts.push(part);
        }
        let newest = self.begun;
        if let Some(window) = self.memory.window {
            self.retain(|p| newest - p.born < window as u64);
        }
        if let Some(half) = self.memory.forget {
            // A rank is a lot: the older a segment, the smaller the rank it needs to be kept.
            let share = |age: u64| libm::exp2(-(age as f64) / half);
            self.retain(|p| rank(p.segment, 0) as f64 / u64::MAX as f64 <= share(newest - p.born));
        }
        if self.runs > self.memory.runs && !self.coarse {
            self.coarse = true;
            let mut parts = std::mem::take(&mut self.parts);
            self.summarise(&mut parts);
            self.parts = parts;
            self.runs = self.parts.iter().map(|p| p.runs).sum();
        }
        // Those with the highest ranks go until what is left fits.
        while self.runs > self.memory.runs && self.parts.len() > 1 {
            let (at, highest) = (0..).zip(&self.parts).max_by_key(|(_, p)| p.rank).expect("there are several");
            self.limit = highest.rank - 1;
            self.runs -= highest.runs;
            self.parts.remove(at);
        }
        let states: usize = self.states.iter().map(IndexSet::len).sum();
        if states > 2 * self.spoken_of.max(MANY_STATES) {
            self.forget_states();
        }
    }

    fn retain(&mut self, keep: impl Fn(&Part) -> bool) {
        self.parts.retain(keep);
        self.runs = self.parts.iter().map(|p| p.runs).sum();
    }

    /// Puts the measured values of parts on the coarse grid.
    fn summarise(&mut self, parts: &mut [Part]) {
        for (g, slots) in self.slots.iter().enumerate().filter(|(_, slots)| !slots.is_empty()) {
            let states = &mut self.states[g];
            let mut numbers = vec![u32::MAX; states.len()];
            for part in &mut *parts {
                part.renumber(g, |state| {
                    if numbers[state as usize] == u32::MAX {
                        let coarse = coarser(slots, &states[state as usize]);
                        numbers[state as usize] = intern(states, &coarse);
                    }
                    numbers[state as usize]
                });
            }
        }
    }

    /// Numbers anew what is still spoken of.
    fn forget_states(&mut self) {
        for g in 0..self.states.len() {
            let old = std::mem::replace(&mut self.states[g], new_states());
            let states = &mut self.states[g];
            let mut numbers = vec![u32::MAX; old.len()];
            let open = self.open.values_mut().map(|o| &mut o.part);
            for part in self.parts.iter_mut().chain(open) {
                part.renumber(g, |state| {
                    let number = &mut numbers[state as usize];
                    if *number == u32::MAX {
                        *number = intern(states, &old[state as usize]);
                    }
                    *number
                });
            }
        }
        self.spoken_of = self.states.iter().map(IndexSet::len).sum();
    }

    /// What it knows of the stream so far, as [`RecordState`].
    pub(crate) fn state(&self) -> impl Serialize {
        let counters = [self.limit, self.begun, self.cut, self.added, self.frames];
        (&self.states, &self.parts, &self.open, self.runs, self.coarse, counters)
    }

    /// Goes on with what was written; `shapes` has the width of each group, and tells whether a key can be one of its.
    pub(crate) fn restore(
        &mut self,
        state: RecordState,
        shapes: &[(usize, impl Fn(&[u64]) -> bool)],
    ) -> Result<(), StateError> {
        let RecordState(states, parts, open, runs, coarse, [limit, begun, cut, added, frames]) = state;
        ensure(states.len() == shapes.len(), "the groups of heads")?;
        for (states, (_, fits)) in states.iter().zip(shapes) {
            let away = states.first().is_some_and(|key| key.is_empty());
            ensure(away && states.iter().all(|key| fits(key)), "the truths of instances")?;
        }
        ensure_counts([begun, cut, added, frames, runs as u64])?;
        for part in parts.iter().chain(open.values().map(|o| &o.part)) {
            ensure(part.groups.len() == shapes.len() && part.missed.len() == self.targets, "the groups of heads")?;
            ensure(part.born <= begun && part.number < u32::MAX / 2, "the numbers of segments")?;
            ensure(part.rank == rank(part.segment, part.number), "the ranks of segments")?;
            ensure_counts(part.missed.iter().copied().chain([part.runs as u64, part.offset]))?;
            for ((tracks, (width, _)), states) in part.groups.iter().zip(shapes).zip(&states) {
                ensure(tracks.iter().all(|t| t.fits(*width, states.len(), part.frames)), "the tracks of instances")?;
            }
        }
        ensure(runs == parts.iter().map(|part| part.runs).sum::<usize>(), "the number of runs")?;
        for Open { part, groups } in open.values() {
            ensure(groups.len() == shapes.len(), "the groups of heads")?;
            ensure(part.frames < u32::MAX / 2, "the time points of a segment")?;
            for (index, tracks) in groups.iter().zip(&part.groups) {
                let known = |t: &u32| (*t as usize) < tracks.len();
                let own = |values: &[Value], t: u32| known(&t) && *tracks[t as usize].values == *values;
                let owned = index.by_values.iter().all(|(values, t)| own(values, *t));
                ensure(index.last.iter().all(known) && owned, "the tracks of instances")?;
            }
        }
        (self.states, self.parts, self.open, self.runs, self.coarse) = (states, parts, open, runs, coarse);
        (self.limit, self.begun, self.cut, self.added, self.frames) = (limit, begun, cut, added, frames);
        Ok(())
    }

    /// The same without what was seen.
    pub(crate) fn emptied(&self) -> Record {
        let (slots, losses) = (self.slots.clone(), self.losses.clone());
        Record {
            coarse: self.coarse,
            ..Record::new(self.memory.clone(), slots, losses, self.targets, self.interleaved)
        }
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
        let open = self.open.values().map(|o| (&o.part, Some(o))).filter(|(p, _)| p.rank <= self.limit);
        let mut parts: Vec<Kept<'_>> = self.parts.iter().map(|p| (p, None)).chain(open).collect();
        parts.retain(|(p, _)| self.memory.window.is_none_or(|n| self.begun - p.born < n as u64));
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
        self.runs + self.open.values().map(|o| o.part.runs).sum::<usize>()
    }

    /// The number of runs that there ever were.
    pub(crate) fn added(&self) -> u64 {
        self.added
    }

    /// The number of segments that are kept, and of those that there were.
    pub fn segment_counts(&self) -> (usize, u64) {
        (self.kept().chunk_by(is_same_segment).count(), self.begun)
    }

    /// Whether everything is kept: no part of any segment was forgotten.
    pub fn is_whole(&self) -> bool {
        let open = self.open.values().filter(|o| o.part.rank <= self.limit).count();
        (self.parts.len() + open) as u64 == self.cut && self.memory.window.is_none_or(|n| self.begun <= n as u64)
    }

    /// Time points seen.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The memory that runs and states take, in bytes, as good as it can be told.
    pub fn bytes(&self) -> usize {
        let states = self.states.iter().flat_map(|s| s.iter()).map(|s| s.len() * 8 + 48).sum::<usize>();
        let parts = self.parts.iter().chain(self.open.values().map(|o| &o.part));
        let tracks = parts.flat_map(|p| p.groups.iter().flatten());
        let runs = tracks.map(|t| t.runs.capacity() * size_of::<Run>() + size_of::<Track>() + t.values.len() * 16);
        states + runs.sum::<usize>()
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

/// What is written at a time point about the instances of a group.
struct Writer<'a> {
    tracks: &'a mut Vec<Track>,
    index: &'a mut Index,
    states: &'a mut States,
    runs: &'a mut usize,
    loss: &'a Loss,
    time: u32,
    kept: bool,
}

impl Writer<'_> {
    /// Adds the time point to the track of an instance, the `k`th that is observed.
    #[inline]
    fn write(&mut self, k: usize, values: &[Value], key: &[u64], labels: u64) {
        let track = self.track(k, values);
        self.add(track, key, labels);
    }

    /// The same for an instance that is not observed.
    fn write_absent(&mut self, values: &[Value], key: &[u64], labels: u64) {
        // Where it is lost by that, what is said of it is a beginning.
        let track = if *self.loss == Loss::Any { self.begin(values) } else { self.track(usize::MAX, values) };
        self.add(track, key, labels);
    }

    #[inline]
    fn add(&mut self, track: u32, key: &[u64], labels: u64) {
        self.index.now.push(track);
        let track = &mut self.tracks[track as usize];
        // What is true mostly stays so.
        let state = match track.runs.last() {
            Some(run) if *self.states[run.state as usize] == *key => run.state,
            _ => intern(self.states, key),
        };
        let new = track.push(state, 1, labels);
        if new && !self.kept {
            let before = track.runs.len() - 1;
            track.start += track.runs.drain(..before).map(|run| run.length).sum::<u32>();
        }
        *self.runs += usize::from(new);
    }

    /// The track of an instance, up to this time point.
    #[inline]
    fn track(&mut self, k: usize, values: &[Value]) -> u32 {
        // Instances mostly come in the order of the time point before.
        let guess = self.index.last.get(k).copied().filter(|t| *self.tracks[*t as usize].values == *values);
        let guess = guess.filter(|_| *self.loss == Loss::Any);
        let known = guess.or_else(|| self.index.by_values.get(values).copied());
        match known {
            Some(t) if self.tracks[t as usize].end == self.time => t,
            // What was not observed and is not lost went on.
            Some(t) if *self.loss != Loss::Any => {
                *self.runs += usize::from(self.tracks[t as usize].pass(self.time));
                t
            }
            _ => self.begin(values),
        }
    }

    fn begin(&mut self, values: &[Value]) -> u32 {
        let track = self.tracks.len() as u32;
        self.tracks.push(Track::new(values, self.time));
        self.index.by_values.insert(values.into(), track);
        track
    }

    /// Ends the tracks of instances that are lost with an argument that is not observed now.
    fn lose(&mut self, observed: &[(usize, Relation)]) {
        if observed.is_empty() {
            return;
        }
        let (tracks, time, mut passed) = (&mut *self.tracks, self.time, 0);
        self.index.by_values.retain(|values, t| {
            let here = observed.iter().all(|(column, seen)| seen.contains(&values[*column..=*column]));
            if !here {
                passed += usize::from(tracks[*t as usize].pass(time));
            }
            here
        });
        *self.runs += passed;
    }

    /// Notes for which targets an instance holds at the start of the segment.
    fn hold(&mut self, values: &[Value], targets: u64) {
        let track = match self.index.by_values.get(values) {
            Some(track) => *track,
            None => {
                self.write_absent(values, &[], 0);
                self.index.by_values[values]
            }
        };
        self.tracks[track as usize].initial |= targets;
    }
}

impl Track {
    fn new(values: &[Value], start: u32) -> Track {
        Track { values: values.into(), start, end: start, before: None, initial: 0, runs: Vec::new() }
    }

    /// Goes on up to a time point without being observed; tells whether a run was begun for that.
    fn pass(&mut self, time: u32) -> bool {
        let away = time.saturating_sub(self.end);
        away > 0 && self.push(AWAY, away, 0)
    }

    /// Whether this can be a track of a group, in a part of so many time points.
    fn fits(&self, width: usize, states: usize, frames: u32) -> bool {
        let known = |run: &Run| (run.state as usize) < states && run.length > 0;
        let length: u64 = self.runs.iter().map(|run| u64::from(run.length)).sum();
        self.values.len() == width
            && self.runs.iter().all(known)
            && self.end <= frames
            && u64::from(self.start) + length == u64::from(self.end)
    }

    /// Adds time points; tells whether a run was begun for them.
    #[inline]
    fn push(&mut self, state: u32, length: u32, labels: u64) -> bool {
        self.end += length;
        match self.runs.last_mut() {
            Some(run) if run.state == state && run.labels == labels && run.length < u32::MAX / 2 => {
                run.length += length;
                false
            }
            _ => {
                self.runs.push(Run { state, length, labels });
                true
            }
        }
    }
}

/// The truth of an instance that is not observed, with what the background does to it; `room` is for all of a truth.
pub(crate) fn unobserved(deeds: Mask, room: usize) -> Vec<u64> {
    if deeds == Mask::EMPTY {
        return Vec::new();
    }
    let mut key = deeds.words().to_vec();
    // Nothing is measured of it.
    key.resize(room, nothing_measured());
    key
}

/// No states but that of what is not observed.
fn new_states() -> States {
    let mut states = States::default();
    states.insert(Box::default());
    states
}

fn intern(states: &mut States, key: &[u64]) -> u32 {
    match states.get_index_of(key) {
        Some(number) => number as u32,
        None => states.insert_full(key.into()).0 as u32,
    }
}

/// A number that looks random and depends on names only (FNV-1a, then mixed).
pub(crate) fn rank(segment: Symbol, part: u32) -> u64 {
    let bytes = segment.as_str().bytes().chain(part.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
