//! Prequential: each time point is recognised with the rules so far, then learned from.

use std::fmt::Write as _;

use oled::event::{Event, Observer, What};
use oled::induce::{Decision, Mask};
use oled::{Confusion, Evaluation, Frame, Learned, Learner, Problems, Recogniser, Signature, Symbol, Task, Tracks};
use serde::{Deserialize, Serialize};

use crate::fold::timelines;
use crate::row::name;
use crate::{Curve, CurveEvent, CurvePoint, RuleStory, Step, Timeline};

/// A learner whose rules are put to work at once.
#[derive(Debug)]
pub struct Prequential {
    task: Task,
    learner: Learner,
    recogniser: Recogniser,
    /// The rules that the recogniser has: process, rule and body.
    at_work: Vec<(usize, u64, Mask)>,
    evaluation: Evaluation,
    /// What a story needs, if one is to be told; it grows with the stream.
    notes: Option<Notes>,
}

#[derive(Debug)]
struct Notes {
    tracks: Tracks,
    events: Vec<Event>,
    points: Vec<Point>,
    /// Time points between two points, and time points so far.
    step: u64,
    frames: u64,
}

/// A point of all curves.
#[derive(Debug)]
struct Point {
    interpretation: u64,
    /// The counts so far and the rules at work, of each target.
    targets: Vec<(Confusion, usize)>,
}

/// Curves have at least so many points, and at most twice as many, where the stream has.
const POINTS: usize = 200;

/// How a theory came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// F1 over the stream, for each fluent.
    pub curves: Vec<Curve>,
    /// All rules that there ever were.
    pub rules: Vec<RuleStory>,
    /// Truth and recognition on the way.
    pub timelines: Vec<Timeline>,
}

impl Prequential {
    /// Learns with `learner`; keeps what is needed to tell how it came about only if a story is wanted.
    pub fn new(task: &Task, learner: Learner, story: bool) -> Result<Prequential, Problems> {
        let targets = task.labels();
        let tracks = || Tracks::new(&targets);
        let notes = || Notes { tracks: tracks(), events: Vec::new(), points: Vec::new(), step: 1, frames: 0 };
        let mut this = Prequential {
            recogniser: Recogniser::new(task, &learner.learned().theory())?,
            task: task.clone(),
            learner,
            at_work: Vec::new(),
            evaluation: Evaluation::new(&targets),
            notes: story.then(notes),
        };
        this.at_work = this.rules();
        Ok(this)
    }

    /// Recognises what holds at a frame, compares it with the labels, then learns from them.
    pub fn observe(&mut self, frame: &Frame, observer: &mut impl Observer) -> Result<(), Problems> {
        self.recogniser.observe(frame, &mut Vec::new());
        self.evaluation.count(&self.recogniser, frame);
        let mut events = Vec::new();
        self.learner.observe(frame, &mut events);
        self.learner.flush(&mut events);
        events.iter().for_each(|event| observer.on(event));
        if let Some(notes) = &mut self.notes {
            notes.tracks.add(&self.recogniser, frame);
            notes.events.append(&mut events);
            notes.frames += 1;
            if notes.frames.is_multiple_of(notes.step) {
                self.point();
            }
        }
        let rules = self.rules();
        if rules != self.at_work {
            self.recogniser.adopt(&self.task, &self.learner.learned().theory())?;
            self.at_work = rules;
        }
        Ok(())
    }

    fn rules(&self) -> Vec<(usize, u64, Mask)> {
        let processes = self.learner.processes();
        processes.iter().flat_map(|p| p.output().into_iter().map(|r| (p.number, r.id, r.body))).collect()
    }

    /// Adds a point to all curves; where there are too many, every other one goes.
    fn point(&mut self) {
        let counts = self.evaluation.by_fluent();
        let of_target = |target: Signature| {
            let about = |process: usize| self.fluent_of(process) == name(target);
            let rules = self.at_work.iter().filter(|(process, ..)| about(*process)).count();
            (counts.get(&name(target)).copied().unwrap_or_default(), rules)
        };
        let targets = self.task.labels().into_iter().map(of_target).collect();
        let interpretation = self.learner.observed();
        if let Some(notes) = &mut self.notes {
            notes.points.push(Point { interpretation, targets });
            if notes.points.len() >= 2 * POINTS {
                // The second, the fourth, and so on: those at which the longer step would have been due.
                let mut keep = true;
                notes.points.retain(|_| {
                    keep = !keep;
                    keep
                });
                notes.step *= 2;
            }
        }
    }

