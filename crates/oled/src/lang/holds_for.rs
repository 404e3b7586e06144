//! `holdsFor`: operations on lists of intervals, as RTEC has them, turned into the rules that they mean at each time point.
//!
//! ```text
//! holdsFor(busy(X), I) :- holdsFor(works(X), I1), holdsFor(rests(X), I2), relative_complement_all(I1, [I2], I).
//! holdsAt(busy(X), T)  :- holdsAt(works(X), T), not holdsAt(rests(X), T).
//! ```
//!
//! | written | true of a time point that is |
//! |---|---|
//! | `union_all([I1, I2], I)` | in `I1` or in `I2` |
//! | `intersect_all([I1, I2], I)` | in both |
//! | `relative_complement_all(I1, [I2, I3], I)` | in `I1`, and neither in `I2` nor in `I3` |

use super::ec::HOLDS;
use super::expires::fresh_variable;
use super::related::ALLEN;
use super::{Atom, Clause, Diagnostic, Formula, Literal, Span, Symbol, Term, Value};

/// The head of such rules.
pub(super) const HOLDS_FOR: &str = "holdsFor";
const UNION: &str = "union_all";
const INTERSECTION: &str = "intersect_all";
const DIFFERENCE: &str = "relative_complement_all";

/// The name of a list, which stands in these conditions only.
pub(super) const LIST: &str = "[]";

/// A rule for each of these would be a text that nobody has meant to write.
const MAX_RULES: usize = 256;

/// Whether lists of intervals stand in the arguments of a condition.
pub(super) fn has_lists(name: &str) -> bool {
    matches!(name, UNION | INTERSECTION | DIFFERENCE)
}

/// When time points are in a list of intervals.
#[derive(Clone)]
enum When {
    Holds(Literal),
    Any(Vec<When>),
    All(Vec<When>),
    Not(Box<When>),
}

/// What is wrong with a rule that is not for `holdsFor`, if it speaks of intervals.
pub(super) fn misplaced(clause: &Clause) -> Option<Diagnostic> {
    let speaks = |literal: &&Literal| match &literal.formula {
        Formula::Atom(atom) => {
            let name = atom.name.as_str();
            name == HOLDS_FOR && atom.args.len() == 2 || name == ALLEN && atom.args.len() == 5 || has_lists(name)
        }
        Formula::Compare(..) => false,
    };
    let literal = clause.body.iter().find(speaks)?;
    Some(
        Diagnostic::new(&literal.span, "intervals stand in rules for `holdsFor` only")
            .hint("in other rules write what holds at the time point: `holdsAt(moving(X, Y), T)`"),
    )
}

/// The rules that a rule for `holdsFor` means.
pub(super) fn expand(clause: &Clause) -> Result<Vec<Clause>, Diagnostic> {
    let (head, result) = fluent_of(&clause.head)?;
    let mut terms = vec![Term::App(clause.head.name, clause.head.args.clone())];
    for literal in &clause.body {
        literal.for_each_var(&mut |name| terms.push(Term::Var(name)));
    }
    let time = Term::var(&fresh_variable("T", &terms));
    let names = names(clause, result);
    if let Some(problem) = clause.body.iter().find_map(|literal| beyond_time_points(literal, &names)) {
        return Err(problem);
    }
    let mut rule = Intervals { time, known: Vec::new(), others: Vec::new() };
    // A list may be named before it is said what it is.
    let mut rest: Vec<&Literal> = clause.body.iter().collect();
    while !rest.is_empty() {
        let before = rest.len();
        let mut later = Vec::new();
        for literal in rest {
            if !rule.take(literal)? {
                later.push(literal);
            }
        }
        if later.len() == before {
            return Err(rule.unknown_list(later[0]));
        }
        rest = later;
    }
    let Some(when) = rule.find(result) else {
        return Err(Diagnostic::new(
            &clause.head.span,
            format!("no condition says which intervals `{}` has", result.as_str()),
        )
        .hint("end the rule with `union_all([I1, I2], I)`, or name the intervals of a condition so"));
    };
    let alternatives = alternatives(when, true).filter(|all| all.len() <= MAX_RULES).ok_or_else(|| {
        Diagnostic::new(&clause.span, format!("this stands for more than {MAX_RULES} rules"))
            .hint("give parts of it names by rules of their own")
    })?;
    let rules = alternatives.into_iter().map(|body| {
        let mut rule_body: Vec<Literal> = Vec::new();
        for literal in body.into_iter().chain(rule.others.iter().cloned()) {
            if !rule_body.contains(&literal) {
                rule_body.push(literal);
            }
        }
        let head = Atom {
            name: Symbol::new(HOLDS),
            args: vec![head.clone(), rule.time.clone()],
            span: clause.head.span.clone(),
        };
        Clause { head, body: rule_body, span: clause.span.clone() }
    });
    Ok(rules.collect())
}

