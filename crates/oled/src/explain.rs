//! Explanation: which rules made a fluent begin or end, with the facts that made them true, and what was in the way of others.

mod lookup;
mod measured;
mod moment;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::calculus::Precedence;
use crate::interrupt::Interrupt;
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{Atom, Formula, Literal, Problems, Signature, Symbol, Term, Theory, Value, exchanged, for_each_hole};
use crate::logic::{Limits, Look, Model, Program, Role, Stop, Vocabulary, implied_conditions, plain};
use crate::recognise::Recogniser;
use crate::stream::{Facts, Frame};
use crate::task::Task;
use lookup::{Bindings, Lookup, bind, bind_head, fill, is_ready};
pub use measured::Measured;
use measured::{Definitions, Measuring};
pub use moment::{Condition, Finding, Moment};

/// A recogniser that can say why. Whoever asks keeps the [`Moment`]s of interest, so memory does not grow with the stream.
#[derive(Clone, Debug)]
pub struct Explainer {
    recogniser: Recogniser,
    program: Program,
    /// What is true at the two moments that were asked about last; the current one first.
    truths: [Truth; 2],
    /// Moments so far.
    moments: u64,
    vocabulary: Vocabulary,
    theory: Theory,
    /// For each rule of the theory the conditions that it has without saying so.
    implied: Vec<Vec<Literal>>,
    /// Rules of the background come before those of the theory.
    given: usize,
    tracked: Option<Vec<Symbol>>,
    both: Precedence,
    /// The rules of what is derived at a time point.
    definitions: Definitions,
    /// Whether conditions are given what was measured for them.
    measuring: bool,
}

/// What is true at a moment.
#[derive(Clone, Debug)]
struct Truth {
    /// The moment's number, and whether its past is known.
    of: (u64, bool),
    model: Model,
    /// The time points that conditions look back at.
    looked_at: Vec<(Signature, i64)>,
}

impl Explainer {
    /// An explainer for a theory.
    pub fn new(task: &Task, theory: &Theory) -> Result<Explainer, Problems> {
        let recogniser = Recogniser::new(task, theory)?.with_trace();
        let rules = task.rules(theory);
        let vocabulary = task.vocabulary(&rules)?;
        let implied: Vec<Vec<Literal>> =
            theory.clauses.iter().map(|rule| implied_conditions(&task.bias, &vocabulary, rule)).collect();
        let atoms = theory.clauses.iter().flat_map(|c| &c.body).chain(implied.iter().flatten());
        let atoms = atoms.filter_map(|l| if let Formula::Atom(a) = &l.formula { Some(a) } else { None });
        let asked: IndexSet<Signature, FxBuildHasher> = atoms.map(signature).collect();
        let used = vocabulary.predicates.keys().filter(|s| asked.contains(*s));
        let types = vocabulary.predicates.iter().filter(|(_, p)| matches!(p.role, Role::Type(_)));
        let candidates = vocabulary.candidates.values();
        let wanted: Vec<Signature> = used.chain(types.map(|(s, _)| s)).chain(candidates).copied().collect();
        let program = task.program(&vocabulary, &rules, &wanted)?;
        let truth = || Truth { of: (0, false), model: Model::new(&program), looked_at: Vec::new() };
        let truths = [truth(), truth()];
        // Conditions are tested here too.
        let clauses = theory.clauses.iter().map(|rule| task.bias.clock.explicit(rule).into_owned()).collect();
        let theory = Theory { clauses, ..theory.clone() };
        let mut definitions = Definitions::default();
        for rule in rules {
            let head = Signature::of(&rule.head);
            if vocabulary.predicates.get(&head).is_some_and(|p| p.role == Role::Derived) {
                definitions.entry(head).or_default().push(task.bias.clock.explicit(rule).into_owned());
            }
        }
        let (tracked, given) = (task.options.tracked.clone(), task.background.clauses.len());
        Ok(Explainer {
            recogniser,
            program,
            truths,
            moments: 0,
            vocabulary,
            theory,
            implied,
            given,
            tracked,
            both: task.options.both,
            definitions,
            measuring: true,
        })
    }

