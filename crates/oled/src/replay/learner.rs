//! The learner: one record of the stream, one search for each fluent.

mod active_rules;
mod learned;
mod saved;
mod searches;

use std::sync::Arc;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::classes::Scope;
use super::fluent::{Outcome, definition_of};
use super::layout::Layout;
use super::literal::{Rule, Slot};
use super::objective::Fit;
use super::record::{Births, Record};
use super::runs::Definition;
use super::settings::ReplaySettings;
use super::target::{Target, targets};
use crate::evaluate::Confusion;
use crate::event::{Event, EventKind, Observer};
use crate::induce::{LiteralTable, RuleKind};
use crate::lang::{Atom, Clause, Literal, Problems, Symbol, Theory};
use crate::learn::{
    AssignmentOverflow, Capabilities, Head, InstanceOptions, Learned, Learner, Progress, Propositionaliser, Snapshot,
    Supervision, heads,
};
use crate::state::{StateError, ensure};
use crate::stream::Frame;
use crate::task::Task;
use active_rules::ActiveRule;
use searches::rules_of;

/// Learns event definitions by replay: the default learner.
///
/// ```
/// use oled::{FactReader, Frame, Learner, Replay, ReplaySettings, Source, Symbol, Task};
/// let modes = Source::new("modes.lp", "
///     input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)).
///     input(door(+door, +time)). example(holdsAt(open(+door), +time)).
///     modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).
///     modeb(happensAt(opens(+door), +time)). modeb(happensAt(shuts(+door), +time)).");
/// let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
/// let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
/// for day in ["monday", "tuesday", "wednesday"] {
///     for time in 0..9 {
///         let mut frame = Frame::new(Symbol::new(day), time);
///         let mut fact = |text: &str| FactReader::default().read(&format!("{text}, {time})"), &mut frame.narrative);
///         fact("door(d1").unwrap();
///         if time == 2 { fact("happensAt(opens(d1)").unwrap(); }
///         if time == 6 { fact("happensAt(shuts(d1)").unwrap(); }
///         if (3..=6).contains(&time) {
///             FactReader::default().read(&format!("holdsAt(open(d1), {time})"), &mut frame.annotation).unwrap();
///         }
///         learner.observe(&frame, &mut ());
///     }
/// }
/// assert_eq!(learner.learned(&mut ()).theory().to_string(), "\
/// initiatedAt(open(X0), T) :-
///     happensAt(opens(X0), T).
///
/// terminatedAt(open(X0), T) :-
///     happensAt(shuts(X0), T).
/// ");
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    pub(super) settings: ReplaySettings,
    threads: usize,
    pub(super) heads: Vec<Head>,
    pub(super) propositionaliser: Propositionaliser,
    /// The time point that was seen last.
    snapshot: Snapshot,
    /// Where ticks are left out: their step, and the last time point of each segment that goes on.
    tick: Option<i64>,
    times: IndexMap<Symbol, i64, FxBuildHasher>,
    pub(super) record: Record,
    pub(super) targets: Vec<Target>,
    /// What the last search for rules at work came to, for each target; none if there was none.
    last: Vec<Outcome>,
    /// Runs recorded when it was, and when the last one was that started from nothing.
    searched: u64,
    searched_all: u64,
    active_rules: Vec<ActiveRule>,
    /// All rules that ever were at work, by head: their place is their number.
    numbered: Vec<Vec<Clause>>,
    /// The variables that were told to have too many assignments.
    pub(super) reported: Vec<(usize, usize)>,
    /// The targets whose rules were told to have reached a limit.
    limit_hits: Vec<usize>,
    /// Who may end a search early, and who is told how far it is.
    supervision: Supervision,
    /// The rules at work, as a theory.
    theory: Arc<Theory>,
}

