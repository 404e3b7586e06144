//! Layered: what is recognised where rules ask for fluents whose rules are weighed: layer by layer, when a segment ends.

use super::chains::Chains;
use super::firing::Firing;
use super::recognised::{Confidence, Decision};
use super::weight::Weights;
use crate::calculus::Interval;
use crate::evaluate::Timetable;
use crate::lang::{Bias, Problems, Theory};
use crate::logic::Stop;
use crate::stream::Frame;
use crate::task::Task;

/// Recognises with weights, layer by layer. Memory is that of a segment.
#[derive(Clone, Debug)]
pub struct Layered {
    layers: Vec<Firing>,
    bias: Bias,
    weights: Weights,
    decision: Decision,
    /// The frames of segments that have not ended.
    frames: Vec<Frame>,
    stop: Option<Stop>,
}

impl Layered {
    /// What a theory with weights recognises. The weights are in the order of the layers.
    pub fn new(task: &Task, layers: Vec<Firing>, weights: Weights, decision: Decision) -> Layered {
        let bias = task.bias.clone();
        Layered { layers, bias, weights, decision, frames: Vec::new(), stop: None }
    }

    /// Why not everything was derived that follows from the frames of a segment that has ended, if it was not.
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Takes a frame. Intervals of segments that have ended are added, with how sure they are.
    pub fn observe(&mut self, frame: &Frame, closed: &mut Vec<(Interval, Confidence)>) {
        if self.layers[0].is_interleaved() || self.frames.last().is_none_or(|last| last.segment == frame.segment) {
            self.frames.push(frame.clone());
            return;
        }
        self.finish(closed);
        self.frames.push(frame.clone());
    }

    /// Ends all segments.
    pub fn finish(&mut self, closed: &mut Vec<(Interval, Confidence)>) {
        let frames = std::mem::take(&mut self.frames);
        let known = Timetable::empty(&self.bias);
        let found = climb(&mut self.layers, &self.weights, self.decision, known, || frames.iter());
        self.stop = self.layers.iter().find_map(|layer| layer.stop().cloned());
        closed.extend(found.intervals);
    }
}

/// What is recognised of a stream.
pub struct Recognition {
    /// What fires, of all fluents in the order of their layers.
    pub chains: Chains,
    /// The intervals, in that order, with how sure they are.
    pub intervals: Vec<(Interval, Confidence)>,
    /// What holds at each time point.
    pub timetable: Timetable,
}

/// What a theory with weights recognises of frames in memory.
pub fn recognise<'f, F: Iterator<Item = &'f Frame>>(
    task: &Task,
    theory: &Theory,
    weights: &Weights,
    decision: Decision,
    frames: impl Fn() -> F,
) -> Result<Recognition, Problems> {
    let mut layers = Firing::layers(task, theory)?;
    Ok(climb(&mut layers, weights, decision, Timetable::empty(&task.bias), frames))
}

impl Chains {
    /// What weights recognise where these chains are of the only layer.
    pub fn recognised(self, task: &Task, weights: &Weights, decision: Decision) -> Recognition {
        let intervals = self.intervals(weights, decision);
        let mut timetable = Timetable::empty(&task.bias);
        timetable.add_of(&self, intervals.iter().map(|(interval, _)| interval));
        Recognition { chains: self, intervals, timetable }
    }
}

/// Recognises one layer after the other.
fn climb<'f, F: Iterator<Item = &'f Frame>>(
    layers: &mut [Firing],
    weights: &Weights,
    decision: Decision,
    timetable: Timetable,
    frames: impl Fn() -> F,
) -> Recognition {
    let mut found = Recognition { chains: Chains::default(), intervals: Vec::new(), timetable };
    let mut left = weights.fluents.iter();
    for layer in layers {
        let weights = Weights { fluents: left.by_ref().take(layer.fluents().len()).cloned().collect() };
        let chains = fire(layer, frames(), &found.timetable);
        let intervals = chains.intervals(&weights, decision);
        found.timetable.add_of(&chains, intervals.iter().map(|(interval, _)| interval));
        found.intervals.extend(intervals);
        found.chains.extend(chains);
    }
    found
}

/// What fires of a layer, with what is known of those below.
pub(super) fn fire<'f>(layer: &mut Firing, frames: impl IntoIterator<Item = &'f Frame>, known: &Timetable) -> Chains {
    for frame in frames {
        layer.observe_with(frame, known.at(frame.segment, frame.time).all());
        if layer.stop().is_some() {
            break;
        }
    }
    layer.take()
}
