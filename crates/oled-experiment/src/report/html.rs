//! The page: everything that was found, in one file that fetches nothing; without its script it can still be read, all but the
//! timelines beyond the first.

mod confidence;
mod curves;
mod folds;
mod highlight;
mod rules;
mod scalability;
mod scores;
mod timelines;

use oled::Confusion;

use super::number::{NOTHING, count, or_nothing, quantity, share};
use super::{distinct, positives_counting, tables};
use crate::results::{DataSummary, Results};
pub(super) use highlight::highlight;

const STYLE: &str = include_str!("report.css");
const SCRIPT: &str = include_str!("report.js");
/// Nothing is fetched from anywhere, and the browser sees to it.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:";

/// A part of the page that the contents name.
struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

/// The report as a page of HTML that stands on its own.
///
/// ```
/// use oled_experiment::Results;
///
/// let results = Results { experiment: "P & R".into(), ..Results::default() };
/// assert!(oled_experiment::html(&results).contains("<h1>P &amp; R</h1>"));
/// ```
pub fn html(results: &Results) -> String {
    let anchors = rules::Anchors::new(results);
    let (data, scores, curves) = (data(results), scores::section(results), curves::section(results, &anchors));
    let confidence = confidence::section(results);
    let (timelines, rules) = (timelines::section(results), rules::section(results));
    let (scalability, notes) = (scalability::section(results), notes(results));
    let sections = if is_one_run(results) {
        [rules, timelines, curves, data, scores, confidence, scalability, notes]
    } else {
        [data, scores, confidence, curves, timelines, rules, scalability, notes]
    };
    let sections: Vec<Section> = sections.into_iter().flatten().collect();
    let title = escape(&results.experiment);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
        <link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
        <a class=\"skip\" href=\"#main\">To the results</a>\n<header class=\"bar\"><nav aria-label=\"Contents\"><ul>"
    );
    for Section { id, title, .. } in &sections {
        put!(page, r##"<li><a href="#{id}">{title}</a></li>"##);
    }
    page.push_str("</ul></nav><button type=\"button\" id=\"theme\" hidden>Dark</button></header>\n");
    let kicker = if is_one_run(results) { "Learned from a stream" } else { "Experiment" };
    put!(page, "<main id=\"main\">\n<div class=\"front\">\n<p class=\"kicker\">{kicker}</p>\n<h1>{title}</h1>\n");
    if !results.description.is_empty() {
        put!(page, "<p class=\"lede\">{}</p>\n", escape(&results.description));
    }
    put!(page, "<p class=\"facts\">{}</p>\n</div>\n{PATTERNS}", facts(results));
    for Section { id, title, body } in &sections {
        put!(page, "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n");
        put!(page, "<h2 id=\"{id}-title\">{title}</h2>\n{body}</section>\n");
    }
    put!(page, "</main>\n<footer>\n{}</footer>\n", footer(results));
    put!(page, "<div id=\"tip\" role=\"tooltip\" hidden></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n");
    page
}

/// Whether a single run is told of, in which the rules are what matters, and not a comparison.
fn is_one_run(results: &Results) -> bool {
    !results.fits.is_empty()
}

/// Hatchings, so that mistakes can be told apart without colour; the pictures of the page share them.
const PATTERNS: &str = r#"<svg class="patterns" width="0" height="0" aria-hidden="true"><defs>
<pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="under" width="5" height="5"/><rect class="over" width="2" height="5"/></pattern>
<pattern id="dots" width="5" height="5" patternUnits="userSpaceOnUse"><rect class="under" width="5" height="5"/><circle class="over" cx="2.5" cy="2.5" r="1.2"/></pattern>
</defs></svg>
"#;

