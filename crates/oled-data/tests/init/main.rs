//! Tasks that are drafted from tables of many kinds: what their columns are for, and the rules that are learned then.

mod happening;

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use oled::{Frame, Learner, Replay, ReplaySettings};
use oled_data::init::{Draft, InitOptions, draft};
use oled_data::task_folder::TaskFolder;
use oled_data::{DataError, ReadOptions, open};

/// Files in a folder, the labels last.
struct Tables {
    folder: tempfile::TempDir,
    names: Vec<String>,
}

impl Tables {
    fn new(files: &[(&str, &str)]) -> Tables {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Tables { folder, names: files.iter().map(|(name, _)| name.to_string()).collect() }
    }

    fn paths(&self) -> (Vec<PathBuf>, PathBuf) {
        let mut paths: Vec<PathBuf> = self.names.iter().map(|name| self.folder.path().join(name)).collect();
        let labels = paths.pop().unwrap();
        (paths, labels)
    }

    fn drafted(&self) -> Result<Draft, DataError> {
        let (inputs, labels) = self.paths();
        draft(&inputs, &labels, &InitOptions::default())
    }

    fn draft(&self) -> Draft {
        self.drafted().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Why there is no draft, and what to do about it.
    fn error(&self) -> String {
        let error = self.drafted().expect_err("there is no draft");
        error.to_string().replace(&format!("{}/", self.folder.path().display()), "")
    }

    /// The rules that are learned with the draft, and their F1 on what they are learned from.
    fn learned(&self) -> (String, f64) {
        let draft = self.draft();
        let task = TaskFolder::from_texts("drafted", &draft.manifest, &draft.modes, &draft.background).unwrap();
        let (inputs, labels) = self.paths();
        let options =
            ReadOptions { with: inputs[1..].to_vec(), labels_from: Some(labels), ..task.read_options(None, false) };
        let frames: Vec<Frame> = open(&inputs[0], &options).unwrap().map(Result::unwrap).collect();
        let mut learner = Replay::new(&task.task, ReplaySettings::default()).unwrap();
        frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
        let learned = learner.learned(&mut ());
        (learned.theory().to_string(), learned.fits[0].counts.f1())
    }
}

/// A number that looks like chance, below another: the same in every run.
fn chance(seed: i64, below: i64) -> i64 {
    let mixed = (seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x2545_f491_4f6c_dd1d;
    ((mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 33) as i64 % below
}

/// For each of some machines and time points whether something holds, as rows of labels.
fn labels(header: &str, fluent: &str, machines: i64, times: i64, holds: impl Fn(i64, i64) -> bool) -> String {
    let mut text = format!("{header}\n");
    for machine in 0..machines {
        let mut start = None;
        for time in 0..=times {
            match (start, time < times && holds(machine, time)) {
                (None, true) => start = Some(time),
                (Some(since), false) => {
                    writeln!(text, "{fluent},m{machine},{},{}", 100 + since, 100 + time - 1).unwrap();
                    start = None;
                }
                _ => {}
            }
        }
    }
    text
}

/// A value that stays a while, of a machine at a time.
fn level(machine: i64, time: i64, kind: i64, below: i64) -> i64 {
    chance(1000 * machine + time / 5 + 77_777 * kind, below)
}

#[test]
fn a_long_table_has_a_gauge_for_each_name_of_what_is_measured() {
    let (pressure, flow) = (|m, t| level(m, t, 1, 100), |m, t| level(m, t, 2, 100));
    let mut rows = String::from("time,machine,metric,value,unit\n");
    for time in 0..120 {
        for m in 0..6 {
            let now = 100 + time;
            writeln!(rows, "{now},m{m},Pressure (in),{},bar\n{now},m{m},flow,{},l", pressure(m, time), flow(m, time))
                .unwrap();
        }
    }
    let holds = |m, t| pressure(m, t) > 60 && flow(m, t) <= 40;
    let tables = Tables::new(&[
        ("readings.csv", &rows),
        ("labels.csv", &labels("fluent,machine,start,end", "leak", 6, 120, holds)),
    ]);
    let draft = tables.draft();
    assert!(draft.manifest.contains("\"pressure_in(machine, value) if metric = Pressure (in)\""), "{}", draft.manifest);
    assert!(draft.remarks[0].contains("column `unit`"), "{:?}", draft.remarks);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.99 && theory.contains("flow_below(X0, 4") && theory.contains("pressure_in_above(X0, 5"), "{theory}");
}

#[test]
fn spreadsheets_may_have_semicolons_decimal_commas_marks_and_other_line_ends() {
    let mut rows = String::from("\u{feff}Zeit;Anlage;Größe (°C);Tür\r\n");
    for time in 0..100 {
        for m in 0..6 {
            let door = if level(m, time, 2, 2) == 0 { "offen" } else { "zu" };
            write!(rows, "{};m{m};{},5;{door}\r\n", 100 + time, level(m, time, 1, 50)).unwrap();
        }
    }
    let labels = labels("Fluent,Anlage,Start,End", "heiß", 6, 100, |m, t| level(m, t, 1, 50) > 30);
    let tables = Tables::new(&[("anlage.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(draft.manifest.contains("decimal = \",\""), "{}", draft.manifest);
    assert!(draft.manifest.contains("\"groesse_degc('Anlage', 'Größe (°C)')\""), "{}", draft.manifest);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.99 && theory.contains("holdsAt('heiß'(X0), T) :-\n    groesse_degc_above(X0, 3"), "{theory}");
}

#[test]
fn the_time_of_a_row_is_the_column_that_has_the_times_of_the_labels() {
    let mut rows = String::from("id,count,epoch,machine,load\n");
    for time in 0..100 {
        for m in 0..6 {
            let id = 6 * time + m;
            writeln!(rows, "{id},{},{},m{m},{}", id % 7, 100_000 + time, level(m, time, 1, 50)).unwrap();
        }
    }
    let labels = labels("fluent,entity,start,end", "busy", 6, 100, |m, t| level(m, t, 1, 50) > 30);
    let labels = labels.lines().map(|line| {
        let cells: Vec<String> = line
            .split(',')
            .map(|cell| cell.parse::<i64>().map_or(cell.to_string(), |time| (time + 99_900).to_string()))
            .collect();
        cells.join(",") + "\n"
    });
    let tables = Tables::new(&[("jobs.csv", &rows), ("labels.csv", &labels.collect::<String>())]);
    assert!(tables.draft().manifest.contains("time = \"epoch\""), "{}", tables.draft().manifest);
    assert_eq!(tables.learned().1, 1.0);
}

#[test]
fn both_ends_of_a_row_about_a_pair_are_of_one_type() {
    let mut rows = String::from("time,from,to,bytes\n");
    let mut labels = String::from("fluent,from,to,start,end\n");
    for (a, b) in [("a", "b"), ("b", "a"), ("b", "c"), ("c", "a")] {
        let own = i64::from(a.as_bytes()[0]) * 31 + i64::from(b.as_bytes()[0]);
        for time in 0..120 {
            let large = (time + own) % 30 < 10;
            writeln!(rows, "{time},{a},{b},{}", if large { 900 + time % 50 } else { 100 + time % 70 }).unwrap();
            if (time + own) % 30 == 0 {
                writeln!(labels, "bulk,{a},{b},{time},{}", time + 9).unwrap();
            }
        }
    }
    let mut sorted: Vec<&str> = rows.lines().skip(1).collect();
    sorted.sort_by_key(|row| row.split(',').next().and_then(|time| time.parse::<i64>().ok()));
    let rows = format!("time,from,to,bytes\n{}\n", sorted.join("\n"));
    let tables = Tables::new(&[("flows.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(draft.modes.contains("example(holdsAt(bulk(+from, +from), +time))."), "{}", draft.modes);
    assert!(!draft.manifest.contains("grid"), "each row has both: {}", draft.manifest);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.99 && theory.contains("bytes_above(X0, X1, "), "{theory}");
}

#[test]
fn a_time_may_be_in_two_columns_as_logs_of_homes_have_it() {
    let (mut rows, mut labels) = (String::from("date,time,sensor,value\n"), String::from("fluent,start,end\n"));
    let clock = |minute: i64| format!("{:02}:{:02}:00", minute / 60 % 24, minute % 60);
    let date = |minute: i64| format!("2026-03-{:02}", 1 + minute / 1440);
    for hour in 0..96 {
        let (from, stove) = (60 * hour + chance(hour, 9), chance(3 * hour, 2) == 0);
        for minute in (from..from + 30).step_by(3) {
            let sensor = if stove && minute < from + 24 { "M1" } else { "M2" };
            writeln!(rows, "{},{},{sensor},ON", date(minute), clock(minute)).unwrap();
        }
        if stove {
            let end = from + 23;
            writeln!(labels, "cooking,{} {},{} {}", date(from), clock(from), date(end), clock(end)).unwrap();
        }
    }
    let tables = Tables::new(&[("log.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(draft.manifest.contains("time = \"date\"\ntime_of_day = \"time\"\n"), "{}", draft.manifest);
    assert!(draft.remarks.iter().all(|remark| !remark.contains("left out: it has more")), "{:?}", draft.remarks);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.9 && theory.contains("'M1'"), "{f1} {theory}");
    // A time of day that is named stands for both.
    let (inputs, labels) = tables.paths();
    let named = InitOptions { time: Some("time".into()), ..InitOptions::default() };
    assert_eq!(oled_data::init::draft(&inputs, &labels, &named).unwrap().manifest, draft.manifest);
}

#[test]
fn files_of_one_table_go_on_with_each_other_and_others_say_other_things() {
    let rows = |machines: [i64; 2]| {
        let mut rows = String::from("time,machine,value\n");
        for time in 0..60 {
            machines.iter().for_each(|m| writeln!(rows, "{},m{m},{}", 100 + time, level(*m, time, 1, 50)).unwrap());
        }
        rows
    };
    let labels = labels("fluent,machine,start,end", "high", 4, 60, |m, t| level(m, t, 1, 50) > 30);
    let sites = Tables::new(&[("east.csv", &rows([0, 1])), ("west.csv", &rows([2, 3])), ("labels.csv", &labels)]);
    assert_eq!(sites.draft().manifest.matches("[[table]]").count(), 1, "{}", sites.draft().manifest);
    assert_eq!(sites.learned().1, 1.0);
    let gauges = Tables::new(&[("heat.csv", &rows([0, 1])), ("load.csv", &rows([0, 1])), ("labels.csv", &labels)]);
    let manifest = gauges.draft().manifest;
    assert!(manifest.contains("\"value(machine, value)\"") && manifest.contains("\"load_value(machine, value)\""));
}

#[test]
fn times_that_are_none_are_named_with_a_remedy() {
    let rows = "time,machine,load\n01.03.2026 10:00,a,1\n01.03.2026 10:01,a,2\n";
    let tables = Tables::new(&[("m.csv", rows), ("l.csv", "fluent,machine,start,end\nhot,a,01.03.2026 10:00,\n")]);
    let error = tables.error();
    assert!(error.contains("`01.03.2026 10:00` in column `time` is no time"), "{error}");
    let rows = "time,machine,load\n2026/03/01 10:00,a,1\n2026/03/01 10:01,a,2\n";
    let tables = Tables::new(&[("m.csv", rows), ("l.csv", "fluent,machine,start,end\nhot,a,01.03.2026 10:00,\n")]);
    let error = tables.error();
    assert!(error.contains("`01.03.2026 10:00` in column `start` is no time"), "{error}");
    let tables = Tables::new(&[("m.csv", rows), ("l.csv", "fluent,machine,start,end\nhot,a,1772359200,\n")]);
    let error = tables.error();
    assert!(error.contains("no column of `m.csv` has the times of the labels"), "{error}");
}

/// Videos in which times begin again: somebody walks while they are fast.
fn videos(header: &str, row: impl Fn(i64, i64, i64) -> String) -> (String, String) {
    let (mut rows, mut labels) = (format!("{header}\n"), String::new());
    for video in 0..6 {
        for time in 0..60 {
            let holds = (time + 7 * video) % 20 < 8;
            rows += &row(video, time, if holds { 30 + chance(video * 60 + time, 9) } else { chance(time, 9) });
            if holds && (time == 0 || (time - 1 + 7 * video) % 20 >= 8) {
                let end = (time..60).take_while(|t| (t + 7 * video) % 20 < 8).last().unwrap();
                let _ = writeln!(labels, "walking,p1,{time},{end},v{video}");
            }
        }
    }
    (rows, labels)
}

#[test]
fn segments_are_the_column_that_has_those_of_the_labels_or_begins_again() {
    let (rows, labels) = videos("video,frame,who,speed", |v, t, speed| format!("v{v},{t},p1,{speed}\nv{v},{t},p2,3\n"));
    let tables =
        Tables::new(&[("tracks.csv", &rows), ("labels.csv", &format!("fluent,who,start,end,segment\n{labels}"))]);
    let draft = tables.draft();
    assert!(draft.manifest.contains("segment = \"video\""), "{}", draft.manifest);
    assert!(draft.remarks[0].ends_with("has the segments of the labels"), "{:?}", draft.remarks);
    let (rules, f1) = tables.learned();
    assert!(f1 == 1.0 && rules.contains("speed_above(X0, 20"), "{f1} {rules}");
    // Without segments in the labels the same ones are those in which times begin again.
    let labels = |text: &str| {
        let rows = text.lines().map(|line| line.rsplit_once(',').unwrap().0);
        rows.fold(String::new(), |all, row| all + row + "\n")
    };
    let (_, labelled) = videos("", |_, _, _| String::new());
    let tables =
        Tables::new(&[("tracks.csv", &rows), ("labels.csv", &format!("fluent,who,start,end\n{}", labels(&labelled)))]);
    let draft = tables.draft();
    assert!(draft.manifest.contains("segment = \"video\""), "{}", draft.manifest);
    assert!(draft.remarks[0].contains("times begin again"), "{:?}", draft.remarks);
    // Segments that no column has are not passed over in silence.
    let tables = Tables::new(&[
        ("tracks.csv", &rows.replace('v', "w")),
        ("labels.csv", &format!("fluent,who,start,end,segment\n{labelled}")),
    ]);
    assert!(tables.draft().remarks[0].contains("`segment_column`"), "{:?}", tables.draft().remarks);
}

#[test]
fn an_event_of_several_names_is_also_known_by_each_of_them() {
    // Whoever opens it, it is open until somebody shuts it.
    let action = |m: i64, t: i64| ["open", "shut", "look", "look"][chance(1000 * m + t, 4) as usize];
    let mut rows = String::from("time,machine,user,action\n");
    for (time, m) in (0..120).flat_map(|time| (0..6).map(move |m| (time, m))) {
        let user = chance(31 * m + 977 * time + 5, 6);
        writeln!(rows, "{},m{m},u{user},{}", 100 + time, action(m, time)).unwrap();
    }
    let last = |m: i64, t: i64| (0..t).rev().map(|t| action(m, t)).find(|action| *action != "look");
    let labels = labels("fluent,machine,start,end", "ajar", 6, 120, |m, t| last(m, t) == Some("open"));
    let tables = Tables::new(&[("doors.csv", &rows), ("labels.csv", &labels)]);
    let facts = [
        "happensAt(user(machine, user))",
        "happensAt(action(machine, action))",
        "happensAt(doors(machine, user, action))",
    ];
    let draft = tables.draft();
    assert!(facts.iter().all(|fact| draft.manifest.contains(fact)), "{}", draft.manifest);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.99 && theory.contains("action(X0, open)"), "{theory}");
    // What is on or off is not known by that alone.
    let switched = rows.replace("look", "off").replace("open", "on").replace("shut", "off");
    let draft = Tables::new(&[("doors.csv", &switched), ("labels.csv", &labels)]).draft();
    assert!(!draft.manifest.contains("happensAt(action(machine, action))"), "{}", draft.manifest);
}

#[test]
fn names_that_come_again_in_other_videos_and_movement_are_conditions() {
    // A hand holds a cup that it carries; a plate lies where it is, and the cup does too while the hand only passes by.
    let (mut rows, mut labels) =
        (String::from("video,frame,thing,x,y\n"), String::from("fluent,video,a,b,start,end\n"));
    for v in 0..12 {
        let carries = |t: i64| (20..40).contains(&t) || (60 + 2 * v..80 + v).contains(&t);
        let mut cup = 100 + 10 * v;
        for t in 0..100 {
            let hand = if carries(t) { cup + 3 } else { cup + 40 * ((t + v) % 7 - 3) };
            for (thing, x) in [("hand", hand), ("cup", cup), ("plate", hand + 2)] {
                writeln!(rows, "v{v},{t},{thing},{},{}", x, 50 + chance(7 * t + v, 3)).unwrap();
            }
            cup += if carries(t) { 9 } else { 0 };
        }
        writeln!(labels, "holding,v{v},hand,cup,20,39\nholding,v{v},hand,cup,{},{}", 60 + 2 * v, 79 + v).unwrap();
    }
    let tables = Tables::new(&[("places.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(draft.remarks.iter().any(|remark| remark.starts_with("`video` of the labels")), "{:?}", draft.remarks);
    assert!(draft.manifest.contains("segment = \"video\"\narguments = [\"a\", \"b\"]"), "{}", draft.manifest);
    for condition in ["is_thing(+thing, #thing_name)", "near(+thing", "moved_", "stayed_"] {
        assert!(draft.modes.contains(condition), "{condition}: {}", draft.modes);
    }
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.95 && theory.contains("holding(X0, X1)"), "{f1} {theory}");
    // Names that are in one video each say nothing of another.
    let strangers = rows.lines().map(|row| match row.split_once(',') {
        Some((video, rest)) => rest.replace("cup", &format!("cup{video}")).replace("plate", &format!("plate{video}")),
        None => String::new(),
    });
    let videos = rows.lines().map(|row| row.split_once(',').unwrap().0);
    let rows = videos.zip(strangers).fold(String::new(), |all, (video, rest)| all + video + "," + &rest + "\n");
    let named = labels.lines().map(|row| match row.split(',').nth(1) {
        Some(video) if video != "video" => row.replace("cup", &format!("cup{video}")),
        _ => row.to_string(),
    });
    let labels = named.fold(String::new(), |all, row| all + &row + "\n");
    let draft = Tables::new(&[("places.csv", &rows), ("labels.csv", &labels)]).draft();
    assert!(!draft.modes.contains("is_thing"), "{}", draft.modes);
}

#[test]
fn a_log_of_switches_has_states_time_points_between_its_rows_and_the_time_of_day() {
    // Somebody reads while the lamp is on in the evening; in the morning it is on for breakfast, and the door matters to neither.
    let date = |day: i64, second: i64| {
        format!("2024-03-{:02}T{:02}:{:02}:{:02}", 4 + day, second / 3600, second / 60 % 60, second % 60)
    };
    let (mut rows, mut labels) = (String::from("time,sensor,state\n"), String::from("fluent,start,end\n"));
    for day in 0..10 {
        for (from, minutes, what) in
            [(7 * 3600, 20, "breakfast"), (19 * 3600 + 600 * chance(day, 9), 60 + 5 * chance(day + 50, 9), "reading")]
        {
            let until = from + 60 * minutes;
            writeln!(rows, "{},lamp,on\n{},door,open", date(day, from), date(day, from + 100)).unwrap();
            writeln!(rows, "{},door,shut\n{},lamp,off", date(day, from + 160), date(day, until)).unwrap();
            writeln!(labels, "{what},{},{}", date(day, from), date(day, until)).unwrap();
        }
    }
    let tables = Tables::new(&[("switches.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    // What holds all evening counts for more than one time point.
    assert!(draft.manifest.contains("tick = 300"), "{}", draft.manifest);
    assert!(
        draft.modes.contains("exclusive(happensAt(switches(+switches_sensor_value, -switches_state_value), +time))"),
        "{}",
        draft.modes
    );
    for condition in ["switches_is(", "hour_from(#real, +time)", "hour_until(#real, +time)"] {
        assert!(draft.modes.contains(condition), "{condition}: {}", draft.modes);
    }
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.9 && theory.contains("hour_from("), "{f1} {theory}");
}

#[test]
fn rows_that_are_intervals_are_known_by_both_of_their_ends() {
    // Somebody reads while the lamp is on; a fan goes on and off, and matters to nobody.
    let (mut rows, mut labels) = (String::from("start,end,sensor\n"), String::from("fluent,start,end\n"));
    for i in 0..40 {
        let (from, fan) = (100 * i + chance(i, 30), 100 * i + chance(i + 99, 40));
        let until = from + 20 + chance(i + 7, 40);
        writeln!(rows, "{from},{until},lamp\n{fan},{},fan", fan + 5 + chance(i + 3, 50)).unwrap();
        writeln!(labels, "reading,{from},{}", until - 1).unwrap();
    }
    let tables = Tables::new(&[("switched.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(
        draft.manifest.contains("end = \"end\"") && draft.manifest.contains("sensor_ends(sensor)"),
        "{}",
        draft.manifest
    );
    assert!(draft.remarks.iter().any(|remark| remark.contains("are intervals")), "{:?}", draft.remarks);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.95 && theory.contains("sensor_on(lamp, T)"), "{f1} {theory}");
}

#[test]
fn a_single_stream_is_not_cut_and_what_happens_beside_gauges_is_an_event() {
    // Few long intervals, which begin with an event where a valve is open; nothing else is said in most rows.
    let (mut rows, mut labels) =
        (String::from("time,press,event,valve,flow\n"), String::from("fluent,press,start,end\n"));
    let mut since = None;
    for t in 0..3_000 {
        let (open, of_hour) = (t / 130 % 3 != 1, t % 500);
        let event = match of_hour {
            100 => "load",
            250 if !open => "load",
            320 => "unload",
            n if n % 37 == 5 => "lube",
            _ => "",
        };
        match event {
            "load" if open && since.is_none() => since = Some(t),
            "unload" => {
                if let Some(start) = since.take() {
                    writeln!(labels, "loaded,p,{},{t}", start + 1).unwrap();
                }
            }
            _ => {}
        }
        writeln!(rows, "{t},p,{event},{},{}", if open { "open" } else { "shut" }, chance(t, 50)).unwrap();
    }
    let tables = Tables::new(&[("press.csv", &rows), ("labels.csv", &labels)]);
    let draft = tables.draft();
    assert!(!draft.manifest.contains("\ncut = "), "{}", draft.manifest);
    let (theory, f1) = tables.learned();
    assert!(f1 > 0.99 && theory.contains("happensAt(event(X0, load), T)"), "{f1} {theory}");
}

#[test]
fn a_noisy_gauge_is_known_by_its_mean() {
    // What is said at one time point tells little: the noise is as large as what matters.
    let value = |m: i64, t: i64| {
        let noise = (0..4).map(|k| chance(1000 * m + t + 31_337 * k, 100)).sum::<i64>();
        noise + if t % 60 >= 35 { 100 } else { 0 }
    };
    let mut rows = String::from("time,machine,load\n");
    for (time, m) in (0..240).flat_map(|time| (0..6).map(move |m| (time, m))) {
        writeln!(rows, "{},m{m},{}", 100 + time, value(m, time)).unwrap();
    }
    let labels = labels("fluent,machine,start,end", "busy", 6, 240, |_, t| t % 60 >= 38 && t > 60);
    let (theory, f1) = Tables::new(&[("loads.csv", &rows), ("labels.csv", &labels)]).learned();
    assert!(f1 > 0.8 && theory.contains("load_mean_"), "{f1} {theory}");
}
