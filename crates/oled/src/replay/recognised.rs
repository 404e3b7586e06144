//! Fluents in the bodies of other fluents: as recognised by their own rules, not as annotated.
//!
//! Targets are searched in the order of their declaration. A body may speak of fluents that come before; what their rules
//! recognise takes the place of what the annotation says.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::quest::{Rule, actions_of, literals_of};
use super::record::{Piece, Record, Run, Track};
use super::view::{Aspect, Slot, View};
use crate::induce::{Column, Mask};
use crate::lang::Value;

/// When a fluent is recognised: for each piece, instances with the time points from and up to which they hold.
pub(crate) type Recognised = Vec<IndexMap<Box<[Value]>, Vec<(u32, u32)>, FxBuildHasher>>;

/// A literal of a table that is about another target: its number, the target, and what stands in the label's columns.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) literal: usize,
    pub(crate) target: usize,
    pub(crate) columns: Vec<Column>,
    pub(crate) negated: bool,
    /// Whether the order of the columns does not matter.
    pub(crate) symmetric: bool,
}

/// What the rules of a target recognise in the pieces.
pub(crate) fn recognise(record: &Record, pieces: &[&Piece], aspect: Aspect<'_>, rules: &[Rule]) -> Recognised {
    let view = View::with(record, pieces, aspect, literals_of(rules));
    let actions = actions_of(&view, rules);
    let mut recognised: Recognised = vec![IndexMap::default(); pieces.len()];
    let mut trails = view.trails.iter().enumerate();
    for (p, piece) in pieces.iter().enumerate() {
        for track in piece.groups[aspect.group].iter().filter(|t| !t.runs.is_empty()) {
            let (i, trail) = trails.next().expect("there is a trail for each track");
            let end = view.trails.get(i + 1).map_or(view.stretches.len(), |t| t.first as usize);
            let mut spans: Vec<(u32, u32)> = Vec::new();
            let (mut state, mut time) = (trail.holds, track.start);
            let mut hold = |from: u32, to: u32| match spans.last_mut() {
                Some(last) if last.1 == from => last.1 = to,
                _ if from < to => spans.push((from, to)),
                _ => {}
            };
            for stretch in &view.stretches[trail.first as usize..end] {
                let start = actions.start(stretch.class);
                let next = start || state && !actions.end(stretch.class);
                // A fluent changes after the first time point; an ordinary predicate at it.
                let (first, rest) = if aspect.direct { (start, start) } else { (state, next) };
                if first {
                    hold(time, time + 1);
                }
                if rest {
                    hold(time + 1, time + stretch.length);
                }
                time += stretch.length;
                state = next;
            }
            if !spans.is_empty() {
                recognised[p].entry(track.values.clone()).or_default().extend(spans);
            }
        }
    }
    recognised
}

/// The record of a group, where literals about other targets are true when those are recognised.
pub(crate) fn replaced(
    record: &Record,
    pieces: &[&Piece],
    aspect: Aspect<'_>,
    literals: &[About],
    recognised: &[Recognised],
) -> (Record, Vec<Piece>) {
    let group = aspect.group;
    let stride = Slot::stride(aspect.slots);
    let mut new = record.emptied();
    let mut copies = Vec::new();
    for (p, piece) in pieces.iter().enumerate() {
        let mut tracks: Vec<Track> = Vec::new();
        for track in &piece.groups[group] {
            // When each literal is true, for each order of the arguments.
            let orders = [[0, 1], [1, 0]];
            let spans = |about: &About, order: usize| {
                let value = |c: &Column| match c {
                    Column::Constant(value) => *value,
                    Column::Variable(v) if track.values.len() == 2 => track.values[orders[order][*v]],
                    Column::Variable(v) => track.values[*v],
                };
                let mut values: Vec<Value> = about.columns.iter().map(value).collect();
                if about.symmetric {
                    values.sort();
                }
                recognised[about.target][p].get(values.as_slice()).cloned().unwrap_or_default()
            };
            let when: Vec<[Vec<(u32, u32)>; 2]> =
                literals.iter().map(|about| [spans(about, 0), spans(about, 1)]).collect();
            let mut cuts: Vec<u32> = when.iter().flatten().flatten().flat_map(|(from, to)| [*from, *to]).collect();
            cuts.sort_unstable();
            let mut copy = Track { runs: Vec::new(), ..track.clone() };
            let mut time = track.start;
            for run in &track.runs {
                let end = time + run.length;
                let inner: Vec<u32> = cuts.iter().copied().filter(|c| *c > time && *c < end).collect();
                for to in inner.into_iter().chain([end]) {
                    if to == time {
                        continue;
                    }
                    let mut key = record.states[group][run.state as usize].to_vec();
                    let ways = key.len() / stride;
                    for (way, truth) in key.chunks_mut(stride).enumerate() {
                        let mut mask = Mask::from_words([truth[0], truth[1]]);
                        // The truths of a pair are those of its two orders, one after the other.
                        let order = usize::from(aspect.symmetric && way >= ways / 2);
                        for (about, when) in literals.iter().zip(&when) {
                            let holds = when[order].iter().any(|(from, upto)| (*from..*upto).contains(&time));
                            let bit = Mask::of(about.literal);
                            mask = if holds == about.negated { mask.without(bit) } else { mask.with(bit) };
                        }
                        truth[..2].copy_from_slice(&mask.words());
                    }
                    let state = new.intern(group, &key);
                    copy.runs.push(Run { state, length: to - time, labels: run.labels });
                    time = to;
                }
            }
            tracks.push(copy);
        }
        let mut groups = vec![Vec::new(); piece.groups.len()];
        groups[group] = tracks;
        copies.push(piece.with(groups));
    }
    (new, copies)
}
