//! Confidence: what is known of the probabilities of a row, over all its folds.

use std::collections::BTreeMap;

use crate::results::{FoldWeights, Results, Score, Sureness};

/// What a row with weights says of a fluent.
pub(super) struct Confidence<'a> {
    pub(super) score: &'a Score,
    /// Precision and recall where everything holds that is at least so probable, the most probable first.
    pub(super) curve: Vec<Threshold>,
    /// The mean precision at all annotated time points; none where results have no curve.
    pub(super) area: Option<f64>,
    /// For each tenth of probability with time points: their number, the mean of what was said of them, and the share at which
    /// it was so; without and with the temperature.
    pub(super) reliability: [Vec<(u64, f64, f64)>; 2],
    /// The mean difference of what was said and what was so.
    pub(super) errors: [Option<f64>; 2],
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold {
    pub(super) probability: f64,
    pub(super) precision: f64,
    pub(super) recall: f64,
}

/// What all rows with weights say, in the order of the scores.
pub(super) fn confidences(results: &Results) -> Vec<Confidence<'_>> {
    results.results.iter().filter_map(confidence).collect()
}

/// What a row says of a fluent, if it has weights.
pub(super) fn confidence(score: &Score) -> Option<Confidence<'_>> {
    let folds: Vec<&FoldWeights> = score.folds.iter().filter_map(|fold| fold.weights.as_ref()).collect();
    if folds.is_empty() {
        return None;
    }
    let (curve, area) = curve(&folds);
    let reliability = [0, 1].map(|which| reliability(&folds, which));
    let errors = [0, 1].map(|which: usize| error(&reliability[which]));
    Some(Confidence { score, curve, area, reliability, errors })
}

/// The curve of all folds together, and the area under it. Points that are equally probable are taken together.
fn curve(folds: &[&FoldWeights]) -> (Vec<Threshold>, Option<f64>) {
    let mut points: BTreeMap<i32, Sureness> = BTreeMap::new();
    for own in folds.iter().flat_map(|fold| &fold.curve) {
        let all = points.entry(own.steps).or_insert(Sureness { steps: own.steps, ..Sureness::default() });
        all.annotated += own.annotated;
        all.absent += own.absent;
    }
    let missed: u64 = folds.iter().map(|fold| fold.missed).sum();
    let held = missed + points.values().map(|point| point.annotated).sum::<u64>();
    if points.is_empty() || held == 0 {
        return (Vec::new(), None);
    }
    let (mut right, mut said, mut area) = (0, 0, 0.0);
    let point = |point: &Sureness| {
        right += point.annotated;
        said += point.annotated + point.absent;
        let (precision, recall) = (right as f64 / said as f64, right as f64 / held as f64);
        area += point.annotated as f64 * precision;
        Threshold { probability: point.probability(), precision, recall }
    };
    let curve = points.values().rev().map(point).collect();
    (curve, Some(area / held as f64))
}

/// The tenths of all folds together.
fn reliability(folds: &[&FoldWeights], which: usize) -> Vec<(u64, f64, f64)> {
    let tenths = folds.iter().map(|fold| fold.reliability[which].len()).max().unwrap_or(0);
    let tenth = |i: usize| {
        let rows = folds.iter().filter_map(|fold| fold.reliability[which].get(i));
        let (mut count, mut said, mut so) = (0, 0.0, 0.0);
        for (own, mean, share) in rows {
            count += own;
            said += *own as f64 * mean;
            so += *own as f64 * share;
        }
        (count > 0).then(|| (count, said / count as f64, so / count as f64))
    };
    (0..tenths).filter_map(tenth).collect()
}

fn error(rows: &[(u64, f64, f64)]) -> Option<f64> {
    let all: u64 = rows.iter().map(|(count, ..)| count).sum();
    let apart: f64 = rows.iter().map(|(count, said, so)| *count as f64 * (said - so).abs()).sum();
    (all > 0).then(|| apart / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::FoldScore;

    #[test]
    fn folds_make_one_curve_and_one_table() {
        let at = |steps: i32, annotated: u64, absent: u64| Sureness { steps, annotated, absent };
        let fold = |curve: Vec<Sureness>, missed: u64, rows: Vec<(u64, f64, f64)>| FoldScore {
            weights: Some(FoldWeights { curve, missed, reliability: [rows.clone(), rows], ..FoldWeights::default() }),
            ..FoldScore::default()
        };
        let one = fold(vec![at(16, 3, 1), at(0, 1, 1)], 0, vec![(4, 0.05, 0.0), (0, 0.0, 0.0)]);
        let other = fold(vec![at(16, 1, 0), at(-16, 0, 5)], 2, vec![(12, 0.01, 0.25), (2, 0.2, 0.5)]);
        let score = Score { folds: vec![one, other, FoldScore::default()], ..Score::default() };
        let confidence = confidence(&score).unwrap();
        let pairs: Vec<(f64, f64)> = confidence.curve.iter().map(|t| (t.precision, t.recall)).collect();
        assert_eq!(pairs, [(4.0 / 5.0, 4.0 / 7.0), (5.0 / 7.0, 5.0 / 7.0), (5.0 / 12.0, 5.0 / 7.0)]);
        let area = (4.0 * (4.0 / 5.0) + 5.0 / 7.0) / 7.0;
        assert!((confidence.area.unwrap() - area).abs() < 1e-12);
        assert!((confidence.curve[1].probability - 0.5).abs() < 1e-12);
        let (count, said, so) = confidence.reliability[1][0];
        assert_eq!((count, confidence.reliability[1].len()), (16, 2));
        assert!((said - 0.02).abs() < 1e-12 && (so - 3.0 / 16.0).abs() < 1e-12);
        let apart = (16.0 * (3.0 / 16.0 - 0.02) + 2.0 * 0.3) / 18.0;
        assert!((confidence.errors[0].unwrap() - apart).abs() < 1e-12);
    }

    #[test]
    fn older_results_have_a_table_and_no_curve() {
        let old = r#"{"rules":[1.0],"holding":1.0,"absent":1.0,"quiet":false,"temperature":1.0,"used":true,
            "reliability":[[[3,0.5,1.0]],[[3,0.5,1.0]]]}"#;
        let weights: FoldWeights = serde_json::from_str(old).unwrap();
        let folds = vec![FoldScore { weights: Some(weights), ..FoldScore::default() }];
        let score = Score { folds, ..Score::default() };
        let confidence = confidence(&score).unwrap();
        assert_eq!((confidence.area, confidence.errors), (None, [Some(0.5); 2]));
        assert!(
            super::confidence(&Score::default()).is_none(),
            "rules without weights say nothing of how sure they are"
        );
    }

    #[test]
    fn steps_tell_probabilities_apart_at_both_ends() {
        for probability in [1e-5, 0.001, 0.01, 0.3, 0.5, 0.9, 0.999, 0.99999] {
            let back = Sureness { steps: Sureness::steps(probability), ..Sureness::default() }.probability();
            let ratio = (back / probability).ln().abs().max(((1.0 - back) / (1.0 - probability)).ln().abs());
            assert!(ratio <= 1.0 / 128.0 + 1e-9, "{probability} {back}");
        }
        assert_eq!([0.0, 1.0].map(Sureness::steps), [-Sureness::MOST, Sureness::MOST]);
    }
}
