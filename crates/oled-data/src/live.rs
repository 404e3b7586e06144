//! Live inputs: a file that grows, or a pipe, read on a thread of its own, so that whoever waits for it can do other things.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
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
    /// Who is told what becomes of a file that is followed.
    pub tell: Option<fn(&str)>,
    /// After so long without a row the rows of the last time are taken to be all, and a table that others are merged with is not
    /// waited for. `None` to wait until there is a later row.
    pub settle: Option<Duration>,
    /// Set by whoever waits for several inputs: none of them waits for bytes then, not even for a moment.
    pub at_once: Arc<AtomicBool>,
}

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;
/// Chunks that may wait; then the thread waits, and with it whoever writes to a pipe.
const WAITING: usize = 4;
/// How long a file that has not grown is left alone: what comes is seen after half of it, and to look takes three calls of the system.
const POLL: Duration = Duration::from_millis(10);
/// After so long without bytes whoever reads hears of it.
pub(crate) const IDLE: Duration = Duration::from_millis(200);
/// So many bytes before the place tell whether a file that is followed is still the one that was read: a line or two of a
/// stream, in which there is a time.
const TAIL: usize = 256;

/// An input that says [`ErrorKind::WouldBlock`] where there is nothing to be read for a while, and [`is_new_file`] where the
/// file that is followed was replaced by another, which comes next.
pub(crate) struct LiveInput {
    /// An empty piece is the end of the input. A thread that ends without one has panicked.
    receiver: Receiver<io::Result<Vec<u8>>>,
    ended: bool,
    chunk: Vec<u8>,
    at: usize,
    stop: Arc<AtomicBool>,
    at_once: Arc<AtomicBool>,
    /// After so long without bytes whoever reads hears of it: no later than what they wait for is settled.
    patience: Duration,
}

/// Another file begins here.
#[derive(Debug, thiserror::Error)]
#[error("another file begins")]
struct NewFile;

/// What an input says at this place.
pub(crate) fn new_file() -> io::Error {
    io::Error::other(NewFile)
}

/// Whether this is no error, but the place at which another file begins.
pub(crate) fn is_new_file(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn std::error::Error + Send + Sync>::is::<NewFile>)
}

/// What was read is not there any more: what follows now is something else, and what was not read yet is lost.
#[derive(Debug, thiserror::Error)]
#[error("it was cut while it was followed")]
pub(crate) struct Cut;

/// What comes next from an input.
enum Step {
    Bytes(usize),
    /// Nothing yet.
    Wait,
    NewFile,
    End,
}

impl LiveInput {
    /// A file from its beginning; with [`Live::follow`] it has no end.
    pub(crate) fn file(file: File, path: &Path, live: &Live) -> LiveInput {
        if !live.follow {
            return LiveInput::pipe(file, live);
        }
        let path = path.to_path_buf();
        let (position, tail) = (0, Vec::new());
        let mut followed = Followed { path, file, position, tail, gone: false, leaving: false, tell: live.tell };
        LiveInput::new(live, move |buffer| followed.read(buffer))
    }

    /// A pipe.
    pub(crate) fn pipe(mut input: impl Read + Send + 'static, live: &Live) -> LiveInput {
        LiveInput::new(live, move |buffer| {
            let count = input.read(buffer)?;
            Ok(if count > 0 { Step::Bytes(count) } else { Step::End })
        })
    }

