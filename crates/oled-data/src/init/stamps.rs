//! Stamps: the time points of a table, in which order they come, and how often each of those in it reports.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

/// Time points of a table that are compared with those of others; what the first million show is taken for all.
const STAMPS: usize = 1 << 20;

/// How many times as long as the first quarter of the times between reports the third one is, where they come by chance: of what happens
/// at any time, with the same chance at each, it is log 4 / log 4/3, 4.8 times; of a clock that is anywhere between twice as fast and
/// standing, 3 times. With half of this gauges that fail now and then are events; with twice of it only what comes in bursts is.
const APART: i64 = 4;

/// The time points of a table, and the order in which they come.
pub(super) struct Stamps {
    /// Segment and time, of the first rows.
    pub(super) found: IndexSet<(String, i64), FxBuildHasher>,
    /// The rows of these.
    pub(super) rows: u64,
    pub(super) first: i64,
    pub(super) last: i64,
    before: Option<(String, i64)>,
    /// Whether rows are in the order of time.
    pub(super) by_time: bool,
    /// Whether each segment comes in one piece, in the order of time.
    pub(super) grouped: bool,
    pub(super) segments: IndexSet<String, FxBuildHasher>,
    /// When each was reported last, and the times between reports, of the first ones.
    reported: IndexMap<String, Reports, FxBuildHasher>,
    gaps: usize,
}

/// What is known of when somebody reports.
#[derive(Clone, Default)]
struct Reports {
    last: Option<i64>,
    gaps: Vec<i64>,
}

impl Stamps {
    pub(super) fn new() -> Stamps {
        let (found, segments) = (IndexSet::default(), IndexSet::default());
        Stamps {
            found,
            rows: 0,
            first: i64::MAX,
            last: i64::MIN,
            before: None,
            by_time: true,
            grouped: true,
            segments,
            reported: IndexMap::default(),
            gaps: 0,
        }
    }

    /// Takes note of how long after the last one a report comes.
    pub(super) fn report(&mut self, who: &str, time: i64) {
        if self.gaps >= STAMPS {
            return;
        }
        let reports = self.reported.entry(who.to_string()).or_default();
        let gap = reports.last.replace(time).map(|before| time.saturating_sub(before)).filter(|gap| *gap > 0);
        reports.gaps.extend(gap);
        self.gaps += usize::from(gap.is_some());
    }

    /// The times between the reports of each.
    pub(super) fn gaps(&self) -> impl Iterator<Item = i64> {
        self.reported.values().flat_map(|reports| reports.gaps.iter().copied())
    }

    /// Adds the time points of another file of the same table.
    pub(super) fn merge(&mut self, other: &Stamps) {
        (self.first, self.last) = (self.first.min(other.first), self.last.max(other.last));
        self.found.extend(other.found.iter().cloned());
        self.rows += other.rows;
        self.gaps += other.gaps;
        for (who, theirs) in &other.reported {
            let own = self.reported.entry(who.clone()).or_default();
            own.last = theirs.last.or(own.last);
            own.gaps.extend(&theirs.gaps);
        }
    }

    /// Whether reports come when something happens, and not by a clock: of most who report the third quarter of the times between
    /// reports is more than [`APART`] times as long as the first. Each may have a clock of its own.
    pub(super) fn are_at_any_time(&self) -> bool {
        let at_any_time = |reports: &Reports| {
            let mut gaps = reports.gaps.clone();
            gaps.sort_unstable();
            let quarter = |share: usize| gaps.get(gaps.len() * share / 4).copied();
            quarter(1).zip(quarter(3)).is_some_and(|(short, long)| long > short.saturating_mul(APART))
        };
        // The more somebody reports, the more it says.
        let of = |reports: &Reports| reports.gaps.len();
        let such: usize = self.reported.values().filter(|reports| at_any_time(reports)).map(of).sum();
        2 * such > self.gaps
    }

    /// How many there are who report.
    pub(super) fn everybody(&self) -> usize {
        self.reported.len()
    }

    pub(super) fn see(&mut self, segment: &str, time: i64) {
        (self.first, self.last) = (self.first.min(time), self.last.max(time));
        let new = self.segments.insert(segment.to_string());
        if let Some((other, before)) = &mut self.before {
            self.by_time &= *before <= time;
            self.grouped &= if other == segment { *before <= time } else { new };
            *before = time;
            if other != segment {
                *other = segment.to_string();
            }
        } else {
            self.before = Some((segment.to_string(), time));
        }
        if self.found.len() < STAMPS {
            self.found.insert((segment.to_string(), time));
            self.rows += 1;
        }
    }
}

/// Whether what two lists have in common is in the same order.
pub(super) fn same_order(a: &IndexSet<String, FxBuildHasher>, b: &IndexSet<String, FxBuildHasher>) -> bool {
    let common: Vec<usize> = a.iter().filter_map(|name| b.get_index_of(name)).collect();
    common.is_sorted()
}
