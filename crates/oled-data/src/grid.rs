//! Grid: times are put on an even grid, and what was not reported is repeated for a while.
//!
//! The rows of one cell are one frame, at the start of the cell. Of facts about the same the last one stands: of numbers, told apart
//! by everything but the number at their end, and of states, by what their declaration says they are about. Both are repeated in
//! later frames of their segment until a newer one comes, or they are older than they may be.

use indexmap::IndexMap;
use oled::lang::ec;
use oled::{Facts, Frame, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

/// How a stream is put on a grid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grid {
    /// The length of a cell, in time units; `None` if times stay as they are.
    pub(crate) cell: Option<i64>,
    /// How old a number or a state may be that is repeated; `None` if none is.
    pub(crate) fill: Option<i64>,
}

/// What a number or a state is about: everything of its fact but that.
type About = (Signature, Vec<Value>);

/// Predicates that are states, each with the columns that say what they are about.
type States = IndexMap<Signature, Vec<usize>, FxBuildHasher>;

/// Frames on a grid, segment by segment or all side by side. What is kept is a frame of each segment that is open, and what may be
/// repeated.
pub(crate) struct Gridded {
    grid: Grid,
    states: States,
    /// How far the clock is ahead: cells begin at its full hours.
    ahead: i64,
    segments: IndexMap<Symbol, Segment, FxBuildHasher>,
}

#[derive(Default)]
struct Segment {
    /// The frame whose rows still come.
    open: Option<Frame>,
    /// The last row about each thing, and the time of its frame.
    known: IndexMap<About, (Vec<Value>, i64), FxBuildHasher>,
}

impl Gridded {
    pub(crate) fn new(grid: Grid, ahead: i64, states: &[(Signature, Vec<usize>)]) -> Gridded {
        Gridded { grid, states: states.iter().cloned().collect(), ahead, segments: IndexMap::default() }
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
            open => open.replace(frame).map(|frame| segment.complete(frame, fill, &self.states)),
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
            .filter_map(|mut segment| segment.open.take().map(|frame| segment.complete(frame, fill, &self.states)))
            .collect();
        frames.sort_by_key(|frame| frame.time);
        frames
    }
}

impl Segment {
    /// A frame whose rows have all come.
    fn complete(&mut self, mut frame: Frame, fill: Option<i64>, states: &States) -> Frame {
        // Where the last row about each thing stands.
        let mut last: IndexMap<About, usize, FxBuildHasher> = IndexMap::default();
        for (at, (signature, values)) in frame.narrative.iter().enumerate() {
            if let Some(about) = about(signature, values, states) {
                last.insert(about, at);
            }
        }
        let mut narrative = Facts::with_capacity(frame.narrative.len(), frame.narrative.value_count());
        for (at, (signature, values)) in frame.narrative.iter().enumerate() {
            match about(signature, values, states) {
                Some(about) if last[&about] != at => {}
                Some(about) => {
                    narrative.push(signature, values);
                    if fill.is_some() {
                        self.known.insert(about, (values.to_vec(), frame.time));
                    }
                }
                None => narrative.push(signature, values),
            }
        }
        if let Some(most) = fill {
            let time = frame.time;
            self.known.retain(|_, (_, reported)| time.saturating_sub(*reported) <= most);
            for ((signature, _), (values, reported)) in &self.known {
                if *reported < time {
                    narrative.push(*signature, values);
                }
            }
        }
        frame.narrative = narrative;
        frame
    }
}

/// What a fact is about, if it is a state, or a number is the last of its values. A number alone is about nothing else.
fn about(signature: Signature, values: &[Value], states: &States) -> Option<About> {
    if let Some(columns) = states.get(&signature) {
        return Some((signature, columns.iter().filter_map(|column| values.get(*column)).copied().collect()));
    }
    let (number, about) = values.split_last()?;
    // What happened twice happened twice, and not once more later.
    let event = signature.name().as_str() == ec::HAPPENS;
    (!event && matches!(number, Value::Int(_) | Value::Real(_))).then(|| (signature, about.to_vec()))
}
