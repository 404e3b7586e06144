//! How well rules fit, for learners that do not know it themselves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::bail;
use oled::learn::FluentFit;
use oled::logic::MAX_STEPS;
use oled::{Evaluation, Learned, Recogniser};
use oled_data::task_folder::TaskFolder;

use crate::input::too_much;
use crate::source::Source;

/// How well rules fit, for a learner that does not know it itself: by recognition with them, in a second look at the stream.
pub(super) fn fits(
    folder: &TaskFolder,
    frames: Source,
    learned: &Learned,
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<Vec<FluentFit>> {
    let theory = learned.theory();
    let mut recogniser =
        Recogniser::new(&folder.task, &theory)?.with_max_steps(MAX_STEPS).with_interrupt(interrupted.clone().into());
    let mut evaluation = Evaluation::new(&folder.task.labels());
    let mut closed = Vec::new();
    for frame in frames {
        let frame = frame?;
        recogniser.observe(&frame, &mut closed);
        if interrupted.load(Ordering::Relaxed) {
            bail!("the program was asked to end");
        }
        if let Some(stop) = recogniser.stop() {
            return Err(too_much(stop, &frame));
        }
        evaluation.count(&recogniser, &frame);
        closed.clear();
    }
    Ok(oled::learn::fits(&folder.task, &theory, &evaluation))
}
