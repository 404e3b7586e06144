//! Record: the stream as runs. For each fluent instance, how long the same was true of it and the same was annotated.
//!
//! One pass, constant work per instance and time point. While all runs fit into the budget, everything is kept as it was.
//! Beyond it, measured values are kept on a coarse grid, which takes fewer runs; if that is not enough, whole segments are
//! forgotten: a sample is kept, chosen by a hash of their names. What is kept does not depend on the order of the segments,
//! and old and new ones are kept alike.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::summary::coarser;
use super::view::Slot;
use crate::lang::{Symbol, Value};
use crate::learn::Sight;
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

/// A segment that goes on for more time points than this counts as several.
const PIECE: u32 = 10_000;

/// So many states may be kept that nothing speaks of any more.
const MANY_STATES: usize = 256;

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

/// A fluent instance for as long as all its arguments are observed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Track {
    pub(crate) values: Box<[Value]>,
    /// The time points of the piece before it, and those up to its end.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Whether it was observed at the time point before, in the piece that went before.
    pub(crate) carried: bool,
    pub(crate) runs: Vec<Run>,
}

/// A segment, or a part of a long one.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Piece {
    pub(crate) segment: Symbol,
    /// Its rank among all segments: those with the smallest ranks are kept.
    pub(crate) rank: u64,
    /// When it began: the number of pieces before it.
    born: u64,
    pub(crate) frames: u32,
    /// For each group its tracks, and for each target the time points annotated of what was not observed.
    pub(crate) groups: Vec<Vec<Track>>,
    pub(crate) missed: Vec<u64>,
    pub(super) runs: usize,
}

impl Piece {
    /// The piece with other tracks.
    pub(crate) fn with(&self, groups: Vec<Vec<Track>>) -> Piece {
        let Piece { segment, rank, born, frames, ref missed, runs, .. } = *self;
        Piece { segment, rank, born, frames, groups, missed: missed.clone(), runs }
    }
}

/// A piece that is being written.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Open {
    piece: Piece,
    part: u32,
    groups: Vec<Index>,
}

/// Where the tracks of a group are.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Index {
    #[serde(skip)]
    by_values: IndexMap<Box<[Value]>, u32, FxBuildHasher>,
    /// The tracks of the instances at the last time point, in their order, and of this one so far.
    last: Vec<u32>,
    #[serde(skip)]
    now: Vec<u32>,
}

/// The distinct things that were true, as words.
type States = IndexSet<Box<[u64]>, FxBuildHasher>;

/// The pieces that are being written, by their segments.
type Opened = IndexMap<Symbol, Open, FxBuildHasher>;

/// What a record knows of the stream so far: states, pieces, those that are open, and its counters.
#[derive(Deserialize)]
pub(crate) struct RecordState(Vec<States>, Vec<Piece>, Opened, usize, bool, [u64; 4]);

/// The stream so far.
#[derive(Clone, Debug)]
pub struct Record {
    memory: Memory,
    /// For each group the distinct things that were true, as words, and what is measured there.
    pub(crate) states: Vec<States>,
    pub(crate) slots: Vec<Vec<Slot>>,
    pieces: Vec<Piece>,
    open: Opened,
    interleaved: bool,
    /// For each group whether its fluents end when an argument is not observed.
    tracked: Vec<bool>,
    targets: usize,
    /// Runs in finished pieces.
    runs: usize,
    /// Whether finished pieces have measured values on the coarse grid only.
    pub(crate) coarse: bool,
    /// How many states were left when those that nothing speaks of were forgotten.
    spoken_of: usize,
    /// Pieces with a rank up to this one are kept.
    limit: u64,
    /// Pieces begun, and runs, those that were forgotten included.
    begun: u64,
    added: u64,
    frames: u64,
}

