//! Explanation: which rules made a fluent begin or end, with the facts that made them true, and what was in the way of others.

use crate::lang::ec::{INITIATED, TERMINATED};
use crate::lang::{
    Atom, Clause, Comparison, Formula, Literal, Problems, Signature, Symbol, Term, Theory, Value, for_each_hole,
};
use crate::logic::{Model, Pred, Program, Vocabulary, apply, compare_values};
use crate::recognise::Recogniser;
use crate::stream::Frame;
use crate::task::Task;

/// A recogniser that can say why.
#[derive(Clone, Debug)]
pub struct Explainer {
    recogniser: Recogniser,
    program: Program,
    model: Model,
    vocabulary: Vocabulary,
    theory: Theory,
    time: i64,
}

/// What a rule had to say about a fluent at a time point.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule's number in the theory, from zero.
    pub rule: usize,
    /// Whether it fired.
    pub fired: bool,
    /// Its conditions with what is known filled in, and whether each was true. Where the rule fired, with the values that
    /// made it fire; where not, each by itself.
    pub conditions: Vec<(Literal, bool)>,
}

impl Explainer {
    /// An explainer for a theory.
    pub fn new(task: &Task, theory: &Theory) -> Result<Explainer, Problems> {
        let recogniser = Recogniser::new(task, theory)?;
        let rules = task.rules(theory);
        let (vocabulary, program) = task.compile(&rules, |vocabulary| {
            let used = |s: &&Signature| {
                theory
                    .clauses
                    .iter()
                    .flat_map(|c| &c.body)
                    .any(|l| matches!(&l.formula, Formula::Atom(a) if Signature::of(a) == **s))
            };
            vocabulary.predicates.keys().filter(used).copied().collect()
        })?;
        let model = Model::new(&program);
        Ok(Explainer { recogniser, program, model, vocabulary, theory: theory.clone(), time: 0 })
    }

    /// Processes a frame.
    pub fn observe(&mut self, frame: &Frame) {
        self.recogniser.observe(frame, &mut Vec::new());
        self.time = frame.time;
        self.model.clear(&self.program);
        self.model.observe(&self.program, &frame.narrative);
        for (signature, values) in self.recogniser.holding() {
            if let Some(pred) = self.program.pred(signature) {
                self.model.insert(pred, values);
            }
        }
        self.model.derive(&self.program, frame.time);
    }

    /// The recogniser at work.
    pub fn recogniser(&self) -> &Recogniser {
        &self.recogniser
    }

    /// What each rule that could begin a fluent had to say at the last frame.
    pub fn beginnings(&self, holds: Signature, values: &[Value]) -> Vec<Finding> {
        self.findings(INITIATED, holds, values)
    }

    /// What each rule that could end a fluent had to say at the last frame.
    pub fn endings(&self, holds: Signature, values: &[Value]) -> Vec<Finding> {
        self.findings(TERMINATED, holds, values)
    }

    fn findings(&self, name: &str, holds: Signature, values: &[Value]) -> Vec<Finding> {
        let head = holds.renamed(name);
        let rules = self.theory.clauses.iter().enumerate().filter(|(_, c)| Signature::of(&c.head) == head);
        rules.filter_map(|(rule, clause)| self.finding(rule, clause, values)).collect()
    }

    fn finding(&self, rule: usize, clause: &Clause, values: &[Value]) -> Option<Finding> {
        let mut known: Bindings = Vec::new();
        let mut columns = values.iter().copied().chain([Value::Int(self.time)]);
        let mut fits = true;
        for_each_hole(&clause.head.args, &mut |term| {
            fits &= columns.next().is_some_and(|value| bind(term, value, &mut known));
        });
        if !fits {
            return None;
        }
        let literals: Vec<&Literal> = clause.body.iter().collect();
        let solution = self.solve(&literals, &known);
        let conditions = clause.body.iter().map(|literal| match &solution {
            Some(bindings) => (fill(literal, bindings), true),
            None => (fill(literal, &known), self.solve(&[literal], &known).is_some()),
        });
        Some(Finding { rule, fired: solution.is_some(), conditions: conditions.collect() })
    }

