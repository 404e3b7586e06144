//! Pieces of files: together they are the stream, whatever their size, and each is found by who knows nothing of the others.

use std::fmt::Write as _;

use super::*;
use crate::reader::open;

/// What frames say, as text, up to the first fault.
fn told(frames: impl Iterator<Item = Result<oled::Frame, DataError>>) -> Vec<String> {
    frames.map(|frame| frame.map_or_else(|error| format!("error: {error}"), |frame| format!("{frame:?}"))).collect()
}

fn pieces(path: &Path, options: &ReadOptions, piece: u64) -> (Vec<String>, usize) {
    let mut shares = Shares::open(path, options).unwrap().unwrap();
    shares.piece = piece;
    let (mut all, mut count) = (Vec::new(), 0);
    // Each piece by somebody who knows nothing of those before.
    for piece in 0..shares.pieces() {
        shares.moved = None;
        if let Some(share) = shares.read(piece, &[]).unwrap() {
            count += 1;
            all.extend(told(share));
        }
    }
    // Whoever reads all of them finds the same.
    let own = (0..shares.pieces()).flat_map(|piece| shares.read(piece, &[]).unwrap().map(told).unwrap_or_default());
    assert_eq!(own.collect::<Vec<_>>(), all, "{} in pieces of {piece} bytes", path.display());
    (all, count)
}

fn compare(name: &str, text: &str) -> usize {
    compare_with(name, text, &ReadOptions::default())
}

