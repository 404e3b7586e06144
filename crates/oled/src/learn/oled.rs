//! The paper's learner: all processes side by side on one stream.

use std::sync::Arc;
use std::thread::JoinHandle;

use super::heads::{Head, InstanceOptions, heads, prefer_persisting};
use super::interpretation::Interpretation;
use super::learned::{
    Capabilities, Learned, LearnedRule, Learner, Progress, RuleCounts, RuleEvidence, Supervision, Work,
};
use super::links::Connected;
use super::process::{Process, ProcessState};
use super::propositionaliser::{Propositionaliser, PropositionaliserState};
use super::segment_propositionaliser::{Propositionalised, SegmentPropositionaliser, propositionalise};
use crate::event::{Event, EventKind, Observer};
use crate::induce::{LiteralTable, Mask, Settings, epsilon};
use crate::lang::{Atom, Clause, Diagnostic, Literal, Problems, Signature, Symbol, Term, Theory};
use crate::logic::{substitute, substitute_literal};
use crate::state::{StateError, decode, encode, ensure, ensure_counts};
use crate::stream::Frame;
use crate::task::Task;

/// Learns event definitions from a stream, in one pass: a process for each head that the modes declare.
#[derive(Debug)]
pub struct Oled {
    propositionaliser: Propositionaliser,
    /// Empty while they are at work on another thread.
    processes: Vec<Process>,
    working: Option<JoinHandle<Vec<Process>>>,
    /// The head of each process.
    heads: Vec<Head>,
    batch: Vec<Interpretation>,
    threads: usize,
    interpretations: u64,
    /// What has happened and was not told yet.
    pending: Vec<Event>,
    /// The rules at work when somebody last asked for them, by process, number and body, and as a theory.
    active_rules: (Vec<(usize, u64, Mask)>, Arc<Theory>),
}

/// What can be relied on.
pub(crate) const OLED: Capabilities = Capabilities {
    order_free: false,
    online: true,
    savable: true,
    // A decision depends on what was seen when it was taken.
    mergeable: false,
    starts_from_rules: true,
    needs_listed_thresholds: true,
    settings_by_target: true,
    counts_work: true,
};

/// Interpretations that are handed to the processes together, so that threads have something to do.
const BATCH: usize = 1024;

impl Oled {
    /// A learner for the heads of a task. `settings` gives those of each target, by the name of its fluent or predicate.
    pub fn new(task: &Task, settings: impl Fn(Symbol) -> Settings) -> Result<Oled, Problems> {
        let (mut heads, mut propositionaliser) = heads(task, false, |target| {
            let Settings { variables, observed_next, .. } = settings(target);
            InstanceOptions { variables, observed_next }
        })?;
        prefer_persisting(&mut heads);
        let least = |of: fn(Settings) -> usize| heads.iter().map(|h| of(settings(h.name))).min().unwrap_or(usize::MAX);
        propositionaliser.set_limits(least(|s| s.max_instances), least(|s| s.max_steps));
        let processes = heads
            .iter()
            .enumerate()
            .map(|(i, Head { target, kind, atom, name })| {
                let (settings, group) = (settings(*name), propositionaliser.group(*target));
                Process::new(
                    i,
                    (*target, group),
                    *kind,
                    atom.clone(),
                    settings,
                    (propositionaliser.table(*target), propositionaliser.links(*target)),
                )
            })
            .collect();
        Ok(Oled {
            propositionaliser,
            processes,
            working: None,
            heads,
            batch: Vec::new(),
            threads: 1,
            interpretations: 0,
            pending: Vec::new(),
            active_rules: (Vec::new(), Arc::default()),
        })
    }

