//! Recogniser: a theory at work on a stream: frames in, intervals of complex events out.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::calculus::{End, Interval};
use crate::inertia::{Fluents, Inertia, Segments, wanted};
use crate::interrupt::Interrupt;
use crate::lang::ec::{HOLDS, persisting};
use crate::lang::{
    Atom, Clause, Durations, Problems, Related, Signature, Symbol, Symmetries, Theory, Value, same_fluent,
};
use crate::logic::{Dependence, Histories, Limits, Model, Program, Stop};
use crate::relate::{self, Followed, Relations};
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
    inertia: Inertia,
    symmetries: Symmetries,
    durations: Durations,
    /// What follows from intervals that are over.
    relations: Relations,
    /// Fluents that are followed for these only, and not told of.
    unasked: Vec<Signature>,
    order: Order,
    /// Why not all was derived from the last frame.
    stop: Option<Stop>,
}

impl Recogniser {
    /// Compiles a theory for a task; everything that is wrong with it is said in one go.
    pub fn new(task: &Task, theory: &Theory) -> Result<Recogniser, Problems> {
        task.check(theory)?;
        let rules = task.guarded(&task.rules(theory));
        let rules: Vec<&Clause> = rules.iter().collect();
        let labels = task.labels();
        let of_theory: IndexSet<Signature, FxBuildHasher> =
            theory.clauses.iter().map(|c| Signature::of(&c.head)).collect();
        // Each fluent, and whether rules start and end it.
        let mut fluents = Fluents::default();
        for rule in &rules {
            let head = Signature::of(&rule.head);
            // What is labelled is an answer, whoever defines it, and so is what the theory says of a fluent; what else the
            // background derives is there for other rules.
            let is_answer = labels.contains(&head) || rule.head.name.as_str() == HOLDS && of_theory.contains(&head);
            if let Some(fluent) = persisting(&rule.head) {
                fluents.entry(fluent).or_insert(true);
            } else if is_answer {
                fluents.entry(head).or_insert(false);
            }
        }
        let related = task.related(theory);
        let sources = related.iter().flat_map(|rule| rule.of.fluents().filter(|atom| !is_told(&related, atom)));
        let mut unasked: Vec<Signature> = sources.map(Signature::of).collect();
        unasked.retain(|source| !fluents.contains_key(source));
        fluents.extend(unasked.iter().map(|source| (*source, false)));
        let (vocabulary, program) = task.compile(&rules, |vocabulary| wanted(task, vocabulary, &fluents))?;
        let inertia = Inertia::new(task, &vocabulary, &program, &rules, &fluents)?;
        let (model, symmetries, durations) = (Model::new(&program), task.bias.symmetries(), task.bias.durations());
        let horizon = task.bias.horizon.unwrap_or(0);
        let relations = Relations::new(&related, horizon, symmetries.clone(), durations.clone());
        let order = inertia.fluents().collect();
        Ok(Recogniser { program, model, inertia, symmetries, durations, relations, unasked, order, stop: None })
    }

    /// Goes on with another theory: what holds now goes on holding, if the new rules speak of it, and what both look back
    /// at is not forgotten.
    pub fn adopt(&mut self, task: &Task, theory: &Theory) -> Result<(), Problems> {
        self.go_on(Recogniser::new(task, theory)?, &|_| true, &mut Vec::new());
        Ok(())
    }

    /// Goes on with a theory `to` in place of the one `from` which it was made: as [`Recogniser::adopt`], but only with what
    /// both define by the same rules, everything that those depend on included. What holds of other fluents ends at the last
    /// time point, and is added to `closed`. Returns the fluents of the new theory, each with whether it goes on. After an error
    /// nothing has changed.
    pub fn reload(
        &mut self,
        task: &Task,
        (from, to): (&Theory, &Theory),
        closed: &mut Vec<Interval>,
    ) -> Result<Vec<(Signature, bool)>, Problems> {
        let next = Recogniser::new(task, to)?;
        let (old_rules, new_rules) = (task.rules(from), task.rules(to));
        let (old, new) = (task.vocabulary(&old_rules)?, task.vocabulary(&new_rules)?);
        let (old, new) = (Dependence::new(&old, &old_rules), Dependence::new(&new, &new_rules));
        let same = |signature: Signature| old.definition(signature) == new.definition(signature);
        let before = closed.len();
        let known: Vec<Signature> = self.fluents().collect();
        self.go_on(next, &same, closed);
        self.leave_out_short(closed, before);
        Ok(self.fluents().map(|fluent| (fluent, known.contains(&fluent) && same(fluent))).collect())
    }

