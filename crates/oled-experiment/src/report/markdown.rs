//! Markdown: the tables of the report, for a terminal, a pull request or a paper's draft.

use super::confidence::{Confidence, confidences};
use super::number::{NOTHING, count, mean, or_nothing, quantity, share, whole};
use super::{COUNTS_DIFFER, Group, counts_differ, distinct, positives_counting, prequential, tables};
use crate::results::{Published, Results, Score};

/// The tables of the report as Markdown, with a line for each note.
pub fn markdown(results: &Results) -> String {
    let mut text = format!("# {}\n", plain(&results.experiment));
    if !results.description.is_empty() {
        put!(text, "\n{}\n", plain(&results.description));
    }
    data(&mut text, results);
    for (protocol, groups) in tables(results) {
        scores(&mut text, protocol, &groups);
        intervals(&mut text, &groups);
    }
    confidence(&mut text, results);
    curves(&mut text, results);
    rules(&mut text, results);
    scalability(&mut text, results);
    if !results.notes.is_empty() {
        text.push_str("\n## Notes\n\n");
        results.notes.iter().for_each(|note| put!(text, "- {}\n", plain(note)));
    }
    put!(text, "\nMade by oled {}.\n", plain(&results.version));
    text
}

fn data(text: &mut String, results: &Results) {
    if results.data.is_empty() {
        return;
    }
    text.push_str("\n## Data\n\n");
    head(text, &["Data set", "What it is", "Positives"], &["Segments", "Folds", "Time points", "Per second"]);
    for set in &results.data {
        let pairs =
            |fluent| positives_counting(results, set, fluent).map_or_else(String::new, |how| format!(" ({how})"));
        let positives = set.positives.iter().map(|(fluent, n)| format!("{fluent}: {}{}", count(n), pairs(fluent)));
        let positives = positives.collect::<Vec<_>>();
        let sizes = [count(set.segments), count(set.folds), count(set.frames), or_nothing(set.rate, quantity)];
        line(text, [set.name.clone(), set.description.clone(), positives.join(", ")].into_iter().chain(sizes));
    }
}

