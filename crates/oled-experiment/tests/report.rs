//! The report says what the results say, in every format, and nothing that is not escaped.

mod common;

use common::{FLUENTS, PROTOCOLS, ROWS, sample};
use oled_experiment::{
    DataSummary, FinalScore, IntervalScore, Published, Refits, Results, RuleStory, RuleTrust, Score, SpreadOver,
    Timeline, Track, csv, html, markdown,
};

/// A CSV text as records of fields, read as RFC 4180 has it.
fn parse(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field, mut quoted) = (Vec::new(), Vec::new(), String::new(), false);
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => field.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut field)),
            '\n' if !quoted => {
                record.push(std::mem::take(&mut field));
                records.push(std::mem::take(&mut record));
            }
            letter => field.push(letter),
        }
    }
    assert!(!quoted && field.is_empty() && record.is_empty(), "the last line is complete");
    records
}

#[test]
fn every_score_is_in_the_page_and_in_markdown() {
    let results = sample();
    let (page, text) = (html(&results), markdown(&results));
    for score in &results.results {
        let i = &score.intervals;
        let shares =
            [score.precision, score.recall, score.f1, score.f1_spread.unwrap(), i.precision, i.recall, i.f1, i.covered];
        for number in shares.map(|n| format!("{n:.3}")) {
            assert!(page.contains(&number), "{number} of {} is not in the page", score.row);
            assert!(text.contains(&number), "{number} of {} is not in the Markdown", score.row);
        }
        for order in &score.orders {
            assert!(page.contains(&format!("{:.3}", order.f1)), "order {} is not in the page", order.order);
        }
        for fold in &score.folds {
            let line =
                format!("<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>", fold.order, fold.fold, fold.tp, fold.fp, fold.fn_);
            assert!(page.contains(&line), "{line} is not in the page");
        }
    }
    for published in &results.published {
        for text in [&page, &text] {
            assert!(text.contains(&format!("{:.3}", published.f1)) && text.contains(&published.system));
        }
    }
    for note in &results.notes {
        assert!(page.contains(note.as_str()) && text.contains(&format!("- {note}\n")));
    }
    for name in PROTOCOLS.iter().chain(&ROWS).chain(&FLUENTS) {
        assert!(page.contains(name) && text.contains(name));
    }
}

#[test]
fn every_rule_step_curve_and_point_is_in_the_page() {
    let results = sample();
    let page = html(&results);
    assert_eq!(page.matches("<article class=\"rule\"").count(), results.rules.len());
    assert_eq!(page.matches("<details class=\"history\">").count(), results.rules.len());
    let events: usize = results.curves.iter().map(|c| c.events.len()).sum();
    let marks =
        ["started", "expanded", "pruned"].map(|what| page.matches(&format!("<a class=\"mark {what}\"")).count());
    assert_eq!(marks.iter().sum::<usize>(), events);
    assert_eq!(page.matches("<path class=\"recent\"").count(), results.curves.len());
    let dots: usize = results.scalability.iter().map(|s| 2 + usize::from(s.published_seconds.is_some())).sum();
    assert_eq!(page.matches("<path class=\"dot\" tabindex").count(), dots);
    assert_eq!(page.matches("<svg class=\"strip\"").count(), results.results.len() + results.published.len());
    for rule in &results.rules {
        assert!(page.contains(&rule.id), "{} is not in the page", rule.id);
    }
}

