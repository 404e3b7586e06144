//! History: what rules that look back need to know of the earlier time points of a segment, and nothing older than the
//! horizon.

mod known;
mod levels;
mod occurrences;
mod windows;

use std::collections::VecDeque;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::aggregate::Aggregate;
use super::latest::Member;
use super::past::Look;
use super::program::{Pred, Program};
use super::relation::Relation;
use crate::lang::{Signature, Value};
use crate::state::{StateError, ensure};
pub(crate) use known::Knowing;
use known::{Known, KnownOf};
pub(crate) use levels::Levelling;
use levels::Levels;
use occurrences::Occurrences;
pub(crate) use occurrences::Occurring;
use windows::Windows;
pub(crate) use windows::{Aggregation, Repeats};

/// What a program looks back at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookback {
    /// In time units: nothing older is looked at.
    pub(crate) horizon: i64,
    /// The predicates whose rows are kept, for `ago` and `frames_ago`.
    pub(crate) kept: Vec<Pred>,
    /// How far back the rules look at those, in time units and in time points.
    pub(crate) farthest: (i64, usize),
    /// The predicates of whose rows it is known since when they are true, for `lasting` and `since`.
    pub(crate) tracked: Vec<Tracked>,
    /// The predicates whose last rows are known, for `last`.
    pub(crate) knowing: Vec<Knowing>,
    /// The predicates whose occurrences are known, for `within`.
    pub(crate) occurring: Vec<Occurring>,
    /// The predicates whose rows are gathered, for `count` and its like.
    pub(crate) gathering: Vec<Aggregation>,
    /// The predicates whose values are looked at throughout, for `never_below` and `never_above`.
    pub(crate) levelling: Vec<Levelling>,
    /// The predicates to fill, in the order in which that is possible.
    pub(crate) fills: Vec<Fill>,
}

/// A predicate of whose rows it is known since when they are true, and the predicates that ask for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tracked {
    pub(crate) base: Pred,
    pub(crate) lasting: Option<Pred>,
    pub(crate) since: Option<Pred>,
}

/// What is to be filled, when the strata before this one are done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fill {
    pub(crate) before: usize,
    pub(crate) from: Filling,
}

/// Where rows come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Filling {
    /// A predicate gets rows of an earlier time point, of the kept predicate with this number.
    Kept(Pred, Look, usize),
    /// The predicates of the tracked one with this number.
    Tracked(usize),
    /// Those that ask for what is known last, of the predicates with this number.
    Known(usize),
    /// Those that ask for the occurrences of the predicate with this number.
    Occurring(usize),
    /// The one that asks for what is gathered, with this number.
    Aggregation(usize),
    /// The one that asks for levels, with this number.
    Levelling(usize),
}

impl Lookback {
    /// Nothing yet, up to a horizon.
    pub(super) fn new(horizon: i64) -> Lookback {
        Lookback { horizon, ..Lookback::default() }
    }

    /// Adds a predicate that looks back at another, and is needed by a stratum. What it looks at is derived before that.
    pub(super) fn add(&mut self, pred: Pred, look: Look, base: Pred, before: usize) {
        match look {
            Look::Ago(number) | Look::FramesAgo(number) => {
                match look {
                    Look::Ago(_) => self.farthest.0 = number.max(self.farthest.0),
                    _ => self.farthest.1 = usize::try_from(number).unwrap_or(usize::MAX).max(self.farthest.1),
                }
                let kept = self.kept.iter().position(|p| *p == base).unwrap_or(self.kept.len());
                if kept == self.kept.len() {
                    self.kept.push(base);
                }
                self.fills.push(Fill { before, from: Filling::Kept(pred, look, kept) });
            }
            Look::Lasting | Look::Since => {
                let number = self.tracked.iter().position(|t| t.base == base).unwrap_or(self.tracked.len());
                if number == self.tracked.len() {
                    self.tracked.push(Tracked { base, lasting: None, since: None });
                }
                let tracked = &mut self.tracked[number];
                *(if look == Look::Lasting { &mut tracked.lasting } else { &mut tracked.since }) = Some(pred);
                self.fill_before(Filling::Tracked(number), before);
            }
            Look::Within(near, far) => {
                let number = self.occurring.iter().position(|o| o.base == base).unwrap_or(self.occurring.len());
                if number == self.occurring.len() {
                    self.occurring.push(Occurring { base, asked: Vec::new() });
                }
                self.occurring[number].asked.push((pred, near, far));
                self.fill_before(Filling::Occurring(number), before);
            }
            Look::Aggregate(aggregate) => {
                self.fill_before(Filling::Aggregation(self.gathering.len()), before);
                self.gathering.push(Aggregation { base, aggregate, asked: pred });
            }
            Look::Last => unreachable!("what is known last is added with the predicates that it depends on"),
        }
        self.fills.sort_by_key(|fill| fill.before);
    }

