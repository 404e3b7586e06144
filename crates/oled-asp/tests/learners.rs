//! XHAIL and ILED against plain search: theories are optimal for their objective, and sound on data without noise.
#![cfg(feature = "clingo")]

use oled::induce::{Mask, RuleKind};
use oled::replay::{InstanceHistory, Step};
use oled::{FactReader, Frame, Learner, Precedence, Recogniser, Source, Symbol, Task};
use oled_asp::{Effort, Hypothesis, Iled, IledSettings, Kernel, Problem, Weights, Xhail, XhailSettings};

/// Numbers by chance, the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    fn mask(&mut self, literals: usize) -> Mask {
        (0..literals).filter(|_| self.below(2) == 0).collect()
    }
}

fn histories(random: &mut Random, literals: usize) -> Vec<InstanceHistory> {
    let step = |random: &mut Random| Step {
        truths: (0..=random.below(2)).map(|_| random.mask(literals)).collect(),
        length: 1 + random.below(3) as u32,
        label: [Some(true), Some(false), Some(false), None][random.below(4) as usize],
    };
    let history = |random: &mut Random| InstanceHistory {
        segment: Symbol::new("s"),
        holds: random.below(4) == 0,
        steps: (0..=random.below(8)).map(|_| step(random)).collect(),
    };
    (0..3).map(|_| history(random)).collect()
}

/// All hypotheses within kernel clauses.
fn all(kernels: &[Kernel]) -> Vec<Hypothesis> {
    let mut hypotheses: Vec<Hypothesis> = vec![Vec::new()];
    for kernel in kernels {
        let literals: Vec<usize> = kernel.bottom.iter().collect();
        let subset = |bits: usize| -> Mask {
            literals.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1).map(|(_, l)| *l).collect()
        };
        let choices: Vec<Option<Mask>> =
            std::iter::once(None).chain((1..1 << literals.len()).map(|bits| Some(subset(bits)))).collect();
        let with = |h: &Hypothesis| {
            choices.iter().map(|c| [h.as_slice(), std::slice::from_ref(c)].concat()).collect::<Vec<Hypothesis>>()
        };
        hypotheses = hypotheses.iter().flat_map(with).collect();
    }
    hypotheses
}

#[test]
fn the_choice_is_the_best_of_all_hypotheses() {
    let mut random = Random(7);
    for case in 0..150 {
        let weights =
            Weights { literal: 1, uncovered: 1 + random.below(3) as u32, covered: 1 + random.below(3) as u32 };
        let literals = 4;
        let histories = histories(&mut random, literals);
        let kernel = |random: &mut Random| Kernel {
            kind: if random.below(2) == 0 { RuleKind::Initiation } else { RuleKind::Termination },
            bottom: random.mask(literals).with(&Mask::of(0)),
        };
        let kernels: Vec<Kernel> = (0..3).map(|_| kernel(&mut random)).collect();
        let problem = Problem::new(kernels.clone(), &histories, weights, Precedence::ALL[case % 2]);
        let best = all(&kernels).iter().map(|h| problem.cost(h).total).min().unwrap();
        let effort = Effort { conflicts: None, until: None, interrupt: oled::Interrupt::never() };
        let (chosen, optimal) = problem.choose(&[None, None, None], &[0, 1, 2], &effort).unwrap();
        assert!(optimal);
        assert_eq!(problem.cost(&chosen).total, best, "case {case}: {kernels:?} {histories:?}");
        // Some of them, the others being as they are.
        let other: Hypothesis = kernels.iter().map(|k| Some(k.bottom.clone())).collect();
        let fixed = |h: &&Hypothesis| h[1] == other[1];
        let best = all(&kernels).iter().filter(fixed).map(|h| problem.cost(h).total).min().unwrap();
        let (chosen, _) = problem.choose(&other, &[0, 2], &effort).unwrap();
        assert_eq!(problem.cost(&chosen).total, best, "case {case}: {kernels:?} {histories:?}");
    }
}

const MODES: &str = "
    input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)). input(happensAt(knock(+door), +time)).
    input(happensAt(locked(+door), +time)). input(door(+door, +time)). example(holdsAt(open(+door), +time)).
    modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).
    modeb(happensAt(opens(+door), +time)). modeb(not happensAt(locked(+door), +time)).
    modeb(happensAt(knock(+door), +time)). modeb(happensAt(shuts(+door), +time)).";

fn task() -> Task {
    Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", "")).unwrap()
}

/// Doors that open where they are not locked, and shut.
fn stream(seed: u64, segments: u64) -> Vec<Frame> {
    let mut random = Random(seed);
    let mut frames = Vec::new();
    for segment in 0..segments {
        let mut open = [false; 2];
        for time in 0..40 {
            let mut frame = Frame::new(Symbol::new(&format!("day{segment}")), time);
            let mut read = |text: String, annotation: bool| {
                let facts = if annotation { &mut frame.annotation } else { &mut frame.narrative };
                FactReader::default().read(&text, facts).unwrap();
            };
            for (door, open) in open.iter_mut().enumerate() {
                read(format!("door(d{door}, {time})"), false);
                if *open {
                    read(format!("holdsAt(open(d{door}), {time})"), true);
                }
                let happens = ["opens", "shuts", "knock", "locked"].map(|e| (e, random.below(4) == 0));
                for (event, _) in happens.iter().filter(|(_, happens)| *happens) {
                    read(format!("happensAt({event}(d{door}), {time})"), false);
                }
                let [(_, opens), (_, shuts), _, (_, locked)] = happens;
                *open = opens && !locked || *open && !shuts;
            }
            frames.push(frame);
        }
    }
    frames
}

