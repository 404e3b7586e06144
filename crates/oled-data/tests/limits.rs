//! Too deep, too long, too large, too many: a clear error or a limit that is told, never a crash, never a silent loss.

use std::fmt::Write as _;
use std::io::{Cursor, Read};

use oled::event::{Event, EventKind};
use oled::{
    FactReader, Frame, Learned, Learner, Oled, Recogniser, Replay, ReplaySettings, Settings, Signature, Source, Symbol,
    Task, parse_theory,
};
use oled_data::{DataError, Format, Frames, ProblemKind, ReadOptions};

fn read(format: Format, bytes: impl Into<Vec<u8>>, options: &ReadOptions) -> Result<Vec<Frame>, DataError> {
    let options = ReadOptions { format: Some(format), ..options.clone() };
    Frames::from_reader("stream", Cursor::new(bytes.into()), &options)?.collect()
}

fn strict(format: Format, bytes: impl Into<Vec<u8>>) -> Result<Vec<Frame>, DataError> {
    read(format, bytes, &ReadOptions::default())
}

// ---------------------------------------------------------------------------------------------------------------------
// Deep.

#[test]
fn terms_that_are_nested_too_deep_are_an_error_in_every_format() {
    let deep = format!("{}a{}", "f(".repeat(100_000), ")".repeat(100_000));
    for (format, text) in [
        (Format::Jsonl, format!("{{\"time\":1,\"narrative\":[\"p({deep},1)\"]}}\n")),
        (Format::Mongo, format!("{{\"_id\":1,\"time\":1,\"narrative\":[\"p({deep},1)\"],\"annotation\":[]}}\n")),
        (Format::Facts, format!("p({deep},1).\n")),
        (Format::Rtec, format!("p|1|1|{deep}\n")),
    ] {
        let error = strict(format, text).unwrap_err();
        assert_eq!((error.kind(), error.message()), (ProblemKind::Syntax, "terms may be nested at most 64 deep"));
        assert!(error.to_string().len() < 1000, "a message shows the neighbourhood only");
    }
    let error = parse_theory("deep.lp", &format!("p({deep}) :- q.")).unwrap_err();
    assert!(error.to_string().contains("nested at most 64 deep"), "{error}");
}

#[test]
fn json_and_xml_that_are_nested_too_deep_exhaust_no_stack() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
        for format in [Format::Jsonl, Format::Mongo] {
            let text = format!("{{\"time\":1,\"other\":{deep},\"narrative\":[]}}\n");
            match strict(format, text) {
                Ok(frames) => assert_eq!(frames.len(), 1),
                Err(error) => assert_eq!(error.kind(), ProblemKind::Syntax, "{error}"),
            }
        }
    }
    let deep = format!("<dataset>{}{}</dataset>", "<frame>".repeat(100_000), "</frame>".repeat(100_000));
    assert_ne!(strict(Format::Caviar, deep).unwrap_err().kind(), ProblemKind::Io);
}

