//! Bad streams of JSON Lines.

/// Hands the cases to a macro.
macro_rules! jsonl {
    ($cases:ident) => {
        $cases! { jsonl
    jsonl_frames_out_of_order: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk1","time":640,"narrative":[]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
time 640 comes after time 680 in segment `walk1`
 --> walk.jsonl:2:27
  |
2 | {"segment":"walk1","time":640,"narrative":[]}
  |                           ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with the option `lateness=N`, or skip them with the option `lenient`
"#, "skipped 1: 1 frame out of order", "walk1@680:0 walk1@720:0";

    jsonl_duplicate_frame: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a,680)"]}
{"segment":"walk1","time":680,"narrative":["p(b,680)"]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
time 680 comes twice in segment `walk1`
 --> walk.jsonl:2:27
  |
2 | {"segment":"walk1","time":680,"narrative":["p(b,680)"]}
  |                           ^
hint: merge the two frames, or skip the second with the option `lenient`
"#, "skipped 1: 1 duplicate frame", "walk1@680:1 walk1@720:0";

    jsonl_span_after_its_beginning: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a,680)"]}
{"segment":"walk1","from":680,"to":720,"narrative":["p(b,680)"]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
what holds from 680 on comes after time 680 in segment `walk1`
 --> walk.jsonl:2:27
  |
2 | {"segment":"walk1","from":680,"to":720,"narrative":["p(b,680)"]}
  |                           ^
hint: what holds from one time to another comes before the frames between them
"#, "skipped 1: 1 frame out of order", "walk1@680:1 walk1@720:0";

    jsonl_atom_of_another_time: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a,680)","happensAt(walking(id1),720)","p(b,680)"]}
"# => r#"
the atom is about time 720, its frame about time 680
 --> walk.jsonl:1:56
  |
1 | {"segment":"walk1","time":680,"narrative":["p(a,680)","happensAt(walking(id1),720)","p(b,680)"]}
  |                                                        ^
hint: documents of OLED that span several time points are read with the option `from=mongo`
"#, "skipped 1: 1 atom of another time", "walk1@680:2";

    jsonl_atom_with_a_variable: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["happensAt(walking(Id1),680)","p(b,680)"]}
"# => r#"
`Id1` is a variable, and facts have none
 --> walk.jsonl:1:63
  |
1 | {"segment":"walk1","time":680,"narrative":["happensAt(walking(Id1),680)","p(b,680)"]}
  |                                                               ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "walk1@680:1";

    jsonl_number_in_an_atom_that_is_none: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["coords(id1,26x2,5,680)","p(b,680)"]}
"# => r#"
`26x2` is not a number that can be represented
 --> walk.jsonl:1:56
  |
1 | {"segment":"walk1","time":680,"narrative":["coords(id1,26x2,5,680)","p(b,680)"]}
  |                                                        ^
hint: integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter
"#, "skipped 1: 1 bad number", "walk1@680:1";

    jsonl_time_that_is_not_an_integer: "walk.jsonl", r#"{"time":680.5,"narrative":[]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
the time is not an integer
 --> walk.jsonl:1:9
  |
1 | {"time":680.5,"narrative":[]}
  |         ^
hint: times are written like "time":680, without a fraction or quotes
"#, "skipped 1: 1 bad number", "walk1@720:0";

    jsonl_time_in_quotes: "walk.jsonl", r#"{"time":"680"}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
the time is not an integer
 --> walk.jsonl:1:9
  |
1 | {"time":"680"}
  |         ^
hint: times are written like "time":680, without a fraction or quotes
"#, "skipped 1: 1 bad number", "walk1@720:0";

    jsonl_atom_without_a_time: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a)","p(b,680)"]}
"# => r#"
the last argument is not a time (an integer)
 --> walk.jsonl:1:45
  |
1 | {"segment":"walk1","time":680,"narrative":["p(a)","p(b,680)"]}
  |                                             ^
hint: each atom of a stream ends in the time point it belongs to
"#, "skipped 1: 1 missing field", "walk1@680:1";

    jsonl_atom_that_ends_too_early: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680","p(b,680)"]}
"# => r#"
the atom ends too early
 --> walk.jsonl:1:71
  |
1 | {"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680","p(b,680)"]}
  |                                                                       ^