fn scores(text: &mut String, protocol: &str, groups: &[Group<'_>]) {
    put!(text, "\n## {}\n\n", plain(protocol));
    head(text, &["Fluent", "System"], &["P", "R", "F1", "±", "Rules", "Literals", "Seconds"]);
    for group in groups {
        for published in &group.published {
            let Published { system, fluent, precision, recall, f1, literals, seconds, source, .. } = published;
            let source = if source.is_empty() { String::new() } else { format!(", {source}") };
            let cells = [fluent.clone(), format!("{system} (published{source})")];
            let shares = [or_nothing(*precision, share), or_nothing(*recall, share), share(*f1), String::new()];
            let sizes = [String::new(), or_nothing(*literals, whole), or_nothing(*seconds, quantity)];
            line(text, cells.into_iter().chain(shares).chain(sizes));
        }
        for score in &group.ours {
            let Score { row, fluent, precision, recall, f1, rules, literals, seconds, .. } = score;
            let f1 = if group.is_best(score) { format!("**{}**", share(*f1)) } else { share(*f1) };
            let spread = match (score.f1_spread, score.spread_over) {
                (Some(spread), Some(over)) => format!("{} {}", share(spread), over.name()),
                _ => NOTHING.into(),
            };
            let shares = [share(*precision), share(*recall), f1, spread];
            let sizes = [whole(*rules), whole(*literals), or_nothing(*seconds, quantity)];
            line(text, [fluent.clone(), row.clone()].into_iter().chain(shares).chain(sizes));
        }
    }
}

fn intervals(text: &mut String, groups: &[Group<'_>]) {
    let ours: Vec<(&Group<'_>, &Score)> = groups.iter().flat_map(|g| g.ours.iter().map(move |s| (g, *s))).collect();
    let Some((_, first)) = ours.first() else { return };
    let covered = whole(100.0 * first.intervals.share);
    put!(text, "\nInterval by interval; one counts as found when {covered} % of it is covered");
    if let Some(hours) = first.intervals.hours {
        put!(text, "; {} hours were tested", quantity(hours));
    }
    text.push_str(if counts_differ(groups) { ". " } else { "" });
    put!(text, "{}:\n\n", if counts_differ(groups) { COUNTS_DIFFER.trim_end_matches('.') } else { "" });
    let names = ["Annotated", "Recognised", "Found", "P", "R", "F1", "Delay", "Covered", "False alarms", "Per hour"];
    head(text, &["Fluent", "System"], &names);
    for (group, score) in ours {
        let i = &score.intervals;
        let counts = [whole(i.annotated), whole(i.recognised), whole(i.found)];
        let shares = [share(i.precision), share(i.recall), share(i.f1), or_nothing(i.delay, mean), share(i.covered)];
        let alarms = [whole(i.false_alarms), or_nothing(i.false_alarms_per_hour, quantity)];
        let counting = group.counting(score).map_or_else(String::new, |how| format!(" ({how})"));
        let cells = [score.fluent.clone(), format!("{}{counting}", score.row)].into_iter();
        line(text, cells.chain(counts).chain(shares).chain(alarms));
    }
}

/// How sure rows with weights are, and how far that can be relied on.
fn confidence(text: &mut String, results: &Results) {
    let all = confidences(results);
    if all.is_empty() {
        return;
    }
    text.push_str("\n## Confidence\n\nThe area under precision over recall on what was not learned from, and how far ");
    text.push_str("probabilities are off on average, before and after calibration:\n\n");
    head(text, &["Data set", "Fluent", "System"], &["Area", "Off before", "Off after"]);
    let words = |score: &Score| [score.protocol.clone(), score.fluent.clone(), score.row.clone()].into_iter();
    for Confidence { score, area, errors, .. } in &all {
        line(text, words(score).chain([*area, errors[0], errors[1]].map(|value| or_nothing(value, share))));
    }
    text.push_str("\nWhat was said and what was so, for each tenth of probability, after calibration:\n\n");
    head(text, &["Data set", "Fluent", "System"], &["Time points", "Said", "So"]);
    for Confidence { score, reliability, .. } in &all {
        for (points, said, so) in &reliability[1] {
            line(text, words(score).chain([count(points), share(*said), share(*so)]));
        }
    }
}

/// F1 at the end of the stream where each time point is recognised before it is learned from.
fn curves(text: &mut String, results: &Results) {
    if results.curves.is_empty() {
        return;
    }
    text.push_str("\n## Test first, then learn\n\n");
    text.push_str("F1 over the whole stream, each time point recognised before it was learned from:\n\n");
    let fluents = distinct(results.curves.iter().map(|c| &c.fluent));
    head(text, &["Data set", "System"], &fluents);
    for (protocol, row, values) in prequential(results) {
        let names = [protocol.to_string(), row.to_string()].into_iter();
        line(text, names.chain(values.into_iter().map(|f1| or_nothing(f1, share))));
    }
}

/// The rules of which it is known how far they can be trusted.
fn rules(text: &mut String, results: &Results) {
    let kept: Vec<_> = results.rules.iter().filter(|r| r.kept).filter_map(|r| Some((r, r.trust?))).collect();
    if kept.is_empty() {
        return;
    }
    text.push_str(
        "\n## Rules\n\nHow much F1, less the price of its literals, would be lost without a rule; the segments ",
    );
    text.push_str("in which it helps and harms; the searches without a part of the segments that found it again:\n\n");
    head(text, &["Data set", "System", "Rule"], &["Gain", "Helps", "Harms", "Refits"]);
    for (rule, trust) in kept {
        let words = rule.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let refits = trust.refits.map_or_else(|| NOTHING.into(), |r| format!("{} of {}", r.found, r.of));
        let words = [rule.protocol.clone(), rule.row.clone(), format!("`{}`", words.replace('`', ""))];
        line(text, words.into_iter().chain([share(trust.gain), count(trust.helps), count(trust.harms), refits]));
    }
}

fn scalability(text: &mut String, results: &Results) {
    if results.scalability.is_empty() {
        return;
    }
    text.push_str("\n## Scalability\n\n");
    let names = ["Copies", "Time points", "Entities", "Instances", "Literals", "Seconds", "Published seconds"];
    head(text, &[], &names);
    for scale in &results.scalability {
        let sizes = [count(scale.copies), count(scale.interpretations), mean(scale.entities), mean(scale.instances)];
        let costs = [mean(scale.literals), or_nothing(scale.seconds, quantity)];
        let published = or_nothing(scale.published_seconds, quantity);
        line(text, sizes.into_iter().chain(costs).chain([published]));
    }
}

/// The head of a table: columns of words, then columns of numbers.
fn head(text: &mut String, words: &[&str], numbers: &[&str]) {
    put!(text, "| {} |\n", words.iter().chain(numbers).map(|name| plain(name)).collect::<Vec<_>>().join(" | "));
    put!(text, "|{}{}\n", "---|".repeat(words.len()), "--:|".repeat(numbers.len()));
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    put!(text, "| {} |\n", cells.map(|c| plain(&c)).collect::<Vec<_>>().join(" | "));
}

/// Text that stays on its line and in its cell, and is not taken for markup.
fn plain(text: &str) -> String {
    text.replace(['\n', '\r'], " ").replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|")
}
