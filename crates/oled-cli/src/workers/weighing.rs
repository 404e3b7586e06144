//! Weighing side by side: each worker notes which rules fire in its segments, and their chains are put together in the order of the
//! stream.

use std::sync::atomic::AtomicBool;

use oled::evaluate::LastLabel;
use oled::partition::{Place, Told, Worker};
use oled::weights::{Chains, Firing};
use oled::{Evaluation, Frame, Recogniser, StateError, Symbol};

use super::run;
use crate::input::too_much;
use crate::progress::Progress;
use crate::source::Source;

/// What is counted of a stream before rules are weighed.
#[derive(Clone)]
pub(crate) struct Counted {
    pub(crate) firing: Firing,
    pub(crate) recogniser: Recogniser,
    /// What rules without weights recognise.
    pub(crate) evaluation: Evaluation,
    /// What the last label says.
    pub(crate) repeated: LastLabel,
}

impl Counted {
    /// Counts a frame.
    pub(crate) fn observe(&mut self, frame: &Frame) -> anyhow::Result<()> {
        self.firing.observe(frame);
        self.recogniser.observe(frame, &mut Vec::new());
        if let Some(stop) = self.firing.stop().or(self.recogniser.stop()) {
            return Err(too_much(stop, frame));
        }
        self.evaluation.count(&self.recogniser, frame);
        self.repeated.count(self.recogniser.symmetries(), frame);
        Ok(())
    }
}

/// A worker that counts.
#[derive(Clone)]
struct Counts {
    counted: Counted,
    /// The number of the segment that it is in.
    segment: u64,
    /// The chains of those before, with their numbers.
    chains: Vec<(u64, Chains)>,
}

impl Worker for Counts {
    fn over(&mut self, _: Symbol, _: &Place, _: &mut Vec<Told>) {
        self.chains.push((self.segment, self.counted.firing.take_apart()));
    }

    fn frame(&mut self, frame: &Frame, place: &Place, _: &mut Vec<Told>) -> Result<(), String> {
        self.segment = place.segment;
        self.counted.evaluation.at(place.frame);
        self.counted.repeated.at(place.frame);
        self.counted.observe(frame).map_err(|error| format!("{error:#}"))
    }

    fn end(&mut self, _: &mut Vec<Told>) {
        self.chains.push((self.segment, self.counted.firing.take_apart()));
    }

    fn save(&mut self) -> Vec<u8> {
        Vec::new()
    }

    fn restore(&mut self, _: &[u8]) -> Result<(), StateError> {
        Err(StateError::new("what is counted of segments is not saved"))
    }
}

/// Counts a stream whose segments come one after the other, on so many workers; gives back the stream, which has ended, and all
/// chains.
pub(crate) fn count(
    counted: &mut Counted,
    frames: Source,
    workers: usize,
    progress: &mut Progress,
) -> anyhow::Result<(Source, Chains)> {
    let one = Counts { counted: counted.clone(), segment: 0, chains: Vec::new() };
    let never = AtomicBool::new(false);
    let (frames, workers) = run(frames, (false, None), vec![one; workers], &never, progress, |_| Ok(()))?;
    let mut parts = Vec::new();
    for mut worker in workers {
        worker.end(&mut Vec::new());
        parts.append(&mut worker.chains);
        counted.evaluation.merge(worker.counted.evaluation);
        counted.repeated.merge(worker.counted.repeated);
    }
    parts.sort_by_key(|(segment, _)| *segment);
    let mut chains = counted.firing.take_apart();
    parts.into_iter().for_each(|(_, part)| chains.append(part));
    Ok((frames, chains))
}
