//! Intervals: recognised against annotated, run by run, as people who run detectors ask for it.

use std::cmp::Ordering;
use std::ops::AddAssign;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::calculus::{fluent_name, label_name, unknown};
use crate::lang::{Signature, Symbol, Value};
use crate::stream::Frame;

use super::Recognised;

use super::Confusion;
use super::span::{Span, observed};

/// Time points one after the other at which a fluent instance is annotated, or recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first time point.
    pub first: i64,
    /// The last one.
    pub last: i64,
    /// How many there are.
    pub frames: u64,
    /// How many of them are both annotated and recognised.
    pub both: u64,
    /// When it was first so; of an annotated run, when recognition began if that was before.
    pub met: Option<i64>,
}

/// A fluent instance over time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// Where it is annotated.
    pub annotated: Vec<Run>,
    /// Where it is recognised.
    pub recognised: Vec<Run>,
}

/// What is annotated and what is recognised, as runs. Memory grows with their number.
///
/// The law is that of [`Evaluation`](super::Evaluation): tracks of distinct segments of a stream, in which each frame has its
/// place, make a commutative monoid under [`Tracks::merge`], and so do those of distinct instances of a segment, each of which saw all
/// of its time points. They come in the order of the whole stream, so that what is added up is added up in one order.
#[derive(Clone, Debug)]
pub struct Tracks {
    /// Each with the signature that says that it is not known.
    targets: Vec<(Signature, Signature)>,
    /// By segment and fluent instance, in order of first occurrence, with the place of the frame where that was; those of one frame in
    /// the order of the targets and of their values.
    instances: IndexMap<Instance, (u64, Track), FxBuildHasher>,
    /// The time points of each segment, and the place of the first.
    segments: IndexMap<Symbol, (u64, Span), FxBuildHasher>,
    /// The place of the last frame in the stream; the first one has place one.
    place: u64,
    /// What holds and has not lasted long enough to be reported, by segment.
    early: IndexMap<Symbol, Instances, FxBuildHasher>,
}

type Instance = (Symbol, Signature, Box<[Value]>);

type Instances = IndexMap<(Signature, Box<[Value]>), Early, FxBuildHasher>;

/// What is to be noted of an interval, if it is reported.
#[derive(Clone, Debug)]
struct Early {
    /// Its first time point.
    since: i64,
    recognised: Vec<Run>,
    /// Of annotated runs, by their places: at how many time points they are recognised, and when they were met.
    annotated: Vec<(usize, u64, i64)>,
}

/// Counts of intervals. They add up over folds and segments.
///
/// ```
/// use oled::IntervalCounts;
/// let c = IntervalCounts { annotated: 4, recognised: 5, found: 3, right: 4, ..IntervalCounts::default() };
/// assert_eq!((c.recall(), c.precision()), (0.75, 0.8));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct IntervalCounts {
    /// Annotated intervals.
    pub annotated: u64,
    /// Recognised intervals.
    pub recognised: u64,
    /// Annotated intervals that were recognised for the required share of their time points.
    pub found: u64,
    /// Recognised intervals that are annotated for that share.
    pub right: u64,
    /// Recognised intervals without any annotated time point.
    pub false_alarms: u64,
    /// Annotated intervals that were recognised at some time point.
    pub met: u64,
    /// The sum of their delays, from the first annotated time point to the first recognised one; negative where
    /// recognition came first.
    pub delay: i64,
    /// The sum over annotated intervals of the share that was recognised.
    pub covered: f64,
}

impl IntervalCounts {
    /// The share of recognised intervals that are right.
    pub fn precision(&self) -> f64 {
        super::ratio(self.right, self.recognised)
    }

