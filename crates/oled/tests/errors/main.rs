//! Every kind of mistake in a task's texts, and the message it gets.

mod fluents;
mod past;
mod thresholds;

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
        Err(problems) => problems.as_errors(),
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
