//! Whatever is written is read back the same, in every format; and the fast reader of atoms agrees with the parser.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use oled::{Atom, FactReader, Facts, Frame, Signature, Symbol, Term, Value};
use oled_data::{DataError, Format, FrameWriter, Frames, ProblemKind, ReadOptions, open};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

// ---------------------------------------------------------------------------------------------------------------------
// Random frames.

/// Names, among them those that some format gives a meaning to, and those that need quotes and escapes.
fn name() -> impl Strategy<Value = String> {
    let special = [
        "example",
        "negExample",
        "segment",
        "time",
        "true",
        "not",
        "happensAt",
        "holdsAt",
        "main",
        "=",
        "",
        "A b",
        "X",
        "it's",
        "a|b",
        "a\"b",
        "a\\b",
        "a\nb",
        "a\tb\r",
        "# event a/1",
        "% no",
        "naïve",
        "日本",
        "\u{1}",
        "12",
        "a.b",
    ];
    prop_oneof![4 => "[a-d][a-zA-Z0-9_]{0,3}", 2 => prop::sample::select(special.to_vec()).prop_map(str::to_string)]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        4 => name().prop_map(|n| Value::from(n.as_str())),
        2 => (-20i64..300).prop_map(Value::Int),
        1 => any::<i64>().prop_map(Value::Int),
        1 => prop::sample::select(vec![i64::MIN, i64::MAX, 0]).prop_map(Value::Int),
        2 => any::<f64>().prop_filter_map("finite", Value::real),
        1 => prop::sample::select(vec![0.5, -2.0, 1e16, 1e-7, 1e300]).prop_map(|r| Value::real(r).unwrap()),
    ]
}

/// Terms, with `=` in any place.
fn term() -> impl Strategy<Value = Term> {
    value().prop_map(Term::Value).prop_recursive(3, 8, 3, |inner| {
        let app = |(name, args): (String, Vec<Term>)| {
            let Atom { name, args, .. } = Atom::new(&name, args);
            Term::App(name, args)
        };
        prop_oneof![
            (name(), prop::collection::vec(inner.clone(), 1..4)).prop_map(app),
            (inner.clone(), inner).prop_map(|(l, r)| Term::App(Symbol::new("="), vec![l, r])),
        ]
    })
}

/// Ground atoms without their time: mostly events and fluents.
fn atom() -> impl Strategy<Value = (String, Vec<Term>)> {
    let inner = || {
        (name(), prop::collection::vec(term(), 1..4)).prop_map(|(name, args)| {
            let Atom { name, args, .. } = Atom::new(&name, args);
            Term::App(name, args)
        })
    };
    prop_oneof![
        2 => inner().prop_map(|t| ("happensAt".to_string(), vec![t])),
        2 => inner().prop_map(|t| ("holdsAt".to_string(), vec![t])),
        2 => (inner(), term()).prop_map(|(f, v)| ("holdsAt".into(), vec![Term::App(Symbol::new("="), vec![f, v])])),
        3 => (name(), prop::collection::vec(term(), 0..4)),
        1 => term().prop_map(|t| ("holdsAt".to_string(), vec![t])),
    ]
}

fn at(time: i64, (name, mut args): (String, Vec<Term>)) -> Atom {
    args.push(Term::Value(Value::Int(time)));
    Atom::new(&name, args)
}

fn facts(atoms: Vec<(String, Vec<Term>)>, time: i64) -> Facts {
    let mut facts = Facts::default();
    for atom in atoms {
        let (signature, values) = Signature::split(&at(time, atom)).expect("ground");
        facts.push(signature, &values[..values.len() - 1]);
    }
    facts
}

/// Frames of a few segments, with times that increase from anywhere.
fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let atoms = || prop::collection::vec(atom(), 0..4);
    let frame = (1i64..50, atoms(), prop_oneof![Just(Vec::new()), atoms().boxed()]);
    let segment = (name(), -1000i64..1000, prop::collection::vec(frame, 0..5));
    prop::collection::vec(segment, 0..4).prop_map(|segments| {
        let mut frames: Vec<Frame> = Vec::new();
        for (name, start, contents) in segments {
            let (segment, mut time) = (Symbol::new(&name), start);
            if frames.iter().any(|f| f.segment == segment) {
                continue;
            }
            for (step, narrative, annotation) in contents {
                time += step;
                let (narrative, annotation) = (facts(narrative, time), facts(annotation, time));
                frames.push(Frame { segment, time, narrative, annotation });
            }
        }
        frames
    })
}

// ---------------------------------------------------------------------------------------------------------------------
// There and back.

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn write(format: Format, frames: &[Frame]) -> Vec<u8> {
    let output = Shared::default();
    let mut writer = FrameWriter::new(format, Box::new(output.clone())).unwrap();
    for frame in frames {
        writer.write(frame).unwrap();
    }
    writer.finish().unwrap();
    Arc::try_unwrap(output.0).unwrap().into_inner().unwrap()
}

