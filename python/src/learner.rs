//! Learners as Python uses them: one of the registry, with the stream that it has seen so far.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use oled::learn::{ProgressListener, Supervision};
use oled::logic::MAX_STEPS;
use oled::{Evaluation, Interrupt, Learned, Learner, Recogniser, state};
use oled_data::task_folder::TaskFolder;
use oled_data::{Checkpoint, Constants, Feed, MOST_CONSTANTS, printable_json};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use crate::errors::{Failure, Outcome};
use crate::input::{Run, push};
use crate::supervise::{Own, Watch, supervised};
use crate::task::{PyTask, Spec, folder_of, theory_of};

/// What a learner is made of: its name, its preset and its settings.
#[derive(Clone)]
struct Wanted {
    learner: String,
    preset: Option<String>,
    settings: Vec<(String, String)>,
    threads: usize,
}

/// A learner, and the stream that it has seen.
#[pyclass(module = "oled._oled", name = "Learner")]
pub(crate) struct PyLearner {
    folder: Arc<TaskFolder>,
    wanted: Wanted,
    learner: Own<Box<dyn Learner>>,
    feed: Own<Feed>,
}

/// What is saved: what it is made of, what is known of the stream, and what was learned.
type State = (Spec, (String, Option<String>, Vec<(String, String)>), Vec<u8>, Vec<u8>);

impl Wanted {
    fn make(&self, folder: &TaskFolder) -> Outcome<Box<dyn Learner>> {
        let more = |_: Option<&str>| self.settings.clone();
        Ok(oled_experiment::learner(folder, &self.learner, self.preset.as_deref(), &more, self.threads)?)
    }
}

/// What a task is made of, with facts that were taken from the stream.
fn spec_of(folder: &TaskFolder) -> Spec {
    let [modes, background] = [0, 1].map(|i| folder.texts()[i].text.clone());
    (folder.name.clone(), Some([folder.manifest().text.clone(), modes, background]))
}

impl PyLearner {
    fn of(folder: Arc<TaskFolder>, wanted: Wanted) -> Outcome<PyLearner> {
        let learner = wanted.make(&folder)?;
        let feed = Feed::new(&folder.read_options(None, false))?;
        Ok(PyLearner { folder, wanted, learner: Own::new(learner), feed: Own::new(feed) })
    }

    /// Puts somebody in charge who may end a call early, and hears how far it is.
    fn supervise(&mut self, interrupt: &Interrupt, watch: &Watch) {
        let line = watch.line();
        let listener =
            ProgressListener::new(move |text| *line.lock().unwrap_or_else(PoisonError::into_inner) = text.to_string());
        let (searches, frames) = (interrupt.clone(), interrupt.clone());
        self.learner.get().supervise(&Supervision { searches, frames, listener });
    }

    /// Takes the constants that nobody lists from data that can be read again.
    fn take_constants(&mut self, py: Python<'_>, source: &Bound<'_, PyTuple>, lenient: bool) -> PyResult<()> {
        let Some(mut constants) = Constants::wanted(&self.folder.task) else { return Ok(()) };
        let (interrupt, watch) = (Interrupt::default(), Watch::default());
        let folder = self.folder.clone();
        let run = Run::new(&folder, source, lenient, (&interrupt, &watch))?;
        run.each(py, None, &mut |frame| {
            constants.see(frame).map_err(|kind| {
                Failure::new(format!(
                    "the stream has more than {MOST_CONSTANTS} values of the type `{kind}`, whose constants rules may have\n\
                     hint: list those that matter in the background, each as a fact: `{kind}(value).`"
                ))
            })
        })?;
        let folder = Arc::new(self.folder.with_facts(&constants.facts()).map_err(Failure::from)?);
        *self = PyLearner::of(folder, self.wanted.clone())?;
        Ok(())
    }
}

