//! Tasks as Python loads them.

use std::path::PathBuf;
use std::sync::Arc;

use oled::{Problems, Source, Theory, parse_source};
use oled_data::task_folder::TaskFolder;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::{Failure, Outcome};

/// What a stream consists of, what follows from it, and what is to be recognised.
#[pyclass(module = "oled._oled", name = "Task", frozen)]
pub(crate) struct PyTask {
    pub(crate) folder: Arc<TaskFolder>,
}

/// What a task is made of, so that it can be made again elsewhere: its name, and the texts of one that is not built in.
pub(crate) type Spec = (String, Option<[String; 3]>);

/// What a task is made of.
pub(crate) fn spec_of(folder: &TaskFolder) -> Spec {
    let texts = || {
        let [modes, background] = [0, 1].map(|i| folder.texts()[i].text.clone());
        [folder.manifest().text.clone(), modes, background]
    };
    (folder.name.clone(), (!folder.is_embedded()).then(texts))
}

/// The task that is made of this.
pub(crate) fn folder_of((name, texts): &Spec) -> Outcome<TaskFolder> {
    match texts {
        Some([manifest, modes, background]) => Ok(TaskFolder::from_texts(name, manifest, modes, background)?),
        None => TaskFolder::named(name).ok_or_else(|| Failure::new(format!("there is no task `{name}`"))),
    }
}

/// A theory from its text.
pub(crate) fn theory_of(name: &str, text: &str) -> Outcome<Theory> {
    let (theory, problems) = parse_source(&Source::new(name, text));
    Problems::check(problems)?;
    Ok(theory)
}

#[pymethods]
impl PyTask {
    /// Loads a folder, or a task that is built in.
    #[staticmethod]
    fn _load(path: PathBuf) -> PyResult<PyTask> {
        let folder = TaskFolder::load(&path).map_err(Failure::from)?;
        Ok(PyTask { folder: Arc::new(folder) })
    }

    /// A task from its texts.
    #[staticmethod]
    fn _parse(name: &str, settings: &str, modes: &str, background: &str) -> PyResult<PyTask> {
        let folder = TaskFolder::from_texts(name, settings, modes, background).map_err(Failure::from)?;
        Ok(PyTask { folder: Arc::new(folder) })
    }

    /// Its name, and the texts of `task.toml`, the declarations and the background.
    fn _texts(&self) -> (String, String, String, String) {
        let [modes, background] = [0, 1].map(|i| self.folder.texts()[i].text.clone());
        (self.folder.name.clone(), self.folder.manifest().text.clone(), modes, background)
    }

    /// Its name, and its texts unless it is built in.
    fn _spec(&self) -> Spec {
        spec_of(&self.folder)
    }

    /// A task from what `_spec` gave.
    #[staticmethod]
    fn _of_spec(spec: Spec) -> PyResult<PyTask> {
        Ok(PyTask { folder: Arc::new(folder_of(&spec)?) })
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        &self.folder.name
    }

    /// What it is about.
    #[getter]
    fn description(&self) -> &str {
        &self.folder.description
    }

    /// What may be observed: `happensAt(walking(_), _)`.
    #[getter]
    fn inputs(&self) -> Vec<String> {
        self.folder.task.bias.inputs.iter().map(|mode| mode.signature().to_string()).collect()
    }

    /// What is labelled, to be learned and recognised: `holdsAt(meeting(_, _), _)`.
    #[getter]
    fn labels(&self) -> Vec<String> {
        self.folder.task.labels().iter().map(ToString::to_string).collect()
    }

    /// The theories that come with it, by name.
    fn _theories(&self) -> PyResult<Vec<(String, String)>> {
        let theories = self.folder.theories().map_err(Failure::from)?;
        let stem = |name: &str| {
            let file = name.rsplit(['/', '\\']).next().unwrap_or(name);
            file.trim_end_matches(".lp").to_string()
        };
        Ok(theories.iter().map(|theory| (stem(&theory.name), theory.text.clone())).collect())
    }

    /// The time point that a text is.
    fn _read_time(&self, text: &str) -> PyResult<i64> {
        let time = self.folder.times().read(text);
        Ok(time.map_err(|error| Failure::new(format!("{}\nhint: {}", error.message, error.hint)))?)
    }

    /// What is wrong with a theory is raised; what it probably does not mean is returned.
    fn _check(&self, name: &str, text: &str) -> PyResult<Vec<String>> {
        let theory = theory_of(name, text)?;
        self.folder.task.check(&theory).map_err(Failure::from)?;
        Ok(self.folder.task.warnings(&theory).iter().map(|warning| warning.as_warning().to_string()).collect())
    }
}

/// The rules of a theory: each as a text, its head, its conditions, and its weight if it has one.
#[pyfunction]
#[pyo3(name = "_rules")]
pub(crate) fn rules(py: Python<'_>, name: &str, text: &str) -> PyResult<Vec<Py<PyTuple>>> {
    let theory = theory_of(name, text)?;
    let rule = |(number, clause): (usize, &oled::Clause)| {
        let body: Vec<String> = clause.body.iter().map(ToString::to_string).collect();
        let weight = theory.weight(number);
        Ok((clause.to_string(), clause.head.to_string(), body, weight).into_pyobject(py)?.unbind())
    };
    theory.clauses.iter().enumerate().map(rule).collect()
}

/// A theory as the report shows it.
#[pyfunction]
#[pyo3(name = "_theory_html")]
pub(crate) fn theory_html(text: &str) -> String {
    oled_experiment::fragment::theory(text)
}
