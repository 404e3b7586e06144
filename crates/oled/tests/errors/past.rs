//! Mistakes in conditions that look back, and in sets of which one is true at a time.

use oled::{Source, Task};

use super::{BACKGROUND, MODES, problems_with};

/// The one problem of a rule that looks back, without its place; with a horizon or without.
#[track_caller]
fn looking_back(horizon: &str, rule: &str, expected: &str) {
    let text = problems_with(&format!("{MODES}{horizon}\n"), BACKGROUND, rule);
    let lines = text.lines().filter(|l| l.starts_with("error:") || l.starts_with("hint:"));
    assert_eq!(lines.collect::<Vec<_>>().join("\n"), expected, "{text}");
}

#[test]
fn a_condition_that_looks_back_is_shown_as_it_is_written() {
    assert_eq!(
        problems_with(MODES, "", "was(X, T) :- ago(happensAt(walking(X), T), 25)."),
        "\
error: nothing says how far rules may look back in time
 --> t.lp:1:14
  |
1 | was(X, T) :- ago(happensAt(walking(X), T), 25).
  |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: declare `horizon(25).` in modes.lp"
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), ago(coords(X, A, B, S), 25).",
        "error: the time of `ago(coords(X, A, B, S), 25)` must be `T`, not `S`\n\
         hint: all conditions of a rule speak of one time point; what it starts or ends changes at the next",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- since(coords(X, A, B, T), D), happensAt(walking(A), T).",
        "error: `A` is a `person` here and a `pixel` in `since(coords(X, A, B, T), D)`\n\
         hint: use two variables, or give both arguments the same type",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- since(happensAt(walking(X), T), D), happensAt(running(D), T).",
        "error: `D` is a `person` here and a `int` in `since(happensAt(walking(X), T), D)`\n\
         hint: use two variables, or give both arguments the same type",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), not since(happensAt(running(X), T), D).",
        "error: the variable `D` is unsafe: a negated literal gives no values\n\
         hint: add a positive literal that gives `D` its values",
    );
}

#[test]
fn rules_look_back_as_far_as_the_horizon() {
    looking_back(
        "horizon(20).",
        "was(X, T) :- ago(happensAt(walking(X), T), 25).",
        "error: `ago(happensAt(walking(X), T), 25)` looks back 25 time units, further than the horizon of 20\n\
         hint: declare `horizon(25).` in modes.lp: memory grows with it",
    );
    looking_back(
        "horizon(20).",
        "was(X, T) :- lasting(happensAt(walking(X), T), D), D > 20.",
        "error: `lasting(happensAt(walking(X), T), D)` looks back 21 time units, further than the horizon of 20\n\
         hint: declare `horizon(21).` in modes.lp: memory grows with it",
    );
    looking_back("horizon(20).", "was(X, T) :- lasting(happensAt(walking(X), T), D), 20 <= D.", "");
    looking_back(
        "horizon(20).",
        "was(X, T) :- frames_ago(happensAt(walking(X), T), 10001).",
        "error: `frames_ago(happensAt(walking(X), T), 10001)` looks back more than 10000 time points\n\
         hint: look back time units with `ago`",
    );
    looking_back(
        "horizon(20).",
        "was(X, T) :- within(happensAt(walking(X), T), 5, 21), last(coords(X, _, _, T), D), D < 40.",
        "error: `within(happensAt(walking(X), T), 5, 21)` looks back 21 time units, further than the horizon of 20\n\
         hint: declare `horizon(21).` in modes.lp: memory grows with it\n\
         error: `last(coords(X, _, _, T), D)` looks back 40 time units, further than the horizon of 20\n\
         hint: declare `horizon(40).` in modes.lp: memory grows with it",
    );
    let (_, problems) = Task::read(
        &Source::new("modes.lp", "horizon(0). horizon(5). horizon(6). horizon(many)."),
        &Source::new("background.lp", ""),
    );
    let text: Vec<String> = problems.iter().map(|p| p.message.clone()).collect();
    assert_eq!(
        text,
        [
            "the horizon is a whole number of time units, at least 1, not `0`",
            "the horizon is declared twice",
            "the horizon is a whole number of time units, at least 1, not `many`"
        ]
    );
}

