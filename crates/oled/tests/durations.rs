//! Durations: short intervals are not reported, and what is counted is what is reported; long ones are ended.

use oled::evaluate::{Recognised, Track};
use oled::lang::{Durations, Symmetries};
use oled::testing::deterministic;
use oled::{
    Evaluation, FactReader, Frame, Interval, Recogniser, Signature, Source, Symbol, Task, Tracks, Value, parse_theory,
};
use proptest::prelude::*;

const MODES: &str = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)).
    input(happensAt(hums(+pump), +time)).
    example(holdsAt(on(+pump), +time)). example(holdsAt(loud(+pump), +time)). example(holdsAt(tired(+pump), +time)).
    horizon(6).";
const RULES: &str = "initiatedAt(on(P), T) :- happensAt(starts(P), T).
    terminatedAt(on(P), T) :- happensAt(stops(P), T).
    holdsAt(loud(P), T) :- happensAt(hums(P), T), not happensAt(stops(P), T).
    initiatedAt(tired(P), T) :- holdsAt(on(P), T).
    terminatedAt(tired(P), T) :- not holdsAt(on(P), T).";

fn task(more: &str) -> Task {
    let modes = Source::new("modes.lp", format!("{MODES} {more}"));
    Task::parse(&modes, &Source::new("background.lp", "")).unwrap_or_else(|problems| panic!("{problems}"))
}

fn frame(segment: &str, time: i64, events: &[&str], labels: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new(segment), time);
    for event in events {
        FactReader::default().read(&format!("happensAt({event}, {time})"), &mut frame.narrative).unwrap();
    }
    for label in labels {
        FactReader::default().read(&label.replace('T', &time.to_string()), &mut frame.annotation).unwrap();
    }
    frame
}

/// What holds at a frame, said in hindsight.
struct InHindsight<'i> {
    symmetries: Symmetries,
    durations: Durations,
    holding: Vec<&'i Interval>,
}

impl Recognised for InHindsight<'_> {
    fn symmetries(&self) -> &Symmetries {
        &self.symmetries
    }

    fn durations(&self) -> &Durations {
        &self.durations
    }

    fn since(&self, signature: Signature, values: &[Value]) -> Option<i64> {
        self.holding.iter().find(|i| i.signature == signature && *i.values == *values).map(|i| i.first)
    }

    fn holding(&self) -> impl Iterator<Item = (Signature, &[Value])> {
        self.holding.iter().map(|i| (i.signature, &*i.values))
    }
}

proptest! {
    #![proptest_config(deterministic(400))]

    #[test]
    fn what_is_counted_is_what_is_reported(
        // For each frame: the step, which segment, what happens, what is labelled, and what of that is not known.
        points in prop::collection::vec((1..4_i64, any::<bool>(), any::<[bool; 3]>(), any::<[bool; 2]>(), 0..8_u8), 1..40),
        (least, louder) in (1..9_i64, 1..5_i64),
        interleaved in any::<bool>(),
    ) {
        let mut time = 0;
        let mut frames: Vec<Frame> = points
            .iter()
            .map(|(step, second, [starts, stops, here], [on, loud], unknown)| {
                time += step;
                let events = [("hums(p1)", *here), ("hums(p2)", true), ("starts(p1)", *starts), ("stops(p1)", *stops && !*loud)];
                let labels = [
                    ("holdsAt(on(p1), T)", *on), ("holdsAt(loud(p1), T)", *loud), ("holdsAt(loud(p2), T)", *loud || *on),
                    ("unknown(on(p1), T)", *unknown == 0), ("unknown(loud(p1), T)", *unknown == 1),
                ];
                let [events, labels] = [&events[..], &labels[..]]
                    .map(|all| all.iter().filter(|(_, is)| *is).map(|(text, _)| *text).collect::<Vec<_>>());
                frame(if *second { "a" } else { "b" }, time, &events, &labels)
            })
            .collect();
        let declared = format!("min_duration(on/1, {least}). min_duration(loud/1, {louder}).");
        let (mut plain, mut task) = (task(""), task(&declared));
        (plain.options.interleaved, task.options.interleaved) = (interleaved, interleaved);
        if !interleaved {
            frames.sort_by_key(|frame| frame.segment.as_str().to_string());
        }
        let theory = parse_theory("t.lp", RULES).unwrap();
        let intervals = |task: &Task| {
            let (mut recogniser, mut found) = (Recogniser::new(task, &theory).unwrap(), Vec::new());
            frames.iter().for_each(|frame| recogniser.observe(frame, &mut found));
            recogniser.finish(&mut found);
            found
        };
        let names: Vec<Signature> = task.labels();
        let is_long = |i: &Interval| {
            let least = match () { () if i.signature == names[0] => least, () if i.signature == names[1] => louder, () => 0 };
            i.last - i.first >= least
        };
        let expected: Vec<Interval> = intervals(&plain).into_iter().filter(is_long).collect();
        prop_assert_eq!(intervals(&task), expected.clone());

        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let (mut counted, mut plainly) = (Evaluation::new(&names), Evaluation::new(&names));
        let (mut tracks, mut plain_tracks) = (Tracks::new(&names), Tracks::new(&names));
        for frame in &frames {
            recogniser.observe(frame, &mut Vec::new());
            counted.count(&recogniser, frame);
            tracks.add(&recogniser, frame);
            // A run that goes on from what was saved goes on as if it had not been.
            let (mut again, mut counts) = (Recogniser::new(&task, &theory).unwrap(), Evaluation::new(&names));
            again.restore(&recogniser.save()).unwrap();
            counts.restore(&counted.save()).unwrap();
            (recogniser, counted) = (again, counts);
            let is_here = |i: &&Interval| i.segment == frame.segment && (i.first..=i.last).contains(&frame.time);
            let (symmetries, durations) = (plain.bias.symmetries(), Durations::default());
            let hindsight = InHindsight { symmetries, durations, holding: expected.iter().filter(is_here).collect() };
            plainly.count(&hindsight, frame);
            plain_tracks.add(&hindsight, frame);
        }
        prop_assert_eq!(counted.by_fluent(), plainly.by_fluent());
        for name in ["on", "loud", "tired"] {
            let [mut one, mut other] = [&counted, &plainly].map(|e| e.of_fluent(Symbol::new(name)));
            one.sort_keys();
            other.sort_keys();
            prop_assert_eq!(one, other);
        }
        let of = |tracks: &Tracks| -> Vec<(String, Track)> {
            // An instance that is neither labelled nor reported is nothing.
            let some = tracks.iter().filter(|(.., track)| **track != Track::default());
            let mut all: Vec<_> = some.map(|(s, signature, values, t)| (format!("{s} {signature} {values:?}"), t.clone())).collect();
            all.sort_by(|a, b| a.0.cmp(&b.0));
            all
        };
        prop_assert_eq!(of(&tracks), of(&plain_tracks));
    }

    #[test]
    fn what_has_lasted_so_long_ends(
        points in prop::collection::vec((1..5_i64, any::<[bool; 2]>()), 1..30),
        most in 1..7_i64,
    ) {
        let task = task(&format!("max_duration(on/1, {most})."));
        let theory = parse_theory("t.lp", RULES).unwrap();
        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let (mut time, mut since) = (0, None);
        for (step, [starts, stops]) in points {
            time += step;
            let events = [("hums(p1)", true), ("starts(p1)", starts), ("stops(p1)", stops)];
            let events: Vec<&str> = events.iter().filter(|(_, is)| *is).map(|(event, _)| *event).collect();
            recogniser.observe(&frame("s", time, &events, &[]), &mut Vec::new());
            // What was started at the time point before holds from this one on.
            let holds: Option<i64> = since.map(|first: Option<i64>| first.unwrap_or(time));
            prop_assert_eq!(recogniser.since(task.labels()[0], &["p1".into()]), holds);
            let ends = stops || holds.is_some_and(|first| time - first >= most);
            since = if starts { Some(holds) } else { holds.filter(|_| !ends).map(Some) };
        }
    }
}