    /// Spreads the processes over threads. What is learned does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Oled {
        self.threads = threads.max(1);
        self
    }

    fn start_from_rule(&mut self, clause: &Clause) -> Result<(), Diagnostic> {
        let signature = Signature::of(&clause.head);
        let head = self.heads.iter().position(|head| head.is_of(clause));
        let Some(process) = head.map(|head| &mut self.processes[head]) else {
            return Err(Diagnostic::new(&clause.head.span, format!("no mode declares the head `{signature}`"))
                .hint("rules to start from have heads that are to be learned"));
        };
        let table = self.propositionaliser.table(process.target());
        let renamed = rename(clause, &process.head);
        let mut body = Mask::EMPTY;
        for (literal, original) in renamed.body.iter().zip(&clause.body) {
            match table.find(literal) {
                None if self.propositionaliser.is_observation(process.target(), literal) => {}
                Some(index) if !process.allowed().has(index) => {
                    return Err(meant_for_others(original, &process.head));
                }
                Some(index) => body.insert(index),
                None => {
                    return Err(Diagnostic::new(
                        &original.span,
                        format!("the modes do not allow the condition `{original}`"),
                    )
                    .hint("add a `modeb` for it"));
                }
            }
        }
        let connected = body
            .iter()
            .fold(Connected::APART, |connected, l| self.propositionaliser.links(process.target()).and(connected, l));
        self.propositionaliser.check_linked(&self.heads[process.number], clause, connected)?;
        process.start_with(body);
        Ok(())
    }

    /// Takes what was made of a frame.
    fn take(&mut self, Propositionalised { interpretation, left_out }: Propositionalised, observer: &mut dyn Observer) {
        if let Some((limit, most, what)) = left_out {
            let (interpretation, head) = (self.observed(), self.heads[0].atom.clone());
            let what = EventKind::Limited { limit, most, what };
            self.pending.push(Event { interpretation, process: 0, head, rule: 0, what });
        }
        if let Some(interpretation) = interpretation {
            self.batch.push(interpretation);
            if self.batch.len() >= BATCH {
                self.dispatch(observer);
            }
        }
    }

    /// Interpretations made of the frames observed so far.
    fn observed(&self) -> u64 {
        self.interpretations + self.batch.len() as u64
    }

    /// Brings all processes up to the last frame observed.
    fn catch_up(&mut self, observer: &mut dyn Observer) {
        self.dispatch(observer);
        self.wait(observer);
    }

    /// The same where nobody listens: what happened is told later.
    fn catch_up_quietly(&mut self) {
        let mut events = std::mem::take(&mut self.pending);
        self.catch_up(&mut events);
        self.pending = events;
    }

    /// Hands the batch to the processes. With several threads they work on it while the next batch is made.
    fn dispatch(&mut self, observer: &mut dyn Observer) {
        self.wait(observer);
        let batch = std::mem::take(&mut self.batch);
        self.interpretations += batch.len() as u64;
        if self.threads == 1 {
            learn(&mut self.processes, &batch);
            return self.tell(observer);
        }
        let mut processes = std::mem::take(&mut self.processes);
        let share = processes.len().div_ceil(self.threads - 1).max(1);
        self.working = Some(std::thread::spawn(move || {
            std::thread::scope(|scope| {
                for share in processes.chunks_mut(share) {
                    scope.spawn(|| learn(share, &batch));
                }
            });
            processes
        }));
    }

    /// Waits for the processes, and tells what they did.
    fn wait(&mut self, observer: &mut dyn Observer) {
        if let Some(working) = self.working.take() {
            self.processes = working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.tell(observer);
        }
    }

    /// Tells what happened, in the order of the stream, then of the processes: the same for any number of threads.
    fn tell(&mut self, observer: &mut dyn Observer) {
        self.pending.drain(..).for_each(|e| observer.on(&e));
        let mut events: Vec<_> = self.processes.iter_mut().flat_map(|p| p.events.drain(..)).collect();
        events.sort_by_key(|e| (e.interpretation, e.process));
        events.iter().for_each(|e| observer.on(e));
    }

    /// What its processes have learned.
    fn rules(&self) -> Learned {
        let (mut rules, mut left_out) = (Vec::new(), Vec::new());
        for process in &self.processes {
            for (rule, why) in process.partition_output() {
                let (kind, settings) = (process.kind, &process.settings);
                let n = rule.n(kind, settings);
                let body = self.table(process.number).body(&rule.body);
                let rule = LearnedRule {
                    clause: self.propositionaliser.clause(&self.heads[process.number], body),
                    id: (process.number, rule.id),
                    evidence: RuleEvidence::Counts(RuleCounts {
                        counts: rule.counts(kind, settings),
                        score: rule.score(kind, settings),
                        stream: crate::induce::counts(&process.stream, &rule.body, kind, settings),
                        instances: rule.instances,
                        n,
                        epsilon: epsilon(settings.delta, n),
                    }),
                };
                match why {
                    None => rules.push(rule),
                    Some(why) => left_out.push((rule, why)),
                }
            }
        }
        let mut remarks: Vec<String> = self.processes.iter().flat_map(Process::remarks).collect();
        remarks.extend(self.propositionaliser.remark_oversized());
        let (interpretations, pairs) = (self.interpretations, true);
        // All heads are about the same instances.
        let instances = self.processes.iter().map(|p| p.stream.covered(&Mask::EMPTY).total()).max();
        let work = Work {
            instances: instances.and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
            literals: self.processes.first().map_or(0, |p| self.table(p.number).len()),
        };
        Learned { rules, left_out, remarks, interpretations, pairs, work: Some(work), ..Learned::default() }
    }

    /// What makes interpretations of frames: for those who feed processes themselves, as benchmarks and tests do.
    pub fn propositionaliser(&mut self) -> &mut Propositionaliser {
        &mut self.propositionaliser
    }

    /// The processes, up to the last frame observed.
    pub fn processes(&mut self) -> &[Process] {
        self.catch_up_quietly();
        &self.processes
    }

    /// The literals that the rules of a process are made of.
    pub fn table(&self, process: usize) -> &LiteralTable {
        self.propositionaliser.table(self.heads[process].target)
    }
}