#[test]
fn precision_over_recall_and_reliability_are_drawn_of_every_row_with_weights() {
    let mut results = sample();
    let (page, text, table) = (html(&results), markdown(&results), parse(&csv(&results)));
    let weighted: Vec<&Score> = results.results.iter().filter(|s| s.folds[0].weights.is_some()).collect();
    assert_eq!(weighted.len(), PROTOCOLS.len() * FLUENTS.len());
    for class in ["precision", "reliability"] {
        assert_eq!(page.matches(&format!("<svg class=\"{class} plot\"")).count(), weighted.len());
    }
    let column = |name: &str| table[0].iter().position(|h| h == name).unwrap();
    for (line, score) in table[1..].iter().zip(&results.results) {
        let folds: Vec<_> = score.folds.iter().filter_map(|fold| fold.weights.as_ref()).collect();
        if folds.is_empty() {
            assert_eq!(line[column("precision_recall_area")], "");
            continue;
        }
        // The mean precision at annotated time points, over all folds, from the most probable down.
        let held: u64 = folds.iter().map(|w| w.missed + w.curve.iter().map(|s| s.annotated).sum::<u64>()).sum();
        let (mut area, mut right, mut said) = (0.0, 0, 0);
        for i in 0..folds[0].curve.len() {
            let own: u64 = folds.iter().map(|w| w.curve[i].annotated).sum();
            right += own;
            said += own + folds.iter().map(|w| w.curve[i].absent).sum::<u64>();
            area += own as f64 * right as f64 / said as f64;
        }
        let area = area / held as f64;
        assert!((line[column("precision_recall_area")].parse::<f64>().unwrap() - area).abs() < 1e-9);
        assert!(page.contains(&format!("area {area:.3}</text>")) && text.contains(&format!("{area:.3}")));
        let label = format!("Reliability of {}, {}, {}\"", score.fluent, score.protocol, score.row);
        let plot = page.split(&label).nth(1).expect("it is drawn").split("</svg>").next().unwrap();
        assert_eq!(plot.matches("<circle class=\"dot\" tabindex").count(), 20, "each tenth before and after");
        let points: u64 = folds.iter().map(|w| w.reliability[1][9].0).sum();
        let said: f64 = folds.iter().map(|w| w.reliability[1][9].1).sum::<f64>() / folds.len() as f64;
        let tip = format!("after calibration, {points} time points: {said:.3} said");
        assert!(plot.replace('\u{202f}', "").contains(&tip), "{tip}");
    }
    let last = |line: &[String], name: &str| line[column(name)].parse::<f64>().unwrap();
    let ours = table[1..].iter().filter(|line| !line[column("calibration_error")].is_empty());
    assert!(ours.clone().count() == weighted.len());
    assert!(ours.into_iter().all(|line| last(line, "calibration_error") < last(line, "calibration_error_before")));
    results.results.iter_mut().flat_map(|s| &mut s.folds).for_each(|fold| fold.weights = None);
    let (page, text) = (html(&results), markdown(&results));
    assert!(!page.contains("id=\"confidence\"") && !text.contains("## Confidence"), "there is nothing to say");
}

#[test]
fn the_best_of_ours_is_bold() {
    let score = |row: &str, f1: f64| Score { row: row.into(), protocol: "p".into(), f1, ..Score::default() };
    let published = Published { system: "theirs".into(), protocol: "p".into(), f1: 0.99, ..Published::default() };
    let results =
        Results { results: vec![score("a", 0.5), score("b", 0.75)], published: vec![published], ..Results::default() };
    let page = html(&results);
    assert!(page.contains("<strong>0.750</strong>") && !page.contains("<strong>0.5") && !page.contains("<strong>0.99"));
    let text = markdown(&results);
    assert!(text.contains("**0.750**") && !text.contains("**0.5") && !text.contains("**0.99"));
}

#[test]
fn rules_that_are_given_do_not_compete_for_the_best_f1() {
    let score =
        |row: &str, learner: &str, f1: f64| Score { row: row.into(), learner: learner.into(), f1, ..Score::default() };
    let results = Results {
        results: vec![score("true rules", "theory", 0.99), score("learned", "replay", 0.75)],
        ..Results::default()
    };
    let page = html(&results);
    assert!(page.contains("<strong>0.750</strong>") && !page.contains("<strong>0.990"));
    let text = markdown(&results);
    assert!(text.contains("**0.750**") && !text.contains("**0.990"));
}

#[test]
fn counts_that_are_whole_have_no_decimals() {
    let intervals = IntervalScore { annotated: 171.0, recognised: 177.0, found: 3.5, ..IntervalScore::default() };
    let score = Score { rules: 4.0, literals: 12.0, intervals, ..Score::default() };
    let results = Results { results: vec![score], ..Results::default() };
    for text in [html(&results), markdown(&results)] {
        assert!(!text.contains("171.0") && !text.contains("177.0") && !text.contains("12.0") && text.contains("3.5"));
        assert!(text.contains("171") && text.contains("177"));
    }
}

