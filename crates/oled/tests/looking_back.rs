//! Looking back in time: small examples checked by hand, and how much is remembered.

use oled::explain::Explainer;
use oled::induce::Mask;
use oled::{
    FactReader, Frame, Oled, Recogniser, Settings, Signature, Source, Symbol, Task, Theory, Value, parse_theory,
};

const MODES: &str = "\
horizon(10).
input(happensAt(walks(+person), +time)).
input(happensAt(alarm, +time)).
input(at(+person, +place, +time)).
type(place, int).
example(found(+person, +time)).
example(holdsAt(busy(+person), +time)).
";

fn task() -> Task {
    Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap()
}

fn theory(text: &str) -> Theory {
    parse_theory("t.lp", text).unwrap()
}

fn frame(segment: &str, time: i64, facts: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new(segment), time);
    for fact in facts {
        let text = fact.replace(" T)", &format!(" {time})"));
        FactReader::default().read(&text, &mut frame.narrative).unwrap();
    }
    frame
}

/// Frames of one segment: `walks` at some of these times, and nothing at the others.
fn walk(times: &[i64], walks: &[i64]) -> Vec<Frame> {
    let facts = |t: &i64| if walks.contains(t) { vec!["happensAt(walks(p1), T)"] } else { Vec::new() };
    times.iter().map(|t| frame("s", *t, &facts(t))).collect()
}

/// The times, with the segment where it is not `s`, at which somebody is found.
fn found(task: &Task, rules: &str, frames: &[Frame]) -> Vec<String> {
    let mut task = task.clone();
    task.options.tracked = Some(Vec::new());
    let mut recogniser = Recogniser::new(&task, &theory(rules)).unwrap();
    let mut times = Vec::new();
    for frame in frames {
        recogniser.observe(frame, &mut Vec::new());
        let first = times.len();
        for (_, values) in recogniser.holding() {
            let segment = if frame.segment.as_str() == "s" { String::new() } else { format!("{} ", frame.segment) };
            times.push(format!("{segment}{}{}", frame.time, if values[0] == "p1".into() { "" } else { " p2" }));
        }
        times[first..].sort();
    }
    times
}

#[test]
fn ago_is_the_last_time_point_at_or_before() {
    let rules = "found(X, T) :- ago(happensAt(walks(X), T), 3).";
    // Without gaps it is exactly three time units ago.
    assert_eq!(found(&task(), rules, &walk(&[1, 2, 3, 4, 5, 6, 7], &[2, 4])), ["5", "7"]);
    // From 5 one looks at 1, from 6 too (3 is not there), from 9 at 6, at which nobody walks.
    assert_eq!(found(&task(), rules, &walk(&[1, 4, 5, 6, 9], &[1, 4])), ["4", "5", "6"]);
    // Nothing older than the horizon: from 11 it is 1, from 12 it would be.
    assert_eq!(found(&task(), rules, &walk(&[1, 11], &[1])), ["11"]);
    assert_eq!(found(&task(), rules, &walk(&[1, 12], &[1])), Vec::<String>::new());
}

#[test]
fn frames_ago_counts_time_points() {
    let rules = "found(X, T) :- frames_ago(happensAt(walks(X), T), 2).";
    assert_eq!(found(&task(), rules, &walk(&[1, 4, 5, 6, 9], &[1, 5])), ["5", "9"]);
    assert_eq!(found(&task(), rules, &walk(&[1, 2, 12], &[1])), Vec::<String>::new(), "1 is older than the horizon");
}

#[test]
fn lasting_is_without_a_break() {
    let walks = walk(&[1, 2, 4, 5, 6, 8, 10], &[1, 2, 4, 6, 8, 10]);
    let at_least = |units: i64| {
        found(&task(), &format!("found(X, T) :- lasting(happensAt(walks(X), T), D), D >= {units}."), &walks)
    };
    assert_eq!(at_least(0), ["1", "2", "4", "6", "8", "10"], "nobody walks at 5");
    assert_eq!(at_least(1), ["2", "4", "8", "10"]);
    assert_eq!(at_least(3), ["4", "10"]);
    // Whether or not it is remembered for something else, too.
    let both = "found(X, T) :- since(happensAt(walks(X), T), 0), lasting(happensAt(walks(X), T), D), D >= 3.";
    assert_eq!(found(&task(), both, &walks), ["4", "10"]);
    // It is the horizon when it is longer.
    let long: Vec<i64> = (1..=30).collect();
    let whole = "found(X, T) :- lasting(happensAt(walks(X), T), 10).";
    assert_eq!(found(&task(), whole, &walk(&long, &long)).len(), 20, "from 11 on");
}

