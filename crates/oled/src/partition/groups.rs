//! Groups: entities of a segment that no rule joins, so that several workers can have a share of them each.
//!
//! Where every rule speaks of one machine, what is known of a machine follows from the facts about it, and from those that speak of
//! none. So each predicate has a place for its *key*, the argument of one type, or none where it has no such argument, and the
//! rules must keep to it:
//!
//! ```text
//! initiatedAt(hot(M), T)   :- load(M, L, T), L > 9, not happensAt(rest(M), T), night(T).     each key is M: it is
//! initiatedAt(alone(M), T) :- load(M, L, T), not load(N, L, T), N != M.                      others are asked for: it is not
//! ```
//!
//! What is not sure is not told apart: symmetric fluents, candidates, rules about intervals.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::mixed;
use crate::calculus::unknown;
use crate::inertia::{inertial, tracked_columns};
use crate::lang::ec::persisting;
use crate::lang::{Atom, Clause, Signature, Symbol, TIME, Term, Theory, Value, for_each_hole};
use crate::logic::{Look, Past, Role, Vocabulary, implied_conditions, plain};
use crate::stream::{Facts, Frame};
use crate::task::Task;

/// Which argument of a fact says whose it is.
///
/// The law: who sees the facts of some keys, and all facts without one, at all time points of a segment recognises of these keys
/// what one recognises who sees everything. So what several recognise that have distinct keys is all of it, and nothing comes
/// twice.
///
/// ```
/// use oled::partition::Groups;
/// use oled::{Frame, Source, Task};
/// let modes = "input(load(+machine, +kw, +time)). type(kw, real). example(holdsAt(hot(+machine), +time)).";
/// let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
/// let own = oled::parse_theory("t.lp", "initiatedAt(hot(M), T) :- load(M, L, T), L > 9.").unwrap();
/// let groups = Groups::new(&task, &own, &task.labels()).unwrap();
/// let mut frame = Frame::new("hall".into(), 1);
/// frame.fact("load", [oled::Value::from("m1"), 5.into()]);
/// let mut parts = vec![frame.clone(); 2];
/// groups.deal(&frame, &mut parts);
/// assert_eq!(parts.iter().map(|part| part.narrative.len()).sum::<usize>(), 1);
///
/// let joined = oled::parse_theory("t.lp", "initiatedAt(hot(M), T) :- load(M, L, T), load(N, K, T), L > K.").unwrap();
/// assert!(Groups::new(&task, &joined, &task.labels()).is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Groups {
    /// The place of the key among the values of each predicate that has one.
    keys: IndexMap<Signature, usize, FxBuildHasher>,
}

impl Groups {
    /// The groups that the background and a theory leave apart, where each instance of what is `told` belongs to one: what belongs to
    /// none, everybody who sees a part would tell.
    pub fn new(task: &Task, theory: &Theory, told: &[Signature]) -> Option<Groups> {
        let rules = task.rules(theory);
        let vocabulary = task.vocabulary(&rules).ok()?;
        if !(task.bias.symmetric.is_empty() && vocabulary.candidates.is_empty() && task.related(theory).is_empty()) {
            return None;
        }
        let fluents: Vec<Signature> = inertial(&rules).collect();
        let explicit = |rule: &&Clause| {
            let mut rule = (*rule).clone();
            let implied = implied_conditions(&task.bias, &vocabulary, &rule);
            rule.body.extend(implied);
            rule
        };
        let rules: Vec<Clause> = rules.iter().map(explicit).collect();
        let keyed = |kind| Keyed { task, vocabulary: &vocabulary, kind, keys: keys(&vocabulary, kind) };
        let all = kinds(task).into_iter().map(keyed);
        let mut apart = all.filter(|keyed| told.iter().all(|of| keyed.keys.contains_key(of)));
        apart.find(|keyed| keyed.is_apart(&rules, &fluents)).map(|keyed| Groups { keys: with_unknown(keyed.keys) })
    }

