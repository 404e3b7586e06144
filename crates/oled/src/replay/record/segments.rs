//! Segments as they are remembered: what is kept of each, put together from its parts.

use std::borrow::Cow;
use std::ops::Range;

use super::Record;
use crate::lang::{Symbol, Value};
use crate::learn::Loss;
use crate::replay::retention::rank;
use crate::replay::track::{AWAY, Open, Part, Run, Track};

/// A segment as it is remembered.
#[derive(Clone, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) name: Symbol,
    /// A number that looks random and depends on its name only.
    pub(crate) rank: u64,
    /// For each target the time points annotated of what cannot hold.
    pub(crate) missed: Vec<u64>,
    /// For each group its instances.
    pub(crate) groups: Vec<Vec<InstanceRuns<'a>>>,
}

/// A fluent instance from where it is first observed to where it is lost, or its segment ends.
#[derive(Clone, Debug)]
pub(crate) struct InstanceRuns<'a> {
    pub(crate) values: &'a [Value],
    /// The time points of the segment before it.
    pub(crate) start: u64,
    /// A bit for each target of the group: the background says that it holds at its first time point.
    pub(crate) initial: u64,
    /// Whether it goes back to a part that is forgotten. What is annotated at its first time points began there, and rules
    /// cannot be judged by it.
    pub(crate) censored: bool,
    runs: Cow<'a, [Run]>,
    /// Time points at the end at which it was not observed.
    away: u32,
}

impl<'a> InstanceRuns<'a> {
    /// The instance with other runs.
    pub(crate) fn with(&self, runs: Vec<Run>) -> InstanceRuns<'a> {
        InstanceRuns { runs: Cow::Owned(runs), away: 0, ..*self }
    }

    /// One after the other.
    pub(crate) fn runs(&self) -> impl Iterator<Item = Run> {
        let away = (self.away > 0).then_some(Run { state: AWAY, length: self.away, labels: 0 });
        self.runs.iter().copied().chain(away)
    }

    /// Whether it has no time points.
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty() && self.away == 0
    }
}

impl<'a> Segment<'a> {
    /// The segment as far as it is annotated within a span of time points, for one group; all else is unknown.
    pub(crate) fn within(&self, group: usize, span: &Range<u64>) -> Segment<'a> {
        self.known(group, span, true)
    }

    /// The same outside of the span.
    pub(crate) fn without(&self, group: usize, span: &Range<u64>) -> Segment<'a> {
        self.known(group, span, false)
    }

    fn known(&self, group: usize, span: &Range<u64>, inside: bool) -> Segment<'a> {
        let known = |instance: &InstanceRuns<'a>| {
            let (mut runs, mut time) = (Vec::new(), instance.start);
            for run in instance.runs() {
                let end = time + u64::from(run.length);
                // Before the span, in it, and after it.
                let cuts = [time, span.start.clamp(time, end), span.end.clamp(time, end), end];
                for (i, cut) in cuts.windows(2).enumerate().filter(|(_, cut)| cut[0] < cut[1]) {
                    let labels = if (i == 1) == inside { run.labels } else { UNKNOWN };
                    runs.push(Run { length: (cut[1] - cut[0]) as u32, labels, ..run });
                }
                time = end;
            }
            instance.with(runs)
        };
        let mut groups = vec![Vec::new(); self.groups.len()];
        groups[group] = self.groups[group].iter().map(known).collect();
        // When that was is not known: it counts for the first time points.
        let missed = self.missed.iter().map(|n| if span.contains(&0) == inside { *n } else { 0 }).collect();
        Segment { missed, groups, ..*self }
    }
}

/// Labels that say that nothing is known of any target.
const UNKNOWN: u64 = 0xAAAA_AAAA_AAAA_AAAA;