/// The size of the experiment in a line.
fn facts(results: &Results) -> String {
    let plural = |n: usize, one: &str, many: &str| match n {
        0 => None,
        1 => Some(format!("1 {one}")),
        n => Some(format!("{} {many}", count(n))),
    };
    let kept = results.rules.iter().filter(|r| r.kept).count();
    if is_one_run(results) {
        let mut all = Confusion::default();
        results.fits.iter().for_each(|fit| all += fit.confusion());
        let data = |size: fn(&DataSummary) -> u64| results.data.iter().map(size).sum::<u64>() as usize;
        let f1 = || format!("F1 {} on what they were learned from", share(all.f1()));
        let parts = [
            Some(plural(kept, "rule", "rules").unwrap_or_else(|| "no rules".into())),
            (kept > 0).then(f1),
            plural(data(|d| d.segments as u64), "segment", "segments"),
            plural(data(|d| d.frames), "time point", "time points"),
        ];
        return parts.into_iter().flatten().collect::<Vec<_>>().join(" · ");
    }
    let orders = results.results.iter().map(|s| s.orders.len()).max().unwrap_or(0);
    let parts = [
        plural(tables(results).len(), "data set", "data sets"),
        plural(distinct(results.results.iter().map(|s| &s.fluent)).len(), "fluent", "fluents"),
        plural(distinct(results.results.iter().map(|s| &s.row)).len(), "system", "systems"),
        plural(orders, "order", "orders"),
        plural(kept, "rule kept", "rules kept"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

fn data(results: &Results) -> Option<Section> {
    let mut body = table_start("What was learned from.", "", "Data sets");
    body.push_str(
        "<thead><tr><th scope=\"col\">Data set</th><th scope=\"col\" class=\"n\">Segments</th>\
        <th scope=\"col\" class=\"n\">Folds</th><th scope=\"col\" class=\"n\">Time points</th>\
        <th scope=\"col\" class=\"n\">Per second</th><th scope=\"col\">Positives</th></tr></thead>\n<tbody>\n",
    );
    for set in &results.data {
        let positives = set.positives.iter().map(|(f, n)| {
            let pairs = positives_counting(results, set, f).map(|how| format!("<small>, {how}</small>"));
            let pairs = pairs.unwrap_or_default();
            format!("<code>{}</code> {}{pairs}", escape(f), count(n))
        });
        put!(
            body,
            "<tr><th scope=\"row\">{}<small>{}</small></th><td class=\"n\">{}</td><td class=\"n\">{}</td>\
            <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"positives\">{}</td></tr>\n",
            escape(&set.name),
            escape(&set.description),
            count(set.segments),
            if set.folds == 0 { NOTHING.into() } else { count(set.folds) },
            count(set.frames),
            or_nothing(set.rate, quantity),
            positives.collect::<Vec<_>>().join("<br>")
        );
    }
    body.push_str(TABLE_END);
    (!results.data.is_empty()).then_some(Section { id: "data", title: "Data", body })
}

fn notes(results: &Results) -> Option<Section> {
    let mut body = String::from("<ul class=\"notes\">\n");
    results.notes.iter().for_each(|note| put!(body, "<li>{}</li>\n", escape(note)));
    body.push_str("</ul>\n");
    (!results.notes.is_empty()).then_some(Section { id: "notes", title: "Notes", body })
}

fn footer(results: &Results) -> String {
    let version = if results.version.is_empty() { String::new() } else { format!(" {}", escape(&results.version)) };
    let numbers = if is_one_run(results) {
        "The same command, data and version give the same rules and numbers again."
    } else {
        "The same command, data and version give the same numbers again, all but the seconds. Every number of this page, \
        unrounded, is in <code>results.json</code>."
    };
    format!(
        "<p>Made by <strong>oled{version}</strong>, an online learner of Event Calculus rules.</p>\n<p>{numbers}</p>\n"
    )
}

/// Opens a table that scrolls within its box, and says so where it is wider than that. The words of the caption may be markup, the label may not.
fn table_start(caption: &str, class: &str, label: &str) -> String {
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"{class}\"><caption><span>{caption}</span></caption>\n",
        escape(label)
    )
}

const TABLE_END: &str = "</tbody></table></div>\n";

/// A choice among names; the script shows it.
fn select(id: &str, label: &str, all: Option<&str>, names: &[&str]) -> String {
    let mut text = format!("<label>{label} <select id=\"{id}\">");
    if let Some(all) = all {
        put!(text, "<option value=\"\">{all}</option>");
    }
    names.iter().for_each(|n| put!(text, "<option value=\"{0}\">{0}</option>", escape(n)));
    text.push_str("</select></label>\n");
    text
}

/// Text as it must stand in a page, also within quotes.
pub(super) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}
