//! Interpretations: two consecutive time points, as what learning needs of them: for each head instance, which literals
//! are true of it and what becomes of it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::instances::{Group, Instance, TooMany};
use super::lookup::Lookup;
use super::measured::Gauge;
use crate::calculus::{Outcome, unknown};
use crate::event::What;
use crate::induce::{Grid, LiteralTable, Mask};
use crate::lang::{Signature, Symbol, Symmetries, Value, exchanged};
use crate::logic::{Histories, Measure, Model, Pred, Program, Relation, Role, Vocabulary};
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
    program: Program,
    pub(super) model: Model,
    pub(super) groups: Vec<Group>,
    pub(super) targets: Vec<Target>,
    measures: Vec<Measure>,
    /// Relations that are filled from the annotation: fluents that bodies may speak of.
    annotated: Vec<(Signature, Pred)>,
    pub(super) symmetries: Symmetries,
    observed_next: bool,
    segments: Points,
    current: Option<Symbol>,
    interleaved: bool,
    count: u64,
    /// A time point with more instances than this is left out.
    limit: usize,
    pub(super) crowded: Crowded,
}

/// Time points that were left out because there were too many instances.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Crowded {
    count: u64,
    /// Segment and time of the first, and what there was too much of.
    first: Option<(Symbol, i64, String)>,
    told: bool,
}

/// The last time point of each segment.
type Points = IndexMap<Symbol, Point, FxBuildHasher>;

/// What a cover knows of the stream so far.
#[derive(Deserialize)]
pub(crate) struct CoverState(Points, Option<Symbol>, u64, Histories, Crowded);

/// What is to be learned about.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) group: usize,
    /// The annotation, and the annotation that says that nothing is known.
    label: Signature,
    unknown: Signature,
    /// Constants and variables of the label's columns.
    columns: Vec<Result<usize, Value>>,
    /// Whether the label is of the same time point as the head: the observational case.
    direct: bool,
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
    pub(crate) types: Vec<Symbol>,
    pub(crate) label: Signature,
    pub(crate) columns: Vec<Result<usize, Value>>,
    pub(crate) direct: bool,
    /// Whether a pair is one instance.
    pub(crate) symmetric: bool,
}

