//! `oled evaluate`: recognised against annotated, counted per time point and, if asked for, per interval.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::bail;
use oled::lang::printable;
use oled::logic::MAX_STEPS;
use oled::weights::{Calibration, Curve, Decision, Firing, Reliability, Weights, recognise};
use oled::{Confusion, Evaluation, Frame, IntervalCounts, Late, Recogniser, Symbol, Theory, Tracks};
use oled_data::printable_json;
use oled_data::task_folder::TaskFolder;
use serde_json::{Value, json};

use crate::Outcome;
use crate::args::EvaluateArgs;
use crate::confidence::{layers, read_weights};
use crate::input::{load_task, load_theory, recogniser, too_much};
use crate::progress::{Labels, Progress, say_skipped};
use crate::source::{Folds, Source};
use crate::workers;

pub(crate) fn run(args: &EvaluateArgs, quiet: bool) -> anyhow::Result<Outcome> {
    let folder = load_task(&args.task)?;
    let recogniser = recogniser(&folder, &args.theory, quiet)?.with_max_steps(args.steps.max_steps);
    let targets = folder.task.labels();
    if targets.is_empty() {
        bail!(
            "the task `{}` declares no labels to compare with\nhint: add `example(holdsAt(fluent(+type), +time)).` to its modes",
            folder.name
        );
    }
    let weighted = if args.confidence { Some(Weighted::new(&folder, args)?) } else { None };
    // What is told of whole intervals is known late, and compared when all is known.
    let told_later = recogniser.told_later().any(|fluent| targets.contains(&fluent));
    let mut run = Run {
        late: (told_later && !args.confidence).then(Late::default),
        recogniser,
        evaluation: Evaluation::new(&targets),
        tracks: args.intervals.map(|_| Tracks::new(&targets)),
        weighted,
    };
    let mut frames = match args.protocol {
        Some(protocol) => {
            let folds = args.test_fold.map_or(Folds::All, Folds::Only);
            Source::parts(&folder, &args.input, protocol, folds, None)?
        }
        None => Source::stream(&folder, &args.input, false)?,
    };
    let mut progress = Progress::new(frames.total_bytes(), quiet);
    if args.input.workers > 1 && !args.confidence && run.late.is_none() {
        let groups = workers::groups(&folder, &args.theory, &targets, args.steps.max_steps == MAX_STEPS)?;
        let (counted, stream) = (
            (&run.recogniser, &mut run.evaluation, &mut run.tracks),
            (frames, folder.task.options.interleaved, groups),
        );
        frames = workers::evaluate(counted, stream, args.input.workers, &mut progress)?;
    }
    // Nothing is left where workers have taken all.
    while let Some(frame) = frames.next() {
        run.frame(&frame?)?;
        progress.frame_at(|| frames.bytes_read());
    }
    progress.finish();
    say_skipped(&frames.finish(), Labels::Used, quiet);
    let curves = run.weigh(&folder)?;
    run.compare_late(&folder);
    let evaluation = &run.evaluation;
    let intervals = args.intervals.zip(run.tracks.as_ref());
    let hours = folder.rate.zip(intervals).map(|(rate, (_, tracks))| tracks.observed() / rate / 3600.0);
    let text = if args.json {
        let mut object = to_json(evaluation, args.by.is_some());
        if let Some((share, tracks)) = intervals {
            object["intervals"] = intervals_json(tracks, share, hours);
        }
        if args.confidence {
            object["confidence"] = confidence_json(&curves);
        }
        format!("{}\n", printable_json(&object.to_string()))
    } else {
        let mut text = to_table(evaluation, args.by.is_some());
        if let Some((share, tracks)) = intervals {
            text += &intervals_table(tracks, share, hours);
        }
        curves.iter().for_each(|(name, curve, table)| text += &confidence_table(*name, curve, table));
        text
    };
    std::io::stdout().write_all(printable(&text).as_bytes())?;
    let total = evaluation.total();
    Ok(if total.tp + total.fp == 0 { Outcome::Nothing } else { Outcome::Done })
}

/// An evaluation under way.
struct Run {
    recogniser: Recogniser,
    evaluation: Evaluation,
    /// Runs of time points, where intervals are asked for.
    tracks: Option<Tracks>,
    /// Labels, and what was recognised, where some of it is told of whole intervals.
    late: Option<Late>,
    /// What fires, where weights decide, with the frames to compare it with when it is known.
    weighted: Option<Weighted>,
}

/// Rules with weights, which are judged when all is known.
struct Weighted {
    theory: Theory,
    layers: Vec<Firing>,
    weights: Weights,
    frames: Vec<Frame>,
}

impl Weighted {
    fn new(folder: &TaskFolder, args: &EvaluateArgs) -> anyhow::Result<Weighted> {
        let theory = load_theory(folder, &args.theory)?;
        let layers = layers(folder, &theory)?;
        let weights = read_weights(&theory, &layers, &args.theory)?;
        Ok(Weighted { theory, layers, weights, frames: Vec::new() })
    }
}

