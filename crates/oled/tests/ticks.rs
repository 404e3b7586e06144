//! Ticks: time goes on where nothing arrives, as if a frame without facts had come; and quiet ones cost nothing.

use oled::testing::{deterministic, generate, naive, tasks};
use oled::{Every, Ticks};
use oled::{
    FactReader, Frame, Interval, Learner, Precedence, Recogniser, Replay, ReplaySettings, Source, Symbol, Task, Theory,
};
use proptest::prelude::*;

/// Frames with the ticks between them.
fn ticked(mut ticks: Ticks, frames: &[Frame]) -> Vec<Frame> {
    let mut all = Vec::new();
    for frame in frames {
        all.extend(std::iter::from_fn(|| ticks.before(frame)));
        all.push(frame.clone());
    }
    all
}

/// The intervals of a stream, sorted: at which tick one is told does not matter.
fn intervals(task: &Task, theory: &Theory, frames: &[Frame]) -> Vec<String> {
    let mut recogniser = Recogniser::new(task, theory).unwrap();
    let mut closed: Vec<Interval> = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut closed));
    recogniser.finish(&mut closed);
    let written = |i: &Interval| format!("{} {} {}..{} {}", i.segment, i.fluent(), i.first, i.last, i.end);
    let mut all: Vec<String> = closed.iter().map(written).collect();
    all.sort();
    all
}

fn task(modes: &str, background: &str) -> Task {
    Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap()
}

fn frame(time: i64, facts: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new("s"), time);
    for fact in facts {
        FactReader::default().read(&format!("{fact}, {time})"), &mut frame.narrative).unwrap();
    }
    frame
}

proptest! {
    #![proptest_config(deterministic(400))]

    #[test]
    fn ticks_that_are_left_out_change_nothing(
        background in generate::background(),
        candidates in generate::candidates(),
        theory in generate::theory(),
        frames in generate::frames(),
        (tracked, symmetric, interleaved) in any::<(bool, bool, bool)>(),
        both in prop::sample::select(&Precedence::ALL[..]),
        (apart, tick, idle) in (1..40_i64, 1..4_i64, any::<bool>()),
    ) {
        let modes = if symmetric { generate::symmetric_modes() } else { generate::modes() };
        let text = background + &candidates;
        let Ok(mut task) = Task::parse(&modes, &Source::new("background.lp", &*text)) else { return Ok(()) };
        (task.options.interleaved, task.options.both) = (interleaved, both);
        if !tracked {
            task.options.tracked = Some(Vec::new());
        }
        let theory = oled::parse_theory("theory.lp", &theory).unwrap();
        if task.check(&theory).is_err() {
            return Ok(());
        }
        let mut frames = frames;
        frames.iter_mut().for_each(|frame| frame.time *= apart);
        let every = if idle { Every::Idle(tick) } else { Every::Tick(tick) };
        let all = ticked(Ticks::new(&task, every), &frames);
        let some = ticked(Ticks::new(&task, every).skipping(task.settles(&theory)), &frames);
        prop_assert!(some.len() <= all.len());
        prop_assert_eq!(intervals(&task, &theory, &all), intervals(&task, &theory, &some), "{} {}", theory, text);
        // A tick is a frame like any other.
        if all.len() < 120 {
            let truth = naive::axioms(&task, &theory, &all).expect("the engine accepted it");
            let mut recogniser = Recogniser::new(&task, &theory).unwrap();
            for (frame, truth) in all.iter().zip(&truth) {
                recogniser.observe(frame, &mut Vec::new());
                let holding: naive::Atoms =
                    recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect();
                prop_assert_eq!(&holding, truth, "at {} of {}: {} {}", frame.time, frame.segment, theory, text);
            }
        }
    }
}

