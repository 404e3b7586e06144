//! Learning curves: F1 over the stream, one line for each row, with the decisions about rules below.

use super::super::REPEATED;
use super::super::html::escape;
use super::{Axis, COLOURS, place, shape, ticks};
use crate::results::{Curve, CurvePoint};

const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 290.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 468.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 190.0;
/// The first lane of decisions, and the distance to the next.
const LANES: f64 = 228.0;
const LANE: f64 = 17.0;
/// More points than this cannot be told apart.
const POINTS: usize = 400;

/// Decisions, their names in the picture, and their lanes: one learner begins and prunes rules, the other chooses and
/// drops them.
const EVENTS: [(&str, &str, usize); 5] = [
    ("started", "began", 0),
    ("expanded", "grew", 1),
    ("pruned", "pruned", 2),
    ("chosen", "chosen", 0),
    ("dropped", "dropped", 2),
];

/// The decisions that there are in some curves; where there are none, those that there might be.
pub(in super::super) fn events_of(curves: &[&Curve]) -> Vec<(&'static str, &'static str, usize)> {
    let told = |what: &str| curves.iter().any(|c| c.events.iter().any(|e| e.what == what));
    let found: Vec<_> = EVENTS.into_iter().filter(|(what, ..)| told(what)).collect();
    if found.is_empty() { EVENTS[..3].to_vec() } else { found }
}

/// The curves of one protocol and fluent, each with the number of its row. `anchor` finds the place of a rule in the
/// page.
pub(in super::super) fn curve<'a>(
    label: &str,
    curves: &[(usize, &'a Curve)],
    anchor: impl Fn(&'a Curve, &'a str) -> Option<String>,
) -> String {
    let last = curves
        .iter()
        .flat_map(|(_, c)| c.points.iter().map(|p| p.interpretation).chain(c.events.iter().map(|e| e.interpretation)));
    let last = last.max().unwrap_or(1).max(1) as f64;
    let (x, y) = (Axis::linear((0.0, last), (LEFT, RIGHT)), Axis::linear((0.0, 1.0), (BOTTOM, TOP)));
    let label = escape(label);
    let mut svg = format!(
        r#"<svg class="curve plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="{label}" data-x="{LEFT} {RIGHT} {last}" data-y="{BOTTOM} {TOP}">"#
    );
    for tick in [0.0, 0.2, 0.4, 0.6, 0.8, 1.0] {
        let at = place(y.at(tick));
        put!(svg, r#"<path class="grid" d="M{LEFT} {at}H{RIGHT}"/>"#);
        put!(svg, r#"<text class="end" x="{}" y="{at}" dy=".35em">{tick:.1}</text>"#, LEFT - 8.0);
    }
    put!(svg, r#"<text class="name" transform="translate(13 {})rotate(-90)">F1</text>"#, f64::midpoint(TOP, BOTTOM));
    for tick in ticks(0.0, last, 6) {
        let at = place(x.at(tick));
        put!(svg, r#"<path class="tick" d="M{at} {BOTTOM}v4"/><text x="{at}" y="{}">{tick}</text>"#, BOTTOM + 16.0);
    }
    put!(svg, r#"<path class="axis" d="M{LEFT} {BOTTOM}H{RIGHT}"/>"#);
    // What came lately goes below what counts, of all rows.
    for recently in [true, false] {
        for (row, curve) in curves {
            line(&mut svg, *row, curve, recently, x, y);
        }
    }
    if let Some((_, first)) = curves.first() {
        let path = path(first, |point| Some(point.repeated), x, y).0;
        put!(svg, r#"<path class="repeated" data-name="{REPEATED}" d="{path}"/>"#);
    }
    let mut drawn: Vec<usize> = Vec::new();
    for (what, name, lane) in events_of(&curves.iter().map(|(_, curve)| *curve).collect::<Vec<_>>()) {
        let middle = LANES + LANE * lane as f64;
        if !drawn.contains(&lane) {
            drawn.push(lane);
            put!(svg, r#"<path class="grid" d="M{LEFT} {middle}H{RIGHT}"/>"#);
            put!(svg, r#"<text class="end" x="{}" y="{middle}" dy=".35em">{name}</text>"#, LEFT - 8.0);
        }
        for (_, curve) in curves {
            for event in curve.events.iter().filter(|e| e.what == what) {
                let mark = event_shape(what, x.at(event.interpretation as f64), middle);
                let link = anchor(curve, &event.rule)
                    .map_or_else(|| r#"tabindex="0""#.to_owned(), |id| format!(r##"href="#{id}""##));
                let tip = format!("{name} at {}: {} ({})", event.interpretation, event.rule, curve.row);
                put!(svg, r#"<a class="mark {what}" {link}><title>{}</title><path d="{mark}"/></a>"#, escape(&tip));
            }
        }
    }
    put!(svg, r#"<text x="{}" y="{}">time points learned from</text></svg>"#, f64::midpoint(LEFT, RIGHT), HEIGHT - 8.0);
    svg
}

fn line(svg: &mut String, row: usize, curve: &Curve, recently: bool, x: Axis, y: Axis) {
    let (path, end) = path(curve, |point| if recently { point.recent } else { Some(point.f1) }, x, y);
    let (class, name) = if recently { ("recent", "of late") } else { ("line", "so far") };
    let name = escape(&format!("{} {name}", curve.row));
    put!(svg, r#"<g class="s{}"><path class="{class}" data-name="{name}" d="{path}"/>"#, row % COLOURS);
    if let (false, Some((across, up))) = (recently, end) {
        put!(svg, r#"<path class="end" d="{}"/>"#, shape(row, across, up));
    }
    svg.push_str("</g>");
}

/// The line through some values of a curve, and where it ends.
fn path(curve: &Curve, value: impl Fn(&CurvePoint) -> Option<f64>, x: Axis, y: Axis) -> (String, Option<(f64, f64)>) {
    let every = curve.points.len().div_ceil(POINTS).max(1);
    let last = curve.points.len().saturating_sub(1);
    let kept = curve.points.iter().enumerate().filter(|(i, _)| i % every == 0 || *i == last).map(|(_, p)| p);
    let mut path = String::new();
    let mut pen_down = false;
    let mut end = None;
    for point in kept {
        let Some(value) = value(point).filter(|v| v.is_finite()) else {
            pen_down = false;
            continue;
        };
        let (across, up) = (x.at(point.interpretation as f64), y.at(value));
        put!(path, "{}{} {up:.2}", if pen_down { 'L' } else { 'M' }, place(across));
        pen_down = true;
        end = Some((across, up));
    }
    (path, end)
}

/// The mark of a decision: up for begun and chosen, a lozenge for grown, a cross for pruned and dropped.
pub(super) fn event_shape(what: &str, x: f64, y: f64) -> String {
    match what {
        "started" | "chosen" => shape(2, x, y),
        "expanded" => shape(3, x, y),
        _ => format!("M{} {}m-3-3l6 6m0-6l-6 6", place(x), place(y)),
    }
}
