//! Confidence: precision over recall, and what was said against what was so.

use super::super::confidence::Confidence;
use super::super::html::escape;
use super::super::number::{count, share};
use super::{Axis, place};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 330.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 468.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 282.0;

/// The thresholds that are marked.
const MARKED: [f64; 3] = [0.9, 0.5, 0.1];

/// The largest circle, and the smallest that can be pointed at.
const LARGEST: f64 = 15.0;
const SMALLEST: f64 = 2.5;

/// The curve of precision over recall; nothing where results have none.
pub(in super::super) fn precision_recall(label: &str, of: &Confidence<'_>) -> Option<String> {
    let area = of.area?;
    let (mut svg, x, y) = frame("precision plot", &format!("{label}, area {}", share(area)), "recall", "precision");
    let path: Vec<String> =
        of.curve.iter().map(|t| format!("{} {}", place(x.at(t.recall)), place(y.at(t.precision)))).collect();
    // Nothing is found above the largest probability: the line begins there, as precise as the surest are.
    let start = of.curve.first().map(|t| format!("{} {}L", place(x.at(0.0)), place(y.at(t.precision))));
    put!(svg, r#"<g class="s0"><path class="line" d="M{}{}"/>"#, start.unwrap_or_default(), path.join("L"));
    for marked in MARKED {
        // The last point that is still so probable.
        let Some(point) = of.curve.iter().take_while(|t| t.probability >= marked).last() else { continue };
        let (across, up) = (place(x.at(point.recall)), place(y.at(point.precision)));
        let (precision, recall) = (share(point.precision), share(point.recall));
        let tip = format!("at least {marked} probable: precision {precision}, recall {recall}");
        put!(svg, r#"<circle class="dot" tabindex="0" role="img" aria-label="{tip}" cx="{across}" cy="{up}" r="4">"#);
        put!(svg, "<title>{tip}</title></circle>");
        put!(svg, r#"<text class="start" x="{across}" y="{up}" dx="7" dy="14">{marked}</text>"#);
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    put!(svg, r#"</g><text class="name" x="{middle}" y="{}">area {}</text></svg>"#, BOTTOM - 12.0, share(area));
    Some(svg)
}

/// What was said against what was so, before and after probabilities were calibrated.
pub(in super::super) fn reliability(label: &str, of: &Confidence<'_>) -> String {
    let (mut svg, x, y) = frame("reliability plot", label, "probability, as said", "share at which it was so");
    put!(svg, r#"<path class="repeated" d="M{LEFT} {BOTTOM}L{RIGHT} {TOP}"/>"#);
    let most = of.reliability.iter().flatten().map(|(count, ..)| *count).max().unwrap_or(1).max(1);
    for (which, (class, when)) in [("before", "before"), ("after", "after")].into_iter().enumerate() {
        put!(svg, r#"<g class="{class}">"#);
        let rows = &of.reliability[which];
        let path = rows.iter().map(|(_, said, so)| format!("{} {}", place(x.at(*said)), place(y.at(*so))));
        let path = path.collect::<Vec<_>>().join("L");
        if !path.is_empty() {
            put!(svg, r#"<path class="line" d="M{path}"/>"#);
        }
        for (points, said, so) in rows {
            // Its size on paper says how many time points it stands for.
            let radius = (LARGEST * (*points as f64 / most as f64).sqrt()).max(SMALLEST);
            let (said_text, so_text) = (share(*said), share(*so));
            let tip = format!("{when} calibration, {} time points: {said_text} said, {so_text} so", count(points));
            let (across, up) = (place(x.at(*said)), place(y.at(*so)));
            put!(svg, r#"<circle class="dot" tabindex="0" role="img" aria-label="{tip}" "#);
            put!(svg, r#"cx="{across}" cy="{up}" r="{}"><title>{tip}</title></circle>"#, place(radius));
        }
        svg.push_str("</g>");
    }
    svg.push_str("</svg>");
    svg
}

/// A small picture for a legend: the circles before and after.
pub(in super::super) fn reliability_key(class: &str) -> String {
    format!(
        r#"<svg class="key reliability" width="26" height="12" aria-hidden="true"><g class="{class}"><path class="line" d="M0 6H26"/><circle class="dot" cx="13" cy="6" r="4"/></g></svg>"#
    )
}

/// Two axes from 0 to 1.
fn frame(class: &str, label: &str, across: &str, up: &str) -> (String, Axis, Axis) {
    let (x, y) = (Axis::linear((0.0, 1.0), (LEFT, RIGHT)), Axis::linear((0.0, 1.0), (BOTTOM, TOP)));
    let mut svg =
        format!(r#"<svg class="{class}" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{}">"#, escape(label));
    for tick in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let (at, below) = (place(y.at(tick)), place(x.at(tick)));
        put!(svg, r#"<path class="grid" d="M{LEFT} {at}H{RIGHT}"/>"#);
        put!(svg, r#"<text class="end" x="{}" y="{at}" dy=".35em">{tick:.1}</text>"#, LEFT - 8.0);
        put!(svg, r#"<path class="tick" d="M{below} {BOTTOM}v4"/>"#);
        put!(svg, r#"<text x="{below}" y="{}">{tick:.1}</text>"#, BOTTOM + 18.0);
    }
    let middle = f64::midpoint(TOP, BOTTOM);
    put!(svg, r#"<text class="name" transform="translate(13 {middle})rotate(-90)">{up}</text>"#);
    put!(svg, r#"<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>"#);
    put!(svg, r#"<text x="{}" y="{}">{across}</text>"#, f64::midpoint(LEFT, RIGHT), HEIGHT - 6.0);
    (svg, x, y)
}
