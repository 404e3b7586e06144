//! Choice: kernel clauses, what they are judged by, and the choice of clauses and literals among them as answer sets.

use std::fmt::Write as _;
use std::ops::AddAssign;
use std::time::Instant;

use indexmap::{IndexMap, IndexSet};
use oled::induce::{Mask, RuleKind};
use oled::replay::InstanceHistory;
use oled::{Interrupt, Precedence, Term, Value};
use rustc_hash::FxBuildHasher;

use crate::solver::{Limits, Model, SolverError, Stopped, solve};

/// A most specific clause: what a rule with this head may say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Kernel {
    /// What it does.
    pub kind: RuleKind,
    /// All that is true where it was needed.
    pub bottom: Mask,
}

/// What things cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// A literal, heads included.
    pub literal: u32,
    /// A time point at which the fluent is annotated and not recognised.
    pub uncovered: u32,
    /// A time point at which it is recognised and not annotated.
    pub covered: u32,
}

/// What a theory costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cost {
    /// The sum, by weights.
    pub total: i64,
    /// Literals.
    pub literals: i64,
    /// Positives that are not recognised, of those that can be.
    pub uncovered: i64,
    /// Negatives that are recognised.
    pub covered: i64,
}

/// For each kernel clause the literals that are kept, or nothing.
pub type Hypothesis = Vec<Option<Mask>>;

/// Classes of equal truth in the order of time.
#[derive(Clone, Debug)]
struct Path {
    holds: bool,
    /// Class, time points, label.
    steps: Vec<(usize, i64, Option<bool>)>,
}

/// What a theory is judged by.
#[derive(Clone, Debug)]
pub struct Problem {
    kernels: Vec<Kernel>,
    weights: Weights,
    classes: Vec<Vec<Mask>>,
    paths: Vec<Path>,
    direct: bool,
    /// Which wins where the fluent is started and ended at the same time point.
    both: Precedence,
}

/// What is known of a state before anything is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum State {
    Known(bool),
    /// The class is started.
    Start(usize),
    /// A number of its own.
    Number(usize),
}

/// What a state costs if it is true, and if not.
#[derive(Clone, Copy, Debug, Default)]
struct Price {
    yes: i64,
    no: i64,
}

impl AddAssign for Price {
    fn add_assign(&mut self, other: Price) {
        self.yes += other.yes;
        self.no += other.no;
    }
}

/// The state after a time point of a class, where the end wins: with what is done there whatever is chosen, and what may be.
fn follow_end(
    state: State,
    class: usize,
    (starts, ends): (bool, bool),
    (can_start, can_end): (bool, bool),
    count: &mut usize,
    text: &mut String,
) -> State {
    let holds = starts || state == State::Known(true);
    match state {
        _ if ends => State::Known(false),
        _ if holds && !can_end => State::Known(true),
        State::Known(false) if !starts && !can_start => State::Known(false),
        State::Known(false) if !starts && !can_end => State::Start(class),
        _ if !can_start && !can_end => state,
        _ => {
            let number = State::Number(*count);
            *count += 1;
            let end = if can_end { format!("not end({class})") } else { String::new() };
            let mut ways = Vec::new();
            match state {
                _ if holds => ways.push(String::new()),
                State::Known(_) => {}
                other => ways.push(atom(other)),
            }
            if can_start && !holds {
                ways.push(format!("start({class})"));
            }
            for way in ways {
                let comma = if way.is_empty() || end.is_empty() { "" } else { ", " };
                let _ = writeln!(text, "{} :- {way}{comma}{end}.", atom(number));
            }
            number
        }
    }
}

impl Problem {
    /// What kernel clauses are judged by on histories of a fluent.
    pub fn new(kernels: Vec<Kernel>, histories: &[InstanceHistory], weights: Weights, both: Precedence) -> Problem {
        let mut classes: IndexSet<Vec<Mask>, FxBuildHasher> = IndexSet::default();
        let paths = histories.iter().map(|history| Path {
            holds: history.holds,
            steps: history
                .steps
                .iter()
                .map(|step| {
                    let class = classes.get_index_of(&step.truths);
                    let class = class.unwrap_or_else(|| classes.insert_full(step.truths.clone()).0);
                    (class, i64::from(step.length), step.label)
                })
                .collect(),
        });
        let paths = paths.collect();
        let direct = kernels.iter().any(|k| k.kind == RuleKind::Observed);
        Problem { kernels, weights, classes: classes.into_iter().collect(), paths, direct, both }
    }

    /// The kernel clauses.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// How many literals there are to choose from.
    pub fn size(&self) -> usize {
        self.kernels.iter().map(|k| k.bottom.len() + 1).sum()
    }

    fn fires(&self, body: &Mask, class: usize) -> bool {
        self.classes[class].iter().any(|truth| body.fires_on(truth))
    }

