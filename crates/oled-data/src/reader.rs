//! Reading: a path and a format become an iterator of frames.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use flate2::read::MultiGzDecoder;
use oled::Ticks;
use oled::{Frame, Kinds, Signature, StateError, Symbol, state};
use serde::{Deserialize, Serialize};

use crate::caviar::CaviarReader;
use crate::declarations::Declarations;
use crate::digest::Digest;
use crate::error::{DataError, Problem, ProblemKind, Skipped};
use crate::facts::FactsReader;
use crate::format::{Compression, Format, compression_of};
use crate::grid::Grid;
use crate::joined::Joined;
use crate::jsonl::JsonlReader;
use crate::labels::Labels;
use crate::lines::{Line, LineReader, Place, RawLine};
use crate::live::{Live, LiveInput};
use crate::mongo::MongoReader;
use crate::parsed::{self, ParsedLines};
use crate::reasoner::Reasoner;
use crate::rtec::RtecReader;
use crate::sink::Sink;
use crate::table::{ParquetReader, TableReader, Tables};
use crate::zstd;

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
    /// By how many time units a frame may be late in its segment: it is put in order then. `None` if it may not.
    pub lateness: Option<i64>,
    /// Time points between those of the stream, if there are any.
    pub ticks: Option<Ticks>,
    /// For a stream that is being written: read so that one can wait for it, and stop.
    pub live: Option<Live>,
    /// The declared inputs, which tell delimited text what a name is: `happensAt(walking(_), _)` makes `walking` an event.
    pub declared: Vec<Signature>,
    /// More distinct names than this, of everything that was ever read, are an error: they are never forgotten. `None` for
    /// no limit.
    pub max_names: Option<usize>,
    /// A line, or for XML a file, of more bytes than this is an error; `None` for a gibibyte.
    pub max_line: Option<usize>,
    /// What the task declares: values must be of its types, and what it does not know is counted.
    pub declarations: Option<Arc<Declarations>>,
    /// So many threads parse, where the format allows it; frames come in the same order. One or none: who takes frames parses.
    pub parsers: usize,
    /// Who adds to what was observed.
    pub reasoner: Option<Arc<dyn Reasoner>>,
    /// What the columns of tables are.
    pub tables: Option<Arc<Tables>>,
    /// Other inputs of the same stream, merged with it by time.
    pub with: Vec<PathBuf>,
    /// A table of labels, apart from the stream.
    pub labels_from: Option<PathBuf>,
    /// Whether the inputs are in an order.
    pub sorting: Sorting,
    /// Whether it is one of several inputs, which are cut into segments and put in order together.
    pub alone: bool,
}

impl ReadOptions {
    /// The kinds that values must be of.
    pub(crate) fn kinds(&self) -> Arc<Kinds> {
        self.declarations.as_ref().map(|declarations| declarations.kinds.clone()).unwrap_or_default()
    }

    /// Whether there is more to be done with an input than to read it.
    pub(crate) fn is_joined(&self) -> bool {
        let cut = self.tables.as_ref().is_some_and(|tables| tables.cut.is_some() || tables.grid != Grid::default());
        !self.alone && (!self.with.is_empty() || self.sorting == Sorting::Whole || cut)
    }

    fn is_stopped(&self) -> bool {
        self.live.as_ref().is_some_and(|live| live.stop.load(Ordering::Relaxed))
    }
}

/// Whether the rows or frames of inputs are in an order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sorting {
    /// They are: of time, or each segment in one piece.
    #[default]
    InOrder,
    /// They are not: inputs are read as a whole, and sorted.
    Whole,
}

/// What a format is for a reader: takes the next piece of its input and pushes the frames in it.
pub(crate) trait Source: Send {
    /// Whether there may be more.
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError>;

    /// Takes what is left at the end of the input, and pushes what was held back.
    fn end(&mut self, _: &mut Sink) -> Result<(), DataError> {
        Ok(())
    }

    /// Where it is, and what it holds back; `None` for a source that has to be read from its beginning.
    fn save(&self) -> Option<(Place, Vec<u8>)> {
        None
    }
}

/// What became of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advance {
    /// A piece was taken.
    More,
    /// There is nothing to be taken now.
    Idle,
    /// The input has ended, but for what [`Source::end`] takes.
    End,
}

