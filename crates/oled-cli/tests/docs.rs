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

use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use oled::induce::{PRESETS, SETTINGS};
use oled::replay::REPLAY_SETTINGS;
use oled::{Problems, ReplaySettings, Settings, Source, Task, parse_source};

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

/// A fenced block of a page.
struct Block<'a> {
    /// What stands behind the fence.
    info: &'a str,
    /// The numbers of its lines.
    lines: Range<usize>,
    text: String,
}

impl Block<'_> {
    fn language(&self) -> &str {
        self.info.split([',', ' ']).next().unwrap_or("")
    }

    fn is(&self, word: &str) -> bool {
        self.info.split([',', ' ']).skip(1).any(|w| w == word)
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.info.split([',', ' ']).find_map(|w| w.strip_prefix(key)?.strip_prefix('='))
    }
}

fn blocks<'a>(lines: &[&'a str]) -> Vec<Block<'a>> {
    let mut blocks = Vec::new();
    let mut open: Option<(usize, &str, usize)> = None;
    for (i, line) in lines.iter().enumerate() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match open {
            None if ticks >= 3 => open = Some((ticks, line[ticks..].trim(), i + 1)),
            Some((fence, info, start)) if ticks >= fence && line.len() == ticks => {
                let text = joined(&lines[start..i]);
                blocks.push(Block { info, lines: start..i, text });
                open = None;
            }
            _ => {}
        }
    }
    assert!(open.is_none(), "the block that starts at line {} never ends", open.map_or(0, |o| o.2));
    blocks
}

// ---- one page

/// A page at work.
struct Page {
    path: PathBuf,
    folder: tempfile::TempDir,
    /// What is wrong with it.
    problems: Vec<String>,
    /// Lines that should read otherwise.
    edits: Vec<(Range<usize>, String)>,
    /// The exit code of the last command.
    code: i32,
    /// Whether it was told that some blocks are not run.
    skipped: bool,
}

impl Page {
    fn new(path: &Path) -> Page {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        copy(&root().join("tasks"), &folder.path().join("tasks"));
        Page { path: path.to_path_buf(), folder, problems: Vec::new(), edits: Vec::new(), code: 0, skipped: false }
    }

    fn wrong(&mut self, line: usize, problem: impl std::fmt::Display) {
        self.problems.push(format!("{}:{}: {problem}", shown(&self.path), line + 1));
    }

    fn run(&mut self) {
        let text = read(&self.path);
        let lines: Vec<&str> = text.lines().collect();
        let blocks = blocks(&lines);
        for (i, block) in blocks.iter().enumerate() {
            if let Some(name) = block.value("file") {
                let file = self.folder.path().join(name);
                fs::create_dir_all(file.parent().expect("it has a name")).expect("a folder can be made");
                fs::write(file, &block.text).expect("a file can be written");
            }
            match block.language() {
                "console" if block.is("norun") => {}
                "console" if block.is("caviar") && !self.has_caviar() => {}
                "console" => self.console(block, &lines),
                "prolog" if block.is("wrong") && block.value("file").is_some() => {}
                "prolog" if block.is("wrong") => match blocks.get(i + 1).filter(|b| b.language() == "text") {
                    Some(message) => self.wrong_rules(block, message),
                    None => self.wrong(block.lines.start, "a `text` block with the error must follow"),
                },
                "prolog" => {
                    if let Err(problems) = self.check(block) {
                        self.wrong(block.lines.start, format!("the rules have errors\n{problems}"));
                    }
                    if let Some(name) = block.value("in")
                        && !read(&self.folder.path().join(name)).contains(&block.text)
                    {
                        self.wrong(block.lines.start, format!("`{name}` has no such rule"));
                    }
                }
                _ => {}
            }
        }
        if updating() && !self.edits.is_empty() {
            fs::write(&self.path, edited(&lines, &self.edits)).expect("the page can be written");
        }
    }

    /// Makes the data of CAVIAR available, if it is there.
    fn has_caviar(&mut self) -> bool {
        let data = root().join("../shared/data/caviar");
        if !data.is_dir() {
            if !std::mem::replace(&mut self.skipped, true) {
                skipped(&format!("the data of CAVIAR for {}: ../shared/data/caviar not found", shown(&self.path)));
            }
            return false;
        }
        let link = self.folder.path().join("caviar-data");
        if !link.exists() {
            std::os::unix::fs::symlink(data, link).expect("a link can be made");
        }
        true
    }

