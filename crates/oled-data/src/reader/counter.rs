//! How many bytes were read, counted as they are.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes were read, shared with whoever shows progress.
#[derive(Clone, Default)]
pub(crate) struct Counter(Arc<AtomicU64>);

impl Counter {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn add(&self, count: usize) {
        self.0.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(crate) fn set(&self, count: u64) {
        self.0.store(count, Ordering::Relaxed);
    }
}

/// An input whose bytes are counted.
pub(super) struct Counted<R> {
    pub(super) input: R,
    pub(super) bytes: Counter,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes.add(count);
        Ok(count)
    }
}