#[test]
fn since_is_when_it_was_last_true() {
    let frames = walk(&[1, 2, 3, 5, 12, 13, 14], &[1, 3]);
    let since =
        |test: &str| found(&task(), &format!("found(X, T) :- since(happensAt(walks(X), T), D), {test}."), &frames);
    assert_eq!(since("D = 0"), ["1", "3"]);
    assert_eq!(since("D = 1"), ["2"]);
    assert_eq!(since("D <= 2"), ["1", "2", "3", "5"]);
    assert_eq!(since("D >= 9"), ["12", "13"], "and 14 is beyond the horizon");
    // A repetition: walks now, and walked before.
    let again = "found(X, T) :- happensAt(walks(X), T), frames_ago(walked(X, T), 1).
                 walked(X, T) :- since(happensAt(walks(X), T), D), D <= 5.";
    assert_eq!(found(&task(), again, &frames), ["3"]);
}

#[test]
fn last_is_what_was_true_most_recently() {
    let frames = [
        frame("s", 1, &["at(p1, 3, T)", "at(p2, 7, T)"]),
        frame("s", 2, &["happensAt(walks(p1), T)"]),
        frame("s", 4, &["at(p1, 5, T)", "at(p1, 6, T)"]),
        frame("s", 11, &["happensAt(alarm, T)"]),
        frame("s", 14, &[]),
        frame("s", 15, &[]),
    ];
    let last = |test: &str| found(&task(), &format!("found(X, T) :- {test}."), &frames);
    // A later place replaces an earlier one of the same person, and of no other.
    assert_eq!(last("last(at(X, P, T)), P = 3"), ["1", "2"]);
    assert_eq!(last("last(at(X, P, T)), P = 7"), ["1 p2", "2 p2", "4 p2", "11 p2"]);
    // Those of one time point are known together.
    assert_eq!(last("last(at(X, 5, T)), last(at(X, 6, T))"), ["4", "11", "14"], "and 15 is beyond the horizon");
    // With their age.
    assert_eq!(last("last(at(X, P, T), D), D >= 3"), ["4 p2", "11", "11 p2", "14"]);
    assert_eq!(last("last(at(X, P, T), 0)"), ["1", "1 p2", "4"]);
    assert_eq!(last("happensAt(alarm, T), last(at(X, P, T)), not last(at(X, P, T), 7)"), ["11 p2"]);
}

#[test]
fn what_is_known_of_one_thing_is_not_replaced_by_another() {
    // An alarm is no news of a bell, although neither has arguments; another value of a fluent is news.
    let modes = format!("{MODES}input(happensAt(bell, +time)). input(holdsAt(door(+person)=+way, +time)).");
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let frames = [
        frame("s", 1, &["at(p1, 3, T)", "happensAt(alarm, T)", "holdsAt(door(p1)=open, T)"]),
        frame("s", 2, &["at(p1, 3, T)", "happensAt(bell, T)"]),
        frame("s", 3, &["at(p1, 3, T)", "holdsAt(door(p1)=shut, T)"]),
    ];
    let last = |test: &str| found(&task, &format!("found(X, T) :- person(X, T), {test}."), &frames);
    assert_eq!(last("last(happensAt(alarm, T)), last(happensAt(bell, T))"), ["2", "3"]);
    assert_eq!(last("last(holdsAt(door(X)=open, T))"), ["1", "2"]);
    assert_eq!(last("last(holdsAt(door(X)=shut, T))"), ["3"]);
}

