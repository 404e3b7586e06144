//! Intervals as lines: what `oled recognise` prints, and whoever else writes what was recognised.

use oled::weights::Confidence;
use oled::{Interval, Recogniser, Signature, Task, Term, Value, calculus};
use serde_json::{Value as Json, json};

use crate::csv::csv_field;
use crate::jsonl::printable_json;
use crate::times::Times;

/// The columns of intervals, without how sure they are.
pub const INTERVAL_COLUMNS: &str = "segment,fluent,start,end,closed";

/// How intervals are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntervalFormat {
    /// A row of delimited text, with the columns of [`INTERVAL_COLUMNS`].
    Csv,
    /// An object of JSON.
    Jsonl,
}

/// The fluents to be told of: those that the task asks for, or all where it asks for none of them, and what the rules tell of
/// intervals that are related.
pub fn wanted(task: &Task, recogniser: &Recogniser, all: bool) -> Vec<Signature> {
    let targets = task.labels();
    let defined: Vec<Signature> = recogniser.fluents().collect();
    let asked: Vec<Signature> = defined.iter().copied().filter(|s| targets.contains(s)).collect();
    if all || asked.is_empty() { defined } else { asked.into_iter().chain(recogniser.told_later()).collect() }
}

/// An interval as a line, with how sure it is where that is known; its times as the stream has them.
///
/// ```
/// use oled::{End, Interval, Signature, parse_atom};
/// use oled_data::{IntervalFormat, Times, interval_line};
/// let (signature, values) = Signature::split(&parse_atom("holdsAt(meeting(id1, id2), 0)").unwrap()).unwrap();
/// let interval = Interval {
///     segment: "walk1".into(), signature, values: values[..2].into(), first: 680, last: 720, end: End::Terminated,
/// };
/// assert_eq!(
///     interval_line(&interval, None, IntervalFormat::Csv, Times::default()),
///     r#"walk1,"meeting(id1,id2)",680,720,terminated"#
/// );
/// ```
pub fn interval_line(
    interval: &Interval,
    confidence: Option<Confidence>,
    format: IntervalFormat,
    times: Times,
) -> String {
    let fluent = compact(&interval.fluent());
    let Interval { segment, signature, values, first, last, end } = interval;
    match format {
        IntervalFormat::Csv => {
            let (segment, fluent) = (csv_field(segment.as_str()), csv_field(&fluent));
            let (first, last) = (times.show(*first), times.show(*last));
            let sure = confidence.map_or(String::new(), |c| format!(",{:.3},{:.3}", c.mean, c.weakest));
            format!("{segment},{fluent},{first},{last},{end}{sure}")
        }
        IntervalFormat::Jsonl => {
            let name = calculus::fluent_name(*signature, values);
            let values: Vec<Json> = values.iter().map(|v| json_value(*v)).collect();
            let mut line = json!({
                "segment": segment.as_str(), "fluent": fluent, "name": name.as_str(), "values": values,
                "start": json_time(*first, times), "end": json_time(*last, times), "closed": end.to_string(),
            });
            if let Some(Confidence { mean, weakest }) = confidence {
                line["confidence"] = mean.into();
                line["weakest"] = weakest.into();
            }
            printable_json(&line.to_string())
        }
    }
}

/// A value as JSON: a text or a number.
pub fn json_value(value: Value) -> Json {
    match value {
        Value::Sym(s) => json!(s.as_str()),
        Value::Int(i) => json!(i),
        Value::Real(r) => json!(r),
    }
}

/// A time point as JSON: a number where it is written as one.
pub fn json_time(time: i64, times: Times) -> Json {
    if times == Times::integer(times.clock()) { json!(time) } else { json!(times.show(time)) }
}

/// A term as streams have it: without blanks after commas.
pub fn compact(term: &Term) -> String {
    match term {
        Term::App(name, args) if name.as_str() == "=" => args.iter().map(compact).collect::<Vec<_>>().join("="),
        Term::App(name, args) if args.is_empty() => name.to_string(),
        Term::App(name, args) => format!("{name}({})", args.iter().map(compact).collect::<Vec<_>>().join(",")),
        term => term.to_string(),
    }
}
