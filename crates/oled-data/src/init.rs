//! Init: from tables and labels alone to a task: types, conditions with thresholds to be found, segments.
//!
//! What columns are for is told by their cells: whom rows are about by the names that the labels have too, a gauge by its
//! numbers, states and events by few names. How far rules look back follows from how long labels last.

mod clock;
mod conditions;
mod labelled;
mod long;
mod names;
mod places;
mod profile;
mod recurring;
mod replaced;
mod roles;
mod saying;
mod segments;
mod spans;
mod stamps;
mod survey;
mod text;

use std::path::{Path, PathBuf};

pub use survey::InitOptions;
pub use text::Draft;

use crate::error::DataError;
use survey::Survey;

/// The texts of a task for tables and their labels.
pub fn draft(inputs: &[PathBuf], labels: &Path, options: &InitOptions) -> Result<Draft, DataError> {
    Ok(Survey::new(inputs, labels, options)?.write())
}