#[test]
fn of_an_exclusive_set_one_is_known() {
    let frames = [
        frame("s", 1, &["happensAt(walks(p1), T)", "happensAt(walks(p2), T)"]),
        frame("s", 2, &["happensAt(sits(p1), T)", "happensAt(on, T)"]),
        frame("s", 3, &["says(p1, hello, T)", "happensAt(off, T)", "happensAt(alarm, T)"]),
        frame("s", 4, &["says(p1, bye, T)", "happensAt(walks(p1), T)"]),
    ];
    let inputs = "input(happensAt(sits(+person), +time)). input(says(+person, +word, +time)).
        input(happensAt(on, +time)). input(happensAt(off, +time)). ";
    let last = |declared: &str, test: &str| {
        let modes = format!("{MODES}{inputs}{declared}");
        let background = Source::new("background.lp", "speaks(X, T) :- says(X, _, T).");
        let task = Task::parse(&Source::new("modes.lp", modes), &background).unwrap();
        found(&task, &format!("found(X, T) :- {test}."), &frames)
    };
    let walks = "last(happensAt(walks(X), T))";
    assert_eq!(last("", walks), ["1", "1 p2", "2", "2 p2", "3", "3 p2", "4", "4 p2"]);
    let movements = "exclusive(happensAt(walks(+person), +time), happensAt(sits(+person), +time)).";
    assert_eq!(last(movements, walks), ["1", "1 p2", "2 p2", "3 p2", "4", "4 p2"]);
    // What a rule defines may be one of them.
    let derived = "exclusive(happensAt(walks(+person), +time), speaks(+person, +time)).";
    assert_eq!(last(derived, walks), ["1", "1 p2", "2", "2 p2", "3 p2", "4", "4 p2"]);
    assert_eq!(last(derived, "last(speaks(X, T))"), ["3", "4"]);
    // Names that are values, and events without arguments.
    assert_eq!(last("", "last(says(X, hello, T))"), ["3", "4"]);
    assert_eq!(last("exclusive(says(+person, -word, +time)).", "last(says(X, hello, T))"), ["3"]);
    let switch = "exclusive(happensAt(on, +time), happensAt(off, +time)).";
    let is_on = "last(happensAt(on, T)), last(happensAt(walks(X), T), D), D > 0";
    assert_eq!(last("", is_on), ["2", "2 p2", "3", "3 p2", "4 p2"]);
    assert_eq!(last(switch, is_on), ["2", "2 p2"]);
    assert_eq!(last(switch, "happensAt(walks(X), T), last(happensAt(alarm, T)), last(happensAt(off, T))"), ["4"]);
}

#[test]
fn within_is_any_time_and_not_only_the_last() {
    let frames = walk(&[1, 2, 3, 5, 6, 12, 13, 20], &[1, 2, 5, 12]);
    let within =
        |a: i64, b: i64| found(&task(), &format!("found(X, T) :- within(happensAt(walks(X), T), {a}, {b})."), &frames);
    assert_eq!(within(0, 0), ["1", "2", "5", "12"]);
    assert_eq!(within(1, 1), ["2", "3", "6", "13"]);
    assert_eq!(within(1, 3), ["2", "3", "5", "6", "13"]);
    // At 12 it is true again, and at 5 it was true too.
    assert_eq!(within(4, 8), ["5", "6", "12", "13", "20"]);
    assert_eq!(within(9, 10), ["12"], "2, but not 5");
    // Between two time points at which it is true there is nothing that is.
    assert_eq!(within(2, 2), ["3"]);
    let not = "found(X, T) :- happensAt(walks(X), T), not within(happensAt(walks(X), T), 1, 4).";
    assert_eq!(found(&task(), not, &frames), ["1", "12"]);
}

#[test]
fn what_is_true_is_counted_and_added_up() {
    let frames = [
        frame("s", 1, &["at(p1, 3, T)", "at(p1, 5, T)", "at(p2, 7, T)"]),
        frame("s", 2, &["happensAt(walks(p1), T)"]),
        frame("s", 4, &["at(p1, 5, T)"]),
        frame("s", 6, &["happensAt(walks(p1), T)", "happensAt(walks(p2), T)"]),
        frame("s", 9, &[]),
    ];
    let rows = |test: &str| found(&task(), &format!("found(X, T) :- {test}."), &frames);
    // Now, and over a window; what is `_` is counted, and what has a name is what it is counted for.
    assert_eq!(rows("count(at(X, _, T), 2)"), ["1"]);
    assert_eq!(rows("count(at(X, _, T), 1)"), ["1 p2", "4"]);
    assert_eq!(rows("count(at(X, _, T), 3, N), N >= 3"), ["4"]);
    assert_eq!(rows("count(at(X, _, T), 5, 1)"), ["1 p2", "2 p2", "4 p2", "6 p2", "9"]);
    assert_eq!(rows("count(V, at(X, V, T), 3, 2)"), ["1", "2", "4"], "two different places");
    assert_eq!(rows("happensAt(walks(X), T), count(happensAt(walks(_), T), 4, 3)"), ["6", "6 p2"]);
    assert_eq!(rows("happensAt(walks(X), T), not count(at(X, _, T), 2, _)"), ["6 p2"]);
    assert_eq!(rows("sum(V, at(X, V, T), 3, 13)"), ["4"]);
    assert_eq!(rows("mean(V, at(X, V, T), 3, N), N > 4, N < 5"), ["4"], "13 / 3");
    assert_eq!(rows("min(V, at(X, V, T), 3, 3), max(V, at(X, V, T), 3, 5)"), ["1", "2", "4"]);
    assert_eq!(rows("max(V, at(X, V, T), 2, 5)"), ["1", "2", "4", "6"], "and 4 is too old at 9");
    // What is counted now needs no horizon.
    let modes = MODES.replace("horizon(10).", "");
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    assert_eq!(found(&task, "found(X, T) :- count(at(X, _, T), 2).", &frames), ["1"]);
}

