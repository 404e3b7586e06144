//! XHAIL: a batch learner. What must have happened is abduced from all of the annotation, most specific clauses are made of
//! it, and the best theory within them is chosen by optimisation, all clauses at once.
//!
//! After O. Ray: Nonmonotonic abductive inductive learning, Journal of Applied Logic, 2009. The Event Calculus is in the
//! programs as it is: what a rule does is judged by what is then recognised, time point by time point.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use indexmap::{IndexMap, IndexSet};
use oled::event::Observer;
use oled::induce::{Mask, RuleKind};
use oled::learn::{Firings, Progress, RuleEvidence};
use oled::replay::{InstanceHistory, StreamHistory};
use oled::{
    Capabilities, Diagnostic, Frame, Learned, LearnedRule, Learner, Problems, Span, Supervision, Task, Term, Theory,
    Value,
};
use oled_data::world::splitmix;
use rustc_hash::FxBuildHasher;

use crate::choice::{Cost, Effort, Hypothesis, Kernel, Problem, Weights};
use crate::settings::XhailSettings;
use crate::solver::{Limits, SolverError, solve};

/// The learner.
#[derive(Clone, Debug)]
pub struct Xhail {
    settings: XhailSettings,
    history: StreamHistory,
    supervision: Supervision,
    /// What was learned last, as a theory too, and from how many frames.
    last: Option<(u64, Learned, Arc<Theory>)>,
}

/// What came of the search for the rules of a target.
#[derive(Clone, Debug)]
struct Outcome {
    rules: Vec<(RuleKind, Mask)>,
    cost: Cost,
    kernels: usize,
    /// How many explanations were tried, the most there were to try included.
    depth: usize,
    optimal: bool,
    over: bool,
}

impl Xhail {
    /// A learner for the heads of a task with listed thresholds.
    pub fn new(task: &Task, settings: XhailSettings) -> Result<Xhail, Problems> {
        Ok(Xhail { settings, history: StreamHistory::new(task)?, supervision: Supervision::default(), last: None })
    }

    fn learn(&self) -> Result<Learned, SolverError> {
        let mut learned = Learned { interpretations: self.history.frames(), ..Learned::default() };
        for target in 0..self.history.targets() {
            let kinds = [RuleKind::Observed, RuleKind::Initiation, RuleKind::Termination];
            // Each with the literals that are meant for its rules.
            let allowed = |kind: RuleKind| {
                let head = &self.history.heads()[self.history.head(target, kind)?];
                Some((kind, self.history.table(target).allowed(&head.atom)))
            };
            let kinds: Vec<(RuleKind, Mask)> = kinds.into_iter().filter_map(allowed).collect();
            let histories = self.history.histories(target);
            let outcome = self.search(&histories, &kinds)?;
            let name = self.history.heads().iter().find(|h| h.target == target).expect("a target has a head").name;
            let Cost { uncovered, covered, literals, total } = outcome.cost;
            let how = match outcome {
                Outcome { optimal: true, .. } => "the best there is within the kernel",
                Outcome { over: true, .. } => "the best found when the time was over",
                _ => "the best found, not proven to be the best",
            };
            learned.remarks.push(format!(
                "`{name}`: cost {total} ({literals} literals, {uncovered} time points missed, {covered} false alarms), {how}; \
                 {} kernel clauses from explanations up to depth {}",
                outcome.kernels, outcome.depth
            ));
            for (number, (kind, body)) in outcome.rules.into_iter().enumerate() {
                let head = self.history.head(target, kind).expect("kernels have the heads that are declared");
                let clause = self.history.clause(head, &body);
                let fired = histories.iter().map(|history| history.fired(kind, &body));
                let evidence = RuleEvidence::Firings(fired.fold(Firings::default(), |sum, f| Firings {
                    right: sum.right + f.right,
                    wrong: sum.wrong + f.wrong,
                }));
                learned.rules.push(LearnedRule { clause, id: (head, number as u64 + 1), evidence });
            }
        }
        Ok(learned)
    }

