//! The stream as facts: time points and what is observed at them.

use std::fmt::Write;

use indexmap::IndexMap;
use oled::logic::Role;
use oled::{CalculusOptions, Frame, Symbol, Task, Term, Value};

use super::{Printer, Times, term};

/// A stream in parts between which nothing persists.
pub(crate) fn episodes<'f>(task: &Task, frames: &'f [Frame]) -> Vec<Episode<'f>> {
    let CalculusOptions { interleaved, .. } = task.options;
    let mut episodes: Vec<(Symbol, Vec<&Frame>)> = Vec::new();
    for frame in frames {
        let same = |(segment, _): &&mut (Symbol, _)| *segment == frame.segment;
        let known = if interleaved { episodes.iter_mut().find(same) } else { episodes.last_mut().filter(same) };
        match known {
            Some((_, frames)) => frames.push(frame),
            None => episodes.push((frame.segment, vec![frame])),
        }
    }
    let mut named: Vec<Episode<'_>> = Vec::new();
    for (segment, frames) in episodes {
        let before = named.iter().filter(|e| e.frames[0].segment == segment).count() as i64;
        let name = Term::Value(Value::Sym(segment));
        let again = |name| Term::App(Symbol::new("_again"), vec![name, Term::Value(Value::Int(before))]);
        named.push(Episode { name: if before == 0 { name } else { again(name) }, frames });
    }
    named
}

/// Frames that follow each other in one segment.
pub(crate) struct Episode<'f> {
    /// The name of the segment; one that begins again has another.
    pub(crate) name: Term,
    pub(crate) frames: Vec<&'f Frame>,
}

impl Printer<'_> {
    /// The time points of a stream and what is observed at them.
    pub fn stream(&self, frames: &[Frame]) -> String {
        self.episodes(&episodes(self.task, frames))
    }

    pub(crate) fn episodes(&self, episodes: &[Episode<'_>]) -> String {
        let mut text = String::new();
        for Episode { name, frames } in episodes {
            // A name that is none of the language.
            let segment = match name {
                Term::App(_, args) => format!("_again({},{})", term::term(&args[0]), term::term(&args[1])),
                name => term::term(name),
            };
            let mut before: Option<String> = None;
            for frame in frames {
                let point = self.point(&segment, frame.time);
                if before.is_none() && self.has_initially() {
                    let start = self.point(&format!("_init({segment})"), frame.time);
                    writeln!(text, "_at({start}).").expect("strings can be written to");
                    self.facts(frame, &start, &mut text);
                }
                let follows = before.map_or_else(|| format!("_first({point})."), |p| format!("_next({p},{point})."));
                writeln!(text, "_at({point}). _time({point}). {follows}").expect("strings can be written to");
                self.facts(frame, &point, &mut text);
                before = Some(point);
            }
        }
        text
    }

    /// What is observed at a frame, at its own time point.
    pub fn frame(&self, frame: &Frame) -> String {
        let mut text = String::new();
        self.facts(frame, &self.point(&term::value(Value::Sym(frame.segment)), frame.time), &mut text);
        text
    }

    fn point(&self, segment: &str, time: i64) -> String {
        let time = term::value(Value::Int(time));
        match self.times {
            Times::Plain => time,
            Times::WithSegment => format!("({segment},{time})"),
        }
    }

    /// What is observed, as far as it is declared.
    fn facts(&self, frame: &Frame, point: &str, text: &mut String) {
        let declared = frame
            .narrative
            .filter(|signature, _| self.vocabulary.predicates.get(&signature).is_some_and(|p| p.role == Role::Input));
        let mut told: IndexMap<String, u64> = IndexMap::new();
        for atom in declared.atoms(frame.time) {
            let atom = self.atom_at(&atom, Some(point));
            let repeated = told.entry(atom.clone()).and_modify(|times| *times += 1).or_default();
            match *repeated {
                0 => writeln!(text, "{atom}."),
                times => writeln!(text, "_repeated({atom},{times})."),
            }
            .expect("strings can be written to");
        }
    }
}
