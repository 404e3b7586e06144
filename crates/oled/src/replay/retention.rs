//! Retention: which parts of segments are kept, whatever is in them: a sample by rank within the budget, and those that are
//! not too old.
//!
//! A rank is a hash of a name, so the parts with the smallest ranks are a fair sample of old and new ones. The longest
//! sequence of parts in the order of their ranks is kept whose runs fit into the budget together. Parts are found by rank and
//! by the time at which they are too old, so that a part that ends costs the logarithm of their number.

use std::collections::{BTreeMap, BTreeSet};

use super::record::Births;
use super::track::Part;
use crate::lang::Symbol;

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

/// What a part is found by: first its rank, then what tells parts of the same rank apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) rank: u64,
    born: u64,
    number: u32,
}

impl Key {
    pub(super) fn of(part: &Part) -> Key {
        Key { rank: rank(part.segment, part.number), born: part.born, number: part.number }
    }
}

/// The parts that are kept.
#[derive(Clone, Debug)]
pub(super) struct Retention {
    memory: Memory,
    finished: BTreeMap<Key, Part>,
    /// Those that are being written: their segments, and where they are among the ages.
    open: BTreeMap<Key, (Symbol, u64)>,
    /// All of these by the number of the last segment that may begin while they are kept.
    ages: BTreeSet<(u64, Key)>,
    /// The runs of all of these.
    runs: usize,
    /// Parts of a higher rank are not kept.
    limit: u64,
    /// Segments begun, and parts, those that were forgotten included.
    begun: u64,
    cut: u64,
    /// How often a part was looked at: for tests of how work grows.
    #[cfg(test)]
    pub(super) looked: u64,
}

impl Retention {
    pub(super) fn new(memory: Memory) -> Retention {
        Retention {
            memory,
            finished: BTreeMap::new(),
            open: BTreeMap::new(),
            ages: BTreeSet::new(),
            runs: 0,
            limit: u64::MAX,
            begun: 0,
            cut: 0,
            #[cfg(test)]
            looked: 0,
        }
    }

    /// With what was counted before, and no part yet.
    pub(super) fn resumed(memory: Memory, [limit, begun, cut]: [u64; 3]) -> Retention {
        Retention { limit, begun, cut, ..Retention::new(memory) }
    }

    /// What [`Retention::resumed`] goes on from.
    pub(super) fn counters(&self) -> [u64; 3] {
        [self.limit, self.begun, self.cut]
    }

