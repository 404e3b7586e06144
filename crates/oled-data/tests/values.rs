//! Values of a stream have the declared types, in every format; what a task does not know is told.

use std::io::Cursor;
use std::sync::Arc;

use oled::{Frame, Source, Task};
use oled_data::{Declarations, Format, Frames, ProblemKind, ReadOptions};

const MODES: &str = "type(celsius, real). type(people, int).
input(temp(+room, +celsius, +time)). input(holdsAt(occupied(+room)=people, +time)).
input(holdsAt(crowd(+room, +people), +time)). example(holdsAt(hot(+room, +celsius), +time)).";

fn options(format: Format, lenient: bool) -> ReadOptions {
    let task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap();
    ReadOptions {
        format: Some(format),
        lenient,
        labels: task.labels(),
        declared: task.bias.inputs.iter().map(oled::Mode::signature).collect(),
        declarations: Some(Arc::new(Declarations::new(&task))),
        ..ReadOptions::default()
    }
}

fn read(format: Format, text: &str, lenient: bool) -> Frames {
    let input = Cursor::new(text.as_bytes().to_vec());
    Frames::from_reader("s", input, &options(format, lenient)).unwrap()
}

/// The same two time points in each format, with a place for a temperature.
fn streams(value: &str) -> [(Format, String, (usize, usize)); 4] {
    // A string within a JSON string has other quotes.
    let json = value.replace('"', "\\\"");
    [
        (
            Format::Jsonl,
            format!(
                "{{\"time\":1,\"narrative\":[\"temp(a,20,1)\"],\"segment\":\"k\"}}\n{{\"time\":2,\"narrative\":[\"temp(a,{json},2)\"],\"segment\":\"k\"}}\n"
            ),
            (2, 32),
        ),
        (
            Format::Mongo,
            format!(
                "{{\"segment\":\"k\",\"narrative\":[\"temp(a,20,1)\"]}}\n{{\"segment\":\"k\",\"narrative\":[\"temp(a,{json},2)\"]}}\n"
            ),
            (2, 37),
        ),
        (Format::Facts, format!("segment(k).\ntemp(a,20,1).\ntemp(a, {value},2).\n"), (3, 9)),
        (Format::Rtec, format!("# segment k\n# predicate temp/2\ntemp|1|1|a|20\ntemp|2|2|a|{value}\n"), (4, 12)),
    ]
}

#[test]
fn a_name_where_a_number_is_declared_is_a_fault_with_its_place_in_every_format() {
    for value in ["nan", "null", "none", "inf", "''", "'-'", "\"\""] {
        for (format, text, place) in streams(value) {
            let error = read(format, &text, false).find_map(Result::err).expect("it is a fault");
            assert_eq!(error.kind(), ProblemKind::WrongType, "{format} {error}");
            assert_eq!(error.line_column(), Some(place), "{format} {error}");
            let shown = if value == "\"\"" { "''" } else { value };
            let message = format!(
                "`{shown}` in `temp(a, {shown}, 2)` is not a number, as every `celsius` is, at time 2 of segment `k`"
            );
            assert_eq!(error.message(), message, "{format}");
            assert!(error.hint().unwrap().contains("`lenient`"));
        }
    }
}

#[test]
fn with_lenient_such_a_fact_is_left_out_and_counted_and_its_time_point_stays() {
    for (format, text, _) in streams("nan") {
        let mut frames = read(format, &text, true);
        let found: Vec<Frame> = frames.by_ref().map(Result::unwrap).collect();
        let times: Vec<(i64, usize)> = found.iter().map(|f| (f.time, f.narrative.len())).collect();
        assert_eq!(times, [(1, 1), (2, 0)], "{format}");
        assert_eq!(frames.skipped().count(ProblemKind::WrongType), 1, "{format}");
        assert_eq!(frames.skipped().to_string(), "skipped 1: 1 value of another type", "{format}");
    }
}

