//! Arithmetic and order for clingo, which has integers of 32 bits only: the functions that printed programs call.
//!
//! `X + 1` is printed `@plus(X,1)`, `X < Y` is printed `@less(X,Y) = 1`. They are written here once more, apart from the
//! library's own arithmetic, which is judged by them; and in Python, so that a printed program runs by itself.

use std::cmp::Ordering;

use oled::Value;

/// The function that stands for an operation of the language.
pub(crate) fn function(name: &str, arity: usize) -> Option<&'static str> {
    Some(match (name, arity) {
        ("+", 2) => "plus",
        ("-", 2) => "minus",
        ("*", 2) => "times",
        ("/", 2) => "divided",
        ("//", 2) => "floored",
        ("mod", 2) => "rest",
        ("^", 2) => "power",
        ("min", 2) => "least",
        ("max", 2) => "greatest",
        ("-", 1) => "negative",
        ("abs", 1) => "magnitude",
        ("sqrt", 1) => "root",
        _ => return None,
    })
}

/// The value of a function: `None` where there is none, as for a division by zero, and for a function that is not known.
pub fn call(function: &str, arguments: &[Value]) -> Option<Value> {
    match (function, arguments) {
        ("less", [a, b]) => Some(Value::Int(i64::from(order(*a, *b) == Ordering::Less))),
        ("at_most", [a, b]) => Some(Value::Int(i64::from(order(*a, *b) != Ordering::Greater))),
        (_, [a]) => unary(function, *a),
        (_, [a, b]) => binary(function, *a, *b),
        _ => None,
    }
}

fn unary(function: &str, a: Value) -> Option<Value> {
    let exact = match (function, a) {
        ("negative", Value::Int(i)) => i.checked_neg(),
        ("magnitude", Value::Int(i)) => i.checked_abs(),
        _ => None,
    };
    if let Some(exact) = exact {
        return Some(Value::Int(exact));
    }
    let x = a.as_f64()?;
    match function {
        "negative" => Value::real(-x),
        "magnitude" => Value::real(x.abs()),
        "root" => Value::real(x.sqrt()),
        _ => None,
    }
}

fn binary(function: &str, a: Value, b: Value) -> Option<Value> {
    let (x, y) = (a.as_f64()?, b.as_f64()?);
    match function {
        "least" => return Some(if order(b, a) == Ordering::Less { b } else { a }),
        "greatest" => return Some(if order(b, a) == Ordering::Greater { b } else { a }),
        _ => {}
    }
    if let (Value::Int(i), Value::Int(j)) = (a, b) {
        // In twice as many bits nothing overflows on the way.
        let (i, j) = (i128::from(i), i128::from(j));
        let exact = match function {
            "plus" => Some(i + j),
            "minus" => Some(i - j),
            "times" => Some(i * j),
            "divided" if j != 0 && i % j == 0 => Some(i / j),
            "floored" if j != 0 => Some((i - (i % j + j) % j) / j),
            "rest" if j != 0 => Some((i % j + j) % j),
            "power" => u32::try_from(j).ok().and_then(|j| i.checked_pow(j)),
            _ => None,
        };
        if let Some(exact) = exact.and_then(|e| i64::try_from(e).ok()) {
            return Some(Value::Int(exact));
        }
    }
    match function {
        "plus" => Value::real(x + y),
        "minus" => Value::real(x - y),
        "times" => Value::real(x * y),
        "divided" => Value::real(x / y),
        "floored" => Value::real((x / y).floor()),
        "rest" => Value::real(x - y * (x / y).floor()),
        "power" => Value::real(libm::pow(x, y)),
        _ => None,
    }
}

/// Numbers by value, before names in alphabetical order.
fn order(a: Value, b: Value) -> Ordering {
    match (a, b) {
        (Value::Sym(a), Value::Sym(b)) => a.as_str().cmp(b.as_str()),
        (Value::Sym(_), _) => Ordering::Greater,
        (_, Value::Sym(_)) => Ordering::Less,
        (Value::Int(a), Value::Int(b)) => a.cmp(&b),
        (Value::Real(a), Value::Real(b)) => a.total_cmp(&b),
        (Value::Int(a), Value::Real(b)) => order_mixed(a, b),
        (Value::Real(a), Value::Int(b)) => order_mixed(b, a).reverse(),
    }
}

/// An integer and a real, without rounding the integer.
fn order_mixed(i: i64, r: f64) -> Ordering {
    let whole = r.floor();
    match () {
        () if whole >= 9_223_372_036_854_775_808.0 => Ordering::Less,
        () if whole < -9_223_372_036_854_775_808.0 => Ordering::Greater,
        () => i.cmp(&(whole as i64)).then(if r > whole { Ordering::Less } else { Ordering::Equal }),
    }
}

/// The same functions for the clingo of the command line.
pub const SCRIPT: &str = include_str!("number.py");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_stay_integers_while_they_can() {
        let real = |r: f64| Value::real(r).unwrap();
        let int = Value::Int;
        for (function, a, b, value) in [
            ("plus", int(i64::MAX), int(1), Some(real(9.223_372_036_854_776e18))),
            ("divided", int(6), int(2), Some(int(3))),
            ("divided", int(7), int(2), Some(real(3.5))),
            ("divided", int(1), int(0), None),
            ("floored", int(-7), int(2), Some(int(-4))),
            ("rest", int(-7), int(2), Some(int(1))),
            ("rest", int(7), int(-2), Some(int(-1))),
            ("rest", real(7.5), int(2), Some(real(1.5))),
            ("rest", int(7), int(0), None),
            ("power", int(2), int(10), Some(int(1024))),
            ("power", int(2), int(-1), Some(real(0.5))),
            ("plus", Value::from("a"), int(1), None),
            ("least", int(1), real(2.5), Some(int(1))),
            ("greatest", int(1), real(2.5), Some(real(2.5))),
            ("less", int(3), real(3.5), Some(int(1))),
            ("less", Value::from("a"), int(3), Some(int(0))),
            ("at_most", int(i64::MAX), real(9.3e18), Some(int(1))),
        ] {
            assert_eq!(call(function, &[a, b]), value, "{function}({a},{b})");
        }
        assert_eq!(call("root", &[int(-1)]), None);
        assert_eq!(call("root", &[int(9)]), Some(int(3)));
        assert_eq!(call("magnitude", &[int(-3)]), Some(int(3)));
    }
}