    /// Whether conditions are given what was measured for them from now on, as they are at first. Who asks about many time
    /// points and shows few turns it off between them.
    pub fn set_measuring(&mut self, measuring: bool) {
        self.measuring = measuring;
    }

    /// From now on takes at most so many steps at a time point, and ends early where somebody asks for it. Who uses this
    /// asks [`Explainer::stop`] after each frame.
    #[must_use]
    pub fn with_limits(mut self, max_steps: u64, interrupt: &Interrupt) -> Explainer {
        for truth in &mut self.truths {
            // What was recognised within the limit is not too long to be explained.
            truth.model.set_limits(Limits { interrupt: interrupt.clone(), ..Limits::default() });
        }
        self.recogniser = self.recogniser.with_max_steps(max_steps).with_interrupt(interrupt.clone());
        self
    }

    /// Why what was said last is of no use, if it is not.
    pub fn stop(&self) -> Option<Stop> {
        let of_truths = self.truths.iter().find_map(|truth| truth.model.stop(&self.program));
        self.recogniser.stop().cloned().or(of_truths)
    }

    /// Processes a frame, and says what it may be asked about later.
    pub fn observe(&mut self, frame: &Frame) -> Moment {
        self.recogniser.observe(frame, &mut Vec::new());
        let mut holding = Facts::default();
        self.recogniser.holding().for_each(|(signature, values)| holding.push(signature, values));
        let mut past = Facts::default();
        self.recogniser.past().for_each(|(signature, values)| past.push(signature, values));
        let looked_at = self.recogniser.looked_at().collect();
        // What holds initially is derived apart from the rest, and what does not hold cannot end, but for what is started at the
        // same time point if an end wins.
        let of_theory = |(rule, row): (u32, &[Value]), initially: bool| {
            let rule = (rule as usize).checked_sub(self.given)?;
            let head = &self.theory.clauses[rule].head;
            let ends =
                || self.both == Precedence::End || self.recogniser.holds(Signature::of(head).renamed(HOLDS), row);
            let counts = (head.name.as_str() == INITIALLY) == initially && (head.name.as_str() != TERMINATED || ends());
            counts.then(|| (rule, row.into()))
        };
        let fired = self.recogniser.fired().filter_map(|fired| of_theory(fired, false));
        let initially = self.recogniser.fired_initially().filter_map(|fired| of_theory(fired, true));
        let mut fired: Vec<(usize, Box<[Value]>)> = fired.chain(initially).collect();
        fired.sort();
        fired.dedup();
        self.moments += 1;
        let (segment, time, narrative) = (frame.segment, frame.time, frame.narrative.clone());
        Moment { segment, time, number: self.moments, narrative, holding, past, looked_at, fired }
    }

    /// Ends all segments: what is told of whole intervals is known then.
    pub fn finish(&mut self) {
        self.recogniser.finish(&mut Vec::new());
    }

    /// The recogniser at work.
    pub fn recogniser(&self) -> &Recogniser {
        &self.recogniser
    }

    /// What each rule had to say that could have made a fluent hold at `now`, whose time point before was `before`.
    pub fn beginnings(
        &mut self,
        before: Option<&Moment>,
        now: &Moment,
        holds: Signature,
        values: &[Value],
    ) -> Vec<Finding> {
        self.beginning(before, now, (holds, values), Asked::All)
    }

    /// The same of the rules that fired.
    pub fn began(&mut self, before: Option<&Moment>, now: &Moment, holds: Signature, values: &[Value]) -> Vec<Finding> {
        self.beginning(before, now, (holds, values), Asked::Fired)
    }

    fn beginning(&mut self, before: Option<&Moment>, now: &Moment, of: Instance<'_>, asked: Asked) -> Vec<Finding> {
        let name = of.0.name();
        let mut found = self.findings(name.as_str(), now, of, asked);
        match before {
            // What is no fluent is true at a time point or not, whatever was before.
            _ if name.as_str() != HOLDS => {}
            Some(before) => found.extend(self.findings(INITIATED, before, of, asked)),
            None => found.extend(self.findings(INITIALLY, now, of, asked)),
        }
        found.sort_by_key(|finding| finding.rule);
        found
    }

