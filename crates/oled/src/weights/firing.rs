//! Firing: which rules of a theory speak for and against each instance of a fluent, as runs of time points at which the same
//! ones do.
//!
//! An instance is looked at from the first time point on that a rule starts it until it is lost: as with rules that have no
//! weights, what no rule has started does not hold.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::chain::Scores;
use super::margin::count;
use super::weight::FluentWeights;
use crate::calculus::{is_ordinary, label_name, unknown};
use crate::evaluate::Confusion;
use crate::inertia::{self, Fluents, Inertia, inertial, tracked_columns, tracked_types, type_signature};
use crate::lang::ec::{HOLDS, INITIATED, TERMINATED, persisting};
use crate::lang::{
    Clause, Diagnostic, Formula, Literal, Problems, Signature, Span, Symbol, Symmetries, Term, Theory, Value,
    exchanged, for_each_hole,
};
use crate::logic::{Dependence, Limits, Model, Pred, Predicate, Program, Role, Stop, asked_for};
use crate::stream::Frame;
use crate::task::Task;

/// What is annotated at a time point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// It does not hold.
    Absent,
    /// It holds.
    Holds,
    /// Nobody knows.
    Unknown,
}

/// Steps, from one time point to the next, at which the same rules fire, to time points with the same label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The number of the set of rules that fire, among [`FluentChains::firings`].
    pub fired: u32,
    /// What is annotated at the time points that the steps lead to.
    pub label: Label,
    /// The number of steps.
    pub length: u32,
}

/// What fires on an instance while it is observed without a break.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// The segment.
    pub segment: Symbol,
    /// The arguments of the fluent; of a symmetric one in the order that stands for both.
    pub values: Box<[Value]>,
    /// The time point, by its number in the segment, that the first step leads to.
    pub first: usize,
    /// In the order of time.
    pub runs: Vec<Run>,
}

/// A rule of a fluent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleOf {
    /// Its number in the theory.
    pub number: usize,
    /// Whether it ends the fluent.
    pub ends: bool,
}

/// The chains of a fluent.
#[derive(Clone, Debug)]
pub struct FluentChains {
    /// `holdsAt(meeting(_, _), _)`, or `in_danger(_, _)` of an ordinary predicate.
    pub label: Signature,
    /// Whether rules say when it holds, instead of what starts and ends it.
    pub direct: bool,
    /// Its rules, in the order of the theory.
    pub rules: Vec<RuleOf>,
    /// The sets of rules that ever fired together, one bit each.
    pub firings: IndexSet<Box<[u64]>, FxBuildHasher>,
    /// In the order in which they began.
    pub chains: Vec<Chain>,
    /// By segment, how often it was annotated where no rule can make it hold.
    pub missed: IndexMap<Symbol, u64, FxBuildHasher>,
}

impl FluentChains {
    /// The name of the fluent.
    pub fn name(&self) -> Symbol {
        label_name(self.label).unwrap_or_else(|| self.label.name())
    }

    /// Whether a rule, by its place among those of the fluent, is in a set of rules.
    pub fn fires(&self, fired: usize, rule: usize) -> bool {
        self.firings[fired][rule / 64] >> (rule % 64) & 1 == 1
    }

    /// Whether rules that start it, and rules that end it, are in a set of rules.
    pub(super) fn sides(&self, fired: usize) -> (bool, bool) {
        let any = |ends: bool| (0..self.rules.len()).any(|r| self.rules[r].ends == ends && self.fires(fired, r));
        (any(false), any(true))
    }

    /// Whether a set of rules silences inertia of not holding, and of holding: a rule that starts it the one, and a rule that
    /// ends it the other; where only quiet counts, any rule both.
    pub(super) fn speaks(&self, fired: usize, quiet: bool) -> (bool, bool) {
        let (starts, ends) = self.sides(fired);
        if quiet { (starts || ends, starts || ends) } else { (starts, ends) }
    }

