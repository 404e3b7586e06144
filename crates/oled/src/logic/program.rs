//! Program: rules compiled for evaluation: strata, plans that share their common beginnings, and what is computed once.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::check::{Role, Vocabulary};
use super::history::Lookback;
use super::model::Model;
use super::past::{self, Past, Pasts};
use super::plan::{Catalogue, Plan, Step, plan};
use super::relation::Relation;
use super::rewrite::rewrite;
use crate::lang::{Atom, Bias, Clause, Diagnostic, Formula, Signature, Symbol, Term, Value, for_each_hole};

/// A predicate of a program: a dense number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pred(u32);

impl Pred {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Rules ready to be evaluated at each time point.
#[derive(Clone, Debug)]
pub struct Program {
    /// Signatures in order of their numbers.
    signatures: Vec<Signature>,
    roles: Vec<Role>,
    /// Rows that never change; empty for what does.
    pub(crate) relations: Vec<Relation>,
    /// Where facts of the stream go, by the number of their signature.
    pub(crate) routes: Vec<Route>,
    pub(crate) strata: Vec<Stratum>,
    pub(crate) slots: usize,
    /// The predicates whose derived rows may come more than once.
    pub(crate) repeats: Vec<bool>,
    /// What is to be remembered.
    pub(crate) lookback: Lookback,
}

/// Where the facts of a signature go: to its own relation if a rule uses it, and to the types of its arguments.
#[derive(Clone, Debug, Default)]
pub(crate) struct Route {
    pub(crate) relation: Option<Pred>,
    pub(crate) types: Vec<(usize, Pred)>,
}

/// Predicates that depend on each other, with their rules.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stratum {
    pub(crate) heads: Vec<Pred>,
    /// Predicates whose indexes are used.
    pub(crate) indexed: Vec<Pred>,
    pub(crate) first: Vec<Node>,
    /// For recursion: the same rules, looking at new rows.
    pub(crate) again: Vec<Node>,
}

/// A step, what follows it, and the heads that are reached with it.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) step: Option<Step>,
    pub(crate) then: Vec<Node>,
    pub(crate) heads: Vec<(Pred, Box<[super::builtin::Expr]>)>,
}

impl Program {
    /// Compiles the rules that `wanted` depends on. `rules` must have passed the checks of a [`Vocabulary`]; what is
    /// found here are unsafe variables and negation through recursion.
    pub fn new(
        bias: &Bias,
        vocabulary: &Vocabulary,
        rules: &[&Clause],
        wanted: &[Signature],
    ) -> Result<Program, Vec<Diagnostic>> {
        let mut pasts = Pasts::default();
        let rules: Vec<_> = rules.iter().map(|rule| past::replace(rule, &mut pasts)).collect();
        let rules = rewrite(bias, vocabulary, &rules.iter().map(AsRef::as_ref).collect::<Vec<_>>());
        let mut builder = Builder::new(bias, vocabulary, &rules, wanted);
        let order = builder.strata()?;
        builder.find_demand(wanted);
        let is_static =
            |builder: &Builder<'_>, heads: &[Pred]| heads.iter().all(|h| builder.roles[h.index()] == Role::Static);
        let (fixed, changing): (Vec<_>, Vec<_>) = order.into_iter().partition(|heads| is_static(&builder, heads));
        // What never changes is computed once, by the same evaluation, at no time in particular. The other rules are
        // planned with it at hand.
        let fixed = builder.stratum_of_each(&fixed);
        let strata = match fixed {
            Ok(strata) => {
                let program = builder.program(strata);
                let mut model = Model::new(&program);
                model.derive(&program, 0);
                builder.relations = model.into_relations();
                builder.stratum_of_each(&changing)?
            }
            Err(mut problems) => {
                problems.extend(builder.stratum_of_each(&changing).err().into_iter().flatten());
                return Err(problems);
            }
        };
        let lookback = builder.lookback(bias, &changing);
        Ok(Program { lookback, ..builder.program(strata) })
    }

    /// The signature of a predicate.
    pub(crate) fn signature(&self, pred: Pred) -> Signature {
        self.signatures[pred.index()]
    }

    /// The predicates that look back.
    pub(crate) fn pasts(&self) -> impl Iterator<Item = (Pred, Past)> {
        pasts(&self.roles)
    }