/// Why there is no frame now, where there may be more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// Nothing was written for a moment, or reading was stopped.
    Idle,
    /// The input is at its end: [`Frames::end`] gives what was held back, as the last frame of some formats is.
    End,
}

/// What has to be known to go on reading an input.
#[derive(Serialize, Deserialize)]
struct Position {
    format: String,
    /// Frames that were taken.
    taken: u64,
    /// The place in the input, and what the format holds back.
    place: Option<(Place, Vec<u8>)>,
    /// The frames that were taken, where there is no place.
    seen: Digest,
    sink: Vec<u8>,
    /// What is known for the ticks after the last frame.
    ticks: Option<Vec<u8>>,
}

/// A format that is read line by line.
pub(crate) trait LineFormat: Send {
    /// Takes a line. A problem means that the rest of the line is of no use.
    fn line(&mut self, line: Line<'_>, sink: &mut Sink) -> Result<(), Problem>;

    /// Pushes what was held back; a problem if the input may not end here.
    fn end(&mut self, _: &mut Sink) -> Result<(), Problem> {
        Ok(())
    }

    /// Whether lines may be read many at a time, and more than one frame be ready then.
    fn takes_many(&self) -> bool {
        false
    }

    /// Pushes what was held back only because more of it could come: nothing has, for a while.
    fn settle(&mut self, _: &mut Sink) {}

    /// What is held back, to be written.
    fn save(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Goes on with what was written.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        state::ensure(bytes.is_empty(), "the frames that were held back")
    }
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
    open_somewhere(path, options, None)
}

/// The same, from where another reader of it was saved by [`Frames::save`]. `again`: whether a standard input begins anew, so
/// that what was read has to be skipped, or goes on.
pub fn open_at(path: &Path, options: &ReadOptions, saved: &[u8], again: bool) -> Result<Frames, DataError> {
    let name = path.display().to_string();
    let saved: Position = state::decode(saved).map_err(|error| damaged(&error, &name))?;
    if saved.place.is_some() {
        return open_somewhere(path, options, Some(At { saved: &saved, again: again || name != "-" }));
    }
    // The source has no places: what was taken is taken again.
    let mut frames = open_somewhere(path, options, None)?;
    for _ in 0..saved.taken {
        frames.next().unwrap_or_else(|| Err(other_input(&name)))?;
    }
    if frames.seen.as_ref().map(|seen| seen.now.clone()).unwrap_or_default() == saved.seen {
        Ok(frames)
    } else {
        Err(other_input(&name))
    }
}

/// Where reading goes on.
#[derive(Clone, Copy)]
struct At<'a> {
    saved: &'a Position,
    /// Whether the input begins anew, so that what comes before has to be skipped, and can be compared.
    again: bool,
}

fn damaged(error: &StateError, name: &str) -> DataError {
    Problem::new(ProblemKind::Format, 0, format!("what is known of the position in `{name}` is damaged: {error}"))
        .of(name)
}

fn other_input(name: &str) -> DataError {
    Problem::new(ProblemKind::Format, 0, format!("`{name}` does not go on where it was read before"))
        .hint("it was replaced, cut or written anew: name the stream that was read, or start from its beginning")
        .of(name)
}

