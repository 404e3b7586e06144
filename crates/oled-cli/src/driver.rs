//! The driver: a stream goes through a command frame by frame, with checkpoints on the way, until it ends or somebody stops it.

use std::sync::atomic::{AtomicBool, Ordering};

use oled::Frame;
use oled_data::Pause;
use serde::Serialize;

use crate::checkpoint::Checkpointer;
use crate::progress::Progress;
use crate::source::Source;

/// What a command does with a stream.
pub(crate) trait Command {
    /// What is put right before a checkpoint is written, and told of at once where it cannot be.
    type Prepared;
    /// What a checkpoint has.
    type State: Serialize;

    /// Something may have come: a frame, which is used next, or a pause.
    fn wake(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// Uses a frame.
    fn frame(&mut self, frame: Frame) -> anyhow::Result<Used>;

    /// Nothing comes for a moment.
    fn rest(&mut self) -> anyhow::Result<()> {
        Ok(())
    }

    /// A frame was used, or there was none.
    fn after(&mut self) {}

    /// Whether the frame that was used last was ended early, so that no checkpoint can be written behind it.
    fn is_cut(&mut self) -> bool {
        false
    }

    /// Brings to disk what a checkpoint speaks of.
    fn prepare(&mut self) -> anyhow::Result<Self::Prepared>;

    /// What a checkpoint has, behind a position in the stream.
    fn state(&mut self, prepared: Self::Prepared, position: Vec<u8>) -> anyhow::Result<Self::State>;
}

/// What became of a frame.
pub(crate) enum Used {
    /// It was used.
    Yes,
    /// It was not, since somebody stopped it: it is seen again when the run goes on.
    No(Frame),
}

/// Drives a command through its stream. Returns whether it was stopped.
pub(crate) fn drive<C: Command>(
    command: &mut C,
    frames: &mut Source,
    checkpointer: &mut Option<Checkpointer<'_>>,
    progress: &mut Progress,
    interrupted: &AtomicBool,
) -> anyhow::Result<bool> {
    loop {
        let next = frames.next();
        command.wake()?;
        let is_due = match next {
            Some(frame) => match command.frame(frame?)? {
                Used::Yes => {
                    progress.frame_at(|| frames.bytes_read());
                    checkpointer.as_mut().is_some_and(Checkpointer::is_due)
                }
                Used::No(frame) => {
                    frames.put_back(frame);
                    false
                }
            },
            None if frames.pause().is_none() => return Ok(interrupted.load(Ordering::Relaxed)),
            None => {
                command.rest()?;
                frames.pause() == Some(Pause::End) || checkpointer.as_ref().is_some_and(Checkpointer::is_due_at_rest)
            }
        };
        command.after();
        let stopped = interrupted.load(Ordering::Relaxed);
        // The checkpoint before a frame that was ended early is the last one.
        if stopped && command.is_cut() {
            return Ok(true);
        }
        // After its end the stream has no position any more: the last checkpoint is the one written there.
        if let (true, Some(checkpointer), true) = (is_due || stopped, checkpointer.as_mut(), frames.has_position()) {
            let prepared = command.prepare()?;
            let at_end = frames.pause() == Some(Pause::End);
            checkpointer.save(stopped || at_end, || command.state(prepared, frames.save()))?;
            if at_end {
                frames.end();
            }
        }
        if stopped {
            return Ok(true);
        }
    }
}
