//! Propositionaliser: what learning sees of frames, for all that is learned: one model per time point, and the instances there.

mod missing;
mod oversized;
mod parts;
mod saved;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::given::Given;
use super::instances::{Group, Loss};
use super::interpretation::Point;
use super::links::Links;
use super::lookup::Lookup;
use super::measured::NumericFeature;
use super::present::{Present, Tracked};
use super::target::Target;
use crate::calculus::Precedence;
use crate::induce::{LiteralTable, Mask};
use crate::inertia::{Inertia, Initially};
use crate::interrupt::Interrupt;
use crate::lang::{Signature, Symbol, Symmetries, Value, exchanged};
use crate::logic::{Limits, Measure, Model, Pred, Program, Relation, Stop};
use crate::stream::Frame;
pub(crate) use missing::Missing;
use oversized::{Limit, OversizedFrames};
pub(super) use parts::{GroupSpec, Parts};
pub(crate) use saved::PropositionaliserState;

/// What makes interpretations of frames: one model per time point, one truth per head instance, for all targets.
#[derive(Clone, Debug)]
pub struct Propositionaliser {
    pub(super) program: Program,
    pub(super) model: Model,
    pub(super) groups: Vec<Group>,
    pub(super) targets: Vec<Target>,
    measures: Vec<Measure>,
    /// Relations that are filled from the annotation: fluents that are learned, and that bodies may speak of.
    annotated: Vec<(Signature, Pred)>,
    /// What the background starts and ends by itself.
    pub(super) inertia: Inertia,
    /// What the background says of targets at the start of a segment.
    pub(super) initially: Option<Initially>,
    /// Literals that depend on what is learned, other than by naming it, for each target.
    wrapping: Vec<Mask>,
    open_wrapping: Vec<Vec<bool>>,
    /// Places whose values are observed wherever a predicate is true of them.
    pub(super) observing: IndexSet<(Signature, usize), FxBuildHasher>,
    pub(super) symmetries: Symmetries,
    pub(super) observed_next: bool,
    /// The instances of each group at the last time point.
    pub(super) present: Vec<Present>,
    /// Those of each segment that are looked at further on, by group.
    pub(super) tracked: TrackedIn,
    /// What is annotated, and of which targets; room for labels of what is not observed, and that no head speaks of.
    pub(super) labelled: IndexMap<Signature, Labelled, FxBuildHasher>,
    pub(super) stray: Vec<Stray>,
    pub(super) segments: Points,
    /// A time point whose room is used again.
    pub(super) spare: Point,
    interleaved: bool,
    both: Precedence,
    pub(super) count: u64,
    /// A time point with more instances than this is left out.
    limit: usize,
    oversized: OversizedFrames,
    /// What is declared to be annotated.
    labels: IndexSet<Signature, FxBuildHasher>,
    missing: Missing,
    /// Why not everything was derived from the last frame.
    stop: Option<Stop>,
}

/// The last time point of each segment.
type Points = IndexMap<Symbol, Point, FxBuildHasher>;

/// The instances of relational groups that are tracked in each segment.
type TrackedIn = IndexMap<Symbol, Vec<Tracked>, FxBuildHasher>;

/// A predicate of the annotation.
#[derive(Clone, Debug)]
pub(super) struct Labelled {
    /// Whether it says that nothing is known.
    pub(super) unknown: bool,
    /// The targets that it may be about.
    pub(super) targets: Vec<usize>,
}

/// Labels of a target at a time point that no instance has: that it holds, and that it is unknown.
#[derive(Clone, Debug, Default)]
pub(super) struct Stray {
    /// Of what is not observed.
    pub(super) lost: [Relation; 2],
    /// Of what no head speaks of, with the first target of the annotation.
    pub(super) uncovered: [Relation; 2],
}

impl Propositionaliser {
    /// Which wins where a fluent is started and ended at the same time point.
    pub fn precedence(&self) -> Precedence {
        self.both
    }

    /// What is given of the instances of a target.
    pub(crate) fn given(&self, target: usize) -> Given {
        self.targets[target].given
    }

    /// Whether what the background does to instances of a target follows from what is learned.
    pub(crate) fn depends_on_learned(&self, target: usize) -> bool {
        self.targets[target].depends
    }

