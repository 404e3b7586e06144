//! A file of text that is looked at anywhere: some bytes of it, whole lines, and where one begins.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// So many bytes are read at once to find a line.
pub(super) const BLOCK: u64 = 1 << 14;

/// A file, and its size when it was opened.
pub(super) struct Whole {
    pub(super) file: File,
    pub(super) size: u64,
}

impl Whole {
    /// The bytes between two places.
    pub(super) fn bytes(&mut self, from: u64, to: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.file.seek(SeekFrom::Start(from))?;
        self.file.by_ref().take(to - from).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != to - from {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the file has become shorter while it is read"));
        }
        Ok(bytes)
    }

    /// A block of bytes from a place on; fewer at the end.
    pub(super) fn block(&mut self, from: u64) -> io::Result<Vec<u8>> {
        self.bytes(from, (from + BLOCK).min(self.size))
    }

    /// Where the first line begins at or after a place.
    pub(super) fn line_from(&mut self, place: u64) -> io::Result<u64> {
        if place == 0 {
            return Ok(0);
        }
        // The end of the line before may stand right before the place.
        let mut at = place - 1;
        while at < self.size {
            let bytes = self.block(at)?;
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                return Ok(at + end as u64 + 1);
            }
            at += bytes.len() as u64;
        }
        Ok(self.size)
    }

    /// Some whole lines from where one begins; none at the end.
    pub(super) fn lines(&mut self, at: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let mut to = at;
        while to < self.size {
            let more = self.block(to)?;
            to += more.len() as u64;
            bytes.extend_from_slice(&more);
            if let Some(last) = memchr::memrchr(b'\n', bytes) {
                bytes.truncate(last + 1);
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Where the lines of a text end, the last one too if it has no end of its own.
pub(super) fn line_ends(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let rest = (bytes.last().is_some_and(|last| *last != b'\n')).then_some(bytes.len());
    memchr::memchr_iter(b'\n', bytes).chain(rest)
}
