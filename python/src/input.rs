//! What data may be: files, tables of any library, rows, or frames one by one.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use oled::{Frame, Interrupt, Symbol};
use oled_data::task_folder::TaskFolder;
#[cfg(feature = "arrow")]
use oled_data::{Batches, read_batches};
use oled_data::{Feed, Format, Frames, ReadOptions, Skipped, open};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString, PyTuple};

use crate::errors::{Failure, Outcome, in_python};
use crate::frame::PyFrame;
use crate::supervise::{Watch, supervised};

/// Where frames come from.
pub(crate) enum Data {
    /// Files, merged by time.
    Paths(Vec<PathBuf>),
    /// Tables in memory.
    #[cfg(feature = "arrow")]
    Tables(Vec<Batches>),
    /// Rows as flat objects of JSON, a line each.
    Rows(Vec<u8>),
    /// Frames, as whoever has them gives them.
    Frames(Py<PyIterator>),
}

/// Labels apart from the stream.
pub(crate) enum Labels {
    /// A file.
    Path(PathBuf),
    /// A table in memory.
    #[cfg(feature = "arrow")]
    Table(Batches),
}

#[cfg(feature = "arrow")]
fn batches(name: &str, table: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let reader: pyo3_arrow::PyRecordBatchReader = table.extract()?;
    Ok((name.to_string(), reader.into_reader()?))
}

/// The same, all of it at once: who answers one query at a time can be asked for another table then.
#[cfg(feature = "arrow")]
fn whole(name: &str, table: &Bound<'_, PyAny>) -> PyResult<Batches> {
    let (name, reader) = batches(name, table)?;
    let schema = reader.schema();
    let rows = reader.collect::<Result<Vec<_>, _>>();
    let rows = rows.map_err(|error| Failure::new(format!("`{name}` cannot be read as a table of Arrow: {error}")))?;
    Ok((name, Box::new(arrow_array::RecordBatchIterator::new(rows.into_iter().map(Ok), schema))))
}

#[cfg(not(feature = "arrow"))]
fn no_arrow() -> PyErr {
    Failure::new("this package was built without Arrow\nhint: name files, or hand over frames").into()
}

impl Data {
    /// What the Python side has made of its argument: a kind, and what is of that kind.
    pub(crate) fn read(source: &Bound<'_, PyTuple>) -> PyResult<Data> {
        let (kind, payload): (String, Bound<'_, PyAny>) = source.extract()?;
        match kind.as_str() {
            "paths" => Ok(Data::Paths(payload.extract()?)),
            "rows" => Ok(Data::Rows(payload.extract()?)),
            "frames" => Ok(Data::Frames(payload.try_iter()?.unbind())),
            #[cfg(feature = "arrow")]
            "tables" => {
                let tables: Vec<(String, Bound<'_, PyAny>)> = payload.extract()?;
                let read = if tables.len() > 1 { whole } else { batches };
                let tables = tables.iter().map(|(name, table)| read(name, table));
                Ok(Data::Tables(tables.collect::<PyResult<_>>()?))
            }
            #[cfg(not(feature = "arrow"))]
            "tables" => Err(no_arrow()),
            other => Err(PyTypeError::new_err(format!("there is no data of the kind `{other}`"))),
        }
    }
}

impl Labels {
    /// The same of labels.
    pub(crate) fn read(source: Option<&Bound<'_, PyTuple>>) -> PyResult<Option<Labels>> {
        let Some(source) = source else { return Ok(None) };
        let (kind, payload): (String, Bound<'_, PyAny>) = source.extract()?;
        match kind.as_str() {
            "path" => Ok(Some(Labels::Path(payload.extract()?))),
            #[cfg(feature = "arrow")]
            _ => Ok(Some(Labels::Table(whole("labels", &payload)?))),
            #[cfg(not(feature = "arrow"))]
            _ => Err(no_arrow()),
        }
    }

    fn add_to(self, feed: &mut Feed, options: &ReadOptions) -> Outcome<()> {
        match self {
            Labels::Path(path) => feed.labels_from(Some(&path), options)?,
            #[cfg(feature = "arrow")]
            Labels::Table(table) => feed.labels_of(table, options)?,
        }
        Ok(())
    }
}

/// A run over data: what it is, how it is read, and who may end it.
pub(crate) struct Run<'a> {
    pub(crate) folder: &'a TaskFolder,
    pub(crate) data: Data,
    pub(crate) labels: Option<Labels>,
    pub(crate) lenient: bool,
    /// Whether labels are used, so that it is told where there are none.
    pub(crate) uses_labels: bool,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) watch: &'a Watch,
}

/// What is done with each frame.
pub(crate) type Step<'a> = &'a mut (dyn FnMut(&Frame) -> Outcome<()> + Send);

/// So many frames of an iterator are taken before they are worked on: enough that the change of threads costs nothing beside them.
const CHUNK: usize = 1024;

/// Or those that come within this time: who sends frames as they happen wants each to be used soon.
const WAIT: Duration = Duration::from_millis(50);

impl<'a> Run<'a> {
    /// Over data whose labels, if it has any, are not used.
    pub(crate) fn new(
        folder: &'a TaskFolder,
        source: &Bound<'_, PyTuple>,
        lenient: bool,
        (interrupt, watch): (&'a Interrupt, &'a Watch),
    ) -> PyResult<Run<'a>> {
        Ok(Run { folder, data: Data::read(source)?, labels: None, lenient, uses_labels: false, interrupt, watch })
    }

