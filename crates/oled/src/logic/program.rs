//! Program: rules compiled for evaluation: strata, plans that share their common beginnings, and what is computed once.

mod demand;
mod strata;
mod stratum;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::bounds::Asked;
use super::builtin::{Expr, Slot};
use super::check::{Role, Vocabulary};
use super::history::Lookback;
use super::model::{Limits, Model, Stop};
use super::open;
use super::past::{self, Look, Past, Pasts};
use super::plan::{Catalogue, Pattern, Step};
use super::relation::Relation;
use super::rewrite::{Numbered, rewrite};
pub(super) use strata::components;

use crate::lang::{Atom, Bias, Clause, Comparison, Diagnostic, Formula, Signature, Span, Symbol, Term, Value};

/// Steps that are taken at most at a time point, where nobody says otherwise, and for what never changes: up to half a
/// minute of work, where a time point usually takes less than a thousandth of a second. No work that is meant comes near it.
pub const MAX_STEPS: u64 = 1_000_000_000;

/// What to do about a rule that takes too long.
pub const NARROW: &str = "narrow the rule, so that its conditions share variables and fewer combinations are left";

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
    /// In order of their numbers.
    signatures: IndexSet<Signature, FxBuildHasher>,
    roles: Vec<Role>,
    /// Where each rule stands.
    pub(crate) places: Vec<Span>,
    /// For each rule the number of the one that it comes from, among those that the program was made of.
    pub(crate) numbers: Vec<Option<u32>>,
    /// The predicates that hold the values of types.
    types: IndexMap<Symbol, Pred, FxBuildHasher>,
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
    /// Whether rules count these facts, or add them up: then equal ones matter.
    pub(crate) counted: bool,
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
    /// What of a row is compared and bound, if the step looks at rows.
    pub(crate) pattern: Pattern,
    pub(crate) then: Vec<Node>,
    pub(crate) heads: Vec<Head>,
}

impl Node {
    /// The same where a scan takes the test itself that follows it and tells its rows from what is known: a pass over pairs is
    /// faster by a fiftieth for it.
    fn with_test(mut self) -> Node {
        let Pattern { known, bound, same, .. } = &self.pattern;
        let binds_only = known.is_empty() && same.is_empty() && self.heads.is_empty();
        if let (true, Some(Step::Scan { .. })) = (binds_only, &self.step)
            && let [Node { step: Some(Step::Test(Comparison::NotEqual, left, right)), heads, then, .. }] =
                &mut *self.then
            && let (Expr::Slot(a), Expr::Slot(b), []) = (left, right, &**heads)
        {
            let column = |slot: &Slot| bound.iter().find(|(_, own)| own == slot).map(|(column, _)| *column);
            self.pattern.apart = match (column(a), column(b)) {
                (Some(column), None) => Some((column, *b)),
                (None, Some(column)) => Some((column, *a)),
                _ => return self,
            };
            self.then = std::mem::take(then);
        }
        self
    }
}

/// What is derived where a plan ends.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) pred: Pred,
    /// The rule, among the program's places.
    pub(crate) rule: u32,
    pub(crate) row: Row,
}

/// The values of a head: mostly those of registers, which can be copied at once.
#[derive(Clone, Debug)]
pub(crate) enum Row {
    Slots(Box<[Slot]>),
    Exprs(Box<[Expr]>),
}

