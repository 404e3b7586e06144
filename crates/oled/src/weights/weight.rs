//! Weights of a theory: a number for each rule, and for each fluent two of inertia and a temperature; as they are written and
//! read.
//!
//! ```text
//! weights_of(meeting, decide, quiet, 0.66, 1, 0.52).
//!
//! 0.37 initiatedAt(meeting(X, Y), T) :-
//!     happensAt(active(X), T),
//!     close(X, Y, 25, T).
//! ```

use super::chains::FluentChains;
use crate::lang::{Atom, Clause, Diagnostic, Problems, Span, Symbol, Term, Theory, Value};

/// What the rules of a fluent have in common: `weights_of(fluent, purpose, inertia, holding, absent, temperature)`. A fact, so
/// that a theory with weights is a theory; its name is one that no stream has.
const WEIGHTS_OF: &str = "weights_of";

/// What weights are for: they decide what is recognised, or say how sure rules are.
const PURPOSES: [&str; 2] = ["decide", "confidence"];

/// Where inertia speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inertia {
    /// Only where no rule fires; that of a value where no rule speaks of that value.
    Quiet,
    /// That of holding where no rule ends it, and that of not holding where no rule starts it, as in the literature.
    Unopposed,
    /// As one more vote beside those of rules, as sure as the fluent was when it began to hold.
    Vote,
}

/// How they are written.
const INERTIAS: [(&str, Inertia); 3] =
    [("quiet", Inertia::Quiet), ("unopposed", Inertia::Unopposed), ("vote", Inertia::Vote)];

/// Weights have so many digits after the point: as many as a reader can use.
const DIGITS: i32 = 3;

/// The weights of a fluent's rules.
#[derive(Clone, Debug, PartialEq)]
pub struct FluentWeights {
    /// The fluent.
    pub fluent: Symbol,
    /// What each of its rules counts, in the order of the theory: how many time points of inertia it outweighs.
    pub rules: Vec<f64>,
    /// What speaks for going on to hold, at each time point.
    pub holding: f64,
    /// What speaks for going on not to hold, at each time point.
    pub absent: f64,
    /// Where inertia speaks.
    pub inertia: Inertia,
    /// By how much scores are divided before they are probabilities.
    pub temperature: f64,
    /// Whether they decide what is recognised; otherwise rules do, and weights say how sure that is.
    pub decide: bool,
}

impl FluentWeights {
    /// Weights that decide, beside one unit of inertia where no rule fires.
    pub(super) fn new(fluent: Symbol, rules: Vec<f64>) -> FluentWeights {
        let (holding, absent, temperature) = (1.0, 1.0, 1.0);
        FluentWeights { fluent, rules, holding, absent, inertia: Inertia::Quiet, temperature, decide: true }
    }

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
        for of in &self.fluents {
            let numbers = [of.holding, of.absent, of.temperature].map(|n| Value::real(n).unwrap_or(Value::Int(0)));
            let purpose = Value::from(PURPOSES[usize::from(!of.decide)]);
            let inertia = INERTIAS.iter().find(|(_, inertia)| *inertia == of.inertia).map_or("", |(name, _)| name);
            let names = [Value::Sym(of.fluent), purpose, Value::from(inertia)];
            let head = Atom::new(WEIGHTS_OF, names.into_iter().chain(numbers).map(Term::Value).collect());
            weighed.push(Clause { head, body: Vec::new(), span: Span::default() }, None);
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
            let rules = rules?;
            let of = FluentWeights::new(name, rules);
            weights.fluents.push(match theory.clauses.iter().find(|clause| is_about(clause, name)) {
                Some(clause) => common(clause, of)?,
                None => of,
            });
        }
        Ok(Some(weights))
    }
}

/// Whether a clause says something of all rules of a fluent.
fn is_common(clause: &Clause) -> bool {
    clause.head.name.as_str() == WEIGHTS_OF && clause.body.is_empty()
}

fn is_about(clause: &Clause, fluent: Symbol) -> bool {
    is_common(clause) && clause.head.args.first() == Some(&Term::Value(Value::Sym(fluent)))
}

/// Weights with what a clause says of all rules of their fluent.
fn common(clause: &Clause, weights: FluentWeights) -> Result<FluentWeights, Diagnostic> {
    let wrong = || {
        let message = format!("`{}` does not say what weights are for", clause.head);
        Diagnostic::new(&clause.head.span, message).hint(format!(
            "its form is `{WEIGHTS_OF}({}, decide, quiet, 1, 1, 1).`: `decide` or `confidence`, `quiet`, `unopposed` or \
             `vote`, how much speaks for going on to hold and for going on not to, and the temperature",
            weights.fluent
        ))
    };
    let [_, purpose, inertia, holding, absent, temperature] = clause.head.args.as_slice() else { return Err(wrong()) };
    let is = |term: &Term, name: &str| *term == Term::Value(Value::from(name));
    let number = |term: &Term| {
        let value = if let Term::Value(value) = term { value.as_f64() } else { None };
        value.filter(|value| *value >= 0.0).ok_or_else(wrong)
    };
    let (holding, absent, temperature) = (number(holding)?, number(absent)?, number(temperature)?);
    if temperature == 0.0 {
        return Err(wrong());
    }
    let purpose = PURPOSES.iter().position(|name| is(purpose, name)).ok_or_else(wrong)?;
    let (_, inertia) = INERTIAS.into_iter().find(|(name, _)| is(inertia, name)).ok_or_else(wrong)?;
    Ok(FluentWeights { holding, absent, inertia, temperature, decide: purpose == 0, ..weights })
}
