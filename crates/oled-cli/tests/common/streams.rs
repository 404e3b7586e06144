//! Streams for tests of several workers: segments in random orders, and mixed.

use std::path::{Path, PathBuf};

use super::{oled, root, stdout};

/// A number that looks random.
pub(crate) fn lot(seed: u64, i: usize) -> u64 {
    (seed + 1).wrapping_mul(i as u64 + 7).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 13
}

/// A stream of the simulated world with its segments in a random order, and one in which they are mixed.
pub(crate) fn streams(folder: &Path, seed: u64, more: &[&str]) -> [PathBuf; 2] {
    let text = seed.to_string();
    let usual = [["--seed", &text], ["--segments", "7"], ["--length", "150"], ["--people", "5"]];
    let usual: Vec<&str> = usual.iter().filter(|[option, _]| !more.contains(option)).flatten().copied().collect();
    let simulated = stdout(&oled(&[&["simulate"], &usual[..], more].concat()));
    assert!(!simulated.is_empty(), "there is a stream");
    let segment = |line: &str| line.split("\"time\"").next().unwrap_or_default().to_string();
    let mut segments: Vec<Vec<&str>> = Vec::new();
    for line in simulated.lines() {
        match segments.last_mut() {
            Some(last) if segment(last[0]) == segment(line) => last.push(line),
            _ => segments.push(vec![line]),
        }
    }
    let mut order: Vec<usize> = (0..segments.len()).collect();
    order.sort_by_key(|i| lot(seed, *i));
    let apart: Vec<&str> = order.iter().flat_map(|i| segments[*i].clone()).collect();
    // Each segment in its own order, a few lines of one and then of another.
    let mut mixed = Vec::new();
    let mut left: Vec<std::vec::IntoIter<&str>> = segments.into_iter().map(Vec::into_iter).collect();
    for i in 0.. {
        if left.is_empty() {
            break;
        }
        let at = lot(seed, i) as usize % left.len();
        let count = 1 + lot(seed, i + 1) as usize % 9;
        let before = mixed.len();
        mixed.extend(left[at].by_ref().take(count));
        if mixed.len() < before + count {
            left.remove(at);
        }
    }
    [("apart", apart), ("mixed", mixed)].map(|(name, lines)| {
        let path = folder.join(format!("{name}-{seed}.jsonl"));
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        path
    })
}

/// A copy of a task in which segments may be mixed.
pub(crate) fn mixed_task(folder: &Path, task: &str) -> PathBuf {
    let copy = folder.join(task);
    std::fs::create_dir_all(copy.join("theories")).unwrap();
    let source = root().join("tasks").join(task);
    for part in ["modes.lp", "background.lp", "task.toml"] {
        std::fs::copy(source.join(part), copy.join(part)).unwrap();
    }
    for theory in std::fs::read_dir(source.join("theories")).unwrap() {
        let theory = theory.unwrap();
        std::fs::copy(theory.path(), copy.join("theories").join(theory.file_name())).unwrap();
    }
    let manifest = std::fs::read_to_string(copy.join("task.toml")).unwrap();
    std::fs::write(copy.join("task.toml"), manifest.replace("[stream]", "[stream]\ninterleaved = true")).unwrap();
    copy
}
