//! Firing: which rules of a theory fire on a stream, and on whom.
//!
//! An instance is looked at from the first time point on that a rule starts it until it is lost: as with rules that have no
//! weights, what no rule has started does not hold.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::chains::{Chain, Chains, FluentChains};
use super::layers::{Own, Places, label_of, layers, own_rules, refuse_starts};
use crate::calculus::unknown;
use crate::inertia::{self, Fluents, Inertia, inertial, tracked_columns, tracked_types, type_signature};
use crate::lang::ec::{HOLDS, INITIATED, TERMINATED};
use crate::lang::{
    Clause, Literal, Problems, Signature, Span, Symbol, Symmetries, Term, Theory, Value, exchanged, for_each_hole,
};
use crate::logic::{Dependence, Limits, Model, Pred, Predicate, Program, Role, Stop, kept};
use crate::stream::Frame;
use crate::task::Task;

/// What fires, frame by frame.
#[derive(Clone, Debug)]
pub struct Firing {
    program: Program,
    model: Model,
    /// What the background starts and ends by itself.
    inertia: Inertia,
    symmetries: Symmetries,
    fluents: Vec<Fluent>,
    /// The fluents of layers below that rules ask for, each with the relation of what holds.
    given: IndexMap<Signature, Pred, FxBuildHasher>,
    /// For each rule of the program's source the fluent and the place among its rules.
    rules: Places,
    chains: Chains,
    /// The segment of the last frame, and why not everything was derived from that, if it was not.
    current: Option<Symbol>,
    stop: Option<Stop>,
    interleaved: bool,
    /// Room for the votes that are given on each instance.
    fired: Vec<ByInstance<Vec<u64>>>,
}

