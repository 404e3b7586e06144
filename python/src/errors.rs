//! Errors: whatever goes wrong, as `oled.OledError` with its diagnostics.

use oled::{Problems, StateError};
use oled_data::task_folder::TaskError;
use oled_data::{CheckpointError, DataError};
use pyo3::prelude::*;

/// Something that went wrong, in words, and one by one.
#[derive(Debug)]
pub(crate) struct Failure {
    text: String,
    problems: Vec<Told>,
}

/// A problem: what, what to do about it, where.
type Told = (String, Option<String>, Option<String>, Option<usize>, Option<usize>);

/// What a call does when it fails.
pub(crate) type Outcome<T> = Result<T, Failure>;

impl Failure {
    /// A text, whose hint stands in a line of its own.
    pub(crate) fn new(text: impl Into<String>) -> Failure {
        let text = in_python(&text.into());
        let (message, hint) = match text.split_once("\nhint: ") {
            Some((message, hint)) => (message.to_string(), Some(hint.to_string())),
            None => (text.clone(), None),
        };
        Failure { text, problems: vec![(message, hint, None, None, None)] }
    }

    /// The exception.
    pub(crate) fn raise(self) -> PyErr {
        Python::attach(|py| {
            let made = py
                .import("oled._errors")
                .and_then(|module| module.getattr("make"))
                .and_then(|make| make.call1((self.text, self.problems)));
            made.map_or_else(|error| error, PyErr::from_value)
        })
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        failure.raise()
    }
}

/// What the library calls an option, and what Python does.
const OPTIONS: [(&str, &str); 3] = [
    ("the option `lenient`", "`lenient=True`"),
    (", let `recognise` and `learn` put late frames in order with the option `lateness=N`,", ""),
    ("or allow more with the option `max_names`", "or start a new process, which has forgotten them"),
];

/// The text with the words of Python in place of those of the library.
pub(crate) fn in_python(text: &str) -> String {
    OPTIONS.iter().fold(text.to_string(), |text, (option, python)| text.replace(option, python))
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Failure {
        let told = problems.diagnostics().iter().map(|problem| {
            let place = problem.span.place();
            let mut parts = place.rsplitn(3, ':');
            let column = parts.next().and_then(|part| part.parse().ok());
            let line = parts.next().and_then(|part| part.parse().ok());
            let source = parts.next().map(str::to_string).filter(|source| !source.is_empty());
            (problem.message.clone(), problem.hint.as_deref().map(in_python), source, line, column)
        });
        Failure { problems: told.collect(), text: in_python(&problems.to_string()) }
    }
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Failure {
        let (line, column) = error.line_column().unzip();
        let source = Some(error.source_name().to_string());
        let told = (error.message().to_string(), error.hint().map(in_python), source, line, column);
        Failure { problems: vec![told], text: in_python(&error.to_string()) }
    }
}

impl From<TaskError> for Failure {
    fn from(error: TaskError) -> Failure {
        match error {
            TaskError::Problems(problems) => problems.into(),
            other @ TaskError::Io { .. } => Failure::new(other.to_string()),
        }
    }
}

impl From<oled_experiment::Error> for Failure {
    fn from(error: oled_experiment::Error) -> Failure {
        match error {
            oled_experiment::Error::Data(error) => error.into(),
            oled_experiment::Error::Task(error) => error.into(),
            oled_experiment::Error::Rules(problems) => problems.into(),
            other => Failure::new(other.to_string()),
        }
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Failure {
        Failure::new(error.to_string())
    }
}

impl From<CheckpointError> for Failure {
    fn from(error: CheckpointError) -> Failure {
        let reason = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
        Failure::new(format!("{error}{reason}"))
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::new(error.to_string())
    }
}
