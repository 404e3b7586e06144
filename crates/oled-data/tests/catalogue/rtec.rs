//! Bad streams of RTEC's delimited text.

/// Hands the cases to a macro.
macro_rules! rtec {
    ($cases:ident) => {
        $cases! { rtec
    rtec_out_of_order: "walk.psv", "walking|680|680|true|id0
walking|640|640|true|id0
active|640|640|true|id1
walking|720|720|true|id0
" => "
time 640 comes after time 680 in segment `main`
 --> walk.psv:2:9
  |
2 | walking|640|640|true|id0
  |         ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with the option `lateness=N`, or skip them with the option `lenient`
", "skipped 1: 1 frame out of order", "main@680:1 main@720:1";

    rtec_duplicate_frame: "walk.psv" interleaved, "# segment a
w|1|1|true|x
# segment b
w|1|1|true|x
# segment a
w|1|1|true|x
" => "
time 1 comes twice in segment `a`
 --> walk.psv:6:3
  |
6 | w|1|1|true|x
  |   ^
hint: merge the two frames, or skip the second with the option `lenient`
", "skipped 1: 1 duplicate frame", "a@1:1 b@1:1";

    rtec_time_that_is_none: "walk.psv", "walking|680|six|true|id0
walking|680|680|true|id0
" => "
the time `six` is not an integer
 --> walk.psv:1:13
  |
1 | walking|680|six|true|id0
  |             ^
hint: the second and the third field are times
", "skipped 1: 1 bad number", "main@680:1";

    rtec_bad_number: "walk.psv", "speed|680|680|1e999|id0
walking|680|680|true|id0
" => "
`1e999` is not a number that can be represented
 --> walk.psv:1:15
  |
1 | speed|680|680|1e999|id0
  |               ^
hint: integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter
", "skipped 1: 1 bad number", "main@680:1";

    rtec_variable: "walk.psv", "walking|680|680|true|id0|Id1
walking|680|680|true|id0
" => "
`Id1` is a variable, and facts have none
 --> walk.psv:1:26
  |
1 | walking|680|680|true|id0|Id1
  |                          ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 1: 1 atom with a variable", "main@680:1";

    rtec_name_that_is_a_variable: "walk.psv", "Walking|680|680|true|id0
walking|680|680|true|id0
" => "
`Walking` is a variable, and facts have none
 --> walk.psv:1:1
  |
1 | Walking|680|680|true|id0
  | ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 1: 1 atom with a variable", "main@680:1";

    rtec_two_terms_in_a_field: "walk.psv", "walking|680|680|true|id0,id1
walking|680|680|true|id0
" => "
expected one term
 --> walk.psv:1:22
  |
1 | walking|680|680|true|id0,id1
  |                      ^
hint: between two bars stands one term, such as `id0` or `'Id 0'`
", "skipped 1: 1 syntax error", "main@680:1";

    rtec_missing_times: "walk.psv", "walking|680
walking|680|680|true|id0
" => "
expected a name and two times, with bars between them
 --> walk.psv:1:12
  |
1 | walking|680
  |            ^
hint: lines look like `appear|680|680|id0` after a line `# event appear/1`, or like `walking|680|680|true|id0`
", "skipped 1: 1 missing field", "main@680:1";

    rtec_missing_value: "walk.psv", "walking|680|680
walking|680|680|true|id0
" => "
the fluent has no value
 --> walk.psv:1:16
  |
1 | walking|680|680
  |                ^
hint: lines look like `appear|680|680|id0` after a line `# event appear/1`, or like `walking|680|680|true|id0`
", "skipped 1: 1 missing field", "main@680:1";

    rtec_empty_field: "walk.psv", "walking|680|680|true|
walking|680|680|true|id0
" => "
a field is empty
 --> walk.psv:1:22
  |
1 | walking|680|680|true|
  |                      ^
hint: write a term between the bars
", "skipped 1: 1 missing field", "main@680:1";

    rtec_truncated_last_line: "walk.psv", "walking|680|680|true|id0
walking|72" => "
the input ends in the middle of a line
 --> walk.psv:2:11
  |
2 | walking|72
  |           ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with the option `lenient`
", "skipped 1: 1 truncated line", "main@680:1";

    rtec_segment_that_returns: "walk.psv", "# segment a
w|1|1|true|x
# segment b
w|1|1|true|x
# segment a
w|2|2|true|x
# time 3
# segment b
w|2|2|true|x
" => "
segment `a` returns after another one began
 --> walk.psv:6:3
  |
6 | w|2|2|true|x
  |   ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
", "skipped 2: 2 frames of segments that returned", "a@1:1 b@1:1 b@2:1";
        }
    };
}
pub(crate) use rtec;