impl Replay {
    /// A learner for the heads of a task.
    pub fn new(task: &Task, settings: ReplaySettings) -> Result<Replay, Problems> {
        let variables = settings.variables;
        let (mut heads, mut propositionaliser) =
            heads(task, true, |_| InstanceOptions { variables, observed_next: false })?;
        propositionaliser.set_limits(settings.max_instances, settings.max_steps);
        let groups = propositionaliser.group_count();
        let targets = targets(task, &propositionaliser, &mut heads);
        let (memory, losses) = (settings.memory(), propositionaliser.losses());
        let slots = (0..groups).map(|g| propositionaliser.features(g).iter().map(Slot::from).collect()).collect();
        let layouts =
            (0..groups).map(|g| Layout::new(propositionaliser.words(g), propositionaliser.features(g).len())).collect();
        let record = Record::new(memory, (slots, layouts), losses, targets.len(), task.options.interleaved);
        Ok(Replay {
            settings,
            threads: 1,
            numbered: vec![Vec::new(); heads.len()],
            heads,
            propositionaliser,
            snapshot: Snapshot::default(),
            tick: None,
            times: IndexMap::default(),
            record,
            targets,
            last: Vec::new(),
            searched: 0,
            searched_all: 0,
            active_rules: Vec::new(),
            reported: Vec::new(),
            limit_hits: Vec::new(),
            supervision: Supervision::default(),
            theory: Arc::default(),
        })
    }

