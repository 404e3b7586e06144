//! Scale: the values that were measured for a slot, in order, and the thresholds between them.

use super::literal::Slot;
use crate::induce::{Bin, NOTHING};
use crate::lang::Looser;

/// The distinct values of a slot, and the cuts between them that are looked at. Each value has a place, so that a literal
/// with a threshold is true of the first places up to some cut, whatever it compares and whether it is negated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scale {
    /// In the order in which looser thresholds are met.
    bins: Vec<Bin>,
    numbers: Vec<f64>,
    negated: bool,
    /// How many values are below each cut, in ascending order; none is below the first and none is not below the last.
    cuts: Vec<u16>,
}

/// The place of what no threshold is met by.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// Which cuts are looked at.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fineness<'a> {
    /// All of them.
    Fine,
    /// Those that take few binary digits, and those of some thresholds.
    Coarse(&'a [f64]),
}

/// So many binary digits a threshold has at first: 31 thresholds for each slot. With a digit less, two events that differ
/// by a little are hard to tell apart before thresholds are refined; with one more, the search takes half as long again.
const COARSE_DIGITS: u32 = 5;

impl Scale {
    /// Of the values that occur.
    pub(crate) fn new(slot: &Slot, values: impl IntoIterator<Item = Bin>, fineness: Fineness<'_>) -> Scale {
        let mut bins: Vec<Bin> = values.into_iter().filter(|bin| *bin != NOTHING).collect();
        bins.sort_unstable();
        bins.dedup();
        if slot.looser == Looser::Smaller {
            bins.reverse();
        }
        let numbers = bins.iter().map(|bin| slot.grid.threshold(*bin)).collect();
        let mut scale = Scale { bins, numbers, negated: slot.negated, cuts: Vec::new() };
        let count = scale.bins.len() as u16;
        let known: Vec<u16> = match fineness {
            Fineness::Fine => Vec::new(),
            Fineness::Coarse(known) => known.iter().map(|number| scale.met(slot, *number)).collect(),
        };
        let wanted = |met: &u16| match fineness {
            Fineness::Fine => true,
            Fineness::Coarse(_) => digits(*met, count) <= COARSE_DIGITS || known.contains(met),
        };
        let inner: Vec<u16> = (1..count).filter(wanted).collect();
        scale.cuts = [0].into_iter().chain(inner).chain((count > 0).then_some(count)).collect();
        scale
    }

    /// How many values can be told apart.
    pub(crate) fn len(&self) -> usize {
        self.cuts.len() - 1
    }

    /// How many values meet a threshold.
    fn met(&self, slot: &Slot, threshold: f64) -> u16 {
        let met = |number: &f64| if slot.looser == Looser::Smaller { *number >= threshold } else { *number <= threshold };
        self.numbers.partition_point(met) as u16
    }

    /// The place of a value.
    pub(crate) fn place(&self, slot: &Slot, bin: Bin) -> u16 {
        if bin == NOTHING {
            // Where nothing is measured no threshold is met, so that "not" is true.
            return if self.negated { 0 } else { NOWHERE };
        }
        let order = |other: &Bin| if slot.looser == Looser::Smaller { *other > bin } else { *other < bin };
        let below = self.bins.partition_point(order) as u16;
        let at = self.cuts.partition_point(|cut| *cut <= below) as u16 - 1;
        if self.negated { self.len() as u16 - at } else { at }
    }

    /// The cuts that tell values apart, by their numbers: a literal is true of the places below its cut.
    pub(crate) fn cuts(&self) -> std::ops::Range<u16> {
        1..self.len() as u16
    }

    /// The values that meet the threshold of a cut.
    fn below(&self, cut: u16) -> u16 {
        self.cuts[if self.negated { self.len() + 1 - cut as usize } else { cut as usize }]
    }

    /// The number that stands for a cut.
    pub(crate) fn threshold(&self, cut: u16) -> f64 {
        self.numbers[self.below(cut) as usize - 1]
    }

    /// The cut of a number, or the next one below it that is looked at.
    pub(crate) fn cut(&self, slot: &Slot, threshold: f64) -> u16 {
        let met = self.met(slot, threshold);
        let at = self.cuts.partition_point(|cut| *cut <= met) as u16 - 1;
        if self.negated { self.len() as u16 + 1 - at } else { at }
    }

    /// How many binary digits it takes to say which threshold is meant.
    pub(crate) fn digits(&self, cut: u16) -> u32 {
        digits(self.below(cut), self.bins.len() as u16)
    }
}

/// How many binary digits it takes to say how many of the values in their order meet a threshold: one for half of them, two
/// for a quarter. So a threshold has the same price wherever its gauge has its zero, and whatever its unit is.
fn digits(met: u16, count: u16) -> u32 {
    // The multiples of 1/2^digits between half a value before the cut and half a value after it.
    let (low, high, all) = (2 * u64::from(met) - 1, 2 * u64::from(met) + 1, 2 * u64::from(count));
    (1..17).find(|digits| (low << digits) / all < (high << digits) / all).unwrap_or(17)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::induce::Grid;

    fn slot(looser: Looser, negated: bool) -> Slot {
        Slot { grid: Grid::Reals, looser, negated }
    }

    #[test]
    fn a_literal_is_true_below_its_cut() {
        let bins: Vec<Bin> = vec![40, -3, 7, 12, NOTHING, 7];
        for looser in [Looser::Larger, Looser::Smaller] {
            for negated in [false, true] {
                let slot = slot(looser, negated);
                let scale = Scale::new(&slot, bins.clone(), Fineness::Fine);
                assert_eq!(scale.len(), 4);
                for cut in 1..=4 {
                    let threshold = scale.threshold(cut);
                    assert_eq!(scale.cut(&slot, threshold), cut);
                    for &bin in &bins {
                        let value = slot.grid.threshold(if bin == NOTHING { 0 } else { bin });
                        let met = bin != NOTHING
                            && if looser == Looser::Larger { value <= threshold } else { value >= threshold };
                        assert_eq!(scale.place(&slot, bin) < cut, met != negated, "{looser:?} {negated} {cut} {bin}");
                    }
                }
            }
        }
    }

    #[test]
    fn finer_cuts_take_more_digits() {
        let scale = Scale::new(&slot(Looser::Larger, false), 1..=16, Fineness::Fine);
        assert_eq!(scale.digits(8), 1);
        assert_eq!((scale.digits(4), scale.digits(12)), (2, 2));
        assert_eq!(scale.digits(2), 3);
        assert!((1..16).all(|cut| scale.digits(cut) <= 5));
        let coarse = Scale::new(&slot(Looser::Larger, false), 1..=400, Fineness::Coarse(&[7.0]));
        assert_eq!(coarse.len(), 33, "31 cuts and another one");
    }
}
