//! Every kind of mistake in a task's texts, and the message it gets.

use oled::{Source, Task, parse_theory};

const MODES: &str = "\
input(happensAt(walking(+person), +time)).
input(happensAt(running(+person), +time)).
input(coords(+person, +pixel, +pixel, +time)).
type(pixel, int).
example(holdsAt(meeting(+person, +person), +time)).
";

const BACKGROUND: &str = "\
distance(24). distance(40).
close(X, Y, D, T) :- coords(X, A, B, T), coords(Y, A, B, T), distance(D).
";

/// All problems of a theory, as they are shown.
fn problems(theory: &str) -> String {
    let modes = format!("{MODES}modeb(close(+person, +person, #distance, +time)).\n");
    problems_with(&modes, BACKGROUND, theory)
}

fn problems_with(modes: &str, background: &str, theory: &str) -> String {
    let task = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", background)).unwrap();
    match parse_theory("t.lp", theory).and_then(|theory| task.check(&theory)) {
        Ok(()) => String::new(),
        Err(problems) => problems.to_string(),
    }
}

#[track_caller]
fn shows(theory: &str, expected: &str) {
    assert_eq!(problems(theory).trim(), expected.trim());
}

#[test]
fn a_correct_theory_has_no_problems() {
    shows("initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T), close(X, Y, 24, T).", "");
}

#[test]
fn what_the_body_leaves_open_in_a_fluent_ranges_over_its_type() {
    shows("initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T).", "");
}

#[test]
fn an_unsafe_variable_is_shown_where_it_stands() {
    shows(
        "near(X, Y, T) :- happensAt(walking(X), T).",
        "
error: the variable `Y` is unsafe: no positive literal of the body binds it
 --> t.lp:1:9
  |
1 | near(X, Y, T) :- happensAt(walking(X), T).
  |         ^
hint: add a positive literal that gives `Y` its values",
    );
}

#[test]
fn a_negated_literal_and_a_comparison_bind_nothing() {
    shows(
        "alone(X, T) :- happensAt(walking(X), T), not close(X, Y, 24, T).
slow(X, T) :- happensAt(walking(X), T), V < 3.",
        "
error: the variable `Y` is unsafe: a negated literal gives no values
 --> t.lp:1:55
  |
1 | alone(X, T) :- happensAt(walking(X), T), not close(X, Y, 24, T).
  |                                                       ^
hint: add a positive literal that gives `Y` its values

error: the variable `V` is unsafe: nothing gives it a value before this comparison
 --> t.lp:2:41
  |
2 | slow(X, T) :- happensAt(walking(X), T), V < 3.
  |                                         ^
hint: add a positive literal that gives `V` its values",
    );
}

#[test]
fn negation_in_a_circle_is_refused() {
    shows(
        "a(X, T) :- happensAt(walking(X), T), not b(X, T).
b(X, T) :- happensAt(walking(X), T), a(X, T).",
        "
error: `a(_, _)` depends on its own negation
 --> t.lp:1:38
  |
1 | a(X, T) :- happensAt(walking(X), T), not b(X, T).
  |                                      ^^^^^^^^^^^
hint: negation must not run in a circle: split the predicate in two, one defined before the other",
    );
}

#[test]
fn recursion_that_computes_is_refused() {
    shows(
        "steps(X, 0, T) :- happensAt(walking(X), T).
steps(X, N + 1, T) :- steps(X, N, T).",
        "
error: a recursive rule computes `N + 1`, which might never end
 --> t.lp:2:1
  |
2 | steps(X, N + 1, T) :- steps(X, N, T).
  | ^^^^^^^^^^^^^^^^^^
hint: take the values of a recursive head from literals of the body; compute with them in a rule of its own",
    );
}

