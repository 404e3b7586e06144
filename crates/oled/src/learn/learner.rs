//! Learner: all processes side by side on one stream.

use std::thread::JoinHandle;

use super::interpretation::{Cover, Interpretation, TargetSpec};
use super::process::{LeftOut, Process};
use crate::event::Observer;
use crate::induce::{Counts, LiteralTable, Mask, RuleKind, Settings, epsilon, head_template};
use crate::lang::ec::{HOLDS, INITIATED, TERMINATED};
use crate::lang::{Atom, Clause, Diagnostic, Formula, Literal, Problems, Signature, Symbol, Term, Theory};
use crate::stream::Frame;
use crate::task::Task;

/// Learns event definitions from a stream, in one pass: a process for each head that the modes declare.
#[derive(Debug)]
pub struct Learner {
    cover: Cover,
    /// Empty while they are at work on another thread.
    processes: Vec<Process>,
    working: Option<JoinHandle<Vec<Process>>>,
    /// The target of each process.
    targets: Vec<usize>,
    batch: Vec<Interpretation>,
    threads: usize,
    interpretations: u64,
}

/// What was learned so far.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The rules, process by process.
    pub rules: Vec<LearnedRule>,
    /// Rules that are alive and not among them, with the reason.
    pub left_out: Vec<(LearnedRule, LeftOut)>,
    /// Interpretations seen.
    pub interpretations: u64,
}

/// A rule with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedRule {
    /// The rule.
    pub clause: Clause,
    /// The number of its process, and its number there.
    pub id: (usize, u64),
    /// Its counts since its evidence was last restarted.
    pub counts: Counts,
    /// Its score from them.
    pub score: f64,
    /// Its counts over the whole stream.
    pub stream: Counts,
    /// Instances it was evaluated on.
    pub instances: u64,
    /// The observations in the bound, and the bound.
    pub n: f64,
    /// The bound.
    pub epsilon: f64,
}

impl Learned {
    /// The rules as a theory.
    pub fn theory(&self) -> Theory {
        Theory { clauses: self.rules.iter().map(|r| r.clause.clone()).collect() }
    }
}

/// Interpretations that are handed to the processes together, so that threads have something to do.
const BATCH: usize = 1024;

