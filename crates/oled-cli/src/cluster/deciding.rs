//! Deciding: what the first process makes of what others have made of frames, in the order of the stream.

use std::sync::{Arc, Mutex};

use anyhow::Context;
use oled::learn::Propositionalised;
use oled::{Learner, state};

use crate::learn::Log;
use crate::workers::{Warning, Warnings};

/// A learner that decides, or none where only warnings come; and where warnings go.
pub(super) struct Deciding {
    learner: Option<Box<dyn Learner>>,
    log: Log,
    warnings: Warnings,
}

/// Shared by the head, which is at work on its own thread, and who waits for it.
pub(super) type Decides = Arc<Mutex<Deciding>>;

impl Deciding {
    /// With a learner for what is propositionalised elsewhere, which may go on from what was saved.
    pub(super) fn new(
        mut learner: Option<Box<dyn Learner>>,
        saved: Option<&[u8]>,
        quiet: bool,
    ) -> anyhow::Result<Decides> {
        if let (Some(learner), Some(saved)) = (&mut learner, saved) {
            learner.restore(saved).context("the checkpoint is of no use")?;
        }
        let deciding = Deciding { learner, log: Log::new(None, quiet, None)?, warnings: Warnings::default() };
        Ok(Arc::new(Mutex::new(deciding)))
    }

    /// Takes what was made of a frame.
    pub(super) fn take(&mut self, made: &[u8]) -> anyhow::Result<()> {
        match &mut self.learner {
            Some(learner) => {
                let propositionalised: Propositionalised = state::decode(made)?;
                learner.observe_propositionalised(propositionalised, &mut self.log)?;
            }
            None => self.warnings.tell(&state::decode::<Warning>(made)?, &mut self.log)?,
        }
        Ok(())
    }

    /// What the learner knows.
    pub(super) fn save(&mut self) -> Option<Vec<u8>> {
        self.learner.as_mut()?.save(&mut self.log)
    }
}
