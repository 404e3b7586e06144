//! Evaluation: recognised against annotated, counted per fluent instance and time point.

mod data;
mod early;
mod intervals;
mod last_label;
mod span;
mod timetable;

use std::ops::AddAssign;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::calculus::{fluent_name, label_name, unknown};
use crate::lang::{Durations, Signature, Symbol, Symmetries, Value};
use crate::logic::Relation;
use crate::recognise::Recogniser;
use crate::state::{StateError, decode, encode, ensure, ensure_counts};
use crate::stream::Frame;

use early::{Early, Now};

pub use intervals::{IntervalCounts, Run, Track, Tracks, split_runs};
pub use last_label::LastLabel;
pub use span::{Span, observed};
pub use timetable::{At, Late, Timetable};

/// How often a recogniser was right and wrong.
///
/// ```
/// use oled::Confusion;
/// let c = Confusion { tp: 3, fp: 1, fn_: 2 };
/// assert_eq!((c.precision(), c.recall(), c.f1()), (0.75, 0.6, 2.0 / 3.0));
/// assert_eq!(Confusion::default().f1(), 0.0, "without anything to count, scores are zero");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confusion {
    /// Recognised and annotated.
    pub tp: u64,
    /// Recognised only.
    pub fp: u64,
    /// Annotated only.
    pub fn_: u64,
}

impl Confusion {
    /// The share of what was recognised that is right.
    pub fn precision(&self) -> f64 {
        ratio(self.tp, self.tp + self.fp)
    }

    /// The share of what is right that was recognised.
    pub fn recall(&self) -> f64 {
        ratio(self.tp, self.tp + self.fn_)
    }

    /// The harmonic mean of both.
    pub fn f1(&self) -> f64 {
        ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn_)
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl AddAssign for Confusion {
    fn add_assign(&mut self, other: Confusion) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.fn_ += other.fn_;
    }
}

/// What is recognised at a frame, by whatever means.
pub trait Recognised {
    /// The fluents whose two arguments may be exchanged.
    fn symmetries(&self) -> &Symmetries;
    /// How long intervals last at least, to be reported.
    fn durations(&self) -> &Durations;
    /// Since when a fluent has held that holds at the frame; a symmetric one in either order of its arguments.
    fn since(&self, signature: Signature, values: &[Value]) -> Option<i64>;
    /// What holds at the frame: each once, the time left out.
    fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])>;
}

impl Recognised for Recogniser {
    fn symmetries(&self) -> &Symmetries {
        Recogniser::symmetries(self)
    }

    fn durations(&self) -> &Durations {
        Recogniser::durations(self)
    }

    fn since(&self, signature: Signature, values: &[Value]) -> Option<i64> {
        Recogniser::since(self, signature, values)
    }

    fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        Recogniser::holding(self)
    }
}

/// Counts per fluent and segment, over a stream.
///
/// The law: evaluations of distinct segments of a stream, in which each frame has its [place](Evaluation::at), make a commutative
/// monoid under [`Evaluation::merge`]. One that has counted nothing is neutral, and whatever way segments are dealt out, the
/// counts and their order are those of one evaluation that saw the whole stream. The same goes for parts of a segment that have
/// distinct instances, where one of them counts the frames and the others [none](Evaluation::count_part).
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// What is counted: the `holdsAt` of fluents, and ordinary predicates.
    targets: Vec<Signature>,
    /// By fluent and segment, in order of first occurrence, with the place of the frame where that was.
    counts: IndexMap<(Symbol, Symbol), Counted, FxBuildHasher>,
    /// Time points seen.
    frames: u64,
    /// The place of the last frame in the stream; the first one has place one.
    place: u64,
    /// The annotation of a frame, each atom once, by target.
    labels: IndexMap<Signature, Relation, FxBuildHasher>,
    /// What the annotation says that it does not know, with the signature of that, in the order of the labels.
    unknown: Vec<(Signature, Relation)>,
    /// What may still be reported.
    early: Early,
}

/// Counts, and the place of the frame at which they began.
#[derive(Clone, Copy, Debug, Default)]
struct Counted {
    counts: Confusion,
    place: u64,
}

impl Evaluation {
    /// Nothing counted yet, for these fluents.
    pub fn new(targets: &[Signature]) -> Evaluation {
        let labels: IndexMap<_, _, _> = targets.iter().map(|t| (*t, Relation::new(t.arity() - 1))).collect();
        let unknown = labels.iter().map(|(t, r)| (unknown(*t), r.clone())).collect();
        let mut evaluation = Evaluation {
            targets: targets.to_vec(),
            counts: IndexMap::default(),
            frames: 0,
            place: 0,
            labels,
            unknown,
            early: Early::default(),
        };
        // Fluents that never occur are reported too.
        for target in targets {
            if let Some(name) = label_name(*target) {
                evaluation.counts.entry((name, Symbol::new(""))).or_default();
            }
        }
        evaluation
    }

