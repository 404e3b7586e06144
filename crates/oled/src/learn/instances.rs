//! Head instances: all values that the variables of a head may have at a time point, and which literals are true of them.

use serde::{Deserialize, Serialize};

use super::measured::{Gauge, for_each_free, strides};
use crate::induce::{Column, Component, LiteralTable, Mask};
use crate::lang::{Signature, Symbol, Value, is_canonical};
use crate::logic::{Model, Pred, Program, Relation};

/// A head instance: values for the variables of a head at a time point, and what is true of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// The literals of the group's table that are true; with existential variables, with one assignment of them; of a
    /// symmetric fluent, in one order of its arguments.
    pub truth: Mask,
    /// What is true with other assignments, and in the other order.
    pub others: Box<[Mask]>,
}

impl Instance {
    /// What is true with each assignment.
    pub(super) fn truths(&self) -> impl Iterator<Item = Mask> {
        std::iter::once(&self.truth).chain(&self.others).copied()
    }

    /// Whether a body fires on the instance.
    #[inline]
    pub fn fires(&self, body: Mask) -> bool {
        body.fires_on(self.truth) || self.others.iter().any(|t| body.fires_on(*t))
    }
}

/// Instances one after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Ordered {
    pub(super) values: Vec<Value>,
    pub(super) instances: Vec<Instance>,
    /// Where something is measured, their numbers among all combinations of the variables' values.
    pub(super) numbers: Vec<usize>,
}

/// Where the values of a head's variable come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Domain {
    /// From facts: they are there at all times.
    Listed,
    /// From the stream; a fluent about them ends when they are not observed.
    Tracked,
    /// From the stream; a fluent about them goes on while they are not observed.
    Untracked,
}

/// When an instance of a group is lost, so that its fluents end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    /// When any of its arguments is not observed.
    Any,
    /// When one of these is not observed.
    Some(Vec<usize>),
    /// Never.
    Never,
}

impl Loss {
    fn of(domains: &[Domain]) -> Loss {
        let places = |kind: Domain| (0..domains.len()).filter(|&i| domains[i] == kind).collect::<Vec<_>>();
        match (places(Domain::Tracked), places(Domain::Untracked).is_empty()) {
            (_, true) => Loss::Any,
            (tracked, false) if tracked.is_empty() => Loss::Never,
            (tracked, false) => Loss::Some(tracked),
        }
    }
}

/// What the background does to the instances of a target, as a bit of their truths: one beyond the literals of the table.
#[derive(Clone, Debug)]
pub(crate) struct Deed {
    pub(super) bit: usize,
    pub(super) target: usize,
    /// `initiatedAt` or `terminatedAt` of the fluent, or an ordinary predicate.
    pub(super) pred: Pred,
    pub(super) ends: bool,
    /// Constants and variables of its columns.
    pub(super) columns: Vec<Result<usize, Value>>,
}

/// Heads whose variables have the same types.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) table: LiteralTable,
    /// Whether they are about fluents whose two arguments may be exchanged: a pair is one instance.
    pub(super) symmetric: bool,
    /// The predicate that lists the values of each variable, and where they come from.
    pub(super) domains: Vec<Pred>,
    pub(super) kinds: Vec<Domain>,
    pub(super) loss: Loss,
    /// What the background does to its instances, and how many bits of their truths are for that and the like.
    pub(super) deeds: Vec<Deed>,
    pub(super) given: usize,
    /// The bit of what is not observed.
    pub(super) absent: Option<usize>,
    /// The predicate of each literal.
    pub(super) preds: Vec<Pred>,
    /// The relations that the literals over the head's variables are about.
    relations: Vec<Dealt>,
    negated: Mask,
    components: Vec<Existential>,
    /// What is measured.
    pub(super) gauges: Vec<Gauge>,
}

/// A relation with the literals that are about it: its rows are dealt to the instances they speak of.
#[derive(Clone, Debug)]
struct Dealt {
    pred: Pred,
    /// For each column a variable of the head that stands there in some literal: the domain of its values.
    columns: Vec<Option<usize>>,
    /// Literals by the constants in their columns.
    literals: Vec<(Constants, Vec<Dealer>)>,
}

/// Columns with the constants that stand there.
type Constants = Vec<(usize, Value)>;

/// A literal, ready to be dealt.
#[derive(Clone, Debug)]
struct Dealer {
    bit: Mask,
    negated: bool,
    /// Columns with the variables that stand there.
    variables: Vec<(usize, usize)>,
    /// The variables that stand nowhere: the literal says the same whatever they are.
    free: Vec<usize>,
}

/// A component of existential literals, ready to be evaluated.
#[derive(Clone, Debug)]
struct Existential {
    /// For each variable where its values come from: a relation and a column of it.
    domains: Vec<(usize, Pred, usize)>,
    /// For each literal its relation.
    literals: Vec<(usize, Pred)>,
}

