//! Recogniser: a theory at work on a stream: frames in, intervals of complex events out.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::calculus::{End, Form, Instances, Interval};
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Clause, Problems, Signature, Symbol, Symmetries, TIME, Theory, Value, exchanged};
use crate::logic::{Histories, Model, Pred, Program, Role, Vocabulary, guard_terminations};
use crate::state::{StateError, decode, encode, ensure};
use crate::stream::Frame;
use crate::task::Task;

/// Recognises complex events, frame by frame. It holds what inertia needs, the fluents that hold now, and what rules look
/// back at, up to the horizon; nothing else: memory does not grow with the stream.
///
/// ```
/// use oled::{Frame, Recogniser, Source, Symbol, Task};
/// let task = Task::parse(
///     &Source::new("modes.lp", "
///         input(happensAt(opens(+door), +time)).
///         input(happensAt(shuts(+door), +time)).
///         input(holdsAt(seen(+door), +time))."),
///     &Source::new("background.lp", ""),
/// ).unwrap();
/// let theory = oled::parse_theory("open.lp", "
///     initiatedAt(open(D), T) :- happensAt(opens(D), T).
///     terminatedAt(open(D), T) :- happensAt(shuts(D), T).").unwrap();
/// let mut recogniser = Recogniser::new(&task, &theory).unwrap();
///
/// let mut reader = oled::FactReader::default();
/// let mut intervals = Vec::new();
/// for (time, event) in [(1, "opens"), (2, "rests"), (3, "shuts"), (4, "rests")] {
///     let mut frame = Frame::new(Symbol::new("hall"), time);
///     reader.read(&format!("holdsAt(seen(d1), {time})"), &mut frame.narrative).unwrap();
///     reader.read(&format!("happensAt({event}(d1), {time})"), &mut frame.narrative).unwrap();
///     recogniser.observe(&frame, &mut intervals);
/// }
/// let open = &intervals[0];
/// assert_eq!((open.fluent().to_string(), open.first, open.last), ("open(d1)".into(), 2, 3));
/// ```
#[derive(Clone, Debug)]
pub struct Recogniser {
    program: Program,
    model: Model,
    /// The rules for `initially`, if there are any: evaluated at the first time point of a segment.
    initially: Option<Initially>,
    fluents: Vec<Fluent>,
    segments: IndexMap<Symbol, Segment, FxBuildHasher>,
    /// The segment of the last frame.
    current: Option<Symbol>,
    interleaved: bool,
    symmetries: Symmetries,
}

#[derive(Clone, Debug)]
struct Fluent {
    /// `holdsAt(meeting(_, _), _)`, or `in_danger(_, _)` of an ordinary predicate.
    signature: Signature,
    kind: FluentKind,
    form: Form,
    /// The fluent's relation where a rule's body uses it.
    holds: Option<Pred>,
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

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Segment {
    time: i64,
    /// In the order of `fluents`.
    instances: Vec<Instances>,
}

#[derive(Clone, Debug)]
struct Initially {
    program: Program,
    model: Model,
    /// For each fluent, the predicate that lists what holds initially.
    preds: Vec<Option<Pred>>,
}

impl Recogniser {
    /// Compiles a theory for a task; everything that is wrong with it is said in one go.
    pub fn new(task: &Task, theory: &Theory) -> Result<Recogniser, Problems> {
        task.check(theory)?;
        let rules = guard_terminations(&task.rules(theory));
        let rules: Vec<&Clause> = rules.iter().collect();
        let heads: Vec<Signature> = rules.iter().map(|r| Signature::of(&r.head)).collect();
        let labels = task.labels();
        let mut found: Vec<(Signature, bool)> = Vec::new();
        let mut add = |signature: Signature, inertial: bool| {
            if !found.iter().any(|(s, _)| *s == signature) {
                found.push((signature, inertial));
            }
        };
        for (rule, &head) in rules.iter().zip(&heads) {
            match rule.head.name.as_str() {
                INITIATED | TERMINATED => add(head.renamed(HOLDS), true),
                INITIALLY => add(head.with_time().renamed(HOLDS), true),
                // What the background derives is there for other rules; what the theory does is an answer: a fluent, or
                // whatever else is labelled.
                name if (name == HOLDS || labels.contains(&head))
                    && theory.clauses.iter().any(|c| Signature::of(&c.head) == head) =>
                {
                    add(head, false);
                }
                _ => {}
            }
        }
        let (vocabulary, program) = task.compile(&rules, |vocabulary| {
            let mut wanted = Vec::new();
            for (signature, inertial) in &found {
                match inertial {
                    true => wanted.extend([signature.renamed(INITIATED), signature.renamed(TERMINATED)]),
                    false => wanted.push(*signature),
                }
            }
            wanted.extend(tracked_types(task, vocabulary, &found).map(type_signature));
            wanted
        })?;
        let symmetries = task.bias.symmetries();
        let fluents: Vec<Fluent> = found
            .iter()
            .map(|&(signature, inertial)| {
                let pred = |s: Signature| program.pred(s).expect("wanted predicates are in the program");
                let kind = if inertial {
                    let (initiated, terminated) =
                        (pred(signature.renamed(INITIATED)), pred(signature.renamed(TERMINATED)));
                    FluentKind::Inertial { initiated, terminated }
                } else {
                    FluentKind::Derived(pred(signature))
                };
                let types = &vocabulary.predicates[&signature].types;
                let tracked = (0..signature.arity() - 1).filter_map(|column| {
                    let kind = types[column].filter(|t| is_tracked(task, &vocabulary, *t))?;
                    Some((column, program.type_pred(kind)?))
                });
                let holds = program.pred(signature).filter(|_| inertial);
                let form = match () {
                    () if signature.has_value() => Form::Valued,
                    () if symmetries.has(signature) => Form::Symmetric,
                    () => Form::Plain,
                };
                Fluent { signature, kind, form, holds, tracked: tracked.collect() }
            })
            .collect();
        let initially = Initially::new(task, &rules, &heads, &fluents)?;
        let model = Model::new(&program);
        let interleaved = task.options.interleaved;
        let (segments, current) = (IndexMap::default(), None);
        Ok(Recogniser { program, model, initially, fluents, segments, current, interleaved, symmetries })
    }

