//! Layout: how what is true and measured of an instance stands in words: a bit for each literal, then what is measured.

use super::bins::{BinId, NOTHING};
use crate::induce::Mask;

/// The words of the truths of a group: one after the other those of a mask, and those of what is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The words of a mask; two at least, since most tables need no more.
    masks: usize,
    /// How much is measured.
    slots: usize,
}

impl Layout {
    pub(crate) fn new(masks: usize, slots: usize) -> Layout {
        Layout { masks, slots }
    }

    /// The words of a truth as it is kept: four numbers of bins to a word.
    pub(crate) fn stride(self) -> usize {
        self.masks + self.slots.div_ceil(4)
    }

    /// The words of a truth as it is seen: one for each value that is measured.
    pub(crate) fn seen(self) -> usize {
        self.masks + self.slots
    }

    /// The words of a mask, and where those begin that come after it.
    pub(crate) fn masks(self) -> usize {
        self.masks
    }

    /// How much is measured.
    pub(crate) fn slots(self) -> usize {
        self.slots
    }

    /// The bits of a truth.
    #[inline]
    pub(crate) fn mask(self, truth: &[u64]) -> Mask {
        Mask::from_words(&truth[..self.masks])
    }

    /// The literals of a truth.
    pub(crate) fn literals(self, truth: &[u64]) -> impl Iterator<Item = usize> {
        set_bits(&truth[..self.masks])
    }

    /// What is measured of a truth, by slot: the number of a bin.
    #[inline]
    pub(crate) fn measured(self, truth: &[u64], slot: usize) -> BinId {
        (truth[self.masks + slot / 4] >> (16 * (slot % 4))) as BinId
    }

    /// Puts something else in its place.
    #[inline]
    pub(crate) fn set_measured(self, truth: &mut [u64], slot: usize, bin: BinId) {
        let (word, shift) = (self.masks + slot / 4, 16 * (slot % 4));
        truth[word] = truth[word] & !(0xffff << shift) | u64::from(bin) << shift;
    }

    /// The truth of an instance that is not observed, with what the background does to it. Nothing is measured of it.
    pub(crate) fn unobserved(self, deeds: &Mask) -> Vec<u64> {
        let mut key = Vec::new();
        if !deeds.is_empty() {
            deeds.push_words(self.masks, &mut key);
            key.resize(self.stride(), nothing_measured());
        }
        key
    }
}

/// Whether a bit of a truth is set.
#[inline]
pub(crate) fn has_bit(truth: &[u64], bit: usize) -> bool {
    truth[bit / 64] >> (bit % 64) & 1 == 1
}

/// The numbers of the bits that words have.
#[inline]
pub(crate) fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> {
    words.iter().enumerate().flat_map(|(number, word)| {
        let mut rest = *word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| number * 64 + rest.trailing_zeros() as usize);
            rest &= rest.wrapping_sub(1);
            bit
        })
    })
}

/// Sets a bit of a truth, or clears it.
#[inline]
pub(crate) fn set_bit(truth: &mut [u64], bit: usize, is_set: bool) {
    truth[bit / 64] = truth[bit / 64] & !(1 << (bit % 64)) | u64::from(is_set) << (bit % 64);
}

/// Words of a truth of which nothing is measured.
pub(crate) fn nothing_measured() -> u64 {
    let nothing = u64::from(NOTHING);
    nothing | nothing << 16 | nothing << 32 | nothing << 48
}
