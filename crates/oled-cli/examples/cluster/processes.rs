//! Processes: the program as it is, with threads, and as several processes on this machine; and streams for it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use crate::machines;

/// The program, and a folder for what it needs.
pub(crate) struct Program {
    path: PathBuf,
    folder: tempfile::TempDir,
}

impl Program {
    pub(crate) fn new(path: PathBuf) -> Program {
        // It is started in other folders.
        let path = path.canonicalize().unwrap_or(path);
        Program { path, folder: tempfile::tempdir().expect("there is room for files") }
    }

    /// A place for a file.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, args: &[String]) -> Command {
        let mut command = Command::new(&self.path);
        command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &[String]) -> Output {
        self.command(args).output().expect("the program is built, with the feature `cluster`")
    }

    /// Starts it as so many processes.
    pub(crate) fn start(&self, args: &[String], count: usize) -> Vec<Child> {
        let hosts = self.at("hosts");
        let addresses = oled_cluster::hosts::local(count).expect("there are ports");
        fs::write(&hosts, addresses.join("\n")).expect("there is room for files");
        let one = |i: usize| {
            let own = ["--hosts".to_string(), hosts.display().to_string(), "--process".into(), i.to_string()];
            let args = [&["cluster".to_string()], args, &own].concat();
            self.command(&args).spawn().expect("the program is built")
        };
        (0..count).map(one).collect()
    }

    /// What the first of so many processes prints, when all have ended.
    pub(crate) fn together(&self, args: &[String], count: usize) -> Output {
        let all: Vec<Output> = self
            .start(args, count)
            .into_iter()
            .map(|child| child.wait_with_output().expect("it was started"))
            .collect();
        all.into_iter().next().expect("there is one at least")
    }

    /// A simulated stream, with its segments in an order by the seed; and the same with its segments mixed.
    pub(crate) fn streams(&self, seed: u64, segments: usize, length: usize) -> [PathBuf; 2] {
        let args = format!("simulate --seed {seed} --segments {segments} --length {length} --people 5");
        let text = String::from_utf8(self.run(&words(&args)).stdout).expect("streams are text");
        let segment = |line: &str| line.split("\"time\"").next().unwrap_or_default().to_string();
        let mut parts: Vec<Vec<&str>> = Vec::new();
        for line in text.lines() {
            match parts.last_mut() {
                Some(last) if segment(last[0]) == segment(line) => last.push(line),
                _ => parts.push(vec![line]),
            }
        }
        let mut lots = Lots(seed);
        for i in (1..parts.len()).rev() {
            parts.swap(i, lots.below(i as u64 + 1) as usize);
        }
        let apart = parts.concat();
        let mut mixed = Vec::new();
        let mut left: Vec<std::vec::IntoIter<&str>> = parts.into_iter().map(Vec::into_iter).collect();
        while !left.is_empty() {
            let at = lots.below(left.len() as u64) as usize;
            mixed.extend(left[at].by_ref().take(1 + lots.below(9) as usize));
            left.retain(|lines| lines.len() > 0);
        }
        [("apart", apart), ("mixed", mixed)].map(|(name, lines)| {
            let path = self.at(&format!("{name}-{seed}.jsonl"));
            fs::write(&path, lines.join("\n") + "\n").expect("there is room for files");
            path
        })
    }

    /// A task about machines and its table, with so many plants, times and machines in each.
    pub(crate) fn machines(&self, seed: u64, size: [u64; 3], is_mixed: bool) -> (String, String) {
        let [task, _] = machines::task(self.folder.path(), is_mixed);
        let table = machines::table(self.folder.path(), seed, size, is_mixed);
        (task.display().to_string(), table.display().to_string())
    }

    /// A copy of a task of this repository in which segments may be mixed.
    pub(crate) fn mixed_task(&self, task: &str) -> PathBuf {
        let (from, to) = (Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tasks").join(task), self.at(task));
        copy(&from, &to);
        let manifest = to.join("task.toml");
        let text = fs::read_to_string(&manifest).expect("tasks have it");
        fs::write(manifest, text.replace("[stream]", "[stream]\ninterleaved = true")).expect("there is room for files");
        to
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("there is room for files");
    for entry in fs::read_dir(from).expect("the folder of the task is there").flatten() {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() { copy(&path, &to) } else { _ = fs::copy(&path, &to).expect("there is room for files") }
    }
}

/// The words of a command.
pub(crate) fn words(text: &str) -> Vec<String> {
    text.split(' ').map(ToString::to_string).collect()
}

/// Random numbers: `SplitMix64`.
pub(crate) struct Lots(pub(crate) u64);

impl Lots {
    pub(crate) fn below(&mut self, count: u64) -> u64 {
        oled_data::world::splitmix(&mut self.0) % count
    }
}
