//! Weighted: a theory of a fold whose rules are given weights, and what they recognise.

use oled::weights::{Calibration, Costs, Curve, Decision, Inertia, Method, Timetable, Weighing, Weights, recognise};
use oled::{Evaluation, Frame, Recogniser, Signature, Theory};
use oled_data::task_folder::TaskFolder;

use crate::data::Unit;
use crate::{Error, FoldWeights, Sureness};

/// How the rules of a row are given weights.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RowWeights {
    /// What errors cost.
    pub costs: Costs,
    /// How weights are learned.
    pub method: Method,
    /// Whether rules that were learned have their say where weights do not better on segments that those were not learned
    /// from. Weights of rules that are given always decide.
    pub or_rules: bool,
}

/// A theory with weights.
pub(crate) struct Weighted {
    pub(crate) theory: Theory,
    weights: Weights,
}

/// Learns the weights of rules, which were `learned` from the same data or are given.
pub(crate) fn weigh(
    folder: &TaskFolder,
    of: &RowWeights,
    theory: &Theory,
    learned: bool,
    training: &[&Unit],
) -> Result<Weighted, Error> {
    let frames = || training.iter().flat_map(|unit| &unit.frames);
    let mut evaluation = None;
    if learned && of.or_rules {
        let mut recogniser = Recogniser::new(&folder.task, theory)?;
        let counts = evaluation.insert(Evaluation::new(&folder.task.labels()));
        for frame in frames() {
            recogniser.observe(frame, &mut Vec::new());
            counts.count(&recogniser, frame);
        }
    }
    let weighing = Weighing { costs: of.costs, method: of.method, rules: evaluation.as_ref(), threads: 1 };
    let weighed = weighing.learn(&folder.task, theory, frames)?;
    let theory = weighed.weights.write(theory, &weighed.chains.fluents);
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
        let found = recognise(&folder.task, theory, &self.weights, Decision::Best, frames)?;
        let fluents = found.chains.fluents.iter().zip(&self.weights.fluents);
        let records = fluents.map(|(fluent, weights)| {
            let (calibration, curve) = (Calibration::of(fluent, weights), Curve::new(fluent, weights));
            let record = FoldWeights {
                rules: weights.rules.clone(),
                holding: weights.holding,
                absent: weights.absent,
                quiet: weights.inertia == Inertia::Quiet,
                temperature: weights.temperature,
                used: weights.decide,
                reliability: [1.0, weights.temperature].map(|t| calibration.reliability(t).rows().collect()),
                curve: surenesses(&curve),
                missed: curve.missed(),
            };
            (fluent.label, record)
        });
        let records = records.collect();
        Ok((found.timetable, records))
    }
}

/// The time points of a curve, by how probable they are.
fn surenesses(curve: &Curve) -> Vec<Sureness> {
    let same = |a: &(f64, bool), b: &(f64, bool)| Sureness::steps(a.0) == Sureness::steps(b.0);
    let all = curve.points().chunk_by(same).map(|points| {
        let annotated = points.iter().filter(|(_, holds)| *holds).count() as u64;
        let (steps, absent) = (Sureness::steps(points[0].0), points.len() as u64 - annotated);
        Sureness { steps, annotated, absent }
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use oled::parse_theory;
    use oled_data::world::{World, WorldOptions};

    use super::*;

    #[test]
    fn a_curve_by_sureness_has_about_the_area_of_the_exact_one() {
        let folder = TaskFolder::embedded();
        let source = folder.theory(Path::new("hand")).unwrap();
        let theory = parse_theory(&source.name, &source.text).unwrap();
        let options = WorldOptions { segments: 4, frames: 150, people: 3, ..WorldOptions::default() };
        let frames: Vec<Frame> = World::new(options).collect();
        let weighed = Weighing::default().learn(&folder.task, &theory, || frames.iter()).unwrap();
        let chains = weighed.chains;
        let mut compared = 0;
        for (fluent, weights) in chains.fluents.iter().zip(&weighed.weights.fluents) {
            let curve = Curve::new(fluent, weights);
            let points = surenesses(&curve);
            assert!(points.windows(2).all(|pair| pair[0].steps > pair[1].steps), "the most probable first");
            let all: u64 = points.iter().map(|point| point.annotated + point.absent).sum();
            assert_eq!(all as usize, curve.points().len());
            let held = curve.missed() + points.iter().map(|point| point.annotated).sum::<u64>();
            let (mut area, mut right, mut said) = (0.0, 0, 0);
            for point in &points {
                right += point.annotated;
                said += point.annotated + point.absent;
                area += point.annotated as f64 * right as f64 / said as f64;
            }
            let area = area / held.max(1) as f64;
            // Within long runs probabilities differ by less than a step, and the exact curve tells them apart.
            assert!((area - curve.area()).abs() < 0.02, "{}: {area} {}", fluent.name(), curve.area());
            compared += usize::from(area > 0.0);
        }
        assert!(compared > 1);
    }
}
