//! Interpretations: two consecutive time points, as what learning needs of them: for each head instance, which literals
//! are true of it and what becomes of it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use crate::calculus::Outcome;
use crate::induce::{Column, LiteralTable, Mask};
use crate::lang::ec::{HOLDS, UNKNOWN};
use crate::lang::{Atom, Signature, Symbol, Term, Value};
use crate::logic::{Model, Pred, Program, Relation, Role, Vocabulary};
use crate::stream::Frame;

/// Two consecutive time points of a segment.
#[derive(Clone, Debug)]
pub struct Interpretation {
    /// Its number, counted from one.
    pub index: u64,
    /// The segment.
    pub segment: Symbol,
    /// The first of the two time points.
    pub time: i64,
    /// For each group of heads with the same types, its instances.
    pub groups: Vec<Vec<Instance>>,
    /// For each target, the outcome of each instance of its group; `None` where the annotation does not know.
    pub outcomes: Vec<Vec<Option<Outcome>>>,
}

/// A head instance: values for the variables of a head at a time point, and what is true of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The literals of the group's table that are true; with existential variables, with one assignment of them.
    pub truth: Mask,
    /// What is true with other assignments.
    pub others: Box<[Mask]>,
}

impl Instance {
    /// Whether a body fires on the instance.
    #[inline]
    pub fn fires(&self, body: Mask) -> bool {
        body.fires_on(self.truth) || self.others.iter().any(|t| body.fires_on(*t))
    }
}

/// What makes interpretations of frames: one model per time point, one truth per head instance, for all targets.
#[derive(Clone, Debug)]
pub struct Cover {
    program: Program,
    model: Model,
    groups: Vec<Group>,
    targets: Vec<Target>,
    /// Relations that are filled from the annotation: fluents that bodies may speak of.
    annotated: Vec<(Signature, Pred)>,
    observed_next: bool,
    segments: IndexMap<Symbol, Point, FxBuildHasher>,
    current: Option<Symbol>,
    interleaved: bool,
    count: u64,
}

/// Heads whose variables have the same types.
#[derive(Clone, Debug)]
struct Group {
    table: LiteralTable,
    /// The predicate that lists the values of each variable.
    domains: Vec<Pred>,
    /// The relations that the literals over the head's variables are about.
    relations: Vec<Dealt>,
    negated: Mask,
    components: Vec<Existential>,
}

/// A relation with the literals that are about it: its rows are dealt to the instances they speak of.
#[derive(Clone, Debug)]
struct Dealt {
    pred: Pred,
    /// For each column a variable of the head that stands there in some literal: the domain of its values.
    columns: Vec<Option<usize>>,
    literals: Vec<Dealer>,
}

