//! A walk: the steps of plans, taken row by row.

use super::limits::{POLL, Stopped};
use super::{MAX_KEY, MOST_VALUES, Scratch};
use crate::lang::Value;
use crate::logic::builtin::{Expr, compare};
use crate::logic::cells::Nearby;
use crate::logic::near::Near;
use crate::logic::plan::{Column, Pattern, Step};
use crate::logic::program::{Head, Node, Pred, Row};
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

    /// Derives the heads that are reached with a node; returns whether to go on.
    #[inline]
    fn derive(&mut self, heads: &[Head]) -> bool {
        for Head { pred: head, rule, row } in heads {
            if self.scratch.heads.len() >= self.scratch.limits.rows || self.scratch.values.len() >= MOST_VALUES {
                self.scratch.stopped = Some(Stopped::Full);
                return false;
            }
            let Scratch { slots, values, heads, rules, is_traced, .. } = &mut *self.scratch;
            match row {
                Row::Slots(row) => values.extend(row.iter().map(|slot| slots[slot.0 as usize])),
                Row::Exprs(row) => {
                    let start = values.len();
                    values.extend(row.iter().map_while(|expr| expr.eval(slots)));
                    // A head with an operation that has no value is not derived.
                    if values.len() - start < row.len() {
                        values.truncate(start);
                        continue;
                    }
                }
            }
            heads.push((*head, values.len() as u32));
            if *is_traced {
                rules.push(*rule);
            }
        }
        true
    }

    /// Takes a node, and those that follow.
    #[inline]
    fn node(&mut self, node: &Node) -> bool {
        match &node.step {
            Some(Step::Scan { .. }) => self.scan(node),
            Some(step) if !self.is_passed(step, &node.pattern) => false,
            _ => self.then(node),
        }
    }

    /// Takes what follows a node. What follows one after the other, without a scan, needs no calls.
    #[inline]
    fn then(&mut self, mut node: &Node) -> bool {
        loop {
            if !self.derive(&node.heads) {
                return true;
            }
            let only = match &*node.then {
                [] => return true,
                [only] => only,
                several => return self.all(several),
            };
            self.scratch.steps += 1;
            if self.scratch.steps >= self.scratch.pause_at && self.is_over(&node.then) {
                return true;
            }
            match &only.step {
                Some(Step::Scan { .. }) => return self.scan(only),
                Some(step) if !self.is_passed(step, &only.pattern) => return false,
                _ => node = only,
            }
        }
    }

    fn scan(&mut self, node: &Node) -> bool {
        let Some(Step::Scan { pred, columns, index, key, once, delta, near }) = &node.step else { return false };
        let relation = &self.relations[pred.index()];
        if let Some(near) = near
            && let Some(success) = self.nearby(node, *pred, near, (!key.is_empty(), *once))
        {
            return success;
        }
        if relation.is_empty() {
            return false;
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
        // Most rows that do not match are about somebody else, which their first known column says.
        let pattern = &node.pattern;
        let (first, known) = match &*pattern.known {
            [(column, Expr::Slot(slot)), rest @ ..] => (Some((*column, self.scratch.slots[slot.0 as usize])), rest),
            known => (None, known),
        };
        let (mut success, mut looked_at) = (false, 0);
        for i in candidates {
            looked_at += 1;
            let row = relation.row(i);
            if first.is_some_and(|(column, value)| row[column] != value) {
                continue;
            }
            if self.is_apart(row, node) && self.matches(row, known, pattern) && self.then(node) {
                success = true;
                if *once || self.scratch.stopped.is_some() {
                    break;
                }
            }
        }
        self.scratch.steps += looked_at;
        success
    }

    /// Takes a step that is not a scan; returns whether it leads on.
    #[inline]
    fn is_passed(&mut self, step: &Step, pattern: &Pattern) -> bool {
        match step {
            Step::Scan { .. } => unreachable!("scans are taken by themselves"),
            Step::Present { pred, row } => self.has(&self.relations[pred.index()], row) == Some(true),
            Step::Missing { pred, row } => self.has(&self.relations[pred.index()], row) == Some(false),
            Step::NoRow { pred, columns, index, key } => {
                let relation = &self.relations[pred.index()];
                let Some(mut candidates) = self.candidates(relation, *index, key, columns) else { return false };
                let mut looked_at = 0;
                let found = candidates.any(|i| {
                    looked_at += 1;
                    self.matches(relation.row(i), &pattern.known, pattern)
                });
                self.scratch.steps += looked_at;
                !found
            }
            Step::Test(op, left, right) => {
                let slots = &self.scratch.slots;
                let (Some(a), Some(b)) = (left.eval(slots), right.eval(slots)) else { return false };
                compare(*op, a, b)
            }
            Step::Let(slot, expr) => {
                let Some(value) = expr.eval(&self.scratch.slots) else { return false };
                self.scratch.slots[slot.0 as usize] = value;
                true
            }
            Step::OneOf(slot, values) => values.contains(&self.scratch.slots[slot.0 as usize]),
        }
    }

    /// Looks at the rows near to a point, in the order in which a scan comes to them; `None` if it is to look at all rows.
    /// Out of the way of other steps, which are more.
    #[inline(never)]
    fn nearby(&mut self, node: &Node, pred: Pred, near: &Near, (keyed, once): (bool, bool)) -> Option<bool> {
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
            let row = relation.row(self.scratch.nearby[at] as usize);
            if self.is_apart(row, node) && self.matches(row, &node.pattern.known, &node.pattern) && self.then(node) {
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

    /// Takes the test that a scan has taken over from the step after it.
    #[inline]
    fn is_apart(&mut self, row: &[Value], node: &Node) -> bool {
        let Some((column, slot)) = node.pattern.apart else { return true };
        self.scratch.steps += 1;
        if self.scratch.steps >= self.scratch.pause_at && self.is_over(std::slice::from_ref(node)) {
            return true;
        }
        row[column] != self.scratch.slots[slot.0 as usize]
    }

    /// Whether a row matches in these of the known columns, and in all others; gives its values to the registers that are bound
    /// by it.
    #[inline]
    fn matches(&mut self, row: &[Value], known: &[(usize, Expr)], pattern: &Pattern) -> bool {
        let slots = &mut self.scratch.slots;
        let is_known = |(column, expr): &(usize, Expr)| match expr {
            Expr::Slot(slot) => slots[slot.0 as usize] == row[*column],
            expr => expr.eval(slots).is_some_and(|value| value == row[*column]),
        };
        if !known.iter().all(is_known) {
            return false;
        }
        for (column, slot) in &pattern.bound {
            slots[slot.0 as usize] = row[*column];
        }
        pattern.same.iter().all(|(column, slot)| slots[slot.0 as usize] == row[*column])
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
