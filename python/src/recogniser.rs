//! Recognisers as Python uses them: intervals from data, frame by frame, with confidence, evaluated and explained.

use std::path::Path;
use std::sync::Arc;

use oled::explain::Explainer;
use oled::induce::MAX_INSTANCES;
use oled::logic::{MAX_STEPS, NARROW, Stop};
use oled::weights::{Confidence, Decision, Firing, FluentChains, Layered, Live, Method, Weighing, Weights};
use oled::{Evaluation, Frame, Interrupt, Interval, Recogniser, Signature, Theory, Tracks, state};
use oled_data::task_folder::TaskFolder;
use oled_data::{Checkpoint, Feed, Times, printable_json, wanted};
use oled_experiment::defines_nothing;
use oled_experiment::explain::{Fluents, KINDS, Kind, Report, Runs};
use oled_experiment::fragment;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use serde_json::{Value as Json, json};

use crate::errors::{Failure, Outcome};
use crate::input::{Run, push, time_of};
use crate::intervals::PyIntervals;
use crate::supervise::{Own, Watch};
use crate::task::{PyTask, Spec, folder_of, spec_of, theory_of};

/// A theory at work on a stream.
#[pyclass(module = "oled._oled", name = "Recogniser")]
pub(crate) struct PyRecogniser {
    folder: Arc<TaskFolder>,
    /// The text of the theory.
    text: (String, String),
    theory: Theory,
    recogniser: Recogniser,
    feed: Own<Feed>,
}

/// What is saved: the task, the theory, what is known of the stream, and what holds.
type State = (Spec, (String, String), Vec<u8>, Vec<u8>);

/// Where explanations come from: which fluent, segment and time, and how many of each kind.
type Asked<'py> = (Option<String>, Option<String>, Option<Bound<'py, PyAny>>, Option<usize>);

/// How many of each kind are explained where nobody says, as the program does.
const LIMIT: usize = 5;

/// A delay that no segment is as long as.
const NEVER: usize = usize::MAX / 4;

/// Fails where not everything was derived that follows from a frame.
pub(crate) fn check(recogniser: &Recogniser, frame: &Frame, times: Times) -> Outcome<()> {
    too_much(recogniser.stop(), frame, times)
}

fn too_much(stop: Option<&Stop>, frame: &Frame, times: Times) -> Outcome<()> {
    match stop {
        // Whoever interrupted raises an exception of their own.
        None | Some(Stop::Interrupted) => Ok(()),
        Some(stop) => {
            let (time, segment) = (times.show(frame.time), frame.segment);
            Err(Failure::new(format!("{stop} at time {time} of segment `{segment}`\nhint: {NARROW}")))
        }
    }
}

fn made(folder: &TaskFolder, theory: &Theory) -> Outcome<Recogniser> {
    let recogniser = Recogniser::new(&folder.task, theory)?;
    if recogniser.fluents().next().is_none() && !theory.clauses.is_empty() {
        return Err(defines_nothing(&folder.task).into());
    }
    Ok(recogniser.with_limit(MAX_INSTANCES).with_max_steps(MAX_STEPS))
}

impl PyRecogniser {
    fn of(folder: Arc<TaskFolder>, text: (String, String)) -> Outcome<PyRecogniser> {
        let theory = theory_of(&text.0, &text.1)?;
        let recogniser = made(&folder, &theory)?;
        let feed = Feed::new(&folder.read_options(None, false))?;
        Ok(PyRecogniser { folder, text, theory, recogniser, feed: Own::new(feed) })
    }

    fn times(&self) -> Times {
        self.folder.times()
    }

    /// The intervals that the task asks for.
    fn intervals(&self, mut closed: Vec<Interval>, all: bool) -> PyIntervals {
        let wanted: Vec<Signature> = wanted(&self.folder.task, &self.recogniser, all);
        closed.retain(|interval| wanted.contains(&interval.signature));
        PyIntervals { intervals: closed, sure: None, times: self.times() }
    }