/// Opens an input, to be read from its beginning or from a position.
fn open_somewhere(path: &Path, options: &ReadOptions, at: Option<At<'_>>) -> Result<Frames, DataError> {
    let name = path.display().to_string();
    if options.is_joined() {
        let paths: Vec<PathBuf> = [path.to_path_buf()].into_iter().chain(options.with.iter().cloned()).collect();
        let bytes = Counter::default();
        let (joined, total) = Joined::open(&paths, options, bytes.clone())?;
        return Frames::new(Box::new(joined), options, bytes, total);
    }
    if name == "-" {
        return match &options.live {
            Some(live) => Frames::from_input("<stdin>", LiveInput::pipe(io::stdin(), live), options, at),
            None => Frames::from_input("<stdin>", io::stdin(), options, at),
        };
    }
    if path.is_dir() {
        return match options.format.or_else(|| Format::guess(path)) {
            Some(Format::Caviar) => {
                let (bytes, total) = (Counter::default(), Some(crate::caviar::size(path)?));
                let source = CaviarReader::directory(path, bytes.clone())?;
                Frames::new(Box::new(source), options, bytes, total)
            }
            _ => Err(Problem::new(ProblemKind::Format, 0, format!("`{name}` is a directory without XML files"))
                .hint("name a file, or a directory that has the XML files of CAVIAR in it or in `xml/`")
                .of(name)),
        };
    }
    if options.format.or_else(|| Format::guess(path)) == Some(Format::Parquet) {
        return open_parquet(path, options);
    }
    let file = File::open(path).map_err(|e| DataError::io("open", &name, &e))?;
    let total = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|m| m.len());
    let place = at.and_then(|at| at.saved.place.as_ref());
    if let (Some((place, _)), Some(size), false) = (place, total, is_compressed(&name))
        && place.offset() > size
    {
        return Err(other_input(&name));
    }
    let mut frames = match &options.live {
        Some(live) if live.follow && is_compressed(&name) => {
            let message = format!("`{name}` is compressed, and cannot be followed");
            return Err(Problem::new(ProblemKind::Format, 0, message)
                .hint("follow what it is decompressed to, as in `zcat FILE | oled … --input - --follow`")
                .of(name));
        }
        Some(live) => Frames::from_input(&name, LiveInput::file(file, path, live), options, at)?,
        None => Frames::from_input(&name, file, options, at)?,
    };
    frames.total = total;
    Ok(frames)
}

fn open_parquet(path: &Path, options: &ReadOptions) -> Result<Frames, DataError> {
    let name = path.display().to_string();
    let file = std::fs::metadata(path).map_err(|error| DataError::io("open", &name, &error))?;
    if !file.is_file() {
        return Err(not_a_file(&name));
    }
    if options.live.as_ref().is_some_and(|live| live.follow) {
        return Err(Problem::new(ProblemKind::Format, 0, "Parquet is written as a whole, and cannot be followed")
            .hint("follow a table of CSV, or leave `--follow` out")
            .of(name));
    }
    let bytes = Counter::default();
    let (source, total) = ParquetReader::open(path, options, bytes.clone())?;
    let mut frames = Frames::new(source, options, bytes, Some(total))?;
    frames.format = Format::Parquet;
    Ok(frames)
}

fn is_compressed(name: &str) -> bool {
    compression_of(name).is_some()
}

/// An input as it was before it was compressed, which its name tells.
pub(crate) fn decompressed(name: &str, input: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression_of(name) {
        None => Box::new(input),
        Some((_, Compression::Gzip)) => Box::new(MultiGzDecoder::new(input)),
        Some((_, Compression::Zstd)) => Box::new(zstd::Decoder::new(input)?),
    })
}

/// Frames, one by one. After a problem there are no more, unless problems are left out ([`ReadOptions::lenient`]).
pub struct Frames {
    /// `None` once it has ended.
    source: Option<Box<dyn Source>>,
    pub(crate) sink: Sink,
    /// What ended it, to be told after the frames that were ready before.
    failure: Option<DataError>,
    bytes: Counter,
    total: Option<u64>,
    max_names: Option<usize>,
    pub(crate) format: Format,
    /// Frames that were taken.
    taken: u64,
    /// What they were, of a source that has no places to go on from.
    seen: Option<Seen>,
    /// Whether there are pauses, and one now, at the end.
    pausing: bool,
    at_end: bool,
    reasoner: Option<Arc<dyn Reasoner>>,
    ticks: Option<Ticks>,
    /// Whether the frame that was taken last is a tick.
    ticked: bool,
    /// The frame that was taken last without what was added to it, where something was.
    bare: Option<Frame>,
}

/// The frames that were taken, and those before the last one.
#[derive(Default)]
struct Seen {
    now: Digest,
    before: Digest,
}

impl Frames {
    /// Frames of an input that is shown under a name, which also tells the format where the options do not.
    pub fn from_reader(
        name: &str,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
    ) -> Result<Frames, DataError> {
        Frames::from_input(name, input, options, None)
    }

