//! Tables of Apache Arrow in memory are read as those of delimited text are.
#![cfg(feature = "arrow")]

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::types::Int8Type;
use arrow_array::{
    ArrayRef, BooleanArray, DictionaryArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray,
    StringViewArray,
};
use oled_data::task_folder::TaskFolder;
use oled_data::{Batches, Format, Frames, ProblemKind, ReadOptions, read_batches};

const MODES: &str = "type(celsius, real). input(temp(+room, +celsius, +time)). input(happensAt(alarm(+room), +time)).
    example(holdsAt(hot(+room), +time)).";
const SETTINGS: &str = "[[table]]\ntime = \"time\"\nsegment = \"floor\"\n\
    facts = [\"temp(room, celsius)\", \"happensAt(alarm(room)) if alarm\"]\n";

fn task() -> TaskFolder {
    TaskFolder::from_texts("house", SETTINGS, MODES, "").unwrap()
}

fn table(name: &str, columns: Vec<(&str, ArrayRef)>) -> Batches {
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let schema = batch.schema();
    // In two pieces, the second of which may be empty.
    let pieces =
        [batch.slice(0, batch.num_rows() / 2), batch.slice(batch.num_rows() / 2, batch.num_rows().div_ceil(2))];
    (name.to_string(), Box::new(RecordBatchIterator::new(pieces.map(Ok), schema)))
}

fn shown(frames: Frames) -> Vec<String> {
    let show = |frame: oled::Frame| {
        let atoms = frame.narrative.atoms(frame.time).chain(frame.annotation.atoms(frame.time));
        let atoms: Vec<String> = atoms.map(|atom| atom.to_string()).collect();
        format!("{} {}: {}", frame.segment, frame.time, atoms.join(", "))
    };
    frames.map(|frame| show(frame.unwrap())).collect()
}

fn rows() -> Vec<(&'static str, ArrayRef)> {
    let rooms: DictionaryArray<Int8Type> = [Some("attic"), Some("attic"), None, Some("hall")].into_iter().collect();
    vec![
        ("notes", Arc::new(StringArray::from(vec!["a", "b", "c", "d"])) as ArrayRef),
        // As data frames have whole numbers where one is missing somewhere.
        ("time", Arc::new(Float64Array::from(vec![1.0, 2.0, 2.0, 3.0]))),
        ("floor", Arc::new(StringViewArray::from(vec!["up", "up", "up", "up"]))),
        ("room", Arc::new(rooms)),
        ("celsius", Arc::new(Float64Array::from(vec![Some(20.5), None, Some(1.0), Some(30.0)]))),
        ("alarm", Arc::new(BooleanArray::from(vec![Some(false), Some(true), Some(true), None]))),
    ]
}

#[test]
fn arrays_are_the_cells_that_their_texts_are() {
    let text = "notes,time,floor,room,celsius,alarm\na,1,up,attic,20.5,false\nb,2,up,attic,,true\nc,2,up,,1.0,true\nd,3,up,hall,30.0,\n";
    let options = ReadOptions { format: Some(Format::Csv), ..task().read_options(None, false) };
    let expected = shown(Frames::from_reader("rows.csv", text.as_bytes(), &options).unwrap());
    let found = shown(read_batches(vec![table("rows", rows())], &task().read_options(None, false)).unwrap());
    assert_eq!(found, expected);
    assert_eq!(found[0], "up 1: temp(attic, 20.5, 1)");
}

#[test]
fn labels_are_a_table_of_their_own_and_tables_are_merged() {
    let options = task().read_options(None, false);
    let labels = table(
        "labels",
        vec![
            ("fluent", Arc::new(StringArray::from(vec!["hot", "hot"])) as ArrayRef),
            ("room", Arc::new(StringArray::from(vec!["hall", "attic"]))),
            ("start", Arc::new(Int64Array::from(vec![Some(3), None]))),
            ("end", Arc::new(Float64Array::from(vec![None, Some(1.0)]))),
        ],
    );
    let other = rows().into_iter().map(|(name, array)| (name, array.slice(3, 1))).collect();
    let frames = read_batches(vec![table("rows", rows()), table("more", other)], &options).unwrap();
    let found = shown(frames.with_labels(labels, &options).unwrap());
    assert_eq!(found[0], "up 1: temp(attic, 20.5, 1), holdsAt(hot(attic), 1)");
    assert_eq!(found[2], "up 3: temp(hall, 30.0, 3), temp(hall, 30.0, 3), holdsAt(hot(hall), 3)");
}

#[test]
fn faults_have_their_row_and_are_left_out_on_request() {
    let mut wrong = rows();
    wrong[4].1 = Arc::new(StringArray::from(vec!["20", "x", "y", "30"]));
    let read = |lenient| read_batches(vec![table("rows", wrong.clone())], &task().read_options(None, lenient)).unwrap();
    let error = read(false).find_map(Result::err).unwrap();
    assert!(error.message().starts_with("row 2: `x` in column `celsius` is not a number"), "{error}");
    let mut lenient = read(true);
    assert_eq!(lenient.by_ref().flatten().count(), 3);
    assert_eq!(lenient.skipped().count(ProblemKind::WrongType), 1, "the other has no room, and says nothing");
}

#[test]
fn rows_with_lists_of_atoms_are_frames() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for atoms in [&["temp(a,20,1)", "happensAt(alarm(a),1)"][..], &[], &["temp(a,warm,3)"]] {
        atoms.iter().for_each(|atom| lists.values().append_value(atom));
        lists.append(true);
    }
    let columns = || {
        vec![
            ("time", Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef),
            ("narrative", Arc::new(lists.finish_cloned()) as ArrayRef),
        ]
    };
    let mut frames = read_batches(vec![table("frames", columns())], &task().read_options(None, false)).unwrap();
    assert_eq!(frames.next().unwrap().unwrap().narrative.len(), 2);
    assert_eq!(frames.next().unwrap().unwrap().segment.as_str(), "main");
    let error = frames.next().unwrap().unwrap_err();
    assert!(error.message().starts_with("row 3: `warm` in `temp(a, warm, 3)` is not a number"), "{error}");
}