    /// Deeper and deeper explanations, until one brings nothing more.
    fn search(&self, histories: &[InstanceHistory], kinds: &[(RuleKind, Mask)]) -> Result<Outcome, SolverError> {
        let until = self.settings.time.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        let interrupt = self.supervision.searches.clone();
        let effort = Effort { conflicts: Some(self.settings.conflicts), until, interrupt };
        let XhailSettings { literal, uncovered, covered, .. } = self.settings;
        let weights = Weights { literal, uncovered, covered };
        let mut best: Option<Outcome> = None;
        let mut known: Vec<Kernel> = Vec::new();
        for depth in 0..=self.settings.depth {
            let kernels = kernels(histories, kinds, depth)?;
            if best.is_some() && kernels == known {
                continue;
            }
            let problem = Problem::new(kernels.clone(), histories, weights, self.history.precedence());
            self.supervision.listener.tell(|| format!("{} kernel clauses at depth {depth}", kernels.len()));
            let start = best.as_ref().map(|b| placed(&b.rules, &kernels));
            let (hypothesis, optimal) = self.solve(&problem, start, &effort)?;
            let outcome = Outcome {
                rules: rules(&kernels, &hypothesis),
                cost: problem.cost(&hypothesis),
                kernels: kernels.len(),
                depth,
                optimal,
                over: effort.is_over(),
            };
            let better = best.as_ref().is_none_or(|b| outcome.cost < b.cost);
            let done = outcome.over || !better || outcome.cost.uncovered + outcome.cost.covered == 0;
            if better {
                best = Some(outcome);
            }
            if done {
                break;
            }
            known = kernels;
        }
        Ok(best.expect("there is an outcome at depth 0"))
    }

    /// The best theory within the kernel clauses: all at once where there are few; else some of them at a time, the others
    /// being as they are, more and more.
    fn solve(
        &self,
        problem: &Problem,
        start: Option<Hypothesis>,
        effort: &Effort,
    ) -> Result<(Hypothesis, bool), SolverError> {
        let count = problem.kernels().len();
        let all: Vec<usize> = (0..count).collect();
        let mut best = start.unwrap_or_else(|| vec![None; count]);
        if problem.size() <= SMALL {
            return problem.choose(&best, &all, &Effort { conflicts: None, ..effort.clone() });
        }
        let mut chance = self.settings.seed;
        let mut cost = problem.cost(&best);
        for width in WIDTHS {
            loop {
                let before = cost;
                let mut order = all.clone();
                shuffle(&mut order, &mut chance);
                for focus in order {
                    if effort.is_over() {
                        return Ok((best, false));
                    }
                    // With clauses that are in use, which it may replace, and with others at random.
                    let mut used: Vec<usize> = all.iter().copied().filter(|k| best[*k].is_some()).collect();
                    let mut others: Vec<usize> = all.iter().copied().filter(|k| best[*k].is_none()).collect();
                    shuffle(&mut used, &mut chance);
                    shuffle(&mut others, &mut chance);
                    let mut free = vec![focus];
                    free.extend(used.into_iter().filter(|k| *k != focus).take(width / 2));
                    free.extend(others.into_iter().filter(|k| *k != focus).take(width - free.len().min(width)));
                    free.sort_unstable();
                    let (chosen, _) = problem.choose(&best, &free, effort)?;
                    let found = problem.cost(&chosen);
                    if found < cost {
                        (best, cost) = (chosen, found);
                        let Cost { total, literals, .. } = cost;
                        self.supervision
                            .listener
                            .tell(|| format!("{count} kernel clauses, cost {total}, {literals} literals"));
                    }
                }
                if cost >= before {
                    break;
                }
            }
        }
        // All at once, from the best there is: it may be proven.
        problem.choose(&best, &all, effort)
    }
}

impl Learner for Xhail {
    fn capabilities(&self) -> Capabilities {
        XhailSettings::CAPABILITIES
    }

    fn supervise(&mut self, supervision: &Supervision) {
        self.supervision = supervision.clone();
    }

