//! The catalogue of bad streams: `name: file, input => message, what lenient mode skips, what is left;`. The tests of the
//! readers go through it, and those of the program, which make a page of the book of it.

/// Hands all cases to a macro.
macro_rules! catalogue {
    ($cases:ident) => {
        $cases! {
    jsonl_frames_out_of_order: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk1","time":640,"narrative":[]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: time 640 comes after time 680 in segment `walk1`
 --> walk.jsonl:2:27
  |
2 | {"segment":"walk1","time":640,"narrative":[]}
  |                           ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with `--lateness N`, or skip them with `--lenient`
"#, "skipped 1: 1 frame out of order", "walk1@680:0 walk1@720:0";

    jsonl_duplicate_frame: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a,680)"]}
{"segment":"walk1","time":680,"narrative":["p(b,680)"]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: time 680 comes twice in segment `walk1`
 --> walk.jsonl:2:27
  |
2 | {"segment":"walk1","time":680,"narrative":["p(b,680)"]}
  |                           ^
hint: merge the two frames, or skip the second with `--lenient`
"#, "skipped 1: 1 duplicate frame", "walk1@680:1 walk1@720:0";

    jsonl_span_after_its_beginning: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a,680)"]}
{"segment":"walk1","from":680,"to":720,"narrative":["p(b,680)"]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: what holds from 680 on comes after time 680 in segment `walk1`
 --> walk.jsonl:2:27
  |
2 | {"segment":"walk1","from":680,"to":720,"narrative":["p(b,680)"]}
  |                           ^
hint: what holds from one time to another comes before the frames between them
"#, "skipped 1: 1 frame out of order", "walk1@680:1 walk1@720:0";

    jsonl_atom_of_another_time: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a,680)","happensAt(walking(id1),720)","p(b,680)"]}
"# => r#"
error: the atom is about time 720, its frame about time 680
 --> walk.jsonl:1:56
  |
1 | {"segment":"walk1","time":680,"narrative":["p(a,680)","happensAt(walking(id1),720)","p(b,680)"]}
  |                                                        ^
hint: documents of OLED that span several time points are read with `--from mongo`
"#, "skipped 1: 1 atom of another time", "walk1@680:2";

    jsonl_atom_with_a_variable: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["happensAt(walking(Id1),680)","p(b,680)"]}
"# => r#"
error: `Id1` is a variable, and facts have none
 --> walk.jsonl:1:63
  |
1 | {"segment":"walk1","time":680,"narrative":["happensAt(walking(Id1),680)","p(b,680)"]}
  |                                                               ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "walk1@680:1";

    jsonl_number_in_an_atom_that_is_none: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["coords(id1,26x2,5,680)","p(b,680)"]}
"# => r#"
error: `26x2` is not a number that can be represented
 --> walk.jsonl:1:56
  |
1 | {"segment":"walk1","time":680,"narrative":["coords(id1,26x2,5,680)","p(b,680)"]}
  |                                                        ^
hint: integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter
"#, "skipped 1: 1 bad number", "walk1@680:1";

    jsonl_time_that_is_not_an_integer: "walk.jsonl", r#"{"time":680.5,"narrative":[]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: the time is not an integer
 --> walk.jsonl:1:9
  |
1 | {"time":680.5,"narrative":[]}
  |         ^
hint: times are written like "time":680, without a fraction or quotes
"#, "skipped 1: 1 bad number", "walk1@720:0";

    jsonl_time_in_quotes: "walk.jsonl", r#"{"time":"680"}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: the time is not an integer
 --> walk.jsonl:1:9
  |
1 | {"time":"680"}
  |         ^
hint: times are written like "time":680, without a fraction or quotes
"#, "skipped 1: 1 bad number", "walk1@720:0";

    jsonl_atom_without_a_time: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(a)","p(b,680)"]}
"# => r#"
error: the last argument is not a time (an integer)
 --> walk.jsonl:1:45
  |
1 | {"segment":"walk1","time":680,"narrative":["p(a)","p(b,680)"]}
  |                                             ^
hint: each atom of a stream ends in the time point it belongs to
"#, "skipped 1: 1 missing field", "walk1@680:1";

    jsonl_atom_that_ends_too_early: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680","p(b,680)"]}