    /// What each rule had to say that could have ended a fluent that held at a time point. Another value of the same fluent
    /// ends it too.
    pub fn endings(&mut self, at: &Moment, holds: Signature, values: &[Value]) -> Vec<Finding> {
        self.ending(at, (holds, values), Asked::All)
    }

    /// The same of the rules that fired.
    pub fn ended(&mut self, at: &Moment, holds: Signature, values: &[Value]) -> Vec<Finding> {
        self.ending(at, (holds, values), Asked::Fired)
    }

    fn ending(&mut self, at: &Moment, (holds, values): Instance<'_>, asked: Asked) -> Vec<Finding> {
        if self.is_derived(holds) {
            return Vec::new();
        }
        let mut found = self.findings(TERMINATED, at, (holds, values), asked);
        if let (true, Some((value, key))) = (holds.has_value(), values.split_last()) {
            let others = |row: &&[Value]| row.strip_prefix(key).is_some_and(|other| other != [*value]);
            for rule in self.rules(holds.renamed(INITIATED)) {
                if let Some(other) = at.rows_of(rule).find(others) {
                    self.turn_to(at, true);
                    found.extend(self.finding(rule, at, other, true));
                }
            }
            found.sort_by_key(|finding| finding.rule);
        }
        found
    }

    /// Whether rules say at each time point whether it holds, instead of beginning and ending it: some fluents, and all
    /// that is no fluent.
    pub fn is_derived(&self, holds: Signature) -> bool {
        holds.name().as_str() != HOLDS
            || self.vocabulary.predicates.get(&holds).is_some_and(|p| p.role == Role::Derived)
    }

    /// The values of a fluent that must be observed for it to hold, and are not.
    pub fn unobserved(&mut self, at: &Moment, holds: Signature, values: &[Value]) -> Vec<Value> {
        self.turn_to(at, true);
        let Some(predicate) = self.vocabulary.predicates.get(&holds) else { return Vec::new() };
        let missing = values.iter().zip(&predicate.types).filter(|(value, kind)| {
            let tracked = kind.filter(|k| self.tracked.as_ref().is_none_or(|types| types.contains(k)));
            tracked.and_then(|kind| self.is_observed(kind, **value)) == Some(false)
        });
        missing.map(|(value, _)| *value).collect()
    }

    /// Whether an instance is looked at: it is among the candidates, where its fluent has some.
    pub fn is_candidate(&mut self, at: &Moment, holds: Signature, values: &[Value]) -> bool {
        self.turn_to(at, true);
        let candidates = self.vocabulary.candidates_of(holds).and_then(|s| self.program.pred(s));
        candidates.is_none_or(|pred| self.truths[0].model.rows(pred).contains(values))
    }

    /// The conditions of a rule for a fluent, at any time.
    pub fn conditions(&self, rule: usize, values: &[Value]) -> Vec<Literal> {
        let clause = &self.theory.clauses[rule];
        let known = bind_head(clause, values.iter().copied()).unwrap_or_default();
        clause.body.iter().map(|literal| fill(literal, &known)).collect()
    }

    /// Makes the current model that of a moment, with what comes from its past or without: what is looked back at, and what
    /// holds.
    fn turn_to(&mut self, at: &Moment, past: bool) {
        let of = (at.number, past);
        if self.truths[0].of == of {
            return;
        }
        self.truths.swap(0, 1);
        let truth = &mut self.truths[0];
        if truth.of == of {
            return;
        }
        truth.of = of;
        truth.model.clear(&self.program);
        truth.model.observe(&self.program, &at.narrative);
        for (signature, values) in at.holding.iter().chain(at.past.iter()).filter(|_| past) {
            if let Some(pred) = self.program.pred(signature) {
                truth.model.insert(pred, values);
                if self.recogniser.symmetries().has(signature) {
                    truth.model.insert(pred, &exchanged(values));
                }
            }
        }
        truth.model.derive(&self.program, at.time);
        truth.looked_at.clear();
        truth.looked_at.extend(at.looked_at.iter().filter(|_| past));
    }

