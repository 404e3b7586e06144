//! What every parser must do with any bytes: end, and keep its promises. The targets of `cargo fuzz` call these functions
//! one by one; `crates/oled-experiment/tests/corpus.rs` calls them with every file of the corpus, on a stable toolchain.

use std::fs;
use std::io::{Cursor, Read};
use std::path::PathBuf;
use std::sync::OnceLock;

use oled::{FactReader, Facts, Frame, Recogniser, Source, Task, Theory, parse_atom, parse_source, parse_theory};
use oled_data::caviar::load_videos;
use oled_data::task_folder::TaskFolder;
use oled_data::{Checkpoint, DataError, Format, FrameWriter, Frames, ReadOptions, open_at};
use oled_experiment::{DataOptions, LEARNERS, Store, learner, load_data, read_config};

/// A target: the name of its file and of its folder in the corpus, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 16] = [
    ("theory", theory),
    ("chains", chains),
    ("task", task),
    ("manifest", manifest),
    ("atom", atom),
    ("jsonl", jsonl),
    ("mongo", mongo),
    ("facts", facts),
    ("rtec", rtec),
    ("caviar", caviar),
    ("gzip", gzip),
    ("tables", tables),
    ("config", config),
    ("store", store),
    ("checkpoint", checkpoint),
    ("state", state),
];

/// Rules: what is printed is read back the same; what is checked can be run.
pub fn theory(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let theory = match parse_theory("theory.lp", text) {
        Ok(theory) => theory,
        Err(problems) => return drop(problems.to_string()),
    };
    assert_printed_is_read(&theory);
    // A rule about many things at once takes its time, as it should; only short ones are run.
    if text.len() <= 300 {
        run(&lobby().task, &theory);
    }
}

/// The pieces of long expressions, each with the brackets that it opens.
const PIECES: [(&str, usize); 16] = [
    ("1 + ", 0),
    ("X - ", 0),
    ("2 * ", 0),
    ("X / ", 0),
    ("2 ^ ", 0),
    ("-2 ^ ", 0),
    ("-", 0),
    ("(", 1),
    ("1 - (", 1),
    ("2 ^ (", 1),
    ("abs(", 1),
    ("f(", 1),
    ("min(1, ", 1),
    ("X = ", 0),
    ("1, V = ", 0),
    ("not ", 0),
];

/// Operators in long rows: of each two bytes the first is a piece, and the second says how often it comes, up to a hundred
/// thousand times. Wherever such an expression stands, it is read, printed and run, or it is an error with a place.
pub fn chains(bytes: &[u8]) {
    let (mut expression, mut open) = (String::new(), 0);
    for pair in bytes.chunks_exact(2) {
        let (piece, opens) = PIECES[usize::from(pair[0]) % PIECES.len()];
        let times = [1, 2, 10, 60, 70, 400, 600, 1100, 20_000, 100_000][usize::from(pair[1]) % 10];
        expression.push_str(&piece.repeat(times));
        open += opens * times;
        // Longer ones show nothing new.
        if expression.len() > 1 << 20 {
            break;
        }
    }
    expression.push('1');
    expression.push_str(&")".repeat(open));
    let observed = "happensAt(walking(X), T)";
    for text in [
        format!("initiatedAt(moving(X, X), T) :- {observed}, 0 < {expression}.\n"),
        format!("initiatedAt(moving(X, X), T) :- {observed}, p({expression}), not q({expression}).\np(1). q(2).\n"),
        format!("p({expression}).\n"),
        format!("modeb(p({expression})).\n"),
    ] {
        match parse_theory("chain.lp", &text) {
            Ok(theory) => {
                assert_printed_is_read(&theory);
                run(&lobby().task, &theory);
            }
            Err(problems) => {
                assert!(problems.diagnostics().iter().all(|p| p.span.source.is_some()), "every problem has a place");
                drop(problems.to_string());
            }
        }
        drop(Task::parse(&Source::new("modes.lp", &text), &Source::new("background.lp", &text)));
    }
    drop(parse_atom(&format!("p({expression})")));
}

