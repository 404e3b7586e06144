//! Experiment: rows on data sets, in folds and orders; parts run side by side, and finished ones are never run again.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use oled::evaluate::{Span, observed};
use oled::{Confusion, IntervalCounts, Signature};
use oled_data::task_folder::TaskFolder;

use crate::digest::Digest;
use crate::fold::{self, FoldRecord};
use crate::prequential::Prequential;
use crate::row::name;
use crate::scale::{self, Scaling};
use crate::{
    Data, Error, FoldScore, IntervalScore, OrderScore, Published, Results, Row, Scale, Score, SpreadOver, Store, Story,
};

/// What is to be found out.
#[derive(Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub description: String,
    /// Data sets with the rows that are compared on them.
    pub parts: Vec<Part>,
    /// Orders of the segments: the one in which they come, and random ones.
    pub orders: u64,
    /// The share of an interval that must be recognised for it to count as found.
    pub share: f64,
    /// Whether to tell how the theories come about: curves, rules and their history.
    pub stories: bool,
    /// Whether results tell times. Without them two runs print the same bytes.
    pub times: bool,
    /// Learning from several copies of a stream at once.
    pub scaling: Option<Scaling>,
    /// Figures of others, to stand beside ours.
    pub published: Vec<Published>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

/// Rows on a data set.
#[derive(Clone, Debug)]
pub struct Part {
    /// The task.
    pub task: Arc<TaskFolder>,
    /// The data.
    pub data: Arc<Data>,
    /// What is compared.
    pub rows: Vec<Row>,
}

/// How far an experiment has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Parts that are finished.
    pub done: usize,
    /// All parts.
    pub total: usize,
    /// What was finished last: `whole, paper preset, order 3, fold 7`.
    pub last: String,
}

/// A part that can be run by itself.
#[derive(Clone, Copy, Debug)]
enum Job {
    Fold { part: usize, row: usize, order: u64, fold: usize },
    Story { part: usize, row: usize },
    Scale { copies: usize },
}

/// What came out of a job.
#[derive(Clone, Debug)]
enum Outcome {
    Fold(FoldRecord),
    Story(Story),
    Scale(Scale),
}

impl Experiment {
    /// Runs what the store does not know yet, on so many threads. The result does not depend on their number, nor on how
    /// often it was stopped on the way.
    pub fn run(
        &self,
        store: &Store,
        threads: usize,
        stop: &AtomicBool,
        progress: &(dyn Fn(&Progress) + Sync),
    ) -> Result<Results, Error> {
        self.check()?;
        let digests: Vec<u64> = self.parts.iter().map(|p| p.data.digest()).collect();
        let (side_by_side, alone): (Vec<Job>, Vec<Job>) =
            self.jobs().into_iter().partition(|job| !matches!(job, Job::Scale { .. }));
        let total = side_by_side.len() + alone.len();
        let done = AtomicUsize::new(0);
        let run = |job: &Job| {
            let outcome = self.run_job(*job, &digests, store)?;
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            progress(&Progress { done, total, last: self.label(*job) });
            Ok(outcome)
        };
        let mut outcomes = in_parallel(&side_by_side, threads, stop, &run)?;
        // What is timed has the machine to itself.
        outcomes.extend(in_parallel(&alone, 1, stop, &run)?);
        let jobs: Vec<Job> = side_by_side.into_iter().chain(alone).collect();
        Ok(self.results(&jobs, outcomes))
    }

    /// The numbers of the parts that the store does not know; those that are timed, which need a machine to themselves, are not
    /// among them.
    pub fn missing(&self, store: &Store) -> Result<Vec<usize>, Error> {
        self.check()?;
        let digests: Vec<u64> = self.parts.iter().map(|p| p.data.digest()).collect();
        let is_missing = |job: &Job| {
            !matches!(job, Job::Scale { .. }) && store.get::<serde_json::Value>(&self.key(*job, &digests)).is_none()
        };
        Ok(self.jobs().iter().enumerate().filter(|(_, job)| is_missing(job)).map(|(number, _)| number).collect())
    }

    /// What tells this experiment from others: the keys of all its parts, which know tasks, rules, settings and data.
    pub fn fingerprint(&self) -> String {
        let digests: Vec<u64> = self.parts.iter().map(|p| p.data.digest()).collect();
        let mut digest = Digest::default();
        self.jobs().iter().for_each(|job| digest.text(&self.key(*job, &digests)));
        format!("{} parts ({:016x})", self.jobs().len(), digest.finish())
    }

