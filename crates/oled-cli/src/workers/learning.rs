//! Learning side by side: each worker has a learner of its own, and what they have seen is merged in the end.

use std::sync::atomic::AtomicBool;

use anyhow::Context;
use oled::deal::{Place, Told, Worker};
use oled::event::{Event, Observer, What};
use oled::{Frame, Learner, StateError, Symbol};

use super::run;
use crate::progress::Progress;
use crate::source::Source;

/// A worker that learns.
pub(crate) struct Learning {
    learner: Box<dyn Learner>,
    /// What happened, with the number of the frame.
    events: Vec<(u64, Event)>,
}

impl Learning {
    /// A worker with a learner that has seen nothing.
    pub(crate) fn new(learner: Box<dyn Learner>) -> Learning {
        Learning { learner, events: Vec::new() }
    }
}

/// Keeps what happens.
struct Keep<'a>(&'a mut Vec<(u64, Event)>, u64);

impl Observer for Keep<'_> {
    fn on(&mut self, event: &Event) {
        self.0.push((self.1, Event { interpretation: self.1, ..event.clone() }));
    }
}

impl Worker for Learning {
    fn over(&mut self, _: Symbol, _: &Place, _: &mut Vec<Told>) {}

    fn frame(&mut self, frame: &Frame, place: &Place, _: &mut Vec<Told>) -> Result<(), String> {
        if place.begins {
            self.learner.number_segments(place.segment);
        }
        self.learner.observe(frame, &mut Keep(&mut self.events, place.frame));
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<Told>) {}

    fn save(&mut self) -> Vec<u8> {
        self.learner.save(&mut ()).expect("learners that can be merged can be saved")
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.learner.restore(state)
    }
}

/// Lets a learner, which has seen nothing yet, learn from a stream on so many workers; gives back the stream, which has ended.
pub(crate) fn learn(
    learner: &mut dyn Learner,
    observer: &mut dyn Observer,
    (frames, interleaved): (Source, bool),
    workers: usize,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> anyhow::Result<Source> {
    let workers = (0..workers).map(|_| Learning::new(learner.copy())).collect();
    let (frames, workers) = run(frames, interleaved, workers, stop, progress, |_| Ok(()))?;
    let mut events = Vec::new();
    for mut worker in workers {
        learner.merge(&worker.save()).context("what workers have seen cannot be put together: please report it")?;
        events.append(&mut worker.events);
    }
    // Each worker has told what it saw first; one that sees all tells the first of these.
    events.sort_by_key(|(frame, _)| *frame);
    let mut told: Vec<Event> = Vec::new();
    for (_, event) in events {
        if !told.iter().any(|before| is_same(before, &event)) {
            observer.on(&event);
            told.push(event);
        }
    }
    Ok(frames)
}

/// Whether two events tell the same of two places.
fn is_same(a: &Event, b: &Event) -> bool {
    a.process == b.process
        && match (&a.what, &b.what) {
            (What::TooMany { variable: a, .. }, What::TooMany { variable: b, .. }) => a == b,
            (What::Limited { .. }, What::Limited { .. }) => true,
            _ => false,
        }
}
