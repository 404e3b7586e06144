//! Reading ahead: frames are parsed on a thread of their own while earlier ones are being worked on.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use oled::Frame;

use crate::error::{DataError, Skipped};
use crate::reader::{Counter, Frames};

type Batch = Vec<Result<Frame, DataError>>;

/// Frames that are handed over together.
const BATCH: usize = 64;
/// Batches that may wait; then the reader waits, so that memory stays bounded.
const WAITING: usize = 8;

/// The same frames in the same order, read on another thread. For files: a live stream would wait for a batch to fill.
///
/// ```
/// use oled_data::{Frames, ReadAhead, ReadOptions};
/// let text = "{\"time\":1}\n{\"time\":2}\n";
/// let frames = Frames::from_reader("stream.jsonl", text.as_bytes(), &ReadOptions::default())?;
/// let times: Result<Vec<i64>, _> = ReadAhead::new(frames).map(|f| f.map(|f| f.time)).collect();
/// assert_eq!(times?, [1, 2]);
/// # Ok::<(), oled_data::DataError>(())
/// ```
pub struct ReadAhead {
    receiver: Receiver<Batch>,
    batch: std::vec::IntoIter<Result<Frame, DataError>>,
    reader: Option<JoinHandle<Frames>>,
    bytes: Counter,
}

impl ReadAhead {
    /// Starts to read.
    pub fn new(mut frames: Frames) -> ReadAhead {
        let (sender, receiver) = sync_channel(WAITING);
        let bytes = frames.counter();
        let reader = std::thread::spawn(move || {
            loop {
                let batch: Batch = frames.by_ref().take(BATCH).collect();
                // Nobody listens any more, or there is nothing left to say.
                if batch.is_empty() || sender.send(batch).is_err() {
                    return frames;
                }
            }
        });
        ReadAhead { receiver, batch: Vec::new().into_iter(), reader: Some(reader), bytes }
    }

    /// How much of the input was read so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes.get()
    }

    /// What was left out, when all frames were taken.
    pub fn finish(mut self) -> Skipped {
        drop(self.receiver);
        let frames = self.reader.take().and_then(|reader| reader.join().ok());
        frames.map(|f| f.skipped().clone()).unwrap_or_default()
    }
}

impl Iterator for ReadAhead {
    type Item = Result<Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(frame) = self.batch.next() {
            return Some(frame);
        }
        self.batch = self.receiver.recv().ok()?.into_iter();
        self.batch.next()
    }
}
