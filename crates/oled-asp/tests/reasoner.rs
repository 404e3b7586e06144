//! A background in clingo's language beside the same in ours: what is recognised and learned is the same.
#![cfg(feature = "clingo")]

use std::fs;
use std::path::Path;

use oled::{Frame, Learner, Recogniser, Replay, ReplaySettings, parse_theory};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_data::{Format, FrameWriter, open};

const MODES: &str = "input(happensAt(walking(+entity), +time)). input(happensAt(active(+entity), +time)).
    input(coords(+entity, +pixel, +pixel, +time)). type(pixel, int). type(distance, int).
    example(holdsAt(moving(+entity, +entity), +time)). symmetric(moving/2).
    modeh(initiatedAt(moving(+entity, +entity), +time)). modeh(terminatedAt(moving(+entity, +entity), +time)).
    modeb(happensAt(walking(+entity), +time)). modeb(busy(+entity, +time)).
    modeb(close(+entity, +entity, #distance, +time)). modeb(not close(+entity, +entity, #distance, +time)).";

const OURS: &str = "distance(25). distance(40).
    close(X, Y, D, T) :- coords(X, A, B, T), coords(Y, E, F, T), X != Y, distance(D), (A - E)^2 + (B - F)^2 <= D * D.
    busy(X, T) :- close(X, Y, 40, T), close(X, Z, 40, T), Y != Z.";

const THEIRS: &str = "distance(25;40).
    close(X,Y,D,T) :- coords(X,A,B,T), coords(Y,E,F,T), X != Y, distance(D), (A-E)**2 + (B-F)**2 <= D*D.
    busy(X,T) :- entity(X,T), #count { Y : close(X,Y,40,T) } > 1.";

const RULES: &str = "initiatedAt(moving(X, Y), T) :- happensAt(walking(X), T), close(X, Y, 40, T), not busy(X, T).
    terminatedAt(moving(X, Y), T) :- not close(X, Y, 40, T).";

fn task(folder: &Path, name: &str, reasoner: &str, background: &str) -> TaskFolder {
    let folder = folder.join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("task.toml"), reasoner).unwrap();
    fs::write(folder.join("modes.lp"), MODES).unwrap();
    fs::write(folder.join("background.lp"), background).unwrap();
    TaskFolder::load(&folder).unwrap()
}

/// What is recognised at each frame, and the rules that are learned.
fn recognised_and_learned(folder: &TaskFolder, stream: &Path) -> (Vec<String>, String) {
    let frames: Vec<Frame> = open(stream, &folder.read_options(None, false)).unwrap().map(Result::unwrap).collect();
    let mut recogniser = Recogniser::new(&folder.task, &parse_theory("t.lp", RULES).unwrap()).unwrap();
    let mut learner = Replay::new(&folder.task, ReplaySettings::default()).unwrap();
    let mut holding = Vec::new();
    for frame in &frames {
        recogniser.observe(frame, &mut Vec::new());
        learner.observe(frame, &mut ());
        let mut now: Vec<String> =
            recogniser.holding().map(|(_, values)| format!("{} {values:?}", frame.time)).collect();
        now.sort();
        holding.extend(now);
    }
    (holding, learner.theory(&mut ()).to_string())
}

#[test]
fn the_same_is_recognised_and_learned() {
    oled_data::provide(oled_asp::reasoner::make);
    let folder = tempfile::tempdir().unwrap();
    let stream = folder.path().join("stream.jsonl");
    let mut writer = FrameWriter::new(Format::Jsonl, Box::new(fs::File::create(&stream).unwrap())).unwrap();
    for frame in World::new(WorldOptions { frames: 250, segments: 5, ..WorldOptions::default() }) {
        writer.write(&frame).unwrap();
    }
    writer.finish().unwrap();
    let ours = recognised_and_learned(&task(folder.path(), "ours", "", OURS), &stream);
    let theirs = recognised_and_learned(&task(folder.path(), "theirs", "reasoner = \"clingo\"", THEIRS), &stream);
    assert!(ours.0.len() > 50, "{} atoms are recognised", ours.0.len());
    assert!(ours.1.contains("close("), "{}", ours.1);
    assert_eq!(ours, theirs);
}

#[test]
fn what_is_wrong_with_a_background_is_said() {
    oled_data::provide(oled_asp::reasoner::make);
    let folder = tempfile::tempdir().unwrap();
    let said = |name: &str, reasoner: &str, background: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        fs::write(path.join("task.toml"), reasoner).unwrap();
        fs::write(path.join("modes.lp"), MODES).unwrap();
        fs::write(path.join("background.lp"), background).unwrap();
        TaskFolder::load(&path).unwrap_err().to_string()
    };
    let clingo = "reasoner = \"clingo\"";
    let choice = said("choice", clingo, "distance(25). { busy(a) }.");
    assert!(choice.contains("the background has more than one model"), "{choice}");
    assert!(choice.contains("hint: the background must have exactly one model: it cannot choose"), "{choice}");
    let none = said("none", clingo, "distance(25). :- distance(25).");
    assert!(none.contains("the background has no model"), "{none}");
    let syntax = said("syntax", clingo, "distance(25).\nbusy(X,T) :- entity(X,T), not.");
    assert!(syntax.contains("background.lp:2:30"), "{syntax}");
    let unknown = said("unknown", "reasoner = \"prolog\"", "");
    assert!(unknown.contains("there is no reasoner `prolog`"), "{unknown}");
}

#[test]
fn a_time_point_without_one_model_is_an_error() {
    oled_data::provide(oled_asp::reasoner::make);
    let folder = tempfile::tempdir().unwrap();
    let choosing = format!("{THEIRS} {{ busy(X,T) }} :- happensAt(active(X),T).");
    let task = task(folder.path(), "choosing", "reasoner = \"clingo\"", &choosing);
    let stream = folder.path().join("stream.lp");
    fs::write(&stream, "happensAt(walking(a),1).\nhappensAt(active(a),2).\nhappensAt(walking(a),3).\n").unwrap();
    let read = |lenient| open(&stream, &task.read_options(None, lenient)).unwrap().collect::<Vec<_>>();
    let strict = read(false);
    assert_eq!(strict.len(), 2);
    let error = strict[1].as_ref().unwrap_err().to_string();
    assert!(error.contains("the background has more than one model at time 2 of segment `main`"), "{error}");
    assert_eq!(read(true).len(), 2);
}
