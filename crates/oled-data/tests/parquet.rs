//! Parquet: the same frames as from delimited text, whoever wrote the file.
#![cfg(feature = "parquet")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, TimestampMillisecondArray,
};
use oled::Frame;
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, ReadOptions, Shares, open};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, GzipLevel};
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

const MODES: &str = "input(temp(+machine, +celsius, +time)). input(open(+machine, +time)).
type(machine, symbol). type(celsius, real). example(holdsAt(hot(+machine), +time)).\n";

const TABLE: &str = "[[table]]\ntime = \"time\"\nfacts = [\"temp(machine, temp)\", \"open(machine) if door\"]\n";

fn task(stream: &str) -> TaskFolder {
    TaskFolder::from_texts("machines", &format!("{stream}{TABLE}"), MODES, "").unwrap()
}

fn read(task: &TaskFolder, path: &Path) -> Result<Vec<Frame>, DataError> {
    open(path, &task.read_options(None, false))?.collect()
}

/// A row: time, machine, temperature, door.
type Row = (i64, String, Option<f64>, Option<bool>);

fn csv(rows: &[Row]) -> String {
    let cell = |cell: Option<String>| cell.unwrap_or_default();
    let line = |(time, machine, temp, door): &Row| {
        let (temp, door) = (temp.map(|temp| format!("{temp:?}")), door.map(|door| door.to_string()));
        format!("{time},\"{machine}\",{},{}\n", cell(temp), cell(door))
    };
    format!("time,machine,temp,door\n{}", rows.iter().map(line).collect::<String>())
}

fn write(path: &Path, rows: &[Row], times: ArrayRef, compression: Compression) {
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("door", Arc::new(rows.iter().map(|row| row.3).collect::<BooleanArray>())),
        ("time", times),
        ("other", Arc::new(rows.iter().map(|row| row.0 * 2).collect::<Int64Array>())),
        ("machine", Arc::new(rows.iter().map(|row| Some(row.1.as_str())).collect::<StringArray>())),
        ("temp", Arc::new(rows.iter().map(|row| row.2).collect::<Float64Array>())),
    ];
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)));
    let batch = batch.unwrap();
    let properties =
        WriterProperties::builder().set_compression(compression).set_max_row_group_row_count(Some(7)).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn whole(rows: &[Row]) -> ArrayRef {
    Arc::new(rows.iter().map(|row| row.0).collect::<Int64Array>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_table_gives_the_same_frames_as_delimited_text(
        rows in prop::collection::vec((0_i64..3, "[a-c é]{1,3}[a-z]", prop::option::of(-1e6..1e6), prop::option::of(any::<bool>())), 1..40),
        compression in prop::sample::select(vec![
            Compression::UNCOMPRESSED, Compression::SNAPPY, Compression::LZ4_RAW, Compression::GZIP(GzipLevel::default()),
        ]),
    ) {
        let mut rows: Vec<Row> = rows;
        let mut time = 0;
        for row in &mut rows {
            time += row.0;
            row.0 = time;
        }
        let folder = tempfile::tempdir().unwrap();
        let [text, table] = ["m.csv", "m.parquet"].map(|name| folder.path().join(name));
        fs::write(&text, csv(&rows)).unwrap();
        write(&table, &rows, whole(&rows), compression);
        let task = task("");
        let expected = read(&task, &text).unwrap();
        prop_assert_eq!(&expected, &read(&task, &table).unwrap());
        // As one of several inputs too, which are merged and put in order.
        let options = ReadOptions { with: vec![text], sorting: oled_data::Sorting::Whole, ..task.read_options(None, false) };
        let merged: Vec<Frame> = open(&table, &options).unwrap().collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(merged.len(), expected.len());
    }
}

#[test]
fn timestamps_are_dates_or_numbers_as_the_stream_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let [text, table] = ["m.csv", "m.parquet"].map(|name| folder.path().join(name));
    let rows: Vec<Row> = (0..20).map(|i| (1_772_359_200 + i, "a".into(), Some(i as f64), None)).collect();
    fs::write(&text, csv(&rows)).unwrap();
    let times = TimestampMillisecondArray::from(rows.iter().map(|row| 1_000 * row.0).collect::<Vec<_>>());
    write(&table, &rows, Arc::new(times.clone().with_timezone("UTC")), Compression::SNAPPY);
    let expected = read(&task(""), &text).unwrap();
    assert_eq!(expected, read(&task(""), &table).unwrap());
    assert_eq!(expected, read(&task("[stream]\ntime = \"iso\"\nzone = \"+02:00\"\n"), &table).unwrap());
    // Without a zone they are of the clock of the task.
    write(&table, &rows, Arc::new(times), Compression::SNAPPY);
    let local = read(&task("[stream]\ntime = \"iso\"\nzone = \"+02:00\"\n"), &table).unwrap();
    assert_eq!(local[0].time, expected[0].time - 7200);
}

