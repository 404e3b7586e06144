//! What a propositionaliser knows of the stream, as it is saved and read again: whatever cannot be of this task is refused.

use serde::{Deserialize, Serialize};

use super::missing::Missing;
use super::oversized::OversizedFrames;
use super::{Points, Propositionaliser, TrackedIn};
use crate::induce::Mask;
use crate::inertia::Segments;
use crate::lang::{Signature, Symbol};
use crate::learn::instances::{Group, Instance};
use crate::learn::interpretation::{Labels, Point};
use crate::learn::present::Tracked;
use crate::learn::target::Target;
use crate::logic::Histories;
use crate::state::{StateError, ensure, ensure_counts};

/// What a propositionaliser knows of the stream so far.
#[derive(Deserialize)]
pub(crate) struct PropositionaliserState(
    Points,
    (Segments, Option<Symbol>),
    u64,
    Histories,
    (OversizedFrames, Missing),
    TrackedIn,
);

impl Propositionaliser {
    /// What it knows of the stream so far, as [`PropositionaliserState`].
    pub(crate) fn state(&self) -> impl Serialize {
        let told = (&self.oversized, &self.missing);
        (&self.segments, self.inertia.state(), self.count, self.model.histories(), told, &self.tracked)
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, state: PropositionaliserState) -> Result<(), StateError> {
        let PropositionaliserState(segments, (holding, current), count, histories, (oversized, missing), tracked) =
            state;
        ensure_counts([count, oversized.count].into_iter().chain(missing.labels.values().copied()))?;
        let declared = |s: &Signature| self.program.pred(*s).is_some();
        ensure(missing.facts.iter().all(declared), "the facts that were not seen")?;
        segments.values().try_for_each(|point| self.check(point))?;
        for instances in tracked.values() {
            let fits = |(tracked, group): (&Tracked, &Group)| tracked.fits(group);
            let all = instances.len() == self.groups.len() && instances.iter().zip(&self.groups).all(fits);
            ensure(all, "the instances of heads")?;
        }
        self.inertia.check(&holding)?;
        self.model.restore(&self.program, histories)?;
        self.inertia.restore(holding, current);
        (self.segments, self.count, self.oversized, self.missing) = (segments, count, oversized, missing);
        self.tracked = tracked;
        self.groups.iter().zip(&mut self.present).for_each(|(group, present)| present.clear(group));
        Ok(())
    }

    /// Whether this can be a time point of the task.
    fn check(&self, point: &Point) -> Result<(), StateError> {
        let count = self.groups.len();
        ensure(point.values.len() == count && point.truths.len() == count, "the groups of heads")?;
        for (g, ((group, values), truths)) in self.groups.iter().zip(&point.values).zip(&point.truths).enumerate() {
            ensure(values.len() == truths.len() * group.domains.len(), "the instances of heads")?;
            let literals = Mask::first(self.bits(g));
            let known = |instance: &Instance| instance.truths().all(|truth| truth.fires_on(&literals));
            ensure(truths.iter().all(known), "the literals that are true")?;
        }
        let of_target = |(labels, target): (&Labels, &Target)| {
            let width = target.label.arity() - 1;
            labels.holds.width() == width && labels.unknown.width() == width
        };
        let labels = point.labels.len() == self.targets.len();
        ensure(labels && point.labels.iter().zip(&self.targets).all(of_target), "the labels")?;
        ensure(point.assignment_overflow.iter().all(|t| t.group < count), "the groups of heads")
    }
}