#[pymethods]
impl PyLearner {
    #[new]
    #[pyo3(signature = (task, learner, preset, settings, threads))]
    fn new(
        task: &PyTask,
        learner: String,
        preset: Option<String>,
        settings: Vec<(String, String)>,
        threads: usize,
    ) -> PyResult<PyLearner> {
        let wanted = Wanted { learner, preset, settings, threads };
        Ok(PyLearner::of(task.folder.clone(), wanted)?)
    }

    /// Learns from data, which goes on where the last ended. Returns what there is to be told of it.
    #[pyo3(signature = (source, labels, lenient, first, progress))]
    fn learn(
        &mut self,
        py: Python<'_>,
        source: &Bound<'_, PyTuple>,
        labels: Option<&Bound<'_, PyTuple>>,
        lenient: bool,
        first: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Vec<String>> {
        if first {
            self.take_constants(py, source, lenient)?;
        }
        let (interrupt, watch) = (Interrupt::default(), Watch::new(progress));
        self.supervise(&interrupt, &watch);
        let folder = self.folder.clone();
        let run = Run::labelled(&folder, (source, labels), lenient, (&interrupt, &watch))?;
        let learner = self.learner.get();
        let told = run.each(py, Some(self.feed.get()), &mut |frame| {
            learner.observe(frame, &mut ());
            Ok(())
        })?;
        watch.end(py)?;
        Ok(told)
    }

    /// Learns from one frame.
    fn learn_one(&mut self, frame: &Bound<'_, PyAny>) -> PyResult<()> {
        let feed = self.feed.get();
        feed.set_lenient(false);
        push(feed, frame, &self.folder)?;
        while let Some(frame) = feed.take() {
            self.learner.get().observe(&frame.map_err(Failure::from)?, &mut ());
        }
        Ok(())
    }

    /// What was learned so far: the theory with its evidence as text, as JSON, a line of summary, and remarks. With data, which
    /// was learned from, a learner that does not know how well its rules fit is told.
    #[pyo3(signature = (source = None, labels = None, lenient = false, progress = None))]
    fn learned(
        &mut self,
        py: Python<'_>,
        source: Option<&Bound<'_, PyTuple>>,
        labels: Option<&Bound<'_, PyTuple>>,
        lenient: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(String, String, String, Vec<String>)> {
        let (interrupt, watch) = (Interrupt::default(), Watch::new(progress));
        self.supervise(&interrupt, &watch);
        let learner = self.learner.get();
        let mut learned = supervised(py, &interrupt, &watch, || Ok(learner.learned(&mut ())))?;
        watch.end(py)?;
        if let (true, Some(source)) = (learned.fits.is_empty(), source) {
            self.fit(py, &mut learned, (source, labels, lenient))?;
        }
        let json = serde_json::to_string(&learned).map_err(|error| Failure::new(error.to_string()))?;
        Ok((learned.to_text(), printable_json(&json), learned.summary(), learned.all_remarks()))
    }

    /// How many time points, or pairs of them, were learned from.
    #[getter]
    fn seen(&mut self) -> u64 {
        self.learner.get().progress().interpretations
    }

    /// Starts from rules that are given.
    fn start_from(&mut self, name: &str, text: &str) -> PyResult<()> {
        Ok(self.learner.get().start_from(&theory_of(name, text)?).map_err(Failure::from)?)
    }

    /// All that is known, as the bytes of a checkpoint.
    fn save<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let Some(known) = self.learner.get().save(&mut ()) else {
            return Err(Failure::new(format!("the learner `{}` cannot be saved", self.wanted.learner)).into());
        };
        let Wanted { learner, preset, settings, .. } = self.wanted.clone();
        let made_of = vec![
            ("the command".to_string(), "Python".to_string()),
            ("the task".to_string(), self.folder.name.clone()),
            ("the learner".to_string(), learner.clone()),
        ];
        let own: State = (spec_of(&self.folder), (learner, preset, settings), self.feed.get().save(), known);
        Ok(PyBytes::new(py, &Checkpoint { made_of, state: state::encode(&own) }.to_bytes()))
    }

    /// A learner that goes on where one was saved.
    #[staticmethod]
    fn load(name: &str, bytes: &[u8], threads: usize) -> PyResult<PyLearner> {
        let checkpoint = Checkpoint::from_bytes(Path::new(name), bytes).map_err(Failure::from)?;
        let (spec, (learner, preset, settings), feed, known): State =
            state::decode(&checkpoint.state).map_err(Failure::from)?;
        let wanted = Wanted { learner, preset, settings, threads };
        let mut loaded = PyLearner::of(Arc::new(folder_of(&spec)?), wanted)?;
        loaded.feed.get().restore(&feed).map_err(Failure::from)?;
        loaded.learner.get().restore(&known).map_err(Failure::from)?;
        Ok(loaded)
    }

    /// The task, as it is learned: with constants that were taken from the stream.
    #[getter]
    fn task(&self) -> PyTask {
        PyTask { folder: self.folder.clone() }
    }

    /// The name, the preset and the settings.
    #[getter]
    fn wanted(&self) -> (String, Option<String>, Vec<(String, String)>) {
        let Wanted { learner, preset, settings, .. } = self.wanted.clone();
        (learner, preset, settings)
    }
}

/// Data that was learned from: where it is, labels apart from it, and whether faults are left out.
type Seen<'a, 'py> = (&'a Bound<'py, PyTuple>, Option<&'a Bound<'py, PyTuple>>, bool);

impl PyLearner {
    /// How well rules fit, by recognition with them in a second look.
    fn fit(&self, py: Python<'_>, learned: &mut Learned, (source, labels, lenient): Seen<'_, '_>) -> PyResult<()> {
        let (interrupt, watch) = (Interrupt::default(), Watch::default());
        let (task, theory) = (&self.folder.task, learned.theory());
        let recogniser = Recogniser::new(task, &theory).map_err(Failure::from)?;
        let mut recogniser = recogniser.with_max_steps(MAX_STEPS).with_interrupt(interrupt.clone());
        let mut evaluation = Evaluation::new(&task.labels());
        let run =
            Run { uses_labels: false, ..Run::labelled(&self.folder, (source, labels), lenient, (&interrupt, &watch))? };
        let times = self.folder.times();
        run.each(py, None, &mut |frame| {
            recogniser.observe(frame, &mut Vec::new());
            crate::recogniser::check(&recogniser, frame, times)?;
            evaluation.count(&recogniser, frame);
            Ok(())
        })?;
        learned.fits = oled::learn::fits(task, &theory, &evaluation);
        Ok(())
    }
}

/// The learners there are: names, what they are, presets, and settings with their meanings and ranges.
#[pyfunction]
#[pyo3(name = "_learners")]
#[allow(clippy::type_complexity, reason = "it is read by Python, where it is a list of tuples")]
pub(crate) fn learners()
-> Vec<(&'static str, &'static str, Vec<&'static str>, Vec<(&'static str, &'static str, &'static str)>)> {
    let specs = oled_experiment::LEARNERS.iter();
    specs.map(|spec| (spec.name, spec.about, spec.presets.to_vec(), spec.settings.to_vec())).collect()
}

/// What the bytes of a checkpoint were made of.
#[pyfunction]
#[pyo3(name = "_made_of")]
pub(crate) fn made_of(name: &str, bytes: &[u8]) -> PyResult<Vec<(String, String)>> {
    Ok(Checkpoint::from_bytes(Path::new(name), bytes).map_err(Failure::from)?.made_of)
}

/// Says what is wrong with a setting.
#[pyfunction]
#[pyo3(name = "_check_setting")]
pub(crate) fn check_setting(learner: &str, name: &str, value: &str) -> PyResult<()> {
    Ok(oled_experiment::check_setting(learner, name, value).map_err(Failure::new)?)
}