#[test]
fn rows_that_count_pairs_differently_say_so() {
    let score = |row: &str, symmetric: bool, annotated: f64| Score {
        row: row.into(),
        symmetric,
        intervals: IntervalScore { annotated, ..IntervalScore::default() },
        folds: vec![oled_experiment::FoldScore::default()],
        ..Score::default()
    };
    let results = |both: bool| Results {
        data: vec![DataSummary {
            positives: vec![(String::new(), 610)],
            symmetric: vec![String::new()],
            ..DataSummary::default()
        }],
        results: vec![score("true rules", true, 61.0), score("oled", !both, 122.0)],
        ..Results::default()
    };
    for text in [html(&results(true)), markdown(&results(true))] {
        assert!(text.contains("a pair counts once") && text.contains("a pair counts twice, once in each order"));
        assert!(text.contains("Counts of rows that count pairs differently cannot be compared"));
        let positives = text.lines().find(|line| line.contains("610")).expect("the data set is told of");
        assert!(positives.contains("a pair counts once"), "positives too: {positives}");
    }
    for text in [html(&results(false)), markdown(&results(false))] {
        assert!(!text.contains("a pair counts"), "all count in the same way");
    }
}

#[test]
fn a_spread_says_what_it_is_over_and_is_left_out_where_nothing_is_compared() {
    let fold = |fold: usize, tp: u64| oled_experiment::FoldScore { fold, tp, fp: 1, ..Default::default() };
    let score = |spread: Option<f64>, over: Option<SpreadOver>| Score {
        f1_spread: spread,
        spread_over: over,
        folds: vec![fold(0, 3), fold(1, 1)],
        ..Score::default()
    };
    let page = |score: Score| html(&Results { results: vec![score], ..Results::default() });
    let over_folds = page(score(Some(0.1), Some(SpreadOver::Folds)));
    assert!(over_folds.contains("± 0.100<small>folds</small>"));
    assert!(over_folds.contains("F1 by fold: 0.857, 0.667"), "the dots are the folds");
    assert!(page(score(Some(0.2), Some(SpreadOver::Orders))).contains("± 0.200<small>orders</small>"));
    assert!(!page(score(None, None)).contains("± 0.000"));
}

/// A segment of a day in which time points are 25 seconds apart.
fn sparse() -> Timeline {
    let start = 1_772_344_818;
    Timeline {
        segment: "web-01".into(),
        span: (start, start + 25 * 1149),
        frames: 1150,
        tracks: vec![Track {
            instance: "overheating(web01)".into(),
            annotated: vec![(start + 2500, start + 5000)],
            recognised: vec![(start + 2600, start + 5000)],
            tp: 97,
            fn_: 4,
            ..Track::default()
        }],
        ..Timeline::default()
    }
}

#[test]
fn a_timeline_counts_time_points_and_not_time_units() {
    let page = html(&Results { timelines: vec![sparse()], ..Results::default() });
    assert!(page.contains("1150 time points") && !page.contains("28726") && !page.contains("28753"));
    assert!(page.contains("\"n\":1150") && page.contains("\"d\":25"), "the script knows it too");
    assert!(page.contains("\"c\":[97,0,4]"), "F1 of the segment is that of its time points");
    // What was missed ends at the time point before recognition began, 25 seconds earlier.
    assert!(page.contains("missed 2026-03-01 06:41:58 – 2026-03-01 06:43:13"), "{page}");
}

#[test]
fn axes_show_dates_where_times_are_epochs() {
    let page = html(&Results { timelines: vec![sparse()], ..Results::default() });
    assert!(page.contains(">07:00</text>") && page.contains(">2026-03-01</text>") && page.contains("UTC, 1150"));
    assert!(!page.contains(">1772345000</text>"));
    let shifted = |by: i64| {
        let mut timeline = sparse();
        timeline.span = (timeline.span.0 - by, timeline.span.1 - by);
        html(&Results { timelines: vec![timeline], ..Results::default() })
    };
    assert!(!shifted(1_772_344_818).contains("UTC, 1150"), "seconds since the start are no dates");
}

/// What one run of a learner gives.
fn one_run() -> Results {
    let fit = |fluent: &str, rules: usize| FinalScore {
        fluent: fluent.into(),
        rules,
        literals: 5,
        tp: 90,
        fp: 10,
        fn_: 20,
        held_out: (rules > 0).then_some(0.812),
    };
    let rule = RuleStory {
        fluent: "overheating".into(),
        id: "terminatedAt overheating #1".into(),
        kept: true,
        trust: Some(RuleTrust { gain: 0.3, helps: 4, harms: 0, refits: Some(Refits { found: 7, of: 7 }) }),
        ..RuleStory::default()
    };
    let starts = RuleStory { id: "initiatedAt overheating #5".into(), ..rule.clone() };
    let curve = oled_experiment::Curve {
        fluent: "overheating".into(),
        points: vec![oled_experiment::CurvePoint { interpretation: 9, f1: 0.4, repeated: 0.97, ..Default::default() }],
        ..Default::default()
    };
    Results {
        fits: vec![fit("overheating", 2), fit("stalled", 0)],
        data: vec![DataSummary { segments: 3, frames: 1150, ..DataSummary::default() }],
        rules: vec![rule, starts],
        curves: vec![curve],
        timelines: vec![sparse()],
        ..Results::default()
    }
}

