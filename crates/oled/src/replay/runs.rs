//! Runs: what is true and annotated of each instance, in classes, one after the other; and the annotated intervals.

use super::classes::{Classes, Scope};
use super::closed::Pair;
use super::record::Segment;
use crate::calculus::Precedence;
pub(crate) use crate::task::DefinitionKind as Definition;

/// What is annotated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Label {
    No,
    Yes,
    Unknown,
    /// It changes here from what it was before to what it is after, and nobody knows when: between two frames that differ.
    Turning,
}

/// Consecutive time points of an instance that no literal and no label tells apart.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    pub(crate) class: u32,
    pub(crate) length: u32,
    pub(crate) label: Label,
}

/// An instance from where it is first observed to where it is lost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Track {
    /// Its runs, by their numbers.
    pub(crate) first: u32,
    pub(crate) end: u32,
    pub(crate) segment: u32,
    /// Whether the background says that the fluent holds at its first time point.
    pub(crate) holds: bool,
}

/// The runs of some segments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Runs {
    pub(crate) all: Vec<Run>,
    pub(crate) tracks: Vec<Track>,
    /// Of an equivalence, whom each track is about; of other fluents none.
    pub(crate) pairs: Vec<Pair>,
    pub(crate) segments: usize,
    /// Which wins where the fluent is started and ended at the same time point.
    pub(crate) both: Precedence,
    /// Segments in which the fluent is annotated.
    pub(crate) with_event: usize,
    /// Time points at which the fluent is annotated, those of what is not observed included, and those of what cannot hold.
    pub(crate) positives: u64,
    pub(crate) missed: u64,
    /// Time points of which something is known, and annotated intervals.
    pub(crate) known: u64,
    pub(crate) intervals: u32,
}

impl Runs {
    /// Those of segments.
    pub(crate) fn new(segments: &[&Segment<'_>], scope: Scope<'_>, classes: &Classes) -> Runs {
        let mut runs = Runs { segments: segments.len(), both: scope.both, ..Runs::default() };
        for (s, segment) in segments.iter().enumerate() {
            let mut event = segment.missed[scope.target] > 0;
            runs.missed += segment.missed[scope.target];
            for instance in segment.groups[scope.group].iter().filter(|instance| !instance.is_empty()) {
                let first = runs.all.len();
                let mut censored = instance.censored;
                for run in instance.runs() {
                    let label = match run.labels >> (2 * scope.place) & 3 {
                        0 => {
                            censored = false;
                            Label::No
                        }
                        1 if !censored => Label::Yes,
                        3 if !censored => Label::Turning,
                        _ => Label::Unknown,
                    };
                    let class = classes.of_state[run.state as usize];
                    match runs.all[first..].last_mut() {
                        Some(last) if last.class == class && last.label == label => last.length += run.length,
                        _ => runs.all.push(Run { class, length: run.length, label }),
                    }
                    event |= label == Label::Yes;
                }
                let (first, end) = (first as u32, runs.all.len() as u32);
                runs.count(first as usize..end as usize);
                let holds = instance.initial >> scope.place & 1 == 1;
                runs.tracks.push(Track { first, end, segment: s as u32, holds });
                if scope.closed {
                    let row = scope.row(instance.values);
                    runs.pairs.push(Pair { values: [row[0], row[1]], start: instance.start });
                }
            }
            runs.with_event += usize::from(event);
        }
        runs.positives += runs.missed;
        runs
    }

    /// What is annotated after a run of a track: not where it is about to change.
    pub(crate) fn next_label(&self, run: usize, track: &Track) -> Option<Label> {
        let after = &self.all[run + 1..track.end as usize];
        after.iter().map(|run| run.label).find(|label| *label != Label::Turning)
    }

    /// Those of some tracks, all of one segment.
    #[cfg(test)]
    pub(crate) fn of_tracks(tracks: Vec<Vec<Run>>) -> Runs {
        let mut runs = Runs { segments: 1, with_event: 1, ..Runs::default() };
        for track in tracks {
            let first = runs.all.len();
            runs.all.extend(track);
            let end = runs.all.len();
            runs.count(first..end);
            runs.tracks.push(Track { first: first as u32, end: end as u32, segment: 0, holds: false });
        }
        runs
    }

    fn count(&mut self, track: std::ops::Range<usize>) {
        let mut before = Label::No;
        for run in &self.all[track] {
            if matches!(run.label, Label::Yes | Label::No) {
                self.known += u64::from(run.length);
            }
            if run.label == Label::Yes {
                self.positives += u64::from(run.length);
                self.intervals += u32::from(before != Label::Yes);
            }
            before = run.label;
        }
    }
}
