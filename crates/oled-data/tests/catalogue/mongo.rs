//! Bad streams of documents of `MongoDB`.

/// Hands the cases to a macro.
macro_rules! mongo {
    ($cases:ident) => {
        $cases! { mongo
    mongo_documents_out_of_order: "walk.json", r#"{"_id":1,"time":680,"narrative":["p(680)","p(720)"]}
{"_id":2,"narrative":["p(680)","p(760)"]}
"# => r#"
time 680 comes after time 720 in segment `main`
 --> walk.json:2:24
  |
2 | {"_id":2,"narrative":["p(680)","p(760)"]}
  |                        ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with the option `lateness=N`, or skip them with the option `lenient`
"#, "skipped 1: 1 frame out of order", "main@680:1 main@720:1 main@760:1";

    mongo_atom_with_a_variable: "walk.json", r#"{"_id":1,"time":680,"annotation":["example(holdsAt(meeting(id1,X),680))","example(p(680))"]}
"# => r#"
`X` is a variable, and facts have none
 --> walk.json:1:64
  |
1 | {"_id":1,"time":680,"annotation":["example(holdsAt(meeting(id1,X),680))","example(p(680))"]}
  |                                                                ^
hint: constants start with a lower-case letter, or stand in quotes: 'Id1'
"#, "skipped 1: 1 atom with a variable", "main@680:1";

    mongo_bad_number: "walk.json", r#"{"_id":1,"time":{"$numberInt":"68O"}}
{"_id":2,"time":720}
"# => r#"
the time is not an integer
 --> walk.json:1:17
  |
1 | {"_id":1,"time":{"$numberInt":"68O"}}
  |                 ^
hint: times are written like 680, "680" or {"$numberLong":"680"}
"#, "skipped 1: 1 bad number", "main@720:0";

    mongo_truncated_last_line: "walk.json", r#"{"_id":1,"time":680}
{"_id":2,"time":7"# => r#"
the input ends in the middle of a line
 --> walk.json:2:18
  |
2 | {"_id":2,"time":7
  |                  ^
hint: it was probably cut off while it was written: write it again, or skip what is left of the line with the option `lenient`
"#, "skipped 1: 1 truncated line", "main@680:0";

    mongo_broken_json: "walk.json", r#"{"_id":1,"time":680}
{"_id":2,time:720}
{"_id":3,"time":760}
"# => r#"
broken JSON: key must be a string
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
broken JSON: a list within a list
 --> walk.json:2:2
  |
2 | [[[[{"_id":2,"time":720}
  |  ^
hint: write one document a line, or a list of them: `[{…},{…}]`
"#, "skipped 1: 1 syntax error", "main@680:0 main@760:0";

    mongo_commas_without_documents: "walk.json", r#"[{"_id":1,"time":680},,,
{"_id":2,"time":720}]
"# => r#"
broken JSON: a comma that does not follow a document of a list
 --> walk.json:1:23
  |
1 | [{"_id":1,"time":680},,,
  |                       ^
hint: write one document a line, or a list of them: `[{…},{…}]`
"#, "skipped 1: 1 syntax error", "main@680:0 main@720:0";

    mongo_documents_without_a_comma: "walk.json", r#"[{"_id":1,"time":680}
{"_id":2,"time":720}]
"# => r#"
broken JSON: no comma between two documents of a list
 --> walk.json:2:1
  |
2 | {"_id":2,"time":720}]
  | ^
hint: write one document a line, or a list of them: `[{…},{…}]`
"#, "skipped 1: 1 syntax error", "main@680:0";

    mongo_list_that_never_ends: "walk.json", r#"[{"_id":1,"time":680},
{"_id":2,"time":720}
"# => "
the input ends within a list of documents: `]` is missing
 --> walk.json:2:1
  |
2 | 
  | ^
hint: it was probably cut off while it was written: export it again
", "skipped 1: 1 truncated line", "main@680:0 main@720:0";

    mongo_document_without_time_and_atoms: "walk.json", r#"{"_id":1,"time":680}
{"_id":2}
"# => r#"
the document has neither a time nor atoms
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
segment `a` returns after another one began
 --> walk.json:3:23
  |
3 | {"segment":"a","time":2}
  |                       ^
hint: set `interleaved = true` in task.toml if segments are mixed on purpose
"#, "skipped 1: 1 frame of a segment that returned", "a@1:0 b@1:0";
        }
    };
}
pub(crate) use mongo;