    /// Adds a predicate of what a value was throughout, for each of so many time units.
    pub(super) fn add_levels(&mut self, pred: Pred, aggregate: Aggregate, base: Pred, spans: Vec<i64>, before: usize) {
        self.fill_before(Filling::Levelling(self.levelling.len()), before);
        self.levelling.push(Levelling { base, aggregate, asked: pred, spans });
        self.fills.sort_by_key(|fill| fill.before);
    }

    /// Adds a predicate of what is known last of another. `members` are the predicates whose rows replace each other, the
    /// other among them.
    pub(super) fn add_last(&mut self, pred: Pred, base: Pred, members: Vec<(Pred, Member)>, before: usize) {
        let has = |knowing: &Knowing| knowing.members.iter().any(|m| m.base == base);
        let number = self.knowing.iter().position(has).unwrap_or(self.knowing.len());
        if number == self.knowing.len() {
            let known = |(base, member): (Pred, Member)| KnownOf { base, classes: member.classes, asked: None };
            self.knowing.push(Knowing { members: members.into_iter().map(known).collect() });
        }
        let own = self.knowing[number].members.iter_mut().filter(|m| m.base == base);
        own.for_each(|m| m.asked = Some(pred));
        self.fill_before(Filling::Known(number), before);
        self.fills.sort_by_key(|fill| fill.before);
    }

    /// One step fills all that have the same source, before the first stratum that needs one of them.
    fn fill_before(&mut self, from: Filling, before: usize) {
        match self.fills.iter_mut().find(|fill| fill.from == from) {
            Some(fill) => fill.before = fill.before.min(before),
            None => self.fills.push(Fill { before, from }),
        }
    }

    /// Whether no rule looks back.
    pub(crate) fn is_empty(&self) -> bool {
        self.fills.is_empty()
    }

    /// The predicates that are looked back at.
    pub(crate) fn bases(&self) -> impl Iterator<Item = Pred> {
        let known = self.knowing.iter().flat_map(|k| &k.members).map(|m| m.base);
        let occurring = self.occurring.iter().map(|o| o.base).chain(self.gathering.iter().map(|g| g.base));
        let occurring = occurring.chain(self.levelling.iter().map(|l| l.base));
        self.kept.iter().copied().chain(self.tracked.iter().map(|t| t.base)).chain(known).chain(occurring)
    }

    /// The oldest time that is looked at from a time.
    fn oldest(&self, time: i64) -> i64 {
        time.saturating_sub(self.horizon)
    }
}

/// The past of one segment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct History {
    /// The last time point.
    last: Option<i64>,
    /// Oldest first; none is older than the horizon, or than what any rule looks at.
    points: VecDeque<Point>,
    /// A point that was forgotten: its memory is for the next one.
    #[serde(skip)]
    spare: Option<Point>,
    /// In the order of the tracked predicates.
    runs: Vec<Runs>,
    /// In the order of the predicates whose last rows are known.
    known: Vec<Known>,
    /// In the order of the predicates whose occurrences are known.
    occurrences: Vec<Occurrences>,
    /// In the order of what is gathered.
    windows: Vec<Windows>,
    /// In the order of what is looked at throughout.
    levels: Vec<Levels>,
    /// The time points, oldest first, up to which rules ask for occurrences.
    times: VecDeque<i64>,
    /// Room for a row.
    #[serde(skip)]
    row: Vec<Value>,
}

