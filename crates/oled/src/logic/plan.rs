//! Plans: a rule as a sequence of steps over registers, in an order in which each step can use what is bound before it.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::builtin::{Expr, Slot};
use super::model::MAX_KEY;
use super::near::{Near, narrow};
use super::program::Pred;
use crate::lang::{Atom, Clause, Comparison, Diagnostic, Formula, Literal, Symbol, Term, Value, for_each_hole};

/// The register of the time point.
pub(crate) const TIME_SLOT: Slot = Slot(0);

/// As many registers have a number.
const MAX_SLOTS: usize = u16::MAX as usize;

/// What to do with a column of a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Column {
    /// Nothing.
    Any,
    /// Put its value into a register.
    Bind(Slot),
    /// Compare it with a value that is known before the scan.
    Is(Expr),
    /// Compare it with a register that an earlier column of the same row was put into.
    Same(Slot),
}

/// The columns of a scan, sorted by what to do with them: a row is compared with what is known before anything is bound, and
/// neither has to be found out row by row.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    pub(crate) known: Box<[(usize, Expr)]>,
    pub(crate) bound: Box<[(usize, Slot)]>,
    pub(crate) same: Box<[(usize, Slot)]>,
    /// A column, of a pattern that binds only, whose value must not be that of a register: in a scan of pairs, what a test right
    /// after it would say of every row.
    pub(crate) apart: Option<(usize, Slot)>,
}

impl Pattern {
    /// That of a step, if it looks at rows.
    pub(crate) fn of(step: Option<&Step>) -> Pattern {
        let Some(Step::Scan { columns, .. } | Step::NoRow { columns, .. }) = step else { return Pattern::default() };
        let (mut known, mut bound, mut same) = (Vec::new(), Vec::new(), Vec::new());
        for (i, column) in columns.iter().enumerate() {
            match column {
                Column::Any => {}
                Column::Is(expr) => known.push((i, expr.clone())),
                Column::Bind(slot) => bound.push((i, *slot)),
                Column::Same(slot) => same.push((i, *slot)),
            }
        }
        Pattern { known: known.into(), bound: bound.into(), same: same.into(), apart: None }
    }
}

/// One step of a plan. Equal steps at the same place of two plans are taken once for both.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Step {
    /// For each row that matches; `index` and `key` narrow the search when columns are known. With `once`, the first row
    /// that leads to success is enough, since nothing after it reaches the head. With `delta`, only new rows. With `near`,
    /// rows that are not may be left out, since a later test is false for them.
    Scan {
        pred: Pred,
        columns: Box<[Column]>,
        index: usize,
        key: Box<[usize]>,
        once: bool,
        delta: bool,
        near: Option<Box<Near>>,
    },
    /// The row of these values is there.
    Present { pred: Pred, row: Box<[Expr]> },
    /// The row of these values is not there.
    Missing { pred: Pred, row: Box<[Expr]> },
    /// No row matches.
    NoRow { pred: Pred, columns: Box<[Column]>, index: usize, key: Box<[usize]> },
    /// Two values compare.
    Test(Comparison, Expr, Expr),
    /// A register gets a value.
    Let(Slot, Expr),
    /// A register has one of these values: nobody asks for others.
    OneOf(Slot, Box<[Value]>),
}

impl Step {
    /// The same with what is computed as few operations.
    pub(crate) fn fused(self) -> Step {
        match self {
            Step::Test(op, left, right) => Step::Test(op, left.fused(), right.fused()),
            Step::Let(slot, expr) => Step::Let(slot, expr.fused()),
            other => other,
        }
    }
}

/// A rule ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) steps: Vec<Step>,
    pub(crate) head: Pred,
    pub(crate) row: Box<[Expr]>,
    /// The number of registers.
    pub(crate) slots: usize,
}

/// What the planner needs to know of predicates.
pub(crate) trait Catalogue {
    /// The predicate of an atom, and whether its last argument is the time.
    fn resolve(&self, atom: &Atom) -> Option<(Pred, bool)>;
    /// The number of an index on these columns.
    fn index(&mut self, pred: Pred, columns: &[usize]) -> usize;
    /// The values of a column of a predicate that are ever asked for; `None` for all.
    fn demand(&self, pred: Pred, column: usize) -> Option<&[Value]>;
    /// The largest number in a column of a predicate that is ever asked for, if there is one.
    fn at_most(&self, pred: Pred, column: usize) -> Option<Value>;
    /// The largest number in a column of a predicate that never changes, if it has numbers only.
    fn largest(&self, pred: Pred, column: usize) -> Option<Value>;
    /// What to do about a variable of a rule that has no value because it is a threshold of which nothing is declared.
    fn threshold_remedy(&self, rule: &Clause, variable: Symbol) -> Option<String>;
}

