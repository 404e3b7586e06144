//! Reading: a path and a format become an iterator of frames.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::read::MultiGzDecoder;
use oled::{Frame, Signature};

use crate::caviar::CaviarReader;
use crate::error::{DataError, Problem, ProblemKind, Skipped};
use crate::facts::FactsReader;
use crate::format::Format;
use crate::jsonl::JsonlReader;
use crate::lines::{Line, LineReader};
use crate::mongo::MongoReader;
use crate::reasoner::Reasoner;
use crate::rtec::RtecReader;
use crate::sink::Sink;

/// How to read a stream. By default: the format that the name promises, and the first problem ends it.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The format; `None` to go by the file name.
    pub format: Option<Format>,
    /// Whether to leave out what is wrong, and count it, instead of stopping: an atom, a line or a frame.
    pub lenient: bool,
    /// Whether the frames of several segments may be mixed.
    pub interleaved: bool,
    /// What is annotation where the format does not tell it from the narrative: `holdsAt(meeting(_, _), _)`.
    pub labels: Vec<Signature>,
    /// The declared inputs, which tell delimited text what a name is: `happensAt(walking(_), _)` makes `walking` an event.
    pub declared: Vec<Signature>,
    /// Who adds to what was observed.
    pub reasoner: Option<Arc<dyn Reasoner>>,
}

/// What a format is for a reader: takes the next piece of its input and pushes the frames in it.
pub(crate) trait Source: Send {
    /// Whether there may be more.
    fn advance(&mut self, sink: &mut Sink) -> Result<bool, DataError>;
}

/// A format that is read line by line.
pub(crate) trait LineFormat: Send {
    /// Takes a line. A problem means that the rest of the line is of no use.
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem>;

    /// Pushes what was held back.
    fn end(&mut self, _: &mut Sink) {}
}

/// Opens a file, a directory of CAVIAR, or for `-` the standard input. Names in `.gz` are decompressed.
///
/// ```no_run
/// use oled_data::{ReadOptions, open};
/// # fn main() -> Result<(), oled_data::DataError> {
/// for frame in open("stream.jsonl.gz".as_ref(), &ReadOptions::default())? {
///     let frame = frame?;
///     assert!(frame.narrative.len() > 0, "nothing happens at {} in {}", frame.time, frame.segment);
/// }
/// # Ok(())
/// # }
/// ```
pub fn open(path: &Path, options: &ReadOptions) -> Result<Frames, DataError> {
    let name = path.display().to_string();
    if name == "-" {
        return Frames::from_reader("<stdin>", io::stdin(), options);
    }
    if path.is_dir() {
        return match options.format.or_else(|| Format::guess(path)) {
            Some(Format::Caviar) => {
                let (bytes, total) = (Counter::default(), Some(crate::caviar::size(path)?));
                let source = CaviarReader::directory(path, bytes.clone())?;
                Ok(Frames::new(Box::new(source), options, bytes, total))
            }
            _ => Err(Problem::new(ProblemKind::Format, 0, format!("`{name}` is a directory without XML files"))
                .hint("name a file, or a directory that has the XML files of CAVIAR in it or in `xml/`")
                .of(name)),
        };
    }
    let file = File::open(path).map_err(|e| DataError::io("open", &name, &e))?;
    let total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| m.len());
    let mut frames = Frames::from_reader(&name, file, options)?;
    frames.total = total;
    Ok(frames)
}

/// Frames, one by one. After a problem there are no more, unless problems are left out ([`ReadOptions::lenient`]).
pub struct Frames {
    /// `None` once it has ended.
    source: Option<Box<dyn Source>>,
    sink: Sink,
    /// What ended it, to be told after the frames that were ready before.
    failure: Option<DataError>,
    bytes: Counter,
    total: Option<u64>,
    reasoner: Option<Arc<dyn Reasoner>>,
}

impl Frames {
    /// Frames of an input that is shown under a name, which also tells the format where the options do not.
    pub fn from_reader(
        name: &str,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Frames, DataError> {
        let bytes = Counter::default();
        let counted = Counted { input, bytes: bytes.clone() };
        let compressed = Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("gz"));
        let input: Box<dyn Read + Send> =
            if compressed { Box::new(MultiGzDecoder::new(counted)) } else { Box::new(counted) };
        let mut input = LineReader::new(input);
        let source: Box<dyn Source> = match format_of(name, &mut input, options)? {
            Format::Jsonl => Lines::boxed(name, input, JsonlReader::default()),
            Format::Mongo => Lines::boxed(name, input, MongoReader::default()),
            Format::Facts => Lines::boxed(name, input, FactsReader::new(&options.labels)),
            Format::Rtec => Lines::boxed(name, input, RtecReader::new(&options.labels, &options.declared)),
            Format::Caviar => Box::new(CaviarReader::single(name, input)),
        };
        Ok(Frames::new(source, options, bytes, None))
    }

