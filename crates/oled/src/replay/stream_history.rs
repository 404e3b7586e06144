//! The history of a stream: all of it as runs, for learners that look at everything at once.

use super::layout::Layout;
use super::record::Record;
use super::retention::Memory;
use super::track::Run;
use crate::calculus::Precedence;
use crate::induce::{LiteralTable, Mask, RuleKind};
use crate::lang::{Clause, Problems, Symbol};
use crate::learn::{Firings, Head, InstanceOptions, Propositionaliser, Snapshot, heads, prefer_persisting};
use crate::stream::Frame;
use crate::task::Task;

/// A stream that is remembered as a whole: what was true and annotated of each fluent instance, run by run.
#[derive(Clone, Debug)]
pub struct StreamHistory {
    heads: Vec<Head>,
    propositionaliser: Propositionaliser,
    snapshot: Snapshot,
    record: Record,
    /// For each target its place among those of its group.
    places: Vec<usize>,
}

/// What was true and annotated of a fluent instance, for as long as its arguments were observed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceHistory {
    /// The segment.
    pub segment: Symbol,
    /// Whether the background says that the fluent holds at the first time point.
    pub holds: bool,
    /// One after the other.
    pub steps: Vec<Step>,
}

/// Time points at which the same is true and annotated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The literals that are true: several sets where variables can be chosen in several ways.
    pub truths: Vec<Mask>,
    /// Time points.
    pub length: u32,
    /// Whether the fluent is annotated; `None` where nothing is known.
    pub label: Option<bool>,
}

impl StreamHistory {
    /// Which wins where a fluent is started and ended at the same time point.
    pub fn precedence(&self) -> Precedence {
        self.propositionaliser.precedence()
    }

    /// An empty one, for the heads of a task with listed thresholds.
    pub fn new(task: &Task) -> Result<StreamHistory, Problems> {
        let (mut heads, propositionaliser) =
            heads(task, false, |_| InstanceOptions { variables: 1, observed_next: false })?;
        prefer_persisting(&mut heads);
        let count = propositionaliser.target_count();
        let groups: Vec<usize> = (0..count).map(|target| propositionaliser.group(target)).collect();
        let places = (0..count).map(|t| groups[..t].iter().filter(|g| **g == groups[t]).count()).collect();
        let memory = Memory { runs: usize::MAX, ..Memory::default() };
        let losses = propositionaliser.losses();
        // Listed thresholds are not measured.
        let slots = vec![Vec::new(); losses.len()];
        let layouts = (0..losses.len()).map(|group| Layout::new(propositionaliser.words(group), 0)).collect();
        let record = Record::new(memory, (slots, layouts), losses, count, task.options.interleaved);
        Ok(StreamHistory { heads, propositionaliser, snapshot: Snapshot::default(), record, places })
    }

    /// Adds a time point.
    pub fn observe(&mut self, frame: &Frame) {
        _ = self.propositionaliser.observe_into(frame, &mut self.snapshot);
        self.record.observe(frame.segment, &self.snapshot, 1);
    }

    /// Time points so far.
    pub fn frames(&self) -> u64 {
        self.record.frames()
    }

    /// The heads that rules are learned for.
    pub fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// How many fluents and predicates there are to be learned.
    pub fn targets(&self) -> usize {
        self.places.len()
    }

    /// The number of a head, by its target and what its rules do.
    pub fn head(&self, target: usize, kind: RuleKind) -> Option<usize> {
        self.heads.iter().position(|h| h.target == target && h.kind == kind)
    }

    /// The literals that the rules of a target are made of.
    pub fn table(&self, target: usize) -> &LiteralTable {
        self.propositionaliser.table(target)
    }

    /// The rule of a head with these literals.
    pub fn clause(&self, head: usize, body: &Mask) -> Clause {
        let head = &self.heads[head];
        self.propositionaliser.clause(head, self.table(head.target).body(body))
    }

    /// Everything that is remembered of a target's instances.
    pub fn histories(&self, target: usize) -> Vec<InstanceHistory> {
        let (group, place) = (self.propositionaliser.group(target), self.places[target]);
        let (literals, layout) = (self.table(target).len(), self.record.layouts[group]);
        let (mut histories, mut side_by_side) = (Vec::new(), Vec::new());
        for segment in self.record.segments(&mut side_by_side) {
            for history in &segment.groups[group] {
                let step = |run: Run| Step {
                    truths: truths(&self.record.states[group][run.state as usize], layout, literals),
                    length: run.length,
                    label: match run.labels >> (2 * place) & 3 {
                        0 => Some(false),
                        1 => Some(true),
                        _ => None,
                    },
                };
                let (steps, holds) = (history.runs().map(step).collect(), history.initial >> place & 1 == 1);
                histories.push(InstanceHistory { segment: segment.name, holds, steps });
            }
        }
        histories
    }
}

impl InstanceHistory {
    /// Where a rule fires rightly and wrongly, by what is annotated next; of an ordinary predicate, by what is annotated
    /// then.
    pub fn fired(&self, kind: RuleKind, body: &Mask) -> Firings {
        let mut fired = Firings::default();
        for (i, step) in self.steps.iter().enumerate() {
            if !step.truths.iter().any(|truth| body.fires_on(truth)) {
                continue;
            }
            let next = self.steps.get(i + 1).and_then(|s| s.label);
            let said = kind != RuleKind::Termination;
            let points = if kind == RuleKind::Observed {
                [(step.label, step.length), (None, 0)]
            } else {
                [(step.label, step.length - 1), (next, 1)]
            };
            for (label, times) in points {
                match label {
                    Some(label) if label == said => fired.right += u64::from(times),
                    Some(_) => fired.wrong += u64::from(times),
                    None => {}
                }
            }
        }
        fired
    }
}

/// The sets of literals of a state, which are so many, without those sets that are part of another.
fn truths(state: &[u64], layout: Layout, literals: usize) -> Vec<Mask> {
    let mut kept: Vec<Mask> = Vec::new();
    for words in state.chunks_exact(layout.stride()) {
        let mut truth = layout.mask(words);
        truth.truncate(literals);
        if !kept.iter().any(|k| truth.fires_on(k)) {
            kept.retain(|k| !k.fires_on(&truth));
            kept.push(truth);
        }
    }
    kept.sort_unstable();
    kept
}
