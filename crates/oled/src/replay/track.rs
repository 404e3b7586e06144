//! Track: how runs are written, time point by time point: those of an instance, and those of a part of a segment.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::bins::{BinId, Bins, NOTHING};
use super::layout::{Layout, nothing_measured};
use crate::lang::{Symbol, Value};
use crate::learn::{Loss, Needed};

/// The number of the state in which nothing is true of an instance: it is not observed.
pub(crate) const AWAY: u32 = 0;

/// A run is no longer than this: two of them have room in 32 bits.
const MOST_POINTS: u32 = u32::MAX / 2;

/// The distinct things that were true, as words: for each assignment those of a mask, and the numbers of bins, four to a word.
pub(super) type States = IndexSet<Box<[u64]>, FxBuildHasher>;

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
pub(super) struct Track {
    pub(super) values: Box<[Value]>,
    /// The time points of the part before it, and those up to its end.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Its number in the part that went before, where it goes on from there.
    pub(super) before: Option<u32>,
    /// A bit for each target of the group: the background says that it holds at the start of the segment.
    pub(super) initial: u64,
    pub(super) runs: Vec<Run>,
}

/// A part of a segment, mostly the whole of it. Where it is cut is a matter of memory only.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Part {
    pub(super) segment: Symbol,
    /// Its number in the segment, and the time points of the segment before it.
    pub(super) number: u32,
    pub(super) offset: u64,
    /// When its segment began: its number among all segments.
    pub(super) born: u64,
    pub(super) frames: u32,
    /// For each group its tracks, and for each target the time points annotated of what cannot hold.
    pub(super) groups: Vec<Vec<Track>>,
    pub(super) missed: Vec<u64>,
    /// The runs of all tracks.
    pub(super) runs: usize,
    /// The runs that there would be if nothing were rounded or dropped. They say where the next part begins, since they are
    /// the same whatever else there is in the stream.
    pub(super) changes: usize,
}

/// A part that is being written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Open {
    pub(super) part: Part,
    pub(super) groups: Vec<Index>,
    /// Whether its runs are kept: those that are not are counted only.
    pub(super) kept: bool,
}

/// Where the tracks of a group are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Index {
    /// Those that are not lost; where any argument that is not observed is a loss, the last one of each instance.
    pub(super) by_values: IndexMap<Box<[Value]>, u32, FxBuildHasher>,
    /// The tracks of the instances at the last time point, in their order, and of this one so far.
    pub(super) last: Vec<u32>,
    #[serde(skip)]
    pub(super) now: Vec<u32>,
    /// Where something is measured, for each track what was true and measured of it last, as it was seen: it mostly stays so.
    pub(super) seen: Vec<Box<[u64]>>,
}

impl Index {
    /// The tracks that go on after the last time point.
    pub(super) fn live(&self, loss: &Loss) -> impl ExactSizeIterator<Item = u32> {
        let (last, kept) = match loss {
            Loss::Any => (self.last.as_slice(), 0),
            Loss::Some(_) | Loss::Never => (&[][..], self.by_values.len()),
        };
        let all = last.len() + kept;
        (0..all).map(move |i| last.get(i).copied().unwrap_or_else(|| self.by_values[i]))
    }
}

impl Part {
    /// Gives the states of a group's runs other numbers; what has become the same is one run then.
    pub(super) fn renumber(&mut self, group: usize, mut number: impl FnMut(u32) -> u32) {
        for Track { runs, .. } in &mut self.groups[group] {
            let before = runs.len();
            runs.iter_mut().for_each(|run| run.state = number(run.state));
            runs.dedup_by(|next: &mut Run, run: &mut Run| {
                let same = (next.state, next.labels) == (run.state, run.labels);
                let fits = run.length.checked_add(next.length).filter(|sum| same && *sum < MOST_POINTS);
                fits.inspect(|sum| run.length = *sum).is_some()
            });
            self.runs -= before - runs.len();
        }
    }
}

impl Open {
    /// Keeps nothing but the last run of each track from now on.
    pub(super) fn drop_runs(&mut self) {
        self.kept = false;
        for track in self.part.groups.iter_mut().flatten() {
            self.part.runs -= track.drop_runs();
        }
    }

