//! The law of learning: what a learner says of a theory is what recognition with that theory says, time point by time point.

use oled::testing::tasks::Case;
use oled::testing::{deterministic, tasks};
use oled::{
    Atom, Clause, Confusion, Evaluation, Frame, Learned, Learner, Oled, Recogniser, Replay, ReplaySettings, Settings,
    Span, Symbol, Task, Theory,
};
use oled::{Every, Ticks};
use proptest::prelude::*;

/// How many random tasks are tried; `OLED_LAW_CASES` asks for another number.
fn cases() -> u32 {
    std::env::var("OLED_LAW_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// The counts of a theory by recognition, frame by frame, by fluent. The theory is printed and read again before.
fn evaluated(task: &Task, theory: &Theory, frames: &[Frame]) -> Vec<(Symbol, Confusion)> {
    let text = theory.to_string();
    let read = oled::parse_theory("learned.lp", &text).unwrap();
    let mut recogniser = Recogniser::new(task, &read).unwrap_or_else(|p| panic!("{p}\n{text}"));
    let mut evaluation = Evaluation::new(&task.labels());
    for frame in frames {
        recogniser.observe(frame, &mut Vec::new());
        evaluation.count(&recogniser, frame);
    }
    evaluation.by_fluent().into_iter().collect()
}

/// The counts by fluent, those of several targets of a fluent together.
fn by_fluent(counts: impl IntoIterator<Item = (Symbol, Confusion)>) -> Vec<(Symbol, Confusion)> {
    let mut all: Vec<(Symbol, Confusion)> = Vec::new();
    for (fluent, counts) in counts {
        match all.iter_mut().find(|(f, _)| *f == fluent) {
            Some((_, sum)) => *sum += counts,
            None => all.push((fluent, counts)),
        }
    }
    all
}

/// The counts of a fluent; nothing where there was nothing to count.
fn of(counts: &[(Symbol, Confusion)], fluent: Symbol) -> Confusion {
    counts.iter().find(|(f, _)| *f == fluent).map_or_else(Confusion::default, |(_, counts)| *counts)
}

fn learn(learner: &mut dyn Learner, frames: &[Frame]) -> Learned {
    frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
    learner.learned(&mut ())
}

/// Frames with the ticks between them, if there are any.
fn ticked(task: &Task, tick: Option<i64>, frames: &[Frame]) -> Vec<Frame> {
    let Some(tick) = tick else { return frames.to_vec() };
    let mut ticks = Ticks::new(task, Every::Tick(tick));
    let mut all = Vec::new();
    for frame in frames {
        all.extend(std::iter::from_fn(|| ticks.before(frame)));
        all.push(frame.clone());
    }
    all
}

/// A rule by numbers: its head, its literals, and maybe one with an open threshold.
type Choice = (prop::sample::Index, Vec<prop::sample::Index>, Option<(usize, i64)>);

/// Random rules of the literals of the modes, as the learner would print them.
fn rules(learner: &Replay, choice: &[Choice]) -> Theory {
    let heads = learner.heads();
    let mut theory = Theory::default();
    for (head, body, open) in choice {
        let head = head.index(heads.len());
        let literals = learner.literals(head);
        let mut body: Vec<_> = body.iter().map(|i| literals[i.index(literals.len())].clone()).collect();
        // A variable that only negated literals mention would need its type beside it.
        body.retain(|l| !(l.negated && l.to_string().contains('Y')));
        if let Some((open, threshold)) = open {
            let start = ["lately(X0", "over(X0", "reach(X0, X1", "long(X0"][*open];
            let span = if *open == 3 { ", 2" } else { "" };
            let text = format!("p :- {start}, {threshold}{span}, T).");
            body.push(oled::parse_theory("t", &text).unwrap().clauses[0].body[0].clone());
        }
        let mut distinct: Vec<oled::Literal> = Vec::new();
        for literal in body {
            if !distinct.iter().any(|l| l.to_string() == literal.to_string()) {
                distinct.push(literal);
            }
        }
        let clause = |body: Vec<oled::Literal>| Clause { head: heads[head].clone(), body, span: Span::default() };
        // Rules that do not relate the variables of their heads are refused: they are given a condition that does.
        let links = literals.iter().filter(|l| !l.negated && l.to_string().matches('X').count() > 1);
        let pairs = links.clone().flat_map(|one| links.clone().map(move |other| vec![one.clone(), other.clone()]));
        let mut more =
            links.clone().map(|link| vec![link.clone()]).chain(pairs).map(|link| [link, distinct.clone()].concat());
        // A fluent persists, or holds while something is true: not both.
        let kind = |head: &Atom| {
            let fluent = head.args.first().map(|f| f.to_string().split(['(', '=']).next().map(str::to_string));
            (fluent, head.name.as_str() == "holdsAt")
        };
        let (fluent, holds) = kind(&heads[head]);
        if theory.clauses.iter().map(|c| kind(&c.head)).any(|(f, h)| f == fluent && h != holds) {
            continue;
        }
        // What cannot be judged is refused.
        let written = |body| learner.written(&clause(body)).ok();
        theory.clauses.extend(written(distinct.clone()).or_else(|| more.find_map(written)));
    }
    theory
}

fn choice() -> impl Strategy<Value = Vec<Choice>> {
    let body = prop::collection::vec(any::<prop::sample::Index>(), 1..4);
    prop::collection::vec((any::<prop::sample::Index>(), body, prop::option::of((0..4usize, 0..4i64))), 1..8)
}

proptest! {
    #![proptest_config(deterministic(cases()))]

    #[test]
    fn what_is_learned_is_what_is_recognised(
        case in tasks::cases(),
        choice in choice(),
        runs in prop::option::of(64..400usize),
        tick in prop::option::of(1..3i64),
    ) {
        let task = case.task();
        let case = Case { frames: ticked(&task, tick, &case.frames), ..case };
        let mut settings = ReplaySettings::default();
        if let Some(runs) = runs {
            settings.set("runs", &runs.to_string()).unwrap();
        }
        let mut learner = Replay::new(&task, settings).unwrap();
        let learned = learn(&mut learner, &case.frames);
        // A theory that was found.
        let whole = learned.estimated.is_empty();
        let expected = evaluated(&task, &learned.theory(), &case.frames);
        if whole {
            for fit in &learned.fits {
                prop_assert_eq!(fit.counts, of(&expected, fit.fluent), "{} {}\n{:?}", fit.fluent, learned.theory(), case);
            }
        }
        // A theory that is given.
        let theory = rules(&learner, &choice);
        let expected = evaluated(&task, &theory, &case.frames);
        if whole {
            for (fluent, counts) in by_fluent(learner.replay(&theory).unwrap()) {
                prop_assert_eq!(counts, of(&expected, fluent), "{} {}\n{:?}", fluent, theory, case);
            }
        }
    }

    #[test]
    fn what_the_learner_of_the_paper_prints_loads(case in tasks::cases()) {
        // It needs thresholds that are listed.
        let case = case.listed();
        let task = case.task();
        let settings = Settings { warmup: 0, ..Settings::default() };
        let mut learner = Oled::new(&task, |_| settings.clone()).unwrap();
        let learned = learn(&mut learner, &case.frames);
        evaluated(&task, &learned.theory(), &case.frames);
    }
}
