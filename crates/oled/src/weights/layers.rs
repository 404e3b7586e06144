//! Layers: which fluents of a theory are weighed, and in which order they are decoded.
//!
//! What holds with weights is known when it is decoded. So a rule may ask for a fluent whose rules are weighed if that does not
//! ask back: fluents are put in layers, each of which asks for those before it, and for nothing else that is weighed.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::chains::{FluentChains, RuleOf};
use crate::calculus::is_ordinary;
use crate::inertia::tracked_columns;
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED, persisting};
use crate::lang::{Atom, Clause, Diagnostic, Problems, Signature, Theory};
use crate::logic::{Dependence, Vocabulary, asked_for};
use crate::task::Task;

/// The fluents that are weighed together, each with its rules.
pub(super) type Own = IndexMap<Signature, FluentChains, FxBuildHasher>;

/// For each rule of a program the fluent that it is about, and its place among the rules of that.
pub(super) type Places = Vec<Option<(usize, usize)>>;

/// What a head is about: `holdsAt(meeting(_, _), _)` of what starts it, ends it, or says when it holds.
pub(super) fn label_of(head: &Atom) -> Signature {
    persisting(head).unwrap_or(Signature::of(head))
}

/// The fluents that a theory has rules for and that are labelled, layer by layer. What cannot be weighed is said.
pub(super) fn layers(task: &Task, theory: &Theory) -> Result<Vec<Vec<Signature>>, Problems> {
    let plain = task.rules(theory);
    let vocabulary = task.vocabulary(&plain)?;
    let labels = task.labels();
    let mut own: IndexSet<Signature, FxBuildHasher> = IndexSet::default();
    // What is not labelled is there for other rules, and as certain as what the background says.
    for clause in theory.clauses.iter().filter(|clause| labels.contains(&label_of(&clause.head))) {
        let label = label_of(&clause.head);
        refuse(task, &vocabulary, clause, label)?;
        own.insert(label);
    }
    let mut left: Vec<(Signature, Vec<Asked<'_>>)> =
        own.iter().map(|label| (*label, asked(&vocabulary, &plain, &own, *label))).collect();
    let mut layers: Vec<Vec<Signature>> = Vec::new();
    while !left.is_empty() {
        let is_free = |asks: &[Asked<'_>]| asks.iter().all(|asked| layers.iter().flatten().any(|l| *l == asked.label));
        let (free, rest): (Vec<_>, Vec<_>) = left.into_iter().partition(|(_, asks)| is_free(asks));
        if free.is_empty() {
            return Err(coupled(&rest).into());
        }
        layers.push(free.into_iter().map(|(label, _)| label).collect());
        left = rest;
    }
    Ok(layers)
}

/// A condition that asks for a fluent that is weighed, by itself or by what it follows from.
struct Asked<'r> {
    label: Signature,
    atom: &'r Atom,
}

/// What the rules of a fluent ask for that is weighed.
fn asked<'r>(
    vocabulary: &Vocabulary,
    rules: &[&'r Clause],
    own: &IndexSet<Signature, FxBuildHasher>,
    label: Signature,
) -> Vec<Asked<'r>> {
    let dependence = Dependence::new(vocabulary, rules);
    let holds = |s: Signature| if is_ordinary(s) { s } else { s.renamed(HOLDS) };
    let mut found = Vec::new();
    for rule in rules.iter().filter(|rule| label_of(&rule.head) == label) {
        for (_, atom) in rule.atoms() {
            let all = dependence.of(asked_for(atom)).map(holds).filter(|s| own.contains(s));
            found.extend(all.map(|label| Asked { label, atom }));
        }
    }
    found
}