    /// Goes on with another theory: what holds now goes on holding, if the new rules speak of it, and what both look back
    /// at is not forgotten.
    pub fn adopt(&mut self, task: &Task, theory: &Theory) -> Result<(), Problems> {
        let mut next = Recogniser::new(task, theory)?;
        let places: Vec<Option<usize>> =
            next.fluents.iter().map(|f| self.fluents.iter().position(|g| g.signature == f.signature)).collect();
        for segment in self.segments.values_mut() {
            let mut take = |place: &Option<usize>| place.map(|i| std::mem::take(&mut segment.instances[i]));
            segment.instances = places.iter().map(|place| take(place).unwrap_or_default()).collect();
        }
        next.segments = std::mem::take(&mut self.segments);
        next.current = self.current;
        next.model.set_limit(self.model.limit());
        next.model.adopt(&next.program, &mut self.model, &self.program);
        *self = next;
        Ok(())
    }

    /// From now on derives at most so many atoms at once. Who sets a limit asks [`Recogniser::is_full`] after each frame.
    #[must_use]
    pub fn with_limit(mut self, atoms: usize) -> Recogniser {
        self.model.set_limit(atoms);
        self
    }

    /// Whether more followed from the frame observed last than the limit allows. Nothing began or ended there, and what
    /// holds from then on is not to be trusted.
    pub fn is_full(&self) -> bool {
        self.model.is_full()
    }

    /// Processes a frame. Intervals that are known to have ended are added to `closed`.
    pub fn observe(&mut self, frame: &Frame, closed: &mut Vec<Interval>) {
        if self.current != Some(frame.segment) {
            if !self.interleaved {
                self.finish(closed);
            }
            self.current = Some(frame.segment);
        }
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
        let count = self.fluents.len();
        let known = self.segments.get(&frame.segment).map(|s| s.time);
        let segment = self
            .segments
            .entry(frame.segment)
            .or_insert_with(|| Segment { time: frame.time, instances: vec![Instances::default(); count] });
        let close = |closed: &mut Vec<Interval>, fluent: &Fluent, values: &[Value], first, last, end| {
            let (segment, signature) = (frame.segment, fluent.signature);
            closed.push(Interval { segment, signature, values: values.into(), first, last, end });
        };
        if known.is_none()
            && let Some(initially) = &mut self.initially
        {
            initially.initiate(frame, &self.fluents, &mut segment.instances);
        }
        for (fluent, instances) in self.fluents.iter().zip(&mut segment.instances) {
            let model = &self.model;
            let observed =
                |values: &[Value]| fluent.tracked.iter().all(|&(c, kind)| model.rows(kind).contains(&values[c..=c]));
            if let FluentKind::Inertial { .. } = fluent.kind {
                instances.advance(frame.time, observed, |values, since| {
                    close(closed, fluent, values, since, segment.time, End::Lost);
                });
                if let Some(holds) = fluent.holds {
                    for (values, _) in instances.holding() {
                        self.model.insert(holds, values);
                        // Rules see both orders.
                        if fluent.form == Form::Symmetric {
                            self.model.insert(holds, &exchanged(values));
                        }
                    }
                }
            }
        }
        self.model.advance(&self.program, frame.segment, frame.time);
        if self.model.is_full() {
            segment.time = frame.time;
            return;
        }
        for (fluent, instances) in self.fluents.iter().zip(&mut segment.instances) {
            match fluent.kind {
                FluentKind::Inertial { initiated, terminated } => {
                    let (initiated, terminated) = (self.model.rows(initiated), self.model.rows(terminated));
                    instances.apply(initiated, terminated, fluent.form, |values, since| {
                        close(closed, fluent, values, since, frame.time, End::Terminated);
                    });
                }
                FluentKind::Derived(pred) => {
                    instances.replace(self.model.rows(pred), fluent.form, frame.time, |values, since| {
                        close(closed, fluent, values, since, segment.time, End::Terminated);
                    });
                }
            }
        }
        segment.time = frame.time;
    }

