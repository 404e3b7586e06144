//! The learner: one record of the stream, one search for each fluent.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde::{Deserialize, Serialize};

use super::classes::{Allowed, Scope};
use super::fluent::{Choice, FluentSearch, Limits, Outcome, definition_of};
use super::layout::Layout;
use super::literal::{Lit, Rule, Slot};
use super::objective::Fit;
use super::recognised::{About, Recognised, Replaced, What as Seen, recognise};
use super::record::{Record, RecordState, Segment};
use super::runs::Definition;
use super::settings::ReplaySettings;
use super::watch::Watch;
use crate::evaluate::Confusion;
use crate::event::{Event, Observer, What};
use crate::induce::{Column, LiteralTable, Mask, RuleKind};
use crate::lang::{Atom, Clause, Literal, Problems, Symbol, Theory, Value};
use crate::learn::{
    Capabilities, Cover, CoverState, FluentFit, Grounds, Head, HeldOut, Learned, LearnedRule, Learner, Progress, Sight,
    Sights, Supervision, TooMany, Trust, heads,
};
use crate::state::{StateError, decode, encode, ensure, ensure_counts};
use crate::stream::Frame;
use crate::task::Task;

/// Learns event definitions by replay: the default learner.
///
/// ```
/// use oled::{FactReader, Frame, Learner, Replay, ReplaySettings, Source, Symbol, Task};
/// let modes = Source::new("modes.lp", "
///     input(happensAt(opens(+door), +time)). input(happensAt(shuts(+door), +time)).
///     input(door(+door, +time)). example(holdsAt(open(+door), +time)).
///     modeh(initiatedAt(open(+door), +time)). modeh(terminatedAt(open(+door), +time)).
///     modeb(happensAt(opens(+door), +time)). modeb(happensAt(shuts(+door), +time)).");
/// let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
/// let mut learner = Replay::new(&task, ReplaySettings::default()).unwrap();
/// for day in ["monday", "tuesday", "wednesday"] {
///     for time in 0..9 {
///         let mut frame = Frame::new(Symbol::new(day), time);
///         let mut fact = |text: &str| FactReader::default().read(&format!("{text}, {time})"), &mut frame.narrative);
///         fact("door(d1").unwrap();
///         if time == 2 { fact("happensAt(opens(d1)").unwrap(); }
///         if time == 6 { fact("happensAt(shuts(d1)").unwrap(); }
///         if (3..=6).contains(&time) {
///             FactReader::default().read(&format!("holdsAt(open(d1), {time})"), &mut frame.annotation).unwrap();
///         }
///         learner.observe(&frame, &mut ());
///     }
/// }
/// assert_eq!(learner.learned(&mut ()).theory().to_string(), "\
/// initiatedAt(open(X0), T) :-
///     happensAt(opens(X0), T).
///
/// terminatedAt(open(X0), T) :-
///     happensAt(shuts(X0), T).
/// ");
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    pub(super) settings: ReplaySettings,
    threads: usize,
    pub(super) heads: Vec<Head>,
    pub(super) cover: Cover,
    /// The time point that was seen last.
    sight: Sight,
    pub(super) record: Record,
    pub(super) targets: Vec<Target>,
    /// What the last search for rules at work came to, for each target; none if there was none.
    last: Vec<Outcome>,
    /// Runs recorded when it was, and when the last one was that started from nothing.
    searched: u64,
    searched_all: u64,
    at_work: Vec<AtWork>,
    /// All rules that ever were at work, by head: their place is their number.
    known: Vec<Vec<Clause>>,
    /// The variables that were told to have too many assignments.
    pub(super) told: Vec<(usize, usize)>,
    /// The targets whose rules were told to have reached a limit.
    limited: Vec<usize>,
    /// Who may end a search early, and who is told how far it is.
    supervision: Supervision,
    /// The rules at work, as a theory.
    theory: Arc<Theory>,
}

/// A fluent, or a predicate, whose rules are learned.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) name: Symbol,
    pub(super) group: usize,
    place: usize,
    /// Its literals that are about targets before it, and those that may not be used.
    about: Vec<About>,
    pub(super) left_out: Mask,
    /// The literals that are meant for the rules of each kind.
    pub(super) allowed: Vec<Allowed>,
    /// What rules make it persist, and whether it may hold while something is true.
    persists: Vec<RuleKind>,
    holds_while: bool,
    /// What the modes declare, if it is one of the two.
    declared: Option<Definition>,
    /// Rules to start from.
    start: Vec<Rule>,
}

