//! What several workers and several processes cost beside one, measured in turn on one machine:
//! `cargo build --release -p oled-cli --features cluster && cargo run --release -p oled-cli --example spread -- --runs 5`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use clap::Parser;

#[derive(Parser)]
struct Args {
    /// How often each is measured.
    #[arg(long, default_value_t = 5)]
    runs: usize,

    /// Segments of the stream, of a thousand frames each.
    #[arg(long, default_value_t = 60)]
    segments: usize,

    /// The program; by default the one that was built beside this.
    #[arg(long)]
    program: Option<PathBuf>,
}

/// Seconds on the wall, and of the processor by all processes together.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    processor: f64,
}

/// Ticks a second of the processor's time in `/proc`, on every Linux.
const TICKS: f64 = 100.0;

/// The time of the processor that children which have ended took.
fn children() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(13) + ticks(14)) / TICKS
}

/// The bytes that went over loopback.
fn loopback() -> f64 {
    let text = fs::read_to_string("/proc/net/dev").unwrap_or_default();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("lo:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN)
}

fn measured(start: impl Fn() -> Vec<Child>) -> Cost {
    let (began, before) = (Instant::now(), children());
    for mut child in start() {
        let status = child.wait().expect("it was started");
        assert!(matches!(status.code(), Some(0 | 1)), "it has failed: {status}");
    }
    Cost { wall: began.elapsed().as_secs_f64(), processor: children() - before }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[expect(clippy::print_stdout, reason = "this is a program of its own, which prints")]
fn main() {
    let args = Args::parse();
    let beside = || {
        let own = std::env::current_exe().expect("a program knows where it is");
        own.parent().and_then(Path::parent).map(|folder| folder.join("oled")).unwrap_or_default()
    };
    let program = args.program.unwrap_or_else(beside);
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let at = |name: &str| folder.path().join(name);
    let simulated = Command::new(&program)
        .args(["simulate", "--people", "8", "--length", "1000", "--segments", &args.segments.to_string()])
        .output()
        .expect("the program is built");
    let frames = simulated.stdout.split(|byte| *byte == b'\n').count() - 1;
    println!("{frames} frames, {:.1} MB of JSON Lines", simulated.stdout.len() as f64 / 1e6);
    fs::write(at("stream.jsonl"), &simulated.stdout).expect("there is room for the stream");
    let ports: Vec<String> = (0..2).map(|i| format!("127.0.0.1:{}", 21_300 + i)).collect();
    for count in [1, 2] {
        fs::write(at(&format!("hosts{count}")), ports[..count].join("\n")).expect("there is room for the hosts");
    }
    let start = |words: &[&str], more: &[&str], name: &str| {
        let mut command = Command::new(&program);
        command.args(words).arg("--input").arg(at("stream.jsonl")).args(more).arg("--quiet");
        command.arg("--output").arg(at(name)).stdout(Stdio::null()).spawn().expect("the program is built")
    };
    let processes = |words: &[&str], count: usize| {
        let words = [&["cluster"], words].concat();
        let hosts = at(&format!("hosts{count}")).display().to_string();
        let one = |i: usize| start(&words, &["--hosts", &hosts, "--process", &i.to_string()], "cluster");
        (0..count).map(one).collect::<Vec<Child>>()
    };
    let commands: [(&str, &[&str]); 2] =
        [("recognise", &["recognise", "lobby", "--theory", "true"]), ("learn", &["learn", "lobby", "--no-refits"])];
    for (name, words) in commands {
        let mut costs: [Vec<Cost>; 4] = Default::default();
        let mut bytes = Vec::new();
        for _ in 0..args.runs {
            costs[0].push(measured(|| vec![start(words, &["--workers", "1"], "one")]));
            costs[1].push(measured(|| vec![start(words, &["--workers", "2"], "two")]));
            costs[2].push(measured(|| processes(words, 1)));
            assert!(same(&at("one"), &at("cluster")), "one process of a cluster writes the same");
            let before = loopback();
            costs[3].push(measured(|| processes(words, 2)));
            bytes.push(loopback() - before);
            assert!(same(&at("one"), &at("two")) && same(&at("one"), &at("cluster")), "all write the same bytes");
        }
        let ratio = |a: usize, b: usize, of: fn(&Cost) -> f64| {
            median(costs[a].iter().zip(&costs[b]).map(|(a, b)| of(a) / of(b)))
        };
        let both = |a, b| {
            format!("{:.2} by the wall, {:.2} by the processor", ratio(a, b, |c| c.wall), ratio(a, b, |c| c.processor))
        };
        let one = median(costs[0].iter().map(|cost| cost.processor));
        println!("{name}: {one:.2} s of the processor, {:.1} us a frame", one / frames as f64 * 1e6);
        println!("  two workers against one: {}", both(1, 0));
        println!("  one process of a cluster against the plain program: {}", both(2, 0));
        println!(
            "  two processes against one: {}; {:.0} bytes a frame over loopback",
            both(3, 2),
            median(bytes.into_iter()) / frames as f64
        );
    }
}

fn same(a: &Path, b: &Path) -> bool {
    fs::read(a).ok() == fs::read(b).ok()
}
