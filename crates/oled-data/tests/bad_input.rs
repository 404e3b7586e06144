//! Each kind of bad input, in each format where it can occur: the complete message, and what lenient mode makes of it.

mod catalogue;

use std::io::Cursor;

use oled::Frame;
use oled_data::{DataError, Frames, ReadOptions, open};

use catalogue::{catalogue, long_line};

fn frames(name: &str, input: &[u8], lenient: bool, interleaved: bool) -> Result<Frames, DataError> {
    let options = ReadOptions { lenient, interleaved, ..ReadOptions::default() };
    Frames::from_reader(name, Cursor::new(input.to_vec()), &options)
}

/// Segment, time and number of facts of each frame.
fn summary(frames: &[Frame]) -> String {
    let count = |f: &Frame| f.narrative.len() + f.annotation.len();
    let frames: Vec<String> = frames.iter().map(|f| format!("{}@{}:{}", f.segment, f.time, count(f))).collect();
    frames.join(" ")
}

fn check(name: &str, input: &[u8], interleaved: bool, message: &str, skipped: &str, left: &str) {
    let mut strict = frames(name, input, false, interleaved).unwrap();
    let error = strict.find_map(Result::err).expect("strict mode finds the problem");
    assert_eq!(format!("\n{error}\n"), message);
    assert!(strict.next().is_none(), "nothing comes after a problem");
    let mut lenient = frames(name, input, true, interleaved).unwrap();
    let read: Vec<Frame> = lenient.by_ref().map(|f| f.expect("lenient mode goes on")).collect();
    assert_eq!(lenient.skipped().to_string(), skipped);
    assert_eq!(summary(&read), left);
}

/// `name: file, input => message, what is skipped, what is left;`
macro_rules! bad {
    ($format:ident $($name:ident: $file:literal $($interleaved:ident)?, $input:expr => $message:literal, $skipped:literal, $left:literal;)*) => {
        $(#[test]
        fn $name() {
            let interleaved = !stringify!($($interleaved)?).is_empty();
            check($file, $input.as_ref(), interleaved, $message, $skipped, $left);
        })*
    };
}

catalogue!(bad);

fn error_of(result: Result<Frames, DataError>) -> String {
    result.err().expect("it cannot be opened").to_string()
}

#[test]
fn a_name_that_promises_no_format() {
    let message = "cannot tell the format of `walk.dat` by its name
hint: say it with the option `from`: one of jsonl, mongo, facts, rtec, caviar, csv, records, parquet";
    assert_eq!(error_of(frames("walk.dat", b"p(680).", false, false)), message);
}

#[test]
fn a_file_that_is_not_there() {
    let message = "cannot open `no/such/walk.jsonl`: No such file or directory (os error 2)";
    assert_eq!(error_of(open("no/such/walk.jsonl".as_ref(), &ReadOptions::default())), message);
}

#[test]
fn a_directory_without_xml() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().display();
    let message = format!(
        "`{path}` is a directory without XML files
hint: name a file, or a directory that has the XML files of CAVIAR in it or in `xml/`"
    );
    assert_eq!(error_of(open(folder.path(), &ReadOptions::default())), message);
}

#[test]
fn a_compressed_file_that_is_cut_off_is_an_error_even_in_lenient_mode() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"{\"time\":680}\n{\"time\":720}\n").unwrap();
    let bytes = encoder.finish().unwrap();
    let mut lenient = frames("walk.jsonl.gz", &bytes[..bytes.len() / 2], true, false).unwrap();
    let error = lenient.find_map(Result::err).expect("the rest cannot be read");
    assert_eq!(error.kind(), oled_data::ProblemKind::Io);
    assert!(error.to_string().starts_with("cannot read `walk.jsonl.gz`: "), "{error}");
}

#[test]
fn several_problems_are_counted_by_kind() {
    let input = b"{\"time\":1}\n{\"time\":1}\n{\"time\":0}\n{\"time\":-1}\n{}\nx\n{\"time\":2}\n";
    let mut lenient = frames("walk.jsonl", input, true, false).unwrap();
    assert_eq!(lenient.by_ref().count(), 2);
    let skipped = lenient.skipped();
    assert_eq!(
        skipped.to_string(),
        "skipped 5: 1 syntax error, 2 frames out of order, 1 duplicate frame, 1 missing field"
    );
    assert_eq!(skipped.total(), 5);
    assert_eq!(skipped.count(oled_data::ProblemKind::OutOfOrder), 2);
}
