//! Closed: what a theory recognises of an equivalence: the pairs of a segment together, closed at each time point, as
//! recognition closes them.
//!
//! Between two time points at which anything changes of what rules do, or of who is there, a theory does the same to every
//! pair. Then nothing changes after the first of these time points: what it starts and what it does not end holds at all of them, and
//! so does what these connect; the pairs that are only connected add nothing to that.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::runs::{Definition, Runs};
use super::simulate::Actions;
use crate::lang::Value;

/// Whom a track is about, and when it begins, by the time points of its segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) values: [Value; 2],
    pub(crate) start: u64,
}

/// Calls a function with each track, a run of it, so many time points of that, and whether the fluent is recognised there: in
/// the order of time for each track.
pub(crate) fn for_each(
    runs: &Runs,
    actions: &Actions,
    definition: Definition,
    mut each: impl FnMut(usize, usize, u64, bool),
) {
    let mut first = 0;
    while let Some(track) = runs.tracks.get(first) {
        let count = runs.tracks[first..].iter().take_while(|t| t.segment == track.segment).count();
        of_segment(runs, first..first + count, actions, definition, &mut each);
        first += count;
    }
}

/// A track at a time point.
struct At {
    track: usize,
    /// The run, and how many time points are left of it.
    run: usize,
    left: u64,
    holds: bool,
}

fn of_segment(
    runs: &Runs,
    tracks: std::ops::Range<usize>,
    actions: &Actions,
    definition: Definition,
    each: &mut impl FnMut(usize, usize, u64, bool),
) {
    let mut waiting: Vec<usize> = tracks.collect();
    waiting.sort_by_key(|track| runs.pairs[*track].start);
    let mut waiting = waiting.into_iter().peekable();
    let mut here: Vec<At> = Vec::new();
    let mut groups = Groups::default();
    let mut time = waiting.peek().map_or(0, |track| runs.pairs[*track].start);
    loop {
        while let Some(track) = waiting.next_if(|track| runs.pairs[*track].start <= time) {
            let run = runs.tracks[track].first as usize;
            here.push(At { track, run, left: u64::from(runs.all[run].length), holds: runs.tracks[track].holds });
        }
        let Some(next) = waiting.peek().map(|track| runs.pairs[*track].start) else {
            if here.is_empty() {
                return;
            }
            let length = here.iter().map(|at| at.left).min().unwrap_or(0);
            constant_part(runs, &mut here, actions, definition, length, &mut groups, each);
            time += length;
            continue;
        };
        if here.is_empty() {
            time = next;
            continue;
        }
        let length = here.iter().map(|at| at.left).min().unwrap_or(0).min(next - time);
        constant_part(runs, &mut here, actions, definition, length, &mut groups, each);
        time += length;
    }
}

/// Goes on for so many time points, at which a theory does the same to each pair, and leaves out those that end there.
fn constant_part(
    runs: &Runs,
    here: &mut Vec<At>,
    actions: &Actions,
    definition: Definition,
    length: u64,
    groups: &mut Groups,
    each: &mut impl FnMut(usize, usize, u64, bool),
) {
    if definition == Definition::While {
        here.iter_mut().for_each(|at| at.holds = actions.starts[at.run]);
    }
    groups.close(runs, here);
    let parts = if definition == Definition::While { [length, 0] } else { [1, length - 1] };
    for (part, more) in parts.into_iter().zip([true, false]) {
        if part > 0 {
            here.iter().for_each(|at| each(at.track, at.run, part, at.holds));
        }
        if definition == Definition::Persists && (more || part > 0) {
            for at in &mut *here {
                at.holds = runs.both.next(at.holds, actions.starts[at.run], actions.ends[at.run]);
            }
            if more && length > 1 {
                groups.close(runs, here);
            }
        }
    }
    here.retain_mut(|at| {
        at.left -= length;
        if at.left == 0 {
            at.run += 1;
            if at.run == runs.tracks[at.track].end as usize {
                return false;
            }
            at.left = u64::from(runs.all[at.run].length);
        }
        true
    });
}

/// Who is connected, by numbers that are kept from one time point to the next.
#[derive(Default)]
struct Groups {
    numbers: IndexMap<Value, usize, FxBuildHasher>,
    parents: Vec<usize>,
}

impl Groups {
    /// Lets all pairs hold that others connect.
    fn close(&mut self, runs: &Runs, here: &mut [At]) {
        self.parents.iter_mut().enumerate().for_each(|(number, parent)| *parent = number);
        for at in here.iter().filter(|at| at.holds) {
            let [one, other] = self.ends(runs, at);
            self.parents[other] = one;
        }
        for at in here.iter_mut().filter(|at| !at.holds) {
            let [one, other] = self.ends(runs, at);
            at.holds = one == other;
        }
    }

    /// What stands for the groups of the two of a pair.
    fn ends(&mut self, runs: &Runs, at: &At) -> [usize; 2] {
        runs.pairs[at.track].values.map(|value| {
            let count = self.parents.len();
            let number = *self.numbers.entry(value).or_insert(count);
            if number == count {
                self.parents.push(count);
            }
            let mut root = number;
            while self.parents[root] != root {
                self.parents[root] = self.parents[self.parents[root]];
                root = self.parents[root];
            }
            root
        })
    }
}
