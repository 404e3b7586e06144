//! Tables that are being written: rows of one time are one frame, also where no later row comes.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use oled::Frame;
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, Frames, Live, ReadOptions, open};

const MODES: &str = "input(temp(+machine, +celsius, +time)). input(happensAt(error(+machine), +time)).
type(machine, symbol). type(celsius, real). example(holdsAt(hot(+machine), +time)).";
const TABLES: &str = "[[table]]\ntime = \"time\"\nfacts = [\"temp(machine, temp)\"]
[[table]]\ntime = \"time\"\nfacts = [\"happensAt(error(machine)) if error\"]\n";

struct Case {
    folder: tempfile::TempDir,
    task: TaskFolder,
}

impl Case {
    fn new(files: &[(&str, &str)]) -> Case {
        let folder = tempfile::tempdir().unwrap();
        files.iter().for_each(|(name, text)| fs::write(folder.path().join(name), text).unwrap());
        Case { folder, task: TaskFolder::from_texts("machines", TABLES, MODES, "").unwrap() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn append(&self, name: &str, text: &str) {
        OpenOptions::new().append(true).open(self.path(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }

    /// Follows tables; `settle`: whether the first moment without rows ends their last time.
    fn follow(&self, names: &[&str], settle: bool) -> Frames {
        let live = Live { follow: true, settle: settle.then_some(Duration::ZERO), ..Live::default() };
        let with = names[1..].iter().map(|name| self.path(name)).collect();
        let options = ReadOptions { live: Some(live), with, ..self.task.read_options(None, false) };
        open(&self.path(names[0]), &options).unwrap()
    }
}

/// The next frame, however long it takes.
fn next(frames: &mut Frames) -> Result<Frame, DataError> {
    loop {
        if let Some(frame) = frames.next() {
            return frame;
        }
        assert!(frames.pause().is_some(), "what is followed does not end");
    }
}

fn place(frame: &Frame) -> (i64, usize) {
    (frame.time, frame.narrative.len())
}

#[test]
fn the_last_time_is_complete_when_no_row_has_come_for_a_while() {
    let case = Case::new(&[("m.csv", "time,machine,temp\n1,a,20\n1,b,21\n2,a,22\n")]);
    let mut waiting = case.follow(&["m.csv"], false);
    assert_eq!(place(&next(&mut waiting).unwrap()), (1, 2));
    assert!(waiting.next().is_none(), "without the setting it waits for a later row");
    let mut frames = case.follow(&["m.csv"], true);
    assert_eq!(place(&next(&mut frames).unwrap()), (1, 2));
    assert_eq!(place(&next(&mut frames).unwrap()), (2, 1));
    case.append("m.csv", "3,a,23\n");
    assert_eq!(place(&next(&mut frames).unwrap()), (3, 1));
    case.append("m.csv", "3,b,24\n");
    let error = next(&mut frames).unwrap_err().to_string();
    assert!(error.contains("time 3 comes twice") && error.contains("the option `settle`"), "{error}");
}

#[test]
fn a_table_without_news_does_not_hold_others_back() {
    let case = Case::new(&[
        ("m.csv", "time,machine,temp\n1,a,20\n3,a,22\n4,a,22\n"),
        ("e.csv", "time,machine,error\n2,a,1\n"),
    ]);
    let mut frames = case.follow(&["m.csv", "e.csv"], true);
    let places: Vec<(i64, usize)> = (0..4).map(|_| place(&next(&mut frames).unwrap())).collect();
    assert_eq!(places, [(1, 1), (2, 1), (3, 1), (4, 1)]);
    case.append("e.csv", "5,a,1\n");
    assert_eq!(place(&next(&mut frames).unwrap()), (5, 1));
    case.append("m.csv", "4,a,1\n");
    let error = next(&mut frames).unwrap_err().to_string();
    assert!(error.contains("`settle`"), "{error}");
}
