//! Clauses and theories.

use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Atom, Literal, Span};

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
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Theory {
    /// The clauses.
    pub clauses: Vec<Clause>,
}

impl Theory {
    /// The size of a theory as the papers count it: literals, heads included.
    pub fn literals(&self) -> usize {
        self.clauses.iter().map(|c| 1 + c.body.len()).sum()
    }
}

impl fmt::Display for Theory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, clause) in self.clauses.iter().enumerate() {
            // A blank line around rules; facts stand together.
            if i > 0 && !(clause.body.is_empty() && self.clauses[i - 1].body.is_empty()) {
                writeln!(f)?;
            }
            writeln!(f, "{clause}")?;
        }
        Ok(())
    }
}
