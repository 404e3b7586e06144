//! Writing delimited text: before the first line of a kind, a line that says what it is.

use std::fmt::Write;

use indexmap::IndexMap;
use oled::{Facts, Frame, Signature, Symbol, Term, Value};
use rustc_hash::FxBuildHasher;

use super::{Kind, Row, Shape};
use crate::atom::{self, Template, TemplatePart, Templates};

pub(crate) struct RtecWriter {
    templates: Templates<Line>,
    segment: Option<Symbol>,
    /// What the reader knows by now: the kind of a name with a number of fields.
    told: IndexMap<(Symbol, usize), Kind, FxBuildHasher>,
}

/// How the facts of a signature are written.
struct Line {
    shape: Shape,
    name: Symbol,
    args: usize,
    template: Template,
}

impl Line {
    fn of(signature: Signature) -> Line {
        let atom = atom::numbered(signature);
        let Row { shape, name, value, args } = Row::of(&atom);
        let mut template = Template::new(signature);
        template.text(&name.to_string());
        for _ in 0..2 {
            template.text("|");
            template.parts.push(TemplatePart::Time);
        }
        match value {
            // A fluent whose value is the name `true` is not a fluent that is true.
            Some(Term::Value(Value::Int(hole))) => {
                template.text("|");
                template.parts.push(TemplatePart::NotTrue(*hole as usize));
            }
            Some(value) => {
                template.text("|");
                template.term(value, true);
            }
            None if shape == Shape::Fluent => template.text("|true"),
            None => {}
        }
        for arg in args {
            template.text("|");
            template.term(arg, false);
        }
        template.text("\n");
        Line { shape, name, args: args.len(), template }
    }
}

impl RtecWriter {
    pub(crate) fn new() -> RtecWriter {
        RtecWriter { templates: Templates::new(Line::of), segment: None, told: IndexMap::default() }
    }

    /// Appends the lines of a frame.
    pub(crate) fn write(&mut self, frame: &Frame, out: &mut String) {
        // Writing to a string cannot fail.
        if self.segment.replace(frame.segment) != Some(frame.segment) {
            let _ = writeln!(out, "# segment {}", frame.segment);
        }
        if frame.narrative.is_empty() && frame.annotation.is_empty() {
            let _ = writeln!(out, "# time {}", frame.time);
        }
        self.write_facts(&frame.narrative, false, frame.time, out);
        self.write_facts(&frame.annotation, true, frame.time, out);
    }

    fn write_facts(&mut self, facts: &Facts, label: bool, time: i64, out: &mut String) {
        for (signature, values) in facts.iter() {
            let line = self.templates.of(signature);
            let kind = Kind { shape: line.shape, label, span: false };
            let key = (line.name, kind.shape.fields(line.args));
            if self.told.get(&key) != Some(&kind) {
                let shape = match (kind.shape, label) {
                    (Shape::Event, false) => "event",
                    (Shape::Fluent, false) => "fluent",
                    (Shape::Predicate, false) => "predicate",
                    (Shape::Event, true) => "label event",
                    (Shape::Fluent, true) => "label",
                    (Shape::Predicate, true) => "label predicate",
                };
                let _ = writeln!(out, "# {shape} {}/{}", line.name, line.args);
                self.told.insert(key, kind);
            }
            line.template.write(values, time, out);
        }
    }
}
