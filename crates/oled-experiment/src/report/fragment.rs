//! Fragments: a drawing of the report by itself, for a page of somebody else, such as a notebook.

use oled::Tracks;

use super::html::{escape, highlight};
use super::svg;
use super::time::Clock;
use crate::results::{Results, Timeline};

/// The colours of the report, for what stands in a fragment and nothing else of the page.
const STYLE: &str = "<style>
.oled-fragment { color-scheme: light dark; --ink: light-dark(#1e242b, #e3e7eb); --soft: light-dark(#57616c, #9ba6b2);
  --line: light-dark(#dde2e6, #2d343b); --truth: light-dark(#8a95a0, #77838f); --right: light-dark(#2a6fb0, #5b9fdc);
  --missed: light-dark(#c47400, #eaa83d); --wrong: light-dark(#a3306f, #e583bd); --accent: light-dark(#1c5d99, #82bbf0);
  color: var(--ink); max-width: 65rem; }
.oled-fragment svg { width: 100%; height: auto; }
.oled-fragment svg text { fill: var(--soft); font: 12px system-ui, sans-serif; text-anchor: middle; }
.oled-fragment svg text.instance { text-anchor: end; font-family: ui-monospace, monospace; fill: var(--ink); }
.oled-fragment .grid { stroke: var(--line); } .oled-fragment .axis { stroke: var(--soft); fill: none; }
.oled-fragment .truth { fill: var(--truth); } .oled-fragment .right { fill: var(--right); }
.oled-fragment .missed { fill: var(--missed); } .oled-fragment .wrong { fill: var(--wrong); }
.oled-fragment pre { margin: 0 0 .8em; font: .9em/1.5 ui-monospace, monospace; white-space: pre-wrap; background: none; }
.oled-fragment pre i { font-style: normal; color: var(--accent); } .oled-fragment pre s { text-decoration: none; color: var(--missed); }
.oled-fragment .soft { color: var(--soft); font-size: .85em; }
</style>";

/// So many segments are drawn: a notebook is scrolled, and a report has all of them.
const SEGMENTS: usize = 12;

/// The segments of a stream in which there is anything to see.
pub fn of_tracks(tracks: &Tracks) -> Vec<Timeline> {
    crate::fold::timelines(tracks, "", "")
}

/// Timelines, one for each segment. `labelled`: whether what was recognised is right or wrong anywhere.
pub fn timelines(timelines: Vec<Timeline>, labelled: bool) -> String {
    let results = Results { timelines, ..Results::default() };
    let mut html = format!("<div class=\"oled-fragment\">{STYLE}");
    if labelled {
        html.push_str("<p class=\"soft\">");
        for (class, name) in svg::KEY {
            put!(
                html,
                "<span style=\"white-space:nowrap;margin-right:1em\"><svg style=\"width:26px;height:12px\" \
                aria-hidden=\"true\"><rect class=\"{class}\" y=\"1.5\" width=\"26\" height=\"9\"/></svg> {name}</span>"
            );
        }
        html.push_str("</p>");
    }
    for timeline in results.timelines.iter().take(SEGMENTS) {
        let clock = Clock::of(&results, &timeline.protocol);
        put!(html, "<div class=\"soft\">{}</div>{}", escape(&timeline.segment), svg::draw(timeline, clock, labelled));
    }
    match results.timelines.len().saturating_sub(SEGMENTS) {
        0 => {}
        more => put!(html, "<p class=\"soft\">and {more} more segments</p>"),
    }
    html.push_str("</div>");
    html
}

/// A theory with its comments, as the report shows rules.
pub fn theory(text: &str) -> String {
    let mut html = format!("<div class=\"oled-fragment\">{STYLE}<pre>");
    for line in text.trim_end().lines() {
        match line.strip_prefix('%') {
            Some(_) => put!(html, "<span class=\"soft\">{}</span>\n", escape(line)),
            None => put!(html, "{}\n", highlight(line)),
        }
    }
    html.push_str("</pre></div>");
    html
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::Track;

    #[test]
    fn what_is_not_labelled_is_neither_right_nor_wrong() {
        let track = Track { instance: "meeting(a<b)".into(), recognised: vec![(3, 7)], ..Track::default() };
        let one = || Timeline {
            segment: "walk".into(),
            span: (1, 9),
            frames: 9,
            tracks: vec![track.clone()],
            ..Timeline::default()
        };
        let plain = timelines(vec![one()], false);
        assert!(plain.contains("class=\"right\"") && !plain.contains("class=\"wrong\""), "{plain}");
        assert!(plain.contains("meeting(a&lt;b): recognised 3 – 7"), "{plain}");
        assert!(timelines(vec![one()], true).contains("class=\"wrong\""));
        assert!(timelines((0..15).map(|_| one()).collect(), false).contains("and 3 more segments"));
    }

    #[test]
    fn rules_have_colour_and_comments_do_not() {
        let html = theory("% F1 <1>\ninitiatedAt(p(X), T) :-\n    q(X, 2, T).");
        assert!(html.contains("<span class=\"soft\">% F1 &lt;1&gt;</span>"), "{html}");
        assert!(html.contains("<b>initiatedAt</b>(p(<i>X</i>)"), "{html}");
    }
}