    fn new(live: &Live, mut next: impl FnMut(&mut [u8]) -> io::Result<Step> + Send + 'static) -> LiveInput {
        let (sender, receiver) = sync_channel(WAITING);
        std::thread::spawn(move || {
            loop {
                let mut chunk = vec![0; CHUNK];
                let piece = match next(&mut chunk) {
                    Ok(Step::Bytes(count)) => {
                        chunk.truncate(count);
                        Ok(chunk)
                    }
                    Ok(Step::Wait) => {
                        std::thread::sleep(POLL);
                        continue;
                    }
                    Ok(Step::NewFile) => Err(new_file()),
                    Ok(Step::End) => Ok(Vec::new()),
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Err(error) => Err(error),
                };
                let is_last = piece.as_ref().map_or_else(|error| !is_new_file(error), Vec::is_empty);
                // Nobody listens any more, or there is nothing left to say.
                if sender.send(piece).is_err() || is_last {
                    return;
                }
            }
        });
        let (stop, at_once) = (live.stop.clone(), live.at_once.clone());
        let patience = live.settle.map_or(IDLE, |settle| settle.clamp(POLL, IDLE));
        LiveInput { receiver, ended: false, chunk: Vec::new(), at: 0, stop, at_once, patience }
    }
}

/// A file that is followed, and the one that takes its name when it is rotated.
struct Followed {
    path: PathBuf,
    file: File,
    /// How much was read, and the last bytes of it.
    position: u64,
    tail: Vec<u8>,
    /// Whether no file has the name now.
    gone: bool,
    /// Whether another file has the name now, and has bytes: this one is asked once more.
    leaving: bool,
    tell: Option<fn(&str)>,
}

impl Followed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<Step> {
        let count = self.file.read(buffer)?;
        let metadata = self.file.metadata()?;
        if !metadata.is_file() {
            // A named pipe waits for whoever writes next.
            return Ok(if count > 0 { Step::Bytes(count) } else { Step::Wait });
        }
        if metadata.len() < self.position || count > 0 && !self.has_same_tail(count)? {
            return Err(io::Error::other(Cut));
        }
        if count == 0 {
            return self.at_end(&metadata);
        }
        self.leaving = false;
        self.position += count as u64;
        self.tail.extend_from_slice(&buffer[..count]);
        self.tail.drain(..self.tail.len().saturating_sub(TAIL));
        Ok(Step::Bytes(count))
    }

    /// Whether the bytes before those that were just read are as they were: a file may be cut and grow beyond the place
    /// before anybody looks.
    fn has_same_tail(&mut self, count: usize) -> io::Result<bool> {
        let mut tail = vec![0; self.tail.len()];
        self.file.seek(SeekFrom::Start(self.position - tail.len() as u64))?;
        match self.file.read_exact(&mut tail) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(false),
            result => result?,
        }
        self.file.seek(SeekFrom::Start(self.position + count as u64))?;
        Ok(tail == self.tail)
    }

    /// All of this file was read: whether another has its name by now.
    fn at_end(&mut self, metadata: &Metadata) -> io::Result<Step> {
        let named = match fs::metadata(&self.path) {
            // Between renaming a file and making a new one there is none.
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if !self.gone {
                    self.gone = true;
                    self.tell("is gone: waiting for another file of this name");
                }
                return Ok(Step::Wait);
            }
            named => named?,
        };
        if is_same(&named, metadata) || named.len() == 0 {
            return Ok(Step::Wait);
        }
        // Whoever writes may have written to the old one until a moment ago.
        if !self.leaving {
            self.leaving = true;
            return Ok(Step::Wait);
        }
        self.file = File::open(&self.path)?;
        (self.position, self.gone, self.leaving) = (0, false, false);
        self.tail.clear();
        self.tell("was replaced by another file: going on with its beginning");
        Ok(Step::NewFile)
    }

    fn tell(&self, what: &str) {
        if let Some(tell) = self.tell {
            tell(&format!("`{}` {what}", self.path.display()));
        }
    }
}

/// Whether two names stand for one file.
#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Where this cannot be told, the file is followed as long as it is there.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    true
}

