//! Simulate: what a theory recognises, run by run, with nothing but its own state carried on.

use super::classes::{Classes, Condition};
use super::closed;
use super::objective::{Balance, Fit};
use super::runs::{Definition, Label, Run, Runs, Track};
use crate::induce::RuleKind;

/// What a theory does at each run: it starts the fluent, or says that it holds; it ends it.
#[derive(Clone, Debug)]
pub(crate) struct Actions {
    pub(crate) starts: Vec<bool>,
    pub(crate) ends: Vec<bool>,
}

impl Actions {
    /// What the background does by itself.
    pub(crate) fn given(classes: &Classes, runs: &Runs) -> Actions {
        Actions::by_class(runs, &classes.starts, &classes.ends)
    }

    /// What is done in each class.
    pub(crate) fn by_class(runs: &Runs, starts: &[bool], ends: &[bool]) -> Actions {
        let at = |set: &[bool]| runs.all.iter().map(|run| set[run.class as usize]).collect();
        Actions { starts: at(starts), ends: at(ends) }
    }

    /// With a rule more.
    pub(crate) fn add(&mut self, classes: &Classes, runs: &Runs, kind: RuleKind, body: &[Condition]) {
        let cover = classes.cover(body);
        let set = if kind == RuleKind::Termination { &mut self.ends } else { &mut self.starts };
        set.iter_mut().zip(&runs.all).for_each(|(fires, run)| *fires |= cover[run.class as usize]);
    }
}

/// How well actions fit, each instance by itself, as the search looks at them.
pub(crate) fn fit(runs: &Runs, actions: &Actions, definition: Definition) -> Fit {
    let mut fit = Fit { positives: runs.positives as i64, ..Fit::default() };
    for track in &runs.tracks {
        for_each_run(runs, track, actions, definition, |_, run, time| match run.label {
            Label::Yes => fit.tp += time,
            Label::No => fit.fp += time,
            Label::Unknown | Label::Turning => {}
        });
    }
    fit
}

/// How well actions fit, those of an equivalence together, with what the errors in each segment count for.
pub(crate) fn fit_by_segment(
    runs: &Runs,
    actions: &Actions,
    definition: Definition,
    balance: Balance,
) -> (Fit, Vec<f64>) {
    let mut fit = Fit { positives: runs.positives as i64, ..Fit::default() };
    let mut errors = vec![[0, 0]; runs.segments];
    let mut count = |track: &Track, label: Label, time: i64, length: i64| match label {
        Label::Yes => {
            fit.tp += time;
            errors[track.segment as usize][1] += length - time;
        }
        Label::No => {
            fit.fp += time;
            errors[track.segment as usize][0] += time;
        }
        Label::Unknown | Label::Turning => {}
    };
    if runs.pairs.is_empty() {
        for track in &runs.tracks {
            for_each_run(runs, track, actions, definition, |_, run, time| {
                count(track, run.label, time, i64::from(run.length));
            });
        }
    } else {
        closed::for_each(runs, actions, definition, |track, run, length, holds| {
            let length = length as i64;
            count(&runs.tracks[track], runs.all[run].label, i64::from(holds) * length, length);
        });
    }
    let counted =
        |[false_alarms, misses]: [i64; 2]| balance.false_alarm * false_alarms as f64 + balance.miss * misses as f64;
    (fit, errors.into_iter().map(counted).collect())
}

/// Calls a function with each run of a track and the time points of it at which the fluent is recognised: all of them, none,
/// or, since what persists changes after the first time point, the first one or all others.
fn for_each_run(
    runs: &Runs,
    track: &Track,
    actions: &Actions,
    definition: Definition,
    mut each: impl FnMut(usize, &Run, i64),
) {
    let mut state = track.holds;
    for i in track.first as usize..track.end as usize {
        let (run, start) = (&runs.all[i], actions.starts[i]);
        let length = i64::from(run.length);
        if definition == Definition::While {
            each(i, run, i64::from(start) * length);
            continue;
        }
        let then = runs.both.next(state, start, actions.ends[i]);
        each(i, run, i64::from(state) + i64::from(then) * (length - 1));
        state = then;
    }
}

/// When an equivalence is recognised in each track, as spans of time points from its first one on.
pub(crate) fn closed_spans(runs: &Runs, actions: &Actions, definition: Definition) -> Vec<Vec<(u64, u64)>> {
    let mut spans: Vec<Vec<(u64, u64)>> = vec![Vec::new(); runs.tracks.len()];
    let mut times = vec![0; runs.tracks.len()];
    closed::for_each(runs, actions, definition, |track, _, length, holds| {
        let from = times[track];
        times[track] += length;
        match spans[track].last_mut() {
            _ if !holds => {}
            Some(last) if last.1 == from => last.1 = times[track],
            _ => spans[track].push((from, times[track])),
        }
    });
    spans
}

/// When the fluent is recognised in a track, as spans of time points from its first one on: from the first on and up to the
/// second. With `starts`, when it is started, whether it holds already or not.
pub(crate) fn spans(
    runs: &Runs,
    track: &Track,
    actions: &Actions,
    definition: Definition,
    starts: bool,
) -> Vec<(u64, u64)> {
    let mut spans: Vec<(u64, u64)> = Vec::new();
    let mut add = |from: u64, to: u64| match spans.last_mut() {
        Some(last) if last.1 == from => last.1 = to,
        _ if from < to => spans.push((from, to)),
        _ => {}
    };
    let (mut state, mut time) = (track.holds, 0);
    for i in track.first as usize..track.end as usize {
        let (start, length) = (actions.starts[i], u64::from(runs.all[i].length));
        let next = runs.both.next(state, start, actions.ends[i]);
        let (first, rest) = if starts || definition == Definition::While { (start, start) } else { (state, next) };
        if first {
            add(time, time + 1);
        }
        if rest {
            add(time + 1, time + length);
        }
        time += length;
        state = next;
    }
    spans
}