#[test]
fn pages_that_others_compressed_by_zstd_are_read() {
    let stream = "[stream]\ntime = \"iso\"\nzone = \"+00:00\"\n";
    let expected = [
        "temp('web-01', 20.5, T) open('web-01', T)",
        "temp('web-01', 21.0, T) temp('db 2', 19.25, T) open('db 2', T)",
        "open('web-01', T) temp('db 2', 18.0, T)",
        "temp('web-01', -3.0, T) temp('db 2', 0.1, T) open('db 2', T)",
    ];
    for version in ["v1", "v2"] {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/zstd-{version}.parquet"));
        let frames = read(&task(stream), &path).unwrap();
        let shown = frames.iter().map(|frame| {
            let atoms = frame.narrative.atoms(frame.time).map(|atom| atom.to_string()).collect::<Vec<_>>().join(" ");
            atoms.replace(&frame.time.to_string(), "T")
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected);
        assert_eq!(frames[0].time, 1_772_359_200);
    }
}

#[test]
fn rows_that_are_intervals_are_those_of_delimited_text() {
    let ends = "end = \"other\"\nend_facts = [\"open(machine)\"]\n";
    let task = TaskFolder::from_texts(
        "machines",
        &format!("{}{ends}", TABLE.replace(", \"open(machine) if door\"", "")),
        MODES,
        "",
    );
    let task = task.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (table, text) = (folder.path().join("m.parquet"), folder.path().join("m.csv"));
    let rows: Vec<Row> = (1..40).map(|i| (i, format!("m{}", i % 4), Some(i as f64), None)).collect();
    write(&table, &rows, whole(&rows), Compression::SNAPPY);
    let line = |row: &Row| format!("{},{},{},{}\n", row.0, row.0 * 2, row.1, row.2.unwrap());
    fs::write(&text, format!("time,other,machine,temp\n{}", rows.iter().map(line).collect::<String>())).unwrap();
    let frames = read(&task, &table).unwrap();
    assert_eq!(frames, read(&task, &text).unwrap());
    // Each row has an end, at twice its time.
    assert_eq!(frames.iter().map(|frame| frame.narrative.len()).sum::<usize>(), 2 * rows.len());
    assert_eq!(frames.last().unwrap().time, 78);
}

#[test]
fn what_is_wrong_with_a_table_has_its_row_and_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    let error = |stream: &str| {
        let error = read(&task(stream), &path).unwrap_err().to_string();
        error.replace(&format!("{}/", folder.path().display()), "")
    };
    let rows: Vec<Row> = [3, 4, 2].map(|time| (time, "a".into(), Some(1.0), None)).to_vec();
    write(&path, &rows, whole(&rows), Compression::SNAPPY);
    assert!(error("").starts_with("row 3: time 2 comes after time 4"), "{}", error(""));
    assert!(error("[stream]\ntime = \"iso\"\n").contains("row 1: the time `3` is not a date"));
    let bytes = fs::read(&path).unwrap();
    for damaged in [&bytes[..bytes.len() - 9], b"time,machine\n", b""] {
        fs::write(&path, damaged).unwrap();
        assert!(error("").contains("`m.parquet` cannot be read as Parquet"), "{}", error(""));
    }
    // Nothing makes it panic, or end without an answer.
    for at in (0..bytes.len()).step_by(3) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x15;
        fs::write(&path, damaged).unwrap();
        let _ = read(&task(""), &path);
    }
    fs::remove_file(&path).unwrap();
    assert!(error("").contains("cannot open"), "{}", error(""));
    let following = ReadOptions {
        live: Some(oled_data::Live { follow: true, ..oled_data::Live::default() }),
        ..task("").read_options(None, false)
    };
    write(&path, &rows, whole(&rows), Compression::SNAPPY);
    let error = open(&path, &following).err().unwrap().to_string();
    assert!(error.contains("cannot be followed"), "{error}");
}

