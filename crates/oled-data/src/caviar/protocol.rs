//! Protocols: which parts of the videos are tested in which fold.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use oled::{Facts, Frame, Symbol, Value};

use super::Videos;
use super::table::Table;
use crate::error::{DataError, Problem, ProblemKind};

/// A way to divide CAVIAR into ten folds; `folds/*.csv` has one file for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protocol {
    /// 19 sequences of a pair that meets or moves together.
    Fragment,
    /// The fragment, and every other pair that is ever seen together.
    Whole,
    /// Whole clips: no footage is in two folds.
    Clip,
    /// Whole families of clips: no scenario is in two folds.
    Clean,
    /// Three videos a fold.
    Video10,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 5] =
        [Protocol::Fragment, Protocol::Whole, Protocol::Clip, Protocol::Clean, Protocol::Video10];

    /// The name that [`FromStr`] reads, which is also the name of the file.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Fragment => "fragment",
            Protocol::Whole => "whole",
            Protocol::Clip => "clip",
            Protocol::Clean => "clean",
            Protocol::Video10 => "video10",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(name: &str) -> Result<Protocol, String> {
        Protocol::ALL.into_iter().find(|p| p.name() == name).ok_or_else(|| {
            format!("unknown protocol `{name}`: protocols are {}", Protocol::ALL.map(Protocol::name).join(", "))
        })
    }
}

/// What is in play together: a pair in a part of a video, or everybody in a whole video.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The fold in which the unit is tested.
    pub fold: usize,
    /// The segment that its frames are of: `23-Meet_Crowd:1-3`, or just the video's name.
    pub segment: Symbol,
    /// The video.
    pub video: Symbol,
    /// The pair, as in facts: `id1` and `id3`.
    pub pair: Option<(Symbol, Symbol)>,
    /// The first frame, if not that of the video.
    pub first: Option<i64>,
    /// The last frame, if not that of the video; it may be one more than the video has.
    pub last: Option<i64>,
}

/// The units of a protocol, in the order of its file.
pub fn load_protocol(directory: &Path, protocol: Protocol) -> Result<Vec<Unit>, DataError> {
    let table = Table::read(&directory.join("folds").join(format!("{protocol}.csv")))?;
    let of_pairs = table.has("p");
    table
        .rows()
        .map(|row| {
            let video = row.text("video")?;
            let mut unit = Unit {
                fold: row.number("fold")?,
                segment: Symbol::new(video),
                video: Symbol::new(video),
                pair: None,
                first: None,
                last: None,
            };
            if of_pairs {
                let (p, q) = (row.text("p")?, row.text("q")?);
                unit.segment = Symbol::new(&format!("{video}:{p}-{q}"));
                unit.pair = Some((Symbol::new(&format!("id{p}")), Symbol::new(&format!("id{q}"))));
                unit.first = Some(row.number("first")?);
                unit.last = Some(row.number("last")?);
            }
            Ok(unit)
        })
        .collect()
}

/// Puts the parts of a protocol, or anything else, into an order that depends on their number and the seed only, today
/// and in every release (xorshift, Marsaglia 2003).
pub fn shuffle<T>(items: &mut [T], seed: u64) {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    for i in (1..items.len()).rev() {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        items.swap(i, (state % (i as u64 + 1)) as usize);
    }
}

impl Unit {
    /// The frames of the unit: those of its time, with the facts that are about nobody else.
    pub fn frames<'a>(&'a self, videos: &'a Videos) -> Result<impl Iterator<Item = Frame> + 'a, DataError> {
        let frames = videos.get(&self.video).ok_or_else(|| {
            Problem::new(ProblemKind::Missing, 0, format!("there is no video `{}`", self.video.as_str()))
                .hint("the protocol names a video that `videos.csv` does not have")
                .of(self.video.as_str())
        })?;
        let (first, last) = (self.first.unwrap_or(i64::MIN), self.last.unwrap_or(i64::MAX));
        let start = frames.partition_point(|f| f.time < first);
        let end = frames.partition_point(|f| f.time <= last);
        Ok(frames[start..end].iter().map(|frame| Frame {
            segment: self.segment,
            time: frame.time,
            narrative: self.facts(&frame.narrative),
            annotation: self.facts(&frame.annotation),
        }))
    }

    fn facts(&self, facts: &Facts) -> Facts {
        let Some((p, q)) = self.pair else { return facts.clone() };
        facts.filter(|_, values| values.iter().all(|v| !matches!(v, Value::Sym(who) if *who != p && *who != q)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_an_order_for_ever_and_another_seed_another_one() {
        let order = |seed: u64| {
            let mut items: Vec<usize> = (0..8).collect();
            shuffle(&mut items, seed);
            items
        };
        assert_eq!(order(1), [2, 1, 3, 6, 7, 0, 4, 5]);
        let mut sorted = order(1);
        sorted.sort_unstable();
        assert_eq!(sorted, (0..8).collect::<Vec<_>>());
        let mut orders: Vec<_> = (0..50).map(order).collect();
        orders.sort();
        orders.dedup();
        assert!(orders.len() > 45, "{} orders of 50 seeds", orders.len());
    }
}
