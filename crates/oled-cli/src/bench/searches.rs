//! Searches: what it takes to find rules in a record, on one thread.

use std::hint::black_box;

use oled::{Frame, Learner, Replay, Symbol};

use super::case::Case;
use super::paired::{Pairs, seconds};

/// The search on all of the data is what the other is compared with.
#[derive(Default)]
pub(super) struct Searches {
    /// The search once more, after a tenth of the segments more.
    pub(super) again: Pairs,
    pub(super) runs: usize,
    pub(super) bytes: usize,
}

impl Searches {
    pub(super) fn measure(case: &Case, times: usize) -> anyhow::Result<Searches> {
        let mut searches = Searches::default();
        let frames: Vec<Frame> = case.stream.read()?.collect::<Result<_, _>>()?;
        let settings = case.task.replay_settings(&[]).map_err(anyhow::Error::msg)?;
        let new = || Replay::new(&case.task.task, settings.clone());
        let (most, rest) = tenth(&frames);
        for _ in 0..times {
            let mut learner = new()?;
            frames.iter().for_each(|frame| learner.observe(frame, &mut ()));
            (searches.runs, searches.bytes) = (learner.record().runs(), learner.record().bytes());
            let search = seconds(|| {
                black_box(learner.learned(&mut ()));
                Ok(())
            })?;
            let mut learner = new()?;
            most.iter().for_each(|frame| learner.observe(frame, &mut ()));
            learner.search_again();
            rest.iter().for_each(|frame| learner.observe(frame, &mut ()));
            let again = seconds(|| {
                learner.search_again();
                Ok(())
            })?;
            searches.again.add(search, again);
        }
        Ok(searches)
    }
}

/// The frames without the last tenth of their segments, and those.
fn tenth(frames: &[Frame]) -> (Vec<&Frame>, Vec<&Frame>) {
    let mut segments: Vec<Symbol> = frames.iter().map(|f| f.segment).collect();
    segments.dedup();
    let later = &segments[segments.len() - segments.len().div_ceil(10)..];
    frames.iter().partition(|f| !later.contains(&f.segment))
}
