//! Watch: who looks after a search: may end it early, and is told how far it is.

use crate::interrupt::Interrupt;
use crate::lang::Symbol;
use crate::learn::ProgressListener;

/// Looks after the search for the rules of one fluent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch<'a> {
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) listener: &'a ProgressListener,
    /// The fluent, its number, and how many there are.
    pub(crate) fluent: Symbol,
    pub(crate) number: usize,
    pub(crate) count: usize,
}

impl Watch<'_> {
    /// Whether the search should end with what it has found so far.
    pub(crate) fn ends(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Tells what is being done.
    pub(crate) fn tell(&self, what: impl FnOnce() -> String) {
        let Watch { fluent, number, count, .. } = self;
        self.listener.tell(|| format!("`{fluent}` ({} of {count}): {}", number + 1, what()));
    }
}
