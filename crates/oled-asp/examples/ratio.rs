//! How many times faster the learner evaluates its candidates than clingo does, in one run:
//! `cargo run --release -p oled-asp --features clingo --example ratio -- [FRAMES]`.
//!
//! Both get the same interpretations and the same candidates: every specialisation of every rule that the paper's learner has
//! after some time. The library derives what is true of each head instance and tests every candidate on it; clingo gets the
//! background, what is observed, and a rule for each candidate, as the original did. Both must say the same.
#![allow(clippy::print_stdout)]

use std::time::{Duration, Instant};

use oled::induce::Mask;
use oled::{Atom, Clause, Frame, Learner, Oled, Settings, Span, Term, Theory, Value};
use oled_asp::print::Printer;
use oled_asp::solver::{Limits, solve};
use oled_data::task_folder::TaskFolder;
use oled_data::world::{World, WorldOptions};

/// Time points from which candidates come.
const BEFORE: usize = 1000;
/// Candidates of each head.
const MOST: usize = 100;

fn main() {
    let frames: usize = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(100);
    let task = TaskFolder::caviar_listed().task;
    let options = WorldOptions { frames: (BEFORE + frames + 1) as u64, segments: 1, ..WorldOptions::default() };
    let stream: Vec<Frame> = World::new(options).collect();
    let settings = Settings { observed_next: false, ..Settings::default() };
    let mut learner = Oled::new(&task, |_| settings.clone()).expect("the task is right");
    stream[..BEFORE].iter().for_each(|frame| learner.observe(frame, &mut ()));

    let mut candidates: Vec<(usize, usize, Mask)> = Vec::new();
    let mut theory = Theory::default();
    let heads: Vec<Atom> = learner.processes().iter().map(|process| process.head.clone()).collect();
    for (p, head) in heads.into_iter().enumerate() {
        let mut bodies = Vec::new();
        learner.processes()[p].for_each_candidate(|body| bodies.push(body));
        for body in bodies.into_iter().take(MOST) {
            let literals = learner.table(p).body(&body);
            theory.clauses.push(Clause { head: head.clone(), body: literals, span: Span::default() });
            candidates.push((p, learner.processes()[p].group(), body));
        }
    }
    let printer = Printer::new(&task, &theory).expect("candidates are right");
    let covers: Vec<String> =
        theory.clauses.iter().enumerate().map(|(i, clause)| printer.clause_as("covers", i, clause)).collect();
    let program = format!("{}{}\n#show covers/3.\n", printer.background(), covers.join("\n"));

    // One after the other: what clingo frees would cost whoever asks for memory next.
    let (mut ours, mut theirs, mut ledgers) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut processes = learner.processes().to_vec();
    let mut found: Vec<(&Frame, Vec<u64>)> = Vec::new();
    learner.propositionaliser().observe(&stream[BEFORE]);
    for pair in stream[BEFORE..].windows(2) {
        let started = Instant::now();
        let Some(interpretation) = learner.propositionaliser().observe(&pair[1]) else { continue };
        let derived = started.elapsed();
        let counts = candidates
            .iter()
            .map(|(_, group, body)| interpretation.groups[*group].iter().filter(|i| i.fires(body)).count() as u64)
            .collect();
        ours += started.elapsed();
        let started = Instant::now();
        processes.iter_mut().for_each(|process| process.learn(&interpretation));
        ledgers += derived + started.elapsed();
        found.push((&pair[0], counts));
    }
    for (frame, counts) in &found {
        let started = Instant::now();
        let answer = solve(&format!("{program}{}", printer.frame(frame)), &[], &Limits::default());
        let answer = answer.expect("clingo runs what was checked");
        let mut said = vec![0_u64; candidates.len()];
        for atom in &answer.best().expect("there is a model").atoms {
            let [Term::Value(Value::Int(candidate)), head, _] = atom.args.as_slice() else { continue };
            said[*candidate as usize] += u64::from(is_about_different_ones(head));
        }
        theirs += started.elapsed();
        assert_eq!(*counts, said, "at {}", frame.time);
    }
    let interpretations = found.len();
    let fired: u64 = found.iter().flat_map(|(_, counts)| counts).sum();
    let each = |time: Duration| time.as_secs_f64() * 1e6 / interpretations as f64;
    println!(
        "{interpretations} interpretations, {} candidates, which fired {fired} times; both agree",
        candidates.len()
    );
    println!("clingo: {:.0} µs an interpretation", each(theirs));
    let ratio = |time: Duration| theirs.as_secs_f64() / time.as_secs_f64();
    println!("every candidate tested by masks: {:.1} µs, {:.0} times faster", each(ours), ratio(ours));
    println!(
        "all candidates of the learner, by its ledgers: {:.1} µs, {:.0} times faster",
        each(ledgers),
        ratio(ledgers)
    );
}

/// Nobody meets themselves: a head instance is about different ones.
fn is_about_different_ones(head: &Term) -> bool {
    let mut values = Vec::new();
    oled::lang::for_each_hole(std::slice::from_ref(head), &mut |term| values.push(term.clone()));
    values.iter().enumerate().all(|(i, value)| !values[..i].contains(value))
}