/// The names of lists of intervals in a rule.
fn names(clause: &Clause, result: Symbol) -> Vec<Symbol> {
    let mut names = vec![result];
    for literal in &clause.body {
        match &literal.formula {
            Formula::Atom(atom) if atom.name.as_str() == HOLDS_FOR => {
                atom.args.iter().skip(1).for_each(|term| term.for_each_var(&mut |name| names.push(name)));
            }
            Formula::Atom(atom) if has_lists(atom.name.as_str()) => atom.for_each_var(&mut |name| names.push(name)),
            _ => {}
        }
    }
    names
}

/// What is wrong with a condition that asks more of intervals than which time points they have, if it does.
fn beyond_time_points(literal: &Literal, names: &[Symbol]) -> Option<Diagnostic> {
    let name = match &literal.formula {
        Formula::Atom(atom) if atom.name.as_str() == HOLDS_FOR || has_lists(atom.name.as_str()) => return None,
        Formula::Atom(atom) => atom.name.as_str(),
        Formula::Compare(..) => "",
    };
    let mut asks = false;
    literal.for_each_var(&mut |name| asks |= names.contains(&name));
    let problem = || Diagnostic::new(&literal.span, format!("`{}` cannot be said of time points", literal.span.text()));
    asks.then(|| match name {
        name if name.starts_with("intDur") => {
            problem().hint("how long an interval lasts at least stands in modes.lp: `min_duration(moving/2, 60).`")
        }
        "complement_all" => problem().hint("say within what: `relative_complement_all(I1, [I2], I)`"),
        "before" | "meets" | "overlaps" | "starts" | "during" | "finishes" | "equal" => {
            problem().hint(format!("write `{ALLEN}({name}, I1, I2, union, I)`"))
        }
        _ => problem().hint("intervals are joined by union_all, intersect_all and relative_complement_all"),
    })
}

/// The conditions of a rule, as far as they are read.
struct Intervals {
    time: Term,
    /// The lists of intervals that have names.
    known: Vec<(Symbol, When)>,
    /// Conditions that are not about intervals.
    others: Vec<Literal>,
}

impl Intervals {
    fn find(&self, name: Symbol) -> Option<&When> {
        self.known.iter().find(|(known, _)| *known == name).map(|(_, when)| when)
    }

    /// Reads a condition; `false` if it speaks of a list that is not known yet.
    fn take(&mut self, literal: &Literal) -> Result<bool, Diagnostic> {
        let atom = match &literal.formula {
            Formula::Atom(atom) => atom,
            Formula::Compare(..) => return Ok(self.other(literal)),
        };
        let name = atom.name.as_str();
        if literal.negated && (name == HOLDS_FOR || has_lists(name)) {
            return Err(Diagnostic::new(&literal.span, "intervals cannot be negated")
                .hint("write `relative_complement_all(I1, [I2], I)`"));
        }
        let (result, when) = match (name, &atom.args[..]) {
            (HOLDS_FOR, _) => {
                let (fluent, result) = fluent_of(atom)?;
                let holds =
                    Atom { name: Symbol::new(HOLDS), args: vec![fluent, self.time.clone()], span: atom.span.clone() };
                (result, Some(When::Holds(Literal::positive(holds))))
            }
            (UNION | INTERSECTION, [list, result]) => {
                let parts = self.all(list, &atom.span)?;
                if parts.as_ref().is_some_and(Vec::is_empty) {
                    return Err(Diagnostic::new(&atom.span, "a list without intervals")
                        .hint(format!("write `{name}([I1, I2], I)`")));
                }
                let join = if name == UNION { When::Any } else { When::All };
                (variable(result, &atom.span)?, parts.map(join))
            }
            (DIFFERENCE, [base, list, result]) => {
                let base = self.find(variable(base, &atom.span)?).cloned();
                let without = self.all(list, &atom.span)?;
                let when = base.zip(without).map(|(base, parts)| {
                    let parts = parts.into_iter().map(|part| When::Not(Box::new(part)));
                    When::All([base].into_iter().chain(parts).collect())
                });
                (variable(result, &atom.span)?, when)
            }
            (UNION | INTERSECTION | DIFFERENCE, args) => {
                let problem = Diagnostic::new(&atom.span, format!("`{name}` does not have {} arguments", args.len()));
                return Err(problem.hint(match name {
                    DIFFERENCE => "write `relative_complement_all(I1, [I2, I3], I)`".to_string(),
                    _ => format!("write `{name}([I1, I2], I)`"),
                }));
            }
            _ => return Ok(self.other(literal)),
        };
        let Some(when) = when else { return Ok(false) };
        if self.find(result).is_some() {
            return Err(Diagnostic::new(
                &atom.span,
                format!("two conditions say which intervals `{}` has", result.as_str()),
            )
            .hint("give each list of intervals a name of its own"));
        }
        self.known.push((result, when));
        Ok(true)
    }