/// The rows of the kept predicates at a time point, in their order.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    time: i64,
    rows: Vec<Relation>,
}

/// The rows that are true now, or were within the horizon.
type Runs = IndexMap<Box<[Value]>, Run, FxBuildHasher>;

/// The last time points at which a row was true without a break.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
struct Run {
    first: i64,
    last: i64,
}

impl History {
    /// Goes to a time point. One that is not later than the last begins a new past.
    pub(super) fn begin(&mut self, lookback: &Lookback, time: i64) {
        if self.last.is_some_and(|last| time <= last) {
            *self = History::default();
        }
        self.runs.resize_with(lookback.tracked.len(), Runs::default);
        self.known.resize_with(lookback.knowing.len(), Known::default);
        self.occurrences.resize_with(lookback.occurring.len(), Occurrences::default);
        self.windows.resize_with(lookback.gathering.len(), Windows::default);
        self.levels.resize_with(lookback.levelling.len(), Levels::default);
        if let Some(reach) = lookback.occurring.iter().map(Occurring::reach).max() {
            // A time point that was interrupted is there.
            if self.times.back() != Some(&time) {
                self.times.push_back(time);
            }
            while self.times.front().is_some_and(|first| *first < time.saturating_sub(reach)) {
                self.times.pop_front();
            }
        }
    }

    /// Fills predicates that look back at what is known by now. Returns the time point that was looked at, if it is one.
    pub(super) fn fill(
        &mut self,
        lookback: &Lookback,
        from: Filling,
        time: i64,
        relations: &mut [Relation],
        repeats: &Repeats,
    ) -> Option<i64> {
        match from {
            Filling::Kept(pred, look, kept) => {
                let point = self.point(look, time).filter(|p| p.time >= lookback.oldest(time))?;
                point.rows[kept].rows().for_each(|row| _ = relations[pred.index()].insert(row));
                Some(point.time)
            }
            Filling::Tracked(number) => {
                let tracked = lookback.tracked[number];
                self.track(number, &relations[tracked.base.index()], time);
                let (oldest, row) = (lookback.oldest(time), &mut self.row);
                let runs = &mut self.runs[number];
                runs.retain(|_, run| run.last == time || tracked.since.is_some() && run.last >= oldest);
                let mut add = |pred: Pred, values: &[Value], from: i64| {
                    row.clear();
                    row.extend_from_slice(values);
                    row.push(Value::Int(time.saturating_sub(from)));
                    relations[pred.index()].insert(row);
                };
                for (values, run) in runs {
                    if let (Some(pred), true) = (tracked.lasting, run.last == time) {
                        add(pred, values, run.first.max(oldest));
                    }
                    if let Some(pred) = tracked.since {
                        add(pred, values, run.last);
                    }
                }
                None
            }
            Filling::Known(number) => {
                let (knowing, known) = (&lookback.knowing[number], &mut self.known[number]);
                known.add(knowing, time, lookback.oldest(time), relations);
                known.fill(knowing, time, &mut self.row, relations);
                None
            }
            Filling::Aggregation(number) => {
                let (gathering, windows) = (&lookback.gathering[number], &mut self.windows[number]);
                windows.add(gathering, time, relations, repeats);
                windows.fill(gathering, &mut self.row, relations);
                None
            }
            Filling::Levelling(number) => {
                let (levelling, levels) = (&lookback.levelling[number], &mut self.levels[number]);
                levels.add(levelling, time, self.last, relations);
                levels.fill(levelling, time, &mut self.row, relations);
                None
            }
            Filling::Occurring(number) => {
                let (occurring, occurrences) = (&lookback.occurring[number], &mut self.occurrences[number]);
                occurrences.add(occurring, time, self.last, relations);
                occurrences.fill(occurring, time, &self.times, &mut self.row, relations);
                None
            }
        }
    }

