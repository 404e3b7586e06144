//! Ticks: time points at which nothing arrives, between the frames of a segment.
//!
//! A tick has no facts of its own. It repeats who was observed at the last frame, so that nobody is lost because nothing
//! happened, and the labels on which the frames before and after it agree; where they differ nobody knows when that changed,
//! and the label is unknown.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::calculus::unknown;
use crate::lang::{Signature, Symbol, Value};
use crate::logic::Quiet;
use crate::state::{StateError, decode, encode};
use crate::stream::{Facts, Frame};
use crate::task::Task;

/// When there is a time point although nothing arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Every {
    /// Every so many time units, from the first frame of a segment on.
    Tick(i64),
    /// Every so many time units after a frame, until the next one.
    Idle(i64),
}

impl Every {
    /// The first tick after a time point of a segment.
    fn after(self, past: &Last) -> i64 {
        let since = match self {
            Every::Tick(_) => past.first,
            Every::Idle(_) => past.frame,
        };
        let step = self.step();
        // Times are far apart at most as far as integers reach: what does not fit comes never.
        let gone = i128::from(past.time) - i128::from(since);
        let next = i128::from(since) + (gone.div_euclid(i128::from(step)) + 1) * i128::from(step);
        i64::try_from(next).unwrap_or(i64::MAX)
    }

    /// The first tick that is not before a time, if that is after the ticks so far.
    fn from(self, past: &Last, time: i64) -> i64 {
        let before = Last { time: time.saturating_sub(1).max(past.time), ..*past };
        self.after(&before)
    }

    fn step(self) -> i64 {
        match self {
            Every::Tick(step) | Every::Idle(step) => step.max(1),
        }
    }
}

/// Puts ticks between frames.
///
/// ```
/// use oled::{Every, FactReader, Frame, Source, Symbol, Task, Ticks};
/// let modes = Source::new("modes.lp", "input(happensAt(opens(+door), +time)).");
/// let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
/// let mut ticks = Ticks::new(&task, Every::Tick(2));
/// let mut times = Vec::new();
/// for time in [10, 15] {
///     let mut frame = Frame::new(Symbol::new("hall"), time);
///     FactReader::default().read(&format!("happensAt(opens(d1), {time})"), &mut frame.narrative).unwrap();
///     while let Some(tick) = ticks.before(&frame) {
///         times.push((tick.time, tick.narrative.atoms(tick.time).next().unwrap().to_string()));
///     }
/// }
/// assert_eq!(times, [(12, "door(d1, 12)".into()), (14, "door(d1, 14)".into())]);
/// ```
#[derive(Clone, Debug)]
pub struct Ticks {
    every: Every,
    interleaved: bool,
    /// For each predicate of the stream the columns whose values are observed, with the predicates of their types.
    types: Vec<(Signature, Vec<(usize, Signature)>)>,
    /// What is annotated, with the predicate that says that nobody knows.
    labels: Vec<(Signature, Signature)>,
    /// When nothing changes any more, if ticks are to be left out then.
    quiet: Option<Quiet>,
    segments: Segments,
    /// A tick that was not used, and comes again.
    again: Option<Frame>,
}

type Segments = IndexMap<Symbol, Past, FxBuildHasher>;

/// What is known of a segment.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Past {
    at: Last,
    /// Who was observed at the last frame, and what was annotated.
    observed: Facts,
    annotation: Facts,
}

/// Times of a segment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Last {
    /// That of its first frame, of its last one, and of what came last: that or a tick after it.
    first: i64,
    frame: i64,
    time: i64,
}

impl Ticks {
    /// Ticks for the streams of a task.
    pub fn new(task: &Task, every: Every) -> Ticks {
        let observed = task.bias.observed_types();
        let mut types: Vec<(Signature, Vec<(usize, Signature)>)> = Vec::new();
        for mode in &task.bias.inputs {
            let kinds = mode.types().into_iter().enumerate();
            let kinds = kinds.filter_map(|(column, kind)| Some((column, kind.filter(|kind| observed.contains(kind))?)));
            types.push((mode.signature(), kinds.map(|(column, kind)| (column, Signature::plain(kind, 2))).collect()));
        }
        let labels = task.labels().into_iter().map(|label| (label, unknown(label))).collect();
        let (interleaved, quiet, again) = (task.options.interleaved, None, None);
        Ticks { every, interleaved, types, labels, quiet, segments: Segments::default(), again }
    }

