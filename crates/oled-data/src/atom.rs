//! Atoms in text: how they are printed for each format, and the wrappers that some formats put around them.

use std::fmt::Write;
use std::ops::Range;

use indexmap::IndexMap;
use oled::{Atom, FactError, FactProblem, FactReader, Facts, Signature, Symbol, Term, Value};
use rustc_hash::FxBuildHasher;

/// What stands around an atom.
#[derive(Debug, PartialEq)]
pub(crate) enum Wrapper {
    None,
    /// `example(A)`: the atom is labelled true.
    Example,
    /// `negExample(A)`: the atom is labelled false, as everything is that is not labelled true.
    NegExample,
}

/// Takes `example(…)` or `negExample(…)` off; returns also the range of what is inside.
pub(crate) fn unwrap(text: &str) -> (Wrapper, Range<usize>) {
    let start = text.len() - text.trim_start().len();
    let (wrapper, inner) = match wrapper(&text[start..]) {
        (Wrapper::None, _) => return (Wrapper::None, 0..text.len()),
        (wrapper, length) => (wrapper, start + length),
    };
    let end = text.trim_end_matches(|c: char| c.is_whitespace() || c == '.');
    (wrapper, inner..end.strip_suffix(')').map_or(end.len(), str::len).max(inner))
}

/// The wrapper that a text begins with, and its length.
pub(crate) fn wrapper(text: &str) -> (Wrapper, usize) {
    for (wrapper, name) in [(Wrapper::Example, "example("), (Wrapper::NegExample, "negExample(")] {
        if text.starts_with(name) {
            return (wrapper, name.len());
        }
    }
    (Wrapper::None, 0)
}

/// Where a byte is first found outside of quotes.
pub(crate) fn find_unquoted(bytes: &[u8], mut at: usize, wanted: u8) -> Option<usize> {
    let mut quote = None;
    while let Some(&byte) = bytes.get(at) {
        match quote {
            None if byte == wanted => return Some(at),
            None if matches!(byte, b'\'' | b'"') => quote = Some(byte),
            Some(_) if byte == b'\\' => at += 1,
            Some(open) if open == byte => quote = None,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Reads one term on its own, into facts without any other; returns whether it is a name or a number.
pub(crate) fn read_term(text: &str) -> Result<Option<Value>, FactError> {
    const BEFORE: &str = "t(";
    let mut facts = Facts::default();
    FactReader::default()
        .read(&format!("{BEFORE}{text},0)"), &mut facts)
        .map_err(|e| FactError { at: e.at.saturating_sub(BEFORE.len()).min(text.len()), problem: e.problem })?;
    let (signature, values) = facts.iter().next().expect("one was read");
    match numbered(signature).args.as_slice() {
        [Term::Value(_), _] => Ok(Some(values[0])),
        [Term::App(..), _] => Ok(None),
        _ => Err(FactError { at: 0, problem: FactProblem::Expected("one term") }),
    }
}

/// Reads the name of a segment, which may be a number.
pub(crate) fn read_segment(text: &str) -> Result<Symbol, FactError> {
    match read_term(text)? {
        Some(Value::Sym(name)) => Ok(name),
        Some(_) => Ok(Symbol::new(text.trim())),
        None => Err(FactError { at: 0, problem: FactProblem::Expected("a name") }),
    }
}

/// A part of a printed atom.
#[derive(Debug)]
pub(crate) enum TemplatePart {
    Text(String),
    /// A value of the fact.
    Value(usize),
    /// A value of the fact that must not look like the word `true`.
    NotTrue(usize),
    Time,
}

/// The text of a signature's atoms, in which only values and times have to be filled in.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) parts: Vec<TemplatePart>,
    /// The number of the hole that is the time.
    time: usize,
}

impl Template {
    /// Nothing yet, of a signature.
    pub(crate) fn new(signature: Signature) -> Template {
        Template { parts: Vec::new(), time: signature.arity() - 1 }
    }

    /// The atom as it is, with quotes around its name if that is reserved by the format.
    pub(crate) fn atom(signature: Signature, reserved: &[&str]) -> Template {
        let mut template = Template::new(signature);
        let atom = numbered(signature);
        if reserved.contains(&atom.name.as_str()) {
            template.text(&format!("'{}'", atom.name.as_str()));
        } else {
            template.text(&atom.name.to_string());
        }
        template.args(&atom.args);
        template
    }

    pub(crate) fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(TemplatePart::Text(last)) => last.push_str(text),
            _ => self.parts.push(TemplatePart::Text(text.into())),
        }
    }

    /// A term of a [`numbered`] atom. Only names and `=` have a syntax of their own among facts; any other
    /// operator is a quoted name. Within `=` there is no other `=` without a name and brackets.
    pub(crate) fn term(&mut self, term: &Term, within_equal: bool) {
        match term {
            Term::Value(Value::Int(hole)) if *hole as usize == self.time => self.parts.push(TemplatePart::Time),
            Term::Value(Value::Int(hole)) => self.parts.push(TemplatePart::Value(*hole as usize)),
            Term::App(name, args) => match args.as_slice() {
                [left, right] if name.as_str() == "=" && !within_equal => {
                    self.term(left, true);
                    self.text("=");
                    self.term(right, true);
                }
                // A fluent without arguments.
                [] => self.text(&name.to_string()),
                args => {
                    self.text(&name.to_string());
                    self.args(args);
                }
            },
            _ => unreachable!("a numbered atom has nothing but names and numbers"),
        }
    }

    fn args(&mut self, args: &[Term]) {
        for (i, arg) in args.iter().enumerate() {
            self.text(if i == 0 { "(" } else { "," });
            self.term(arg, false);
        }
        self.text(")");
    }

    /// Appends the atom of a fact at a time.
    pub(crate) fn write(&self, values: &[Value], time: i64, out: &mut String) {
        for part in &self.parts {
            // Writing to a string cannot fail.
            let _ = match part {
                TemplatePart::Text(text) => out.write_str(text),
                TemplatePart::NotTrue(i) if values[*i] == Value::from("true") => out.write_str("'true'"),
                TemplatePart::Value(i) | TemplatePart::NotTrue(i) => write!(out, "{}", values[*i]),
                TemplatePart::Time => write!(out, "{time}"),
            };
        }
    }
}