#[test]
fn a_million_quiet_ticks_cost_nothing_and_deadlines_are_met() {
    let modes = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)). horizon(20).";
    let task = task(modes, "");
    let rules = "initiatedAt(running(P), T) :- happensAt(starts(P), T).
        terminatedAt(running(P), T) :- happensAt(stops(P), T).
        initiatedAt(hot(P), T) :- happensAt(starts(P), T).
        terminatedAt(hot(P), T) :- lasting(holdsAt(hot(P), T), D), D >= 9.
        holdsAt(cold(P), T) :- holdsAt(running(P), T), not holdsAt(hot(P), T).";
    let theory = oled::parse_theory("t.lp", rules).unwrap();
    let frames = [frame(5, &["happensAt(starts(p1)"]), frame(3_000_000, &["happensAt(stops(p1)"])];
    let ticks = Ticks::new(&task, Every::Tick(1)).skipping(task.settles(&theory));
    let all = ticked(ticks, &frames);
    assert!(all.len() < 100, "{}", all.len());
    let expected =
        ["s cold(p1) 16..3000000 segment", "s hot(p1) 6..15 terminated", "s running(p1) 6..3000000 terminated"];
    assert_eq!(intervals(&task, &theory, &all), expected);
}

#[test]
fn what_depends_on_time_alone_is_looked_at_at_every_tick() {
    let modes = "input(happensAt(starts(+pump), +time)).";
    let settles = |rules: &str| task(modes, "").settles(&oled::parse_theory("t.lp", rules).unwrap());
    let starts = "initiatedAt(on(P), T) :- happensAt(starts(P), T).";
    assert_eq!(settles(starts).unwrap().levels, 0);
    assert_eq!(settles(&format!("{starts} initiatedAt(warm(P), T) :- holdsAt(on(P), T).")).unwrap().levels, 1);
    let late = format!("{starts} terminatedAt(on(P), T) :- pump(P, T), T > 100.");
    assert!(settles(&late).is_none(), "it ends at a tick that no event tells");
    let blinks = format!(
        "{starts} initiatedAt(lit(P), T) :- holdsAt(on(P), T), not holdsAt(lit(P), T).
        terminatedAt(lit(P), T) :- holdsAt(lit(P), T)."
    );
    assert!(settles(&blinks).is_none(), "it goes on and off for ever");
    let event = format!("{starts} initiatedAt(late(P), T) :- happensAt(starts(P), T), T > 100.");
    assert!(settles(&event).is_some(), "without an event it does not fire");
}

#[test]
fn labels_are_those_on_which_both_frames_agree() {
    let modes = "input(happensAt(starts(+pump), +time)). example(holdsAt(on(+pump), +time)).";
    let mut ticks = Ticks::new(&task(modes, ""), Every::Tick(5));
    let labelled = |time: i64, pumps: &[&str]| {
        let mut frame = frame(time, &["happensAt(starts(p1)"]);
        for pump in pumps {
            FactReader::default().read(&format!("holdsAt(on({pump}), {time})"), &mut frame.annotation).unwrap();
        }
        frame
    };
    assert!(ticks.before(&labelled(10, &["p1", "p2"])).is_none());
    let next = labelled(20, &["p2", "p3"]);
    let tick = ticks.before(&next).unwrap();
    let said: Vec<String> = tick.annotation.atoms(tick.time).map(|atom| atom.to_string()).collect();
    let expected = [
        "holdsAt(on(p1), 15)",
        "unknown(on(p1), 15)",
        "holdsAt(on(p2), 15)",
        "holdsAt(on(p3), 15)",
        "unknown(on(p3), 15)",
    ];
    assert_eq!(said, expected);
    // What is saved between two ticks goes on there.
    let mut again = Ticks::new(&task(modes, ""), Every::Tick(5));
    again.restore(&ticks.save()).unwrap();
    assert_eq!(again.before(&next), ticks.before(&next));
}

/// A frame with events and labels.
fn told(segment: usize, time: i64, events: &[&str], labels: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new(&format!("s{segment}")), time);
    for event in events {
        FactReader::default().read(&format!("happensAt({event}(p1), {time})"), &mut frame.narrative).unwrap();
    }
    for label in labels {
        FactReader::default().read(&format!("holdsAt({label}(p1), {time})"), &mut frame.annotation).unwrap();
    }
    frame
}

