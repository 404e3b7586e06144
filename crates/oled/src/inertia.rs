//! Inertia at work: the fluents that rules start and end, carried from one time point to the next. Recognition and learning
//! share it, so that what the background starts and ends holds for both alike.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::calculus::{End, Form, Instances, Interval, Precedence};
use crate::lang::ec::{INITIALLY, INITIATED, TERMINATED, persisting};
use crate::lang::{Clause, Problems, Signature, Symbol, Symmetries, TIME, Value, exchanged};
use crate::logic::{Limits, Model, Pred, Program, Role, Stop, Vocabulary, kept};
use crate::state::{StateError, ensure};
use crate::stream::Frame;
use crate::task::Task;

/// Fluents with what holds of them, segment by segment.
#[derive(Clone, Debug)]
pub(crate) struct Inertia {
    fluents: Vec<Fluent>,
    /// The rules for `initially`, if there are any: evaluated at the first time point of a segment.
    initially: Option<Initially>,
    segments: Segments,
    /// The segment of the last frame, and whether that frame began it.
    current: Option<Symbol>,
    begins: bool,
    /// The time point before it in its segment.
    before: Option<i64>,
    interleaved: bool,
    both: Precedence,
}

/// Fluents, and whether rules start and end them; others are derived at each time point.
pub(crate) type Fluents = IndexMap<Signature, bool, FxBuildHasher>;

/// What holds in each segment that has not ended.
pub(crate) type Segments = IndexMap<Symbol, Segment, FxBuildHasher>;

/// A fluent, or an ordinary predicate that is an answer.
#[derive(Clone, Debug)]
struct Fluent {
    /// `holdsAt(meeting(_, _), _)`, or `in_danger(_, _)` of an ordinary predicate.
    signature: Signature,
    kind: FluentKind,
    form: Form,
    /// Whether it is an equivalence that rules start and end: it is closed at each time point.
    closed: bool,
    /// The fluent's relation where a rule's body uses it; of one with candidates, that of what is kept.
    holds: Option<Pred>,
    /// Who is looked at, where not all are: others do not hold.
    candidates: Option<Pred>,
    /// Columns whose values must be observed, each with the predicate of its type.
    tracked: Vec<(usize, Pred)>,
}

#[derive(Clone, Debug)]
enum FluentKind {
    /// Rules start and end it.
    Inertial { initiated: Pred, terminated: Pred },
    /// Rules say when it holds.
    Derived(Pred),
}

/// What holds in a segment, as of its last time point.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Segment {
    time: i64,
    /// In the order of the fluents.
    instances: Vec<Instances>,
}

/// The rules for `initially`.
#[derive(Clone, Debug)]
pub(crate) struct Initially {
    program: Program,
    model: Model,
    /// For each fluent, the predicate that lists what holds initially.
    preds: Vec<Option<Pred>>,
}

/// The fluents that rules start, end or declare `initially`, in the order of their rules.
pub(crate) fn inertial(rules: &[&Clause]) -> impl Iterator<Item = Signature> + use<> {
    let mut found: IndexSet<Signature, FxBuildHasher> = IndexSet::default();
    found.extend(rules.iter().filter_map(|rule| persisting(&rule.head)));
    found.into_iter()
}

/// The predicates that a program must derive for these fluents, each with whether rules start and end it.
pub(crate) fn wanted(task: &Task, vocabulary: &Vocabulary, fluents: &Fluents) -> Vec<Signature> {
    let mut wanted = Vec::new();
    for (signature, inertial) in fluents {
        match inertial {
            true => wanted.extend([signature.renamed(INITIATED), signature.renamed(TERMINATED)]),
            false => wanted.push(*signature),
        }
    }
    wanted.extend(fluents.keys().filter_map(|fluent| vocabulary.candidates_of(*fluent)));
    wanted.extend(tracked_types(task, vocabulary, fluents).map(type_signature));
    wanted
}

