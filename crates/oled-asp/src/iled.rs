//! ILED: an incremental learner. Batches of the stream come one after the other; rules are revised where they are wrong.
//!
//! After N. Katzouris, A. Artikis, G. Paliouras: Incremental learning of event definitions with inductive logic programming,
//! Machine Learning, 2015. It is sound where the annotation is free of noise: all beginnings and endings that it has seen
//! are covered, and nothing else. Each rule has a support set, the most specific clauses that it covers; a rule that turns
//! out to be wrong is specialised so that its support set stays covered, and so one pass over the past is enough.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use indexmap::IndexSet;
use oled::calculus::{Outcome, Precedence};
use oled::event::Observer;
use oled::induce::{Mask, RuleKind};
use oled::learn::{Firings, Head, Instance, Interpretation, Progress, Propositionaliser, RuleEvidence};
use oled::{
    Capabilities, Clause, Diagnostic, Frame, Learned, LearnedRule, Learner, Problems, Span, Supervision, Task, Theory,
};
use rustc_hash::FxBuildHasher;

use crate::choice::{SHOWN, read_bodies, unused};
use crate::settings::IledSettings;
use crate::solver::{Limits, SolverError, solve};

/// What is true of an instance: several sets where variables can be chosen in several ways.
type Truths = Vec<Mask>;

/// The learner.
#[derive(Clone, Debug)]
pub struct Iled {
    settings: IledSettings,
    heads: Vec<Head>,
    propositionaliser: Propositionaliser,
    processes: Vec<Process>,
    batch: Vec<Interpretation>,
    interpretations: u64,
    /// When it began, and the interpretations after which its time was over.
    began: Option<Instant>,
    over: Option<u64>,
    /// What went wrong with the solver.
    problems: Vec<String>,
    /// The rules at work when somebody last asked for them, by head and body, and as a theory.
    at_work: (Vec<(usize, Mask)>, Arc<Theory>),
}

/// The rules of one head, and what they must be right about.
#[derive(Clone, Debug, Default)]
struct Process {
    rules: Vec<Rule>,
    numbers: u64,
    /// Everything that was seen, each thing once: the past.
    positives: IndexSet<Truths, FxBuildHasher>,
    negatives: IndexSet<Truths, FxBuildHasher>,
    /// The bodies of the rules that won over these when this was last looked at.
    started: Vec<Mask>,
    revisions: u64,
    passes: u64,
    /// How much cannot be told apart by the literals there are: noise.
    contradictions: usize,
}

/// A rule with what it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    number: u64,
    body: Mask,
    /// The most specific clauses that it covers.
    support: IndexSet<Mask, FxBuildHasher>,
}

/// What a batch of interpretations has for one head.
#[derive(Debug)]
struct Batch {
    positives: IndexSet<Truths, FxBuildHasher>,
    negatives: IndexSet<Truths, FxBuildHasher>,
    /// The bodies of the rules that win over these: those that start the fluent, for those that end it.
    started: Vec<Mask>,
    conflicts: u64,
}

/// What a rule may become: literals that it must have, and those that it may have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Shape {
    must: Mask,
    may: Mask,
}

impl Iled {
    /// A learner for the heads of a task with listed thresholds.
    pub fn new(task: &Task, settings: IledSettings) -> Result<Iled, Problems> {
        let (heads, propositionaliser) = Head::of_task(task)?;
        let processes = vec![Process::default(); heads.len()];
        Ok(Iled {
            settings,
            heads,
            propositionaliser,
            processes,
            batch: Vec::new(),
            interpretations: 0,
            began: None,
            over: None,
            problems: Vec::new(),
            at_work: (Vec::new(), Arc::default()),
        })
    }