/// More assignments of the variables of a component than this are not tried; the instance then counts as if nothing was
/// true of them.
pub(super) const MAX_ASSIGNMENTS: usize = 4096;

/// Existential variables that had too many assignments at a time point to be tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TooMany {
    /// The group of heads.
    pub group: usize,
    /// The variable of them that has most values, by its number among those that output places introduce.
    pub variable: usize,
    /// How many assignments there were.
    pub assignments: usize,
}

impl Group {
    /// The group of heads that a table of literals is for.
    pub(super) fn new(
        table: LiteralTable,
        symmetric: bool,
        gauges: Vec<Gauge>,
        deeds: Vec<Deed>,
        program: &Program,
        tracked: impl Fn(Symbol) -> bool,
    ) -> Result<Group, String> {
        let (mut domains, mut kinds) = (Vec::new(), Vec::new());
        for &kind in &table.types {
            let (pred, domain) = match program.type_pred(kind) {
                Some(pred) if tracked(kind) => (Some(pred), Domain::Tracked),
                Some(pred) => (Some(pred), Domain::Untracked),
                None => (program.pred(Signature::plain(kind, 1)), Domain::Listed),
            };
            let none = || format!("the type `{kind}` of a head's variable has no values to range over");
            domains.push(pred.ok_or_else(none)?);
            kinds.push(domain);
        }
        let pred = |s: Signature| program.pred(s).expect("the predicates of all modes are wanted");
        let preds: Vec<Pred> = table.patterns().iter().map(|p| pred(p.signature)).collect();
        let mut relations: Vec<Dealt> = Vec::new();
        let mut deal = |pred: Pred, columns: &[Column], bit: usize, negated: bool| {
            let at = relations.iter().position(|r| r.pred == pred).unwrap_or_else(|| {
                let columns = vec![None; columns.len()];
                relations.push(Dealt { pred, columns, literals: Vec::new() });
                relations.len() - 1
            });
            let (constants, dealer) = Dealer::new(table.types.len(), columns, bit, negated);
            dealer.variables.iter().for_each(|&(column, v)| relations[at].columns[column] = Some(v));
            match relations[at].literals.iter_mut().find(|(c, _)| *c == constants) {
                Some((_, dealers)) => dealers.push(dealer),
                None => relations[at].literals.push((constants, vec![dealer])),
            }
        };
        for (i, pattern) in table.patterns().iter().enumerate().filter(|(i, _)| !table.is_existential(*i)) {
            deal(preds[i], &pattern.columns, i, pattern.negated);
        }
        for Deed { bit, pred, columns, .. } in &deeds {
            let column = |c: &Result<usize, Value>| c.map_or_else(Column::Constant, Column::Variable);
            deal(*pred, &columns.iter().map(column).collect::<Vec<_>>(), *bit, false);
        }
        let negated = table.negated().and((0..table.len()).filter(|&i| !table.is_existential(i)).collect());
        let components = table.components().into_iter().map(|c| Existential::new(&table, &c, program)).collect();
        debug_assert!(!symmetric || domains.len() == 2 && domains[0] == domains[1], "a pair is of one type");
        let loss = Loss::of(&kinds);
        Ok(Group {
            table,
            symmetric,
            domains,
            kinds,
            loss,
            deeds,
            given: 0,
            absent: None,
            preds,
            relations,
            negated,
            components,
            gauges,
        })
    }

    /// Whether these arguments are an instance at the model's time point: all are observed, and they are different ones.
    pub(super) fn is_instance(&self, values: &[Value], model: &Model) -> bool {
        let observed = |i: usize| model.rows(self.domains[i]).contains(&values[i..=i]);
        let same = |a: usize, b: usize| self.domains[a] == self.domains[b] && values[a] == values[b];
        (0..values.len()).all(|i| observed(i) && !(0..i).any(|j| same(i, j)))
    }

    /// Whether nothing is lost that these arguments need to go on.
    pub(super) fn goes_on(&self, values: &[Value], model: &Model) -> bool {
        let here = |i: usize| self.kinds[i] != Domain::Tracked || model.rows(self.domains[i]).contains(&values[i..=i]);
        (0..values.len()).all(here)
    }

    /// The predicates that rows are looked up in, instead of gone through.
    pub(super) fn looked_up(&self) -> impl Iterator<Item = Pred> {
        let of_component = |c: &Existential| {
            c.domains.iter().map(|d| d.1).chain(c.literals.iter().map(|l| l.1)).collect::<Vec<Pred>>()
        };
        self.domains.iter().copied().chain(self.components.iter().flat_map(of_component))
    }