impl Learner {
    /// A learner for the heads of a task. `settings` gives those of each target, by the name of its fluent or predicate.
    pub fn new(task: &Task, settings: impl Fn(Symbol) -> Settings) -> Result<Learner, Problems> {
        let fail = |span: &crate::lang::Span, message: String| Problems::from(Diagnostic::new(span, message));
        let empty = Theory::default();
        task.check(&empty)?;
        let rules = task.rules(&empty);
        let mut heads = Vec::new();
        // Heads with variables of the same types are a group. Pairs of a symmetric fluent are others than those of one that
        // is not.
        let mut groups: Vec<(Vec<Symbol>, bool)> = Vec::new();
        for mode in &task.bias.heads {
            let (types, head) = head_template(mode).map_err(|m| fail(&mode.atom.span, m))?;
            let group = (types.clone(), types.len() == 2 && task.is_symmetric(mode.signature()));
            if !groups.contains(&group) {
                groups.push(group.clone());
            }
            heads.push((mode, group, head));
        }
        if heads.is_empty() {
            let problem = Diagnostic::new(&crate::lang::Span::default(), "the task declares no heads to be learned");
            return Err(problem.hint("add `modeh(initiatedAt(fluent(+type), +time)).` to its modes").into());
        }
        let (vocabulary, program) = task.compile(&rules, |vocabulary| {
            let mut wanted: Vec<Signature> = task.bias.bodies.iter().map(crate::lang::Mode::signature).collect();
            let outputs = task.bias.bodies.iter().flat_map(|m| m.types().into_iter().flatten());
            for kind in groups.iter().flat_map(|(types, _)| types).copied().chain(outputs) {
                for arity in 1..=2 {
                    let signature = Signature::plain(kind, arity);
                    if vocabulary.predicates.contains_key(&signature) {
                        wanted.push(signature);
                    }
                }
            }
            wanted
        })?;
        let name = |mode: &crate::lang::Mode| mode.signature().inner_name().unwrap_or_else(|| mode.signature().name());
        let variables = task.bias.heads.iter().map(|m| settings(name(m)).variables).max().unwrap_or(1);
        // What is wrong with the modes is mostly that there are too many of them; an open threshold has a place.
        let is_open = |m: &&crate::lang::Mode| vocabulary.measures.iter().any(|o| o.predicate == m.signature());
        let place = task.bias.bodies.iter().find(is_open).or(task.bias.bodies.first());
        let place = place.map_or_else(Default::default, |m| m.atom.span.clone());
        let table = |types: &[Symbol]| LiteralTable::new(&task.bias, &vocabulary, types, variables);
        let tables: Result<Vec<(LiteralTable, bool)>, String> =
            groups.iter().map(|(types, symmetric)| Ok((table(types)?, *symmetric))).collect();
        let tables = tables.map_err(|m| fail(&place, m))?;
        let mut targets: Vec<TargetSpec> = Vec::new();
        let mut specs = Vec::new();
        for (mode, (types, symmetric), head) in heads {
            let signature = mode.signature();
            let (kind, label) = match mode.atom.name.as_str() {
                INITIATED => (RuleKind::Initiation, signature.renamed(HOLDS)),
                TERMINATED => (RuleKind::Termination, signature.renamed(HOLDS)),
                _ => (RuleKind::Direct, signature),
            };
            if !task.labels().contains(&label) {
                let problem = Diagnostic::new(&mode.atom.span, format!("nothing is annotated to learn `{head}` from"));
                return Err(problem.hint(format!("declare `example({label})` with the types of its arguments")).into());
            }
            let mut columns = Vec::new();
            crate::lang::for_each_hole(&head.args, &mut |term| {
                columns.push(match term {
                    Term::Value(value) => Err(*value),
                    _ => Ok(columns.iter().filter(|c: &&Result<usize, _>| c.is_ok()).count()),
                });
            });
            columns.pop();
            let same = |t: &TargetSpec| t.label == label && t.columns == columns;
            let target = targets.iter().position(same).unwrap_or_else(|| {
                targets.push(TargetSpec { types, label, columns, direct: kind == RuleKind::Direct, symmetric });
                targets.len() - 1
            });
            specs.push((target, kind, head, settings(name(mode))));
        }
        let observed_next = specs.iter().all(|(.., s)| s.observed_next);
        let (symmetries, interleaved) = (task.bias.symmetries(), task.options.interleaved);
        let cover = Cover::new(program, &vocabulary, tables, &targets, symmetries, observed_next, interleaved)
            .map_err(|m| fail(&place, m))?;
        let targets = specs.iter().map(|(target, ..)| *target).collect();
        let processes = specs
            .into_iter()
            .enumerate()
            .map(|(i, (target, kind, head, settings))| {
                Process::new(i, (target, cover.group(target)), kind, head, settings, cover.table(target))
            })
            .collect();
        Ok(Learner { cover, processes, working: None, targets, batch: Vec::new(), threads: 1, interpretations: 0 })
    }