#[test]
fn the_page_of_one_run_opens_with_the_rules_and_their_scores_then_timelines_then_curves() {
    let page = html(&one_run());
    assert!(page.contains(">F1 held out</th>") && page.contains("0.812"));
    let mut never = one_run();
    never.fits.iter_mut().for_each(|fit| fit.held_out = None);
    assert!(!html(&never).contains("held out"), "nothing was held out");
    let places: Vec<usize> = [
        "2 rules · F1 0.857 on what they were learned from · 3 segments · 1150 time points",
        "<td class=\"n\">0.900</td><td class=\"n\">0.818</td><td class=\"n\"><strong>0.857</strong></td>",
        "initiatedAt overheating #5</h3>",
        "terminatedAt overheating #1</h3>",
        "What the final rules recognise",
        "How recognition gets better while rules are learned",
        "repeat the last label</th><td class=\"n\">0.970</td>",
    ]
    .map(|part| page.find(part).unwrap_or_else(|| panic!("{part} is not in the page")))
    .into();
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        page.contains("<code>stalled</code></th><td class=\"n\">0</td><td class=\"n\">5</td><td class=\"n\">–</td>")
    );
    assert!(!page.contains("results.json"), "it is not written");
    assert!(html(&sample()).contains("results.json"), "an experiment writes it");
}

#[test]
fn the_figures_of_rules_are_explained_on_the_page_in_plain_words() {
    let page = html(&one_run());
    for word in ["#", "gain", "helps in", "harms in", "refits"] {
        assert!(page.contains(&format!("<dt>{word}</dt><dd>")), "{word} is not explained");
    }
    for text in [&page, &html(&sample())] {
        assert!(!text.contains("interpretation"), "a word of the paper");
        assert!(!text.contains(">Row <select"), "a word of our own");
    }
}

#[test]
fn tables_say_that_they_can_be_scrolled_and_phones_are_told_of_no_wheel() {
    let page = html(&sample());
    assert!(page.contains("scroll it sideways") && page.contains("class=\"touch\"") && page.contains("(hover: none)"));
}

#[test]
fn nothing_in_a_name_becomes_markup() {
    let evil = "</script><script>alert(\"1\")</script>&'|\n";
    let name = || evil.to_owned();
    let results = Results {
        experiment: name(),
        description: name(),
        version: name(),
        data: vec![DataSummary {
            name: name(),
            description: name(),
            positives: vec![(name(), 1)],
            ..DataSummary::default()
        }],
        results: vec![Score {
            learner: name(),
            preset: name(),
            row: name(),
            protocol: name(),
            fluent: name(),
            folds: vec![oled_experiment::FoldScore::default()],
            ..Score::default()
        }],
        published: vec![Published {
            system: name(),
            protocol: name(),
            fluent: name(),
            source: name(),
            ..Published::default()
        }],
        curves: vec![oled_experiment::Curve {
            protocol: name(),
            row: name(),
            fluent: name(),
            points: vec![oled_experiment::CurvePoint::default()],
            events: vec![oled_experiment::CurveEvent { interpretation: 3, what: "started".into(), rule: name() }],
        }],
        fits: vec![FinalScore { fluent: name(), ..FinalScore::default() }],
        timelines: vec![Timeline {
            protocol: name(),
            row: name(),
            segment: name(),
            span: (0, 9),
            frames: 10,
            tracks: vec![Track {
                fluent: name(),
                instance: name(),
                annotated: vec![(1, 2)],
                fn_: 2,
                ..Track::default()
            }],
        }],
        rules: vec![RuleStory {
            protocol: name(),
            row: name(),
            fluent: name(),
            id: name(),
            text: name(),
            history: vec![oled_experiment::Step { what: name(), body: name(), ..oled_experiment::Step::default() }],
            ..RuleStory::default()
        }],
        notes: vec![name()],
        ..Results::default()
    };
    let page = html(&results);
    assert!(!page.contains("<script>alert") && !page.contains("alert(\"1\")</"), "markup came through");
    // The script of the page and the data of the timelines, and nothing else.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script>").count(), 2);
    assert!(!markdown(&results).contains("<script"));
    // Control characters are escaped, as in the language.
    assert_eq!(parse(&csv(&results))[1][1], oled::Symbol::new(evil).to_string());
}

