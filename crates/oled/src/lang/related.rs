//! Rules about intervals that lie to each other in a certain way: `holdsFor` with `allen`.
//!
//! ```text
//! holdsFor(enters(P, D), I) :- holdsFor(near(P, D), I1), holdsFor(hidden(P), I2), allen(meets, I1, I2, union, I).
//! ```
//!
//! What they define is known when intervals are over, so that no rule about time points can ask for it. A rule that hands the
//! intervals of one such fluent on to another, as `union_all` does, is one of them too.

use super::ec::{HOLDS, INITIALLY, INITIATED, TERMINATED};
use super::expires::fresh_variable;
use super::holds_for::{HOLDS_FOR, fluent_of, variable};
use super::{
    Allen, Atom, Bias, Clause, Diagnostic, Formula, Literal, Signature, Symbol, Term, Theory, Told, Value,
    did_you_mean, for_each_hole,
};

/// The condition that relates two intervals.
pub(super) const ALLEN: &str = "allen";
const FORM: &str = "write `allen(meets, I1, I2, union, I)`";

/// A rule about intervals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The fluent that it defines, `holdsAt(enters(P, D), T)`.
    pub head: Atom,
    /// Which intervals it has.
    pub of: Intervals,
    /// Comparisons of values.
    pub conditions: Vec<Literal>,
    /// The rule as it is written.
    pub clause: Clause,
}

/// The intervals that a rule tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Intervals {
    /// Those of a fluent.
    Same(Atom),
    /// What comes of those of two fluents that lie to each other in a certain way.
    Pair {
        /// How the source lies to the target.
        relation: Allen,
        /// What is told of both.
        told: Told,
        /// The fluents.
        source: Atom,
        /// Of the target.
        target: Atom,
    },
}

impl Intervals {
    /// The fluents whose intervals are asked for.
    pub fn fluents(&self) -> impl Iterator<Item = &Atom> {
        let (one, other) = match self {
            Intervals::Same(atom) => (atom, None),
            Intervals::Pair { source, target, .. } => (source, Some(target)),
        };
        [one].into_iter().chain(other)
    }
}

/// Whether a rule for `holdsFor` relates intervals.
pub(super) fn relates(clause: &Clause) -> bool {
    clause.atoms().any(|(_, atom)| is_relation(atom))
}

/// Whether a condition relates intervals: `allen(meets, I1, I2, union, I)`, also written `meets(I1, I2, union, I)`.
fn is_relation(atom: &Atom) -> bool {
    let is_short = || atom.args.len() == 4 && Allen::ALL.iter().any(|known| known.as_str() == atom.name.as_str());
    atom.name.as_str() == ALLEN || is_short()
}

