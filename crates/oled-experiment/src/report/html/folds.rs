//! Folds: what was counted in each fold of each order, folded away.

use super::super::Group;
use super::super::number::{count, or_nothing, quantity, share};
use super::escape;
use crate::results::FoldScore;

/// Adds the counts of all folds of a data set. There may be thousands, so the markup is as terse as HTML allows.
pub(super) fn details(body: &mut String, groups: &[Group<'_>]) {
    let scores: Vec<_> = groups.iter().flat_map(|g| &g.ours).filter(|s| !s.folds.is_empty()).collect();
    if scores.is_empty() {
        return;
    }
    body.push_str("<details class=\"folds\"><summary>Counts of each fold</summary>\n");
    for score in scores {
        put!(
            body,
            "<details><summary><code>{}</code> {} <span class=\"soft\">{} folds and orders</span></summary>\
            <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Folds\"><table class=\"plain\">\
            <thead><tr><th>Order<th>Fold<th>TP<th>FP<th>FN<th>P<th>R<th>F1<th>Rules<th>Literals<th>Seconds<tbody>\n",
            escape(&score.fluent),
            escape(&score.row),
            score.folds.len()
        );
        for fold in &score.folds {
            let FoldScore { fold, order, tp, fp, fn_, literals, rules, seconds } = fold;
            let of = |whole: u64| if whole == 0 { f64::NAN } else { *tp as f64 / whole as f64 };
            let f1 = if 2 * tp + fp + fn_ == 0 { f64::NAN } else { 2.0 * *tp as f64 / (2 * tp + fp + fn_) as f64 };
            put!(
                body,
                "<tr><td>{order}<td>{fold}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{rules}<td>{literals}<td>{}\n",
                count(tp),
                count(fp),
                count(fn_),
                share(of(tp + fp)),
                share(of(tp + fn_)),
                share(f1),
                or_nothing(*seconds, quantity)
            );
        }
        body.push_str("</table></div></details>\n");
    }
    body.push_str("</details>\n");
}