    /// The scores of a step at which each set of rules fires.
    pub fn scores(&self, weights: &FluentWeights) -> Vec<Scores> {
        (0..self.firings.len()).map(|fired| self.score(fired, weights)).collect()
    }

    /// What the best states come to, against the annotation.
    pub fn evaluate(&self, weights: &FluentWeights) -> Confusion {
        let scores = self.scores(weights);
        let mut counts = Confusion { fn_: self.missed.values().sum(), ..Confusion::default() };
        self.chains.iter().for_each(|chain| counts += count(chain, &scores));
        counts
    }

    fn score(&self, fired: usize, weights: &FluentWeights) -> Scores {
        let sum = |ends: bool| -> f64 {
            let rules = (0..self.rules.len()).filter(|&r| self.rules[r].ends == ends && self.fires(fired, r));
            rules.map(|r| weights.rules[r]).sum()
        };
        let (starts, ends) = (sum(false), sum(true));
        let (against_absent, against_holding) = self.speaks(fired, weights.quiet);
        let absent = if against_absent { 0.0 } else { weights.absent };
        let holding = if against_holding { 0.0 } else { weights.holding };
        // What holds while conditions are met is not kept from ending.
        let absent_before = if self.direct { absent } else { 0.0 };
        [[ends + absent, starts], [ends + absent_before, starts + holding]]
    }
}

/// The chains of all fluents of a theory.
#[derive(Clone, Debug)]
pub struct Chains {
    /// In the order of their rules.
    pub fluents: Vec<FluentChains>,
    /// The time points of each segment.
    pub times: IndexMap<Symbol, Vec<i64>, FxBuildHasher>,
}

/// What fires, frame by frame.
#[derive(Clone, Debug)]
pub struct Firing {
    program: Program,
    model: Model,
    /// What the background starts and ends by itself.
    inertia: Inertia,
    symmetries: Symmetries,
    fluents: Vec<Fluent>,
    /// For each rule of the program's source the fluent and the place among its rules.
    rules: Places,
    chains: Chains,
    /// The segment of the last frame, and why not everything was derived from that, if it was not.
    current: Option<Symbol>,
    stop: Option<Stop>,
    interleaved: bool,
    /// Room for the rules that fire on each instance.
    fired: Vec<ByInstance<Box<[u64]>>>,
}

/// Something for each instance.
type ByInstance<T> = IndexMap<Box<[Value]>, T, FxBuildHasher>;

/// For each rule of a program the fluent that it is about, and its place among the rules of that.
type Places = Vec<Option<(usize, usize)>>;

/// A fluent whose rules are looked at.
#[derive(Clone, Debug)]
struct Fluent {
    /// The relation with who is looked at.
    live: Option<Pred>,
    candidates: Option<Pred>,
    /// Columns whose values must be observed, each with the predicate of its type.
    tracked: Vec<(usize, Pred)>,
    symmetric: bool,
    /// The instances that are looked at in each segment, with their chains and what fired last.
    open: IndexMap<Symbol, ByInstance<(usize, u32)>, FxBuildHasher>,
}

/// The relation of who is looked at, and of that with who is started: no rule of a text can name them.
fn live(label: Signature) -> [Signature; 2] {
    // With spaces in them, as no plain name has.
    ["holdsAt maybe", "holdsAt maybe or started"].map(|name| label.renamed(name))
}

