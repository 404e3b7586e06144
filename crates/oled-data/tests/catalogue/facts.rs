//! Bad streams of facts.

/// Hands the cases to a macro.
macro_rules! facts {
    ($cases:ident) => {
        $cases! { facts
    facts_out_of_order: "walk.lp", "p(a,680).
p(a,640).
p(b,640).
p(b,680).
p(a,720).
" => "
time 640 comes after time 680 in segment `main`
 --> walk.lp:2:1
  |
2 | p(a,640).
  | ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with the option `lateness=N`, or skip them with the option `lenient`
", "skipped 1: 1 frame out of order", "main@680:2 main@720:1";

    facts_duplicate_frame: "walk.lp" interleaved, "segment(a). p(1). segment(b). p(1). segment(a). p(1). p(2).
" => "
time 1 comes twice in segment `a`
 --> walk.lp:1:49
  |
1 | segment(a). p(1). segment(b). p(1). segment(a). p(1). p(2).
  |                                                 ^
hint: merge the two frames, or skip the second with the option `lenient`
", "skipped 1: 1 duplicate frame", "a@1:1 b@1:1 a@2:1";

    facts_atom_with_a_variable: "walk.lp", "p(a,680). happensAt(walking(X),680). p(2.5,680).
" => "
`X` is a variable, and facts have none
 --> walk.lp:1:29
  |
1 | p(a,680). happensAt(walking(X),680). p(2.5,680).
  |                             ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 1: 1 atom with a variable", "main@680:2";

    facts_bad_number: "walk.lp", "p(a,680).
p(99999999999999999999,680).
" => "
`99999999999999999999` is not a number that can be represented
 --> walk.lp:2:3
  |
2 | p(99999999999999999999,680).
  |   ^
hint: integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter
", "skipped 1: 1 bad number", "main@680:1";

    facts_truncated_last_line: "walk.lp", "p(a,680).
happensAt(walking(id1),6" => "
the input ends in the middle of a line
 --> walk.lp:2:25
  |
2 | happensAt(walking(id1),6
  |                         ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with the option `lenient`
", "skipped 1: 1 truncated line", "main@680:1";

    facts_without_a_full_stop: "walk.lp", "p(a,680)
p(b,680).
" => "
expected a full stop after the fact
 --> walk.lp:1:9
  |
1 | p(a,680)
  |         ^
hint: facts look like `happensAt(walking(id1),680).`
", "skipped 1: 1 syntax error", "main@680:1";

    facts_that_are_rules: "walk.lp", "p(a,680) :- q(a,680). p(b,680).
" => "
expected a full stop after the fact
 --> walk.lp:1:10
  |
1 | p(a,680) :- q(a,680). p(b,680).
  |          ^
hint: facts look like `happensAt(walking(id1),680).`
", "skipped 1: 1 syntax error", "main@680:1";

    facts_example_that_is_not_closed: "walk.lp", "example(holdsAt(moving(a,b),680). p(b,680).
" => "
expected `)`
 --> walk.lp:1:33
  |
1 | example(holdsAt(moving(a,b),680). p(b,680).
  |                                 ^
hint: close the bracket, as in `example(holdsAt(meeting(id1,id2),680)).`
", "skipped 1: 1 syntax error", "main@680:1";

    facts_atom_without_a_time: "walk.lp", "p(a). p(b,680).
" => "
the last argument is not a time (an integer)
 --> walk.lp:1:1
  |
1 | p(a). p(b,680).
  | ^
hint: each atom of a stream ends in the time point it belongs to
", "skipped 1: 1 missing field", "main@680:1";

    facts_segment_that_is_no_name: "walk.lp", "segment(X). segment(f(x)). p(b,680).
" => "
`X` is a variable, and facts have none
 --> walk.lp:1:9
  |
1 | segment(X). segment(f(x)). p(b,680).
  |         ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 2: 1 syntax error, 1 atom with a variable", "main@680:1";

    facts_segment_that_returns: "walk.lp", "segment(a).
p(1).
segment(b).
p(1).
segment(a).
p(2).
q(2).
segment(b).
p(2).
" => "
segment `a` returns after another one began
 --> walk.lp:6:1
  |
6 | p(2).
  | ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
", "skipped 1: 1 frame of a segment that returned", "a@1:1 b@1:1 b@2:1";
        }
    };
}
pub(crate) use facts;
