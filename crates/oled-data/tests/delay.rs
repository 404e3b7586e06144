//! Labels that come later than their frames, in a table that grows, teach what labels that were always there do.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::Ordering;

use oled::{Frame, Learner, Replay, ReplaySettings};
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, Live, Pause, ReadOptions, Skipped, open, open_at};

const MODES: &str = "input(temp(+machine, +celsius, +time)). type(machine, symbol). type(celsius, real).
example(holdsAt(hot(+machine), +time)).
modeb(above(+machine, #real, +time)). comparison(above(+machine, #real, +time), 2, smaller).
modeb(below(+machine, #real, +time)). comparison(below(+machine, #real, +time), 2, larger).\n";

const BACKGROUND: &str = "above(M, L, T) :- temp(M, V, T), V > L. below(M, L, T) :- temp(M, V, T), V <= L.\n";

fn task(delay: &str) -> Result<TaskFolder, String> {
    let manifest =
        format!("[labels]\ndelay = {delay}\n[[table]]\ntime = \"time\"\nfacts = [\"temp(machine, temp)\"]\n");
    TaskFolder::from_texts("machines", &manifest, MODES, BACKGROUND).map_err(|error| error.to_string())
}

/// How long the stream is.
const END: i64 = 400;

fn temperature(time: i64) -> i64 {
    20 + (time * 7 % 40 - 20).abs() + (time % 40 - 20).abs()
}

/// The intervals in which the machine is hot: after it was above 50, until it is at most 30.
fn intervals() -> Vec<(i64, i64)> {
    let (mut intervals, mut start) = (Vec::new(), None);
    for time in 0..END {
        match start {
            None if temperature(time) > 50 => start = Some(time + 1),
            Some(first) if temperature(time) <= 30 => {
                intervals.push((first, time));
                start = None;
            }
            _ => {}
        }
    }
    intervals
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().append(true).create(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

fn learned(frames: &[Frame], task: &TaskFolder) -> String {
    let mut replay = Replay::new(&task.task, ReplaySettings::default()).unwrap();
    frames.iter().for_each(|frame| replay.observe(frame, &mut ()));
    replay.learned(&mut ()).theory().to_string()
}

/// Reads a stream while it is written, its labels so many time units after they ended. `resumed`: another reader goes on in
/// the middle.
fn followed(task: &TaskFolder, later: i64, resumed: bool) -> Result<(Vec<Frame>, Skipped), DataError> {
    let folder = tempfile::tempdir().unwrap();
    let [rows, labels] = ["m.csv", "l.csv"].map(|name| folder.path().join(name));
    append(&rows, "time,machine,temp\n");
    append(&labels, "fluent,machine,start,end\n");
    let live = Live { follow: true, ..Live::default() };
    let stop = live.stop.clone();
    let options = ReadOptions { live: Some(live), labels_from: Some(labels.clone()), ..task.read_options(None, false) };
    let mut frames = open(&rows, &options)?;
    let mut found = Vec::new();
    for from in (0..END).step_by(20) {
        for time in from..from + 20 {
            append(&rows, &format!("{time},m,{}\n", temperature(time)));
        }
        let now = intervals().into_iter().filter(|(_, last)| (from..from + 20).contains(&(last + later)));
        for (first, last) in now {
            // A row may be read when only half of it is written.
            append(&labels, &format!("hot,m,{first}"));
            for frame in frames.by_ref() {
                found.push(frame?);
            }
            append(&labels, &format!(",{last}\n"));
        }
        for frame in frames.by_ref() {
            found.push(frame?);
        }
        assert_eq!(frames.pause(), Some(Pause::Idle));
        if resumed && from == 200 {
            frames = open_at(&rows, &options, &frames.save(), true)?;
        }
    }
    let after = intervals().into_iter().filter(|(_, last)| last + later >= END);
    for (first, last) in after {
        append(&labels, &format!("hot,m,{first},{last}\n"));
    }
    stop.store(true, Ordering::Relaxed);
    frames.end();
    for frame in frames.by_ref() {
        found.push(frame?);
    }
    Ok((found, frames.skipped().clone()))
}

#[test]
fn labels_that_come_later_teach_what_labels_in_their_frames_do() {
    let task = task("80").unwrap();
    assert!(intervals().len() > 3, "{:?}", intervals());
    let atom = |text: &str| oled::Signature::split(&oled::parse_atom(text).unwrap()).unwrap();
    let in_frames: Vec<Frame> = (0..END)
        .map(|time| {
            let mut frame = Frame::new("main".into(), time);
            let (signature, row) = atom(&format!("temp(m, {}, {time})", temperature(time)));
            frame.narrative.push(signature, &row[..2]);
            if intervals().iter().any(|(first, last)| (*first..=*last).contains(&time)) {
                let (signature, row) = atom(&format!("holdsAt(hot(m), {time})"));
                frame.annotation.push(signature, &row[..1]);
            }
            frame
        })
        .collect();
    let theory = learned(&in_frames, &task);
    assert!(theory.contains("initiatedAt(hot("), "{theory}");
    for resumed in [false, true] {
        let (found, skipped) = followed(&task, 20, resumed).unwrap();
        assert_eq!(found, in_frames);
        assert_eq!(skipped.late_labels(), 0);
        assert_eq!(learned(&found, &task), theory);
    }
}

#[test]
fn labels_that_come_too_late_are_counted() {
    let (found, skipped) = followed(&task("15").unwrap(), 40, false).unwrap();
    assert_eq!(found.len() as i64, END);
    let before_the_end = intervals().into_iter().filter(|(_, last)| last + 40 < END).count() as u64;
    assert!(before_the_end > 2 && skipped.late_labels() >= before_the_end, "{}", skipped.late_labels());
}

#[test]
fn a_label_that_is_wrong_is_told_where_it_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let [rows, labels] = ["m.csv", "l.csv"].map(|name| folder.path().join(name));
    File::create(&labels).unwrap().write_all(b"fluent,machine,start,end\n").unwrap();
    fs::write(&rows, "time,machine,temp\n").unwrap();
    let live = Live { follow: true, ..Live::default() };
    let task = task("10").unwrap();
    let options = ReadOptions { live: Some(live), labels_from: Some(labels.clone()), ..task.read_options(None, false) };
    let mut frames = open(&rows, &options).unwrap();
    append(&labels, "hot,m,7,soon\n");
    for time in 0..100 {
        append(&rows, &format!("{time},m,1\n"));
    }
    let error = loop {
        match frames.next() {
            Some(Err(error)) => break error.to_string(),
            Some(Ok(_)) => {}
            None => assert!(frames.pause().is_some(), "the stream has ended"),
        }
    };
    assert!(error.contains("l.csv:2:9") && error.contains("the time `soon` is not a whole number"), "{error}");
}

#[test]
fn a_task_says_what_is_wrong_with_its_delay() {
    for delay in ["\"soon\"", "0", "true", "-3"] {
        let error = task(delay).unwrap_err();
        assert!(error.contains("`delay` is not") && error.contains("hint: it is how long frames wait"), "{error}");
    }
}
