//! Names, values and atoms as clingo writes them.
//!
//! | here | in clingo |
//! |---|---|
//! | `id1` | `id1` |
//! | `'Pump 1'` | `"Pump 1"` |
//! | `25` | `25` |
//! | `2.5`, which clingo does not have | `_real("2.5")` |
//! | `5000000000`, which is too large for clingo | `_int("5000000000")` |
//! | `speed(v1)=low` | `_value(speed(v1),low)` |
//! | `'Strange'(a)` | `_named("Strange",a)` |
//! | `X`, `_old` | `X`, `V'_old` |
//!
//! Equal values are equal terms: `2.0` is `2`. Names that start with `_` are no names of the language, so that nothing of a
//! task is mistaken for them.

use std::fmt::Write;

use oled::{Atom, Symbol, Term, Value};

/// A value.
pub fn value(value: Value) -> String {
    match canonical(value) {
        Value::Sym(name) => constant(name),
        Value::Int(i) if i32::try_from(i).is_ok_and(|i| i != i32::MIN) => i.to_string(),
        Value::Int(i) => format!("_int(\"{i}\")"),
        Value::Real(r) => format!("_real(\"{r:?}\")"),
    }
}

/// Of equal numbers the one that stands for all: an integer where there is one.
pub(crate) fn canonical(value: Value) -> Value {
    let Value::Real(r) = value else { return value };
    let whole = Value::Int(r as i64);
    if whole == value { whole } else { value }
}

/// A name that stands for itself.
fn constant(name: Symbol) -> String {
    if is_plain(name.as_str()) { name.as_str().to_string() } else { quoted(name.as_str()) }
}

/// Whether clingo reads a word as a name, and as nothing else.
fn is_plain(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name != "not"
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

/// A variable. Those that start with `_` would be read as names.
pub(crate) fn variable(name: Symbol) -> String {
    match name.as_str() {
        "_" => "_".into(),
        name if name.starts_with(|c: char| c.is_ascii_uppercase()) && name.is_ascii() => name.into(),
        name => {
            let mut text = String::from("V'");
            for c in name.chars() {
                match c {
                    c if c.is_ascii_alphanumeric() || c == '_' => text.push(c),
                    c => write!(text, "'{}", u32::from(c)).expect("strings can be written to"),
                }
            }
            text
        }
    }
}

/// A compound term or an atom with arguments that are written already.
pub(crate) fn apply(name: Symbol, args: &[String]) -> String {
    match name.as_str() {
        "=" if args.len() == 2 => format!("_value({},{})", args[0], args[1]),
        plain if is_plain(plain) && args.is_empty() => plain.to_string(),
        plain if is_plain(plain) => format!("{plain}({})", args.join(",")),
        other => {
            let args: Vec<String> = std::iter::once(quoted(other)).chain(args.iter().cloned()).collect();
            format!("_named({})", args.join(","))
        }
    }
}

/// A term. Operations are calls of the functions of [`crate::number`].
pub fn term(of: &Term) -> String {
    match of {
        Term::Var(name) | Term::Mark(_, name) => variable(*name),
        Term::Value(v) => value(*v),
        Term::App(name, args) => {
            let written: Vec<String> = args.iter().map(term).collect();
            match crate::number::function(name.as_str(), args.len()) {
                Some(function) => format!("@{function}({})", written.join(",")),
                None => apply(*name, &written),
            }
        }
    }
}

/// An atom as it stands.
pub fn atom(of: &Atom) -> String {
    let args: Vec<String> = of.args.iter().map(term).collect();
    apply(of.name, &args)
}

/// Whether a term is an operation, which stands for its value.
pub(crate) fn is_operation(of: &Term) -> bool {
    matches!(of, Term::App(name, args) if crate::number::function(name.as_str(), args.len()).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_clingo_does_not_have_is_wrapped() {
        let written = |text: &str| atom(&oled::parse_atom(text).unwrap());
        for (text, asp) in [
            ("happensAt(walking(id1), 680)", "happensAt(walking(id1),680)"),
            ("level(k1, 2.5, 3)", "level(k1,_real(\"2.5\"),3)"),
            ("level(k1, 2.0, 3)", "level(k1,2,3)"),
            ("level(k1, 5000000000, 3)", "level(k1,_int(\"5000000000\"),3)"),
            ("holdsAt(speed(v1)=low, T)", "holdsAt(_value(speed(v1),low),T)"),
            ("p('Pump \"1\"', 'not', _old, X + 1)", "p(\"Pump \\\"1\\\"\",\"not\",V'_old,@plus(X,1))"),
        ] {
            assert_eq!(written(text), asp);
        }
    }
}