    fn start_from(&mut self, _: &Theory) -> Result<(), Problems> {
        let problem = Diagnostic::new(&Span::default(), "the learner `xhail` does not start from rules that are given");
        Err(problem.hint("leave them out, or use the learner `replay` or `oled`").into())
    }

    fn observe(&mut self, frame: &Frame, _: &mut dyn Observer) {
        self.history.observe(frame);
    }

    fn progress(&self) -> Progress {
        Progress { interpretations: self.history.frames(), is_cut: false }
    }

    /// A batch learner has no rules before it has looked at everything.
    fn theory(&mut self, observer: &mut dyn Observer) -> Arc<Theory> {
        self.learned(observer);
        self.last.as_ref().map(|(_, _, theory)| theory.clone()).unwrap_or_default()
    }

    fn learned(&mut self, _: &mut dyn Observer) -> Learned {
        let frames = self.history.frames();
        if let Some((seen, learned, _)) = &self.last
            && *seen == frames
        {
            return learned.clone();
        }
        let learned = self.learn().unwrap_or_else(|error| Learned {
            interpretations: frames,
            remarks: vec![error.to_string()],
            ..Learned::default()
        });
        self.last = Some((frames, learned.clone(), Arc::new(learned.theory())));
        learned
    }

    fn copy(&mut self) -> Box<dyn Learner> {
        Box::new(self.clone())
    }
}

/// Puts things into an order by chance, the same for the same state.
fn shuffle<T>(items: &mut [T], state: &mut u64) {
    for i in (1..items.len()).rev() {
        items.swap(i, (splitmix(state) % (i as u64 + 1)) as usize);
    }
}

/// With so many literals to choose from, all are chosen at once.
const SMALL: usize = 160;

/// How many kernel clauses are chosen at a time.
const WIDTHS: [usize; 3] = [2, 4, 6];

/// How many minimal explanations of a history are looked at.
const ALTERNATIVES: usize = 32;

/// So many classes more are explained at each depth from the second on.
const MORE: usize = 8;

/// The kernel clauses of the explanations of a depth: at 0 of one minimal explanation of each history, at 1 of all of them,
/// beyond that also of things that need not have happened, those first that would be right most often.
fn kernels(
    histories: &[InstanceHistory],
    kinds: &[(RuleKind, Mask)],
    depth: usize,
) -> Result<Vec<Kernel>, SolverError> {
    let mut kernels: IndexSet<Kernel, FxBuildHasher> = IndexSet::default();
    let mut add = |kind: RuleKind, truths: &[Mask]| {
        if let Some((_, allowed)) = kinds.iter().find(|(known, _)| *known == kind) {
            let bottoms = truths.iter().map(|truth| truth.and(allowed)).filter(|bottom| !bottom.is_empty());
            kernels.extend(bottoms.map(|bottom| Kernel { kind, bottom }));
        }
    };
    let direct = kinds.iter().any(|(kind, _)| *kind == RuleKind::Observed);
    for history in histories {
        for (kind, step) in explain(history, direct, depth > 0)? {
            add(kind, &history.steps[step].truths);
        }
    }
    if depth > 1 {
        // What need not have happened, and agrees with the annotation: how often, and how often it would not.
        let mut right: IndexMap<(RuleKind, &[Mask]), i64, FxBuildHasher> = IndexMap::default();
        for (now, next) in histories.iter().flat_map(|c| c.steps.windows(2)).map(|w| (&w[0], &w[1])) {
            let Some(holds) = next.label else { continue };
            *right.entry((RuleKind::Initiation, &now.truths)).or_default() += if holds { 1 } else { -1 };
            *right.entry((RuleKind::Termination, &now.truths)).or_default() += if holds { -1 } else { 1 };
        }
        let mut order: Vec<_> = right.into_iter().collect();
        order.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.1.cmp(b.0.1)));
        for kind in [RuleKind::Initiation, RuleKind::Termination] {
            let of_kind = order.iter().filter(|((k, _), times)| *k == kind && *times > 0);
            of_kind.take(MORE * (depth - 1)).for_each(|((kind, truths), _)| add(*kind, truths));
        }
    }
    Ok(kernels.into_iter().collect())
}

