//! Live inputs: a file that grows, or a pipe, read on a thread of its own, so that whoever waits for it can do other things.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

/// How to read a stream that is being written.
#[derive(Clone, Debug, Default)]
pub struct Live {
    /// Whether to wait for more at the end of a file. A pipe ends when nobody writes to it any more.
    pub follow: bool,
    /// Set by whoever wants reading to stop: there are no frames from then on, and the stream has not ended.
    pub stop: Arc<AtomicBool>,
}

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// Chunks that may wait; then the thread waits, and with it whoever writes to a pipe.
const WAITING: usize = 4;
/// How long a file that has not grown is left alone.
const POLL: Duration = Duration::from_millis(50);
/// After so long without bytes whoever reads hears of it.
const IDLE: Duration = Duration::from_millis(200);

/// An input that says [`ErrorKind::WouldBlock`] where there is nothing to be read for a while.
pub(crate) struct LiveInput {
    receiver: Receiver<io::Result<Vec<u8>>>,
    chunk: Vec<u8>,
    at: usize,
    stop: Arc<AtomicBool>,
}

impl LiveInput {
    /// A file from here on; with [`Live::follow`] it has no end.
    pub(crate) fn file(file: File, live: &Live) -> LiveInput {
        let follow = live.follow;
        LiveInput::new(live, file, move |mut file: &File| {
            if !follow {
                return Ok(false);
            }
            let size = file.metadata()?;
            // What was read is not there any more: what follows now is something else.
            if size.is_file() && size.len() < file.stream_position()? {
                return Err(io::Error::other("the file has become shorter while it was followed"));
            }
            Ok(true)
        })
    }

    /// A pipe.
    pub(crate) fn pipe(input: impl Read + Send + 'static, live: &Live) -> LiveInput {
        LiveInput::new(live, input, |_| Ok(false))
    }

    /// `more` is asked at the end of the input whether to wait.
    fn new<R: Read + Send + 'static>(
        live: &Live,
        mut input: R,
        more: impl Fn(&R) -> io::Result<bool> + Send + 'static,
    ) -> LiveInput {
        let (sender, receiver) = sync_channel(WAITING);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let piece = match input.read(&mut chunk) {
                    Ok(0) => match more(&input) {
                        Ok(true) => {
                            std::thread::sleep(POLL);
                            continue;
                        }
                        Ok(false) => return,
                        Err(error) => Err(error),
                    },
                    Ok(count) => {
                        chunk.truncate(count);
                        Ok(chunk)
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let failed = piece.is_err();
                // Nobody listens any more, or there is nothing left to say.
                if sender.send(piece).is_err() || failed {
                    return;
                }
            }
        });
        LiveInput { receiver, chunk: Vec::new(), at: 0, stop: live.stop.clone() }
    }
}

impl Read for LiveInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() {
            if self.stop.load(Ordering::Relaxed) {
                return Err(ErrorKind::WouldBlock.into());
            }
            self.chunk = match self.receiver.recv_timeout(IDLE) {
                Ok(piece) => piece?,
                Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Disconnected) => return Ok(0),
            };
            self.at = 0;
        }
        let count = buffer.len().min(self.chunk.len() - self.at);
        buffer[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}