    /// Where the values of an existential variable come from: a relation and a column of it.
    pub(super) fn existential_domain(&self, variable: usize) -> (Pred, usize) {
        let domains = self.components.iter().flat_map(|c| &c.domains);
        let found = domains.clone().find(|(v, ..)| *v == variable).expect("each variable is in a component");
        (found.1, found.2)
    }

    /// All instances at the model's time point with their truths; the two orders of a symmetric fluent's arguments as one.
    /// Variables that have too many assignments are added to `too_many`.
    pub(super) fn instances(&self, model: &Model, too_many: &mut Vec<(usize, usize)>) -> (Vec<Value>, Vec<Instance>) {
        let Ordered { values, mut instances, .. } = self.ordered(model, too_many);
        if !self.deeds.is_empty() {
            // What the background does is for those who simulate what holds.
            let literals = Mask::first(self.table.len());
            for instance in &mut instances {
                instance.truth = instance.truth.and(literals);
                instance.others.iter_mut().for_each(|truth| *truth = truth.and(literals));
            }
        }
        if !self.symmetric {
            return (values, instances);
        }
        pair_up(model.rows(self.domains[0]).len(), &values, &instances)
    }

    /// All instances, those of each order by themselves. Rows of relations are dealt to the instances they speak of, so the
    /// cost is that of what is true, not of what could be.
    pub(super) fn ordered(&self, model: &Model, too_many: &mut Vec<(usize, usize)>) -> Ordered {
        let width = self.domains.len();
        let domains: Vec<&Relation> = self.domains.iter().map(|&d| model.rows(d)).collect();
        let strides = strides(&domains);
        let total: usize = domains.iter().map(|d| d.len()).product();
        // Somebody alone is no pair.
        let alone = self.domains.windows(2).any(|d| d[0] == d[1]) && total < 2;
        if total == 0 || alone {
            return Ordered::default();
        }
        let mut truths = vec![self.negated; total];
        let mut digits = Vec::new();
        let mut last: Vec<Option<Value>> = Vec::new();
        for Dealt { pred, columns, literals } in &self.relations {
            digits.clear();
            digits.resize(columns.len(), NOBODY);
            last.clear();
            last.resize(columns.len(), None);
            for row in model.rows(*pred).rows() {
                for (column, value) in row.iter().enumerate() {
                    // Rows that follow each other often speak of the same entities.
                    if let Some(v) = columns[column]
                        && last[column] != Some(*value)
                    {
                        last[column] = Some(*value);
                        digits[column] = domains[v].position(std::slice::from_ref(value)).unwrap_or(NOBODY);
                    }
                }
                for (constants, dealers) in literals {
                    if constants.iter().all(|(column, value)| row[*column] == *value) {
                        dealers.iter().for_each(|d| d.deal(&digits, &domains, &strides, &mut truths));
                    }
                }
            }
        }
        // Arguments of the same type are different ones.
        let mut values = Vec::with_capacity(total * width);
        let mut kept = Vec::with_capacity(total);
        let mut numbers = Vec::new();
        let mut digits = vec![0; width];
        for (number, &truth) in truths.iter().enumerate() {
            let distinct =
                (0..width).all(|a| (0..a).all(|b| self.domains[a] != self.domains[b] || digits[a] != digits[b]));
            if distinct {
                values.extend(digits.iter().zip(&domains).map(|(&digit, domain)| domain.row(digit)[0]));
                if !self.gauges.is_empty() {
                    numbers.push(number);
                }
                let truths = self.with_existentials(truth, &values[values.len() - width..], model, too_many);
                kept.push(match truths.split_first() {
                    Some((&truth, others)) => Instance { truth, others: others.into() },
                    None => Instance { truth, others: Box::default() },
                });
            }
            // The next number: the last digit first.
            for v in (0..width).rev() {
                digits[v] += 1;
                if digits[v] < domains[v].len() {
                    break;
                }
                digits[v] = 0;
            }
        }
        Ordered { values, instances: kept, numbers }
    }

    /// The truths of an instance with every assignment of the existential variables that matters: none is part of another.
    fn with_existentials(
        &self,
        truth: Mask,
        head: &[Value],
        model: &Model,
        too_many: &mut Vec<(usize, usize)>,
    ) -> Vec<Mask> {
        let mut truths = Vec::new();
        for component in &self.components {
            let own = component.truths(&self.table, head, model, too_many);
            truths = if truths.is_empty() {
                own.iter().map(|t| t.with(truth)).collect()
            } else {
                truths.iter().flat_map(|a: &Mask| own.iter().map(move |b| a.with(*b))).collect()
            };
        }
        truths
    }
}

