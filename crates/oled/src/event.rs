//! Events: what happened while learning, for whoever wants to know.

use crate::induce::Figures;
use crate::lang::{Atom, Clause, Symbol};

/// Something that a learner did to a rule, or could not do.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The interpretation at which it happened, counted from one; zero for what was before all.
    pub interpretation: u64,
    /// The number of the process, which is that of the head.
    pub process: usize,
    /// The head of the rules that it is about.
    pub head: Atom,
    /// The number of the rule within its process; 0 where it is about all of them.
    pub rule: u64,
    /// What happened.
    pub what: EventKind,
}

/// What happened to a rule.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// It was given to start from.
    Given {
        /// The rule.
        clause: Clause,
    },
    /// It was started from an instance that no rule covered.
    Started {
        /// The bottom clause.
        bottom: Clause,
    },
    /// It was replaced by a specialisation.
    Expanded {
        /// The rule before.
        from: Clause,
        /// The specialisation.
        to: Clause,
        /// The figures.
        figures: Figures,
    },
    /// It was given up.
    Pruned {
        /// The rule.
        clause: Clause,
        /// The figures.
        figures: Figures,
    },
    /// It was chosen for the theory.
    Chosen {
        /// The rule.
        clause: Clause,
        /// What the theory is worth with it: F1 less the price of its literals.
        value: f64,
    },
    /// It is no longer in the theory.
    Dropped {
        /// The rule.
        clause: Clause,
        /// What the theory is worth without it.
        value: f64,
    },
    /// A limit that is set was reached, and something was left out because of it. Told once for each head and limit.
    Limited {
        /// The name of the setting.
        limit: Symbol,
        /// What it is set to.
        most: usize,
        /// What was left out, as a sentence.
        what: String,
    },
    /// Existential variables had too many assignments to be tried, so that literals with them counted as false. Told once
    /// for each head and variable.
    AssignmentOverflow {
        /// The variable of them that had most values.
        variable: Symbol,
        /// How many assignments there were.
        assignments: usize,
        /// The segment.
        segment: Symbol,
        /// The time point.
        time: i64,
    },
}

/// Whoever wants to know what happens: a log, a page, a test.
pub trait Observer {
    /// Takes note of an event.
    fn on(&mut self, event: &Event);
}

/// Nobody.
impl Observer for () {
    fn on(&mut self, _: &Event) {}
}

/// A list of what happened.
impl Observer for Vec<Event> {
    fn on(&mut self, event: &Event) {
        self.push(event.clone());
    }
}
