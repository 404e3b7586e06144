//! Model: the perfect model of the rules at one time point.

mod limits;
mod walk;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::cells::Cells;
use super::history::{Filling, History, Repeats};
use super::plan::TIME_SLOT;
use super::program::{Pred, Program};
use super::relation::Relation;
use crate::lang::{Signature, Symbol, Value};
use crate::state::{StateError, ensure};
use crate::stream::Facts;
pub(crate) use limits::Limits;
pub use limits::Stop;
use limits::{POLL, Stopped};
use walk::Run;

/// Everything that is true at a time point: what was observed and what follows. Memory is kept from one time point to
/// the next, and of earlier time points what rules look back at.
#[derive(Clone, Debug)]
pub struct Model {
    relations: Vec<Relation>,
    /// Facts that were observed before at this time point, where rules count them.
    repeats: Repeats,
    scratch: Scratch,
    /// The past of each segment that has not ended; none where no rule looks back.
    histories: Histories,
    /// For each of the program's ways of looking back, the time point that was looked at.
    looked_at: Vec<Option<i64>>,
}

/// The past of each segment.
pub(crate) type Histories = IndexMap<Symbol, History, FxBuildHasher>;

#[derive(Clone, Debug, Default)]
struct Scratch {
    slots: Vec<Value>,
    /// Derived rows that are not in their relations yet: each head, and where its values end.
    heads: Vec<(Pred, u32)>,
    values: Vec<Value>,
    /// Where somebody asks which rules fire, those of these rows, and all at this time point.
    is_traced: bool,
    rules: Vec<u32>,
    trace: Trace,
    /// Rows by where they are, and the numbers of those that scans of rows nearby are at.
    cells: Cells,
    nearby: Vec<u32>,
    limits: Limits,
    /// How many rows were looked at, and how many steps were taken with one, at this time point.
    steps: u64,
    /// At so many steps the limits are looked at again.
    pause_at: u64,
    /// Why not all was derived at this time point, if it was not.
    stopped: Option<Stopped>,
}

/// The rules that fired at a time point: each by its number, and where the values of what it derived end.
#[derive(Clone, Debug, Default)]
struct Trace {
    fired: Vec<(u32, u32)>,
    values: Vec<Value>,
}

/// Where a row ends is kept in four bytes.
const MOST_VALUES: usize = u32::MAX as usize - (1 << 16);

impl Model {
    /// A model with what never changes.
    pub fn new(program: &Program) -> Model {
        let looked_at = vec![None; program.lookback.fills.len()];
        let (relations, scratch) = (program.relations.clone(), Scratch::default());
        Model { relations, repeats: Repeats::new(), scratch, histories: IndexMap::default(), looked_at }
    }

    /// From now on keeps to these limits.
    pub(crate) fn set_limits(&mut self, limits: Limits) {
        self.scratch.limits = limits;
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.scratch.limits
    }

    /// From now on takes note of which rules fire.
    pub(crate) fn trace(&mut self) {
        self.scratch.is_traced = true;
    }

    /// Which rules fired at the time point that was derived last, by their numbers among those that the program was made of,
    /// with the row that each derived: at least once each.
    pub(crate) fn fired<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (u32, &'a [Value])> {
        let Trace { fired, values } = &self.scratch.trace;
        let starts = std::iter::once(0).chain(fired.iter().map(|(_, end)| *end));
        let rows = fired.iter().zip(starts).map(|((rule, end), start)| (*rule, &values[start as usize..*end as usize]));
        rows.filter_map(|(rule, row)| Some((program.numbers[rule as usize]?, row)))
    }

    /// Why not all was derived, if it was not: then what was is of no use.
    pub(crate) fn stop(&self, program: &Program) -> Option<Stop> {
        Some(match self.scratch.stopped? {
            Stopped::Full => Stop::Full { limit: self.limits().rows },
            Stopped::TooLong(head, rule) => {
                let (limit, rule) = (self.limits().steps, program.places[rule as usize].clone());
                Stop::TooLong { limit, head: program.signature(head), rule }
            }
            Stopped::Interrupted => Stop::Interrupted,
        })
    }