    /// Compares what is recognised at a frame, which a [`Recogniser`] has just observed, with the frame's labels. What has not
    /// lasted long enough to be reported counts as not recognised, until it has.
    pub fn count(&mut self, recognised: &impl Recognised, frame: &Frame) {
        self.frames += 1;
        self.count_part(recognised, frame);
    }

    /// The same of some instances, where who counts the others counts the frame.
    pub fn count_part(&mut self, recognised: &impl Recognised, frame: &Frame) {
        let since = |signature, values: &[Value]| recognised.since(signature, values);
        self.compare((recognised.symmetries(), recognised.durations()), frame, since, recognised.holding());
    }

    /// Compares what holds at a frame, of which can be asked since when, with the frame's labels.
    fn compare<'v>(
        &mut self,
        (symmetries, durations): (&Symmetries, &Durations),
        frame: &Frame,
        since: impl Fn(Signature, &[Value]) -> Option<i64>,
        holding: impl Iterator<Item = (Signature, &'v [Value])>,
    ) {
        self.place += 1;
        let new = || Counted { place: self.place, ..Counted::default() };
        let is_early =
            |signature, values: &[Value], first: i64| durations.is_short(signature, values, (first, frame.time));
        let now = |signature, values: &[Value], first| match since(signature, values) {
            Some(begun) if begun == first && is_early(signature, values, first) => Now::Early,
            Some(begun) if begun == first => Now::Reported,
            _ => Now::Over,
        };
        self.early.settle(frame.segment, now, |signature, values, points| {
            let key = (fluent_name(signature, values), frame.segment);
            let Counted { counts, .. } = self.counts.entry(key).or_insert_with(new);
            counts.tp += points.annotated;
            counts.fn_ = counts.fn_.saturating_sub(points.annotated);
            counts.fp += points.other;
        });
        self.labels.values_mut().chain(self.unknown.iter_mut().map(|(_, u)| u)).for_each(Relation::clear);
        // What may be written in two orders counts once.
        for (signature, values) in frame.annotation.iter() {
            let values = &*symmetries.in_order(signature, values);
            for (_, unknown) in self.unknown.iter_mut().filter(|(s, _)| *s == signature) {
                unknown.insert(values);
            }
        }
        for (signature, values) in frame.annotation.iter() {
            let Some((at, _, labels)) = self.labels.get_full_mut(&signature) else { continue };
            let values = &*symmetries.in_order(signature, values);
            if labels.insert(values) && !self.unknown[at].1.contains(values) {
                let begun = since(signature, values);
                let early = begun.filter(|first| is_early(signature, values, *first));
                if let Some(first) = early {
                    self.early.points(frame.segment, signature, values, first).annotated += 1;
                }
                let right = begun.is_some() && early.is_none();
                let key = (fluent_name(signature, values), frame.segment);
                let Counted { counts, .. } = self.counts.entry(key).or_insert_with(new);
                if right { counts.tp += 1 } else { counts.fn_ += 1 }
            }
        }
        for (signature, values) in holding {
            let Some((at, _, labels)) = self.labels.get_full(&signature) else { continue };
            if !labels.contains(values) && !self.unknown[at].1.contains(values) {
                // Most tasks report everything, so that nobody asks since when it holds.
                let begun = if durations.is_empty() { None } else { since(signature, values) };
                if let Some(first) = begun.filter(|first| is_early(signature, values, *first)) {
                    self.early.points(frame.segment, signature, values, first).other += 1;
                    continue;
                }
                let key = (fluent_name(signature, values), frame.segment);
                self.counts.entry(key).or_insert_with(new).counts.fp += 1;
            }
        }
    }

    /// The instances of a target that the last frame annotates and knows.
    fn known_labels(&self, target: Signature) -> impl Iterator<Item = &[Value]> {
        let of_target = self.labels.get_full(&target).map(|(at, _, labels)| (labels, &self.unknown[at].1));
        of_target.into_iter().flat_map(|(labels, unknown)| labels.rows().filter(|values| !unknown.contains(values)))
    }

    /// Tells the place of the next frame in the stream, where others count the frames before it; the first one has place one.
    pub fn at(&mut self, place: u64) {
        self.place = place - 1;
    }

