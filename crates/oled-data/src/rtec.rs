//! Delimited text as RTEC reads it: a name, a time, the time of arrival, and what is known, between bars.
//!
//! ```text
//! appear|680|680|id0           an event:      happensAt(appear(id0),680)
//! walking|680|680|true|id0     a fluent:      holdsAt(walking(id0),680)
//! orientation|680|680|45|id0   another value: holdsAt(orientation(id0)=45,680)
//! coords|680|680|id0|262|285   a predicate:   coords(id0,262,285,680)
//! near|760|680|740|true|id0    an interval:   holdsAt(near(id0),T) from 680 to 739; here the first time is that of arrival
//! ```
//!
//! The fields do not tell these apart, so what a name is stands in a line of its own, or follows from the declared
//! inputs, or else it is a fluent with a value:
//!
//! ```text
//! # event appear/1      # predicate coords/3      # fluent walking/1      # label meeting/2
//! # label event e/1     # label predicate p/1     # segment walk1         # time 720
//! # interval near/1     # label interval meeting/2
//! ```

mod read;
mod write;

pub(crate) use read::RtecReader;
pub(crate) use write::RtecWriter;

use oled::{Atom, Symbol, Term};
use serde::{Deserialize, Serialize};

/// What the lines of a name are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kind {
    shape: Shape,
    /// Whether they are annotation.
    label: bool,
    /// Whether they have a start and an end.
    span: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Shape {
    Event,
    Fluent,
    Predicate,
}

impl Shape {
    /// The number of fields behind the times, for a number of arguments: a fluent has its value before them.
    fn fields(self, args: usize) -> usize {
        args + usize::from(self == Shape::Fluent)
    }
}

/// An atom taken apart into the fields of a line.
struct Row<'a> {
    shape: Shape,
    name: Symbol,
    /// The value of a fluent, unless that is just true.
    value: Option<&'a Term>,
    args: &'a [Term],
}

impl<'a> Row<'a> {
    /// The row of an atom whose last argument is the time. What is neither an event nor a fluent, or has no name
    /// inside, is a predicate: any atom can be one.
    fn of(atom: &'a Atom) -> Row<'a> {
        let row = |shape, name: &Symbol, value, args| Row { shape, name: *name, value, args };
        match (atom.name.as_str(), atom.args.as_slice()) {
            ("happensAt", [Term::App(name, args), _]) => row(Shape::Event, name, None, args),
            ("holdsAt", [Term::App(equal, sides), _]) if equal.as_str() == "=" && sides.len() == 2 => match &sides[0] {
                Term::App(name, args) => row(Shape::Fluent, name, Some(&sides[1]), args),
                _ => row(Shape::Predicate, &atom.name, None, &atom.args[..1]),
            },
            ("holdsAt", [Term::App(name, args), _]) => row(Shape::Fluent, name, None, args),
            (_, args) => row(Shape::Predicate, &atom.name, None, &args[..args.len() - 1]),
        }
    }
}
