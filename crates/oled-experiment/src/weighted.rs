//! Weighted: a theory of a fold whose rules are given weights, and what they recognise.

use oled::weights::{Calibration, Costs, Decision, Firing, Timetable, Weights, weigh_chains};
use oled::{Evaluation, Frame, Recogniser, Signature, Theory};
use oled_data::task_folder::TaskFolder;

use crate::data::Unit;
use crate::{Error, FoldWeights, Row};

/// A theory with weights.
pub(crate) struct Weighted {
    pub(crate) theory: Theory,
    weights: Weights,
}

/// Learns weights. Those of rules that are given are used; those of rules that were learned are where they do better on
/// segments that they were not learned from than the rules alone.
pub(crate) fn weigh(
    folder: &TaskFolder,
    row: &Row,
    theory: &Theory,
    training: &[&Unit],
    costs: &Costs,
) -> Result<Weighted, Error> {
    let frames = || training.iter().flat_map(|unit| &unit.frames);
    let mut firing = Firing::new(&folder.task, theory)?;
    frames().for_each(|frame| firing.observe(frame));
    let chains = firing.finish();
    let mut weighed = weigh_chains(&chains, costs);
    if row.has_story() {
        let mut recogniser = Recogniser::new(&folder.task, theory)?;
        let mut evaluation = Evaluation::new(&folder.task.labels());
        for frame in frames() {
            recogniser.observe(frame, &mut Vec::new());
            evaluation.count(&recogniser, frame);
        }
        weighed.let_rules_decide(&chains, &evaluation, costs);
    }
    let theory = weighed.weights.write(theory, &chains.fluents);
    Ok(Weighted { theory, weights: weighed.weights })
}

impl Weighted {
    /// What is recognised of frames, and for each fluent its weights, with how reliable probabilities are.
    pub(crate) fn recognise<'f, F: Iterator<Item = &'f Frame>>(
        &self,
        folder: &TaskFolder,
        theory: &Theory,
        frames: impl Fn() -> F,
    ) -> Result<(Timetable, Vec<(Signature, FoldWeights)>), Error> {
        let mut firing = Firing::new(&folder.task, theory)?;
        frames().for_each(|frame| firing.observe(frame));
        let chains = firing.finish();
        let intervals = chains.intervals(&self.weights, Decision::Best);
        let intervals = intervals.iter().map(|(interval, _)| interval);
        let timetable = Timetable::new(&chains, folder.task.bias.symmetries(), intervals);
        let fluents = chains.fluents.iter().zip(&self.weights.fluents);
        let records = fluents.map(|(fluent, weights)| {
            let calibration = Calibration::of(fluent, weights);
            let record = FoldWeights {
                rules: weights.rules.clone(),
                holding: weights.holding,
                absent: weights.absent,
                quiet: weights.quiet,
                temperature: weights.temperature,
                used: weights.decide,
                reliability: [1.0, weights.temperature].map(|t| calibration.reliability(t).rows().collect()),
            };
            (fluent.label, record)
        });
        Ok((timetable, records.collect()))
    }
}
