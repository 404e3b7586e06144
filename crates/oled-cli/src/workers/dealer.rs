//! Dealer: who gets which frame of a stream, epoch by epoch.
//!
//! A segment goes to one worker. Where one is all there is to be worked on, and its entities are apart, each worker gets a part of the
//! facts of each of its frames. What comes out is the same, so that this is decided by what pays.

use indexmap::IndexSet;
use oled::partition::{Groups, Place, Sequencer, Shares};
use oled::{Batch, Frame, Symbol};
use rustc_hash::FxBuildHasher;

/// An epoch has at least so many frames, since what segments bring side by side is what is at hand of them together; and at least so
/// many facts, a frame being one more, since tables have frames of a row each, 64 of which take less time than the channels do.
const FRAMES: usize = 64;
const FACTS: usize = 1 << 11;

/// Epochs that may be open: where segments come one after the other, only those that are at hand together are worked on side by
/// side, so that there should be room for some of the usual length.
pub(super) const OPEN: usize = 256;

/// A frame is dealt out in parts where there are so many facts for each worker: every worker sees every time point, which costs as
/// much as a few facts do.
const FACTS_OF_PART: usize = 4;

/// What a worker has to do in an epoch.
#[derive(Default)]
pub(super) struct Deeds {
    pub(super) deeds: Vec<Deed>,
    pub(super) frames: Batch,
}

pub(super) enum Deed {
    Over(Symbol, Place),
    /// The next frame.
    Frame(Place),
}

/// Deals frames out.
pub(super) struct Dealer {
    sequencer: Sequencer,
    shares: Shares,
    interleaved: bool,
    /// The groups of entities that are apart, if they are.
    groups: Option<Groups>,
    /// The segments that are dealt out in parts.
    parted: IndexSet<Symbol, FxBuildHasher>,
    /// Room for the parts of a frame, one for each worker.
    parts: Vec<Frame>,
    /// The frames before anything is dealt out.
    first: Vec<Frame>,
    is_first: bool,
    /// What there is of the epoch.
    epoch: Vec<Deeds>,
    frames: usize,
    facts: usize,
    /// The frames and the facts of the stream so far.
    of_stream: (u64, u64),
}

impl Dealer {
    /// Nothing is dealt out yet, to so many workers.
    pub(super) fn new(interleaved: bool, groups: Option<Groups>, workers: usize) -> Dealer {
        let empty = Frame::new(Symbol::new(""), 0);
        Dealer {
            sequencer: Sequencer::new(interleaved),
            shares: Shares::new(workers),
            interleaved,
            is_first: groups.is_some(),
            groups,
            parted: IndexSet::default(),
            parts: vec![empty; workers],
            first: Vec::new(),
            epoch: (0..workers).map(|_| Deeds::default()).collect(),
            frames: 0,
            facts: 0,
            of_stream: (0, 0),
        }
    }

    /// Whether an epoch is large enough.
    pub(super) fn is_full(&self) -> bool {
        self.frames >= FRAMES && self.facts >= FACTS
    }

    /// Adds a frame to the epoch.
    pub(super) fn take(&mut self, frame: &Frame) {
        let facts = frame.narrative.len() + frame.annotation.len();
        self.frames += 1;
        self.facts += 1 + facts;
        self.of_stream.0 += 1;
        self.of_stream.1 += facts as u64;
        if self.is_first {
            // What there is of the stream says what to do with its first segment.
            self.first.push(frame.clone());
        } else {
            self.deal(frame);
        }
    }

    /// The epoch, which is over: what each worker has to do.
    pub(super) fn epoch(&mut self) -> Vec<Deeds> {
        if std::mem::take(&mut self.is_first) {
            let first = std::mem::take(&mut self.first);
            if let Some(one) = first.first().map(|frame| frame.segment)
                && first.iter().all(|frame| frame.segment == one)
                && self.has_facts()
            {
                self.parted.insert(one);
            }
            first.iter().for_each(|frame| self.deal(frame));
        }
        (self.frames, self.facts) = (0, 0);
        let workers = self.epoch.len();
        std::mem::replace(&mut self.epoch, (0..workers).map(|_| Deeds::default()).collect())
    }

