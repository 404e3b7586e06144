//! The XML of CAVIAR gives the published narrative, intervals and folds. The data is not part of the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use oled::{Atom, Symbol, Term, Value};
use oled_data::caviar::{Videos, load_protocol, load_videos};
use oled_data::{Protocol, ReadOptions, Unit, open};

/// The directory, unless it is not there, which is said aloud.
fn directory() -> Option<PathBuf> {
    let path = Path::new("../../../shared/data/caviar");
    if path.is_dir() {
        return Some(path.to_path_buf());
    }
    // Past the test harness, which shows what tests print only where they fail: a test that was skipped must not look
    // like one that passed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: ../shared/data/caviar not found");
    None
}

/// All videos, read once for all tests.
static VIDEOS: LazyLock<Option<Videos>> = LazyLock::new(|| directory().map(|d| load_videos(&d).unwrap()));

fn videos() -> Option<(PathBuf, &'static Videos)> {
    directory().zip(VIDEOS.as_ref())
}

/// The rows of a table, by column.
fn rows(directory: &Path, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(directory.join(name)).unwrap();
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    lines
        .map(|line| header.iter().zip(line.split(',')).map(|(c, f)| (c.to_string(), f.to_string())).collect())
        .collect()
}

/// `walking(id0)` of `happensAt(walking(id0), 5)`: a name and its arguments, printed.
fn inner(atom: &Atom) -> (String, Vec<String>) {
    let print = |args: &[Term]| args.iter().map(Term::to_string).collect();
    match atom.args.first() {
        Some(Term::App(name, args)) => (name.to_string(), print(args)),
        _ => (atom.name.to_string(), print(&atom.args[..atom.args.len() - 1])),
    }
}

#[test]
fn all_videos_have_the_published_numbers_of_frames_in_the_published_order() {
    let Some((directory, videos)) = videos() else { return };
    let published: Vec<(String, usize)> =
        rows(&directory, "videos.csv").iter().map(|r| (r["video"].clone(), r["frames"].parse().unwrap())).collect();
    let read: Vec<(String, usize)> = videos.iter().map(|(v, f)| (v.as_str().to_string(), f.len())).collect();
    assert_eq!(read.len(), 30);
    assert_eq!(read, published);
    assert_eq!(read.iter().map(|r| r.1).sum::<usize>(), 28_185);
    for frames in videos.values() {
        assert!(frames.iter().enumerate().all(|(i, f)| f.time == i as i64), "frames count from 0 without gaps");
    }
}

/// Everything that is said about a person in a frame.
fn narrative_of(videos: &Videos) -> BTreeMap<(String, i64, String), BTreeSet<String>> {
    let mut persons: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    for frame in videos.values().flatten() {
        for atom in frame.narrative.atoms(frame.time) {
            let (name, args) = inner(&atom);
            let key = (frame.segment.as_str().to_string(), frame.time, args[0].clone());
            let new = persons.entry(key).or_default().insert(format!("{}.{name} {}", atom.name, args[1..].join(" ")));
            assert!(new, "{atom} comes twice");
        }
    }
    persons
}

#[test]
fn the_narrative_is_the_published_one() {
    let Some((directory, videos)) = videos() else { return };
    let mut read = narrative_of(videos);
    let published = rows(&directory, "narrative.csv");
    assert_eq!(published.len(), 45_626);
    for row in &published {
        let (x, y, w, h, o) = (&row["x"], &row["y"], &row["w"], &row["h"], &row["orientation"]);
        let mut expected = BTreeSet::from([
            format!("coords.coords {x} {y}"),
            format!("box.box {w} {h}"),
            format!("orientation.orientation {o}"),
            match row["appearance"].as_str() {
                known @ ("visible" | "occluded") => format!("holdsAt.{known} "),
                event => format!("happensAt.{event} "),
            },
        ]);
        if row["movement"] != "none" {
            expected.insert(format!("happensAt.{} ", row["movement"]));
        }
        let key = (row["video"].clone(), row["frame"].parse().unwrap(), format!("id{}", row["id"]));
        assert_eq!(read.remove(&key), Some(expected), "{key:?}");
    }
    assert!(read.is_empty(), "nobody else is seen");
}

