//! Batches: tables of Apache Arrow in memory, as data frames hand them on; cells become texts, as those of Parquet do.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader};
use arrow_schema::ArrowError;
use oled::Symbol;

use super::open::Open;
use super::texts::{is_flat, text_of, write};
use super::typed::{Column, TypedRow};
use super::{Cells, Columns, Row, Tables};
use crate::error::{DataError, Problem, ProblemKind};
use crate::frame::default_segment;
use crate::reader::{Advance, ReadOptions, Source};
use crate::sink::Sink;
use crate::times::Times;

/// Where batches come from.
pub(crate) type BatchReader = Box<dyn RecordBatchReader + Send>;

/// So many rows are taken at once: a data frame is often one batch, and its frames should not all be in memory.
const ROWS: usize = 1024;

/// The rows of batches, a few at a time.
pub(crate) struct Slices {
    reader: BatchReader,
    rows: usize,
    /// The batch that is being taken, and how many of its rows were.
    current: Option<(RecordBatch, usize)>,
}

impl Slices {
    /// At most so many rows at a time.
    pub(crate) fn new(reader: BatchReader, rows: usize) -> Slices {
        Slices { reader, rows, current: None }
    }

    pub(crate) fn next(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        loop {
            if let Some((batch, taken)) = &mut self.current {
                let count = self.rows.min(batch.num_rows() - *taken);
                if count > 0 {
                    let rows = batch.slice(*taken, count);
                    *taken += count;
                    return Ok(Some(rows));
                }
            }
            match self.reader.next().transpose()? {
                Some(batch) => self.current = Some((batch, 0)),
                None => return Ok(None),
            }
        }
    }
}

/// A table: its columns, and its rows in small batches.
struct Batches {
    slices: Slices,
    /// The columns that are no lists, maps or records.
    names: Vec<String>,
    places: Vec<usize>,
}

impl Batches {
    fn new(reader: BatchReader) -> Batches {
        let schema = reader.schema();
        let fields = schema.fields();
        let places: Vec<usize> = (0..fields.len()).filter(|i| is_flat(fields[*i].data_type())).collect();
        let names = places.iter().map(|i| fields[*i].name().clone()).collect();
        Batches { slices: Slices::new(reader, ROWS), names, places }
    }

    /// What is made of each column, by its number; `None` for those of which nothing is.
    fn of_columns<C>(&self, batch: &RecordBatch, of: impl Fn(usize, &ArrayRef) -> Option<C>) -> Vec<Option<C>> {
        let column = |(number, place): (usize, &usize)| batch.columns().get(*place).and_then(|array| of(number, array));
        self.places.iter().enumerate().map(column).collect()
    }
}

fn broken(name: &str, error: &ArrowError) -> DataError {
    Problem::new(ProblemKind::Format, 0, format!("`{name}` cannot be read as a table of Arrow: {error}"))
        .hint("whoever made the table has not finished it, or has changed its columns on the way")
        .of(name)
}

/// Calls a function with each row of a table; `is_time` says which columns have times.
pub(crate) fn scan_batches(
    name: &str,
    reader: BatchReader,
    times: Times,
    is_time: impl Fn(&str) -> bool,
    mut each: impl FnMut(&[String], Row<'_>) -> Result<(), Problem>,
) -> Result<(), DataError> {
    let mut batches = Batches::new(reader);
    let mut texts = Cells::new(b',');
    let mut number = 0;
    while let Some(batch) = batches.slices.next().map_err(|error| broken(name, &error))? {
        let of_time = |column: usize| is_time(&batches.names[column]).then_some(times);
        let cells = batches.of_columns(&batch, |column, array| Some(text_of(array, of_time(column))));
        for row in 0..batch.num_rows() {
            number += 1;
            let row = texts.row(&cells, |cell, text| write(cell.as_ref(), row, text));
            each(&batches.names, row).map_err(|problem| problem.in_row(number).of(name))?;
        }
    }
    Ok(())
}

/// Reads frames from a table.
pub(crate) struct ArrowReader {
    name: String,
    batches: Batches,
    columns: Columns,
    used: Vec<usize>,
    tables: Arc<Tables>,
    texts: Cells,
    open: Open,
    usual: Symbol,
    /// Rows so far.
    number: u64,
}

impl ArrowReader {
    /// A table that is told of under a name; where the columns fit several tables of a task, its name says which it is.
    pub(crate) fn new(name: &str, reader: BatchReader, options: &ReadOptions) -> Result<ArrowReader, DataError> {
        let batches = Batches::new(reader);
        let tables = options.tables.clone().unwrap_or_default();
        let columns = Columns::new(&batches.names, name, &tables, &options.kinds());
        let columns = columns.map_err(|problem| problem.of(name))?;
        Ok(ArrowReader {
            name: name.into(),
            used: columns.used().into_iter().collect(),
            columns,
            batches,
            tables,
            texts: Cells::new(b','),
            open: Open::default(),
            usual: default_segment(),
            number: 0,
        })
    }
}

impl Source for ArrowReader {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        let batch = self.batches.slices.next().map_err(|error| broken(&self.name, &error))?;
        let Some(batch) = batch else { return Ok(Advance::End) };
        let (columns, times) = (&self.columns, self.tables.times);
        let typed = self.batches.of_columns(&batch, |column, array| {
            self.used.contains(&column).then(|| Column::new(array, column, columns, times))
        });
        for row in 0..batch.num_rows() {
            self.number += 1;
            let row = TypedRow::new(&typed, row, &mut self.texts);
            let added = self.open.add(&row, &mut self.columns, &self.tables, self.usual, sink);
            let added = added.or_else(|problem| sink.skip_or_fail(problem));
            added.map_err(|problem| problem.in_row(self.number).of(&self.name))?;
        }
        Ok(Advance::More)
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        self.open.flush(sink);
        Ok(())
    }
}
