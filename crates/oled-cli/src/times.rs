//! How times are written for people and programs, in one place: as the stream of the command has them.

use std::sync::OnceLock;

use oled_data::Times;
use oled_data::task_folder::TaskFolder;
use serde_json::Value;

/// How the stream of this command writes times; a command has one task.
static TIMES: OnceLock<Times> = OnceLock::new();

/// From now on times are written as the streams of a task have them.
pub(crate) fn adopt(folder: &TaskFolder) {
    // The first task of a command is the one whose times it prints.
    let _ = TIMES.set(folder.times());
}

/// How they are written.
pub(crate) fn times() -> Times {
    TIMES.get().copied().unwrap_or_default()
}

/// A time point as it is printed.
pub(crate) fn printed_time(time: i64) -> String {
    times().show(time)
}

/// The same as JSON: a number where it is written as one.
pub(crate) fn json_time(time: i64) -> Value {
    oled_data::json_time(time, times())
}

/// A time point as it was written on the command line.
pub(crate) fn read_time(text: &str) -> anyhow::Result<i64> {
    times().read(text).map_err(|error| anyhow::anyhow!("{}\nhint: {}", error.message, error.hint))
}