    /// Over data with its labels, which may stand apart.
    pub(crate) fn labelled(
        folder: &'a TaskFolder,
        (source, labels): (&Bound<'_, PyTuple>, Option<&Bound<'_, PyTuple>>),
        lenient: bool,
        by: (&'a Interrupt, &'a Watch),
    ) -> PyResult<Run<'a>> {
        let labels = Labels::read(labels)?;
        Ok(Run { labels, uses_labels: true, ..Run::new(folder, source, lenient, by)? })
    }

    fn options(&self) -> ReadOptions {
        self.folder.read_options(None, self.lenient)
    }

    /// Takes all frames. Where a feed is given it goes on with them: its order, its ticks. Returns what there is to be told of the
    /// stream.
    pub(crate) fn each(mut self, py: Python<'_>, feed: Option<&mut Feed>, step: Step<'_>) -> PyResult<Vec<String>> {
        let labels = self.labels.take();
        match (&self.data, feed) {
            (Data::Frames(_), None) => {
                let mut feed = Feed::new(&self.options()).map_err(Failure::from)?;
                self.feed(py, &mut feed, labels, true, step)
            }
            (Data::Frames(_), Some(feed)) => self.feed(py, feed, labels, false, step),
            (_, None) => self.read(py, labels, step),
            (_, Some(feed)) => self.read_into(py, feed, labels, step),
        }
    }

    /// Reads a stream as a whole.
    fn read(self, py: Python<'_>, labels: Option<Labels>, step: Step<'_>) -> PyResult<Vec<String>> {
        let options = self.options();
        let (interrupt, watch, counter) = (self.interrupt, self.watch, self.watch.counter());
        let (data, uses_labels) = (self.data, self.uses_labels);
        supervised(py, interrupt, watch, || {
            let mut frames = opened(data, labels, options)?;
            for frame in frames.by_ref() {
                step(&frame?)?;
                counter.fetch_add(1, Ordering::Relaxed);
                if interrupt.is_raised() {
                    break;
                }
            }
            Ok(told(frames.skipped(), uses_labels))
        })
    }

    /// Reads a stream that goes on where another one ended: a feed sees to order, ticks and labels.
    fn read_into(
        self,
        py: Python<'_>,
        feed: &mut Feed,
        labels: Option<Labels>,
        step: Step<'_>,
    ) -> PyResult<Vec<String>> {
        let options = self.options();
        let (interrupt, watch, counter) = (self.interrupt, self.watch, self.watch.counter());
        let (data, lenient, uses_labels) = (self.data, self.lenient, self.uses_labels);
        supervised(py, interrupt, watch, || {
            feed.set_lenient(lenient);
            feed.labels_from(None, &options)?;
            labels.map_or(Ok(()), |labels| labels.add_to(feed, &options))?;
            let plain = ReadOptions { ticks: None, reasoner: None, ..options };
            let mut frames = opened(data, None, plain)?;
            for frame in frames.by_ref() {
                feed.push(frame?)?;
                take(feed, interrupt, &counter, step)?;
                if interrupt.is_raised() {
                    break;
                }
            }
            // Of what the task does not know the feed tells, which has seen the labels too.
            let skipped = frames.skipped();
            let skipped = (skipped.total() > 0).then(|| skipped.to_string());
            Ok(skipped.into_iter().chain(told(feed.skipped(), uses_labels)).collect())
        })
    }

    /// Takes frames from an iterator.
    fn feed(
        self,
        py: Python<'_>,
        feed: &mut Feed,
        labels: Option<Labels>,
        ends: bool,
        step: Step<'_>,
    ) -> PyResult<Vec<String>> {
        let options = self.options();
        let Data::Frames(iterator) = self.data else { return Ok(Vec::new()) };
        feed.set_lenient(self.lenient);
        feed.labels_from(None, &options).map_err(Failure::from)?;
        labels.map_or(Ok(()), |labels| labels.add_to(feed, &options))?;
        let mut iterator = iterator.into_bound(py);
        let counter = self.watch.counter();
        loop {
            let (mut count, began) = (0, Instant::now());
            while count < CHUNK && began.elapsed() < WAIT {
                let Some(item) = iterator.next() else { break };
                push(feed, &item?, self.folder)?;
                count += 1;
            }
            let is_last = count == 0;
            if is_last && ends {
                feed.end();
            }
            let (interrupt, counter) = (self.interrupt, &counter);
            supervised(py, interrupt, self.watch, || take(feed, interrupt, counter, step))?;
            py.check_signals()?;
            if is_last {
                return Ok(told(feed.skipped(), self.uses_labels));
            }
        }
    }
}

