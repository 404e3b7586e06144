//! Row groups of a table, for whoever reads some of them: where each begins, and the times and segments of their rows.

use std::path::Path;
use std::sync::Arc;

use oled::Symbol;

use super::{Batches, damaged};
use crate::error::DataError;
use crate::frame::default_segment;
use crate::reader::ReadOptions;
use crate::table::open::ReadTime;
use crate::table::typed::{Column, TypedRow};
use crate::table::{Cells, Columns, Tables};

/// The row groups of a file.
pub(crate) struct RowGroups {
    name: String,
    batches: Batches,
    columns: Columns,
    tables: Arc<Tables>,
    starts: Vec<u64>,
}

impl RowGroups {
    /// Opens a file of which only times and segments are read.
    pub(crate) fn open(path: &Path, options: &ReadOptions) -> Result<RowGroups, DataError> {
        let (batches, columns, tables) = Batches::of_table(path, options, Columns::places)?;
        let starts = batches.starts();
        Ok(RowGroups { name: path.display().to_string(), batches, columns, tables, starts })
    }

    /// Whether rows say of which segment they are.
    pub(crate) fn has_segments(&self) -> bool {
        self.columns.segment.is_some()
    }

    /// The numbers of the rows before each row group, and of all rows.
    pub(crate) fn starts(&self) -> &[u64] {
        &self.starts
    }

    /// Calls a function with the number, the time and the segment of each row from a row group on, for as long as it wants more. A row
    /// that cannot be read is passed over: its fault is told by whoever reads its piece.
    pub(crate) fn each_place(
        &mut self,
        group: usize,
        mut each: impl FnMut(u64, (i64, Symbol)) -> bool,
    ) -> Result<(), DataError> {
        self.batches.go_to(group);
        let (mut number, mut read, mut texts) = (self.starts[group], ReadTime::default(), Cells::new(b','));
        while let Some(batch) = self.batches.next().map_err(|error| damaged(&self.name, &error))? {
            let (columns, times) = (&self.columns, self.tables.times);
            let typed = self.batches.of_columns(&batch, |column, array| Column::new(array, column, columns, times));
            for row in 0..batch.num_rows() {
                let row = TypedRow::new(&typed, row, &mut texts);
                let place = read.place_of(&row, columns, &self.tables, default_segment());
                if place.is_ok_and(|(segment, time)| !each(number, (time, segment))) {
                    return Ok(());
                }
                number += 1;
            }
        }
        Ok(())
    }
}
