//! Open thresholds: predicates that compare a measured value with any number, replaced by their definitions where they
//! are used.
//!
//! ```text
//! comparison(close(+person, +person, #real, +time), 3, larger).      nothing lists the numbers
//! close(X, Y, D, T) :- apart(X, Y, R, T), R <= D.                    R is measured, D is the threshold
//! ```
//!
//! Such a rule derives nothing on its own, since there is no end of thresholds. `close(X, Y, 25, T)` in a body becomes
//! `apart(X, Y, R, T), R <= 25`; for `not close(X, Y, 25, T)` there is a rule for `close(X, Y, 25, T)`; and what is
//! measured is a predicate of its own, for those who look for thresholds.

mod durations;
mod expand;

use crate::lang::{
    Atom, Bias, Clause, Comparison, Diagnostic, Formula, Literal, Mark, Mode, Monotone, Signature, Symbol, Term,
    Threshold, Value, for_each_hole,
};

use super::check::Vocabulary;
use super::rewrite::{substitute, substitute_literal};

pub(crate) use durations::durations;
pub(super) use durations::span_of;
pub use durations::spans_of;
pub(super) use expand::expand;

/// A predicate with open thresholds: what it measures and how it compares.
#[derive(Clone, Debug, PartialEq)]
pub struct Measure {
    /// The predicate: `close(_, _, _, _)`.
    pub predicate: Signature,
    /// The threshold's column among the holes.
    pub column: usize,
    /// The column of the duration among the holes, where that is open too.
    pub duration: Option<usize>,
    /// How the measured value compares with the threshold, the value on the left: `<=` of `close`.
    pub comparison: Comparison,
    /// Which thresholds are easier to meet.
    pub monotone: Monotone,
    /// A predicate with the same columns, where the threshold's has what was measured. No rule of a text can name it.
    pub measured: Signature,
    /// The first measure that measures the same, whatever the names of its variables: itself, or one before it.
    pub same_as: usize,
}

impl Measure {
    /// The threshold that a mode of the predicate has after all: the number in `modeb(close(+person, +person, 25, +time))`.
    pub fn fixed(&self, mode: &Mode) -> Option<Value> {
        match mode.holes()[self.column] {
            Term::Value(value) => Some(*value),
            _ => None,
        }
    }
}

/// A predicate that is declared with an open threshold.
pub(crate) struct Open<'r> {
    predicate: Signature,
    column: usize,
    monotone: Monotone,
    /// The column that says for how long, where that is open too.
    duration: Option<usize>,
    /// `None` if something is wrong with it.
    definition: Option<Definition<'r>>,
}

/// The rule of an open predicate, taken apart.
struct Definition<'r> {
    rule: &'r Clause,
    /// The variable that stands for the threshold.
    threshold: Symbol,
    /// The place of the comparison in the body.
    at: usize,
    /// How the value compares with the threshold.
    comparison: Comparison,
    value: &'r Term,
}

const FORM: &str = "define it by one rule of the form `p(…, D, …) :- …, value <= D.`, \
    or list the thresholds: as facts of a type of their own, `distance(25).`, with `distance(D)` in the rule";

