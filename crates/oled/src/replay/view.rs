//! View: the record as one fluent sees it, in the literals that its rules may be made of: runs of equal truth, numbered.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::pool::for_each_member;
use super::record::{Course, Record, Segment};
use crate::calculus::Outcome;
use crate::induce::{Bin, Grid, LiteralTable, Mask, NOTHING};
use crate::lang::{Looser, Value};
use crate::learn::{Gauge, Given};

/// A literal: one of the table, or a threshold for something measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Lit {
    Closed(u16),
    Open { slot: u16, threshold: Bin },
}

impl Lit {
    /// Whether both are thresholds for the same.
    pub(crate) fn is_same_measure(self, other: Lit) -> bool {
        matches!((self, other), (Lit::Open { slot: a, .. }, Lit::Open { slot: b, .. }) if a == b)
    }
}

/// Something that is measured of an instance and compared with thresholds.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) grid: Grid,
    pub(crate) looser: Looser,
    pub(crate) negated: bool,
    /// What is measured: slots that measure the same have the same number.
    pub(crate) attribute: u16,
}

impl Slot {
    /// The words of a truth with what is measured: two of a mask, and one for four measures.
    pub(crate) fn stride(slots: &[Slot]) -> usize {
        2 + slots.len().div_ceil(4)
    }
}

impl From<&Gauge> for Slot {
    fn from(gauge: &Gauge) -> Slot {
        let Gauge { grid, looser, negated, attribute, .. } = *gauge;
        Slot { grid, looser, negated, attribute: attribute as u16 }
    }
}

/// What a record is looked at for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aspect<'a> {
    pub(crate) table: &'a LiteralTable,
    pub(crate) slots: &'a [Slot],
    pub(crate) group: usize,
    /// The number of the target, and its place among those of its group.
    pub(crate) target: usize,
    pub(crate) place: usize,
    /// Whether it is an ordinary predicate, and whether it is symmetric.
    pub(crate) direct: bool,
    pub(crate) symmetric: bool,
    /// Literals of the table that may not be used: what they are when a theory recognises is not known. And those with open
    /// thresholds.
    pub(crate) left_out: Mask,
    pub(crate) open_left_out: &'a [bool],
    /// Bits of truths that start and that end the fluent, whatever the rules are, and that say that it is not observed.
    pub(crate) given: Given,
    pub(crate) absent: Option<usize>,
    /// Constants of the label's columns, and variables of the heads.
    pub(crate) columns: &'a [Result<usize, Value>],
}

impl Aspect<'_> {
    /// What is annotated of an instance, as a row.
    pub(crate) fn row(&self, values: &[Value]) -> Box<[Value]> {
        self.columns.iter().map(|column| column.map_or_else(|constant| constant, |v| values[v])).collect()
    }

    /// Puts literals into the order of the modes, thresholds in ascending order: of rules that are equally good, the first
    /// is taken.
    pub(crate) fn sort(&self, literals: &mut Vec<Lit>) {
        let key = |literal: &Lit| match *literal {
            Lit::Closed(bit) => (bit as usize, 1, 0, 0),
            Lit::Open { slot, threshold } => (self.table.open_literals()[slot as usize].before, 0, slot, threshold),
        };
        literals.sort_by_key(key);
        literals.dedup();
    }
}

/// What is annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    No,
    Yes,
    Unknown,
}

/// Consecutive time points of a track that no literal and no label tells apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    pub(crate) class: u32,
    pub(crate) length: u32,
    pub(crate) label: Label,
}

/// A track as stretches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trail {
    /// The number of its first stretch; the last is where the next trail begins.
    pub(crate) first: u32,
    pub(crate) segment: u32,
    /// Whether the background says that the fluent holds at its first time point.
    pub(crate) holds: bool,
}

/// Segments that are told apart when support is counted.
pub(crate) const SUPPORT: usize = 3;

/// What is known of a class of equal truth.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stat {
    /// What becomes of the fluent at the next time point; of an ordinary predicate, whether it holds.
    pub(crate) counts: [u64; 4],
    /// The first segments in which it was seen, and in which the fluent held.
    pub(crate) seen: Few,
    pub(crate) held: Few,
}

impl Stat {
    fn add(&mut self, outcome: Outcome, times: u32, segment: u32) {
        self.seen.add(segment);
        self.counts[outcome as usize] += u64::from(times);
        if outcome.holds_next() && times > 0 {
            self.held.add(segment);
        }
    }

    pub(crate) fn with(mut self, other: &Stat) -> Stat {
        self.add_counts(other);
        self.seen.merge(&other.seen);
        self.held.merge(&other.held);
        self
    }

