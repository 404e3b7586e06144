//! Classes: the record as one fluent sees it: what is true, told apart by the literals that its rules may be made of.
//!
//! Time points at which the same is true of an instance are one class. A class has an item for each way in which variables
//! can be chosen, and for each order of the arguments of a symmetric fluent: a body is true in it if all of its conditions
//! are true of one item.

use std::hash::BuildHasher;

use hashbrown::HashTable;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::layout::{Layout, has_bit};
use super::literal::{Lit, Rule, Slot};
use super::record::{InstanceRuns, Record, Segment};
use super::scale::{Fineness, Scale};
use crate::calculus::Precedence;
use crate::induce::{LiteralTable, Mask, RuleKind, Threshold};
use crate::lang::Value;
use crate::learn::{Connected, Given, Links};

/// What a record is looked at for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) table: &'a LiteralTable,
    pub(crate) slots: &'a [Slot],
    pub(crate) layout: Layout,
    pub(crate) group: usize,
    /// The number of the target, and its place among those of its group.
    pub(crate) target: usize,
    pub(crate) place: usize,
    /// Whether it is symmetric.
    pub(crate) symmetric: bool,
    /// Whether it is an equivalence: what it recognises is closed at each time point.
    pub(crate) closed: bool,
    /// Literals of the table that may not be used: what they are when a theory recognises is not known. And those with open
    /// thresholds.
    pub(crate) left_out: &'a Mask,
    pub(crate) open_left_out: &'a [bool],
    /// Those that are meant for the rules of each kind.
    pub(crate) allowed: &'a [Allowed],
    /// What relates the variables of its heads.
    pub(crate) links: &'a Links,
    /// Bits of truths that start and that end the fluent, whatever the rules are, and that say that it is not observed.
    pub(crate) given: Given,
    /// Which wins where the fluent is started and ended at the same time point.
    pub(crate) both: Precedence,
    pub(crate) absent: Option<usize>,
    /// Constants of the label's columns, and variables of the heads.
    pub(crate) columns: &'a [Result<usize, Value>],
}

/// The literals that are meant for the rules of a kind: those of the table, and those with open thresholds.
#[derive(Clone, Debug)]
pub(crate) struct Allowed {
    pub(crate) kind: RuleKind,
    pub(crate) closed: Mask,
    pub(crate) open: Vec<bool>,
}

impl Scope<'_> {
    /// Whether rules of a kind may have a literal.
    pub(crate) fn allows(&self, kind: RuleKind, literal: Lit) -> bool {
        match literal {
            Lit::Plain(bit) => self.of_kind(kind).any(|allowed| allowed.closed.has(bit as usize)),
            Lit::Threshold { slot, .. } => self.of_kind(kind).any(|allowed| allowed.open[slot as usize]),
        }
    }

    fn of_kind(&self, kind: RuleKind) -> impl Iterator<Item = &Allowed> {
        self.allowed.iter().filter(move |allowed| allowed.kind == kind)
    }

    /// For which kinds of rules a literal of the table is meant, one bit each.
    fn kinds(&self, literal: usize) -> u64 {
        let bits = self.allowed.iter().enumerate();
        bits.fold(0, |kinds, (i, allowed)| kinds | u64::from(allowed.closed.has(literal)) << i)
    }

    /// Whether a rule with these literals may start the fluent: it relates all variables that can be related. Others were
    /// not looked at.
    pub(crate) fn is_linked(&self, body: impl IntoIterator<Item = Lit>) -> bool {
        let with = |connected: Connected, literal: Lit| match literal {
            Lit::Plain(bit) => self.links.and(connected, bit as usize),
            Lit::Threshold { slot, .. } => self.links.and_open(connected, slot as usize),
        };
        !self.links.is_relational() || self.links.is_all(body.into_iter().fold(Connected::APART, with))
    }

    /// What is annotated of an instance, as a row.
    pub(crate) fn row(&self, values: &[Value]) -> Box<[Value]> {
        self.columns.iter().map(|column| column.map_or_else(|constant| constant, |v| values[v])).collect()
    }
}

/// A condition of a body: the column of a literal, or a slot with the cut of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Condition {
    Literal(u16),
    Threshold(u16, u16),
}