    /// Whether a target's fluent is an equivalence.
    pub(crate) fn is_equivalence(&self, target: usize) -> bool {
        self.symmetries.is_equivalence(self.targets[target].label)
    }

    /// Whether the background starts instances of a target's fluent that no head speaks of.
    pub(crate) fn is_partial(&self, target: usize) -> bool {
        self.targets[target].partial
    }

    /// Whether instances of a target go on while an argument of theirs is not observed.
    pub(crate) fn goes_on_unobserved(&self, target: usize) -> bool {
        self.groups[self.targets[target].group].loss != Loss::Any
    }

    /// Whether the background says of instances of a target that they hold at the start of a segment.
    pub(crate) fn holds_initially(&self, target: usize) -> bool {
        self.initially.as_ref().is_some_and(|initially| initially.speaks_of(target))
    }

    /// Literals of a target's table that follow from what is learned by rules of the background: what they are when a
    /// theory recognises is not known before it is. And whether that is so of each with an open threshold.
    pub(crate) fn wrapping(&self, target: usize) -> (&Mask, &[bool]) {
        (&self.wrapping[target], &self.open_wrapping[target])
    }

    /// The columns of a target's annotation: constants, and variables of its heads.
    pub(crate) fn columns(&self, target: usize) -> &[Result<usize, Value>] {
        &self.targets[target].columns
    }

    /// How many bits the truths of a group have: those of its literals, and those of what is given.
    pub(crate) fn bits(&self, group: usize) -> usize {
        self.groups[group].bits()
    }

    /// The words that those bits take in the record, two at least.
    pub(crate) fn words(&self, group: usize) -> usize {
        self.groups[group].words()
    }

    /// The bit in the truths of a target's instances that says that they are not observed.
    pub(crate) fn absent(&self, target: usize) -> Option<usize> {
        self.groups[self.targets[target].group].absent
    }

    /// What relates the variables of a target's heads.
    pub(crate) fn links(&self, target: usize) -> &Links {
        &self.groups[self.targets[target].group].links
    }

    /// The table of a target's literals.
    pub fn table(&self, target: usize) -> &LiteralTable {
        &self.groups[self.targets[target].group].table
    }

    /// The predicates whose thresholds are open.
    pub(crate) fn measures(&self) -> &[Measure] {
        &self.measures
    }

    /// What is measured of the instances of a group.
    pub(crate) fn features(&self, group: usize) -> &[NumericFeature] {
        &self.groups[group].features
    }

    /// For each group when an instance of it is lost.
    pub(crate) fn losses(&self) -> Vec<Loss> {
        self.groups.iter().map(|group| group.loss.clone()).collect()
    }

    /// The table of a group.
    pub(crate) fn table_of_group(&self, group: usize) -> &LiteralTable {
        &self.groups[group].table
    }

    /// The annotation of a target, and whether it is symmetric.
    pub(crate) fn label(&self, target: usize) -> (Signature, bool) {
        let Target { label, group, .. } = &self.targets[target];
        (*label, self.groups[*group].symmetric)
    }

    /// How many groups of heads there are.
    pub(crate) fn group_count(&self) -> usize {
        self.groups.len()
    }

    /// How many targets there are.
    pub(crate) fn target_count(&self) -> usize {
        self.targets.len()
    }

    /// The group of a target.
    pub fn group(&self, target: usize) -> usize {
        self.targets[target].group
    }

    /// Counts what another propositionaliser of the same task has seen.
    pub(crate) fn join(&mut self, other: &Propositionaliser) {
        self.count += other.count;
        self.oversized.join(&other.oversized);
        self.missing.join(&other.missing);
    }

    /// The same without masks: for benchmarks and tests.
    pub fn lookup(&self) -> Lookup {
        let mut propositionaliser = self.clone();
        propositionaliser.program.forbid_repeats();
        Lookup::new(propositionaliser)
    }

    /// From now on leaves out time points with more instances than this, or at which more steps are taken.
    pub(crate) fn set_limits(&mut self, instances: usize, steps: usize) {
        self.limit = instances;
        self.limit_models(Limits { rows: instances, steps: steps as u64, ..self.model.limits().clone() });
    }