    fn learn(&mut self) {
        let began = *self.began.get_or_insert_with(Instant::now);
        if self.settings.time.is_some_and(|seconds| began.elapsed().as_secs_f64() > seconds) {
            let seen = self.interpretations - self.batch.len() as u64;
            self.over.get_or_insert(seen);
            self.batch.clear();
            return;
        }
        // What wins comes before what loses: where a fluent is started again, nothing can be wrong about an ending.
        let both = self.propositionaliser.precedence();
        let loses = if both == Precedence::Start { RuleKind::Termination } else { RuleKind::Initiation };
        let mut order: Vec<usize> = (0..self.heads.len()).collect();
        order.sort_by_key(|head| self.heads[*head].kind == loses);
        for number in order {
            let head = &self.heads[number];
            let group = self.propositionaliser.group(head.target);
            let table = self.propositionaliser.table(head.target);
            let (allowed, all) = (table.allowed(&head.atom), Mask::first(table.len()));
            let (mut positives, mut negatives) = (IndexSet::default(), IndexSet::default());
            for interpretation in &self.batch {
                let instances = interpretation.groups[group].iter().zip(&interpretation.outcomes[head.target]);
                for (instance, outcome) in instances {
                    match outcome.and_then(|outcome| wanted(head.kind, outcome, both)) {
                        // Rules are made of what is true here, as far as it is meant for the head.
                        Some(true) => positives.insert(truths(instance, &allowed)),
                        Some(false) => negatives.insert(truths(instance, &all)),
                        None => false,
                    };
                }
            }
            let wins = |h: &Head| head.kind == loses && h.target == head.target && h.kind != head.kind;
            let started = self.heads.iter().zip(&self.processes).filter(|(h, _)| wins(h));
            let started: Vec<Mask> = started.flat_map(|(_, p)| &p.rules).map(|r| r.body.clone()).collect();
            let batch = Batch { positives, negatives, started, conflicts: self.settings.conflicts };
            if let Err(error) = self.processes[number].learn(batch) {
                self.problems.push(error.to_string());
            }
        }
        self.batch.clear();
    }

    fn clause(&self, head: usize, body: &Mask) -> Clause {
        let head = &self.heads[head];
        self.propositionaliser.clause(head, self.propositionaliser.table(head.target).body(body))
    }
}

/// Whether a rule should fire where something becomes of a fluent; `None` where it does not matter.
fn wanted(kind: RuleKind, outcome: Outcome, both: Precedence) -> Option<bool> {
    match (kind, outcome) {
        (RuleKind::Observed, outcome) => Some(outcome.holds_next()),
        (RuleKind::Termination, Outcome::Ends) | (RuleKind::Initiation, Outcome::Begins) => Some(true),
        // Where it begins, the rule that starts it wins, or must not be kept from it.
        (RuleKind::Termination, Outcome::Begins) => (both == Precedence::End).then_some(false),
        // What does not hold cannot end, and what holds may be started again.
        (RuleKind::Termination, Outcome::Absent) | (RuleKind::Initiation, Outcome::Persists) => None,
        (RuleKind::Termination, Outcome::Persists) | (RuleKind::Initiation, _) => Some(false),
    }
}

/// What is true of an instance, as far as somebody wants to know.
fn truths(instance: &Instance, wanted: &Mask) -> Truths {
    let all = std::iter::once(&instance.truth).chain(&instance.others);
    let mut truths: Truths = all.map(|truth| truth.and(wanted)).collect();
    truths.sort_unstable();
    truths.dedup();
    truths
}

fn fires(body: &Mask, truths: &[Mask]) -> bool {
    truths.iter().any(|truth| body.fires_on(truth))
}

impl Process {
    /// Looks at a batch; revises the rules where they are wrong about it.
    fn learn(&mut self, batch: Batch) -> Result<(), SolverError> {
        let Batch { positives, negatives, started, conflicts } = batch;
        let wrong_at = |rule: &Rule, n: &Truths| fires(&rule.body, n) && !started.iter().any(|s| fires(s, n));
        let uncovered: Vec<&Truths> =
            positives.iter().filter(|p| !self.rules.iter().any(|r| fires(&r.body, p))).collect();
        // Of several ways to see it, one that is not seen elsewhere.
        let seen = |truth: &Mask| negatives.iter().any(|n| fires(truth, n));
        let unseen = |p: &Truths| p.iter().find(|t| !seen(t)).unwrap_or(&p[0]).clone();
        let new: Vec<Mask> = uncovered.into_iter().map(unseen).collect();
        // Endings that were excused by a beginning are so no longer if the rules that start the fluent have changed.
        let excuses = self.started != started;
        let (wrong, right): (Vec<Rule>, Vec<Rule>) =
            self.rules.drain(..).partition(|r| negatives.iter().any(|n| wrong_at(r, n)));
        self.rules = right;
        let known: Vec<Mask> = self.rules.iter().map(|r| r.body.clone()).collect();
        if !new.is_empty() || !wrong.is_empty() {
            self.revisions += 1;
            let real = |n: &&Truths| !started.iter().any(|s| fires(s, n));
            let negatives: Vec<&Truths> = negatives.iter().filter(real).collect();
            self.revise(&wrong, &new, &negatives, conflicts)?;
        }
        // What is new is held against the past, from its beginning to its end: specialising what is wrong about one part
        // keeps what is right about those before.
        if excuses || self.rules.iter().any(|r| !known.contains(&r.body)) {
            self.passes += u64::from(!self.negatives.is_empty());
            let past: Vec<Truths> = self.negatives.iter().cloned().collect();
            let mut seen: Vec<&Truths> = negatives.iter().filter(|n| !started.iter().any(|s| fires(s, n))).collect();
            for part in past.chunks(PART) {
                seen.extend(part.iter().filter(|n| !started.iter().any(|s| fires(s, n))));
                let (wrong, right): (Vec<Rule>, Vec<Rule>) =
                    self.rules.drain(..).partition(|r| part.iter().any(|n| wrong_at(r, n)));
                self.rules = right;
                if !wrong.is_empty() {
                    self.revise(&wrong, &[], &seen, conflicts)?;
                }
            }
        }
        let changed = self.rules.iter().map(|r| &r.body).ne(&known);
        for rule in &mut self.rules {
            rule.support.extend(positives.iter().flatten().filter(|b| rule.body.fires_on(b)).cloned());
        }
        self.positives.extend(positives);
        self.negatives.extend(negatives);
        self.started = started;
        if changed {
            self.tidy();
        }
        Ok(())
    }