fn read(format: Format, bytes: Vec<u8>) -> Result<Vec<Frame>, DataError> {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    Frames::from_reader("test", io::Cursor::new(bytes), &options)?.collect()
}

/// Values are equal where the numbers are, as 2 and 2.0; what is printed tells them apart.
fn printed(frames: &[Frame]) -> String {
    format!("{frames:?}")
}

const WRITABLE: [Format; 4] = [Format::Jsonl, Format::Mongo, Format::Facts, Format::Rtec];

proptest! {
    #![proptest_config(ProptestConfig {
        rng_seed: RngSeed::Fixed(680),
        failure_persistence: None,
        ..ProptestConfig::with_cases(400)
    })]

    #[test]
    fn frames_are_read_back_as_they_were_written(frames in frames()) {
        for format in WRITABLE {
            let bytes = write(format, &frames);
            let text = String::from_utf8_lossy(&bytes).into_owned();
            match read(format, bytes) {
                Ok(back) => prop_assert_eq!(printed(&back), printed(&frames), "{}:\n{}", format, text),
                Err(error) => prop_assert!(false, "{}\n{}", error, text),
            }
        }
    }

    #[test]
    fn what_was_read_is_written_the_same_again(frames in frames()) {
        for format in WRITABLE {
            let bytes = write(format, &frames);
            prop_assert_eq!(write(format, &read(format, bytes.clone()).unwrap()), bytes);
        }
    }

    #[test]
    fn no_input_makes_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), text in "[a-c(),.'\"|#{}:1-3 =+\\\\%\n]{0,60}") {
        // Parquet is read from files only.
        for format in Format::ALL.into_iter().filter(|format| *format != Format::Parquet) {
            for bytes in [bytes.clone(), text.clone().into_bytes()] {
                for lenient in [false, true] {
                    let options = ReadOptions { format: Some(format), lenient, ..ReadOptions::default() };
                    for frame in Frames::from_reader("test", io::Cursor::new(bytes.clone()), &options).unwrap() {
                        prop_assert!(!lenient || frame.is_ok(), "lenient mode forgives everything: {}", frame.unwrap_err());
                    }
                }
            }
        }
    }

    #[test]
    fn a_cut_or_garbled_file_makes_no_reader_panic(frames in frames(), cut in any::<prop::sample::Index>(), byte in any::<u8>()) {
        for format in WRITABLE {
            let mut bytes = write(format, &frames);
            if !bytes.is_empty() {
                let index = cut.index(bytes.len());
                let _ = read(format, bytes[..index].to_vec());
                bytes[index] = byte;
                let _ = read(format, bytes);
            }
        }
    }

    #[test]
    fn the_fast_reader_of_atoms_agrees_with_the_parser(inner in atom(), time in any::<i64>()) {
        prop_assume!(!inner.1.iter().any(|term| is_beyond_facts(term, false)));
        let text = at(time, inner).to_string();
        // The parser knows more than facts have, and less: some names cannot be a predicate's.
        if let Some((signature, values)) = oled::parse_atom(&text).ok().and_then(|atom| Signature::split(&atom)) {
            let mut facts = Facts::default();
            let read = FactReader::default().read(&text, &mut facts);
            prop_assert_eq!(read, Ok(time), "{}", text);
            let (fast_signature, fast_values) = facts.iter().next().unwrap();
            prop_assert_eq!(fast_signature, signature);
            prop_assert_eq!(format!("{fast_values:?}"), format!("{:?}", &values[..values.len() - 1]));
        }
    }
}

/// Whether the language has a syntax of its own for a term where facts have a name and brackets: negation, and a side of
/// `=` that is another `=`.
fn is_beyond_facts(term: &Term, within_equal: bool) -> bool {
    let Term::App(name, args) = term else { return false };
    let equal = name.as_str() == "=" && args.len() == 2;
    name.as_str() == "not" || equal && within_equal || args.iter().any(|arg| is_beyond_facts(arg, equal))
}