    /// Runs a part by its number, unless the store knows it.
    pub fn run_one(&self, number: usize, store: &Store) -> Result<(), Error> {
        let digests: Vec<u64> = self.parts.iter().map(|p| p.data.digest()).collect();
        let job = self.jobs().get(number).copied();
        job.map_or(Ok(()), |job| self.run_job(job, &digests, store).map(|_| ()))
    }

    /// Whether there is something to learn from wherever something learns.
    fn check(&self) -> Result<(), Error> {
        for Part { task, data, rows } in &self.parts {
            check_tasks(task, rows)?;
            let learns = rows.iter().any(Row::learns);
            let all = data.folds.iter().find(|&&fold| data.units.iter().all(|unit| unit.fold == fold));
            if let (true, Some(fold)) = (learns, all) {
                return Err(Error::Plan(format!(
                    "all segments of `{}` are tested in fold {fold}, so there is nothing to learn from\nhint: there must be two folds at least",
                    data.name
                )));
            }
        }
        Ok(())
    }

    /// Everything there is to do, in the order in which it is reported.
    fn jobs(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (p, part) in self.parts.iter().enumerate() {
            for (r, row) in part.rows.iter().enumerate() {
                // Where the order of the data means nothing, one is enough.
                let ordered = row.depends_on_order(row.folder(&part.task), &part.data.name);
                for order in 0..if ordered { self.orders.max(1) } else { 1 } {
                    jobs.extend(part.data.folds.iter().map(|&fold| Job::Fold { part: p, row: r, order, fold }));
                }
                if row.has_story() && self.stories {
                    jobs.push(Job::Story { part: p, row: r });
                }
            }
        }
        let copies = self.scaling.iter().flat_map(|s| &s.copies);
        jobs.extend(copies.map(|&copies| Job::Scale { copies }));
        jobs
    }

    fn label(&self, job: Job) -> String {
        let of = |part: usize, row: usize| {
            let part = &self.parts[part];
            format!("{}, {}", part.data.name, part.rows[row].name)
        };
        match job {
            Job::Fold { part, row, order, fold } => format!("{}, order {order}, fold {fold}", of(part, row)),
            Job::Story { part, row } => format!("{}, learning curve", of(part, row)),
            Job::Scale { copies } => format!("{copies} copies at once"),
        }
    }

    /// What stands for everything that a job depends on.
    fn key(&self, job: Job, digests: &[u64]) -> String {
        let key = |kind: &str, part: usize, row: usize| {
            let Part { task, data, rows } = &self.parts[part];
            let task = rows[row].folder(task);
            let mut digest = Digest::default();
            digest.text(env!("CARGO_PKG_VERSION"));
            digest.task(task);
            digest.number(digests[part]);
            digest.number(rows[row].digest(task, &data.name));
            format!("{kind} {} {} {:016x}", data.name, rows[row].name, digest.finish())
        };
        match job {
            Job::Fold { part, row, order, fold } => {
                format!("{} {order} {fold} {}", key("fold", part, row), self.share)
            }
            Job::Story { part, row } => key("story", part, row),
            Job::Scale { copies } => {
                let scaling = self.scaling.as_ref().expect("there are such jobs only where there is scaling");
                format!("scale {copies} {}", scaling.digest())
            }
        }
    }

    fn run_job(&self, job: Job, digests: &[u64], store: &Store) -> Result<Outcome, Error> {
        let key = self.key(job, digests);
        match job {
            Job::Fold { part, row, order, fold } => {
                let Part { task, data, rows } = &self.parts[part];
                let run = || fold::run(rows[row].folder(task), data, &rows[row], (order, fold), self.share);
                once(store, &key, run).map(Outcome::Fold)
            }
            Job::Story { part, row } => {
                let Part { task, data, rows } = &self.parts[part];
                let run = || story(rows[row].folder(task), data, &rows[row]);
                once(store, &key, run).map(Outcome::Story)
            }
            Job::Scale { copies } => {
                let scaling = self.scaling.as_ref().expect("there are such jobs only where there is scaling");
                once(store, &key, || scale::run(scaling, copies)).map(Outcome::Scale)
            }
        }
    }

