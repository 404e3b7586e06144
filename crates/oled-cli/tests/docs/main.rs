//! The documentation is true: every command and every rule in it is run, and every link leads somewhere.
//!
//! | fence | what happens |
//! |---|---|
//! | `console` | each line `$ command` is run; the lines below it are what it prints, both outputs together |
//! | `console,caviar` | the same, where `../shared/data/caviar` is there; in the folder it is called `caviar-data` |
//! | `console,fails` | the same, and each command exits with 2 |
//! | `console,norun` | commands that cannot be run here: they need a network, or minutes |
//! | `LANGUAGE file=NAME` | the block is written to a file |
//! | `prolog` | rules that can be read; with `task=FOLDER` also rules that fit the task |
//! | `prolog role=modes`, `prolog task=FOLDER role=background` | declarations, background knowledge |
//! | `prolog in=NAME` | the same, and the block is a part of that file, which a command wrote |
//! | `prolog,wrong` | rules with an error, which the next `text` block shows |
//!
//! A line `...` stands for any lines, `...` within a line for any part of it. A command that fails elsewhere is followed by `$ echo $?`. All blocks of a page share a
//! temporary folder, which has a copy of `tasks/`. `OLED_UPDATE_DOCS=1` writes what was really printed into the pages.

#![cfg(unix)]

mod links;
mod page;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use oled::induce::{PRESETS, SETTINGS};
use oled::replay::REPLAY_SETTINGS;
use oled::{ReplaySettings, Settings};

use page::{Page, matches};

fn root() -> PathBuf {
    Path::new("../..").canonicalize().expect("the repository is there")
}

/// The pages whose commands are run.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    pages.extend(chapters());
    pages
}

/// The chapters of the book.
fn chapters() -> Vec<PathBuf> {
    let folder = root().join("book/src");
    let mut chapters: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the book is there")
        .map(|entry| entry.expect("its files can be listed").path())
        .filter(|p| p.extension().is_some_and(|e| e == "md") && !p.ends_with("SUMMARY.md"))
        .collect();
    chapters.sort();
    chapters
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A path as people write it.
fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

fn updating() -> bool {
    std::env::var_os("OLED_UPDATE_DOCS").is_some()
}

// ---- blocks

// ---- one page

/// Says so past the test harness, which shows what tests print only where they fail: a test that was skipped must not
/// look like one that passed.
fn skipped(what: &str) {
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}");
}

// ---- tests

#[test]
fn every_command_and_every_rule_does_what_the_pages_say() {
    let problems: Vec<String> = std::thread::scope(|scope| {
        let pages: Vec<_> = pages()
            .into_iter()
            .map(|path| {
                scope.spawn(move || {
                    let mut page = Page::new(&path);
                    page.run();
                    page.problems
                })
            })
            .collect();
        pages.into_iter().flat_map(|page| page.join().expect("the page can be run")).collect()
    });
    assert!(problems.is_empty(), "\n{}\nOLED_UPDATE_DOCS=1 writes the outputs anew", problems.join("\n"));
}

#[test]
fn the_picture_is_the_one_that_the_demo_draws() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = folder.path().join("demo.svg");
    let output = Command::new(env!("CARGO_BIN_EXE_oled")).arg("demo").arg("--svg").arg(&drawn).output().unwrap();
    assert!(output.status.success());
    let kept = root().join("book/src/images/demo.svg");
    if updating() {
        fs::copy(&drawn, &kept).unwrap();
    }
    assert!(read(&drawn) == read(&kept), "{} is out of date: OLED_UPDATE_DOCS=1 draws it anew", shown(&kept));
}

