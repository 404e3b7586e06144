//! Sources and sinks that fail, at every position of a small run: each ends in a clean error, or in the right result.
//!
//! `cargo test -p oled-data --test faults -- --nocapture` prints how many faults were tried.

#![allow(clippy::print_stdout)] // the counts

use std::io::{self, Cursor, ErrorKind, Read, Write};

use oled::{Frame, Interval, Learner, Oled, Recogniser, Replay, ReplaySettings, parse_source};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_data::{DataError, Format, FrameWriter, Frames, ProblemKind, ReadAhead, ReadOptions};

// ---------------------------------------------------------------------------------------------------------------------
// Faults.

/// What goes wrong at a byte of a source or a sink.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    /// Nothing, but what comes or goes comes or goes byte by byte.
    Short,
    /// A signal, once; then it goes on.
    Interrupted,
    /// The device is gone, or full.
    Broken,
    /// Nothing more comes; or, for a sink, nothing more is taken, without an error.
    End,
}

const FAULTS: [Fault; 4] = [Fault::Short, Fault::Interrupted, Fault::Broken, Fault::End];

/// Bytes with a fault.
struct Source {
    bytes: Cursor<Vec<u8>>,
    fault: Fault,
    at: u64,
    interrupted: bool,
}

impl Source {
    fn new(bytes: &[u8], fault: Fault, at: usize) -> Source {
        Source { bytes: Cursor::new(bytes.to_vec()), fault, at: at as u64, interrupted: false }
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = (self.at - self.bytes.position().min(self.at)) as usize;
        if left == 0 {
            match self.fault {
                Fault::Broken => return Err(io::Error::other("the cable was pulled")),
                Fault::End => return Ok(0),
                Fault::Interrupted if !self.interrupted => {
                    self.interrupted = true;
                    return Err(ErrorKind::Interrupted.into());
                }
                Fault::Interrupted => return self.bytes.read(buffer),
                Fault::Short => {}
            }
        }
        let most = if self.fault == Fault::Short { 1 } else { left };
        let length = buffer.len().min(most);
        self.bytes.read(&mut buffer[..length])
    }
}

/// A sink with a fault.
#[derive(Debug)]
struct Sink {
    bytes: Vec<u8>,
    fault: Fault,
    at: usize,
    interrupted: bool,
}

impl Sink {
    fn new(fault: Fault, at: usize) -> Sink {
        Sink { bytes: Vec::new(), fault, at, interrupted: false }
    }
}

impl Write for &mut Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let left = self.at.saturating_sub(self.bytes.len());
        if left == 0 {
            match self.fault {
                Fault::Broken => return Err(ErrorKind::StorageFull.into()),
                Fault::End => return Ok(0),
                Fault::Interrupted if !self.interrupted => {
                    self.interrupted = true;
                    return Err(ErrorKind::Interrupted.into());
                }
                Fault::Interrupted | Fault::Short => {}
            }
        }
        let most = match self.fault {
            Fault::Short => 1,
            Fault::Interrupted if self.interrupted => bytes.len(),
            _ => left,
        };
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(most)]);
        Ok(bytes.len().min(most))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// What is read and written.

/// A few frames of two segments of the simulated world.
fn frames() -> Vec<Frame> {
    let options = WorldOptions { people: 2, frames: 3, segments: 2, ..WorldOptions::default() };
    World::new(options).collect()
}

const VIDEO: &str = r#"<?xml version="1.0"?>
<dataset name="v">
<frame number="3"><objectlist><object id="1"><orientation>90</orientation><box xc="10" yc="20" w="3" h="4"/><appearance>appear</appearance>
<hypothesislist><hypothesis id="1"><movement>walking</movement><role>walker</role><context>walking</context><situation>moving</situation></hypothesis></hypothesislist></object></objectlist><grouplist></grouplist></frame>
<frame number="4"><objectlist></objectlist><grouplist></grouplist></frame>
</dataset>
"#;

const WRITABLE: [Format; 4] = [Format::Jsonl, Format::Mongo, Format::Facts, Format::Rtec];

