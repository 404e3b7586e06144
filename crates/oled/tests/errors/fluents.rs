//! Mistakes about events and fluents: their times, their kinds, their arguments.

use oled::{Source, Task};

use super::{BACKGROUND, MODES, problems, problems_with, shows};

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
fn fluents_without_arguments_are_each_of_their_own_kind() {
    let both = "holdsAt(ringing, T) :- happensAt(alarm, T).\ninitiatedAt(flooded, T) :- happensAt(alarm, T), holdsAt(ringing, T).";
    assert_eq!(problems_with(PLANT, "", both), "");
    let twice = "holdsAt(flooded, T) :- happensAt(alarm, T).\ninitiatedAt(flooded, T) :- happensAt(alarm, T).";
    assert!(
        problems_with(PLANT, "", twice)
            .contains("`holdsAt(flooded, _)` has rules for its start and end and one of its own")
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
