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
    hash: u64,
    /// The bytes after the last whole eight, the first one lowest.
    rest: u64,
    length: u64,
}

/// Bytes that are taken at once: one by one would take longer than some formats take to be read.
const WORD: usize = size_of::<u64>();

impl Digest {
    /// Takes the next bytes.
    pub fn update(&mut self, mut bytes: &[u8]) {
        let held = self.length as usize % WORD;
        self.length = self.length.wrapping_add(bytes.len() as u64);
        if held > 0 {
            let (first, others) = bytes.split_at(bytes.len().min(WORD - held));
            self.rest |= word(first) << (8 * held);
            if held + first.len() < WORD {
                return;
            }
            self.hash = step(self.hash, self.rest);
            bytes = others;
        }
        let (words, rest) = bytes.as_chunks::<WORD>();
        self.hash = words.iter().fold(self.hash, |hash, bytes| step(hash, u64::from_le_bytes(*bytes)));
        self.rest = word(rest);
    }

    /// The digest of all bytes so far.
    pub fn value(&self) -> u64 {
        step(step(self.hash, self.rest), self.length)
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