impl Cover {
    pub(crate) fn new(
        mut program: Program,
        vocabulary: &Vocabulary,
        (tables, grids): (Vec<(LiteralTable, bool)>, &[Grid]),
        targets: &[TargetSpec],
        symmetries: Symmetries,
        observed_next: bool,
        interleaved: bool,
    ) -> Result<Cover, String> {
        let mut groups: Vec<Group> = Vec::new();
        for (table, symmetric) in tables {
            let gauges = Gauge::of(&table, &vocabulary.measures, grids, &program);
            groups.push(Group::new(table, symmetric, gauges, &program)?);
        }
        let group = |t: &TargetSpec| groups.iter().position(|g| g.table.types == t.types && g.symmetric == t.symmetric);
        let targets = targets
            .iter()
            .map(|t| Target {
                group: group(t).expect("each target has a table"),
                label: t.label,
                unknown: unknown(t.label),
                columns: t.columns.clone(),
                direct: t.direct,
            })
            .collect();
        let annotated = vocabulary
            .predicates
            .iter()
            .filter(|(_, p)| p.role == Role::Fluent)
            .filter_map(|(s, _)| Some((*s, program.pred(*s)?)))
            .collect();
        program.allow_repeats(&groups.iter().flat_map(Group::looked_up).collect::<Vec<_>>());
        let model = Model::new(&program);
        Ok(Cover {
            program,
            model,
            groups,
            targets,
            measures: vocabulary.measures.clone(),
            annotated,
            symmetries,
            observed_next,
            segments: IndexMap::default(),
            current: None,
            interleaved,
            count: 0,
            limit: usize::MAX,
            crowded: Crowded::default(),
        })
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

    /// For each group whether its fluents end when an argument is not observed.
    pub(crate) fn tracked(&self, task: &Task) -> Vec<bool> {
        let tracked = |kind: &Symbol| task.options.tracked.as_ref().is_none_or(|types| types.contains(kind));
        self.groups.iter().map(|group| group.table.types.iter().any(tracked)).collect()
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
        (&self.segments, self.current, self.count, self.model.histories(), &self.crowded)
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, state: CoverState) -> Result<(), StateError> {
        let CoverState(segments, current, count, histories, crowded) = state;
        ensure_counts([count, crowded.count])?;
        segments.values().try_for_each(|point| self.check(point))?;
        self.model.restore(&self.program, histories)?;
        (self.segments, self.current, self.count, self.crowded) = (segments, current, count, crowded);
        Ok(())
    }

    /// Whether this can be a time point of the task.
    fn check(&self, point: &Point) -> Result<(), StateError> {
        let count = self.groups.len();
        ensure(point.values.len() == count && point.truths.len() == count, "the groups of heads")?;
        for ((group, values), truths) in self.groups.iter().zip(&point.values).zip(&point.truths) {
            ensure(values.len() == truths.len() * group.domains.len(), "the instances of heads")?;
            let literals = Mask::first(group.table.len());
            let known = |instance: &Instance| instance.truths().all(|truth| truth.fires_on(literals));
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

    /// From now on leaves out time points with more instances than this.
    pub(crate) fn set_limit(&mut self, instances: usize) {
        self.limit = instances;
        self.model.set_limit(instances);
    }

    /// What there is too much of at the time point of the model, if anything.
    fn too_much(&self) -> Option<String> {
        let count = |group: &Group| {
            group.domains.iter().fold(1, |product: usize, d| product.saturating_mul(self.model.rows(*d).len()))
        };
        match self.groups.iter().map(count).max().filter(|count| *count > self.limit) {
            Some(count) => Some(format!("{count} instances")),
            None if self.model.is_full() => Some(format!("more than {} derived atoms", self.limit)),
            None => None,
        }
    }

    /// Takes note of a time point that is left out; returns whether it is.
    pub(super) fn is_crowded(&mut self, frame: &Frame) -> bool {
        let Some(what) = self.too_much() else { return false };
        self.crowded.count += 1;
        self.crowded.first.get_or_insert((frame.segment, frame.time, what));
        true
    }

    /// That time points were left out, the first time that somebody asks.
    pub(crate) fn tell_crowded(&mut self) -> Option<What> {
        let told = std::mem::replace(&mut self.crowded.told, self.crowded.first.is_some());
        let (segment, time, what) = self.crowded.first.as_ref().filter(|_| !told)?;
        let what = format!("time {time} of segment `{segment}` is left out: it has {what}");
        Some(What::Limited { limit: Symbol::new("max_instances"), most: self.limit, what })
    }

    /// How many time points were left out, if any.
    pub(crate) fn remark_crowded(&self) -> Option<String> {
        let Crowded { count, first, .. } = &self.crowded;
        let (segment, time, what) = first.as_ref()?;
        Some(format!(
            "{count} time points were left out, the first at time {time} of segment `{segment}`, which has {what}: \
             `max_instances` is {}",
            self.limit
        ))
    }

    /// Makes the model of a time point: the part of [`Cover::observe`] that any way of counting needs. For benchmarks.
    pub fn derive(&mut self, frame: &Frame) {
        if self.current != Some(frame.segment) {
            if !self.interleaved {
                self.segments.clear();
                self.model.forget();
            }
            self.current = Some(frame.segment);
        }
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
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
        if self.limit == usize::MAX || self.too_much().is_none() {
            self.model.advance(&self.program, frame.segment, frame.time);
        }
    }

    /// A time point with its instances and labels.
    pub(super) fn look(&mut self, frame: &Frame) -> Point {
        self.derive(frame);
        let labels = self.targets.iter().map(|t| t.labels(frame, &self.symmetries)).collect();
        let mut point = Point { time: frame.time, labels, ..Point::default() };
        let mut too_many = Vec::new();
        if self.is_crowded(frame) {
            point.values = vec![Vec::new(); self.groups.len()];
            point.truths = vec![Vec::new(); self.groups.len()];
            return point;
        }
        for (number, group) in self.groups.iter().enumerate() {
            let (values, truths) = group.instances(&self.model, &mut too_many);
            let found =
                too_many.drain(..).map(|(variable, assignments)| TooMany { group: number, variable, assignments });
            point.too_many.extend(found);
            point.values.push(values);
            point.truths.push(truths);
        }
        point
    }

    /// Takes a frame; returns the interpretation of it and the one before, if there is one in its segment.
    pub fn observe(&mut self, frame: &Frame) -> Option<Interpretation> {
        let point = self.look(frame);
        let previous = self.segments.insert(frame.segment, point)?;
        let next = &self.segments[&frame.segment];
        self.count += 1;
        // Whether all arguments of an instance are observed at the next time point too, found once for all targets.
        let followed: Vec<Vec<bool>> = (self.groups.iter().zip(&previous.values).zip(&previous.truths))
            .map(|((group, values), instances)| {
                let width = group.domains.len();
                let observed = |k: usize| {
                    let values = &values[k * width..(k + 1) * width];
                    values
                        .iter()
                        .zip(&group.domains)
                        .all(|(v, d)| self.model.rows(*d).contains(std::slice::from_ref(v)))
                };
                (0..instances.len()).map(|k| !self.observed_next || observed(k)).collect()
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
        Some(Interpretation {
            index: self.count,
            segment: frame.segment,
            time: previous.time,
            groups: previous.truths,
            outcomes,
            too_many: previous.too_many,
        })
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
        row.extend(self.columns.iter().map(|c| c.map_or_else(|v| v, |i| values[i])));
        symmetries.canonical(self.label, row);
    }

    /// The labels of a frame; a symmetric one in the order that stands for both.
    pub(super) fn labels(&self, frame: &Frame, symmetries: &Symmetries) -> Labels {
        let width = self.label.arity() - 1;
        let mut labels = Labels { holds: Relation::new(width), unknown: Relation::new(width) };
        for (signature, values) in frame.annotation.iter() {
            if signature == self.label {
                labels.holds.insert(&symmetries.in_order(signature, values));
            } else if signature == self.unknown {
                labels.unknown.insert(&symmetries.in_order(signature, values));
            }
        }
        labels
    }
}
