//! Learns when a door is open from labelled frames, and recognises it in others.
use oled::{Frame, Learner, Recogniser, Replay, ReplaySettings, Source, Task};

/// A door that opens at 3 and shuts at 8 of each ten: what is seen, and what is labelled.
fn frame(segment: &str, time: i64) -> Frame {
    let mut frame = Frame::new(segment.into(), time);
    frame.holds("seen", ["front"]);
    match time % 10 {
        3 => _ = frame.happens("opens", ["front"]),
        8 => _ = frame.happens("shuts", ["front"]),
        _ => {}
    }
    // What happens at one time point acts from the next on.
    if (4..=8).contains(&(time % 10)) {
        frame.label("open", ["front"]);
    }
    frame
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let modes = "input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)).
                 input(holdsAt(seen(+door), +time)). example(holdsAt(open(+door), +time)).
                 modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).
                 modeb(happensAt(opens(+door), +time)). modeb(happensAt(shuts(+door), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", ""))?;
    let mut learner = Replay::new(&task, ReplaySettings::default())?;
    for day in ["monday", "tuesday", "wednesday"] {
        (0..40).for_each(|time| learner.observe(&frame(day, time), &mut ()));
    }
    let theory = learner.learned(&mut ()).theory();
    assert!(theory.to_string().contains("initiatedAt(open(X0), T) :-\n    happensAt(opens(X0), T)."), "{theory}");

    let mut recogniser = Recogniser::new(&task, &theory)?;
    let mut intervals = Vec::new();
    (0..20).for_each(|time| recogniser.observe(&frame("thursday", time), &mut intervals));
    assert_eq!((intervals[0].first, intervals[0].last), (4, 8));
    Ok(())
}
