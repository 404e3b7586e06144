//! Networks of others as an oracle: the ground Markov logic networks of LoMRF-data, with the answers of an integer program.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use oled::weights::{ScoredRun, Scores, decode};

/// What breaking a hard clause costs: more than all soft ones together.
const HARD: f64 = 1e9;

fn lines(path: &Path) -> impl Iterator<Item = String> {
    BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines().map(Result::unwrap)
}

/// A literal `HoldsAt(fluent,time)` or `!HoldsAt(fluent,time)`: the fluent, the time, and whether it is positive.
fn literal(text: &str) -> (String, usize, bool) {
    let atom = text.trim_start_matches('!');
    let inner = atom.strip_prefix("HoldsAt(").and_then(|a| a.strip_suffix(')')).unwrap();
    let (fluent, time) = inner.split_once(',').unwrap();
    (fluent.trim().into(), time.trim().parse().unwrap(), !text.starts_with('!'))
}

/// A chain of a network: for each step, from the state before to the state at a time, the weights of clauses that are true.
type Steps = BTreeMap<usize, [[f64; 2]; 2]>;

fn chains(path: &Path) -> BTreeMap<String, Steps> {
    let mut chains: BTreeMap<String, Steps> = BTreeMap::new();
    for line in lines(path).filter(|l| !l.trim().is_empty() && !l.starts_with("//")) {
        let (text, hard) = line.trim().strip_suffix('.').map_or((line.trim(), false), |text| (text, true));
        let (weight, clause) = match text.split_once(' ').filter(|(w, _)| w.parse::<f64>().is_ok()) {
            Some((weight, clause)) => (weight.parse().unwrap(), clause),
            None => (HARD, text),
        };
        let weight: f64 = if hard { HARD } else { weight };
        let literals: Vec<_> = clause.split(" v ").map(|l| literal(l.trim())).collect();
        let steps = chains.entry(literals[0].0.clone()).or_default();
        let last = literals.iter().map(|(_, time, _)| *time).max().unwrap();
        assert!(literals.iter().all(|(fluent, time, _)| *fluent == literals[0].0 && time + 1 >= last));
        for (_, time, _) in &literals {
            steps.entry(*time).or_default();
        }
        let scores = steps.entry(last).or_default();
        for (before, row) in scores.iter_mut().enumerate() {
            for (now, score) in row.iter_mut().enumerate() {
                let state = |time: usize| if time == last { now } else { before };
                let is_true = literals.iter().any(|(_, time, positive)| (state(*time) == 1) == *positive);
                *score += if is_true { weight } else { 0.0 };
            }
        }
    }
    chains
}

#[test]
fn the_best_states_are_at_least_as_good_as_those_of_an_integer_program() {
    let folder = Path::new("../../../shared/data/lomrf");
    if !folder.is_dir() {
        // Past the test harness: a test that was skipped must not look like one that passed.
        let _ = writeln!(std::io::stderr(), "SKIPPED: ../shared/data/lomrf not found");
        return;
    }
    let mut networks: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    networks.retain(|path| path.to_string_lossy().ends_with(".network.gz"));
    networks.sort();
    let (mut count, mut better) = (0, 0);
    for network in &networks {
        let golden = PathBuf::from(network.to_string_lossy().replace(".network.gz", ".ilp.golden.gz"));
        let mut answers: BTreeMap<(String, usize), usize> = BTreeMap::new();
        for line in lines(&golden).filter(|l| !l.trim().is_empty()) {
            let (atom, value) = line.trim().rsplit_once(' ').unwrap();
            let (fluent, time, _) = literal(atom.trim());
            answers.insert((fluent, time), value.parse().unwrap());
        }
        for (fluent, steps) in chains(network) {
            let scores: Vec<Scores> = steps.values().map(|scores| Scores::of_two(*scores)).collect();
            let scored: Vec<ScoredRun> = scores.iter().map(|scores| ScoredRun { scores, length: 1 }).collect();
            let (best, states) = decode(&scored);
            assert_eq!(states.len(), steps.len());
            let (mut before, mut theirs) = (0, 0.0);
            for (time, scores) in &steps {
                let now = answers.get(&(fluent.clone(), *time)).copied().unwrap_or(0);
                theirs += scores[before][now];
                before = now;
            }
            assert!(best >= theirs - 1e-6, "{} {fluent}: {best} {theirs}", network.display());
            count += 1;
            better += usize::from(best > theirs + 1e-6);
        }
    }
    assert_eq!((networks.len(), count), (19, 76));
    assert!(better > 0, "some answers of the program were rounded");
}
