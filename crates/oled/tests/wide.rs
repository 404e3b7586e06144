//! Tables of a thousand literals and more: rules of literals with high numbers are found, states are read back, and the
//! largest table there may be is told.

use std::fmt::Write as _;

use oled::induce::{Score, Seeds};
use oled::{
    FactReader, Frame, Learner, Oled, Replay, ReplaySettings, Settings, Source, Symbol, Task, Theory, parse_theory,
};

/// So many kinds of events, the last few of which are frequent and may also be required not to happen.
const EVENTS: usize = 1000;
const NEGATED: usize = 10;

/// A door opens when event 977 happens and 995 does not, and shuts when 942 happens.
const PLANTED: &str = "
    initiatedAt(open(X0), T) :- happensAt(e977(X0), T), not happensAt(e995(X0), T).
    terminatedAt(open(X0), T) :- happensAt(e942(X0), T).
";

fn task() -> Task {
    let mut modes = "input(door(+door, +time)). example(holdsAt(open(+door), +time)).
        modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time))."
        .to_string();
    for event in 0..EVENTS {
        let _ = write!(modes, "input(happensAt(e{event}(+door), +time)). modeb(happensAt(e{event}(+door), +time)).");
    }
    for event in EVENTS - NEGATED..EVENTS {
        let _ = write!(modes, "modeb(not happensAt(e{event}(+door), +time)).");
    }
    Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap()
}

/// Doors at which many things happen, of which few matter.
fn stream() -> Vec<Frame> {
    let mut state = 7_u64;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % n
    };
    let mut frames = Vec::new();
    for segment in 0..12 {
        let mut open = [false; 2];
        for time in 0..60 {
            let mut frame = Frame::new(Symbol::new(&format!("day{segment}")), time);
            for (door, open) in open.iter_mut().enumerate() {
                let [opens, blocks] = [below(4) == 0, below(2) == 0];
                let shuts = !opens && below(4) != 0;
                let matters = [(opens, 977), (blocks, 995), (shuts, 942)];
                let matters = matters.into_iter().filter(|(happens, _)| *happens).map(|(_, event)| event);
                // What happens besides does not matter.
                let mut others: Vec<usize> = (0..4).map(|_| below((EVENTS - NEGATED) as u64) as usize).collect();
                others.extend((EVENTS - NEGATED..EVENTS).filter(|_| below(2) == 0));
                let others = others.into_iter().filter(|event| ![977, 995, 942].contains(event));
                let mut facts: Vec<String> =
                    matters.chain(others).map(|e| format!("happensAt(e{e}(d{door})")).collect();
                facts.push(format!("door(d{door}"));
                for fact in facts {
                    FactReader::default().read(&format!("{fact}, {time})"), &mut frame.narrative).unwrap();
                }
                if *open {
                    FactReader::default()
                        .read(&format!("holdsAt(open(d{door}), {time})"), &mut frame.annotation)
                        .unwrap();
                }
                *open = opens && !blocks || *open && !shuts;
            }
            frames.push(frame);
        }
    }
    frames
}

fn planted() -> Theory {
    parse_theory("planted.lp", PLANTED).unwrap()
}

fn oled(task: &Task) -> Oled {
    let (score, seeds) = (Score::FScore, Seeds::Begins);
    let (prune_initiation, prune_termination) = (0.1, 0.1);
    let settings = Settings { delta: 0.05, score, seeds, prune_initiation, prune_termination, ..Settings::default() };
    Oled::new(task, |_| settings.clone()).unwrap()
}

fn replay(task: &Task) -> Replay {
    Replay::new(task, ReplaySettings::default()).unwrap()
}

/// Learns from a stream; in the middle of it goes on with a learner that read what the first one had written.
fn learn(mut first: impl Learner, mut second: impl Learner, frames: &[Frame]) -> Theory {
    let (before, after) = frames.split_at(frames.len() / 2 + 7);
    before.iter().for_each(|frame| first.observe(frame, &mut ()));
    let state = first.save(&mut ()).unwrap();
    second.restore(&state).unwrap();
    assert!(second.save(&mut ()).unwrap() == state, "what was read is written again");
    after.iter().for_each(|frame| first.observe(frame, &mut ()));
    after.iter().for_each(|frame| second.observe(frame, &mut ()));
    let learned = first.learned(&mut ());
    assert_eq!(learned, second.learned(&mut ()));
    learned.theory()
}

#[test]
fn both_learners_find_rules_of_literals_with_high_numbers() {
    let (task, frames) = (task(), stream());
    assert_eq!(oled(&task).table(0).len(), EVENTS + NEGATED);
    assert_eq!(learn(replay(&task), replay(&task), &frames).to_string(), planted().to_string());
    assert_eq!(learn(oled(&task), oled(&task), &frames).to_string(), planted().to_string());
}

#[test]
fn damaged_states_of_large_tables_are_refused_or_work() {
    let (task, frames) = (task(), stream());
    let states: [Box<dyn Learner>; 2] = [Box::new(oled(&task)), Box::new(replay(&task))];
    for mut learner in states {
        frames[..8].iter().for_each(|frame| learner.observe(frame, &mut ()));
        let state = learner.save(&mut ()).unwrap();
        for at in (0..state.len()).step_by(1 + state.len() / 300) {
            let mut turned = state.clone();
            turned[at] ^= 0x55;
            let mut other = learner.copy();
            if other.restore(&turned).is_ok() {
                other.observe(&frames[8], &mut ());
                other.theory(&mut ());
            }
        }
    }
}

/// A task with so many conditions about constants.
fn listed(count: usize) -> Result<usize, String> {
    let modes = "input(says(+door, +word, +time)). type(word, symbol). example(holdsAt(open(+door), +time)).
        modeh(initiatedAt(open(+door), +time)). modeb(says(+door, #word, +time)).";
    let words = (0..count).fold(String::new(), |mut text, word| {
        let _ = write!(text, "word(w{word}).");
        text
    });
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", words));
    let task = task.map_err(|problems| problems.to_string())?;
    let learner = Replay::new(&task, ReplaySettings::default()).map_err(|problems| problems.to_string())?;
    Ok(learner.literals(0).len())
}

#[test]
fn a_table_has_as_many_literals_as_sixteen_bits_can_number() {
    assert_eq!(listed(65_535), Ok(65_535));
    let error = listed(65_536).unwrap_err();
    assert!(error.contains("the modes allow 65536 literals, at most 65535 are possible: narrow `says("), "{error}");
}
