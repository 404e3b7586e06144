//! The stream as facts: time points and what is observed at them.

use std::fmt::Write;

use oled::logic::Role;
use oled::{CalculusOptions, Frame, Symbol, Task, Value};

use super::{Printer, Times, term};

/// Frames that follow each other in one segment, under the name of the segment; a segment that begins again has another.
pub(super) fn episodes<'f>(task: &Task, frames: &'f [Frame]) -> Vec<(String, Vec<&'f Frame>)> {
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
    let mut named: Vec<(Symbol, String, Vec<&Frame>)> = Vec::new();
    for (segment, frames) in episodes {
        let before = named.iter().filter(|(s, ..)| *s == segment).count();
        let name = term::value(Value::Sym(segment));
        let name = if before == 0 { name } else { format!("_again({name},{before})") };
        named.push((segment, name, frames));
    }
    named.into_iter().map(|(_, name, frames)| (name, frames)).collect()
}

impl Printer<'_> {
    /// The time points of a stream and what is observed at them.
    pub fn stream(&self, frames: &[Frame]) -> String {
        let mut text = String::new();
        for (segment, frames) in episodes(self.task, frames) {
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
        for atom in declared.atoms(frame.time) {
            writeln!(text, "{}.", self.atom_at(&atom, Some(point))).expect("strings can be written to");
        }
    }
}