    /// What was counted so far.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// The learner.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// Ends the stream: how it all came about, under the names of a data set and a row; nothing unless it was asked for.
    pub fn finish(mut self, protocol: &str, row: &str) -> Story {
        if self.notes.as_ref().is_some_and(|notes| !notes.frames.is_multiple_of(notes.step)) {
            self.point();
        }
        let Some(notes) = &self.notes else { return Story::default() };
        let curves = self.task.labels().into_iter().enumerate().map(|(i, target)| {
            let of = |e: &&Event| self.fluent_of(e.process) == name(target);
            let events = self.about_rules().filter(of).map(|e| CurveEvent {
                interpretation: e.interpretation,
                what: what(&e.what).into(),
                rule: self.rule_name(e),
            });
            let mut before = Confusion::default();
            let points = notes.points.iter().map(|point| {
                let (now, rules) = point.targets[i];
                let since = Confusion { tp: now.tp - before.tp, fp: now.fp - before.fp, fn_: now.fn_ - before.fn_ };
                before = now;
                let recent = (since != Confusion::default()).then(|| since.f1());
                CurvePoint { interpretation: point.interpretation, f1: now.f1(), recent, rules }
            });
            Curve {
                protocol: protocol.into(),
                row: row.into(),
                fluent: name(target).as_str().into(),
                points: points.collect(),
                events: events.collect(),
            }
        });
        Story {
            curves: curves.collect(),
            rules: self.rule_stories(&self.learner.learned(), protocol, row),
            timelines: timelines(&notes.tracks, protocol, row),
        }
    }

    fn about_rules(&self) -> impl Iterator<Item = &Event> {
        let events = self.notes.iter().flat_map(|notes| &notes.events);
        events.filter(|event| !matches!(event.what, What::TooMany { .. }))
    }

    fn fluent_of(&self, process: usize) -> Symbol {
        name(Signature::of(&self.learner.processes()[process].head))
    }

    fn rule_name(&self, event: &Event) -> String {
        rule_name(&self.learner, event.process, event.rule)
    }

    fn rule_stories(&self, learned: &Learned, protocol: &str, row: &str) -> Vec<RuleStory> {
        let mut stories: Vec<((usize, u64), RuleStory)> = Vec::new();
        for event in self.about_rules() {
            let id = (event.process, event.rule);
            // Rules are numbered as they come, so a rule's events are near the end.
            let at = stories.iter().rposition(|(i, _)| *i == id).unwrap_or_else(|| {
                stories.push((
                    id,
                    RuleStory {
                        protocol: protocol.into(),
                        row: row.into(),
                        fluent: self.fluent_of(event.process).as_str().into(),
                        id: self.rule_name(event),
                        ..RuleStory::default()
                    },
                ));
                stories.len() - 1
            });
            let step = self.step_of(event);
            let head = &self.learner.processes()[event.process].head;
            let story = &mut stories[at].1;
            story.text = if step.body.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", step.body) };
            story.history.push(step);
        }
        for rule in &learned.rules {
            if let Some((_, story)) = stories.iter_mut().find(|(id, _)| *id == rule.id) {
                story.kept = true;
                story.text = rule.clause.to_string();
                story.counts = Some((rule.stream.tp, rule.stream.fp, rule.stream.fn_));
                story.score = Some(rule.score);
                story.instances = Some(rule.instances);
            }
        }
        stories.into_iter().map(|(_, story)| story).collect()
    }

    fn step_of(&self, event: &Event) -> Step {
        let table = self.learner.table(event.process);
        let body = |mask: Mask| {
            let mut text = String::new();
            for (i, literal) in table.body(mask).iter().enumerate() {
                let comma = if i > 0 { ", " } else { "" };
                let _ = write!(text, "{comma}{literal}");
            }
            text
        };
        let decided = |mask: Mask, d: &Decision| Step {
            interpretation: event.interpretation,
            what: what(&event.what).into(),
            body: body(mask),
            scores: Some((d.own, d.best)),
            bounds: Some((d.gap, d.epsilon, d.tau)),
            seen: Some(d.n),
        };
        match &event.what {
            What::Expanded { decision, .. } => decided(decision.body, decision),
            What::Pruned { body, decision } => decided(*body, decision),
            What::Given { body: given } => Step {
                interpretation: event.interpretation,
                what: what(&event.what).into(),
                body: body(*given),
                ..Step::default()
            },
            What::Started { .. } | What::TooMany { .. } => {
                Step { interpretation: event.interpretation, what: what(&event.what).into(), ..Step::default() }
            }
        }
    }
}

fn what(what: &What) -> &'static str {
    match what {
        What::Given { .. } => "given",
        What::Started { .. } => "started",
        What::Expanded { .. } => "expanded",
        What::Pruned { .. } => "pruned",
        What::TooMany { .. } => "too_many",
    }
}

/// `initiatedAt meeting #3`.
fn rule_name(learner: &Learner, process: usize, rule: u64) -> String {
    let head = &learner.processes()[process].head;
    match Signature::of(head).inner_name() {
        Some(fluent) => format!("{} {} #{rule}", head.name.as_str(), fluent.as_str()),
        None => format!("{} #{rule}", head.name.as_str()),
    }
}
