//! Errors: what went wrong, as the program says it.

use std::io;
use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};

use oled::Problems;
use oled_data::task_folder::TaskError;
use oled_experiment::Error;

/// What is wrong. Of several things that are wrong with rules each is an error.
pub(crate) fn in_words(error: &anyhow::Error) -> String {
    let of_task = |error: &'_ TaskError| match error {
        TaskError::Problems(problems) => Some(problems.clone()),
        TaskError::Io { .. } => None,
    };
    let of_experiment = || match error.downcast_ref()? {
        Error::Rules(problems) => Some(problems.clone()),
        Error::Task(error) => of_task(error),
        _ => None,
    };
    let problems = error.downcast_ref::<Problems>().cloned();
    match problems.or_else(|| of_task(error.downcast_ref()?)).or_else(of_experiment) {
        Some(problems) if error.chain().count() == 1 => {
            let texts: Vec<String> = problems.diagnostics().iter().map(ToString::to_string).collect();
            texts.join("\n\nerror: ")
        }
        _ => format!("{error:#}"),
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
