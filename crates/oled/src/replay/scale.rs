//! Scale: the values that were measured for a slot, in order, and the thresholds between them.

use serde::{Deserialize, Serialize};

use super::bins::{BinId, Ranks};
use super::literal::Slot;
use super::refine::Room;
use crate::induce::{Numbers, Threshold, between};
use crate::lang::Monotone;

/// The cuts between the values of a slot that are looked at. Each value has a place, so that a literal with a threshold is
/// true of the first places up to some cut, whatever it compares and whether it is negated.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    slot: Slot,
    /// In the order of looser thresholds; none meets the first and all meet the last.
    cuts: Vec<Cut>,
    /// The place of each bin.
    places: Vec<u16>,
}

/// A cut between values.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// How many values meet a threshold there.
    met: u16,
    /// The values on both sides.
    gap: (f64, f64),
    /// How many binary digits it takes to say where it is.
    digits: u32,
}

/// The place of what no threshold is met by.
pub(crate) const NOWHERE: u16 = u16::MAX;

/// Which cuts are looked at, beside those of thresholds that are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fineness {
    Coarse,
    #[default]
    Fine,
}

impl Fineness {
    /// So many binary digits a threshold has at most. While rules are looked for, 31 thresholds for each slot: with a digit
    /// less, two events that differ by a little are hard to tell apart before thresholds are refined; with one more, the search
    /// takes half as long again. When they are refined, three decimal digits: with half as many, those of a percentage are
    /// rounded; more would be digits of the noise, and take as much longer as there are more of them.
    pub(crate) fn digits(self) -> u32 {
        match self {
            Fineness::Coarse => 5,
            Fineness::Fine => 10,
        }
    }
}

impl Scale {
    /// Of the values of a feature; thresholds that are given are looked at.
    pub(crate) fn new(slot: Slot, ranks: &Ranks, fineness: Fineness, given: &[Threshold]) -> Scale {
        let mut values: Vec<(f64, f64)> = ranks.values().to_vec();
        if slot.monotone == Monotone::Down {
            values.reverse();
        }
        let (count, digits) = (values.len() as u16, digits(&values));
        let gap = |met: u16| {
            let (inner, outer) = ((met as usize).checked_sub(1).and_then(|i| values.get(i)), values.get(met as usize));
            let (below, above) = if slot.monotone == Monotone::Down { (outer, inner) } else { (inner, outer) };
            (
                below.map_or(f64::NEG_INFINITY, |(_, greatest)| *greatest),
                above.map_or(f64::INFINITY, |(least, _)| *least),
            )
        };
        let cut = |met: u16| Cut { met, gap: gap(met), digits: digits[met as usize] };
        let meets = |threshold: &Threshold, (least, greatest): &(f64, f64)| {
            let hardest = if slot.monotone == Monotone::Down { *least } else { *greatest };
            threshold.is_met(slot.comparison, hardest)
        };
        let given: Vec<u16> = given.iter().map(|t| values.partition_point(|value| meets(t, value)) as u16).collect();
        // Whole thresholds cannot tell all values apart that are not whole.
        let possible = |met: u16| {
            let (low, high) = gap(met);
            let easy = slot.numbers == Numbers::Reals || low.fract() == 0.0 && high.fract() == 0.0;
            easy || between(low, high, slot.comparison, slot.numbers).is_some()
        };
        let wanted = |met: &u16| {
            let short = digits[*met as usize] <= fineness.digits() && are_apart(gap(*met));
            *met == 0 || *met == count || (short || given.contains(met)) && possible(*met)
        };
        let mut scale = Scale { slot, cuts: (0..=count).filter(wanted).map(cut).collect(), places: Vec::new() };
        // By rank the place, which is the number of the last cut that is not above it.
        let mut places = Vec::with_capacity(count as usize);
        for (at, cuts) in scale.cuts.windows(2).enumerate() {
            let place = if slot.negated { scale.len() - at } else { at };
            places.resize(cuts[1].met as usize, place as u16);
        }
        if slot.monotone == Monotone::Down {
            places.reverse();
        }
        scale.places = ranks.by_bin(|rank| places[rank as usize]);
        scale
    }

    /// How many values can be told apart.
    pub(crate) fn len(&self) -> usize {
        self.cuts.len() - 1
    }

    /// How many thresholds there are to choose from at first.
    pub(crate) fn choices(&self) -> usize {
        (1..self.len() as u16).filter(|cut| self.digits(*cut) <= Fineness::Coarse.digits()).count()
    }