#[test]
fn an_unknown_predicate_gets_a_suggestion() {
    shows(
        "initiatedAt(meeting(X, Y), T) :- happensAt(wlking(X), T), close(X, Y, 24, T).",
        "
error: unknown predicate `happensAt(wlking(_), _)`
 --> t.lp:1:34
  |
1 | initiatedAt(meeting(X, Y), T) :- happensAt(wlking(X), T), close(X, Y, 24, T).
  |                                  ^^^^^^^^^^^^^^^^^^^^^^^
hint: did you mean `happensAt(walking(_), _)`?",
    );
    shows(
        "initiatedAt(meeting(X, Y), T) :- greeting(X, Y, T).",
        "
error: unknown predicate `greeting(_, _, _)`
 --> t.lp:1:34
  |
1 | initiatedAt(meeting(X, Y), T) :- greeting(X, Y, T).
  |                                  ^^^^^^^^^^^^^^^^^
hint: declare it in modes.lp with `input(greeting(+type, +type, +time))` if it comes with the stream, or define it with a rule",
    );
}

#[test]
fn another_number_of_arguments_is_a_clash() {
    shows(
        "initiatedAt(meeting(X, Y), T) :- close(X, Y, T).",
        "
error: `close(_, _, _)` has another number of arguments than `close(_, _, _, _)`
 --> t.lp:1:34
  |
1 | initiatedAt(meeting(X, Y), T) :- close(X, Y, T).
  |                                  ^^^^^^^^^^^^^^
hint: the other is at background.lp:2:1",
    );
}

#[test]
fn types_that_do_not_fit_are_clashes() {
    shows(
        "initiatedAt(meeting(X, Y), T) :- coords(A, X, Y, T).
terminatedAt(meeting(X, Y), T) :- close(X, Y, 25, T).
initiatedAt(meeting(X, Y), T) :- close(X, Y, near, T).",
        "
error: `X` is a `person` here and a `pixel` in `coords(A, X, Y, T)`
 --> t.lp:1:21
  |
1 | initiatedAt(meeting(X, Y), T) :- coords(A, X, Y, T).
  |                     ^
hint: use two variables, or give both arguments the same type

error: `Y` is a `person` here and a `pixel` in `coords(A, X, Y, T)`
 --> t.lp:1:24
  |
1 | initiatedAt(meeting(X, Y), T) :- coords(A, X, Y, T).
  |                        ^
hint: use two variables, or give both arguments the same type

error: `25` is not a `distance`
 --> t.lp:2:47
  |
2 | terminatedAt(meeting(X, Y), T) :- close(X, Y, 25, T).
  |                                               ^^
hint: known are 24, 40; add the fact `distance(25).` to background.lp if it should be one

error: `near` is not a `distance`
 --> t.lp:3:46
  |
3 | initiatedAt(meeting(X, Y), T) :- close(X, Y, near, T).
  |                                              ^^^^
hint: known are 24, 40; add the fact `distance(near).` to background.lp if it should be one",
    );
}

#[test]
fn a_rule_speaks_of_one_time_point() {
    shows(
        "initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T), close(X, Y, 24, S).
initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), 7), close(X, Y, 24, T).
seen(X) :- happensAt(walking(X), T).",
        "
error: the time of `close(X, Y, 24, S)` must be `T`, not `S`
 --> t.lp:1:76
  |
1 | initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), T), close(X, Y, 24, S).
  |                                                                            ^
hint: all conditions of a rule speak of one time point; what it starts or ends changes at the next

error: the time of `happensAt(walking(X), 7)` must be `T`, not `7`
 --> t.lp:2:56
  |
2 | initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), 7), close(X, Y, 24, T).
  |                                                        ^
hint: all conditions of a rule speak of one time point; what it starts or ends changes at the next

error: `seen(X)` does not end in the time `T` of its body
 --> t.lp:3:1
  |
3 | seen(X) :- happensAt(walking(X), T).
  | ^^^^^^^
hint: what depends on a time point is true at that time point only: make the time the last argument",
    );
}

#[test]
fn the_stream_cannot_be_defined() {
    shows(
        "happensAt(walking(X), T) :- happensAt(running(X), T).",
        "
error: `happensAt(walking(_), _)` comes with the stream, so no rule can define it
 --> t.lp:1:1
  |
1 | happensAt(walking(X), T) :- happensAt(running(X), T).
  | ^^^^^^^^^^^^^^^^^^^^^^^^
hint: it is declared as input at modes.lp:1:1; give the head another name",
    );
}

