//! Program: rules compiled for evaluation: strata, plans that share their common beginnings, and what is computed once.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::bounds::{self, Asked};
use super::builtin::Expr;
use super::check::{Role, Vocabulary};
use super::history::Lookback;
use super::model::{Limits, Model, Stop};
use super::open;
use super::past::{self, Look, Past, Pasts};
use super::plan::{Catalogue, Plan, Step, plan};
use super::relation::Relation;
use super::rewrite::{Numbered, rewrite};
use crate::lang::{Atom, Bias, Clause, Diagnostic, Formula, Signature, Span, Symbol, Term, Value, for_each_hole};

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
    pub(crate) then: Vec<Node>,
    pub(crate) heads: Vec<Head>,
}

/// What is derived where a plan ends.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) pred: Pred,
    /// The rule, among the program's places.
    pub(crate) rule: u32,
    pub(crate) row: Box<[Expr]>,
}

/// Plans while they are put together: what follows each step. Rules may be many, so steps are looked up, not compared.
#[derive(Default)]
struct Trie {
    then: IndexMap<Option<Step>, Trie, FxBuildHasher>,
    heads: Vec<Head>,
}

impl Trie {
    fn add(&mut self, plan: Plan, rule: usize) {
        let mut at = self;
        // Who has no condition is derived at once.
        let none = plan.steps.is_empty().then_some(None);
        for step in plan.steps.into_iter().map(Some).chain(none) {
            at = at.then.entry(step).or_default();
        }
        at.heads.push(Head { pred: plan.head, rule: rule as u32, row: plan.row });
    }