    /// Forgets the time point.
    pub fn clear(&mut self, program: &Program) {
        self.scratch.stopped = None;
        self.repeats.clear();
        for (i, relation) in self.relations.iter_mut().enumerate() {
            if !relation.is_empty() && !program.is_static(i) {
                relation.clear();
            }
        }
    }

    /// Adds what was observed, as far as the rules use it.
    pub fn observe(&mut self, program: &Program, facts: &Facts) {
        for (signature, values) in facts.iter() {
            let Some(route) = program.routes.get(signature.index()) else { continue };
            if let Some(pred) = route.relation {
                let is_new = self.relations[pred.index()].insert(values);
                if route.counted && !is_new {
                    self.repeats.push((pred, values.into()));
                }
            }
            for &(column, kind) in &route.types {
                // Facts about the same entity mostly follow each other.
                let (relation, row) = (&mut self.relations[kind.index()], &values[column..=column]);
                if relation.last() != Some(row) {
                    relation.insert(row);
                }
            }
        }
    }

    /// Adds a row.
    pub fn insert(&mut self, pred: Pred, row: &[Value]) {
        self.relations[pred.index()].insert(row);
    }

    /// The rows of a predicate.
    pub fn rows(&self, pred: Pred) -> &Relation {
        &self.relations[pred.index()]
    }

    /// Derives everything that follows at the next time point of a segment, and remembers what later ones look back at.
    pub fn advance(&mut self, program: &Program, segment: Symbol, time: i64) {
        if program.lookback.is_empty() {
            return self.derive(program, time);
        }
        let mut histories = std::mem::take(&mut self.histories);
        let history = histories.entry(segment).or_default();
        history.begin(&program.lookback, time);
        self.evaluate(program, time, Some(history));
        // A time point that was interrupted is not over.
        if self.scratch.stopped != Some(Stopped::Interrupted) {
            history.end(&program.lookback, time, &self.relations);
        }
        self.histories = histories;
    }

    /// Derives everything that follows at a time without a past: what looks back finds the rows that were added.
    pub fn derive(&mut self, program: &Program, time: i64) {
        self.evaluate(program, time, None);
    }

    /// Ends all segments: the next time point of any has no past.
    pub fn forget(&mut self) {
        self.histories.clear();
    }

    /// Takes over what another model remembers.
    pub(crate) fn adopt(
        &mut self,
        program: &Program,
        (old, old_program): (&mut Model, &Program),
        same: &dyn Fn(Signature) -> bool,
    ) {
        if !program.lookback.is_empty() {
            let histories = std::mem::take(&mut old.histories).into_iter();
            let adopt = |past: History| past.adopt(old_program, program, same);
            self.histories = histories.map(|(segment, past)| (segment, adopt(past))).collect();
        }
    }

    /// What is remembered, to be written.
    pub(crate) fn histories(&self) -> &Histories {
        &self.histories
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, program: &Program, histories: Histories) -> Result<(), StateError> {
        ensure(histories.is_empty() || !program.lookback.is_empty(), "the time points that are looked back at")?;
        histories.values().try_for_each(|history| history.check(program))?;
        self.histories = histories;
        Ok(())
    }

    /// The rows of all predicates that look back.
    pub(crate) fn past<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (Signature, &'a [Value])> {
        let rows = move |(pred, _)| self.rows(pred).rows().map(move |row| (program.signature(pred), row));
        program.pasts().flat_map(rows)
    }

