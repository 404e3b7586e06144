//! Plant: a task with a stream that is one segment, of many machines that no rule joins, or that one rule does; for tests of workers
//! that have a part of them each.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use super::streams::lot;

const MODES: &str = "\
input(happensAt(starts(+machine), +time)).
input(happensAt(stops(+machine), +time)).
input(load(+machine, +kw, +time)).
type(kw, real).
input(happensAt(alarm(+hall), +time)).
input(happensAt(siren, +time)).
horizon(20).
min_duration(strained/1, 2).
example(holdsAt(strained(+machine), +time)).
example(holdsAt(state(+machine)=+mode, +time)).
example(holdsAt(idle(+machine), +time)).
example(overloaded(+machine, +time)).
";

const BACKGROUND: &str = "\
mode(on). mode(off).
limit(m1, 40). limit(m2, 30.5). limit(m3, 45). limit(m4, 20).
often(M, T) :- count(happensAt(starts(M), T), 8, N), N > 1.
evacuated(T) :- happensAt(alarm(H), T), happensAt(siren, T).
";

const RULES: &str = "\
initially(state(M)=off).
initiatedAt(state(M)=on, T) :- happensAt(starts(M), T).
initiatedAt(state(M)=off, T) :- happensAt(stops(M), T).
initiatedAt(state(M)=off, T) :- evacuated(T), holdsAt(state(M)=on, T).
initiatedAt(strained(M), T) :- mean(L, load(M, L, T), 6, N), N > 30, not often(M, T).
terminatedAt(strained(M), T) :- load(M, L, T), L < 12.
terminatedAt(strained(M), T) :- evacuated(T), machine(M, T).
holdsAt(idle(M), T) :- load(M, L, T), L < 15, not happensAt(starts(M), T).
overloaded(M, T) :- last(load(M, L, T), D), D < 5, limit(M, X), L > X.
";

/// Of a rule with two machines.
const JOINED: &str = "\
terminatedAt(strained(M), T) :- load(M, L, T), load(N, K, T), M != N, L = K.
";

/// Writes the task into a folder; tells where it is, and where its rules are: those that leave machines apart, those that join them,
/// and those of which one is about no machine.
pub(crate) fn task(folder: &Path, manifest: &str) -> [PathBuf; 4] {
    let task = folder.join("plant");
    fs::create_dir_all(&task).expect("there is room for files");
    let joined = format!("{RULES}{JOINED}");
    let of_none = format!("{RULES}initiatedAt(night, T) :- happensAt(siren, T).\n");
    let manifest = format!("name = \"plant\"\nmodes = \"modes.lp\"\nbackground = \"background.lp\"\n\n{manifest}");
    for (name, text) in [
        ("task.toml", manifest.as_str()),
        ("modes.lp", MODES),
        ("background.lp", BACKGROUND),
        ("apart.lp", RULES),
        ("joined.lp", &joined),
        ("of-none.lp", &of_none),
    ] {
        fs::write(task.join(name), text).expect("there is room for files");
    }
    let [apart, joined, of_none] = ["apart.lp", "joined.lp", "of-none.lp"].map(|name| task.join(name));
    [task, apart, joined, of_none]
}

/// Writes a stream of segments one after the other, each with so many time points and machines, by a seed. Machines come and go, and
/// some time points are missing.
pub(crate) fn stream(folder: &Path, seed: u64, [segments, times, machines]: [usize; 3]) -> PathBuf {
    let mut text = String::new();
    let mut draws = 0;
    let mut draw = |of: u64| {
        draws += 1;
        lot(seed, draws) % of
    };
    for segment in 0..segments {
        let mut strained = vec![false; machines];
        for time in (0..times).filter(|time| time % 17 != 3 && time % 31 < 28) {
            let (mut narrative, mut annotation) = (Vec::new(), Vec::new());
            // Who is spoken of first differs from time to time.
            let first = draw(machines as u64) as usize;
            for machine in (0..machines).map(|i| (i + first) % machines) {
                let is_away = (time / 20 + machine) % 7 == 0;
                if is_away {
                    continue;
                }
                if draw(3) > 0 {
                    narrative.push(format!("load(m{machine}, {}, {time})", draw(600) as f64 / 10.0));
                }
                match draw(9) {
                    0 => narrative.push(format!("happensAt(starts(m{machine}), {time})")),
                    1 => narrative.push(format!("happensAt(stops(m{machine}), {time})")),
                    _ => {}
                }
                strained[machine] ^= draw(8) == 0;
                if strained[machine] {
                    annotation.push(format!("holdsAt(strained(m{machine}), {time})"));
                } else if draw(20) == 0 {
                    annotation.push(format!("unknown(strained(m{machine}), {time})"));
                }
                if draw(5) == 0 {
                    annotation.push(format!("overloaded(m{machine}, {time})"));
                }
            }
            if draw(6) == 0 {
                narrative.push(format!("happensAt(alarm(h{}), {time})", draw(2)));
            }
            if draw(4) == 0 {
                narrative.push(format!("happensAt(siren, {time})"));
            }
            let list = |facts: &[String]| facts.iter().map(|fact| format!("{fact:?}")).collect::<Vec<_>>().join(",");
            let (narrative, annotation) = (list(&narrative), list(&annotation));
            let line = format!(
                "{{\"segment\":\"s{segment}\",\"time\":{time},\"narrative\":[{narrative}],\"annotation\":[{annotation}]}}"
            );
            writeln!(text, "{line}").expect("strings can be written to");
        }
    }
    let path = folder.join(format!("plant-{seed}-{segments}-{times}-{machines}.jsonl"));
    fs::write(&path, text).expect("there is room for files");
    path
}
