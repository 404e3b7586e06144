//! Rules: what was learned, what speaks for it, and the decisions that led there.

use std::collections::BTreeMap;

use super::super::distinct;
use super::super::number::{count, or_nothing, quantity, share, whole};
use super::highlight::{highlight, literals};
use super::{Section, escape, select};
use crate::results::{Refits, Results, RuleStory, RuleTrust, Step};

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

/// The section of rules: those of the theories first, those given up folded away.
pub(super) fn section(results: &Results) -> Option<Section> {
    let [protocols, rows, fluents] = [
        distinct(results.rules.iter().map(|r| &r.protocol)),
        distinct(results.rules.iter().map(|r| &r.row)),
        distinct(results.rules.iter().map(|r| &r.fluent)),
    ];
    let place = |names: &[&str], name: &str| names.iter().position(|n| *n == name);
    let mut rules: Vec<(usize, &RuleStory)> = results.rules.iter().enumerate().collect();
    rules.sort_by_key(|(_, r)| (place(&protocols, &r.protocol), place(&rows, &r.row), place(&fluents, &r.fluent)));
    let (kept, given_up): (Vec<_>, Vec<_>) = rules.into_iter().partition(|(_, rule)| rule.kept);
    let mut body = String::from("<div class=\"controls\" id=\"rule-controls\" hidden>\n");
    body.push_str(&select("r-protocol", "Data set", Some("all"), &protocols));
    body.push_str(&select("r-row", "Row", Some("all"), &rows));
    body.push_str(&select("r-fluent", "Fluent", Some("all"), &fluents));
    body.push_str("<output id=\"rule-count\"></output></div>\n<div class=\"rules\" id=\"kept\">\n");
    kept.iter().for_each(|(i, rule)| story(&mut body, *i, rule));
    if kept.is_empty() {
        body.push_str("<p class=\"soft\">No rule was part of a theory at the end.</p>\n");
    }
    body.push_str("</div>\n");
    if !given_up.is_empty() {
        let what = if given_up.len() == 1 { "rule that was" } else { "rules that were" };
        put!(
            body,
            "<details class=\"given-up\"><summary><span id=\"given-up-count\">{}</span> {what} given up</summary>\n<div class=\"rules\">\n",
            count(given_up.len())
        );
        given_up.iter().for_each(|(i, rule)| story(&mut body, *i, rule));
        body.push_str("</div></details>\n");
    }
    (!results.rules.is_empty()).then_some(Section { id: "rules", title: "Rules", body })
}

fn story(body: &mut String, number: usize, rule: &RuleStory) {
    let [protocol, row, fluent] = [&rule.protocol, &rule.row, &rule.fluent].map(|text| escape(text));
    put!(
        body,
        "<article class=\"rule\" id=\"{}\" tabindex=\"-1\" data-protocol=\"{protocol}\" data-row=\"{row}\" data-fluent=\"{fluent}\">\
        <h3>{}<span>{protocol}, {row}</span></h3><pre tabindex=\"0\"><code>{}</code></pre><p class=\"evidence\">",
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