    /// The earlier time point that each predicate of `ago` and `frames_ago` looked at, where there was one.
    pub(crate) fn looked_at<'a>(&'a self, program: &'a Program) -> impl Iterator<Item = (Signature, i64)> {
        let fills = program.lookback.fills.iter().zip(&self.looked_at);
        fills.filter_map(|(fill, time)| match (fill.from, time) {
            (Filling::Kept(pred, ..), Some(time)) => Some((program.signature(pred), *time)),
            _ => None,
        })
    }

    /// The number of steps that were taken at the last time point: for tests.
    #[doc(hidden)]
    pub fn steps(&self) -> u64 {
        self.scratch.steps
    }

    /// The number of time points and rows of the past that are remembered, over all segments: for tests.
    #[doc(hidden)]
    pub fn remembered(&self) -> (usize, usize) {
        let all = self.histories.values().map(History::remembered);
        all.fold((0, 0), |(points, rows), (p, r)| (points + p, rows + r))
    }

    fn evaluate(&mut self, program: &Program, time: i64, mut history: Option<&mut History>) {
        let mut scratch = std::mem::take(&mut self.scratch);
        scratch.stopped = None;
        scratch.steps = 0;
        scratch.trace.fired.clear();
        scratch.trace.values.clear();
        scratch.pause_at = scratch.limits.steps.min(POLL);
        scratch.cells.begin();
        scratch.slots.resize(program.slots, Value::Int(0));
        scratch.slots[TIME_SLOT.0 as usize] = Value::Int(time);
        let mut filled = 0;
        for (i, stratum) in program.strata.iter().enumerate() {
            if let Some(history) = &mut history {
                filled = self.fill(program, time, history, filled, i);
            }
            self.refresh(&stratum.indexed);
            let mut new: Vec<(Pred, usize)> = Vec::new();
            if !stratum.again.is_empty() {
                new.extend(stratum.heads.iter().map(|&h| (h, self.rows(h).len())));
            }
            Run { relations: &self.relations, scratch: &mut scratch, new: &[] }.all(&stratum.first);
            self.flush(program, &mut scratch);
            // Rows that are new since the last round, until there are none.
            while scratch.stopped.is_none() && new.iter().any(|&(h, from)| self.rows(h).len() > from) {
                self.refresh(&stratum.indexed);
                let next = new.iter().map(|&(h, _)| (h, self.rows(h).len())).collect();
                let ranges: Vec<(Pred, usize, usize)> =
                    new.iter().map(|&(h, from)| (h, from, self.rows(h).len())).collect();
                Run { relations: &self.relations, scratch: &mut scratch, new: &ranges }.all(&stratum.again);
                self.flush(program, &mut scratch);
                new = next;
            }
            if scratch.stopped.is_some() {
                break;
            }
        }
        if let Some(history) = history {
            self.fill(program, time, history, filled, usize::MAX);
        }
        self.scratch = scratch;
    }

    /// Fills the predicates that look back and are needed by this stratum, from this one on; returns the next. Out of the
    /// way of evaluation, which seldom needs it.
    #[inline(never)]
    fn fill(&mut self, program: &Program, time: i64, history: &mut History, mut next: usize, stratum: usize) -> usize {
        while let Some(fill) = program.lookback.fills.get(next).filter(|f| f.before <= stratum) {
            self.looked_at[next] = history.fill(&program.lookback, fill.from, time, &mut self.relations, &self.repeats);
            next += 1;
        }
        next
    }

    fn refresh(&mut self, indexed: &[Pred]) {
        indexed.iter().for_each(|p| self.relations[p.index()].refresh_indexes());
    }

    fn flush(&mut self, program: &Program, scratch: &mut Scratch) {
        if scratch.is_traced {
            let before = scratch.trace.values.len() as u32;
            let ends = scratch.heads.iter().map(|(_, end)| before + end);
            scratch.trace.fired.extend(scratch.rules.drain(..).zip(ends));
            scratch.trace.values.extend_from_slice(&scratch.values);
        }
        let mut start = 0;
        for &(head, end) in &scratch.heads {
            let (relation, row) = (&mut self.relations[head.index()], &scratch.values[start..end as usize]);
            if program.repeats[head.index()] {
                relation.push(row);
            } else {
                relation.insert(row);
            }
            start = end as usize;
        }
        scratch.heads.clear();
        scratch.values.clear();
    }

    pub(super) fn into_relations(self) -> Vec<Relation> {
        self.relations
    }
}

/// An index has at most this many columns.
pub(super) const MAX_KEY: usize = 4;