    /// Searches on so many threads. What is learned does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Replay {
        self.threads = threads.max(1);
        self
    }

    /// The stream as it is remembered.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Adds what another learner of the same task and with the same memory has seen, as if this one had seen its segments too.
    ///
    /// What is learned from then on is the same for every way to deal out whole segments to learners, and for every order in
    /// which these are merged; with a `window`, or with `forget`, the segments of `other` count as the later ones. Segments
    /// that `other` was in the middle of end. An error says that the other learner is of another task.
    ///
    /// ```
    /// # use oled::{Learner, Replay, ReplaySettings, Source, Task};
    /// # let modes = Source::new("modes.lp", "input(happensAt(opens(+door), +time)). example(holdsAt(open(+door), +time)).
    /// #     modeh(initiatedAt(open(+door), +time)). modeb(happensAt(opens(+door), +time)).");
    /// # let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
    /// let mut here = Replay::new(&task, ReplaySettings::default()).unwrap();
    /// let there = Replay::new(&task, ReplaySettings::default()).unwrap();
    /// // Each observes frames of its own.
    /// here.merge(&there).unwrap();
    /// ```
    pub fn merge(&mut self, other: &Replay) -> Result<(), StateError> {
        self.merge_born(other, Births::After)
    }

    fn merge_born(&mut self, other: &Replay, births: Births) -> Result<(), StateError> {
        let heads = |learner: &Replay| learner.heads.iter().map(|head| head.atom.to_string()).collect::<Vec<_>>();
        let literals = |learner: &Replay| {
            let tables = (0..learner.targets.len()).map(|target| learner.table(target));
            tables.flat_map(|table| table.literals().iter().map(Literal::to_string)).collect::<Vec<_>>()
        };
        ensure(heads(self) == heads(other), "the heads of the other learner")?;
        ensure(literals(self) == literals(other), "the literals of the other learner")?;
        ensure(self.record.is_like(&other.record), "the gauges and the memory of the other learner")?;
        self.propositionaliser.join(&other.propositionaliser);
        self.record.merge(other.record.clone(), births);
        let told = other.reported.iter().filter(|told| !self.reported.contains(told)).copied().collect::<Vec<_>>();
        self.reported.extend(told);
        self.reported.sort_unstable();
        Ok(())
    }

    /// How a theory does on what is remembered: for each fluent the time points at which it is recognised and annotated,
    /// recognised only, and annotated only. Its rules are made of the literals of the modes.
    pub fn replay(&self, theory: &Theory) -> Result<Vec<(Symbol, Confusion)>, Problems> {
        if !self.record.is_settled() {
            let mut settled = self.clone();
            settled.record.settle();
            return settled.replay(theory);
        }
        let mut rules: Vec<Vec<Rule>> = vec![Vec::new(); self.targets.len()];
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            match self.given(clause) {
                Ok((target, rule)) => rules[target].push(rule),
                Err(problem) => problems.push(problem),
            }
        }
        Problems::check(problems)?;
        let fits = self.fits_of(&rules);
        Ok(self.targets.iter().zip(fits).map(|(t, fit)| (t.name, fit.counts())).collect())
    }

    /// How the rules of each target fit, exactly.
    fn fits_of(&self, rules: &[Vec<Rule>]) -> Vec<Fit> {
        self.outcomes(Some(rules), |target, search| {
            let rules = rules[target].clone();
            Outcome { fit: search.fit(&rules, self.definition(target, &rules)), rules, ..Outcome::default() }
        })
        .into_iter()
        .map(|outcome| outcome.fit)
        .collect()
    }

    /// The heads that its rules have, by their numbers.
    pub fn heads(&self) -> Vec<Atom> {
        self.heads.iter().map(|head| head.atom.clone()).collect()
    }

    /// The literals that the rules of a head are made of, those with open thresholds left out.
    pub fn literals(&self, head: usize) -> &[Literal] {
        self.table(self.heads[head].target).literals()
    }

    /// Searches for the rules at work now, near those of the last search where that is enough: for benchmarks.
    #[doc(hidden)]
    pub fn search_again(&mut self) {
        self.update(&mut ());
    }

    pub(super) fn table(&self, target: usize) -> &LiteralTable {
        self.propositionaliser.table(target)
    }

    pub(super) fn head(&self, target: usize, kind: RuleKind) -> Option<usize> {
        self.heads.iter().position(|h| h.target == target && h.kind == kind)
    }

    /// The number of the head that the rules of a kind have; those that say while what a fluent holds have one after all
    /// others.
    pub(super) fn head_of(&self, target: usize, kind: RuleKind) -> usize {
        self.head(target, kind).unwrap_or_else(|| {
            let whiles = self.heads.iter().position(|h| h.kind == RuleKind::Observed && h.target == target);
            whiles.expect("a target that may hold while something is true has a head for it")
        })
    }

    /// What a search for a target's rules is about.
    pub(super) fn scope(&self, number: usize) -> Scope<'_> {
        let target = &self.targets[number];
        Scope {
            table: self.table(number),
            slots: &self.record.slots[target.group],
            layout: self.record.layouts[target.group],
            group: target.group,
            target: number,
            place: target.place,
            symmetric: self.propositionaliser.label(number).1,
            closed: self.propositionaliser.is_equivalence(number),
            left_out: &target.left_out,
            allowed: &target.allowed,
            open_left_out: self.propositionaliser.wrapping(number).1,
            links: self.propositionaliser.links(number),
            given: self.propositionaliser.given(number),
            both: self.propositionaliser.precedence(),
            absent: self.propositionaliser.absent(number),
            columns: self.propositionaliser.columns(number),
        }
    }

    /// How rules define a target; without any it is as it was declared.
    pub(super) fn definition(&self, number: usize, rules: &[Rule]) -> Definition {
        if self.targets[number].persists.is_empty() { Definition::While } else { definition_of(rules) }
    }

    /// How many time points a frame stands for: itself, and the ticks before it that were left out.
    fn stands_for(&mut self, frame: &Frame) -> u64 {
        let Some(tick) = self.tick else { return 1 };
        if !self.record.is_interleaved() {
            self.times.retain(|segment, _| *segment == frame.segment);
        }
        let before = self.times.insert(frame.segment, frame.time);
        let gap = before.map_or(0, |before| i128::from(frame.time) - i128::from(before));
        // Ticks that are left out lie between two that are not, so that nothing is left over.
        u64::try_from((gap / i128::from(tick.max(1))).max(1)).unwrap_or(1)
    }

    fn tell_too_many(&mut self, frame: &Frame, observer: &mut dyn Observer) {
        for AssignmentOverflow { group, variable, assignments } in &self.snapshot.assignment_overflow {
            if self.reported.contains(&(*group, *variable)) {
                continue;
            }
            self.reported.push((*group, *variable));
            let head = self.heads.iter().position(|h| self.targets[h.target].group == *group).unwrap_or(0);
            let what = EventKind::AssignmentOverflow {
                variable: LiteralTable::introduced_name(*variable),
                assignments: *assignments,
                segment: frame.segment,
                time: frame.time,
            };
            let (interpretation, process) = (self.record.frames(), head);
            let head = self.heads[process].atom.clone();
            observer.on(&Event { interpretation, process, head, rule: 0, what });
        }
    }
}