    /// The same from where another reader was saved by [`Frames::save`]: the input begins there.
    pub fn from_reader_at(
        name: &str,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
        saved: &[u8],
    ) -> Result<Frames, DataError> {
        let saved: Position = state::decode(saved).map_err(|error| damaged(&error, name))?;
        Frames::from_input(name, input, options, Some(At { saved: &saved, again: false }))
    }

    fn from_input(
        name: &str,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
        at: Option<At<'_>>,
    ) -> Result<Frames, DataError> {
        let bytes = Counter::default();
        let counted = Counted { input, bytes: bytes.clone() };
        let input = decompressed(name, counted).map_err(|e| DataError::io("read", name, &e))?;
        let (input, format) = match at {
            None => {
                let mut input = LineReader::new(input).with_limit(options.max_line);
                let format = format_of(name, &mut input, options)?;
                (input, format)
            }
            Some(At { saved: Position { format, place: Some((place, _)), .. }, again }) => {
                let format = format.parse().map_err(|e: String| damaged(&StateError::new(e), name))?;
                let reader = if again {
                    let reader = LineReader::at(input, place, &|| options.is_stopped());
                    reader.map_err(|e| DataError::io("read", name, &e))?
                } else {
                    LineReader::going_on(input, place)
                };
                (reader.ok_or_else(|| other_input(name))?.with_limit(options.max_line), format)
            }
            Some(_) => return Err(other_input(name)),
        };
        if let (Format::Caviar, Some(Live { follow: true, .. })) = (format, &options.live) {
            return Err(Problem::new(
                ProblemKind::Format,
                0,
                "CAVIAR's XML is read as a whole, and cannot be followed",
            )
            .hint("convert it with `oled convert`")
            .of(name));
        }
        let held = at.and_then(|at| at.saved.place.as_ref()).map(|(_, held)| &held[..]);
        let boxed = |source: Result<Box<dyn Source>, StateError>| source.map_err(|e| damaged(&e, name));
        let (kinds, live) = (options.kinds(), options.live.as_ref());
        let source: Box<dyn Source> = match format {
            Format::Jsonl if parsed::is_spread(options) => Box::new(ParsedLines::new(name, input, options)),
            Format::Jsonl => boxed(Lines::boxed(name, input, JsonlReader::new(kinds), held, live))?,
            Format::Mongo => boxed(Lines::boxed(name, input, MongoReader::new(kinds), held, live))?,
            Format::Facts => boxed(Lines::boxed(name, input, FactsReader::new(&options.labels, kinds), held, live))?,
            Format::Rtec => boxed(Lines::boxed(
                name,
                input,
                RtecReader::new(&options.labels, &options.declared, kinds),
                held,
                live,
            ))?,
            Format::Caviar => Box::new(CaviarReader::single(name, input)),
            Format::Csv | Format::Records => {
                let tables = options.tables.clone().unwrap_or_default();
                let reader = TableReader::new(name, format == Format::Records, tables, kinds);
                boxed(Lines::boxed(name, input, reader, held, live))?
            }
            Format::Parquet => return Err(not_a_file(name)),
        };
        let mut frames = Frames::new(source, options, bytes, None)?;
        frames.format = format;
        if let Some(At { saved, .. }) = at {
            frames.restore(saved).map_err(|error| damaged(&error, name))?;
        }
        Ok(frames)
    }

    fn restore(&mut self, saved: &Position) -> Result<(), StateError> {
        self.taken = saved.taken;
        self.sink.restore(&saved.sink)?;
        match (&mut self.ticks, &saved.ticks) {
            (Some(ticks), Some(saved)) => ticks.restore(saved),
            (None, None) => Ok(()),
            _ => Err(StateError::new("the ticks are other ones")),
        }
    }

    /// Goes on with what [`Frames::save`] gave, where the source needs no place.
    pub(crate) fn go_on(&mut self, saved: &[u8]) -> Result<(), StateError> {
        self.restore(&state::decode(saved)?)
    }