/// Something for each instance.
type ByInstance<T> = IndexMap<Box<[Value]>, T, FxBuildHasher>;

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
    /// The rules of a theory at work on a stream, where none asks for what is weighed. What is wrong with the theory, or with
    /// weighing it, is said.
    pub fn new(task: &Task, theory: &Theory) -> Result<Firing, Problems> {
        Ok(Firing::layers(task, theory)?.swap_remove(0))
    }

    /// The same layer by layer: the first one asks for nothing that is weighed, and each other one for those before it. There
    /// is one at least.
    pub fn layers(task: &Task, theory: &Theory) -> Result<Vec<Firing>, Problems> {
        task.check(theory)?;
        let mut layers = layers(task, theory)?;
        if layers.is_empty() {
            layers.push(Vec::new());
        }
        (0..layers.len()).map(|layer| Firing::layer(task, theory, &layers, layer)).collect()
    }

    fn layer(task: &Task, theory: &Theory, layers: &[Vec<Signature>], layer: usize) -> Result<Firing, Problems> {
        let (own, places) = own_rules(task, theory, &layers[layer]);
        let plain = task.rules(theory);
        let mut vocabulary = task.vocabulary(&plain)?;
        let below: Vec<Signature> = layers[..layer].iter().flatten().copied().collect();
        refuse_starts(&plain, &below)?;
        // What is decoded in layers below is given, and what is decoded in those above is not known.
        let is_other = |rule: &Clause| {
            let label = label_of(&rule.head);
            layers.iter().flatten().any(|l| *l == label) && !own.contains_key(&label)
        };
        let (known, rules): (Vec<&Clause>, Places) =
            plain.into_iter().zip(places).filter(|(rule, _)| !is_other(rule)).unzip();
        let mut all: Vec<Clause> = known.into_iter().map(|rule| guarded(rule, &own)).collect();
        for label in &below {
            vocabulary.predicates[label].role = Role::Fluent;
        }
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
        let given = |label: &Signature| Some((*label, program.pred(kept(*label)).or(program.pred(*label))?));
        let mut model = Model::new(&program);
        model.trace();
        Ok(Firing {
            fired: vec![IndexMap::default(); fluents.len()],
            chains: Chains { fluents: own.into_values().collect(), times: IndexMap::default() },
            current: None,
            stop: None,
            interleaved: task.options.interleaved,
            given: below.iter().filter_map(given).collect(),
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
        self.observe_with(frame, std::iter::empty());
    }

    /// Takes a frame, with what holds there of fluents of layers below; of a symmetric one in one of its orders.
    pub fn observe_with<'v>(&mut self, frame: &Frame, below: impl Iterator<Item = (Signature, &'v [Value])>) {
        if self.ends_with(frame) {
            self.fluents.iter_mut().for_each(|fluent| fluent.open.clear());
        }
        let Firing { program, model, inertia, fluents, chains, .. } = self;
        self.current = Some(frame.segment);
        self.stop = inertia.enter(frame, program, model, &mut Vec::new()).err();
        if self.stop.is_some() {
            return;
        }
        for (label, values) in below {
            let Some(pred) = self.given.get(&label) else { continue };
            model.insert(*pred, values);
            if self.symmetries.has(label) {
                model.insert(*pred, &exchanged(values));
            }
        }
        for (fluent, own) in fluents.iter_mut().zip(&chains.fluents) {
            let open = fluent.open.entry(frame.segment).or_default();
            let is_observed =
                |(c, kind): &(usize, Pred), values: &[Value]| model.rows(*kind).contains(&values[*c..=*c]);
            open.retain(|values, _| fluent.tracked.iter().all(|tracked| is_observed(tracked, values)));
            if let Some(live) = fluent.live {
                let mut insert = |values: &[Value]| {
                    model.insert(live, values);
                    if fluent.symmetric {
                        model.insert(live, &exchanged(values));
                    }
                };
                for key in open.keys() {
                    if own.label.has_value() {
                        (1..own.states()).for_each(|state| insert(&own.joined(key, state)));
                    } else {
                        insert(key);
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
            let labels = labels_of(&self.symmetries, &mut self.chains.fluents[f], frame);
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
        let fluents = self.chains.fluents.iter().map(FluentChains::without_chains).collect();
        std::mem::replace(&mut self.chains, Chains { fluents, times: IndexMap::default() })
    }

    /// The same with numbers of its own, for [`Chains::append`], as if the next segment were the first.
    pub fn take_apart(&mut self) -> Chains {
        self.fluents.iter_mut().for_each(|fluent| fluent.open.clear());
        let fresh = self.chains.fresh();
        std::mem::replace(&mut self.chains, fresh)
    }

    /// Whether frames of several segments come mixed.
    pub(super) fn is_interleaved(&self) -> bool {
        self.interleaved
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

    /// Collects which votes are given on whom.
    fn collect(&mut self) {
        self.fired.iter_mut().for_each(IndexMap::clear);
        for (number, row) in self.model.fired(&self.program) {
            let Some(Some((f, rule))) = self.rules.get(number as usize) else { continue };
            let own = &mut self.chains.fluents[*f];
            let values = self.symmetries.in_order(own.label, row);
            let (key, state) = own.split(&values);
            let vote = own.votes.insert_full((*rule, state)).0;
            let fired = match self.fired[*f].get_mut(key) {
                Some(fired) => fired,
                None => self.fired[*f].entry(key.into()).or_default(),
            };
            if fired.len() <= vote / 64 {
                fired.resize(vote / 64 + 1, 0);
            }
            fired[vote / 64] |= 1 << (vote % 64);
        }
    }

    /// Takes note of the time point in the chains of a fluent.
    fn note(&mut self, f: usize, segment: Symbol, now: usize, labels: &Labels) {
        let (fluent, own, fired) = (&mut self.fluents[f], &mut self.chains.fluents[f], &self.fired[f]);
        let model = &self.model;
        let candidates = fluent.candidates.map(|candidates| model.rows(candidates));
        let open = fluent.open.entry(segment).or_default();
        open.retain(|key, _| candidates.is_none_or(|candidates| candidates.contains(key)));
        let label = |key: &[Value]| labels.get(key).copied().unwrap_or(Some(0));
        let firings = &mut own.firings;
        let mut set = |key: &[Value]| {
            let set = fired.get(key).map_or(&[][..], Vec::as_slice);
            firings.get_index_of(set).unwrap_or_else(|| firings.insert_full(set.into()).0) as u32
        };
        let holds = |label: Option<u32>| u64::from(label.is_some_and(|state| state > 0));
        let mut held = 0;
        if !own.direct {
            // What fired at the time point before leads here.
            for (key, (chain, fired)) in open.iter_mut() {
                held += holds(label(key));
                own.chains[*chain].push(*fired, label(key));
                *fired = set(key);
            }
        }
        let starts = |votes: &[u64]| {
            let is_set = |vote: usize| votes.get(vote / 64).is_some_and(|word| word >> (vote % 64) & 1 == 1);
            own.votes.iter().enumerate().any(|(vote, (rule, _))| !own.rules[*rule].ends && is_set(vote))
        };
        for (key, _) in fired.iter().filter(|(_, votes)| starts(votes)) {
            if !open.contains_key(key) {
                let first = if own.direct { now } else { now + 1 };
                open.insert(key.clone(), (own.chains.len(), set(key)));
                own.chains.push(Chain { segment, values: key.clone(), first, runs: Vec::new() });
            }
        }
        if own.direct {
            for (key, (chain, _)) in open.iter() {
                held += holds(label(key));
                own.chains[*chain].push(set(key), label(key));
            }
        }
        let all: u64 = labels.values().map(|label| holds(*label)).sum();
        *own.missed.entry(segment).or_default() += all - held;
    }
}

/// The states that are annotated of instances, where that is not that they do not hold; none of what is not known.
type Labels = ByInstance<Option<u32>>;

fn labels_of(symmetries: &Symmetries, own: &mut FluentChains, frame: &Frame) -> Labels {
    let mut labels = Labels::default();
    let not_known = unknown(own.label);
    for (signature, values) in frame.annotation.iter() {
        // What nobody knows is not known, whatever else is said.
        if signature == not_known {
            let values = symmetries.in_order(signature, values);
            labels.insert(own.split(&values).0.into(), None);
        } else if signature == own.label {
            let values = symmetries.in_order(signature, values);
            let (key, state) = own.split(&values);
            labels.entry(key.into()).or_insert(Some(state as u32));
        }
    }
    labels
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
