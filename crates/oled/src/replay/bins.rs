//! Bins: the values of a feature, each exactly as long as there are few, and in dyadic bins where there are many.
//!
//! A bin of width 2^k has all values v with the same floor(v / 2^k). The width is the smallest power of two that leaves no
//! more bins occupied than allowed, and no value too large for its number. It follows from the *set* of values that ever
//! occurred: a bin of one width is the union of two of half that width, so how many are occupied at a larger width can be
//! told from those of a smaller one, and a value more never makes fewer of them; so the width only grows, every step of it
//! was needed for what came later too, and the order of the values, and in which of several records they were seen, make no
//! difference. Moving the zero of a feature, or measuring in other units, leaves exact bins as they were, and changes others
//! by less than their width.

use std::sync::OnceLock;

use indexmap::IndexMap;
use indexmap::map::Entry;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::state::{StateError, ensure};

/// The number of a bin: in the order in which they came, and of no meaning to anybody else.
pub(crate) type BinId = u16;

/// What stands in the place of a bin where nothing was measured.
pub(crate) const NOTHING: BinId = BinId::MAX;

/// So many bins of a feature may be occupied: half of the numbers that there are for bins, so that bins are put together before
/// those are used up. With so many, their edges, which depend on the unit, hardly matter; with 1 024 they moved the thresholds
/// that a search looks at, and scaled coordinates led to other rules. What is seldom equal makes records larger for it, by a
/// tenth in the lobby.
pub(crate) const MOST: usize = 1 << 15;

/// So many bins are left however little room there is: a feature with half as many has hardly a threshold left on either side
/// of the one that matters; with twice as many, twice as many segments are forgotten for thresholds that are finer.
pub(crate) const LEAST: usize = 16;

/// Bins are put together when so many have numbers, at the latest: what is measured of one instance adds a few at most, one
/// for each order of its arguments. Before that it is done only where somebody reads them: of the widths in between each would
/// leave a few bins too many soon.
const CRAMMED: usize = NOTHING as usize - 64;

/// Numbers of bins have at most so many binary digits: half of what the integer has room for would do as well.
const DIGITS: i32 = 62;

/// The widths that are considered: their inverses are numbers of full precision. The widest leaves eight bins at most.
const WIDTHS: std::ops::RangeInclusive<i32> = -1021..=1022;

/// The values of a feature that occurred.
#[derive(Clone, Debug)]
pub(crate) struct Bins {
    /// So many bins may be occupied.
    most: usize,
    /// The logarithm of the width of a bin; `None` as long as each value has its own.
    width: Option<i32>,
    /// The largest value, whatever its sign.
    largest: f64,
    /// For each bin that is occupied, by its key, the least and the greatest value that fell into it.
    occupied: IndexMap<u64, (f64, f64), FxBuildHasher>,
    /// The bins in ascending order, once somebody wanted to know.
    ranks: OnceLock<Ranks>,
}

/// Bins as they are written.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BinsState(Option<i32>, Vec<(f64, f64)>);

impl Default for Bins {
    fn default() -> Bins {
        Bins { most: MOST, width: None, largest: 0.0, occupied: IndexMap::default(), ranks: OnceLock::new() }
    }
}

impl Bins {
    /// Whether there is a number for the bin of a value that is to come. Otherwise bins must [settle](Bins::settle) first.
    #[inline]
    pub(crate) fn has_room(&mut self, value: f64) -> bool {
        self.largest = self.largest.max(value.abs());
        self.occupied.len() < CRAMMED && self.is_wide()
    }

    /// Whether bins are so wide that the number of none has too many digits.
    #[inline]
    fn is_wide(&self) -> bool {
        self.width.is_none_or(|width| width >= self.least_width())
    }