impl Inertia {
    /// Nothing holds yet. The program derives what [`wanted`] lists for the same fluents.
    pub(crate) fn new(
        task: &Task,
        vocabulary: &Vocabulary,
        program: &Program,
        rules: &[&Clause],
        fluents: &Fluents,
    ) -> Result<Inertia, Problems> {
        let symmetries = task.bias.symmetries();
        let fluent = |(&signature, &inertial): (&Signature, &bool)| {
            let pred = |s: Signature| program.pred(s).expect("wanted predicates are in the program");
            let kind = if inertial {
                let (initiated, terminated) = (pred(signature.renamed(INITIATED)), pred(signature.renamed(TERMINATED)));
                FluentKind::Inertial { initiated, terminated }
            } else {
                FluentKind::Derived(pred(signature))
            };
            Fluent {
                signature,
                kind,
                form: form(&symmetries, signature),
                closed: inertial && symmetries.is_equivalence(signature),
                holds: program.pred(kept(signature)).or(program.pred(signature)).filter(|_| inertial),
                candidates: vocabulary.candidates_of(signature).map(pred),
                tracked: tracked_columns(task, vocabulary, signature)
                    .into_iter()
                    .filter_map(|(column, kind)| Some((column, program.type_pred(kind)?)))
                    .collect(),
            }
        };
        let fluents: Vec<Fluent> = fluents.iter().map(fluent).collect();
        let initially = Initially::new(task, rules, fluents.iter().map(|f| f.signature))?;
        let (interleaved, both) = (task.options.interleaved, task.options.both);
        Ok(Inertia {
            fluents,
            initially,
            segments: IndexMap::default(),
            current: None,
            begins: false,
            before: None,
            interleaved,
            both,
        })
    }

