//! Timelines: what is annotated above what was recognised, cut where right turns wrong.

use oled::evaluate::split_runs;

use super::super::html::escape;
use super::super::time::Clock;
use super::{Axis, place};
use crate::results::Timeline;

const WIDTH: f64 = 1000.0;
const LEFT: f64 = 210.0;
const RIGHT: f64 = 988.0;
const TOP: f64 = 10.0;
const ROW: f64 = 34.0;

/// The classes of pieces, in the order of a legend, and what they mean.
pub(in super::super) const KEY: [(&str, &str); 4] =
    [("truth", "annotated"), ("missed", "annotated, missed"), ("right", "recognised"), ("wrong", "false alarm")];

/// The timeline of one segment as a whole. The page's script draws the same, and parts of it.
pub(in super::super) fn timeline(timeline: &Timeline, clock: Clock) -> String {
    draw(timeline, clock, true)
}

/// The same; where nothing is labelled, nothing is right or wrong.
pub(in super::super) fn draw(timeline: &Timeline, clock: Clock, labelled: bool) -> String {
    let ((first, last), step) = (timeline.span, timeline.step());
    let axis = Axis::linear((first as f64, (last + step) as f64), (LEFT, RIGHT));
    let bottom = TOP + ROW * timeline.tracks.len() as f64;
    let label = escape(&format!("{}: annotated and recognised", timeline.segment));
    let mut svg =
        format!(r#"<svg class="plot" viewBox="0 0 {WIDTH} {}" role="img" aria-label="{label}">"#, bottom + 42.0);
    for tick in clock.ticks(first, last, 8) {
        let at = place(axis.at(tick.time as f64));
        put!(svg, r#"<path class="grid" d="M{at} {TOP}V{bottom}"/>"#);
        put!(svg, r#"<text x="{at}" y="{}">{}</text>"#, bottom + 17.0, tick.label);
        if let Some(day) = tick.day {
            put!(svg, r#"<text x="{at}" y="{}">{day}</text>"#, bottom + 33.0);
        }
    }
    for (i, track) in timeline.tracks.iter().enumerate() {
        let y = TOP + ROW * i as f64;
        let name = escape(&track.instance);
        put!(svg, r#"<text class="instance" x="{}" y="{}" dy=".35em">{name}</text>"#, LEFT - 12.0, y + 16.0);
        let mut bar = |class: &str, what: &str, (from, to): (i64, i64), y: f64, height: f64| {
            let (a, b) = (axis.at(from as f64), axis.at((to + step) as f64));
            put!(
                svg,
                r#"<rect class="{class}" x="{}" y="{y}" width="{}" height="{height}"><title>{name}: {what} {} – {}</title></rect>"#,
                place(a),
                place((b - a).max(1.0)),
                clock.show(from),
                clock.show(to)
            );
        };
        if !labelled {
            track.recognised.iter().for_each(|run| bar("right", "recognised", *run, y + 11.0, 9.0));
            continue;
        }
        for (from, to, found) in split_runs(&track.annotated, &track.recognised, step) {
            let (class, what) = if found { ("truth", "annotated") } else { ("missed", "missed") };
            bar(class, what, (from, to), y + 5.0, 9.0);
        }
        for (from, to, right) in split_runs(&track.recognised, &track.annotated, step) {
            let (class, what) = if right { ("right", "recognised") } else { ("wrong", "false alarm") };
            bar(class, what, (from, to), y + 17.0, 9.0);
        }
    }
    put!(svg, r#"<path class="axis" d="M{LEFT} {bottom}H{RIGHT}"/></svg>"#);
    svg
}