/// Declarations, a line of dashes in a comment, and a background: what is checked can be learned with.
pub fn task(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (modes, background) = text.split_once("%---\n").unwrap_or((text, ""));
    let folder = Folder::new("task", &[("task.toml", b""), ("modes.lp", modes.as_bytes())]);
    folder.write("background.lp", background.as_bytes());
    let task = match TaskFolder::load(&folder.0) {
        Ok(task) => task,
        Err(problems) => return drop(problems.to_string()),
    };
    assert_printed_is_read(&task.task.background);
    if text.len() <= 1000 {
        for spec in LEARNERS {
            match learner(&task, spec.name, None, &|_| Vec::new(), 1) {
                Ok(mut learner) => {
                    frames().iter().for_each(|frame| learner.observe(frame, &mut ()));
                    drop(learner.learned(&mut ()));
                }
                Err(error) => drop(error.to_string()),
            }
        }
        run(&task.task, &Theory::default());
    }
}

/// `task.toml`, with the declarations of the simulated world.
pub fn manifest(bytes: &[u8]) {
    let texts = lobby().texts();
    let folder = Folder::new("manifest", &[("task.toml", bytes), ("modes.lp", texts[0].text.as_bytes())]);
    folder.write("background.lp", texts[1].text.as_bytes());
    match TaskFolder::load(&folder.0) {
        Ok(task) => {
            for preset in oled::induce::PRESETS {
                task.settings(preset, "meeting", &[]).expect("settings are checked when a task is read");
            }
            task.replay_settings(&[]).expect("settings are checked when a task is read");
        }
        Err(problems) => drop(problems.to_string()),
    }
}

/// An atom: the fast reader agrees with the parser, and reads what is printed.
pub fn atom(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut facts = Facts::default();
    let time = match FactReader::default().read(text, &mut facts) {
        Ok(time) => time,
        Err(error) => {
            assert_eq!(facts, Facts::default(), "nothing is added where there is an error");
            assert!(text.is_char_boundary(error.at), "errors have a place in the text");
            return drop(error.problem.to_string());
        }
    };
    let printed = facts.atoms(time).next().expect("one was read").to_string();
    let mut again = Facts::default();
    if FactReader::default().read(&printed, &mut again) == Ok(time) {
        assert_eq!(format!("{again:?}"), format!("{facts:?}"), "{printed}");
    }
    if let Ok(atom) = parse_atom(&printed) {
        assert_eq!(atom.to_string(), printed);
    }
}

/// JSON Lines.
pub fn jsonl(bytes: &[u8]) {
    stream(Format::Jsonl, bytes);
}

/// Documents of a data base.
pub fn mongo(bytes: &[u8]) {
    stream(Format::Mongo, bytes);
}

/// Facts with full stops.
pub fn facts(bytes: &[u8]) {
    stream(Format::Facts, bytes);
}

/// Delimited text of RTEC.
pub fn rtec(bytes: &[u8]) {
    stream(Format::Rtec, bytes);
}

/// The XML of CAVIAR.
pub fn caviar(bytes: &[u8]) {
    stream(Format::Caviar, bytes);
}

/// Compressed bytes, broken or not; and the same bytes compressed.
pub fn gzip(bytes: &[u8]) {
    let options = ReadOptions { lenient: true, ..ReadOptions::default() };
    read("stream.jsonl.gz", Cursor::new(bytes.to_vec()), &options);
    read("<stdin>", Cursor::new(bytes.to_vec()), &options);
    let (plain, _) = read("stream.jsonl", Cursor::new(bytes.to_vec()), &options);
    let mut writer = FrameWriter::compressed(Format::Jsonl, Vec::new()).expect("it can be written");
    plain.iter().for_each(|frame| writer.write(frame).expect("memory takes everything"));
    writer.finish().expect("memory takes everything");
}

