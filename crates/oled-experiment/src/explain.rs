//! Explanations of a stream: why each interval was recognised, missed or a false alarm, from the library's findings.

mod fluents;
mod report;
mod runs;
mod told;

use oled::Task;
use oled::calculus::is_ordinary;

use crate::Error;
pub use fluents::Fluents;
pub use report::{KINDS, Kind, Report};
pub use runs::Runs;

/// What to tell of a theory from which nothing to be recognised follows.
pub fn defines_nothing(task: &Task) -> Error {
    Error::Plan(match task.labels().into_iter().find(|label| is_ordinary(*label)) {
        Some(label) => format!("the theory defines nothing that is labelled\nhint: rules for `{label}` do"),
        None => "the theory defines no fluent\nhint: rules for `initiatedAt(fluent, T)` and `terminatedAt(fluent, T)` do, or for \
             `holdsAt(fluent, T)`"
            .into(),
    })
}
