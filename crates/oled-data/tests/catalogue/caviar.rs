//! Bad streams of CAVIAR's XML.

/// Hands the cases to a macro.
macro_rules! caviar {
    ($cases:ident) => {
        $cases! { caviar
    caviar_frames_out_of_order: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
<frame number="4"></frame>
<frame number="6"></frame>
</dataset>
"# => r#"
time 4 comes after time 5 in segment `walk`
 --> walk.xml:4:1
  |
4 | <frame number="4"></frame>
  | ^
hint: the time points of a segment must increase: sort them, let `recognise` and `learn` put late frames in order with the option `lateness=N`, or skip them with the option `lenient`
"#, "skipped 1: 1 frame out of order", "walk@5:0 walk@6:0";

    caviar_duplicate_frame: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5"></frame>
<frame number="5"></frame>
<frame number="6"></frame>
</dataset>
"# => r#"
time 5 comes twice in segment `walk`
 --> walk.xml:4:1
  |
4 | <frame number="5"></frame>
  | ^
hint: merge the two frames, or skip the second with the option `lenient`
"#, "skipped 1: 1 duplicate frame", "walk@5:0 walk@6:0";

    caviar_bad_number: "walk.xml", r#"<?xml version="1.0"?>
<dataset name="a">
<frame number="5">
<object id="0"><orientation>0</orientation><box h="1" w="2" xc="5x" yc="6"/><appearance>visible</appearance><movement>walking</movement></object><object id="1"><orientation>0</orientation><box h="1" w="2" xc="5" yc="6"/><appearance>visible</appearance><movement>walking</movement></object></frame>
</dataset>
"# => r#"
the attribute xc `5x` is not an integer
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
the person has no orientation
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
`<frame>` has no attribute `number`
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
the XML ends before `</dataset>`
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
the XML ends before `</dataset>`
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
broken XML: ill-formed document: expected `</frame>`, but `</fram>` was found
 --> walk.xml:4:19
  |
4 | <frame number="6"></fram>
  |                   ^
hint: is the file the ground truth of a video of CAVIAR's first set?
"#, "skipped 1: 1 syntax error", "walk@5:0";
        }
    };
}
pub(crate) use caviar;
