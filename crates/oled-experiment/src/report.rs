//! The report: what an experiment found, as a page and as Markdown for people, as CSV for programs.

/// Writes into a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($what:tt)*) => {{
        use std::fmt::Write as _;
        write!($out, $($what)*).expect("strings can be written to")
    }};
}

mod confidence;
mod csv;
pub mod fragment;
mod html;
mod markdown;
mod number;
mod svg;
mod time;

pub use csv::csv;
pub use html::html;
pub use markdown::markdown;

use crate::results::{Curve, CurvePoint, DataSummary, Published, Results, Score};

/// Names without repetition, in the order of their first appearance.
fn distinct<'a>(names: impl IntoIterator<Item = &'a String>) -> Vec<&'a str> {
    let mut seen: Vec<&str> = Vec::new();
    for name in names {
        if !seen.contains(&name.as_str()) {
            seen.push(name);
        }
    }
    seen
}

/// What one table of scores shows of a fluent: others' figures first, then ours.
struct Group<'a> {
    fluent: &'a str,
    published: Vec<&'a Published>,
    ours: Vec<&'a Score>,
}

impl Group<'_> {
    /// Whether a score is the best of what was learned, as far as the printed digits tell. Rules that are given compete with
    /// nobody: those that made the data are the most that can be reached, and those by hand are where one starts from.
    fn is_best(&self, score: &Score) -> bool {
        let learned = self.ours.iter().filter(|s| s.learner != GIVEN);
        let best = learned.map(|s| s.f1).fold(f64::NEG_INFINITY, f64::max);
        score.learner != GIVEN && number::share(score.f1) == number::share(best)
    }

    /// How a row counts pairs, where the rows do not all count them in the same way.
    fn counting(&self, score: &Score) -> Option<&'static str> {
        let differ = self.ours.iter().any(|other| other.symmetric != score.symmetric);
        differ.then_some(if score.symmetric { PAIRS_ONCE } else { PAIRS_TWICE })
    }
}

/// What stands in [`Score::learner`] where rules were given.
const GIVEN: &str = "theory";

/// How a row counts whose task declares the fluent symmetric, and one whose task does not.
const PAIRS_ONCE: &str = "a pair counts once";
const PAIRS_TWICE: &str = "a pair counts twice, once in each order";

/// What to know of a table whose rows count in different ways.
const COUNTS_DIFFER: &str = "Counts of rows that count pairs differently cannot be compared, their scores can.";

/// The name of the baseline that says of each time point what was annotated at the one before.
const REPEATED: &str = "repeat the last label";

/// Whether some rows of a table count pairs once and others twice.
fn counts_differ(groups: &[Group<'_>]) -> bool {
    groups.iter().any(|group| group.ours.iter().any(|score| group.counting(score).is_some()))
}

/// How the positives of a data set count pairs, where some row on it counts them in another way.
fn positives_counting(results: &Results, data: &DataSummary, fluent: &String) -> Option<&'static str> {
    let symmetric = data.symmetric.contains(fluent);
    let mut here = results.results.iter().filter(|s| s.protocol == data.name && s.fluent == *fluent);
    here.any(|s| s.symmetric != symmetric).then_some(if symmetric { PAIRS_ONCE } else { PAIRS_TWICE })
}

/// The lines of a table of the learning curves: data set, row, and F1 at the end of the stream of each fluent, in the order in
/// which the curves name them. The last line of a data set is the baseline.
fn prequential(results: &Results) -> Vec<(&str, &str, Vec<Option<f64>>)> {
    let fluents = distinct(results.curves.iter().map(|c| &c.fluent));
    let mut lines = Vec::new();
    for protocol in distinct(results.curves.iter().map(|c| &c.protocol)) {
        let here: Vec<&Curve> = results.curves.iter().filter(|c| c.protocol == protocol).collect();
        let last = |row: Option<&str>, value: fn(&CurvePoint) -> f64| {
            let of = |fluent: &&str| here.iter().find(|c| c.fluent == **fluent && row.is_none_or(|row| c.row == row));
            fluents.iter().map(|fluent| of(fluent)?.points.last().map(value)).collect()
        };
        for row in distinct(here.iter().map(|c| &c.row)) {
            lines.push((protocol, row, last(Some(row), |point| point.f1)));
        }
        lines.push((protocol, REPEATED, last(None, |point| point.repeated)));
    }
    lines
}

/// The tables of scores: each protocol with its fluents, in the order of the data.
fn tables(results: &Results) -> Vec<(&str, Vec<Group<'_>>)> {
    let names = results.data.iter().map(|d| &d.name);
    let names = names.chain(results.results.iter().map(|s| &s.protocol));
    let names = distinct(names.chain(results.published.iter().map(|p| &p.protocol)));
    let groups = |protocol: &str| -> Vec<Group<'_>> {
        let ours: Vec<&Score> = results.results.iter().filter(|s| s.protocol == protocol).collect();
        let published: Vec<&Published> = results.published.iter().filter(|p| p.protocol == protocol).collect();
        distinct(ours.iter().map(|s| &s.fluent).chain(published.iter().map(|p| &p.fluent)))
            .into_iter()
            .map(|fluent| Group {
                fluent,
                published: published.iter().copied().filter(|p| p.fluent == fluent).collect(),
                ours: ours.iter().copied().filter(|s| s.fluent == fluent).collect(),
            })
            .collect()
    };
    names.into_iter().map(|name| (name, groups(name))).filter(|(_, groups)| !groups.is_empty()).collect()
}

/// What learned, where it adds to the name of the row: `oled · default`.
fn origin(score: &Score) -> String {
    let parts = [score.learner.as_str(), score.preset.as_str()];
    parts.into_iter().filter(|p| !p.is_empty() && *p != score.row).collect::<Vec<_>>().join(" · ")
}
