//! The running example of Section 4.2 of the paper, step by step, and its table of actions.

use oled::event::{Event, EventKind};
use oled::induce::{ExpandWhen, RuleKind};
use oled::{FactReader, Frame, Learner, Oled, Settings, Source, Symbol, Task};

const MODES: &str = "
    input(happensAt(walking(+person), +time)).
    input(happensAt(inactive(+person), +time)).
    modeh(initiatedAt(moving(+person, +person), +time)).
    modeh(terminatedAt(moving(+person, +person), +time)).
    modeb(happensAt(walking(+person), +time)).
    modeb(happensAt(inactive(+person), +time)).
    example(holdsAt(moving(+person, +person), +time)).
";

fn learner(settings: &Settings) -> Oled {
    let task = Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap();
    Oled::new(&task, |_| settings.clone()).unwrap()
}

/// A frame in which both people do the same.
fn frame(time: i64, movement: &str, moving: bool) -> Frame {
    let mut frame = Frame::new(Symbol::new("video"), time);
    let mut reader = FactReader::default();
    for person in ["id1", "id2"] {
        reader.read(&format!("happensAt({movement}({person}), {time})"), &mut frame.narrative).unwrap();
    }
    if moving {
        for (x, y) in [("id1", "id2"), ("id2", "id1")] {
            reader.read(&format!("holdsAt(moving({x}, {y}), {time})"), &mut frame.annotation).unwrap();
        }
    }
    frame
}

fn learn(learner: &mut Oled, frames: impl IntoIterator<Item = Frame>) -> Vec<Event> {
    let mut events = Vec::new();
    for frame in frames {
        learner.observe(&frame, &mut events);
    }
    learner.theory(&mut events);
    events
}

/// The numbers of rules of `L_init` and `L_term`.
fn rules(learner: &mut Oled) -> (usize, usize) {
    let mut count = |kind| learner.processes().iter().find(|p| p.kind == kind).unwrap().rules.len();
    (count(RuleKind::Initiation), count(RuleKind::Termination))
}

#[test]
fn moving_begins_at_10_and_ends_at_21() {
    // No pruning, so that the steps can be followed.
    let mut settings = Settings::as_printed();
    settings.set("pruning", "none").unwrap();
    let mut learner = learner(&settings);

    // Both processes start with empty hypotheses, and nothing happens before 9.
    assert!(learn(&mut learner, (1..=9).map(|t| frame(t, "walking", false))).is_empty());
    assert_eq!(rules(&mut learner), (0, 0));

    // Moving holds at 10 and not at 9: a false negative for L_init, which expands its theory. L_term takes no action.
    let events = learn(&mut learner, [frame(10, "walking", true)]);
    assert_eq!(rules(&mut learner), (1, 0));
    assert!(
        matches!(&events[..], [Event { process: 0, what: EventKind::Started { bottom }, .. }] if bottom.body.len() == 2)
    );

    // It persists from 10 to 20.
    assert!(learn(&mut learner, (11..=20).map(|t| frame(t, "walking", true))).is_empty());

    // Moving holds at 20 and not at 21: a false positive for L_term, which expands its theory. The initiation clause,
    // which is over-general, re-initiates at 20: a false positive for L_init, charged to the clause.
    let process = learner.processes()[0].clone();
    let before = process.rules[0].counts(RuleKind::Initiation, &process.settings);
    let events = learn(&mut learner, [frame(21, "inactive", false)]);
    assert_eq!(rules(&mut learner), (1, 1));
    assert!(matches!(&events[..], [Event { process: 1, what: EventKind::Started { .. }, .. }]));
    let process = &learner.processes()[0];
    let after = process.rules[0].counts(RuleKind::Initiation, &process.settings);
    assert_eq!((after.tp, after.fp), (before.tp, before.fp + 2), "both orders of the pair");
}

/// What a process does about one interpretation: starts a rule, tests its rules, or neither.
#[derive(Debug, PartialEq)]
enum Action {
    TheoryExpansion,
    ClauseExpansion,
    None,
}

