//! Says why something was recognised: which rule fired, at which time point, with which conditions.
use oled::explain::Explainer;
use oled::{Frame, Source, Task, Value, parse_theory};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let modes = "type(celsius, real). input(temp(+room, +celsius, +time)). example(holdsAt(warm(+room), +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", ""))?;
    let rules = parse_theory(
        "warm.lp",
        "initiatedAt(warm(R), T) :- temp(R, C, T), C > 24.
         terminatedAt(warm(R), T) :- temp(R, C, T), C < 20.",
    )?;
    let warm = task.labels()[0];
    let mut explainer = Explainer::new(&task, &rules)?;
    let mut before = None;
    let mut why = Vec::new();
    for (time, celsius) in [(1, 21), (2, 25), (3, 22), (4, 19), (5, 19)] {
        let mut frame = Frame::new("house".into(), time);
        frame.fact("temp", [Value::from("attic"), Value::from(celsius)]);
        let now = explainer.observe(&frame);
        let began = explainer.recogniser().since(warm, &["attic".into()]) == Some(time);
        if began {
            for finding in explainer.began(before.as_ref(), &now, warm, &["attic".into()]) {
                let conditions: Vec<String> = finding.conditions.iter().map(|c| c.literal.to_string()).collect();
                why.push(format!("rule {} at {}: {}", finding.rule + 1, finding.time, conditions.join(", ")));
            }
        }
        before = Some(now);
    }
    // Rule 1 fired at 2, so it is warm from 3 on.
    assert_eq!(why, ["rule 1 at 2: temp(attic, 25, 2), 25 > 24"]);
    Ok(())
}