/// Reads a rule that relates intervals.
pub(super) fn read(clause: &Clause) -> Result<Related, Diagnostic> {
    let (head, result) = fluent_of(&clause.head)?;
    let mut terms = vec![Term::App(clause.head.name, clause.head.args.clone())];
    clause.body.iter().for_each(|literal| literal.for_each_var(&mut |name| terms.push(Term::Var(name))));
    let time = Term::var(&fresh_variable("T", &terms));
    let holds = |fluent: Term, atom: &Atom| {
        let args = vec![fluent, time.clone()];
        Atom { name: Symbol::new(HOLDS), args, span: atom.span.clone() }
    };
    let (mut named, mut relation, mut conditions) = (Vec::new(), None, Vec::new());
    for literal in &clause.body {
        let atom = match &literal.formula {
            Formula::Atom(atom) => atom,
            Formula::Compare(..) => {
                conditions.push(literal.clone());
                continue;
            }
        };
        match atom.name.as_str() {
            name if literal.negated && (name == HOLDS_FOR || is_relation(atom)) => {
                return Err(Diagnostic::new(&literal.span, "intervals cannot be negated")
                    .hint("define what is not so by a rule of its own, and relate that"));
            }
            HOLDS_FOR => {
                let (fluent, name) = fluent_of(atom)?;
                named.push((name, holds(fluent, atom)));
            }
            _ if is_relation(atom) && relation.is_some() => {
                return Err(Diagnostic::new(&literal.span, "a rule relates intervals once")
                    .hint("give what the first relation tells a name by a rule of its own, and relate that"));
            }
            _ if is_relation(atom) => relation = Some((condition(atom)?, atom)),
            _ => {
                let message = format!("`{}` cannot be asked of whole intervals", literal.span.text());
                return Err(Diagnostic::new(&literal.span, message)
                    .hint("define a fluent by a rule that has this condition, and relate the intervals of that"));
            }
        }
    }
    let ((relation, told, [source, target, told_as]), atom) = relation.expect("only such rules are read");
    if told_as != result {
        let message = format!("no condition says which intervals `{}` has", result.as_str());
        return Err(Diagnostic::new(&clause.head.span, message).hint("it is the last name in `allen(…)`"));
    }
    let find = |name: Symbol| {
        named.iter().find(|(known, _)| *known == name).map(|(_, atom)| atom.clone()).ok_or_else(|| {
            let message = format!("no condition says which intervals `{}` has", name.as_str());
            Diagnostic::new(&atom.span, message).hint(format!("add `holdsFor(fluent, {})`", name.as_str()))
        })
    };
    let (source, target) = (find(source)?, find(target)?);
    let related = Related {
        head: holds(head, &clause.head),
        of: Intervals::Pair { relation, told, source, target },
        conditions,
        clause: clause.clone(),
    };
    related.check()?;
    Ok(related)
}

/// The relation, what is told, and the names of three lists of intervals.
fn condition(atom: &Atom) -> Result<(Allen, Told, [Symbol; 3]), Diagnostic> {
    let name = Term::Value(Value::Sym(atom.name));
    let args: Vec<&Term> = match atom.args.len() {
        4 if atom.name.as_str() != ALLEN => [&name].into_iter().chain(&atom.args).collect(),
        _ => atom.args.iter().collect(),
    };
    let [relation, source, target, told, result] = args[..] else {
        let message = format!("`{ALLEN}` has 5 arguments, here {}", atom.args.len());
        return Err(Diagnostic::new(&atom.span, message).hint(FORM));
    };
    let word = |term: &Term| match term {
        Term::Value(Value::Sym(name)) => name.as_str().to_string(),
        term => term.to_string(),
    };
    let unknown = |what: &str, term: &Term, known: &[&str]| {
        Diagnostic::new(&atom.span, format!("`{term}` is no {what}")).hint(format!("known are {}", known.join(", ")))
    };
    let found = Allen::ALL.into_iter().find(|known| known.as_str() == word(relation));
    let found = found.ok_or_else(|| {
        unknown("relation of intervals", relation, &Allen::ALL.map(Allen::as_str)).hint(format!(
            "known are {}; exchange the intervals for the opposite",
            Allen::ALL.map(Allen::as_str).join(", ")
        ))
    })?;
    let what = Told::ALL.into_iter().find(|known| match word(told).as_str() {
        // As RTEC has it too.
        "lhs" => *known == Told::Source,
        "rhs" => *known == Told::Target,
        word => known.as_str() == word,
    });
    let what = what.ok_or_else(|| unknown("part of two intervals", told, &Told::ALL.map(Told::as_str)))?;
    let names = [variable(source, &atom.span)?, variable(target, &atom.span)?, variable(result, &atom.span)?];
    Ok((found, what, names))
}