/// The action of a process on an interpretation with an outcome, when it has no rule, or one that fires on everything.
fn action(kind: RuleKind, now: bool, next: bool, with_rule: bool) -> Action {
    let mut settings = Settings::as_printed();
    settings.set("pruning", "none").unwrap();
    settings.expand = ExpandWhen::Errs;
    let mut learner = learner(&settings);
    if with_rule {
        let theory = oled::parse_theory(
            "start.lp",
            "initiatedAt(moving(X, Y), T) :- happensAt(walking(X), T). terminatedAt(moving(X, Y), T) :- happensAt(walking(X), T).",
        )
        .unwrap();
        learner.start_from(&theory).unwrap();
    }
    let process = learner.processes().iter().position(|p| p.kind == kind).unwrap();
    let events = learn(&mut learner, [frame(1, "walking", now), frame(2, "walking", next)]);
    if events.iter().any(|e| e.process == process && matches!(e.what, EventKind::Started { .. })) {
        Action::TheoryExpansion
    } else if learner.processes()[process].tests() > 0 {
        Action::ClauseExpansion
    } else {
        Action::None
    }
}

#[test]
fn the_table_of_actions() {
    use Action::{ClauseExpansion, TheoryExpansion};
    use RuleKind::{Initiation, Termination};
    // L_init, FP: an initiation rule fires where the fluent does not hold next (case 2b).
    assert_eq!(action(Initiation, true, false, true), ClauseExpansion);
    // L_init, FN: no initiation rule fires where it should (case 1a).
    assert_eq!(action(Initiation, false, true, false), TheoryExpansion);
    // L_term, FP: no termination rule fires where the fluent ends (case 2a).
    assert_eq!(action(Termination, true, false, false), TheoryExpansion);
    // L_term, FN: a termination rule fires where the fluent goes on (case 1b).
    assert_eq!(action(Termination, true, true, true), ClauseExpansion);
    // And nothing where nothing failed.
    assert_eq!(action(Initiation, false, false, false), Action::None);
    assert_eq!(action(Initiation, true, true, true), Action::None);
    assert_eq!(action(Termination, false, true, false), Action::None);
    assert_eq!(action(Termination, true, false, true), Action::None);
}

#[test]
fn what_the_annotation_does_not_know_counts_for_nothing() {
    let mut learner = learner(&Settings::as_printed());
    let mut unknown = frame(2, "walking", false);
    FactReader::default().read("unknown(moving(id1, id2), 2)", &mut unknown.annotation).unwrap();
    FactReader::default().read("holdsAt(moving(id2, id1), 2)", &mut unknown.annotation).unwrap();
    learn(&mut learner, [frame(1, "walking", false), unknown]);
    let process = &learner.processes()[0];
    assert_eq!(process.stream.covered(&oled::induce::Mask::EMPTY).total(), 1, "only the other order of the pair");
}

#[test]
fn ordinary_predicates_are_learned_where_they_are_annotated() {
    let modes = "
        input(happensAt(beeps(+card), +time)). input(amount(+card, +money, +time)). type(money, int). type(limit, int).
        modeh(fraud(+card, +time)). modeb(happensAt(beeps(+card), +time)). modeb(over(+card, #limit, +time)).
        example(fraud(+card, +time)). comparison(over(+card, #limit, +time), 2, smaller).";
    let background = "limit(10). limit(100). over(C, L, T) :- amount(C, A, T), limit(L), A > L.";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap();
    let mut settings = Settings::default();
    settings.set("prune", "0.9").unwrap();
    let mut learner = Oled::new(&task, |_| settings.clone()).unwrap();
    let mut reader = FactReader::default();
    let frames = (0..400).map(|time| {
        let mut frame = Frame::new(Symbol::new("bank"), time);
        let amount = time * 37 % 200;
        let facts =
            [format!("amount(c{}, {amount}, {time})", time % 3), format!("happensAt(beeps(c{}), {time})", time % 3)];
        for fact in &facts[..if time % 2 == 0 { 2 } else { 1 }] {
            reader.read(fact, &mut frame.narrative).unwrap();
        }
        if amount > 100 && time % 2 == 0 {
            reader.read(&format!("fraud(c{}, {time})", time % 3), &mut frame.annotation).unwrap();
        }
        frame
    });
    learn(&mut learner, frames);
    let theory = learner.learned(&mut ()).theory().to_string();
    assert_eq!(theory, "fraud(X0, T) :-\n    happensAt(beeps(X0), T),\n    over(X0, 100, T).\n");
}
