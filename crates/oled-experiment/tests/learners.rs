//! Learners by name: what they are made of, what is said to wrong names, and how rules of replay come and go.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use oled::{Facts, Learner};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};
use oled_experiment::{LEARNERS, Prequential, Story, check_setting, html, learner, markdown, title};

fn named(settings: &[(&str, &str)]) -> Vec<(String, String)> {
    settings.iter().map(|(name, value)| ((*name).to_string(), (*value).to_string())).collect()
}

fn made(
    folder: &TaskFolder,
    name: &str,
    preset: Option<&str>,
    set: &[(&str, &str)],
) -> Result<Box<dyn Learner>, String> {
    learner(folder, name, preset, &|_| named(set), 1).map_err(|error| error.to_string())
}

/// A task with this `task.toml`, whose thresholds are open.
fn open(folder: &Path, manifest: &str) -> Result<TaskFolder, String> {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("task.toml", manifest);
    write(
        "modes.lp",
        "input(at(+person, +pixel, +time)). type(pixel, int).
         example(holdsAt(meeting(+person, +person), +time)).
         modeh(initiatedAt(meeting(+person, +person), +time)). modeh(terminatedAt(meeting(+person, +person), +time)).
         modeb(close(+person, +person, #real, +time)).
         comparison(close(+person, +person, #real, +time), 3, larger).",
    );
    write("background.lp", "close(X, Y, D, T) :- at(X, A, T), at(Y, B, T), X != Y, abs(A - B) <= D.");
    TaskFolder::load(folder).map_err(|error| error.to_string())
}

#[test]
fn wrong_names_are_told() {
    let lobby = TaskFolder::lobby_listed();
    for spec in LEARNERS {
        match made(&lobby, spec.name, None, &[]) {
            Ok(learner) => assert_eq!(learner.capabilities(), spec.capabilities(), "{}", spec.name),
            Err(told) => assert!(told.contains("needs clingo") && !cfg!(feature = "clingo"), "{told}"),
        }
    }
    made(&lobby, "oled", Some("paper"), &[("depth", "1")]).unwrap();
    made(&lobby, "replay", None, &[("penalty", "0.01"), ("window", "4")]).unwrap();
    for (name, preset, set, message) in [
        ("olde", None, &[][..], "unknown learner `olde`: learners are replay, oled"),
        (
            "replay",
            Some("default"),
            &[],
            "the learner `replay` has no presets\nhint: leave the preset out; as-printed, paper, default",
        ),
        ("oled", Some("best"), &[], "unknown preset `best`"),
        ("oled", None, &[("window", "4")], "unknown setting `window`"),
        ("replay", None, &[("depth", "2")], "the learner `replay` has no setting `depth`: settings are penalty, miss"),
        ("replay", None, &[("penalty", "-1")], "`-1` is no value of `penalty`: 0 to 1, or none"),
    ] {
        let told = made(&lobby, name, preset, set).map(|_| ()).unwrap_err();
        assert!(told.starts_with(message), "{told}");
    }
    assert!(check_setting("oled", "depth", "2").is_ok() && check_setting("replay", "depth", "2").is_err());
    assert_eq!(["replay", "oled"].map(|name| title(name, None)), ["replay", "oled, preset default"]);
    assert_eq!(title("oled", Some("paper")), "oled, preset paper");
    // The names that presets had before.
    assert_eq!(
        ["letter", "sane"].map(|name| title("oled", Some(name))),
        ["oled, preset as-printed", "oled, preset default"]
    );
}

#[test]
fn the_learner_that_needs_lists_names_the_task_that_has_them() {
    let folder = tempfile::tempdir().unwrap();
    for (name, listed) in [("caviar", Some("caviar-listed")), ("lobby", Some("lobby-listed")), ("mine", None)] {
        let task = open(folder.path(), &format!("name = \"{name}\"\n")).unwrap();
        made(&task, "replay", None, &[]).unwrap();
        let told = made(&task, "oled", None, &[]).map(|_| ()).unwrap_err();
        assert!(told.contains("the thresholds of `close` are open") && told.contains("modes.lp:4:"), "{told}");
        match listed {
            Some(listed) => assert!(told.contains(&format!("the task `{listed}` lists them")), "{told}"),
            None => assert!(!told.contains("-listed"), "{told}"),
        }
    }
}

#[test]
fn a_task_has_settings_of_replay() {
    let folder = tempfile::tempdir().unwrap();
    let task = open(folder.path(), "[replay]\npenalty = 0.01\nwindow = 7\nforget = 2.5\n").unwrap();
    let settings = task.replay_settings(&named(&[("window", "none")])).unwrap();
    let mut expected = oled::ReplaySettings::default();
    for (name, value) in [("penalty", "0.01"), ("forget", "2.5")] {
        expected.set(name, value).unwrap();
    }
    assert_eq!(settings, expected, "the last word counts");
    for (manifest, place, message) in [
        ("[replay]\nwindov = 7\n", "task.toml:2:1", "did you mean `window`?"),
        ("[replay]\nwindow = 0\n", "task.toml:2:1", "`0` is no value of `window`: 1 or more, or none"),
        ("[replay]\nruns = 100\n[replay.meeting]\n", "task.toml:3:9", "are for all targets, not for `meeting` alone"),
    ] {
        let told = open(folder.path(), manifest).unwrap_err();
        assert!(told.contains(message) && told.contains(place), "{told}");
    }
}

/// The folder of CAVIAR, if it is there; a test that needs it is skipped otherwise, loudly.
fn caviar() -> Option<PathBuf> {
    let directory = PathBuf::from("../../../shared/data/caviar");
    if !directory.is_dir() {
        // Past the test harness, so that a test that was skipped does not look like one that passed.
        let _ = writeln!(std::io::stderr(), "SKIPPED: ../shared/data/caviar not found");
        return None;
    }
    Some(directory)
}

#[test]
fn the_evaluation_of_the_paper_compares_all_learners() {
    let Some(directory) = caviar() else { return };
    let experiment = oled_experiment::paper(&directory, 1).unwrap();
    for part in &experiment.parts {
        let rows: Vec<_> = part.rows.iter().map(|row| (row.names().0, row.task.is_some())).collect();
        assert_eq!(part.task.name, "caviar");
        let usual = [
            ("theory", true),
            ("theory", true),
            ("oled", true),
            ("oled", true),
            ("replay", false),
            ("replay", true),
            // Once more with weights: of a margin, in one pass by two methods, of rules that are learned in one pass, and of those
            // of the default learner.
            ("theory", true),
            ("theory", true),
            ("theory", true),
            ("oled", true),
            ("replay", false),
        ];
        assert_eq!(rows[..usual.len()], usual);
        assert_eq!(part.rows.iter().filter(|row| row.weights.is_some()).count(), 5);
        // Those of the paper's table that need clingo, where it has them.
        let baseline = match part.data.name.as_str() {
            "fragment" => &[("xhail", true)][..],
            "noise-free" => &[("iled", true)],
            _ => &[],
        };
        assert_eq!(&rows[usual.len()..], if cfg!(feature = "clingo") { baseline } else { &[] });
    }
    assert!(experiment.notes.iter().any(|note| note.ends_with("Scores can be compared, counts cannot.")));
}

/// All beginnings and endings of the noise-free data are covered, and nothing else.
#[cfg(feature = "clingo")]
#[test]
fn iled_is_sound_on_the_noise_free_data_of_the_paper() {
    use oled::learn::RuleEvidence;
    let Some(directory) = caviar() else { return };
    let experiment = oled_experiment::paper(&directory, 1).unwrap();
    let part = experiment.parts.iter().find(|part| part.data.name == "noise-free").unwrap();
    let mut learner = made(&TaskFolder::caviar_listed(), "iled", None, &[]).unwrap();
    for frame in part.data.units.iter().flat_map(|unit| &unit.frames) {
        learner.observe(frame, &mut ());
    }
    let learned = learner.learned(&mut ());
    assert!(!learned.rules.is_empty());
    for rule in &learned.rules {
        assert!(
            matches!(&rule.evidence, RuleEvidence::Firings(fired) if fired.right > 0 && fired.wrong == 0),
            "{}",
            rule.clause
        );
    }
    assert!(!learned.remarks.iter().any(|remark| remark.contains("noise")), "{:?}", learned.remarks);
    // What it recognises in what it has learned from is what is annotated there.
    let task = TaskFolder::caviar_listed().task;
    let mut recogniser = oled::Recogniser::new(&task, &learned.theory()).unwrap();
    let mut evaluation = oled::Evaluation::new(&task.labels());
    for frame in part.data.units.iter().flat_map(|unit| &unit.frames) {
        recogniser.observe(frame, &mut Vec::new());
        evaluation.count(&recogniser, frame);
    }
    let total = evaluation.total();
    assert!(total.tp > 10_000 && total.fp + total.fn_ == 0, "{total:?}");
}

/// The story of a world whose rules change on the way, and its labels with them.
fn story() -> Story {
    let task = TaskFolder::lobby_listed();
    let world = WorldOptions { frames: 200, segments: 9, change: Some(5), ..WorldOptions::default() };
    let learner = made(&task, "replay", None, &[("window", "6")]).unwrap();
    let mut learning = Prequential::new(&task.task, learner, true).unwrap();
    for mut frame in World::new(world) {
        // In the last segments nobody meets, so that what was learned of it goes.
        if ["lobby8", "lobby9"].contains(&frame.segment.as_str()) {
            frame.annotation = Facts::default();
        }
        learning.observe(&frame, &mut ()).unwrap();
    }
    let learned = learning.learned(&mut ());
    learning.finish(&learned, "lobby", "replay")
}

#[test]
fn rules_of_replay_come_and_go_and_tell_how_far_they_can_be_trusted() {
    let story = story();
    assert!(story.rules.iter().any(|rule| rule.kept));
    for rule in &story.rules {
        // By turns, beginning with a choice; what is kept was chosen last.
        for (i, step) in rule.history.iter().enumerate() {
            assert_eq!(step.what, if i % 2 == 0 { "chosen" } else { "dropped" }, "{rule:?}");
            assert!(!step.body.is_empty());
        }
        assert!(!rule.history.is_empty() && (!rule.kept || rule.history.len() % 2 == 1), "{rule:?}");
        assert_eq!((rule.counts, rule.score), (None, None));
        assert_eq!(rule.trust.is_some(), rule.kept);
        assert!(rule.trust.is_none_or(|trust| trust.refits.is_some()), "{rule:?}");
    }
    let mut ids: Vec<&str> = story.rules.iter().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), story.rules.len(), "each rule has a name of its own");
    assert!(story.rules.iter().any(|rule| rule.history.len() > 1), "the rules of the world changed");

    // The curve has F1 of late, and the marks of what happened to rules.
    let meeting = story.curves.iter().find(|curve| curve.fluent == "meeting").unwrap();
    assert!(meeting.events.iter().all(|event| ["chosen", "dropped"].contains(&event.what.as_str())));
    assert!(!meeting.events.is_empty() && meeting.points.iter().any(|point| point.rules > 0));
    let recent = |from: u64, to: u64| -> Vec<f64> {
        let here = meeting.points.iter().filter(|p| (from..to).contains(&p.interpretation));
        here.filter_map(|p| p.recent).collect()
    };
    assert!(recent(0, 100).iter().all(|f1| *f1 == 0.0), "no rule before three intervals have shown it");
    assert!(recent(600, 1000).iter().any(|f1| *f1 > 0.7), "learned before the change: {:?}", recent(600, 1000));

    let results = oled_experiment::Results { curves: story.curves, rules: story.rules, ..Default::default() };
    let page = html(&results);
    for part in ["a rule was chosen</li>", "a rule was dropped</li>", "class=\"mark dropped\"", "gain <b>", ">Worth<"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("a rule began") && !page.contains(">Gap<"));
    let text = markdown(&results);
    let kept = results.rules.iter().filter(|rule| rule.kept).count();
    assert_eq!(text.matches("| lobby | replay | `").count(), kept);
    let read: oled_experiment::Results = serde_json::from_str(&serde_json::to_string(&results).unwrap()).unwrap();
    assert_eq!(read, results);
}

#[test]
fn what_is_recognised_of_late_falls_when_the_rules_change_and_recovers() {
    let task = TaskFolder::lobby_listed();
    let world = WorldOptions {
        frames: 500,
        segments: 16,
        change: Some(8),
        event_noise: 0.0,
        position_noise: 0.0,
        label_noise: 0.0,
        ..WorldOptions::default()
    };
    let learner = made(&task, "replay", None, &[("window", "6")]).unwrap();
    let mut learning = Prequential::new(&task.task, learner, true).unwrap();
    for frame in World::new(world) {
        learning.observe(&frame, &mut ()).unwrap();
    }
    let learned = learning.learner().learned(&mut ());
    let story = learning.finish(&learned, "lobby", "replay");
    let meeting = story.curves.iter().find(|curve| curve.fluent == "meeting").unwrap();
    // The mean of F1 of late over segments, counted from zero.
    let late = |segments: std::ops::Range<u64>| {
        let here = |at: u64| segments.contains(&((at - 1) / 500));
        let values: Vec<f64> =
            meeting.points.iter().filter(|p| here(p.interpretation)).filter_map(|p| p.recent).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let (before, after, end) = (late(5..8), late(8..10), late(14..16));
    // What is of late looks back at segments before the change, too.
    assert!(before > 0.8 && after < 0.7 && end > 0.8, "{before} before the change, {after} after it, {end} in the end");
}