/// A rule of the theory as of the last search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct AtWork {
    head: usize,
    number: u64,
    clause: Clause,
}

/// Rules at work are looked at anew when this share of the runs is new, but not for fewer than so many.
const NEW_SHARE: u64 = 8;
const NEW_RUNS: u64 = 64;

impl Replay {
    /// A learner for the heads of a task.
    pub fn new(task: &Task, settings: ReplaySettings) -> Result<Replay, Problems> {
        let variables = settings.variables;
        let (mut heads, mut cover) = heads(task, true, |_| Sights { variables, observed_next: false })?;
        cover.set_limits(settings.max_instances, settings.max_steps);
        let groups = cover.group_count();
        let mut targets: Vec<Target> = Vec::new();
        for number in 0..cover.target_count() {
            let group = cover.group(number);
            let head = heads.iter().find(|h| h.target == number).expect("a target has a head");
            let place = targets.iter().filter(|t| t.group == group).count();
            let (about, left_out) = about_targets(&cover, number);
            let kinds: Vec<RuleKind> = heads.iter().filter(|h| h.target == number).map(|h| h.kind).collect();
            let (holds, mut persists): (Vec<RuleKind>, Vec<RuleKind>) =
                kinds.into_iter().partition(|kind| *kind == RuleKind::Direct);
            let mut holds_while = !holds.is_empty() || may_hold_while(&cover, number);
            // Values of a fluent are all defined in one way: where some may persist, all do.
            let label = cover.label(number);
            let of_label = |h: &&Head| cover.label(h.target) == label && h.target != number;
            if heads.iter().filter(of_label).any(|h| h.kind != RuleKind::Direct) {
                holds_while &= task.options.kinds.get(&head.name) == Some(&Definition::While);
            }
            match task.options.kinds.get(&head.name) {
                Some(Definition::Persists) if !persists.is_empty() => holds_while = false,
                Some(Definition::While) if holds_while => persists.clear(),
                _ => {}
            }
            let declared = match (holds.is_empty(), persists.is_empty()) {
                (true, false) => Some(Definition::Persists),
                (_, true) => Some(Definition::While),
                (false, false) => None,
            };
            targets.push(Target {
                name: head.name,
                group,
                place,
                about,
                left_out,
                allowed: Vec::new(),
                persists,
                holds_while,
                declared,
                start: Vec::new(),
            });
        }
        let declared = |t: &usize| heads.iter().any(|h| h.target == *t && h.kind == RuleKind::Direct);
        let whiles: Vec<Head> = (0..targets.len())
            .filter(|t| targets[*t].holds_while && !declared(t))
            .filter_map(|t| heads.iter().find(|h| h.target == t).map(Head::while_head))
            .collect();
        heads.extend(whiles);
        for head in &heads {
            let table = cover.table(head.target);
            let (closed, open) = (table.allowed(&head.atom), table.open_allowed(&head.atom));
            targets[head.target].allowed.push(Allowed { kind: head.kind, closed, open });
        }
        let (memory, losses) = (settings.memory.clone(), cover.losses());
        let slots = (0..groups).map(|g| cover.gauges(g).iter().map(Slot::from).collect()).collect();
        let layouts = (0..groups).map(|g| Layout::new(cover.words(g), cover.gauges(g).len())).collect();
        let record = Record::new(memory, (slots, layouts), losses, targets.len(), task.options.interleaved);
        Ok(Replay {
            settings,
            threads: 1,
            known: vec![Vec::new(); heads.len()],
            heads,
            cover,
            sight: Sight::default(),
            record,
            targets,
            last: Vec::new(),
            searched: 0,
            searched_all: 0,
            at_work: Vec::new(),
            told: Vec::new(),
            limited: Vec::new(),
            supervision: Supervision::default(),
            theory: Arc::default(),
        })
    }

