//! Timelines: one segment at a time; the first is drawn here, the others by the script.

use serde_json::{Value, json};

use super::super::distinct;
use super::super::svg;
use super::{Section, select};
use crate::results::Results;

/// The section of timelines.
pub(super) fn section(results: &Results) -> Option<Section> {
    let first = results.timelines.first()?;
    let mut body = String::from("<div class=\"controls\" id=\"timeline-controls\" hidden>\n");
    body.push_str(&select("t-protocol", "Data set", None, &distinct(results.timelines.iter().map(|t| &t.protocol))));
    body.push_str(&select("t-row", "Row", None, &distinct(results.timelines.iter().map(|t| &t.row))));
    body.push_str(&select("t-segment", "Segment", None, &[]));
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
    body.push_str("</span></div>\n<ul class=\"legend\">");
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
        <figcaption><span id=\"timeline-range\" aria-live=\"polite\">{}, {}: {}, {}–{}</span> \
        <span id=\"timeline-help\" hidden>Drag to select a part, turn the wheel to zoom, or use the keys + − 0 ← →. \
        Drag the strip to move.</span></figcaption></figure>\n\
        <script type=\"application/json\" id=\"timeline-data\">{}</script>\n",
        svg::timeline(first),
        super::escape(&first.protocol),
        super::escape(&first.row),
        super::escape(&first.segment),
        first.span.0,
        first.span.1,
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
        json!({ "p": t.protocol, "r": t.row, "s": t.segment, "a": t.span.0, "b": t.span.1, "t": tracks })
    });
    let rates = results.data.iter().filter_map(|d| Some((d.name.clone(), json!(d.rate?))));
    let data = json!({ "rates": Value::Object(rates.collect()), "timelines": timelines.collect::<Vec<_>>() });
    // No tag can begin within a script without this letter.
    data.to_string().replace('<', "\\u003c")
}
