//! Vocabulary: the signatures and names of facts, looked up once and not for each fact.

use indexmap::IndexMap;
use oled::{FactReader, Facts, Signature, Symbol, Value};
use rustc_hash::FxBuildHasher;

/// What the labels of the XML are called as facts.
pub(super) struct Vocabulary {
    /// Of what is said about one person: `walking`, `appear`, `visible`.
    labels: IndexMap<String, Signature, FxBuildHasher>,
    /// Of situations of groups, and whether they hold in both orders of a pair.
    situations: IndexMap<&'static str, (Signature, bool), FxBuildHasher>,
    pub(super) coords: Signature,
    pub(super) size: Signature,
    pub(super) orientation: Signature,
    /// `id0`, `id1` and so on.
    persons: Vec<Symbol>,
}

impl Default for Vocabulary {
    fn default() -> Vocabulary {
        let situations = [
            ("interacting", "meeting", true),
            ("moving", "moving", true),
            ("fighting", "fighting", true),
            ("leaving object", "leaving_object", false),
        ];
        let situation = |(situation, fluent, both_orders)| {
            (situation, (signature(&format!("holdsAt({fluent}(p, q), 0)")), both_orders))
        };
        Vocabulary {
            labels: IndexMap::default(),
            situations: situations.into_iter().map(situation).collect(),
            coords: signature("coords(p, 0, 0, 0)"),
            size: signature("box(p, 0, 0, 0)"),
            orientation: signature("orientation(p, 0, 0)"),
            persons: Vec::new(),
        }
    }
}

/// The signature of a fact.
fn signature(fact: &str) -> Signature {
    let mut facts = Facts::default();
    FactReader::default().read(fact, &mut facts).expect("a fact made of printed names can be read");
    facts.iter().next().expect("one was read").0
}

impl Vocabulary {
    /// The signature of what a label says about one person: being seen or hidden lasts, everything else happens.
    pub(super) fn label(&mut self, label: &str) -> Signature {
        if let Some(signature) = self.labels.get(label) {
            return *signature;
        }
        let predicate = if matches!(label, "visible" | "occluded") { "holdsAt" } else { "happensAt" };
        let made = signature(&format!("{predicate}({}(p), 0)", Symbol::new(label)));
        self.labels.insert(label.into(), made);
        made
    }

    /// The signature of what a situation says about a pair, if anything, and whether it does so in both orders.
    pub(super) fn situation(&self, situation: &str) -> Option<(Signature, bool)> {
        self.situations.get(situation).copied()
    }

    /// The name of a person.
    pub(super) fn person(&mut self, id: usize) -> Value {
        while self.persons.len() <= id {
            self.persons.push(Symbol::new(&format!("id{}", self.persons.len())));
        }
        Value::Sym(self.persons[id])
    }
}
