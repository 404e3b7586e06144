//! Weights of a theory: a number for each rule, and for each fluent two of inertia and a temperature; as they are written and
//! read.
//!
//! ```text
//! weights(meeting, decide).
//! inertia(meeting, 0.66, 1).
//! temperature(meeting, 0.52).
//!
//! 0.37 initiatedAt(meeting(X, Y), T) :-
//!     happensAt(active(X), T),
//!     close(X, Y, 25, T).
//! ```

use super::firing::FluentChains;
use crate::lang::{Atom, Clause, Diagnostic, Problems, Span, Symbol, Term, Theory, Value};

/// The predicates of what weights are for, of inertia, `inertia(meeting, holding, absent)`, and of temperature.
const WEIGHTS: &str = "weights";
const INERTIA: &str = "inertia";
const TEMPERATURE: &str = "temperature";

/// Where inertia speaks only where no rule fires.
const QUIET: &str = "quiet";

/// What weights are for: they decide what is recognised, or say how sure rules are.
const DECIDE: &str = "decide";
const CONFIDENCE: &str = "confidence";

/// Weights have so many digits after the point: as many as a reader can use.
const DIGITS: i32 = 3;

/// The weights of a fluent's rules.
#[derive(Clone, Debug, PartialEq)]
pub struct FluentWeights {
    /// The fluent.
    pub fluent: Symbol,
    /// What each of its rules counts, in the order of the theory: how many time points of inertia it outweighs.
    pub rules: Vec<f64>,
    /// What speaks for going on to hold, at each time point. Not more than `absent`.
    pub holding: f64,
    /// What speaks for going on not to hold, at each time point.
    pub absent: f64,
    /// Whether inertia speaks only where no rule fires. Otherwise that of holding does where no rule ends it, and that of not
    /// holding where no rule starts it, as in the literature.
    pub quiet: bool,
    /// By how much scores are divided before they are probabilities.
    pub temperature: f64,
    /// Whether they decide what is recognised; otherwise rules do, and weights say how sure that is.
    pub decide: bool,
}

impl FluentWeights {
    /// Weights in units of inertia: those of not holding are 1, if there are any.
    #[must_use]
    pub fn scaled(mut self) -> FluentWeights {
        if self.absent > 0.0 {
            let unit = self.absent;
            self.rules.iter_mut().for_each(|weight| *weight /= unit);
            (self.holding, self.absent, self.temperature) = (self.holding / unit, 1.0, self.temperature / unit);
        }
        self
    }

    /// Weights with as many digits as are written, so that what is read counts as what was learned.
    #[must_use]
    pub fn rounded(mut self) -> FluentWeights {
        let scale = 10_f64.powi(DIGITS);
        // Adding zero turns -0 into 0.
        let round = |weight: f64| (weight * scale).round() / scale + 0.0;
        self.rules.iter_mut().for_each(|weight| *weight = round(*weight));
        (self.holding, self.absent) = (round(self.holding), round(self.absent));
        self.temperature = round(self.temperature).max(1.0 / scale);
        self
    }
}

/// The weights of a theory, fluent by fluent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weights {
    /// In the order of their rules.
    pub fluents: Vec<FluentWeights>,
}

