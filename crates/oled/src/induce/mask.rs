//! Mask: a set of literals, one bit each.
//!
//! Most tables have few literals, and learning makes and compares masks all the time. So the first 128 literals are in the
//! mask itself; room elsewhere is asked for only where a literal beyond them is in the set.

use std::fmt;
use std::hash::{Hash, Hasher};

use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A set of literals: the body of a rule, or what is true of a head instance.
///
/// ```
/// use oled::induce::Mask;
/// let truth: Mask = [0, 3, 700].into_iter().collect();
/// assert!(Mask::of(3).fires_on(&truth) && !Mask::of(4).fires_on(&truth));
/// assert!(Mask::of(700).fires_on(&truth) && !Mask::of(701).fires_on(&truth));
/// assert!(Mask::EMPTY.fires_on(&truth), "a rule without conditions fires on everything");
/// ```
#[derive(Clone, Eq, PartialOrd, Ord, Default)]
pub struct Mask {
    /// The literals from the 128th on, 64 to a word. The last word is not zero, and where there would be no word there is
    /// nothing, so that a set is written in one way only.
    high: Option<Box<[u64]>>,
    /// Those before.
    low: u128,
}

/// How many literals have their bits in the mask itself.
const LOW: usize = 128;

impl Mask {
    /// No literal.
    pub const EMPTY: Mask = Mask { high: None, low: 0 };

    /// One literal.
    pub fn of(literal: usize) -> Mask {
        let mut mask = Mask::EMPTY;
        mask.insert(literal);
        mask
    }

    /// The first `count` literals.
    pub fn first(count: usize) -> Mask {
        if count < LOW {
            return Mask { high: None, low: (1 << count) - 1 };
        }
        let mut high = vec![u64::MAX; (count - LOW).div_ceil(64)];
        if let (Some(last), over @ 1..) = (high.last_mut(), (count - LOW) % 64) {
            *last = (1 << over) - 1;
        }
        Mask { high: trimmed(high), low: u128::MAX }
    }

    #[inline]
    fn high(&self) -> &[u64] {
        self.high.as_deref().unwrap_or_default()
    }

    /// Whether a rule with this body fires where exactly the literals of `truth` are true.
    #[inline]
    pub fn fires_on(&self, truth: &Mask) -> bool {
        self.low & !truth.low == 0 && self.high.as_deref().is_none_or(|high| is_within(high, truth.high()))
    }

    /// Adds a literal.
    #[inline]
    pub fn insert(&mut self, literal: usize) {
        if literal < LOW {
            self.low |= 1 << literal;
        } else {
            self.insert_high(literal - LOW);
        }
    }

    fn insert_high(&mut self, at: usize) {
        let (word, bit) = (at / 64, 1 << (at % 64));
        match &mut self.high {
            Some(high) if word < high.len() => high[word] |= bit,
            high => {
                let mut words = high.take().map_or_else(Vec::new, Vec::from);
                words.resize(word + 1, 0);
                words[word] = bit;
                *high = Some(words.into());
            }
        }
    }

    /// Adds another set.
    #[inline]
    pub fn add(&mut self, other: &Mask) {
        self.low |= other.low;
        if other.high.is_some() {
            self.high = combined(self.high.take(), other.high(), |a, b| a | b);
        }
    }

    /// Takes out the literals that another set has too, and adds those that only the other has.
    #[inline]
    pub fn toggle(&mut self, other: &Mask) {
        self.low ^= other.low;
        if other.high.is_some() {
            self.high = combined(self.high.take(), other.high(), |a, b| a ^ b);
        }
    }

    /// Leaves out all but the first `count` literals.
    #[inline]
    pub fn truncate(&mut self, count: usize) {
        if count < LOW {
            self.low &= (1 << count) - 1;
            self.high = None;
        } else if self.high.is_some() {
            *self = self.and(&Mask::first(count));
        }
    }

    /// Both together.
    #[inline]
    #[must_use]
    pub fn with(&self, other: &Mask) -> Mask {
        let mut both = self.clone();
        both.add(other);
        both
    }

    /// What both have.
    #[inline]
    #[must_use]
    pub fn and(&self, other: &Mask) -> Mask {
        let high = match (&self.high, &other.high) {
            (Some(a), Some(b)) => trimmed(a.iter().zip(b).map(|(a, b)| a & b).collect()),
            _ => None,
        };
        Mask { high, low: self.low & other.low }
    }

    /// This one without the other.
    #[inline]
    #[must_use]
    pub fn without(&self, other: &Mask) -> Mask {
        let high = match &self.high {
            Some(high) => {
                let others = other.high().iter().chain(std::iter::repeat(&0));
                trimmed(high.iter().zip(others).map(|(a, b)| a & !b).collect())
            }
            None => None,
        };
        Mask { high, low: self.low & !other.low }
    }

