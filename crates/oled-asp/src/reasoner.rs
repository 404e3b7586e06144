//! Reasoner: a background in clingo's own language. Each time point is given to clingo with what is observed there; what
//! follows, as far as it is declared, comes to the rules as if it had been observed.

use std::fmt::Write;
use std::sync::Arc;

use oled::{Atom, Bias, Diagnostic, Frame, Signature, Source, Span, Symbol, Term, Value};
use oled_data::Reasoner;

use crate::print;
use crate::solver::{Limits, Model, SolverError, check, solve};

/// A background for clingo.
#[derive(Debug)]
pub struct Clingo {
    program: String,
    /// What may be derived: all that is declared as input.
    declared: Vec<Signature>,
    /// The places of names in what is observed: signature, column, type.
    types: Vec<(Signature, usize, Symbol)>,
    always: String,
}

/// Makes a reasoner, for [`oled_data::provide`]. A background that clingo does not accept, or that has none or several
/// models before anything is observed, is wrong.
pub fn make(bias: &Bias, background: &Arc<Source>) -> Result<Arc<dyn Reasoner>, Vec<Diagnostic>> {
    Clingo::new(bias, background).map(|clingo| Arc::new(clingo) as Arc<dyn Reasoner>)
}

impl Clingo {
    /// A reasoner for a background; or everything that is wrong with it.
    pub fn new(bias: &Bias, background: &Arc<Source>) -> Result<Clingo, Vec<Diagnostic>> {
        check(&background.text).map_err(|error| placed(background, &error))?;
        let mut clingo =
            Clingo { program: background.text.clone(), declared: Vec::new(), types: Vec::new(), always: String::new() };
        for mode in &bias.inputs {
            clingo.declared.push(mode.signature());
            for (column, kind) in mode.types().into_iter().enumerate() {
                if let Some(kind) = kind.filter(|k| k.as_str() != "time" && !bias.kind_of(*k).is_number()) {
                    clingo.types.push((mode.signature(), column, kind));
                }
            }
        }
        let whole = Span { source: Some(Arc::clone(background)), start: 0, end: 0 };
        let model = clingo.model("").map_err(|why| {
            vec![Diagnostic::new(&whole, why).hint("the background must have exactly one model: it cannot choose")]
        })?;
        for atom in model.atoms.iter().filter(|atom| is_of_the_language(atom)) {
            writeln!(clingo.always, "{atom}.").expect("strings can be written to");
        }
        Ok(clingo)
    }

    /// The one model of the background and some facts.
    fn model(&self, facts: &str) -> Result<Model, String> {
        let limits = Limits { models: Some(2), ..Limits::default() };
        let answer = solve(&format!("{}\n{facts}", self.program), &[], &limits).map_err(|error| error.to_string())?;
        let mut models = answer.models.into_iter();
        match (models.next(), models.next()) {
            (Some(model), None) => Ok(model),
            (None, _) => Err("the background has no model".into()),
            _ => Err("the background has more than one model".into()),
        }
    }

    /// What is observed, the types of it, and the time.
    fn facts(&self, frame: &Frame) -> String {
        let time = print::value(Value::Int(frame.time));
        let mut text = format!("time({time}).\n");
        for (signature, values) in frame.narrative.iter() {
            for (_, column, kind) in self.types.iter().filter(|(s, ..)| *s == signature) {
                let typed =
                    Atom::new(kind.as_str(), vec![Term::Value(values[*column]), Term::Value(Value::Int(frame.time))]);
                writeln!(text, "{}.", print::atom(&typed)).expect("strings can be written to");
            }
        }
        for atom in frame.narrative.atoms(frame.time) {
            writeln!(text, "{}.", print::atom(&atom)).expect("strings can be written to");
        }
        text
    }
}

impl Reasoner for Clingo {
    fn always(&self) -> &str {
        &self.always
    }

    fn extend(&self, frame: &mut Frame) -> Result<(), String> {
        let model = self
            .model(&self.facts(frame))
            .map_err(|why| format!("{why} at time {} of segment `{}`", frame.time, frame.segment))?;
        for atom in &model.atoms {
            let Some((signature, mut values)) = Signature::split(atom) else { continue };
            let derived = self.declared.contains(&signature) && values.pop() == Some(Value::Int(frame.time));
            if derived && !frame.narrative.contains(signature, &values) {
                frame.narrative.push(signature, &values);
            }
        }
        Ok(())
    }
}

/// Whether an atom can be a fact of the language; auxiliary ones of clingo's need not be.
fn is_of_the_language(atom: &Atom) -> bool {
    Signature::split(atom).is_some() && !atom.name.as_str().starts_with(['_', '-']) && !atom.name.as_str().is_empty()
}

/// What clingo says, at the places that it names: `<block>:3:1-5: error: syntax error`.
fn placed(background: &Arc<Source>, error: &SolverError) -> Vec<Diagnostic> {
    let text = match error {
        SolverError::Program(text) | SolverError::Failed(text) => text,
    };
    let mut problems: Vec<Diagnostic> = Vec::new();
    for message in text.split("<block>:").filter(|m| !m.trim().is_empty()) {
        let mut parts = message.splitn(3, ':');
        let number = |part: Option<&str>| -> Option<usize> { part?.split('-').next()?.parse().ok() };
        let (line, column) = (number(parts.next()), number(parts.next()));
        let said = parts.next().unwrap_or(message).trim().trim_start_matches("error: ");
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ").replace("[#inc_base];", "");
        let start = line.map_or(0, |line| background.text.split_inclusive('\n').take(line - 1).map(str::len).sum());
        let start = (start + column.map_or(0, |c| c - 1)).min(background.text.len()) as u32;
        let span = Span { source: Some(Arc::clone(background)), start, end: start + 1 };
        problems.push(Diagnostic::new(&span, format!("clingo: {said}")).hint("the background is a program for clingo"));
    }
    problems
}
