//! Arithmetic and comparison of values.
//!
//! Integers stay integers while they can: `7 / 2` is `3.5`, `6 / 2` is `3`, and what overflows becomes real. `7 // 2` is `3`
//! and `7 mod 2` is `1`. An
//! operation without a result (a division by zero, the root of a negative number, a sum of names) has no value, and a
//! literal it occurs in is false, negated or not.

use crate::lang::{Comparison, LOCAL_TIME, Symbol, Term, Value, Zone};

/// A register of a rule: the value of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Slot(pub(crate) u16);

/// An expression over registers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Expr {
    Const(Value),
    Slot(Slot),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<(Expr, Expr)>),
    /// `sqrt(a^2 + b^2)` as one operation: see [`Expr::fused`].
    Distance(Box<(Expr, Expr)>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Unary {
    Minus,
    Abs,
    Sqrt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// Rounded down.
    Floor,
    /// What is left then: it has the sign of the divisor.
    Mod,
    Pow,
    Min,
    Max,
    /// What the clocks of a place show, by the seconds of UTC and its name.
    Local,
}

impl Expr {
    /// The expression of a term whose variables are in registers; `None` for a variable that has none and for compound
    /// terms that are no operations.
    pub(crate) fn of(term: &Term, slot: &impl Fn(Symbol) -> Option<Slot>) -> Option<Expr> {
        match term {
            Term::Value(v) => Some(Expr::Const(*v)),
            Term::Var(name) => slot(*name).map(Expr::Slot),
            Term::Mark(..) => None,
            Term::App(name, args) => match args.as_slice() {
                [a] => Some(Expr::Unary(unary(name.as_str())?, Box::new(Expr::of(a, slot)?))),
                [a, b] => {
                    Some(Expr::Binary(binary(name.as_str())?, Box::new((Expr::of(a, slot)?, Expr::of(b, slot)?))))
                }
                _ => None,
            },
        }
    }

    /// The same with distances as one operation instead of four: to be evaluated, where nobody asks any more what it is made of.
    pub(crate) fn fused(&self) -> Expr {
        match self {
            Expr::Const(_) | Expr::Slot(_) => self.clone(),
            Expr::Unary(op, a) => match (op, a.as_sum_of_squares()) {
                (Unary::Sqrt, Some((a, b))) => Expr::Distance(Box::new((a.fused(), b.fused()))),
                _ => Expr::Unary(*op, Box::new(a.fused())),
            },
            Expr::Binary(op, ab) => Expr::Binary(*op, Box::new((ab.0.fused(), ab.1.fused()))),
            Expr::Distance(ab) => Expr::Distance(Box::new((ab.0.fused(), ab.1.fused()))),
        }
    }

    /// What is squared in `a^2 + b^2`.
    fn as_sum_of_squares(&self) -> Option<(&Expr, &Expr)> {
        let square =
            |expr: &'_ Expr| matches!(expr, Expr::Binary(Binary::Pow, ab) if ab.1 == Expr::Const(Value::Int(2)));
        match self {
            Expr::Binary(Binary::Add, sum) => match &**sum {
                (Expr::Binary(_, a), Expr::Binary(_, b)) if square(&sum.0) && square(&sum.1) => Some((&a.0, &b.0)),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value, if the operations have one. Most expressions are just a register, which costs no call.
    #[inline]
    pub(crate) fn eval(&self, slots: &[Value]) -> Option<Value> {
        match self {
            Expr::Const(v) => Some(*v),
            Expr::Slot(s) => Some(slots[s.0 as usize]),
            operation => operation.apply(slots),
        }
    }

    fn apply(&self, slots: &[Value]) -> Option<Value> {
        match self {
            Expr::Const(v) => Some(*v),
            Expr::Slot(s) => Some(slots[s.0 as usize]),
            Expr::Unary(op, a) => apply_unary(*op, a.eval(slots)?),
            Expr::Binary(op, ab) => {
                let (a, b) = (ab.0.eval(slots)?, ab.1.eval(slots)?);
                // What distances are made of, of whole numbers, needs no call.
                if let (Value::Int(i), Value::Int(j)) = (a, b) {
                    let exact = match op {
                        Binary::Add => i.checked_add(j),
                        Binary::Sub => i.checked_sub(j),
                        Binary::Pow if j == 2 => i.checked_mul(i),
                        _ => None,
                    };
                    if let Some(exact) = exact {
                        return Some(Value::Int(exact));
                    }
                }
                apply_binary(*op, a, b)
            }
            Expr::Distance(ab) => distance(ab.0.eval(slots)?, ab.1.eval(slots)?),
        }
    }
}

/// `sqrt(a^2 + b^2)`, to the same last bit as the operations one by one.
fn distance(a: Value, b: Value) -> Option<Value> {
    if let (Value::Int(i), Value::Int(j)) = (a, b)
        && let (Some(i), Some(j)) = (i.checked_mul(i), j.checked_mul(j))
        && let Some(sum) = i.checked_add(j)
    {
        return Value::real((sum as f64).sqrt());
    }
    let square = |value: Value| apply_binary(Binary::Pow, value, Value::Int(2));
    apply_unary(Unary::Sqrt, apply_binary(Binary::Add, square(a)?, square(b)?)?)
}

/// The value of a term, where variables have values, if its operations have one.
pub(crate) fn apply(term: &Term, lookup: &impl Fn(Symbol) -> Option<Value>) -> Option<Value> {
    match term {
        Term::Value(v) => Some(*v),
        Term::Var(name) => lookup(*name),
        Term::Mark(..) => None,
        Term::App(name, args) => match args.as_slice() {
            [a] => apply_unary(unary(name.as_str())?, apply(a, lookup)?),
            [a, b] => apply_binary(binary(name.as_str())?, apply(a, lookup)?, apply(b, lookup)?),
            _ => None,
        },
    }
}

pub(crate) fn unary(name: &str) -> Option<Unary> {
    Some(match name {
        "-" => Unary::Minus,
        "abs" => Unary::Abs,
        "sqrt" => Unary::Sqrt,
        _ => return None,
    })
}

pub(crate) fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "+" => Binary::Add,
        "-" => Binary::Sub,
        "*" => Binary::Mul,
        "/" => Binary::Div,
        "//" => Binary::Floor,
        "mod" => Binary::Mod,
        "^" => Binary::Pow,
        "min" => Binary::Min,
        "max" => Binary::Max,
        LOCAL_TIME => Binary::Local,
        _ => return None,
    })
}

#[inline]
pub(crate) fn apply_unary(op: Unary, a: Value) -> Option<Value> {
    let x = a.as_f64()?;
    match (op, a) {
        (Unary::Minus, Value::Int(i)) => i.checked_neg().map(Value::Int).or_else(|| Value::real(-x)),
        (Unary::Abs, Value::Int(i)) => i.checked_abs().map(Value::Int).or_else(|| Value::real(x.abs())),
        (Unary::Minus, _) => Value::real(-x),
        (Unary::Abs, _) => Value::real(x.abs()),
        (Unary::Sqrt, _) => Value::real(x.sqrt()),
    }
}

#[inline]
pub(crate) fn apply_binary(op: Binary, a: Value, b: Value) -> Option<Value> {
    if let (Value::Int(i), Value::Int(j)) = (a, b) {
        let exact = match op {
            Binary::Add => i.checked_add(j),
            Binary::Sub => i.checked_sub(j),
            Binary::Mul => i.checked_mul(j),
            Binary::Div => i.checked_rem(j).filter(|r| *r == 0).and_then(|_| i.checked_div(j)),
            Binary::Floor => floor(i, j),
            Binary::Mod => floor(i, j).and_then(|quotient| i.checked_sub(quotient.checked_mul(j)?)),
            // Squares are what distances are made of.
            Binary::Pow if j == 2 => i.checked_mul(i),
            Binary::Pow => u32::try_from(j).ok().and_then(|j| i.checked_pow(j)),
            Binary::Min => Some(i.min(j)),
            Binary::Max => Some(i.max(j)),
            Binary::Local => None,
        };
        if let Some(exact) = exact {
            return Some(Value::Int(exact));
        }
    }
    apply_real(op, a, b)
}

/// A division, rounded down.
fn floor(i: i64, j: i64) -> Option<i64> {
    let quotient = i.checked_div(j)?;
    Some(if i % j != 0 && (i < 0) != (j < 0) { quotient - 1 } else { quotient })
}

fn apply_real(op: Binary, a: Value, b: Value) -> Option<Value> {
    if let (Binary::Local, Value::Sym(name)) = (op, b) {
        return local_time(a, name);
    }
    let (x, y) = (a.as_f64()?, b.as_f64()?);
    match op {
        Binary::Add => Value::real(x + y),
        Binary::Sub => Value::real(x - y),
        Binary::Mul => Value::real(x * y),
        Binary::Div => Value::real(x / y),
        Binary::Floor => Value::real((x / y).floor()),
        Binary::Mod => Value::real(x - y * (x / y).floor()),
        // libm gives the same last bit on every platform, which the standard library does not promise.
        Binary::Pow => Value::real(libm::pow(x, y)),
        Binary::Min => Some(if b < a { b } else { a }),
        Binary::Max => Some(if b > a { b } else { a }),
        Binary::Local => None,
    }
}

fn local_time(seconds: Value, zone: Symbol) -> Option<Value> {
    let zone = Zone::named(zone)?;
    match seconds {
        Value::Int(seconds) => seconds.checked_add(zone.ahead(seconds)).map(Value::Int),
        seconds => {
            let seconds = seconds.as_f64()?;
            Value::real(seconds + zone.ahead(seconds.floor() as i64) as f64)
        }
    }
}

/// Whether two values compare so. Numbers are ordered by value, names alphabetically, numbers before names.
#[inline]
pub(crate) fn compare(op: Comparison, a: Value, b: Value) -> bool {
    // Distances against thresholds: a real and a small integer compare as reals.
    let small = |i: i64| i.unsigned_abs() < 1 << 53;
    let reals = match (a, b) {
        (Value::Real(x), Value::Real(y)) => Some((x, y)),
        (Value::Real(x), Value::Int(j)) if small(j) => Some((x, j as f64)),
        (Value::Int(i), Value::Real(y)) if small(i) => Some((i as f64, y)),
        _ => None,
    };
    if let Some((x, y)) = reals {
        return match op {
            Comparison::Equal => x == y,
            Comparison::NotEqual => x != y,
            Comparison::Less => x < y,
            Comparison::LessOrEqual => x <= y,
            Comparison::Greater => x > y,
            Comparison::GreaterOrEqual => x >= y,
        };
    }
    match op {
        Comparison::Equal => a == b,
        Comparison::NotEqual => a != b,
        Comparison::Less => a < b,
        Comparison::LessOrEqual => a <= b,
        Comparison::Greater => a > b,
        Comparison::GreaterOrEqual => a >= b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(text: &str) -> Option<String> {
        let clause = crate::lang::parse_theory("t", &format!("p :- X = {text}.")).unwrap().clauses.remove(0);
        let crate::lang::Formula::Compare(_, _, right) = &clause.body[0].formula else { unreachable!() };
        Expr::of(right, &|_| None).and_then(|e| e.eval(&[])).map(|v| v.to_string())
    }

    #[test]
    fn integers_stay_integers_while_they_can() {
        for (text, value) in [
            ("1 + 2 * 3", Some("7")),
            ("7 / 2", Some("3.5")),
            ("6 / 2", Some("3")),
            ("7 // 2", Some("3")),
            ("-7 // 2", Some("-4")),
            ("7 mod 2 + 1", Some("2")),
            ("mod(-7, 2)", Some("1")),
            ("7 mod (0 - 2)", Some("-1")),
            ("7.5 mod 2", Some("1.5")),
            ("7 mod 0", None),
            ("1 // 0", None),
            ("2 ^ 10", Some("1024")),
            ("2 ^ -1", Some("0.5")),
            ("-2 ^ 2", Some("-4")),
            ("(-2) ^ 2", Some("4")),
            ("sqrt(9)", Some("3.0")),
            ("abs(-3) - min(1, 2.5) + max(1, 2.5)", Some("4.5")),
            ("9223372036854775807 + 1", Some("9.223372036854776e18")),
            ("1 / 0", None),
            ("sqrt(-1)", None),
            ("a + 1", None),
            ("10 ^ 400", None),
        ] {
            assert_eq!(eval(text).as_deref(), value, "{text}");
        }
    }
}