    /// Whether a literal is in it.
    #[inline]
    pub fn has(&self, literal: usize) -> bool {
        match literal.checked_sub(LOW) {
            None => self.low >> literal & 1 == 1,
            Some(at) => self.high().get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1),
        }
    }

    /// Adds the set to others as so many words, two at least; there are no literals beyond them.
    #[inline]
    pub(crate) fn push_words(&self, count: usize, words: &mut Vec<u64>) {
        words.extend([self.low as u64, (self.low >> 64) as u64]);
        if count > 2 {
            let end = words.len() + count - 2;
            words.extend_from_slice(self.high());
            debug_assert!(words.len() <= end, "a truth has the bits of its table");
            words.resize(end, 0);
        }
    }

    /// The set of words, two at least.
    pub(crate) fn from_words(words: &[u64]) -> Mask {
        let low = u128::from(words[0]) | u128::from(words[1]) << 64;
        let used = words.iter().rposition(|word| *word != 0).map_or(0, |last| last + 1);
        Mask { high: words[2..].get(..used.saturating_sub(2)).filter(|high| !high.is_empty()).map(Box::from), low }
    }

    /// The number of literals.
    pub fn len(&self) -> usize {
        self.low.count_ones() as usize + self.high().iter().map(|word| word.count_ones() as usize).sum::<usize>()
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.low == 0 && self.high.is_none()
    }

    /// The literals in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        literals(self.low, self.high().iter().copied())
    }

    /// The literals that both have, in ascending order.
    pub(crate) fn shared(&self, other: &Mask) -> impl Iterator<Item = usize> {
        literals(self.low & other.low, self.high().iter().zip(other.high()).map(|(a, b)| a & b))
    }
}

/// The literals of bits in ascending order.
fn literals(low: u128, mut high: impl Iterator<Item = u64>) -> impl Iterator<Item = usize> {
    let (mut rest, mut first, mut next) = (low, 0, LOW);
    std::iter::from_fn(move || {
        while rest == 0 {
            rest = u128::from(high.next()?);
            (first, next) = (next, next + 64);
        }
        let literal = first + rest.trailing_zeros() as usize;
        rest &= rest - 1;
        Some(literal)
    })
}

/// Words without zeros at their end.
fn trimmed(mut words: Vec<u64>) -> Option<Box<[u64]>> {
    let used = words.iter().rposition(|word| *word != 0)? + 1;
    words.truncate(used);
    Some(words.into())
}

/// Whether some words have no bit that others lack; the last of them is not zero.
fn is_within(words: &[u64], others: &[u64]) -> bool {
    words.len() <= others.len() && words.iter().zip(others).all(|(a, b)| a & !b == 0)
}

/// Words with others put into them, one by one.
fn combined(words: Option<Box<[u64]>>, others: &[u64], each: impl Fn(u64, u64) -> u64) -> Option<Box<[u64]>> {
    let mut words = words.unwrap_or_default();
    if words.len() < others.len() {
        let mut longer = Vec::from(words);
        longer.resize(others.len(), 0);
        words = longer.into();
    }
    words.iter_mut().zip(others).for_each(|(a, b)| *a = each(*a, *b));
    if words.last() == Some(&0) { trimmed(words.into()) } else { Some(words) }
}

/// Ledgers look masks up: what most masks have is compared first, and the rest only where there is any.
impl PartialEq for Mask {
    #[inline]
    fn eq(&self, other: &Mask) -> bool {
        self.low == other.low
            && match (&self.high, &other.high) {
                (None, None) => true,
                (Some(high), Some(others)) => high == others,
                _ => false,
            }
    }
}

impl Hash for Mask {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        // Products mix digits upwards only: those of the upper half are brought down before.
        let spread = |word: u64| word ^ word >> 32;
        state.write_u64(spread(self.low as u64));
        state.write_u64(spread((self.low >> 64) as u64));
        if let Some(high) = &self.high {
            high.iter().for_each(|word| state.write_u64(*word));
        }
    }
}