#[test]
fn a_chain_of_operators_of_any_length_is_run_or_is_an_error_with_a_place() {
    let modes = "input(happensAt(on(+lamp), +time)).";
    let rule = |condition: &str| format!("initiatedAt(lit(L), T) :-\n    happensAt(on(L), T),\n    {condition}.\n");
    for operator in ["+", "-", "*", "/", "^"] {
        let chain = |terms: usize| format!("{}1", format!("1{operator}").repeat(terms - 1));
        for terms in [20_000, 100_000] {
            let texts = [
                rule(&format!("1 < {}", chain(terms))),
                rule(&format!("p({}, T)", chain(terms))),
                format!("\n\np({}).\n", chain(terms)),
                format!("\n\nmodeb(p({})).\n", chain(terms)),
            ];
            for text in texts {
                let error = parse_theory("chain.lp", &text).unwrap_err().to_string();
                let told = ["a literal may have at most 500 operators", "terms may be nested at most 64 deep"];
                assert!(told.iter().any(|told| error.contains(told)), "{error}");
                assert!(error.contains("chain.lp:3:") && error.len() < 1000, "{error}");
                let [modes_source, other] = [Source::new("modes.lp", modes), Source::new("background.lp", &text)];
                assert!(Task::parse(&modes_source, &other).is_err() && Task::parse(&other, &modes_source).is_err());
            }
        }
        // The longest that are allowed are checked, printed and run.
        let longest = if operator == "^" { 60 } else { 500 };
        let theory = parse_theory("chain.lp", &rule(&format!("-1000 < {}", chain(longest)))).unwrap();
        assert_eq!(parse_theory("again.lp", &theory.to_string()).unwrap(), theory);
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let mut frame = Frame::new(Symbol::new("hall"), 1);
        FactReader::default().read("happensAt(on(l1), 1)", &mut frame.narrative).unwrap();
        recogniser.observe(&frame, &mut Vec::new());
        frame.time = 2;
        recogniser.observe(&frame, &mut Vec::new());
        assert_eq!(recogniser.open().len(), 1, "`{operator}`");
    }
}

#[test]
fn a_rule_with_very_many_conditions_is_run_or_is_an_error_with_a_place() {
    let task =
        Task::parse(&Source::new("modes.lp", "input(happensAt(on(+lamp), +time))."), &Source::new("background.lp", ""))
            .unwrap();
    let rule = |conditions: usize| {
        let more: Vec<String> = (1..conditions).map(|i| format!(",\n    V{i} = {i}")).collect();
        let more = more.concat();
        parse_theory("long.lp", &format!("initiatedAt(lit(L), T) :- happensAt(on(L), T){more}.\n"))
    };
    let mut recogniser = Recogniser::new(&task, &rule(1000).unwrap()).unwrap();
    let mut frame = Frame::new(Symbol::new("hall"), 1);
    FactReader::default().read("happensAt(on(l1), 1)", &mut frame.narrative).unwrap();
    recogniser.observe(&frame, &mut Vec::new());
    for conditions in [1001, 100_000] {
        let error = rule(conditions).unwrap_err().to_string();
        assert!(error.contains("a rule may have at most 1000 conditions"), "{error}");
        assert!(error.contains("long.lp:1001:"), "{error}");
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Long.

#[test]
fn a_line_longer_than_the_limit_is_an_error() {
    let line = format!("{{\"time\":1,\"other\":\"{}\"}}\n", "x".repeat(3_000_000));
    assert_eq!(strict(Format::Jsonl, line.clone()).unwrap().len(), 1, "three megabytes are nothing");
    let options = ReadOptions { max_line: Some(1_000_000), lenient: true, ..ReadOptions::default() };
    let error = read(Format::Jsonl, line, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read `stream`: line 1 is longer than 1000000 bytes\n\
         hint: is a line end missing? the option `max_line` allows longer ones"
    );
    assert_eq!(error.kind(), ProblemKind::Limit);
    let video = format!("<dataset><!--{}--></dataset>", "x".repeat(3_000_000));
    let error = read(Format::Caviar, video, &options).unwrap_err();
    assert_eq!(error.message(), "cannot read `stream`: the file is longer than 1000000 bytes");
}

/// Never ends, and has no line end.
struct Endless;

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        buffer.fill(b'x');
        Ok(buffer.len())
    }
}

#[test]
fn an_input_without_line_ends_that_never_ends_is_given_up() {
    let options = ReadOptions { format: Some(Format::Facts), max_line: Some(1 << 22), ..ReadOptions::default() };
    let mut frames = Frames::from_reader("stream", Endless, &options).unwrap();
    assert_eq!(frames.next().unwrap().unwrap_err().kind(), ProblemKind::Limit);
    assert!(frames.next().is_none());
}

// ---------------------------------------------------------------------------------------------------------------------
// Large.

