//! Online: weights that are learned in one pass, window by window in the order of time: each window is recognised with what is
//! known before its labels are.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::chain::States;
use super::chains::{Chain, FluentChains, Run};
use super::costs::{BySegment, compare};
use super::weight::FluentWeights;
use crate::lang::Symbol;

/// A way to learn weights from windows.
pub(super) trait Online {
    /// How many time points a window has.
    const WINDOW: usize;

    /// What is known of an instance from one window to the next.
    type Carried: Copy + Default;

    /// Recognises the steps of some instances in a window, then learns from their labels.
    fn window(&mut self, fluent: &FluentChains, parts: &mut [WindowPart<Self::Carried>]);

    /// The weights so far.
    fn weights(&self, fluent: &FluentChains) -> FluentWeights;
}

/// The steps of an instance in a window.
#[derive(Clone, Debug)]
pub(super) struct WindowPart<C> {
    pub(super) runs: Vec<Run>,
    /// What is known of the time before; what is known then is put here.
    pub(super) carried: C,
    /// The states that were recognised, run by run.
    pub(super) states: Vec<States>,
}

/// Learns from chains, and returns what was recognised on the way.
pub(super) fn learn<L: Online>(learner: &mut L, fluent: &FluentChains, chains: &[&Chain]) -> BySegment {
    let mut segments: IndexMap<Symbol, Vec<Reader<'_, L::Carried>>, FxBuildHasher> = IndexMap::default();
    for chain in chains {
        segments.entry(chain.segment).or_default().push(Reader::new(chain));
    }
    let mut found = BySegment::default();
    for (segment, mut readers) in segments {
        let first = readers.iter().map(|reader| reader.at).min().unwrap_or(0);
        let counts = found.entry(segment).or_default();
        let mut end = first;
        while readers.iter().any(|reader| !reader.is_done()) {
            end += L::WINDOW;
            let mut open: Vec<&mut Reader<'_, L::Carried>> =
                readers.iter_mut().filter(|reader| !reader.is_done() && reader.at < end).collect();
            let mut parts: Vec<WindowPart<L::Carried>> = open.iter_mut().map(|reader| reader.read(end)).collect();
            learner.window(fluent, &mut parts);
            for (reader, part) in open.into_iter().zip(parts) {
                *counts += compare(&part.runs, part.states.iter().flat_map(|states| states.parts()));
                reader.carried = part.carried;
            }
        }
    }
    found
}

/// A chain that is read window by window.
struct Reader<'c, C> {
    chain: &'c Chain,
    /// The time point, by its number, that the next step leads to; the run that it is in, and its place there.
    at: usize,
    run: usize,
    within: u32,
    carried: C,
}

impl<'c, C: Copy + Default> Reader<'c, C> {
    fn new(chain: &'c Chain) -> Reader<'c, C> {
        Reader { chain, at: chain.first, run: 0, within: 0, carried: C::default() }
    }

    fn is_done(&self) -> bool {
        self.run == self.chain.runs.len()
    }

    /// The steps to time points before another.
    fn read(&mut self, end: usize) -> WindowPart<C> {
        let mut runs = Vec::new();
        while self.at < end && !self.is_done() {
            let run = self.chain.runs[self.run];
            let length = (run.length - self.within).min((end - self.at) as u32);
            runs.push(Run { length, ..run });
            self.at += length as usize;
            self.within += length;
            if self.within == run.length {
                (self.run, self.within) = (self.run + 1, 0);
            }
        }
        WindowPart { runs, carried: self.carried, states: Vec::new() }
    }
}
