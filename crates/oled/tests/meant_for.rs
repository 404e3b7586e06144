//! Conditions that are meant for some heads only are in the rules of no others, whoever learns them.

use oled::registry::{LEARNERS, Wishes};
use oled::{FactReader, Frame, Learned, Literal, Source, Symbol, Task, parse_theory};

/// Doors that are opened and shut, and that ring at both.
fn frames() -> Vec<Frame> {
    let mut frames = Vec::new();
    for day in 0..6 {
        for time in 0..40 {
            let mut frame = Frame::new(Symbol::new(&format!("day{day}")), time);
            let mut read = |text: &str, annotation: bool| {
                let facts = if annotation { &mut frame.annotation } else { &mut frame.narrative };
                FactReader::default().read(&format!("{text}, {time})"), facts).unwrap();
            };
            read("door(d1", false);
            let phase = time % 10;
            if phase == 2 || phase == 6 {
                read("happensAt(rings(d1)", false);
                read(if phase == 2 { "happensAt(opens(d1)" } else { "happensAt(shuts(d1)" }, false);
            }
            read(&format!("weight(d1, {}", if (1..=3).contains(&phase) { 30 } else { phase }), false);
            if (3..=6).contains(&phase) {
                read("holdsAt(open(d1)", true);
            }
            if phase == 3 || phase == 7 {
                read("holdsAt(noisy(d1)", true);
            }
            frames.push(frame);
        }
    }
    frames
}

const HEADS: &str = "
    input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)). input(happensAt(rings(+door), +time)).
    input(door(+door, +time)). input(weight(+door, +kilo, +time)). type(kilo, int).
    example(holdsAt(open(+door), +time)). example(holdsAt(noisy(+door), +time)).
    modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).
    modeh(initiatedAt(noisy(+door), +time)). modeh(terminatedAt(noisy(+door), +time)).";

fn task(bodies: &str, background: &str) -> Task {
    let modes = Source::new("modes.lp", format!("{HEADS}{bodies}"));
    Task::parse(&modes, &Source::new("background.lp", background)).unwrap()
}

/// What each learner learns that can do with the task.
fn learned(task: &Task) -> Vec<(&'static str, Learned)> {
    let settings = |_| Vec::new();
    let wishes = Wishes { settings: &settings, ..Wishes::default() };
    let made = LEARNERS.iter().filter_map(|spec| Some((spec.name, spec.make(task, &wishes).ok()?)));
    let learned = made.map(|(name, mut learner)| {
        frames().iter().for_each(|frame| learner.observe(frame, &mut ()));
        (name, learner.learned(&mut ()))
    });
    learned.collect()
}

/// The heads of the rules, also of those that are not printed, that have a condition.
fn heads_with(learned: &Learned, condition: &str) -> Vec<String> {
    let rules = learned.rules.iter().chain(learned.left_out.iter().map(|(rule, _)| rule));
    let has = |body: &[Literal]| body.iter().any(|literal| literal.to_string().contains(condition));
    let mut heads: Vec<String> =
        rules.filter(|rule| has(&rule.clause.body)).map(|rule| rule.clause.head.to_string()).collect();
    heads.dedup();
    heads
}

#[test]
fn a_condition_is_in_the_rules_of_the_heads_that_it_is_meant_for() {
    let free = task("modeb(happensAt(opens(+door), +time)). modeb(happensAt(shuts(+door), +time)).", "");
    let meant = task(
        "modeb(happensAt(opens(+door), +time), for(initiatedAt(open))).
         modeb(happensAt(shuts(+door), +time), for(terminatedAt(open), holdsAt(open))).
         modeb(happensAt(rings(+door), +time), for(noisy)).",
        "",
    );
    for (name, learned) in learned(&free) {
        let open = heads_with(&learned, "opens");
        assert!(open.contains(&"initiatedAt(noisy(X0), T)".to_string()), "{name}: {open:?}");
    }
    for (name, learned) in learned(&meant) {
        assert_eq!(heads_with(&learned, "opens"), ["initiatedAt(open(X0), T)"], "{name}");
        assert_eq!(heads_with(&learned, "shuts"), ["terminatedAt(open(X0), T)"], "{name}");
        for head in heads_with(&learned, "rings") {
            assert!(head.contains("noisy"), "{name}: {head}");
        }
        assert!(!heads_with(&learned, "rings").is_empty(), "{name}");
    }
}

#[test]
fn several_modes_for_a_condition_add_up() {
    let bodies = "modeb(happensAt(rings(+door), +time), for(initiatedAt(open))).
        modeb(happensAt(rings(+door), +time), for(terminatedAt(open))).
        modeb(happensAt(shuts(+door), +time), for(open)). modeb(happensAt(shuts(+door), +time)).";
    let rules = "terminatedAt(open(X), T) :- happensAt(rings(X), T), happensAt(shuts(X), T).
        initiatedAt(noisy(X), T) :- happensAt(shuts(X), T).";
    for spec in &LEARNERS {
        let mut learner = spec.make(&task(bodies, ""), &Wishes::default()).unwrap();
        learner.start_from(&parse_theory("start.lp", rules).unwrap()).unwrap();
        let wrong = parse_theory("start.lp", "initiatedAt(noisy(X), T) :- happensAt(rings(X), T).").unwrap();
        let told = learner.start_from(&wrong).unwrap_err().to_string();
        let message =
            "the modes do not allow the condition `happensAt(rings(X), T)` in rules for `initiatedAt(noisy(X0), T)`";
        assert!(told.contains(message) && told.contains("start.lp:1:29"), "{told}");
    }
}

#[test]
fn an_open_threshold_is_in_the_rules_that_it_is_meant_for() {
    let heavy = "heavy(D, K, T) :- weight(D, W, T), W >= K.";
    let bodies = |meant: &str| {
        format!(
            "comparison(heavy(+door, #int, +time), 2, smaller). modeb(heavy(+door, #int, +time){meant}).
             modeb(happensAt(opens(+door), +time)). modeb(happensAt(shuts(+door), +time))."
        )
    };
    let mut found = Vec::new();
    for meant in ["", ", for(terminatedAt(open))", ", for(terminatedAt(noisy), holdsAt(noisy))"] {
        let task = task(&bodies(meant), heavy);
        let [("replay", learned)] = &learned(&task)[..] else { panic!("only one learner finds thresholds") };
        let heads = heads_with(learned, "heavy");
        assert!(heads.iter().all(|head| meant.is_empty() || meant.contains(&head[..12])), "{meant}: {heads:?}");
        found.push(heads);
    }
    assert!(found[0].iter().any(|head| head.contains("noisy") || head.contains("initiated")), "{found:?}");
}
