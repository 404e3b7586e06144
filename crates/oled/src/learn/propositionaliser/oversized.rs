//! Oversized frames: time points that have too much to learn from, and are left out.

use serde::{Deserialize, Serialize};

use super::Propositionaliser;
use crate::event::EventKind;
use crate::lang::Symbol;
use crate::learn::instances::Group;
use crate::logic::Stop;
use crate::stream::Frame;

/// Time points that were left out because there were too many instances.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct OversizedFrames {
    pub(super) count: u64,
    /// Segment and time of one of them, and what there was too much of.
    example: Option<Example>,
    told: bool,
}

type Example = (Symbol, i64, String, Limit);

/// What a time point has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Limit {
    Instances,
    Steps,
}

impl OversizedFrames {
    /// Counts those of another propositionaliser of the same task.
    pub(super) fn join(&mut self, other: &OversizedFrames) {
        self.count += other.count;
        self.told |= other.told;
        other.example.iter().for_each(|example| self.propose(example.clone()));
    }

    /// Of several the one with the smallest name is told, then the earliest: the same whatever came first.
    fn propose(&mut self, example: Example) {
        if self.example.as_ref().is_none_or(|own| (own.0, own.1) > (example.0, example.1)) {
            self.example = Some(example);
        }
    }
}

impl Propositionaliser {
    /// What there is too much of at the time point of the model, if anything, and the setting that says so. Instances that
    /// are related are counted when they are found.
    pub(super) fn too_much(&self) -> Option<(String, Limit)> {
        let count = |group: &Group| match &group.candidates {
            Some(candidates) => self.model.rows(candidates.pred).len(),
            None => group.domains.iter().fold(1, |all: usize, d| all.saturating_mul(self.model.rows(*d).len())),
        };
        let all = self.groups.iter().filter(|group| !group.links.is_relational());
        match all.map(count).max().filter(|count| *count > self.limit) {
            Some(count) => Some((format!("{count} instances"), Limit::Instances)),
            None => Some(match self.stop.as_ref()? {
                Stop::TooLong { limit, head, rule } => {
                    let place = rule.place();
                    (format!("a rule that takes more than {limit} steps, for `{head}` at {place}"), Limit::Steps)
                }
                Stop::Full { .. } | Stop::Interrupted => {
                    (format!("more than {} derived atoms", self.limit), Limit::Instances)
                }
            }),
        }
    }

    /// Takes note of a time point that is left out; returns whether it is.
    pub(super) fn is_crowded(&mut self, frame: &Frame) -> bool {
        // What was ended early says nothing of limits.
        if self.is_cut() {
            return true;
        }
        let Some((what, limit)) = self.too_much() else { return false };
        self.leave_out(frame, what, limit);
        true
    }

    pub(super) fn leave_out(&mut self, frame: &Frame, what: String, limit: Limit) {
        self.oversized.count += 1;
        self.oversized.propose((frame.segment, frame.time, what, limit));
    }

    /// The time point that was left out last stands for so many more.
    pub(crate) fn leave_out_more(&mut self, count: u64) {
        self.oversized.count += count;
    }

    /// That time points were left out, the first time that somebody asks.
    pub(crate) fn report_oversized(&mut self) -> Option<EventKind> {
        let told = std::mem::replace(&mut self.oversized.told, self.oversized.example.is_some());
        let (segment, time, what, limit) = self.oversized.example.as_ref().filter(|_| !told)?;
        let what = format!("time {time} of segment `{segment}` is left out: it has {what}");
        let (limit, most) = self.setting(*limit);
        Some(EventKind::Limited { limit: Symbol::new(limit), most, what })
    }

    /// Takes note that somebody was told that time points were left out; returns whether that is news.
    pub(crate) fn note_told(&mut self) -> bool {
        !std::mem::replace(&mut self.oversized.told, true)
    }

    /// How many time points were left out, if any.
    pub(crate) fn remark_oversized(&self) -> Option<String> {
        let OversizedFrames { count, example, .. } = &self.oversized;
        let (segment, time, what, limit) = example.as_ref()?;
        let (limit, most) = self.setting(*limit);
        Some(format!(
            "{count} time points were left out, one of them at time {time} of segment `{segment}`, which has {what}: \
             `{limit}` is {most}"
        ))
    }

    /// The name and the value of a limit.
    fn setting(&self, limit: Limit) -> (&'static str, usize) {
        match limit {
            Limit::Instances => ("max_instances", self.limit),
            Limit::Steps => ("max_steps", usize::try_from(self.model.limits().steps).unwrap_or(usize::MAX)),
        }
    }
}
