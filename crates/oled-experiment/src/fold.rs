//! Fold: one training set in one order, learned from; what it taught, tested on the rest.

use std::time::Instant;

use indexmap::IndexMap;
use oled::evaluate::{Run, Span};
use oled::{Clause, Evaluation, IntervalCounts, Late, Recogniser, Signature, Symbol, Theory, Tracks};
use oled_data::task_folder::TaskFolder;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::row::name;
use crate::{Data, Error, FoldWeights, Row, Timeline, Track, weighted};

/// What one fold of one order came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FoldRecord {
    /// Seconds that learning took.
    pub(crate) seconds: f64,
    /// The theory.
    pub(crate) theory: String,
    /// The counts of each target.
    pub(crate) fluents: Vec<FluentRecord>,
    /// Truth and recognition, for the first order only.
    pub(crate) timelines: Vec<Timeline>,
}

/// What one fold of one order came to for one fluent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct FluentRecord {
    pub(crate) fluent: String,
    pub(crate) tp: u64,
    pub(crate) fp: u64,
    #[serde(rename = "fn")]
    pub(crate) fn_: u64,
    pub(crate) literals: usize,
    pub(crate) rules: usize,
    pub(crate) intervals: IntervalRecord,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) weights: Option<FoldWeights>,
}

/// [`IntervalCounts`] as they are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(remote = "IntervalCounts")]
struct IntervalCountsFields {
    annotated: u64,
    recognised: u64,
    found: u64,
    right: u64,
    false_alarms: u64,
    met: u64,
    delay: i64,
    covered: f64,
}

/// Counts of intervals, stored field by field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct IntervalRecord(#[serde(with = "IntervalCountsFields")] pub(crate) IntervalCounts);

/// Learns and tests.
pub(crate) fn run(
    folder: &TaskFolder,
    data: &Data,
    row: &Row,
    (order, fold): (u64, usize),
    share: f64,
) -> Result<FoldRecord, Error> {
    let started = Instant::now();
    let theory = match row.theory() {
        Some(given) => given?,
        None => {
            let mut learner = row.learner(folder, &data.name)?;
            for unit in data.training(Some(fold), order) {
                unit.frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
            }
            learner.learned(&mut ()).theory()
        }
    };
    let weighed = match row.weights {
        Some(of) => Some(weighted::weigh(folder, &of, &theory, row.has_story(), &data.training(Some(fold), order))?),
        None => None,
    };
    let seconds = started.elapsed().as_secs_f64();
    let targets = folder.task.labels();
    let mut evaluation = Evaluation::new(&targets);
    let mut tracks = Tracks::new(&targets);
    let tested = || data.units.iter().filter(|u| u.fold == fold).flat_map(|unit| &unit.frames);
    let mut weights = Vec::new();
    if let Some(weighed) = &weighed {
        let (timetable, of_fluents) = weighed.recognise(folder, &theory, tested)?;
        for frame in tested() {
            let recognised = timetable.at(frame.segment, frame.time);
            evaluation.count(&recognised, frame);
            tracks.add(&recognised, frame);
        }
        weights = of_fluents;
    } else {
        let mut recogniser = Recogniser::new(&folder.task, &theory)?;
        let told_later = recogniser.told_later().any(|fluent| targets.contains(&fluent));
        if told_later {
            // What is told of whole intervals is known late.
            let mut late = Late::default();
            tested().for_each(|frame| late.observe(&mut recogniser, frame));
            let (frames, timetable) = late.finish(&folder.task, &mut recogniser);
            for frame in &frames {
                let recognised = timetable.at(frame.segment, frame.time);
                evaluation.count(&recognised, frame);
                tracks.add(&recognised, frame);
            }
        }
        for frame in tested().filter(|_| !told_later) {
            recogniser.observe(frame, &mut Vec::new());
            evaluation.count(&recogniser, frame);
            tracks.add(&recogniser, frame);
        }
    }
    let theory = weighed.map_or(theory, |weighed| weighed.theory);
    let (counts, intervals) = (evaluation.by_fluent(), tracks.counts(share));
    let fluents = targets.iter().map(|&target| {
        let rules = rules_of(&theory, target);
        let of = counts.get(&name(target)).copied().unwrap_or_default();
        FluentRecord {
            fluent: name(target).as_str().to_string(),
            tp: of.tp,
            fp: of.fp,
            fn_: of.fn_,
            literals: rules.iter().map(|c| c.body.len() + 1).sum(),
            rules: rules.len(),
            intervals: IntervalRecord(intervals.get(&name(target)).copied().unwrap_or_default()),
            weights: weights.iter().find(|(label, _)| *label == target).map(|(_, weights)| weights.clone()),
        }
    });
    let timelines = if order == 0 { timelines(&tracks, &data.name, &row.name) } else { Vec::new() };
    Ok(FoldRecord { seconds, theory: theory.to_string(), fluents: fluents.collect(), timelines })
}

/// The rules of a theory that are about a target.
pub(crate) fn rules_of(theory: &Theory, target: Signature) -> Vec<&Clause> {
    let about = |clause: &&Clause| name(Signature::of(&clause.head)) == name(target);
    theory.clauses.iter().filter(about).collect()
}

/// The segments in which there is anything to see.
pub(crate) fn timelines(tracks: &Tracks, protocol: &str, row: &str) -> Vec<Timeline> {
    let runs = |runs: &[Run]| runs.iter().map(|r| (r.first, r.last)).collect();
    let mut by_segment: IndexMap<Symbol, Vec<Track>, FxBuildHasher> = IndexMap::default();
    for (segment, signature, values, track) in tracks.iter() {
        let counts = track.confusion();
        by_segment.entry(segment).or_default().push(Track {
            fluent: name(signature).as_str().to_string(),
            instance: oled::calculus::fluent(signature, values).to_string(),
            annotated: runs(&track.annotated),
            recognised: runs(&track.recognised),
            tp: counts.tp,
            fp: counts.fp,
            fn_: counts.fn_,
        });
    }
    let timeline = |(segment, span): (Symbol, Span)| {
        let tracks = by_segment.swap_remove(&segment)?;
        let segment = segment.as_str().to_string();
        let (frames, span) = (span.frames, (span.first, span.last));
        Some(Timeline { protocol: protocol.into(), row: row.into(), segment, span, frames, tracks })
    };
    tracks.segments().filter_map(timeline).collect()
}
