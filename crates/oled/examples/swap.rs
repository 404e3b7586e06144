//! Other rules while the stream goes on: what holds by rules that are the same goes on holding.
use oled::{End, Frame, Recogniser, Source, Task, parse_theory};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let modes = "input(happensAt(enters(+person), +time)). input(happensAt(leaves(+person), +time)).
                 input(happensAt(sits(+person), +time)). input(holdsAt(seen(+person), +time)).
                 example(holdsAt(inside(+person), +time)). example(holdsAt(resting(+person), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", ""))?;
    let inside = "initiatedAt(inside(P), T) :- happensAt(enters(P), T).
                  terminatedAt(inside(P), T) :- happensAt(leaves(P), T).";
    let old = parse_theory("old.lp", &format!("{inside} initiatedAt(resting(P), T) :- happensAt(sits(P), T)."))?;
    let new = parse_theory("new.lp", &format!("{inside} holdsAt(resting(P), T) :- happensAt(sits(P), T)."))?;

    let mut recogniser = Recogniser::new(&task, &old)?;
    let mut ended = Vec::new();
    for time in 0..5 {
        let mut frame = Frame::new("house".into(), time);
        frame.holds("seen", ["ann"]);
        if time == 1 {
            frame.happens("enters", ["ann"]).happens("sits", ["ann"]);
        }
        recogniser.observe(&frame, &mut ended);
    }
    assert!(ended.is_empty() && recogniser.holding().count() == 2);

    // `inside` means the same to both, `resting` does not.
    let goes_on = recogniser.reload(&task, (&old, &new), &mut ended)?;
    assert_eq!(goes_on.iter().map(|(_, same)| *same).collect::<Vec<_>>(), [true, false]);
    assert_eq!((ended[0].fluent().to_string().as_str(), ended[0].end), ("resting(ann)", End::Reloaded));
    assert_eq!(recogniser.open()[0].first, 2, "whoever came in before is inside since then");
    Ok(())
}