    /// The number of the bin of a value, for which there is room. There may be more bins than allowed after that: see
    /// [`Bins::is_over`].
    #[inline]
    pub(crate) fn insert(&mut self, value: f64) -> BinId {
        debug_assert!(value.is_finite() && self.is_wide(), "{value} is never measured, or was not announced");
        self.largest = self.largest.max(value.abs());
        let entry = self.occupied.entry(key(self.width, value));
        let id = entry.index();
        let ends = match entry {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                self.ranks.take();
                new.insert((value, value))
            }
        };
        if value < ends.0 || value > ends.1 {
            self.ranks.take();
            *ends = (ends.0.min(value), ends.1.max(value));
        }
        id as BinId
    }

    /// The number of the bin of a value that occurred.
    fn id(&self, value: f64) -> BinId {
        self.occupied.get_index_of(&key(self.width, value)).map_or(NOTHING, |id| id as BinId)
    }

    pub(crate) fn len(&self) -> usize {
        self.occupied.len()
    }

    /// Whether there are more bins than allowed: time to [`Bins::settle`].
    pub(crate) fn is_over(&self) -> bool {
        self.occupied.len() > self.most || !self.is_wide()
    }

    /// Allows fewer bins than before.
    pub(crate) fn allow(&mut self, most: usize) {
        self.most = self.most.min(most);
    }

    /// Whether each value has its own bin.
    pub(crate) fn is_exact(&self) -> bool {
        self.width.is_none()
    }

    /// Widens the bins as far as needed, and tells the new number of each old one.
    pub(crate) fn settle(&mut self) -> Vec<BinId> {
        let old: Vec<(f64, f64)> = self.occupied.values().copied().collect();
        if self.is_over() {
            let mut ascending: Vec<f64> = old.iter().map(|(least, _)| *least).collect();
            ascending.sort_unstable_by(f64::total_cmp);
            let first = self.least_width();
            let first = self.width.map_or(first, |width| width.max(first));
            // At a width above all values there are two bins, one on each side of zero.
            let last = (first + DIGITS).min(*WIDTHS.end());
            let fits = |width: i32| {
                let bin = |least: &f64| place(Some(width), *least);
                ascending.chunk_by(|a, b| bin(a) == bin(b)).count() <= self.most
            };
            // Wider bins are never more.
            let (mut below, mut width) = (first - 1, last);
            while below + 1 < width {
                let middle = below + (width - below) / 2;
                if fits(middle) {
                    width = middle;
                } else {
                    below = middle;
                }
            }
            self.width = Some(width);
            self.occupied.clear();
            self.ranks.take();
            for (least, greatest) in &old {
                let ids = [least, greatest].map(|value| self.insert(*value));
                debug_assert!(ids[0] == ids[1], "narrower bins are parts of wider ones");
            }
        }
        old.iter().map(|(least, _)| self.id(*least)).collect()
    }

    /// The smallest width at which the numbers of all bins have few enough digits.
    #[inline]
    fn least_width(&self) -> i32 {
        // The exponent of the next power of two above.
        let exponent = (self.largest.to_bits() >> 52) as i32 - 1022;
        (exponent - DIGITS).max(*WIDTHS.start())
    }

    /// Adds the values of another, and tells the new numbers of the bins of both.
    pub(crate) fn merge(&mut self, other: &Bins) -> [Vec<BinId>; 2] {
        let [own, others] = [&*self, other].map(|bins| bins.occupied.values().copied().collect::<Vec<_>>());
        self.allow(other.most);
        self.largest = self.largest.max(other.largest);
        // Bins of both widths are parts of the wider ones.
        self.width = self.width.max(other.width).map(|width| width.max(self.least_width()));
        self.occupied.clear();
        self.ranks.take();
        for value in own.iter().chain(&others).flat_map(|(least, greatest)| [*least, *greatest]) {
            self.insert(value);
        }
        self.settle();
        [own, others].map(|bins| bins.iter().map(|(least, _)| self.id(*least)).collect())
    }

    /// The bins in ascending order.
    pub(crate) fn order(&self) -> &Ranks {
        self.ranks.get_or_init(|| {
            let mut ids: Vec<usize> = (0..self.occupied.len()).collect();
            ids.sort_unstable_by(|a, b| self.occupied[*a].0.total_cmp(&self.occupied[*b].0));
            let mut ranks = Ranks { of: vec![0; ids.len()], ends: Vec::with_capacity(ids.len()) };
            for (rank, id) in ids.into_iter().enumerate() {
                ranks.of[id] = rank as u16;
                ranks.ends.push(self.occupied[id]);
            }
            ranks
        })
    }

    /// What it knows, as [`BinsState`].
    pub(crate) fn state(&self) -> BinsState {
        BinsState(self.width, self.occupied.values().copied().collect())
    }

    /// Bins as they were written.
    pub(crate) fn restore(state: BinsState, most: usize) -> Result<Bins, StateError> {
        let BinsState(width, ends) = state;
        ensure(width.is_none_or(|w| WIDTHS.contains(&w)), "the widths of bins")?;
        let mut bins = Bins { most, width, ..Bins::default() };
        for (id, (least, greatest)) in ends.into_iter().enumerate() {
            let sound = least <= greatest && least.is_finite() && greatest.is_finite();
            let room = sound && id < CRAMMED && [least, greatest].iter().all(|value| bins.has_room(*value));
            ensure(room, "the values that were measured")?;
            let ids = [least, greatest].map(|value| bins.insert(value + 0.0));
            ensure(ids.iter().all(|own| *own as usize == id), "the values that were measured")?;
        }
        Ok(bins)
    }
}

/// The number of the bin of a value, such that its hash is good: of whole numbers most digits are zeros at the end, which a
/// product does not mix, and a pass over headings in degrees took half of its time to tell them apart.
#[inline]
fn key(width: Option<i32>, value: f64) -> u64 {
    let place = place(width, value).cast_unsigned();
    place ^ place >> 32
}

/// The number of the bin of a value; of an exact one an integer that is ordered as values are.
#[inline]
fn place(width: Option<i32>, value: f64) -> i64 {
    match width {
        None => {
            // Adding zero turns -0.0 into 0.0. Negative numbers have larger bits the smaller they are.
            let bits = (value + 0.0).to_bits() as i64;
            if bits < 0 { i64::MIN - bits } else { bits }
        }
        Some(width) => {
            let inverse = f64::from_bits(((1023 - width) as u64) << 52);
            let floor = (value * inverse).floor();
            // What is too small to be told from zero is below it all the same. Too large ones go to the ends.
            if value < 0.0 { floor.min(-1.0) as i64 } else { floor as i64 }
        }
    }
}

