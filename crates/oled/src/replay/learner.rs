//! The learner: one record of the stream, one search for each fluent.

use super::quest::Quest;
use super::record::{Memory, Record};
use super::search::Terms;
use super::view::{Aspect, Lit, Slot, View};
use crate::induce::RuleKind;
use crate::lang::{Clause, Problems, Span, Theory};
use crate::learn::{Cover, Head, Sights, heads};
use crate::stream::Frame;
use crate::task::Task;

/// Learns event definitions by replay.
#[derive(Clone, Debug)]
pub struct Replay {
    heads: Vec<Head>,
    cover: Cover,
    record: Record,
    slots: Vec<Vec<Slot>>,
    pub penalty: f64,
    pub threads: usize,
}

impl Replay {
    /// A learner for the heads of a task.
    pub fn new(task: &Task, memory: Memory) -> Result<Replay, Problems> {
        let (heads, cover) = heads(task, true, |_| Sights { variables: 1, observed_next: false })?;
        let groups = cover.group_count();
        let record = Record::new(memory, vec![true; groups], cover.target_count(), task.options.interleaved);
        let slots = (0..groups)
            .map(|g| {
                let slot = |g: &crate::learn::Gauge| Slot {
                    grid: g.grid,
                    looser: g.looser,
                    negated: g.negated,
                    attribute: g.attribute as u16,
                };
                cover.gauges(g).iter().map(slot).collect()
            })
            .collect();
        Ok(Replay { heads, cover, record, slots, penalty: 0.002, threads: 1 })
    }

    /// Adds a frame to the record.
    pub fn observe(&mut self, frame: &Frame) {
        let sight = self.cover.sight(frame);
        self.record.observe(&sight);
    }

    /// The record.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Searches.
    pub fn theory(&self) -> Theory {
        let mut theory = Theory::default();
        let verbose = std::env::var("V").is_ok();
        for target in 0..self.cover.target_count() {
            let group = self.cover.group(target);
            let place = (0..target).filter(|t| self.cover.group(*t) == group).count();
            let table = self.cover.table(target);
            let aspect = Aspect { table, slots: &self.slots[group], group, target, place };
            let pieces = self.record.pieces();
            let t0 = std::time::Instant::now();
            let view = View::new(&self.record, &pieces, aspect);
            let t1 = std::time::Instant::now();
            let kind = |kind| self.heads.iter().find(|h| h.target == target && h.kind == kind);
            let direct = kind(RuleKind::Direct).is_some();
            let terms = Terms { penalty: self.penalty, direct, threads: self.threads };
            let quest = Quest { record: &self.record, pieces: &pieces, aspect, terms };
            let found = quest.full();
            let t2 = std::time::Instant::now();
            let again = quest.again(&found);
            if verbose {
                eprintln!(
                    "target {target}: states {} runs {} classes {} ways {} stretches {} literals {} {:?}; f1 {:.4} J {:.4}; view {:?} full {:?} again {:?} {:.4} near {}",
                    self.record.states[group].len(),
                    self.record.runs(),
                    view.classes,
                    view.ways,
                    view.stretches.len(),
                    view.literals.len(),
                    found.seen,
                    found.fit.f1(),
                    found.value,
                    t1 - t0,
                    t2 - t1,
                    t2.elapsed(),
                    again.value,
                    found.shortlist.len()
                );
            }
            for rule in &found.rules {
                let head = kind(rule.kind).unwrap();
                let body = rule.body.iter().map(|l| match *l {
                    Lit::Closed(bit) => table.literals()[bit as usize].clone(),
                    Lit::Open { slot, threshold } => {
                        let value = self.slots[group][slot as usize].grid.value(threshold);
                        table.open_literal(slot as usize, value, self.cover.measures())
                    }
                });
                theory.clauses.push(Clause { head: head.atom.clone(), body: body.collect(), span: Span::default() });
            }
        }
        theory
    }
}