/// What must have happened for a history to be as annotated: the fewest beginnings and endings, by the axioms of the Event
/// Calculus; each at a step, whose last time point is meant.
fn explain(history: &InstanceHistory, direct: bool, all: bool) -> Result<Vec<(RuleKind, usize)>, SolverError> {
    let steps = &history.steps;
    if direct {
        let held = steps.iter().enumerate().filter(|(_, s)| s.label == Some(true));
        return Ok(held.map(|(i, _)| (RuleKind::Observed, i)).collect());
    }
    if !history.holds && steps.iter().all(|s| s.label != Some(true)) {
        return Ok(Vec::new());
    }
    let mut program = format!("step(0..{}).\n", steps.len() - 1);
    if history.holds {
        program.push_str("holds(0).\n");
    }
    for (i, step) in steps.iter().enumerate() {
        if let Some(label) = step.label {
            // An annotation that no explanation fits, as at the first step, is not worth all others.
            let _ = writeln!(program, ":~ {} holds({i}). [1@2,{i}]", if label { "not" } else { "" });
        }
    }
    program.push_str(
        "{ initiated(T); terminated(T) } :- step(T), step(T+1).\n\
         holds(T+1) :- initiated(T).\n\
         holds(T+1) :- holds(T), not terminated(T), step(T+1).\n\
         :~ initiated(T). [1@1,T,initiated]\n:~ terminated(T). [1@1,T,terminated]\n\
         #show initiated/1. #show terminated/1.\n",
    );
    let options: &[&str] = if all { &["--opt-mode=optN"] } else { &["--opt-mode=opt"] };
    let limits = Limits { models: Some(if all { ALTERNATIVES } else { 0 }), ..Limits::default() };
    let answer = solve(&program, options, &limits)?;
    let best = answer.best().map(|m| m.cost.clone()).unwrap_or_default();
    let mut found: IndexSet<(RuleKind, usize), FxBuildHasher> = IndexSet::default();
    let models = answer.models.iter().rev().filter(|m| m.cost == best).take(if all { ALTERNATIVES } else { 1 });
    for atom in models.flat_map(|m| &m.atoms) {
        let kind = if atom.name.as_str() == "initiated" { RuleKind::Initiation } else { RuleKind::Termination };
        if let Some(Term::Value(Value::Int(step))) = atom.args.first() {
            found.insert((kind, *step as usize));
        }
    }
    let mut found: Vec<(RuleKind, usize)> = found.into_iter().collect();
    found.sort_by_key(|(kind, step)| (*step, *kind == RuleKind::Termination));
    Ok(found)
}

/// Rules in the places of kernel clauses that they are parts of.
fn placed(rules: &[(RuleKind, Mask)], kernels: &[Kernel]) -> Hypothesis {
    let mut hypothesis = vec![None; kernels.len()];
    for (kind, body) in rules {
        let free = |k: &usize| hypothesis[*k].is_none();
        let place =
            (0..kernels.len()).filter(free).find(|k| kernels[*k].kind == *kind && body.fires_on(&kernels[*k].bottom));
        if let Some(place) = place {
            hypothesis[place] = Some(body.clone());
        }
    }
    hypothesis
}

/// The rules of a hypothesis, each once.
fn rules(kernels: &[Kernel], hypothesis: &[Option<Mask>]) -> Vec<(RuleKind, Mask)> {
    let kept = kernels.iter().zip(hypothesis).filter_map(|(k, body)| Some((k.kind, body.clone()?)));
    let distinct: IndexSet<(RuleKind, Mask), FxBuildHasher> = kept.collect();
    let mut rules: Vec<_> = distinct.into_iter().collect();
    rules.sort_by(|(a, body), (b, other)| {
        (*a == RuleKind::Termination, body).cmp(&(*b == RuleKind::Termination, other))
    });
    rules
}