hint: close all brackets and quotes
"#, "skipped 1: 1 syntax error", "walk1@680:1";

    jsonl_escaped_atom_with_a_variable: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(b,680)","q(\"x y\",X,680)"]}
"# => r#"
`X` is a variable, and facts have none
 --> walk.jsonl:1:66
  |
1 | {"segment":"walk1","time":680,"narrative":["p(b,680)","q(\"x y\",X,680)"]}
  |                                                                  ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "walk1@680:1";

    jsonl_truncated_last_line: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk1","time":720,"narr"# => r#"
the input ends in the middle of a line
 --> walk.jsonl:2:36
  |
2 | {"segment":"walk1","time":720,"narr
  |                                    ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with the option `lenient`
"#, "skipped 1: 1 truncated line", "walk1@680:0";

    jsonl_broken_json: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk1" "time":700}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
broken JSON: expected `,` or `}`
 --> walk.jsonl:2:20
  |
2 | {"segment":"walk1" "time":700}
  |                    ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "walk1@680:0 walk1@720:0";

    jsonl_narrative_that_is_no_list: "walk.jsonl", r#"{"time":680,"narrative":"p(680)"}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
invalid type: string "p(680)", expected a list of atoms
 --> walk.jsonl:1:32
  |
1 | {"time":680,"narrative":"p(680)"}
  |                                ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "walk1@720:0";

    jsonl_line_that_is_no_object: "walk.jsonl", r#"[1]
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
invalid type: sequence, expected an object with a time, a narrative and an annotation
 --> walk.jsonl:1:1
  |
1 | [1]
  | ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "walk1@720:0";

    jsonl_two_objects_in_a_line: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]} {"segment":"walk1","time":720,"narrative":[]}
{"segment":"walk1","time":760,"narrative":[]}
"# => r#"
broken JSON: something follows the object
 --> walk.jsonl:1:47
  |
1 | {"segment":"walk1","time":680,"narrative":[]} {"segment":"walk1","time":720,"narrative":[]}
  |                                               ^
hint: write one object a line
"#, "skipped 1: 1 syntax error", "walk1@760:0";

    jsonl_missing_time: "walk.jsonl", r#"{"segment":"walk1","narrative":["p(680)"]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
the frame has no time
 --> walk.jsonl:1:1
  |
1 | {"segment":"walk1","narrative":["p(680)"]}
  | ^
hint: each line needs its time point, as in {"time":680,...}
"#, "skipped 1: 1 missing field", "walk1@720:0";

    jsonl_segment_that_returns: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk2","time":40,"narrative":[]}
{"segment":"walk1","time":720,"narrative":[]}
{"segment":"walk2","time":80,"narrative":[]}
"# => r#"
segment `walk1` returns after another one began
 --> walk.jsonl:3:27
  |
3 | {"segment":"walk1","time":720,"narrative":[]}
  |                           ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
"#, "skipped 1: 1 frame of a segment that returned", "walk1@680:0 walk2@40:0 walk2@80:0";

    jsonl_interleaved_duplicate_frame: "walk.jsonl" interleaved, r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk2","time":40,"narrative":[]}
{"segment":"walk1","time":680,"narrative":[]}
"# => r#"
time 680 comes twice in segment `walk1`
 --> walk.jsonl:3:27
  |
3 | {"segment":"walk1","time":680,"narrative":[]}
  |                           ^
hint: merge the two frames, or skip the second with the option `lenient`
"#, "skipped 1: 1 duplicate frame", "walk1@680:0 walk2@40:0";

    jsonl_line_that_is_not_text: "walk.jsonl", b"\x00\xff{}\n{\"segment\":\"walk1\",\"time\":720,\"narrative\":[]}\n" => "
the line is not UTF-8 text
 --> walk.jsonl:1:2
  |
1 |  �{}
  |  ^
hint: convert the input to UTF-8, or decompress it
", "skipped 1: 1 syntax error", "walk1@720:0";

    jsonl_long_line: "walk.jsonl", long_line() => r#"
`X` is a variable, and facts have none
 --> walk.jsonl:1:663
  |
1 | …"happensAt(walking(id1),680)","happensAt(walking(X),680)","happensAt(walking(id1),680)","happensAt(w…
  |                                                   ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "walk1@680:40";
        }
    };
}
pub(crate) use jsonl;