    /// The rules with a head.
    fn rules(&self, head: Signature) -> Vec<usize> {
        let heads = self.theory.clauses.iter().map(|c| Signature::of(&c.head));
        heads.enumerate().filter(|(_, of)| *of == head).map(|(rule, _)| rule).collect()
    }

    fn findings(&mut self, name: &str, at: &Moment, (holds, values): Instance<'_>, asked: Asked) -> Vec<Finding> {
        let head = holds.renamed(name);
        let head = if name == INITIALLY { head.without_time().unwrap_or(head) } else { head };
        let both = self.recogniser.symmetries().has(holds).then(|| exchanged(values));
        let mut found = Vec::new();
        for rule in self.rules(head) {
            let fired = at.has_fired(rule, values);
            if !fired && asked == Asked::Fired {
                continue;
            }
            // Nothing was before the first time point of a segment.
            self.turn_to(at, name != INITIALLY);
            let one = self.finding(rule, at, values, fired);
            let other = both.and_then(|values| self.finding(rule, at, &values, fired));
            // Of a symmetric fluent a rule speaks in either order, and the nearer one is told.
            let near = |f: &Finding| f.conditions.iter().filter(|c| c.truth == Some(true)).count();
            found.extend(match (one, other) {
                (Some(one), Some(other)) if near(&other) > near(&one) => Some(other),
                (one, other) => one.or(other),
            });
        }
        found
    }

    fn finding(&self, rule: usize, at: &Moment, values: &[Value], fired: bool) -> Option<Finding> {
        let clause = &self.theory.clauses[rule];
        let known = bind_head(clause, values.iter().copied().chain([Value::Int(at.time)]))?;
        let literals: Vec<&Literal> = clause.body.iter().collect();
        let found = if fired { self.solve(&literals, &known, at.time) } else { None };
        let conditions = match found {
            Some(bindings) => {
                let all = 0..literals.len();
                all.map(|i| self.condition(&literals, i, &bindings, at.time, Some(true))).collect()
            }
            None => {
                let mut conditions = self.in_the_way(&literals, &known, at.time);
                let (place, truth, looked_at) = (None, Some(false), None);
                let missing = |literal| Condition { place, literal, truth, looked_at, measured: Vec::new() };
                conditions.extend(self.absent(rule, at, values, &known).into_iter().map(missing));
                conditions
            }
        };
        Some(Finding { rule, time: at.time, fired, conditions })
    }

    /// Which conditions of a rule that did not fire are true: those that can be, taken in order; tests come after what
    /// gives them their values.
    fn in_the_way(&self, literals: &[&Literal], known: &Bindings, time: i64) -> Vec<Condition> {
        let gives = |l: &Literal| !l.negated && matches!(l.formula, Formula::Atom(_));
        let (first, then): (Vec<usize>, Vec<usize>) = (0..literals.len()).partition(|&i| gives(literals[i]));
        let mut bindings = known.clone();
        let mut kept: Vec<&Literal> = Vec::new();
        let mut truths = vec![None; literals.len()];
        for i in first.into_iter().chain(then) {
            kept.push(literals[i]);
            if let Some(longer) = self.solve(&kept, known, time) {
                bindings = longer;
                truths[i] = Some(true);
                continue;
            }
            kept.pop();
            // A test without values is undecided; that there is no such fact at all is an answer.
            let decided = matches!(literals[i].formula, Formula::Atom(_)) || is_ready(literals[i], &bindings);
            truths[i] = decided.then_some(false);
        }
        let conditions = truths.into_iter().enumerate();
        conditions.map(|(i, truth)| self.condition(literals, i, &bindings, time, truth)).collect()
    }

    /// A condition of a body with the values that are known, the time point that it looks back at, and what was measured.
    fn condition(&self, body: &[&Literal], i: usize, bindings: &Bindings, time: i64, truth: Option<bool>) -> Condition {
        let literal = fill(body[i], bindings);
        let looked_at = match &literal.formula {
            Formula::Atom(atom) => self.looked_at(body[i], atom, bindings, time),
            Formula::Compare(..) => None,
        };
        let measured = match truth {
            Some(_) if self.measuring => {
                Measuring { lookup: self.lookup(time), rules: &self.definitions }.of(body, i, bindings)
            }
            _ => Vec::new(),
        };
        Condition { place: Some(i), literal, truth, looked_at, measured }
    }

