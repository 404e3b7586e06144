//! Sums: what every condition would bring as one more of a body, in one pass over the runs at which the body is true.
//!
//! A block is flipped by the first run of it at which the condition is true as well. For a literal that is the first run that
//! has its bit. For a threshold it depends on the threshold: the run with the least place so far is the first one for all
//! cuts between its place and the least one before it, so that each run adds to a range of cuts, and nothing is sorted.

use super::classes::Classes;
use super::delta::NO_BLOCK;
use super::refine::{Node, Question};
use super::scale::NOWHERE;

/// What a condition brings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) yes: i64,
    pub(super) no: i64,
    /// The best flips of all blocks.
    pub(super) most: f64,
    /// The annotated intervals that it is right about.
    pub(super) events: i64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.yes += other.yes;
        self.no += other.no;
        self.most += other.most;
        self.events += other.events;
    }
}

/// Of which conditions sums are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted {
    All,
    /// The thresholds of one slot.
    Slot(usize),
}

/// The sums of a body, and room that is used again for the next one.
pub(super) struct Sums {
    pub(super) literals: Vec<Sum>,
    /// For each slot, one after the other, what the sum of a cut has more than that of the cut before.
    steps: Vec<Sum>,
    /// Where the steps of each slot are, and how many places it has.
    first: Vec<usize>,
    lengths: Vec<u16>,
    /// For each class, when it was read: the literals that are true in it with the body, and the least of its places.
    read: Vec<u32>,
    round: u32,
    rows: Vec<u64>,
    places: Vec<u16>,
    in_block: Seen,
    in_event: Seen,
    /// The runs of a block that bring something, with their classes.
    gains: Vec<(f64, u32)>,
}

/// What was true before a run: the literals, and the least place of each slot.
#[derive(Default)]
struct Seen {
    literals: Vec<u64>,
    places: Vec<u16>,
}

impl Seen {
    fn clear(&mut self, lengths: &[u16]) {
        self.literals.fill(0);
        self.places.copy_from_slice(lengths);
    }
}

impl Sums {
    pub(super) fn new(classes: &Classes) -> Sums {
        let lengths: Vec<u16> = classes.scales.iter().map(|scale| scale.len() as u16).collect();
        let mut first = vec![0];
        lengths.iter().for_each(|length| first.push(first[first.len() - 1] + *length as usize + 2));
        let seen = || Seen { literals: vec![0; classes.words], places: lengths.clone() };
        Sums {
            literals: vec![Sum::default(); classes.words * 64],
            steps: vec![Sum::default(); first[lengths.len()]],
            read: vec![0; classes.count()],
            round: 0,
            rows: vec![0; classes.count() * classes.words],
            places: vec![0; classes.count() * classes.slots()],
            in_block: seen(),
            in_event: seen(),
            gains: Vec::new(),
            first,
            lengths,
        }
    }

    /// Sums up what conditions bring at the runs of a body, where an F1 is needed.
    pub(super) fn sum_up(&mut self, question: &Question<'_>, node: &Node, needed: f64, wanted: Wanted) {
        self.read(question, node);
        self.literals.fill(Sum::default());
        self.steps.fill(Sum::default());
        self.in_block.clear(&self.lengths);
        self.in_event.clear(&self.lengths);
        let (mut block, mut event) = (NO_BLOCK, None);
        for &i in &node.runs {
            let (flip, class) = (&question.flips[i as usize], question.runs.all[i as usize].class);
            if flip.block != NO_BLOCK {
                if flip.block != block {
                    self.close_block(wanted);
                    block = flip.block;
                }
                let brings = Sum { yes: flip.yes, no: flip.no, ..Sum::default() };
                self.add(class, wanted, &brings, false);
                let weight = question.weight(flip, needed);
                if weight > 0.0 {
                    self.gains.push((weight, class));
                }
            }
            if let Some(own) = question.evidence[i as usize].event {
                if event != Some(own) {
                    self.in_event.clear(&self.lengths);
                    event = Some(own);
                }
                self.add(class, wanted, &Sum { events: 1, ..Sum::default() }, true);
            }
        }
        self.close_block(wanted);
    }