    /// The place of a bin.
    #[inline]
    pub(crate) fn place(&self, bin: BinId) -> u16 {
        // Where nothing is measured no threshold is met, so that "not" is true.
        self.places.get(bin as usize).copied().unwrap_or(if self.slot.negated { 0 } else { NOWHERE })
    }

    /// A cut, by its number from the strictest threshold on, as literals count them.
    fn at(&self, cut: u16) -> &Cut {
        &self.cuts[if self.slot.negated { self.len() + 1 - cut as usize } else { cut as usize }]
    }

    /// The threshold of a cut: the shortest number between the values that it tells apart.
    pub(crate) fn threshold(&self, cut: u16) -> Threshold {
        let (low, high) = self.at(cut).gap;
        between(low, high, self.slot.comparison, self.slot.numbers).unwrap_or_else(|| {
            // Beyond all values there is always a number; between two of them it was looked for.
            Threshold::new(if high.is_finite() { high } else { low })
        })
    }

    /// The threshold for a rule that may have it anywhere between two cuts: in the middle, which new values cross least, and as short
    /// a number as can be had nearby: within an eighth of the way to either side. Within a half, other units led to other numbers,
    /// and to an F1 that was .025 apart; within less, numbers get longer. Nearer to the side on which there are more values, as if
    /// these were as far apart from each other as from the threshold, noisy gauges went beyond it: on unseen data
    /// three fluents of 46 in sixteen kinds of tables were .1 to .3 lower, and two .01 to .03 higher.
    pub(crate) fn settled(&self, room: Room) -> Option<Threshold> {
        let (inner, outer) = (self.at(room.strictest).gap, self.at(room.loosest).gap);
        let (low, high) = (inner.0.min(outer.0), inner.1.max(outer.1));
        let (at, half) = (low.midpoint(high), (high - low) / 16.0);
        let is_open = room.strictest < room.loosest && at.is_finite() && at - half < at + half;
        is_open.then(|| between(at - half, at + half, self.slot.comparison, self.slot.numbers)).flatten()
    }

    /// The cut of a threshold, or the next one below it that is looked at.
    pub(crate) fn cut(&self, threshold: Threshold) -> u16 {
        let is_met = |Cut { met, gap, .. }: &Cut| {
            let inner = if self.slot.monotone == Monotone::Down { gap.1 } else { gap.0 };
            *met == 0 || threshold.is_met(self.slot.comparison, inner)
        };
        let at = self.cuts.partition_point(is_met) as u16 - 1;
        if self.slot.negated { self.len() as u16 + 1 - at } else { at }
    }

    /// How many binary digits it takes to say which threshold is meant.
    pub(crate) fn digits(&self, cut: u16) -> u32 {
        self.at(cut).digits
    }
}

/// Whether two values differ by more than rounding: 1.93 - 1 and 2.93 - 2 do not, and no threshold is meant to tell them apart.
/// A thousand times what a double can tell apart, since differences of larger numbers are less exact.
fn are_apart((low, high): (f64, f64)) -> bool {
    high - low > 4096.0 * f64::EPSILON * low.abs().max(high.abs()) || low.is_infinite() || high.is_infinite()
}

/// Values this near to a number of few digits count as below it, so that rounding does not decide.
const ROUNDING: f64 = 1e-9;