/// The open predicates of a task, and what is wrong with their definitions and uses.
pub(crate) fn find<'r>(bias: &Bias, rules: &[&'r Clause]) -> (Vec<Open<'r>>, Vec<Diagnostic>) {
    let mut open: Vec<Open<'r>> = Vec::new();
    let mut problems = Vec::new();
    for declared in bias.comparisons.iter().filter(|t| is_open(bias, rules, t)) {
        let (predicate, column, monotone) = (declared.mode.signature(), declared.column, declared.monotone);
        let Some(other) = open.iter_mut().find(|o| o.predicate == predicate) else {
            open.push(Open { predicate, column, monotone, duration: None, definition: None });
            continue;
        };
        let rule = rules.iter().find(|r| Signature::of(&r.head) == predicate);
        let both = [(other.column, other.monotone), (column, monotone)];
        match rule.and_then(|rule| durations::split(&both, rule)) {
            _ if both[0] == both[1] => {}
            Some((level, (duration, monotone))) if other.duration.is_none() => {
                ((other.column, other.monotone), other.duration) = (level, Some(duration));
                if monotone == Monotone::Up {
                    let message = format!("a longer time of `{predicate}` is met less often");
                    let problem = Diagnostic::new(&declared.mode.atom.span, message);
                    problems.push(problem.hint("declare for how long with `smaller`"));
                }
            }
            Some(((column, monotone), _)) if (other.column, other.monotone) == (column, monotone) => {}
            _ => problems.push(
                Diagnostic::new(&declared.mode.atom.span, format!("`{predicate}` has two open thresholds")).hint(
                    "one threshold of a predicate can be open, and for how long it is met, \
                     `p(…, L, D, T) :- never_below(V, load(M, V, T), D, N), N >= L.`: \
                     make it two predicates, or list the values of one",
                ),
            ),
        }
    }
    if open.is_empty() {
        problems.extend(rules.iter().flat_map(|rule| durations::problems(bias, &open, rule)));
        return (open, problems);
    }
    for predicate in &mut open {
        match predicate.define(rules) {
            Ok(definition) => predicate.definition = Some(definition),
            Err(problem) => problems.push(problem),
        }
    }
    for i in 0..open.len() {
        if let Some(definition) = &open[i].definition
            && reaches(&open, i, open[i].predicate)
        {
            let message = format!("`{}`, whose threshold is open, is defined by itself", open[i].predicate);
            problems.push(Diagnostic::new(&definition.rule.head.span, message).hint(FORM));
            open[i].definition = None;
        }
    }
    for rule in rules {
        problems.extend(rule.body.iter().filter_map(|literal| unknown_threshold(&open, rule, literal)));
        problems.extend(durations::problems(bias, &open, rule));
    }
    (open, problems)
}

/// Whether nothing says which numbers a threshold can be.
fn is_open(bias: &Bias, rules: &[&Clause], threshold: &Threshold) -> bool {
    let predicate = threshold.mode.signature();
    let defines = |signature: Signature| rules.iter().any(|r| Signature::of(&r.head) == signature);
    let listed = |kind: Symbol| defines(Signature::plain(kind, 1));
    let of_stream = bias.inputs.iter().any(|m| m.signature() == predicate);
    let kind = threshold.mode.types()[threshold.column];
    kind.is_some_and(|k| bias.kind_of(k).is_number() && !listed(k)) && !of_stream && defines(predicate)
}

