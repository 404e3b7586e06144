//! Recogniser: a theory at work on a stream: frames in, intervals of complex events out.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::calculus::{End, Interval};
use crate::inertia::{Fluents, Inertia, Segments, wanted};
use crate::interrupt::Interrupt;
use crate::lang::ec::{HOLDS, persisting};
use crate::lang::{Clause, Problems, Signature, Symbol, Symmetries, Theory, Value};
use crate::logic::{Histories, Limits, Model, Program, Stop, guard_terminations};
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
    /// Why not all was derived from the last frame.
    stop: Option<Stop>,
}

impl Recogniser {
    /// Compiles a theory for a task; everything that is wrong with it is said in one go.
    pub fn new(task: &Task, theory: &Theory) -> Result<Recogniser, Problems> {
        task.check(theory)?;
        let rules = guard_terminations(&task.rules(theory));
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
        let (vocabulary, program) = task.compile(&rules, |vocabulary| wanted(task, vocabulary, &fluents))?;
        let inertia = Inertia::new(task, &vocabulary, &program, &rules, &fluents)?;
        let (model, symmetries) = (Model::new(&program), task.bias.symmetries());
        Ok(Recogniser { program, model, inertia, symmetries, stop: None })
    }

    /// Goes on with another theory: what holds now goes on holding, if the new rules speak of it, and what both look back
    /// at is not forgotten.
    pub fn adopt(&mut self, task: &Task, theory: &Theory) -> Result<(), Problems> {
        let next = Recogniser::new(task, theory)?;
        let mut old = std::mem::replace(self, next);
        self.set_limits(old.model.limits().clone());
        self.model.adopt(&self.program, &mut old.model, &old.program);
        self.inertia.adopt(old.inertia);
        Ok(())
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

    /// Processes a frame. Intervals that are known to have ended are added to `closed`.
    pub fn observe(&mut self, frame: &Frame, closed: &mut Vec<Interval>) {
        self.stop = self.inertia.enter(frame, &self.program, &mut self.model, closed).err();
        if self.stop.is_none() {
            self.model.advance(&self.program, frame.segment, frame.time);
            self.stop = self.model.stop(&self.program);
        }
        match &self.stop {
            None => self.inertia.leave(frame, &self.model, closed),
            Some(stop) => self.inertia.give_up(frame, *stop == Stop::Interrupted),
        }
    }

    /// What holds at the frame observed last: each fluent's `holdsAt`, or the ordinary predicate, with its values, the
    /// time left out.
    pub fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.inertia.holding()
    }

    /// Whether a fluent holds at the frame observed last; a symmetric one in either order of its arguments.
    pub fn holds(&self, signature: Signature, values: &[Value]) -> bool {
        self.inertia.holds(signature, &self.symmetries.in_order(signature, values))
    }

    /// The intervals that have not ended, as far as they are known now.
    pub fn open(&self) -> Vec<Interval> {
        self.inertia.open(End::Open).collect()
    }

    /// Ends all segments: adds the intervals that last to their ends, and starts afresh.
    pub fn finish(&mut self, closed: &mut Vec<Interval>) {
        self.inertia.finish(closed);
        self.model.forget();
    }

    /// What it knows of the stream so far, for [`Recogniser::restore`].
    pub fn save(&self) -> Vec<u8> {
        let fluents: Vec<Signature> = self.fluents().collect();
        let (segments, current) = self.inertia.state();
        encode(&(fluents, segments, current, self.model.histories()))
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
        type State = (Vec<Signature>, Segments, Option<Symbol>, Histories);
        let (fluents, segments, current, histories): State = decode(bytes)?;
        ensure(self.fluents().eq(fluents.iter().copied()), "the fluents")?;
        self.inertia.check(&segments)?;
        self.model.restore(&self.program, histories)?;
        self.inertia.restore(segments, current);
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

    /// The fluents it recognises, in the order of their rules: `holdsAt(meeting(_, _), _)`.
    pub fn fluents(&self) -> impl Iterator<Item = Signature> {
        self.inertia.fluents()
    }
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