impl Weights {
    /// A theory with weights: what its fluents have in common first.
    pub fn write(&self, theory: &Theory, fluents: &[FluentChains]) -> Theory {
        let mut weighed = Theory::default();
        let number = |number: f64| Value::real(number).map_or(Term::Value(Value::Int(0)), Term::Value);
        for weights in &self.fluents {
            let fact = |name: &str, numbers: &[f64]| {
                let args =
                    [Term::Value(Value::Sym(weights.fluent))].into_iter().chain(numbers.iter().map(|n| number(*n)));
                Clause { head: Atom::new(name, args.collect()), body: Vec::new(), span: Span::default() }
            };
            let mut purpose = fact(WEIGHTS, &[]);
            purpose.head.args.push(Term::Value(Value::from(if weights.decide { DECIDE } else { CONFIDENCE })));
            weighed.push(purpose, None);
            let mut inertia = fact(INERTIA, &[weights.holding, weights.absent]);
            inertia.head.args.extend(weights.quiet.then(|| Term::Value(Value::from(QUIET))));
            weighed.push(inertia, None);
            weighed.push(fact(TEMPERATURE, &[weights.temperature]), None);
        }
        for (clause, rule) in theory.clauses.iter().enumerate().filter(|(_, rule)| !is_common(rule)) {
            let weight = fluents.iter().zip(&self.fluents).find_map(|(fluent, weights)| {
                let at = fluent.rules.iter().position(|of| of.number == clause)?;
                Value::real(weights.rules[at])
            });
            weighed.push(rule.clone(), weight);
        }
        weighed
    }

    /// The weights of a theory that has some for each rule of these fluents; none if it has no weight at all.
    pub fn read(theory: &Theory, fluents: &[FluentChains]) -> Result<Option<Weights>, Problems> {
        if theory.weights.iter().all(Option::is_none) {
            return Ok(None);
        }
        let mut weights = Weights::default();
        for fluent in fluents {
            let name = fluent.name();
            let rule = |number: usize| {
                theory.weight(number).ok_or_else(|| {
                    let clause = &theory.clauses[number];
                    Diagnostic::new(
                        &clause.head.span,
                        format!("other rules have weights, and this one for `{name}` has none"),
                    )
                    .hint("write a number before it, 0 if it is not to count, or let `oled weigh` find one")
                })
            };
            let rules: Result<Vec<f64>, Diagnostic> = fluent.rules.iter().map(|of| rule(of.number)).collect();
            let [holding, absent] = common(theory, INERTIA, name)?.unwrap_or([1.0, 1.0]);
            let [temperature] = common(theory, TEMPERATURE, name)?.unwrap_or([1.0]);
            let decide = !theory.clauses.iter().any(|clause| {
                let args = [name, Symbol::new(CONFIDENCE)].map(|name| Term::Value(Value::Sym(name)));
                clause.head.name.as_str() == WEIGHTS && clause.body.is_empty() && clause.head.args == args
            });
            let quiet = theory.clauses.iter().any(|clause| {
                let args = &clause.head.args;
                let is_quiet = args.len() == 4 && args[3] == Term::Value(Value::from(QUIET));
                is_quiet && clause.head.name.as_str() == INERTIA && args[0] == Term::Value(Value::Sym(name))
            });
            let rules = rules?;
            weights.fluents.push(FluentWeights { fluent: name, rules, holding, absent, quiet, temperature, decide });
        }
        Ok(Some(weights))
    }
}

/// Whether a clause says something of all rules of a fluent.
fn is_common(clause: &Clause) -> bool {
    clause.body.is_empty()
        && matches!((clause.head.name.as_str(), clause.head.args.len()), (INERTIA, 3 | 4) | (WEIGHTS | TEMPERATURE, 2))
}

/// The numbers that a theory gives a fluent.
fn common<const N: usize>(theory: &Theory, name: &str, fluent: Symbol) -> Result<Option<[f64; N]>, Problems> {
    let own = |clause: &&Clause| {
        let head = &clause.head;
        head.name.as_str() == name && is_common(clause) && head.args[0] == Term::Value(Value::Sym(fluent))
    };
    let Some(clause) = theory.clauses.iter().find(own) else { return Ok(None) };
    let mut numbers = [0.0; N];
    for (number, term) in numbers.iter_mut().zip(&clause.head.args[1..]) {
        let value = if let Term::Value(value) = term { value.as_f64() } else { None };
        *number = value.filter(|value| *value >= 0.0).ok_or_else(|| {
            let message = format!("`{}` needs numbers that are not negative, here `{term}`", clause.head.name);
            Diagnostic::new(&clause.head.span, message).hint(format!("such as `{name}({fluent}, 1, 1).`"))
        })?;
    }
    Ok(Some(numbers))
}