impl Firing {
    /// The rules of a theory at work on a stream. What is wrong with the theory, or with weighing it, is said.
    pub fn new(task: &Task, theory: &Theory) -> Result<Firing, Problems> {
        task.check(theory)?;
        let (own, rules) = own_rules(task, theory)?;
        let plain = task.rules(theory);
        let mut vocabulary = task.vocabulary(&plain)?;
        refuse_coupled(&plain, &own, &Dependence::new(&vocabulary, &plain))?;
        let mut all: Vec<Clause> = plain.into_iter().map(|rule| guarded(rule, &own)).collect();
        let mut wanted = Vec::new();
        for (label, fluent) in &own {
            if fluent.direct {
                wanted.push(*label);
                continue;
            }
            wanted.extend([label.renamed(INITIATED), label.renamed(TERMINATED)].into_iter().filter(|head| {
                let is_head = |rule: &Clause| Signature::of(&rule.head) == *head;
                all.iter().any(is_head)
            }));
            let predicate = vocabulary.predicates[label].clone();
            let [here, started] = live(*label);
            wanted.push(here);
            vocabulary.predicates.insert(here, Predicate { role: Role::Fluent, ..predicate.clone() });
            vocabulary.predicates.insert(started, Predicate { role: Role::Derived, ..predicate });
            let terms: Vec<Term> = (0..label.arity()).map(|i| Term::var(&format!("X{i}"))).collect();
            for from in [here, label.renamed(INITIATED)] {
                let body = vec![Literal::positive(from.fill(terms.clone()))];
                all.push(Clause { head: started.fill(terms.clone()), body, span: Span::default() });
            }
        }
        let all: Vec<&Clause> = all.iter().collect();
        let labels: Vec<Signature> = own.keys().copied().collect();
        wanted.extend(labels.iter().filter_map(|label| vocabulary.candidates_of(*label)));
        let needed: Vec<Signature> = Dependence::new(&vocabulary, &all).of(wanted.iter().copied()).collect();
        let inertial = inertial(&all).filter(|f| needed.contains(f) && !labels.contains(f));
        let fluents: Fluents = inertial.map(|fluent| (fluent, true)).collect();
        let looked_at: Fluents = labels.iter().map(|label| (*label, true)).collect();
        wanted.extend(inertia::wanted(task, &vocabulary, &fluents));
        wanted.extend(tracked_types(task, &vocabulary, &looked_at).map(type_signature));
        let program = task.program(&vocabulary, &all, &wanted)?;
        let inertia = Inertia::new(task, &vocabulary, &program, &all, &fluents)?;
        let symmetries = task.bias.symmetries();
        let fluent = |label: &Signature| Fluent {
            live: program.pred(live(*label)[0]),
            candidates: vocabulary.candidates_of(*label).and_then(|candidates| program.pred(candidates)),
            tracked: tracked_columns(task, &vocabulary, *label)
                .into_iter()
                .filter_map(|(column, kind)| Some((column, program.type_pred(kind)?)))
                .collect(),
            symmetric: symmetries.has(*label),
            open: IndexMap::default(),
        };
        let fluents: Vec<Fluent> = labels.iter().map(fluent).collect();
        let mut model = Model::new(&program);
        model.trace();
        Ok(Firing {
            fired: vec![IndexMap::default(); fluents.len()],
            chains: Chains { fluents: own.into_values().collect(), times: IndexMap::default() },
            current: None,
            stop: None,
            interleaved: task.options.interleaved,
            program,
            model,
            inertia,
            symmetries,
            fluents,
            rules,
        })
    }

    /// From now on derives at most so many atoms at once, and takes at most so many steps at a time point. Who sets limits asks
    /// [`Firing::stop`] after each frame.
    #[must_use]
    pub fn with_limits(mut self, atoms: usize, steps: u64) -> Firing {
        let limits = Limits { rows: atoms, steps, ..self.model.limits().clone() };
        self.inertia.set_limits(&limits);
        self.model.set_limits(limits);
        self
    }

