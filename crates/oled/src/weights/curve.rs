//! Curve: precision and recall at every threshold of probability.

use super::calibrate::Calibration;
use super::chains::FluentChains;
use super::weight::FluentWeights;
use crate::evaluate::Confusion;

/// How probable a fluent was said to be at each time point whose label is known, the most probable first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// Probabilities with whether it is annotated.
    points: Vec<(f64, bool)>,
    /// Annotated time points at which nothing speaks for it.
    missed: u64,
}

impl Curve {
    /// The curve of a fluent with weights.
    pub fn new(fluent: &FluentChains, weights: &FluentWeights) -> Curve {
        let mut points = Vec::new();
        Calibration::of(fluent, weights)
            .for_each(weights.temperature, |probable, holds| points.push((probable, holds)));
        points.sort_by(|a, b| b.0.total_cmp(&a.0));
        Curve { points, missed: fluent.missed.values().sum() }
    }

    /// How many time points are annotated.
    fn held(&self) -> u64 {
        self.missed + self.points.iter().filter(|(_, holds)| *holds).count() as u64
    }

    /// The time points, each with its probability and whether it is annotated, the most probable first.
    pub fn points(&self) -> &[(f64, bool)] {
        &self.points
    }

    /// How many annotated time points there are at which nothing speaks for it.
    pub fn missed(&self) -> u64 {
        self.missed
    }

    /// What is right and wrong where everything holds that is at least so probable.
    pub fn at(&self, threshold: f64) -> Confusion {
        let above = self.points.iter().take_while(|(p, _)| *p >= threshold);
        let mut counts = Confusion::default();
        above.for_each(|(_, holds)| if *holds { counts.tp += 1 } else { counts.fp += 1 });
        counts.fn_ = self.held() - counts.tp;
        counts
    }

    /// The area under precision over recall: the mean precision at all annotated time points. Points that are equally probable
    /// are taken together.
    pub fn area(&self) -> f64 {
        let (mut area, mut right, mut all) = (0.0, 0_u64, 0_u64);
        for same in self.points.chunk_by(|a, b| a.0 == b.0) {
            let own = same.iter().filter(|(_, holds)| *holds).count() as u64;
            right += own;
            all += same.len() as u64;
            area += own as f64 * right as f64 / all as f64;
        }
        match self.held() {
            0 => 0.0,
            held => area / held as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_area_is_the_mean_precision_where_something_is_annotated() {
        let curve = Curve { points: vec![(0.9, true), (0.8, false), (0.7, true), (0.7, false)], missed: 1 };
        // Precision is 1 at the first one, 1/2 at the one that shares its probability, and one is never found.
        assert!((curve.area() - (1.0 + 0.5) / 3.0).abs() < 1e-12, "{}", curve.area());
        assert_eq!(curve.at(0.75), Confusion { tp: 1, fp: 1, fn_: 2 });
        assert_eq!(curve.at(0.0), Confusion { tp: 2, fp: 2, fn_: 1 });
        assert_eq!(Curve::default().area(), 0.0);
    }
}