/// The curve of a fluent, and how reliable its probabilities are.
type Sure = (Symbol, Curve, Reliability);

impl Run {
    fn frame(&mut self, frame: &Frame) -> anyhow::Result<()> {
        if let Some(Weighted { layers, frames, .. }) = &mut self.weighted {
            let [only] = layers.as_mut_slice() else {
                frames.push(frame.clone());
                return Ok(());
            };
            only.observe(frame);
            if let Some(stop) = only.stop() {
                return Err(too_much(stop, frame));
            }
            // What is compared with labels needs no facts.
            let mut labels = Frame::new(frame.segment, frame.time);
            labels.annotation = frame.annotation.clone();
            frames.push(labels);
            return Ok(());
        }
        if let Some(late) = &mut self.late {
            late.observe(&mut self.recogniser, frame);
            return self.recogniser.stop().map_or(Ok(()), |stop| Err(too_much(stop, frame)));
        }
        // Intervals are of no use here; what holds at the frame is.
        self.recogniser.observe(frame, &mut Vec::new());
        if let Some(stop) = self.recogniser.stop() {
            return Err(too_much(stop, frame));
        }
        self.evaluation.count(&self.recogniser, frame);
        if let Some(tracks) = &mut self.tracks {
            tracks.add(&self.recogniser, frame);
        }
        Ok(())
    }
}

impl Run {
    /// Compares what was recognised with the labels, where some of it was known late.
    fn compare_late(&mut self, folder: &TaskFolder) {
        let Some(late) = self.late.take() else { return };
        let (frames, timetable) = late.finish(&folder.task, &mut self.recogniser);
        for frame in &frames {
            let recognised = timetable.at(frame.segment, frame.time);
            self.evaluation.count(&recognised, frame);
            self.tracks.iter_mut().for_each(|tracks| tracks.add(&recognised, frame));
        }
    }

    /// Compares what weights recognise with the labels, and tells how sure they are.
    fn weigh(&mut self, folder: &TaskFolder) -> anyhow::Result<Vec<Sure>> {
        let Some(Weighted { theory, mut layers, weights, frames }) = self.weighted.take() else {
            return Ok(Vec::new());
        };
        let mut found = match layers.len() {
            1 => layers.swap_remove(0).finish().recognised(&folder.task, &weights, Decision::Best),
            _ => recognise(&folder.task, &theory, &weights, Decision::Best, || frames.iter())?,
        };
        found.relate(&folder.task, &theory);
        for frame in &frames {
            let recognised = found.timetable.at(frame.segment, frame.time);
            self.evaluation.count(&recognised, frame);
            self.tracks.iter_mut().for_each(|tracks| tracks.add(&recognised, frame));
        }
        let sure = found.chains.fluents.iter().zip(&weights.fluents).map(|(fluent, weights)| {
            let reliability = Calibration::of(fluent, weights).reliability(weights.temperature);
            (fluent.name(), Curve::new(fluent, weights), reliability)
        });
        Ok(sure.collect())
    }
}

/// The thresholds that are shown of a curve.
const THRESHOLDS: [f64; 9] = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// The tenths of probability in which there is something.
fn reliable(table: &Reliability) -> impl Iterator<Item = (u64, f64, f64)> {
    table.rows().filter(|(count, ..)| *count > 0)
}

fn confidence_json(sure: &[Sure]) -> Value {
    let of = |(name, curve, table): &Sure| {
        let points = THRESHOLDS.iter().map(|threshold| {
            let c = curve.at(*threshold);
            json!({"threshold": threshold, "precision": c.precision(), "recall": c.recall(), "f1": c.f1()})
        });
        let rows = reliable(table).map(|(count, said, so)| json!({"points": count, "said": said, "so": so}));
        let object = json!({
            "area": curve.area(), "curve": points.collect::<Vec<_>>(),
            "reliability": rows.collect::<Vec<_>>(), "calibration_error": table.error(),
        });
        (name.as_str().to_string(), object)
    };
    Value::Object(sure.iter().map(of).collect())
}

fn confidence_table(name: Symbol, curve: &Curve, table: &Reliability) -> String {
    let mut text = String::new();
    let mut line = |l: String| writeln!(text, "{l}").expect("strings can be written to");
    line(format!("\n{name}: area under precision over recall {:.3}", curve.area()));
    line("at least as probable as  precision  recall     F1".into());
    for threshold in THRESHOLDS {
        let c = curve.at(threshold);
        line(format!("{threshold:>24.1} {:>10.3} {:>7.3} {:>6.3}", c.precision(), c.recall(), c.f1()));
    }
    line(format!("probabilities are {:.3} off on average", table.error()));
    line("time points     said       so".into());
    reliable(table).for_each(|(count, said, so)| line(format!("{count:>11} {said:>8.3} {so:>8.3}")));
    text
}

pub(crate) fn confusion_json(c: &Confusion) -> Value {
    json!(c)
}