#[test]
fn a_log_with_gaps_is_learned_from() {
    let modes = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)).
        input(happensAt(hums(+pump), +time)). example(holdsAt(on(+pump), +time)).
        modeh(initiatedAt(on(+pump), +time)). modeh(terminatedAt(on(+pump), +time)).
        modeb(happensAt(starts(+pump), +time)). modeb(happensAt(stops(+pump), +time)). modeb(happensAt(hums(+pump), +time)).";
    let task = task(modes, "");
    let mut frames = Vec::new();
    for segment in 0..8 {
        let mut time = 0;
        for (event, labels) in
            [("hums", &[][..]), ("starts", &[]), ("hums", &["on"]), ("stops", &["on"]), ("hums", &[]), ("hums", &[])]
        {
            time += 5 + (segment as i64 * 7 + time) % 11;
            frames.push(told(segment, time, &[event], labels));
        }
    }
    let theory = learned_without_errors(&task, &frames);
    assert!(theory.contains("starts") && theory.contains("stops"), "{theory}");
}

/// The rules that are learned from frames with a tick at each time unit between them, which must fit all labels.
fn learned_without_errors(task: &Task, frames: &[Frame]) -> String {
    let mut learner = Replay::new(task, ReplaySettings::default()).unwrap();
    for frame in ticked(Ticks::new(task, Every::Tick(1)), frames) {
        learner.observe(&frame, &mut ());
    }
    let learned = learner.learned(&mut ());
    let theory = learned.theory().to_string();
    assert_eq!(learned.fits[0].counts.f1(), 1.0, "{theory}");
    theory
}