#[test]
fn values_of_two_time_points_are_compared() {
    let rules = "found(X, T) :- at(X, P, T), ago(at(X, Q, T), 2), abs(P - Q) / 2 >= 3.";
    let places = [(1, 0), (2, 1), (3, 5), (4, 7), (5, 12)];
    let frames: Vec<Frame> = places.iter().map(|(t, p)| frame("s", *t, &[&format!("at(p1, {p}, T)")])).collect();
    assert_eq!(found(&task(), rules, &frames), ["4", "5"]);
}

#[test]
fn negation_is_that_it_was_not_so() {
    let rules = "found(X, T) :- happensAt(walks(X), T), not frames_ago(happensAt(walks(X), T), 1).";
    assert_eq!(found(&task(), rules, &walk(&[1, 2, 3, 4], &[1, 2, 4])), ["1", "4"]);
    let none = "found(X, T) :- happensAt(walks(X), T), not since(at(X, _, T), _).";
    assert_eq!(found(&task(), none, &walk(&[1, 2], &[2])), ["2"]);
}

#[test]
fn what_has_no_arguments_is_looked_back_at_too() {
    let rules = "found(X, T) :- happensAt(walks(X), T), since(happensAt(alarm, T), D), D <= 1.
                 quiet(T) :- lasting(calm(T), D), D >= 2.
                 calm(T) :- happensAt(walks(_), T), not happensAt(alarm, T).";
    let mut frames = walk(&[1, 2, 3, 4], &[1, 2, 3, 4]);
    FactReader::default().read("happensAt(alarm, 2)", &mut frames[1].narrative).unwrap();
    assert_eq!(found(&task(), rules, &frames), ["2", "3"]);
    let quiet = rules.replace("D <= 1", "quiet(T)").replace("since(happensAt(alarm, T), D)", "person(X, T)");
    assert_eq!(found(&task(), &quiet, &walk(&[1, 2, 3, 4], &[1, 2, 3, 4])), ["3", "4"]);
}

#[test]
fn a_segment_begins_without_a_past() {
    let rules = "found(X, T) :- since(happensAt(walks(X), T), D), D > 0.";
    let frames = [
        frame("a", 1, &["happensAt(walks(p1), T)"]),
        frame("a", 2, &[]),
        frame("b", 3, &[]),
        frame("a", 4, &[]),
        frame("b", 5, &["happensAt(walks(p2), T)"]),
        frame("b", 6, &[]),
        frame("a", 7, &[]),
    ];
    assert_eq!(found(&task(), rules, &frames), ["a 2", "b 6 p2"], "a segment ends when another begins");
    let mut mixed = task();
    mixed.options.interleaved = true;
    assert_eq!(found(&mixed, rules, &frames), ["a 2", "a 4", "b 6 p2", "a 7"], "and goes on if they are mixed");
    // Time that goes back is a new past, too.
    assert_eq!(found(&mixed, rules, &walk(&[5, 6, 1, 2], &[5])), ["6"]);
}

#[test]
fn nothing_is_before_what_is_initially_true() {
    let mut task = task();
    task.options.tracked = Some(Vec::new());
    for condition in
        ["ago(happensAt(walks(X), T), 1)", "since(happensAt(walks(X), T), _)", "lasting(happensAt(walks(X), T), 0)"]
    {
        let rules = format!(
            "initially(busy(X)) :- {condition}.\ninitially(busy(p0)) :- happensAt(walks(X), T), not {condition}."
        );
        let mut recogniser = Recogniser::new(&task, &theory(&rules)).unwrap();
        recogniser.observe(&walk(&[1], &[1])[0], &mut Vec::new());
        let busy: Vec<String> = recogniser.holding().map(|(_, values)| values[0].to_string()).collect();
        assert_eq!(busy, ["p0"], "{condition}");
    }
}

