//! Errors: what went wrong, as the program says it.

use std::io;
use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

use oled::Problems;
use oled_data::task_folder::TaskError;
use oled_experiment::Error;

/// What is wrong, as an error. Of several things that are wrong with rules each is one.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    match problems(error) {
        Some(problems) if error.chain().count() == 1 => problems.as_errors(),
        _ => format!("error: {error:#}"),
    }
}

/// What is wrong with rules and declarations, if it is that.
fn problems(error: &anyhow::Error) -> Option<&Problems> {
    let task = match error.downcast_ref() {
        Some(Error::Rules(problems)) => return Some(problems),
        Some(Error::Task(task)) => Some(task),
        _ => error.downcast_ref(),
    };
    match task {
        Some(TaskError::Problems(problems)) => Some(problems),
        _ => error.downcast_ref(),
    }
}

/// Whether there was no room for what was to be written.
pub(crate) fn is_full(error: &anyhow::Error) -> bool {
    let kinds = error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).map(io::Error::kind);
    kinds.into_iter().any(|kind| matches!(kind, FileTooLarge | QuotaExceeded | StorageFull))
}

/// Whoever reads our output may stop when it has enough: `oled recognise … | head`.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().filter_map(|e| e.downcast_ref::<io::Error>()).any(|e| e.kind() == io::ErrorKind::BrokenPipe)
}
