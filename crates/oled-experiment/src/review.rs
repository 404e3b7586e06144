//! Review: what the rules at the end of a run recognise in the stream that they were learned from.

use oled::{Evaluation, Frame, Problems, Recogniser, Task, Theory, Tracks};

use crate::fold::{rules_of, timelines};
use crate::row::name;
use crate::{DataSummary, FinalScore, Results};

/// A second look at a stream, with the final rules. What it keeps grows with the number of intervals, not of time points.
#[derive(Debug)]
pub struct Review {
    task: Task,
    theory: Theory,
    recogniser: Recogniser,
    evaluation: Evaluation,
    tracks: Tracks,
}

impl Review {
    /// Nothing seen yet.
    pub fn new(task: &Task, theory: Theory) -> Result<Review, Problems> {
        let targets = task.labels();
        Ok(Review {
            recogniser: Recogniser::new(task, &theory)?,
            task: task.clone(),
            theory,
            evaluation: Evaluation::new(&targets),
            tracks: Tracks::new(&targets),
        })
    }

    /// Recognises what holds at a frame, and compares it with the labels.
    pub fn observe(&mut self, frame: &Frame) {
        self.recogniser.observe(frame, &mut Vec::new());
        self.evaluation.count(&self.recogniser, frame);
        self.tracks.add(&self.recogniser, frame);
    }

    /// Adds what was seen to the results of a run, whose data set is described and whose row has a name.
    pub fn finish(&self, mut data: DataSummary, row: &str, results: &mut Results) {
        let counts = self.evaluation.by_fluent();
        for target in self.task.labels() {
            let fluent = name(target);
            let of = counts.get(&fluent).copied().unwrap_or_default();
            let rules = rules_of(&self.theory, target);
            results.fits.push(FinalScore {
                fluent: fluent.as_str().into(),
                rules: rules.len(),
                literals: rules.iter().map(|c| c.body.len() + 1).sum(),
                tp: of.tp,
                fp: of.fp,
                fn_: of.fn_,
                held_out: None,
            });
            if self.recogniser.symmetries().has(target) {
                data.symmetric.push(fluent.as_str().into());
            }
            data.positives.push((fluent.as_str().into(), of.tp + of.fn_));
        }
        data.segments = self.tracks.segments().count();
        data.frames = self.evaluation.frames();
        results.timelines.extend(timelines(&self.tracks, &data.name, row));
        results.data.push(data);
    }
}