impl Learner for Replay {
    fn observe(&mut self, frame: &Frame, observer: &mut dyn Observer) {
        let left_out = self.propositionaliser.observe_into(frame, &mut self.snapshot);
        if self.propositionaliser.is_cut() {
            return;
        }
        let points = self.stands_for(frame);
        if left_out {
            self.propositionaliser.leave_out_more(points - 1);
        }
        self.record.observe(frame.segment, &self.snapshot, points);
        if !self.snapshot.assignment_overflow.is_empty() {
            self.tell_too_many(frame, observer);
        }
        if let Some(what) = self.propositionaliser.report_oversized() {
            let (interpretation, head) = (self.record.frames(), self.heads[0].atom.clone());
            observer.on(&Event { interpretation, process: 0, head, rule: 0, what });
        }
    }

    /// The rules of the last search, if little is new since then.
    fn theory(&mut self, observer: &mut dyn Observer) -> Arc<Theory> {
        if self.is_due() {
            self.update(observer);
        }
        self.theory.clone()
    }

    /// The rules of a whole search, which says nothing to anybody: those at work stay at work.
    fn learned(&mut self, _: &mut dyn Observer) -> Learned {
        self.record.settle();
        let outcomes = self.search_all(self.settings.refits);
        let trusted = self.for_each_search(Some(&rules_of(&outcomes)), |target, search| {
            let outcome = &outcomes[target];
            let mut trust = search.trust(outcome, self.definition(target, &outcome.rules));
            if !self.settings.refits {
                trust.iter_mut().for_each(|trust| trust.refits = None);
            }
            (outcome.clone(), trust)
        });
        self.learned_from(trusted)
    }

    fn capabilities(&self) -> Capabilities {
        self.settings.capabilities()
    }

    fn supervise(&mut self, supervision: &Supervision) {
        self.propositionaliser.set_interrupt(supervision.frames.clone());
        self.supervision = supervision.clone();
    }

    fn progress(&self) -> Progress {
        Progress { interpretations: self.record.frames(), is_cut: self.propositionaliser.is_cut() }
    }

    fn start_from(&mut self, theory: &Theory) -> Result<(), Problems> {
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            match self.given(clause) {
                Ok((target, rule)) => self.targets[target].start.push(rule),
                Err(problem) => problems.push(problem),
            }
        }
        Problems::check(problems)
    }

    fn save(&mut self, _: &mut dyn Observer) -> Option<Vec<u8>> {
        Some(self.saved())
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.resume(state)
    }

    fn skip_ticks(&mut self, step: i64) -> bool {
        self.tick = Some(step);
        true
    }

    fn number_segments(&mut self, before: u64) {
        self.record.number_segments(before);
    }

    fn merge(&mut self, state: &[u8]) -> Result<(), StateError> {
        let mut other = Replay { record: self.record.emptied(), ..self.clone() };
        other.resume(state)?;
        self.merge_born(&other, Births::Numbered)
    }

    fn copy(&mut self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}
