//! The learner: one record of the stream, one search for each fluent.

use super::pool::Pool;
use super::record::{Memory, Record};
use super::search::{Search, Terms};
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
        let (heads, cover) = heads(task, |_| Sights { variables: 1, observed_next: false })?;
        let groups = cover.group_count();
        let record = Record::new(memory, vec![true; groups], cover.target_count(), task.options.interleaved);
        Ok(Replay { heads, cover, record, slots: vec![Vec::new(); groups], penalty: 0.002, threads: 1 })
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
            let pool = Pool::new(&view, direct);
            let t2 = std::time::Instant::now();
            let search = Search {
                view: &view,
                pool: &pool,
                terms: Terms { penalty: self.penalty, direct, threads: self.threads },
            };
            let found = search.climb(Vec::new());
            if verbose {
                eprintln!(
                    "target {target}: states {} classes {} ways {} stretches {} literals {} pool {} starts {} ends {} refused {:?}; f1 {:.4} J {:.4} steps {}; view {:?} pool {:?} search {:?}",
                    self.record.states[group].len(),
                    view.classes,
                    view.ways,
                    view.stretches.len(),
                    view.literals.len(),
                    pool.bodies.len(),
                    pool.starts.len(),
                    pool.ends.len(),
                    pool.refused,
                    found.fit.f1(),
                    found.value,
                    found.steps,
                    t1 - t0,
                    t2 - t1,
                    t2.elapsed()
                );
            }
            for (k, body) in &found.rules {
                let head = kind(*k).unwrap();
                let body = pool.bodies[*body as usize].literals().iter().map(|l| match view.literals[*l as usize] {
                    Lit::Closed(bit) => table.literals()[bit as usize].clone(),
                    Lit::Open { .. } => unreachable!("nothing is measured yet"),
                });
                theory.clauses.push(Clause { head: head.atom.clone(), body: body.collect(), span: Span::default() });
            }
        }
        theory
    }
}
