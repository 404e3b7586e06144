//! Occurrences: all time points at which rows were true, for `within`.

use std::collections::VecDeque;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::Run;
use crate::lang::Value;
use crate::logic::program::Pred;
use crate::logic::relation::Relation;

/// A predicate whose occurrences are known, and the predicates that ask for them: each between so many time units ago.
#[derive(Clone, Debug)]
pub(crate) struct Occurring {
    pub(crate) base: Pred,
    pub(crate) asked: Vec<(Pred, i64, i64)>,
}

impl Occurring {
    /// How far back anybody asks.
    pub(super) fn reach(&self) -> i64 {
        self.asked.iter().map(|(_, _, far)| *far).max().unwrap_or(0)
    }
}

/// The runs of time points at which each row was true, oldest first. None has ended before anybody asks for it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Occurrences {
    rows: IndexMap<Box<[Value]>, VecDeque<Run>, FxBuildHasher>,
}

impl Occurrences {
    /// Adds the rows that are true now; `before` is the time point before.
    pub(super) fn add(&mut self, occurring: &Occurring, time: i64, before: Option<i64>, relations: &[Relation]) {
        let oldest = time.saturating_sub(occurring.reach());
        for row in relations[occurring.base.index()].rows() {
            let runs = match self.rows.get_mut(row) {
                Some(runs) => runs,
                None => self.rows.entry(row.into()).or_default(),
            };
            match runs.back_mut() {
                // This time point was interrupted, and begins again.
                Some(run) if run.last == time => {}
                Some(run) if Some(run.last) == before => run.last = time,
                _ => runs.push_back(Run { first: time, last: time }),
            }
        }
        self.rows.retain(|_, runs| {
            while runs.front().is_some_and(|run| run.last < oldest) {
                runs.pop_front();
            }
            !runs.is_empty()
        });
    }

    /// Gives each predicate that asks the rows that were true then, each with how long ago that was last; `times` are the
    /// time points.
    pub(super) fn fill(
        &self,
        occurring: &Occurring,
        time: i64,
        times: &VecDeque<i64>,
        row: &mut Vec<Value>,
        relations: &mut [Relation],
    ) {
        for &(pred, near, far) in &occurring.asked {
            let (first, last) = (time.saturating_sub(far), time.saturating_sub(near));
            for (values, runs) in &self.rows {
                let found = runs.iter().rev().skip_while(|run| run.first > last).take_while(|run| run.last >= first);
                // A run goes over all time points between its ends, and over nothing else.
                let then = found.into_iter().find_map(|run| {
                    let at = times.partition_point(|t| *t <= run.last.min(last)).checked_sub(1)?;
                    times.get(at).copied().filter(|t| *t >= run.first.max(first))
                });
                if let Some(then) = then {
                    row.clear();
                    row.extend_from_slice(values);
                    row.push(Value::Int(time.saturating_sub(then)));
                    relations[pred.index()].insert(row);
                }
            }
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.values().map(VecDeque::len).sum()
    }

    /// Whether rows have this many values.
    pub(super) fn has_width(&self, width: usize) -> bool {
        self.rows.keys().all(|row| row.len() == width)
    }
}
