//! Passes: what it takes to go over a stream once, to recognise or to learn, beside reading it.

use std::hint::black_box;

use oled::weights::{Chains, Decision, Firing, Weighing};
use oled::{Frame, Learner, Oled, Recogniser, Replay, Settings, Task, Theory};
use oled_data::{DataError, ReadAhead};

use super::case::{Case, Stream};
use super::paired::{Pairs, seconds};

/// Each to parsing the same bytes.
#[derive(Default)]
pub(super) struct Passes {
    pub(super) recognise: Pairs,
    /// Algorithm 1, from bytes to rules, on one thread and on two.
    pub(super) learn: Pairs,
    pub(super) threaded: Pairs,
    /// Replay, from bytes to its record.
    pub(super) replay: Pairs,
    /// Recognition with weights and confidence, to recognition without; nothing where the rules cannot be weighed.
    pub(super) confident: Pairs,
    /// The seconds of learning those weights, when it is known which rules fire.
    pub(super) weighing: Option<f64>,
    pub(super) intervals: usize,
}

impl Passes {
    pub(super) fn measure(case: &Case, runs: usize) -> anyhow::Result<Passes> {
        let Case { task, listed, theory, stream, .. } = case;
        let mut passes = Passes::default();
        let oled = || Oled::new(&listed.task, |_| Settings::default());
        let mut weights = None;
        if let Ok(firing) = Firing::new(&listed.task, theory) {
            let chains = fired(firing, stream)?;
            passes.weighing = Some(seconds(|| {
                weights = Some(Weighing::default().weigh(chains).weights);
                Ok(())
            })?);
        }
        for _ in 0..runs.max(1) {
            let parse = || stream.parse();
            passes.recognise.measure(parse, || {
                passes.intervals = recognise(&listed.task, theory, stream)?;
                Ok(())
            })?;
            if let Some(weights) = &weights {
                let plain = || recognise(&listed.task, theory, stream).map(|found| _ = black_box(found));
                passes.confident.measure(plain, || {
                    let chains = fired(Firing::new(&listed.task, theory)?, stream)?;
                    black_box(chains.intervals(weights, Decision::Best));
                    Ok(())
                })?;
            }
            passes.learn.measure(parse, || learn(oled()?, stream.read()?))?;
            passes
                .threaded
                .measure_by_wall(parse, || learn(oled()?.with_threads(2), ReadAhead::new(stream.read()?)))?;
            passes.replay.measure(parse, || {
                let mut learner = Replay::new(&task.task, task.replay_settings(&[]).map_err(anyhow::Error::msg)?)?;
                stream.read()?.try_for_each(|frame| frame.map(|frame| learner.observe(&frame, &mut ())))?;
                Ok(())
            })?;
        }
        Ok(passes)
    }
}

/// How many intervals are found.
pub(super) fn recognise(task: &Task, theory: &Theory, stream: &Stream) -> anyhow::Result<usize> {
    let mut recogniser = Recogniser::new(task, theory)?;
    let mut intervals = Vec::new();
    for frame in stream.read()? {
        recogniser.observe(&frame?, &mut intervals);
        if let Some(stop) = recogniser.stop() {
            anyhow::bail!("recognition has stopped: {stop:?}");
        }
    }
    recogniser.finish(&mut intervals);
    Ok(intervals.len())
}

/// Which rules fire.
fn fired(mut firing: Firing, stream: &Stream) -> anyhow::Result<Chains> {
    stream.read()?.try_for_each(|frame| frame.map(|frame| firing.observe(&frame)))?;
    Ok(firing.finish())
}

fn learn(mut learner: Oled, frames: impl Iterator<Item = Result<Frame, DataError>>) -> anyhow::Result<()> {
    for frame in frames {
        learner.observe(&frame?, &mut ());
    }
    black_box(learner.learned(&mut ()));
    Ok(())
}