impl<'r> Open<'r> {
    /// Takes the definition apart, or says what is wrong with it.
    fn define(&self, rules: &[&'r Clause]) -> Result<Definition<'r>, Diagnostic> {
        let name = self.predicate.name();
        let mut own = rules.iter().filter(|r| Signature::of(&r.head) == self.predicate);
        let rule: &'r Clause = own.next().expect("what is open is defined");
        let fail = |span, message: String| Err(Diagnostic::new(span, message).hint(FORM));
        if let Some(second) = own.next() {
            return fail(&second.head.span, format!("`{name}`, whose threshold is open, has more than one rule"));
        }
        let holes = holes(&rule.head);
        let threshold = match holes[self.column] {
            Term::Var(variable) if variable.as_str() != "_" => *variable,
            other => {
                let span = rule.head.span.find_word(&other.to_string());
                return fail(&span, format!("the open threshold of `{name}` is no variable here but `{other}`"));
            }
        };
        let shown = threshold.as_str();
        if holes.iter().filter(|t| ***t == Term::Var(threshold)).count() > 1 {
            let span = rule.head.span.find_word(shown);
            return fail(&span, format!("the open threshold `{shown}` of `{name}` stands twice in the head"));
        }
        let occurrences = |literal: &Literal| {
            let mut count = 0;
            literal.for_each_var(&mut |v| count += usize::from(v == threshold));
            count
        };
        let Some(at) = rule.body.iter().position(|l| occurrences(l) > 0) else {
            let message = format!("the open threshold `{shown}` of `{name}` is compared with nothing");
            return fail(&rule.head.span.find_word(shown), message);
        };
        let literal = &rule.body[at];
        let place = || literal.span.find_word(shown);
        if let Some(second) = rule.body[at + 1..].iter().find(|l| occurrences(l) > 0) {
            let span = second.span.find_word(shown);
            return fail(&span, format!("the open threshold `{shown}` of `{name}` stands in two conditions"));
        }
        let alone = |term: &Term| *term == Term::Var(threshold);
        let compared = match &literal.formula {
            _ if literal.negated || occurrences(literal) > 1 => None,
            Formula::Compare(op, value, term) if alone(term) && is_order(*op) => Some((*op, value)),
            Formula::Compare(op, term, value) if alone(term) && is_order(*op) => Some((op.turned(), value)),
            _ => None,
        };
        let Some((comparison, value)) = compared else {
            let message =
                format!("the open threshold `{shown}` of `{name}` must stand alone on one side of <, <=, > or >=");
            return fail(&place(), message);
        };
        let larger = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
        if larger != (self.monotone == Monotone::Up) {
            let (declared, right) = if larger { ("smaller", "larger") } else { ("larger", "smaller") };
            return Err(Diagnostic::new(
                &literal.span,
                format!(
                    "`{name}` is declared to be looser when the threshold is {declared}, and is so when it is {right}"
                ),
            )
            .hint(format!("turn the comparison around, or declare it `{right}`")));
        }
        let mut missing = None;
        value.for_each_var(&mut |v| {
            let given = rule.body.iter().enumerate().any(|(i, l)| i != at && gives(&[], l, v));
            if !given {
                missing = missing.or(Some(v));
            }
        });
        if let Some(variable) = missing {
            return Err(Diagnostic::new(
                &literal.span.find_word(variable.as_str()),
                format!(
                    "the variable `{}` is unsafe: nothing gives it a value before this comparison",
                    variable.as_str()
                ),
            )
            .hint(format!("add a positive literal that gives `{}` its values", variable.as_str())));
        }
        Ok(Definition { rule, threshold, at, comparison, value })
    }

    fn measured(&self) -> Signature {
        // With a space in it, as no plain name has.
        self.predicate.renamed(&format!("{} measured", self.predicate.name().as_str()))
    }
}

/// What to do about a variable without a value that a mode gives a constant for, and that is compared with: what is missing
/// is the declaration that it is a threshold, or where its values are listed, the condition that it is one of them.
pub(super) fn remedy(bias: &Bias, vocabulary: &Vocabulary, rule: &Clause, variable: Symbol) -> Option<String> {
    let position = rule.head.args.iter().position(|term| *term == Term::Var(variable))?;
    let signature = Signature::of(&rule.head);
    let constant = |mode: &&Mode| match mode.atom.args[position] {
        Term::Mark(Mark::Constant, kind) if mode.signature() == signature => Some(kind),
        _ => None,
    };
    let mode = bias.bodies.iter().find(|mode| constant(mode).is_some())?;
    let (name, kind) = (variable.as_str(), constant(&mode)?);
    if vocabulary.enumerations.contains_key(&kind) {
        return Some(format!(
            "add the condition `{kind}({name})`, so that `{name}` is one of the values that are listed"
        ));
    }
    let looser = rule.body.iter().find_map(|literal| {
        let Formula::Compare(op, left, right) = &literal.formula else { return None };
        let op = if *right == Term::Var(variable) { *op } else { op.turned() };
        let is_compared = [left, right].contains(&&Term::Var(variable)) && is_order(op) && !literal.negated;
        is_compared.then_some(match op {
            Comparison::Less | Comparison::LessOrEqual => "larger",
            _ => "smaller",
        })
    })?;
    Some(format!(
        "if `{name}` is a threshold, declare it in modes.lp: `comparison({}, {}, {looser}).`, and any number may stand there",
        mode.atom,
        position + 1
    ))
}

fn is_order(op: Comparison) -> bool {
    !matches!(op, Comparison::Equal | Comparison::NotEqual)
}

fn holes(atom: &Atom) -> Vec<&Term> {
    let mut holes = Vec::new();
    for_each_hole(&atom.args, &mut |term| holes.push(term));
    holes
}

/// Whether an open definition uses a predicate, itself or through the open predicates in it.
fn reaches(open: &[Open<'_>], from: usize, to: Signature) -> bool {
    let mut seen = vec![from];
    let mut at = 0;
    while let Some(&next) = seen.get(at) {
        for literal in open[next].definition.iter().flat_map(|d| &d.rule.body) {
            let Formula::Atom(atom) = &literal.formula else { continue };
            let used = Signature::of(atom);
            if used == to {
                return true;
            }
            if let Some(i) = open.iter().position(|o| o.predicate == used)
                && !seen.contains(&i)
            {
                seen.push(i);
            }
        }
        at += 1;
    }
    false
}

/// The open predicate that a literal is about, and the threshold there.
fn used<'o, 'r, 'l>(open: &'o [Open<'r>], literal: &'l Literal) -> Option<(&'o Open<'r>, &'l Atom, &'l Term)> {
    let Formula::Atom(atom) = &literal.formula else { return None };
    let signature = Signature::of(atom);
    let found = open.iter().find(|o| o.predicate == signature)?;
    Some((found, atom, holes(atom)[found.column]))
}

/// Whether a literal gives a variable its values; the thresholds of open predicates get none.
fn gives(open: &[Open<'_>], literal: &Literal, name: Symbol) -> bool {
    let is = |term: &Term| *term == Term::Var(name);
    match &literal.formula {
        _ if literal.negated || name.as_str() == "_" => false,
        Formula::Atom(atom) => {
            let threshold = used(open, literal).map(|(o, ..)| o.column);
            holes(atom).into_iter().enumerate().any(|(column, term)| Some(column) != threshold && is(term))
        }
        Formula::Compare(op, left, right) => *op == Comparison::Equal && (is(left) || is(right)),
    }
}

/// What to say where a rule uses an open predicate without saying which threshold it means.
fn unknown_threshold(open: &[Open<'_>], rule: &Clause, literal: &Literal) -> Option<Diagnostic> {
    let (found, atom, threshold) = used(open, literal)?;
    found.definition.as_ref()?;
    // What is wrong with a definition was said.
    let head = Signature::of(&rule.head);
    if open.iter().any(|o| o.predicate == head && o.definition.is_none()) {
        return None;
    }
    if let Some(problem) = durations::unknown(found, atom) {
        return Some(problem);
    }
    let mut unknown = None;
    threshold.for_each_var(&mut |name| {
        if !rule.body.iter().any(|l| gives(open, l, name)) {
            unknown = unknown.or(Some(name));
        }
    });
    let variable = unknown?;
    Some(
        Diagnostic::new(
            &atom.span.find_word(variable.as_str()),
            format!("nothing says which threshold of `{}` is meant by `{}`", found.predicate.name(), variable.as_str()),
        )
        .hint("its thresholds are open: write a number, or a variable that another condition gives a value"),
    )
}

/// The measures of the open predicates whose definitions are right.
pub(crate) fn measures(open: &[Open<'_>]) -> Vec<Measure> {
    let defined: Vec<(&Open<'_>, &Definition<'_>)> =
        open.iter().filter_map(|o| Some((o, o.definition.as_ref()?))).collect();
    let forms: Vec<_> = defined.iter().map(|(_, d)| d.form()).collect();
    let measure = |(i, (o, d)): (usize, &(&Open<'_>, &Definition<'_>))| Measure {
        predicate: o.predicate,
        column: o.column,
        duration: o.duration,
        comparison: d.comparison,
        monotone: o.monotone,
        measured: o.measured(),
        same_as: forms.iter().position(|f| *f == forms[i]).unwrap_or(i),
    };
    defined.iter().enumerate().map(measure).collect()
}

impl Definition<'_> {
    /// What is measured of what, with variables numbered in the order in which they come: equal for definitions that
    /// measure the same.
    fn form(&self) -> (Vec<Term>, Vec<Literal>, Term) {
        let mut names: Vec<Symbol> = Vec::new();
        let mut number = |name: Symbol| match name.as_str() {
            "_" => Term::Var(name),
            _ => {
                let at = names.iter().position(|n| *n == name).unwrap_or_else(|| {
                    names.push(name);
                    names.len() - 1
                });
                Term::var(&format!("V{at}"))
            }
        };
        let head = holes(&self.rule.head).into_iter().map(|t| substitute(t, &mut number)).collect();
        let body = self.rest().map(|l| substitute_literal(l, &mut number)).collect();
        (head, body, substitute(self.value, &mut number))
    }

    /// The body without the comparison.
    fn rest(&self) -> impl Iterator<Item = &Literal> {
        self.rule.body.iter().enumerate().filter(|(i, _)| *i != self.at).map(|(_, l)| l)
    }
}
