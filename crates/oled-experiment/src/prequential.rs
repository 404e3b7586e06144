//! Prequential: each time point is recognised with the rules so far, then learned from; beside it, what it is worth to repeat
//! the last label.

use oled::evaluate::LastLabel;
use oled::event::{Event, Observer, What};
use oled::induce::{Decision, Mask};
use oled::learn::Grounds;
use oled::{
    Atom, Confusion, Evaluation, Frame, Learned, Learner, Literal, Problems, Recogniser, Signature, StateError, Symbol,
    Task, state,
};
use serde::{Deserialize, Serialize};

use crate::row::name;
use crate::{Curve, CurveEvent, CurvePoint, RuleStory, RuleTrust, Step};

/// A learner whose rules are put to work at once.
#[derive(Debug)]
pub struct Prequential {
    task: Task,
    learner: Box<dyn Learner>,
    heads: Vec<Atom>,
    recogniser: Recogniser,
    /// The rules that the recogniser has: head, number and body.
    at_work: Vec<(usize, u64, Mask)>,
    evaluation: Evaluation,
    /// What it would be worth to know nothing, and to repeat the labels of the time point before.
    baseline: LastLabel,
    /// What a story needs, if one is to be told; it grows with the number of decisions about rules.
    notes: Option<Notes>,
}

#[derive(Debug)]
struct Notes {
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
    /// For each target.
    targets: Vec<TargetPoint>,
}

/// A point of the curve of one target.
#[derive(Clone, Copy, Debug)]
struct TargetPoint {
    /// The counts so far.
    counts: Confusion,
    /// The same, had the last labels been repeated.
    repeated: Confusion,
    /// The rules at work.
    rules: usize,
}

/// Curves have at least so many points, and at most twice as many, where the stream has.
const POINTS: usize = 200;

/// F1 of late is that of so many points: a twentieth of the stream at most. Single points have too little to recognise.
const LATELY: usize = 10;

/// How a theory came about.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Story {
    /// F1 over the stream, for each fluent.
    pub curves: Vec<Curve>,
    /// All rules that there ever were.
    pub rules: Vec<RuleStory>,
}

impl Prequential {
    /// Learns with `learner`; keeps what is needed to tell how it came about only if a story is wanted.
    pub fn new(task: &Task, mut learner: Box<dyn Learner>, story: bool) -> Result<Prequential, Problems> {
        let targets = task.labels();
        let notes = || Notes { events: Vec::new(), points: Vec::new(), step: 1, frames: 0 };
        Ok(Prequential {
            recogniser: Recogniser::new(task, &learner.theory())?,
            task: task.clone(),
            heads: learner.heads(),
            at_work: learner.at_work(),
            learner,
            evaluation: Evaluation::new(&targets),
            baseline: LastLabel::new(&targets),
            notes: story.then(notes),
        })
    }

    /// Recognises what holds at a frame, compares it with the labels, then learns from them.
    pub fn observe(&mut self, frame: &Frame, observer: &mut impl Observer) -> Result<(), Problems> {
        self.recogniser.observe(frame, &mut Vec::new());
        self.evaluation.count(&self.recogniser, frame);
        self.baseline.count(self.recogniser.symmetries(), frame);
        let mut events = Vec::new();
        self.learner.observe(frame, &mut events);
        self.learner.flush(&mut events);
        events.iter().for_each(|event| observer.on(event));
        if let Some(notes) = &mut self.notes {
            notes.events.append(&mut events);
            notes.frames += 1;
            if notes.frames.is_multiple_of(notes.step) {
                self.point();
            }
        }
        let rules = self.learner.at_work();
        if rules != self.at_work {
            self.recogniser.adopt(&self.task, &self.learner.theory())?;
            self.at_work = rules;
        }
        Ok(())
    }