    // ---- commands

    fn console(&mut self, block: &Block<'_>, lines: &[&str]) {
        let mut at = block.lines.start;
        while at < block.lines.end {
            let first = at;
            let Some(command) = lines[at].strip_prefix("$ ") else {
                return self.wrong(at, "expected `$ command`");
            };
            let mut command = command.to_string();
            at += 1;
            while command.ends_with('\\') && at < block.lines.end {
                command.push('\n');
                command.push_str(lines[at]);
                at += 1;
            }
            let start = at;
            while at < block.lines.end && !lines[at].starts_with("$ ") {
                at += 1;
            }
            let stated = at < block.lines.end && lines[at] == "$ echo $?";
            let codes: &[i32] = match () {
                () if block.is("fails") => &[2],
                () if stated => &[1, 2],
                () => &[0],
            };
            self.command(first, &command, start..at, &lines[start..at], codes);
        }
    }

    /// Runs a command that is to print some lines, and to exit with one of these codes.
    fn command(&mut self, line: usize, command: &str, place: Range<usize>, expected: &[&str], codes: &[i32]) {
        // What needs clingo is run where the program has it.
        let feature = if cfg!(feature = "clingo") { "cargo run --release --features clingo -- " } else { "\0" };
        let run = command.strip_prefix("cargo run --release -- ").or_else(|| command.strip_prefix(feature));
        let command = match run {
            Some(arguments) => format!("oled {arguments}"),
            None if command.starts_with("cargo ") => return self.cargo(line, command),
            None => command.to_string(),
        };
        let program = Path::new(env!("CARGO_BIN_EXE_oled"));
        let mut path = program.parent().expect("the program is in a folder").as_os_str().to_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let output = Command::new("sh")
            .arg("-c")
            // The shell remembers the exit code of the command before.
            .arg(format!("exec 2>&1\n(exit {})\n{command}", self.code))
            .current_dir(self.folder.path())
            .env("PATH", path)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .output()
            .expect("a shell can be started");
        self.code = output.status.code().unwrap_or(-1);
        // How far a command is depends on the machine.
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed: String = printed.split_inclusive('\n').filter(|line| !line.starts_with("progress: ")).collect();
        if !codes.contains(&self.code) {
            let remedy = "a failure is shown with `$ echo $?`, or announced by `console,fails`";
            self.wrong(line, format!("`{command}` exits with {}: {remedy}\n{printed}", self.code));
        }
        let actual: Vec<&str> = printed.lines().map(str::trim_end).collect();
        if matches(expected, &actual) {
            return;
        }
        if updating() && !expected.iter().any(|line| line.contains("...")) {
            self.edits.push((place, joined(&actual)));
        } else {
            self.wrong(line, format!("`{command}` prints\n{printed}"));
        }
    }

    /// Commands of cargo are not run here, but those that test are what CI runs.
    fn cargo(&mut self, line: usize, command: &str) {
        let ci = root().join(".ci/run");
        if command.starts_with("cargo test") && !read(&ci).contains(command) {
            self.wrong(line, format!("`.ci/run` does not run `{command}`"));
        }
    }

    // ---- rules

    /// Reads the rules of a block and checks them, as far as the block says against what.
    fn check(&self, block: &Block<'_>) -> Result<(), Problems> {
        let folder = block.value("task").map(|task| self.folder.path().join(task));
        let part = |name: &str| {
            let text =
                folder.as_ref().map(|f| f.join(name)).filter(|f| f.exists()).map_or_else(String::new, |f| read(&f));
            Source::new(name, text)
        };
        let source = |name: &str| Source::new(name, block.text.as_str());
        match block.value("role") {
            Some("modes") => Task::parse(&source("modes.lp"), &part("background.lp")).map(drop),
            Some("background") => Task::parse(&part("modes.lp"), &source("background.lp")).map(drop),
            Some(role) => panic!("{}: unknown role `{role}`", shown(&self.path)),
            None => {
                let (theory, mut problems) = parse_source(&source("theory.lp"));
                if folder.is_some() {
                    let task = Task::parse(&part("modes.lp"), &part("background.lp"))?;
                    let checked: Result<(), Problems> = if problems.is_empty() { task.check(&theory) } else { Ok(()) };
                    problems.extend(checked.err().map(Vec::from).into_iter().flatten());
                }
                // Nobody should learn to write what the program warns of.
                if problems.is_empty() {
                    problems.extend(Task::default().warnings(&theory));
                }
                Problems::check(problems)
            }
        }
    }