    /// Takes a frame.
    pub fn observe(&mut self, frame: &Frame) {
        if self.ends_with(frame) {
            self.fluents.iter_mut().for_each(|fluent| fluent.open.clear());
        }
        let Firing { program, model, inertia, fluents, chains, .. } = self;
        self.current = Some(frame.segment);
        self.stop = inertia.enter(frame, program, model, &mut Vec::new()).err();
        if self.stop.is_some() {
            return;
        }
        for fluent in fluents.iter_mut() {
            let open = fluent.open.entry(frame.segment).or_default();
            let is_observed =
                |(c, kind): &(usize, Pred), values: &[Value]| model.rows(*kind).contains(&values[*c..=*c]);
            open.retain(|values, _| fluent.tracked.iter().all(|tracked| is_observed(tracked, values)));
            if let Some(live) = fluent.live {
                for values in open.keys() {
                    model.insert(live, values);
                    if fluent.symmetric {
                        model.insert(live, &exchanged(values));
                    }
                }
            }
        }
        model.advance(program, frame.segment, frame.time);
        self.stop = model.stop(program);
        inertia.leave(frame, model, &mut Vec::new());
        let times = chains.times.entry(frame.segment).or_default();
        times.push(frame.time);
        let now = times.len() - 1;
        self.collect();
        for f in 0..self.fluents.len() {
            let labels = labels_of(&self.symmetries, self.chains.fluents[f].label, frame);
            self.note(f, frame.segment, now, &labels);
        }
    }

    /// Why not everything was derived that follows from the frame observed last, if it was not.
    pub fn stop(&self) -> Option<&Stop> {
        self.stop.as_ref()
    }

    /// All chains so far, of segments that have ended: who takes them out before another one begins has no more in memory than
    /// a segment takes.
    pub fn take(&mut self) -> Chains {
        self.fluents.iter_mut().for_each(|fluent| fluent.open.clear());
        let fresh = |fluent: &FluentChains| FluentChains {
            chains: Vec::new(),
            missed: IndexMap::default(),
            rules: fluent.rules.clone(),
            firings: fluent.firings.clone(),
            ..*fluent
        };
        let fluents = self.chains.fluents.iter().map(fresh).collect();
        std::mem::replace(&mut self.chains, Chains { fluents, times: IndexMap::default() })
    }

    /// Whether all segments so far end where a frame comes.
    pub(super) fn ends_with(&self, frame: &Frame) -> bool {
        !self.interleaved && self.current != Some(frame.segment)
    }

    /// The time points of a segment, as far as they are not forgotten.
    pub(super) fn times(&self, segment: Symbol) -> &[i64] {
        self.chains.times.get(&segment).map_or(&[], Vec::as_slice)
    }

    /// Which chains of a fluent are still looked at.
    pub(super) fn open(&self, fluent: usize) -> Vec<bool> {
        let mut open = vec![false; self.chains.fluents[fluent].chains.len()];
        let all = self.fluents[fluent].open.values().flat_map(IndexMap::values);
        all.for_each(|(chain, _)| open[*chain] = true);
        open
    }

    /// Forgets the chains of a fluent that are not looked at any more.
    pub(super) fn forget_ended(&mut self, fluent: usize) {
        let open = self.open(fluent);
        // The numbers that they have then.
        let numbers: Vec<usize> =
            open.iter().scan(0, |next, is_open| Some(std::mem::replace(next, *next + usize::from(*is_open)))).collect();
        let mut kept = open.iter();
        self.chains.fluents[fluent].chains.retain(|_| *kept.next().unwrap_or(&true));
        let all = self.fluents[fluent].open.values_mut().flat_map(IndexMap::values_mut);
        all.for_each(|(chain, _)| *chain = numbers[*chain]);
    }

    /// Forgets the first steps of a chain.
    pub(super) fn drop_steps(&mut self, fluent: usize, chain: usize, mut steps: usize) {
        let chain = &mut self.chains.fluents[fluent].chains[chain];
        chain.first += steps;
        let whole = chain.runs.iter().take_while(|run| {
            let fits = run.length as usize <= steps;
            steps -= if fits { run.length as usize } else { 0 };
            fits
        });
        let whole = whole.count();
        chain.runs.drain(..whole);
        if let Some(run) = chain.runs.first_mut() {
            run.length -= steps as u32;
        }
    }