impl Read for LiveInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.chunk.len() && !self.ended {
            if self.stop.load(Ordering::Relaxed) {
                return Err(ErrorKind::WouldBlock.into());
            }
            let patience = if self.at_once.load(Ordering::Relaxed) { Duration::ZERO } else { self.patience };
            self.chunk = match self.receiver.recv_timeout(patience) {
                Ok(piece) => piece?,
                Err(RecvTimeoutError::Timeout) => return Err(ErrorKind::WouldBlock.into()),
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other(
                        "the thread that reads it has panicked, which is a fault of the program",
                    ));
                }
            };
            self.ended = self.chunk.is_empty();
            self.at = 0;
        }
        let count = buffer.len().min(self.chunk.len() - self.at);
        buffer[..count].copy_from_slice(&self.chunk[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod failing {
    use super::*;

    /// Gives some bytes, then panics, or ends.
    struct Failing(Option<&'static [u8]>, bool);

    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            match self.0.take() {
                Some(bytes) => {
                    buffer[..bytes.len()].copy_from_slice(bytes);
                    Ok(bytes.len())
                }
                None if self.1 => panic!("the input is haunted"),
                None => Ok(0),
            }
        }
    }

    fn read_all(panics: bool) -> (String, io::Result<usize>) {
        let mut text = String::new();
        let mut input = LiveInput::pipe(Failing(Some(b"{}"), panics), &Live::default());
        loop {
            match input.read_to_string(&mut text) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                result => return (text, result),
            }
        }
    }

    #[test]
    fn a_panic_of_the_reading_thread_is_an_error_and_no_end_of_the_stream() {
        let (_, result) = read_all(true);
        assert!(result.unwrap_err().to_string().contains("has panicked"));
        let (text, result) = read_all(false);
        assert_eq!((text.as_str(), result.is_ok()), ("{}", true));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write;

    use super::*;

    fn follow(path: &Path) -> Followed {
        let file = File::open(path).unwrap();
        let (path, tail) = (path.to_path_buf(), Vec::new());
        Followed { path, file, position: 0, tail, gone: false, leaving: false, tell: None }
    }

    /// What comes next, as text.
    fn next(followed: &mut Followed) -> String {
        let mut buffer = [0; 1000];
        match followed.read(&mut buffer) {
            Ok(Step::Bytes(count)) => String::from_utf8(buffer[..count].to_vec()).unwrap(),
            Ok(Step::Wait) => "(nothing yet)".into(),
            Ok(Step::NewFile) => "(another file)".into(),
            Ok(Step::End) => "(the end)".into(),
            Err(error) => format!("({error})"),
        }
    }

    fn append(path: &Path, text: &str) {
        File::options().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
    }

    #[test]
    fn a_file_that_was_rotated_is_read_to_its_end_and_then_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let (path, old) = (folder.path().join("live"), folder.path().join("live.1"));
        append(&path, "one ");
        let mut followed = follow(&path);
        assert_eq!([next(&mut followed), next(&mut followed)], ["one ", "(nothing yet)"]);
        fs::rename(&path, &old).unwrap();
        assert_eq!(next(&mut followed), "(nothing yet)", "there is no file of this name");
        append(&old, "two ");
        assert_eq!(next(&mut followed), "two ", "whoever writes has not noticed yet");
        append(&path, "");
        assert_eq!(next(&mut followed), "(nothing yet)", "the new file has no bytes");
        append(&path, "four ");
        assert_eq!(next(&mut followed), "(nothing yet)", "the old one is asked once more");
        append(&old, "three ");
        assert_eq!(next(&mut followed), "three ");
        assert_eq!([(); 3].map(|()| next(&mut followed)), ["(nothing yet)", "(another file)", "four "]);
        append(&path, "five ");
        assert_eq!(next(&mut followed), "five ");
    }

    #[test]
    fn a_file_that_was_cut_is_told_also_if_it_has_grown_beyond_the_place() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("live");
        for grown in ["", "another text", "another text that is longer than the first"] {
            fs::write(&path, "what was read before").unwrap();
            let mut followed = follow(&path);
            next(&mut followed);
            fs::write(&path, grown).unwrap();
            assert_eq!(next(&mut followed), "(it was cut while it was followed)", "{grown}");
        }
    }
}
