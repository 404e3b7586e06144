//! The seam of all learners: frames in, rules out, at any time and in any order of calls.

use std::fmt::{self, Debug};
use std::sync::Arc;

use super::process::NotPrinted;
use super::segment_propositionaliser::{Propositionalised, SegmentPropositionaliser};
use crate::evaluate::Confusion;
use crate::event::Observer;
use crate::induce::Counts;
use crate::interrupt::Interrupt;
use crate::lang::{Clause, Problems, Symbol, Theory};
use crate::state::StateError;
use crate::stream::Frame;
use crate::task::DefinitionKind;

/// What learns event definitions from a stream.
///
/// Any method may be called at any time. What falls behind, as a batch that threads are at work on, is brought up to date by
/// whoever asks; whatever happens to rules on the way is told to the observer of that call.
pub trait Learner: Debug + Send {
    /// What can be relied on.
    fn capabilities(&self) -> Capabilities;

    /// Who looks after its work from now on.
    fn supervise(&mut self, supervision: &Supervision);

    /// Starts from rules that are given.
    fn start_from(&mut self, theory: &Theory) -> Result<(), Problems>;

    /// Learns from a frame.
    fn observe(&mut self, frame: &Frame, observer: &mut dyn Observer);

    /// How far it is in the stream.
    fn progress(&self) -> Progress;

    /// The rules at work: those that a recogniser should have now. The same pointer as before says that nothing has changed.
    fn theory(&mut self, observer: &mut dyn Observer) -> Arc<Theory>;

    /// What was learned from all frames so far, with everything that speaks for it. It changes nothing of what is learned
    /// later.
    fn learned(&mut self, observer: &mut dyn Observer) -> Learned;

    /// What it knows of the stream so far, for [`Learner::restore`]; `None` for a learner that is not
    /// [`Capabilities::savable`].
    fn save(&mut self, _observer: &mut dyn Observer) -> Option<Vec<u8>> {
        None
    }

    /// Goes on where a learner of the same task and settings was saved, as if it had seen the same stream itself. A learner
    /// that could not be restored is of no further use.
    fn restore(&mut self, _state: &[u8]) -> Result<(), StateError> {
        Err(StateError::new("the learner cannot go on from what was saved"))
    }

    /// Tells that ticks are left out at which nothing can change, as `Ticks::skipping` does with what `Task::settles` says of the
    /// background alone: where two frames of a segment are further apart than
    /// such a step, the later one stands for all ticks between them. Returns whether the learner can do with it: what it learns is
    /// the same then, in as little time as if there were no such ticks.
    fn skip_ticks(&mut self, _step: i64) -> bool {
        false
    }

    /// Tells how many segments of the stream began before the one that comes next, where others learn from those.
    fn number_segments(&mut self, _before: u64) {}

    /// Adds what another learner of the same task and settings has seen, as it was saved: other segments of the same stream,
    /// each from its first frame on, numbered by [`Learner::number_segments`]. Only for a learner that is
    /// [`Capabilities::mergeable`].
    ///
    /// The law: what is learned from a stream does not depend on how its segments were dealt out to learners, nor on the order
    /// in which these are merged; a learner that has seen nothing adds nothing.
    fn merge(&mut self, _state: &[u8]) -> Result<(), StateError> {
        Err(StateError::new("the learner cannot be put together from parts"))
    }

    /// What makes of frames what this learner decides on, for those who make it elsewhere, segment by segment. It is asked for before
    /// the first frame. `None` for a learner that looks at frames itself.
    fn segment_propositionaliser(&mut self) -> Option<SegmentPropositionaliser> {
        None
    }

    /// Learns from what was made of a frame by a [`SegmentPropositionaliser`], in the order of the stream.
    fn observe_propositionalised(
        &mut self,
        _covered: Propositionalised,
        _observer: &mut dyn Observer,
    ) -> Result<(), StateError> {
        Err(StateError::new("the learner looks at frames itself"))
    }

    /// Adds what a [`SegmentPropositionaliser`] has counted, as it was saved, after all that it made was learned from.
    fn add_propositionaliser(&mut self, _state: &[u8]) -> Result<(), StateError> {
        Err(StateError::new("the learner looks at frames itself"))
    }

    /// A copy that goes on by itself.
    fn copy(&mut self) -> Box<dyn Learner>;
}

