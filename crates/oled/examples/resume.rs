//! Saves what a learner knows, and goes on elsewhere as if nothing had happened.
use oled::{Frame, Learner, Replay, ReplaySettings, Source, Task};

fn frame(time: i64) -> Frame {
    let mut frame = Frame::new("line".into(), time);
    frame.holds("seen", ["m1"]);
    if time % 7 == 1 {
        frame.happens("starts", ["m1"]);
    } else if time % 7 == 4 {
        frame.happens("halts", ["m1"]);
    }
    if (2..=4).contains(&(time % 7)) {
        frame.label("running", ["m1"]);
    }
    frame
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let modes = "input(happensAt(starts(+machine), +time)). input(happensAt(halts(+machine), +time)).
                 input(holdsAt(seen(+machine), +time)). example(holdsAt(running(+machine), +time)).
                 modeh(initiatedAt(running(+machine), +time)). modeh(terminatedAt(running(+machine), +time)).
                 modeb(happensAt(starts(+machine), +time)). modeb(happensAt(halts(+machine), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", ""))?;
    let make = || Replay::new(&task, ReplaySettings::default());

    let mut whole = make()?;
    (0..200).for_each(|time| whole.observe(&frame(time), &mut ()));

    let mut first = make()?;
    (0..120).for_each(|time| first.observe(&frame(time), &mut ()));
    let saved = first.save(&mut ()).expect("this learner can be saved");

    // Another process, later: `oled-data` has checkpoints that are files.
    let mut second = make()?;
    second.restore(&saved)?;
    (120..200).for_each(|time| second.observe(&frame(time), &mut ()));
    assert_eq!(second.learned(&mut ()), whole.learned(&mut ()));
    assert!(second.restore(b"damaged").is_err());
    Ok(())
}
