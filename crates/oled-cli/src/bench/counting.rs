//! Counting: three ways to count how often every candidate of every rule was right, given what is true at each time point.

use oled::learn::Interpretation;
use oled::{Frame, Oled, Settings};

use super::case::Case;
use super::paired::{Quartiles, seconds};

/// What it takes to count how often every candidate was right.
pub(super) struct Counting {
    pub(super) interpretations: usize,
    /// Finding out what is true at each time point, which all ways of counting need.
    pub(super) model: f64,
    /// From there: making masks, counting by ledgers, and all decisions;
    pub(super) ledger: f64,
    /// making masks, and testing every candidate on every instance by them;
    pub(super) masks: f64,
    /// testing every candidate on every instance by looking its literals up, one after the other.
    pub(super) naive: f64,
}

impl Counting {
    pub(super) fn measure(case: &Case, runs: usize) -> anyhow::Result<Counting> {
        let frames: Vec<Frame> = case.stream.read()?.collect::<Result<_, _>>()?;
        let new = || Oled::new(&case.listed.task, |_| Settings::default());
        let (mut models, mut ledgers, mut makings) = (Vec::new(), Vec::new(), Vec::new());
        let mut interpretations = Vec::new();
        for _ in 0..runs.max(1) {
            let mut learner = new()?;
            let model = seconds(|| {
                frames.iter().for_each(|f| learner.propositionaliser().derive(f));
                Ok(())
            })?;
            let covered = seconds(|| {
                interpretations = frames.iter().filter_map(|f| learner.propositionaliser().observe(f)).collect();
                Ok(())
            })?;
            let mut processes = learner.processes().to_vec();
            let counted = seconds(|| {
                interpretations.iter().for_each(|i| processes.iter_mut().for_each(|p| p.learn(i)));
                Ok(())
            })?;
            models.push(model);
            makings.push(covered - model);
            ledgers.push(covered - model + counted);
        }
        let median = |seconds: Vec<f64>| Quartiles::of(seconds).median;
        let (masks, naive) = one_by_one(new()?, &frames, &interpretations);
        Ok(Counting {
            interpretations: interpretations.len(),
            model: median(models),
            ledger: median(ledgers),
            masks: median(makings) + masks,
            naive,
        })
    }
}

/// What takes long is measured on one of so many interpretations, and multiplied.
const SAMPLE: usize = 20;

/// The same candidates on the same interpretations without ledgers: by masks, and by looking literals up.
fn one_by_one(mut learner: Oled, frames: &[Frame], interpretations: &[Interpretation]) -> (f64, f64) {
    let mut processes = learner.processes().to_vec();
    let mut lookup = learner.propositionaliser().lookup();
    let (mut masks, mut naive) = (0.0, 0.0);
    let mut frames = frames.iter();
    for (number, interpretation) in interpretations.iter().enumerate() {
        // All frames are observed, since conditions may look back at any of them.
        let mut observed = frames.by_ref().inspect(|f| lookup.observe(f));
        let found = observed.any(|f| (f.segment, f.time) == (interpretation.segment, interpretation.time));
        if found && number % SAMPLE == 0 {
            let start = std::time::Instant::now();
            let by_masks: u64 = processes.iter().map(|p| p.count_one_by_one(interpretation)).sum();
            masks += start.elapsed().as_secs_f64();
            let start = std::time::Instant::now();
            let mut by_lookup = 0u64;
            for process in &processes {
                let group = process.group();
                process.for_each_candidate(|body| {
                    for instance in 0..lookup.instances(group) {
                        by_lookup += u64::from(lookup.fires(group, instance, &body));
                    }
                });
            }
            naive += start.elapsed().as_secs_f64();
            assert_eq!(by_masks, by_lookup, "both count the same");
        }
        processes.iter_mut().for_each(|p| p.learn(interpretation));
    }
    (masks * SAMPLE as f64, naive * SAMPLE as f64)
}
