//! The harness: commands that keep what they know, killed at points by a seed, resumed, and compared with themselves.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use oled_data::{Checkpoint, previous};

/// How much work a run is.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Size {
    Small,
    Large,
}

/// A command that can be killed and goes on.
struct Job {
    name: &'static str,
    /// Arguments of a run in a folder; the second time with what lets it go on.
    args: Vec<String>,
    resume: &'static [&'static str],
    /// What it writes, to be compared; not what it keeps for itself.
    results: &'static [&'static str],
}

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    /// For each command its name, runs that were killed at least once, and kills.
    pub(crate) jobs: Vec<(&'static str, u64, u64)>,
    /// Runs that ended before they could be killed.
    pub(crate) missed: u64,
    /// Results that differ from those of a run that was left alone.
    pub(crate) differences: Vec<String>,
    /// Checkpoints that could not be read.
    pub(crate) corrupt: Vec<String>,
    pub(crate) seed: u64,
}

impl Found {
    pub(crate) fn is_good(&self) -> bool {
        self.differences.is_empty() && self.corrupt.is_empty()
    }

    pub(crate) fn kills(&self) -> u64 {
        self.jobs.iter().map(|(.., kills)| kills).sum()
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, runs, kills) in &self.jobs {
            writeln!(f, "{name}: {kills} kills in {runs} runs")?;
        }
        for line in self.differences.iter().chain(&self.corrupt) {
            writeln!(f, "{line}")?;
        }
        let (kills, seed, missed) = (self.kills(), self.seed, self.missed);
        let (differences, corrupt) = (self.differences.len(), self.corrupt.len());
        write!(
            f,
            "seed {seed}: {kills} kills, {differences} differences, {corrupt} corrupt files; {missed} ended before"
        )
    }
}

/// Kills the program so often. `tell` hears of every run.
pub(crate) fn run(program: &Path, kills: u64, seed: u64, size: Size, mut tell: impl FnMut(String)) -> Found {
    let folder = tempfile::tempdir().expect("there is room for files");
    let stream = folder.path().join("stream.jsonl");
    let (segments, length) = if size == Size::Small { ("3", "60") } else { ("3", "120") };
    let world = ["simulate", "--segments", segments, "--length", length, "--people", "4", "--late", "0.02"];
    let simulated = Command::new(program).args(world).args(["--duplicate", "0.01"]).output().expect("the program runs");
    fs::write(&stream, simulated.stdout).expect("there is room for files");
    let jobs = jobs(stream.to_str().expect("temporary folders have plain names"), size);
    let mut found = Found { jobs: jobs.iter().map(|j| (j.name, 0, 0)).collect(), seed, ..Found::default() };
    let left_alone: Vec<(PathBuf, Duration)> = jobs
        .iter()
        .map(|job| {
            let place = folder.path().join(format!("alone-{}", job.name.replace(' ', "-")));
            fs::create_dir(&place).expect("there is room for files");
            let start = Instant::now();
            let code = start_job(program, job, &place, false).wait().expect("it was started").code();
            assert!(matches!(code, Some(0 | 1)), "{} ends with {code:?}", job.name);
            (place, start.elapsed())
        })
        .collect();
    let mut lots = Lots(seed);
    let mut number = 0;
    while found.kills() < kills {
        let at = number % jobs.len();
        let (job, (alone, takes)) = (&jobs[at], &left_alone[at]);
        let place = folder.path().join(format!("run{number}"));
        number += 1;
        fs::create_dir(&place).expect("there is room for files");
        let wanted = (1 + lots.below(4)).min(kills - found.kills());
        let (mut killed, mut points) = (0, Vec::new());
        while killed < wanted {
            let mut child = start_job(program, job, &place, killed > 0);
            let point = takes.mul_f64(lots.below(1000) as f64 / 1000.0);
            std::thread::sleep(point);
            if child.try_wait().expect("it was started").is_some() {
                found.missed += 1;
                break;
            }
            child.kill().and_then(|()| child.wait()).expect("it was started");
            killed += 1;
            points.push(format!("{}", point.as_millis()));
            for path in [place.join("run.ckpt"), previous(&place.join("run.ckpt"))] {
                if let (true, Err(error)) = (path.exists(), Checkpoint::read(&path)) {
                    found.corrupt.push(format!("{}: {error}", job.name));
                }
            }
        }
        let code = start_job(program, job, &place, true).wait().expect("it was started").code();
        let mut same = matches!(code, Some(0 | 1));
        for result in job.results {
            same &= fs::read(alone.join(result)).ok() == fs::read(place.join(result)).ok();
        }
        let line = format!("{} {number}: killed after {} ms", job.name, points.join(", "));
        if !same {
            found.differences.push(format!("{line}: another result, exit code {code:?}"));
        }
        found.jobs[at].1 += u64::from(killed > 0);
        found.jobs[at].2 += killed;
        tell(line);
        fs::remove_dir_all(&place).expect("nobody else is there");
    }
    found
}

fn jobs(stream: &str, size: Size) -> Vec<Job> {
    let every = if size == Size::Small { "10" } else { "20" };
    let with = |text: &str, more: &[&str]| -> Vec<String> {
        text.split(' ').map(|word| word.replace("STREAM", stream)).chain(more.iter().map(ToString::to_string)).collect()
    };
    let live = ["--lenient", "--lateness", "5", "--checkpoint", "run.ckpt", "--every", every];
    let resume = &["--resume"][..];
    vec![
        Job {
            name: "learn replay",
            args: with(
                "learn lobby-listed --no-refits --json --threads 1 --input STREAM --output t.json --log log.jsonl",
                &live,
            ),
            resume,
            results: &["t.json", "log.jsonl"],
        },
        Job {
            name: "learn oled",
            args: with("learn lobby-listed --learner oled --input STREAM --output t.lp --log log.jsonl", &live),
            resume,
            results: &["t.lp", "log.jsonl"],
        },
        Job {
            name: "recognise",
            args: with("recognise lobby --theory true --input STREAM --output out.csv", &live),
            resume,
            results: &["out.csv"],
        },
        Job {
            name: "experiment",
            args: with(
                "crossval lobby-listed --learner oled --folds 3 --threads 1 --no-times --lenient --input STREAM --out report",
                &[],
            ),
            resume: &[],
            results: &["report/report.html", "report/report.md", "report/results.json", "report/results.csv"],
        },
    ]
}

fn start_job(program: &Path, job: &Job, place: &Path, again: bool) -> Child {
    let more = if again { job.resume } else { &[] };
    let null = || Stdio::null();
    let mut command = Command::new(program);
    command.args(&job.args).args(more).current_dir(place).stdin(null()).stdout(null()).stderr(null());
    command.spawn().expect("the program runs")
}

/// Random numbers: `SplitMix64`.
struct Lots(u64);

impl Lots {
    fn below(&mut self, count: u64) -> u64 {
        oled_data::world::splitmix(&mut self.0) % count
    }
}
