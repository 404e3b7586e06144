//! Random tasks, theories and streams that are well-formed by construction.

use std::fmt::Write;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::lang::{Source, Symbol, parse_theory};
use crate::stream::{FactReader, Frame};
use crate::task::Task;

/// The declarations of every generated task: entities, a number of each, events and links between them.
pub fn modes() -> Arc<Source> {
    Source::new(
        "modes.lp",
        "input(happensAt(a(+entity), +time)).
         input(happensAt(b(+entity), +time)).
         input(link(+entity, +entity, +time)).
         input(size(+entity, +number, +time)).
         type(number, real).
         exclusive(happensAt(a(+entity), +time), happensAt(b(+entity), +time)).
         horizon(4).
         example(holdsAt(f(+entity), +time)).
         example(holdsAt(g(+entity, +entity), +time)).",
    )
}

/// The same declarations, and that `g` is an equivalence.
pub fn equivalence_modes() -> Arc<Source> {
    Source::new("modes.lp", format!("{}\nequivalence(g/2).", modes().text))
}

/// The same declarations, and that the order of the arguments of `g` does not matter.
pub fn symmetric_modes() -> Arc<Source> {
    Source::new("modes.lp", format!("{}\nsymmetric(g/2).", modes().text))
}

/// What every background starts with, so that each predicate exists.
const FIXED: &str = "limit(1). limit(3). base(e1). base(e3). fixed(X) :- base(X), not limit(X).
    d0(X, T) :- happensAt(b(X), T), fixed(X).
    d1(X, Y, T) :- link(Y, X, T), fixed(X).
    d2(X, T) :- entity(X, T), fixed(X).
    d3(X, N, T) :- size(X, N, T), fixed(X).
";

/// Rules for `d0` to `d3`, as text: joins, negation, recursion, comparisons, arithmetic, operations in heads and
/// arguments, anonymous variables, static facts, looking back. Some are unsafe and some negate in a circle.
pub fn background() -> impl Strategy<Value = String> {
    vec((rule(), 0..20u8), 0..7).prop_map(|rules| {
        with_rules(FIXED.to_string(), rules, |text| Task::parse(&modes(), &Source::new("b.lp", text)).is_ok())
    })
}

/// Adds rules one by one. One that makes the text wrong is left out nineteen times out of twenty, so that most texts are
/// right and some are not.
fn with_rules(mut text: String, rules: Vec<(String, u8)>, is_right: impl Fn(&str) -> bool) -> String {
    for (rule, luck) in rules {
        let longer = format!("{text}{rule}");
        if luck == 0 || is_right(&longer) {
            text = longer;
        }
    }
    text
}

const VARIABLES: [&str; 3] = ["X", "Y", "Z"];
const ENTITIES: [&str; 5] = ["e1", "e2", "e3", "e4", "e5"];

fn entity() -> impl Strategy<Value = &'static str> {
    prop_oneof![9 => prop::sample::select(&VARIABLES[..]), 1 => Just("e1"), 1 => Just("_")]
}