    /// Lets what goes on while it is not observed go on up to the end of the part.
    pub(super) fn pad(&mut self, losses: &[Loss]) {
        let Open { part, groups, .. } = self;
        for (g, _) in losses.iter().enumerate().filter(|(_, loss)| **loss != Loss::Any) {
            for &t in groups[g].by_values.values() {
                part.runs += usize::from(part.groups[g][t as usize].pass(part.frames));
            }
        }
    }
}

impl Track {
    pub(super) fn new(values: &[Value], start: u32) -> Track {
        Track { values: values.into(), start, end: start, before: None, initial: 0, runs: Vec::new() }
    }

    /// Goes on up to a time point without being observed; tells whether a run was begun for that.
    fn pass(&mut self, time: u32) -> bool {
        let away = time.saturating_sub(self.end);
        away > 0 && self.push(AWAY, away, 0)
    }

    /// Goes on as it was.
    pub(super) fn go_on(&mut self, points: u32) {
        if let Some(run) = self.runs.last_mut() {
            run.length += points;
            self.end += points;
        }
    }

    /// Forgets all runs but the last, and tells how many.
    fn drop_runs(&mut self) -> usize {
        let dropped = self.runs.len().saturating_sub(1);
        self.start += self.runs.drain(..dropped).map(|run| run.length).sum::<u32>();
        dropped
    }

