//! Truth: the rules of `tasks/lobby/theories/true.lp` and of `changed.lp` beside it, transcribed.
//!
//! The same rules twice, so that a world of any size is labelled faster than it is simulated, and so that the recogniser
//! and this file check each other: a test runs `true.lp` over the narrative and expects these labels, and `changed.lp`
//! where the rules have changed.

use super::body::Movement::{Abrupt, Active, Inactive, Running, Walking};
use super::hall::{Sighting, Who};
use super::past::Past;

/// What is labelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fluent {
    Meeting,
    Moving,
    Fighting,
    LeavingObject,
    Loitering,
}

impl Fluent {
    pub(super) const ALL: [Fluent; 5] =
        [Fluent::Meeting, Fluent::Moving, Fluent::Fighting, Fluent::LeavingObject, Fluent::Loitering];

    /// Those of two entities.
    const OF_PAIRS: [Fluent; 4] = [Fluent::Meeting, Fluent::Moving, Fluent::Fighting, Fluent::LeavingObject];

    /// How many entities it is about.
    pub(super) fn arity(self) -> usize {
        if self == Fluent::Loitering { 1 } else { 2 }
    }

    /// Whether it holds in both orders of its arguments. Then only the ascending order is kept.
    pub(super) fn is_symmetric(self) -> bool {
        matches!(self, Fluent::Meeting | Fluent::Moving | Fluent::Fighting)
    }
}

/// Which rules label the world.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Rules {
    /// Those of `true.lp`.
    #[default]
    True,
    /// Those of `changed.lp`.
    Changed,
}

/// A fluent of two entities that holds; where it is about one, both are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Label {
    pub(super) fluent: Fluent,
    pub(super) a: Who,
    pub(super) b: Who,
}

impl Label {
    /// A label in its canonical order of arguments.
    pub(super) fn new(fluent: Fluent, a: Who, b: Who) -> Label {
        if fluent.is_symmetric() && b < a { Label { fluent, a: b, b: a } } else { Label { fluent, a, b } }
    }
}

/// What holds, by inertia.
#[derive(Clone, Debug, Default)]
pub(super) struct Truth {
    rules: Rules,
    past: Past,
    /// In ascending order, each once.
    holding: Vec<Label>,
}

/// The sighting of an entity, among those of a frame in ascending order.
pub(super) fn find(sightings: &[Sighting], who: Who) -> Option<&Sighting> {
    sightings.binary_search_by_key(&who, |s| s.who).ok().map(|i| &sightings[i])
}

impl Truth {
    /// Nothing holds yet.
    pub(super) fn new(rules: Rules) -> Truth {
        Truth { rules, ..Truth::default() }
    }

    /// What holds in this frame, in ascending order: whatever lost one of its entities does no longer.
    pub(super) fn at(&mut self, sightings: &[Sighting]) -> &[Label] {
        self.holding.retain(|l| find(sightings, l.a).is_some() && find(sightings, l.b).is_some());
        &self.holding
    }

    /// Goes on to the next frame: holds what is initiated now, or holds now and is not terminated.
    pub(super) fn advance(&mut self, sightings: &[Sighting]) {
        let Truth { rules, past, holding } = self;
        past.observe(sightings);
        holding.retain(|l| match (find(sightings, l.a), find(sightings, l.b)) {
            (Some(x), Some(y)) => !rules.terminated(l.fluent, past, x, y),
            _ => false,
        });
        for (i, x) in sightings.iter().enumerate() {
            if rules.initiated(Fluent::Loitering, past, x, x) {
                holding.push(Label::new(Fluent::Loitering, x.who, x.who));
            }
            for y in &sightings[i + 1..] {
                // No initiation reaches farther, and most pairs are.
                if !close(x, y, 48) {
                    continue;
                }
                for fluent in Fluent::OF_PAIRS {
                    if rules.initiated(fluent, past, x, y) {
                        holding.push(Label::new(fluent, x.who, y.who));
                    }
                    if !fluent.is_symmetric() && rules.initiated(fluent, past, y, x) {
                        holding.push(Label::new(fluent, y.who, x.who));
                    }
                }
            }
        }
        holding.sort_unstable();
        holding.dedup();
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.holding.len() + self.past.len()
    }
}