/// Works on the frames that a feed has ready.
fn take(feed: &mut Feed, interrupt: &Interrupt, counter: &std::sync::atomic::AtomicU64, step: Step<'_>) -> Outcome<()> {
    while let Some(frame) = feed.take() {
        step(&frame?)?;
        counter.fetch_add(1, Ordering::Relaxed);
        if interrupt.is_raised() {
            break;
        }
    }
    Ok(())
}

/// Opens data that needs no interpreter.
fn opened(data: Data, labels: Option<Labels>, mut options: ReadOptions) -> Outcome<Frames> {
    if let Some(Labels::Path(path)) = &labels {
        options.labels_from = Some(path.clone());
    }
    let frames = match data {
        Data::Paths(mut paths) => {
            let Some(first) = (!paths.is_empty()).then(|| paths.remove(0)) else {
                return Err(Failure::new("no file is named"));
            };
            options.with = paths;
            open(&first, &options)?
        }
        #[cfg(feature = "arrow")]
        Data::Tables(tables) => read_batches(tables, &options)?,
        Data::Rows(bytes) => {
            options.format = Some(Format::Records);
            Frames::from_reader("rows", Cursor::new(bytes), &options)?
        }
        Data::Frames(_) => return Err(Failure::new("frames come one by one")),
    };
    #[cfg(feature = "arrow")]
    if let Some(Labels::Table(table)) = labels {
        return Ok(frames.with_labels(table, &options)?);
    }
    Ok(frames)
}

/// Hands a frame over: one of our own, or a dictionary as lines of JSON are.
pub(crate) fn push(feed: &mut Feed, item: &Bound<'_, PyAny>, folder: &TaskFolder) -> PyResult<()> {
    if let Ok(frame) = item.cast::<PyFrame>() {
        return Ok(feed.push(frame.borrow().frame.clone()).map_err(Failure::from)?);
    }
    let dict = item.cast::<PyDict>().map_err(|_| {
        let name = item.get_type().name().map_or_else(|_| "something else".into(), |name| name.to_string());
        PyTypeError::new_err(format!("a frame is an oled.Frame or a dictionary, not {name}"))
    })?;
    let missing = |key: &str| {
        Failure::new(format!(
            "the frame has no `{key}`\nhint: a frame is {{\"segment\": …, \"time\": …, \"narrative\": […], \"annotation\": […]}}"
        ))
    };
    let segment = match dict.get_item("segment")? {
        Some(segment) => Symbol::new(&segment.str()?.to_cow()?),
        None => Symbol::new("main"),
    };
    let atoms =
        |key: &str| -> PyResult<Vec<String>> { dict.get_item(key)?.map_or(Ok(Vec::new()), |atoms| atoms.extract()) };
    let (narrative, annotation) = (atoms("narrative")?, atoms("annotation")?);
    let (narrative, annotation) = (narrative.iter().map(String::as_str), annotation.iter().map(String::as_str));
    if let Some(first) = dict.get_item("from")? {
        let last = dict.get_item("to")?.ok_or_else(|| missing("to"))?;
        let span = (time_of(&first, folder)?, time_of(&last, folder)?);
        return Ok(feed.push_span(segment, span, narrative, annotation).map_err(Failure::from)?);
    }
    let time = time_of(&dict.get_item("time")?.ok_or_else(|| missing("time"))?, folder)?;
    Ok(feed.push_atoms(segment, time, narrative, annotation).map_err(Failure::from)?)
}

/// A time point: a whole number, or a date as the task reads it.
pub(crate) fn time_of(time: &Bound<'_, PyAny>, folder: &TaskFolder) -> PyResult<i64> {
    if let Ok(time) = time.extract::<i64>() {
        return Ok(time);
    }
    let text = match time.cast::<PyString>() {
        Ok(text) => text.to_string(),
        Err(_) => match time.call_method0("isoformat") {
            Ok(text) => text.extract()?,
            Err(_) => time.str()?.to_string(),
        },
    };
    let read = folder.times().read(&text);
    Ok(read.map_err(|error| Failure::new(format!("{}\nhint: {}", error.message, error.hint)))?)
}

/// What there is to be told of a stream: what was left out, and what the task does not know.
pub(crate) fn told(skipped: &Skipped, uses_labels: bool) -> Vec<String> {
    let mut lines = Vec::new();
    if skipped.total() > 0 {
        lines.push(skipped.to_string());
    }
    if skipped.late_labels() > 0 {
        lines.push(format!("{} labels came when their frames did not wait for them any more", skipped.late_labels()));
    }
    let plain = |line: &String| in_python(line.strip_prefix("warning: ").unwrap_or(line));
    lines.extend(skipped.unknown().warnings(uses_labels).iter().map(plain));
    lines
}