    /// Leaves out ticks at which nothing can change, as [`Task::settles`] says, but for those that rules look back at from the
    /// next frame: what is recognised is the same, in as little time as if they were not there.
    #[must_use]
    pub fn skipping(mut self, quiet: Option<Quiet>) -> Ticks {
        self.quiet = quiet;
        self
    }

    /// The next tick before a frame: to be asked for until there is none, and the frame itself comes.
    pub fn before(&mut self, frame: &Frame) -> Option<Frame> {
        self.next(frame, self.quiet)
    }

    /// The same, and none is left out: for whoever adds facts to ticks.
    pub fn each_before(&mut self, frame: &Frame) -> Option<Frame> {
        self.next(frame, None)
    }

    /// Takes note that facts were added to a tick, so that it is not quiet there.
    pub fn touch(&mut self, tick: &Frame) {
        if let Some(past) = self.segments.get_mut(&tick.segment) {
            past.at.frame = past.at.frame.max(tick.time);
        }
    }

    fn next(&mut self, frame: &Frame, quiet: Option<Quiet>) -> Option<Frame> {
        if let Some(again) = self.again.take() {
            return Some(again);
        }
        if let Some(past) = self.segments.get_mut(&frame.segment) {
            let mut time = self.every.after(&past.at);
            if let Some(Quiet { levels, horizon }) = quiet
                // Each level takes a horizon and a tick, and so does what happened before.
                && time.saturating_sub(past.at.frame) > (levels + 1).saturating_mul(horizon.saturating_add(self.every.step()))
            {
                // The last tick is there in any case: what ends with the frame has held up to it.
                let looked_at = horizon.max(self.every.step());
                time = time.max(self.every.from(&past.at, frame.time.saturating_sub(looked_at)));
            }
            if time < frame.time {
                past.at.time = time;
                return Some(self.tick(frame, time));
            }
        }
        self.enter(frame);
        None
    }

    /// Puts back a tick that was not used.
    pub fn put_back(&mut self, tick: Frame) {
        self.again = Some(tick);
    }

    /// What is known of the segments so far, to be written.
    pub fn save(&self) -> Vec<u8> {
        encode(&(&self.segments, &self.again))
    }

    /// Goes on with what was written.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        (self.segments, self.again) = decode(bytes)?;
        Ok(())
    }

    fn enter(&mut self, frame: &Frame) {
        let (segment, time) = (frame.segment, frame.time);
        if !self.interleaved && !self.segments.contains_key(&segment) {
            self.segments.clear();
        }
        let mut observed = Facts::default();
        let mut known: IndexSet<(Signature, Value), FxBuildHasher> = IndexSet::default();
        for (signature, values) in frame.narrative.iter() {
            for (_, columns) in self.types.iter().filter(|(of, _)| *of == signature) {
                for (column, kind) in columns {
                    if known.insert((*kind, values[*column])) {
                        observed.push(*kind, &values[*column..=*column]);
                    }
                }
            }
        }
        let is_label = |signature: Signature| self.labels.iter().any(|(l, u)| *l == signature || *u == signature);
        let annotation = frame.annotation.filter(|signature, _| is_label(signature));
        let first = self.segments.get(&segment).map_or(time, |past| past.at.first);
        let at = Last { first, frame: time, time };
        self.segments.insert(segment, Past { at, observed, annotation });
    }

    /// The tick at a time before a frame.
    fn tick(&self, frame: &Frame, time: i64) -> Frame {
        let past = &self.segments[&frame.segment];
        let (before, after) = (&past.annotation, &frame.annotation);
        let mut annotation = Facts::default();
        for (one, other, second) in [(before, after, false), (after, before, true)] {
            let said: IndexSet<(Signature, &[Value]), FxBuildHasher> = other.iter().collect();
            for (signature, values) in one.iter() {
                let agrees = said.contains(&(signature, values));
                let label = self.labels.iter().find(|(label, unknown)| [*label, *unknown].contains(&signature));
                let Some((label, unknown)) = label else { continue };
                match agrees {
                    // What both say is taken from the first.
                    true if second => {}
                    true => annotation.push(signature, values),
                    false => {
                        annotation.push(signature, values);
                        if *label == signature {
                            annotation.push(*unknown, values);
                        }
                    }
                }
            }
        }
        Frame { segment: frame.segment, time, narrative: past.observed.clone(), annotation }
    }
}
