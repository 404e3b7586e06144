//! Mistakes about open thresholds.

use oled::{Source, Task, parse_theory};

use super::{MODES, problems_with};

/// The problems of a task with an open threshold, each in one line: the place, what is wrong and the hint.
#[track_caller]
fn open_shows(looser: &str, background: &str, theory: &str, expected: &str) {
    let modes = format!("{MODES}comparison(close(+person, +person, #real, +time), 3, {looser}).\n");
    let (task, mut problems) =
        Task::read(&Source::new("modes.lp", modes), &Source::new("background.lp", format!("{APART}{background}")));
    let theory = parse_theory("t.lp", theory).unwrap();
    if problems.is_empty()
        && let Err(more) = task.check(&theory)
    {
        problems.extend(more.diagnostics().iter().cloned());
    }
    let shown: Vec<String> = problems.iter().map(|p| format!("{} {}", p.span.place(), p.message)).collect();
    assert_eq!(shown.join("\n"), expected);
    assert!(problems.iter().all(|p| p.hint.is_some()), "every problem has a hint");
}

const APART: &str = "apart(X, Y, R, T) :- coords(X, A, _, T), coords(Y, B, _, T), R = abs(A - B).\n";

#[test]
fn an_open_threshold_needs_a_definition_that_compares_it_once() {
    let close = "close(X, Y, D, T) :- apart(X, Y, R, T), R <= D.";
    for (background, expected) in [
        (close, ""),
        ("close(X, Y, D, T) :- apart(X, Y, R, T), D > R.", ""),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), R <= D.\nclose(X, Y, D, T) :- apart(X, Y, R, T), R < D.",
            "background.lp:3:1 `close`, whose threshold is open, has more than one rule",
        ),
        (
            "close(X, Y, 5, T) :- apart(X, Y, R, T), R <= 5.",
            "background.lp:2:13 the open threshold of `close` is no variable here but `5`",
        ),
        (
            "close(D, Y, D, T) :- apart(D, Y, R, T), R <= D.",
            "background.lp:2:7 `D` is a `real` here and a `person` in `apart(D, Y, R, T)`
background.lp:2:7 the open threshold `D` of `close` stands twice in the head",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), R <= 5.",
            "background.lp:2:13 the open threshold `D` of `close` is compared with nothing",
        ),
        (
            "limit(5). close(X, Y, D, T) :- apart(X, Y, R, T), R <= D, limit(D).",
            "background.lp:2:65 the open threshold `D` of `close` stands in two conditions",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), R <= D + 1.",
            "background.lp:2:46 the open threshold `D` of `close` must stand alone on one side of <, <=, > or >=",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), R = D.",
            "background.lp:2:45 the open threshold `D` of `close` must stand alone on one side of <, <=, > or >=",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), R + D <= D.",
            "background.lp:2:45 the open threshold `D` of `close` must stand alone on one side of <, <=, > or >=",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), R >= D.",
            "background.lp:2:41 `close` is declared to be looser when the threshold is larger, and is so when it is smaller",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, _, T), R <= D.",
            "background.lp:2:41 the variable `R` is unsafe: nothing gives it a value before this comparison",
        ),
        (
            "close(X, Y, D, T) :- apart(X, Y, R, T), close(Y, X, 5, T), R <= D.",
            "background.lp:2:1 `close(_, _, _, _)`, whose threshold is open, is defined by itself",
        ),
    ] {
        open_shows("larger", background, "initiatedAt(meeting(X, Y), T) :- close(X, Y, 25, T).", expected);
    }
    open_shows(
        "smaller",
        close,
        "",
        "background.lp:2:41 `close` is declared to be looser when the threshold is smaller, and is so when it is larger",
    );
}