    pub(crate) fn new(
        source: Box<dyn Source>,
        options: &ReadOptions,
        bytes: Counter,
        total: Option<u64>,
    ) -> Result<Frames, DataError> {
        let mut sink = Sink::new(options);
        if let Some(path) = &options.labels_from {
            sink.spans.labels = Some(Labels::read(path, options)?);
        }
        let format = Format::Caviar;
        Ok(Frames {
            seen: source.save().is_none().then(Seen::default),
            source: Some(source),
            sink,
            failure: None,
            bytes,
            total,
            max_names: options.max_names,
            reasoner: options.reasoner.clone(),
            ticks: options.ticks.clone(),
            ticked: false,
            bare: None,
            format,
            taken: 0,
            pausing: false,
            at_end: false,
        })
    }

    /// The same, but with a pause at the end of the input, at which it can be saved: [`Frames::end`] ends it.
    #[must_use]
    pub fn pausing(mut self) -> Frames {
        self.pausing = true;
        self
    }

    /// Why there was no frame: `None` if there will be none.
    pub fn pause(&self) -> Option<Pause> {
        self.source.as_ref().map(|_| if self.pausing && self.at_end { Pause::End } else { Pause::Idle })
    }

    /// Ends the input: what was held back comes now.
    pub fn end(&mut self) {
        if let Some(mut source) = self.source.take() {
            self.failure = source.end(&mut self.sink).err();
            self.sink.end();
            self.failure = self.failure.take().or(self.sink.check().err());
        }
    }

    /// How many frames were taken, and at which byte the next piece of the input begins, after decompression, where that is
    /// known.
    pub fn place(&self) -> (u64, Option<u64>) {
        let place = self.source.as_ref().and_then(|source| source.save());
        (self.taken, place.map(|(place, _)| place.offset()))
    }

    /// The position behind the last frame that was taken, for [`open_at`].
    pub fn save(&self) -> Vec<u8> {
        let place = self.source.as_ref().and_then(|source| source.save());
        let (format, taken) = (self.format.to_string(), self.taken);
        let seen = self.seen.as_ref().map(|seen| seen.now.clone()).unwrap_or_default();
        let ticks = self.ticks.as_ref().map(Ticks::save);
        state::encode(&Position { format, taken, place, seen, sink: self.sink.save(), ticks })
    }