/// The tables beside CAVIAR's videos, and those of folds and groups.
pub fn tables(bytes: &[u8]) {
    const VIDEO: &[u8] = br#"<dataset name="v"><frame number="0"></frame></dataset>"#;
    let folder = Folder::new("tables", &[("v.xml", VIDEO), ("abrupt.csv", bytes)]);
    tell(load_videos(&folder.0));
    folder.write("abrupt.csv", b"");
    folder.write("videos.csv", bytes);
    tell(load_videos(&folder.0));
    folder.write("videos.csv", b"video,xml\nv,v.xml\n");
    folder.write("stream.lp", b"segment(a).\ntime(1).\nsegment(b).\ntime(1).\n");
    for file in ["fold", "group"] {
        let path = folder.write(file, bytes);
        let (fold_file, groups) = if file == "fold" { (Some(path), None) } else { (None, Some(path)) };
        let input = Some(folder.0.join("stream.lp"));
        tell(load_data(lobby(), DataOptions { input, fold_file, groups, folds: Some(2), ..DataOptions::default() }));
    }
}

/// An experiment as a file.
pub fn config(bytes: &[u8]) {
    let folder = Folder::new("config", &[("experiment.toml", bytes)]);
    folder.write("stream.lp", b"segment(a).\ntime(1).\nsegment(b).\ntime(1).\n");
    tell(read_config(&folder.0.join("experiment.toml")));
}

/// What is finished of an experiment: opening it twice finds the same.
pub fn store(bytes: &[u8]) {
    let folder = Folder::new("store", &[("store.jsonl", bytes)]);
    let path = folder.0.join("store.jsonl");
    let open = || Store::open(&path).map(|_| fs::read(&path).expect("it is there"));
    let kept = open().expect("whatever is broken is left out");
    assert!(bytes.starts_with(&kept), "nothing is made up");
    assert_eq!(open().expect("it was opened before"), kept);
}

/// A checkpoint: a file that is damaged is refused, and what is read can be written and read again.
pub fn checkpoint(bytes: &[u8]) {
    let folder = Folder::new("checkpoint", &[("run.ckpt", bytes)]);
    match Checkpoint::read(&folder.0.join("run.ckpt")) {
        Ok(checkpoint) => {
            let again = folder.0.join("again.ckpt");
            checkpoint.write(&again).expect("temporary files can be written");
            assert_eq!(Checkpoint::read(&again).expect("it was just written"), checkpoint);
        }
        Err(error) => drop(error.to_string()),
    }
}

/// What a checkpoint has in it: a state that cannot be is refused, and with one that can be the run goes on.
pub fn state(bytes: &[u8]) {
    let task = lobby();
    for spec in LEARNERS {
        // The paper's learner cannot do with this task's open thresholds.
        let Ok(mut learner) = learner(task, spec.name, None, &|_| Vec::new(), 1) else { continue };
        if learner.restore(bytes).is_ok() {
            frames().iter().for_each(|frame| learner.observe(frame, &mut ()));
            learner.theory(&mut ());
        }
    }
    let (theory, _) = parse_source(&task.theory("hand".as_ref()).expect("it comes with the task"));
    let mut recogniser = Recogniser::new(&task.task, &theory).expect("it is right");
    if recogniser.restore(bytes).is_ok() {
        let mut closed = Vec::new();
        frames().iter().for_each(|frame| recogniser.observe(frame, &mut closed));
        recogniser.finish(&mut closed);
    }
    let folder = Folder::new("state", &[("stream.lp", b"segment(a).\ntime(1).\nsegment(b).\ntime(1).\n")]);
    let options = ReadOptions::default();
    tell(open_at(&folder.0.join("stream.lp"), &options, bytes, false).and_then(Iterator::collect::<Result<Vec<_>, _>>));
}

