//! Interpretations: two consecutive time points, as what learning needs of them: for each head instance, which literals
//! are true of it and what becomes of it.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::candidates::{Asked, Family};
use super::existential::TooMany;
use super::given::{Given, follows, is_defined, starts_uncovered, wrapping, wraps};
use super::instances::{Deed, Group, Instance, Loss, filled};
use super::links::Links;
use super::lookup::Lookup;
use super::measured::Gauge;
use super::present::{Present, Tracked};
use crate::calculus::{Outcome, fluent_name, is_ordinary, unknown};
use crate::event::What;
use crate::induce::{Column, LiteralTable, Mask, Numbers, Pattern};
use crate::inertia::{Inertia, Initially, Segments, is_tracked};
use crate::interrupt::Interrupt;
use crate::lang::ec::{INITIATED, TERMINATED};
use crate::lang::{Clause, Mode, Signature, Symbol, Symmetries, Value, exchanged};
use crate::logic::{
    Dependence, Histories, Limits, Measure, Model, Pred, Program, Relation, Role, Stop, Vocabulary, kept,
};
use crate::state::{StateError, ensure, ensure_counts};
use crate::stream::Frame;
use crate::task::Task;

/// Two consecutive time points of a segment.
#[derive(Clone, Debug)]
pub struct Interpretation {
    /// Its number, counted from one.
    pub index: u64,
    /// The segment.
    pub segment: Symbol,
    /// The first of the two time points.
    pub time: i64,
    /// For each group of heads with the same types, all symmetric or none, its instances.
    pub groups: Vec<Vec<Instance>>,
    /// For each target, the outcome of each instance of its group; `None` where the annotation does not know.
    pub outcomes: Vec<Vec<Option<Outcome>>>,
    /// Existential variables that had too many assignments: literals with them count as false.
    pub too_many: Vec<TooMany>,
}

/// What makes interpretations of frames: one model per time point, one truth per head instance, for all targets.
#[derive(Clone, Debug)]
pub struct Cover {
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
    observed_next: bool,
    /// The instances of each group at the last time point.
    pub(super) present: Vec<Present>,
    /// Those of each segment that are looked at further on, by group.
    pub(super) tracked: TrackedIn,
    /// What is annotated, and of which targets; room for labels of what is not observed, and that no head speaks of.
    pub(super) labelled: IndexMap<Signature, Labelled, FxBuildHasher>,
    pub(super) stray: Vec<Stray>,
    segments: Points,
    /// A time point whose room is used again.
    spare: Point,
    interleaved: bool,
    count: u64,
    /// A time point with more instances than this is left out.
    limit: usize,
    pub(super) crowded: Crowded,
    /// What is declared to be annotated.
    labels: IndexSet<Signature, FxBuildHasher>,
    missing: Missing,
    /// Why not everything was derived from the last frame.
    stop: Option<Stop>,
}

/// What was expected of the stream and did not come, and what came instead.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Missing {
    /// Facts that conditions ask for and that were never seen.
    pub(crate) facts: Vec<Signature>,
    /// What is annotated and not declared, with how often: the first few of them.
    pub(crate) labels: IndexMap<Symbol, u64, FxBuildHasher>,
}

/// More names of labels that nothing declares are not told anyway.
const MOST_LABELS: usize = 8;

/// Time points that were left out because there were too many instances.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Crowded {
    count: u64,
    /// Segment and time of the first, and what there was too much of.
    first: Option<(Symbol, i64, String, Limit)>,
    told: bool,
}

/// What a time point has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Limit {
    Instances,
    Steps,
}

/// The last time point of each segment.
type Points = IndexMap<Symbol, Point, FxBuildHasher>;

/// The instances of relational groups that are tracked in each segment.
type TrackedIn = IndexMap<Symbol, Vec<Tracked>, FxBuildHasher>;

