//! Grid: the numbers that open thresholds may be, the same for every stream: few enough to be kept, fine enough to be
//! right, and readable.
//!
//! A measured value is kept as the number of the threshold it just meets. The grid is fixed, so what is learned does not
//! depend on what came first; it has 75 numbers a decade, 2 to 5% apart.

use std::sync::LazyLock;

use crate::lang::{Comparison, Looser, Value};

/// The number of a threshold: 0 is zero, the others count away from it on both sides.
pub(crate) type Bin = i16;

/// What is kept where nothing was measured.
pub(crate) const NOTHING: Bin = Bin::MIN;

/// The smallest and the largest power of ten.
const DECADES: std::ops::Range<i32> = -6..9;

/// Positive thresholds in ascending order.
static REALS: LazyLock<Vec<f64>> = LazyLock::new(|| {
    let mantissas = (100..200).step_by(5).chain((200..500).step_by(10)).chain((500..1000).step_by(20));
    let number = |m: i32, decade: i32| {
        // A quotient or product of whole numbers is the number nearest to the decimal that is printed.
        let power = decade - 2;
        if power < 0 { f64::from(m) / 10f64.powi(-power) } else { f64::from(m) * 10f64.powi(power) }
    };
    DECADES.flat_map(|decade| mantissas.clone().map(move |m| number(m, decade))).collect()
});

static INTEGERS: LazyLock<Vec<f64>> = LazyLock::new(|| REALS.iter().copied().filter(|x| x.fract() == 0.0).collect());

/// How many thresholds are below each number that has no more than two binary digits after its first, from a small one on:
/// every value that is measured is put on the grid, and between two of these there are few thresholds to look at.
static MARKS: LazyLock<[Vec<u16>; 2]> = LazyLock::new(|| {
    let last = mark(REALS[REALS.len() - 1]) + 2;
    [&REALS, &INTEGERS].map(|all| {
        let below = |m: usize| all.partition_point(|t| *t < f64::from_bits((m as u64 + FIRST_MARK) << 50)) as u16;
        (0..=last).map(below).collect()
    })
});

/// The upper bits of a number below the smallest threshold.
const FIRST_MARK: u64 = 1e-7_f64.to_bits() >> 50;

/// The number of the last mark that is not above a value that is not negative.
#[inline]
fn mark(x: f64) -> usize {
    (x.abs().to_bits() >> 50).saturating_sub(FIRST_MARK) as usize
}

/// A grid of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grid {
    Reals,
    Integers,
}

