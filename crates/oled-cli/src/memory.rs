//! How much memory the program has used, as far as the system tells.

use oled::Symbol;

/// The memory that was used at most and the number of names, as a line.
pub(crate) fn stats() -> String {
    let peak = match peak() {
        Some(kilobytes) => format!("{:.1} MB", kilobytes as f64 / 1000.0),
        None => "unknown here".into(),
    };
    format!("peak memory: {peak}; names: {}", Symbol::count())
}

/// The largest part of the program that was in memory, in kilobytes; Linux tells.
pub(crate) fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}
