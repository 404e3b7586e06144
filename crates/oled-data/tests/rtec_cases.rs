//! RTEC's unit tests as a referee: the same intervals, case by case.

mod rtec;

use std::io::Write;

use rtec::{Outcome, Verdict};

#[test]
fn intervals_are_those_of_rtec() {
    let folder = rtec::folder();
    if !folder.is_dir() {
        let _ = writeln!(std::io::stderr(), "SKIPPED: RTEC's tests: ../shared/data/rtec not found");
        return;
    }
    let outcomes = rtec::run(&folder);
    let of = |start: &str| -> Vec<&Outcome> { outcomes.iter().filter(|o| o.file.starts_with(start)).collect() };
    let different = outcomes.iter().filter(|outcome| outcome.verdict != Verdict::Identical);
    let different: Vec<String> = different.map(ToString::to_string).collect();
    assert_eq!(different, [""; 0]);
    assert_eq!(of("RTEC_version_1").len(), 2 * 37, "with and without dynamic grounding");
    assert_eq!(of("RTEC_version_2").len(), 37);
    assert_eq!(of("voting").len(), 78);
    assert_eq!(of("allen").len(), 20);
}