    fn price(&self, label: Option<bool>, times: i64) -> Price {
        match label {
            Some(true) => Price { yes: 0, no: times * i64::from(self.weights.uncovered) },
            Some(false) => Price { yes: times * i64::from(self.weights.covered), no: 0 },
            None => Price::default(),
        }
    }

    /// The classes in which the kept clauses start the fluent, and in which they end it.
    fn actions(&self, hypothesis: &[Option<Mask>], of: impl Fn(usize) -> bool) -> (Vec<bool>, Vec<bool>) {
        let mut actions = [vec![false; self.classes.len()], vec![false; self.classes.len()]];
        for (k, body) in hypothesis.iter().enumerate() {
            let Some(body) = body.as_ref().filter(|_| of(k)) else { continue };
            let set = &mut actions[usize::from(self.kernels[k].kind == RuleKind::Termination)];
            (0..self.classes.len()).for_each(|c| set[c] |= self.fires(body, c));
        }
        let [starts, ends] = actions;
        (starts, ends)
    }

    /// What a hypothesis costs, time point by time point.
    pub fn cost(&self, hypothesis: &[Option<Mask>]) -> Cost {
        let (starts, ends) = self.actions(hypothesis, |_| true);
        let mut cost = Cost { literals: literals(hypothesis), ..Cost::default() };
        for path in &self.paths {
            let mut state = path.holds;
            for &(class, length, label) in &path.steps {
                let then = self.both.next(state, starts[class], ends[class]);
                let held = if self.direct {
                    length * i64::from(starts[class])
                } else {
                    i64::from(state) + (length - 1) * i64::from(then)
                };
                match label {
                    Some(true) => cost.uncovered += length - held,
                    Some(false) => cost.covered += held,
                    None => {}
                }
                state = then;
            }
        }
        let Weights { literal, uncovered, covered } = self.weights;
        cost.total = cost.literals * i64::from(literal)
            + cost.uncovered * i64::from(uncovered)
            + cost.covered * i64::from(covered);
        cost
    }

    /// The choice among some kernel clauses, the others being as they are, as a program whose best answer set is the best
    /// choice.
    fn program(&self, hypothesis: &[Option<Mask>], free: &[usize]) -> String {
        let (starts, ends) = self.actions(hypothesis, |k| !free.contains(&k));
        let mut text = String::new();
        let literal = self.weights.literal;
        for &k in free {
            let bottom = &self.kernels[k].bottom;
            let _ = writeln!(text, "{{ keep({k}) }}. :~ keep({k}). [{literal},{k}]");
            for l in bottom.iter() {
                let _ = writeln!(text, "{{ use({k},{l}) }} :- keep({k}). :~ use({k},{l}). [{literal},{k},{l}]");
            }
            let _ = writeln!(text, ":- keep({k}){}.", unused(k, bottom));
        }
        // A kept clause fires where none of the literals is used that are false there.
        let mut can = [vec![false; self.classes.len()], vec![false; self.classes.len()]];
        for &k in free {
            let Kernel { kind, bottom } = &self.kernels[k];
            let ends_it = *kind == RuleKind::Termination;
            let name = if ends_it { "end" } else { "start" };
            for class in 0..self.classes.len() {
                // Where another clause does the same, or wins, it makes no difference.
                let (same, other) = if ends_it { (&ends, &starts) } else { (&starts, &ends) };
                if same[class] || other[class] && ends_it == (self.both == Precedence::Start) {
                    continue;
                }
                for truth in &self.classes[class] {
                    let missing = bottom.without(truth);
                    if missing == *bottom {
                        continue;
                    }
                    can[usize::from(ends_it)][class] = true;
                    let _ = writeln!(text, "{name}({class}) :- keep({k}){}.", unused(k, &missing));
                }
            }
        }
        let [can_start, can_end] = can;
        // The same state and the same class are followed by the same state.
        let mut prices: IndexMap<State, Price, FxBuildHasher> = IndexMap::default();
        let mut next: IndexMap<(State, usize), State, FxBuildHasher> = IndexMap::default();
        let mut count = 0;
        for path in &self.paths {
            let mut state = State::Known(path.holds);
            for &(class, length, label) in &path.steps {
                let mut follow = |state: State| {
                    let start = can_start[class];
                    if self.both == Precedence::End {
                        let does = (starts[class], ends[class]);
                        return follow_end(state, class, does, (start, can_end[class]), &mut count, &mut text);
                    }
                    match state {
                        _ if starts[class] => State::Known(true),
                        State::Known(false) if !start => State::Known(false),
                        State::Known(false) => State::Start(class),
                        _ if ends[class] => {
                            if start {
                                State::Start(class)
                            } else {
                                State::Known(false)
                            }
                        }
                        _ if !start && !can_end[class] => state,
                        State::Known(true) if !can_end[class] => State::Known(true),
                        _ => {
                            let number = State::Number(count);
                            count += 1;
                            if start {
                                let _ = writeln!(text, "{} :- start({class}).", atom(number));
                            }
                            let before = match state {
                                State::Known(_) => String::new(),
                                other => atom(other),
                            };
                            let end = if can_end[class] { format!("not end({class})") } else { String::new() };
                            let comma = if before.is_empty() || end.is_empty() { "" } else { ", " };
                            let _ = writeln!(text, "{} :- {before}{comma}{end}.", atom(number));
                            number
                        }
                    }
                };
                if self.direct {
                    let now = if starts[class] {
                        State::Known(true)
                    } else if can_start[class] {
                        State::Start(class)
                    } else {
                        State::Known(false)
                    };
                    *prices.entry(now).or_default() += self.price(label, length);
                    continue;
                }
                *prices.entry(state).or_default() += self.price(label, 1);
                let then = match next.get(&(state, class)) {
                    Some(then) => *then,
                    None => {
                        let then = follow(state);
                        next.insert((state, class), then);
                        then
                    }
                };
                *prices.entry(then).or_default() += self.price(label, length - 1);
                state = then;
            }
        }
        for (i, (state, Price { yes, no })) in prices.into_iter().enumerate() {
            match state {
                State::Known(_) => {}
                _ if yes > no => {
                    let _ = writeln!(text, ":~ {}. [{},state({i})]", atom(state), yes - no);
                }
                _ if no > yes => {
                    let _ = writeln!(text, ":~ not {}. [{},state({i})]", atom(state), no - yes);
                }
                _ => {}
            }
        }
        text.push_str(SHOWN);
        text
    }

