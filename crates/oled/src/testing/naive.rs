//! The rules and the axioms evaluated by brute force: no plans, no indexes, no strata of components, no flat facts.

mod aggregate;
mod axioms;
mod past;
mod satisfy;

use std::collections::BTreeSet;

use crate::lang::{Atom, Clause, Formula, Literal, Symbol, Term, Value};
use aggregate::{gathered, with_placeholders};
pub use axioms::{Point, axioms, points};
use satisfy::{Bindings, Now, looked_back_at, satisfy, substitute};

/// Ground atoms as text, which is as far from the engine's representation as can be.
pub type Atoms = BTreeSet<String>;

/// The earlier time points of a segment, oldest first, each with everything that was true; and how far rules look back.
/// Without a horizon there is no past, and nothing is true that looks back.
#[derive(Clone, Debug, Default)]
pub struct Past {
    /// In time units.
    pub horizon: Option<i64>,
    /// Times and models.
    pub points: Vec<(i64, Vec<Atom>)>,
    /// The sets of which one is true at a time, as they are declared.
    pub exclusive: Vec<Vec<Atom>>,
    /// The types of what the stream has, each of which is a predicate.
    pub types: Vec<Symbol>,
    /// Whether time has begun: where `initially` is evaluated there is not even a now that could be counted.
    pub has_begun: bool,
}

/// The perfect model of rules and facts at a time, which the variable `T` stands for, or `None` if negation runs in a
/// circle; without a past.
pub fn perfect_model(rules: &[&Clause], facts: &[Atom], time: i64) -> Option<Vec<Atom>> {
    perfect_model_after(&Past::default(), rules, facts, time)
}

/// The same after a past, or `None` too if a predicate looks back at itself.
pub fn perfect_model_after(past: &Past, rules: &[&Clause], facts: &[Atom], time: i64) -> Option<Vec<Atom>> {
    let start: Bindings = vec![(Symbol::new("T"), Value::Int(time))];
    let rules: Vec<Clause> = rules.iter().map(|rule| with_placeholders(rule)).collect();
    let rules: &[&Clause] = &rules.iter().collect::<Vec<_>>();
    let levels = levels(rules, past)?;
    let mut model: Vec<Atom> = Vec::new();
    let mut known = Atoms::new();
    for fact in facts {
        // Facts that are equal are there as often as the stream has them, for what is counted; who is observed is there once.
        if known.insert(fact.to_string()) || !past.types.contains(&fact.name) {
            model.push(fact.clone());
        }
    }
    let top = levels.iter().map(|(_, level)| *level).max().unwrap_or(0);
    for level in 0..=top {
        loop {
            let mut new = Vec::new();
            for rule in rules {
                if level_of(&levels, &key(&rule.head)) == level {
                    let body: Vec<&Literal> = rule.body.iter().collect();
                    let now = Now { model: &model, known: &known, past, time };
                    satisfy(&body, &now, &start, &mut |bindings| {
                        if let Some(head) = substitute(&rule.head, bindings) {
                            new.push(head);
                        }
                    });
                }
            }
            let before = known.len();
            for atom in new {
                if known.insert(atom.to_string()) {
                    model.push(atom);
                }
            }
            if known.len() == before {
                break;
            }
        }
    }
    Some(model)
}

/// The predicate of an atom, with the event or fluent in it.
fn key(atom: &Atom) -> String {
    match atom.args.first() {
        Some(Term::App(name, args)) => format!("{}/{}({name}/{})", atom.name, atom.args.len(), args.len()),
        _ => format!("{}/{}", atom.name, atom.args.len()),
    }
}

/// Levels such that rules use lower ones negated, look back at lower ones, and use lower or equal ones positively
/// (Ullman's algorithm).
fn levels(rules: &[&Clause], past: &Past) -> Option<Vec<(String, usize)>> {
    let mut levels: Vec<(String, usize)> = Vec::new();
    for rule in rules {
        let head = key(&rule.head);
        if !levels.iter().any(|(k, _)| *k == head) {
            levels.push((head, 0));
        }
    }
    loop {
        let mut changed = false;
        for rule in rules {
            let head = key(&rule.head);
            for literal in &rule.body {
                let Formula::Atom(atom) = &literal.formula else { continue };
                let (below, complete) = match looked_back_at(atom) {
                    Some((inner, _)) if atom.name.as_str() == "last" => (past.with_others(&key(&inner)), true),
                    Some((inner, _)) => (vec![key(&inner)], true),
                    None if gathered(atom).is_some() => {
                        (gathered(atom).map(|g| key(&g.inner)).into_iter().collect(), true)
                    }
                    None => (vec![key(atom)], literal.negated),
                };
                for below in below {
                    if !levels.iter().any(|(k, _)| *k == below) {
                        continue;
                    }
                    let needed = level_of(&levels, &below) + usize::from(complete);
                    let at = levels.iter().position(|(k, _)| *k == head).expect("heads have levels");
                    if levels[at].1 < needed {
                        levels[at].1 = needed;
                        changed = true;
                    }
                }
            }
        }
        if !changed {
            return Some(levels);
        }
        if levels.iter().any(|(_, level)| *level > levels.len()) {
            return None;
        }
    }
}

fn level_of(levels: &[(String, usize)], key: &str) -> usize {
    levels.iter().find(|(k, _)| k == key).map_or(0, |(_, level)| *level)
}