/// Why fluents cannot be decoded one after the other.
fn coupled(left: &[(Signature, Vec<Asked<'_>>)]) -> Diagnostic {
    let is_left = |asked: &&Asked<'_>| left.iter().any(|(label, _)| *label == asked.label);
    let (label, asked) = left
        .iter()
        .find_map(|(label, asks)| Some((label, asks.iter().find(is_left)?)))
        .expect("who is not free asks for somebody who is not either");
    let message = if *label == asked.label {
        format!(
            "a rule for `{label}` asks whether it holds, of this instance or of others, and all of them are weighed"
        )
    } else {
        format!("rules for `{label}` ask for `{}`, and those for that one ask back: both are weighed", asked.label)
    };
    Diagnostic::new(&asked.atom.span, message).hint(
        "instances that depend on each other have no best states that are found one by one: leave the condition out",
    )
}

/// Says what cannot be weighed.
fn refuse(task: &Task, vocabulary: &Vocabulary, clause: &Clause, label: Signature) -> Result<(), Problems> {
    let fail = |message: String, hint: &str| Err(Diagnostic::new(&clause.head.span, message).hint(hint).into());
    if clause.head.name.as_str() == INITIALLY {
        let message = format!("`{label}` holds initially by a rule, and what holds initially has no weight");
        return fail(message, "let a rule start it, or weigh a theory without its rules");
    }
    if task.background.clauses.iter().any(|rule| label_of(&rule.head) == label) {
        let message = format!("the background has rules for `{label}`, which have no weights");
        return fail(message, "move them to the theory");
    }
    if task.bias.symmetries().is_equivalence(label) {
        let message = format!("`{label}` is an equivalence, and weights are for each instance by itself");
        return fail(message, "weigh a theory without its rules");
    }
    let value = label.arity().checked_sub(2).filter(|_| label.has_value());
    let is_tracked = value.is_some_and(|v| tracked_columns(task, vocabulary, label).iter().any(|(c, _)| *c == v));
    if is_tracked {
        let message = format!("values of `{label}` must be observed, and weights go on without that");
        return fail(message, "list the types that must be observed in `task.toml`: `[calculus] tracked = […]`");
    }
    if value.is_some() && vocabulary.candidates_of(label).is_some() {
        let message = format!("`{label}` has candidates by its value, and weights are for all values of an instance");
        return fail(message, "weigh a theory without its rules");
    }
    Ok(())
}

/// The fluents of a layer, and for each rule of background and theory the fluent and its place there.
pub(super) fn own_rules(task: &Task, theory: &Theory, layer: &[Signature]) -> (Own, Places) {
    let mut own: Own = IndexMap::default();
    let mut rules: Places = vec![None; task.background.clauses.len()];
    for (number, clause) in theory.clauses.iter().enumerate() {
        let (label, name) = (label_of(&clause.head), clause.head.name.as_str());
        if !layer.contains(&label) {
            rules.push(None);
            continue;
        }
        let entry = own.entry(label);
        let at = entry.index();
        let direct = !matches!(name, INITIATED | TERMINATED);
        let fluent = entry.or_insert_with(|| FluentChains::new(label, direct, task.options.both));
        rules.push(Some((at, fluent.rules.len())));
        fluent.rules.push(RuleOf { number, ends: name == TERMINATED });
    }
    (own, rules)
}

/// Says where a rule asks for what starts or ends a fluent whose rules are weighed: only what holds is known of it.
pub(super) fn refuse_starts(rules: &[&Clause], below: &[Signature]) -> Result<(), Problems> {
    for (_, atom) in rules.iter().flat_map(|rule| rule.atoms()) {
        let changes = |asked: &Signature| {
            matches!(asked.name().as_str(), INITIATED | TERMINATED) && below.contains(&asked.renamed(HOLDS))
        };
        if let Some(asked) = asked_for(atom).find(changes) {
            let message = format!("a condition asks for `{asked}`, and rules of that are weighed");
            let hint = "ask whether it holds, now or `frames_ago`";
            return Err(Diagnostic::new(&atom.span, message).hint(hint).into());
        }
    }
    Ok(())
}