/// The numbers of both orders of each pair of a domain of this size, where instances come as `(0, 1), (0, 2), …, (1, 0),
/// (1, 2), …`; first the order that stands for both.
pub(super) fn pairs(size: usize, values: &[Value]) -> impl Iterator<Item = (usize, usize)> {
    let at = move |a: usize, b: usize| a * (size - 1) + b - usize::from(b > a);
    let both = (0..size).flat_map(move |a| (a + 1..size).map(move |b| (at(a, b), at(b, a))));
    both.map(|(one, other)| if is_canonical(&values[2 * one..2 * one + 2]) { (one, other) } else { (other, one) })
}

/// The instances of both orders of a pair as one, in the order that stands for both: what is true of either is true of
/// it.
fn pair_up(size: usize, values: &[Value], ordered: &[Instance]) -> (Vec<Value>, Vec<Instance>) {
    let (mut heads, mut paired) = (Vec::new(), Vec::new());
    for (one, other) in pairs(size, values) {
        heads.extend(&values[2 * one..2 * one + 2]);
        let mut truths: Vec<Mask> = Vec::new();
        for instance in [&ordered[one], &ordered[other]] {
            for &truth in std::iter::once(&instance.truth).chain(&instance.others) {
                add_truth(&mut truths, truth);
            }
        }
        paired.push(Instance { truth: truths[0], others: truths[1..].into() });
    }
    (heads, paired)
}

/// Adds a truth, unless it is part of another; those that are part of it go.
fn add_truth(truths: &mut Vec<Mask>, truth: Mask) {
    if !truths.iter().any(|t| truth.fires_on(*t)) {
        truths.retain(|t| !t.fires_on(truth));
        truths.push(truth);
    }
}

impl Dealer {
    /// A literal with the constants that its rows have.
    fn new(variables: usize, columns: &[Column], bit: usize, negated: bool) -> (Constants, Dealer) {
        let bit = Mask::of(bit);
        let mut dealer = Dealer { bit, negated, variables: Vec::new(), free: (0..variables).collect() };
        let mut constants = Vec::new();
        for (column, filled) in columns.iter().enumerate() {
            match *filled {
                Column::Constant(value) => constants.push((column, value)),
                Column::Variable(v) => {
                    dealer.variables.push((column, v));
                    dealer.free.retain(|f| *f != v);
                }
            }
        }
        (constants, dealer)
    }

    /// Sets, or for a negated literal clears, its bit in all instances that a row speaks of. `digits` are the places of
    /// the row's values in their domains.
    #[inline]
    fn deal(&self, digits: &[usize], domains: &[&Relation], strides: &[usize], truths: &mut [Mask]) {
        let mut base = 0;
        for &(column, v) in &self.variables {
            if digits[column] == NOBODY {
                return;
            }
            base += digits[column] * strides[v];
        }
        let set = |i: usize| {
            truths[i] = if self.negated { truths[i].without(self.bit) } else { truths[i].with(self.bit) };
        };
        for_each_free(base, &self.free, domains, strides, set);
    }
}

/// A value that is in no domain.
const NOBODY: usize = usize::MAX;

impl Existential {
    fn new(table: &LiteralTable, component: &Component, program: &Program) -> Existential {
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

    /// What is true of the component's literals, for each assignment of its variables, none included. If there are too
    /// many, adds the variable with most values and their number to `too_many`.
    fn truths(
        &self,
        table: &LiteralTable,
        head: &[Value],
        model: &Model,
        too_many: &mut Vec<(usize, usize)>,
    ) -> Vec<Mask> {
        let domains: Vec<Vec<Value>> = self
            .domains
            .iter()
            .map(|&(_, pred, column)| {
                let mut values: Vec<Value> = Vec::new();
                for row in model.rows(pred).rows() {
                    if !values.contains(&row[column]) {
                        values.push(row[column]);
                    }
                }
                values
            })
            .collect();
        let count = domains.iter().fold(1, |product: usize, d| product.saturating_mul(d.len() + 1));
        let mut truths: Vec<Mask> = vec![Mask::EMPTY];
        if count > MAX_ASSIGNMENTS {
            let most = (0..domains.len()).rev().max_by_key(|&i| domains[i].len()).expect("a component has variables");
            let variable = self.domains[most].0 - table.types.len();
            if !too_many.iter().any(|(v, _)| *v == variable) {
                too_many.push((variable, count));
            }
            return truths;
        }
        let mut row = Vec::new();
        for number in 0..count {
            let mut rest = number;
            let assignment: Vec<Option<Value>> = domains
                .iter()
                .map(|d| {
                    let digit = rest % (d.len() + 1);
                    rest /= d.len() + 1;
                    d.get(digit).copied()
                })
                .collect();
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
                truth = truth.with(Mask::of(literal));
            }
        }
        truth
    }
}
