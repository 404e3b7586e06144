//! The report in a browser: it draws, zooms, opens and fits, by mouse and by keyboard.

mod common;
#[path = "common/browser.rs"]
mod driver;

use std::path::Path;

use driver::Browser;
use oled_experiment::{Results, html};
use tempfile::TempDir;

const ENTER: &str = "\u{e007}";
const LEFT: &str = "\u{e012}";
const RIGHT: &str = "\u{e014}";

/// A browser with the sample's page open, 1280 pixels wide. The folder must outlive the page.
fn open(results: &Results) -> Option<(Browser, TempDir)> {
    let browser = Browser::start()?;
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("report.html");
    std::fs::write(&file, html(results)).expect("the page can be written");
    browser.system_theme("light");
    browser.open(&file);
    browser.resize(1280, 900);
    Some((browser, folder))
}

#[test]
fn all_plots_are_drawn_without_complaint() {
    let results = common::sample();
    let Some((browser, _folder)) = open(&results) else { return };
    assert_eq!(browser.complaints(), [""; 0]);
    let count = |selector: &str| browser.number(&format!("document.querySelectorAll('{selector}').length")) as usize;
    let flat = "[...document.querySelectorAll('svg.plot, svg.strip')].filter(s => { const b = s.getBoundingClientRect(); \
                return b.width < 50 || b.height < 10 }).length";
    assert_eq!(browser.number(flat), 0.0, "some plots have no size");
    assert_eq!(count("svg.curve"), 8);
    assert_eq!(count("svg.curve path.line"), results.curves.len());
    assert_eq!(count("svg.curve path.recent"), results.curves.len());
    assert_eq!(count("svg.curve .mark"), results.curves.iter().map(|c| c.events.len()).sum::<usize>());
    assert_eq!(count("svg.strip"), results.results.len() + results.published.len());
    assert_eq!(count("svg.strip circle"), results.results.iter().map(|s| s.orders.len()).sum::<usize>());
    assert_eq!(count("svg.scale .dot"), 7 + 5 + 7);
    let weighted = results.results.iter().filter(|s| s.folds[0].weights.is_some()).count();
    assert_eq!((count("svg.precision path.line"), count("svg.precision .dot")), (weighted, 3 * weighted));
    assert_eq!(
        (count("svg.reliability .before .dot"), count("svg.reliability.plot .dot")),
        (10 * weighted + 1, 20 * weighted)
    );
    let first = &results.timelines[0];
    assert_eq!(count("#timeline text.instance"), first.tracks.len());
    assert!(count("#timeline rect.missed") > 0 && count("#timeline rect.wrong") > 0);
    let inks = "['truth', 'missed', 'right', 'wrong'].map(k => getComputedStyle(document.querySelector('#timeline .' + k)).fill)";
    assert_eq!(browser.number(&format!("new Set({inks}).size")), 4.0);
    // A table, a plot and a rule of every section, none of them beside the page.
    assert_eq!(browser.number("document.querySelectorAll('section').length"), 8.0);
}

#[test]
fn an_empty_page_opens_without_complaint() {
    let Some((browser, _folder)) = open(&Results::default()) else { return };
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.number("document.querySelectorAll('section').length"), 0.0);
}

