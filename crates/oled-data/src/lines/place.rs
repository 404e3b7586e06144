//! Places: where a reader is in its input, told from other inputs by what comes before.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// Where a reader is in its input: behind the last line that was lent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    /// Lines.
    pub(super) number: usize,
    /// The bytes before, as they are after decompression: another input has others there.
    pub(super) before: Digest,
}

impl Place {
    /// How many bytes come before it, after decompression.
    pub(crate) fn offset(&self) -> u64 {
        self.before.length()
    }

    /// How many lines come before it.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// The place so many lines, which are these bytes, further on.
    pub(crate) fn after(&self, lines: usize, bytes: &[u8]) -> Place {
        let mut before = self.before.clone();
        before.update(bytes);
        Place { number: self.number + lines, before }
    }
}