/// What is true in each class.
#[derive(Clone, Debug, Default)]
pub(crate) struct Classes {
    /// The literals of the table that rows have a bit for, in their order.
    literals: Vec<u16>,
    pub(crate) words: usize,
    /// The slots that items have a place for, with their scales.
    slots: Vec<u16>,
    pub(crate) scales: Vec<Scale>,
    /// For each item its bits and its places, one item after the other.
    rows: Vec<u64>,
    places: Vec<u16>,
    /// The first item of each class, and where the last one ends.
    first: Vec<u32>,
    /// What the background does in each class: it starts the fluent, it ends it.
    pub(crate) starts: Vec<bool>,
    pub(crate) ends: Vec<bool>,
    /// The class of each state of the record; none of those that do not occur.
    pub(crate) of_state: Vec<u32>,
}

/// So many places are put into a word of a key.
const PACKED: usize = 4;

/// What is looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Vocabulary<'a> {
    /// Every literal that tells anything apart, with thresholds of few digits; and the literals of some rules.
    All(&'a [Rule]),
    /// The literals of some rules, with their thresholds and others, more or fewer.
    Of(&'a [Rule], Fineness),
}

impl Classes {
    /// The classes of the states that occur in segments.
    pub(crate) fn new(
        record: &Record,
        segments: &[&Segment<'_>],
        scope: Scope<'_>,
        vocabulary: Vocabulary<'_>,
    ) -> Classes {
        let states = &record.states[scope.group];
        let mut occurs = vec![false; states.len()];
        for run in segments.iter().flat_map(|s| &s.groups[scope.group]).flat_map(InstanceRuns::runs) {
            occurs[run.state as usize] = true;
        }
        let occurring = || states.iter().zip(&occurs).filter(|(_, occurs)| **occurs).map(|(state, _)| state);
        let mut classes = Classes::default();
        classes.choose(record, occurring().map(|state| &**state), scope, vocabulary);
        classes.of_state = vec![u32::MAX; states.len()];
        // The keys of the classes, one after the other, where each begins, and the classes with their hashes.
        let (mut keys, mut begin, mut known) = (Vec::new(), vec![0], HashTable::<(u64, u32)>::new());
        let mut key = Vec::new();
        for (number, state) in states.iter().enumerate().filter(|(number, _)| occurs[*number]) {
            classes.read(state, scope.layout, scope.given, &mut key);
            let hash = FxBuildHasher.hash_one(key.as_slice());
            let is_same = |(other, class): &(u64, u32)| {
                *other == hash && keys[begin[*class as usize]..begin[*class as usize + 1]] == key
            };
            let entry = known.entry(hash, is_same, |(hash, _)| *hash);
            let class = entry.or_insert((hash, begin.len() as u32 - 1)).get().1;
            classes.of_state[number] = class;
            if class as usize + 1 == begin.len() {
                keys.extend_from_slice(&key);
                begin.push(keys.len());
            }
        }
        for key in begin.windows(2) {
            classes.push(&keys[key[0]..key[1]]);
        }
        classes.first.push((classes.rows.len() / classes.words) as u32);
        classes
    }

    /// Chooses what items are made of.
    fn choose<'s>(
        &mut self,
        record: &Record,
        states: impl Iterator<Item = &'s [u64]> + Clone,
        scope: Scope<'_>,
        vocabulary: Vocabulary<'_>,
    ) {
        let layout = scope.layout;
        let truths = states.flat_map(|state| state.chunks(layout.stride()));
        let (all, rules, fineness) = match vocabulary {
            Vocabulary::All(rules) => (true, rules, Fineness::Coarse),
            Vocabulary::Of(rules, fineness) => (false, rules, fineness),
        };
        let kept: IndexSet<Lit, FxBuildHasher> = rules.iter().flat_map(|rule| &rule.body).copied().collect();
        // A literal that is never true, always true, or true where one before it is, tells nothing apart; but one that is
        // always true may relate variables.
        let mut distinct: IndexMap<(u64, u64, u64, u64), usize, FxBuildHasher> = IndexMap::default();
        let mut prints = vec![(0_u64, 0_u64); scope.table.len()];
        let mut count = 0;
        if all {
            for (number, truth) in truths.clone().enumerate() {
                count += 1;
                for literal in layout.literals(truth) {
                    if let Some((times, print)) = prints.get_mut(literal) {
                        *times += 1;
                        *print ^= spread(number as u64);
                    }
                }
            }
        }
        let mut useful = |l: usize| {
            let ((times, print), links) = (prints[l], scope.links.and(Connected::APART, l).number());
            let tells = times > 0 && (times < count || links != 0);
            // What is meant for other rules does not stand for it.
            let kinds = scope.kinds(l);
            let apart = tells && kinds != 0 && *distinct.entry((times, print, links, kinds)).or_insert(l) == l;
            all && apart && !scope.left_out.has(l) || kept.contains(&Lit::Plain(l as u16))
        };
        self.literals = (0..scope.table.len()).filter(|l| useful(*l)).map(|l| l as u16).collect();
        self.words = self.literals.len().div_ceil(64).max(1);
        for (s, slot) in scope.slots.iter().enumerate() {
            let used = kept.iter().any(|l| matches!(l, Lit::Threshold { slot, .. } if *slot as usize == s));
            if used || all && !scope.open_left_out[s] {
                let of_slot = |l: &Lit| match l {
                    Lit::Threshold { slot, threshold } if *slot as usize == s => Some(*threshold),
                    _ => None,
                };
                let given: Vec<Threshold> = kept.iter().filter_map(of_slot).collect();
                let ranks = record.bins[scope.group][s].order();
                let scale = Scale::new(*slot, ranks, fineness, &given);
                if used || scale.len() > 1 {
                    self.slots.push(s as u16);
                    self.scales.push(scale);
                }
            }
        }
    }

    /// The items of a state, with what the background does, as a key: no item is part of another, and they are in order.
    fn read(&self, state: &[u64], layout: Layout, given: Given, key: &mut Vec<u64>) {
        key.clear();
        let truths = || state.chunks(layout.stride());
        let has = |bit: Option<usize>| bit.is_some_and(|bit| truths().any(|truth| has_bit(truth, bit)));
        key.push(u64::from(has(given.starts)) | u64::from(has(given.ends) || has(given.other_value)) << 1);
        let width = self.width();
        for truth in truths() {
            let start = key.len();
            key.resize(start + self.words, 0);
            for (column, literal) in self.literals.iter().enumerate() {
                key[start + column / 64] |= u64::from(has_bit(truth, *literal as usize)) << (column % 64);
            }
            let place = |(s, scale): (&u16, &Scale)| u64::from(scale.place(layout.measured(truth, *s as usize)));
            for (slots, scales) in self.slots.chunks(PACKED).zip(self.scales.chunks(PACKED)) {
                key.push(slots.iter().zip(scales).fold(0, |word, slot| word << 16 | place(slot)));
            }
            let (others, item) = key.split_at(start);
            if others[1..].chunks(width).any(|other| self.is_part(item, other)) {
                key.truncate(start);
                continue;
            }
            for at in (1..start).step_by(width).rev() {
                if self.is_part(&key[at..at + width], &key[key.len() - width..]) {
                    key.drain(at..at + width);
                }
            }
        }
        if !key[1..].chunks(width).is_sorted() {
            let mut items: Vec<&[u64]> = key[1..].chunks(width).collect();
            items.sort_unstable();
            let items = items.concat();
            key.splice(1.., items);
        }
    }

    /// The words of an item in a key.
    fn width(&self) -> usize {
        self.words + self.slots.len().div_ceil(PACKED)
    }

    /// Whether whatever is true of an item is true of another.
    fn is_part(&self, item: &[u64], other: &[u64]) -> bool {
        let (bits, places) = item.split_at(self.words);
        let (other_bits, other_places) = other.split_at(self.words);
        let lane = |word: &u64, i: usize| word >> (16 * i) & 0xffff;
        let is_less = |(a, b): (&u64, &u64)| (0..PACKED).any(|i| lane(a, i) < lane(b, i));
        bits.iter().zip(other_bits).all(|(a, b)| a & !b == 0) && !places.iter().zip(other_places).any(is_less)
    }

    fn push(&mut self, key: &[u64]) {
        self.first.push((self.rows.len() / self.words) as u32);
        self.starts.push(key[0] & 1 == 1);
        self.ends.push(key[0] & 2 == 2);
        for item in key[1..].chunks(self.width()) {
            let (bits, places) = item.split_at(self.words);
            self.rows.extend_from_slice(bits);
            for (slots, word) in self.slots.chunks(PACKED).zip(places) {
                self.places.extend((0..slots.len()).rev().map(|i| (word >> (16 * i)) as u16));
            }
        }
    }

    /// Classes with these items, each the bits of its literals and its places.
    #[cfg(test)]
    pub(crate) fn of_items(literals: usize, scales: Vec<Scale>, all: Vec<Vec<(u64, Vec<u16>)>>) -> Classes {
        let slots = (0..scales.len() as u16).collect();
        let mut classes =
            Classes { literals: (0..literals as u16).collect(), words: 1, slots, scales, ..Classes::default() };
        for items in all {
            let pack = |places: &[u16]| places.iter().fold(0, |word, place| word << 16 | u64::from(*place));
            let item = |(bits, places): (u64, Vec<u16>)| {
                [bits].into_iter().chain(places.chunks(PACKED).map(pack).collect::<Vec<u64>>())
            };
            let key: Vec<u64> = [0].into_iter().chain(items.into_iter().flat_map(item)).collect();
            classes.push(&key);
        }
        classes.first.push(classes.rows.len() as u32);
        classes
    }

    /// How many literals and slots there are.
    pub(crate) fn literals(&self) -> usize {
        self.literals.len()
    }

    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// How many classes there are.
    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The words that items take.
    pub(crate) fn size(&self) -> usize {
        self.rows.len() + self.places.len() / PACKED
    }

    /// The items of a class.
    #[inline]
    pub(crate) fn items(&self, class: u32) -> std::ops::Range<usize> {
        self.first[class as usize] as usize..self.first[class as usize + 1] as usize
    }

    /// The bits of an item, and its places.
    #[inline]
    pub(crate) fn row(&self, item: usize) -> &[u64] {
        &self.rows[item * self.words..(item + 1) * self.words]
    }

    #[inline]
    pub(crate) fn places(&self, item: usize) -> &[u16] {
        &self.places[item * self.slots.len()..(item + 1) * self.slots.len()]
    }

    /// Whether a condition is true of an item.
    #[inline]
    pub(crate) fn meets(&self, item: usize, condition: Condition) -> bool {
        match condition {
            Condition::Literal(column) => {
                let column = column as usize;
                self.rows[item * self.words + column / 64] >> (column % 64) & 1 == 1
            }
            Condition::Threshold(slot, cut) => self.places[item * self.slots.len() + slot as usize] < cut,
        }
    }

    /// Whether a body is true in each class.
    pub(crate) fn cover(&self, body: &[Condition]) -> Vec<bool> {
        (0..self.len() as u32).map(|class| self.covers(class, body)).collect()
    }

    /// Whether a body is true in a class.
    #[inline]
    pub(crate) fn covers(&self, class: u32, body: &[Condition]) -> bool {
        self.items(class).any(|item| body.iter().all(|c| self.meets(item, *c)))
    }

    /// A literal as a condition; none if it is not looked at.
    pub(crate) fn condition(&self, literal: Lit) -> Option<Condition> {
        Some(match literal {
            Lit::Plain(bit) => Condition::Literal(self.literals.binary_search(&bit).ok()? as u16),
            Lit::Threshold { slot, threshold } => {
                let at = self.slots.iter().position(|s| *s == slot)?;
                Condition::Threshold(at as u16, self.scales[at].cut(threshold))
            }
        })
    }

    /// The body of a rule; none if a literal of it is not looked at.
    pub(crate) fn body(&self, rule: &Rule) -> Option<Vec<Condition>> {
        let mut body = rule.body.iter().map(|l| self.condition(*l)).collect::<Option<Vec<_>>>()?;
        body.sort_unstable();
        Some(body)
    }

    /// Whether rules of a kind may have a condition, whatever its threshold is.
    pub(crate) fn allows(&self, scope: Scope<'_>, kind: RuleKind, condition: Condition) -> bool {
        match condition {
            Condition::Literal(column) => scope.allows(kind, Lit::Plain(self.literals[column as usize])),
            Condition::Threshold(slot, _) => {
                scope.of_kind(kind).any(|allowed| allowed.open[self.slots[slot as usize] as usize])
            }
        }
    }

    /// A condition as a literal.
    pub(crate) fn literal(&self, condition: Condition) -> Lit {
        match condition {
            Condition::Literal(column) => Lit::Plain(self.literals[column as usize]),
            Condition::Threshold(slot, cut) => {
                let threshold = self.scales[slot as usize].threshold(cut);
                Lit::Threshold { slot: self.slots[slot as usize], threshold }
            }
        }
    }

    /// How many conditions there are to choose from at first: literals, and thresholds of few digits.
    pub(crate) fn choices(&self) -> usize {
        self.literals.len() + self.scales.iter().map(Scale::choices).sum::<usize>()
    }

    /// How many binary digits the threshold of a condition has more than those that there are to choose from at first.
    pub(crate) fn finer_digits(&self, condition: Condition) -> u32 {
        self.digits(condition).saturating_sub(Fineness::Coarse.digits())
    }

    /// How many binary digits it takes to say which threshold a condition has.
    pub(crate) fn digits(&self, condition: Condition) -> u32 {
        match condition {
            Condition::Literal(_) => 0,
            Condition::Threshold(slot, cut) => self.scales[slot as usize].digits(cut),
        }
    }
}

/// A number that looks random (the finaliser of SplitMix64): sets of numbers are told apart by the sum of these.
pub(super) fn spread(number: u64) -> u64 {
    let z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