/// A literal, ready to be dealt.
#[derive(Clone, Debug)]
struct Dealer {
    bit: Mask,
    negated: bool,
    constants: Vec<(usize, Value)>,
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
const MAX_ASSIGNMENTS: usize = 4096;

/// What is to be learned about.
#[derive(Clone, Debug)]
struct Target {
    group: usize,
    /// The annotation, and the annotation that says that nothing is known.
    label: Signature,
    unknown: Signature,
    /// Constants and variables of the label's columns.
    columns: Vec<Result<usize, Value>>,
    /// Whether the label is of the same time point as the head: the observational case.
    direct: bool,
}

/// A time point that waits for the next one.
#[derive(Clone, Debug, Default)]
struct Point {
    time: i64,
    /// For each group, the values of all instances one after the other, and their truths.
    values: Vec<Vec<Value>>,
    truths: Vec<Vec<Instance>>,
    labels: Vec<Labels>,
}

#[derive(Clone, Debug, Default)]
struct Labels {
    holds: Relation,
    unknown: Relation,
}

/// A target as the learner describes it.
pub(crate) struct TargetSpec {
    pub(crate) types: Vec<Symbol>,
    pub(crate) label: Signature,
    pub(crate) columns: Vec<Result<usize, Value>>,
    pub(crate) direct: bool,
}

impl Cover {
    pub(crate) fn new(
        program: Program,
        vocabulary: &Vocabulary,
        tables: Vec<LiteralTable>,
        targets: &[TargetSpec],
        observed_next: bool,
        interleaved: bool,
    ) -> Result<Cover, String> {
        let mut groups = Vec::new();
        for table in tables {
            let mut domains = Vec::new();
            for kind in &table.types {
                let Some(pred) = program.type_pred(*kind).or_else(|| program.pred(static_type(*kind))) else {
                    return Err(format!("the type `{kind}` of a head's variable has no values to range over"));
                };
                domains.push(pred);
            }
            let mut relations: Vec<Dealt> = Vec::new();
            for (i, pattern) in table.patterns().iter().enumerate().filter(|(i, _)| !table.is_existential(*i)) {
                let pred = program.pred(pattern.signature).expect("the predicates of all modes are wanted");
                let at = relations.iter().position(|r| r.pred == pred).unwrap_or_else(|| {
                    let columns = vec![None; pattern.columns.len()];
                    relations.push(Dealt { pred, columns, literals: Vec::new() });
                    relations.len() - 1
                });
                let dealer = Dealer::new(&table, i);
                dealer.variables.iter().for_each(|&(column, v)| relations[at].columns[column] = Some(v));
                relations[at].literals.push(dealer);
            }
            let negated = table.negated().and((0..table.len()).filter(|&i| !table.is_existential(i)).collect());
            let components = table.components().into_iter().map(|c| Existential::new(&table, &c, &program)).collect();
            groups.push(Group { table, domains, relations, negated, components });
        }
        let targets = targets
            .iter()
            .map(|t| Target {
                group: groups.iter().position(|g| g.table.types == t.types).expect("each target has a table"),
                label: t.label,
                unknown: unknown(t.label),
                columns: t.columns.clone(),
                direct: t.direct,
            })
            .collect();
        let annotated = vocabulary
            .predicates
            .iter()
            .filter(|(_, p)| p.role == Role::Fluent)
            .filter_map(|(s, _)| Some((*s, program.pred(*s)?)))
            .collect();
        let model = Model::new(&program);
        Ok(Cover {
            program,
            model,
            groups,
            targets,
            annotated,
            observed_next,
            segments: IndexMap::default(),
            current: None,
            interleaved,
            count: 0,
        })
    }

    /// The table of a target's literals.
    pub fn table(&self, target: usize) -> &LiteralTable {
        &self.groups[self.targets[target].group].table
    }

    /// The group of a target.
    pub fn group(&self, target: usize) -> usize {
        self.targets[target].group
    }

