//! Every file of the fuzzers' corpus, seeds and past failures, through the function that they fuzz.

#![allow(clippy::print_stdout)] // the counts

#[path = "../../../fuzz/src/lib.rs"]
#[allow(unreachable_pub)] // it is the library of the fuzz targets
mod targets;

use std::path::Path;

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

#[test]
fn every_target_does_its_corpus() {
    let corpus = Path::new("../../fuzz/corpus");
    for (name, target) in targets::TARGETS {
        let files = files(&corpus.join(name));
        assert!(!files.is_empty(), "the target `{name}` has seeds");
        for path in &files {
            let bytes = std::fs::read(path).unwrap();
            let done = std::panic::catch_unwind(|| target(&bytes)).is_ok();
            assert!(done, "the target `{name}` fails on {}", path.display());
        }
        println!("{name}: {} files", files.len());
    }
    let folders: Vec<String> =
        files(corpus).iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let mut names = targets::TARGETS.map(|(name, _)| name.to_string());
    names.sort();
    assert_eq!(folders, names, "each folder of the corpus is a target's");
}