    /// Goes to a frame that the model has observed, and lets the model know what holds there. Intervals that are known to
    /// have ended are added to `closed`. Where not everything could be derived that holds initially, the reason is told.
    pub(crate) fn enter(
        &mut self,
        frame: &Frame,
        program: &Program,
        model: &mut Model,
        closed: &mut Vec<Interval>,
    ) -> Result<(), Stop> {
        if self.current != Some(frame.segment) {
            if !self.interleaved {
                self.finish(closed);
                model.forget();
            }
            self.current = Some(frame.segment);
        }
        model.clear(program);
        model.observe(program, &frame.narrative);
        self.before = self.segments.get(&frame.segment).map(|segment| segment.time);
        self.begins = self.before.is_none();
        let count = self.fluents.len();
        let segment = self
            .segments
            .entry(frame.segment)
            .or_insert_with(|| Segment { time: frame.time, instances: vec![Instances::default(); count] });
        if self.begins
            && let Some(initially) = &mut self.initially
        {
            initially.enter(frame)?;
            for (i, (fluent, instances)) in self.fluents.iter().zip(&mut segment.instances).enumerate() {
                initially.rows(i).filter(|v| fluent.form.keeps(v)).for_each(|values| instances.initiate(values));
            }
        }
        for (fluent, instances) in self.fluents.iter().zip(&mut segment.instances) {
            let FluentKind::Inertial { .. } = fluent.kind else { continue };
            let observed =
                |values: &[Value]| fluent.tracked.iter().all(|&(c, kind)| model.rows(kind).contains(&values[c..=c]));
            let mut ended = |values: &[Value], since: i64, end: End| {
                closed.push(fluent.interval(frame.segment, values, (since, segment.time), end));
            };
            if fluent.closed {
                instances.advance_closed(frame.time, observed, ended);
            } else {
                instances.advance(frame.time, observed, |values, since| ended(values, since, End::Lost));
            }
            if let Some(holds) = fluent.holds {
                for (values, _) in instances.holding() {
                    model.insert(holds, values);
                    // Rules see both orders.
                    if fluent.form == Form::Symmetric {
                        model.insert(holds, &exchanged(values));
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether frames of several segments may come mixed.
    pub(crate) fn is_interleaved(&self) -> bool {
        self.interleaved
    }

    /// Whether the frame that was entered last began a segment.
    pub(crate) fn begins(&self) -> bool {
        self.begins
    }

    /// Applies what the model has derived at the frame that was entered: decides what holds at the next one.
    pub(crate) fn leave(&mut self, frame: &Frame, model: &Model, closed: &mut Vec<Interval>) {
        let segment = self.segments.get_mut(&frame.segment).expect("the frame was entered");
        for (fluent, instances) in self.fluents.iter().zip(&mut segment.instances) {
            match fluent.kind {
                FluentKind::Inertial { initiated, terminated } => {
                    if let Some(candidates) = fluent.candidates {
                        let candidates = model.rows(candidates);
                        instances.keep(
                            frame.time,
                            |values| candidates.contains(values),
                            |values, since| {
                                closed.push(fluent.interval(frame.segment, values, (since, segment.time), End::Lost));
                            },
                        );
                    }
                    let effects = (model.rows(initiated), model.rows(terminated));
                    instances.apply(effects, fluent.form, self.both, |values, since| {
                        // Whether others connect an equivalence is known at the next time point.
                        if fluent.closed {
                            return;
                        }
                        closed.push(fluent.interval(frame.segment, values, (since, frame.time), End::Terminated));
                    });
                }
                FluentKind::Derived(pred) => {
                    instances.replace(model.rows(pred), fluent.form, frame.time, |values, since| {
                        closed.push(fluent.interval(frame.segment, values, (since, segment.time), End::Terminated));
                    });
                }
            }
        }
        segment.time = frame.time;
    }

    /// Leaves a frame of which not everything is known. If it will be seen `again`, everything is as it was before, but for
    /// what its facts alone have ended, and begun where what begins was known before: seeing it again changes neither.
    pub(crate) fn give_up(&mut self, frame: &Frame, again: bool) {
        match self.segments.get_mut(&frame.segment) {
            Some(_) if self.begins && again => _ = self.segments.pop(),
            Some(segment) if !again => segment.time = frame.time,
            _ => {}
        }
    }

    /// From now on takes no more than the limits allow to find out what holds initially.
    pub(crate) fn set_limits(&mut self, limits: &Limits) {
        if let Some(initially) = &mut self.initially {
            initially.set_limits(limits);
        }
    }

    /// From now on takes note of which rules say what holds initially.
    pub(crate) fn trace(&mut self) {
        if let Some(initially) = &mut self.initially {
            initially.model.trace();
        }
    }

    /// Which of them fired, and of those that they depend on, by their numbers, if the frame that was entered last began a segment.
    pub(crate) fn fired_initially(&self) -> impl Iterator<Item = (u32, &[Value])> {
        let initially = self.initially.iter().filter(|_| self.begins);
        initially.flat_map(|Initially { model, program, .. }| model.fired(program))
    }

    /// Ends all segments: adds the intervals that last to their ends, and starts afresh.
    pub(crate) fn finish(&mut self, closed: &mut Vec<Interval>) {
        closed.extend(self.open(End::Segment));
        self.segments.clear();
        self.current = None;
    }

    /// The intervals that have not ended, with what is to be said of their ends.
    pub(crate) fn open(&self, end: End) -> impl Iterator<Item = Interval> {
        self.segments.iter().flat_map(move |(&segment, state)| {
            self.fluents.iter().zip(&state.instances).flat_map(move |(fluent, instances)| {
                let interval = move |(values, first)| fluent.interval(segment, values, (first, state.time), end);
                // What would have been told at the next time point.
                let over = instances.over().filter(|_| fluent.closed).map(move |(values, first)| {
                    let end = if end == End::Open { end } else { End::Terminated };
                    fluent.interval(segment, values, (first, state.time), end)
                });
                // What would have begun at a frame that was interrupted has not.
                instances.open().filter(|(_, first)| *first <= state.time).map(interval).chain(over)
            })
        })
    }

    /// What holds at the frame that was entered last.
    pub(crate) fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.holding_since().map(|(signature, values, _)| (signature, values))
    }

    /// The same, each with the time since when.
    pub(crate) fn holding_since(&self) -> impl Iterator<Item = (Signature, &[Value], i64)> {
        let segment = self.current.and_then(|s| self.segments.get(&s));
        segment.into_iter().flat_map(|segment| {
            let fluents = self.fluents.iter().zip(&segment.instances);
            fluents.flat_map(|(f, instances)| instances.holding().map(|(values, since)| (f.signature, values, since)))
        })
    }

    /// The segment and the time of the frame that was left last, and the time point before it.
    pub(crate) fn place(&self) -> Option<(Symbol, i64, Option<i64>)> {
        let segment = self.current?;
        Some((segment, self.segments.get(&segment)?.time, self.before))
    }

    /// Since when an instance, its values in the order that stands for all, has held that holds at the frame that was entered last.
    pub(crate) fn since(&self, signature: Signature, values: &[Value]) -> Option<i64> {
        let segment = self.current.and_then(|s| self.segments.get(&s));
        let fluent = self.fluents.iter().position(|f| f.signature == signature);
        segment.zip(fluent).and_then(|(segment, i)| segment.instances[i].since(values))
    }

    /// Takes over what holds of the same fluents, those that are `kept`. Intervals of others end here.
    pub(crate) fn adopt(&mut self, mut old: Inertia, kept: &dyn Fn(Signature) -> bool, closed: &mut Vec<Interval>) {
        let taken: Vec<Signature> = self.fluents().filter(|fluent| kept(*fluent)).collect();
        closed.extend(old.open(End::Reloaded).filter(|interval| !taken.contains(&interval.signature)));
        let place = |f: &Fluent| {
            old.fluents.iter().position(|g| g.signature == f.signature).filter(|_| taken.contains(&f.signature))
        };
        let places: Vec<Option<usize>> = self.fluents.iter().map(place).collect();
        for segment in old.segments.values_mut() {
            let mut take = |place: &Option<usize>| place.map(|i| std::mem::take(&mut segment.instances[i]));
            segment.instances = places.iter().map(|place| take(place).unwrap_or_default()).collect();
        }
        (self.segments, self.current, self.before) = (old.segments, old.current, old.before);
    }

    /// The fluents, in the order of their rules: `holdsAt(meeting(_, _), _)`.
    pub(crate) fn fluents(&self) -> impl Iterator<Item = Signature> {
        self.fluents.iter().map(|f| f.signature)
    }

    /// The predicates in which instances are looked up.
    pub(crate) fn looked_up(&self) -> impl Iterator<Item = Pred> {
        self.fluents.iter().flat_map(|fluent| {
            let own = match fluent.kind {
                FluentKind::Inertial { initiated, terminated } => [initiated, terminated],
                FluentKind::Derived(pred) => [pred; 2],
            };
            own.into_iter().chain(fluent.tracked.iter().map(|(_, kind)| *kind)).chain(fluent.candidates)
        })
    }

    /// What holds, and the segment of the last frame: for [`Inertia::restore`].
    pub(crate) fn state(&self) -> (&Segments, Option<Symbol>) {
        (&self.segments, self.current)
    }

    /// Whether this can be what holds of these fluents.
    pub(crate) fn check(&self, segments: &Segments) -> Result<(), StateError> {
        let widths: Vec<usize> = self.fluents().map(|f| f.arity() - 1).collect();
        let fits = |segment: &Segment| {
            segment.instances.len() == widths.len()
                && segment.instances.iter().zip(&widths).all(|(instances, width)| instances.is_of_width(*width))
        };
        ensure(segments.values().all(fits), "the fluents that hold")
    }

    /// Goes on with what was saved, and checked.
    pub(crate) fn restore(&mut self, segments: Segments, current: Option<Symbol>) {
        (self.segments, self.current) = (segments, current);
    }
}

impl Fluent {
    fn interval(&self, segment: Symbol, values: &[Value], (first, last): (i64, i64), end: End) -> Interval {
        Interval { segment, signature: self.signature, values: values.into(), first, last, end }
    }
}

impl Initially {
    /// The rules for `initially` of these fluents, if there are any.
    pub(crate) fn new(
        task: &Task,
        rules: &[&Clause],
        fluents: impl Iterator<Item = Signature>,
    ) -> Result<Option<Initially>, Problems> {
        let heads: IndexSet<Signature, FxBuildHasher> = rules.iter().map(|rule| Signature::of(&rule.head)).collect();
        let head = |fluent: Signature| {
            let head = fluent.without_time()?.renamed(INITIALLY);
            Some(head).filter(|head| heads.contains(head))
        };
        let wanted: Vec<Option<Signature>> = fluents.map(head).collect();
        if wanted.iter().all(Option::is_none) {
            return Ok(None);
        }
        let (_, program) = task.compile(rules, |_| wanted.iter().copied().flatten().collect())?;
        let preds = wanted.iter().map(|head| head.and_then(|head| program.pred(head))).collect();
        Ok(Some(Initially { model: Model::new(&program), program, preds }))
    }

    /// From now on takes no more than the limits allow.
    pub(crate) fn set_limits(&mut self, limits: &Limits) {
        self.model.set_limits(limits.clone());
    }

    /// Whether there are rules for a fluent, by its number.
    pub(crate) fn speaks_of(&self, fluent: usize) -> bool {
        self.preds[fluent].is_some()
    }

    /// Goes to the first frame of a segment.
    pub(crate) fn enter(&mut self, frame: &Frame) -> Result<(), Stop> {
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
        // There is no past, so nothing is true that looks back.
        self.model.derive(&self.program, frame.time);
        self.model.stop(&self.program).map_or(Ok(()), Err)
    }

    /// The instances of a fluent, by its number, that hold there: of a symmetric one in both orders.
    pub(crate) fn rows(&self, fluent: usize) -> impl Iterator<Item = &[Value]> {
        self.preds[fluent].into_iter().flat_map(|pred| self.model.rows(pred).rows())
    }
}

/// What the arguments of a fluent mean.
fn form(symmetries: &Symmetries, signature: Signature) -> Form {
    match () {
        () if signature.has_value() => Form::Valued,
        () if symmetries.has(signature) => Form::Symmetric,
        () => Form::Plain,
    }
}

/// The predicate of a type: `person(_, _)`.
pub(crate) fn type_signature(name: Symbol) -> Signature {
    Signature::plain(name, 2)
}

/// Whether fluents about values of a type end when those are no longer observed.
pub(crate) fn is_tracked(task: &Task, vocabulary: &Vocabulary, kind: Symbol) -> bool {
    kind.as_str() != TIME
        && task.options.tracked.as_ref().is_none_or(|types| types.contains(&kind))
        && vocabulary.predicates.get(&type_signature(kind)).is_some_and(|p| p.role == Role::Type(kind))
}

/// The columns of a fluent whose values must be observed, with their types.
pub(crate) fn tracked_columns(task: &Task, vocabulary: &Vocabulary, fluent: Signature) -> Vec<(usize, Symbol)> {
    let Some(predicate) = vocabulary.predicates.get(&fluent) else { return Vec::new() };
    let types = predicate.types.iter().take(fluent.arity() - 1).enumerate();
    types.filter_map(|(c, kind)| Some((c, kind.filter(|k| is_tracked(task, vocabulary, *k))?))).collect()
}

pub(crate) fn tracked_types(
    task: &Task,
    vocabulary: &Vocabulary,
    fluents: &Fluents,
) -> impl Iterator<Item = Symbol> + use<> {
    let of_fluent = |fluent: &Signature| tracked_columns(task, vocabulary, *fluent).into_iter().map(|(_, kind)| kind);
    let types: IndexSet<Symbol, FxBuildHasher> = fluents.keys().flat_map(of_fluent).collect();
    types.into_iter()
}
