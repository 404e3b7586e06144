//! Grids: rows of one cell are one frame, and numbers and states are repeated, as a plain computation over all rows says.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use oled::Frame;
use oled_data::open;
use oled_data::task_folder::TaskFolder;
use proptest::prelude::*;

const MODES: &str = "input(temp(+machine, +number, +time)). input(load(+machine, +number, +time)).
input(happensAt(error(+machine, +number), +time)). type(machine, symbol). type(number, real).
input(gear(+machine, +gear, +time)). type(gear, symbol). exclusive(gear(+machine, -gear, +time)).
example(holdsAt(hot(+machine), +time)).\n";

const TABLE: &str = "[[table]]\ntime = \"time\"\nsegment = \"room\"
facts = [\"temp(machine, temp)\", \"load(machine, load)\", \"gear(machine, gear)\", \"happensAt(error(machine, code))\"]\n";

fn task(stream: &str) -> Result<TaskFolder, String> {
    let task = TaskFolder::from_texts("rooms", &format!("[stream]\n{stream}\n{TABLE}"), MODES, "");
    task.map_err(|error| error.to_string())
}

/// A row: the time since the last one, room, machine, temperature, load, of which the gear is made, code.
type Row = (i64, u8, u8, Option<u8>, Option<u8>, Option<u8>);

fn shown(frame: &Frame) -> (String, i64, Vec<String>) {
    let mut atoms: Vec<String> = frame.narrative.atoms(frame.time).map(|atom| atom.to_string()).collect();
    atoms.sort();
    (frame.segment.to_string(), frame.time, atoms)
}

/// The gear at a load: there are few.
fn gear(load: u8) -> String {
    format!("g{}", load % 3)
}

/// All frames of one room, from all of its rows.
fn naive(rows: &[(i64, Row)], room: u8, cell: i64, fill: Option<i64>) -> Vec<(String, i64, Vec<String>)> {
    let mut cells: BTreeMap<i64, Vec<&Row>> = BTreeMap::new();
    for (time, row) in rows.iter().filter(|(_, row)| row.1 == room) {
        cells.entry(time.div_euclid(cell) * cell).or_default().push(row);
    }
    let times: Vec<i64> = cells.keys().copied().collect();
    let frame = |time: i64| {
        let mut atoms = Vec::new();
        for name in ["temp", "load", "gear"] {
            let said = |row: &Row| match name {
                "temp" => row.3.map(|temp| temp.to_string()),
                "load" => row.4.map(|load| load.to_string()),
                _ => row.4.map(gear),
            };
            for machine in 0..3 {
                // The newest report at or before this frame.
                let newest = times.iter().rev().filter(|other| **other <= time).find_map(|other| {
                    let mut of_cell = cells[other].iter().rev().filter(|row| row.2 == machine);
                    of_cell.find_map(|row| said(row)).map(|value| (*other, value))
                });
                if let Some((reported, value)) = newest
                    && (reported == time || fill.is_some_and(|most| time - reported <= most))
                {
                    atoms.push(format!("{name}(m{machine}, {value}, {time})"));
                }
            }
        }
        for row in &cells[&time] {
            atoms.extend(row.5.map(|code| format!("happensAt(error(m{}, {code}), {time})", row.2)));
        }
        atoms.sort();
        (format!("r{room}"), time, atoms)
    };
    times.iter().map(|time| frame(*time)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn frames_are_those_of_a_plain_computation(
        rows in prop::collection::vec(
            (0_i64..5, 0_u8..2, 0_u8..3, prop::option::of(0_u8..9), prop::option::of(0_u8..9), prop::option::of(0_u8..3)), 1..60),
        cell in 1_i64..7,
        fill in prop::option::of(prop::option::of(1_i64..20)),
        interleaved in any::<bool>(),
        from in -20_i64..20,
    ) {
        let mut rows: Vec<Row> = rows;
        if !interleaved {
            rows.sort_by_key(|row| row.1);
        }
        let mut time = from;
        let timed: Vec<(i64, Row)> = rows.iter().map(|row| { time += row.0; (time, *row) }).collect();
        let mut text = "time,room,machine,temp,load,gear,code\n".to_string();
        for (time, (_, room, machine, temp, load, code)) in &timed {
            let gear = load.map_or(String::new(), gear);
            let [temp, load, code] = [temp, load, code].map(|cell| cell.map_or(String::new(), |cell| cell.to_string()));
            writeln!(text, "{time},r{room},m{machine},{temp},{load},{gear},{code}").unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rooms.csv");
        fs::write(&path, text).unwrap();
        let filled = match fill {
            None => String::new(),
            Some(None) => "fill = true\n".into(),
            Some(Some(most)) => format!("fill = {most}\n"),
        };
        let task = task(&format!("interleaved = {interleaved}\ngrid = {cell}\n{filled}")).unwrap();
        let frames = open(&path, &task.read_options(None, false)).unwrap();
        let found: Vec<_> = frames.map(|frame| shown(&frame.unwrap())).collect();
        for room in 0..2 {
            let own: Vec<_> = found.iter().filter(|frame| frame.0 == format!("r{room}")).cloned().collect();
            let most = fill.map(|most| most.unwrap_or(i64::MAX));
            prop_assert_eq!(own, naive(&timed, room, cell, most));
        }
    }
}

#[test]
fn cells_begin_at_full_hours_of_the_clock_and_nothing_is_repeated_in_another_segment() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rooms.csv");
    let text = "time,room,machine,temp,load,gear,code\n2026-03-01T10:59:59,a,m,1,,g1,\n2026-03-01T11:00:01,a,m,,2,,\n\
                2026-03-01T11:30:00,a,m,,3,,\n2026-03-01T14:00:01,a,m,,4,,\n";
    fs::write(&path, text).unwrap();
    let task = task("time = \"iso\"\nzone = \"+05:30\"\ngrid = \"1h\"\nfill = true\ngap = \"2h\"").unwrap();
    let frames = open(&path, &task.read_options(None, false)).unwrap();
    let times = task.times();
    let found: Vec<String> = frames
        .map(|frame| {
            let (segment, time, atoms) = shown(&frame.unwrap());
            format!("{segment} {} {}", times.show(time), atoms.join(" ")).replace(&time.to_string(), "T")
        })
        .collect();
    let expected = [
        "'a/2026-03-01T10:59:59+05:30' 2026-03-01T10:00:00+05:30 gear(m, g1, T) temp(m, 1, T)",
        "'a/2026-03-01T10:59:59+05:30' 2026-03-01T11:00:00+05:30 gear(m, g1, T) load(m, 3, T) temp(m, 1, T)",
        "'a/2026-03-01T14:00:01+05:30' 2026-03-01T14:00:00+05:30 load(m, 4, T)",
    ];
    assert_eq!(found, expected);
}

#[test]
fn a_task_says_what_is_wrong_with_its_grid() {
    for (stream, message) in [
        ("grid = \"1x\"", "`grid` is not `1x`"),
        ("grid = 0", "`grid` is not `0`"),
        ("grid = true", "`grid` is not `true`"),
        ("fill = \"soon\"", "`fill` is not `soon`"),
        ("fill = -1", "`fill` is not `-1`"),
    ] {
        let error = task(stream).unwrap_err();
        assert!(error.contains(message) && error.contains("hint: it is how"), "{error}");
    }
    assert!(task("fill = false").is_ok());
}
