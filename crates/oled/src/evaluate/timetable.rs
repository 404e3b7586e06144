//! Timetable: what holds at each time point, by intervals, for whoever compares it with labels or asks for it in a layer above.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::Recognised;
use crate::calculus::Interval;
use crate::lang::{Bias, Durations, Signature, Symbol, Symmetries, Value};
use crate::recognise::Recogniser;
use crate::stream::Frame;
use crate::task::Task;

/// What holds at each time point.
#[derive(Clone, Debug)]
pub struct Timetable {
    symmetries: Symmetries,
    durations: Durations,
    holding: IndexMap<(Symbol, i64), Vec<Instance>, FxBuildHasher>,
}

/// A fluent with its arguments, and since when it has held.
type Instance = (Signature, Box<[Value]>, i64);

impl Timetable {
    /// Nothing holds.
    pub(crate) fn empty(bias: &Bias) -> Timetable {
        Timetable { symmetries: bias.symmetries(), durations: bias.durations(), holding: IndexMap::default() }
    }

    /// Adds an interval, of which it is known which time points its segment has. Where intervals of an instance overlap, it
    /// holds since the first of them.
    pub(crate) fn add(&mut self, times: &[i64], interval: &Interval) {
        let first = times.partition_point(|time| *time < interval.first);
        for time in times[first..].iter().take_while(|time| **time <= interval.last) {
            let here = self.holding.entry((interval.segment, *time)).or_default();
            match here.iter_mut().find(|(s, v, _)| *s == interval.signature && **v == *interval.values) {
                Some((.., since)) => *since = interval.first.min(*since),
                None => here.push((interval.signature, interval.values.clone(), interval.first)),
            }
        }
    }

    /// What holds at a time point of a segment.
    pub fn at(&self, segment: Symbol, time: i64) -> At<'_> {
        let holding = self.holding.get(&(segment, time)).map_or(&[][..], Vec::as_slice);
        At { symmetries: &self.symmetries, durations: &self.durations, holding }
    }
}

/// What holds at a time point.
#[derive(Clone, Copy, Debug)]
pub struct At<'t> {
    symmetries: &'t Symmetries,
    durations: &'t Durations,
    holding: &'t [Instance],
}

impl<'t> At<'t> {
    /// All of it.
    pub(crate) fn all(self) -> impl Iterator<Item = (Signature, &'t [Value])> {
        self.holding.iter().map(|(signature, values, _)| (*signature, &**values))
    }
}

impl Recognised for At<'_> {
    fn symmetries(&self) -> &Symmetries {
        self.symmetries
    }

    fn durations(&self) -> &Durations {
        self.durations
    }

    fn since(&self, signature: Signature, values: &[Value]) -> Option<i64> {
        let values = self.symmetries.in_order(signature, values);
        self.holding.iter().find(|(s, v, _)| *s == signature && **v == *values).map(|(.., first)| *first)
    }

    fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.all()
    }
}

/// A stream whose labels are compared when it is over, since some of what is labelled is told of whole intervals: those are
/// known late. Its memory grows with the stream's labels and intervals.
///
/// ```
/// use oled::{Evaluation, FactReader, Frame, Late, Recogniser, Source, Symbol, Task};
/// let modes = "input(happensAt(comes(+who), +time)). input(happensAt(goes(+who), +time)). horizon(9).
///     input(holdsAt(seen(+who), +time)). example(holdsAt(again(+who), +time)).";
/// let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
/// let theory = oled::parse_theory("again.lp", "
///     initiatedAt(here(X), T) :- happensAt(comes(X), T). terminatedAt(here(X), T) :- happensAt(goes(X), T).
///     holdsFor(again(X), I) :- holdsFor(here(X), I1), holdsFor(here(X), I2), allen(before, I1, I2, target, I).").unwrap();
/// let mut recogniser = Recogniser::new(&task, &theory).unwrap();
/// let mut late = Late::default();
/// for (time, event) in ["comes", "goes", "comes", "goes", "rests"].iter().enumerate() {
///     let mut frame = Frame::new(Symbol::new("s"), time as i64);
///     for fact in [format!("happensAt({event}(ann), {time})"), format!("holdsAt(seen(ann), {time})")] {
///         FactReader::default().read(&fact, &mut frame.narrative).unwrap();
///     }
///     if time == 3 {
///         FactReader::default().read("holdsAt(again(ann), 3)", &mut frame.annotation).unwrap();
///     }
///     late.observe(&mut recogniser, &frame);
/// }
/// let (frames, timetable) = late.finish(&task, &mut recogniser);
/// let mut evaluation = Evaluation::new(&task.labels());
/// frames.iter().for_each(|frame| evaluation.count(&timetable.at(frame.segment, frame.time), frame));
/// assert_eq!(evaluation.total().f1(), 1.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Late {
    frames: Vec<Frame>,
    times: IndexMap<Symbol, Vec<i64>, FxBuildHasher>,
    intervals: Vec<Interval>,
}

impl Late {
    /// Lets a recogniser observe a frame, and keeps what it closes, and the labels.
    pub fn observe(&mut self, recogniser: &mut Recogniser, frame: &Frame) {
        recogniser.observe(frame, &mut self.intervals);
        let mut labels = Frame::new(frame.segment, frame.time);
        labels.annotation = frame.annotation.clone();
        self.times.entry(frame.segment).or_default().push(frame.time);
        self.frames.push(labels);
    }

    /// The labels, frame by frame, and what holds at each.
    pub fn finish(mut self, task: &Task, recogniser: &mut Recogniser) -> (Vec<Frame>, Timetable) {
        recogniser.finish(&mut self.intervals);
        let mut timetable = Timetable::empty(&task.bias);
        for interval in &self.intervals {
            timetable.add(&self.times[&interval.segment], interval);
        }
        (self.frames, timetable)
    }
}