impl Learner for Oled {
    fn capabilities(&self) -> Capabilities {
        OLED
    }

    fn supervise(&mut self, supervision: &Supervision) {
        // There is nothing to search: rules are made on the way.
        self.propositionaliser.set_interrupt(supervision.frames.clone());
    }

    /// Rules that are given are scored, specialised and given up like learned ones.
    fn start_from(&mut self, theory: &Theory) -> Result<(), Problems> {
        self.catch_up_quietly();
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            if let Err(problem) = self.start_from_rule(clause) {
                problems.push(problem);
            }
        }
        Problems::check(problems)
    }

    /// Learns from a frame, together with the one before it in its segment; tells what happened, some of it later.
    fn observe(&mut self, frame: &Frame, observer: &mut dyn Observer) {
        let covered = propositionalise(&mut self.propositionaliser, frame);
        self.take(covered, observer);
    }

    fn segment_propositionaliser(&mut self) -> Option<SegmentPropositionaliser> {
        Some(SegmentPropositionaliser::new(self.propositionaliser.clone()))
    }

    fn observe_propositionalised(
        &mut self,
        mut covered: Propositionalised,
        observer: &mut dyn Observer,
    ) -> Result<(), StateError> {
        let fits = |i: &Interpretation| {
            i.groups.len() == self.propositionaliser.group_count()
                && i.outcomes.len() == self.propositionaliser.target_count()
        };
        ensure(covered.interpretation.as_ref().is_none_or(fits), "the heads")?;
        // Each of those who make interpretations tells it once.
        covered.left_out = covered.left_out.filter(|_| self.propositionaliser.note_told());
        let index = self.observed() + 1;
        covered.interpretation.iter_mut().for_each(|interpretation| interpretation.index = index);
        self.take(covered, observer);
        Ok(())
    }

    fn add_propositionaliser(&mut self, state: &[u8]) -> Result<(), StateError> {
        let mut other = SegmentPropositionaliser::new(self.propositionaliser.clone());
        other.restore(state)?;
        self.propositionaliser.join(other.propositionaliser());
        Ok(())
    }

    fn progress(&self) -> Progress {
        Progress { interpretations: self.observed(), is_cut: self.propositionaliser.is_cut() }
    }

    fn theory(&mut self, observer: &mut dyn Observer) -> Arc<Theory> {
        self.catch_up(observer);
        let of = |p: &Process| p.output().into_iter().map(|r| (p.number, r.id, r.body.clone())).collect::<Vec<_>>();
        let rules: Vec<_> = self.processes.iter().flat_map(of).collect();
        if rules != self.active_rules.0 {
            self.active_rules = (rules, Arc::new(self.rules().theory()));
        }
        self.active_rules.1.clone()
    }

    fn learned(&mut self, observer: &mut dyn Observer) -> Learned {
        self.catch_up(observer);
        self.rules()
    }

    fn save(&mut self, observer: &mut dyn Observer) -> Option<Vec<u8>> {
        self.catch_up(observer);
        let processes: Vec<_> = self.processes.iter().map(Process::state).collect();
        Some(encode(&(self.propositionaliser.state(), processes, self.interpretations)))
    }

    fn restore(&mut self, state: &[u8]) -> Result<(), StateError> {
        self.catch_up_quietly();
        let (propositionaliser, processes, interpretations): (PropositionaliserState, Vec<ProcessState>, u64) =
            decode(state)?;
        ensure_counts([interpretations])?;
        ensure(processes.len() == self.processes.len(), "the heads")?;
        self.propositionaliser.restore(propositionaliser)?;
        for (process, state) in self.processes.iter_mut().zip(processes) {
            process.restore(state)?;
        }
        self.interpretations = interpretations;
        self.pending.clear();
        Ok(())
    }

    fn copy(&mut self) -> Box<dyn Learner> {
        self.catch_up_quietly();
        Box::new(Oled {
            propositionaliser: self.propositionaliser.clone(),
            processes: self.processes.clone(),
            working: None,
            heads: self.heads.clone(),
            batch: Vec::new(),
            threads: self.threads,
            interpretations: self.interpretations,
            pending: self.pending.clone(),
            active_rules: self.active_rules.clone(),
        })
    }
}

