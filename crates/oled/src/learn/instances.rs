//! Head instances: what values the variables of a head may have at a time point, and which literals are about them.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use serde::{Deserialize, Serialize};

use super::candidates::Candidates;
use super::existential::{Assignments, Existential};
use super::links::Links;
use super::measured::NumericFeature;
use super::present::NOBODY;
use super::propositionaliser::GroupSpec;
use crate::induce::{Column, LiteralTable, Mask};
use crate::lang::{Signature, Symbol, Value};
use crate::logic::{Model, Pred, Program};

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
    pub(super) fn truths(&self) -> impl Iterator<Item = &Mask> {
        std::iter::once(&self.truth).chain(&self.others)
    }

    /// Whether a body fires on the instance.
    #[inline]
    pub fn fires(&self, body: &Mask) -> bool {
        body.fires_on(&self.truth) || self.others.iter().any(|t| body.fires_on(t))
    }
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
    /// When one of these is not observed, or it is no candidate.
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

/// A row about an instance, of its arguments and of constants.
pub(super) fn filled<'a>(columns: &'a [Result<usize, Value>], values: &'a [Value]) -> impl Iterator<Item = Value> {
    columns.iter().map(|column| column.map_or_else(|constant| constant, |v| values[v]))
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
    /// Who is looked at, where not all are.
    pub(super) candidates: Option<Candidates>,
    /// The predicate that lists the values of each variable, and where they come from.
    pub(super) domains: Vec<Pred>,
    pub(super) kinds: Vec<Domain>,
    pub(super) loss: Loss,
    /// What relates its variables. Where nothing does, all combinations of their values are instances.
    pub(super) links: Links,
    /// The variables in sets that are related by several conditions together, where no condition has all of them.
    pub(super) blocks: Option<Vec<Vec<usize>>>,
    /// What the background does to its instances, and how many bits of their truths are for that and the like.
    pub(super) deeds: Vec<Deed>,
    pub(super) given: usize,
    /// The bit of what is not observed.
    pub(super) absent: Option<usize>,
    /// The predicate of each literal.
    pub(super) preds: Vec<Pred>,
    /// The relations that the literals over the head's variables are about.
    pub(super) relations: Vec<IndexedLiterals>,
    /// Literals over the head's variables that are true where nothing is known.
    pub(super) negated: Mask,
    /// The sets of several variables, but not all, that literals and features are about.
    pub(super) subsets: Vec<Vec<usize>>,
    pub(super) components: Vec<Existential>,
    /// What is measured.
    pub(super) features: Vec<NumericFeature>,
}

/// Whom a row of a relation speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// All instances.
    All,
    /// Those with one of their arguments, the variable's.
    One(usize),
    /// Those with several of their arguments: the number of the set of variables.
    Some(usize),
    /// One instance.
    Every,
}

impl Reach {
    /// The reach of what is about these of so many variables. Sets of several are added to `subsets`.
    fn of(variables: &[(usize, usize)], width: usize, subsets: &mut Vec<Vec<usize>>) -> Reach {
        let mut own: Vec<usize> = variables.iter().map(|(_, v)| *v).collect();
        own.sort_unstable();
        match own[..] {
            [] => Reach::All,
            [v] => Reach::One(v),
            _ if own.len() == width => Reach::Every,
            _ => Reach::Some(subsets.iter().position(|s| *s == own).unwrap_or_else(|| {
                subsets.push(own);
                subsets.len() - 1
            })),
        }
    }
}

/// A relation with the literals that are about it: its rows are scattered to the instances they speak of.
#[derive(Clone, Debug)]
pub(super) struct IndexedLiterals {
    pub(super) pred: Pred,
    /// The columns where a variable of the head stands in some literal, each with one such variable: the domain of its values.
    pub(super) columns: Vec<(usize, usize)>,
    /// The variables that literals have, column by column, and whether those that they are true of are related.
    pub(super) forms: Vec<(Vec<(usize, usize)>, bool)>,
    /// Literals by the columns in which they have constants.
    pub(super) literals: Vec<Fixed>,
}

/// Literals with constants in the same columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixed {
    pub(super) columns: Vec<usize>,
    /// By the constants there.
    pub(super) setters: IndexMap<Box<[Value]>, Vec<LiteralSetter>, FxBuildHasher>,
}

/// Up to so many sets of constants are compared with a row one by one; among more they are looked up by their hash.
const FEW_CONSTANTS: usize = 8;

