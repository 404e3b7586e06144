//! Opening: an input by its name, to be read from its beginning or from where it was left.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use oled::{StateError, Ticks, state};
use serde::{Deserialize, Serialize};

use super::by_line::Lines;
use super::counter::{Counted, Counter};
use super::guess::format_of;
use super::{Frames, LineFormat, ReadOptions, Source};
use crate::caviar::CaviarReader;
use crate::digest::Digest;
use crate::error::{DataError, Problem, ProblemKind};
use crate::facts::FactsReader;
use crate::format::{Compression, Format, compression_of};
use crate::joined::Joined;
use crate::jsonl::JsonlReader;
use crate::lines::{LineReader, Place};
use crate::live::{Live, LiveInput};
use crate::mongo::MongoReader;
use crate::parsed::{ParsedLines, ParsedRows, is_spread};
use crate::rtec::RtecReader;
use crate::sink::Sink;
use crate::table::{ParquetReader, TableReader};
use crate::zstd;

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

    /// The same for rows of a table behind its header, of which this is known.
    pub(crate) fn of_rows(
        name: &str,
        input: impl Read + Send + 'static,
        options: &ReadOptions,
        header: Vec<u8>,
    ) -> Result<Frames, DataError> {
        let format = options.format.unwrap_or(Format::Csv).to_string();
        let (place, sink) = (Some((Place::default(), header)), Sink::new(options).save());
        let ticks = options.ticks.as_ref().map(Ticks::save);
        let saved = Position { format, taken: 0, place, seen: Digest::default(), sink, ticks };
        Frames::from_input(name, input, options, Some(At { saved: &saved, again: false }))
    }

    /// Some rows of a table of Parquet.
    pub(crate) fn of_parquet(path: &Path, options: &ReadOptions, rows: Range<u64>) -> Result<Frames, DataError> {
        let bytes = Counter::default();
        let (source, total) = ParquetReader::open(path, options, rows, bytes.clone())?;
        let mut frames = Frames::new(source, options, bytes, Some(total))?;
        frames.format = Format::Parquet;
        Ok(frames)
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
        let (kinds, live) = (options.kinds(), options.live.as_ref());
        let spread = is_spread(options);
        // Whoever parses blocks of lines reads them ahead anyway, and what is being written is read as it comes.
        let input = if spread || live.is_some() { input } else { input.ahead() };
        let by_line = ByLine { name, input, held, live };
        let source: Box<dyn Source> = match format {
            Format::Jsonl if spread => Box::new(ParsedLines::new(name, by_line.input, options)),
            Format::Jsonl => by_line.read(JsonlReader::new(kinds))?,
            Format::Mongo => by_line.read(MongoReader::new(kinds))?,
            Format::Facts => by_line.read(FactsReader::new(&options.labels, kinds))?,
            Format::Rtec => by_line.read(RtecReader::new(&options.labels, &options.declared, kinds))?,
            Format::Caviar => Box::new(CaviarReader::single(name, by_line.input)),
            Format::Csv | Format::Records => {
                let tables = options.tables.clone().unwrap_or_default();
                let reader = |_| TableReader::new(name, format == Format::Records, tables.clone(), kinds.clone());
                if spread {
                    let parsers = (0..options.parsers).map(reader).collect();
                    Box::new(ParsedRows::new(by_line.lines(reader(0))?, parsers))
                } else {
                    by_line.read(reader(0))?
                }
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
}

/// An input that is read line by line.
struct ByLine<'a> {
    name: &'a str,
    input: LineReader,
    /// What the format held back where it goes on.
    held: Option<&'a [u8]>,
    live: Option<&'a Live>,
}

impl ByLine<'_> {
    fn lines<F: LineFormat + 'static>(self, format: F) -> Result<Lines<F>, DataError> {
        Lines::new(self.name, self.input, format, self.held, self.live).map_err(|error| damaged(&error, self.name))
    }

    fn read<F: LineFormat + 'static>(self, format: F) -> Result<Box<dyn Source>, DataError> {
        Ok(Box::new(self.lines(format)?))
    }
}

/// Where reading goes on.
#[derive(Clone, Copy)]
struct At<'a> {
    saved: &'a Position,
    /// Whether the input begins anew, so that what comes before has to be skipped, and can be compared.
    again: bool,
}

/// What has to be known to go on reading an input.
#[derive(Serialize, Deserialize)]
pub(super) struct Position {
    pub(super) format: String,
    /// Frames that were taken.
    pub(super) taken: u64,
    /// The place in the input, and what the format holds back.
    pub(super) place: Option<(Place, Vec<u8>)>,
    /// The frames that were taken, where there is no place.
    pub(super) seen: Digest,
    pub(super) sink: Vec<u8>,
    /// What is known for the ticks after the last frame.
    pub(super) ticks: Option<Vec<u8>>,
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
                .hint("follow what it is decompressed to: read the output of `zcat FILE` from a pipe")
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
            .hint("follow a table of CSV, or leave the option `follow` out")
            .of(name));
    }
    Frames::of_parquet(path, options, 0..u64::MAX)
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

fn damaged(error: &StateError, name: &str) -> DataError {
    Problem::new(ProblemKind::Format, 0, format!("what is known of the position in `{name}` is damaged: {error}"))
        .of(name)
}

fn other_input(name: &str) -> DataError {
    Problem::new(ProblemKind::Format, 0, format!("`{name}` does not go on where it was read before"))
        .hint("it was replaced, cut or written anew: name the stream that was read, or start from its beginning")
        .of(name)
}

/// What to tell of a table of Parquet that is not a file.
fn not_a_file(name: &str) -> DataError {
    Problem::new(ProblemKind::Format, 0, "Parquet is read from its end, so it cannot come through a pipe")
        .hint("name the file with the option `input`")
        .of(name)
}