    /// Adds a point to all curves; where there are too many, every other one goes.
    fn point(&mut self) {
        let (counts, repeated) = (self.evaluation.by_fluent(), self.baseline.evaluation().by_fluent());
        let of_target = |target: Signature| {
            let about = |process: usize| self.fluent_of(process) == name(target);
            TargetPoint {
                counts: counts.get(&name(target)).copied().unwrap_or_default(),
                repeated: repeated.get(&name(target)).copied().unwrap_or_default(),
                rules: self.at_work.iter().filter(|(process, ..)| about(*process)).count(),
            }
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

    /// What is known so far, for [`Prequential::restore`]; `None` where the learner cannot be saved, and where a story is to
    /// be told, which needs all of the stream.
    pub fn save(&mut self, observer: &mut impl Observer) -> Option<Vec<u8>> {
        let learner = self.learner.save(observer).filter(|_| self.notes.is_none())?;
        Some(state::encode(&(learner, self.recogniser.save(), self.evaluation.save(), self.baseline.save())))
    }

    /// Goes on where another of the same task and learner was saved.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        type Parts = (Vec<u8>, Vec<u8>, Vec<u8>, Vec<u8>);
        let (learner, recogniser, evaluation, baseline): Parts = state::decode(bytes)?;
        self.learner.restore(&learner)?;
        self.at_work = self.learner.at_work();
        let theory = self.learner.theory();
        // The rules at work were made of the task's own modes.
        self.recogniser =
            Recogniser::new(&self.task, &theory).map_err(|_| StateError::new("its rules are not valid"))?;
        self.recogniser.restore(&recogniser)?;
        self.evaluation.restore(&evaluation)?;
        self.baseline.restore(&baseline)
    }

    /// What was counted so far.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// What would have been counted, had the labels of the time point before been repeated.
    pub fn repeated(&self) -> &Evaluation {
        self.baseline.evaluation()
    }

    /// The learner.
    pub fn learner(&mut self) -> &mut dyn Learner {
        &mut *self.learner
    }

    /// What was learned, and how far it can be trusted.
    pub fn learned(&mut self) -> Learned {
        let mut learned = self.learner.learned();
        self.learner.examine(&mut learned);
        learned
    }

    /// Ends the stream: how what was learned came about, under the names of a data set and a row; nothing unless it was
    /// asked for.
    pub fn finish(mut self, learned: &Learned, protocol: &str, row: &str) -> Story {
        if self.notes.as_ref().is_some_and(|notes| !notes.frames.is_multiple_of(notes.step)) {
            self.point();
        }
        let Some(notes) = &self.notes else { return Story::default() };
        let curves = self.task.labels().into_iter().enumerate().map(|(i, target)| {
            let of = |e: &&Event| self.fluent_of(e.process) == name(target);
            let events = self.about_rules().filter(of).map(|e| CurveEvent {
                interpretation: e.interpretation,
                what: what(&e.what).into(),
                rule: self.rule_name((e.process, e.rule)),
            });
            let of_target: Vec<TargetPoint> = notes.points.iter().map(|point| point.targets[i]).collect();
            let points = notes.points.iter().enumerate().map(|(at, point)| {
                let TargetPoint { counts: now, repeated, rules } = of_target[at];
                let before = at.checked_sub(LATELY).map(|at| of_target[at].counts).unwrap_or_default();
                let since = Confusion { tp: now.tp - before.tp, fp: now.fp - before.fp, fn_: now.fn_ - before.fn_ };
                // Where nothing was to be found, F1 says nothing.
                let recent = (since.tp + since.fn_ > 0).then(|| since.f1());
                let interpretation = point.interpretation;
                CurvePoint { interpretation, f1: now.f1(), recent, repeated: repeated.f1(), rules }
            });
            Curve {
                protocol: protocol.into(),
                row: row.into(),
                fluent: name(target).as_str().into(),
                points: points.collect(),
                events: events.collect(),
            }
        });
        Story { curves: curves.collect(), rules: self.rule_stories(learned, protocol, row) }
    }

    fn about_rules(&self) -> impl Iterator<Item = &Event> {
        let events = self.notes.iter().flat_map(|notes| &notes.events);
        events.filter(|event| !matches!(event.what, What::TooMany { .. } | What::Limited { .. }))
    }

    fn fluent_of(&self, process: usize) -> Symbol {
        name(Signature::of(&self.heads[process]))
    }

    /// `initiatedAt meeting #3`.
    fn rule_name(&self, (head, rule): (usize, u64)) -> String {
        let head = &self.heads[head];
        match Signature::of(head).inner_name() {
            Some(fluent) => format!("{} {} #{rule}", head.name.as_str(), fluent.as_str()),
            None => format!("{} #{rule}", head.name.as_str()),
        }
    }

    fn rule_stories(&self, learned: &Learned, protocol: &str, row: &str) -> Vec<RuleStory> {
        let mut stories: Vec<((usize, u64), RuleStory)> = Vec::new();
        let new = |id: (usize, u64)| RuleStory {
            protocol: protocol.into(),
            row: row.into(),
            fluent: self.fluent_of(id.0).as_str().into(),
            id: self.rule_name(id),
            ..RuleStory::default()
        };
        for event in self.about_rules() {
            let id = (event.process, event.rule);
            // Rules are numbered as they come, so a rule's events are near the end.
            let at = stories.iter().rposition(|(i, _)| *i == id).unwrap_or_else(|| {
                stories.push((id, new(id)));
                stories.len() - 1
            });
            let step = self.step_of(event);
            let head = &self.heads[event.process];
            let story = &mut stories[at].1;
            story.text = if step.body.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", step.body) };
            story.history.push(step);
        }
        for rule in &learned.rules {
            // A rule that only the last look at the stream has found has no history yet.
            let at = stories.iter().position(|(id, _)| *id == rule.id).unwrap_or_else(|| {
                stories.push((rule.id, new(rule.id)));
                stories.len() - 1
            });
            let story = &mut stories[at].1;
            story.kept = true;
            story.text = rule.clause.to_string();
            match &rule.grounds {
                Grounds::Counted(counted) => {
                    story.counts = Some((counted.stream.tp, counted.stream.fp, counted.stream.fn_));
                    story.score = Some(counted.score);
                    story.instances = Some(counted.instances);
                }
                Grounds::Fired(fired) => story.counts = Some((fired.right as i64, fired.wrong as i64, 0)),
                Grounds::Replayed(trust) => {
                    story.trust = Some(RuleTrust::from(*trust));
                    if story.history.last().is_none_or(|step| step.what != "chosen") {
                        story.history.push(Step {
                            interpretation: learned.interpretations,
                            what: "chosen".into(),
                            body: joined(&rule.clause.body),
                            ..Step::default()
                        });
                    }
                }
            }
        }
        stories.into_iter().map(|(_, story)| story).collect()
    }

    fn step_of(&self, event: &Event) -> Step {
        let body = |mask: &Mask| joined(&self.learner.body(event.process, mask.clone()));
        let plain = Step { interpretation: event.interpretation, what: what(&event.what).into(), ..Step::default() };
        let decided = |mask: &Mask, d: &Decision| Step {
            body: body(mask),
            scores: Some((d.own, d.best)),
            bounds: Some((d.gap, d.epsilon, d.tau)),
            seen: Some(d.n),
            ..plain.clone()
        };
        match &event.what {
            What::Expanded { decision, .. } => decided(&decision.body, decision),
            What::Pruned { body, decision } => decided(body, decision),
            What::Given { body: given } => Step { body: body(given), ..plain },
            What::Chosen { clause, value } | What::Dropped { clause, value } => {
                Step { body: joined(&clause.body), value: Some(*value), ..plain }
            }
            What::Started { .. } | What::TooMany { .. } | What::Limited { .. } => plain,
        }
    }
}

/// Literals with commas between them.
fn joined(body: &[Literal]) -> String {
    body.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn what(what: &What) -> &'static str {
    match what {
        What::Given { .. } => "given",
        What::Started { .. } => "started",
        What::Expanded { .. } => "expanded",
        What::Pruned { .. } => "pruned",
        What::Chosen { .. } => "chosen",
        What::Dropped { .. } => "dropped",
        What::TooMany { .. } => "too_many",
        What::Limited { .. } => "limited",
    }
}
