//! Fluents that hold while conditions are met: recognised without a delay, taken over from other rules, explained, learned.

use oled::explain::Explainer;
use oled::induce::RuleKind;
use oled::learn::Head;
use oled::{
    DefinitionKind, FactReader, Frame, Interval, Learner, Oled, Recogniser, Replay, ReplaySettings, Settings, Source,
    Symbol, Task, Theory, parse_theory,
};

const INPUTS: &str = "
input(happensAt(beeps(+door), +time)). input(happensAt(shuts(+door), +time)).
input(next_to(+door, +door, +time)). input(holdsAt(seen(+door), +time)).
example(holdsAt(open(+door), +time)). example(holdsAt(pair(+door, +door), +time)). symmetric(pair/2).
";

const PERSISTING: &str = "modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).";
const WHILE: &str = "modeh(holdsAt(open(+door), +time)).";
const BODIES: &str = "modeb(happensAt(beeps(+door), +time)). modeb(happensAt(shuts(+door), +time)).";

fn task(heads: &str) -> Task {
    let modes = format!("{INPUTS}{heads}{BODIES}");
    Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap()
}

fn theory(text: &str) -> Theory {
    parse_theory("t.lp", text).unwrap()
}

/// Frames of a segment: facts without their times, apart by semicolons; what starts with `!` is a label.
fn frames(points: &[&str]) -> Vec<Frame> {
    let frame = |(i, facts): (usize, &&str)| {
        let time = i as i64 + 1;
        let mut frame = Frame::new(Symbol::new("hall"), time);
        for fact in facts.split("; ").filter(|fact| !fact.is_empty()) {
            let label = fact.strip_prefix('!');
            let facts = if label.is_some() { &mut frame.annotation } else { &mut frame.narrative };
            let text = label.unwrap_or(fact).replace('@', &time.to_string());
            FactReader::default().read(&text, facts).unwrap();
        }
        frame
    };
    points.iter().enumerate().map(frame).collect()
}

fn text(intervals: &[Interval]) -> Vec<String> {
    intervals.iter().map(|i| format!("{} {}-{} {}", i.fluent(), i.first, i.last, i.end)).collect()
}

fn recognised(task: &Task, rules: &str, frames: &[Frame]) -> Vec<String> {
    let mut recogniser = Recogniser::new(task, &theory(rules)).unwrap();
    let mut intervals = Vec::new();
    frames.iter().for_each(|frame| recogniser.observe(frame, &mut intervals));
    recogniser.finish(&mut intervals);
    text(&intervals)
}

const SEEN: &str = "holdsAt(seen(d1), @); holdsAt(seen(d2), @)";

#[test]
fn a_fluent_holds_exactly_while_a_body_is_true() {
    let frames = frames(&[
        SEEN,
        &format!("{SEEN}; happensAt(beeps(d1), @)"),
        &format!("{SEEN}; happensAt(beeps(d1), @)"),
        SEEN,
        &format!("{SEEN}; happensAt(beeps(d1), @)"),
    ]);
    let rule = "holdsAt(open(D), T) :- happensAt(beeps(D), T).";
    for heads in [PERSISTING, WHILE, ""] {
        assert_eq!(recognised(&task(heads), rule, &frames), ["open(d1) 2-3 terminated", "open(d1) 5-5 segment"]);
    }
    let theory = theory(rule);
    let task = task(PERSISTING);
    assert_eq!(task.kind_of(&theory, task.labels()[0]), Some(DefinitionKind::While));
    assert_eq!(task.kind_of(&theory, task.labels()[1]), None);
}

#[test]
fn what_a_body_leaves_open_ranges_over_its_type_and_a_pair_is_one() {
    let frames = frames(&[&format!("{SEEN}; happensAt(beeps(d2), @)"), &format!("{SEEN}; next_to(d2, d1, @)")]);
    let task = task("");
    // Nobody is a pair with itself.
    assert_eq!(
        recognised(&task, "holdsAt(pair(X, Y), T) :- happensAt(beeps(X), T).", &frames),
        ["pair(d1, d2) 1-1 terminated"]
    );
    let rules = "holdsAt(pair(X, Y), T) :- next_to(X, Y, T). holdsAt(open(X), T) :- holdsAt(pair(X, d2), T).";
    assert_eq!(recognised(&task, rules, &frames), ["pair(d1, d2) 2-2 segment", "open(d1) 2-2 segment"]);
}

#[test]
fn other_rules_see_it_at_the_same_time_point() {
    let frames = frames(&[SEEN, &format!("{SEEN}; happensAt(beeps(d1), @)"), SEEN, SEEN]);
    let rules = "holdsAt(open(X), T) :- happensAt(beeps(X), T).
        holdsAt(pair(X, Y), T) :- holdsAt(open(X), T).
        initiatedAt(used(X), T) :- holdsAt(open(X), T).";
    assert_eq!(
        recognised(&task(WHILE), rules, &frames),
        ["open(d1) 2-2 terminated", "pair(d1, d2) 2-2 terminated", "used(d1) 3-4 segment"]
    );
}