impl Fixed {
    /// The literals that a row is about, by its constants. `key` is room for these; `next` is where to look first, since what
    /// compares with listed thresholds comes in their order.
    #[inline]
    pub(super) fn of(&self, row: &[Value], key: &mut Vec<Value>, next: &mut usize) -> &[LiteralSetter] {
        let found = if self.setters.len() <= FEW_CONSTANTS {
            let is_same = |at: &usize| {
                let known = self.setters.get_index(*at);
                known.is_some_and(|(values, _)| self.columns.iter().zip(values).all(|(c, value)| row[*c] == *value))
            };
            let at = if is_same(next) { Some(*next) } else { (0..self.setters.len()).find(is_same) };
            at.and_then(|at| {
                *next = if at + 1 < self.setters.len() { at + 1 } else { 0 };
                self.setters.get_index(at).map(|(_, setters)| setters)
            })
        } else {
            key.clear();
            key.extend(self.columns.iter().map(|c| row[*c]));
            self.setters.get(key.as_slice())
        };
        found.map_or(&[], Vec::as_slice)
    }
}

/// A literal, ready to be set.
#[derive(Clone, Debug)]
pub(super) struct LiteralSetter {
    pub(super) bit: usize,
    /// Columns with the variables that stand there.
    pub(super) variables: Vec<(usize, usize)>,
    pub(super) reach: Reach,
    /// Whether those that it is true of are related.
    pub(super) relates: bool,
    /// The number of those of its relation with the same variables, which say the same of the same instances.
    pub(super) form: usize,
}

impl Group {
    /// The group of heads that a table of literals is for.
    pub(super) fn new(
        spec: GroupSpec,
        links: Links,
        mut features: Vec<NumericFeature>,
        deeds: Vec<Deed>,
        program: &Program,
        tracked: impl Fn(Symbol) -> bool,
    ) -> Result<Group, String> {
        let GroupSpec { table, family, asked } = spec;
        let (symmetric, candidates) = (family.symmetric, Candidates::of(&family, program));
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
        let preds: Vec<Pred> = asked.closed.iter().map(|s| pred(*s)).collect();
        let (mut relations, mut subsets): (IndexMap<Pred, IndexedLiterals, FxBuildHasher>, Vec<Vec<usize>>) =
            Default::default();
        let mut scatter = |pred: Pred, columns: &[Column], bit: usize, relates: bool| {
            let new = || IndexedLiterals { pred, columns: Vec::new(), forms: Vec::new(), literals: Vec::new() };
            let relation = relations.entry(pred).or_insert_with(new);
            let (mut constants, mut fixed, mut variables) = (Vec::new(), Vec::new(), Vec::new());
            for (column, filled) in columns.iter().enumerate() {
                match *filled {
                    Column::Constant(value) => {
                        constants.push(value);
                        fixed.push(column);
                    }
                    Column::Variable(v) => variables.push((column, v)),
                }
            }
            for &(column, v) in &variables {
                relation.columns.retain(|(known, _)| *known != column);
                relation.columns.push((column, v));
            }
            let reach = Reach::of(&variables, domains.len(), &mut subsets);
            let own = (variables.clone(), relates);
            let form = relation.forms.iter().position(|form| *form == own).unwrap_or_else(|| {
                relation.forms.push(own);
                relation.forms.len() - 1
            });
            let setter = LiteralSetter { bit, variables, reach, relates, form };
            let literals = &mut relation.literals;
            let at = literals.iter().position(|l| l.columns == fixed).unwrap_or_else(|| {
                literals.push(Fixed { columns: fixed, setters: IndexMap::default() });
                literals.len() - 1
            });
            literals[at].setters.entry(constants.into()).or_default().push(setter);
        };
        for (i, pattern) in table.patterns().iter().enumerate().filter(|(i, _)| !table.is_existential(*i)) {
            scatter(preds[i], &pattern.columns, i, links.relates(i));
        }
        for Deed { bit, pred, columns, .. } in &deeds {
            let column = |c: &Result<usize, Value>| c.map_or_else(Column::Constant, Column::Variable);
            scatter(*pred, &columns.iter().map(column).collect::<Vec<_>>(), *bit, true);
        }
        let relates: Vec<bool> = (0..features.len()).map(|g| links.relates_open(g)).collect();
        let attributes: Vec<usize> = features.iter().map(|feature| feature.attribute).collect();
        for feature in &mut features {
            feature.reach = Reach::of(&feature.variables, domains.len(), &mut subsets);
            feature.relates = relates.iter().zip(&attributes).any(|(relates, a)| *relates && *a == feature.attribute);
        }
        let negated = table.negated().iter().filter(|&i| !table.is_existential(i)).collect();
        let components = table.components().into_iter().map(|c| Existential::new(&table, &c, program)).collect();
        debug_assert!(!symmetric || domains.len() == 2 && domains[0] == domains[1], "a pair is of one type");
        let relations: Vec<IndexedLiterals> = relations.into_values().collect();
        let mut setters = relations.iter().flat_map(|r| &r.literals).flat_map(|l| l.setters.values().flatten());
        let several = setters.any(|d| d.relates && d.reach != Reach::Every)
            || features.iter().any(|g| g.relates && g.reach != Reach::Every);
        let blocks = (links.is_relational() && several).then(|| links.blocks(domains.len()));
        let loss = match Loss::of(&kinds) {
            // Who is no candidate is lost in any case.
            Loss::Never if candidates.is_some() => Loss::Some(Vec::new()),
            loss => loss,
        };
        Ok(Group {
            table,
            symmetric,
            candidates,
            domains,
            kinds,
            loss,
            links,
            blocks,
            deeds,
            given: 0,
            absent: None,
            preds,
            relations,
            negated,
            subsets,
            components,
            features,
        })
    }