    /// A condition that is not about intervals.
    fn other(&mut self, literal: &Literal) -> bool {
        self.others.push(literal.clone());
        true
    }

    /// The lists that are named in a list; `None` if one is not known yet.
    fn all(&self, list: &Term, span: &Span) -> Result<Option<Vec<When>>, Diagnostic> {
        match list {
            Term::App(name, parts) if name.as_str() == LIST => {
                let parts = parts.iter().map(|part| Ok(self.find(variable(part, span)?).cloned()));
                parts.collect()
            }
            other => Err(Diagnostic::new(span, format!("`{other}` is no list of intervals"))
                .hint("write them in brackets: `[I1, I2]`")),
        }
    }

    /// What to say of a condition that uses a list of which nothing is known.
    fn unknown_list(&self, literal: &Literal) -> Diagnostic {
        let mut unknown = None;
        let results: &[Term] = match &literal.formula {
            Formula::Atom(atom) => &atom.args[..atom.args.len() - 1],
            Formula::Compare(..) => &[],
        };
        results.iter().for_each(|term| {
            term.for_each_var(&mut |name| {
                if self.find(name).is_none() {
                    unknown.get_or_insert(name);
                }
            });
        });
        let name = unknown.map_or("", |name| name.as_str());
        Diagnostic::new(&literal.span, format!("no condition says which intervals `{name}` has"))
            .hint(format!("add `holdsFor(fluent, {name})`"))
    }
}

/// The fluent of `holdsFor`, without `=true`, and the name of its intervals.
pub(super) fn fluent_of(atom: &Atom) -> Result<(Term, Symbol), Diagnostic> {
    let [fluent, intervals] = &atom.args[..] else {
        return Err(Diagnostic::new(&atom.span, format!("`{HOLDS_FOR}` has 2 arguments, here {}", atom.args.len()))
            .hint("write `holdsFor(moving(X, Y), I)`"));
    };
    let is_true = |value: &Term| matches!(value, Term::Value(Value::Sym(name)) if name.as_str() == "true");
    let fluent = match fluent {
        Term::App(equal, parts) if equal.as_str() == "=" && is_true(&parts[1]) => parts[0].clone(),
        fluent => fluent.clone(),
    };
    Ok((super::ec::fluent(fluent), variable(intervals, &atom.span)?))
}

pub(super) fn variable(term: &Term, span: &Span) -> Result<Symbol, Diagnostic> {
    match term {
        Term::Var(name) if !term.is_anonymous() => Ok(*name),
        other => Err(Diagnostic::new(span, format!("`{other}` is no name for intervals"))
            .hint("intervals are named by a variable, such as `I`")),
    }
}

/// The bodies that say together when something is so, or when it is not; `None` where there are too many.
fn alternatives(when: &When, so: bool) -> Option<Vec<Vec<Literal>>> {
    match (when, so) {
        (When::Holds(literal), _) => Some(vec![vec![Literal { negated: !so, ..literal.clone() }]]),
        (When::Not(inner), _) => alternatives(inner, !so),
        (When::Any(parts), true) | (When::All(parts), false) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(alternatives(part, so)?);
            }
            (all.len() <= MAX_RULES).then_some(all)
        }
        (When::All(parts), true) | (When::Any(parts), false) => {
            let mut all = vec![Vec::new()];
            for part in parts {
                let more = alternatives(part, so)?;
                if all.len() * more.len() > MAX_RULES {
                    return None;
                }
                let longer = |body: &Vec<Literal>| {
                    let with = |rest: &Vec<Literal>| body.iter().chain(rest).cloned().collect();
                    more.iter().map(with).collect::<Vec<Vec<Literal>>>()
                };
                all = all.iter().flat_map(longer).collect();
            }
            Some(all)
        }
    }
}
