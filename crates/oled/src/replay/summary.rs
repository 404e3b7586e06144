//! Summary: what is remembered of measured values where there is no room for all of them: their place on the coarse grid.
//!
//! Labels, conditions without thresholds, and those with thresholds of the coarse grid are as true as they were at every time
//! point; only thresholds between them can no longer be told apart. Values change more often than what a rule asks of them,
//! so there are a few times fewer runs.

use super::record::{Part, Run, Track};
use super::classes::{measured, set_measured};
use super::literal::Slot;

/// The words of a state with its measured values on the coarse grid.
pub(crate) fn coarser(slots: &[Slot], state: &[u64]) -> Box<[u64]> {
    let mut state: Box<[u64]> = state.into();
    for truth in state.chunks_mut(Slot::stride(slots)) {
        for (s, slot) in slots.iter().enumerate() {
            let bin = slot.grid.coarser(slot.looser, measured(truth, s));
            set_measured(truth, s, bin);
        }
    }
    state
}

impl Part {
    /// Gives the states of a group's runs other numbers; what has become the same is one run then.
    pub(crate) fn renumber(&mut self, group: usize, mut number: impl FnMut(u32) -> u32) {
        for Track { runs, .. } in &mut self.groups[group] {
            let before = runs.len();
            runs.iter_mut().for_each(|run| run.state = number(run.state));
            runs.dedup_by(|next: &mut Run, run: &mut Run| {
                let same = (next.state, next.labels) == (run.state, run.labels);
                let fits = run.length.checked_add(next.length).filter(|sum| same && *sum < u32::MAX / 2);
                fits.inspect(|sum| run.length = *sum).is_some()
            });
            self.runs -= before - runs.len();
        }
    }
}
