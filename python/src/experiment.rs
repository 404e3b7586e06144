//! Cross-validation and simulated worlds.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use oled::{Frame, Interrupt, Symbol};
use oled_data::homes::{Homes, HomesOptions};
use oled_data::world::{World, WorldOptions};
use oled_experiment::{Choice, Data as Segments, Experiment, Folds, Groups, Part, Row, Store, html, title};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::errors::Failure;
use crate::frame::PyFrame;
use crate::input::Run;
use crate::supervise::{Watch, supervised};
use crate::task::PyTask;

/// How a learner does on segments that it has not learned from: scores as JSON, the report as a page, and what there is to be told.
#[pyfunction]
#[pyo3(name = "_crossval")]
#[allow(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn crossval(
    py: Python<'_>,
    task: &PyTask,
    wanted: (String, Option<String>, Vec<(String, String)>),
    source: &Bound<'_, PyTuple>,
    labels: Option<&Bound<'_, PyTuple>>,
    plan: (usize, u64, u64, f64),
    groups: Vec<(String, String)>,
    threads: usize,
    lenient: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, Vec<String>)> {
    let ((learner, preset, settings), (folds, seed, orders, share)) = (wanted, plan);
    // The flag of an experiment, and the interrupt of a call, are one.
    let stop = Arc::new(AtomicBool::new(false));
    let (interrupt, watch) = (Interrupt::from(stop.clone()), Watch::new(progress));
    let run = Run::labelled(&task.folder, (source, labels), lenient, (&interrupt, &watch))?;
    let mut frames: Vec<Frame> = Vec::new();
    let told = run.each(py, None, &mut |frame| {
        frames.push(frame.clone());
        Ok(())
    })?;
    let groups: Groups = groups.iter().map(|(segment, group)| (Symbol::new(segment), Symbol::new(group))).collect();
    let choice = |(name, value)| Choice { data: None, fluent: None, name, value };
    let row = Row::learned(
        &title(&learner, preset.as_deref()),
        &learner,
        preset.as_deref(),
        settings.into_iter().map(choice).collect(),
    );
    let row = row.map_err(Failure::from)?;
    let folder = task.folder.clone();
    let line = watch.line();
    let results = supervised(py, &interrupt, &watch, || {
        let description = format!("{folds} folds");
        let dealt = Folds::Made { folds, seed, groups };
        let frames = frames.into_iter().map(Ok);
        let data = Segments::of_stream(&folder.name, &description, folder.rate, frames, &dealt)?;
        let experiment = Experiment {
            description: format!("{}: {}", data.name, data.description),
            name: format!("crossval {}", folder.name),
            parts: vec![Part { task: folder.clone(), data: Arc::new(data), rows: vec![row] }],
            orders: orders.max(1),
            share,
            stories: true,
            times: false,
            scaling: None,
            published: Vec::new(),
            notes: Vec::new(),
        };
        let tell = |progress: &oled_experiment::Progress| {
            let mut line = line.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            *line = format!("{} of {}: {}", progress.done, progress.total, progress.last);
        };
        Ok(experiment.run(&Store::in_memory(), threads, &stop, &tell)?)
    })?;
    watch.end(py)?;
    let json = serde_json::to_string(&results.results).map_err(|error| Failure::new(error.to_string()))?;
    Ok((json, html(&results), told))
}

/// Frames of a simulated lobby.
#[pyfunction]
#[pyo3(name = "_lobby")]
pub(crate) fn lobby(seed: u64, people: usize, length: u64, segments: usize, noise: f64) -> Vec<PyFrame> {
    let usual = WorldOptions::default();
    let world = World::new(WorldOptions {
        seed,
        people,
        frames: length,
        segments,
        event_noise: (usual.event_noise * noise).min(1.0),
        position_noise: usual.position_noise * noise,
        label_noise: (usual.label_noise * noise).min(1.0),
        ..usual
    });
    world.map(|frame| PyFrame { frame }).collect()
}

/// Frames of simulated homes.
#[pyfunction]
#[pyo3(name = "_homes")]
pub(crate) fn homes(seed: u64, homes: usize, days: usize, noise: f64) -> Vec<PyFrame> {
    let options = HomesOptions { seed, homes, days, ..HomesOptions::default() }.with_noise(noise);
    Homes::new(options).map(|frame| PyFrame { frame }).collect()
}