impl Related {
    /// Whether all variables have a value from intervals.
    fn check(&self) -> Result<(), Diagnostic> {
        let mut bound = Vec::new();
        for atom in self.of.fluents() {
            for_each_hole(&atom.args, &mut |term| {
                bound.extend(if let Term::Var(name) = term { Some(*name) } else { None });
            });
        }
        let mut unbound = None;
        let mut ask = |name: Symbol| {
            if !bound.contains(&name) {
                unbound.get_or_insert(name);
            }
        };
        self.head.for_each_var(&mut ask);
        self.conditions.iter().for_each(|literal| literal.for_each_var(&mut ask));
        let mut operations = false;
        let atoms = [&self.head].into_iter().chain(self.of.fluents());
        atoms.for_each(|atom| for_each_hole(&atom.args, &mut |term| operations |= matches!(term, Term::App(..))));
        match unbound {
            Some(name) => Err(Diagnostic::new(&self.clause.span, format!("nothing gives `{}` a value", name.as_str()))
                .hint("variables have their values from the fluents whose intervals are related")),
            None if operations => {
                Err(Diagnostic::new(&self.clause.span, "nothing is computed in a rule about intervals")
                    .hint("compute it in the rules of the fluents that are related"))
            }
            None => Ok(()),
        }
    }
}

/// Whether two atoms are about the same fluent; those with a value and without arguments have one signature.
pub(crate) fn same_fluent(one: &Atom, other: &Atom) -> bool {
    let signature = Signature::of(one);
    let name = |atom: &Atom| {
        let mut name = None;
        for_each_hole(&atom.args, &mut |term| _ = name.get_or_insert_with(|| term.clone()));
        name
    };
    signature == Signature::of(other) && (signature.inner_name().is_some() || name(one) == name(other))
}

/// Takes the rules that hand on intervals, which are known when they are over, out of those about time points.
pub(super) fn hand_on(theory: &mut Theory) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    loop {
        let asks = |clause: &Clause| {
            clause.head.name.as_str() == HOLDS
                && clause.atoms().any(|(_, atom)| theory.related.iter().any(|rule| same_fluent(&rule.head, atom)))
        };
        // All rules for a fluent are of one kind.
        let Some(head) = theory.clauses.iter().find(|clause| asks(clause)).map(|clause| clause.head.clone()) else {
            return problems;
        };
        let mut at = 0;
        while at < theory.clauses.len() {
            if same_fluent(&theory.clauses[at].head, &head) {
                match handed_on(&theory.remove(at)) {
                    Ok(related) => theory.related.push(related),
                    Err(problem) => problems.push(problem),
                }
            } else {
                at += 1;
            }
        }
    }
}

fn handed_on(clause: &Clause) -> Result<Related, Diagnostic> {
    let (mut fluents, mut conditions, mut others) = (Vec::new(), Vec::new(), false);
    for literal in &clause.body {
        match &literal.formula {
            Formula::Compare(..) => conditions.push(literal.clone()),
            Formula::Atom(atom) if atom.name.as_str() == HOLDS && !literal.negated => fluents.push(atom),
            Formula::Atom(_) => others = true,
        }
    }
    let ([fluent], false) = (&fluents[..], others) else {
        return Err(Diagnostic::new(&clause.span, "intervals that are known when they are over can only be handed on")
            .hint("such rules have one fluent in their body, as those of `union_all` do, and no other condition"));
    };
    let related = Related {
        head: clause.head.clone(),
        of: Intervals::Same((*fluent).clone()),
        conditions,
        clause: clause.clone(),
    };
    related.check()?;
    Ok(related)
}