    fn new(source: Box<dyn Source>, options: &ReadOptions, bytes: Counter, total: Option<u64>) -> Frames {
        let sink = Sink::new(options.lenient, options.interleaved);
        let reasoner = options.reasoner.clone();
        Frames { source: Some(source), sink, failure: None, bytes, total, reasoner }
    }

    /// What was left out so far.
    pub fn skipped(&self) -> &Skipped {
        &self.sink.skipped
    }

    /// How much of the input was read so far, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes.get()
    }

    pub(crate) fn counter(&self) -> Counter {
        self.bytes.clone()
    }

    /// The size of the input, if it is known.
    pub fn total_bytes(&self) -> Option<u64> {
        self.total
    }
}

impl Iterator for Frames {
    type Item = Result<Frame, DataError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(mut frame) = self.sink.ready.pop_front() {
                let Err(why) = self.reasoner.as_ref().map_or(Ok(()), |reasoner| reasoner.extend(&mut frame)) else {
                    return Some(Ok(frame));
                };
                let problem = Problem::new(ProblemKind::Reasoner, 0, why);
                let hint = "the background must have exactly one model: it cannot choose";
                if let Err(problem) = self.sink.forgive(problem.hint(hint)) {
                    self.source = None;
                    self.sink.ready.clear();
                    return Some(Err(problem.of("background")));
                }
                continue;
            }
            let Some(source) = &mut self.source else { return self.failure.take().map(Err) };
            match source.advance(&mut self.sink) {
                Ok(true) => {}
                Ok(false) => self.source = None,
                Err(error) => {
                    self.source = None;
                    self.failure = Some(error);
                }
            }
        }
    }
}

/// The format that the options, the name or the first line tell, in this order.
fn format_of(name: &str, input: &mut LineReader, options: &ReadOptions) -> Result<Format, DataError> {
    if let Some(format) = options.format {
        return Ok(format);
    }
    let promised = if name == "<stdin>" { None } else { Format::guess(Path::new(name)) };
    if !matches!(promised, None | Some(Format::Mongo)) {
        return Ok(promised.expect("it is not None"));
    }
    let first = input.peek().map_err(|e| DataError::io("read", name, &e))?;
    let is_array = first.starts_with(b"[");
    let is_mongo = is_array || memchr::memmem::find(first, b"\"_id\"").is_some();
    if promised.is_some() || name == "<stdin>" && (is_array || first.starts_with(b"{")) {
        return Ok(if is_mongo { Format::Mongo } else { Format::Jsonl });
    }
    Err(Problem::new(ProblemKind::Format, 0, format!("cannot tell the format of `{name}` by its name"))
        .hint(format!("say it with `--from`: one of {}", Format::names()))
        .of(name))
}

/// A format that is read line by line, on its input.
struct Lines<F> {
    name: String,
    input: LineReader,
    format: F,
}

impl<F: LineFormat + 'static> Lines<F> {
    fn boxed(name: &str, input: LineReader, format: F) -> Box<dyn Source> {
        Box::new(Lines { name: name.into(), input, format })
    }
}

impl<F: LineFormat> Source for Lines<F> {
    fn advance(&mut self, sink: &mut Sink) -> Result<bool, DataError> {
        let line = self.input.next_line().map_err(|e| DataError::io("read", &self.name, &e))?;
        let Some(line) = line else {
            self.format.end(sink);
            return Ok(false);
        };
        let result = match std::str::from_utf8(line.bytes) {
            Ok(text) => self.format.line(Line { text, ended: line.ended }, sink),
            Err(error) => Err(Problem::new(ProblemKind::Syntax, error.valid_up_to(), "the line is not UTF-8 text")
                .hint("convert the input to UTF-8, or decompress it")),
        };
        match result.or_else(|problem| sink.forgive(problem)) {
            Ok(()) => Ok(true),
            Err(problem) => Err(problem.locate(&self.name, line.number, line.bytes)),
        }
    }
}

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
}

struct Counted<R> {
    input: R,
    bytes: Counter,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.input.read(buffer)?;
        self.bytes.add(count);
        Ok(count)
    }
}
