//! What a record knows of the stream, as it is saved and read again: every index and every count is checked.

use serde::{Deserialize, Serialize};

use super::{Opened, Record};
use crate::lang::Value;
use crate::replay::bins::{Bins, BinsState, LEAST, MOST, NOTHING};
use crate::replay::retention::Retention;
use crate::replay::track::{AWAY, Open, Part, Run, States};
use crate::state::{StateError, ensure, ensure_counts};

/// What a record knows of the stream so far: states, values, parts, those that are open, how many bins a feature may have, and
/// its counters.
#[derive(Deserialize)]
pub(crate) struct RecordState(Vec<States>, Vec<Vec<BinsState>>, Vec<Part>, Opened, usize, [u64; 5]);

impl Record {
    /// What it knows of the stream so far, as [`RecordState`].
    pub(crate) fn state(&self) -> impl Serialize {
        let [limit, begun, cut] = self.retention.counters();
        let parts: Vec<&Part> = self.retention.finished().collect();
        let bins: Vec<Vec<BinsState>> = self.bins.iter().map(|bins| bins.iter().map(Bins::state).collect()).collect();
        (&self.states, bins, parts, &self.open, self.most, [limit, begun, cut, self.added, self.frames])
    }

    /// Goes on with what was written; `shapes` has the width of each group, and tells whether a key can be one of its.
    pub(crate) fn restore(
        &mut self,
        state: RecordState,
        shapes: &[(usize, impl Fn(&[u64]) -> bool)],
    ) -> Result<(), StateError> {
        let RecordState(states, bins, parts, open, most, [limit, begun, cut, added, frames]) = state;
        ensure(states.len() == shapes.len() && bins.len() == shapes.len(), "the groups of heads")?;
        ensure((LEAST..=MOST).contains(&most) && most.is_power_of_two(), "the numbers of bins")?;
        let mut known: Vec<Vec<Bins>> = Vec::new();
        for (bins, slots) in bins.into_iter().zip(&self.slots) {
            ensure(bins.len() == slots.len(), "the gauges")?;
            known.push(bins.into_iter().map(|bins| Bins::restore(bins, most)).collect::<Result<_, _>>()?);
        }
        for ((states, (_, fits)), (layout, bins)) in states.iter().zip(shapes).zip(self.layouts.iter().zip(&known)) {
            let away = states.first().is_some_and(|key| key.is_empty());
            ensure(away && states.iter().all(|key| fits(key)), "the truths of instances")?;
            let truths = states.iter().flat_map(|key| key.chunks(layout.stride()));
            let in_bins = |truth: &[u64]| {
                let mut numbers = bins.iter().enumerate().map(|(slot, bins)| (layout.measured(truth, slot), bins));
                numbers.all(|(bin, bins)| bin == NOTHING || (bin as usize) < bins.len())
            };
            ensure(truths.into_iter().all(in_bins), "the values that were measured")?;
        }
        ensure_counts([begun, cut, added, frames])?;
        for part in parts.iter().chain(open.values().map(|o| &o.part)) {
            ensure(part.groups.len() == shapes.len() && part.missed.len() == self.targets, "the groups of heads")?;
            ensure(part.born <= begun && part.number < u32::MAX / 2, "the numbers of segments")?;
            let sums = [part.runs as u64, part.changes as u64, part.offset];
            ensure_counts(part.missed.iter().copied().chain(sums))?;
            for ((tracks, (width, _)), states) in part.groups.iter().zip(shapes).zip(&states) {
                ensure(tracks.iter().all(|t| t.fits(*width, states.len(), part.frames)), "the tracks of instances")?;
            }
            let runs: usize = part.groups.iter().flatten().map(|track| track.runs.len()).sum();
            ensure(runs == part.runs, "the numbers of runs")?;
        }
        for (segment, Open { part, groups, .. }) in &open {
            ensure(groups.len() == shapes.len() && part.segment == *segment, "the groups of heads")?;
            ensure((1..u32::MAX / 2).contains(&part.frames), "the time points of a segment")?;
            for (((index, tracks), layout), states) in groups.iter().zip(&part.groups).zip(&self.layouts).zip(&states) {
                let known = |t: &u32| (*t as usize) < tracks.len();
                let own = |values: &[Value], t: u32| known(&t) && *tracks[t as usize].values == *values;
                let owned = index.by_values.iter().all(|(values, t)| own(values, *t));
                let seen = index.seen.len() == if layout.slots() == 0 { 0 } else { tracks.len() };
                // What was seen is compared with what will be seen: its state has the same shape.
                let shaped = index.seen.iter().zip(tracks).all(|(seen, track)| {
                    let length = seen.len() / layout.seen() * layout.stride();
                    let same = |run: &Run| states[run.state as usize].len() == length;
                    seen.is_empty() || track.runs.last().is_none_or(|run| run.state == AWAY || same(run))
                });
                ensure(index.last.iter().all(known) && owned && seen && shaped, "the tracks of instances")?;
            }
        }
        let mut retention = Retention::resumed(self.retention.memory().clone(), [limit, begun, cut]);
        let count = parts.len();
        parts.into_iter().for_each(|part| retention.keep(part));
        ensure(retention.finished().count() == count, "the ranks of segments")?;
        for open in open.values().filter(|open| open.kept) {
            ensure(retention.resume_part(&open.part), "the ranks of segments")?;
        }
        (self.states, self.bins, self.open, self.most) = (states, known, open, most);
        (self.retention, self.added, self.frames, self.spoken_of) = (retention, added, frames, 0);
        Ok(())
    }
}
