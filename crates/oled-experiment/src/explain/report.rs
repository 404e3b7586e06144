//! An explanation, for people and as data.

use std::fmt::Write;

use oled::explain::{Condition, Finding, Measured};
use oled::{Interval, Literal, Signature, Symbol, Value, calculus};
use oled_data::{Times, compact, json_time, json_value};
use serde_json::json;

/// What is explained.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An interval.
    Recognised,
    /// A run of time points that are labelled and not recognised.
    Missed,
    /// A run of time points that are recognised and not labelled.
    FalseAlarm,
    /// A time point that was asked for, at which something is neither recognised nor missed.
    Absent,
}

/// The kinds that are counted, in the order of their counters.
pub const KINDS: [Kind; 3] = [Kind::Recognised, Kind::Missed, Kind::FalseAlarm];

impl Kind {
    /// The name of its list in the data.
    pub fn key(self) -> &'static str {
        match self {
            Kind::Recognised => "recognised",
            Kind::Missed => "missed",
            Kind::FalseAlarm => "false_alarms",
            Kind::Absent => "not_recognised",
        }
    }

    /// So many of a kind.
    pub fn count(self, n: u64) -> String {
        match self {
            Kind::Recognised => format!("{n} recognised"),
            Kind::Missed => format!("{n} missed"),
            Kind::FalseAlarm if n == 1 => "1 false alarm".into(),
            Kind::FalseAlarm => format!("{n} false alarms"),
            Kind::Absent => format!("{n} not recognised"),
        }
    }
}

/// An interval or run, and the reasons for it.
pub struct Report {
    /// What is explained.
    pub kind: Kind,
    pub(super) segment: Symbol,
    pub(super) signature: Signature,
    pub(super) values: Box<[Value]>,
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) reasons: Vec<Reason>,
}

/// Why something is as it is.
pub(super) enum Reason {
    /// A rule fired.
    Fired(Effect, Finding),
    /// A rule did not, at first; and how often each condition was in its way later.
    Kept { effect: Effect, rule: usize, first: Option<Finding>, points: u64, often: Vec<(Literal, u64)> },
    /// There is no rule for it.
    NoRule(Effect),
    /// It was not among the candidates at a time.
    NoCandidate(i64),
    /// Something was not observed at a time.
    Unobserved { values: Vec<Value>, time: i64, points: u64, often: Vec<(Value, u64)> },
    /// It is labelled from the first time point of its segment on.
    FromStart,
    /// The label ended at a time.
    LabelEnded(i64),
    /// The segment ended at a time.
    SegmentEnded(i64),
    /// It has not ended.
    Open,
    /// It is shorter than what is reported, which has at least so many time units.
    Short(i64),
    /// It follows from whole intervals.
    Told(Told),
    /// It is told of whole intervals, and no rule found any that lie so.
    NotTold,
}

/// Which intervals made one, by which rule.
pub(super) struct Told {
    /// Where the rule stands.
    pub(super) place: String,
    /// How the first one lies to the second, and which part of both is told; none where intervals are handed on.
    pub(super) how: Option<(&'static str, &'static str)>,
    pub(super) of: Vec<Interval>,
}

impl Told {
    /// When it was known.
    fn known(&self) -> i64 {
        self.of.iter().map(|interval| interval.last).max().unwrap_or_default()
    }

    fn write(&self, text: &mut String, times: Times) -> std::fmt::Result {
        let when = times.show(self.known());
        let how = match self.how {
            Some((_, part)) => format!("told when both were over, at {when}: their {part}, by {}", self.place),
            None => format!("handed on when it was over, at {when}, by {}", self.place),
        };
        writeln!(text, "  {how}")?;
        for (interval, relation) in self.of.iter().zip([None, self.how.map(|(relation, _)| relation)]) {
            let relation = relation.map_or_else(String::new, |relation| format!("{relation} "));
            writeln!(text, "    {relation}{}", spanned(interval, times))?;
        }
        Ok(())
    }

    fn to_json(&self, times: Times) -> serde_json::Value {
        let of = |interval: &Interval| {
            let fluent = compact(&calculus::fluent(interval.signature, &interval.values));
            json!({"fluent": fluent, "first": json_time(interval.first, times), "last": json_time(interval.last, times)})
        };
        json!({
            "what": "told", "time": json_time(self.known(), times), "place": self.place,
            "relation": self.how.map(|(relation, _)| relation), "part": self.how.map(|(_, part)| part),
            "of": self.of.iter().map(of).collect::<Vec<_>>(),
        })
    }
}

