//! Cuts of a table of Parquet: its pieces are its row groups, each up to where a piece may begin behind it.

use super::cut::{Cut, Found};
use crate::error::DataError;
use crate::table::RowGroups;

/// Finds cuts between rows of Parquet; places are numbers of rows.
pub(super) struct GroupCuts {
    groups: RowGroups,
    interleaved: bool,
}

impl GroupCuts {
    pub(super) fn new(groups: RowGroups, interleaved: bool) -> GroupCuts {
        GroupCuts { groups, interleaved }
    }

    pub(super) fn pieces(&self) -> u64 {
        self.groups.starts().len() as u64 - 1
    }

    pub(super) fn rows(&self) -> u64 {
        self.start(self.pieces())
    }

    /// The first row of a row group; the number of all rows behind the last one.
    pub(super) fn start(&self, group: u64) -> u64 {
        let starts = self.groups.starts();
        starts[usize::try_from(group).unwrap_or(usize::MAX).min(starts.len() - 1)]
    }

    /// The first row from a cut on that may begin a piece; the number of all rows if there is none.
    pub(super) fn boundary(&mut self, cut: u64) -> Result<u64, DataError> {
        // The rows of the time before are looked at too: they are in the row group before, or, if they are many, further back.
        let mut group = self.groups.starts().partition_point(|start| *start < cut);
        loop {
            group = group.saturating_sub(1);
            let (mut seen, mut found) = (Cut::new(cut, self.interleaved, group == 0), Found::Nothing);
            self.groups.each_place(group, |row, place| {
                if let Some(own) = seen.row(row, place) {
                    found = own;
                    return false;
                }
                true
            })?;
            match found {
                Found::At(row) => return Ok(row),
                Found::Nothing => return Ok(self.rows()),
                Found::FurtherBack => {}
            }
        }
    }
}