#[test]
fn a_condition_that_looks_back_has_its_form() {
    let whole = "hint: how far a rule looks back is the same for all its instances; `since` gives a number that varies";
    looking_back(
        "horizon(50).",
        "was(X, T) :- ago(coords(X, _, _, T), N).",
        &format!("error: `ago` looks back a whole number of time units, at least 1, not `N`\n{whole}"),
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), frames_ago(coords(X, _, _, T), 0).",
        &format!("error: `frames_ago` looks back a whole number of time points, at least 1, not `0`\n{whole}"),
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), lasting(coords(X, _, _, T), long).",
        "error: the second argument of `lasting` is a number of time units, not `long`\n\
         hint: give it a variable, and compare that: `D >= 50`",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), ago(since(coords(X, _, _, T), _), 3).",
        "error: `ago` looks back at `since`, which looks back itself\n\
         hint: give the inner condition a name by a rule, and look back at that",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), lasting(not happensAt(running(X), T), D), D > 3.",
        "error: `lasting` looks back at an atom, not at a negated one\n\
         hint: put `not` before the whole condition, or give what is not true a name by a rule",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), ago(coords(X, A, B, T - 5), 5).",
        "error: `coords(X, A, B, T - 5)` does not end in the time of the rule\n\
         hint: look back at an atom as it is written for now: `ago(coords(X, A, B, T), 25)`",
    );
    for (condition, expected) in [
        (
            "count(coords(X, _, _, T), M, N)",
            "error: `count` looks back a whole number of time units, at least 1, not `M`\n\
             hint: how far a rule looks back is the same for all its instances: `count(happensAt(failed(U, _), T), 60, N)`",
        ),
        (
            "sum(coords(X, _, _, T), 5, N)",
            "error: `sum` does not say of which values\nhint: name the value first: `sum(V, load(M, V, T), 60, N)`",
        ),
        (
            "sum(V, coords(X, _, _, T), 5, N)",
            "error: the value `V` of `sum` must stand once in `coords(X, _, _, T)`\n\
             hint: name one of its arguments: `sum(V, load(M, V, T), 60, N)`",
        ),
        (
            "max(V, coords(X, V, _, T), 51, N)",
            "error: `max(V, coords(X, V, _, T), 51, N)` looks back 51 time units, further than the horizon of 50\n\
             hint: declare `horizon(51).` in modes.lp: memory grows with it",
        ),
        (
            "count(was(X, _, T), 5, N)",
            "error: `was(_, _, _)` counts itself, which is not possible\n\
             hint: what is counted must be known before: split the predicate in two, one defined before the other",
        ),
    ] {
        let rule = format!("was(X, N, T) :- happensAt(walking(X), T), {condition}.");
        looking_back("horizon(50).", &rule, expected);
    }
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), within(coords(X, _, _, T), 5, N).",
        &format!("error: `within` takes two whole numbers of time units, not `5` and `N`\n{whole}"),
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), within(coords(X, _, _, T), 9, 5).",
        "error: `within` takes the smaller number first, and 9 is larger than 5\n\
         hint: `within(atom, 5, 25)`: at least 5 time units ago, and at most 25",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), within(coords(X, _, _, T), 5).",
        "error: unknown predicate `within(coords(_, _, _, _), _)`\n\
         hint: a condition that looks back has the form `within(happensAt(walking(X), T), 5, 25)`",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), last(X, T).",
        "error: unknown predicate `last(_, _)`\n\
         hint: a condition that looks back has the form `last(coords(X, A, B, T))`, or `last(coords(X, A, B, T), D)` with its age `D`",
    );
    looking_back(
        "horizon(50).",
        "was(X, T) :- happensAt(walking(X), T), ago(X, 5).",
        "error: unknown predicate `ago(_, _)`\n\
         hint: a condition that looks back has the form `ago(coords(X, A, B, T), 25)`",
    );
}

