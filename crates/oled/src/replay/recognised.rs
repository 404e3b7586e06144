//! What rules recognise in the record, where other rules depend on it: fluents in the bodies of other fluents, and the other
//! values of a fluent with values, which end a value where they begin.
//!
//! Targets are searched in the order of their declaration. A body may speak of fluents that come before; what their rules
//! recognise takes the place of what the annotation says.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::classes::{Classes, Scope, Vocabulary};
use super::fluent::actions;
use super::layout::{has_bit, set_bit};
use super::literal::Rule;
use super::record::{InstanceRuns, Record, Segment};
use super::runs::{Definition, Runs};
use super::scale::Fineness;
use super::simulate::{closed_spans, spans};
use super::track::Run;
use crate::induce::Column;
use crate::lang::Value;

/// Time points of a segment, from the first on and up to the second.
type Span = (u64, u64);

/// For each segment what is annotated, as rows, with the time points at which it is recognised, or is started.
pub(crate) type Recognised = Vec<IndexMap<Box<[Value]>, Vec<Span>, FxBuildHasher>>;

/// A literal of a table that is about other targets: its number, the targets, and what stands in the label's columns.
#[derive(Clone, Debug)]
pub(crate) struct About {
    pub(crate) literal: usize,
    pub(crate) targets: Vec<usize>,
    pub(crate) columns: Vec<Column>,
    pub(crate) negated: bool,
    /// Whether the order of the columns does not matter.
    pub(crate) symmetric: bool,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// When a fluent holds.
    Holds,
    /// When it is started, whether it holds already or not.
    Starts,
}

