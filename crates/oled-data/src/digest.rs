//! Digest: a number by which bytes are told from others, taken while they pass.

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

/// A running digest, which knows how many bytes it has seen. It does not matter in which pieces they come, and it can be saved
/// and go on. Every change within eight bytes changes it. It tells damage and mistakes, not forgery.
///
/// ```
/// use oled_data::{Digest, digest};
/// let mut running = Digest::default();
/// running.update(b"what was ");
/// running.update(b"read");
/// assert_eq!(running.value(), digest(b"what was read"));
/// assert_eq!(running.length(), 13);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Words are dealt out in turn: a processor takes the steps of several at a time, which would wait for each other in one.
    hashes: [u64; LANES],
    /// The bytes after the last whole eight, the first one lowest.
    rest: u64,
    length: u64,
}

/// As many as a processor can have under way: a step takes six cycles, and one can begin in each. Half of them took twice as
/// long, which was a twelfth of the time in which a table becomes frames.
const LANES: usize = 8;

/// Bytes that are taken at once: one by one would take longer than some formats take to be read.
const WORD: usize = size_of::<u64>();

impl Digest {
    /// Takes the next bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let held = self.length as usize % WORD;
        if held > 0 {
            let (first, others) = bytes.split_at(bytes.len().min(WORD - held));
            self.rest |= word(first) << (8 * held);
            self.length = self.length.wrapping_add(first.len() as u64);
            if held + first.len() < WORD {
                return;
            }
            // The word that is whole now was counted with its last byte.
            self.take(self.rest, self.length.wrapping_sub(1));
            bytes = others;
        }
        let (mut words, rest) = bytes.as_chunks::<WORD>();
        // What comes before the first lane, and all of a few words, goes one by one.
        while let Some((first, others)) = words.split_first() {
            if lane(self.length) == 0 && words.len() >= LANES {
                break;
            }
            self.take(u64::from_le_bytes(*first), self.length);
            self.length = self.length.wrapping_add(WORD as u64);
            words = others;
        }
        let (turns, last) = words.as_chunks::<LANES>();
        for turn in turns {
            for (hash, word) in self.hashes.iter_mut().zip(turn) {
                *hash = step(*hash, u64::from_le_bytes(*word));
            }
        }
        self.length = self.length.wrapping_add((turns.len() * LANES * WORD) as u64);
        for word in last {
            self.take(u64::from_le_bytes(*word), self.length);
            self.length = self.length.wrapping_add(WORD as u64);
        }
        self.rest = word(rest);
        self.length = self.length.wrapping_add(rest.len() as u64);
    }

    /// Takes the eight bytes of a number.
    #[inline]
    pub(crate) fn take_word(&mut self, word: u64) {
        if self.length.is_multiple_of(WORD as u64) {
            self.take(word, self.length);
            self.length = self.length.wrapping_add(WORD as u64);
        } else {
            self.update(&word.to_le_bytes());
        }
    }

    /// Takes the word that has this byte.
    fn take(&mut self, word: u64, at: u64) {
        let lane = lane(at);
        self.hashes[lane] = step(self.hashes[lane], word);
    }

    /// The digest of all bytes so far.
    pub fn value(&self) -> u64 {
        let words = self.hashes.into_iter().chain([self.rest, self.length]);
        words.reduce(step).unwrap_or_default()
    }

    /// How many bytes there were.
    pub fn length(&self) -> u64 {
        self.length
    }
}

/// Whatever writes can be digested.
impl Write for Digest {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The digest of all bytes at once.
pub fn digest(bytes: &[u8]) -> u64 {
    let mut digest = Digest::default();
    digest.update(bytes);
    digest.value()
}

/// Whose turn it is at a byte.
fn lane(at: u64) -> usize {
    (at / WORD as u64) as usize % LANES
}

/// Less than nine bytes as a number.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte))
}

/// Another word. Each of the three operations can be undone, so that no word and no hash is mistaken for another. The factor
/// is that of `SplitMix64`; what it moves upwards the shift brings down again.
fn step(hash: u64, word: u64) -> u64 {
    let product = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_do_not_matter_and_every_bit_does() {
        let bytes: Vec<u8> = (0..100).map(|i| (i * 37) as u8).collect();
        let whole = digest(&bytes);
        for size in 1..=100 {
            let mut running = Digest::default();
            bytes.chunks(size).for_each(|piece| running.update(piece));
            assert_eq!((running.value(), running.length()), (whole, 100), "pieces of {size}");
            let (start, rest) = bytes.split_at(size);
            let (words, _) = rest.as_chunks::<WORD>();
            let mut by_words = Digest::default();
            by_words.update(start);
            words.iter().for_each(|word| by_words.take_word(u64::from_le_bytes(*word)));
            by_words.update(&rest[WORD * words.len()..]);
            assert_eq!(by_words, running, "words after {size} bytes");
        }
        for at in 0..100 {
            for bit in 0..8 {
                let mut other = bytes.clone();
                other[at] ^= 1 << bit;
                assert_ne!(digest(&other), whole, "bit {bit} of byte {at}");
            }
            assert_ne!(digest(&bytes[..at]), whole);
        }
        assert_ne!(digest(&[]), digest(&[0]), "zeros count too");
    }
}
