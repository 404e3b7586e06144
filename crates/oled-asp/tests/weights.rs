//! The best states of chains with weights, against clingo with weak constraints.
#![cfg(feature = "clingo")]

use std::fmt::Write;

use oled::testing::deterministic;
use oled::weights::{Scores, Stretch, decode};
use oled_asp::solver::{Limits, solve};
use proptest::prelude::*;

/// A program whose optimal models are the best states: what a step is worth is what its opposite costs.
fn program(steps: &[Scores]) -> String {
    let mut program = format!("{{ y(1..{}) }}.\n", steps.len());
    for (t, scores) in steps.iter().enumerate() {
        for (before, row) in scores.iter().enumerate() {
            for (now, score) in row.iter().enumerate() {
                let literal = |time: usize, state: usize| format!("{}y({time})", if state == 1 { "" } else { "not " });
                let (from, to) = (literal(t, before), literal(t + 1, now));
                // Nothing holds before the first step. Weak constraints have costs, so the worth is taken from a bound.
                writeln!(program, ":~ {from}, {to}. [{}@1, {t}]", 100 - *score as i64).unwrap();
            }
        }
    }
    program + "#show y/1.\n"
}

proptest! {
    #![proptest_config(deterministic(60))]

    #[test]
    fn clingo_finds_no_better_states(
        runs in prop::collection::vec((0..5_i8, 0..5_i8, 0..4_i8, 0..4_i8, 1..4_u32), 1..5)
    ) {
        let stretches: Vec<Stretch> = runs
            .iter()
            .map(|&(starts, ends, holding, absent, length)| {
                let [starts, ends, holding, absent] = [starts, ends, holding, absent].map(f64::from);
                let holding = if ends > 0.0 { 0.0 } else { holding };
                let absent = if starts > 0.0 { 0.0 } else { absent };
                Stretch { scores: [[ends + absent, starts], [ends, starts + holding]], length }
            })
            .collect();
        let steps: Vec<Scores> =
            stretches.iter().flat_map(|s| std::iter::repeat_n(s.scores, s.length as usize)).collect();
        let (score, states) = decode(&stretches);
        let answer = solve(&program(&steps), &["--opt-strategy=usc"], &Limits::default()).unwrap();
        let best = answer.best().unwrap();
        prop_assert!(answer.is_optimal());
        prop_assert_eq!(best.cost.clone(), vec![100 * steps.len() as i64 - score as i64]);
        // The states that were decoded have that cost: their atoms are as good as those of the model.
        let path: Vec<usize> = states.iter().flat_map(|s| s.parts()).flat_map(|(s, n)| vec![s; n as usize]).collect();
        let before = std::iter::once(0).chain(path.iter().copied());
        let worth: f64 = before.zip(&path).zip(&steps).map(|((a, b), scores)| scores[a][*b]).sum();
        prop_assert_eq!(worth, score);
    }
}