#[test]
fn how_long_something_lasts_is_learned_from_what_is_seen_before_and_after() {
    // It ends ten time units after its start, which no frame tells.
    let modes = "input(happensAt(starts(+pump), +time)). input(happensAt(hums(+pump), +time)).
        example(holdsAt(on(+pump), +time)). modeh(initiatedAt(on(+pump), +time)). modeh(terminatedAt(on(+pump), +time)).
        modeb(happensAt(starts(+pump), +time)). modeb(happensAt(hums(+pump), +time)). modeb(after(+pump, #units, +time)).
        comparison(after(+pump, #units, +time), 2, smaller). type(units, int). horizon(40).";
    let task = task(modes, "after(P, D, T) :- since(happensAt(starts(P), T), S), S >= D.");
    let mut frames = Vec::new();
    for segment in 0..40 {
        // Two frames while it is on, so that no event tells that it ends.
        let (start, number) = (5, segment as i64);
        let [first, second, third] = [1 + number % 5, 6 + number % 4, 11 + number * 3 % 13].map(|units| start + units);
        let on = |time: i64| if time > start && time <= start + 10 { &["on"][..] } else { &[] };
        for (time, event) in
            [(0, "hums"), (start, "starts"), (first, "hums"), (second, "hums"), (third, "hums"), (50, "hums")]
        {
            frames.push(told(segment, time, &[event], on(time)));
        }
    }
    let theory = learned_without_errors(&task, &frames);
    assert!(["after(X0, 9,", "after(X0, 10,", "after(X0, 9.5,"].iter().any(|rule| theory.contains(rule)), "{theory}");
}

/// A stream with gaps, learned from with all ticks, and without those at which nothing can change: the same is learned, and the
/// same is known of it.
fn learned_twice(task: &Task, every: Every, frames: &[Frame]) -> Option<[usize; 2]> {
    let quiet = task.settles(&Theory::default())?;
    let (Every::Tick(step) | Every::Idle(step)) = every;
    let all = ticked(Ticks::new(task, every), frames);
    let some = ticked(Ticks::new(task, every).skipping(Some(quiet)), frames);
    let mut looked_at_all = Replay::new(task, ReplaySettings::default()).unwrap();
    all.iter().for_each(|frame| looked_at_all.observe(frame, &mut ()));
    let mut skipping = Replay::new(task, ReplaySettings::default()).unwrap();
    assert!(skipping.skip_ticks(step));
    for (i, frame) in some.iter().enumerate() {
        if i % 5 == 2 {
            let saved = skipping.save(&mut ()).unwrap();
            skipping = Replay::new(task, ReplaySettings::default()).unwrap();
            skipping.skip_ticks(step);
            skipping.restore(&saved).unwrap();
        }
        skipping.observe(frame, &mut ());
    }
    let [one, other] = [&mut looked_at_all, &mut skipping].map(|learner| learner.learned(&mut ()));
    assert_eq!(one.theory().to_string(), other.theory().to_string());
    assert_eq!(format!("{:?}", one.fits), format!("{:?}", other.fits));
    assert_eq!(
        (one.interpretations, one.estimated, one.remarks),
        (other.interpretations, other.estimated, other.remarks)
    );
    Some([all.len(), some.len()])
}

proptest! {
    #![proptest_config(deterministic(40))]

    #[test]
    fn what_is_learned_does_not_depend_on_quiet_ticks(
        case in tasks::cases(),
        (apart, tick, idle) in (1..25_i64, 1..4_i64, any::<bool>()),
    ) {
        let task = case.task();
        let mut frames = case.frames;
        frames.iter_mut().for_each(|frame| frame.time *= apart);
        learned_twice(&task, if idle { Every::Idle(tick) } else { Every::Tick(tick) }, &frames);
    }
}

#[test]
fn a_million_quiet_ticks_cost_nothing_in_learning() {
    let modes = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)). horizon(20).
        example(holdsAt(on(+pump), +time)). modeh(initiatedAt(on(+pump), +time)). modeh(terminatedAt(on(+pump), +time)).
        modeb(happensAt(starts(+pump), +time)). modeb(happensAt(stops(+pump), +time)). modeb(idle(+pump, #int, +time)).
        comparison(idle(+pump, #int, +time), 2, smaller).";
    let task = task(modes, "idle(P, N, T) :- since(happensAt(starts(P), T), D), D >= N.");
    let mut frames = Vec::new();
    for hour in 0..12_i64 {
        let mut on = frame(hour * 4000, &["happensAt(starts(p1)"]);
        let mut off = frame(hour * 4000 + 1500, &["happensAt(stops(p1)"]);
        let label = format!("holdsAt(on(p1), {})", off.time);
        FactReader::default().read(&label, &mut off.annotation).unwrap();
        if hour > 0 {
            on.annotation = oled::Facts::default();
        }
        frames.extend([on, off]);
    }
    let [all, some] = learned_twice(&task, Every::Tick(1), &frames).unwrap();
    assert!(all > 40_000 && some < 3000, "{all} {some}");
}

/// Who looks back at some time points, or counts them, sees those that nothing happens at.
#[test]
fn what_counts_time_points_is_looked_at_at_every_tick() {
    let modes = "input(happensAt(starts(+pump), +time)). input(happensAt(stops(+pump), +time)). horizon(20).";
    let task = task(modes, "");
    let starts = "initiatedAt(on(P), T) :- happensAt(starts(P), T). terminatedAt(on(P), T) :- happensAt(stops(P), T).";
    let frames = [frame(5, &["happensAt(starts(p1)"]), frame(400, &["happensAt(stops(p1)"])];
    for (rule, settles) in [
        ("holdsAt(hot(P), T) :- ago(holdsAt(on(P), T), 7).", false),
        ("holdsAt(hot(P), T) :- count(holdsAt(on(P), T), 9, N), N > 4.", false),
        ("holdsAt(hot(P), T) :- within(holdsAt(on(P), T), 3, 8).", false),
        ("holdsAt(hot(P), T) :- frames_ago(pump(P, T), 2), holdsAt(on(P), T).", false),
        ("holdsAt(hot(P), T) :- lasting(holdsAt(on(P), T), D), D > 4.", true),
        ("holdsAt(hot(P), T) :- holdsAt(on(P), T), not ago(happensAt(starts(P), T), 3).", true),
    ] {
        let theory = oled::parse_theory("t.lp", &format!("{starts} {rule}")).unwrap();
        assert_eq!(task.settles(&theory).is_some(), settles, "{rule}");
        let all = ticked(Ticks::new(&task, Every::Tick(1)), &frames);
        let some = ticked(Ticks::new(&task, Every::Tick(1)).skipping(task.settles(&theory)), &frames);
        assert_eq!(intervals(&task, &theory, &all), intervals(&task, &theory, &some), "{rule}");
    }
}
