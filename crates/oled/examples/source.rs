//! Frames from a source of one's own: whatever iterates over readings is a stream.
use oled::{Frame, Recogniser, Source, Task, Value, parse_theory};

/// What a sensor says.
struct Reading {
    room: &'static str,
    minute: i64,
    celsius: f64,
}

/// A sensor as a source of frames: there is no trait to implement.
fn frames(readings: impl Iterator<Item = Reading>) -> impl Iterator<Item = Frame> {
    readings.map(|Reading { room, minute, celsius }| {
        let mut frame = Frame::new("house".into(), minute);
        // A sensor that is broken says nothing.
        if let Some(celsius) = Value::real(celsius) {
            frame.fact("temp", [Value::from(room), celsius]);
        }
        frame
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let modes = "type(celsius, real). input(temp(+room, +celsius, +time)). example(holdsAt(hot(+room), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", ""))?;
    let rules = parse_theory("hot.lp", "holdsAt(hot(R), T) :- temp(R, C, T), C > 28.")?;
    let mut recogniser = Recogniser::new(&task, &rules)?;
    let readings = (0..30).map(|minute| Reading { room: "kitchen", minute, celsius: 20.0 + minute as f64 / 2.0 });
    let mut intervals = Vec::new();
    frames(readings).for_each(|frame| recogniser.observe(&frame, &mut intervals));
    // What lasts to the end is known when there is one.
    recogniser.finish(&mut intervals);
    let hot: Vec<String> = intervals.iter().map(|i| format!("{} {}-{}", i.fluent(), i.first, i.last)).collect();
    assert_eq!(hot, ["hot(kitchen) 17-29"]);
    Ok(())
}