    /// Which rules fire, layer by layer, with their weights.
    fn weighted(&self) -> Outcome<(Vec<Firing>, Weights)> {
        let layers = layers(&self.folder, &self.theory)?;
        let fluents: Vec<FluentChains> = layers.iter().flat_map(Firing::fluents).cloned().collect();
        let weights = Weights::read(&self.theory, &fluents)?.ok_or_else(|| {
            Failure::new(
                "the rules have no weights\nhint: `oled.weigh(task, theory, data)` learns them from labelled data",
            )
        })?;
        Ok((layers, weights))
    }
}

fn layers(folder: &TaskFolder, theory: &Theory) -> Outcome<Vec<Firing>> {
    let layers = Firing::layers(&folder.task, theory)?;
    if layers.iter().all(|layer| layer.fluents().is_empty()) {
        return Err(Failure::new(format!(
            "the theory has no rules for what the task `{}` labels\nhint: weights are for fluents with `example(…)` in the modes",
            folder.name
        )));
    }
    Ok(layers.into_iter().map(|layer| layer.with_limits(MAX_INSTANCES, MAX_STEPS)).collect())
}

/// What recognises with weights: in one layer, or layer by layer when a segment ends.
enum Sure {
    Live(Box<Live>),
    Layered(Box<Layered>),
}

impl Sure {
    fn observe(&mut self, frame: &Frame, closed: &mut Vec<(Interval, Confidence)>) {
        match self {
            Sure::Live(live) => live.observe(frame, closed),
            Sure::Layered(layered) => layered.observe(frame, closed),
        }
    }

    fn stop(&self) -> Option<&Stop> {
        match self {
            Sure::Live(live) => live.stop(),
            Sure::Layered(layered) => layered.stop(),
        }
    }

    fn finish(&mut self, closed: &mut Vec<(Interval, Confidence)>) {
        match self {
            Sure::Live(live) => live.finish(closed),
            Sure::Layered(layered) => layered.finish(closed),
        }
    }
}

#[pymethods]
impl PyRecogniser {
    #[new]
    fn new(task: &PyTask, name: String, text: String) -> PyResult<PyRecogniser> {
        Ok(PyRecogniser::of(task.folder.clone(), (name, text))?)
    }

    /// The fluents that it recognises.
    #[getter]
    fn fluents(&self) -> Vec<String> {
        self.recogniser.fluents().map(|fluent| fluent.to_string()).collect()
    }

