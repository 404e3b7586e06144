//! Folds: what was counted in each fold of each order, folded away.

use super::super::Group;
use super::super::number::{count, or_nothing, quantity, share};
use super::escape;
use crate::results::FoldScore;

/// Adds the counts of all folds of a data set. There may be thousands, so the markup is as terse as HTML allows.
pub(super) fn details(body: &mut String, groups: &[Group<'_>]) {
    let ours = groups.iter().flat_map(|group| group.ours.iter().map(move |score| (group, *score)));
    let scores: Vec<_> = ours.filter(|(_, score)| !score.folds.is_empty()).collect();
    if scores.is_empty() {
        return;
    }
    body.push_str("<details class=\"folds\"><summary>Counts of each fold</summary>\n");
    for (group, score) in scores {
        let counting = group.counting(score).map_or_else(String::new, |how| format!("; {how}"));
        put!(
            body,
            "<details><summary><code>{}</code> {} <span class=\"soft\">{} folds and orders{counting}</span></summary>\
            <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"Folds\"><table class=\"plain\">\
            <thead><tr><th>Order<th>Fold<th>TP<th>FP<th>FN<th>P<th>R<th>F1<th>Rules<th>Literals<th>Seconds<tbody>\n",
            escape(&score.fluent),
            escape(&score.row),
            score.folds.len()
        );
        for fold in &score.folds {
            let FoldScore { fold: number, order, tp, fp, fn_, literals, rules, seconds, .. } = fold;
            let counts = fold.confusion();
            let of = |whole: u64, value: f64| if whole == 0 { f64::NAN } else { value };
            put!(
                body,
                "<tr><td>{order}<td>{number}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{rules}<td>{literals}<td>{}\n",
                count(tp),
                count(fp),
                count(fn_),
                share(of(tp + fp, counts.precision())),
                share(of(tp + fn_, counts.recall())),
                or_nothing(fold.f1(), share),
                or_nothing(*seconds, quantity)
            );
        }
        body.push_str("</table></div></details>\n");
    }
    body.push_str("</details>\n");
}