    pub(crate) fn add_counts(&mut self, other: &Stat) {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a += b);
    }

    pub(crate) fn subtract_counts(&mut self, other: &Stat) {
        self.counts.iter_mut().zip(other.counts).for_each(|(a, b)| *a -= b);
    }

    fn of(&self, outcome: Outcome) -> u64 {
        self.counts[outcome as usize]
    }

    /// Whether the fluent never holds.
    pub(crate) fn is_idle(&self) -> bool {
        self.of(Outcome::Absent) == self.counts.iter().sum::<u64>()
    }

    /// Whether the fluent ever begins or ends.
    pub(crate) fn changes(&self) -> bool {
        self.of(Outcome::Begins) + self.of(Outcome::Ends) > 0
    }

    /// The same for so many classes.
    pub(crate) fn weighted(mut self, times: u64) -> Stat {
        self.counts.iter_mut().for_each(|c| *c *= times);
        self
    }

    /// The share of time points after which the fluent holds.
    pub(crate) fn held_share(&self) -> f64 {
        let held = self.of(Outcome::Begins) + self.of(Outcome::Persists);
        held as f64 / self.counts.iter().sum::<u64>().max(1) as f64
    }

    /// How well it tells when the fluent begins, as F1, and with more weight on precision. Going on is neither right nor
    /// wrong.
    pub(crate) fn starts(&self, total: &Stat) -> (f64, f64) {
        let wrong = self.of(Outcome::Absent) + self.of(Outcome::Ends);
        scores(self.of(Outcome::Begins), wrong, total.of(Outcome::Begins))
    }

    /// How well it tells when the fluent ends. What does not hold cannot end.
    pub(crate) fn ends(&self, total: &Stat) -> (f64, f64) {
        scores(self.of(Outcome::Ends), self.of(Outcome::Persists), total.of(Outcome::Ends))
    }
}

/// F1, and F with a tenth of the weight on recall, of what is right, wrong, and to be found.
fn scores(right: u64, wrong: u64, all: u64) -> (f64, f64) {
    let (right, wrong, all) = (right as f64, wrong as f64, all as f64);
    (2.0 * right / (right + wrong + all).max(1.0), 1.1 * right / (right + wrong + 0.1 * all).max(1.0))
}

/// A few distinct numbers: enough to know whether there are [`SUPPORT`] of them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Few {
    numbers: [u32; SUPPORT],
    count: u8,
}

impl Few {
    #[inline]
    pub(crate) fn add(&mut self, number: u32) {
        let count = self.count as usize;
        if count < SUPPORT && !self.numbers[..count].contains(&number) {
            self.numbers[count] = number;
            self.count += 1;
        }
    }

    pub(crate) fn merge(&mut self, other: &Few) {
        other.numbers[..other.count as usize].iter().for_each(|n| self.add(*n));
    }

    pub(crate) fn len(&self) -> usize {
        self.count as usize
    }
}

/// The record as a fluent sees it.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub(crate) literals: Vec<Lit>,
    /// What each literal is about: a body has at most one literal of a kind.
    pub(crate) attributes: Vec<u32>,
    /// How many truths a class has at most: those of the orders of a symmetric fluent's arguments, or of assignments.
    pub(crate) ways: usize,
    /// Words of a set of classes.
    pub(crate) words: usize,
    pub(crate) classes: usize,
    /// For each literal, for each way, the set of classes in which it is true.
    pub(crate) bits: Vec<u64>,
    pub(crate) stretches: Vec<Stretch>,
    pub(crate) trails: Vec<Trail>,
    pub(crate) stats: Vec<Stat>,
    /// Time points at which the fluent is annotated, those of what is not observed included.
    pub(crate) positives: u64,
    pub(crate) segments: usize,
    /// Segments in which the fluent is annotated.
    pub(crate) with_event: usize,
    /// The time points at which it is annotated of what cannot hold.
    pub(crate) missed: u64,
    /// The classes in which the background starts the fluent, and in which it ends it.
    pub(crate) starts: Vec<u64>,
    pub(crate) ends: Vec<u64>,
}