#[test]
fn the_tables_of_counts_are_true() {
    let data = root().join("../shared/data/caviar");
    if !data.is_dir() {
        return skipped("the tables of counts of CAVIAR: ../shared/data/caviar not found");
    }
    let mut rows: Vec<(PathBuf, [String; 5])> = Vec::new();
    for page in [root().join("book/src/caviar.md")] {
        for line in read(&page).lines() {
            let cells: Vec<String> = line.trim_matches('|').split('|').map(|c| c.trim().to_string()).collect();
            // | protocol | fluent | TP | FP | FN |
            if let Ok(row) = <[String; 5]>::try_from(cells)
                && row[4].parse::<u64>().is_ok()
            {
                rows.push((page.clone(), row));
            }
        }
    }
    assert_eq!(rows.len(), 4, "a table of two protocols and two fluents");
    for (page, [protocol, fluent, counts @ ..]) in rows {
        let task = root().join("tasks/caviar-listed");
        let mut command = Command::new(env!("CARGO_BIN_EXE_oled"));
        command.arg("evaluate").arg(&task).arg("--theory").arg(task.join("theories/hand.lp")).arg("--input").arg(&data);
        let output = command.arg("--protocol").arg(&protocol).output().unwrap();
        let table = String::from_utf8_lossy(&output.stdout).into_owned();
        let row: Vec<&str> = table.lines().find(|l| l.starts_with(&fluent)).unwrap_or("").split_whitespace().collect();
        assert_eq!(row.get(1..4).unwrap_or_default(), counts, "{}: {protocol}, {fluent}", shown(&page));
    }
}

#[test]
fn the_table_of_settings_is_that_of_the_code() {
    let page = read(&root().join("book/src/settings.md"));
    // | setting | meaning | range | one cell for each preset |
    let rows: Vec<Vec<&str>> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect::<Vec<_>>())
        .filter(|cells| cells.len() == 3 + PRESETS.len())
        .collect();
    assert_eq!(rows.len(), SETTINGS.len(), "one row for each setting");
    for (row, (name, meaning, range)) in rows.iter().zip(SETTINGS) {
        assert_eq!(row[..3], [format!("`{name}`").as_str(), meaning, range]);
        // `prune` is short for two others.
        for (preset, cell) in PRESETS.iter().zip(&row[3..]).filter(|_| name != "prune") {
            let expected = Settings::preset(preset).unwrap();
            let mut stated = expected.clone();
            stated.set(name, cell).unwrap_or_else(|problem| panic!("{preset}: {problem}"));
            assert_eq!(stated, expected, "`{name}` in the preset `{preset}`");
        }
    }
    for preset in PRESETS {
        assert!(page.contains(&format!("| `{preset}` | ")), "the preset `{preset}` is not described");
    }
}

#[test]
fn the_table_of_settings_of_replay_is_that_of_the_code() {
    let page = read(&root().join("book/src/learning.md"));
    let section = page.split("\n## Settings of replay\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows: Vec<Vec<&str>> = section
        .lines()
        .filter(|line| line.starts_with("| `"))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect();
    assert_eq!(rows.len(), REPLAY_SETTINGS.len(), "one row for each setting");
    for (row, (name, meaning, range)) in rows.iter().zip(REPLAY_SETTINGS) {
        assert_eq!(row[..3], [format!("`{name}`").as_str(), meaning, range]);
        let mut stated = ReplaySettings::default();
        stated.set(name, row[3]).unwrap();
        assert_eq!(stated, ReplaySettings::default(), "`{name}`");
    }
}

#[test]
fn make_runs_what_ci_runs() {
    let makefile = read(&root().join("Makefile"));
    for line in read(&root().join(".ci/run")).lines().filter(|l| l.contains("cargo ") && !l.starts_with('#')) {
        if !line.starts_with("command -v") {
            assert!(makefile.contains(&format!("\t{line}\n")), "`make` does not run `{line}`");
        }
    }
}

#[test]
fn dots_stand_for_any_lines() {
    assert!(matches(&["a", "...", "c"], &["a", "b", "b", "c"]));
    assert!(matches(&["..."], &[]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(matches(&["a ... c...", "d"], &["a b c", "d"]) && !matches(&["a ... c"], &["a b d"]));
}
