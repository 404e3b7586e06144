//! Tables that come out: columns that any data frame takes by the Arrow `PyCapsule` interface, and plain lists without it.

use oled_data::Times;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;

/// The values of a column.
pub(crate) enum Column {
    /// Names and texts.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Int(Vec<Option<i64>>),
    /// Other numbers.
    Real(Vec<Option<f64>>),
    /// Lists of texts.
    Texts(Vec<Vec<String>>),
    /// Dates: units since 1970, so many a second; on the clock that is so many seconds ahead of UTC, or with the zone.
    Date { times: Vec<Option<i64>>, units: i64, ahead: i64, zoned: bool },
}

impl Column {
    /// Time points as the stream of a task writes them.
    pub(crate) fn of_times(points: Vec<i64>, times: Times) -> Column {
        let clock = times.clock();
        if times.are_dates() {
            let times_of = points.into_iter().map(Some).collect();
            return Column::Date { times: times_of, units: clock.units, ahead: clock.ahead, zoned: times.are_zoned() };
        }
        if times.are_seconds() {
            return Column::Real(points.into_iter().map(|point| Some(point as f64 / clock.units as f64)).collect());
        }
        Column::Int(points.into_iter().map(Some).collect())
    }

    fn kind(&self) -> String {
        match self {
            Column::Text(_) => "text".into(),
            Column::Int(_) => "int".into(),
            Column::Real(_) => "real".into(),
            Column::Texts(_) => "texts".into(),
            Column::Date { units, ahead, zoned, .. } => format!("date {units} {ahead} {}", u8::from(*zoned)),
        }
    }

    fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Int(values) | Column::Date { times: values, .. } => values.len(),
            Column::Real(values) => values.len(),
            Column::Texts(values) => values.len(),
        }
    }

    fn list<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        match self {
            Column::Text(values) => PyList::new(py, values),
            Column::Int(values) | Column::Date { times: values, .. } => PyList::new(py, values),
            Column::Real(values) => PyList::new(py, values),
            Column::Texts(values) => PyList::new(py, values),
        }
    }
}

/// Columns of equal length, with names.
#[pyclass(module = "oled._oled", name = "Table", frozen)]
pub(crate) struct PyTable {
    columns: Vec<(String, Column)>,
}

impl PyTable {
    pub(crate) fn new(columns: Vec<(&str, Column)>) -> PyTable {
        PyTable { columns: columns.into_iter().map(|(name, column)| (name.to_string(), column)).collect() }
    }
}

#[pymethods]
impl PyTable {
    /// A table of columns: a name, a kind (`text`, `int`, `real`, `texts`) and the values of each.
    #[staticmethod]
    fn _of(columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<PyTable> {
        let column = |(name, kind, values): (String, String, Bound<'_, PyAny>)| {
            let column = match kind.as_str() {
                "text" => Column::Text(values.extract()?),
                "int" => Column::Int(values.extract()?),
                "real" => Column::Real(values.extract()?),
                "texts" => Column::Texts(values.extract()?),
                other => return Err(PyValueError::new_err(format!("there are no columns of the kind `{other}`"))),
            };
            Ok((name, column))
        };
        let columns: Vec<(String, Column)> = columns.into_iter().map(column).collect::<PyResult<_>>()?;
        if columns.windows(2).any(|two| two[0].1.len() != two[1].1.len()) {
            return Err(PyValueError::new_err("columns have different lengths"));
        }
        Ok(PyTable { columns })
    }

    /// The names, kinds and values of the columns.
    fn _columns<'py>(&self, py: Python<'py>) -> PyResult<Vec<(String, String, Bound<'py, PyList>)>> {
        self.columns.iter().map(|(name, column)| Ok((name.clone(), column.kind(), column.list(py)?))).collect()
    }

    fn __len__(&self) -> usize {
        self.columns.first().map_or(0, |(_, column)| column.len())
    }

    /// The table for whoever speaks Arrow.
    #[cfg(feature = "arrow")]
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, pyo3::types::PyCapsule>>,
    ) -> PyResult<Bound<'py, pyo3::types::PyCapsule>> {
        arrow::stream(py, &self.columns, requested_schema)
    }
}

#[cfg(feature = "arrow")]
mod arrow {
    //! Columns as arrays of Arrow.

    use std::sync::Arc;

    use arrow_array::builder::{ListBuilder, StringBuilder};
    use arrow_array::{
        ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray, StructArray, TimestampMicrosecondArray,
        TimestampMillisecondArray, TimestampNanosecondArray, TimestampSecondArray,
    };
    use arrow_schema::{ArrowError, DataType, Field, Schema};
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::PyCapsule;
    use pyo3_arrow::ffi::{ArrayIterator, to_stream_pycapsule};

    use super::Column;

    fn array(column: &Column) -> ArrayRef {
        match column {
            Column::Text(values) => Arc::new(values.iter().map(Option::as_deref).collect::<StringArray>()),
            Column::Int(values) => Arc::new(values.iter().copied().collect::<Int64Array>()),
            Column::Real(values) => Arc::new(values.iter().copied().collect::<Float64Array>()),
            Column::Texts(values) => {
                let mut lists = ListBuilder::new(StringBuilder::new());
                for list in values {
                    list.iter().for_each(|text| lists.values().append_value(text));
                    lists.append(true);
                }
                Arc::new(lists.finish())
            }
            Column::Date { times, units, ahead, zoned } => {
                // A date without a zone is what the clock shows.
                let moved = |time: &i64| if *zoned { *time } else { time.saturating_add(ahead * units) };
                let times: Vec<Option<i64>> = times.iter().map(|time| time.as_ref().map(moved)).collect();
                let zone = zoned.then(|| zone(*ahead));
                match units {
                    1 => Arc::new(TimestampSecondArray::from(times).with_timezone_opt(zone)),
                    1_000 => Arc::new(TimestampMillisecondArray::from(times).with_timezone_opt(zone)),
                    1_000_000 => Arc::new(TimestampMicrosecondArray::from(times).with_timezone_opt(zone)),
                    _ => Arc::new(TimestampNanosecondArray::from(times).with_timezone_opt(zone)),
                }
            }
        }
    }

    fn zone(ahead: i64) -> Arc<str> {
        if ahead == 0 {
            return "UTC".into();
        }
        let (sign, minutes) = (if ahead < 0 { '-' } else { '+' }, ahead.abs() / 60);
        format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60).into()
    }

    pub(super) fn stream<'py>(
        py: Python<'py>,
        columns: &[(String, Column)],
        requested: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let wrong = |error: ArrowError| PyValueError::new_err(error.to_string());
        let arrays: Vec<ArrayRef> = columns.iter().map(|(_, column)| array(column)).collect();
        let fields: Vec<Field> = (columns.iter().zip(&arrays))
            .map(|((name, _), array)| Field::new(name, array.data_type().clone(), true))
            .collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).map_err(wrong)?;
        let field = Arc::new(Field::new_struct("", schema.fields().clone(), false));
        debug_assert!(matches!(field.data_type(), DataType::Struct(_)), "a batch is a list of records");
        let rows: ArrayRef = Arc::new(StructArray::from(batch));
        let reader = Box::new(ArrayIterator::new(std::iter::once(Ok(rows)), field));
        Ok(to_stream_pycapsule(py, reader, requested)?)
    }
}
