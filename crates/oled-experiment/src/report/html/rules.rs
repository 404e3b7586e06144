//! Rules: what was learned, what speaks for it, and the decisions that led there.

use std::collections::BTreeMap;

use super::super::distinct;
use super::super::number::{count, or_nothing, quantity, share, whole};
use super::highlight::{highlight, literals};
use super::{Section, TABLE_END, escape, select, table_start};
use crate::results::{FinalScore, Refits, Results, RuleStory, RuleTrust, Step};

/// Where in the page a rule stands.
pub(super) struct Anchors<'a>(BTreeMap<(&'a str, &'a str, &'a str), usize>);

impl<'a> Anchors<'a> {
    pub(super) fn new(results: &'a Results) -> Anchors<'a> {
        let rules = results.rules.iter().enumerate();
        Anchors(rules.map(|(i, r)| ((r.protocol.as_str(), r.row.as_str(), r.id.as_str()), i)).collect())
    }

    /// The anchor of a rule of a protocol and row.
    pub(super) fn of(&self, protocol: &str, row: &str, id: &str) -> Option<String> {
        self.0.get(&(protocol, row, id)).map(|i| anchor(*i))
    }
}

fn anchor(rule: usize) -> String {
    format!("rule-{rule}")
}

/// The section of rules: how well they fit, where that is known; those of the theories, those given up folded away.
pub(super) fn section(results: &Results) -> Option<Section> {
    let [protocols, rows, fluents] = [
        distinct(results.rules.iter().map(|r| &r.protocol)),
        distinct(results.rules.iter().map(|r| &r.row)),
        distinct(results.rules.iter().map(|r| &r.fluent)),
    ];
    let place = |names: &[&str], name: &str| names.iter().position(|n| *n == name);
    let mut rules: Vec<(usize, &RuleStory)> = results.rules.iter().enumerate().collect();
    // What starts a fluent comes before what ends it.
    rules.sort_by_key(|(_, r)| {
        let ends = r.id.starts_with("terminatedAt");
        (place(&protocols, &r.protocol), place(&rows, &r.row), place(&fluents, &r.fluent), ends)
    });
    let (kept, given_up): (Vec<_>, Vec<_>) = rules.into_iter().partition(|(_, rule)| rule.kept);
    let mut body = String::new();
    if !results.fits.is_empty() {
        fits(&mut body, results);
    }
    body.push_str("<div class=\"controls\" id=\"rule-controls\" hidden>\n");
    body.push_str(&select("r-protocol", "Data set", Some("all"), &protocols));
    body.push_str(&select("r-row", "System", Some("all"), &rows));
    body.push_str(&select("r-fluent", "Fluent", Some("all"), &fluents));
    body.push_str("<output id=\"rule-count\"></output></div>\n<div class=\"rules\" id=\"kept\">\n");
    let from = protocols.len() > 1 || rows.len() > 1;
    kept.iter().for_each(|(i, rule)| story(&mut body, *i, rule, from));
    if kept.is_empty() {
        body.push_str("<p class=\"soft\">No rule was part of a theory at the end.</p>\n");
    }
    body.push_str("</div>\n");
    explanation(&mut body, results);
    if !given_up.is_empty() {
        let what = if given_up.len() == 1 { "rule that was" } else { "rules that were" };
        put!(
            body,
            "<details class=\"given-up\"><summary><span id=\"given-up-count\">{}</span> {what} given up</summary>\n<div class=\"rules\">\n",
            count(given_up.len())
        );
        given_up.iter().for_each(|(i, rule)| story(&mut body, *i, rule, from));
        body.push_str("</div></details>\n");
    }
    let title = if results.fits.is_empty() { "Rules" } else { "The rules that were learned" };
    let any = !results.rules.is_empty() || !results.fits.is_empty();
    any.then_some(Section { id: "rules", title, body })
}

/// How well the final rules fit the stream that they were learned from.
fn fits(body: &mut String, results: &Results) {
    let held_out = results.fits.iter().any(|fit| fit.held_out.is_some());
    let unseen = if held_out {
        "Held out is what rules score on segments that they were not learned from, each part of the segments in turn: expect that on new data."
    } else {
        "How well they do on what they have not seen, <code>oled crossval</code> reports."
    };
    let caption = format!(
        "The final rules on the stream that they were learned from. {unseen} A fluent without rules has no scores."
    );
    body.push_str(&table_start(&caption, "", "Scores of the final rules"));
    body.push_str("<thead><tr><th scope=\"col\">Fluent</th>");
    let names = ["Rules", "Literals", "Precision", "Recall", "F1"];
    let names = names.into_iter().chain(held_out.then_some("F1 held out")).chain(["Annotated", "Recognised", "Both"]);
    names.for_each(|name| put!(body, "<th scope=\"col\" class=\"n\">{name}</th>"));
    body.push_str("</tr></thead>\n<tbody>\n");
    for fit in &results.fits {
        let FinalScore { fluent, rules, literals, tp, fp, fn_, held_out: unseen } = fit;
        let counts = fit.confusion();
        let score = |value: f64| or_nothing((*rules > 0).then_some(value), share);
        let seen = [
            count(rules),
            count(literals),
            score(counts.precision()),
            score(counts.recall()),
            format!("<strong>{}</strong>", score(counts.f1())),
        ];
        let unseen = held_out.then(|| format!("<strong>{}</strong>", or_nothing(*unseen, share)));
        let values = seen.into_iter().chain(unseen).chain([count(tp + fn_), count(tp + fp), count(tp)]);
        put!(body, "<tr><th scope=\"row\"><code>{}</code></th>", escape(fluent));
        values.for_each(|value| put!(body, "<td class=\"n\">{value}</td>"));
        body.push_str("</tr>\n");
    }
    body.push_str(TABLE_END);
}

/// What the figures below the rules mean; only those that there are.
fn explanation(body: &mut String, results: &Results) {
    let rules = &results.rules;
    let mut words: Vec<(&str, &str)> = vec![(
        "#",
        "The rules of a head are numbered as they are tried, so that most numbers belong to rules that were given up.",
    )];
    if rules.iter().any(|r| r.trust.is_some()) {
        words.extend([
            ("gain", "How much F1 would be lost without the rule, less the price of its literals."),
            ("helps in", "The segments in which there would be more errors without the rule."),
            ("harms in", "The segments in which there would be fewer errors without the rule."),
        ]);
    }
    if rules.iter().any(|r| r.trust.is_some_and(|trust| trust.refits.is_some())) {
        words.push((
            "refits",
            "The search is run again several times, each time without a part of the segments: how often it finds the rule \
            again. A rule that is seldom found again owes its existence to few segments.",
        ));
    }
    if rules.iter().any(|r| r.counts.is_some()) {
        words.push((
            "TP, FP, FN",
            "Of the instances that the rule is about: where it is right, where it is wrong, and where it should have fired \
            and did not.",
        ));
    }
    if rules.is_empty() {
        return;
    }
    // Where the rules are what the page is about, their figures are explained at once.
    let open = if results.fits.is_empty() { "" } else { " open" };
    put!(body, "<details class=\"words\"{open}><summary>What the figures mean</summary>\n<dl>");
    words.iter().for_each(|(word, meaning)| put!(body, "<dt>{word}</dt><dd>{meaning}</dd>\n"));
    body.push_str("</dl></details>\n");
}

/// `from` says whether to name the data set and the system: not where there is one of each.
fn story(body: &mut String, number: usize, rule: &RuleStory, from: bool) {
    let [protocol, row, fluent] = [&rule.protocol, &rule.row, &rule.fluent].map(|text| escape(text));
    let from = if from { format!("<span>{protocol}, {row}</span>") } else { String::new() };
    put!(
        body,
        "<article class=\"rule\" id=\"{}\" tabindex=\"-1\" data-protocol=\"{protocol}\" data-row=\"{row}\" data-fluent=\"{fluent}\">\
        <h3>{}{from}</h3><pre tabindex=\"0\"><code>{}</code></pre><p class=\"evidence\">",
        anchor(number),
        escape(&rule.id),
        highlight(&rule.text)
    );
    if let Some((tp, fp, fn_)) = rule.counts {
        put!(body, "<span>TP <b>{}</b></span><span>FP <b>{}</b></span>", count(tp), count(fp));
        put!(body, "<span>FN <b>{}</b></span>", count(fn_));
    }
    if let Some(score) = rule.score {
        put!(body, "<span>score <b>{}</b></span>", share(score));
    }
    if let Some(instances) = rule.instances {
        put!(body, "<span>instances <b>{}</b></span>", count(instances));
    }
    if let Some(RuleTrust { gain, helps, harms, refits }) = rule.trust {
        put!(body, "<span title=\"F1, less the price of its literals, that would be lost without it\">");
        put!(body, "gain <b>{}</b></span>", share(gain));
        put!(body, "<span title=\"segments in which there would be more errors without it\">");
        put!(body, "helps in <b>{}</b></span>", count(helps));
        put!(body, "<span title=\"segments in which there would be fewer errors without it\">");
        put!(body, "harms in <b>{}</b></span>", count(harms));
        if let Some(Refits { found, of }) = refits {
            put!(body, "<span title=\"searches without a part of the segments that found it again\">");
            put!(body, "refits <b>{} of {}</b></span>", count(found), count(of));
        }
    }
    body.push_str("</p>");
    history(body, rule);
    body.push_str("</article>\n");
}

/// The figures of decisions.
const DECIDED: &str = "<th class=\"n\">Score<th class=\"n\">Best<th class=\"n\">Gap\
    <th class=\"n\"><abbr title=\"epsilon, the bound\">ε</abbr><th class=\"n\"><abbr title=\"tau, the tie threshold\">τ</abbr>\
    <th class=\"n\">Seen";
/// The same where whole theories are chosen.
const CHOSEN: &str =
    "<th class=\"n\"><abbr title=\"F1 of the theory from then on, less the price of its literals\">Worth</abbr>";

fn history(body: &mut String, rule: &RuleStory) {
    let Some(last) = rule.history.last() else { return };
    let chosen = rule.history.iter().any(|step| ["chosen", "dropped"].contains(&step.what.as_str()));
    let decisions = if rule.history.len() == 1 { "decision" } else { "decisions" };
    put!(
        body,
        "<details class=\"history\"><summary>History <span class=\"soft\">{} {decisions}, the last at {}</span></summary>\
        <div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"History of {}\"><table class=\"steps\">\
        <thead><tr><th class=\"n\">At<th>Decision<th>{}{}<tbody>",
        rule.history.len(),
        count(last.interpretation),
        escape(&rule.id),
        if chosen { "Body" } else { "Body after it" },
        if chosen { CHOSEN } else { DECIDED },
    );
    let mut before: Vec<&str> = Vec::new();
    for step in &rule.history {
        let Step { interpretation, what, body: after, scores, bounds, seen, value } = step;
        let now = literals(after);
        put!(body, "<tr><td class=\"n\">{}<td>{}<td class=\"body\">", count(interpretation), escape(what));
        for (i, literal) in now.iter().enumerate() {
            let comma = if i + 1 < now.len() { ", " } else { "" };
            // What is new since the decision before is the news of this line.
            let old = before.contains(literal) || ["pruned", "dropped"].contains(&what.as_str());
            let tag = if old { "code" } else { "ins" };
            put!(body, "<{tag}>{}</{tag}>{comma}", escape(literal));
        }
        if now.is_empty() {
            body.push_str("<span class=\"soft\">no conditions</span>");
        }
        let decided = [
            or_nothing(scores.map(|s| s.0), share),
            or_nothing(scores.map(|s| s.1), share),
            or_nothing(bounds.map(|b| b.0), quantity),
            or_nothing(bounds.map(|b| b.1), quantity),
            or_nothing(bounds.map(|b| b.2), quantity),
            or_nothing(*seen, whole),
        ];
        let worth = [or_nothing(*value, share)];
        let numbers: &[String] = if chosen { &worth } else { &decided };
        numbers.iter().for_each(|n| put!(body, "<td class=\"n\">{n}"));
        before = now;
    }
    body.push_str("</table></div></details>");
}
