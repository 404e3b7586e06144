//! Grid: times are put on an even grid, and numbers that were not reported are repeated for a while.
//!
//! The rows of one cell are one frame, at the start of the cell. Of facts about the same, told apart by everything but the
//! number at their end, the last one stands. A number is repeated in later frames of its segment until a newer one comes, or
//! it is older than it may be.

use indexmap::IndexMap;
use oled::lang::ec;
use oled::{Facts, Frame, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

/// How a stream is put on a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The length of a cell, in time units; `None` if times stay as they are.
    pub(crate) cell: Option<i64>,
    /// How old a number may be that is repeated; `None` if none is.
    pub(crate) fill: Option<i64>,
}

/// What a number is about: everything of its fact but the number.
type About = (Signature, Vec<Value>);

/// Frames on a grid, segment by segment or all side by side. What is kept is a frame of each segment that is open, and the
/// numbers that may be repeated.
pub(crate) struct Gridded {
    grid: Grid,
    /// How far the clock is ahead: cells begin at its full hours.
    ahead: i64,
    segments: IndexMap<Symbol, Segment, FxBuildHasher>,
}

#[derive(Default)]
struct Segment {
    /// The frame whose rows still come.
    open: Option<Frame>,
    /// The last number of each thing, and the time of its frame.
    known: IndexMap<About, (Value, i64), FxBuildHasher>,
}

impl Gridded {
    pub(crate) fn new(grid: Grid, ahead: i64) -> Gridded {
        Gridded { grid, ahead, segments: IndexMap::default() }
    }

    /// Takes a frame; gives the one before it in its segment, where that is complete. Frames of a segment come in order.
    pub(crate) fn push(&mut self, mut frame: Frame) -> Option<Frame> {
        if let Some(cell) = self.grid.cell {
            let own = frame.time.saturating_add(self.ahead).div_euclid(cell);
            frame.time = own.saturating_mul(cell).saturating_sub(self.ahead);
        }
        let fill = self.grid.fill;
        let segment = self.segments.entry(frame.segment).or_default();
        match &mut segment.open {
            Some(open) if open.time == frame.time => {
                frame.narrative.iter().for_each(|(signature, values)| open.narrative.push(signature, values));
                for (signature, values) in frame.annotation.iter() {
                    if !open.annotation.contains(signature, values) {
                        open.annotation.push(signature, values);
                    }
                }
                None
            }
            open => open.replace(frame).map(|frame| segment.complete(frame, fill)),
        }
    }

    /// Ends a segment, or all of them where none is named: gives the frames that were open, in the order of their times.
    pub(crate) fn end(&mut self, which: Option<Symbol>) -> Vec<Frame> {
        let fill = self.grid.fill;
        let over = match which {
            Some(segment) => self.segments.shift_remove(&segment).into_iter().collect(),
            None => std::mem::take(&mut self.segments).into_values().collect::<Vec<_>>(),
        };
        let mut frames: Vec<Frame> = over
            .into_iter()
            .filter_map(|mut segment| segment.open.take().map(|frame| segment.complete(frame, fill)))
            .collect();
        frames.sort_by_key(|frame| frame.time);
        frames
    }
}

impl Segment {
    /// A frame whose rows have all come.
    fn complete(&mut self, mut frame: Frame, fill: Option<i64>) -> Frame {
        // Where the last number of each thing stands.
        let mut last: IndexMap<About, usize, FxBuildHasher> = IndexMap::default();
        for (at, (signature, values)) in frame.narrative.iter().enumerate() {
            if let Some((about, _)) = measured(signature, values) {
                last.insert(about, at);
            }
        }
        let mut narrative = Facts::with_capacity(frame.narrative.len(), frame.narrative.value_count());
        for (at, (signature, values)) in frame.narrative.iter().enumerate() {
            match measured(signature, values) {
                Some((about, _)) if last[&about] != at => {}
                Some((about, number)) => {
                    narrative.push(signature, values);
                    if fill.is_some() {
                        self.known.insert(about, (number, frame.time));
                    }
                }
                None => narrative.push(signature, values),
            }
        }
        if let Some(most) = fill {
            let time = frame.time;
            self.known.retain(|_, (_, reported)| time.saturating_sub(*reported) <= most);
            for ((signature, about), (number, reported)) in &self.known {
                if *reported < time {
                    narrative.push_each(*signature, about.iter().copied().chain([*number]));
                }
            }
        }
        frame.narrative = narrative;
        frame
    }
}

/// What a fact is about and its number, if a number is the last of its values. A number alone is about nothing else.
fn measured(signature: Signature, values: &[Value]) -> Option<(About, Value)> {
    let (number, about) = values.split_last()?;
    // What happened twice happened twice, and not once more later.
    let event = signature.name().as_str() == ec::HAPPENS;
    (!event && matches!(number, Value::Int(_) | Value::Real(_))).then(|| ((signature, about.to_vec()), *number))
}
