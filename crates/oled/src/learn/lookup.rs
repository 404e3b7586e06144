//! Lookup: a body tested on a head instance literal by literal, each looked up among what is true: what learning would
//! cost without masks, for benchmarks, and what masks have to say, for tests.

use super::instances::Group;
use super::propositionaliser::Propositionaliser;
use crate::induce::{Column, Mask};
use crate::lang::{Value, exchanged};
use crate::logic::Model;
use crate::stream::Frame;

/// What is true at a time point, and the head instances there.
#[derive(Clone, Debug)]
pub struct Lookup {
    propositionaliser: Propositionaliser,
    /// For each group of heads with the same types, the values of its instances in the order of their truths.
    heads: Vec<Vec<Vec<Value>>>,
    row: Vec<Value>,
}

impl Lookup {
    pub(super) fn new(propositionaliser: Propositionaliser) -> Lookup {
        Lookup { propositionaliser, heads: Vec::new(), row: Vec::new() }
    }

    /// Goes to the time point of a frame.
    pub fn observe(&mut self, frame: &Frame) {
        self.propositionaliser.derive(frame);
        self.propositionaliser.notice(frame, |_, _, _| {});
        let groups = self.propositionaliser.groups.iter().zip(&self.propositionaliser.present);
        let heads =
            groups.map(|(group, present)| present.numbers().map(|k| present.values(group, k).to_vec()).collect());
        self.heads = heads.collect();
    }

    /// The number of instances of a group of heads.
    pub fn instances(&self, group: usize) -> usize {
        self.heads[group].len()
    }

    /// The arguments of an instance of a group.
    pub fn values(&self, group: usize, instance: usize) -> &[Value] {
        &self.heads[group][instance]
    }

    /// Whether a body fires on an instance of a group.
    pub fn fires(&mut self, group: usize, instance: usize, body: &Mask) -> bool {
        let head = &self.heads[group][instance];
        let one = is_true(&self.propositionaliser, group, head, body, &mut self.row);
        // A pair of a symmetric fluent has two orders.
        let both = self.propositionaliser.groups[group].symmetric;
        one || both && is_true(&self.propositionaliser, group, &exchanged(head), body, &mut self.row)
    }
}

/// Whether a body is true with these values of the head's variables.
fn is_true(
    propositionaliser: &Propositionaliser,
    group: usize,
    head: &[Value],
    body: &Mask,
    row: &mut Vec<Value>,
) -> bool {
    let group = &propositionaliser.groups[group];
    let known = |l: &usize| !group.table.is_existential(*l);
    if !body.iter().filter(known).all(|l| holds(group, l, &propositionaliser.model, |v| head[v], row)) {
        return false;
    }
    let rest: Vec<usize> = body.iter().filter(|l| !known(l)).collect();
    rest.is_empty() || assign(group, &rest, &propositionaliser.model, &mut head.to_vec(), &mut Vec::new(), row)
}

/// Whether there are values for the variables of existential literals with which all of them are true. `values` are those
/// of the head, then of the variables in `assigned`.
fn assign(
    group: &Group,
    literals: &[usize],
    model: &Model,
    values: &mut Vec<Value>,
    assigned: &mut Vec<usize>,
    row: &mut Vec<Value>,
) -> bool {
    let head = group.domains.len();
    let variables = literals.iter().flat_map(|&l| &group.table.patterns()[l].columns);
    let open = variables.filter_map(|c| if let Column::Variable(v) = c { Some(*v) } else { None });
    let Some(next) = open.filter(|v| *v >= head).find(|v| !assigned.contains(v)) else {
        let place = |v: usize| if v < head { v } else { head + assigned.iter().position(|a| *a == v).unwrap_or(0) };
        return literals.iter().all(|&l| holds(group, l, model, |v| values[place(v)], row));
    };
    let (pred, column) = group.existential_domain(next);
    assigned.push(next);
    let found = model.rows(pred).rows().any(|r| {
        values.push(r[column]);
        let found = assign(group, literals, model, values, assigned, row);
        values.pop();
        found
    });
    assigned.pop();
    found
}

/// Whether a literal is true with these values of its variables.
fn holds(group: &Group, literal: usize, model: &Model, value: impl Fn(usize) -> Value, row: &mut Vec<Value>) -> bool {
    let pattern = &group.table.patterns()[literal];
    row.clear();
    row.extend(pattern.columns.iter().map(|c| match c {
        Column::Constant(c) => *c,
        Column::Variable(v) => value(*v),
    }));
    model.rows(group.preds[literal]).contains(row) != pattern.negated
}