    /// The time point that is looked at from a time.
    fn point(&self, look: Look, time: i64) -> Option<&Point> {
        let at = match look {
            Look::Ago(units) => self.points.partition_point(|p| p.time <= time.saturating_sub(units)).checked_sub(1)?,
            Look::FramesAgo(count) => self.points.len().checked_sub(usize::try_from(count).ok()?)?,
            Look::Lasting | Look::Since | Look::Last | Look::Within(..) | Look::Aggregate(_) => return None,
        };
        self.points.get(at)
    }

    /// Adds the rows that are true now. What was true at the time point before goes on, other rows begin.
    fn track(&mut self, number: usize, now: &Relation, time: i64) {
        let runs = &mut self.runs[number];
        for row in now.rows() {
            match runs.get_mut(row) {
                // This time point was interrupted, and begins again.
                Some(run) if run.last == time => {}
                Some(run) => {
                    if Some(run.last) != self.last {
                        run.first = time;
                    }
                    run.last = time;
                }
                None => _ = runs.insert(row.into(), Run { first: time, last: time }),
            }
        }
    }

    /// Remembers a time point when everything is known of it, and forgets what no rule will look at again.
    pub(super) fn end(&mut self, lookback: &Lookback, time: i64, relations: &[Relation]) {
        self.last = Some(time);
        if lookback.kept.is_empty() {
            return;
        }
        let kept = || lookback.kept.iter().map(|p| &relations[p.index()]);
        let empty = || Point { time, rows: kept().map(|r| Relation::new(r.width())).collect() };
        let mut point = self.spare.take().unwrap_or_else(empty);
        point.time = time;
        for (rows, now) in point.rows.iter_mut().zip(kept()) {
            rows.clear();
            now.rows().for_each(|row| rows.push(row));
        }
        self.points.push_back(point);
        // The next time point is a later one. Of those that are far enough away for all rules, the last one is enough.
        let next = time.saturating_add(1);
        let (units, count) = lookback.farthest;
        let (oldest, enough) = (lookback.oldest(next), next.saturating_sub(units));
        while let Some(first) = self.points.front()
            && (first.time < oldest
                || self.points.len() > count && self.points.get(1).is_some_and(|second| second.time <= enough))
        {
            self.spare = self.points.pop_front();
        }
    }

    /// The number of time points and rows that are remembered.
    pub(super) fn remembered(&self) -> (usize, usize) {
        let (points, runs) =
            (self.points.len().max(self.times.len()), self.runs.iter().map(IndexMap::len).sum::<usize>());
        let known: usize = self.known.iter().map(Known::len).chain(self.windows.iter().map(Windows::len)).sum();
        let known = known + self.levels.iter().map(Levels::len).sum::<usize>();
        (points, runs + known + self.occurrences.iter().map(Occurrences::len).sum::<usize>())
    }

    /// Whether this can be the past that a program looks back at.
    pub(super) fn check(&self, program: &Program) -> Result<(), StateError> {
        let Lookback { kept, tracked, knowing, occurring, gathering, levelling, .. } = &program.lookback;
        let width = |pred: Pred| program.relations[pred.index()].width();
        let rows = |point: &Point| {
            point.rows.len() == kept.len() && point.rows.iter().zip(kept).all(|(r, pred)| r.width() == width(*pred))
        };
        ensure(self.points.iter().all(rows), "the time points that are looked back at")?;
        let times = self.points.iter().map(|p| p.time);
        ensure(times.is_sorted_by(|a, b| a < b), "the times that are looked back at")?;
        let runs = self.runs.len() == tracked.len()
            && self.runs.iter().zip(tracked).all(|(runs, t)| runs.keys().all(|row| row.len() == width(t.base)));
        ensure(runs, "the rows of which it is known since when they are true")?;
        let known = self.known.len() == knowing.len()
            && self.known.iter().zip(knowing).all(|(known, knowing)| known.fits(knowing, program));
        ensure(known, "the rows that are known last")?;
        let occurrences = self.occurrences.len() == occurring.len()
            && self.occurrences.iter().zip(occurring).all(|(rows, o)| rows.has_width(width(o.base)));
        ensure(occurrences, "the rows that occurred")?;
        let windows = self.windows.len() == gathering.len()
            && self
                .windows
                .iter()
                .zip(gathering)
                .all(|(windows, g)| windows.fits(width(g.asked) - 1, g.aggregate.operation));
        ensure(windows, "the rows that are counted")?;
        let levels = self.levels.len() == levelling.len()
            && self.levels.iter().zip(levelling).all(|(levels, l)| levels.fits(l, width(l.asked) - 2));
        ensure(levels, "the values that are looked at throughout")?;
        ensure(self.times.iter().is_sorted_by(|a, b| a < b), "the times at which rows occurred")
    }