/// Plans a rule, or says which variables are unsafe (none, where the only fault is an unknown predicate). `delta` is the
/// body literal that only looks at new rows; it comes first.
pub(crate) fn plan(
    rule: &Clause,
    delta: Option<usize>,
    catalogue: &mut impl Catalogue,
) -> Result<Plan, Vec<Diagnostic>> {
    let rule = &without_operations(rule);
    if has_markers(rule) {
        // The checks say so.
        return Err(Vec::new());
    }
    let mut planner = Planner { catalogue, slots: IndexMap::default(), steps: Vec::new() };
    planner.slots.insert(None, TIME_SLOT);
    planner.bind_time(rule);
    let mut rest: Vec<usize> = (0..rule.body.len()).collect();
    if let Some(first) = delta {
        rest.retain(|&i| i != first);
        planner.literal(&rule.body[first], true);
    }
    planner.demand(rule);
    while let Some(next) = planner.choose(&rest, &rule.body) {
        rest.retain(|&i| i != next);
        planner.literal(&rule.body[next], false);
        planner.demand(rule);
    }
    if planner.slots.len() > MAX_SLOTS {
        return Err(vec![
            Diagnostic::new(&rule.span, format!("a rule may have at most {} variables", MAX_SLOTS - 1))
                .hint("give some of its conditions a name by a rule of their own, and use that"),
        ]);
    }
    let problems = planner.unsafe_variables(rule, &rest);
    if !rest.is_empty() || !problems.is_empty() {
        return Err(problems);
    }
    let (head, timed) = planner.catalogue.resolve(&rule.head).expect("heads are predicates of the program");
    let row: Option<Box<[Expr]>> = row(&rule.head, timed).into_iter().map(|t| planner.expr(t)).collect();
    // What is open now is a second time, of which the checks say so.
    let row = row.ok_or_else(Vec::new)?;
    planner.mark_existential(rule);
    narrow(&mut planner.steps, |pred, column| planner.catalogue.largest(pred, column));
    let slots = planner.slots.len();
    Ok(Plan { steps: planner.steps, head, row, slots })
}

/// Whether a place marker stands in an atom, where a rule can have none.
fn has_markers(rule: &Clause) -> bool {
    let mut found = false;
    for atom in atoms(rule) {
        for_each_hole(&atom.args, &mut |term| found |= matches!(term, Term::Mark(..)));
    }
    found
}

/// The atoms of a rule, the head last.
fn atoms(rule: &Clause) -> impl Iterator<Item = &Atom> {
    rule.atoms().map(|(_, atom)| atom).chain([&rule.head])
}

/// The rule with `p(V), V = X + 1` for `p(X + 1)`: a scan binds variables only. Literals keep their places.
fn without_operations(rule: &Clause) -> Clause {
    fn replace(term: &mut Term, fresh: &mut Vec<(Term, Term)>) {
        if let Term::App(name, args) = term {
            if crate::lang::is_operation(name.as_str(), args.len()) {
                // No variable of a text has such a name.
                let variable = Term::var(&format!("?{}", fresh.len()));
                fresh.push((variable.clone(), std::mem::replace(term, variable)));
            } else {
                args.iter_mut().for_each(|a| replace(a, fresh));
            }
        }
    }
    let mut rule = rule.clone();
    let mut fresh = Vec::new();
    let mut equations = Vec::new();
    for literal in rule.body.iter_mut().filter(|l| !l.negated) {
        let before = fresh.len();
        if let Formula::Atom(atom) = &mut literal.formula {
            atom.args.iter_mut().for_each(|a| replace(a, &mut fresh));
        }
        equations.extend(fresh[before..].iter().map(|(variable, term)| Literal {
            negated: false,
            formula: Formula::Compare(Comparison::Equal, variable.clone(), term.clone()),
            span: literal.span.clone(),
        }));
    }
    rule.body.extend(equations);
    rule
}

struct Planner<'a, C> {
    catalogue: &'a mut C,
    /// The registers of bound variables; `None` is the time, under whatever name.
    slots: IndexMap<Option<Symbol>, Slot, FxBuildHasher>,
    steps: Vec<Step>,
}