    /// Puts another recogniser in the place of this one, with what is known of predicates that mean the `same` to both.
    fn go_on(&mut self, next: Recogniser, same: &dyn Fn(Signature) -> bool, closed: &mut Vec<Interval>) {
        let mut old = std::mem::replace(self, next);
        self.set_limits(old.model.limits().clone());
        self.model.adopt(&self.program, (&mut old.model, &old.program), same);
        let before = closed.len();
        self.inertia.adopt(old.inertia, same, closed);
        let mut at = 0;
        closed.retain(|interval| {
            at += 1;
            at <= before || !old.unasked.contains(&interval.signature)
        });
        put_in_order(&old.order, &mut closed[before..]);
        self.relations.adopt(old.relations);
    }

    /// From now on derives at most so many atoms at once. Who sets a limit asks [`Recogniser::stop`] after each frame.
    #[must_use]
    pub fn with_limit(mut self, atoms: usize) -> Recogniser {
        self.set_limits(Limits { rows: atoms, ..self.model.limits().clone() });
        self
    }

    /// From now on takes at most so many steps at a time point: rows that joins look at, and conditions that are tested
    /// with them. Who sets a limit asks [`Recogniser::stop`] after each frame.
    #[must_use]
    pub fn with_max_steps(mut self, steps: u64) -> Recogniser {
        self.set_limits(Limits { steps, ..self.model.limits().clone() });
        self
    }

    /// From now on ends early where somebody asks for it, in the middle of a frame too. Who passes a request on asks
    /// [`Recogniser::stop`] after each frame.
    #[must_use]
    pub fn with_interrupt(mut self, interrupt: Interrupt) -> Recogniser {
        self.set_limits(Limits { interrupt, ..self.model.limits().clone() });
        self
    }

    fn set_limits(&mut self, limits: Limits) {
        self.inertia.set_limits(&limits);
        self.model.set_limits(limits);
    }

    /// Why not everything was derived that follows from the frame observed last, if it was not: by one of the limits, or
    /// because somebody asked. Nothing began or ended there. After an interrupt the same frame can be observed again,
    /// with the result that it would have had, also by who [`Recogniser::restore`]s what was saved; after a limit, what
    /// holds from then on is not to be trusted.
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// Whether one of the limits was reached, or somebody asked to end early.
    pub fn is_full(&self) -> bool {
        self.stop.is_some()
    }

    /// Processes a frame. Intervals that are known to have ended are added to `closed`, but for those that are too short to be
    /// reported: segment by segment, in the order of [`Recogniser::rank`].
    pub fn observe(&mut self, frame: &Frame, closed: &mut Vec<Interval>) {
        let before = closed.len();
        self.relations.begin();
        self.follow(frame, closed);
        self.leave_out_short(closed, before);
        if !self.relations.is_empty() {
            self.relate(closed, before);
            self.relations.forget(frame.segment, frame.time);
            if !self.inertia.is_interleaved() {
                self.relations.keep_only(Some(frame.segment));
            }
        }
    }