/// `near(ann), 4 to 15`.
fn spanned(interval: &Interval, times: Times) -> String {
    let fluent = compact(&calculus::fluent(interval.signature, &interval.values));
    let last =
        if interval.last == interval.first { String::new() } else { format!(" to {}", times.show(interval.last)) };
    format!("{fluent}, {}{last}", times.show(interval.first))
}

/// What a rule does to a fluent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Begin,
    /// It begins what holds already, so that it goes on whatever else happens.
    Renew,
    /// It says that it holds, at a time point that was asked for.
    Hold,
    End,
    /// It fired, and something else counted.
    Vain,
}

impl Effect {
    fn done(self) -> &'static str {
        match self {
            Effect::Begin => "began",
            Effect::Renew => "begun again",
            Effect::Hold => "held",
            Effect::End => "ended",
            Effect::Vain => "tried in vain",
        }
    }

    fn undone(self) -> &'static str {
        match self {
            Effect::End => "not ended",
            _ => "not begun",
        }
    }
}

impl Report {
    fn fluent(&self) -> String {
        compact(&calculus::fluent(self.signature, &self.values))
    }

    /// For people.
    pub fn to_text(&self, times: Times) -> String {
        let mut text = String::new();
        self.write(&mut text, times).expect("strings can be written to");
        text
    }

    fn write(&self, text: &mut String, times: Times) -> std::fmt::Result {
        write!(text, "{}", self.fluent())?;
        if !self.segment.as_str().is_empty() {
            write!(text, " in {}", self.segment.as_str())?;
        }
        write!(text, ", {}", times.show(self.first))?;
        if self.last != self.first {
            write!(text, " to {}", times.show(self.last))?;
        }
        text.push_str(match self.kind {
            Kind::Recognised => "\n",
            Kind::Missed => ": missed\n",
            Kind::FalseAlarm => ": false alarm\n",
            Kind::Absent => ": not recognised\n",
        });
        self.reasons.iter().try_for_each(|reason| reason.write(text, times))
    }

    /// The same as data.
    pub fn to_json(&self, times: Times) -> serde_json::Value {
        json!({
            "fluent": self.fluent(),
            "segment": self.segment.as_str(),
            "first": json_time(self.first, times),
            "last": json_time(self.last, times),
            "reasons": self.reasons.iter().map(|reason| reason.to_json(times)).collect::<Vec<_>>(),
        })
    }
}

impl Reason {
    fn write(&self, text: &mut String, times: Times) -> std::fmt::Result {
        match self {
            Reason::Fired(effect, finding) => {
                writeln!(text, "  {} by rule {} at {}", effect.done(), finding.rule + 1, times.show(finding.time))?;
                finding.conditions.iter().try_for_each(|c| writeln!(text, "    {}", shown(c, finding.time, times)))
            }
            Reason::Kept { effect, rule, first, points, often } => {
                write!(text, "  {} by rule {}", effect.undone(), rule + 1)?;
                match first {
                    Some(finding) => writeln!(text, " at {}", times.show(finding.time))?,
                    None => writeln!(text)?,
                }
                if let Some(finding) = first {
                    for condition in finding.conditions.iter().filter(|c| c.truth == Some(false)) {
                        writeln!(text, "    in the way: {}", shown(condition, finding.time, times))?;
                    }
                }
                let often = often.iter().map(|(literal, n)| (literal.to_string(), *n));
                write_often(text, "in the way", *points, &often.collect::<Vec<_>>())
            }
            Reason::NoRule(Effect::End) => writeln!(text, "  no rule ends it"),
            Reason::NoRule(_) => writeln!(text, "  no rule begins it"),
            Reason::Unobserved { values, time, points, often } => {
                if !values.is_empty() {
                    writeln!(text, "  {} not observed at {}", listed(values), times.show(*time))?;
                }
                let often = often.iter().map(|(value, n)| (value.to_string(), *n)).collect::<Vec<_>>();
                write_often(text, "not observed", *points, &often)
            }
            Reason::NoCandidate(time) => writeln!(text, "  it is no candidate at {}", times.show(*time)),
            Reason::FromStart => writeln!(text, "  labelled from the first time point of its segment on"),
            Reason::LabelEnded(time) => writeln!(text, "  the label ended at {}", times.show(*time)),
            Reason::SegmentEnded(time) => writeln!(text, "  the segment ended at {}", times.show(*time)),
            Reason::Open => writeln!(text, "  not ended yet"),
            Reason::Short(least) => writeln!(text, "  not reported: it is shorter than {least}"),
            Reason::Told(told) => told.write(text, times),
            Reason::NotTold => writeln!(text, "  no two intervals lie to each other as its rules ask"),
        }
    }