    /// From now on ends early where somebody asks for it, in the middle of a frame too.
    pub(crate) fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.limit_models(Limits { interrupt, ..self.model.limits().clone() });
    }

    fn limit_models(&mut self, limits: Limits) {
        self.inertia.set_limits(&limits);
        if let Some(initially) = &mut self.initially {
            initially.set_limits(&limits);
        }
        self.model.set_limits(limits);
    }

    /// Whether the frame observed last was ended early: nothing was learned from it.
    pub fn is_cut(&self) -> bool {
        self.stop == Some(Stop::Interrupted)
    }

    /// Makes the model of a time point: the part of [`Propositionaliser::observe`] that any way of counting needs. For benchmarks.
    pub fn derive(&mut self, frame: &Frame) {
        // What the background starts and ends is of interest while it holds only.
        let mut ended = Vec::new();
        let mut entered = self.inertia.enter(frame, &self.program, &mut self.model, &mut ended);
        if let (Ok(()), true, Some(initially)) = (&entered, self.inertia.begins(), &mut self.initially) {
            entered = initially.enter(frame);
        }
        self.stop = None;
        if self.begins() && !self.interleaved {
            self.segments.clear();
            self.tracked.clear();
        }
        for (signature, values) in frame.annotation.iter() {
            if let Some((_, pred)) = self.annotated.iter().find(|(s, _)| *s == signature) {
                self.model.insert(*pred, values);
                // Rules see both orders.
                if self.symmetries.has(signature) {
                    self.model.insert(*pred, &exchanged(values));
                }
            }
        }
        // Where there are too many instances already, nothing need be derived.
        if entered.is_ok() && (self.limit == usize::MAX || self.too_much().is_none()) {
            self.model.advance(&self.program, frame.segment, frame.time);
        }
        self.stop = entered.err().or_else(|| self.model.stop(&self.program));
        match self.stop {
            None => self.inertia.leave(frame, &self.model, &mut ended),
            Some(_) => self.inertia.give_up(frame, self.is_cut()),
        }
        self.note_missing(frame);
    }

    /// Whether the frame seen last began a segment.
    pub(super) fn begins(&self) -> bool {
        self.inertia.begins()
    }

    /// Finds the instances at the time point of the model, with what is annotated of them and done by the background to what
    /// is not observed; calls a function with each label of a target, and with whether it is unknown. Returns whether the time
    /// point is left out.
    pub(super) fn notice(&mut self, frame: &Frame, label: impl FnMut(usize, bool, &[Value])) -> bool {
        let mut left_out = self.is_crowded(frame);
        // What is tracked stays as it is where the frame says nothing.
        let mut tracked = self.tracked.get_mut(&frame.segment).map(std::mem::take).unwrap_or_default();
        if !left_out {
            let begins = self.begins();
            if begins {
                tracked.clear();
            }
            tracked.resize_with(self.groups.len(), Tracked::default);
            for ((group, present), tracked) in self.groups.iter().zip(&mut self.present).zip(&mut tracked) {
                present.find(group, &self.model, tracked, (frame.segment, begins, self.limit));
            }
            if self.present.iter().any(|present| present.is_full) {
                self.leave_out(frame, format!("more than {} related instances", self.limit), Limit::Instances);
                left_out = true;
            }
        }
        if left_out {
            self.groups.iter().zip(&mut self.present).for_each(|(group, present)| present.clear(group));
        }
        self.annotate(frame, label);
        if !left_out {
            self.act();
            let mut places = Vec::new();
            for ((group, present), tracked) in self.groups.iter().zip(&mut self.present).zip(&mut tracked) {
                present.sort(group);
                if group.links.is_relational() {
                    present.track(group, tracked);
                    let initial = present.initial.iter().map(|(values, _)| values);
                    let away = initial.filter(|values| !group.locate(values, &self.model, &mut places));
                    present.absent.keys().chain(away).for_each(|values| tracked.add_away(group, values));
                }
            }
        }
        // Where all time points of a segment were left out so far there is nothing to keep.
        if !tracked.is_empty() && self.groups.iter().any(|group| group.links.is_relational()) {
            self.tracked.insert(frame.segment, tracked);
        }
        left_out
    }
}