#[test]
fn plain_atoms_are_read_alike_by_the_fast_reader_and_the_parser() {
    for text in ["happensAt(walking(id1), 680)", "holdsAt(speed(v)=low, 3)", "p('A b', -2, 2.5, 1e-7, f(g(a), b), 0)"] {
        let (signature, values) = Signature::split(&oled::parse_atom(text).unwrap()).unwrap();
        let mut facts = Facts::default();
        FactReader::default().read(text, &mut facts).unwrap();
        assert_eq!(facts.iter().next(), Some((signature, &values[..values.len() - 1])));
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// By example.

fn frame(segment: &str, time: i64, narrative: &[&str], annotation: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new(segment), time);
    for (texts, facts) in [(narrative, &mut frame.narrative), (annotation, &mut frame.annotation)] {
        for text in texts {
            assert_eq!(FactReader::default().read(text, facts), Ok(time));
        }
    }
    frame
}

fn example() -> Vec<Frame> {
    vec![
        frame(
            "walk1",
            680,
            &["happensAt(walking(id1),680)", "holdsAt(orientation(id1)=45,680)", "coords(id1,262,-5,680)"],
            &["holdsAt(meeting(id1,id2),680)"],
        ),
        frame("walk1", 720, &[], &[]),
        frame("walk 2", 40, &["happensAt(walking(id1),40)"], &[]),
    ]
}

#[test]
fn frames_are_written_in_canonical_form() {
    let text = |format| String::from_utf8(write(format, &example())).unwrap();
    assert_eq!(
        text(Format::Jsonl),
        r#"{"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680)","holdsAt(orientation(id1)=45,680)","coords(id1,262,-5,680)"],"annotation":["holdsAt(meeting(id1,id2),680)"]}
{"segment":"walk1","time":720,"narrative":[],"annotation":[]}
{"segment":"walk 2","time":40,"narrative":["happensAt(walking(id1),40)"],"annotation":[]}
"#
    );
    assert_eq!(
        text(Format::Facts),
        "segment(walk1).
happensAt(walking(id1),680).
holdsAt(orientation(id1)=45,680).
coords(id1,262,-5,680).
example(holdsAt(meeting(id1,id2),680)).
time(720).
segment('walk 2').
happensAt(walking(id1),40).
"
    );
    assert_eq!(
        text(Format::Rtec),
        "# segment walk1
# event walking/1
walking|680|680|id1
# fluent orientation/1
orientation|680|680|45|id1
# predicate coords/3
coords|680|680|id1|262|-5
# label meeting/2
meeting|680|680|true|id1|id2
# time 720
# segment 'walk 2'
walking|40|40|id1
"
    );
}

#[test]
fn caviar_cannot_be_written() {
    let error = FrameWriter::new(Format::Caviar, Box::new(io::sink())).err().unwrap();
    assert_eq!(
        error.to_string(),
        "CAVIAR's XML can be read, not written\nhint: write one of jsonl, mongo, facts, rtec"
    );
}

#[test]
fn compressed_files_are_read_by_their_name_and_progress_counts_their_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for (name, format) in [("a.jsonl.gz", Format::Jsonl), ("a.lp.gz", Format::Facts), ("a.csv.gz", Format::Rtec)] {
        let path = folder.path().join(name);
        // Two members one after the other, as `cat` makes them, are one file.
        let bytes = write(format, &example());
        let middle = bytes.len() / 2;
        let mut file = std::fs::File::create(&path).unwrap();
        for half in [&bytes[..middle], &bytes[middle..]] {
            let mut encoder = flate2::write::GzEncoder::new(&mut file, flate2::Compression::default());
            encoder.write_all(half).unwrap();
            encoder.finish().unwrap();
        }
        let mut frames = open(&path, &ReadOptions::default()).unwrap();
        let back: Vec<Frame> = frames.by_ref().map(Result::unwrap).collect();
        assert_eq!(back, example());
        assert_eq!(Some(frames.bytes_read()), frames.total_bytes());
    }
}

#[test]
fn keys_may_come_in_any_order_and_unknown_ones_are_ignored() {
    let text = r#"

{"annotation":null,"narrative":["happensAt(walking(id1), 680)","happensAt(said(\"h\\\"i\"), 680)"],"n":{"time":[1]},"time":680,"segment":3}
"#;
    let expected = vec![frame("3", 680, &["happensAt(walking(id1),680)", "happensAt(said('h\"i'),680)"], &[])];
    assert_eq!(read(Format::Jsonl, text.into()).unwrap(), expected);
    let text = r#"{"time":1}"#;
    assert_eq!(read(Format::Jsonl, text.into()).unwrap(), [frame("main", 1, &[], &[])]);
}

#[test]
fn documents_are_dealt_to_their_time_points_and_may_share_one() {
    let text = r#"[{"_id":{"$oid":"57"},"time":{"$numberInt":"1"},"narrative":["p(a,1)","p(a,2)"],"annotation":["example(q(a,2))","negExample(q(b,2))"]},
{"_id":2,"time":"2","narrative":["p(a,2)","p(b,2)","p(a,3)"],"annotation":["q(a,2)"]}
,{"_id":3,"time":{"$numberLong":"4"}},{"time":5,"narrative":["p(a,5)."]}
]
"#;
    let expected = vec![
        frame("main", 1, &["p(a,1)"], &[]),
        frame("main", 2, &["p(a,2)", "p(b,2)"], &["q(a,2)"]),
        frame("main", 3, &["p(a,3)"], &[]),
        frame("main", 4, &[], &[]),
        frame("main", 5, &["p(a,5)"], &[]),
    ];
    assert_eq!(read(Format::Mongo, text.into()).unwrap(), expected);
}