    /// Forgets the first time points of a segment.
    pub(super) fn forget_times(&mut self, segment: Symbol, count: usize) {
        if let Some(times) = self.chains.times.get_mut(&segment) {
            times.drain(..count);
        }
        let chains = self.chains.fluents.iter_mut().flat_map(|fluent| &mut fluent.chains);
        chains.filter(|chain| chain.segment == segment).for_each(|chain| chain.first -= count);
    }

    /// The fluents that are looked at, with the chains so far.
    pub fn fluents(&self) -> &[FluentChains] {
        &self.chains.fluents
    }

    /// All chains.
    pub fn finish(self) -> Chains {
        self.chains
    }

    /// Collects which rules fire on whom.
    fn collect(&mut self) {
        self.fired.iter_mut().for_each(IndexMap::clear);
        for (number, row) in self.model.fired(&self.program) {
            let Some(Some((f, rule))) = self.rules.get(number as usize) else { continue };
            let own = &self.chains.fluents[*f];
            let values = self.symmetries.in_order(own.label, row);
            let words = own.rules.len().div_ceil(64);
            let fired = match self.fired[*f].get_mut(&*values) {
                Some(fired) => fired,
                None => self.fired[*f].entry(values.into()).or_insert_with(|| vec![0; words].into()),
            };
            fired[rule / 64] |= 1 << (rule % 64);
        }
    }

    /// Takes note of the time point in the chains of a fluent.
    fn note(&mut self, f: usize, segment: Symbol, now: usize, labels: &Labels) {
        let (fluent, own, fired) = (&mut self.fluents[f], &mut self.chains.fluents[f], &self.fired[f]);
        let model = &self.model;
        let candidates = fluent.candidates.map(|candidates| model.rows(candidates));
        let open = fluent.open.entry(segment).or_default();
        open.retain(|values, _| candidates.is_none_or(|candidates| candidates.contains(values)));
        let label = |values: &[Value]| labels.get(values).copied().unwrap_or(Label::Absent);
        let nothing: Box<[u64]> = vec![0; own.rules.len().div_ceil(64)].into();
        let mut set = |values: &[Value]| {
            let set = fired.get(values).unwrap_or(&nothing);
            own.firings.get_index_of(set).unwrap_or_else(|| own.firings.insert_full(set.clone()).0) as u32
        };
        let mut held = 0;
        if !own.direct {
            // What fired at the time point before leads here.
            for (values, (chain, fired)) in open.iter_mut() {
                held += u64::from(label(values) == Label::Holds);
                own.chains[*chain].push(*fired, label(values));
                *fired = set(values);
            }
        }
        let starts = |mask: &[u64]| {
            let is_set = |r: usize| mask[r / 64] >> (r % 64) & 1 == 1;
            own.rules.iter().enumerate().any(|(r, of)| !of.ends && is_set(r))
        };
        for (values, _) in fired.iter().filter(|(_, mask)| starts(mask)) {
            if !open.contains_key(values) {
                let first = if own.direct { now } else { now + 1 };
                open.insert(values.clone(), (own.chains.len(), set(values)));
                own.chains.push(Chain { segment, values: values.clone(), first, runs: Vec::new() });
            }
        }
        if own.direct {
            for (values, (chain, _)) in open.iter() {
                held += u64::from(label(values) == Label::Holds);
                own.chains[*chain].push(set(values), label(values));
            }
        }
        let all = labels.values().filter(|label| **label == Label::Holds).count() as u64;
        *own.missed.entry(segment).or_default() += all - held;
    }
}

impl Chain {
    fn push(&mut self, fired: u32, label: Label) {
        match self.runs.last_mut() {
            Some(run) if run.fired == fired && run.label == label => run.length += 1,
            _ => self.runs.push(Run { fired, label, length: 1 }),
        }
    }
}

