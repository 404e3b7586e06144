//! Frames as Python builds them.

use oled::{Facts, Frame, Symbol, Value};
use oled_data::{Format, FrameWriter};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyString, PyTuple};

use crate::errors::Failure;

/// What is known about one time point of one segment: what was observed, and what is labelled.
///
/// >>> import oled
/// >>> frame = oled.Frame("walk1", 680).happens("walking", "id1").label("meeting", "id1", "id2")
/// >>> frame.narrative
/// ['happensAt(walking(id1),680)']
/// >>> frame.annotation
/// ['holdsAt(meeting(id1,id2),680)']
#[pyclass(module = "oled._oled", name = "Frame")]
pub(crate) struct PyFrame {
    pub(crate) frame: Frame,
}

/// A value of a fact: a name or a number.
pub(crate) fn value(object: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(text) = object.cast::<PyString>() {
        return Ok(Value::Sym(Symbol::new(text.to_str()?)));
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Sym(Symbol::new(if object.is_truthy()? { "true" } else { "false" })));
    }
    if object.is_instance_of::<PyInt>() {
        return Ok(Value::Int(object.extract()?));
    }
    if object.is_instance_of::<PyFloat>() {
        let number: f64 = object.extract()?;
        return Value::real(number).ok_or_else(|| PyValueError::new_err(format!("{number} is no value of a fact")));
    }
    // Numbers of other libraries.
    if let Ok(number) = object.call_method0("item") {
        return value(&number);
    }
    Err(PyTypeError::new_err(format!("a fact has names and numbers, not {}", object.get_type().name()?)))
}

fn values(arguments: &Bound<'_, PyTuple>) -> PyResult<Vec<Value>> {
    arguments.iter().map(|argument| value(&argument)).collect()
}

/// Frames as lines of JSON.
pub(crate) fn jsonl<'f>(frames: impl IntoIterator<Item = &'f Frame>) -> PyResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut writer = FrameWriter::new(Format::Jsonl, &mut bytes).map_err(Failure::from)?;
    for frame in frames {
        writer.write(frame).map_err(Failure::from)?;
    }
    writer.finish().map_err(Failure::from)?;
    Ok(bytes)
}

/// A fact as streams write it.
fn texts(facts: &Facts, time: i64) -> Vec<String> {
    facts.atoms(time).map(|atom| atom.to_string().replace(", ", ",")).collect()
}

#[pymethods]
impl PyFrame {
    #[new]
    fn new(segment: &str, time: i64) -> PyFrame {
        PyFrame { frame: Frame::new(Symbol::new(segment), time) }
    }

    /// The segment.
    #[getter]
    fn segment(&self) -> String {
        self.frame.segment.as_str().to_string()
    }

    /// The time point.
    #[getter]
    fn time(&self) -> i64 {
        self.frame.time
    }

    /// What was observed, as atoms.
    #[getter]
    fn narrative(&self) -> Vec<String> {
        texts(&self.frame.narrative, self.frame.time)
    }

    /// What is labelled as true, as atoms.
    #[getter]
    fn annotation(&self) -> Vec<String> {
        texts(&self.frame.annotation, self.frame.time)
    }

    /// Adds an event; returns the frame.
    #[pyo3(signature = (event, *arguments))]
    fn happens<'py>(
        mut slf: PyRefMut<'py, Self>,
        event: &str,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        slf.frame.happens(event, values(arguments)?);
        Ok(slf)
    }

    /// Adds a fluent that is observed; returns the frame.
    #[pyo3(signature = (fluent, *arguments))]
    fn holds<'py>(
        mut slf: PyRefMut<'py, Self>,
        fluent: &str,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        slf.frame.holds(fluent, values(arguments)?);
        Ok(slf)
    }

    /// Adds a fact with its values; returns the frame.
    #[pyo3(signature = (name, *values))]
    fn fact<'py>(
        mut slf: PyRefMut<'py, Self>,
        name: &str,
        values: &Bound<'py, PyTuple>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        slf.frame.fact(name, self::values(values)?);
        Ok(slf)
    }

    /// Labels a fluent as true; returns the frame.
    #[pyo3(signature = (fluent, *arguments))]
    fn label<'py>(
        mut slf: PyRefMut<'py, Self>,
        fluent: &str,
        arguments: &Bound<'py, PyTuple>,
    ) -> PyResult<PyRefMut<'py, Self>> {
        slf.frame.label(fluent, values(arguments)?);
        Ok(slf)
    }

    /// The frame as a dictionary, as lines of JSON have it.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let dict = PyDict::new(py);
        dict.set_item("segment", self.segment())?;
        dict.set_item("time", self.frame.time)?;
        dict.set_item("narrative", self.narrative())?;
        dict.set_item("annotation", self.annotation())?;
        Ok(dict)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyFrame>().is_ok_and(|other| other.borrow().frame == self.frame)
    }

    fn __repr__(&self) -> String {
        let Frame { segment, time, narrative, annotation } = &self.frame;
        let (facts, labels) = (narrative.len(), annotation.len());
        format!("<oled.Frame {segment} at {time}: {facts} observed, {labels} labelled>", segment = segment.as_str())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let restore = py.import("oled._oled")?.getattr("_frame")?;
        Ok((restore, (PyBytes::new(py, &oled::state::encode(&self.frame)),)))
    }
}

/// A frame from its bytes: for pickle.
#[pyfunction]
#[pyo3(name = "_frame")]
pub(crate) fn restore(state: &[u8]) -> PyResult<PyFrame> {
    let frame = oled::state::decode(state).map_err(Failure::from)?;
    Ok(PyFrame { frame })
}

/// Frames as lines of JSON, as the program reads and writes them.
#[pyfunction]
#[pyo3(name = "_jsonl")]
pub(crate) fn to_jsonl(py: Python<'_>, frames: Vec<Py<PyFrame>>) -> PyResult<String> {
    let frames: Vec<PyRef<'_, PyFrame>> = frames.iter().map(|frame| frame.borrow(py)).collect();
    let bytes = jsonl(frames.iter().map(|frame| &frame.frame))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