impl Record {
    /// An empty one. For each group there is what is measured, and whether its fluents end when an argument is not observed.
    pub(crate) fn new(
        memory: Memory,
        slots: Vec<Vec<Slot>>,
        tracked: Vec<bool>,
        targets: usize,
        interleaved: bool,
    ) -> Record {
        Record {
            memory,
            states: vec![IndexSet::default(); tracked.len()],
            slots,
            pieces: Vec::new(),
            open: IndexMap::default(),
            interleaved,
            tracked,
            targets,
            runs: 0,
            coarse: false,
            spoken_of: 0,
            limit: u64::MAX,
            begun: 0,
            added: 0,
            frames: 0,
        }
    }

    /// Adds a time point.
    pub(crate) fn observe(&mut self, segment: Symbol, sight: &Sight) {
        self.frames += 1;
        if !self.interleaved && self.open.last().is_some_and(|(open, _)| *open != segment) {
            let (_, done) = self.open.pop().expect("there is a last one");
            self.finish(done.piece);
        }
        let full = self.memory.runs / 4;
        let open = self.open.get(&segment);
        if let Some(open) = open.filter(|o| o.piece.frames >= PIECE || o.piece.runs > full) {
            let next = self.begin(segment, open.part + 1);
            let done = self.open.insert(segment, next).expect("it was open");
            self.carry(segment, &done);
            self.finish(done.piece);
        } else if open.is_none() {
            let new = self.begin(segment, 0);
            self.open.insert(segment, new);
        }
        let Open { piece, groups, .. } = self.open.get_mut(&segment).expect("it was opened");
        let time = piece.frames;
        piece.frames += 1;
        sight.missed.iter().zip(&mut piece.missed).for_each(|(n, sum)| *sum += u64::from(*n));
        // What will not be kept is only counted, since the number of its runs says where its next part begins.
        let kept = piece.rank <= self.limit;
        for (g, seen) in sight.groups.iter().enumerate() {
            let (tracks, index, states) = (&mut piece.groups[g], &mut groups[g], &mut self.states[g]);
            index.now.clear();
            for k in 0..seen.len() {
                let (values, key, labels) = (seen.values(k), seen.key(k), seen.labels[k]);
                // Instances mostly come in the order of the time point before.
                let guess = index.last.get(k).copied().filter(|t| *tracks[*t as usize].values == *values);
                let known = guess.or_else(|| index.by_values.get(values).copied());
                let track = match known {
                    Some(t) if tracks[t as usize].end == time => t,
                    // Who was away and is not tracked is thought to have been there, with nothing known of it.
                    Some(t) if !self.tracked[g] => {
                        let away = time - tracks[t as usize].end;
                        let nothing = intern(states, &[]);
                        tracks[t as usize].push(nothing, away, UNKNOWN);
                        piece.runs += 1;
                        t
                    }
                    _ => {
                        let t = tracks.len() as u32;
                        tracks.push(Track::new(values, time));
                        index.by_values.insert(values.into(), t);
                        t
                    }
                };
                index.now.push(track);
                let track = &mut tracks[track as usize];
                // What is true mostly stays so.
                let state = match track.runs.last() {
                    Some(run) if *states[run.state as usize] == *key => run.state,
                    _ => intern(states, key),
                };
                let new = track.push(state, 1, labels);
                if new && !kept && track.runs.len() > 1 {
                    track.start += track.runs.remove(0).length;
                }
                piece.runs += usize::from(new);
                self.added += u64::from(new);
            }
            std::mem::swap(&mut index.last, &mut index.now);
        }
    }

    fn begin(&mut self, segment: Symbol, part: u32) -> Open {
        self.begun += 1;
        let piece = Piece {
            segment,
            rank: rank(segment, part),
            born: self.begun,
            frames: 0,
            groups: vec![Vec::new(); self.tracked.len()],
            missed: vec![0; self.targets],
            runs: 0,
        };
        Open { piece, part, groups: vec![Index::default(); self.tracked.len()] }
    }

