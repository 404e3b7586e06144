//! The report: what an experiment found, as a page and as Markdown for people, as CSV for programs.

/// Writes into a string, which cannot fail.
macro_rules! put {
    ($out:expr, $($what:tt)*) => {{
        use std::fmt::Write as _;
        write!($out, $($what)*).expect("strings can be written to")
    }};
}

mod csv;
mod html;
mod markdown;
mod number;
mod svg;

pub use csv::csv;
pub use html::html;
pub use markdown::markdown;

use crate::results::{Published, Results, Score};

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
    /// Whether a score is the best of ours, as far as the printed digits tell.
    fn is_best(&self, score: &Score) -> bool {
        let best = self.ours.iter().map(|s| s.f1).fold(f64::NEG_INFINITY, f64::max);
        number::share(score.f1) == number::share(best)
    }
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