/// What can be relied on, with the settings that a learner has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each stands for itself, and callers ask for one of them")]
pub struct Capabilities {
    /// What is learned does not depend on the order of the segments.
    pub order_free: bool,
    /// Rules are at work while the stream goes on. Without it [`Learner::theory`] looks at all of the stream, each time.
    pub online: bool,
    /// It can be saved and restored.
    pub savable: bool,
    /// Learners that saw other segments of a stream can be merged to one that saw all.
    pub mergeable: bool,
    /// It starts from rules that are given.
    pub starts_from_rules: bool,
    /// Thresholds must be listed: it does not find them itself.
    pub needs_listed_thresholds: bool,
    /// Settings may be for one target: they need not be for all.
    pub settings_by_target: bool,
    /// It tells how much it looked at: [`Learned::work`].
    pub counts_work: bool,
}

/// Who looks after the work of a learner: by default nobody.
#[derive(Clone, Debug, Default)]
pub struct Supervision {
    /// Ends searches early, with what was found so far.
    pub searches: Interrupt,
    /// Ends frames early: nothing is learned from such a frame.
    pub frames: Interrupt,
    /// Is told a line now and then of how far a search is that takes long.
    pub listener: ProgressListener,
}

/// How far a learner is in the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The frames, or pairs of them, that were learned from.
    pub interpretations: u64,
    /// Whether the frame observed last was ended early.
    pub is_cut: bool,
}

/// Whoever wants to know how far a search is; by default nobody.
#[derive(Clone, Default)]
pub struct ProgressListener(Option<Arc<Told>>);

type Told = dyn Fn(&str) + Send + Sync;

impl ProgressListener {
    /// Somebody who is told lines.
    pub fn new(told: impl Fn(&str) + Send + Sync + 'static) -> ProgressListener {
        ProgressListener(Some(Arc::new(told)))
    }

    /// Tells a line, which is made if somebody listens.
    pub fn tell(&self, line: impl FnOnce() -> String) {
        if let Some(told) = &self.0 {
            told(&line());
        }
    }
}

impl Debug for ProgressListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ProgressListener").field("listens", &self.0.is_some()).finish()
    }
}

/// What was learned so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Learned {
    /// The rules, head by head.
    pub rules: Vec<LearnedRule>,
    /// The rules at work, with their numbers as rules have them, where this look saw more than they were made from.
    pub before: Option<Vec<((usize, u64), Clause)>>,
    /// Rules that are alive and not among them, with the reason.
    pub left_out: Vec<(LearnedRule, NotPrinted)>,
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
    /// How much was looked at, where the learner counts it.
    pub work: Option<Work>,
}

/// How much a learner looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Instances of the head that had most.
    pub instances: u64,
    /// The literals that may be true of each of them.
    pub literals: usize,
}

/// A rule with what speaks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedRule {
    /// The rule.
    pub clause: Clause,
    /// The number of its head, and its number there.
    pub id: (usize, u64),
    /// Why it is there.
    pub evidence: RuleEvidence,
}

/// What speaks for a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RuleEvidence {
    /// Counts of its own.
    Counts(RuleCounts),
    /// What the theory is worth with it and without.
    Ablation(Ablation),
    /// Where it fires, in a theory that was chosen as a whole.
    Firings(Firings),
}

/// Where a rule fires.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Firings {
    /// Time points at which it says what is annotated next.
    pub right: u64,
    /// Time points at which it says the opposite.
    pub wrong: u64,
}

/// Counts of a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RuleCounts {
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
pub struct Ablation {
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
    /// How it was defined, and how rules that were learned from other segments do, where that was tried.
    pub held_out: Option<HeldOut>,
    /// How much more, in F1 less the price of literals, one rule might bring that the search did not look at; none where the
    /// learner does not know.
    pub gap: Option<f64>,
    /// How many runs of the record the search looked at, each as often as it did: for these rules, and for those without a part
    /// of the segments. What learning costs, whatever the machine; none where the learner does not count.
    pub looked_at: Option<(u64, u64)>,
}

/// How rules do on what they were not learned from: segments, or stretches of their time where there are few, are dealt out, and
/// rules are learned without each part and tested on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldOut {
    /// How the fluent was defined.
    pub kind: DefinitionKind,
    /// How such rules do.
    pub counts: Confusion,
    /// How rules of the other kind do, where they were tried.
    pub other: Option<Confusion>,
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
        self.rules.iter().map(|r| r.clause.clone()).collect()
    }
}
