//! How to read a stream: what can be asked of a reader.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use oled::{Kinds, Signature, Ticks};

use crate::declarations::Declarations;
use crate::error::Skipped;
use crate::format::Format;
use crate::grid::Grid;
use crate::live::Live;
use crate::reasoner::Reasoner;
use crate::sink::Sink;
use crate::table::Tables;

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

    /// Nothing that was left out yet, of a stream with these declarations.
    pub fn nothing_skipped(&self) -> Skipped {
        Sink::new(self).skipped
    }

    /// Whether there is more to be done with an input than to read it.
    pub(crate) fn is_joined(&self) -> bool {
        let cut = self.tables.as_ref().is_some_and(|tables| tables.cut.is_some() || tables.grid != Grid::default());
        !self.alone && (!self.with.is_empty() || self.sorting == Sorting::Whole || cut)
    }

    pub(super) fn is_stopped(&self) -> bool {
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
