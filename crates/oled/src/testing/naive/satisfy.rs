//! The values with which conditions are true, found by trying all atoms.

use super::aggregate::gathered;
use super::{Atoms, Past, key};
use crate::lang::{Atom, Comparison, Formula, Literal, Symbol, Term, Value, for_each_hole};

pub(super) type Bindings = Vec<(Symbol, Value)>;

/// What is true at a time point, as far as it is known, and before it.
pub(super) struct Now<'a> {
    pub(super) model: &'a [Atom],
    pub(super) known: &'a Atoms,
    pub(super) past: &'a Past,
    pub(super) time: i64,
}

impl Now<'_> {
    /// The true atoms that a condition may be about. What looks back is computed from all earlier models.
    fn candidates(&self, pattern: &Atom) -> Vec<Atom> {
        let of = |a: &&Atom| a.name == pattern.name && a.args.len() == pattern.args.len();
        if let Some(gathered) = gathered(pattern) {
            return self.gather(pattern, &gathered);
        }
        let Some((inner, numbers)) = looked_back_at(pattern) else {
            return self.model.iter().filter(of).cloned().collect();
        };
        let (Some(horizon), points) = (self.past.horizon, &self.past.points) else { return Vec::new() };
        let recent = |time: i64| self.time - time <= horizon;
        let same = |model: &[Atom]| -> Vec<Atom> {
            let atoms = model.iter().filter(|a| key(a) == key(&inner));
            atoms.map(|a| dated(a, self.time)).collect()
        };
        let with = |atom: Atom, numbers: &[i64]| {
            let numbers = numbers.iter().map(|n| Term::Value(Value::Int(*n)));
            let args = std::iter::once(Term::App(atom.name, atom.args)).chain(numbers).collect();
            Atom { name: pattern.name, args, span: pattern.span.clone() }
        };
        let condition = |atom: Atom, number: i64| with(atom, &[number]);
        let at = |point: Option<&(i64, Vec<Atom>)>, number: i64| -> Vec<Atom> {
            let atoms = point.filter(|(time, _)| recent(*time)).map(|(_, model)| same(model)).unwrap_or_default();
            atoms.into_iter().map(|a| condition(a, number)).collect()
        };
        let before =
            points.iter().rev().filter(|(time, _)| recent(*time)).map(|(time, model)| (*time, model.as_slice()));
        let all: Vec<(i64, &[Atom])> = std::iter::once((self.time, self.model)).chain(before).collect();
        match (pattern.name.as_str(), numbers.first().copied().flatten()) {
            ("within", Some(near)) => {
                let far = numbers[1].expect("within has two numbers");
                let asked = all.iter().filter(|(time, _)| (near..=far).contains(&(self.time - time)));
                let mut found: Vec<Atom> = Vec::new();
                for atom in asked.flat_map(|(_, model)| same(model)) {
                    if !found.contains(&atom) {
                        found.push(atom);
                    }
                }
                found.into_iter().map(|atom| with(atom, &[near, far])).collect()
            }
            ("last", _) => {
                let about = |a: &Atom| self.past.about(a);
                let mut found = Vec::new();
                for (i, (time, model)) in all.iter().enumerate() {
                    // Nothing that is later is about the same.
                    let later = |a: &Atom| {
                        all[..i].iter().any(|(_, model)| model.iter().any(|b| is_timed(b) && about(a) == about(b)))
                    };
                    for atom in same(model).into_iter().filter(|a| !later(a)) {
                        let units: &[i64] = if pattern.args.len() == 1 { &[] } else { &[self.time - time] };
                        found.push(with(atom, units));
                    }
                }
                found
            }
            ("ago", Some(n)) => at(points.iter().rfind(|(time, _)| *time <= self.time - n), n),
            ("frames_ago", Some(n)) => at(points.iter().rev().nth(n as usize - 1), n),
            ("lasting", _) => {
                let now = same(self.model);
                let lasting = now.into_iter().map(|atom| {
                    let run = points.iter().rev().take_while(|(_, model)| same(model).contains(&atom));
                    let first = run.last().map_or(self.time, |(time, _)| *time);
                    condition(atom, (self.time - first).min(horizon))
                });
                lasting.collect()
            }
            _ => {
                let mut found: Vec<(Atom, i64)> = same(self.model).into_iter().map(|a| (a, 0)).collect();
                for (time, model) in &all[1..] {
                    for atom in same(model) {
                        if !found.iter().any(|(a, _)| *a == atom) {
                            found.push((atom, self.time - time));
                        }
                    }
                }
                found.into_iter().map(|(atom, units)| condition(atom, units)).collect()
            }
        }
    }
}

