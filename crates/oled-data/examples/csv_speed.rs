//! How fast a table of delimited text becomes frames, beside the `csv` crate that reads its cells and no more:
//! `cargo run --release -p oled-data --example csv_speed -- 300`, in megabytes; with `iso` behind, times are dates, with `once`
//! each reader runs once.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use oled_data::open;
use oled_data::task_folder::TaskFolder;

/// Runs of each reader, in turn: the median of five is not moved by two that were disturbed.
const RUNS: usize = 5;

const MODES: &str = "input(temp(+machine, +number, +time)). input(load(+machine, +number, +time)).
input(rpm(+machine, +count, +time)). input(happensAt(error(+machine, +code), +time)).
type(machine, symbol). type(number, real). type(count, int). type(code, symbol).
example(holdsAt(hot(+machine), +time)).\n";

const TABLE: &str = "[[table]]\ntime = \"time\"
facts = [\"temp(machine, temp)\", \"load(machine, load)\", \"rpm(machine, rpm)\", \"happensAt(error(machine, code)) if code\"]\n";

/// Rows of five machines a second, one error in a hundred rows; the same bytes each time.
fn write(path: &Path, bytes: usize, iso: bool) -> io::Result<usize> {
    let mut out = BufWriter::new(File::create(path)?);
    let times = oled_data::Times::iso(oled::lang::Clock::default(), true);
    let (mut written, mut row, mut random) = (0, 0_u64, 1_u64);
    let mut line = String::from("time,machine,temp,load,rpm,code\n");
    while written < bytes {
        out.write_all(line.as_bytes())?;
        written += line.len();
        // A linear congruential generator, as good as any for digits.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let (time, machine, digits) = (1_772_359_200 + (row / 5) as i64, row % 5, random >> 33);
        let time = if iso { times.show(time) } else { time.to_string() };
        let (temp, load, rpm) = (digits % 90_000, digits % 1_000, digits % 8_000);
        let code = if digits % 100 == 0 { "E42" } else { "" };
        line = format!("{time},machine-{machine:02},{}.{:03},0.{load:03},{rpm},{code}\n", temp / 1_000, temp % 1_000);
        row += 1;
    }
    out.flush()?;
    Ok(written)
}

/// The most memory that the process ever had, in megabytes; `None` where the system does not tell.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()? / 1024.0)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let has = |word: &str| args.iter().any(|arg| arg == word);
    let (iso, runs) = (has("iso"), if has("once") { 1 } else { RUNS });
    let megabytes: usize = args.first().map_or(Ok(100), |arg| arg.parse())?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("table.csv");
    let bytes = write(&path, megabytes * 1_000_000, iso)?;
    let stream = if iso { "[stream]\ntime = \"iso\"\n" } else { "" };
    let task = TaskFolder::from_texts("speed", &format!("{stream}{TABLE}"), MODES, "")?;
    let mut times = [Vec::new(), Vec::new()];
    let (mut rows, mut frames, mut facts) = (0, 0, 0);
    for _ in 0..runs {
        let start = Instant::now();
        let mut reader = csv::Reader::from_path(&path)?;
        let mut record = csv::ByteRecord::new();
        (rows, frames, facts) = (0, 0, 0);
        while reader.read_byte_record(&mut record)? {
            rows += 1;
        }
        times[0].push(start.elapsed().as_secs_f64());
        let start = Instant::now();
        for frame in open(&path, &task.read_options(None, false))? {
            frames += 1;
            facts += frame?.narrative.len();
        }
        times[1].push(start.elapsed().as_secs_f64());
    }
    let speed = times.map(|times| bytes as f64 / 1e6 / median(times));
    let mut out = io::stdout().lock();
    writeln!(out, "{bytes} bytes, {rows} rows, {frames} frames, {facts} facts; medians of {runs} runs in turn")?;
    writeln!(out, "csv crate: {:.0} MB/s", speed[0])?;
    writeln!(out, "to frames: {:.0} MB/s, {:.2} of it", speed[1], speed[1] / speed[0])?;
    if let Some(peak) = peak() {
        writeln!(out, "peak memory: {peak:.0} MB")?;
    }
    Ok(())
}
