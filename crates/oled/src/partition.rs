//! Partitioning: a stream goes to several workers by segment, and what they make of it is put in the order of the stream.
//!
//! Everything that is known from one frame to the next is known of a segment, so whoever gets all frames of a segment, and is told
//! where it ends, makes of it what one worker makes of the whole stream. Each frame has its place; results are sorted by it. Where a
//! segment is all there is and its entities are apart, the facts of each frame are dealt out by [`Groups`].

mod groups;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::lang::Symbol;
use crate::state::StateError;
use crate::stream::Frame;
pub use groups::Groups;

/// Where a frame stands in its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The number of the frame, counted from one.
    pub frame: u64,
    /// The number of its segment, counted from zero: so many began before it.
    pub segment: u64,
    /// Whether the frame begins its segment.
    pub begins: bool,
    /// The segment that is over with it, where segments come one after the other.
    pub over: Option<Symbol>,
    /// Of a frame that is dealt out by groups of entities, which part is meant, counted from zero; none of a whole one.
    pub part: Option<usize>,
}

/// Gives the frames of a stream their places.
///
/// ```
/// use oled::{Frame, Symbol};
/// use oled::partition::Sequencer;
/// let mut sequencer = Sequencer::new(false);
/// let [a, b] = ["a", "b"].map(Symbol::new);
/// assert_eq!(sequencer.place(&Frame::new(a, 1)).over, None);
/// let second = sequencer.place(&Frame::new(b, 1));
/// assert_eq!((second.frame, second.segment, second.begins, second.over), (2, 1, true, Some(a)));
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Sequencer {
    interleaved: bool,
    /// The segment of the last frame, and its number.
    current: Option<(Symbol, u64)>,
    /// The numbers of all segments, where they are mixed.
    known: IndexMap<Symbol, u64, FxBuildHasher>,
    frames: u64,
    segments: u64,
}

impl Sequencer {
    /// Before the first frame. `interleaved`: whether segments are mixed.
    pub fn new(interleaved: bool) -> Sequencer {
        Sequencer { interleaved, current: None, known: IndexMap::default(), frames: 0, segments: 0 }
    }

    /// The place of the next frame.
    pub fn place(&mut self, frame: &Frame) -> Place {
        self.frames += 1;
        let same = self.current.filter(|(segment, _)| *segment == frame.segment);
        let known = same.or_else(|| self.known.get(&frame.segment).map(|number| (frame.segment, *number)));
        let (_, segment) = known.unwrap_or((frame.segment, self.segments));
        let over = self.current.filter(|_| same.is_none() && !self.interleaved).map(|(before, _)| before);
        if known.is_none() {
            self.segments += 1;
            if self.interleaved {
                self.known.insert(frame.segment, segment);
            }
        }
        self.current = Some((frame.segment, segment));
        Place { frame: self.frames, segment, begins: known.is_none(), over, part: None }
    }

    /// The number of a segment that has begun, where segments are mixed; of the last one, where they are not.
    pub fn number(&self, segment: Symbol) -> Option<u64> {
        let current = self.current.filter(|(current, _)| *current == segment).map(|(_, number)| number);
        current.or_else(|| self.known.get(&segment).copied())
    }

    /// How many frames there were.
    pub fn frames(&self) -> u64 {
        self.frames
    }
}

/// What a worker tells, and where it belongs: all of it is put in this order, and is the same then for any number of workers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Told {
    /// The number of the frame at which it is told; the greatest number at the end of the stream.
    pub frame: u64,
    /// At a frame, zero for what is over before it, and one for what it says; at the end of the stream, the number of the segment.
    pub rank: u64,
    /// The lines, each with its end.
    pub text: String,
    /// What was made for whoever puts it in order, if anything.
    pub made: Vec<u8>,
    /// What else that one wants to know of it.
    pub tag: u64,
}

/// Who works on some of the segments of a stream, each from its first frame to its last.
pub trait Worker: Send {
    /// A segment is over with the frame at this place.
    fn over(&mut self, segment: Symbol, place: &Place, told: &mut Vec<Told>);

    /// The next frame of one of its segments, or the part of it that the [place](Place::part) says. An error ends all work.
    fn frame(&mut self, frame: &Frame, place: &Place, told: &mut Vec<Told>) -> Result<(), String>;

    /// The stream is over.
    fn end(&mut self, told: &mut Vec<Told>);

    /// What it knows of the stream so far.
    fn save(&mut self) -> Vec<u8>;

    /// Goes on where another was saved.
    fn restore(&mut self, state: &[u8]) -> Result<(), StateError>;
}

/// Which of so many workers has a segment: by its name alone, in every process and on every machine (FNV-1a, then mixed as
/// `SplitMix64` does).
///
/// ```
/// use oled::Symbol;
/// use oled::partition::owner;
/// assert_eq!(owner(Symbol::new("walk1"), 1), 0);
/// assert!((0..100).map(|i| owner(Symbol::new(&format!("s{i}")), 2)).sum::<usize>().abs_diff(50) < 20);
/// ```
pub fn owner(segment: Symbol, workers: usize) -> usize {
    let bytes = segment.as_str().bytes();
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (mixed(hash) % workers.max(1) as u64) as usize
}

fn mixed(hash: u64) -> u64 {
    let mixed = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 31)
}

/// Which worker has which segment, where one process deals a stream out to its threads: a segment that begins goes to whoever was
/// given the fewest frames so far. So shares stay equal up to the length of a segment, which a fixed hash does not do for the few
/// segments that are at hand together. It depends on the stream alone, not on the clock.
///
/// ```
/// use oled::Symbol;
/// use oled::partition::Shares;
/// let mut shares = Shares::new(2);
/// let [a, b, c] = ["a", "b", "c"].map(Symbol::new);
/// let dealt = [a, a, a, b, a, c].map(|segment| shares.frame(segment));
/// assert_eq!(dealt, [0, 0, 0, 1, 0, 1]);
/// assert_eq!(shares.over(a), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Shares {
    /// How many frames each worker was given.
    given: Vec<u64>,
    /// The workers of the segments that are not over.
    of: IndexMap<Symbol, usize, FxBuildHasher>,
}

impl Shares {
    /// For so many workers.
    pub fn new(workers: usize) -> Shares {
        Shares { given: vec![0; workers.max(1)], of: IndexMap::default() }
    }

    /// Who gets the next frame of a segment.
    pub fn frame(&mut self, segment: Symbol) -> usize {
        let least = || (0..self.given.len()).min_by_key(|worker| self.given[*worker]).unwrap_or(0);
        let worker = *self.of.entry(segment).or_insert_with(least);
        self.given[worker] += 1;
        worker
    }

    /// Who had a segment that is over.
    pub fn over(&mut self, segment: Symbol) -> usize {
        self.of.swap_remove(&segment).unwrap_or(0)
    }
}
