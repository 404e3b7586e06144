//! Random tasks, theories and streams, judged by clingo and by plain evaluation.

use std::collections::BTreeSet;

use oled::testing::{deterministic, generate, naive};
use oled::{Frame, Precedence, Recogniser, Source, Symbol, Task, Theory, parse_theory};
use oled_asp::judge::{Verdict, judge};
use oled_asp::solver::Limits;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;

/// Streams for each task and theory.
const STREAMS: usize = 4;

/// Judges so many cases, those that are wrong on purpose left out, and calls `found` with the texts of those that differ.
pub(crate) fn judge_cases(cases: usize, mut found: impl FnMut(&str, &str, &Verdict)) -> Verdict {
    let mut runner = TestRunner::new(deterministic(1));
    let mut total = Verdict::default();
    for case in 0..cases {
        let mut background = drawn(&generate::background(), &mut runner);
        if case % 4 < 2 {
            background += &drawn(&generate::candidates(), &mut runner);
        }
        let theory = drawn(&generate::theory(), &mut runner);
        let mut frames = Vec::new();
        for stream in 0..STREAMS {
            for mut frame in drawn(&generate::frames(), &mut runner) {
                frame.segment = Symbol::new(&format!("{}_{stream}", frame.segment.as_str()));
                frames.push(frame);
            }
        }
        let modes = match case % 4 {
            1 => generate::symmetric_modes(),
            3 => generate::equivalence_modes(),
            _ => generate::modes(),
        };
        let Ok(mut task) = Task::parse(&modes, &Source::new("b.lp", background.clone())) else { continue };
        task.options.interleaved = case % 3 == 0;
        task.options.both = Precedence::ALL[case / 2 % 2];
        if case % 5 == 0 {
            task.options.tracked = Some(Vec::new());
        }
        let rules = parse_theory("t.lp", &theory).expect("generated texts parse");
        if task.check(&rules).is_err() {
            continue;
        }
        let verdict = judge(&task, &rules, &frames, &Limits::default()).expect("clingo runs what was checked");
        let plain = naive::axioms(&task, &rules, &frames).expect("the task was checked");
        assert_eq!(recognised(&task, &rules, &frames), plain, "{background}\n{theory}");
        if !verdict.differences.is_empty() {
            found(&background, &theory, &verdict);
        }
        total.add(verdict);
    }
    total
}

/// What holds at each frame, by the library.
fn recognised(task: &Task, theory: &Theory, frames: &[Frame]) -> Vec<BTreeSet<String>> {
    let mut recogniser = Recogniser::new(task, theory).expect("the task was checked");
    let at = |frame: &Frame| {
        recogniser.observe(frame, &mut Vec::new());
        recogniser.holding().map(|(s, v)| oled::calculus::fluent(s, v).to_string()).collect()
    };
    frames.iter().map(at).collect()
}

fn drawn<S: Strategy>(strategy: &S, runner: &mut TestRunner) -> S::Value {
    strategy.new_tree(runner).expect("generators do not fail").current()
}