    /// Lets the tracks of a part go on in the next part.
    fn carry(&mut self, segment: Symbol, before: &Open) {
        let open = self.open.get_mut(&segment).expect("the next part was opened");
        for (g, index) in before.groups.iter().enumerate() {
            for &t in &index.last {
                let values = &before.piece.groups[g][t as usize].values;
                let track = open.piece.groups[g].len() as u32;
                open.piece.groups[g].push(Track { carried: true, ..Track::new(values, 0) });
                open.groups[g].by_values.insert(values.clone(), track);
                open.groups[g].last.push(track);
            }
        }
    }

    /// Keeps a piece that has ended, and forgets what has to be forgotten.
    fn finish(&mut self, piece: Piece) {
        let rank = piece.rank;
        self.pieces.push(piece);
        if let Some(window) = self.memory.window {
            let newest = self.begun;
            self.pieces.retain(|p| newest - p.born < window as u64);
        }
        if let Some(half) = self.memory.forget {
            // A rank is a lot: the older a piece, the smaller the rank it needs to be kept.
            let newest = self.begun;
            let share = |age: u64| libm::exp2(-(age as f64) / half);
            self.pieces.retain(|p| p.rank as f64 / u64::MAX as f64 <= share(newest - p.born));
        }
        self.pieces.retain(|p| p.rank <= self.limit);
        self.runs = self.pieces.iter().map(|p| p.runs).sum();
        if self.coarse {
            // The new one is the last, if it is kept.
            let new = self.pieces.iter().rposition(|p| p.rank == rank).unwrap_or(self.pieces.len());
            self.summarise(new);
        } else if self.runs > self.memory.runs {
            self.coarse = true;
            self.summarise(0);
        }
        // Those with the highest ranks go until what is left fits.
        while self.runs > self.memory.runs && self.pieces.len() > 1 {
            let (at, highest) = (0..).zip(&self.pieces).max_by_key(|(_, p)| p.rank).expect("there are several");
            self.limit = highest.rank - 1;
            self.runs -= highest.runs;
            self.pieces.remove(at);
        }
        let states: usize = self.states.iter().map(IndexSet::len).sum();
        if states > 2 * self.spoken_of.max(MANY_STATES) {
            self.forget_states();
        }
    }

    /// Puts the measured values of pieces on the coarse grid, from one of them on.
    fn summarise(&mut self, first: usize) {
        for (g, slots) in self.slots.iter().enumerate().filter(|(_, slots)| !slots.is_empty()) {
            let states = &mut self.states[g];
            let mut numbers = vec![u32::MAX; states.len()];
            for piece in self.pieces.iter_mut().skip(first) {
                piece.renumber(g, |state| {
                    if numbers[state as usize] == u32::MAX {
                        let coarse = coarser(slots, &states[state as usize]);
                        numbers[state as usize] = intern(states, &coarse);
                    }
                    numbers[state as usize]
                });
            }
        }
        self.runs = self.pieces.iter().map(|p| p.runs).sum();
    }