#[test]
fn a_fluent_may_end_by_how_long_it_has_held() {
    let rules = "initiatedAt(busy(X), T) :- happensAt(walks(X), T).
                 terminatedAt(busy(X), T) :- lasting(holdsAt(busy(X), T), D), D >= 3.
                 found(X, T) :- ago(terminatedAt(busy(X), T), 1).";
    let mut task = task();
    task.options.tracked = Some(Vec::new());
    let mut recogniser = Recogniser::new(&task, &theory(rules)).unwrap();
    let mut intervals = Vec::new();
    for frame in walk(&[1, 2, 3, 4, 5, 6, 7, 8], &[1]) {
        recogniser.observe(&frame, &mut intervals);
    }
    recogniser.finish(&mut intervals);
    let shown: Vec<String> = intervals.iter().map(|i| format!("{} {} {}", i.fluent(), i.first, i.last)).collect();
    assert_eq!(shown, ["busy(p1) 2 5", "found(p1) 6 6"]);
}

#[test]
fn what_is_remembered_is_bounded_by_the_horizon() {
    let rules = "found(X, T) :- ago(at(X, _, T), 10), frames_ago(at(X, _, T), 2).
                 found(X, T) :- since(at(X, P, T), D), lasting(happensAt(walks(X), T), D), P > 0.
                 found(X, T) :- within(at(X, P, T), 2, 9), last(at(X, Q, T)), P > Q, count(at(X, _, T), 9, P).";
    let mut recogniser = Recogniser::new(&task(), &theory(rules)).unwrap();
    for time in 1..=10_000 {
        let place = format!("at(p1, {time}, T)");
        recogniser.observe(&frame("s", time, &[&place, "happensAt(walks(p1), T)"]), &mut Vec::new());
        let (points, rows) = recogniser.remembered();
        assert!(points <= 11 && rows <= 12 + 11 + 10, "{points} time points, {rows} rows");
    }
    // Of time points that are far enough away for all rules, the last one is enough.
    let near = "found(X, T) :- ago(at(X, _, T), 2).";
    let mut recogniser = Recogniser::new(&task(), &theory(near)).unwrap();
    for time in 1..=100 {
        recogniser.observe(&frame("s", time, &["at(p1, 3, T)"]), &mut Vec::new());
        assert!(recogniser.remembered().0 <= 2);
    }
    recogniser.finish(&mut Vec::new());
    assert_eq!(recogniser.remembered(), (0, 0));
    // And rules that do not look back remember nothing.
    let mut recogniser = Recogniser::new(&task(), &theory("found(X, T) :- at(X, _, T).")).unwrap();
    recogniser.observe(&frame("s", 1, &["at(p1, 3, T)"]), &mut Vec::new());
    assert_eq!(recogniser.remembered(), (0, 0));
}

#[test]
fn another_theory_goes_on_with_what_is_remembered() {
    let mut task = task();
    task.options.tracked = Some(Vec::new());
    let one = theory("found(X, T) :- ago(happensAt(walks(X), T), 3), since(at(X, _, T), _).");
    let other = theory(
        "found(X, T) :- ago(at(X, _, T), 9).
         found(X, T) :- ago(happensAt(walks(X), T), 2), since(at(X, 1, T), D), D <= 5.",
    );
    let mut recogniser = Recogniser::new(&task, &one).unwrap();
    recogniser.observe(&frame("s", 1, &["happensAt(walks(p1), T)", "at(p1, 1, T)"]), &mut Vec::new());
    recogniser.adopt(&task, &other).unwrap();
    recogniser.observe(&frame("s", 4, &[]), &mut Vec::new());
    assert_eq!(recogniser.holding().count(), 1);
}

