//! The report says what the results say, in every format, and nothing that is not escaped.

mod common;

use common::{FLUENTS, PROTOCOLS, ROWS, sample};
use oled_experiment::{DataSummary, Published, Results, RuleStory, Score, Timeline, Track, csv, html, markdown};

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
        let shares = [score.precision, score.recall, score.f1, score.f1_spread, i.precision, i.recall, i.f1, i.covered];
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
        timelines: vec![Timeline {
            protocol: name(),
            row: name(),
            segment: name(),
            span: (0, 9),
            tracks: vec![Track { fluent: name(), instance: name(), annotated: vec![(1, 2)], recognised: vec![] }],
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
    assert_eq!(parse(&csv(&results))[1][1], evil);
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
        assert_eq!(number(line, "f1_spread"), Some(score.f1_spread));
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
        (score.f1, score.precision, score.f1_spread) = (f64::NAN, f64::NAN, f64::NAN);
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
