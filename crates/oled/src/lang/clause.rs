//! Clauses and theories.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Atom, Formula, Literal, Related, Span, Value};

/// A rule `head :- body.`, or a fact where the body is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Clause {
    /// What follows.
    pub head: Atom,
    /// From what: all of these.
    pub body: Vec<Literal>,
    /// Where it was read.
    pub span: Span,
}

impl Clause {
    /// The atoms of the body, each with whether it is negated.
    pub(crate) fn atoms(&self) -> impl Iterator<Item = (bool, &Atom)> {
        self.body.iter().filter_map(|literal| match &literal.formula {
            Formula::Atom(atom) => Some((literal.negated, atom)),
            Formula::Compare(..) => None,
        })
    }
}

impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.head)?;
        for (i, literal) in self.body.iter().enumerate() {
            f.write_str(if i == 0 { " :-\n    " } else { ",\n    " })?;
            write!(f, "{literal}")?;
        }
        f.write_str(".")
    }
}

/// Written as its text.
impl Serialize for Clause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Clause {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Clause, D::Error> {
        let text = String::deserialize(deserializer)?;
        let theory = super::parse_theory("state", &text).map_err(|_| D::Error::custom("a rule cannot be parsed"))?;
        let [clause] = <[Clause; 1]>::try_from(theory.clauses).map_err(|_| D::Error::custom("a rule is one clause"))?;
        Ok(clause)
    }
}

/// Clauses in the order they were written or learned.
///
/// ```
/// let text = "initiatedAt(meeting(X, Y), T) :-\n    happensAt(active(X), T),\n    close(X, Y, 25, T).\n";
/// let theory = oled::parse_theory("meeting.lp", text).unwrap();
/// assert_eq!(theory.to_string(), text);
/// assert_eq!(theory.literals(), 3);
/// ```
///
/// A rule may have a weight, which stands before it:
///
/// ```
/// let text = "2.5 initiatedAt(lit(X), T) :-\n    happensAt(on(X), T).\n";
/// let theory = oled::parse_theory("lamp.lp", text).unwrap();
/// assert_eq!(theory.weight(0), Some(2.5));
/// assert_eq!(theory.to_string(), text);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theory {
    /// The clauses.
    pub clauses: Vec<Clause>,
    /// The weight of each clause that has one; there may be fewer than clauses.
    pub weights: Vec<Option<Value>>,
    /// Rules about intervals that are over, beside those about time points.
    pub related: Vec<Related>,
}

impl Theory {
    /// The size of a theory as the papers count it: literals, heads included.
    pub fn literals(&self) -> usize {
        self.clauses.iter().map(|c| 1 + c.body.len()).sum()
    }

    /// The weight of a clause, by its number.
    pub fn weight(&self, clause: usize) -> Option<f64> {
        self.weights.get(clause).copied().flatten().and_then(Value::as_f64)
    }

    /// Adds a clause, which may have a weight.
    pub(crate) fn push(&mut self, clause: Clause, weight: Option<Value>) {
        if weight.is_some() {
            self.weights.resize(self.clauses.len(), None);
            self.weights.push(weight);
        }
        self.clauses.push(clause);
    }

    /// Takes a clause out, with its weight.
    pub(super) fn remove(&mut self, clause: usize) -> Clause {
        if clause < self.weights.len() {
            self.weights.remove(clause);
        }
        self.clauses.remove(clause)
    }
}

impl From<Vec<Clause>> for Theory {
    fn from(clauses: Vec<Clause>) -> Theory {
        Theory { clauses, ..Theory::default() }
    }
}

impl FromIterator<Clause> for Theory {
    fn from_iter<I: IntoIterator<Item = Clause>>(clauses: I) -> Theory {
        clauses.into_iter().collect::<Vec<_>>().into()
    }
}

impl fmt::Display for Theory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, clause) in self.clauses.iter().enumerate() {
            // A blank line around rules; facts stand together.
            if i > 0 && !(clause.body.is_empty() && self.clauses[i - 1].body.is_empty()) {
                writeln!(f)?;
            }
            if let Some(weight) = self.weights.get(i).copied().flatten() {
                write!(f, "{weight} ")?;
            }
            writeln!(f, "{clause}")?;
        }
        for (i, Related { clause, .. }) in self.related.iter().enumerate() {
            let blank = if i + self.clauses.len() > 0 { "\n" } else { "" };
            writeln!(f, "{blank}{clause}")?;
        }
        Ok(())
    }
}