/// What is wrong with rules about intervals, beside rules about time points. So many of them are of the background.
pub(crate) fn problems(bias: &Bias, rules: &[&Clause], related: &[&Related], given: usize) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let holds = |head: &Atom| match head.name.as_str() {
        HOLDS | INITIATED | TERMINATED => Some(Atom { name: Symbol::new(HOLDS), ..head.clone() }),
        INITIALLY => {
            let args = head.args.iter().cloned().chain([Term::var("T")]).collect();
            Some(Atom { name: Symbol::new(HOLDS), args, span: head.span.clone() })
        }
        _ => None,
    };
    let inputs: Vec<Atom> = bias.inputs.iter().filter_map(|mode| holds(&mode.atom)).collect();
    let labels: Vec<Atom> = bias.examples.iter().filter_map(|mode| holds(&mode.atom)).collect();
    let defined: Vec<Atom> = rules.iter().filter_map(|rule| holds(&rule.head)).collect();
    let is_related = |atom: &Atom| related.iter().any(|rule| same_fluent(&rule.head, atom));
    let among = |atoms: &[Atom], atom: &Atom| atoms.iter().any(|other| same_fluent(other, atom));
    for (number, rule) in related.iter().enumerate() {
        let span = &rule.clause.span;
        let fluent = &rule.head.args[0];
        if bias.horizon.is_none() && matches!(rule.of, Intervals::Pair { .. }) {
            problems.push(
                Diagnostic::new(span, "intervals are related to earlier ones, but there is no horizon")
                    .hint("declare `horizon(100).` in modes.lp: how many time units later the other interval may end"),
            );
        }
        if among(&inputs, &rule.head) || among(&defined, &rule.head) {
            problems.push(
                Diagnostic::new(span, format!("`{fluent}` is defined at time points elsewhere"))
                    .hint("what is told of related intervals needs a name of its own"),
            );
        }
        if number < given && among(&labels, &rule.head) {
            problems.push(
                Diagnostic::new(span, format!("`{fluent}` is labelled, and the background tells of it already"))
                    .hint("what is labelled is recognised by a theory: put the rule into one"),
            );
        }
        for atom in rule.of.fluents().filter(|atom| !is_related(atom)) {
            if !among(&inputs, atom) && !among(&defined, atom) && !among(&labels, atom) {
                let problem = Diagnostic::new(&atom.span, format!("nothing defines `{}`", atom.args[0]));
                let name = |atom: &Atom| Signature::of(atom).inner_name();
                let known = inputs.iter().chain(&defined).chain(&labels).filter_map(name);
                let known: Vec<&str> = known.map(Symbol::as_str).collect();
                let near = name(atom).and_then(|name| did_you_mean(name.as_str(), known).map(ToString::to_string));
                problems.push(match near {
                    Some(near) => problem.hint(format!("did you mean `{near}`?")),
                    None => {
                        problem.hint("intervals are those of fluents of the stream, and of fluents that rules define")
                    }
                });
            }
        }
        if depends_on_itself(rule, related) {
            problems.push(
                Diagnostic::new(span, format!("the intervals of `{fluent}` depend on themselves"))
                    .hint("relate intervals that are known without these"),
            );
        }
    }
    for (rule, atom) in rules.iter().flat_map(|rule| rule.atoms().map(move |(_, atom)| (rule, atom))) {
        if let Some(asked) = [atom].into_iter().chain(&inner(atom)).find(|atom| is_related(atom)) {
            problems.push(
                Diagnostic::new(&atom.span, format!("`{}` is known only when it is over", asked.args[0])).hint(
                    format!(
                        "`{}` is about a time point; relate intervals by `allen` in a rule for `holdsFor`",
                        rule.head
                    ),
                ),
            );
        }
    }
    problems
}

/// An atom that a condition looks back at.
fn inner(atom: &Atom) -> Option<Atom> {
    atom.args.iter().find_map(|term| match term {
        Term::App(name, args) if name.as_str() == HOLDS => {
            Some(Atom { name: *name, args: args.clone(), span: atom.span.clone() })
        }
        _ => None,
    })
}

fn depends_on_itself(rule: &Related, related: &[&Related]) -> bool {
    let mut asked: Vec<&Atom> = rule.of.fluents().collect();
    let mut at = 0;
    while at < asked.len() {
        if same_fluent(asked[at], &rule.head) {
            return true;
        }
        let now = asked[at];
        for other in related.iter().filter(|other| same_fluent(&other.head, now)) {
            let new: Vec<&Atom> =
                other.of.fluents().filter(|atom| !asked.iter().any(|known| same_fluent(known, atom))).collect();
            asked.extend(new);
        }
        at += 1;
    }
    false
}
