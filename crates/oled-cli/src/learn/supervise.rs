//! Supervision of searches: they end early when a signal or the time limit asks for it, with what was found so far.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use oled::learn::ProgressListener;
use oled::{Interrupt, Learner, Supervision};

use super::Learning;

/// How long a search may take that starts after somebody has asked to end: something should be found, and the program is to
/// end within a second. Half of it leaves the other half for what comes after the search.
const GRACE: Duration = Duration::from_millis(500);

/// How often it is looked whether a search should end.
const TICK: Duration = Duration::from_millis(20);

/// Looks after the searches of a run, on a thread of its own.
pub(super) struct Supervisor {
    asked: Arc<AtomicBool>,
    search: Arc<Mutex<Option<Search>>>,
    gone: Arc<AtomicBool>,
    listener: ProgressListener,
}

/// A search under way.
struct Search {
    began: Instant,
    /// Whether somebody had asked to end before it began.
    after_request: bool,
    interrupt: Interrupt,
}

impl Supervisor {
    /// Ends searches when the flag is set, or when they take longer than a limit.
    pub(super) fn new(asked: Arc<AtomicBool>, limit: Option<Duration>) -> Supervisor {
        let (search, gone, listener) = (Arc::default(), Arc::default(), ProgressListener::default());
        let supervisor = Supervisor { asked: asked.clone(), search, gone, listener };
        let (search, gone) = (supervisor.search.clone(), supervisor.gone.clone());
        std::thread::spawn(move || {
            while !gone.load(Ordering::Relaxed) {
                if let Some(search) = &*search.lock().unwrap_or_else(PoisonError::into_inner) {
                    let taken = search.began.elapsed();
                    let grace = if search.after_request { GRACE } else { Duration::ZERO };
                    let asked = asked.load(Ordering::Relaxed) && taken >= grace;
                    if asked || limit.is_some_and(|limit| taken > limit) {
                        search.interrupt.raise();
                    }
                }
                std::thread::sleep(TICK);
            }
        });
        supervisor
    }

    /// Takes charge of a learner: whatever it does while it reads ends when somebody asks.
    pub(super) fn take_charge(&self, learner: &mut dyn Learner) {
        self.hand_over(learner, self.asked.clone().into());
    }

    /// Searches tell how far they are, from now on.
    pub(super) fn watch(&mut self, listener: ProgressListener) {
        self.listener = listener;
    }

    fn hand_over(&self, learner: &mut dyn Learner, searches: Interrupt) {
        learner.supervise(&Supervision {
            searches,
            frames: self.asked.clone().into(),
            listener: self.listener.clone(),
        });
    }

    /// Lets a learner search, and looks after it.
    pub(super) fn search<T>(&self, learning: &mut Learning, search: impl FnOnce(&mut Learning) -> T) -> T {
        let interrupt = Interrupt::default();
        self.hand_over(learning.learner(), interrupt.clone());
        let after_request = self.asked.load(Ordering::Relaxed);
        *self.state() = Some(Search { began: Instant::now(), after_request, interrupt });
        let found = search(learning);
        *self.state() = None;
        self.take_charge(learning.learner());
        found
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Option<Search>> {
        self.search.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.gone.store(true, Ordering::Relaxed);
    }
}