impl Row {
    fn of(row: &[Expr]) -> Row {
        let slot = |expr: &Expr| if let Expr::Slot(slot) = expr { Some(*slot) } else { None };
        match row.iter().map(slot).collect() {
            Some(slots) => Row::Slots(slots),
            None => Row::Exprs(row.iter().map(Expr::fused).collect()),
        }
    }
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
        let rules: Vec<_> = rules.iter().map(|rule| bias.clock.explicit(rule)).collect();
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
                model.set_limits(Limits { steps: MAX_STEPS, ..Limits::default() });
                model.derive(&program, 0);
                if let Some(Stop::TooLong { limit, head, rule }) = model.stop(&program) {
                    let message = format!("the rule for `{head}` takes more than {limit} steps");
                    return Err(vec![Diagnostic::new(&rule, message).hint(NARROW)]);
                }
                builder.relations = model.into_relations();
                builder.find_largest();
                builder.find_bounds(wanted);
                builder.stratum_of_each(&changing)?
            }
            Err(mut problems) => {
                problems.extend(builder.stratum_of_each(&changing).err().into_iter().flatten());
                return Err(problems);
            }
        };
        let lookback = builder.lookback(bias, &changing);
        let mut program = Program { lookback, ..builder.program(strata) };
        let counted: Vec<Pred> =
            program.lookback.gathering.iter().filter(|g| g.aggregate.is_by_number()).map(|g| g.base).collect();
        for route in &mut program.routes {
            let is_input = |pred: &Pred| program.roles[pred.index()] == Role::Input;
            route.counted = route.relation.is_some_and(|pred| is_input(&pred) && counted.contains(&pred));
        }
        Ok(program)
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
        self.signatures.get_index_of(&signature).map(|i| Pred(i as u32))
    }

    /// The predicate that holds the values of a type, if the program has it.
    pub fn type_pred(&self, name: Symbol) -> Option<Pred> {
        self.types.get(&name).copied()
    }

    /// How many steps all plans have together, and how many rows they derive: for tests.
    #[doc(hidden)]
    pub fn size(&self) -> usize {
        let mut nodes: Vec<&Node> = self.strata.iter().flat_map(|s| s.first.iter().chain(&s.again)).collect();
        let mut size = 0;
        while let Some(node) = nodes.pop() {
            size += 1 + usize::from(node.pattern.apart.is_some()) + node.heads.len();
            nodes.extend(&node.then);
        }
        size
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
    bias: &'a Bias,
    vocabulary: &'a Vocabulary,
    /// The rules that are needed, with the numbers of their heads, and of the rules that they come from.
    rules: Vec<(Pred, &'a Clause)>,
    numbers: Vec<Option<u32>>,
    /// The places in `rules` of those for each predicate, in order.
    rules_of: Vec<Vec<usize>>,
    preds: IndexSet<Signature, FxBuildHasher>,
    roles: Vec<Role>,
    types: IndexMap<Symbol, Pred, FxBuildHasher>,
    timed: Vec<bool>,
    relations: Vec<Relation>,
    routes: Vec<Route>,
    /// For each predicate and column, the constants that are asked for; `None` for all values.
    demand: Vec<Vec<Option<Vec<Value>>>>,
    /// The same for numbers: up to which they are asked for.
    bounds: Vec<Vec<Asked>>,
    /// For each predicate that never changes and column, the largest number, where there are numbers only; none before the
    /// rows are known.
    largest: Vec<Vec<Option<Value>>>,
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

    fn at_most(&self, pred: Pred, column: usize) -> Option<Value> {
        self.bounds[pred.index()][column].at_most()
    }

    fn largest(&self, pred: Pred, column: usize) -> Option<Value> {
        *self.largest.get(pred.index())?.get(column)?
    }

    fn threshold_remedy(&self, rule: &Clause, variable: Symbol) -> Option<String> {
        open::remedy(self.bias, self.vocabulary, rule, variable)
    }
}

fn body_atoms(rule: &Clause) -> impl Iterator<Item = (usize, &Atom, bool)> {
    rule.body.iter().enumerate().filter_map(|(i, l)| match &l.formula {
        Formula::Atom(atom) => Some((i, atom, l.negated)),
        Formula::Compare(..) => None,
    })
}

impl<'a> Builder<'a> {
    fn new(bias: &'a Bias, vocabulary: &'a Vocabulary, rules: &'a [Numbered], wanted: &[Signature]) -> Builder<'a> {
        let mut builder = Builder {
            bias,
            vocabulary,
            rules: Vec::new(),
            numbers: Vec::new(),
            rules_of: Vec::new(),
            preds: IndexSet::default(),
            roles: Vec::new(),
            types: IndexMap::default(),
            timed: Vec::new(),
            relations: Vec::new(),
            routes: Vec::new(),
            demand: Vec::new(),
            bounds: Vec::new(),
            largest: Vec::new(),
            slots: 1,
        };
        let mut defining: IndexMap<Signature, Vec<&Numbered>, FxBuildHasher> = IndexMap::default();
        for rule in rules {
            defining.entry(Signature::of(&rule.0.head)).or_default().push(rule);
        }
        // Only what is wanted, and what that needs.
        let mut todo: Vec<Signature> = wanted.iter().rev().copied().collect();
        while let Some(signature) = todo.pop() {
            if !vocabulary.predicates.contains_key(&signature) || builder.preds.contains(&signature) {
                continue;
            }
            let head = builder.add(signature);
            if let Role::Past(past) = vocabulary.predicates[&signature].role {
                todo.extend(vocabulary.bases(past));
            }
            for (rule, number) in defining.get(&signature).into_iter().flatten() {
                builder.rules_of[head.index()].push(builder.rules.len());
                builder.rules.push((head, rule));
                builder.numbers.push(*number);
                todo.extend(body_atoms(rule).map(|(_, a, _)| Signature::of(a)));
            }
        }
        builder.route(bias);
        builder
    }

    fn add(&mut self, signature: Signature) -> Pred {
        let predicate = &self.vocabulary.predicates[&signature];
        let width = signature.arity() - usize::from(predicate.timed);
        let pred = Pred(self.preds.len() as u32);
        self.preds.insert(signature);
        self.roles.push(predicate.role);
        if let Role::Type(name) = predicate.role {
            self.types.entry(name).or_insert(pred);
        }
        self.rules_of.push(Vec::new());
        self.timed.push(predicate.timed);
        self.relations.push(Relation::new(width));
        self.demand.push(vec![None; width]);
        self.bounds.push(vec![Asked::Anything; width]);
        pred
    }

    fn route(&mut self, bias: &Bias) {
        for mode in &bias.inputs {
            let signature = mode.signature();
            let relation = self.preds.get_index_of(&signature).map(|i| Pred(i as u32));
            let mut types = Vec::new();
            for (column, kind) in mode.types().into_iter().enumerate() {
                if let Some(kind) = kind
                    && let Some(&pred) = self.types.get(&kind)
                {
                    types.push((column, pred));
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
        // A tick says itself who is observed.
        for (name, pred) in &self.types {
            let place = Signature::plain(*name, 2).index();
            if self.routes.len() <= place {
                self.routes.resize_with(place + 1, Route::default);
            }
            self.routes[place].relation.get_or_insert(*pred);
        }
    }

    fn program(&self, strata: Vec<Stratum>) -> Program {
        Program {
            signatures: self.preds.clone(),
            roles: self.roles.clone(),
            places: self.rules.iter().map(|(_, rule)| rule.span.clone()).collect(),
            numbers: self.numbers.clone(),
            types: self.types.clone(),
            relations: self.relations.clone(),
            routes: self.routes.clone(),
            strata,
            slots: self.slots,
            repeats: vec![false; self.preds.len()],
            lookback: Lookback::default(),
        }
    }

    /// What rules look back at.
    fn bases(&self) -> Vec<Signature> {
        pasts(&self.roles).flat_map(|(_, past)| self.vocabulary.bases(past)).collect()
    }

    /// What is to be remembered, and which predicates are filled from it before which strata.
    fn lookback(&self, bias: &Bias, strata: &[Vec<Pred>]) -> Lookback {
        let mut stratum_of = vec![strata.len(); self.preds.len()];
        for (i, heads) in strata.iter().enumerate() {
            heads.iter().for_each(|h| stratum_of[h.index()] = i);
        }
        // The first stratum that looks at each predicate.
        let mut before = vec![strata.len(); self.preds.len()];
        for (head, rule) in &self.rules {
            for (pred, _) in body_atoms(rule).filter_map(|(_, atom, _)| self.resolve(atom)) {
                before[pred.index()] = before[pred.index()].min(stratum_of[head.index()]);
            }
        }
        let mut lookback = Lookback::new(bias.horizon.unwrap_or(0));
        for (pred, past) in pasts(&self.roles) {
            let number = |signature: Signature| self.preds.get_index_of(&signature).map(|i| Pred(i as u32));
            let (Some(base), before) = (number(past.base), before[pred.index()]) else { continue };
            if past.look == Look::Last {
                let members = self.vocabulary.latest(bias, past.base).into_iter();
                let members = members.filter_map(|member| Some((number(member.signature)?, member))).collect();
                lookback.add_last(pred, base, members, before);
            } else if let Look::Aggregate(aggregate) = past.look
                && aggregate.is_throughout()
            {
                lookback.add_levels(pred, aggregate, base, self.spans(pred), before);
            } else {
                lookback.add(pred, past.look, base, before);
            }
        }
        lookback
    }

    /// For how long the rules ask whether something was so throughout: those that they name, and where one is open, those
    /// that are tried.
    fn spans(&self, pred: Pred) -> Vec<i64> {
        let mut spans: Vec<i64> = Vec::new();
        for (_, rule) in &self.rules {
            let atoms = body_atoms(rule).map(|(_, atom, _)| atom);
            for span in atoms.filter(|a| self.resolve(a).is_some_and(|(p, _)| p == pred)).filter_map(open::span_of) {
                match span {
                    Term::Value(Value::Int(span)) => spans.push(*span),
                    _ => spans.extend(&self.vocabulary.durations),
                }
            }
        }
        spans.sort_unstable();
        spans.dedup();
        spans
    }
}