/// For each cut how many binary digits it takes to say where it is: one for the middle, two for a quarter. A place is half the
/// share of the values before it, half the share of the range. By either alone some thresholds take many digits: by the first
/// where values crowd that do not matter, as the many ways of being far away do; by the second where a few are far off. By
/// both none takes more than one digit more than by the better one, nor more than the number of the cut has; and it has the
/// same price wherever its feature has its zero, and whatever its unit is.
fn digits(values: &[(f64, f64)]) -> Vec<u32> {
    let middle = |(least, greatest): &(f64, f64)| least / 4.0 + greatest / 4.0;
    let (first, last) = (values.first().map_or(0.0, middle), values.last().map_or(0.0, middle));
    let place = |(i, value): (usize, &(f64, f64))| {
        let rank = (i as f64 + 0.5) / values.len() as f64;
        let part = if first == last { rank } else { (middle(value) - first) / (last - first) };
        (f64::midpoint(rank, part) - ROUNDING) * 2.0 * f64::from(1_u32 << (u32::BITS - 1))
    };
    let places: Vec<u32> = values.iter().enumerate().map(|value| place(value) as u32).collect();
    // The first digit in which the places on both sides differ. Before all values and after them there is no other side.
    let most = usize::BITS - values.len().leading_zeros();
    let told = |sides: &[u32]| ((sides[0] ^ sides[1]).leading_zeros() + 1).min(most);
    let last = (!values.is_empty()).then_some(most);
    [most].into_iter().chain(places.windows(2).map(told)).chain(last).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::Comparison;
    use crate::replay::bins::{Bins, NOTHING};

    fn slot(comparison: Comparison, monotone: Monotone, negated: bool) -> Slot {
        Slot { numbers: Numbers::Reals, comparison, monotone, negated }
    }

    #[test]
    fn a_literal_is_true_below_its_cut() {
        let numbers = [40.0, -3.0, 7.0, 12.5];
        let mut bins = Bins::default();
        let ids: Vec<BinId> = numbers.iter().map(|n| bins.insert(*n)).collect();
        let ranks = bins.order();
        for (comparison, monotone) in [
            (Comparison::LessOrEqual, Monotone::Up),
            (Comparison::Less, Monotone::Up),
            (Comparison::Greater, Monotone::Down),
            (Comparison::GreaterOrEqual, Monotone::Down),
        ] {
            for negated in [false, true] {
                let slot = slot(comparison, monotone, negated);
                let scale = Scale::new(slot, ranks, Fineness::Fine, &[]);
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

    fn of_values(values: impl IntoIterator<Item = f64>, fineness: Fineness, given: &[Threshold]) -> Scale {
        let mut bins = Bins::default();
        for value in values {
            bins.insert(value);
        }
        Scale::new(slot(Comparison::LessOrEqual, Monotone::Up, false), bins.order(), fineness, given)
    }

    #[test]
    fn finer_cuts_take_more_digits() {
        let fine = of_values((0..16).map(f64::from), Fineness::Fine, &[]);
        assert_eq!(fine.digits(8), 1);
        assert_eq!((fine.digits(4), fine.digits(12)), (2, 2));
        assert_eq!(fine.digits(2), 3);
        assert!((1..16).all(|cut| fine.digits(cut) <= 5));
        let coarse = of_values((0..400).map(f64::from), Fineness::Coarse, &[Threshold::new(6.5)]);
        assert_eq!(coarse.len(), 33, "31 cuts and another one");
        assert_eq!(of_values((0..1000).map(f64::from), Fineness::Fine, &[]).len(), 1000);
        assert_eq!(of_values((0..5000).map(f64::from), Fineness::Fine, &[]).len(), 1024);
    }

    #[test]
    fn no_threshold_is_put_where_only_rounding_differs() {
        let values = [1.93 - 1.0, 2.93 - 2.0, 0.93, 0.5];
        assert_eq!(values.iter().map(|v: &f64| v.to_bits()).collect::<std::collections::BTreeSet<_>>().len(), 4);
        let scale = of_values(values, Fineness::Fine, &[]);
        assert_eq!(scale.len(), 2);
        assert_eq!(scale.threshold(1).get(), 0.7);
    }

    #[test]
    fn what_is_far_off_leaves_thresholds_elsewhere() {
        // Half of the thresholds are between small values that crowd, whatever the others are.
        let oversized = (0..512).map(|n| f64::from(n) / 512.0).chain((1..512).map(|n| f64::from(n) * 1e6));
        let below =
            |scale: &Scale, value: f64| (1..scale.len() as u16).filter(|cut| scale.at(*cut).gap.1 <= value).count();
        let scale = of_values(oversized, Fineness::Coarse, &[]);
        let small = below(&scale, 1.0);
        assert!((7..=9).contains(&small), "{small} of {}", scale.len());
        // Small values that are few have thresholds too, where large ones crowd.
        let few = (0..32).map(f64::from).chain((0..4000).map(|n| 32.0 + f64::from(n) / 1000.0));
        let scale = of_values(few, Fineness::Coarse, &[]);
        let small = below(&scale, 32.0);
        assert!((13..=15).contains(&small), "{small} of {}", scale.len());
    }

    #[test]
    fn moving_zero_and_other_units_leave_the_digits_of_cuts_as_they_are() {
        let values = || (0..3000_u32).map(|n| f64::from(n * n % 7919).sqrt());
        let digits =
            |scale: &Scale| (1..scale.len() as u16).map(|cut| (scale.at(cut).met, scale.digits(cut))).collect();
        let expected: Vec<(u16, u32)> = digits(&of_values(values(), Fineness::Fine, &[]));
        for change in [|v: f64| v + 1000.0, |v: f64| v * 7.0, |v: f64| v * 0.3 - 1e4] {
            assert_eq!(expected, digits(&of_values(values().map(change), Fineness::Fine, &[])));
        }
    }
}
