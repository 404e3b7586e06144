//! Scalability: time and work for a time point against the number of copies, both logarithmic.

use super::super::number::{mean, quantity};
use super::{Axis, decades, place, shape};
use crate::results::Scale;

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 340.0;
const LEFT: f64 = 74.0;
const RIGHT: f64 = 524.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 284.0;

/// The lines of the picture: class, mark, name.
pub(in super::super) const LINES: [(&str, usize, &str); 3] = [
    ("seconds", 0, "seconds for a time point"),
    ("theirs", 3, "seconds, as published"),
    ("literals", 1, "literals evaluated (right axis)"),
];

/// The plot; nothing where there is no positive number to show.
pub(in super::super) fn scale(points: &[Scale]) -> Option<String> {
    let usable = |v: &f64| v.is_finite() && *v > 0.0;
    let pick = |value: &dyn Fn(&Scale) -> Option<f64>| -> Vec<(f64, f64)> {
        let values = points.iter().filter(|p| p.copies > 0).map(|p| (p.copies as f64, value(p)));
        values.filter_map(|(copies, v)| Some((copies, v.filter(usable)?))).collect()
    };
    let lines = [pick(&|p| p.seconds), pick(&|p| p.published_seconds), pick(&|p| Some(p.literals))];
    let copies: Vec<f64> = lines.iter().flatten().map(|(copies, _)| *copies).collect();
    let most = copies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = copies.iter().copied().fold(f64::INFINITY, f64::min);
    if copies.is_empty() {
        return None;
    }
    let x = Axis::log((least, most.max(least * 2.0)), (LEFT + 24.0, RIGHT - 24.0));
    let seconds = decades(&lines[..2].iter().flatten().map(|(_, v)| *v).collect::<Vec<_>>());
    let literals = decades(&lines[2].iter().map(|(_, v)| *v).collect::<Vec<_>>());

    let mut svg = format!(
        r#"<svg class="scale plot" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" aria-label="Seconds and literals for a time point against the number of copies, both axes logarithmic">"#
    );
    let vertical = |decades: Option<(i32, i32)>| {
        decades.map(|(low, high)| (Axis::log((10f64.powi(low), 10f64.powi(high)), (BOTTOM, TOP)), low..=high))
    };
    let (left, right) = (vertical(seconds), vertical(literals));
    if let Some((axis, powers)) = &left {
        for power in powers.clone() {
            let at = place(axis.at(10f64.powi(power)));
            put!(svg, r#"<path class="grid" d="M{LEFT} {at}H{RIGHT}"/>"#);
            put!(svg, r#"<text class="end" x="{}" y="{at}" dy=".35em">{}</text>"#, LEFT - 8.0, unit(power));
        }
        put!(svg, r#"<text transform="translate(14 {})rotate(-90)">seconds</text>"#, f64::midpoint(TOP, BOTTOM));
    }
    if let Some((axis, powers)) = &right {
        for power in powers.clone() {
            let at = place(axis.at(10f64.powi(power)));
            put!(svg, r#"<path class="tick" d="M{RIGHT} {at}h4"/>"#);
            put!(svg, r#"<text class="start" x="{}" y="{at}" dy=".35em">{}</text>"#, RIGHT + 8.0, unit(power));
        }
        put!(svg, r#"<path class="axis" d="M{RIGHT} {TOP}V{BOTTOM}"/>"#);
        let middle = f64::midpoint(TOP, BOTTOM);
        put!(svg, r#"<text transform="translate({} {middle})rotate(90)">literals</text>"#, WIDTH - 10.0);
    }
    let mut written = f64::NEG_INFINITY;
    for point in points.iter().filter(|p| p.copies > 0) {
        let at = x.at(point.copies as f64);
        put!(svg, r#"<path class="tick" d="M{} {BOTTOM}v4"/>"#, place(at));
        // Numbers that would run into each other are left out; the table has them.
        if at - written > 18.0 {
            put!(svg, r#"<text x="{}" y="{}">{}</text>"#, place(at), BOTTOM + 18.0, point.copies);
            written = at;
        }
    }
    put!(svg, r#"<path class="axis" d="M{LEFT} {TOP}V{BOTTOM}H{RIGHT}"/>"#);
    put!(svg, r#"<text x="{}" y="{}">copies</text>"#, f64::midpoint(LEFT, RIGHT), HEIGHT - 18.0);
    for (i, values) in lines.iter().enumerate() {
        let (class, mark, name) = LINES[i];
        let Some((axis, _)) = (if i == 2 { &right } else { &left }) else { continue };
        let points: Vec<(f64, f64)> = values.iter().map(|(copies, v)| (x.at(*copies), axis.at(*v))).collect();
        let path = points.iter().map(|(x, y)| format!("{} {}", place(*x), place(*y))).collect::<Vec<_>>().join("L");
        put!(svg, r#"<g class="{class}">"#);
        if !path.is_empty() {
            put!(svg, r#"<path class="line" d="M{path}"/>"#);
        }
        for ((copies, value), (x, y)) in values.iter().zip(points) {
            let value = if i == 2 { mean(*value) } else { quantity(*value) };
            let tip = format!("{copies} copies: {value} {name}");
            put!(svg, r#"<path class="dot" tabindex="0" role="img" aria-label="{tip}" d="{}">"#, shape(mark, x, y));
            put!(svg, "<title>{tip}</title></path>");
        }
        svg.push_str("</g>");
    }
    svg.push_str("</svg>");
    Some(svg)
}

/// A small picture for a legend.
pub(in super::super) fn scale_key(class: &str, mark: usize) -> String {
    format!(
        r#"<svg class="key" width="26" height="12" aria-hidden="true"><g class="{class}"><path class="line" d="M0 6H26"/><path class="dot" d="{}"/></g></svg>"#,
        shape(mark, 13.0, 6.0)
    )
}

/// A power of ten in as few letters as can be read.
fn unit(power: i32) -> String {
    match power {
        -3..=3 => quantity(10f64.powi(power)),
        _ => format!("10<tspan dy=\"-.5em\" font-size=\".75em\">{}</tspan>", power.to_string().replace('-', "−")),
    }
}