/// The atom that a condition looks back at, and its numbers as far as they are constants.
pub(super) fn looked_back_at(atom: &Atom) -> Option<(Atom, Vec<Option<i64>>)> {
    let [Term::App(name, args), numbers @ ..] = atom.args.as_slice() else { return None };
    let looks = matches!(
        (atom.name.as_str(), numbers.len()),
        ("ago" | "frames_ago" | "lasting" | "since", 1) | ("last", 0 | 1) | ("within", 2)
    );
    let number = |term: &Term| if let Term::Value(Value::Int(n)) = term { Some(*n) } else { None };
    let inner = || Atom { name: *name, args: args.clone(), span: atom.span.clone() };
    (looks && !is_operation(&atom.args[0])).then(|| (inner(), numbers.iter().map(number).collect()))
}

/// Whether the last argument of an atom can be a time.
fn is_timed(atom: &Atom) -> bool {
    matches!(atom.args.last(), Some(Term::Value(Value::Int(_))))
}

/// The atom at another time.
pub(super) fn dated(atom: &Atom, time: i64) -> Atom {
    let mut atom = atom.clone();
    atom.args.pop();
    atom.args.push(Term::Value(Value::Int(time)));
    atom
}

/// Calls `found` for every way to make a body true: takes any literal that can be decided now, tries everything that makes
/// it true, and goes on with the rest.
pub(super) fn satisfy(body: &[&Literal], now: &Now<'_>, bindings: &Bindings, found: &mut impl FnMut(&Bindings)) {
    if body.is_empty() {
        return found(bindings);
    }
    let Some(ready) = body.iter().position(|l| is_ready(l, bindings)) else { return };
    let mut rest = body.to_vec();
    let literal = rest.remove(ready);
    match &literal.formula {
        Formula::Atom(pattern) if !literal.negated => {
            for atom in now.candidates(pattern) {
                // An operation may be of what the same atom gives a value: it is looked at again when all have theirs.
                let mut longer = bindings.clone();
                let args = || pattern.args.iter().zip(&atom.args);
                if args().all(|(p, a)| unify_names(p, a, &mut longer)) && args().all(|(p, a)| unify(p, a, &mut longer))
                {
                    satisfy(&rest, now, &longer, found);
                }
            }
        }
        Formula::Compare(Comparison::Equal, left, right) if !literal.negated => {
            let mut longer = bindings.clone();
            match (evaluate(left, bindings), evaluate(right, bindings), left, right) {
                (Some(a), Some(b), ..) if a == b => {}
                (None, Some(value), Term::Var(name), _) | (Some(value), None, _, Term::Var(name)) => {
                    longer.push((*name, value));
                }
                _ => return,
            }
            satisfy(&rest, now, &longer, found);
        }
        _ if is_true(literal, now, bindings) => satisfy(&rest, now, bindings, found),
        _ => {}
    }
}

/// Whether a literal can be decided with what is bound, or binds what is missing itself.
fn is_ready(literal: &Literal, bindings: &Bindings) -> bool {
    let bound = |term: &Term| {
        let mut all = true;
        term.for_each_var(&mut |name| all &= bindings.iter().any(|(n, _)| *n == name));
        all
    };
    match &literal.formula {
        Formula::Atom(atom) if literal.negated => atom.args.iter().all(|a| negated_ready(a, &bound)),
        Formula::Atom(atom) => {
            let mut own = Vec::new();
            for_each_hole(&atom.args, &mut |term| {
                own.extend(if let Term::Var(name) = term { Some(*name) } else { None });
            });
            let bound = |term: &Term| {
                let mut all = true;
                term.for_each_var(&mut |name| {
                    all &= own.contains(&name) && name.as_str() != "_" || bindings.iter().any(|(n, _)| *n == name);
                });
                all
            };
            atom.args.iter().all(|a| operations_bound(a, &bound))
        }
        Formula::Compare(Comparison::Equal, left, right) if !literal.negated => {
            let variable = |t: &Term| matches!(t, Term::Var(_)) && !t.is_anonymous();
            (bound(left) && (bound(right) || variable(right))) || (bound(right) && variable(left))
        }
        Formula::Compare(_, left, right) => bound(left) && bound(right),
    }
}