/// What a cover knows of the stream so far.
#[derive(Deserialize)]
pub(crate) struct CoverState(Points, (Segments, Option<Symbol>), u64, Histories, (Crowded, Missing), TrackedIn);

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

/// What is to be learned about.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) group: usize,
    /// The annotation.
    pub(super) label: Signature,
    /// Constants and variables of the label's columns.
    columns: Vec<Result<usize, Value>>,
    /// Whether the label is of the same time point as the head: the observational case, and fluents that hold while
    /// conditions are met.
    direct: bool,
    /// What is given of its instances.
    given: Given,
    /// Whether what the background does to them follows from what is learned.
    depends: bool,
    /// Whether the background starts instances of the same fluent that no head speaks of.
    partial: bool,
    /// The first target with the same annotation.
    pub(super) first: usize,
    /// Its place among the targets of its group.
    pub(super) place: usize,
}

/// A time point that waits for the next one.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Point {
    time: i64,
    /// For each group, the values of all instances one after the other, and their truths.
    pub(super) values: Vec<Vec<Value>>,
    pub(super) truths: Vec<Vec<Instance>>,
    pub(super) labels: Vec<Labels>,
    pub(super) too_many: Vec<TooMany>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Labels {
    pub(super) holds: Relation,
    pub(super) unknown: Relation,
}

/// A target as the learner describes it.
pub(crate) struct TargetSpec {
    pub(crate) family: Family,
    pub(crate) label: Signature,
    pub(crate) columns: Vec<Result<usize, Value>>,
    pub(crate) direct: bool,
}

/// A group of heads as the learner describes it.
pub(crate) struct GroupSpec {
    pub(crate) table: LiteralTable,
    pub(crate) family: Family,
    pub(crate) asked: Asked,
}

/// What a cover is made of besides its program: the task with its background rules, and what holds by them.
pub(crate) struct Parts<'a> {
    pub(crate) task: &'a Task,
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) rules: &'a [&'a Clause],
    pub(crate) inertia: Inertia,
    pub(crate) initially: Option<Initially>,
}