    /// The intervals that follow from data, and what there is to be told of it.
    #[pyo3(signature = (source, all, lenient, progress))]
    fn predict(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyTuple>,
        all: bool,
        lenient: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(PyIntervals, Vec<String>)> {
        let mut folder = (*self.folder).clone();
        folder.skip_quiet(&self.theory);
        let (interrupt, watch) = (Interrupt::default(), Watch::new(progress));
        let mut recogniser = made(&folder, &self.theory)?.with_interrupt(interrupt.clone());
        let run = Run::new(&folder, source, lenient, (&interrupt, &watch))?;
        let (mut closed, times) = (Vec::new(), self.times());
        let told = run.each(py, None, &mut |frame| {
            recogniser.observe(frame, &mut closed);
            check(&recogniser, frame, times)
        })?;
        recogniser.finish(&mut closed);
        watch.end(py)?;
        Ok((self.intervals(closed, all), told))
    }

    /// The same by the weights of the rules, with how sure each interval is.
    #[pyo3(signature = (source, threshold, lenient, progress))]
    fn predict_proba(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyTuple>,
        threshold: Option<f64>,
        lenient: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(PyIntervals, Vec<String>)> {
        let (mut layers, weights) = self.weighted()?;
        let decision = threshold.map_or(Decision::Best, Decision::AtLeast);
        let mut recogniser = match layers.len() {
            1 => Sure::Live(Box::new(Live::new(layers.swap_remove(0), weights, decision, NEVER))),
            _ => Sure::Layered(Box::new(Layered::new(&self.folder.task, layers, weights, decision))),
        };
        let (interrupt, watch) = (Interrupt::default(), Watch::new(progress));
        let run = Run::new(&self.folder, source, lenient, (&interrupt, &watch))?;
        let (mut found, times, durations) = (Vec::new(), self.times(), self.folder.task.bias.durations());
        let mut put = |closed: &mut Vec<(Interval, Confidence)>| {
            closed.retain(|(interval, _)| !interval.is_short(&durations));
            // As the program prints them: what has become known at once, in the order of their ends.
            closed.sort_by_key(|(interval, _)| (interval.last, interval.first));
            found.append(closed);
        };
        let mut closed = Vec::new();
        let told = run.each(py, None, &mut |frame| {
            recogniser.observe(frame, &mut closed);
            too_much(recogniser.stop(), frame, times)?;
            put(&mut closed);
            Ok(())
        })?;
        recogniser.finish(&mut closed);
        put(&mut closed);
        watch.end(py)?;
        let (intervals, sure) = found.into_iter().unzip();
        Ok((PyIntervals { intervals, sure: Some(sure), times }, told))
    }

    /// Processes one frame of a stream that goes on; returns the intervals that ended, and those that began.
    fn observe(&mut self, frame: &Bound<'_, PyAny>) -> PyResult<(PyIntervals, PyIntervals)> {
        push(self.feed.get(), frame, &self.folder)?;
        let (mut closed, mut begun) = (Vec::new(), Vec::new());
        while let Some(frame) = self.feed.get().take() {
            let frame = frame.map_err(Failure::from)?;
            self.recogniser.observe(&frame, &mut closed);
            check(&self.recogniser, &frame, self.times())?;
            begun.extend(self.recogniser.begun());
        }
        Ok((self.intervals(closed, false), self.intervals(begun, false)))
    }

    /// Ends the stream; returns the intervals that lasted to its end.
    fn finish(&mut self) -> PyResult<PyIntervals> {
        let mut closed = Vec::new();
        self.recogniser.finish(&mut closed);
        *self.feed.get() = Feed::new(&self.folder.read_options(None, false)).map_err(Failure::from)?;
        Ok(self.intervals(closed, false))
    }

    /// What holds at the frame observed last.
    fn holding(&self) -> Vec<String> {
        let holding = self.recogniser.holding();
        let mut texts: Vec<String> =
            holding.map(|(signature, values)| oled_data::compact(&oled::calculus::fluent(signature, values))).collect();
        texts.sort();
        texts
    }

    /// Goes on with another theory: what holds goes on where its rules are the same. Returns the intervals that end with theirs.
    fn swap(&mut self, name: String, text: String) -> PyResult<PyIntervals> {
        let theory = theory_of(&name, &text)?;
        let mut closed = Vec::new();
        let task = &self.folder.task;
        self.recogniser.reload(task, (&self.theory, &theory), &mut closed).map_err(Failure::from)?;
        let ended = self.intervals(closed, false);
        (self.theory, self.text) = (theory, (name, text));
        Ok(ended)
    }

    /// Recognised against labelled: all that was counted as JSON, the timelines as a drawing, and what there is to be told.
    #[pyo3(signature = (source, labels, share, by_segment, lenient, progress))]
    #[allow(clippy::too_many_arguments, reason = "Python names them")]
    fn evaluate(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyTuple>,
        labels: Option<&Bound<'_, PyTuple>>,
        share: f64,
        by_segment: bool,
        lenient: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String, Vec<String>)> {
        let targets = self.folder.task.labels();
        if targets.is_empty() {
            let message = format!(
                "the task `{}` declares no labels to compare with\nhint: add `example(holdsAt(fluent(+type), +time)).` to its modes",
                self.folder.name
            );
            return Err(Failure::new(message).into());
        }
        let (interrupt, watch) = (Interrupt::default(), Watch::new(progress));
        let mut recogniser = made(&self.folder, &self.theory)?.with_interrupt(interrupt.clone());
        let (mut evaluation, mut tracks) = (Evaluation::new(&targets), Tracks::new(&targets));
        let run = Run::labelled(&self.folder, (source, labels), lenient, (&interrupt, &watch))?;
        let times = self.times();
        let told = run.each(py, None, &mut |frame| {
            recogniser.observe(frame, &mut Vec::new());
            check(&recogniser, frame, times)?;
            evaluation.count(&recogniser, frame);
            tracks.add(&recogniser, frame);
            Ok(())
        })?;
        watch.end(py)?;
        let mut object = json!(evaluation);
        if by_segment {
            let rows = evaluation.by_segment().into_iter().map(|(fluent, segment, counts)| {
                let mut row = json!({"segment": segment.as_str(), "fluent": fluent.as_str()});
                if let (Json::Object(row), Json::Object(counts)) = (&mut row, json!(counts)) {
                    row.extend(counts);
                }
                row
            });
            object["segments"] = rows.collect();
        }
        let of_intervals = tracks.counts(share).into_iter().map(|(name, c)| {
            let counts = json!({
                "share": share, "annotated": c.annotated, "recognised": c.recognised, "found": c.found, "right": c.right,
                "precision": c.precision(), "recall": c.recall(), "f1": c.f1(), "delay": c.mean_delay(),
                "covered": c.mean_covered(), "false_alarms": c.false_alarms,
            });
            (name.as_str().to_string(), counts)
        });
        object["intervals"] = Json::Object(of_intervals.collect());
        let drawing = fragment::timelines(fragment::of_tracks(&tracks), true);
        Ok((printable_json(&object.to_string()), drawing, told))
    }

    /// Why intervals were recognised, missed or false alarms: as text, and as JSON.
    #[pyo3(signature = (source, labels, asked, lenient, progress))]
    fn explain(
        &self,
        py: Python<'_>,
        source: &Bound<'_, PyTuple>,
        labels: Option<&Bound<'_, PyTuple>>,
        asked: Asked<'_>,
        lenient: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String, Vec<String>)> {
        let (fluent, segment, at, limit) = asked;
        let (interrupt, watch) = (Interrupt::default(), Watch::new(progress));
        let task = &self.folder.task;
        let explainer = Explainer::new(task, &self.theory).map_err(Failure::from)?.with_limits(MAX_STEPS, &interrupt);
        let fluents = Fluents::new(&self.folder, &explainer, fluent.as_deref()).map_err(Failure::from)?;
        // Whoever names one fluent wants to see all of it.
        let limit = limit.or((!fluents.is_one()).then_some(LIMIT)).unwrap_or(usize::MAX);
        let at = at.map(|at| time_of(&at, &self.folder)).transpose()?;
        let related = task.related(&self.theory);
        let mut runs =
            Runs::new(explainer, (fluents, &related), (task.options.interleaved, task.options.both), at, limit);
        let run = Run::labelled(&self.folder, (source, labels), lenient, (&interrupt, &watch))?;
        let (mut ready, times): (Vec<Report>, Times) = (Vec::new(), self.times());
        let told = run.each(py, None, &mut |frame| {
            runs.see_labels(frame);
            if segment.as_deref().is_none_or(|name| name == frame.segment.as_str()) {
                too_much(runs.observe(frame, &mut ready).as_ref(), frame, times)?;
            }
            Ok(())
        })?;
        runs.finish(false, &mut ready);
        watch.end(py)?;
        // A stream without labels has no false alarms.
        ready.retain(|report| runs.is_labelled() || report.kind != Kind::FalseAlarm);
        let mut object = json!({});
        for kind in KINDS.into_iter().chain([Kind::Absent]) {
            let of_kind: Vec<Json> =
                ready.iter().filter(|report| report.kind == kind).map(|report| report.to_json(times)).collect();
            if kind != Kind::Absent || !of_kind.is_empty() {
                object[kind.key()] = of_kind.into();
            }
        }
        let mut more = runs.more();
        if !runs.is_labelled() {
            more[Kind::FalseAlarm as usize] = 0;
        }
        object["more"] = KINDS.iter().zip(more).map(|(kind, count)| (kind.key().to_string(), json!(count))).collect();
        let texts: Vec<String> = ready.iter().map(|report| report.to_text(times)).collect();
        Ok((texts.join("\n"), printable_json(&object.to_string()), told))
    }

    /// All that is known of the stream so far, as the bytes of a checkpoint.
    fn save<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let made_of = vec![
            ("the command".to_string(), "Python".to_string()),
            ("the task".to_string(), self.folder.name.clone()),
            ("recogniser".to_string(), self.text.0.clone()),
        ];
        let own: State = (spec_of(&self.folder), self.text.clone(), self.feed.get().save(), self.recogniser.save());
        PyBytes::new(py, &Checkpoint { made_of, state: state::encode(&own) }.to_bytes())
    }

    /// A recogniser that goes on where one was saved.
    #[staticmethod]
    fn load(name: &str, bytes: &[u8]) -> PyResult<PyRecogniser> {
        let checkpoint = Checkpoint::from_bytes(Path::new(name), bytes).map_err(Failure::from)?;
        let (spec, text, feed, known): State = state::decode(&checkpoint.state).map_err(Failure::from)?;
        let mut loaded = PyRecogniser::of(Arc::new(folder_of(&spec)?), text)?;
        loaded.feed.get().restore(&feed).map_err(Failure::from)?;
        loaded.recogniser.restore(&known).map_err(Failure::from)?;
        Ok(loaded)
    }

    /// The task, and the name and text of the theory.
    #[getter]
    fn made_of(&self) -> (PyTask, String, String) {
        (PyTask { folder: self.folder.clone() }, self.text.0.clone(), self.text.1.clone())
    }
}

/// A theory with weights for its rules, learned from labelled data: its text.
#[pyfunction]
#[pyo3(name = "_weigh")]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn weigh(
    py: Python<'_>,
    task: &PyTask,
    name: &str,
    text: &str,
    source: &Bound<'_, PyTuple>,
    labels: Option<&Bound<'_, PyTuple>>,
    method: &str,
    lenient: bool,
) -> PyResult<(String, Vec<String>)> {
    let theory = theory_of(name, text)?;
    let method = match method {
        "margin" => Method::Margin,
        "adagrad" => Method::AdaGrad,
        "experts" => Method::Experts,
        other => {
            let message = format!("weights are not learned by `{other}`\nhint: by `margin`, `adagrad` or `experts`");
            return Err(Failure::new(message).into());
        }
    };
    let mut layers = layers(&task.folder, &theory)?;
    let (interrupt, watch) = (Interrupt::default(), Watch::default());
    let run = Run::labelled(&task.folder, (source, labels), lenient, (&interrupt, &watch))?;
    let (mut kept, times, several) = (Vec::new(), task.folder.times(), layers.len() > 1);
    let first = &mut layers[0];
    let told = run.each(py, None, &mut |frame| {
        first.observe(frame);
        too_much(first.stop(), frame, times)?;
        // Layers above the first need the frames again when what they ask for is known.
        if several {
            kept.push(frame.clone());
        }
        Ok(())
    })?;
    let weighing = Weighing { method, ..Weighing::default() };
    let weighed = if several {
        weighing.learn(&task.folder.task, &theory, || kept.iter()).map_err(Failure::from)?
    } else {
        weighing.weigh(layers.swap_remove(0).finish())
    };
    if weighed.chains.fluents.iter().all(|fluent| fluent.chains.is_empty()) {
        return Err(Failure::new("no rule starts anything in this stream, so there is nothing to weigh").into());
    }
    Ok((weighed.weights.write(&theory, &weighed.chains.fluents).to_string(), told))
}
