//! Noise: a tracker that confuses movements and shakes places, and an annotator who overlooks, confuses and dozes.
//!
//! Each kind has a generator of its own, and draws the same numbers whatever its rate is: at another rate the same people
//! walk the same ways, and a mistake made at a low rate is made at every higher one.

use super::body::Movement;
use super::hall::{HEIGHT, Sighting, WIDTH, Who};
use super::random::Random;
use super::truth::{Label, find};

/// Disturbs what is seen.
#[derive(Clone, Debug)]
pub(super) struct Tracker {
    pub(super) event_noise: f64,
    pub(super) position_noise: f64,
    pub(super) events: Random,
    pub(super) positions: Random,
}

impl Tracker {
    /// The sighting as the tracker reports it.
    pub(super) fn report(&mut self, sighting: &Sighting) -> Sighting {
        let mut seen = *sighting;
        let wrong = self.events.chance(self.event_noise);
        let step = 1 + self.events.below(Movement::ALL.len() as u64 - 1) as usize;
        if wrong {
            seen.movement = Movement::ALL[(seen.movement as usize + step) % Movement::ALL.len()];
        }
        let (dx, dy) = (self.positions.approx_normal(), self.positions.approx_normal());
        if self.position_noise > 0.0 {
            // The image has borders.
            seen.at.x = (seen.at.x + dx * self.position_noise).clamp(0.0, WIDTH - 1.0);
            seen.at.y = (seen.at.y + dy * self.position_noise).clamp(0.0, HEIGHT - 1.0);
        }
        seen
    }
}

/// Disturbs whole intervals of labels, in both orders of their arguments, as people do who label videos by hand.
#[derive(Clone, Debug)]
pub(super) struct Annotator {
    pub(super) label_noise: f64,
    pub(super) random: Random,
    /// The true intervals that are open, in ascending order, and what becomes of them.
    open: Vec<(Label, Fate)>,
    /// Labels that outlast the truth, and for how many frames.
    late: Vec<(Label, u32)>,
}

/// What the annotator makes of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// Labels it as it is.
    Right,
    /// Labels nothing.
    Overlooked,
    /// Takes somebody else for one of those it is about.
    Confused(Label),
    /// Begins and ends late; so many frames are still to wait, of so many.
    Late(u32, u32),
}

impl Annotator {
    pub(super) fn new(label_noise: f64, random: Random) -> Annotator {
        Annotator { label_noise, random, open: Vec::new(), late: Vec::new() }
    }

    /// The labels that the annotator sets in a frame where these hold; both in ascending order.
    pub(super) fn annotate(&mut self, truth: &[Label], sightings: &[Sighting], labels: &mut Vec<Label>) {
        labels.clear();
        let there = |l: &Label| find(sightings, l.a).is_some() && find(sightings, l.b).is_some();
        for (label, left) in &mut self.late {
            *left -= 1;
            labels.push(*label);
        }
        for (label, fate) in &self.open {
            if let Fate::Late(wait, delay) = *fate
                && truth.binary_search(label).is_err()
            {
                // An interval shorter than the delay was never labelled.
                if wait == 0 {
                    self.late.push((*label, delay - 1));
                    labels.push(*label);
                }
            }
        }
        self.late.retain(|(label, left)| *left > 0 && there(label));
        let before = std::mem::take(&mut self.open);
        for &label in truth {
            let mut fate = match before.binary_search_by_key(&label, |(l, _)| *l) {
                Ok(i) => before[i].1,
                Err(_) => self.fate(label, sightings),
            };
            match &mut fate {
                Fate::Right | Fate::Late(0, _) => labels.push(label),
                Fate::Overlooked => {}
                Fate::Confused(other) => labels.push(*other),
                Fate::Late(wait, _) => *wait -= 1,
            }
            self.open.push((label, fate));
        }
        labels.retain(there);
        labels.sort_unstable();
        labels.dedup();
    }

    fn fate(&mut self, label: Label, sightings: &[Sighting]) -> Fate {
        let wrong = self.random.chance(self.label_noise);
        let kind = self.random.below(3);
        let delay = self.random.int(5, 50) as u32;
        let pick = self.random.next();
        if !wrong {
            return Fate::Right;
        }
        match kind {
            0 => Fate::Overlooked,
            1 => {
                let others = || {
                    let people = sightings.iter().map(|s| s.who).filter(|w| matches!(w, Who::Person(_)));
                    people.filter(|&w| w != label.a && w != label.b)
                };
                let count = others().count() as u64;
                match others().nth((pick % count.max(1)) as usize) {
                    Some(other) if label.fluent.arity() == 1 => Fate::Confused(Label::new(label.fluent, other, other)),
                    // The object stays; of two people either may be taken for another.
                    Some(other) if label.fluent.is_symmetric() && pick >> 63 == 1 => {
                        Fate::Confused(Label::new(label.fluent, label.a, other))
                    }
                    Some(other) => Fate::Confused(Label::new(label.fluent, other, label.b)),
                    None => Fate::Overlooked,
                }
            }
            _ => Fate::Late(delay, delay),
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.open.len() + self.late.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::body::Point;
    use super::super::truth::Fluent;
    use super::*;

    fn crowd() -> Vec<Sighting> {
        let at = Point::new(50.0, 50.0);
        let seen =
            |who| Sighting { who, movement: Movement::Active, appears: false, disappears: false, at, heading: None };
        (0..4).map(|i| seen(Who::Person(i))).collect()
    }

    fn label() -> Label {
        Label::new(Fluent::Meeting, Who::Person(0), Who::Person(1))
    }

    /// In which of 200 frames labels are set, and which ones, where the meeting holds from 50 to 149.
    fn annotated(seed: u64) -> Vec<(usize, Label)> {
        let mut annotator = Annotator::new(1.0, Random::new(seed, &[]));
        let mut labels = Vec::new();
        let mut all = Vec::new();
        for frame in 0..200 {
            let truth = if (50..150).contains(&frame) { vec![label()] } else { vec![] };
            annotator.annotate(&truth, &crowd(), &mut labels);
            all.extend(labels.iter().map(|&l| (frame, l)));
        }
        all
    }

    #[test]
    fn wrong_intervals_are_overlooked_confused_or_late() {
        let (mut overlooked, mut confused, mut late) = (0, 0, 0);
        for seed in 0..60 {
            let labels = annotated(seed);
            match labels.first() {
                None => overlooked += 1,
                Some(&(first, l)) if l == label() => {
                    late += 1;
                    assert_eq!(labels.len(), 100, "an interval that begins and ends late is as long as before");
                    assert!((55..=100).contains(&first) && labels[99].0 == first + 99);
                }
                Some(&(first, _)) => {
                    confused += 1;
                    assert_eq!((first, labels.len()), (50, 100));
                }
            }
        }
        assert!(overlooked > 8 && confused > 8 && late > 8, "{overlooked} {confused} {late}");
    }

    #[test]
    fn without_noise_labels_are_the_truth() {
        let mut annotator = Annotator::new(0.0, Random::new(1, &[]));
        let mut labels = Vec::new();
        annotator.annotate(&[label()], &crowd(), &mut labels);
        assert_eq!(labels, [label()]);
    }
}