    /// The share of annotated intervals that were found.
    pub fn recall(&self) -> f64 {
        super::ratio(self.found, self.annotated)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> f64 {
        let (p, r) = (self.precision(), self.recall());
        if p + r == 0.0 { 0.0 } else { 2.0 * p * r / (p + r) }
    }

    /// The mean delay of those that were recognised at all.
    pub fn mean_delay(&self) -> Option<f64> {
        (self.met > 0).then(|| self.delay as f64 / self.met as f64)
    }

    /// The mean share of an annotated interval that was recognised.
    pub fn mean_covered(&self) -> f64 {
        if self.annotated == 0 { 0.0 } else { self.covered / self.annotated as f64 }
    }
}

impl AddAssign for IntervalCounts {
    fn add_assign(&mut self, other: IntervalCounts) {
        self.annotated += other.annotated;
        self.recognised += other.recognised;
        self.found += other.found;
        self.right += other.right;
        self.false_alarms += other.false_alarms;
        self.met += other.met;
        self.delay += other.delay;
        self.covered += other.covered;
    }
}

impl Tracks {
    /// Nothing seen yet, for these fluents.
    pub fn new(targets: &[Signature]) -> Tracks {
        let targets = targets.iter().map(|target| (*target, unknown(*target))).collect();
        let (instances, segments, early) = (IndexMap::default(), IndexMap::default(), IndexMap::default());
        Tracks { targets, instances, segments, place: 0, early }
    }

    /// Tells the place of the next frame in the stream, where others look at the frames before it; the first one has place one.
    pub fn at(&mut self, place: u64) {
        self.place = place - 1;
    }

    /// Adds what another has seen of the same fluents, in other segments of the same stream, or of other instances.
    pub fn merge(&mut self, other: Tracks) {
        self.instances.extend(other.instances);
        self.segments.extend(other.segments);
        for (segment, early) in other.early {
            self.early.entry(segment).or_default().extend(early);
        }
        let Tracks { instances, targets, .. } = self;
        instances.sort_by(|a, (one, _), b, (other, _)| one.cmp(other).then_with(|| in_order(targets, a, b)));
        self.segments.sort_by(|_, (a, _), _, (b, _)| a.cmp(b));
        self.place = self.place.max(other.place);
    }

    /// Takes note of what is recognised at a frame, which a [`Recogniser`](crate::recognise::Recogniser) has just observed, and of its labels.
    /// What the annotation says that it does not know counts as neither.
    pub fn add(&mut self, recogniser: &impl Recognised, frame: &Frame) {
        let (time, known) = (frame.time, self.instances.len());
        self.place += 1;
        let before = self.segments.get(&frame.segment).map(|(_, span)| span.last);
        let span = self.segments.entry(frame.segment).and_modify(|(_, span)| span.extend(time));
        span.or_insert((self.place, Span::at(time)));
        self.settle(recogniser, frame, before);
        let place = self.place;
        let begun = || (place, Track::default());
        let targets = &self.targets;
        // What may be written in two orders is one instance.
        let one_of = |s: Signature, v| recogniser.symmetries().in_order(s, v);
        let labels: Vec<_> = frame.annotation.iter().map(|(s, v)| (s, one_of(s, v))).collect();
        // Most annotation knows everything.
        let all_known = !labels.iter().any(|(s, _)| targets.iter().any(|(_, unknown)| unknown == s));
        let counts = |signature: Signature, values: &[Value]| {
            let target = targets.iter().find(|(target, _)| *target == signature);
            let known = |unknown: Signature| !labels.iter().any(|(s, v)| *s == unknown && **v == *values);
            target.is_some_and(|(_, unknown)| all_known || known(*unknown))
        };
        for (signature, values) in labels.iter().map(|(s, v)| (*s, &**v)).filter(|(s, v)| counts(*s, v)) {
            let since = recogniser.since(signature, values);
            let early = since.filter(|s| recogniser.durations().is_short(signature, values, (*s, time)));
            let holds = since.is_some() && early.is_none();
            let (_, track) = self.instances.entry((frame.segment, signature, values.into())).or_insert_with(begun);
            if track.annotated.last().is_some_and(|r| r.last == time) {
                continue; // the same label twice
            }
            // A recognised run that was open when the annotation began has met it from its own beginning.
            let open = track.recognised.last().filter(|r| holds && Some(r.last) == before).map(|r| r.first);
            extend(&mut track.annotated, before, time, holds, open);
            if let Some(since) = early {
                let early = self.early.entry(frame.segment).or_default().entry((signature, values.into()));
                early.or_insert_with(|| Early::new(since)).meet(track.annotated.len() - 1, before, time);
            }
        }
        for (signature, values) in recogniser.holding().filter(|(s, v)| counts(*s, v)) {
            let (_, track) = self.instances.entry((frame.segment, signature, values.into())).or_insert_with(begun);
            let labelled = track.annotated.last().is_some_and(|r| r.last == time);
            let durations = recogniser.durations();
            // Most tasks report everything, so that nobody asks since when it holds.
            let since = if durations.is_empty() { None } else { recogniser.since(signature, values) };
            let runs = match since.filter(|since| durations.is_short(signature, values, (*since, time))) {
                Some(since) => {
                    let early = self.early.entry(frame.segment).or_default().entry((signature, values.into()));
                    &mut early.or_insert_with(|| Early::new(since)).recognised
                }
                None => &mut track.recognised,
            };
            extend(runs, before, time, labelled, None);
        }
        if self.instances.len() > known + 1 {
            let mut new: Vec<_> = self.instances.drain(known..).collect();
            new.sort_by(|(a, _), (b, _)| in_order(&self.targets, a, b));
            self.instances.extend(new);
        }
    }

