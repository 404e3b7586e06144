//! Compares the library with clingo on random tasks, theories and streams:
//! `cargo run --release -p oled-asp --features clingo --example judge -- CASES`.
#![allow(clippy::print_stdout)]

#[path = "../tests/random/mod.rs"]
mod random;

use oled_asp::judge::Verdict;

fn main() -> std::process::ExitCode {
    let cases: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(1000);
    let started = std::time::Instant::now();
    let total = random::judge_cases(cases, |background, theory, verdict| println!("{background}\n{theory}\n{verdict}"));
    let differences = total.differences.len();
    println!("{cases} random tasks in {:.0} s, {differences} differences", started.elapsed().as_secs_f64());
    print!("{}", Verdict { differences: Vec::new(), ..total });
    std::process::ExitCode::from(u8::from(differences > 0))
}