    /// Takes a frame; returns the interpretation of it and the one before, if there is one in its segment.
    pub fn observe(&mut self, frame: &Frame) -> Option<Interpretation> {
        if self.current != Some(frame.segment) {
            if !self.interleaved {
                self.segments.clear();
            }
            self.current = Some(frame.segment);
        }
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
        for (signature, values) in frame.annotation.iter() {
            if let Some((_, pred)) = self.annotated.iter().find(|(s, _)| *s == signature) {
                self.model.insert(*pred, values);
            }
        }
        self.model.derive(&self.program, frame.time);
        let labels = self.targets.iter().map(|t| t.labels(frame)).collect();
        let mut point = Point { time: frame.time, labels, ..Point::default() };
        for group in &self.groups {
            let (values, truths) = group.instances(&self.model);
            point.values.push(values);
            point.truths.push(truths);
        }
        let previous = self.segments.insert(frame.segment, point)?;
        let next = &self.segments[&frame.segment];
        self.count += 1;
        // Whether all arguments of an instance are observed at the next time point too, found once for all targets.
        let followed: Vec<Vec<bool>> = (self.groups.iter().zip(&previous.values).zip(&previous.truths))
            .map(|((group, values), instances)| {
                let width = group.domains.len();
                let observed = |k: usize| {
                    let values = &values[k * width..(k + 1) * width];
                    values
                        .iter()
                        .zip(&group.domains)
                        .all(|(v, d)| self.model.rows(*d).contains(std::slice::from_ref(v)))
                };
                (0..instances.len()).map(|k| !self.observed_next || observed(k)).collect()
            })
            .collect();
        let outcomes =
            self.targets.iter().zip(previous.labels.iter().zip(&next.labels)).map(|(target, (now, then))| {
                let width = self.groups[target.group].domains.len();
                let values = |k: usize| &previous.values[target.group][k * width..(k + 1) * width];
                let outcome = |k: usize| target.outcome(values(k), now, then);
                // Where nothing is labelled, which is most of the time, nothing needs to be looked up.
                let quiet = [now, then].iter().all(|labels| labels.holds.is_empty() && labels.unknown.is_empty());
                let followed = followed[target.group].iter().enumerate();
                let known = |(k, followed): (usize, &bool)| match (*followed || target.direct, quiet) {
                    (false, _) => None,
                    (true, true) => Some(Outcome::Absent),
                    (true, false) => outcome(k),
                };
                followed.map(known).collect()
            });
        let outcomes = outcomes.collect();
        Some(Interpretation {
            index: self.count,
            segment: frame.segment,
            time: previous.time,
            groups: previous.truths,
            outcomes,
        })
    }
}

/// The annotation that says that nothing is known: `unknown(meeting(_, _), _)` of a fluent, `unknown(fraud(_), _)` of an
/// ordinary predicate.
pub fn unknown(label: Signature) -> Signature {
    if label.name().as_str() == HOLDS {
        return label.renamed(UNKNOWN);
    }
    let arguments = vec![Term::var("X"); label.arity() - 1];
    let inner = Term::App(label.name(), arguments);
    Signature::of(&Atom::new(UNKNOWN, vec![inner, Term::var("T")]))
}

fn static_type(kind: Symbol) -> Signature {
    Signature::of(&Atom::new(kind.as_str(), vec![Term::var("X")]))
}

impl Target {
    /// The outcome of an instance; `None` where the annotation says that it does not know.
    fn outcome(&self, values: &[Value], now: &Labels, then: &Labels) -> Option<Outcome> {
        let row: Vec<Value> = self.columns.iter().map(|c| c.map_or_else(|v| v, |i| values[i])).collect();
        if self.direct {
            return (!now.unknown.contains(&row)).then(|| Outcome::new(false, now.holds.contains(&row)));
        }
        let known = !now.unknown.contains(&row) && !then.unknown.contains(&row);
        known.then(|| Outcome::new(now.holds.contains(&row), then.holds.contains(&row)))
    }

