//! Confidence: for each row with weights and each fluent, precision over recall and how reliable probabilities are.

use super::super::confidence::{Confidence, confidences};
use super::super::number::{count, or_nothing, share};
use super::super::svg;
use super::{Section, TABLE_END, escape, table_start};
use crate::results::Results;

/// The section of confidence.
pub(super) fn section(results: &Results) -> Option<Section> {
    let all = confidences(results);
    if all.is_empty() {
        return None;
    }
    let mut body = String::from(
        "<p>How sure rules with weights are of what they recognise, on what they were not learned from: all folds and orders \
        together. On the left precision over recall, where everything holds that is at least so probable; three thresholds \
        are marked. On the right what was said against what was so, for each tenth of probability: what is reliable is on the \
        dashed line. The area of a circle is the number of time points that it stands for; those of few are drawn larger than \
        that, to be seen. Each number is in the tables below.</p>\n",
    );
    put!(
        body,
        "<ul class=\"legend\"><li>{} before calibration</li><li>{} after calibration</li></ul>\n<div class=\"multiples\">\n",
        svg::reliability_key("before"),
        svg::reliability_key("after")
    );
    for of in &all {
        let (protocol, fluent, row) = (&of.score.protocol, &of.score.fluent, &of.score.row);
        let caption =
            |what: &str| format!("{what}: {}, <code>{}</code>, {}", escape(protocol), escape(fluent), escape(row));
        if let Some(plot) = svg::precision_recall(&format!("Precision over recall of {fluent}, {protocol}, {row}"), of)
        {
            put!(body, "<figure><figcaption>{}</figcaption>{plot}</figure>\n", caption("Precision over recall"));
        }
        let plot = svg::reliability(&format!("Reliability of {fluent}, {protocol}, {row}"), of);
        put!(body, "<figure><figcaption>{}</figcaption>{plot}</figure>\n", caption("Reliability"));
    }
    body.push_str("</div>\n");
    areas(&mut body, &all);
    tenths(&mut body, &all);
    Some(Section { id: "confidence", title: "Confidence", body })
}

/// The area, and how far probabilities are off, of each row and fluent.
fn areas(body: &mut String, all: &[Confidence<'_>]) {
    let caption = "The area under precision over recall, and how far probabilities are off on average, before and after \
        calibration.";
    body.push_str(&table_start(caption, "", "Confidence"));
    body.push_str("<thead><tr>");
    ["Data set", "Fluent", "System"].iter().for_each(|name| put!(body, "<th scope=\"col\">{name}</th>"));
    ["Area", "Off before", "Off after"].iter().for_each(|name| put!(body, "<th scope=\"col\" class=\"n\">{name}</th>"));
    body.push_str("</tr></thead>\n<tbody>\n");
    for Confidence { score, area, errors, .. } in all {
        put!(body, "<tr><td>{}</td><td><code>{}</code></td>", escape(&score.protocol), escape(&score.fluent));
        put!(body, "<th scope=\"row\">{}</th>", escape(&score.row));
        [area, &errors[0], &errors[1]]
            .iter()
            .for_each(|value| put!(body, "<td class=\"n\">{}</td>", or_nothing(**value, share)));
        body.push_str("</tr>\n");
    }
    body.push_str(TABLE_END);
}

/// The tenths of probability, folded away.
fn tenths(body: &mut String, all: &[Confidence<'_>]) {
    body.push_str("<details class=\"folds\"><summary>What was said and what was so</summary>\n");
    for Confidence { score, reliability, .. } in all {
        put!(
            body,
            "<details><summary><code>{}</code> {} <span class=\"soft\">{}</span></summary><div class=\"scroll\" \
            tabindex=\"0\" role=\"region\" aria-label=\"Reliability\"><table class=\"plain\"><thead><tr><th>Calibration\
            <th>Time points<th>Said<th>So<tbody>\n",
            escape(&score.fluent),
            escape(&score.row),
            escape(&score.protocol)
        );
        for (when, rows) in ["before", "after"].iter().zip(reliability) {
            for (points, said, so) in rows {
                put!(body, "<tr><td>{when}<td>{}<td>{}<td>{}\n", count(points), share(*said), share(*so));
            }
        }
        body.push_str("</table></div></details>\n");
    }
    body.push_str("</details>\n");
}