    /// The best choice among some kernel clauses, the others being as they are; and whether it is proven to be the best.
    pub fn choose(
        &self,
        hypothesis: &[Option<Mask>],
        free: &[usize],
        effort: &Effort,
    ) -> Result<(Hypothesis, bool), SolverError> {
        let program = self.program(hypothesis, free);
        let conflicts = effort.conflicts.map(|n| format!("--solve-limit={n}"));
        let mut options = vec!["--opt-strategy=bb,inc", "--opt-heuristic=sign", "--heuristic=Vsids"];
        options.extend(conflicts.as_deref());
        let answer = solve(&program, &options, &Limits { time: effort.left(), ..Limits::default() })?;
        let mut chosen = hypothesis.to_vec();
        if let Some(model) = answer.best() {
            free.iter().for_each(|k| chosen[*k] = None);
            read_bodies(model, &mut chosen, |_| Mask::EMPTY);
            // Where it was stopped early, what there was may be better.
            if self.cost(&chosen) > self.cost(hypothesis) {
                chosen = hypothesis.to_vec();
            }
        }
        Ok((chosen, answer.is_optimal() && answer.stopped != Some(Stopped::Time)))
    }
}

/// What a model of a choice shows: the clauses that are kept, and the literals that they use.
pub(crate) const SHOWN: &str = "#show keep/1. #show use/2.\n";

/// The condition that a clause uses none of some literals, after others.
pub(crate) fn unused(clause: usize, literals: &Mask) -> String {
    literals.iter().fold(String::new(), |mut text, l| {
        let _ = write!(text, ", not use({clause},{l})");
        text
    })
}

/// Puts the clauses that a model keeps into their places: the literals that they must have, and those that they use.
pub(crate) fn read_bodies(model: &Model, bodies: &mut [Option<Mask>], must: impl Fn(usize) -> Mask) {
    let number = |term: &Term| match term {
        Term::Value(Value::Int(i)) => *i as usize,
        _ => unreachable!("the program has numbers only"),
    };
    for atom in &model.atoms {
        let k = number(&atom.args[0]);
        let body = bodies[k].get_or_insert_with(|| must(k));
        if let Some(literal) = atom.args.get(1) {
            body.insert(number(literal));
        }
    }
}

/// How long is searched.
#[derive(Clone, Debug)]
pub struct Effort {
    /// Conflicts of a call of the solver: the same on every machine.
    pub conflicts: Option<u64>,
    /// When to stop, whatever comes of it.
    pub until: Option<Instant>,
    /// Who may ask to stop, between two calls of the solver.
    pub interrupt: Interrupt,
}

impl Effort {
    /// The time that is left.
    pub fn left(&self) -> Option<std::time::Duration> {
        self.until.map(|until| until.saturating_duration_since(Instant::now()))
    }

    /// Whether none is left, or somebody asked to stop.
    pub fn is_over(&self) -> bool {
        self.interrupt.is_raised() || self.left().is_some_and(|left| left.is_zero())
    }
}

fn atom(state: State) -> String {
    match state {
        State::Known(_) => unreachable!("what is known has no atom"),
        State::Start(class) => format!("start({class})"),
        State::Number(n) => format!("holds({n})"),
    }
}

/// The literals of a hypothesis, heads included.
fn literals(hypothesis: &[Option<Mask>]) -> i64 {
    hypothesis.iter().flatten().map(|body| body.len() as i64 + 1).sum()
}
