//! The rules at work: those of the last search, which is made anew when enough of the record is new.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Replay;
use super::searches::rules_of;
use crate::event::{Event, EventKind, Observer};
use crate::lang::{Clause, Symbol, Theory};

/// A rule of the theory as of the last search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ActiveRule {
    pub(super) head: usize,
    pub(super) number: u64,
    pub(super) clause: Clause,
}

/// Rules at work are looked at anew when this share of the runs is new, but not for fewer than so many.
const NEW_SHARE: u64 = 8;
const NEW_RUNS: u64 = 64;

impl Replay {
    /// Whether enough has changed since the last search.
    pub(super) fn is_due(&self) -> bool {
        let new = self.record.added() - self.searched;
        new >= NEW_RUNS.max(self.record.runs() as u64 / NEW_SHARE)
    }

    /// Searches for the rules at work, near those of the last search if that is enough.
    pub(super) fn update(&mut self, observer: &mut dyn Observer) {
        self.record.settle();
        let added = self.record.added();
        let doubled = added >= self.searched_all + (self.record.runs() as u64 / 2).max(NEW_RUNS);
        let again = || self.outcomes(Some(&rules_of(&self.last)), |target, search| search.again(&self.last[target]));
        let outcomes = if self.last.is_empty() || doubled {
            self.searched_all = added;
            self.search_all(false)
        } else {
            again()
        };
        self.searched = added;
        self.last = outcomes;
        self.activate(observer);
    }

    /// Tells what has changed, and numbers the rules.
    fn activate(&mut self, observer: &mut dyn Observer) {
        let mut now = Vec::new();
        for (target, outcome) in self.last.iter().enumerate() {
            for rule in &outcome.rules {
                let head = self.head_of(target, rule.kind);
                now.push((head, self.clause(target, rule), outcome.value));
            }
        }
        let interpretation = self.record.frames();
        let heads = &self.heads;
        let mut tell = |process: usize, rule, what| {
            let head = heads[process].atom.clone();
            observer.on(&Event { interpretation, process, head, rule, what });
        };
        for old in &self.active_rules {
            if !now.iter().any(|(head, clause, _)| (*head, clause) == (old.head, &old.clause)) {
                let value = self.last[self.heads[old.head].target].value;
                tell(old.head, old.number, EventKind::Dropped { clause: old.clause.clone(), value });
            }
        }
        for (target, outcome) in self.last.iter().enumerate() {
            if let Some((limit, most, what)) =
                self.at_a_limit(target, outcome).filter(|_| !self.limit_hits.contains(&target))
            {
                self.limit_hits.push(target);
                let head = self.heads.iter().position(|h| h.target == target).expect("a target has a head");
                tell(head, 0, EventKind::Limited { limit: Symbol::new(limit), most, what });
            }
        }
        let mut active_rules = Vec::new();
        for (head, clause, value) in now {
            let known = &mut self.numbered[head];
            let number = known.iter().position(|c| *c == clause).unwrap_or_else(|| {
                known.push(clause.clone());
                known.len() - 1
            }) as u64
                + 1;
            let rule = ActiveRule { head, number, clause };
            if !self.active_rules.contains(&rule) {
                tell(head, number, EventKind::Chosen { clause: rule.clause.clone(), value });
            }
            active_rules.push(rule);
        }
        if active_rules != self.active_rules {
            self.active_rules = active_rules;
            self.theory = Arc::new(self.active_rules());
        }
    }

    /// The rules at work, as a theory.
    pub(super) fn active_rules(&self) -> Theory {
        self.active_rules.iter().map(|rule| rule.clause.clone()).collect()
    }
}
