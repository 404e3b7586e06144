//! CAVIAR without noise in its labels: how many positives the hand-written rules with their duals make. The data is not
//! part of the repository.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use oled::parse_theory;
use oled_data::Protocol;
use oled_data::caviar::load_videos;
use oled_data::task_folder::TaskFolder;
use oled_experiment::Data;

/// The directory, unless it is not there, which is said aloud.
fn directory() -> Option<PathBuf> {
    let path = Path::new("../../../shared/data/caviar");
    if path.is_dir() {
        return Some(path.to_path_buf());
    }
    // Past the test harness, so that a test that was skipped does not look like one that passed.
    let _ = writeln!(std::io::stderr(), "SKIPPED: ../shared/data/caviar not found");
    None
}

/// The positives of meeting and of moving, and the same without a video.
fn positives(data: &Data, task: &TaskFolder, without: &str) -> [(u64, u64); 2] {
    let mut fewer = data.clone();
    fewer.units.retain(|unit| !unit.segment.as_str().starts_with(without));
    assert!(fewer.units.len() < data.units.len(), "there is a video {without}");
    [data, &fewer].map(|data| {
        let summary = data.summary(&task.task);
        let of = |fluent: &str| summary.positives.iter().find(|(f, _)| f == fluent).unwrap().1;
        (of("meeting"), of("moving"))
    })
}

#[test]
fn the_rules_and_their_duals_make_the_known_numbers_of_positives() {
    let Some(directory) = directory() else { return };
    let task = TaskFolder::caviar_listed();
    let duals = task.theory(Path::new("duals")).unwrap().text.clone();
    let hand = task.theory(Path::new("hand")).unwrap().text.clone();
    let videos = load_videos(&directory).unwrap();
    for protocol in [Protocol::Whole, Protocol::Clip] {
        // Pairs of people and whole videos come to the same, as no rule speaks of a third person.
        let data = Data::caviar(&directory, &videos, protocol).unwrap();
        let count = |rules: &str| {
            let theory = parse_theory("rules.lp", rules).unwrap();
            let labelled = data.labelled_by(&task.task, &theory, "noise-free", "").unwrap();
            assert_eq!((&labelled.folds, labelled.units.len()), (&data.folds, data.units.len()));
            // All 30 videos, and the 29 of the paper.
            let counts = positives(&labelled, &task, "21-Meet_WalkSplit");
            let _ = writeln!(std::io::stderr(), "{protocol}: (meeting, moving) of 30 and of 29 videos: {counts:?}");
            counts
        };
        assert_eq!(count(&duals), [(5984, 5854), (5984, 5042)], "29 videos: as an independent count has it");
        assert_eq!(count(&hand), [(4835, 5562), (4835, 4750)], "bags do not meet, and abrupt movements end what holds");
    }
}