impl View {
    /// Looks at segments with the literals of the table and a coarse choice of thresholds.
    pub(crate) fn new(record: &Record, segments: &[&Segment<'_>], aspect: Aspect<'_>) -> View {
        let usable = |i: &usize| !aspect.left_out.has(*i);
        let mut literals: Vec<Lit> = (0..aspect.table.len()).filter(usable).map(|i| Lit::Closed(i as u16)).collect();
        literals.extend(thresholds(record, segments, aspect));
        aspect.sort(&mut literals);
        let mut view = View::with(record, segments, aspect, literals);
        view.drop_useless();
        view
    }

    /// Looks at segments with these literals.
    pub(crate) fn with(record: &Record, segments: &[&Segment<'_>], aspect: Aspect<'_>, literals: Vec<Lit>) -> View {
        let Aspect { table, slots, group, target, place, direct, given, .. } = aspect;
        let states = &record.states[group];
        let mut view = View { attributes: attributes(table, slots, &literals), ..View::default() };
        // What is given is told apart, but no rule can ask for it.
        let bits = [given.starts, given.ends, given.other_value];
        let told_apart: Vec<Lit> =
            literals.iter().copied().chain(bits.iter().flatten().map(|bit| Lit::Closed(*bit as u16))).collect();
        let reader = Reader::new(slots, &told_apart);
        let (row, mut key) = (reader.row.max(1), Vec::new());
        // The class of each state; states that no literal tells apart are one.
        let mut classes: IndexSet<Box<[u64]>, FxBuildHasher> = IndexSet::default();
        let mut class_of = vec![u32::MAX; states.len()];
        for (s, segment) in segments.iter().enumerate() {
            let mut event = segment.missed[target] > 0;
            view.missed += segment.missed[target];
            for course in segment.groups[group].iter().filter(|course| !course.is_empty()) {
                let first = view.stretches.len() as u32;
                let mut censored = course.censored;
                let mut label_of = |labels: u64| match labels >> (2 * place) & 3 {
                    0 => {
                        censored = false;
                        Label::No
                    }
                    1 if !censored => Label::Yes,
                    _ => Label::Unknown,
                };
                let mut runs = course.runs().map(|run| (run, label_of(run.labels))).peekable();
                while let Some((run, label)) = runs.next() {
                    let class = &mut class_of[run.state as usize];
                    if *class == u32::MAX {
                        reader.read(&states[run.state as usize], &mut key);
                        let known = classes.get_index_of(key.as_slice());
                        *class = known.unwrap_or_else(|| classes.insert_full(key.as_slice().into()).0) as u32;
                    }
                    view.note(*class, label, run.length, first);
                    // What a rule does shows at the next time point.
                    let next = runs.peek().map_or(Label::Unknown, |(_, label)| *label);
                    let stat = &mut view.stats[*class as usize];
                    let mut add = |now: Label, next: Label, times: u32| {
                        if now != Label::Unknown && next != Label::Unknown {
                            stat.add(Outcome::new(now == Label::Yes, next == Label::Yes), times, s as u32);
                        }
                    };
                    if direct {
                        add(Label::No, label, run.length);
                    } else {
                        add(label, label, run.length - 1);
                        add(label, next, 1);
                    }
                    event |= label == Label::Yes;
                }
                let holds = !direct && course.initial >> place & 1 == 1;
                view.trails.push(Trail { first, segment: s as u32, holds });
            }
            view.with_event += usize::from(event);
        }
        view.positives += view.missed;
        view.segments = segments.len();
        view.classes = classes.len();
        view.words = classes.len().div_ceil(64);
        view.ways = classes.iter().map(|c| c.len() / row).max().unwrap_or(1).max(1);
        let (ways, words) = (view.ways, view.words);
        view.bits = vec![0; told_apart.len() * ways * words];
        for (c, key) in classes.iter().enumerate() {
            for way in 0..ways {
                // A class with fewer truths has its first one several times.
                let truth = key.chunks(row).nth(way).or_else(|| key.chunks(row).next());
                for_each_member(truth.unwrap_or_default(), |l| {
                    view.bits[(l * ways + way) * words + c / 64] |= 1 << (c % 64);
                });
            }
        }
        (view.starts, view.ends) = (vec![0; words], vec![0; words]);
        for (l, (i, _)) in (literals.len()..).zip(bits.iter().enumerate().filter(|(_, bit)| bit.is_some())) {
            let set = view.cover([l]);
            let all = if i == 0 { &mut view.starts } else { &mut view.ends };
            all.iter_mut().zip(set).for_each(|(all, set)| *all |= set);
        }
        view.bits.truncate(literals.len() * ways * words);
        view.literals = literals;
        view
    }

    fn note(&mut self, class: u32, label: Label, length: u32, first: u32) {
        self.stats.resize(self.stats.len().max(class as usize + 1), Stat::default());
        if label == Label::Yes {
            self.positives += u64::from(length);
        }
        let open = self.stretches.len() as u32 > first;
        match self.stretches.last_mut() {
            Some(last) if open && last.class == class && last.label == label => last.length += length,
            _ => self.stretches.push(Stretch { class, length, label }),
        }
    }

    /// The classes in which a literal is true, for each way.
    pub(crate) fn bits_of(&self, literal: usize) -> &[u64] {
        let size = self.ways * self.words;
        &self.bits[literal * size..(literal + 1) * size]
    }

    /// The classes in which all of some literals are true, by their numbers.
    pub(crate) fn cover(&self, literals: impl IntoIterator<Item = usize>) -> Vec<u64> {
        let mut truth = self.everything();
        for l in literals {
            truth.iter_mut().zip(self.bits_of(l)).for_each(|(t, b)| *t &= b);
        }
        let mut cover = vec![0; self.words];
        for way in truth.chunks(self.words.max(1)) {
            cover.iter_mut().zip(way).for_each(|(c, w)| *c |= w);
        }
        cover
    }

    /// The numbers of literals, if the view has them all.
    pub(crate) fn numbers(&self, literals: &[Lit]) -> Option<Vec<usize>> {
        literals.iter().map(|l| self.literals.iter().position(|v| v == l)).collect()
    }

    /// The set of all classes, for each way.
    pub(crate) fn everything(&self) -> Vec<u64> {
        let mut all = vec![u64::MAX; self.words];
        if !self.classes.is_multiple_of(64) {
            all[self.words - 1] = (1 << (self.classes % 64)) - 1;
        }
        all.repeat(self.ways)
    }

    /// Leaves out literals that are never true, that are always true, and that another is true with always.
    fn drop_useless(&mut self) {
        let everything = self.everything();
        let mut distinct: IndexMap<&[u64], usize, FxBuildHasher> = IndexMap::default();
        for l in 0..self.literals.len() {
            let bits = self.bits_of(l);
            if bits != everything && bits.iter().any(|w| *w != 0) {
                distinct.entry(bits).or_insert(l);
            }
        }
        let kept: Vec<usize> = distinct.into_values().collect();
        self.bits = kept.iter().flat_map(|&l| self.bits_of(l)).copied().collect();
        self.literals = kept.iter().map(|&l| self.literals[l]).collect();
        self.attributes = kept.iter().map(|&l| self.attributes[l]).collect();
    }
}

/// What is measured of a truth, by slot.
#[inline]
pub(crate) fn measured(truth: &[u64], slot: usize) -> Bin {
    (truth[2 + slot / 4] >> (16 * (slot % 4))) as u16 as Bin
}

/// Puts something else in its place.
pub(crate) fn set_measured(truth: &mut [u64], slot: usize, bin: Bin) {
    let (word, shift) = (2 + slot / 4, 16 * (slot % 4));
    truth[word] = truth[word] & !(0xffff << shift) | u64::from(bin as u16) << shift;
}

/// Words of a truth of which nothing is measured.
pub(crate) fn nothing_measured() -> u64 {
    let nothing = u64::from(NOTHING as u16);
    nothing | nothing << 16 | nothing << 32 | nothing << 48
}

/// Tells which literals are true in a state.
struct Reader<'a> {
    stride: usize,
    /// Words of a row of bits, one for each literal.
    row: usize,
    closed: Vec<(usize, usize)>,
    open: Vec<Steps<'a>>,
}

/// The thresholds of one slot, which are neighbours among the literals: what is measured meets the first of them or the last.
struct Steps<'a> {
    slot: usize,
    looser: Looser,
    negated: bool,
    first: usize,
    literals: &'a [Lit],
}

