//! Links: which conditions relate the arguments of a head to each other.
//!
//! A rule that starts a fluent of two people but says nothing of both would start it for everybody with everybody. Such a
//! rule is hardly ever meant, and to judge it all pairs would have to be looked at. So where the modes have conditions that
//! relate the arguments of a head, rules that start it have some of these (*linked* clauses), and only arguments that are
//! related are looked at.

use crate::induce::{Column, LiteralTable, Mask};

/// Variables of a head, one bit each.
type Variables = u16;

/// Heads with more variables than this are looked at in all combinations: their number has room in four bits.
const MOST_VARIABLES: usize = 16;

/// Which variables of a head are connected by conditions: for each, in four bits, the first one that it is connected with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connected(u64);

impl Connected {
    /// No variable is connected with another.
    pub(crate) const APART: Connected = Connected(0xfedc_ba98_7654_3210);

    fn first(self, variable: usize) -> u64 {
        self.0 >> (4 * variable) & 15
    }

    /// The same with a condition that relates these variables.
    #[must_use]
    fn with(self, related: Variables) -> Connected {
        let variables = || (0..MOST_VARIABLES).filter(|v| related >> v & 1 == 1);
        let Some(least) = variables().map(|v| self.first(v)).min() else { return self };
        let old: Vec<u64> = variables().map(|v| self.first(v)).collect();
        let joined = |v: usize| if old.contains(&self.first(v)) { least } else { self.first(v) };
        Connected((0..MOST_VARIABLES).map(|v| joined(v) << (4 * v)).sum())
    }

    /// As a number that two others have only if they are the same.
    pub(crate) fn number(self) -> u64 {
        self.0 ^ Connected::APART.0
    }
}

/// What relates the variables of a group of heads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// For each literal of the table, and for each with an open threshold, the variables that it relates; none if it says
    /// nothing of several, or is true of those of whom nothing is known.
    closed: Vec<Variables>,
    open: Vec<Variables>,
    /// What is connected where all conditions are true.
    all: Connected,
}

impl Links {
    /// The links of a table. `is_known` tells of a literal, and of one with an open threshold, whether learning knows all
    /// that it is true of when rules are at work.
    pub(super) fn new(
        table: &LiteralTable,
        is_known: impl Fn(usize) -> bool,
        is_known_open: impl Fn(usize) -> bool,
    ) -> Links {
        let head = table.types.len();
        let variables = |columns: &mut dyn Iterator<Item = &Column>| {
            let bits = columns.map(|c| if let Column::Variable(v) = c { 1 << v } else { 0 });
            Some(bits.fold(0, |all, bit| all | bit)).filter(|all: &Variables| all.count_ones() > 1).unwrap_or(0)
        };
        let few = (2..=MOST_VARIABLES).contains(&head);
        let closed = |i: usize| {
            let pattern = &table.patterns()[i];
            let links = few && !pattern.negated && !table.is_existential(i) && is_known(i);
            if links { variables(&mut pattern.columns.iter()) } else { 0 }
        };
        let open = |i: usize| {
            let literal = &table.open_literals()[i];
            let links = few && !literal.negated && is_known_open(i);
            if links { variables(&mut literal.columns.iter().flatten()) } else { 0 }
        };
        let closed: Vec<Variables> = (0..table.len()).map(closed).collect();
        let open: Vec<Variables> = (0..table.open_literals().len()).map(open).collect();
        let all = closed.iter().chain(&open).fold(Connected::APART, |all, related| all.with(*related));
        Links { closed, open, all }
    }

    /// Whether instances are those that conditions relate, and not all combinations.
    pub(crate) fn is_relational(&self) -> bool {
        self.all != Connected::APART
    }

    /// Whether a literal of the table relates variables, by its number.
    pub(crate) fn relates(&self, literal: usize) -> bool {
        self.closed.get(literal).is_some_and(|related| *related != 0)
    }

    /// The same of a literal with an open threshold.
    pub(crate) fn relates_open(&self, number: usize) -> bool {
        self.open[number] != 0
    }

    /// What a literal of the table connects besides what is.
    #[must_use]
    pub(crate) fn and(&self, connected: Connected, literal: usize) -> Connected {
        connected.with(self.closed[literal])
    }

    /// The same for one with an open threshold.
    #[must_use]
    pub(crate) fn and_open(&self, connected: Connected, number: usize) -> Connected {
        connected.with(self.open[number])
    }

    /// Whether everything is connected that conditions can connect.
    pub(crate) fn is_all(&self, connected: Connected) -> bool {
        connected == self.all
    }

    /// Whether a body of literals of the table connects all that can be connected.
    pub(crate) fn is_linked(&self, body: &Mask) -> bool {
        !self.is_relational() || self.is_all(body.iter().fold(Connected::APART, |all, l| self.and(all, l)))
    }

    /// The first two variables that a body could connect and does not.
    pub(crate) fn apart(&self, connected: Connected) -> Option<(usize, usize)> {
        let pairs = (0..MOST_VARIABLES).flat_map(|v| (0..v).map(move |w| (w, v)));
        let mut pairs = pairs.filter(|(w, v)| self.all.first(*w) == self.all.first(*v));
        pairs.find(|(w, v)| connected.first(*w) != connected.first(*v))
    }

    /// The variables in sets that conditions can connect, those that nothing connects by themselves.
    pub(super) fn blocks(&self, variables: usize) -> Vec<Vec<usize>> {
        let of = |first: usize| (0..variables).filter(|v| self.all.first(*v) == first as u64).collect();
        (0..variables).map(of).filter(|block: &Vec<usize>| !block.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_connected_through_others() {
        let pairs = |pairs: &[Variables]| pairs.iter().fold(Connected::APART, |all, pair| all.with(*pair));
        assert_eq!(pairs(&[0b011, 0b110]), pairs(&[0b111]));
        assert_eq!(pairs(&[0b110, 0b011]), pairs(&[0b101, 0b011]));
        assert_ne!(pairs(&[0b0011, 0b1100]), pairs(&[0b1111]));
        assert_eq!(pairs(&[0b0011, 0b1100, 0b1000]), pairs(&[0b1100, 0b0011]));
        assert_eq!(pairs(&[0, 1 << 15]), Connected::APART);
        assert_eq!(pairs(&[0b11, 0b11 << 14, 0b1 << 15 | 1]), pairs(&[0b11 << 14 | 0b11]));
        let links = Links { closed: vec![0b011, 0b110], open: vec![], all: pairs(&[0b111]) };
        assert_eq!(links.blocks(4), [vec![0, 1, 2], vec![3]]);
        assert!(links.is_linked(&[0, 1].into_iter().collect()) && !links.is_linked(&Mask::of(0)));
        assert_eq!(links.apart(pairs(&[0b011])), Some((0, 2)));
    }
}
