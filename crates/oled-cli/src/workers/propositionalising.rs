//! Propositionalising side by side: workers make interpretations of their segments, and one learner decides on them in the order of the stream.

use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, Sender, channel};

use anyhow::Context;
use oled::event::Observer;
use oled::learn::{Propositionalised, SegmentPropositionaliser};
use oled::partition::{Place, Told, Worker};
use oled::{Frame, Learner, StateError, Symbol};

use super::run;
use crate::progress::Progress;
use crate::source::Source;

/// A worker that makes interpretations.
pub(crate) struct Propositionalising {
    propositionaliser: SegmentPropositionaliser,
    to: To,
}

/// Where they go.
enum To {
    /// To another thread, and the number of this worker is told.
    Thread(Sender<Propositionalised>, u64),
    /// To another process, as bytes.
    #[cfg(feature = "cluster")]
    Process,
}

impl Propositionalising {
    /// For another process.
    #[cfg(feature = "cluster")]
    pub(crate) fn new(propositionaliser: SegmentPropositionaliser) -> Propositionalising {
        Propositionalising { propositionaliser, to: To::Process }
    }
}

impl Worker for Propositionalising {
    fn over(&mut self, _: Symbol, _: &Place, _: &mut Vec<Told>) {}

    fn frame(&mut self, frame: &Frame, place: &Place, told: &mut Vec<Told>) -> Result<(), String> {
        let propositionalised = self.propositionaliser.observe(frame);
        let (made, tag) = match &self.to {
            #[cfg(feature = "cluster")]
            To::Process => (oled::state::encode(&propositionalised), 0),
            To::Thread(learner, number) => {
                // Who does not listen any more has told why.
                let _ = learner.send(propositionalised);
                (Vec::new(), *number)
            }
        };
        told.push(Told { frame: place.frame, rank: 1, text: String::new(), made, tag });
        Ok(())
    }

    fn end(&mut self, _: &mut Vec<Told>) {}

    fn save(&mut self) -> Vec<u8> {
        self.propositionaliser.save()
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.propositionaliser.restore(state)
    }
}

/// Lets a learner, which has seen nothing yet, decide on what so many workers make of a stream; gives back the stream, which has
/// ended.
pub(crate) fn learn_propositionalised(
    (learner, propositionaliser): (&mut dyn Learner, &SegmentPropositionaliser),
    observer: &mut dyn Observer,
    (frames, interleaved): (Source, bool),
    workers: usize,
    stop: &AtomicBool,
    progress: &mut Progress,
) -> anyhow::Result<Source> {
    let one = |number: usize| {
        let (send, receive) = channel();
        (
            Propositionalising { propositionaliser: propositionaliser.clone(), to: To::Thread(send, number as u64) },
            receive,
        )
    };
    let (workers, made): (Vec<Propositionalising>, Vec<Receiver<Propositionalised>>) = (0..workers).map(one).unzip();
    let failed = "what workers have seen cannot be put together: please report it";
    let (frames, workers) = run(frames, (interleaved, None), workers, stop, progress, |told| {
        told.iter().try_for_each(|told| {
            // What is told was sent before.
            let propositionalised = made[told.tag as usize].recv().context(failed)?;
            learner.observe_propositionalised(propositionalised, observer).context(failed)
        })
    })?;
    workers.into_iter().try_for_each(|mut worker| learner.add_propositionaliser(&worker.save()).context(failed))?;
    Ok(frames)
}
