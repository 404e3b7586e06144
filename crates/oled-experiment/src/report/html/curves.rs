//! Learning curves: small pictures side by side, one for each data set and fluent.

use super::super::number::{or_nothing, share};
use super::super::svg;
use super::super::{REPEATED, distinct, prequential};
use super::rules::Anchors;
use super::{Section, TABLE_END, escape, table_start};
use crate::results::{Curve, Results};

/// The section of learning curves.
pub(super) fn section(results: &Results, anchors: &Anchors<'_>) -> Option<Section> {
    let rows = distinct(results.curves.iter().map(|c| &c.row));
    let number = |curve: &Curve| rows.iter().position(|r| *r == curve.row).expect("all rows were gathered");
    let mut body = String::from(
        "<p>How recognition gets better while rules are learned: each time point is first recognised with the rules found \
        so far, and only then learned from. The strong lines are F1 of all time points so far, the faint ones of the latest \
        stretch alone; they pause where there was nothing to be found. The dashed line is what it is worth to know nothing \
        and to say of each time point what was annotated at the one before. Marks below the axis are decisions about rules: \
        point at one, or step through them with the arrow keys, to see which.</p>\n",
    );
    table(&mut body, results);
    body.push_str("<ul class=\"legend\">");
    for (i, row) in rows.iter().enumerate() {
        put!(body, "<li>{} {}</li>", svg::row_key(i), escape(row));
    }
    put!(body, "<li>{} {REPEATED}</li>", svg::repeated_key());
    for (what, name, _) in svg::events_of(&results.curves.iter().collect::<Vec<_>>()) {
        let was = if ["started", "expanded"].contains(&what) { "" } else { "was " };
        put!(body, "<li>{} a rule {was}{name}</li>", svg::event_key(what));
    }
    body.push_str("</ul>\n<div class=\"multiples\">\n");
    for protocol in distinct(results.curves.iter().map(|c| &c.protocol)) {
        let here: Vec<&Curve> = results.curves.iter().filter(|c| c.protocol == protocol).collect();
        for fluent in distinct(here.iter().map(|c| &c.fluent)) {
            let curves: Vec<(usize, &Curve)> =
                here.iter().filter(|c| c.fluent == fluent).map(|c| (number(c), *c)).collect();
            let label = format!("F1 of {fluent} over the stream of {protocol}");
            let plot = svg::curve(&label, &curves, |curve, rule| anchors.of(&curve.protocol, &curve.row, rule));
            put!(
                body,
                "<figure><figcaption>{}, <code>{}</code></figcaption>{plot}</figure>\n",
                escape(protocol),
                escape(fluent)
            );
        }
    }
    body.push_str("</div>\n");
    (!results.curves.is_empty()).then_some(Section { id: "curves", title: "Learning curves", body })
}

/// F1 at the end of the stream, of each row and of the baseline.
fn table(body: &mut String, results: &Results) {
    let caption = "F1 over the whole stream, each time point recognised before it was learned from. It includes the time \
        before the first rule.";
    let several = distinct(results.curves.iter().map(|c| &c.protocol)).len() > 1;
    body.push_str(&table_start(caption, "", "F1 over the whole stream"));
    body.push_str("<thead><tr><th scope=\"col\">System</th>");
    if several {
        body.push_str("<th scope=\"col\">Data set</th>");
    }
    for fluent in distinct(results.curves.iter().map(|c| &c.fluent)) {
        put!(body, "<th scope=\"col\" class=\"n\"><code>{}</code></th>", escape(fluent));
    }
    body.push_str("</tr></thead>\n<tbody>\n");
    for (protocol, row, values) in prequential(results) {
        put!(body, "<tr><th scope=\"row\">{}</th>", escape(row));
        if several {
            put!(body, "<td>{}</td>", escape(protocol));
        }
        values.iter().for_each(|f1| put!(body, "<td class=\"n\">{}</td>", or_nothing(*f1, share)));
        body.push_str("</tr>\n");
    }
    body.push_str(TABLE_END);
}
