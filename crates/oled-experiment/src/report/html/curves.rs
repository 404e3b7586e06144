//! Learning curves: small pictures side by side, one for each data set and fluent.

use super::super::distinct;
use super::super::svg;
use super::rules::Anchors;
use super::{Section, escape};
use crate::results::{Curve, Results};

/// The section of learning curves.
pub(super) fn section(results: &Results, anchors: &Anchors<'_>) -> Option<Section> {
    let rows = distinct(results.curves.iter().map(|c| &c.row));
    let number = |curve: &Curve| rows.iter().position(|r| *r == curve.row).expect("all rows were gathered");
    let mut body = String::from(
        "<p>Each interpretation is tested before it is learned from. The strong lines are F1 of all time points so far, \
        the faint ones of those since the point before. Marks below the axis are decisions about rules: \
        point at one, or step through them with the arrow keys, to see which.</p>\n<ul class=\"legend\">",
    );
    for (i, row) in rows.iter().enumerate() {
        put!(body, "<li>{} {}</li>", svg::row_key(i), escape(row));
    }
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