    fn results(&self, jobs: &[Job], outcomes: Vec<Outcome>) -> Results {
        let mut results = Results {
            experiment: self.name.clone(),
            description: self.description.clone(),
            version: env!("CARGO_PKG_VERSION").into(),
            published: self.published.clone(),
            notes: self.notes.clone(),
            ..Results::default()
        };
        for part in &self.parts {
            if !results.data.iter().any(|d| d.name == part.data.name) {
                results.data.push(part.data.summary(&part.task.task));
            }
        }
        let mut folds: Vec<(Job, FoldRecord)> = Vec::new();
        for (job, outcome) in jobs.iter().zip(outcomes) {
            match outcome {
                Outcome::Fold(mut record) => {
                    results.timelines.append(&mut record.timelines);
                    folds.push((*job, record));
                }
                Outcome::Story(story) => {
                    results.curves.extend(story.curves);
                    results.rules.extend(story.rules);
                }
                Outcome::Scale(mut scale) => {
                    scale.seconds = scale.seconds.filter(|_| self.times);
                    results.scalability.push(scale);
                }
            }
        }
        for (p, part) in self.parts.iter().enumerate() {
            for (r, row) in part.rows.iter().enumerate() {
                let of_row = |job: &Job| matches!(job, Job::Fold { part, row, .. } if (*part, *row) == (p, r));
                let mine: Vec<_> = folds.iter().filter(|(job, _)| of_row(job)).collect();
                for target in row.folder(&part.task).task.labels() {
                    results.results.push(self.score(part, row, target, &mine));
                }
            }
        }
        results
    }

    /// The score of a row for a fluent, from all its folds and orders.
    fn score(&self, part: &Part, row: &Row, target: Signature, folds: &[&(Job, FoldRecord)]) -> Score {
        let (learner, preset) = row.names();
        let fluent = name(target).as_str();
        let mut score = Score {
            learner: learner.into(),
            preset: preset.into(),
            row: row.name.clone(),
            protocol: part.data.name.clone(),
            fluent: fluent.into(),
            symmetric: row.folder(&part.task).task.bias.symmetries().has(target),
            ..Score::default()
        };
        let mut by_order: Vec<(OrderScore, Confusion, IntervalCounts)> = Vec::new();
        for (job, record) in folds {
            let Job::Fold { order, fold, .. } = job else { continue };
            let Some(of) = record.fluents.iter().find(|f| f.fluent == fluent) else { continue };
            let learned = learner != "theory" || of.weights.is_some();
            let seconds = Some(record.seconds).filter(|_| self.times && learned);
            let (tp, fp, fn_) = (of.tp, of.fp, of.fn_);
            let (order, fold) = (*order, *fold);
            let (literals, rules, weights) = (of.literals, of.rules, of.weights.clone());
            score.folds.push(FoldScore { fold, order, tp, fp, fn_, literals, rules, seconds, weights });
            if by_order.last().is_none_or(|(o, ..)| o.order != order) {
                let new = OrderScore { order, ..OrderScore::default() };
                by_order.push((new, Confusion::default(), IntervalCounts::default()));
            }
            if let Some((_, counts, intervals)) = by_order.last_mut() {
                *counts += Confusion { tp, fp, fn_ };
                *intervals += of.intervals.0;
            }
        }
        for (order, counts, _) in &mut by_order {
            (order.precision, order.recall, order.f1) = (counts.precision(), counts.recall(), counts.f1());
        }
        let tested = part.data.units.iter().filter(|u| part.data.folds.contains(&u.fold));
        let spans = tested.filter_map(|unit| Span::of(unit.frames.iter().map(|frame| frame.time)));
        let hours = part.data.rate.map(|rate| observed(spans) / rate / 3600.0);
        let intervals = |f: &dyn Fn(&IntervalCounts) -> f64| mean(by_order.iter().map(|(.., i)| f(i)));
        score.intervals = IntervalScore {
            share: self.share,
            annotated: intervals(&|i| i.annotated as f64),
            recognised: intervals(&|i| i.recognised as f64),
            found: intervals(&|i| i.found as f64),
            precision: intervals(&IntervalCounts::precision),
            recall: intervals(&IntervalCounts::recall),
            f1: intervals(&IntervalCounts::f1),
            delay: some_mean(by_order.iter().filter_map(|(.., i)| i.mean_delay())),
            covered: intervals(&IntervalCounts::mean_covered),
            false_alarms: intervals(&|i| i.false_alarms as f64),
            hours,
            false_alarms_per_hour: hours.map(|hours| intervals(&|i| i.false_alarms as f64 / hours)),
        };
        score.orders = by_order.into_iter().map(|(order, ..)| order).collect();
        score.precision = mean(score.orders.iter().map(|o| o.precision));
        score.recall = mean(score.orders.iter().map(|o| o.recall));
        score.f1 = mean(score.orders.iter().map(|o| o.f1));
        (score.f1_spread, score.spread_over) = spread(&score.orders, &score.folds).unzip();
        score.literals = mean(score.folds.iter().map(|f| f.literals as f64));
        score.rules = mean(score.folds.iter().map(|f| f.rules as f64));
        score.seconds = some_mean(score.folds.iter().filter_map(|f| f.seconds));
        score
    }
}