#[test]
fn the_intervals_are_the_published_ones() {
    let Some((directory, videos)) = videos() else { return };
    // (fluent, video, p, q) to the times at which it is labelled, for each order of the pair.
    let mut times: BTreeMap<(String, String, String, String), Vec<i64>> = BTreeMap::new();
    for frame in videos.values().flatten() {
        for atom in frame.annotation.atoms(frame.time) {
            let (fluent, pair) = inner(&atom);
            let key = (fluent, frame.segment.as_str().to_string(), pair[0].clone(), pair[1].clone());
            times.entry(key).or_default().push(frame.time);
        }
    }
    let mut read: BTreeSet<(String, String, String, String, i64, i64)> = BTreeSet::new();
    for ((fluent, video, p, q), times) in times {
        for run in times.chunk_by(|a, b| a + 1 == *b) {
            let run = (fluent.clone(), video.clone(), p.clone(), q.clone(), run[0], run[run.len() - 1]);
            assert!(read.insert(run), "no atom comes twice");
        }
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows(&directory, "intervals.csv") {
        let fluent = row["fluent"].as_str();
        if !["meeting", "moving", "fighting", "leaving_object"].contains(&fluent) {
            continue;
        }
        *counts.entry(fluent.into()).or_default() += 1;
        let (p, q) = (format!("id{}", row["p"]), format!("id{}", row["q"]));
        let run = |p: &str, q: &str| {
            let (first, last) = (row["first"].parse().unwrap(), row["last"].parse().unwrap());
            (fluent.to_string(), row["video"].clone(), p.to_string(), q.to_string(), first, last)
        };
        let found = [read.remove(&run(&p, &q)), read.remove(&run(&q, &p))];
        let expected = if fluent == "leaving_object" { 1 } else { 2 };
        assert_eq!(found.iter().filter(|f| **f).count(), expected, "{:?}", run(&p, &q));
    }
    assert!(read.is_empty(), "nothing else is labelled: {read:?}");
    let expected = [("fighting", 6), ("leaving_object", 6), ("meeting", 12), ("moving", 18)];
    assert_eq!(counts.into_iter().collect::<Vec<_>>(), expected.map(|(f, n)| (f.to_string(), n)));
}

#[test]
fn the_person_comes_before_the_object_that_is_left() {
    let Some((_, videos)) = videos() else { return };
    let (mut pairs, mut walkers) = (BTreeSet::new(), BTreeSet::new());
    for frame in videos.values().flatten() {
        let of_video = |who: &str| (frame.segment, who.to_string());
        for atom in frame.annotation.atoms(frame.time) {
            let (fluent, pair) = inner(&atom);
            if fluent == "leaving_object" {
                pairs.insert((of_video(&pair[0]), of_video(&pair[1])));
            }
        }
        for atom in frame.narrative.atoms(frame.time) {
            let (event, who) = inner(&atom);
            if event == "walking" {
                walkers.insert(of_video(&who[0]));
            }
        }
    }
    assert_eq!(pairs.len(), 5);
    for (person, object) in &pairs {
        assert!(walkers.contains(person) && !walkers.contains(object), "{person:?} leaves {object:?}");
    }
    assert_eq!(pairs.iter().filter(|(person, object)| person > object).count(), 1, "once the object is tracked first");
}

#[test]
fn every_protocol_has_its_units_in_ten_folds() {
    let Some(directory) = directory() else { return };
    let numbers = [19, 181, 30, 30, 30];
    for (protocol, number) in Protocol::ALL.into_iter().zip(numbers) {
        assert_eq!(protocol.to_string().parse(), Ok(protocol));
        let units = load_protocol(&directory, protocol).unwrap();
        assert_eq!(units.len(), number, "{protocol}");
        let folds: BTreeSet<usize> = units.iter().map(|u| u.fold).collect();
        assert_eq!(folds, (0..10).collect(), "{protocol}");
        let segments: BTreeSet<&str> = units.iter().map(|u| u.segment.as_str()).collect();
        assert_eq!(segments.len(), number, "each unit of {protocol} is a segment of its own");
    }
}

#[test]
fn units_of_pairs_have_the_published_numbers_of_labels() {
    let Some((directory, videos)) = videos() else { return };
    for protocol in [Protocol::Fragment, Protocol::Whole] {
        let units = load_protocol(&directory, protocol).unwrap();
        let published = rows(&directory, &format!("folds/{protocol}.csv"));
        for (unit, row) in units.iter().zip(&published) {
            let (mut meeting, mut moving, mut together) = (0, 0, 0);
            for frame in unit.frames(videos).unwrap() {
                assert_eq!(frame.segment, unit.segment);
                let (p, q) = unit.pair.unwrap();
                let facts = frame.narrative.iter().chain(frame.annotation.iter());
                let mut seen = BTreeSet::new();
                for value in facts.flat_map(|(_, values)| values) {
                    if let Value::Sym(who) = value {
                        assert!(*who == p || *who == q);
                        seen.insert(*who);
                    }
                }
                together += usize::from(seen.len() == 2);
                let count = |fluent| frame.annotation.atoms(0).filter(|a| inner(a).0 == fluent).count();
                (meeting, moving) = (meeting + count("meeting"), moving + count("moving"));
            }
            let number = |column: &str| row[column].parse::<usize>().unwrap();
            let expected = (2 * number("meeting"), 2 * number("moving"), number("covisible_frames"));
            assert_eq!((meeting, moving, together), expected, "{unit:?}");
        }
    }
}

#[test]
fn units_of_videos_are_the_whole_videos() {
    let Some((directory, videos)) = videos() else { return };
    for unit in load_protocol(&directory, Protocol::Clip).unwrap() {
        assert_eq!(unit.frames(videos).unwrap().collect::<Vec<_>>(), videos[&unit.video]);
    }
}

#[test]
fn a_unit_of_an_unknown_video_is_an_error() {
    let unit = Unit { fold: 0, segment: "a".into(), video: "a".into(), pair: None, first: None, last: None };
    let error = unit.frames(&Videos::default()).err().unwrap();
    assert_eq!(
        error.to_string(),
        "there is no video `a`\nhint: the protocol names a video that `videos.csv` does not have"
    );
}

#[test]
fn a_single_file_is_a_video_named_after_it() {
    let Some((directory, videos)) = videos() else { return };
    let mut frames = open(&directory.join("xml/wk1gt.xml"), &ReadOptions::default()).unwrap();
    let single: Vec<_> = frames.by_ref().map(Result::unwrap).collect();
    assert_eq!(Some(frames.bytes_read()), frames.total_bytes());
    let walk = &videos[&Symbol::new("01-Walk1")];
    assert_eq!(single.len(), walk.len());
    for (a, b) in single.iter().zip(walk) {
        assert_eq!(a.segment.as_str(), "wk1gt");
        assert_eq!((a.time, &a.narrative, &a.annotation), (b.time, &b.narrative, &b.annotation));
    }
}