    /// Searches on so many threads. What is learned does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Replay {
        self.threads = threads.max(1);
        self
    }

    /// The stream as it is remembered.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Adds what another learner of the same task and with the same memory has seen, as if this one had seen its segments too.
    ///
    /// What is learned from then on is the same for every way to deal out whole segments to learners, and for every order in
    /// which these are merged; with a `window`, or with `forget`, the segments of `other` count as the later ones. Segments
    /// that `other` was in the middle of end. An error says that the other learner is of another task.
    ///
    /// ```
    /// # use oled::{Learner, Replay, ReplaySettings, Source, Task};
    /// # let modes = Source::new("modes.lp", "input(happensAt(opens(+door), +time)). example(holdsAt(open(+door), +time)).
    /// #     modeh(initiatedAt(open(+door), +time)). modeb(happensAt(opens(+door), +time)).");
    /// # let task = Task::parse(&modes, &Source::new("background.lp", "")).unwrap();
    /// let mut here = Replay::new(&task, ReplaySettings::default()).unwrap();
    /// let there = Replay::new(&task, ReplaySettings::default()).unwrap();
    /// // Each observes frames of its own.
    /// here.merge(&there).unwrap();
    /// ```
    pub fn merge(&mut self, other: &Replay) -> Result<(), StateError> {
        let heads = |learner: &Replay| learner.heads.iter().map(|head| head.atom.to_string()).collect::<Vec<_>>();
        let literals = |learner: &Replay| {
            let tables = (0..learner.targets.len()).map(|target| learner.table(target));
            tables.flat_map(|table| table.literals().iter().map(Literal::to_string)).collect::<Vec<_>>()
        };
        ensure(heads(self) == heads(other), "the heads of the other learner")?;
        ensure(literals(self) == literals(other), "the literals of the other learner")?;
        ensure(self.record.is_like(&other.record), "the gauges and the memory of the other learner")?;
        self.cover.join(&other.cover);
        self.record.merge(other.record.clone());
        let told = other.told.iter().filter(|told| !self.told.contains(told)).copied().collect::<Vec<_>>();
        self.told.extend(told);
        self.told.sort_unstable();
        Ok(())
    }

    /// How a theory does on what is remembered: for each fluent the time points at which it is recognised and annotated,
    /// recognised only, and annotated only. Its rules are made of the literals of the modes.
    pub fn replay(&self, theory: &Theory) -> Result<Vec<(Symbol, Confusion)>, Problems> {
        let mut rules: Vec<Vec<Rule>> = vec![Vec::new(); self.targets.len()];
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            match self.given(clause) {
                Ok((target, rule)) => rules[target].push(rule),
                Err(problem) => problems.push(problem),
            }
        }
        Problems::check(problems)?;
        let fits = self.fits_of(&rules);
        Ok(self.targets.iter().zip(fits).map(|(t, fit)| (t.name, fit.counts())).collect())
    }

    /// How the rules of each target fit, exactly.
    fn fits_of(&self, rules: &[Vec<Rule>]) -> Vec<Fit> {
        self.outcomes(Some(rules), |target, search| {
            let rules = rules[target].clone();
            Outcome { fit: search.fit(&rules, self.definition(target, &rules)), rules, ..Outcome::default() }
        })
        .into_iter()
        .map(|outcome| outcome.fit)
        .collect()
    }

    /// The heads that its rules have, by their numbers.
    pub fn heads(&self) -> Vec<Atom> {
        self.heads.iter().map(|head| head.atom.clone()).collect()
    }

    /// The literals that the rules of a head are made of, those with open thresholds left out.
    pub fn literals(&self, head: usize) -> &[Literal] {
        self.table(self.heads[head].target).literals()
    }

    /// Searches for the rules at work now, near those of the last search where that is enough: for benchmarks.
    #[doc(hidden)]
    pub fn search_again(&mut self) {
        self.update(&mut ());
    }

    pub(super) fn table(&self, target: usize) -> &LiteralTable {
        self.cover.table(target)
    }

    pub(super) fn head(&self, target: usize, kind: RuleKind) -> Option<usize> {
        self.heads.iter().position(|h| h.target == target && h.kind == kind)
    }

    /// The number of the head that the rules of a kind have; those that say while what a fluent holds have one after all
    /// others.
    pub(super) fn head_of(&self, target: usize, kind: RuleKind) -> usize {
        self.head(target, kind).unwrap_or_else(|| {
            let whiles = self.heads.iter().position(|h| h.kind == RuleKind::Direct && h.target == target);
            whiles.expect("a target that may hold while something is true has a head for it")
        })
    }

    /// What a search for a target's rules is about.
    pub(super) fn scope(&self, number: usize) -> Scope<'_> {
        let target = &self.targets[number];
        Scope {
            table: self.table(number),
            slots: &self.record.slots[target.group],
            layout: self.record.layouts[target.group],
            group: target.group,
            target: number,
            place: target.place,
            symmetric: self.cover.label(number).1,
            left_out: &target.left_out,
            allowed: &target.allowed,
            open_left_out: self.cover.wrapping(number).1,
            links: self.cover.links(number),
            given: self.cover.given(number),
            absent: self.cover.absent(number),
            columns: self.cover.columns(number),
        }
    }

    /// How a target may be defined.
    fn choice(&self, number: usize) -> Choice<'_> {
        let Target { persists, holds_while, declared, .. } = &self.targets[number];
        Choice { persists, holds_while: *holds_while, declared: *declared }
    }

    /// How rules define a target; without any it is as it was declared.
    pub(super) fn definition(&self, number: usize, rules: &[Rule]) -> Definition {
        if self.targets[number].persists.is_empty() { Definition::While } else { definition_of(rules) }
    }

    fn limits(&self) -> Limits {
        let ReplaySettings { penalty, max_literals, max_rules, .. } = self.settings;
        Limits { penalty, max_literals, max_rules }
    }

    /// Lets a search be made for each target: side by side, or, where rules are about other targets, in turn, since they
    /// see what the rules of those recognise. Where values of a fluent end each other, a value sees the others begin as
    /// `rules` say, if there are any. Gives what the searches gave, in the order of the targets.
    fn for_each_search<T: Send>(
        &self,
        rules: Option<&[Vec<Rule>]>,
        search: impl Fn(usize, FluentSearch<'_>) -> (Outcome, T) + Sync,
    ) -> Vec<(Outcome, T)> {
        let all = self.record.segments();
        let segments: Vec<&Segment<'_>> = all.iter().collect();
        let count = self.targets.len();
        if self.targets.iter().all(|t| t.about.is_empty()) && !(0..count).any(|t| self.is_coupled(t)) {
            let workers = self.threads.min(count);
            return side_by_side(count, workers, |number| {
                search(number, self.search_for(number, &self.record, &segments))
            });
        }
        let mut recognised: Vec<Recognised> = Vec::new();
        let mut outcomes = Vec::new();
        for number in 0..count {
            let scope = self.scope(number);
            let started = self.started(number, &segments, &recognised, rules);
            let replaced = Replaced {
                about: &self.targets[number].about,
                recognised: &recognised,
                other_value: scope.given.other_value.map(|bit| (bit, started.as_slice())),
            };
            let (record, copies);
            let (record, segments) = if replaced.is_nothing() {
                (&self.record, segments.clone())
            } else {
                (record, copies) = replaced.of(&self.record, &segments, scope);
                (&record, copies.iter().collect())
            };
            let found = search(number, self.search_for(number, record, &segments));
            let used = self.targets[number + 1..].iter().any(|t| t.about.iter().any(|a| a.targets.contains(&number)));
            let seen = if used {
                let definition = self.definition(number, &found.0.rules);
                recognise(record, &segments, scope, &found.0.rules, definition, Seen::Holds)
            } else {
                Recognised::new()
            };
            recognised.push(seen);
            outcomes.push(found);
        }
        outcomes
    }

    /// A search for the rules of a target, in segments of a record.
    fn search_for<'a>(
        &'a self,
        number: usize,
        record: &'a Record,
        segments: &'a [&'a Segment<'a>],
    ) -> FluentSearch<'a> {
        FluentSearch {
            record,
            segments,
            scope: self.scope(number),
            choice: self.choice(number),
            limits: self.limits(),
            watch: self.watch_over(number),
        }
    }

    fn watch_over(&self, number: usize) -> Watch<'_> {
        let Supervision { searches: interrupt, watcher, .. } = &self.supervision;
        let count = self.targets.len();
        Watch { interrupt, watcher, fluent: self.targets[number].name, number, count }
    }

    /// Whether values of a target's fluent end each other.
    fn is_coupled(&self, target: usize) -> bool {
        self.cover.given(target).other_value.is_some()
    }

    /// When the values of a target's fluent begin by some rules, and by those of the background.
    fn started(
        &self,
        number: usize,
        segments: &[&Segment<'_>],
        recognised: &[Recognised],
        rules: Option<&[Vec<Rule>]>,
    ) -> Vec<Recognised> {
        if !self.is_coupled(number) {
            return Vec::new();
        }
        let label = self.cover.label(number);
        let same = (0..self.targets.len()).filter(|t| self.cover.label(*t) == label);
        same.map(|t| {
            // What rules begin it does not depend on its other values.
            let replaced = Replaced { about: &self.targets[t].about, recognised, other_value: None };
            let (scope, rules) = (self.scope(t), rules.map_or(&[][..], |rules| &rules[t]));
            let definition = self.definition(t, rules);
            if replaced.is_nothing() {
                return recognise(&self.record, segments, scope, rules, definition, Seen::Starts);
            }
            let (record, copies) = replaced.of(&self.record, segments, scope);
            recognise(&record, &copies.iter().collect::<Vec<_>>(), scope, rules, definition, Seen::Starts)
        })
        .collect()
    }

    /// The same, where nothing but an outcome is wanted.
    fn outcomes(
        &self,
        rules: Option<&[Vec<Rule>]>,
        search: impl Fn(usize, FluentSearch<'_>) -> Outcome + Sync,
    ) -> Vec<Outcome> {
        let outcomes = self.for_each_search(rules, |target, found| (search(target, found), ()));
        outcomes.into_iter().map(|(outcome, ())| outcome).collect()
    }

    /// The whole search, from nothing and from the rules that were given: the same for every order of the segments. `folds`:
    /// whether it is to be told how the rules do on segments that they were not made from.
    fn search_all(&self, folds: bool) -> Vec<Outcome> {
        let search = |rules: Option<&[Vec<Rule>]>| {
            self.outcomes(rules, |target, search| search.full(&self.targets[target].start, folds))
        };
        let first = search(None);
        if !(0..self.targets.len()).any(|t| self.is_coupled(t)) {
            return first;
        }
        // Values of a fluent were searched for as if the others never began. Once more with those that were found; what is
        // better together is taken.
        let first = self.together(&first);
        let second = self.together(&search(Some(&rules_of(&first))));
        let value = |outcomes: &[Outcome]| outcomes.iter().map(|o| o.value).sum::<f64>();
        let cut_short = second.iter().any(|outcome| outcome.cut_short);
        let mut best = if value(&second) > value(&first) { second } else { first };
        best.iter_mut().for_each(|outcome| outcome.cut_short |= cut_short);
        best
    }

    /// Outcomes with what they come to where all of their rules are at work.
    fn together(&self, outcomes: &[Outcome]) -> Vec<Outcome> {
        let rules = rules_of(outcomes);
        self.outcomes(Some(&rules), |target, search| {
            let outcome = outcomes[target].clone();
            let fit = search.fit(&outcome.rules, self.definition(target, &outcome.rules));
            Outcome { fit, value: outcome.value + fit.f1() - outcome.fit.f1(), ..outcome }
        })
    }

    /// Whether enough has changed since the last search.
    fn is_due(&self) -> bool {
        let new = self.record.added() - self.searched;
        new >= NEW_RUNS.max(self.record.runs() as u64 / NEW_SHARE)
    }

    /// Searches for the rules at work, near those of the last search if that is enough.
    fn update(&mut self, observer: &mut dyn Observer) {
        let added = self.record.added();
        let doubled = added >= self.searched_all + (self.record.runs() as u64 / 2).max(NEW_RUNS);
        let again = || self.outcomes(Some(&rules_of(&self.last)), |target, search| search.again(&self.last[target]));
        let outcomes = if self.last.is_empty() || doubled {
            self.searched_all = added;
            self.search_all(false)
        } else {
            again()
        };
        self.searched = added;
        self.last = outcomes;
        self.put_to_work(observer);
    }

    /// Tells what has changed, and numbers the rules.
    fn put_to_work(&mut self, observer: &mut dyn Observer) {
        let mut now = Vec::new();
        for (target, outcome) in self.last.iter().enumerate() {
            for rule in &outcome.rules {
                let head = self.head_of(target, rule.kind);
                now.push((head, self.clause(target, rule), outcome.value));
            }
        }
        let interpretation = self.record.frames();
        let heads = &self.heads;
        let mut tell = |process: usize, rule, what| {
            let head = heads[process].atom.clone();
            observer.on(&Event { interpretation, process, head, rule, what });
        };
        for old in &self.at_work {
            if !now.iter().any(|(head, clause, _)| (*head, clause) == (old.head, &old.clause)) {
                let value = self.last[self.heads[old.head].target].value;
                tell(old.head, old.number, What::Dropped { clause: old.clause.clone(), value });
            }
        }
        for (target, outcome) in self.last.iter().enumerate() {
            if let Some((limit, most, what)) =
                self.at_a_limit(target, outcome).filter(|_| !self.limited.contains(&target))
            {
                self.limited.push(target);
                let head = self.heads.iter().position(|h| h.target == target).expect("a target has a head");
                tell(head, 0, What::Limited { limit: Symbol::new(limit), most, what });
            }
        }
        let mut at_work = Vec::new();
        for (head, clause, value) in now {
            let known = &mut self.known[head];
            let number = known.iter().position(|c| *c == clause).unwrap_or_else(|| {
                known.push(clause.clone());
                known.len() - 1
            }) as u64
                + 1;
            let rule = AtWork { head, number, clause };
            if !self.at_work.contains(&rule) {
                tell(head, number, What::Chosen { clause: rule.clause.clone(), value });
            }
            at_work.push(rule);
        }
        if at_work != self.at_work {
            self.at_work = at_work;
            self.theory = Arc::new(self.at_work());
        }
    }

    /// The rules at work, as a theory.
    fn at_work(&self) -> Theory {
        self.at_work.iter().map(|rule| rule.clause.clone()).collect()
    }

    fn learned_from(&self, outcomes: Vec<(Outcome, Vec<Trust>)>) -> Learned {
        let before = self.at_work.iter().map(|rule| ((rule.head, rule.number), rule.clause.clone())).collect();
        let mut learned = Learned { interpretations: self.record.frames(), before: Some(before), ..Learned::default() };
        // Rules that were never at work have the numbers after those that were.
        let mut new = vec![0; self.heads.len()];
        for (target, (outcome, trust)) in outcomes.into_iter().enumerate() {
            for (rule, trust) in outcome.rules.iter().zip(trust) {
                let clause = self.clause(target, rule);
                let head = self.head_of(target, rule.kind);
                let known = self.known[head].iter().position(|c| *c == clause);
                let number = known.unwrap_or_else(|| {
                    new[head] += 1;
                    self.known[head].len() + new[head] - 1
                }) as u64
                    + 1;
                learned.rules.push(LearnedRule { clause, id: (head, number), grounds: Grounds::Replayed(trust) });
            }
            self.add_fit(&mut learned.fits, target, &outcome);
            if outcome.cut_short && !outcome.rules.is_empty() {
                let name = self.targets[target].name;
                learned
                    .remarks
                    .push(format!("the search for rules of `{name}` was cut short: there may be better ones"));
            }
            learned.remarks.extend(self.remark(target, &outcome));
            learned.remarks.extend(self.at_a_limit(target, &outcome).map(|(_, _, what)| what));
        }
        learned.estimated = self.estimated();
        learned.remarks.extend(self.left_out());
        learned
    }

    /// Whether anything starts a target: a rule, or the background.
    pub(super) fn is_started(&self, target: usize, outcome: &Outcome) -> bool {
        outcome.rules.iter().any(|rule| rule.kind != RuleKind::Termination)
            || self.cover.given(target).starts.is_some()
            || self.cover.holds_initially(target)
    }

    /// Adds how the rules of a target fit to what is known of its fluent, which may have several targets.
    fn add_fit(&self, fits: &mut Vec<FluentFit>, target: usize, outcome: &Outcome) {
        let starts = self.is_started(target, outcome);
        let Outcome { penalty, ref fit, .. } = *outcome;
        let kind = self.definition(target, &outcome.rules);
        let [counts, other] = [kind, kind.other()].map(|kind| outcome.held_out[kind as usize].map(|fit| fit.counts()));
        let new = FluentFit {
            fluent: self.targets[target].name,
            counts: fit.counts(),
            starts,
            penalty: Some(penalty),
            held_out: counts.map(|counts| HeldOut { kind, counts, other }),
            gap: (outcome.gap < f64::MAX).then_some(outcome.gap),
            looked_at: (outcome.looked_at > 0).then_some((outcome.looked_at, outcome.looked_at_by_folds)),
        };
        match fits.iter_mut().find(|fit| fit.fluent == new.fluent) {
            Some(known) => {
                known.counts += new.counts;
                known.starts |= new.starts;
                if let (Some(known), Some(new)) = (&mut known.held_out, new.held_out) {
                    known.counts += new.counts;
                }
            }
            None => fits.push(new),
        }
    }

    /// Whether literals can be those of a target.
    fn fits(&self, target: usize, literals: &[Lit]) -> bool {
        let (table, slots) = (self.table(target), &self.record.slots[self.targets[target].group]);
        literals.iter().all(|literal| match *literal {
            Lit::Closed(bit) => (bit as usize) < table.len(),
            Lit::Open { slot, threshold } => (slot as usize) < slots.len() && threshold.is_sound(),
        })
    }

    /// Whether this can be what a search for the rules of a target came to.
    fn check(&self, target: usize, outcome: &Outcome) -> Result<(), StateError> {
        let Target { persists, holds_while, .. } = &self.targets[target];
        let may_be = |kind: RuleKind| if kind == RuleKind::Direct { *holds_while } else { persists.contains(&kind) };
        let known = |rule: &Rule| !rule.body.is_empty() && self.fits(target, &rule.body) && may_be(rule.kind);
        ensure(outcome.rules.iter().all(known), "the literals of rules")?;
        ensure(
            definition_of(&outcome.rules) == Definition::Persists
                || outcome.rules.iter().all(|r| r.kind == RuleKind::Direct),
            "the kinds of rules",
        )?;
        let Fit { tp, fp, positives } = outcome.fit;
        ensure_counts([tp, fp, positives].map(i64::unsigned_abs))
    }

    fn tell_too_many(&mut self, frame: &Frame, observer: &mut dyn Observer) {
        for TooMany { group, variable, assignments } in &self.sight.too_many {
            if self.told.contains(&(*group, *variable)) {
                continue;
            }
            self.told.push((*group, *variable));
            let head = self.heads.iter().position(|h| self.targets[h.target].group == *group).unwrap_or(0);
            let what = What::TooMany {
                variable: LiteralTable::introduced_name(*variable),
                assignments: *assignments,
                segment: frame.segment,
                time: frame.time,
            };
            let (interpretation, process) = (self.record.frames(), head);
            let head = self.heads[process].atom.clone();
            observer.on(&Event { interpretation, process, head, rule: 0, what });
        }
    }
}

impl Learner for Replay {
    fn observe(&mut self, frame: &Frame, observer: &mut dyn Observer) {
        self.cover.see(frame, &mut self.sight);
        if self.cover.is_cut() {
            return;
        }
        self.record.observe(frame.segment, &self.sight);
        if !self.sight.too_many.is_empty() {
            self.tell_too_many(frame, observer);
        }
        if let Some(what) = self.cover.tell_crowded() {
            let (interpretation, head) = (self.record.frames(), self.heads[0].atom.clone());
            observer.on(&Event { interpretation, process: 0, head, rule: 0, what });
        }
    }

    /// The rules of the last search, if little is new since then.
    fn theory(&mut self, observer: &mut dyn Observer) -> Arc<Theory> {
        if self.is_due() {
            self.update(observer);
        }
        self.theory.clone()
    }

    /// The rules of a whole search, which says nothing to anybody: those at work stay at work.
    fn learned(&mut self, _: &mut dyn Observer) -> Learned {
        let outcomes = self.search_all(self.settings.refits);
        let trusted = self.for_each_search(Some(&rules_of(&outcomes)), |target, search| {
            let outcome = &outcomes[target];
            let mut trust = search.trust(outcome, self.definition(target, &outcome.rules));
            if !self.settings.refits {
                trust.iter_mut().for_each(|trust| trust.refits = None);
            }
            (outcome.clone(), trust)
        });
        self.learned_from(trusted)
    }

    fn capabilities(&self) -> Capabilities {
        self.settings.capabilities()
    }

    fn supervise(&mut self, supervision: &Supervision) {
        self.cover.set_interrupt(supervision.frames.clone());
        self.supervision = supervision.clone();
    }

    fn progress(&self) -> Progress {
        Progress { interpretations: self.record.frames(), is_cut: self.cover.is_cut() }
    }

    fn start_from(&mut self, theory: &Theory) -> Result<(), Problems> {
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            match self.given(clause) {
                Ok((target, rule)) => self.targets[target].start.push(rule),
                Err(problem) => problems.push(problem),
            }
        }
        Problems::check(problems)
    }

    fn save(&mut self, _: &mut dyn Observer) -> Option<Vec<u8>> {
        let searched = [self.searched, self.searched_all];
        let (cover, record) = (self.cover.state(), self.record.state());
        Some(encode(&(cover, record, &self.last, searched, &self.at_work, &self.known, &self.told)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        type Numbers = Vec<(usize, usize)>;
        type State = (CoverState, RecordState, Vec<Outcome>, [u64; 2], Vec<AtWork>, Vec<Vec<Clause>>, Numbers);
        let (cover, record, last, searched, at_work, known, told): State = decode(state)?;
        ensure(last.is_empty() || last.len() == self.targets.len(), "the targets")?;
        last.iter().enumerate().try_for_each(|(target, outcome)| self.check(target, outcome))?;
        ensure(known.len() == self.heads.len(), "the heads")?;
        let numbered = |rule: &AtWork| {
            let number = usize::try_from(rule.number).ok().and_then(|n| n.checked_sub(1));
            let clause = number.and_then(|n| known.get(rule.head)?.get(n));
            clause == Some(&rule.clause)
        };
        ensure(at_work.iter().all(numbered) && (at_work.is_empty() || !last.is_empty()), "the rules at work")?;
        self.cover.restore(cover)?;
        let shapes: Vec<_> = (0..self.record.slots.len())
            .map(|group| {
                let table = self.cover.table_of_group(group);
                let (literals, layout) = (Mask::first(self.cover.bits(group)), self.record.layouts[group]);
                let stride = layout.stride();
                let truth = move |words: &[u64]| layout.mask(words).fires_on(&literals);
                let fits = move |key: &[u64]| key.len().is_multiple_of(stride) && key.chunks(stride).all(&truth);
                (table.types.len(), fits)
            })
            .collect();
        self.record.restore(record, &shapes)?;
        [self.searched, self.searched_all] = searched;
        // What was searched was recorded before.
        ensure(self.searched <= self.record.added() && self.searched_all <= self.record.added(), "the counters")?;
        (self.last, self.at_work, self.known, self.told) = (last, at_work, known, told);
        self.theory = Arc::new(self.at_work());
        Ok(())
    }

    fn copy(&mut self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

/// What a function gives for each number up to a count, worked out by so many threads.
fn side_by_side<T: Send>(count: usize, workers: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    if workers < 2 {
        return (0..count).map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let worker = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|n| *n < count));
        numbers.map(|n| (n, work(n))).collect::<Vec<_>>()
    };
    let mut done: Vec<(usize, T)> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let join = |handle: std::thread::ScopedJoinHandle<'_, Vec<(usize, T)>>| {
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        };
        handles.into_iter().flat_map(join).collect()
    });
    done.sort_by_key(|(n, _)| *n);
    done.into_iter().map(|(_, result)| result).collect()
}