/// What the rules of a target do in the segments.
pub(crate) fn recognise(
    record: &Record,
    segments: &[&Segment<'_>],
    scope: Scope<'_>,
    rules: &[Rule],
    definition: Definition,
    what: What,
) -> Recognised {
    let classes = Classes::new(record, segments, scope, Vocabulary::Of(rules, Fineness::Coarse));
    let runs = Runs::new(segments, scope, &classes);
    let actions = actions(&classes, &runs, rules);
    let mut recognised: Recognised = vec![IndexMap::default(); segments.len()];
    // What starts one of a pair is not closed, and nobody asks for it: an equivalence has no values.
    let is_closed = scope.closed && what == What::Holds;
    let mut closed = if is_closed { closed_spans(&runs, &actions, definition) } else { Vec::new() }.into_iter();
    let mut tracks = runs.tracks.iter();
    for (s, segment) in segments.iter().enumerate() {
        for instance in segment.groups[scope.group].iter().filter(|instance| !instance.is_empty()) {
            let track = tracks.next().expect("there is a track for each instance");
            let alone = || spans(&runs, track, &actions, definition, what == What::Starts);
            let spans = closed.next().unwrap_or_else(alone);
            if !spans.is_empty() {
                let spans = spans.into_iter().map(|(from, to)| (instance.start + from, instance.start + to));
                recognised[s].entry(scope.row(instance.values)).or_default().extend(spans);
            }
        }
    }
    recognised
}

/// What takes the place of the annotation in the record of a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced<'a> {
    /// Literals about other targets.
    pub(crate) about: &'a [About],
    /// What is recognised of each target.
    pub(crate) recognised: &'a [Recognised],
    /// The bit that says that another value begins, and when values begin, for each target of the same fluent.
    pub(crate) other_value: Option<(usize, &'a [Recognised])>,
}

impl Replaced<'_> {
    /// Whether everything stays as it is.
    pub(crate) fn is_nothing(&self) -> bool {
        self.about.is_empty() && self.other_value.is_none()
    }

    /// The record of a group with other truths: the states of it, and the segments.
    pub(crate) fn of<'s>(
        &self,
        record: &Record,
        segments: &[&Segment<'s>],
        scope: Scope<'_>,
    ) -> (Record, Vec<Segment<'s>>) {
        let mut new = record.emptied();
        let mut copies = Vec::new();
        for (s, segment) in segments.iter().enumerate() {
            let instances = &segment.groups[scope.group];
            let begins = self.values_that_begin(s);
            let instance = |instance| self.instance((record, &mut new), scope, (s, &begins), instance);
            let instances = instances.iter().map(instance).collect();
            let mut groups = vec![Vec::new(); segment.groups.len()];
            groups[scope.group] = instances;
            copies.push(Segment { name: segment.name, rank: segment.rank, missed: segment.missed.clone(), groups });
        }
        (new, copies)
    }

    fn instance<'s>(
        &self,
        (record, new): (&Record, &mut Record),
        scope: Scope<'_>,
        (segment, begins): (usize, &Begins<'_>),
        instance: &InstanceRuns<'s>,
    ) -> InstanceRuns<'s> {
        let (group, stride) = (scope.group, scope.layout.stride());
        // When each literal is true, for each order of the arguments.
        let when: Vec<[Vec<Span>; 2]> = self
            .about
            .iter()
            .map(|about| [0, 1].map(|order| self.spans(about, segment, instance.values, order)))
            .collect();
        let others = other_values(begins, &scope.row(instance.values));
        let all = when.iter().flatten().chain([&others]).flatten();
        let mut cuts: Vec<u64> = all.flat_map(|(from, to)| [*from, *to]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut cuts = cuts.into_iter().peekable();
        let mut runs = Vec::new();
        let mut time = instance.start;
        for run in instance.runs() {
            let end = time + u64::from(run.length);
            while time < end {
                while cuts.next_if(|cut| *cut <= time).is_some() {}
                let to = cuts.peek().map_or(end, |cut| end.min(*cut));
                let mut key = record.states[group][run.state as usize].to_vec();
                let other = self.other_value.filter(|_| is_in(&others, time)).map(|(bit, _)| bit);
                if let (true, Some(other)) = (key.is_empty(), other) {
                    key = scope.layout.unobserved(&scope.absent.into_iter().chain([other]).collect());
                }
                let ways = key.len() / stride;
                for (way, truth) in key.chunks_mut(stride).enumerate() {
                    other.into_iter().for_each(|bit| set_bit(truth, bit, true));
                    // No literal is true of what is not observed.
                    if scope.absent.is_some_and(|bit| has_bit(truth, bit)) {
                        continue;
                    }
                    // The truths of a pair are those of its two orders, one after the other.
                    let order = usize::from(scope.symmetric && way >= ways / 2);
                    for (about, when) in self.about.iter().zip(&when) {
                        set_bit(truth, about.literal, is_in(&when[order], time) != about.negated);
                    }
                }
                let state = new.intern(group, &key);
                runs.push(Run { state, length: (to - time) as u32, labels: run.labels });
                time = to;
            }
        }
        instance.with(runs)
    }

    /// When what a literal is about is recognised.
    fn spans(&self, about: &About, segment: usize, head: &[Value], order: usize) -> Vec<Span> {
        let value = |c: &Column| match c {
            Column::Constant(value) => *value,
            Column::Variable(v) if head.len() == 2 => head[[[0, 1], [1, 0]][order][*v]],
            Column::Variable(v) => head[*v],
        };
        let mut row: Vec<Value> = about.columns.iter().map(value).collect();
        if about.symmetric {
            row.sort();
        }
        let found = about.targets.iter().filter_map(|t| self.recognised[*t][segment].get(row.as_slice()));
        merged(found.flatten().copied().collect())
    }

    /// When values of the same fluent begin in a segment.
    fn values_that_begin(&self, segment: usize) -> Begins<'_> {
        let mut begins = Begins::default();
        let rows = self.other_value.iter().flat_map(|(_, started)| started.iter()).flat_map(|s| &s[segment]);
        for (row, spans) in rows {
            if let Some((value, key)) = row.split_last() {
                begins.entry(key).or_default().push((*value, spans.as_slice()));
            }
        }
        begins
    }
}

/// For what a fluent with values is about, its values with the time points at which they begin.
type Begins<'a> = IndexMap<&'a [Value], Vec<(Value, &'a [Span])>, FxBuildHasher>;

/// When other values than that of a row begin.
fn other_values(begins: &Begins<'_>, row: &[Value]) -> Vec<Span> {
    let Some((own, key)) = row.split_last() else { return Vec::new() };
    let values = begins.get(key).into_iter().flatten();
    merged(values.filter(|(value, _)| value != own).flat_map(|(_, spans)| *spans).copied().collect())
}

/// Spans in their order, those that meet as one.
fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    spans.dedup_by(|next, last| {
        let meets = next.0 <= last.1;
        if meets {
            last.1 = last.1.max(next.1);
        }
        meets
    });
    spans
}

/// Whether a time point is in one of the spans, which are in order and apart.
fn is_in(spans: &[Span], time: u64) -> bool {
    let after = spans.partition_point(|(from, _)| *from <= time);
    after > 0 && time < spans[after - 1].1
}