    /// Calls a function with each cut of a slot and its sum, from the strictest on. Of neighbours that bring the same only
    /// the one with the fewest digits is told.
    pub(super) fn for_each_cut(&self, slot: usize, digits: impl Fn(u16) -> u32, mut each: impl FnMut(u16, &Sum)) {
        let steps = &self.steps[self.first[slot]..];
        let mut sum = Sum::default();
        let mut same: Option<(u16, Sum)> = None;
        for cut in 1..self.lengths[slot] {
            sum.add(&steps[cut as usize]);
            match &mut same {
                Some((best, of)) if *of == sum => {
                    if digits(cut) < digits(*best) {
                        *best = cut;
                    }
                }
                _ => {
                    if let Some((best, of)) = same.replace((cut, sum)) {
                        each(best, &of);
                    }
                }
            }
        }
        if let Some((best, of)) = same {
            each(best, &of);
        }
    }

    /// Adds what a run brings to all conditions that are true at it and were not before, in its block or in its interval.
    fn add(&mut self, class: u32, wanted: Wanted, brings: &Sum, event: bool) {
        let Sums { literals, steps, first, rows, places, in_block, in_event, .. } = self;
        let seen = if event { in_event } else { in_block };
        let (words, slots) = (seen.literals.len(), seen.places.len());
        let wanted = match wanted {
            Wanted::All => {
                let row = &rows[class as usize * words..(class as usize + 1) * words];
                for_each_new(row, &mut seen.literals, |literal| literals[literal].add(brings));
                0..slots
            }
            Wanted::Slot(slot) => slot..slot + 1,
        };
        let places = &places[class as usize * slots..][wanted.clone()];
        for ((place, least), first) in places.iter().zip(&mut seen.places[wanted.clone()]).zip(&first[wanted]) {
            if place < least {
                steps[first + *place as usize + 1].add(brings);
                let after = &mut steps[first + *least as usize + 1];
                after.yes -= brings.yes;
                after.no -= brings.no;
                after.most -= brings.most;
                after.events -= brings.events;
                *least = *place;
            }
        }
    }

    /// Adds the best flips of the block that ends.
    fn close_block(&mut self, wanted: Wanted) {
        self.in_block.clear(&self.lengths);
        if self.gains.is_empty() {
            return;
        }
        let mut gains = std::mem::take(&mut self.gains);
        gains.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for &(weight, class) in &gains {
            self.add(class, wanted, &Sum { most: weight, ..Sum::default() }, false);
        }
        gains.clear();
        self.gains = gains;
        self.in_block.clear(&self.lengths);
    }

    /// Reads what is true in the classes of a body with it.
    fn read(&mut self, question: &Question<'_>, node: &Node) {
        let (classes, runs) = (question.classes, question.runs);
        let (words, slots) = (classes.words, classes.slots());
        self.round += 1;
        for &i in &node.runs {
            let class = runs.all[i as usize].class;
            let at = class as usize;
            if self.read[at] == self.round {
                continue;
            }
            self.read[at] = self.round;
            let row = &mut self.rows[at * words..(at + 1) * words];
            let places = &mut self.places[at * slots..(at + 1) * slots];
            row.fill(0);
            places.fill(NOWHERE);
            for item in classes.items(class) {
                if node.body.iter().all(|c| classes.meets(item, *c)) {
                    row.iter_mut().zip(classes.row(item)).for_each(|(a, b)| *a |= b);
                    places.iter_mut().zip(classes.places(item)).for_each(|(a, b)| *a = (*a).min(*b));
                }
            }
        }
    }
}

/// Calls a function with the literals of a row that are not in a set, and puts them there.
#[inline]
fn for_each_new(row: &[u64], seen: &mut [u64], mut each: impl FnMut(usize)) {
    for (word, (row, seen)) in row.iter().zip(seen).enumerate() {
        let mut new = row & !*seen;
        *seen |= row;
        while new != 0 {
            each(word * 64 + new.trailing_zeros() as usize);
            new &= new - 1;
        }
    }
}
