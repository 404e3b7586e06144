//! A walk: the steps of plans, taken row by row.

use super::limits::{POLL, Stopped};
use super::{MAX_KEY, MOST_VALUES, Scratch};
use crate::lang::Value;
use crate::logic::builtin::{Expr, compare};
use crate::logic::cells::Nearby;
use crate::logic::near::Near;
use crate::logic::plan::{Column, Step};
use crate::logic::program::{Head, Node, Pred};
use crate::logic::relation::{Candidates, Relation};

/// One pass over the plans of a stratum.
pub(super) struct Run<'a> {
    pub(super) relations: &'a [Relation],
    pub(super) scratch: &'a mut Scratch,
    /// The rows that are new, for plans of recursive rules.
    pub(super) new: &'a [(Pred, usize, usize)],
}

impl Run<'_> {
    /// Takes all nodes; returns whether each of them reached a head.
    pub(super) fn all(&mut self, nodes: &[Node]) -> bool {
        self.scratch.steps += nodes.len() as u64;
        if self.scratch.steps >= self.scratch.pause_at && self.is_over(nodes) {
            return true;
        }
        let mut every = true;
        for node in nodes {
            every &= self.node(node);
        }
        every
    }

    /// Looks at the limits; whether no more is to be derived. Like who reaches a head, who stops is done with a scan.
    #[cold]
    #[inline(never)]
    fn is_over(&mut self, nodes: &[Node]) -> bool {
        let scratch = &mut *self.scratch;
        if scratch.stopped.is_none() {
            if scratch.limits.interrupt.is_raised() {
                scratch.stopped = Some(Stopped::Interrupted);
            } else if scratch.steps > scratch.limits.steps {
                let mut node = nodes.first();
                while let Some(Node { then, heads, .. }) = node {
                    if let Some(head) = heads.first() {
                        scratch.stopped = Some(Stopped::TooLong(head.pred, head.rule));
                        break;
                    }
                    node = then.first();
                }
            }
            scratch.pause_at = scratch.limits.steps.min(scratch.steps.saturating_add(POLL));
        }
        scratch.stopped.is_some()
    }

    fn then(&mut self, node: &Node) -> bool {
        for Head { pred: head, rule, row } in &node.heads {
            if self.scratch.heads.len() >= self.scratch.limits.rows || self.scratch.values.len() >= MOST_VALUES {
                self.scratch.stopped = Some(Stopped::Full);
                return true;
            }
            let start = self.scratch.values.len();
            for expr in row {
                match expr.eval(&self.scratch.slots) {
                    Some(value) => self.scratch.values.push(value),
                    None => break,
                }
            }
            // A head with an operation that has no value is not derived.
            if self.scratch.values.len() - start == row.len() {
                self.scratch.heads.push((*head, self.scratch.values.len() as u32));
                if self.scratch.is_traced {
                    self.scratch.rules.push(*rule);
                }
            } else {
                self.scratch.values.truncate(start);
            }
        }
        node.then.is_empty() || self.all(&node.then)
    }

    fn node(&mut self, node: &Node) -> bool {
        let relations = self.relations;
        match &node.step {
            None => self.then(node),
            Some(Step::Scan { pred, columns, index, key, once, delta, near }) => {
                let relation = &relations[pred.index()];
                if let Some(near) = near
                    && let Some(success) = self.nearby(node, *pred, columns, near, (!key.is_empty(), *once))
                {
                    return success;
                }
                let candidates = if *delta {
                    let range = self.new.iter().find(|(p, ..)| p == pred).map_or(0..0, |(_, from, to)| *from..*to);
                    Candidates::Range(range)
                } else {
                    match self.candidates(relation, *index, key, columns) {
                        Some(candidates) => candidates,
                        None => return false,
                    }
                };
                let (mut success, mut looked_at) = (false, 0);
                for i in candidates {
                    looked_at += 1;
                    if self.matches(relation.row(i), columns) && self.then(node) {
                        success = true;
                        if *once || self.scratch.stopped.is_some() {
                            break;
                        }
                    }
                }
                self.scratch.steps += looked_at;
                success
            }
            Some(Step::Present { pred, row }) => {
                self.has(&relations[pred.index()], row) == Some(true) && self.then(node)
            }
            Some(Step::Missing { pred, row }) => {
                self.has(&relations[pred.index()], row) == Some(false) && self.then(node)
            }
            Some(Step::NoRow { pred, columns, index, key }) => {
                let relation = &relations[pred.index()];
                let Some(mut candidates) = self.candidates(relation, *index, key, columns) else { return false };
                let mut looked_at = 0;
                let found = candidates.any(|i| {
                    looked_at += 1;
                    self.matches(relation.row(i), columns)
                });
                self.scratch.steps += looked_at;
                !found && self.then(node)
            }
            Some(Step::Test(op, left, right)) => {
                let slots = &self.scratch.slots;
                let (Some(a), Some(b)) = (left.eval(slots), right.eval(slots)) else { return false };
                compare(*op, a, b) && self.then(node)
            }
            Some(Step::Let(slot, expr)) => {
                let Some(value) = expr.eval(&self.scratch.slots) else { return false };
                self.scratch.slots[slot.0 as usize] = value;
                self.then(node)
            }
            Some(Step::OneOf(slot, values)) => values.contains(&self.scratch.slots[slot.0 as usize]) && self.then(node),
        }
    }

    /// Looks at the rows near to a point, in the order in which a scan comes to them; `None` if it is to look at all rows.
    /// Out of the way of other steps, which are more.
    #[inline(never)]
    fn nearby(
        &mut self,
        node: &Node,
        pred: Pred,
        columns: &[Column],
        near: &Near,
        (keyed, once): (bool, bool),
    ) -> Option<bool> {
        let (relation, first) = (&self.relations[pred.index()], self.scratch.nearby.len());
        let Scratch { cells, slots, nearby, .. } = &mut *self.scratch;
        let Nearby::Added(steps) = cells.find(pred, near, relation, slots, nearby) else { return None };
        if keyed {
            // An index gives the newest row first.
            nearby[first..].reverse();
        }
        let mut success = false;
        let end = nearby.len();
        for at in first..end {
            let row = self.scratch.nearby[at] as usize;
            if self.matches(relation.row(row), columns) && self.then(node) {
                success = true;
                if once || self.scratch.stopped.is_some() {
                    break;
                }
            }
        }
        self.scratch.nearby.truncate(first);
        self.scratch.steps += steps;
        Some(success)
    }

    /// Rows to look at; `None` if a column is compared with an operation that has no value.
    #[inline]
    fn candidates<'r>(
        &self,
        relation: &'r Relation,
        index: usize,
        key: &[usize],
        columns: &[Column],
    ) -> Option<Candidates<'r>> {
        if key.is_empty() || relation.is_small() {
            return Some(Candidates::Range(0..relation.len()));
        }
        let mut values = [Value::Int(0); MAX_KEY];
        for (value, &column) in values.iter_mut().zip(key) {
            let Column::Is(expr) = &columns[column] else { unreachable!("keys are known columns") };
            *value = expr.eval(&self.scratch.slots)?;
        }
        Some(relation.matching(index, &values[..key.len()]))
    }

    #[inline]
    fn matches(&mut self, row: &[Value], columns: &[Column]) -> bool {
        let slots = &mut self.scratch.slots;
        row.iter().zip(columns).all(|(value, column)| match column {
            Column::Any => true,
            Column::Bind(slot) => {
                slots[slot.0 as usize] = *value;
                true
            }
            Column::Is(Expr::Slot(slot)) | Column::Same(slot) => slots[slot.0 as usize] == *value,
            Column::Is(expr) => expr.eval(slots).is_some_and(|v| v == *value),
        })
    }

    /// Whether a relation has a row of these values; `None` if one of them is undefined.
    #[inline]
    fn has(&self, relation: &Relation, row: &[Expr]) -> Option<bool> {
        let slots = &self.scratch.slots;
        match row {
            [a] => Some(relation.contains(&[a.eval(slots)?])),
            [a, b] => Some(relation.contains(&[a.eval(slots)?, b.eval(slots)?])),
            [a, b, c] => Some(relation.contains(&[a.eval(slots)?, b.eval(slots)?, c.eval(slots)?])),
            row => {
                let values: Option<Vec<Value>> = row.iter().map(|e| e.eval(slots)).collect();
                Some(relation.contains(&values?))
            }
        }
    }
}