fn compare_with(name: &str, text: &str, options: &ReadOptions) -> usize {
    let path = std::env::temp_dir().join(format!("oled-share-{}-{name}", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let whole = told(open(&path, options).unwrap());
    let mut most = 0;
    for piece in [60, 100, 333, 1000, 1 << 16] {
        let (parts, count) = pieces(&path, options, piece);
        most = most.max(count);
        // After the first fault pieces go on, and nobody asks them.
        assert_eq!(parts[..whole.len()], whole, "{name} in pieces of {piece} bytes");
        let failed = whole.last().is_some_and(|last| last.starts_with("error"));
        assert!(failed || parts.len() == whole.len(), "{name} in pieces of {piece} bytes");
    }
    std::fs::remove_file(&path).unwrap();
    most
}

/// A table of three columns, and a fourth with notes.
fn table(interleaved: bool) -> ReadOptions {
    let manifest = format!(
        "[stream]\ninterleaved = {interleaved}\n[[table]]\ntime = \"time\"\nsegment = \"plant\"\nfacts = [\"temp(machine, note)\"]\n"
    );
    let modes = "input(temp(+machine, +note, +time)).\nexample(holdsAt(hot(+machine), +time)).\n";
    crate::task_folder::TaskFolder::from_texts("machines", &manifest, modes, "").unwrap().read_options(None, false)
}

/// Rows of some segments, some times with several rows, and notes by a seed.
fn rows(note: impl Fn(usize) -> &'static str) -> Vec<String> {
    let segments = (0..9).flat_map(|segment| (0..=(segment * segment % 11)).map(move |time| (segment, time)));
    let rows = segments.flat_map(|(segment, time)| (0..=(time % 3)).map(move |machine| (segment, time, machine)));
    let row = |(i, (segment, time, machine))| format!("{time},plant {segment},m{machine},{}", note(i));
    rows.enumerate().map(row).collect()
}

#[test]
fn tables_are_cut_where_a_time_begins_with_another_segment() {
    let with = |rows: &[String]| format!("time,plant,machine,note\n{}\n", rows.join("\n"));
    let apart = table(false);
    let plain = with(&rows(|_| "x"));
    assert!(compare_with("plain.csv", &plain, &apart) >= 8);
    compare_with("tabs.tsv", &plain.replace(',', "\t"), &apart);
    compare_with("ends.csv", &plain.replace('\n', "\r\n"), &apart);
    compare_with("blank.csv", &format!("\u{feff}\n\n{}", plain.replace("m1,x\n", "m1,x\n\n")), &apart);
    // Ends of lines within quotes, some with what looks like rows.
    let notes =
        ["x", "\"two\nlines\"", "\"0,plant 1,m1,x\n3,plant 4,m1,y\n\"", "\"a \"\"word\"\" more\"", "\"\n\n\n\""];
    let quoted = with(&rows(|i| notes[i * 7 % 5]));
    assert!(compare_with("quoted.csv", &quoted, &apart) >= 5);
    compare_with("open.csv", &quoted.replace("7,plant 5,m1,", "7,plant 5,m1,\""), &apart);
    // Rows of one time are one frame, also where segments meet in it; then a segment goes on that has begun there.
    let mut met = rows(|_| "x");
    let at = met.iter().position(|row| row.contains("plant 5")).unwrap();
    let same: String = met[at - 1].split(',').next().unwrap().into();
    met.splice(at..at, [format!("{same},plant 5,m7,x"), format!("{same},plant 4,m8,x")]);
    met[at + 2] = format!("{},plant 5,m0,x", same.parse::<i64>().unwrap() + 1);
    met.truncate(at + 3);
    met.extend((0..40).map(|i| format!("{i},plant 7,m0,x")));
    compare_with("met.csv", &with(&met), &apart);
    compare_with("cells.csv", &plain.replace("4,plant 6,m1,x", "4,plant 6,m1"), &apart);
    compare_with("time.csv", &plain.replace("4,plant 6,m1,x", "?,plant 6,m1,x"), &apart);
    compare_with("late.csv", &plain.replace("4,plant 6,m0,x", "2,plant 6,m0,x"), &apart);
    let long: Vec<String> = (0..400).map(|i| format!("{},plant {},m{i},x", i / 2, i / 390)).collect();
    assert_eq!(compare_with("long.csv", &with(&long), &apart), 2);
    let objects: Vec<String> = (0..90)
        .map(|i| format!("{{\"time\":{i},\"plant\":\"p{}\",\"machine\":\"m{i}\",\"note\":\"a \\\"b\"}}", i / 8))
        .collect();
    assert!(compare_with("objects.csv", &(objects.join("\n") + "\n"), &apart) >= 8);
}

#[test]
fn mixed_segments_are_cut_between_frames() {
    let mixed = ReadOptions { interleaved: true, ..ReadOptions::default() };
    let line = |i: usize| format!("{{\"segment\":\"s{}\",\"time\":{i},\"narrative\":[\"p(a, {i})\"]}}\n", i * 7 % 5);
    let lines: String = (0..60).map(line).collect();
    assert!(compare_with("mixed.jsonl", &lines, &mixed) >= 50);
    let note = |i: usize| if i.is_multiple_of(3) { "\"a\nb\"" } else { "x" };
    let row = |i: usize| format!("{},plant {},m{i},{}\n", i / 5, i * 7 % 3, note(i));
    let rows: String = (0..200).map(row).collect();
    assert!(compare_with("mixed.csv", &format!("time,plant,machine,note\n{rows}"), &table(true)) >= 35);
    // What holds from one time to another may be about frames of another piece.
    let path = std::env::temp_dir().join(format!("oled-share-{}-spans.jsonl", std::process::id()));
    let span = "{\"segment\":\"s1\",\"from\":3,\"to\":9,\"narrative\":[\"r(a, 3)\"]}\n";
    std::fs::write(&path, format!("{}{span}{}", line(1), line(5))).unwrap();
    let all: Vec<String> = pieces(&path, &mixed, 1 << 16).0;
    assert!(all.last().unwrap().contains("what holds from one time to another"), "{all:?}");
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_mixed_segment_that_does_not_go_on_is_a_fault_for_who_is_told_of_it() {
    let path = std::env::temp_dir().join(format!("oled-share-{}-back.jsonl", std::process::id()));
    let line = |segment: &str, time: u32| format!("{{\"segment\":\"{segment}\",\"time\":{time}}}\n");
    let text: String = [("a", 1), ("b", 1), ("a", 3), ("b", 2), ("a", 2)].map(|(s, t)| line(s, t)).concat();
    std::fs::write(&path, text).unwrap();
    let options = ReadOptions { interleaved: true, ..ReadOptions::default() };
    let plain = open(&path, &options).unwrap().find_map(Result::err).unwrap().to_string();
    let mut shares = Shares::open(&path, &options).unwrap().unwrap();
    shares.piece = 26;
    let before = [("a", 3), ("b", 2)].map(|(segment, time)| (Symbol::new(segment), time));
    let last = (0..shares.pieces()).rev().find_map(|piece| shares.read(piece, &before).unwrap());
    assert_eq!(last.unwrap().find_map(Result::err).unwrap().to_string(), plain);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn pieces_of_any_size_are_the_stream() {
    let line = |segment: usize, time: usize| {
        let (a, b) = (segment * 7 % 5, "x".repeat(time * 13 % 40));
        format!("{{\"segment\":\"s{segment}\",\"time\":{time},\"narrative\":[\"p(a{a}{b}, {time})\"]}}\n")
    };
    let segments = (0..9).flat_map(|segment| (0..=(segment * segment % 11)).map(move |time| (segment, time)));
    let lines: String = segments.map(|(segment, time)| line(segment, time)).collect();
    assert!(compare("whole.jsonl", &lines) >= 8);
    compare("no-end.jsonl", lines.trim_end());
    compare("blank.jsonl", &lines.replace("}\n{", "}\n\n\n{"));
    compare("bad.jsonl", &lines.replace("\"s6\",\"time\":3", "\"s6\",\"time\":"));
    compare("late.jsonl", &lines.replace("\"s6\",\"time\":2", "\"s6\",\"time\":1"));
    compare("returns.jsonl", &lines.replace("\"s6\",\"time\":2", "\"s3\",\"time\":1"));
    let one: String = (0..40).map(|time| line(0, time)).collect();
    assert_eq!(compare("one.jsonl", &one), 1);
    assert_eq!(compare("unnamed.jsonl", &one.replace("\"segment\"", "\"part\"")), 1);
    compare("empty.jsonl", "");
    compare("blanks.jsonl", "\n\n\n");
}

#[test]
fn facts_are_cut_where_a_line_names_another_segment() {
    let mut text = String::from("% a comment\n");
    for segment in 0..9 {
        let _ = writeln!(text, "segment(s{segment}).");
        for time in 0..segment % 4 {
            let _ = writeln!(
                text,
                "happensAt(walking(id{time}),{time}). happensAt(walking(id9),{time}).\nexample(q({time}))."
            );
        }
    }
    assert!(compare("whole.lp", &text) >= 6);
    compare("again.lp", &text.replace("segment(s5).\n", "segment(s5).\nsegment(s5).\n"));
    compare(
        "within.lp",
        &text.replace("segment(s5).\n", "p(a,7). segment(s5).\np(b,0). segment(s5).\n segment(s5).\n"),
    );
    compare("quoted.lp", &text.replace("id9", "'segment(a)'"));
}

#[test]
fn a_segment_that_returns_is_a_fault_for_who_is_told_of_it() {
    let path = std::env::temp_dir().join(format!("oled-share-{}-told.jsonl", std::process::id()));
    let line = |segment: &str, time: u32| format!("{{\"segment\":\"{segment}\",\"time\":{time}}}\n");
    let text: String = [("a", 1), ("a", 2), ("b", 1), ("b", 2), ("a", 3)].map(|(s, t)| line(s, t)).concat();
    std::fs::write(&path, text).unwrap();
    let plain = open(&path, &ReadOptions::default()).unwrap().find_map(Result::err).unwrap().to_string();
    let mut shares = Shares::open(&path, &ReadOptions::default()).unwrap().unwrap();
    shares.piece = 30;
    let last = (0..shares.pieces()).rev().find_map(|piece| shares.read(piece, &[(Symbol::new("a"), 2)]).unwrap());
    assert_eq!(last.unwrap().find_map(Result::err).unwrap().to_string(), plain);
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn what_is_not_read_in_pieces_is_told() {
    let folder = std::env::temp_dir().join(format!("oled-share-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let usual = ReadOptions::default;
    for (name, text, options) in [
        ("a.csv", "time,x\n1,2\n", usual()),
        ("a.csv", "time,machine,note\n1,m,2\n", table(false)),
        ("a.csv", "", table(false)),
        ("a.psv", "a|b|c\n", usual()),
        ("a.jsonl.gz", "", usual()),
        ("-", "", usual()),
        ("a.jsonl", "", ReadOptions { lenient: true, ..usual() }),
        ("a.lp", "", ReadOptions { interleaved: true, ..usual() }),
        ("a.jsonl", "", ReadOptions { interleaved: true, lateness: Some(3), ..usual() }),
    ] {
        std::fs::write(folder.join(name), text).unwrap();
        let path = if name == "-" { PathBuf::from(name) } else { folder.join(name) };
        assert!(Shares::open(&path, &options).unwrap().is_err(), "{name}");
    }
    assert!(Shares::open(&folder.join("no such file.jsonl"), &usual()).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}