    /// Numbers anew what is still spoken of.
    fn forget_states(&mut self) {
        for g in 0..self.states.len() {
            let old = std::mem::take(&mut self.states[g]);
            let states = &mut self.states[g];
            let mut numbers = vec![u32::MAX; old.len()];
            let open = self.open.values_mut().map(|o| &mut o.piece);
            for piece in self.pieces.iter_mut().chain(open) {
                piece.renumber(g, |state| {
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
        let counters = [self.limit, self.begun, self.added, self.frames];
        (&self.states, &self.pieces, &self.open, self.runs, self.coarse, counters)
    }

    /// Goes on with what was written; `shapes` has the width of each group, and tells whether a key can be one of its.
    pub(crate) fn restore(
        &mut self,
        state: RecordState,
        shapes: &[(usize, impl Fn(&[u64]) -> bool)],
    ) -> Result<(), StateError> {
        let RecordState(states, pieces, mut open, runs, coarse, [limit, begun, added, frames]) = state;
        ensure(states.len() == shapes.len(), "the groups of heads")?;
        for (states, (_, fits)) in states.iter().zip(shapes) {
            ensure(states.iter().all(|key| fits(key)), "the truths of instances")?;
        }
        ensure_counts([begun, added, frames, runs as u64])?;
        for piece in pieces.iter().chain(open.values().map(|o| &o.piece)) {
            ensure(piece.groups.len() == shapes.len() && piece.missed.len() == self.targets, "the groups of heads")?;
            ensure(piece.born <= begun, "the numbers of segments")?;
            ensure_counts(piece.missed.iter().copied().chain([piece.runs as u64]))?;
            for ((tracks, (width, _)), states) in piece.groups.iter().zip(shapes).zip(&states) {
                ensure(tracks.iter().all(|t| t.fits(*width, states.len(), piece.frames)), "the tracks of instances")?;
            }
        }
        for Open { piece, groups, part } in open.values_mut() {
            ensure(groups.len() == shapes.len() && *part < u32::MAX / 2, "the groups of heads")?;
            ensure(piece.frames < u32::MAX / 2, "the time points of a segment")?;
            for (index, tracks) in groups.iter_mut().zip(&piece.groups) {
                ensure(index.last.iter().all(|t| (*t as usize) < tracks.len()), "the tracks of instances")?;
                index.by_values = (0u32..).zip(tracks).map(|(t, track)| (track.values.clone(), t)).collect();
            }
        }
        (self.states, self.pieces, self.open, self.runs, self.coarse) = (states, pieces, open, runs, coarse);
        (self.limit, self.begun, self.added, self.frames) = (limit, begun, added, frames);
        Ok(())
    }

    /// The same without what was seen.
    pub(crate) fn emptied(&self) -> Record {
        let (slots, tracked) = (self.slots.clone(), self.tracked.clone());
        Record {
            coarse: self.coarse,
            ..Record::new(self.memory.clone(), slots, tracked, self.targets, self.interleaved)
        }
    }

    /// The number of a state.
    pub(crate) fn intern(&mut self, group: usize, key: &[u64]) -> u32 {
        intern(&mut self.states[group], key)
    }

    /// All pieces that are kept, and those being written, in the order of their ranks: the same for every order of the
    /// segments.
    pub(crate) fn pieces(&self) -> Vec<&Piece> {
        let open = self.open.values().map(|o| &o.piece).filter(|p| p.rank <= self.limit);
        let recent = |p: &&Piece| self.memory.window.is_none_or(|n| self.begun - p.born < n as u64);
        let mut pieces: Vec<&Piece> = self.pieces.iter().chain(open).filter(recent).collect();
        pieces.sort_by(|a, b| (a.rank, a.segment.as_str()).cmp(&(b.rank, b.segment.as_str())));
        pieces
    }

    /// The number of runs, of those being written too.
    pub fn runs(&self) -> usize {
        self.runs + self.open.values().map(|o| o.piece.runs).sum::<usize>()
    }

    /// The number of runs that there ever were.
    pub(crate) fn added(&self) -> u64 {
        self.added
    }

    /// The number of segments that are kept, and of those that there were.
    pub fn segments(&self) -> (usize, u64) {
        (self.pieces().len(), self.begun)
    }

    /// Time points seen.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The memory that runs and states take, in bytes, as good as it can be told.
    pub fn bytes(&self) -> usize {
        let states = self.states.iter().flat_map(|s| s.iter()).map(|s| s.len() * 8 + 48).sum::<usize>();
        let pieces = self.pieces.iter().chain(self.open.values().map(|o| &o.piece));
        let tracks = pieces.flat_map(|p| p.groups.iter().flatten());
        let runs = tracks.map(|t| t.runs.capacity() * size_of::<Run>() + size_of::<Track>() + t.values.len() * 16);
        states + runs.sum::<usize>()
    }
}

/// The bits of labels that say that nothing is known.
pub(crate) const UNKNOWN: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl Track {
    fn new(values: &[Value], start: u32) -> Track {
        Track { values: values.into(), start, end: start, carried: false, runs: Vec::new() }
    }

    /// Whether this can be a track of a group, in a piece of so many time points.
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

fn intern(states: &mut IndexSet<Box<[u64]>, FxBuildHasher>, key: &[u64]) -> u32 {
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
