//! Recognises when a door is open, from the events that open and shut it.
use oled::{FactReader, Frame, Recogniser, Source, Symbol, Task, parse_theory};

fn main() {
    let modes = "input(happensAt(opens(+door), +time)).
                 input(happensAt(shuts(+door), +time)).
                 input(colour(+door, +colour, +time)).";
    let rules = "initiatedAt(open(D), T) :- happensAt(opens(D), T).
                 terminatedAt(open(D), T) :- happensAt(shuts(D), T).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let theory = parse_theory("open.lp", rules).unwrap();
    let mut recogniser = Recogniser::new(&task, &theory).unwrap();

    let mut intervals = Vec::new();
    for time in 1..=9 {
        let mut frame = Frame::new(Symbol::new("hall"), time);
        let mut fact = |text: &str| FactReader::default().read(text, &mut frame.narrative).unwrap();
        fact(&format!("colour(front, green, {time})"));
        if time == 2 {
            fact("happensAt(opens(front), 2)");
        } else if time == 7 {
            fact("happensAt(shuts(front), 7)");
        }
        recogniser.observe(&frame, &mut intervals);
    }

    // What a rule does at one time point is true from the next.
    let open = &intervals[0];
    assert_eq!(open.fluent().to_string(), "open(front)");
    assert_eq!((open.first, open.last), (3, 7));
}
