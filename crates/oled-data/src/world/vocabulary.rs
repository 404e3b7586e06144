//! Vocabulary: what is seen, in the words of CAVIAR.

use oled::{Facts, Signature, Value, parse_atom};

use super::hall::Sighting;
use super::truth::Fluent;

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Person,
    Object,
}

/// How places in a hall become coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    /// Where the left wall of the hall is, before scaling.
    pub(super) left: i64,
    pub(super) scale: i64,
    pub(super) shift: i64,
}

impl View {
    /// The pixel `x`, `y` of a hall. Beyond 64 bits coordinates stay at the bound.
    fn of(self, (x, y): (i64, i64)) -> [Value; 2] {
        [self.left + x, y].map(|c| Value::Int(c.saturating_mul(self.scale).saturating_add(self.shift)))
    }
}

/// The words for what is seen, looked up once.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    /// In the order of [`super::body::Movement`].
    movements: [Signature; 5],
    appear: Signature,
    disappear: Signature,
    coords: Signature,
    orientation: Signature,
    /// In the order of [`Fluent`].
    pub(super) holds: [Signature; 5],
    /// `p1`, `p2`, … and `o1`, `o2`, …, as far as they were needed.
    pub(super) names: [Vec<Value>; 2],
}

impl Vocabulary {
    pub(super) fn new() -> Vocabulary {
        let signature = |atom: &str| Signature::of(&parse_atom(atom).expect("the atoms below are well-formed"));
        let event = |name: &str| signature(&format!("happensAt({name}(a), 0)"));
        let holds = |fluent| match fluent {
            Fluent::Meeting => "meeting",
            Fluent::Moving => "moving",
            Fluent::Fighting => "fighting",
            Fluent::LeavingObject => "leaving_object",
            Fluent::Loitering => "loitering",
        };
        Vocabulary {
            movements: ["walking", "active", "inactive", "running", "abrupt"].map(event),
            appear: event("appear"),
            disappear: event("disappear"),
            coords: signature("coords(a, 0, 0, 0)"),
            orientation: signature("orientation(a, 0, 0)"),
            holds: Fluent::ALL.map(|f| {
                let entities = ["a", "b"][..f.arity()].join(", ");
                signature(&format!("holdsAt({}({entities}), 0)", holds(f)))
            }),
            names: [Vec::new(), Vec::new()],
        }
    }

    /// The name of the person or the object with this number.
    pub(super) fn name(&mut self, (kind, number): (Kind, usize)) -> Value {
        let names = &mut self.names[kind as usize];
        while names.len() <= number {
            names.push(Value::from(format!("{}{}", ["p", "o"][kind as usize], names.len() + 1).as_str()));
        }
        names[number]
    }

    /// The facts about a sighting.
    pub(super) fn narrate(&self, seen: &Sighting, name: Value, view: View, facts: &mut Facts) {
        facts.push(self.movements[seen.movement as usize], &[name]);
        if seen.appears {
            facts.push(self.appear, &[name]);
        }
        if seen.disappears {
            facts.push(self.disappear, &[name]);
        }
        let [x, y] = view.of(seen.pixel());
        facts.push(self.coords, &[name, x, y]);
        if let Some(degrees) = seen.heading {
            facts.push(self.orientation, &[name, Value::Int(i64::from(degrees))]);
        }
    }
}
