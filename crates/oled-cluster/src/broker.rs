//! Brokers: the partitions of a log as one stream of lines, with the positions of what was taken.
//!
//! A partition has whole segments: whoever writes to the log takes the segment as key. What there is when the log is opened is read,
//! partition after partition, each in its order; so the lines are the same whenever and by however many it is read: by one, or in
//! stretches by several. What comes later
//! is read by whoever goes on from the positions.

#[cfg(feature = "kafka")]
mod kafka;
#[cfg(feature = "nats")]
mod nats;

use std::collections::{BTreeMap, VecDeque};
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// Where each partition is gone on from: the number of its first message that was not taken.
pub type Positions = BTreeMap<i32, i64>;

/// A message of a partition.
#[cfg_attr(not(any(feature = "kafka", feature = "nats")), allow(dead_code, reason = "no broker is known"))]
struct Message {
    text: Vec<u8>,
    /// The number of the message after it.
    next: i64,
}

/// Some messages of a partition: from a number on, and before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stretch {
    /// The partition.
    pub partition: i32,
    /// The number of the first.
    pub from: i64,
    /// The number after the last.
    pub to: i64,
}

/// What gives messages.
trait Messages: Send {
    /// What there was when it was opened, and had not been read before: partition after partition.
    fn stretches(&self) -> Vec<Stretch>;

    /// The next messages of a stretch, in their order, at least one; none if it has no more.
    fn fetch(&mut self, stretch: Stretch) -> Result<Vec<Message>, String>;
}

/// Whether a stream is named as a log of a broker: `kafka://HOST:PORT/TOPIC` or `nats://HOST:PORT/STREAM`.
///
/// ```
/// assert!(oled_cluster::broker::is_log("kafka://node1:9092/frames"));
/// assert!(!oled_cluster::broker::is_log("frames.jsonl"));
/// ```
pub fn is_log(name: &str) -> bool {
    name.starts_with("kafka://") || name.starts_with("nats://")
}

/// Opens a log, from its beginning or from where it was read before.
pub fn open(name: &str, from: &Positions) -> Result<(LogReader, Taken), String> {
    let log = Log::open(name, from)?;
    let taken = Taken(Arc::new(Mutex::new(Passed { positions: from.clone(), ahead: VecDeque::new(), given: 0 })));
    let left = log.stretches().into();
    Ok((LogReader { log, left, lines: Vec::new(), at: 0, taken: taken.clone() }, taken))
}

/// A log whose messages can be asked for in any order.
pub struct Log(Box<dyn Messages>);

impl Log {
    /// Opens it, from its beginning or from where it was read before.
    pub fn open(name: &str, from: &Positions) -> Result<Log, String> {
        connect(name, from).map(Log)
    }

    /// What there was when it was opened, and had not been read before: partition after partition.
    pub fn stretches(&self) -> Vec<Stretch> {
        self.0.stretches().into_iter().filter(|stretch| stretch.from < stretch.to).collect()
    }

    /// The lines of a stretch, one a message.
    pub fn lines(&mut self, mut stretch: Stretch) -> Result<Vec<u8>, String> {
        let mut lines = Vec::new();
        while stretch.from < stretch.to {
            let messages = self.0.fetch(stretch)?;
            stretch.from = messages.last().map_or(stretch.to, |message| message.next);
            messages.into_iter().for_each(|message| add_line(&mut lines, message.text));
        }
        Ok(lines)
    }
}

/// A message is a line, whatever is in it: where it has several, what is wrong is told of the line.
fn add_line(lines: &mut Vec<u8>, mut text: Vec<u8>) {
    text.retain(|byte| *byte != b'\n');
    lines.append(&mut text);
    lines.push(b'\n');
}

/// The host with its port, and the topic or stream.
fn parts(name: &str) -> Result<(&str, &str), String> {
    let rest = name.split_once("://").map_or(name, |(_, rest)| rest);
    match rest.split_once('/') {
        Some((host, log)) if host.contains(':') && !log.is_empty() => Ok((host, log)),
        _ => Err(format!("`{name}` names no log\nhint: write `kafka://HOST:PORT/TOPIC` or `nats://HOST:PORT/STREAM`")),
    }
}

#[cfg_attr(not(any(feature = "kafka", feature = "nats")), allow(unused_variables, reason = "no broker is known"))]
fn connect(name: &str, from: &Positions) -> Result<Box<dyn Messages>, String> {
    let (host, log) = parts(name)?;
    match name.split("://").next().unwrap_or_default() {
        #[cfg(feature = "kafka")]
        "kafka" => kafka::open(host, log, from),
        #[cfg(feature = "nats")]
        "nats" => nats::open(host, log, from),
        kind => Err(format!(
            "this program cannot read `{log}` at `{host}`: it was built without `{kind}`\nhint: build it with `--features {kind}`, as in `cargo install --path crates/oled-cli --features {kind}`"
        )),
    }
}