    /// Takes note of what has now lasted long enough to be reported, and forgets what never will.
    fn settle(&mut self, recogniser: &impl Recognised, frame: &Frame, before: Option<i64>) {
        let Tracks { early, instances, place, .. } = self;
        let Some(of_segment) = early.get_mut(&frame.segment) else { return };
        of_segment.retain(|(signature, values), early| {
            if recogniser.since(*signature, values) != Some(early.since) {
                return false;
            }
            if recogniser.durations().is_short(*signature, values, (early.since, frame.time)) {
                return true;
            }
            let key = (frame.segment, *signature, values.clone());
            let (_, track) = instances.entry(key).or_insert_with(|| (*place, Track::default()));
            track.recognised.append(&mut early.recognised);
            for (place, both, met) in &early.annotated {
                let run = &mut track.annotated[*place];
                run.both += both;
                run.met = Some(run.met.map_or(*met, |known| known.min(*met)));
            }
            debug_assert!(track.recognised.last().is_none_or(|run| Some(run.last) <= before));
            false
        });
        if of_segment.is_empty() {
            early.swap_remove(&frame.segment);
        }
    }

    /// The tracks: segment, fluent signature, arguments and runs.
    pub fn iter(&self) -> impl Iterator<Item = (Symbol, Signature, &[Value], &Track)> {
        self.instances.iter().map(|((segment, signature, values), (_, track))| (*segment, *signature, &**values, track))
    }

    /// The segments with their time points.
    pub fn segments(&self) -> impl Iterator<Item = (Symbol, Span)> {
        self.segments.iter().map(|(segment, (_, span))| (*segment, *span))
    }

    /// How many time units were observed, as [`observed`] counts them.
    pub fn observed(&self) -> f64 {
        observed(self.segments.values().map(|(_, span)| *span))
    }

    /// The counts of each fluent: an interval is found when at least this share of it is recognised.
    pub fn counts(&self, share: f64) -> IndexMap<Symbol, IntervalCounts, FxBuildHasher> {
        let mut all: IndexMap<Symbol, IntervalCounts, FxBuildHasher> = IndexMap::default();
        for (target, _) in &self.targets {
            if let Some(name) = label_name(*target) {
                all.entry(name).or_default();
            }
        }
        for (_, signature, values, track) in self.iter() {
            *all.entry(fluent_name(signature, values)).or_default() += track.counts(share);
        }
        all
    }
}

impl Early {
    fn new(since: i64) -> Early {
        Early { since, recognised: Vec::new(), annotated: Vec::new() }
    }

