//! Intervals and events as lines.

use oled::weights::Confidence;
use oled::{Interval, Value, calculus};
pub(crate) use oled_data::{INTERVAL_COLUMNS, compact};
use oled_data::{csv_field, json_value, printable_json};
use serde_json::json;

use super::options::Output;
use crate::times::{json_time, printed_time, times};

/// The columns of events.
pub(super) const EVENT_COLUMNS: &str = "event,segment,fluent,name,arguments,time,start,closed";

/// An interval as it is printed, with how sure it is where that is known.
pub(crate) fn interval_line(interval: &Interval, confidence: Option<Confidence>, format: Output) -> String {
    oled_data::interval_line(interval, confidence, format.of_intervals(), times())
}

/// Something begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Began,
    Ended,
}

impl Change {
    pub(super) fn name(self) -> &'static str {
        match self {
            Change::Began => "began",
            Change::Ended => "ended",
        }
    }
}

/// What happened to an interval.
pub(super) struct Event<'a> {
    pub(super) change: Change,
    pub(super) interval: &'a Interval,
}

impl Event<'_> {
    /// The name of the fluent, without arguments.
    pub(super) fn name(&self) -> &str {
        calculus::fluent_name(self.interval.signature, &self.interval.values).as_str()
    }

    /// The fluent with its arguments.
    pub(super) fn fluent(&self) -> String {
        compact(&self.interval.fluent())
    }

    /// The arguments of the fluent, and its value if it has one; a fluent without arguments is its own name.
    pub(super) fn arguments(&self) -> &[Value] {
        let Interval { signature, values, .. } = self.interval;
        let is_named = calculus::label_name(*signature).is_some();
        if is_named { values } else { values.get(1..).unwrap_or(&[]) }
    }

    /// The first time point at which it holds, or the last one.
    pub(super) fn time(&self) -> i64 {
        match self.change {
            Change::Began => self.interval.first,
            Change::Ended => self.interval.last,
        }
    }

    /// The columns of an end: since when it held, and why it ended.
    pub(super) fn end(&self) -> Option<(i64, String)> {
        (self.change == Change::Ended).then(|| (self.interval.first, self.interval.end.to_string()))
    }

    /// As it is printed.
    pub(super) fn line(&self, format: Output) -> String {
        let (change, segment) = (self.change.name(), self.interval.segment.as_str());
        match format {
            Output::Csv => {
                let arguments: Vec<String> = self.arguments().iter().map(ToString::to_string).collect();
                let (start, end) = self.end().map(|(start, end)| (printed_time(start), end)).unwrap_or_default();
                let (fluent, name) = (csv_field(&self.fluent()).into_owned(), csv_field(self.name()).into_owned());
                let (segment, arguments) = (csv_field(segment), arguments.join(","));
                let (arguments, time) = (csv_field(&arguments), printed_time(self.time()));
                format!("{change},{segment},{fluent},{name},{arguments},{time},{start},{end}")
            }
            Output::Jsonl => {
                let arguments: Vec<serde_json::Value> = self.arguments().iter().map(|v| json_value(*v)).collect();
                let mut line = json!({
                    "event": change, "segment": segment, "fluent": self.fluent(), "name": self.name(),
                    "arguments": arguments, "time": json_time(self.time()),
                });
                if let Some((start, end)) = self.end() {
                    line["start"] = json_time(start);
                    line["closed"] = end.into();
                }
                printable_json(&line.to_string())
            }
        }
    }
}
