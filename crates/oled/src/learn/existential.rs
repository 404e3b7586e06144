//! Existential variables: what is true of an instance with each assignment of the variables that output places introduce.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use crate::induce::{Column, Component, LiteralTable, Mask};
use crate::lang::{Signature, Value};
use crate::logic::{Model, Pred, Program};

/// A component of existential literals, ready to be evaluated.
#[derive(Clone, Debug)]
pub(super) struct Existential {
    /// For each variable where its values come from: a relation and a column of it.
    pub(super) domains: Vec<(usize, Pred, usize)>,
    /// For each literal its relation.
    pub(super) literals: Vec<(usize, Pred)>,
}

/// More assignments of the variables of a component than this are not tried; the instance then counts as if nothing was
/// true of them. Each instance tries all of them at each time point: at twice as many a crowd takes twice as long, at half
/// as many two variables among 64 entities are out of reach.
const MAX_ASSIGNMENTS: usize = 4096;

/// Existential variables that had too many assignments at a time point to be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AssignmentOverflow {
    /// The group of heads.
    pub group: usize,
    /// The variable of them that has most values, by its number among those that output places introduce.
    pub variable: usize,
    /// How many assignments there were.
    pub assignments: usize,
}

/// The values of the variables of a component at a time point: the same for all instances.
#[derive(Clone, Debug, Default)]
pub(super) struct Assignments {
    values: Vec<Vec<Value>>,
    /// How many there are; none are tried if there are too many.
    count: Option<usize>,
}

impl Existential {
    pub(super) fn new(table: &LiteralTable, component: &Component, program: &Program) -> Existential {
        let pred = |s: Signature| program.pred(s).expect("the predicates of all modes are wanted");
        let head = table.types.len();
        let domains = component.variables.iter().map(|&v| {
            let introduced = &table.introduced()[v - head];
            match program.type_pred(introduced.kind) {
                Some(kind) => (v, kind, 0),
                // Numbers take the values that the literal that introduces them has.
                None => (v, pred(table.patterns()[introduced.source.0].signature), introduced.source.1),
            }
        });
        let literals = component.literals.iter().map(|&l| (l, pred(table.patterns()[l].signature)));
        Existential { domains: domains.collect(), literals: literals.collect() }
    }

    /// The assignments at the model's time point. If there are too many, adds the variable with most values and their number
    /// to `assignment_overflow`.
    pub(super) fn assignments(
        &self,
        table: &LiteralTable,
        model: &Model,
        assignment_overflow: &mut Vec<(usize, usize)>,
    ) -> Assignments {
        let distinct = |&(_, pred, column): &(usize, Pred, usize)| {
            let values: IndexSet<Value, FxBuildHasher> = model.rows(pred).rows().map(|row| row[column]).collect();
            values.into_iter().collect()
        };
        let values: Vec<Vec<Value>> = self.domains.iter().map(distinct).collect();
        let count = values.iter().fold(1, |product: usize, d| product.saturating_mul(d.len() + 1));
        if count > MAX_ASSIGNMENTS {
            let most = (0..values.len()).rev().max_by_key(|&i| values[i].len()).expect("a component has variables");
            let variable = self.domains[most].0 - table.types.len();
            if !assignment_overflow.iter().any(|(v, _)| *v == variable) {
                assignment_overflow.push((variable, count));
            }
            return Assignments { values, count: None };
        }
        Assignments { values, count: Some(count) }
    }

    /// What is true of the component's literals, for each assignment of its variables, none included.
    pub(super) fn truths(
        &self,
        table: &LiteralTable,
        head: &[Value],
        model: &Model,
        assignments: &Assignments,
    ) -> Vec<Mask> {
        let mut truths: Vec<Mask> = vec![Mask::EMPTY];
        let mut row = Vec::new();
        let mut assignment: Vec<Option<Value>> = Vec::new();
        for number in 0..assignments.count.unwrap_or(0) {
            let mut rest = number;
            assignment.clear();
            assignment.extend(assignments.values.iter().map(|d| {
                let digit = rest % (d.len() + 1);
                rest /= d.len() + 1;
                d.get(digit).copied()
            }));
            let truth = self.truth(table, head, &assignment, model, &mut row);
            add_truth(&mut truths, truth);
        }
        truths
    }

    fn truth(
        &self,
        table: &LiteralTable,
        head: &[Value],
        assignment: &[Option<Value>],
        model: &Model,
        row: &mut Vec<Value>,
    ) -> Mask {
        let value = |v: usize| match head.get(v) {
            Some(value) => Some(*value),
            None => self.domains.iter().position(|(d, ..)| *d == v).and_then(|i| assignment[i]),
        };
        let mut truth = Mask::EMPTY;
        'literals: for &(literal, pred) in &self.literals {
            let pattern = &table.patterns()[literal];
            row.clear();
            for column in &pattern.columns {
                match column {
                    Column::Constant(c) => row.push(*c),
                    // A literal about nobody is false, negated or not.
                    Column::Variable(v) => match value(*v) {
                        Some(value) => row.push(value),
                        None => continue 'literals,
                    },
                }
            }
            if model.rows(pred).contains(row) != pattern.negated {
                truth.insert(literal);
            }
        }
        truth
    }
}

/// Adds a truth, unless it is part of another; those that are part of it go.
pub(super) fn add_truth(truths: &mut Vec<Mask>, truth: Mask) {
    if !truths.iter().any(|t| truth.fires_on(t)) {
        truths.retain(|t| !t.fires_on(&truth));
        truths.push(truth);
    }
}