/// What is annotated of instances, where it is not that they do not hold.
type Labels = ByInstance<Label>;

fn labels_of(symmetries: &Symmetries, label: Signature, frame: &Frame) -> Labels {
    let mut labels = Labels::default();
    let not_known = unknown(label);
    for (signature, values) in frame.annotation.iter() {
        // What nobody knows is not known, whatever else is said.
        if signature == not_known {
            labels.insert((*symmetries.in_order(signature, values)).into(), Label::Unknown);
        } else if signature == label {
            labels.entry((*symmetries.in_order(signature, values)).into()).or_insert(Label::Holds);
        }
    }
    labels
}

type Own = IndexMap<Signature, FluentChains, FxBuildHasher>;

/// The fluents that a theory has rules for, and for each rule of background and theory the fluent and its place there.
fn own_rules(task: &Task, theory: &Theory) -> Result<(Own, Places), Problems> {
    let labels = task.labels();
    let mut own = Own::default();
    let mut rules: Places = vec![None; task.background.clauses.len()];
    for (number, clause) in theory.clauses.iter().enumerate() {
        let name = clause.head.name.as_str();
        let label = persisting(&clause.head).unwrap_or(Signature::of(&clause.head));
        // What is not labelled is there for other rules, and as certain as what the background says.
        if !labels.contains(&label) {
            rules.push(None);
            continue;
        }
        let fail = |message: String, hint: &str| Err(Diagnostic::new(&clause.head.span, message).hint(hint).into());
        if label.has_value() {
            let message = format!("`{label}` has one of several values, and weights are for what holds or does not");
            return fail(message, "weigh a theory without its rules");
        }
        let given = |rule: &Clause| persisting(&rule.head).unwrap_or(Signature::of(&rule.head)) == label;
        if task.background.clauses.iter().any(given) {
            let message = format!("the background has rules for `{label}`, which have no weights");
            return fail(message, "move them to the theory");
        }
        let new = || FluentChains {
            label,
            direct: !matches!(name, INITIATED | TERMINATED),
            rules: Vec::new(),
            firings: IndexSet::default(),
            chains: Vec::new(),
            missed: IndexMap::default(),
        };
        let entry = own.entry(label);
        let at = entry.index();
        let fluent = entry.or_insert_with(new);
        rules.push(Some((at, fluent.rules.len())));
        fluent.rules.push(RuleOf { number, ends: name == TERMINATED });
    }
    Ok((own, rules))
}

/// Says where a condition asks for what is weighed: what holds is not known before it is decoded.
fn refuse_coupled(rules: &[&Clause], own: &Own, dependence: &Dependence<'_>) -> Result<(), Problems> {
    let holds = |s: Signature| if is_ordinary(s) { s } else { s.renamed(HOLDS) };
    for rule in rules {
        for literal in &rule.body {
            let Formula::Atom(atom) = &literal.formula else { continue };
            if let Some(found) = dependence.of([asked_for(atom)]).map(holds).find(|s| own.contains_key(s)) {
                let message = format!("a condition asks whether `{found}` holds, whose rules are weighed");
                let hint = "weigh rules whose conditions are about the stream, and what follows from it";
                return Err(Diagnostic::new(&literal.span, message).hint(hint).into());
            }
        }
    }
    Ok(())
}

/// A rule that ends what is looked at, or is started at the time point, and nothing else.
fn guarded(rule: &Clause, own: &Own) -> Clause {
    let mut rule = rule.clone();
    let label = Signature::of(&rule.head).renamed(HOLDS);
    if rule.head.name.as_str() == TERMINATED && own.contains_key(&label) {
        let mut terms = Vec::new();
        for_each_hole(&rule.head.args, &mut |term| terms.push(term.clone()));
        rule.body.insert(0, Literal::positive(live(label)[1].fill(terms)));
    }
    rule
}