    /// Whether each instance of a predicate belongs to one group. What does not is known to everybody who sees a part.
    pub fn has(&self, predicate: Signature) -> bool {
        self.keys.contains_key(&predicate)
    }

    /// Deals the facts and labels of a frame out to as many parts: each to one of them by its key alone, or to all.
    pub fn deal(&self, frame: &Frame, parts: &mut [Frame]) {
        for part in &mut *parts {
            (part.segment, part.time) = (frame.segment, frame.time);
        }
        self.deal_facts(&frame.narrative, parts, |part| &mut part.narrative);
        self.deal_facts(&frame.annotation, parts, |part| &mut part.annotation);
    }

    fn deal_facts(&self, facts: &Facts, parts: &mut [Frame], of: impl Fn(&mut Frame) -> &mut Facts) {
        parts.iter_mut().for_each(|part| of(part).clear());
        for (signature, values) in facts.iter() {
            match self.keys.get(&signature) {
                Some(key) => {
                    let owner = share(values[*key], parts.len());
                    of(&mut parts[owner]).push(signature, values);
                }
                None => parts.iter_mut().for_each(|part| of(part).push(signature, values)),
            }
        }
    }
}

/// Which of so many parts has a key: by its name or its number alone.
fn share(key: Value, parts: usize) -> usize {
    match key {
        Value::Sym(name) => super::owner(name, parts),
        number => (mixed(number.bits()) % parts.max(1) as u64) as usize,
    }
}

/// The types whose values may be keys: those of what the stream contains, first those that most of it speaks of once.
fn kinds(task: &Task) -> Vec<Symbol> {
    let mut counts: IndexMap<Symbol, usize, FxBuildHasher> = IndexMap::default();
    for mode in &task.bias.inputs {
        let types = mode.types();
        let once = |kind: &&Symbol| types.iter().flatten().filter(|other| other == kind).count() == 1;
        types.iter().flatten().filter(once).for_each(|kind| *counts.entry(*kind).or_default() += 1);
    }
    counts.retain(|kind, _| kind.as_str() != TIME);
    counts.sort_by(|_, a, _, b| b.cmp(a));
    counts.into_keys().collect()
}

/// The place of the only argument of a type, of each predicate that has one. What never changes is known to all.
fn keys(vocabulary: &Vocabulary, kind: Symbol) -> IndexMap<Signature, usize, FxBuildHasher> {
    let timed = vocabulary.predicates.iter().filter(|(_, p)| p.timed && !matches!(p.role, Role::Past(_)));
    let key = |types: &[Option<Symbol>]| {
        let mut places = (0..types.len()).filter(|place| types[*place] == Some(kind));
        places.next().filter(|_| places.next().is_none())
    };
    timed.filter_map(|(signature, predicate)| Some((*signature, key(&predicate.types)?))).collect()
}

/// That something is not known is said of whom it would be.
fn with_unknown(mut keys: IndexMap<Signature, usize, FxBuildHasher>) -> IndexMap<Signature, usize, FxBuildHasher> {
    let unknown: Vec<(Signature, usize)> = keys.iter().map(|(signature, key)| (unknown(*signature), *key)).collect();
    keys.extend(unknown);
    keys
}

/// Predicates with keys of one type.
struct Keyed<'t> {
    task: &'t Task,
    vocabulary: &'t Vocabulary,
    kind: Symbol,
    keys: IndexMap<Signature, usize, FxBuildHasher>,
}

