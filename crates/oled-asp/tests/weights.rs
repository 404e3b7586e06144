//! The best states of chains with weights, against clingo with weak constraints.
#![cfg(feature = "clingo")]

use std::fmt::Write;

use oled::testing::deterministic;
use oled::weights::{ScoredRun, Scores, decode};
use oled_asp::solver::{Limits, solve};
use proptest::prelude::*;

/// A program whose optimal models are the best states: what a step is worth is what its opposite costs.
fn program(steps: &[&Scores]) -> String {
    let (last, states) = (steps.len(), steps[0].states() - 1);
    let mut program = format!("y(0, 0). 1 {{ y(T, 0..{states}) }} 1 :- T = 1..{last}.\n");
    for (t, scores) in steps.iter().enumerate() {
        for (before, now) in (0..scores.states()).flat_map(|before| (0..scores.states()).map(move |now| (before, now)))
        {
            // Nothing holds before the first step. Weak constraints have costs, so the worth is taken from a bound.
            let worth = 100 - scores.step(before, now) as i64;
            writeln!(program, ":~ y({t}, {before}), y({}, {now}). [{worth}@1, {t}]", t + 1).unwrap();
        }
    }
    program + "#show y/2.\n"
}

proptest! {
    #![proptest_config(deterministic(60))]

    #[test]
    fn clingo_finds_no_better_states(
        // For each run what speaks for each state, and for staying in it: two states, or those of a fluent with two values.
        runs in (2..4_usize).prop_flat_map(|states| {
            prop::collection::vec((prop::collection::vec((0..5_i8, 0..4_i8), states), 1..4_u32), 1..5)
        })
    ) {
        let scores = |cells: &Vec<(i8, i8)>| {
            Scores::new(cells.iter().map(|&(enter, stay)| [f64::from(enter), f64::from(enter + stay)]))
        };
        let runs: Vec<(Scores, u32)> = runs.iter().map(|(cells, length)| (scores(cells), *length)).collect();
        let scored: Vec<ScoredRun> = runs.iter().map(|(scores, length)| ScoredRun { scores, length: *length }).collect();
        let steps: Vec<&Scores> = runs.iter().flat_map(|(s, length)| std::iter::repeat_n(s, *length as usize)).collect();
        let (score, states) = decode(&scored);
        let answer = solve(&program(&steps), &["--opt-strategy=usc"], &Limits::default()).unwrap();
        let best = answer.best().unwrap();
        prop_assert!(answer.is_optimal());
        prop_assert_eq!(best.cost.clone(), vec![100 * steps.len() as i64 - score as i64]);
        // The states that were decoded have that cost: their atoms are as good as those of the model.
        let path: Vec<usize> = states.iter().flat_map(|s| s.parts()).flat_map(|(s, n)| vec![s; n as usize]).collect();
        let before = std::iter::once(0).chain(path.iter().copied());
        let worth: f64 = before.zip(&path).zip(&steps).map(|((a, b), scores)| scores.step(a, *b)).sum();
        prop_assert_eq!(worth, score);
    }
}