#[test]
fn what_is_looked_back_at_exists_changes_and_does_not_look_back_at_itself() {
    looking_back(
        "horizon(50).",
        "was(X, T) :- ago(happensAt(wlking(X), T), 5).",
        "error: unknown predicate `happensAt(wlking(_), _)`\nhint: did you mean `happensAt(walking(_), _)`?",
    );
    looking_back(
        "horizon(50).",
        "was(D, T) :- happensAt(walking(_), T), ago(distance(D), 5).",
        "error: `distance(_)` is the same at all times\n\
         hint: look back at what depends on a time point: its last argument is the time",
    );
    let circle = "error: `a(_, _)` looks back at itself, which is not possible\n\
                  hint: rules look back at what is known without them; for what goes on from one time point to the next, \
                  use a fluent with initiatedAt and terminatedAt";
    looking_back("horizon(50).", "a(X, T) :- happensAt(walking(X), T).\na(X, T) :- ago(a(X, T), 5).", circle);
    looking_back(
        "horizon(50).",
        "a(X, T) :- happensAt(walking(X), T), not since(b(X, T), _).\nb(X, T) :- a(X, T), happensAt(running(X), T).",
        circle,
    );
    // What goes on from one time point to the next is a fluent, and may be looked back at.
    looking_back(
        "horizon(50).",
        "initiatedAt(tired(X), T) :- happensAt(running(X), T).
         terminatedAt(tired(X), T) :- lasting(holdsAt(tired(X), T), D), D >= 50.",
        "",
    );
}

#[test]
fn what_looks_back_is_no_predicate() {
    looking_back(
        "horizon(50).",
        "since(walking(X), T) :- happensAt(walking(X), T).",
        "error: `since` looks back in time: it is a condition of rules, and no predicate\nhint: give the head another name",
    );
    let modes = format!("{MODES}horizon(50). modeb(ago(coords(+person, -pixel, -pixel, +time), 5)).");
    let (_, problems) = Task::read(&Source::new("modes.lp", modes), &Source::new("background.lp", BACKGROUND));
    let text: Vec<String> = problems.iter().map(ToString::to_string).collect();
    assert_eq!(text.len(), 1, "{}", text.join("\n"));
    assert!(text[0].contains("look back in a rule of background.lp, and declare what it defines"), "{}", text[0]);
    // Other predicates may have such names.
    looking_back(
        "",
        "since(X, T) :- happensAt(walking(X), T).\nboth(X, T) :- since(X, T), happensAt(running(X), T).",
        "",
    );
}

#[test]
fn an_exclusive_set_is_about_the_same() {
    let shown = |declared: &str| {
        let modes = Source::new("modes.lp", format!("{MODES}horizon(9). {declared}"));
        let (_, problems) = Task::read(&modes, &Source::new("background.lp", BACKGROUND));
        problems.iter().map(|p| format!("{} | {}", p.message, p.hint.clone().unwrap_or_default())).collect::<Vec<_>>()
    };
    let (walking, running) = ("happensAt(walking(+person), +time)", "happensAt(running(+person), +time)");
    assert_eq!(shown(&format!("exclusive({walking}, {running}).")), [""; 0]);
    assert_eq!(
        shown(&format!("exclusive({walking}, coords(+person, +pixel, -pixel, +time)).")),
        ["`happensAt(walking(+person), +time)` and `coords(+person, +pixel, -pixel, +time)` are not about the same | \
          all have the same `+` arguments, in the same order; `-type` stands for what excludes each other"]
    );
    assert_eq!(
        shown(&format!("exclusive({walking}, {walking}).")),
        ["`happensAt(walking(+person), +time)` stands twice in one exclusive set | \
          each is named once, with `-type` for the values that exclude each other"]
    );
    assert_eq!(shown(&format!("exclusive({walking}). exclusive({running}, {walking}).")).len(), 1, "it is in two sets");
    assert_eq!(
        shown("exclusive(initiatedAt(meeting(+person, +person), +time))."),
        ["`initiatedAt` cannot be one of an exclusive set | its members are events, fluents and ordinary predicates"]
    );
    assert_eq!(
        shown("exclusive(happensAt(wlking(+person), +time))."),
        ["unknown predicate `happensAt(wlking(_), _)` | did you mean `happensAt(walking(_), _)`?"]
    );
}
