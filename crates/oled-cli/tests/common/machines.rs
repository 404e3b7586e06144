//! Machines: a task with a table of text, whose rules are about one machine at a time; for tests of several workers, and for trying
//! more of them.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const MODES: &str = "\
type(heat, real).
input(temp(+machine, +heat, +time)).
input(happensAt(knock(+machine), +time)).
example(holdsAt(hot(+machine), +time)).
modeh(initiatedAt(hot(+machine), +time)).
modeh(terminatedAt(hot(+machine), +time)).
modeb(happensAt(knock(+machine), +time)).
modeb(above(+machine, #heat, +time)).
modeb(below(+machine, #heat, +time)).
comparison(above(+machine, #heat, +time), 2, smaller).
comparison(below(+machine, #heat, +time), 2, larger).
";

const BACKGROUND: &str = "\
above(M, X, T) :- temp(M, H, T), H > X.
below(M, X, T) :- temp(M, H, T), H < X.
";

const RULES: &str = "\
initiatedAt(hot(M), T) :- temp(M, H, T), H > 60.
terminatedAt(hot(M), T) :- temp(M, H, T), H < 35, not happensAt(knock(M), T).
";

/// Writes the task into a folder; tells where it is, and where its rules are.
pub(crate) fn task(folder: &Path, interleaved: bool) -> [PathBuf; 2] {
    let task = folder.join(if interleaved { "mixed-machines" } else { "machines" });
    let manifest = format!(
        "name = \"machines\"\nmodes = \"modes.lp\"\nbackground = \"background.lp\"\n\n[stream]\ninterleaved = {interleaved}\n\n\
         [[table]]\ntime = \"time\"\nsegment = \"plant\"\n\
         facts = [\"temp(machine, heat)\", \"happensAt(knock(machine)) if note = knock\"]\n\
         labels = [\"holdsAt(hot(machine)) if hot\"]\n"
    );
    fs::create_dir_all(&task).expect("there is room for files");
    for (name, text) in
        [("task.toml", manifest.as_str()), ("modes.lp", MODES), ("background.lp", BACKGROUND), ("rules.lp", RULES)]
    {
        fs::write(task.join(name), text).expect("there is room for files");
    }
    let rules = task.join("rules.lp");
    [task, rules]
}

/// Writes a table of so many plants, each with so many times and machines, by a seed: plant after plant, or where they are mixed time
/// after time. Some cells have ends of lines in them.
pub(crate) fn table(folder: &Path, seed: u64, [plants, times, machines]: [u64; 3], mixed: bool) -> PathBuf {
    let mut text = String::from("time,plant,machine,heat,hot,note\n");
    let number = |parts: [u64; 3]| {
        let mixed = parts
            .iter()
            .fold(seed + 1, |mixed, part| (mixed ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (mixed >> 29));
        mixed >> 33
    };
    let mut hot = vec![false; (plants * machines) as usize];
    let mut row = |plant: u64, time: u64| {
        for machine in 0..machines {
            // A machine that is off says nothing for a while.
            if number([plant, machine, time / 40]).is_multiple_of(9) {
                continue;
            }
            let heat = number([plant * machines + machine, time / 7, 5]) % 97;
            let note = match number([plant, machine * 1000 + time, 7]) % 11 {
                0 => "knock",
                1 => "\"first line\n9,plant 0,m0,99,no,\"",
                2 => "\"a \"\"word\"\"\"",
                _ => "",
            };
            let own = &mut hot[(plant * machines + machine) as usize];
            *own = heat > 60 || *own && (heat >= 35 || note == "knock");
            let label = if *own { "yes" } else { "no" };
            writeln!(text, "{time},plant {plant},m{machine},{heat}.5,{label},{note}").expect("a text has room");
        }
    };
    if mixed {
        (0..times).for_each(|time| (0..plants).for_each(|plant| row(plant, time)));
    } else {
        (0..plants).for_each(|plant| (0..times).for_each(|time| row(plant, time)));
    }
    let path = folder.join(format!("{}-{seed}.csv", if mixed { "mixed" } else { "apart" }));
    fs::write(&path, text).expect("there is room for files");
    path
}