    /// The number of arguments.
    pub(super) fn width(&self) -> usize {
        self.domains.len()
    }

    /// How many bits truths have: those of the literals, and those of what is given.
    pub(super) fn bits(&self) -> usize {
        self.table.len() + self.given
    }

    /// The words that those bits take, two at least.
    pub(super) fn words(&self) -> usize {
        self.bits().div_ceil(64).max(2)
    }

    /// The place of a value among those of a variable, if it is observed.
    #[inline]
    pub(super) fn place(&self, variable: usize, value: Value, model: &Model) -> u32 {
        model.rows(self.domains[variable]).position(&[value]).map_or(NOBODY, |place| place as u32)
    }

    /// Finds the places of arguments; tells whether they are an instance at the model's time point.
    #[inline]
    pub(super) fn locate(&self, values: &[Value], model: &Model, places: &mut Vec<u32>) -> bool {
        self.locate_observed(values, model, places) && self.is_looked_at(values, model)
    }

    /// The same of arguments that are known to be among the candidates.
    #[inline]
    pub(super) fn locate_observed(&self, values: &[Value], model: &Model, places: &mut Vec<u32>) -> bool {
        places.clear();
        places.extend(values.iter().enumerate().map(|(v, value)| self.place(v, *value, model)));
        self.is_observed(places)
    }

    /// Whether arguments are among the candidates, where there are some.
    #[inline]
    fn is_looked_at(&self, values: &[Value], model: &Model) -> bool {
        self.candidates.as_ref().is_none_or(|candidates| candidates.contain(values, model))
    }

    /// Whether arguments with these places are an instance: all are observed, and they are different ones.
    #[inline]
    pub(super) fn is_observed(&self, places: &[u32]) -> bool {
        let same = |a: usize, b: usize| self.domains[a] == self.domains[b] && places[a] == places[b];
        (0..places.len()).all(|a| places[a] != NOBODY && !(0..a).any(|b| same(a, b)))
    }

    /// Whether arguments of one type are different ones.
    pub(super) fn is_distinct(&self, values: &[Value]) -> bool {
        let same = |a: usize, b: usize| self.domains[a] == self.domains[b] && values[a] == values[b];
        (0..values.len()).all(|a| !(0..a).any(|b| same(a, b)))
    }

    /// Whether nothing is lost that these arguments need to go on.
    pub(super) fn goes_on(&self, values: &[Value], model: &Model) -> bool {
        let here = |i: usize| self.kinds[i] != Domain::Tracked || model.rows(self.domains[i]).contains(&values[i..=i]);
        (0..values.len()).all(here) && self.is_looked_at(values, model)
    }

    /// Whether these arguments go on although one of them is not observed.
    pub(super) fn goes_on_unobserved(&self, values: &[Value], model: &Model) -> bool {
        self.loss != Loss::Any && self.goes_on(values, model)
    }

    /// The predicates that rows are looked up in, instead of gone through.
    pub(super) fn looked_up(&self) -> impl Iterator<Item = Pred> {
        let of_component = |c: &Existential| {
            c.domains.iter().map(|d| d.1).chain(c.literals.iter().map(|l| l.1)).collect::<Vec<Pred>>()
        };
        let candidates = self.candidates.as_ref().map(|candidates| candidates.pred);
        self.domains.iter().copied().chain(self.components.iter().flat_map(of_component)).chain(candidates)
    }

    /// Where the values of an existential variable come from: a relation and a column of it.
    pub(super) fn existential_domain(&self, variable: usize) -> (Pred, usize) {
        let domains = self.components.iter().flat_map(|c| &c.domains);
        let found = domains.clone().find(|(v, ..)| *v == variable).expect("each variable is in a component");
        (found.1, found.2)
    }

    /// The assignments of all existential variables at the model's time point.
    pub(super) fn assignments(&self, model: &Model, assignment_overflow: &mut Vec<(usize, usize)>) -> Vec<Assignments> {
        self.components.iter().map(|c| c.assignments(&self.table, model, assignment_overflow)).collect()
    }

    /// The truths of an instance with every assignment of the existential variables that matters: none is part of another.
    pub(super) fn with_existentials(
        &self,
        truth: Mask,
        head: &[Value],
        model: &Model,
        assignments: &[Assignments],
    ) -> Vec<Mask> {
        let mut truths = vec![truth];
        for (component, assignments) in self.components.iter().zip(assignments) {
            let own = component.truths(&self.table, head, model, assignments);
            truths = truths.iter().flat_map(|a: &Mask| own.iter().map(move |b| a.with(b))).collect();
        }
        truths
    }
}
