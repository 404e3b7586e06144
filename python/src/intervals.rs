//! Intervals as Python gets them: a table, the lines of the program, and a drawing.

use indexmap::IndexMap;
use oled::weights::Confidence;
use oled::{Interval, Symbol, calculus};
use oled_data::{INTERVAL_COLUMNS, IntervalFormat, Times, compact, interval_line};
use oled_experiment::{Timeline, Track, fragment};
use pyo3::prelude::*;

use crate::table::{Column, PyTable};

/// What was recognised.
#[pyclass(module = "oled._oled", name = "Intervals", frozen)]
pub(crate) struct PyIntervals {
    pub(crate) intervals: Vec<Interval>,
    /// How sure each of them is, where that is known.
    pub(crate) sure: Option<Vec<Confidence>>,
    pub(crate) times: Times,
}

impl PyIntervals {
    fn lines(&self, format: IntervalFormat) -> String {
        let sure = |i: usize| self.sure.as_ref().map(|sure| sure[i]);
        let line = |(i, interval)| interval_line(interval, sure(i), format, self.times) + "\n";
        self.intervals.iter().enumerate().map(line).collect()
    }
}

#[pymethods]
impl PyIntervals {
    fn __len__(&self) -> usize {
        self.intervals.len()
    }

    /// A row for each interval.
    fn table(&self) -> PyTable {
        let text =
            |of: &dyn Fn(&Interval) -> String| Column::Text(self.intervals.iter().map(|i| Some(of(i))).collect());
        let args = self.intervals.iter().map(|interval| {
            let is_named = calculus::label_name(interval.signature).is_some();
            let values = if is_named { &interval.values[..] } else { interval.values.get(1..).unwrap_or(&[]) };
            values.iter().map(ToString::to_string).collect()
        });
        let mut columns = vec![
            ("segment", text(&|interval| interval.segment.as_str().to_string())),
            ("fluent", text(&|interval| compact(&interval.fluent()))),
            (
                "name",
                text(&|interval| calculus::fluent_name(interval.signature, &interval.values).as_str().to_string()),
            ),
            ("arguments", Column::Texts(args.collect())),
            ("start", Column::of_times(self.intervals.iter().map(|i| i.first).collect(), self.times)),
            ("end", Column::of_times(self.intervals.iter().map(|i| i.last).collect(), self.times)),
            ("closed", text(&|interval| interval.end.to_string())),
        ];
        if let Some(sure) = &self.sure {
            columns.push(("confidence", Column::Real(sure.iter().map(|c| Some(c.mean)).collect())));
            columns.push(("weakest", Column::Real(sure.iter().map(|c| Some(c.weakest)).collect())));
        }
        PyTable::new(columns)
    }

    /// What `oled recognise` prints.
    fn to_csv(&self) -> String {
        let more = if self.sure.is_some() { ",confidence,weakest" } else { "" };
        format!("{INTERVAL_COLUMNS}{more}\n{}", self.lines(IntervalFormat::Csv))
    }

    /// What `oled recognise --format jsonl` prints.
    fn to_jsonl(&self) -> String {
        self.lines(IntervalFormat::Jsonl)
    }

    /// The intervals of each segment below each other, drawn as the report draws them.
    fn drawing(&self) -> String {
        let mut segments: IndexMap<Symbol, IndexMap<String, Track>> = IndexMap::new();
        for interval in &self.intervals {
            let name = interval.fluent().to_string();
            let track = segments.entry(interval.segment).or_default().entry(name.clone()).or_default();
            track.instance = name;
            track.recognised.push((interval.first, interval.last));
        }
        let timeline = |(segment, tracks): (Symbol, IndexMap<String, Track>)| {
            let tracks: Vec<Track> = tracks.into_values().collect();
            let runs = || tracks.iter().flat_map(|track| &track.recognised);
            let first = runs().map(|run| run.0).min().unwrap_or(0);
            let last = runs().map(|run| run.1).max().unwrap_or(0);
            Timeline { segment: segment.as_str().to_string(), span: (first, last), tracks, ..Timeline::default() }
        };
        fragment::timelines(segments.into_iter().map(timeline).collect(), false)
    }
}