#[test]
fn values_hold_as_their_rules_say_even_two_at_a_time() {
    let frames = frames(&[&format!("{SEEN}; happensAt(beeps(d1), @); happensAt(shuts(d1), @)")]);
    let rules =
        "holdsAt(state(X)=loud, T) :- happensAt(beeps(X), T). holdsAt(state(X)=shut, T) :- happensAt(shuts(X), T).";
    assert_eq!(recognised(&task(""), rules, &frames), ["state(d1)=loud 1-1 segment", "state(d1)=shut 1-1 segment"]);
}

#[test]
fn rules_of_another_kind_take_over() {
    let beeps = format!("{SEEN}; happensAt(beeps(d1), @)");
    let frames = frames(&[&beeps, &beeps, SEEN, SEEN, &format!("{SEEN}; happensAt(shuts(d1), @)"), &beeps, SEEN]);
    let task = task(PERSISTING);
    let persisting = theory(
        "initiatedAt(open(D), T) :- happensAt(beeps(D), T). terminatedAt(open(D), T) :- happensAt(shuts(D), T).",
    );
    let held = theory("holdsAt(open(D), T) :- happensAt(beeps(D), T).");
    let run = |first: &Theory, second: &Theory, after: usize| {
        let mut recogniser = Recogniser::new(&task, first).unwrap();
        let mut intervals = Vec::new();
        for (i, frame) in frames.iter().enumerate() {
            if i == after {
                recogniser.adopt(&task, second).unwrap();
                // What is known goes on as it was saved.
                let saved = recogniser.save();
                recogniser = Recogniser::new(&task, second).unwrap();
                recogniser.restore(&saved).unwrap();
            }
            recogniser.observe(frame, &mut intervals);
        }
        recogniser.finish(&mut intervals);
        text(&intervals)
    };
    // It holds at 2 and goes on until it is ended.
    assert_eq!(run(&held, &persisting, 2), ["open(d1) 1-5 terminated", "open(d1) 7-7 segment"]);
    // It has held since 2, and its condition is no longer met at 4.
    assert_eq!(run(&persisting, &held, 3), ["open(d1) 2-3 terminated", "open(d1) 6-6 terminated"]);
    // It was ended at 5, and is met again at 6: two intervals.
    assert_eq!(run(&persisting, &held, 5), ["open(d1) 2-5 terminated", "open(d1) 6-6 terminated"]);
}

#[test]
fn it_is_explained_at_its_own_time_point() {
    let task = task(PERSISTING);
    let rules = theory("holdsAt(open(D), T) :- happensAt(beeps(D), T), not happensAt(shuts(D), T).");
    let mut explainer = Explainer::new(&task, &rules).unwrap();
    let beeps = format!("{SEEN}; happensAt(beeps(d1), @)");
    let frames = frames(&[&beeps, &format!("{beeps}; happensAt(shuts(d1), @)")]);
    let moments: Vec<_> = frames.iter().map(|frame| explainer.observe(frame)).collect();
    let open = task.labels()[0];
    assert!(explainer.is_derived(open));
    let now = explainer.beginnings(None, &moments[0], open, &["d1".into()]);
    assert!(now.len() == 1 && now[0].fired && now[0].time == 1, "{now:?}");
    let later = explainer.beginnings(Some(&moments[0]), &moments[1], open, &["d1".into()]);
    let truths: Vec<_> = later[0].conditions.iter().map(|c| (c.literal.to_string(), c.truth)).collect();
    assert_eq!(
        truths,
        [("happensAt(beeps(d1), 2)".into(), Some(true)), ("not happensAt(shuts(d1), 2)".into(), Some(false))]
    );
    assert!(explainer.endings(&moments[1], open, &["d1".into()]).is_empty(), "nothing ends it");
}

/// Doors that beep are open, which is labelled at the same time points.
fn labelled() -> Vec<Frame> {
    let mut all = Vec::new();
    for segment in 0..6 {
        let mut points: Vec<String> = Vec::new();
        for i in 0..40 {
            let mut point = SEEN.to_string();
            if (i * 7 + segment) % 5 < 2 {
                point += "; happensAt(beeps(d1), @); !holdsAt(open(d1), @)";
            }
            if i % 4 == 1 {
                point += "; happensAt(shuts(d2), @)";
            }
            points.push(point);
        }
        let mut part = frames(&points.iter().map(String::as_str).collect::<Vec<_>>());
        part.iter_mut().for_each(|frame| frame.segment = Symbol::new(&format!("s{segment}")));
        all.extend(part);
    }
    all
}

#[test]
fn both_learners_learn_rules_for_when_it_holds() {
    let task = task(WHILE);
    let settings = Settings { warmup: 0, ..Settings::default() };
    let learners: [Box<dyn Learner>; 2] = [
        Box::new(Oled::new(&task, |_| settings.clone()).unwrap()),
        Box::new(Replay::new(&task, ReplaySettings::default()).unwrap()),
    ];
    for mut learner in learners {
        labelled().iter().for_each(|frame| learner.observe(frame, &mut ()));
        let learned = learner.learned(&mut ()).theory();
        assert_eq!(learned.to_string().trim(), "holdsAt(open(X0), T) :-\n    happensAt(beeps(X0), T).");
        assert!(Recogniser::new(&task, &learned).is_ok());
    }
}

