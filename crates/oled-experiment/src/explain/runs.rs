//! Intervals and runs as a stream goes by, with the reasons for their beginnings and ends.

use indexmap::IndexMap;
use oled::calculus::unknown;
use oled::explain::{Explainer, Finding, Moment};
use oled::lang::Related;
use oled::logic::Stop;
use oled::{Frame, Precedence, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

use super::fluents::Fluents;
use super::report::{Effect, KINDS, Kind, Reason, Report};
use super::told::ToldLater;

type Key = (Signature, Box<[Value]>);

/// Follows the fluents of a stream. Of the past it knows what lasts, and the time point before, for each segment.
pub struct Runs {
    explainer: Explainer,
    fluents: Fluents,
    told_later: ToldLater,
    interleaved: bool,
    both: Precedence,
    at: Option<i64>,
    limit: usize,
    segments: IndexMap<Symbol, Segment, FxBuildHasher>,
    /// Of each kind: how many were looked at, how many reported, and how many were left out.
    opened: [usize; 3],
    reported: [usize; 3],
    more: [u64; 3],
    labelled: bool,
    /// The last time point up to the one that was asked for, and the first one after it.
    near: (Option<i64>, Option<i64>),
}

#[derive(Default)]
struct Segment {
    before: Option<Moment>,
    fluents: IndexMap<Key, [Option<Run>; 3], FxBuildHasher>,
}

/// Something that lasts.
struct Run {
    first: i64,
    /// Its explanation so far, where it is to have one.
    story: Option<Story>,
}

#[derive(Default)]
struct Story {
    reasons: Vec<Reason>,
    /// Which rules are watched for what is in their way.
    watched: Option<Effect>,
    points: u64,
    rules: Vec<Watched>,
    unobserved: IndexMap<Value, u64, FxBuildHasher>,
}

/// A rule that could have changed something.
struct Watched {
    rule: usize,
    first: Option<Finding>,
    /// How often each condition was false, by its place.
    often: IndexMap<usize, u64, FxBuildHasher>,
}

impl Runs {
    /// Nothing seen yet; with the rules about whole intervals. `at` is a time point that everything explained is part of; of each kind at most `limit` are.
    pub fn new(
        explainer: Explainer,
        (fluents, related): (Fluents, &[&Related]),
        (interleaved, both): (bool, Precedence),
        at: Option<i64>,
        limit: usize,
    ) -> Runs {
        let told_later = ToldLater::new(explainer.recogniser().told_later().collect(), related);
        let (segments, labelled) = (IndexMap::default(), false);
        let (opened, reported, more, near) = Default::default();
        Runs {
            explainer,
            fluents,
            told_later,
            interleaved,
            both,
            at,
            limit,
            segments,
            opened,
            reported,
            more,
            labelled,
            near,
        }
    }

    /// Takes note of whether there are labels at all.
    pub fn see_labels(&mut self, frame: &Frame) {
        self.labelled |= frame.annotation.iter().any(|(signature, _)| self.fluents.is_labelled(signature));
    }

    /// Whether there were labels of the fluents.
    pub fn is_labelled(&self) -> bool {
        self.labelled
    }

    /// How many of each kind were not reported.
    pub fn more(&self) -> [u64; 3] {
        self.more
    }

    /// Processes a frame; what is over is added to `ready`. Returns why that was not possible, if it was not.
    pub fn observe(&mut self, frame: &Frame, ready: &mut Vec<Report>) -> Option<Stop> {
        if !self.interleaved && !self.segments.contains_key(&frame.segment) {
            self.end_segments(false, ready);
        }
        let now = self.explainer.observe(frame);
        if let Some(stop) = self.explainer.recogniser().stop() {
            return Some(stop.clone());
        }
        self.tell((!self.interleaved).then_some(frame.segment), ready);
        let Segment { before, mut fluents } = self.segments.swap_remove(&frame.segment).unwrap_or_default();
        // What is recognised and what is labelled, of all that is or was either.
        let mut states: IndexMap<Key, (bool, bool), FxBuildHasher> =
            fluents.keys().map(|key| (key.clone(), (false, false))).collect();
        for (signature, values) in self.explainer.recogniser().holding() {
            if self.fluents.has(signature, values) {
                states.entry((signature, values.into())).or_default().0 = true;
            }
        }
        if self.at.is_some() {
            self.near = nearest(self.near, self.at, frame.time);
        }
        // What may be written in two orders is one fluent.
        let labels: Vec<_> = frame.annotation.iter().map(|(s, v)| (s, self.in_order(s, v))).collect();
        let asked = |s: Signature, v: &[Value]| self.fluents.is_labelled(s) && self.fluents.has(s, v);
        let late = labels.iter().filter(|(s, v)| self.told_later.has(*s) && asked(*s, v));
        let late: Vec<Key> = late.cloned().collect();
        self.told_later.label((frame.segment, frame.time), late.iter().map(|(s, v)| (*s, &**v)));
        for (signature, values) in &labels {
            if self.fluents.is_labelled(*signature)
                && self.fluents.has(*signature, values)
                && !self.told_later.has(*signature)
            {
                states.entry((*signature, (&**values).into())).or_default().1 = true;
            }
        }
        for (key, (recognised, labelled)) in states {
            let runs = fluents.entry(key.clone()).or_default();
            // Where the annotation does not know, nothing is missed and nothing is a false alarm.
            let not_known = unknown(key.0);
            let known = !labels.iter().any(|(s, values)| *s == not_known && **values == *key.1);
            let compared = self.fluents.is_labelled(key.0) && known;
            let step = Step {
                was_recognised: runs[Kind::Recognised as usize].is_some(),
                key: &key,
                before: before.as_ref(),
                now: Some(&now),
            };
            for kind in KINDS {
                let is = match kind {
                    Kind::Recognised => recognised,
                    Kind::Missed => compared && labelled && !recognised,
                    Kind::FalseAlarm => compared && recognised && !labelled,
                    Kind::Absent => continue,
                };
                match (&mut runs[kind as usize], is) {
                    (slot @ None, true) => *slot = Some(self.open(kind, &step, &now)),
                    (Some(run), true) => {
                        self.hold(run, &step);
                        self.watch(run, &step);
                    }
                    (slot @ Some(_), false) => {
                        let run = slot.take().expect("it was just seen");
                        self.close(kind, run, &step, false, ready);
                    }
                    (None, false) => {}
                }
            }
        }
        if self.at == Some(frame.time)
            && let Some(key) = self.fluents.one().map(|(s, values)| (s, self.in_order(s, &values)))
            && !fluents.get(&key).is_some_and(|runs| runs.iter().any(Option::is_some))
        {
            ready.push(self.absent(&key, before.as_ref(), &now));
        }
        fluents.retain(|_, runs| runs.iter().any(Option::is_some));
        self.segments.insert(frame.segment, Segment { before: Some(now), fluents });
        self.explainer.stop()
    }

    /// Tells of what followed from whole intervals at the frame observed last, and of segments that are over: all but one, if
    /// any is.
    fn tell(&mut self, but: Option<Symbol>, ready: &mut Vec<Report>) {
        let followed = self.explainer.recogniser().followed().to_vec();
        let asked = followed.iter().filter(|f| self.fluents.has(f.interval.signature, &f.interval.values));
        let mut found: Vec<Report> = Vec::new();
        for told in asked {
            found.push(self.told_later.tell(told, self.fluents.is_labelled(told.interval.signature)));
        }
        if but.is_some() {
            found.extend(self.told_later.settle(but));
        }
        found.retain(|report| self.at.is_none_or(|at| (report.first..=report.last).contains(&at)));
        for report in found {
            let kind = report.kind as usize;
            if self.reported[kind] < self.limit {
                self.reported[kind] += 1;
                ready.push(report);
            } else {
                self.more[kind] += 1;
            }
        }
    }

    /// Ends the stream; `stopped` if it goes on, and nothing more is known of it.
    pub fn finish(&mut self, stopped: bool, ready: &mut Vec<Report>) {
        self.end_segments(stopped, ready);
        if !stopped {
            self.explainer.finish();
            // No segment has this name.
            self.tell(Some(Symbol::new("\0")), ready);
        }
    }

    /// Ends all segments; `stopped` if the stream goes on.
    fn end_segments(&mut self, stopped: bool, ready: &mut Vec<Report>) {
        for (_, Segment { before, fluents }) in std::mem::take(&mut self.segments) {
            for (key, runs) in fluents {
                let step = Step { was_recognised: true, key: &key, before: before.as_ref(), now: None };
                for (kind, run) in KINDS.into_iter().zip(runs) {
                    if let Some(run) = run {
                        self.close(kind, run, &step, stopped, ready);
                    }
                }
            }
        }
    }

    /// The values of a fluent in the order that stands for both, where it may be written in two.
    fn in_order(&self, signature: Signature, values: &[Value]) -> Box<[Value]> {
        (&*self.explainer.recogniser().symmetries().in_order(signature, values)).into()
    }

    /// Why something does not hold at a time point that was asked for.
    fn absent(&mut self, key: &Key, before: Option<&Moment>, now: &Moment) -> Report {
        let story = Story { watched: Some(Effect::Begin), ..Story::default() };
        let mut run = Run { first: now.time, story: Some(story) };
        self.watch(&mut run, &Step { key, was_recognised: false, before, now: Some(now) });
        let reasons = run.story.map(|story| self.told(story, &key.1)).unwrap_or_default();
        let (segment, time) = (now.segment, now.time);
        let (signature, values) = key.clone();
        Report { kind: Kind::Absent, segment, signature, values, first: time, last: time, reasons }
    }

    /// The time points before and after the one that was asked for, where it was none.
    pub fn beside(&self) -> Option<(Option<i64>, Option<i64>)> {
        let at = self.at?;
        (!matches!(self.near, (Some(before), _) if before == at)).then_some(self.near)
    }

    fn open(&mut self, kind: Kind, step: &Step, now: &Moment) -> Run {
        let wanted = match self.at {
            Some(at) => now.time <= at,
            None => self.opened[kind as usize] < self.limit,
        };
        self.opened[kind as usize] += 1;
        let mut run = Run { first: now.time, story: None };
        if !wanted {
            return run;
        }
        let (signature, values) = step.key;
        let mut story = Story::default();
        let is_derived = self.explainer.is_derived(*signature);
        let mut begun = |effect: Effect| {
            let found = self.explainer.began(step.before, now, *signature, values).into_iter();
            found.map(move |finding| Reason::Fired(effect, finding))
        };
        match kind {
            Kind::Recognised => story.reasons.extend(begun(Effect::Begin)),
            Kind::Missed => {
                // What rules derive at each time point is watched below.
                let lasted = step.was_recognised && !is_derived;
                if let (true, Some(before)) = (lasted, step.before) {
                    story.reasons.extend(self.end(before, Some(now), *signature, values));
                } else if step.before.is_none() {
                    story.reasons.push(Reason::FromStart);
                }
                story.watched = Some(Effect::Begin);
            }
            Kind::FalseAlarm if !step.was_recognised || is_derived => {
                story.reasons.extend(begun(Effect::Begin));
            }
            Kind::FalseAlarm => {
                story.reasons.extend(step.before.map(|before| Reason::LabelEnded(before.time)));
                story.reasons.extend(begun(Effect::Renew));
                story.watched = Some(Effect::End);
            }
            Kind::Absent => unreachable!("what does not hold does not last"),
        }
        run.story = Some(story);
        self.watch(&mut run, step);
        run
    }

    /// What rules derive at each time point may go on by other rules than it began by: tells those of the time point that
    /// was asked for.
    fn hold(&mut self, run: &mut Run, step: &Step) {
        let (Some(story), Some(now)) = (&mut run.story, step.now) else { return };
        let (signature, values) = step.key;
        if self.at == Some(now.time) && story.watched.is_none() && self.explainer.is_derived(*signature) {
            let found = self.explainer.began(step.before, now, *signature, values);
            story.reasons.extend(found.into_iter().map(|finding| Reason::Fired(Effect::Hold, finding)));
        }
    }

    /// Counts what is in the way of the rules that could end a run.
    fn watch(&mut self, run: &mut Run, step: &Step) {
        let (Some(story), Some(now)) = (&mut run.story, step.now) else { return };
        let (signature, values) = step.key;
        // Of all these time points the first is shown, or the one that was asked for.
        let is_shown = story.points == 0 || self.at == Some(now.time);
        self.explainer.set_measuring(is_shown);
        let findings = match (story.watched, step.before) {
            (None, _) => return,
            (Some(Effect::End), Some(before)) => self.explainer.endings(before, *signature, values),
            (Some(Effect::End), None) => Vec::new(),
            (Some(_), before) => self.explainer.beginnings(before, now, *signature, values),
        };
        self.explainer.set_measuring(true);
        if story.watched == Some(Effect::Begin) {
            let unobserved = self.explainer.unobserved(now, *signature, values);
            if story.points == 0 && !unobserved.is_empty() && !step.was_recognised {
                let (points, often) = (0, Vec::new());
                story.reasons.push(Reason::Unobserved { values: unobserved.clone(), time: now.time, points, often });
            }
            if story.points == 0 && !step.was_recognised && !self.explainer.is_candidate(now, *signature, values) {
                story.reasons.push(Reason::NoCandidate(now.time));
            }
            unobserved.iter().for_each(|v| *story.unobserved.entry(*v).or_default() += 1);
            // What was started may have been ended by the same time point, if that wins.
            if let (true, Precedence::End, Some(before)) = (story.points == 0, self.both, step.before)
                && findings.iter().any(|f| f.fired)
            {
                let ended = self.explainer.endings(before, *signature, values).into_iter().filter(|f| f.fired);
                story.reasons.extend(ended.map(|f| Reason::Fired(Effect::End, f)));
            }
        }
        for finding in findings {
            let at = story.rules.iter().position(|w| w.rule == finding.rule).unwrap_or_else(|| {
                story.rules.push(Watched { rule: finding.rule, first: None, often: IndexMap::default() });
                story.rules.len() - 1
            });
            let watched = &mut story.rules[at];
            for condition in finding.conditions.iter().filter(|c| c.truth == Some(false)) {
                if let Some(place) = condition.place {
                    *watched.often.entry(place).or_default() += 1;
                }
            }
            if is_shown {
                watched.first = Some(finding);
            }
        }
        story.points += 1;
    }

    /// Why something stopped to hold after a moment.
    fn end(&mut self, last: &Moment, now: Option<&Moment>, signature: Signature, values: &[Value]) -> Vec<Reason> {
        if self.explainer.is_derived(signature) {
            let Some(now) = now else { return vec![Reason::SegmentEnded(last.time)] };
            let kept = self.explainer.beginnings(None, now, signature, values).into_iter().map(|finding| {
                let (rule, first) = (finding.rule, Some(finding));
                Reason::Kept { effect: Effect::Begin, rule, first, points: 0, often: Vec::new() }
            });
            return kept.collect();
        }
        let ended = self.explainer.ended(last, signature, values);
        let mut renewed = || !self.explainer.began(Some(last), last, signature, values).is_empty();
        if !ended.is_empty() && (self.both == Precedence::End || !renewed()) {
            return ended.into_iter().map(|finding| Reason::Fired(Effect::End, finding)).collect();
        }
        match now {
            Some(now) => {
                let unobserved = self.explainer.unobserved(now, signature, values);
                if unobserved.is_empty() && !self.explainer.is_candidate(now, signature, values) {
                    return vec![Reason::NoCandidate(now.time)];
                }
                let values = unobserved;
                vec![Reason::Unobserved { values, time: now.time, points: 0, often: Vec::new() }]
            }
            None => vec![Reason::SegmentEnded(last.time)],
        }
    }

    fn close(&mut self, kind: Kind, run: Run, step: &Step, stopped: bool, ready: &mut Vec<Report>) {
        let Some(before) = step.before else { unreachable!("what lasts has lasted since some time point") };
        let (first, last) = (run.first, before.time);
        if self.at.is_some_and(|at| !(first..=last).contains(&at)) {
            return;
        }
        let Some(story) = run.story.filter(|_| self.reported[kind as usize] < self.limit) else {
            self.more[kind as usize] += 1;
            return;
        };
        self.reported[kind as usize] += 1;
        let (signature, values) = (step.key.0, step.key.1.clone());
        let mut reasons = self.told(story, &values);
        if kind == Kind::Recognised {
            let end = if stopped { vec![Reason::Open] } else { self.end(before, step.now, signature, &values) };
            reasons.extend(end);
            let durations = self.explainer.recogniser().durations();
            if durations.is_short(signature, &values, (first, last)) {
                reasons.extend(durations.least(signature, &values).map(Reason::Short));
            }
        }
        ready.push(Report { kind, segment: before.segment, signature, values, first, last, reasons });
    }

    /// All that is known of a run, in order.
    fn told(&self, story: Story, values: &[Value]) -> Vec<Reason> {
        let Story { mut reasons, watched, points, rules, unobserved } = story;
        let Some(effect) = watched else { return reasons };
        let mut absent: Vec<(Value, u64)> = unobserved.into_iter().collect();
        absent.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        if !absent.is_empty() && points > 1 {
            // Beside what was not observed at first, if that was told.
            match reasons.iter_mut().find(|r| matches!(r, Reason::Unobserved { .. })) {
                Some(Reason::Unobserved { points: p, often, .. }) => (*p, *often) = (points, absent),
                _ => reasons.push(Reason::Unobserved { values: Vec::new(), time: 0, points, often: absent }),
            }
        }
        if rules.is_empty() {
            reasons.push(Reason::NoRule(effect));
        }
        for Watched { rule, first, often } in rules {
            if let Some(finding) = first.as_ref().filter(|f| f.fired) {
                reasons.push(Reason::Fired(Effect::Vain, finding.clone()));
            }
            let conditions = self.explainer.conditions(rule, values);
            let mut often: Vec<_> = often.into_iter().map(|(place, n)| (conditions[place].clone(), n)).collect();
            often.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
            let first = first.filter(|f| !f.fired);
            if first.is_some() || points > 1 && !often.is_empty() {
                reasons.push(Reason::Kept { effect, rule, first, points, often });
            }
        }
        reasons
    }
}

/// From a time point to the next, for one fluent.
struct Step<'a> {
    key: &'a Key,
    was_recognised: bool,
    before: Option<&'a Moment>,
    /// `None` where the segment ended.
    now: Option<&'a Moment>,
}

/// The time points next to one that is asked for, with one more.
fn nearest((before, after): (Option<i64>, Option<i64>), at: Option<i64>, time: i64) -> (Option<i64>, Option<i64>) {
    match at {
        Some(at) if time > at => (before, Some(after.map_or(time, |after| after.min(time)))),
        _ => (Some(before.map_or(time, |before| before.max(time))), after),
    }
}
