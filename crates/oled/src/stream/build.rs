//! Frames built without text: an event, a fluent, a fact or a label by its name and its arguments.

use super::{Facts, Frame};
use crate::lang::{Atom, Signature, Symbol, Term, Value, ec};

/// What a frame is about, by name and arguments, which are names and numbers.
///
/// ```
/// use oled::{Frame, Value};
/// let mut frame = Frame::new("walk1".into(), 680);
/// frame.happens("walking", ["id1"]).happens("alarm", [""; 0]);
/// frame.fact("coords", [Value::from("id1"), Value::from(201), Value::real(432.5).unwrap()]);
/// frame.holds("near", ["id1", "id2"]).label("meeting", ["id1", "id2"]);
/// let shown = |facts: &oled::Facts| facts.atoms(680).map(|atom| atom.to_string()).collect::<Vec<_>>();
/// assert_eq!(shown(&frame.narrative), [
///     "happensAt(walking(id1), 680)", "happensAt(alarm, 680)", "coords(id1, 201, 432.5, 680)",
///     "holdsAt(near(id1, id2), 680)",
/// ]);
/// assert_eq!(shown(&frame.annotation), ["holdsAt(meeting(id1, id2), 680)"]);
/// ```
impl Frame {
    /// Something happens: `happensAt(walking(id1), 680)`.
    pub fn happens<V: Into<Value>>(&mut self, event: &str, arguments: impl IntoIterator<Item = V>) -> &mut Frame {
        push(&mut self.narrative, ec::HAPPENS, event, arguments);
        self
    }

    /// A fluent that is observed holds: `holdsAt(near(id1, id2), 680)`.
    pub fn holds<V: Into<Value>>(&mut self, fluent: &str, arguments: impl IntoIterator<Item = V>) -> &mut Frame {
        push(&mut self.narrative, ec::HOLDS, fluent, arguments);
        self
    }

    /// A fact with its values: `coords(id1, 201, 432, 680)`.
    pub fn fact<V: Into<Value>>(&mut self, name: &str, values: impl IntoIterator<Item = V>) -> &mut Frame {
        let values: Vec<Value> = values.into_iter().map(Into::into).collect();
        self.narrative.push(Signature::plain(Symbol::new(name), values.len() + 1), &values);
        self
    }

    /// A fluent is labelled as true: `holdsAt(meeting(id1, id2), 680)`.
    pub fn label<V: Into<Value>>(&mut self, fluent: &str, arguments: impl IntoIterator<Item = V>) -> &mut Frame {
        push(&mut self.annotation, ec::HOLDS, fluent, arguments);
        self
    }
}

fn push<V: Into<Value>>(facts: &mut Facts, predicate: &str, name: &str, arguments: impl IntoIterator<Item = V>) {
    let mut values: Vec<Value> = arguments.into_iter().map(Into::into).collect();
    let inner = if values.is_empty() && predicate == ec::HAPPENS {
        // An event without arguments is its own name.
        values.push(Value::Sym(Symbol::new(name)));
        Term::Value(values[0])
    } else {
        Term::App(Symbol::new(name), values.iter().copied().map(Term::Value).collect())
    };
    facts.push(Signature::of(&Atom::new(predicate, vec![inner, Term::Value(Value::Int(0))])), &values);
}