/// Bins in ascending order of their values.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ranks {
    /// By the number of a bin.
    of: Vec<u16>,
    /// By rank, the least and the greatest value.
    ends: Vec<(f64, f64)>,
}

impl Ranks {
    /// The least and the greatest value of each bin, by rank.
    pub(crate) fn values(&self) -> &[(f64, f64)] {
        &self.ends
    }

    /// For each bin, by its number, something that depends on its rank.
    pub(crate) fn by_bin<T>(&self, of: impl Fn(u16) -> T) -> Vec<T> {
        self.of.iter().map(|rank| of(*rank)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use oled::testing::deterministic;

    /// Bins of values, put together whenever there are too many.
    fn bins(most: usize, values: impl IntoIterator<Item = f64>) -> Bins {
        let mut bins = Bins::default();
        bins.allow(most);
        for value in values {
            if !bins.has_room(value) {
                bins.settle();
            }
            bins.insert(value);
            if bins.is_over() {
                bins.settle();
            }
        }
        bins
    }

    /// What bins are, whatever their numbers.
    fn dump(bins: &Bins) -> (Option<i32>, Vec<(f64, f64)>) {
        (bins.width, bins.order().ends.clone())
    }

    fn ranks(bins: &mut Bins, values: &[f64]) -> Vec<u16> {
        let ids: Vec<BinId> = values.iter().map(|v| bins.insert(*v)).collect();
        let ranks = bins.order().by_bin(|rank| rank);
        ids.iter().map(|id| ranks[*id as usize]).collect()
    }

    #[test]
    fn few_values_are_kept_exactly_and_many_in_bins_of_a_power_of_two() {
        let exact = bins(4, [0.3, -0.0, 0.0, -7.25, 0.3, 1e300]);
        assert_eq!(dump(&exact), (None, vec![(-7.25, -7.25), (0.0, 0.0), (0.3, 0.3), (1e300, 1e300)]));
        let wide = bins(4, (0..16).map(f64::from));
        assert_eq!(dump(&wide), (Some(2), vec![(0.0, 3.0), (4.0, 7.0), (8.0, 11.0), (12.0, 15.0)]));
        // The smallest and the largest numbers.
        let far = bins(4, [f64::MIN, f64::MAX, 5e-324, -5e-324, 1.0]);
        assert_eq!(far.order().ends, [(f64::MIN, f64::MIN), (-5e-324, -5e-324), (5e-324, 1.0), (f64::MAX, f64::MAX)]);
    }

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![
            (-40..40i32).prop_map(f64::from),
            -1.0..1.0f64,
            -1e6..1e6f64,
            any::<f64>().prop_filter("finite", |x| x.is_finite())
        ]
    }

    proptest! {
        #![proptest_config(deterministic(300))]

        #[test]
        fn bins_follow_from_the_set_of_values(
            values in prop::collection::vec(value(), 1..60),
            turn in any::<prop::sample::Index>(),
            cut in any::<prop::sample::Index>(),
            most in 8..24usize,
        ) {
            let mut values = values;
            let one = bins(most, values.iter().copied());
            prop_assert!(one.len() <= most);
            let turn = turn.index(values.len());
            values.rotate_left(turn);
            values.reverse();
            prop_assert_eq!(dump(&one), dump(&bins(most, values.iter().copied())));
            // No smaller width would do.
            if let Some(width) = one.width {
                let mut narrow: Vec<i64> = values.iter().map(|v| place(Some(width - 1), *v)).collect();
                narrow.sort_unstable();
                narrow.dedup();
                prop_assert!(narrow.len() > most || width == one.least_width());
            }
            // Two of them put together are one of all values, and numbers are told.
            let (left, right) = values.split_at(cut.index(values.len()));
            let (mut left, right) = (bins(most, left.iter().copied()), bins(most, right.iter().copied()));
            let before = [left.clone(), right.clone()];
            let maps = left.merge(&right);
            prop_assert_eq!(dump(&one), dump(&left));
            for (map, before) in maps.iter().zip(&before) {
                for (id, (least, greatest)) in map.iter().zip(before.occupied.values()) {
                    let (low, high) = left.occupied[*id as usize];
                    prop_assert!(low <= *least && *greatest <= high);
                }
            }
            let state = Bins::restore(one.state(), most).unwrap();
            prop_assert_eq!((dump(&one), one.largest), (dump(&state), state.largest));
        }

        #[test]
        fn moving_zero_and_other_units_leave_ranks_as_they_are(values in prop::collection::vec(-400..400i32, 1..60)) {
            let values: Vec<f64> = values.into_iter().map(|v| f64::from(v) / 4.0).collect();
            let expected = ranks(&mut Bins::default(), &values);
            for change in [|v: f64| v + 1000.0, |v: f64| v * 7.0] {
                let changed: Vec<f64> = values.iter().map(|v| change(*v)).collect();
                prop_assert_eq!(&expected, &ranks(&mut Bins::default(), &changed));
            }
        }
    }
}
