//! Scale: the values that were measured for a slot, in order, and the thresholds between them.

use super::bins::{BinId, Ranks};
use super::literal::Slot;
use super::refine::Room;
use crate::induce::{Numbers, Threshold, between};
use crate::lang::Looser;

/// The distinct values of a slot, and the cuts between them that are looked at. Each value has a place, so that a literal
/// with a threshold is true of the first places up to some cut, whatever it compares and whether it is negated.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    slot: Slot,
    /// The least and the greatest of the values that cannot be told apart, in the order in which looser thresholds are met.
    values: Vec<(f64, f64)>,
    /// How many values are below each cut, in ascending order; none is below the first and none is not below the last.
    cuts: Vec<u16>,
    /// The place of each bin.
    places: Vec<u16>,
}

/// The place of what no threshold is met by.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// Which cuts are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fineness<'a> {
    /// All of them.
    Fine,
    /// Those that take few binary digits, and those of some thresholds.
    Coarse(&'a [Threshold]),
}

/// So many binary digits a threshold has at first: 31 thresholds for each slot. With a digit less, two events that differ
/// by a little are hard to tell apart before thresholds are refined; with one more, the search takes half as long again.
const COARSE_DIGITS: u32 = 5;

impl Scale {
    /// Of the bins that occur.
    pub(crate) fn new(
        slot: Slot,
        ranks: &Ranks,
        bins: impl IntoIterator<Item = BinId>,
        fineness: Fineness<'_>,
    ) -> Scale {
        // By rank the bin, where it occurs.
        let mut occurs = vec![None; ranks.len()];
        for bin in bins {
            if let Some(rank) = ranks.rank(bin) {
                occurs[rank as usize] = Some(bin);
            }
        }
        let ends = |rank: usize| (ranks.gap(rank).1, ranks.gap(rank + 1).0);
        let mut order: Vec<(BinId, (f64, f64))> =
            occurs.iter().enumerate().filter_map(|(rank, bin)| Some(((*bin)?, ends(rank)))).collect();
        if slot.looser == Looser::Smaller {
            order.reverse();
        }
        let values = order.iter().map(|(_, ends)| *ends).collect();
        let mut scale = Scale { slot, values, cuts: Vec::new(), places: Vec::new() };
        let count = scale.values.len() as u16;
        let known: Vec<u16> = match fineness {
            Fineness::Fine => Vec::new(),
            Fineness::Coarse(known) => known.iter().map(|threshold| scale.met(*threshold)).collect(),
        };
        let wanted = |met: &u16| match fineness {
            Fineness::Fine => true,
            Fineness::Coarse(_) => digits(*met, count) <= COARSE_DIGITS || known.contains(met),
        };
        // Whole thresholds cannot tell all values apart that are not whole.
        let possible = |met: &u16| {
            let (low, high) = scale.gap(*met);
            let easy = slot.numbers == Numbers::Reals || low.fract() == 0.0 && high.fract() == 0.0;
            easy || between(low, high, slot.comparison, slot.numbers).is_some()
        };
        let inner: Vec<u16> = (1..count).filter(|met| wanted(met) && possible(met)).collect();
        scale.cuts = [0].into_iter().chain(inner).chain((count > 0).then_some(count)).collect();
        let bins = order.iter().map(|(bin, _)| *bin as usize + 1).max().unwrap_or(0);
        scale.places = vec![NOWHERE; bins];
        for (below, (bin, _)) in order.iter().enumerate() {
            let at = scale.cuts.partition_point(|cut| *cut as usize <= below) as u16 - 1;
            scale.places[*bin as usize] = if slot.negated { scale.len() as u16 - at } else { at };
        }
        scale
    }

    /// How many values can be told apart.
    pub(crate) fn len(&self) -> usize {
        self.cuts.len() - 1
    }

    /// How many values meet a threshold.
    fn met(&self, threshold: Threshold) -> u16 {
        let met = |(least, greatest): &(f64, f64)| {
            let hardest = if self.slot.looser == Looser::Smaller { *least } else { *greatest };
            threshold.is_met(self.slot.comparison, hardest)
        };
        self.values.partition_point(met) as u16
    }

    /// The values between which a threshold is that so many values meet.
    fn gap(&self, met: u16) -> (f64, f64) {
        let (inner, outer) =
            ((met as usize).checked_sub(1).and_then(|i| self.values.get(i)), self.values.get(met as usize));
        let (below, above) = if self.slot.looser == Looser::Smaller { (outer, inner) } else { (inner, outer) };
        (below.map_or(f64::NEG_INFINITY, |(_, greatest)| *greatest), above.map_or(f64::INFINITY, |(least, _)| *least))
    }

    /// The place of a bin.
    #[inline]
    pub(crate) fn place(&self, bin: BinId) -> u16 {
        // Where nothing is measured no threshold is met, so that "not" is true.
        self.places.get(bin as usize).copied().unwrap_or(if self.slot.negated { 0 } else { NOWHERE })
    }

    /// How many values meet the threshold of a cut.
    fn below(&self, cut: u16) -> u16 {
        self.cuts[if self.slot.negated { self.len() + 1 - cut as usize } else { cut as usize }]
    }

