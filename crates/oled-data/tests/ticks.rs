//! Ticks between the frames of a stream: the same wherever reading is cut, and whatever comes late.

mod resumed;

use std::fs;
use std::path::Path;

use oled::Frame;
use oled_data::task_folder::TaskFolder;
use oled_data::{ReadOptions, open};
use resumed::{all, goes_on_anywhere};

const MODES: &str = "input(happensAt(on(+lamp), +time)). input(happensAt(off(+lamp), +time)).
example(holdsAt(lit(+lamp), +time)).
";
const STREAM: &str = "happensAt(on(a),1).
happensAt(on(b),4). happensAt(off(a),4). holdsAt(lit(a),4).
happensAt(off(b),11). holdsAt(lit(b),11).
segment(other).
happensAt(on(c),100).
happensAt(off(c),103).
";

/// A task in a folder of its own, with these settings of the stream.
fn task(folder: &Path, stream: &str) -> Result<TaskFolder, String> {
    fs::write(folder.join("modes.lp"), MODES).unwrap();
    fs::write(folder.join("task.toml"), format!("[stream]\n{stream}\n")).unwrap();
    fs::write(folder.join("stream.lp"), STREAM).unwrap();
    TaskFolder::load(folder).map_err(|error| error.to_string())
}

fn times(frames: &[Frame]) -> Vec<i64> {
    frames.iter().map(|frame| frame.time).collect()
}

#[test]
fn ticks_are_evenly_spaced_or_so_long_after_a_frame() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("stream.lp");
    let read = |settings: &str| {
        times(&all(open(&stream, &task(folder.path(), settings).unwrap().read_options(None, false)).unwrap()))
    };
    assert_eq!(read(""), [1, 4, 11, 100, 103]);
    assert_eq!(read("tick = 2"), [1, 3, 4, 5, 7, 9, 11, 100, 102, 103]);
    assert_eq!(read("idle = 2"), [1, 3, 4, 6, 8, 10, 11, 100, 102, 103]);
}

#[test]
fn reading_goes_on_at_a_tick_as_anywhere() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("stream.lp");
    let options: ReadOptions = task(folder.path(), "tick = 1").unwrap().read_options(None, false);
    let expected = goes_on_anywhere(&stream, &options);
    assert!(expected.len() > 12, "{}", expected.len());
}

#[test]
fn late_frames_are_put_in_order_before_there_are_ticks() {
    let folder = tempfile::tempdir().unwrap();
    let task = task(folder.path(), "tick = 1").unwrap();
    let options = ReadOptions { lateness: Some(8), ..task.read_options(None, false) };
    let expected = all(open(&folder.path().join("stream.lp"), &options).unwrap());
    let jumbled = folder.path().join("jumbled.lp");
    let mut lines: Vec<&str> = STREAM.lines().collect();
    lines.swap(1, 2);
    fs::write(&jumbled, lines.join("\n")).unwrap();
    assert_eq!(all(open(&jumbled, &options).unwrap()), expected);
}

#[test]
fn wrong_settings_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let told = task(folder.path(), "tick = 0").unwrap_err();
    assert!(told.contains("`tick` is a number of time units, at least 1, not 0") && told.contains("hint:"), "{told}");
    let told = task(folder.path(), "tick = 1\nidle = 5").unwrap_err();
    assert!(told.contains("`tick` and `idle` both say") && told.contains("task.toml:3"), "{told}");
}