impl<'a> Reader<'a> {
    fn new(slots: &[Slot], literals: &'a [Lit]) -> Reader<'a> {
        let mut reader = Reader {
            stride: Slot::stride(slots),
            row: literals.len().div_ceil(64),
            closed: Vec::new(),
            open: Vec::new(),
        };
        let mut first = 0;
        for same in literals.chunk_by(|a, b| a.is_same_measure(*b)) {
            match same[0] {
                Lit::Closed(bit) => reader.closed.push((bit as usize, first)),
                Lit::Open { slot, .. } => {
                    let Slot { looser, negated, .. } = slots[slot as usize];
                    reader.open.push(Steps { slot: slot as usize, looser, negated, first, literals: same });
                }
            }
            first += same.len();
        }
        reader
    }

    /// A row of bits for each truth of a state that is no part of another, into `rows`.
    fn read(&self, state: &[u64], rows: &mut Vec<u64>) {
        rows.clear();
        let row = self.row.max(1);
        for truth in state.chunks(self.stride) {
            let start = rows.len();
            rows.resize(start + row, 0);
            self.read_truth(truth, &mut rows[start..]);
            let part = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(x, y)| x & !y == 0);
            let (kept, new) = rows.split_at(start);
            if kept.chunks(row).any(|k| part(new, k)) {
                rows.truncate(start);
                continue;
            }
            let new = new.to_vec();
            let mut at = 0;
            for k in 0..start / row {
                if !part(&rows[k * row..(k + 1) * row], &new) {
                    rows.copy_within(k * row..(k + 1) * row, at);
                    at += row;
                }
            }
            rows.truncate(at);
            // In an order of their own: which way is which does not matter.
            let place = rows.chunks(row).position(|k| *k > *new).map_or(rows.len(), |k| k * row);
            rows.splice(place..place, new);
        }
    }

