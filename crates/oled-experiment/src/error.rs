//! Errors: why an experiment could not be run.

use std::path::PathBuf;

use oled::Problems;
use oled_data::DataError;
use oled_data::task_folder::TaskError;

/// Why an experiment could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A stream could not be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// A task could not be loaded.
    #[error(transparent)]
    Task(#[from] TaskError),
    /// Rules have problems.
    #[error(transparent)]
    Rules(#[from] Problems),
    /// Segments cannot be dealt to folds.
    #[error("{0}")]
    Folds(String),
    /// What is to be compared makes no sense.
    #[error("{0}")]
    Plan(String),
    /// Results could not be kept.
    #[error("cannot use `{}`: {error}\nhint: finished folds are kept there", path.display())]
    Store {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// Somebody stopped it.
    #[error("stopped; what is finished is kept")]
    Stopped,
}