/// The lines of a log, one a message.
pub struct LogReader {
    log: Log,
    /// What was not read yet.
    left: VecDeque<Stretch>,
    lines: Vec<u8>,
    at: usize,
    taken: Taken,
}

impl LogReader {
    /// Some more lines; none at the end.
    fn more(&mut self) -> Result<(), String> {
        (self.lines, self.at) = (Vec::new(), 0);
        while let (true, Some(stretch)) = (self.lines.is_empty(), self.left.front_mut()) {
            let messages = self.log.0.fetch(*stretch)?;
            stretch.from = messages.last().map_or(stretch.to, |message| message.next);
            let Stretch { partition, from, to } = *stretch;
            if from >= to {
                self.left.pop_front();
            }
            let mut passed = self.taken.0.lock().unwrap_or_else(PoisonError::into_inner);
            for Message { text, next } in messages {
                add_line(&mut self.lines, text);
                let end = passed.given + self.lines.len() as u64;
                passed.ahead.push_back((end, partition, next));
            }
            passed.given += self.lines.len() as u64;
        }
        Ok(())
    }
}

impl Read for LogReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.lines.len() {
            self.more().map_err(io::Error::other)?;
        }
        let count = buffer.len().min(self.lines.len() - self.at);
        buffer[..count].copy_from_slice(&self.lines[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// Which messages were taken: whoever reads lines reads ahead.
#[derive(Clone, Debug)]
pub struct Taken(Arc<Mutex<Passed>>);

#[derive(Debug)]
struct Passed {
    positions: Positions,
    /// The messages that were given and not taken yet: where their lines end, and how their partitions go on.
    ahead: VecDeque<(u64, i32, i64)>,
    /// The bytes of all lines so far.
    given: u64,
}

impl Taken {
    /// The positions when so many bytes of lines were taken.
    pub fn positions(&self, bytes: u64) -> Positions {
        let mut passed = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((end, partition, next)) = passed.ahead.front().copied().filter(|(end, ..)| *end <= bytes) {
            debug_assert!(end <= bytes);
            passed.positions.insert(partition, next);
            passed.ahead.pop_front();
        }
        passed.positions.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two partitions with lines of one letter each.
    struct Letters;

    impl Messages for Letters {
        fn stretches(&self) -> Vec<Stretch> {
            [(0, 3), (1, 2), (2, 0)].map(|(partition, to)| Stretch { partition, from: 0, to }).to_vec()
        }

        fn fetch(&mut self, Stretch { partition, from, to }: Stretch) -> Result<Vec<Message>, String> {
            let one = |i: i64| Message { text: vec![b'a' + (i64::from(partition) * 3 + i) as u8], next: i + 1 };
            Ok((from..to.min(from + 2)).map(one).collect())
        }
    }

    #[test]
    fn stretches_are_read_in_any_order() {
        let mut log = Log(Box::new(Letters));
        let stretches = log.stretches();
        assert_eq!(stretches.len(), 2, "one is empty");
        let lines = stretches.iter().rev().map(|stretch| log.lines(*stretch).unwrap());
        assert_eq!(lines.collect::<Vec<_>>(), [b"d\ne\n".to_vec(), b"a\nb\nc\n".to_vec()]);
        assert_eq!(log.lines(Stretch { partition: 0, from: 2, to: 3 }).unwrap(), b"c\n");
    }

    #[test]
    fn positions_are_those_of_the_lines_that_were_taken_however_far_ahead_they_were_read() {
        let passed = Passed { positions: Positions::new(), ahead: VecDeque::new(), given: 0 };
        let taken = Taken(Arc::new(Mutex::new(passed)));
        let log = Log(Box::new(Letters));
        let left = log.stretches().into();
        let mut reader = LogReader { log, left, lines: Vec::new(), at: 0, taken: taken.clone() };
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "a\nb\nc\nd\ne\n");
        assert_eq!(taken.positions(0), Positions::new());
        assert_eq!(taken.positions(4), Positions::from([(0, 2)]));
        assert_eq!(taken.positions(5), Positions::from([(0, 2)]), "half a line is not taken");
        assert_eq!(taken.positions(10), Positions::from([(0, 3), (1, 2)]));
    }

    #[test]
    fn names_that_are_wrong_are_told() {
        for name in ["kafka://", "kafka://node1:9092", "kafka://node1/frames", "nats://node1:4222/"] {
            let error = open(name, &Positions::new()).err().unwrap();
            assert!(error.contains("names no log") && error.contains("hint:"), "{error}");
        }
    }
}
