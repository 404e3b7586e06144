//! Durations: how long an interval of a fluent lasts at least, to be reported, and at most.
//!
//! The length of an interval is its last time point less its first one.

use super::ec::{HOLDS, TERMINATED, persisting};
use super::expires::move_to;
use super::{Atom, Bias, Clause, Diagnostic, Signature, Source, Span, Symbol, Term, Theory, Value, did_you_mean};

/// `min_duration(rendezvous/2, 240).` or `max_duration(rendezvous/2, 240).`
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duration {
    /// The name of the fluent, or of the ordinary predicate.
    pub name: Symbol,
    /// How many arguments it has, beside its value and the time.
    pub arguments: usize,
    /// How many time units.
    pub units: i64,
    /// Where it was declared.
    pub span: Span,
}

impl Duration {
    /// Reads a declaration, which is not among those that are known.
    pub(super) fn declare(known: &mut Vec<Duration>, head: &Atom) -> Result<(), Diagnostic> {
        let new = Duration::read(head)?;
        if let Some(other) = known.iter().find(|other| (other.name, other.arguments) == (new.name, new.arguments)) {
            let message = format!("`{}` of `{}/{}` is declared twice", head.name, new.name, new.arguments);
            return Err(
                Diagnostic::new(&new.span, message).hint(format!("the other declaration is at {}", other.span.place()))
            );
        }
        known.push(new);
        Ok(())
    }

    /// Reads the two parts of a declaration.
    fn read(head: &Atom) -> Result<Duration, Diagnostic> {
        let wrong = |message: String| {
            Err(Diagnostic::new(&head.span, message).hint(format!("write `{}(meeting/2, 60).`", head.name)))
        };
        let [fluent, units] = &head.args[..] else {
            return wrong(format!("`{}` has 2 parts, here {}", head.name, head.args.len()));
        };
        let Some((name, arguments)) = name_and_arity(fluent) else {
            return wrong(format!("`{}` is about a fluent and the number of its arguments, not `{fluent}`", head.name));
        };
        let Term::Value(Value::Int(units @ 1..)) = *units else {
            return wrong(format!("a duration is a whole number of time units, at least 1, not `{units}`"));
        };
        Ok(Duration { name, arguments, units, span: head.span.clone() })
    }

    /// Whether it is about a predicate, `holdsAt(meeting(_, _), _)`, of which these are values.
    fn is_about(&self, signature: Signature, values: &[Value]) -> bool {
        let ordinary = || signature == Signature::plain(self.name, self.arguments + 1);
        if signature.name().as_str() != HOLDS {
            return ordinary();
        }
        let arguments = signature.arity() - 1 - usize::from(signature.has_value());
        match signature.inner_name() {
            Some(name) => name == self.name && arguments == self.arguments,
            // Fluents without arguments that have a value share a signature.
            None => self.arguments == 0 && values.first() == Some(&Value::Sym(self.name)),
        }
    }

    /// Whether it is about what an atom of rules or labels is about.
    fn is_about_atom(&self, atom: &Atom) -> bool {
        let signature = persisting(atom).unwrap_or_else(|| Signature::of(atom));
        let first = match atom.args.first() {
            Some(Term::App(equal, parts)) if equal.as_str() == "=" => match &parts[0] {
                Term::Value(value) => std::slice::from_ref(value),
                _ => &[],
            },
            _ => &[],
        };
        self.is_about(signature, first)
    }

    /// What is wrong with it, if no label and no rule is about such a fluent.
    pub(crate) fn problem(&self, bias: &Bias, rules: &[&Clause]) -> Option<Diagnostic> {
        let written = rules.iter().filter(|rule| rule.span != self.span).map(|rule| &rule.head);
        let atoms: Vec<&Atom> = bias.examples.iter().map(|mode| &mode.atom).chain(written).collect();
        if atoms.iter().any(|atom| self.is_about_atom(atom)) {
            return None;
        }
        let Duration { name, arguments, .. } = self;
        let problem = Diagnostic::new(
            &self.span.find_word(name.as_str()),
            format!("no fluent `{name}/{arguments}` is labelled or defined"),
        );
        let names: Vec<Symbol> = atoms.iter().filter_map(|atom| Signature::of(atom).inner_name()).collect();
        if names.contains(name) {
            return Some(problem.hint("count the arguments of the fluent, without its value and the time"));
        }
        Some(match did_you_mean(name.as_str(), names.iter().map(|name| name.as_str())) {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint("a duration is declared for a fluent that has labels or rules"),
        })
    }

    /// The rule that ends a fluent that has lasted so long.
    pub(crate) fn ending(&self, bias: &Bias, background: &Theory) -> Clause {
        let labels = bias.examples.iter().map(|mode| &mode.atom);
        let mut atoms = labels.chain(background.clauses.iter().map(|rule| &rule.head));
        let has_value = |atom: &Atom| self.is_about_atom(atom) && Signature::of(atom).has_value();
        let variables = (1..=self.arguments).map(|i| Term::var(&format!("X{i}"))).collect();
        let mut fluent = Term::App(self.name, variables);
        if atoms.any(has_value) {
            fluent = Term::App(Symbol::new("="), vec![fluent, Term::var("V")]);
        }
        let text = format!("{TERMINATED}({fluent}, T) :- lasting({HOLDS}({fluent}, T), D), D >= {}.", self.units);
        let (mut theory, problems) = super::parse_source(&Source::new("duration", text));
        debug_assert!(problems.is_empty(), "{problems:?}");
        let mut rule = theory.clauses.pop().expect("the text has one rule");
        move_to(&mut rule, &self.span);
        rule
    }
}

/// A fluent as declarations name it: `meeting/2`.
fn name_and_arity(term: &Term) -> Option<(Symbol, usize)> {
    match term {
        Term::App(slash, parts) if slash.as_str() == "/" => match parts[..] {
            [Term::Value(Value::Sym(name)), Term::Value(Value::Int(arity @ 0..))] => {
                Some((name, usize::try_from(arity).ok()?))
            }
            _ => None,
        },
        _ => None,
    }
}

/// How long intervals last at least, to be reported.
///
/// ```
/// use oled::{Bias, Signature, parse_atom, parse_theory};
/// let (bias, _) = Bias::read(&parse_theory("modes.lp", "min_duration(meeting/2, 60).").unwrap());
/// let (meeting, values) = Signature::split(&parse_atom("holdsAt(meeting(a, b), 10)").unwrap()).unwrap();
/// assert_eq!(bias.durations().least(meeting, &values), Some(60));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    least: Vec<Duration>,
}

impl Durations {
    pub(super) fn new(least: &[Duration]) -> Durations {
        Durations { least: least.to_vec() }
    }

    /// Whether every interval is reported.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.least.is_empty()
    }

    /// How long an interval of a fluent, `holdsAt(meeting(_, _), _)`, with these values lasts at least, to be reported.
    pub fn least(&self, signature: Signature, values: &[Value]) -> Option<i64> {
        self.least.iter().find(|duration| duration.is_about(signature, values)).map(|duration| duration.units)
    }

    /// Whether an interval is too short to be reported.
    pub fn is_short(&self, signature: Signature, values: &[Value], (first, last): (i64, i64)) -> bool {
        !self.is_empty() && self.least(signature, values).is_some_and(|least| last.saturating_sub(first) < least)
    }
}
