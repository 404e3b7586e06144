//! Whoever vanishes is forgotten: a stream with ever new people takes no more memory than their names.
//!
//! In a program of its own, so that no other test takes memory meanwhile.

#![allow(clippy::print_stdout)] // the counts

use oled::{FactReader, Frame, Learner, Oled, Recogniser, Replay, ReplaySettings, Settings, Symbol, parse_source};
use oled_data::task_folder::TaskFolder;

/// What a name may take: its own bytes, and what the table of names needs for it.
const BYTES_A_NAME: usize = 200;

/// Kilobytes in memory; `None` where the system does not tell.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Two people who walk together and are never seen again.
fn frames(from: u64, to: u64) -> impl Iterator<Item = Frame> {
    (from..to).map(|time| {
        // Each pair stays for ten time points of a segment of a thousand.
        let mut frame = Frame::new(Symbol::new(&format!("day{}", time / 1000)), time as i64);
        let pair = [2 * (time / 10), 2 * (time / 10) + 1];
        for k in pair {
            let (event, x) = (if time % 10 < 3 { "walking" } else { "active" }, k % 2 * 10);
            for fact in [format!("happensAt({event}(guest{k}), {time})"), format!("coords(guest{k}, {x}, 5, {time})")] {
                FactReader::default().read(&fact, &mut frame.narrative).unwrap();
            }
        }
        if time % 10 > 4 {
            let label = format!("holdsAt(meeting(guest{}, guest{}), {time})", pair[0], pair[1]);
            FactReader::default().read(&label, &mut frame.annotation).unwrap();
        }
        frame
    })
}

#[test]
fn ever_new_names_take_their_own_bytes_and_no_more() {
    const WARM: u64 = 30_000;
    const MORE: u64 = 150_000;
    if resident().is_none() {
        return;
    }
    let (listed, open) = (TaskFolder::lobby_listed(), TaskFolder::embedded());
    let (theory, _) = parse_source(&open.theory("hand".as_ref()).unwrap());
    let mut recogniser = Recogniser::new(&open.task, &theory).unwrap();
    let mut settings = ReplaySettings::default();
    settings.set("runs", "2000").unwrap();
    let mut replay = Replay::new(&open.task, settings).unwrap();
    let mut oled = Oled::new(&listed.task, |_| Settings::default()).unwrap();
    let mut closed = Vec::new();
    let mut run = |what: &str, from: u64, to: u64| {
        for frame in frames(from, to) {
            match what {
                "recogniser" => recogniser.observe(&frame, &mut closed),
                "replay" => replay.observe(&frame, &mut ()),
                _ => oled.observe(&frame, &mut ()),
            }
            closed.clear();
        }
    };
    for (i, what) in ["recogniser", "replay", "oled"].into_iter().enumerate() {
        let start = i as u64 * (WARM + MORE);
        run(what, start, start + WARM);
        let (before, names) = (resident().unwrap(), Symbol::count());
        run(what, start + WARM, start + WARM + MORE);
        let (grown, names) = (1024 * resident().unwrap().saturating_sub(before), Symbol::count() - names);
        println!("{what}: {names} names more, {grown} bytes more");
        assert!(names >= MORE as usize / 5, "{names}");
        // Some room for the allocator's moods.
        assert!(grown < BYTES_A_NAME * names + 4_000_000, "{what} has grown by {grown} bytes for {names} names");
    }
}
