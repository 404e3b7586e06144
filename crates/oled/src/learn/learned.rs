//! The seam of all learners: frames in, rules out, at any time.

use std::fmt::{self, Debug};
use std::sync::Arc;

use super::process::LeftOut;
use crate::evaluate::Confusion;
use crate::event::Observer;
use crate::induce::{Counts, Mask};
use crate::interrupt::Interrupt;
use crate::lang::{Atom, Clause, Literal, Problems, Symbol, Theory};
use crate::state::StateError;
use crate::stream::Frame;

/// What learns event definitions from a stream.
pub trait Learner: Debug + Send {
    /// Learns from a frame; tells what happened, some of it later.
    fn observe(&mut self, frame: &Frame, observer: &mut dyn Observer);

    /// Brings the rules at work up to the last frame observed, as far as the learner finds it worth its while.
    fn flush(&mut self, observer: &mut dyn Observer);

    /// What was learned so far.
    fn learned(&mut self) -> Learned;

    /// Looks closer at what was learned, where that is possible and takes time: how far each rule can be trusted.
    fn examine(&mut self, _learned: &mut Learned) {}

    /// Whoever wants to know how far a search is that takes long is told a line now and then.
    fn watch(&mut self, _watcher: Watcher) {}

    /// Ends searches early, from now on, when somebody asks: with what was found so far.
    fn interrupt(&mut self, _interrupt: Interrupt) {}

    /// Ends frames early, from now on, when somebody asks: nothing is learned from such a frame.
    fn interrupt_frames(&mut self, _interrupt: Interrupt) {}

    /// Whether the frame observed last was ended early.
    fn is_cut(&self) -> bool {
        false
    }

    /// The frames, or pairs of them, that were learned from.
    fn observed(&self) -> u64;

    /// The rules as of the last flush, each as its head, its number and its body: they change when the theory does.
    fn at_work(&self) -> Vec<(usize, u64, Mask)>;

    /// The theory as of the last flush.
    fn theory(&mut self) -> Theory {
        self.learned().theory()
    }

    /// Starts from rules that are given.
    fn start_from(&mut self, theory: &Theory) -> Result<(), Problems>;

    /// The heads that rules are learned for, by the numbers that events have.
    fn heads(&self) -> Vec<Atom>;

    /// The literals of a body that an event speaks of.
    fn body(&self, head: usize, mask: Mask) -> Vec<Literal>;

    /// What it knows of the stream so far, for [`Learner::restore`]; `None` for a learner that cannot be saved. Where it has
    /// fallen behind it catches up, and tells what happened.
    fn save(&mut self, _observer: &mut dyn Observer) -> Option<Vec<u8>> {
        None
    }

    /// Goes on where a learner of the same task and settings was saved, as if it had seen the same stream itself. A learner
    /// that could not be restored is of no further use.
    fn restore(&mut self, _state: &[u8]) -> Result<(), StateError> {
        Err(StateError::new("the learner cannot go on from what was saved"))
    }

    /// A copy that goes on by itself.
    fn copy(&mut self) -> Box<dyn Learner>;
}

/// Whoever wants to know how far a search is; by default nobody.
#[derive(Clone, Default)]
pub struct Watcher(Option<Arc<Told>>);

type Told = dyn Fn(&str) + Send + Sync;

impl Watcher {
    /// Somebody who is told lines.
    pub fn new(told: impl Fn(&str) + Send + Sync + 'static) -> Watcher {
        Watcher(Some(Arc::new(told)))
    }

    /// Tells a line, which is made if somebody listens.
    pub fn tell(&self, line: impl FnOnce() -> String) {
        if let Some(told) = &self.0 {
            told(&line());
        }
    }
}

impl Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watcher").field("listens", &self.0.is_some()).finish()
    }
}

/// What was learned so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The rules, head by head.
    pub rules: Vec<LearnedRule>,
    /// Rules that are alive and not among them, with the reason.
    pub left_out: Vec<(LearnedRule, LeftOut)>,
    /// How well the rules of each fluent fit, where the learner knows.
    pub fits: Vec<FluentFit>,
    /// Why that is an estimate, and not what recognition would come to on the same stream; nothing where it is that.
    pub estimated: Vec<String>,
    /// What else there is to say: why nothing was learned, what was forgotten.
    pub remarks: Vec<String>,
    /// Interpretations seen: time points, or pairs of them.
    pub interpretations: u64,
    /// Whether they are pairs.
    pub pairs: bool,
}

/// A rule with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedRule {
    /// The rule.
    pub clause: Clause,
    /// The number of its head, and its number there.
    pub id: (usize, u64),
    /// Why it is there.
    pub grounds: Grounds,
}

/// What speaks for a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grounds {
    /// Counts of its own.
    Counted(Counted),
    /// What the theory is worth with it and without.
    Replayed(Trust),
    /// Where it fires, in a theory that was chosen as a whole.
    Fired(Fired),
}

/// Where a rule fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fired {
    /// Time points at which it says what is annotated next.
    pub right: u64,
    /// Time points at which it says the opposite.
    pub wrong: u64,
}

/// Counts of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// Its counts since its evidence was last restarted.
    pub counts: Counts,
    /// Its score from them.
    pub score: f64,
    /// Its counts over the whole stream.
    pub stream: Counts,
    /// Instances it was evaluated on.
    pub instances: u64,
    /// The observations in the bound.
    pub n: f64,
    /// The bound.
    pub epsilon: f64,
}

/// How far a rule can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trust {
    /// How much F1, less the price of its literals, would be lost without it.
    pub gain: f64,
    /// The segments in which there would be more errors without it.
    pub helps: usize,
    /// The segments in which there would be fewer.
    pub harms: usize,
    /// Of the searches that left a part of the segments out, how many found it again, and how many there were; thresholds
    /// may differ. Only where it was asked for.
    pub refits: Option<(usize, usize)>,
}

/// How well the rules of a fluent fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluentFit {
    /// The fluent.
    pub fluent: Symbol,
    /// The time points at which it is recognised and annotated, recognised only, and annotated only.
    pub counts: Confusion,
    /// Whether anything starts it.
    pub starts: bool,
    /// The price of a literal, where there is one.
    pub penalty: Option<f64>,
}

impl FluentFit {
    /// F1 of its rules; none where nothing starts it.
    pub fn f1(&self) -> Option<f64> {
        self.starts.then(|| self.counts.f1())
    }
}

impl Learned {
    /// The rules as a theory.
    pub fn theory(&self) -> Theory {
        Theory { clauses: self.rules.iter().map(|r| r.clause.clone()).collect() }
    }
}
