//! Plain ways of computing what the rest computes cleverly, and generators of random tasks: for tests of all crates.

pub mod generate;
pub mod naive;
pub mod tasks;

use proptest::test_runner::{Config, RngSeed};

/// A configuration of proptest that gives the same cases on every run.
pub fn deterministic(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(20_160_701), failure_persistence: None, ..Config::default() }
}
