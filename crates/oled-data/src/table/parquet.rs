//! Parquet: a table that is read row group by row group, page by page; its cells become texts, so that they mean what those
//! of delimited text mean.

mod groups;
mod pages;

use std::fs::File;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use oled::Symbol;
use parquet::arrow::arrow_reader::ParquetRecordBatchReader;
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

pub(crate) use self::groups::RowGroups;
use self::pages::Group;
use super::open::Open;
use super::rows::stem_of;
use super::texts::{is_flat, text_of, write};
use super::typed::{Column, TypedRow};
use super::{Cells, Columns, Row, Tables};
use crate::error::{DataError, Problem, ProblemKind};
use crate::frame::default_segment;
use crate::reader::{Advance, Counter, ReadOptions, Source};
use crate::sink::Sink;

/// So many rows are read at once: enough that asking for them costs nothing, and few in memory.
const ROWS: usize = 1024;

/// A file of Parquet: its columns, and its rows in batches.
struct Batches {
    file: Arc<File>,
    metadata: Arc<ParquetMetaData>,
    /// The columns that are no lists, maps or records, as the file has them.
    names: Vec<String>,
    roots: Vec<usize>,
    levels: FieldLevels,
    /// Which of the columns are read, in the order of the file.
    read: Vec<usize>,
    group: usize,
    reader: Option<ParquetRecordBatchReader>,
}

impl Batches {
    fn open(path: &Path) -> Result<Batches, DataError> {
        let name = path.display().to_string();
        let file = File::open(path).map_err(|error| DataError::io("open", &name, &error))?;
        Batches::new(file).map_err(|error| damaged(&name, &error))
    }

    fn new(file: File) -> Result<Batches, ParquetError> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&file)?;
        // Whoever reads pages takes this for granted.
        let possible = metadata.row_groups().iter().flat_map(RowGroupMetaData::columns).all(|chunk| {
            let dictionary = chunk.dictionary_page_offset().unwrap_or(0);
            chunk.compressed_size() >= 0 && chunk.data_page_offset() >= 0 && dictionary >= 0 && chunk.num_values() >= 0
        });
        if !possible || metadata.row_groups().iter().any(|group| group.num_rows() < 0) {
            return Err(ParquetError::General("a column has a negative length".into()));
        }
        let schema = metadata.file_metadata().schema_descr();
        let as_arrow = parquet_to_arrow_schema(schema, None)?;
        let fields = as_arrow.fields();
        let roots: Vec<usize> = (0..fields.len()).filter(|i| is_flat(fields[*i].data_type())).collect();
        let names = roots.iter().map(|i| fields[*i].name().clone()).collect();
        let mut batches = Batches {
            file: Arc::new(file),
            names,
            read: (0..roots.len()).collect(),
            levels: parquet_to_arrow_field_levels(schema, ProjectionMask::all(), None)?,
            roots,
            group: 0,
            reader: None,
            metadata: Arc::new(metadata),
        };
        batches.project(|_| true)?;
        Ok(batches)
    }

    /// The rows of a table of which some columns are read, with what its columns are for.
    fn of_table(
        path: &Path,
        options: &ReadOptions,
        wanted: impl Fn(&Columns) -> Vec<usize>,
    ) -> Result<(Batches, Columns, Arc<Tables>), DataError> {
        let name = path.display().to_string();
        let mut batches = Batches::open(path)?;
        let tables = options.tables.clone().unwrap_or_default();
        let columns = Columns::new(&batches.names, &stem_of(&name), &tables, &options.kinds());
        let columns = columns.map_err(|problem| problem.of(&name))?;
        let wanted = wanted(&columns);
        batches.project(|column| wanted.contains(&column)).map_err(|error| damaged(&name, &error))?;
        Ok((batches, columns, tables))
    }

    /// Reads only some of the columns.
    fn project(&mut self, keep: impl Fn(usize) -> bool) -> Result<(), ParquetError> {
        let schema = self.metadata.file_metadata().schema_descr();
        self.read = (0..self.roots.len()).filter(|column| keep(*column)).collect();
        let mask = ProjectionMask::roots(schema, self.read.iter().map(|column| self.roots[*column]));
        self.levels = parquet_to_arrow_field_levels(schema, mask, None)?;
        Ok(())
    }

    fn rows(&self) -> u64 {
        u64::try_from(self.metadata.file_metadata().num_rows()).unwrap_or(0)
    }

    /// The numbers of the rows before each row group, and of all rows.
    fn starts(&self) -> Vec<u64> {
        let rows = self.metadata.row_groups().iter().map(|group| u64::try_from(group.num_rows()).unwrap_or(0));
        let sum = rows.scan(0, |sum, rows| {
            *sum += rows;
            Some(*sum)
        });
        std::iter::once(0).chain(sum).collect()
    }

    /// Goes on with a row group.
    fn go_to(&mut self, group: usize) {
        (self.group, self.reader) = (group, None);
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, ParquetError> {
        loop {
            if let Some(batch) = self.reader.as_mut().and_then(Iterator::next) {
                return Ok(Some(batch?));
            }
            if self.group >= self.metadata.num_row_groups() {
                return Ok(None);
            }
            let group = Group::new(self.file.clone(), self.metadata.clone(), self.group);
            self.reader = Some(ParquetRecordBatchReader::try_new_with_row_groups(&self.levels, &group, ROWS, None)?);
            self.group += 1;
        }
    }

    /// What is made of each column of the file; `None` for those that are not read.
    fn of_columns<C>(&self, batch: &RecordBatch, mut of: impl FnMut(usize, &ArrayRef) -> C) -> Vec<Option<C>> {
        let mut all: Vec<Option<C>> = self.names.iter().map(|_| None).collect();
        for (column, array) in self.read.iter().zip(batch.columns()) {
            all[*column] = Some(of(*column, array));
        }
        all
    }
}