    fn read_truth(&self, truth: &[u64], bits: &mut [u64]) {
        let mask = Mask::from_words([truth[0], truth[1]]);
        for (bit, l) in &self.closed {
            bits[l / 64] |= u64::from(mask.has(*bit)) << (l % 64);
        }
        for Steps { slot, looser, negated, first, literals } in &self.open {
            let value = measured(truth, *slot);
            let meets = |l: &Lit| matches!(l, Lit::Open { threshold, .. } if Grid::meets(*looser, value, *threshold));
            // Larger thresholds are met by all that smaller ones are met by, or the other way round.
            let (yes, no) = if *looser == Looser::Larger {
                let met = literals.partition_point(|l| !meets(l));
                (met..literals.len(), 0..met)
            } else {
                let met = literals.partition_point(meets);
                (0..met, met..literals.len())
            };
            for l in if *negated { no } else { yes } {
                bits[(first + l) / 64] |= 1 << ((first + l) % 64);
            }
        }
    }
}

/// A choice of thresholds for each slot: a coarse grid, without those that tell hardly any time points apart.
fn thresholds(record: &Record, segments: &[&Segment<'_>], aspect: Aspect<'_>) -> Vec<Lit> {
    let Aspect { slots, group, place, .. } = aspect;
    if slots.is_empty() {
        return Vec::new();
    }
    let states = &record.states[group];
    let stride = Slot::stride(slots);
    let mut weights = vec![[0_u64; 2]; states.len()];
    for run in segments.iter().flat_map(|s| &s.groups[group]).flat_map(Course::runs) {
        let label = run.labels >> (2 * place) & 3;
        if label < 2 {
            weights[run.state as usize][label as usize] += u64::from(run.length);
        }
    }
    let mut literals = Vec::new();
    for (s, slot) in slots.iter().enumerate().filter(|(s, _)| !aspect.open_left_out[*s]) {
        // Time points with and without the fluent by what was measured.
        let mut histogram: Vec<(Bin, [u64; 2])> = Vec::new();
        for (state, weight) in states.iter().zip(&weights) {
            for truth in state.chunks(stride) {
                let bin = measured(truth, s);
                if bin != NOTHING && *weight != [0, 0] {
                    histogram.push((bin, *weight));
                }
            }
        }
        histogram.sort_unstable();
        let (Some(least), Some(most)) = (histogram.first(), histogram.last()) else { continue };
        let mut choice = slot.grid.coarse(least.0, most.0);
        if slot.looser == Looser::Smaller {
            choice.reverse();
        }
        let add = |sum: [u64; 2], more: &[u64; 2]| [sum[0] + more[0], sum[1] + more[1]];
        // For larger thresholds, those measured below come first; for smaller ones those above.
        if slot.looser == Looser::Smaller {
            histogram.reverse();
        }
        let total = histogram.iter().fold([0, 0], |sum, (_, w)| add(sum, w));
        let (mut at, mut sum) = (0, [0, 0]);
        let mut met = |threshold: Bin| {
            while at < histogram.len() && Grid::meets(slot.looser, histogram[at].0, threshold) {
                sum = add(sum, &histogram[at].1);
                at += 1;
            }
            sum
        };
        let mut before = [0, 0];
        for threshold in choice {
            let now = met(threshold);
            if (0..2).any(|i| now[i] > before[i] && (now[i] - before[i]) * LEAST_SHARE >= total[i]) {
                before = now;
                literals.push(Lit::Open { slot: s as u16, threshold });
            }
        }
    }
    literals
}

/// A threshold must tell at least one in so many time points apart from the next one.
const LEAST_SHARE: u64 = 100;

/// What each literal is about: the same relation of the same variables, or the same measure of them.
fn attributes(table: &LiteralTable, slots: &[Slot], literals: &[Lit]) -> Vec<u32> {
    let closed = table.attributes();
    literals
        .iter()
        .map(|literal| match *literal {
            Lit::Closed(bit) => closed[bit as usize],
            Lit::Open { slot, .. } => u32::from(slots[slot as usize].attribute) + table.len() as u32,
        })
        .collect()
}