#[test]
fn where_both_ways_are_declared_the_plain_learner_starts_and_ends() {
    let task = task(&format!("{WHILE}{PERSISTING}"));
    let mut learner = Oled::new(&task, |_| Settings::default()).unwrap();
    let kinds: Vec<RuleKind> = learner.processes().iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [RuleKind::Initiation, RuleKind::Termination]);
    let learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    let heads: Vec<String> = learner.heads().iter().map(ToString::to_string).collect();
    assert_eq!(heads, ["holdsAt(open(X0), T)", "initiatedAt(open(X0), T)", "terminatedAt(open(X0), T)"]);
}

#[test]
fn any_fluent_has_a_head_for_when_it_holds() {
    let (heads, propositionaliser) = Head::of_task(&task(PERSISTING)).unwrap();
    for head in heads {
        let head = head.while_head();
        assert_eq!((head.target, head.kind), (0, RuleKind::Observed));
        let beeps = theory("p(X0) :- happensAt(beeps(X0), T).").clauses[0].body.clone();
        let rule = propositionaliser.clause(&head, beeps);
        assert_eq!(rule.to_string(), "holdsAt(open(X0), T) :-\n    happensAt(beeps(X0), T).");
        let rules = Theory::from(vec![rule]);
        assert!(Recogniser::new(&task(PERSISTING), &rules).is_ok());
    }
}

#[test]
fn what_the_background_says_leaves_one_way() {
    let parse = |heads: &str, background: &str| {
        let modes = format!("{INPUTS}{heads}{BODIES}");
        Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap()
    };
    let kinds = |task: &Task| Head::of_task(task).map(|(heads, _)| heads.iter().map(|h| h.kind).collect::<Vec<_>>());
    let (held, started) = ("holdsAt(open(D), T) :- happensAt(shuts(D), T).", "initially(open(D)).");
    let both = format!("{PERSISTING}{WHILE}");
    assert_eq!(kinds(&parse(&both, held)).unwrap(), [RuleKind::Observed]);
    assert_eq!(kinds(&parse(&both, started)).unwrap(), [RuleKind::Initiation, RuleKind::Termination]);
    let problem = kinds(&parse(PERSISTING, held)).unwrap_err().to_string();
    assert!(
        problem.contains("the background says when `open(+door)` holds, so no rule starts or ends it"),
        "{problem}"
    );
    assert!(problem.contains("hint: declare `modeh(holdsAt(open(+door), +time)).` instead"), "{problem}");
    let problem = kinds(&parse(WHILE, started)).unwrap_err().to_string();
    assert!(problem.contains("the background starts or ends `open(+door)`"), "{problem}");
    let bare = "example(holdsAt(alarm, +time)). modeh(holdsAt(alarm, +time)).
        example(holdsAt(fire, +time)). modeh(initiatedAt(fire, +time)).";
    assert_eq!(kinds(&parse(bare, "")).unwrap(), [RuleKind::Observed, RuleKind::Initiation]);
}

#[test]
fn fluents_without_arguments_are_recognised_and_learned_each_in_its_own_way() {
    let modes = "input(happensAt(on, +time)). input(happensAt(off, +time)). input(happensAt(beeps, +time)).
        example(holdsAt(lit, +time)). example(holdsAt(loud, +time)).
        modeb(happensAt(on, +time)). modeb(happensAt(off, +time)). modeb(happensAt(beeps, +time)).";
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let rules = "initiatedAt(lit, T) :- happensAt(on, T). terminatedAt(lit, T) :- happensAt(off, T).
        holdsAt(loud, T) :- happensAt(beeps, T).";
    // Switched on and off every seven frames; it beeps for two of five, whether it is lit or not.
    let point = |i: usize| {
        let (phase, loud) = (i % 14, i % 5 < 2);
        let mut facts: Vec<&str> = Vec::new();
        facts.extend((phase == 3).then_some("happensAt(on, @)"));
        facts.extend((phase == 10).then_some("happensAt(off, @)"));
        facts.extend((4..=10).contains(&phase).then_some("!holdsAt(lit, @)"));
        if loud {
            facts.extend(["happensAt(beeps, @)", "!holdsAt(loud, @)"]);
        }
        facts.join("; ")
    };
    let points: Vec<String> = (0..140).map(point).collect();
    let stream = frames(&points.iter().map(String::as_str).collect::<Vec<_>>());
    let found = recognised(&task, rules, &stream);
    assert!(
        found.contains(&"loud 1-2 terminated".into()) && found.contains(&"lit 5-11 terminated".into()),
        "{found:?}"
    );
    let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
    stream.iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ());
    assert!(learned.fits.iter().all(|fit| fit.counts.f1() > 0.99), "{:?}", learned.fits);
    let learned = learned.theory().to_string();
    assert_eq!(recognised(&task, &learned, &stream), found, "{learned}");
    assert!(learned.contains("holdsAt(loud, T)") && learned.contains("initiatedAt(lit, T)"), "{learned}");
}