    /// Values for the open variables that make all literals true; those are tried in an order in which they can be.
    fn solve(&self, literals: &[&Literal], bindings: &Bindings) -> Option<Bindings> {
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
                        (compare_values(*op, a, b) != literal.negated).then(|| self.solve(&rest, bindings))?
                    }
                    (None, Some(known), Term::Var(name), _) | (Some(known), None, _, Term::Var(name))
                        if *op == Comparison::Equal && !literal.negated =>
                    {
                        let mut longer = bindings.clone();
                        longer.push((*name, known));
                        self.solve(&rest, &longer)
                    }
                    _ => None,
                }
            }
            Formula::Atom(atom) => {
                let (pred, timed) = self.relation(atom)?;
                let mut pattern = Vec::new();
                for_each_hole(&atom.args, &mut |t| pattern.push(t));
                if timed {
                    pattern.pop();
                }
                let matching = self.model.rows(pred).rows().filter_map(|row| {
                    let mut longer = bindings.clone();
                    let fits = pattern.iter().zip(row).all(|(term, value)| bind(term, *value, &mut longer));
                    fits.then_some(longer)
                });
                if literal.negated {
                    let mut matching = matching;
                    return if matching.next().is_none() { self.solve(&rest, bindings) } else { None };
                }
                matching.collect::<Vec<_>>().iter().find_map(|longer| self.solve(&rest, longer))
            }
        }
    }

    fn relation(&self, atom: &Atom) -> Option<(Pred, bool)> {
        let signature = Signature::of(atom);
        Some((self.program.pred(signature)?, self.vocabulary.predicates.get(&signature)?.timed))
    }
}

type Bindings = Vec<(Symbol, Value)>;

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
    fn term(t: &Term, bindings: &Bindings) -> Term {
        match t {
            Term::Var(name) => {
                bindings.iter().find(|(n, _)| n == name).map_or_else(|| t.clone(), |(_, v)| Term::Value(*v))
            }
            Term::App(name, args) => Term::App(*name, args.iter().map(|a| term(a, bindings)).collect()),
            t => t.clone(),
        }
    }
    let formula = match &literal.formula {
        Formula::Atom(a) => Formula::Atom(Atom {
            name: a.name,
            args: a.args.iter().map(|t| term(t, bindings)).collect(),
            span: a.span.clone(),
        }),
        Formula::Compare(op, l, r) => Formula::Compare(*op, term(l, bindings), term(r, bindings)),
    };
    Literal { negated: literal.negated, formula, span: literal.span.clone() }
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
        explainer.observe(&frame);
        let holds = task.targets()[0];
        let text = |finding: &Finding| {
            let conditions = finding.conditions.iter().map(|(l, t)| format!("{l} {t}")).collect::<Vec<_>>().join(", ");
            format!("{} {}: {conditions}", finding.rule, finding.fired)
        };
        let found: Vec<String> = explainer.beginnings(holds, &["p1".into(), "p2".into()]).iter().map(text).collect();
        assert_eq!(
            found,
            [
                "0 true: happensAt(active(p1), 7) true, close(p1, p2, 7) true, not happensAt(active(p2), 7) true",
                "1 false: coords(p1, A, 7) true, A > 100 false",
            ]
        );
        let found: Vec<String> = explainer.beginnings(holds, &["p2".into(), "p1".into()]).iter().map(text).collect();
        assert_eq!(
            found[0],
            "0 false: happensAt(active(p2), 7) false, close(p2, p1, 7) true, not happensAt(active(p1), 7) false"
        );
        assert!(explainer.endings(holds, &["p1".into(), "p2".into()]).is_empty());
    }
}
