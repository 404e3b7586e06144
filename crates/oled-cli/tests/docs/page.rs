//! A page: its blocks, in the order in which they are run.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use oled::{Problems, Source, Task, parse_source};

use super::{read, root, shown, skipped, updating};

/// A fenced block of a page.
pub(super) struct Block<'a> {
    /// What stands behind the fence.
    info: &'a str,
    /// The numbers of its lines.
    pub(super) lines: Range<usize>,
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

pub(super) fn blocks<'a>(lines: &[&'a str]) -> Vec<Block<'a>> {
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

/// A page at work.
pub(super) struct Page {
    path: PathBuf,
    folder: tempfile::TempDir,
    /// What is wrong with it.
    pub(super) problems: Vec<String>,
    /// Lines that should read otherwise.
    edits: Vec<(Range<usize>, String)>,
    /// The exit code of the last command.
    code: i32,
    /// Whether it was told that some blocks are not run.
    skipped: bool,
}

impl Page {
    pub(super) fn new(path: &Path) -> Page {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        copy(&root().join("tasks"), &folder.path().join("tasks"));
        Page { path: path.to_path_buf(), folder, problems: Vec::new(), edits: Vec::new(), code: 0, skipped: false }
    }

    fn wrong(&mut self, line: usize, problem: impl std::fmt::Display) {
        self.problems.push(format!("{}:{}: {problem}", shown(&self.path), line + 1));
    }

    pub(super) fn run(&mut self) {
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
            Err(problems) => problems.as_errors() + "\n",
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
pub(super) fn matches(expected: &[&str], actual: &[&str]) -> bool {
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
