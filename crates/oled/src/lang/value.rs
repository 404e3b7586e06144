//! Value: what a variable may stand for at run time: a name, an integer or a real number.

use std::cmp::Ordering;
use std::fmt;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::Symbol;

/// A constant. Numbers are equal when they are the same number: `2` and `2.0` match each other in a join.
///
/// ```
/// use oled::Value;
/// assert_eq!(Value::Int(2), Value::real(2.0).unwrap());
/// assert_eq!(Value::real(f64::NAN), None);
/// ```
#[derive(Clone, Copy, Serialize)]
pub enum Value {
    /// A name such as `id1`.
    Sym(Symbol),
    /// An integer.
    Int(i64),
    /// A real number; always finite, never `-0.0`: use [`Value::real`].
    Real(f64),
}

/// Integers up to this size have exactly one real number of the same value.
const EXACT: f64 = 9_007_199_254_740_992.0;

impl Value {
    /// A real number, unless it is infinite or not a number at all.
    pub fn real(number: f64) -> Option<Value> {
        // Adding zero turns -0.0 into 0.0, so that equal numbers have equal bits.
        number.is_finite().then_some(Value::Real(number + 0.0))
    }

    /// The number as a real, if it is one.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Value::Sym(_) => None,
            Value::Int(i) => Some(i as f64),
            Value::Real(r) => Some(r),
        }
    }

    /// The integer with this value, if there is one.
    fn as_exact_int(self) -> Option<i64> {
        match self {
            Value::Int(i) => Some(i),
            Value::Real(r) if r.abs() <= EXACT && (r as i64) as f64 == r => Some(r as i64),
            _ => None,
        }
    }

    /// A number equal for equal values, to be mixed into a hash.
    #[inline]
    pub(crate) fn bits(self) -> u64 {
        match self {
            Value::Sym(s) => u64::from(s.index()) << 1 | 1 << 63,
            Value::Int(i) => i as u64,
            Value::Real(r) => self.as_exact_int().map_or(r.to_bits(), |i| i as u64),
        }
    }
}

impl PartialEq for Value {
    #[inline]
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Sym(a), Value::Sym(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Real(a), Value::Real(b)) => a == b,
            (Value::Sym(_), _) | (_, Value::Sym(_)) => false,
            (a, b) => a.as_exact_int().is_some_and(|i| b.as_exact_int() == Some(i)),
        }
    }
}

impl Eq for Value {}

impl std::hash::Hash for Value {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.bits());
    }
}

/// Numbers by value, before names in alphabetical order.
impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        match (*self, *other) {
            (Value::Sym(a), Value::Sym(b)) => a.cmp(&b),
            (Value::Sym(_), _) => Ordering::Greater,
            (_, Value::Sym(_)) => Ordering::Less,
            (Value::Int(a), Value::Int(b)) => a.cmp(&b),
            (a, b) => {
                if a == b {
                    return Ordering::Equal;
                }
                let (x, y) = (a.as_f64().unwrap_or(0.0), b.as_f64().unwrap_or(0.0));
                // A huge integer beside the real it rounds to: the integer decides by its own size.
                x.total_cmp(&y).then_with(|| matches!(a, Value::Int(_)).cmp(&matches!(b, Value::Int(_))))
            }
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Sym(s) => write!(f, "{s}"),
            Value::Int(i) => write!(f, "{i}"),
            // Debug keeps the `.0` of a whole number, so that a real is read back as a real.
            Value::Real(r) => write!(f, "{r:?}"),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
        #[derive(Deserialize)]
        enum Any {
            Sym(Symbol),
            Int(i64),
            Real(f64),
        }
        match Any::deserialize(deserializer)? {
            Any::Sym(name) => Ok(Value::Sym(name)),
            Any::Int(int) => Ok(Value::Int(int)),
            Any::Real(real) => Value::real(real).ok_or_else(|| D::Error::custom("a real number is finite")),
        }
    }
}

impl From<i64> for Value {
    fn from(i: i64) -> Value {
        Value::Int(i)
    }
}

impl From<Symbol> for Value {
    fn from(s: Symbol) -> Value {
        Value::Sym(s)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Value {
        Value::Sym(Symbol::new(s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_numbers_have_equal_bits_and_order() {
        let two = Value::real(2.0).unwrap();
        assert_eq!(Value::Int(2), two);
        assert_eq!(Value::Int(2).bits(), two.bits());
        assert_eq!(Value::Int(2).cmp(&two), Ordering::Equal);
        assert_eq!(Value::real(-0.0), Some(Value::Int(0)));
        assert!(Value::Int(3) > Value::real(2.5).unwrap());
        assert!(Value::from("a") > Value::Int(i64::MAX));
        assert_ne!(Value::Int(i64::MAX), Value::real(i64::MAX as f64).unwrap());
    }
}