#[test]
fn numbers_that_cannot_be_represented_are_errors() {
    let digits = "9".repeat(1_000_000);
    for number in ["9223372036854775808", "-9223372036854775809", "1e999", &digits, &format!("{digits}.5")] {
        let error = strict(Format::Facts, format!("p({number},1).\n")).unwrap_err();
        assert_eq!(error.kind(), ProblemKind::BadNumber, "{error}");
        let error = strict(Format::Facts, format!("p(a,{number}).\n")).unwrap_err();
        assert!(matches!(error.kind(), ProblemKind::BadNumber | ProblemKind::Missing), "{error}");
        assert!(strict(Format::Jsonl, format!("{{\"time\":{number}}}\n")).is_err());
        assert!(parse_theory("t.lp", &format!("p({number}).")).is_err());
    }
    assert_eq!(strict(Format::Facts, "p(-9223372036854775808,9223372036854775807).\n").unwrap().len(), 1);
}

// ---------------------------------------------------------------------------------------------------------------------
// Many.

#[test]
fn a_million_names_are_read_and_more_than_allowed_are_an_error() {
    let mut text = String::new();
    for time in 0..10_000 {
        for k in 0..100 {
            let _ = write!(text, "happensAt(walking(person{}),{time}).", 100 * time + k);
        }
        text.push('\n');
    }
    let before = Symbol::count();
    let frames = strict(Format::Facts, text.clone()).unwrap();
    assert_eq!(frames.iter().map(|f| f.narrative.len()).sum::<usize>(), 1_000_000);
    assert!(Symbol::count() >= before + 1_000_000);

    let options = ReadOptions { max_names: Some(1_000_000), lenient: true, ..ReadOptions::default() };
    let error = read(Format::Facts, text, &options).unwrap_err();
    assert_eq!(error.kind(), ProblemKind::Limit);
    assert_eq!(error.message(), "there are more than 1000000 distinct names, and names are never forgotten");
    assert!(error.hint().is_some_and(|hint| hint.contains("`max_names`")));
}

#[test]
fn forms_of_atoms_count_as_names() {
    // One name, and as many forms as there are numbers of arguments.
    let atom = |forms: usize| format!("form({}1).\n", "form, ".repeat(forms));
    let text: String = (1..400).map(atom).collect();
    let options = |most: usize| ReadOptions { max_names: Some(most), lenient: true, ..ReadOptions::default() };
    let most = Symbol::count() + Signature::count_as_names() + 200;
    // Other tests make names at the same time, and not as many as these have numbers.
    let error = read(Format::Facts, text.clone(), &options(most)).unwrap_err();
    assert_eq!(error.kind(), ProblemKind::Limit);
    assert!(
        error.message().contains("names") && error.hint().is_some_and(|hint| hint.contains("`max_names`")),
        "{error}"
    );
    assert!(read(Format::Facts, text, &options(usize::MAX)).is_ok());
}

const MODES: &str = "
    input(happensAt(walking(+person), +time)). input(happensAt(stopping(+person), +time)).
    input(near(+person, +person, +time)).
    example(holdsAt(meeting(+person, +person), +time)).
    modeh(initiatedAt(meeting(+person, +person), +time)). modeh(terminatedAt(meeting(+person, +person), +time)).
    modeb(happensAt(walking(+person), +time)). modeb(happensAt(stopping(+person), +time)).";

/// A condition that relates people: only those that it relates are looked at while learning.
const NEAR: &str = "modeb(near(+person, +person, +time)).";

fn task() -> Task {
    task_with(NEAR)
}

fn task_with(modes: &str) -> Task {
    let modes = Source::new("modes.lp", format!("{MODES} {modes}"));
    Task::parse(&modes, &Source::new("background.lp", "")).unwrap()
}

fn frame(segment: &str, time: i64, facts: &[&str], labels: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new(segment), time);
    for (texts, facts) in [(facts, &mut frame.narrative), (labels, &mut frame.annotation)] {
        for text in texts {
            FactReader::default().read(&format!("{text}, {time})"), facts).unwrap();
        }
    }
    frame
}

