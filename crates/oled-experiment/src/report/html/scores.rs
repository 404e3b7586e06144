//! Scores: for each data set a table of all rows, others' and ours, and one of intervals.

use super::super::number::{mean, or_nothing, quantity, share, whole};
use super::super::svg::{Strip, strip};
use super::super::{COUNTS_DIFFER, Group, counts_differ, origin, tables};
use super::{Section, TABLE_END, escape, folds, table_start};
use crate::results::{FoldScore, Published, Results, Score, SpreadOver};

/// The section of tables.
pub(super) fn section(results: &Results) -> Option<Section> {
    let mut body = String::new();
    for (protocol, groups) in tables(results) {
        put!(body, "<h3>{}</h3>\n", escape(protocol));
        scores(&mut body, protocol, &groups);
        let rate = results.data.iter().find(|d| d.name == protocol).and_then(|d| d.rate);
        intervals(&mut body, protocol, &groups, rate);
        folds::details(&mut body, &groups);
    }
    (!body.is_empty()).then_some(Section { id: "scores", title: "Scores", body })
}

fn scores(body: &mut String, protocol: &str, groups: &[Group<'_>]) {
    let range = range(groups);
    let caption = format!(
        "Scores on {}: counts are summed over folds, and scores are the mean over orders of the data. ± is the standard \
        deviation of F1 over orders, or from fold to fold where there is one order only; dots show F1 of each. \
        The best F1 of what was learned here is bold; rules that are given do not compete.",
        escape(protocol)
    );
    body.push_str(&table_start(&caption, "scores", &format!("Scores on {protocol}")));
    put!(
        body,
        "<thead><tr><th scope=\"col\">System</th><th scope=\"col\" class=\"n\">P</th><th scope=\"col\" class=\"n\">R</th>\
        <th scope=\"col\" class=\"n f1\">F1</th><th scope=\"col\" class=\"spread\">±</th>\
        <th scope=\"col\"><div class=\"range\"><span>{:.2}</span> each <span>{:.2}</span></div></th>\
        <th scope=\"col\" class=\"n\">Rules</th><th scope=\"col\" class=\"n\">Literals</th>\
        <th scope=\"col\" class=\"n\">Seconds</th></tr></thead>\n",
        range.0,
        range.1
    );
    for (i, group) in groups.iter().enumerate() {
        let close = if i > 0 { "</tbody>\n" } else { "" };
        put!(
            body,
            "{close}<tbody><tr class=\"group\"><th colspan=\"9\" scope=\"rowgroup\"><code>{}</code></th></tr>\n",
            escape(group.fluent)
        );
        for published in &group.published {
            let Published { system, precision, recall, f1, literals, seconds, source, .. } = published;
            cells(
                body,
                "published",
                &format!("{} <span class=\"tag\">published</span><small>{}</small>", escape(system), escape(source)),
                [
                    or_nothing(*precision, share),
                    or_nothing(*recall, share),
                    share(*f1),
                    String::new(),
                    strip(&Strip::Published(*f1), range),
                    or_nothing(None, whole),
                    or_nothing(*literals, whole),
                    or_nothing(*seconds, quantity),
                ],
            );
        }
        for score in &group.ours {
            let Score { row, precision, recall, f1, literals, rules, seconds, .. } = score;
            let best = if group.is_best(score) { "strong" } else { "span" };
            cells(
                body,
                "ours",
                &format!("{}<small>{}</small>", escape(row), escape(&origin(score))),
                [
                    share(*precision),
                    share(*recall),
                    format!("<{best}>{}</{best}>", share(*f1)),
                    spread(score),
                    strip(&dots(score), range),
                    whole(*rules),
                    whole(*literals),
                    or_nothing(*seconds, quantity),
                ],
            );
        }
    }
    body.push_str(TABLE_END);
}

/// The spread of F1, and what it is over.
fn spread(score: &Score) -> String {
    match (score.f1_spread, score.spread_over) {
        (Some(spread), Some(over)) => format!("± {}<small>{}</small>", share(spread), over.name()),
        _ => String::new(),
    }
}

/// F1 of each order, or of each fold, beside F1 of all.
fn dots(score: &Score) -> Strip {
    match score.spread_over {
        Some(SpreadOver::Folds) => {
            Strip::Ours(score.folds.iter().filter_map(FoldScore::f1).collect(), score.f1, "fold")
        }
        _ => Strip::Ours(score.orders.iter().map(|o| o.f1).collect(), score.f1, "order"),
    }
}

/// A row of the table of scores; its cells are markup already.
fn cells(
    body: &mut String,
    class: &str,
    name: &str,
    [p, r, f1, spread, orders, rules, literals, seconds]: [String; 8],
) {
    put!(
        body,
        "<tr class=\"{class}\"><th scope=\"row\">{name}</th><td class=\"n\">{p}</td><td class=\"n\">{r}</td>\
        <td class=\"n f1\">{f1}</td><td class=\"spread\">{spread}</td><td class=\"orders\">{orders}</td><td class=\"n\">{rules}</td>\
        <td class=\"n\">{literals}</td><td class=\"n\">{seconds}</td></tr>\n"
    );
}

/// The range of F1 that the strips of a table share: round, and wide enough for all of them.
fn range(groups: &[Group<'_>]) -> (f64, f64) {
    let ours = groups.iter().flat_map(|g| &g.ours).flat_map(|s| match dots(s) {
        Strip::Ours(dots, f1, _) => dots.into_iter().chain([f1]).collect(),
        Strip::Published(f1) => vec![f1],
    });
    let all = ours.chain(groups.iter().flat_map(|g| &g.published).map(|p| p.f1)).filter(|f1| f1.is_finite());
    let (low, high) = all.fold((1.0f64, 0.0f64), |(low, high), f1| (low.min(f1), high.max(f1)));
    let (low, high) = ((low * 20.0).floor() / 20.0, (high * 20.0).ceil() / 20.0);
    (low, high.max(low + 0.05))
}

fn intervals(body: &mut String, protocol: &str, groups: &[Group<'_>], rate: Option<f64>) {
    let Some(first) = groups.iter().flat_map(|g| &g.ours).next() else { return };
    let unit = rate.map_or_else(String::new, |rate| format!(", {} a second", quantity(rate)));
    let caption = format!(
        "Interval by interval on {}. An annotated interval is found when {} % of it is covered; \
        the delay is counted in time units{unit}, negative where recognition was too early.{}{}",
        escape(protocol),
        whole(100.0 * first.intervals.share),
        first.intervals.hours.map_or_else(String::new, |hours| format!(
            " False alarms by the hour are of {} hours that were tested.",
            quantity(hours)
        )),
        if counts_differ(groups) { format!(" {COUNTS_DIFFER}") } else { String::new() }
    );
    body.push_str(&table_start(&caption, "intervals", &format!("Intervals on {protocol}")));
    body.push_str("<thead><tr><th scope=\"col\">System</th>");
    let names = ["Annotated", "Recognised", "Found", "P", "R", "F1", "Delay", "Covered", "False alarms", "Per hour"];
    names.iter().for_each(|name| put!(body, "<th scope=\"col\" class=\"n\">{name}</th>"));
    body.push_str("</tr></thead>\n");
    for (i, group) in groups.iter().filter(|g| !g.ours.is_empty()).enumerate() {
        let close = if i > 0 { "</tbody>\n" } else { "" };
        put!(
            body,
            "{close}<tbody><tr class=\"group\"><th colspan=\"11\" scope=\"rowgroup\"><code>{}</code></th></tr>\n",
            escape(group.fluent)
        );
        for score in &group.ours {
            let i = &score.intervals;
            let values = [
                whole(i.annotated),
                whole(i.recognised),
                whole(i.found),
                share(i.precision),
                share(i.recall),
                share(i.f1),
                or_nothing(i.delay, mean),
                share(i.covered),
                whole(i.false_alarms),
                or_nothing(i.false_alarms_per_hour, quantity),
            ];
            let counting = group.counting(score).map_or_else(String::new, |how| format!("<small>{how}</small>"));
            put!(body, "<tr class=\"ours\"><th scope=\"row\">{}{counting}</th>", escape(&score.row));
            values.iter().for_each(|value| put!(body, "<td class=\"n\">{value}</td>"));
            body.push_str("</tr>\n");
        }
    }
    body.push_str(TABLE_END);
}