impl<C: Catalogue> Planner<'_, C> {
    fn bind_time(&mut self, rule: &Clause) {
        for atom in atoms(rule) {
            if let Some((_, true)) = self.catalogue.resolve(atom)
                && let Some(Term::Var(name)) = atom.args.last()
            {
                // Two names share the register; they are the same variable.
                self.slots.entry(Some(*name)).or_insert(TIME_SLOT);
                return;
            }
        }
    }

    fn slot(&self, name: Symbol) -> Option<Slot> {
        if name.as_str() == "_" { None } else { self.slots.get(&Some(name)).copied() }
    }

    fn bind(&mut self, name: Symbol) -> Slot {
        let slot = Slot(self.slots.len() as u16);
        self.slots.insert(Some(name), slot);
        slot
    }

    fn expr(&self, term: &Term) -> Option<Expr> {
        Expr::of(term, &|name| self.slot(name))
    }

    /// The literal to take next: tests as soon as they can be made, then the scan that most is known for.
    fn choose(&self, rest: &[usize], body: &[Literal]) -> Option<usize> {
        let known = |term: &Term| self.expr(term).is_some();
        let mut best: Option<(usize, usize)> = None;
        for &i in rest {
            let literal = &body[i];
            let worth = match &literal.formula {
                Formula::Compare(op, left, right) => match (known(left), known(right)) {
                    (true, true) => 1000,
                    // X = expression binds X.
                    (true, false) if binds(*op, literal.negated, right) => 900,
                    (false, true) if binds(*op, literal.negated, left) => 900,
                    _ => continue,
                },
                Formula::Atom(atom) => {
                    let Some((_, timed)) = self.catalogue.resolve(atom) else { continue };
                    let terms = row(atom, timed);
                    let bound = terms.iter().filter(|t| known(t)).count();
                    if bound == terms.len() {
                        950
                    } else if literal.negated {
                        // Anonymous variables of a negated literal range over everything; others must be bound.
                        if terms.iter().all(|t| known(t) || t.is_anonymous()) { 940 } else { continue }
                    } else {
                        // Of two scans for which as much is known, the one written first.
                        1 + bound * 100 / terms.len()
                    }
                }
            };
            if best.is_none_or(|(w, _)| worth > w) {
                best = Some((worth, i));
            }
        }
        best.map(|(_, i)| i)
    }

    fn literal(&mut self, literal: &Literal, delta: bool) {
        match &literal.formula {
            Formula::Compare(op, left, right) => {
                let step = match (self.expr(left), self.expr(right), left, right) {
                    (Some(a), Some(b), ..) => Step::Test(if literal.negated { op.negated() } else { *op }, a, b),
                    (None, Some(b), Term::Var(name), _) => Step::Let(self.bind(*name), b),
                    (Some(a), None, _, Term::Var(name)) => Step::Let(self.bind(*name), a),
                    _ => unreachable!("chosen because one side is known"),
                };
                self.steps.push(step);
            }
            Formula::Atom(atom) => {
                let (pred, timed) = self.catalogue.resolve(atom).expect("chosen because it is known");
                let terms = row(atom, timed);
                let known: Option<Box<[Expr]>> = terms.iter().map(|t| self.expr(t)).collect();
                let step = match known {
                    Some(row) if literal.negated => Step::Missing { pred, row },
                    Some(row) if !delta => Step::Present { pred, row },
                    _ => {
                        let before = self.slots.len();
                        let columns: Box<[Column]> = terms.iter().map(|t| self.column(t, before)).collect();
                        let key: Box<[usize]> =
                            (0..columns.len()).filter(|&i| matches!(columns[i], Column::Is(_))).take(MAX_KEY).collect();
                        let index = if key.is_empty() { 0 } else { self.catalogue.index(pred, &key) };
                        if literal.negated {
                            Step::NoRow { pred, columns, index, key }
                        } else {
                            Step::Scan { pred, columns, index, key, once: false, delta, near: None }
                        }
                    }
                };
                self.steps.push(step);
            }
        }
    }

    /// `before` registers were bound before this row.
    fn column(&mut self, term: &Term, before: usize) -> Column {
        match term {
            t if t.is_anonymous() => Column::Any,
            Term::Var(name) => match self.slots.get_full(&Some(*name)) {
                Some((i, _, &slot)) if i >= before => Column::Same(slot),
                Some((_, _, &slot)) => Column::Is(Expr::Slot(slot)),
                None => Column::Bind(self.bind(*name)),
            },
            t => Column::Is(self.expr(t).expect("chosen because operations are known")),
        }
    }

    /// Tests that the head has values that somebody asks for, as soon as they are known.
    fn demand(&mut self, rule: &Clause) {
        let Some((head, timed)) = self.catalogue.resolve(&rule.head) else { return };
        for (column, term) in row(&rule.head, timed).into_iter().enumerate() {
            let Some(value) = self.expr(term) else { continue };
            let asked = match (&value, self.catalogue.demand(head, column)) {
                (Expr::Slot(slot), Some(values)) => Some(Step::OneOf(*slot, values.into())),
                _ => None,
            };
            let at_most = self.catalogue.at_most(head, column);
            let at_most = at_most.map(|most| Step::Test(Comparison::LessOrEqual, value, Expr::Const(most)));
            for step in asked.into_iter().chain(at_most) {
                if !self.steps.contains(&step) {
                    self.steps.push(step);
                }
            }
        }
    }

    /// Scans that bind nothing the head needs, directly or later, are done with at their first success.
    fn mark_existential(&mut self, rule: &Clause) {
        let mut needed: Vec<Slot> = Vec::new();
        rule.head.for_each_var(&mut |name| needed.extend(self.slots.get(&Some(name))));
        for step in self.steps.iter_mut().rev() {
            let bound: Vec<Slot> = match &*step {
                Step::Scan { columns, .. } => {
                    columns.iter().filter_map(|c| if let Column::Bind(s) = c { Some(*s) } else { None }).collect()
                }
                Step::Let(slot, _) => vec![*slot],
                _ => Vec::new(),
            };
            if bound.iter().any(|s| needed.contains(s)) {
                // Everything before it must enumerate all values.
                return;
            }
            if let Step::Scan { once, .. } = step {
                *once = true;
            }
        }
    }

    fn unsafe_variables(&self, rule: &Clause, rest: &[usize]) -> Vec<Diagnostic> {
        let mut problems = Vec::new();
        // Positive literals are left over if their predicate is unknown, which is reported elsewhere; they might bind.
        let mut reported = Vec::new();
        // So are times that are not the one time of the rule.
        for atom in atoms(rule) {
            if let (Some((_, true)), Some(Term::Var(name))) = (self.catalogue.resolve(atom), atom.args.last()) {
                reported.push(*name);
            }
        }
        for &i in rest {
            if let (Formula::Atom(atom), false) = (&rule.body[i].formula, rule.body[i].negated) {
                atom.for_each_var(&mut |name| reported.push(name));
            }
        }
        let mut check = |name: Symbol, span: &crate::lang::Span, place: &str| {
            if self.slot(name).is_some() || reported.contains(&name) && name.as_str() != "_" {
                return;
            }
            reported.push(name);
            let problem = Diagnostic::new(
                &span.find_word(name.as_str()),
                format!("the variable `{}` is unsafe: {place}", name.as_str()),
            );
            let remedy = self.catalogue.threshold_remedy(rule, name);
            problems.push(problem.hint(match (name.as_str(), remedy) {
                (_, Some(remedy)) => remedy,
                ("_", None) => "give it a name and bind it in a positive literal".to_string(),
                (name, None) => format!("add a positive literal that gives `{name}` its values"),
            }));
        };
        for &i in rest {
            let literal = &rule.body[i];
            let place = match &literal.formula {
                Formula::Compare(..) => "nothing gives it a value before this comparison",
                Formula::Atom(_) if literal.negated => "a negated literal gives no values",
                Formula::Atom(_) => continue,
            };
            literal.for_each_var(&mut |name| {
                let anonymous_is_fine = literal.negated && matches!(literal.formula, Formula::Atom(_));
                if name.as_str() != "_" || !anonymous_is_fine {
                    check(name, &literal.span, place);
                }
            });
        }
        rule.head.for_each_var(&mut |name| check(name, &rule.head.span, "no positive literal of the body binds it"));
        problems
    }
}

/// The terms of an atom's columns.
fn row(atom: &Atom, timed: bool) -> Vec<&Term> {
    let mut terms = Vec::new();
    for_each_hole(&atom.args, &mut |t| terms.push(t));
    if timed {
        terms.pop();
    }
    terms
}

/// Whether a comparison gives a value to the term on one side, once the other is known.
fn binds(op: Comparison, negated: bool, term: &Term) -> bool {
    matches!(term, Term::Var(_)) && !term.is_anonymous() && op == Comparison::Equal && !negated
}
