//! Threshold: a number that something measured is compared with, and the shortest one that tells two values apart.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};

use crate::lang::{Comparison, Value};

/// A threshold. Zero has one sign, and no threshold is `nan`, so that equal ones are the same.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Threshold(f64);

/// The numbers that the thresholds of a measure may be: as the type of the place says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbers {
    Reals,
    Integers,
}

impl Threshold {
    /// The threshold of a number that is not `nan`.
    pub(crate) fn new(number: f64) -> Threshold {
        debug_assert!(!number.is_nan(), "nothing compares with nan");
        Threshold(number + 0.0)
    }

    #[cfg(test)]
    pub(crate) fn get(self) -> f64 {
        self.0
    }

    /// Whether this can be a threshold: what is read from a file may be anything.
    pub(crate) fn is_sound(self) -> bool {
        !self.0.is_nan() && self.0.to_bits() == (self.0 + 0.0).to_bits()
    }

    /// The threshold as it is printed: whole numbers as integers.
    pub(crate) fn value(self) -> Value {
        // Integers of this size are exact as real numbers.
        let whole = self.0.fract() == 0.0 && self.0.abs() < 9e15;
        if whole { Value::Int(self.0 as i64) } else { Value::Real(self.0) }
    }

    /// Whether a value meets it.
    #[inline]
    pub(crate) fn is_met(self, comparison: Comparison, value: f64) -> bool {
        match comparison {
            Comparison::Less => value < self.0,
            Comparison::LessOrEqual => value <= self.0,
            Comparison::Greater => value > self.0,
            Comparison::GreaterOrEqual => value >= self.0,
            Comparison::Equal => value == self.0,
            Comparison::NotEqual => value != self.0,
        }
    }
}

