//! Explanation: which rules made a fluent begin or end, with the facts that made them true, and what was in the way of others.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use crate::interrupt::Interrupt;
use crate::lang::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use crate::lang::{
    Atom, Clause, Comparison, Formula, Literal, Problems, Signature, Symbol, Term, Theory, Value, exchanged,
    for_each_hole,
};
use crate::logic::{
    Limits, Look, Model, Pred, Program, Role, Stop, Vocabulary, apply, compare_values, plain, substitute_literal,
};
use crate::recognise::Recogniser;
use crate::stream::{Facts, Frame};
use crate::task::Task;

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
    tracked: Option<Vec<Symbol>>,
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

/// What was known at a time point: observed, and recognised before its rules are asked.
#[derive(Clone, Debug)]
pub struct Moment {
    /// The segment.
    pub segment: Symbol,
    /// The time point.
    pub time: i64,
    /// Its number, from one.
    number: u64,
    narrative: Facts,
    holding: Facts,
    /// What conditions that look back saw, and the time points they looked at.
    past: Facts,
    looked_at: Vec<(Signature, i64)>,
}

/// What a rule had to say about a fluent at a time point.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's number in the theory, from zero.
    pub rule: usize,
    /// The time point.
    pub time: i64,
    /// Whether it fired.
    pub fired: bool,
    /// Its conditions, in order.
    pub conditions: Vec<Condition>,
}

/// What a condition of a rule had to say.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// Where it stands in the rule's body; `None` for what the rule does not say: that a variable of its head ranges over
    /// what is observed, and that what it is about is a candidate.
    pub place: Option<usize>,
    /// With the values that are known. Where a rule did not fire, these make as many conditions true as they can, taken in
    /// order.
    pub literal: Literal,
    /// Whether it is true; `None` where a condition that failed leaves it without values.
    pub truth: Option<bool>,
    /// The earlier time point that it looks back at, if there is one.
    pub looked_at: Option<i64>,
}

impl Explainer {
    /// An explainer for a theory.
    pub fn new(task: &Task, theory: &Theory) -> Result<Explainer, Problems> {
        let recogniser = Recogniser::new(task, theory)?;
        let rules = task.rules(theory);
        let (vocabulary, program) = task.compile(&rules, |vocabulary| {
            let atoms = theory.clauses.iter().flat_map(|c| &c.body);
            let atoms = atoms.filter_map(|l| if let Formula::Atom(a) = &l.formula { Some(a) } else { None });
            let asked: IndexSet<Signature, FxBuildHasher> = atoms.map(signature).collect();
            let used = |s: &&Signature| asked.contains(*s);
            let types = vocabulary.predicates.iter().filter(|(_, p)| matches!(p.role, Role::Type(_)));
            let candidates = vocabulary.candidates.values();
            vocabulary.predicates.keys().filter(used).chain(types.map(|(s, _)| s)).chain(candidates).copied().collect()
        })?;
        let truth = || Truth { of: (0, false), model: Model::new(&program), looked_at: Vec::new() };
        let truths = [truth(), truth()];
        let (theory, tracked) = (theory.clone(), task.options.tracked.clone());
        Ok(Explainer { recogniser, program, truths, moments: 0, vocabulary, theory, tracked })
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
        self.moments += 1;
        let (segment, time, narrative) = (frame.segment, frame.time, frame.narrative.clone());
        Moment { segment, time, number: self.moments, narrative, holding, past, looked_at }
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
        let mut found = self.findings(holds.name().as_str(), now, holds, values);
        match before {
            // What is no fluent is true at a time point or not, whatever was before.
            _ if holds.name().as_str() != HOLDS => {}
            Some(before) => found.extend(self.findings(INITIATED, before, holds, values)),
            None => found.extend(self.findings(INITIALLY, now, holds, values)),
        }
        found.sort_by_key(|finding| finding.rule);
        found
    }

