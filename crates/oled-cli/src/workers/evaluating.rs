//! Evaluation side by side: each worker counts what it recognises in its segments, or of its entities, and counts are merged.

use std::sync::atomic::AtomicBool;

use oled::partition::{Groups, Place, Told, Worker};
use oled::{Evaluation, Frame, Recogniser, StateError, Symbol, Tracks};

use super::run;
use crate::input::too_much;
use crate::progress::Progress;
use crate::source::Source;

/// A worker that counts.
#[derive(Clone)]
struct Evaluating {
    recogniser: Recogniser,
    evaluation: Evaluation,
    /// Runs of time points, where intervals are asked for.
    tracks: Option<Tracks>,
}

impl Worker for Evaluating {
    fn over(&mut self, _: Symbol, _: &Place, _: &mut Vec<Told>) {
        self.recogniser.finish(&mut Vec::new());
    }

    fn frame(&mut self, frame: &Frame, place: &Place, _: &mut Vec<Told>) -> Result<(), String> {
        // Intervals are of no use here; what holds at the frame is.
        self.recogniser.observe(frame, &mut Vec::new());
        if let Some(stop) = self.recogniser.stop() {
            return Err(too_much(stop, frame).to_string());
        }
        self.evaluation.at(place.frame);
        match place.part {
            // The frame is counted with the first part.
            Some(1..) => self.evaluation.count_part(&self.recogniser, frame),
            _ => self.evaluation.count(&self.recogniser, frame),
        }
        if let Some(tracks) = &mut self.tracks {
            tracks.at(place.frame);
            tracks.add(&self.recogniser, frame);
        }
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<Told>) {}

    fn save(&mut self) -> Vec<u8> {
        self.evaluation.save()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.evaluation.restore(state)
    }
}

/// Counts what a recogniser recognises in a stream, on so many workers, to which segments are dealt out in parts where entities are
/// apart; gives back the stream, which has ended.
pub(crate) fn evaluate(
    (recogniser, evaluation, tracks): (&Recogniser, &mut Evaluation, &mut Option<Tracks>),
    (frames, interleaved, groups): (Source, bool, Option<Groups>),
    workers: usize,
    progress: &mut Progress,
) -> anyhow::Result<Source> {
    let one = Evaluating { recogniser: recogniser.clone(), evaluation: evaluation.clone(), tracks: tracks.clone() };
    let never = AtomicBool::new(false);
    let (frames, workers) = run(frames, (interleaved, groups), vec![one; workers], &never, progress, |_| Ok(()))?;
    for worker in workers {
        evaluation.merge(worker.evaluation);
        if let (Some(tracks), Some(own)) = (tracks.as_mut(), worker.tracks) {
            tracks.merge(own);
        }
    }
    Ok(frames)
}