/// Formats that are no streams of frames, and are not written as such.
const TABLES: [Format; 3] = [Format::Csv, Format::Records, Format::Parquet];

fn bytes(format: Format, compressed: bool) -> Vec<u8> {
    if format == Format::Caviar {
        return VIDEO.into();
    }
    let mut sink = Sink::new(Fault::Interrupted, 0);
    write(format, compressed, &frames(), &mut sink).unwrap();
    sink.bytes
}

fn write(format: Format, compressed: bool, frames: &[Frame], sink: &mut Sink) -> io::Result<()> {
    let new = if compressed { FrameWriter::compressed } else { FrameWriter::new };
    let mut writer = new(format, sink).unwrap();
    frames.iter().try_for_each(|frame| writer.write(frame))?;
    writer.finish()
}

/// The frames of a source, and the error that ended it, after which there is nothing.
fn read(name: &str, source: Source, format: Format, lenient: bool) -> (Vec<Frame>, Option<DataError>) {
    let options = ReadOptions { format: Some(format), lenient, ..ReadOptions::default() };
    let mut stream = match Frames::from_reader(name, source, &options) {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Some(error)),
    };
    let mut read = Vec::new();
    while let Some(frame) = stream.next() {
        match frame {
            Ok(frame) => read.push(frame),
            Err(error) => {
                assert!(stream.next().is_none(), "nothing comes after an error");
                return (read, Some(error));
            }
        }
    }
    (read, None)
}

fn starts_with(clean: &[Frame], read: &[Frame]) -> bool {
    clean.len() >= read.len() && clean[..read.len()] == *read
}

/// Whether the end of the text before a position can be told from the end of the whole.
fn is_whole(format: Format, bytes: &[u8], at: usize) -> bool {
    match format {
        Format::Caviar => bytes[at..].trim_ascii().is_empty(),
        _ => at == 0 || bytes[at - 1] == b'\n' || bytes[at] == b'\n',
    }
}

#[test]
fn every_format_is_read_to_the_end_or_to_a_clean_error() {
    let mut tried = 0;
    for format in Format::ALL.into_iter().filter(|format| !TABLES.contains(format)) {
        for (name, compressed) in [("stream", false), ("stream.gz", true)] {
            if compressed && format == Format::Caviar {
                continue;
            }
            let bytes = bytes(format, compressed);
            for lenient in [false, true] {
                let (clean, error) = read(name, Source::new(&bytes, Fault::Short, 0), format, lenient);
                assert!(error.is_none() && clean.len() >= 2);
                for fault in FAULTS {
                    for at in 0..bytes.len() {
                        tried += 1;
                        let (got, error) = read(name, Source::new(&bytes, fault, at), format, lenient);
                        let place = format!("{format} {fault:?} at {at}, lenient: {lenient}: {error:?}");
                        match fault {
                            Fault::Short | Fault::Interrupted => {
                                assert!(error.is_none(), "{place}");
                                assert_eq!(got, clean, "{place}");
                            }
                            Fault::Broken => {
                                let error = error.expect("a broken source is told, in lenient mode too");
                                assert_eq!(error.kind(), ProblemKind::Io, "{place}");
                                assert!(error.message().contains("cannot read `stream"), "{place}");
                                assert!(starts_with(&clean, &got), "{place}");
                            }
                            Fault::End if compressed => {
                                assert!(at == 0 || error.is_some_and(|e| e.kind() == ProblemKind::Io), "{place}");
                                assert!(starts_with(&clean, &got), "{place}");
                            }
                            // A line of JSON, and a whole video, is complete or wrong.
                            Fault::End if !matches!(format, Format::Facts | Format::Rtec) => {
                                assert!(lenient || is_whole(format, &bytes, at) || error.is_some(), "{place}");
                                assert!(starts_with(&clean, &got), "{place}");
                            }
                            // Facts of a time point may be missing at the end, nothing before.
                            Fault::End => assert!(starts_with(&clean, &got[..got.len().max(1) - 1]), "{place}"),
                        }
                    }
                }
            }
        }
    }
    println!("reading: {tried} faults");
}

