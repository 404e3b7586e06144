//! Joins by distance: what follows is what brute force says and what the same rules say where nothing bounds the distance,
//! and the work is that of the rows nearby.

use std::collections::BTreeSet;

use oled::logic::{Model, Program, Vocabulary};
use oled::testing::{deterministic, naive};
use oled::{Atom, Clause, Frame, Signature, Source, Symbol, Task, Term, Value};
use proptest::prelude::*;

const MODES: &str = "input(coords(+thing, +number, +number, +time)). input(place(+thing, +kind, +number, +time)).
    input(reach(+thing, +number, +time)). type(number, real).";

/// Ways to say that two things are close, each with the predicate that says so.
const RULES: [&str; 14] = [
    "p(X, Y, T) :- coords(X, A, B, T), coords(Y, C, D, T), X != Y, sqrt((A - C)^2 + (B - D)^2) <= 3.",
    "p(X, Y, T) :- coords(X, A, B, T), coords(Y, C, D, T), R = sqrt((C - A) * (C - A) + (B - D)^2), 3 > R.",
    "p(X, Y, T) :- coords(X, A, B, T), coords(Y, C, D, T), (A - C)^2 + (B - D)^2 < 9.",
    "p(X, Y, T) :- coords(X, A, B, T), coords(Y, C, D, T), max(abs(A - C), abs(B - D)) <= 2.5.",
    "p(X, Y, T) :- coords(X, A, B, T), coords(Y, C, D, T), abs(A - C) + abs(B - D) <= 3, not X = Y.",
    "p(X, Y, T) :- coords(X, A, _, T), coords(Y, C, _, T), not abs(A - C) > 0.",
    "p(X, Y, T) :- coords(X, A, B, T), coords(Y, C, D, T), U = A - C, V = B - D, S = U^2 + V^2, sqrt(S) = 5.",
    "p(X, Y, T) :- coords(X, A, B, T), reach(X, R, T), coords(Y, C, D, T), sqrt((A - C)^2 + (B - D)^2) <= R.",
    "p(X, Y, T) :- place(X, red, A, T), place(Y, blue, C, T), abs(A + 1 - C) < 2.",
    "step(1). step(2). q(X, Y, N, T) :- coords(X, A, B, T), coords(Y, C, D, T), step(N), sqrt((A-C)^2+(B-D)^2) <= N.
     p(X, Y, T) :- q(X, Y, 1, T). p(X, Y, T) :- q(Y, X, 2, T), q(X, Y, 1, T).",
    "apart(X, Y, R, T) :- coords(X, A, B, T), coords(Y, C, D, T), X != Y, R = sqrt((A - C)^2 + (B - D)^2).
     p(X, Y, T) :- apart(X, Y, R, T), R < 2. p(X, Y, T) :- reach(X, _, T), apart(X, Y, R, T), not R > 4.",
    "apart(X, Y, sqrt((A - C)^2 + (B - D)^2), T) :- coords(X, A, B, T), coords(Y, C, D, T).
     p(X, Y, T) :- apart(X, Y, 0, T). p(X, Y, T) :- apart(X, Y, R, T), not apart(Y, X, R, T), R < 2.
     p(X, X, T) :- apart(X, Y, 5, T).",
    "port(p1, 0, 0). port(p2, 5, 5). port(p3, -3, 9.5). port(e4, 1, 1).
     p(X, Y, T) :- coords(X, A, B, T), port(Y, C, D), sqrt((A - C)^2 + (B - D)^2) <= 2.",
    "p(X, X, T) :- coords(X, _, _, T). p(X, Z, T) :- p(X, Y, T), coords(Y, A, B, T), coords(Z, C, D, T),
     sqrt((A - C)^2 + (B - D)^2) <= 2.",
];

fn task(rules: &str) -> Task {
    Task::parse(&Source::new("modes.lp", MODES), &Source::new("background.lp", rules)).unwrap_or_else(|p| panic!("{p}"))
}

fn number() -> impl Strategy<Value = Value> {
    prop_oneof![
        8 => (-8..8i64).prop_map(Value::Int),
        4 => (-80..80i64).prop_map(|i| Value::Real(i as f64 / 10.0 + 0.0)),
        1 => prop::sample::select(vec![
            Value::Sym(Symbol::new("lost")),
            Value::Int(i64::MAX),
            Value::Int(i64::MIN),
            Value::Int(i64::MAX - 2),
            Value::Real(1e300),
            Value::Real(1e300 + 1e285),
            Value::Real(-1e-200),
            Value::Real(1e-200),
            Value::Real(1e17),
        ]),
    ]
}

/// Facts, as many as make a relation large.
fn frame() -> impl Strategy<Value = Frame> {
    let fact = (0..3u8, 0..40u8, number(), number());
    prop::collection::vec(fact, 0..90).prop_map(|facts| {
        let mut frame = Frame::new(Symbol::new("s"), 1);
        let signature = |text: &str| Signature::of(&oled::parse_atom(text).unwrap());
        let name = |name: String| Value::Sym(Symbol::new(&name));
        for (kind, e, a, b) in facts {
            let thing = name(format!("e{e}"));
            match kind {
                0 => frame.narrative.push(signature("coords(x, 0, 0, 0)"), &[thing, a, b]),
                1 => frame.narrative.push(signature("reach(x, 0, 0)"), &[thing, a]),
                _ => {
                    let kind = if e % 2 == 0 { "red" } else { "blue" };
                    frame.narrative.push(signature("place(x, y, 0, 0)"), &[thing, name(kind.into()), a]);
                    frame.narrative.push(signature("coords(x, 0, 0, 0)"), &[thing, b, a]);
                }
            }
        }
        frame
    })
}

