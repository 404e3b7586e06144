//! Timelines: what is annotated above what was recognised, cut where right turns wrong.

use super::super::html::escape;
use super::{Axis, place, ticks};
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
pub(in super::super) fn timeline(timeline: &Timeline) -> String {
    let (first, last) = timeline.span;
    let axis = Axis::linear((first as f64, last as f64 + 1.0), (LEFT, RIGHT));
    let bottom = TOP + ROW * timeline.tracks.len() as f64;
    let label = escape(&format!("{}: annotated and recognised", timeline.segment));
    let mut svg =
        format!(r#"<svg class="plot" viewBox="0 0 {WIDTH} {}" role="img" aria-label="{label}">"#, bottom + 26.0);
    for tick in ticks(first as f64, last as f64, 8) {
        let at = place(axis.at(tick));
        put!(svg, r#"<path class="grid" d="M{at} {TOP}V{bottom}"/><text x="{at}" y="{}">{tick}</text>"#, bottom + 17.0);
    }
    for (i, track) in timeline.tracks.iter().enumerate() {
        let y = TOP + ROW * i as f64;
        let name = escape(&track.instance);
        put!(svg, r#"<text class="instance" x="{}" y="{}" dy=".35em">{name}</text>"#, LEFT - 12.0, y + 16.0);
        let mut bar = |class: &str, what: &str, (from, to): (i64, i64), y: f64, height: f64| {
            let (a, b) = (axis.at(from as f64), axis.at(to as f64 + 1.0));
            put!(
                svg,
                r#"<rect class="{class}" x="{}" y="{y}" width="{}" height="{height}"><title>{name}: {what} {from}–{to}</title></rect>"#,
                place(a),
                place((b - a).max(1.0))
            );
        };
        for (from, to, found) in split(&track.annotated, &track.recognised) {
            let (class, what) = if found { ("truth", "annotated") } else { ("missed", "missed") };
            bar(class, what, (from, to), y + 5.0, 9.0);
        }
        for (from, to, right) in split(&track.recognised, &track.annotated) {
            let (class, what) = if right { ("right", "recognised") } else { ("wrong", "false alarm") };
            bar(class, what, (from, to), y + 17.0, 9.0);
        }
    }
    put!(svg, r#"<path class="axis" d="M{LEFT} {bottom}H{RIGHT}"/></svg>"#);
    svg
}

/// Runs cut where other runs begin and end: each piece with whether the others have it too.
fn split(runs: &[(i64, i64)], others: &[(i64, i64)]) -> Vec<(i64, i64, bool)> {
    let mut pieces = Vec::new();
    for &(from, to) in runs {
        let mut at = from;
        for &(a, b) in others.iter().filter(|(a, b)| *a <= to && *b >= from) {
            if a > at {
                pieces.push((at, a - 1, false));
            }
            pieces.push((a.max(at), b.min(to), true));
            at = b.min(to) + 1;
        }
        if at <= to {
            pieces.push((at, to, false));
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_cut_where_right_turns_wrong() {
        let (truth, found) = ([(3, 5), (8, 9)], [(4, 8), (12, 13)]);
        assert_eq!(split(&found, &truth), [(4, 5, true), (6, 7, false), (8, 8, true), (12, 13, false)]);
        assert_eq!(split(&truth, &found), [(3, 3, false), (4, 5, true), (8, 8, true), (9, 9, false)]);
    }
}