    fn to_json(&self, times: Times) -> serde_json::Value {
        match self {
            Reason::Fired(effect, finding) => json!({
                "what": effect.done(), "rule": finding.rule + 1, "time": json_time(finding.time, times), "conditions": conditions(finding, times),
            }),
            Reason::Kept { effect, rule, first, points, often } => json!({
                "what": effect.undone(), "rule": rule + 1, "time": first.as_ref().map(|f| json_time(f.time, times)),
                "conditions": first.as_ref().map(|finding| conditions(finding, times)).unwrap_or_default(), "points": points,
                "false": often.iter().map(|(l, n)| json!({"condition": l.to_string(), "points": n})).collect::<Vec<_>>(),
            }),
            Reason::NoRule(Effect::End) => json!({"what": "no rule ends it"}),
            Reason::NoRule(_) => json!({"what": "no rule begins it"}),
            Reason::Unobserved { values, time, points, often } => json!({
                "what": "not observed", "time": json_time(*time, times), "points": points,
                "entities": values.iter().map(ToString::to_string).collect::<Vec<_>>(),
                "absent": often.iter().map(|(v, n)| json!({"entity": v.to_string(), "points": n})).collect::<Vec<_>>(),
            }),
            Reason::NoCandidate(time) => json!({"what": "no candidate", "time": json_time(*time, times)}),
            Reason::FromStart => json!({"what": "labelled from the start"}),
            Reason::LabelEnded(time) => json!({"what": "label ended", "time": json_time(*time, times)}),
            Reason::SegmentEnded(time) => json!({"what": "segment ended", "time": json_time(*time, times)}),
            Reason::Open => json!({"what": "not ended yet"}),
            Reason::Short(least) => json!({"what": "not reported", "min_duration": least}),
            Reason::Told(told) => told.to_json(times),
            Reason::NotTold => json!({"what": "not told"}),
        }
    }
}

fn conditions(finding: &Finding, times: Times) -> Vec<serde_json::Value> {
    let conditions = finding.conditions.iter().map(|c| {
        let mut condition = json!({"condition": written(&c.literal, finding.time, times), "true": c.truth});
        if let Some(time) = c.looked_at {
            condition["looked_at"] = json_time(time, times);
        }
        if !c.measured.is_empty() {
            condition["measured"] = c.measured.iter().map(measured).collect();
        }
        condition
    });
    conditions.collect()
}

fn measured(measured: &Measured) -> serde_json::Value {
    json!({
        "what": measured.what, "value": json_value(measured.value), "comparison": measured.comparison.as_str(),
        "threshold": json_value(measured.threshold),
    })
}

/// A condition, with the earlier time point that it looks back at, and what was measured for it.
fn shown(condition: &Condition, time: i64, times: Times) -> String {
    let literal = written(&condition.literal, time, times);
    let looked_at = condition.looked_at.map(|time| format!("at {}", times.show(time)));
    let remarks: Vec<String> =
        looked_at.into_iter().chain(condition.measured.iter().map(ToString::to_string)).collect();
    if remarks.is_empty() {
        return literal;
    }
    format!("{literal}  % {}", remarks.join("; "))
}

/// A condition at a time point, whose time is written as the stream has it.
fn written(literal: &Literal, time: i64, times: Times) -> String {
    let text = literal.to_string();
    match text.strip_suffix(&format!("{time})")).filter(|before| before.ends_with([' ', '('])) {
        Some(before) => format!("{before}{})", times.show(time)),
        None => text,
    }
}

/// How often something was so, most often first; not for a single time point, of which all was said.
fn write_often(text: &mut String, what: &str, points: u64, often: &[(String, u64)]) -> std::fmt::Result {
    let width = often.first().map_or(0, |(_, n)| n.to_string().len());
    let often = often.iter().filter(|_| points > 1);
    often.into_iter().try_for_each(|(item, n)| writeln!(text, "    {what} at {n:>width$} of {points}: {item}"))
}

/// `p1 was`, `p1 and p2 were`.
fn listed(values: &[Value]) -> String {
    let names: Vec<String> = values.iter().map(ToString::to_string).collect();
    format!("{} {}", names.join(" and "), if values.len() == 1 { "was" } else { "were" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_condition_is_written_as_the_stream_has_it() {
        let written =
            |atom: &str, times| written(&Literal::positive(oled::parse_atom(atom).unwrap()), 1_772_359_200, times);
        let iso = Times::iso(oled::lang::Clock::default(), true);
        let above = "above(m1, 7, 1772359200)";
        assert_eq!(written(above, iso), "above(m1, 7, 2026-03-01T10:00:00Z)");
        assert_eq!(written(above, Times::default()), above);
        // Other numbers are no times.
        for other in ["above(m1, 7, T)", "above(m1, 91772359200)", "kind(1772359200, m1)"] {
            assert_eq!(written(other, iso), other);
        }
    }
}
