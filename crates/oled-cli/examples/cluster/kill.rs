//! Killing: one of the processes at moments by a seed, then all are started again.

use std::fs;
use std::process::Child;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::processes::{Lots, Program, words};

/// How long those who are left may take to notice: processes that are not connected yet wait for others.
const NOTICE: Duration = Duration::from_secs(3);

/// Kills so often; tells how it goes, and in the end what was found. Returns whether all was as if nobody had been killed.
pub(crate) fn run(program: &Program, kills: u64, seed: u64, mut tell: impl FnMut(String)) -> bool {
    let task = program.mixed_task("lobby").display().to_string();
    let [_, input] = program.streams(seed, 7, 500).map(|path| path.display().to_string());
    let [apart, _] = program.streams(seed + 1, 7, 500).map(|path| path.display().to_string());
    let table = |is_mixed: bool| {
        let (task, table) = program.machines(seed, [9, 500, 12], is_mixed);
        format!("recognise {task} --theory {task}/rules.lp --input {table}")
    };
    let jobs = [
        format!("recognise {task} --theory true --input {input}"),
        format!("recognise lobby --theory true --frames --input {apart}"),
        format!("learn {task} --no-refits --input {input}"),
        format!("learn lobby-listed --learner oled --input {apart}"),
        format!("recognise lobby --theory true --input {apart}"),
        format!("recognise {task} --theory true --frames --input {input}"),
        table(false),
        table(true),
    ];
    // How a cluster reads it: the last ones in pieces.
    let read = jobs.iter().enumerate().map(|(i, _)| if i < 3 { "" } else { " --shared-input" });
    let read: Vec<&str> = read.collect();
    let alone: Vec<String> = (jobs.iter())
        .map(|job| String::from_utf8_lossy(&program.run(&words(&format!("{job} --quiet"))).stdout).into_owned())
        .collect();
    // How long each takes from start to end, to choose moments within.
    let takes: Vec<Duration> = (jobs.iter())
        .zip(&read)
        .map(|(job, read)| {
            let began = Instant::now();
            program.together(&words(&format!("{job} --quiet{read}")), 2);
            began.elapsed()
        })
        .collect();
    let mut lots = Lots(seed);
    let (mut done, mut runs, mut lost, mut twice, mut differences) = (0, 0, 0, 0, 0);
    while done < kills {
        let at = runs % jobs.len();
        let [output, checkpoint] = ["out", "kept"].map(|name| program.at(&format!("{name}{runs}")));
        let count = 2 + runs / jobs.len() % 2;
        runs += 1;
        let (job, read) = (&jobs[at], read[at]);
        let (to, keep) = (output.display(), checkpoint.display());
        let args = words(&format!("{job} --quiet --output {to} --checkpoint {keep} --resume --every 300{read}"));
        let mut here = 0;
        loop {
            let mut children = program.start(&args, count);
            if done + here < kills && here < 4 {
                sleep(takes[at].mul_f64(lots.below(1000) as f64 / 1000.0));
                let victim = lots.below(count as u64) as usize;
                if children[victim].try_wait().expect("it was started").is_none() {
                    here += 1;
                }
                let _ = children[victim].kill();
                end(&mut children, Some(NOTICE));
            }
            if end(&mut children, None) {
                break;
            }
        }
        done += here;
        let written = fs::read_to_string(&output).unwrap_or_default();
        let (a, b): (Vec<&str>, Vec<&str>) = (alone[at].lines().collect(), written.lines().collect());
        lost += a.iter().filter(|line| !b.contains(line)).count();
        twice += b.len().saturating_sub(a.len());
        differences += usize::from(written != alone[at]);
        tell(format!("{}: killed {here} times, {count} processes", words(job)[0]));
    }
    tell(format!(
        "seed {seed}: {done} kills in {runs} runs; {differences} differences, {lost} lines lost, {twice} lines too many"
    ));
    differences == 0 && lost == 0 && twice == 0
}

/// Waits until all have ended, or ends those who take longer than they may. Returns whether all have ended well.
fn end(children: &mut [Child], within: Option<Duration>) -> bool {
    let began = Instant::now();
    let mut well = true;
    for child in children {
        let status = loop {
            if let Some(status) = child.try_wait().expect("it was started") {
                break status;
            }
            if within.is_some_and(|within| began.elapsed() > within) {
                let _ = child.kill();
            }
            sleep(Duration::from_millis(5));
        };
        well &= matches!(status.code(), Some(0 | 1));
    }
    well
}
