//! Assembling frames: atoms that come one by one become frames, consecutive ones of the same time the same frame.

use oled::{Facts, Frame, Signature, StateError, Symbol, state};

use crate::error::Problem;
use crate::frame::{ANNOTATION, NARRATIVE, default_segment};
use crate::sink::Sink;

/// The frame that atoms are being read into.
///
/// An atom is read before its time is known. So it is read into the open frame, and moved on where it turns out to be
/// the first one of the next.
pub(crate) struct FrameAssembler {
    segment: Symbol,
    /// The time of the open frame.
    time: Option<i64>,
    facts: [Facts; 2],
    /// The time of a frame that is being left out because it came at the wrong time.
    refused: Option<i64>,
    /// Signatures that are annotation wherever they come.
    labels: Vec<Signature>,
    /// Numbers of facts and values of the last narrative: the next one will be of about the same size.
    room: (usize, usize),
}

impl FrameAssembler {
    pub(crate) fn new(labels: &[Signature]) -> FrameAssembler {
        FrameAssembler {
            segment: default_segment(),
            time: None,
            facts: Default::default(),
            refused: None,
            labels: labels.to_vec(),
            room: (0, 0),
        }
    }

    /// The open frame, to be written.
    pub(crate) fn save(&self) -> Vec<u8> {
        state::encode(&(self.segment, self.time, &self.facts, self.refused))
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        (self.segment, self.time, self.facts, self.refused) = state::decode(bytes)?;
        Ok(())
    }

    /// The segment, and the time of the open frame.
    pub(crate) fn place(&self) -> (Symbol, Option<i64>) {
        (self.segment, self.time)
    }

    /// From here on frames are of this segment.
    pub(crate) fn segment(&mut self, segment: Symbol, sink: &mut Sink) {
        if segment != self.segment {
            self.flush(sink);
            self.segment = segment;
            self.refused = None;
        }
    }

    /// Where to read the next atom into. Then comes [`FrameAssembler::settle`] or [`FrameAssembler::retract`].
    pub(crate) fn facts(&mut self, part: usize) -> &mut Facts {
        &mut self.facts[part]
    }

    /// Takes back the atom that was just read.
    pub(crate) fn retract(&mut self, part: usize) {
        self.facts[part].pop();
    }

    /// Puts the atom that was just read at byte `at` into the frame of its time.
    pub(crate) fn settle(&mut self, part: usize, time: i64, at: usize, sink: &mut Sink) -> Result<(), Problem> {
        if self.time == Some(time) {
            return Ok(());
        }
        let first = self.split_last(part);
        if self.open(time, at, sink)? {
            self.facts[part] = first;
        }
        Ok(())
    }

    /// Opens the frame of this time, unless it is open; returns whether it is, or has to be left out.
    pub(crate) fn open(&mut self, time: i64, at: usize, sink: &mut Sink) -> Result<bool, Problem> {
        if self.time == Some(time) {
            return Ok(true);
        }
        if self.refused == Some(time) {
            return Ok(false);
        }
        match sink.admit(self.segment, time) {
            Ok(()) => {
                self.flush(sink);
                self.time = Some(time);
                self.refused = None;
                Ok(true)
            }
            Err(problem) => {
                sink.skip_or_fail(problem.at(at))?;
                self.refused = Some(time);
                Ok(false)
            }
        }
    }

    /// In lenient mode counts the problem of an atom, which is left out. One that is wrong in a value only has a time,
    /// at which something was observed.
    pub(crate) fn skip_or_fail(&mut self, problem: Problem, sink: &mut Sink) -> Result<(), Problem> {
        let (time, at) = (problem.time, problem.at);
        sink.skip_or_fail(problem.within(self.segment))?;
        time.map_or(Ok(()), |time| self.open(time, at, sink).map(drop))
    }

    /// Pushes the open frame.
    pub(crate) fn flush(&mut self, sink: &mut Sink) {
        let Some(time) = self.time.take() else { return };
        let [mut narrative, mut annotation] = std::mem::take(&mut self.facts);
        self.room = (narrative.len() + 1, narrative.value_count() + 4);
        if narrative.iter().any(|(signature, _)| self.labels.contains(&signature)) {
            for (signature, values) in narrative.iter().filter(|(signature, _)| self.labels.contains(signature)) {
                annotation.push(signature, values);
            }
            narrative = narrative.filter(|signature, _| !self.labels.contains(&signature));
        }
        sink.push(Frame { segment: self.segment, time, narrative, annotation });
    }

    /// Takes the last fact out, with room for those that follow it.
    fn split_last(&mut self, part: usize) -> Facts {
        debug_assert!(part == NARRATIVE || part == ANNOTATION, "a frame has two parts");
        let facts = &mut self.facts[part];
        let (room, values) = if part == NARRATIVE { self.room } else { (0, 0) };
        let mut last = Facts::with_capacity(room, values);
        if let Some((signature, values)) = facts.iter().last() {
            last.push(signature, values);
        }
        facts.pop();
        last
    }
}