    /// What each rule had to say that could have ended a fluent at a time point. Another value of the same fluent ends it
    /// too.
    pub fn endings(&mut self, at: &Moment, holds: Signature, values: &[Value]) -> Vec<Finding> {
        if self.is_derived(holds) {
            return Vec::new();
        }
        let mut found = self.findings(TERMINATED, at, holds, values);
        // Which also made the model that of the moment.
        if holds.has_value() {
            let head = holds.renamed(INITIATED);
            let rules = self.theory.clauses.iter().enumerate().filter(|(_, c)| Signature::of(&c.head) == head);
            found.extend(rules.filter_map(|(rule, clause)| self.other_value(rule, clause, at.time, values)));
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

    /// Makes the current model that of a moment, with its past or without.
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
        for (signature, values) in at.holding.iter().chain(at.past.iter().filter(|_| past)) {
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

    fn findings(&mut self, name: &str, at: &Moment, holds: Signature, values: &[Value]) -> Vec<Finding> {
        // Nothing was before the first time point of a segment.
        self.turn_to(at, name != INITIALLY);
        let head = holds.renamed(name);
        let head = if name == INITIALLY { head.without_time().unwrap_or(head) } else { head };
        let rules = self.theory.clauses.iter().enumerate().filter(|(_, c)| Signature::of(&c.head) == head);
        let both = self.recogniser.symmetries().has(holds).then(|| exchanged(values));
        let found = |(rule, clause): (usize, &Clause)| {
            let one = self.finding(rule, clause, at.time, values);
            let other = both.and_then(|values| self.finding(rule, clause, at.time, &values));
            // Of a symmetric fluent a rule speaks in either order; of two orders that do not fire, the nearer one is told.
            let near = |f: &Finding| (f.fired, f.conditions.iter().filter(|c| c.truth == Some(true)).count());
            match (one, other) {
                (Some(one), Some(other)) if near(&other) > near(&one) => Some(other),
                (one, other) => one.or(other),
            }
        };
        rules.filter_map(found).collect()
    }

    fn finding(&self, rule: usize, clause: &Clause, time: i64, values: &[Value]) -> Option<Finding> {
        let known = bind_head(clause, values.iter().copied().chain([Value::Int(time)]))?;
        let literals: Vec<&Literal> = clause.body.iter().collect();
        let absent = self.absent(clause, time, &known);
        let solution = self.solve(&literals, &known, time).filter(|_| absent.is_empty());
        let fired = solution.is_some();
        let mut conditions: Vec<Condition> = match solution {
            Some(bindings) => {
                literals.iter().enumerate().map(|(i, l)| self.condition(i, l, &bindings, time, Some(true))).collect()
            }
            None => self.in_the_way(&literals, &known, time),
        };
        let missing = |literal| Condition { place: None, literal, truth: Some(false), looked_at: None };
        conditions.extend(absent.into_iter().map(missing));
        Some(Finding { rule, time, fired, conditions })
    }

    /// An initiation of another value of a fluent.
    fn other_value(&self, rule: usize, clause: &Clause, time: i64, values: &[Value]) -> Option<Finding> {
        let (last, key) = values.split_last()?;
        let mut known = bind_head(clause, key.iter().copied())?;
        let mut holes = Vec::new();
        for_each_hole(&clause.head.args, &mut |term| holes.push(term.clone()));
        bind(holes.last()?, Value::Int(time), &mut known).then_some(())?;
        let formula = Formula::Compare(Comparison::NotEqual, holes[key.len()].clone(), Term::Value(*last));
        let other = Literal { negated: false, formula, span: clause.span.clone() };
        let literals: Vec<&Literal> = clause.body.iter().chain([&other]).collect();
        let bindings = self.solve(&literals, &known, time).filter(|_| self.absent(clause, time, &known).is_empty())?;
        let conditions = clause.body.iter().enumerate();
        let conditions = conditions.map(|(i, l)| self.condition(i, l, &bindings, time, Some(true)));
        Some(Finding { rule, time, fired: true, conditions: conditions.collect() })
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
        let conditions = literals.iter().zip(truths).enumerate();
        conditions.map(|(i, (l, truth))| self.condition(i, l, &bindings, time, truth)).collect()
    }

    /// A condition with the values that are known, and the time point that it looks back at.
    fn condition(&self, i: usize, l: &Literal, bindings: &Bindings, time: i64, truth: Option<bool>) -> Condition {
        let literal = fill(l, bindings);
        let looked_at = match &literal.formula {
            Formula::Atom(atom) => self.looked_at(l, atom, time),
            Formula::Compare(..) => None,
        };
        Condition { place: Some(i), literal, truth, looked_at }
    }

    fn looked_at(&self, written: &Literal, filled: &Atom, time: i64) -> Option<i64> {
        let Formula::Atom(atom) = &written.formula else { return None };
        let (past, plain) = plain(atom)?;
        match (past.look, filled.args.last()) {
            (Look::Ago(_) | Look::FramesAgo(_), _) => {
                let signature = Signature::of(&plain);
                self.truths[0].looked_at.iter().find(|(s, _)| *s == signature).map(|(_, time)| *time)
            }
            (_, Some(Term::Value(Value::Int(units)))) => Some(time.saturating_sub(*units)),
            _ => None,
        }
    }

    /// A variable of a head that nothing in the body binds ranges over its type: what is not observed is not meant. Nor is what
    /// is no candidate.
    fn absent(&self, clause: &Clause, time: i64, known: &Bindings) -> Vec<Literal> {
        if let Some(guard) = self.vocabulary.guard(clause) {
            let is_candidate = self.solve(&[&guard], known, time).is_some();
            return if is_candidate { Vec::new() } else { vec![fill(&guard, known)] };
        }
        let mut bound: Vec<Symbol> = Vec::new();
        for literal in clause.body.iter().filter(|l| !l.negated) {
            match &literal.formula {
                Formula::Atom(_) | Formula::Compare(Comparison::Equal, ..) => {
                    literal.for_each_var(&mut |n| bound.push(n));
                }
                Formula::Compare(..) => {}
            }
        }
        let signature = Signature::of(&clause.head);
        let Some(predicate) = self.vocabulary.predicates.get(&signature) else { return Vec::new() };
        let mut types = predicate.types.iter();
        let mut absent = Vec::new();
        for_each_hole(&clause.head.args, &mut |term| {
            let kind = types.next().copied().flatten();
            if let (Term::Var(name), Some(kind)) = (term, kind)
                && !bound.contains(name)
                && let Some(value) = value(term, known)
                && self.is_observed(kind, value) == Some(false)
            {
                let args = vec![Term::Value(value), Term::Value(Value::Int(time))];
                absent.push(Literal::positive(Atom::new(kind.as_str(), args)));
            }
        });
        absent
    }

    /// Whether a value of a type is observed, if the stream shows values of that type.
    fn is_observed(&self, kind: Symbol, value: Value) -> Option<bool> {
        let signature = Signature::plain(kind, 2);
        let is_type = self.vocabulary.predicates.get(&signature)?.role == Role::Type(kind);
        let pred = self.program.type_pred(kind).filter(|_| is_type)?;
        Some(self.truths[0].model.rows(pred).contains(&[value]))
    }

    /// Values for the open variables that make all literals true; those are tried in an order in which they can be.
    fn solve(&self, literals: &[&Literal], bindings: &Bindings, time: i64) -> Option<Bindings> {
        if literals.is_empty() {
            return Some(bindings.clone());
        }
        // Whatever can be decided now, else a positive literal; at last a negated one with open variables, which is then
        // about no value at all.
        let decidable = literals.iter().position(|l| is_ready(l, bindings));
        let next = decidable.or_else(|| literals.iter().position(|l| !l.negated)).unwrap_or(0);
        let mut rest = literals.to_vec();
        let literal = rest.remove(next);
        match &literal.formula {
            Formula::Compare(op, left, right) => {
                let (a, b) = (value(left, bindings), value(right, bindings));
                match (a, b, left, right) {
                    (Some(a), Some(b), ..) => {
                        (compare_values(*op, a, b) != literal.negated).then(|| self.solve(&rest, bindings, time))?
                    }
                    (None, Some(known), Term::Var(name), _) | (Some(known), None, _, Term::Var(name))
                        if *op == Comparison::Equal && !literal.negated =>
                    {
                        let mut longer = bindings.clone();
                        longer.push((*name, known));
                        self.solve(&rest, &longer, time)
                    }
                    _ => None,
                }
            }
            Formula::Atom(written) => {
                let plain = plain(written).map(|(_, plain)| plain);
                let atom = plain.as_ref().unwrap_or(written);
                let (pred, timed) = self.relation(atom)?;
                let mut pattern = Vec::new();
                for_each_hole(&atom.args, &mut |t| pattern.push(t));
                let mut dated = bindings.clone();
                // All is about one time point.
                if timed && !pattern.pop().is_none_or(|term| bind(term, Value::Int(time), &mut dated)) {
                    return None;
                }
                let matching = self.truths[0].model.rows(pred).rows().filter_map(|row| {
                    let mut longer = dated.clone();
                    let fits = pattern.iter().zip(row).all(|(term, value)| bind(term, *value, &mut longer));
                    fits.then_some(longer)
                });
                if literal.negated {
                    let mut matching = matching;
                    return if matching.next().is_none() { self.solve(&rest, bindings, time) } else { None };
                }
                matching.collect::<Vec<_>>().iter().find_map(|longer| self.solve(&rest, longer, time))
            }
        }
    }

    fn relation(&self, atom: &Atom) -> Option<(Pred, bool)> {
        let signature = Signature::of(atom);
        Some((self.program.pred(signature)?, self.vocabulary.predicates.get(&signature)?.timed))
    }
}

type Bindings = Vec<(Symbol, Value)>;

/// The predicate of a condition.
fn signature(atom: &Atom) -> Signature {
    plain(atom).map_or_else(|| Signature::of(atom), |(_, plain)| Signature::of(&plain))
}

/// The variables of a head with as many values as there are, in order; `None` if the head is about others.
fn bind_head(clause: &Clause, values: impl IntoIterator<Item = Value>) -> Option<Bindings> {
    let mut known = Bindings::new();
    let (mut values, mut fits) = (values.into_iter(), true);
    for_each_hole(&clause.head.args, &mut |term| {
        fits &= values.next().is_none_or(|value| bind(term, value, &mut known));
    });
    fits.then_some(known)
}

/// Whether all variables of a literal have values.
fn is_ready(literal: &Literal, bindings: &Bindings) -> bool {
    let mut open = 0;
    literal.for_each_var(&mut |name| open += usize::from(!bindings.iter().any(|(n, _)| *n == name)));
    open == 0
}

fn bind(term: &Term, value: Value, bindings: &mut Bindings) -> bool {
    match term {
        Term::Var(name) if name.as_str() == "_" => true,
        Term::Var(name) => match bindings.iter().find(|(n, _)| n == name) {
            Some((_, bound)) => *bound == value,
            None => {
                bindings.push((*name, value));
                true
            }
        },
        term => self::value(term, bindings) == Some(value),
    }
}

fn value(term: &Term, bindings: &Bindings) -> Option<Value> {
    apply(term, &|name| bindings.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
}

/// A literal with the values of its variables, as far as they are known.
fn fill(literal: &Literal, bindings: &Bindings) -> Literal {
    substitute_literal(literal, &mut |name| {
        bindings.iter().find(|(n, _)| *n == name).map_or(Term::Var(name), |(_, value)| Term::Value(*value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::{Source, parse_theory};
    use crate::stream::FactReader;

    #[test]
    fn rules_tell_why_they_fired_and_what_was_in_their_way() {
        let modes = "input(happensAt(active(+person), +time)). input(coords(+person, +pixel, +time)). type(pixel, int).
                     example(holdsAt(meeting(+person, +person), +time)).";
        let background = "close(X, Y, T) :- coords(X, A, T), coords(Y, B, T), abs(A - B) < 5.";
        let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", background)).unwrap();
        let rules =
            "initiatedAt(meeting(X, Y), T) :- happensAt(active(X), T), close(X, Y, T), not happensAt(active(Y), T).
                     initiatedAt(meeting(X, Y), T) :- coords(X, A, T), A > 100.";
        let mut explainer = Explainer::new(&task, &parse_theory("t.lp", rules).unwrap()).unwrap();
        let mut frame = Frame::new(Symbol::new("s"), 7);
        for fact in ["happensAt(active(p1), 7)", "coords(p1, 10, 7)", "coords(p2, 12, 7)"] {
            FactReader::default().read(fact, &mut frame.narrative).unwrap();
        }
        let moment = explainer.observe(&frame);
        let holds = task.labels()[0];
        let mut ask = |values: [Value; 2]| -> Vec<String> {
            let text = |finding: &Finding| {
                let truth = |c: &Condition| c.truth.map_or("open".to_string(), |t| t.to_string());
                let conditions: Vec<String> =
                    finding.conditions.iter().map(|c| format!("{} {}", c.literal, truth(c))).collect();
                format!("{} {}: {}", finding.rule, finding.fired, conditions.join(", "))
            };
            assert!(explainer.endings(&moment, holds, &values).is_empty());
            explainer.beginnings(Some(&moment), &moment, holds, &values).iter().map(text).collect()
        };
        assert_eq!(
            ask(["p1".into(), "p2".into()]),
            [
                "0 true: happensAt(active(p1), 7) true, close(p1, p2, 7) true, not happensAt(active(p2), 7) true",
                "1 false: coords(p1, 10, 7) true, 10 > 100 false",
            ]
        );
        assert_eq!(
            ask(["p2".into(), "p1".into()])[0],
            "0 false: happensAt(active(p2), 7) false, close(p2, p1, 7) true, not happensAt(active(p1), 7) false"
        );
        assert_eq!(
            ask(["p3".into(), "p1".into()])[1],
            "1 false: coords(p3, A, 7) false, A > 100 open",
            "without a place there is nothing to compare"
        );
        assert_eq!(explainer.unobserved(&moment, holds, &["p3".into(), "p1".into()]), ["p3".into()]);
        assert_eq!(explainer.conditions(1, &["p1".into(), "p2".into()])[0].to_string(), "coords(p1, A, T)");
    }

    #[test]
    fn another_value_and_a_head_about_everyone_are_explained() {
        let modes = "input(happensAt(brakes(+car), +time)). input(happensAt(starts(+car), +time)).
                     input(holdsAt(seen(+car), +time)). example(holdsAt(near(+car, +car), +time)).";
        let task = Task::parse(&Source::new("m.lp", modes), &Source::new("b.lp", "")).unwrap();
        let rules = "initiatedAt(speed(X)=high, T) :- happensAt(starts(X), T).
                     initiatedAt(speed(X)=low, T) :- happensAt(brakes(X), T).
                     initiatedAt(near(X, Y), T) :- happensAt(brakes(X), T).";
        let mut explainer = Explainer::new(&task, &parse_theory("t.lp", rules).unwrap()).unwrap();
        let mut frame = Frame::new(Symbol::new("s"), 3);
        for fact in ["happensAt(brakes(c1), 3)", "holdsAt(seen(c1), 3)", "holdsAt(seen(c2), 3)"] {
            FactReader::default().read(fact, &mut frame.narrative).unwrap();
        }
        let moment = explainer.observe(&frame);
        let fluents: Vec<Signature> = explainer.recogniser().fluents().collect();
        let found = explainer.endings(&moment, fluents[0], &["c1".into(), "high".into()]);
        assert_eq!(found.iter().map(|f| (f.rule, f.fired)).collect::<Vec<_>>(), [(1, true)]);
        let mut near = |other: &str| {
            explainer.beginnings(Some(&moment), &moment, fluents[fluents.len() - 1], &["c1".into(), other.into()])
        };
        assert!(near("c2")[0].fired);
        let absent = near("c3");
        assert_eq!(absent[0].conditions[1].literal.to_string(), "car(c3, 3)");
    }
}