impl Keyed<'_> {
    /// Whether nothing that follows of a key depends on facts of another: by these rules, in which nothing goes without saying,
    /// and by inertia, for these fluents.
    fn is_apart(&self, rules: &[Clause], fluents: &[Signature]) -> bool {
        rules.iter().all(|rule| self.keeps_to_key(rule))
            && fluents.iter().all(|fluent| self.persists_apart(*fluent))
            && self.observed(rules, fluents).into_iter().all(|kind| self.is_observed_apart(kind))
    }

    /// The place of the key of an atom; what starts and ends a fluent has it where the fluent has.
    fn place(&self, atom: &Atom) -> Option<usize> {
        self.keys.get(&persisting(atom).unwrap_or_else(|| Signature::of(atom))).copied()
    }

    /// The key of an atom.
    fn key<'a>(&self, atom: &'a Atom) -> Option<&'a Term> {
        let place = self.place(atom)?;
        let mut terms = Vec::new();
        for_each_hole(&atom.args, &mut |term| terms.push(term));
        terms.get(place).copied()
    }

    /// Whether all atoms of a rule that have a key have the one of its head, which some condition gives a value to.
    fn keeps_to_key(&self, rule: &Clause) -> bool {
        let head = self.key(&rule.head);
        if head.is_some_and(|key| !matches!(key, Term::Var(_)) || key.is_anonymous()) {
            return false;
        }
        let mut is_bound = head.is_none();
        for (negated, atom) in rule.atoms() {
            let inner = match plain(atom) {
                Some((past, _)) if !self.looks_at_key(past) => return false,
                Some((past, plain)) => &past.inner(&plain),
                None => atom,
            };
            match self.key(inner) {
                None => {}
                key if key == head => is_bound |= !negated,
                Some(_) => return false,
            }
        }
        is_bound
    }

    /// Whether a condition that looks back sees of a key what is about it alone: who counts, counts for each key; who asks for what is
    /// known last, asks for what only facts of the same key replace.
    fn looks_at_key(&self, past: Past) -> bool {
        let key = |signature: Signature| self.keys.get(&signature).copied();
        match past.look {
            Look::Aggregate(aggregate) => {
                key(past.base).is_none_or(|place| aggregate.groups(place) && aggregate.value != Some(place))
            }
            Look::Last => {
                let members = self.vocabulary.latest(&self.task.bias, past.base);
                let about = members.iter().flat_map(|member| {
                    let key = key(member.signature);
                    member.classes.iter().map(move |class| key.map(|key| class.about.iter().position(|c| *c == key)))
                });
                let about: IndexSet<Option<Option<usize>>, FxBuildHasher> = about.collect();
                about.len() == 1 && !about.contains(&Some(None))
            }
            Look::Ago(_) | Look::FramesAgo(_) | Look::Lasting | Look::Since | Look::Within(..) => true,
        }
    }

    /// Whether an instance of a fluent is ended by nothing that is about another key: of a fluent with values the key is not the
    /// value, and where the key must be observed, the fluent has one.
    fn persists_apart(&self, fluent: Signature) -> bool {
        let key = self.keys.get(&fluent).copied();
        let value = fluent.has_value().then(|| fluent.arity().saturating_sub(2));
        let mut tracked = tracked_columns(self.task, self.vocabulary, fluent).into_iter();
        (key.is_none() || key != value) && tracked.all(|(column, kind)| kind != self.kind || key == Some(column))
    }

    /// The types of which it matters who is observed.
    fn observed(&self, rules: &[Clause], fluents: &[Signature]) -> IndexSet<Symbol, FxBuildHasher> {
        let of_fluents = fluents.iter().flat_map(|fluent| tracked_columns(self.task, self.vocabulary, *fluent));
        let mut kinds: IndexSet<Symbol, FxBuildHasher> = of_fluents.map(|(_, kind)| kind).collect();
        for (_, atom) in rules.iter().flat_map(Clause::atoms) {
            let signature = plain(atom).map_or_else(|| Signature::of(atom), |(past, _)| past.base);
            if let Some(Role::Type(kind)) = self.vocabulary.predicates.get(&signature).map(|p| p.role) {
                kinds.insert(kind);
            }
        }
        kinds
    }

    /// Whether everybody who sees a part knows which values of a type are observed: of the keys each their own, of others all.
    fn is_observed_apart(&self, kind: Symbol) -> bool {
        self.task.bias.inputs.iter().all(|mode| {
            let key = self.keys.get(&mode.signature()).copied();
            let mut columns = mode.types().into_iter().enumerate().filter(|(_, of)| *of == Some(kind));
            columns.all(|(column, _)| if kind == self.kind { key == Some(column) } else { key.is_none() })
        })
    }
}