    /// The past as another program needs it, as far as it is remembered, of predicates that mean the `same` to both.
    pub(super) fn adopt(self, old: &Program, new: &Program, same: &dyn Fn(Signature) -> bool) -> History {
        let is_same = |pred: Pred| same(new.signature(pred));
        let place = |preds: &[Pred], pred: Pred| {
            preds.iter().position(|p| old.signature(*p) == new.signature(pred)).filter(|_| is_same(pred))
        };
        let kept: Vec<Option<usize>> = new.lookback.kept.iter().map(|p| place(&old.lookback.kept, *p)).collect();
        let old_tracked: Vec<Pred> = old.lookback.tracked.iter().map(|t| t.base).collect();
        let tracked = new.lookback.tracked.iter().map(|t| place(&old_tracked, t.base));
        let widths: Vec<usize> = new.lookback.kept.iter().map(|p| new.relations[p.index()].width()).collect();
        let mut points = self.points;
        if kept.is_empty() {
            points.clear();
        }
        for point in &mut points {
            let rows = kept.iter().zip(&widths).map(|(old, &width)| match old {
                Some(i) => std::mem::take(&mut point.rows[*i]),
                None => Relation::new(width),
            });
            point.rows = rows.collect();
        }
        let mut old_runs = self.runs;
        let mut take = |place: Option<usize>| place.and_then(|i| old_runs.get_mut(i)).map(std::mem::take);
        let runs = tracked.map(|place| take(place).unwrap_or_default()).collect();
        let mut old_known = self.known;
        let known = new.lookback.knowing.iter().map(|knowing| {
            let place = old.lookback.knowing.iter().position(|k| k.same(old, knowing, new));
            let place = place.filter(|_| knowing.members.iter().all(|member| is_same(member.base)));
            place.and_then(|i| old_known.get_mut(i)).map(std::mem::take).unwrap_or_default()
        });
        let known = known.collect();
        let old_occurring: Vec<Pred> = old.lookback.occurring.iter().map(|o| o.base).collect();
        let mut old_occurrences = self.occurrences;
        let occurrences = new.lookback.occurring.iter().map(|o| {
            let place = place(&old_occurring, o.base);
            place.and_then(|i| old_occurrences.get_mut(i)).map(std::mem::take).unwrap_or_default()
        });
        let occurrences = occurrences.collect();
        let mut old_windows = self.windows;
        let windows = new.lookback.gathering.iter().map(|gathering| {
            let mut all = old.lookback.gathering.iter();
            let place = all.position(|g| old.signature(g.asked) == new.signature(gathering.asked));
            let place = place.filter(|_| is_same(gathering.base));
            place.and_then(|i| old_windows.get_mut(i)).map(std::mem::take).unwrap_or_default()
        });
        let windows = windows.collect();
        let mut old_levels = self.levels;
        let levels = new.lookback.levelling.iter().map(|levelling| {
            let mut all = old.lookback.levelling.iter();
            let place = all.position(|l| l.same(old, levelling, new, is_same(levelling.base)));
            place.and_then(|i| old_levels.get_mut(i)).map(std::mem::take).unwrap_or_default()
        });
        let levels = levels.collect();
        History {
            last: self.last,
            points,
            runs,
            known,
            occurrences,
            windows,
            levels,
            times: self.times,
            ..History::default()
        }
    }
}
