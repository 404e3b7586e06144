//! Learning side by side: each worker has a learner of its own, and what they have seen is merged in the end.
//!
//! Each worker tells once what it saw first of something that a user should know; one that sees all tells the first of these.

use std::sync::atomic::AtomicBool;

use anyhow::Context;
use oled::event::{Event, EventKind, Observer};
use oled::partition::{Place, Told, Worker};
use oled::{Frame, Learner, StateError, Symbol, state};
use serde::{Deserialize, Serialize};

use super::run;
use crate::progress::Progress;
use crate::source::Source;

/// A worker that learns.
pub(crate) struct Learning {
    learner: Box<dyn Learner>,
    /// What happened, with the number of the frame.
    events: Vec<(u64, Event)>,
    /// Whether that is told at once, for another process.
    tells: bool,
}

impl Learning {
    /// A worker with a learner that has seen nothing.
    fn new(learner: Box<dyn Learner>) -> Learning {
        Learning { learner, events: Vec::new(), tells: false }
    }

    /// The same for another process, which is told what happens.
    #[cfg(feature = "cluster")]
    pub(crate) fn telling(learner: Box<dyn Learner>) -> Learning {
        Learning { tells: true, ..Learning::new(learner) }
    }
}

/// What a user should know of, as it goes to another process.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Warning {
    interpretation: u64,
    process: usize,
    head: String,
    about: About,
}

#[derive(Debug, Serialize, Deserialize)]
enum About {
    Limited(Symbol, usize, String),
    TooMany(Symbol, usize, Symbol, i64),
}

impl Warning {
    fn of(event: &Event) -> Option<Warning> {
        let about = match &event.what {
            EventKind::Limited { limit, most, what } => About::Limited(*limit, *most, what.clone()),
            EventKind::AssignmentOverflow { variable, assignments, segment, time } => {
                About::TooMany(*variable, *assignments, *segment, *time)
            }
            _ => return None,
        };
        let Event { interpretation, process, head, .. } = event;
        Some(Warning { interpretation: *interpretation, process: *process, head: head.to_string(), about })
    }

    #[cfg(feature = "cluster")]
    fn event(&self) -> anyhow::Result<Event> {
        let what = match &self.about {
            About::Limited(limit, most, what) => EventKind::Limited { limit: *limit, most: *most, what: what.clone() },
            About::TooMany(variable, assignments, segment, time) => EventKind::AssignmentOverflow {
                variable: *variable,
                assignments: *assignments,
                segment: *segment,
                time: *time,
            },
        };
        let Warning { interpretation, process, .. } = *self;
        Ok(Event { interpretation, process, head: oled::lang::parse_atom(&self.head)?, rule: 0, what })
    }
}

/// What was told so far.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Vec<Event>);

impl Warnings {
    /// Tells what is new.
    fn tell_event(&mut self, event: Event, observer: &mut dyn Observer) {
        if !self.0.iter().any(|before| is_same(before, &event)) {
            observer.on(&event);
            self.0.push(event);
        }
    }

    /// The same for what another process tells.
    #[cfg(feature = "cluster")]
    pub(crate) fn tell(&mut self, warning: &Warning, observer: &mut dyn Observer) -> anyhow::Result<()> {
        self.tell_event(warning.event()?, observer);
        Ok(())
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

    fn frame(&mut self, frame: &Frame, place: &Place, told: &mut Vec<Told>) -> Result<(), String> {
        if place.begins {
            self.learner.number_segments(place.segment);
        }
        self.learner.observe(frame, &mut Keep(&mut self.events, place.frame));
        if self.tells {
            let made = self.events.drain(..).filter_map(|(_, event)| Warning::of(&event));
            let tell = |warning| {
                let made = state::encode(&warning);
                Told { frame: place.frame, rank: 1, text: String::new(), made, tag: 0 }
            };
            told.extend(made.map(tell));
        }
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
    let (frames, workers) = run(frames, (interleaved, None), workers, stop, progress, |_| Ok(()))?;
    let mut events = Vec::new();
    for mut worker in workers {
        learner.merge(&worker.save()).context("what workers have seen cannot be put together: please report it")?;
        events.append(&mut worker.events);
    }
    events.sort_by_key(|(frame, _)| *frame);
    let mut warnings = Warnings::default();
    events.into_iter().for_each(|(_, event)| warnings.tell_event(event, observer));
    Ok(frames)
}

/// Whether two events tell the same of two places.
fn is_same(a: &Event, b: &Event) -> bool {
    a.process == b.process
        && match (&a.what, &b.what) {
            (EventKind::AssignmentOverflow { variable: a, .. }, EventKind::AssignmentOverflow { variable: b, .. }) => {
                a == b
            }
            (EventKind::Limited { .. }, EventKind::Limited { .. }) => true,
            _ => false,
        }
}