const TRUE_RULES: &str = "\
initiatedAt(open(X0), T) :-
    happensAt(opens(X0), T),
    not happensAt(locked(X0), T).

terminatedAt(open(X0), T) :-
    happensAt(shuts(X0), T).
";

#[test]
fn xhail_finds_the_true_rules() {
    let mut learner = Xhail::new(&task(), XhailSettings::default()).unwrap();
    stream(1, 4).iter().for_each(|frame| learner.observe(frame, &mut ()));
    let learned = learner.learned(&mut ());
    assert_eq!(learned.theory().to_string(), TRUE_RULES);
    assert!(learned.remarks[0].contains("the best there is within the kernel"), "{:?}", learned.remarks);
    assert_eq!(learner.copy().learned(&mut ()), learned);
}

#[test]
fn both_keep_conditions_to_the_heads_that_they_are_meant_for() {
    let modes = MODES.replace(
        "modeb(happensAt(shuts(+door), +time)).",
        "modeb(happensAt(shuts(+door), +time), for(initiatedAt(open))).",
    );
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", "")).unwrap();
    let learners: [Box<dyn Learner>; 2] = [
        Box::new(Xhail::new(&task, XhailSettings { time: Some(5.0), ..XhailSettings::default() }).unwrap()),
        Box::new(Iled::new(&task, IledSettings { time: Some(5.0), ..IledSettings::default() }).unwrap()),
    ];
    for mut learner in learners {
        stream(1, 2).iter().for_each(|frame| learner.observe(frame, &mut ()));
        let theory = learner.learned(&mut ()).theory();
        assert!(!theory.clauses.is_empty());
        let ends = theory.clauses.iter().filter(|clause| clause.head.name.as_str() == "terminatedAt");
        ends.for_each(|clause| assert!(!clause.to_string().contains("shuts"), "{clause}"));
    }
}

#[test]
fn xhail_stops_when_the_time_is_over_and_says_so() {
    let settings = XhailSettings { time: Some(1e-6), ..XhailSettings::default() };
    let mut learner = Xhail::new(&task(), settings).unwrap();
    stream(1, 4).iter().for_each(|frame| learner.observe(frame, &mut ()));
    assert!(learner.learned(&mut ()).remarks[0].contains("when the time was over"));
}

#[test]
fn iled_covers_everything_and_nothing_else() {
    for seed in 1..6 {
        for batch in [1, 7, 100] {
            let task = task();
            let mut learner = Iled::new(&task, IledSettings { batch, ..IledSettings::default() }).unwrap();
            let frames = stream(seed, 4);
            frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
            let learned = learner.learned(&mut ());
            let mut recogniser = Recogniser::new(&task, &learned.theory()).unwrap();
            let mut evaluation = oled::Evaluation::new(&task.labels());
            for frame in &frames {
                recogniser.observe(frame, &mut Vec::new());
                evaluation.count(&recogniser, frame);
            }
            assert_eq!(evaluation.total().f1(), 1.0, "seed {seed}, batches of {batch}:\n{}", learned.theory());
            assert!(!learned.remarks.iter().any(|r| r.contains("noise")), "{:?}", learned.remarks);
        }
    }
}

#[test]
fn iled_stops_when_the_time_is_over_and_says_so() {
    let settings = IledSettings { time: Some(1e-9), batch: 10, ..IledSettings::default() };
    let mut learner = Iled::new(&task(), settings).unwrap();
    stream(1, 4).iter().for_each(|frame| learner.observe(frame, &mut ()));
    let remarks = learner.learned(&mut ()).remarks;
    assert!(remarks.iter().any(|r| r.starts_with("the time was over after")), "{remarks:?}");
}

#[test]
fn xhail_tells_how_far_it_is() {
    let lines = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let mut learner = Xhail::new(&task(), XhailSettings::default()).unwrap();
    let told = lines.clone();
    let listener = oled::learn::ProgressListener::new(move |line| told.lock().unwrap().push(line.to_string()));
    learner.supervise(&oled::Supervision { listener, ..oled::Supervision::default() });
    stream(1, 4).iter().for_each(|frame| learner.observe(frame, &mut ()));
    learner.learned(&mut ());
    assert!(lines.lock().unwrap().iter().any(|line| line.ends_with("kernel clauses at depth 0")));
}

#[test]
fn iled_says_where_the_annotation_is_not_free_of_noise() {
    let mut learner = Iled::new(&task(), IledSettings::default()).unwrap();
    for (i, mut frame) in stream(3, 4).into_iter().enumerate() {
        if i % 9 == 0 {
            frame.annotation = oled::Facts::default();
        }
        learner.observe(&frame, &mut ());
    }
    assert!(learner.learned(&mut ()).remarks.iter().any(|r| r.contains("not free of noise")));
}
