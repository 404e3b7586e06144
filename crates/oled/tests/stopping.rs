//! Work that ends early: by a limit of steps, which names the rule, and by an interrupt, after which the same frame is seen
//! again.

use oled::logic::Stop;
use oled::{CalculusOptions, FactReader, Frame, Interrupt, Interval, Recogniser, Source, Symbol, Task, parse_theory};

fn task(background: &str) -> Task {
    let modes = "input(val(+thing, +number, +time)). input(happensAt(starts(+thing), +time)).
                 input(happensAt(stops(+thing), +time)). type(number, int). horizon(10).";
    let mut task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap();
    task.options = CalculusOptions::default();
    task
}

/// A frame with so many things.
fn frame(segment: &str, time: i64, things: usize, events: &[&str]) -> Frame {
    let mut frame = Frame::new(Symbol::new(segment), time);
    let facts = (0..things).map(|i| format!("val(e{i}, {i}, {time})"));
    let facts = facts.chain(events.iter().map(|event| format!("happensAt({event}, {time})")));
    for fact in facts {
        FactReader::default().read(&fact, &mut frame.narrative).unwrap();
    }
    frame
}

/// Looks at the fourth power of the number of things, and derives nothing.
const JOIN: &str = "val(A, X, T), val(B, Y, T), val(C, Z, T), val(D, W, T), X + Y + Z + W < -5.";

fn recogniser(task: &Task, rules: &str) -> Recogniser {
    Recogniser::new(task, &parse_theory("join.lp", rules).unwrap()).unwrap()
}

#[test]
fn a_join_that_derives_nothing_is_bounded_and_its_rule_is_named() {
    let task = task("");
    let rules = format!("holdsAt(fine(A), T) :- val(A, 1, T).\n\nholdsAt(odd(A), T) :- {JOIN}");
    let frame = frame("main", 7, 30, &[]);
    let mut limited = recogniser(&task, &rules).with_max_steps(100_000);
    limited.observe(&frame, &mut Vec::new());
    let stop = limited.stop().expect("a join of 810000 rows takes more steps");
    assert_eq!(stop.to_string(), "the rule for `holdsAt(odd(_), _)` at join.lp:3:1 takes more than 100000 steps");
    let mut enough = recogniser(&task, &rules).with_max_steps(10_000_000);
    enough.observe(&frame, &mut Vec::new());
    assert_eq!(enough.stop(), None);
}

#[test]
fn an_interrupt_reaches_a_join() {
    let task = task(&format!("initially(odd(A)) :- {JOIN}"));
    for rules in [format!("holdsAt(even(A), T) :- {JOIN}"), "holdsAt(even(A), T) :- val(A, 1, T).".into()] {
        let interrupt = Interrupt::default();
        let mut recogniser = recogniser(&task, &rules).with_interrupt(interrupt.clone());
        interrupt.raise();
        recogniser.observe(&frame("main", 1, 20, &[]), &mut Vec::new());
        assert_eq!(recogniser.stop(), Some(&Stop::Interrupted), "{rules}");
        assert!(recogniser.open().is_empty(), "nothing has begun");
    }
}

#[test]
fn a_frame_that_was_interrupted_is_seen_again_as_if_it_had_not_been() {
    let task = task(
        "initially(idle(A)) :- val(A, 1, T).
         level(A, T) :- val(A, X, T), X < 3.",
    );
    let rules = format!(
        "holdsAt(odd(A), T) :- {JOIN}
         initiatedAt(on(A), T) :- happensAt(starts(A), T).
         terminatedAt(on(A), T) :- happensAt(stops(A), T).
         terminatedAt(idle(A), T) :- happensAt(starts(A), T).
         initiatedAt(long(A), T) :- lasting(level(A, T), D), D >= 2, since(happensAt(starts(A), T), E), E < 3.
         terminatedAt(long(A), T) :- ago(level(A, T), 1), happensAt(stops(A), T).
         holdsAt(both(A), T) :- holdsAt(on(A), T), holdsAt(long(A), T)."
    );
    let things = 18; // the fourth power is more than the steps between two looks at the interrupt
    let frames = [
        frame("one", 1, things, &["starts(e1)", "starts(e2)"]),
        frame("one", 2, things, &["starts(e17)"]),
        frame("one", 3, things, &["stops(e2)"]),
        frame("one", 4, things, &["starts(e2)"]),
        // The last thing is no longer observed.
        frame("one", 6, things - 1, &["stops(e1)", "starts(e16)"]),
        frame("two", 1, things, &["starts(e2)"]),
        frame("two", 2, things, &["stops(e2)"]),
        frame("two", 3, things, &[]),
    ];
    let run = |interrupted_at: Option<usize>| -> Vec<Interval> {
        let mut closed = Vec::new();
        let mut at_work = recogniser(&task, &rules);
        for (i, frame) in frames.iter().enumerate() {
            if interrupted_at == Some(i) {
                let interrupt = Interrupt::default();
                interrupt.raise();
                at_work = at_work.with_interrupt(interrupt);
                at_work.observe(frame, &mut closed);
                assert_eq!(at_work.stop(), Some(&Stop::Interrupted));
                assert!(at_work.open().iter().all(|interval| interval.first <= interval.last));
                let state = at_work.save();
                at_work = recogniser(&task, &rules);
                at_work.restore(&state).unwrap();
            }
            at_work.observe(frame, &mut closed);
            assert_eq!(at_work.stop(), None);
        }
        at_work.finish(&mut closed);
        closed
    };
    let whole = run(None);
    for name in ["on", "idle", "long", "both"] {
        assert!(whole.iter().any(|i| i.fluent().to_string().starts_with(name)), "`{name}` holds: {whole:?}");
    }
    for at in 0..frames.len() {
        assert_eq!(run(Some(at)), whole, "interrupted at frame {at}");
    }
}
