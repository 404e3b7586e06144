//! Related: what is told of whole intervals, where these are recognised with weights: as sure as the less sure one of the two.

use super::layered::Recognition;
use super::recognised::Confidence;
use crate::calculus::Interval;
use crate::lang::{Durations, Related, Signature, Symbol, Theory, same_fluent};
use crate::relate::{Relations, Sure};
use crate::task::Task;

/// Rules about intervals at work on those that weights recognise.
#[derive(Clone, Debug)]
pub struct Relating {
    relations: Relations,
    durations: Durations,
}

impl Relating {
    /// The rules of a task and a theory.
    pub fn new(task: &Task, theory: &Theory) -> Relating {
        let (horizon, durations) = (task.bias.horizon.unwrap_or(0), task.bias.durations());
        let related = task.related(theory);
        Relating { relations: Relations::new(&related, horizon, task.bias.symmetries(), durations.clone()), durations }
    }

    /// Adds what follows from the intervals after the first ones. Those that are too short to be reported are not related.
    pub fn follow(&mut self, intervals: &mut Vec<(Interval, Confidence)>, first: usize) {
        if self.relations.is_empty() {
            return;
        }
        for at in first..intervals.len() {
            let (interval, Confidence { mean, weakest }) = &intervals[at];
            if interval.is_short(&self.durations) {
                continue;
            }
            let told = self.relations.follow_sure(interval, Sure { mean: *mean, weakest: *weakest });
            intervals.extend(told.into_iter().map(|told| {
                let Sure { mean, weakest } = told.sure;
                (told.interval, Confidence { mean, weakest })
            }));
        }
    }

    /// Forgets what nothing can be related to any more, when all is known that was over before a time.
    pub fn forget(&mut self, segment: Symbol, time: i64) {
        self.relations.forget(segment, time);
    }

    /// Forgets all segments but one.
    pub fn keep_only(&mut self, segment: Option<Symbol>) {
        self.relations.keep_only(segment);
    }
}

/// The rules about intervals that tell nothing where only these fluents have weights: they need the intervals of others.
pub fn untold<'r>(related: &[&'r Related], fluents: &[Signature]) -> Vec<&'r Related> {
    let is_told = |atom| related.iter().any(|rule| same_fluent(&rule.head, atom));
    let mut untold: Vec<&Related> = Vec::new();
    loop {
        let lacks = |rule: &&&'r Related| {
            let known = |atom| fluents.contains(&Signature::of(atom)) || is_told(atom);
            let without = |atom| untold.iter().any(|other| same_fluent(&other.head, atom));
            rule.of.fluents().any(|atom| !known(atom) || without(atom))
        };
        let more: Vec<&Related> = related.iter().filter(lacks).filter(|rule| !untold.contains(rule)).copied().collect();
        if more.is_empty() {
            return untold;
        }
        untold.extend(more);
    }
}

impl Recognition {
    /// Adds what is told of whole intervals.
    pub fn relate(&mut self, task: &Task, theory: &Theory) {
        let own = self.intervals.len();
        Relating::new(task, theory).follow(&mut self.intervals, 0);
        for (interval, _) in &self.intervals[own..] {
            self.timetable.add(&self.chains.times[&interval.segment], interval);
        }
    }
}