    /// The number of a predicate, if the program has it.
    pub fn pred(&self, signature: Signature) -> Option<Pred> {
        self.signatures.iter().position(|s| *s == signature).map(|i| Pred(i as u32))
    }

    /// The predicate that holds the values of a type, if the program has it.
    pub fn type_pred(&self, name: Symbol) -> Option<Pred> {
        self.roles.iter().position(|r| *r == Role::Type(name)).map(|i| Pred(i as u32))
    }

    /// What each stratum derives, from the bottom up: for people who ask.
    pub fn describe_strata(&self) -> Vec<Vec<Signature>> {
        self.strata.iter().map(|s| s.heads.iter().map(|h| self.signatures[h.index()]).collect()).collect()
    }

    /// Lets derived rows come more than once where nobody minds: no rule looks at their predicate, and it is not among
    /// those that others look rows up in.
    pub(crate) fn allow_repeats(&mut self, looked_up: &[Pred]) {
        let mut read = vec![false; self.signatures.len()];
        looked_up.iter().copied().chain(self.lookback.bases()).for_each(|p| read[p.index()] = true);
        let mut nodes: Vec<&Node> = self.strata.iter().flat_map(|s| s.first.iter().chain(&s.again)).collect();
        while let Some(node) = nodes.pop() {
            if let Some(
                Step::Scan { pred, .. }
                | Step::Present { pred, .. }
                | Step::Missing { pred, .. }
                | Step::NoRow { pred, .. },
            ) = &node.step
            {
                read[pred.index()] = true;
            }
            nodes.extend(&node.then);
        }
        self.repeats = read.iter().map(|read| !read).collect();
    }

    /// Makes sure that no row comes more than once.
    pub(crate) fn forbid_repeats(&mut self) {
        self.repeats.fill(false);
    }

    /// Whether the rows of a predicate stay from one time point to the next.
    pub(crate) fn is_static(&self, pred: usize) -> bool {
        self.roles[pred] == Role::Static
    }
}

/// The predicates that look back, by the roles of all.
fn pasts(roles: &[Role]) -> impl Iterator<Item = (Pred, Past)> {
    roles.iter().enumerate().filter_map(|(i, role)| match role {
        Role::Past(past) => Some((Pred(i as u32), *past)),
        _ => None,
    })
}

struct Builder<'a> {
    vocabulary: &'a Vocabulary,
    /// The rules that are needed, with the numbers of their heads.
    rules: Vec<(Pred, &'a Clause)>,
    preds: IndexMap<Signature, (), FxBuildHasher>,
    roles: Vec<Role>,
    timed: Vec<bool>,
    relations: Vec<Relation>,
    routes: Vec<Route>,
    /// For each predicate and column, the constants that are asked for; `None` for all values.
    demand: Vec<Vec<Option<Vec<Value>>>>,
    slots: usize,
}

impl Catalogue for Builder<'_> {
    fn resolve(&self, atom: &Atom) -> Option<(Pred, bool)> {
        let index = self.preds.get_index_of(&Signature::of(atom))?;
        Some((Pred(index as u32), self.timed[index]))
    }

    fn index(&mut self, pred: Pred, columns: &[usize]) -> usize {
        self.relations[pred.index()].add_index(columns)
    }

    fn demand(&self, pred: Pred, column: usize) -> Option<&[Value]> {
        self.demand[pred.index()][column].as_deref()
    }
}

fn body_atoms(rule: &Clause) -> impl Iterator<Item = (usize, &Atom, bool)> {
    rule.body.iter().enumerate().filter_map(|(i, l)| match &l.formula {
        Formula::Atom(atom) => Some((i, atom, l.negated)),
        Formula::Compare(..) => None,
    })
}

