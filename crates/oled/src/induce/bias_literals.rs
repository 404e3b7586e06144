//! The literals that bodies may be made of, under the mode declarations, over the variables of a head.

mod filling;

use rustc_hash::FxHashMap;

use crate::lang::{Atom, Formula, Literal, Mark, MeantFor, Mode, Signature, Symbol, TIME, Term, Value, for_each_hole};
use crate::logic::Measure;

use super::Mask;

/// All literals over the variables of a head, and over those that output places introduce: each has a number, which is
/// its bit in a [`Mask`].
///
/// Heads whose variables have the same types share a table, so that each literal is evaluated once for all of them.
#[derive(Clone, Debug)]
pub struct LiteralTable {
    /// The types of the head's variables `X0`, `X1`, …, without the time.
    pub types: Vec<Symbol>,
    /// The existential variables `Y0`, `Y1`, …, which are numbered after the head's.
    introduced: Vec<Introduced>,
    literals: Vec<Literal>,
    patterns: Vec<Pattern>,
    /// The heads that each literal is meant for; all if there are none.
    heads: Vec<Vec<MeantFor>>,
    implied: Vec<Mask>,
    open: Vec<OpenLiteral>,
}

/// A literal over the variables of a head whose threshold is open.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenLiteral {
    /// What it measures: the number in [`Vocabulary::measures`](crate::logic::Vocabulary::measures).
    pub measure: usize,
    /// What stands in each column, the time's left out; `None` for the threshold.
    pub columns: Vec<Option<Column>>,
    /// Whether it is negated.
    pub negated: bool,
    /// How many of the literals that have numbers come before it, in the order of the modes.
    pub before: usize,
    /// The heads that it is meant for; all if there are none.
    pub heads: Vec<MeantFor>,
}

/// A variable that an output place of a literal introduces.
#[derive(Clone, Debug, PartialEq)]
pub struct Introduced {
    /// Its type.
    pub kind: Symbol,
    /// The literal that introduces it, and the column there.
    pub source: (usize, usize),
    /// How many literals it is away from the head.
    level: usize,
}

/// Existential variables that share literals, with those literals. Components are independent of each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Component {
    /// The variables.
    pub variables: Vec<usize>,
    /// The literals.
    pub literals: Vec<usize>,
}

/// A literal as the columns of its relation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pattern {
    /// The relation.
    pub signature: Signature,
    /// What stands in each column, the time's left out.
    pub columns: Vec<Column>,
    /// Whether it is negated.
    pub negated: bool,
}

/// What stands in a column of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Column {
    /// A variable of the head, or one that was introduced.
    Variable(usize),
    /// A constant.
    Constant(Value),
}

/// Whether what is meant for some heads is meant for this one.
fn is_meant(heads: &[MeantFor], head: &Atom) -> bool {
    heads.is_empty() || heads.iter().any(|meant| meant.has(head))
}

impl LiteralTable {
    /// A table has no more literals than this: learners number them by 16 bits.
    pub const MOST: usize = u16::MAX as usize;

    /// The name of a variable.
    fn variable(&self, index: usize) -> Term {
        match index.checked_sub(self.types.len()) {
            None => Term::var(&format!("X{index}")),
            Some(i) => Term::Var(LiteralTable::introduced_name(i)),
        }
    }

    /// The name of a variable that an output place introduces, by its number among those.
    pub(crate) fn introduced_name(number: usize) -> Symbol {
        Symbol::new(&format!("Y{number}"))
    }

    fn literal(&self, pattern: &Pattern) -> Literal {
        let mut terms: Vec<Term> = pattern
            .columns
            .iter()
            .map(|c| match c {
                Column::Variable(i) => self.variable(*i),
                Column::Constant(v) => Term::Value(*v),
            })
            .collect();
        if pattern.signature.arity() > terms.len() {
            terms.push(Term::var("T"));
        }
        let mut literal = Literal::positive(pattern.signature.fill(terms));
        literal.negated = pattern.negated;
        literal
    }

    /// The literals that rules with a head may have: those that are meant for it.
    pub fn allowed(&self, head: &Atom) -> Mask {
        (0..self.heads.len()).filter(|literal| is_meant(&self.heads[*literal], head)).collect()
    }

    /// Whether rules with a head may have each of the literals with open thresholds.
    pub fn open_allowed(&self, head: &Atom) -> Vec<bool> {
        self.open.iter().map(|literal| is_meant(&literal.heads, head)).collect()
    }

    /// The variables that output places introduce; they are numbered after the head's.
    pub fn introduced(&self) -> &[Introduced] {
        &self.introduced
    }

    /// Whether a literal speaks of an introduced variable.
    pub fn is_existential(&self, literal: usize) -> bool {
        let head = self.types.len();
        self.patterns[literal].columns.iter().any(|c| matches!(c, Column::Variable(v) if *v >= head))
    }

    /// The components of the existential literals.
    pub fn components(&self) -> Vec<Component> {
        let head = self.types.len();
        let mut components: Vec<Component> = Vec::new();
        for (i, pattern) in self.patterns.iter().enumerate() {
            let own: Vec<usize> = pattern
                .columns
                .iter()
                .filter_map(|c| if let Column::Variable(v) = c { Some(*v) } else { None })
                .filter(|v| *v >= head)
                .collect();
            if own.is_empty() {
                continue;
            }
            // Components that the literal connects become one.
            let (touched, mut rest): (Vec<Component>, Vec<Component>) =
                components.into_iter().partition(|c| c.variables.iter().any(|v| own.contains(v)));
            let mut merged = Component { variables: own, literals: vec![i] };
            for component in touched {
                merged.variables.extend(component.variables);
                merged.literals.extend(component.literals);
            }
            merged.variables.sort_unstable();
            merged.variables.dedup();
            merged.literals.sort_unstable();
            rest.push(merged);
            components = rest;
        }
        components.sort_by_key(|c| c.literals[0]);
        components
    }