#[test]
fn a_timeline_zooms_by_wheel_drag_keys_and_buttons() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    let range = || (browser.number("+timeline.dataset.from"), browser.number("+timeline.dataset.to"));
    let width = |(from, to): (f64, f64)| to - from;
    let whole = (0.0, 1500.0);
    assert_eq!(range(), whole);

    browser.wheel("#timeline", -120);
    let wheeled = range();
    assert!(width(wheeled) < 1400.0, "the wheel did not zoom: {wheeled:?}");
    browser.wheel("#timeline", 120);
    assert!(width(range()) > width(wheeled), "the wheel did not zoom back");
    browser.run("timeline.focus()");
    browser.key("0");
    assert_eq!(range(), whole);

    browser.drag("#timeline", 0.4, 0.6);
    let dragged = range();
    assert!(width(dragged) > 200.0 && width(dragged) < 500.0, "the drag did not select: {dragged:?}");
    // The focus came with the mouse.
    browser.key("0");
    assert_eq!(range(), whole);

    browser.key("+");
    assert_eq!(range(), (375.0, 1125.0));
    browser.key(RIGHT);
    assert_eq!(range(), (562.5, 1312.5));
    browser.key(LEFT);
    browser.key("-");
    assert_eq!(range(), whole);
    browser.key("-");
    assert_eq!(range(), whole, "nothing lies beyond a segment");

    browser.click("[data-zoom=in]");
    assert_eq!(range(), (375.0, 1125.0));
    browser.drag("#overview", 0.6, 0.3);
    assert!(range().0 < 375.0, "the strip did not move the view");
    browser.click("[data-zoom=all]");
    assert_eq!(range(), whole);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_timeline_is_chosen_by_data_set_row_and_segment() {
    let results = common::sample();
    let Some((browser, _folder)) = open(&results) else { return };
    let choose = |id: &str, value: &str| {
        browser.run(&format!("{id}.value = {value:?}; {id}.dispatchEvent(new Event('change'))"));
    };
    let [protocol, row, segment] = ["t-protocol", "t-row", "t-segment"].map(|id| format!("window[{id:?}]"));
    for wanted in [&results.timelines[17], &results.timelines[4]] {
        choose(&protocol, &wanted.protocol);
        choose(&row, &wanted.row);
        let index = browser.number(&format!(
            "[...{segment}.options].find(o => o.textContent.startsWith({:?})).index",
            format!("{} ", wanted.segment)
        ));
        choose(&segment, &index.to_string());
        let names = browser.run("return [...timeline.querySelectorAll('.instance')].map(t => t.textContent)");
        let names: Vec<&str> = names.as_array().expect("a list").iter().filter_map(|n| n.as_str()).collect();
        assert_eq!(names, wanted.tracks.iter().map(|t| t.instance.as_str()).collect::<Vec<_>>());
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn segments_can_be_sorted_by_how_well_they_are_recognised() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    let scores = || {
        let texts = browser.run("return [...window['t-segment'].options].map(o => o.textContent)");
        let texts: Vec<String> = texts.as_array().expect("a list").iter().map(ToString::to_string).collect();
        texts.iter().map(|text| text[text.find("F1 ").expect("F1 is told")..].to_string()).collect::<Vec<String>>()
    };
    assert!(!scores().is_sorted(), "as they come");
    browser.run("const s = window['t-sort']; s.value = 'worst first'; s.dispatchEvent(new Event('change'))");
    assert!(scores().is_sorted());
    // The bars beside each other are the same segments, in the same order; a click shows one.
    assert_eq!(browser.number("segments.children.length") as usize, scores().len());
    browser.click("#segments button:last-child");
    assert_eq!(browser.number("+window['t-segment'].value") as usize, scores().len() - 1);
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn a_click_on_an_interval_tells_how_to_ask_why() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    assert_eq!(browser.run("return why.checkVisibility()"), false);
    browser.click("#timeline rect.missed");
    browser.wait_for("/ --segment 'walk-1' --fluent 'm\\w+\\(id\\d, id\\d\\)' --at \\d+$/.test(why.textContent)");
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_script_shows_dates_where_times_are_epochs() {
    let mut results = common::sample();
    for timeline in &mut results.timelines {
        let shift = |time: &mut i64| *time = 1_772_344_800 + 60 * *time;
        shift(&mut timeline.span.0);
        shift(&mut timeline.span.1);
        let runs = timeline.tracks.iter_mut().flat_map(|track| track.annotated.iter_mut().chain(&mut track.recognised));
        runs.for_each(|(from, to)| (shift(from), shift(to)).0);
    }
    results.data.iter_mut().for_each(|data| data.rate = Some(1.0));
    let Some((browser, _folder)) = open(&results) else { return };
    let labels =
        || browser.run("return [...timeline.querySelectorAll('svg > text:not(.instance)')].map(t => t.textContent)");
    assert!(
        labels().to_string().contains("\"12:00\"") && labels().to_string().contains("\"2026-03-01\""),
        "{}",
        labels()
    );
    let range = browser.run("return window['timeline-range'].textContent").to_string();
    assert!(
        range.contains("2026-03-01 06:00:00 – 2026-03-02 06:59:00 UTC, 25 h; the segment has 1500 time points"),
        "{range}"
    );
    browser.run("timeline.focus()");
    (0..8).for_each(|_| browser.key("+"));
    assert!(labels().to_string().contains(":30"), "closer, there are minutes: {}", labels());
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_history_of_a_rule_opens_by_mouse_and_by_keyboard() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    let is_open = || browser.run("return document.querySelector('.history').open");
    assert_eq!(is_open(), false);
    browser.click(".history summary");
    assert_eq!(is_open(), true);
    assert!(browser.number("document.querySelector('.steps').getBoundingClientRect().height") > 40.0);
    browser.run("document.querySelector('.history summary').focus()");
    browser.key(ENTER);
    assert_eq!(is_open(), false);
    browser.key(" ");
    assert_eq!(is_open(), true);
}

#[test]
fn rules_are_filtered_and_those_given_up_are_behind_a_toggle() {
    let results = common::sample();
    let Some((browser, _folder)) = open(&results) else { return };
    let visible =
        || browser.number("[...document.querySelectorAll('.rule')].filter(r => r.checkVisibility()).length") as usize;
    let kept = results.rules.iter().filter(|r| r.kept);
    assert_eq!(visible(), kept.clone().count());
    browser.click(".given-up > summary");
    assert_eq!(visible(), results.rules.len());
    browser.click(".given-up > summary");
    browser.run("const s = window['r-fluent']; s.value = 'moving'; s.dispatchEvent(new Event('change'))");
    assert_eq!(visible(), kept.filter(|r| r.fluent == "moving").count());
}

#[test]
fn a_mark_of_a_curve_tells_its_rule_and_leads_to_it() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    browser.point("svg.curve a[href]");
    browser.wait_for(
        r"!tip.hidden && /^(began|grew|pruned|chosen|dropped) at \d+: \w+At .*\n(no conditions|\w+At\()/.test(tip.textContent)",
    );
    browser.run("document.querySelector('svg.curve .mark').focus()");
    browser.wait_for("!tip.hidden && tip.textContent.startsWith('began at')");
    // The event of an earlier scroll takes nothing away; a mark that must be scrolled to keeps its tip.
    browser.run("dispatchEvent(new Event('scroll'))");
    assert_eq!(browser.run("return tip.hidden"), false);
    browser.run("scrollTo({ top: 0, behavior: 'instant' })");
    browser.run("[...document.querySelectorAll('svg.curve')].at(-1).querySelector('.mark').focus()");
    browser.wait_for("scrollY > 0 && !tip.hidden && tip.textContent.startsWith('began at')");
    browser.run("document.querySelector('svg.curve .mark').focus()");
    browser.wait_for("!tip.hidden && tip.textContent.startsWith('began at')");
    let first = browser.run("return tip.textContent");
    browser.key(RIGHT);
    browser.wait_for(&format!("!tip.hidden && tip.textContent !== {first}"));
    browser.run("document.querySelector('svg.curve a[href]').focus()");
    let wanted = browser.run("return document.activeElement.getAttribute('href').slice(1)");
    browser.key(ENTER);
    browser.wait_for(&format!("document.activeElement.id === {wanted} && document.activeElement.checkVisibility()"));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn the_theme_follows_the_system_and_the_button() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    let ground = || browser.run("return getComputedStyle(document.body).backgroundColor").to_string();
    let light = ground();
    browser.system_theme("dark");
    let dark = ground();
    assert_ne!(light, dark);
    browser.click("#theme");
    assert_eq!(ground(), light);
    browser.click("#theme");
    assert_eq!(ground(), dark);
}

#[test]
fn nothing_sticks_out_on_a_phone() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    browser.resize(390, 844);
    let fits = "document.scrollingElement.scrollWidth <= innerWidth";
    browser.wait_for(fits);
    browser.run("document.querySelectorAll('details').forEach(d => { d.open = true })");
    assert_eq!(browser.run(&format!("return {fits}")), true, "opened, something sticks out");
    // Tables that are wider say so, and say no more when one is at their end.
    let table = "document.querySelector('.scroll:has(> .scores)')";
    browser.wait_for(&format!("{table}.matches('.wide.more')"));
    browser.run(&format!("{table}.scrollLeft = 9999"));
    browser.wait_for(&format!("{table}.matches('.wide:not(.more)')"));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn on_paper_it_is_light_and_histories_are_open() {
    let Some((browser, _folder)) = open(&common::sample()) else { return };
    let ground = || browser.run("return getComputedStyle(document.body).backgroundColor").to_string();
    browser.click("#theme");
    let media = serde_json::json!({ "media": "print" });
    browser.chromium("Emulation.setEmulatedMedia", &media);
    assert_eq!(ground(), "\"rgb(255, 255, 255)\"");
    assert_eq!(browser.run("return document.querySelector('#theme').checkVisibility()"), false);
    assert!(browser.number("document.querySelector('#kept .steps').getBoundingClientRect().height") > 40.0);
}

/// Pictures of the page to look at: `OLED_SHOTS=folder cargo test -p oled-experiment --test browser pictures`.
#[test]
fn pictures_to_look_at() {
    let Some(folder) = std::env::var_os("OLED_SHOTS") else { return };
    let folder = Path::new(&folder);
    let Some((browser, _page)) = open(&common::sample()) else { return };
    std::fs::create_dir_all(folder).expect("the folder can be made");
    std::fs::write(folder.join("report.html"), html(&common::sample())).expect("the page can be written");
    browser.run("document.querySelectorAll('.history')[1].open = true");
    for (name, width, theme) in [("light", 1280, "light"), ("dark", 1280, "dark"), ("phone", 390, "light")] {
        browser.system_theme(theme);
        browser.resize(width, 900);
        std::fs::write(folder.join(format!("{name}.png")), decode(&browser.screenshot())).expect("it can be written");
    }
}

/// Base 64 as bytes.
fn decode(text: &str) -> Vec<u8> {
    let (mut bytes, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for letter in text.bytes() {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => break,
        };
        (bits, held) = ((bits << 6 | u32::from(value)) & 0xffff, held + 6);
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}