impl Record {
    /// All segments that are kept, those being written too, in the order of their ranks: the same for every order in which
    /// they came. What is kept of a segment in several parts is put together. Their runs are copied into a list, side by side in that
    /// order: all of them are read a dozen times by a search, and a short segment elsewhere is a wait for memory.
    pub(crate) fn segments<'a>(&'a self, side_by_side: &'a mut Vec<Run>) -> Vec<Segment<'a>> {
        let kept = self.kept();
        let by_segment = || kept.chunk_by(is_same_segment);
        side_by_side.clear();
        side_by_side.reserve(kept.iter().map(|(part, _)| part.runs).sum());
        for parts in by_segment() {
            for track in (0..self.losses.len()).flat_map(|g| tracks(parts, g)) {
                side_by_side.extend_from_slice(&track.runs);
            }
        }
        let mut runs = &side_by_side[..];
        by_segment().map(|parts| self.segment(parts, &mut runs)).collect()
    }

    /// The parts that are kept, those of a segment together and in their order; with what is being written.
    pub(super) fn kept(&self) -> Vec<Kept<'_>> {
        let open = self.open.values().filter(|o| o.kept).map(|o| (&o.part, Some(o)));
        let mut parts: Vec<Kept<'_>> = self.retention.finished().map(|p| (p, None)).chain(open).collect();
        parts.sort_by_cached_key(|(p, _)| (rank(p.segment, 0), p.segment.as_str(), p.born, p.number));
        parts
    }

    /// The parts of a segment as one; its runs are the first of these.
    fn segment<'a>(&'a self, parts: &[Kept<'a>], runs: &mut &'a [Run]) -> Segment<'a> {
        let Part { segment, .. } = *parts[0].0;
        let mut missed = vec![0; self.targets];
        for (part, _) in parts {
            part.missed.iter().zip(&mut missed).for_each(|(n, sum)| *sum += n);
        }
        let groups = (0..self.losses.len()).map(|g| self.instances(parts, g, runs)).collect();
        Segment { name: segment, rank: rank(segment, 0), missed, groups }
    }

    /// The tracks of a group, each put together from its parts.
    fn instances<'a>(&self, parts: &[Kept<'a>], g: usize, runs: &mut &'a [Run]) -> Vec<InstanceRuns<'a>> {
        let mut instances: Vec<InstanceRuns<'_>> = Vec::new();
        // For the part before, its number, and the instance of each of its tracks.
        let mut before: (u32, Vec<usize>) = (0, Vec::new());
        for (part, open) in parts {
            let mut own = Vec::with_capacity(part.groups[g].len());
            for (t, track) in part.groups[g].iter().enumerate() {
                let follows = before.0 + 1 == part.number && !before.1.is_empty();
                let known = track.before.filter(|_| follows).and_then(|b| before.1.get(b as usize).copied());
                let at = known.unwrap_or_else(|| {
                    instances.push(InstanceRuns {
                        values: &track.values,
                        start: part.offset + u64::from(track.start),
                        initial: track.initial,
                        censored: track.before.is_some(),
                        runs: Cow::Borrowed(&[]),
                        away: 0,
                    });
                    instances.len() - 1
                });
                let instance = &mut instances[at];
                let own_runs;
                (own_runs, *runs) = runs.split_at(track.runs.len());
                if instance.runs.is_empty() {
                    instance.runs = Cow::Borrowed(own_runs);
                } else if !own_runs.is_empty() {
                    instance.runs.to_mut().extend_from_slice(own_runs);
                }
                // What goes on while it is not observed has not been told yet of the time since it was.
                let live = |o: &&Open| o.groups[g].by_values.get(&track.values) == Some(&(t as u32));
                if self.losses[g] != Loss::Any && open.as_ref().is_some_and(live) {
                    instance.away = part.frames - track.end;
                }
                own.push(at);
            }
            before = (part.number, own);
        }
        instances
    }
}

/// A part that is kept, and what is known of it while it is being written.
pub(super) type Kept<'a> = (&'a Part, Option<&'a Open>);

/// The tracks of a group in some parts.
fn tracks<'a>(parts: &[Kept<'a>], g: usize) -> impl Iterator<Item = &'a Track> {
    parts.iter().flat_map(move |(part, _)| &part.groups[g])
}

pub(super) fn is_same_segment(a: &Kept<'_>, b: &Kept<'_>) -> bool {
    (a.0.segment, a.0.born) == (b.0.segment, b.0.born)
}