    /// Puts back the frame that was taken last, which was not used: it comes again, and the position is before it.
    pub fn put_back(&mut self, frame: Frame) {
        self.taken -= 1;
        let frame = self.bare.take().unwrap_or(frame);
        match &mut self.ticks {
            Some(ticks) if self.ticked => ticks.put_back(frame),
            _ => {
                if let Some(seen) = &mut self.seen {
                    seen.now = seen.before.clone();
                }
                self.sink.ready.push_front(frame);
            }
        }
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

    /// Whether there are too many names by now, or forms of atoms, which are kept like names.
    fn check_names(&self) -> Result<(), DataError> {
        let Some(most) = self.max_names else { return Ok(()) };
        let names = Symbol::count();
        let (message, hint) = if names > most {
            let message = format!("there are more than {most} distinct names, and names are never forgotten");
            (
                message,
                "write what comes once only, such as the number of a message, as a number, or allow more with `--max-names`",
            )
        } else if names + Signature::count_as_names() > most {
            let message = format!(
                "the distinct names and forms of atoms take the room of more than {most} names, and none is forgotten"
            );
            (
                message,
                "write what differs from atom to atom as arguments of one predicate, or allow more with `--max-names`",
            )
        } else {
            return Ok(());
        };
        Err(Problem::new(ProblemKind::Limit, 0, message).hint(hint).of("the stream"))
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
                // Where something holds, something may change at any tick.
                let changes = self.sink.spans.is_before(&frame);
                let next = if changes { Ticks::each_before } else { Ticks::before };
                let tick = self.ticks.as_mut().and_then(|ticks| next(ticks, &frame));
                self.ticked = tick.is_some();
                if let Some(tick) = tick {
                    self.sink.ready.push_front(std::mem::replace(&mut frame, tick));
                }
                self.bare = changes.then(|| frame.clone());
                let interleaved = self.sink.is_interleaved();
                if self.sink.spans.add(&mut frame, interleaved)
                    && let (true, Some(ticks)) = (self.ticked, &mut self.ticks)
                {
                    ticks.touch(&frame);
                }
                self.taken += 1;
                if let (Some(seen), false) = (&mut self.seen, self.ticked) {
                    seen.before = seen.now.clone();
                    seen.now.update(&state::encode(&frame));
                }
                let Err(why) = self.reasoner.as_ref().map_or(Ok(()), |reasoner| reasoner.extend(&mut frame)) else {
                    // CAVIAR has labels of its own, which nobody can misspell.
                    if !self.ticked {
                        self.sink.skipped.unknown.see(&frame, self.format != Format::Caviar);
                    }
                    return Some(Ok(frame));
                };
                let problem = Problem::new(ProblemKind::Reasoner, 0, why);
                let hint = "the background must have exactly one model: it cannot choose";
                if let Err(problem) = self.sink.skip_or_fail(problem.hint(hint)) {
                    self.source = None;
                    self.sink.ready.clear();
                    return Some(Err(problem.of("background")));
                }
                continue;
            }
            let Some(source) = &mut self.source else { return self.failure.take().map(Err) };
            self.at_end = false;
            let advanced = source.advance(&mut self.sink);
            let advanced = advanced.and_then(|more| self.check_names().map(|()| more));
            let advanced = advanced.and_then(|more| self.sink.check().map(|()| more));
            match advanced {
                Ok(Advance::More) => {}
                Ok(Advance::Idle) => return None,
                Ok(Advance::End) if self.pausing => {
                    self.at_end = true;
                    return None;
                }
                Ok(Advance::End) => self.end(),
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
    let tables = options.tables.as_ref().is_some_and(|tables| tables.has_columns());
    let looks_inside = match promised {
        None | Some(Format::Mongo | Format::Csv) => true,
        Some(Format::Jsonl) => tables,
        Some(_) => false,
    };
    if let (Some(format), false) = (promised, looks_inside) {
        return Ok(format);
    }
    // The first line of a live input may be a while in coming.
    while input.peek().is_err_and(|e| e.kind() == ErrorKind::WouldBlock) && !options.is_stopped() {}
    let first = input.peek().or_else(|e| if options.is_stopped() { Ok(&b"{"[..]) } else { Err(e) });
    let first = first.map_err(|e| DataError::io("read", name, &e))?;
    if promised == Some(Format::Csv) {
        // RTEC's files are called so too: they have bars and no header, or directives of ours.
        let is_rtec = first.starts_with(b"#") || !tables && memchr::memchr(b'|', first).is_some();
        let is_record = tables && first.starts_with(b"{");
        return Ok(if is_rtec {
            Format::Rtec
        } else if is_record {
            Format::Records
        } else {
            Format::Csv
        });
    }
    let has = |key: &[u8]| memchr::memmem::find(first, key).is_some();
    if tables && !first.is_empty() && ![&b"\"narrative\""[..], b"\"annotation\"", b"\"_id\""].into_iter().any(has) {
        return Ok(if first.starts_with(b"{") { Format::Records } else { Format::Csv });
    }
    let is_array = first.starts_with(b"[");
    let is_mongo = is_array || memchr::memmem::find(first, b"\"_id\"").is_some();
    if promised.is_some() || name == "<stdin>" && (is_array || first.starts_with(b"{")) {
        return Ok(if is_mongo { Format::Mongo } else { Format::Jsonl });
    }
    if name == "<stdin>" && first.is_empty() {
        return Err(Problem::new(ProblemKind::Format, 0, "standard input is empty, so its format cannot be told")
            .hint("did the command before it fail? a stream without frames is read with `--from jsonl`")
            .of(name));
    }
    let told_by = if name == "<stdin>" { "first line" } else { "name" };
    Err(Problem::new(ProblemKind::Format, 0, format!("cannot tell the format of `{name}` by its {told_by}"))
        .hint(format!("say it with `--from`: one of {}", Format::names()))
        .of(name))
}

/// What to tell of a table of Parquet that is not a file.
fn not_a_file(name: &str) -> DataError {
    Problem::new(ProblemKind::Format, 0, "Parquet is read from its end, so it cannot come through a pipe")
        .hint("name the file with `--input`")
        .of(name)
}

/// So many lines are read at once, at most, until a frame is ready: few enough that whoever waits can stop soon.
const LINES: usize = 64;

/// A format that is read line by line, on its input.
struct Lines<F> {
    name: String,
    input: LineReader,
    format: F,
    /// How long to wait for more of what is held back, and when the last line came.
    settle: Option<Duration>,
    last: Instant,
    stop: Arc<AtomicBool>,
}

impl<F: LineFormat + 'static> Lines<F> {
    /// The source; `held` is what the format held back where it goes on.
    fn boxed(
        name: &str,
        input: LineReader,
        mut format: F,
        held: Option<&[u8]>,
        live: Option<&Live>,
    ) -> Result<Box<dyn Source>, StateError> {
        held.map_or(Ok(()), |held| format.restore(held))?;
        let settle = live.filter(|live| live.follow).and_then(|live| live.settle);
        let stop = live.map(|live| live.stop.clone()).unwrap_or_default();
        Ok(Box::new(Lines { name: name.into(), input, format, settle, last: Instant::now(), stop }))
    }

    /// Reads the lines that are at hand, if there are any: together they are looked at once only for what is no text.
    fn read_at_hand(&mut self, sink: &mut Sink) -> Result<bool, DataError> {
        let Some((bytes, first)) = self.input.at_hand().filter(|_| self.format.takes_many()) else { return Ok(false) };
        // Of a line that is no text the place is told by whoever reads it alone.
        let Ok(text) = std::str::from_utf8(bytes) else { return Ok(false) };
        let (mut start, mut lines) = (0, 0);
        for end in memchr::memchr_iter(b'\n', bytes) {
            let line = &text[start..end];
            let line = line.strip_suffix('\r').unwrap_or(line);
            start = end + 1;
            lines += 1;
            let result = self.format.line(Line { text: line, ended: true }, sink);
            if let Err(problem) = result.or_else(|problem| sink.skip_or_fail(problem)) {
                let error = problem.locate(&self.name, first + lines - 1, line.as_bytes());
                self.input.taken(lines, start);
                return Err(error);
            }
        }
        self.input.taken(lines, start);
        if self.settle.is_some() {
            self.last = Instant::now();
        }
        Ok(true)
    }

    /// Whether nothing has come for so long that what is held back is all there is.
    fn is_settled(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.settle.is_some_and(|settle| self.last.elapsed() >= settle)
    }
}

/// Reads a line.
fn read_line(name: &str, line: &RawLine<'_>, format: &mut impl LineFormat, sink: &mut Sink) -> Result<(), DataError> {
    let result = match std::str::from_utf8(line.bytes) {
        Ok(text) => format.line(Line { text, ended: line.ended }, sink),
        Err(error) => Err(Problem::not_utf8(error.valid_up_to())),
    };
    result
        .or_else(|problem| sink.skip_or_fail(problem))
        .map_err(|problem| problem.locate(name, line.number, line.bytes))
}

impl<F: LineFormat + 'static> Source for Lines<F> {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        if self.read_at_hand(sink)? {
            return Ok(Advance::More);
        }
        // A frame may be made of many lines: who asks for it wants none of them by itself.
        for _ in 0..LINES {
            match self.input.next_line() {
                Ok(Some(line)) => {
                    if self.settle.is_some() {
                        self.last = Instant::now();
                    }
                    read_line(&self.name, &line, &mut self.format, sink)?;
                }
                Ok(None) => return Ok(Advance::End),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    if self.is_settled() {
                        self.format.settle(sink);
                    }
                    return Ok(if sink.ready.is_empty() { Advance::Idle } else { Advance::More });
                }
                Err(error) => return Err(DataError::io("read", &self.name, &error)),
            }
            if !sink.ready.is_empty() {
                break;
            }
        }
        Ok(Advance::More)
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        if let Some(line) = self.input.last_line() {
            read_line(&self.name, &line, &mut self.format, sink)?;
        }
        let (name, number) = (&self.name, self.input.number());
        let ended = self.format.end(sink).or_else(|problem| sink.skip_or_fail(problem));
        ended.map_err(|problem| problem.locate(name, number, b""))
    }

    fn save(&self) -> Option<(Place, Vec<u8>)> {
        Some((self.input.place(), self.format.save()))
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

    pub(crate) fn set(&self, count: u64) {
        self.0.store(count, Ordering::Relaxed);
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