impl Cover {
    pub(crate) fn new(
        parts: Parts<'_>,
        mut program: Program,
        (specs, numbers): (Vec<GroupSpec>, &[Numbers]),
        targets: &[TargetSpec],
        observed_next: bool,
    ) -> Result<Cover, String> {
        let Parts { task, vocabulary, rules, inertia, initially } = parts;
        let tracked = |kind: Symbol| is_tracked(task, vocabulary, kind);
        let mut dependence = Dependence::new(vocabulary, rules);
        let group =
            |t: &TargetSpec| specs.iter().position(|spec| spec.family == t.family).expect("each target has a group");
        let mut deeds: Vec<Vec<Deed>> = vec![Vec::new(); specs.len()];
        let mut bits: Vec<usize> = specs.iter().map(|spec| spec.table.len()).collect();
        let mut all: Vec<Target> = Vec::new();
        for (number, t) in targets.iter().enumerate() {
            let group = group(t);
            let mut bit = || {
                bits[group] += 1;
                bits[group] - 1
            };
            let defined = |name: Signature| program.pred(name).filter(|_| is_defined(rules, name));
            let mut deed = |signature: Signature, ends: bool| {
                let (pred, bit, columns) = (defined(signature)?, bit(), t.columns.clone());
                deeds[group].push(Deed { bit, target: number, pred, ends, columns });
                Some(bit)
            };
            let (starts, ends) = if is_ordinary(t.label) {
                (deed(t.label, false), None)
            } else {
                (deed(t.label.renamed(INITIATED), false), deed(t.label.renamed(TERMINATED), true))
            };
            let same = |other: &TargetSpec| other.label == t.label;
            let several = targets.iter().filter(|o| same(o)).count() > 1 || t.columns.last().is_some_and(Result::is_ok);
            let other_value = (t.label.has_value() && !t.direct && several).then(&mut bit);
            let first = targets.iter().position(same).unwrap_or(number);
            let (label, columns, direct) = (t.label, t.columns.clone(), t.direct);
            let given = Given { starts, ends, other_value };
            let acts = [label.renamed(INITIATED), label.renamed(TERMINATED)];
            let bodies = rules.iter().filter(|rule| {
                let head = Signature::of(&rule.head);
                acts.contains(&head) || head == label
            });
            let depends = follows(&dependence, bodies.copied(), targets);
            let partial = rules.iter().any(|rule| starts_uncovered(rule, label, targets));
            let place = all.iter().filter(|t| t.group == group).count();
            all.push(Target { group, label, columns, direct, given, depends, partial, first, place });
        }
        // What is not observed is told apart where it can have a truth at all.
        let mut absent = vec![None; specs.len()];
        for target in all.iter().filter(|t| t.given != Given::default()) {
            absent[target.group].get_or_insert_with(|| {
                bits[target.group] += 1;
                bits[target.group] - 1
            });
        }
        let mut groups: Vec<Group> = Vec::new();
        for (g, (spec, deeds)) in specs.into_iter().zip(deeds).enumerate() {
            let GroupSpec { table, family, asked } = &spec;
            let gauges = Gauge::of(table, asked, &vocabulary.measures, numbers, &program);
            let given = bits[g] - table.len();
            // Candidates are related by being candidates.
            let all_related = family.candidates.is_some();
            let is_known = |l: usize| {
                let pattern = &table.patterns()[l];
                !all_related
                    && !wraps(pattern.signature, &dependence, targets)
                    && all.iter().all(|t| t.is_known_by(pattern, g, family.symmetric))
            };
            let measured = |l: usize| vocabulary.measures[table.open_literals()[l].measure].predicate;
            let is_known_open = |l: usize| !all_related && !wraps(measured(l), &dependence, targets);
            let links = Links::new(table, is_known, is_known_open);
            let mut group = Group::new(spec, links, gauges, deeds, &program, tracked)?;
            (group.given, group.absent) = (given, absent[g]);
            groups.push(group);
        }
        let annotated = vocabulary
            .predicates
            .iter()
            .filter(|(s, p)| p.role == Role::Fluent && targets.iter().any(|t| t.label == **s))
            // Of what is annotated, candidates hold.
            .filter_map(|(s, _)| Some((*s, program.pred(kept(*s)).or(program.pred(*s))?)))
            .collect();
        let labels = task.labels().into_iter().flat_map(|label| [label, unknown(label)]).collect();
        let asked = dependence.of(task.bias.bodies.iter().map(Mode::signature));
        let is_input = |s: &Signature| vocabulary.predicates.get(s).is_some_and(|p| p.role == Role::Input);
        let facts = asked.filter(|s| is_input(s) && program.pred(*s).is_some()).collect();
        let missing = Missing { facts, ..Missing::default() };
        let looked_up = groups.iter().flat_map(Group::looked_up).chain(inertia.looked_up());
        let looked_up: Vec<Pred> = looked_up.collect();
        program.allow_repeats(&looked_up);
        let wrapping = all.iter().map(|t| wrapping(&groups[t.group].table, &dependence, targets)).collect();
        let open_wrapping = all
            .iter()
            .map(|t| {
                let open = groups[t.group].table.open_literals().iter();
                open.map(|o| wraps(vocabulary.measures[o.measure].predicate, &dependence, targets)).collect()
            })
            .collect();
        let mut observing = IndexSet::default();
        for mode in &task.bias.bodies {
            let signature = mode.signature();
            let columns = (0..signature.arity()).filter(|c| dependence.observes(signature, *c, &tracked));
            observing.extend(columns.map(|c| (signature, c)));
        }
        let mut labelled: IndexMap<Signature, Labelled, FxBuildHasher> = IndexMap::default();
        for (number, target) in all.iter().enumerate() {
            for (signature, unknown) in [(target.label, false), (unknown(target.label), true)] {
                let new = || Labelled { unknown, targets: Vec::new() };
                labelled.entry(signature).or_insert_with(new).targets.push(number);
            }
        }
        let rows = |t: &Target| [(); 2].map(|()| Relation::new(t.label.arity() - 1));
        let stray = all.iter().map(|t| Stray { lost: rows(t), uncovered: rows(t) }).collect();
        Ok(Cover {
            model: Model::new(&program),
            present: vec![Present::default(); groups.len()],
            tracked: IndexMap::default(),
            labelled,
            stray,
            spare: Point::default(),
            program,
            groups,
            targets: all,
            measures: vocabulary.measures.clone(),
            annotated,
            inertia,
            initially,
            wrapping,
            open_wrapping,
            observing,
            symmetries: task.bias.symmetries(),
            observed_next,
            segments: IndexMap::default(),
            interleaved: task.options.interleaved,
            count: 0,
            limit: usize::MAX,
            crowded: Crowded::default(),
            labels,
            missing,
            stop: None,
        })
    }

