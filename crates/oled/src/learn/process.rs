//! Process: Algorithm 1 for the rules of one head.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::instances::Instance;
use super::interpretation::Interpretation;
use super::links::Links;
use crate::calculus::Outcome;
use crate::event::{Event, EventKind};
use crate::induce::{
    ExpandWhen, Ledger, LiteralTable, Mask, OutputFilter, Rule, RuleKind, RunningMean, Seeds, Settings, Tally, Unit,
    Verdict, for_each_refinement,
};
use crate::lang::{Atom, Clause, Span, Symbol};
use crate::state::{StateError, ensure, ensure_counts};

/// The learner of one head: `L_init` or `L_term` of the paper, or of an ordinary predicate.
#[derive(Clone, Debug)]
pub struct Process {
    /// Its number.
    pub number: usize,
    /// What its rules do.
    pub kind: RuleKind,
    /// The head of its rules.
    pub head: Atom,
    /// The settings.
    pub settings: Settings,
    /// The hypothesis H.
    pub rules: Vec<Rule>,
    target: usize,
    group: usize,
    /// The literals that its rules are made of, and those of them that are meant for its head.
    table: Arc<LiteralTable>,
    allowed: Mask,
    links: Links,
    /// Evidence over the whole stream, for all bodies over the head's variables. That of a rule is what came since some
    /// time, so that each instance is recorded once, however many rules there are.
    pub stream: Ledger,
    /// Where in it the rows of the last instances are.
    places: Vec<usize>,
    tau: RunningMean,
    next: u64,
    /// Interpretations seen.
    seen: u64,
    /// How often a rule was tested for specialisation.
    tests: u64,
    /// Which rules have erred since they were last tested.
    erred: Vec<bool>,
    /// Whether rules or evidence have changed since rules were last given up.
    changed: bool,
    /// The variables that were told to have too many assignments.
    reported: Vec<usize>,
    /// Instances that would have started a rule, and specialisations that would have been made, had there been no limit.
    limit_hits: [u64; 2],
    pub(crate) events: Vec<Event>,
}

/// The limits, as places in `limit_hits`.
const MAX_RULES: usize = 0;
const MAX_LITERALS: usize = 1;

/// Why a rule is not printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotPrinted {
    /// It has no condition yet.
    Empty,
    /// Its conditions do not relate its variables, as far as conditions can: it would start the fluent for everybody.
    Unlinked,
    /// It has seen fewer instances than the warm-up asks for.
    Young,
    /// Its score is below the threshold.
    Low,
    /// A more general rule says the same.
    Superfluous,
}

impl NotPrinted {
    /// All reasons.
    pub const ALL: [NotPrinted; 5] =
        [NotPrinted::Low, NotPrinted::Superfluous, NotPrinted::Young, NotPrinted::Unlinked, NotPrinted::Empty];
}

impl fmt::Display for NotPrinted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            NotPrinted::Empty => "without a condition yet",
            NotPrinted::Unlinked => "without a condition that relates its variables",
            NotPrinted::Young => "within the warm-up",
            NotPrinted::Low => "below the threshold",
            NotPrinted::Superfluous => "covered by a more general rule",
        })
    }
}

/// What a process knows of the stream so far: its rules with whether they have erred, the evidence, the mean of the bounds,
/// its counters, whether something has changed, and what was told.
pub(crate) type ProcessState = (Vec<(Rule, bool)>, Ledger, RunningMean, [u64; 5], bool, Vec<usize>);

impl Process {
    /// What it knows of the stream so far, as [`ProcessState`].
    pub(crate) fn state(&self) -> impl Serialize {
        let rules: Vec<(&Rule, bool)> = self.rules.iter().zip(self.erred.iter().copied()).collect();
        let [started, specialised] = self.limit_hits;
        let counts = [self.next, self.seen, self.tests, started, specialised];
        (rules, &self.stream, self.tau, counts, self.changed, &self.reported)
    }

    /// Goes on with what was written.
    pub(crate) fn restore(&mut self, state: ProcessState) -> Result<(), StateError> {
        let (rules, stream, tau, [next, seen, tests, started, specialised], changed, told) = state;
        let literals = Mask::first(self.table.len());
        stream.check(&literals)?;
        rules.iter().try_for_each(|(rule, _)| rule.check(&literals))?;
        ensure_counts([next, seen, tests, started, specialised, tau.count()])?;
        ensure(rules.iter().all(|(rule, _)| rule.id < next), "the numbers of rules")?;
        (self.rules, self.erred) = rules.into_iter().unzip();
        (self.stream, self.tau, self.changed, self.reported) = (stream, tau, changed, told);
        (self.next, self.seen, self.tests, self.limit_hits) = (next, seen, tests, [started, specialised]);
        self.events.clear();
        Ok(())
    }