impl Rules {
    /// Whether a fluent begins to hold.
    fn initiated(self, fluent: Fluent, past: &Past, x: &Sighting, y: &Sighting) -> bool {
        let (mx, my) = (x.movement, y.movement);
        match (fluent, self) {
            // active(X), active(Y), close 25  |  active(X), inactive(Y), close 25, opposed 135, and the other way round
            (Fluent::Meeting, Rules::True) => match (mx, my) {
                (Active, Active) => close(x, y, 25),
                (Active, Inactive) | (Inactive, Active) => close(x, y, 25) && turned(x, y).is_some_and(|a| a >= 135),
                _ => false,
            },
            // active(X), active(Y), close 17
            (Fluent::Meeting, Rules::Changed) => (mx, my) == (Active, Active) && close(x, y, 17),
            // walking(X), walking(Y), close 34, aligned 45
            (Fluent::Moving, Rules::True) => side_by_side(x, y, 34),
            // walking(X), walking(Y), close 48, aligned 45
            (Fluent::Moving, Rules::Changed) => side_by_side(x, y, 48),
            // abrupt(X), abrupt(Y), close 25
            (Fluent::Fighting, _) => (mx, my) == (Abrupt, Abrupt) && close(x, y, 25),
            // active(X), appear(O), inactive(O), close 17
            (Fluent::LeavingObject, _) => mx == Active && y.appears && my == Inactive && close(x, y, 17),
            // idle 60, within 20
            (Fluent::Loitering, _) => past.idle(x, 60) && past.within(x, 20),
        }
    }

    /// Whether a fluent ends, if it holds.
    fn terminated(self, fluent: Fluent, past: &Past, x: &Sighting, y: &Sighting) -> bool {
        let (mx, my) = (x.movement, y.movement);
        match (fluent, self) {
            // far 34, or 48 where the rules have changed  |  walking(X), walking(Y)  |  abrupt(X), abrupt(Y)
            (Fluent::Meeting, _) => {
                let far = !close(x, y, if self == Rules::True { 34 } else { 48 });
                far || matches!((mx, my), (Walking, Walking) | (Abrupt, Abrupt))
            }
            // far 48  |  close 48, not walking(X), and the other way round
            (Fluent::Moving, Rules::True) => !close(x, y, 48) || mx != Walking || my != Walking,
            // far 96  |  close 96, not walking(X), and the other way round
            (Fluent::Moving, Rules::Changed) => !close(x, y, 96) || mx != Walking || my != Walking,
            // running(X), far 25, and the other way round  |  far 48
            (Fluent::Fighting, _) => (mx == Running || my == Running) && !close(x, y, 25) || !close(x, y, 48),
            // active(X), close 17  |  far 96
            (Fluent::LeavingObject, _) => mx == Active && close(x, y, 17) || !close(x, y, 96),
            // shifted 30  |  abrupt(X)
            (Fluent::Loitering, _) => past.shifted(x, 30) || mx == Abrupt,
        }
    }
}

/// walking(X), walking(Y), close, aligned 45
fn side_by_side(x: &Sighting, y: &Sighting, distance: i64) -> bool {
    (x.movement, y.movement) == (Walking, Walking) && close(x, y, distance) && turned(x, y).is_some_and(|a| a <= 45)
}

/// Whether two entities are at most so many pixels apart, in the whole pixels of the narrative. Exact: for integers,
/// `sqrt(n) <= d` and `n <= d * d` are the same also after rounding.
fn close(x: &Sighting, y: &Sighting, distance: i64) -> bool {
    let ((x1, y1), (x2, y2)) = (x.pixel(), y.pixel());
    (x1 - x2) * (x1 - x2) + (y1 - y2) * (y1 - y2) <= distance * distance
}

/// The angle between two headings, if both have one.
fn turned(x: &Sighting, y: &Sighting) -> Option<i32> {
    let difference = (x.heading? - y.heading?).abs();
    Some(difference.min(360 - difference))
}

#[cfg(test)]
mod tests {
    use super::super::body::{Movement, Point};
    use super::*;

    fn person(number: usize, movement: Movement, x: f64, heading: i32) -> Sighting {
        let (who, at) = (Who::Person(number), Point::new(x, 100.0));
        Sighting { who, movement, appears: false, disappears: false, at, heading: Some(heading) }
    }

    #[test]
    fn what_is_initiated_holds_from_the_next_frame_on_until_it_is_terminated() {
        let mut truth = Truth::default();
        let listening = [person(0, Active, 100.0, 0), person(1, Inactive, 120.0, 180)];
        let apart = [person(0, Walking, 80.0, 180), person(1, Inactive, 120.0, 180)];
        let expected = [Label { fluent: Fluent::Meeting, a: Who::Person(0), b: Who::Person(1) }];
        for (frame, holds) in [(&listening, false), (&listening, true), (&apart, true), (&apart, false)] {
            assert_eq!(truth.at(frame), if holds { &expected[..] } else { &[] });
            truth.advance(frame);
        }
    }

    #[test]
    fn nothing_holds_of_those_who_are_not_seen() {
        let mut truth = Truth::default();
        let fight = [person(0, Abrupt, 100.0, 0), person(1, Abrupt, 110.0, 180)];
        truth.advance(&fight);
        assert_eq!(truth.at(&fight).len(), 1);
        assert_eq!(truth.at(&fight[..1]).len(), 0);
        assert_eq!(truth.at(&fight).len(), 0);
    }
}
