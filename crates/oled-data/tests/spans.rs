//! What holds from one time to another: as if every frame between had said it, wherever reading is cut and whatever comes late.

mod resumed;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use oled::testing::deterministic;
use oled::{Frame, Recogniser, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::{ReadOptions, open};
use proptest::prelude::*;
use resumed::goes_on_anywhere;

const MODES: &str = "input(happensAt(on(+lamp), +time)). input(holdsAt(near(+lamp), +time)).
example(holdsAt(lit(+lamp), +time)).
horizon(3).
";

/// Time points, and what holds between two of them.
const STREAM: &str = r#"{"from":3,"to":6,"narrative":["holdsAt(near(a),3)"],"annotation":["holdsAt(lit(a),3)"]}
{"time":1,"narrative":["happensAt(on(a),1)"]}
{"from":4,"to":4,"narrative":["holdsAt(near(b),4)"]}
{"time":4,"narrative":["happensAt(on(b),4)"]}
{"time":12,"narrative":["happensAt(on(a),12)"]}
{"segment":"other","from":20,"to":40,"narrative":["holdsAt(near(c),20)"]}
{"segment":"other","time":30,"narrative":[]}
{"segment":"other","time":41,"narrative":["happensAt(on(c),41)"]}
"#;

fn task(folder: &Path, settings: &str) -> TaskFolder {
    fs::write(folder.join("modes.lp"), MODES).unwrap();
    fs::write(folder.join("task.toml"), settings).unwrap();
    TaskFolder::load(folder).unwrap()
}

/// What is said at each time, in order.
fn said(frames: &[Frame]) -> Vec<(String, i64, Vec<String>)> {
    let of = |frame: &Frame| {
        let atoms = frame.narrative.atoms(frame.time).chain(frame.annotation.atoms(frame.time));
        let mut atoms: Vec<String> = atoms.map(|atom| atom.to_string()).collect();
        atoms.sort();
        (frame.segment.to_string(), frame.time, atoms)
    };
    frames.iter().map(of).collect()
}

fn read(folder: &Path, name: &str, text: &str, options: &ReadOptions) -> Result<Vec<Frame>, String> {
    fs::write(folder.join(name), text).unwrap();
    let frames = open(&folder.join(name), options).map_err(|error| error.to_string())?;
    frames.collect::<Result<_, _>>().map_err(|error| error.to_string())
}

#[test]
fn what_holds_is_told_at_every_frame_and_tick_between() {
    let folder = tempfile::tempdir().unwrap();
    let options = task(folder.path(), "").read_options(None, false);
    let frames = said(&read(folder.path(), "s.jsonl", STREAM, &options).unwrap());
    let atoms: Vec<(i64, String)> = frames.iter().map(|(_, time, atoms)| (*time, atoms.join(" "))).collect();
    let expected = [
        (1, "happensAt(on(a), 1)"),
        (4, "happensAt(on(b), 4) holdsAt(lit(a), 4) holdsAt(near(a), 4) holdsAt(near(b), 4)"),
        (12, "happensAt(on(a), 12)"),
        (30, "holdsAt(near(c), 30)"),
        (41, "happensAt(on(c), 41)"),
    ];
    assert_eq!(atoms, expected.map(|(time, text)| (time, text.to_string())));
    let options = task(folder.path(), "[stream]\ntick = 1\n").read_options(None, false);
    let frames = read(folder.path(), "s.jsonl", STREAM, &options).unwrap();
    let near: Vec<i64> = said(&frames)
        .into_iter()
        .filter(|(.., a)| a.iter().any(|a| a.contains("near(a)")))
        .map(|(_, t, _)| t)
        .collect();
    assert_eq!(near, [3, 4, 5, 6]);
    let lit = said(&frames).into_iter().filter(|(.., a)| a.iter().any(|a| a.contains("lit(a)"))).count();
    assert_eq!(lit, 4);
    assert!(
        !said(&frames).iter().any(|(.., atoms)| atoms.iter().any(|a| a.contains("unknown"))),
        "both ends are known"
    );
}

#[test]
fn delimited_text_has_intervals_as_rtec_writes_them() {
    let folder = tempfile::tempdir().unwrap();
    let options = task(folder.path(), "[stream]\ntick = 1\n").read_options(None, false);
    let text = "# event on/1\n# interval near/1\n# label interval lit/1\non|1|1|a\nnear|9|3|7|true|a\nlit|9|3|7|true|a\n\
        on|4|4|b\nnear|9|4|5|true|b\non|12|12|a\n# segment other\nnear|50|20|41|true|c\n# time 30\non|41|41|c\n";
    let found = said(&read(folder.path(), "s.csv", text, &options).unwrap());
    assert_eq!(found, said(&read(folder.path(), "s.jsonl", STREAM, &options).unwrap()));
}

#[test]
fn reading_goes_on_anywhere_also_within_what_holds() {
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("s.jsonl");
    fs::write(&stream, STREAM).unwrap();
    for (settings, lateness) in [("", None), ("[stream]\ntick = 1\n", None), ("[stream]\nidle = 2\n", Some(3))] {
        let options = ReadOptions { lateness, ..task(folder.path(), settings).read_options(None, false) };
        goes_on_anywhere(&stream, &options);
    }
}

proptest! {
    #![proptest_config(deterministic(150))]

    #[test]
    fn what_holds_is_as_if_every_frame_had_said_it(
        steps in prop::collection::vec((1..9_i64, any::<bool>()), 2..12),
        spans in prop::collection::vec((0..60_i64, 0..20_i64, 0..3_usize), 0..6),
        ticking in any::<bool>(),
        jumbled in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let mut folder_task = task(folder.path(), if ticking { "[stream]\ntick = 1\n" } else { "" });
        let options = ReadOptions { lateness: jumbled.then_some(9), ..folder_task.read_options(None, false) };
        let (mut time, mut lines) = (0, Vec::new());
        for (step, on) in steps {
            time += step;
            let event = if on { format!("\"happensAt(on(a),{time})\"") } else { String::new() };
            lines.push((time, format!("{{\"time\":{time},\"narrative\":[{event}]}}")));
        }
        let plain: String = lines.iter().fold(String::new(), |text, (_, line)| text + line + "\n");
        let mut expected = read(folder.path(), "p.jsonl", &plain, &options).unwrap();
        // Frames as they are, then what holds: at frames and ticks alike.
        for frame in &mut expected {
            for (first, length, lamp) in &spans {
                if (*first..=first + length).contains(&frame.time) {
                    let lamp = ["a", "b", "c"][*lamp];
                    let fact = format!("holdsAt(near({lamp}), {})", frame.time);
                    oled::FactReader::default().read(&fact, &mut frame.narrative).unwrap();
                }
            }
        }
        for (first, length, lamp) in &spans {
            let lamp = ["a", "b", "c"][*lamp];
            let last = first + length;
            lines.push((*first, format!("{{\"from\":{first},\"to\":{last},\"narrative\":[\"holdsAt(near({lamp}),{first})\"]}}")));
        }
        // What holds comes before the frame of its first time point.
        lines.sort_by_key(|(time, line)| (*time, line.contains("time")));
        if jumbled {
            let count = lines.len();
            for i in (0..count.saturating_sub(1)).step_by(3) {
                if lines[i + 1].0 - lines[i].0 < 9 {
                    lines.swap(i, i + 1);
                }
            }
        }
        let text = lines.iter().fold(String::new(), |mut text, (_, line)| {
            let _ = writeln!(text, "{line}");
            text
        });
        let found = read(folder.path(), "s.jsonl", &text, &options).unwrap();
        prop_assert_eq!(said(&found), said(&expected));

        // Ticks that are left out make no difference.
        let rules = "initiatedAt(lit(L), T) :- happensAt(on(L), T).
            terminatedAt(lit(L), T) :- holdsAt(near(L), T).
            initiatedAt(lit(b), T) :- since(holdsAt(near(L), T), D), D >= 2.";
        let theory = parse_theory("t.lp", rules).unwrap();
        let intervals = |frames: &[Frame]| {
            let (mut recogniser, mut found) = (Recogniser::new(&folder_task.task, &theory).unwrap(), Vec::new());
            frames.iter().for_each(|frame| recogniser.observe(frame, &mut found));
            recogniser.finish(&mut found);
            found
        };
        let expected = intervals(&found);
        folder_task.skip_quiet(&theory);
        let options = ReadOptions { lateness: options.lateness, ..folder_task.read_options(None, false) };
        let fewer = read(folder.path(), "s.jsonl", &text, &options).unwrap();
        let (mut recogniser, mut quick) = (Recogniser::new(&folder_task.task, &theory).unwrap(), Vec::new());
        fewer.iter().for_each(|frame| recogniser.observe(frame, &mut quick));
        recogniser.finish(&mut quick);
        prop_assert!(fewer.len() <= found.len());
        prop_assert_eq!(quick, expected);
    }
}

#[test]
fn wrong_spans_are_told_with_their_place() {
    let folder = tempfile::tempdir().unwrap();
    let options = task(folder.path(), "").read_options(None, false);
    let frame = "{\"time\":5,\"narrative\":[\"happensAt(on(a),5)\"]}";
    for (line, expected, place) in [
        (
            r#"{"from":8,"to":7,"narrative":["holdsAt(near(a),8)"]}"#,
            "what holds from 8 on cannot end before, at 7",
            "2:9",
        ),
        (r#"{"from":5,"to":7,"narrative":["holdsAt(near(a),5)"]}"#, "what holds from 5 on comes after time 5", "2:9"),
        (r#"{"from":8,"narrative":["holdsAt(near(a),8)"]}"#, "`from` and `to` stand together", "2:9"),
        (r#"{"time":8,"to":9,"narrative":["holdsAt(near(a),8)"]}"#, "`from` and `to` stand together", "2:9"),
        (r#"{"from":8,"to":9.5,"narrative":["holdsAt(near(a),8)"]}"#, "the time is not an integer", "2:16"),
        (r#"{"to":9,"narrative":["holdsAt(near(a),8)"]}"#, "the frame has no time", "2:1"),
        (r#"{"from":8,"to":9,"narrative":["holdsAt(near(a),9)"]}"#, "the atom is about time 9", "2:"),
    ] {
        let told = read(folder.path(), "w.jsonl", &format!("{frame}\n{line}\n"), &options).unwrap_err();
        assert!(
            told.contains(expected) && told.contains(&format!("w.jsonl:{place}")) && told.contains("hint:"),
            "{told}"
        );
    }
    for (line, expected, place) in [
        ("near|9|8|8|true|a", "what holds from 8 on cannot end before, at 7", "3:8"),
        ("near|9|3|9|true|a", "what holds from 3 on comes after time 5", "3:8"),
        ("near|9|8|x|true|a", "the time `x` is not an integer", "3:10"),
    ] {
        let text = format!("# interval near/1\non|5|5|true|a\n{line}\n");
        let told = read(folder.path(), "w.csv", &text, &options).unwrap_err();
        assert!(told.contains(expected) && told.contains(&format!("w.csv:{place}")), "{told}");
    }
    // What comes too late for `--lateness` is told too.
    let late = ReadOptions { lateness: Some(2), ..options };
    let told = read(folder.path(), "w.jsonl", &format!("{frame}\n{}\n", r#"{"from":3,"to":7,"narrative":[]}"#), &late);
    assert!(told.unwrap_err().contains("what holds from 3 on comes after time 3"));
    let fine = read(
        folder.path(),
        "w.jsonl",
        &format!("{frame}\n{}\n", r#"{"from":4,"to":7,"narrative":["holdsAt(near(b),4)"]}"#),
        &late,
    );
    assert_eq!(fine.unwrap()[0].narrative.len(), 2);
}