fn negated_ready(term: &Term, bound: &impl Fn(&Term) -> bool) -> bool {
    match term {
        Term::App(_, args) if !is_operation(term) => args.iter().all(|a| negated_ready(a, bound)),
        t => t.is_anonymous() || bound(t),
    }
}

fn operations_bound(term: &Term, bound: &impl Fn(&Term) -> bool) -> bool {
    match term {
        Term::App(..) if is_operation(term) => bound(term),
        Term::App(_, args) => args.iter().all(|a| operations_bound(a, bound)),
        _ => true,
    }
}

pub(super) fn is_operation(term: &Term) -> bool {
    matches!(term, Term::App(name, args) if crate::lang::is_operation(name.as_str(), args.len()))
}

/// The same as far as no operation stands there.
fn unify_names(pattern: &Term, ground: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, ground) {
        _ if is_operation(pattern) => true,
        (Term::App(f, xs), Term::App(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| unify_names(x, y, bindings))
        }
        _ => unify(pattern, ground, bindings),
    }
}

fn unify(pattern: &Term, ground: &Term, bindings: &mut Bindings) -> bool {
    match (pattern, ground) {
        (_, Term::Value(v)) if is_operation(pattern) => evaluate(pattern, bindings) == Some(*v),
        (Term::Var(name), Term::Value(_)) if name.as_str() == "_" => true,
        (Term::Var(name), Term::Value(v)) => match bindings.iter().find(|(n, _)| n == name) {
            Some((_, bound)) => bound == v,
            None => {
                bindings.push((*name, *v));
                true
            }
        },
        (Term::Value(a), Term::Value(b)) => a == b,
        (Term::App(f, xs), Term::App(g, ys)) => {
            f == g && xs.len() == ys.len() && xs.iter().zip(ys).all(|(x, y)| unify(x, y, bindings))
        }
        _ => false,
    }
}

/// Whether a literal whose variables are bound, anonymous ones apart, is true.
fn is_true(literal: &Literal, now: &Now<'_>, bindings: &Bindings) -> bool {
    match &literal.formula {
        Formula::Compare(op, left, right) => {
            let (Some(a), Some(b)) = (evaluate(left, bindings), evaluate(right, bindings)) else { return false };
            let truth = match op {
                Comparison::Equal => a == b,
                Comparison::NotEqual => a != b,
                Comparison::Less => a < b,
                Comparison::LessOrEqual => a <= b,
                Comparison::Greater => a > b,
                Comparison::GreaterOrEqual => a >= b,
            };
            truth != literal.negated
        }
        Formula::Atom(atom) => {
            let mut anonymous = false;
            atom.for_each_var(&mut |name| anonymous |= name.as_str() == "_");
            if !anonymous {
                // An operation without a value makes a literal false, negated or not.
                let Some(ground) = substitute(atom, bindings) else { return false };
                let truth = match looked_back_at(atom).map(|_| ()).or(gathered(atom).map(|_| ())) {
                    Some(()) => now.candidates(&ground).contains(&ground),
                    None => now.known.contains(&ground.to_string()),
                };
                return truth != literal.negated;
            }
            !now.candidates(atom).iter().any(|a| {
                let mut scratch = bindings.clone();
                atom.args.iter().zip(&a.args).all(|(p, g)| unify(p, g, &mut scratch))
            })
        }
    }
}

pub(super) fn evaluate(term: &Term, bindings: &Bindings) -> Option<Value> {
    // Rules of a task were made explicit with its clock.
    let term = &crate::lang::Clock::default().explicit_term(term);
    crate::logic::apply(term, &|name| bindings.iter().find(|(n, _)| *n == name).map(|(_, v)| *v))
}

pub(super) fn substitute(atom: &Atom, bindings: &Bindings) -> Option<Atom> {
    fn term(t: &Term, bindings: &Bindings) -> Option<Term> {
        match t {
            Term::App(name, args) if !crate::lang::is_operation(name.as_str(), args.len()) => {
                Some(Term::App(*name, args.iter().map(|a| term(a, bindings)).collect::<Option<_>>()?))
            }
            t => evaluate(t, bindings).map(Term::Value),
        }
    }
    let args = atom.args.iter().map(|a| term(a, bindings)).collect::<Option<_>>()?;
    Some(Atom { name: atom.name, args, span: atom.span.clone() })
}
