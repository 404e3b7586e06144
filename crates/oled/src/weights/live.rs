//! Live: what is recognised with weights so many time points late, for streams that do not end.
//!
//! What is best at a time point depends on what comes later, but soon hardly any more: after a gap in which nothing fires, the
//! best ways to all states have met. So each time point is decided when so many others have come after it, and forgotten.

use super::chains::{Chain, FluentChains, Run};
use super::firing::Firing;
use super::recognised::{Before, Confidence, Decision};
use super::weight::Weights;
use crate::calculus::{End, Interval};
use crate::lang::Symbol;
use crate::logic::Stop;
use crate::stream::Frame;

/// Recognises with weights, so many time points late. Memory is that of the instances that are looked at, for as long as the
/// delay.
#[derive(Clone, Debug)]
pub struct Live {
    firing: Firing,
    weights: Weights,
    decision: Decision,
    lag: usize,
    /// For each fluent and chain what is known of the time before its steps.
    windows: Vec<Vec<Window>>,
}

/// What is known of a chain before the steps that it has.
#[derive(Clone, Debug)]
struct Window {
    before: Before,
    /// The intervals that have begun, by state: their first and last time point, and how probable they were at how many.
    open: Vec<Option<Open>>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    first: i64,
    last: i64,
    sum: f64,
    weakest: f64,
    count: u64,
}

impl Live {
    /// What a theory with weights recognises, decided after so many time points.
    pub fn new(firing: Firing, weights: Weights, decision: Decision, lag: usize) -> Live {
        let windows = vec![Vec::new(); weights.fluents.len()];
        Live { firing, weights, decision, lag, windows }
    }

    /// Why not everything was derived that follows from the frame observed last, if it was not.
    pub fn stop(&self) -> Option<&Stop> {
        self.firing.stop()
    }

    /// Takes a frame. Intervals that are known to have ended are added, with how sure they are.
    pub fn observe(&mut self, frame: &Frame, closed: &mut Vec<(Interval, Confidence)>) {
        if self.firing.ends_with(frame) {
            self.finish(closed);
        }
        self.firing.observe(frame);
        for f in 0..self.windows.len() {
            self.decide(f, frame.segment, closed);
        }
        self.forget(frame.segment);
    }

    /// Ends all segments.
    pub fn finish(&mut self, closed: &mut Vec<(Interval, Confidence)>) {
        for f in 0..self.windows.len() {
            for chain in 0..self.windows[f].len() {
                self.commit(f, chain, usize::MAX, Some(End::Segment), closed);
            }
            self.windows[f].clear();
        }
        self.firing.take();
    }

    /// Decides what has been so long ago, and what has ended.
    fn decide(&mut self, f: usize, segment: Symbol, closed: &mut Vec<(Interval, Confidence)>) {
        let own = &self.firing.fluents()[f];
        let new = || Window { before: Before::nothing(own.states()), open: vec![None; own.states()] };
        self.windows[f].resize_with(own.chains.len(), new);
        let is_open = self.firing.open(f);
        for (chain, is_open) in is_open.iter().enumerate() {
            let own = &self.firing.fluents()[f].chains[chain];
            let steps = own.steps();
            if !is_open {
                self.commit(f, chain, usize::MAX, Some(End::Lost), closed);
            } else if own.segment == segment && steps >= 2 * self.lag.max(1) {
                // Twice the delay, so that each time point is looked at twice on average.
                self.commit(f, chain, steps - self.lag, None, closed);
            }
        }
        if is_open.contains(&false) {
            let mut kept = is_open.iter();
            self.windows[f].retain(|_| *kept.next().unwrap_or(&true));
            self.firing.forget_ended(f);
        }
    }

    /// Decides so many steps of a chain; with an end, all there are, and what holds then ends.
    fn commit(
        &mut self,
        f: usize,
        chain: usize,
        steps: usize,
        end: Option<End>,
        closed: &mut Vec<(Interval, Confidence)>,
    ) {
        let Live { firing, weights, decision, windows, .. } = self;
        let (fluent, weights, window) = (&firing.fluents()[f], &weights.fluents[f], &mut windows[f][chain]);
        let own = &fluent.chains[chain];
        let scores = fluent.scores(weights);
        let before = window.before.clone().extended(fluent.states());
        window.open.resize(fluent.states(), None);
        let (probable, held) = fluent.recognise(weights, &scores, &own.runs, *decision, &before);
        let steps = steps.min(own.steps());
        let times = firing.times(own.segment);
        for state in 1..fluent.states() {
            // What goes on from before ends where it does not hold from the first step on.
            let goes_on = held.iter().any(|held| held.state == state && held.first == 0) || steps == 0;
            if !goes_on {
                closed.extend(window.close(fluent, own, state, End::Terminated));
            }
        }
        for held in held.iter().filter(|held| held.first < steps) {
            for step in held.first..held.end.min(steps) {
                let probable = fluent.probability(&probable, step, held.state);
                let open = window.open[held.state].get_or_insert_with(|| Open::new(times[own.first + step]));
                open.add(times[own.first + step], probable);
            }
            if held.end < steps {
                closed.extend(window.close(fluent, own, held.state, End::Terminated));
            }
        }
        if let Some(end) = end {
            for state in 1..fluent.states() {
                closed.extend(window.close(fluent, own, state, end));
            }
            return;
        }
        window.before = fluent.after(weights, &scores, &first_steps(&own.runs, steps), before);
        firing.drop_steps(f, chain, steps);
    }

    /// Forgets time points that no chain speaks of any more.
    fn forget(&mut self, segment: Symbol) {
        let last = self.firing.times(segment).len().saturating_sub(1);
        let chains = self.firing.fluents().iter().flat_map(|fluent| &fluent.chains);
        let first = chains.filter(|c| c.segment == segment).map(|c| c.first).fold(last, usize::min);
        // Now and then, and not at each time point.
        if first > self.lag.max(64) {
            self.firing.forget_times(segment, first);
        }
    }
}

/// The first so many steps.
fn first_steps(runs: &[Run], mut steps: usize) -> Vec<Run> {
    let mut first = Vec::new();
    for run in runs {
        let length = steps.min(run.length as usize);
        if length > 0 {
            first.push(Run { length: length as u32, ..*run });
        }
        steps -= length;
    }
    first
}

impl Open {
    fn new(time: i64) -> Open {
        Open { first: time, last: time, sum: 0.0, weakest: 1.0, count: 0 }
    }

    fn add(&mut self, time: i64, probable: f64) {
        self.last = time;
        self.sum += probable;
        self.weakest = self.weakest.min(probable);
        self.count += 1;
    }
}

impl Window {
    fn close(
        &mut self,
        fluent: &FluentChains,
        chain: &Chain,
        state: usize,
        end: End,
    ) -> Option<(Interval, Confidence)> {
        let Open { first, last, sum, weakest, count } = self.open[state].take()?;
        let (segment, values) = (chain.segment, fluent.joined(&chain.values, state));
        let interval = Interval { segment, signature: fluent.label, values, first, last, end };
        Some((interval, Confidence { mean: sum / count as f64, weakest }))
    }
}