#[test]
fn labels_and_values_of_fluents_have_types_too() {
    let wrong = [
        ("annotation", "holdsAt(hot(a,none),1)"),
        ("annotation", "unknown(hot(a,none),1)"),
        ("narrative", "holdsAt(crowd(a,2.5),1)"),
        ("narrative", "holdsAt(crowd(a,many),1)"),
    ];
    for (part, atom) in wrong {
        let text = format!("{{\"time\":1,\"{part}\":[\"{atom}\"]}}\n");
        let error = read(Format::Jsonl, &text, false).find_map(Result::err).expect("it is a fault");
        assert_eq!(error.kind(), ProblemKind::WrongType, "{error}");
    }
    let right = r#"{"time":1,"narrative":["holdsAt(crowd(a,2.0),1)","holdsAt(occupied(a)=people,1)","temp(7,-3,1)","other(nan,1)"]}"#;
    assert!(read(Format::Jsonl, right, false).all(|frame| frame.is_ok()));
}

#[test]
fn minus_zero_is_a_time() {
    let times = |text: &str| read(Format::Jsonl, text, false).map(|f| f.map(|f| f.time).ok()).collect::<Vec<_>>();
    assert_eq!(times("{\"time\":-0}\n{\"time\": -0 ,\"segment\":\"b\"}\n"), [Some(0), Some(0)]);
    assert_eq!(times("{\"time\":-0.0}\n"), [None]);
}

fn warnings(format: Format, text: &str) -> Vec<String> {
    let mut frames = read(format, text, false);
    frames.by_ref().for_each(|frame| drop(frame.unwrap()));
    frames.skipped().unknown().warnings(true)
}

#[test]
fn a_misspelt_key_of_a_frame_is_told() {
    let text = "{\"time\":1,\"narative\":[\"temp(a,20,1)\"]}\n{\"time\":2,\"narative\":[\"temp(a,20,2)\"]}\n";
    assert_eq!(
        warnings(Format::Jsonl, text),
        ["warning: frames have a key that means nothing there: `narative` (2)\nhint: did you mean `narrative`?"]
    );
}

#[test]
fn flat_json_is_told_how_frames_are_written() {
    assert_eq!(
        warnings(Format::Jsonl, "{\"time\":1,\"machine\":\"web-01\",\"temp\":91}\n"),
        ["warning: frames have keys that mean nothing there: `machine` (1), `temp` (1)\n\
          hint: facts stand in the narrative of their frame, as in {\"time\":…,\"narrative\":[\"temp(room, celsius, time)\"]}"]
    );
    assert!(warnings(Format::Mongo, "{\"_id\":1,\"time\":1,\"narrative\":[\"temp(a,20,1)\"]}\n").is_empty());
}

#[test]
fn a_stream_without_facts_is_told() {
    let told = warnings(Format::Jsonl, "{\"time\":1}\n{\"time\":2,\"narrative\":[]}\n");
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("warning: 2 frames have no facts at all\nhint: "), "{told:?}");
    assert!(warnings(Format::Jsonl, "{\"time\":1}\n{\"time\":2,\"narrative\":[\"temp(a,20,2)\"]}\n").is_empty());
    assert!(warnings(Format::Jsonl, "").is_empty());
}

#[test]
fn what_was_counted_goes_on_where_a_stream_does() {
    let text = "{\"time\":1,\"narrative\":[\"temq(a,20,1)\"]}\n{\"time\":2,\"narrative\":[\"temq(a,20,2)\"]}\n";
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    std::fs::write(&path, text).unwrap();
    let options = options(Format::Jsonl, false);
    let mut frames = oled_data::open(&path, &options).unwrap();
    frames.next().unwrap().unwrap();
    let mut rest = oled_data::open_at(&path, &options, &frames.save(), true).unwrap();
    rest.by_ref().for_each(|frame| drop(frame.unwrap()));
    let told = rest.skipped().unknown().warnings(false);
    assert!(told[0].starts_with("warning: 2 facts of a predicate"), "{told:?}");
}