    fn deal(&mut self, frame: &Frame) {
        let place = self.sequencer.place(frame);
        if let Some(over) = place.over {
            if self.parted.swap_remove(&over) {
                self.epoch.iter_mut().for_each(|own| own.deeds.push(Deed::Over(over, place)));
            } else {
                self.epoch[self.shares.over(over)].deeds.push(Deed::Over(over, place));
            }
        }
        if place.begins && self.is_worth_parting(place.segment) {
            self.parted.insert(frame.segment);
        }
        match &self.groups {
            Some(groups) if self.parted.contains(&frame.segment) => {
                groups.deal(frame, &mut self.parts);
                for (number, (own, part)) in self.epoch.iter_mut().zip(&self.parts).enumerate() {
                    own.deeds.push(Deed::Frame(Place { part: Some(number), ..place }));
                    own.frames.push(part);
                }
            }
            _ => {
                let own = &mut self.epoch[self.shares.frame(frame.segment)];
                own.deeds.push(Deed::Frame(place));
                own.frames.push(frame);
            }
        }
    }

    /// Whether a segment that begins should be dealt out in parts, after so many others: where they come one after the other and were
    /// so long that there was not one for each worker in the epochs that may be open.
    fn is_worth_parting(&self, before: u64) -> bool {
        let at_hand = (OPEN * FRAMES) as u64;
        let frames = self.sequencer.frames() - 1;
        self.groups.is_some()
            && !self.interleaved
            && before > 0
            && frames.saturating_mul(self.epoch.len() as u64) > before.saturating_mul(at_hand)
            && self.has_facts()
    }

    /// Whether frames have facts enough for all workers.
    fn has_facts(&self) -> bool {
        let (frames, facts) = self.of_stream;
        facts >= frames.saturating_mul((FACTS_OF_PART * self.epoch.len()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use oled::{Source, Task};

    /// The parts of the segments of a stream with so many frames each, with so many facts.
    fn parts(segments: &[(&str, usize)], facts: usize) -> Vec<(String, bool)> {
        let modes = "input(happensAt(runs(+machine), +time)). example(holdsAt(busy(+machine), +time)).";
        let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
        let theory = oled::parse_theory("t.lp", "initiatedAt(busy(M), T) :- happensAt(runs(M), T).").unwrap();
        let mut dealer = Dealer::new(false, Groups::new(&task, &theory, &task.labels()), 2);
        let mut found = Vec::new();
        let mut tell = |dealer: &mut Dealer, names: &mut Vec<&str>| {
            let epoch = dealer.epoch();
            let whole = |deeds: &Deeds| deeds.deeds.iter().any(|d| matches!(d, Deed::Frame(Place { part: None, .. })));
            let is_whole = epoch.iter().any(whole);
            names.dedup();
            found.extend(names.drain(..).map(|name| (name.to_string(), !is_whole)));
        };
        let mut names = Vec::new();
        for (name, frames) in segments {
            for time in 0..*frames {
                let mut frame = Frame::new((*name).into(), time as i64);
                (0..facts).for_each(|fact| _ = frame.happens("runs", [format!("m{fact}").as_str()]));
                dealer.take(&frame);
                names.push(*name);
                if dealer.is_full() {
                    tell(&mut dealer, &mut names);
                }
            }
        }
        tell(&mut dealer, &mut names);
        found.dedup();
        found
    }

    #[test]
    fn a_segment_that_is_all_there_is_is_dealt_out_in_parts() {
        let parted = |name: &str| (name.to_string(), true);
        let whole = |name: &str| (name.to_string(), false);
        assert_eq!(parts(&[("a", 500)], 40), [parted("a")]);
        assert_eq!(parts(&[("a", 500)], 3), [whole("a")], "frames have few facts");
        assert_eq!(parts(&[("a", 20), ("b", 20)], 40), [whole("a"), whole("b")], "both are at hand");
        assert_eq!(parts(&[("a", 128), ("b", 128)], 40), [parted("a"), whole("b")], "segments are short");
        assert_eq!(parts(&[("a", 10_048), ("b", 64)], 40), [parted("a"), parted("b")], "segments are long");
    }
}