impl<'a> Builder<'a> {
    fn new(bias: &'a Bias, vocabulary: &'a Vocabulary, rules: &'a [Clause], wanted: &[Signature]) -> Builder<'a> {
        let mut builder = Builder {
            vocabulary,
            rules: Vec::new(),
            preds: IndexMap::default(),
            roles: Vec::new(),
            timed: Vec::new(),
            relations: Vec::new(),
            routes: Vec::new(),
            demand: Vec::new(),
            slots: 1,
        };
        // Only what is wanted, and what that needs.
        let mut todo: Vec<Signature> = wanted.iter().rev().copied().collect();
        while let Some(signature) = todo.pop() {
            if !vocabulary.predicates.contains_key(&signature) || builder.preds.contains_key(&signature) {
                continue;
            }
            let head = builder.add(signature);
            if let Role::Past(past) = vocabulary.predicates[&signature].role {
                todo.push(past.base);
            }
            for rule in rules.iter().filter(|r| Signature::of(&r.head) == signature) {
                builder.rules.push((head, rule));
                todo.extend(body_atoms(rule).map(|(_, a, _)| Signature::of(a)));
            }
        }
        builder.route(bias);
        builder
    }

    fn add(&mut self, signature: Signature) -> Pred {
        let predicate = &self.vocabulary.predicates[&signature];
        let width = signature.arity() - usize::from(predicate.timed);
        self.preds.insert(signature, ());
        self.roles.push(predicate.role);
        self.timed.push(predicate.timed);
        self.relations.push(Relation::new(width));
        self.demand.push(vec![None; width]);
        Pred(self.preds.len() as u32 - 1)
    }

    fn route(&mut self, bias: &Bias) {
        for mode in &bias.inputs {
            let signature = mode.signature();
            let relation = self.preds.get_index_of(&signature).map(|i| Pred(i as u32));
            let mut types = Vec::new();
            for (column, kind) in mode.types().into_iter().enumerate() {
                if let Some(kind) = kind
                    && let Some(i) = self.roles.iter().position(|r| *r == Role::Type(kind))
                {
                    types.push((column, Pred(i as u32)));
                }
            }
            if self.routes.len() <= signature.index() {
                self.routes.resize_with(signature.index() + 1, Route::default);
            }
            let route = &mut self.routes[signature.index()];
            route.relation = relation;
            // One signature may be declared several times, with constants in places.
            types.retain(|t| !route.types.contains(t));
            route.types.extend(types);
        }
    }

    /// Heads grouped into strata, from the bottom up (Tarjan's strongly connected components).
    fn strata(&self) -> Result<Vec<Vec<Pred>>, Vec<Diagnostic>> {
        let count = self.preds.len();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (head, rule) in &self.rules {
            edges[head.index()]
                .extend(body_atoms(rule).filter_map(|(_, a, _)| self.resolve(a)).map(|(p, _)| p.index()));
        }
        for (pred, past) in pasts(&self.roles) {
            edges[pred.index()].extend(self.preds.get_index_of(&past.base));
        }
        let components = components(&edges);
        let mut component_of = vec![0; count];
        for (c, members) in components.iter().enumerate() {
            members.iter().for_each(|&m| component_of[m] = c);
        }
        let mut problems = Vec::new();
        for (head, rule) in &self.rules {
            for (i, atom, negated) in body_atoms(rule) {
                let Some((pred, _)) = self.resolve(atom) else { continue };
                if component_of[pred.index()] != component_of[head.index()] {
                    continue;
                }
                let signature = self.preds.get_index(head.index()).expect("a head is a predicate").0;
                if let Role::Past(_) = self.roles[pred.index()] {
                    problems.push(
                        Diagnostic::new(&rule.body[i].span, format!("`{signature}` looks back at itself, which is not possible"))
                            .hint("rules look back at what is known without them; for what goes on from one time point to the next, use a fluent with initiatedAt and terminatedAt"),
                    );
                } else if negated {
                    problems.push(
                        Diagnostic::new(&rule.body[i].span, format!("`{signature}` depends on its own negation"))
                            .hint("negation must not run in a circle: split the predicate in two, one defined before the other"),
                    );
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let has_rules = |i: &usize| self.rules.iter().any(|(h, _)| h.index() == *i);
        let recursive = |c: &[usize]| c.len() > 1 || edges[c[0]].contains(&c[0]);
        // Components come after those they depend on. What is equally high, and not recursive, is one stratum: its rules
        // can share the beginnings of their plans. What never changes stays apart from what does.
        let mut height = vec![0; components.len()];
        let mut strata: Vec<(usize, bool, bool, Vec<Pred>)> = Vec::new();
        for (c, members) in components.iter().enumerate() {
            let below = members.iter().flat_map(|&m| &edges[m]).map(|&d| component_of[d]).filter(|&d| d != c);
            height[c] = below.map(|d| height[d] + 1).max().unwrap_or(0);
            if !members.iter().any(has_rules) {
                continue;
            }
            let (alone, fixed) = (recursive(members), self.roles[members[0]] == Role::Static);
            let preds = members.iter().map(|&i| Pred(i as u32));
            match strata.iter_mut().find(|s| (s.0, s.1, s.2) == (height[c], false, fixed) && !alone) {
                Some(stratum) => stratum.3.extend(preds),
                None => strata.push((height[c], alone, fixed, preds.collect())),
            }
        }
        strata.sort_by_key(|s| s.0);
        Ok(strata.into_iter().map(|s| s.3).collect())
    }

    /// Which constants are asked for, where only constants are: `close(X, Y, 25, T)` needs no other threshold.
    fn find_demand(&mut self, wanted: &[Signature]) {
        let mut asked: Vec<Vec<Option<Vec<Value>>>> =
            self.demand.iter().map(|columns| vec![Some(Vec::new()); columns.len()]).collect();
        let all = |columns: &mut Vec<Option<Vec<Value>>>| columns.iter_mut().for_each(|c| *c = None);
        for signature in wanted {
            if let Some(i) = self.preds.get_index_of(signature) {
                all(&mut asked[i]);
            }
        }
        for (head, rule) in &self.rules {
            for (_, atom, _) in body_atoms(rule) {
                let Some((pred, _)) = self.resolve(atom) else { continue };
                // A recursive use asks for what its own derivation needs.
                if pred == *head {
                    all(&mut asked[pred.index()]);
                }
                let columns = &mut asked[pred.index()];
                let mut i = 0;
                for_each_hole(&atom.args, &mut |term| {
                    if let Some(column) = columns.get_mut(i) {
                        match (term, column.as_mut()) {
                            (Term::Value(v), Some(values)) if !values.contains(v) => values.push(*v),
                            (Term::Value(_), _) => {}
                            _ => *column = None,
                        }
                    }
                    i += 1;
                });
            }
        }
        // What is looked back at is kept whole.
        for (_, past) in pasts(&self.roles) {
            if let Some(i) = self.preds.get_index_of(&past.base) {
                all(&mut asked[i]);
            }
        }
        for (i, columns) in asked.into_iter().enumerate() {
            // Static rows are computed once, and all of them may be shown.
            if self.roles[i] == Role::Derived {
                self.demand[i] = columns;
            }
        }
    }

    fn program(&self, strata: Vec<Stratum>) -> Program {
        Program {
            signatures: self.preds.keys().copied().collect(),
            roles: self.roles.clone(),
            relations: self.relations.clone(),
            routes: self.routes.clone(),
            strata,
            slots: self.slots,
            repeats: vec![false; self.preds.len()],
            lookback: Lookback::default(),
        }
    }

    /// What is to be remembered, and which predicates are filled from it before which strata.
    fn lookback(&self, bias: &Bias, strata: &[Vec<Pred>]) -> Lookback {
        let mut lookback = Lookback::new(bias.horizon.unwrap_or(0));
        for (pred, past) in pasts(&self.roles) {
            let uses =
                |rule: &Clause| body_atoms(rule).any(|(_, a, _)| self.resolve(a).is_some_and(|(p, _)| p == pred));
            let needed = |heads: &Vec<Pred>| self.rules.iter().any(|(h, r)| heads.contains(h) && uses(r));
            let before = strata.iter().position(needed).unwrap_or(strata.len());
            if let Some(base) = self.preds.get_index_of(&past.base) {
                lookback.add(pred, past.look, Pred(base as u32), before);
            }
        }
        lookback
    }

    fn stratum_of_each(&mut self, order: &[Vec<Pred>]) -> Result<Vec<Stratum>, Vec<Diagnostic>> {
        let mut problems = Vec::new();
        let mut strata = Vec::new();
        for heads in order {
            match self.stratum(heads) {
                Ok(stratum) => strata.push(stratum),
                Err(more) => problems.extend(more),
            }
        }
        if problems.is_empty() { Ok(strata) } else { Err(problems) }
    }

    /// The rule without conditions that are true whatever the stream brings: `distance(25)`.
    fn without_known(&self, head: Pred, rule: &Clause) -> Clause {
        let mut rule = rule.clone();
        if self.roles[head.index()] != Role::Static {
            rule.body.retain(|literal| match &literal.formula {
                Formula::Atom(atom) if !literal.negated => {
                    let known = self.resolve(atom).filter(|(p, _)| self.roles[p.index()] == Role::Static);
                    let values = Signature::split(atom).map(|(_, values)| values);
                    !known.zip(values).is_some_and(|((p, _), values)| self.relations[p.index()].contains(&values))
                }
                _ => true,
            });
        }
        rule
    }

    fn stratum(&mut self, heads: &[Pred]) -> Result<Stratum, Vec<Diagnostic>> {
        let rules: Vec<Clause> =
            self.rules.iter().filter(|(h, _)| heads.contains(h)).map(|(h, r)| self.without_known(*h, r)).collect();
        let mut stratum = Stratum { heads: heads.to_vec(), ..Stratum::default() };
        let mut problems = Vec::new();
        for rule in &rules {
            match plan(rule, None, self) {
                Ok(plan) => self.add_plan(plan, &mut stratum.first, &mut stratum.indexed),
                Err(more) => {
                    problems.extend(more);
                    continue;
                }
            }
            let recursive: Vec<usize> = body_atoms(rule)
                .filter(|(_, a, negated)| !negated && self.resolve(a).is_some_and(|(p, _)| heads.contains(&p)))
                .map(|(i, ..)| i)
                .collect();
            if let (false, Some(problem)) = (recursive.is_empty(), computed_head(rule)) {
                problems.push(problem);
                continue;
            }
            for literal in recursive {
                match plan(rule, Some(literal), self) {
                    Ok(plan) => self.add_plan(plan, &mut stratum.again, &mut stratum.indexed),
                    Err(more) => problems.extend(more),
                }
            }
        }
        if problems.is_empty() { Ok(stratum) } else { Err(problems) }
    }

    fn add_plan(&mut self, plan: Plan, nodes: &mut Vec<Node>, indexed: &mut Vec<Pred>) {
        self.slots = self.slots.max(plan.slots);
        for step in &plan.steps {
            if let Step::Scan { pred, key, .. } | Step::NoRow { pred, key, .. } = step
                && !key.is_empty()
                && !indexed.contains(pred)
            {
                indexed.push(*pred);
            }
        }
        let mut nodes = nodes;
        let mut steps = plan.steps.into_iter().map(Some).collect::<Vec<_>>();
        if steps.is_empty() {
            steps.push(None);
        }
        let last = steps.len() - 1;
        for (i, step) in steps.into_iter().enumerate() {
            let at = match nodes.iter().position(|n| n.step == step) {
                Some(at) => at,
                None => {
                    nodes.push(Node { step, then: Vec::new(), heads: Vec::new() });
                    nodes.len() - 1
                }
            };
            if i == last {
                nodes[at].heads.push((plan.head, plan.row));
                return;
            }
            nodes = &mut nodes[at].then;
        }
    }
}

/// A recursive rule must not compute values for its head, or it might derive new ones for ever.
fn computed_head(rule: &Clause) -> Option<Diagnostic> {
    let mut found = Vec::new();
    for (_, atom, negated) in body_atoms(rule) {
        if !negated {
            for_each_hole(&atom.args, &mut |t| found.extend(if let Term::Var(name) = t { Some(*name) } else { None }));
        }
    }
    let mut computed = None;
    for_each_hole(&rule.head.args, &mut |term| {
        let bound = match term {
            Term::Var(name) => found.contains(name),
            Term::App(..) => false,
            _ => true,
        };
        if !bound && computed.is_none() {
            computed = Some(term.to_string());
        }
    });
    computed.map(|term| {
        Diagnostic::new(&rule.head.span, format!("a recursive rule computes `{term}`, which might never end")).hint(
            "take the values of a recursive head from literals of the body; compute with them in a rule of its own",
        )
    })
}

/// Strongly connected components, each after those it depends on; without recursion, so that no program is too deep.
fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let count = edges.len();
    let (mut number, mut low, mut on_stack) = (vec![NEW; count], vec![0; count], vec![false; count]);
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    for start in 0..count {
        if number[start] != NEW {
            continue;
        }
        let mut calls = vec![(start, 0)];
        while let Some((v, edge)) = calls.last_mut() {
            let v = *v;
            if *edge == 0 {
                (number[v], low[v]) = (next, next);
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = edges[v].get(*edge) {
                *edge += 1;
                if number[w] == NEW {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == number[v] {
                let at = stack.iter().position(|&w| w == v).expect("a root is on the stack");
                let mut members = stack.split_off(at);
                members.iter().for_each(|&w| on_stack[w] = false);
                members.sort_unstable();
                found.push(members);
            }
        }
    }
    found
}
