//! Weights on streams that do not end: what is decided late is what would have been decided.

use oled::testing::{deterministic, tasks};
use oled::weights::{Confidence, Decision, Firing, FluentChains, FluentWeights, Live, Weights};
use oled::{Frame, Interval, Learner, Replay, ReplaySettings, Symbol, Task, Theory};
use proptest::prelude::*;

use super::{confidence, evenings, fired, lamps, weighed};

/// What is recognised so many time points late.
pub(super) fn late(
    task: &Task,
    theory: &Theory,
    weights: &Weights,
    lag: usize,
    frames: &[Frame],
) -> Vec<(Interval, Confidence)> {
    let mut live = Live::new(Firing::new(task, theory).unwrap(), weights.clone(), Decision::Best, lag);
    let mut closed = Vec::new();
    frames.iter().for_each(|frame| live.observe(frame, &mut closed));
    live.finish(&mut closed);
    closed
}

/// Intervals with their ends, in an order that does not depend on when they were told, and how sure they are.
pub(super) fn sorted(mut intervals: Vec<(Interval, Confidence)>) -> Vec<(String, Confidence)> {
    intervals.sort_by_key(|(i, _)| (i.segment.as_str(), i.first, i.fluent().to_string()));
    let text = |i: &Interval| format!("{} {} {} {} {}", i.segment, i.fluent(), i.first, i.last, i.end);
    intervals.iter().map(|(i, confidence)| (text(i), *confidence)).collect()
}

proptest! {
    #![proptest_config(deterministic(150))]

    #[test]
    fn with_a_long_delay_a_stream_is_recognised_as_a_whole(case in tasks::cases(), decide: bool, lag in prop::option::of(3..12_usize)) {
        let task = case.task();
        let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
        case.frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
        let theory = learner.learned(&mut ()).theory();
        if let Ok(chains) = fired(&task, &theory, &case.frames) {
            let of = |fluent: &FluentChains| FluentWeights { decide, ..confidence(fluent) };
            let weights = Weights { fluents: chains.fluents.iter().map(of).collect() };
            let whole = sorted(chains.intervals(&weights, Decision::Best));
            let late = sorted(late(&task, &theory, &weights, lag.unwrap_or(1000), &case.frames));
            // With a short delay rules alone are the same at least, and the rest is decided early.
            if lag.is_none() || !decide {
                prop_assert_eq!(whole.iter().map(|w| &w.0).collect::<Vec<_>>(), late.iter().map(|l| &l.0).collect::<Vec<_>>());
            }
            if lag.is_none() {
                let close = |(a, b): (&(String, Confidence), &(String, Confidence))| {
                    (a.1.mean - b.1.mean).abs() < 1e-9 && (a.1.weakest - b.1.weakest).abs() < 1e-9
                };
                prop_assert!(whole.iter().zip(&late).all(close));
            }
        }
    }
}

#[test]
fn a_delay_longer_than_what_matters_changes_nothing() {
    let (task, theory) = lamps();
    // One evening after the other, in one segment that does not end: what is quiet is so for up to seventeen time points.
    let mut frames = evenings(40).concat();
    for (time, frame) in frames.iter_mut().enumerate() {
        let mut next = Frame::new(Symbol::new("always"), time as i64);
        next.narrative = frame.narrative.clone();
        *frame = next;
    }
    let training = evenings(8).concat();
    let weights = weighed(&task, &theory, &training).weights;
    let whole = sorted(fired(&task, &theory, &frames).unwrap().intervals(&weights, Decision::Best));
    assert!(whole.len() > 50, "{}", whole.len());
    for lag in [25, 60, 200] {
        let late = sorted(late(&task, &theory, &weights, lag, &frames));
        assert_eq!(
            whole.iter().map(|w| &w.0).collect::<Vec<_>>(),
            late.iter().map(|l| &l.0).collect::<Vec<_>>(),
            "{lag}"
        );
        assert!(whole.iter().zip(&late).all(|(a, b)| (a.1.mean - b.1.mean).abs() < 1e-3), "{lag}");
    }
}