#[test]
fn a_rule_says_which_open_threshold_it_means() {
    for (theory, expected) in [
        ("initiatedAt(meeting(X, Y), T) :- close(X, Y, 25.5, T).", ""),
        ("initiatedAt(meeting(X, Y), T) :- coords(X, A, _, T), not close(X, Y, A, T).", ""),
        (
            "initiatedAt(meeting(X, Y), T) :- close(X, Y, D, T).",
            "t.lp:1:46 nothing says which threshold of `close` is meant by `D`",
        ),
        (
            "initiatedAt(meeting(X, Y), T) :- not close(X, Y, _, T).",
            "t.lp:1:50 nothing says which threshold of `close` is meant by `_`",
        ),
        (
            "initiatedAt(meeting(X, Y), T) :- close(X, Y, D, T), close(Y, X, D + 1, T).",
            "t.lp:1:46 nothing says which threshold of `close` is meant by `D`
t.lp:1:65 nothing says which threshold of `close` is meant by `D`",
        ),
        ("initiatedAt(meeting(X, Y), T) :- close(X, Y, near, T).", "t.lp:1:46 `near` is not a `real`"),
    ] {
        open_shows("larger", "close(X, Y, D, T) :- apart(X, Y, R, T), R <= D.", theory, expected);
    }
}

#[test]
fn what_never_changes_is_not_asked_for_a_threshold_that_does() {
    let modes = format!("{MODES}comparison(wide(+person, #int), 2, smaller).\n");
    let background = "width(p1, 20). width(p2, 30). wide(X, D) :- width(X, W), W > D.";
    let rule = |threshold: &str| {
        let rule =
            format!("initiatedAt(meeting(X, Y), T) :- coords(X, A, _, T), width(Y, _), not wide(Y, {threshold}).");
        problems_with(&modes, background, &rule)
    };
    assert_eq!(rule("25"), "");
    assert!(
        rule("A").contains("`wide` does not depend on time, so the threshold of `not wide(Y, A)` must be a number")
    );
}

#[test]
fn one_threshold_of_a_predicate_is_open() {
    let modes = format!(
        "{MODES}comparison(within(+person, #int, #int, +time), 2, smaller).
comparison(within(+person, #int, #int, +time), 3, larger).\n"
    );
    let background = "within(X, L, H, T) :- coords(X, A, _, T), A >= L, A <= H.";
    let problems = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background));
    let problems = problems.unwrap_err().to_string();
    assert!(problems.contains("`within(_, _, _, _)` has two open thresholds"), "{problems}");
}

#[test]
fn an_open_threshold_is_not_looked_back_at() {
    let modes = format!(
        "{MODES}horizon(9). modeb(near(+person, #real, +time)). comparison(near(+person, #real, +time), 2, larger).\n"
    );
    let theory = "initiatedAt(meeting(X, Y), T) :- happensAt(walking(Y), T), since(near(X, 25, T), D), D < 3.";
    let shown = problems_with(&modes, "near(X, D, T) :- coords(X, A, _, T), A < D.", theory);
    assert!(shown.contains("error: `since` looks back at `near`, whose threshold is open"), "{shown}");
    assert!(shown.contains("`met(…) :- near(X, 25, T).`, and look back at that"), "{shown}");
}

/// The problem of a threshold of which nothing is declared.
fn threshold(declarations: &str, rules: &str) -> Vec<(String, Option<String>)> {
    let modes = format!("input(temp(+machine, +celsius, +time)).\ntype(celsius, real).\n{declarations}");
    let (_, problems) = Task::read(&Source::new("modes.lp", modes), &Source::new("background.lp", rules));
    problems.into_iter().map(|p| (p.message, p.hint)).collect()
}

#[test]
fn a_forgotten_comparison_is_what_the_hint_says() {
    let mode = "modeb(hot(+machine, #celsius, +time)).";
    for (rule, looser) in [
        ("hot(M, L, T) :- temp(M, V, T), V > L.", "smaller"),
        ("hot(M, L, T) :- temp(M, V, T), L >= V.", "larger"),
        ("hot(M, L, T) :- temp(M, V, T), V <= L.", "larger"),
    ] {
        let [(message, hint)] = <[_; 1]>::try_from(threshold(mode, rule)).unwrap();
        assert_eq!(message, "the variable `L` is unsafe: nothing gives it a value before this comparison");
        let expected = format!(
            "if `L` is a threshold, declare it in modes.lp: `comparison(hot(+machine, #celsius, +time), 2, {looser}).`, \
             and any number may stand there"
        );
        assert_eq!(hint, Some(expected), "{rule}");
        let declared = format!("{mode}\ncomparison(hot(+machine, #celsius, +time), 2, {looser}).");
        assert_eq!(threshold(&declared, rule), []);
    }
}