    /// What is given of the instances of a target.
    pub(crate) fn given(&self, target: usize) -> Given {
        self.targets[target].given
    }

    /// Whether what the background does to instances of a target follows from what is learned.
    pub(crate) fn depends_on_learned(&self, target: usize) -> bool {
        self.targets[target].depends
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
    pub(crate) fn gauges(&self, group: usize) -> &[Gauge] {
        &self.groups[group].gauges
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

    /// What it knows of the stream so far, as [`CoverState`].
    pub(crate) fn state(&self) -> impl Serialize {
        let told = (&self.crowded, &self.missing);
        (&self.segments, self.inertia.state(), self.count, self.model.histories(), told, &self.tracked)
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, state: CoverState) -> Result<(), StateError> {
        let CoverState(segments, (holding, current), count, histories, (crowded, missing), tracked) = state;
        ensure_counts([count, crowded.count].into_iter().chain(missing.labels.values().copied()))?;
        let declared = |s: &Signature| self.program.pred(*s).is_some();
        ensure(missing.facts.iter().all(declared), "the facts that were not seen")?;
        segments.values().try_for_each(|point| self.check(point))?;
        for instances in tracked.values() {
            let fits = |(tracked, group): (&Tracked, &Group)| tracked.fits(group);
            let all = instances.len() == self.groups.len() && instances.iter().zip(&self.groups).all(fits);
            ensure(all, "the instances of heads")?;
        }
        self.inertia.check(&holding)?;
        self.model.restore(&self.program, histories)?;
        self.inertia.restore(holding, current);
        (self.segments, self.count, self.crowded, self.missing) = (segments, count, crowded, missing);
        self.tracked = tracked;
        self.groups.iter().zip(&mut self.present).for_each(|(group, present)| present.clear(group));
        Ok(())
    }

    /// Counts what another cover of the same task has seen.
    pub(crate) fn join(&mut self, other: &Cover) {
        self.count += other.count;
        self.crowded.count += other.crowded.count;
        // Of two that were left out the one with the smaller name is told, whichever record comes first.
        let first = [self.crowded.first.take(), other.crowded.first.clone()].into_iter().flatten();
        self.crowded.first = first.min_by(|a, b| (a.0.as_str(), a.1).cmp(&(b.0.as_str(), b.1)));
        self.crowded.told |= other.crowded.told;
        self.missing.facts.retain(|fact| other.missing.facts.contains(fact));
        for (label, count) in &other.missing.labels {
            if self.missing.labels.len() < MOST_LABELS || self.missing.labels.contains_key(label) {
                *self.missing.labels.entry(*label).or_default() += count;
            }
        }
    }

    /// Whether this can be a time point of the task.
    fn check(&self, point: &Point) -> Result<(), StateError> {
        let count = self.groups.len();
        ensure(point.values.len() == count && point.truths.len() == count, "the groups of heads")?;
        for (g, ((group, values), truths)) in self.groups.iter().zip(&point.values).zip(&point.truths).enumerate() {
            ensure(values.len() == truths.len() * group.domains.len(), "the instances of heads")?;
            let literals = Mask::first(self.bits(g));
            let known = |instance: &Instance| instance.truths().all(|truth| truth.fires_on(&literals));
            ensure(truths.iter().all(known), "the literals that are true")?;
        }
        let of_target = |(labels, target): (&Labels, &Target)| {
            let width = target.label.arity() - 1;
            labels.holds.width() == width && labels.unknown.width() == width
        };
        let labels = point.labels.len() == self.targets.len();
        ensure(labels && point.labels.iter().zip(&self.targets).all(of_target), "the labels")?;
        ensure(point.too_many.iter().all(|t| t.group < count), "the groups of heads")
    }

    /// The same without masks: for benchmarks and tests.
    pub fn lookup(&self) -> Lookup {
        let mut cover = self.clone();
        cover.program.forbid_repeats();
        Lookup::new(cover)
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

    /// What there is too much of at the time point of the model, if anything, and the setting that says so. Instances that
    /// are related are counted when they are found.
    fn too_much(&self) -> Option<(String, Limit)> {
        let count = |group: &Group| match &group.candidates {
            Some(candidates) => self.model.rows(candidates.pred).len(),
            None => group.domains.iter().fold(1, |all: usize, d| all.saturating_mul(self.model.rows(*d).len())),
        };
        let all = self.groups.iter().filter(|group| !group.links.is_relational());
        match all.map(count).max().filter(|count| *count > self.limit) {
            Some(count) => Some((format!("{count} instances"), Limit::Instances)),
            None => Some(match self.stop.as_ref()? {
                Stop::TooLong { limit, head, rule } => {
                    let place = rule.place();
                    (format!("a rule that takes more than {limit} steps, for `{head}` at {place}"), Limit::Steps)
                }
                Stop::Full { .. } | Stop::Interrupted => {
                    (format!("more than {} derived atoms", self.limit), Limit::Instances)
                }
            }),
        }
    }

    /// Takes note of a time point that is left out; returns whether it is.
    pub(super) fn is_crowded(&mut self, frame: &Frame) -> bool {
        // What was ended early says nothing of limits.
        if self.is_cut() {
            return true;
        }
        let Some((what, limit)) = self.too_much() else { return false };
        self.leave_out(frame, what, limit);
        true
    }

    fn leave_out(&mut self, frame: &Frame, what: String, limit: Limit) {
        self.crowded.count += 1;
        self.crowded.first.get_or_insert((frame.segment, frame.time, what, limit));
    }

    /// That time points were left out, the first time that somebody asks.
    pub(crate) fn tell_crowded(&mut self) -> Option<What> {
        let told = std::mem::replace(&mut self.crowded.told, self.crowded.first.is_some());
        let (segment, time, what, limit) = self.crowded.first.as_ref().filter(|_| !told)?;
        let what = format!("time {time} of segment `{segment}` is left out: it has {what}");
        let (limit, most) = self.setting(*limit);
        Some(What::Limited { limit: Symbol::new(limit), most, what })
    }

    /// How many time points were left out, if any.
    pub(crate) fn remark_crowded(&self) -> Option<String> {
        let Crowded { count, first, .. } = &self.crowded;
        let (segment, time, what, limit) = first.as_ref()?;
        let (limit, most) = self.setting(*limit);
        Some(format!(
            "{count} time points were left out, the first at time {time} of segment `{segment}`, which has {what}: \
             `{limit}` is {most}"
        ))
    }

    /// The name and the value of a limit.
    fn setting(&self, limit: Limit) -> (&'static str, usize) {
        match limit {
            Limit::Instances => ("max_instances", self.limit),
            Limit::Steps => ("max_steps", usize::try_from(self.model.limits().steps).unwrap_or(usize::MAX)),
        }
    }

    /// Makes the model of a time point: the part of [`Cover::observe`] that any way of counting needs. For benchmarks.
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

    /// Notes which facts are still missing, and which labels nothing declares.
    fn note_missing(&mut self, frame: &Frame) {
        let (program, model) = (&self.program, &self.model);
        let seen = |s: &Signature| program.pred(*s).is_some_and(|pred| !model.rows(pred).is_empty());
        self.missing.facts.retain(|fact| !seen(fact));
        for (signature, values) in frame.annotation.iter().filter(|(s, _)| !self.labels.contains(s)) {
            let name = fluent_name(signature, values);
            if self.missing.labels.len() < MOST_LABELS || self.missing.labels.contains_key(&name) {
                *self.missing.labels.entry(name).or_default() += 1;
            }
        }
    }

    /// What was expected of the stream and did not come.
    pub(crate) fn missing(&self) -> &Missing {
        &self.missing
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
        if self.groups.iter().any(|group| group.links.is_relational()) {
            self.tracked.insert(frame.segment, tracked);
        }
        left_out
    }

    /// A time point with its instances and labels.
    pub(super) fn look(&mut self, frame: &Frame) -> Point {
        self.derive(frame);
        let mut point = std::mem::take(&mut self.spare);
        point.time = frame.time;
        let new = |t: &Target| [(); 2].map(|()| Relation::new(t.label.arity() - 1));
        let labels = |t: &Target| new(t).into();
        point.labels.extend(self.targets[point.labels.len()..].iter().map(labels));
        let mut labels = std::mem::take(&mut point.labels);
        let left_out = self.notice(frame, |target, unknown, row| {
            let Labels { holds, unknown: not_known } = &mut labels[target];
            _ = if unknown { not_known } else { holds }.insert(row);
        });
        point.labels = labels;
        point.values.resize_with(self.groups.len(), Vec::new);
        let mut found = Vec::new();
        for (number, (group, present)) in self.groups.iter().zip(&self.present).enumerate() {
            let mut truths = Vec::with_capacity(present.len());
            if !left_out && present.len() > 0 {
                let assignments = group.assignments(&self.model, &mut found);
                let told = |(variable, assignments)| TooMany { group: number, variable, assignments };
                point.too_many.extend(found.drain(..).map(told));
                for k in present.numbers() {
                    point.values[number].extend_from_slice(present.values(group, k));
                    truths.push(present.instance(group, &self.model, &assignments, k));
                }
            }
            point.truths.push(truths);
        }
        point
    }

    /// Takes a frame; returns the interpretation of it and the one before, if there is one in its segment.
    pub fn observe(&mut self, frame: &Frame) -> Option<Interpretation> {
        let point = self.look(frame);
        if self.is_cut() {
            return None;
        }
        let previous = self.segments.insert(frame.segment, point)?;
        let next = &self.segments[&frame.segment];
        self.count += 1;
        // Whether an instance goes on at the next time point, found once for all targets.
        let followed: Vec<Vec<bool>> = (self.groups.iter().zip(&self.present))
            .zip(previous.values.iter().zip(&previous.truths))
            .map(|((group, present), (values, instances))| {
                let width = group.domains.len();
                // Where the same entities are observed nobody needs to be looked up.
                let all = !self.observed_next || present.is_same;
                let goes_on = |k: usize| group.goes_on(&values[k * width..(k + 1) * width], &self.model);
                (0..instances.len()).map(|k| all || goes_on(k)).collect()
            })
            .collect();
        let outcomes =
            self.targets.iter().zip(previous.labels.iter().zip(&next.labels)).map(|(target, (now, then))| {
                let width = self.groups[target.group].domains.len();
                let values = |k: usize| &previous.values[target.group][k * width..(k + 1) * width];
                let mut row = Vec::new();
                let mut outcome = |k: usize| target.outcome(values(k), now, then, &self.symmetries, &mut row);
                // Where nothing is labelled, which is most of the time, nothing needs to be looked up.
                let quiet = [now, then].iter().all(|labels| labels.holds.is_empty() && labels.unknown.is_empty());
                let followed = followed[target.group].iter().enumerate();
                let mut known = |(k, followed): (usize, &bool)| match (*followed || target.direct, quiet) {
                    (false, _) => None,
                    (true, true) => Some(Outcome::Absent),
                    (true, false) => outcome(k),
                };
                followed.map(&mut known).collect()
            });
        let outcomes = outcomes.collect();
        let Point { time, mut values, truths, mut labels, too_many } = previous;
        values.iter_mut().for_each(Vec::clear);
        labels.iter_mut().for_each(Labels::clear);
        self.spare = Point { values, labels, ..Point::default() };
        Some(Interpretation { index: self.count, segment: frame.segment, time, groups: truths, outcomes, too_many })
    }
}

impl Target {
    /// The outcome of an instance; `None` where the annotation says that it does not know. `row` is room for its label.
    fn outcome(
        &self,
        values: &[Value],
        now: &Labels,
        then: &Labels,
        symmetries: &Symmetries,
        row: &mut Vec<Value>,
    ) -> Option<Outcome> {
        self.row(values, symmetries, row);
        if self.direct {
            return (!now.unknown.contains(row)).then(|| Outcome::new(false, now.holds.contains(row)));
        }
        let known = !now.unknown.contains(row) && !then.unknown.contains(row);
        known.then(|| Outcome::new(now.holds.contains(row), then.holds.contains(row)))
    }

    /// The label of an instance; a symmetric one in the order that stands for both.
    pub(super) fn row(&self, values: &[Value], symmetries: &Symmetries, row: &mut Vec<Value>) {
        row.clear();
        row.extend(filled(&self.columns, values));
        symmetries.canonical(self.label, row);
    }

    /// Whether a label is about an instance of this target, by its constants.
    pub(super) fn is_about(&self, row: &[Value]) -> bool {
        self.columns.iter().zip(row).all(|(column, value)| column.as_ref().err().is_none_or(|c| c == value))
    }

    /// Whether its heads have no constants: whatever is annotated is about an instance.
    pub(super) fn is_general(&self) -> bool {
        self.columns.iter().all(Result::is_ok)
    }

    /// The instance that a label is about.
    pub(super) fn instance(&self, row: &[Value]) -> Box<[Value]> {
        let mut values = Vec::with_capacity(row.len());
        self.arguments(row, &mut values);
        values.into()
    }

    /// The same in room that is used again.
    pub(super) fn arguments(&self, row: &[Value], values: &mut Vec<Value>) {
        values.clear();
        values.extend(self.columns.iter().zip(row).filter(|(column, _)| column.is_ok()).map(|(_, value)| *value));
    }

    /// Whether what a literal is true of is known of a group of heads, as far as it is about this target: what is learned may
    /// be recognised where it is not annotated, but of instances only, and those of one group are the same.
    fn is_known_by(&self, pattern: &Pattern, group: usize, symmetric: bool) -> bool {
        let apart = |(own, column): (&Result<usize, Value>, &Column)| match (own, column) {
            (Err(own), Column::Constant(value)) => own != value,
            _ => false,
        };
        let same = |(own, column): (&Result<usize, Value>, &Column)| match (own, column) {
            (Ok(own), Column::Variable(v)) => own == v || symmetric,
            _ => true,
        };
        let columns = || self.columns.iter().zip(&pattern.columns);
        self.label != pattern.signature || columns().any(apart) || self.group == group && columns().all(same)
    }
}

impl Labels {
    fn clear(&mut self) {
        self.holds.clear();
        self.unknown.clear();
    }
}

impl From<[Relation; 2]> for Labels {
    fn from([holds, unknown]: [Relation; 2]) -> Labels {
        Labels { holds, unknown }
    }
}