#[test]
fn events_and_fluents_are_named() {
    shows(
        "initiatedAt(meeting(X, Y), T) :- happensAt(E, T), close(X, Y, 24, T).",
        "
error: the first argument of `happensAt` is a variable
 --> t.lp:1:44
  |
1 | initiatedAt(meeting(X, Y), T) :- happensAt(E, T), close(X, Y, 24, T).
  |                                            ^
hint: name the event or fluent: variables stand for its arguments only",
    );
}

#[test]
fn syntax_errors_are_all_found_in_one_go() {
    shows(
        "initiatedAt(meeting(X, Y), T :- close(X, Y, 24, T).
p(X) :- q(X) r(X).
p('open).
p(3x).
p(X) :- X is 3.
not p(a).
p(a) :- q(b)",
        "
error: expected `,` or `)` in the arguments of `initiatedAt`, found `:-`
 --> t.lp:1:30
  |
1 | initiatedAt(meeting(X, Y), T :- close(X, Y, 24, T).
  |                              ^^

error: expected `.` or `,` after this literal, found `r`
 --> t.lp:2:14
  |
2 | p(X) :- q(X) r(X).
  |              ^
hint: is a `,` or a `.` missing before it?

error: this quote is never closed
 --> t.lp:3:3
  |
3 | p('open).
  |   ^
hint: close it with `'` on the same line

error: `3x` is neither a number nor a name
 --> t.lp:4:3
  |
4 | p(3x).
  |   ^^
hint: names start with a letter; put others in quotes: '3x'

error: `is` is not part of the language
 --> t.lp:5:11
  |
5 | p(X) :- X is 3.
  |           ^^
hint: write `D = X - Y`

error: a head cannot be negated
 --> t.lp:6:1
  |
6 | not p(a).
  | ^^^
hint: what is not derived is false

error: expected `.` or `,` after this literal, found the end of the file
 --> t.lp:7:13
  |
7 | p(a) :- q(b)
  |             ^
hint: end the last rule with a full stop",
    );
}

#[test]
fn a_type_nobody_has_values_of_is_reported() {
    let modes = format!("{MODES}modeb(close(+persn, +person, #distance, +time)).\n");
    let problems = Task::parse(&Source::new("modes.lp", modes), &Source::new("background.lp", BACKGROUND)).unwrap_err();
    let text = problems.to_string();
    assert!(text.contains("the type `persn` has no values") && text.contains("did you mean `person`?"), "{text}");
}

#[test]
fn rules_have_no_place_markers() {
    shows(
        "p(+person).
near(X, T) :- happensAt(walking(X), T), close(X, -person, #distance, T).",
        "
error: `+person` is a place marker, which only declarations have
 --> t.lp:1:3
  |
1 | p(+person).
  |   ^^^^^^^
hint: variables start with an upper-case letter

error: `-person` is a place marker, which only declarations have
 --> t.lp:2:50
  |
2 | near(X, T) :- happensAt(walking(X), T), close(X, -person, #distance, T).
  |                                                  ^^^^^^^
hint: variables start with an upper-case letter

error: `#distance` is a place marker, which only declarations have
 --> t.lp:2:59
  |
2 | near(X, T) :- happensAt(walking(X), T), close(X, -person, #distance, T).
  |                                                           ^^^^^^^^^
hint: variables start with an upper-case letter",
    );
}

#[test]
fn a_second_time_in_the_head_is_no_more_than_a_second_time() {
    let text = problems("both(S, T) :- happensAt(walking(_), T), happensAt(running(_), S).");
    assert_eq!(text.matches("error:").count(), 1, "{text}");
}

#[test]
fn a_wrong_time_is_one_problem() {
    shows(
        "initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), S), close(X, Y, 24, S).",
        "
error: the time of `happensAt(walking(X), S)` must be `T`, not `S`
 --> t.lp:1:56
  |
1 | initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), S), close(X, Y, 24, S).
  |                                                        ^
hint: all conditions of a rule speak of one time point; what it starts or ends changes at the next

error: the time of `close(X, Y, 24, S)` must be `T`, not `S`
 --> t.lp:1:76
  |
1 | initiatedAt(meeting(X, Y), T) :- happensAt(walking(X), S), close(X, Y, 24, S).
  |                                                                            ^
hint: all conditions of a rule speak of one time point; what it starts or ends changes at the next",
    );
}

#[test]
fn a_wrong_number_of_arguments_of_the_calculus_is_one_problem() {
    shows(
        "initiatedAt(meeting(X, Y)) :- happensAt(walking(X), T), close(X, Y, 24, T).
terminatedAt(meeting(X, Y), T) :- happensAt(walking(X)).
initiatedAt.",
        "
error: `initiatedAt` takes 2 argument(s), here 1
 --> t.lp:1:1
  |
1 | initiatedAt(meeting(X, Y)) :- happensAt(walking(X), T), close(X, Y, 24, T).
  | ^^^^^^^^^^^^^^^^^^^^^^^^^^
hint: its form is `initiatedAt(fluent, T)`

error: `happensAt` takes 2 argument(s), here 1
 --> t.lp:2:35
  |
2 | terminatedAt(meeting(X, Y), T) :- happensAt(walking(X)).
  |                                   ^^^^^^^^^^^^^^^^^^^^^
hint: its form is `happensAt(event, T)`

error: `initiatedAt` takes 2 argument(s), here 0
 --> t.lp:3:1
  |
3 | initiatedAt.
  | ^^^^^^^^^^^
hint: its form is `initiatedAt(fluent, T)`",
    );
}

#[test]
fn a_fluent_is_not_defined_in_two_ways() {
    let rule = "holdsAt(alone(X), T) :- happensAt(walking(X), T).";
    assert_eq!(
        problems(&format!("{rule}\ninitiatedAt(alone(X), T) :- happensAt(running(X), T).")),
        "\
error: `holdsAt(alone(_), _)` has rules for its start and end and one of its own
 --> t.lp:1:1
  |
1 | holdsAt(alone(X), T) :- happensAt(walking(X), T).
  | ^^^^^^^^^^^^^^^^^^^^
hint: define a fluent either with initiatedAt and terminatedAt, as at t.lp:2:1, or with holdsAt"
    );
    // One rule of the background is enough.
    let background = format!("{BACKGROUND}terminatedAt(alone(X), T) :- happensAt(running(X), T).\n");
    let text = problems_with(MODES, &background, rule);
    assert!(text.contains("has rules for its start and end and one of its own"), "{text}");
    assert!(text.contains("as at background.lp:"), "{text}");
}

#[test]
fn the_rules_say_of_which_kind_a_fluent_is_whatever_is_declared() {
    let rule = "holdsAt(alone(X), T) :- happensAt(walking(X), T).";
    for heads in [
        "modeh(initiatedAt(alone(+person), +time)).\n",
        "modeh(holdsAt(alone(+person), +time)).\n",
        "modeh(terminatedAt(alone(+person), +time)). modeh(holdsAt(alone(+person), +time)).\n",
    ] {
        let modes = format!("{MODES}{heads}");
        assert_eq!(problems_with(&modes, BACKGROUND, rule), "");
        assert_eq!(problems_with(&modes, BACKGROUND, "initiatedAt(alone(X), T) :- happensAt(walking(X), T)."), "");
    }
}

#[test]
fn what_holds_while_conditions_are_met_does_not_begin_and_is_not_started() {
    let rules =
        "holdsAt(alone(X), T) :- happensAt(walking(X), T).\nholdsAt(alone(X), T) :- happensAt(running(X), T).\n";
    assert_eq!(
        problems(&format!("{rules}initially(alone(X)).")),
        "\
error: `alone(X)` holds while conditions are met, so nothing holds initially
 --> t.lp:3:1
  |
3 | initially(alone(X)).
  | ^^^^^^^^^^^^^^^^^^^
hint: take this away, or define the fluent with initiatedAt and terminatedAt instead of holdsAt"
    );
    assert_eq!(
        problems(&format!("{rules}initiatedAt(lost(X), T) :- initiatedAt(alone(X), T).")),
        "\
error: no rule starts `alone(X)`, which holds while conditions are met
 --> t.lp:3:28
  |
3 | initiatedAt(lost(X), T) :- initiatedAt(alone(X), T).
  |                            ^^^^^^^^^^^^^^^^^^^^^^^^
hint: ask for `holdsAt`, or define the fluent with initiatedAt and terminatedAt"
    );
    let circle = "holdsAt(alone(X), T) :- happensAt(walking(X), T), not holdsAt(alone(X), T).";
    assert!(problems(circle).contains("depends on its own negation"), "{}", problems(circle));
}

#[test]
fn fluents_without_arguments_are_all_of_one_kind() {
    assert_eq!(
        problems_with(PLANT, "", "holdsAt(ringing, T) :- happensAt(alarm, T).\ninitiatedAt(flooded, T) :- happensAt(alarm, T)."),
        "\
error: `ringing` holds while conditions are met, and `flooded` persists
 --> t.lp:1:1
  |
1 | holdsAt(ringing, T) :- happensAt(alarm, T).
  | ^^^^^^^^^^^^^^^^^^^
hint: all fluents without arguments are of one kind: define both in one way, or give one of them an argument; the other rule is at t.lp:2:1"
    );
    assert_eq!(problems_with(PLANT, "", "holdsAt(flooded, T) :- happensAt(alarm, T)."), "");
}

/// Two types, and events and fluents without arguments.
const PLANT: &str = "\
input(happensAt(starts(+pump), +time)).
input(level(+tank, +litre, +time)).
input(happensAt(alarm, +time)).
type(litre, int).
example(holdsAt(running(+pump), +time)).
modeh(initiatedAt(flooded, +time)).
";

#[test]
fn what_is_initially_true_has_the_types_of_its_fluent() {
    assert_eq!(
        problems_with(PLANT, "", "initially(running(P)) :- level(P, _, T)."),
        "\
error: `P` is a `pump` here and a `tank` in `level(P, _, T)`
 --> t.lp:1:19
  |
1 | initially(running(P)) :- level(P, _, T).
  |                   ^
hint: use two variables, or give both arguments the same type"
    );
    assert_eq!(problems_with(PLANT, "", "initially(running(P))."), "");
    // From `initially` to the other three, too.
    let text = problems_with(
        PLANT,
        "",
        "initially(full(K)) :- level(K, _, T).\nterminatedAt(full(K), T) :- happensAt(starts(K), T).",
    );
    assert!(text.contains("`K` is a `tank` here and a `pump` in `happensAt(starts(K), T)`"), "{text}");
}

#[test]
fn events_and_fluents_without_arguments_are_known_by_name() {
    assert_eq!(
        problems_with(PLANT, "", "initiatedAt(flooded, T) :- happensAt(alarm, T), not holdsAt(flooded, T)."),
        ""
    );
    assert_eq!(
        problems_with(PLANT, "", "initiatedAt(flooded, T) :- happensAt(alrm, T), not holdsAt(bar, T)."),
        "\
error: unknown predicate `happensAt(alrm, _)`
 --> t.lp:1:28
  |
1 | initiatedAt(flooded, T) :- happensAt(alrm, T), not holdsAt(bar, T).
  |                            ^^^^^^^^^^^^^^^^^^
hint: did you mean `happensAt(alarm, _)`?

error: unknown predicate `holdsAt(bar, _)`
 --> t.lp:1:52
  |
1 | initiatedAt(flooded, T) :- happensAt(alrm, T), not holdsAt(bar, T).
  |                                                    ^^^^^^^^^^^^^^^
hint: declare it in modes.lp with `input(holdsAt(bar, +time))` if it comes with the stream, or define it with a rule"
    );
    assert_eq!(
        problems_with(PLANT, "", "initiatedAt(running, T) :- happensAt(alarm(P), T)."),
        "\
error: `initiatedAt(running, _)` has another number of arguments than `holdsAt(running(_), _)`
 --> t.lp:1:1
  |
1 | initiatedAt(running, T) :- happensAt(alarm(P), T).
  | ^^^^^^^^^^^^^^^^^^^^^^^
hint: the other is at modes.lp:5:1

error: `happensAt(alarm(_), _)` has another number of arguments than `happensAt(alarm, _)`
 --> t.lp:1:28
  |
1 | initiatedAt(running, T) :- happensAt(alarm(P), T).
  |                            ^^^^^^^^^^^^^^^^^^^^^^
hint: the other is at modes.lp:3:1"
    );
}

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
fn symmetric_fluents_are_pairs_of_one_type() {
    let modes = "input(holdsAt(near(+person, +person), +time)).
input(happensAt(brings(+person, +thing), +time)).
example(holdsAt(meeting(+person, +person), +time)).
example(holdsAt(carries(+person, +thing), +time)).
example(holdsAt(mood(+person, +person)=+thing, +time)).
symmetric(meeting/2).
symmetric(meting/2).
symmetric(near/2).
symmetric(carries/2).
symmetric(mood/2).
symmetric(meeting/3).
symmetric(meeting).
symetric(meeting/2).
";
    let background = "holdsAt(even(X, Y), T) :- X = 1, Y = 1, happensAt(brings(_, _), T).";
    let (_, problems) = Task::read(
        &Source::new("modes.lp", format!("{modes}symmetric(even/2).\n")),
        &Source::new("background.lp", background),
    );
    let shown: Vec<String> = problems
        .iter()
        .map(|p| format!("{} {}\n  {}", p.span.place(), p.message, p.hint.as_deref().unwrap_or("no hint")))
        .collect();
    assert_eq!(
        shown.join("\n"),
        "\
modes.lp:11:1 a symmetric fluent has a name and two arguments
  write `symmetric(meeting/2).`
modes.lp:12:1 a symmetric fluent has a name and two arguments
  write `symmetric(meeting/2).`
modes.lp:13:1 unknown declaration `symetric`
  did you mean `symmetric`?
modes.lp:7:11 no fluent `meting/2` is labelled or defined
  did you mean `meeting`?
modes.lp:8:11 `near/2` comes with the stream, so it is as the stream has it
  it is declared as input at modes.lp:1:1; give the fluent another name
modes.lp:9:11 `carries/2` is about a `person` and a `thing`, which are no pair
  the arguments of a symmetric fluent are of one type
modes.lp:10:11 no fluent `mood/2` is labelled or defined
  fluents with two arguments can be symmetric, those with values cannot
modes.lp:14:11 the types of the arguments of `even/2` are not known
  declare them with `example(holdsAt(even(+type, +type), +time)).`"
    );
}

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

#[test]
fn a_type_in_upper_case_is_told_lower_case_and_nothing_else() {
    for (mark, shown) in [("+Machine", "`+machine`"), ("#Machine", "`#machine`")] {
        let modes = format!("input(temp(+machine, {mark}, +time)).\nexample(holdsAt(hot(+machine), +time)).\n");
        let (_, problems) = Task::read(&Source::new("modes.lp", modes), &Source::new("background.lp", ""));
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert_eq!(problem.message, "`Machine` is a variable, not a type");
        assert_eq!(problem.hint.as_deref(), Some(&*format!("types start with a lower-case letter: {shown}")));
        assert_eq!((problem.span.text(), problem.span.place()), (mark, "modes.lp:1:22".into()));
    }
    let (_, problems) = Task::read(
        &Source::new("modes.lp", "modeb(near(+person, -Person, +time))."),
        &Source::new("background.lp", ""),
    );
    assert_eq!(problems[0].hint.as_deref(), Some("types start with a lower-case letter: `-person`"));
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