/// A condition: what it says, and whether it can stand negated.
fn literal() -> BoxedStrategy<String> {
    let atom = prop_oneof![
        entity().prop_map(|x| format!("happensAt(a({x}), T)")),
        entity().prop_map(|x| format!("happensAt(b({x}), T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("link({x}, {y}, T)")),
        (entity(), prop::sample::select(&["N", "M", "2", "_"][..])).prop_map(|(x, n)| format!("size({x}, {n}, T)")),
        entity().prop_map(|x| format!("d0({x}, T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("d1({x}, {y}, T)")),
        entity().prop_map(|x| format!("d2({x}, T)")),
        (entity(), prop::sample::select(&["N", "M", "M + 1"][..])).prop_map(|(x, n)| format!("d3({x}, {n}, T)")),
        entity().prop_map(|x| format!("fixed({x})")),
        entity().prop_map(|x| format!("entity({x}, T)")),
        Just("limit(N)".to_string()),
    ];
    let comparison = (
        prop::sample::select(
            &[
                "N",
                "N + M",
                "X",
                "abs(N - 2)",
                "N / M",
                "sqrt(N)",
                "max(N, M)",
                "N // M",
                "(N - 5) mod M",
                "N mod (M - 2)",
                "time_of_day(T * 30000 - N)",
                "weekday(T * 50000)",
            ][..],
        ),
        prop::sample::select(&["=", "!=", "<", "<=", ">", ">="][..]),
        prop::sample::select(&["M", "2", "Y", "N * 2", "M ^ 2", "T - 1"][..]),
    )
        .prop_map(|(l, op, r)| format!("{l} {op} {r}"));
    prop_oneof![
        6 => atom.clone(),
        2 => atom.prop_map(|a| format!("not {a}")),
        2 => gathering(),
        1 => gathering().prop_map(|a| format!("not {a}")),
        2 => looking_back(),
        1 => looking_back().prop_map(|a| format!("not {a}")),
        1 => comparison.clone(),
        1 => comparison.prop_map(|c| format!("not {c}")),
    ]
    .boxed()
}

/// A condition about earlier time points.
fn looking_back() -> BoxedStrategy<String> {
    let atom = prop_oneof![
        entity().prop_map(|x| format!("happensAt(a({x}), T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("link({x}, {y}, T)")),
        (entity(), prop::sample::select(&["N", "M", "2", "_", "M + 1"][..]))
            .prop_map(|(x, n)| format!("size({x}, {n}, T)")),
        entity().prop_map(|x| format!("d0({x}, T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("d1({x}, {y}, T)")),
        (entity(), prop::sample::select(&["N", "M"][..])).prop_map(|(x, n)| format!("d3({x}, {n}, T)")),
        entity().prop_map(|x| format!("entity({x}, T)")),
    ];
    back(atom.boxed())
}

/// A condition that counts or adds up, now or over a window.
fn gathering() -> BoxedStrategy<String> {
    let counted = prop_oneof![
        entity().prop_map(|x| format!("happensAt(a({x}), T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("link({x}, {y}, T)")),
        entity().prop_map(|x| format!("size({x}, _, T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("d1({x}, {y}, T)")),
        entity().prop_map(|x| format!("d0({x}, T)")),
        entity().prop_map(|x| format!("V, link({x}, V, T)")),
        entity().prop_map(|x| format!("V, d1(V, {x}, T)")),
        entity().prop_map(|x| format!("V, size({x}, V, T)")),
    ];
    let count = counted.prop_map(|of| ("count", of));
    let words = prop::sample::select(&["sum", "min", "max", "mean"][..]);
    let value = (words, entity()).prop_map(|(word, x)| (word, format!("V, size({x}, V, T)")));
    let window = prop::sample::select(&["", ", 1", ", 2", ", 4"][..]);
    let result = prop::sample::select(&["N", "M", "_", "1", "2", "3", "M + 1"][..]);
    let gathered = (prop_oneof![2 => count, 1 => value], window, result.clone())
        .prop_map(|((word, of), window, result)| format!("{word}({of}{window}, {result})"));
    let of =
        prop_oneof![entity().prop_map(|x| format!("size({x}, V, T)")), entity().prop_map(|x| format!("d1({x}, V, T)"))];
    let throughout = (prop::sample::select(&["never_below", "never_above"][..]), of, 1..5, result)
        .prop_map(|(word, of, span, result)| format!("{word}(V, {of}, {span}, {result})"));
    prop_oneof![3 => gathered, 1 => throughout].boxed()
}

/// A condition that looks back at an atom.
fn back(atom: impl Strategy<Value = String> + Clone + 'static) -> BoxedStrategy<String> {
    let units = prop::sample::select(&["D", "N", "_", "2", "0", "N + 1"][..]);
    prop_oneof![
        (atom.clone(), 1..5).prop_map(|(a, n)| format!("ago({a}, {n})")),
        (atom.clone(), 1..4).prop_map(|(a, n)| format!("frames_ago({a}, {n})")),
        (atom.clone(), units.clone()).prop_map(|(a, d)| format!("lasting({a}, {d})")),
        (atom.clone(), units.clone()).prop_map(|(a, d)| format!("since({a}, {d})")),
        atom.clone().prop_map(|a| format!("last({a})")),
        (atom.clone(), units).prop_map(|(a, d)| format!("last({a}, {d})")),
        (atom, 0..3i64, 0..3i64).prop_map(|(a, near, more)| format!("within({a}, {near}, {})", (near + more).min(4))),
    ]
    .boxed()
}

fn rule() -> impl Strategy<Value = String> {
    let head = prop_oneof![
        prop::sample::select(&VARIABLES[..]).prop_map(|x| format!("d0({x}, T)")),
        (prop::sample::select(&VARIABLES[..]), prop::sample::select(&VARIABLES[..]))
            .prop_map(|(x, y)| format!("d1({x}, {y}, T)")),
        prop::sample::select(&VARIABLES[..]).prop_map(|x| format!("d2({x}, T)")),
        (prop::sample::select(&VARIABLES[..]), prop::sample::select(&["N", "N + 1", "M"][..]))
            .prop_map(|(x, n)| format!("d3({x}, {n}, T)")),
    ];
    // Enough positive literals in front that most rules are safe.
    let safe = prop_oneof![
        Just("link(X, Y, T)"),
        Just("link(X, Y, T), size(X, N, T)"),
        Just("link(X, Y, T), link(Y, Z, T)"),
        Just("size(X, N, T), size(Y, M, T)"),
        Just("happensAt(a(X), T)"),
        Just("d1(X, Y, T)"),
        Just("d0(X, T), size(X, N, T)"),
    ];
    (head, safe, vec(literal(), 0..4)).prop_map(|(head, safe, literals)| {
        let mut text = format!("{head} :- {safe}");
        literals.iter().for_each(|l| write!(text, ", {l}").expect("strings can be written to"));
        text + ".\n"
    })
}

/// Rules for the fluents `f` and `g`, for `v`, which has values, and for `h`, as text. Each of the first three is of one
/// kind in most texts: rules start and end it, or say when it holds, which they always do of `h`.
pub fn theory() -> impl Strategy<Value = String> {
    let fluent = prop_oneof![
        entity().prop_map(|x| format!("holdsAt(f({x}), T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("holdsAt(g({x}, {y}), T)")),
        entity().prop_map(|x| format!("holdsAt(v({x})=low, T)")),
        entity().prop_map(|x| format!("initiatedAt(f({x}), T)")),
        entity().prop_map(|x| format!("terminatedAt(f({x}), T)")),
        (entity(), entity()).prop_map(|(x, y)| format!("terminatedAt(g({x}, {y}), T)")),
    ]
    .boxed();
    let body = vec(
        prop_oneof![
            literal(),
            entity().prop_map(|x| format!("holdsAt(f({x}), T)")),
            entity().prop_map(|x| format!("not holdsAt(f({x}), T)")),
            (entity(), entity()).prop_map(|(x, y)| format!("holdsAt(g({x}, {y}), T)")),
            entity().prop_map(|x| format!("holdsAt(v({x})=low, T)")),
            entity().prop_map(|x| format!("initiatedAt(f({x}), T)")),
            back(fluent.clone()),
            back(fluent).prop_map(|l| format!("not {l}")),
        ],
        0..3,
    );
    let head = prop::sample::select(
        &[
            "initiatedAt(f(X), T) :- happensAt(a(X), T)",
            "terminatedAt(f(X), T) :- happensAt(b(X), T)",
            "initiatedAt(g(X, Y), T) :- link(X, Y, T)",
            "terminatedAt(g(X, Y), T) :- holdsAt(g(X, Y), T)",
            "initiatedAt(v(X)=low, T) :- happensAt(a(X), T)",
            "initiatedAt(v(X)=high, T) :- happensAt(b(X), T)",
            "terminatedAt(v(X)=V, T) :- holdsAt(v(X)=V, T), link(X, Y, T)",
            "holdsAt(h(X, Y), T) :- link(X, Y, T)",
            "initially(f(X)) :- happensAt(b(X), T)",
            "initially(f(X)) :- base(X)",
            "initiatedAt(f(X), T) :- lasting(d0(X, T), D), D >= 2",
            "terminatedAt(f(X), T) :- lasting(holdsAt(f(X), T), D), D > 2",
            "initiatedAt(g(X, Y), T) :- since(link(X, Y, T), D), D <= 3",
            "expires(f(X), 2)",
            "expires(g(X, Y), 3, extendable)",
            "expires(v(X)=low, 2, v(X)=high)",
            "initiatedAt(f(X), T) :- last(happensAt(a(X), T))",
            "terminatedAt(f(X), T) :- last(size(X, N, T), D), D <= 2, N > 2",
            "initiatedAt(g(X, Y), T) :- within(link(X, Y, T), 1, 3)",
            "initiatedAt(f(X), T) :- count(link(X, _, T), 3, N), N >= 2",
            "terminatedAt(f(X), T) :- mean(V, size(X, V, T), 4, N), N > 2",
            "initiatedAt(f(X), T) :- count(happensAt(a(X), T), 2, N), N mod 2 = 0",
            "holdsAt(h(X, Y), T) :- link(X, Y, T), sum(V, size(X, V, T), N), N // 2 < 3",
        ][..],
    );
    let rule = (head, body).prop_map(|(head, body)| {
        let mut text = head.to_string();
        // A deadline has no conditions.
        let body = if text.starts_with("expires") { Vec::new() } else { body };
        body.iter().for_each(|l| write!(text, ", {l}").expect("strings can be written to"));
        text + ".\n"
    });
    (vec((rule, 0..20u8), 1..8), any::<[bool; 3]>()).prop_map(|(mut rules, whiles)| {
        let task = Task::parse(&modes(), &Source::new("b.lp", FIXED)).expect("the fixed part is right");
        for (fluent, _) in ["f(", "g(", "v("].into_iter().zip(whiles).filter(|(_, is_while)| *is_while) {
            rules.iter_mut().for_each(|(rule, _)| *rule = held_while(rule, fluent));
        }
        with_rules(String::new(), rules, |text| {
            task.check(&parse_theory("t.lp", text).expect("generated texts parse")).is_ok()
        })
    })
}

/// A rule that starts or ends a fluent as one that says when it holds; any other as it is.
fn held_while(rule: &str, fluent: &str) -> String {
    let heads = ["initiatedAt(", "terminatedAt("].map(|act| (format!("{act}{fluent}"), format!("holdsAt({fluent}")));
    let initially = (format!("initially({fluent}X))"), format!("holdsAt({fluent}X), T)"));
    for (head, new) in heads.into_iter().chain([initially]) {
        if let Some(rest) = rule.strip_prefix(&head) {
            return new + rest;
        }
    }
    rule.to_string()
}

/// Who is looked at, as text that is added to a background; nothing, where all are.
pub fn candidates() -> impl Strategy<Value = String> {
    let of_f = [
        "",
        "",
        "candidates(f(X), T) :- d2(X, T).\n",
        "candidates(f(X), T) :- entity(X, T), not happensAt(b(X), T).\n",
        "candidates(f(X), T) :- happensAt(a(X), T).\ncandidates(f(X), T) :- since(d0(X, T), D), D < 3.\n",
    ];
    let of_g = [
        "",
        "candidates(g(X, Y), T) :- entity(X, T), entity(Y, T).\n",
        "candidates(g(X, Y), T) :- link(X, Y, T).\n",
        "candidates(g(X, Y), T) :- size(X, N, T), size(Y, M, T), abs(N - M) <= 1.\n",
        "candidates(g(X, Y), T) :- d1(X, Y, T).\ncandidates(g(X, e1), T) :- entity(X, T).\n",
    ];
    (prop::sample::select(of_f.to_vec()), prop::sample::select(of_g.to_vec())).prop_map(|(f, g)| format!("{f}{g}"))
}

/// A short stream of a few segments, with gaps in time and entities that come and go. Every fact's atom has a value in
/// each place that the declarations of [`modes`] have.
pub fn frames() -> impl Strategy<Value = Vec<Frame>> {
    let fact = (0..4usize, 0..ENTITIES.len(), 0..ENTITIES.len(), 0..5i64);
    vec((vec((1..3i64, vec(fact, 0..10)), 1..8), 0..1u8), 1..3).prop_map(|segments| {
        let mut reader = FactReader::default();
        let mut frames = Vec::new();
        for (i, (points, _)) in segments.into_iter().enumerate() {
            let mut time = 0;
            for (step, facts) in points {
                time += step;
                let mut frame = Frame::new(Symbol::new(&format!("s{i}")), time);
                for (kind, x, y, n) in facts {
                    let (x, y) = (ENTITIES[x], ENTITIES[y]);
                    let text = match kind {
                        0 => format!("happensAt(a({x}), {time})"),
                        1 => format!("happensAt(b({x}), {time})"),
                        2 => format!("link({x}, {y}, {time})"),
                        _ => format!("size({x}, {n}, {time})"),
                    };
                    reader.read(&text, &mut frame.narrative).expect("generated facts are well-formed");
                }
                frames.push(frame);
            }
        }
        frames
    })
}