/// The counts of each fluent.
pub(crate) fn fluents_json(evaluation: &Evaluation) -> Value {
    let counts = evaluation.by_fluent();
    Value::Object(counts.iter().map(|(name, c)| (name.as_str().to_string(), confusion_json(c))).collect())
}

fn to_json(evaluation: &Evaluation, by_segment: bool) -> Value {
    let mut object = json!(evaluation);
    if by_segment {
        let rows = evaluation.by_segment().into_iter().map(|(fluent, segment, c)| {
            let mut row = json!({"segment": segment.as_str(), "fluent": fluent.as_str()});
            if let (Value::Object(row), Value::Object(counts)) = (&mut row, confusion_json(&c)) {
                row.extend(counts);
            }
            row
        });
        object["segments"] = rows.collect();
    }
    object
}

/// What is said of intervals, as data: `hours` is how long the stream is, if it is known.
fn intervals_json(tracks: &Tracks, share: f64, hours: Option<f64>) -> Value {
    let of = |c: &IntervalCounts| {
        json!({
            "share": share, "annotated": c.annotated, "recognised": c.recognised, "found": c.found, "right": c.right,
            "precision": c.precision(), "recall": c.recall(), "f1": c.f1(), "delay": c.mean_delay(),
            "covered": c.mean_covered(), "false_alarms": c.false_alarms,
            "false_alarms_per_hour": hours.map(|hours| c.false_alarms as f64 / hours),
        })
    };
    let counts = tracks.counts(share);
    Value::Object(counts.iter().map(|(name, c)| (name.as_str().to_string(), of(c))).collect())
}

/// The same for people.
fn intervals_table(tracks: &Tracks, share: f64, hours: Option<f64>) -> String {
    let counts = tracks.counts(share);
    let width = counts.keys().map(|name| name.as_str().chars().count()).max().unwrap_or(0).max("fluent".len());
    let mut text = format!(
        "\nintervals, found if recognised for {:.0}% of their time:\n{:<width$} annotated recognised     found precision    recall     delay   covered    alarms  per hour\n",
        share * 100.0,
        "fluent"
    );
    for (name, c) in &counts {
        let or_none = |x: Option<f64>| x.map_or_else(|| "-".to_string(), |x| format!("{x:.1}"));
        writeln!(
            text,
            "{:<width$} {:>9} {:>10} {:>9} {:>9.3} {:>9.3} {:>9} {:>9.3} {:>9} {:>9}",
            name.as_str(),
            c.annotated,
            c.recognised,
            c.found,
            c.precision(),
            c.recall(),
            or_none(c.mean_delay()),
            c.mean_covered(),
            c.false_alarms,
            or_none(hours.map(|hours| c.false_alarms as f64 / hours))
        )
        .expect("strings can be written to");
    }
    text
}

/// The counts as a table for people.
fn to_table(evaluation: &Evaluation, by_segment: bool) -> String {
    let mut rows = rows(evaluation);
    if by_segment {
        let segments = evaluation.by_segment();
        rows.extend(segments.into_iter().map(|(f, s, c)| (format!("{} {}", f.as_str(), s.as_str()), Some(c))));
    }
    table(&rows)
}

/// What was recognised on the way, and below it what it would have been worth to repeat the last label.
pub(crate) fn prequential_table(evaluation: &Evaluation, repeated: &Evaluation) -> String {
    let mut all = rows(evaluation);
    all.push(("repeat the last label".into(), None));
    all.extend(rows(repeated));
    table(&all)
}

/// The counts of each fluent, and of all where there are several.
fn rows(evaluation: &Evaluation) -> Vec<(String, Option<Confusion>)> {
    let mut rows: Vec<_> = evaluation.by_fluent().iter().map(|(name, c)| (name.as_str().into(), Some(*c))).collect();
    if rows.len() > 1 {
        rows.push(("all".into(), Some(evaluation.total())));
    }
    rows
}

/// Rows of counts below each other; one without counts is a title.
fn table(rows: &[(String, Option<Confusion>)]) -> String {
    let named = rows.iter().filter(|(_, counts)| counts.is_some());
    let width = named.map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("fluent".len());
    let mut text = String::new();
    let mut line = |cells: [String; 7]| {
        let [name, numbers @ ..] = cells;
        write!(text, "{name:<width$}").expect("strings can be written to");
        numbers.iter().for_each(|n| write!(text, " {n:>9}").expect("strings can be written to"));
        text.truncate(text.trim_end().len());
        text.push('\n');
    };
    line(["fluent", "TP", "FP", "FN", "precision", "recall", "F1"].map(Into::into));
    for (name, counts) in rows {
        let Some(c) = counts else {
            let mut title: [String; 7] = Default::default();
            title[0].clone_from(name);
            line(title);
            continue;
        };
        let score = |x: f64| format!("{x:.3}");
        let [tp, fp, fn_] = [c.tp, c.fp, c.fn_].map(|n| n.to_string());
        line([name.clone(), tp, fp, fn_, score(c.precision()), score(c.recall()), score(c.f1())]);
    }
    text
}
