//! Tables: rows become frames as the task says, several files are one stream, and labels may stand apart.

mod resumed;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use oled::{Frame, Learner, Replay, ReplaySettings};
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, ReadOptions, open};
use proptest::prelude::*;
use resumed::goes_on_anywhere;

const MODES: &str = "input(temp(+machine, +celsius, +time)). input(happensAt(error(+machine, +code), +time)).
input(happensAt(start(+machine), +time)). input(happensAt(stop(+machine), +time)). input(open(+machine, +time)).
type(machine, symbol). type(celsius, real). type(code, symbol).
example(holdsAt(hot(+machine), +time)).
modeb(above(+machine, #real, +time)). comparison(above(+machine, #real, +time), 2, smaller).
modeb(below(+machine, #real, +time)). comparison(below(+machine, #real, +time), 2, larger).\n";

const BACKGROUND: &str = "above(M, L, T) :- temp(M, V, T), V > L. below(M, L, T) :- temp(M, V, T), V <= L.\n";

const TABLES: &str = "[[table]]\ntime = \"time\"\nfacts = [\"temp(machine, temp)\", \"open(machine) if door\"]
[[table]]\ntime = \"time\"\nfacts = [\"happensAt({what}(machine))\"]
[[table]]\ntime = \"time\"\nfacts = [\"happensAt(error(machine, code))\"]\n";

/// A folder with a task, and files in it.
struct Case {
    folder: tempfile::TempDir,
    task: TaskFolder,
}

impl Case {
    fn new(manifest: &str, files: &[(&str, &str)]) -> Case {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        let task = TaskFolder::from_texts("machines", manifest, MODES, BACKGROUND).unwrap();
        Case { folder, task }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn options(&self, with: &[&str], labels: Option<&str>) -> ReadOptions {
        ReadOptions {
            with: with.iter().map(|name| self.path(name)).collect(),
            labels_from: labels.map(|name| self.path(name)),
            ..self.task.read_options(None, false)
        }
    }

    fn read(&self, name: &str, options: &ReadOptions) -> Result<Vec<Frame>, DataError> {
        open(&self.path(name), options)?.collect()
    }

    /// All frames as text.
    fn shown(&self, name: &str, with: &[&str], labels: Option<&str>) -> Vec<String> {
        let frames = self.read(name, &self.options(with, labels));
        frames.unwrap_or_else(|error| panic!("{error}")).iter().map(shown).collect()
    }

    fn error(&self, name: &str, with: &[&str], labels: Option<&str>) -> String {
        let error = self.read(name, &self.options(with, labels)).unwrap_err().to_string();
        error.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

fn shown(frame: &Frame) -> String {
    let atoms =
        |facts: &oled::Facts| facts.atoms(frame.time).map(|atom| atom.to_string()).collect::<Vec<_>>().join(" ");
    format!("{} {}: {} | {}", frame.segment, frame.time, atoms(&frame.narrative), atoms(&frame.annotation))
        .trim()
        .into()
}

#[test]
fn rows_of_one_time_are_one_frame_and_missing_cells_say_nothing() {
    let case = Case::new(
        TABLES,
        &[("m.csv", "time,machine,temp,door\n1,web-01,20.5,yes\n1,007,,no\n\n2,web-01,NA,1\r\n3,\"a, b\",-1e1,0\n")],
    );
    let expected = [
        "main 1: temp('web-01', 20.5, 1) open('web-01', 1) |",
        "main 2: open('web-01', 2) |",
        "main 3: temp('a, b', -10.0, 3) |",
    ];
    assert_eq!(case.shown("m.csv", &[], None), expected);
}

#[test]
fn columns_may_have_the_names_of_events_and_files_may_be_objects_or_have_other_delimiters() {
    let case = Case::new(
        TABLES,
        &[
            ("e.tsv", "machine\ttime\twhat\na\t1\tstart\na\t4\tstop\n"),
            ("e.csv", "machine;time;what\na;1;start\na;4;stop\n"),
            (
                "e.jsonl",
                "{\"machine\":\"a\",\"what\":\"start\",\"time\":1}\n{\"time\":4,\"machine\":\"a\",\"what\":\"stop\",\"x\":2}\n",
            ),
        ],
    );
    for name in ["e.tsv", "e.csv", "e.jsonl"] {
        assert_eq!(
            case.shown(name, &[], None),
            ["main 1: happensAt(start(a), 1) |", "main 4: happensAt(stop(a), 4) |"]
        );
    }
}

#[test]
fn several_files_are_merged_by_time() {
    let case = Case::new(
        &format!("[stream]\ninterleaved = true\n{TABLES}")
            .replace("time = \"time\"", "time = \"time\"\nsegment = \"machine\""),
        &[
            ("m.csv", "time,machine,temp,door\n1,a,1,0\n1,b,2,0\n3,a,3,0\n"),
            ("e.csv", "time,machine,code\n1,b,E1\n2,a,E2\n9,b,E3\n"),
        ],
    );
    let expected = [
        "a 1: temp(a, 1, 1) |",
        "b 1: temp(b, 2, 1) happensAt(error(b, 'E1'), 1) |",
        "a 2: happensAt(error(a, 'E2'), 2) |",
        "a 3: temp(a, 3, 3) |",
        "b 9: happensAt(error(b, 'E3'), 9) |",
    ];
    assert_eq!(case.shown("m.csv", &["e.csv"], None), expected);
}

#[test]
fn each_of_several_files_may_name_the_segments_of_a_time_in_an_order_of_its_own() {
    let case = Case::new(
        &format!("[stream]\ninterleaved = true\n{TABLES}")
            .replace("time = \"time\"", "time = \"time\"\nsegment = \"machine\""),
        &[
            ("e.csv", "time,machine,code\n1,c,E1\n1,a,E2\n2,b,E3\n3,c,E4\n"),
            ("m.csv", "time,machine,temp,door\n1,a,1,0\n1,b,2,0\n1,c,3,0\n2,c,4,0\n2,b,5,0\n"),
        ],
    );
    let expected = [
        "c 1: happensAt(error(c, 'E1'), 1) temp(c, 3, 1) |",
        "a 1: happensAt(error(a, 'E2'), 1) temp(a, 1, 1) |",
        "b 1: temp(b, 2, 1) |",
        "b 2: happensAt(error(b, 'E3'), 2) temp(b, 5, 2) |",
        "c 2: temp(c, 4, 2) |",
        "c 3: happensAt(error(c, 'E4'), 3) |",
    ];
    assert_eq!(case.shown("e.csv", &["m.csv"], None), expected);
}

#[test]
fn dates_are_times_and_segments_are_cut_by_gaps_and_days() {
    let rows = "time,machine,temp,door\n2026-03-01T23:00:00Z,a,1,0\n2026-03-01T23:30:00Z,a,2,0\n2026-03-02T01:00:00+01:00,a,3,0\n2026-03-02T09:00:00Z,a,4,0\n";
    let segments = |stream: &str| {
        let case =
            Case::new(&format!("[stream]\ntime = \"iso\"\nzone = \"UTC\"\n{stream}\n{TABLES}"), &[("m.csv", rows)]);
        let frames = case.read("m.csv", &case.options(&[], None)).unwrap();
        assert_eq!(frames[0].time, 1_772_406_000);
        frames.iter().map(|frame| frame.segment.as_str()).collect::<Vec<_>>()
    };
    let (first, second) = ("2026-03-01T23:00:00Z", "2026-03-02T09:00:00Z");
    assert_eq!(segments("gap = \"1h\""), [first, first, first, second]);
    assert_eq!(segments("cut = \"day\""), ["2026-03-01", "2026-03-01", "2026-03-02", "2026-03-02"]);
    assert_eq!(segments(""), ["main"; 4]);
}

#[test]
fn what_is_not_sorted_is_put_in_order_where_the_task_says_so() {
    let files = [
        ("m.csv", "time,machine,temp,door\n5,a,1,0\n6,a,2,0\n5,b,3,0\n1,b,4,0\n"),
        ("e.csv", "time,machine,code\n6,a,E1\n1,b,E2\n"),
    ];
    let case = Case::new(TABLES, &files);
    assert!(case.error("m.csv", &[], None).contains("time 5 comes after time 6"));
    let case = Case::new(&format!("[stream]\nsorted = false\n{TABLES}"), &files);
    let expected = [
        "main 1: temp(b, 4, 1) happensAt(error(b, 'E2'), 1) |",
        "main 5: temp(a, 1, 5) temp(b, 3, 5) |",
        "main 6: temp(a, 2, 6) happensAt(error(a, 'E1'), 6) |",
    ];
    assert_eq!(case.shown("m.csv", &["e.csv"], None), expected);
}

#[test]
fn labels_stand_apart_with_open_ends_and_unknown_times() {
    let rows = "time,machine,temp,door\n1,a,1,0\n3,a,2,0\n5,a,3,0\n7,a,4,0\n9,a,5,0\n";
    let labels = "fluent,entity,start,end,label\nhot,a,,1,\nhot,a,5,6,\nhot,a,6,7,\nhot,a,9,,unknown\n";
    let case = Case::new(TABLES, &[("m.csv", rows), ("l.csv", labels)]);
    let annotated: Vec<String> = case
        .shown("m.csv", &[], Some("l.csv"))
        .iter()
        .map(|line| line.split_once('|').unwrap().1.trim().into())
        .collect();
    assert_eq!(annotated, ["holdsAt(hot(a), 1)", "", "holdsAt(hot(a), 5)", "holdsAt(hot(a), 7)", "unknown(hot(a), 9)"]);
    // What recognition prints, and the same as objects.
    let printed = "segment,fluent,start,end,closed\nmain,hot(a),5,7,terminated\n";
    let objects = "{\"fluent\":\"hot(a)\",\"start\":5,\"end\":7,\"segment\":\"main\"}\n";
    for (name, text) in [("p.csv", printed), ("p.jsonl", objects)] {
        fs::write(case.path(name), text).unwrap();
        let lines = case.shown("m.csv", &[], Some(name));
        assert_eq!(lines.iter().filter(|line| line.contains("hot(a)")).count(), 2, "{name}: {lines:?}");
    }
}

#[test]
fn a_time_without_labels_is_not_known_of_everybody_at_once() {
    let rows = "time,machine,temp,door\n1,a,1,0\n1,b,1,0\n3,a,2,0\n5,a,3,0\n5,c,3,0\n7,a,4,0\n";
    let annotated = |labels: &str| {
        let case = Case::new(TABLES, &[("m.csv", rows), ("l.csv", labels)]);
        let lines = case.shown("m.csv", &[], Some("l.csv"));
        lines.iter().map(|line| line.split_once('|').unwrap().1.trim().to_string()).collect::<Vec<_>>()
    };
    let expected = [
        "holdsAt(hot(a), 1)",
        "unknown(hot(a), 3) unknown(hot(b), 3)",
        "unknown(hot(a), 5) unknown(hot(b), 5) unknown(hot(c), 5)",
        "",
    ];
    assert_eq!(annotated("fluent,machine,start,end,label\nhot,a,1,1,\nhot,,2,6,unknown\n"), expected);
    assert_eq!(annotated("fluent,machine,start,end,label\nhot,a,1,1,\n,,2,6,unknown\n"), expected);
}

#[test]
fn every_fault_of_a_table_has_its_place_and_a_remedy() {
    let header = "time,machine,temp,door\n";
    let case = Case::new(TABLES, &[("good.csv", &format!("{header}1,a,2,0\n"))]);
    let mut found = Vec::new();
    for (rows, expected) in [
        ("1,a,warm,0\n", "m.csv:2:5|`warm` in column `temp` is not a number, as every `celsius` is"),
        ("1,a,2\n", "m.csv:2:6|the row has 3 cells, the header 4"),
        ("1,a,2,0,7\n", "m.csv:2:9|the row has 5 cells, the header 4"),
        ("x,a,2,0\n", "m.csv:2:1|the time `x` is not a whole number, in column `time`"),
        ("2026-03-01,a,2,0\n", "m.csv:2:1|the time `2026-03-01` is not a whole number, in column `time`"),
        (",a,2,0\n", "m.csv:2:1|the time `` is not a whole number, in column `time`"),
        ("1,a,2,0\n1,\"a,2,0\n", "m.csv:3:1|a quoted cell is not closed where the table ends"),
        ("2,a,2,0\n1,a,2,0\n", "m.csv:3:1|time 1 comes after time 2 in segment `main`"),
    ] {
        fs::write(case.path("m.csv"), format!("{header}{rows}")).unwrap();
        let error = case.error("m.csv", &[], None);
        let (place, message) = expected.split_once('|').unwrap();
        if !(error.contains(place) && error.contains(message) && error.contains("hint:")) {
            found.push(format!("{expected}\n{error}"));
        }
    }
    for (text, expected) in [
        ("", "is empty"),
        ("time,machine\n1,a\n", "has no column"),
        ("time,time,machine\n1,2,a\n", "two columns are called `time`"),
    ] {
        fs::write(case.path("m.csv"), text).unwrap();
        let error = case.error("m.csv", &[], None);
        if !(error.contains(expected) && error.contains("hint:")) {
            found.push(format!("{expected}\n{error}"));
        }
    }
    for (labels, expected) in [
        ("fluent,start\nhot,1\n", "has no column `end`"),
        ("fluent,entity,start,end\nhot,a,5,3\n", "ends at 3 and starts after it"),
        ("fluent,entity,start,end\nhot,a,x,3\n", "the time `x` is not a whole number"),
        ("fluent,entity,start,end\n,a,1,3\n", "names no fluent"),
        ("fluent,entity,start,end,label\nhot,a,1,3,maybe\n", "a label is not `maybe`"),
        ("fluent,entity,start,end\nhot,a,1,3,unknown\n", "the row has 5 cells, the header 4"),
        ("fluent,start,end\n\"hot(\",1,3\n", "is no fluent"),
    ] {
        fs::write(case.path("l.csv"), labels).unwrap();
        let error = case.error("good.csv", &[], Some("l.csv"));
        if !(error.contains(expected) && error.contains("hint:")) {
            found.push(format!("{expected}\n{error}"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n\n"));
}

#[test]
fn cells_that_are_wrong_are_counted_where_that_is_allowed() {
    let case = Case::new(TABLES, &[("m.csv", "time,machine,temp,door\n1,a,warm,1\n2,a,3\n3,a,4,0\n")]);
    let options = ReadOptions { lenient: true, ..case.options(&[], None) };
    let mut frames = open(&case.path("m.csv"), &options).unwrap();
    let lines: Vec<String> = frames.by_ref().map(|frame| shown(&frame.unwrap())).collect();
    assert_eq!(lines, ["main 1: open(a, 1) |", "main 3: temp(a, 4, 3) |"]);
    assert_eq!(frames.skipped().total(), 2);
}

#[test]
fn a_task_says_what_is_wrong_with_its_tables() {
    let problems = |manifest: &str| TaskFolder::from_texts("t", manifest, MODES, BACKGROUND).unwrap_err().to_string();
    let table = |fact: &str| format!("[[table]]\ntime = \"time\"\nfacts = [{fact}]\n");
    for (manifest, expected) in [
        (table("\"temp(machine)\""), "no input `temp(_, _)` is declared"),
        (table("\"tmp(machine, temp)\""), "did you mean `temp(_, _, _)`?"),
        (table("\"temp(\""), "is no fact with columns"),
        (table(""), "the table has no facts"),
        ("[stream]\ntime = \"weeks\"\n".into(), "times are not written as `weeks`"),
        ("[stream]\ngap = \"soon\"\n".into(), "is no time that may pass"),
        ("[stream]\ncut = \"moon\"\n".into(), "segments are not cut by `moon`"),
        ("[stream]\ncut = \"day\"\ngap = 3\n".into(), "both say where segments end"),
        ("[[table]]\nfacts = []\n".into(), "missing field `time`"),
        (table("\"temp(machine, temp)\"") + "end = \"end\"\n", "says nothing of the end of its rows"),
        (table("\"temp(machine, temp)\"") + "end_facts = [\"open(machine)\"]\n", "does not say when its rows end"),
    ] {
        let text = problems(&manifest);
        assert!(text.contains(expected), "{manifest}\n{text}");
    }
}

#[test]
fn reading_goes_on_anywhere_also_in_quotes_and_compressed_files() {
    let text = "time,machine,temp,door\n1,a,1,0\n1,\"b\nc\",2,1\n2,a,3,0\n4,a,4,1\n4,d,5,1\n6,a,1,1\n";
    let case = Case::new(TABLES, &[("m.csv", text), ("e.csv", "time,machine,code\n1,a,E1\n5,a,E2\n")]);
    let frames = goes_on_anywhere(&case.path("m.csv"), &case.options(&[], None));
    assert_eq!(frames.len(), 4);
    goes_on_anywhere(&case.path("m.csv"), &case.options(&["e.csv"], None));
    // Made by `zstd`, of the first two rows, twice.
    let zstd = case.path("z.csv.zst");
    fs::write(&zstd, ZSTD).unwrap();
    let lines = case.shown("z.csv.zst", &[], None);
    assert_eq!(lines, ["main 1: temp(a, 20, 1) |", "main 2: temp(a, 21, 2) open(a, 2) |"]);
}

/// `printf 'time,machine,temp,door\n1,a,20,0\n' | zstd`, then `printf '2,a,21,1\n' | zstd`, as a log is rotated.
const ZSTD: &[u8] = include_bytes!("data/rotated.csv.zst");

fn csv_of(frames: &[Frame]) -> (String, String) {
    let (mut rows, mut labels) =
        (String::from("time,segment,machine,temp\n"), String::from("segment,fluent,entity,start,end\n"));
    let mut open: Vec<(String, String, i64, i64)> = Vec::new();
    for frame in frames {
        for (_, values) in frame.narrative.iter() {
            writeln!(rows, "{},{},{},{}", frame.time, frame.segment, values[0], values[1]).unwrap();
        }
        let segment = frame.segment.to_string();
        let holds: Vec<String> = frame.annotation.iter().map(|(_, values)| values[0].to_string()).collect();
        open.retain_mut(|(of, who, start, end)| {
            if *of == segment && holds.contains(who) {
                *end = frame.time;
                return true;
            }
            writeln!(labels, "{of},hot,{who},{start},{end}").unwrap();
            false
        });
        for who in holds {
            if !open.iter().any(|(of, own, ..)| *of == segment && *own == who) {
                open.push((segment.clone(), who, frame.time, frame.time));
            }
        }
    }
    for (of, who, start, end) in open {
        writeln!(labels, "{of},hot,{who},{start},{end}").unwrap();
    }
    (rows, labels)
}

fn learned(frames: &[Frame], task: &TaskFolder) -> String {
    let mut learner = Replay::new(&task.task, ReplaySettings::default()).unwrap();
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    learner.learned(&mut ()).theory().to_string()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..oled::testing::deterministic(24) })]

    /// Labels in a table of their own are those in their frames: the same frames, so the same rules, byte for byte.
    #[test]
    fn labels_apart_teach_what_labels_in_frames_do(values in prop::collection::vec((0_u8..40, 1_i64..4, prop::bool::weighted(0.1)), 40..120)) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut hot = false;
        for (k, chunk) in values.chunks(20).enumerate() {
            let mut time = 0;
            for (value, step, noise) in chunk {
                time += step;
                hot = (hot && *value > 10 || *value > 30) != *noise;
                let mut frame = Frame::new(format!("s{k}").as_str().into(), time);
                let atom = |text: &str| oled::Signature::split(&oled::parse_atom(text).unwrap()).unwrap();
                let (signature, mut row) = atom(&format!("temp(m{}, {value}, {time})", k % 2));
                row.pop();
                frame.narrative.push(signature, &row);
                if hot {
                    let (signature, mut row) = atom(&format!("holdsAt(hot(m{}), {time})", k % 2));
                    row.pop();
                    frame.annotation.push(signature, &row);
                }
                frames.push(frame);
            }
        }
        let (rows, labels) = csv_of(&frames);
        let manifest = "[[table]]\ntime = \"time\"\nsegment = \"segment\"\nfacts = [\"temp(machine, temp)\"]\n";
        let case = Case::new(manifest, &[("m.csv", &rows), ("l.csv", &labels)]);
        let read = case.read("m.csv", &case.options(&[], Some("l.csv"))).unwrap();
        prop_assert_eq!(&read, &frames);
        prop_assert_eq!(learned(&read, &case.task), learned(&frames, &case.task));
    }
}

#[test]
fn a_task_is_drafted_from_tables_and_learns_what_made_their_labels() {
    let (mut rows, mut labels) = (String::from("when,unit,load,mode\n"), String::from("fluent,entity,start,end\n"));
    // A unit is overloaded after its load was above 70, until it was at most 50.
    for unit in 0..6_u32 {
        let (mut hot, mut start) = (false, 0);
        for minute in 0..200_u32 {
            let value = 40 + (i64::from(minute * (3 + unit)) % 80 - 40).abs();
            let stamp = |minute: u32| format!("2026-03-01T{:02}:{:02}:00Z", minute / 60, minute % 60);
            writeln!(rows, "{},u-{unit},{value}.5,{}", stamp(minute), if minute % 3 == 0 { "auto" } else { "hand" })
                .unwrap();
            let before = hot;
            hot = value > 70 || hot && value > 50;
            match (before, hot) {
                (false, true) => start = minute + 1,
                (true, false) => writeln!(labels, "overload,u-{unit},{},{}", stamp(start), stamp(minute)).unwrap(),
                _ => {}
            }
        }
        if hot {
            writeln!(labels, "overload,u-{unit},2026-03-01T{:02}:{:02}:00Z,", start / 60, start % 60).unwrap();
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = ["load.csv", "labels.csv"].iter().map(|name| folder.path().join(name)).collect();
    fs::write(&paths[0], rows).unwrap();
    fs::write(&paths[1], labels).unwrap();
    let draft = oled_data::init::draft(&paths[..1], &paths[1], &oled_data::init::InitOptions::default()).unwrap();
    assert!(draft.remarks.is_empty(), "{:?}", draft.remarks);
    // What stands there as comments, for how long a gauge was above a number, is right as well.
    let uncommented = |text: &str| {
        let text = text.replace("\n% modeb(", "\nmodeb(").replace("\n% comparison(", "\ncomparison(");
        text.replace("\n% load_", "\nload_")
    };
    let (modes, background) = (uncommented(&draft.modes), uncommented(&draft.background));
    assert!(
        modes.contains("\nmodeb(load_above_for(") && background.contains("\nload_above_for("),
        "{modes}{background}"
    );
    TaskFolder::from_texts("drafted", &draft.manifest, &modes, &background).unwrap();
    let task = TaskFolder::from_texts("drafted", &draft.manifest, &draft.modes, &draft.background).unwrap();
    let options = ReadOptions { labels_from: Some(paths[1].clone()), ..task.read_options(None, false) };
    let frames: Vec<Frame> = open(Path::new(&paths[0]), &options).unwrap().map(Result::unwrap).collect();
    let mut learner = Replay::new(&task.task, ReplaySettings::default()).unwrap();
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ());
    let theory = learned.theory().to_string();
    assert_eq!(learned.fits[0].counts.f1(), 1.0, "{theory}");
    assert!(theory.contains("load_above(X0, 7") && theory.contains("load_below(X0, 5"), "{theory}");
}

/// Facts and labels of each time point, in the order of their text.
fn sorted(frames: &[Frame]) -> Vec<String> {
    let of = |frame: &Frame| {
        let atoms = |facts: &oled::Facts| {
            let mut atoms: Vec<String> = facts.atoms(frame.time).map(|atom| atom.to_string()).collect();
            atoms.sort();
            atoms.join(" ")
        };
        format!("{} {}: {} | {}", frame.segment, frame.time, atoms(&frame.narrative), atoms(&frame.annotation))
    };
    frames.iter().map(of).collect()
}

#[test]
fn what_is_written_as_tables_is_read_back() {
    let lobby =
        oled_data::world::World::new(oled_data::world::WorldOptions { frames: 120, segments: 2, ..Default::default() });
    let homes = oled_data::homes::Homes::new(oled_data::homes::HomesOptions { days: 1, ..Default::default() });
    let cases: [(&str, Vec<Frame>); 2] = [("lobby", lobby.collect()), ("homes", homes.take(400).collect())];
    for (name, frames) in cases {
        let folder = tempfile::tempdir().unwrap();
        let built_in = TaskFolder::named(name).unwrap();
        let mut writer = oled_data::TableWriter::new(folder.path(), &built_in.task, built_in.times()).unwrap();
        frames.iter().for_each(|frame| writer.write(frame).unwrap());
        let manifest = writer.finish().unwrap();
        let [modes, background] = [0, 1].map(|i| built_in.texts()[i].text.clone());
        let task = TaskFolder::from_texts(name, &manifest, &modes, &background).unwrap();
        let mut tables: Vec<PathBuf> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        tables.retain(|path| !path.ends_with("labels.csv"));
        tables.sort();
        let options = ReadOptions {
            with: tables[1..].to_vec(),
            labels_from: Some(folder.path().join("labels.csv")),
            ..task.read_options(None, false)
        };
        let read: Vec<Frame> =
            open(&tables[0], &options).unwrap().collect::<Result<_, _>>().unwrap_or_else(|error| panic!("{error}"));
        let frames: Vec<Frame> = frames.into_iter().filter(|frame| !frame.narrative.is_empty()).collect();
        let (read, frames) = (sorted(&read), sorted(&frames));
        for (read, written) in read.iter().zip(&frames) {
            assert_eq!(read, written, "{name}");
        }
        assert_eq!(read.len(), frames.len(), "{name}");
    }
}