    /// Whether this can be a track of a group, in a part of so many time points.
    pub(super) fn fits(&self, width: usize, states: usize, frames: u32) -> bool {
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
            Some(run) if run.state == state && run.labels == labels && run.length < MOST_POINTS => {
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

/// What is written at a time point about the instances of a group.
pub(super) struct Writer<'a> {
    pub(super) tracks: &'a mut Vec<Track>,
    pub(super) index: &'a mut Index,
    pub(super) states: &'a mut States,
    pub(super) layout: Layout,
    pub(super) bins: &'a mut [Bins],
    pub(super) loss: &'a Loss,
    pub(super) time: u32,
    pub(super) kept: bool,
    /// Room for the words of a state.
    pub(super) key: &'a mut Vec<u64>,
    /// Runs that were begun, those that were dropped, and those that there would be if nothing were rounded.
    pub(super) begun: usize,
    pub(super) dropped: usize,
    pub(super) changes: usize,
}

impl Writer<'_> {
    /// Adds the time point to the track of an instance, the `k`th that is observed. If there is no room for what is measured
    /// nothing is added, and bins must settle first.
    #[inline]
    pub(super) fn write(&mut self, k: usize, values: &[Value], seen: &[u64], labels: u64) -> bool {
        if self.bins.is_empty() {
            let track = self.track(k, values);
            let known = self.tracks[track as usize].runs.last().map(|run| run.state);
            // What is true mostly stays so.
            let state = match known {
                Some(state) if *self.states[state as usize] == *seen => state,
                _ => intern(self.states, seen),
            };
            let new = self.add(track, state, labels);
            self.changes += usize::from(new);
            return true;
        }
        let track = self.track(k, values);
        let last = self.tracks[track as usize].runs.last().filter(|run| run.state != AWAY).copied();
        let before = &self.index.seen[track as usize];
        let same = last.filter(|_| **before == *seen);
        let state = match same {
            Some(run) => run.state,
            None => {
                if !self.has_room(seen) {
                    return false;
                }
                let state = self.put_in_bins(track, seen, last);
                let before = &mut self.index.seen[track as usize];
                if before.len() == seen.len() {
                    before.copy_from_slice(seen);
                } else {
                    *before = seen.into();
                }
                state
            }
        };
        self.changes += usize::from(same.is_none_or(|run| run.labels != labels));
        self.add(track, state, labels);
        true
    }

    fn has_room(&mut self, seen: &[u64]) -> bool {
        seen.chunks_exact(self.layout.seen()).all(|truth| {
            let mut shown = truth[self.layout.masks()..].iter().map(|bits| f64::from_bits(*bits)).zip(&mut *self.bins);
            shown.all(|(value, bins)| value.is_nan() || bins.has_room(value))
        })
    }

    /// The state of what was seen, with the numbers of bins in the place of values.
    fn put_in_bins(&mut self, track: u32, seen: &[u64], last: Option<Run>) -> u32 {
        let layout = self.layout;
        let (masks, wide, stride) = (layout.masks(), layout.seen(), layout.stride());
        let before = &self.index.seen[track as usize];
        // Of several values few change.
        let before = last.filter(|_| before.len() == seen.len());
        self.key.clear();
        match before {
            Some(run) => self.key.extend_from_slice(&self.states[run.state as usize]),
            None => self.key.resize(seen.len() / wide * stride, nothing_measured()),
        }
        for (at, (truth, key)) in seen.chunks_exact(wide).zip(self.key.chunks_exact_mut(stride)).enumerate() {
            key[..masks].copy_from_slice(&truth[..masks]);
            for (slot, bits) in truth[masks..].iter().enumerate() {
                if before.is_some() && self.index.seen[track as usize][at * wide + masks + slot] == *bits {
                    continue;
                }
                let value = f64::from_bits(*bits);
                let bin: BinId = if value.is_nan() { NOTHING } else { self.bins[slot].insert(value) };
                layout.set_measured(key, slot, bin);
            }
        }
        intern(self.states, self.key)
    }

    /// The same for an instance that is not observed.
    pub(super) fn write_absent(&mut self, values: &[Value], key: &[u64], labels: u64) {
        // Where it is lost by that, what is said of it is a beginning.
        let track = if *self.loss == Loss::Any { self.begin(values) } else { self.track(usize::MAX, values) };
        if let Some(seen) = self.index.seen.get_mut(track as usize) {
            *seen = Box::default();
        }
        let state = intern(self.states, key);
        let new = self.add(track, state, labels);
        self.changes += usize::from(new);
    }

    #[inline]
    fn add(&mut self, track: u32, state: u32, labels: u64) -> bool {
        self.index.now.push(track);
        let track = &mut self.tracks[track as usize];
        let new = track.push(state, 1, labels);
        self.begun += usize::from(new);
        if new && !self.kept {
            self.dropped += track.drop_runs();
        }
        new
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
                self.pass(t);
                t
            }
            _ => self.begin(values),
        }
    }

    /// Lets a track go on up to this time point without being observed.
    fn pass(&mut self, track: u32) {
        let new = usize::from(self.tracks[track as usize].pass(self.time));
        self.begun += new;
        self.changes += new;
        if new > 0 && !self.kept {
            self.dropped += self.tracks[track as usize].drop_runs();
        }
    }

    fn begin(&mut self, values: &[Value]) -> u32 {
        let track = self.tracks.len() as u32;
        self.tracks.push(Track::new(values, self.time));
        self.index.by_values.insert(values.into(), track);
        if !self.bins.is_empty() {
            self.index.seen.push(Box::default());
        }
        track
    }

    /// Ends the tracks of instances that are lost: of whom a relation that they need has no row.
    pub(super) fn lose(&mut self, needed: &[Needed]) {
        if needed.is_empty() {
            return;
        }
        let mut lost = Vec::new();
        self.index.by_values.retain(|values, t| {
            let here = needed.iter().all(|needed| needed.has(values));
            if !here {
                lost.push(*t);
            }
            here
        });
        lost.into_iter().for_each(|t| self.pass(t));
    }

    /// Notes for which targets an instance holds at the start of the segment.
    pub(super) fn hold(&mut self, values: &[Value], targets: u64) {
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

/// The words of a state with other numbers for the bins of some features, which are told by their slots.
pub(super) fn with_bins(layout: Layout, state: &[u64], numbers: &[(usize, Vec<BinId>)]) -> Box<[u64]> {
    let mut state: Box<[u64]> = state.into();
    for truth in state.chunks_mut(layout.stride()) {
        for (slot, numbers) in numbers {
            let bin = layout.measured(truth, *slot);
            if bin != NOTHING {
                layout.set_measured(truth, *slot, numbers[bin as usize]);
            }
        }
    }
    state
}

/// No states but that of what is not observed.
pub(super) fn new_states() -> States {
    let mut states = States::default();
    states.insert(Box::default());
    states
}

pub(super) fn intern(states: &mut States, key: &[u64]) -> u32 {
    match states.get_index_of(key) {
        Some(number) => number as u32,
        None => states.insert_full(key.into()).0 as u32,
    }
}