"# => r#"
error: the atom ends too early
 --> walk.jsonl:1:71
  |
1 | {"segment":"walk1","time":680,"narrative":["happensAt(walking(id1),680","p(b,680)"]}
  |                                                                       ^
hint: close all brackets and quotes
"#, "skipped 1: 1 syntax error", "walk1@680:1";

    jsonl_escaped_atom_with_a_variable: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":["p(b,680)","q(\"x y\",X,680)"]}
"# => r#"
error: `X` is a variable, and facts have none
 --> walk.jsonl:1:66
  |
1 | {"segment":"walk1","time":680,"narrative":["p(b,680)","q(\"x y\",X,680)"]}
  |                                                                  ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "walk1@680:1";

    jsonl_truncated_last_line: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk1","time":720,"narr"# => r#"
error: the input ends in the middle of a line
 --> walk.jsonl:2:36
  |
2 | {"segment":"walk1","time":720,"narr
  |                                    ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with `--lenient`
"#, "skipped 1: 1 truncated line", "walk1@680:0";

    jsonl_broken_json: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]}
{"segment":"walk1" "time":700}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: broken JSON: expected `,` or `}`
 --> walk.jsonl:2:20
  |
2 | {"segment":"walk1" "time":700}
  |                    ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "walk1@680:0 walk1@720:0";

    jsonl_narrative_that_is_no_list: "walk.jsonl", r#"{"time":680,"narrative":"p(680)"}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: invalid type: string "p(680)", expected a list of atoms
 --> walk.jsonl:1:32
  |
1 | {"time":680,"narrative":"p(680)"}
  |                                ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "walk1@720:0";

    jsonl_line_that_is_no_object: "walk.jsonl", r#"[1]
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: invalid type: sequence, expected an object with a time, a narrative and an annotation
 --> walk.jsonl:1:1
  |
1 | [1]
  | ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "walk1@720:0";

    jsonl_two_objects_in_a_line: "walk.jsonl", r#"{"segment":"walk1","time":680,"narrative":[]} {"segment":"walk1","time":720,"narrative":[]}
{"segment":"walk1","time":760,"narrative":[]}
"# => r#"
error: broken JSON: something follows the object
 --> walk.jsonl:1:47
  |
1 | {"segment":"walk1","time":680,"narrative":[]} {"segment":"walk1","time":720,"narrative":[]}
  |                                               ^
hint: write one object a line
"#, "skipped 1: 1 syntax error", "walk1@760:0";

    jsonl_missing_time: "walk.jsonl", r#"{"segment":"walk1","narrative":["p(680)"]}
{"segment":"walk1","time":720,"narrative":[]}
"# => r#"
error: the frame has no time
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
error: segment `walk1` returns after another one began
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
error: time 680 comes twice in segment `walk1`
 --> walk.jsonl:3:27
  |
3 | {"segment":"walk1","time":680,"narrative":[]}
  |                           ^
hint: merge the two frames, or skip the second with `--lenient`
"#, "skipped 1: 1 duplicate frame", "walk1@680:0 walk2@40:0";

    jsonl_line_that_is_not_text: "walk.jsonl", b"\x00\xff{}\n{\"segment\":\"walk1\",\"time\":720,\"narrative\":[]}\n" => "
error: the line is not UTF-8 text
 --> walk.jsonl:1:2
  |
1 |  �{}
  |  ^
hint: convert the input to UTF-8, or decompress it
", "skipped 1: 1 syntax error", "walk1@720:0";

    jsonl_long_line: "walk.jsonl", long_line() => r#"
error: `X` is a variable, and facts have none
 --> walk.jsonl:1:663
  |
1 | …"happensAt(walking(id1),680)","happensAt(walking(X),680)","happensAt(walking(id1),680)","happensAt(w…
  |                                                   ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "walk1@680:40";

    mongo_documents_out_of_order: "walk.json", r#"{"_id":1,"time":680,"narrative":["p(680)","p(720)"]}
{"_id":2,"narrative":["p(680)","p(760)"]}
"# => r#"
error: time 680 comes after time 720 in segment `main`
 --> walk.json:2:24
  |