/// The atom of a signature with its holes numbered from left to right.
pub(crate) fn numbered(signature: Signature) -> Atom {
    signature.fill((0..).map(|i| Term::Value(Value::Int(i))))
}

/// Templates by signature, made when first asked for.
pub(crate) struct Templates<T = Template> {
    known: IndexMap<Signature, T, FxBuildHasher>,
    make: Box<dyn Fn(Signature) -> T + Send>,
}

impl<T> Templates<T> {
    pub(crate) fn new(make: impl Fn(Signature) -> T + Send + 'static) -> Templates<T> {
        Templates { known: IndexMap::default(), make: Box::new(make) }
    }

    pub(crate) fn of(&mut self, signature: Signature) -> &T {
        self.known.entry(signature).or_insert_with(|| (self.make)(signature))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str, reserved: &'static [&str]) -> String {
        let mut facts = oled::Facts::default();
        let time = oled::FactReader::default().read(text, &mut facts).unwrap();
        let mut out = String::new();
        let (signature, values) = facts.iter().next().unwrap();
        Template::atom(signature, reserved).write(values, time, &mut out);
        out
    }

    #[test]
    fn atoms_are_printed_without_blanks_and_read_back() {
        for text in [
            "happensAt(walking(id1),680)",
            "holdsAt(speed(v)=low,-3)",
            "p('='(a,b)=c,1)",
            "p(f(a=b),'A b',2.5,1)",
            "'='(a,1)",
            "'+'(1,2)",
        ] {
            assert_eq!(print(text, &[]), text);
        }
        assert_eq!(print("time(a,1)", &["time"]), "'time'(a,1)");
    }

    #[test]
    fn terms_are_read_one_at_a_time() {
        assert_eq!(read_term("'a b'"), Ok(Some("a b".into())));
        assert_eq!(read_term("f(x)"), Ok(None));
        assert_eq!(read_term("a,b").unwrap_err().problem, FactProblem::Expected("one term"));
        assert!(read_term("a),t(b").is_err());
        assert_eq!(read_segment("12"), Ok(Symbol::new("12")));
        assert_eq!(read_segment("f(x)").unwrap_err().at, 0);
    }

    #[test]
    fn what_stands_in_quotes_is_not_found() {
        assert_eq!(find_unquoted(br"'a|\'|'|b", 0, b'|'), Some(7));
        assert_eq!(find_unquoted(b"'a|b", 0, b'|'), None);
    }

    #[test]
    fn wrappers_are_taken_off() {
        let inside = |text: &'static str| {
            let (wrapper, range) = unwrap(text);
            (wrapper, &text[range])
        };
        assert_eq!(inside(" example(p(1)) . "), (Wrapper::Example, "p(1)"));
        assert_eq!(inside("negExample(p(1))"), (Wrapper::NegExample, "p(1)"));
        assert_eq!(inside("examples(1)"), (Wrapper::None, "examples(1)"));
        assert_eq!(inside("example("), (Wrapper::Example, ""));
    }
}
