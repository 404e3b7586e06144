//! Sums: what every condition would bring as one more of a body, in one pass over the runs at which the body is true.
//!
//! A block is flipped by the first run of it at which the condition is true as well. For a literal that is the first run that
//! has its bit. For a threshold it depends on the threshold: the run with the least place so far is the first one for all
//! cuts between its place and the least one before it, so that each run adds to a range of cuts, and nothing is sorted.

use super::classes::Classes;
use super::layout::set_bits;
use super::question::{Node, Question, Witness};

/// What a condition brings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    pub(super) yes: i64,
    pub(super) no: i64,
    /// The best flips of all blocks.
    pub(super) most: f64,
}

impl Sum {
    fn add(&mut self, other: &Sum) {
        self.yes += other.yes;
        self.no += other.no;
        self.most += other.most;
    }

    fn subtract(&mut self, other: &Sum) {
        self.yes -= other.yes;
        self.no -= other.no;
        self.most -= other.most;
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
#[derive(Clone)]
pub(super) struct Sums {
    pub(super) literals: Vec<Sum>,
    /// For each slot, one after the other, what the sum of a cut has more than that of the cut before.
    steps: Vec<Sum>,
    /// Where the steps of each slot are, and how many places it has.
    first: Vec<usize>,
    lengths: Vec<u16>,
    /// What was true before in a block: the literals, and the least place of each slot.
    seen: Vec<u64>,
    least: Vec<u16>,
    /// The runs of a block that bring something, with their items.
    gains: Vec<(f64, u32)>,
}

impl Sums {
    pub(super) fn new(classes: &Classes) -> Sums {
        let lengths: Vec<u16> = classes.scales.iter().map(|scale| scale.len() as u16).collect();
        let mut first = vec![0];
        lengths.iter().for_each(|length| first.push(first[first.len() - 1] + *length as usize + 2));
        Sums {
            literals: vec![Sum::default(); classes.words * 64],
            steps: vec![Sum::default(); first[lengths.len()]],
            seen: vec![0; classes.words],
            least: lengths.clone(),
            gains: Vec::new(),
            first,
            lengths,
        }
    }

    /// Sums up what conditions bring at the runs of a body, where an F1 is needed.
    pub(super) fn sum_up(&mut self, question: &Question<'_>, node: &Node, needed: f64, wanted: Wanted) {
        match wanted {
            Wanted::All => {
                self.literals.fill(Sum::default());
                self.steps.fill(Sum::default());
            }
            Wanted::Slot(slot) => self.steps[self.first[slot]..self.first[slot + 1]].fill(Sum::default()),
        }
        let block_of = |witness: &Witness| question.flips[witness.run as usize].block;
        for block in node.witnesses.chunk_by(|a, b| block_of(a) == block_of(b)) {
            if block[0].run == block[block.len() - 1].run {
                self.add_run(question, block, needed, wanted);
            } else {
                self.add_block(question, block, needed, wanted);
            }
        }
    }

    /// The cuts of a slot with their sums, from the strictest on.
    pub(super) fn cuts(&self, slot: usize) -> impl Iterator<Item = (u16, Sum)> {
        let steps = &self.steps[self.first[slot]..];
        (1..self.lengths[slot]).scan(Sum::default(), |sum, cut| {
            sum.add(&steps[cut as usize]);
            Some((cut, *sum))
        })
    }

    /// Calls a function with each cut of a slot and its sum, from the strictest on. Of neighbours that bring the same only
    /// the one with the fewest digits is told, and that it stands for others.
    pub(super) fn for_each_cut(&self, slot: usize, digits: impl Fn(u16) -> u32, mut each: impl FnMut(u16, &Sum, bool)) {
        let mut same: Option<(u16, Sum, bool)> = None;
        for (cut, sum) in self.cuts(slot) {
            match &mut same {
                Some((best, of, stands_for_others)) if *of == sum => {
                    *stands_for_others = true;
                    if digits(cut) < digits(*best) {
                        *best = cut;
                    }
                }
                _ => {
                    if let Some((best, of, stands_for_others)) = same.replace((cut, sum, false)) {
                        each(best, &of, stands_for_others);
                    }
                }
            }
        }
        if let Some((best, of, stands_for_others)) = same {
            each(best, &of, stands_for_others);
        }
    }

    /// Adds a block in which the body is true at one run only: what flips it is what it can be flipped by at best, and a
    /// condition that is true of one of the items is true at the run.
    fn add_run(&mut self, question: &Question<'_>, run: &[Witness], needed: f64, wanted: Wanted) {
        let flip = &question.flips[run[0].run as usize];
        let brings = Sum { yes: flip.yes, no: flip.no, most: question.weight(flip, needed).max(0.0) };
        let classes = question.classes;
        let Sums { literals, steps, first, lengths, seen, least, .. } = self;
        let one = run[0].item as usize;
        let (mut row, mut places) = (classes.row(one), classes.places(one));
        if run.len() > 1 {
            seen.iter_mut().zip(row).for_each(|(seen, row)| *seen = *row);
            least.iter_mut().zip(places).for_each(|(least, place)| *least = *place);
            for other in run[1..].iter().map(|witness| witness.item as usize) {
                seen.iter_mut().zip(classes.row(other)).for_each(|(seen, row)| *seen |= row);
                least.iter_mut().zip(classes.places(other)).for_each(|(least, place)| *least = (*least).min(*place));
            }
            (row, places) = (seen, least);
        }
        let wanted = match wanted {
            Wanted::All => {
                set_bits(row).for_each(|literal| literals[literal].add(&brings));
                0..lengths.len()
            }
            Wanted::Slot(slot) => slot..slot + 1,
        };
        for ((place, length), first) in places[wanted.clone()].iter().zip(&lengths[wanted.clone()]).zip(&first[wanted])
        {
            if place < length {
                steps[first + *place as usize + 1].add(&brings);
            }
        }
    }

    /// Adds a block. Of a run with several items each brings what the run does, but for what another one has brought.
    fn add_block(&mut self, question: &Question<'_>, block: &[Witness], needed: f64, wanted: Wanted) {
        self.clear();
        let mut gains = std::mem::take(&mut self.gains);
        for witness in block {
            let flip = &question.flips[witness.run as usize];
            let brings = Sum { yes: flip.yes, no: flip.no, most: 0.0 };
            self.add(question.classes, witness.item, wanted, &brings);
            let weight = question.weight(flip, needed);
            if weight > 0.0 {
                gains.push((weight, witness.item));
            }
        }
        if !gains.is_empty() {
            self.clear();
            gains.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            for (most, item) in gains.drain(..) {
                self.add(question.classes, item, wanted, &Sum { most, ..Sum::default() });
            }
        }
        self.gains = gains;
    }

    fn clear(&mut self) {
        // Both are short: calls that copy memory would take longer.
        self.seen.iter_mut().for_each(|seen| *seen = 0);
        self.least.iter_mut().zip(&self.lengths).for_each(|(least, length)| *least = *length);
    }

    /// Adds what a run brings to all conditions that are true of its item and were not of one before.
    fn add(&mut self, classes: &Classes, item: u32, wanted: Wanted, brings: &Sum) {
        let Sums { literals, steps, first, seen, least, .. } = self;
        let wanted = match wanted {
            Wanted::All => {
                for (word, (row, seen)) in classes.row(item as usize).iter().zip(seen).enumerate() {
                    let new = row & !*seen;
                    *seen |= row;
                    set_bits(&[new]).for_each(|literal| literals[word * 64 + literal].add(brings));
                }
                0..least.len()
            }
            Wanted::Slot(slot) => slot..slot + 1,
        };
        let (places, least) = (&classes.places(item as usize)[wanted.clone()], &mut least[wanted.clone()]);
        // Mostly none is less, which is found out for many at a time.
        if places.iter().zip(&*least).fold(0, |any, (place, least)| any | u16::from(place < least)) == 0 {
            return;
        }
        for ((place, least), first) in places.iter().zip(least).zip(&first[wanted]) {
            if place < least {
                steps[first + *place as usize + 1].add(brings);
                steps[first + *least as usize + 1].subtract(brings);
                *least = *place;
            }
        }
    }
}