    /// What each literal is about: literals with the same relation and the same variables have the same number.
    pub fn attributes(&self) -> Vec<u32> {
        let about = |p: &Pattern| {
            let variables = p.columns.iter().map(|c| if let Column::Variable(v) = c { Some(*v) } else { None });
            (p.signature, variables.collect::<Vec<_>>())
        };
        let mut first = FxHashMap::default();
        let patterns = self.patterns.iter().enumerate();
        patterns.map(|(number, pattern)| *first.entry(about(pattern)).or_insert(number as u32)).collect()
    }

    /// The literals whose thresholds are open.
    pub fn open_literals(&self) -> &[OpenLiteral] {
        &self.open
    }

    /// A literal with an open threshold, with a number for it.
    pub(crate) fn open_literal(&self, number: usize, threshold: Value, measures: &[Measure]) -> Literal {
        let OpenLiteral { measure, columns, negated, .. } = &self.open[number];
        let columns = columns.iter().map(|c| c.unwrap_or(Column::Constant(threshold))).collect();
        self.literal(&Pattern { signature: measures[*measure].predicate, columns, negated: *negated })
    }

    /// The threshold that a literal has, if it is this literal with an open one.
    pub(crate) fn threshold_of(&self, number: usize, literal: &Literal, measures: &[Measure]) -> Option<f64> {
        let Formula::Atom(atom) = &literal.formula else { return None };
        let measure = &measures[self.open[number].measure];
        if Signature::of(atom) != measure.predicate {
            return None;
        }
        let mut holes = Vec::new();
        for_each_hole(&atom.args, &mut |t| holes.push(t));
        let Term::Value(value) = *holes[measure.column] else { return None };
        (self.open_literal(number, value, measures) == *literal).then(|| value.as_f64()).flatten()
    }

    /// The number of literals.
    pub fn len(&self) -> usize {
        self.literals.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    /// The literals as columns.
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// For each literal what else it implies.
    pub fn implied(&self) -> &[Mask] {
        &self.implied
    }

    /// All literals, in the order of their numbers.
    pub fn literals(&self) -> &[Literal] {
        &self.literals
    }

    /// The literals of a body, without those that others of them imply.
    pub fn body(&self, mask: &Mask) -> Vec<Literal> {
        let implied =
            |i: usize| mask.iter().any(|j| j != i && self.implied[j].has(i) && (!self.implied[i].has(j) || j < i));
        let mut body: Vec<Literal> = mask.iter().filter(|&i| !implied(i)).map(|i| self.literals[i].clone()).collect();
        // A variable that only negated literals mention ranges over its type, which the rule has to say.
        let mut positive = Vec::new();
        body.iter().filter(|l| !l.negated).for_each(|l| l.for_each_var(&mut |name| positive.push(name)));
        let mut open = Vec::new();
        body.iter().filter(|l| l.negated).for_each(|l| l.for_each_var(&mut |name| open.push(name)));
        for i in 0..self.introduced.len() {
            if let Term::Var(name) = self.variable(self.types.len() + i)
                && open.contains(&name)
                && !positive.contains(&name)
            {
                body.push(self.type_literal(i));
            }
        }
        body
    }

    /// The literal that says of what type an introduced variable is.
    fn type_literal(&self, number: usize) -> Literal {
        let variable = self.variable(self.types.len() + number);
        Literal::positive(Atom::new(self.introduced[number].kind.as_str(), vec![variable, Term::var("T")]))
    }

    /// Whether a literal only says of what type an introduced variable is.
    pub(crate) fn is_type_of_introduced(&self, literal: &Literal) -> bool {
        (0..self.introduced.len()).any(|i| self.type_literal(i) == *literal)
    }

    /// The number of a literal, if it is in the table; its variables must be named as the table names them.
    pub fn find(&self, literal: &Literal) -> Option<usize> {
        self.literals.iter().position(|l| l == literal)
    }

    /// The negated literals.
    pub fn negated(&self) -> Mask {
        (0..self.patterns.len()).filter(|&i| self.patterns[i].negated).collect()
    }
}

/// The types of a head's variables, without the time, and the head with variables for them.
pub fn head_template(mode: &Mode) -> Result<(Vec<Symbol>, Atom), String> {
    let holes = mode.holes();
    let count = holes.len() - usize::from(mode.is_timed());
    let mut types = Vec::new();
    let mut terms = Vec::new();
    for hole in &holes[..count] {
        match hole {
            Term::Mark(Mark::Input, kind) if kind.as_str() != TIME => {
                terms.push(Term::var(&format!("X{}", types.len())));
                types.push(*kind);
            }
            Term::Value(value) => terms.push(Term::Value(*value)),
            other => return Err(format!("`{other}` in the head `{}`: heads have `+type` and constants", mode.atom)),
        }
    }
    if mode.is_timed() {
        terms.push(Term::var("T"));
    }
    Ok((types, mode.signature().fill(terms)))
}
