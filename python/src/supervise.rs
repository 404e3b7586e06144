//! Long work: done without the lock of the interpreter, ended by Ctrl-C, watched by whoever shows progress.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use oled::Interrupt;
use pyo3::prelude::*;

use crate::errors::Outcome;

/// How often signals are looked at: as fast as a person expects Ctrl-C to act. At twice the time it is felt; at half of it nothing
/// is won, and each look takes the interpreter's lock from other threads.
const LOOK: Duration = Duration::from_millis(50);

/// How often progress is told: more often flickers, less often looks stuck.
const TELL: Duration = Duration::from_millis(200);

/// What one thread uses at a time: whoever has it alone needs no lock, and the interpreter sees to that.
pub(crate) struct Own<T>(Mutex<T>);

impl<T> Own<T> {
    pub(crate) fn new(of: T) -> Own<T> {
        Own(Mutex::new(of))
    }

    pub(crate) fn get(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How far work is, and who wants to know.
#[derive(Default)]
pub(crate) struct Watch {
    told: Option<Py<PyAny>>,
    frames: Arc<AtomicU64>,
    line: Arc<Mutex<String>>,
}

impl Watch {
    /// `told`: what is called with the number of frames and a line now and then.
    pub(crate) fn new(told: Option<Py<PyAny>>) -> Watch {
        Watch { told, ..Watch::default() }
    }

    /// Counts the frames that are done.
    pub(crate) fn counter(&self) -> Arc<AtomicU64> {
        self.frames.clone()
    }

    /// Where work writes what it does.
    pub(crate) fn line(&self) -> Arc<Mutex<String>> {
        self.line.clone()
    }

    /// Tells how far it is.
    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let Some(told) = &self.told else { return Ok(()) };
        let line = self.line.lock().unwrap_or_else(PoisonError::into_inner).clone();
        told.call1(py, (self.frames.load(Ordering::Relaxed), line)).map(|_| ())
    }

    /// Tells that it is done.
    pub(crate) fn end(&self, py: Python<'_>) -> PyResult<()> {
        self.tell(py)
    }
}

/// Does work on a thread of its own while this one, which may be the one that gets signals, looks for Ctrl-C. When it comes the
/// interrupt is raised, and its exception is the result.
pub(crate) fn supervised<T: Send>(
    py: Python<'_>,
    interrupt: &Interrupt,
    watch: &Watch,
    work: impl FnOnce() -> Outcome<T> + Send,
) -> PyResult<T> {
    py.detach(|| {
        thread::scope(|scope| {
            let (done, ended) = channel::<()>();
            let worker = scope.spawn(move || {
                let result = work();
                // Whoever waits is there until this has ended.
                let _ = done.send(());
                result
            });
            let (mut failure, mut told) = (None, Instant::now());
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if failure.is_some() {
                    continue;
                }
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    if told.elapsed() >= TELL {
                        told = Instant::now();
                        watch.tell(py)?;
                    }
                    Ok(())
                });
                if let Err(error) = looked {
                    interrupt.raise();
                    failure = Some(error);
                }
            }
            match (worker.join(), failure) {
                (Err(panic), _) => std::panic::resume_unwind(panic),
                (_, Some(error)) => Err(error),
                (Ok(result), None) => result.map_err(Into::into),
            }
        })
    })
}
