//! Timelines: one segment at a time; the first is drawn here, the others by the script.

use serde_json::{Value, json};

use super::super::distinct;
use super::super::number::count;
use super::super::svg;
use super::super::time::Clock;
use super::{Section, select};
use crate::results::{Results, Timeline};

/// What is shown where it is the final rules that recognise, and where it is rules that have not seen the segment.
const OF_FINAL_RULES: &str =
    "What the final rules recognise in the stream that they were learned from, below what is annotated there.";
const OF_TESTS: &str = "What rules recognise in segments that they were not learned from, below what is annotated there. Rules that are given \
    were learned from nothing.";

/// The section of timelines.
pub(super) fn section(results: &Results) -> Option<Section> {
    let first = results.timelines.first()?;
    let what = if results.fits.is_empty() { OF_TESTS } else { OF_FINAL_RULES };
    let clock = Clock::of(results, &first.protocol);
    let mut body = format!("<p>{what}</p>\n<div class=\"controls\" id=\"timeline-controls\" hidden>\n");
    body.push_str(&select("t-protocol", "Data set", None, &distinct(results.timelines.iter().map(|t| &t.protocol))));
    body.push_str(&select("t-row", "System", None, &distinct(results.timelines.iter().map(|t| &t.row))));
    body.push_str(&select("t-segment", "Segment", None, &[]));
    body.push_str(&select("t-sort", "Sort", None, &["as they come", "worst first", "best first"]));
    body.push_str("<span class=\"buttons\">");
    for (what, sign, label) in [
        ("left", "←", "Earlier"),
        ("right", "→", "Later"),
        ("out", "−", "Zoom out"),
        ("in", "+", "Zoom in"),
        ("all", "0", "Show all"),
    ] {
        put!(
            body,
            "<button type=\"button\" data-zoom=\"{what}\" aria-label=\"{label}\" title=\"{label}\">{sign}</button>"
        );
    }
    body.push_str(
        "</span></div>\n<div id=\"segments\" role=\"group\" aria-label=\"F1 of each segment\" hidden></div>\n<ul class=\"legend\">",
    );
    for (class, name) in svg::KEY {
        put!(
            body,
            "<li><svg class=\"key\" width=\"26\" height=\"12\" aria-hidden=\"true\"><rect class=\"{class}\" y=\"1.5\" width=\"26\" height=\"9\"/></svg> {name}</li>"
        );
    }
    put!(
        body,
        "</ul>\n<figure class=\"timeline\"><div id=\"timeline\" role=\"group\" aria-label=\"Timeline\" aria-describedby=\"timeline-help\">{}</div>\n\
        <div id=\"overview\" aria-hidden=\"true\" hidden></div>\n\
        <figcaption><span id=\"timeline-range\" aria-live=\"polite\">{}, {}: {}, {} – {}{}, {} time point{}</span> \
        <span id=\"timeline-help\" hidden><span class=\"mouse\">Drag to select a part, turn the wheel to zoom, or use the keys \
        + − 0 ← →. Drag the strip to move.</span><span class=\"touch\">Drag over the picture to see a part of it, and drag the \
        strip below it to move; the buttons zoom.</span> Click an interval to ask why.</span></figcaption>\n\
        <p id=\"why\" aria-live=\"polite\" hidden>Why it is recognised, or is not: <code></code></p></figure>\n\
        <script type=\"application/json\" id=\"timeline-data\">{}</script>\n",
        svg::timeline(first, clock),
        super::escape(&first.protocol),
        super::escape(&first.row),
        super::escape(&first.segment),
        clock.show(first.span.0),
        clock.show(first.span.1),
        if clock == Clock::Units { "" } else { " UTC" },
        count(first.frames),
        if first.frames == 1 { "" } else { "s" },
        embedded(results)
    );
    Some(Section { id: "timelines", title: "Timelines", body })
}

/// The timelines for the script: short keys and flat lists, as there may be hundreds.
fn embedded(results: &Results) -> String {
    let flat = |runs: &[(i64, i64)]| runs.iter().flat_map(|(a, b)| [*a, *b]).collect::<Vec<_>>();
    let timelines = results.timelines.iter().map(|t| {
        let tracks = t.tracks.iter().map(|k| json!([k.instance, flat(&k.annotated), flat(&k.recognised)]));
        let tracks: Vec<Value> = tracks.collect();
        json!({
            "p": t.protocol, "r": t.row, "s": t.segment, "a": t.span.0, "b": t.span.1, "n": t.frames, "d": t.step(),
            "c": counts(t), "t": tracks,
        })
    });
    let rates = results.data.iter().filter_map(|d| Some((d.name.clone(), json!(d.rate?))));
    let dates = distinct(results.timelines.iter().map(|t| &t.protocol)).into_iter().filter_map(|protocol| {
        match Clock::of(results, protocol) {
            Clock::Epoch(per_second) => Some((protocol.to_string(), json!(per_second))),
            Clock::Units => None,
        }
    });
    let data = json!({
        "rates": Value::Object(rates.collect()),
        "dates": Value::Object(dates.collect()),
        "timelines": timelines.collect::<Vec<_>>(),
    });
    // No tag can begin within a script without this letter.
    data.to_string().replace('<', "\\u003c")
}

/// TP, FP and FN of a segment, all instances together.
fn counts(timeline: &Timeline) -> [u64; 3] {
    timeline.tracks.iter().fold([0; 3], |[tp, fp, fn_], track| [tp + track.tp, fp + track.fp, fn_ + track.fn_])
}
