//! Learning: a learner at work, by itself or with its rules tested on the way.

use oled::{Frame, Learned, Learner, StateError};
use oled_experiment::Prequential;

use super::log::Log;

/// A learner by itself, or one whose rules are tested on the way.
pub(super) enum Learning {
    Plain(Box<dyn Learner>),
    Tested(Box<Prequential>),
}

impl Learning {
    pub(super) fn observe(&mut self, frame: &Frame, log: &mut Log) -> anyhow::Result<()> {
        match self {
            Learning::Plain(learner) => learner.observe(frame, log),
            Learning::Tested(tested) => tested.observe(frame, log)?,
        }
        Ok(())
    }

    /// What is known so far; `None` where that cannot be told.
    pub(super) fn save(&mut self, log: &mut Log) -> Option<Vec<u8>> {
        match self {
            Learning::Plain(learner) => learner.save(log),
            Learning::Tested(tested) => tested.save(log),
        }
    }

    /// Goes on with what was known.
    pub(super) fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        match self {
            Learning::Plain(learner) => learner.restore(state),
            Learning::Tested(tested) => tested.restore(state),
        }
    }

    /// What was learned so far. A log has the rules at work as well, which are found when somebody asks for them; where they
    /// are tested that was done already.
    pub(super) fn learned(&mut self, log: &mut Log) -> Learned {
        if let (Learning::Plain(learner), true) = (&mut *self, log.is_kept()) {
            learner.theory(log);
        }
        self.learner().learned(log)
    }

    pub(super) fn learner(&mut self) -> &mut dyn Learner {
        match self {
            Learning::Plain(learner) => &mut **learner,
            Learning::Tested(tested) => tested.learner(),
        }
    }

    pub(super) fn tested(&self) -> Option<&Prequential> {
        match self {
            Learning::Plain(_) => None,
            Learning::Tested(tested) => Some(tested),
        }
    }
}