    fn looked_at(&self, written: &Literal, filled: &Atom, bindings: &Bindings, time: i64) -> Option<i64> {
        let Formula::Atom(atom) = &written.formula else { return None };
        let (past, plain) = plain(atom)?;
        match (past.look, filled.args.last()) {
            (Look::Last | Look::Within(..), _) => {
                // The rows of both have their age as the last value.
                let pred = self.program.pred(Signature::of(&plain))?;
                let Formula::Atom(filled) = fill(&Literal::positive(plain), bindings).formula else { return None };
                let mut holes = Vec::new();
                for_each_hole(&filled.args, &mut |term| holes.push(term));
                let same = |row: &&[Value]| {
                    row.iter().zip(&holes).all(|(value, hole)| !matches!(hole, Term::Value(v) if v != value))
                };
                match self.truths[0].model.rows(pred).rows().find(same)?.last() {
                    Some(Value::Int(units)) => Some(time.saturating_sub(*units)),
                    _ => None,
                }
            }
            (Look::Aggregate(_), _) => None,
            (Look::Ago(_) | Look::FramesAgo(_), _) => {
                let signature = Signature::of(&plain);
                self.truths[0].looked_at.iter().find(|(s, _)| *s == signature).map(|(_, time)| *time)
            }
            (_, Some(Term::Value(Value::Int(units)))) => Some(time.saturating_sub(*units)),
            _ => None,
        }
    }

    /// What is not true of that which a rule does not say. Where what it is about is no candidate, that is all there is to say.
    fn absent(&self, rule: usize, at: &Moment, values: &[Value], known: &Bindings) -> Vec<Literal> {
        let clause = &self.theory.clauses[rule];
        let mut known = known.clone();
        if clause.head.name.as_str() == INITIALLY {
            // What is observed is so at a time, which such a head has not.
            bind(&Term::var("T"), Value::Int(at.time), &mut known);
        }
        let is_false = |literal: &&Literal| self.solve(&[literal], &known, at.time).is_none();
        if let Some(guard) = self.vocabulary.guard(clause).filter(|guard| is_false(&guard)) {
            return vec![fill(&guard, &known)];
        }
        let mut absent: Vec<Literal> =
            self.implied[rule].iter().filter(is_false).map(|literal| fill(literal, &known)).collect();
        if clause.head.name.as_str() == TERMINATED {
            let holds = Signature::of(&clause.head).renamed(HOLDS);
            let in_order = self.recogniser.symmetries().in_order(holds, values);
            if !at.holding.iter().any(|(s, row)| s == holds && row == &*in_order) {
                let atom = holds.fill(values.iter().copied().chain([Value::Int(at.time)]).map(Term::Value));
                absent.push(Literal::positive(atom));
            }
        }
        absent
    }

    /// Whether a value of a type is observed, if the stream shows values of that type.
    fn is_observed(&self, kind: Symbol, value: Value) -> Option<bool> {
        let signature = Signature::plain(kind, 2);
        let is_type = self.vocabulary.predicates.get(&signature)?.role == Role::Type(kind);
        let pred = self.program.type_pred(kind).filter(|_| is_type)?;
        Some(self.truths[0].model.rows(pred).contains(&[value]))
    }

    fn solve(&self, literals: &[&Literal], bindings: &Bindings, time: i64) -> Option<Bindings> {
        self.lookup(time).solve(literals, bindings)
    }

    fn lookup(&self, time: i64) -> Lookup<'_> {
        let (program, vocabulary, model) = (&self.program, &self.vocabulary, &self.truths[0].model);
        Lookup { program, vocabulary, model, time }
    }
}

/// A fluent, `holdsAt(meeting(_, _), _)`, or an ordinary predicate, and the values of an instance.
type Instance<'a> = (Signature, &'a [Value]);

/// Which rules are asked what they have to say.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    All,
    Fired,
}

/// The predicate of a condition.
fn signature(atom: &Atom) -> Signature {
    plain(atom).map_or_else(|| Signature::of(atom), |(_, plain)| Signature::of(&plain))
}

#[cfg(test)]
mod tests;