impl FromIterator<usize> for Mask {
    fn from_iter<I: IntoIterator<Item = usize>>(literals: I) -> Mask {
        let (mut low, mut high) = (0, Vec::new());
        for literal in literals {
            match literal.checked_sub(LOW) {
                None => low |= 1 << literal,
                Some(at) => {
                    if high.len() <= at / 64 {
                        high.resize(at / 64 + 1, 0_u64);
                    }
                    high[at / 64] |= 1 << (at % 64);
                }
            }
        }
        Mask { high: (!high.is_empty()).then(|| high.into()), low }
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A set without literals beyond the first 128 is written as one number, as it was when there could be no others. The largest
/// number, which only a table of as many literals can come to, says that all words beyond follow.
impl Serialize for Mask {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.high.is_none() && self.low != u128::MAX {
            let mut tuple = serializer.serialize_tuple(1)?;
            tuple.serialize_element(&self.low)?;
            return tuple.end();
        }
        let mut tuple = serializer.serialize_tuple(3)?;
        tuple.serialize_element(&u128::MAX)?;
        tuple.serialize_element(&self.low)?;
        tuple.serialize_element(self.high())?;
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for Mask {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Mask, D::Error> {
        deserializer.deserialize_tuple(3, Words)
    }
}

/// What reads a mask.
struct Words;

impl<'de> Visitor<'de> for Words {
    type Value = Mask;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a set of literals")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut words: A) -> Result<Mask, A::Error> {
        let missing = || A::Error::custom("a set of literals has no end");
        let low: u128 = words.next_element()?.ok_or_else(missing)?;
        if low != u128::MAX {
            return Ok(Mask { high: None, low });
        }
        let low: u128 = words.next_element()?.ok_or_else(missing)?;
        let high: Vec<u64> = words.next_element()?.ok_or_else(missing)?;
        if high.last() == Some(&0) || high.is_empty() && low != u128::MAX {
            return Err(A::Error::custom("a set of literals is not written in the shortest way"));
        }
        Ok(Mask { high: (!high.is_empty()).then(|| high.into()), low })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::state::{decode, encode};
    use oled::testing::deterministic;

    /// Literals below and beyond the first 128, near the ends of words and anywhere.
    fn literals() -> impl Strategy<Value = BTreeSet<usize>> {
        let ends = prop::sample::select(vec![0, 63, 64, 127, 128, 191, 192, 255, 256, 1023]);
        prop::collection::btree_set(prop_oneof![ends, 0..130_usize, 100..1100_usize], 0..12)
    }

    fn mask(literals: &BTreeSet<usize>) -> Mask {
        literals.iter().copied().collect()
    }

    proptest! {
        #![proptest_config(deterministic(500))]

        #[test]
        fn masks_are_sets(a in literals(), b in literals(), literal in 0..1200_usize, count in 0..1200_usize) {
            let (x, y) = (mask(&a), mask(&b));
            prop_assert_eq!(x.iter().collect::<BTreeSet<_>>(), a.clone());
            prop_assert!(x.iter().is_sorted());
            prop_assert_eq!(x.with(&y), mask(&(&a | &b)));
            prop_assert_eq!(x.and(&y), mask(&(&a & &b)));
            prop_assert_eq!(x.without(&y), mask(&(&a - &b)));
            let mut toggled = x.clone();
            toggled.toggle(&y);
            prop_assert_eq!(toggled, mask(&(&a ^ &b)));
            let mut more = x.clone();
            more.insert(literal);
            prop_assert_eq!(&more, &x.with(&Mask::of(literal)));
            prop_assert!(more.has(literal) && x.has(literal) == a.contains(&literal));
            let mut fewer = x.clone();
            fewer.truncate(count);
            prop_assert_eq!(fewer, mask(&a.range(..count).copied().collect()));
            prop_assert_eq!(Mask::first(count), (0..count).collect::<Mask>());
            prop_assert_eq!((x.len(), x.is_empty()), (a.len(), a.is_empty()));
            prop_assert_eq!(x.fires_on(&y), a.is_subset(&b));
            prop_assert_eq!(x == y, a == b);
            prop_assert_eq!(x.cmp(&y).is_eq(), a == b);
            prop_assert_eq!(x.shared(&y).collect::<Vec<_>>(), x.and(&y).iter().collect::<Vec<_>>());
            let mut words = Vec::new();
            x.push_words(20, &mut words);
            prop_assert_eq!(words.len(), 20);
            prop_assert_eq!(&Mask::from_words(&words), &x);
            prop_assert_eq!(decode::<(Mask, Mask)>(&encode(&(&x, &y))), Ok((x, y)));
        }
    }

    #[test]
    fn few_literals_are_written_as_one_number() {
        for low in [0, 1, u128::MAX - 1, 1 << 127] {
            assert_eq!(encode(&Mask { high: None, low }), encode(&low));
        }
        let all = Mask::first(128);
        assert_eq!(decode(&encode(&all)), Ok(all));
        let twice = |low: u128, high: &[u64]| decode::<Mask>(&encode(&(u128::MAX, low, high)));
        assert!(twice(7, &[]).is_err() && twice(7, &[1, 0]).is_err());
        assert_eq!(twice(7, &[1]), Ok([0, 1, 2, 128].into_iter().collect()));
    }
}