fn learn(processes: &mut [Process], batch: &[Interpretation]) {
    for process in processes {
        batch.iter().for_each(|i| process.learn(i));
    }
}

/// What to say of a condition of a rule that is given, where its mode is meant for other heads.
pub(crate) fn meant_for_others(literal: &Literal, head: &Atom) -> Diagnostic {
    let message = format!("the modes do not allow the condition `{literal}` in rules for `{head}`");
    Diagnostic::new(&literal.span, message)
        .hint("the `modeb` for it is meant for other heads: add this one to its `for`")
}

/// The clause with the variable names of a head template.
pub(crate) fn rename(clause: &Clause, template: &Atom) -> Clause {
    let mut names: Vec<(Symbol, Term)> = Vec::new();
    let mut own = Vec::new();
    crate::lang::for_each_hole(&clause.head.args, &mut |t| own.push(t.clone()));
    let mut theirs = Vec::new();
    crate::lang::for_each_hole(&template.args, &mut |t| theirs.push(t.clone()));
    for (a, b) in own.into_iter().zip(theirs) {
        if let Term::Var(name) = a {
            names.push((name, b));
        }
    }
    let mut term =
        |name: Symbol| names.iter().find(|(n, _)| *n == name).map_or(Term::Var(name), |(_, term)| term.clone());
    let head = Atom {
        name: clause.head.name,
        args: clause.head.args.iter().map(|t| substitute(t, &mut term)).collect(),
        span: clause.head.span.clone(),
    };
    let body = clause.body.iter().map(|l| substitute_literal(l, &mut term)).collect();
    Clause { head, body, span: clause.span.clone() }
}