    /// What holds at the frame observed last: each fluent's `holdsAt`, or the ordinary predicate, with its values, the
    /// time left out.
    pub fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        let segment = self.current.and_then(|s| self.segments.get(&s));
        segment.into_iter().flat_map(|segment| {
            let fluents = self.fluents.iter().zip(&segment.instances);
            fluents.flat_map(|(fluent, instances)| instances.holding().map(|(values, _)| (fluent.signature, values)))
        })
    }

    /// Whether a fluent holds at the frame observed last; a symmetric one in either order of its arguments.
    pub fn holds(&self, signature: Signature, values: &[Value]) -> bool {
        let values = &*self.symmetries.in_order(signature, values);
        let segment = self.current.and_then(|s| self.segments.get(&s));
        let fluent = self.fluents.iter().position(|f| f.signature == signature);
        segment.zip(fluent).is_some_and(|(segment, i)| segment.instances[i].holds(values))
    }

    /// The intervals that have not ended, as far as they are known now.
    pub fn open(&self) -> Vec<Interval> {
        let mut open = Vec::new();
        for &segment in self.segments.keys() {
            self.collect_open(segment, End::Open, &mut open);
        }
        open
    }

    /// Ends all segments: adds the intervals that last to their ends, and starts afresh.
    pub fn finish(&mut self, closed: &mut Vec<Interval>) {
        for &segment in self.segments.keys() {
            self.collect_open(segment, End::Segment, closed);
        }
        self.segments.clear();
        self.model.forget();
        self.current = None;
    }

    /// What it knows of the stream so far, for [`Recogniser::restore`].
    pub fn save(&self) -> Vec<u8> {
        let fluents: Vec<Signature> = self.fluents().collect();
        encode(&(fluents, &self.segments, self.current, self.model.histories()))
    }

    /// Goes on where another recogniser of the same task and theory was saved. After an error nothing has changed.
    ///
    /// ```
    /// use oled::{Frame, Recogniser, Source, Symbol, Task};
    /// let modes = "input(happensAt(opens(+door), +time)). input(holdsAt(seen(+door), +time)).";
    /// let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    /// let theory = oled::parse_theory("open.lp", "initiatedAt(open(D), T) :- happensAt(opens(D), T).").unwrap();
    /// let mut one = Recogniser::new(&task, &theory).unwrap();
    /// let mut frame = Frame::new(Symbol::new("hall"), 1);
    /// oled::FactReader::default().read("happensAt(opens(d1), 1)", &mut frame.narrative).unwrap();
    /// one.observe(&frame, &mut Vec::new());
    ///
    /// let mut other = Recogniser::new(&task, &theory).unwrap();
    /// other.restore(&one.save()).unwrap();
    /// frame.time = 2;
    /// other.observe(&frame, &mut Vec::new());
    /// assert_eq!(other.open().len(), 1);
    /// assert!(other.restore(b"nonsense").is_err());
    /// ```
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        type State = (Vec<Signature>, IndexMap<Symbol, Segment, FxBuildHasher>, Option<Symbol>, Histories);
        let (fluents, segments, current, histories): State = decode(bytes)?;
        ensure(self.fluents().eq(fluents.iter().copied()), "the fluents")?;
        let widths: Vec<usize> = fluents.iter().map(|f| f.arity() - 1).collect();
        let fits = |segment: &Segment| {
            segment.instances.len() == widths.len()
                && segment.instances.iter().zip(&widths).all(|(instances, width)| instances.is_of_width(*width))
        };
        ensure(segments.values().all(fits), "the fluents that hold")?;
        self.model.restore(&self.program, histories)?;
        (self.segments, self.current) = (segments, current);
        Ok(())
    }

    /// What rules that look back saw at the frame observed last.
    pub(crate) fn past(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.model.past(&self.program)
    }

    /// Which time points the conditions `ago` and `frames_ago` looked at from the frame observed last.
    pub(crate) fn looked_at(&self) -> impl Iterator<Item = (Signature, i64)> {
        self.model.looked_at(&self.program)
    }

    /// The number of time points and rows of the past that are remembered: for tests.
    #[doc(hidden)]
    pub fn remembered(&self) -> (usize, usize) {
        self.model.remembered()
    }

    fn collect_open(&self, segment: Symbol, end: End, intervals: &mut Vec<Interval>) {
        let state = &self.segments[&segment];
        for (fluent, instances) in self.fluents.iter().zip(&state.instances) {
            let signature = fluent.signature;
            intervals.extend(instances.open().map(|(values, first)| Interval {
                segment,
                signature,
                values: values.into(),
                first,
                last: state.time,
                end,
            }));
        }
    }

    /// The fluents whose two arguments may be exchanged: what holds, and what is annotated, is counted once.
    pub fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    /// The fluents it recognises, in the order of their rules: `holdsAt(meeting(_, _), _)`.
    pub fn fluents(&self) -> impl Iterator<Item = Signature> {
        self.fluents.iter().map(|f| f.signature)
    }
}