    /// Counts a part that is looked at.
    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "only tests want to know"))]
    fn look(&mut self) {
        #[cfg(test)]
        {
            self.looked += 1;
        }
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Counts a segment that begins, and tells its number, and which parts that are being written are too old by that.
    pub(super) fn begin_segment(&mut self) -> (u64, Vec<Symbol>) {
        self.begun += 1;
        (self.begun, self.expire())
    }

    /// Tells how many segments began before the one that comes next, wherever they are kept.
    pub(super) fn number_segments(&mut self, before: u64) {
        self.begun = before;
    }

    /// Forgets what is too old; tells which of it is being written.
    fn expire(&mut self) -> Vec<Symbol> {
        let mut open = Vec::new();
        while let Some((_, key)) = self.ages.first().copied().filter(|(until, _)| *until < self.begun) {
            open.extend(self.forget(key));
        }
        open
    }

    /// Counts a part that is being written, and tells whether it is kept.
    pub(super) fn begin_part(&mut self, part: &Part) -> bool {
        self.cut += 1;
        self.resume_part(part)
    }

    /// A part that was begun before, if it is kept.
    pub(super) fn resume_part(&mut self, part: &Part) -> bool {
        let (key, until) = (Key::of(part), self.until(part));
        let kept = key.rank <= self.limit && until >= self.begun;
        if kept {
            self.look();
            self.open.insert(key, (part.segment, until));
            self.ages.insert((until, key));
            self.runs += part.runs;
        }
        kept
    }

    /// Keeps a part that has ended, if it is to be kept.
    pub(super) fn keep(&mut self, part: Part) {
        let (key, until) = (Key::of(&part), self.until(&part));
        if key.rank <= self.limit && until >= self.begun {
            self.look();
            self.runs += part.runs;
            self.ages.insert((until, key));
            self.finished.insert(key, part);
        }
    }

    /// Lets go of a part that was kept while it was written, with the runs that it had.
    pub(super) fn end_part(&mut self, part: &Part) {
        self.look();
        let key = Key::of(part);
        self.open.remove(&key);
        self.ages.remove(&(self.until(part), key));
        self.runs -= part.runs;
    }

    /// Counts runs of a part that is being written and kept.
    pub(super) fn add_runs(&mut self, runs: usize) {
        self.runs += runs;
    }

    /// The number of the last segment that may begin while a part is kept.
    fn until(&self, part: &Part) -> u64 {
        let window = self.memory.window.map_or(u64::MAX, |n| part.born.saturating_add(n.saturating_sub(1) as u64));
        // A rank is a lot between 0 and 1: of segments of some age those are kept whose lots are below 2^(-age / half).
        let lot = rank(part.segment, 0) as f64 / u64::MAX as f64;
        let age = |half: f64| (-libm::log2(lot) * half).floor() as u64;
        window.min(self.memory.forget.map_or(u64::MAX, |half| part.born.saturating_add(age(half))))
    }

    pub(super) fn is_over(&self) -> bool {
        self.runs > self.memory.runs
    }

    /// Forgets the parts with the highest rank, all of which are of one name, unless there are no others; tells which of them
    /// are being written.
    pub(super) fn forget_last(&mut self) -> Option<Vec<Symbol>> {
        let last = |keys: [Option<&Key>; 2]| keys.into_iter().flatten().max().copied();
        let highest = last([self.finished.keys().next_back(), self.open.keys().next_back()])?;
        let first = [self.finished.keys().next(), self.open.keys().next()].into_iter().flatten().min();
        if first.is_none_or(|first| first.rank == highest.rank) {
            return None;
        }
        self.limit = highest.rank - 1;
        Some(self.forget_above_limit())
    }

    /// Forgets the parts with ranks above the limit; tells which of them are being written.
    pub(super) fn forget_above_limit(&mut self) -> Vec<Symbol> {
        let mut open = Vec::new();
        while let Some(key) = self.finished.keys().next_back().copied().filter(|key| key.rank > self.limit) {
            open.extend(self.forget(key));
        }
        while let Some(key) = self.open.keys().next_back().copied().filter(|key| key.rank > self.limit) {
            open.extend(self.forget(key));
        }
        open
    }

    /// Forgets a part. If it is being written, its segment is told, and its runs are counted until they are
    /// [removed](Retention::remove_runs).
    fn forget(&mut self, key: Key) -> Option<Symbol> {
        self.look();
        if let Some(part) = self.finished.remove(&key) {
            self.runs -= part.runs;
            self.ages.remove(&(self.until(&part), key));
            return None;
        }
        let (segment, until) = self.open.remove(&key)?;
        self.ages.remove(&(until, key));
        Some(segment)
    }

    /// Renumbers what is in the parts that have ended.
    pub(super) fn renumber(&mut self, mut part: impl FnMut(&mut Part)) {
        for kept in self.finished.values_mut() {
            let before = kept.runs;
            part(kept);
            self.runs -= before - kept.runs;
        }
    }

    /// Discounts runs of a part that is being written.
    pub(super) fn remove_runs(&mut self, runs: usize) {
        self.runs -= runs;
    }

    /// The parts that have ended.
    pub(super) fn finished(&self) -> impl Iterator<Item = &Part> {
        self.finished.values()
    }

    /// The parts that have ended, taken out, with what was counted.
    pub(super) fn into_finished(self) -> impl Iterator<Item = Part> {
        self.finished.into_values()
    }

    /// Counts what another has seen, after its own or beside it, and tells which parts that are being written are not kept any more. The
    /// parts themselves come one by one.
    pub(super) fn join(&mut self, [limit, begun, cut]: [u64; 3], births: Births) -> Vec<Symbol> {
        self.limit = self.limit.min(limit);
        self.begun = if births == Births::After { self.begun + begun } else { self.begun.max(begun) };
        self.cut += cut;
        let mut open = self.expire();
        open.extend(self.forget_above_limit());
        open
    }

    pub(super) fn runs(&self) -> usize {
        self.runs
    }

    pub(super) fn begun(&self) -> u64 {
        self.begun
    }

    /// Whether no part was ever forgotten.
    pub(super) fn is_whole(&self) -> bool {
        (self.finished.len() + self.open.len()) as u64 == self.cut
    }
}

/// A number that looks random and depends on names only (FNV-1a, then mixed).
pub(crate) fn rank(segment: Symbol, part: u32) -> u64 {
    let bytes = segment.as_str().bytes().chain(part.to_le_bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    let mixed = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
