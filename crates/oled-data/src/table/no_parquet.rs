//! No Parquet: what to tell where the program was built without it.

use std::ops::Range;
use std::path::Path;

use oled::Symbol;

use super::Row;
use crate::error::{DataError, Problem, ProblemKind};
use crate::reader::{Counter, ReadOptions, Source};

fn without(path: &Path) -> DataError {
    let name = path.display().to_string();
    Problem::new(ProblemKind::Format, 0, format!("this program was built without Parquet, which `{name}` is"))
        .hint("build it with `cargo build --release --features parquet`, or convert the table to CSV")
        .of(name)
}

pub(crate) fn scan(
    path: &Path,
    _: impl FnMut(&[String], Row<'_>) -> Result<(), Problem>,
) -> Result<Vec<String>, DataError> {
    Err(without(path))
}

/// Reads nothing.
pub(crate) struct ParquetReader;

impl ParquetReader {
    pub(crate) fn open(
        path: &Path,
        _: &ReadOptions,
        _: Range<u64>,
        _: Counter,
    ) -> Result<(Box<dyn Source>, u64), DataError> {
        Err(without(path))
    }
}

/// There are none.
pub(crate) enum RowGroups {}

impl RowGroups {
    pub(crate) fn open(path: &Path, _: &ReadOptions) -> Result<RowGroups, DataError> {
        Err(without(path))
    }

    pub(crate) fn has_segments(&self) -> bool {
        match *self {}
    }

    pub(crate) fn starts(&self) -> &[u64] {
        match *self {}
    }

    pub(crate) fn each_place(&mut self, _: usize, _: impl FnMut(u64, (i64, Symbol)) -> bool) -> Result<(), DataError> {
        match *self {}
    }
}