/// A stream: read in any pieces it is the same, and what was read can be written and read back in every format.
fn stream(format: Format, bytes: &[u8]) {
    let mut options = lobby().read_options(Some(format), false);
    read("strict", Cursor::new(bytes.to_vec()), &options);
    options.lenient = true;
    options.interleaved = true;
    let (frames, failed) = read("lenient", Cursor::new(bytes.to_vec()), &options);
    assert!(!failed, "lenient mode forgives everything");
    let (pieces, _) = read("lenient", Pieces(Cursor::new(bytes.to_vec())), &options);
    assert_eq!(format!("{pieces:?}"), format!("{frames:?}"));
    for format in [Format::Jsonl, Format::Mongo, Format::Facts, Format::Rtec] {
        let mut written = Vec::new();
        let mut writer = FrameWriter::new(format, &mut written).expect("all but CAVIAR's can be written");
        frames.iter().for_each(|frame| writer.write(frame).expect("memory takes everything"));
        writer.finish().expect("memory takes everything");
        let options = ReadOptions { format: Some(format), interleaved: true, ..ReadOptions::default() };
        let text = String::from_utf8_lossy(&written).into_owned();
        let (again, failed) = read("written", Cursor::new(written), &options);
        assert!(!failed, "what was written is read: {text}");
        assert_eq!(format!("{again:?}"), format!("{frames:?}"), "{format}: {text}");
    }
}

/// All frames, and whether an error came after them, which is printed.
fn read(name: &str, input: impl Read + Send + 'static, options: &ReadOptions) -> (Vec<Frame>, bool) {
    let mut frames = Vec::new();
    let failed = Frames::from_reader(name, input, options)
        .and_then(|stream| {
            for frame in stream {
                frames.push(frame?);
            }
            Ok(())
        })
        .map_err(|error: DataError| error.to_string())
        .is_err();
    (frames, failed)
}

/// The simulated world, of which fluents and events are known.
fn lobby() -> &'static TaskFolder {
    static LOBBY: OnceLock<TaskFolder> = OnceLock::new();
    LOBBY.get_or_init(TaskFolder::embedded)
}

/// Two people for a while, with values of all kinds.
fn frames() -> &'static [Frame] {
    static FRAMES: OnceLock<Vec<Frame>> = OnceLock::new();
    const TEXT: &str = "
        happensAt(walking(p1), 1). coords(p1, 1, 2, 1). happensAt(active(p2), 1). coords(p2, 1.5, 2, 1).
        example(holdsAt(meeting(p1, p2), 1)).
        happensAt(abrupt(p1), 2). coords(p1, 3, 2, 2). happensAt(walking(p2), 2). coords(p2, -1, 9223372036854775807, 2).
        happensAt(inactive(p1), 4). coords(p1, 1e300, 2, 4).
        example(holdsAt(meeting(p1, p2), 4)).
        time(5).";
    FRAMES.get_or_init(|| {
        let options = ReadOptions { format: Some(Format::Facts), ..ReadOptions::default() };
        read("frames", TEXT.as_bytes(), &options).0
    })
}

/// Recognises, if the rules are right.
fn run(task: &Task, theory: &Theory) {
    match Recogniser::new(task, theory) {
        Ok(mut recogniser) => {
            let mut closed = Vec::new();
            frames().iter().for_each(|frame| recogniser.observe(frame, &mut closed));
            recogniser.finish(&mut closed);
        }
        Err(problems) => drop(problems.to_string()),
    }
}

fn assert_printed_is_read(theory: &Theory) {
    let printed = theory.to_string();
    match parse_theory("printed.lp", &printed) {
        Ok(again) => {
            assert_eq!(&again, theory, "{printed}");
            assert_eq!(again.to_string(), printed);
        }
        Err(problems) => panic!("what is printed is read:\n{problems}\n{printed}"),
    }
}

/// Prints what is wrong, if anything is.
fn tell<T, E: std::fmt::Display>(result: Result<T, E>) {
    if let Err(error) = result {
        drop(error.to_string());
    }
}

/// A folder of a target's own, in the system's folder of temporary files.
struct Folder(PathBuf);

impl Folder {
    fn new(target: &str, files: &[(&str, &[u8])]) -> Folder {
        let path = std::env::temp_dir().join(format!("oled-fuzz-{target}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("temporary files can be written");
        let folder = Folder(path);
        for (name, bytes) in files {
            folder.write(name, bytes);
        }
        folder
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        fs::write(&path, bytes).expect("temporary files can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that is left behind harms nobody.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Gives three bytes at a time.
struct Pieces(Cursor<Vec<u8>>);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = buffer.len().min(3);
        self.0.read(&mut buffer[..length])
    }
}
