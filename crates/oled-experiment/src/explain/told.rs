//! What is told of whole intervals: which of them made it, and what is labelled of it and was never told.

use indexmap::IndexMap;
use oled::lang::{Intervals, Related};
use oled::relate::Followed;
use oled::{Interval, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

use super::report::{Kind, Reason, Report, Told};

/// An instance of a fluent in a segment.
type Key = (Symbol, Signature, Box<[Value]>);

/// The fluents that are told of later, with what is known of them.
#[derive(Default)]
pub(super) struct ToldLater {
    fluents: Vec<Signature>,
    /// The rules about intervals: where they stand, and how they relate.
    rules: Vec<(String, Option<(&'static str, &'static str)>)>,
    /// What is labelled, and what was told: their first and last time points.
    instances: IndexMap<Key, [Vec<(i64, i64)>; 2], FxBuildHasher>,
    /// The time point before, of each segment.
    before: IndexMap<Symbol, i64, FxBuildHasher>,
}

impl ToldLater {
    pub(super) fn new(fluents: Vec<Signature>, related: &[&Related]) -> ToldLater {
        let rule = |rule: &&Related| {
            let how = match &rule.of {
                Intervals::Same(_) => None,
                Intervals::Pair { relation, told, .. } => Some((relation.as_str(), told.as_str())),
            };
            (rule.clause.span.place(), how)
        };
        ToldLater { fluents, rules: related.iter().map(rule).collect(), ..ToldLater::default() }
    }

    /// Whether a fluent is told of later.
    pub(super) fn has(&self, signature: Signature) -> bool {
        self.fluents.contains(&signature)
    }

    /// Takes note of what is labelled at a time point, of fluents that are to be explained.
    pub(super) fn label<'v>(
        &mut self,
        (segment, time): (Symbol, i64),
        labels: impl Iterator<Item = (Signature, &'v [Value])>,
    ) {
        let before = self.before.insert(segment, time);
        for (signature, values) in labels {
            let [runs, _] = self.instances.entry((segment, signature, values.into())).or_default();
            match runs.last_mut() {
                Some(run) if Some(run.1) == before || run.1 == time => run.1 = time,
                _ => runs.push((time, time)),
            }
        }
    }

    /// The explanation of what is told.
    pub(super) fn tell(&mut self, followed: &Followed, labelled: bool) -> Report {
        let Interval { segment, signature, ref values, first, last, .. } = followed.interval;
        if labelled {
            let [_, told] = self.instances.entry((segment, signature, values.clone())).or_default();
            told.push((first, last));
        }
        let (place, how) = self.rules[followed.rule].clone();
        let reasons = vec![Reason::Told(Told { place, how, of: followed.of.clone() })];
        Report { kind: Kind::Recognised, segment, signature, values: values.clone(), first, last, reasons }
    }

    /// What is missed, and what is told and not labelled, of segments that are over: all, but for one that goes on.
    pub(super) fn settle(&mut self, but: Option<Symbol>) -> Vec<Report> {
        let mut reports = Vec::new();
        self.instances.retain(|(segment, signature, values), runs| {
            if Some(*segment) == but {
                return true;
            }
            for (kind, own, others) in [(Kind::Missed, 0, 1), (Kind::FalseAlarm, 1, 0)] {
                let meets = |run: &(i64, i64)| runs[others].iter().any(|other| run.0 <= other.1 && other.0 <= run.1);
                for &(first, last) in runs[own].iter().filter(|run| !meets(run)) {
                    let reasons = if kind == Kind::Missed { vec![Reason::NotTold] } else { Vec::new() };
                    let (segment, signature, values) = (*segment, *signature, values.clone());
                    reports.push(Report { kind, segment, signature, values, first, last, reasons });
                }
            }
            false
        });
        self.before.retain(|segment, _| Some(*segment) == but);
        reports
    }
}
