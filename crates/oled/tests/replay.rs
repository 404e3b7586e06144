//! Replay against recognition frame by frame: the same counts for random theories on random streams.

use oled::testing::{deterministic, generate};
use oled::{
    Clause, Confusion, Evaluation, FactReader, Frame, Learner, Recogniser, Replay, ReplaySettings, Source, Span,
    Symbol, Task, Theory,
};
use proptest::prelude::*;

const MODES: &str = "
    modeh(initiatedAt(f(+entity), +time)). modeh(terminatedAt(f(+entity), +time)).
    modeh(initiatedAt(g(+entity, +entity), +time)). modeh(terminatedAt(g(+entity, +entity), +time)).
    modeb(happensAt(a(+entity), +time)).
    modeb(not happensAt(b(+entity), +time)).
    modeb(link(+entity, +entity, +time)).
    modeb(link(+entity, -entity, +time)).
    modeb(not link(+entity, +entity, +time)).
    modeb(holdsAt(f(+entity), +time)).
    modeb(over(+entity, #real, +time)).
    modeb(lately(+entity, #int, +time)).
    comparison(over(+entity, #real, +time), 2, smaller).
    comparison(lately(+entity, #int, +time), 2, larger).
";

const BACKGROUND: &str = "
    over(X, L, T) :- size(X, N, T), N > L.
    lately(X, D, T) :- entity(X, T), since(happensAt(a(X), T), S), S <= D.
";

fn task(symmetric: bool) -> Task {
    let modes = if symmetric { generate::symmetric_modes() } else { generate::modes() };
    let modes = Source::new("modes.lp", format!("{}{MODES}", modes.text));
    Task::parse(&modes, &Source::new("background.lp", BACKGROUND)).unwrap()
}

/// A label: the time point it is at, by number, and whom it is about.
type Label = (prop::sample::Index, usize, usize);

fn annotate(frames: &mut [Frame], labels: &[Label]) {
    for (at, x, y) in labels {
        let frame = &mut frames[at.index(frames.len().max(1))];
        let text = if x == y {
            format!("holdsAt(f(e{x}), {})", frame.time)
        } else {
            format!("holdsAt(g(e{x}, e{y}), {})", frame.time)
        };
        FactReader::default().read(&text, &mut frame.annotation).unwrap();
    }
}

proptest! {
    #![proptest_config(deterministic(600))]

    #[test]
    fn replay_is_recognition(
        frames in generate::frames(),
        labels in prop::collection::vec((any::<prop::sample::Index>(), 1..6usize, 1..6usize), 0..30),
        rules in prop::collection::vec((0..4usize, prop::collection::vec(any::<prop::sample::Index>(), 1..4), prop::option::of((0..3u8, 0..4i64))), 1..7),
        symmetric in any::<bool>(),
    ) {
        prop_assume!(!frames.is_empty());
        let mut frames = frames;
        annotate(&mut frames, &labels);
        let task = task(symmetric);
        let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
        frames.iter().for_each(|f| learner.observe(f, &mut ()));
        let mut theory = Theory::default();
        for (head, body, open) in rules {
            let literals = learner.literals(head);
            let mut body: Vec<_> = body.iter().map(|i| literals[i.index(literals.len())].clone()).collect();
            // A variable that only negated literals mention would need its type beside it.
            body.retain(|l| !(l.negated && l.to_string().contains('Y')));
            // What f is in the bodies of f is not known when f is learned; nor, of others than those of the head, later.
            let unknown = if head < 2 || symmetric { "holdsAt(f" } else { "holdsAt(f(Y" };
            body.retain(|l| !l.to_string().starts_with(unknown));
            if let Some((which, threshold)) = open {
                let text = if which == 0 { format!("over(X0, {threshold}, T)") } else { format!("lately(X0, {threshold}, T)") };
                body.push(oled::parse_theory("t", &format!("p :- {text}.")).unwrap().clauses[0].body[0].clone());
            }
            let mut distinct: Vec<oled::Literal> = Vec::new();
            for literal in body {
                if !distinct.iter().any(|l| l.to_string() == literal.to_string()) {
                    distinct.push(literal);
                }
            }
            // Rules that start a fluent of two say something of both.
            let links = |l: &oled::Literal| !l.negated && ["link(X0, X1", "link(X1, X0"].iter().any(|t| l.to_string().starts_with(t));
            if head == 2 && !distinct.iter().any(links) {
                let unlinked = Clause { head: learner.heads()[head].clone(), body: distinct.clone(), span: Span::default() };
                let refused = learner.replay(&Theory::from(vec![unlinked]));
                prop_assert!(refused.is_err());
                distinct.extend(literals.iter().find(|l| links(l)).cloned());
            }
            if !distinct.is_empty() {
                theory.clauses.push(Clause { head: learner.heads()[head].clone(), body: distinct, span: Span::default() });
            }
        }
        let mut recogniser = Recogniser::new(&task, &theory).unwrap();
        let mut evaluation = Evaluation::new(&task.labels());
        for frame in &frames {
            recogniser.observe(frame, &mut Vec::new());
            evaluation.count(&recogniser, frame);
        }
        let expected = evaluation.by_fluent();
        for (fluent, counts) in learner.replay(&theory).unwrap() {
            let expected = expected.get(&fluent).copied().unwrap_or_default();
            prop_assert_eq!(counts, expected, "{} {}", fluent, theory);
        }
    }

}

proptest! {
    #![proptest_config(deterministic(30))]

    #[test]
    fn the_order_of_segments_and_threads_make_no_difference(
        frames in generate::frames(),
        labels in prop::collection::vec((any::<prop::sample::Index>(), 1..6usize, 1..6usize), 0..60),
        turn in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!frames.is_empty());
        let task = task(false);
        // The stream several times, so that there is support.
        let mut all: Vec<Vec<Frame>> = Vec::new();
        for copy in 0..4 {
            let mut frames = frames.clone();
            annotate(&mut frames, &labels[..labels.len() * (copy + 2) / 5]);
            for part in frames.chunk_by_mut(|a, b| a.segment == b.segment) {
                let name = Symbol::new(&format!("{}{copy}", part[0].segment));
                part.iter_mut().for_each(|f| f.segment = name);
                all.push(part.to_vec());
            }
        }
        let learn = |parts: &[Vec<Frame>], threads: usize| {
            let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap().with_threads(threads);
            parts.iter().flatten().for_each(|f| learner.observe(f, &mut ()));
            learner.learned(&mut ())
        };
        let one = learn(&all, 1);
        let count = all.len();
        all.rotate_left(turn.index(count));
        all.reverse();
        prop_assert_eq!(&one, &learn(&all, 2));
        // What is remembered fits as the search says.
        let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
        all.iter().flatten().for_each(|f| learner.observe(f, &mut ()));
        let counts = learner.replay(&one.theory()).unwrap();
        for (fit, (_, counts)) in one.fits.iter().zip(counts) {
            let counts: Confusion = counts;
            prop_assert_eq!(fit.counts, counts);
        }
    }
}