    pub(crate) fn new(
        number: usize,
        (target, group): (usize, usize),
        kind: RuleKind,
        head: Atom,
        settings: Settings,
        (table, links): (&LiteralTable, &Links),
    ) -> Process {
        let allowed = table.allowed(&head);
        Process {
            number,
            kind,
            head,
            settings,
            rules: Vec::new(),
            target,
            group,
            allowed,
            table: Arc::new(table.clone()),
            links: links.clone(),
            stream: Ledger::default(),
            places: Vec::new(),
            tau: RunningMean::default(),
            next: 1,
            seen: 0,
            tests: 0,
            erred: Vec::new(),
            changed: false,
            reported: Vec::new(),
            limit_hits: [0; 2],
            events: Vec::new(),
        }
    }

    /// How often a rule was tested for specialisation.
    pub fn tests(&self) -> u64 {
        self.tests
    }

    /// The number of its target.
    pub(crate) fn target(&self) -> usize {
        self.target
    }

    /// The literals that its rules may have.
    pub(crate) fn allowed(&self) -> &Mask {
        &self.allowed
    }

    /// Starts with a rule that is given, which may be specialised by any literal that is meant for its head.
    pub(crate) fn start_with(&mut self, body: Mask) {
        let clause = self.clause(&body);
        let rule = self.add_rule(self.allowed.clone(), body);
        self.tell(self.seen, rule, EventKind::Given { clause });
    }

    /// One round of Algorithm 1: lines 3 to 10.
    pub fn learn(&mut self, interpretation: &Interpretation) {
        self.seen += 1;
        self.tell_too_many(interpretation);
        let uncovered = self.update(interpretation);
        let grow = uncovered.filter(|seed| self.is_new(seed));
        let full = grow.is_some() && self.rules.len() >= self.settings.max_rules;
        let grow = grow.filter(|_| !full);
        if full {
            self.tell_limit(MAX_RULES, interpretation.index);
        }
        let grows = grow.is_some();
        if let Some(seed) = grow {
            self.start_new_clause(seed, interpretation.index);
        }
        if (!grows || self.settings.both) && self.seen.is_multiple_of(self.settings.every) {
            self.expand_clauses(interpretation.index);
        }
        // A rule that was spared is spared again unless something has changed, if only the number of interpretations.
        if std::mem::take(&mut self.changed) || self.settings.unit == Unit::Interpretations {
            self.prune(interpretation.index);
        }
    }

    /// Updates the counts of all rules and their specialisations (line 3), and finds the first instance that calls for a
    /// new clause: one that no rule covers, of the kind that the paper's table of actions names.
    fn update(&mut self, interpretation: &Interpretation) -> Option<Mask> {
        let instances = &interpretation.groups[self.group];
        let outcomes = &interpretation.outcomes[self.target];
        let mut seed = None;
        let mut all = Tally::default();
        let mut places = std::mem::take(&mut self.places);
        places.resize(instances.len(), 0);
        for ((instance, outcome), place) in instances.iter().zip(outcomes).zip(&mut places) {
            let Some(outcome) = *outcome else { continue };
            all.add(outcome);
            record(&mut self.stream, instance, outcome, place);
            let error = is_error(self.kind, outcome);
            let mut covered = false;
            for (rule, erred) in self.rules.iter_mut().zip(&mut self.erred) {
                if rule.count(outcome, |body| instance.fires(body)) {
                    covered = true;
                    *erred |= error;
                }
            }
            if !covered && seed.is_none() && self.is_seed(outcome) {
                // The bottom clause is what is true with the assignment of which most can be said.
                let richest =
                    instance.others.iter().fold(&instance.truth, |a, b| if b.len() > a.len() { b } else { a });
                seed = Some(richest.and(&self.allowed));
            }
        }
        self.places = places;
        self.rules.iter_mut().for_each(|rule| rule.count_all(all));
        self.changed |= all.total() > 0;
        seed
    }

    /// The bodies of all specialisations of all rules. For benchmarks.
    pub fn for_each_candidate(&self, mut f: impl FnMut(Mask)) {
        for rule in &self.rules {
            let none = std::iter::empty();
            let (depth, implied) = (self.settings.depth, self.table.implied());
            for_each_refinement(none, &rule.body, &rule.bottom, depth, implied, |c| f(c.body));
        }
    }

