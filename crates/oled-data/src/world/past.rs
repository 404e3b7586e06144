//! Past: what the rules of loitering look back to, for how long somebody has been still and where they were before.

use std::collections::{BTreeMap, VecDeque};

use super::body::Movement::{Active, Inactive};
use super::hall::{Sighting, Who};
use super::truth::find;

/// How many frames back the places are compared: two seconds.
const AGO: usize = 50;

/// The past of everybody who is seen; whoever is not has none.
#[derive(Clone, Debug, Default)]
pub(super) struct Past(BTreeMap<Who, Trace>);

/// The past of one entity.
#[derive(Clone, Debug, Default)]
struct Trace {
    /// The frames since the first one of the present time of being still, if this is one: 0 in the first.
    still: Option<u32>,
    /// The latest places, the present one last; at most as many as are needed to look back.
    places: VecDeque<(i64, i64)>,
}

impl Past {
    /// Goes on to this frame.
    pub(super) fn observe(&mut self, sightings: &[Sighting]) {
        self.0.retain(|who, _| find(sightings, *who).is_some());
        for seen in sightings {
            let trace = self.0.entry(seen.who).or_default();
            // still(X, T) :- inactive(X).  still(X, T) :- active(X).
            let still = matches!(seen.movement, Active | Inactive);
            trace.still = still.then(|| trace.still.map_or(0, |frames| frames.saturating_add(1)));
            trace.places.push_back(seen.pixel());
            if trace.places.len() > AGO + 1 {
                trace.places.pop_front();
            }
        }
    }

    /// idle(X, D, T) :- lasting(still(X, T), S), S >= D.
    pub(super) fn idle(&self, seen: &Sighting, frames: u32) -> bool {
        self.0.get(&seen.who).and_then(|t| t.still).is_some_and(|s| s >= frames)
    }

    /// within(X, D, T) :- drift(X, R, T), R <= D.
    pub(super) fn within(&self, seen: &Sighting, pixels: i64) -> bool {
        self.square_drift(seen).is_some_and(|square| square <= pixels * pixels)
    }

    /// shifted(X, D, T) :- drift(X, R, T), R > D.
    pub(super) fn shifted(&self, seen: &Sighting, pixels: i64) -> bool {
        self.square_drift(seen).is_some_and(|square| square > pixels * pixels)
    }

    /// How far somebody is from where they were, squared. Nobody knows of those who have just come, nor of objects, which
    /// have no heading:
    ///
    /// ```text
    /// drift(X, R, T) :- orientation(X, A, T), coords(X, X1, Y1, T), ago(coords(X, X0, Y0, T), 50),
    ///     R = sqrt((X1 - X0)^2 + (Y1 - Y0)^2).
    /// ```
    fn square_drift(&self, seen: &Sighting) -> Option<i64> {
        seen.heading?;
        let places = &self.0.get(&seen.who)?.places;
        let (x0, y0) = *places.front().filter(|_| places.len() == AGO + 1)?;
        let (x1, y1) = seen.pixel();
        Some((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0))
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::{Movement, Point};
    use super::*;

    fn person(movement: Movement, x: f64) -> Sighting {
        let (who, at) = (Who::Person(0), Point::new(x, 100.0));
        Sighting { who, movement, appears: false, disappears: false, at, heading: Some(0) }
    }

    #[test]
    fn being_still_counts_from_zero_and_anew_after_a_break() {
        let mut past = Past::default();
        for (movement, frames) in
            [(Active, Some(0)), (Inactive, Some(1)), (Movement::Walking, None), (Inactive, Some(0)), (Active, Some(1))]
        {
            let seen = person(movement, 100.0);
            past.observe(&[seen]);
            assert_eq!(frames.is_some_and(|f| past.idle(&seen, f)), frames.is_some());
            assert!(!past.idle(&seen, frames.map_or(0, |f| f + 1)));
        }
        past.observe(&[]);
        past.observe(&[person(Active, 100.0)]);
        assert!(!past.idle(&person(Active, 100.0), 1), "who was away begins anew");
    }

    #[test]
    fn places_are_compared_with_those_of_fifty_frames_ago() {
        let mut past = Past::default();
        for frame in 0..60 {
            let seen = person(Movement::Walking, 100.0 + f64::from(frame));
            past.observe(&[seen]);
            assert_eq!(past.within(&seen, 50), frame >= 50);
            assert_eq!(past.shifted(&seen, 49), frame >= 50);
            assert!(!past.within(&seen, 49) && !past.shifted(&seen, 50));
            assert!(!past.within(&Sighting { heading: None, ..seen }, 50), "objects do not drift");
        }
    }
}