    /// Spreads the processes over threads. What is learned does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Learner {
        self.threads = threads.max(1);
        self
    }

    /// Starts from rules that are given: they are scored, specialised and given up like learned ones.
    pub fn start_from(&mut self, theory: &Theory) -> Result<(), Problems> {
        let mut problems = Vec::new();
        for clause in &theory.clauses {
            if let Err(problem) = self.start_from_rule(clause) {
                problems.push(problem);
            }
        }
        Problems::check(problems)
    }

    fn start_from_rule(&mut self, clause: &Clause) -> Result<(), Diagnostic> {
        let signature = Signature::of(&clause.head);
        let Some(process) = self.processes.iter_mut().find(|p| Signature::of(&p.head) == signature) else {
            return Err(Diagnostic::new(&clause.head.span, format!("no mode declares the head `{signature}`"))
                .hint("rules to start from have heads that are to be learned"));
        };
        let table = self.cover.table(process.target());
        let renamed = rename(clause, &process.head);
        let mut body = Mask::EMPTY;
        for (literal, original) in renamed.body.iter().zip(&clause.body) {
            match table.find(literal) {
                Some(index) => body = body.with(Mask::of(index)),
                None => {
                    return Err(Diagnostic::new(
                        &original.span,
                        format!("the modes do not allow the condition `{original}`"),
                    )
                    .hint("add a `modeb` for it"));
                }
            }
        }
        let literals = table.len();
        process.start_with(body, literals);
        Ok(())
    }

    /// Learns from a frame, together with the one before it in its segment; tells what happened, some of it later.
    pub fn observe(&mut self, frame: &Frame, observer: &mut impl Observer) {
        if let Some(interpretation) = self.cover.observe(frame) {
            self.batch.push(interpretation);
            if self.batch.len() >= BATCH {
                self.dispatch(observer);
            }
        }
    }

    /// Interpretations made of the frames observed so far.
    pub fn observed(&self) -> u64 {
        self.interpretations + self.batch.len() as u64
    }

    /// Brings all processes up to the last frame observed.
    pub fn flush(&mut self, observer: &mut impl Observer) {
        self.dispatch(observer);
        self.wait(observer);
    }

    /// Hands the batch to the processes. With several threads they work on it while the next batch is made.
    fn dispatch(&mut self, observer: &mut impl Observer) {
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
    fn wait(&mut self, observer: &mut impl Observer) {
        if let Some(working) = self.working.take() {
            self.processes = working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            self.tell(observer);
        }
    }

    /// Tells what happened, in the order of the stream, then of the processes: the same for any number of threads.
    fn tell(&mut self, observer: &mut impl Observer) {
        let mut events: Vec<_> = self.processes.iter_mut().flat_map(|p| p.events.drain(..)).collect();
        events.sort_by_key(|e| (e.interpretation, e.process));
        events.iter().for_each(|e| observer.on(e));
    }

    /// The rules learned so far; call [`Learner::flush`] before.
    pub fn learned(&self) -> Learned {
        let (mut rules, mut left_out) = (Vec::new(), Vec::new());
        for process in &self.processes {
            for (rule, why) in process.sift() {
                let (kind, settings) = (process.kind, &process.settings);
                let n = rule.n(kind, settings);
                let rule = LearnedRule {
                    clause: process.clause(rule, self.cover.table(process.target())),
                    id: (process.number, rule.id),
                    counts: rule.counts(kind, settings),
                    score: rule.score(kind, settings),
                    stream: crate::induce::counts(&process.stream, rule.body, kind, settings),
                    instances: rule.instances,
                    n,
                    epsilon: epsilon(settings.delta, n),
                };
                match why {
                    None => rules.push(rule),
                    Some(why) => left_out.push((rule, why)),
                }
            }
        }
        Learned { rules, left_out, interpretations: self.interpretations }
    }

    /// What makes interpretations of frames: for those who feed processes themselves, as benchmarks and tests do.
    pub fn cover(&mut self) -> &mut Cover {
        &mut self.cover
    }

    /// The processes; call [`Learner::flush`] before.
    pub fn processes(&self) -> &[Process] {
        &self.processes
    }

    /// The literals that the rules of a process are made of.
    pub fn table(&self, process: usize) -> &LiteralTable {
        self.cover.table(self.targets[process])
    }
}

fn learn(processes: &mut [Process], batch: &[Interpretation]) {
    for process in processes {
        batch.iter().for_each(|i| process.learn(i));
    }
}

/// The clause with the variable names of a head template.
fn rename(clause: &Clause, template: &Atom) -> Clause {
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
    let term = |t: &Term| substitute(t, &names);
    let atom = |a: &Atom| Atom { name: a.name, args: a.args.iter().map(term).collect(), span: a.span.clone() };
    let body = clause.body.iter().map(|l| Literal {
        negated: l.negated,
        formula: match &l.formula {
            Formula::Atom(a) => Formula::Atom(atom(a)),
            Formula::Compare(op, a, b) => Formula::Compare(*op, term(a), term(b)),
        },
        span: l.span.clone(),
    });
    Clause { head: atom(&clause.head), body: body.collect(), span: clause.span.clone() }
}

fn substitute(term: &Term, names: &[(Symbol, Term)]) -> Term {
    match term {
        Term::Var(name) => names.iter().find(|(n, _)| n == name).map_or_else(|| term.clone(), |(_, t)| t.clone()),
        Term::App(name, args) => Term::App(*name, args.iter().map(|a| substitute(a, names)).collect()),
        term => term.clone(),
    }
}