2 | {"_id":2,"narrative":["p(680)","p(760)"]}
  |                        ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with `--lateness N`, or skip them with `--lenient`
"#, "skipped 1: 1 frame out of order", "main@680:1 main@720:1 main@760:1";

    mongo_atom_with_a_variable: "walk.json", r#"{"_id":1,"time":680,"annotation":["example(holdsAt(meeting(id1,X),680))","example(p(680))"]}
"# => r#"
error: `X` is a variable, and facts have none
 --> walk.json:1:64
  |
1 | {"_id":1,"time":680,"annotation":["example(holdsAt(meeting(id1,X),680))","example(p(680))"]}
  |                                                                ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "main@680:1";

    mongo_bad_number: "walk.json", r#"{"_id":1,"time":{"$numberInt":"68O"}}
{"_id":2,"time":720}
"# => r#"
error: the time is not an integer
 --> walk.json:1:17
  |
1 | {"_id":1,"time":{"$numberInt":"68O"}}
  |                 ^
hint: times are written like 680, "680" or {"$numberLong":"680"}
"#, "skipped 1: 1 bad number", "main@720:0";

    mongo_truncated_last_line: "walk.json", r#"{"_id":1,"time":680}
{"_id":2,"time":7"# => r#"
error: the input ends in the middle of a line
 --> walk.json:2:18
  |
2 | {"_id":2,"time":7
  |                  ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with `--lenient`
"#, "skipped 1: 1 truncated line", "main@680:0";

    mongo_broken_json: "walk.json", r#"{"_id":1,"time":680}
{"_id":2,time:720}
{"_id":3,"time":760}
"# => r#"
error: broken JSON: key must be a string
 --> walk.json:2:10
  |
2 | {"_id":2,time:720}
  |          ^
hint: each line is an object such as {"time":680,"narrative":["happensAt(walking(id1),680)"],"annotation":[]}
"#, "skipped 1: 1 syntax error", "main@680:0 main@760:0";

    mongo_lists_within_lists: "walk.json", r#"{"_id":1,"time":680}
[[[[{"_id":2,"time":720}
{"_id":3,"time":760}
"# => r#"
error: broken JSON: a list within a list
 --> walk.json:2:2
  |
2 | [[[[{"_id":2,"time":720}
  |  ^
hint: write one document a line, or a list of them: `[{…},{…}]`
"#, "skipped 1: 1 syntax error", "main@680:0 main@760:0";

    mongo_commas_without_documents: "walk.json", r#"[{"_id":1,"time":680},,,
{"_id":2,"time":720}]
"# => r#"
error: broken JSON: a comma that does not follow a document of a list
 --> walk.json:1:23
  |
1 | [{"_id":1,"time":680},,,
  |                       ^
hint: write one document a line, or a list of them: `[{…},{…}]`
"#, "skipped 1: 1 syntax error", "main@680:0 main@720:0";

    mongo_documents_without_a_comma: "walk.json", r#"[{"_id":1,"time":680}
{"_id":2,"time":720}]
"# => r#"
error: broken JSON: no comma between two documents of a list
 --> walk.json:2:1
  |
2 | {"_id":2,"time":720}]
  | ^
hint: write one document a line, or a list of them: `[{…},{…}]`
"#, "skipped 1: 1 syntax error", "main@680:0";

    mongo_list_that_never_ends: "walk.json", r#"[{"_id":1,"time":680},
{"_id":2,"time":720}
"# => "
error: the input ends within a list of documents: `]` is missing
 --> walk.json:2:1
  |
2 | 
  | ^
hint: it was probably cut off while it was written: export it again
", "skipped 1: 1 truncated line", "main@680:0 main@720:0";

    mongo_document_without_time_and_atoms: "walk.json", r#"{"_id":1,"time":680}
{"_id":2}
"# => r#"
error: the document has neither a time nor atoms
 --> walk.json:2:1
  |
2 | {"_id":2}
  | ^
hint: each document needs its time point, as in {"time":680,...}
"#, "skipped 1: 1 missing field", "main@680:0";

    mongo_segment_that_returns: "walk.json", r#"{"_id":1,"segment":"a","time":1}
{"segment":"b","time":1}
{"segment":"a","time":2}
"# => r#"
error: segment `a` returns after another one began
 --> walk.json:3:23
  |
3 | {"segment":"a","time":2}
  |                       ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
"#, "skipped 1: 1 frame of a segment that returned", "a@1:0 b@1:0";

    facts_out_of_order: "walk.lp", "p(a,680).
p(a,640).
p(b,640).
p(b,680).
p(a,720).
" => "
error: time 640 comes after time 680 in segment `main`
 --> walk.lp:2:1
  |
2 | p(a,640).
  | ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with `--lateness N`, or skip them with `--lenient`
", "skipped 1: 1 frame out of order", "main@680:2 main@720:1";

    facts_duplicate_frame: "walk.lp" interleaved, "segment(a). p(1). segment(b). p(1). segment(a). p(1). p(2).
" => "
error: time 1 comes twice in segment `a`
 --> walk.lp:1:49
  |
1 | segment(a). p(1). segment(b). p(1). segment(a). p(1). p(2).
  |                                                 ^
hint: merge the two frames, or skip the second with `--lenient`
", "skipped 1: 1 duplicate frame", "a@1:1 b@1:1 a@2:1";

    facts_atom_with_a_variable: "walk.lp", "p(a,680). happensAt(walking(X),680). p(2.5,680).
" => "
error: `X` is a variable, and facts have none
 --> walk.lp:1:29
  |
1 | p(a,680). happensAt(walking(X),680). p(2.5,680).
  |                             ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 1: 1 atom with a variable", "main@680:2";

    facts_bad_number: "walk.lp", "p(a,680).
p(99999999999999999999,680).
" => "
error: `99999999999999999999` is not a number that can be represented
 --> walk.lp:2:3
  |
2 | p(99999999999999999999,680).
  |   ^
hint: integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter
", "skipped 1: 1 bad number", "main@680:1";

    facts_truncated_last_line: "walk.lp", "p(a,680).
happensAt(walking(id1),6" => "
error: the input ends in the middle of a line
 --> walk.lp:2:25
  |
2 | happensAt(walking(id1),6
  |                         ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with `--lenient`
", "skipped 1: 1 truncated line", "main@680:1";

    facts_without_a_full_stop: "walk.lp", "p(a,680)
p(b,680).
" => "
error: expected a full stop after the fact
 --> walk.lp:1:9
  |
1 | p(a,680)
  |         ^
hint: facts look like `happensAt(walking(id1),680).`
", "skipped 1: 1 syntax error", "main@680:1";

    facts_that_are_rules: "walk.lp", "p(a,680) :- q(a,680). p(b,680).
" => "
error: expected a full stop after the fact
 --> walk.lp:1:10
  |
1 | p(a,680) :- q(a,680). p(b,680).
  |          ^
hint: facts look like `happensAt(walking(id1),680).`
", "skipped 1: 1 syntax error", "main@680:1";

    facts_example_that_is_not_closed: "walk.lp", "example(holdsAt(moving(a,b),680). p(b,680).
" => "
error: expected `)`
 --> walk.lp:1:33
  |
1 | example(holdsAt(moving(a,b),680). p(b,680).
  |                                 ^
hint: close the bracket, as in `example(holdsAt(meeting(id1,id2),680)).`
", "skipped 1: 1 syntax error", "main@680:1";

    facts_atom_without_a_time: "walk.lp", "p(a). p(b,680).
" => "
error: the last argument is not a time (an integer)
 --> walk.lp:1:1
  |
1 | p(a). p(b,680).
  | ^
hint: each atom of a stream ends in the time point it belongs to
", "skipped 1: 1 missing field", "main@680:1";

    facts_segment_that_is_no_name: "walk.lp", "segment(X). segment(f(x)). p(b,680).
" => "
error: `X` is a variable, and facts have none
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
error: segment `a` returns after another one began
 --> walk.lp:6:1
  |
6 | p(2).
  | ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
", "skipped 1: 1 frame of a segment that returned", "a@1:1 b@1:1 b@2:1";

    rtec_out_of_order: "walk.psv", "walking|680|680|true|id0
walking|640|640|true|id0
active|640|640|true|id1
walking|720|720|true|id0
" => "
error: time 640 comes after time 680 in segment `main`
 --> walk.psv:2:9
  |
2 | walking|640|640|true|id0
  |         ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with `--lateness N`, or skip them with `--lenient`
", "skipped 1: 1 frame out of order", "main@680:1 main@720:1";

    rtec_duplicate_frame: "walk.psv" interleaved, "# segment a
w|1|1|true|x
# segment b
w|1|1|true|x
# segment a
w|1|1|true|x
" => "
error: time 1 comes twice in segment `a`
 --> walk.psv:6:3
  |
6 | w|1|1|true|x
  |   ^
hint: merge the two frames, or skip the second with `--lenient`
", "skipped 1: 1 duplicate frame", "a@1:1 b@1:1";

    rtec_time_that_is_none: "walk.psv", "walking|680|six|true|id0
walking|680|680|true|id0
" => "
error: the time `six` is not an integer
 --> walk.psv:1:13
  |
1 | walking|680|six|true|id0
  |             ^
hint: the second and the third field are times
", "skipped 1: 1 bad number", "main@680:1";

    rtec_bad_number: "walk.psv", "speed|680|680|1e999|id0
walking|680|680|true|id0
" => "
error: `1e999` is not a number that can be represented
 --> walk.psv:1:15
  |
1 | speed|680|680|1e999|id0
  |               ^
hint: integers go up to 9223372036854775807, reals up to 1.8e308; names start with a letter
", "skipped 1: 1 bad number", "main@680:1";

    rtec_variable: "walk.psv", "walking|680|680|true|id0|Id1
walking|680|680|true|id0
" => "
error: `Id1` is a variable, and facts have none
 --> walk.psv:1:26
  |
1 | walking|680|680|true|id0|Id1
  |                          ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 1: 1 atom with a variable", "main@680:1";

    rtec_name_that_is_a_variable: "walk.psv", "Walking|680|680|true|id0
walking|680|680|true|id0
" => "
error: `Walking` is a variable, and facts have none
 --> walk.psv:1:1
  |
1 | Walking|680|680|true|id0
  | ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
", "skipped 1: 1 atom with a variable", "main@680:1";

    rtec_two_terms_in_a_field: "walk.psv", "walking|680|680|true|id0,id1
walking|680|680|true|id0
" => "
error: expected one term
 --> walk.psv:1:22
  |
1 | walking|680|680|true|id0,id1
  |                      ^
hint: between two bars stands one term, such as `id0` or `'Id 0'`
", "skipped 1: 1 syntax error", "main@680:1";

    rtec_missing_times: "walk.psv", "walking|680
walking|680|680|true|id0
" => "
error: expected a name and two times, with bars between them
 --> walk.psv:1:12
  |
1 | walking|680
  |            ^
hint: lines look like `appear|680|680|id0` after a line `# event appear/1`, or like `walking|680|680|true|id0`
", "skipped 1: 1 missing field", "main@680:1";

    rtec_missing_value: "walk.psv", "walking|680|680
walking|680|680|true|id0
" => "
error: the fluent has no value
 --> walk.psv:1:16
  |
1 | walking|680|680
  |                ^
hint: lines look like `appear|680|680|id0` after a line `# event appear/1`, or like `walking|680|680|true|id0`
", "skipped 1: 1 missing field", "main@680:1";

    rtec_empty_field: "walk.psv", "walking|680|680|true|
walking|680|680|true|id0
" => "
error: a field is empty
 --> walk.psv:1:22
  |
1 | walking|680|680|true|
  |                      ^
hint: write a term between the bars
", "skipped 1: 1 missing field", "main@680:1";

    rtec_truncated_last_line: "walk.psv", "walking|680|680|true|id0
walking|72" => "
error: the input ends in the middle of a line
 --> walk.psv:2:11
  |
2 | walking|72
  |           ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with `--lenient`
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
error: segment `a` returns after another one began
 --> walk.psv:6:3
  |
6 | w|2|2|true|x
  |   ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
", "skipped 2: 2 frames of segments that returned", "a@1:1 b@1:1 b@2:1";

    caviar_frames_out_of_order: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
<frame number="4"></frame>
<frame number="6"></frame>
</dataset>
"# => r#"
error: time 4 comes after time 5 in segment `walk`
 --> walk.xml:4:1
  |
4 | <frame number="4"></frame>
  | ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with `--lateness N`, or skip them with `--lenient`
"#, "skipped 1: 1 frame out of order", "walk@5:0 walk@6:0";

    caviar_duplicate_frame: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
<frame number="5"></frame>
<frame number="6"></frame>
</dataset>
"# => r#"
error: time 5 comes twice in segment `walk`
 --> walk.xml:4:1
  |
4 | <frame number="5"></frame>
  | ^
hint: merge the two frames, or skip the second with `--lenient`
"#, "skipped 1: 1 duplicate frame", "walk@5:0 walk@6:0";

    caviar_bad_number: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5">
<object id="0"><orientation>0</orientation><box h="1" w="2" xc="5x" yc="6"/><appearance>visible</appearance><movement>walking</movement></object><object id="1"><orientation>0</orientation><box h="1" w="2" xc="5" yc="6"/><appearance>visible</appearance><movement>walking</movement></object></frame>
</dataset>
"# => r#"
error: the attribute xc `5x` is not an integer
 --> walk.xml:4:44
  |
4 | <object id="0"><orientation>0</orientation><box h="1" w="2" xc="5x" yc="6"/><appearance>visible</app…
  |                                            ^
hint: is the file the ground truth of a video of CAVIAR's first set?
"#, "skipped 1: 1 bad number", "walk@5:5";

    caviar_missing_field: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"><object id="0"><box h="1" w="2" xc="5" yc="6"/><appearance>visible</appearance><movement>walking</movement></object>
<object id="1"><orientation>0</orientation><box h="1" w="2" xc="5" yc="6"/><appearance>visible</appearance><movement>walking</movement></object></frame>
</dataset>
"# => r#"
error: the person has no orientation
 --> walk.xml:3:19
  |
3 | <frame number="5"><object id="0"><box h="1" w="2" xc="5" yc="6"/><appearance>visible</appearance><mo…
  |                   ^
hint: is the file the ground truth of a video of CAVIAR's first set?
"#, "skipped 1: 1 missing field", "walk@5:5";

    caviar_frame_without_a_number: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame></frame><frame number="6"></frame>
</dataset>
"# => r#"
error: `<frame>` has no attribute `number`
 --> walk.xml:3:1
  |
3 | <frame></frame><frame number="6"></frame>
  | ^
hint: is the file the ground truth of a video of CAVIAR's first set?
"#, "skipped 1: 1 missing field", "walk@6:0";

    caviar_truncated: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
<frame number="# => "
error: the XML ends before `</dataset>`
 --> walk.xml:4:15
  |
4 | <frame number=
  |               ^
hint: it was probably cut off while it was written, or it is not the ground truth of a CAVIAR video
", "skipped 1: 1 truncated line", "walk@5:0";

    caviar_truncated_between_frames: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
"# => r#"
error: the XML ends before `</dataset>`
 --> walk.xml:3:27
  |
3 | <frame number="5"></frame>
  |                           ^
hint: it was probably cut off while it was written, or it is not the ground truth of a CAVIAR video
"#, "skipped 1: 1 truncated line", "walk@5:0";

    caviar_broken_xml: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
<frame number="6"></fram>
</dataset>"# => r#"
error: broken XML: ill-formed document: expected `</frame>`, but `</fram>` was found
 --> walk.xml:4:19
  |
4 | <frame number="6"></fram>
  |                   ^
hint: is the file the ground truth of a video of CAVIAR's first set?
"#, "skipped 1: 1 syntax error", "walk@5:0";
        }
    };
}
pub(crate) use catalogue;

/// A line much longer than what a message shows of it.
pub(crate) fn long_line() -> String {
    let atom = r#""happensAt(walking(id1),680)""#;
    let many = [atom; 20].join(",");
    format!("{{\"segment\":\"walk1\",\"time\":680,\"narrative\":[{many},\"happensAt(walking(X),680)\",{many}]}}\n")
}