#[test]
fn the_page_needs_nothing_from_anywhere() {
    let page = html(&sample());
    let rest = page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "");
    assert!(!rest.contains("http"), "the page names an address");
    for reference in ["src=", "@import", "url(\"", "href=\"/", "href=\"."] {
        assert!(!rest.contains(reference), "the page refers to something by {reference}");
    }
}

#[test]
fn csv_parses_back_to_the_numbers() {
    let results = sample();
    let records = parse(&csv(&results));
    let (head, lines) = records.split_first().expect("there is a head");
    assert_eq!(lines.len(), results.results.len() + results.published.len());
    assert!(lines.iter().all(|line| line.len() == head.len()));
    let column = |name: &str| head.iter().position(|h| h == name).unwrap_or_else(|| panic!("no column {name}"));
    let number = |line: &[String], name: &str| line[column(name)].parse::<f64>().ok();
    for (line, score) in lines.iter().zip(&results.results) {
        let names = ["kind", "protocol", "row", "learner", "preset", "fluent"].map(|name| line[column(name)].as_str());
        assert_eq!(names, ["ours", &score.protocol, &score.row, &score.learner, &score.preset, &score.fluent]);
        assert_eq!(number(line, "precision"), Some(score.precision));
        assert_eq!(number(line, "recall"), Some(score.recall));
        assert_eq!(number(line, "f1"), Some(score.f1));
        assert_eq!(number(line, "f1_spread"), score.f1_spread);
        assert_eq!(line[column("spread_over")], "orders");
        assert_eq!(number(line, "rules"), Some(score.rules));
        assert_eq!(number(line, "literals"), Some(score.literals));
        assert_eq!(number(line, "seconds"), score.seconds);
        assert_eq!(number(line, "orders"), Some(10.0));
        assert_eq!(number(line, "folds"), Some(10.0));
        assert_eq!(number(line, "intervals_found"), Some(score.intervals.found));
        assert_eq!(number(line, "delay"), score.intervals.delay);
        assert_eq!(number(line, "covered"), Some(score.intervals.covered));
        assert_eq!(number(line, "false_alarms_per_hour"), score.intervals.false_alarms_per_hour);
    }
    for (line, published) in lines[results.results.len()..].iter().zip(&results.published) {
        assert_eq!(line[column("kind")], "published");
        assert_eq!(line[column("row")], published.system);
        assert_eq!(line[column("source")], published.source);
        assert_eq!(number(line, "f1"), Some(published.f1));
        assert_eq!(number(line, "precision"), published.precision);
        assert_eq!(number(line, "seconds"), published.seconds);
    }
}

#[test]
fn an_empty_experiment_gives_an_empty_page() {
    let page = html(&Results::default());
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"));
    assert!(!page.contains("<section") && !page.contains("<table"));
    assert_eq!(parse(&csv(&Results::default())).len(), 1);
    assert!(markdown(&Results::default()).starts_with("# "));
}

#[test]
fn numbers_that_are_none_do_not_stop_the_report() {
    let mut results = sample();
    for score in &mut results.results {
        (score.f1, score.precision, score.f1_spread) = (f64::NAN, f64::NAN, Some(f64::NAN));
        score.orders.clear();
    }
    results.curves.iter_mut().for_each(|c| c.points.iter_mut().for_each(|p| p.f1 = f64::NAN));
    results.scalability.iter_mut().for_each(|s| (s.seconds, s.literals) = (None, 0.0));
    assert!(!html(&results).contains("NaN") && !markdown(&results).contains("NaN") && !csv(&results).contains("NaN"));
}

#[test]
fn a_large_experiment_stays_below_five_megabytes() {
    let mut results = sample();
    let repeat = |n: usize| 0..n;
    results.timelines = repeat(10)
        .flat_map(|i| {
            results.timelines.iter().map(move |t| Timeline { segment: format!("{} {i}", t.segment), ..t.clone() })
        })
        .collect();
    results.rules = repeat(13)
        .flat_map(|i| results.rules.iter().map(move |r| RuleStory { id: format!("{}.{i}", r.id), ..r.clone() }))
        .collect();
    let page = html(&results);
    assert!(page.len() < 5_000_000, "{} bytes", page.len());
}