    fn into_nodes(self) -> Vec<Node> {
        let node = |(step, trie): (Option<Step>, Trie)| {
            let Trie { then, heads } = trie;
            Node { step, then: Trie { then, heads: Vec::new() }.into_nodes(), heads }
        };
        self.then.into_iter().map(node).collect()
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
            program.lookback.gathering.iter().filter(|g| g.gather.is_by_number()).map(|g| g.base).collect();
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
            size += 1 + node.heads.len();
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

    /// Heads grouped into strata, from the bottom up (Tarjan's strongly connected components).
    fn strata(&self) -> Result<Vec<Vec<Pred>>, Vec<Diagnostic>> {
        let count = self.preds.len();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (head, rule) in &self.rules {
            edges[head.index()]
                .extend(body_atoms(rule).filter_map(|(_, a, _)| self.resolve(a)).map(|(p, _)| p.index()));
        }
        for (pred, past) in pasts(&self.roles) {
            let bases = self.vocabulary.bases(past).into_iter();
            edges[pred.index()].extend(bases.filter_map(|base| self.preds.get_index_of(&base)));
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
                let signature = self.preds[head.index()];
                if let Role::Past(Past { look: Look::Gather(_), .. }) = self.roles[pred.index()] {
                    problems.push(
                        Diagnostic::new(&rule.body[i].span, format!("`{signature}` counts itself, which is not possible"))
                            .hint("what is counted must be known before: split the predicate in two, one defined before the other"),
                    );
                } else if let Role::Past(_) = self.roles[pred.index()] {
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
        let has_rules = |i: &usize| !self.rules_of[*i].is_empty();
        let recursive = |c: &[usize]| c.len() > 1 || edges[c[0]].contains(&c[0]);
        // Components come after those they depend on. What is equally high, and not recursive, is one stratum: its rules
        // can share the beginnings of their plans. What never changes stays apart from what does.
        let mut height = vec![0; components.len()];
        let mut strata: Vec<(usize, Vec<Pred>)> = Vec::new();
        let mut shared: IndexMap<(usize, bool), usize, FxBuildHasher> = IndexMap::default();
        for (c, members) in components.iter().enumerate() {
            let below = members.iter().flat_map(|&m| &edges[m]).map(|&d| component_of[d]).filter(|&d| d != c);
            height[c] = below.map(|d| height[d] + 1).max().unwrap_or(0);
            if !members.iter().any(has_rules) {
                continue;
            }
            let preds = members.iter().map(|&i| Pred(i as u32));
            if recursive(members) {
                strata.push((height[c], preds.collect()));
                continue;
            }
            let fixed = self.roles[members[0]] == Role::Static;
            let at = *shared.entry((height[c], fixed)).or_insert_with(|| {
                strata.push((height[c], Vec::new()));
                strata.len() - 1
            });
            strata[at].1.extend(preds);
        }
        strata.sort_by_key(|s| s.0);
        Ok(strata.into_iter().map(|s| s.1).collect())
    }

    /// Which constants are asked for, where only constants are: `close(X, Y, 25, T)` needs no other threshold.
    fn find_demand(&mut self, wanted: &[Signature]) {
        type Asked = Option<IndexSet<Value, FxBuildHasher>>;
        let mut asked: Vec<Vec<Asked>> =
            self.demand.iter().map(|columns| vec![Some(IndexSet::default()); columns.len()]).collect();
        let all = |columns: &mut Vec<Asked>| columns.iter_mut().for_each(|c| *c = None);
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
                            (Term::Value(v), Some(values)) => {
                                values.insert(*v);
                            }
                            (Term::Value(_), None) => {}
                            _ => *column = None,
                        }
                    }
                    i += 1;
                });
            }
        }
        // What is looked back at is kept whole.
        for base in self.bases() {
            if let Some(i) = self.preds.get_index_of(&base) {
                all(&mut asked[i]);
            }
        }
        for (i, columns) in asked.into_iter().enumerate() {
            // Static rows are computed once, and all of them may be shown.
            if self.roles[i] == Role::Derived {
                self.demand[i] = columns.into_iter().map(|c| Some(c?.into_iter().collect())).collect();
            }
        }
    }

    /// The largest numbers among the rows that never change.
    fn find_largest(&mut self) {
        let of_column = |relation: &Relation, column: usize| {
            let mut values = relation.rows().map(|row| row[column]);
            values.try_fold(None, |largest, v| v.as_f64().map(|_| largest.max(Some(v))))?
        };
        let of_relation = |(role, relation): (&Role, &Relation)| match role {
            Role::Static => (0..relation.width()).map(|column| of_column(relation, column)).collect(),
            _ => Vec::new(),
        };
        self.largest = self.roles.iter().zip(&self.relations).map(of_relation).collect();
    }

    /// Up to which number columns are asked for, where all that anybody asks for are numbers up to one. To be found when
    /// the rows are known that never change.
    fn find_bounds(&mut self, wanted: &[Signature]) {
        let free = |columns: &mut Vec<Asked>| columns.fill(Asked::Anything);
        let mut asked: Vec<Vec<Asked>> =
            self.bounds.iter().map(|columns| vec![Asked::Nothing; columns.len()]).collect();
        for (head, rule) in &self.rules {
            let pred = |atom: &Atom| self.resolve(atom).map(|(pred, _)| pred);
            if body_atoms(rule).any(|(_, atom, _)| pred(atom) == Some(*head)) {
                // A recursive rule asks for what its own derivation needs.
                free(&mut asked[head.index()]);
            }
            bounds::ask(rule, pred, |pred, column| self.largest(pred, column), &mut asked);
        }
        for signature in wanted.iter().copied().chain(self.bases()) {
            // What is looked back at is kept whole.
            self.preds.get_index_of(&signature).into_iter().for_each(|i| free(&mut asked[i]));
        }
        for (role, columns) in self.roles.iter().zip(&mut asked) {
            if *role != Role::Derived {
                free(columns);
            }
        }
        self.bounds = asked;
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
            } else if let Look::Gather(gather) = past.look
                && gather.is_throughout()
            {
                lookback.add_levels(pred, gather, base, self.spans(pred), before);
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
        let mut places: Vec<usize> = heads.iter().flat_map(|h| &self.rules_of[h.index()]).copied().collect();
        places.sort_unstable();
        let without_known = |i: usize| (i, self.without_known(self.rules[i].0, self.rules[i].1));
        let rules: Vec<(usize, Clause)> = places.into_iter().map(without_known).collect();
        let here: IndexSet<Pred, FxBuildHasher> = heads.iter().copied().collect();
        let (mut first, mut again) = (Trie::default(), Trie::default());
        let mut indexed = IndexSet::<Pred, FxBuildHasher>::default();
        let mut problems = Vec::new();
        for (number, rule) in &rules {
            match plan(rule, None, self) {
                Ok(plan) => self.add_plan(plan, *number, &mut first, &mut indexed),
                Err(more) => {
                    problems.extend(more);
                    continue;
                }
            }
            let recursive: Vec<usize> = body_atoms(rule)
                .filter(|(_, a, negated)| !negated && self.resolve(a).is_some_and(|(p, _)| here.contains(&p)))
                .map(|(i, ..)| i)
                .collect();
            if let (false, Some(problem)) = (recursive.is_empty(), computed_head(rule)) {
                problems.push(problem);
                continue;
            }
            for literal in recursive {
                match plan(rule, Some(literal), self) {
                    Ok(plan) => self.add_plan(plan, *number, &mut again, &mut indexed),
                    Err(more) => problems.extend(more),
                }
            }
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let (first, again) = (first.into_nodes(), again.into_nodes());
        Ok(Stratum { heads: heads.to_vec(), indexed: indexed.into_iter().collect(), first, again })
    }

    fn add_plan(&mut self, plan: Plan, rule: usize, trie: &mut Trie, indexed: &mut IndexSet<Pred, FxBuildHasher>) {
        self.slots = self.slots.max(plan.slots);
        for step in &plan.steps {
            if let Step::Scan { pred, key, .. } | Step::NoRow { pred, key, .. } = step
                && !key.is_empty()
            {
                indexed.insert(*pred);
            }
        }
        trie.add(plan, rule);
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
pub(super) fn components(edges: &[Vec<usize>]) -> Vec<Vec<usize>> {
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
                let at = stack.iter().rposition(|&w| w == v).expect("a root is on the stack");
                let mut members = stack.split_off(at);
                members.iter().for_each(|&w| on_stack[w] = false);
                members.sort_unstable();
                found.push(members);
            }
        }
    }
    found
}