impl PartialEq for Threshold {
    fn eq(&self, other: &Threshold) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Threshold {}

impl PartialOrd for Threshold {
    fn partial_cmp(&self, other: &Threshold) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Threshold {
    fn cmp(&self, other: &Threshold) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl Hash for Threshold {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

/// A real number has at most so many decimal digits that tell it from its neighbours.
const MOST_DIGITS: usize = 17;

/// The shortest number between two values, `low < high`, under a comparison: of the two exactly one meets it. Of those with
/// the fewest digits, the one nearest to the middle; zero, which is easier to read than any other, if it is in the middle
/// half. Where nothing is measured on one side, which is said by an infinite value, the number is next to the other value.
/// `None` where thresholds are whole and no whole number is between the two.
///
/// ```text
/// v <= t, v > t:   low <= t < high
/// v <  t, v >= t:  low < t <= high
/// ```
pub(crate) fn between(low: f64, high: f64, comparison: Comparison, numbers: Numbers) -> Option<Threshold> {
    debug_assert!(low < high, "{low} is not below {high}");
    let closed_below = matches!(comparison, Comparison::LessOrEqual | Comparison::Greater);
    let (from, to) = bounded(low, high);
    let separates = |t: f64| {
        let whole = numbers == Numbers::Reals || t.fract() == 0.0;
        whole && if closed_below { from <= t && t < to } else { from < t && t <= to }
    };
    let middle = from / 2.0 + to / 2.0;
    if middle.abs() <= (to / 4.0 - from / 4.0) && separates(0.0) {
        return Some(Threshold::new(0.0));
    }
    let nearest = |numbers: &mut dyn Iterator<Item = f64>| {
        let near = |a: &f64, b: &f64| (a - middle).abs().total_cmp(&(b - middle).abs()).then(a.total_cmp(b));
        numbers.filter(|t| separates(*t)).min_by(near)
    };
    // Numbers of so many digits are apart from each other. If there is one between the values, then so is the one next to
    // the middle on its side.
    let short = (1..=MOST_DIGITS).find_map(|digits| nearest(&mut around(middle, digits).into_iter()));
    let ends = || nearest(&mut [middle.round(), from.ceil(), to.floor(), from, to].into_iter());
    short.or_else(ends).map(Threshold::new)
}

/// Finite numbers in the place of infinite ones: next to the other.
fn bounded(low: f64, high: f64) -> (f64, f64) {
    // An eighth more is still a number of the same size, and leaves room for a short one.
    let room = |x: f64| if x == 0.0 { 1.0 } else { x.abs() / 8.0 };
    match (low.is_finite(), high.is_finite()) {
        (true, true) => (low, high),
        (true, false) => (low, (low + room(low)).min(f64::MAX)),
        (false, true) => ((high - room(high)).max(f64::MIN), high),
        (false, false) => (-1.0, 1.0),
    }
}

/// The number of so many decimal digits that is nearest to another, and those before and after it.
fn around(number: f64, digits: usize) -> [f64; 3] {
    let text = format!("{:.*e}", digits - 1, number);
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let shift = exponent - (digits as i32 - 1);
    // A decimal that is read is the real number nearest to it.
    [-1, 0, 1].map(|step| format!("{}e{shift}", mantissa + step).parse().unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use oled::testing::deterministic;

    const ALL: [Comparison; 4] =
        [Comparison::Less, Comparison::LessOrEqual, Comparison::Greater, Comparison::GreaterOrEqual];

    fn text(low: f64, high: f64, comparison: Comparison) -> String {
        between(low, high, comparison, Numbers::Reals).unwrap().value().to_string()
    }

    #[test]
    fn thresholds_are_short_and_near_the_middle() {
        use Comparison::{Greater, GreaterOrEqual, Less, LessOrEqual};
        for (low, high, comparison, expected) in [
            (23.7, 26.1, LessOrEqual, "25"),
            (24.31, 24.39, LessOrEqual, "24.35"),
            (24.31, 24.42, GreaterOrEqual, "24.4"),
            (1.0, 2.0, LessOrEqual, "1"),
            (1.0, 2.0, Less, "2"),
            (1.0, 2.0, Greater, "1"),
            (1.0, 2.0, GreaterOrEqual, "2"),
            (95.0, 1003.0, LessOrEqual, "500"),
            (-5.0, 5.2, LessOrEqual, "0"),
            (-0.1, 100.0, LessOrEqual, "50"),
            (0.0, 1e-9, Less, "5e-10"),
            (-26.1, -23.7, Greater, "-25"),
            (1003.0, 1005.0, LessOrEqual, "1004"),
            (100.0, f64::INFINITY, LessOrEqual, "100"),
            (100.0, f64::INFINITY, Less, "110"),
            (0.0, f64::INFINITY, Greater, "0.5"),
            (f64::NEG_INFINITY, 40.0, GreaterOrEqual, "40"),
        ] {
            assert_eq!(text(low, high, comparison), expected, "{low} {high} {comparison:?}");
        }
    }

    #[test]
    fn whole_thresholds_are_whole_or_there_are_none() {
        for (low, high, comparison, expected) in [
            (3.2, 3.7, Comparison::LessOrEqual, None),
            (3.2, 4.0, Comparison::LessOrEqual, None),
            (3.2, 4.0, Comparison::Less, Some(4.0)),
            (1234.0, 1235.0, Comparison::LessOrEqual, Some(1234.0)),
            (1234.5, 1299.0, Comparison::LessOrEqual, Some(1270.0)),
            (-0.5, 0.5, Comparison::LessOrEqual, Some(0.0)),
        ] {
            let found = between(low, high, comparison, Numbers::Integers).map(Threshold::get);
            assert_eq!(found, expected, "{low} {high} {comparison:?}");
        }
    }

    #[test]
    fn neighbours_are_told_apart() {
        for low in [0.0, 1.0, -1.0, 0.1, 1e300, -1e-300, f64::MIN_POSITIVE, 5e-324, f64::MIN, 123_456.789] {
            let high = low.next_up();
            for comparison in ALL {
                let t = between(low, high, comparison, Numbers::Reals).unwrap();
                assert_ne!(t.is_met(comparison, low), t.is_met(comparison, high), "{low:e} {comparison:?}");
            }
        }
    }

    proptest! {
        #![proptest_config(deterministic(2000))]

        #[test]
        fn of_two_values_one_meets_the_threshold_and_none_is_shorter(
            a in prop_oneof![-100.0..100.0f64, -1e6..1e6f64, any::<f64>()],
            step in prop_oneof![0.0..1.0f64, 0.0..1e3f64, any::<f64>()],
        ) {
            let (low, high) = (a.min(a + step), a.max(a + step));
            prop_assume!(low < high && low.is_finite() && high.is_finite());
            for comparison in ALL {
                let t = between(low, high, comparison, Numbers::Reals).unwrap();
                prop_assert_ne!(t.is_met(comparison, low), t.is_met(comparison, high));
                let text = format!("{:e}", t.get());
                let digits = text.split('e').next().map_or(0, |m| m.chars().filter(char::is_ascii_digit).count());
                let fewer = digits - 1;
                if fewer > 0 && t.get() != 0.0 {
                    let middle = low / 2.0 + high / 2.0;
                    for shorter in around(middle, fewer) {
                        let shorter = Threshold::new(shorter);
                        prop_assert_eq!(shorter.is_met(comparison, low), shorter.is_met(comparison, high));
                    }
                }
            }
        }
    }
}