fn damaged(name: &str, error: &ParquetError) -> DataError {
    Problem::new(ProblemKind::Format, 0, format!("`{name}` cannot be read as Parquet: {error}"))
        .hint("is it whole? it must end with `PAR1`; its columns may be compressed by snappy, gzip, lz4 or zstd")
        .of(name)
}

/// Calls a function with each row of a table; returns the names of its columns.
pub(crate) fn scan(
    path: &Path,
    mut each: impl FnMut(&[String], Row<'_>) -> Result<(), Problem>,
) -> Result<Vec<String>, DataError> {
    let name = path.display().to_string();
    let mut batches = Batches::open(path)?;
    let mut texts = Cells::new(b',');
    let mut number = 0;
    while let Some(batch) = batches.next().map_err(|error| damaged(&name, &error))? {
        let cells = batches.of_columns(&batch, |_, array| text_of(array, None));
        for row in 0..batch.num_rows() {
            number += 1;
            let row = texts.row(&cells, |cell, text| write(cell.as_ref(), row, text));
            each(&batches.names, row).map_err(|problem| problem.in_row(number).of(&name))?;
        }
    }
    Ok(batches.names)
}

/// Reads frames from a table of Parquet.
pub(crate) struct ParquetReader {
    name: String,
    batches: Batches,
    columns: Columns,
    tables: Arc<Tables>,
    texts: Cells,
    open: Open,
    usual: Symbol,
    /// Rows so far, and which are read.
    number: u64,
    rows: Range<u64>,
    size: u64,
    bytes: Counter,
}

impl ParquetReader {
    /// Opens a file, of which some rows are read; returns also how many bytes it has.
    pub(crate) fn open(
        path: &Path,
        options: &ReadOptions,
        rows: Range<u64>,
        bytes: Counter,
    ) -> Result<(Box<dyn Source>, u64), DataError> {
        let (mut batches, columns, tables) = Batches::of_table(path, options, Columns::used)?;
        let size = batches.file.metadata().map_or(0, |metadata| metadata.len());
        let starts = batches.starts();
        let group = starts.partition_point(|start| *start <= rows.start).saturating_sub(1);
        batches.go_to(group);
        let reader = ParquetReader {
            name: path.display().to_string(),
            batches,
            columns,
            tables,
            texts: Cells::new(b','),
            open: Open::default(),
            usual: default_segment(),
            number: starts[group],
            rows,
            size,
            bytes,
        };
        Ok((Box::new(reader), size))
    }
}

impl Source for ParquetReader {
    fn advance(&mut self, sink: &mut Sink) -> Result<Advance, DataError> {
        let batch = self.batches.next().map_err(|error| damaged(&self.name, &error))?;
        let Some(batch) = batch else { return Ok(Advance::End) };
        let (columns, times) = (&self.columns, self.tables.times);
        let typed = self.batches.of_columns(&batch, |column, array| Column::new(array, column, columns, times));
        for row in 0..batch.num_rows() {
            if self.number >= self.rows.end {
                return Ok(Advance::End);
            }
            self.number += 1;
            if self.number <= self.rows.start {
                continue;
            }
            let row = TypedRow::new(&typed, row, &mut self.texts);
            let added = self.open.add(&row, &mut self.columns, &self.tables, self.usual, sink);
            let added = added.or_else(|problem| sink.skip_or_fail(problem));
            added.map_err(|problem| problem.in_row(self.number).of(&self.name))?;
        }
        // Where in the file a row stands is not known: rows are taken for equally long.
        let done = u128::from(self.size) * u128::from(self.number) / u128::from(self.batches.rows().max(1));
        self.bytes.set(u64::try_from(done).unwrap_or(self.size));
        Ok(Advance::More)
    }

    fn end(&mut self, sink: &mut Sink) -> Result<(), DataError> {
        self.open.flush(sink);
        Ok(())
    }
}