#[test]
fn reading_ahead_tells_of_a_fault_where_it_is() {
    let (bytes, clean) = (bytes(Format::Jsonl, false), frames());
    let options = ReadOptions { format: Some(Format::Jsonl), ..ReadOptions::default() };
    let mut tried = 0;
    for at in (0..bytes.len()).step_by(7) {
        tried += 1;
        let stream = Frames::from_reader("stream", Source::new(&bytes, Fault::Broken, at), &options).unwrap();
        let read: Vec<Result<Frame, DataError>> = ReadAhead::new(stream).collect();
        let (error, frames) = read.split_last().expect("there is an error at least");
        assert!(error.as_ref().is_err_and(|e| e.kind() == ProblemKind::Io));
        let frames: Vec<Frame> = frames.iter().map(|f| f.as_ref().expect("the error is the last").clone()).collect();
        assert!(starts_with(&clean, &frames));
    }
    println!("reading ahead: {tried} faults");
}

#[test]
fn what_is_written_is_whole_or_there_is_an_error() {
    let frames = frames();
    let mut tried = 0;
    for format in WRITABLE {
        for compressed in [false, true] {
            let clean = bytes(format, compressed);
            for fault in FAULTS {
                for at in 0..clean.len() {
                    tried += 1;
                    let mut sink = Sink::new(fault, at);
                    let result = write(format, compressed, &frames, &mut sink);
                    let place = format!("{format} {fault:?} at {at}, compressed: {compressed}: {result:?}");
                    match fault {
                        Fault::Short | Fault::Interrupted => {
                            assert!(result.is_ok(), "{place}");
                            assert_eq!(sink.bytes, clean, "{place}");
                        }
                        Fault::Broken | Fault::End => {
                            let kind =
                                if fault == Fault::Broken { ErrorKind::StorageFull } else { ErrorKind::WriteZero };
                            assert_eq!(result.expect_err("nothing is lost in silence").kind(), kind, "{place}");
                            assert!(clean.starts_with(&sink.bytes), "{place}");
                        }
                    }
                }
            }
        }
    }
    println!("writing: {tried} faults");
}

#[test]
fn what_came_before_a_fault_is_learned_and_recognised() {
    let folder = TaskFolder::lobby_listed();
    let (theory, _) = parse_source(&folder.theory("hand".as_ref()).unwrap());
    let bytes = bytes(Format::Jsonl, false);
    let clean = frames();
    // Where each line ends: a fault inside of a line loses that line.
    let ends: Vec<usize> = (0..bytes.len()).filter(|&i| bytes[i] == b'\n').collect();
    let mut tried = 0;
    let recognised = |frames: &[Frame]| {
        let mut recogniser = Recogniser::new(&folder.task, &theory).unwrap();
        let mut closed: Vec<Interval> = Vec::new();
        frames.iter().for_each(|frame| recogniser.observe(frame, &mut closed));
        recogniser.finish(&mut closed);
        format!("{closed:?}")
    };
    let learned = |frames: &[Frame]| {
        let learners: [Box<dyn Learner>; 2] = [
            Box::new(Replay::new(&folder.task, ReplaySettings::default()).unwrap()),
            Box::new(Oled::new(&folder.task, |_| oled::Settings::default()).unwrap()),
        ];
        learners.map(|mut learner| {
            frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
            format!("{:?}", learner.learned(&mut ()))
        })
    };
    for at in (0..bytes.len()).step_by(11) {
        tried += 1;
        let (got, error) = read("stream", Source::new(&bytes, Fault::Broken, at), Format::Jsonl, false);
        assert_eq!(error.expect("it is told").kind(), ProblemKind::Io);
        let whole = ends.iter().filter(|end| **end < at).count();
        assert_eq!(got.len(), whole, "every line before the fault is a frame");
        assert_eq!(recognised(&got), recognised(&clean[..whole]));
        if tried % 16 == 0 {
            assert_eq!(learned(&got), learned(&clean[..whole]));
        }
    }
    println!("learning and recognising: {tried} faults");
}