/// A hundred thousand people at one time point.
fn crowd(segment: &str, time: i64) -> Frame {
    let mut frame = Frame::new(Symbol::new(segment), time);
    for k in 0..100_000 {
        let text = format!("happensAt(walking(visitor{k}), {time})");
        FactReader::default().read(&text, &mut frame.narrative).unwrap();
    }
    frame
}

#[test]
fn a_hundred_thousand_people_are_recognised_one_by_one_and_as_pairs_up_to_the_limit() {
    let task = task();
    let recognise = |theory: &str| {
        let theory = parse_theory("t.lp", theory).unwrap();
        let mut recogniser = Recogniser::new(&task, &theory).unwrap().with_limit(1_000_000);
        let mut closed = Vec::new();
        for frame in [frame("a", 0, &["happensAt(walking(x)"], &[]), crowd("a", 1), crowd("a", 2)] {
            recogniser.observe(&frame, &mut closed);
            if recogniser.is_full() {
                return None;
            }
        }
        Some(recogniser.holding().count())
    };
    assert_eq!(recognise("initiatedAt(alone(X), T) :- happensAt(walking(X), T)."), Some(100_000));
    assert_eq!(recognise("initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T)."), None);
    let pairs = "initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T), happensAt(walking(Y), T), X != Y.";
    assert_eq!(recognise(pairs), None);
    assert_eq!(recognise("initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T), near(X, Y, T)."), Some(0));
}

/// Two people who meet, in four segments; with a crowd at some time point if one is wanted.
fn stream(crowded: bool) -> Vec<Frame> {
    let mut frames = Vec::new();
    for segment in ["s1", "s2", "s3", "s4"] {
        for time in 0..30 {
            let phase = time % 10;
            let holds: &[&str] = &["holdsAt(meeting(a, b)", "holdsAt(meeting(b, a)"];
            let labels = if (4..=7).contains(&phase) { holds } else { &[] };
            let facts: &[&str] = match phase {
                3 => &["happensAt(stopping(a)", "happensAt(stopping(b)", "near(a, b", "near(b, a"],
                7 => &["happensAt(walking(a)", "happensAt(walking(b)"],
                _ => &["happensAt(standing(a)", "happensAt(stopping(b)", "near(a, a"],
            };
            frames.push(frame(segment, time, facts, labels));
        }
        if crowded {
            frames.push(crowd(segment, 30));
        }
    }
    frames
}

fn learn(mut learner: impl Learner, frames: &[Frame]) -> (Learned, Vec<Event>) {
    let mut events = Vec::new();
    frames.iter().for_each(|frame| learner.observe(frame, &mut events));
    // A search tells what limits it reached where its rules are put to work.
    learner.theory(&mut events);
    (learner.learned(&mut events), events)
}

fn limited(events: &[Event]) -> Vec<&str> {
    let limits = events.iter().filter_map(|event| match &event.what {
        EventKind::Limited { limit, .. } => Some(limit.as_str()),
        _ => None,
    });
    limits.collect()
}

fn oled(settings: &Settings) -> Oled {
    Oled::new(&task(), |_| settings.clone()).unwrap()
}

fn replay(settings: ReplaySettings) -> Replay {
    Replay::new(&task(), settings).unwrap()
}