    /// A time point of an annotated run, given by its place.
    fn meet(&mut self, place: usize, before: Option<i64>, time: i64) {
        match self.annotated.last_mut() {
            Some((known, both, _)) if *known == place => *both += 1,
            _ => {
                // What was recognised when the annotation began has met it from its own beginning.
                let open = self.recognised.last().filter(|run| Some(run.last) == before).map(|run| run.first);
                self.annotated.push((place, 1, open.unwrap_or(time)));
            }
        }
    }
}

impl Track {
    /// The time points at which this fluent instance is recognised rightly, recognised wrongly, and missed.
    pub fn confusion(&self) -> Confusion {
        let sum = |runs: &[Run], count: fn(&Run) -> u64| runs.iter().map(count).sum();
        Confusion {
            tp: sum(&self.annotated, |run| run.both),
            fp: sum(&self.recognised, |run| run.frames - run.both),
            fn_: sum(&self.annotated, |run| run.frames - run.both),
        }
    }

    /// The counts of this fluent instance.
    pub fn counts(&self, share: f64) -> IntervalCounts {
        let enough = |run: &&Run| run.both > 0 && run.both as f64 >= share * run.frames as f64;
        let met = || self.annotated.iter().filter_map(|run| Some(run.met? - run.first));
        IntervalCounts {
            annotated: self.annotated.len() as u64,
            recognised: self.recognised.len() as u64,
            found: self.annotated.iter().filter(enough).count() as u64,
            right: self.recognised.iter().filter(enough).count() as u64,
            false_alarms: self.recognised.iter().filter(|run| run.both == 0).count() as u64,
            met: met().count() as u64,
            delay: met().sum(),
            covered: self.annotated.iter().map(|run| run.both as f64 / run.frames as f64).sum(),
        }
    }
}

/// The order of two instances that were first seen at one frame.
fn in_order(targets: &[(Signature, Signature)], a: &Instance, b: &Instance) -> Ordering {
    let place = |(_, signature, _): &Instance| targets.iter().position(|(target, _)| target == signature);
    place(a).cmp(&place(b)).then_with(|| a.2.cmp(&b.2))
}

/// Adds a time point to the last run, or starts another where the segment's frame before is not part of it.
fn extend(runs: &mut Vec<Run>, before: Option<i64>, time: i64, both: bool, open: Option<i64>) {
    if runs.last().is_none_or(|run| Some(run.last) != before) {
        runs.push(Run { first: time, last: time, frames: 0, both: 0, met: open });
    }
    if let Some(run) = runs.last_mut() {
        run.last = time;
        run.frames += 1;
        run.both += u64::from(both);
        run.met = run.met.or(both.then_some(time));
    }
}

/// Runs, given by their first and last time points, cut where other runs begin and end: each piece with whether the others
/// have it too. `step` is the time from one time point to the next: where one piece ends, the next one begins a step later.
///
/// ```
/// use oled::evaluate::split_runs;
/// let (truth, found) = ([(3, 5), (8, 9)], [(4, 8), (12, 13)]);
/// assert_eq!(split_runs(&found, &truth, 1), [(4, 5, true), (6, 7, false), (8, 8, true), (12, 13, false)]);
/// assert_eq!(split_runs(&truth, &found, 1), [(3, 3, false), (4, 5, true), (8, 8, true), (9, 9, false)]);
/// assert_eq!(split_runs(&[(0, 600)], &[(120, 300)], 60), [(0, 60, false), (120, 300, true), (360, 600, false)]);
/// ```
pub fn split_runs(runs: &[(i64, i64)], others: &[(i64, i64)], step: i64) -> Vec<(i64, i64, bool)> {
    let mut pieces = Vec::new();
    for &(from, to) in runs {
        // The first time point that is in no piece yet. Steps may differ, so no piece may end before it begins.
        let mut rest = Some(from);
        for &(a, b) in others.iter().filter(|(a, b)| *a <= to && *b >= from) {
            let Some(at) = rest else { break };
            if a > at {
                pieces.push((at, (a - step).max(at), false));
            }
            pieces.push((a.max(at), b.min(to), true));
            rest = (b < to).then(|| (b + step).min(to));
        }
        if let Some(at) = rest {
            pieces.push((at, to, false));
        }
    }
    pieces
}