/// How far F1 differs from order to order; where there is one order only, from fold to fold.
fn spread(orders: &[OrderScore], folds: &[FoldScore]) -> Option<(f64, SpreadOver)> {
    let (values, over): (Vec<f64>, _) = if orders.len() > 1 {
        (orders.iter().map(|order| order.f1).collect(), SpreadOver::Orders)
    } else {
        (folds.iter().filter_map(FoldScore::f1).collect(), SpreadOver::Folds)
    };
    let middle = mean(values.iter().copied());
    (values.len() > 1).then(|| (mean(values.iter().map(|f1| (f1 - middle).powi(2))).sqrt(), over))
}

/// Whether the tasks of rows are about what is annotated in the data.
fn check_tasks(task: &TaskFolder, rows: &[Row]) -> Result<(), Error> {
    let names = |folder: &TaskFolder| {
        let mut names: Vec<&str> = folder.task.labels().into_iter().map(|label| name(label).as_str()).collect();
        names.sort_unstable();
        names.join(", ")
    };
    for row in rows {
        let (here, there) = (names(task), names(row.folder(task)));
        if here != there {
            return Err(Error::Plan(format!(
                "the row `{}` has the task `{}`, which is about {there}; the data is about {here}\n\
                 hint: a row may have another task with the same labels",
                row.name,
                row.folder(task).name
            )));
        }
    }
    Ok(())
}

/// A row's learner over all of the data, as it comes.
fn story(task: &TaskFolder, data: &Data, row: &Row) -> Result<Story, Error> {
    let mut learning = Prequential::new(&task.task, row.learner(task, &data.name)?, true)?;
    for frame in data.units.iter().flat_map(|u| &u.frames) {
        learning.observe(frame, &mut ())?;
    }
    let learned = learning.learned(&mut ());
    Ok(learning.finish(&learned, &data.name, &row.name))
}

/// What the store knows, or else what running it gives, which the store then knows.
fn once<T>(store: &Store, key: &str, run: impl FnOnce() -> Result<T, Error>) -> Result<T, Error>
where
    T: serde::Serialize + for<'a> serde::Deserialize<'a>,
{
    if let Some(known) = store.get(key) {
        return Ok(known);
    }
    let outcome = run()?;
    store.put(key, &outcome)?;
    Ok(outcome)
}

/// Runs jobs on threads; outcomes come in the order of the jobs. The first error, or a wish to stop, ends it all.
fn in_parallel<J: Sync, T: Send>(
    jobs: &[J],
    threads: usize,
    stop: &AtomicBool,
    run: &(dyn Fn(&J) -> Result<T, Error> + Sync),
) -> Result<Vec<T>, Error> {
    let next = AtomicUsize::new(0);
    let found: Mutex<Vec<Option<Result<T, Error>>>> = Mutex::new(jobs.iter().map(|_| None).collect());
    let failed = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..threads.max(1).min(jobs.len()) {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    let over = failed.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
                    let Some(job) = jobs.get(i).filter(|_| !over) else { break };
                    let outcome = run(job);
                    failed.fetch_or(outcome.is_err(), Ordering::Relaxed);
                    found.lock().unwrap_or_else(PoisonError::into_inner)[i] = Some(outcome);
                }
            });
        }
    });
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    // An error is told rather than that something was not run because of it.
    let mut outcomes = Vec::with_capacity(jobs.len());
    let mut missing = false;
    for outcome in found {
        match outcome {
            Some(outcome) => outcomes.push(outcome?),
            None => missing = true,
        }
    }
    if missing { Err(Error::Stopped) } else { Ok(outcomes) }
}

/// Nothing has the mean zero.
fn mean(values: impl Iterator<Item = f64>) -> f64 {
    some_mean(values).unwrap_or(0.0)
}

fn some_mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}