    /// The threshold of a cut: the shortest number between the values that it tells apart.
    pub(crate) fn threshold(&self, cut: u16) -> Threshold {
        let (low, high) = self.gap(self.below(cut));
        between(low, high, self.slot.comparison, self.slot.numbers).unwrap_or_else(|| {
            // Beyond all values there is always a number; between two of them it was looked for.
            Threshold::new(if high.is_finite() { high } else { low })
        })
    }

    /// The threshold for a rule that may have it anywhere between two cuts: nearer to the side on which there is more, as if
    /// the values there were as far apart from each other as from the threshold, and as short a number as can be had nearby.
    pub(crate) fn settled(&self, room: &Room) -> Option<Threshold> {
        let (inner, outer) = (self.gap(self.below(room.strictest)), self.gap(self.below(room.loosest)));
        let (low, high) = (inner.0.min(outer.0), inner.1.max(outer.1));
        let share = (room.outside + 1) as f64 / (room.inside + room.outside + 2) as f64;
        let share = if inner.0 <= outer.0 { share } else { 1.0 - share };
        let (at, half) = (low + (high - low) * share, (high - low) * share.min(1.0 - share) / 2.0);
        let is_open = room.strictest < room.loosest && at.is_finite() && at - half < at + half;
        is_open.then(|| between(at - half, at + half, self.slot.comparison, self.slot.numbers)).flatten()
    }

    /// The cut of a threshold, or the next one below it that is looked at.
    pub(crate) fn cut(&self, threshold: Threshold) -> u16 {
        let met = self.met(threshold);
        let at = self.cuts.partition_point(|cut| *cut <= met) as u16 - 1;
        if self.slot.negated { self.len() as u16 + 1 - at } else { at }
    }

    /// How many binary digits it takes to say which threshold is meant.
    pub(crate) fn digits(&self, cut: u16) -> u32 {
        digits(self.below(cut), self.values.len() as u16)
    }
}

/// How many binary digits it takes to say how many of the values in their order meet a threshold: one for half of them, two
/// for a quarter. So a threshold has the same price wherever its gauge has its zero, and whatever its unit is.
fn digits(met: u16, count: u16) -> u32 {
    // The multiples of 1/2^digits between half a value before the cut and half a value after it. A rule that was learned from
    // other segments may have a threshold that none of these values meets.
    let (met, all) = (2 * u64::from(met), 2 * u64::from(count.max(1)));
    let (low, high) = (met.saturating_sub(1), met + 1);
    (1..17).find(|digits| (low << digits) / all < (high << digits) / all).unwrap_or(17)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Comparison;
    use crate::replay::bins::{Bins, NOTHING};

    fn slot(comparison: Comparison, looser: Looser, negated: bool) -> Slot {
        Slot { numbers: Numbers::Reals, comparison, looser, negated }
    }

    #[test]
    fn a_literal_is_true_below_its_cut() {
        let numbers = [40.0, -3.0, 7.0, 12.5];
        let mut bins = Bins::default();
        let ids: Vec<BinId> = numbers.iter().map(|n| bins.insert(*n)).collect();
        for (comparison, looser) in [
            (Comparison::LessOrEqual, Looser::Larger),
            (Comparison::Less, Looser::Larger),
            (Comparison::Greater, Looser::Smaller),
            (Comparison::GreaterOrEqual, Looser::Smaller),
        ] {
            for negated in [false, true] {
                let slot = slot(comparison, looser, negated);
                let scale = Scale::new(slot, &bins.order(), ids.iter().copied().chain([NOTHING]), Fineness::Fine);
                assert_eq!(scale.len(), 4);
                for cut in 1..=4 {
                    let threshold = scale.threshold(cut);
                    assert_eq!(scale.cut(threshold), cut, "{comparison:?} {negated} {threshold:?}");
                    for (id, number) in ids.iter().zip(numbers) {
                        let met = threshold.is_met(comparison, number);
                        assert_eq!(scale.place(*id) < cut, met != negated, "{comparison:?} {negated} {cut} {number}");
                    }
                    assert_eq!(scale.place(NOTHING) < cut, negated);
                }
            }
        }
    }

    #[test]
    fn finer_cuts_take_more_digits() {
        let scale = |count: u16, fineness: Fineness<'_>| {
            let mut bins = Bins::default();
            let ids: Vec<BinId> = (0..count).map(|n| bins.insert(f64::from(n))).collect();
            Scale::new(slot(Comparison::LessOrEqual, Looser::Larger, false), &bins.order(), ids, fineness)
        };
        let fine = scale(16, Fineness::Fine);
        assert_eq!(fine.digits(8), 1);
        assert_eq!((fine.digits(4), fine.digits(12)), (2, 2));
        assert_eq!(fine.digits(2), 3);
        assert!((1..16).all(|cut| fine.digits(cut) <= 5));
        let coarse = scale(400, Fineness::Coarse(&[Threshold::new(6.5)]));
        assert_eq!(coarse.len(), 33, "31 cuts and another one");
    }
}
