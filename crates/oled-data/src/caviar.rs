//! CAVIAR: the ground truth of its videos in XML, and the protocols by which systems are tested on it.
//!
//! A directory has the files of the videos in `xml/` (or in itself), and maybe `videos.csv` (which file is which video,
//! and in which order), `abrupt.csv` (movements labelled anew by the authors of the Event Calculus papers) and `folds/`.

mod noise;
mod protocol;
mod table;
mod vocabulary;
mod xml;

pub use noise::{Noise, add_noise};
pub use protocol::{Protocol, Unit, load_protocol, shuffle};

use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use oled::{Frame, Symbol};
use rustc_hash::FxBuildHasher;

use crate::error::{DataError, Problem, ProblemKind};
use crate::frame::default_segment;
use crate::lines::LineReader;
use crate::reader::{Advance, Counter, ReadOptions, Source, open};
use crate::sink::Sink;
use table::Table;
use vocabulary::Vocabulary;

/// The frames of all videos, by the video's name, in the order of `videos.csv`.
pub type Videos = IndexMap<Symbol, Vec<Frame>, FxBuildHasher>;

/// Reads all videos of a directory.
pub fn load_videos(directory: &Path) -> Result<Videos, DataError> {
    let mut videos = Videos::default();
    for frame in open(directory, &ReadOptions { format: Some(crate::Format::Caviar), ..ReadOptions::default() })? {
        let frame = frame?;
        videos.entry(frame.segment).or_default().push(frame);
    }
    Ok(videos)
}

/// A video and its file.
struct Video {
    name: Symbol,
    path: PathBuf,
    abrupt: Vec<Abrupt>,
}

/// A person whose movement is abrupt from one frame to another, whatever the XML says.
#[derive(Clone)]
struct Abrupt {
    id: usize,
    first: i64,
    last: i64,
}

impl Abrupt {
    fn covers(&self, id: usize, time: i64) -> bool {
        self.id == id && (self.first..=self.last).contains(&time)
    }
}

/// The videos of a directory, in the order in which they are read.
fn list(directory: &Path) -> Result<Vec<Video>, DataError> {
    let folder = if directory.join("xml").is_dir() { directory.join("xml") } else { directory.to_path_buf() };
    let mut videos = Vec::new();
    if let Some(table) = Table::read_if_there(&directory.join("videos.csv"))? {
        for row in table.rows() {
            let (name, file) = (row.text("video")?, row.text("xml")?);
            videos.push(Video { name: Symbol::new(name), path: folder.join(file), abrupt: Vec::new() });
        }
    } else {
        let shown = folder.display().to_string();
        let entries = fs::read_dir(&folder).map_err(|e| DataError::io("read", &shown, &e))?;
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "xml"));
        paths.sort();
        videos.extend(paths.into_iter().map(|path| Video { name: stem(&path), path, abrupt: Vec::new() }));
    }
    if let Some(table) = Table::read_if_there(&directory.join("abrupt.csv"))? {
        for row in table.rows() {
            let name = Symbol::new(row.text("video")?);
            let abrupt = Abrupt { id: row.number("id")?, first: row.number("first")?, last: row.number("last")? };
            for video in videos.iter_mut().filter(|v| v.name == name || stem(&v.path) == name) {
                video.abrupt.push(abrupt.clone());
            }
        }
    }
    Ok(videos)
}

/// The size of all files of a directory together.
pub(crate) fn size(directory: &Path) -> Result<u64, DataError> {
    Ok(list(directory)?.iter().filter_map(|video| fs::metadata(&video.path).ok()).map(|m| m.len()).sum())
}

/// The name of a file without its folder and endings.
fn stem(path: &Path) -> Symbol {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    Symbol::new(name.strip_suffix(".xml").unwrap_or(name))
}

/// Reads one video after the other.
pub(crate) struct CaviarReader {
    inputs: VecDeque<Input>,
    vocabulary: Vocabulary,
    bytes: Counter,
}

enum Input {
    File(Video),
    /// An input that is open already, under the name it is shown with.
    Open(String, LineReader),
}

impl CaviarReader {
    /// All videos of a directory.
    pub(crate) fn directory(directory: &Path, bytes: Counter) -> Result<CaviarReader, DataError> {
        let inputs = list(directory)?.into_iter().map(Input::File).collect();
        Ok(CaviarReader { inputs, vocabulary: Vocabulary::default(), bytes })
    }

    /// One video.
    pub(crate) fn single(name: &str, input: LineReader) -> CaviarReader {
        let inputs = VecDeque::from([Input::Open(name.into(), input)]);
        CaviarReader { inputs, vocabulary: Vocabulary::default(), bytes: Counter::default() }
    }
}

impl Source for CaviarReader {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        let (shown, video, bytes) = match self.inputs.pop_front() {
            None => return Ok(Advance::End),
            Some(Input::File(video)) => {
                let shown = video.path.display().to_string();
                let bytes = fs::read(&video.path).map_err(|e| DataError::io("read", &shown, &e))?;
                self.bytes.add(bytes.len());
                (shown, video, bytes)
            }
            Some(Input::Open(shown, mut input)) => {
                let bytes = input.read_all().map_err(|e| DataError::io("read", &shown, &e))?;
                let name = if shown == "<stdin>" { default_segment() } else { stem(Path::new(&shown)) };
                let video = Video { name, path: PathBuf::from(&shown), abrupt: Vec::new() };
                (shown, video, bytes)
            }
        };
        let result = match std::str::from_utf8(&bytes) {
            Ok(text) => xml::read(text, &video, &mut self.vocabulary, sink),
            Err(error) => Err(Problem::new(ProblemKind::Syntax, error.valid_up_to(), "the file is not UTF-8 text")),
        };
        match result.or_else(|problem| sink.skip_or_fail(problem)) {
            Ok(()) => Ok(Advance::More),
            Err(problem) => Err(problem.locate(&shown, 1, &bytes)),
        }
    }
}