/// The rules of outcomes.
fn rules_of(outcomes: &[Outcome]) -> Vec<Vec<Rule>> {
    outcomes.iter().map(|outcome| outcome.rules.clone()).collect()
}

/// Whether rules may say while what a fluent holds: nothing else may define it, and it has no other values.
fn may_hold_while(cover: &Cover, target: usize) -> bool {
    let (label, _) = cover.label(target);
    let alone = (0..cover.target_count()).filter(|t| cover.label(*t).0 == label).count() == 1;
    alone
        && !label.has_value()
        && cover.given(target) == crate::learn::Given::default()
        && !cover.holds_initially(target)
        && !cover.is_partial(target)
}

/// The literals of a target that are about targets before it, and those that may not be used: about itself, about targets
/// after it, about others' existential variables, and what follows from targets by rules of the background.
fn about_targets(cover: &Cover, target: usize) -> (Vec<About>, Mask) {
    let table = cover.table(target);
    let (mut about, mut left_out) = (Vec::new(), cover.wrapping(target).0.clone());
    // Values of a fluent end each other, so all of them are found out at once.
    let same = |other: &usize| cover.label(*other) == cover.label(target) && cover.given(*other).other_value.is_some();
    let first = (0..target).find(same).unwrap_or(target);
    for (literal, pattern) in table.patterns().iter().enumerate() {
        let apart = |(own, column): (&Result<usize, Value>, &Column)| match (own, column) {
            (Err(own), Column::Constant(value)) => own != value,
            _ => false,
        };
        let is_about = |other: &usize| {
            cover.label(*other).0 == pattern.signature && !cover.columns(*other).iter().zip(&pattern.columns).any(apart)
        };
        let targets: Vec<usize> = (0..cover.target_count()).filter(is_about).collect();
        let Some(last) = targets.last() else { continue };
        // The truths of the two orders of a pair can be told apart where no variable has several assignments.
        let told_apart = !cover.label(target).1 || table.introduced().is_empty();
        if *last < first && !table.is_existential(literal) && told_apart {
            let (columns, negated, symmetric) = (pattern.columns.clone(), pattern.negated, cover.label(*last).1);
            about.push(About { literal, targets, columns, negated, symmetric });
        } else {
            left_out.insert(literal);
        }
    }
    (about, left_out)
}