impl Grid {
    fn positive(self) -> &'static [f64] {
        match self {
            Grid::Reals => &REALS,
            Grid::Integers => &INTEGERS,
        }
    }

    /// Whether there is a threshold of this number.
    pub(crate) fn contains(self, bin: Bin) -> bool {
        (bin.unsigned_abs() as usize) <= self.positive().len()
    }

    /// The threshold of a number.
    pub(crate) fn threshold(self, bin: Bin) -> f64 {
        match bin.unsigned_abs() as usize {
            0 => 0.0,
            n if bin > 0 => self.positive()[n - 1],
            n => -self.positive()[n - 1],
        }
    }

    /// The number of the threshold that is nearest to a value.
    pub(crate) fn nearest(self, value: f64) -> Bin {
        let (up, down) = (self.bin(Comparison::LessOrEqual, value), self.bin(Comparison::GreaterOrEqual, value));
        if self.threshold(up) - value < value - self.threshold(down) { up } else { down }
    }

    /// The threshold as it is printed.
    pub(crate) fn value(self, bin: Bin) -> Value {
        let number = self.threshold(bin);
        // Numbers of this size are exact as integers.
        if number.fract() == 0.0 { Value::Int(number as i64) } else { Value::Real(number) }
    }

    /// The strictest threshold that a value meets, where `value comparison threshold` is asked; values beyond the grid
    /// meet its last one.
    pub(crate) fn bin(self, comparison: Comparison, value: f64) -> Bin {
        let all = self.positive();
        let last = all.len() as Bin;
        let marks = &MARKS[self as usize];
        let around = |x: f64| {
            let mark = mark(x).min(marks.len() - 2);
            marks[mark] as usize..if mark + 2 < marks.len() { marks[mark + 1] as usize } else { all.len() }
        };
        // How many positive thresholds are below x, and how many are not above it.
        let below = |x: f64| {
            let near = around(x);
            (near.start + all[near].partition_point(|t| *t < x)) as Bin
        };
        let upto = |x: f64| {
            let near = around(x);
            (near.start + all[near].partition_point(|t| *t <= x)) as Bin
        };
        let bin = match comparison {
            // The least threshold that is at least the value.
            Comparison::LessOrEqual if value > 0.0 => below(value) + 1,
            Comparison::LessOrEqual => -upto(-value),
            Comparison::Less if value >= 0.0 => upto(value) + 1,
            Comparison::Less => -below(-value),
            // The greatest threshold that is at most the value.
            Comparison::GreaterOrEqual if value < 0.0 => -(below(-value) + 1),
            Comparison::GreaterOrEqual => upto(value),
            Comparison::Greater if value <= 0.0 => -(upto(-value) + 1),
            _ => below(value),
        };
        bin.clamp(-last, last)
    }

    /// Whether a value whose strictest threshold is `bin` also meets another.
    #[inline]
    pub(crate) fn meets(looser: Looser, bin: Bin, threshold: Bin) -> bool {
        bin != NOTHING && if looser == Looser::Larger { bin <= threshold } else { bin >= threshold }
    }

    /// The strictest threshold of the coarse choice that is met where this one is the strictest of all.
    pub(crate) fn coarser(self, looser: Looser, bin: Bin) -> Bin {
        static COARSE: LazyLock<[Vec<Bin>; 2]> = LazyLock::new(|| {
            [Grid::Reals, Grid::Integers].map(|grid| {
                let last = grid.positive().len() as Bin;
                grid.coarse(-last, last)
            })
        });
        let (coarse, last) = (&COARSE[self as usize], self.positive().len() as Bin);
        match looser {
            _ if bin == NOTHING => NOTHING,
            // What meets none of them is put beyond them.
            Looser::Larger => coarse.get(coarse.partition_point(|c| *c < bin)).map_or(last, |c| *c),
            Looser::Smaller => coarse.partition_point(|c| *c <= bin).checked_sub(1).map_or(-last, |at| coarse[at]),
        }
    }

    /// A coarse choice of thresholds from one to another: each about 1.4 times the one before.
    pub(crate) fn coarse(self, from: Bin, to: Bin) -> Vec<Bin> {
        let mut chosen: Vec<Bin> = Vec::new();
        let all = self.positive();
        let nearest = |x: f64| {
            let above = all.partition_point(|t| *t < x).clamp(1, all.len() - 1);
            let at = if x - all[above - 1] <= all[above] - x { above - 1 } else { above };
            at as Bin + 1
        };
        // 3, 4.25, 6, 8.5, 12, 17, 24, 34, …
        for half in -40..60 {
            let base = if half % 2 == 0 { 3.0 } else { 4.25 };
            let x: f64 = base * 2f64.powi((half - i32::from(half % 2 != 0)) / 2);
            if (all[0]..=all[all.len() - 1]).contains(&x) {
                let bin = nearest(x);
                chosen.extend([bin, -bin]);
            }
        }
        chosen.push(0);
        chosen.retain(|b| (from..=to).contains(b));
        chosen.sort_unstable();
        chosen.dedup();
        chosen
    }

    /// How many digits it takes to write a threshold: fewer are more readable.
    pub(crate) fn digits(self, bin: Bin) -> usize {
        let text = format!("{:e}", self.threshold(bin));
        text.split('e').next().map_or(0, |mantissa| mantissa.chars().filter(char::is_ascii_digit).count())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_meets_the_thresholds_that_its_number_says() {
        let mut values =
            vec![-250.0, -1.0, -0.4, -0.0, 0.0, 0.004, 0.4, 1.0, 17.0, 17.2, 24.99, 25.0, 25.01, 135.0, 5e4];
        values.extend([1e-7, 1e-6, 1e-300, 9.7e8]);
        values.extend((-25..29).flat_map(|e| [1.0, 1.25, 1.5, 1.75, 1.9999].map(|m| m * 2f64.powi(e))));
        for grid in [Grid::Reals, Grid::Integers] {
            let all = grid.positive().len() as Bin;
            for &value in &values {
                for (comparison, looser) in [
                    (Comparison::Less, Looser::Larger),
                    (Comparison::LessOrEqual, Looser::Larger),
                    (Comparison::Greater, Looser::Smaller),
                    (Comparison::GreaterOrEqual, Looser::Smaller),
                ] {
                    let bin = grid.bin(comparison, value);
                    for threshold in -all..=all {
                        let t = grid.threshold(threshold);
                        let meant = match comparison {
                            Comparison::Less => value < t,
                            Comparison::LessOrEqual => value <= t,
                            Comparison::Greater => value > t,
                            _ => value >= t,
                        };
                        assert_eq!(Grid::meets(looser, bin, threshold), meant, "{value} {comparison:?} {t}");
                    }
                }
            }
        }
    }

    #[test]
    fn coarser_numbers_meet_the_same_coarse_thresholds() {
        for grid in [Grid::Reals, Grid::Integers] {
            let last = grid.positive().len() as Bin;
            let coarse = grid.coarse(-last, last);
            for looser in [Looser::Larger, Looser::Smaller] {
                for bin in (-last..=last).chain([NOTHING]) {
                    let coarser = grid.coarser(looser, bin);
                    for threshold in &coarse {
                        let met = [bin, coarser].map(|bin| Grid::meets(looser, bin, *threshold));
                        assert_eq!(met[0], met[1], "{bin} {coarser} {threshold}");
                    }
                }
            }
        }
    }

    #[test]
    fn values_beyond_the_grid_meet_its_last_threshold() {
        for grid in [Grid::Reals, Grid::Integers] {
            let last = grid.positive().len() as Bin;
            for value in [1e9, 1.07e9, 1.08e9, 1e300, f64::INFINITY] {
                for comparison in [Comparison::Less, Comparison::LessOrEqual] {
                    assert_eq!((grid.bin(comparison, value), grid.bin(comparison, -value)), (last, -last), "{value}");
                }
            }
        }
    }

    #[test]
    fn thresholds_are_near_each_other_and_readable() {
        let reals = Grid::Reals.positive();
        assert!(reals.windows(2).all(|w| w[0] < w[1] && w[1] / w[0] <= 1.05 + 1e-9));
        for (number, text) in [(25.0, "25"), (0.4, "0.4"), (13.5, "13.5"), (135.0, "135")] {
            let bin = Grid::Reals.bin(Comparison::LessOrEqual, number);
            assert_eq!(Grid::Reals.value(bin).to_string(), text);
        }
        let coarse = |from: f64, to: f64| {
            let bin = |x| Grid::Reals.bin(Comparison::LessOrEqual, x);
            Grid::Reals.coarse(bin(from), bin(to)).iter().map(|b| Grid::Reals.threshold(*b)).collect::<Vec<_>>()
        };
        assert_eq!(coarse(11.0, 140.0), [12.0, 17.0, 24.0, 34.0, 48.0, 68.0, 96.0, 135.0]);
        assert_eq!(coarse(-0.8, 0.8).len() % 2, 1, "zero, and as many on both sides");
        assert!(Grid::Reals.digits(Grid::Reals.bin(Comparison::LessOrEqual, 20.0)) == 1);
    }
}
