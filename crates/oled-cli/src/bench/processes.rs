//! Processes: what a cluster costs beside the plain program, both started as a user starts them, on the same file.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};

use super::paired::{Pairs, Quartiles};

/// Two ways of running the program: seconds on the wall, and of the processor by all processes together.
#[derive(Default)]
pub(super) struct Both {
    pub(super) wall: Pairs,
    pub(super) processor: Pairs,
}

/// One process of a cluster beside the plain program, two beside one, and the same where each reads its pieces.
#[derive(Default)]
pub(super) struct Processes {
    pub(super) one_to_plain: Both,
    pub(super) two_to_one: Both,
    pub(super) two_to_one_shared: Both,
    /// Bytes that went over loopback for each frame, fed by one process and in pieces.
    bytes: [Vec<f64>; 2],
}

/// What one way takes.
struct Cost {
    wall: f64,
    processor: f64,
    bytes: f64,
}

impl Processes {
    /// Measures on a stream of so many frames, so often.
    pub(super) fn measure(stream: &[u8], frames: usize, runs: usize) -> anyhow::Result<Processes> {
        let folder = Folder::new()?;
        let input = folder.0.join("stream.jsonl");
        fs::write(&input, stream).context("there is no room for the stream")?;
        let mut found = Processes::default();
        for _ in 0..runs.max(1) {
            let plain = folder.plain(&input)?;
            let one = folder.cluster(&input, 1, false)?;
            let two = folder.cluster(&input, 2, false)?;
            let one_shared = folder.cluster(&input, 1, true)?;
            let two_shared = folder.cluster(&input, 2, true)?;
            found.one_to_plain.add(&plain, &one);
            found.two_to_one.add(&one, &two);
            found.two_to_one_shared.add(&one_shared, &two_shared);
            for (bytes, cost) in found.bytes.iter_mut().zip([two, two_shared]) {
                bytes.push(cost.bytes / frames as f64);
            }
        }
        Ok(found)
    }

    /// Bytes over loopback for each frame of two processes: fed by the first one, and in pieces.
    pub(super) fn bytes(&self) -> [Quartiles; 2] {
        [0, 1].map(|i| Quartiles::of(self.bytes[i].iter().copied()))
    }
}

impl Both {
    fn add(&mut self, base: &Cost, other: &Cost) {
        self.wall.add(base.wall, other.wall);
        self.processor.add(base.processor, other.processor);
    }
}

/// A folder for the stream and for what is written, which goes when it is not needed any more.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left of it is in a folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Folder {
    fn new() -> anyhow::Result<Folder> {
        let path = std::env::temp_dir().join(format!("oled-bench-{}", std::process::id()));
        fs::create_dir_all(&path).with_context(|| format!("cannot make `{}`", path.display()))?;
        Ok(Folder(path))
    }

    fn start(&self, before: &[&str], input: &Path, after: &[String], output: &str) -> anyhow::Result<Child> {
        let mut command = Command::new(std::env::current_exe().context("this program does not know where it is")?);
        command.args(before).args(["recognise", "lobby", "--theory", "true", "--quiet", "--input"]).arg(input);
        command.args(after).arg("--output").arg(self.0.join(output)).stdout(Stdio::null());
        command.spawn().context("this program cannot be started again")
    }

    fn plain(&self, input: &Path) -> anyhow::Result<Cost> {
        measured(|| Ok(vec![self.start(&[], input, &[], "plain")?]))
    }

    fn cluster(&self, input: &Path, count: usize, shared: bool) -> anyhow::Result<Cost> {
        let hosts = self.hosts(count)?;
        let cost = measured(|| {
            let one = |i: usize| {
                let mut after = vec!["--hosts".into(), hosts.clone(), "--process".into(), i.to_string()];
                after.extend(shared.then(|| "--shared-input".to_string()));
                self.start(&["cluster"], input, &after, "cluster")
            };
            (0..count).map(one).collect()
        })?;
        let written = |name: &str| fs::read(self.0.join(name)).context("what was written cannot be read");
        ensure!(written("plain")? == written("cluster")?, "a cluster has written something else: please report it");
        Ok(cost)
    }

    /// A file of hosts with ports that are free now.
    fn hosts(&self, count: usize) -> anyhow::Result<String> {
        let path = self.0.join("hosts");
        fs::write(&path, oled_cluster::hosts::local(count)?.join("\n"))?;
        Ok(path.display().to_string())
    }
}

fn measured(start: impl FnOnce() -> anyhow::Result<Vec<Child>>) -> anyhow::Result<Cost> {
    let (wall, processor, bytes) = (Instant::now(), children(), loopback());
    let all = start()?;
    for mut child in all {
        let status = child.wait().context("a process is gone")?;
        ensure!(matches!(status.code(), Some(0 | 1)), "a process has failed: {status}");
    }
    let wall = wall.elapsed().as_secs_f64();
    Ok(Cost { wall, processor: children() - processor, bytes: loopback() - bytes })
}

/// Ticks a second of the processor's time in `/proc`, on every Linux.
const TICKS: f64 = 100.0;

/// The time of the processor that children took which have ended; not a number where the system does not tell.
fn children() -> f64 {
    children_of(&fs::read_to_string("/proc/self/stat").unwrap_or_default())
}

/// The 16th and 17th field; the second is a name in brackets, which may have anything in it.
fn children_of(stat: &str) -> f64 {
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|text| text.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(13) + ticks(14)) / TICKS
}

/// The bytes that went over loopback so far, of whoever; not a number where the system does not tell.
fn loopback() -> f64 {
    loopback_of(&fs::read_to_string("/proc/net/dev").unwrap_or_default())
}

fn loopback_of(devices: &str) -> f64 {
    let line = devices.lines().find_map(|line| line.trim().strip_prefix("lo:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_understood_where_it_tells() {
        let stat = "12 (a (b) c) S 1 12 12 0 -1 4194304 90 500 0 0 7 8 250 50 20 0 1 0 99";
        assert!((children_of(stat) - 3.0).abs() < 1e-9);
        assert!(children_of("").is_nan());
        let devices = "Inter-| Receive\n  eth0: 77 1 0\n    lo: 12345 10 0 0\n";
        assert!((loopback_of(devices) - 12345.0).abs() < 1e-9);
        assert!(loopback_of("eth0: 1").is_nan());
    }
}