    /// The group of heads that its instances are of, as [`Interpretation::groups`] numbers them.
    pub fn group(&self) -> usize {
        self.group
    }

    /// The work of line 3 without a ledger: tests every candidate of every rule on every instance, by masks. Returns how
    /// often one fired. For benchmarks.
    pub fn count_one_by_one(&self, interpretation: &Interpretation) -> u64 {
        let mut fired = 0;
        self.for_each_candidate(|body| {
            let instances = interpretation.groups[self.group].iter();
            fired += instances.filter(|i| i.fires(&body)).count() as u64;
        });
        fired
    }

    fn tell_too_many(&mut self, interpretation: &Interpretation) {
        for found in &interpretation.assignment_overflow {
            if found.group == self.group && !self.reported.contains(&found.variable) {
                self.reported.push(found.variable);
                let what = EventKind::AssignmentOverflow {
                    variable: LiteralTable::introduced_name(found.variable),
                    assignments: found.assignments,
                    segment: interpretation.segment,
                    time: interpretation.time,
                };
                self.tell(interpretation.index, 0, what);
            }
        }
    }

    /// Whether an uncovered instance is a failure of this process: a false negative of initiation (case 1a), a false
    /// positive of termination (case 2a).
    fn is_seed(&self, outcome: Outcome) -> bool {
        match self.kind {
            RuleKind::Termination => outcome == Outcome::Ends,
            RuleKind::Observed => outcome.holds_next(),
            RuleKind::Initiation => match self.settings.seeds {
                Seeds::Positives => outcome.holds_next(),
                Seeds::Begins => outcome == Outcome::Begins,
            },
        }
    }

    /// Whether no rule has this bottom clause. Over the head's variables alone, two bottom clauses subsume each other
    /// only if they are the same set of literals.
    fn is_new(&self, bottom: &Mask) -> bool {
        !self.rules.iter().any(|r| r.bottom == *bottom)
    }

    /// `StartNewClause`: the abduced instance's bottom clause is everything that is true of it.
    fn start_new_clause(&mut self, bottom: Mask, interpretation: u64) {
        let clause = self.clause(&bottom);
        let rule = self.add_rule(bottom, Mask::EMPTY);
        self.tell(interpretation, rule, EventKind::Started { bottom: clause });
    }

    fn add_rule(&mut self, bottom: Mask, body: Mask) -> u64 {
        let id = self.next;
        self.next += 1;
        self.rules.push(Rule::new(id, bottom, body, &self.settings, &self.stream));
        self.erred.push(false);
        self.changed = true;
        id
    }

    /// `ExpandClause` for each rule that has a reason to be looked at.
    fn expand_clauses(&mut self, interpretation: u64) {
        for i in 0..self.rules.len() {
            let erred = std::mem::take(&mut self.erred[i]);
            if self.settings.expand == ExpandWhen::Errs && !erred {
                continue;
            }
            self.tests += 1;
            let rule = &mut self.rules[i];
            let room = self.settings.max_literals.saturating_sub(rule.body.len());
            // Where there is room for fewer literals, fewer are tried; where there is none, only whether one is wanted.
            let fewer =
                (1..self.settings.depth).contains(&room).then(|| Settings { depth: room, ..self.settings.clone() });
            let settings = fewer.as_ref().unwrap_or(&self.settings);
            let verdict = rule.expand(self.kind, settings, self.table.implied(), &self.stream, &mut self.tau);
            if let Verdict::Expand(decision) = verdict {
                if decision.body.len() - rule.body.len() > room {
                    self.tell_limit(MAX_LITERALS, interpretation);
                    continue;
                }
                let (id, from) = (rule.id, rule.body.clone());
                rule.specialise(decision.body.clone(), &self.settings, &self.stream);
                self.changed = true;
                let (from, to) = (self.clause(&from), self.clause(&decision.body));
                self.tell(interpretation, id, EventKind::Expanded { from, to, figures: decision.figures });
            }
        }
    }

    /// `Prune`.
    fn prune(&mut self, interpretation: u64) {
        let mut i = 0;
        while i < self.rules.len() {
            let rule = &mut self.rules[i];
            match rule.prune(self.kind, &self.settings, self.table.implied(), &self.stream) {
                Verdict::Prune(decision) => {
                    let (id, body) = (rule.id, rule.body.clone());
                    self.rules.remove(i);
                    self.erred.remove(i);
                    let (clause, figures) = (self.clause(&body), decision.figures);
                    self.tell(interpretation, id, EventKind::Pruned { clause, figures });
                }
                _ => i += 1,
            }
        }
    }