#[test]
fn a_task_is_drafted_from_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let [text, table] = ["m.csv", "m.parquet"].map(|name| folder.path().join(name));
    let rows: Vec<Row> = (0..40).map(|i| (i, format!("m{}", i % 2), Some(20.5 + i as f64), Some(i % 3 == 0))).collect();
    let labels = folder.path().join("labels.csv");
    fs::write(&labels, "fluent,machine,start,end\nhot,m0,10,20\nhot,m1,12,30\n").unwrap();
    fs::write(&text, csv(&rows)).unwrap();
    write(&table, &rows, whole(&rows), Compression::SNAPPY);
    let draft = |input: &Path| {
        let options = oled_data::init::InitOptions::default();
        let draft = oled_data::init::draft(&[input.to_path_buf()], &labels, &options).unwrap();
        let task = TaskFolder::from_texts("drafted", &draft.manifest, &draft.modes, &draft.background).unwrap();
        let types: Vec<String> =
            draft.modes.lines().filter(|line| line.starts_with("type(")).map(String::from).collect();
        let of_temp = |frame: &Frame| {
            let atoms = frame.narrative.atoms(frame.time).map(|atom| atom.to_string());
            atoms.filter(|atom| atom.starts_with("temp(")).collect::<Vec<_>>()
        };
        (types, read(&task, input).unwrap().iter().map(of_temp).collect::<Vec<_>>())
    };
    let (of_text, of_table) = (draft(&text), draft(&table));
    assert_eq!(of_text.1, of_table.1);
    assert!(of_text.1.iter().all(|atoms| atoms.len() == 1), "{:?}", of_text.1);
    assert!(of_text.0.iter().all(|line| of_table.0.contains(line)), "{of_text:?} {of_table:?}");
}

/// Frames up to the first fault, as text.
fn told(frames: impl Iterator<Item = Result<Frame, DataError>>) -> Vec<String> {
    frames.map(|frame| frame.map_or_else(|error| format!("error: {error}"), |frame| format!("{frame:?}"))).collect()
}

#[test]
fn row_groups_are_pieces_with_whole_times_and_segments() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("m.parquet");
    let compare = |rows: &[Row], interleaved: bool| {
        write(&path, rows, whole(rows), Compression::SNAPPY);
        let table = TABLE.replace("time = \"time\"", "time = \"time\"\nsegment = \"machine\"");
        let text = format!("[stream]\ninterleaved = {interleaved}\n{table}");
        let options = TaskFolder::from_texts("machines", &text, MODES, "").unwrap().read_options(None, false);
        let expected = told(open(&path, &options).unwrap());
        let mut shares = Shares::open(&path, &options).unwrap().unwrap();
        assert_eq!(shares.pieces(), rows.len().div_ceil(7) as u64);
        let mut pieces = Vec::new();
        // In any order, each by somebody who knows nothing of the others.
        for piece in (0..shares.pieces()).rev() {
            let alone = Shares::open(&path, &options).unwrap().unwrap().read(piece, &[]).unwrap().map(told);
            assert_eq!(alone, shares.read(piece, &[]).unwrap().map(told));
            pieces.push(alone);
        }
        let own: Vec<String> = pieces.iter().rev().flatten().flatten().cloned().collect();
        assert_eq!(own[..expected.len()], expected);
        assert!(own.len() == expected.len() || expected.last().unwrap().starts_with("error"));
        pieces.iter().flatten().count()
    };
    let row = |time: i64, machine: i64| (time, format!("m{machine}"), Some(time as f64), Some(machine % 2 == 0));
    // Segments one after the other, of one row up to many more than a row group has.
    let apart: Vec<Row> = (0..9).flat_map(|m| (0..=m * m % 23).map(move |time| row(time, m))).collect();
    assert!(compare(&apart, false) >= 5);
    assert!(compare(&(0..30).map(|time| row(time, 0)).collect::<Vec<_>>(), false) == 1);
    // Mixed ones, with times that are longer than a row group.
    let mixed: Vec<Row> = (0..40).flat_map(|time| (0..=time * 7 % 20).map(move |m| row(time, m))).collect();
    assert!(compare(&mixed, true) >= 15);
    assert_eq!(compare(&mixed[..1], true), 1);
    // A fault has the number of its row in the file.
    let mut late = apart.clone();
    let last = late.len() - 1;
    late[last].0 = 0;
    compare(&late, false);
}
