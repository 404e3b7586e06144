//! Mask: a set of literals, one bit each.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A set of up to 128 literals: the body of a rule, or what is true of a head instance.
///
/// ```
/// use oled::induce::Mask;
/// let truth: Mask = [0, 3, 7].into_iter().collect();
/// assert!(Mask::of(3).fires_on(truth) && !Mask::of(4).fires_on(truth));
/// assert!(Mask::EMPTY.fires_on(truth), "a rule without conditions fires on everything");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub struct Mask(u128);

impl Mask {
    /// The largest number of literals.
    pub const CAPACITY: usize = 128;
    /// No literal.
    pub const EMPTY: Mask = Mask(0);

    /// One literal.
    pub fn of(literal: usize) -> Mask {
        debug_assert!(literal < Mask::CAPACITY, "tables are checked to fit when they are built");
        Mask(1 << literal)
    }

    /// The first `count` literals.
    pub fn first(count: usize) -> Mask {
        if count >= Mask::CAPACITY { Mask(u128::MAX) } else { Mask((1 << count) - 1) }
    }

    /// Whether a rule with this body fires where exactly the literals of `truth` are true.
    #[inline]
    pub fn fires_on(self, truth: Mask) -> bool {
        self.0 & !truth.0 == 0
    }

    /// Both together.
    #[must_use]
    pub fn with(self, other: Mask) -> Mask {
        Mask(self.0 | other.0)
    }

    /// What both have.
    #[must_use]
    pub fn and(self, other: Mask) -> Mask {
        Mask(self.0 & other.0)
    }

    /// This one without the other.
    #[must_use]
    pub fn without(self, other: Mask) -> Mask {
        Mask(self.0 & !other.0)
    }

    /// Whether a literal is in it.
    pub fn has(self, literal: usize) -> bool {
        self.0 >> literal & 1 == 1
    }

    /// The set as two words.
    pub(crate) fn words(self) -> [u64; 2] {
        [self.0 as u64, (self.0 >> 64) as u64]
    }

    /// The set of two words.
    pub(crate) fn from_words(words: [u64; 2]) -> Mask {
        Mask(u128::from(words[0]) | u128::from(words[1]) << 64)
    }

    /// The number of literals.
    pub fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The literals in ascending order.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            next
        })
    }
}

impl FromIterator<usize> for Mask {
    fn from_iter<I: IntoIterator<Item = usize>>(literals: I) -> Mask {
        literals.into_iter().fold(Mask::EMPTY, |mask, l| mask.with(Mask::of(l)))
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