impl Initially {
    fn new(
        task: &Task,
        rules: &[&Clause],
        heads: &[Signature],
        fluents: &[Fluent],
    ) -> Result<Option<Initially>, Problems> {
        let wanted: Vec<(Signature, Signature)> = rules
            .iter()
            .zip(heads)
            .filter(|(r, _)| r.head.name.as_str() == INITIALLY)
            .map(|(_, &head)| (head.with_time().renamed(HOLDS), head))
            .collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let (_, program) = task.compile(rules, |_| wanted.iter().map(|(_, head)| *head).collect())?;
        let preds = fluents
            .iter()
            .map(|f| wanted.iter().find(|(s, _)| *s == f.signature).and_then(|(_, head)| program.pred(*head)))
            .collect();
        Ok(Some(Initially { model: Model::new(&program), program, preds }))
    }

    fn initiate(&mut self, frame: &Frame, fluents: &[Fluent], instances: &mut [Instances]) {
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
        // There is no past, so nothing is true that looks back.
        self.model.derive(&self.program, frame.time);
        for ((pred, fluent), instances) in self.preds.iter().zip(fluents).zip(instances) {
            if let Some(pred) = *pred {
                let rows = self.model.rows(pred).rows();
                rows.filter(|values| fluent.form.keeps(values)).for_each(|values| instances.initiate(values));
            }
        }
    }
}

/// The predicate of a type: `person(_, _)`.
fn type_signature(name: Symbol) -> Signature {
    Signature::plain(name, 2)
}

fn is_tracked(task: &Task, vocabulary: &Vocabulary, kind: Symbol) -> bool {
    kind.as_str() != TIME
        && task.options.tracked.as_ref().is_none_or(|types| types.contains(&kind))
        && vocabulary.predicates.get(&type_signature(kind)).is_some_and(|p| p.role == Role::Type(kind))
}

fn tracked_types(task: &Task, vocabulary: &Vocabulary, fluents: &[(Signature, bool)]) -> impl Iterator<Item = Symbol> {
    let mut types: Vec<Symbol> = Vec::new();
    for (signature, _) in fluents {
        let Some(predicate) = vocabulary.predicates.get(signature) else { continue };
        for &kind in predicate.types.iter().flatten() {
            if is_tracked(task, vocabulary, kind) && !types.contains(&kind) {
                types.push(kind);
            }
        }
    }
    types.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Source, parse_theory};
    use crate::stream::FactReader;

    #[test]
    fn what_is_initially_true_of_all_ranges_over_the_type() {
        let modes = "input(holdsAt(seen(+pump), +time)). input(level(+tank, +litre, +time)). type(litre, int).
                     example(holdsAt(running(+pump), +time)).";
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
        let theory = parse_theory("t.lp", "initially(running(P)).").unwrap();
        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let mut frame = Frame::new(Symbol::new("s"), 1);
        for fact in ["holdsAt(seen(p1), 1)", "holdsAt(seen(p2), 1)", "level(k1, 5, 1)"] {
            FactReader::default().read(fact, &mut frame.narrative).unwrap();
        }
        recogniser.observe(&frame, &mut Vec::new());
        let holding: Vec<String> = recogniser.holding().map(|(_, values)| values[0].to_string()).collect();
        assert_eq!(holding, ["p1", "p2"]);
    }
}
