//! Random: a tiny generator of random numbers, with the same bits on every platform and in every release.

/// The next number of `SplitMix64`, and the state after it: for whoever has a seed and needs no more than numbers.
pub fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// `SplitMix64` (Steele, Lea and Flood, 2014): a counter and a mixing function.
///
/// A few lines of our own and not a crate, since crates improve their algorithms from version to version, whereas a seed
/// in a test, a record or a bug report has to mean the same world for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Random(u64);

impl Random {
    /// A generator for one purpose: what is drawn here never depends on how much is drawn elsewhere.
    pub(crate) fn new(seed: u64, purpose: &[u64]) -> Random {
        let mut random = Random(seed);
        for part in purpose {
            random = Random(random.next() ^ part.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        }
        Random(random.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        splitmix(&mut self.0)
    }

    /// From zero to one, one excluded.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between two numbers.
    pub(crate) fn real(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// An integer from `low` to `high`, both included.
    pub(crate) fn int(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// An integer below `count`. The bias of at most `count / 2^64` is of no consequence here.
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(count)) >> 64) as u64
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Nearly normal, with mean 0 and deviation 1: the sum of four uniform numbers of 16 bits, from a single draw.
    pub(crate) fn approx_normal(&mut self) -> f64 {
        let bits = self.next();
        let sum = (bits & 0xFFFF) + (bits >> 16 & 0xFFFF) + (bits >> 32 & 0xFFFF) + (bits >> 48);
        // Four uniforms on 0..1 have mean 2 and variance 1/3.
        (sum as f64 / 65_535.0 - 2.0) * 3.0f64.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_are_those_of_the_published_generator() {
        let mut random = Random(1_234_567);
        assert_eq!([random.next(), random.next()], [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]);
    }

    #[test]
    fn draws_keep_to_their_ranges_and_have_the_right_mean() {
        let mut random = Random::new(7, &[1, 2]);
        let (mut unit, mut bell, mut square) = (0.0, 0.0, 0.0);
        for _ in 0..10_000 {
            assert!((3..=5).contains(&random.int(3, 5)));
            unit += random.unit() / 10_000.0;
            let b = random.approx_normal();
            bell += b / 10_000.0;
            square += b * b / 10_000.0;
        }
        assert!(
            (unit - 0.5).abs() < 0.02 && bell.abs() < 0.04 && (square - 1.0).abs() < 0.05,
            "{unit} {bell} {square}"
        );
    }

    #[test]
    fn purposes_are_independent() {
        let draws = |purpose: &[u64]| Random::new(1, purpose).next();
        let all = [draws(&[]), draws(&[0]), draws(&[1]), draws(&[0, 0]), draws(&[0, 1]), draws(&[1, 0])];
        for (i, a) in all.iter().enumerate() {
            assert!(!all[..i].contains(a));
        }
    }
}