    /// Puts rules in the place of wrong ones, and for beginnings or endings that none covers: the fewest literals that
    /// cover the support of the wrong rules, and what is new, and none of the negatives.
    fn revise(
        &mut self,
        wrong: &[Rule],
        new: &[Mask],
        negatives: &[&Truths],
        conflicts: u64,
    ) -> Result<(), SolverError> {
        let mut shapes: IndexSet<Shape, FxBuildHasher> = IndexSet::default();
        let mut bottoms: IndexSet<Mask, FxBuildHasher> = IndexSet::default();
        for rule in wrong {
            let shape = |bottom: &Mask| Shape { must: rule.body.clone(), may: bottom.clone() };
            shapes.extend(rule.support.iter().map(shape));
            bottoms.extend(rule.support.iter().cloned());
        }
        shapes.extend(new.iter().map(|bottom| Shape { must: Mask::EMPTY, may: bottom.clone() }));
        bottoms.extend(new.iter().cloned());
        // What other rules cover needs no rule of its own; what a negative has too can have none.
        bottoms.retain(|b| !self.rules.iter().any(|r| r.body.fires_on(b)));
        let before = bottoms.len();
        bottoms.retain(|b| !negatives.iter().any(|n| fires(b, n)));
        self.contradictions += before - bottoms.len();
        if bottoms.is_empty() {
            return Ok(());
        }
        // What covers a clause covers all that say more.
        let least = minimal(bottoms.clone());
        let shapes: Vec<Shape> = shapes.into_iter().filter(|s| least.contains(&s.may)).collect();
        for body in choose(&shapes, &least, negatives, conflicts)? {
            self.numbers += 1;
            let support = bottoms.iter().filter(|b| body.fires_on(b)).cloned().collect();
            self.rules.push(Rule { number: self.numbers, body, support });
        }
        Ok(())
    }

    /// Brings the support sets up to date; gives up rules that cover nothing of their own.
    fn tidy(&mut self) {
        for rule in &mut self.rules {
            let covered = self.positives.iter().flatten().filter(|b| rule.body.fires_on(b));
            rule.support = covered.cloned().collect();
        }
        let mut i = self.rules.len();
        while i > 0 {
            i -= 1;
            let needed = self.positives.iter().any(|p| {
                fires(&self.rules[i].body, p)
                    && !self.rules.iter().enumerate().any(|(j, r)| j != i && fires(&r.body, p))
            });
            if !needed {
                self.rules.remove(i);
            }
        }
    }
}

/// So many things of the past are looked at together.
const PART: usize = 1000;

/// The bodies with the fewest literals within some shapes that cover all bottoms, and no negative.
fn choose(shapes: &[Shape], bottoms: &[Mask], negatives: &[&Truths], conflicts: u64) -> Result<Vec<Mask>, SolverError> {
    let mut program = String::new();
    for (k, Shape { must, may }) in shapes.iter().enumerate() {
        let _ = writeln!(program, "{{ keep({k}) }}. :~ keep({k}). [{},{k}]", must.len() + 1);
        for l in may.without(must).iter() {
            let _ = writeln!(program, "{{ use({k},{l}) }} :- keep({k}). :~ use({k},{l}). [1,{k},{l}]");
        }
        // A kept clause must not fire on a negative: one of the literals that are false there is used.
        let mut missing: IndexSet<Mask, FxBuildHasher> = IndexSet::default();
        for truth in negatives.iter().flat_map(|n| n.iter()).filter(|t| must.fires_on(t)) {
            missing.insert(may.without(truth));
        }
        for literals in &minimal(missing) {
            let _ = writeln!(program, ":- keep({k}){}.", unused(k, literals));
        }
        if must.is_empty() {
            let _ = writeln!(program, ":- keep({k}){}.", unused(k, may));
        }
        for (b, bottom) in bottoms.iter().enumerate() {
            if must.fires_on(bottom) {
                let _ = writeln!(program, "covered({b}) :- keep({k}){}.", unused(k, &may.without(bottom)));
            }
        }
    }
    for b in 0..bottoms.len() {
        let _ = writeln!(program, ":- not covered({b}).");
    }
    program.push_str(SHOWN);
    let limit = format!("--solve-limit={conflicts}");
    let answer = solve(&program, &[&limit], &Limits::default())?;
    let mut bodies: Vec<Option<Mask>> = vec![None; shapes.len()];
    // Without an answer in time, everything that was seen is a rule of its own.
    let Some(model) = answer.best() else { return Ok(bottoms.to_vec()) };
    read_bodies(model, &mut bodies, |k| shapes[k].must.clone());
    let distinct: IndexSet<Mask, FxBuildHasher> = bodies.into_iter().flatten().collect();
    Ok(distinct.into_iter().collect())
}