    /// By what the intervals of a segment are put in order that are told at one time point: first what is lost, which is known before
    /// any rule is asked, and is told where somebody ends it early; then fluents as their rules are, and their values. What rules
    /// derive first says nothing to anybody, and who sees some of the instances only could not know it. What follows from whole
    /// intervals comes behind them, in the order of these.
    pub fn rank<'i>(&self, interval: &'i Interval) -> Rank<'i> {
        rank(&self.order, interval)
    }

    /// Adds what follows from the intervals after the first ones, and leaves out those that nobody asks for.
    fn relate(&mut self, closed: &mut Vec<Interval>, first: usize) {
        let own = closed.len();
        let segments: IndexSet<Symbol, FxBuildHasher> = closed[first..].iter().map(|i| i.segment).collect();
        self.relations.follow(closed, first);
        let mut at = 0;
        closed.retain(|interval| {
            at += 1;
            !(first < at && at <= own && self.unasked.contains(&interval.signature))
        });
        // What is told of a segment stands together, as it does where others see to the other segments.
        closed[first..].sort_by_key(|interval| segments.get_index_of(&interval.segment));
    }

    fn follow(&mut self, frame: &Frame, closed: &mut Vec<Interval>) {
        let before = closed.len();
        self.stop = self.inertia.enter(frame, &self.program, &mut self.model, closed).err();
        put_in_order(&self.order, &mut closed[before..]);
        let entered = closed.len();
        if self.stop.is_none() {
            self.model.advance(&self.program, frame.segment, frame.time);
            self.stop = self.model.stop(&self.program);
        }
        match &self.stop {
            None => self.inertia.leave(frame, &self.model, closed),
            Some(stop) => self.inertia.give_up(frame, *stop == Stop::Interrupted),
        }
        put_in_order(&self.order, &mut closed[entered..]);
    }

    /// What holds at the frame observed last: each fluent's `holdsAt`, or the ordinary predicate, with its values, the
    /// time left out.
    pub fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.inertia.holding().filter(|(signature, _)| !self.unasked.contains(signature))
    }

    /// Whether a fluent holds at the frame observed last; a symmetric one in either order of its arguments.
    pub fn holds(&self, signature: Signature, values: &[Value]) -> bool {
        self.since(signature, values).is_some()
    }

    /// Since when a fluent has held that holds at the frame observed last.
    pub fn since(&self, signature: Signature, values: &[Value]) -> Option<i64> {
        self.inertia.since(signature, &self.symmetries.in_order(signature, values))
    }

    /// The intervals that are known to be long enough to be reported since the frame observed last, each as far as it is known:
    /// where no minimum is declared, what begins there. Each is one of those that come to be closed or open, and comes once; in the order of
    /// [`Recogniser::rank`].
    ///
    /// ```
    /// use oled::{FactReader, Frame, Recogniser, Source, Symbol, Task};
    /// let modes = "input(happensAt(opens(+door), +time)). example(holdsAt(open(+door), +time)). min_duration(open/1, 2).";
    /// let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    /// let theory = oled::parse_theory("open.lp", "initiatedAt(open(D), T) :- happensAt(opens(D), T).").unwrap();
    /// let mut recogniser = Recogniser::new(&task, &theory).unwrap();
    /// let mut begun = Vec::new();
    /// for time in 1..=6 {
    ///     let mut frame = Frame::new(Symbol::new("hall"), time);
    ///     FactReader::default().read(&format!("happensAt(opens(d1), {time})"), &mut frame.narrative).unwrap();
    ///     recogniser.observe(&frame, &mut Vec::new());
    ///     begun.extend(recogniser.begun().map(|open| (time, open.first)));
    /// }
    /// assert_eq!(begun, [(4, 2)]);
    /// ```
    pub fn begun(&self) -> impl Iterator<Item = Interval> {
        let place = self.inertia.place().filter(|_| self.stop.is_none());
        let begun = place.into_iter().flat_map(move |(segment, last, before)| {
            let told = self.inertia.holding_since().filter(move |(signature, ..)| !self.unasked.contains(signature));
            told.filter_map(move |(signature, values, first)| {
                let least = self.durations.least(signature, values).unwrap_or(0);
                let reaches = |time: i64| time >= first && time.saturating_sub(first) >= least;
                let is_new = reaches(last) && !before.is_some_and(reaches);
                is_new.then(|| Interval { segment, signature, values: values.into(), first, last, end: End::Open })
            })
        });
        let mut begun: Vec<Interval> = begun.collect();
        put_in_order(&self.order, &mut begun);
        begun.into_iter()
    }

    /// Leaves out the intervals after the first ones that are too short to be reported.
    fn leave_out_short(&self, intervals: &mut Vec<Interval>, first: usize) {
        if !self.durations.is_empty() {
            let new = intervals.split_off(first);
            intervals.extend(new.into_iter().filter(|interval| !interval.is_short(&self.durations)));
        }
    }

    /// The intervals that have not ended, as far as they are known now, and are long enough to be reported; in the same order.
    pub fn open(&self) -> Vec<Interval> {
        let is_told =
            |interval: &Interval| !interval.is_short(&self.durations) && !self.unasked.contains(&interval.signature);
        let mut open: Vec<Interval> = self.inertia.open(End::Open).filter(is_told).collect();
        put_in_order(&self.order, &mut open);
        open
    }

    /// Ends all segments: adds the intervals that last to their ends, in the same order, and starts afresh.
    pub fn finish(&mut self, closed: &mut Vec<Interval>) {
        let before = closed.len();
        self.relations.begin();
        self.inertia.finish(closed);
        put_in_order(&self.order, &mut closed[before..]);
        self.leave_out_short(closed, before);
        if !self.relations.is_empty() {
            self.relate(closed, before);
            self.relations.keep_only(None);
        }
        self.model.forget();
    }

    /// What it knows of the stream so far, for [`Recogniser::restore`].
    pub fn save(&self) -> Vec<u8> {
        let fluents: Vec<Signature> = self.inertia.fluents().collect();
        let (segments, current) = self.inertia.state();
        encode(&(fluents, segments, current, self.model.histories(), self.relations.state()))
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
        type State = (Vec<Signature>, Segments, Option<Symbol>, Histories, relate::Segments);
        let (fluents, segments, current, histories, related): State = decode(bytes)?;
        ensure(self.inertia.fluents().eq(fluents.iter().copied()), "the fluents")?;
        self.inertia.check(&segments)?;
        self.relations.check(&related)?;
        self.model.restore(&self.program, histories)?;
        self.inertia.restore(segments, current);
        self.relations.restore(related);
        Ok(())
    }

    /// From now on takes note of which rules fire.
    #[must_use]
    pub(crate) fn with_trace(mut self) -> Recogniser {
        self.model.trace();
        self.inertia.trace();
        self.relations.trace();
        self
    }

    /// Which rules fired at the frame observed last, by their numbers among those of background and theory, with the row that
    /// each derived. Rules that end something fire on what holds only, but where another rule asks for it.
    pub(crate) fn fired(&self) -> impl Iterator<Item = (u32, &[Value])> {
        self.model.fired(&self.program)
    }

    /// The same of what holds initially, and of what that follows from, where the frame began a segment.
    pub(crate) fn fired_initially(&self) -> impl Iterator<Item = (u32, &[Value])> {
        self.inertia.fired_initially()
    }

    /// What rules that look back saw at the frame observed last.
    pub(crate) fn past(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.model.past(&self.program)
    }

    /// Which time points the conditions `ago` and `frames_ago` looked at from the frame observed last.
    pub(crate) fn looked_at(&self) -> impl Iterator<Item = (Signature, i64)> {
        self.model.looked_at(&self.program)
    }

    /// The number of steps that were taken at the frame observed last: for tests.
    #[doc(hidden)]
    pub fn steps(&self) -> u64 {
        self.model.steps()
    }

    /// The number of time points and rows of the past that are remembered: for tests.
    #[doc(hidden)]
    pub fn remembered(&self) -> (usize, usize) {
        self.model.remembered()
    }

    /// The fluents whose two arguments may be exchanged: what holds, and what is annotated, is counted once.
    pub fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    /// How long intervals last at least, to be reported.
    pub fn durations(&self) -> &Durations {
        &self.durations
    }

    /// The number of intervals that are remembered to be related: for tests.
    #[doc(hidden)]
    pub fn related_later(&self) -> usize {
        self.relations.remembered()
    }

    /// What was told of whole intervals at the frame observed last, or at the end, with those that it follows from: where
    /// somebody asks why, as an `Explainer` does.
    pub fn followed(&self) -> &[Followed] {
        self.relations.followed()
    }

    /// The fluents that are told of when they are over, since they follow from whole intervals.
    pub fn told_later(&self) -> impl Iterator<Item = Signature> {
        self.relations.fluents()
    }

    /// The fluents it recognises, in the order of their rules: `holdsAt(meeting(_, _), _)`.
    pub fn fluents(&self) -> impl Iterator<Item = Signature> {
        let own = self.inertia.fluents().filter(|fluent| !self.unasked.contains(fluent));
        own.chain(self.told_later())
    }
}

/// Whether it is not lost, the place of the fluent, the values, and from when to when it held.
pub type Rank<'i> = (bool, usize, &'i [Value], i64, i64);

/// Fluents in the order in which they are told of.
type Order = IndexSet<Signature, FxBuildHasher>;

/// See [`Recogniser::rank`].
fn rank<'i>(order: &Order, interval: &'i Interval) -> Rank<'i> {
    let fluent = order.get_index_of(&interval.signature).unwrap_or(order.len());
    (interval.end != End::Lost, fluent, &interval.values, interval.first, interval.last)
}

/// Puts what is told at one time point in order, segment by segment.
fn put_in_order(order: &Order, told: &mut [Interval]) {
    for of_segment in told.chunk_by_mut(|a, b| a.segment == b.segment).filter(|told| told.len() > 1) {
        of_segment.sort_by(|a, b| rank(order, a).cmp(&rank(order, b)));
    }
}

/// Whether rules about intervals define a fluent.
fn is_told(related: &[&Related], atom: &Atom) -> bool {
    related.iter().any(|rule| same_fluent(&rule.head, atom))
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
