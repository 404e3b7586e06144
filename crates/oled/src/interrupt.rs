//! Interrupt: somebody asks that long work ends early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request to end early, which one thread raises and others look at. Clones are one and the same request; once raised it
/// stays raised. Work that may be long takes a clone, and looks at it every so many steps: a look costs one load.
///
/// ```
/// use oled::Interrupt;
/// let interrupt = Interrupt::default();
/// let other = interrupt.clone();
/// assert!(!other.is_raised());
/// interrupt.raise();
/// assert!(other.is_raised());
/// assert!(!Interrupt::never().is_raised());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// A request of its own, for work that nobody wants to end early.
    pub fn never() -> Interrupt {
        Interrupt::default()
    }

    /// Asks all that look at this request to end early.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether somebody asked.
    pub fn is_raised(&self) -> bool {
        // Nothing but the flag passes between the threads, so no order of memory is needed.
        self.0.load(Ordering::Relaxed)
    }
}

/// The request that a flag stands for, such as one that a signal sets.
impl From<Arc<AtomicBool>> for Interrupt {
    fn from(flag: Arc<AtomicBool>) -> Interrupt {
        Interrupt(flag)
    }
}