    /// Adds what another evaluation of the same fluents has counted, of other segments of the same stream, or of other instances.
    pub fn merge(&mut self, other: Evaluation) {
        for (key, Counted { counts, place }) in other.counts {
            let own = self.counts.entry(key).or_insert(Counted { place, ..Counted::default() });
            own.counts += counts;
            own.place = own.place.min(place);
        }
        // What began at one frame is of one segment, so that nobody asks for the order of its fluents: that is the one of the targets.
        self.counts.sort_by(|_, a, _, b| a.place.cmp(&b.place));
        self.early.merge(other.early);
        self.frames += other.frames;
        self.place = self.place.max(other.place);
    }

    /// What was counted so far, for [`Evaluation::restore`].
    pub fn save(&self) -> Vec<u8> {
        let counts: Vec<_> =
            self.counts.iter().map(|(key, c)| (key, [c.counts.tp, c.counts.fp, c.counts.fn_])).collect();
        encode(&(&self.targets, counts, self.frames, self.early.save()))
    }

    /// Goes on where another evaluation of the same fluents was saved.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        type Counts = Vec<((Symbol, Symbol), [u64; 3])>;
        type State = (Vec<Signature>, Counts, u64, early::Saved);
        let (targets, counts, frames, early): State = decode(bytes)?;
        ensure(targets == self.targets, "the fluents that are counted")?;
        ensure_counts(counts.iter().flat_map(|(_, counts)| *counts).chain([frames]))?;
        self.early = Early::restore(early)?;
        // What was counted before comes before all that is counted from now on.
        let counted = |[tp, fp, fn_]: [u64; 3]| Counted { counts: Confusion { tp, fp, fn_ }, place: 0 };
        self.counts = counts.into_iter().map(|(key, counts)| (key, counted(counts))).collect();
        (self.frames, self.place) = (frames, frames);
        Ok(())
    }

    /// The counts of each fluent over all segments.
    pub fn by_fluent(&self) -> IndexMap<Symbol, Confusion, FxBuildHasher> {
        let mut all: IndexMap<Symbol, Confusion, FxBuildHasher> = IndexMap::default();
        for ((fluent, _), Counted { counts, .. }) in &self.counts {
            *all.entry(*fluent).or_default() += *counts;
        }
        all
    }

    /// The counts of each fluent in each segment where there is something to count, fluent by fluent.
    pub fn by_segment(&self) -> Vec<(Symbol, Symbol, Confusion)> {
        let mut all: Vec<_> = self
            .counts
            .iter()
            .map(|((f, s), c)| (*f, *s, c.counts))
            .filter(|(.., c)| *c != Confusion::default())
            .collect();
        let order = self.by_fluent();
        all.sort_by_key(|(f, ..)| order.get_index_of(f));
        all
    }

    /// The counts of a fluent in each segment where there is something to count.
    pub fn of_fluent(&self, fluent: Symbol) -> IndexMap<Symbol, Confusion, FxBuildHasher> {
        let own = self.counts.iter().filter(|((f, _), c)| *f == fluent && c.counts != Confusion::default());
        own.map(|((_, segment), c)| (*segment, c.counts)).collect()
    }

    /// All counts together: the micro-average.
    pub fn total(&self) -> Confusion {
        let mut total = Confusion::default();
        self.counts.values().for_each(|c| total += c.counts);
        total
    }

    /// The number of time points compared.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// The fluents that are counted.
    pub fn targets(&self) -> &[Signature] {
        &self.targets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Source, parse_theory};
    use crate::stream::FactReader;
    use crate::task::Task;

    #[test]
    fn ordinary_predicates_are_counted_and_what_is_unknown_is_not() {
        let modes = "input(armed(+person, +time)). input(seen(+person, +time)). example(danger(+person, +time)).";
        let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
        let theory = parse_theory("t.lp", "danger(X, T) :- armed(X, T).").unwrap();
        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let mut evaluation = Evaluation::new(&task.labels());
        for (time, narrative, annotation) in [
            (1, &["armed(p1, 1)", "armed(p2, 1)"][..], &["danger(p1, 1)", "danger(p3, 1)"][..]),
            (2, &["armed(p1, 2)", "seen(p2, 2)"], &["unknown(danger(p1), 2)", "unknown(danger(p2), 2)"]),
        ] {
            let mut frame = Frame::new(Symbol::new("s"), time);
            for fact in narrative {
                FactReader::default().read(fact, &mut frame.narrative).unwrap();
            }
            for label in annotation {
                FactReader::default().read(label, &mut frame.annotation).unwrap();
            }
            recogniser.observe(&frame, &mut Vec::new());
            evaluation.count(&recogniser, &frame);
        }
        let counts: Vec<(Symbol, Confusion)> = evaluation.by_fluent().into_iter().collect();
        assert_eq!(counts, [(Symbol::new("danger"), Confusion { tp: 1, fp: 1, fn_: 1 })]);
    }
}