    /// Counts what a limit has prevented, and tells it the first time.
    fn tell_limit(&mut self, limit: usize, interpretation: u64) {
        self.limit_hits[limit] += 1;
        if self.limit_hits[limit] == 1 {
            let (name, most, what) = self.limits()[limit];
            let what = format!("{}: {what}", self.head);
            self.tell(interpretation, 0, EventKind::Limited { limit: Symbol::new(name), most, what });
        }
    }

    /// The limits by name, and what they prevent.
    fn limits(&self) -> [(&'static str, usize, &'static str); 2] {
        [
            ("max_rules", self.settings.max_rules, "no rule was started from an instance that none covers"),
            ("max_literals", self.settings.max_literals, "a rule was not specialised"),
        ]
    }

    /// What limits have prevented.
    pub(crate) fn remarks(&self) -> impl Iterator<Item = String> {
        let prevented = self.limits().into_iter().zip(self.limit_hits).filter(|(_, times)| *times > 0);
        prevented.map(|((name, most, what), times)| format!("{}: {what}, {times} times: `{name}` is {most}", self.head))
    }

    fn tell(&mut self, interpretation: u64, rule: u64, what: EventKind) {
        let (process, head) = (self.number, self.head.clone());
        self.events.push(Event { interpretation, process, head, rule, what });
    }

    /// A rule with these literals, for those who listen.
    fn clause(&self, body: &Mask) -> Clause {
        Clause { head: self.head.clone(), body: self.table.body(body), span: Span::default() }
    }

    /// The rules to be printed: past the warm-up, good enough, and not made superfluous by a more general one.
    pub fn output(&self) -> Vec<&Rule> {
        self.partition_output().into_iter().filter_map(|(rule, why)| why.is_none().then_some(rule)).collect()
    }

    /// All rules; those that are not to be printed with the reason.
    pub fn partition_output(&self) -> Vec<(&Rule, Option<NotPrinted>)> {
        let threshold = self.settings.threshold(self.kind);
        let good = |rule: &Rule| {
            let score = match self.settings.output {
                OutputFilter::All => return true,
                OutputFilter::Own => rule.score(self.kind, &self.settings),
                OutputFilter::Stream => {
                    let counts = crate::induce::counts(&self.stream, &rule.body, self.kind, &self.settings);
                    counts.score(self.kind, self.settings.score, counts)
                }
            };
            score >= threshold
        };
        let why = |rule: &Rule| match () {
            () if rule.body.is_empty() => Some(NotPrinted::Empty),
            () if self.kind != RuleKind::Termination && !self.links.is_linked(&rule.body) => Some(NotPrinted::Unlinked),
            () if rule.instances < self.settings.warmup => Some(NotPrinted::Young),
            () if !good(rule) => Some(NotPrinted::Low),
            () => None,
        };
        let mut all: Vec<(&Rule, Option<NotPrinted>)> = self.rules.iter().map(|rule| (rule, why(rule))).collect();
        let implied = self.table.implied();
        let closure = |rule: &Rule| rule.body.iter().fold(rule.body.clone(), |mask, l| mask.with(&implied[l]));
        let kept: Vec<usize> = (0..all.len()).filter(|&i| all[i].1.is_none()).collect();
        let superfluous = |i: usize| {
            kept.iter().any(|&j| {
                let general = self.rules[j].body.fires_on(&closure(&self.rules[i]));
                let equal = self.rules[i].body.fires_on(&closure(&self.rules[j]));
                i != j && general && (!equal || j < i)
            })
        };
        for &i in kept.iter().filter(|&&i| superfluous(i)) {
            all[i].1 = Some(NotPrinted::Superfluous);
        }
        all
    }
}

/// Adds an instance to a ledger.
#[inline]
fn record(ledger: &mut Ledger, instance: &Instance, outcome: Outcome, place: &mut usize) {
    if instance.others.is_empty() {
        return ledger.record_at(&instance.truth, outcome, place);
    }
    let truths: Vec<Mask> = instance.truths().cloned().collect();
    ledger.record(&truths, outcome);
}

/// Whether firing is a mistake: initiating what does not hold next (case 2b), ending what does (case 1b).
fn is_error(kind: RuleKind, outcome: Outcome) -> bool {
    match kind {
        RuleKind::Termination => outcome.holds_next(),
        RuleKind::Initiation | RuleKind::Observed => !outcome.holds_next(),
    }
}