#[test]
fn a_time_point_with_too_many_instances_is_left_out_and_that_is_told() {
    type Learn = fn(&Task, &[Frame]) -> (Learned, Vec<Event>);
    let learners: [Learn; 2] = [
        |task, frames| learn(Replay::new(task, ReplaySettings::default()).unwrap(), frames),
        |task, frames| learn(Oled::new(task, |_| Settings::default()).unwrap(), frames),
    ];
    for learn in learners {
        // Where something relates people, only those are looked at.
        let (clean, events) = learn(&task(), &stream(false));
        assert!(!clean.rules.is_empty() && limited(&events).is_empty());
        let (crowded, events) = learn(&task(), &stream(true));
        assert!(crowded.theory() == clean.theory() && limited(&events).is_empty());
        let all = task_with("");
        let (clean, events) = learn(&all, &stream(false));
        assert!(!clean.rules.is_empty() && limited(&events).is_empty());
        let (crowded, events) = learn(&all, &stream(true));
        assert_eq!(crowded.theory(), clean.theory());
        assert_eq!(limited(&events), ["max_instances"], "told once");
        let remark = "4 time points were left out, one of them at time 30 of segment `s1`, which has 10000000000 instances: \
                      `max_instances` is 4000000";
        let told = crowded.remarks.iter().chain(&crowded.estimated);
        assert!(told.clone().any(|r| r == remark), "{:?}", told.collect::<Vec<_>>());
    }
}

#[test]
fn a_time_point_whose_background_takes_too_many_steps_is_left_out_and_that_is_told() {
    let background = "busy(X, T) :- near(X, _, T), near(Y, _, T), near(Z, _, T), Z != Z.
                      lively(X, T) :- busy(X, T). lively(X, T) :- happensAt(walking(X), T).";
    let modes = format!("{MODES} modeb(lively(+person, +time)).");
    let task = Task::parse(&Source::new("modes.lp", &modes), &Source::new("background.lp", background)).unwrap();
    let mut frames = Vec::new();
    for (time, people) in [(1, 2), (2, 60), (3, 2)] {
        let mut frame = Frame::new(Symbol::new("s1"), time);
        for i in 0..people {
            let near = format!("near(p{i}, p{}, {time})", i + 1);
            FactReader::default().read(&near, &mut frame.narrative).unwrap();
        }
        frames.push(frame);
    }
    let settings = ReplaySettings { max_steps: 1000, ..ReplaySettings::default() };
    let (learned, events) = learn(Replay::new(&task, settings).unwrap(), &frames);
    assert_eq!(limited(&events), ["max_steps"]);
    let told = |r: &String| {
        r.starts_with(
            "1 time points were left out, one of them at time 2 of segment `s1`, which has a rule that takes more",
        ) && r.contains("than 1000 steps, for `lively(_, _)` at background.lp:2:")
            && r.ends_with("`max_steps` is 1000")
    };
    assert!(learned.estimated.iter().any(told), "{:?}", learned.estimated);
}

#[test]
fn rules_and_literals_are_limited_and_that_is_told() {
    let frames = stream(false);
    let (free, _) = learn(replay(ReplaySettings::default()), &frames);
    assert!(free.rules.len() > 1);
    let (one, events) = learn(replay(ReplaySettings { max_rules: 1, ..ReplaySettings::default() }), &frames);
    assert_eq!(one.rules.len(), 1);
    assert!(one.remarks.iter().any(|r| r.contains("as many rules as `max_rules` allows, 1")), "{:?}", one.remarks);
    assert_eq!(limited(&events), ["max_rules"]);
    let (short, events) = learn(replay(ReplaySettings { max_literals: 1, ..ReplaySettings::default() }), &frames);
    assert!(short.rules.iter().all(|rule| rule.clause.body.len() == 1));
    assert!(short.remarks.iter().any(|r| r.contains("as many literals as `max_literals` allows, 1")));
    assert_eq!(limited(&events), ["max_literals"]);

    let settings = Settings { warmup: 0, prune_initiation: 0.0, prune_termination: 0.0, ..Settings::as_printed() };
    let (free, _) = learn(oled(&settings), &frames);
    let count = |learned: &Learned| learned.rules.len() + learned.left_out.len();
    assert!(count(&free) > 2, "{free:?}");
    let (one, events) = learn(oled(&Settings { max_rules: 1, ..settings }), &frames);
    assert!(count(&one) <= 2, "one for each head");
    assert!(limited(&events).contains(&"max_rules"), "{events:?}");
    assert!(one.remarks.iter().any(|r| r.contains("`max_rules` is 1")), "{:?}", one.remarks);
}
