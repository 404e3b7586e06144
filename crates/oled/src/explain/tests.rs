//! Explanations of a few hand-made time points.

use super::*;
use crate::lang::{Source, parse_theory};
use crate::stream::FactReader;

#[test]
fn rules_tell_why_they_fired_and_what_was_in_their_way() {
    let modes = "input(happensAt(active(+person), +time)). input(coords(+person, +pixel, +time)). type(pixel, int).
                 example(holdsAt(meeting(+person, +person), +time)).";
    let background = "close(X, Y, T) :- coords(X, A, T), coords(Y, B, T), abs(A - B) < 5.";
    let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", background)).unwrap();
    let rules = "initiatedAt(meeting(X, Y), T) :- happensAt(active(X), T), close(X, Y, T), not happensAt(active(Y), T).
                 initiatedAt(meeting(X, Y), T) :- coords(X, A, T), A > 100.";
    let mut explainer = Explainer::new(&task, &parse_theory("t.lp", rules).unwrap()).unwrap();
    let mut frame = Frame::new(Symbol::new("s"), 7);
    for fact in ["happensAt(active(p1), 7)", "coords(p1, 10, 7)", "coords(p2, 12, 7)"] {
        FactReader::default().read(fact, &mut frame.narrative).unwrap();
    }
    let moment = explainer.observe(&frame);
    let holds = task.labels()[0];
    let mut ask = |values: [Value; 2]| -> Vec<String> {
        let text = |finding: &Finding| {
            let truth = |c: &Condition| c.truth.map_or("open".to_string(), |t| t.to_string());
            let conditions: Vec<String> =
                finding.conditions.iter().map(|c| format!("{} {}", c.literal, truth(c))).collect();
            format!("{} {}: {}", finding.rule, finding.fired, conditions.join(", "))
        };
        assert!(explainer.endings(&moment, holds, &values).is_empty());
        explainer.beginnings(Some(&moment), &moment, holds, &values).iter().map(text).collect()
    };
    assert_eq!(
        ask(["p1".into(), "p2".into()]),
        [
            "0 true: happensAt(active(p1), 7) true, close(p1, p2, 7) true, not happensAt(active(p2), 7) true",
            "1 false: coords(p1, 10, 7) true, 10 > 100 false",
        ]
    );
    assert_eq!(
        ask(["p2".into(), "p1".into()])[0],
        "0 false: happensAt(active(p2), 7) false, close(p2, p1, 7) true, not happensAt(active(p1), 7) false"
    );
    assert_eq!(
        ask(["p3".into(), "p1".into()])[1],
        "1 false: coords(p3, A, 7) false, A > 100 open",
        "without a place there is nothing to compare"
    );
    assert_eq!(explainer.unobserved(&moment, holds, &["p3".into(), "p1".into()]), ["p3".into()]);
    assert_eq!(explainer.conditions(1, &["p1".into(), "p2".into()])[0].to_string(), "coords(p1, A, T)");
}

#[test]
fn another_value_and_a_head_about_everyone_are_explained() {
    let modes = "input(happensAt(brakes(+car), +time)). input(happensAt(starts(+car), +time)).
                 input(holdsAt(seen(+car), +time)). example(holdsAt(near(+car, +car), +time)).";
    let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
    let rules = "initiatedAt(speed(X)=high, T) :- happensAt(starts(X), T).
                 initiatedAt(speed(X)=low, T) :- happensAt(brakes(X), T).
                 initiatedAt(near(X, Y), T) :- happensAt(brakes(X), T).";
    let mut explainer = Explainer::new(&task, &parse_theory("t.lp", rules).unwrap()).unwrap();
    let mut frame = Frame::new(Symbol::new("s"), 3);
    for fact in ["happensAt(brakes(c1), 3)", "holdsAt(seen(c1), 3)", "holdsAt(seen(c2), 3)"] {
        FactReader::default().read(fact, &mut frame.narrative).unwrap();
    }
    let moment = explainer.observe(&frame);
    let fluents: Vec<Signature> = explainer.recogniser().fluents().collect();
    let found = explainer.endings(&moment, fluents[0], &["c1".into(), "high".into()]);
    assert_eq!(found.iter().map(|f| (f.rule, f.fired)).collect::<Vec<_>>(), [(1, true)]);
    let mut near = |other: &str| {
        explainer.beginnings(Some(&moment), &moment, fluents[fluents.len() - 1], &["c1".into(), other.into()])
    };
    assert!(near("c2")[0].fired);
    let absent = near("c3");
    assert_eq!(absent[0].conditions[1].literal.to_string(), "car(c3, 3)");
}
