//! Delta: what one rule more would change, without simulating everything again.
//!
//! Between two runs at which a theory decides, the fluent keeps its state: that is a block. A rule more flips a block from
//! the first run on at which it fires; so each run knows what flipping its block from there on would bring, and a rule is
//! worth the sum over blocks of what its first run in them brings.

use super::objective::Fit;
use super::runs::{Definition, Label, Run, Runs, Track};
use super::simulate::Actions;
use crate::calculus::Precedence;

/// What is no block.
pub(crate) const NO_BLOCK: u32 = u32::MAX;

/// What flipping its block from a run on brings: time points at which the fluent is annotated, and others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flip {
    /// Blocks are numbered in the order of the runs; the runs of a block are neighbours.
    pub(crate) block: u32,
    pub(crate) yes: i64,
    pub(crate) no: i64,
}

impl Flip {
    const NONE: Flip = Flip { block: NO_BLOCK, yes: 0, no: 0 };
}

/// A theory at work, ready for one rule more.
#[derive(Clone, Debug)]
pub(crate) struct Delta {
    pub(crate) fit: Fit,
    /// For each run what a rule would bring there.
    pub(crate) flips: Vec<Flip>,
    /// Whether the rule ends the fluent.
    ends: bool,
    blocks: u32,
}

impl Delta {
    /// For a rule that ends the fluent, or for another one.
    pub(crate) fn new(runs: &Runs, actions: &Actions, definition: Definition, ends: bool) -> Delta {
        let fit = Fit { positives: runs.positives as i64, ..Fit::default() };
        let mut delta = Delta { fit, flips: vec![Flip::NONE; runs.all.len()], ends, blocks: 0 };
        match definition {
            Definition::While => delta.add_classes(runs, actions),
            Definition::Persists => runs.tracks.iter().for_each(|track| delta.add_blocks(runs, actions, track)),
        }
        delta
    }

    /// What holds while a rule is true: all runs of a class are a block, since a rule is true of all of them or of none. It
    /// stands with the first one.
    fn add_classes(&mut self, runs: &Runs, actions: &Actions) {
        let classes = runs.all.iter().map(|run| run.class as usize + 1).max().unwrap_or(0);
        let mut firsts: Vec<Option<usize>> = vec![None; classes];
        for (i, run) in runs.all.iter().enumerate() {
            let (yes, no) = amount(run, i64::from(run.length));
            if actions.starts[i] {
                self.fit.tp += yes;
                self.fit.fp += no;
                continue;
            }
            let first = *firsts[run.class as usize].get_or_insert_with(|| {
                self.flips[i] = Flip { block: self.blocks, yes: 0, no: 0 };
                self.blocks += 1;
                i
            });
            let flip = &mut self.flips[first];
            (flip.yes, flip.no) = (flip.yes + yes, flip.no + no);
        }
    }

    /// What persists: a block goes from after a run that decides up to the first time point of the next one that does.
    fn add_blocks(&mut self, runs: &Runs, actions: &Actions, track: &Track) {
        let (own, mut state) = (track.first as usize..track.end as usize, track.holds);
        // The run that opened the block, if one did, and the first one after it.
        let (mut opener, mut open) = (None, own.start);
        for i in own.clone() {
            if !actions.starts[i] && !actions.ends[i] {
                continue;
            }
            self.close(runs, state, (opener, open..i), amount(&runs.all[i], 1));
            // The run itself decides, whatever was before it.
            let then = runs.both.next(false, actions.starts[i], actions.ends[i]);
            let rest = amount(&runs.all[i], i64::from(runs.all[i].length) - 1);
            self.fit.tp += i64::from(then) * rest.0;
            self.fit.fp += i64::from(then) * rest.1;
            // A run that does the one would do the other with a rule more that wins.
            let loses = match runs.both {
                Precedence::Start => !then,
                Precedence::End => then,
            };
            (state, opener, open) = (then, loses.then_some(i), i + 1);
        }
        self.close(runs, state, (opener, open..own.end), (0, 0));
    }

    /// A block in a state, with what the first time point after it brings.
    fn close(
        &mut self,
        runs: &Runs,
        state: bool,
        (opener, block): (Option<usize>, std::ops::Range<usize>),
        (mut yes, mut no): (i64, i64),
    ) {
        let number = self.blocks;
        self.blocks += 1;
        let wanted = state == self.ends;
        if !wanted && !state {
            return;
        }
        // From the end backwards: firing acts from the second time point of a run on.
        let mut flip = |i: usize, yes: &mut i64, no: &mut i64| {
            let length = i64::from(runs.all[i].length);
            let rest = amount(&runs.all[i], length - 1);
            if wanted {
                self.flips[i] = Flip { block: number, yes: *yes + rest.0, no: *no + rest.1 };
            }
            let all = amount(&runs.all[i], length);
            *yes += all.0;
            *no += all.1;
        };
        for i in block.rev() {
            flip(i, &mut yes, &mut no);
        }
        if state {
            (self.fit.tp, self.fit.fp) = (self.fit.tp + yes, self.fit.fp + no);
        }
        if let Some(opener) = opener {
            flip(opener, &mut yes, &mut no);
        }
    }
}

/// So many time points of a run: with the fluent annotated, and without.
pub(super) fn amount(run: &Run, length: i64) -> (i64, i64) {
    match run.label {
        Label::Yes => (length, 0),
        Label::No => (0, length),
        Label::Unknown | Label::Turning => (0, 0),
    }
}
