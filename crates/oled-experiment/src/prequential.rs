//! Prequential: each time point is recognised with the rules so far, then learned from; beside it, what it is worth to repeat
//! the last label.

use std::sync::Arc;

use oled::evaluate::LastLabel;
use oled::event::{Event, EventKind, Observer};
use oled::induce::Figures;
use oled::learn::RuleEvidence;
use oled::{
    Atom, Clause, Confusion, Evaluation, Frame, Learned, Learner, Literal, Problems, Recogniser, Signature, StateError,
    Symbol, Task, Theory, state,
};
use serde::{Deserialize, Serialize};

use crate::row::name;
use crate::{Curve, CurveEvent, CurvePoint, RuleStory, RuleTrust, Step};

/// A learner whose rules are put to work at once.
#[derive(Debug)]
pub struct Prequential {
    task: Task,
    learner: Box<dyn Learner>,
    recogniser: Recogniser,
    /// The rules that the recogniser has.
    active_rules: Arc<Theory>,
    /// What happened before the first frame, and is told with it.
    early: Vec<Event>,
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
        let mut early = Vec::new();
        let active_rules = active_rules(&mut *learner, &mut early).unwrap_or_default();
        Ok(Prequential {
            recogniser: Recogniser::new(task, &active_rules)?,
            task: task.clone(),
            active_rules,
            early,
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
        let mut events = std::mem::take(&mut self.early);
        self.learner.observe(frame, &mut events);
        let theory = active_rules(&mut *self.learner, &mut events);
        events.iter().for_each(|event| observer.on(event));
        if let Some(notes) = &mut self.notes {
            notes.events.append(&mut events);
            notes.frames += 1;
            if notes.frames.is_multiple_of(notes.step) {
                self.point();
            }
        }
        if let Some(theory) = theory.filter(|theory| !Arc::ptr_eq(theory, &self.active_rules)) {
            self.recogniser.adopt(&self.task, &theory)?;
            self.active_rules = theory;
        }
        Ok(())
    }

    /// Adds a point to all curves; where there are too many, every other one goes.
    fn point(&mut self) {
        let (counts, repeated) = (self.evaluation.by_fluent(), self.baseline.evaluation().by_fluent());
        let of_target = |target: Signature| {
            let about = |clause: &&Clause| fluent_of(&clause.head) == name(target);
            TargetPoint {
                counts: counts.get(&name(target)).copied().unwrap_or_default(),
                repeated: repeated.get(&name(target)).copied().unwrap_or_default(),
                rules: self.active_rules.clauses.iter().filter(about).count(),
            }
        };
        let targets = self.task.labels().into_iter().map(of_target).collect();
        let interpretation = self.learner.progress().interpretations;
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
        self.early.clear();
        self.active_rules = active_rules(&mut *self.learner, &mut self.early).unwrap_or_default();
        // The rules at work were made of the task's own modes.
        self.recogniser =
            Recogniser::new(&self.task, &self.active_rules).map_err(|_| StateError::new("its rules are not valid"))?;
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
    pub fn learned(&mut self, observer: &mut impl Observer) -> Learned {
        self.learner.learned(observer)
    }

    /// Ends the stream: how what was learned came about, under the names of a data set and a row; nothing unless it was
    /// asked for.
    pub fn finish(mut self, learned: &Learned, protocol: &str, row: &str) -> Story {
        if self.notes.as_ref().is_some_and(|notes| !notes.frames.is_multiple_of(notes.step)) {
            self.point();
        }
        let Some(notes) = &self.notes else { return Story::default() };
        let curves = self.task.labels().into_iter().enumerate().map(|(i, target)| {
            let of = |e: &&Event| fluent_of(&e.head) == name(target);
            let events = self.about_rules().filter(of).map(|e| CurveEvent {
                interpretation: e.interpretation,
                what: what(&e.what).into(),
                rule: rule_name(&e.head, e.rule),
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
        events.filter(|event| !matches!(event.what, EventKind::AssignmentOverflow { .. } | EventKind::Limited { .. }))
    }

    fn rule_stories(&self, learned: &Learned, protocol: &str, row: &str) -> Vec<RuleStory> {
        let mut stories: Vec<((usize, u64), RuleStory)> = Vec::new();
        let new = |head: &Atom, rule: u64| RuleStory {
            protocol: protocol.into(),
            row: row.into(),
            fluent: fluent_of(head).as_str().into(),
            id: rule_name(head, rule),
            ..RuleStory::default()
        };
        for event in self.about_rules() {
            let id = (event.process, event.rule);
            // Rules are numbered as they come, so a rule's events are near the end.
            let at = stories.iter().rposition(|(i, _)| *i == id).unwrap_or_else(|| {
                stories.push((id, new(&event.head, event.rule)));
                stories.len() - 1
            });
            let (step, head) = (step_of(event), &event.head);
            let story = &mut stories[at].1;
            story.text = if step.body.is_empty() { format!("{head}.") } else { format!("{head} :- {}.", step.body) };
            story.history.push(step);
        }
        for rule in &learned.rules {
            // A rule that only the last look at the stream has found has no history yet.
            let at = stories.iter().position(|(id, _)| *id == rule.id).unwrap_or_else(|| {
                stories.push((rule.id, new(&rule.clause.head, rule.id.1)));
                stories.len() - 1
            });
            let story = &mut stories[at].1;
            story.kept = true;
            story.text = rule.clause.to_string();
            match &rule.evidence {
                RuleEvidence::Counts(counted) => {
                    story.counts = Some((counted.stream.tp, counted.stream.fp, counted.stream.fn_));
                    story.score = Some(counted.score);
                    story.instances = Some(counted.instances);
                }
                RuleEvidence::Firings(fired) => story.counts = Some((fired.right as i64, fired.wrong as i64, 0)),
                RuleEvidence::Ablation(trust) => {
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
}

/// The rules of a learner that a recogniser should have now; none as long as a learner wants to see all of the stream first.
fn active_rules(learner: &mut dyn Learner, observer: &mut dyn Observer) -> Option<Arc<Theory>> {
    learner.capabilities().online.then(|| learner.theory(observer))
}

/// The fluent that rules with a head are about.
fn fluent_of(head: &Atom) -> Symbol {
    name(Signature::of(head))
}

/// `initiatedAt meeting #3`.
fn rule_name(head: &Atom, rule: u64) -> String {
    match Signature::of(head).inner_name() {
        Some(fluent) => format!("{} {} #{rule}", head.name.as_str(), fluent.as_str()),
        None => format!("{} #{rule}", head.name.as_str()),
    }
}

fn step_of(event: &Event) -> Step {
    let plain = Step { interpretation: event.interpretation, what: what(&event.what).into(), ..Step::default() };
    let decided = |clause: &Clause, f: &Figures| Step {
        body: joined(&clause.body),
        scores: Some((f.own, f.best)),
        bounds: Some((f.gap, f.epsilon, f.tau)),
        seen: Some(f.n),
        ..plain.clone()
    };
    match &event.what {
        EventKind::Expanded { to, figures, .. } => decided(to, figures),
        EventKind::Pruned { clause, figures } => decided(clause, figures),
        EventKind::Given { clause } => Step { body: joined(&clause.body), ..plain },
        EventKind::Chosen { clause, value } | EventKind::Dropped { clause, value } => {
            Step { body: joined(&clause.body), value: Some(*value), ..plain }
        }
        EventKind::Started { .. } | EventKind::AssignmentOverflow { .. } | EventKind::Limited { .. } => plain,
    }
}

/// Literals with commas between them.
fn joined(body: &[Literal]) -> String {
    body.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

fn what(what: &EventKind) -> &'static str {
    match what {
        EventKind::Given { .. } => "given",
        EventKind::Started { .. } => "started",
        EventKind::Expanded { .. } => "expanded",
        EventKind::Pruned { .. } => "pruned",
        EventKind::Chosen { .. } => "chosen",
        EventKind::Dropped { .. } => "dropped",
        EventKind::AssignmentOverflow { .. } => "too_many",
        EventKind::Limited { .. } => "limited",
    }
}