/// The sets that have no other as a part.
fn minimal(sets: IndexSet<Mask, FxBuildHasher>) -> Vec<Mask> {
    let mut sets: Vec<Mask> = sets.into_iter().collect();
    sets.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut kept: Vec<Mask> = Vec::new();
    for set in sets {
        if !kept.iter().any(|k| k.fires_on(&set)) {
            kept.push(set);
        }
    }
    kept
}

impl Learner for Iled {
    fn capabilities(&self) -> Capabilities {
        IledSettings::CAPABILITIES
    }

    // What takes long is a batch, which is small and has a limit of its own.
    fn supervise(&mut self, _: &Supervision) {}

    fn start_from(&mut self, _: &Theory) -> Result<(), Problems> {
        let problem = Diagnostic::new(&Span::default(), "the learner `iled` does not start from rules that are given");
        Err(problem.hint("leave them out, or use the learner `replay` or `oled`").into())
    }

    fn observe(&mut self, frame: &Frame, _: &mut dyn Observer) {
        let Some(interpretation) = self.propositionaliser.observe(frame) else { return };
        self.interpretations += 1;
        self.batch.push(interpretation);
        if self.batch.len() >= self.settings.batch {
            self.learn();
        }
    }

    fn progress(&self) -> Progress {
        Progress { interpretations: self.interpretations, is_cut: false }
    }

    /// The rules after the last whole batch.
    fn theory(&mut self, _: &mut dyn Observer) -> Arc<Theory> {
        let of = |(head, process): (usize, &Process)| {
            process.rules.iter().map(move |r| (head, r.body.clone())).collect::<Vec<_>>()
        };
        let rules: Vec<(usize, Mask)> = self.processes.iter().enumerate().flat_map(of).collect();
        if rules != self.at_work.0 {
            let clauses: Vec<_> = rules.iter().map(|(head, body)| self.clause(*head, body)).collect();
            self.at_work = (rules, Arc::new(Theory::from(clauses)));
        }
        self.at_work.1.clone()
    }

    fn learned(&mut self, _: &mut dyn Observer) -> Learned {
        // What is left of the stream is a batch too; the learner goes on as if nobody had asked.
        let mut copy = self.clone();
        copy.learn();
        let mut learned = Learned { interpretations: self.interpretations, pairs: true, ..Learned::default() };
        for (head, process) in copy.processes.iter().enumerate() {
            for rule in &process.rules {
                let right = process.positives.iter().filter(|p| fires(&rule.body, p)).count() as u64;
                let excused = |n: &Truths| process.started.iter().any(|s| fires(s, n));
                let wrong = process.negatives.iter().filter(|n| fires(&rule.body, n) && !excused(n)).count() as u64;
                learned.rules.push(LearnedRule {
                    clause: copy.clause(head, &rule.body),
                    id: (head, rule.number),
                    evidence: RuleEvidence::Firings(Firings { right, wrong }),
                });
            }
            let Process { revisions, passes, contradictions, positives, negatives, .. } = process;
            let atom = &copy.heads[head].atom;
            let mut remark = format!(
                "`{atom}`: {revisions} revisions, {passes} passes over {} distinct things seen",
                positives.len() + negatives.len()
            );
            if *contradictions > 0 {
                let _ = write!(
                    remark,
                    "; {contradictions} of those that should be covered look like others that should not: the annotation \
                     is not free of noise, or the modes lack a condition"
                );
            }
            learned.remarks.push(remark);
        }
        if let Some(seen) = copy.over {
            learned
                .remarks
                .push(format!("the time was over after {seen} interpretations; the rest was not learned from"));
        }
        learned.remarks.append(&mut copy.problems);
        learned
    }

    fn copy(&mut self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}