    fn labels(&self, frame: &Frame) -> Labels {
        let width = self.label.arity() - 1;
        let mut labels = Labels { holds: Relation::new(width), unknown: Relation::new(width) };
        for (signature, values) in frame.annotation.iter() {
            if signature == self.label {
                labels.holds.insert(values);
            } else if signature == self.unknown {
                labels.unknown.insert(values);
            }
        }
        labels
    }
}

impl Group {
    /// All instances at the model's time point with their truths. Rows of relations are dealt to the instances they speak
    /// of, so the cost is that of what is true, not of what could be.
    fn instances(&self, model: &Model) -> (Vec<Value>, Vec<Instance>) {
        let width = self.domains.len();
        let domains: Vec<&Relation> = self.domains.iter().map(|&d| model.rows(d)).collect();
        // Instances are numbered like digits: variable v changes every strides[v].
        let mut strides = vec![1; width];
        for v in (0..width.saturating_sub(1)).rev() {
            strides[v] = strides[v + 1] * domains[v + 1].len();
        }
        let total: usize = domains.iter().map(|d| d.len()).product();
        let mut truths = vec![self.negated; total];
        let mut digits = Vec::new();
        for Dealt { pred, columns, literals } in self.relations.iter().filter(|_| total > 0) {
            for row in model.rows(*pred).rows() {
                digits.clear();
                digits.extend(columns.iter().zip(row).map(|(variable, value)| {
                    variable.and_then(|v| domains[v].rows().position(|r| r[0] == *value)).unwrap_or(NOBODY)
                }));
                literals.iter().for_each(|l| l.deal(row, &digits, &domains, &strides, &mut truths));
            }
        }
        // Arguments of the same type are different ones.
        let mut values = Vec::new();
        let mut kept = Vec::new();
        values.reserve(total * width);
        kept.reserve(total);
        let mut digits = vec![0; width];
        for &truth in &truths {
            let distinct =
                (0..width).all(|a| (0..a).all(|b| self.domains[a] != self.domains[b] || digits[a] != digits[b]));
            if distinct {
                values.extend(digits.iter().zip(&domains).map(|(&digit, domain)| domain.row(digit)[0]));
                let truths = self.with_existentials(truth, &values[values.len() - width..], model);
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
        (values, kept)
    }

    /// The truths of an instance with every assignment of the existential variables that matters: none is part of another.
    fn with_existentials(&self, truth: Mask, head: &[Value], model: &Model) -> Vec<Mask> {
        let mut truths = Vec::new();
        for component in &self.components {
            let own = component.truths(&self.table, head, model);
            truths = if truths.is_empty() {
                own.iter().map(|t| t.with(truth)).collect()
            } else {
                truths.iter().flat_map(|a: &Mask| own.iter().map(move |b| a.with(*b))).collect()
            };
        }
        truths
    }
}

impl Dealer {
    fn new(table: &LiteralTable, literal: usize) -> Dealer {
        let pattern = &table.patterns()[literal];
        let mut dealer = Dealer {
            bit: Mask::of(literal),
            negated: pattern.negated,
            constants: Vec::new(),
            variables: Vec::new(),
            free: (0..table.types.len()).collect(),
        };
        for (column, filled) in pattern.columns.iter().enumerate() {
            match *filled {
                Column::Constant(value) => dealer.constants.push((column, value)),
                Column::Variable(v) => {
                    dealer.variables.push((column, v));
                    dealer.free.retain(|f| *f != v);
                }
            }
        }
        dealer
    }

    /// Sets, or for a negated literal clears, its bit in all instances that a row speaks of. `digits` are the places of
    /// the row's values in their domains.
    #[inline]
    fn deal(&self, row: &[Value], digits: &[usize], domains: &[&Relation], strides: &[usize], truths: &mut [Mask]) {
        if self.constants.iter().any(|(column, value)| row[*column] != *value) {
            return;
        }
        let mut base = 0;
        for &(column, v) in &self.variables {
            if digits[column] == NOBODY {
                return;
            }
            base += digits[column] * strides[v];
        }
        let mut set = |i: usize| {
            truths[i] = if self.negated { truths[i].without(self.bit) } else { truths[i].with(self.bit) };
        };
        match self.free.as_slice() {
            [] => set(base),
            [v] => (0..domains[*v].len()).for_each(|d| set(base + d * strides[*v])),
            free => {
                let count: usize = free.iter().map(|&v| domains[v].len()).product();
                for mut n in 0..count {
                    let mut at = base;
                    for &v in free {
                        at += n % domains[v].len() * strides[v];
                        n /= domains[v].len();
                    }
                    set(at);
                }
            }
        }
    }
}

/// A value that is in no domain.
const NOBODY: usize = usize::MAX;

impl Existential {
    fn new(table: &LiteralTable, component: &crate::induce::Component, program: &Program) -> Existential {
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

    /// What is true of the component's literals, for each assignment of its variables, none included.
    fn truths(&self, table: &LiteralTable, head: &[Value], model: &Model) -> Vec<Mask> {
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
        let count: usize = domains.iter().map(|d| d.len() + 1).product();
        let mut truths: Vec<Mask> = vec![Mask::EMPTY];
        if count > MAX_ASSIGNMENTS {
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
            if !truths.iter().any(|t| truth.fires_on(*t)) {
                truths.retain(|t| !t.fires_on(truth));
                truths.push(truth);
            }
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