#[test]
fn learning_sees_the_same_past() {
    let modes = format!("{MODES}modeh(initiatedAt(busy(+person), +time)). modeb(walked(+person, +time)).");
    let background = "walked(X, T) :- person(X, T), since(happensAt(walks(X), T), D), D > 0, D <= 3.";
    let mut task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", background)).unwrap();
    let seen = |segment: &str, time: i64, walks: &[i64]| {
        let walk = if walks.contains(&time) { "happensAt(walks(p1), T)" } else { "at(p1, 2, T)" };
        frame(segment, time, &["at(p1, 1, T)", walk])
    };
    let one = |segment: &str, walks: &[i64]| (1..=8).map(|t| seen(segment, t, walks)).collect::<Vec<_>>();
    let mut frames = [one("a", &[2]), one("b", &[4, 5])].concat();
    // The time points at which `walked` is true, of those that have a next one.
    let walked = |task: &Task, frames: &[Frame]| {
        let mut learner = Oled::new(task, |_| Settings::default()).unwrap();
        let found = frames.iter().filter_map(|f| learner.propositionaliser().observe(f));
        let found = found.filter(|i| i.groups[0].iter().any(|instance| instance.fires(&Mask::of(0))));
        let mut times: Vec<String> = found.map(|i| format!("{}{}", i.segment, i.time)).collect();
        times.sort();
        times
    };
    // At 5 of the second somebody walks again, so the last time is now; 8 has no next one.
    let expected = ["a3", "a4", "a5", "b6", "b7"];
    assert_eq!(walked(&task, &frames), expected);
    task.options.interleaved = true;
    frames.sort_by_key(|frame| frame.time);
    assert_eq!(walked(&task, &frames), expected);
}

#[test]
fn explanations_show_the_time_points_looked_at() {
    let mut task = task();
    task.options.tracked = Some(Vec::new());
    let rules = "found(X, T) :- at(X, P, T), ago(at(X, Q, T), 2), P - Q > 3, not since(happensAt(alarm, T), _).
                 found(X, T) :- lasting(at(X, 5, T), D), D >= 1.
                 found(X, T) :- last(at(X, P, T)), within(at(X, Q, T), 1, 9), P > Q, last(at(X, P, T), 0), count(at(X, _, T), 4, 3).";
    let mut explainer = Explainer::new(&task, &theory(rules)).unwrap();
    let places = [(1, 0), (4, 5), (5, 6)];
    let frames = places.iter().map(|(t, p)| frame("s", *t, &[&format!("at(p1, {p}, T)")]));
    let moments: Vec<_> = frames.map(|frame| explainer.observe(&frame)).collect();
    let label: Signature = task.labels()[0];
    let person: [Value; 1] = ["p1".into()];
    let mut ask = |at: usize| -> Vec<String> {
        let findings = explainer.beginnings(None, &moments[at], label, &person).into_iter();
        let shown = findings.map(|finding| {
            let conditions = finding.conditions.iter().map(|c| {
                let at = c.looked_at.map(|t| format!(" at {t}")).unwrap_or_default();
                format!("{}{at} {:?}", c.literal, c.truth)
            });
            format!("{} {}", finding.fired, conditions.collect::<Vec<_>>().join("; "))
        });
        shown.collect()
    };
    assert_eq!(
        ask(2)[0],
        "true at(p1, 6, 5) Some(true); ago(at(p1, 0, 5), 2) at 1 Some(true); 6 - 0 > 3 Some(true); \
         not since(happensAt(alarm, 5), _) Some(true)"
    );
    assert_eq!(
        ask(2)[2],
        "true last(at(p1, 6, 5)) at 5 Some(true); within(at(p1, 0, 5), 1, 9) at 1 Some(true); 6 > 0 Some(true); \
         last(at(p1, 6, 5), 0) at 5 Some(true); count(at(p1, _, 5), 4, 3) Some(true)"
    );
    assert_eq!(ask(1)[1], "false lasting(at(p1, 5, 4), 0) at 4 Some(true); 0 >= 1 Some(false)");
    assert_eq!(
        ask(0)[0],
        "false at(p1, 0, 1) Some(true); ago(at(p1, Q, 1), 2) Some(false); 0 - Q > 3 None; \
         not since(happensAt(alarm, 1), _) Some(true)"
    );
}

#[test]
fn rules_that_look_back_are_printed_as_they_are_read() {
    let text = "found(X, T) :-\n    ago(at(X, P, T), 25),\n    not frames_ago(happensAt(walks(X), T), 3),\n    \
                lasting(holdsAt(busy(X), T), D),\n    since(at(X, P + 1, T), D),\n    \
                last(at(X, P, T)),\n    not last(at(X, 3, T), D),\n    within(at(X, P, T), 0, 9),\n    \
                not sum(V, at(X, V, T), 9, P),\n    count(at(X, _, T), P).\n";
    assert_eq!(theory(text).to_string(), text);
}