    fn wrong_rules(&mut self, block: &Block<'_>, message: &Block<'_>) {
        let printed = match self.check(block) {
            Ok(()) => return self.wrong(block.lines.start, "the rules are said to be wrong, and are not"),
            Err(problems) => format!("{problems}\n"),
        };
        let actual: Vec<&str> = printed.lines().map(str::trim_end).collect();
        let expected: Vec<&str> = message.text.lines().collect();
        if matches(&expected, &actual) {
            return;
        }
        if updating() && !expected.iter().any(|line| line.contains("...")) {
            self.edits.push((message.lines.clone(), joined(&actual)));
        } else {
            self.wrong(message.lines.start, format!("the error reads\n{printed}"));
        }
    }
}

/// Whether lines are those expected, among which `...` stands for any number of lines.
fn matches(expected: &[&str], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((&"...", rest)) => (0..=actual.len()).any(|skip| matches(rest, &actual[skip..])),
        Some((first, rest)) => actual.first().is_some_and(|line| is_like(first, line)) && matches(rest, &actual[1..]),
    }
}

/// Whether a line is the one expected, in which `...` stands for any characters.
fn is_like(expected: &str, actual: &str) -> bool {
    match expected.split_once("...") {
        None => expected == actual,
        Some((start, rest)) => actual.strip_prefix(start).is_some_and(|end| {
            end.char_indices().map(|(i, _)| i).chain([end.len()]).any(|skip| is_like(rest, &end[skip..]))
        }),
    }
}

/// Lines as a text, each with its end.
fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// The lines with some of them replaced; the replacements are in order.
fn edited(lines: &[&str], edits: &[(Range<usize>, String)]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for (place, replacement) in edits {
        text.push_str(&joined(&lines[at..place.start]));
        text.push_str(replacement);
        at = place.end;
    }
    text.push_str(&joined(&lines[at..]));
    text
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the tasks are there").flatten() {
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if from.is_dir() { copy(&from, &to) } else { fs::copy(from, to).map(drop).expect("a file can be copied") }
    }
}

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
fn every_chapter_is_in_the_summary_and_every_entry_is_a_chapter() {
    let summary = read(&root().join("book/src/SUMMARY.md"));
    for chapter in chapters() {
        let name = chapter.file_name().unwrap().to_string_lossy().into_owned();
        assert!(summary.contains(&format!("({name})")), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn every_link_and_every_picture_is_there() {
    let mut pages = pages();
    let others = ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "book/src/SUMMARY.md", "tasks/lobby/README.md"];
    pages.extend(others.map(|name| root().join(name)));
    let mut broken = Vec::new();
    for page in &pages {
        for link in links(&read(page)) {
            if link.starts_with("http://") || link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((link.as_str(), None), |(f, a)| (f, Some(a)));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let found = target.exists() && anchor.is_none_or(|a| anchors(&read(&target)).contains(&a.to_string()));
            if !found {
                broken.push(format!("{}: {link}", shown(page)));
            }
        }
    }
    assert!(broken.is_empty(), "broken links:\n{}", broken.join("\n"));
}

/// The lines that are not in blocks.
fn prose(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let inside: Vec<Range<usize>> = blocks(&lines).into_iter().map(|b| b.lines.start - 1..b.lines.end + 1).collect();
    (0..lines.len()).filter(|i| !inside.iter().any(|r| r.contains(i))).map(|i| lines[i]).collect()
}

/// What links of a page point to: `[text](target)`, outside of code.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        for part in plain.split("](").skip(1) {
            links.extend(part.split_once(')').map(|(target, _)| target.to_string()));
        }
    }
    links
}

/// The anchors of a page's headings, as mdBook and GitHub make them.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).into_iter().filter(|l| l.starts_with('#'));
    headings
        .map(|heading| {
            let title = heading.trim_start_matches('#').trim().to_lowercase();
            title
                .chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

#[test]
fn dots_stand_for_any_lines() {
    assert!(matches(&["a", "...", "c"], &["a", "b", "b", "c"]));
    assert!(matches(&["..."], &[]));
    assert!(!matches(&["a"], &["a", "b"]));
    assert!(matches(&["a ... c...", "d"], &["a b c", "d"]) && !matches(&["a ... c"], &["a b d"]));
}
