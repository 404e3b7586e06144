//! A rule about intervals, ready to be applied to them.

use super::Values;
use crate::lang::{
    Allen, Atom, Comparison, Formula, Intervals, Related, Signature, Symbol, Term, Told, Value, for_each_hole,
};
use crate::logic::{apply, compare_values};

/// A rule, its variables numbered.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rule {
    /// By its number.
    pub(super) head: usize,
    pub(super) head_args: Vec<Arg>,
    pub(super) source: Side,
    pub(super) pair: Option<(Side, Allen, Told)>,
    pub(super) conditions: Vec<(Comparison, Term, Term)>,
    pub(super) names: Vec<Symbol>,
}

/// A fluent whose intervals a rule asks for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Side {
    pub(super) signature: Signature,
    pub(super) args: Vec<Arg>,
    /// The variables that the other side has too.
    pub(super) shared: Vec<usize>,
    /// How much later than it is over an interval may become known.
    pub(super) late: i64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Arg {
    Constant(Value),
    Variable(usize),
}

impl Rule {
    pub(super) fn new(rule: &Related, head: usize, late: impl Fn(&Atom) -> i64) -> Rule {
        let mut names = Vec::new();
        let mut args = |atom: &Atom| {
            let mut args = Vec::new();
            for_each_hole(&atom.args[..1], &mut |term| {
                args.push(match term {
                    Term::Value(value) => Arg::Constant(*value),
                    // Nothing is asked of an anonymous variable: each is another one.
                    Term::Var(name) if !term.is_anonymous() => {
                        Arg::Variable(names.iter().position(|known| known == name).unwrap_or_else(|| {
                            names.push(*name);
                            names.len() - 1
                        }))
                    }
                    _ => {
                        names.push(Symbol::new("_"));
                        Arg::Variable(names.len() - 1)
                    }
                });
            });
            args
        };
        let mut side = |atom: &Atom| Side {
            signature: Signature::of(atom),
            args: args(atom),
            shared: Vec::new(),
            late: late(atom),
        };
        let (mut source, mut pair) = match &rule.of {
            Intervals::Same(atom) => (side(atom), None),
            Intervals::Pair { relation, told, source, target } => {
                (side(source), Some((side(target), *relation, *told)))
            }
        };
        if let Some((target, ..)) = &mut pair {
            let has = |args: &[Arg], variable: usize| args.contains(&Arg::Variable(variable));
            let shared: Vec<usize> =
                (0..names.len()).filter(|v| has(&source.args, *v) && has(&target.args, *v)).collect();
            (source.shared, target.shared) = (shared.clone(), shared);
        }
        let head_args = {
            let mut args = Vec::new();
            for_each_hole(&rule.head.args[..1], &mut |term| {
                args.push(match term {
                    Term::Var(name) => {
                        Arg::Variable(names.iter().position(|known| known == name).expect("heads are checked"))
                    }
                    Term::Value(value) => Arg::Constant(*value),
                    _ => unreachable!("rules that compute are refused"),
                });
            });
            args
        };
        let conditions = rule.conditions.iter().filter_map(|literal| match &literal.formula {
            Formula::Compare(op, left, right) => {
                Some((if literal.negated { op.negated() } else { *op }, left.clone(), right.clone()))
            }
            Formula::Atom(_) => None,
        });
        let conditions = conditions.collect();
        Rule { head, head_args, source, pair, conditions, names }
    }

    /// The values of the variables, if the sides agree and the conditions are met.
    pub(super) fn bind<const N: usize>(&self, sides: [(&Side, &Values); N]) -> Option<Vec<Option<Value>>> {
        let mut bound = vec![None; self.names.len()];
        if !sides.iter().all(|(side, values)| side.bind(values, &mut bound)) {
            return None;
        }
        let lookup = |name: Symbol| self.names.iter().position(|known| *known == name).and_then(|i| bound[i]);
        let met = |(op, left, right): &(Comparison, Term, Term)| {
            apply(left, &lookup).zip(apply(right, &lookup)).is_some_and(|(a, b)| compare_values(*op, a, b))
        };
        self.conditions.iter().all(met).then_some(bound)
    }
}

impl Side {
    /// Gives variables their values; `false` if an instance is not meant.
    pub(super) fn bind(&self, values: &[Value], bound: &mut [Option<Value>]) -> bool {
        self.args.iter().zip(values).all(|(arg, value)| match *arg {
            Arg::Constant(constant) => constant == *value,
            Arg::Variable(variable) => *bound[variable].get_or_insert(*value) == *value,
        })
    }

    /// The values of the shared variables, if an instance is meant.
    pub(super) fn key(&self, values: &[Value]) -> Option<Values> {
        let most = self.args.iter().filter_map(|arg| if let Arg::Variable(v) = arg { Some(v + 1) } else { None }).max();
        let mut bound = vec![None; most.unwrap_or(0)];
        self.bind(values, &mut bound).then(|| self.shared.iter().filter_map(|v| bound[*v]).collect())
    }
}

impl Arg {
    pub(super) fn value(self, bound: &[Option<Value>]) -> Value {
        match self {
            Arg::Constant(value) => value,
            Arg::Variable(variable) => bound[variable].expect("variables of heads have values"),
        }
    }
}