#[test]
fn a_json_file_is_of_mongo_if_its_first_document_has_an_id() {
    let kind = |name: &str, text: &'static str| {
        let frames = Frames::from_reader(name, text.as_bytes(), &ReadOptions::default());
        frames.and_then(Iterator::collect::<Result<Vec<Frame>, DataError>>).map(|f| f.len()).map_err(|e| e.kind())
    };
    // Only documents of Mongo may have atoms of several time points.
    assert_eq!(kind("a.json", "\n{\"_id\":1,\"narrative\":[\"p(1)\",\"p(2)\"]}"), Ok(2));
    assert_eq!(kind("a.json", "[\n{\"narrative\":[\"p(1)\",\"p(2)\"]}]"), Ok(2));
    assert_eq!(kind("<stdin>", "{\"_id\":1,\"narrative\":[\"p(1)\",\"p(2)\"]}"), Ok(2));
    assert_eq!(kind("a.json", "{\"time\":1,\"narrative\":[\"p(1)\",\"p(2)\"]}"), Err(ProblemKind::WrongTime));
    assert_eq!(
        kind("a.jsonl", "{\"_id\":1,\"time\":1,\"narrative\":[\"p(1)\",\"p(2)\"]}"),
        Err(ProblemKind::WrongTime)
    );
    assert_eq!(kind("<stdin>", "{\"time\":1,\"narrative\":[\"p(1)\"]}"), Ok(1));
    assert_eq!(kind("<stdin>", "p(1)."), Err(ProblemKind::Format));
}

#[test]
fn facts_may_share_lines_and_labels_are_told_by_their_signature() {
    let text = "% a comment\nsegment(walk1). happensAt(walking(id1),680). holdsAt(meeting(id1,id2),680).  % no more\n\
                time(680). negExample(p(7)). time(720).\ntime(760).p(2.5,760).";
    let meeting = Signature::of(&oled::parse_atom("holdsAt(meeting(_, _), _)").unwrap());
    let options = ReadOptions { labels: vec![meeting], ..ReadOptions::default() };
    let frames = Frames::from_reader("a.lp", text.as_bytes(), &options).unwrap();
    let expected = vec![
        frame("walk1", 680, &["happensAt(walking(id1),680)"], &["holdsAt(meeting(id1,id2),680)"]),
        frame("walk1", 720, &[], &[]),
        frame("walk1", 760, &["p(2.5,760)"], &[]),
    ];
    assert_eq!(frames.collect::<Result<Vec<_>, _>>().unwrap(), expected);
}

#[test]
fn what_a_name_is_in_delimited_text_follows_from_the_declared_inputs() {
    let signature = |text: &str| Signature::of(&oled::parse_atom(text).unwrap());
    let options = ReadOptions {
        declared: ["happensAt(appear(_), _)", "holdsAt(walking(_), _)", "coords(_, _, _, _)"].map(signature).to_vec(),
        labels: vec![signature("holdsAt(meeting(_, _), _)")],
        ..ReadOptions::default()
    };
    let text = "# a comment\nappear|680|681|id0\nwalking | 680 | 680 | true | id0\norientation|680|680|45|id0\n\
                coords|680|680|id0|262|285\nmeeting|680|680|true|id0|'a|b'\n";
    let expected = vec![frame(
        "main",
        680,
        &[
            "happensAt(appear(id0),680)",
            "holdsAt(walking(id0),680)",
            "holdsAt(orientation(id0)=45,680)",
            "coords(id0,262,285,680)",
        ],
        &["holdsAt(meeting(id0,'a|b'),680)"],
    )];
    let frames = Frames::from_reader("a.psv", text.as_bytes(), &options).unwrap();
    assert_eq!(frames.collect::<Result<Vec<_>, _>>().unwrap(), expected);
}

#[test]
fn interleaved_segments_are_read_where_they_are_allowed() {
    let text = "{\"segment\":\"a\",\"time\":1}\n{\"segment\":\"b\",\"time\":1}\n{\"segment\":\"a\",\"time\":2}\n";
    let options = ReadOptions { interleaved: true, ..ReadOptions::default() };
    let frames = Frames::from_reader("a.jsonl", text.as_bytes(), &options).unwrap();
    let order: Vec<String> = frames.map(|f| f.map(|f| format!("{}{}", f.segment, f.time)).unwrap()).collect();
    assert_eq!(order, ["a1", "b1", "a2"]);
}