/// The rows of `p` at a frame, in order. With `whole`, everything is wanted, so that nothing bounds what is asked for.
fn rows(task: &Task, frames: &[Frame], whole: bool) -> Vec<Vec<Vec<Value>>> {
    let rules: Vec<&Clause> = task.background.clauses.iter().collect();
    let (vocabulary, _) = Vocabulary::new(&task.bias, &rules);
    let p = Signature::plain(Symbol::new("p"), 3);
    let wanted = if whole { vocabulary.predicates.keys().copied().collect() } else { vec![p] };
    let program = Program::new(&task.bias, &vocabulary, &rules, &wanted).unwrap();
    let mut model = Model::new(&program);
    let of_frame = |frame: &Frame| {
        model.clear(&program);
        model.observe(&program, &frame.narrative);
        model.derive(&program, frame.time);
        model.rows(program.pred(p).unwrap()).rows().map(<[Value]>::to_vec).collect()
    };
    frames.iter().map(of_frame).collect()
}

/// The same rules, where distances are not seen to be some: they are not those of columns.
fn plain(rules: &str) -> String {
    let rules = rules.replace("A - C", "A - (C + 0)").replace("C - A", "C + 0 - A").replace("B - D", "B - (D + 0)");
    rules.replace("A-C", "A-(C+0)").replace("A + 1 - C", "A + 1 - (C + 0)").replace("B-D", "B-(D+0)")
}

proptest! {
    #![proptest_config(deterministic(20))]

    #[test]
    fn rows_nearby_are_what_brute_force_finds(frames in prop::collection::vec(frame(), 1..3)) {
        for rules in RULES {
            let task = task(rules);
            let own = rows(&task, &frames, false);
            let other = self::task(&plain(rules));
            prop_assert_eq!(&own, &rows(&other, &frames, false), "the same rows in the same order: {}", rules);
            let whole = rows(&other, &frames, true);
            for (own, whole) in own.iter().zip(&whole) {
                let (own, whole): (BTreeSet<_>, BTreeSet<_>) = (own.iter().collect(), whole.iter().collect());
                prop_assert_eq!(own, whole, "the same where all is wanted: {}", rules);
            }
            let clauses: Vec<&Clause> = task.background.clauses.iter().collect();
            for (frame, own) in frames.iter().zip(own) {
                let facts: Vec<Atom> = frame.narrative.atoms(frame.time).collect();
                let model = naive::perfect_model(&clauses, &facts, frame.time).unwrap();
                let naive: BTreeSet<String> =
                    model.iter().filter(|a| a.name.as_str() == "p").map(ToString::to_string).collect();
                let atom = |row: Vec<Value>| {
                    let terms = row.into_iter().chain([Value::Int(frame.time)]).map(Term::Value);
                    Signature::plain(Symbol::new("p"), 3).fill(terms).to_string()
                };
                prop_assert_eq!(own.into_iter().map(atom).collect::<BTreeSet<_>>(), naive, "{}", rules);
            }
        }
    }
}

/// Things in a square that grows with them, so that each has as many neighbours.
fn crowd(count: usize) -> Frame {
    let mut frame = Frame::new(Symbol::new("s"), 1);
    let coords = Signature::of(&oled::parse_atom("coords(x, 0, 0, 0)").unwrap());
    let side = (count as f64).sqrt() * 10.0;
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    for i in 0..count {
        let row =
            [Value::Sym(Symbol::new(&format!("e{i}"))), Value::Real(random() * side), Value::Real(random() * side)];
        frame.narrative.push(coords, &row);
    }
    frame
}

fn steps(rules: &str, count: usize) -> (u64, usize) {
    let task = task(rules);
    let clauses: Vec<&Clause> = task.background.clauses.iter().collect();
    let (vocabulary, _) = Vocabulary::new(&task.bias, &clauses);
    let p = Signature::plain(Symbol::new("p"), 3);
    let program = Program::new(&task.bias, &vocabulary, &clauses, &[p]).unwrap();
    let mut model = Model::new(&program);
    model.observe(&program, &crowd(count).narrative);
    model.derive(&program, 1);
    (model.steps(), model.rows(program.pred(p).unwrap()).len())
}

#[test]
fn the_work_of_a_distance_join_grows_with_the_rows_and_not_with_their_pairs() {
    for rules in [RULES[0], RULES[10], RULES[3]] {
        let taken = [1000, 2000, 4000].map(|count| steps(rules, count));
        for (i, (steps, found)) in taken.iter().enumerate() {
            let count = 1000 << i;
            assert!(*steps < 60 * count, "{steps} steps for {count} things: {rules}");
            assert!(*found > count as usize / 10, "{found} pairs: {rules}");
        }
        assert!(taken[2].0 < 5 * taken[0].0, "{taken:?}: {rules}");
        let (before, found) = steps(&plain(rules), 1000);
        assert!(before > 1_000_000, "{before} steps where nothing bounds the distance");
        assert_eq!(found, taken[0].1);
    }
}
