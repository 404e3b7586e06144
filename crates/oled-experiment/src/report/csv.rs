//! CSV: one line for each score, ours and others', with all its numbers unrounded.

use oled_data::csv_field;

use super::confidence::{Confidence, confidence};
use crate::results::{Published, Results, Score, SpreadOver};

/// The columns; `kind` is `ours` or `published`.
const COLUMNS: &str = "kind,protocol,row,learner,preset,fluent,precision,recall,f1,f1_spread,spread_over,rules,literals,seconds,\
    orders,folds,interval_share,intervals_annotated,intervals_recognised,intervals_found,interval_precision,\
    interval_recall,interval_f1,delay,covered,false_alarms,hours,false_alarms_per_hour,symmetric,precision_recall_area,\
    calibration_error_before,calibration_error,source";

/// The scores as CSV (RFC 4180, lines ending in a line feed): a line for each protocol, row, learner, preset and fluent.
pub fn csv(results: &Results) -> String {
    let mut text = format!("{COLUMNS}\n");
    let lines = results.results.iter().map(ours).chain(results.published.iter().map(published));
    for fields in lines {
        text.push_str(&fields.iter().map(|f| csv_field(f)).collect::<Vec<_>>().join(","));
        text.push('\n');
    }
    text
}

fn ours(score: &Score) -> Vec<String> {
    let Score { learner, preset, row, protocol, fluent, precision, recall, f1, literals, rules, .. } = score;
    let intervals = &score.intervals;
    let mut orders: Vec<u64> =
        score.orders.iter().map(|o| o.order).chain(score.folds.iter().map(|f| f.order)).collect();
    let mut folds: Vec<usize> = score.folds.iter().map(|f| f.fold).collect();
    orders.sort_unstable();
    orders.dedup();
    folds.sort_unstable();
    folds.dedup();
    let mut fields = vec!["ours".into()];
    fields.extend([protocol, row, learner, preset, fluent].map(Clone::clone));
    fields.extend([precision, recall, f1].map(|n| number(Some(*n))));
    fields.extend([number(score.f1_spread), score.spread_over.map_or("", SpreadOver::name).into()]);
    fields.extend([rules, literals].map(|n| number(Some(*n))));
    fields.extend([number(score.seconds), orders.len().to_string(), folds.len().to_string()]);
    fields.extend(
        [
            Some(intervals.share),
            Some(intervals.annotated),
            Some(intervals.recognised),
            Some(intervals.found),
            Some(intervals.precision),
            Some(intervals.recall),
            Some(intervals.f1),
            intervals.delay,
            Some(intervals.covered),
            Some(intervals.false_alarms),
            intervals.hours,
            intervals.false_alarms_per_hour,
        ]
        .map(number),
    );
    fields.push(score.symmetric.to_string());
    let confidence = confidence(score);
    let sure = |value: fn(&Confidence<'_>) -> Option<f64>| number(confidence.as_ref().and_then(value));
    fields.extend([sure(|c| c.area), sure(|c| c.errors[0]), sure(|c| c.errors[1]), String::new()]);
    fields
}

fn published(published: &Published) -> Vec<String> {
    let Published { system, protocol, fluent, precision, recall, f1, literals, seconds, source } = published;
    let mut fields: Vec<String> = vec!["published".into(), protocol.clone(), system.clone()];
    fields.extend([String::new(), String::new(), fluent.clone()]);
    fields.extend([*precision, *recall, Some(*f1), None, None, None, *literals, *seconds].map(number));
    // Orders, folds and the interval measures.
    fields.resize(COLUMNS.split(',').count() - 1, String::new());
    fields.push(source.clone());
    fields
}

fn number(value: Option<f64>) -> String {
    value.filter(|v| v.is_finite()).map_or_else(String::new, |v| v.to_string())
}
