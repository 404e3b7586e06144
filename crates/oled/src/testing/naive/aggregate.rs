//! Conditions that count and add up, by counting everything anew.

use super::key;
use super::satisfy::{Now, dated, evaluate, is_operation};
use crate::lang::{Atom, Clause, Formula, Symbol, Term, Value};

/// A condition that counts or adds up, taken apart: the atom, and the number of time units where it has one.
pub(super) struct Gathered {
    pub(super) inner: Atom,
    window: Option<i64>,
}

/// Stands for the value that is gathered, in rules and in what is found: it is no variable of theirs.
const PLACEHOLDER: &str = "the value";

pub(super) fn gathered(atom: &Atom) -> Option<Gathered> {
    if !matches!(atom.name.as_str(), "count" | "sum" | "min" | "max" | "mean" | "never_below" | "never_above") {
        return None;
    }
    let at = atom.args.iter().position(|t| matches!(t, Term::App(..)) && !is_operation(t)).filter(|at| *at <= 1)?;
    let Term::App(name, args) = &atom.args[at] else { return None };
    let inner = Atom { name: *name, args: args.clone(), span: atom.span.clone() };
    let window = match &atom.args[at + 1..] {
        [Term::Value(Value::Int(units)), _] => Some(*units),
        _ => None,
    };
    Some(Gathered { inner, window })
}

/// The rule with a placeholder for each value that is gathered.
pub(super) fn with_placeholders(rule: &Clause) -> Clause {
    fn put(term: &mut Term, value: &Term) {
        match term {
            Term::App(_, args) => args.iter_mut().for_each(|t| put(t, value)),
            term if term == value => *term = Term::Value(Value::Sym(Symbol::new(PLACEHOLDER))),
            _ => {}
        }
    }
    let mut rule = rule.clone();
    for literal in &mut rule.body {
        if let Formula::Atom(atom) = &mut literal.formula
            && gathered(atom).is_some()
            && let Some(value @ Term::Var(_)) = atom.args.first().cloned()
        {
            atom.args[..2].iter_mut().for_each(|t| put(t, &value));
        }
    }
    rule
}

impl Now<'_> {
    /// What a condition that counts or adds up finds: everything is counted anew.
    pub(super) fn gather(&self, pattern: &Atom, of: &Gathered) -> Vec<Atom> {
        // An atom without what is counted, which is blank, and the value in it.
        fn blank(pattern: &Term, term: &mut Term, value: &mut Option<Value>) {
            let placeholder = Term::Value(Value::Sym(Symbol::new(PLACEHOLDER)));
            match (pattern, term) {
                (Term::App(..), Term::Value(_)) => {}
                (Term::App(_, ps), Term::App(_, ts)) => ps.iter().zip(ts).for_each(|(p, t)| blank(p, t, value)),
                (p, Term::Value(v)) if *p == placeholder => {
                    *value = Some(*v);
                    *v = Value::Sym(Symbol::new(PLACEHOLDER));
                }
                (p, Term::Value(v)) if p.is_anonymous() => *v = Value::Int(0),
                _ => {}
            }
        }
        if !self.past.has_begun {
            return Vec::new();
        }
        let now = (self.time, self.model);
        let before = self.past.points.iter().map(|(time, model)| (*time, model.as_slice()));
        let window = of.window.unwrap_or(0);
        let mut points: Vec<(i64, &[Atom])> = before.chain([now]).collect();
        let throughout = pattern.name.as_str().starts_with("never");
        if throughout {
            // From the last time point that is long enough ago.
            let Some(first) = points.iter().rposition(|(time, _)| self.time - time >= window) else {
                return Vec::new();
            };
            points.drain(..first);
        } else {
            points.retain(|(time, _)| self.time - time <= window);
        }
        // What there is at each time point, where that matters.
        let mut groups: Vec<(Atom, Vec<Option<Value>>)> = Vec::new();
        let mut at: Vec<Vec<(usize, Value)>> = Vec::new();
        for (number, (_, model)) in points.iter().enumerate() {
            for atom in model.iter().filter(|a| key(a) == key(&of.inner)) {
                let (mut group, mut value) = (dated(atom, self.time), None);
                let args = of.inner.args.iter().zip(&mut group.args).take(atom.args.len() - 1);
                args.for_each(|(p, t)| blank(p, t, &mut value));
                let place = groups.iter().position(|(g, _)| *g == group).unwrap_or(groups.len());
                if place == groups.len() {
                    groups.push((group, Vec::new()));
                    at.push(Vec::new());
                }
                groups[place].1.push(value);
                at[place].extend(value.map(|value| (number, value)));
            }
        }
        let add = |a: Value, b: Value| {
            evaluate(&Term::App(Symbol::new("+"), vec![Term::Value(a), Term::Value(b)]), &Vec::new())
        };
        let mut found = Vec::new();
        for ((group, values), at) in groups.into_iter().zip(at) {
            let each =
                (0..points.len()).map(|n| at.iter().filter(move |(number, _)| *number == n).map(|(_, value)| *value));
            let largest = || each.clone().map(Iterator::max).collect::<Option<Vec<_>>>();
            let least = || each.clone().map(Iterator::min).collect::<Option<Vec<_>>>();
            let count = values.len() as i64;
            let mut sorted: Vec<Value> = values.iter().copied().flatten().collect();
            sorted.sort();
            let sum = || sorted.iter().try_fold(Value::Int(0), |sum, v| add(sum, *v));
            let result = match pattern.name.as_str() {
                "count" if sorted.is_empty() => Some(Value::Int(count)),
                "count" => {
                    sorted.dedup();
                    Some(Value::Int(sorted.len() as i64))
                }
                "sum" => sum(),
                "min" => sorted.first().copied(),
                "max" => sorted.last().copied(),
                "never_below" => largest().and_then(|values| values.into_iter().min()),
                "never_above" => least().and_then(|values| values.into_iter().max()),
                _ => sum().and_then(|sum| {
                    let parts = vec![Term::Value(sum), Term::Value(Value::Int(count))];
                    evaluate(&Term::App(Symbol::new("/"), parts), &Vec::new())
                }),
            };
            let Some(result) = result else { continue };
            let value = matches!(pattern.args[0], Term::Value(_)).then(|| pattern.args[0].clone());
            let window = of.window.map(|units| Term::Value(Value::Int(units)));
            let inner = Term::App(group.name, group.args);
            let args = value.into_iter().chain([inner]).chain(window).chain([Term::Value(result)]).collect();
            found.push(Atom { name: pattern.name, args, span: pattern.span.clone() });
        }
        found
    }
}