#[test]
fn a_threshold_whose_values_are_listed_is_told_the_condition_that_is_missing() {
    let mode = "modeb(hot(+machine, #limit, +time)). type(limit, int).";
    let found = threshold(mode, "limit(80). limit(90). hot(M, L, T) :- temp(M, V, T), V > L.");
    let hint = "add the condition `limit(L)`, so that `L` is one of the values that are listed";
    assert_eq!(found[0].1.as_deref(), Some(hint));
    assert_eq!(found.len(), 1);
}

#[test]
fn for_how_long_is_a_number_or_an_open_threshold() {
    let shown = |declarations: &str, rules: &str, theory: &str| -> Vec<String> {
        let modes = format!(
            "input(temp(+machine, +celsius, +time)).\ntype(celsius, real).\nhorizon(60).\n\
             example(holdsAt(hot(+machine), +time)).\n{declarations}"
        );
        let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", rules));
        let problems = match task {
            Err(problems) => problems,
            Ok(task) => match parse_theory("t.lp", theory).and_then(|theory| task.check(&theory)) {
                Ok(()) => return Vec::new(),
                Err(problems) => problems,
            },
        };
        let hint = |hint: Option<String>| hint.unwrap_or_default();
        problems.diagnostics().iter().map(|p| format!("{} | {}", p.message, hint(p.hint.clone()))).collect()
    };
    let both = "comparison(long(+machine, #celsius, #int, +time), 2, smaller).
                comparison(long(+machine, #celsius, #int, +time), 3, smaller).";
    let rule = "long(M, L, D, T) :- never_below(V, temp(M, V, T), D, N), N >= L.";
    assert_eq!(shown(both, rule, "holdsAt(hot(M), T) :- long(M, 70, 12, T)."), [""; 0]);
    assert_eq!(
        shown(both, rule, "holdsAt(hot(M), T) :- long(M, 70, 90, T)."),
        ["`long(M, 70, 90, T)` looks back 90 time units, further than the horizon of 60 | \
          declare `horizon(90).` in modes.lp: memory grows with it"]
    );
    let number = "`long` takes a whole number of time units, at least 1, not `D` | \
                  for how long is the same for all instances of a rule: write a number";
    assert_eq!(shown(both, rule, "holdsAt(hot(M), T) :- long(M, 70, D, T)."), [number]);
    let larger = both.replace("3, smaller", "3, larger");
    assert_eq!(
        shown(&larger, rule, ""),
        ["a longer time of `long(_, _, _, _)` is met less often | declare for how long with `smaller`"]
    );
    let one = "comparison(long(+machine, #celsius, #int, +time), 2, smaller).";
    let learned = "where it is to be learned, the rule defines a predicate with two open thresholds, and `comparison` declares \
                   both of them";
    assert_eq!(shown(one, rule, ""), [format!("for how long is a number of time units here, not `D` | {learned}")]);
    assert_eq!(
        shown("", "", "holdsAt(hot(M), T) :- temp(M, D, T), never_below(V, temp(M, V, T), D, N), N > 5."),
        [format!("for how long is a number of time units here, not `D` | {learned}")]
    );
    assert_eq!(
        shown("", "", "holdsAt(hot(M), T) :- never_below(V, temp(M, V, T), N), N > 5."),
        ["`never_below` does not say for how long | write a number of time units before the result: \
          `never_below(V, load(M, V, T), 60, N)`"]
    );
    assert_eq!(
        shown("", "", "holdsAt(hot(M), T) :- never_above(V, temp(M, V, T), 70, N), N < 5."),
        ["`never_above(V, temp(M, V, T), 70, N)` looks back 70 time units, further than the horizon of 60 | \
          declare `horizon(70).` in modes.lp: memory grows with it"]
    );
    let two = "far(M, L, D, T) :- temp(M, V, T), V >= L, V >= D.";
    let shown = shown(&both.replace("long", "far"), two, "");
    let two = shown.iter().find(|p| p.starts_with("`far(_, _, _, _)` has two open thresholds | "));
    assert!(two.is_some_and(|p| p.contains("never_below(V, load(M, V, T), D, N), N >= L")), "{shown:?}");
}
