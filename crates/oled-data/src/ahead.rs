//! Reading ahead: frames are parsed on a thread of their own while earlier ones are being worked on.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

use oled::Frame;

use crate::error::{DataError, Problem, Skipped};
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
    /// `None` when it is known how it ended.
    reader: Option<JoinHandle<Frames>>,
    /// What was left out, once all frames were taken.
    skipped: Skipped,
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
        ReadAhead { receiver, batch: Vec::new().into_iter(), reader: Some(reader), skipped: Skipped::default(), bytes }
    }

    /// How much of the input was read so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes.get()
    }

    /// What was left out, when all frames were taken.
    pub fn finish(mut self) -> Skipped {
        drop(self.receiver);
        let frames = self.reader.take().and_then(|reader| reader.join().ok());
        frames.map_or(self.skipped, |f| f.skipped().clone())
    }

    /// How the thread ended that sends nothing any more: an error if it panicked.
    fn ended(&mut self) -> Option<DataError> {
        match self.reader.take()?.join() {
            Ok(frames) => {
                self.skipped = frames.skipped().clone();
                None
            }
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let why = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it does not say why");
                Some(Problem::panicked(why).of("the stream"))
            }
        }
    }
}

impl Iterator for ReadAhead {
    type Item = Result<Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(frame) = self.batch.next() {
            return Some(frame);
        }
        let Ok(batch) = self.receiver.recv() else { return self.ended().map(Err) };
        self.batch = batch.into_iter();
        self.batch.next()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read};

    use super::*;
    use crate::error::ProblemKind;
    use crate::reader::ReadOptions;

    /// Frames, then a panic.
    struct Haunted(io::Cursor<&'static [u8]>);

    impl Read for Haunted {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.read(buffer)? {
                0 => panic!("the input is haunted"),
                count => Ok(count),
            }
        }
    }

    #[test]
    fn a_panic_of_the_reading_thread_is_an_error_and_no_end_of_the_stream() {
        let input = Haunted(io::Cursor::new(b"{\"time\":1}\n{\"time\":2}\n"));
        let frames = Frames::from_reader("stream.jsonl", input, &ReadOptions::default()).unwrap();
        let mut ahead = ReadAhead::new(frames);
        let error = ahead.by_ref().find_map(Result::err).expect("it does not just end");
        assert_eq!(error.kind(), ProblemKind::Fault);
        assert!(error.to_string().contains("the input is haunted"), "{error}");
        assert!(ahead.next().is_none());
    }
}
