//! Tables whose rows are intervals: what happens at their starts and at their ends, in the order of time.

use std::fs;

use oled::Frame;
use oled_data::task_folder::TaskFolder;
use oled_data::{ReadOptions, open};

const MODES: &str = "input(temp(+machine, +celsius, +time)). input(happensAt(start(+machine), +time)).
input(happensAt(stop(+machine), +time)). type(machine, symbol). type(celsius, real). example(holdsAt(hot(+machine), +time)).\n";

const TABLES: &str = "[[table]]
time = \"from\"
facts = [\"happensAt(start(machine))\"]
end = \"until\"
end_facts = [\"happensAt(stop(machine))\"]
[[table]]
time = \"time\"
facts = [\"temp(machine, temp)\"]
";

/// The frames of a table of intervals, together with one of gauges, as text; or what is wrong with them.
fn shown(rows: &str) -> Result<Vec<String>, String> {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("on.csv"), format!("from,until,machine\n{rows}")).unwrap();
    fs::write(path("m.csv"), "time,machine,temp\n4,a,20\n8,a,21\n").unwrap();
    let task = TaskFolder::from_texts("machines", TABLES, MODES, "").unwrap();
    let options = ReadOptions { with: vec![path("m.csv")], ..task.read_options(None, false) };
    let frames: Result<Vec<Frame>, _> = open(&path("on.csv"), &options).and_then(Iterator::collect);
    let text = |frame: &Frame| {
        let atoms: Vec<String> = frame.narrative.atoms(frame.time).map(|atom| atom.to_string()).collect();
        format!("{}: {}", frame.time, atoms.join(" "))
    };
    frames.map(|frames| frames.iter().map(text).collect()).map_err(|error| error.to_string())
}

#[test]
fn ends_come_in_an_order_of_their_own() {
    // One goes on within the other, one ends when another starts, and one has not ended.
    let expected = [
        "1: happensAt(start(a), 1)",
        "2: happensAt(start(b), 2)",
        "4: happensAt(stop(b), 4) happensAt(start(c), 4) temp(a, 20, 4)",
        "6: happensAt(stop(c), 6)",
        "7: happensAt(start(b), 7)",
        "8: temp(a, 21, 8)",
        "9: happensAt(stop(a), 9)",
    ];
    assert_eq!(shown("1,9,a\n2,4,b\n4,6,c\n7,,b\n").unwrap(), expected);
}

#[test]
fn an_end_before_its_start_has_its_place_and_a_remedy() {
    let error = shown("1,9,a\n5,3,b\n").unwrap_err();
    for part in ["on.csv:3:3", "the row ends at 3 and starts after it", "hint:"] {
        assert!(error.contains(part), "{part}: {error}");
    }
}