#[test]
fn fluents_with_values_and_without_arguments_have_durations_too() {
    let modes = "input(happensAt(calls(+who), +time)). input(happensAt(clock, +time)).
        example(holdsAt(state(+who)=#mood, +time)). example(holdsAt(alarm, +time)). example(late(+who, +time)).
        type(mood, symbol). horizon(9).
        min_duration(alarm/0, 3). min_duration(late/1, 2). max_duration(state/1, 2).";
    let background = "mood(calm). mood(cross).";
    let mut task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap();
    task.options.tracked = Some(Vec::new());
    let rules = "initiatedAt(state(W)=calm, T) :- happensAt(calls(W), T).
        holdsAt(alarm, T) :- holdsAt(state(_)=calm, T).
        late(W, T) :- holdsAt(state(W)=calm, T).";
    let found = |calls: &[i64]| -> Vec<String> {
        let mut recogniser = Recogniser::new(&task, &parse_theory("t.lp", rules).unwrap()).unwrap();
        let mut found = Vec::new();
        for time in 1..12 {
            let events = if calls.contains(&time) { &["calls(ann)", "clock"][..] } else { &["clock"] };
            recogniser.observe(&frame("s", time, events, &[]), &mut found);
        }
        found.iter().map(|i| format!("{} {}..{}", i.fluent(), i.first, i.last)).collect()
    };
    assert_eq!(found(&[2]), ["state(ann)=calm 3..5", "late(ann) 3..5"]);
    assert_eq!(found(&[2, 5]), ["state(ann)=calm 3..6", "alarm 3..6", "late(ann) 3..6"], "a start wins");
}

#[test]
fn wrong_durations_are_told() {
    let told = |declared: &str, rules: &str| {
        let modes = Source::new("modes.lp", format!("{MODES}\n{declared}"));
        match Task::parse(&modes, &Source::new("background.lp", "")) {
            Err(problems) => problems.to_string(),
            Ok(task) => Recogniser::new(&task, &parse_theory("t.lp", rules).unwrap()).unwrap_err().to_string(),
        }
    };
    for (declared, expected) in [
        ("min_duration(on/1, 0).", "a duration is a whole number of time units, at least 1, not `0`"),
        ("min_duration(on, 5).", "is about a fluent and the number of its arguments, not `on`"),
        ("max_duration(on/1).", "`max_duration` has 2 parts, here 1"),
        ("min_duration(on/1, 5). min_duration(on/1, 6).", "`min_duration` of `on/1` is declared twice"),
        ("min_duration(onn/1, 5).", "no fluent `onn/1` is labelled or defined"),
        ("min_duration(on/2, 5).", "count the arguments"),
        ("max_duration(on/1, 50).", "looks back 50 time units, further than the horizon of 6"),
        ("max_duration(loud/1, 5).", "loud(_)"),
    ] {
        let told = told(declared, RULES);
        assert!(told.contains(expected) && told.contains("hint:") && told.contains("modes.lp:5"), "{declared}\n{told}");
    }
}
